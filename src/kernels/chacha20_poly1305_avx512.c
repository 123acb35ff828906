/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_poly1305_avx512: ChaCha20-Poly1305 (RFC 8439, 2.8) with 512-bit vectors and vpmadd52. For Ice Lake, Sapphire
 * Rapids, Zen 4, Zen 5 and later.
 *
 * The cipher is that of chacha20_avx512, the authenticator that of poly1305_avx512_ifma. What is done here is to use no
 * pass of the cipher for the one-time key alone: block 0 of the keystream, which makes it, shares a pass with blocks
 * 1, 2, ..., which the text takes:
 *
 *      text up to    192     448     704     960 bytes, and longer
 *      blocks        4       8       12      16 in one pass; 16 or 32 in the first pass
 *
 * Up to 960 bytes, what Poly1305 sees (AD, ciphertext, lengths, with their zeros) is laid out in one piece on the stack
 * while the ciphertext is in registers, so that one call takes it all and no load has to wait for a masked store.
 *
 * Both parts want the same two ports on Intel (vpmadd52 runs on both of them), and a pass over 32 blocks leaves nothing of
 * them free nor any register: mixed in one loop of 16 blocks, they take as long as one after the other. So the text goes
 * through them in pieces that stay in the first-level cache.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,bmi2")

#include "chacha20_x86_body.h"
#include "chacha20_avx512_body.h"

#define MAC plait_poly1305_avx512_ifma.fn.poly1305

/* AD up to this length shares the piece of the text; a multiple of 64. */
#define SHORT_AD 64
#define SHORT_TEXT 960

