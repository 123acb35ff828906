/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_model.c - plait bench --model: the speed of the AArch64 kernels by model, where there is no
 * such machine.
 *
 * Takes the main loop of each kernel from its object code and has llvm-mca price it. That is a
 * table of latencies and pipes, not a measurement: every line says "model".
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/kernel.h"
#include "bench_run.h"
#include "cli.h"
#include "plait_hazmat.h"
#include "table.h"

/* GB/s of ChaCha20.encrypt at 16 KiB, as published with JDK-8350126. */
static const struct {
    const char *cpu, *kernel;
    double gb_per_s;
} published[] = {
    {"cortex-a72", "chacha20_neon_row", 0.205},
    {"cortex-a72", "chacha20_neon_row_interleaved", 0.288},
    {"cortex-a72", "chacha20_neon_block", 0.196},
    {"cortex-a72", "chacha20_neon_block_interleaved", 0.316},
    {"neoverse-n1", "chacha20_neon_row", 0.752},
    {"neoverse-n1", "chacha20_neon_row_interleaved", 0.802},
    {"neoverse-n1", "chacha20_neon_block", 0.724},
    {"neoverse-n1", "chacha20_neon_block_interleaved", 0.813},
    {"apple-m1", "chacha20_neon_row", 1.233},
    {"apple-m1", "chacha20_neon_row_interleaved", 1.226},
    {"apple-m1", "chacha20_neon_block", 1.301},
    {"apple-m1", "chacha20_neon_block_interleaved", 1.317},
};
#define PUBLISHED (sizeof published / sizeof *published)

static const char targets[] =
    "+neon,+aes,+sha2,+sha3"; /* what the kernels need, in words that LLVM 14 knows */

/* A plus sign behind a model's name: mended. */
static int is_cpu(const char *model, const char *cpu)
{
    const size_t n = strlen(cpu);
    return strncmp(model, cpu, n) == 0 && (model[n] == 0 || strcmp(model + n, "+") == 0);
}

static double published_find(const char *model, const char *kernel)
{
    for (size_t i = 0; i < PUBLISHED; i++)
        if (is_cpu(model, published[i].cpu) &&
            (kernel == NULL || strcmp(published[i].kernel, kernel) == 0))
            return published[i].gb_per_s;
    return NAN;
}

/* ---- other programs */

/* Everything in a file, with a zero behind; NULL if it can not be read. */
static char *read_file(FILE *f, size_t *size)
{
    size_t used = 0, room = 1 << 16;
    if (f == NULL) return NULL;
    char *text = cli_alloc(room);
    for (size_t n; (n = fread(text + used, 1, room - used - 1, f)) > 0;) {
        used += n;
        if (room - used > 1) continue;
        char *more = cli_alloc(room *= 2);
        memcpy(more, text, used);
        free(text);
        text = more;
    }
    fclose(f);
    text[used] = 0;
    if (size != NULL) *size = used;
    return text;
}

/* What the program prints on both its outputs; NULL if it is not there. `failed` tells its
 * opinion. */
static char *run(const char *const *argv, const char *input, int *failed)
{
    FILE *in = tmpfile();
    int out[2], status = 0;
    if (in == NULL || pipe(out) != 0) return NULL;
    if (input != NULL) fputs(input, in);
    rewind(in);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(fileno(in), 0);
        dup2(out[1], 1);
        dup2(out[1], 2);
        close(out[0]);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(out[1]);
    fclose(in);
    char *text = read_file(fdopen(out[0], "r"), NULL);
    if (pid > 0) waitpid(pid, &status, 0);
    *failed = pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    if (pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        free(text);
        return NULL;
    }
    return text;
}

/* The first of these programs that is there, and what it says of its version. */
static const char *tool(const char *const *names, char **version)
{
    for (; *names != NULL; names++) {
        int failed;
        const char *const argv[] = {*names, "--version", NULL};
        char *text = run(argv, NULL, &failed);
        if (text != NULL && !failed) {
            *version = text;
            return *names;
        }
        free(text);
    }
    return NULL;
}

