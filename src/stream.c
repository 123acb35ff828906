/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c - one message in pieces: any split of AD or text gives the bytes of one call.
 *
 * Whole blocks go straight to the kernels. What does not fill a block waits: text as the keystream
 * that is left of its cipher block, and bytes for the authenticator in `block` until there are 16.
 */
#include "internal.h"

#define STREAM_MAGIC 0x706c6173u

enum phase { PHASE_AD = 1, PHASE_SEAL, PHASE_OPEN }; /* text so far: none, sealed, opened */

typedef struct stream_fields {
    uint32_t magic; /* 0 when never set, finished, failed or wiped */
    uint8_t alg, row, cipher_row, mac_row;
    uint8_t phase;
    uint8_t waiting; /* bytes in block */
    uint8_t j0_secret;
    uint64_t ad_len, text_len;
    uint8_t block[16];     /* for the authenticator */
    uint8_t keystream[64]; /* of the cipher block that text_len is inside of */
    union {
        struct {
            uint8_t j0[16];
            uint8_t acc[16];
        } gcm;
        struct {
            uint32_t state[16]; /* counter 0 */
            plait_poly1305_acc acc;
        } chacha20;
    } u;
} stream_fields;

typedef char plait_stream_fits[sizeof(stream_fields) <= sizeof(plait_stream) ? 1 : -1];

static stream_fields *inside(plait_stream *stream)
{
    return (stream_fields *)(void *)stream;
}

static int is_gcm(const stream_fields *s)
{
    return s->alg <= PLAIT_AES_256_GCM;
}

/* A stream that a call failed on is no stream any more: a later final can not bless what is
 * missing. */
static plait_status fail(plait_stream *stream, plait_status status)
{
    plait_stream_wipe(stream);
    return status;
}

/* PLAIT_OK if the stream is live and the key is the one it was started with. */
static plait_status check_live(const plait_stream *stream, const plait_key *key)
{
    const stream_fields *s = (const stream_fields *)(const void *)stream;
    if (stream == NULL) return PLAIT_ERR_ARGUMENT;
    if (s->magic != STREAM_MAGIC) return PLAIT_ERR_ORDER;
    if (!plait_key_valid(key)) return PLAIT_ERR_ARGUMENT;
    const plait_key_fields *k = plait_key_inside(key);
    return k->alg == s->alg && k->row == s->row && k->cipher_row == s->cipher_row &&
                   k->mac_row == s->mac_row
               ? PLAIT_OK
               : PLAIT_ERR_ARGUMENT;
}

/* ---- the two constructions behind one set of names ------------------------------------------- */

static const plait_aes_gcm_fns *gcm_fns(const stream_fields *s)
{
    return &plait_rows[s->row]->fn.aes_gcm;
}
static const plait_kernel *cipher_row(const stream_fields *s)
{
    return plait_rows[s->cipher_row];
}
static const plait_kernel *mac_row(const stream_fields *s)
{
    return plait_rows[s->mac_row];
}

/* Where a function of the GCM row has been called and has returned. */
static void after_gcm(const stream_fields *s)
{
    plait_burn_spills(plait_rows[s->row]);
    if (s->j0_secret) plait_burn_counters();
}

static size_t cipher_block(const stream_fields *s)
{
    return is_gcm(s) ? 16 : 64;
}

/* Whole blocks into the authenticator. */
static void absorb_blocks(stream_fields *s, const plait_key_fields *k, const uint8_t *data,
                          size_t len)
{
    if (is_gcm(s)) {
        gcm_fns(s)->hash(k->area, s->u.gcm.acc, data, len);
        plait_burn_spills(plait_rows[s->row]);
    } else {
        plait_row_poly1305_blocks(mac_row(s), &s->u.chacha20.acc, data, len);
    }
}

/* Any bytes into the authenticator. */
static void absorb(stream_fields *s, const plait_key_fields *k, const uint8_t *data, size_t len)
{
    if (s->waiting != 0) {
        const size_t room = 16u - s->waiting, now = len < room ? len : room;
        memcpy(s->block + s->waiting, data, now);
        s->waiting = (uint8_t)(s->waiting + now);
        data += now, len -= now;
        if (s->waiting < 16) return;
        absorb_blocks(s, k, s->block, 16);
        s->waiting = 0;
    }
    const size_t whole = len & ~(size_t)15;
    if (whole != 0) absorb_blocks(s, k, data, whole);
    if (len != whole) memcpy(s->block, data + whole, len - whole);
    s->waiting = (uint8_t)(len - whole);
}

/* The zeros between AD and text, and between text and lengths. */
static void pad(stream_fields *s, const plait_key_fields *k)
{
    if (s->waiting == 0) return;
    memset(s->block + s->waiting, 0, 16u - s->waiting);
    absorb_blocks(s, k, s->block, 16);
    s->waiting = 0;
}

