/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_aesni_body.h - AES-GCM whole, with AES and PCLMULQDQ instructions on 128-bit vectors.
 * Included inside a target region with aes, pclmul and sse4.1, or avx for the VEX encoding; the
 * file that does it ends with a descriptor of the functions made here.
 *
 * Wide path, 128 bytes and more: eight blocks a step. Their AES rounds (8 x 10 AESENC on two ports)
 * are mixed with the GHASH of eight blocks (26 PCLMULQDQ on a third one): those of the step before
 * in seal, whose ciphertext is known, and those of the same step in open, read before they may be
 * overwritten. Per block of AES-128-GCM: 10 AES instructions, 1 for the counter block, 1 for text ^
 * last key, 1 byte reversal, 3 products, 4.5 of xor and unpacking, 1 of reduction: 21.5 for three
 * vector ports, of which none could be left out.
 *
 * Counter blocks cost one xor each: where a step's first counter is 2 mod 8, as it is with 12-byte
 * nonces, its eight counters are u + 2, ..., u + 7, u + 8, u + 9 with u a multiple of 8, so that
 * block ^ key 0 is one of two vectors that change once a step, xored with a constant in the lowest
 * bits. Other messages take a few blocks apart until they are there.
 *
 * Short path, and the end of the wide one: up to eight blocks and the block for the tag side by
 * side, their GHASH with the lengths (and the additional data, if all together are at most eight
 * blocks) by one sum and one reduction: the way from the last AES round to the tag is one product
 * and one reduction.
 *
 * Registers: 8 states, 1 round key, 3 sums, 4 of counter and temporaries.
 *
 * The area: that of aes_aesni (256 bytes), then that of ghash_pclmul with all eight powers.
 */
#include "aes_aesni_body.h"
#include "ghash_pclmul_body.h"

enum { GCM_HASH = PLAIT_AES_AREA };

static void init(uint8_t area[PLAIT_GCM_AREA], const uint8_t *raw, size_t raw_len)
{
    const uint32_t rounds = aesni_expand(area, raw, raw_len);
    __m128i h = load(area);
    for (uint32_t r = 1; r < rounds; r++) h = _mm_aesenc_si128(h, load(area + 16 * r));
    h = _mm_aesenclast_si128(h, load(area + 16 * rounds));
    ghash_powers(area + GCM_HASH, h, 8);
}

/* ---- wide steps of 8 blocks ---- */

/* Two blocks at p, 128 - 16 n bytes into the step, by H^n and H^(n-1). */
#define GCM_PAIR(op, n, acc)                                                                       \
    op(&sum, area + GCM_HASH, n, xor128(acc, reverse(load(hashed + 16 * (8 - (n))))),              \
       reverse(load(hashed + 16 * (9 - (n)))));

/* Encrypts or decrypts 8 blocks. counter: the first block's, in aesni_counter_swap's order. If
 * hashed is not NULL (a constant), absorbs the 8 blocks there into acc. in may be hashed, and may
 * be out. */