PLAIT_INLINE size_t round16(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

/* A message of at most SHORT_TEXT bytes. piece: the ciphertext for Poly1305, with zeros up to a multiple of 64. */
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

/* The state of Poly1305 before the first block, from block 0 of the keystream (RFC 8439, 2.5.1 and 2.6). */
PLAIT_INLINE void one_time_key(plait_poly1305_acc *acc, __m256i key)
{
    const __m256i clamp = _mm256_setr_epi64x(0x0ffffffc0fffffff, 0x0ffffffc0ffffffc, -1, -1);
    acc->h[0] = acc->h[1] = acc->h[2] = 0;
    _mm256_storeu_si256((__m256i *)(void *)acc->r, _mm256_and_si256(key, clamp)); /* r, then s */
}
typedef char s_follows_r[offsetof(plait_poly1305_acc, s) == offsetof(plait_poly1305_acc, r) + 16 ? 1 : -1];

#define SHORT_GROUP(g)                                                                             \
    if (g == 0)                                                                                    \
        one_time_key(acc, _mm512_castsi512_si256(a##g));                                           \
    else                                                                                           \
        text_block(t, 4 * g - 1, a##g, sealing);                                                   \
    text_block(t, 4 * g + 0, b##g, sealing);                                                       \
    text_block(t, 4 * g + 1, c##g, sealing);                                                       \
    text_block(t, 4 * g + 2, d##g, sealing);
#define SHORT_FUNCTION(groups, EACH)                                                               \
    PLAIT_INLINE void short_##groups(const short_text *t, plait_poly1305_acc *acc,                 \
                                     const uint32_t state[16], int sealing)                        \
    {                                                                                              \
        const __m512i row0 = ROW_ALL(state), row1 = ROW_ALL(state + 4), row2 = ROW_ALL(state + 8); \
        const __m512i row3 = ROW_ALL(state + 12);                                                  \
        ROW_KEYSTREAM(EACH)                                                                        \
        EACH(SHORT_GROUP)                                                                          \
    }
SHORT_FUNCTION(1, ROW_EACH1)
SHORT_FUNCTION(2, ROW_EACH2)
SHORT_FUNCTION(3, ROW_EACH3)

PLAIT_INLINE void short_16(const short_text *t, plait_poly1305_acc *acc, const uint32_t state[16], int sealing)
{
    WIDE_KEYSTREAM(0)
    one_time_key(acc, _mm512_castsi512_si256(x0));
#define TEXT(j, x) text_block(t, j - 1, x, sealing);
    TEXT(1, x1) TEXT(2, x2) TEXT(3, x3) TEXT(4, x4) TEXT(5, x5) TEXT(6, x6) TEXT(7, x7)
    TEXT(8, x8) TEXT(9, x9) TEXT(10, x10) TEXT(11, x11) TEXT(12, x12) TEXT(13, x13) TEXT(14, x14) TEXT(15, x15)
}

/* Counter 0. Written in pieces of 16 bytes, which is how short_1 .. 3 read it. */
PLAIT_INLINE void start_state(uint32_t state[16], const uint8_t *key, const uint8_t nonce[12])
{
    store128(state, words128(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574));
    store128(state + 4, load128(key));
    store128(state + 8, load128(key + 16));
    store128(state + 12, words128(0, plait_load32_le(nonce), plait_load32_le(nonce + 4), plait_load32_le(nonce + 8)));
}

PLAIT_INLINE void store_lengths(uint8_t *to, size_t ad_len, size_t len)
{
    plait_store64_le(to, ad_len);
    plait_store64_le(to + 8, len);
}

/* Absorbs data and the zeros that fill its last block. */
static void absorb_padded(plait_poly1305_acc *acc, const uint8_t *data, size_t len)
{
    const size_t whole = len & ~(size_t)15;
    if (whole != 0) MAC.blocks(acc, data, whole);
    if (len != whole) {
        uint8_t last[16];
        store128(last, _mm_maskz_loadu_epi8((__mmask16)_bzhi_u32(0xffff, (unsigned)(len - whole)), data + whole));
        MAC.blocks(acc, last, 16);
    }
}

PLAIT_INLINE void short_message(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                                const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len, int sealing)
{
    uint8_t piece[SHORT_AD + SHORT_TEXT + 64] __attribute__((aligned(64)));
    uint32_t state[16] __attribute__((aligned(64)));
    plait_poly1305_acc acc;
    short_text t = {out, in, len, piece};
    size_t n;

    start_state(state, area, nonce);
    if (ad_len - 1 < SHORT_AD) {
        store512(piece, _mm512_maskz_loadu_epi8(_bzhi_u64(~UINT64_C(0), (unsigned)ad_len), ad));
        t.piece += round16(ad_len);
    }
    if (len <= 192)
        short_1(&t, &acc, state, sealing);
    else if (len <= 448)
        short_2(&t, &acc, state, sealing);
    else if (len <= 704)
        short_3(&t, &acc, state, sealing);
    else
        short_16(&t, &acc, state, sealing);
    n = (size_t)(t.piece - piece) + round16(len);
    store_lengths(piece + n, ad_len, len);
    if (ad_len > SHORT_AD) absorb_padded(&acc, ad, ad_len);
    MAC.blocks(&acc, piece, n + 16);
    MAC.final(&acc, tag, NULL, 0);
    plait_wipe(&acc, sizeof acc);
    plait_wipe(state, sizeof state);
}

/* Pieces of long messages; a multiple of 2048. */
#define PIECE ((size_t)16384)

PLAIT_INLINE void long_message(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                               const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len, int sealing)
{
    uint8_t ks[1024] __attribute__((aligned(64)));
    uint32_t state[16] __attribute__((aligned(64)));
    uint8_t lengths[16];
    plait_poly1305_acc acc;

    start_state(state, area, nonce);
    memset(ks, 0, sizeof ks);
    wide_blocks16(ks, ks, sizeof ks, state, 0);
    one_time_key(&acc, _mm256_load_si256((const __m256i *)(const void *)ks));
    absorb_padded(&acc, ad, ad_len);
    if (!sealing) absorb_padded(&acc, in, len < PIECE ? len : PIECE);
    for (size_t i = 0; i < SHORT_TEXT; i += 64) store512(out + i, xor(load512(in + i), load512(ks + 64 + i)));
    plait_wipe(ks, sizeof ks);
    state[12] = 16;
    for (size_t done = SHORT_TEXT, at = 0, end; at < len; at = end) {
        end = len - at < PIECE ? len : at + PIECE;
        if (!sealing && at != 0) absorb_padded(&acc, in + at, end - at);
        avx512_xor_stream(out + done, in + done, end - done, state);
        state[12] += (uint32_t)((end - done) / 64);
        done = end;
        if (sealing) absorb_padded(&acc, out + at, end - at);
    }
    store_lengths(lengths, ad_len, len);
    MAC.blocks(&acc, lengths, 16);
    MAC.final(&acc, tag, NULL, 0);
    plait_wipe(&acc, sizeof acc);
    plait_wipe(state, sizeof state);
}

static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12], const uint8_t *ad,
                 size_t ad_len, const uint8_t *in, size_t len)
{
    if (len <= SHORT_TEXT)
        short_message(area, out, tag, nonce, ad, ad_len, in, len, 1);
    else
        long_message(area, out, tag, nonce, ad, ad_len, in, len, 1);
}

static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12], const uint8_t *ad,
                 size_t ad_len, const uint8_t *in, size_t len)
{
    if (len <= SHORT_TEXT)
        short_message(area, out, tag, nonce, ad, ad_len, in, len, 0);
    else
        long_message(area, out, tag, nonce, ad, ad_len, in, len, 0);
}

PLAIT_TARGET_END

const plait_kernel plait_chacha20_poly1305_avx512 = {
    PLAIT_KERNEL_ID(chacha20_poly1305, avx512), PLAIT_NEEDS(avx512_ifma, bmi2), .avoids = PLAIT_CPU_slow_512, .width = 32,
    .fn.chacha20_poly1305 = {.seal = seal, .open = open}};

#else

const plait_kernel plait_chacha20_poly1305_avx512 = {PLAIT_KERNEL_ID(chacha20_poly1305, avx512),
                                                     PLAIT_NOT_BUILT(avx512_ifma, bmi2)};

#endif
