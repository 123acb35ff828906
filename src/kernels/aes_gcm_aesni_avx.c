/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_aesni_avx - AES-GCM with AES and PCLMULQDQ instructions, VEX encoding of 128-bit vectors:
 * Intel from Sandy Bridge (2011) to Cascade Lake, AMD from Bulldozer to Zen 2. Everything is in
 * aes_gcm_aesni_body.h.
 *
 * The same instructions as aes_gcm_aesni but for the moves that two-operand forms need, and with
 * operands in memory that need no alignment. No ymm register is touched: nothing for vzeroupper to
 * clear.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

/* The vocabulary of the wide step, AT&T operand order: destinations first here, last there. */
/* clang-format off */
#define AES(s)                  "vaesenc " R_k ", " R_##s ", " R_##s "\n\t"
#define AES_LAST(s, key)        "vaesenclast " R_##key ", " R_##s ", " R_##s "\n\t"
#define XOR(d, s)               "vpxor " R_##s ", " R_##d ", " R_##d "\n\t"
#define XOR_MEM(d, s, mem)      "vpxor " mem ", " R_##s ", " R_##d "\n\t"
#define LOAD(d, mem)            "vmovdqu " mem ", " R_##d "\n\t"
#define STORE(s, mem)           "vmovdqu " R_##s ", " mem "\n\t"
#define REVERSE(d)              "vpshufb %[rev], " R_##d ", " R_##d "\n\t"
#define SWAP(d, s)              "vpshufd $0x4e, " R_##s ", " R_##d "\n\t"
#define UNPACK_LOW(d, a, b)     "vpunpcklqdq " R_##b ", " R_##a ", " R_##d "\n\t"
#define UNPACK_HIGH(d, a, b)    "vpunpckhqdq " R_##b ", " R_##a ", " R_##d "\n\t"
#define MUL(d, s, mem, sel)     "vpclmulqdq $" sel ", " mem ", " R_##s ", " R_##d "\n\t"
#define MUL_IN(d, tmp, mem, sel) "vpclmulqdq $" sel ", " mem ", " R_##d ", " R_##d "\n\t"
/* clang-format on */

PLAIT_TARGET_BEGIN("aes,pclmul,avx")
#include "aes_gcm_aesni_body.h"
PLAIT_TARGET_END

const plait_kernel plait_aes_gcm_aesni_avx = {PLAIT_KERNEL_ID(aes_gcm, aesni_avx),
                                              PLAIT_NEEDS(aes, pclmul, avx), GCM_FUNCTIONS};

#else
const plait_kernel plait_aes_gcm_aesni_avx = {PLAIT_KERNEL_ID(aes_gcm, aesni_avx),
                                              PLAIT_NOT_BUILT(aes, pclmul, avx)};
#endif