PLAIT_INLINE __m128i gcm_step(const int two, const uint8_t *area, uint32_t rounds, uint8_t *out,
                              const uint8_t *in, const uint8_t *hashed, __m128i acc,
                              __m128i counter)
{
    __m128i s0, s1, s2, s3, s4, s5, s6, s7, k = load(area);
    ghash_sum sum;
    if (two) {
        /* counter is 2 mod 8; see above */
        const __m128i a = xor128(k, aesni_counter_swap(counter));
        const __m128i b = xor128(k, aesni_counter_swap(aesni_counter_add(counter, 8)));
#define GCM_LOW(v, i) xor128(v, _mm_set_epi32((int)((2u ^ ((2u + (i)) % 8)) << 24), 0, 0, 0))
        s0 = a;
        s1 = GCM_LOW(a, 1);
        s2 = GCM_LOW(a, 2);
        s3 = GCM_LOW(a, 3);
        s4 = GCM_LOW(a, 4);
        s5 = GCM_LOW(a, 5);
        s6 = GCM_LOW(b, 6);
        s7 = GCM_LOW(b, 7);
#undef GCM_LOW
    } else {
#define GCM_START(i) s##i = xor128(k, aesni_counter_swap(aesni_counter_add(counter, i)));
        AESNI_EACH8(GCM_START)
#undef GCM_START
    }
#define GCM_ENC(i) s##i = _mm_aesenc_si128(s##i, k);
#define GCM_ROUND(r)                                                                               \
    k = load(area + 16 * (r));                                                                     \
    AESNI_EACH8(GCM_ENC)
    GCM_ROUND(1)
    if (hashed) {
        GCM_PAIR(ghash_start2, 6, _mm_setzero_si128())
    }
    GCM_ROUND(2)
    GCM_ROUND(3)
    if (hashed) {
        GCM_PAIR(ghash_add2, 4, _mm_setzero_si128())
    }
    GCM_ROUND(4)
    GCM_ROUND(5)
    if (hashed) {
        GCM_PAIR(ghash_add2, 2, _mm_setzero_si128())
    }
    GCM_ROUND(6)
    if (hashed) {
        GCM_PAIR(ghash_add2, 8, acc)
    }
    GCM_ROUND(7)
    GCM_ROUND(8)
    if (hashed) acc = ghash_reduce(&sum);
    GCM_ROUND(9)
    if (rounds > 10) {
        GCM_ROUND(10)
        GCM_ROUND(11)
        if (rounds > 12) {
            GCM_ROUND(12)
            GCM_ROUND(13)
        }
    }
    k = load(area + 16 * rounds);
#define GCM_LAST(i) s##i = _mm_aesenclast_si128(s##i, xor128(k, load(in + 16 * i)));
    AESNI_EACH8(GCM_LAST)
#define GCM_STORE(i) store(out + 16 * i, s##i);
    AESNI_EACH8(GCM_STORE)
#undef GCM_ENC
#undef GCM_ROUND
#undef GCM_LAST
#undef GCM_STORE
    return acc;
}

/* All whole steps of a text of len bytes: absorbs their ciphertext, advances counter, returns how
 * many bytes. */
PLAIT_INLINE size_t gcm_steps(const int seal, const int two, const uint8_t *area, uint32_t rounds,
                              __m128i *acc, __m128i *counter, uint8_t *out, const uint8_t *in,
                              size_t len)
{
    const size_t steps = len / 128;
    __m128i a = *acc, c = *counter;
    size_t n = steps;
    if (n == 0) return 0;
    if (seal) {
        gcm_step(two, area, rounds, out, in, NULL, a, c);
        c = aesni_counter_add(c, 8);
        out += 128;
        in += 128;
        while (--n > 0) {
            a = gcm_step(two, area, rounds, out, in, out - 128, a, c);
            c = aesni_counter_add(c, 8);
            out += 128;
            in += 128;
        }
        a = ghash_absorb(area + GCM_HASH, 8, a, out - 128, 128);
    } else {
        do {
            a = gcm_step(two, area, rounds, out, in, in, a, c);
            c = aesni_counter_add(c, 8);
            out += 128;
            in += 128;
        } while (--n > 0);
    }
    *acc = a;
    *counter = c;
    return 128 * steps;
}

/* gcm_steps with the even form wherever it is worth its preparation; may take a few single blocks
 * as well. */
PLAIT_INLINE size_t gcm_wide(const int seal, const uint8_t *area, uint32_t rounds, __m128i *acc,
                             __m128i *counter, uint8_t *out, const uint8_t *in, size_t len)
{
    const uint32_t first = (uint32_t)_mm_extract_epi32(*counter, 3);
    size_t odd = 16 * ((2 - first) & 7);
    if (odd == 0) return gcm_steps(seal, 1, area, rounds, acc, counter, out, in, len);
    if (len < 1024) return gcm_steps(seal, 0, area, rounds, acc, counter, out, in, len);
    if (!seal) *acc = ghash_absorb(area + GCM_HASH, 8, *acc, in, odd);
    for (size_t i = 0; i < odd; i += 16) {
        aesni_ctr_some(1, area, rounds, out + i, in + i, 16, *counter);
        *counter = aesni_counter_add(*counter, 1);
    }
    if (seal) *acc = ghash_absorb(area + GCM_HASH, 8, *acc, out, odd);
    return odd + gcm_steps(seal, 1, area, rounds, acc, counter, out + odd, in + odd, len - odd);
}

