/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_neon: Poly1305 with NEON, and in general registers beside it. For any AArch64 core; the
 * counterpart of what JDK-8320709 announced. One iteration is 8 blocks in vectors and 3 in general
 * registers, one asm text; the blocks after the last iteration, and short messages, are scalar
 * (poly1305_aarch64_body.h).
 *
 * The mathematics. A message of n blocks is cut in three: f = n mod 8 blocks for the scalar chain,
 * 8 g blocks for the vectors, e blocks for a second scalar chain that starts at 0; e is a multiple
 * of 8 and at least 3 g + 1. Then
 *
 *     h = (h, f blocks, 8 g blocks by vectors) r^e + (0, e blocks)
 *
 * r^e takes squarings of r^8, and a product for each further bit of e / 8: 2 for 1 KiB, 7 for 16.
 * One chain through all would have to jump 8 blocks 8 at a time, and r^8, unlike r, is not clamped:
 * 17 multiplications for 10.
 *
 * Vectors: numbers in 5 limbs of 26 bits, limb i of four of them in v(i), lane j for block 4 k + j:
 *
 *     x = (x + b) r^8 + a r^4     a, b: the first and the last four of 8 blocks
 *     at the end: (x + b) times r^4 | r^3 | r^2 | r in lanes 0..3, summed
 *
 * 100 multiplications of 2 x (32 x 32 -> 64) bits for 8 blocks and one carry for all of them. They
 * have one pipe on Cortex-A72 and Neoverse N1, and the rest of the loop, shifts mostly, has the
 * other.
 *
 *     v0-v4    x + b                v5-v9    a, later b
 *     v10-v19  sums, two lanes each: limbs 0..4 of lanes 0, 1; of 2, 3
 *     v20-v24  r^8 and r^4: r0 r1 r2 r3 | r4 s1 s2 s3 | s4 of both
 *     v25-v27  2^26 - 1 in 64 and in 32 bits; 2^24
 *     v28-v31  message
 *
 * with s(i) = 5 r(i). Bounds:
 *     a, b < 2^26 in each limb, a < 2^27.5 with h of the state added; r(i) < 2^26.4; s(i) < 2^28.8
 *     x + b < 2^27.1 after a carry, which leaves x(i) < 2^26 + 2^11
 *     sums < 5 (2^27.1 + 2^27.5) 2^28.8 < 2^59.7
 *     carry: sum 0 += 5 floor(sum 4 / 2^26) < 2^26 + 5 2^34 < 2^37
 *     at the end: sums of four lanes < 4 5 2^27.1 2^28.8 < 2^60.3
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#include <arm_neon.h>

#include "poly1305_aarch64_body.h"

/* From how many blocks on the vectors pay: by model 32 on Neoverse V1 and Apple cores, 68 on
 * Cortex-A72 and Neoverse N2. */
#define WIDE_FROM 40

/* ---- numbers in three words, below 2^131 ---- */

typedef struct number {
    uint64_t w0, w1, w2;
} number;

/* a b mod p, w2 <= 4. */
PLAIT_NOINLINE static number times(number a, number b)
{
    const plait_u128 d0 = (plait_u128)a.w0 * b.w0;
    const plait_u128 d1 = (plait_u128)a.w0 * b.w1 + (uint64_t)(d0 >> 64);
    const plait_u128 d2 = (plait_u128)a.w1 * b.w0 + (uint64_t)d1;
    const plait_u128 d3 = (plait_u128)a.w1 * b.w1 + (uint64_t)(d1 >> 64) + (uint64_t)(d2 >> 64);
    const plait_u128 d4 = (plait_u128)a.w0 * b.w2 + (plait_u128)a.w2 * b.w0 + (uint64_t)d3;
    const plait_u128 d5 = (plait_u128)a.w1 * b.w2 + (plait_u128)a.w2 * b.w1 + (uint64_t)(d3 >> 64) +
                          (uint64_t)(d4 >> 64);
    /* The product is x0, x1, x2, x3, x4; its part from bit 130 on comes back five times. */
    const uint64_t x2 = (uint64_t)d4, x3 = (uint64_t)d5;
    const uint64_t x4 = (uint64_t)(d5 >> 64) + a.w2 * b.w2;
    const plait_u128 e0 = (plait_u128)(x2 >> 2 | x3 << 62) * 5 + (uint64_t)d0;
    const plait_u128 e1 =
        (plait_u128)(x3 >> 2 | x4 << 62) * 5 + (uint64_t)d2 + (uint64_t)(e0 >> 64);
    const uint64_t e2 = (x2 & 3) + (x4 >> 2) * 5 + (uint64_t)(e1 >> 64);
    const plait_u128 f0 = (plait_u128)(uint64_t)e0 + (e2 >> 2) * 5;
    const plait_u128 f1 = (plait_u128)(uint64_t)e1 + (uint64_t)(f0 >> 64);
    const number c = {(uint64_t)f0, (uint64_t)f1, (e2 & 3) + (uint64_t)(f1 >> 64)};
    PLAIT_BOUND(a.w2 < 8 && b.w2 < 8 && c.w2 <= 4);
    return c;
}

