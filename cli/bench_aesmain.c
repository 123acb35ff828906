/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_aesmain.c - OpenJDK's TestAESMain: plait bench aesmain.
 *
 * Two loops of ops, one after the other, the time of each printed as a whole; only that the loop is
 * taken in slices, and slices with a neighbour on the core are taken again. GCM with an IV of 16
 * zero bytes, a 12-byte tag, 5 bytes of AD. One encode op: key set up anew, output allocated,
 * sealed. One decode op: key set up again in the same object, output allocated, opened, the tag
 * checked. With an offset that is not 0, the text goes in two pieces, all but the last chunk and
 * the last chunk. Java's new Cipher object and its provider look-up have no counterpart.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/race.h"
#include "bench_run.h"
#include "cli.h"
#include "plait.h"
#include "record.h"

#define TAG 12
#define AD  5

typedef struct run {
    plait_alg alg;
    size_t key_len, size, last_chunk;
    size_t encode_in, encode_out, decode_out; /* offsets */
    const char *kernel;
    int no_reinit, pieces, check;
    uint8_t key[32], iv[16], ad[AD];
    uint8_t *text,
        *sealed; /* sealed: size + TAG bytes, or 16 for a kernel by name, whose tags are whole */
    plait_key decode_key;
    size_t tag_len;
} run;

static plait_status make_key(const run *r, plait_key *key)
{
    return r->kernel != NULL ? plait_key_init_with(key, r->alg, r->key, r->key_len, r->kernel)
                             : plait_key_init_tag(key, r->alg, r->key, r->key_len, TAG);
}

/* Returns the output, to be freed; NULL if anything failed. */
static uint8_t *encode(const run *r)
{
    plait_key key;
    plait_status status = make_key(r, &key);
    uint8_t *block = malloc(r->size + r->tag_len + 8), *out = block + r->encode_out;
    const uint8_t *in = r->text + r->encode_in;
    if (block == NULL || status != PLAIT_OK) return NULL;
    if (!r->pieces)
        status = plait_seal(&key, out, out + r->size, r->iv, sizeof r->iv, r->ad, AD, in, r->size);
    else {
        plait_stream s;
        const size_t first = r->size - r->last_chunk;
        status = plait_stream_init(&s, &key, r->iv, sizeof r->iv);
        if (status == PLAIT_OK) status = plait_stream_ad(&s, &key, r->ad, AD);
        if (status == PLAIT_OK) status = plait_stream_seal(&s, &key, out, in, first);
        if (status == PLAIT_OK)
            status = plait_stream_seal(&s, &key, out + first, in + first, r->last_chunk);
        if (status == PLAIT_OK) status = plait_stream_seal_final(&s, &key, out + r->size);
    }
    if (status == PLAIT_OK) return block;
    free(block);
    return NULL;
}

static uint8_t *decode(run *r)
{
    plait_status status = r->no_reinit ? PLAIT_OK : make_key(r, &r->decode_key);
    uint8_t *block = malloc(r->size + 8), *out = block + r->decode_out;
    const uint8_t *in = r->sealed;
    if (block == NULL || status != PLAIT_OK) return NULL;
    if (!r->pieces)
        status = plait_open(&r->decode_key, out, r->iv, sizeof r->iv, r->ad, AD, in, r->size,
                            in + r->size);
    else {
        plait_stream s;
        const size_t first = r->size - r->last_chunk;
        status = plait_stream_init(&s, &r->decode_key, r->iv, sizeof r->iv);
        if (status == PLAIT_OK) status = plait_stream_ad(&s, &r->decode_key, r->ad, AD);
        if (status == PLAIT_OK)
            status = plait_stream_open_unverified(&s, &r->decode_key, out, in, first);
        if (status == PLAIT_OK)
            status = plait_stream_open_unverified(&s, &r->decode_key, out + first, in + first,
                                                  r->last_chunk);
        if (status == PLAIT_OK) status = plait_stream_open_final(&s, &r->decode_key, in + r->size);
    }
    if (status == PLAIT_OK) return block;
    free(block);
    return NULL;
}

static int encode_op(void *context, const message *m)
{
    uint8_t *block = encode(context);
    (void)m;
    free(block);
    return block == NULL;
}

static int decode_op(void *context, const message *m)
{
    run *r = context;
    uint8_t *block = decode(r);
    (void)m;
    const int wrong = block == NULL || (r->check && memcmp(block + r->decode_out,
                                                           r->text + r->encode_in, r->size) != 0);
    free(block);
    return wrong;
}

