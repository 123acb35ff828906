/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_libgcrypt.c - libgcrypt: gcry_cipher and gcry_mac handles, keyed once, setiv for each
 * message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

/* Numbers of its API, which do not change. */
enum {
    DISABLE_SECMEM = 37,
    INITIALIZATION_FINISHED = 38,
    CIPHER_AES128 = 7,
    CIPHER_AES256 = 9,
    CIPHER_CHACHA20 = 316,
    MODE_STREAM = 4,
    MODE_CTR = 6,
    MODE_GCM = 9,
    MODE_POLY1305 = 10,
    MAC_POLY1305 = 501
};

typedef struct library {
    const char *(*check_version)(const char *);
    unsigned (*control)(int, ...);
    unsigned (*open)(void **, int, int, unsigned);
    void (*close)(void *);
    unsigned (*setkey)(void *, const void *, size_t), (*setiv)(void *, const void *, size_t);
    unsigned (*setctr)(void *, const void *, size_t);
    unsigned (*authenticate)(void *, const void *, size_t);
    unsigned (*encrypt)(void *, void *, size_t, const void *, size_t);
    unsigned (*decrypt)(void *, void *, size_t, const void *, size_t);
    unsigned (*gettag)(void *, void *, size_t), (*checktag)(void *, const void *, size_t);
    unsigned (*mac_open)(void **, int, unsigned, void *);
    void (*mac_close)(void *);
    unsigned (*mac_setkey)(void *, const void *, size_t),
        (*mac_write)(void *, const void *, size_t);
    unsigned (*mac_read)(void *, void *, size_t *);
} library;

typedef struct context {
    const library *l;
    void *cipher, *mac;
    task task;
    size_t key_len;
} context;

static void *open_(void *handle, char *version, size_t size)
{
    library *l = cli_alloc(sizeof *l);
    int found = PEER_SYMBOL(l->check_version, handle, "gcry_check_version");
    found &= PEER_SYMBOL(l->control, handle, "gcry_control");
    found &= PEER_SYMBOL(l->open, handle, "gcry_cipher_open");
    found &= PEER_SYMBOL(l->close, handle, "gcry_cipher_close");
    found &= PEER_SYMBOL(l->setkey, handle, "gcry_cipher_setkey");
    found &= PEER_SYMBOL(l->setiv, handle, "gcry_cipher_setiv");
    found &= PEER_SYMBOL(l->setctr, handle, "gcry_cipher_setctr");
    found &= PEER_SYMBOL(l->authenticate, handle, "gcry_cipher_authenticate");
    found &= PEER_SYMBOL(l->encrypt, handle, "gcry_cipher_encrypt");
    found &= PEER_SYMBOL(l->decrypt, handle, "gcry_cipher_decrypt");
    found &= PEER_SYMBOL(l->gettag, handle, "gcry_cipher_gettag");
    found &= PEER_SYMBOL(l->checktag, handle, "gcry_cipher_checktag");
    found &= PEER_SYMBOL(l->mac_open, handle, "gcry_mac_open");
    found &= PEER_SYMBOL(l->mac_close, handle, "gcry_mac_close");
    found &= PEER_SYMBOL(l->mac_setkey, handle, "gcry_mac_setkey");
    found &= PEER_SYMBOL(l->mac_write, handle, "gcry_mac_write");
    found &= PEER_SYMBOL(l->mac_read, handle, "gcry_mac_read");
    const char *told = found ? l->check_version(NULL) : NULL;
    if (told == NULL) {
        free(l);
        return NULL;
    }
    l->control(DISABLE_SECMEM, 0);
    l->control(INITIALIZATION_FINISHED, 0);
    snprintf(version, size, "libgcrypt %s", told);
    return l;
}

