/* SPDX-License-Identifier: Apache-2.0
 *
 * race.c - see race.h.
 */
#include "race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../cli.h"

/* Of the no-ops per cycle: alone 6.0, with a neighbour 3 to 5; 7.5 and 4 to 5.3 elsewhere */
#define SHARED_PART 0.88
#define CUT_TRIES   4
#define KEPT_LEAST  5

static clock_probe look(race_core *core)
{
    const clock_probe p = clock_probe_core();
    const double at = p.noops / SEEN_STEP;
    core->seen[at < SEEN_BINS ? (size_t)at : SEEN_BINS - 1]++;
    core->probes++;
    /* The highest rate at which probes crowd: one in fifty within a tenth. A neighbour who is there
     * nearly all the time is still found out, and the probes whose chain was cut while their no-ops
     * were not, whose rates are too high, lie scattered and do not count. */
    for (size_t bin = SEEN_BINS - 4; bin-- > 0;) {
        size_t crowd = 0;
        double sum = 0;
        for (size_t k = bin; k < bin + 5; k++) {
            crowd += core->seen[k];
            sum += (double)core->seen[k] * ((double)k + 0.5) * SEEN_STEP;
        }
        if (crowd <= core->probes / 50) continue;
        core->noops_alone = sum / (double)crowd;
        break;
    }
    core->hertz_sum += p.hertz;
    core->last = p;
    return p;
}

void race_core_start(race_core *core, double slice, uint64_t seed)
{
    const struct timespec pause = {0, 5000000};
    memset(core, 0, sizeof *core);
    core->random.state = seed;
    core->slice = slice;
    core->warm = slice / 20;
    for (int i = 0; i < 50; i++) {
        look(core);
        nanosleep(&pause, NULL);
    }
}

void race_size(const race_core *core, race_lane *lane)
{
    long n = 1;
    double seconds;
    /* The least of three, because the size stays: one interruption, taken for the cost of an op,
     * would make short slices for the whole run, in which the first, slower ops weigh more. */
    for (;; n *= 2) {
        seconds = INFINITY;
        for (int i = 0; i < 3; i++) {
            const double start = clock_now();
            lane->failures += worker_run(&lane->worker, lane->messages, lane->message_count, n);
            const double taken = clock_now() - start;
            if (taken < seconds) seconds = taken;
        }
        if (seconds >= core->slice / 4 || n > 1L << 30) break;
    }
    const double ops = (double)n * core->slice / seconds;
    lane->ops = ops < 1 ? 1 : (long)ops;
}

static void keep(race_lane *lane, double seconds, double hertz, double noops)
{
    if (lane->count == lane->room) {
        const size_t room = lane->room != 0 ? lane->room * 2 : 64;
        double *all[3] = {lane->seconds, lane->hertz, lane->noops};
        for (int i = 0; i < 3; i++) {
            double *more = cli_alloc(room * sizeof *more);
            if (lane->count != 0) memcpy(more, all[i], lane->count * sizeof *more);
            free(all[i]);
            all[i] = more;
        }
        lane->seconds = all[0], lane->hertz = all[1], lane->noops = all[2];
        lane->room = room;
    }
    lane->seconds[lane->count] = seconds;
    lane->hertz[lane->count] = hertz;
    lane->noops[lane->count++] = noops;
}

void race_slice(race_core *core, race_lane *lane)
{
    const long warm = (long)((double)lane->ops * core->warm / core->slice) + 1;
    double seconds;
    long before;
    clock_probe first = core->last;
    for (int try = 0;; try++) {
        lane->failures += worker_run(&lane->worker, lane->messages, lane->message_count, warm);
        before = clock_preemptions();
        const double start = clock_now();
        lane->failures += worker_run(&lane->worker, lane->messages, lane->message_count, lane->ops);
        seconds = clock_now() - start;
        core->slices++;
        if (clock_preemptions() == before || try == CUT_TRIES) break;
        lane->cut++;
        core->cut++;
        first = look(core);
    }
    const clock_probe after = look(core);
    const double noops = first.noops < after.noops ? first.noops : after.noops;
    if (race_is_shared(core, noops)) core->shared++;
    keep(lane, seconds / (double)lane->ops, 0.5 * (first.hertz + after.hertz), noops);
}

void race_round(race_core *core, race_lane *lanes, size_t count)
{
    size_t order[256];
    if (count > 256) count = 256;
    stats_shuffle(&core->random, order, count);
    for (size_t i = 0; i < count; i++) race_slice(core, &lanes[order[i]]);
}

void race_lane_free(race_lane *lane)
{
    worker_end(&lane->worker);
    free(lane->seconds);
    free(lane->hertz);
    free(lane->noops);
    memset(lane, 0, sizeof *lane);
}

int race_is_shared(const race_core *core, double noops)
{
    return noops < SHARED_PART * core->noops_alone;
}

size_t race_alone(const race_core *core, const race_lane *lane)
{
    size_t alone = 0;
    for (size_t i = 0; i < lane->count; i++) alone += !race_is_shared(core, lane->noops[i]);
    return alone;
}

race_summary race_summarise(const race_core *core, const race_lane *lane, size_t most)
{
    race_summary s;
    memset(&s, 0, sizeof s);
    double *rate = s.rates = cli_alloc((lane->count + 1) * sizeof *rate);
    double *cycles = cli_alloc(3 * (lane->count + 1) * sizeof *cycles),
           *hertz = cycles + lane->count, *noops = hertz + lane->count;
    const size_t alone = race_alone(core, lane), shared = lane->count - alone;
    s.doubtful = alone < KEPT_LEAST || alone < lane->count / 5;
    s.shared = s.doubtful ? 0 : shared;
    s.cut = lane->cut;
    for (size_t i = 0; i < lane->count && (most == 0 || s.count < most); i++) {
        if (!s.doubtful && race_is_shared(core, lane->noops[i])) continue;
        rate[s.count] = 1 / lane->seconds[i];
        cycles[s.count] = lane->seconds[i] * lane->hertz[i];
        hertz[s.count] = lane->hertz[i];
        noops[s.count++] = lane->noops[i];
    }
    if (s.count != 0) {
        s.rate = stats_mean(rate, s.count);
        s.error = stats_mean_error(rate, s.count, 0.999);
        stats_sort(cycles, s.count);
        stats_sort(hertz, s.count);
        stats_sort(noops, s.count);
        s.cycles = stats_quantile(cycles, s.count, 0.5);
        const long k = stats_median_rank(s.count, 0.05);
        s.cycles_low = k >= 0 ? cycles[k] : NAN;
        s.cycles_high = k >= 0 ? cycles[s.count - 1 - (size_t)k] : NAN;
        s.p10 = stats_quantile(cycles, s.count, 0.1);
        s.p90 = stats_quantile(cycles, s.count, 0.9);
        s.hertz = stats_quantile(hertz, s.count, 0.5);
        s.noops = stats_quantile(noops, s.count, 0.5);
    }
    free(cycles);
    return s;
}
