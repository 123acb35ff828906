/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_boringssl.c - BoringSSL and AWS-LC, by path: EVP_AEAD, and the two ChaCha20 and Poly1305
 * functions that their headers offer beside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

typedef int (*aead_fn)(const void *, uint8_t *, size_t *, size_t, const uint8_t *, size_t,
                       const uint8_t *, size_t, const uint8_t *, size_t);

typedef struct library {
    const void *(*aes_128_gcm)(void), *(*aes_256_gcm)(void), *(*chacha20_poly1305)(void);
    void *(*ctx_new)(const void *, const uint8_t *, size_t, size_t);
    void (*ctx_free)(void *);
    aead_fn seal, open;
    void (*chacha20)(uint8_t *, const uint8_t *, size_t, const uint8_t *, const uint8_t *,
                     uint32_t);
    void (*poly1305_init)(void *, const uint8_t *),
        (*poly1305_update)(void *, const uint8_t *, size_t);
    void (*poly1305_finish)(void *, uint8_t *);
    const char *(*openssl_version)(int), *(*awslc_version)(void);
} library;

typedef struct context {
    const library *l;
    const void *aead;
    void *ctx;
    task task;
    uint8_t *poly1305; /* poly1305_state has 512 bytes, at any alignment */
} context;

static void *open_(void *handle, char *version, size_t size)
{
    library *l = cli_alloc(sizeof *l);
    int found = PEER_SYMBOL(l->aes_128_gcm, handle, "EVP_aead_aes_128_gcm");
    found &= PEER_SYMBOL(l->aes_256_gcm, handle, "EVP_aead_aes_256_gcm");
    found &= PEER_SYMBOL(l->chacha20_poly1305, handle, "EVP_aead_chacha20_poly1305");
    found &= PEER_SYMBOL(l->ctx_new, handle, "EVP_AEAD_CTX_new");
    found &= PEER_SYMBOL(l->ctx_free, handle, "EVP_AEAD_CTX_free");
    found &= PEER_SYMBOL(l->seal, handle, "EVP_AEAD_CTX_seal");
    found &= PEER_SYMBOL(l->open, handle, "EVP_AEAD_CTX_open");
    PEER_SYMBOL(l->chacha20, handle, "CRYPTO_chacha_20");
    PEER_SYMBOL(l->poly1305_init, handle, "CRYPTO_poly1305_init");
    PEER_SYMBOL(l->poly1305_update, handle, "CRYPTO_poly1305_update");
    PEER_SYMBOL(l->poly1305_finish, handle, "CRYPTO_poly1305_finish");
    PEER_SYMBOL(l->openssl_version, handle, "OpenSSL_version");
    PEER_SYMBOL(l->awslc_version, handle, "awslc_version_string");
    if (!found) {
        free(l);
        return NULL;
    }
    snprintf(version, size, "%s", l->awslc_version != NULL     ? l->awslc_version()
                                  : l->openssl_version != NULL ? l->openssl_version(0)
                                                               : "version not told");
    return l;
}

static int chacha20(void *context_, const message *m)
{
    const context *c = context_;
    c->l->chacha20(m->out, m->in, m->len, m->key, m->nonce, 0);
    return 0;
}
static int poly1305(void *context_, const message *m)
{
    const context *c = context_;
    c->l->poly1305_init(c->poly1305, m->key);
    c->l->poly1305_update(c->poly1305, m->in, m->len);
    c->l->poly1305_finish(c->poly1305, m->out);
    return 0;
}
static int poly1305_update(void *context_, const message *m)
{
    const context *c = context_;
    c->l->poly1305_update(c->poly1305, m->in, m->len);
    return 0;
}
static int new_key(context *c, const uint8_t *key)
{
    if (c->ctx != NULL) c->l->ctx_free(c->ctx);
    c->ctx = c->l->ctx_new(c->aead, key, work_infos[c->task.work].key_len, c->task.tag_len);
    return c->ctx == NULL;
}
static int seal(void *context_, const message *m)
{
    context *c = context_;
    size_t n;
    if (c->task.fresh && new_key(c, m->key)) return 1;
    return !c->l->seal(c->ctx, m->out, &n, m->len + 16, m->nonce, c->task.nonce_len, m->in, m->len,
                       m->ad, m->ad_len);
}
static int open_message(void *context_, const message *m)
{
    context *c = context_;
    size_t n;
    if (c->task.fresh && new_key(c, m->key)) return 1;
    return !c->l->open(c->ctx, m->out, &n, m->len + 16, m->nonce, c->task.nonce_len, m->in,
                       m->len + c->task.tag_len, m->ad, m->ad_len);
}
static int gmac(void *context_, const message *m)
{
    context *c = context_;
    size_t n;
    if (c->task.fresh && new_key(c, m->key)) return 1;
    return !c->l->seal(c->ctx, m->out, &n, 16, m->nonce, c->task.nonce_len, NULL, 0, m->in, m->len);
}

static void end(void *context_)
{
    context *c = context_;
    if (c->ctx != NULL) c->l->ctx_free(c->ctx);
    free(c->poly1305);
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
    switch (t->work) {
    case WORK_CHACHA20:
        if (l->chacha20 != NULL) fn = chacha20;
        break;
    case WORK_POLY1305:
    case WORK_POLY1305_STREAM:
    case WORK_POLY1305_UPDATE:
        if (l->poly1305_init == NULL || l->poly1305_update == NULL || l->poly1305_finish == NULL)
            break;
        c->poly1305 = peer_alloc(1024);
        l->poly1305_init(c->poly1305, key);
        fn = t->work == WORK_POLY1305_UPDATE ? poly1305_update : poly1305;
        break;
    case WORK_CHACHA20_POLY1305:
    case WORK_AES_128_GMAC:
    case WORK_AES_128_GCM:
    case WORK_AES_256_GCM:
        c->aead = t->work == WORK_CHACHA20_POLY1305 ? l->chacha20_poly1305()
                  : t->work == WORK_AES_256_GCM     ? l->aes_256_gcm()
                                                    : l->aes_128_gcm();
        if (new_key(c, key) == 0)
            fn = t->work == WORK_AES_128_GMAC ? gmac : t->open ? open_message : seal;
        break;
    default: break;
    }
    if (fn == NULL) end(c);
    return fn;
}

/* Neither has a soname that tells it from OpenSSL, so both are found by path: BoringSSL where
 * Debian's android-libboringssl has it, AWS-LC where you say. */
static const char *const debian[] = {"/usr/lib/x86_64-linux-gnu/android/libcrypto.so.0",
                                     "/usr/lib/aarch64-linux-gnu/android/libcrypto.so.0", NULL};
static const char *const nowhere[] = {NULL};
const source source_boringssl = {
    "boringssl", "EVP_AEAD, context keyed once", debian, open_, setup, end, NULL};
const source source_awslc = {
    "aws-lc", "EVP_AEAD, context keyed once; by path", nowhere, open_, setup, end, NULL};
