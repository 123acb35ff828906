/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_openssl.c - OpenSSL's libcrypto, 1.1 and 3: EVP_CIPHER and EVP_MAC, algorithms fetched
 * once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

enum { CTRL_SET_IVLEN = 0x9, CTRL_GET_TAG = 0x10, CTRL_SET_TAG = 0x11 }; /* EVP_CTRL_AEAD_... */

typedef struct library {
    const char *(*version)(int);
    void *(*fetch)(void *, const char *, const char *); /* 3 only */
    const void *(*chacha20)(void), *(*chacha20_poly1305)(void), *(*aes_128_gcm)(void),
        *(*aes_256_gcm)(void);
    const void *(*aes_128_ctr)(void), *(*aes_256_ctr)(void);
    void *(*ctx_new)(void);
    void (*ctx_free)(void *);
    int (*init)(void *, const void *, void *, const uint8_t *, const uint8_t *, int);
    int (*update)(void *, uint8_t *, int *, const uint8_t *, int);
    int (*final)(void *, uint8_t *, int *);
    int (*ctrl)(void *, int, int, void *);
    void *(*mac_fetch)(void *, const char *, const char *);
    void *(*mac_ctx_new)(void *);
    void (*mac_ctx_free)(void *);
    int (*mac_init)(void *, const uint8_t *, size_t, const void *);
    int (*mac_update)(void *, const uint8_t *, size_t);
    int (*mac_final)(void *, uint8_t *, size_t *, size_t);
} library;

typedef struct context {
    const library *l;
    void *cipher, *mac;
    int fresh, tag_len;
} context;

static void *open_(void *handle, char *version, size_t size)
{
    library *l = cli_alloc(sizeof *l);
    int found = 1;
    if (!PEER_SYMBOL(l->version, handle, "OpenSSL_version")) found = 0;
    found &= PEER_SYMBOL(l->aes_128_gcm, handle, "EVP_aes_128_gcm");
    found &= PEER_SYMBOL(l->aes_256_gcm, handle, "EVP_aes_256_gcm");
    found &= PEER_SYMBOL(l->aes_128_ctr, handle, "EVP_aes_128_ctr");
    found &= PEER_SYMBOL(l->aes_256_ctr, handle, "EVP_aes_256_ctr");
    found &= PEER_SYMBOL(l->ctx_new, handle, "EVP_CIPHER_CTX_new");
    found &= PEER_SYMBOL(l->ctx_free, handle, "EVP_CIPHER_CTX_free");
    found &= PEER_SYMBOL(l->init, handle, "EVP_CipherInit_ex");
    found &= PEER_SYMBOL(l->update, handle, "EVP_CipherUpdate");
    found &= PEER_SYMBOL(l->final, handle, "EVP_CipherFinal_ex");
    found &= PEER_SYMBOL(l->ctrl, handle, "EVP_CIPHER_CTX_ctrl");
    /* Left out of some builds, or not there before 3. */
    PEER_SYMBOL(l->chacha20, handle, "EVP_chacha20");
    PEER_SYMBOL(l->chacha20_poly1305, handle, "EVP_chacha20_poly1305");
    PEER_SYMBOL(l->fetch, handle, "EVP_CIPHER_fetch");
    PEER_SYMBOL(l->mac_fetch, handle, "EVP_MAC_fetch");
    PEER_SYMBOL(l->mac_ctx_new, handle, "EVP_MAC_CTX_new");
    PEER_SYMBOL(l->mac_ctx_free, handle, "EVP_MAC_CTX_free");
    PEER_SYMBOL(l->mac_init, handle, "EVP_MAC_init");
    PEER_SYMBOL(l->mac_update, handle, "EVP_MAC_update");
    PEER_SYMBOL(l->mac_final, handle, "EVP_MAC_final");
    if (!found) {
        free(l);
        return NULL;
    }
    snprintf(version, size, "%s", l->version(0));
    return l;
}

