/* SPDX-License-Identifier: Apache-2.0
 *
 * peers.c - finding and loading other libraries.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

extern const source source_openssl, source_boringssl, source_awslc, source_libsodium,
    source_libgcrypt, source_nettle, source_mbedtls, source_wolfssl, source_botan, source_ipsec_mb;

const source *const peer_sources[] = {&source_openssl,   &source_awslc,         &source_boringssl,
                                      &source_libsodium, &source_libgcrypt,     &source_ipsec_mb,
                                      &source_nettle,    &source_mbedtls,       &source_wolfssl,
                                      &source_botan,     &source_plait_library, NULL};

int peer_symbol(void *to, size_t size, void *handle, const char *name)
{
    void *p = dlsym(handle, name);
    memcpy(to, &p, size);
    return p != NULL;
}

int peer_tag_differs(const uint8_t *a, const uint8_t *b, size_t len)
{
    unsigned diff = 0;
    for (size_t i = 0; i < len; i++) diff |= (unsigned)(a[i] ^ b[i]);
    return diff != 0;
}

void *peer_alloc(size_t size)
{
    void *p = NULL;
    size = (size + 63) & ~(size_t)63;
    if (posix_memalign(&p, 64, size) != 0) {
        cli_error("memory", "%zu bytes are not to be had", size);
        exit(CLI_FAILED);
    }
    memset(p, 0, size);
    return p;
}

int peer_load(peer *p, const char *spec, const char **why)
{
    const size_t name_len = strcspn(spec, ":=");
    const char *path = strchr(spec, '=');
    const char *label = spec[name_len] == ':' ? spec + name_len + 1 : NULL;
    memset(p, 0, sizeof *p);
    *why = "no such peer; plait bench peers lists them all, present or absent";
    for (int i = 0; peer_sources[i] != NULL; i++)
        if (strlen(peer_sources[i]->name) == name_len &&
            memcmp(peer_sources[i]->name, spec, name_len) == 0)
            p->source = peer_sources[i];
    if (p->source == NULL) return 0;
    if (label != NULL) snprintf(p->label, sizeof p->label, "%.*s", (int)strcspn(label, "="), label);
    else snprintf(p->label, sizeof p->label, "%s", p->source->name);
    const char *one[] = {path != NULL ? path + 1 : NULL, NULL};
    int flags = RTLD_NOW | RTLD_LOCAL;
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__) /* which can not work with it */
    flags |= RTLD_DEEPBIND; /* forks of OpenSSL share its names: each must find its own first */
#endif
    *why = path != NULL ? NULL : "not installed";
    for (const char *const *at = path != NULL ? one : p->source->sonames; *at != NULL; at++) {
        void *handle = dlopen(*at, flags);
        if (handle == NULL) {
            if (path != NULL) *why = dlerror();
            continue;
        }
        p->library = p->source->open(handle, p->version, sizeof p->version);
        if (p->library != NULL) {
            snprintf(p->path, sizeof p->path, "%s", *at);
            return 1;
        }
        *why = "loads, but lacks functions that are needed";
        dlclose(handle);
    }
    return 0;
}
