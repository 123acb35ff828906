/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_aesni_body.h - AES-GCM whole, with AES and PCLMULQDQ instructions on 128-bit vectors.
 * Included inside a target region with aes, pclmul and sse4.1, or avx for the VEX encoding; the
 * file that does it ends with a descriptor of the functions made here.
 *
 * Wide path, 128 bytes and more: eight blocks a step. Their AES rounds (8 x 10 AESENC on two ports)
 * are mixed with the GHASH of eight blocks (26 PCLMULQDQ on a third one): those of the step before
 * in seal, whose ciphertext is known, and those of the same step in open, read before they may be
 * overwritten. Per block of AES-128-GCM: 10 AES instructions, 1 for the counter block, 1 for text ^
 * last key, 1 byte reversal, 3 products, 4.5 of xor and unpacking, 1 of reduction: 21.5 for three
 * vector ports, of which none could be left out.
 *
 * Counter blocks cost one xor each: where a step's first counter is 2 mod 8, as it is with 12-byte
 * nonces, its eight counters are u + 2, ..., u + 7, u + 8, u + 9 with u a multiple of 8, so that
 * block ^ key 0 is one of two vectors that change once a step, xored with a constant in the lowest
 * bits. Other messages take a few blocks apart until they are there.
 *
 * Short path, and the end of the wide one: up to eight blocks and the block for the tag side by
 * side, their GHASH with the lengths (and the additional data, if all together are at most eight
 * blocks) by one sum and one reduction: the way from the last AES round to the tag is one product
 * and one reduction.
 *
 * Registers: 8 states, 1 round key, 3 sums, 4 of counter and temporaries.
 *
 * The area: that of aes_aesni (256 bytes), then that of ghash_pclmul with all eight powers.
 */
#include "aes_aesni_body.h"
#include "ghash_pclmul_body.h"

enum { GCM_HASH = PLAIT_AES_AREA };

static void init(uint8_t area[PLAIT_GCM_AREA], const uint8_t *raw, size_t raw_len)
{
    const uint32_t rounds = aesni_expand(area, raw, raw_len);
    __m128i h = load(area);
    for (uint32_t r = 1; r < rounds; r++) h = _mm_aesenc_si128(h, load(area + 16 * r));
    h = _mm_aesenclast_si128(h, load(area + 16 * rounds));
    ghash_powers(area + GCM_HASH, h, 8);
}

/* message_... and piece_... are calls, so that what a compiler spills in them is just below the
 * frame of their caller, which burns it. plait_burn_stack(768) took 15 cycles of messages that take
 * 45 (16 bytes), and 55 of longer ones. */
enum { GCM_SPILLS = 448 };
static PLAIT_NOINLINE void gcm_burn(void)
{
    _Alignas(16) uint8_t below[GCM_SPILLS];
    /* opaque, or GCC makes it REP STOS, which is slow */
    const __m128i zero = opaque128(_mm_setzero_si128());
    for (uint8_t *p = below; p < below + GCM_SPILLS; p += 64) {
        store(p, zero);
        store(p + 16, zero);
        store(p + 32, zero);
        store(p + 48, zero);
    }
    __asm__ volatile("" : : "r"(below) : "memory");
}

/* ---- wide steps of 8 blocks ----
 *
 * The rounds and the hash of a step are one asm block: from intrinsics, GCC 12 and Clang 14 mix the
 * AES instructions and the hash as they like, and spill 15 to 60 vectors a step. The two encodings
 * differ in the vocabulary (AES, XOR, MUL, ...), which the including file defines.
 *
 * s0 to s7: the states; k: round key; lo, mi, hi: the sums of the step before, to be reduced first,
 * and then those of this step; x, y: two blocks; t, u: temporaries. */

/* clang-format off */
#define R_s0 "%[s0]"
#define R_s1 "%[s1]"
#define R_s2 "%[s2]"
#define R_s3 "%[s3]"
#define R_s4 "%[s4]"
#define R_s5 "%[s5]"
#define R_s6 "%[s6]"
#define R_s7 "%[s7]"
#define R_k  "%[k]"
#define R_lo "%[lo]"
#define R_mi "%[mi]"
#define R_hi "%[hi]"
#define R_t  "%%xmm12"
#define R_u  "%%xmm13"
#define R_x  "%%xmm14"
#define R_y  "%%xmm15"

