/* SPDX-License-Identifier: Apache-2.0
 *
 * version.c - plait version.
 */
#include "cli.h"
#include "machine.h"
#include "options.h"
#include "plait.h"

#include <stdio.h>

int cmd_version(int argc, char **argv)
{
    output_format format = OUTPUT_TABLE;
    int code;
    const option options[] = {{"format", OPTION_FORMAT, &format, "FORMAT", "table, csv or json"}};
    const option_set set = {"plait version [OPTION]...",
                            "Prints the version and the compiler that made the program.", options,
                            sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    machine m;
    machine_read(&m);
    if (format == OUTPUT_TABLE) printf("plait %s (%s, %s)\n", plait_version(), m.compiler, m.arch);
    else {
        table *t = table_new();
        table_column(t, "version", "version");
        table_column(t, "compiler", "compiler");
        table_column(t, "arch", "arch");
        table_row(t);
        table_text(t, plait_version());
        table_text(t, m.compiler);
        table_text(t, m.arch);
        table_print(t, format, stdout, 0);
        if (format == OUTPUT_JSON) printf("\n");
        table_free(t);
    }
    return CLI_OK;
}
