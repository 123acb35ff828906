/* SPDX-License-Identifier: Apache-2.0
 *
 * cli.h - what the subcommands share: exit codes, error lines, what kind of output is wanted.
 */
#ifndef PLAIT_CLI_H
#define PLAIT_CLI_H

#include <stddef.h>

/* Exit codes of the program. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

#if defined(__GNUC__)
#define CLI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CLI_PRINTF(fmt, args)
#endif

/* One line on stderr: "plait: what: why". */
void cli_error(const char *what, const char *why, ...) CLI_PRINTF(2, 3);

/* As cli_error, marked as a warning: the work goes on. */
void cli_warn(const char *what, const char *why, ...) CLI_PRINTF(2, 3);

/* malloc that does not return when there is no memory. The block is zero. */
void *cli_alloc(size_t size);

/* printf into a new string. */
char *cli_format(const char *fmt, ...) CLI_PRINTF(1, 2);

/* Subcommands. argv[0] is the subcommand's name; the value is the exit code. */
int cmd_bench(int argc, char **argv);
int cmd_cpu(int argc, char **argv);
int cmd_kernels(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_version(int argc, char **argv);

#endif
