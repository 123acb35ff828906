/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx2_row: ChaCha20 in row layout, 4 blocks in flight in 8 ymm registers, rotations by 16
 * and 8 by byte shuffle: the 256-bit kernel of JDK-8247645. Kept for comparison with chacha20_avx2,
 * which has 8 blocks in flight.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx2")

#include "chacha20_x86_body.h"

#define ROT16(x) SHUFFLED16(x)
#define ROT8(x)  SHUFFLED8(x)
#define ROW_MAX  2
#include "chacha20_row256_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx2_row = {PLAIT_KERNEL_ID(chacha20, avx2_row),
                                              PLAIT_NEEDS(avx2), .width = 4,
                                              .fn.chacha20 = {.xor_stream = row256_stream}};

#else

const plait_kernel plait_chacha20_avx2_row = {PLAIT_KERNEL_ID(chacha20, avx2_row),
                                              PLAIT_NOT_BUILT(avx2)};

#endif
