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
 * rounds of 256 counters (aes_vaes_avx512_body.h) leaves 18 (22) and 8.9 cycles (12): long texts do
 * that. Karatsuba's product saved costs a shuffle on the same port.
 *
 * Three forms:
 *   short messages   AD, text and lengths up to 40 blocks: one pass over the powers of H, one
 *                    reduction, everything in straight lines by the number of vectors
 *   runs of quads    4 vectors of cipher beside 4 of hash, in one asm block (QUAD_STEP): both
 *                    compilers keep such an order only if they must. The hash of a group of 8
 *                    vectors keeps its four lanes apart (ghash_vpclmul_avx512_body.h). Sealing, the
 *                    cipher is one quad ahead; opening, both work on the same quad
 *   pieces           what is left of a text in the middle of a message, or near the counter's wrap;
 *                    rolled loops
 *
 * The end of a message. E(J0) and the block of lengths need no vector of their own: the last vector
 * has at most three blocks of text, and in the next lane J0 for the cipher and the lengths for the
 * hash; E(J0) is xored in that lane before the lanes are summed to the tag.
 *
 *      lane       0          1          2          3
 *      cipher     ctr n      ctr n+1    J0         (unused)
 *      hash       text       text       lengths    0             for a text that ends with 2 blocks
 *
 * Registers of QUAD_STEP: 4 states, 4 blocks to hash, 3 sums, and zmm16-25: round key, text, 2
 * powers, 4 products, 2 reversed blocks; the compiler has 11 for counters and constants.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

/* QUAD_STEP is one string; both compilers take strings of any length. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,vaes,vpclmulqdq,aes,pclmul")
#include "aes_vaes_avx512_body.h"
#include "ghash_vpclmul_avx512_body.h"

/* The area: that of aes_aesni_body.h, then the powers of ghash_vpclmul_avx512_body.h. */
enum { AREA_POWERS = PLAIT_AES_AREA };
typedef char area_fits[AREA_POWERS + GHASH512_BYTES <= PLAIT_GCM_AREA ? 1 : -1];

static void init(uint8_t area[PLAIT_GCM_AREA], const uint8_t *raw, size_t raw_len)
{
    const uint32_t rounds = aesni_expand(area, raw, raw_len);
    __m128i h = load(area);
#define ROUND(r) h = _mm_aesenc_si128(h, load(area + 16 * (r)));
    AESNI_ROUNDS_BETWEEN(rounds, ROUND)
#undef ROUND
    h = _mm_aesenclast_si128(h, load(area + 16 * rounds));
    ghash512_powers(area + AREA_POWERS, h, GHASH512_POWERS);
}

/* ---- four vectors of cipher beside four of hash ----
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
        : [x0] "v"(x->v0), [x1] "v"(x->v1), [x2] "v"(x->v2), [x3] "v"(x->v3), [power] "r"(power),  \
          [early] "r"(early), [late] "r"(end - 112), [end] "r"(end), [in] "r"(in), [out] "r"(out), \
          [reverse] "v"(REVERSE512)                                                                \
        : "cc", "memory", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",  \
          "xmm24", "xmm25")

/* clang-format on */

#define POWER_AT(off, d) "vbroadcasti32x4 " #off "(%[power]),%%zmm" #d "\n\t"

/* The first half of a group: x under H^28, H^24, H^20, H^16, in all lanes. */
PLAIT_INLINE void quad_step_first(quad *s, const quad *x, ghash512_sum *sum, const uint8_t *powers,
                                  const uint8_t *early, const uint8_t *end, uint8_t *out,
                                  const uint8_t *in)
{
    const uint8_t *key, *const power = ghash512_from(powers, 16);
    QUAD_STEP(POWER_AT(-192, 18), POWER_AT(-128, 19), POWER_AT(-64, 18), POWER_AT(0, 19),
              REV(3, 25), "%%zmm25");
}

/* The second half: x under H^12, H^8, H^4, and the pending vector, which is x->v3, under H^32. */
PLAIT_INLINE void quad_step_second(quad *s, const quad *x, ghash512_sum *sum, const uint8_t *powers,
                                   const uint8_t *early, const uint8_t *end, uint8_t *out,
                                   const uint8_t *in)
{
    const uint8_t *key, *const power = ghash512_from(powers, 12);
    QUAD_STEP(POWER_AT(0, 18), POWER_AT(64, 19), POWER_AT(128, 18), POWER_AT(-320, 19), "",
              "%[x3]");
}

