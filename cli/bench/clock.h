/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h - time, the core's clock, and whether a neighbour shares the core.
 *
 * Seconds come from the system. Cycles do not: the time-stamp counter of x86 runs at a fixed rate
 * that is not the core's, and hardware counters are closed in most virtual machines. So cycles are
 * counted against a chain of dependent adds, one of which retires per cycle on every core that
 * Plait has kernels for.
 *
 * The chain can not see a neighbour on the core's other hardware thread, who takes half of the
 * dispatch slots: it needs one slot in four to eight. A run of no-ops sees it, because it needs
 * them all.
 */
#ifndef PLAIT_BENCH_CLOCK_H
#define PLAIT_BENCH_CLOCK_H

/* Seconds since some moment; never steps back. */
double clock_now(void);

/* What one pair of clock_now calls costs, in seconds. */
double clock_overhead(void);

typedef struct clock_probe {
    double hertz; /* of the core, from the chain */
    double noops; /* per cycle */
} clock_probe;

/* Probes the core, in about 50 microseconds: medians of three chains and runs of no-ops. */
clock_probe clock_probe_core(void);

/* Stays on the core it runs on now, so that no slice is cut by a migration. Returns the core's
 * number, or -1 where the system has no such call. */
int clock_pin(int core); /* core < 0: the present one */

/* How often the system took the core away from this thread; only differences mean something. 0
 * always where the system does not tell. */
long clock_preemptions(void);

#endif
