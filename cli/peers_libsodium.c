/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_libsodium.c - libsodium: its combined one-shot calls. ChaCha20-Poly1305 has no form that
 * keeps a key (there is nothing to precompute); AES-256-GCM has one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

typedef unsigned long long length;
typedef int (*encrypt_fn)(uint8_t *, length *, const uint8_t *, length, const uint8_t *, length,
                          const uint8_t *, const uint8_t *, const void *);
typedef int (*decrypt_fn)(uint8_t *, length *, uint8_t *, const uint8_t *, length, const uint8_t *,
                          length, const uint8_t *, const void *);

typedef struct library {
    int (*init)(void);
    const char *(*version)(void);
    int (*chacha20)(uint8_t *, const uint8_t *, length, const uint8_t *, const uint8_t *);
    int (*poly1305)(uint8_t *, const uint8_t *, length, const uint8_t *);
    int (*poly1305_init)(void *, const uint8_t *),
        (*poly1305_update)(void *, const uint8_t *, length);
    encrypt_fn chacha20_poly1305_encrypt, gcm_encrypt;
    decrypt_fn chacha20_poly1305_decrypt, gcm_decrypt;
    int (*gcm_available)(void);
    size_t (*gcm_state_size)(void);
    int (*gcm_key)(void *, const uint8_t *);
} library;

typedef struct context {
    const library *l;
    void *state;
    int fresh;
} context;

static void *open_(void *handle, char *version, size_t size)
{
    library *l = cli_alloc(sizeof *l);
    int found = PEER_SYMBOL(l->init, handle, "sodium_init");
    found &= PEER_SYMBOL(l->version, handle, "sodium_version_string");
    found &= PEER_SYMBOL(l->chacha20, handle, "crypto_stream_chacha20_ietf_xor");
    found &= PEER_SYMBOL(l->poly1305, handle, "crypto_onetimeauth_poly1305");
    found &= PEER_SYMBOL(l->poly1305_init, handle, "crypto_onetimeauth_poly1305_init");
    found &= PEER_SYMBOL(l->poly1305_update, handle, "crypto_onetimeauth_poly1305_update");
    found &= PEER_SYMBOL(l->chacha20_poly1305_encrypt, handle,
                         "crypto_aead_chacha20poly1305_ietf_encrypt");
    found &= PEER_SYMBOL(l->chacha20_poly1305_decrypt, handle,
                         "crypto_aead_chacha20poly1305_ietf_decrypt");
    PEER_SYMBOL(l->gcm_available, handle, "crypto_aead_aes256gcm_is_available");
    PEER_SYMBOL(l->gcm_state_size, handle, "crypto_aead_aes256gcm_statebytes");
    PEER_SYMBOL(l->gcm_key, handle, "crypto_aead_aes256gcm_beforenm");
    PEER_SYMBOL(l->gcm_encrypt, handle, "crypto_aead_aes256gcm_encrypt_afternm");
    PEER_SYMBOL(l->gcm_decrypt, handle, "crypto_aead_aes256gcm_decrypt_afternm");
    if (!found || l->init() < 0) {
        free(l);
        return NULL;
    }
    snprintf(version, size, "libsodium %s", l->version());
    return l;
}

static int chacha20(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->chacha20(m->out, m->in, m->len, m->nonce, m->key);
}
static int poly1305(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->poly1305(m->out, m->in, m->len, m->key);
}
static int poly1305_update(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->poly1305_update(c->state, m->in, m->len);
}
static int chacha20_poly1305_seal(void *context_, const message *m)
{
    const context *c = context_;
    length n;
    return c->l->chacha20_poly1305_encrypt(m->out, &n, m->in, m->len, m->ad, m->ad_len, NULL,
                                           m->nonce, m->key);
}
static int chacha20_poly1305_open(void *context_, const message *m)
{
    const context *c = context_;
    length n;
    return c->l->chacha20_poly1305_decrypt(m->out, &n, NULL, m->in, m->len + 16, m->ad, m->ad_len,
                                           m->nonce, m->key);
}
static int gcm_seal(void *context_, const message *m)
{
    const context *c = context_;
    length n;
    if (c->fresh) c->l->gcm_key(c->state, m->key);
    return c->l->gcm_encrypt(m->out, &n, m->in, m->len, m->ad, m->ad_len, NULL, m->nonce, c->state);
}
static int gcm_open(void *context_, const message *m)
{
    const context *c = context_;
    length n;
    if (c->fresh) c->l->gcm_key(c->state, m->key);
    return c->l->gcm_decrypt(m->out, &n, NULL, m->in, m->len + 16, m->ad, m->ad_len, m->nonce,
                             c->state);
}

static void end(void *context_)
{
    context *c = context_;
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
    c->fresh = t->fresh;
    const int usual = t->nonce_len == 12 && t->tag_len == 16;
    if (t->work == WORK_CHACHA20) fn = chacha20;
    else if (t->work == WORK_POLY1305) fn = poly1305;
    else if (t->work == WORK_POLY1305_UPDATE) {
        c->state = peer_alloc(1024); /* crypto_onetimeauth_poly1305_statebytes() is 256 */
        if (l->poly1305_init(c->state, key) == 0) fn = poly1305_update;
    } else if (t->work == WORK_CHACHA20_POLY1305 && usual)
        fn = t->open ? chacha20_poly1305_open : chacha20_poly1305_seal;
    else if (t->work == WORK_AES_256_GCM && usual && l->gcm_available != NULL &&
             l->gcm_state_size != NULL && l->gcm_key != NULL && l->gcm_encrypt != NULL &&
             l->gcm_decrypt != NULL && l->gcm_available()) {
        c->state = peer_alloc(l->gcm_state_size());
        l->gcm_key(c->state, key);
        fn = t->open ? gcm_open : gcm_seal;
    }
    if (fn == NULL) end(c);
    return fn;
}

static const char *const names[] = {"libsodium.so.26", "libsodium.so.23", "libsodium.so",
                                    "libsodium.dylib", NULL};
const source source_libsodium = {"libsodium", "one-shot calls; GCM keyed once", names, open_, setup,
                                 end, NULL};