/* A group of the second half alone: the pending vector under H^16. */
PLAIT_INLINE void quad_step_half(quad *s, const quad *x, ghash512_sum *sum, const uint8_t *powers,
                                 const uint8_t *early, const uint8_t *end, uint8_t *out,
                                 const uint8_t *in)
{
    const uint8_t *key, *const power = ghash512_from(powers, 12);
    QUAD_STEP(POWER_AT(0, 18), POWER_AT(64, 19), POWER_AT(128, 18), POWER_AT(-64, 19), "", "%[x3]");
}

/* ---- runs of quads ---- */

/* What is left to hash: a pending vector, and if late is set, the last quad of ciphertext. */
typedef struct rest {
    __m512i pending;
    quad x; /* reversed */
    int late;
    __m512i next; /* the next counter blocks */
} rest;

/* Adds it to sum; power: that of the first block after it. */
PLAIT_INLINE void rest_hash(const rest *r, ghash512_sum *sum, const uint8_t *power)
{
    if (r->late) {
        ghash512_add2(sum, r->x.v0, load512(power - 256), r->x.v1, load512(power - 192));
        ghash512_add2(sum, r->x.v2, load512(power - 128), r->x.v3, load512(power - 64));
        power -= 256;
    }
    ghash512_add(sum, r->pending, load512(power - 64));
}

/* Encrypts or decrypts `quads` >= 1 times 256 bytes, from n counter steps after block on, with the
 * hash going on from acc. keep: two rounds once. */
PLAIT_INLINE void quads_text(rest *r, const uint8_t *area, const uint8_t block[16], uint32_t n,
                             __m128i acc, uint8_t *out, const uint8_t *in, size_t quads,
                             const int keep, const int sealing)
{
    const uint8_t *const powers = area + AREA_POWERS;
    const uint32_t rounds = aesni_rounds(area);
    const uint8_t *const early = area + (keep ? 48 : 16), *const end = area + 16 * rounds;
    __m512i pending = _mm512_setzero_si512(), first = lane0(reverse(acc));
    counter512 c;
    ghash512_sum sum;
    quad s, x, y;
    two_rounds two;
    _Alignas(64) uint8_t state[256 * 16];
    counter512_start(&c, block, n);
    if (keep) two_rounds_start(&two, state, &c, area);
#define START s = keep ? two_rounds_quad(&two, &c, area) : counter512_quad(&c, area);
#define STEP(half)                                                                                 \
    quad_step_##half(&s, &x, &sum, powers, early, end, out, in);                                   \
    out += 256, in += 256;
#define PENDING pending = xor512(ghash512_reduce(&sum), reverse512(y.v3));
    if (sealing) {
        if (keep) two_rounds_deltas(&two, &c, area); /* of the first quad, which is not kept */
        s = counter512_quad(&c, area);
        aes512_quad(&s, area, rounds, 0, out, in);
        out += 256, in += 256;
        x = s;
        x.v0 = xor512(x.v0, first);
        for (; quads > 2; quads -= 2) {
            ghash512_clear(&sum);
            START
            STEP(first)
            y = x = s;
            x.v3 = pending;
            START
            STEP(second)
            PENDING
            x = s;
        }
        if (quads > 1) {
            ghash512_clear(&sum);
            y = x;
            x.v3 = pending;
            START
            STEP(half)
            PENDING
            x = s;
        }
        r->x = quad_reverse(&x);
    } else {
        for (; quads > 1; quads -= 2) {
            ghash512_clear(&sum);
            x = quad_load(in);
            x.v0 = xor512(x.v0, first);
            first = _mm512_setzero_si512();
            START
            STEP(first)
            y = x = quad_load(in);
            x.v3 = pending;
            START
            STEP(second)
            PENDING
        }
        if (quads > 0) {
            ghash512_clear(&sum);
            y = x = quad_load(in);
            x.v0 = xor512(x.v0, first);
            x.v3 = pending;
            START
            STEP(half)
            PENDING
        }
    }
#undef START
#undef STEP
#undef PENDING
    r->pending = pending;
    r->late = sealing;
    r->next = c.next;
    if (keep) wipe512(state, sizeof state / 64);
}

