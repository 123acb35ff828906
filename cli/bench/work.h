/* SPDX-License-Identifier: Apache-2.0
 *
 * work.h - what is measured: a task, the messages it works on, and the interface to whoever does
 * it.
 */
#ifndef PLAIT_BENCH_WORK_H
#define PLAIT_BENCH_WORK_H

#include <stddef.h>
#include <stdint.h>

typedef enum work_id {
    WORK_CHACHA20,          /* in xor keystream, block counter from 0 */
    WORK_AES_128_CTR,       /* a 16-byte nonce is the first counter block */
    WORK_AES_256_CTR,
    WORK_POLY1305,          /* one message under its own key: set-up, all blocks, tag */
    WORK_POLY1305_STREAM,   /* the same by init, update, final */
    WORK_POLY1305_UPDATE,   /* block loop alone: the state goes on from op to op, no tag */
    WORK_AES_128_GMAC,      /* AES-GCM of a message that is all associated data */
    WORK_CHACHA20_POLY1305, /* RFC 8439 */
    WORK_AES_128_GCM,
    WORK_AES_256_GCM,
    WORK_COUNT
} work_id;

typedef enum work_kind { WORK_CIPHER, WORK_MAC, WORK_AEAD } work_kind;

typedef struct work_info {
    const char *name;    /* "chacha20-poly1305": --work, CSV, JSON */
    const char *title;   /* "ChaCha20-Poly1305": for people */
    const char *bench;   /* the founding class's name: "ChaCha20Poly1305" */
    work_kind kind;
    size_t key_len, nonce_len;
} work_info;

extern const work_info work_infos[WORK_COUNT];

/* The work of this name, or WORK_COUNT. */
work_id work_named(const char *name);

/* All that is the same for each message of a run. */
typedef struct task {
    work_id work;
    int open;  /* decrypt, tag checked; 0: encrypt or authenticate */
    int fresh; /* the key is set up anew in every op; 0: once, before */
    size_t len, ad_len, nonce_len, tag_len;
} task;

/* A task as this program means it where nothing else is asked for: a 12-byte nonce, a 16-byte tag,
 * no AD. */
task task_plain(work_id work, int open, size_t len);

int task_equal(const task *a, const task *b);

/* One message.
 *   cipher  in[len] -> out[len]          seal  in[len] -> out[len + 16], text then tag
 *   MAC     in[len] -> out[16]           open  in[len + 16] -> out[len]
 * A tag shorter than 16 bytes is the front of it; in[] of open holds all 16. in and out do not
 * overlap. */
typedef struct message {
    const uint8_t *key, *nonce, *ad, *in;
    uint8_t *out;
    size_t ad_len, len;
} message;

/* Does one message; 0 if it went well. open: not 0 if the tag is wrong. */
typedef int (*work_fn)(void *context, const message *m);

/* A library that can do tasks. */
typedef struct source {
    const char *name;           /* "openssl": --peer */
    const char *about;          /* which of its interfaces is used */
    const char *const *sonames; /* where to look, best first, ended by NULL */
    /* Takes what dlopen gave (NULL: what is linked in), does the library's own initialisation,
     * fills version. Returns NULL if this is another library, or too old. */
    void *(*open)(void *handle, char *version, size_t size);
    /* Makes a context for a task. key: what the messages will have. kernel: Plait's name, or NULL.
     * Returns NULL if the library has no such operation. */
    work_fn (*setup)(void *library, const char *kernel, const task *t, const uint8_t *key,
                     void **context);
    void (*end)(void *context);
    /* NULL, or: n messages, taking turns between `count`, more than one of them in a call. Returns
     * how many failed. */
    long (*many)(void *context, const message *messages, size_t count, long n);
} source;

/* Who races. */
typedef struct candidate {
    char name[96]; /* "chacha20_avx2+poly1305_ref", "openssl" */
    const source *source;
    void *library;
    const char *kernel;
    int is_default; /* Plait's own choice for this CPU */
} candidate;

/* A candidate's function for a task, with an optional slow-down built in for tests of the
 * comparison: `extra` times as many ops again are done and not counted, so the extra work is
 * exactly that part of the op's own. */
typedef struct worker {
    work_fn fn;
    void *context;
    const source *source; /* NULL: fn and context are whose they are */
    double extra, owed;
} worker;

int worker_start(worker *w, const candidate *c, const task *t, const uint8_t *key); /* 0: can not */
void worker_end(worker *w);

/* Runs n ops (and the extra ones), taking turns between `count` messages (a power of two). Returns
 * how many failed. */
long worker_run(worker *w, const message *messages, size_t count, long n);

/* Buffers for one task: key, alternating nonces and texts, filled with something that is not zero,
 * and for open the ciphertexts that `maker` seals. */
#define WORK_NONCES 2
typedef struct workset {
    task task;
    uint8_t *block, *key, *nonce[WORK_NONCES], *ad, *in[WORK_NONCES], *sealed[WORK_NONCES], *out;
    message messages[WORK_NONCES];
} workset;

/* where: 0, or a random number, which puts everything at other places of its pages. 0: maker can
 * not do it. */
int workset_make(workset *s, const task *t, const candidate *maker, uint64_t where);
void workset_free(workset *s);

/* Does the worker produce what the maker did, and refuse what was damaged? NULL if so, or what went
 * wrong. */
const char *workset_check(workset *s, worker *w);

#endif