/* ---- the end: up to 8 blocks and the tag ---- */

/* The tag, and the last n blocks of text (n a constant, 0 to 8), of which the last one has last <=
 * 16 bytes. acc: what was hashed before; lengths: the block that ends GHASH, reversed. ad_len bytes
 * at ad, at most 7 - n blocks, come before the text; counter: of the first block here. */
PLAIT_INLINE void gcm_end(const int seal, const int n, const uint8_t *area, uint32_t rounds,
                          uint8_t *out, uint8_t tag[16], __m128i j0, __m128i acc, __m128i counter,
                          const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t last,
                          __m128i lengths)
{
    const uint8_t *hash = area + GCM_HASH;
    __m128i s0, s1, s2, s3, s4, s5, s6, s7, t, k = load(area), x = acc;
    ghash_sum sum;
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = k;
#define GCM_START(i)                                                                               \
    if (i < n) s##i = xor128(k, aesni_counter_swap(aesni_counter_add(counter, i)));
    AESNI_EACH8(GCM_START)
#undef GCM_START
    t = xor128(k, j0);

    /* What of the hash does not wait for AES. */
    sum.lo = sum.mi = sum.hi = _mm_setzero_si128();
    if (n > 0 && n < 8) ghash_start(&sum, hash, 1, lengths);
    if (n == 0) x = xor128(x, lengths);
    for (size_t m = (ad_len + 15) / 16 + n + 1; ad_len > 0; m--) {
        const __m128i y = ad_len >= 16 ? load(ad) : load_part(ad, ad_len);
        ghash_add(&sum, hash, (int)m, reverse(y));
        ad += 16;
        ad_len = ad_len >= 16 ? ad_len - 16 : 0;
    }
    if (!seal) {
#define GCM_HASH_IN(i)                                                                             \
    if (i < n) {                                                                                   \
        const __m128i y =                                                                          \
            i < n - 1 || last == 16 ? load(in + 16 * i) : load_part(in + 16 * i, last);            \
        ghash_add(&sum, hash, n < 8 ? n + 1 - i : n - i,                                           \
                  i == 0 ? xor128(x, reverse(y)) : reverse(y));                                    \
    }
        AESNI_EACH8(GCM_HASH_IN)
#undef GCM_HASH_IN
    }

#define GCM_ENC(i)                                                                                 \
    if (i < n) s##i = _mm_aesenc_si128(s##i, k);
#define GCM_ROUND(r)                                                                               \
    k = load(area + 16 * (r));                                                                     \
    t = _mm_aesenc_si128(t, k);                                                                    \
    AESNI_EACH8(GCM_ENC)
    AESNI_ROUNDS_BETWEEN(rounds, GCM_ROUND)
#undef GCM_ENC
#undef GCM_ROUND
    k = load(area + 16 * rounds);
    t = _mm_aesenclast_si128(t, k);
#define GCM_LAST(i)                                                                                \
    if (i < n) {                                                                                   \
        if (i < n - 1 || last == 16) {                                                             \
            s##i = _mm_aesenclast_si128(s##i, xor128(k, load(in + 16 * i)));                       \
            store(out + 16 * i, s##i);                                                             \
        } else {                                                                                   \
            s##i = _mm_aesenclast_si128(s##i, xor128(k, load_part(in + 16 * i, last)));            \
            store_part(out + 16 * i, s##i, last);                                                  \
            s##i = first_bytes(s##i, last);                                                        \
        }                                                                                          \
        if (seal)                                                                                  \
            ghash_add(&sum, hash, n < 8 ? n + 1 - i : n - i,                                       \
                      i == 0 ? xor128(x, reverse(s##i)) : reverse(s##i));                          \
    }
    AESNI_EACH8(GCM_LAST)
#undef GCM_LAST
    if (n == 0) ghash_add(&sum, hash, 1, x);
    x = ghash_reduce(&sum);
    if (n == 8) x = ghash_mul_h(xor128(x, lengths), ghash_power(hash, 1), load(hash + GHASH_HX));
    store(tag, xor128(t, reverse(x)));
}

PLAIT_INLINE void gcm_message(const int seal, const uint8_t *area, uint8_t *out, uint8_t tag[16],
                              const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                              const uint8_t *in, size_t len)
{
    const uint32_t rounds = aesni_rounds(area);
    const __m128i lengths =
        _mm_set_epi64x((long long)(8 * (uint64_t)ad_len), (long long)(8 * (uint64_t)len));
    const __m128i tag_block = load_halves(j0);
    __m128i counter = aesni_counter_add(aesni_counter_swap(tag_block), 1),
            acc = _mm_setzero_si128();
    size_t n = (len + 15) / 16;
    /* All in one sum if it is at most 8 blocks with the lengths. */
    if (n > 7 || ad_len > 16 * (7 - n)) {
        acc = ghash_absorb(area + GCM_HASH, 8, acc, ad, ad_len);
        ad_len = 0;
    }
    if (len >= 128) {
        const size_t done = gcm_wide(seal, area, rounds, &acc, &counter, out, in, len);
        out += done;
        in += done;
        len -= done;
        n = (len + 15) / 16;
    }
    switch (n) {
#define GCM_CASE(n)                                                                                \
    case n:                                                                                        \
        gcm_end(seal, n, area, rounds, out, tag, tag_block, acc, counter, ad, ad_len, in,          \
                len - 16 * (n - 1), lengths);                                                      \
        break;
        GCM_CASE(0)
        GCM_CASE(1)
        GCM_CASE(2)
        GCM_CASE(3)
        GCM_CASE(4)
        GCM_CASE(5)
        GCM_CASE(6)
        GCM_CASE(7)
        GCM_CASE(8)
#undef GCM_CASE
    default:
        break;
    }
}

static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    gcm_message(1, area, out, tag, j0, ad, ad_len, in, len);
}

static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    gcm_message(0, area, out, tag, j0, ad, ad_len, in, len);
}

/* ---- streams ---- */

static void hash(const uint8_t *area, uint8_t acc[16], const uint8_t *data, size_t len)
{
    store(acc, reverse(ghash_absorb(area + GCM_HASH, 8, reverse(load(acc)), data, len)));
}

static void ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    aesni_ctr32(area, out, in, len, block);
}

/* A piece of text; its end, if not a whole step, is rare enough for doing one thing after the
 * other. */
PLAIT_INLINE void gcm_text(const int seal, const uint8_t *area, uint8_t acc[16],
                           const uint8_t block[16], uint8_t *out, const uint8_t *in, size_t len)
{
    __m128i a = reverse(load(acc)), counter = aesni_counter_swap(load(block));
    uint8_t next[16];
    size_t done = 0;
    if (len >= 128) done = gcm_wide(seal, area, aesni_rounds(area), &a, &counter, out, in, len);
    if (len > done) {
        if (!seal) a = ghash_absorb(area + GCM_HASH, 8, a, in + done, len - done);
        store(next, aesni_counter_swap(counter));
        ctr32(area, out + done, in + done, len - done, next);
        if (seal) a = ghash_absorb(area + GCM_HASH, 8, a, out + done, len - done);
    }
    store(acc, reverse(a));
}

static void text_seal(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    gcm_text(1, area, acc, block, out, in, len);
}

static void text_open(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    gcm_text(0, area, acc, block, out, in, len);
}

#define GCM_FUNCTIONS                                                                              \
    .width = 8, .fn.aes_gcm = {.init = init,                                                       \
                               .seal = seal,                                                       \
                               .open = open,                                                       \
                               .text_seal = text_seal,                                             \
                               .text_open = text_open,                                             \
                               .hash = hash,                                                       \
                               .ctr32 = ctr32}
