/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx512: ChaCha20 with 512-bit vectors, block-parallel: 16 or 32 blocks in flight, word i
 * of each in x[i]. For Ice Lake, Sapphire Rapids, Zen 4, Zen 5 and later; Skylake-X lowers its
 * clock for it and prefers AVX2.
 *
 * The mathematics: see chacha20_avx2.c. Rotations are one instruction, and add, xor and rotate work
 * in place, so that no scratch register is needed: 16 words of 16 blocks take 16 registers, and 32
 * blocks take all 32.
 *
 *      group A   zmm0 .. zmm15    zmm(i) = w(i) of block 0 | block 1 | ... | block 15
 *      group B   zmm16 .. zmm31   the same of blocks 16 .. 31
 *
 * What bounds it: where vector instructions have a latency of 1 and two ports (Intel), 32 blocks
 * fill the slots of the rounds, 16 blocks all but a twentieth; where the latency is 2 and there are
 * four pipes (Zen 5), 16 blocks fill half the slots and 32 blocks are 1.6 times as fast. What is
 * left over goes down a ladder: 32, 16, then 8 or 4 blocks in row layout (chacha20_row_body.h),
 * which up to 4 blocks is bounded by the latency of one chain alone.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,bmi2")

#include "chacha20_x86_body.h"
#include "chacha20_avx512_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx512 = {
    PLAIT_KERNEL_ID(chacha20, avx512), PLAIT_NEEDS(avx512, bmi2), .avoids = PLAIT_CPU_slow_512,
    .width = 32, .fn.chacha20 = {.xor_stream = avx512_xor_stream}};

#else

const plait_kernel plait_chacha20_avx512 = {PLAIT_KERNEL_ID(chacha20, avx512),
                                            PLAIT_NOT_BUILT(avx512, bmi2)};

#endif
