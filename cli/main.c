/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - the table of subcommands, and the one warning about PLAIT_CPU.
 */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plait_hazmat.h"

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} command;

static const command commands[] = {
    {"bench", cmd_bench, "measure this CPU: kernels, other libraries, comparisons"},
    {"kernels", cmd_kernels, "list the kernels, what they need and which are used"},
    {"cpu", cmd_cpu, "list the CPU features that kernels ask about, and the machine's facts"},
    {"tune", cmd_tune, "race all kernels: is the built-in choice the best on this CPU?"},
    {"selftest", cmd_selftest, "run the known-answer tests of kernels"},
    {"version", cmd_version, "print the version"},
};
#define COMMANDS (sizeof commands / sizeof *commands)

static void line(const char *mark, const char *what, const char *why, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "plait: %s%s: ", mark, what);
    vfprintf(stderr, why, args);
    fputc('\n', stderr);
}

void cli_error(const char *what, const char *why, ...)
{
    va_list args;
    va_start(args, why);
    line("", what, why, args);
    va_end(args);
}

void cli_warn(const char *what, const char *why, ...)
{
    va_list args;
    va_start(args, why);
    line("warning: ", what, why, args);
    va_end(args);
}

void *cli_alloc(size_t size)
{
    void *p = calloc(1, size != 0 ? size : 1);
    if (p == NULL) {
        cli_error("memory", "%zu bytes are not to be had", size);
        exit(CLI_FAILED);
    }
    return p;
}

char *cli_format(const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, args);
    char *text = cli_alloc((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

/* The library ignores what it does not understand in PLAIT_CPU and never uses what the CPU lacks;
 * who set the variable should hear of both. One line, whatever the number of words. */
static void warn_about_environment(void)
{
    const char *spec = getenv("PLAIT_CPU");
    while (spec != NULL && *spec != 0) {
        const size_t len = strcspn(spec, ", \t");
        const char *word = spec;
        spec += len + (spec[len] != 0);
        if (len == 0 || (len == 3 && memcmp(word, "ref", 3) == 0)) continue;
        const size_t minus = word[0] == '-';
        plait_cpu_feature feature;
        int known = 0;
        for (size_t i = 0; plait_cpu_feature_at(i, &feature) == PLAIT_OK; i++) {
            if (strlen(feature.name) != len - minus ||
                memcmp(feature.name, word + minus, len - minus) != 0)
                continue;
            known = 1;
            break;
        }
        if (!known) {
            cli_warn("PLAIT_CPU", "'%.*s' is not a CPU feature and was ignored; see plait cpu",
                     (int)len, word);
            return;
        }
        if (!minus && !feature.present) {
            cli_warn("PLAIT_CPU", "this CPU has no %s; only what it has is used", feature.name);
            return;
        }
    }
}

static void help(FILE *out)
{
    fputs("usage: plait COMMAND [OPTION]...\n\n"
          "Plait, authenticated encryption at the speed of the CPU it runs on.\n\ncommands:\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].what);
    fputs("\nplait COMMAND --help tells the options of a command.\n"
          "PLAIT_CPU in the environment limits the CPU features in use, e.g. PLAIT_CPU=avx2 or "
          "PLAIT_CPU=-vaes.\n"
          "exit codes: 0 all is well, 1 a check failed, 2 the command line was wrong\n",
          out);
}

/* The exit code, once all output is where it belongs. */
static int written(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    cli_error("output", "could not be written");
    return code == CLI_OK ? CLI_FAILED : code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        help(stdout);
        return written(CLI_OK);
    }
    if (strcmp(name, "--version") == 0) name = "version";
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i].name) != 0) continue;
        warn_about_environment();
        return written(commands[i].run(argc - 1, argv + 1));
    }
    cli_error(name, "no such command; see plait --help");
    return CLI_USAGE;
}
