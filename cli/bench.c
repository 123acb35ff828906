/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.c - plait bench: its subcommands, and what it does without one.
 */
#include <stdio.h>
#include <string.h>

#include "bench_run.h"
#include "cli.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"cipher", bench_cipher},
    {"poly1305", bench_poly1305},
    {"aesmain", bench_aesmain},
    {"peers", bench_peers},
    {"compare", bench_compare},
    {"save", bench_save},
    {"limits", bench_limits},
    {"promise", bench_promise},
};

int cmd_bench(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-') {
        for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
            if (strcmp(argv[1], subcommands[i].name) == 0)
                return subcommands[i].run(argc - 1, argv + 1);
        cli_error(argv[1], "no such benchmark; see plait bench --help");
        return CLI_USAGE;
    }
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--model", 7) == 0) return bench_model(argc, argv);
    return bench_main(argc, argv);
}
