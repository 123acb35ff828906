/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_neon_body.h - template: AES-GCM whole, with the AArch64 instructions for AES and
 * polynomial multiplication. Included inside a target region; the file that does it has defined, as
 * asm text, arguments being numbers of vector registers,
 *
 *     GCM_ADD2(x, y, z)    x = x ^ y ^ z
 *     GCM_TEXT(x, y, z)    the same, where x comes last and y is not needed any more
 *
 * Wide path: eight blocks a step, AES and GHASH instruction by instruction in one asm text: between
 * any two AES rounds of a block stands an instruction of GHASH. seal hashes the ciphertext of the
 * step before, open that of the same step, read before it may be overwritten.
 *
 *     v0-v7     states            v11-v14   two blocks to hash, their powers of H, sums of halves,
 *     v8-v10    lo, hi, mi        v17-v20   products; round keys 11 to 14 before GHASH starts
 *     v15       next counter      v21-v31   the last 11 round keys
 *     v16       1 in byte 15
 *
 * Counter blocks cost one addition each: in wire order the counter's last byte is the highest of a
 * 32-bit lane, and adding to it is right as long as neither the step nor the next counter passes
 * 255. Else, once in 32 steps, the eight are made one by one.
 *
 * By pipes, AES-128: 19 AES instructions a block, 1 addition for the counter, 2 xors with text and
 * last key; for GHASH 1 RBIT, 1.5 for the sums of halves, 3 PMULL, 3 xors and an eighth of the
 * reduction. On Cortex-A72 and Neoverse N1, where AES and PMULL have one pipe and the rest has the
 * other as well, that is 22.3 against 9; the AES instructions alone would take 19.
 *
 * Short path, and the end of the wide one: up to eight blocks at once, then their GHASH with one
 * reduction.
 *
 * The area: that of aes_neon_aes_body.h (256 bytes), then that of ghash_pmull_body.h.
 */
#include "aes_neon_aes_body.h"
#include "ghash_pmull_body.h"

enum { GCM_HASH = PLAIT_AES_AREA, GCM_STEP = 128 };

/* The text below counts on where they are. */
typedef char gcm_layout_holds[GHASH_POWERS == 0 && GHASH_SUMS == 128 ? 1 : -1];

static void init(uint8_t area[PLAIT_GCM_AREA], const uint8_t *raw, size_t raw_len)
{
    const uint32_t rounds = aes_init(area, raw, raw_len);
    ghash_powers(area + GCM_HASH, aes_encrypt(area, rounds, zero128()), 8);
}

/* ---- wide steps of 8 blocks ---- */

#pragma GCC diagnostic ignored "-Woverlength-strings" /* beyond 4095, which C promises */

/* clang-format off */
#define STR_(x) #x
#define STR(x) STR_(x)
#define VB(i) "v" STR(i) ".16b"
#define OP2(op, x, y) op " " VB(x) ", " VB(y) "\n\t"
#define XOR(x, y, z) "eor " VB(x) ", " VB(y) ", " VB(z) "\n\t"
#define PMULL_LO(x, y, z) "pmull v" STR(x) ".1q, v" STR(y) ".1d, v" STR(z) ".1d\n\t"
#define PMULL_HI(x, y, z) "pmull2 v" STR(x) ".1q, v" STR(y) ".2d, v" STR(z) ".2d\n\t"

#define ADD(x, y, z) "add " V4S(x) ", " V4S(y) ", " V4S(z) "\n\t"
#define V4S(i) "v" STR(i) ".4s"
/* Counter block n of the step, from the 32-bit number. */
#define COUNT_SLOWLY(n)                                                                            \
    OP2("mov", n, 15) "add %w[t], %w[count], #" STR(n) "\n\trev %w[t], %w[t]\n\t"                  \
    "mov v" STR(n) ".s[3], %w[t]\n\t"

