/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_save.c - plait bench save FILE, and the comparison of two such files.
 *
 * Two runs at different times can not take turns, so what lies between them is part of the
 * difference. To know how large that part is, a run goes through all of its cells several times,
 * each time with its buffers and contexts at other places; the medians of these passes are what is
 * kept and compared.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"
#include "cli.h"
#include "json.h"

#define PASSES 12

int bench_save(int argc, char **argv)
{
    static const size_t default_sizes[] = {64, 256, 1350, 16384};
    static const work_id works[] = {WORK_CHACHA20, WORK_POLY1305, WORK_CHACHA20_POLY1305,
                                    WORK_AES_128_GCM, WORK_AES_256_GCM};
    static const char *const nobody[] = {NULL};
    bench *b = cli_alloc(sizeof *b);
    int code, kernels = 0;
    bench_defaults(b, 50);
    option options[BENCH_OPTIONS + 1];
    size_t n = bench_options(b, options);
    const option own = {"kernels", OPTION_FLAG, &kernels, NULL,
                        "every usable kernel, not only what Plait uses here"};
    options[n++] = own;
    const option_set set = {
        "plait bench save [OPTION]... FILE",
        "Measures Plait in twelve passes and keeps the results as JSON, with all that is known "
        "about the machine;\n"
        "plait bench compare FILE FILE compares two of them. Peers only if they are named.",
        options, n, 0};
    const char *path;
    const int operands = options_read(&set, argc, argv, &path, 1, &code);
    if (operands < 0) return code;
    if (operands != 1) {
        cli_error("save", "needs the name of a file; see plait bench save --help");
        return CLI_USAGE;
    }
    size_t sizes[BENCH_SIZES];
    const size_t size_count = bench_sizes(b, sizes, default_sizes, COUNT_OF(default_sizes));
    if (size_count == 0) return CLI_USAGE;
    if (!bench_writable(path) || !bench_start(b, nobody)) return CLI_USAGE;
    group groups[2 * sizeof works / sizeof *works * 32];
    size_t at = 0;
    memset(groups, 0, sizeof groups);
    for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
        const task shape = task_plain(works[w], 0, 16);
        candidate *who = cli_alloc(CANDIDATES_MAX * sizeof *who);
        const size_t found = bench_candidates(b, &shape, who, CANDIDATES_MAX,
                                              kernels || b->all ? KERNELS_USUAL : KERNELS_NONE, 1);
        for (int open = 0; open < (work_infos[works[w]].kind == WORK_AEAD ? 2 : 1); open++)
            for (size_t i = 0; i < size_count; i++) {
                group *g = &groups[at++];
                g->candidates = who;
                g->candidate_count = found;
                g->tasks[g->task_count++] = task_plain(works[w], open, sizes[i]);
            }
    }
    const double all = b->seconds, started = b->started;
    double *passes = NULL;
    size_t cells = 0;
    int good = 1;
    b->moving = 1;
    for (int pass = 0; pass < PASSES && good; pass++) {
        b->result_count = 0;
        b->seconds = clock_now() - started + (all - (clock_now() - started)) / (PASSES - pass);
        good = bench_run(b, groups, at);
        if (pass == 0) {
            cells = b->result_count;
            passes = cli_alloc((cells + 1) * PASSES * sizeof *passes);
        }
        for (size_t i = 0; i < cells && i < b->result_count; i++)
            passes[i * PASSES + (size_t)pass] = b->results[i].summary.cycles;
    }
    for (size_t i = 0; i < cells && i < b->result_count; i++) {
        b->results[i].passes = passes + i * PASSES;
        b->results[i].pass_count = PASSES;
    }
    if (!good) {
        cli_error(path, "nothing was saved");
        return CLI_FAILED;
    }
    /* Opened only now, so that an older file survives a run that is broken off. */
    FILE *out = fopen(path, "w");
    if (out != NULL) {
        b->format = OUTPUT_JSON;
        bench_print_rows(b, "bench save", out);
    }
    if (out == NULL || fclose(out) != 0) {
        cli_error(path, "could not be written: %s", strerror(errno));
        return CLI_FAILED;
    }
    return CLI_OK;
}

