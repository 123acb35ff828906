/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_run.c - see bench_run.h.
 */
#include "bench_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "plait_hazmat.h"
#include "record.h"
#include "report.h"

void bench_defaults(bench *b, double seconds)
{
    memset(b, 0, sizeof *b);
    b->seconds = seconds;
    b->cpu = -1;
}

size_t bench_options(bench *b, option *to)
{
    const option options[BENCH_OPTIONS] = {
        {"kernel", OPTION_LIST, &b->kernels, "NAME",
         "only this kernel of Plait; may be given again"},
        {"all", OPTION_FLAG, &b->all, NULL,
         "every combination of parts, not only with the best partner"},
        {"peer", OPTION_LIST, &b->peer_specs, "PEER",
         "NAME, NAME=PATH or NAME:LABEL=PATH; may be given again"},
        {"no-peers", OPTION_FLAG, &b->no_peers, NULL, "Plait alone"},
        {"size", OPTION_LIST, &b->size_texts, "BYTES", "message sizes, e.g. 64,1350,16k"},
        {"time", OPTION_REAL, &b->seconds, "SECONDS",
         "for the whole run; more where each cell would not get a slice"},
        {"slice", OPTION_REAL, &b->slice_ms, "MS", "length of a slice in milliseconds (1)"},
        {"cpu", OPTION_NUMBER, &b->cpu, "N", "pin to this core (where it happens to run)"},
        {"seed", OPTION_NUMBER, &b->seed, "N", "for the random orders (the time)"},
        {"html", OPTION_TEXT, &b->html, "FILE", "also write a page with plots"},
        {"svg", OPTION_TEXT, &b->svg, "FOLDER", "also write each plot as a file"},
        {"format", OPTION_FORMAT, &b->format, "FORMAT", "table, csv, json or jmh"},
    };
    memcpy(to, options, sizeof options);
    return BENCH_OPTIONS;
}

/* Does the CPU lower its clock for wide vectors? Then a slice must be long enough for the clock to
 * settle, and to rise again before the next. */
static int clock_depends_on_vectors(void)
{
    plait_cpu_feature f;
    for (size_t i = 0; plait_cpu_feature_at(i, &f) == PLAIT_OK; i++)
        if (strcmp(f.name, "slow_512") == 0) return f.present;
    return 0;
}

/* The kernel of this name, len bytes; 0 if there is none. */
static int find_kernel(const char *name, size_t len, plait_kernel_info *k)
{
    for (size_t i = 0; plait_kernel_at(i, k) == PLAIT_OK; i++)
        if (strlen(k->name) == len && memcmp(k->name, name, len) == 0) return 1;
    return 0;
}

/* Are all of "name+name" kernels that can be used here? 0 after a complaint. */
static int kernels_usable(const char *names)
{
    while (*names != 0) {
        const size_t len = strcspn(names, "+");
        char name[96];
        plait_kernel_info k;
        snprintf(name, sizeof name, "%.*s", (int)len, names);
        if (!find_kernel(names, len, &k)) {
            cli_error(name, "no such kernel; see plait kernels");
            return 0;
        }
        if (!k.usable) {
            cli_error(name,
                      !k.built ? "was not built for this architecture"
                               : "needs %s, which this CPU lacks or PLAIT_CPU forbids",
                      k.needs);
            return 0;
        }
        names += len + (names[len] != 0);
    }
    return 1;
}

size_t bench_sizes(const bench *b, size_t sizes[BENCH_SIZES], const size_t *usual, size_t count)
{
    const text_list *asked = &b->size_texts;
    if (asked->count == 0) memcpy(sizes, usual, count * sizeof *sizes);
    else count = asked->count;
    for (size_t i = 0; i < asked->count; i++) {
        const long size = options_number(asked->items[i]);
        if (size < 0 || i == BENCH_SIZES) {
            cli_error(asked->items[i], "--size %s",
                      size < 0 ? "needs whole numbers, as in 64 or 16k" : "too often");
            return 0;
        }
        sizes[i] = (size_t)size;
    }
    return count;
}

int bench_works(const text_list *names, work_id list[WORK_COUNT])
{
    for (size_t i = 0; i < names->count; i++) {
        const work_id work = work_named(names->items[i]);
        if (work == WORK_COUNT || i == WORK_COUNT) {
            cli_error(names->items[i], work == WORK_COUNT ? "no such work" : "one work too many");
            return 0;
        }
        list[i] = work;
    }
    return 1;
}