/* A round of AES for eight states, with up to eight other instructions between. */
#define AES(s, k) OP2("aese", s, k) OP2("aesmc", s, s)
#define ROUND(k, a, b, c, d, e, f, g, h)                                                           \
    AES(0, k) a AES(1, k) b AES(2, k) c AES(3, k) d AES(4, k) e AES(5, k) f AES(6, k) g AES(7, k) h
#define ROUND_ALONE(k) ROUND(k, , , , , , , , )
#define LAST_ROUND(k, a, b, c, d, e, f, g, h)                                                      \
    OP2("aese", 0, k) a OP2("aese", 1, k) b OP2("aese", 2, k) c OP2("aese", 3, k) d                \
    OP2("aese", 4, k) e OP2("aese", 5, k) f OP2("aese", 6, k) g OP2("aese", 7, k) h

/* GHASH of two blocks, in two rounds: by H^n and H^(n-1). How the products meet the sums comes as
 * an argument. */
#define LOAD2 "ldp q11, q17, [%[hashed]], #32\n\t"
#define HASH_A(k, n, with_acc)                                                                     \
    ROUND(k, "ldp q12, q18, [%[powers], #16 * (8 - " STR(n) ")]\n\t",                              \
          OP2("rbit", 11, 11) with_acc, "ldr q13, [%[powers], #128 + 8 * (8 - " STR(n) ")]\n\t",   \
          OP2("rbit", 17, 17), "zip1 v14.2d, v11.2d, v17.2d\n\t",                                  \
          "zip2 v20.2d, v11.2d, v17.2d\n\t", PMULL_HI(19, 11, 12), XOR(14, 14, 20))
#define HASH_B(k, join_hi, join_mi, join_lo)                                                       \
    ROUND(k, PMULL_HI(20, 17, 18), PMULL_LO(11, 11, 12), PMULL_LO(17, 17, 18) join_hi,             \
          PMULL_LO(12, 14, 13), PMULL_HI(14, 14, 13), join_lo, , join_mi)
/* lo, which is acc until then, is free once the first block has been xored with it. */
#define HASH_FIRST(k) HASH_B(k, XOR(9, 19, 20), XOR(10, 12, 14), XOR(8, 11, 17) LOAD2)
#define HASH_NEXT(k, load)                                                                         \
    HASH_B(k, GCM_ADD2(9, 19, 20), GCM_ADD2(10, 12, 14), GCM_ADD2(8, 11, 17) load)
#define NOTHING

/* mi, hi, lo to acc in v8; v12 = 0, v13 = 0x87 in both halves. */
#define REDUCE_A(k)                                                                                \
    ROUND(k, "ldp q12, q13, [%[k], #16]\n\t", GCM_ADD2(10, 8, 9), , PMULL_HI(14, 9, 13),           \
          XOR(10, 10, 14), ,                                                                       \
          "ext v11.16b, v10.16b, v10.16b, #8\n\t", "ext v12.16b, v12.16b, v10.16b, #8\n\t")
#define REDUCE_B(k)                                                                                \
    LAST_ROUND(k, XOR(9, 9, 11), XOR(8, 8, 12), , PMULL_LO(9, 9, 13), , , XOR(8, 8, 9), )

/* Two blocks of text. */
#define TEXT2(s, t, x, y)                                                                          \
    "ldp q" STR(x) ", q" STR(y) ", [%[in]], #32\n\t"                                               \
    GCM_TEXT(s, x, 31) GCM_TEXT(t, y, 31)                                                          \
    "stp q" STR(s) ", q" STR(t) ", [%[out]], #32\n\t"

/* Steps of 8 blocks: the text at in to out, those at hashed into acc, which is a polynomial;
 * counter is in counter_swap's order. */