/* The number behind "version ", 0 if there is none. */
static int version_number(const char *text)
{
    const char *p = strstr(text, "version ");
    return p != NULL ? atoi(p + 8) : 0;
}

/* ---- object code */

typedef struct kernel_object {
    const char *family, *name;
    unsigned width;
} kernel_object;

/* Where things are in a 64-bit ELF file. A descriptor in it has the layout of all 64-bit Unix
 * systems: this one's. */
enum {
    ELF_TYPE = 16, ELF_MACHINE = 18, ELF_SECTIONS = 40, ELF_SECTION_COUNT = 60, ELF_BYTES = 64,
    SECTION_TYPE = 4, SECTION_OFFSET = 24, SECTION_SIZE = 32, SECTION_LINK = 40, SECTION_BYTES = 64,
    SYMBOL_NAME = 0, SYMBOL_SECTION = 6, SYMBOL_VALUE = 8, SYMBOL_BYTES = 24,
    ELF_AARCH64 = 183, ELF_OBJECT = 1, SECTION_SYMBOLS = 2
};

typedef struct bytes {
    const char *p;
    size_t size;
} bytes;

/* A little-endian number of up to 8 bytes; 0 outside. */
static uint64_t number_at(bytes b, size_t at, size_t n)
{
    uint64_t x = 0;
    if (at > b.size || b.size - at < n) return 0;
    while (n-- > 0) x = x << 8 | (unsigned char)b.p[at + n];
    return x;
}

static bytes section_of(bytes file, size_t i)
{
    const bytes none = {"", 0};
    const size_t at = (size_t)number_at(file, ELF_SECTIONS, 8) + i * SECTION_BYTES;
    const uint64_t offset = number_at(file, at + SECTION_OFFSET, 8),
                   size = number_at(file, at + SECTION_SIZE, 8);
    if (offset > file.size || size > file.size - offset) return none;
    const bytes section = {file.p + offset, (size_t)size};
    return section;
}

/* The kernel that a symbol describes: 1, or 0 if it describes none that was built. */
static int symbol_read(bytes file, bytes names, bytes symbol, kernel_object *k)
{
    const size_t name = (size_t)number_at(symbol, SYMBOL_NAME, 4),
                 at = (size_t)number_at(symbol, SYMBOL_VALUE, 8);
    const bytes data = section_of(file, (size_t)number_at(symbol, SYMBOL_SECTION, 2));
    plait_kernel_info info;
    if (at > data.size || data.size - at < sizeof(plait_kernel)) return 0;
    for (size_t i = 0; plait_kernel_at(i, &info) == PLAIT_OK; i++) {
        const size_t n = strlen(info.name);
        if (name > names.size || names.size - name < 6 + n + 1 ||
            memcmp(names.p + name, "plait_", 6) != 0 ||
            memcmp(names.p + name + 6, info.name, n + 1) != 0)
            continue;
        k->family = info.family;
        k->name = info.name;
        k->width = (unsigned)number_at(data, at + offsetof(plait_kernel, width), 4);
        return k->width != 0 &&
               (number_at(data, at + offsetof(plait_kernel, needs), 4) & PLAIT_CPU_NEVER) == 0;
    }
    return 0;
}

