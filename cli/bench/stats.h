/* SPDX-License-Identifier: Apache-2.0
 *
 * stats.h - the statistics of the bench: pure functions of numbers, tested on made-up data.
 */
#ifndef PLAIT_BENCH_STATS_H
#define PLAIT_BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts in place, ascending. */
void stats_sort(double *values, size_t n);

/* The q-quantile (0..1) of sorted values, linear between neighbours. n >= 1. */
double stats_quantile(const double *sorted, size_t n, double q);

double stats_mean(const double *values, size_t n);
double stats_deviation(const double *values, size_t n); /* of the sample, n - 1; 0 for n < 2 */

/* t such that Student's distribution with `freedom` degrees has probability p (0.5 < p < 1) below
 * t. */
double stats_student(double p, double freedom);

/* Half the width of the confidence interval of the mean, as JMH computes its Error (level 0.999).
 * Not a number for n < 2. */
double stats_mean_error(const double *values, size_t n, double level);

/* A confidence interval of the median from order statistics: no assumption but that values are
 * independent. Sorted values k and n - 1 - k (counted from 0) enclose it with probability at least
 * 1 - alpha. Returns k, or -1 if n is too small for that alpha. */
long stats_median_rank(size_t n, double alpha);

/* By how much is b larger than a? The median of all differences b[j] - a[i] (Hodges and Lehmann),
 * and an interval for it: the differences with these ranks, chosen by the distribution of Mann and
 * Whitney's U, enclose the shift with probability at least 1 - alpha, whatever the distribution.
 * low and high are infinite if n and m are too small for that alpha. Both samples at most 64. */
typedef struct stats_shift {
    double shift, low, high;
} stats_shift;
stats_shift stats_shift_of(const double *a, size_t n, const double *b, size_t m, double alpha);

/* A small generator (splitmix64) for orders and resampling: the seed makes a run repeatable. */
typedef struct stats_random {
    uint64_t state;
} stats_random;
uint64_t stats_random_next(stats_random *r);
double stats_random_unit(stats_random *r);                  /* 0 <= x < 1 */
void stats_shuffle(stats_random *r, size_t *order,
                   size_t n); /* fills order with 0..n-1, shuffled */

#endif