int bench_writable(const char *path)
{
    FILE *f = fopen(path, "a");
    if (f == NULL) cli_error(path, "%s", strerror(errno));
    return f != NULL && fclose(f) == 0;
}

/* A folder that can be written to: made if it is not there. */
static int make_folder(const char *path)
{
    struct stat is;
    if ((mkdir(path, 0777) == 0 || errno == EEXIST) && access(path, W_OK | X_OK) == 0 &&
        stat(path, &is) == 0) {
        if (S_ISDIR(is.st_mode)) return 1;
        errno = ENOTDIR;
    }
    cli_error(path, "%s", strerror(errno));
    return 0;
}

int bench_start(bench *b, const char *const *wanted)
{
    const char *why;
    b->started = clock_now();
    if (b->html != NULL && !bench_writable(b->html)) return 0;
    if (b->svg != NULL && !make_folder(b->svg)) return 0;
    machine_read(&b->machine);
    for (size_t i = 0; i < b->peer_specs.count && b->peer_count < PEERS_MAX; i++) {
        if (!peer_load(&b->peers[b->peer_count], b->peer_specs.items[i], &why)) {
            cli_error(b->peer_specs.items[i], "%s", why);
            return 0;
        }
        b->peer_count++;
    }
    for (; wanted != NULL && *wanted != NULL && !b->no_peers && b->peer_specs.count == 0; wanted++)
        if (b->peer_count < PEERS_MAX && peer_load(&b->peers[b->peer_count], *wanted, &why))
            b->peer_count++;
    for (size_t i = 0; i < b->kernels.count; i++)
        if (!kernels_usable(b->kernels.items[i])) return 0;
    b->core_number = clock_pin((int)b->cpu);
    if (b->cpu >= 0 && b->core_number < 0) {
        cli_error("--cpu", "this thread can not run on core %ld", b->cpu);
        return 0;
    }
    const int settle = clock_depends_on_vectors();
    const double slice = b->slice_ms > 0 ? b->slice_ms * 1e-3 : settle ? 5e-3 : 1e-3;
    race_core_start(&b->core, slice,
                    b->seed != 0 ? (uint64_t)b->seed : (uint64_t)(b->started * 1e9));
    if (settle && b->core.warm < 2e-3) b->core.warm = 2e-3;
    return 1;
}

static int add_candidate(candidate *to, size_t *count, size_t max, const task *t, const source *s,
                         void *library, const char *kernel, const char *name, int is_default)
{
    static const uint8_t key[32] = {1};
    for (size_t i = 0; i < *count; i++)
        if (strcmp(to[i].name, name) == 0) return 1;
    if (*count == max) return 0;
    candidate *c = &to[*count];
    memset(c, 0, sizeof *c);
    c->source = s;
    c->library = library;
    c->kernel = kernel;
    c->is_default = is_default;
    snprintf(c->name, sizeof c->name, "%s", name);
    worker w;
    if (!worker_start(&w, c, t, key)) return 0;
    worker_end(&w);
    ++*count;
    return 1;
}

static const char *const families[WORK_COUNT][3] = {
    [WORK_CHACHA20] = {"chacha20"},
    [WORK_AES_128_CTR] = {"aes"},
    [WORK_AES_256_CTR] = {"aes"},
    [WORK_POLY1305] = {"poly1305"},
    [WORK_POLY1305_STREAM] = {"poly1305"},
    [WORK_POLY1305_UPDATE] = {"poly1305"},
    [WORK_AES_128_GMAC] = {"aes_gcm", "ghash", "aes"},
    [WORK_CHACHA20_POLY1305] = {"chacha20_poly1305", "chacha20", "poly1305"},
    [WORK_AES_128_GCM] = {"aes_gcm", "aes", "ghash"},
    [WORK_AES_256_GCM] = {"aes_gcm", "aes", "ghash"},
};

static plait_alg alg_of(work_id work)
{
    return work == WORK_CHACHA20_POLY1305 ? PLAIT_CHACHA20_POLY1305
           : work == WORK_AES_256_GCM     ? PLAIT_AES_256_GCM
                                          : PLAIT_AES_128_GCM;
}

/* Plait as it is in this program. */
static void *linked_library(void)
{
    char version[128];
    return source_plait.open(NULL, version, sizeof version);
}

/* What a key made with this kernel (NULL: the default) says it uses; "" if it can not be made. */
static void key_kernel(work_id work, const char *kernel, char *to, size_t size)
{
    static const uint8_t raw[32] = {1};
    plait_key key;
    const plait_alg alg = alg_of(work);
    const size_t len = work_infos[work].key_len;
    const plait_status status = kernel != NULL ? plait_key_init_with(&key, alg, raw, len, kernel)
                                               : plait_key_init(&key, alg, raw, len);
    snprintf(to, size, "%s", status == PLAIT_OK ? plait_key_kernel(&key) : "");
    plait_key_wipe(&key);
}

