/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.h - when does a comparison know enough, and what does it know? A pure function of numbers.
 *
 * The numbers are logarithms of time ratios, new over old, one per epoch of a duel. If the two are
 * the same thing, then each number is as likely to be above 0 as below, whatever the noise looks
 * like and however it drifts, because who goes first is drawn at random in each pair and each epoch
 * has memory of its own: that is all that the interval assumes. It comes from order statistics, so
 * that single wild numbers do not matter.
 *
 * Looking often and stopping at the first sign would turn noise into findings. So look k may be
 * wrong with probability alpha / (k (k + 1)) only, and all looks together with at most alpha.
 */
#ifndef PLAIT_BENCH_JUDGE_H
#define PLAIT_BENCH_JUDGE_H

#include <stddef.h>

#define JUDGE_LEAST 16 /* numbers for the first look */

typedef enum judge_answer {
    JUDGE_UNDECIDED, /* look again later */
    JUDGE_SAME,      /* no difference larger than `bound` */
    JUDGE_FASTER,    /* new is faster than old */
    JUDGE_SLOWER
} judge_answer;

typedef struct judge {
    double alpha;  /* probability of any wrong interval over all looks */
    double margin; /* the difference that matters, as a part: 0.01 */
    size_t looks, next;
} judge;

typedef struct judge_view {
    judge_answer answer;
    double change;    /* of the time, as a part: 0.03 = new takes 3 % longer */
    double low, high; /* its interval */
    double bound;     /* the larger of |low| and |high| */
} judge_view;

void judge_start(judge *j, double alpha, double margin);

/* Is it time for the next look, with n numbers? */
int judge_due(const judge *j, size_t n);

/* Looks at n numbers; scratch has room for as many. last: no time is left, so any answer but
 * UNDECIDED. */
judge_view judge_look(judge *j, const double *numbers, double *scratch, size_t n, int last);

#endif
