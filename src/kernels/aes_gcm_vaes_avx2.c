/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_vaes_avx2 - AES-GCM in one pass with VAES and VPCLMULQDQ on 256-bit vectors, 16 blocks to
 * a reduction, for CPUs that have them without AVX-512: AMD Zen 3, Intel since Alder Lake.
 *
 * What bounds it. Intel has three ports for 256-bit vectors: two of them do AES, one carry-less
 * products, one or two byte shuffles, all of them xors and adds. A quad of 8 blocks takes 40 AES
 * rounds (56 for AES-256), 12 products, 8 shuffles and some 32 xors and adds: 92 in all (108), so
 * 31 cycles (36). On Zen 3 a product is several operations, two cycles of one unit. Without a
 * three-way xor, schoolbook's fourth product costs a product and a xor where Karatsuba's sums of
 * halves cost, for a pair of vectors, two shuffles and a xor: so Karatsuba.
 *
 * Registers of QUAD_STEP: 4 states, 3 sums, and ymm0-5: round key, power, 2 blocks, 2 products. The
 * compiler has three, of which one is the pending vector, and one holds the next counter blocks; so
 * what is to be hashed is read from memory. At the ends of messages, compilers move round keys and
 * sums to the stack (calls_burn). All but QUAD_STEP, with the mathematics and the forms
 * of messages: aes_gcm_vaes_body.h and what it includes.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

/* QUAD_STEP is one string; both compilers take strings of any length. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

PLAIT_TARGET_BEGIN("avx2,vaes,vpclmulqdq,aes,pclmul")
#include "v256_body.h"
#include "aes_vaes_body.h"
#include "ghash_vpclmul_body.h"

/* What waits for the hash, where it is. */
typedef const uint8_t *hashed;

PLAIT_INLINE hashed hashed_sealed(const quad *s, const uint8_t *out)
{
    (void)s;
    return out;
}

PLAIT_INLINE hashed hashed_opened(const uint8_t *in)
{
    return in;
}

PLAIT_INLINE vec hashed_last(const hashed *x)
{
    return vload(*x + 3 * VEC);
}

/* quad_step_first adds it. */
PLAIT_INLINE vec hashed_add(const hashed *x, vec y)
{
    (void)x;
    return y;
}

PLAIT_INLINE quad hashed_quad(const hashed *x, vec first)
{
    quad r = quad_load(*x);
    r.v0 = vxor(r.v0, first);
    return quad_reverse(&r);
}

/* Behind the powers, for each pair of vectors that is hashed together, the sums of the halves of
 * its two powers, the first vector's in the low half. In units of two blocks. */
enum { SUM_7_6, SUM_5_4, SUM_3_2, SUM_1_8, SUM_1_4, SUMS };
enum { AREA_SUMS = PLAIT_AES_AREA + GHASHV_BYTES };
typedef char area_fits[AREA_SUMS + 16 * SUMS <= PLAIT_GCM_AREA ? 1 : -1];
typedef char sums_are_there[GHASHV_BYTES - 2 * VEC == 32 * 9 ? 1 : -1]; /* see SUM below */

PLAIT_INLINE void hashed_init(uint8_t *area)
{
    const uint8_t *const powers = area + PLAIT_AES_AREA;
#define PLAIT_SUM(i, j)                                                                            \
    {                                                                                              \
        const __m128i p = load(ghashv_from(powers, 2 * i)), q = load(ghashv_from(powers, 2 * j));  \
        store(area + AREA_SUMS + 16 * SUM_##i##_##j,                                               \
              xor128(_mm_unpacklo_epi64(p, q), _mm_unpackhi_epi64(p, q)));                         \
    }
    PLAIT_SUM(7, 6)
    PLAIT_SUM(5, 4)
    PLAIT_SUM(3, 2)
    PLAIT_SUM(1, 8)
    PLAIT_SUM(1, 4)
#undef PLAIT_SUM
}

/* ---- a quad of cipher beside a quad of hash ----
 *
 * Each step of the hash stands beside one of the cipher.
 *
 *   s      in: states; out: the text, which also goes to out
 *   early  the first round key not yet in s. The rounds before the last eight go two at a time and
 *          without a hash beside them: none, one, two or three times
 *   x      where the blocks are that the hash takes. out may be the same place
 *
 * Offsets of powers and of their sums are from H^16.
 */
