/* SPDX-License-Identifier: Apache-2.0
 *
 * Do all ways to the same answer agree? A message by two choices of rows, in one call and in random
 * pieces, alone and among others in a batch, and by libcrypto where it can be loaded; and each part
 * by two rows.
 */
#include "../evp.h"
#include "fuzz.h"

#define MOST 6000

static const evp *their_library(void)
{
    static evp e;
    static int state; /* 0: not tried, 1: there, -1: not */
    if (state == 0) state = evp_load(&e) ? 1 : -1;
    return state > 0 ? &e : NULL;
}

/* Lengths near those where kernels change their path are more likely. */
static size_t some_length(source *s, size_t most)
{
    const unsigned kind = take8(s);
    size_t n = take(s, 65536);
    if (kind & 1) n = (n % 1024 & ~(size_t)15) + take(s, 3) + 15 * (kind >> 1 & 1);
    return n % (most + 1);
}

typedef struct message {
    plait_alg alg;
    uint8_t raw[32], nonce[80], tag[16];
    size_t nonce_len, ad_len, len;
    uint8_t *ad, *in, *out; /* in: plaintext, out: ciphertext */
} message;

static void new_message(source *s, message *m, plait_alg alg, size_t most)
{
    m->alg = alg;
    stretch(s, m->raw, 32);
    m->nonce_len = is_gcm(alg) && (take8(s) & 1) ? 1 + take(s, sizeof m->nonce)
                                                 : (alg == PLAIT_XCHACHA20_POLY1305 ? 24 : 12);
    stretch(s, m->nonce, m->nonce_len);
    m->ad_len = some_length(s, most / 4);
    m->len = some_length(s, most);
    m->ad = room(m->ad_len), m->in = room(m->len), m->out = room(m->len);
    stretch(s, m->ad, m->ad_len);
    stretch(s, m->in, m->len);
}

static void drop_message(message *m)
{
    free(m->ad), free(m->in), free(m->out);
}

static void theirs(const message *m)
{
    const evp *e = their_library();
    if (e == NULL || m->alg == PLAIT_XCHACHA20_POLY1305) return;
    uint8_t *out = room(m->len + 32), tag[16];
    int n;
    void *c = e->ctx_new();
    MUST(e->init(c, is_gcm(m->alg) ? e->aes_gcm[m->alg - 1]() : e->chapoly(), NULL, NULL, NULL,
                 1) == 1);
    MUST(e->ctrl(c, EVP_SET_IVLEN, (int)m->nonce_len, NULL) == 1);
    MUST(e->init(c, NULL, NULL, m->raw, m->nonce, 1) == 1);
    if (m->ad_len > 0) MUST(e->update(c, NULL, &n, m->ad, (int)m->ad_len) == 1);
    if (m->len > 0) MUST(e->update(c, out, &n, m->in, (int)m->len) == 1);
    MUST(e->final(c, out + m->len, &n) == 1);
    MUST(e->ctrl(c, EVP_GET_TAG, 16, tag) == 1);
    e->ctx_free(c);
    SAME(out, m->out, m->len);
    SAME(tag, m->tag, 16);
    free(out);
}

/* In pieces of any size, each in memory of its own: sealed out of place, opened in place. */
static void in_pieces(source *s, const message *m, const plait_key *k, int opening)
{
    plait_stream stream;
    uint8_t tag[16];
    MUST(plait_stream_init(&stream, k, m->nonce, m->nonce_len) == PLAIT_OK);
    for (size_t at = 0; at < m->ad_len;) {
        size_t n = s->left ? some_length(s, 300) : m->ad_len;
        if (n > m->ad_len - at) n = m->ad_len - at;
        MUST(plait_stream_ad(&stream, k, m->ad + at, n) == PLAIT_OK);
        at += n;
    }
    for (size_t at = 0; at < m->len;) {
        size_t n = s->left ? some_length(s, 2100) : m->len;
        if (n > m->len - at) n = m->len - at;
        uint8_t *piece = room(n);
        if (opening) {
            memcpy(piece, m->out + at, n);
            MUST(plait_stream_open_unverified(&stream, k, piece, piece, n) == PLAIT_OK);
            SAME(piece, m->in + at, n);
        } else {
            MUST(plait_stream_seal(&stream, k, piece, m->in + at, n) == PLAIT_OK);
            SAME(piece, m->out + at, n);
        }
        free(piece);
        at += n;
    }
    if (opening) {
        MUST(plait_stream_open_final(&stream, k, m->tag) == PLAIT_OK);
    } else {
        MUST(plait_stream_seal_final(&stream, k, tag) == PLAIT_OK);
        SAME(tag, m->tag, 16);
    }
}

