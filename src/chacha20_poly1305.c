/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_poly1305.c - what RFC 8439, 2.8 is beside its kernels: the start state, HChaCha20 for
 * the 24-byte nonce (draft-irtf-cfrg-xchacha, 2.2), and the construction composed of two parts.
 */
#include "internal.h"

static uint32_t rotl(uint32_t x, int n)
{
    return (x << n) | (x >> (32 - n));
}

/* "expand 32-byte k", key, counter, nonce: the start state of RFC 8439, 2.3. */
void plait_chacha20_state(uint32_t state[16], const uint8_t key[32], const uint8_t nonce[12],
                          uint32_t counter)
{
    state[0] = 0x61707865;
    state[1] = 0x3320646e;
    state[2] = 0x79622d32;
    state[3] = 0x6b206574;
    /* The key is copied whole, since kernels load it so: a load that spans several stores in flight
     * waits for them to reach the cache, and with it the next message for this one's end. The nonce
     * goes by words, of which a caller may just have written one. */
    memcpy(state + 4, key, 32);
    if (PLAIT_BIG_ENDIAN)
        for (int i = 4; i < 12; i++) state[i] = plait_load32_le(state + i);
    state[12] = counter;
    for (int i = 0; i < 3; i++) state[13 + i] = plait_barrier32(plait_load32_le(nonce + 4 * i));
}

#define QUARTER(a, b, c, d)                                                                        \
    (a += b, d = rotl(d ^ a, 16), c += d, b = rotl(b ^ c, 12), a += b, d = rotl(d ^ a, 8), c += d, \
     b = rotl(b ^ c, 7))

/* One block without the final addition; rows 0 and 3 of the result. Once a message: portable is
 * enough. */
void plait_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16])
{
    uint32_t x[16];
    plait_chacha20_state(x, key, nonce + 4, plait_load32_le(nonce));
    for (int i = 0; i < 10; i++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < 4; i++) {
        plait_store32_le(out + 4 * i, x[i]);
        plait_store32_le(out + 16 + 4 * i, x[12 + i]);
    }
    plait_wipe(x, sizeof x);
}

/* ---- the authenticator, in pieces ------------------------------------------------------------ */

/* r = clamp(first half of the one-time key), s = second half, h = 0 (RFC 8439, 2.5.1). */
void plait_poly1305_start(plait_poly1305_acc *acc, const uint8_t key[32])
{
    acc->h[0] = acc->h[1] = acc->h[2] = 0;
    acc->r[0] = plait_load64_le(key) & UINT64_C(0x0ffffffc0fffffff);
    acc->r[1] = plait_load64_le(key + 8) & UINT64_C(0x0ffffffc0ffffffc);
    acc->s[0] = plait_load64_le(key + 16);
    acc->s[1] = plait_load64_le(key + 24);
}

/* Absorbs data and the zeros that fill its last block. */
static void absorb_padded(const plait_kernel *mac, plait_poly1305_acc *acc,
                          const uint8_t *data, size_t len)
{
    const size_t whole = len & ~(size_t)15;
    if (whole != 0) plait_row_poly1305_blocks(mac, acc, data, whole);
    if (len != whole) {
        uint8_t last[16] = {0};
        memcpy(last, data + whole, len - whole);
        plait_row_poly1305_blocks(mac, acc, last, 16);
    }
}

/* The lengths, and the tag. */
void plait_chacha20_poly1305_finish(const plait_kernel *mac, plait_poly1305_acc *acc,
                                    uint64_t ad_len, uint64_t text_len, uint8_t tag[16])
{
    uint8_t lengths[16];
    plait_store64_le(lengths, ad_len);
    plait_store64_le(lengths + 8, text_len);
    plait_row_poly1305_blocks(mac, acc, lengths, 16);
    plait_row_poly1305_final(mac, acc, tag, NULL, 0);
}

/* ---- composed of parts ----------------------------------------------------------------------- */

/* Text goes through cipher and authenticator in pieces that stay in the first-level cache. */
#define PIECE ((size_t)8192)

typedef struct message {
    const plait_kernel *cipher, *mac;
    uint32_t state[16];
    plait_poly1305_acc acc;
} message;

/* Block 0 makes the one-time key; the text starts at block 1. */
static void parts_begin(message *m, const uint8_t *area, const uint8_t nonce[12], const uint8_t *ad,
                        size_t ad_len)
{
    const plait_chacha20_poly1305_area *a =
        (const plait_chacha20_poly1305_area *)(const void *)area;
    uint8_t key[32] = {0};
    m->cipher = plait_rows[a->cipher_row];
    m->mac = plait_rows[a->mac_row];
    plait_chacha20_state(m->state, a->raw, nonce, 0);
    plait_row_chacha20(m->cipher, key, key, sizeof key, m->state);
    m->state[12] = 1;
    plait_poly1305_start(&m->acc, key);
    plait_wipe(key, sizeof key);
    absorb_padded(m->mac, &m->acc, ad, ad_len);
}

static void parts_seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                       const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    message m;
    parts_begin(&m, area, nonce, ad, ad_len);
    for (size_t left = len, now; left != 0; left -= now, out += now, in += now) {
        now = left < PIECE ? left : PIECE;
        plait_row_chacha20(m.cipher, out, in, now, m.state);
        m.state[12] += (uint32_t)(PIECE / 64);
        absorb_padded(m.mac, &m.acc, out, now);
    }
    plait_chacha20_poly1305_finish(m.mac, &m.acc, ad_len, len, tag);
    plait_wipe(&m, sizeof m);
}

static void parts_open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                       const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    message m;
    parts_begin(&m, area, nonce, ad, ad_len);
    for (size_t left = len, now; left != 0; left -= now, out += now, in += now) {
        now = left < PIECE ? left : PIECE;
        absorb_padded(m.mac, &m.acc, in, now); /* before the text: out may be in */
        plait_row_chacha20(m.cipher, out, in, now, m.state);
        m.state[12] += (uint32_t)(PIECE / 64);
    }
    plait_chacha20_poly1305_finish(m.mac, &m.acc, ad_len, len, tag);
    plait_wipe(&m, sizeof m);
}

const plait_kernel plait_chacha20_poly1305_parts = {
    PLAIT_KERNEL_ID(chacha20_poly1305, parts), PLAIT_NEEDS_NOTHING,
    .fn.chacha20_poly1305 = {.seal = parts_seal, .open = parts_open}};
