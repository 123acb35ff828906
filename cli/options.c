/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c - see options.h.
 */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void help(const option_set *set)
{
    printf("usage: %s\n", set->usage);
    if (set->about != NULL) printf("\n%s\n", set->about);
    printf("\noptions:\n");
    for (size_t i = 0; i < set->count; i++) {
        const option *o = &set->options[i];
        if (o->what == NULL) continue;
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument != NULL ? " " : "",
                 o->argument != NULL ? o->argument : "");
        /* Further lines of a long explanation line up under the first. */
        printf("  %-24s ", left);
        for (const char *p = o->what; *p != 0; p++) {
            putchar(*p);
            if (*p == '\n') printf("%27s", "");
        }
        putchar('\n');
    }
    printf("  %-24s %s\n", "--help", "print this");
}

long options_number(const char *text)
{
    char *end;
    if (*text < '0' || *text > '9') return -1;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0) return -1;
    long unit = 1;
    if (*end == 'k' || *end == 'K') unit = 1024, end++;
    else if (*end == 'M') unit = 1024L * 1024, end++;
    if (*end != 0 || value > (1L << 30) / unit) return -1;
    return value * unit;
}

static int set_list(text_list *list, const char *text)
{
    while (*text != 0) {
        const size_t len = strcspn(text, ",");
        if (len > 0) {
            if (list->count == TEXT_LIST_MAX) return -1;
            char *word = cli_alloc(len + 1);
            memcpy(word, text, len);
            list->items[list->count++] = word;
        }
        text += len + (text[len] != 0);
    }
    return 0;
}

static int set_format(const option_set *set, output_format *format, const char *text)
{
    static const char *const names[] = {"table", "csv", "json", "jmh"};
    for (int i = 0; i < (set->with_jmh ? 4 : 3); i++)
        if (strcmp(text, names[i]) == 0) {
            *format = (output_format)i;
            return 0;
        }
    return -1;
}

/* Returns NULL, or what the value should have been. */
static const char *set_value(const option_set *set, const option *o, const char *text)
{
    switch (o->kind) {
    case OPTION_FLAG:
        *(int *)o->value = 1;
        return NULL;
    case OPTION_TEXT:
        *(const char **)o->value = text;
        return NULL;
    case OPTION_NUMBER: {
        const long value = options_number(text);
        if (value < 0) return "a whole number";
        *(long *)o->value = value;
        return NULL;
    }
    case OPTION_REAL: {
        char *end;
        const double value = strtod(text, &end);
        if (end == text || *end != 0 || !isfinite(value) || value <= 0) return "a number above 0";
        *(double *)o->value = value;
        return NULL;
    }
    case OPTION_LIST:
        return set_list(o->value, text) == 0 ? NULL : "a shorter list";
    case OPTION_FORMAT:
        return set_format(set, o->value, text) == 0 ? NULL
               : set->with_jmh                      ? "table, csv, json or jmh"
                                                    : "table, csv or json";
    }
    return "understood";
}

int options_read(const option_set *set, int argc, char **argv, const char **operands, int max,
                 int *exit_code)
{
    int count = 0, only_operands = 0;
    *exit_code = CLI_USAGE;
    /* The words before the first option or operand of the usage line name the command: "plait
     * bench". */
    const int name_len = (int)strcspn(set->usage, "[A");
    const int name_end = name_len > 0 && set->usage[name_len - 1] == ' ' ? name_len - 1 : name_len;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (only_operands || word[0] != '-' || word[1] == 0) {
            if (count == max) {
                cli_error(word, "one operand too many; see %.*s --help", name_end, set->usage);
                return -1;
            }
            operands[count++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_operands = 1;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            help(set);
            *exit_code = CLI_OK;
            return -1;
        }
        const size_t len = strcspn(word, "=");
        const option *found = NULL;
        for (size_t k = 0; k < set->count && word[1] == '-'; k++)
            if (strlen(set->options[k].name) == len - 2 &&
                memcmp(set->options[k].name, word + 2, len - 2) == 0)
                found = &set->options[k];
        if (found == NULL) {
            cli_error(word, "no such option; see %.*s --help", name_end, set->usage);
            return -1;
        }
        const char *value = word[len] == '=' ? word + len + 1 : NULL;
        if (found->kind == OPTION_FLAG && value != NULL) {
            cli_error(word, "takes no value");
            return -1;
        }
        if (found->kind != OPTION_FLAG && value == NULL) {
            if (i + 1 == argc) {
                cli_error(word, "needs a value: %s", found->argument);
                return -1;
            }
            value = argv[++i];
        }
        const char *wanted = set_value(set, found, value);
        if (wanted != NULL) {
            cli_error(value, "--%s needs %s", found->name, wanted);
            return -1;
        }
    }
    *exit_code = CLI_OK;
    return count;
}
