/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_cipher.c - the ciphers as OpenJDK's CipherBench measures them: plait bench, plait bench
 * cipher.
 *
 * One op there: a key set up anew, one of two alternating nonces, the whole message in one call,
 * for open the tag checked; AES-GCM has 5 bytes of AD, a 16-byte nonce and a 12-byte tag. Beside it
 * stands what a program with a long-lived key sees: the key kept, a 12-byte nonce, a 16-byte tag,
 * no AD.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"
#include "cli.h"
#include "table.h"

task bench_founding_task(work_id work, int open, size_t len)
{
    task t = task_plain(work, open, len);
    t.fresh = 1;
    if (work == WORK_AES_128_GCM || work == WORK_AES_256_GCM) {
        t.ad_len = 5;
        t.nonce_len = 16;
        t.tag_len = 12;
    }
    return t;
}

/* Libraries that can not do the founding shape of GCM are still there with the plain one. */
static int has_kept_form(work_id work)
{
    return work_infos[work].kind == WORK_AEAD;
}

static void print_table(const bench *b)
{
    table *t = table_new();
    table_column(t, NULL, "cipher");
    table_column(t, NULL, "op");
    table_column(t, NULL, "bytes");
    table_column(t, NULL, "kernel");
    table_column(t, NULL, "ops/s");
    table_column(t, NULL, "+- 99.9 %");
    table_column(t, NULL, "GB/s");
    table_column(t, NULL, "c/B");
    table_column(t, NULL, "key kept: GB/s");
    table_column(t, NULL, "c/B");
    table_column(t, NULL, "");
    const task *last = NULL;
    for (size_t i = 0; i < b->result_count; i++) {
        const result *r = &b->results[i];
        const task plain = task_plain(r->task.work, r->task.open, r->task.len);
        const task founding = bench_founding_task(r->task.work, r->task.open, r->task.len);
        if (!r->task.fresh && bench_find(b, &founding, r->candidate.name) != NULL) continue;
        /* The best of a group, in both forms. */
        double best = 0, best_kept = 0;
        for (size_t k = 0; k < b->result_count; k++) {
            const task *o = &b->results[k].task;
            if (o->work != r->task.work || o->open != r->task.open || o->len != r->task.len)
                continue;
            double *to = o->fresh ? &best : &best_kept;
            const double rate = b->results[k].summary.rate;
            if (rate > *to) *to = rate;
        }
        if (last != NULL &&
            (last->work != r->task.work || last->open != r->task.open || last->len != r->task.len))
            table_gap(t);
        last = &r->task;
        table_row(t);
        table_text(t, work_infos[r->task.work].title);
        table_text(t, r->task.open ? "decrypt" : "encrypt");
        table_number(t, (double)r->task.len, 0);
        char name[128];
        snprintf(name, sizeof name, "%s%s%s", r->candidate.name,
                 r->candidate.is_default ? " *" : "", r->summary.doubtful ? " ?" : "");
        table_text(t, name);
        if (r->candidate.is_default) table_bold(t);
        if (r->task.fresh) {
            table_number(t, r->summary.rate, 0);
            if (r->summary.rate == best) table_bold(t);
            table_number(t, r->summary.error, 0);
            table_number(t, bench_gb_per_s(r), 3);
            if (r->summary.rate == best) table_bold(t);
            table_number(t, bench_cycles_per_byte(r), 2);
        } else
            for (int k = 0; k < 4; k++) table_skip(t);
        const result *kept =
            has_kept_form(r->task.work) ? bench_find(b, &plain, r->candidate.name) : NULL;
        if (kept != NULL) {
            table_number(t, bench_gb_per_s(kept), 3);
            if (kept->summary.rate == best_kept) table_bold(t);
            table_number(t, bench_cycles_per_byte(kept), 2);
        } else {
            table_skip(t);
            table_skip(t);
        }
        table_bar(t, r->task.fresh ? r->summary.rate / best : 0);
    }
    table_print(t, OUTPUT_TABLE, stdout, 0);
    table_free(t);
}

static void print_legend(const bench *b)
{
    double chacha20, gcm_key;
    bench_name_costs(&chacha20, &gcm_key);
    printf("\nAn op as in OpenJDK's CipherBench: key set up anew, one of two alternating nonces, "
           "the whole message,\n"
           "decrypt with the tag checked; AES-GCM with 5 bytes of AD, a 16-byte nonce, a 12-byte "
           "tag. ops/s: mean and\n"
           "99.9 %% interval. GB/s: 10^9 bytes of text. c/B: core cycles per byte, median.\n"
           "key kept: the same key for all messages, 12-byte nonce, 16-byte tag, no AD.\n"
           "* what Plait uses on this CPU, its own choice in each op. The other kernels are named "
           "in each op, which costs\n"
           "%.0f cycles (ChaCha20) and %.0f (an AES-GCM key) more%s.\n"
           "For one line per size with the fastest kernel: plait tune. "
           "Other libraries: plait bench peers.\n",
           chacha20, gcm_key,
           b->core.shared != 0 ? "; ? with a neighbour on the core all the time" : "");
}

