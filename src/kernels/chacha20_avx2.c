/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx2: ChaCha20 with 256-bit vectors, block-parallel: 8 or 16 blocks in flight, word i of
 * 8 of them in a vector. For x86-64 CPUs from Haswell and Excavator on that have no, or no good,
 * 512-bit vectors.
 *
 * The mathematics: a quarter round is add, xor, rotate, four times over, on four words of one
 * block. With one word of eight blocks in a vector there is nothing to move between columns and
 * diagonals: a round of diagonals names other words. The price is a transposition of 8 x 8 words at
 * the end of each half of the state.
 *
 *      x[i]   w(i) of block 0 | w(i) of block 1 | ... | w(i) of block 7
 *
 * Rotations by 16 and 8 are byte shuffles (1 instruction for 3).
 *
 * 16 words and scratch are more than the 16 registers: some words live in memory. There is room in
 * the load and store ports for more of that than 8 blocks need, and the four chains of 8 blocks
 * leave a fifth of the slots of the three vector ports empty. So long inputs have 16 blocks in
 * flight, most of their words in memory, and take 12 % less time.
 *
 * Up to 6 blocks are done in row layout (chacha20_row_body.h), where 2 blocks take half the time of
 * 8.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx2")

#include "chacha20_x86_body.h"
#include "chacha20_avx2_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx2 = {PLAIT_KERNEL_ID(chacha20, avx2), PLAIT_NEEDS(avx2),
                                          .width = 16,
                                          .fn.chacha20 = {.xor_stream = avx2_xor_stream}};

#else

const plait_kernel plait_chacha20_avx2 = {PLAIT_KERNEL_ID(chacha20, avx2), PLAIT_NOT_BUILT(avx2)};

#endif
