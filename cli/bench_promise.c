/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_promise.c - plait bench promise: does `compare` find what is there, and only that, on this
 * machine?
 *
 * Compares Plait's kernels with themselves, and with themselves made slower by a known part (that
 * part of the work is done again), while the other cores are kept busy, and counts.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/duel.h"
#include "bench_run.h"
#include "cli.h"
#include "table.h"

static const struct {
    work_id work;
    int open;
    size_t len;
} tasks[] = {
    {WORK_CHACHA20, 0, 1350},          {WORK_POLY1305, 0, 256},    {WORK_CHACHA20_POLY1305, 0, 64},
    {WORK_CHACHA20_POLY1305, 1, 4096}, {WORK_AES_128_GCM, 0, 256}, {WORK_AES_128_GCM, 1, 16384},
    {WORK_AES_256_GCM, 0, 1350},       {WORK_CHACHA20, 0, 16384},
};
#define TASKS (sizeof tasks / sizeof *tasks)

/* Keeps one core busy with the same kind of work, until it is killed. */
static pid_t keep_busy(int core)
{
    const pid_t pid = fork();
    if (pid != 0) return pid;
    signal(SIGTERM, SIG_DFL);
    clock_pin(core);
    const pid_t parent = getppid();
    const candidate reference = bench_reference(WORK_AES_128_GCM);
    candidate self = reference;
    self.kernel = NULL;
    const task t = task_plain(WORK_AES_128_GCM, 0, 65536);
    workset set;
    worker w;
    if (!workset_make(&set, &t, &reference, 0) || !worker_start(&w, &self, &t, set.key)) _exit(1);
    while (getppid() == parent) worker_run(&w, set.messages, WORK_NONCES, 100);
    _exit(0);
}

#define WIDTHS 4096 /* of intervals; of more runs, the first */
typedef struct tally {
    int runs, slower, faster, same, open_ends, doubtful, covered;
    double seconds, longest;
    double widths[WIDTHS];
    char odd[2048]; /* lines about runs whose interval misses the truth */
} tally;

static void run(bench *b, const duel_options *o, int runs, const char *what, int done, int all,
                tally *sum)
{
    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < runs; i++) {
        const size_t k = (size_t)i % TASKS;
        const task t = task_plain(tasks[k].work, tasks[k].open, tasks[k].len);
        const candidate reference = bench_reference(t.work);
        candidate self = reference;
        self.kernel = NULL;
        snprintf(self.name, sizeof self.name, "plait");
        const candidate pair[2] = {self, self};
        duel_result r;
        bench_progress(b, what, (double)(done + i) / (double)all);
        duel_run(&b->core, pair, &reference, &t, o, &r);
        if (r.wrong != NULL) {
            cli_error("plait", "%s %zu bytes: %s", work_infos[t.work].name, t.len, r.wrong);
            continue;
        }
        sum->runs++;
        sum->slower += r.view.answer == JUDGE_SLOWER;
        sum->faster += r.view.answer == JUDGE_FASTER;
        sum->same += r.view.answer == JUDGE_SAME;
        sum->open_ends += r.view.answer == JUDGE_SAME && r.view.bound > o->margin;
        sum->doubtful += r.doubtful;
        sum->covered += r.view.low <= (o->slow > 0 ? o->slow : 0) && r.view.high >= o->slow;
        if (r.view.low > o->slow || r.view.high < o->slow) {
            char line[160];
            snprintf(
                line, sizeof line,
                "run %d, %s %zu bytes: %.3f %% (%.3f to %.3f), %zu pairs, %zu left out, %.2f s\n",
                i, work_infos[t.work].name, t.len, 100 * r.view.change, 100 * r.view.low,
                100 * r.view.high, r.pairs, r.shared, r.seconds);
            strncat(sum->odd, line, sizeof sum->odd - strlen(sum->odd) - 1);
        }
        sum->seconds += r.seconds;
        if (r.seconds > sum->longest) sum->longest = r.seconds;
        if (i < WIDTHS) sum->widths[i] = 0.5 * (r.view.high - r.view.low);
    }
}

