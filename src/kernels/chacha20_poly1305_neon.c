/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_poly1305_neon: ChaCha20-Poly1305 (RFC 8439, 2.8) in one pass: six blocks of ChaCha20 in
 * NEON registers, and beside them Poly1305 in general registers, one block after the other. For
 * Cortex-A72 and kin, which have no AES instructions in the Raspberry Pi 4 and so use this cipher.
 *
 *      blocks 0-3   block layout, word i in v(i), i = 0..15
 *      block 4, 5   row layout, v16-v19 and v20-v23; v24-v29 scratch
 *
 * Two vector pipes have 192 instructions per double round, and the multiplier and the integer
 * pipes, which the cipher leaves idle, 90 for three blocks of Poly1305. Apart both are slower: the
 * cipher with scalar blocks beside it and the authenticator in vectors each want pipes of both
 * kinds. By LLVM's model of the A72 this loop takes 2.5 cycles per byte, the two parts 2.8 and 0.8.
 * On wide cores it does not pay (Neoverse N1 2.7 for 1.8 and 0.7, V1 1.7 for 1.2 and 0.3, N2 and
 * Apple's as much as the parts), nor in order (Cortex-A55 7.6 for 4.7 and 1.8): avoided there.
 * The rotation by 8 is a shift and a shift with insertion, as in chacha20_neon_block_scalar.
 *
 * A pass over 6 blocks makes 24 blocks for Poly1305: 8 double rounds have 3 of them each beside
 * them, 2 have none. seal hashes the ciphertext of passes before, open that of the same pass,
 * which is read before it may be overwritten.
 *
 * Block 0 of the keystream, which makes the one-time key, comes with the first 256 bytes of text,
 * in one pass over 5 blocks; for 1 or 2 blocks of text, one block after the other in general
 * registers is quicker.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#include <arm_neon.h>

#define ROT8_STEP9  ROT8_SHIFT1
#define ROT8_STEP10 ROT8_SHIFT2
#define ROT8_STEP11 ROT8_SHIFT3
#include "chacha20_neon_scalar_body.h"
#include "poly1305_aarch64_body.h"

/* What a pass reads: the start state, with the counter of its first block; the numbers of lanes. */
typedef struct start {
    uint32_t state[16];
    uint32_t lanes[4];
} start;

/* clang-format off */

/* One step each of chains C, A and B, and a piece of a step of Poly1305. */
#define SLOT6(c, a, b, piece, c0, c1, a0, a1, b0, b1)                                              \
    c c0 c c1 piece a a0 a a1 b b0 b b1

/* Half a double round, and one and a half blocks of Poly1305 (or nothing). */
#define HALF(p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15,                     \
             turn_b, turn_c, turn_d, ...)                                                          \
    SLOT6(STEP1, IDLE, IDLE, p1, __VA_ARGS__)                                                      \
    SLOT6(STEP2, STEP1, IDLE, p2, __VA_ARGS__)                                                     \
    SLOT6(STEP3, STEP2, IDLE, p3, __VA_ARGS__)                                                     \
    SLOT6(STEP4, STEP3, STEP1, p4, __VA_ARGS__)                                                    \
    SLOT6(STEP5, STEP4, STEP2, p5, __VA_ARGS__)                                                    \
    SLOT6(STEP6, STEP5, STEP3, , __VA_ARGS__)                                                      \
    SLOT6(STEP7, STEP6, STEP4, p6, __VA_ARGS__)                                                    \
    SLOT6(STEP8, STEP7, STEP5, p7, __VA_ARGS__)                                                    \
    SLOT6(ROT8_STEP9, STEP8, STEP6, p8, __VA_ARGS__)                                               \
    SLOT6(ROT8_STEP10, ROT8_STEP9, STEP7, p9, __VA_ARGS__)                                         \
    SLOT6(ROT8_STEP11, ROT8_STEP10, STEP8, p10, __VA_ARGS__)                                       \
    SLOT6(STEP11, ROT8_STEP11, ROT8_STEP9, , __VA_ARGS__)                                          \
    SLOT6(STEP12, STEP11, ROT8_STEP10, p11, __VA_ARGS__)                                           \
    SLOT6(STEP13, STEP12, ROT8_STEP11, p12, __VA_ARGS__)                                           \
    SLOT6(STEP14, STEP13, STEP11, p13, __VA_ARGS__)                                                \
    SLOT6(turn_b, STEP14, STEP12, p14, __VA_ARGS__)                                                \
    SLOT6(turn_c, IDLE, STEP13, p15, __VA_ARGS__)                                                  \
    SLOT6(turn_d, IDLE, STEP14, , __VA_ARGS__)
