/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_mulx_body.h - scalar Poly1305 for x86-64 with BMI2: poly1305_64_body.h (see there for
 * the mathematics, the bounds and the order of the carries) with a step in one asm block. Compilers
 * differ much over 128-bit sums: GCC 12 sends some of them through the stack, Clang 14 turns some
 * carries into comparisons.
 *
 * The chain from one h to the next, 12 to 13 cycles on Golden Cove: mulx of h1 (4), adc, add, and
 * and shr, add (5 times the top), add, adc. Four mulx, two imul.
 */

/* h = h r, and then what ADD adds: to %[a] and %[c], with the carry in %[e]. */
#define MULX_STEP(ADD, ...)                                                                        \
    __asm__("movq %[h0], %%rdx\n\t"                                                                \
            "mulxq %[r0], %[a], %[b]\n\t"                                                          \
            "mulxq %[r1], %[c], %[d]\n\t"                                                          \
            "movq %[h1], %%rdx\n\t"                                                                \
            "mulxq %[r0], %[e], %[f]\n\t"                                                          \
            "mulxq %[s1], %[h0], %[h1]\n\t"                                                        \
            "movq %[h2], %%rdx\n\t"                                                                \
            "imulq %[s1], %%rdx\n\t"                                                               \
            "imulq %[r0], %[h2]\n\t"                                                               \
            "addq %%rdx, %[c]\n\t"                                                                 \
            "adcq $0, %[d]\n\t"                                                                    \
            "addq %[e], %[c]\n\t"                                                                  \
            "adcq %[f], %[d]\n\t" /* d:c = h0 r1 + h1 r0 + h2 s1 */                                \
            "addq %[d], %[h2]\n\t"                                                                 \
            "movq %[h2], %[f]\n\t"                                                                 \
            "movq %[h2], %[d]\n\t"                                                                 \
            "shrq $2, %[f]\n\t"                                                                    \
            "andq $-4, %[d]\n\t"                                                                   \
            "addq %[d], %[f]\n\t" /* 5 floor(h2 / 4) */                                            \
            "addq %[h0], %[a]\n\t"                                                                 \
            "adcq %[h1], %[b]\n\t" /* b:a = h0 r0 + h1 s1 */                                       \
            ADD "andl $3, %k[h2]\n\t"                                                              \
            "addq %[f], %[a]\n\t"                                                                  \
            "adcq %[b], %[c]\n\t"                                                                  \
            "adcq %[e], %[h2]"                                                                     \
            : [h0] "+&r"(h0), [h1] "+&r"(h1), [h2] "+&r"(h2), [a] "=&r"(a), [b] "=&r"(b),          \
              [c] "=&r"(c), [d] "=&r"(d), [e] "=&r"(e), [f] "=&r"(f)                               \
            : [r0] "r"(r0), [r1] "r"(r1), [s1] "r"(s1), __VA_ARGS__                                \
            : "rdx", "cc", "memory");                                                              \
    h0 = a;                                                                                        \
    h1 = c

PLAIT_INLINE void poly1305_absorb(plait_poly1305_acc *acc, const uint8_t *msg, size_t len,
                                  uint64_t pad)
{
    const uint64_t r0 = acc->r[0], r1 = acc->r[1], s1 = r1 + (r1 >> 2);
    uint64_t h0 = acc->h[0], h1 = acc->h[1], h2 = acc->h[2];
    uint64_t a, b, c, d, e, f;

    PLAIT_BOUND(h2 < 8 && pad <= 1 && (r1 & 3) == 0);
    PLAIT_BOUND(r0 < UINT64_C(1) << 60 && r1 < UINT64_C(1) << 60);
    if (len < 16) return;
    __asm__("addq (%[m]), %[h0]\n\tadcq 8(%[m]), %[h1]\n\tadcq %[pad], %[h2]"
            : [h0] "+&r"(h0), [h1] "+&r"(h1), [h2] "+&r"(h2)
            : [m] "r"(msg), [pad] "er"(pad)
            : "cc", "memory"); /* h2 <= 7 + 1 + 1 */
    for (; len >= 32; len -= 16, msg += 16) {
        MULX_STEP("addq 16(%[m]), %[a]\n\t"
                  "movl %[pad], %k[e]\n\t"
                  "adcq 24(%[m]), %[c]\n\t"
                  "adcq $0, %[e]\n\t",
                  [m] "r"(msg), [pad] "g"((uint32_t)pad));
        PLAIT_BOUND(h2 <= 6);
    }
    MULX_STEP("xorl %k[e], %k[e]\n\t", "g"(0));
    PLAIT_BOUND(h2 <= 4);
    acc->h[0] = h0;
    acc->h[1] = h1;
    acc->h[2] = h2;
}

#include "poly1305_acc_body.h"
