/* SPDX-License-Identifier: Apache-2.0
 *
 * harness.h - what the test programs share: cases and the ledger, a deterministic source of bytes,
 * memory between guard pages, vector files, and the list of kernels to go through.
 *
 * A program asks one question. Its output is one line per case, RUN, FAIL, SKIP (reason) or NOT
 * BUILT, and at the end "N passed, N failed, N skipped". PLAIT_TEST_LEVEL is 0 (quick), 1 (default)
 * or 2 (long forms).
 */
#ifndef PLAIT_TEST_HARNESS_H
#define PLAIT_TEST_HARNESS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/internal.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- cases ----------------------------------------------------------------------------------- */

extern int test_level;

/* Opens the program; its question is printed. Installs handlers, so that a crash is a failed
 * case. */
void test_start(const char *question);

/* Prints the last case and the sum; returns the exit code. */
int test_finish(void);

/* Opens a case, which ends where the next one opens. It passes if every CHECK in it does, and
 * there is one. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void test_case(const char *fmt, ...);

/* Ends the open case: it could not be run here. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void test_skip(const char *fmt, ...);

/* Opens a case about one kernel, or says SKIP or NOT BUILT. Returns whether it can be run. */
int test_kernel_case(size_t row, const char *what);

/* Where the case is, for its failure message: a format of %zu, up to six numbers. */
#define AT(...)                                                                                    \
    test_at(__VA_ARGS__, (size_t)0, (size_t)0, (size_t)0, (size_t)0, (size_t)0, (size_t)0)
void test_at(const char *fmt, size_t a, size_t b, size_t c, size_t d, size_t e, size_t f, ...);

void test_check(int ok, const char *file, int line, const char *what);
void test_check_mem(const void *got, const void *want, size_t len, const char *file, int line,
                    const char *what);
void test_check_int(long long got, long long want, const char *file, int line, const char *what);
extern unsigned long long test_checks;
#define CHECK(x) ((void)(test_checks++, (x) ? (void)0 : test_check(0, __FILE__, __LINE__, #x)))
/* Equal bytes; equal numbers; a status. */
#define CHECK_MEM(got, want, len) test_check_mem(got, want, len, __FILE__, __LINE__, #got)
#define CHECK_INT(got, want)                                                                       \
    test_check_int((long long)(got), (long long)(want), __FILE__, __LINE__, #got)
#define CHECK_OK(call) CHECK_INT(call, PLAIT_OK)

/* Has the open case failed already? For loops that would fail a thousand times. */
int test_failed(void);

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Pseudo-random, the same in each run. */
uint64_t random64(void);
size_t random_below(size_t n); /* n > 0 */
void random_bytes(void *p, size_t n);
void random_seed(uint64_t seed);

/* byte i = start + i */
void count_bytes(void *p, size_t n, unsigned start);
int all_bytes(const void *p, size_t n, uint8_t value);

/* ---- memory between guard pages -------------------------------------------------------------- */

/* size usable bytes (a multiple of the page size) with an inaccessible page on either side. ro
 * shows the same memory read-only, between guards of its own: a kernel that writes to its input
 * dies there. */
typedef struct guarded {
    uint8_t *rw, *ro;
    size_t size;
} guarded;
guarded guarded_new(size_t min_size);
void guarded_free(guarded *g);
/* The last len bytes. */
static inline uint8_t *guarded_end(const guarded *g, size_t len)
{
    return g->rw + g->size - len;
}
size_t page_size(void);

/* period bytes of memory, mapped over and over to times * period bytes; NULL if the system refuses.
 * period is a multiple of the page size. */
uint8_t *repeated_new(size_t period, size_t times, uint8_t **once);
void repeated_free(uint8_t *p, size_t period, size_t times, uint8_t *once);

/* ---- vector files ---------------------------------------------------------------------------- */

/* A file of blocks, separated by empty lines, each of lines "name = value" or "name"; lines that
 * start with # or [ are comments. A value is a list of terms joined by blanks: hex digits; hex*n
 * (repeated n times); count*n (bytes 0, 1, 2, ... modulo 256, n of them); or characters between
 * double quotes. */
typedef struct vector_file {
    FILE *file;
    const char *path;
    int line;
    size_t fields;
    struct vector_field {
        char name[24];
        uint8_t *bytes;
        size_t len;
        char *text;
    } field[24];
} vector_file;
/* Looks beside the source of the tests; on failure the open case fails and the result is 0. */
int vectors_open(vector_file *v, const char *name);
int vectors_next(vector_file *v);
/* A field's bytes (a failed check and an empty value if it is not there). */
const uint8_t *vectors_get(vector_file *v, const char *name, size_t *len);
const char *vectors_text(vector_file *v, const char *name); /* NULL if not there */
void vectors_close(vector_file *v);
/* Appends the bytes of a value to *bytes (realloc). Returns 0 if it is malformed. */
int parse_value(const char *text, uint8_t **bytes, size_t *len);

/* ---- kernels to go through ------------------------------------------------------------------- */

/* One way to make a key: a fused kernel, or two parts. */
typedef struct kernel_choice {
    char name[96];
} kernel_choice;

/* Every way to make an AES-GCM key (gcm != 0) or a ChaCha20-Poly1305 key on this CPU. Pairs: at
 * level 0 enough for each part to occur, at level 1 those with the preferred or the portable part,
 * at level 2 all. list must be freed. */
size_t kernel_choices(int gcm, kernel_choice **list);

/* The row of this name; fails the open case if it is not there. */
const plait_kernel *row_named(const char *name);

/* Each row of a family, by number. */
int row_is(size_t row, const char *family);
int row_usable(size_t row);

static const plait_alg gcm_algs[] = {PLAIT_AES_128_GCM, PLAIT_AES_192_GCM, PLAIT_AES_256_GCM};
static const plait_alg all_algs[] = {PLAIT_AES_128_GCM, PLAIT_AES_192_GCM, PLAIT_AES_256_GCM,
                                     PLAIT_CHACHA20_POLY1305, PLAIT_XCHACHA20_POLY1305};
static inline int alg_is_gcm(plait_alg alg)
{
    return alg <= PLAIT_AES_256_GCM;
}
static inline size_t alg_key_len(plait_alg alg)
{
    return alg == PLAIT_AES_128_GCM ? 16 : alg == PLAIT_AES_192_GCM ? 24 : 32;
}
static inline size_t alg_nonce_len(plait_alg alg)
{
    return alg == PLAIT_XCHACHA20_POLY1305 ? 24 : 12;
}
const char *alg_name(plait_alg alg);

/* The sizes of the edges above 1100 bytes, ascending. */
extern const size_t edge_sizes[];
extern const size_t edge_size_count;
/* The AD lengths around which GCM implementations have failed. */
extern const size_t ad_sizes[];
extern const size_t ad_size_count;

/* Under an emulator, or a sanitizer that does not go together with other tools. */
int test_emulated(void);
int test_sanitized(void);

#endif
