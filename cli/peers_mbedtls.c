/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_mbedtls.c - Mbed TLS 2.28 and 3: one-shot calls on contexts keyed once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

enum { CIPHER_ID_AES = 2, ENCRYPT = 1 };

typedef struct library {
    void (*gcm_init)(void *), (*gcm_free)(void *), (*poly_init)(void *), (*chacha_init)(void *);
    int (*gcm_key)(void *, int, const uint8_t *, unsigned);
    int (*gcm_seal)(void *, int, size_t, const uint8_t *, size_t, const uint8_t *, size_t,
                    const uint8_t *, uint8_t *, size_t, uint8_t *);
    int (*gcm_open)(void *, size_t, const uint8_t *, size_t, const uint8_t *, size_t,
                    const uint8_t *, size_t, const uint8_t *, uint8_t *);
    int (*poly_key)(void *, const uint8_t *), (*chacha_key)(void *, const uint8_t *);
    int (*poly_seal)(void *, size_t, const uint8_t *, const uint8_t *, size_t, const uint8_t *,
                     uint8_t *, uint8_t *);
    int (*poly_open)(void *, size_t, const uint8_t *, const uint8_t *, size_t, const uint8_t *,
                     const uint8_t *, uint8_t *);
    int (*chacha_starts)(void *, const uint8_t *, uint32_t),
        (*chacha_update)(void *, size_t, const uint8_t *, uint8_t *);
    int (*poly1305)(const uint8_t *, const uint8_t *, size_t, uint8_t *);
    void (*version)(char *);
} library;

typedef struct context {
    const library *l;
    void *state;
    task task;
    int gcm;
} context;

static void *open_(void *handle, char *version, size_t size)
{
    library *l = cli_alloc(sizeof *l);
    char text[64] = "Mbed TLS";
    int found = PEER_SYMBOL(l->gcm_init, handle, "mbedtls_gcm_init");
    found &= PEER_SYMBOL(l->gcm_free, handle, "mbedtls_gcm_free");
    found &= PEER_SYMBOL(l->gcm_key, handle, "mbedtls_gcm_setkey");
    found &= PEER_SYMBOL(l->gcm_seal, handle, "mbedtls_gcm_crypt_and_tag");
    found &= PEER_SYMBOL(l->gcm_open, handle, "mbedtls_gcm_auth_decrypt");
    found &= PEER_SYMBOL(l->poly_init, handle, "mbedtls_chachapoly_init");
    found &= PEER_SYMBOL(l->poly_key, handle, "mbedtls_chachapoly_setkey");
    found &= PEER_SYMBOL(l->poly_seal, handle, "mbedtls_chachapoly_encrypt_and_tag");
    found &= PEER_SYMBOL(l->poly_open, handle, "mbedtls_chachapoly_auth_decrypt");
    found &= PEER_SYMBOL(l->chacha_init, handle, "mbedtls_chacha20_init");
    found &= PEER_SYMBOL(l->chacha_key, handle, "mbedtls_chacha20_setkey");
    found &= PEER_SYMBOL(l->chacha_starts, handle, "mbedtls_chacha20_starts");
    found &= PEER_SYMBOL(l->chacha_update, handle, "mbedtls_chacha20_update");
    found &= PEER_SYMBOL(l->poly1305, handle, "mbedtls_poly1305_mac");
    PEER_SYMBOL(l->version, handle, "mbedtls_version_get_string_full");
    if (!found) {
        free(l);
        return NULL;
    }
    if (l->version != NULL) l->version(text);
    snprintf(version, size, "%s", text);
    return l;
}

static int chacha20(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && c->l->chacha_key(c->state, m->key) != 0) return 1;
    return c->l->chacha_starts(c->state, m->nonce, 0) != 0 ||
           c->l->chacha_update(c->state, m->len, m->in, m->out) != 0;
}
static int poly1305(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->poly1305(m->key, m->in, m->len, m->out);
}
static int poly_seal(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && c->l->poly_key(c->state, m->key) != 0) return 1;
    return c->l->poly_seal(c->state, m->len, m->nonce, m->ad, m->ad_len, m->in, m->out,
                           m->out + m->len);
}
static int poly_open(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && c->l->poly_key(c->state, m->key) != 0) return 1;
    return c->l->poly_open(c->state, m->len, m->nonce, m->ad, m->ad_len, m->in + m->len, m->in,
                           m->out);
}
static int gcm_key(const context *c, const uint8_t *key)
{
    return c->l->gcm_key(c->state, CIPHER_ID_AES, key,
                         (unsigned)work_infos[c->task.work].key_len * 8);
}
static int gcm_seal(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && gcm_key(c, m->key) != 0) return 1;
    return c->l->gcm_seal(c->state, ENCRYPT, m->len, m->nonce, c->task.nonce_len, m->ad, m->ad_len,
                          m->in, m->out, c->task.tag_len, m->out + m->len);
}
static int gcm_open(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh && gcm_key(c, m->key) != 0) return 1;
    return c->l->gcm_open(c->state, m->len, m->nonce, c->task.nonce_len, m->ad, m->ad_len,
                          m->in + m->len, c->task.tag_len, m->in, m->out);
}
static int gmac(void *context_, const message *m)
{
    const context *c = context_;
    uint8_t none[16] = {0};
    if (c->task.fresh && gcm_key(c, m->key) != 0) return 1;
    return c->l->gcm_seal(c->state, ENCRYPT, 0, m->nonce, 12, m->in, m->len, none, none, 16,
                          m->out);
}

static void end(void *context_)
{
    context *c = context_;
    if (c->gcm) c->l->gcm_free(c->state);
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
    c->state = peer_alloc(16384); /* its contexts have a few hundred bytes */
    switch (t->work) {
    case WORK_CHACHA20:
        l->chacha_init(c->state);
        if (l->chacha_key(c->state, key) == 0) fn = chacha20;
        break;
    case WORK_POLY1305: fn = poly1305; break;
    case WORK_CHACHA20_POLY1305:
        l->poly_init(c->state);
        if (l->poly_key(c->state, key) == 0) fn = t->open ? poly_open : poly_seal;
        break;
    case WORK_AES_128_GMAC:
    case WORK_AES_128_GCM:
    case WORK_AES_256_GCM:
        l->gcm_init(c->state);
        c->gcm = 1;
        if (gcm_key(c, key) == 0)
            fn = t->work == WORK_AES_128_GMAC ? gmac : t->open ? gcm_open : gcm_seal;
        break;
    default: break;
    }
    if (fn == NULL) end(c);
    return fn;
}

static const char *const names[] = {"libmbedcrypto.so.16", "libmbedcrypto.so.15",
                                    "libmbedcrypto.so.7",  "libmbedcrypto.so",
                                    "libmbedcrypto.dylib", NULL};
const source source_mbedtls = {
    "mbedtls", "one-shot calls, contexts keyed once", names, open_, setup, end, NULL};
