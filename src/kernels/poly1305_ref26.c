/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_ref26 - Poly1305 in portable C with limbs of 26 bits everywhere: what poly1305_ref is on
 * machines without a 128-bit product, so that it can be tested and measured on those that have one.
 */
#include "../kernel.h"

#include "poly1305_26_body.h"

const plait_kernel plait_poly1305_ref26 = {
    PLAIT_KERNEL_ID(poly1305, ref26), PLAIT_NEEDS_NOTHING, .width = 1,
    .fn.poly1305 = {.blocks = poly1305_blocks, .final = poly1305_final, .mac = poly1305_mac}};
