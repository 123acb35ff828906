/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz.h - what the fuzz targets share: the input as a source of numbers, and a check that ends the
 * program. A target is built with -fsanitize=fuzzer,address,undefined, see fuzz.sh; without
 * libFuzzer, fuzz_main.c runs it over the files of a corpus.
 */
#ifndef PLAIT_FUZZ_H
#define PLAIT_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/internal.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                                    \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #x);                      \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
#define SAME(a, b, n) MUST((n) == 0 || memcmp(a, b, n) == 0)

/* What is left of the input. Past its end come zeros. */
typedef struct source {
    const uint8_t *p;
    size_t left;
} source;

static inline unsigned take8(source *s)
{
    if (s->left == 0) return 0;
    s->left--;
    return *s->p++;
}
static inline size_t take(source *s, size_t below) /* 0 <= result < below <= 2^16 */
{
    size_t x = take8(s);
    if (below > 256) x |= (size_t)take8(s) << 8;
    return x % below;
}
static inline uint32_t take32(source *s)
{
    uint32_t x = 0;
    for (int i = 0; i < 4; i++) x = x << 8 | take8(s);
    return x;
}

/* n bytes made from a kind and a seed, so that long messages need no long inputs: all ones, zeros,
 * a repeated byte, or noise. */
static inline void stretch(source *s, uint8_t *out, size_t n)
{
    const unsigned kind = take8(s);
    uint32_t x = kind & 3 ? 0 : take32(s) | 1;
    if (n == 0) return;
    switch (kind & 3) {
    case 1:
        memset(out, 0xff, n);
        break;
    case 2:
        memset(out, (int)(kind >> 2), n);
        break;
    case 3: /* the input itself, once */
        for (size_t i = 0; i < n; i++) out[i] = (uint8_t)take8(s);
        break;
    default:
        for (size_t i = 0; i < n; i++) {
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            out[i] = (uint8_t)(x >> 11);
        }
    }
}

/* Exactly n bytes, so that the sanitizer knows the end; never NULL. */
static inline uint8_t *room(size_t n)
{
    uint8_t *p = malloc(n == 0 ? 1 : n);
    if (p == NULL) abort();
    return p;
}

/* The usable rows of a family: a number below `count`, cyclically. */
static inline const char *some_row(source *s, unsigned first, unsigned end)
{
    const uint32_t cpu = plait_cpu_enabled();
    unsigned usable[PLAIT_ROW_COUNT], n = 0;
    for (unsigned i = first; i < end; i++)
        if ((plait_rows[i]->needs & ~cpu) == 0) usable[n++] = i;
    return n == 0 ? NULL : plait_rows[usable[take8(s) % n]]->name;
}
#define SOME_ROW(s, family) some_row(s, PLAIT_FIRST_##family, PLAIT_END_##family)

/* A name for plait_key_init_with: NULL, a fused row, or two parts. */
static inline const char *some_kernel(source *s, int gcm, char name[96])
{
    const unsigned kind = take8(s) % 4;
    if (kind == 0) return NULL;
    const char *fused =
        kind == 1 ? (gcm ? SOME_ROW(s, aes_gcm) : SOME_ROW(s, chacha20_poly1305)) : NULL;
    if (fused != NULL) {
        snprintf(name, 96, "%s", fused);
    } else {
        const char *cipher = gcm ? SOME_ROW(s, aes) : SOME_ROW(s, chacha20);
        const char *mac = gcm ? SOME_ROW(s, ghash) : SOME_ROW(s, poly1305);
        snprintf(name, 96, "%s+%s", cipher, mac);
    }
    return name;
}

static inline size_t key_len_of(plait_alg alg)
{
    return alg == PLAIT_AES_128_GCM ? 16 : alg == PLAIT_AES_192_GCM ? 24 : 32;
}
static inline int is_gcm(plait_alg alg)
{
    return alg <= PLAIT_AES_256_GCM;
}

#endif
