/* SPDX-License-Identifier: Apache-2.0
 *
 * cpu.c - plait cpu: the CPU features that kernels ask about, and the machine's facts.
 */
#include "cli.h"
#include "machine.h"
#include "options.h"
#include "plait_hazmat.h"
#include "table.h"

int cmd_cpu(int argc, char **argv)
{
    output_format format = OUTPUT_TABLE;
    int all = 0, code;
    const option options[] = {
        {"all", OPTION_FLAG, &all, NULL, "also the features of other architectures"},
        {"format", OPTION_FORMAT, &format, "FORMAT", "table, csv or json (csv: the features only)"},
    };
    const option_set set = {
        "plait cpu [OPTION]...",
        "Lists the CPU features that kernels ask about: whether this CPU and the operating\n"
        "system have them, and whether PLAIT_CPU left them enabled.",
        options, sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;

    machine m;
    machine_read(&m);
    table *t = table_new();
    table_column(t, "name", "feature");
    table_column(t, "present", "present");
    table_column(t, "enabled", "enabled");
    table_column(t, "kind", "kind");
    table_column(t, "what", "what");
    plait_cpu_feature f;
    for (size_t i = 0; plait_cpu_feature_at(i, &f) == PLAIT_OK; i++) {
        /* People get what concerns their architecture; what the CPU lacks is told apart by its
         * description, which names the architecture first. */
        if (format == OUTPUT_TABLE && !all && !f.present) {
#if defined(__x86_64__) || defined(__i386__)
            if (f.what[0] == 'A' && f.what[1] == 'A') continue;
            if (f.what[0] == 'S') continue;
#elif defined(__aarch64__)
            if (f.what[0] == 'x' || f.what[0] == 'S') continue;
#elif defined(__sparc__)
            if (f.what[0] == 'x' || (f.what[0] == 'A' && f.what[1] == 'A')) continue;
#endif
        }
        table_row(t);
        table_text(t, f.name);
        table_flag(t, f.present);
        table_flag(t, f.enabled);
        table_text(t, f.level > 0 ? "level" : f.level == 0 ? "extension" : "preference");
        table_text(t, f.what);
    }
    if (format == OUTPUT_JSON) {
        printf("{\n  \"machine\": ");
        machine_print(&m, format, stdout, 2);
        printf(",\n  \"features\": ");
        table_print(t, format, stdout, 2);
        printf("\n}\n");
    } else {
        if (format == OUTPUT_TABLE) {
            machine_print(&m, format, stdout, 0);
            printf("\n");
        }
        table_print(t, format, stdout, 0);
    }
    table_free(t);
    return CLI_OK;
}