int bench_main(int argc, char **argv)
{
    static const size_t default_sizes[] = {256, 1024, 4096, 16384};
    static const work_id works[] = {WORK_CHACHA20, WORK_CHACHA20_POLY1305, WORK_AES_128_GCM,
                                    WORK_AES_256_GCM};
    static const char *const wanted[] = {"openssl", NULL};
    bench *b = cli_alloc(sizeof *b);
    int code;
    bench_defaults(b, 52);
    option options[BENCH_OPTIONS + 1];
    const size_t count = bench_options(b, options);
    const option_set set = {
        "plait bench [BENCHMARK] [OPTION]...",
        "Measures this CPU's kernels, and OpenSSL if it is installed, in under a minute; every "
        "result is verified\n"
        "before it is timed. Ends with a table: ChaCha20, ChaCha20-Poly1305 and AES-GCM, encrypt "
        "and decrypt.\n\n"
        "benchmarks:\n"
        "  cipher     OpenJDK's CipherBench\n"
        "  poly1305   OpenJDK's Poly1305DigestBench\n"
        "  aesmain    OpenJDK's TestAESMain\n"
        "  peers      Plait against every other library that is installed\n"
        "  compare    is one thing slower than another? For changes, and for CI\n"
        "  save       keep the results in a file, for compare\n"
        "  limits     what the core can execute, and how close the kernels come\n"
        "  --model    the AArch64 kernels by llvm-mca: no such CPU is needed\n"
        "  promise    is that answer right on this machine?",
        options, count, 1};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    size_t sizes[BENCH_SIZES];
    const size_t size_count = bench_sizes(b, sizes, default_sizes, COUNT_OF(default_sizes));
    if (size_count == 0) return CLI_USAGE;
    if (!bench_start(b, wanted)) return CLI_USAGE;

    const size_t n = sizeof works / sizeof *works;
    group *groups = cli_alloc(2 * n * size_count * sizeof *groups);
    size_t at = 0;
    for (size_t w = 0; w < n; w++) {
        const task plain = task_plain(works[w], 0, 16);
        candidate *who = cli_alloc(CANDIDATES_MAX * sizeof *who);
        const size_t found = bench_candidates(b, &plain, who, CANDIDATES_MAX, KERNELS_USUAL, 1);
        for (int open = 0; open < 2; open++)
            for (size_t i = 0; i < size_count; i++) {
                group *g = &groups[at++];
                g->candidates = who;
                g->candidate_count = found;
                g->tasks[g->task_count++] = bench_founding_task(works[w], open, sizes[i]);
                if (has_kept_form(works[w]))
                    g->tasks[g->task_count++] = task_plain(works[w], open, sizes[i]);
            }
    }
    const int good = bench_run(b, groups, at);
    if (b->result_count == 0) return CLI_FAILED;
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        printf("\n");
        print_table(b);
        print_legend(b);
    } else bench_print_rows(b, "bench", stdout);
    return good ? CLI_OK : CLI_FAILED;
}

/* The classes of CipherBench. Their parameters are columns of its table. */
static const struct {
    work_id work;
    int small; /* there is a class of that name in the small set */
    const char *mode, *padding, *permutation;
} classes[] = {
    {WORK_CHACHA20, 0, "None", "NoPadding", "ChaCha20"},
    {WORK_CHACHA20_POLY1305, 1, "None", "NoPadding", "ChaCha20-Poly1305"},
    {WORK_AES_128_CTR, 0, "CTR", "NoPadding", "AES"},
    {WORK_AES_256_CTR, 0, "CTR", "NoPadding", "AES"},
    {WORK_AES_128_GCM, 1, "GCM", "NoPadding", "AES"},
    {WORK_AES_256_GCM, 1, "GCM", "NoPadding", "AES"},
};
#define CLASSES (sizeof classes / sizeof *classes)

static size_t class_of(work_id work)
{
    size_t i = 0;
    while (i + 1 < CLASSES && classes[i].work != work) i++;
    return i;
}

static int by_name(const void *a, const void *b)
{
    const result *x = *(const result *const *)a, *y = *(const result *const *)b;
    const int name = strcmp(x->bench, y->bench);
    if (name != 0) return name;
    if (x->task.len != y->task.len) return x->task.len < y->task.len ? -1 : 1;
    const size_t p = work_infos[x->task.work].key_len, q = work_infos[y->task.work].key_len;
    if (p != q) return p < q ? -1 : 1;
    return x < y ? -1 : 1; /* in the order of the candidates */
}