#define HALF_(...) HALF(__VA_ARGS__)

#define FIRST_HALF_PIECES PIECE1, PIECE2, PIECE3, PIECE4, PIECE5, PIECE6, PIECE7, PIECE8, PIECE9,  \
    PIECE10, PIECE1, PIECE2, PIECE3, PIECE4, PIECE5
#define SECOND_HALF_PIECES PIECE6, PIECE7, PIECE8, PIECE9, PIECE10, PIECE1, PIECE2, PIECE3,        \
    PIECE4, PIECE5, PIECE6, PIECE7, PIECE8, PIECE9, PIECE10
#define NO_PIECES , , , , , , , , , , , , , ,

#define ROWS (16, 17, 18, 19, 28), (20, 21, 22, 23, 29)
#define COLUMNS_16 (0, 4, 8, 12, 24), (1, 5, 9, 13, 25), (2, 6, 10, 14, 26), (3, 7, 11, 15, 27)
#define DIAGONALS_16 (3, 4, 9, 14, 24), (0, 5, 10, 15, 25), (1, 6, 11, 12, 26), (2, 7, 8, 13, 27)
#define DOUBLE_ROUND(first, second)                                                                \
    HALF_(first, TURN_B1, TURN_C2, TURN_D3, ROWS, COLUMNS_16)                                      \
    HALF_(second, TURN_B3, TURN_C2, TURN_D1, ROWS, DIAGONALS_16)

#define COUNT_OF(d, block)                                                                         \
    "add %w[t0], %w[count], #" STR(block) "\n\tmov v" STR(d) ".s[0], %w[t0]\n\t"

/* A pass over 6 blocks; beside it h = h r + m + 2^128 for 3 n <= 24 blocks m from msg on. */
PLAIT_NOINLINE static void pass6(uint8_t *out, const uint8_t *in, const start *s, chain *acc,
                                 const uint8_t *msg, uint32_t n)
{
    chain h = *acc;
    const uint64_t pad = 1;
    uint64_t t0, t1, t2, t3, t4, t5, t6, t7, t8;
    uint64_t rounds = n | (uint64_t)(10 - n) << 32; /* with Poly1305, and without */
    uint32_t count;
    __asm__ volatile(
        "ldr %w[count], [%[state], #48]\n\t"
        LOAD_STATE(24, 25, 26, 27)
        "ldr q28, [%[state], #64]\n\t"
        SPREAD(24, 0, 1, 2, 3)
        SPREAD(25, 4, 5, 6, 7)
        SPREAD(26, 8, 9, 10, 11)
        SPREAD(27, 12, 13, 14, 15)
        ADD(12, 28)
        COPY(16, 24) COPY(17, 25) COPY(18, 26) COPY(19, 27) COUNT_OF(19, 4)
        COPY(20, 24) COPY(21, 25) COPY(22, 26) COPY(23, 27) COUNT_OF(23, 5)
        "cbz %w[rounds], 2f\n"
        "1:\n\t"
        DOUBLE_ROUND(FIRST_HALF_PIECES, SECOND_HALF_PIECES)
        "sub %[rounds], %[rounds], #1\n\t"
        "cbnz %w[rounds], 1b\n"
        "2:\n\t"
        "lsr %[rounds], %[rounds], #32\n"
        "3:\n\t"
        DOUBLE_ROUND(NO_PIECES, NO_PIECES)
        "subs %[rounds], %[rounds], #1\n\t"
        "b.ne 3b\n\t"
        TRANSPOSE(0, 1, 2, 3, 28, 29, 30, 31)
        TRANSPOSE(4, 5, 6, 7, 28, 29, 30, 31)
        TRANSPOSE(8, 9, 10, 11, 28, 29, 30, 31)
        TRANSPOSE(12, 13, 14, 15, 28, 29, 30, 31)
        LOAD_STATE(24, 25, 26, 27)
        XOR_BLOCK(0, 4, 8, 12) NEXT_BLOCK
        XOR_BLOCK(1, 5, 9, 13) NEXT_BLOCK
        XOR_BLOCK(2, 6, 10, 14) NEXT_BLOCK
        XOR_BLOCK(3, 7, 11, 15) NEXT_BLOCK
        XOR_BLOCK(16, 17, 18, 19) NEXT_BLOCK
        XOR_BLOCK(20, 21, 22, 23)
        : PIECES_OPERANDS, [out] "+&r"(out), [in] "+&r"(in), [rounds] "+&r"(rounds),
          [count] "=&r"(count)
        : PIECES_INPUTS, [state] "r"(s)
        : VECTOR_CLOBBERS, "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15");
    acc->h0 = h.h0;
    acc->h1 = h.h1;
    acc->h2 = h.h2;
}
/* clang-format on */

