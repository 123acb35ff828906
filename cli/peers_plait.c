/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_plait.c - Plait itself: the library that this program is linked with, or another build by
 * path.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"
#include "plait_hazmat.h"

#define API(X)            \
    X(plait_version)      \
    X(plait_key_init)     \
    X(plait_key_init_tag) \
    X(plait_key_init_with) \
    X(plait_seal)         \
    X(plait_open)         \
    X(plait_seal_batch)   \
    X(plait_open_batch)   \
    X(plait_chacha20_xor) \
    X(plait_chacha20_xor_with) \
    X(plait_aes_ctr_xor)  \
    X(plait_aes_ctr_xor_with) \
    X(plait_poly1305)     \
    X(plait_poly1305_with) \
    X(plait_poly1305_init) \
    X(plait_poly1305_init_with) \
    X(plait_poly1305_update) \
    X(plait_poly1305_final)

#if defined(__GNUC__)
#define MEMBER(f) __typeof__(&f) f;
#else
#error "needs __typeof__"
#endif
typedef struct api {
    API(MEMBER)
} api;

/* Another build may have larger keys and states than this one's header says. */
#define KEY_ROOM 8192
#define STATE_ROOM 1024

typedef struct context {
    const api *api;
    const char *kernel;
    plait_alg alg;
    task task;
    uint8_t raw[32];
    void *key;
    plait_poly1305_state *state;
} context;

static void *open_linked(void *handle, char *version, size_t size)
{
    (void)handle;
    static api linked;
#define LINKED(f) linked.f = f;
    API(LINKED)
    snprintf(version, size, "Plait %s", plait_version());
    return &linked;
}

static void *open_library(void *handle, char *version, size_t size)
{
    api *a = cli_alloc(sizeof *a);
    int found = 1;
#define LOADED(f) found &= PEER_SYMBOL(a->f, handle, #f);
    API(LOADED)
    if (!found) {
        free(a);
        return NULL;
    }
    snprintf(version, size, "Plait %s", a->plait_version());
    return a;
}

static int chacha20(void *context_, const message *m)
{
    const context *c = context_;
    return c->api->plait_chacha20_xor(m->out, m->in, m->len, m->key, m->nonce, 0);
}
static int chacha20_with(void *context_, const message *m)
{
    const context *c = context_;
    return c->api->plait_chacha20_xor_with(c->kernel, m->out, m->in, m->len, m->key, m->nonce, 0);
}
static int aes_ctr(void *context_, const message *m)
{
    const context *c = context_;
    return c->api->plait_aes_ctr_xor(m->out, m->in, m->len, m->key,
                                     work_infos[c->task.work].key_len, m->nonce);
}
static int aes_ctr_with(void *context_, const message *m)
{
    const context *c = context_;
    return c->api->plait_aes_ctr_xor_with(c->kernel, m->out, m->in, m->len, m->key,
                                          work_infos[c->task.work].key_len, m->nonce);
}
static int poly1305(void *context_, const message *m)
{
    const context *c = context_;
    c->api->plait_poly1305(m->out, m->in, m->len, m->key);
    return 0;
}
static int poly1305_with(void *context_, const message *m)
{
    const context *c = context_;
    return c->api->plait_poly1305_with(c->kernel, m->out, m->in, m->len, m->key);
}
static int poly1305_stream(void *context_, const message *m)
{
    const context *c = context_;
    if (c->kernel == NULL) c->api->plait_poly1305_init(c->state, m->key);
    else if (c->api->plait_poly1305_init_with(c->kernel, c->state, m->key) != PLAIT_OK) return 1;
    c->api->plait_poly1305_update(c->state, m->in, m->len);
    c->api->plait_poly1305_final(c->state, m->out);
    return 0;
}
static int poly1305_update(void *context_, const message *m)
{
    const context *c = context_;
    c->api->plait_poly1305_update(c->state, m->in, m->len);
    return 0;
}

