/* SPDX-License-Identifier: Apache-2.0
 *
 * The row layout of chacha20_row_body.h in 256-bit vectors, 2 blocks to a group, for AVX2. The
 * including file defines ROT16 and ROT8 (see chacha20_x86_body.h) and ROW_MAX.
 */
PLAIT_INLINE __m256i add(__m256i x, __m256i y)
{
    return _mm256_add_epi32(x, y);
}
PLAIT_INLINE __m256i xor(__m256i x, __m256i y)
{
    return _mm256_xor_si256(x, y);
}
PLAIT_INLINE __m256i load256(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}
PLAIT_INLINE void store256(void *p, __m256i x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}
/* Rotations of 32-bit words: by two shifts, and where it is by whole bytes by one shuffle. */
/* The empty asm keeps Clang from seeing a rotation, which it would make a byte shuffle where it
 * can. */
PLAIT_INLINE __m256i shifted256(__m256i x, int n)
{
    __m256i right = _mm256_srli_epi32(x, 32 - n);
    __asm__("" : "+x"(right));
    return _mm256_or_si256(_mm256_slli_epi32(x, n), right);
}
/* And here from seeing the order, which it would make two shuffles of halves, or move through the
 * next xor. */
PLAIT_INLINE __m256i shuffled256(__m256i x, __m128i order)
{
    __m256i orders = _mm256_broadcastsi128_si256(order);
#ifdef __clang__
    __asm__("" : "+x"(orders));
#endif
    return _mm256_shuffle_epi8(x, orders);
}
#undef SHIFTED
#define SHIFTED(x, n) shifted256(x, n)
#undef SHUFFLED16
#undef SHUFFLED8
#define SHUFFLED16(x) shuffled256(x, _mm_setr_epi8(BYTES16))
#define SHUFFLED8(x) shuffled256(x, _mm_setr_epi8(BYTES8))

/* Rows of blocks 0 and 1 become the first and second half of block 0, then of block 1. */
PLAIT_INLINE void order256(__m256i *a, __m256i *b, __m256i *c, __m256i *d)
{
    const __m256i ab0 = _mm256_permute2x128_si256(*a, *b, 0x20);
    const __m256i cd0 = _mm256_permute2x128_si256(*c, *d, 0x20);
    const __m256i ab1 = _mm256_permute2x128_si256(*a, *b, 0x31);
    const __m256i cd1 = _mm256_permute2x128_si256(*c, *d, 0x31);
    *a = ab0;
    *b = cd0;
    *c = ab1;
    *d = cd1;
}

#define ROW(name) row256_##name
#undef ROW_V
#undef ROW_LANES
#define ROW_V __m256i
#define ROW_LANES 2
#undef ROW_ADD
#define ROW_ADD(x, y) add(x, y)
#undef ROW_XOR
#define ROW_XOR(x, y) xor(x, y)
#undef ROW_ROT16
#define ROW_ROT16(x) ROT16(x)
#undef ROW_ROT12
#define ROW_ROT12(x) SHIFTED(x, 12)
#undef ROW_ROT8
#define ROW_ROT8(x) ROT8(x)
#undef ROW_ROT7
#define ROW_ROT7(x) SHIFTED(x, 7)
#undef ROW_TURN
#define ROW_TURN(x, n) _mm256_shuffle_epi32(x, TURN(n))
#undef ROW_ALL
#define ROW_ALL(p) _mm256_broadcastsi128_si256(load128(p))
#undef ROW_ALL4
#define ROW_ALL4(w0, w1, w2, w3) _mm256_broadcastsi128_si256(words128(w0, w1, w2, w3))
#undef ROW_COUNT
#define ROW_COUNT(n) _mm256_setr_epi32(n, 0, 0, 0, (n) + 1, 0, 0, 0)
#undef ROW_ORDER
#define ROW_ORDER(a, b, c, d) order256(&a, &b, &c, &d)
#undef ROW_LOAD
#define ROW_LOAD(p) load256(p)
#undef ROW_STORE
#define ROW_STORE(p, x) store256(p, x)
#include "chacha20_row_body.h"
