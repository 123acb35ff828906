/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx_shift: ChaCha20 in row layout, 2 blocks in flight in 8 xmm registers, all rotations
 * by shifts: the first form of the 128-bit kernel of JDK-8247645. Kept for comparison with
 * chacha20_avx.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx")

#include "chacha20_x86_body.h"

#define ROT16(x) SHIFTED(x, 16)
#define ROT8(x)  SHIFTED(x, 8)
#define ROW_MAX  2
#include "chacha20_row128_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx_shift = {PLAIT_KERNEL_ID(chacha20, avx_shift),
                                               PLAIT_NEEDS(avx), .width = 2,
                                               .fn.chacha20 = {.xor_stream = row128_stream}};

#else

const plait_kernel plait_chacha20_avx_shift = {PLAIT_KERNEL_ID(chacha20, avx_shift),
                                               PLAIT_NOT_BUILT(avx)};

#endif
