/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_mulx_body.h - scalar Poly1305 for x86-64 with BMI2: the mathematics of poly1305_64_body.h, and its bounds,
 * with a block's instructions in one asm block. GCC 12 makes of 128-bit sums of C moves to the stack and back, which
 * cost half as much again as the whole block. The chain from one h to the next is 12 cycles on Golden Cove: add, mulx
 * (4), four additions, shift, addition, two additions. Four mulx, two imul.
 */
PLAIT_INLINE void poly1305_absorb(plait_poly1305_acc *acc, const uint8_t *msg, size_t len, uint64_t pad)
{
    const uint64_t r0 = acc->r[0], r1 = acc->r[1], s1 = r1 + (r1 >> 2);
    uint64_t h0 = acc->h[0], h1 = acc->h[1], h2 = acc->h[2];

    PLAIT_BOUND(h2 < 8 && r0 < (UINT64_C(1) << 60) && r1 < (UINT64_C(1) << 60) && (r1 & 3) == 0);
    for (; len >= 16; len -= 16, msg += 16) {
        uint64_t a, b, c, d, e, f;
        __asm__("addq (%[m]), %[h0]\n\t"
                "adcq 8(%[m]), %[h1]\n\t"
                "adcq %[pad], %[h2]\n\t"
                "movq %[h0], %%rdx\n\t"
                "mulxq %[r0], %[a], %[b]\n\t" /* b:a = h0 r0 */
                "mulxq %[r1], %[c], %[d]\n\t" /* d:c = h0 r1 */
                "movq %[h1], %%rdx\n\t"
                "mulxq %[s1], %[e], %[f]\n\t"
                "mulxq %[r0], %[h0], %[h1]\n\t"
                "movq %[h2], %%rdx\n\t"
                "imulq %[s1], %%rdx\n\t"
                "imulq %[r0], %[h2]\n\t"
                "addq %[h0], %[c]\n\t"
                "adcq %[h1], %[d]\n\t" /* d:c += h1 r0 */
                "addq %%rdx, %[c]\n\t"
                "adcq %[d], %[h2]\n\t" /* h2:c = d:c + h2 s1 + 2^64 h2 r0 */
                "addq %[e], %[a]\n\t"
                "adcq %[f], %[b]\n\t" /* b:a += h1 s1 */
                "addq %[b], %[c]\n\t"
                "adcq $0, %[h2]\n\t" /* h2:c:a = the product */
                "movq %[h2], %[d]\n\t"
                "movq %[h2], %[e]\n\t"
                "shrq $2, %[d]\n\t"
                "andq $-4, %[e]\n\t"
                "andl $3, %k[h2]\n\t"
                "addq %[e], %[d]\n\t" /* 5 floor(h2 / 4) */
                "addq %[d], %[a]\n\t"
                "adcq $0, %[c]\n\t"
                "adcq $0, %[h2]"
                : [h0] "+&r"(h0), [h1] "+&r"(h1), [h2] "+&r"(h2), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
                  [d] "=&r"(d), [e] "=&r"(e), [f] "=&r"(f)
                : [r0] "r"(r0), [r1] "r"(r1), [s1] "r"(s1), [m] "r"(msg), [pad] "re"(pad),
                  "m"(*(const uint8_t(*)[16])msg)
                : "rdx", "cc");
        h0 = a;
        h1 = c;
        PLAIT_BOUND(h2 <= 4);
    }
    acc->h[0] = h0;
    acc->h[1] = h1;
    acc->h[2] = h2;
}

#include "poly1305_acc_body.h"
