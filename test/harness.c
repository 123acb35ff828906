/* SPDX-License-Identifier: Apache-2.0
 *
 * harness.c - see harness.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "harness.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- cases ------------------------------------------------------------------------------- */

int test_level = 1;
unsigned long long test_checks;

static char case_text[256];
static int case_open, case_failures;
static unsigned long long case_checks_before;
static unsigned passed, failed, skipped;
static const char *program = "test";

static void print_sum(void);
static const char *at_format = "";
static size_t at_value[6];

static void close_case(void)
{
    if (!case_open) return;
    case_open = 0;
    const unsigned long long checks = test_checks - case_checks_before;
    if (case_failures == 0 && checks == 0) {
        printf("      nothing was checked\n");
        case_failures = 1;
    }
    printf("%-9s %s (%llu checks)\n", case_failures ? "FAIL" : "RUN", case_text, checks);
    case_failures ? failed++ : passed++;
    fflush(stdout);
}

static void open_case(const char *fmt, va_list args)
{
    close_case();
    vsnprintf(case_text, sizeof case_text, fmt, args);
    case_open = 1;
    case_failures = 0;
    case_checks_before = test_checks;
    at_format = "";
}

void test_case(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    open_case(fmt, args);
    va_end(args);
}

void test_skip(const char *fmt, ...)
{
    va_list args;
    if (!case_open) return;
    if (case_failures) { /* what has failed is not skipped */
        close_case();
        return;
    }
    case_open = 0;
    skipped++;
    printf("SKIP      %s (", case_text);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf(")\n");
    fflush(stdout);
}

/* PLAIT_TEST_ROW names one row: no other is looked at. For mutation.sh and mutate.py. */
static int wanted(const char *names)
{
    const char *only = getenv("PLAIT_TEST_ROW");
    if (only == NULL || only[0] == 0) return 1;
    for (const char *p = names; *p != 0; p += strcspn(p, "+") + (p[strcspn(p, "+")] != 0))
        if (strlen(only) == strcspn(p, "+") && memcmp(p, only, strlen(only)) == 0) return 1;
    return 0;
}

int test_kernel_case(size_t row, const char *what)
{
    plait_kernel_info info;
    if (plait_kernel_at(row, &info) != PLAIT_OK || !wanted(info.name)) return 0;
    if (!info.built) {
        close_case();
        printf("NOT BUILT %s: %s\n", info.name, what);
        return 0;
    }
    test_case("%s: %s", info.name, what);
    if (!info.usable) {
        test_skip("needs %s", info.needs);
        return 0;
    }
    return 1;
}

void test_at(const char *fmt, size_t a, size_t b, size_t c, size_t d, size_t e, size_t f, ...)
{
    at_format = fmt;
    at_value[0] = a, at_value[1] = b, at_value[2] = c, at_value[3] = d, at_value[4] = e,
    at_value[5] = f;
}

static void print_at(void)
{
    printf("      at ");
    printf(at_format, at_value[0], at_value[1], at_value[2], at_value[3], at_value[4], at_value[5]);
    printf("\n");
}

static int first_failures(const char *file, int line)
{
    if (!case_open) {
        printf("      %s:%d: a check outside of a case\n", file, line);
        test_case("%s", program);
    }
    if (++case_failures > 3) return 0;
    if (case_failures == 1) printf("      in %s\n", case_text);
    if (at_format[0]) print_at();
    return 1;
}

/* For mutation.sh: one failure is enough. */
static void stop_if_told(void)
{
    if (getenv("PLAIT_TEST_STOP") == NULL) return;
    close_case();
    print_sum();
    _exit(1);
}

void test_check(int ok, const char *file, int line, const char *what)
{
    if (ok) return;
    if (first_failures(file, line)) printf("      %s:%d: not true: %s\n", file, line, what);
    stop_if_told();
}

static void print_bytes(const char *label, const uint8_t *p, size_t n)
{
    printf("        %s ", label);
    for (size_t i = 0; i < n; i++) printf("%02x", p[i]);
    printf("\n");
}

void test_check_mem(const void *got, const void *want, size_t len, const char *file, int line,
                    const char *what)
{
    test_checks++;
    if (len == 0 || memcmp(got, want, len) == 0) return;
    if (!first_failures(file, line)) return;
    const uint8_t *g = got, *w = want;
    size_t i = 0;
    while (g[i] == w[i]) i++;
    printf("      %s:%d: %s differs from byte %zu of %zu on\n", file, line, what, i, len);
    print_bytes("got ", g + i, len - i < 16 ? len - i : 16);
    print_bytes("want", w + i, len - i < 16 ? len - i : 16);
    stop_if_told();
}

