/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_poly1305_avx2: ChaCha20-Poly1305 (RFC 8439, 2.8) with 256-bit vectors and mulx. For
 * x86-64 CPUs from Haswell and Zen on that have no, or no good, 512-bit vectors.
 *
 * The cipher is that of chacha20_avx2, 8 blocks in a pass. Block 0 of the keystream, which makes
 * the one-time key, is in the first pass with blocks 1, 2, ..., which the text takes: in a lane
 * that would be left empty, and else in general registers beside the vectors:
 *
 *      text up to         64     192     320     448     512 or more bytes
 *      vector blocks       2       4       6       8       8
 *      block 0          lane    lane    lane    lane    scalar
 *
 * Each further pass makes the keystream of 512 bytes, or what is left, and has Poly1305 of the 512
 * bytes before in it, scalar; long messages 1024 bytes. What both compete for are slots of the
 * three vector ports: mulx takes two of them, imul one. Poly1305 with vectors takes as many, and
 * cannot begin before it has eight powers of r. Cycles for 512 bytes on Golden Cove, rounds of 16
 * blocks:
 *
 *      the rounds alone                            489    (427, if no slot were lost)
 *      with 30 blocks of Poly1305                  620
 *      the same, no-ops for mulx and imul          558
 *      the same, no-ops for add, adc and the like  581
 *      the same, no-ops for both                   506
 *
 * Where the pieces stand makes no difference: mixed by single instructions or in blocks of 24, with
 * quarter rounds one by one or in pairs at any distance, all are within 1 %.
 *
 *      pass               0          1          2        ...
 *      rounds         512 bytes  512 bytes  512 bytes
 *      Poly1305           -      of pass 0  of pass 1
 *      sealing, xor    after 0    after 1    after 2
 *      opening, xor       -       0 after 1  1 after 2     (the text may be in its place)
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx2,bmi2")

#include "chacha20_x86_body.h"
#include "chacha20_avx2_body.h"
#include "part_body.h"
#include "poly1305_mulx_body.h"

#define MAC plait_poly1305_avx2.fn.poly1305
/* So few blocks are done in scalar there. */
#define MAC_FROM 44

/* ---- a pass with a scalar block, or with Poly1305 -------------------------------------------- */

#define WITH_SCALAR(M)                                                                             \
    M(SCALAR_1, SCALAR_2, SCALAR_3, SCALAR_4, SCALAR_5, SCALAR_6, SCALAR_7, SCALAR_8, SCALAR_9,    \
      SCALAR_10, SCALAR_11, SCALAR_12, SCALAR_13, SCALAR_14, SCALAR_15, SCALAR_16)

/* The scalar block's start state is in work->slots; afterwards its rows a and b are there. */
PLAIT_NOINLINE static void rounds8_and_key(wide_work *work)
{
    ROUNDS8(SCALAR_START, WITH_SCALAR, SCALAR_END, WORK_ALONE, "cc", SCALAR_CLOBBERS)
}
PLAIT_NOINLINE static void rounds16_and_key(wide_work *work)
{
    ROUNDS16(SCALAR_START, WITH_SCALAR, SCALAR_END, WORK_ALONE, "cc", SCALAR_CLOBBERS)
}

/* Poly1305 during a pass. */
typedef struct beside {
    plait_poly1305_acc acc;
    uint64_t s1; /* 5/4 r1 */
    const uint8_t *msg;
} beside;
typedef char beside_offsets[offsetof(beside, acc.r) == 24 && offsetof(beside, s1) == 56 &&
                                    offsetof(beside, msg) == 64
                                ? 1
                                : -1];

/* MULX_STEP of poly1305_mulx_body.h in 24 instructions for 30, at the price of a longer chain,
 * which is hidden here. So
 *   - h1 is in rdx when a step starts, and all words are in the same registers when it ends: two
 *     moves for five;
 *   - h2 s1 is added to the upper word of h1 s1, which has room for it: h2 <= 9, s1 < 5/4 2^60, so
 *     the sum is < 2^63.7;
 *   - the next block is added last, with its 2^128 in the last carry;
 *   - 5 floor(h2 / 4) is a shift and a lea.
 * r, 5/4 r1 and the blocks are in memory: a load costs no slot. */
