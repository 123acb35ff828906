/* SPDX-License-Identifier: Apache-2.0
 *
 * test_bench_stats.c - do the statistics of `plait bench` keep what they promise? On made-up
 * numbers: nothing here reads a clock.
 */
#include <math.h>

#include "harness.h"

#include "../cli/bench/judge.c"
#include "../cli/bench/stats.c"

static stats_random rng;

static double normal(void)
{
    const double u = 1 - stats_random_unit(&rng), v = stats_random_unit(&rng);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static int near(double got, double want, double part)
{
    return fabs(got - want) <= part * fabs(want);
}

static void quantiles(void)
{
    double x[] = {9, 1, 4, 16};
    test_case("sort, quantile, mean, deviation");
    stats_sort(x, 4);
    CHECK(x[0] == 1 && x[1] == 4 && x[2] == 9 && x[3] == 16);
    CHECK(stats_quantile(x, 4, 0) == 1);
    CHECK(stats_quantile(x, 4, 1) == 16);
    CHECK(stats_quantile(x, 4, 0.5) == 6.5);
    CHECK(stats_quantile(x, 1, 0.5) == 1);
    CHECK(stats_mean(x, 4) == 7.5);
    CHECK(near(stats_deviation(x, 4), 6.557438524302, 1e-12));
    CHECK(stats_deviation(x, 1) == 0);
}

/* Printed tables of Student's distribution. */
static void student(void)
{
    static const struct {
        double p, freedom, t;
    } table[] = {{0.975, 1, 12.7062},   {0.975, 10, 2.22814},  {0.975, 1000, 1.96234},
                 {0.9995, 1, 636.619},  {0.9995, 2, 31.5991},  {0.9995, 5, 6.86883},
                 {0.9995, 39, 3.55812}, {0.9995, 120, 3.37345}};
    test_case("quantiles of Student's distribution");
    for (size_t i = 0; i < COUNT(table); i++) {
        AT("row %zu", i);
        CHECK(near(stats_student(table[i].p, table[i].freedom), table[i].t, 1e-5));
    }
    test_case("the 99.9 %% error of a mean covers it in 99.9 of 100 cases");
    int missed = 0;
    for (int run = 0; run < 20000; run++) {
        double x[8];
        for (int i = 0; i < 8; i++) x[i] = 5 + normal();
        missed += fabs(stats_mean(x, 8) - 5) > stats_mean_error(x, 8, 0.999);
    }
    CHECK(missed >= 5 && missed <= 40); /* 20 expected */
    CHECK(isnan(stats_mean_error((double[]){1}, 1, 0.999)));
}

static void median_interval(void)
{
    test_case("ranks of the median's interval");
    CHECK_INT(stats_median_rank(5, 0.05), -1); /* 2 / 32 is more than 0.05 */
    CHECK_INT(stats_median_rank(6, 0.05), 0);  /* 2 / 64 */
    CHECK_INT(stats_median_rank(10, 0.05), 1); /* 2 (1 + 10) / 1024 = 0.0215; with 45 more, 0.109 */
    CHECK_INT(stats_median_rank(25, 0.05), 7);
    CHECK_INT(stats_median_rank(100, 0.05), 39);
    CHECK_INT(stats_median_rank(0, 0.05), -1);
    /* Normal approximation at a size where it is good: n / 2 - z sqrt(n) / 2. */
    CHECK(labs(stats_median_rank(10000, 0.001) - (long)(5000 - 3.2905 * 50 - 1)) <= 1);

    test_case("the median's interval covers it, for numbers with a heavy tail");
    int missed = 0;
    for (int run = 0; run < 4000; run++) {
        double x[40];
        for (int i = 0; i < 40; i++) x[i] = exp(2 * normal()); /* median 1 */
        stats_sort(x, 40);
        const size_t k = (size_t)stats_median_rank(40, 0.05);
        missed += x[k] > 1 || x[39 - k] < 1;
    }
    CHECK(missed <= 200 + 45);
    CHECK(missed >= 40); /* not absurdly wide either */
}

static void shifts(void)
{
    test_case("the shift between two samples, and its interval");
    const double a[] = {1, 2, 3, 4}, b[] = {11, 12, 13, 14};
    stats_shift s = stats_shift_of(a, 4, b, 4, 0.05);
    CHECK(s.shift == 10);
    CHECK(s.low == 7 &&
          s.high == 13); /* P(U = 0) = 1 / 70: 2 / 70 fits in 0.05, 2 (1 + 1) / 70 does not */
    s = stats_shift_of(a, 4, b, 4, 0.06);
    CHECK(s.low == 8 && s.high == 12);
    s = stats_shift_of(a, 3, b, 3, 0.05); /* 2 / 20 does not fit */
    CHECK(isinf(s.low) && isinf(s.high) && s.shift == 10);
    test_case("that interval covers the shift");
    int missed = 0, wide = 0;
    for (int run = 0; run < 4000; run++) {
        double x[10], y[12];
        for (int i = 0; i < 10; i++) x[i] = exp(normal());
        for (int i = 0; i < 12; i++) y[i] = exp(normal()) + 0.5;
        s = stats_shift_of(x, 10, y, 12, 0.05);
        missed += s.low > 0.5 || s.high < 0.5;
        wide += isinf(s.low);
    }
    CHECK(missed <= 200 + 45 && missed >= 100);
    CHECK_INT(wide, 0);
}

static void shuffles(void)
{
    test_case("orders are permutations, and each is as frequent as the next");
    size_t order[3], seen[27] = {0};
    for (int i = 0; i < 6000; i++) {
        stats_shuffle(&rng, order, 3);
        CHECK(order[0] != order[1] && order[1] != order[2] && order[0] != order[2] &&
              order[0] + order[1] + order[2] == 3);
        seen[order[0] * 9 + order[1] * 3 + order[2]]++;
    }
    size_t kinds = 0;
    for (size_t i = 0; i < 27; i++)
        if (seen[i] != 0) {
            kinds++;
            CHECK(seen[i] > 850 && seen[i] < 1150);
        }
    CHECK_INT(kinds, 6);
}

/* What a duel's numbers look like: `pairs` time ratios, of which the median is taken. Noise: each
 * slice some per cent, one in six cut short by something that costs up to a half, everything
 * drifting, and from time to time a neighbour who slows both by different parts. The slow-down
 * multiplies the second's time. */
static double epoch(double slow, double *drift, int *neighbour)
{
    double ratios[8];
    *drift = 0.97 * *drift + 0.01 * normal();
    if (stats_random_unit(&rng) < 0.02) *neighbour = !*neighbour;
    for (int i = 0; i < 8; i++) {
        double time[2];
        for (int k = 0; k < 2; k++) {
            time[k] = exp(0.01 * normal() + *drift * stats_random_unit(&rng));
            if (stats_random_unit(&rng) < 0.16) time[k] *= 1 + 0.5 * stats_random_unit(&rng);
            if (*neighbour) time[k] *= 1.2 + 0.2 * stats_random_unit(&rng);
        }
        const int first = (int)(stats_random_next(&rng) & 1); /* who is measured first: time[0] */
        ratios[i] = log(time[!first] * (1 + slow) / time[first]);
    }
    stats_sort(ratios, 8);
    return stats_quantile(ratios, 8, 0.5);
}

static judge_view duel(double slow, double margin, size_t most, size_t *epochs)
{
    static double numbers[20000], scratch[20000];
    double drift = 0;
    int neighbour = 0;
    judge j;
    judge_view v;
    judge_start(&j, 0.001, margin);
    for (size_t n = 1;; n++) {
        numbers[n - 1] = epoch(slow, &drift, &neighbour);
        if (!judge_due(&j, n) && n < most) continue;
        v = judge_look(&j, numbers, scratch, n, n == most);
        if (v.answer == JUDGE_UNDECIDED) continue;
        *epochs = n;
        return v;
    }
}

static void judges(void)
{
    const int runs = test_level > 1 ? 5000 : 500;
    size_t n, total = 0;
    int wrong = 0, outside = 0;
    test_case("the judge: a thing compared with itself");
    for (int i = 0; i < runs; i++) {
        const judge_view v = duel(0, 0.01, 2000, &n);
        wrong += v.answer != JUDGE_SAME || v.bound > 0.01;
        outside += v.low > 0 || v.high < 0;
        total += n;
    }
    CHECK(wrong <= runs / 100);
    CHECK(outside <= runs / 250);
    CHECK(total / (size_t)runs < 1000); /* it stops when it knows */

    static const double slows[] = {0.03, -0.03, 0.01, 0.005};
    for (size_t s = 0; s < COUNT(slows); s++) {
        const double slow = slows[s];
        int found = 0;
        outside = 0;
        test_case("the judge: a difference of %g %%", 100 * slow);
        for (int i = 0; i < runs; i++) {
            const judge_view v =
                duel(slow, fabs(slow) / 2 < 0.01 ? fabs(slow) / 2 : 0.01, 8000, &n);
            found += v.answer == (slow > 0 ? JUDGE_SLOWER : JUDGE_FASTER);
            outside += v.low > slow || v.high < slow;
        }
        CHECK(found >= runs * 99 / 100);
        CHECK(outside <= runs / 250 + 1);
    }

    test_case("the judge: no time, no finding");
    const judge_view none = duel(0.03, 0.01, 3, &n);
    CHECK(none.answer == JUDGE_SAME && isinf(none.bound));
    test_case("the judge: a difference below the margin is none");
    wrong = 0;
    for (int i = 0; i < runs; i++) wrong += duel(0.004, 0.01, 8000, &n).answer != JUDGE_SAME;
    CHECK(wrong <= runs / 50);
}

int main(void)
{
    test_start("do the statistics of plait bench keep what they promise?");
    rng.state = 20;
    quantiles();
    student();
    median_interval();
    shifts();
    shuffles();
    judges();
    return test_finish();
}
