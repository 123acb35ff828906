/* SPDX-License-Identifier: Apache-2.0
 *
 * peers.h - other libraries, loaded while the program runs: never linked, no header of theirs
 * needed.
 *
 * Each is used the fastest way that its documentation shows: keyed once, a new nonce for every
 * message.
 */
#ifndef PLAIT_CLI_PEERS_H
#define PLAIT_CLI_PEERS_H

#include "bench/work.h"

typedef struct peer {
    const source *source;
    void *library;
    char label[64];    /* "openssl", or what the user called it */
    char version[128]; /* as it reports itself */
    char path[256];    /* what dlopen took */
} peer;

/* Plait as it is linked into this program; and by path, for comparisons between builds. */
extern const source source_plait, source_plait_library, source_plait_batch;

/* The linked one, `size` messages in each call of plait_seal_batch or plait_open_batch. */
candidate peer_plait_batch(size_t size);

/* Every kind of peer, ended by NULL. */
extern const source *const peer_sources[];

/* Loads "name", "name=path" or "name:label=path". 0 if it can not be had; *why then tells. */
int peer_load(peer *p, const char *spec, const char **why);

/* dlsym into a function pointer, which ISO C has no conversion for. */
#define PEER_SYMBOL(to, handle, name) peer_symbol((void *)&(to), sizeof(to), handle, name)
int peer_symbol(void *to, size_t size, void *handle, const char *name);

/* 0 if two 16-byte tags are equal in their first len bytes. For libraries that hand out the tag
 * they computed when opening, so that each op includes a comparison. */
int peer_tag_differs(const uint8_t *a, const uint8_t *b, size_t len);

/* Memory for contexts of libraries whose sizes are not known here: zero, 64-byte aligned; free with
 * free(). */
void *peer_alloc(size_t size);

#endif