#define P_R0 "24(%[mac])"
#define P_R1 "32(%[mac])"
#define P_S1 "56(%[mac])"
#define P_MULTIPLY                                                                                 \
    "mulxq " P_R0 ", %%rax, %%rbx\n\tmulxq " P_S1 ", %%rcx, %%rsi\n\t"                             \
    "movq %%r8, %%rdx\n\t"                                                                         \
    "mulxq " P_R0 ", %%r8, %%r9\n\tmulxq " P_R1 ", %%rdx, %%rdi\n\t"                               \
    "movq " P_S1 ", %%r11\n\timulq %%r10, %%r11\n\timulq " P_R0 ", %%r10\n\t"                      \
    "addq %%rax, %%rdx\n\tadcq %%rbx, %%rdi\n\t" /* h0 r1 + h1 r0 */                               \
    "addq %%r11, %%rsi\n\taddq %%rdi, %%r10\n\t"                                                   \
    "addq %%rcx, %%r8\n\tadcq %%rsi, %%r9\n\t" /* h0 r0 + h1 s1 + 2^64 h2 s1 */                    \
    "movq %%r10, %%r11\n\tshrq $2, %%r11\n\tleaq (%%r11,%%r11,4), %%r11\n\t"                       \
    "andl $3, %%r10d\n\t"                                                                          \
    "addq %%r11, %%r8\n\tadcq %%r9, %%rdx\n\tadcq $0, %%r10\n\t"
#define P_ADD(at)   "addq " at "(%%r12), %%r8\n\tadcq 8+" at "(%%r12), %%rdx\n\tadcq $1, %%r10\n\t"
#define P_ON(bytes) "addq $" bytes ", %%r12\n\t"
/* The steps of a double round: the block before has been added, and the n-th is added. */
#define P_1 P_MULTIPLY P_ADD("16")
#define P_2 P_MULTIPLY P_ADD("32")
#define P_3 P_MULTIPLY P_ADD("48")
#define P_4 P_MULTIPLY P_ADD("64")
#define P_5 P_MULTIPLY P_ADD("80")
#define P_6 P_MULTIPLY P_ADD("96")
#define P_7 P_MULTIPLY P_ADD("112")
#define P_START                                                                                    \
    "movq (%[mac]), %%r8\n\tmovq 8(%[mac]), %%rdx\n\tmovq 16(%[mac]), %%r10\n\t"                   \
    "movq 64(%[mac]), %%r12\n\t" P_ADD("0")
#define P_LAST                                                                                     \
    P_MULTIPLY "movq %%r8, (%[mac])\n\tmovq %%rdx, 8(%[mac])\n\tmovq %%r10, 16(%[mac])\n\t"
#define P_END        P_1 P_LAST
#define P_CLOBBERS   "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12"
#define WORK_AND_MAC [work] "r"(work), [mac] "r"(mac)

/* Three blocks in a double round, and two behind the last: 512 bytes. */
#define WITH_32(M) M(, , P_1, , , , , P_2, , , , , , P_3 P_ON("48"), , )
PLAIT_NOINLINE static void rounds8_and_32(wide_work *work, beside *mac)
{
    ROUNDS8(P_START, WITH_32, P_END, WORK_AND_MAC, "cc", P_CLOBBERS)
    mac->msg += 512;
}
/* When opening there is no reason to wait for the pass before. Four, and two: 672 bytes. */
#define WITH_42(M) M(, P_1, , , , P_2, , , , P_3, , , , P_4 P_ON("64"), , )
PLAIT_NOINLINE static void rounds8_and_42(wide_work *work, beside *mac)
{
    ROUNDS8(P_START, WITH_42, P_END, WORK_AND_MAC, "cc", P_CLOBBERS)
    mac->msg += 672;
}
/* Six, and four: 1024 bytes. */
#define WITH_64(M) M(, , P_1, , P_2, , , P_3, , , P_4, , P_5, , , P_6 P_ON("96"))
PLAIT_NOINLINE static void rounds16_and_64(wide_work *work, beside *mac)
{
    ROUNDS16(P_START, WITH_64, P_1 P_2 P_ON("32") P_END, WORK_AND_MAC, "cc", P_CLOBBERS)
    mac->msg += 1024;
}
/* Six, or seven, and one: 976 and 1136 bytes. Four steps behind the last round, where nothing hides
 * them, are 3 % of a pass of 16 blocks. So long messages take these two in turn, and are at most
 * 128 bytes behind. */
