/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_aesni - AES-GCM with AES and PCLMULQDQ instructions, SSE encoding: Intel Westmere (2010)
 * and the low-power cores of the following years, which have no AVX. Everything is in
 * aes_gcm_aesni_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

/* The vocabulary of the wide step, AT&T operand order: destinations first here, last there. */
/* clang-format off */
#define AES(s)                  "aesenc " R_k ", " R_##s "\n\t"
#define AES_LAST(s, key)        "aesenclast " R_##key ", " R_##s "\n\t"
#define XOR(d, s)               "pxor " R_##s ", " R_##d "\n\t"
#define XOR_MEM(d, s, mem)      "movdqu " mem ", " R_##d "\n\tpxor " R_##s ", " R_##d "\n\t"
#define LOAD(d, mem)            "movdqu " mem ", " R_##d "\n\t"
#define STORE(s, mem)           "movdqu " R_##s ", " mem "\n\t"
#define REVERSE(d)              "pshufb %[rev], " R_##d "\n\t"
#define SWAP(d, s)              "pshufd $0x4e, " R_##s ", " R_##d "\n\t"
#define UNPACK_LOW(d, a, b)     "movdqa " R_##a ", " R_##d "\n\tpunpcklqdq " R_##b ", " R_##d "\n\t"
#define UNPACK_HIGH(d, a, b)    "movdqa " R_##a ", " R_##d "\n\tpunpckhqdq " R_##b ", " R_##d "\n\t"
#define MUL(d, s, mem, sel)                                                                        \
    "movdqu " mem ", " R_##d "\n\tpclmulqdq $" sel ", " R_##s ", " R_##d "\n\t"
#define MUL_IN(d, tmp, mem, sel)                                                                   \
    "movdqu " mem ", " R_##tmp "\n\tpclmulqdq $" sel ", " R_##tmp ", " R_##d "\n\t"
/* clang-format on */

PLAIT_TARGET_BEGIN("aes,pclmul,sse4.1")
#include "aes_gcm_aesni_body.h"
PLAIT_TARGET_END

const plait_kernel plait_aes_gcm_aesni = {PLAIT_KERNEL_ID(aes_gcm, aesni),
                                          PLAIT_NEEDS(aes, pclmul, sse41), GCM_FUNCTIONS};

#else
const plait_kernel plait_aes_gcm_aesni = {PLAIT_KERNEL_ID(aes_gcm, aesni),
                                          PLAIT_NOT_BUILT(aes, pclmul, sse41)};
#endif
