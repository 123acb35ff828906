/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_ref - Poly1305 in portable C: limbs of 64 bits where the compiler has a 128-bit type
 * that is quick, of 26 bits elsewhere (on SPARC that is half as many instructions). What every
 * other poly1305 kernel is compared with.
 */
#include "../kernel.h"

#if PLAIT_FAST_INT128
#include "poly1305_64_body.h"
#else
#include "poly1305_26_body.h"
#endif

const plait_kernel plait_poly1305_ref = {
    PLAIT_KERNEL_ID(poly1305, ref), PLAIT_NEEDS_NOTHING, .width = 1,
    .fn.poly1305 = {.blocks = poly1305_blocks, .final = poly1305_final, .mac = poly1305_mac}};
