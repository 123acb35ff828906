/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_aesni_body.h - AES with the x86 AES instructions: key expansion, and CTR with up to 8 blocks
 * in flight. Included inside a target region with aes and sse4.1 (or avx) by the kernels that use
 * it.
 *
 * The area: round keys 0 to 14, 16 bytes each, in wire order; at AESNI_ROUNDS the number of rounds,
 * 10, 12 or 14, as one 32-bit word. All 256 bytes.
 */
#include "x128_body.h"

enum { AESNI_ROUNDS = 240 };

PLAIT_INLINE uint32_t aesni_rounds(const uint8_t *area)
{
    return plait_load32_le(area + AESNI_ROUNDS);
}

/* ---- key expansion ----
 *
 * FIPS 197, 5.2, by columns w[i]: w[i] = w[i - n] ^ w[i - 1], where each n-th w[i - 1] passes
 * through SubWord(RotWord()) ^ rcon first, n = 4, 6, 8 words of key. So the four columns of the
 * next round key are the running xors of the last one's (`prefix`), each xored with the same word
 * t. AESKEYGENASSIST makes t, but is microcode on Intel's cores (12 cycles each since Nehalem).
 * AESENCLAST makes it as well: with t's argument in all four columns, ShiftRows changes nothing,
 * what remains is SubBytes and the xor of rcon. The chain per round key is then a byte shuffle,
 * AESENCLAST and one xor, since `prefix` waits for nothing: 5 cycles on Intel since Ice Lake. */

/* w0, w0^w1, w0^w1^w2, w0^w1^w2^w3 */
PLAIT_INLINE __m128i aesni_prefix(__m128i w)
{
    w = xor128(w, _mm_slli_si128(w, 4));
    return xor128(w, _mm_slli_si128(w, 8));
}

/* SubWord(RotWord(last word of w)) ^ rcon in all four words */
PLAIT_INLINE __m128i aesni_rot_sub(__m128i w, int rcon)
{
    const __m128i last_rotated = _mm_set1_epi32(0x0c0f0e0d);
    return _mm_aesenclast_si128(_mm_shuffle_epi8(w, last_rotated), _mm_set1_epi32(rcon));
}

/* Expands raw into area. If zero is not NULL, *zero becomes the encryption of the all-zero block,
 * which follows the round keys as they appear (GHASH's H). raw may lie anywhere, also inside of
 * area's first bytes. */
PLAIT_INLINE uint32_t aesni_expand(uint8_t *area, const uint8_t *raw, size_t raw_len, __m128i *zero)
{
    const uint32_t rounds = (uint32_t)raw_len / 4 + 6;
    __m128i e = load(raw), w = e, v;

    if (raw_len == 16) {
        store(area, w);
#define PLAIT_STEP(i, rcon, enc)                                                                   \
    w = xor128(aesni_prefix(w), aesni_rot_sub(w, rcon));                                           \
    store(area + 16 * (i), w);                                                                     \
    e = enc(e, w);
        PLAIT_STEP(1, 0x01, _mm_aesenc_si128)
        PLAIT_STEP(2, 0x02, _mm_aesenc_si128)
        PLAIT_STEP(3, 0x04, _mm_aesenc_si128)
        PLAIT_STEP(4, 0x08, _mm_aesenc_si128)
        PLAIT_STEP(5, 0x10, _mm_aesenc_si128)
        PLAIT_STEP(6, 0x20, _mm_aesenc_si128)
        PLAIT_STEP(7, 0x40, _mm_aesenc_si128)
        PLAIT_STEP(8, 0x80, _mm_aesenc_si128)
        PLAIT_STEP(9, 0x1b, _mm_aesenc_si128)
        PLAIT_STEP(10, 0x36, _mm_aesenclast_si128)
#undef PLAIT_STEP
    } else if (raw_len == 32) {
        v = load(raw + 16);
        store(area, w);
        store(area + 16, v);
        e = _mm_aesenc_si128(e, v);
        /* w: even round keys, v: odd ones, whose t is SubWord alone. */
#define PLAIT_STEP_EVEN(i, rcon, enc)                                                              \
    w = xor128(aesni_prefix(w), aesni_rot_sub(v, rcon));                                           \
    store(area + 16 * (i), w);                                                                     \
    e = enc(e, w);
#define PLAIT_STEP_ODD(i)                                                                          \
    v = xor128(aesni_prefix(v),                                                                    \
               _mm_aesenclast_si128(_mm_shuffle_epi32(w, 0xff), _mm_setzero_si128()));             \
    store(area + 16 * (i), v);                                                                     \
    e = _mm_aesenc_si128(e, v);
        PLAIT_STEP_EVEN(2, 0x01, _mm_aesenc_si128)
        PLAIT_STEP_ODD(3)
        PLAIT_STEP_EVEN(4, 0x02, _mm_aesenc_si128)
        PLAIT_STEP_ODD(5)
        PLAIT_STEP_EVEN(6, 0x04, _mm_aesenc_si128)
        PLAIT_STEP_ODD(7)
        PLAIT_STEP_EVEN(8, 0x08, _mm_aesenc_si128)
        PLAIT_STEP_ODD(9)
        PLAIT_STEP_EVEN(10, 0x10, _mm_aesenc_si128)
        PLAIT_STEP_ODD(11)
        PLAIT_STEP_EVEN(12, 0x20, _mm_aesenc_si128)
        PLAIT_STEP_ODD(13)
        PLAIT_STEP_EVEN(14, 0x40, _mm_aesenclast_si128)
#undef PLAIT_STEP_EVEN
#undef PLAIT_STEP_ODD
    } else {
        /* Six words a step, w: four of them, v: two, written behind one another: round keys do not
         * start where steps do. */
        v = load_low(raw + 16);
        store(area, w);
        store_low(area + 16, v);
#define PLAIT_STEP(i, rcon)                                                                        \
    w = xor128(aesni_prefix(w), aesni_rot_sub(_mm_shuffle_epi32(v, 0x55), rcon));                  \
    v = xor128(xor128(v, _mm_slli_si128(v, 4)), _mm_shuffle_epi32(w, 0xff));                       \
    store(area + 24 * (i), w);
        PLAIT_STEP(1, 0x01)
        store_low(area + 40, v);
        PLAIT_STEP(2, 0x02)
        store_low(area + 64, v);
        PLAIT_STEP(3, 0x04)
        store_low(area + 88, v);
        PLAIT_STEP(4, 0x08)
        store_low(area + 112, v);
        PLAIT_STEP(5, 0x10)
        store_low(area + 136, v);
        PLAIT_STEP(6, 0x20)
        store_low(area + 160, v);
        PLAIT_STEP(7, 0x40)
        store_low(area + 184, v);
        PLAIT_STEP(8, 0x80)
#undef PLAIT_STEP
        if (zero) {
            for (int i = 1; i < 12; i++) e = _mm_aesenc_si128(e, load(area + 16 * i));
            e = _mm_aesenclast_si128(e, load(area + 192));
        }
    }
    plait_store32_le(area + AESNI_ROUNDS, rounds);
    if (zero) *zero = e;
    return rounds;
}

