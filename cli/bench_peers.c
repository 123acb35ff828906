/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_peers.c - plait bench peers: Plait against every other library on the machine, keyed once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"
#include "cli.h"

/* One table per work and direction: a line for each size, a column for each library. */
static void print_works(const bench *b, const group *groups, size_t count)
{
    for (size_t i = 0; i < count;) {
        const group *first = &groups[i];
        const task *shape = &first->tasks[0];
        const work_info *w = &work_infos[shape->work];
        table *t = table_new();
        table_column(t, NULL, "bytes");
        for (size_t c = 0; c < first->candidate_count; c++)
            table_column(t, NULL,
                         first->candidates[c].is_default ? "plait" : first->candidates[c].name);
        table_column(t, NULL, "best other");
        table_column(t, NULL, "plait/it");
        table_column(t, NULL, "");
        table_column(t, NULL, "");
        size_t last = i;
        for (; last < count && groups[last].candidates == first->candidates &&
               groups[last].tasks[0].open == shape->open;
             last++) {
            const group *g = &groups[last];
            double best = 0, other = 0, own = 0;
            int doubtful = 0;
            const char *who = "";
            for (size_t c = 0; c < g->candidate_count; c++) {
                const result *r = bench_find(b, &g->tasks[0], g->candidates[c].name);
                if (r == NULL) continue;
                if (r->summary.rate > best) best = r->summary.rate;
                doubtful |= r->summary.doubtful;
                const source *from = r->candidate.source;
                /* What the ratio is of: the last of Plait itself and Plait's batch. */
                if (r->candidate.is_default || from == &source_plait_batch) own = r->summary.rate;
                else if (from != &source_plait && from != &source_plait_library &&
                         r->summary.rate > other) {
                    other = r->summary.rate;
                    who = r->candidate.name;
                }
            }
            table_row(t);
            table_number(t, (double)g->tasks[0].len, 0);
            for (size_t c = 0; c < g->candidate_count; c++) {
                const result *r = bench_find(b, &g->tasks[0], g->candidates[c].name);
                if (r == NULL) {
                    table_skip(t);
                    continue;
                }
                if (r->task.len <= 256) table_number(t, r->summary.cycles, 0);
                else table_number(t, bench_cycles_per_byte(r), 3);
                if (r->summary.rate == best) table_bold(t);
            }
            table_text(t, who);
            table_number(t, other > 0 && own > 0 ? own / other : NAN, 2);
            table_text(t, doubtful ? "?" : "");
            table_bar(t, other > 0 ? own / other / 4 : 0);
        }
        printf("\n%s%s\n", w->title,
               w->kind != WORK_AEAD ? ""
               : shape->open        ? ", decrypt"
                                    : ", encrypt");
        for (size_t c = 0; c < first->candidate_count; c++)
            if (first->candidates[c].is_default) printf("plait: %s\n", first->candidates[c].name);
        table_print(t, OUTPUT_TABLE, stdout, 0);
        table_free(t);
        i = last;
    }
}

