/* SPDX-License-Identifier: Apache-2.0
 *
 * peers_ipsec_mb.c - Intel's multi-buffer library, its direct (one message at a time) calls.
 *
 * Programs reach these through a table in the manager object, IMB_MGR, whose layout only its header
 * knows, and which differs from version to version. The functions in it are exported, though, under
 * a name for each instruction set. So: let the library choose (init_mb_mgr_auto), look through the
 * object for the exported functions, and take the set that it chose. The one function that has no
 * exported name, the start of ChaCha20-Poly1305, stands just before its update in the table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "peers.h"

typedef void (*gcm_fn)(const void *, void *, uint8_t *, const uint8_t *, uint64_t, const uint8_t *,
                       const uint8_t *, uint64_t, uint8_t *, uint64_t);
typedef void (*poly_update_fn)(const void *, void *, void *, const void *, uint64_t);

typedef struct library {
    gcm_fn seal[2], open[2];                   /* AES-128, AES-256 */
    void (*key[2])(const void *, void *);
    void (*poly_init)(const void *, void *, const void *, const void *, uint64_t);
    poly_update_fn poly_seal, poly_open;
    void (*poly_finish)(void *, void *, uint64_t);
} library;

typedef struct context {
    const library *l;
    task task;
    int wide;            /* AES-256 */
    void *key, *message; /* struct gcm_key_data, gcm_context_data, chacha20_poly1305_context_data */
} context;

/* Where p stands among the manager's words, or -1. */
static long find_word(const void *const *words, size_t count, const void *p)
{
    for (size_t i = 0; i < count && p != NULL; i++)
        if (words[i] == p) return (long)i;
    return -1;
}

static void *symbol(void *handle, const char *fmt, const char *set)
{
    char name[96];
    void *p = NULL;
    snprintf(name, sizeof name, fmt, set);
    peer_symbol(&p, sizeof p, handle, name);
    return p;
}

static void *open_(void *handle, char *version, size_t size)
{
    static const char *const sets[] = {"vaes_avx512", "avx512", "vaes_avx2",   "avx_gen4",
                                       "avx_gen2",    "sse",    "sse_no_aesni"};
    static const char *const poly_sets[] = {"fma_avx512", "avx512", "avx2", "avx", "sse"};
    void *(*alloc)(uint64_t);
    void (*init)(void *, void *);
    size_t (*manager_size)(void);
    const char *(*told)(void);
    int found = PEER_SYMBOL(alloc, handle, "alloc_mb_mgr");
    found &= PEER_SYMBOL(init, handle, "init_mb_mgr_auto");
    found &= PEER_SYMBOL(manager_size, handle, "imb_get_mb_mgr_size");
    found &= PEER_SYMBOL(told, handle, "imb_get_version_str");
    void *manager = found ? alloc(0) : NULL;
    if (manager == NULL) return NULL;
    int arch[4] = {0};
    init(manager, arch);
    const void *const *words = manager;
    const size_t count = manager_size() / sizeof *words;
    library *l = cli_alloc(sizeof *l);
    const char *chosen = NULL, *poly_chosen = NULL;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && chosen == NULL; i++)
        if (find_word(words, count, symbol(handle, "aes_gcm_enc_128_%s", sets[i])) >= 0)
            chosen = sets[i];
    if (chosen != NULL) {
        static const char *const seal[2] = {"aes_gcm_enc_128_%s", "aes_gcm_enc_256_%s"};
        static const char *const open[2] = {"aes_gcm_dec_128_%s", "aes_gcm_dec_256_%s"};
        static const char *const key[2] = {"aes_gcm_pre_128_%s", "aes_gcm_pre_256_%s"};
        for (int i = 0; i < 2; i++) {
            void *p[3] = {symbol(handle, seal[i], chosen), symbol(handle, open[i], chosen),
                          symbol(handle, key[i], chosen)};
            memcpy(&l->seal[i], &p[0], sizeof p[0]);
            memcpy(&l->open[i], &p[1], sizeof p[1]);
            memcpy(&l->key[i], &p[2], sizeof p[2]);
        }
    }
    for (size_t i = 0; i < sizeof poly_sets / sizeof *poly_sets && poly_chosen == NULL; i++) {
        void *seal = symbol(handle, "update_enc_chacha20_poly1305_%s", poly_sets[i]);
        void *open = symbol(handle, "update_dec_chacha20_poly1305_%s", poly_sets[i]);
        const long at = find_word(words, count, seal);
        /* start, seal, open, finish */
        if (at < 1 || (size_t)at + 2 >= count || words[at + 1] != open || words[at - 1] == NULL)
            continue;
        poly_chosen = poly_sets[i];
        memcpy(&l->poly_init, &words[at - 1], sizeof words[0]);
        memcpy(&l->poly_seal, &words[at], sizeof words[0]);
        memcpy(&l->poly_open, &words[at + 1], sizeof words[0]);
        memcpy(&l->poly_finish, &words[at + 2], sizeof words[0]);
    }
    if (chosen == NULL && poly_chosen == NULL) {
        free(l);
        return NULL;
    }
    snprintf(version, size, "ipsec-mb %s (GCM %s, ChaCha20-Poly1305 %s)", told(),
             chosen != NULL ? chosen : "none", poly_chosen != NULL ? poly_chosen : "none");
    return l;
}