static json *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        cli_error(path, "%s", strerror(errno));
        return NULL;
    }
    size_t size = 0, room = 1 << 16;
    char *text = cli_alloc(room + 1);
    for (size_t got; (got = fread(text + size, 1, room - size, f)) != 0;) {
        size += got;
        if (size < room) continue;
        char *more = cli_alloc(2 * room + 1);
        memcpy(more, text, size);
        free(text);
        text = more;
        room *= 2;
    }
    fclose(f);
    text[size] = 0;
    int line;
    json *j = json_parse(text, &line);
    free(text);
    if (j == NULL) cli_error(path, "is not JSON: line %d", line);
    else if (json_number(j, "plait_bench", 0) != 1 || json_get(j, "results") == NULL) {
        cli_error(path, "was not made by plait bench save");
        json_free(j);
        j = NULL;
    }
    return j;
}

static const json *same_cell(const json *results, const json *r)
{
    static const char *const texts[] = {"work", "direction", "key", "source", "kernel"};
    static const char *const numbers[] = {"bytes", "ad_bytes", "nonce_bytes", "tag_bytes"};
    /* What Plait uses by default is compared with what it uses by default, whatever the kernel's
     * name. */
    const json *by_default = json_get(r, "default");
    const int is_default = by_default != NULL && by_default->kind == JSON_TRUE;
    for (const json *c = results->child; c != NULL; c = c->next) {
        int same = 1;
        for (size_t i = 0; i < (is_default ? 4 : 5); i++)
            same &= strcmp(json_text(c, texts[i], ""), json_text(r, texts[i], "")) == 0;
        for (size_t i = 0; i < 4; i++)
            same &= json_number(c, numbers[i], -1) == json_number(r, numbers[i], -1);
        const json *d = json_get(c, "default");
        same &= (d != NULL && d->kind == JSON_TRUE) == is_default;
        if (same) return c;
    }
    return NULL;
}

static size_t read_passes(const json *r, double *to, size_t max)
{
    const json *list = json_get(r, "passes");
    size_t n = 0;
    if (list == NULL || list->kind != JSON_ARRAY) return 0;
    for (const json *x = list->child; x != NULL && n < max; x = x->next)
        if (x->kind == JSON_NUMBER && x->number > 0) to[n++] = log(x->number);
    return n;
}

