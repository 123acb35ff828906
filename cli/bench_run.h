/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_run.h - what all measuring subcommands share: options, candidates, the run itself, its
 * results.
 */
#ifndef PLAIT_CLI_BENCH_RUN_H
#define PLAIT_CLI_BENCH_RUN_H

#include "bench/race.h"
#include "bench/work.h"
#include "machine.h"
#include "options.h"
#include "peers.h"
#include "table.h"

#define CANDIDATES_MAX 128
#define PEERS_MAX      32

typedef struct result {
    const char *bench; /* of its group */
    task task;
    candidate candidate;
    race_summary summary;
    double *passes; /* of bench save: the median cycles per op of each pass */
    size_t pass_count;
} result;

typedef struct bench {
    /* options */
    double seconds; /* for the whole run */
    double slice_ms;
    long cpu; /* pin to this core; below 0: where it runs */
    long seed;
    size_t rounds; /* per cell, without a neighbour; 0: as many as the time allows */
    int all, no_peers, record;
    text_list kernels, peer_specs, size_texts;
    const char *html, *svg; /* where pictures go */
    output_format format;
    /* what is there */
    machine machine;
    int core_number;
    race_core core;
    peer peers[PEERS_MAX];
    size_t peer_count;
    /* what came of it */
    result *results;
    size_t result_count, result_room;
    int verified; /* once is enough */
    int moving;   /* buffers at new places in each run */
    double started, ended;
} bench;

/* The defaults; then the options that set them, appended to `to`; returns how many. */
void bench_defaults(bench *b, double seconds);
size_t bench_options(bench *b, option *to);
#define BENCH_OPTIONS 12

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* The message sizes asked for, or the usual ones. How many; 0 after a complaint. */
#define BENCH_SIZES 32
size_t bench_sizes(const bench *b, size_t sizes[BENCH_SIZES], const size_t *usual, size_t count);

/* Works by their names. 0 after a complaint. */
int bench_works(const text_list *names, work_id list[WORK_COUNT]);

/* Can a file be written there? Asked before what takes long; leaves what it holds. 0 after a
 * complaint. */
int bench_writable(const char *path);

/* Pins, reads the machine, learns the core, loads the peers asked for and those in `wanted` (NULL:
 * none) that are installed. 0 after a complaint. */
int bench_start(bench *b, const char *const *wanted);

/* Plait's kernels for a work, best first, without doubles; --kernel and --all decide which. Then
 * the peers that can do it. Returns how many. The first is Plait's own choice, made by the library
 * in each op as for any program; with ALIKE, chosen by name like all others, because that costs
 * time: what is compared must be called alike. */
enum { KERNELS_NONE, KERNELS_USUAL, KERNELS_ALIKE };
size_t bench_candidates(bench *b, const task *t, candidate *to, size_t max, int kernels,
                        int with_peers);

/* What it costs to name the kernel in each op rather than to leave the choice to the library:
 * cycles, for ChaCha20 and for a key of AES-128-GCM. */
void bench_name_costs(double *chacha20, double *gcm_key);

/* Plait's portable kernels for a work: what all others are checked against. */
candidate bench_reference(work_id work);

/* A candidate by what the user calls it: "plait", a kernel's name, "cipher+mac", or a peer as
 * peer_load takes it. 0 after a complaint. */
int bench_named(bench *b, const char *text, candidate *to);

/* What a candidate of Plait is a kernel for, by its family; WORK_COUNT if it names no kernel. */
work_id bench_work_of(const candidate *c);

/* What races against each other: every candidate on every task. */
typedef struct group {
    /* "full.CipherBench.ChaCha20.encrypt"; NULL: not one of the founding benchmarks */
    const char *bench;
    /* how many, each under its own key, the first of its bytes; 0: two that take turns */
    size_t messages;
    task tasks[2];
    size_t task_count;
    candidate *candidates;
    size_t candidate_count;
} group;

/* Verifies all groups, then measures them, in b->seconds. 0 if a candidate gave a wrong result:
 * nothing was measured then. */
int bench_run(bench *b, const group *groups, size_t count);

/* The machine, the clock and the noise, as lines for people. */
void bench_print_facts(const bench *b, FILE *out);

/* Every result as a row for machines, in CSV, JSON or JMH's JSON; people's tables are each
 * subcommand's own. */
void bench_print_rows(const bench *b, const char *command, FILE *out);

/* The columns of JMH: Mode, Cnt, Score, Error, Units; after those that a benchmark has for its
 * parameters. */
void bench_jmh_columns(table *t);
void bench_jmh_cells(table *t, const result *r);

/* With --record: columns for the published figures and the ratios to them, for whoever has a figure
 * among these benchmarks; the cells; what the short names stand for. */
void bench_record_columns(const bench *b, table *t);
void bench_record_cells(const bench *b, table *t, const result *r);
void bench_record_legend(const bench *b);

double bench_gb_per_s(const result *r);
double bench_cycles_per_byte(const result *r);

/* The result for this candidate and task, or NULL. */
const result *bench_find(const bench *b, const task *t, const char *candidate);

/* What the core can execute at most, in cycles per byte, for each mix of bench/limits.h: measured
 * now. And that for the kernel of a result, with what it consists of; not a number where nothing is
 * known. */
double *bench_limit_cycles(void);
double bench_limit_of(const result *r, const double *cycles, char *why, size_t size);

/* A line on stderr that overwrites itself, on terminals only. NULL: wipes it. */
void bench_progress(const bench *b, const char *what, double done);

int bench_main(int argc, char **argv);
int bench_cipher(int argc, char **argv);
int bench_compare(int argc, char **argv);
int bench_promise(int argc, char **argv);
int bench_poly1305(int argc, char **argv);
int bench_aesmain(int argc, char **argv);
int bench_peers(int argc, char **argv);
int bench_model(int argc, char **argv);
int bench_save(int argc, char **argv);
int bench_limits(int argc, char **argv);

/* plait bench compare FILE FILE; the rest of its options as they are there. */
int bench_compare_files(const char *a, const char *b, double margin, int force, int strict,
                        output_format format);

/* An op as OpenJDK's CipherBench has it, see bench_cipher.c. */
task bench_founding_task(work_id work, int open, size_t len);

#endif
