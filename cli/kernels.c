/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels.c - plait kernels: the list of kernels.
 */
#include "cli.h"
#include "options.h"
#include "plait_hazmat.h"
#include "table.h"

#include <string.h>

int cmd_kernels(int argc, char **argv)
{
    output_format format = OUTPUT_TABLE;
    int usable = 0, code;
    const char *family = NULL;
    const option options[] = {
        {"family", OPTION_TEXT, &family, "NAME", "only this family, e.g. chacha20"},
        {"usable", OPTION_FLAG, &usable, NULL, "only kernels that can be used on this CPU"},
        {"format", OPTION_FORMAT, &format, "FORMAT", "table, csv or json"},
    };
    const option_set set = {
        "plait kernels [OPTION]...",
        "Lists the kernels, best first within each family. built: this program contains it.\n"
        "usable: this CPU has what it needs, within PLAIT_CPU. preferred: what its family uses\n"
        "when no kernel is named.",
        options, sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;

    table *t = table_new();
    table_column(t, "family", "family");
    table_column(t, "name", "kernel");
    table_column(t, "needs", "needs");
    table_column(t, "built", "built");
    table_column(t, "usable", "usable");
    table_column(t, "preferred", "preferred");
    plait_kernel_info k;
    const char *last = "";
    size_t count = 0;
    for (size_t i = 0; plait_kernel_at(i, &k) == PLAIT_OK; i++) {
        if (family != NULL && strcmp(family, k.family) != 0) continue;
        if (usable && !k.usable) continue;
        if (count++ != 0 && strcmp(last, k.family) != 0) table_gap(t);
        last = k.family;
        table_row(t);
        table_text(t, k.family);
        table_text(t, k.name);
        if (k.preferred) table_bold(t);
        table_text(t, k.needs);
        table_flag(t, k.built);
        table_flag(t, k.usable);
        table_flag(t, k.preferred);
    }
    if (family != NULL && count == 0 && !usable) {
        cli_error(family, "no such family; see plait kernels");
        table_free(t);
        return CLI_USAGE;
    }
    table_print(t, format, stdout, 0);
    if (format == OUTPUT_JSON) printf("\n");
    table_free(t);
    return CLI_OK;
}
