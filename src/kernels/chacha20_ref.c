/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_ref - ChaCha20 in portable C. What every other chacha20 kernel is compared with.
 *
 * Where the compiler's baseline has 128-bit vectors (SSE2 on x86-64, NEON on AArch64) the generic
 * vectors of GCC and Clang are used, in two layouts:
 *
 *   columns   a vector holds one word of four blocks; x[0..15] are 16 vectors, and a quarter round
 *             is one for four blocks. 16 registers do not quite hold that, which costs less than
 * the shuffles of the other layout: 2.7 cycles a byte where that takes 3.0 with four blocks. rows
 * a vector holds one row of one block, four vectors a block; between the rounds rows are rotated so
 * that diagonals stand as columns. For the 1, 2 or 3 blocks that are left.
 *
 * Elsewhere one block after the other in 32-bit words. Left to themselves, GCC and Clang vectorise
 * neither the loop over blocks nor the quarter rounds at -O2.
 */
#include "../kernel.h"

/* ---- the quarter round, for words and for vectors of words ------------------------------------
 */

#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a += b, d = ROTL16(d ^ a);                                                                 \
        c += d, b = ROTL(b ^ c, 12);                                                               \
        a += b, d = ROTL(d ^ a, 8);                                                                \
        c += d, b = ROTL(b ^ c, 7);                                                                \
    } while (0)

#define DOUBLE_ROUND(x)                                                                            \
    do {                                                                                           \
        QUARTER(x[0], x[4], x[8], x[12]);                                                          \
        QUARTER(x[1], x[5], x[9], x[13]);                                                          \
        QUARTER(x[2], x[6], x[10], x[14]);                                                         \
        QUARTER(x[3], x[7], x[11], x[15]);                                                         \
        QUARTER(x[0], x[5], x[10], x[15]);                                                         \
        QUARTER(x[1], x[6], x[11], x[12]);                                                         \
        QUARTER(x[2], x[7], x[8], x[13]);                                                          \
        QUARTER(x[3], x[4], x[9], x[14]);                                                          \
    } while (0)

#if PLAIT_HAVE_VEC128

#define WIDTH     4
#define ROTL16(x) PLAIT_U16_SWAP(x)

typedef plait_u32x4 vec;

PLAIT_INLINE vec load(const uint8_t *p)
{
    vec x;
    memcpy(&x, p, 16);
    return x;
}
PLAIT_INLINE void store(uint8_t *p, vec x)
{
    memcpy(p, &x, 16);
}

/* Four words of four blocks, transposed and added to the text: word i of block j goes to 64 j + 4
 * i. */
#define XOR_COLUMNS(out, in, a, b, c, d)                                                           \
    do {                                                                                           \
        const vec ab0 = PLAIT_U32X4(a, b, 0, 4, 1, 5), ab1 = PLAIT_U32X4(a, b, 2, 6, 3, 7);        \
        const vec cd0 = PLAIT_U32X4(c, d, 0, 4, 1, 5), cd1 = PLAIT_U32X4(c, d, 2, 6, 3, 7);        \
        store(out, load(in) ^ PLAIT_U32X4(ab0, cd0, 0, 1, 4, 5));                                  \
        store((out) + 64, load((in) + 64) ^ PLAIT_U32X4(ab0, cd0, 2, 3, 6, 7));                    \
        store((out) + 128, load((in) + 128) ^ PLAIT_U32X4(ab1, cd1, 0, 1, 4, 5));                  \
        store((out) + 192, load((in) + 192) ^ PLAIT_U32X4(ab1, cd1, 2, 3, 6, 7));                  \
    } while (0)

/* Word i of a start state at any alignment, in each lane. */
PLAIT_INLINE vec all_lanes(const uint32_t *state, int i)
{
    uint32_t x;
    memcpy(&x, (const uint8_t *)state + 4 * i, 4);
    return (vec){x, x, x, x};
}

/* len bytes, a multiple of 256. */
static void columns(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    vec s[16], x[16];
    for (int i = 0; i < 16; i++) s[i] = all_lanes(state, i);
    s[12] += (vec){0, 1, 2, 3};
    for (; len > 0; len -= 256, in += 256, out += 256) {
        memcpy(x, s, sizeof x);
        for (int i = 0; i < 10; i++) DOUBLE_ROUND(x);
        XOR_COLUMNS(out, in, x[0] + s[0], x[1] + s[1], x[2] + s[2], x[3] + s[3]);
        XOR_COLUMNS(out + 16, in + 16, x[4] + s[4], x[5] + s[5], x[6] + s[6], x[7] + s[7]);
        XOR_COLUMNS(out + 32, in + 32, x[8] + s[8], x[9] + s[9], x[10] + s[10], x[11] + s[11]);
        XOR_COLUMNS(out + 48, in + 48, x[12] + s[12], x[13] + s[13], x[14] + s[14], x[15] + s[15]);
        s[12] += 4;
    }
    plait_wipe(s, sizeof s);
}

