/* SPDX-License-Identifier: Apache-2.0
 *
 * record.h - published figures of OpenJDK's accelerated ciphers, to lay beside one's own.
 */
#ifndef PLAIT_CLI_RECORD_H
#define PLAIT_CLI_RECORD_H

#include <stddef.h>

typedef struct record_figure {
    const char *bench;  /* "ChaCha20.encrypt", "updateBytes", "TestAESEncode" */
    size_t size;        /* bytes */
    const char *who;    /* "M1": short, for a column */
    double gb_per_s;    /* text bytes, 10^9 */
} record_figure;

/* What the short names stand for, with the change that the figures were published with. */
typedef struct record_source {
    const char *who, *what;
} record_source;

extern const record_figure record_figures[];
extern const size_t record_figure_count;
extern const record_source record_sources[];
extern const size_t record_source_count;

/* The published figure; 0 if there is none. */
double record_find(const char *bench, size_t size, const char *who);

#endif
