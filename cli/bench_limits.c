/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_limits.c - plait bench limits: what the core can execute, and how close the kernels come.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/limits.h"
#include "bench_run.h"
#include "cli.h"
#include "plait_hazmat.h"

/* The features that a kernel needs, by its name of len characters. */
static const char *needs_of(const char *name, size_t len)
{
    plait_kernel_info k;
    for (size_t i = 0; plait_kernel_at(i, &k) == PLAIT_OK; i++)
        if (strlen(k.name) == len && memcmp(k.name, name, len) == 0) return k.needs;
    return "";
}

static int has(const char *list, const char *word, size_t len)
{
    for (const char *p = list; *p != 0; p += strcspn(p, ",") + (p[strcspn(p, ",")] != 0))
        if (strcspn(p, ",") == len && memcmp(p, word, len) == 0) return 1;
    return 0;
}

/* A feature implies those that it builds on; of these the mixes ask for two. */
static int implied(const char *list, const char *word, size_t len)
{
    static const char *const implies[][2] = {
        {"avx512_ifma", "avx512"}, {"avx512_ifma", "avx2"}, {"avx512", "avx2"},
        {"avx512_vbmi", "avx512"}, {"vaes", "aes"},         {"vpclmul", "pclmul"},
        {"avx2", "ssse3"},         {"avx512", "ssse3"},     {"avx", "ssse3"},
        {"avx_ifma", "avx2"},      {"vaes", "avx2"}};
    if (has(list, word, len)) return 1;
    for (size_t i = 0; i < sizeof implies / sizeof *implies; i++)
        if (strlen(implies[i][1]) == len && memcmp(implies[i][1], word, len) == 0 &&
            has(list, implies[i][0], strlen(implies[i][0])))
            return 1;
    return 0;
}

/* The widest mix for this work that is made of what these features allow; NULL if there is none. */
static const limit_mix *mix_of(work_id work, const char *needs)
{
    for (size_t i = 0; i < limit_mix_count; i++) {
        const limit_mix *m = &limit_mixes[i];
        int all = m->work == work;
        for (const char *p = m->needs; all && *p != 0;
             p += strcspn(p, ",") + (p[strcspn(p, ",")] != 0))
            all = implied(needs, p, strcspn(p, ","));
        if (all) return m;
    }
    return NULL;
}

/* A construction of two parts does one after the other. */
double bench_limit_of(const result *r, const double *cycles, char *why, size_t size)
{
    static const struct {
        work_id whole, cipher, mac;
    } parts[] = {{WORK_CHACHA20_POLY1305, WORK_CHACHA20, WORK_POLY1305},
                 {WORK_AES_128_GCM, WORK_AES_128_CTR, WORK_AES_128_GMAC},
                 {WORK_AES_256_GCM, WORK_AES_256_CTR, WORK_AES_128_GMAC}};
    const char *name = r->candidate.name, *plus = strchr(name, '+');
    const limit_mix *mixes[2] = {NULL, NULL};
    if (plus == NULL) mixes[0] = mixes[1] = mix_of(r->task.work, needs_of(name, strlen(name)));
    else if (r->task.work == WORK_AES_128_GMAC) /* which does not use the cipher's speed */
        mixes[0] = mixes[1] = mix_of(r->task.work, needs_of(plus + 1, strlen(plus + 1)));
    else
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (parts[i].whole == r->task.work) {
                mixes[0] = mix_of(parts[i].cipher, needs_of(name, (size_t)(plus - name)));
                mixes[1] = mix_of(parts[i].mac, needs_of(plus + 1, strlen(plus + 1)));
            }
    why[0] = 0;
    if (mixes[0] == NULL || mixes[1] == NULL) return NAN;
    if (mixes[0] == mixes[1]) {
        snprintf(why, size, "%s", mixes[0]->name);
        return cycles[mixes[0] - limit_mixes];
    }
    snprintf(why, size, "%s; then %s", mixes[0]->name, mixes[1]->name);
    return cycles[mixes[0] - limit_mixes] + cycles[mixes[1] - limit_mixes];
}

double *bench_limit_cycles(void)
{
    double *cycles = cli_alloc(limit_mix_count * sizeof *cycles);
    for (size_t i = 0; i < limit_mix_count; i++)
        cycles[i] = limit_usable(limit_mixes[i].needs)
                        ? limit_cycles(limit_mixes[i].run) / limit_mixes[i].bytes
                        : NAN;
    return cycles;
}