/* Which kernel an object file holds, by its descriptor. NULL, or what is wrong. */
static const char *object_read(const char *path, kernel_object *k)
{
    bytes file = {NULL, 0};
    char *text = read_file(fopen(path, "rb"), &file.size);
    const char *wrong = "holds no kernel for AArch64";
    if (text == NULL) return "can not be read";
    if (sizeof(void *) != 8) wrong = "can only be read by a 64-bit program";
    file.p = text;
    if (file.size < ELF_BYTES || memcmp(text, "\177ELF\2\1", 6) != 0 ||
        number_at(file, ELF_MACHINE, 2) != ELF_AARCH64 ||
        number_at(file, ELF_TYPE, 2) != ELF_OBJECT)
        wrong = "is not an AArch64 object file";
    else
        for (size_t i = 0; i < number_at(file, ELF_SECTION_COUNT, 2); i++) {
            const size_t at = (size_t)number_at(file, ELF_SECTIONS, 8) + i * SECTION_BYTES;
            if (number_at(file, at + SECTION_TYPE, 4) != SECTION_SYMBOLS) continue;
            const bytes names = section_of(file, (size_t)number_at(file, at + SECTION_LINK, 4));
            bytes symbol = section_of(file, i);
            for (; symbol.size >= SYMBOL_BYTES;
                 symbol.p += SYMBOL_BYTES, symbol.size -= SYMBOL_BYTES)
                if (symbol_read(file, names, symbol, k)) wrong = NULL;
        }
    free(text);
    return wrong;
}

typedef struct instruction {
    unsigned long address, target; /* of a branch; or 0 */
    const char *text;
} instruction;

/* One line of a disassembly: "   3c:\tadd\tv0.4s, v1.4s, v2.4s  // comment". */
static int instruction_read(char *line, instruction *i)
{
    char *p, *end;
    while (*line == ' ') line++;
    i->address = strtoul(line, &end, 16);
    if (end == line || *end != ':') return 0;
    for (p = end + 1; isspace((unsigned char)*p); p++) continue;
    i->text = p;
    if ((end = strstr(p, "//")) != NULL) *end = 0;
    for (end = p + strlen(p); end > p && isspace((unsigned char)end[-1]);) *--end = 0;
    i->target = 0;
    char *label = strstr(p, " <");
    if (label != NULL) {
        *label = 0;
        char *word = strrchr(p, ' ');
        char *tab = strrchr(p, '\t');
        if (word == NULL || (tab != NULL && tab > word)) word = tab;
        /* Conditional branches only: b.ne, cbz, tbnz. */
        if (word != NULL && (p[0] == 'c' || p[0] == 't' || (p[0] == 'b' && p[1] == '.')))
            i->target = strtoul(word + 1, NULL, 16) + 1;
        if (word != NULL && i->target != 0) strcpy(word + 1, "start");
    }
    return *p != 0;
}

/* The way through a loop from first to last that takes every branch forward: the loop of AES skips
 * the rounds of longer keys. Returns how many instructions that are; way may be NULL. */
static size_t loop_way(const instruction *first, const instruction *last, instruction *way)
{
    size_t count = 0;
    for (const instruction *i = first; i <= last; i++) {
        if (way != NULL) way[count] = *i;
        count++;
        if (i->target == 0 || i->target - 1 <= i->address || i->target - 1 > last->address)
            continue;
        for (const unsigned long to = i->target - 1; i[1].address < to && i + 1 < last;) i++;
    }
    return count;
}

/* The longest innermost loop, that of the widest path: its instructions, the last of which branches
 * back. */
static size_t main_loop(char *disassembly, instruction **loop)
{
    size_t count = 0, room = 1, begin = 0, best = 0;
    for (const char *p = disassembly; *p != 0; p++) room += *p == '\n';
    instruction *all = cli_alloc(room * sizeof *all), *best_first = NULL, *best_last = NULL;
    for (char *line = disassembly, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) *next++ = 0;
        if (strstr(line, ">:") != NULL)
            begin = count; /* another function, perhaps in another section */
        if (!instruction_read(line, &all[count])) continue;
        const instruction *const last = &all[count++];
        if (last->target == 0 || last->target - 1 > last->address) continue;
        size_t first = count - 1;
        while (first > begin && all[first].address != last->target - 1) first--;
        if (all[first].address != last->target - 1) continue;
        /* No branch back lies within. Nor does code that ends otherwise: then this is no loop, but
         * code that the compiler moved. */
        int inner = 1;
        for (size_t i = first; i + 1 < count; i++)
            if ((all[i].target != 0 && all[i].target - 1 <= all[i].address &&
                 all[i].target - 1 >= all[first].address) ||
                strcmp(all[i].text, "ret") == 0 ||
                (all[i].text[0] == 'b' && isspace((unsigned char)all[i].text[1])))
                inner = 0;
        const size_t length = inner ? loop_way(&all[first], last, NULL) : 0;
        if (length > best) {
            best = length;
            best_first = &all[first];
            best_last = &all[count - 1];
        }
    }
    *loop = cli_alloc((best + 1) * sizeof **loop);
    if (best != 0) loop_way(best_first, best_last, *loop);
    free(all);
    return best;
}

