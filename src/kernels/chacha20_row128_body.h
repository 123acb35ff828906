/* SPDX-License-Identifier: Apache-2.0
 *
 * The row layout of chacha20_row_body.h in 128-bit vectors, 1 block to a group, for x86-64. The
 * including file defines ROT16 and ROT8 (see chacha20_x86_body.h) and ROW_MAX.
 */
/* The empty asm keeps Clang from seeing a rotation, which it would make a byte shuffle where it
 * can. */
PLAIT_INLINE __m128i shifted128(__m128i x, int n)
{
    __m128i right = _mm_srli_epi32(x, 32 - n);
    __asm__("" : "+x"(right));
    return _mm_or_si128(_mm_slli_epi32(x, n), right);
}
/* And here from seeing the order, which it would make two shuffles of halves, or move through the
 * next xor. */
PLAIT_INLINE __m128i shuffled128(__m128i x, __m128i order)
{
#ifdef __clang__
    __asm__("" : "+x"(order));
#endif
    return _mm_shuffle_epi8(x, order);
}
#undef SHIFTED
#define SHIFTED(x, n) shifted128(x, n)
#undef SHUFFLED16
#undef SHUFFLED8
#define SHUFFLED16(x) shuffled128(x, _mm_setr_epi8(BYTES16))
#define SHUFFLED8(x) shuffled128(x, _mm_setr_epi8(BYTES8))

#define ROW(name) row128_##name
#undef ROW_V
#undef ROW_LANES
#define ROW_V __m128i
#define ROW_LANES 1
#undef ROW_ADD
#define ROW_ADD(x, y) _mm_add_epi32(x, y)
#undef ROW_XOR
#define ROW_XOR(x, y) _mm_xor_si128(x, y)
#undef ROW_ROT16
#define ROW_ROT16(x) ROT16(x)
#undef ROW_ROT12
#define ROW_ROT12(x) SHIFTED(x, 12)
#undef ROW_ROT8
#define ROW_ROT8(x) ROT8(x)
#undef ROW_ROT7
#define ROW_ROT7(x) SHIFTED(x, 7)
#undef ROW_TURN
#define ROW_TURN(x, n) _mm_shuffle_epi32(x, TURN(n))
#undef ROW_ALL
#define ROW_ALL(p) load128(p)
#undef ROW_ALL4
#define ROW_ALL4(w0, w1, w2, w3) words128(w0, w1, w2, w3)
#undef ROW_COUNT
#define ROW_COUNT(n) _mm_setr_epi32(n, 0, 0, 0)
#undef ROW_ORDER
#define ROW_ORDER(a, b, c, d) ((void)0)
#undef ROW_LOAD
#define ROW_LOAD(p) load128(p)
#undef ROW_STORE
#define ROW_STORE(p, x) store128(p, x)
#include "chacha20_row_body.h"
