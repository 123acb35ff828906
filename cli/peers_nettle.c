/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_nettle.c - Nettle: its typed contexts, keyed once. Poly1305 alone is no public interface of
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

typedef void (*key_fn)(void *, const uint8_t *);
typedef void (*iv_fn)(void *, size_t, const uint8_t *);
typedef void (*crypt_fn)(void *, size_t, uint8_t *, const uint8_t *);
typedef void (*digest_fn)(void *, size_t, uint8_t *);

/* AES-GCM's functions for one key length. */
typedef struct gcm_set {
    key_fn key;
    iv_fn iv, update;
    crypt_fn encrypt, decrypt;
    digest_fn digest;
} gcm_set;

typedef struct library {
    key_fn chacha_key, chacha_nonce, poly_key, poly_nonce;
    crypt_fn chacha_crypt, poly_encrypt, poly_decrypt;
    iv_fn poly_update;
    digest_fn poly_digest;
    gcm_set gcm[2];
    int (*major)(void), (*minor)(void);
} library;

typedef struct context {
    const library *l;
    const gcm_set *gcm;
    void *state;
    task task;
} context;

static void *open_(void *handle, char *version, size_t size)
{
    library *l = cli_alloc(sizeof *l);
    int found = PEER_SYMBOL(l->chacha_key, handle, "nettle_chacha_set_key");
    found &= PEER_SYMBOL(l->chacha_nonce, handle, "nettle_chacha_set_nonce96");
    found &= PEER_SYMBOL(l->chacha_crypt, handle, "nettle_chacha_crypt32");
    found &= PEER_SYMBOL(l->poly_key, handle, "nettle_chacha_poly1305_set_key");
    found &= PEER_SYMBOL(l->poly_nonce, handle, "nettle_chacha_poly1305_set_nonce");
    found &= PEER_SYMBOL(l->poly_update, handle, "nettle_chacha_poly1305_update");
    found &= PEER_SYMBOL(l->poly_encrypt, handle, "nettle_chacha_poly1305_encrypt");
    found &= PEER_SYMBOL(l->poly_decrypt, handle, "nettle_chacha_poly1305_decrypt");
    found &= PEER_SYMBOL(l->poly_digest, handle, "nettle_chacha_poly1305_digest");
    static const char *const bits[2] = {"128", "256"};
    for (int i = 0; i < 2; i++) {
        char name[64];
#define GCM_SYMBOL(field, what)                                              \
    snprintf(name, sizeof name, "nettle_gcm_aes%s_%s", bits[i], what); \
    found &= PEER_SYMBOL(l->gcm[i].field, handle, name)
        GCM_SYMBOL(key, "set_key");
        GCM_SYMBOL(iv, "set_iv");
        GCM_SYMBOL(update, "update");
        GCM_SYMBOL(encrypt, "encrypt");
        GCM_SYMBOL(decrypt, "decrypt");
        GCM_SYMBOL(digest, "digest");
    }
    found &= PEER_SYMBOL(l->major, handle, "nettle_version_major");
    found &= PEER_SYMBOL(l->minor, handle, "nettle_version_minor");
    if (!found || l->major() > 3) { /* 4 changed the arguments of digest */
        free(l);
        return NULL;
    }
    snprintf(version, size, "Nettle %d.%d", l->major(), l->minor());
    return l;
}

static int chacha20(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh) c->l->chacha_key(c->state, m->key);
    c->l->chacha_nonce(c->state, m->nonce); /* and the block counter is 0 */
    c->l->chacha_crypt(c->state, m->len, m->out, m->in);
    return 0;
}
static void poly_start(const context *c, const message *m)
{
    if (c->task.fresh) c->l->poly_key(c->state, m->key);
    c->l->poly_nonce(c->state, m->nonce);
    if (m->ad_len != 0) c->l->poly_update(c->state, m->ad_len, m->ad);
}
static int poly_seal(void *context_, const message *m)
{
    const context *c = context_;
    poly_start(c, m);
    c->l->poly_encrypt(c->state, m->len, m->out, m->in);
    c->l->poly_digest(c->state, 16, m->out + m->len);
    return 0;
}
static int poly_open(void *context_, const message *m)
{
    const context *c = context_;
    uint8_t tag[16];
    poly_start(c, m);
    c->l->poly_decrypt(c->state, m->len, m->out, m->in);
    c->l->poly_digest(c->state, 16, tag);
    return peer_tag_differs(tag, m->in + m->len, 16);
}
static void gcm_start(const context *c, const message *m)
{
    if (c->task.fresh) c->gcm->key(c->state, m->key);
    c->gcm->iv(c->state, c->task.nonce_len, m->nonce);
    if (m->ad_len != 0) c->gcm->update(c->state, m->ad_len, m->ad);
}
static int gcm_seal(void *context_, const message *m)
{
    const context *c = context_;
    gcm_start(c, m);
    c->gcm->encrypt(c->state, m->len, m->out, m->in);
    c->gcm->digest(c->state, c->task.tag_len, m->out + m->len);
    return 0;
}
static int gcm_open(void *context_, const message *m)
{
    const context *c = context_;
    uint8_t tag[16];
    gcm_start(c, m);
    c->gcm->decrypt(c->state, m->len, m->out, m->in);
    c->gcm->digest(c->state, c->task.tag_len, tag);
    return peer_tag_differs(tag, m->in + m->len, c->task.tag_len);
}
static int gmac(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh) c->gcm->key(c->state, m->key);
    c->gcm->iv(c->state, 12, m->nonce);
    c->gcm->update(c->state, m->len, m->in);
    c->gcm->digest(c->state, 16, m->out);
    return 0;
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
    c->task = *t;
    c->state = peer_alloc(16384); /* struct gcm_aes256_ctx, the largest, has some 4500 bytes */
    c->gcm = &l->gcm[t->work == WORK_AES_256_GCM];
    switch (t->work) {
    case WORK_CHACHA20:
        l->chacha_key(c->state, key);
        fn = chacha20;
        break;
    case WORK_CHACHA20_POLY1305:
        l->poly_key(c->state, key);
        fn = t->open ? poly_open : poly_seal;
        break;
    case WORK_AES_128_GMAC:
    case WORK_AES_128_GCM:
    case WORK_AES_256_GCM:
        c->gcm->key(c->state, key);
        fn = t->work == WORK_AES_128_GMAC ? gmac : t->open ? gcm_open : gcm_seal;
        break;
    default: break;
    }
    if (fn == NULL) end(c);
    return fn;
}

static const char *const names[] = {"libnettle.so.8", "libnettle.dylib", NULL};
const source source_nettle = {"nettle", "typed contexts keyed once", names, open_, setup, end,
                              NULL};