/* From how many quads on two rounds are kept: where what it costs (a store for each of the first 64
 * vectors, and their wipe) is earned back. */
enum { LONG_RUN = 36 };

/* The same with all hashed; returns acc. */
PLAIT_INLINE __m128i run_text(const uint8_t *area, const uint8_t block[16], uint32_t n, __m128i acc,
                              uint8_t *out, const uint8_t *in, size_t quads, const int keep,
                              const int sealing)
{
    rest r;
    ghash512_sum sum;
    quads_text(&r, area, block, n, acc, out, in, quads, keep, sealing);
    ghash512_clear(&sum);
    rest_hash(&r, &sum, ghash512_from(area + AREA_POWERS, 0));
    return fold512(ghash512_reduce(&sum));
}

PLAIT_NOINLINE static __m128i run_seal(const uint8_t *area, const uint8_t block[16], uint32_t n,
                                       __m128i acc, uint8_t *out, const uint8_t *in, size_t quads)
{
    return run_text(area, block, n, acc, out, in, quads, 0, 1);
}

PLAIT_NOINLINE static __m128i run_open(const uint8_t *area, const uint8_t block[16], uint32_t n,
                                       __m128i acc, uint8_t *out, const uint8_t *in, size_t quads)
{
    return run_text(area, block, n, acc, out, in, quads, 0, 0);
}

PLAIT_NOINLINE static __m128i long_run_seal(const uint8_t *area, const uint8_t block[16],
                                            uint32_t n, __m128i acc, uint8_t *out,
                                            const uint8_t *in, size_t quads)
{
    return run_text(area, block, n, acc, out, in, quads, 1, 1);
}

PLAIT_NOINLINE static __m128i long_run_open(const uint8_t *area, const uint8_t block[16],
                                            uint32_t n, __m128i acc, uint8_t *out,
                                            const uint8_t *in, size_t quads)
{
    return run_text(area, block, n, acc, out, in, quads, 1, 0);
}

/* ---- pieces ---- */

/* len <= 256, any counter. final: the end of a message, which takes its last block along; returns
 * the tag then, else acc. */
PLAIT_INLINE __m128i piece(const uint8_t *area, const uint8_t block[16], uint32_t n, __m128i acc,
                           uint8_t *out, const uint8_t *in, size_t len, const int final,
                           uint64_t ad_len, uint64_t text_len, const int sealing)
{
    const uint32_t rounds = aesni_rounds(area);
    const size_t blocks = (len + 15) / 16;
    const uint8_t *power = ghash512_from(area + AREA_POWERS, blocks + (size_t) final);
    const __m512i lanes = all_lanes_in_parts(block), k = aes512_last_key(area, rounds);
    const unsigned at = 2 * (unsigned)(blocks % 4);
    __m512i next = counter512_from(lanes, n), y = lane0(acc), s, t, x;
    ghash512_sum sum;
    ghash512_clear(&sum);
    for (; len >= 64; out += 64, in += 64, power += 64, len -= 64) {
        t = load512(in);
        s = aes512_last(aes512_rounds(area, rounds, counter512_swap(next)), k, t);
        store512(out, s);
        ghash512_add(&sum, xor512(reverse512(sealing ? s : t), y), load512(power));
        y = _mm512_setzero_si512();
        next = counter512_add(next, 4, 0);
    }
    if (final ? len > 48 : len > 0) {
        t = load512_part(in, len);
        s = aes512_last(aes512_rounds(area, rounds, counter512_swap(next)), k, t);
        store512_part(out, s, len);
        x = sealing ? _mm512_maskz_mov_epi8(first64(len), s) : t;
        ghash512_add(&sum, xor512(reverse512(x), y), load512(power));
        y = _mm512_setzero_si512();
        next = counter512_add(next, 4, 0);
        power += 64, len = 0;
    }
    if (!final) return fold512(ghash512_reduce(&sum));
    s = _mm512_mask_mov_epi64(counter512_swap(next), (__mmask8)(3u << at), lanes);
    t = len > 0 ? load512_part(in, len) : _mm512_setzero_si512();
    s = aes512_last(aes512_rounds(area, rounds, s), k, t);
    if (len > 0) store512_part(out, s, len);
    x = reverse512(sealing ? _mm512_maskz_mov_epi8(first64(len), s) : t);
    x = _mm512_mask_set1_epi64(x, (__mmask8)(1u << at), (long long)(text_len << 3));
    x = _mm512_mask_set1_epi64(x, (__mmask8)(2u << at), (long long)(ad_len << 3));
    ghash512_add(&sum, xor512(x, y), load512(power));
    x = reverse512(ghash512_reduce(&sum));
    return fold512(_mm512_mask_xor_epi64(x, (__mmask8)(3u << at), x, s));
}