PLAIT_INLINE void gcm_steps(const uint8_t *area, uint32_t rounds, uint8_t *out, const uint8_t *in,
                            const uint8_t *hashed, size_t steps, v128 *acc, v128 *counter)
{
    static const uint8_t k[48] = {[15] = 1, [32] = 0x87, [40] = 0x87};
    const uint8_t *keys = area + 16 * rounds;
    v128 block = counter_swap(*counter);
    uint32_t count = vgetq_lane_u32(vreinterpretq_u32_u8(*counter), 3), t;
    __asm__ volatile(
        "ldr q8, [%[acc]]\n\t"
        "ldr q15, [%[block]]\n\t"
        "ldr q16, [%[k]]\n\t"
        "ldp q21, q22, [%[keys], #-160]\n\t"
        "ldp q23, q24, [%[keys], #-128]\n\t"
        "ldp q25, q26, [%[keys], #-96]\n\t"
        "ldp q27, q28, [%[keys], #-64]\n\t"
        "ldp q29, q30, [%[keys], #-32]\n\t"
        "ldr q31, [%[keys]]\n"
        "1:\n\t"
        "and %w[t], %w[count], #255\n\t"
        "cmp %w[t], #247\n\t"
        "b.hi 5f\n\t"
        OP2("mov", 0, 15) ADD(1, 15, 16) ADD(2, 1, 16) ADD(3, 2, 16) ADD(4, 3, 16) ADD(5, 4, 16)
        ADD(6, 5, 16) ADD(7, 6, 16) ADD(15, 7, 16)
        "add %w[count], %w[count], #8\n"
        "4:\n\t"
        "cmp %w[rounds], #12\n\t"
        "b.lo 3f\n\t"
        "ldp q19, q20, [%[keys], #-192]\n\t"
        "b.eq 2f\n\t"
        "ldp q17, q18, [%[keys], #-224]\n\t"
        ROUND_ALONE(17) ROUND_ALONE(18)
        "2:\n\t"
        ROUND_ALONE(19) ROUND_ALONE(20)
        "3:\n\t"
        LOAD2
        HASH_A(21, 8, XOR(11, 11, 8)) HASH_FIRST(22)
        HASH_A(23, 6, NOTHING) HASH_NEXT(24, LOAD2)
        HASH_A(25, 4, NOTHING) HASH_NEXT(26, LOAD2)
        HASH_A(27, 2, NOTHING) HASH_NEXT(28, NOTHING)
        REDUCE_A(29) REDUCE_B(30)
        TEXT2(0, 1, 11, 12) TEXT2(2, 3, 13, 14) TEXT2(4, 5, 17, 18) TEXT2(6, 7, 19, 20)
        "subs %[steps], %[steps], #1\n\t"
        "b.ne 1b\n\t"
        "b 6f\n"
        "5:\n\t"
        COUNT_SLOWLY(0) COUNT_SLOWLY(1) COUNT_SLOWLY(2) COUNT_SLOWLY(3)
        COUNT_SLOWLY(4) COUNT_SLOWLY(5) COUNT_SLOWLY(6) COUNT_SLOWLY(7)
        "add %w[count], %w[count], #8\n\t"
        "rev %w[t], %w[count]\n\t"
        "mov v15.s[3], %w[t]\n\t"
        "b 4b\n"
        "6:\n\t"
        "str q8, [%[acc]]\n\t"
        : [out] "+r"(out), [in] "+r"(in), [hashed] "+r"(hashed), [steps] "+r"(steps),
          [count] "+r"(count), [t] "=&r"(t)
        : [keys] "r"(keys), [powers] "r"(area + GCM_HASH), [rounds] "r"(rounds), [acc] "r"(acc),
          [block] "r"(&block), [k] "r"(k)
        : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
          "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
          "v25", "v26", "v27", "v28", "v29", "v30", "v31");
    *counter = vreinterpretq_u8_u32(vsetq_lane_u32(count, vreinterpretq_u32_u8(*counter), 3));
}
/* clang-format on */

/* All whole steps of a text of len bytes: absorbs their ciphertext, advances counter, returns how
 * many bytes. */