#define WITH_61(M) M(, , P_1, , P_2, , , P_3, , , P_4, , P_5, , , P_6 P_ON("96"))
#define WITH_71(M) M(, P_1, , P_2, , P_3, , P_4, , P_5, , P_6, , P_7 P_ON("112"), , )
PLAIT_NOINLINE static void rounds16_and_61(wide_work *work, beside *mac)
{
    ROUNDS16(P_START, WITH_61, P_LAST, WORK_AND_MAC, "cc", P_CLOBBERS)
    mac->msg += 976;
}
PLAIT_NOINLINE static void rounds16_and_71(wide_work *work, beside *mac)
{
    ROUNDS16(P_START, WITH_71, P_LAST, WORK_AND_MAC, "cc", P_CLOBBERS)
    mac->msg += 1136;
}

/* ---- the start ------------------------------------------------------------------------------- */

/* "expand 32-byte k", the key, the counter and the nonce (RFC 8439, 2.3). Made once more where it
 * is needed twice: to copy it would wait for the four stores that made it. */
/* (The barrier: Clang makes one load of the nonce's last 8 bytes, which were just stored in two
 * pieces, and the load would wait until both have left the store buffer, 50 cycles.) */
#define SIGMA words128(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574)
#define LAST_ROW(nonce)                                                                            \
    words128(0, plait_load32_le(nonce), plait_barrier32(plait_load32_le((nonce) + 4)),             \
             plait_load32_le((nonce) + 8))
PLAIT_INLINE void start_state(uint32_t state[16], const uint8_t *key, const uint8_t *nonce)
{
    store128(state, SIGMA);
    store128(state + 4, load128(key));
    store128(state + 8, load128(key + 16));
    store128(state + 12, LAST_ROW(nonce));
}

/* The state of Poly1305 before the first block, from block 0 of the keystream (RFC 8439, 2.5.1 and
 * 2.6). */
PLAIT_INLINE void one_time_key(plait_poly1305_acc *acc, __m256i key)
{
    const __m256i clamp = _mm256_setr_epi64x(0x0ffffffc0fffffff, 0x0ffffffc0ffffffc, -1, -1);
    acc->h[0] = acc->h[1] = acc->h[2] = 0;
    store256(acc->r, _mm256_and_si256(key, clamp)); /* r, then s */
}
typedef char
    s_follows_r[offsetof(plait_poly1305_acc, s) == offsetof(plait_poly1305_acc, r) + 16 ? 1 : -1];
PLAIT_INLINE void scalar_one_time_key(plait_poly1305_acc *acc, const wide_work *work,
                                      const uint32_t state[16])
{
    one_time_key(acc, add(load256(work->slots), load256(state)));
}

PLAIT_INLINE void store_lengths(uint8_t *to, size_t ad_len, size_t len)
{
    plait_store64_le(to, ad_len);
    plait_store64_le(to + 8, len);
}

/* Not inlined: it needs all registers, and beside anything else Clang puts r on the stack. */
PLAIT_NOINLINE static void absorb_scalar(plait_poly1305_acc *acc, const uint8_t *data, size_t len)
{
    poly1305_absorb_full(acc, data, len);
}