static int seal(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh) c->l->key[c->wide](m->key, c->key);
    c->l->seal[c->wide](c->key, c->message, m->out, m->in, m->len, m->nonce, m->ad, m->ad_len,
                        m->out + m->len, c->task.tag_len);
    return 0;
}
static int open_message(void *context_, const message *m)
{
    const context *c = context_;
    uint8_t tag[16];
    if (c->task.fresh) c->l->key[c->wide](m->key, c->key);
    c->l->open[c->wide](c->key, c->message, m->out, m->in, m->len, m->nonce, m->ad, m->ad_len, tag,
                        c->task.tag_len);
    return peer_tag_differs(tag, m->in + m->len, c->task.tag_len);
}
static int gmac(void *context_, const message *m)
{
    const context *c = context_;
    if (c->task.fresh) c->l->key[0](m->key, c->key);
    c->l->seal[0](c->key, c->message, m->out, m->in, 0, m->nonce, m->in, m->len, m->out, 16);
    return 0;
}
static int poly_seal(void *context_, const message *m)
{
    const context *c = context_;
    c->l->poly_init(m->key, c->message, m->nonce, m->ad, m->ad_len);
    c->l->poly_seal(m->key, c->message, m->out, m->in, m->len);
    c->l->poly_finish(c->message, m->out + m->len, 16);
    return 0;
}
static int poly_open(void *context_, const message *m)
{
    const context *c = context_;
    uint8_t tag[16];
    c->l->poly_init(m->key, c->message, m->nonce, m->ad, m->ad_len);
    c->l->poly_open(m->key, c->message, m->out, m->in, m->len);
    c->l->poly_finish(c->message, tag, 16);
    return peer_tag_differs(tag, m->in + m->len, 16);
}

static void end(void *context_)
{
    context *c = context_;
    free(c->key);
    free(c->message);
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
    c->wide = t->work == WORK_AES_256_GCM;
    c->key = peer_alloc(
        8192); /* struct gcm_key_data: 240 bytes of round keys, up to 768 or 2048 of powers */
    c->message = peer_alloc(1024);
    if (t->nonce_len == 12) {
        if (t->work == WORK_CHACHA20_POLY1305 && l->poly_init != NULL)
            fn = t->open ? poly_open : poly_seal;
        if ((t->work == WORK_AES_128_GCM || t->work == WORK_AES_256_GCM ||
             t->work == WORK_AES_128_GMAC) &&
            l->key[c->wide] != NULL && l->seal[c->wide] != NULL && l->open[c->wide] != NULL) {
            l->key[c->wide](key, c->key);
            fn = t->work == WORK_AES_128_GMAC ? gmac : t->open ? open_message : seal;
        }
    }
    if (fn == NULL) end(c);
    return fn;
}

static const char *const names[] = {"libIPSec_MB.so.2", "libIPSec_MB.so.1", NULL};
const source source_ipsec_mb = {"ipsec-mb", "direct calls, GCM keyed once", names, open_, setup,
                                end, NULL};
