/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_aarch64: Poly1305 in general registers, one block after the other. For any AArch64 core;
 * the counterpart of JDK-8296411. Mathematics and bounds: poly1305_64_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64

#include "poly1305_aarch64_body.h"

const plait_kernel plait_poly1305_aarch64 = {
    PLAIT_KERNEL_ID(poly1305, aarch64), PLAIT_NEEDS(neon), .width = 1,
    .fn.poly1305 = {.blocks = poly1305_blocks, .final = poly1305_final, .mac = poly1305_mac}};

#else

const plait_kernel plait_poly1305_aarch64 = {PLAIT_KERNEL_ID(poly1305, aarch64),
                                             PLAIT_NOT_BUILT(neon)};

#endif
