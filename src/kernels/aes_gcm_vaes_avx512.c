/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_vaes_avx512 - AES-GCM in one pass with VAES and VPCLMULQDQ on 512-bit vectors, 32 blocks
 * to a reduction: Intel since Ice Lake, AMD since Zen 4.
 *
 * What bounds it. Intel has two ports for 512-bit vectors, one of which does AES (one VAESENC a
 * cycle, latency 3), the other carry-less products, byte shuffles and all else that moves bytes
 * (one VPCLMULQDQ a cycle, latency 3); xors and adds go to either. A vector of four blocks takes 10
 * AES rounds (14 for AES-256), 4 products, 1 byte reversal, 2 three-way xors that join the
 * products, 1 xor of the text into the last round key, 2 operations for the counter and 0.9 for its
 * part of a reduction: 21 in all (25), so 10.4 cycles (14, by the AES port). Keeping the first two
 * rounds of 256 counters (aes_vaes_body.h) leaves 18 (22) and 8.9 cycles (12): long texts do that.
 * Karatsuba's product saved costs a shuffle on the same port.
 *
 * Registers of QUAD_STEP: 4 states, 4 blocks to hash, 3 sums, and zmm16-25: round key, text, 2
 * powers, 4 products, 2 reversed blocks; the compiler has 11 for counters and constants. All but
 * QUAD_STEP, with the mathematics and the forms of messages: aes_gcm_vaes_body.h and what it
 * includes.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

/* QUAD_STEP is one string; both compilers take strings of any length. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,vaes,vpclmulqdq,aes,pclmul")
#include "v512_body.h"
#include "aes_vaes_body.h"
#include "ghash_vpclmul_body.h"

/* What waits for the hash, in registers and not yet reversed. */
typedef quad hashed;

PLAIT_INLINE hashed hashed_sealed(const quad *s, const uint8_t *out)
{
    (void)out;
    return *s;
}

PLAIT_INLINE hashed hashed_opened(const uint8_t *in)
{
    return quad_load(in);
}

PLAIT_INLINE vec hashed_last(const hashed *x)
{
    return x->v3;
}

/* Adds y to the first vector; returns what quad_step_first has to add. */
PLAIT_INLINE vec hashed_add(hashed *x, vec y)
{
    x->v0 = vxor(x->v0, y);
    return vzero();
}

PLAIT_INLINE quad hashed_quad(const hashed *x, vec first)
{
    (void)first;
    return quad_reverse(x);
}

PLAIT_INLINE void hashed_init(uint8_t *area)
{
    (void)area; /* what the steps need beyond the powers: nothing */
}

/* ---- a quad of cipher beside a quad of hash ----
 *
 * Four states keep the AES port busy, and each step of the hash stands beside one of the cipher,
 * so that a core with half of its window (two threads) does as well.
 *
 *   s      in: states; out: the text, which also goes to out
 *   early  the first round key not yet in s. The rounds before the last eight go two at a time and
 *          without a hash beside them: none, one, two or three times
 *   x      blocks, added to sum under the powers that the macro's arguments load; the last vector
 *          may be reversed already, the others are not
 */
/* clang-format off */
#define STR_(x)            #x
#define STR(x)             STR_(x)
#define ROUND_KEY(off)     "vbroadcasti32x4 " STR(off) "(%[end]),%%zmm16\n\t"
#define ENC(s)             "vaesenc %%zmm16,%[s" #s "],%[s" #s "]\n\t"
#define REV(x, d)          "vpshufb %[reverse],%[x" #x "],%%zmm" #d "\n\t"
#define MUL(half, x, h, d) "vpclmulqdq $0x" #half ",%%zmm" #h "," x ",%%zmm" #d "\n\t"
#define JOIN(a, b, d)      "vpternlogq $0x96,%%zmm" #a ",%%zmm" #b ",%[" #d "]\n\t"

/* Two vectors hashed; between the steps, fourteen of the cipher. */
#define HASH2(before, x, y, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14)           \
    before                                                                                         \
    e1 e2 MUL(00, x, 18, 20) e3 MUL(00, y, 19, 21) e4 MUL(01, x, 18, 22) e5 MUL(10, x, 18, 23)     \
    e6 JOIN(20, 21, lo) e7 MUL(11, x, 18, 20) e8 MUL(11, y, 19, 21) e9 JOIN(22, 23, mi)            \
    e10 MUL(01, y, 19, 22) e11 MUL(10, y, 19, 23) e12 JOIN(20, 21, hi) e13 e14 JOIN(22, 23, mi)

#define LAST_ROUND(s, off)                                                                         \
    "vpxorq " #off "(%[in]),%%zmm16,%%zmm17\n\t"                                                   \
    "vaesenclast %%zmm17,%[s" #s "],%[s" #s "]\n\t"                                                \
    "vmovdqu64 %[s" #s "]," #off "(%[out])\n\t"