static void aead(source *s, plait_alg alg)
{
    message m;
    char name[96];
    plait_key a, b;
    uint8_t tag[16];
    const char *first = some_kernel(s, is_gcm(alg), name);
    new_message(s, &m, alg, MOST);
    MUST(plait_key_init_with(&a, alg, m.raw, key_len_of(alg), first) == PLAIT_OK);
    MUST(plait_key_init_with(&b, alg, m.raw, key_len_of(alg), some_kernel(s, is_gcm(alg), name)) ==
         PLAIT_OK);
    MUST(plait_seal(&a, m.out, m.tag, m.nonce, m.nonce_len, m.ad, m.ad_len, m.in, m.len) ==
         PLAIT_OK);
    theirs(&m);

    uint8_t *got = room(m.len);
    MUST(plait_open(&b, got, m.nonce, m.nonce_len, m.ad, m.ad_len, m.out, m.len, m.tag) ==
         PLAIT_OK);
    SAME(got, m.in, m.len);
    MUST(plait_seal(&b, got, tag, m.nonce, m.nonce_len, m.ad, m.ad_len, got, m.len) == PLAIT_OK);
    SAME(got, m.out, m.len);
    SAME(tag, m.tag, 16);
    in_pieces(s, &m, &b, 0);
    in_pieces(s, &m, &a, 1);

    /* A changed bit is found, and leaves zeros. */
    const size_t where = take(s, 65536) % (16 + m.len);
    uint8_t *bit = where < 16 ? &tag[where] : &got[where - 16];
    *bit ^= (uint8_t)(1 << take(s, 8));
    MUST(plait_open(&b, got, m.nonce, m.nonce_len, m.ad, m.ad_len, got, m.len, tag) ==
         PLAIT_ERR_TAG);
    for (size_t i = 0; i < m.len; i++) MUST(got[i] == 0);
    free(got);
    drop_message(&m);
}

/* A batch of messages, of one construction or several, against one call each. */
static void batch(source *s, plait_alg alg)
{
    enum { MESSAGES = 40 };
    static plait_key keys[MESSAGES];
    message m[MESSAGES];
    plait_message list[MESSAGES];
    uint8_t *got[MESSAGES], tag[MESSAGES][16];
    int forged[MESSAGES];
    const size_t count = 1 + take(s, MESSAGES);
    const unsigned mixed = take8(s);
    size_t wrong = 0;
    char name[96];
    for (size_t i = 0; i < count; i++) {
        new_message(s, &m[i], mixed & 1 ? (plait_alg)(1 + take(s, 5)) : alg,
                    mixed & 2 ? 1200 : 200);
        const int gcm = is_gcm(m[i].alg);
        MUST(plait_key_init_with(&keys[i], m[i].alg, m[i].raw, key_len_of(m[i].alg),
                                 mixed & 4 ? some_kernel(s, gcm, name) : NULL) == PLAIT_OK);
        MUST(plait_seal(&keys[i], m[i].out, m[i].tag, m[i].nonce, m[i].nonce_len, m[i].ad,
                        m[i].ad_len, m[i].in, m[i].len) == PLAIT_OK);
        got[i] = room(m[i].len);
        const int in_place = mixed >> 3 & 1;
        if (in_place) memcpy(got[i], m[i].in, m[i].len);
        list[i] = (plait_message){.key = &keys[i],
                                  .out = got[i],
                                  .tag = tag[i],
                                  .nonce = m[i].nonce,
                                  .nonce_len = m[i].nonce_len,
                                  .ad = m[i].ad,
                                  .ad_len = m[i].ad_len,
                                  .in = in_place ? got[i] : m[i].in,
                                  .in_len = m[i].len};
    }
    MUST(plait_seal_batch(list, count) == 0);
    for (size_t i = 0; i < count; i++) {
        MUST(list[i].status == PLAIT_OK);
        SAME(got[i], m[i].out, m[i].len);
        SAME(tag[i], m[i].tag, 16);
        forged[i] = take8(s) % 8 == 1;
        wrong += (size_t)forged[i];
        if (forged[i]) tag[i][take(s, 16)] ^= 64;
        list[i].in = mixed >> 3 & 1 ? got[i] : m[i].out;
    }
    MUST(plait_open_batch(list, count) == wrong);
    for (size_t i = 0; i < count; i++) {
        MUST(list[i].status == (forged[i] ? PLAIT_ERR_TAG : PLAIT_OK));
        if (forged[i])
            for (size_t j = 0; j < m[i].len; j++) MUST(got[i][j] == 0);
        else
            SAME(got[i], m[i].in, m[i].len);
        free(got[i]);
        drop_message(&m[i]);
    }
}