/* What one iteration of the main loop does. Of ChaCha20 it is one of ten double rounds; of AES all
 * rounds, except where a loop counts them. */
static double bytes_per_iteration(const kernel_object *k)
{
    if (strncmp(k->family, "chacha20", 8) == 0) return k->width * 64 / 10.0;
    return strcmp(k->name, "aes_neon") == 0 ? k->width * 16 / 3.0 : k->width * 16;
}

/* ---- the model */

/* llvm-mca has one table for all Apple cores, and takes the plain `add w, w, w` for its shifted
 * form, of the same encoding: 2 cycles on one pipe of two, where the table says 1 cycle on four.
 * adc has what they should. */
static int is_plain(const char *text)
{
    static const char *const names[] = {"add", "sub", "eor", "orr", "and"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char kind[3], rest;
        int r[3];
        if (strncmp(text, names[i], 3) == 0 && isspace((unsigned char)text[3]) &&
            sscanf(text + 4, " %c%d, %c%d, %c%d%c", &kind[0], &r[0], &kind[1], &r[1], &kind[2],
                   &r[2], &rest) == 6)
            return (kind[0] == 'w' || kind[0] == 'x') && kind[1] == kind[0] && kind[2] == kind[0];
    }
    return 0;
}

static char *model_text(const instruction *loop, size_t count, int mended)
{
    size_t room = 16;
    for (size_t i = 0; i < count; i++) room += strlen(loop[i].text) + 2;
    char *text = cli_alloc(room);
    size_t used = (size_t)sprintf(text, "start:\n");
    for (size_t i = 0; i < count; i++)
        used +=
            (size_t)sprintf(text + used, "%s%s\n", mended && is_plain(loop[i].text) ? "adc" : "",
                            loop[i].text + (mended && is_plain(loop[i].text) ? 3 : 0));
    return text;
}

/* Cycles of so many iterations; or a complaint, and -1. */
static double cycles(const char *mca, const char *cpu, const char *text, int iterations)
{
    char mcpu[80], mattr[80], n[32];
    int failed;
    snprintf(mcpu, sizeof mcpu, "-mcpu=%.*s", (int)strcspn(cpu, "+"), cpu);
    snprintf(mattr, sizeof mattr, "-mattr=%s", targets);
    snprintf(n, sizeof n, "-iterations=%d", iterations);
    const char *const argv[] = {mca,
                                "-march=aarch64",
                                mcpu,
                                mattr,
                                n,
                                "-instruction-info=false",
                                "-resource-pressure=false",
                                NULL};
    char *out = run(argv, text, &failed);
    const char *total = out != NULL ? strstr(out, "Total Cycles:") : NULL;
    double value = -1;
    if (out != NULL && strstr(out, "not a recognized processor") != NULL)
        cli_error(cpu, "%s has no such model; llc -march=aarch64 -mcpu=help lists them", mca);
    else if (failed || total == NULL)
        cli_error(mca, "%.*s", out != NULL ? (int)strcspn(out, "\n") : 9,
                  out != NULL ? out : "failed");
    else
        value = atof(total + 13);
    free(out);
    return value;
}

/* ---- objects made on the spot */

static int is_source_dir(const char *dir)
{
    char *path = cli_format("%s/src/kernels.def", dir);
    const int found = access(path, R_OK) == 0;
    free(path);
    return found;
}