static number plus(number a, number b)
{
    const plait_u128 d0 = (plait_u128)a.w0 + b.w0;
    const plait_u128 d1 = (plait_u128)a.w1 + b.w1 + (uint64_t)(d0 >> 64);
    const uint64_t d2 = a.w2 + b.w2 + (uint64_t)(d1 >> 64);
    const plait_u128 e0 = (plait_u128)(uint64_t)d0 + (d2 >> 2) * 5;
    const plait_u128 e1 = (plait_u128)(uint64_t)d1 + (uint64_t)(e0 >> 64);
    const number c = {(uint64_t)e0, (uint64_t)e1, (d2 & 3) + (uint64_t)(e1 >> 64)};
    return c;
}

static number chain_number(chain h)
{
    const number a = {h.h0, h.h1, h.h2};
    return a;
}

static void limbs(uint32_t x[5], number a)
{
    const uint32_t m = 0x3ffffff;
    x[0] = (uint32_t)a.w0 & m;
    x[1] = (uint32_t)(a.w0 >> 26) & m;
    x[2] = (uint32_t)(a.w0 >> 52 | a.w1 << 12) & m;
    x[3] = (uint32_t)(a.w1 >> 14) & m;
    x[4] = (uint32_t)(a.w1 >> 40 | a.w2 << 24);
}

/* ---- the loop ---- */

typedef struct table {
    uint32_t by8[8], s4[4], by4[8]; /* v20, v21; v22; v23, v24 */
    uint32_t x[5][4];               /* in: what to add to the first four blocks; out: x + b */
    uint32_t lanes[5][4];           /* limbs of r^4 | r^3 | r^2 | r */
} table;

/* C promises strings of up to 4095 bytes only; no compiler that knows asm minds longer ones. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* clang-format off */
#define STR_(x) #x
#define STR(x) STR_(x)
#define V(i) "v" STR(i)
#define OP3(op, shape, x, y, z)                                                                    \
    op " " V(x) "." shape ", " V(y) "." shape ", " V(z) "." shape "\n\t"
#define SHIFT(op, shape, x, y, n) op " " V(x) "." shape ", " V(y) "." shape ", #" STR(n) "\n\t"

/* Limb v(i) of lanes 0 and 1 (LOW) or 2 and 3 (HIGH) times five numbers, onto the five sums. */
#define LOW(op, i, r0, r1, r2, r3, r4)                                                             \
    op " v10.2d, " V(i) ".2s, " r0 "\n\t" op " v11.2d, " V(i) ".2s, " r1 "\n\t"                    \
    op " v12.2d, " V(i) ".2s, " r2 "\n\t" op " v13.2d, " V(i) ".2s, " r3 "\n\t"                    \
    op " v14.2d, " V(i) ".2s, " r4 "\n\t"
#define HIGH(op, i, r0, r1, r2, r3, r4)                                                            \
    op "2 v15.2d, " V(i) ".4s, " r0 "\n\t" op "2 v16.2d, " V(i) ".4s, " r1 "\n\t"                  \
    op "2 v17.2d, " V(i) ".4s, " r2 "\n\t" op "2 v18.2d, " V(i) ".4s, " r3 "\n\t"                  \
    op "2 v19.2d, " V(i) ".4s, " r4 "\n\t"

#define R0(a, b, s4) V(a) ".s[0]"
#define R1(a, b, s4) V(a) ".s[1]"
#define R2(a, b, s4) V(a) ".s[2]"
#define R3(a, b, s4) V(a) ".s[3]"
#define R4(a, b, s4) V(b) ".s[0]"
#define S1(a, b, s4) V(b) ".s[1]"
#define S2(a, b, s4) V(b) ".s[2]"
#define S3(a, b, s4) V(b) ".s[3]"
#define S4(a, b, s4) s4
#define BY8 (20, 21, "v22.s[0]")
#define BY4 (23, 24, "v22.s[1]")

/* The five limbs of a number times limbs of p; the parts of each that reach 2^130 come back as
 * s. */