/* ---- parts ------------------------------------------------------------------------------- */

static void streams(source *s, int chacha)
{
    uint8_t key[32], iv[16];
    const size_t key_len = chacha ? 32 : 16 + 8 * take(s, 3), len = some_length(s, MOST);
    uint8_t *in = room(len), *a = room(len), *b = room(len);
    stretch(s, key, 32);
    stretch(s, iv, 16);
    stretch(s, in, len);
    memcpy(b, in, len);
    if (chacha) {
        /* iv: counter and nonce. The last block may be number 2^32 - 1, and none after it. */
        const uint32_t counter = plait_load32_le(iv);
        const plait_status want =
            ((uint64_t)len + 63) / 64 > (UINT64_C(1) << 32) - counter ? PLAIT_ERR_LENGTH : PLAIT_OK;
        MUST(plait_chacha20_xor_with(SOME_ROW(s, chacha20), a, in, len, key, iv + 4, counter) ==
             want);
        MUST(plait_chacha20_xor_with(SOME_ROW(s, chacha20), b, b, len, key, iv + 4, counter) ==
             want);
        if (want != PLAIT_OK) memcpy(a, in, len); /* which then holds what it held */
    } else {
        MUST(plait_aes_ctr_xor_with(SOME_ROW(s, aes), a, in, len, key, key_len, iv) == PLAIT_OK);
        MUST(plait_aes_ctr_xor_with(SOME_ROW(s, aes), b, b, len, key, key_len, iv) == PLAIT_OK);
    }
    SAME(a, b, len);
    const evp *e = their_library();
    /* Their ChaCha20 lets the counter run into the nonce: only what needs no such block. */
    if (e != NULL && len > 0 && (!chacha || plait_load32_le(iv) < UINT32_C(0xffff0000))) {
        int n;
        void *c = e->ctx_new();
        MUST(e->init(c, chacha ? e->chacha20() : e->aes_ctr[key_len / 8 - 2](), NULL, key, iv, 1) ==
             1);
        MUST(e->update(c, b, &n, in, (int)len) == 1);
        e->ctx_free(c);
        SAME(a, b, len);
    }
    free(in), free(a), free(b);
}

static void macs(source *s, int poly)
{
    uint8_t key[32], a[16], b[16];
    size_t len = some_length(s, MOST);
    if (!poly) len &= ~(size_t)15;
    uint8_t *in = room(len);
    stretch(s, key, 32);
    stretch(s, a, 16);
    memcpy(b, a, 16);
    stretch(s, in, len);
    const char *row = poly ? SOME_ROW(s, poly1305) : SOME_ROW(s, ghash);
    if (poly) {
        plait_poly1305_state state;
        MUST(plait_poly1305_with(SOME_ROW(s, poly1305), a, in, len, key) == PLAIT_OK);
        MUST(plait_poly1305_init_with(row, &state, key) == PLAIT_OK);
        for (size_t at = 0; at < len;) {
            size_t n = s->left ? some_length(s, 2100) : len;
            if (n > len - at) n = len - at;
            MUST(plait_poly1305_update_with(row, &state, in + at, n) == PLAIT_OK);
            at += n;
        }
        MUST(plait_poly1305_final_with(row, &state, b) == PLAIT_OK);
    } else {
        MUST(plait_ghash_with(SOME_ROW(s, ghash), a, key, in, len / 16) == PLAIT_OK);
        for (size_t at = 0; at < len;) {
            size_t n = s->left ? some_length(s, 2100) & ~(size_t)15 : len;
            if (n > len - at) n = len - at;
            MUST(plait_ghash_with(row, b, key, in + at, n / 16) == PLAIT_OK);
            at += n;
        }
    }
    SAME(a, b, 16);
    free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = {data, size};
    const unsigned what = take8(&s);
    switch (what % 8) {
    case 0:
    case 1:
    case 2:
        aead(&s, (plait_alg)(1 + what / 8 % 5));
        break;
    case 3:
        batch(&s, (plait_alg)(1 + what / 8 % 5));
        break;
    case 4:
    case 5:
        streams(&s, what & 1);
        break;
    default:
        macs(&s, what & 1);
    }
    return 0;
}
