/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h - one option style for every subcommand: long options, --name VALUE or --name=VALUE,
 * --help.
 */
#ifndef PLAIT_CLI_OPTIONS_H
#define PLAIT_CLI_OPTIONS_H

#include <stddef.h>

typedef enum option_kind {
    OPTION_FLAG,   /* int *: set to 1 */
    OPTION_TEXT,   /* const char ** */
    OPTION_NUMBER, /* long *: a whole number, not negative; k and M multiply by 1024 and 1024^2 */
    OPTION_REAL,   /* double *: above 0 */
    OPTION_LIST,   /* text_list *: may be given again, and hold several words joined by commas */
    OPTION_FORMAT  /* output_format * */
} option_kind;

typedef enum output_format { OUTPUT_TABLE, OUTPUT_CSV, OUTPUT_JSON, OUTPUT_JMH } output_format;

#define TEXT_LIST_MAX 64
typedef struct text_list {
    const char *items[TEXT_LIST_MAX];
    size_t count;
} text_list;

typedef struct option {
    const char *name; /* without the dashes */
    option_kind kind;
    void *value;
    const char *argument; /* what --help calls the value; NULL for a flag */
    const char *what;     /* NULL: works, but --help does not show it */
} option;

typedef struct option_set {
    const char *usage; /* "plait bench [OPTION]..." */
    const char *about; /* a paragraph, or NULL */
    const option *options;
    size_t count;
    int with_jmh; /* --format also takes jmh */
} option_set;

/* Reads argv[1..]. Operands go to operands[], at most max. Returns their number, or -1 if the
 * program should exit with *exit_code: 0 after --help, 2 after a complaint. */
int options_read(const option_set *set, int argc, char **argv, const char **operands, int max,
                 int *exit_code);

/* A whole number with an optional k or M; -1 if text is none. */
long options_number(const char *text);

#endif