/* clang-format off */
#define STR_(x)            #x
#define STR(x)             STR_(x)
#define ROUND_KEY(off)     "vbroadcasti128 " STR(off) "(%[end]),%%ymm0\n\t"
#define ENC(s)             "vaesenc %%ymm0,%[s" #s "],%[s" #s "]\n\t"
#define REV(d)             "vpshufb %[reverse],%%ymm" #d ",%%ymm" #d "\n\t"
#define BLOCKS(i, d)       "vmovdqu 32*" #i "(%[x]),%%ymm" #d "\n\t" REV(d)
#define BLOCKS_FIRST(d)    "vpxor (%[x]),%[first],%%ymm" #d "\n\t" REV(d)
#define PENDING_BLOCKS(d)  "vmovdqa %[pending],%%ymm" #d "\n\t"
#define POWER_AT(k)        "vbroadcasti128 32*(8-" #k ")(%[power]),%%ymm1\n\t"
#define SUM(i)             "vbroadcasti128 32*9+16*" #i "(%[power]),%%ymm1\n\t"
#define MUL(half, x, d)    "vpclmulqdq $0x" #half ",%%ymm1,%%ymm" #x "," d "\n\t"
#define JOIN(a, d)         "vpxor %%ymm" #a ",%[" #d "],%[" #d "]\n\t"
#define SET(a, d)          "vmovdqa %%ymm" #a ",%[" #d "]\n\t"

/* Two vectors hashed; beside it, fourteen steps of the cipher. PUT: JOIN, or SET for the first. */
#define HASH2(PUT, x, y, power_x, power_y, sum_xy, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11,   \
              e12, e13, e14)                                                                       \
    x e1 e2 power_x MUL(00, 2, "%%ymm4") e3 MUL(11, 2, "%%ymm5") e4 y e5 PUT(4, lo) e6 PUT(5, hi)  \
    power_y e7 MUL(00, 3, "%%ymm4") e8 MUL(11, 3, "%%ymm5")                                        \
    "vpunpcklqdq %%ymm3,%%ymm2,%%ymm1\n\tvpunpckhqdq %%ymm3,%%ymm2,%%ymm2\n\t" e9 JOIN(4, lo) e10  \
    "vpxor %%ymm1,%%ymm2,%%ymm2\n\t" sum_xy JOIN(5, hi) e11 MUL(00, 2, "%%ymm4") e12               \
    MUL(11, 2, "%%ymm5") e13 PUT(4, mi) e14 JOIN(5, mi)

#define LAST_ROUND(s, off)                                                                         \
    "vpxor " #off "(%[in]),%%ymm0,%%ymm1\n\t"                                                      \
    "vaesenclast %%ymm1,%[s" #s "],%[s" #s "]\n\t"                                                 \
    "vmovdqu %[s" #s "]," #off "(%[out])\n\t"

