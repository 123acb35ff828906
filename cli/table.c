/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c - see table.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

#define COLUMNS_MAX 32

typedef enum cell_kind {
    CELL_EMPTY,
    CELL_TEXT,
    CELL_NUMBER,
    CELL_FLAG,
    CELL_BAR,
    CELL_LIST
} cell_kind;

typedef struct cell {
    cell_kind kind;
    int bold;
    double value; /* CELL_BAR: 0..1; CELL_FLAG: 0 or 1 */
    char *text;   /* as people read it */
} cell;

typedef struct row {
    cell cells[COLUMNS_MAX];
    int count, gap;
} row;

struct table {
    struct {
        const char *key, *title;
    } columns[COLUMNS_MAX];
    int column_count;
    row *rows;
    size_t count, room;
    int gap;
};

table *table_new(void)
{
    return cli_alloc(sizeof(table));
}

void table_free(table *t)
{
    for (size_t r = 0; r < t->count; r++)
        for (int c = 0; c < t->rows[r].count; c++) free(t->rows[r].cells[c].text);
    free(t->rows);
    free(t);
}

void table_column(table *t, const char *key, const char *title)
{
    t->columns[t->column_count].key = key;
    t->columns[t->column_count++].title = title;
}

void table_row(table *t)
{
    if (t->count == t->room) {
        const size_t room = t->room != 0 ? t->room * 2 : 16;
        row *rows = cli_alloc(room * sizeof *rows);
        if (t->count != 0) memcpy(rows, t->rows, t->count * sizeof *rows);
        free(t->rows);
        t->rows = rows;
        t->room = room;
    }
    t->rows[t->count].gap = t->gap && t->count != 0;
    t->gap = 0;
    t->count++;
}

static cell *next_cell(table *t)
{
    row *r = &t->rows[t->count - 1];
    return &r->cells[r->count++];
}

void table_text(table *t, const char *text)
{
    cell *c = next_cell(t);
    c->kind = CELL_TEXT;
    c->text = cli_format("%s", text);
}

void table_number(table *t, double value, int decimals)
{
    cell *c = next_cell(t);
    if (!isfinite(value)) return;
    c->kind = CELL_NUMBER;
    c->value = value;
    c->text = cli_format("%.*f", decimals, value);
}

void table_flag(table *t, int value)
{
    cell *c = next_cell(t);
    c->kind = CELL_FLAG;
    c->value = value != 0;
    c->text = cli_format("%s", value ? "yes" : "no");
}

void table_list(table *t, const double *values, size_t count, int decimals)
{
    cell *c = next_cell(t);
    char *to = c->text = cli_alloc(count * 32 + 1);
    c->kind = CELL_LIST;
    for (size_t i = 0; i < count; i++)
        to += snprintf(to, 32, "%s%.*f", i != 0 ? " " : "", decimals, values[i]);
}

void table_skip(table *t)
{
    next_cell(t);
}

void table_bold(table *t)
{
    row *r = &t->rows[t->count - 1];
    r->cells[r->count - 1].bold = 1;
}

void table_bar(table *t, double part)
{
    cell *c = next_cell(t);
    c->kind = CELL_BAR;
    c->value = part < 0 ? 0 : part > 1 ? 1 : part;
}

void table_gap(table *t)
{
    t->gap = 1;
}

int table_is_terminal(FILE *out)
{
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    return isatty(fileno(out)) && term != NULL && strcmp(term, "dumb") != 0 &&
           (no == NULL || *no == 0);
}

void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != 0; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 0x20) fprintf(out, "\\u%04x", c);
        else fputc(c, out);
    }
    fputc('"', out);
}

static void print_json(const table *t, FILE *out, int indent)
{
    fputc('[', out);
    for (size_t r = 0; r < t->count; r++) {
        fprintf(out, "%s\n%*s{", r != 0 ? "," : "", indent + 2, "");
        const char *comma = "";
        for (int c = 0; c < t->column_count; c++) {
            if (t->columns[c].key == NULL) continue;
            const cell *x = &t->rows[r].cells[c];
            fprintf(out, "%s", comma);
            comma = ", ";
            json_string(out, t->columns[c].key);
            fputs(": ", out);
            if (c >= t->rows[r].count || x->kind == CELL_EMPTY) fputs("null", out);
            else if (x->kind == CELL_NUMBER) fputs(x->text, out);
            else if (x->kind == CELL_LIST) {
                fputc('[', out);
                for (const char *p = x->text; *p != 0; p++)
                    fputs(*p == ' ' ? ", " : (char[2]){*p, 0}, out);
                fputc(']', out);
            } else if (x->kind == CELL_FLAG) fputs(x->value != 0 ? "true" : "false", out);
            else json_string(out, x->text);
        }
        fputc('}', out);
    }
    if (t->count != 0) fprintf(out, "\n%*s", indent, "");
    fputc(']', out);
}