int bench_limits(int argc, char **argv)
{
    static const work_id works[] = {WORK_CHACHA20,    WORK_POLY1305,     WORK_AES_128_CTR,
                                    WORK_AES_256_CTR, WORK_AES_128_GMAC, WORK_CHACHA20_POLY1305,
                                    WORK_AES_128_GCM, WORK_AES_256_GCM};
    static const char *const nobody[] = {NULL};
    const size_t n = sizeof works / sizeof *works;
    bench *b = cli_alloc(sizeof *b);
    int code;
    bench_defaults(b, 25);
    const option options[] = {
        {"time", OPTION_REAL, &b->seconds, "SECONDS", "for the kernels (25)"},
        {"all", OPTION_FLAG, &b->all, NULL,
         "every combination of parts, not only with the best partner"},
        {"cpu", OPTION_NUMBER, &b->cpu, "N", "pin to this core (where it happens to run)"},
        {"format", OPTION_FORMAT, &b->format, "FORMAT", "table, csv or json (csv: the kernels)"},
    };
    const option_set set = {"plait bench limits [OPTION]...",
                            "Measures what this core can execute, instructions alone and in the "
                            "mixes that kernels are made of, and how\n"
                            "close the kernels come to that with messages of 16 KiB. A mix has no "
                            "loads, stores, carries or waiting in it.",
                            options, sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    if (!bench_start(b, nobody)) return CLI_USAGE;

    table *t = table_new();
    table_column(t, "instruction", "instruction");
    table_column(t, "per_cycle", "a cycle");
    table_column(t, "latency", "latency");
    size_t usable = 0;
    for (size_t i = 0; i < limit_instruction_count; i++) {
        const limit_instruction *x = &limit_instructions[i];
        if (!limit_usable(x->needs)) continue;
        usable++;
        bench_progress(b, x->name, 0);
        table_row(t);
        table_text(t, x->name);
        table_number(t, x->throughput_count / limit_cycles(x->throughput), 2);
        table_number(t, limit_cycles(x->latency) / x->latency_count, 2);
    }
    if (usable == 0) {
        cli_error("limits", "not written for this architecture");
        return CLI_FAILED;
    }
    bench_progress(b, "mixes of instructions", 0);
    double *cycles = bench_limit_cycles();
    group *groups = cli_alloc(n * sizeof *groups);
    for (size_t w = 0; w < n; w++) {
        const task shape = task_plain(works[w], 0, 16384);
        candidate *who = cli_alloc(CANDIDATES_MAX * sizeof *who);
        groups[w].candidates = who;
        groups[w].candidate_count =
            bench_candidates(b, &shape, who, CANDIDATES_MAX, KERNELS_ALIKE, 0);
        groups[w].tasks[groups[w].task_count++] = shape;
    }
    const int good = bench_run(b, groups, n);
    if (b->result_count == 0) return CLI_FAILED;

    table *k = table_new();
    table_column(k, "work", "work");
    table_column(k, "kernel", "kernel");
    table_column(k, "cycles_per_byte", "c/B");
    table_column(k, "limit_cycles_per_byte", "limit");
    table_column(k, "part", "reached");
    table_column(k, "limit", "limit: a mix without dependencies");
    table_column(k, "doubtful", NULL);
    table_column(k, NULL, "");
    const work_info *last = NULL;
    for (size_t i = 0; i < b->result_count; i++) {
        const result *r = &b->results[i];
        const work_info *w = &work_infos[r->task.work];
        char why[128];
        const double limit = bench_limit_of(r, cycles, why, sizeof why),
                     own = bench_cycles_per_byte(r);
        if (last != NULL && last != w) table_gap(k);
        last = w;
        table_row(k);
        table_text(k, b->format == OUTPUT_TABLE ? w->title : w->name);
        table_text(k, r->candidate.name);
        if (r->candidate.is_default) table_bold(k);
        table_number(k, own, 3);
        table_number(k, limit, 3);
        table_number(k, limit / own, 2);
        table_text(k, why);
        table_flag(k, r->summary.doubtful);
        table_bar(k, isfinite(limit) ? limit / own : 0);
    }
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        printf("\n");
        table_print(t, OUTPUT_TABLE, stdout, 0);
        printf("\n");
        table_print(k, OUTPUT_TABLE, stdout, 0);
    } else if (b->format == OUTPUT_JSON) {
        printf("{\n  \"plait_limits\": 1,\n  \"machine\": ");
        machine_print(&b->machine, OUTPUT_JSON, stdout, 2);
        printf(",\n  \"instructions\": ");
        table_print(t, OUTPUT_JSON, stdout, 2);
        printf(",\n  \"kernels\": ");
        table_print(k, OUTPUT_JSON, stdout, 2);
        printf("\n}\n");
    } else table_print(k, OUTPUT_CSV, stdout, 0);
    table_free(t);
    table_free(k);
    return good ? CLI_OK : CLI_FAILED;
}