void test_check_int(long long got, long long want, const char *file, int line, const char *what)
{
    test_checks++;
    if (got == want) return;
    if (first_failures(file, line))
        printf("      %s:%d: %s is %lld, not %lld\n", file, line, what, got, want);
    stop_if_told();
}

int test_failed(void)
{
    return case_failures > 3;
}

static void print_sum(void)
{
    printf("%u passed, %u failed", passed, failed);
    if (skipped) printf(", %u skipped", skipped);
    printf("\n");
    fflush(stdout);
}

int test_finish(void)
{
    close_case();
    print_sum();
    return failed ? 1 : 0;
}

/* A crash is a failed case, and the end. Printing from a handler is not allowed to work; here it
 * has to be tried. */
static void crashed(int sig)
{
    printf("      signal %d (%s)\n", sig,
           sig == SIGSEGV  ? "memory"
           : sig == SIGILL ? "illegal instruction"
                           : "?");
    if (at_format[0]) print_at();
    if (!case_open) test_case("%s", program);
    case_failures++;
    close_case();
    print_sum();
    _exit(1);
}

void test_start(const char *question)
{
    static uint8_t stack[65536];
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    const char *level = getenv("PLAIT_TEST_LEVEL");
    program = question;
    if (level != NULL && level[0] >= '0' && level[0] <= '2') test_level = level[0] - '0';
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# %s\n", question);
#if !defined(__SANITIZE_THREAD__)
    if (!test_sanitized()) { /* a sanitizer reports more than we can */
        stack_t alt = {.ss_sp = stack, .ss_size = sizeof stack};
        struct sigaction action = {.sa_handler = crashed,
                                   .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
        sigaltstack(&alt, NULL);
        for (size_t i = 0; i < COUNT(signals); i++) sigaction(signals[i], &action, NULL);
    }
#else
    (void)stack, (void)signals, (void)crashed;
#endif
}

/* ---- bytes ------------------------------------------------------------------------------- */

static uint64_t seed_now = UINT64_C(0x243f6a8885a308d3);

void random_seed(uint64_t seed)
{
    seed_now = seed;
}

uint64_t random64(void) /* splitmix64 */
{
    uint64_t z = seed_now += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

size_t random_below(size_t n)
{
    return (size_t)(random64() % n);
}

void random_bytes(void *p, size_t n)
{
    uint8_t *q = p;
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t r = random64();
        for (size_t j = 0; j < 8 && i + j < n; j++) q[i + j] = (uint8_t)(r >> (8 * j));
    }
}

void count_bytes(void *p, size_t n, unsigned start)
{
    for (size_t i = 0; i < n; i++) ((uint8_t *)p)[i] = (uint8_t)(start + i);
}

int all_bytes(const void *p, size_t n, uint8_t value)
{
    const uint8_t *q = p;
    return n == 0 || (q[0] == value && memcmp(q, q + 1, n - 1) == 0);
}

/* ---- memory between guard pages ---------------------------------------------------------- */

size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int file_of(size_t size)
{
    FILE *f = tmpfile();
    if (f == NULL || ftruncate(fileno(f), (off_t)size) != 0) {
        perror("tmpfile");
        exit(1);
    }
    return fileno(f);
}

static uint8_t *between(int fd, size_t size, int protection)
{
    const size_t page = page_size();
    uint8_t *p = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED ||
        mmap(p + page, size, protection, MAP_SHARED | MAP_FIXED, fd, 0) != (void *)(p + page)) {
        perror("mmap");
        exit(1);
    }
    return p + page;
}

guarded guarded_new(size_t min_size)
{
    const size_t page = page_size();
    guarded g;
    g.size = (min_size + page - 1) / page * page;
    const int fd = file_of(g.size);
    g.rw = between(fd, g.size, PROT_READ | PROT_WRITE);
    g.ro = between(fd, g.size, PROT_READ);
    close(fd);
    return g;
}

void guarded_free(guarded *g)
{
    const size_t page = page_size();
    munmap(g->rw - page, g->size + 2 * page);
    munmap(g->ro - page, g->size + 2 * page);
}

