/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_poly1305_avx512: ChaCha20-Poly1305 (RFC 8439, 2.8) with 512-bit vectors and vpmadd52.
 * For Ice Lake, Sapphire Rapids, Zen 4, Zen 5 and later.
 *
 * The cipher is that of chacha20_avx512, the authenticator that of poly1305_avx512_ifma. What is
 * done here is to use no pass of the cipher for the one-time key alone. Block 0 of the keystream,
 * which makes it, is in the first pass with blocks 1, 2, ..., which the text takes: in a vector
 * lane where one would be left empty, and else in general registers beside the vectors, where it
 * costs nothing (16 or 32 blocks: 0 % more time, measured on Sapphire Rapids) or little (8 blocks:
 * 9 to 16 %):
 *
 *      text up to       192     448     512     1024    2048 bytes
 *      vector blocks      4       8       8       16      32
 *      block 0         lane    lane    scalar  scalar  scalar
 *
 * (With 4 blocks it would cost 60 %: the scalar block has the longer chain.)
 *
 * Up to 1024 bytes, what Poly1305 sees (AD, ciphertext, lengths, with their zeros) is laid out in
 * one piece on the stack while the ciphertext is in registers, so that one call takes it all and no
 * load has to wait for a masked store.
 *
 * Longer texts go through the two parts in pieces that stay in the first-level cache. To mix them
 * in one loop does not pay: on Intel vpmadd52 wants the same two ports as ChaCha20, of which 32
 * blocks leave nothing; and scalar mulx takes one of them for its high half. (Sapphire Rapids, 1024
 * bytes: 16 blocks with the instructions of Poly1305 among them 695 cycles; half a pass over 32
 * blocks 536, and Poly1305 some 135 to 140.)
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi2")

#include "chacha20_x86_body.h"
#include "chacha20_avx512_body.h"
#include "poly1305_mulx_body.h"

#define MAC plait_poly1305_avx512_ifma.fn.poly1305
/* Up to so many blocks the scalar code is the best that MAC has; then it is used without a call. */
#define SCALAR_BLOCKS 8

/* AD up to this length shares the piece of the text; a multiple of 64. */
#define SHORT_AD 64
#define SHORT_TEXT 1024

