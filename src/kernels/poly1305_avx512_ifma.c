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

/* From how many blocks on the vectors win, and from how many on with 2 and 4 groups to a carry. */
#ifndef WIDE_FROM
#define WIDE_FROM 16
#define TWO_FROM 32
#define FOUR_FROM 128
#endif

/* h = (h + m) r ... over n >= 8 blocks, with g groups between carries. */
PLAIT_INLINE void wide(plait_poly1305_acc *acc, const uint8_t *msg, size_t n, size_t g)
{
    ifma_table t;
    ifma_limbs x;
    ifma_sums a;
    size_t first = n % 8, left = n / 8;
    if (first != 0) {
        x = ifma_load_first(msg, first);
        x.x2 = _mm512_add_epi64(x.x2, ifma_pad_first(first));
    } else {
        first = 8;
        left--;
        x = ifma_padded(ifma_load(msg));
    }
    msg += 16 * first;
    x = ifma_add(x, ifma_enter(acc, first));
    ifma_table_make(&t, acc, g);
    for (; left >= g; left -= g, msg += 128 * g) {
        x = ifma_carry(ifma_absorb(x, msg, g - 1, t.all));
        x = ifma_add(x, ifma_padded(ifma_load(msg + 128 * (g - 1))));
    }
    if (g == 1 || left == 0)
        a = ifma_absorb(x, msg, 0, t.each);
    else if (g == 2 || left == 1)
        a = ifma_absorb(x, msg, 1, t.each);
    else if (left == 2)
        a = ifma_absorb(x, msg, 2, t.each);
    else
        a = ifma_absorb(x, msg, 3, t.each);
    ifma_leave(acc, a);
    plait_wipe(&t, sizeof t);
}

PLAIT_NOINLINE static void wide1(plait_poly1305_acc *acc, const uint8_t *msg, size_t n)
{
    wide(acc, msg, n, 1);
    _mm256_zeroupper();
}
PLAIT_NOINLINE static void wide2(plait_poly1305_acc *acc, const uint8_t *msg, size_t n)
{
    wide(acc, msg, n, 2);
    _mm256_zeroupper();
}
PLAIT_NOINLINE static void wide4(plait_poly1305_acc *acc, const uint8_t *msg, size_t n)
{
    wide(acc, msg, n, 4);
    _mm256_zeroupper();
}

static void blocks(plait_poly1305_acc *acc, const uint8_t *msg, size_t len)
{
    const size_t n = len / 16;
    if (n >= FOUR_FROM)
        wide4(acc, msg, n);
    else if (n >= TWO_FROM)
        wide2(acc, msg, n);
    else if (n >= WIDE_FROM)
        wide1(acc, msg, n);
    else
        poly1305_absorb_full(acc, msg, len);
}

static void mac(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32])
{
    plait_poly1305_acc acc;
    poly1305_load_key(&acc, key);
    blocks(&acc, msg, len & ~(size_t)15);
    if ((len & 15) != 0) poly1305_absorb_partial(&acc, msg + (len & ~(size_t)15), len & 15);
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