/* Where the sources are: here, or above this program. */
static char *find_sources(void)
{
    static char dir[4096];
    if (is_source_dir(".")) return strcpy(dir, ".");
    const ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);
    if (n <= 0) return NULL;
    dir[n] = 0;
    for (char *slash; (slash = strrchr(dir, '/')) != NULL && slash != dir;) {
        *slash = 0;
        if (is_source_dir(dir)) return dir;
    }
    return NULL;
}

/* Compiles src/kernels/NAME.c, if that is for AArch64. 1, 0, or -1 after a complaint. */
static int compile(const char *cc, const char *dir, const char *name, const char *object)
{
    char *source = cli_format("%s/src/kernels/%s.c", dir, name),
         *include = cli_format("-I%s/include", dir);
    char *text = read_file(fopen(source, "r"), NULL);
    int done = text != NULL && strstr(text, "PLAIT_BUILD_AARCH64") != NULL;
    free(text);
    if (done) {
        const char *argv[32];
        char *words = cli_format("%s", cc);
        int n = 0, failed;
        for (char *w = strtok(words, " "); w != NULL && n < 22; w = strtok(NULL, " "))
            argv[n++] = w;
        const char *const rest[] = {"-O2", "-std=c11", include, "-c", source, "-o", object, NULL};
        memcpy(argv + n, rest, sizeof rest);
        char *out = run(argv, NULL, &failed);
        if (out == NULL || failed) {
            cli_error(source, "%s: %.*s", cc, out != NULL ? (int)strcspn(out, "\n") : 9,
                      out != NULL ? out : "not found");
            done = -1;
        }
        free(out);
        free(words);
    }
    free(include);
    free(source);
    return done;
}

/* ---- the command */

#define KERNELS_MAX 64
#define CPUS_MAX    16

typedef struct priced {
    kernel_object kernel;
    size_t instructions;
    double cycles_per_byte[CPUS_MAX];
} priced;

/* Which of the four published kernels wins, here and there, and how much the best of all is ahead
 * of them. */
static void print_comparison(const char *cpu, size_t c, const priced *all, size_t count)
{
    const priced *four = NULL, *best = NULL;
    const char *there = NULL;
    double there_best = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].kernel.family, "chacha20") != 0) continue;
        int is_one = 0;
        for (size_t p = 0; p < PUBLISHED; p++)
            is_one |= strcmp(all[i].kernel.name, published[p].kernel) == 0;
        if (is_one && (four == NULL || all[i].cycles_per_byte[c] < four->cycles_per_byte[c]))
            four = &all[i];
        if (best == NULL || all[i].cycles_per_byte[c] < best->cycles_per_byte[c]) best = &all[i];
    }
    for (size_t p = 0; p < PUBLISHED; p++)
        if (is_cpu(cpu, published[p].cpu) && published[p].gb_per_s > there_best) {
            there_best = published[p].gb_per_s;
            there = published[p].kernel;
        }
    if (four == NULL) return;
    printf("model  %-12s best of the four of JDK-8350126: %s", cpu, four->kernel.name);
    if (there != NULL) printf(" (published: %s)", there);
    printf("; best of all: %s, %.2fx that by model\n", best->kernel.name,
           four->cycles_per_byte[c] / best->cycles_per_byte[c]);
}

