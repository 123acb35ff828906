/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx512_row: ChaCha20 in row layout, 16 blocks in flight in 16 zmm registers (four groups
 * of four blocks), native rotations: the 512-bit kernel of JDK-8247645. Kept for comparison with
 * chacha20_avx512.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,bmi2")

#include "chacha20_x86_body.h"

#define ROW_MAX 4
#include "chacha20_row512_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx512_row = {PLAIT_KERNEL_ID(chacha20, avx512_row),
    PLAIT_NEEDS(avx512, bmi2), .avoids = PLAIT_CPU_slow_512, .width = 16,
    .fn.chacha20 = {.xor_stream = row512_stream}};

#else

const plait_kernel plait_chacha20_avx512_row = {PLAIT_KERNEL_ID(chacha20, avx512_row),
                                                PLAIT_NOT_BUILT(avx512, bmi2)};

#endif