static void banner(const run *r, const char *kernel, long iterations, long warm, int check,
                   const char *what)
{
    printf("\nalgorithm=AES, mode=GCM, paddingStr=NoPadding, msgSize=%zu, keySize=%zu, "
           "noReinit=%s, checkOutput=%s,\n"
           "encInputOffset=%zu, encOutputOffset=%zu, decOutputOffset=%zu, lastChunkSize=%zu\n"
           "%s: kernel %s, %ld iterations after %ld of warm-up\n",
           r->size, r->key_len * 8, r->no_reinit ? "true" : "false", check ? "true" : "false",
           r->encode_in, r->encode_out, r->decode_out, r->last_chunk, what, kernel, iterations,
           warm);
}

int bench_aesmain(int argc, char **argv)
{
    run r;
    long iterations = 100000, warm = 20000, size = 646, key_bits = 128, in = 0, out = 0,
         decode_out = 0, last = 32, cpu = -1;
    int code, check = 0, no_reinit = 0, record = 0;
    const char *kernel = NULL, *mode = "GCM";
    output_format format = OUTPUT_TABLE;
    const option options[] = {
        {"iterations", OPTION_NUMBER, &iterations, "N", "ops that are timed (100000)"},
        {"warm-up", OPTION_NUMBER, &warm, "N", "ops before (20000)"},
        {"msg-size", OPTION_NUMBER, &size, "BYTES",
         "of a message (646; the published runs: 10000)"},
        {"key-size", OPTION_NUMBER, &key_bits, "BITS", "128, 192 or 256 (128)"},
        {"mode", OPTION_TEXT, &mode, "MODE",
         "GCM, the mode of the published runs; Plait has no CBC"},
        {"no-reinit", OPTION_FLAG, &no_reinit, NULL, "decode with a key that is set up once"},
        {"check-output", OPTION_FLAG, &check, NULL,
         "compare each decoded text, inside the timed loop"},
        {"enc-input-offset", OPTION_NUMBER, &in, "N", "of the text that is encoded, modulo 8 (0)"},
        {"enc-output-offset", OPTION_NUMBER, &out, "N", "of what is encoded, modulo 8 (0)"},
        {"dec-output-offset", OPTION_NUMBER, &decode_out, "N", "of what is decoded, modulo 8 (0)"},
        {"last-chunk-size", OPTION_NUMBER, &last, "BYTES",
         "of the second piece, where an offset is not 0 (32)"},
        {"kernel", OPTION_TEXT, &kernel, "NAME", "this kernel; its tags have 16 bytes"},
        {"record", OPTION_FLAG, &record, NULL,
         "print the published figures and the ratios to them"},
        {"cpu", OPTION_NUMBER, &cpu, "N", "pin to this core (where it happens to run)"},
        {"format", OPTION_FORMAT, &format, "FORMAT", "table, csv or json"},
    };
    const option_set set = {
        "plait bench aesmain [OPTION]...",
        "OpenJDK's TestAESMain with its options and result lines; see docs/BENCHMARKING.md.",
        options, sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    if (strcmp(mode, "GCM") != 0 && strcmp(mode, "gcm") != 0) {
        cli_error(mode, "--mode: only GCM is there");
        return CLI_USAGE;
    }
    if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
        cli_error("--key-size", "is 128, 192 or 256");
        return CLI_USAGE;
    }
    if (iterations < 1) {
        cli_error("--iterations", "needs at least 1");
        return CLI_USAGE;
    }
    memset(&r, 0, sizeof r);
    r.alg = key_bits == 128   ? PLAIT_AES_128_GCM
            : key_bits == 192 ? PLAIT_AES_192_GCM
                              : PLAIT_AES_256_GCM;
    r.key_len = (size_t)key_bits / 8;
    r.size = (size_t)size;
    r.last_chunk = (size_t)(last < size ? last : size);
    r.encode_in = (size_t)in % 8;
    r.encode_out = (size_t)out % 8;
    r.decode_out = (size_t)decode_out % 8;
    r.pieces = (r.encode_in | r.encode_out | r.decode_out) != 0;
    r.kernel = kernel;
    r.no_reinit = no_reinit;
    r.check = check;
    r.tag_len = kernel != NULL ? 16 : TAG;
    for (size_t i = 0; i < sizeof r.key; i++) r.key[i] = (uint8_t)(i * 17 + 3);
    memcpy(r.ad, "plait", AD);
    r.text = cli_alloc(r.size + 8);
    for (size_t i = 0; i < r.size + 8; i++) r.text[i] = (uint8_t)(i * 31 + (i >> 8));
    plait_key key;
    const plait_status status = make_key(&r, &r.decode_key);
    if (status != PLAIT_OK || make_key(&r, &key) != PLAIT_OK) {
        cli_error(kernel != NULL ? kernel : "key", "%s", plait_status_text(status));
        return CLI_USAGE;
    }
    uint8_t *block = encode(&r);
    if (block == NULL) {
        cli_error("encode", "failed");
        return CLI_FAILED;
    }
    r.sealed = cli_alloc(r.size + 16);
    memcpy(r.sealed, block + r.encode_out, r.size + r.tag_len);
    free(block);
    block = decode(&r);
    if (block == NULL || memcmp(block + r.decode_out, r.text + r.encode_in, r.size) != 0) {
        cli_error("decode", "does not give back the text");
        return CLI_FAILED;
    }
    free(block);
    r.sealed[r.size / 2] ^= 1;
    block = decode(&r);
    r.sealed[r.size / 2] ^= 1;
    if (block != NULL) {
        cli_error("decode", "accepts a damaged message");
        return CLI_FAILED;
    }

    clock_pin((int)cpu);
    race_core core;
    race_core_start(&core, 1e-3, 1);
    double ms[2] = {0, 0}, again[2] = {0, 0};
    long failed = 0;
    for (int op = 0; op < 2; op++) {
        if (format == OUTPUT_TABLE)
            banner(&r, plait_key_kernel(&key), iterations, warm, check,
                   op == 0 ? "TestAESEncode" : "TestAESDecode");
        static const message none;
        race_lane lane;
        memset(&lane, 0, sizeof lane);
        lane.worker.fn = op == 0 ? encode_op : decode_op;
        lane.worker.context = &r;
        lane.messages = &none;
        lane.message_count = 1;
        lane.failures += worker_run(&lane.worker, &none, 1, warm);
        race_size(&core, &lane);
        if (lane.ops > iterations) lane.ops = iterations;
        /* As many slices as hold the iterations; with a neighbour who stays, no more than three
         * times as many. */
        const size_t wanted = (size_t)((iterations + lane.ops - 1) / lane.ops);
        while (race_alone(&core, &lane) < wanted && lane.count < 3 * wanted)
            race_slice(&core, &lane);
        const race_summary s = race_summarise(&core, &lane, wanted);
        double seconds = 0;
        for (size_t i = 0; i < s.count; i++) seconds += 1 / s.rates[i];
        ms[op] = seconds / (double)s.count * (double)iterations * 1e3;
        again[op] =
            100.0 * (double)(lane.count - s.count + lane.cut) / (double)(lane.count + lane.cut);
        failed += lane.failures;
        free(s.rates);
        lane.worker.fn = NULL; /* nothing of it to be freed */
        race_lane_free(&lane);
    }
    table *t = table_new();
    table_column(t, "test", NULL);
    table_column(t, "kernel", NULL);
    table_column(t, "bytes", NULL);
    table_column(t, "iterations", NULL);
    table_column(t, "ms", NULL);
    table_column(t, "gb_per_s", NULL);
    table_column(t, "again_percent", NULL);
    for (int op = 0; op < 2; op++) {
        static const char *const names[2] = {"TestAESEncode", "TestAESDecode"};
        const double gb = (double)iterations * (double)r.size / ms[op] * 1e-6;
        if (format == OUTPUT_TABLE) {
            printf("%s%s runtime was %.6f ms", op == 0 ? "\n" : "", names[op], ms[op]);
            if (record) {
                printf("   %.4f GB/s", gb);
                for (size_t i = 0; i < record_figure_count; i++)
                    if (strcmp(record_figures[i].bench, names[op]) == 0 &&
                        record_figures[i].size == r.size)
                        printf("; JDK %s %.4f, ratio %.2f", record_figures[i].who,
                               record_figures[i].gb_per_s, gb / record_figures[i].gb_per_s);
            }
            printf("\n");
        }
        table_row(t);
        table_text(t, names[op]);
        table_text(t, plait_key_kernel(&key));
        table_number(t, (double)r.size, 0);
        table_number(t, (double)iterations, 0);
        table_number(t, ms[op], 6);
        table_number(t, gb, 6);
        table_number(t, again[op], 3);
    }
    if (format == OUTPUT_TABLE)
        printf("\nTaken again for a neighbour on the core, or because the system cut them: %.1f %% "
               "and %.1f %% of the slices.\n",
               again[0], again[1]);
    if (record && format == OUTPUT_TABLE) {
        for (size_t i = 0; i < record_source_count; i++)
            if (record_find("TestAESEncode", 10000, record_sources[i].who) > 0)
                printf("%-8s %s; %d bytes\n", record_sources[i].who, record_sources[i].what, 10000);
    }
    if (format != OUTPUT_TABLE) {
        table_print(t, format, stdout, 0);
        if (format == OUTPUT_JSON) printf("\n");
    }
    table_free(t);
    if (failed != 0) cli_error("aesmain", "%ld operations failed", failed);
    return failed == 0 ? CLI_OK : CLI_FAILED;
}
