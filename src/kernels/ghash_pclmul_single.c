/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_pclmul_single - GHASH with carry-less multiplication, one block and one reduction at a
 * time: the first form that GHASH on x86 took, kept to be compared with ghash_pclmul.
 *
 * Each block waits for the block before it: latency is all that counts. By H and H x^64 (see
 * ghash_pclmul_body.h) the chain is xor, product, xor, product, xor: about 10 cycles since Ice
 * Lake, where four products, a shift of the whole and a reduction by shifts take over 25. No powers
 * of H: the cheapest set-up.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("pclmul,ssse3")
#include "ghash_pclmul_body.h"

static void init(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len)
{
    (void)max_len;
    ghash_powers(area, load(h), 1);
}

static void update(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data,
                   size_t len)
{
    const __m128i h = ghash_power(area, 1), hx = load(area + GHASH_HX);
    __m128i a;
    if (len == 0) return;
    a = reverse(load(acc));
    for (; len >= 16; len -= 16, data += 16) a = ghash_mul_h(xor128(a, reverse(load(data))), h, hx);
    if (len > 0) a = ghash_mul_h(xor128(a, reverse(load_part(data, len))), h, hx);
    store(acc, reverse(a));
}

PLAIT_TARGET_END

const plait_kernel plait_ghash_pclmul_single = {PLAIT_KERNEL_ID(ghash, pclmul_single),
                                                PLAIT_NEEDS(pclmul, ssse3), .width = 1,
                                                .fn.ghash = {.init = init, .update = update}};

#else
const plait_kernel plait_ghash_pclmul_single = {PLAIT_KERNEL_ID(ghash, pclmul_single),
                                                PLAIT_NOT_BUILT(pclmul, ssse3)};
#endif