/* One block, by rows. */
typedef struct row_block {
    vec a, b, c, d;
} row_block;

PLAIT_INLINE void double_round_of_rows(row_block *x)
{
    QUARTER(x->a, x->b, x->c, x->d);
    x->b = PLAIT_U32X4(x->b, x->b, 1, 2, 3, 0);
    x->c = PLAIT_U32X4(x->c, x->c, 2, 3, 0, 1);
    x->d = PLAIT_U32X4(x->d, x->d, 3, 0, 1, 2);
    QUARTER(x->a, x->b, x->c, x->d);
    x->b = PLAIT_U32X4(x->b, x->b, 3, 0, 1, 2);
    x->c = PLAIT_U32X4(x->c, x->c, 2, 3, 0, 1);
    x->d = PLAIT_U32X4(x->d, x->d, 1, 2, 3, 0);
}

PLAIT_INLINE void xor_rows(uint8_t *out, const uint8_t *in, const row_block *x, const row_block *s,
                           vec count)
{
    store(out, load(in) ^ (x->a + s->a));
    store(out + 16, load(in + 16) ^ (x->b + s->b));
    store(out + 32, load(in + 32) ^ (x->c + s->c));
    store(out + 48, load(in + 48) ^ (x->d + s->d + count));
}

/* n = 1..3 blocks, n a constant. Without loops over blocks: Clang keeps those, in memory. */
PLAIT_INLINE void rows(uint8_t *out, const uint8_t *in, const uint32_t state[16], const int n)
{
    const vec count1 = {1, 0, 0, 0}, count2 = {2, 0, 0, 0};
    row_block s, x0, x1, x2;
    memcpy(&s, state, 64);
    x0 = x1 = x2 = s;
    x1.d += count1;
    x2.d += count2;
    for (int i = 0; i < 10; i++) {
        double_round_of_rows(&x0);
        if (n > 1) double_round_of_rows(&x1);
        if (n > 2) double_round_of_rows(&x2);
    }
    xor_rows(out, in, &x0, &s, (vec){0, 0, 0, 0});
    if (n > 1) xor_rows(out + 64, in + 64, &x1, &s, count1);
    if (n > 2) xor_rows(out + 128, in + 128, &x2, &s, count2);
    plait_wipe(&s, sizeof s);
}

/* n = 1..4 whole blocks. */
static void few(uint8_t *out, const uint8_t *in, size_t n, const uint32_t state[16])
{
    if (n == 1)
        rows(out, in, state, 1);
    else if (n == 2)
        rows(out, in, state, 2);
    else if (n == 3)
        rows(out, in, state, 3);
    else
        columns(out, in, 256, state);
}

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    const size_t most = len & ~(size_t)255, left = len & 255;
    uint32_t s[16];
    if (most != 0) columns(out, in, most, state);
    if (left == 0) return;
    memcpy(s, state, 64);
    s[12] += (uint32_t)(most / 64);
    if (left % 64 == 0) {
        few(out + most, in + most, left / 64, s);
    } else {
        uint8_t text[256] = {0};
        memcpy(text, in + most, left);
        few(text, text, left / 64 + 1, s);
        memcpy(out + most, text, left);
        plait_wipe(text, sizeof text);
    }
    plait_wipe(s, sizeof s);
}

#else

#define WIDTH     1
#define ROTL16(x) ROTL(x, 16)

/* x = the 16 words of key stream of the block whose start state is s. */
PLAIT_INLINE void block(uint32_t x[16], const uint32_t s[16])
{
    memcpy(x, s, 64);
    for (int i = 0; i < 10; i++) DOUBLE_ROUND(x);
    for (int i = 0; i < 16; i++) x[i] += s[i];
}

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint32_t s[16], x[16];
    memcpy(s, state, 64);
    for (; len >= 64; len -= 64, in += 64, out += 64) {
        block(x, s);
        for (int i = 0; i < 16; i++)
            plait_store32_le(out + 4 * i, plait_load32_le(in + 4 * i) ^ x[i]);
        s[12]++;
    }
    if (len > 0) {
        block(x, s);
        for (size_t i = 0; i < len; i++) out[i] = (uint8_t)(in[i] ^ x[i / 4] >> (8 * (i % 4)));
    }
    plait_wipe(s, sizeof s);
    plait_wipe(x, sizeof x);
}

#endif

const plait_kernel plait_chacha20_ref = {PLAIT_KERNEL_ID(chacha20, ref), PLAIT_NEEDS_NOTHING,
                                         .spills = 512, .width = WIDTH,
                                         .fn.chacha20 = {.xor_stream = xor_stream}};