/* Eight AES instructions with something behind each. */
#define GCM_MIXED(r, g0, g1, g2, g3, g4, g5, g6, g7)                                               \
    LOAD(k, "16 * " #r "(%[area])")                                                                \
    AES(s0) g0 AES(s1) g1 AES(s2) g2 AES(s3) g3 AES(s4) g4 AES(s5) g5 AES(s6) g6 AES(s7) g7

/* Two rounds with blocks i and i + 1 of the 8 at h. px, py: where their powers are in the area; p:
 * where the sums of the two are. */
#define GCM_ROUNDS_PAIR(r, r1, h, bx, by, px, py, p)                                               \
    GCM_MIXED(r, LOAD(x, bx h) REVERSE(x), LOAD(y, by h) REVERSE(y), UNPACK_LOW(t, x, y),          \
              UNPACK_HIGH(u, x, y), XOR(t, u), MUL(u, x, px "(%[area])", "0x11"), XOR(hi, u),      \
              MUL_IN(x, u, px "(%[area])", "0x00"))                                                \
    GCM_MIXED(r1, XOR(lo, x), MUL(u, y, py "(%[area])", "0x11"), XOR(hi, u),                       \
              MUL_IN(y, u, py "(%[area])", "0x00"), XOR(lo, y), MUL(u, t, p "(%[area])", "0x00"),  \
              XOR(mi, u), MUL_IN(t, u, p "(%[area])", "0x11") XOR(mi, t))

/* The same for the first two, which take in the accumulator and start the sums. */
#define GCM_ROUNDS_PAIR_0(r, r1, h, bx, by, px, py, p)                                             \
    GCM_MIXED(r, LOAD(x, bx h) REVERSE(x), LOAD(y, by h) REVERSE(y), XOR(x, hi),                   \
              UNPACK_LOW(t, x, y), UNPACK_HIGH(u, x, y), XOR(t, u),                                \
              MUL(hi, x, px "(%[area])", "0x11"), MUL(lo, x, px "(%[area])", "0x00"))              \
    GCM_MIXED(r1, MUL(u, y, py "(%[area])", "0x11"), XOR(hi, u),                                   \
              MUL_IN(y, u, py "(%[area])", "0x00"), XOR(lo, y), MUL(mi, t, p "(%[area])", "0x00"), \
              MUL_IN(t, u, p "(%[area])", "0x11"), XOR(mi, t), "")

#define GCM_TEXT(s, r, at) XOR_MEM(r, k, at "(%[in])") AES_LAST(s, r) STORE(s, at "(%[out])")

#define GCM_ROUNDS(h, h0, h1, h2, h3, h4, h5, h6, h7)                                              \
    GCM_MIXED(1, XOR(mi, lo) XOR(mi, hi), MUL(u, lo, "%[poly]", "0x00"), SWAP(t, lo), XOR(mi, t), \
              XOR(mi, u), MUL(u, mi, "%[poly]", "0x00"), SWAP(t, mi), XOR(hi, t) XOR(hi, u))       \
    GCM_ROUNDS_PAIR_0(2, 3, h, h0, h1, "256", "272", "384")                                        \
    GCM_ROUNDS_PAIR(4, 5, h, h2, h3, "288", "304", "400")                                          \
    GCM_ROUNDS_PAIR(6, 7, h, h4, h5, "320", "336", "416")                                          \
    GCM_ROUNDS_PAIR(8, 9, h, h6, h7, "352", "368", "432")                                          \
    "cmpl $12, 240(%[area])\n\t"                                                                   \
    "jb 1f\n\t"                                                                                    \
    GCM_MIXED(10, "", "", "", "", "", "", "", "")                                                  \
    GCM_MIXED(11, "", "", "", "", "", "", "", "")                                                  \
    "cmpl $12, 240(%[area])\n\t"                                                                   \
    "je 1f\n\t"                                                                                    \
    GCM_MIXED(12, "", "", "", "", "", "", "", "")                                                  \
    GCM_MIXED(13, "", "", "", "", "", "", "", "")                                                  \
    "1:\n\t"                                                                                       \
    LOAD(k, "(%[last])")

#define GCM_TEXTS                                                                                  \
    GCM_TEXT(s0, t, "0") GCM_TEXT(s1, u, "16") GCM_TEXT(s2, x, "32") GCM_TEXT(s3, y, "48")         \
    GCM_TEXT(s4, t, "64") GCM_TEXT(s5, u, "80") GCM_TEXT(s6, x, "96") GCM_TEXT(s7, y, "112")
/* clang-format on */

typedef char gcm_offsets[AESNI_ROUNDS == 240 && GCM_HASH + GHASH_POWERS == 256 &&
                                 GCM_HASH + GHASH_SUMS == 384
                             ? 1
                             : -1];

/* Operands in memory of the asm block: SSE forms want them aligned. */
static const struct gcm_constant {
    _Alignas(16) uint8_t b[16];
} gcm_poly = {{0, 0, 0, 0, 0, 0, 0, 0xc2}},
  gcm_rev = {{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};

/* The eight blocks that are hashed: those before out, or those at in. */
#define GCM_SEALED "(%[out])", "-128", "-112", "-96", "-80", "-64", "-48", "-32", "-16"
#define GCM_GIVEN  "(%[in])", "0", "16", "32", "48", "64", "80", "96", "112"

/* From the first xor on; `sum` with its dot or arrow. */
#define GCM_ASM(texts, sum, ...) GCM_ASM_(texts, sum, __VA_ARGS__)
#define GCM_ASM_(texts, sum, ...)                                                                  \
    __asm__ volatile(GCM_ROUNDS(__VA_ARGS__) texts                                                 \
                     : [s0] "+x"(s0), [s1] "+x"(s1), [s2] "+x"(s2), [s3] "+x"(s3), [s4] "+x"(s4),  \
                       [s5] "+x"(s5), [s6] "+x"(s6), [s7] "+x"(s7), [hi] "+x"(sum hi),             \
                       [lo] "+x"(sum lo), [mi] "+x"(sum mi), [k] "=&x"(k)                          \
                     : [area] "r"(area), [last] "r"(last), [in] "r"(in), [out] "r"(out),           \
                       [poly] "m"(gcm_poly), [rev] "m"(gcm_rev)                                    \
                     : "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc")

/* Encrypts or decrypts 8 blocks, and hashes 8: those of in (open), or those before out (seal). */
PLAIT_INLINE void gcm_step(const int seal, const int two, const uint8_t *area, uint32_t rounds,
                           uint8_t *out, const uint8_t *in, ghash_sum *sum, __m128i counter)
{
    const uint8_t *last = area + 16 * rounds;
    __m128i s0, s1, s2, s3, s4, s5, s6, s7, k = load(area);
    if (two) {
        const __m128i a = xor128(k, aesni_counter_swap(counter));
        const __m128i b = xor128(k, aesni_counter_swap(aesni_counter_add(counter, 8)));
#define GCM_LOW(v, i) xor128(v, _mm_set_epi32((int)((2u ^ ((2u + (i)) % 8)) << 24), 0, 0, 0))
        s0 = a;
        s1 = GCM_LOW(a, 1);
        s2 = GCM_LOW(a, 2);
        s3 = GCM_LOW(a, 3);
        s4 = GCM_LOW(a, 4);
        s5 = GCM_LOW(a, 5);
        s6 = GCM_LOW(b, 6);
        s7 = GCM_LOW(b, 7);
#undef GCM_LOW
    } else {
#define GCM_START(i) s##i = xor128(k, aesni_counter_swap(aesni_counter_add(counter, i)));
        AESNI_EACH8(GCM_START)
#undef GCM_START
    }
    if (seal)
        GCM_ASM(GCM_TEXTS, sum->, GCM_SEALED);
    else
        GCM_ASM(GCM_TEXTS, sum->, GCM_GIVEN);
}

/* A text that goes by steps: where it is, and what is to be hashed still: sum, and if sealing the
 * 128 bytes before out. */
typedef struct gcm_run {
    uint8_t *out;
    const uint8_t *in;
    size_t len;
    __m128i counter;
    ghash_sum sum;
} gcm_run;

/* All whole steps of a text of at least 128 bytes, of which less than that is left. */
PLAIT_INLINE void gcm_steps(const int seal, const int two, const uint8_t *area, gcm_run *r)
{
    const uint32_t rounds = aesni_rounds(area);
#define GCM_NEXT                                                                                   \
    r->out += 128, r->in += 128, r->len -= 128, r->counter = aesni_counter_add(r->counter, 8);
    if (seal) {
        aesni_ctr_some(8, area, rounds, r->out, r->in, 16, r->counter);
        GCM_NEXT
    }
    while (r->len >= 128) {
        gcm_step(seal, two, area, rounds, r->out, r->in, &r->sum, r->counter);
        GCM_NEXT
    }
#undef GCM_NEXT
}

/* All of a text of at least 128 bytes but less than the last 128. A text of 1 KiB or more is
 * brought to where its counter is 2 mod 8, which pays from there on. */
PLAIT_INLINE void gcm_wide(const int seal, const uint8_t *area, gcm_run *r, __m128i acc)
{
    const size_t odd =
        r->len < 1024 ? 0 : 16 * ((2 - (uint32_t)_mm_extract_epi32(r->counter, 3)) & 7);
    if (odd != 0) {
        const uint32_t rounds = aesni_rounds(area);
        if (!seal) acc = ghash_absorb(area + GCM_HASH, 8, acc, r->in, odd);
        for (size_t i = 0; i < odd; i += 16) {
            aesni_ctr_some(1, area, rounds, r->out + i, r->in + i, 16, r->counter);
            r->counter = aesni_counter_add(r->counter, 1);
        }
        if (seal) acc = ghash_absorb(area + GCM_HASH, 8, acc, r->out, odd);
        r->out += odd;
        r->in += odd;
        r->len -= odd;
    }
    r->sum.lo = _mm_setzero_si128(); /* what reduces to acc */
    r->sum.mi = r->sum.hi = acc;
    if ((_mm_extract_epi32(r->counter, 3) & 7) == 2)
        gcm_steps(seal, 1, area, r);
    else
        gcm_steps(seal, 0, area, r);
}

/* The accumulator behind it. */
PLAIT_INLINE __m128i gcm_wide_acc(const int seal, const uint8_t *area, const gcm_run *r)
{
    const __m128i acc = ghash_reduce(&r->sum);
    return seal ? ghash_absorb(area + GCM_HASH, 8, acc, r->out - 128, 128) : acc;
}

/* ---- the end: up to 8 blocks and the tag ---- */

/* A block of the end joins the sum with H^m: for up to 4 blocks of text in schoolbook form, which
 * is 4 cycles shorter from the last AES round to the tag; beyond, its products on the one port
 * weigh more. */
PLAIT_INLINE void gcm_add(const int n, ghash_sum *sum, const uint8_t *hash, size_t m, __m128i x)
{
    if (n <= 4)
        ghash_add4(sum, hash, (int)m, x);
    else
        ghash_add(sum, hash, (int)m, x);
}

#define GCM_ADD(i, y)                                                                              \
    gcm_add(n, &sum, hash, n < 8 ? n + 1 - i : n - i, i == 0 ? xor128(x, reverse(y)) : reverse(y));

/* The end of gcm_end and of gcm_end_step: s0 to s7 and t before their last round; x: what was
 * hashed before, sum: what is hashed already but for that. */
PLAIT_INLINE void gcm_finish(const int seal, const int n, const uint8_t *area, uint32_t rounds,
                             uint8_t *out, uint8_t tag[16], const uint8_t *in, size_t last,
                             __m128i lengths, __m128i x, ghash_sum sum, __m128i s0, __m128i s1,
                             __m128i s2, __m128i s3, __m128i s4, __m128i s5, __m128i s6,
                             __m128i s7, __m128i t)
{
    const uint8_t *hash = area + GCM_HASH;
    const __m128i k = load(area + 16 * rounds);
    t = _mm_aesenclast_si128(t, k);
    /* hi passes the reduction unchanged: what is xored to it here is xored to the tag, and is not
     * kept in a register, or on the stack, while the hash goes on. */
    if (seal && n > 0 && n < 8) {
        sum.hi = xor128(sum.hi, reverse(t));
        if (n > 4) sum.mi = xor128(sum.mi, reverse(t)); /* since ghash_reduce adds hi to it */
    }
#define GCM_LAST(i)                                                                                \
    if (i < n) {                                                                                   \
        if (i < n - 1 || last == 16) {                                                             \
            s##i = _mm_aesenclast_si128(s##i, xor128(k, load(in + 16 * i)));                       \
            store(out + 16 * i, s##i);                                                             \
        } else {                                                                                   \
            s##i = _mm_aesenclast_si128(s##i, xor128(k, load_part(in + 16 * i, last)));            \
            store_part(out + 16 * i, s##i, last);                                                  \
            s##i = first_bytes(s##i, last);                                                        \
        }                                                                                          \
        if (seal) GCM_ADD(i, s##i)                                                                 \
    }
    AESNI_EACH8(GCM_LAST)
#undef GCM_LAST
    if (n == 0) gcm_add(n, &sum, hash, 1, x);
    x = n <= 4 ? ghash_reduce4(&sum) : ghash_reduce(&sum);
    if (n == 8) x = ghash_mul_h(xor128(x, lengths), ghash_power(hash, 1), load(hash + GHASH_HX));
    x = reverse(x);
    store(tag, seal && n > 0 && n < 8 ? x : xor128(x, t));
}

/* The tag, and the last n blocks of text (n a constant, 0 to 8), of which the last one has last <=
 * 16 bytes. acc: what was hashed before; lengths: the block that ends GHASH, reversed. ad_len bytes
 * at ad, at most 7 - n blocks, come before the text; counter: of the first block here. */
PLAIT_INLINE void gcm_end(const int seal, const int n, const uint8_t *area, uint32_t rounds,
                          uint8_t *out, uint8_t tag[16], __m128i j0, __m128i acc, __m128i counter,
                          const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t last,
                          __m128i lengths)
{
    const uint8_t *hash = area + GCM_HASH;
    __m128i s0, s1, s2, s3, s4, s5, s6, s7, t, k = load(area), x = acc;
    ghash_sum sum;
    t = xor128(k, j0);
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = k;
#define GCM_START(i)                                                                               \
    if (i < n) s##i = xor128(k, aesni_counter_swap(aesni_counter_add(counter, i)));
    AESNI_EACH8(GCM_START)
#undef GCM_START

    /* What of the hash does not wait for AES. */
    sum.lo = sum.mi = sum.hi = _mm_setzero_si128();
    if (n > 0 && n < 8) gcm_add(n, &sum, hash, 1, lengths);
    if (n == 0) x = xor128(x, lengths);
    for (size_t m = (ad_len + 15) / 16 + n + 1; ad_len > 0; m--) {
        const __m128i y = ad_len >= 16 ? load(ad) : load_part(ad, ad_len);
        gcm_add(n, &sum, hash, m, reverse(y));
        ad += 16;
        ad_len = ad_len >= 16 ? ad_len - 16 : 0;
    }
    if (!seal) {
#define GCM_HASH_IN(i)                                                                             \
    if (i < n) {                                                                                   \
        const __m128i y =                                                                          \
            i < n - 1 || last == 16 ? load(in + 16 * i) : load_part(in + 16 * i, last);            \
        GCM_ADD(i, y)                                                                              \
    }
        AESNI_EACH8(GCM_HASH_IN)
#undef GCM_HASH_IN
    }

#define GCM_ENC(i)                                                                                 \
    if (i < n) s##i = _mm_aesenc_si128(s##i, k);
#define GCM_ROUND(r)                                                                               \
    k = load(area + 16 * (r));                                                                     \
    t = _mm_aesenc_si128(t, k);                                                                    \
    AESNI_EACH8(GCM_ENC)
    AESNI_ROUNDS_BETWEEN(rounds, GCM_ROUND)
#undef GCM_ENC
#undef GCM_ROUND
    gcm_finish(seal, n, area, rounds, out, tag, in, last, lengths, x, sum, s0, s1, s2, s3, s4, s5,
               s6, s7, t);
}

/* The same, sealing, behind gcm_wide: n blocks, and the tag's in the place of the eighth, beside
 * the hash of the last whole step. One thing after the other, the hash waits in the scheduler for
 * the step's ciphertext, and leaves no room there for AES of the end: 193 cycles for 240 bytes
 * where these are 170. Three blocks and fewer are 2 to 18 cycles faster without the empty
 * places. */
enum { GCM_END_STEP_MIN = 4, GCM_END_STEP_MAX = 7 };
PLAIT_INLINE void gcm_end_step(const uint8_t *area, uint32_t rounds, uint8_t tag[16], __m128i j0,
                               gcm_run *r, __m128i lengths)
{
    const uint8_t *const last = area + 16 * rounds, *in = r->in, *const hash = area + GCM_HASH;
    uint8_t *out = r->out;
    __m128i s0, s1, s2, s3, s4, s5, s6, s7, k = load(area), x;
    ghash_sum sum = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
#define GCM_START(i) s##i = xor128(k, aesni_counter_swap(aesni_counter_add(r->counter, i)));
    AESNI_EACH8(GCM_START)
#undef GCM_START
    s7 = xor128(k, j0);
    GCM_ASM("", r->sum., GCM_SEALED);
    x = ghash_reduce(&r->sum);
    switch ((r->len + 15) / 16) {
#define GCM_CASE(n)                                                                                \
    case n:                                                                                        \
        gcm_add(n, &sum, hash, 1, lengths);                                                        \
        gcm_finish(1, n, area, rounds, out, tag, in, r->len - 16 * (n - 1), lengths, x, sum, s0,   \
                   s1, s2, s3, s4, s5, s6, k, s7);                                                 \
        break;
        GCM_CASE(4)
        GCM_CASE(5)
        GCM_CASE(6)
        GCM_CASE(7)
#undef GCM_CASE
    default:
        break;
    }
}
#undef GCM_ADD

#define GCM_CASE(n)                                                                                \
    case n:                                                                                        \
        gcm_end(seal, n, area, rounds, out, tag, tag_block, acc, counter, ad, ad_len, in,          \
                len - 16 * (n - 1), lengths);                                                      \
        break;

/* Messages of more than 64 bytes, or with more additional data. */
PLAIT_INLINE void gcm_message(const int seal, const uint8_t *area, uint8_t *out, uint8_t tag[16],
                              const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                              const uint8_t *in, size_t len)
{
    const uint32_t rounds = aesni_rounds(area);
    const __m128i lengths =
        _mm_set_epi64x((long long)(8 * (uint64_t)ad_len), (long long)(8 * (uint64_t)len));
    const __m128i tag_block = load_halves(j0);
    __m128i counter = aesni_counter_add(aesni_counter_swap(tag_block), 1),
            acc = _mm_setzero_si128();
    size_t n = (len + 15) / 16;
    /* All in one sum if it is at most 8 blocks with the lengths. */
    if (n > 7 || ad_len > 16 * (7 - n)) {
        acc = ghash_absorb(area + GCM_HASH, 8, acc, ad, ad_len);
        ad_len = 0;
    }
    if (len > 128) {
        gcm_run r;
        r.out = out, r.in = in, r.len = len, r.counter = counter;
        gcm_wide(seal, area, &r, acc);
        n = (r.len + 15) / 16;
        if (seal && n >= GCM_END_STEP_MIN && n <= GCM_END_STEP_MAX) {
            gcm_end_step(area, rounds, tag, tag_block, &r, lengths);
            return;
        }
        acc = gcm_wide_acc(seal, area, &r);
        out = r.out, in = r.in, len = r.len, counter = r.counter;
    }
    switch (n) {
        GCM_CASE(0)
        GCM_CASE(1)
        GCM_CASE(2)
        GCM_CASE(3)
        GCM_CASE(4)
        GCM_CASE(5)
        GCM_CASE(6)
        GCM_CASE(7)
        GCM_CASE(8)
    default:
        break;
    }
}

static PLAIT_NOINLINE void message_seal(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                        const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                                        const uint8_t *in, size_t len)
{
    gcm_message(1, area, out, tag, j0, ad, ad_len, in, len);
}

static PLAIT_NOINLINE void message_open(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                        const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                                        const uint8_t *in, size_t len)
{
    gcm_message(0, area, out, tag, j0, ad, ad_len, in, len);
}

/* Up to 4 blocks by themselves: no compiler spills anything there. */
PLAIT_INLINE void gcm_any(const int seal, const uint8_t *area, uint8_t *out, uint8_t tag[16],
                          const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                          const uint8_t *in, size_t len)
{
    if (PLAIT_LIKELY((len <= 64) & (ad_len <= 48))) {
        const uint32_t rounds = aesni_rounds(area);
        const __m128i lengths = _mm_set_epi64x((long long)(8 * ad_len), (long long)(8 * len));
        const __m128i tag_block = load_halves(j0), acc = _mm_setzero_si128();
        const __m128i counter = aesni_counter_add(aesni_counter_swap(tag_block), 1);
        switch ((len + 15) / 16) {
            GCM_CASE(0)
            GCM_CASE(1)
            GCM_CASE(2)
            GCM_CASE(3)
            GCM_CASE(4)
        }
    } else {
        (seal ? message_seal : message_open)(area, out, tag, j0, ad, ad_len, in, len);
        gcm_burn();
    }
}
#undef GCM_CASE

static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    gcm_any(1, area, out, tag, j0, ad, ad_len, in, len);
}

static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    gcm_any(0, area, out, tag, j0, ad, ad_len, in, len);
}

/* ---- streams ---- */

static void hash(const uint8_t *area, uint8_t acc[16], const uint8_t *data, size_t len)
{
    store(acc, reverse(ghash_absorb(area + GCM_HASH, 8, reverse(load(acc)), data, len)));
}

static void ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    aesni_ctr32(area, out, in, len, block);
}

/* A piece of text; its end, if not a whole step, is rare enough for doing one thing after the
 * other. */
PLAIT_INLINE void gcm_piece(const int seal, const uint8_t *area, uint8_t acc[16],
                           const uint8_t block[16], uint8_t *out, const uint8_t *in, size_t len)
{
    __m128i a = reverse(load(acc)), counter = aesni_counter_swap(load(block));
    uint8_t next[16];
    if (len >= 128) {
        gcm_run r;
        r.out = out, r.in = in, r.len = len, r.counter = counter;
        gcm_wide(seal, area, &r, a);
        a = gcm_wide_acc(seal, area, &r);
        out = r.out, in = r.in, len = r.len, counter = r.counter;
    }
    if (len > 0) {
        if (!seal) a = ghash_absorb(area + GCM_HASH, 8, a, in, len);
        store(next, aesni_counter_swap(counter));
        ctr32(area, out, in, len, next);
        if (seal) a = ghash_absorb(area + GCM_HASH, 8, a, out, len);
    }
    store(acc, reverse(a));
}

static PLAIT_NOINLINE void piece_seal(const uint8_t *area, uint8_t acc[16],
                                      const uint8_t block[16], uint8_t *out, const uint8_t *in,
                                      size_t len)
{
    gcm_piece(1, area, acc, block, out, in, len);
}

static PLAIT_NOINLINE void piece_open(const uint8_t *area, uint8_t acc[16],
                                      const uint8_t block[16], uint8_t *out, const uint8_t *in,
                                      size_t len)
{
    gcm_piece(0, area, acc, block, out, in, len);
}

static void text_seal(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    piece_seal(area, acc, block, out, in, len);
    gcm_burn();
}

static void text_open(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    piece_open(area, acc, block, out, in, len);
    gcm_burn();
}

#define GCM_FUNCTIONS                                                                              \
    .width = 8, .fn.aes_gcm = {.init = init,                                                       \
                               .seal = seal,                                                       \
                               .open = open,                                                       \
                               .text_seal = text_seal,                                             \
                               .text_open = text_open,                                             \
                               .hash = hash,                                                       \
                               .ctr32 = ctr32}