/* ---- a message ---- */

#define PASS  384 /* bytes of a pass */
#define FIRST 256 /* bytes of text beside block 0 */

/* data and the zeros that fill its last block. */
static void absorb_padded(plait_poly1305_acc *acc, const uint8_t *data, size_t len)
{
    const size_t whole = len & ~(size_t)15;
    poly1305_absorb_full(acc, data, whole);
    if (len != whole) {
        uint8_t last[16] = {0};
        memcpy(last, data + whole, len - whole);
        poly1305_absorb_full(acc, last, 16);
    }
}

/* AD may be long. */
static void absorb_ad(plait_poly1305_acc *acc, const uint8_t *ad, size_t len)
{
    const size_t whole = len >= 1024 ? len & ~(size_t)15 : 0;
    if (whole != 0) {
        plait_poly1305_neon.fn.poly1305.blocks(acc, ad, whole);
        plait_burn_spills(&plait_poly1305_neon);
        ad += whole;
    }
    absorb_padded(acc, ad, len - whole);
}

/* Block 0, which makes the one-time key, and keystream xor the first len <= FIRST bytes of text,
 * both in buf: 320 bytes, of which the first 64 + len matter. */
static void first_blocks(uint8_t *buf, const uint8_t *in, size_t len, const uint32_t state[16])
{
    memset(buf, 0, 32);
    if (len != 0) memcpy(buf + 64, in, len);
    if (len > 192) {
        pass5(buf, buf, state, 0);
    } else if (len > 128) {
        pass4(buf, buf, state, 0);
    } else {
        pass1(buf, buf, state, 0);
        if (len > 0) pass1(buf + 64, buf + 64, state, 1);
        if (len > 64) pass1(buf + 128, buf + 128, state, 2);
    }
}

/* Beside a pass over text, how many times three of n blocks. */
PLAIT_INLINE uint32_t triples(size_t n)
{
    return n >= 24 ? 8 : (uint32_t)n / 3;
}

/* The text after the first FIRST bytes: len > 0. The ciphertext before block m is in h, block m has
 * been added and not yet multiplied; open: m is the block before in. Afterwards all whole blocks
 * are in h. Returns what then remains of the ciphertext: less than a block. */
PLAIT_INLINE const uint8_t *seal_rest(chain *h, start *s, uint8_t *buf, const uint8_t *m,
                                      uint8_t *out, const uint8_t *in, size_t len)
{
    while (len > 0) {
        const size_t now = len < PASS ? len : PASS;
        const uint32_t n = now > 64 ? triples((size_t)(out - m) / 16 - 1) : 0;
        if (now == PASS) {
            pass6(out, in, s, h, m + 16, n);
        } else {
            memcpy(buf, in, now);
            if (now > 64)
                pass6(buf, buf, s, h, m + 16, n);
            else
                pass1(buf, buf, s->state, s->state[12]);
            memcpy(out, buf, now);
        }
        s->state[12] += PASS / 64;
        m += 48 * n;
        out += now, in += now, len -= now;
    }
    {
        const size_t blocks = (size_t)(out - m) / 16;
        *h = chain_last(chain_steps(*h, m + 16, blocks - 1, 1));
        return m + 16 * blocks;
    }
}

