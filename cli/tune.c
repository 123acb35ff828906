/* SPDX-License-Identifier: Apache-2.0
 *
 * tune.c - plait tune: is the built-in choice of kernels the best one on this CPU? Changes nothing.
 *
 * All usable kernels race at all sizes. Where another one is faster on the whole (geometric mean
 * over the sizes), it is compared with the built-in one as plait bench compare does, size by size,
 * and only what that finds is said.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/duel.h"
#include "bench_run.h"
#include "cli.h"
#include "plait_hazmat.h"
#include "table.h"

static const struct {
    const char *family;
    work_id work;
} families[] = {
    {"chacha20", WORK_CHACHA20}, {"poly1305", WORK_POLY1305},
    {"aes", WORK_AES_128_CTR},   {"ghash", WORK_AES_128_GMAC},
    {"aes_gcm", WORK_AES_128_GCM}, {"chacha20_poly1305", WORK_CHACHA20_POLY1305},
};
#define FAMILIES (sizeof families / sizeof *families)
#define SIZES    7
static const size_t sizes[SIZES] = {16, 64, 256, 1024, 1350, 4096, 16384};

/* What a family uses now; "" if nothing of it can be used. */
static void preferred(const char *family, char *to, size_t size)
{
    plait_kernel_info k;
    to[0] = 0;
    for (size_t i = 0; plait_kernel_at(i, &k) == PLAIT_OK; i++)
        if (k.preferred && strcmp(k.family, family) == 0) snprintf(to, size, "%s", k.name);
}

/* The shortest PLAIT_CPU that makes the family prefer this kernel and leaves all other families as
 * they are; NULL if there is none. One feature switched off, then two. */
static char *environment_for(const char *family, const char *kernel)
{
    char before[FAMILIES][64], now[64];
    for (size_t i = 0; i < FAMILIES; i++)
        preferred(families[i].family, before[i], sizeof before[i]);
    plait_cpu_feature f, g;
    char *found = NULL;
    for (int two = 0; two < 2 && found == NULL; two++)
        for (size_t i = 0; plait_cpu_feature_at(i, &f) == PLAIT_OK && found == NULL; i++)
            for (size_t k = two ? i + 1 : 0;
                 found == NULL && (two ? plait_cpu_feature_at(k, &g) == PLAIT_OK : k == 0); k++) {
                plait_cpu_limit("");
                plait_cpu_feature_at(i, &f);
                if (!f.enabled) break;
                if (two && (plait_cpu_feature_at(k, &g) != PLAIT_OK || !g.enabled)) continue;
                char *spec =
                    two ? cli_format("-%s,-%s", f.name, g.name) : cli_format("-%s", f.name);
                int same = plait_cpu_limit(spec) == PLAIT_OK;
                for (size_t m = 0; m < FAMILIES && same; m++) {
                    preferred(families[m].family, now, sizeof now);
                    same = strcmp(now, strcmp(families[m].family, family) == 0 ? kernel
                                                                               : before[m]) == 0;
                }
                if (same) found = spec;
                else free(spec);
            }
    plait_cpu_limit("");
    return found;
}