int bench_model(int argc, char **argv)
{
    text_list models = {0}, objects = {0};
    const char *cc = NULL, *only = NULL, *sources = NULL;
    output_format format = OUTPUT_TABLE;
    int code;
    const option options[] = {
        {"model", OPTION_LIST, &models, "cpu=LIST",
         "models of llvm-mca (cortex-a72,neoverse-n1,apple-m1,cortex-a55);\n"
         "apple-m1+: plain additions priced right"},
        {"object", OPTION_LIST, &objects, "FILE",
         "AArch64 object files of kernels (compiled on the spot)"},
        {"cc", OPTION_TEXT, &cc, "COMMAND", "AArch64 compiler (aarch64-linux-gnu-gcc)"},
        {"source", OPTION_TEXT, &sources, "DIR",
         "where Plait's sources are (here, or above this program)"},
        {"kernel", OPTION_TEXT, &only, "TEXT", "only kernels with this in their name"},
        {"format", OPTION_FORMAT, &format, "FORMAT", "table, csv or json"},
    };
    const option_set set = {
        "plait bench --model cpu=LIST [OPTION]...",
        "Cycles per byte of the main loop of each AArch64 kernel by llvm-mca, beside figures "
        "published with\n"
        "JDK-8350126. A model, not a measurement; nothing is run. Needs llvm-mca and llvm-objdump.",
        options, sizeof options / sizeof *options, 0};
    if (options_read(&set, argc, argv, NULL, 0, &code) < 0) return code;
    if (models.count > 0 && strncmp(models.items[0], "cpu=", 4) == 0) models.items[0] += 4;
    if (models.count == 0 || models.items[0][0] == 0) {
        static const char *const usual[] = {"cortex-a72", "neoverse-n1", "apple-m1", "cortex-a55"};
        memcpy(models.items, usual, sizeof usual);
        models.count = sizeof usual / sizeof *usual;
    }
    if (models.count > CPUS_MAX) {
        cli_error("--model", "at most %d models", CPUS_MAX);
        return CLI_USAGE;
    }

    static const char *const mcas[] = {"llvm-mca-19", "llvm-mca-16", "llvm-mca-14", "llvm-mca",
                                       NULL};
    static const char *const objdumps[] = {"llvm-objdump-19",           "llvm-objdump-16",
                                           "llvm-objdump-14",           "llvm-objdump",
                                           "aarch64-linux-gnu-objdump", NULL};
    char *mca_version = NULL, *other_version = NULL;
    const char *mca = tool(mcas, &mca_version), *objdump = tool(objdumps, &other_version);
    if (mca == NULL || objdump == NULL) {
        cli_error(mca == NULL ? "llvm-mca" : "llvm-objdump",
                  "not found; Debian and Ubuntu: apt-get install llvm-19 (or llvm)");
        return CLI_USAGE;
    }

    char folder[] = "/tmp/plait-model-XXXXXX", *made = NULL;
    int compiled = objects.count == 0;
    if (compiled) {
        static const char *const ccs[] = {
#if defined(__aarch64__)
            "cc",
#endif
            "aarch64-linux-gnu-gcc", NULL};
        if (cc == NULL) cc = tool(ccs, &other_version);
        if (cc == NULL) {
            cli_error("aarch64-linux-gnu-gcc",
                      "not found; apt-get install gcc-aarch64-linux-gnu, or give --cc or --object");
            return CLI_USAGE;
        }
        if (sources == NULL) sources = find_sources();
        if (sources == NULL || !is_source_dir(sources)) {
            cli_error("sources of Plait", "not found; give --source or --object");
            return CLI_USAGE;
        }
        if (mkdtemp(folder) == NULL) {
            cli_error(folder, "can not be made");
            return CLI_FAILED;
        }
        made = cli_format("%s/kernel.o", folder);
    }

    priced *all = cli_alloc(KERNELS_MAX * sizeof *all);
    size_t count = 0;
    plait_kernel_info info;
    code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && count < KERNELS_MAX; i++) {
        const char *object = made;
        if (compiled) {
            if (plait_kernel_at(i, &info) != PLAIT_OK) break;
            if (only != NULL && strstr(info.name, only) == NULL) continue;
            const int done = compile(cc, sources, info.name, made);
            if (done == 0) continue;
            if (done < 0) {
                code = CLI_FAILED;
                break;
            }
        } else {
            if (i == objects.count) break;
            object = objects.items[i];
        }
        priced *k = &all[count];
        const char *wrong = object_read(object, &k->kernel);
        if (wrong != NULL) {
            cli_error(compiled ? info.name : object, "%s", wrong);
            code = CLI_FAILED;
            break;
        }
        if (only != NULL && strstr(k->kernel.name, only) == NULL) continue;
        char mattr[80];
        int failed;
        snprintf(mattr, sizeof mattr, "--mattr=%s", targets);
        /* GNU objdump has all instructions, and takes no such option. */
        const char *const llvm[] = {objdump, "-d", "--no-show-raw-insn", mattr, object, NULL};
        const char *const gnu[] = {objdump, "-d", "--no-show-raw-insn", object, NULL};
        char *disassembly = run(strncmp(objdump, "llvm", 4) == 0 ? llvm : gnu, NULL, &failed);
        instruction *loop = NULL;
        k->instructions = disassembly != NULL && !failed ? main_loop(disassembly, &loop) : 0;
        if (k->instructions == 0) {
            cli_error(k->kernel.name, "no loop found by %s", objdump);
            code = CLI_FAILED;
            break;
        }
        for (size_t c = 0; c < models.count && code == CLI_OK; c++) {
            const char *cpu = models.items[c];
            char *text = model_text(loop, k->instructions,
                                    strncmp(cpu, "apple", 5) == 0 && strchr(cpu, '+') != NULL);
            /* The difference leaves out how the first iterations get going. */
            const double some = cycles(mca, cpu, text, 100),
                         more = some < 0 ? -1 : cycles(mca, cpu, text, 200);
            if (more < 0) code = CLI_USAGE;
            k->cycles_per_byte[c] = (more - some) / 100 / bytes_per_iteration(&k->kernel);
            free(text);
        }
        free(loop);
        free(disassembly);
        count++;
    }
    if (made != NULL) {
        unlink(made);
        rmdir(folder);
    }
    if (code == CLI_OK && count == 0) {
        cli_error(only != NULL ? only : "--model", "no such kernel for AArch64");
        code = CLI_USAGE;
    }
    if (code != CLI_OK) {
        free(all);
        return code;
    }

    table *t = table_new();
    table_column(t, "figure", "model");
    table_column(t, "family", NULL);
    table_column(t, "kernel", "kernel");
    table_column(t, "blocks", "blocks");
    table_column(t, "instructions", "instructions");
    for (size_t c = 0; c < models.count; c++) {
        table_column(t, cli_format("%s_cycles_per_byte", models.items[c]),
                     cli_format("%s c/B", models.items[c]));
        if (published_find(models.items[c], NULL) > 0)
            table_column(t, cli_format("%s_published_gb_per_s", models.items[c]), "publ. GB/s");
    }
    for (size_t i = 0; i < count; i++) {
        const priced *k = &all[i];
        table_row(t);
        table_text(t, "model");
        table_text(t, k->kernel.family);
        table_text(t, k->kernel.name);
        table_number(t, k->kernel.width, 0);
        table_number(t, (double)k->instructions, 0);
        for (size_t c = 0; c < models.count; c++) {
            table_number(t, k->cycles_per_byte[c], 2);
            if (published_find(models.items[c], NULL) > 0)
                table_number(t, published_find(models.items[c], k->kernel.name), 3);
        }
    }
    if (format == OUTPUT_TABLE) {
        printf("model  %s (LLVM %d) on the main loop of each kernel, %s%s; cycles per byte\n", mca,
               version_number(mca_version), compiled ? "compiled by " : "from objects given",
               compiled ? cc : "");
        printf("model  publ.: ChaCha20.encrypt, 16384 bytes, GB/s, JDK-8350126; measured at a "
               "clock not known, so not "
               "converted\n");
        if (version_number(mca_version) < 19)
            printf("model  LLVM before 19: some Neoverse cores are priced as other cores, "
                   "Cortex-A57 in LLVM 14\n");
    }
    table_print(t, format, stdout, 0);
    if (format == OUTPUT_JSON) printf("\n");
    if (format == OUTPUT_TABLE) {
        for (size_t c = 0; c < models.count; c++) print_comparison(models.items[c], c, all, count);
        printf("model  sees pipes and latencies; not caches, issue queues, fusion, the clock, nor "
               "what is outside of the "
               "loop. AES: 128-bit keys.\n");
    }
    table_free(t);
    free(all);
    return CLI_OK;
}