uint8_t *repeated_new(size_t period, size_t times, uint8_t **once)
{
    const int fd = file_of(period);
    uint8_t *p = MAP_FAILED;
    *once = mmap(NULL, period, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*once != MAP_FAILED && times <= SIZE_MAX / 2 / period)
        p = mmap(NULL, period * times, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                 0);
    for (size_t i = 0; p != MAP_FAILED && i < times; i++)
        if (mmap(p + i * period, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
            MAP_FAILED) {
            munmap(p, period * times);
            p = MAP_FAILED;
        }
    close(fd);
    if (p != MAP_FAILED) return p;
    if (*once != MAP_FAILED) munmap(*once, period);
    return NULL;
}

void repeated_free(uint8_t *p, size_t period, size_t times, uint8_t *once)
{
    munmap(p, period * times);
    munmap(once, period);
}

/* ---- vector files ------------------------------------------------------------------------ */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

int parse_value(const char *text, uint8_t **bytes, size_t *len)
{
    for (;;) {
        while (*text == ' ' || *text == '\t') text++;
        if (*text == 0) return 1;
        if (*text == '"') { /* characters, to the end of the line */
            const size_t n = strlen(text + 1) - 1;
            if (text[1] == 0 || text[1 + n] != '"') return 0;
            *bytes = realloc(*bytes, *len + n + 1);
            memcpy(*bytes + *len, text + 1, n);
            *len += n;
            return 1;
        }
        const size_t term = strcspn(text, " \t");
        const size_t digits = strcspn(text, " \t*");
        size_t n = digits / 2, times = 1;
        const int counting = digits == 5 && memcmp(text, "count", 5) == 0;
        if (digits < term) times = strtoul(text + digits + 1, NULL, 10);
        if (counting)
            n = times, times = 1;
        else if (digits % 2 != 0)
            return 0;
        *bytes = realloc(*bytes, *len + n * times + 1);
        for (size_t i = 0; i < n * times; i++) {
            const int high = counting ? 0 : hex_digit(text[i % n * 2]);
            const int low = counting ? 0 : hex_digit(text[i % n * 2 + 1]);
            if (high < 0 || low < 0) return 0;
            (*bytes)[*len + i] = counting ? (uint8_t)i : (uint8_t)(high << 4 | low);
        }
        *len += n * times;
        text += term;
    }
}

#ifndef PLAIT_TEST_DIR
#define PLAIT_TEST_DIR "test"
#endif

int vectors_open(vector_file *v, const char *name)
{
    static char path[1024];
    memset(v, 0, sizeof *v);
    snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : PLAIT_TEST_DIR "/vectors/", name);
    v->path = path;
    v->file = fopen(path, "r");
    if (v->file == NULL) {
        printf("      can not open %s\n", path);
        CHECK(v->file != NULL);
        return 0;
    }
    return 1;
}

static void forget_fields(vector_file *v)
{
    for (size_t i = 0; i < v->fields; i++) {
        free(v->field[i].bytes);
        free(v->field[i].text);
    }
    v->fields = 0;
}

int vectors_next(vector_file *v)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t got;
    forget_fields(v);
    while ((got = getline(&line, &capacity, v->file)) >= 0) {
        v->line++;
        while (got > 0 && (line[got - 1] == '\n' || line[got - 1] == '\r' || line[got - 1] == ' '))
            line[--got] = 0;
        if (line[0] == '#' || line[0] == '[') continue;
        if (got == 0) {
            if (v->fields > 0) break;
            continue;
        }
        char *equals = strchr(line, '=');
        if (equals == NULL) equals = line + got - 1; /* a word alone: a name without a value */
        if (v->fields == COUNT(v->field)) {
            printf("      %s:%d: too many fields\n", v->path, v->line);
            CHECK(!"a block ends");
            continue;
        }
        struct vector_field *f = &v->field[v->fields++];
        memset(f, 0, sizeof *f);
        size_t n = (size_t)(equals - line) + (*equals != '=');
        while (n > 0 && line[n - 1] == ' ') n--;
        snprintf(f->name, sizeof f->name, "%.*s", (int)n, line);
        f->text = strdup(equals + 1 + strspn(equals + 1, " "));
    }
    free(line);
    return v->fields > 0;
}

const char *vectors_text(vector_file *v, const char *name)
{
    for (size_t i = 0; i < v->fields; i++)
        if (strcmp(v->field[i].name, name) == 0) return v->field[i].text;
    return NULL;
}