#define ROW0(half, op, i, p) half(op, i, R0 p, R1 p, R2 p, R3 p, R4 p)
#define ROW1(half, op, i, p) half(op, i, S4 p, R0 p, R1 p, R2 p, R3 p)
#define ROW2(half, op, i, p) half(op, i, S3 p, S4 p, R0 p, R1 p, R2 p)
#define ROW3(half, op, i, p) half(op, i, S2 p, S3 p, S4 p, R0 p, R1 p)
#define ROW4(half, op, i, p) half(op, i, S1 p, S2 p, S3 p, S4 p, R0 p)

/* Four blocks: words of blocks become blocks of words, words become limbs in v5-v9. */
#define LOAD(at)                                                                                   \
    "ldp q28, q29, [%[v], #" STR(at) "]\n\tldp q30, q31, [%[v], #" STR(at) " + 32]\n\t"
#define CUT1                                                                                       \
    OP3("uzp1", "4s", 5, 28, 29) OP3("uzp2", "4s", 6, 28, 29)                                      \
    OP3("uzp1", "4s", 7, 30, 31) OP3("uzp2", "4s", 8, 30, 31)
#define CUT2                                                                                       \
    OP3("uzp1", "4s", 28, 5, 7) OP3("uzp1", "4s", 29, 6, 8)                                        \
    OP3("uzp2", "4s", 30, 5, 7) OP3("uzp2", "4s", 31, 6, 8)
#define CUT3                                                                                       \
    OP3("and", "16b", 5, 28, 26) SHIFT("ushr", "4s", 6, 28, 26) SHIFT("ushr", "4s", 7, 29, 20)     \
    SHIFT("ushr", "4s", 8, 30, 14) SHIFT("ushr", "4s", 9, 31, 8)
#define CUT4                                                                                       \
    SHIFT("sli", "4s", 6, 29, 6) SHIFT("sli", "4s", 7, 30, 12) SHIFT("sli", "4s", 8, 31, 18)       \
    OP3("orr", "16b", 9, 9, 27)
#define CUT5 OP3("and", "16b", 6, 6, 26) OP3("and", "16b", 7, 7, 26) OP3("and", "16b", 8, 8, 26)

/* sum y += floor(sum x / 2^26), for both pairs of lanes; sum x mod 2^26. */
#define CARRY(x, y, x2, y2)                                                                        \
    SHIFT("usra", "2d", y, x, 26) SHIFT("usra", "2d", y2, x2, 26)                                  \
    OP3("and", "16b", x, x, 25) OP3("and", "16b", x2, x2, 25)
/* sum 0 += 5 floor(sum 4 / 2^26) */
#define CARRY_ROUND                                                                                \
    SHIFT("ushr", "2d", 0, 14, 26) SHIFT("ushr", "2d", 1, 19, 26)                                  \
    SHIFT("usra", "2d", 10, 14, 26) SHIFT("usra", "2d", 15, 19, 26)                                \
    SHIFT("shl", "2d", 0, 0, 2) SHIFT("shl", "2d", 1, 1, 2)
#define CARRY_ROUND2                                                                               \
    OP3("and", "16b", 14, 14, 25) OP3("and", "16b", 19, 19, 25)                                    \
    OP3("add", "2d", 10, 10, 0) OP3("add", "2d", 15, 15, 1)
#define JOIN                                                                                       \
    OP3("uzp1", "4s", 0, 10, 15) OP3("uzp1", "4s", 1, 11, 16) OP3("uzp1", "4s", 2, 12, 17)         \
    OP3("uzp1", "4s", 3, 13, 18) OP3("uzp1", "4s", 4, 14, 19)
#define ADD_BLOCKS(x0, x1, x2, x3, x4)                                                             \
    OP3("add", "4s", x0, x0, 5) OP3("add", "4s", x1, x1, 6) OP3("add", "4s", x2, x2, 7)            \
    OP3("add", "4s", x3, x3, 8) OP3("add", "4s", x4, x4, 9)

/* 8 g blocks at v by vectors, 3 g at msg by the chain h: pieces of the one between pieces of the
 * other. h holds the block before msg already. The last iteration reads its first four blocks again
 * in place of the next ones. */
