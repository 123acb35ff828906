/* SPDX-License-Identifier: Apache-2.0
 *
 * duel.c - see duel.h.
 */
#include "duel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"

#define PAIRS      8     /* in an epoch */
#define TRIES      24    /* pairs, of which a neighbour may spoil two thirds */
#define EPOCHS_MAX 20000

/* The numbers of epochs, with their room for sorting. */
typedef struct numbers {
    double *values;
    size_t count;
} numbers;

/* Those who are about as fast do the same number of ops in a slice, so that nothing else differs
 * between them. A slow-down for a test is to be the same in each slice: a whole number of ops. */
static void size_both(race_core *core, race_lane lanes[2], const duel_options *o)
{
    const long unit = o->slow > 0 ? (long)(1 / o->slow + 0.5) : 1;
    for (int i = 0; i < 2; i++) race_size(core, &lanes[i]);
    const int more = lanes[1].ops > lanes[0].ops;
    if (lanes[more].ops / 2 < lanes[!more].ops) lanes[!more].ops = lanes[more].ops;
    for (int i = 0; i < 2; i++) lanes[i].ops = (lanes[i].ops + unit - 1) / unit * unit;
}

/* One epoch: fills log ratios without and with a neighbour. Returns what went wrong, or NULL. */
static const char *run_epoch(race_core *core, const candidate pair[2], const candidate *maker,
                             const task *t, const duel_options *o, int check, race_lane lanes[2],
                             numbers *alone, numbers *all, double cycles[2], duel_result *r)
{
    workset set;
    double quiet_ratio[TRIES], ratio[TRIES], cost[2][TRIES];
    size_t quiet = 0, count = 0;
    const char *wrong = NULL;
    if (!workset_make(&set, t, maker, stats_random_next(&core->random))) return "can not do this";
    for (int i = 0; i < 2; i++) {
        const long ops = lanes[i].ops;
        memset(&lanes[i], 0, sizeof lanes[i]);
        lanes[i].ops = ops;
        lanes[i].messages = set.messages;
        lanes[i].message_count = WORK_NONCES;
    }
    /* Contexts at a place of their own each: something random is allocated before and given back
     * after. */
    void *pad[2] = {NULL, NULL};
    const int swap = (int)(stats_random_next(&core->random) & 1);
    for (int k = 0; k < 2 && wrong == NULL; k++) {
        const int i = k ^ swap;
        pad[k] = cli_alloc(64 + (size_t)(stats_random_unit(&core->random) * 63) * 64);
        if (!worker_start(&lanes[i].worker, &pair[i], t, set.key)) wrong = "can not do this";
        else if (check) wrong = workset_check(&set, &lanes[i].worker);
        if (wrong != NULL) r->wrong_candidate = i;
        if (i == 1) lanes[i].worker.extra = o->slow;
    }
    if (wrong == NULL && lanes[0].ops == 0) size_both(core, lanes, o);
    while (wrong == NULL && quiet < PAIRS && count < TRIES) {
        const int first = (int)(stats_random_next(&core->random) & 1);
        race_slice(core, &lanes[first]);
        race_slice(core, &lanes[!first]);
        const size_t at = lanes[0].count - 1;
        ratio[count] = log(lanes[1].seconds[at] / lanes[0].seconds[at]);
        for (int i = 0; i < 2; i++) cost[i][count] = lanes[i].seconds[at] * lanes[i].hertz[at];
        if (!race_is_shared(core, lanes[0].noops[at]) && !race_is_shared(core, lanes[1].noops[at]))
            quiet_ratio[quiet++] = ratio[count];
        count++;
    }
    if (wrong == NULL) {
        for (int i = 0; i < 2; i++) {
            if (lanes[i].failures != 0) wrong = "reports a failure", r->wrong_candidate = i;
            stats_sort(cost[i], count);
            cycles[i] = stats_quantile(cost[i], count, 0.5);
            r->cut += lanes[i].cut;
        }
        if (quiet >= PAIRS / 2) {
            stats_sort(quiet_ratio, quiet);
            alone->values[alone->count++] = stats_quantile(quiet_ratio, quiet, 0.5);
            r->pairs += quiet;
        }
        r->shared += count - quiet;
        stats_sort(ratio, count);
        all->values[all->count++] = stats_quantile(ratio, count, 0.5);
    }
    for (int i = 0; i < 2; i++) {
        const long ops = lanes[i].ops;
        race_lane_free(&lanes[i]);
        lanes[i].ops = ops;
        free(pad[i]);
    }
    workset_free(&set);
    return wrong;
}

void duel_run(race_core *core, const candidate pair[2], const candidate *maker, const task *t,
              const duel_options *o, duel_result *r)
{
    race_lane lanes[2];
    numbers alone = {cli_alloc(EPOCHS_MAX * sizeof(double)), 0},
            all = {cli_alloc(EPOCHS_MAX * sizeof(double)), 0};
    double *scratch = cli_alloc(EPOCHS_MAX * sizeof(double));
    double *cycles[2] = {cli_alloc(EPOCHS_MAX * sizeof(double)),
                         cli_alloc(EPOCHS_MAX * sizeof(double))};
    judge j;
    const double start = clock_now(), end = start + o->seconds, settle = start + 0.2 * o->seconds;
    int crowded = -1; /* a neighbour hardly ever away? Not known yet. */
    memset(lanes, 0, sizeof lanes);
    memset(r, 0, sizeof *r);
    judge_start(&j, o->alpha, o->margin);
    for (int last = 0; r->view.answer == JUDGE_UNDECIDED;) {
        double cost[2] = {0, 0};
        r->wrong = run_epoch(core, pair, maker, t, o, all.count == 0, lanes, &alone, &all, cost, r);
        if (r->wrong != NULL) break;
        for (int i = 0; i < 2; i++) cycles[i][all.count - 1] = cost[i];
        const double now = clock_now();
        last = now >= end || all.count == EPOCHS_MAX;
        /* A neighbour who is hardly ever away is found out after a fifth of the time, and at its
         * end: then with him, and said so. Who is compared does not decide this, so it can not
         * bias the answer. */
        if (last || (crowded < 0 && now >= settle))
            crowded = crowded > 0 || alone.count < all.count / 5 || alone.count < JUDGE_LEAST;
        const numbers *n = crowded > 0 ? &all : &alone;
        r->doubtful = crowded > 0;
        if (!last && !judge_due(&j, n->count)) continue;
        r->view = judge_look(&j, n->values, scratch, n->count, last);
        r->epochs = n->count;
        if (n->count != 0) {
            memcpy(scratch, n->values, n->count * sizeof *scratch);
            stats_sort(scratch, n->count);
            r->noise = 0.5 * (stats_quantile(scratch, n->count, 0.75) -
                              stats_quantile(scratch, n->count, 0.25));
        }
    }
    if (r->doubtful) r->pairs += r->shared, r->shared = 0;
    for (int i = 0; i < 2 && all.count != 0; i++) {
        stats_sort(cycles[i], all.count);
        r->cycles[i] = stats_quantile(cycles[i], all.count, 0.5);
    }
    r->seconds = clock_now() - start;
    free(alone.values);
    free(all.values);
    free(scratch);
    free(cycles[0]);
    free(cycles[1]);
}
