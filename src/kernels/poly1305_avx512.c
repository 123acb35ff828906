/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_avx512: Poly1305 with 512-bit vpmuludq: 4 blocks in a vector, up to 8 vectors to a
 * carry. For x86-64 CPUs with AVX-512 but no IFMA (Skylake-X, Cascade Lake). The mathematics is in
 * poly1305_words_body.h; short messages are done in scalar (poly1305_mulx_body.h).
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,bmi2")

#include "poly1305_mulx_body.h"

#define V         __m512i
#define V_REG     "v"
#define LANES     8
#define WIDE_TWOS 0x33
/* By measurement on Golden Cove. */
#define WIDE_FROM      40
#define WIDE_TWO_FROM  60
#define WIDE_FOUR_FROM 240
PLAIT_INLINE V v_load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}
/* The high halves of the 64-bit lanes in memory, moved down: as free as a load, and GCC would load
 * once and move in a register, on a port that has enough to do. */
PLAIT_INLINE V v_load_high(const uint8_t *p)
{
    V x;
    __asm__("vmovshdup %1, %0" : "=v"(x) : "m"(*(const uint8_t(*)[64])p));
    return x;
}
PLAIT_INLINE V v_set1(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}
PLAIT_INLINE V v_zero(void)
{
    return _mm512_setzero_si512();
}
PLAIT_INLINE V v_add(V a, V b)
{
    return _mm512_add_epi64(a, b);
}
PLAIT_INLINE V v_mul(V a, V b)
{
    return _mm512_mul_epu32(a, b);
}
PLAIT_INLINE V v_and(V a, V b)
{
    return _mm512_and_si512(a, b);
}
#define v_shl(a, n)         _mm512_slli_epi64(a, n)
#define v_shr(a, n)         _mm512_srli_epi64(a, n)
#define v_unpack_low(a, b)  _mm512_unpacklo_epi64(a, b)
#define v_unpack_high(a, b) _mm512_unpackhi_epi64(a, b)
/* a, but b in the lanes of the set */
#define v_blend(a, b, lanes) _mm512_mask_mov_epi64(a, lanes, b)
PLAIT_INLINE V v_first_lane(V a)
{
    return _mm512_broadcastq_epi64(_mm512_castsi512_si128(a));
}
PLAIT_INLINE V v_only_first(V a)
{
    return _mm512_maskz_mov_epi64(1, a);
}
PLAIT_INLINE uint64_t v_sum(V a)
{
    const __m256i b = _mm256_add_epi64(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    const __m128i c = _mm_add_epi64(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(c, _mm_unpackhi_epi64(c, c)));
}
PLAIT_INLINE void v_store(void *p, V x)
{
    _mm512_store_si512(p, x);
}
PLAIT_INLINE void v_end(void)
{
    _mm256_zeroupper();
}

#include "poly1305_words_body.h"

PLAIT_TARGET_END

const plait_kernel plait_poly1305_avx512 = {
    PLAIT_KERNEL_ID(poly1305, avx512), PLAIT_NEEDS(avx512, bmi2), .avoids = PLAIT_CPU_slow_512,
    .spills = 256, .width = 32,
    .fn.poly1305 = {.blocks = blocks, .final = poly1305_final, .mac = mac}};
#else
const plait_kernel plait_poly1305_avx512 = {
    PLAIT_KERNEL_ID(poly1305, avx512), PLAIT_NOT_BUILT(avx512, bmi2), .avoids = PLAIT_CPU_slow_512};
#endif
