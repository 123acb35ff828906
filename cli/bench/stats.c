/* SPDX-License-Identifier: Apache-2.0
 *
 * stats.c - see stats.h.
 */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t n)
{
    if (n > 1) qsort(values, n, sizeof *values, ascending);
}

double stats_quantile(const double *sorted, size_t n, double q)
{
    const double at = q * (double)(n - 1);
    const size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

double stats_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return n != 0 ? sum / (double)n : 0;
}

double stats_deviation(const double *values, size_t n)
{
    if (n < 2) return 0;
    const double mean = stats_mean(values, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (double)(n - 1));
}

/* The regularised incomplete beta function I_x(a, b), by its continued fraction (modified Lentz),
 * which converges fast for x < (a + 1) / (a + b + 2); beyond, I_x(a, b) = 1 - I_(1-x)(b, a). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    if (fabs(d) < tiny) d = tiny;
    d = 1 / d;
    double f = d;
    for (int m = 1; m <= 300; m++) {
        for (int odd = 0; odd < 2; odd++) {
            const double step = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                                    : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + step * d;
            c = 1 + step / c;
            if (fabs(d) < tiny) d = tiny;
            if (fabs(c) < tiny) c = tiny;
            d = 1 / d;
            f *= d * c;
            if (odd && fabs(d * c - 1) < 1e-14) return f;
        }
    }
    return f;
}

static double beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stats_student(double p, double freedom)
{
    /* Upper tail at t: I_x(freedom / 2, 1 / 2) / 2 with x = freedom / (freedom + t^2).
     * Bisection. */
    double low = 0, high = 1;
    const double tail = 1 - p;
#define TAIL(t) (0.5 * beta(freedom / 2, 0.5, freedom / (freedom + (t) * (t))))
    while (TAIL(high) > tail && high < 1e12) high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (TAIL(middle) > tail) low = middle;
        else high = middle;
    }
#undef TAIL
    return 0.5 * (low + high);
}

double stats_mean_error(const double *values, size_t n, double level)
{
    if (n < 2) return NAN;
    return stats_student(0.5 + level / 2, (double)(n - 1)) * stats_deviation(values, n) /
           sqrt((double)n);
}

long stats_median_rank(size_t n, double alpha)
{
    /* The interval from x[k] to x[n-1-k] misses the median if k or fewer values lie below it, or
     * above it: 2 P(B <= k), B binomial (n, 1/2). The largest such k with that at most alpha. */
    const double scale = lgamma((double)n + 1) - (double)n * log(2.0);
    double below = 0;
    long k = -1;
    for (size_t i = 0; i < n / 2; i++) {
        below += exp(scale - lgamma((double)i + 1) - lgamma((double)(n - i) + 1));
        if (2 * below > alpha) break;
        k = (long)i;
    }
    return k;
}

#define SHIFT_MOST 64

stats_shift stats_shift_of(const double *a, size_t n, const double *b, size_t m, double alpha)
{
    static double differences[SHIFT_MOST * SHIFT_MOST];
    /* table[j][u]: of the ways to interleave i of a with j of b, the part in which U = u. The
     * largest comes from a, and then adds to U the j of b below it, or from b, and adds nothing. */
    static double table[SHIFT_MOST + 1][SHIFT_MOST * SHIFT_MOST + 1];
    stats_shift s = {0, -INFINITY, INFINITY};
    if (n == 0 || m == 0 || n > SHIFT_MOST || m > SHIFT_MOST) return s;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) differences[i * m + j] = b[j] - a[i];
    stats_sort(differences, n * m);
    s.shift = stats_quantile(differences, n * m, 0.5);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++)
            /* In place over i: table[j] holds row i - 1 until it is written. p(i, j, u) is a mean
             * of p(i - 1, j, u - j), with weight i / (i + j), and p(i, j - 1, u), with weight j /
             * (i + j). */
            for (size_t u = n * m + 1; u-- > 0;) {
                if (i == 0 || j == 0) {
                    table[j][u] = u == 0;
                    continue;
                }
                const double from_a = u >= j ? table[j][u - j] : 0, from_b = table[j - 1][u];
                table[j][u] = ((double)i * from_a + (double)j * from_b) / (double)(i + j);
            }
    double below = 0;
    for (size_t k = 0; 2 * k < n * m; k++) {
        below += table[m][k];
        if (2 * below > alpha) break;
        s.low = differences[k];
        s.high = differences[n * m - 1 - k];
    }
    return s;
}

uint64_t stats_random_next(stats_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double stats_random_unit(stats_random *r)
{
    return (double)(stats_random_next(r) >> 11) * 0x1p-53;
}

void stats_shuffle(stats_random *r, size_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)(stats_random_unit(r) * (double)(i + 1));
        if (at != i) order[i] = order[at];
        order[at] = i;
    }
}
