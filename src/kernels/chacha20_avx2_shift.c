/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx2_shift: ChaCha20 in row layout, 4 blocks in flight in 8 ymm registers, all rotations
 * by shifts: the first form of the 256-bit kernel of JDK-8247645. Kept for comparison with
 * chacha20_avx2_row.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx2")

#include "chacha20_x86_body.h"

#define ROT16(x) SHIFTED(x, 16)
#define ROT8(x)  SHIFTED(x, 8)
#define ROW_MAX  2
#include "chacha20_row256_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx2_shift = {PLAIT_KERNEL_ID(chacha20, avx2_shift),
                                                PLAIT_NEEDS(avx2), .width = 4,
                                                .fn.chacha20 = {.xor_stream = row256_stream}};

#else

const plait_kernel plait_chacha20_avx2_shift = {PLAIT_KERNEL_ID(chacha20, avx2_shift),
                                                PLAIT_NOT_BUILT(avx2)};

#endif
