/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_ssse3: ChaCha20 in row layout, 4 blocks in flight in all 16 xmm registers, rotations by
 * 16 and 8 by byte shuffle. For CPUs before AVX: Core 2, Nehalem, Westmere, Silvermont to Tremont,
 * Bobcat.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("ssse3")

#include "chacha20_x86_body.h"

#define ROT16(x) SHUFFLED16(x)
#define ROT8(x)  SHUFFLED8(x)
#define ROW_MAX  4
#include "chacha20_row128_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_ssse3 = {PLAIT_KERNEL_ID(chacha20, ssse3), PLAIT_NEEDS(ssse3),
                                           .width = 4,
                                           .fn.chacha20 = {.xor_stream = row128_stream}};

#else

const plait_kernel plait_chacha20_ssse3 = {PLAIT_KERNEL_ID(chacha20, ssse3),
                                           PLAIT_NOT_BUILT(ssse3)};

#endif