int cmd_tune(int argc, char **argv)
{
    bench *b = cli_alloc(sizeof *b);
    bench_defaults(b, 45);
    double margin = 2;
    int code;
    const option options[] = {
        {"time", OPTION_REAL, &b->seconds, "SECONDS", "for the race (45); comparisons come on top"},
        {"margin", OPTION_REAL, &margin, "PERCENT", "differences up to this one do not matter (2)"},
        {"cpu", OPTION_NUMBER, &b->cpu, "N", "pin to this core (where it happens to run)"},
        {"format", OPTION_FORMAT, &b->format, "FORMAT", "table, csv or json"},
    };
    const option_set set = {"plait tune [OPTION]...",
                            "Races all usable kernels at all sizes and says where another choice "
                            "than the built-in one would be faster on\n"
                            "this CPU, and which PLAIT_CPU or which order of rows in "
                            "src/kernels.def would bring it. Changes nothing.",
                            options, sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    if (!bench_start(b, NULL)) return CLI_USAGE;
    group *groups = cli_alloc(FAMILIES * SIZES * sizeof *groups);
    size_t at = 0;
    for (size_t i = 0; i < FAMILIES; i++) {
        candidate *who = cli_alloc(CANDIDATES_MAX * sizeof *who),
                  *kept = cli_alloc(CANDIDATES_MAX * sizeof *kept);
        const task shape = task_plain(families[i].work, 0, 16);
        const size_t found = bench_candidates(b, &shape, who, CANDIDATES_MAX, KERNELS_ALIKE, 0);
        size_t count = 0;
        char now[64];
        preferred(families[i].family, now, sizeof now);
        /* Of a construction, the fused kernels; of GHASH, those with the preferred AES (fused ones
         * hide it). */
        for (size_t c = 0; c < found; c++) {
            const char *plus = strchr(who[c].name, '+');
            const int fused = strcmp(families[i].family, "aes_gcm") == 0 ||
                              strcmp(families[i].family, "chacha20_poly1305") == 0;
            char aes[64];
            preferred("aes", aes, sizeof aes);
            if (fused && plus != NULL) continue;
            if (strcmp(families[i].family, "ghash") == 0 &&
                (plus == NULL || strncmp(who[c].name, aes, strlen(aes)) != 0 ||
                 who[c].name[strlen(aes)] != '+'))
                continue;
            kept[count++] = who[c];
        }
        for (size_t s = 0; s < SIZES && count > 1; s++) {
            group *g = &groups[at++];
            g->candidates = kept;
            g->candidate_count = count;
            g->tasks[g->task_count++] = task_plain(families[i].work, 0, sizes[s]);
        }
    }
    if (at == 0) {
        cli_error("tune", "no family has two usable kernels");
        return CLI_FAILED;
    }
    if (!bench_run(b, groups, at)) return CLI_FAILED;

    table *t = table_new();
    table_column(t, "family", "family");
    table_column(t, "built_in", "built in");
    table_column(t, "best", "best here");
    table_column(t, "gain_percent", "faster by %");
    table_column(t, "sizes_faster", "at these sizes");
    table_column(t, "sizes_slower", "slower at");
    table_column(t, "plait_cpu", "PLAIT_CPU");
    size_t changes = 0;
    for (size_t i = 0; i < FAMILIES; i++) {
        const group *g = NULL;
        for (size_t k = 0; k < at && g == NULL; k++)
            if (groups[k].tasks[0].work == families[i].work) g = &groups[k];
        if (g == NULL) continue;
        char now[64];
        preferred(families[i].family, now, sizeof now);
        /* Mean logarithms of cycles; the built-in one as the family calls it. */
        double best = INFINITY, own = NAN;
        const candidate *winner = NULL, *built_in = NULL;
        for (size_t c = 0; c < g->candidate_count; c++) {
            const candidate *x = &g->candidates[c];
            const char *part =
                strcmp(families[i].family, "ghash") == 0 ? strchr(x->name, '+') + 1 : x->name;
            double sum = 0;
            for (size_t s = 0; s < SIZES; s++) {
                const task shape = task_plain(families[i].work, 0, sizes[s]);
                const result *r = bench_find(b, &shape, x->name);
                sum += r != NULL ? log(r->summary.cycles) : INFINITY;
            }
            if (strcmp(part, now) == 0) own = sum / SIZES, built_in = x;
            if (sum / SIZES < best) best = sum / SIZES, winner = x;
        }
        const char *best_part = winner != NULL && strcmp(families[i].family, "ghash") == 0
                                    ? strchr(winner->name, '+') + 1
                                : winner != NULL ? winner->name
                                                 : "";
        char faster[128] = "", slower[128] = "";
        const double gain = 100 * expm1(own - best);
        int better = winner != NULL && built_in != NULL && winner != built_in && gain > margin;
        if (better) {
            const candidate pair[2] = {*built_in, *winner},
                            reference = bench_reference(families[i].work);
            int wins = 0;
            for (size_t s = 0; s < SIZES; s++) {
                const task shape = task_plain(families[i].work, 0, sizes[s]);
                const duel_options o = {4, 0.001 / SIZES, margin / 100, 0};
                duel_result r;
                char text[24];
                duel_run(&b->core, pair, &reference, &shape, &o, &r);
                snprintf(text, sizeof text, " %zu", sizes[s]);
                if (r.view.answer == JUDGE_FASTER) strcat(faster, text), wins++;
                if (r.view.answer == JUDGE_SLOWER) strcat(slower, text);
            }
            better = wins != 0;
        }
        table_row(t);
        table_text(t, families[i].family);
        table_text(t, now);
        table_text(t, better ? best_part : now);
        if (better) table_bold(t);
        if (better) {
            char *spec = environment_for(families[i].family, best_part);
            table_number(t, gain, 1);
            table_text(t, faster[0] != 0 ? faster + 1 : "");
            table_text(t, slower[0] != 0 ? slower + 1 : "");
            table_text(t, spec != NULL ? spec : "none does");
            free(spec);
            changes++;
        }
    }
    b->ended = clock_now();
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        printf("\n");
    }
    table_print(t, b->format, stdout, 0);
    if (b->format == OUTPUT_JSON) printf("\n");
    if (b->format == OUTPUT_TABLE)
        printf(changes == 0 ? "\nThe built-in choice is the best here, within %g %%.\n"
                            : "\nTo make the choice permanent, move the better row before the "
                              "built-in one in src/kernels.def, if it is better\n"
                              "on all CPUs that take it, or let the built-in one avoid a "
                              "preference bit of this CPU. PLAIT_CPU: the setting that\n"
                              "brings it and changes no other family. Differences up to %g %% were "
                              "not looked at.\n",
               margin);
    table_free(t);
    return CLI_OK;
}
