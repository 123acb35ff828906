/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h - rows and columns, printed for people (aligned), as CSV (RFC 4180) or as JSON.
 */
#ifndef PLAIT_CLI_TABLE_H
#define PLAIT_CLI_TABLE_H

#include <stdio.h>

#include "options.h"

typedef struct table table;

table *table_new(void);
void table_free(table *t);

/* Adds a column. key: its name in CSV and JSON, NULL for one that only people see. title: its
 * heading for people, NULL for one that only machines see. */
void table_column(table *t, const char *key, const char *title);

/* A row begins; its cells follow in the order of the columns. Cells that are not given are
 * empty. */
void table_row(table *t);
void table_text(table *t, const char *text);
void table_number(table *t, double value,
                  int decimals); /* not finite: an empty cell, null in JSON */
void table_flag(table *t, int value);                    /* yes or no; true or false in JSON */
void table_list(table *t, const double *values, size_t count,
                int decimals);                           /* an array in JSON, else by blanks */
void table_skip(table *t);                               /* an empty cell, null in JSON */
void table_bold(table *t);             /* the cell given last is the best of its kind */
void table_bar(table *t, double part); /* a bar of part (0..1) of the room that is left */
void table_gap(table *t);              /* for people: an empty line before the next row */

/* Prints the rows. JSON: an array of objects, the text of which starts at `indent` spaces. */
void table_print(const table *t, output_format format, FILE *out, int indent);

/* A JSON string with its quotes. */
void json_string(FILE *out, const char *text);

/* Bold and bars are for terminals, and only those whose users did not object (NO_COLOR,
 * TERM=dumb). */
int table_is_terminal(FILE *out);

#endif
