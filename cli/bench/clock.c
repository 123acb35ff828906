/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c - see clock.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "clock.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

double clock_now(void)
{
    struct timespec t;
#if defined(CLOCK_MONOTONIC_RAW)
    clock_gettime(CLOCK_MONOTONIC_RAW, &t); /* not slewed by NTP while we look */
#else
    clock_gettime(CLOCK_MONOTONIC, &t);
#endif
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_overhead(void)
{
    double best = 1;
    for (int i = 0; i < 32; i++) {
        const double start = clock_now();
        for (int k = 0; k < 16; k++) clock_now();
        const double each = (clock_now() - start) / 17;
        if (each < best) best = each;
    }
    return 2 * best;
}

/* One add that depends on the last, both operands registers: renamers of newer cores fold
 * immediates away. */
#if defined(__x86_64__) || defined(__i386__)
#define ADD(x, y) __asm__ volatile("add %1, %0" : "+r"(x) : "r"(y) : "cc")
#elif defined(__aarch64__)
#define ADD(x, y) __asm__ volatile("add %0, %0, %1" : "+r"(x) : "r"(y))
#elif defined(__GNUC__)
#define ADD(x, y)                  \
    do {                           \
        (x) += (y);                \
        __asm__ volatile("" : "+r"(x)); \
    } while (0)
#else
#define ADD(x, y) ((x) += (y))
#endif
#define TIMES4(x)  x; x; x; x
#define TIMES16(x) TIMES4(TIMES4(x))
#define TIMES64(x) TIMES4(TIMES16(x))

/* A no-op. On x86 one of four bytes: a run of one-byte ones overflows the cache of decoded
 * instructions, and then measures the decoders. Where the word is not known, adds that do not
 * depend on each other stand in. */
#if defined(__x86_64__) || defined(__i386__)
#define NOOP __asm__ volatile(".byte 0x0f, 0x1f, 0x40, 0x00")
#elif defined(__aarch64__) || defined(__arm__) || defined(__sparc__) || defined(__riscv) ||        \
    defined(__powerpc__)
#define NOOP __asm__ volatile("nop")
#endif

static volatile uintptr_t sink;

static double chain(long rounds)
{
    uintptr_t x = 1, y = 3;
    const double start = clock_now();
    for (long i = 0; i < rounds; i++) {
        TIMES64(ADD(x, y));
    }
    const double seconds = clock_now() - start;
    sink = x;
    return (double)rounds * 64 / seconds;
}

static double noops(long rounds)
{
#if defined(NOOP)
    const double start = clock_now();
    for (long i = 0; i < rounds; i++) {
        TIMES64(NOOP);
    }
    return (double)rounds * 66 / (clock_now() - start); /* with the loop's own two */
#else
    uintptr_t a = 1, b = 2, c = 3, d = 4, y = 5;
    const double start = clock_now();
    for (long i = 0; i < rounds; i++) {
        TIMES16(ADD(a, y); ADD(b, y); ADD(c, y); ADD(d, y));
    }
    const double seconds = clock_now() - start;
    sink = a + b + c + d;
    return (double)rounds * 66 / seconds;
#endif
}

static double median3(double a, double b, double c)
{
    const double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

clock_probe clock_probe_core(void)
{
    clock_probe p;
    double hz[3], rate[3];
    for (int i = 0; i < 3; i++) {
        hz[i] = chain(400);    /* 9 microseconds at 3 GHz */
        rate[i] = noops(1000); /* 4 at 6 a cycle */
    }
    p.hertz = median3(hz[0], hz[1], hz[2]);
    p.noops = median3(rate[0], rate[1], rate[2]) / p.hertz;
    return p;
}

int clock_pin(int core)
{
#if defined(__linux__)
    cpu_set_t set;
    if (core < 0) core = sched_getcpu();
    if (core < 0 || core >= CPU_SETSIZE) return -1;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? core : -1;
#else
    (void)core;
    return -1;
#endif
}

long clock_preemptions(void)
{
    struct rusage usage;
#if defined(RUSAGE_THREAD)
    const int who = RUSAGE_THREAD;
#else
    const int who = RUSAGE_SELF;
#endif
    return getrusage(who, &usage) == 0 ? usage.ru_nivcsw : 0;
}
