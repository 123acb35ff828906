/* SPDX-License-Identifier: Apache-2.0
 *
 * v256_body.h - vocabulary of the AES and GHASH kernels on wide vectors, for 256 bits: two blocks
 * to a vector, block i in lane i. v512_body.h has the same names for four. To be included inside a
 * target region with AVX2.
 */
#include "x128_body.h"

typedef __m256i vec;
enum { LANES = 2, VEC = 32 /* bytes */ };

#define VBROADCAST "vbroadcasti128" /* a load of 16 bytes into all lanes, for asm */
#define VREG       "x"              /* constraint of its target */

PLAIT_INLINE vec vload(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

PLAIT_INLINE void vstore(void *p, vec x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}

PLAIT_INLINE vec vzero(void)
{
    return _mm256_setzero_si256();
}

PLAIT_INLINE vec vxor(vec a, vec b)
{
    return _mm256_xor_si256(a, b);
}

PLAIT_INLINE vec vxor3(vec a, vec b, vec c)
{
    return vxor(vxor(b, c), a);
}

PLAIT_INLINE vec vadd32(vec a, vec b)
{
    return _mm256_add_epi32(a, b);
}

#define vclmul(a, b, halves) _mm256_clmulepi64_epi128(a, b, halves)

PLAIT_INLINE vec vaes(vec s, vec k)
{
    return _mm256_aesenc_epi128(s, k);
}

PLAIT_INLINE vec vaes_last(vec s, vec k)
{
    return _mm256_aesenclast_epi128(s, k);
}

/* ---- lanes ---- */

/* The 16 bytes at p in all lanes: a load, which costs no vector slot. */
PLAIT_INLINE vec vall(const void *p)
{
    return _mm256_broadcastsi128_si256(load(p));
}

PLAIT_INLINE vec vall_of(__m128i x)
{
    return _mm256_broadcastsi128_si256(x);
}

/* Two words in all lanes. */
PLAIT_INLINE vec vall_words(uint64_t lo, uint64_t hi)
{
    return vall_of(_mm_set_epi64x((long long)hi, (long long)lo));
}

/* Lane 0 in all lanes. */
PLAIT_INLINE vec vall_lane0(vec x)
{
    return vall_of(_mm256_castsi256_si128(x));
}

/* x in lane 0, zeros above. */
PLAIT_INLINE vec vlane0(__m128i x)
{
    return _mm256_zextsi128_si256(x);
}

/* The powers of one vector, the highest first. */
PLAIT_INLINE vec vpowers(__m128i p1, __m128i p2, __m128i p3, __m128i p4)
{
    (void)p3, (void)p4;
    return _mm256_inserti128_si256(_mm256_castsi128_si256(p2), p1, 1);
}

/* The xor of all lanes. */
PLAIT_INLINE __m128i vfold(vec x)
{
    return xor128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

/* All ones in one lane. */
PLAIT_INLINE vec vlane_mask(unsigned lane)
{
    static const uint64_t masks[6] = {0, 0, ~UINT64_C(0), ~UINT64_C(0), 0, 0};
    return vload(masks + 2 - 2 * lane);
}

/* x with one lane taken from y; with all from one on, where bits has ones from its two bits on. */
PLAIT_INLINE vec vpick_lane(vec x, unsigned lane, vec y)
{
    return _mm256_blendv_epi8(x, y, vlane_mask(lane));
}

PLAIT_INLINE vec vpick_from(vec x, uint32_t bits, vec y)
{
    return bits & 1 ? y : bits & 4 ? _mm256_blend_epi32(x, y, 0xf0) : x;
}

/* The xor of all lanes of x and one of y, which may come last. */
PLAIT_INLINE __m128i vfold_lane(vec x, unsigned lane, vec y)
{
    return vfold(vxor(x, _mm256_and_si256(vlane_mask(lane), y)));
}

/* x in one lane, zeros in the others. */
PLAIT_INLINE vec vone_lane(unsigned lane, __m128i x)
{
    return _mm256_and_si256(vlane_mask(lane), vall_of(x));
}

/* ---- words and bytes in their lanes ---- */

#define VREVERSE                                                                                   \
    _mm256_set_epi32(0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607,       \
                     0x08090a0b, 0x0c0d0e0f)
#define VSWAP                                                                                      \
    _mm256_set_epi32(0x0c0d0e0f, 0x0b0a0908, 0x07060504, 0x03020100, 0x0c0d0e0f, 0x0b0a0908,       \
                     0x07060504, 0x03020100)

/* All bytes in reverse order; those of the last word. */
PLAIT_INLINE vec vreverse(vec x)
{
    return _mm256_shuffle_epi8(x, VREVERSE);
}

PLAIT_INLINE vec vswap_last(vec x)
{
    return _mm256_shuffle_epi8(x, VSWAP);
}

/* The two halves exchanged. */
PLAIT_INLINE vec vexchange(vec x)
{
    return _mm256_shuffle_epi32(x, 0x4e);
}

/* The same two words in all lanes: a constant. */
#define VCONST(hi, lo) _mm256_set_epi64x(hi, lo, hi, lo)

/* In the last word of lane i (n + i by) << at; all arguments are constants. */
PLAIT_INLINE vec vcount(const int n, const int by, const int at)
{
#define PLAIT_WORD(i) (int)((uint32_t)(n + (i)*by) << at)
    return _mm256_set_epi32(PLAIT_WORD(1), 0, 0, 0, PLAIT_WORD(0), 0, 0, 0);
#undef PLAIT_WORD
}

/* n in the last word of all lanes. */
PLAIT_INLINE vec vlast_word(uint32_t n)
{
    return _mm256_blend_epi32(vzero(), _mm256_set1_epi32((int)n), 0x88);
}

/* ---- 0 < len <= VEC bytes; nothing beside them is touched ---- */

PLAIT_INLINE vec vload_part(const uint8_t *p, size_t len)
{
    if (len == 32) return vload(p);
    if (len > 16)
        return _mm256_inserti128_si256(_mm256_castsi128_si256(load(p)), load_part(p + 16, len - 16),
                                       1);
    return vlane0(len == 16 ? load(p) : load_part(p, len));
}

PLAIT_INLINE void vstore_part(uint8_t *p, vec x, size_t len)
{
    const __m128i lo = _mm256_castsi256_si128(x), hi = _mm256_extracti128_si256(x, 1);
    if (len == 32) {
        vstore(p, x);
    } else if (len > 16) {
        store(p, lo);
        store_part(p + 16, hi, len - 16);
    } else if (len == 16) {
        store(p, lo);
    } else {
        store_part(p, lo, len);
    }
}

/* x with zeros after the first len bytes. */
PLAIT_INLINE vec vkeep(vec x, size_t len)
{
    static const uint64_t ones_zeros[8] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    return _mm256_and_si256(x, vload((const uint8_t *)ones_zeros + 32 - len));
}

#include "vec_body.h"
