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
 * AESKEYGENASSIST is microcode on Intel's cores (12 cycles each since Nehalem). AESENCLAST makes
 * the same word: with it in all four columns ShiftRows changes nothing, and what remains is
 * SubBytes and the xor of rcon. The chain per round key is a byte shuffle, AESENCLAST and a xor: 5
 * cycles since Ice Lake. */

PLAIT_INLINE __m128i aes_rot_sub(__m128i w, int rcon)
{
    const __m128i last_rotated = _mm_set1_epi32(0x0c0f0e0d);
    return _mm_aesenclast_si128(_mm_shuffle_epi8(w, last_rotated), _mm_set1_epi32(rcon));
}

PLAIT_INLINE __m128i aes_sub(__m128i w)
{
    return _mm_aesenclast_si128(_mm_shuffle_epi32(w, 0xff), _mm_setzero_si128());
}

#include "aes_expand_body.h"

PLAIT_INLINE uint32_t aesni_expand(uint8_t *area, const uint8_t *raw, size_t raw_len)
{
    const uint32_t rounds = aes_expand(area, raw, raw_len);
    plait_store32_le(area + AESNI_ROUNDS, rounds);
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