candidate bench_reference(work_id work)
{
    static const char *const names[WORK_COUNT] = {
        [WORK_CHACHA20] = "chacha20_ref",
        [WORK_AES_128_CTR] = "aes_ref",
        [WORK_AES_256_CTR] = "aes_ref",
        [WORK_POLY1305] = "poly1305_ref",
        [WORK_POLY1305_STREAM] = "poly1305_ref",
        [WORK_POLY1305_UPDATE] = "poly1305_ref",
        [WORK_AES_128_GMAC] = "aes_ref+ghash_ref",
        [WORK_CHACHA20_POLY1305] = "chacha20_ref+poly1305_ref",
        [WORK_AES_128_GCM] = "aes_ref+ghash_ref",
        [WORK_AES_256_GCM] = "aes_ref+ghash_ref",
    };
    candidate c;
    memset(&c, 0, sizeof c);
    snprintf(c.name, sizeof c.name, "%s", names[work]);
    c.source = &source_plait;
    c.library = linked_library();
    c.kernel = names[work];
    return c;
}

int bench_named(bench *b, const char *text, candidate *to)
{
    const char *why;
    memset(to, 0, sizeof *to);
    snprintf(to->name, sizeof to->name, "%s", text);
    to->source = &source_plait;
    to->library = linked_library();
    if (strcmp(text, "plait") == 0) {
        to->is_default = 1;
        return 1;
    }
    int is_peer = strpbrk(text, "=:") != NULL;
    for (int i = 0; peer_sources[i] != NULL; i++)
        is_peer |= strcmp(text, peer_sources[i]->name) == 0;
    if (!is_peer) {
        to->kernel = to->name;
        return kernels_usable(text);
    }
    if (b->peer_count == PEERS_MAX) {
        cli_error(text, "too many peers");
        return 0;
    }
    peer *p = &b->peers[b->peer_count];
    if (!peer_load(p, text, &why)) {
        cli_error(text, "%s", why);
        return 0;
    }
    b->peer_count++;
    snprintf(to->name, sizeof to->name, "%s", p->label);
    to->source = p->source;
    to->library = p->library;
    return 1;
}

work_id bench_work_of(const candidate *c)
{
    plait_kernel_info k;
    if (c->kernel == NULL || !find_kernel(c->kernel, strcspn(c->kernel, "+"), &k))
        return WORK_COUNT;
    const int whole = strchr(c->kernel, '+') != NULL;
    if (strncmp(k.family, "chacha20", 8) == 0)
        return whole || strcmp(k.family, "chacha20") != 0 ? WORK_CHACHA20_POLY1305 : WORK_CHACHA20;
    if (strcmp(k.family, "poly1305") == 0) return whole ? WORK_CHACHA20_POLY1305 : WORK_POLY1305;
    if (strcmp(k.family, "ghash") == 0) return whole ? WORK_AES_128_GCM : WORK_AES_128_GMAC;
    return whole || strcmp(k.family, "aes") != 0 ? WORK_AES_128_GCM : WORK_AES_128_CTR;
}

static void add_kernel(candidate *to, size_t *count, size_t max, const task *t, const char *kernel)
{
    char name[96];
    if (families[t->work][1] == NULL) snprintf(name, sizeof name, "%s", kernel);
    else key_kernel(t->work, kernel, name, sizeof name);
    if (name[0] == 0) return;
    /* The library names what the key uses, so "chacha20_avx2" becomes "chacha20_avx2+poly1305_ref";
     * the full name also makes the same key again. */
    add_candidate(to, count, max, t, &source_plait, linked_library(),
                  cli_format("%s", name), name, 0);
}

