/* SPDX-License-Identifier: Apache-2.0
 *
 * selftest.c - plait selftest: the library's known-answer tests.
 */
#include "cli.h"
#include "options.h"
#include "plait_hazmat.h"
#include "table.h"

#include <string.h>

int cmd_selftest(int argc, char **argv)
{
    output_format format = OUTPUT_TABLE;
    int all = 0, code;
    text_list names = {{NULL}, 0};
    const option options[] = {
        {"kernel", OPTION_LIST, &names, "NAME", "this kernel; may be given again"},
        {"all", OPTION_FLAG, &all, NULL,
         "all kernels that this CPU can use, not only the preferred ones"},
        {"format", OPTION_FORMAT, &format, "FORMAT", "table, csv or json"},
    };
    const option_set set = {
        "plait selftest [OPTION]...",
        "Runs the known-answer tests of the kernels that are used by default, or of those named.\n"
        "Takes milliseconds. Exit code 1: a kernel gives a wrong answer on this CPU, or can not\n"
        "be used here.",
        options, sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    if (all && names.count != 0) {
        cli_error("--all", "says all; --kernel names some");
        return CLI_USAGE;
    }

    table *t = table_new();
    table_column(t, "kernel", "kernel");
    table_column(t, "passed", NULL);
    table_column(t, NULL, "result");
    plait_kernel_info k;
    size_t passed = 0, failed = 0;
    const size_t rows = names.count != 0 ? names.count : plait_kernel_count();
    for (size_t i = 0; i < rows; i++) {
        const char *name = names.count != 0 ? names.items[i] : NULL;
        if (name == NULL) {
            if (plait_kernel_at(i, &k) != PLAIT_OK || !(all ? k.usable : k.preferred)) continue;
            name = k.name;
        }
        const plait_status status = plait_selftest(name);
        status == PLAIT_OK ? passed++ : failed++;
        table_row(t);
        table_text(t, name);
        table_flag(t, status == PLAIT_OK);
        table_text(t, status == PLAIT_OK        ? "passed"
                      : status == PLAIT_ERR_TAG ? "FAILED: wrong answer"
                                                : plait_status_text(status));
    }
    table_print(t, format, stdout, 0);
    if (format == OUTPUT_JSON) printf("\n");
    if (format == OUTPUT_TABLE) printf("%zu passed, %zu failed\n", passed, failed);
    table_free(t);
    return failed == 0 ? CLI_OK : CLI_FAILED;
}