static void csv_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != 0; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_csv(const table *t, FILE *out)
{
    const char *comma = "";
    for (int c = 0; c < t->column_count; c++) {
        if (t->columns[c].key == NULL) continue;
        fputs(comma, out);
        csv_field(out, t->columns[c].key);
        comma = ",";
    }
    fputs("\r\n", out);
    for (size_t r = 0; r < t->count; r++) {
        comma = "";
        for (int c = 0; c < t->column_count; c++) {
            if (t->columns[c].key == NULL) continue;
            fputs(comma, out);
            if (c < t->rows[r].count && t->rows[r].cells[c].text != NULL)
                csv_field(out, t->rows[r].cells[c].text);
            comma = ",";
        }
        fputs("\r\n", out);
    }
}

static int terminal_width(FILE *out)
{
#if defined(TIOCGWINSZ)
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
#endif
    (void)out;
    return 80;
}

/* UTF-8: bytes that continue a character take no room. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text != 0; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_bar(FILE *out, double part, int room)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    const int units = (int)(part * room * 8 + 0.5);
    for (int i = 0; i < units / 8; i++) fputs("\u2588", out);
    fputs(eighths[units % 8], out);
}

static void print_people(const table *t, FILE *out)
{
    int width[COLUMNS_MAX] = {0}, right[COLUMNS_MAX] = {0}, used = 0, bars = 0;
    const int terminal = table_is_terminal(out);
    for (int c = 0; c < t->column_count; c++) {
        if (t->columns[c].title == NULL) continue;
        width[c] = width_of(t->columns[c].title);
        for (size_t r = 0; r < t->count; r++) {
            const cell *x = &t->rows[r].cells[c];
            if (c >= t->rows[r].count) continue;
            if (x->kind == CELL_NUMBER) right[c] = 1;
            if (x->kind == CELL_BAR) bars++;
            if (x->text != NULL && width_of(x->text) > width[c]) width[c] = width_of(x->text);
        }
        used += width[c] + 2;
    }
    const int room = terminal_width(out) - used - 1;
    const int with_bars = terminal && bars != 0 && room >= 8;
    for (size_t r = 0; r <= t->count; r++) { /* row 0: the headings */
        const row *x = r != 0 ? &t->rows[r - 1] : NULL;
        if (x != NULL && x->gap) fputc('\n', out);
        int pending = 0; /* spaces are held back, so that no line ends in them */
        for (int c = 0; c < t->column_count; c++) {
            if (t->columns[c].title == NULL) continue;
            const cell *y = x != NULL && c < x->count ? &x->cells[c] : NULL;
            const char *text = x == NULL                      ? t->columns[c].title
                               : y != NULL && y->text != NULL ? y->text
                                                              : "";
            const int fill = width[c] - width_of(text);
            if (y != NULL && y->kind == CELL_BAR) {
                if (with_bars) {
                    fprintf(out, "%*s", pending, "");
                    print_bar(out, y->value, room > 40 ? 40 : room);
                    pending = 0;
                }
                continue;
            }
            if (right[c]) pending += fill;
            if (*text != 0) {
                fprintf(out, "%*s", pending, "");
                pending = 0;
                const int bold = terminal && (x == NULL || (y != NULL && y->bold));
                fprintf(out, bold ? "\033[1m%s\033[0m" : "%s", text);
            } else pending += width[c] - fill;
            if (!right[c]) pending += fill;
            pending += 2;
        }
        fputc('\n', out);
    }
}

void table_print(const table *t, output_format format, FILE *out, int indent)
{
    if (format == OUTPUT_CSV) print_csv(t, out);
    else if (format == OUTPUT_TABLE) print_people(t, out);
    else print_json(t, out, indent);
}