size_t bench_candidates(bench *b, const task *t, candidate *to, size_t max, int kernels,
                        int with_peers)
{
    size_t count = 0;
    char name[96] = "";
    const char *const *family = families[t->work];
    plait_kernel_info k;
    if (b->kernels.count == 0) {
        if (family[1] != NULL) key_kernel(t->work, NULL, name, sizeof name);
        else
            for (size_t i = 0; plait_kernel_at(i, &k) == PLAIT_OK; i++)
                if (k.preferred && strcmp(k.family, family[0]) == 0)
                    snprintf(name, sizeof name, "%s", k.name);
        add_candidate(to, &count, max, t, &source_plait, linked_library(),
                      kernels == KERNELS_ALIKE && name[0] != 0 ? cli_format("%s", name) : NULL,
                      name, 1);
        /* The fused rows, then the cipher's rows with the preferred MAC; each MAC's rows only on
         * demand. */
        for (int f = 0; f < 3 && family[f] != NULL && kernels != KERNELS_NONE; f++) {
            if (f == 2 && !b->all && t->work != WORK_AES_128_GMAC) {
                /* All portable, so that everything has one slow and simple companion. */
                const char *plain = t->work == WORK_CHACHA20_POLY1305 ? "chacha20_ref+poly1305_ref"
                                                                      : "aes_ref+ghash_ref";
                add_kernel(to, &count, max, t, plain);
                continue;
            }
            for (size_t i = 0; plait_kernel_at(i, &k) == PLAIT_OK; i++)
                if (k.usable && strcmp(k.family, family[f]) == 0)
                    add_kernel(to, &count, max, t, k.name);
        }
    }
    for (size_t i = 0; i < b->kernels.count; i++)
        add_kernel(to, &count, max, t, b->kernels.items[i]);
    if (b->kernels.count != 0 && count == 0) return 0; /* not what they are for */
    for (size_t i = 0; i < b->peer_count && with_peers; i++)
        add_candidate(to, &count, max, t, b->peers[i].source, b->peers[i].library, NULL,
                      b->peers[i].label, 0);
    return count;
}

/* Cycles per call, the least of some runs. */
#define CALL_CYCLES(to, call)                                                             \
    do {                                                                                  \
        (to) = INFINITY;                                                                  \
        for (int run_ = 0; run_ < 40; run_++) {                                           \
            const double hertz_ = clock_probe_core().hertz, start_ = clock_now();         \
            for (int i_ = 0; i_ < 400; i_++) (void)(call);                                \
            const double cycles_ = (clock_now() - start_) * hertz_ / 400;                 \
            if (cycles_ < (to)) (to) = cycles_;                                           \
        }                                                                                 \
    } while (0)

void bench_name_costs(double *chacha20, double *gcm_key)
{
    static const uint8_t raw[32] = {1};
    uint8_t none[1] = {0};
    char name[96];
    double with, without;
    plait_kernel_info k;
    plait_key key;
    const char *kernel = "chacha20_ref";
    for (size_t i = 0; plait_kernel_at(i, &k) == PLAIT_OK; i++)
        if (k.preferred && strcmp(k.family, "chacha20") == 0) kernel = k.name;
    CALL_CYCLES(with, plait_chacha20_xor_with(kernel, none, none, 0, raw, raw, 0));
    CALL_CYCLES(without, plait_chacha20_xor(none, none, 0, raw, raw, 0));
    *chacha20 = with - without;
    key_kernel(WORK_AES_128_GCM, NULL, name, sizeof name);
    CALL_CYCLES(with, plait_key_init_with(&key, PLAIT_AES_128_GCM, raw, 16, name));
    CALL_CYCLES(without, plait_key_init(&key, PLAIT_AES_128_GCM, raw, 16));
    *gcm_key = with - without;
    plait_key_wipe(&key);
}

void bench_progress(const bench *b, const char *what, double done)
{
    static double last;
    static int shown;
    if (!isatty(STDERR_FILENO)) return;
    const double now = clock_now();
    if (what == NULL) {
        if (shown) fprintf(stderr, "\r%*s\r", 78, "");
        shown = 0;
        return;
    }
    if (shown && now - last < 0.1) return;
    last = now;
    shown = 1;
    const double left = b->started + b->seconds - now;
    char line[160];
    snprintf(line, sizeof line, "%3.0f %%  %.0f s left  %s", done * 100, left > 0 ? left : 0, what);
    fprintf(stderr, "\r%-78.78s", line);
    fflush(stderr);
}

static void describe(const task *t, char *to, size_t size)
{
    snprintf(to, size, "%s %s %zu bytes", work_infos[t->work].title,
             work_infos[t->work].kind == WORK_MAC ? "of" : t->open ? "decrypt" : "encrypt", t->len);
}

/* Every candidate against the portable kernels, in lengths around block and kernel
 * boundaries and in the length that will be measured. */
