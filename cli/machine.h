/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.h - the facts about this machine and this program that a figure means nothing without.
 */
#ifndef PLAIT_CLI_MACHINE_H
#define PLAIT_CLI_MACHINE_H

#include <stdio.h>

#include "table.h"

typedef struct machine {
    char cpu[128];      /* the name it gives itself */
    /* "GenuineIntel family 6 model 207 stepping 2"; AArch64: implementer and part */
    char model[128];
    char microcode[32]; /* "" where it is not told */
    char arch[16];      /* x86_64 */
    char system[160];   /* "Linux 6.1.0", from uname */
    char hypervisor[8]; /* "yes", "no", or "" where it is not told */
    char governor[32];  /* of the clock; "" where there is none */
    int cores;          /* online */
    char compiler[96];  /* that made this program */
    char flags[96];     /* with these flags; "" if it was not told */
    char library[16];   /* Plait's version */
    char features[512]; /* CPU features in use, joined by commas */
} machine;

void machine_read(machine *m);

/* As aligned lines "cpu   name", or as a JSON object whose text starts at `indent`. */
void machine_print(const machine *m, output_format format, FILE *out, int indent);

#endif