PLAIT_INLINE const uint8_t *open_rest(chain *h, start *s, uint8_t *buf, uint8_t *out,
                                      const uint8_t *in, size_t len)
{
    for (; len >= PASS; len -= PASS, in += PASS, out += PASS) {
        pass6(out, in, s, h, in, 8);
        s->state[12] += PASS / 64;
    }
    {
        const size_t blocks = len / 16;
        const uint32_t n = len > 64 ? triples(blocks) : 0;
        if (len > 0) memcpy(buf, in, len);
        if (len > 64)
            pass6(buf, buf, s, h, in, n);
        else if (len > 0)
            pass1(buf, buf, s->state, s->state[12]);
        *h = chain_last(chain_steps(*h, in + 48 * n, blocks - 3 * n, 1));
        if (len % 16 != 0) memcpy(buf + PASS, in + 16 * blocks, len % 16); /* before out has it */
        if (len > 0) memcpy(out, buf, len);
        return buf + PASS;
    }
}

PLAIT_INLINE void message(const int seal, const uint8_t *area, uint8_t *out, uint8_t tag[16],
                          const uint8_t nonce[12], const uint8_t *ad, size_t ad_len,
                          const uint8_t *in, size_t len)
{
    uint8_t buf[PASS + 16], lengths[16];
    const size_t first = len < FIRST ? len : FIRST;
    plait_poly1305_acc acc;
    start s = {{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, {0, 1, 2, 3}};

    for (int i = 0; i < 8; i++) s.state[4 + i] = plait_load32_le(area + 4 * i);
    for (int i = 0; i < 3; i++) s.state[13 + i] = plait_load32_le(nonce + 4 * i);
    first_blocks(buf, in, first, s.state);
    s.state[12] = 1 + FIRST / 64;
    poly1305_load_key(&acc, buf);
    absorb_ad(&acc, ad, ad_len);
    if (len <= FIRST) {
        absorb_padded(&acc, seal ? buf + 64 : in, len);
        if (len > 0) memcpy(out, buf + 64, len);
    } else {
        const uint8_t *rest;
        chain h = chain_load(&acc);
        h = chain_add(h, seal ? buf + 64 : in, 1);
        if (!seal) h = chain_steps(h, in + 16, FIRST / 16 - 1, 1);
        memcpy(out, buf + 64, FIRST);
        rest = seal ? seal_rest(&h, &s, buf, out, out + FIRST, in + FIRST, len - FIRST)
                    : open_rest(&h, &s, buf, out + FIRST, in + FIRST, len - FIRST);
        acc.h[0] = h.h0;
        acc.h[1] = h.h1;
        acc.h[2] = h.h2;
        absorb_padded(&acc, rest, len % 16);
        plait_wipe(&h, sizeof h);
    }
    plait_store64_le(lengths, ad_len);
    plait_store64_le(lengths + 8, len);
    poly1305_absorb_full(&acc, lengths, 16);
    poly1305_emit(&acc, tag);
    plait_wipe(&acc, sizeof acc);
    plait_wipe(&s, sizeof s);
    plait_wipe(buf, sizeof buf);
}

static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    message(1, area, out, tag, nonce, ad, ad_len, in, len);
}

static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    message(0, area, out, tag, nonce, ad, ad_len, in, len);
}

const plait_kernel plait_chacha20_poly1305_neon = {
    PLAIT_KERNEL_ID(chacha20_poly1305, neon), PLAIT_NEEDS(neon),
    .avoids = PLAIT_CPU_fast_tbl | PLAIT_CPU_in_order, .width = 6,
    .spills = 1536, .fn.chacha20_poly1305 = {.seal = seal, .open = open}};

#else

const plait_kernel plait_chacha20_poly1305_neon = {PLAIT_KERNEL_ID(chacha20_poly1305, neon),
                                                   PLAIT_NOT_BUILT(neon)};

#endif