static int verify(bench *b, const group *g)
{
    static const size_t lengths[] = {1,   15,  16,  17,   63,   64,   65,  129,
                                     255, 511, 513, 1023, 1025, 2047, 3000};
    const size_t n = sizeof lengths / sizeof *lengths;
    int good = 1;
    const candidate reference = bench_reference(g->tasks[0].work), *maker = &reference;
    for (size_t k = 0; k < g->task_count; k++)
        for (size_t i = 0; i <= n; i++) {
            task t = g->tasks[k];
            if (i < n) t.len = lengths[i];
            workset set;
            if (t.work == WORK_POLY1305_UPDATE) continue;
            if (!workset_make(&set, &t, maker, 0)) continue;
            for (size_t c = 0; c < g->candidate_count; c++) {
                worker w;
                if (!worker_start(&w, &g->candidates[c], &t, set.key)) continue;
                const char *wrong = workset_check(&set, &w);
                worker_end(&w);
                if (wrong == NULL) continue;
                char what[96];
                describe(&t, what, sizeof what);
                bench_progress(b, NULL, 0);
                cli_error(g->candidates[c].name, "%s, by %s: %s", what, maker->name, wrong);
                good = 0;
            }
            workset_free(&set);
        }
    return good;
}

static void add_result(bench *b, const group *g, const task *t, const candidate *c,
                       const race_summary *s)
{
    if (b->result_count == b->result_room) {
        const size_t room = b->result_room != 0 ? 2 * b->result_room : 64;
        result *more = cli_alloc(room * sizeof *more);
        if (b->result_count != 0) memcpy(more, b->results, b->result_count * sizeof *more);
        free(b->results);
        b->results = more;
        b->result_room = room;
    }
    result *r = &b->results[b->result_count++];
    r->bench = g->bench;
    r->task = *t;
    r->candidate = *c;
    r->summary = *s;
}

#define ROUNDS_LEAST 5
#define ROUNDS_MOST  400