PLAIT_INLINE size_t gcm_wide(const int seal, const uint8_t *area, v128 *acc, v128 *counter,
                             uint8_t *out, const uint8_t *in, size_t len)
{
    const uint32_t rounds = aes_rounds(area);
    const size_t steps = len / GCM_STEP;
    if (steps == 0) return 0;
    if (seal) {
        aes_ctr_rest(area, out, in, GCM_STEP, *counter);
        *counter = counter_add(*counter, 8);
        if (steps > 1)
            gcm_steps(area, rounds, out + GCM_STEP, in + GCM_STEP, out, steps - 1, acc, counter);
        *acc = ghash_absorb(area + GCM_HASH, 8, *acc, out + GCM_STEP * (steps - 1), GCM_STEP);
    } else {
        gcm_steps(area, rounds, out, in, in, steps, acc, counter);
    }
    return GCM_STEP * steps;
}

/* Text of any length. */
PLAIT_INLINE void gcm_text(const int seal, const uint8_t *area, v128 *acc, v128 counter,
                           uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t done = gcm_wide(seal, area, acc, &counter, out, in, len);
    out += done, in += done, len -= done;
    if (len == 0) return;
    if (!seal) *acc = ghash_absorb(area + GCM_HASH, 8, *acc, in, len);
    aes_ctr_rest(area, out, in, len, counter);
    if (seal) *acc = ghash_absorb(area + GCM_HASH, 8, *acc, out, len);
}

PLAIT_INLINE void gcm_message(const int seal, const uint8_t *area, uint8_t *out, uint8_t tag[16],
                              const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                              const uint8_t *in, size_t len)
{
    const v128 first = load(j0);
    v128 acc, mask = aes_encrypt(area, aes_rounds(area), first);
    /* gcm_steps takes all registers: mask waits here, not in a copy that nobody wipes. */
    __asm__ volatile("" : : "r"(&mask) : "memory");
    acc = ghash_absorb(area + GCM_HASH, 8, zero128(), ad, ad_len);
    ghash_sum s = {zero128(), zero128(), zero128()};
    uint8_t lengths[16];
    plait_store64_be(lengths, 8 * (uint64_t)ad_len);
    plait_store64_be(lengths + 8, 8 * (uint64_t)len);
    gcm_text(seal, area, &acc, counter_add(counter_swap(first), 1), out, in, len);
    ghash_add(&s, area + GCM_HASH, 1, xor128(acc, reflect(load(lengths))));
    store(tag, xor128(mask, reflect(ghash_reduce(s))));
    plait_wipe(&acc, sizeof acc); /* the tag without its mask */
    plait_wipe(&mask, sizeof mask);
}

static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    gcm_message(1, area, out, tag, j0, ad, ad_len, in, len);
}

static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    gcm_message(0, area, out, tag, j0, ad, ad_len, in, len);
}

/* ---- streams ---- */

static void hash(const uint8_t *area, uint8_t acc[16], const uint8_t *data, size_t len)
{
    store(acc, reflect(ghash_absorb(area + GCM_HASH, 8, reflect(load(acc)), data, len)));
}

static void ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    aes_ctr32(area, out, in, len, block);
}

static void text_seal(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    v128 a = reflect(load(acc));
    gcm_text(1, area, &a, counter_swap(load(block)), out, in, len);
    store(acc, reflect(a));
    plait_wipe(&a, sizeof a);
}

static void text_open(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    v128 a = reflect(load(acc));
    gcm_text(0, area, &a, counter_swap(load(block)), out, in, len);
    store(acc, reflect(a));
    plait_wipe(&a, sizeof a);
}

#define GCM_FUNCTIONS                                                                              \
    .width = 8, .fn.aes_gcm = {.init = init,                                                       \
                               .seal = seal,                                                       \
                               .open = open,                                                       \
                               .text_seal = text_seal,                                             \
                               .text_open = text_open,                                             \
                               .hash = hash,                                                       \
                               .ctr32 = ctr32}