int bench_compare_files(const char *path_a, const char *path_b, double margin, int force,
                        int strict, output_format format)
{
    const char *paths[2] = {path_a, path_b};
    json *files[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        if ((files[i] = read_file(paths[i])) == NULL) return CLI_USAGE;
    /* What makes it another machine, and what is only worth knowing. */
    static const char *const facts[] = {"cpu",        "model",    "arch",    "microcode",
                                        "hypervisor", "governor", "system",  "compiler",
                                        "flags",      "plait",    "features"};
    const json *machines[2] = {json_get(files[0], "machine"), json_get(files[1], "machine")};
    int other_machine = 0;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *x = json_text(machines[0], facts[i], ""),
                   *y = json_text(machines[1], facts[i], "");
        if (strcmp(x, y) == 0) continue;
        if (i < 4) other_machine = 1;
        if (format == OUTPUT_TABLE || (i < 4 && !force))
            fprintf(i < 4 && !force ? stderr : stdout, "%-11s A: %s\n%-11s B: %s\n", facts[i], x,
                    "", y);
    }
    if (other_machine && !force) {
        cli_error("compare",
                  "the files are of different machines; --force compares them nevertheless");
        return CLI_USAGE;
    }
    table *t = table_new();
    table_column(t, "work", "work");
    table_column(t, "direction", "op");
    table_column(t, "bytes", "bytes");
    table_column(t, "a", "A");
    table_column(t, "b", "B");
    table_column(t, "a_cycles_per_op", "A c/op");
    table_column(t, "b_cycles_per_op", "B c/op");
    table_column(t, "change_percent", "change %");
    table_column(t, "low_percent", "from");
    table_column(t, "high_percent", "to");
    table_column(t, "answer", NULL);
    table_column(t, NULL, "B is");
    const json *a = json_get(files[0], "results"), *b = json_get(files[1], "results");
    size_t count = 0, missing = 0;
    int slower = 0, faster = 0, open_ends = 0;
    for (const json *r = b->child; r != NULL; r = r->next) count += same_cell(a, r) != NULL;
    for (const json *r = b->child; r != NULL; r = r->next) {
        const json *old = same_cell(a, r);
        double x[64], y[64];
        const size_t n = old != NULL ? read_passes(old, x, 64) : 0, m = read_passes(r, y, 64);
        if (n == 0 || m == 0) {
            missing++;
            continue;
        }
        const stats_shift s = stats_shift_of(x, n, y, m, 0.01 / (double)count);
        stats_sort(x, n);
        stats_sort(y, m);
        const double change = expm1(s.shift), low = expm1(s.low), high = expm1(s.high);
        const double bound = fabs(low) > fabs(high) ? fabs(low) : fabs(high);
        /* The order of the questions is that of judge.c. */
        const char *answer = bound <= margin / 100                        ? "same"
                             : low > 0 && change >= margin / 100          ? "slower"
                             : high < 0 && change <= -margin / 100        ? "faster"
                                                                          : "same";
        char text[64];
        if (strcmp(answer, "same") != 0)
            snprintf(text, sizeof text, "%s by %.2f %%", answer, 100 * fabs(change));
        else if (isinf(bound)) snprintf(text, sizeof text, "not known: too few passes");
        else snprintf(text, sizeof text, "no difference larger than %.2f %%", 100 * bound);
        slower += answer[0] == 's' && answer[1] == 'l';
        faster += answer[0] == 'f';
        open_ends += answer[1] == 'a' && answer[0] == 's' && bound > margin / 100;
        table_row(t);
        table_text(t, json_text(r, "work", ""));
        table_text(t, json_text(r, "direction", ""));
        table_number(t, json_number(r, "bytes", NAN), 0);
        table_text(t, json_text(old, "kernel", ""));
        table_text(t, json_text(r, "kernel", ""));
        table_number(t, exp(stats_quantile(x, n, 0.5)), 1);
        table_number(t, exp(stats_quantile(y, m, 0.5)), 1);
        table_number(t, 100 * change, 2);
        table_number(t, 100 * low, 2);
        table_number(t, 100 * high, 2);
        table_text(t, answer);
        table_text(t, text);
        if (answer[1] == 'l') table_bold(t);
    }
    if (format == OUTPUT_JSON) {
        printf("{\n  \"plait_compare\": 1,\n  \"a\": ");
        json_string(stdout, paths[0]);
        printf(",\n  \"b\": ");
        json_string(stdout, paths[1]);
        printf(",\n  \"different_machines\": %s,\n  \"results\": ",
               other_machine ? "true" : "false");
        table_print(t, format, stdout, 2);
        printf("\n}\n");
    } else table_print(t, format, stdout, 0);
    table_free(t);
    if (format == OUTPUT_TABLE) {
        printf(
            "\nB is slower in %d, faster in %d of %zu; the rest differ by no more than is said.\n",
            slower, faster, count);
        if (other_machine)
            printf("DIFFERENT MACHINES: cycles of one are not cycles of the other.\n");
    }
    if (missing != 0)
        cli_warn("compare", "%zu results of B have no counterpart in A, or no passes", missing);
    if (open_ends != 0)
        cli_warn("compare", "in %d of %zu, differences of %g %% can not be excluded", open_ends,
                 count, margin);
    json_free(files[0]);
    json_free(files[1]);
    if (count == 0) {
        cli_error("compare", "the files have nothing in common");
        return CLI_USAGE;
    }
    return slower != 0 || (strict && open_ends != 0) ? CLI_FAILED : CLI_OK;
}