#define QUAD_STEP(PUT, x0, power0, power1, sum01, power2, y3, power3, sum23, ...)                  \
    __asm__ volatile(                                                                              \
        "mov %[early],%[key]\n\t"                                                                  \
        "jmp 3f\n\t"                                                                               \
        "2:\n\t"                                                                                   \
        "vbroadcasti128 (%[key]),%%ymm0\n\t" ENC(0) ENC(1) ENC(2) ENC(3)                           \
        "vbroadcasti128 16(%[key]),%%ymm0\n\t" ENC(0) ENC(1) ENC(2) ENC(3)                         \
        "add $32,%[key]\n\t"                                                                       \
        "3:\n\t"                                                                                   \
        "cmp %[late],%[key]\n\t"                                                                   \
        "jne 2b\n\t"                                                                               \
        HASH2(PUT, x0, BLOCKS(1, 3), power0, power1, sum01,                                        \
              ROUND_KEY(-112) ENC(0), ENC(1), ENC(2), ENC(3),                                      \
              ROUND_KEY(-96) ENC(0), ENC(1), ENC(2), ENC(3),                                       \
              ROUND_KEY(-80) ENC(0), ENC(1), ENC(2), ENC(3), ROUND_KEY(-64) ENC(0), ENC(1))        \
        HASH2(JOIN, BLOCKS(2, 2), y3, power2, power3, sum23, ENC(2), ENC(3),                       \
              ROUND_KEY(-48) ENC(0), ENC(1), ENC(2), ENC(3),                                       \
              ROUND_KEY(-32) ENC(0), ENC(1), ENC(2), ENC(3),                                       \
              ROUND_KEY(-16) ENC(0), ENC(1), ENC(2), ENC(3))                                       \
        ROUND_KEY(0)                                                                               \
        LAST_ROUND(0, 0) LAST_ROUND(1, 32) LAST_ROUND(2, 64) LAST_ROUND(3, 96)                     \
        : [s0] "+&x"(s->v0), [s1] "+&x"(s->v1), [s2] "+&x"(s->v2), [s3] "+&x"(s->v3),              \
          [lo] "+&x"(sum->lo), [mi] "+&x"(sum->mi), [hi] "+&x"(sum->hi), [key] "=&r"(key)          \
        : [x] "r"(*x), [power] "r"(ghashv_from(powers, 16)), [early] "r"(early),                   \
          [late] "r"(end - 112), [end] "r"(end), [in] "r"(in), [out] "r"(out),                     \
          [reverse] "m"(reverse), __VA_ARGS__                                                      \
        : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5")
/* clang-format on */

/* The first half of a group: the quad x under H^14, H^12, H^10, H^8, its first vector with `first`
 * added. sum was cleared before. */
PLAIT_INLINE void quad_step_first(quad *s, const hashed *x, vec first, vec pending, ghashv_sum *sum,
                                  const uint8_t *powers, const uint8_t *early, const uint8_t *end,
                                  uint8_t *out, const uint8_t *in)
{
    const vec reverse = VREVERSE;
    const uint8_t *key;
    (void)pending;
    QUAD_STEP(SET, BLOCKS_FIRST(2), POWER_AT(7), POWER_AT(6), SUM(0), POWER_AT(5), BLOCKS(3, 3),
              POWER_AT(4), SUM(1), [first] "x"(first));
}

/* What reduction expects of the middle sum. */
PLAIT_INLINE void karatsuba_end(ghashv_sum *sum)
{
    sum->mi = vxor3(sum->mi, sum->lo, sum->hi);
}

/* The second half: x under H^6, H^4, H^2, without its last vector, and the pending one under H^16.
 */
PLAIT_INLINE void quad_step_second(quad *s, const hashed *x, vec first, vec pending,
                                   ghashv_sum *sum, const uint8_t *powers, const uint8_t *early,
                                   const uint8_t *end, uint8_t *out, const uint8_t *in)
{
    const vec reverse = VREVERSE;
    const uint8_t *key;
    (void)first;
    QUAD_STEP(JOIN, BLOCKS(0, 2), POWER_AT(3), POWER_AT(2), SUM(2), POWER_AT(1), PENDING_BLOCKS(3),
              POWER_AT(8), SUM(3), [pending] "x"(pending));
    karatsuba_end(sum);
}

/* A group of the second half alone: the pending vector under H^8; `first` as in the first half. */
PLAIT_INLINE void quad_step_half(quad *s, const hashed *x, vec first, vec pending, ghashv_sum *sum,
                                 const uint8_t *powers, const uint8_t *early, const uint8_t *end,
                                 uint8_t *out, const uint8_t *in)
{
    const vec reverse = VREVERSE;
    const uint8_t *key;
    QUAD_STEP(SET, BLOCKS_FIRST(2), POWER_AT(3), POWER_AT(2), SUM(2), POWER_AT(1),
              PENDING_BLOCKS(3), POWER_AT(4), SUM(4), [first] "x"(first), [pending] "x"(pending));
    karatsuba_end(sum);
}

/* Beneath the frame of the caller: saved registers, spills and the red zone of what it called. By
 * plait_burn_stack(1024) after each message, those of 16 bytes took 14 to 40
 * cycles more, of 53; those of 320 to 512 bytes 15 fewer, of 200. */
enum { SHORT_SPILLS = 384, LONG_SPILLS = 1024 };
static PLAIT_NOINLINE void calls_burn(size_t n)
{
    _Alignas(32) uint8_t below[LONG_SPILLS];
    vec zero = vzero();
    __asm__("" : "+x"(zero)); /* or GCC makes it REP STOS, which is slow */
    for (uint8_t *p = below + LONG_SPILLS - n; p < below + LONG_SPILLS; p += 4 * VEC) {
        vstore(p, zero);
        vstore(p + VEC, zero);
        vstore(p + 2 * VEC, zero);
        vstore(p + 3 * VEC, zero);
    }
    __asm__ volatile("" : : "r"(below) : "memory");
}

/* With a fourth and fifth vector, compilers spill. */
enum { ALONE = 5 * 16 };

#include "aes_gcm_vaes_body.h"

PLAIT_TARGET_END

const plait_kernel plait_aes_gcm_vaes_avx2 = {PLAIT_KERNEL_ID(aes_gcm, vaes_avx2),
                                              PLAIT_NEEDS(avx2, vaes, vpclmul),
                                              .width = 16,
                                              .fn.aes_gcm = {.init = init,
                                                             .seal = seal,
                                                             .open = open,
                                                             .text_seal = text_seal,
                                                             .text_open = text_open,
                                                             .hash = hash,
                                                             .ctr32 = ctr32}};

#else
const plait_kernel plait_aes_gcm_vaes_avx2 = {PLAIT_KERNEL_ID(aes_gcm, vaes_avx2),
                                              PLAIT_NOT_BUILT(avx2, vaes, vpclmul)};
#endif
