/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_ref - AES-CTR in portable C, bitsliced: no tables, no branch or address that depends on key or data.
 * What every other aes kernel is compared with.
 */
#include "../kernel.h"

/* ---- S-box: Boyar and Peralta, "A new combinational logic minimization technique with applications to
 * cryptology" (2010), 115 gates, less the four negations, which the round keys absorb. x0 is the highest bit. */
#define SUB_BYTES(name, T)                                                                                     \
    PLAIT_INLINE void name(T q[8])                                                                             \
    {                                                                                                          \
        const T x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4], x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];        \
        const T y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5, t0 = x1 ^ x2, y1 = t0 ^ x7;          \
        const T y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8, t1 = x4 ^ y12;        \
        const T y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = x7 ^ y11;    \
        const T y17 = y10 ^ y11, y19 = y10 ^ y8, y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;              \
        const T t2 = y12 & y15, t3 = y3 & y6, t4 = t3 ^ t2, t5 = y4 & x7, t6 = t5 ^ t2, t7 = y13 & y16;        \
        const T t8 = y5 & y1, t9 = t8 ^ t7, t10 = y2 & y7, t11 = t10 ^ t7, t12 = y9 & y11, t13 = y14 & y17;    \
        const T t14 = t13 ^ t12, t15 = y8 & y10, t16 = t15 ^ t12, t17 = t4 ^ t14, t18 = t6 ^ t16;              \
        const T t19 = t9 ^ t14, t20 = t11 ^ t16, t21 = t17 ^ y20, t22 = t18 ^ y19, t23 = t19 ^ y21;            \
        const T t24 = t20 ^ y18, t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t28 = t25 & t27;           \
        const T t29 = t28 ^ t22, t30 = t23 ^ t24, t31 = t22 ^ t26, t32 = t31 & t30, t33 = t32 ^ t24;           \
        const T t34 = t23 ^ t33, t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36;           \
        const T t39 = t29 & t38, t40 = t25 ^ t39, t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40;           \
        const T t44 = t33 ^ t37, t45 = t42 ^ t41;                                                              \
        const T z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1, z5 = t29 & y7;    \
        const T z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3;                \
        const T z11 = t33 & y4, z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9;               \
        const T z16 = t45 & y14, z17 = t41 & y8;                                                               \
        const T t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12;              \
        const T t51 = z2 ^ z5, t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17;                   \
        const T t56 = z12 ^ t48, t57 = t50 ^ t53, t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57;             \
        const T t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58, t64 = z4 ^ t59, t65 = t61 ^ t62;            \
        const T t66 = z1 ^ t63, t67 = t64 ^ t65, s3 = t53 ^ t66;                                               \
        q[7] = t59 ^ t63;                                                                                      \
        q[6] = t64 ^ s3;                                                                                       \
        q[5] = t55 ^ t67;                                                                                      \
        q[4] = s3;                                                                                             \
        q[3] = t51 ^ t66;                                                                                      \
        q[2] = t47 ^ t65;                                                                                      \
        q[1] = t56 ^ t62;                                                                                      \
        q[0] = t48 ^ t60;                                                                                      \
    }

SUB_BYTES(sub_bytes, uint64_t)
SUB_BYTES(sub_bytes_of_word, uint32_t)

#define BLOCKS 4
typedef uint64_t plane;

PLAIT_INLINE uint64_t ror64(uint64_t x, int n)
{
    return n == 0 ? x : (x >> n) | (x << (64 - n));
}
/* Rotates each 16-bit group. */
PLAIT_INLINE uint64_t ror16(uint64_t x, int n)
{
    const uint64_t m = UINT64_C(0x0001000100010001) * (0xffffu >> n);
    return n == 0 ? x : ((x >> n) & m) | ((x << (16 - n)) & ~m);
}
#define NEXT_ROW(x, k) ror16(ror64(x, 16), 4 * (k))
#define TWO_ROWS(x, k) ror16(ror64(x, 32), 8 * (k) % 16)

PLAIT_INLINE plane unskew(plane x)
{
    const uint64_t m = UINT64_C(0x0000ffff0000ffff);
    return (x & m) | (ror16(x, 8) & ~m);
}

#define SWAP_BITS(a, b, n, m)                                                                                  \
    do {                                                                                                       \
        const plane t_ = ((a >> n) ^ b) & m;                                                                   \
        b ^= t_;                                                                                               \
        a ^= t_ << n;                                                                                          \
    } while (0)