static int stream(void *context_, const message *m)
{
    const context *c = context_;
    int n;
    return !c->l->init(c->cipher, NULL, NULL, c->fresh ? m->key : NULL, m->nonce, 1) ||
           !c->l->update(c->cipher, m->out, &n, m->in, (int)m->len);
}
/* ChaCha20 takes the block counter, little-endian, in front of the nonce. */
static int chacha20(void *context_, const message *m)
{
    uint8_t iv[16] = {0};
    message with = *m;
    memcpy(iv + 4, m->nonce, 12);
    with.nonce = iv;
    return stream(context_, &with);
}
static int seal(void *context_, const message *m)
{
    const context *c = context_;
    const library *l = c->l;
    int n;
    if (!l->init(c->cipher, NULL, NULL, c->fresh ? m->key : NULL, m->nonce, 1)) return 1;
    if (m->ad_len != 0 && !l->update(c->cipher, NULL, &n, m->ad, (int)m->ad_len)) return 1;
    if (m->len != 0 && !l->update(c->cipher, m->out, &n, m->in, (int)m->len)) return 1;
    if (!l->final(c->cipher, m->out + m->len, &n)) return 1;
    return l->ctrl(c->cipher, CTRL_GET_TAG, c->tag_len, m->out + m->len) <= 0;
}
static int open_message(void *context_, const message *m)
{
    const context *c = context_;
    const library *l = c->l;
    uint8_t tag[16];
    int n;
    memcpy(tag, m->in + m->len, 16);
    if (!l->init(c->cipher, NULL, NULL, c->fresh ? m->key : NULL, m->nonce, 0)) return 1;
    if (l->ctrl(c->cipher, CTRL_SET_TAG, c->tag_len, tag) <= 0) return 1;
    if (m->ad_len != 0 && !l->update(c->cipher, NULL, &n, m->ad, (int)m->ad_len)) return 1;
    if (m->len != 0 && !l->update(c->cipher, m->out, &n, m->in, (int)m->len)) return 1;
    return l->final(c->cipher, tag, &n) <= 0;
}
static int gmac(void *context_, const message *m)
{
    const context *c = context_;
    uint8_t none[16];
    int n;
    if (!c->l->init(c->cipher, NULL, NULL, c->fresh ? m->key : NULL, m->nonce, 1)) return 1;
    if (m->len != 0 && !c->l->update(c->cipher, NULL, &n, m->in, (int)m->len)) return 1;
    if (!c->l->final(c->cipher, none, &n)) return 1;
    return c->l->ctrl(c->cipher, CTRL_GET_TAG, 16, m->out) <= 0;
}
static int poly1305(void *context_, const message *m)
{
    const context *c = context_;
    size_t n;
    if (!c->l->mac_init(c->mac, m->key, 32, NULL)) return 1;
    if (m->len != 0 && !c->l->mac_update(c->mac, m->in, m->len)) return 1;
    return !c->l->mac_final(c->mac, m->out, &n, 16);
}
static int poly1305_update(void *context_, const message *m)
{
    const context *c = context_;
    return !c->l->mac_update(c->mac, m->in, m->len);
}

static void end(void *context_)
{
    context *c = context_;
    if (c->cipher != NULL) c->l->ctx_free(c->cipher);
    if (c->mac != NULL) c->l->mac_ctx_free(c->mac);
    free(c);
}

static work_fn setup(void *library_, const char *kernel, const task *t, const uint8_t *key,
                     void **out)
{
    const library *l = library_;
    const void *(*get)(void) = NULL;
    const char *name = NULL;
    work_fn fn = NULL;
    (void)kernel;
    context *c = cli_alloc(sizeof *c);
    *out = c;
    c->l = l;
    c->fresh = t->fresh;
    c->tag_len = (int)t->tag_len;
    switch (t->work) {
    case WORK_CHACHA20: get = l->chacha20, name = "ChaCha20", fn = chacha20; break;
    case WORK_AES_128_CTR: get = l->aes_128_ctr, name = "AES-128-CTR", fn = stream; break;
    case WORK_AES_256_CTR: get = l->aes_256_ctr, name = "AES-256-CTR", fn = stream; break;
    case WORK_CHACHA20_POLY1305: get = l->chacha20_poly1305, name = "ChaCha20-Poly1305"; break;
    case WORK_AES_128_GMAC: get = l->aes_128_gcm, name = "AES-128-GCM", fn = gmac; break;
    case WORK_AES_128_GCM: get = l->aes_128_gcm, name = "AES-128-GCM"; break;
    case WORK_AES_256_GCM: get = l->aes_256_gcm, name = "AES-256-GCM"; break;
    case WORK_POLY1305:
    case WORK_POLY1305_STREAM:
    case WORK_POLY1305_UPDATE: {
        void *mac = l->mac_fetch != NULL ? l->mac_fetch(NULL, "POLY1305", NULL) : NULL;
        if (mac != NULL) c->mac = l->mac_ctx_new(mac);
        if (c->mac != NULL && l->mac_init(c->mac, key, 32, NULL))
            fn = t->work == WORK_POLY1305_UPDATE ? poly1305_update : poly1305;
        goto done;
    }
    case WORK_COUNT: break;
    }
    if (fn == NULL) fn = t->open ? open_message : seal;
    /* Fetched explicitly: the functions of 1.1 fetch again at every init in 3. */
    const void *cipher = l->fetch != NULL ? l->fetch(NULL, name, NULL) : NULL;
    if (cipher == NULL && get != NULL) cipher = get();
    c->cipher = cipher != NULL ? l->ctx_new() : NULL;
    if (c->cipher == NULL || !l->init(c->cipher, cipher, NULL, NULL, NULL, !t->open) ||
        (work_infos[t->work].kind == WORK_AEAD && t->nonce_len != 12 &&
         l->ctrl(c->cipher, CTRL_SET_IVLEN, (int)t->nonce_len, NULL) <= 0) ||
        !l->init(c->cipher, NULL, NULL, key, NULL, !t->open))
        fn = NULL;
done:
    if (fn == NULL) end(c);
    return fn;
}

static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.3.dylib",
                                    NULL};
const source source_openssl = {
    "openssl", "EVP_CIPHER, EVP_MAC; algorithms fetched once", names, open_, setup, end, NULL};