static int measure(bench *b, const group *g, double until, size_t number, size_t groups)
{
    race_lane lanes[2 * CANDIDATES_MAX];
    const candidate *who[2 * CANDIDATES_MAX];
    workset sets[2];
    size_t count = 0;
    int good = 1;
    char what[96];
    describe(&g->tasks[0], what, sizeof what);
    message *many = NULL;
    uint8_t *texts = NULL, out[64];
    if (g->messages != 0) {
        stats_random random = {g->tasks[0].len};
        const size_t len = g->tasks[0].len < 32 ? 32 : g->tasks[0].len;
        many = cli_alloc(g->messages * sizeof *many);
        texts = cli_alloc(g->messages * len + 8);
        for (size_t i = 0; i < g->messages * len; i += 8) {
            const uint64_t x = stats_random_next(&random);
            memcpy(texts + i, &x, 8);
        }
        for (size_t i = 0; i < g->messages; i++) {
            const message m = {texts + i * len, out, out, texts + i * len, out, 0, g->tasks[0].len};
            many[i] = m;
        }
    }
    for (size_t k = 0; k < g->task_count; k++) {
        if (!workset_make(&sets[k], &g->tasks[k], &g->candidates[0],
                          b->moving ? stats_random_next(&b->core.random) : 0)) {
            cli_error(g->candidates[0].name, "%s failed", what);
            return 0;
        }
        for (size_t c = 0; c < g->candidate_count; c++) {
            race_lane *l = &lanes[count];
            memset(l, 0, sizeof *l);
            l->messages = many != NULL ? many : sets[k].messages;
            l->message_count = many != NULL ? g->messages : WORK_NONCES;
            if (!worker_start(&l->worker, &g->candidates[c], &g->tasks[k], sets[k].key)) continue;
            who[count++] = &g->candidates[c];
            race_size(&b->core, l);
        }
    }
    for (size_t round = 0;; round++) {
        if (b->rounds != 0) {
            /* So many slices alone; with a neighbour who stays, three times as many and be done. */
            size_t least = SIZE_MAX;
            for (size_t i = 0; i < count; i++) {
                const size_t alone = race_alone(&b->core, &lanes[i]);
                if (alone < least) least = alone;
            }
            if (least >= b->rounds || round >= 3 * b->rounds) break;
        } else if (round >= ROUNDS_LEAST && (round >= ROUNDS_MOST || clock_now() >= until)) break;
        bench_progress(b, what, ((double)number + 0.5) / (double)groups);
        race_round(&b->core, lanes, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (lanes[i].failures != 0) {
            cli_error(who[i]->name, "%s: %ld operations failed while they were measured", what,
                      lanes[i].failures);
            good = 0;
        }
        const race_summary s = race_summarise(&b->core, &lanes[i], b->rounds);
        const size_t k = many != NULL || lanes[i].messages == sets[0].messages ? 0 : 1;
        add_result(b, g, &g->tasks[k], who[i], &s);
        race_lane_free(&lanes[i]);
    }
    for (size_t k = 0; k < g->task_count; k++) workset_free(&sets[k]);
    free(many);
    free(texts);
    return good;
}

int bench_run(bench *b, const group *groups, size_t count)
{
    int good = 1;
    size_t lanes = 0, done = 0;
    for (size_t i = 0; i < count; i++) {
        bench_progress(b, "verifying", 0);
        if (groups[i].candidate_count != 0 && !b->verified) good &= verify(b, &groups[i]);
        lanes += groups[i].candidate_count * groups[i].task_count;
    }
    if (!good) {
        cli_error("bench", "results are wrong: nothing was measured");
        return 0;
    }
    b->verified = 1;
    const double end = b->started + b->seconds;
    for (size_t i = 0; i < count; i++) {
        /* Each lane gets an equal part of the time that is left. */
        const size_t mine = groups[i].candidate_count * groups[i].task_count;
        if (mine == 0) continue;
        const double now = clock_now(),
                     until = now + (end - now) * (double)mine / (double)(lanes - done);
        good &= measure(b, &groups[i], until, i, count);
        done += mine;
    }
    bench_progress(b, NULL, 1);
    b->ended = clock_now();
    if (b->html != NULL) good &= report_html(b, b->html);
    if (b->svg != NULL) good &= report_svg(b, b->svg);
    return good;
}

double bench_gb_per_s(const result *r)
{
    return r->summary.rate * (double)r->task.len * 1e-9;
}

double bench_cycles_per_byte(const result *r)
{
    return r->task.len != 0 ? r->summary.cycles / (double)r->task.len : NAN;
}

const result *bench_find(const bench *b, const task *t, const char *name)
{
    for (size_t i = 0; i < b->result_count; i++)
        if (task_equal(&b->results[i].task, t) && strcmp(b->results[i].candidate.name, name) == 0)
            return &b->results[i];
    return NULL;
}

void bench_print_facts(const bench *b, FILE *out)
{
    machine_print(&b->machine, OUTPUT_TABLE, out, 0);
    for (size_t i = 0; i < b->peer_count; i++)
        fprintf(out, "%-11s %s: %s (%s)\n", "peer", b->peers[i].label, b->peers[i].version,
                b->peers[i].path);
    fprintf(out,
            "%-11s %.3f GHz by chains of dependent adds; %.2f no-ops a cycle alone; reading the "
            "time: %.0f ns\n",
            "clock", b->core.hertz_sum / (double)b->core.probes * 1e-9, b->core.noops_alone,
            clock_overhead() * 1e9);
    fprintf(out, "%-11s %zu slices of %.3g ms in %.0f s", "run", b->core.slices,
            b->core.slice * 1e3, b->ended - b->started);
    if (b->core_number >= 0) fprintf(out, " on core %d", b->core_number);
    fprintf(out,
            "; %.1f %% with a neighbour on the core (left out but where ? stands), %.1f %% cut "
            "by the system (taken again)\n",
            100.0 * (double)b->core.shared / (double)(b->core.slices + 1),
            100.0 * (double)b->core.cut / (double)(b->core.slices + 1));
}

static table *row_table(const bench *b)
{
    table *t = table_new();
    static const char *const columns[] = {"work",
                                          "direction",
                                          "bytes",
                                          "ad_bytes",
                                          "nonce_bytes",
                                          "tag_bytes",
                                          "key",
                                          "source",
                                          "kernel",
                                          "default",
                                          "slices",
                                          "ops_per_s",
                                          "ops_per_s_error",
                                          "gb_per_s",
                                          "cycles_per_op",
                                          "cycles_per_op_low",
                                          "cycles_per_op_high",
                                          "cycles_per_op_p10",
                                          "cycles_per_op_p90",
                                          "cycles_per_byte",
                                          "ghz",
                                          "noops_per_cycle",
                                          "slices_shared",
                                          "slices_cut",
                                          "doubtful",
                                          "passes"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) table_column(t, columns[i], NULL);
    for (size_t i = 0; i < b->result_count; i++) {
        const result *r = &b->results[i];
        const work_info *w = &work_infos[r->task.work];
        const race_summary *s = &r->summary;
        table_row(t);
        table_text(t, w->name);
        table_text(t, w->kind == WORK_MAC ? "mac" : r->task.open ? "decrypt" : "encrypt");
        table_number(t, (double)r->task.len, 0);
        table_number(t, (double)r->task.ad_len, 0);
        table_number(t, (double)r->task.nonce_len, 0);
        table_number(t, (double)r->task.tag_len, 0);
        table_text(t, r->task.fresh ? "fresh" : "kept");
        table_text(t, r->candidate.source->name);
        table_text(t, r->candidate.name);
        table_flag(t, r->candidate.is_default);
        table_number(t, (double)s->count, 0);
        table_number(t, s->rate, 3);
        table_number(t, s->error, 3);
        table_number(t, bench_gb_per_s(r), 6);
        table_number(t, s->cycles, 3);
        table_number(t, s->cycles_low, 3);
        table_number(t, s->cycles_high, 3);
        table_number(t, s->p10, 3);
        table_number(t, s->p90, 3);
        table_number(t, bench_cycles_per_byte(r), 6);
        table_number(t, s->hertz * 1e-9, 6);
        table_number(t, s->noops, 3);
        table_number(t, (double)s->shared, 0);
        table_number(t, (double)s->cut, 0);
        table_flag(t, s->doubtful);
        if (r->passes != NULL) table_list(t, r->passes, r->pass_count, 3);
        else table_skip(t);
    }
    return t;
}

/* One object per result, as JMH writes them, so that its viewers can read them. */
static void print_jmh(const bench *b)
{
    printf("[");
    for (size_t i = 0; i < b->result_count; i++) {
        const result *r = &b->results[i];
        const race_summary *s = &r->summary;
        const work_info *w = &work_infos[r->task.work];
        printf("%s\n  {\n    \"jmhVersion\": \"1.37\",\n    \"benchmark\": \"", i != 0 ? "," : "");
        if (r->bench != NULL) printf("org.openjdk.bench.javax.crypto.%s", r->bench);
        else
            printf("plait.%s.%s", w->name,
                   w->kind == WORK_MAC ? "mac"
                   : r->task.open      ? "decrypt"
                                       : "encrypt");
        printf("\",\n    \"mode\": \"thrpt\", \"threads\": 1, \"forks\": 1,\n    \"jvm\": ");
        json_string(stdout, "none: plait");
        printf(", \"jvmArgs\": [], \"jdkVersion\": \"\", \"vmName\": ");
        json_string(stdout, b->machine.compiler);
        printf(", \"vmVersion\": ");
        json_string(stdout, b->machine.library);
        printf(
            ",\n    \"warmupIterations\": 1, \"warmupTime\": \"%g ms\", \"warmupBatchSize\": 1,\n"
            "    \"measurementIterations\": %zu, \"measurementTime\": \"%g ms\", "
            "\"measurementBatchSize\": 1,\n"
            "    \"params\": {\"dataSize\": \"%zu\", \"keyLength\": \"%zu\", \"key\": \"%s\", "
            "\"provider\": ",
            b->core.warm * 1e3, s->count, b->core.slice * 1e3, r->task.len, w->key_len * 8,
            r->task.fresh ? "fresh" : "kept");
        json_string(stdout, r->candidate.name);
        printf("},\n    \"primaryMetric\": {\n      \"score\": %.3f, \"scoreError\": %.3f,\n"
               "      \"scoreConfidence\": [%.3f, %.3f], \"scoreUnit\": \"ops/s\",\n      "
               "\"scorePercentiles\": {",
               s->rate, s->error, s->rate - s->error, s->rate + s->error);
        static const struct {
            const char *name;
            double q;
        } points[] = {{"0.0", 0},    {"50.0", .5},  {"90.0", .9},
                      {"95.0", .95}, {"99.0", .99}, {"100.0", 1}};
        double *sorted = cli_alloc((s->count + 1) * sizeof *sorted);
        memcpy(sorted, s->rates, s->count * sizeof *sorted);
        stats_sort(sorted, s->count);
        for (size_t k = 0; k < sizeof points / sizeof *points && s->count != 0; k++)
            printf("%s\"%s\": %.3f", k != 0 ? ", " : "", points[k].name,
                   stats_quantile(sorted, s->count, points[k].q));
        free(sorted);
        printf("},\n      \"rawData\": [[");
        for (size_t k = 0; k < s->count; k++) printf("%s%.3f", k != 0 ? ", " : "", s->rates[k]);
        printf("]]\n    },\n    \"secondaryMetrics\": {}\n  }");
    }
    printf("\n]\n");
}

void bench_jmh_columns(table *t)
{
    table_column(t, NULL, "Mode");
    table_column(t, NULL, "Cnt");
    table_column(t, NULL, "Score");
    table_column(t, NULL, "");
    table_column(t, NULL, "Error");
    table_column(t, NULL, "Units");
}

void bench_jmh_cells(table *t, const result *r)
{
    table_text(t, "thrpt");
    table_number(t, (double)r->summary.count, 0);
    table_number(t, r->summary.rate, 3);
    table_text(t, "\u00b1");
    table_number(t, r->summary.error, 3);
    table_text(t, r->summary.doubtful ? "ops/s ?" : "ops/s");
}

/* "full.CipherBench.ChaCha20.encrypt" is published as "ChaCha20.encrypt", that of small as
 * "small.ChaCha20...". */
static void record_name(const result *r, char *to, size_t size)
{
    const char *name = r->bench != NULL ? r->bench : "";
    const char *class = strstr(name, "Bench.");
    snprintf(to, size, "%s%s", strncmp(name, "small.", 6) == 0 ? "small." : "",
             class != NULL ? class + 6 : name);
}

static int record_wanted(const bench *b, const char *who)
{
    char name[96];
    for (size_t i = 0; i < b->result_count && b->record; i++) {
        record_name(&b->results[i], name, sizeof name);
        if (record_find(name, b->results[i].task.len, who) > 0) return 1;
    }
    return 0;
}

void bench_record_columns(const bench *b, table *t)
{
    if (!b->record) return;
    table_column(t, NULL, "GB/s");
    for (size_t i = 0; i < record_source_count; i++)
        if (record_wanted(b, record_sources[i].who)) {
            table_column(t, NULL, record_sources[i].who);
            table_column(t, NULL, "ratio");
        }
}

void bench_record_cells(const bench *b, table *t, const result *r)
{
    char name[96];
    if (!b->record) return;
    table_number(t, bench_gb_per_s(r), 3);
    record_name(r, name, sizeof name);
    for (size_t i = 0; i < record_source_count; i++) {
        if (!record_wanted(b, record_sources[i].who)) continue;
        const double published = record_find(name, r->task.len, record_sources[i].who);
        table_number(t, published > 0 ? published : NAN, 3);
        table_number(t, published > 0 ? bench_gb_per_s(r) / published : NAN, 2);
    }
}

void bench_record_legend(const bench *b)
{
    if (!b->record) return;
    printf("\nPublished figures in GB/s, from OpenJDK's changes, and the ratio of this line to "
           "them. They are of other\n"
           "machines, and of Java calls: allocation-free, but with parameter objects and provider "
           "look-ups inside an op.\n");
    for (size_t i = 0; i < record_source_count; i++)
        if (record_wanted(b, record_sources[i].who))
            printf("%-8s %s\n", record_sources[i].who, record_sources[i].what);
}

void bench_print_rows(const bench *b, const char *command, FILE *out)
{
    if (b->format == OUTPUT_JMH) {
        print_jmh(b);
        return;
    }
    table *t = row_table(b);
    if (b->format == OUTPUT_CSV) {
        table_print(t, OUTPUT_CSV, out, 0);
        table_free(t);
        return;
    }
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(out, "{\n  \"plait_bench\": 1,\n  \"command\": ");
    json_string(out, command);
    fprintf(out, ",\n  \"date\": \"%s\",\n  \"machine\": ", date);
    machine_print(&b->machine, OUTPUT_JSON, out, 2);
    fprintf(out,
            ",\n  \"run\": {\"seconds\": %.1f, \"slice_ms\": %g, \"core\": %d, \"ghz\": %.6f, "
            "\"noops_alone\": %.3f, "
            "\"slices\": %zu, \"slices_shared\": %zu, \"slices_cut\": %zu},\n  \"peers\": [",
            b->ended - b->started, b->core.slice * 1e3, b->core_number,
            b->core.hertz_sum / (double)b->core.probes * 1e-9, b->core.noops_alone, b->core.slices,
            b->core.shared, b->core.cut);
    for (size_t i = 0; i < b->peer_count; i++) {
        fprintf(out, "%s\n    {\"name\": ", i != 0 ? "," : "");
        json_string(out, b->peers[i].label);
        fprintf(out, ", \"version\": ");
        json_string(out, b->peers[i].version);
        fprintf(out, ", \"path\": ");
        json_string(out, b->peers[i].path);
        fprintf(out, "}");
    }
    fprintf(out, "%s],\n  \"results\": ", b->peer_count != 0 ? "\n  " : "");
    table_print(t, OUTPUT_JSON, out, 2);
    fprintf(out, "\n}\n");
    table_free(t);
}
