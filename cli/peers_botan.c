/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_botan.c - Botan 2 and 3, by its C interface: objects keyed once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

enum { DECRYPT = 1, FINAL = 1 };

typedef struct library {
    const char *(*version)(void);
    int (*cipher_init)(void **, const char *, uint32_t), (*cipher_destroy)(void *);
    int (*cipher_key)(void *, const uint8_t *, size_t),
        (*cipher_ad)(void *, const uint8_t *, size_t);
    int (*cipher_start)(void *, const uint8_t *, size_t);
    int (*cipher_update)(void *, uint32_t, uint8_t *, size_t, size_t *, const uint8_t *, size_t,
                         size_t *);
    int (*mac_init)(void **, const char *, uint32_t), (*mac_destroy)(void *);
    int (*mac_key)(void *, const uint8_t *, size_t), (*mac_update)(void *, const uint8_t *, size_t);
    int (*mac_final)(void *, uint8_t *);
} library;

typedef struct context {
    const library *l;
    void *cipher, *mac;
    task task;
    int has_ad;
} context;

static void *open_(void *handle, char *version, size_t size)
{
    library *l = cli_alloc(sizeof *l);
    int found = PEER_SYMBOL(l->version, handle, "botan_version_string");
    found &= PEER_SYMBOL(l->cipher_init, handle, "botan_cipher_init");
    found &= PEER_SYMBOL(l->cipher_destroy, handle, "botan_cipher_destroy");
    found &= PEER_SYMBOL(l->cipher_key, handle, "botan_cipher_set_key");
    found &= PEER_SYMBOL(l->cipher_ad, handle, "botan_cipher_set_associated_data");
    found &= PEER_SYMBOL(l->cipher_start, handle, "botan_cipher_start");
    found &= PEER_SYMBOL(l->cipher_update, handle, "botan_cipher_update");
    found &= PEER_SYMBOL(l->mac_init, handle, "botan_mac_init");
    found &= PEER_SYMBOL(l->mac_destroy, handle, "botan_mac_destroy");
    found &= PEER_SYMBOL(l->mac_key, handle, "botan_mac_set_key");
    found &= PEER_SYMBOL(l->mac_update, handle, "botan_mac_update");
    found &= PEER_SYMBOL(l->mac_final, handle, "botan_mac_final");
    if (!found) {
        free(l);
        return NULL;
    }
    /* "Botan 2.19.3 (release, dated ..., revision ..., distribution ...)" */
    const char *text = l->version();
    snprintf(version, size, "%.*s", (int)strcspn(text, "("), text);
    return l;
}

/* The object keeps its AD from message to message, so it must be told of each new one, and of none
 * after one. */
static int crypt(context *c, const message *m, size_t in, size_t out)
{
    size_t written, taken;
    if (c->task.fresh && c->l->cipher_key(c->cipher, m->key, work_infos[c->task.work].key_len) != 0)
        return 1;
    if ((m->ad_len != 0 || c->has_ad) && c->l->cipher_ad(c->cipher, m->ad, m->ad_len) != 0)
        return 1;
    c->has_ad = m->ad_len != 0;
    if (c->l->cipher_start(c->cipher, m->nonce, c->task.nonce_len) != 0) return 1;
    return c->l->cipher_update(c->cipher, FINAL, m->out, out, &written, m->in, in, &taken) != 0;
}
static int chacha20(void *context_, const message *m)
{
    return crypt(context_, m, m->len, m->len);
}
static int seal(void *context_, const message *m)
{
    context *c = context_;
    return crypt(c, m, m->len, m->len + c->task.tag_len);
}
static int open_message(void *context_, const message *m)
{
    context *c = context_;
    return crypt(c, m, m->len + c->task.tag_len, m->len + 16);
}
static int poly1305(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->mac_key(c->mac, m->key, 32) != 0 || c->l->mac_update(c->mac, m->in, m->len) != 0 ||
           c->l->mac_final(c->mac, m->out) != 0;
}
static int poly1305_update(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->mac_update(c->mac, m->in, m->len);
}

static void end(void *context_)
{
    context *c = context_;
    if (c->cipher != NULL) c->l->cipher_destroy(c->cipher);
    if (c->mac != NULL) c->l->mac_destroy(c->mac);
    free(c);
}

static work_fn setup(void *library_, const char *kernel, const task *t, const uint8_t *key,
                     void **out)
{
    const library *l = library_;
    work_fn fn = NULL;
    char name[32];
    (void)kernel;
    context *c = cli_alloc(sizeof *c);
    *out = c;
    c->l = l;
    c->task = *t;
    switch (t->work) {
    case WORK_POLY1305:
    case WORK_POLY1305_STREAM:
    case WORK_POLY1305_UPDATE:
        if (l->mac_init(&c->mac, "Poly1305", 0) == 0 && l->mac_key(c->mac, key, 32) == 0)
            fn = t->work == WORK_POLY1305_UPDATE ? poly1305_update : poly1305;
        break;
    case WORK_CHACHA20:
        snprintf(name, sizeof name, "ChaCha(20)");
        fn = chacha20;
        break;
    case WORK_CHACHA20_POLY1305:
        snprintf(name, sizeof name, "ChaCha20Poly1305");
        fn = t->open ? open_message : seal;
        break;
    case WORK_AES_128_GCM:
    case WORK_AES_256_GCM:
        snprintf(name, sizeof name, "AES-%d/GCM(%d)", t->work == WORK_AES_128_GCM ? 128 : 256,
                 (int)t->tag_len);
        fn = t->open ? open_message : seal;
        break;
    default: break;
    }
    if (fn != NULL && c->mac == NULL &&
        (l->cipher_init(&c->cipher, name, t->open ? DECRYPT : 0) != 0 ||
         l->cipher_key(c->cipher, key, work_infos[t->work].key_len) != 0))
        fn = NULL;
    if (fn == NULL) end(c);
    return fn;
}

static const char *const names[] = {
    "libbotan-3.so.10", "libbotan-3.so.9", "libbotan-3.so.8", "libbotan-3.so.7",
    "libbotan-2.so.19", "libbotan-3.so",   "libbotan-2.so",   NULL};
const source source_botan = {"botan", "C interface, objects keyed once", names, open_, setup, end,
                             NULL};
