/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_neon_aes_body.h - AES with the AArch64 AES instructions: key expansion, and CTR with up to 8
 * blocks in flight. Included inside a target region PLAIT_TARGET_NEON_AES or more.
 *
 * AESE adds the round key, then does SubBytes and ShiftRows; AESMC behind it on the same register
 * is one operation with it on most cores, so the two are one piece of text here. The last round key
 * is a plain xor, of which the one half can be done beforehand with the text.
 *
 * The area: round keys 0 to 14, 16 bytes each, in wire order; at AES_ROUNDS the number of rounds,
 * 10, 12 or 14, as one 32-bit word. All 256 bytes.
 */
#include "n128_body.h"

enum { AES_ROUNDS = 240 };

PLAIT_INLINE uint32_t aes_rounds(const uint8_t *area)
{
    return plait_load32_le(area + AES_ROUNDS);
}

PLAIT_INLINE v128 aes_round(v128 s, v128 k)
{
    __asm__("aese %0.16b, %1.16b\n\taesmc %0.16b, %0.16b" : "+w"(s) : "w"(k));
    return s;
}

PLAIT_INLINE v128 aes_last_round(v128 s, v128 k)
{
    __asm__("aese %0.16b, %1.16b" : "+w"(s) : "w"(k));
    return s;
}

/* ---- key expansion: with the same word in all four columns ShiftRows changes nothing ---- */

PLAIT_INLINE v128 aes_sub(v128 w)
{
    return aes_last_round(all_words(w, 3), zero128());
}

PLAIT_INLINE v128 aes_rot_sub(v128 w, int rcon)
{
    const uint32x4_t x = vreinterpretq_u32_u8(aes_sub(w));
    const uint32x4_t y = vsliq_n_u32(vshrq_n_u32(x, 8), x, 24);
    return vreinterpretq_u8_u32(veorq_u32(y, vdupq_n_u32((uint32_t)rcon)));
}

#include "aes_expand_body.h"

PLAIT_INLINE uint32_t aes_init(uint8_t *area, const uint8_t *raw, size_t raw_len)
{
    const uint32_t rounds = aes_expand(area, raw, raw_len);
    plait_store32_le(area + AES_ROUNDS, rounds);
    return rounds;
}

/* ---- CTR ---- */

#define AES_EACH8(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)

/* clang-format off */
/* F(round) for all rounds but the last: 9, 11 or 13 of them. */
#define AES_ROUNDS_BUT_LAST(rounds, F)                                                             \
    F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8)                                                   \
    if ((rounds) > 10) {                                                                           \
        F(9) F(10)                                                                                 \
        if ((rounds) > 12) {                                                                       \
            F(11) F(12)                                                                            \
        }                                                                                          \
    }
/* clang-format on */

PLAIT_INLINE v128 aes_encrypt(const uint8_t *area, uint32_t rounds, v128 s)
{
#define PLAIT_ROUND(r) s = aes_round(s, load(area + 16 * (r)));
    AES_ROUNDS_BUT_LAST(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
    s = aes_last_round(s, load(area + 16 * rounds - 16));
    return xor128(s, load(area + 16 * rounds));
}

/* out = in xor keystream for n blocks, 1 <= n <= 8 and a constant, of which the last one has last
 * <= 16 bytes. */
PLAIT_INLINE void aes_ctr_some(const int n, const uint8_t *area, uint32_t rounds, uint8_t *out,
                               const uint8_t *in, size_t last, v128 counter)
{
    v128 s0, s1, s2, s3, s4, s5, s6, s7, k, end;
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = counter_swap(counter);
#define PLAIT_START(i)                                                                             \
    if (0 < i && i < n) s##i = counter_swap(counter_add(counter, i));
    AES_EACH8(PLAIT_START)
#undef PLAIT_START
#define PLAIT_ENC(i)                                                                               \
    if (i < n) s##i = aes_round(s##i, k);
#define PLAIT_ROUND(r)                                                                             \
    k = load(area + 16 * (r));                                                                     \
    AES_EACH8(PLAIT_ENC)
    AES_ROUNDS_BUT_LAST(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
#undef PLAIT_ENC
    k = load(area + 16 * rounds - 16);
    end = load(area + 16 * rounds);
#define PLAIT_LAST(i)                                                                              \
    if (i < n - 1)                                                                                 \
        store(out + 16 * i, xor128(aes_last_round(s##i, k), xor128(end, load(in + 16 * i))));      \
    if (i == n - 1) s0 = aes_last_round(s##i, k);
    AES_EACH8(PLAIT_LAST)
#undef PLAIT_LAST
    out += 16 * (n - 1);
    in += 16 * (n - 1);
    if (last == 16)
        store(out, xor128(s0, xor128(end, load(in))));
    else
        store_part(out, xor128(s0, xor128(end, load_part(in, last))), last);
}

/* The same for any number of blocks up to 8; len bytes. */
PLAIT_NOINLINE static void aes_ctr_rest(const uint8_t *area, uint8_t *out, const uint8_t *in,
                                        size_t len, v128 counter)
{
    const uint32_t rounds = aes_rounds(area);
    switch ((len + 15) / 16) {
#define PLAIT_CASE(n)                                                                              \
    case n:                                                                                        \
        aes_ctr_some(n, area, rounds, out, in, len - 16 * (n - 1), counter);                       \
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

/* ctr32 of plait_aes_fns. */
PLAIT_INLINE void aes_ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                            const uint8_t block[16])
{
    const uint32_t rounds = aes_rounds(area);
    v128 counter;
    if (len == 0) return;
    counter = counter_swap(load(block));
    for (; len > 128; len -= 128, in += 128, out += 128) {
        aes_ctr_some(8, area, rounds, out, in, 16, counter);
        counter = counter_add(counter, 8);
    }
    aes_ctr_rest(area, out, in, len, counter);
}