/* out = in xor keystream from byte text_len of the message on, where text_len is at a block's
 * start. */
static void cipher(stream_fields *s, const plait_key_fields *k, uint8_t *out, const uint8_t *in,
                   size_t len)
{
    if (is_gcm(s)) {
        uint8_t at[16];
        plait_gcm_counter(at, s->u.gcm.j0, (uint32_t)(s->text_len / 16) + 1);
        gcm_fns(s)->ctr32(k->area, out, in, len, at);
        after_gcm(s);
        plait_wipe(at, sizeof at);
    } else {
        uint32_t state[16];
        memcpy(state, s->u.chacha20.state, sizeof state);
        state[12] = (uint32_t)(s->text_len / 64) + 1;
        plait_row_chacha20(cipher_row(s), out, in, len, state);
        plait_wipe(state, sizeof state);
    }
}

/* Bytes of the block whose keystream is at hand. */
static void text_bytes(stream_fields *s, const plait_key_fields *k, uint8_t *out, const uint8_t *in,
                       size_t len)
{
    const size_t at = (size_t)(s->text_len % cipher_block(s));
    if (s->phase == PHASE_OPEN) absorb(s, k, in, len);
    for (size_t i = 0; i < len; i++) out[i] = in[i] ^ s->keystream[at + i];
    if (s->phase == PHASE_SEAL) absorb(s, k, out, len);
    s->text_len += len;
}

/* Whole cipher blocks, with nothing waiting. */
static void text_blocks(stream_fields *s, const plait_key_fields *k, uint8_t *out,
                        const uint8_t *in, size_t len)
{
    if (is_gcm(s)) {
        uint8_t at[16];
        plait_gcm_counter(at, s->u.gcm.j0, (uint32_t)(s->text_len / 16) + 1);
        (s->phase == PHASE_SEAL ? gcm_fns(s)->text_seal
                                : gcm_fns(s)->text_open)(k->area, s->u.gcm.acc, at, out, in, len);
        after_gcm(s);
        plait_wipe(at, sizeof at);
        s->text_len += len;
        return;
    }
    /* Pieces that stay in the first-level cache between cipher and authenticator. */
    while (len != 0) {
        const size_t now = len < 8192 ? len : 8192;
        if (s->phase == PHASE_OPEN) absorb(s, k, in, now);
        cipher(s, k, out, in, now);
        if (s->phase == PHASE_SEAL) absorb(s, k, out, now);
        s->text_len += now;
        out += now, in += now, len -= now;
    }
}

static void text(stream_fields *s, const plait_key_fields *k, uint8_t *out, const uint8_t *in,
                 size_t len)
{
    static const uint8_t zeros[64] = {0};
    const size_t unit = cipher_block(s), used = (size_t)(s->text_len % unit);
    if (used != 0) {
        const size_t left = unit - used, now = len < left ? len : left;
        text_bytes(s, k, out, in, now);
        out += now, in += now, len -= now;
    }
    const size_t whole = len - len % unit;
    if (whole != 0) text_blocks(s, k, out, in, whole);
    if (len != whole) {
        cipher(s, k, s->keystream, zeros, unit);
        text_bytes(s, k, out + whole, in + whole, len - whole);
    }
}

/* ---- the calls ------------------------------------------------------------------------------- */

plait_status plait_stream_init(plait_stream *stream, const plait_key *key, const uint8_t *nonce,
                               size_t nonce_len)
{
    if (stream == NULL) return PLAIT_ERR_ARGUMENT;
    plait_stream_wipe(stream);
    if (!plait_key_valid(key) || nonce == NULL) return PLAIT_ERR_ARGUMENT;
    const plait_key_fields *k = plait_key_inside(key);
    if (!plait_nonce_allowed(k->alg, nonce_len)) return PLAIT_ERR_ARGUMENT;

    stream_fields *s = inside(stream);
    plait_start start;
    plait_message_start(k, &start, nonce, nonce_len);
    s->alg = k->alg;
    s->row = k->row;
    s->cipher_row = k->cipher_row;
    s->mac_row = k->mac_row;
    s->phase = PHASE_AD;
    s->j0_secret = (uint8_t)plait_j0_secret(k->alg, nonce_len);
    if (is_gcm(s)) {
        memcpy(s->u.gcm.j0, start.iv, 16);
    } else {
        uint8_t one_time[32] = {0};
        plait_chacha20_state(s->u.chacha20.state, start.area, start.iv, 0);
        plait_row_chacha20(cipher_row(s), one_time, one_time, sizeof one_time,
                           s->u.chacha20.state);
        plait_poly1305_start(&s->u.chacha20.acc, one_time);
        plait_wipe(one_time, sizeof one_time);
    }
    plait_message_end(k, &start, nonce_len);
    s->magic = STREAM_MAGIC;
    return PLAIT_OK;
}