static void print_cipher(const bench *b)
{
    table *t = table_new();
    static const char *const titles[] = {"Benchmark", "(dataSize)",     "(keyLength)", "(mode)",
                                         "(padding)", "(permutation)", "(provider)"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) table_column(t, NULL, titles[i]);
    bench_jmh_columns(t);
    bench_record_columns(b, t);
    const result **order = cli_alloc(b->result_count * sizeof *order);
    for (size_t i = 0; i < b->result_count; i++) order[i] = &b->results[i];
    qsort(order, b->result_count, sizeof *order, by_name);
    for (size_t i = 0; i < b->result_count; i++) {
        const result *r = order[i];
        const size_t c = class_of(r->task.work);
        char name[128];
        snprintf(name, sizeof name, "o.o.b.j.c.%s", r->bench);
        table_row(t);
        table_text(t, name);
        table_number(t, (double)r->task.len, 0);
        table_number(t, (double)work_infos[r->task.work].key_len * 8, 0);
        table_text(t, classes[c].mode);
        table_text(t, classes[c].padding);
        table_text(t, classes[c].permutation);
        table_text(t, r->candidate.name);
        bench_jmh_cells(t, r);
        bench_record_cells(b, t, r);
    }
    table_print(t, OUTPUT_TABLE, stdout, 0);
    table_free(t);
    free(order);
}

int bench_cipher(int argc, char **argv)
{
    static const size_t default_sizes[] = {256, 1024, 4096, 16384};
    static const char *const wanted[] = {"openssl", NULL};
    bench *b = cli_alloc(sizeof *b);
    text_list works = {{NULL}, 0};
    long count = 40;
    int code, kernels = 0, only_small = 0;
    bench_defaults(b, 3600);
    b->slice_ms = 10;
    option options[BENCH_OPTIONS + 8];
    size_t n = bench_options(b, options);
    const option own[] = {
        {"work", OPTION_LIST, &works, "WORK",
         "chacha20, chacha20-poly1305, aes-128-ctr, aes-256-ctr, aes-128-gcm,\n"
         "aes-256-gcm (all)"},
        {"kernels", OPTION_FLAG, &kernels, NULL,
         "every usable kernel, not only what Plait uses here"},
        {"small", OPTION_FLAG, &only_small, NULL, "the small set alone: AEADs of 16384 bytes"},
        {"count", OPTION_NUMBER, &count, "N", "slices per line, Cnt in the table (40)"},
        {"record", OPTION_FLAG, &b->record, NULL,
         "print the published figures and the ratios to them"},
    };
    memcpy(options + n, own, sizeof own);
    n += sizeof own / sizeof *own;
    const option_set set = {"plait bench cipher [OPTION]...",
                            "OpenJDK's CipherBench, the full and the small set, with its "
                            "operations, parameters and columns; see\n"
                            "docs/BENCHMARKING.md for what an op contains. Takes two minutes; "
                            "--count and --slice change that.",
                            options, n, 1};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    size_t sizes[BENCH_SIZES];
    const size_t size_count = bench_sizes(b, sizes, default_sizes, COUNT_OF(default_sizes));
    if (size_count == 0) return CLI_USAGE;
    b->rounds = count > 1 ? (size_t)count : 2;
    if (!bench_start(b, wanted)) return CLI_USAGE;
    group *groups = cli_alloc(4 * CLASSES * 33 * sizeof *groups);
    size_t at = 0;
    for (size_t w = 0; w < works.count; w++) {
        const work_id work = work_named(works.items[w]);
        if (work == WORK_COUNT || classes[class_of(work)].work != work) {
            cli_error(works.items[w], "not a class of CipherBench");
            return CLI_USAGE;
        }
    }
    for (size_t c = 0; c < CLASSES; c++) {
        int asked = works.count == 0;
        for (size_t w = 0; w < works.count; w++)
            asked |= work_named(works.items[w]) == classes[c].work;
        if (!asked) continue;
        const task shape = bench_founding_task(classes[c].work, 0, 16);
        candidate *who = cli_alloc(CANDIDATES_MAX * sizeof *who);
        const size_t found = bench_candidates(b, &shape, who, CANDIDATES_MAX,
                                              kernels || b->all ? KERNELS_USUAL : KERNELS_NONE, 1);
        for (int small = 0; small < 2; small++) {
            if (small ? !classes[c].small : only_small) continue;
            for (int open = 0; open < 2; open++)
                for (size_t i = 0; i < (small ? 1 : size_count); i++) {
                    group *g = &groups[at++];
                    g->bench =
                        cli_format("%s.CipherBench.%s.%s", small ? "small" : "full",
                                   work_infos[classes[c].work].bench, open ? "decrypt" : "encrypt");
                    g->candidates = who;
                    g->candidate_count = found;
                    g->tasks[g->task_count++] =
                        bench_founding_task(classes[c].work, open, small ? 16384 : sizes[i]);
                }
        }
    }
    const int good = bench_run(b, groups, at);
    if (b->result_count == 0) return CLI_FAILED;
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        printf("\n");
        print_cipher(b);
        bench_record_legend(b);
    } else bench_print_rows(b, "bench cipher", stdout);
    return good ? CLI_OK : CLI_FAILED;
}