/* ---- CTR ---- */

/* Counter blocks are kept with the last word in the CPU's order (`aesni_counter_swap`, its own
 * inverse), so that a 32-bit lane add counts and wraps alone. */
PLAIT_INLINE __m128i aesni_counter_swap(__m128i block)
{
    return _mm_shuffle_epi8(block,
                            _mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

PLAIT_INLINE __m128i aesni_counter_add(__m128i counter, int n)
{
    return _mm_add_epi32(counter, _mm_set_epi32(n, 0, 0, 0));
}

#define AESNI_EACH8(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)

/* All rounds but the first xor and the last, F(round) for each: 9, 11 or 13 of them. */
#define AESNI_ROUNDS_BETWEEN(rounds, F)                                                            \
    F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) if ((rounds) > 10)                                \
    {                                                                                              \
        F(10) F(11) if ((rounds) > 12)                                                             \
        {                                                                                          \
            F(12) F(13)                                                                            \
        }                                                                                          \
    }

/* out = in xor keystream for n blocks, 1 <= n <= 8 and a constant, of which the last one has last
 * <= 16 bytes. */
PLAIT_INLINE void aesni_ctr_some(const int n, const uint8_t *area, uint32_t rounds, uint8_t *out,
                                 const uint8_t *in, size_t last, __m128i counter)
{
    __m128i s0, s1, s2, s3, s4, s5, s6, s7, k = load(area);
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = k;
#define PLAIT_START(i)                                                                             \
    if (i < n) s##i = xor128(k, aesni_counter_swap(aesni_counter_add(counter, i)));
    AESNI_EACH8(PLAIT_START)
#undef PLAIT_START
#define PLAIT_ENC(i)                                                                               \
    if (i < n) s##i = _mm_aesenc_si128(s##i, k);
#define PLAIT_ROUND(r)                                                                             \
    k = load(area + 16 * (r));                                                                     \
    AESNI_EACH8(PLAIT_ENC)
    AESNI_ROUNDS_BETWEEN(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
#undef PLAIT_ENC
    k = load(area + 16 * rounds);
    /* aesenclast(s, k) ^ text = aesenclast(s, k ^ text): the xor is not on the way of the
     * keystream. */
#define PLAIT_LAST(i)                                                                              \
    if (i < n - 1) store(out + 16 * i, _mm_aesenclast_si128(s##i, xor128(k, load(in + 16 * i))));  \
    if (i == n - 1) s0 = s##i;
    AESNI_EACH8(PLAIT_LAST)
#undef PLAIT_LAST
    out += 16 * (n - 1);
    in += 16 * (n - 1);
    if (last == 16)
        store(out, _mm_aesenclast_si128(s0, xor128(k, load(in))));
    else
        store_part(out, _mm_aesenclast_si128(s0, xor128(k, load_part(in, last))), last);
}

/* ctr32 of plait_aes_fns. */
PLAIT_INLINE void aesni_ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                              const uint8_t block[16])
{
    const uint32_t rounds = aesni_rounds(area);
    __m128i counter = aesni_counter_swap(load(block));
    while (len > 128) {
        aesni_ctr_some(8, area, rounds, out, in, 16, counter);
        counter = aesni_counter_add(counter, 8);
        out += 128;
        in += 128;
        len -= 128;
    }
    switch ((len + 15) / 16) {
#define PLAIT_CASE(n)                                                                              \
    case n:                                                                                        \
        aesni_ctr_some(n, area, rounds, out, in, len - 16 * (n - 1), counter);                     \
        break;
        PLAIT_CASE(1)
        PLAIT_CASE(2)
        PLAIT_CASE(3)
        PLAIT_CASE(4)
        PLAIT_CASE(5)
        PLAIT_CASE(6)
        PLAIT_CASE(7)
        PLAIT_CASE(8)
#undef PLAIT_CASE
    default:
        break;
    }
}