static unsigned rekey(const context *c, const message *m)
{
    return c->task.fresh ? c->l->setkey(c->cipher, m->key, c->key_len) : 0;
}
static int chacha20(void *context_, const message *m)
{
    const context *c = context_;
    uint8_t iv[16] = {0}; /* with 16 bytes, the first four are the block counter */
    memcpy(iv + 4, m->nonce, 12);
    return rekey(c, m) != 0 || c->l->setiv(c->cipher, iv, 16) != 0 ||
           c->l->encrypt(c->cipher, m->out, m->len, m->in, m->len) != 0;
}
static int ctr(void *context_, const message *m)
{
    const context *c = context_;
    return rekey(c, m) != 0 || c->l->setctr(c->cipher, m->nonce, 16) != 0 ||
           c->l->encrypt(c->cipher, m->out, m->len, m->in, m->len) != 0;
}
static unsigned start(const context *c, const message *m)
{
    unsigned bad = rekey(c, m);
    bad |= c->l->setiv(c->cipher, m->nonce, c->task.nonce_len);
    if (m->ad_len != 0) bad |= c->l->authenticate(c->cipher, m->ad, m->ad_len);
    return bad;
}
static int seal(void *context_, const message *m)
{
    const context *c = context_;
    return start(c, m) != 0 || c->l->encrypt(c->cipher, m->out, m->len, m->in, m->len) != 0 ||
           c->l->gettag(c->cipher, m->out + m->len, c->task.tag_len) != 0;
}
static int open_message(void *context_, const message *m)
{
    const context *c = context_;
    return start(c, m) != 0 || c->l->decrypt(c->cipher, m->out, m->len, m->in, m->len) != 0 ||
           c->l->checktag(c->cipher, m->in + m->len, c->task.tag_len) != 0;
}
static int gmac(void *context_, const message *m)
{
    const context *c = context_;
    return rekey(c, m) != 0 || c->l->setiv(c->cipher, m->nonce, 12) != 0 ||
           c->l->authenticate(c->cipher, m->in, m->len) != 0 ||
           c->l->gettag(c->cipher, m->out, 16) != 0;
}
static int poly1305(void *context_, const message *m)
{
    const context *c = context_;
    size_t n = 16;
    return c->l->mac_setkey(c->mac, m->key, 32) != 0 ||
           c->l->mac_write(c->mac, m->in, m->len) != 0 || c->l->mac_read(c->mac, m->out, &n) != 0;
}
static int poly1305_update(void *context_, const message *m)
{
    const context *c = context_;
    return c->l->mac_write(c->mac, m->in, m->len) != 0;
}

static void end(void *context_)
{
    context *c = context_;
    if (c->cipher != NULL) c->l->close(c->cipher);
    if (c->mac != NULL) c->l->mac_close(c->mac);
    free(c);
}

static work_fn setup(void *library_, const char *kernel, const task *t, const uint8_t *key,
                     void **out)
{
    const library *l = library_;
    work_fn fn = t->open ? open_message : seal;
    int cipher = CIPHER_AES128, mode = MODE_GCM;
    (void)kernel;
    context *c = cli_alloc(sizeof *c);
    *out = c;
    c->l = l;
    c->task = *t;
    c->key_len = work_infos[t->work].key_len;
    switch (t->work) {
    case WORK_CHACHA20: cipher = CIPHER_CHACHA20, mode = MODE_STREAM, fn = chacha20; break;
    case WORK_AES_128_CTR: mode = MODE_CTR, fn = ctr; break;
    case WORK_AES_256_CTR: cipher = CIPHER_AES256, mode = MODE_CTR, fn = ctr; break;
    case WORK_CHACHA20_POLY1305: cipher = CIPHER_CHACHA20, mode = MODE_POLY1305; break;
    case WORK_AES_256_GCM: cipher = CIPHER_AES256; break;
    case WORK_AES_128_GMAC: fn = gmac; break;
    case WORK_POLY1305:
    case WORK_POLY1305_STREAM:
    case WORK_POLY1305_UPDATE:
        fn = t->work == WORK_POLY1305_UPDATE ? poly1305_update : poly1305;
        if (l->mac_open(&c->mac, MAC_POLY1305, 0, NULL) != 0 || l->mac_setkey(c->mac, key, 32) != 0)
            fn = NULL;
        break;
    default: break;
    }
    if (work_infos[t->work].kind != WORK_MAC || fn == gmac)
        if (l->open(&c->cipher, cipher, mode, 0) != 0 || l->setkey(c->cipher, key, c->key_len) != 0)
            fn = NULL;
    if (fn == NULL) end(c);
    return fn;
}

static const char *const names[] = {"libgcrypt.so.20", "libgcrypt.dylib", NULL};
const source source_libgcrypt = {
    "libgcrypt", "gcry_cipher, gcry_mac; handles keyed once", names, open_, setup, end, NULL};
