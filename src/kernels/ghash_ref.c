/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_ref - GHASH in portable C, without tables: carry-less products made of integer ones. What
 * every other ghash kernel is compared with. Four blocks are absorbed together, by H^4, H^3, H^2,
 * H.
 *
 * Multiplication with holes. Split x into four classes, x = x0 + x1 + x2 + x3, where xi keeps the
 * bits whose index is i mod 4; y alike. In the integer product xi yj, bits that are 4 apart count
 * the coinciding pairs of ones, and the lowest bit of each count is the bit of the carry-less
 * product; the counts do not run into each other while they are below 16. With words of B bits a
 * class has B / 4 bits, so
 *
 *     B = 32:  counts <= 8.
 *     B = 64:  counts <= 16, which is one too many: y lends its highest bit of each class, which
 *              leaves 15 in a class, and the four borrowed bits, the number t < 16, are multiplied
 *              alone: xi t is a sum of copies of t that are 4 apart, so that nothing carries.
 *
 *     x y = sum over k of (sum over i of xi y(k - i) mod 4) and class k   (+ 2^60 sum of xi t)
 *
 * where all sums are xor. 128 bits are two words of 64 or four of 32, combined by Karatsuba's
 * method in one or two levels: 3 x 20 or 9 x 16 products a block. The parts of H are split once per
 * key. Multipliers take the same time for all operands on every CPU with a 64-bit product worth its
 * name; docs/SOUNDNESS.md names those that do not.
 *
 * Bit order. A block is read as a big-endian number, so that bit 127 - i is the coefficient of x^i.
 * The product of two such numbers is short of one shift to the left to have the coefficient of x^i
 * in bit 255 - i: H is stored divided by x, which shifts it beforehand. Then the lower half holds
 * the coefficients of x^128 and up, which x^128 = 1 + x + x^2 + x^7 brings into the upper half.
 */
#include "../kernel.h"

#if PLAIT_FAST_INT128
typedef uint64_t word;
typedef plait_u128 wide;
#define LIMBS    2
#define PRODUCTS 3 /* of words, for one product of 128 bits */
#define PIECES   5 /* of a word of H: four classes, and the borrowed bits */
#else
typedef uint32_t word;
typedef uint64_t wide;
#define LIMBS    4
#define PRODUCTS 9
#define PIECES   4
#endif

#define BITS     ((int)sizeof(word) * 8)
#define CLASS(i) ((word)(UINT64_C(0x1111111111111111) << (i)))
#define BOTH(i)  ((wide)CLASS(i) << BITS | CLASS(i))
#define GROUP    4 /* blocks absorbed together */

/* A number of 128 bits, lowest word first. */
typedef struct number {
    word w[LIMBS];
} number;

/* A power of H as update uses it. */
typedef struct power {
    word y[PRODUCTS][PIECES];
} power;

typedef char areas_fit[GROUP * sizeof(power) + 1 <= PLAIT_GHASH_AREA ? 1 : -1];

PLAIT_INLINE number load(const uint8_t block[16])
{
    number x;
    for (int i = 0; i < LIMBS; i++)
        x.w[i] = sizeof(word) == 8 ? (word)plait_load64_be(block + 8 - 8 * i)
                                   : (word)plait_load32_be(block + 12 - 4 * i);
    return x;
}

PLAIT_INLINE void store(uint8_t block[16], number x)
{
    for (int i = 0; i < LIMBS; i++)
        if (sizeof(word) == 8)
            plait_store64_be(block + 8 - 8 * i, x.w[i]);
        else
            plait_store32_be(block + 12 - 4 * i, (uint32_t)x.w[i]);
}

/* The operands of the products of words: Karatsuba's sums. */
PLAIT_INLINE void split(word s[PRODUCTS], number x)
{
    s[0] = x.w[0];
    s[1] = x.w[1];
    s[2] = x.w[0] ^ x.w[1];
#if LIMBS == 4
    s[3] = x.w[2];
    s[4] = x.w[3];
    s[5] = x.w[2] ^ x.w[3];
    s[6] = s[0] ^ s[3];
    s[7] = s[1] ^ s[4];
    s[8] = s[2] ^ s[5];
#endif
}

/* The sum of x[b][j] y[n - 1 - b][j] over n blocks. */
PLAIT_INLINE wide product_sum(word x[GROUP][PRODUCTS], const uint8_t *powers, size_t n, int j)
{
    wide z0 = 0, z1 = 0, z2 = 0, z3 = 0;
#if PIECES == 5
    wide t = 0;
#endif
    for (size_t b = 0; b < n; b++) {
        const word x0 = x[b][j] & CLASS(0), x1 = x[b][j] & CLASS(1), x2 = x[b][j] & CLASS(2),
                   x3 = x[b][j] & CLASS(3);
        word y[PIECES];
        memcpy(y, powers + (n - 1 - b) * sizeof(power) + (size_t)j * sizeof y, sizeof y);
        z0 ^= (wide)x0 * y[0] ^ (wide)x1 * y[3] ^ (wide)x2 * y[2] ^ (wide)x3 * y[1];
        z1 ^= (wide)x0 * y[1] ^ (wide)x1 * y[0] ^ (wide)x2 * y[3] ^ (wide)x3 * y[2];
        z2 ^= (wide)x0 * y[2] ^ (wide)x1 * y[1] ^ (wide)x2 * y[0] ^ (wide)x3 * y[3];
        z3 ^= (wide)x0 * y[3] ^ (wide)x1 * y[2] ^ (wide)x2 * y[1] ^ (wide)x3 * y[0];
#if PIECES == 5
        t ^= (wide)x0 * y[4] ^ (wide)x1 * y[4] ^ (wide)x2 * y[4] ^ (wide)x3 * y[4];
#endif
    }
    z0 = (z0 & BOTH(0)) | (z1 & BOTH(1)) | (z2 & BOTH(2)) | (z3 & BOTH(3));
#if PIECES == 5
    z0 ^= t << 60;
#endif
    return z0;
}