const uint8_t *vectors_get(vector_file *v, const char *name, size_t *len)
{
    static const uint8_t nothing[1];
    *len = 0;
    for (size_t i = 0; i < v->fields; i++) {
        struct vector_field *f = &v->field[i];
        if (strcmp(f->name, name) != 0) continue;
        if (f->bytes == NULL) {
            f->bytes = malloc(1);
            if (!parse_value(f->text, &f->bytes, &f->len)) {
                printf("      %s:%d: malformed %s\n", v->path, v->line, name);
                CHECK(!"malformed");
            }
        }
        *len = f->len;
        return f->bytes;
    }
    printf("      %s:%d: no %s\n", v->path, v->line, name);
    CHECK(!"missing field");
    return nothing;
}

void vectors_close(vector_file *v)
{
    forget_fields(v);
    fclose(v->file);
}

/* ---- kernels to go through --------------------------------------------------------------- */

int row_is(size_t row, const char *family)
{
    return strcmp(plait_rows[row]->family, family) == 0;
}

int row_usable(size_t row)
{
    plait_kernel_info info;
    return plait_kernel_at(row, &info) == PLAIT_OK && info.usable && wanted(info.name);
}

const plait_kernel *row_named(const char *name)
{
    for (size_t i = 0; i < PLAIT_ROW_COUNT; i++)
        if (strcmp(plait_rows[i]->name, name) == 0) return plait_rows[i];
    CHECK(!"row exists");
    printf("      no row %s\n", name);
    return plait_rows[0];
}

size_t kernel_choices(int gcm, kernel_choice **list)
{
    const char *whole = gcm ? "aes_gcm" : "chacha20_poly1305";
    const char *cipher = gcm ? "aes" : "chacha20", *mac = gcm ? "ghash" : "poly1305";
    const char *mac_ref = gcm ? "ghash_ref" : "poly1305_ref",
               *cipher_ref = gcm ? "aes_ref" : "chacha20_ref";
    plait_kernel_info c[PLAIT_ROW_COUNT], m[PLAIT_ROW_COUNT], info;
    size_t n = 0, cs = 0, ms = 0;
    *list = malloc((PLAIT_ROW_COUNT + 1) * (PLAIT_ROW_COUNT + 1) * sizeof **list);
    for (size_t i = 0; i < PLAIT_ROW_COUNT; i++) {
        if (plait_kernel_at(i, &info) != PLAIT_OK || !info.usable) continue;
        if (strcmp(info.family, cipher) == 0) c[cs++] = info;
        if (strcmp(info.family, mac) == 0) m[ms++] = info;
        if (strcmp(info.family, whole) == 0)
            snprintf((*list)[n++].name, sizeof **list, "%s", info.name);
    }
    for (size_t i = 0; i < cs; i++)
        for (size_t j = 0; j < ms; j++) {
            const int each_once = cs > ms ? i % ms == j : j % cs == i;
            const int one_is_usual = c[i].preferred || m[j].preferred ||
                                     strcmp(c[i].name, cipher_ref) == 0 ||
                                     strcmp(m[j].name, mac_ref) == 0;
            if (test_level == 0 ? each_once : test_level == 1 ? one_is_usual : 1)
                snprintf((*list)[n++].name, sizeof **list, "%s+%s", c[i].name, m[j].name);
        }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (wanted((*list)[i].name)) (*list)[kept++] = (*list)[i];
    return kept;
}

const char *alg_name(plait_alg alg)
{
    switch (alg) {
    case PLAIT_AES_128_GCM:
        return "AES-128-GCM";
    case PLAIT_AES_192_GCM:
        return "AES-192-GCM";
    case PLAIT_AES_256_GCM:
        return "AES-256-GCM";
    case PLAIT_CHACHA20_POLY1305:
        return "ChaCha20-Poly1305";
    case PLAIT_XCHACHA20_POLY1305:
        return "XChaCha20-Poly1305";
    }
    return "?";
}

const size_t edge_sizes[] = {1279, 1280, 1281, 1535,  1536,  1537,  1791,  1792,  1793, 1800, 2047,
                             2048, 2049, 3071, 3072,  3073,  4095,  4096,  4097,  7679, 7680, 7681,
                             8191, 8192, 8193, 16383, 16384, 16385, 65535, 65536, 65537};
const size_t edge_size_count = COUNT(edge_sizes);

const size_t ad_sizes[] = {0,  1,  7,  8,  9,  12, 13,  15,  16,  17,  20,   31,
                           32, 33, 47, 48, 49, 96, 128, 129, 255, 256, 10000};
const size_t ad_size_count = COUNT(ad_sizes);

int test_emulated(void)
{
    const char *e = getenv("PLAIT_TEST_EMULATED");
    return e != NULL && e[0] != 0;
}

int test_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 1;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
    return 1;
#else
    return 0;
#endif
#else
    return 0;
#endif
}