/* Absorbs data and the zeros that fill its last block; then the lengths, if any. */
PLAIT_INLINE void absorb_padded(plait_poly1305_acc *acc, const uint8_t *data, size_t len,
                                const uint8_t *lengths)
{
    const size_t whole = len & ~(size_t)15;
    uint64_t end[4];
    size_t from = 2, n = 0;
    if (whole >= 16 * MAC_FROM)
        MAC.blocks(acc, data, whole);
    else if (whole != 0)
        absorb_scalar(acc, data, whole);
    if (len != whole) {
        load_part_words(data + whole, len - whole, &end[0], &end[1]);
        from = 0, n = 16;
    }
    if (lengths != NULL) {
        memcpy(end + 2, lengths, 16);
        n += 16;
    }
    if (n != 0) absorb_scalar(acc, (const uint8_t *)(end + from), n);
}

/* ---- up to 512 bytes ------------------------------------------------------------------------- */

/* The functions from here to part_xor are calls, so that what a compiler spills in them is just
 * below the frame of their caller, which burns it. At most: */
BURN_FUNCTION(burn_short, 256)
BURN_FUNCTION(burn_long, 1024)

/* The keystream from block 0 on, in row layout, two blocks to a group. */
PLAIT_NOINLINE static void keystream2(uint8_t *ks, const uint32_t state[16])
{
    const uint32_t done = 0;
    __m256i ROW_LOAD_STATE(row0, row1, row2, row3);
    ROW_KEYSTREAM(ROW_EACH1)
    ROW_EACH1(ROW_SAVE)
}
PLAIT_NOINLINE static void keystream4(uint8_t *ks, const uint32_t state[16])
{
    const uint32_t done = 0;
    __m256i ROW_LOAD_STATE(row0, row1, row2, row3);
    ROWS_ROUNDS2
    ROW_EACH2(ROW_SAVE)
}
PLAIT_NOINLINE static void keystream6(uint8_t *ks, const uint32_t state[16])
{
    const uint32_t done = 0;
    __m256i ROW_LOAD_STATE(row0, row1, row2, row3);
    ROWS_ROUNDS3
    ROW_EACH3(ROW_SAVE)
}
/* 8 blocks from `counter` on, in a pass that has been done. */
PLAIT_NOINLINE static void keystream8(uint8_t *ks, uint32_t x[16][8], const uint32_t state[16],
                                      uint32_t counter)
{
    {
        LOW_WORDS
        EACH_HALF(SAVE_HALF, 0)
    }
    {
        HIGH_WORDS
        EACH_HALF(SAVE_HALF, 32)
    }
}

/* out = in xor ks. Returns the ciphertext of the last len mod 16 bytes, with zeros behind it. */
PLAIT_INLINE void short_xor(uint8_t *out, const uint8_t *in, const uint8_t *ks, size_t len,
                            int sealing, uint64_t last[2])
{
    uint32_t i = 0;
    /* (The barrier: GCC 12 at -O3 writes the 16 steps out, with the text spilled in each.) */
    for (; len - i >= 32; i = plait_barrier32(i + 32))
        store256(out + i, xor(load256(in + i), load256(ks + i)));
    if (len & 16) {
        store128(out + i, _mm_xor_si128(load128(in + i), load128(ks + i)));
        i += 16;
    }
    if (len & 15) {
        const unsigned bits = 8 * (len & 15);
        uint64_t lo, hi, x = plait_load64_le(ks + i), y = plait_load64_le(ks + i + 8);
        load_part_words(in + i, len & 15, &lo, &hi);
        x = (lo ^ x) & ~UINT64_C(0) >> (bits < 64 ? 64 - bits : 0);
        y = bits <= 64 ? 0 : (hi ^ y) & ~UINT64_C(0) >> (128 - bits);
        store_part_words(out + i, len & 15, x, y);
        last[0] = sealing ? x : lo;
        last[1] = sealing ? y : hi;
    }
}

#define SHORT_TEXT 512