PLAIT_INLINE size_t round16(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

/* A message of at most SHORT_TEXT bytes. piece: the ciphertext for Poly1305, with zeros up to a
 * multiple of 64. */
typedef struct short_text {
    uint8_t *out;
    const uint8_t *in;
    size_t len;
    uint8_t *piece;
} short_text;

/* Text block j under keystream ks. */
PLAIT_INLINE void text_block(const short_text *t, size_t j, __m512i ks, int sealing)
{
    const size_t at = 64 * j;
    if (t->len >= at + 64) {
        const __m512i x = load512(t->in + at), y = xor(x, ks);
        store512(t->out + at, y);
        store512(t->piece + at, sealing ? y : x);
    } else if (t->len > at) {
        const __mmask64 some = _bzhi_u64(~UINT64_C(0), (unsigned)(t->len - at));
        const __m512i x = _mm512_maskz_loadu_epi8(some, t->in + at), y = xor(x, ks);
        _mm512_mask_storeu_epi8(t->out + at, some, y);
        store512(t->piece + at, sealing ? _mm512_maskz_mov_epi8(some, y) : x);
    }
}

/* The state of Poly1305 before the first block, from block 0 of the keystream (RFC 8439, 2.5.1 and
 * 2.6). */
PLAIT_INLINE void one_time_key(plait_poly1305_acc *acc, __m256i key)
{
    const __m256i clamp = _mm256_setr_epi64x(0x0ffffffc0fffffff, 0x0ffffffc0ffffffc, -1, -1);
    acc->h[0] = acc->h[1] = acc->h[2] = 0;
    _mm256_storeu_si256((__m256i *)(void *)acc->r, _mm256_and_si256(key, clamp)); /* r, then s */
}
typedef char
    s_follows_r[offsetof(plait_poly1305_acc, s) == offsetof(plait_poly1305_acc, r) + 16 ? 1 : -1];

/* The same after a pass with a scalar block. */
PLAIT_INLINE void scalar_one_time_key(plait_poly1305_acc *acc, const wide_work *work)
{
    const __m256i ab = _mm256_load_si256((const __m256i *)(const void *)work->slots);
    const __m256i start = _mm256_loadu_si256((const __m256i *)(const void *)work->state);
    one_time_key(acc, _mm256_add_epi32(ab, start));
}

/* "expand 32-byte k", the key, the counter and the nonce (RFC 8439, 2.3), in memory with counter 0
 * and as rows. */
/* (The barrier: Clang makes one load of the nonce's last 8 bytes, which were just stored in two
 * pieces, and the load would wait until both have left the store buffer, 50 cycles.) */
#define SIGMA words128(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574)
#define LAST_ROW(nonce, counter)                                                                   \
    words128(counter, plait_load32_le(nonce), plait_barrier32(plait_load32_le((nonce) + 4)),       \
             plait_load32_le((nonce) + 8))
PLAIT_INLINE void start_state(uint32_t state[16], const uint8_t *key, const uint8_t *nonce)
{
    store128(state, SIGMA);
    store128(state + 4, load128(key));
    store128(state + 8, load128(key + 16));
    store128(state + 12, LAST_ROW(nonce, 0));
}
#define START_ROWS(key, nonce, counter)                                                            \
    const __m512i row0 = _mm512_broadcast_i32x4(SIGMA);                                            \
    const __m512i row1 = ROW_ALL(key), row2 = ROW_ALL((key) + 16);                                 \
    const __m512i row3 = _mm512_broadcast_i32x4(LAST_ROW(nonce, counter));

/* State and work for a pass with a scalar block 0 and vector blocks from 1 on. (Made twice: to copy
 * the 64 bytes would wait for the four stores that made them.) */
PLAIT_INLINE void start_work(wide_work *work, uint32_t state[16], const uint8_t *key,
                             const uint8_t *nonce)
{
    start_state(state, key, nonce);
    start_state(work->slots, key, nonce);
    work->state = state;
    wide_counters(work, 1);
}

PLAIT_NOINLINE static void wide16_and_key(wide_work *work)
{
    WIDE_PASS(16, SCALAR_START, WITH_SCALAR, SCALAR_END, PUT_XOR)
}
PLAIT_NOINLINE static void wide16_each_and_key(wide_work *work)
{
    WIDE_PASS(16, SCALAR_START, WITH_SCALAR, SCALAR_END, PUT_EACH)
}
PLAIT_NOINLINE static void wide32_and_key(wide_work *work)
{
    WIDE_PASS(32, SCALAR_START, WITH_SCALAR, SCALAR_END, PUT_XOR)
}
/* Group B has len < 1024 bytes. */
PLAIT_NOINLINE static void wide32_some_and_key(wide_work *work, size_t len)
{
    wide_each(work, work->out_b, work->in_b, len);
    WIDE_PASS(32, SCALAR_START, WITH_SCALAR, SCALAR_END, PUT_EACH)
    wide_rest(work, work->out_b, work->in_b, len);
}

/* Text up to 192 bytes. */
PLAIT_INLINE void short_4(const short_text *t, plait_poly1305_acc *acc, const uint8_t *key,
                          const uint8_t *nonce, int sealing)
{
    START_ROWS(key, nonce, 0)
    ROW_KEYSTREAM(ROW_EACH1)
    one_time_key(acc, _mm512_castsi512_si256(a0));
    text_block(t, 0, b0, sealing);
    text_block(t, 1, c0, sealing);
    text_block(t, 2, d0, sealing);
}

/* Up to 448. */
PLAIT_INLINE void short_8(const short_text *t, plait_poly1305_acc *acc, const uint8_t *key,
                          const uint8_t *nonce, int sealing)
{
    WIDE_WORK space, *work = &space; /* only its counter of rounds */
    START_ROWS(key, nonce, 0)
    ROW_EACH2(ROW_START)
    TWO_ROWS_ROUNDS("", WITHOUT_SCALAR, "", "cc")
    ROW_EACH2(ROW_FEED_FORWARD)
    one_time_key(acc, _mm512_castsi512_si256(a0));
    text_block(t, 0, b0, sealing);
    text_block(t, 1, c0, sealing);
    text_block(t, 2, d0, sealing);
    text_block(t, 3, a1, sealing);
    text_block(t, 4, b1, sealing);
    text_block(t, 5, c1, sealing);
    text_block(t, 6, d1, sealing);
}

/* Up to 512. */
PLAIT_NOINLINE static void short_9(const short_text *t, plait_poly1305_acc *acc,
                                   const uint8_t *key, const uint8_t *nonce, int sealing)
{
    uint32_t state[16] __attribute__((aligned(64)));
    WIDE_WORK space, *work = &space;
    START_ROWS(key, nonce, 1)
    start_work(work, state, key, nonce);
    ROW_EACH2(ROW_START)
    TWO_ROWS_ROUNDS(SCALAR_START, WITH_SCALAR, SCALAR_END, "cc", SCALAR_CLOBBERS)
    ROW_EACH2(ROW_FEED_FORWARD)
    scalar_one_time_key(acc, work);
    wipe512(state, sizeof state);
    wipe512(work->slots, 128);
    text_block(t, 0, a0, sealing);
    text_block(t, 1, b0, sealing);
    text_block(t, 2, c0, sealing);
    text_block(t, 3, d0, sealing);
    text_block(t, 4, a1, sealing);
    text_block(t, 5, b1, sealing);
    text_block(t, 6, c1, sealing);
    text_block(t, 7, d1, sealing);
}

/* Up to 1024. The pass writes to the piece, from where the ciphertext is copied; or, opening, to
 * the text, after the ciphertext was copied to the piece. */
PLAIT_NOINLINE static void short_17(const short_text *t, plait_poly1305_acc *acc,
                                    const uint8_t *key, const uint8_t *nonce, int sealing)
{
    uint32_t state[16] __attribute__((aligned(64)));
    WIDE_WORK space, *work = &space;
    const size_t whole = t->len & ~(size_t)63;
    const __mmask64 some = _bzhi_u64(~UINT64_C(0), (unsigned)(t->len - whole));
    start_work(work, state, key, nonce);
    if (!sealing) {
        for (size_t i = 0; i < whole; i += 64) store512(t->piece + i, load512(t->in + i));
        if (some != 0)
            store512(t->piece + whole, _mm512_maskz_loadu_epi8(some, t->in + whole));
    }
    wide_each(work, sealing ? t->piece : t->out, t->in, t->len);
    wide16_each_and_key(work);
    scalar_one_time_key(acc, work);
    if (PLAIT_LIKELY(some != 0)) {
        const __m512i x = _mm512_maskz_loadu_epi8(some, t->in + whole);
        const __m512i y = _mm512_maskz_mov_epi8(some, xor(x, load512(work->rest[0])));
        _mm512_mask_storeu_epi8(t->out + whole, some, y);
        if (sealing) store512(t->piece + whole, y);
    }
    if (sealing)
        for (size_t i = 0; i < whole; i += 64) store512(t->out + i, load512(t->piece + i));
    wipe512(work->rest, sizeof work->rest);
    wipe512(state, sizeof state);
    wipe512(work->slots, 128);
}

/* h, r and s: 56 bytes. */
PLAIT_INLINE void wipe_acc(plait_poly1305_acc *acc)
{
    _mm512_mask_storeu_epi64(acc, 0x7f, _mm512_setzero_si512());
    __asm__ volatile("" : : "r"(acc) : "memory");
}
typedef char acc_is_56[sizeof(plait_poly1305_acc) == 56 ? 1 : -1];

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

/* Absorbs data and the zeros that fill its last block. */
static void absorb_padded(plait_poly1305_acc *acc, const uint8_t *data, size_t len)
{
    const size_t whole = len & ~(size_t)15;
    if (whole != 0) MAC.blocks(acc, data, whole);
    if (len != whole) {
        uint8_t last[16];
        const __mmask16 some = (__mmask16)_bzhi_u32(0xffff, (unsigned)(len - whole));
        store128(last, _mm_maskz_loadu_epi8(some, data + whole));
        absorb_scalar(acc, last, 16);
    }
}

PLAIT_INLINE void short_message(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                const uint8_t nonce[12], const uint8_t *ad, size_t ad_len,
                                const uint8_t *in, size_t len, int sealing)
{
    uint8_t piece[SHORT_AD + SHORT_TEXT + 64] __attribute__((aligned(64)));
    plait_poly1305_acc acc;
    short_text t = {out, in, len, piece};
    size_t n;

    if (ad_len - 1 < SHORT_AD) {
        store512(piece, _mm512_maskz_loadu_epi8(_bzhi_u64(~UINT64_C(0), (unsigned)ad_len), ad));
        t.piece += round16(ad_len);
    }
    if (len <= 192)
        short_4(&t, &acc, area, nonce, sealing);
    else if (len <= 448)
        short_8(&t, &acc, area, nonce, sealing);
    else if (len <= 512)
        short_9(&t, &acc, area, nonce, sealing);
    else
        short_17(&t, &acc, area, nonce, sealing);
    n = (size_t)(t.piece - piece) + round16(len);
    store_lengths(piece + n, ad_len, len);
    n += 16;
    if (ad_len > SHORT_AD) absorb_padded(&acc, ad, ad_len);
    if (n <= 16 * SCALAR_BLOCKS)
        absorb_scalar(&acc, piece, n);
    else
        MAC.blocks(&acc, piece, n);
    poly1305_emit(&acc, tag);
    wipe_acc(&acc);
}

/* Pieces of long messages; a multiple of 2048. */
#define PIECE ((size_t)32768)

PLAIT_NOINLINE static void long_message(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                        const uint8_t nonce[12], const uint8_t *ad, size_t ad_len,
                                        const uint8_t *in, size_t len, int sealing)
{
    uint8_t ks[2048] __attribute__((aligned(64)));
    uint32_t state[16] __attribute__((aligned(64)));
    uint8_t lengths[16];
    plait_poly1305_acc acc;
    WIDE_WORK work;
    const size_t most = len <= WIDE_MIN ? 1024 : 2048; /* bytes that the first pass can take */
    const size_t first = len < most ? len : most;
    /* Where the ciphertext would be overwritten before Poly1305 had it, the first pass goes to
     * memory. */
    const int direct = sealing || in != out;

    start_work(&work, state, area, nonce);
    if (direct) {
        work.in_a = in;
        work.out_a = out;
        work.in_b = in + 1024;
        work.out_b = out + 1024;
    } else {
        for (size_t i = 0; i < most; i += 64) store512(ks + i, _mm512_setzero_si512());
        work.in_a = work.out_a = ks;
        work.in_b = work.out_b = ks + 1024;
    }
    if (most == 1024) {
        wide16_and_key(&work);
    } else if (first == most || !direct) {
        wide32_and_key(&work);
    } else {
        wide32_some_and_key(&work, first - 1024);
    }
    scalar_one_time_key(&acc, &work);
    if (ad_len != 0) absorb_padded(&acc, ad, ad_len);
    if (!sealing) absorb_padded(&acc, in, len < PIECE ? len : PIECE);
    if (!direct) {
        for (size_t i = 0; i < first; i += 64)
            xor_some(out + i, in + i, first - i, load512(ks + i));
        wipe512(ks, most);
    }
    wipe512(work.slots, 128);
    wipe512(work.parked, sizeof work.parked);
    state[12] = 1 + (uint32_t)(first / 64);
    for (size_t done = first, at = 0, end; at < len; at = end) {
        end = len - at < PIECE ? len : at + PIECE;
        if (!sealing && at != 0) absorb_padded(&acc, in + at, end - at);
        if (end != done) avx512_xor_stream(out + done, in + done, end - done, state);
        state[12] += (uint32_t)((end - done) / 64);
        done = end;
        if (sealing) absorb_padded(&acc, out + at, end - at);
    }
    store_lengths(lengths, ad_len, len);
    absorb_scalar(&acc, lengths, 16);
    poly1305_emit(&acc, tag);
    wipe_acc(&acc);
    wipe512(state, sizeof state);
}

/* Not inlined into the batch, whose stack is large already. */
PLAIT_NOINLINE static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                const uint8_t nonce[12], const uint8_t *ad, size_t ad_len,
                                const uint8_t *in, size_t len)
{
    if (len <= SHORT_TEXT)
        short_message(area, out, tag, nonce, ad, ad_len, in, len, 1);
    else
        long_message(area, out, tag, nonce, ad, ad_len, in, len, 1);
}

PLAIT_NOINLINE static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                const uint8_t nonce[12], const uint8_t *ad, size_t ad_len,
                                const uint8_t *in, size_t len)
{
    if (len <= SHORT_TEXT)
        short_message(area, out, tag, nonce, ad, ad_len, in, len, 0);
    else
        long_message(area, out, tag, nonce, ad, ad_len, in, len, 0);
}

#include "chacha20_poly1305_avx512_batch_body.h"

PLAIT_TARGET_END

const plait_kernel plait_chacha20_poly1305_avx512 = {
    PLAIT_KERNEL_ID(chacha20_poly1305, avx512), PLAIT_NEEDS(avx512_ifma, bmi2),
    .avoids = PLAIT_CPU_slow_512, .width = 32,
    .fn.chacha20_poly1305 = {
        .seal = seal, .open = open, .seal_batch = seal_batch, .open_batch = open_batch}};

#else

const plait_kernel plait_chacha20_poly1305_avx512 = {PLAIT_KERNEL_ID(chacha20_poly1305, avx512),
                                                     PLAIT_NOT_BUILT(avx512_ifma, bmi2)};

#endif