/* Transposes the 8 x 8 bits at each byte position of q[0..7]. Its own inverse. */
PLAIT_INLINE void transpose(plane q[8])
{
    const plane m1 = UINT64_C(0x5555555555555555), m2 = UINT64_C(0x3333333333333333), m4 = UINT64_C(0x0f0f0f0f0f0f0f0f);
    SWAP_BITS(q[0], q[1], 1, m1);
    SWAP_BITS(q[2], q[3], 1, m1);
    SWAP_BITS(q[4], q[5], 1, m1);
    SWAP_BITS(q[6], q[7], 1, m1);
    SWAP_BITS(q[0], q[2], 2, m2);
    SWAP_BITS(q[1], q[3], 2, m2);
    SWAP_BITS(q[4], q[6], 2, m2);
    SWAP_BITS(q[5], q[7], 2, m2);
    SWAP_BITS(q[0], q[4], 4, m4);
    SWAP_BITS(q[1], q[5], 4, m4);
    SWAP_BITS(q[2], q[6], 4, m4);
    SWAP_BITS(q[3], q[7], 4, m4);
}

/* The bytes of a word to the even bytes of a double word, and back. */
PLAIT_INLINE uint64_t spread(uint32_t w)
{
    uint64_t x = w;
    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    return (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
}
PLAIT_INLINE uint32_t gather(uint64_t x)
{
    x &= UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(x | x >> 16);
}

PLAIT_INLINE void add_round_key(plane q[8], const plane rk[8])
{
    q[0] ^= rk[0], q[1] ^= rk[1], q[2] ^= rk[2], q[3] ^= rk[3];
    q[4] ^= rk[4], q[5] ^= rk[5], q[6] ^= rk[6], q[7] ^= rk[7];
}

#define MIX_COLUMNS(q, k)                                                                                      \
    do {                                                                                                       \
        const plane n0 = NEXT_ROW(q[0], k), n1 = NEXT_ROW(q[1], k), n2 = NEXT_ROW(q[2], k),                    \
                    n3 = NEXT_ROW(q[3], k), n4 = NEXT_ROW(q[4], k), n5 = NEXT_ROW(q[5], k),                    \
                    n6 = NEXT_ROW(q[6], k), n7 = NEXT_ROW(q[7], k);                                            \
        const plane t0 = q[0] ^ n0, t1 = q[1] ^ n1, t2 = q[2] ^ n2, t3 = q[3] ^ n3, t4 = q[4] ^ n4,            \
                    t5 = q[5] ^ n5, t6 = q[6] ^ n6, t7 = q[7] ^ n7;                                            \
        q[0] = n0 ^ TWO_ROWS(t0, k) ^ t7;                                                                      \
        q[1] = n1 ^ TWO_ROWS(t1, k) ^ t0 ^ t7;                                                                 \
        q[2] = n2 ^ TWO_ROWS(t2, k) ^ t1;                                                                      \
        q[3] = n3 ^ TWO_ROWS(t3, k) ^ t2 ^ t7;                                                                 \
        q[4] = n4 ^ TWO_ROWS(t4, k) ^ t3 ^ t7;                                                                 \
        q[5] = n5 ^ TWO_ROWS(t5, k) ^ t4;                                                                      \
        q[6] = n6 ^ TWO_ROWS(t6, k) ^ t5;                                                                      \
        q[7] = n7 ^ TWO_ROWS(t7, k) ^ t6;                                                                      \
    } while (0)

/* S-box on the four bytes of a word. */
PLAIT_INLINE uint32_t sub_word(uint32_t w)
{
    const uint32_t m = 0x01010101;
    uint32_t q[8] = {w & m,        (w >> 1) & m, (w >> 2) & m, (w >> 3) & m,
                     (w >> 4) & m, (w >> 5) & m, (w >> 6) & m, (w >> 7) & m};
    sub_bytes_of_word(q);
    return ((q[0] & m) | (q[1] & m) << 1 | (q[2] & m) << 2 | (q[3] & m) << 3 | (q[4] & m) << 4 |
            (q[5] & m) << 5 | (q[6] & m) << 6 | (q[7] & m) << 7) ^
           0x63636363;
}

/* Area: for each round key two double words, bit-planes 0..3 and 4..7; then the number of rounds. */
static void init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    const unsigned nk = (unsigned)raw_len / 4, rounds = nk + 6;
    uint32_t w[60], rcon = 1;
    plane q[8];

    memset(area, 0, PLAIT_AES_AREA);
    for (unsigned i = 0; i < nk; i++) w[i] = plait_load32_le(raw + 4 * i);
    for (unsigned i = nk; i < 4 * (rounds + 1); i++) {
        uint32_t t = w[i - 1];
        if (i % nk == 0) {
            t = sub_word(t >> 8 | t << 24) ^ rcon;
            rcon = (rcon << 1) ^ (0x11b & (0 - (rcon >> 7)));
        } else if (nk == 8 && i % 8 == 4) {
            t = sub_word(t);
        }
        w[i] = w[i - nk] ^ t;
    }
    for (unsigned i = 0; i <= rounds; i++) {
        const unsigned k = i < rounds ? i % 4 : 0;
        uint32_t c[4];
        uint64_t a = 0;
        for (unsigned j = 0; j < 4; j++) {
            c[j] = 0;
            for (unsigned r = 0; r < 4; r++) c[j] |= w[4 * i + ((j - k * r) & 3)] & (UINT32_C(0xff) << (8 * r));
            if (i > 0) c[j] ^= 0x63636363;
        }
        memset(q, 0, sizeof q);
        q[0] = spread(c[0]) | spread(c[2]) << 8;
        q[4] = spread(c[1]) | spread(c[3]) << 8;
        transpose(q);
        a = q[0] | q[1] << 1 | q[2] << 2 | q[3] << 3;
        memcpy(area + 16 * i, &a, 8);
        a = q[4] | q[5] << 1 | q[6] << 2 | q[7] << 3;
        memcpy(area + 16 * i + 8, &a, 8);
        plait_wipe(c, sizeof c);
        plait_wipe(&a, sizeof a);
    }
    area[240] = (uint8_t)rounds;
    plait_wipe(w, sizeof w);
    plait_wipe(q, sizeof q);
}

