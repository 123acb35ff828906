/* SPDX-License-Identifier: Apache-2.0
 *
 * limits.h - what this core can execute: instructions alone, and the mixes of them that kernels are
 * made of.
 *
 * A mix has the instructions of a kernel's inner loop in the right numbers and without its
 * dependencies. It is what the core's pipes allow; a kernel also loads, stores, carries and waits,
 * so it can come near but not below.
 */
#ifndef PLAIT_BENCH_LIMITS_H
#define PLAIT_BENCH_LIMITS_H

#include <stddef.h>

#include "work.h"

typedef struct limit_instruction {
    const char *name; /* "vpaddd zmm" */
    const char *needs; /* CPU features, joined by commas; "" for none */
    void (*throughput)(long rounds), (*latency)(long rounds);
    int throughput_count, latency_count; /* instructions in a round */
} limit_instruction;

typedef struct limit_mix {
    work_id work;
    const char *name;  /* "16 blocks in zmm: add, xor, rotate" */
    const char *needs; /* the best mix whose needs a kernel's needs contain is the kernel's own */
    void (*run)(long rounds);
    double bytes; /* of text in a round */
} limit_mix;

extern const limit_instruction limit_instructions[];
extern const size_t limit_instruction_count;
extern const limit_mix limit_mixes[]; /* widest first within a work */
extern const size_t limit_mix_count;

/* Are all of these features there and enabled? */
int limit_usable(const char *needs);

/* Cycles per round: the median of some short runs, each beside a chain of adds. */
double limit_cycles(void (*run)(long rounds));

#endif