PLAIT_NOINLINE static __m128i piece_seal(const uint8_t *area, const uint8_t block[16], uint32_t n,
                                         __m128i acc, uint8_t *out, const uint8_t *in, size_t len)
{
    return piece(area, block, n, acc, out, in, len, 0, 0, 0, 1);
}

PLAIT_NOINLINE static __m128i piece_open(const uint8_t *area, const uint8_t block[16], uint32_t n,
                                         __m128i acc, uint8_t *out, const uint8_t *in, size_t len)
{
    return piece(area, block, n, acc, out, in, len, 0, 0, 0, 0);
}

PLAIT_NOINLINE static __m128i last_piece_seal(const uint8_t *area, const uint8_t block[16],
                                              uint32_t n, __m128i acc, uint8_t *out,
                                              const uint8_t *in, size_t len, uint64_t ad_len,
                                              uint64_t text_len)
{
    return piece(area, block, n, acc, out, in, len, 1, ad_len, text_len, 1);
}

PLAIT_NOINLINE static __m128i last_piece_open(const uint8_t *area, const uint8_t block[16],
                                              uint32_t n, __m128i acc, uint8_t *out,
                                              const uint8_t *in, size_t len, uint64_t ad_len,
                                              uint64_t text_len)
{
    return piece(area, block, n, acc, out, in, len, 1, ad_len, text_len, 0);
}

/* Any text in the middle of a message. */
PLAIT_INLINE void text(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                       const uint8_t *in, size_t len, const int sealing)
{
    const size_t quads = len / 256;
    __m128i y = reverse(load(acc));
    if (quads >= LONG_RUN)
        y = (sealing ? long_run_seal : long_run_open)(area, block, 0, y, out, in, quads);
    else if (quads > 0)
        y = (sealing ? run_seal : run_open)(area, block, 0, y, out, in, quads);
    out += 256 * quads, in += 256 * quads, len -= 256 * quads;
    if (len > 0)
        y = (sealing ? piece_seal : piece_open)(area, block, 16 * (uint32_t)quads, y, out, in, len);
    store(acc, reverse(y));
}

/* ---- the end of a message, in straight lines ---- */

typedef struct tail {
    const uint8_t *area, *power; /* power: that of the first block */
    uint8_t *out;
    const uint8_t *in;
    const rest *before; /* to be hashed first, or NULL */
    __m512i next;       /* counter blocks, in wire order; their last byte does not wrap */
    __m512i j0;         /* in all lanes */
    __m512i lengths;    /* in the lane of the final block */
    __mmask64 some;     /* which bytes of the last vector but one are text */
    __mmask64 few;      /* and of the last one */
    __mmask8 lane;      /* the two quadwords of the final block */
} tail;

/* v vectors, 1 <= v <= 5; v and sealing are constants. Adds their hash to sum; returns the last one
 * as it left the cipher. */
