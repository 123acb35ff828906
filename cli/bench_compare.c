/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_compare.c - plait bench compare: is the second slower than the first?
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/duel.h"
#include "bench_run.h"
#include "cli.h"
#include "table.h"

typedef struct cell {
    task task;
    duel_result result;
} cell;

static const char *answer_word(const judge_view *v)
{
    return v->answer == JUDGE_SLOWER ? "slower" : v->answer == JUDGE_FASTER ? "faster" : "same";
}

/* "B is slower than A by 3.1 % (2.9 to 3.3)", in a table's cell. */
static void answer_text(const judge_view *v, char *to, size_t size)
{
    if (v->answer == JUDGE_SLOWER || v->answer == JUDGE_FASTER)
        snprintf(to, size, "%s by %.2f %%", answer_word(v), 100 * fabs(v->change));
    else if (isinf(v->bound)) snprintf(to, size, "not known: too few epochs");
    else snprintf(to, size, "no difference larger than %.2f %%", 100 * v->bound);
}

static void print_cells(const bench *b, const candidate pair[2], const cell *cells, size_t count)
{
    const int people = b->format == OUTPUT_TABLE;
    table *t = table_new();
    table_column(t, "work", "work");
    table_column(t, "direction", "op");
    table_column(t, "bytes", "bytes");
    table_column(t, "a", NULL);
    table_column(t, "b", NULL);
    table_column(t, "a_cycles_per_op", "A c/op");
    table_column(t, "b_cycles_per_op", "B c/op");
    table_column(t, "change_percent", "change %");
    table_column(t, "low_percent", "from");
    table_column(t, "high_percent", "to");
    table_column(t, "answer", NULL);
    table_column(t, NULL, "B is");
    table_column(t, "pairs", "pairs");
    table_column(t, "epochs", NULL);
    table_column(t, "pairs_shared", "left out");
    table_column(t, "slices_cut", NULL);
    table_column(t, "noise_percent", NULL);
    table_column(t, "seconds", "s");
    table_column(t, "doubtful", NULL);
    for (size_t i = 0; i < count; i++) {
        const duel_result *r = &cells[i].result;
        const judge_view *v = &r->view;
        const work_info *w = &work_infos[cells[i].task.work];
        char text[64];
        answer_text(v, text, sizeof text);
        if (r->doubtful) strcat(text, " ?");
        table_row(t);
        table_text(t, people ? w->title : w->name);
        table_text(t, w->kind == WORK_MAC ? "mac" : cells[i].task.open ? "decrypt" : "encrypt");
        table_number(t, (double)cells[i].task.len, 0);
        table_text(t, pair[0].name);
        table_text(t, pair[1].name);
        table_number(t, r->cycles[0], 1);
        table_number(t, r->cycles[1], 1);
        table_number(t, 100 * v->change, people ? 2 : 4);
        table_number(t, 100 * v->low, people ? 2 : 4);
        table_number(t, 100 * v->high, people ? 2 : 4);
        table_text(t, answer_word(v));
        table_text(t, text);
        if (v->answer == JUDGE_SLOWER) table_bold(t);
        table_number(t, (double)r->pairs, 0);
        table_number(t, (double)r->epochs, 0);
        table_number(t, (double)r->shared, 0);
        table_number(t, (double)r->cut, 0);
        table_number(t, 100 * r->noise, 4);
        table_number(t, r->seconds, 2);
        table_flag(t, r->doubtful);
    }
    if (b->format == OUTPUT_JSON || b->format == OUTPUT_JMH) {
        printf("{\n  \"plait_compare\": 1,\n  \"a\": ");
        json_string(stdout, pair[0].name);
        printf(",\n  \"b\": ");
        json_string(stdout, pair[1].name);
        printf(",\n  \"machine\": ");
        machine_print(&b->machine, OUTPUT_JSON, stdout, 2);
        printf(",\n  \"results\": ");
        table_print(t, OUTPUT_JSON, stdout, 2);
        printf("\n}\n");
    } else table_print(t, b->format, stdout, 0);
    table_free(t);
}

/* Kernels and peers have no such names. */
static int is_file(const char *name)
{
    if (strchr(name, '=') != NULL) return 0;
    FILE *f = fopen(name, "rb");
    if (f != NULL) fclose(f);
    return f != NULL || strchr(name, '/') != NULL;
}

