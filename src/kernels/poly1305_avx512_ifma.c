/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_avx512_ifma: Poly1305 with vpmadd52, 8 blocks to a vector and up to 4 vectors in flight.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi2")

#include "poly1305_64_body.h"
#include "poly1305_avx512_ifma_body.h"

/* From how many blocks on vectors win; from how many further groups on it pays to have r^16, and r^32. */
#ifndef WIDE_FROM
#define WIDE_FROM 9
#define TWO_FROM 4
#define FOUR_FROM 10
#endif

/* x = x r^(8 g) + ... + m_(g - 1): g groups further. */
#define STEP(g)                                                                                                \
    do {                                                                                                       \
        ifma_sums b;                                                                                           \
        IFMA_ABSORB(b, x, msg, g, &t, all, 0);                                                                 \
        x = ifma_add(ifma_carry(b), ifma_load_narrow(msg + 128 * ((g)-1)));                                    \
        msg += 128 * (g);                                                                                      \
        left -= (g);                                                                                           \
    } while (0)
/* The same up to the last group. */
#define STEP_LAST(g)                                                                                           \
    do {                                                                                                       \
        ifma_sums b;                                                                                           \
        IFMA_ABSORB(b, x, msg, g, &t, all, 0);                                                                 \
        x = ifma_add(ifma_carry(b), last);                                                                     \
        IFMA_ABSORB(a, x, msg, 1, &t, each, 0);                                                                \
    } while (0)
/* The last g groups after x, lanes and all. */
#define FINISH(g)                                                                                              \
    do {                                                                                                       \
        IFMA_ABSORB(a, x, msg, g, &t, each, 1);                                                                \
        a = ifma_mul_add(a, last, t.of[0].each);                                                               \
    } while (0)

/* h = (h + m) r ... over n > 8 blocks, of which the last one has only v bytes if v > 0. */
PLAIT_NOINLINE static void wide(plait_poly1305_acc *acc, const uint8_t *msg, size_t n, unsigned v)
{
    ifma_table t;
    ifma_limbs x, last, p, q;
    ifma_sums a;
    const size_t first = ((n - 1) & 7) + 1;
    size_t left = (n - first) / 8; /* groups after x */

    if (first < 8) {
        x = ifma_load_first(msg, first);
        x.x2 = _mm512_add_epi64(x.x2, ifma_pad_first(first));
    } else {
        x = ifma_load_narrow(msg);
    }
    x = ifma_add(x, ifma_enter(acc, first));
    msg += 16 * first;
    if (v != 0)
        last = ifma_load_last(msg + 128 * (left - 1), v);
    else
        last = ifma_load_narrow(msg + 128 * (left - 1));

    p = ifma_lane_powers(acc);
    ifma_table_set(&t, 0, p);
    if (left < TWO_FROM) {
        while (left > 1) STEP(1);
        STEP_LAST(1);
        ifma_table_wipe(&t, 1);
    } else {
        /* each row of the table takes as long as a step with the rows before it, beside it */
        q = ifma_table_times(&t, p, 0);
        ifma_table_set(&t, 1, q);
        STEP(1);
        if (left < FOUR_FROM - 1) {
            while (left > 2) STEP(2);
            if (left == 2)
                STEP_LAST(2);
            else
                FINISH(1);
            ifma_table_wipe(&t, 2);
        } else {
            ifma_table_set(&t, 2, ifma_table_times(&t, p, 1));
            ifma_table_set(&t, 3, ifma_table_times(&t, q, 1));
            STEP(2);
            while (left > 4) STEP(4);
            if (left == 4)
                STEP_LAST(4);
            else if (left == 3)
                FINISH(3);
            else if (left == 2)
                FINISH(2);
            else
                FINISH(1);
            ifma_table_wipe(&t, 4);
        }
    }
    ifma_leave(acc, a);
    _mm256_zeroupper();
}

static void blocks(plait_poly1305_acc *acc, const uint8_t *msg, size_t len)
{
    if (len >= 16 * WIDE_FROM)
        wide(acc, msg, len / 16, 0);
    else
        poly1305_absorb_full(acc, msg, len);
}

static void mac(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32])
{
    plait_poly1305_acc acc;
    poly1305_load_key(&acc, key);
    if (len > 16 * (WIDE_FROM - 1)) {
        wide(&acc, msg, (len + 15) / 16, (unsigned)len & 15);
    } else {
        poly1305_absorb_full(&acc, msg, len & ~(size_t)15);
        if ((len & 15) != 0) poly1305_absorb_partial(&acc, msg + (len & ~(size_t)15), len & 15);
    }
    poly1305_emit(&acc, tag);
    plait_wipe(&acc, sizeof acc);
}

PLAIT_TARGET_END

const plait_kernel plait_poly1305_avx512_ifma = {
    PLAIT_KERNEL_ID(poly1305, avx512_ifma),
    PLAIT_NEEDS(avx512_ifma, bmi2),
    .width = 32,
    .fn.poly1305 = {.blocks = blocks, .final = poly1305_final, .mac = mac}};
#else
const plait_kernel plait_poly1305_avx512_ifma = {PLAIT_KERNEL_ID(poly1305, avx512_ifma),
                                                 PLAIT_NOT_BUILT(avx512_ifma, bmi2)};
#endif
