/* SPDX-License-Identifier: Apache-2.0
 *
 * The row layout of chacha20_row_body.h in 512-bit vectors, 4 blocks to a group, with the rotations
 * of AVX-512; and what block layout shares with it. The including file defines ROW_MAX.
 */
PLAIT_INLINE __m512i add(__m512i x, __m512i y)
{
    return _mm512_add_epi32(x, y);
}
PLAIT_INLINE __m512i xor(__m512i x, __m512i y)
{
    return _mm512_xor_si512(x, y);
}
PLAIT_INLINE __m512i load512(const void *p)
{
    return _mm512_loadu_si512(p);
}
PLAIT_INLINE void store512(void *p, __m512i x)
{
    _mm512_storeu_si512(p, x);
}
/* out = in xor x for min(len, 64) bytes. Without any, memory is not touched: a masked access to an
 * unmapped page does not fault, but takes a microcode assist. */
PLAIT_INLINE void xor_some(uint8_t *out, const uint8_t *in, size_t len, __m512i x)
{
    if (len >= 64) {
        store512(out, xor(x, load512(in)));
    } else if (len > 0) {
        const __mmask64 some = _bzhi_u64(~UINT64_C(0), (unsigned)len);
        _mm512_mask_storeu_epi8(out, some, xor(x, _mm512_maskz_loadu_epi8(some, in)));
    }
}
/* 4 x 4 lanes of 128 bits: lane j of vector i becomes lane i of vector j. */
PLAIT_INLINE void transpose_lanes(__m512i *a, __m512i *b, __m512i *c, __m512i *d)
{
    const __m512i ab_even = _mm512_shuffle_i32x4(*a, *b, _MM_SHUFFLE(2, 0, 2, 0)); /* a0 a2 b0 b2 */
    const __m512i ab_odd = _mm512_shuffle_i32x4(*a, *b, _MM_SHUFFLE(3, 1, 3, 1));
    const __m512i cd_even = _mm512_shuffle_i32x4(*c, *d, _MM_SHUFFLE(2, 0, 2, 0));
    const __m512i cd_odd = _mm512_shuffle_i32x4(*c, *d, _MM_SHUFFLE(3, 1, 3, 1));
    *a = _mm512_shuffle_i32x4(ab_even, cd_even, _MM_SHUFFLE(2, 0, 2, 0));
    *b = _mm512_shuffle_i32x4(ab_odd, cd_odd, _MM_SHUFFLE(2, 0, 2, 0));
    *c = _mm512_shuffle_i32x4(ab_even, cd_even, _MM_SHUFFLE(3, 1, 3, 1));
    *d = _mm512_shuffle_i32x4(ab_odd, cd_odd, _MM_SHUFFLE(3, 1, 3, 1));
}

#define ROW(name) row512_##name
#define ROW_V __m512i
#define ROW_LANES 4
#define ROW_ADD(x, y) add(x, y)
#define ROW_XOR(x, y) xor(x, y)
#define ROW_ROT16(x) _mm512_rol_epi32(x, 16)
#define ROW_ROT12(x) _mm512_rol_epi32(x, 12)
#define ROW_ROT8(x) _mm512_rol_epi32(x, 8)
#define ROW_ROT7(x) _mm512_rol_epi32(x, 7)
#define ROW_TURN(x, n) _mm512_shuffle_epi32(x, (_MM_PERM_ENUM)TURN(n))
#define ROW_ALL(p) _mm512_broadcast_i32x4(load128(p))
#define ROW_ALL4(w0, w1, w2, w3) _mm512_broadcast_i32x4(words128(w0, w1, w2, w3))
#define ROW_COUNT(n)                                                                               \
    _mm512_setr_epi32(n, 0, 0, 0, (n) + 1, 0, 0, 0, (n) + 2, 0, 0, 0, (n) + 3, 0, 0, 0)
#define ROW_COUNT_ALL(n) _mm512_broadcast_i32x4(_mm_setr_epi32(n, 0, 0, 0))
#define ROW_ORDER(a, b, c, d) transpose_lanes(&a, &b, &c, &d)
#define ROW_LOAD(p) load512(p)
#define ROW_STORE(p, x) store512(p, x)
#define ROW_SOME(out, in, len, x) xor_some(out, in, len, x)
#include "chacha20_row_body.h"
