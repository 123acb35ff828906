/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_avx2: Poly1305 with 256-bit vpmuludq: 2 blocks in a vector, up to 8 vectors to a carry.
 * For x86-64 CPUs from Haswell and Zen on that have no AVX-512. The mathematics is in
 * poly1305_words_body.h; short messages are done in scalar (poly1305_mulx_body.h).
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx2,bmi2")

#include "poly1305_mulx_body.h"

#define V         __m256i
#define V_REG     "x"
#define LANES     4
#define WIDE_TWOS 0x3
/* By measurement on Golden Cove. */
#define WIDE_FROM      44
#define WIDE_TWO_FROM  44
#define WIDE_FOUR_FROM 160
PLAIT_INLINE V v_load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
/* The high halves of the 64-bit lanes in memory, moved down: as free as a load, and GCC would load
 * once and move in a register, on a port that has enough to do. */
PLAIT_INLINE V v_load_high(const uint8_t *p)
{
    V x;
    __asm__("vmovshdup %1, %0" : "=x"(x) : "m"(*(const uint8_t(*)[32])p));
    return x;
}
PLAIT_INLINE V v_set1(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}
PLAIT_INLINE V v_zero(void)
{
    return _mm256_setzero_si256();
}
PLAIT_INLINE V v_add(V a, V b)
{
    return _mm256_add_epi64(a, b);
}
PLAIT_INLINE V v_mul(V a, V b)
{
    return _mm256_mul_epu32(a, b);
}
PLAIT_INLINE V v_and(V a, V b)
{
    return _mm256_and_si256(a, b);
}
#define v_shl(a, n)         _mm256_slli_epi64(a, n)
#define v_shr(a, n)         _mm256_srli_epi64(a, n)
#define v_unpack_low(a, b)  _mm256_unpacklo_epi64(a, b)
#define v_unpack_high(a, b) _mm256_unpackhi_epi64(a, b)
/* a, but b in the lanes of the set */
#define v_blend(a, b, lanes)                                                                       \
    _mm256_blend_epi32(a, b,                                                                       \
                       ((lanes)&1) * 3 | ((lanes) >> 1 & 1) * 12 | ((lanes) >> 2 & 1) * 48 |       \
                           ((lanes) >> 3 & 1) * 192)
PLAIT_INLINE V v_first_lane(V a)
{
    return _mm256_broadcastq_epi64(_mm256_castsi256_si128(a));
}
PLAIT_INLINE V v_only_first(V a)
{
    return _mm256_blend_epi32(v_zero(), a, 3);
}
PLAIT_INLINE uint64_t v_sum(V a)
{
    const __m128i b = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(b, _mm_unpackhi_epi64(b, b)));
}
PLAIT_INLINE void v_store(void *p, V x)
{
    _mm256_store_si256((V *)p, x);
}
PLAIT_INLINE void v_end(void)
{
    _mm256_zeroupper();
}

#include "poly1305_words_body.h"

PLAIT_TARGET_END

const plait_kernel plait_poly1305_avx2 = {
    PLAIT_KERNEL_ID(poly1305, avx2), PLAIT_NEEDS(avx2, bmi2), .spills = 256, .width = 16,
    .fn.poly1305 = {.blocks = blocks, .final = poly1305_final, .mac = mac}};
#else
const plait_kernel plait_poly1305_avx2 = {PLAIT_KERNEL_ID(poly1305, avx2),
                                          PLAIT_NOT_BUILT(avx2, bmi2)};
#endif
