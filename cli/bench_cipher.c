/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_cipher.c - the ciphers as OpenJDK's CipherBench measures them: plait bench, plait bench cipher.
 *
 * One op there: a key set up anew, one of two alternating nonces, the whole message in one call, for open the
 * tag checked; AES-GCM has 5 bytes of AD, a 16-byte nonce and a 12-byte tag. Beside it stands what a program
 * with a long-lived key sees: the key kept, a 12-byte nonce, a 16-byte tag, no AD.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"
#include "cli.h"
#include "table.h"

static task founding(work_id work, int open, size_t len)
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
        if (!r->task.fresh) continue;
        /* The best of a group, in both forms. */
        double best = 0, best_kept = 0;
        for (size_t k = 0; k < b->result_count; k++) {
            const task *o = &b->results[k].task;
            if (o->work != r->task.work || o->open != r->task.open || o->len != r->task.len) continue;
            double *to = o->fresh ? &best : &best_kept;
            const double rate = b->results[k].summary.rate;
            if (rate > *to) *to = rate;
        }
        if (last != NULL && (last->work != r->task.work || last->open != r->task.open || last->len != r->task.len))
            table_gap(t);
        last = &r->task;
        table_row(t);
        table_text(t, work_infos[r->task.work].title);
        table_text(t, r->task.open ? "decrypt" : "encrypt");
        table_number(t, (double)r->task.len, 0);
        char name[128];
        snprintf(name, sizeof name, "%s%s%s", r->candidate.name, r->candidate.is_default ? " *" : "",
                 r->summary.doubtful ? " ?" : "");
        table_text(t, name);
        if (r->candidate.is_default) table_bold(t);
        table_number(t, r->summary.rate, 0);
        if (r->summary.rate == best) table_bold(t);
        table_number(t, r->summary.error, 0);
        table_number(t, bench_gb_per_s(r), 3);
        if (r->summary.rate == best) table_bold(t);
        table_number(t, bench_cycles_per_byte(r), 2);
        const task plain = task_plain(r->task.work, r->task.open, r->task.len);
        const result *kept = has_kept_form(r->task.work) ? bench_find(b, &plain, r->candidate.name) : NULL;
        if (kept != NULL) {
            table_number(t, bench_gb_per_s(kept), 3);
            if (kept->summary.rate == best_kept) table_bold(t);
            table_number(t, bench_cycles_per_byte(kept), 2);
        } else {
            table_skip(t);
            table_skip(t);
        }
        table_bar(t, r->summary.rate / best);
    }
    table_print(t, OUTPUT_TABLE, stdout, 0);
    table_free(t);
}

static void print_legend(const bench *b)
{
    printf("\nAn op as in OpenJDK's CipherBench: key set up anew, one of two alternating nonces, the whole message,\n"
           "decrypt with the tag checked; AES-GCM with 5 bytes of AD, a 16-byte nonce, a 12-byte tag. ops/s: mean and\n"
           "99.9 %% interval. GB/s: 10^9 bytes of text. c/B: core cycles per byte, median.\n"
           "key kept: the same key for all messages, 12-byte nonce, 16-byte tag, no AD.\n"
           "* what Plait uses on this CPU%s\n",
           b->core.noops_alone > 0 ? "; ? measured with a neighbour on the core" : "");
}

int bench_main(int argc, char **argv)
{
    static const size_t default_sizes[] = {256, 1024, 4096, 16384};
    static const work_id works[] = {WORK_CHACHA20, WORK_CHACHA20_POLY1305, WORK_AES_128_GCM, WORK_AES_256_GCM};
    static const char *const wanted[] = {"openssl", NULL};
    bench *b = cli_alloc(sizeof *b);
    int code;
    bench_defaults(b, 52);
    option options[BENCH_OPTIONS + 1];
    const size_t count = bench_options(b, options);
    const option_set set = {
        "plait bench [BENCHMARK] [OPTION]...",
        "Measures this CPU's kernels, and OpenSSL if it is installed, in under a minute; every result is verified\n"
        "before it is timed. Ends with a table: ChaCha20, ChaCha20-Poly1305 and AES-GCM, encrypt and decrypt.\n\n"
        "benchmarks:\n"
        "  cipher     the same, for other ciphers and sizes, beside the published figures",
        options, count, 1};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    size_t sizes[32] = {0}, size_count = options_numbers("size", &b->size_texts, sizes, 32, &code);
    if (code != CLI_OK) return code;
    if (size_count == 0) {
        memcpy(sizes, default_sizes, sizeof default_sizes);
        size_count = 4;
    }
    if (!bench_start(b, wanted)) return CLI_USAGE;

    const size_t n = sizeof works / sizeof *works;
    group *groups = cli_alloc(2 * n * size_count * sizeof *groups);
    size_t at = 0;
    for (size_t w = 0; w < n; w++) {
        const task plain = task_plain(works[w], 0, 16);
        candidate *who = cli_alloc(CANDIDATES_MAX * sizeof *who);
        const size_t found = bench_candidates(b, &plain, who, CANDIDATES_MAX, 1, 1);
        for (int open = 0; open < 2; open++)
            for (size_t i = 0; i < size_count; i++) {
                group *g = &groups[at++];
                g->candidates = who;
                g->candidate_count = found;
                g->tasks[g->task_count++] = founding(works[w], open, sizes[i]);
                if (has_kept_form(works[w])) g->tasks[g->task_count++] = task_plain(works[w], open, sizes[i]);
            }
    }
    const int good = bench_run(b, groups, at);
    if (b->result_count == 0) return CLI_FAILED;
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        printf("\n");
        print_table(b);
        print_legend(b);
    } else bench_print_rows(b, "bench");
    return good ? CLI_OK : CLI_FAILED;
}

int bench_cipher(int argc, char **argv)
{
    return bench_main(argc, argv);
}