static chain both(table *k, const uint8_t *v, chain h, const uint8_t *msg, size_t g)
{
    const uint64_t pad = 1;
    uint64_t t0, t1, t2, t3, t4, t5, t6, t7, t8;
    __asm__ volatile(
        "ldp q20, q21, [%[k]]\n\t"
        "ldp q22, q23, [%[k], #32]\n\t"
        "ldp q24, q10, [%[k], #64]\n\t"
        "ldp q11, q12, [%[k], #96]\n\t"
        "ldp q13, q14, [%[k], #128]\n\t"
        "mvni v26.4s, #0xfc, lsl #24\n\t"
        "movi v25.2d, #0xffffffff\n\t"
        "and v25.16b, v25.16b, v26.16b\n\t"
        "movi v27.4s, #1, lsl #24\n\t"
        LOAD(0) CUT1 CUT2 CUT3 CUT4 CUT5
        OP3("add", "4s", 5, 5, 10) OP3("add", "4s", 6, 6, 11) OP3("add", "4s", 7, 7, 12)
        OP3("add", "4s", 8, 8, 13) OP3("add", "4s", 9, 9, 14)
        "movi v0.4s, #0\n\tmovi v1.4s, #0\n\tmovi v2.4s, #0\n\tmovi v3.4s, #0\n\tmovi v4.4s, #0\n"
        "1:\n\t"
        LOAD(64)
        ROW0(LOW, "umull", 5, BY4) PIECE1
        ROW0(HIGH, "umull", 5, BY4) PIECE2
        ROW1(LOW, "umlal", 6, BY4) PIECE3
        ROW1(HIGH, "umlal", 6, BY4) PIECE4
        ROW2(LOW, "umlal", 7, BY4) PIECE5
        ROW2(HIGH, "umlal", 7, BY4) PIECE6
        ROW3(LOW, "umlal", 8, BY4) PIECE7
        ROW3(HIGH, "umlal", 8, BY4) PIECE8
        ROW4(LOW, "umlal", 9, BY4) PIECE9
        ROW4(HIGH, "umlal", 9, BY4) PIECE10
        ROW0(LOW, "umlal", 0, BY8) CUT1 PIECE1
        ROW0(HIGH, "umlal", 0, BY8) PIECE2
        ROW1(LOW, "umlal", 1, BY8) CUT2 PIECE3
        ROW1(HIGH, "umlal", 1, BY8) PIECE4
        ROW2(LOW, "umlal", 2, BY8) CUT3 PIECE5
        ROW2(HIGH, "umlal", 2, BY8) PIECE6
        ROW3(LOW, "umlal", 3, BY8) CUT4 PIECE7
        ROW3(HIGH, "umlal", 3, BY8) PIECE8
        ROW4(LOW, "umlal", 4, BY8) CUT5 PIECE9
        ROW4(HIGH, "umlal", 4, BY8) PIECE10
        "add %[t0], %[v], #128\n\tcmp %[g], #1\n\tcsel %[v], %[t0], %[v], ne\n\t"
        LOAD(0)
        CARRY(10, 11, 15, 16) PIECE1
        CARRY(13, 14, 18, 19) PIECE2
        CARRY(11, 12, 16, 17) PIECE3
        CARRY_ROUND PIECE4
        CARRY_ROUND2 PIECE5
        CARRY(12, 13, 17, 18) PIECE6
        CARRY(10, 11, 15, 16) PIECE7
        CARRY(13, 14, 18, 19) PIECE8
        JOIN PIECE9
        ADD_BLOCKS(0, 1, 2, 3, 4) PIECE10
        CUT1 CUT2 CUT3 CUT4 CUT5
        "sub %[g], %[g], #1\n\t"
        "cbnz %[g], 1b\n\t"
        "stp q0, q1, [%[k], #80]\n\t"
        "stp q2, q3, [%[k], #112]\n\t"
        "str q4, [%[k], #144]\n\t"
        : PIECES_OPERANDS, [v] "+&r"(v), [g] "+&r"(g)
        : PIECES_INPUTS, [k] "r"(k)
        : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
          "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
          "v25", "v26", "v27", "v28", "v29", "v30", "v31");
    return h;
}
/* clang-format on */

/* The sum of x in lanes 0..3 times r^4 | r^3 | r^2 | r. */
static number join(const table *k)
{
    uint32x4_t x[5], r[5], s[5];
    uint64_t d[5];
    number a;
    for (int i = 0; i < 5; i++) {
        x[i] = vld1q_u32(k->x[i]);
        r[i] = vld1q_u32(k->lanes[i]);
        s[i] = vaddq_u32(vshlq_n_u32(r[i], 2), r[i]);
    }
    for (int j = 0; j < 5; j++) {
        uint64x2_t sum = vdupq_n_u64(0);
        for (int i = 0; i < 5; i++) {
            const uint32x4_t f = i <= j ? r[j - i] : s[5 + j - i];
            sum = vmlal_u32(sum, vget_low_u32(x[i]), vget_low_u32(f));
            sum = vmlal_high_u32(sum, x[i], f);
        }
        d[j] = vaddvq_u64(sum);
    }
    /* d(j) < 2^60.3, at the bits 26 j */
    {
        const plait_u128 e0 =
            (plait_u128)d[0] + ((plait_u128)d[1] << 26) + ((plait_u128)d[2] << 52);
        const plait_u128 e1 = (e0 >> 64) + ((plait_u128)d[3] << 14) + ((plait_u128)d[4] << 40);
        const uint64_t top = (uint64_t)(e1 >> 64); /* < 2^37 */
        const plait_u128 f0 = (plait_u128)(uint64_t)e0 + (top >> 2) * 5;
        const plait_u128 f1 = (plait_u128)(uint64_t)e1 + (uint64_t)(f0 >> 64);
        a.w0 = (uint64_t)f0;
        a.w1 = (uint64_t)f1;
        a.w2 = (top & 3) + (uint64_t)(f1 >> 64);
    }
    return a;
}