PLAIT_INLINE void short_message(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                const uint8_t nonce[12], const uint8_t *ad, size_t ad_len,
                                const uint8_t *in, size_t len, int sealing)
{
    uint8_t ks[512] __attribute__((aligned(32)));
    uint32_t state[16] __attribute__((aligned(32)));
    const uint8_t *text_ks = ks + 64;
    const size_t whole = len & ~(size_t)15;
    plait_poly1305_acc acc;
    uint64_t end[4];
    size_t used;

    start_state(state, area, nonce);
    if (len <= 64) {
        keystream2(ks, state);
        used = 128;
    } else if (len <= 192) {
        keystream4(ks, state);
        used = 256;
    } else if (len <= 320) {
        keystream6(ks, state);
        used = 384;
    } else {
        WIDE_WORK work;
        wide_init(&work);
        if (len <= 448) {
            wide_start8(&work, state, 0);
            rounds8(&work);
            keystream8(ks, work.x[0], state, 0);
        } else {
            wide_start8(&work, state, 1);
            start_state(work.slots, area, nonce);
            rounds8_and_key(&work);
            keystream8(ks, work.x[0], state, 1);
            scalar_one_time_key(&acc, &work, state);
            wipe256(work.slots, 64);
            text_ks = ks;
        }
        wipe256(work.x[0], sizeof work.x[0]);
        used = 512;
    }
    if (len <= 448) one_time_key(&acc, load256(ks));
    if (ad_len != 0) absorb_padded(&acc, ad, ad_len, NULL);
    if (!sealing && whole != 0) absorb_scalar(&acc, in, whole);
    short_xor(out, in, text_ks, len, sealing, end);
    if (sealing && whole != 0) absorb_scalar(&acc, out, whole);
    store_lengths((uint8_t *)(end + 2), ad_len, len);
    absorb_scalar(&acc, (const uint8_t *)(len != whole ? end : end + 2), len != whole ? 32 : 16);
    poly1305_emit(&acc, tag);
    burn_short();
    wipe256(ks, used);
    wipe256(state, sizeof state);
    plait_wipe(&acc, sizeof acc);
}

/* ---- more ------------------------------------------------------------------------------------ */

/* From this many bytes on, the rest takes a pass with Poly1305 in it. */
#define LAST_PASS_MIN 128
/* From here on passes have 16 blocks, which take 5 % less time for each byte; but then twice as
 * much is left at the end for Poly1305 alone. */
#define WIDE_TEXT_MIN 6144

/* Up to 8 blocks of which the rounds are done, for n bytes of text from `at` on. */
typedef struct part {
    uint32_t (*x)[8];
    size_t at, n;
} part;

PLAIT_NOINLINE static void part_xor(const part *p, uint8_t *out, const uint8_t *in,
                                    const uint32_t state[16])
{
    wide_finish(out + p->at, in + p->at, p->n, p->x, state, 1 + (uint32_t)(p->at / 64));
}

