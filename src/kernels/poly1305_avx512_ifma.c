/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_avx512_ifma: Poly1305 with vpmadd52, 8 blocks in a vector, up to 4 vectors to a carry,
 * all 32 registers. For x86-64 CPUs with AVX-512 IFMA: Intel from Ice Lake on, AMD from Zen 4 on.
 * Mathematics, lanes and bounds are in poly1305_avx512_ifma_body.h; up to 8 blocks are done in
 * scalar (poly1305_mulx_body.h).
 *
 * A message of n blocks starts with n mod 8 of them in scalar (up to 5, or as a group with absent
 * lanes), while the vectors work out the powers of r: r^2 (scalar), r^3 and r^4, r^5 to r^8, each
 * waiting for the one before. Then whole groups follow. More powers are made as the message goes
 * on, each beside a step that does not need it yet.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi2")

#include "poly1305_mulx_body.h"
#include "poly1305_avx512_ifma_body.h"

/* From how many blocks on vectors win over scalar: at 9 blocks 138 cycles of scalar stand against
 * 152, at 10 154 against 142 (Golden Cove). */
#define WIDE_FROM 10
/* How many of the first blocks scalar does beside the making of powers, at most. 6 are slower than
 * a group with two absent lanes. */
#define SCALAR_MOST 5
/* From how many groups after the first on it pays to have r^16 (33 cycles for two groups where one
 * takes 34), and r^24 and r^32 (60 for four). */
#define TWO_FROM  5
#define FOUR_FROM 20

/* x = x r^(8 g) + ... + m_(g - 1): g groups further. */
#define STEP(g)                                                                                    \
    do {                                                                                           \
        ifma_sums b;                                                                               \
        IFMA_ABSORB(b, x, msg, g, &t, all, 0);                                                     \
        x = ifma_add(ifma_carry(b), ifma_load_narrow(msg + 128 * ((g)-1)));                        \
        msg += 128 * (g);                                                                          \
        left -= (g);                                                                               \
    } while (0)
/* The same up to the last group. */
#define STEP_LAST(g)                                                                               \
    do {                                                                                           \
        ifma_sums b;                                                                               \
        IFMA_ABSORB(b, x, msg, g, &t, all, 0);                                                     \
        x = ifma_add(ifma_carry(b), last);                                                         \
        IFMA_ABSORB(a, x, msg, 1, &t, each, 0);                                                    \
    } while (0)
/* The last g groups after x, lanes and all. */
#define FINISH(g)                                                                                  \
    do {                                                                                           \
        IFMA_ABSORB(a, x, msg, g, &t, each, 1);                                                    \
        ifma_mul_add_mem(&a, last, &t.of[0].each);                                                 \
    } while (0)

/* h = (h + m) r ... over n > 8 blocks, of which the last one has only v bytes if v > 0. */
PLAIT_NOINLINE static void wide(plait_poly1305_acc *acc, const uint8_t *msg, size_t n, unsigned v)
{
    ifma_table t;
    ifma_limbs x, last, p, q;
    ifma_sums a;
    size_t first = n % 8, left = n / 8; /* groups after the first blocks */
    const uint8_t *end = msg + 16 * (n - 8);

    if (v != 0)
        last = ifma_load_last(end, v);
    else
        last = ifma_load_narrow(end);
    p = ifma_lane_powers(acc);
    ifma_table_set(&t, 0, p);
    if (first <= SCALAR_MOST) {
        poly1305_absorb(acc, msg, 16 * first, 1);
        msg += 16 * first;
        left--;
        if (left == 0) {
            x = ifma_add(last, ifma_enter(acc, 8));
            IFMA_ABSORB(a, x, msg, 1, &t, each, 0);
            ifma_table_wipe(&t, 1);
            goto out;
        }
        x = ifma_add(ifma_load_narrow(msg), ifma_enter(acc, 8));
        msg += 128;
    } else {
        x = ifma_load_first(msg, first);
        x.x2 = _mm512_add_epi64(x.x2, ifma_pad_first(first));
        x = ifma_add(x, ifma_enter(acc, first));
        msg += 16 * first;
    }

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
out:
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
    PLAIT_KERNEL_ID(poly1305, avx512_ifma), PLAIT_NEEDS(avx512_ifma, bmi2), .spills = 256,
    .width = 32,
    .fn.poly1305 = {.blocks = blocks, .final = poly1305_final, .mac = mac}};
#else
const plait_kernel plait_poly1305_avx512_ifma = {PLAIT_KERNEL_ID(poly1305, avx512_ifma),
                                                 PLAIT_NOT_BUILT(avx512_ifma, bmi2)};
#endif
