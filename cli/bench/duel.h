/* SPDX-License-Identifier: Apache-2.0
 *
 * duel.h - two candidates, one task: is the second slower, faster, or neither?
 *
 * Pairs of slices, who goes first drawn at random; an epoch is a few pairs, and gives the judge one
 * number: the median of their time ratios. Each epoch has new keys, contexts and buffers at new
 * places in memory, because where things happen to lie can make one and the same code differ by a
 * per cent or two for as long as they lie there. Pairs during which a neighbour was seen are left
 * out.
 */
#ifndef PLAIT_BENCH_DUEL_H
#define PLAIT_BENCH_DUEL_H

#include "judge.h"
#include "race.h"
#include "work.h"

typedef struct duel_options {
    double seconds; /* at most */
    double alpha, margin;
    double slow; /* for tests: this part of the second's work is done again; 0 */
} duel_options;

typedef struct duel_result {
    judge_view view;
    size_t epochs, pairs; /* that the answer rests on */
    size_t shared, cut;   /* pairs left out for a neighbour; slices that the system cut */
    int doubtful;         /* too few pairs without a neighbour: those with one are in */
    double seconds;       /* it took */
    double noise; /* spread of the epochs: half of what lies between their quartiles, as a part */
    double cycles[2];     /* per op, medians */
    const char *wrong;    /* NULL, or why nothing was measured */
    int wrong_candidate;  /* which of the two */
} duel_result;

/* maker: whose results are right. */
void duel_run(race_core *core, const candidate pair[2], const candidate *maker, const task *t,
              const duel_options *o, duel_result *r);

#endif