/* h = (h + m + 2^128) r for each of n >= 12 blocks m. */
PLAIT_NOINLINE static void wide(plait_poly1305_acc *acc, const uint8_t *msg, size_t n)
{
    const number r = {acc->r[0], acc->r[1], 0};
    const size_t f = n % 8, g = (n - f - 1) / 11, e = n - f - 8 * g;
    const uint8_t *vectors = msg + 16 * f, *scalars = vectors + 128 * g;
    number p2, p3, p4, p8, power, sum;
    uint32_t x[5];
    table k;
    chain h;
    size_t bits;

    poly1305_absorb(acc, msg, 16 * f, 1);
    p2 = times(r, r);
    p3 = times(p2, r);
    p4 = times(p2, p2);
    p8 = times(p4, p4);

    limbs(x, p8);
    memcpy(k.by8, x, 20);
    for (int i = 1; i < 4; i++) k.by8[4 + i] = 5 * x[i];
    k.s4[0] = 5 * x[4];
    limbs(x, p4);
    memcpy(k.by4, x, 20);
    for (int i = 1; i < 4; i++) k.by4[4 + i] = 5 * x[i];
    k.s4[1] = 5 * x[4];
    k.s4[2] = k.s4[3] = 0;
    for (int i = 0; i < 5; i++) k.lanes[i][0] = x[i];
    limbs(x, p3);
    for (int i = 0; i < 5; i++) k.lanes[i][1] = x[i];
    limbs(x, p2);
    for (int i = 0; i < 5; i++) k.lanes[i][2] = x[i];
    limbs(x, r);
    for (int i = 0; i < 5; i++) k.lanes[i][3] = x[i];
    memset(k.x, 0, sizeof k.x);
    h = chain_load(acc);
    limbs(x, chain_number(h));
    for (int i = 0; i < 5; i++) k.x[i][0] = x[i];

    h.h0 = h.h1 = h.h2 = 0;
    h = chain_add(h, scalars, 1);
    h = both(&k, vectors, h, scalars + 16, g);
    h = chain_steps(h, scalars + 16 * (3 * g + 1), e - 3 * g - 1, 1);
    h = chain_last(h);

    /* r^e, by the bits of e / 8: the length is no secret */
    for (bits = e / 8; (bits & 1) == 0; bits >>= 1) p8 = times(p8, p8);
    power = p8;
    while (bits >>= 1) {
        p8 = times(p8, p8);
        if (bits & 1) power = times(power, p8);
    }
    sum = times(join(&k), power);
    sum = plus(sum, chain_number(h));
    acc->h[0] = sum.w0;
    acc->h[1] = sum.w1;
    acc->h[2] = sum.w2;
    plait_wipe(&k, sizeof k);
    plait_wipe(x, sizeof x);
}

static void blocks(plait_poly1305_acc *acc, const uint8_t *msg, size_t len)
{
    if (len >= 16 * WIDE_FROM)
        wide(acc, msg, len / 16);
    else
        poly1305_absorb_full(acc, msg, len);
}

static void mac(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32])
{
    const size_t full = len & ~(size_t)15;
    plait_poly1305_acc acc;
    poly1305_load_key(&acc, key);
    blocks(&acc, msg, full);
    if (full < len) poly1305_absorb_partial(&acc, msg + full, len - full);
    poly1305_emit(&acc, tag);
    plait_wipe(&acc, sizeof acc);
}

const plait_kernel plait_poly1305_neon = {
    PLAIT_KERNEL_ID(poly1305, neon), PLAIT_NEEDS(neon), .width = 11, .spills = 1024,
    .fn.poly1305 = {.blocks = blocks, .final = poly1305_final, .mac = mac}};

#else

const plait_kernel plait_poly1305_neon = {PLAIT_KERNEL_ID(poly1305, neon), PLAIT_NOT_BUILT(neon)};

#endif
