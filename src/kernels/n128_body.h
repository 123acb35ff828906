/* SPDX-License-Identifier: Apache-2.0
 *
 * n128_body.h - vocabulary of the kernels on 128-bit AArch64 vectors: loads, stores, partial
 * blocks.
 */
#ifndef PLAIT_N128_BODY_H
#define PLAIT_N128_BODY_H

#include "part_body.h"

typedef uint8x16_t v128;

/* The 32-bit words moved up by n places, zeros below; word i in all places. */
#define up_words(x, n)  vextq_u8(vdupq_n_u8(0), x, 16 - 4 * (n))
#define all_words(x, i) vreinterpretq_u8_u32(vdupq_laneq_u32(vreinterpretq_u32_u8(x), i))

PLAIT_INLINE v128 load(const void *p)
{
    return vld1q_u8((const uint8_t *)p);
}

PLAIT_INLINE void store(void *p, v128 x)
{
    vst1q_u8((uint8_t *)p, x);
}

/* The 8 bytes at p in the low half, zeros above. */
PLAIT_INLINE v128 load_low(const void *p)
{
    return vcombine_u8(vld1_u8((const uint8_t *)p), vdup_n_u8(0));
}

PLAIT_INLINE void store_low(void *p, v128 x)
{
    vst1_u8((uint8_t *)p, vget_low_u8(x));
}

PLAIT_INLINE v128 words128(uint64_t lo, uint64_t hi)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(lo), vcreate_u64(hi)));
}

PLAIT_INLINE v128 xor128(v128 a, v128 b)
{
    return veorq_u8(a, b);
}

PLAIT_INLINE v128 zero128(void)
{
    return vdupq_n_u8(0);
}

/* The halves exchanged. */
PLAIT_INLINE v128 swap_halves(v128 x)
{
    return vextq_u8(x, x, 8);
}

/* The low halves of both; the high ones. */
PLAIT_INLINE v128 low_halves(v128 a, v128 b)
{
    return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

PLAIT_INLINE v128 high_halves(v128 a, v128 b)
{
    return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

/* Byte i of the result is byte index[i] of table, or 0 if index[i] is 16 or more. */
PLAIT_INLINE v128 look_up(v128 table, v128 index)
{
    return vqtbl1q_u8(table, index);
}

PLAIT_INLINE v128 all_bytes(uint8_t x)
{
    return vdupq_n_u8(x);
}

PLAIT_INLINE v128 equal_words(uint32_t x)
{
    return vreinterpretq_u8_u32(vdupq_n_u32(x));
}

PLAIT_INLINE v128 low_nibbles(v128 x)
{
    return vandq_u8(x, vdupq_n_u8(15));
}

PLAIT_INLINE v128 high_nibbles(v128 x)
{
    return vshrq_n_u8(x, 4);
}

/* What compilers may not look through on x86; here they may. */
PLAIT_INLINE v128 opaque128(v128 x)
{
    return x;
}

/* Counter blocks are kept with their words in the CPU's order (`counter_swap`, its own inverse), so
 * that a 32-bit lane add counts and wraps alone. */
PLAIT_INLINE v128 counter_swap(v128 block)
{
    return vrev32q_u8(block);
}

PLAIT_INLINE v128 counter_add(v128 counter, uint32_t n)
{
    const uint32x4_t step = vsetq_lane_u32(n, vdupq_n_u32(0), 3);
    return vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(counter), step));
}

/* The len bytes at p, 0 < len < 16, with zeros above. */
PLAIT_INLINE v128 load_part(const uint8_t *p, size_t len)
{
    uint64_t lo, hi;
    load_part_words(p, len, &lo, &hi);
    return words128(lo, hi);
}

/* Writes the first len bytes of x, 0 < len < 16, to p. */
PLAIT_INLINE void store_part(uint8_t *p, v128 x, size_t len)
{
    store_part_words(p, len, vgetq_lane_u64(vreinterpretq_u64_u8(x), 0),
                     vgetq_lane_u64(vreinterpretq_u64_u8(x), 1));
}

/* Zeros all but the first len <= 16 bytes of x. */
PLAIT_INLINE v128 first_bytes(v128 x, size_t len)
{
    static const uint8_t mask[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255};
    return vandq_u8(x, load(mask + 16 - len));
}

#endif
