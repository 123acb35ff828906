/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_poly1305.c - OpenJDK's Poly1305DigestBench: plait bench poly1305.
 *
 * updateBytes: one update of one and the same array, without init or final, so the block loop on
 * warm data. digestBytes: init, update, final, going through 128 arrays, each of which starts with
 * its own key. digestBuffer: there through a wrapped buffer; here, where a pointer is a pointer,
 * the one-shot call.
 */
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"
#include "cli.h"

#define ARRAYS 128

static const struct {
    const char *name;
    work_id work;
    size_t arrays;
} methods[] = {
    {"digestBuffer", WORK_POLY1305, ARRAYS},
    {"digestBytes", WORK_POLY1305_STREAM, ARRAYS},
    {"updateBytes", WORK_POLY1305_UPDATE, 0},
};

int bench_poly1305(int argc, char **argv)
{
    static const size_t default_sizes[] = {64, 256, 1024, 16384, 1048576};
    static const char *const wanted[] = {"openssl", NULL};
    bench *b = cli_alloc(sizeof *b);
    long count = 30;
    int code, kernels = 0;
    bench_defaults(b, 3600);
    b->slice_ms = 10;
    option options[BENCH_OPTIONS + 4];
    size_t n = bench_options(b, options);
    const option own[] = {
        {"kernels", OPTION_FLAG, &kernels, NULL,
         "every usable kernel, not only what Plait uses here"},
        {"count", OPTION_NUMBER, &count, "N", "slices per line, Cnt in the table (30)"},
        {"record", OPTION_FLAG, &b->record, NULL,
         "print the published figures and the ratios to them"},
    };
    memcpy(options + n, own, sizeof own);
    n += sizeof own / sizeof *own;
    const option_set set = {"plait bench poly1305 [OPTION]...",
                            "OpenJDK's Poly1305DigestBench with its methods, sizes and columns; "
                            "see docs/BENCHMARKING.md.",
                            options, n, 1};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    size_t sizes[BENCH_SIZES];
    const size_t size_count = bench_sizes(b, sizes, default_sizes, COUNT_OF(default_sizes));
    if (size_count == 0) return CLI_USAGE;
    b->rounds = count > 1 ? (size_t)count : 2;
    if (!bench_start(b, wanted)) return CLI_USAGE;
    group groups[3 * 32];
    size_t at = 0;
    memset(groups, 0, sizeof groups);
    for (size_t m = 0; m < 3; m++) {
        const task shape = task_plain(methods[m].work, 0, 16);
        candidate *who = cli_alloc(CANDIDATES_MAX * sizeof *who);
        const size_t found = bench_candidates(b, &shape, who, CANDIDATES_MAX,
                                              kernels || b->all ? KERNELS_USUAL : KERNELS_NONE, 1);
        for (size_t i = 0; i < size_count; i++) {
            group *g = &groups[at++];
            g->bench = cli_format("full.Poly1305DigestBench.%s", methods[m].name);
            g->candidates = who;
            g->candidate_count = found;
            g->messages = methods[m].arrays;
            g->tasks[g->task_count++] = task_plain(methods[m].work, 0, sizes[i]);
        }
    }
    const int good = bench_run(b, groups, at);
    if (b->result_count == 0) return CLI_FAILED;
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        printf("\n");
        table *t = table_new();
        table_column(t, NULL, "Benchmark");
        table_column(t, NULL, "(dataSize)");
        table_column(t, NULL, "(provider)");
        bench_jmh_columns(t);
        bench_record_columns(b, t);
        for (size_t i = 0; i < b->result_count; i++) {
            const result *r = &b->results[i];
            table_row(t);
            table_text(t, strchr(r->bench, '.') + 1);
            table_number(t, (double)r->task.len, 0);
            table_text(t, r->candidate.name);
            bench_jmh_cells(t, r);
            bench_record_cells(b, t, r);
        }
        table_print(t, OUTPUT_TABLE, stdout, 0);
        table_free(t);
        bench_record_legend(b);
    } else bench_print_rows(b, "bench poly1305", stdout);
    return good ? CLI_OK : CLI_FAILED;
}