static int make_key(const context *c, const uint8_t *raw)
{
    const size_t raw_len = work_infos[c->task.work].key_len;
    if (c->kernel != NULL)
        return c->api->plait_key_init_with(c->key, c->alg, raw, raw_len, c->kernel);
    if (c->task.tag_len != 16)
        return c->api->plait_key_init_tag(c->key, c->alg, raw, raw_len, c->task.tag_len);
    return c->api->plait_key_init(c->key, c->alg, raw, raw_len);
}
static int seal(void *context_, const message *m)
{
    const context *c = context_;
    return c->api->plait_seal(c->key, m->out, m->out + m->len, m->nonce, c->task.nonce_len, m->ad,
                              m->ad_len, m->in, m->len);
}
static int open_(void *context_, const message *m)
{
    const context *c = context_;
    return c->api->plait_open(c->key, m->out, m->nonce, c->task.nonce_len, m->ad, m->ad_len, m->in,
                              m->len, m->in + m->len);
}
static int gmac(void *context_, const message *m)
{
    const context *c = context_;
    return c->api->plait_seal(c->key, NULL, m->out, m->nonce, c->task.nonce_len, m->in, m->len,
                              NULL, 0);
}
static int fresh_seal(void *context_, const message *m)
{
    return make_key(context_, m->key) | seal(context_, m);
}
static int fresh_open(void *context_, const message *m)
{
    return make_key(context_, m->key) | open_(context_, m);
}
static int fresh_gmac(void *context_, const message *m)
{
    return make_key(context_, m->key) | gmac(context_, m);
}

static void end(void *context_)
{
    context *c = context_;
    free(c->key);
    free(c->state);
    free(c);
}

static work_fn setup(void *library, const char *kernel, const task *t, const uint8_t *key,
                     void **out)
{
    context *c = peer_alloc(sizeof *c);
    work_fn fn = NULL;
    c->api = library;
    c->kernel = kernel;
    c->task = *t;
    memcpy(c->raw, key, work_infos[t->work].key_len);
    switch (t->work) {
    case WORK_CHACHA20: {
        uint8_t none;
        if (kernel == NULL ||
            c->api->plait_chacha20_xor_with(kernel, &none, &none, 0, key, key, 0) == PLAIT_OK)
            fn = kernel != NULL ? chacha20_with : chacha20;
        break;
    }
    case WORK_AES_128_CTR:
    case WORK_AES_256_CTR: {
        uint8_t none;
        if (kernel == NULL ||
            c->api->plait_aes_ctr_xor_with(kernel, &none, &none, 0, key, 16, key) == PLAIT_OK)
            fn = kernel != NULL ? aes_ctr_with : aes_ctr;
        break;
    }
    case WORK_POLY1305:
    case WORK_POLY1305_STREAM:
    case WORK_POLY1305_UPDATE:
        c->state = peer_alloc(STATE_ROOM);
        if (kernel == NULL) c->api->plait_poly1305_init(c->state, key);
        else if (c->api->plait_poly1305_init_with(kernel, c->state, key) != PLAIT_OK) break;
        fn = t->work == WORK_POLY1305_UPDATE   ? poly1305_update
             : t->work == WORK_POLY1305_STREAM ? poly1305_stream
             : kernel != NULL                  ? poly1305_with
                                               : poly1305;
        break;
    case WORK_CHACHA20_POLY1305:
    case WORK_AES_128_GMAC:
    case WORK_AES_128_GCM:
    case WORK_AES_256_GCM:
        c->alg = t->work == WORK_CHACHA20_POLY1305 ? PLAIT_CHACHA20_POLY1305
                 : t->work == WORK_AES_256_GCM     ? PLAIT_AES_256_GCM
                                                   : PLAIT_AES_128_GCM;
        c->key = peer_alloc(KEY_ROOM);
        if (make_key(c, key) != PLAIT_OK) break;
        if (t->work == WORK_AES_128_GMAC) fn = t->fresh ? fresh_gmac : gmac;
        else if (t->open) fn = t->fresh ? fresh_open : open_;
        else fn = t->fresh ? fresh_seal : seal;
        break;
    case WORK_COUNT:
        break;
    }
    if (fn == NULL) end(c);
    *out = c;
    return fn;
}