#define QUAD_STEP(power0, power1, power2, power3, rev3, x3_reversed)                               \
    __asm__ volatile(                                                                              \
        "mov %[early],%[key]\n\t"                                                                  \
        "jmp 3f\n\t"                                                                               \
        "2:\n\t"                                                                                   \
        "vbroadcasti32x4 (%[key]),%%zmm16\n\t" ENC(0) ENC(1) ENC(2) ENC(3)                         \
        "vbroadcasti32x4 16(%[key]),%%zmm16\n\t" ENC(0) ENC(1) ENC(2) ENC(3)                       \
        "add $32,%[key]\n\t"                                                                       \
        "3:\n\t"                                                                                   \
        "cmp %[late],%[key]\n\t"                                                                   \
        "jne 2b\n\t"                                                                               \
        HASH2(power0 power1 REV(0, 24) REV(1, 25), "%%zmm24", "%%zmm25",                           \
              ROUND_KEY(-112) ENC(0), ENC(1), ENC(2), ENC(3),                                      \
              ROUND_KEY(-96) ENC(0), ENC(1), ENC(2), ENC(3),                                       \
              ROUND_KEY(-80) ENC(0), ENC(1), ENC(2), ENC(3), ROUND_KEY(-64) ENC(0), ENC(1))        \
        HASH2(power2 power3 REV(2, 24) rev3, "%%zmm24", x3_reversed, ENC(2), ENC(3),               \
              ROUND_KEY(-48) ENC(0), ENC(1), ENC(2), ENC(3),                                       \
              ROUND_KEY(-32) ENC(0), ENC(1), ENC(2), ENC(3),                                       \
              ROUND_KEY(-16) ENC(0), ENC(1), ENC(2), ENC(3))                                       \
        ROUND_KEY(0)                                                                               \
        LAST_ROUND(0, 0) LAST_ROUND(1, 64) LAST_ROUND(2, 128) LAST_ROUND(3, 192)                   \
        : [s0] "+&v"(s->v0), [s1] "+&v"(s->v1), [s2] "+&v"(s->v2), [s3] "+&v"(s->v3),              \
          [lo] "+&v"(sum->lo), [mi] "+&v"(sum->mi), [hi] "+&v"(sum->hi), [key] "=&r"(key)          \
        : [x0] "v"(x->v0), [x1] "v"(x->v1), [x2] "v"(x->v2), [x3] "v"(x3), [power] "r"(power),     \
          [early] "r"(early), [late] "r"(end - 112), [end] "r"(end), [in] "r"(in), [out] "r"(out), \
          [reverse] "v"(VREVERSE)                                                                  \
        : "cc", "memory", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",  \
          "xmm24", "xmm25")

/* clang-format on */

#define POWER_AT(off, d) "vbroadcasti32x4 " #off "(%[power]),%%zmm" #d "\n\t"

/* The first half of a group: x under H^28, H^24, H^20, H^16, in all lanes. */
PLAIT_INLINE void quad_step_first(quad *s, const hashed *x, vec first, vec pending, ghashv_sum *sum,
                                  const uint8_t *powers, const uint8_t *early, const uint8_t *end,
                                  uint8_t *out, const uint8_t *in)
{
    const uint8_t *key, *const power = ghashv_from(powers, 16);
    const vec x3 = x->v3;
    (void)first, (void)pending;
    QUAD_STEP(POWER_AT(-192, 18), POWER_AT(-128, 19), POWER_AT(-64, 18), POWER_AT(0, 19),
              REV(3, 25), "%%zmm25");
}

/* The second half: x under H^12, H^8, H^4, without its last vector, and the pending one under H^32.
 */
PLAIT_INLINE void quad_step_second(quad *s, const hashed *x, vec first, vec pending,
                                   ghashv_sum *sum, const uint8_t *powers, const uint8_t *early,
                                   const uint8_t *end, uint8_t *out, const uint8_t *in)
{
    const uint8_t *key, *const power = ghashv_from(powers, 12);
    const vec x3 = pending;
    (void)first;
    QUAD_STEP(POWER_AT(0, 18), POWER_AT(64, 19), POWER_AT(128, 18), POWER_AT(-320, 19), "",
              "%[x3]");
}

/* A group of the second half alone: the pending vector under H^16. */
PLAIT_INLINE void quad_step_half(quad *s, const hashed *x, vec first, vec pending, ghashv_sum *sum,
                                 const uint8_t *powers, const uint8_t *early, const uint8_t *end,
                                 uint8_t *out, const uint8_t *in)
{
    const uint8_t *key, *const power = ghashv_from(powers, 12);
    const vec x3 = pending;
    (void)first;
    QUAD_STEP(POWER_AT(0, 18), POWER_AT(64, 19), POWER_AT(128, 18), POWER_AT(-64, 19), "", "%[x3]");
}

/* Nothing is spilled. */
PLAIT_INLINE void calls_burn(size_t n)
{
    (void)n;
}

enum { SHORT_SPILLS = 0, LONG_SPILLS = 0, ALONE = QUAD };

#include "aes_gcm_vaes_body.h"
#include "aes_gcm_vaes_avx512_batch_body.h"

typedef char area_fits[AREA_POWERS + GHASHV_BYTES <= PLAIT_GCM_AREA ? 1 : -1];

PLAIT_TARGET_END

const plait_kernel plait_aes_gcm_vaes_avx512 = {PLAIT_KERNEL_ID(aes_gcm, vaes_avx512),
                                                PLAIT_NEEDS(avx512, vaes, vpclmul),
                                                .avoids = PLAIT_CPU_slow_512, .width = 32,
                                                .fn.aes_gcm = {.init = init,
                                                               .seal = seal,
                                                               .open = open,
                                                               .text_seal = text_seal,
                                                               .text_open = text_open,
                                                               .hash = hash,
                                                               .ctr32 = ctr32,
                                                               .seal_batch = seal_batch,
                                                               .open_batch = open_batch,
                                                               .batch_max = 16 * BATCH_MOST}};

#else
const plait_kernel plait_aes_gcm_vaes_avx512 = {PLAIT_KERNEL_ID(aes_gcm, vaes_avx512),
                                                PLAIT_NOT_BUILT(avx512, vaes, vpclmul)};
#endif