int bench_compare(int argc, char **argv)
{
    static const work_id everything[] = {WORK_CHACHA20, WORK_POLY1305, WORK_CHACHA20_POLY1305,
                                         WORK_AES_128_GCM, WORK_AES_256_GCM};
    static const size_t default_sizes[] = {64, 256, 1350, 16384};
    bench *b = cli_alloc(sizeof *b);
    bench_defaults(b, 60);
    b->slice_ms = 0.5;
    double margin = 1, slow = 0;
    int code, strict = 0, force = 0;
    const char *direction = NULL;
    text_list libraries = {{NULL}, 0}, works = {{NULL}, 0};
    const option options[] = {
        {"lib", OPTION_LIST, &libraries, "PATH",
         "a build of Plait's shared library; given twice: old, then new"},
        {"work", OPTION_LIST, &works, "WORK",
         "chacha20, poly1305, chacha20-poly1305, aes-128-gcm, ...; by default\n"
         "what the kernels are for"},
        {"direction", OPTION_TEXT, &direction, "WORD", "encrypt or decrypt (both)"},
        {"size", OPTION_LIST, &b->size_texts, "BYTES", "message sizes (64,256,1350,16k)"},
        {"margin", OPTION_REAL, &margin, "PERCENT", "differences up to this one do not matter (1)"},
        {"strict", OPTION_FLAG, &strict, NULL,
         "exit code 1 also if time ran out before the margin was reached"},
        {"force", OPTION_FLAG, &force, NULL, "compare files of different machines"},
        {"time", OPTION_REAL, &b->seconds, "SECONDS", "at most, for all sizes together (60)"},
        {"slice", OPTION_REAL, &b->slice_ms, "MS", "length of a slice in milliseconds (0.5)"},
        {"cpu", OPTION_NUMBER, &b->cpu, "N", "pin to this core (where it happens to run)"},
        {"seed", OPTION_NUMBER, &b->seed, "N", "for the random orders (the time)"},
        {"test-slow", OPTION_REAL, &slow, "PERCENT", NULL},
        {"format", OPTION_FORMAT, &b->format, "FORMAT", "table, csv or json"},
    };
    const option_set set = {
        "plait bench compare [OPTION]... A B",
        "Is B slower than A? A and B: kernels (chacha20_avx2), pairs of them "
        "(chacha20_avx2+poly1305_ref), plait (its\n"
        "choice for this CPU), peers (openssl, or openssl=/path/libcrypto.so.3), or builds of "
        "Plait\n"
        "(libplait:old=/path/libplait.so.0, or twice --lib), or two files of plait bench save. "
        "Answers for each size: slower or faster, with the size\n"
        "of the difference and its 99.9 % interval, or no difference larger than the margin. Stops "
        "when it knows.\n"
        "Exit code 1: B is slower somewhere, or gave a wrong result.",
        options, sizeof options / sizeof *options, 0};
    const char *names[2];
    int named = options_read(&set, argc, argv, names, 2, &code);
    if (named < 0) return code;
    for (size_t i = 0; i < libraries.count; i++) {
        if (named == 2) {
            cli_error(libraries.items[i], "one operand too many: two are compared");
            return CLI_USAGE;
        }
        names[named++] = cli_format("libplait:%s=%s",
                                    libraries.count < 2 ? "lib"
                                    : i == 0            ? "old"
                                                        : "new",
                                    libraries.items[i]);
    }
    if (named != 2) {
        cli_error("compare", "needs two operands; see plait bench compare --help");
        return CLI_USAGE;
    }
    if (direction != NULL && strcmp(direction, "encrypt") != 0 &&
        strcmp(direction, "decrypt") != 0) {
        cli_error(direction, "--direction needs encrypt or decrypt");
        return CLI_USAGE;
    }
    size_t sizes[BENCH_SIZES];
    const size_t size_count = bench_sizes(b, sizes, default_sizes, COUNT_OF(default_sizes));
    if (size_count == 0) return CLI_USAGE;
    if (is_file(names[0]) && is_file(names[1]))
        return bench_compare_files(names[0], names[1], margin, force, strict, b->format);
    candidate pair[2];
    for (int i = 0; i < 2; i++)
        if (!bench_named(b, names[i], &pair[i])) return CLI_USAGE;

    work_id list[WORK_COUNT];
    size_t work_count = works.count;
    if (!bench_works(&works, list)) return CLI_USAGE;
    if (work_count == 0) {
        work_id of = bench_work_of(&pair[0]);
        if (of == WORK_COUNT) of = bench_work_of(&pair[1]);
        if (of != WORK_COUNT) list[work_count++] = of;
        else
            for (size_t i = 0; i < sizeof everything / sizeof *everything; i++)
                list[work_count++] = everything[i];
    }
    static const uint8_t key[32] = {1};
    cell *cells = cli_alloc(2 * WORK_COUNT * 32 * sizeof *cells);
    size_t count = 0;
    for (size_t w = 0; w < work_count; w++)
        for (int open = 0; open < 2; open++) {
            if (open && work_infos[list[w]].kind != WORK_AEAD)
                continue; /* the same code as encrypt */
            if (direction != NULL && open != (direction[0] == 'd') &&
                work_infos[list[w]].kind == WORK_AEAD)
                continue;
            for (size_t i = 0; i < size_count; i++) {
                const task t = task_plain(list[w], open, sizes[i]);
                int can = 1;
                for (int k = 0; k < 2; k++) {
                    worker worker;
                    if (worker_start(&worker, &pair[k], &t, key)) worker_end(&worker);
                    else if (works.count != 0 || bench_work_of(&pair[k]) != WORK_COUNT) {
                        cli_error(pair[k].name, "can not do %s", work_infos[list[w]].name);
                        return CLI_USAGE;
                    } else can = 0;
                }
                if (can) cells[count++].task = t;
            }
        }
    if (count == 0) {
        cli_error("compare", "%s and %s have nothing in common", pair[0].name, pair[1].name);
        return CLI_USAGE;
    }
    if (!bench_start(b, NULL)) return CLI_USAGE;

    int slower = 0, faster = 0, unknown = 0, doubtful = 0, open_ends = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const double now = clock_now();
        char what[96];
        snprintf(what, sizeof what, "%s %s %zu bytes", work_infos[cells[i].task.work].title,
                 cells[i].task.open ? "decrypt" : "encrypt", cells[i].task.len);
        bench_progress(b, what, (double)i / (double)count);
        /* All answers together may be wrong with this probability. */
        const duel_options o = {(b->started + b->seconds - now) / (double)(count - i),
                                0.001 / (double)count, margin / 100, slow / 100};
        const candidate reference = bench_reference(cells[i].task.work);
        duel_result *r = &cells[i].result;
        duel_run(&b->core, pair, &reference, &cells[i].task, &o, r);
        if (r->wrong != NULL) {
            bench_progress(b, NULL, 0);
            cli_error(pair[r->wrong_candidate].name, "%s: %s", what, r->wrong);
            wrong++;
            continue;
        }
        slower += r->view.answer == JUDGE_SLOWER;
        faster += r->view.answer == JUDGE_FASTER;
        unknown += r->view.answer == JUDGE_SAME && isinf(r->view.bound);
        doubtful += r->doubtful;
        open_ends += r->view.answer == JUDGE_SAME && r->view.bound > margin / 100;
    }
    bench_progress(b, NULL, 1);
    b->ended = clock_now();
    if (wrong != 0) return CLI_FAILED;
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        printf("A           %s\nB           %s\n\n", pair[0].name, pair[1].name);
    }
    print_cells(b, pair, cells, count);
    if (b->format == OUTPUT_TABLE) {
        printf("\nB is slower in %d, faster in %d, not known in %d of %zu; the rest differ by no "
               "more than is said.\n",
               slower, faster, unknown, count);
        if (doubtful != 0)
            printf("? with a neighbour on the core nearly all the time, whose slices are in.\n");
    }
    if (open_ends != 0)
        cli_warn("compare",
                 "time ran out in %d of %zu before differences of %g %% could be excluded; give a "
                 "longer --time",
                 open_ends, count, margin);
    return slower != 0 || (strict && open_ends != 0) ? CLI_FAILED : CLI_OK;
}