/* ---- many messages in a call --------------------------------------------------------------- */

typedef struct batch_library {
    api *api;
    size_t size;
} batch_library;

typedef struct batch {
    context *one;
    size_t size, len; /* messages in a call, bytes between their outputs */
    plait_message *messages;
    uint8_t *out;
} batch;

/* The first message writes where it is told, the others where nobody looks but their checks. */
static plait_message batched(const batch *b, const message *m, size_t i)
{
    uint8_t *out = i == 0 ? m->out : b->out + i * b->len;
    const int open = b->one->task.open;
    const plait_message p = {.key = b->one->key,
                             .out = out,
                             .tag = open ? (uint8_t *)(uintptr_t)m->in + m->len : out + m->len,
                             .nonce = m->nonce,
                             .nonce_len = b->one->task.nonce_len,
                             .ad = m->ad,
                             .ad_len = m->ad_len,
                             .in = m->in,
                             .in_len = m->len};
    return p;
}
static size_t batch_call(const batch *b, size_t count)
{
    const api *a = b->one->api;
    return (b->one->task.open ? a->plait_open_batch : a->plait_seal_batch)(b->messages, count);
}
/* For who checks: all the same message, so all the same result. */
static int batch_one(void *context_, const message *m)
{
    const batch *b = context_;
    for (size_t i = 0; i < b->size; i++) b->messages[i] = batched(b, m, i);
    if (batch_call(b, b->size) != 0) return 1;
    const size_t made = m->len + (b->one->task.open ? 0 : 16);
    for (size_t i = 1; i < b->size; i++)
        if (memcmp(m->out, b->out + i * b->len, made) != 0) return 1;
    return 0;
}
static long batch_many(void *context_, const message *messages, size_t count, long n)
{
    const batch *b = context_;
    long bad = 0;
    for (size_t i = 0; i < b->size; i++) b->messages[i] = batched(b, &messages[i & (count - 1)], i);
    for (; n > 0; n -= (long)b->size)
        bad += (long)batch_call(b, n < (long)b->size ? (size_t)n : b->size);
    return bad;
}
static void batch_end(void *context_)
{
    batch *b = context_;
    end(b->one);
    free(b->messages);
    free(b->out);
    free(b);
}
static work_fn batch_setup(void *library, const char *kernel, const task *t, const uint8_t *key,
                           void **out)
{
    const batch_library *l = library;
    void *one = NULL;
    if (work_infos[t->work].kind != WORK_AEAD || t->fresh || t->tag_len != 16) return NULL;
    if (setup(l->api, kernel, t, key, &one) == NULL) return NULL;
    batch *b = peer_alloc(sizeof *b);
    b->one = one;
    b->size = l->size;
    b->len = (t->len + 16 + 63) & ~(size_t)63;
    b->messages = peer_alloc(b->size * sizeof *b->messages);
    b->out = peer_alloc(b->size * b->len);
    *out = b;
    return batch_one;
}

const source source_plait_batch = {
    .name = "plait batch",
    .about = "many messages in a call",
    .setup = batch_setup,
    .many = batch_many,
    .end = batch_end,
};

candidate peer_plait_batch(size_t size)
{
    batch_library *l = peer_alloc(sizeof *l);
    char version[32];
    l->api = open_linked(NULL, version, sizeof version);
    l->size = size;
    candidate c = {.source = &source_plait_batch, .library = l};
    snprintf(c.name, sizeof c.name, "%zu in a call", size);
    return c;
}

static const char *const names[] = {"libplait.so.0", "libplait.so", "libplait.dylib", NULL};
const source source_plait = {"plait", "the library in this program", names, open_linked, setup,
                             end, NULL};
const source source_plait_library = {
    "libplait", "another build of Plait, by path", names, open_library, setup, end, NULL};