PLAIT_INLINE __m512i tail_vectors(const tail *x, ghash512_sum *sum, const int v, const int sealing)
{
    const uint8_t *const area = x->area, *const in = x->in;
    uint8_t *const out = x->out;
    const uint32_t rounds = aesni_rounds(area);
    __m512i k, s0, s1, s2, s3, s4, t0, t1, t2, t3, t4;
    s0 = s1 = s2 = s3 = s4 = t0 = t1 = t2 = t3 = t4 = _mm512_setzero_si512();
#define FIRST(i)                                                                                   \
    if (i < v) {                                                                                   \
        s##i = i == 0 ? x->next : counter512_add(x->next, 4 * i, 24);                              \
        if (i == v - 1) s##i = _mm512_mask_mov_epi64(s##i, x->lane, x->j0);                        \
        s##i = xor512(s##i, k);                                                                    \
    }
#define MIDDLE(i)                                                                                  \
    if (i < v) s##i = _mm512_aesenc_epi128(s##i, k);
#define LAST(i)                                                                                    \
    if (i < v - 2) {                                                                               \
        t##i = load512(in + 64 * i);                                                               \
        s##i = aes512_last(s##i, k, t##i);                                                         \
        store512(out + 64 * i, s##i);                                                              \
        t##i = reverse512(sealing ? s##i : t##i);                                                  \
    } else if (i == v - 2) {                                                                       \
        t##i = _mm512_maskz_loadu_epi8(x->some, in + 64 * i);                                      \
        s##i = aes512_last(s##i, k, t##i);                                                         \
        _mm512_mask_storeu_epi8(out + 64 * i, x->some, s##i);                                      \
        t##i = reverse512(sealing ? _mm512_maskz_mov_epi8(x->some, s##i) : t##i);                  \
    } else if (i == v - 1) {                                                                       \
        if (x->few != 0) t##i = _mm512_maskz_loadu_epi8(x->few, in + 64 * i);                      \
        s##i = aes512_last(s##i, k, t##i);                                                         \
        if (x->few != 0) _mm512_mask_storeu_epi8(out + 64 * i, x->few, s##i);                      \
        t##i = reverse512(sealing ? _mm512_maskz_mov_epi8(x->few, s##i) : t##i);                   \
        t##i = xor512(t##i, x->lengths);                                                           \
    }
#define ROUNDS(SOME)                                                                               \
    AES512_KEY(k, area, 0);                                                                        \
    SOME(FIRST)                                                                                    \
    AESNI_ROUNDS_BETWEEN(rounds, ROUND_##SOME)
#define ENDS(SOME)                                                                                 \
    k = aes512_last_key(area, rounds);                                                             \
    SOME(LAST)
#define ROUND(SOME, r)                                                                             \
    AES512_KEY(k, area, r);                                                                        \
    SOME(MIDDLE)
#define ALL(F)       F(0) F(1) F(2) F(3) F(4)
#define V01(F)       F(0) F(1)
#define V23(F)       F(2) F(3)
#define V4(F)        F(4)
#define ROUND_ALL(r) ROUND(ALL, r)
#define ROUND_V01(r) ROUND(V01, r)
#define ROUND_V23(r) ROUND(V23, r)
#define ROUND_V4(r)  ROUND(V4, r)
#define POWER(i)     load512(x->power + 64 * i)
    if (sealing && v >= 4) {
        /* In steps, the hash one step behind the cipher: instructions that wait for others fill the
         * scheduler (97 entries on Sapphire Rapids), and then the core sees nothing beyond. */
        ROUNDS(V01)
        if (x->before != NULL) rest_hash(x->before, sum, x->power);
        ENDS(V01)
        ROUNDS(V23)
        ENDS(V23)
        ghash512_add2(sum, t0, POWER(0), t1, POWER(1));
        if (v == 5) {
            ROUNDS(V4)
            ENDS(V4)
        }
        ghash512_add2(sum, t2, POWER(2), t3, POWER(3));
        if (v == 5) ghash512_add(sum, t4, POWER(4));
    } else {
        ROUNDS(ALL)
        if (x->before != NULL) rest_hash(x->before, sum, x->power);
        ENDS(ALL)
        if (v == 1) ghash512_add(sum, t0, POWER(0));
        if (v >= 2) ghash512_add2(sum, t0, POWER(0), t1, POWER(1));
        if (v == 3) ghash512_add(sum, t2, POWER(2));
        if (v >= 4) ghash512_add2(sum, t2, POWER(2), t3, POWER(3));
        if (v == 5) ghash512_add(sum, t4, POWER(4));
    }
#undef FIRST
#undef MIDDLE
#undef LAST
#undef ROUNDS
#undef ENDS
#undef POWER
    return v == 1 ? s0 : v == 2 ? s1 : v == 3 ? s2 : v == 4 ? s3 : s4;
}

/* Takes 128 bytes at a time off a text, until it has 256 at most. */
PLAIT_INLINE size_t tail_shorten(tail *x, ghash512_sum *sum, size_t len, const int sealing)
{
    const uint32_t rounds = aesni_rounds(x->area);
    for (; len > 256; len -= 128) {
        const __m512i k = aes512_last_key(x->area, rounds), t = load512(x->in),
                      u = load512(x->in + 64);
        __m512i a = x->next, b = counter512_add(x->next, 4, 24);
        x->next = counter512_add(x->next, 8, 24);
        aes512_rounds2(x->area, rounds, &a, &b);
        a = aes512_last(a, k, t);
        b = aes512_last(b, k, u);
        store512(x->out, a);
        store512(x->out + 64, b);
        ghash512_add2(sum, reverse512(sealing ? a : t), load512(x->power),
                      reverse512(sealing ? b : u), load512(x->power + 64));
        x->power += 128, x->in += 128, x->out += 128;
    }
    return len;
}

/* The end of a message, len <= 256. Returns the tag. */
PLAIT_INLINE __m128i tail_message(tail *x, ghash512_sum *sum, size_t len, uint64_t ad_len,
                                  uint64_t text_len, const int sealing)
{
    const size_t blocks = (len + 15) / 16;
    const unsigned at = 2 * (unsigned)(blocks % 4);
    __m512i e = x->next, y;
    x->lane = (__mmask8)(3u << at);
    x->lengths = _mm512_maskz_broadcast_i64x2(
        x->lane, _mm_set_epi64x((long long)(ad_len << 3), (long long)(text_len << 3)));
    /* at == 0: the final block is alone in its vector, and the one before it has 49 to 64 bytes. */
    x->some = at != 0 ? ~UINT64_C(0) : ~UINT64_C(0) >> (-len & 63);
    x->few = at != 0 ? first64(len & 63) : 0;
    switch (blocks / 4) {
#define CASE(i)                                                                                    \
    case i:                                                                                        \
        e = tail_vectors(x, sum, i + 1, sealing);                                                  \
        break;
        CASE(0) CASE(1) CASE(2) CASE(3) CASE(4)
#undef CASE
    }
    y = reverse512(ghash512_reduce(sum));
    return fold512(_mm512_mask_xor_epi64(y, x->lane, y, e)); /* E(J0), in its lane */
}

/* ---- messages ---- */

/* May a message go in one pass over the powers, and with the last byte of its counter not wrapping?
 */
PLAIT_INLINE int one_pass(const uint8_t j0[16], size_t ad_len, size_t len)
{
    return ((ad_len | len) < 1024) & ((ad_len + 15) / 16 + (len + 15) / 16 < GHASH512_POWERS) &
           (j0[15] < 256 - GHASH512_POWERS);
}

/* Its start: the AD, and where the text begins. */
PLAIT_INLINE void tail_start(tail *x, ghash512_sum *sum, const uint8_t *area, uint8_t *out,
                             const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                             const uint8_t *in, size_t len)
{
    const size_t ad_blocks = (ad_len + 15) / 16, blocks = (len + 15) / 16;
    const uint8_t *power = ghash512_from(area + AREA_POWERS, ad_blocks + blocks + 1);
    ghash512_clear(sum);
    x->area = area;
    x->power = power + 16 * ad_blocks;
    x->in = in;
    x->out = out;
    x->before = NULL;
    x->j0 = all_lanes_in_parts(j0);
    x->next = _mm512_add_epi32(x->j0, _mm512_set_epi32(4 << 24, 0, 0, 0, 3 << 24, 0, 0, 0, 2 << 24,
                                                       0, 0, 0, 1 << 24, 0, 0, 0));
    for (; ad_len >= 64; ad += 64, ad_len -= 64, power += 64)
        ghash512_add(sum, reverse512(load512(ad)), load512(power));
    if (ad_len > 0) ghash512_add(sum, reverse512(load512_part(ad, ad_len)), load512(power));
}

/* A message of one pass. */
PLAIT_INLINE void short_message(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                                const uint8_t *in, size_t len, const int sealing)
{
    ghash512_sum sum;
    tail x;
    tail_start(&x, &sum, area, out, j0, ad, ad_len, in, len);
    const size_t left = tail_shorten(&x, &sum, len, sealing);
    store(tag, tail_message(&x, &sum, left, ad_len, len, sealing));
}

/* Any other. */
PLAIT_INLINE void long_message(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                               const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                               const uint8_t *in, size_t len, const int sealing)
{
    const uint8_t *const powers = area + AREA_POWERS;
    const size_t quads = len / 256, left = len % 256;
    const uint32_t n = 1 + 16 * (uint32_t)quads; /* counter steps from J0 to what quads leave */
    const int wraps = (plait_load32_be(j0 + 12) + n) % 256 + (left + 15) / 16 > 256;
    __m128i acc = _mm_setzero_si128();
    if (ad_len > 0) acc = ghash512_absorb(powers, acc, ad, ad_len);
    if ((quads == 0) | (quads >= LONG_RUN) | wraps) {
        if (quads >= LONG_RUN)
            acc = (sealing ? long_run_seal : long_run_open)(area, j0, 1, acc, out, in, quads);
        else if (quads > 0)
            acc = (sealing ? run_seal : run_open)(area, j0, 1, acc, out, in, quads);
        acc = (sealing ? last_piece_seal : last_piece_open)(area, j0, n, acc, out + 256 * quads,
                                                            in + 256 * quads, left, ad_len, len);
    } else {
        ghash512_sum sum;
        rest before;
        tail x;
        ghash512_clear(&sum);
        quads_text(&before, area, j0, 1, acc, out, in, quads, 0, sealing);
        x.area = area;
        x.power = ghash512_from(powers, (left + 15) / 16 + 1);
        x.in = in + 256 * quads;
        x.out = out + 256 * quads;
        x.before = &before;
        x.j0 = all_lanes_in_parts(j0);
        x.next = before.next;
        acc = tail_message(&x, &sum, left, ad_len, len, sealing);
        plait_wipe(&before, sizeof before);
    }
    store(tag, acc);
}

#define MESSAGE(name, form, sealing)                                                               \
    PLAIT_NOINLINE static void name(const uint8_t *area, uint8_t *out, uint8_t tag[16],            \
                                    const uint8_t j0[16], const uint8_t *ad, size_t ad_len,        \
                                    const uint8_t *in, size_t len)                                 \
    {                                                                                              \
        form(area, out, tag, j0, ad, ad_len, in, len, sealing);                                    \
    }
MESSAGE(short_seal, short_message, 1)
MESSAGE(short_open, short_message, 0)
MESSAGE(long_seal, long_message, 1)
MESSAGE(long_open, long_message, 0)
#undef MESSAGE

/* 256 bytes at most by themselves: with no loop but that of the AD, and no call but in the place of
 * a return, they need no frame. */
PLAIT_INLINE void message(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                          const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len,
                          const int sealing)
{
    if (PLAIT_LIKELY((len <= 256) & one_pass(j0, ad_len, len))) {
        ghash512_sum sum;
        tail x;
        tail_start(&x, &sum, area, out, j0, ad, ad_len, in, len);
        store(tag, tail_message(&x, &sum, len, ad_len, len, sealing));
    } else if (one_pass(j0, ad_len, len)) {
        (sealing ? short_seal : short_open)(area, out, tag, j0, ad, ad_len, in, len);
    } else {
        (sealing ? long_seal : long_open)(area, out, tag, j0, ad, ad_len, in, len);
    }
}

static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    message(area, out, tag, j0, ad, ad_len, in, len, 1);
}

static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    message(area, out, tag, j0, ad, ad_len, in, len, 0);
}

static void text_seal(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    text(area, acc, block, out, in, len, 1);
}

static void text_open(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    text(area, acc, block, out, in, len, 0);
}

static void hash(const uint8_t *area, uint8_t acc[16], const uint8_t *data, size_t len)
{
    if (len > 0)
        store(acc, reverse(ghash512_absorb(area + AREA_POWERS, reverse(load(acc)), data, len)));
}

static void ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    aes512_ctr32(area, out, in, len, block);
}

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
                                                               .ctr32 = ctr32}};

#else
const plait_kernel plait_aes_gcm_vaes_avx512 = {PLAIT_KERNEL_ID(aes_gcm, vaes_avx512),
                                                PLAIT_NOT_BUILT(avx512, vaes, vpclmul)};
#endif