/* Adds v, times 2^(BITS i), to p. */
PLAIT_INLINE void add_wide(word p[2 * LIMBS], int i, wide v)
{
    p[i] ^= (word)v;
    p[i + 1] ^= (word)(v >> BITS);
}

/* Karatsuba's three products of numbers of two words, lowest in p[i]. */
PLAIT_INLINE void add_three(word p[2 * LIMBS], int i, wide low, wide high, wide both)
{
    add_wide(p, i, low);
    add_wide(p, i + 2, high);
    add_wide(p, i + 1, both ^ low ^ high);
}

/* The sum of x[b] H^(n - b) over n blocks, reduced. */
PLAIT_INLINE number multiply(word x[GROUP][PRODUCTS], const uint8_t *powers, size_t n)
{
    word p[2 * LIMBS] = {0};
    number r;
#if LIMBS == 2
    {
        const wide low = product_sum(x, powers, n, 0), high = product_sum(x, powers, n, 1),
                   both = product_sum(x, powers, n, 2);
        add_three(p, 0, low, high, both);
    }
#else
    wide q[PRODUCTS];
    for (int j = 0; j < PRODUCTS; j++) q[j] = product_sum(x, powers, n, j);
    add_three(p, 0, q[0], q[1], q[2]);
    add_three(p, 4, q[3], q[4], q[5]);
    add_three(p, 2, q[0] ^ q[3] ^ q[6], q[1] ^ q[4] ^ q[7], q[2] ^ q[5] ^ q[8]);
#endif
    for (int i = 0; i < LIMBS; i++) {
        const word w = p[i];
        p[i + LIMBS] ^= w ^ w >> 1 ^ w >> 2 ^ w >> 7;
        p[i + LIMBS - 1] ^= w << (BITS - 1) ^ w << (BITS - 2) ^ w << (BITS - 7);
    }
    for (int i = 0; i < LIMBS; i++) r.w[i] = p[i + LIMBS];
    return r;
}

/* Stores h / x as update uses it. */
static void make_power(uint8_t *out, const uint8_t h[16])
{
    uint8_t block[16];
    word s[PRODUCTS];
    power y;
    const uint64_t h1 = plait_load64_be(h), h0 = plait_load64_be(h + 8);
    /* 1 / x = x^127 + x^6 + x + 1 */
    const uint64_t one = plait_barrier64(0 - (h1 >> 63));
    plait_store64_be(block, ((h1 << 1) | (h0 >> 63)) ^ (one & UINT64_C(0xc200000000000000)));
    plait_store64_be(block + 8, (h0 << 1) ^ (one & 1));
    split(s, load(block));
    for (int j = 0; j < PRODUCTS; j++) {
        for (int i = 0; i < 4; i++) y.y[j][i] = s[j] & CLASS(i);
#if PIECES == 5
        for (int i = 0; i < 4; i++) y.y[j][i] &= ~UINT64_C(0) >> 4;
        y.y[j][4] = s[j] >> 60;
#endif
    }
    memcpy(out, &y, sizeof y);
    plait_wipe(block, sizeof block);
    plait_wipe(s, sizeof s);
    plait_wipe(&y, sizeof y);
}

/* Area: the powers H, H^2, .. H^GROUP, or as many as max_len can use; then their number. */
static void init(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len)
{
    uint8_t hi[16];
    word x[GROUP][PRODUCTS];
    unsigned n = 1;
    memcpy(hi, h, 16);
    make_power(area, hi);
    for (; n < GROUP && max_len > 16 * (size_t)n; n++) {
        split(x[0], load(hi));
        store(hi, multiply(x, area, 1));
        make_power(area + n * sizeof(power), hi);
    }
    area[GROUP * sizeof(power)] = (uint8_t)n;
    plait_wipe(hi, sizeof hi);
    plait_wipe(x, sizeof x);
}

static void update(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data,
                   size_t len)
{
    const size_t most = area[GROUP * sizeof(power)];
    word x[GROUP][PRODUCTS];
    number z = load(acc);
    if (len == 0) return;
    while (len > 0) {
        size_t n = 0;
        for (; n < most && len > 0; n++) {
            number v;
            if (len >= 16) {
                v = load(data);
                data += 16;
                len -= 16;
            } else {
                uint8_t last[16] = {0};
                memcpy(last, data, len);
                v = load(last);
                len = 0;
                plait_wipe(last, sizeof last);
            }
            if (n == 0)
                for (int i = 0; i < LIMBS; i++) v.w[i] ^= z.w[i];
            split(x[n], v);
        }
        z = multiply(x, area, n);
    }
    store(acc, z);
    plait_wipe(x, sizeof x);
}

const plait_kernel plait_ghash_ref = {PLAIT_KERNEL_ID(ghash, ref), PLAIT_NEEDS_NOTHING,
                                      .spills = 1024, .width = GROUP,
                                      .fn.ghash = {.init = init, .update = update}};
