/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_aarch64_body.h - scalar Poly1305 for AArch64: the mathematics of poly1305_64_body.h, and
 * its bounds, with a block as ten pieces of asm text, so that other instructions can stand between
 * them. The reduction is lazy (JDK-8296411): h stays below 2^131, and its top goes back in once a
 * block.
 *
 *     t1:t0 = h0 r0 + h1 s1,   h2:h1 = h0 r1 + h1 r0 + h2 s1 + t1 + 2^64 h2 r0
 *
 * A step multiplies h, to which a block has been added, and adds the next block: the message meets
 * the product before the product's own top comes back, and is off the chain from one h to the next.
 * By model that chain is 12 cycles on Neoverse V1 and N2, for 14 and 15 of the other order. The
 * last step adds a block of zeros without its bit. t1 + h2 s1 < 9/4 2^60 + 9 5/4 2^60 < 2^64 needs
 * no carry; h2 <= 3 + 1 + 2 after a step.
 *
 * Operands: [h0] [h1] [h2] [r0] [r1] [s1] [pad] [m] and scratch [t0] to [t8]. The flags are in use
 * from PIECE4 to PIECE10; what stands between the pieces must leave them alone.
 */

/* clang-format off */
#define PIECE1 "mul %[t0], %[h0], %[r0]\n\tmul %[t2], %[h1], %[s1]\n\tumulh %[t1], %[h0], %[r0]\n\t"
#define PIECE2 "umulh %[t3], %[h1], %[s1]\n\tmul %[t4], %[h0], %[r1]\n\tmul %[t6], %[h1], %[r0]\n\t"
#define PIECE3 "mul %[t8], %[h2], %[s1]\n\tumulh %[t5], %[h0], %[r1]\n\t" \
               "umulh %[t7], %[h1], %[r0]\n\t"
#define PIECE4 "mul %[h2], %[h2], %[r0]\n\tadds %[t0], %[t0], %[t2]\n\tadc %[t1], %[t1], %[t3]\n\t"
#define PIECE5 "ldp %[t2], %[t3], [%[m]], #16\n\tadds %[t4], %[t4], %[t6]\n\t" \
               "adc %[t5], %[t5], %[t7]\n\t"
#define PIECE6 "add %[t1], %[t1], %[t8]\n\tadds %[h1], %[t4], %[t1]\n\tadc %[h2], %[h2], %[t5]\n\t"
#define PIECE7 "adds %[t0], %[t0], %[t2]\n\tadcs %[h1], %[h1], %[t3]\n\tand %[t3], %[h2], #3\n\t"
/* 2^130 = 5: plus 5 floor(h2 / 4) */
#define PIECE8 "adc %[t3], %[t3], %[pad]\n\tand %[t2], %[h2], #-4\n\tlsr %[t6], %[h2], #2\n\t"
#define PIECE9 "add %[t2], %[t2], %[t6]\n\tadds %[h0], %[t0], %[t2]\n\tadcs %[h1], %[h1], xzr\n\t"
#define PIECE10 "adc %[h2], %[t3], xzr\n\t"
#define PIECES PIECE1 PIECE2 PIECE3 PIECE4 PIECE5 PIECE6 PIECE7 PIECE8 PIECE9 PIECE10

#define PIECES_OPERANDS                                                                            \
    [h0] "+&r"(h.h0), [h1] "+&r"(h.h1), [h2] "+&r"(h.h2), [m] "+&r"(msg), [t0] "=&r"(t0),         \
    [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5),       \
    [t6] "=&r"(t6), [t7] "=&r"(t7), [t8] "=&r"(t8)
#define PIECES_INPUTS [r0] "r"(h.r0), [r1] "r"(h.r1), [s1] "r"(h.s1), [pad] "r"(pad)
/* clang-format on */

/* The state in registers. */
typedef struct chain {
    uint64_t h0, h1, h2, r0, r1, s1;
} chain;

PLAIT_INLINE chain chain_load(const plait_poly1305_acc *acc)
{
    const chain h = {acc->h[0], acc->h[1], acc->h[2],
                     acc->r[0], acc->r[1], acc->r[1] + (acc->r[1] >> 2)};
    PLAIT_BOUND(h.h2 < 8 && h.r0 >> 60 == 0 && h.r1 >> 60 == 0 && (h.r1 & 3) == 0);
    return h;
}

PLAIT_INLINE chain chain_add(chain h, const uint8_t *msg, uint64_t pad)
{
    const plait_u128 d0 = (plait_u128)h.h0 + plait_load64_le(msg);
    const plait_u128 d1 = (plait_u128)h.h1 + plait_load64_le(msg + 8) + (uint64_t)(d0 >> 64);
    h.h0 = (uint64_t)d0;
    h.h1 = (uint64_t)d1;
    h.h2 += pad + (uint64_t)(d1 >> 64);
    return h;
}

/* h = h r + each of n blocks m + pad 2^128. */
PLAIT_INLINE chain chain_steps(chain h, const uint8_t *msg, size_t n, uint64_t pad)
{
    uint64_t t0, t1, t2, t3, t4, t5, t6, t7, t8;
    for (; n > 0; n--) {
        __asm__ volatile(PIECES:PIECES_OPERANDS:PIECES_INPUTS : "cc", "memory");
        PLAIT_BOUND(h.h2 <= 6);
    }
    return h;
}

/* h = h r: h2 <= 4 */
PLAIT_INLINE chain chain_last(chain h)
{
    static const uint8_t zero[16];
    return chain_steps(h, zero, 1, 0);
}

/* h = (h + m + pad 2^128) r for each 16-byte block m. */
PLAIT_INLINE void poly1305_absorb(plait_poly1305_acc *acc, const uint8_t *msg, size_t len,
                                  uint64_t pad)
{
    if (len > 0) {
        chain h = chain_load(acc);
        h = chain_add(h, msg, pad);
        h = chain_steps(h, msg + 16, len / 16 - 1, pad);
        h = chain_last(h);
        acc->h[0] = h.h0;
        acc->h[1] = h.h1;
        acc->h[2] = h.h2;
    }
}

#include "poly1305_acc_body.h"