PLAIT_INLINE void long_message(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                               const uint8_t nonce[12], const uint8_t *ad, size_t ad_len,
                               const uint8_t *in, size_t len, int sealing)
{
    uint32_t state[16] __attribute__((aligned(32)));
    uint8_t lengths[16];
    WIDE_WORK work[2];
    beside mac;
    const uint8_t *const ciphertext = sealing ? out : in;
    const int wide = len >= WIDE_TEXT_MIN;
    size_t at = wide ? 1024 : 512, i = 0; /* bytes that have their keystream; the pass */
    part wait[4];                         /* for Poly1305, before the ciphertext goes */
    size_t waiting = 0, k;

    store_lengths(lengths, ad_len, len);
    start_state(state, area, nonce);
    wide_init(&work[0]);
    wide_init(&work[1]);
    start_state(work[0].slots, area, nonce);
    if (wide) {
        wide_start16(&work[0], state, 1);
        rounds16_and_key(&work[0]);
    } else {
        wide_start8(&work[0], state, 1);
        rounds8_and_key(&work[0]);
    }
    scalar_one_time_key(&mac.acc, &work[0], state);
    wipe256(work[0].slots, 64);
    mac.s1 = mac.acc.r[1] + (mac.acc.r[1] >> 2);
    mac.msg = ciphertext;
    for (k = 0; k < at; k += 512) {
        const part p = {work[0].x[k / 512], k, 512};
        if (sealing)
            part_xor(&p, out, in, state);
        else
            wait[waiting++] = p;
    }
    if (ad_len != 0) absorb_padded(&mac.acc, ad, ad_len, NULL);

    while (len - at >= LAST_PASS_MIN) {
        const size_t left = len - at;
        const int both = wide && left > 512;
        const size_t most = both ? 1024 : 512, now = left < most ? left : most;
        const uint32_t counter = 1 + (uint32_t)(at / 64);
        i ^= 1;
        const size_t room = (size_t)(ciphertext + len - mac.msg);
        if (both) {
            wide_start16(&work[i], state, counter);
            /* opening: the ciphertext is there; sealing: up to `at` */
            if (sealing ? (size_t)(ciphertext + at - mac.msg) >= 1136 : room >= 1136)
                rounds16_and_71(&work[i], &mac);
            else if (sealing)
                rounds16_and_61(&work[i], &mac);
            else if (room >= 1024)
                rounds16_and_64(&work[i], &mac);
            else
                rounds16(&work[i]);
        } else {
            wide_start8(&work[i], state, counter);
            if (!sealing && room >= 672)
                rounds8_and_42(&work[i], &mac);
            else if (sealing || room >= 512)
                rounds8_and_32(&work[i], &mac);
            else
                rounds8(&work[i]);
        }
        if (!sealing) {
            for (k = 0; k < waiting && ciphertext + wait[k].at + wait[k].n <= mac.msg; k++)
                part_xor(&wait[k], out, in, state);
            waiting -= k;
            if (waiting != 0) wait[0] = wait[k];
        }
        for (k = 0; k < now; k += 512) {
            const part p = {work[i].x[k / 512], at + k, now - k < 512 ? now - k : 512};
            if (sealing)
                part_xor(&p, out, in, state);
            else
                wait[waiting++] = p;
        }
        at += now;
    }
    if (!sealing) {
        absorb_padded(&mac.acc, mac.msg, (size_t)(ciphertext + len - mac.msg), lengths);
        for (k = 0; k < waiting; k++) part_xor(&wait[k], out, in, state);
    }
    if (len - at > 64)
        row256_1(out + at, in + at, len - at, state, 1 + (uint32_t)(at / 64));
    else if (len != at)
        row128_1(out + at, in + at, len - at, state, 1 + (uint32_t)(at / 64));
    if (sealing) absorb_padded(&mac.acc, mac.msg, (size_t)(ciphertext + len - mac.msg), lengths);
    poly1305_emit(&mac.acc, tag);
    burn_long();
    for (k = 0; k < 2; k++) wipe256(work[k].x[0], wide ? sizeof work[k].x : sizeof work[k].x[0]);
    wipe256(state, sizeof state);
    plait_wipe(&mac, sizeof mac);
}

static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    if (len <= SHORT_TEXT)
        short_message(area, out, tag, nonce, ad, ad_len, in, len, 1);
    else
        long_message(area, out, tag, nonce, ad, ad_len, in, len, 1);
}

static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    if (len <= SHORT_TEXT)
        short_message(area, out, tag, nonce, ad, ad_len, in, len, 0);
    else
        long_message(area, out, tag, nonce, ad, ad_len, in, len, 0);
}

PLAIT_TARGET_END

const plait_kernel plait_chacha20_poly1305_avx2 = {
    PLAIT_KERNEL_ID(chacha20_poly1305, avx2), PLAIT_NEEDS(avx2, bmi2), .width = 8,
    .fn.chacha20_poly1305 = {.seal = seal, .open = open}};

#else

const plait_kernel plait_chacha20_poly1305_avx2 = {PLAIT_KERNEL_ID(chacha20_poly1305, avx2),
                                                   PLAIT_NOT_BUILT(avx2, bmi2)};

#endif
