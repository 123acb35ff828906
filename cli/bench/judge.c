/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - see judge.h.
 */
#include "judge.h"

#include <math.h>
#include <string.h>

#include "stats.h"

#define GROWTH 1.3 /* of the numbers, from look to look */

void judge_start(judge *j, double alpha, double margin)
{
    j->alpha = alpha;
    j->margin = margin;
    j->looks = 0;
    j->next = JUDGE_LEAST;
}

int judge_due(const judge *j, size_t n)
{
    return n >= j->next;
}

judge_view judge_look(judge *j, const double *numbers, double *scratch, size_t n, int last)
{
    judge_view v = {JUDGE_UNDECIDED, 0, -INFINITY, INFINITY, INFINITY};
    const double k = (double)++j->looks;
    j->next = (size_t)((double)n * GROWTH) + 1;
    if (n != 0) {
        memcpy(scratch, numbers, n * sizeof *scratch);
        stats_sort(scratch, n);
        const long rank = stats_median_rank(n, j->alpha / (k * (k + 1)));
        v.change = expm1(stats_quantile(scratch, n, 0.5));
        if (rank >= 0) {
            v.low = expm1(scratch[rank]);
            v.high = expm1(scratch[n - 1 - (size_t)rank]);
            v.bound = fabs(v.low) > fabs(v.high) ? fabs(v.low) : fabs(v.high);
        }
    }
    /* Small enough not to matter comes first: then a tiny difference, however certain, is none.
     * What is larger than the margin only in the estimate, or known to exist but not how large it
     * is, is looked at again, unless time is out. */
    const double half = 0.5 * (v.high - v.low), change = fabs(v.change);
    const int known =
        last || (change >= j->margin && half <= (change / 4 > j->margin ? change / 4 : j->margin));
    if (v.bound <= j->margin) v.answer = JUDGE_SAME;
    else if (v.low > 0 && known) v.answer = JUDGE_SLOWER;
    else if (v.high < 0 && known) v.answer = JUDGE_FASTER;
    else if (last) v.answer = JUDGE_SAME; /* as far as `bound` tells */
    return v;
}
