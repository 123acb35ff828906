/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx: ChaCha20 in row layout, 2 blocks in flight in 8 xmm registers, rotations by 16 and
 * 8 by byte shuffle: the 128-bit kernel of JDK-8247645. For Sandy Bridge, Ivy Bridge, Bulldozer to
 * Steamroller, Jaguar.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx")

#include "chacha20_x86_body.h"

#define ROT16(x) SHUFFLED16(x)
#define ROT8(x)  SHUFFLED8(x)
#define ROW_MAX  2
#include "chacha20_row128_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx = {PLAIT_KERNEL_ID(chacha20, avx), PLAIT_NEEDS(avx),
                                         .width = 2, .fn.chacha20 = {.xor_stream = row128_stream}};

#else

const plait_kernel plait_chacha20_avx = {PLAIT_KERNEL_ID(chacha20, avx), PLAIT_NOT_BUILT(avx)};

#endif
