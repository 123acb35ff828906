/* SPDX-License-Identifier: Apache-2.0
 *
 * race.h - who races takes turns: short slices, in a new random order each round, each between two
 * probes of the core.
 *
 * What disturbs a run lasts longer than a round (a neighbour, a change of the clock) and so hits
 * all lanes alike, or is shorter than a slice (an interrupt) and so hits few slices, which medians
 * ignore. Slices that the neighbour took part in, and slices that the system cut, are counted and
 * left out.
 */
#ifndef PLAIT_BENCH_RACE_H
#define PLAIT_BENCH_RACE_H

#include "clock.h"
#include "stats.h"
#include "work.h"

#define SEEN_BINS 1024
#define SEEN_STEP 0.02

/* The core, as it was seen so far. */
typedef struct race_core {
    stats_random random;
    double slice; /* seconds */
    /* seconds of untimed ops before each slice, so that caches and predictors are the lane's own */
    double warm;
    clock_probe last;
    /* the most no-ops per cycle that are seen now and then: the core to oneself */
    double noops_alone;
    size_t seen[SEEN_BINS]; /* how often, by no-ops per cycle in steps of SEEN_STEP */
    size_t slices, shared, cut; /* in all lanes */
    size_t probes;
    double hertz_sum;
} race_core;

/* Learns how the core is when it is alone: some dozen probes over a third of a second. */
void race_core_start(race_core *core, double slice, uint64_t seed);

typedef struct race_lane {
    worker worker;
    const message *messages;
    size_t message_count; /* a power of two */
    long ops;             /* per slice */
    long failures;
    /* One entry per slice. */
    double *seconds; /* per op */
    double *hertz, *noops;
    size_t count, room, cut;
} race_lane;

/* Finds how many ops make a slice. */
void race_size(const race_core *core, race_lane *lane);

/* One slice of one lane. Cut slices are taken again, a few times. */
void race_slice(race_core *core, race_lane *lane);

/* One slice of each lane, in random order. */
void race_round(race_core *core, race_lane *lanes, size_t count);

void race_lane_free(race_lane *lane);

/* Did a neighbour take part, given how many no-ops per cycle the probes beside a slice counted? */
int race_is_shared(const race_core *core, double noops);

/* How many slices of a lane had no neighbour. */
size_t race_alone(const race_core *core, const race_lane *lane);

/* What the slices of a lane say. */
typedef struct race_summary {
    size_t count;          /* slices that the figures rest on */
    size_t shared, cut;    /* left out: with a neighbour; cut by the system */
    int doubtful;          /* too few without a neighbour: those with one are in the figures */
    double rate, error;    /* ops per second: mean, half-width of its 99.9 % interval */
    double cycles;         /* per op: median */
    double cycles_low, cycles_high; /* its 95 % interval */
    double p10, p90;       /* quantiles of cycles per op over the slices */
    double hertz, noops;   /* medians */
    double *rates;         /* of the slices, in their order; to be freed */
} race_summary;

/* most: how many slices to use at most, the first ones; 0: all. */
race_summary race_summarise(const race_core *core, const race_lane *lane, size_t most);

#endif