plait_status plait_stream_ad(plait_stream *stream, const plait_key *key, const uint8_t *ad,
                             size_t ad_len)
{
    const plait_status status = check_live(stream, key);
    if (status != PLAIT_OK) return fail(stream, status);
    if (ad_len == 0) return PLAIT_OK;
    stream_fields *s = inside(stream);
    if (s->phase != PHASE_AD) return fail(stream, PLAIT_ERR_ORDER);
    if (plait_over(ad_len, PLAIT_AD_MAX - s->ad_len)) return fail(stream, PLAIT_ERR_LENGTH);
    if (ad == NULL) return fail(stream, PLAIT_ERR_ARGUMENT);
    absorb(s, plait_key_inside(key), ad, ad_len);
    s->ad_len += ad_len;
    return PLAIT_OK;
}

static plait_status stream_text(plait_stream *stream, const plait_key *key, uint8_t *out,
                                const uint8_t *in, size_t in_len, enum phase phase)
{
    const plait_status status = check_live(stream, key);
    if (status != PLAIT_OK) return fail(stream, status);
    if (in_len == 0) return PLAIT_OK;
    stream_fields *s = inside(stream);
    if (s->phase != PHASE_AD && s->phase != phase) return fail(stream, PLAIT_ERR_ORDER);
    if (plait_over(in_len, plait_text_max(s->alg) - s->text_len))
        return fail(stream, PLAIT_ERR_LENGTH);
    if (in == NULL || out == NULL || plait_text_overlaps(out, in, in_len))
        return fail(stream, PLAIT_ERR_ARGUMENT);
    const plait_key_fields *k = plait_key_inside(key);
    if (s->phase == PHASE_AD) pad(s, k);
    s->phase = (uint8_t)phase;
    text(s, k, out, in, in_len);
    return PLAIT_OK;
}

plait_status plait_stream_seal(plait_stream *stream, const plait_key *key, uint8_t *out,
                               const uint8_t *in, size_t in_len)
{
    return stream_text(stream, key, out, in, in_len, PHASE_SEAL);
}

plait_status plait_stream_open_unverified(plait_stream *stream, const plait_key *key, uint8_t *out,
                                          const uint8_t *in, size_t in_len)
{
    return stream_text(stream, key, out, in, in_len, PHASE_OPEN);
}

/* The computed tag; the stream is over. */
static void finish(stream_fields *s, const plait_key_fields *k, uint8_t full[16])
{
    pad(s, k);
    if (is_gcm(s)) {
        plait_gcm_finish(gcm_fns(s), k->area, s->u.gcm.acc, s->u.gcm.j0, s->ad_len, s->text_len,
                         full);
        after_gcm(s);
    } else {
        plait_chacha20_poly1305_finish(mac_row(s), &s->u.chacha20.acc, s->ad_len, s->text_len,
                                       full);
    }
}

static plait_status check_final(const plait_stream *stream, const plait_key *key,
                                const uint8_t *tag, enum phase other)
{
    const plait_status status = check_live(stream, key);
    if (status != PLAIT_OK) return status;
    if (((const stream_fields *)(const void *)stream)->phase == other) return PLAIT_ERR_ORDER;
    return tag == NULL ? PLAIT_ERR_ARGUMENT : PLAIT_OK;
}

plait_status plait_stream_seal_final(plait_stream *stream, const plait_key *key, uint8_t *tag)
{
    const plait_status status = check_final(stream, key, tag, PHASE_OPEN);
    if (status != PLAIT_OK) return fail(stream, status);
    uint8_t full[16];
    finish(inside(stream), plait_key_inside(key), full);
    plait_stream_wipe(stream);
    plait_give_tag(tag, full, plait_key_inside(key)->tag_len);
    return PLAIT_OK;
}

plait_status plait_stream_open_final(plait_stream *stream, const plait_key *key, const uint8_t *tag)
{
    const plait_status status = check_final(stream, key, tag, PHASE_SEAL);
    if (status != PLAIT_OK) return fail(stream, status);
    uint8_t full[16];
    finish(inside(stream), plait_key_inside(key), full);
    plait_stream_wipe(stream);
    const uint32_t differs = plait_differs(full, tag, plait_key_inside(key)->tag_len);
    plait_wipe(full, sizeof full);
    return differs == 0 ? PLAIT_OK : PLAIT_ERR_TAG;
}

void plait_stream_wipe(plait_stream *stream)
{
    if (stream != NULL) plait_wipe(stream, sizeof *stream);
}