int bench_peers(int argc, char **argv)
{
    static const size_t default_sizes[] = {16, 64, 256, 1024, 1350, 4096, 16384, 65536};
    static const work_id default_works[] = {WORK_CHACHA20,          WORK_POLY1305,
                                            WORK_CHACHA20_POLY1305, WORK_AES_128_GCM,
                                            WORK_AES_256_GCM,       WORK_AES_128_GMAC};
    bench *b = cli_alloc(sizeof *b);
    text_list works = {{NULL}, 0};
    int code, kernels = 0, fresh = 0;
    long batch = 0;
    bench_defaults(b, 60);
    option options[BENCH_OPTIONS + 4];
    size_t n = bench_options(b, options);
    const option own[] = {
        {"work", OPTION_LIST, &works, "WORK",
         "chacha20, poly1305, chacha20-poly1305, aes-128-gcm, aes-256-gcm,\n"
         "aes-128-gmac, aes-128-ctr, aes-256-ctr"},
        {"kernels", OPTION_FLAG, &kernels, NULL,
         "every usable kernel, not only what Plait uses here"},
        {"batch", OPTION_NUMBER, &batch, "N",
         "AEADs only, and Plait also with N messages in a call, for which\n"
         "plait/it then stands"},
        {"fresh", OPTION_FLAG, &fresh, NULL,
         "AEADs only, the key set up anew for each message"},
    };
    memcpy(options + n, own, sizeof own);
    n += sizeof own / sizeof *own;
    const option_set set = {
        "plait bench peers [OPTION]...",
        "Plait against every other library that is installed: keyed once, a new nonce per message, "
        "no AD. Cycles per\n"
        "message up to 256 bytes, cycles per byte above. aws-lc and boringssl have no name of "
        "their own to be found\n"
        "by: --peer aws-lc=/path/libcrypto.so. Naming a peer leaves out those that are not named.",
        options, n, 1};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    size_t sizes[BENCH_SIZES];
    const size_t size_count = bench_sizes(b, sizes, default_sizes, COUNT_OF(default_sizes));
    if (size_count == 0) return CLI_USAGE;
    if (batch > 4096 || (batch > 0 && fresh)) {
        cli_error("--batch", batch > 4096 ? "at most 4096" : "not with --fresh");
        return CLI_USAGE;
    }
    work_id list[WORK_COUNT];
    size_t work_count = works.count;
    if (!bench_works(&works, list)) return CLI_USAGE;
    if (work_count == 0) {
        memcpy(list, default_works, sizeof default_works);
        work_count = COUNT_OF(default_works);
    }
    /* Another build of Plait is raced only when it is asked for. */
    const char *wanted[PEERS_MAX];
    size_t wanted_count = 0;
    for (size_t i = 0; peer_sources[i] != NULL; i++)
        if (peer_sources[i] != &source_plait_library)
            wanted[wanted_count++] = peer_sources[i]->name;
    wanted[wanted_count] = NULL;
    if (!bench_start(b, wanted)) return CLI_USAGE;

    group *groups = cli_alloc(2 * WORK_COUNT * 32 * sizeof *groups);
    size_t at = 0;
    for (size_t w = 0; w < work_count; w++) {
        task shape = task_plain(list[w], 0, 16);
        if ((batch > 0 || fresh) && work_infos[list[w]].kind != WORK_AEAD) continue;
        shape.fresh = fresh;
        candidate *who = cli_alloc(CANDIDATES_MAX * sizeof *who);
        size_t found = bench_candidates(b, &shape, who, CANDIDATES_MAX - 1,
                                        kernels || b->all ? KERNELS_USUAL : KERNELS_NONE, 1);
        if (batch > 0) who[found++] = peer_plait_batch((size_t)batch);
        for (int open = 0; open < (work_infos[list[w]].kind == WORK_AEAD ? 2 : 1); open++)
            for (size_t i = 0; i < size_count; i++) {
                group *g = &groups[at++];
                g->candidates = who;
                g->candidate_count = found;
                g->tasks[g->task_count] = task_plain(list[w], open, sizes[i]);
                g->tasks[g->task_count++].fresh = fresh;
            }
    }
    const int good = bench_run(b, groups, at);
    if (b->result_count == 0) return CLI_FAILED;
    size_t doubtful = 0;
    for (size_t i = 0; i < b->result_count; i++) doubtful += (size_t)b->results[i].summary.doubtful;
    if (b->format == OUTPUT_TABLE) {
        bench_print_facts(b, stdout);
        for (size_t i = 0; i < wanted_count && b->peer_specs.count == 0 && !b->no_peers; i++) {
            int found = 0;
            for (size_t p = 0; p < b->peer_count; p++)
                found |= strcmp(b->peers[p].label, wanted[i]) == 0;
            if (!found) printf("%-11s %s\n", "absent", wanted[i]);
        }
        print_works(b, groups, at);
        printf("\nCycles per message up to 256 bytes, cycles per byte above; %s, a new "
               "12-byte nonce per message, no\n"
               "AD, 16-byte tags, decrypt with the tag checked. plait/it: how many times as fast "
               "as the best other.\n"
               "? with a neighbour on the core nearly all the time: %zu of %zu figures%s.\n",
               fresh ? "a new key" : "keyed once", doubtful, b->result_count,
               2 * doubtful > b->result_count ? "; better repeated later" : "");
    } else bench_print_rows(b, "bench peers", stdout);
    return good ? CLI_OK : CLI_FAILED;
}
