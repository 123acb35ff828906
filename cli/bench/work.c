/* SPDX-License-Identifier: Apache-2.0
 *
 * work.c - see work.h.
 */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "stats.h"

const work_info work_infos[WORK_COUNT] = {
    [WORK_CHACHA20] = {"chacha20", "ChaCha20", "ChaCha20", WORK_CIPHER, 32, 12},
    [WORK_AES_128_CTR] = {"aes-128-ctr", "AES-128-CTR", "CTR", WORK_CIPHER, 16, 16},
    [WORK_AES_256_CTR] = {"aes-256-ctr", "AES-256-CTR", "CTR", WORK_CIPHER, 32, 16},
    [WORK_POLY1305] = {"poly1305", "Poly1305", "digestBuffer", WORK_MAC, 32, 0},
    [WORK_POLY1305_STREAM] = {"poly1305-stream", "Poly1305 stream", "digestBytes", WORK_MAC, 32, 0},
    [WORK_POLY1305_UPDATE] = {"poly1305-update", "Poly1305 update", "updateBytes", WORK_MAC, 32, 0},
    [WORK_AES_128_GMAC] = {"aes-128-gmac", "AES-128-GMAC", "GMAC", WORK_MAC, 16, 12},
    [WORK_CHACHA20_POLY1305] = {"chacha20-poly1305", "ChaCha20-Poly1305", "ChaCha20Poly1305",
                                WORK_AEAD, 32, 12},
    [WORK_AES_128_GCM] = {"aes-128-gcm", "AES-128-GCM", "GCM", WORK_AEAD, 16, 12},
    [WORK_AES_256_GCM] = {"aes-256-gcm", "AES-256-GCM", "GCM", WORK_AEAD, 32, 12},
};

work_id work_named(const char *name)
{
    int i = 0;
    while (i < WORK_COUNT && strcmp(name, work_infos[i].name) != 0) i++;
    return (work_id)i;
}

task task_plain(work_id work, int open, size_t len)
{
    const task t = {work, open, 0, len, 0, work_infos[work].nonce_len, 16};
    return t;
}

int task_equal(const task *a, const task *b)
{
    return a->work == b->work && a->open == b->open && a->fresh == b->fresh && a->len == b->len &&
           a->ad_len == b->ad_len && a->nonce_len == b->nonce_len && a->tag_len == b->tag_len;
}

int worker_start(worker *w, const candidate *c, const task *t, const uint8_t *key)
{
    memset(w, 0, sizeof *w);
    w->source = c->source;
    w->fn = c->source->setup(c->library, c->kernel, t, key, &w->context);
    return w->fn != NULL;
}

void worker_end(worker *w)
{
    if (w->fn != NULL) w->source->end(w->context);
    w->fn = NULL;
}

/* Some libraries leave the upper halves of the vector registers dirty, which slows down whoever
 * uses the older encodings next: not the fault of that one. */
static void clean_vectors(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroupper" ::: "memory");
#endif
}

long worker_run(worker *w, const message *messages, size_t count, long n)
{
    long bad = 0;
    clean_vectors();
    w->owed += w->extra * (double)n;
    const long more = (long)w->owed;
    w->owed -= (double)more;
    n += more;
    if (w->source != NULL && w->source->many != NULL)
        return w->source->many(w->context, messages, count, n);
    for (long i = 0; i < n; i++) bad += w->fn(w->context, &messages[(size_t)i & (count - 1)]) != 0;
    return bad;
}

/* The buffers start at different places of a page, so that a load never looks as if it needed a
 * store that is still under way 4 KiB further. */
static uint8_t *take(uint8_t **at, size_t size, size_t page_offset)
{
    uint8_t *p = *at + ((page_offset - (uintptr_t)*at) & 4095);
    *at = p + size;
    return p;
}

int workset_make(workset *s, const task *t, const candidate *maker, uint64_t where)
{
    stats_random random = {t->len * 8 + (unsigned)t->work};
    memset(s, 0, sizeof *s);
    s->task = *t;
    const size_t text = t->len + 64, size = 4 * (text + 4096) + 4 * (4096 + 64) + t->ad_len;
    uint8_t *at = s->block = cli_alloc(size + 4096);
    /* Random bytes everywhere: also touches the pages. */
    for (size_t i = 0; i + 8 <= size + 4096; i += 8) {
        const uint64_t x = stats_random_next(&random);
        memcpy(at + i, &x, 8);
    }
#define PLACE(offset, shift) (((offset) + ((where >> (shift)) & 63) * 64) & 4095)
    s->key = take(&at, 64, PLACE(3328, 0));
    s->nonce[0] = take(&at, 64, PLACE(3392, 0));
    s->nonce[1] = take(&at, 64, PLACE(3456, 0));
    s->ad = take(&at, t->ad_len + 64, PLACE(3584, 6));
    for (int i = 0; i < WORK_NONCES; i++) {
        s->in[i] =
            i == 0 ? take(&at, text, PLACE(0, 12)) : s->in[0]; /* one text under two nonces */
        s->sealed[i] = take(&at, text, PLACE(1024, 18 + 6 * i));
    }
    s->out = take(&at, text, PLACE(2112, 30));
#undef PLACE
    memcpy(s->nonce[1], s->nonce[0], 64);
    s->nonce[1][0] ^= 0xff;
    task seal = *t;
    seal.open = 0;
    seal.fresh = 0;
    seal.tag_len = 16; /* all of it, for those who compare all */
    worker w;
    if (!worker_start(&w, maker, &seal, s->key)) {
        workset_free(s);
        return 0;
    }
    int bad = 0;
    for (int i = 0; i < WORK_NONCES; i++) {
        const message m = {s->key, s->nonce[i], s->ad, s->in[i], s->sealed[i], t->ad_len, t->len};
        bad |= w.fn(w.context, &m);
        s->messages[i] = m;
        s->messages[i].out = s->out;
        if (t->open) s->messages[i].in = s->sealed[i];
    }
    worker_end(&w);
    if (bad != 0) workset_free(s);
    return bad == 0;
}

void workset_free(workset *s)
{
    free(s->block);
    s->block = NULL;
}

const char *workset_check(workset *s, worker *w)
{
    const task *t = &s->task;
    const work_kind kind = work_infos[t->work].kind;
    const size_t made = kind == WORK_MAC                ? t->tag_len
                        : kind == WORK_AEAD && !t->open ? t->len + t->tag_len
                                                        : t->len;
    if (t->work == WORK_POLY1305_UPDATE)
        return NULL; /* gives nothing out; its tag is WORK_POLY1305's */
    for (int i = 0; i < WORK_NONCES; i++) {
        const uint8_t *expected = t->open ? s->in[i] : s->sealed[i];
        memset(s->out, 0xa5, made);
        if (w->fn(w->context, &s->messages[i]) != 0)
            return t->open ? "refuses a good message" : "reports a failure";
        if (memcmp(s->out, expected, made) != 0) return "gives a wrong result";
    }
    if (kind == WORK_AEAD && t->open) {
        /* One bit of the text's middle, then one of the tag. */
        const size_t places[2] = {t->len / 2, t->len + t->tag_len - 1};
        for (int i = 0; i < 2; i++) {
            s->sealed[0][places[i]] ^= 0x10;
            const int accepted = w->fn(w->context, &s->messages[0]) == 0;
            s->sealed[0][places[i]] ^= 0x10;
            if (accepted) return "accepts a damaged message";
        }
    }
    return NULL;
}