int bench_promise(int argc, char **argv)
{
    bench *b = cli_alloc(sizeof *b);
    bench_defaults(b, 3600);
    b->slice_ms = 0.5;
    long runs = 100, self_runs = 200;
    double slow = 3, each = 5, margin = 0;
    int code, idle = 0;
    const option options[] = {
        {"runs", OPTION_NUMBER, &runs, "N", "comparisons with the slowed kernel (100)"},
        {"self-runs", OPTION_NUMBER, &self_runs, "N", "comparisons of a kernel with itself (200)"},
        {"slow", OPTION_REAL, &slow, "PERCENT", "the slow-down (3)"},
        {"margin", OPTION_REAL, &margin, "PERCENT", "as of compare (a third of the slow-down)"},
        {"time", OPTION_REAL, &each, "SECONDS", "for each comparison, at most (5)"},
        {"slice", OPTION_REAL, &b->slice_ms, "MS", "length of a slice in milliseconds (0.5)"},
        {"idle", OPTION_FLAG, &idle, NULL, "leave the other cores alone (they are kept busy)"},
        {"cpu", OPTION_NUMBER, &b->cpu, "N", "pin to this core (where it happens to run)"},
        {"seed", OPTION_NUMBER, &b->seed, "N", "for the random orders (the time)"},
        {"format", OPTION_FORMAT, &b->format, "FORMAT", "table, csv or json"},
    };
    const option_set set = {"plait bench promise [OPTION]...",
                            "Puts plait bench compare itself to the test on this machine: kernels "
                            "against themselves, and against\n"
                            "themselves with a known slow-down built in. Takes some minutes. Exit "
                            "code 1: fewer than 95 of 100\n"
                            "slow-downs were found, or more than 1 in 100 comparisons of a kernel "
                            "with itself gave an alarm.",
                            options, sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    if (margin <= 0) margin = slow / 3;
    b->seconds = each * (double)(runs + self_runs);
    if (!bench_start(b, NULL)) return CLI_USAGE;
    pid_t busy[64];
    int busy_count = 0;
    if (!idle && b->core_number >= 0)
        for (int i = 0; i < b->machine.cores && busy_count < 64; i++)
            if (i != b->core_number && (busy[busy_count] = keep_busy(i)) > 0) busy_count++;
    tally *found = cli_alloc(2 * sizeof *found), *self = found + 1;
    duel_options o = {each, 0.001, margin / 100, slow / 100};
    run(b, &o, (int)runs, "with a slow-down", 0, (int)(runs + self_runs), found);
    o.slow = 0;
    run(b, &o, (int)self_runs, "with itself", (int)runs, (int)(runs + self_runs), self);
    for (int i = 0; i < busy_count; i++) {
        kill(busy[i], SIGTERM);
        waitpid(busy[i], NULL, 0);
    }
    bench_progress(b, NULL, 1);
    b->ended = clock_now();

    table *t = table_new();
    table_column(t, "comparison", "comparison");
    table_column(t, "runs", "runs");
    table_column(t, "slower", "slower");
    table_column(t, "faster", "faster");
    table_column(t, "same", "same");
    table_column(t, "open", "of these open");
    table_column(t, "covered", "interval right");
    table_column(t, "half_width_percent", "half-width %");
    table_column(t, "seconds", "s each");
    table_column(t, "longest", "longest");
    table_column(t, "doubtful", "neighbour");
    for (int i = 0; i < 2; i++) {
        tally *x = i == 0 ? found : self;
        char name[64];
        snprintf(name, sizeof name, i == 0 ? "itself, %g %% slower" : "itself", slow);
        const size_t widths = (size_t)(x->runs < WIDTHS ? x->runs : WIDTHS);
        stats_sort(x->widths, widths);
        table_row(t);
        table_text(t, name);
        table_number(t, x->runs, 0);
        table_number(t, x->slower, 0);
        table_number(t, x->faster, 0);
        table_number(t, x->same, 0);
        table_number(t, x->open_ends, 0);
        table_number(t, x->covered, 0);
        table_number(t, x->runs != 0 ? 100 * stats_quantile(x->widths, widths, 0.5) : NAN, 3);
        table_number(t, x->runs != 0 ? x->seconds / x->runs : NAN, 2);
        table_number(t, x->longest, 2);
        table_number(t, x->doubtful, 0);
    }
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        printf("%-11s %d other cores\n\n", "kept busy", busy_count);
    }
    table_print(t, b->format, stdout, 0);
    if (b->format == OUTPUT_JSON) printf("\n");
    table_free(t);
    if (b->format == OUTPUT_TABLE && (found->odd[0] | self->odd[0]) != 0)
        printf("\nIntervals that miss the truth:\n%s%s", found->odd, self->odd);
    const int kept = found->slower * 100 >= 95 * found->runs && found->runs == runs &&
                     self->runs == self_runs && (self->slower + self->faster) * 100 <= self->runs;
    if (b->format == OUTPUT_TABLE)
        printf("\n%s\n", kept ? "The promise is kept." : "THE PROMISE IS BROKEN.");
    return kept ? CLI_OK : CLI_FAILED;
}