static void ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    plane rk[15][8], q[8];
    uint8_t ks[16 * BLOCKS];
    const unsigned rounds = area[240];
    const uint64_t w02 = spread(plait_load32_le(block)) | spread(plait_load32_le(block + 8)) << 8,
                   w1 = spread(plait_load32_le(block + 4));
    uint32_t ctr = plait_load32_be(block + 12);

    if (len == 0) return;
    for (unsigned i = 0; i <= rounds; i++)
        for (unsigned j = 0; j < 8; j++) {
            uint64_t a;
            memcpy(&a, area + 16 * i + 8 * (j / 4), 8);
            rk[i][j] = (a >> (j % 4) & UINT64_C(0x1111111111111111)) * 15;
        }
    while (len > 0) {
        const size_t n = len < sizeof ks ? len : sizeof ks;
        for (unsigned b = 0; b < 4; b++) {
            q[b] = w02;
            q[b + 4] = w1 | spread(plait_bswap32(ctr++)) << 8;
        }
        transpose(q);
        add_round_key(q, rk[0]);
        for (unsigned i = 0;; i += 4) {
            sub_bytes(q);
            MIX_COLUMNS(q, 1);
            add_round_key(q, rk[i + 1]);
            sub_bytes(q);
            if (i + 2 == rounds) {
                for (unsigned j = 0; j < 8; j++) q[j] = unskew(q[j]);
                break;
            }
            MIX_COLUMNS(q, 2);
            add_round_key(q, rk[i + 2]);
            sub_bytes(q);
            MIX_COLUMNS(q, 3);
            add_round_key(q, rk[i + 3]);
            sub_bytes(q);
            if (i + 4 == rounds) break;
            MIX_COLUMNS(q, 0);
            add_round_key(q, rk[i + 4]);
        }
        add_round_key(q, rk[rounds]);
        transpose(q);
        for (unsigned b = 0; b < 4; b++) {
            plait_store32_le(ks + 16 * b, gather(q[b]));
            plait_store32_le(ks + 16 * b + 4, gather(q[b + 4]));
            plait_store32_le(ks + 16 * b + 8, gather(q[b] >> 8));
            plait_store32_le(ks + 16 * b + 12, gather(q[b + 4] >> 8));
        }
        for (size_t i = 0; i < n; i++) out[i] = in[i] ^ ks[i];
        out += n;
        in += n;
        len -= n;
    }
    plait_wipe(rk, sizeof rk);
    plait_wipe(q, sizeof q);
    plait_wipe(ks, sizeof ks);
}

const plait_kernel plait_aes_ref = {
    PLAIT_KERNEL_ID(aes, ref), PLAIT_NEEDS_NOTHING, .width = BLOCKS, .fn.aes = {.init = init, .ctr32 = ctr32}};
