/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_wolfssl.c - wolfSSL's wolfCrypt: one-shot calls; AES keyed once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

enum { NO_DEVICE = -2 };

typedef struct library {
    int (*init)(void);
    int (*aes_init)(void *, void *, int);
    void (*aes_free)(void *);
    int (*gcm_key)(void *, const uint8_t *, uint32_t);
    int (*gcm_seal)(void *, uint8_t *, const uint8_t *, uint32_t, const uint8_t *, uint32_t,
                    uint8_t *, uint32_t, const uint8_t *, uint32_t);
    int (*gcm_open)(void *, uint8_t *, const uint8_t *, uint32_t, const uint8_t *, uint32_t,
                    const uint8_t *, uint32_t, const uint8_t *, uint32_t);
    int (*poly_seal)(const uint8_t *, const uint8_t *, const uint8_t *, uint32_t, const uint8_t *,
                     uint32_t, uint8_t *, uint8_t *);
    int (*poly_open)(const uint8_t *, const uint8_t *, const uint8_t *, uint32_t, const uint8_t *,
                     uint32_t, const uint8_t *, uint8_t *);
    int (*chacha_key)(void *, const uint8_t *, uint32_t),
        (*chacha_iv)(void *, const uint8_t *, uint32_t);
    int (*chacha)(void *, uint8_t *, const uint8_t *, uint32_t);
    int (*poly1305_key)(void *, const uint8_t *, uint32_t),
        (*poly1305_update)(void *, const uint8_t *, uint32_t);
    int (*poly1305_final)(void *, uint8_t *);
    const char *(*version)(void);
} library;

typedef struct context {
    const library *l;
    void *state;
    task task;
    int aes;
} context;

static void *open_(void *handle, char *version, size_t size)
{
    library *l = cli_alloc(sizeof *l);
    int found = PEER_SYMBOL(l->init, handle, "wolfCrypt_Init");
    found &= PEER_SYMBOL(l->aes_init, handle, "wc_AesInit");
    found &= PEER_SYMBOL(l->aes_free, handle, "wc_AesFree");
    found &= PEER_SYMBOL(l->gcm_key, handle, "wc_AesGcmSetKey");
    found &= PEER_SYMBOL(l->gcm_seal, handle, "wc_AesGcmEncrypt");
    found &= PEER_SYMBOL(l->gcm_open, handle, "wc_AesGcmDecrypt");
    found &= PEER_SYMBOL(l->poly_seal, handle, "wc_ChaCha20Poly1305_Encrypt");
    found &= PEER_SYMBOL(l->poly_open, handle, "wc_ChaCha20Poly1305_Decrypt");
    found &= PEER_SYMBOL(l->chacha_key, handle, "wc_Chacha_SetKey");
    found &= PEER_SYMBOL(l->chacha_iv, handle, "wc_Chacha_SetIV");
    found &= PEER_SYMBOL(l->chacha, handle, "wc_Chacha_Process");
    found &= PEER_SYMBOL(l->poly1305_key, handle, "wc_Poly1305SetKey");
    found &= PEER_SYMBOL(l->poly1305_update, handle, "wc_Poly1305Update");
    found &= PEER_SYMBOL(l->poly1305_final, handle, "wc_Poly1305Final");
    PEER_SYMBOL(l->version, handle, "wolfSSL_lib_version");
    if (!found || l->init() != 0) {
        free(l);
        return NULL;
    }
    snprintf(version, size, "wolfSSL %s", l->version != NULL ? l->version() : "");
    return l;
}

static int chacha20(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && c->l->chacha_key(c->state, m->key, 32) != 0) return 1;
    return c->l->chacha_iv(c->state, m->nonce, 0) != 0 ||
           c->l->chacha(c->state, m->out, m->in, (uint32_t)m->len) != 0;
}
static int poly1305(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->poly1305_key(c->state, m->key, 32) != 0 ||
           c->l->poly1305_update(c->state, m->in, (uint32_t)m->len) != 0 ||
           c->l->poly1305_final(c->state, m->out) != 0;
}
static int poly1305_update(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->poly1305_update(c->state, m->in, (uint32_t)m->len);
}
static int poly_seal(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->poly_seal(m->key, m->nonce, m->ad, (uint32_t)m->ad_len, m->in, (uint32_t)m->len,
                           m->out, m->out + m->len);
}
static int poly_open(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->poly_open(m->key, m->nonce, m->ad, (uint32_t)m->ad_len, m->in, (uint32_t)m->len,
                           m->in + m->len, m->out);
}
static int gcm_key(const context *c, const uint8_t *key)
{
    return c->l->gcm_key(c->state, key, (uint32_t)work_infos[c->task.work].key_len);
}
static int gcm_seal(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && gcm_key(c, m->key) != 0) return 1;
    return c->l->gcm_seal(c->state, m->out, m->in, (uint32_t)m->len, m->nonce,
                          (uint32_t)c->task.nonce_len, m->out + m->len, (uint32_t)c->task.tag_len,
                          m->ad, (uint32_t)m->ad_len);
}
static int gcm_open(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && gcm_key(c, m->key) != 0) return 1;
    return c->l->gcm_open(c->state, m->out, m->in, (uint32_t)m->len, m->nonce,
                          (uint32_t)c->task.nonce_len, m->in + m->len, (uint32_t)c->task.tag_len,
                          m->ad, (uint32_t)m->ad_len);
}
static int gmac(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && gcm_key(c, m->key) != 0) return 1;
    return c->l->gcm_seal(c->state, NULL, NULL, 0, m->nonce, 12, m->out, 16, m->in,
                          (uint32_t)m->len);
}

static void end(void *context_)
{
    context *c = context_;
    if (c->aes) c->l->aes_free(c->state);
    free(c->state);
    free(c);
}

static work_fn setup(void *library_, const char *kernel, const task *t, const uint8_t *key,
                     void **out)
{
    const library *l = library_;
    work_fn fn = NULL;
    (void)kernel;
    context *c = cli_alloc(sizeof *c);
    *out = c;
    c->l = l;
    c->task = *t;
    c->state = peer_alloc(65536); /* struct Aes grows with the build's options */
    switch (t->work) {
    case WORK_CHACHA20:
        if (l->chacha_key(c->state, key, 32) == 0) fn = chacha20;
        break;
    case WORK_POLY1305:
    case WORK_POLY1305_STREAM: fn = poly1305; break;
    case WORK_POLY1305_UPDATE:
        if (l->poly1305_key(c->state, key, 32) == 0) fn = poly1305_update;
        break;
    case WORK_CHACHA20_POLY1305: fn = t->open ? poly_open : poly_seal; break;
    case WORK_AES_128_GMAC:
    case WORK_AES_128_GCM:
    case WORK_AES_256_GCM:
        if (l->aes_init(c->state, NULL, NO_DEVICE) != 0) break;
        c->aes = 1;
        if (gcm_key(c, key) == 0)
            fn = t->work == WORK_AES_128_GMAC ? gmac : t->open ? gcm_open : gcm_seal;
        break;
    default: break;
    }
    if (fn == NULL) end(c);
    return fn;
}

static const char *const names[] = {"libwolfssl.so.42", "libwolfssl.so.41", "libwolfssl.so.35",
                                    "libwolfssl.so",    "libwolfssl.dylib", NULL};
const source source_wolfssl = {
    "wolfssl", "wolfCrypt one-shot calls; AES keyed once", names, open_, setup, end, NULL};
