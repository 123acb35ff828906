/* SPDX-License-Identifier: Apache-2.0
 *
 * Is the path through the code the same for every secret? Each call is executed one instruction at
 * a time, by the trap flag of x86 and a signal handler, with several secrets (keys, text, hash
 * keys, states, wrong tags), and the sequences of instruction addresses and of the addresses of
 * memory operands have to be equal. This is done by the CPU itself: it covers what Valgrind can not
 * execute (AVX-512, VAES), and it sees the object code as it is. What it can not see: which lanes a
 * mask lets through, and secrets with effects so rare that none of those tried shows them.
 *
 * On AArch64, under an emulator that logs blocks: test/blocks.py compares what was executed between
 * the marks that this program sets.
 *
 * In the process itself rather than from another one (ptrace): a step is a third cheaper, and the
 * registers that an operand's address is made of are at hand.
 */
#include "harness.h"

#if defined(__x86_64__) && defined(__linux__)
#define STEPS 1
#elif defined(__aarch64__) && defined(__linux__)
#define MARKS 1
#endif

#if defined(STEPS) || defined(MARKS)
typedef struct job job;
typedef void runner(job *);
static char section[160]; /* what is traced */
#endif

#if defined(STEPS)
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- one instruction's memory operand -------------------------------------------------------- */

static const int register_at[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15};

/* Opcodes with a ModRM byte, in the maps "one byte" and 0f. */
static int has_modrm(unsigned map, unsigned op)
{
    if (map == 0)
        return (op < 0x40 && (op & 7) < 4) || op == 0x63 || op == 0x69 || op == 0x6b ||
               (op >= 0x80 && op <= 0x8f) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 ||
               (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) || op == 0xf6 ||
               op == 0xf7 || op == 0xfe || op == 0xff;
    if (map == 1)
        return !(op == 0x05 || op == 0x0b || op == 0x31 || op == 0x77 ||
                 (op >= 0x80 && op <= 0x8f) || (op >= 0xa0 && op <= 0xa2) ||
                 (op >= 0xc8 && op <= 0xcf));
    return 1;
}

static int gather_seen;

/* The base and the scaled index of the operand in memory, without displacement: that is the same
 * each time. 0 where there is none, or it is relative to the instruction. lea computes, and
 * accesses nothing. */
static uintptr_t operand(const uint8_t *p, const greg_t *r)
{
    unsigned x = 0, b = 0, map = 0, op, vector = 0;
    while (*p == 0x66 || *p == 0x67 || *p == 0xf2 || *p == 0xf3 || *p == 0x2e || *p == 0x36 ||
           *p == 0x3e || *p == 0x26 || *p == 0x64 || *p == 0x65 || *p == 0xf0)
        p++;
    if ((*p & 0xf0) == 0x40) {
        x = *p >> 1 & 1, b = *p & 1;
        p++;
    }
    if (*p == 0xc5) {
        map = 1, op = p[2], p += 3, vector = 1;
    } else if (*p == 0xc4 || *p == 0x62) {
        vector = *p == 0x62 ? 2 : 1;
        x = ~(unsigned)p[1] >> 6 & 1, b = ~(unsigned)p[1] >> 5 & 1, map = p[1] & 7;
        op = p[2 + vector], p += 3 + vector;
    } else if (*p == 0x0f) {
        map = p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 1;
        p += map == 1 ? 1 : 2;
        op = *p++;
    } else {
        op = *p++;
    }
    if (map == 0 && (op == 0xa4 || op == 0xa5 || op == 0xa6 || op == 0xa7)) /* movs, cmps */
        return (uintptr_t)r[REG_RDI] ^ (uintptr_t)r[REG_RSI] << 20 ^ (uintptr_t)r[REG_RCX] << 40;
    if (map == 0 && (op == 0xaa || op == 0xab)) /* stos */
        return (uintptr_t)r[REG_RDI] ^ (uintptr_t)r[REG_RCX] << 40;
    if (!has_modrm(map, op) || (map == 0 && op == 0x8d) || (map == 1 && op >= 0x19 && op <= 0x1f))
        return 0;
    const unsigned mod = *p >> 6, rm = *p & 7;
    if (mod == 3) return 0;
    if (vector != 0 && map == 2 && ((op >= 0x90 && op <= 0x93) || (op >= 0xa0 && op <= 0xa3)))
        gather_seen = 1;
    if (rm != 4) return mod == 0 && rm == 5 ? 0 : (uintptr_t)r[register_at[rm | b << 3]];
    const unsigned base = p[1] & 7, index = (p[1] >> 3 & 7) | x << 3, scale = p[1] >> 6;
    return (mod == 0 && base == 5 ? 0 : (uintptr_t)r[register_at[base | b << 3]]) +
           (index == 4 ? 0 : (uintptr_t)r[register_at[index]] << scale);
}

/* ---- stepping -------------------------------------------------------------------------------- */

typedef struct step {
    uintptr_t at, operand;
} step;

#define STEPS_MAX ((size_t)1 << 23)
static step *recorded, now_at;
static size_t recorded_count, count, total;
static int recording, differs, overflow;
static uintptr_t last_at;

static void on_step(int number, siginfo_t *info, void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const step s = {(uintptr_t)r[REG_RIP],
                    operand((const uint8_t *)(uintptr_t)r[REG_RIP], r)}; /* about to be executed */
    (void)number, (void)info;
    /* A string instruction traps after each of its iterations, or after some of them at the
     * hypervisor's pleasure: one step, of which the count is in the operand. */
    if (s.at == last_at) return;
    last_at = s.at;
    if (recording) {
        if (count < STEPS_MAX)
            recorded[count] = s;
        else
            overflow = 1;
    } else if (count >= recorded_count || recorded[count].at != s.at ||
               recorded[count].operand != s.operand) {
        now_at = s;
        differs = 1;
        r[REG_EFL] &= ~(greg_t)0x100; /* the rest is not looked at */
        return;
    }
    count++;
}

#define TRAP_ON()                                                                                  \
    __asm__ volatile("sub $128, %%rsp; pushf; orl $0x100, (%%rsp); popf; "                         \
                     "add $128, %%rsp" ::                                                          \
                         : "memory", "cc")
#define TRAP_OFF()                                                                                 \
    __asm__ volatile("sub $128, %%rsp; pushf; andl $~0x100, (%%rsp); popf; "                       \
                     "add $128, %%rsp" ::                                                          \
                         : "memory", "cc")

/* Runs j, of which the path is kept (first != 0), or compared with the one that was kept. */
static __attribute__((noinline)) void trace(runner *run, job *j, int first)
{
    recording = first, count = 0, differs = 0, last_at = 0;
    TRAP_ON();
    run(j);
    TRAP_OFF();
    total += count;
    if (first)
        recorded_count = count;
    else if (!differs && count != recorded_count)
        differs = 1, now_at.at = 0;
}

/* ---- names of places ------------------------------------------------------------------------- */

static const uint8_t *elf;
static const char *place_name = "?";

/* "function+0x12" for an address in this program; place_name is set to the function. */
static const char *place(uintptr_t at)
{
    static char text[2][128];
    static int turn;
    char *out = text[turn ^= 1];
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)elf;
    const Elf64_Shdr *s = (const Elf64_Shdr *)(const void *)(elf + (elf == NULL ? 0 : e->e_shoff));
    uintptr_t slide = 0;
    place_name = "?";
    snprintf(out, sizeof text[0], "%#zx", (size_t)at);
    /* First the place of a function that is known here, then the one that is sought. */
    for (int pass = 0; elf != NULL && pass < 2; pass++)
        for (unsigned i = 0; i < e->e_shnum; i++) {
            if (s[i].sh_type != SHT_SYMTAB) continue;
            const Elf64_Sym *sym = (const Elf64_Sym *)(const void *)(elf + s[i].sh_offset);
            const char *names = (const char *)elf + s[s[i].sh_link].sh_offset;
            for (size_t n = 0; n < s[i].sh_size / sizeof *sym; n++) {
                if (ELF64_ST_TYPE(sym[n].st_info) != STT_FUNC) continue;
                if (pass == 0 && strcmp(names + sym[n].st_name, "test_start") == 0)
                    slide = (uintptr_t)test_start - sym[n].st_value;
                if (pass == 1 && at - slide - sym[n].st_value < sym[n].st_size) {
                    place_name = names + sym[n].st_name;
                    snprintf(out, sizeof text[0], "%s+%#zx", place_name,
                             (size_t)(at - slide - sym[n].st_value));
                }
            }
        }
    return out;
}

static void open_elf(void)
{
    struct stat st;
    const int f = open("/proc/self/exe", O_RDONLY);
    if (f < 0 || fstat(f, &st) != 0) return;
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, f, 0);
    close(f);
    if (p != MAP_FAILED) elf = p;
}

static void start_stepping(void)
{
    struct sigaction action;
    static uint8_t handler_stack[1 << 17]; /* the state of all vector registers is put there */
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaltstack(&stack, NULL);
    sigaction(SIGTRAP, &action, NULL);
    recorded = mmap(NULL, STEPS_MAX * sizeof *recorded, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    open_elf();
}

/* The instruction that leads to the difference: a branch, or an access. */
static uintptr_t culprit(void)
{
    if (count < recorded_count && now_at.at == recorded[count].at) return now_at.at;
    return count == 0 ? 0 : recorded[count - 1].at;
}

#elif defined(MARKS)

static size_t count, recorded_count, total = 10001;
static int differs, gather_seen, overflow;
void trace_mark_first(void);
void trace_mark_again(void);
void trace_mark_end(void);
PLAIT_NOINLINE void trace_mark_first(void)
{
    __asm__ volatile("// first" ::: "memory");
}
PLAIT_NOINLINE void trace_mark_again(void)
{
    __asm__ volatile("// again" ::: "memory");
}
PLAIT_NOINLINE void trace_mark_end(void)
{
    __asm__ volatile("// end" ::: "memory");
}

/* Apart from trace, of which a compiler may make one for each value of first. */
static PLAIT_NOINLINE void traced(runner *run, job *j)
{
    trace_mark_again();
    run(j);
    trace_mark_end();
}
static void trace(runner *run, job *j, int first)
{
    total++;
    if (first) {
        fprintf(stderr, "%s\n", section);
        trace_mark_first();
    }
    traced(run, j);
}
static const char *place_name = "";
static const char *place(uintptr_t at)
{
    (void)at;
    return "";
}
static uintptr_t culprit(void)
{
    return 0;
}
#endif

#if defined(STEPS) || defined(MARKS)

/* ---- the calls ------------------------------------------------------------------------------- */

struct job {
    const plait_kernel *k;
    plait_key *key;
    const char *kernel;
    plait_alg alg;
    size_t len, key_len;
    const uint8_t *tag;
    plait_status status;
};

/* The secrets: what each call is repeated with others of. */
static struct {
    uint8_t raw[32], text[20000], h[16], acc[16];
    plait_poly1305_acc poly;
} secret;
static uint8_t nonce[24], ad[40], out[20000], sealed[20000], tag[16], right[16], wrong[16];

/* Random ones, and those with all carries and conditional subtractions, or none. */
static void choose_secrets(size_t which)
{
    static uint8_t pool[sizeof secret + 8 * 64]; /* made once: an emulator logs every block */
    if (pool[0] == 0 && pool[1] == 0) random_bytes(pool, sizeof pool);
    memcpy(&secret, pool + 8 * which, sizeof secret);
    if (which == 1) memset(&secret, 0xff, sizeof secret);
    if (which == 2) memset(&secret, 0, sizeof secret);
    secret.poly.h[2] &= 3;
    secret.poly.r[0] &= UINT64_C(0x0ffffffc0fffffff);
    secret.poly.r[1] &= UINT64_C(0x0ffffffc0ffffffc);
    if (which == 3) { /* h = p */
        secret.poly.h[0] = UINT64_C(0xfffffffffffffffb);
        secret.poly.h[1] = ~UINT64_C(0);
        secret.poly.h[2] = 3;
    }
}
static size_t secret_count;

/* The same path for every choice of secrets? prepare (may be NULL) runs before each, not traced. */
static void same_path(const char *what, runner *prepare, runner *run, job *j)
{
    const size_t before = total;
    snprintf(section, sizeof section, "%s: %s, length %zu", j->kernel != NULL ? j->kernel : "",
             what, j->len);
    for (size_t s = 0; s < secret_count && !test_failed(); s++) {
        choose_secrets(s);
        if (prepare != NULL) prepare(j);
        if (s == 0) { /* once before: what the dynamic loader and the first call do is not traced */
            run(j);
            choose_secrets(s);
            if (prepare != NULL) prepare(j);
        }
        trace(run, j, s == 0);
        CHECK_OK(j->status);
        CHECK(!differs);
        if (differs)
            printf("      %s, length %zu, secrets %zu: the path depends on them at %s (step %zu of "
                   "%zu)\n",
                   what, j->len, s, place(culprit()), count, recorded_count);
    }
    if (test_level >= 2) printf("      %s, length %zu: %zu steps\n", what, j->len, total - before);
}

/* The functions of rows, */
static void run_chacha20(job *j)
{
    static uint32_t state[16];
    plait_chacha20_state(state, secret.raw, nonce, 7);
    plait_row_chacha20(j->k, out, secret.text, j->len, state);
    j->status = PLAIT_OK;
}
static void run_poly1305(job *j)
{
    plait_row_poly1305_mac(j->k, tag, secret.text, j->len, secret.raw);
    j->status = PLAIT_OK;
}
static void run_poly1305_pieces(job *j)
{
    plait_poly1305_acc acc = secret.poly;
    plait_row_poly1305_blocks(j->k, &acc, secret.text, j->len / 16 * 16);
    plait_row_poly1305_final(j->k, &acc, tag, secret.text, j->len % 16);
    j->status = PLAIT_OK;
}
static void run_aes(job *j)
{
    static uint8_t area[PLAIT_AES_AREA];
    j->k->fn.aes.init(area, secret.raw, j->key_len);
    j->k->fn.aes.ctr32(area, out, secret.text, j->len, nonce);
    j->status = PLAIT_OK;
}
static void run_ghash(job *j)
{
    static uint8_t area[PLAIT_GHASH_AREA];
    j->k->fn.ghash.init(area, secret.h, j->len);
    j->k->fn.ghash.update(area, secret.acc, secret.text, j->len);
    j->status = PLAIT_OK;
}

static void run_row_init(job *j)
{
    static uint8_t area[PLAIT_GCM_AREA];
    j->k->fn.aes_gcm.init(area, secret.raw, alg_key_len(j->alg));
    j->status = PLAIT_OK;
}

/* and those that are public. */
static void run_public_chacha20(job *j)
{
    j->status = plait_chacha20_xor_with(j->kernel, out, secret.text, j->len, secret.raw, nonce, 7);
}
static void run_public_poly1305(job *j)
{
    static plait_poly1305_state s;
    plait_poly1305_with(j->kernel, tag, secret.text, j->len, secret.raw);
    plait_poly1305_init_with(j->kernel, &s, secret.raw);
    plait_poly1305_update_with(j->kernel, &s, secret.text, j->len / 3);
    plait_poly1305_update_with(j->kernel, &s, secret.text, j->len - j->len / 3);
    j->status = plait_poly1305_final_with(j->kernel, &s, tag);
}
static void run_public_ctr(job *j)
{
    j->status = plait_aes_ctr_xor_with(j->kernel, out, secret.text, j->len, secret.raw, 32, nonce);
}
static void run_public_ghash(job *j)
{
    j->status = plait_ghash_with(j->kernel, secret.acc, secret.h, secret.text, j->len / 16);
}
static void run_init(job *j) /* by name, or (fewer steps: names are compared) the usual kernel */
{
    j->status = test_level >= 2 ? plait_key_init_with(j->key, j->alg, secret.raw,
                                                      alg_key_len(j->alg), j->kernel)
                                : plait_key_init(j->key, j->alg, secret.raw, alg_key_len(j->alg));
}
static void run_seal(job *j)
{
    j->status = plait_seal(j->key, out, tag, nonce, alg_nonce_len(j->alg), ad, sizeof ad,
                           secret.text, j->len);
}
static void run_open(job *j)
{
    j->status = plait_open(j->key, out, nonce, alg_nonce_len(j->alg), ad, sizeof ad, sealed, j->len,
                           j->tag);
}
static void run_forged(job *j)
{
    run_open(j);
    j->status = j->status == PLAIT_ERR_TAG ? PLAIT_OK : PLAIT_ERR_ARGUMENT;
}
static void run_stream(job *j)
{
    static plait_stream s;
    plait_stream_init(&s, j->key, nonce, alg_nonce_len(j->alg));
    plait_stream_ad(&s, j->key, ad, sizeof ad);
    plait_stream_seal(&s, j->key, out, secret.text, j->len / 3);
    plait_stream_seal(&s, j->key, out, secret.text, j->len - j->len / 3);
    j->status = plait_stream_seal_final(&s, j->key, tag);
}
static void run_stream_open(job *j)
{
    static plait_stream s;
    plait_stream_init(&s, j->key, nonce, alg_nonce_len(j->alg));
    plait_stream_ad(&s, j->key, ad, sizeof ad);
    plait_stream_open_unverified(&s, j->key, out, sealed, j->len / 3);
    plait_stream_open_unverified(&s, j->key, out + j->len / 3, sealed + j->len / 3,
                                 j->len - j->len / 3);
    j->status = plait_stream_open_final(&s, j->key, j->tag);
}
/* Messages of several lengths, the last of j->len. */
#define BATCH 5
static void fill_batch(job *j, plait_message m[BATCH], uint8_t tags[BATCH][16], int sealing)
{
    for (size_t i = 0; i < BATCH; i++) {
        const size_t len = i == BATCH - 1 ? j->len : i * 33;
        const plait_message one = {j->key,
                                   out + 4000 * i,
                                   tags[i],
                                   nonce,
                                   alg_nonce_len(j->alg),
                                   ad,
                                   sizeof ad,
                                   sealing ? secret.text : sealed + 4000 * i,
                                   len,
                                   PLAIT_OK};
        m[i] = one;
    }
}
static uint8_t tags[BATCH][16], batch_tags[BATCH][16];
static void run_batch(job *j)
{
    plait_message m[BATCH];
    fill_batch(j, m, tags, 1);
    j->status = plait_seal_batch(m, BATCH) == 0 ? PLAIT_OK : PLAIT_ERR_TAG;
}
static void run_batch_open(job *j)
{
    plait_message m[BATCH];
    fill_batch(j, m, batch_tags, 0);
    j->status = plait_open_batch(m, BATCH) == 0 ? PLAIT_OK : PLAIT_ERR_TAG;
}

static void with_key(job *j)
{
    if (plait_key_init_with(j->key, j->alg, secret.raw, alg_key_len(j->alg), j->kernel) != PLAIT_OK)
        abort();
}
static void with_sealed(job *j)
{
    with_key(j);
    plait_seal(j->key, sealed, right, nonce, alg_nonce_len(j->alg), ad, sizeof ad, secret.text,
               j->len);
    memcpy(wrong, right, 16);
}
/* Wrong tags: in the first byte, in the last, in all. */
static int forgery;
static void with_forged(job *j)
{
    with_sealed(j);
    forgery = (forgery + 1) % 3;
    if (forgery == 0) wrong[0] ^= 1;
    if (forgery == 1) wrong[15] ^= 0x80;
    if (forgery == 2)
        for (int i = 0; i < 16; i++) wrong[i] ^= 0xff;
}
static void with_batch(job *j)
{
    plait_message m[BATCH];
    with_key(j);
    fill_batch(j, m, batch_tags, 1);
    for (size_t i = 0; i < BATCH; i++) m[i].out = sealed + 4000 * i;
    plait_seal_batch(m, BATCH);
}

/* ---- planted leaks --------------------------------------------------------------------------- */

static volatile uint8_t sink, table[256];

static __attribute__((noinline)) void leak_branch(job *j)
{
    run_chacha20(j);
    if (secret.raw[3] & 4) sink = 1;
}
static __attribute__((noinline)) void leak_table(job *j)
{
    run_chacha20(j);
    sink = table[secret.raw[5]];
}
static __attribute__((noinline)) void leak_length(job *j)
{
    run_chacha20(j);
    for (unsigned i = 0; i < (secret.h[0] & 7u); i++) sink = table[i];
}
static __attribute__((noinline)) void leak_compare(job *j)
{
    run_chacha20(j);
    for (int i = 0; i < 16 && secret.raw[i] == secret.text[i]; i++) sink = 0;
}

static void planted(const char *what, runner *leak, const char *name)
{
    job j = {.k = &plait_chacha20_ref, .len = 65};
    snprintf(section, sizeof section, "leak: %s: %s", name, what);
    test_case("a leak is found: %s", what);
    int found = 0;
    for (size_t s = 0; s < secret_count && !found; s++) {
        choose_secrets(s);
        if (s == 0) leak(&j);
        trace(leak, &j, s == 0);
        found = differs;
    }
#if defined(MARKS)
    found = 1; /* that is for who reads the marks */
    place_name = name;
#endif
    CHECK(found);
    place(culprit());
    CHECK(!found || strncmp(place_name, name, strlen(name)) == 0);
}

/* ---- which are run --------------------------------------------------------------------------- */

/* Around the group sizes of the kernels; what they are for one row follows from its width. */
static const size_t sizes[] = {0,   1,    15,   16,   17,   48,   63,   64,   65,   100,  128,
                               130, 191,  200,  256,  257,  320,  400,  511,  513,  700,  768,
                               900, 1030, 1100, 1300, 1600, 2048, 2100, 4100, 8200, 16400};

/* Valgrind sees more secrets at once in what it can execute (test_secrets): two lengths are enough
 * here, where a step takes some 25 microseconds. */
static size_t row_sizes(size_t *list, const plait_kernel *k, size_t block)
{
    const size_t width = k->width;
    const int elsewhere = (k->needs & (PLAIT_CPU_avx512 | PLAIT_CPU_vaes | PLAIT_CPU_vpclmul)) == 0;
    size_t n = 0;
    if (test_level >= 2) {
        for (size_t i = 0; i < COUNT(sizes); i++)
            if (width >= 8 || sizes[i] <= 2100) list[n++] = sizes[i];
        return n;
    }
    list[n++] = block + 1;
    list[n++] = block * width + block * (width / 2) + 5;
    if (test_level == 0 || elsewhere) return n;
    if (width >= 4) list[n++] = block * (width / 2 + width / 4) + block - 1;
    if (width >= 8) list[n++] = block * (width * 2 + width / 4) + 3;
    return n;
}

static void part(size_t row)
{
    const plait_kernel *k = plait_rows[row];
    size_t list[64];
    if (row_is(row, "aes_gcm") || row_is(row, "chacha20_poly1305")) return; /* as keys, below */
    if (!test_kernel_case(row, "the same path for every secret")) return;
    const size_t before = total, n = row_sizes(list, k, row_is(row, "chacha20") ? 64 : 16);
    job j = {.k = k, .kernel = k->name};
    for (size_t i = 0; i < n && !test_failed(); i++) {
        j.len = list[i];
        if (row_is(row, "chacha20")) same_path("xor", NULL, run_chacha20, &j);
        if (row_is(row, "ghash")) same_path("init and update", NULL, run_ghash, &j);
        if (row_is(row, "poly1305")) {
            same_path("whole", NULL, run_poly1305, &j);
            same_path("blocks and final", NULL, run_poly1305_pieces, &j);
        }
        if (row_is(row, "aes"))
            for (j.key_len = 16; j.key_len <= 32; j.key_len += 8)
                if (test_level >= 2 || j.key_len == 16 + 8 * (i % 3))
                    same_path("init and ctr32", NULL, run_aes, &j);
    }
    CHECK(total > before);
}

static void public_parts(void)
{
    static const struct {
        runner *run;
        const char *kernel;
    } calls[] = {{run_public_chacha20, "chacha20_ref"},
                 {run_public_poly1305, "poly1305_ref"},
                 {run_public_ctr, "aes_aesni"},
                 {run_public_ghash, "ghash_pclmul"}};
    for (size_t i = 0; i < COUNT(calls); i++) {
        job j = {.kernel = calls[i].kernel, .len = 75};
        plait_kernel_info info;
        test_case("the public call of %s", j.kernel);
        size_t row = 0;
        while (plait_kernel_at(row, &info) == PLAIT_OK && strcmp(info.name, j.kernel) != 0) row++;
        if (!row_usable(row)) {
            test_skip("not usable on this CPU");
            continue;
        }
        same_path("public", NULL, calls[i].run, &j);
    }
}

/* A right and a wrong tag take the same path until the verdict, which is for the front end. */
static void verdict(job *j)
{
    static const char *const front[] = {"plait_open", "open_any", "open_other", "verdict"};
    snprintf(section, sizeof section,
             "leak: plait_open|open_any|open_other|verdict: %s, length %zu", j->kernel, j->len);
    choose_secrets(0);
    with_forged(j);
    j->tag = right;
    run_open(j);
    trace(run_open, j, 1);
    CHECK_OK(j->status);
    j->tag = wrong;
    trace(run_open, j, 0);
#if defined(MARKS)
    return;
#endif
    CHECK(differs);
    place(culprit());
    int in_front = 0;
    for (size_t i = 0; i < COUNT(front); i++)
        in_front |= strncmp(place_name, front[i], strlen(front[i])) == 0;
    CHECK(in_front);
    /* and nothing but the return is left for the right one */
    CHECK(recorded_count - count < 100);
    if (!in_front || recorded_count - count >= 100)
        printf("      length %zu: right and wrong tag part at %s, step %zu of %zu\n", j->len,
               place(culprit()), count, recorded_count);
}

static void aead(plait_alg alg, const char *name, int few)
{
    static plait_key key;
    static const size_t quick[] = {17, 300, 1100}, fewer[] = {70};
    job j = {.key = &key, .alg = alg, .kernel = name};
    CHECK_OK(plait_key_init_with(&key, alg, secret.raw, alg_key_len(alg), name));
    const int all = test_level >= 2;
    const size_t *list = all ? sizes : few ? fewer : quick;
    const size_t n = all ? COUNT(sizes) : few ? COUNT(fewer) : COUNT(quick);
    test_case("%s: %s, the same path for every secret", name, alg_name(alg));
    j.k = plait_rows[plait_key_inside(&key)->row];
    if (alg_is_gcm(alg) && strchr(name, '+') == NULL)
        same_path("init of the row", NULL, run_row_init, &j);
    if (all || (alg != PLAIT_AES_192_GCM && strchr(name, '+') != NULL))
        same_path("init", NULL, run_init, &j);
    for (size_t i = 0; i < n && !test_failed(); i++) {
        j.len = list[i];
        if (test_level == 0 && i == 2) continue;
        same_path("seal", with_key, run_seal, &j);
        j.tag = right;
        same_path("open", with_sealed, run_open, &j);
        if (all || i == 0) verdict(&j);
        j.tag = wrong;
        if (all || (i == 1 && !few)) same_path("open of forgeries", with_forged, run_forged, &j);
        j.tag = right;
        if (all || (i == 1 && !few)) {
            same_path("stream", with_key, run_stream, &j);
            same_path("stream, open", with_sealed, run_stream_open, &j);
        }
        if (j.len <= 4000 && (all || (i == 0 && !few))) {
            same_path("batch", with_key, run_batch, &j);
            same_path("batch, open", with_batch, run_batch_open, &j);
        }
    }
    plait_key_wipe(&key);
}

static void all(void)
{
    secret_count = 4;
    planted("a branch on a bit of the key", leak_branch, "leak_branch");
#if defined(MARKS)
    /* who reads the marks may see the path alone */
    if (strcmp(getenv("PLAIT_TEST_MARKS"), "addresses") == 0)
#endif
        planted("a table looked up with a byte of the key", leak_table, "leak_table");
    planted("a loop whose count is secret", leak_length, "leak_length");
    planted("a compare that ends early", leak_compare, "leak_compare");

    secret_count = test_level >= 2 ? 8 : 3;
    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++) part(row);
    public_parts();
    for (size_t i = 0; i < COUNT(all_algs); i++) {
        kernel_choice *choices;
        const size_t n = kernel_choices(alg_is_gcm(all_algs[i]), &choices);
        size_t parts = 0;
        if (test_level < 2) secret_count = 2;
        for (size_t c = 0; c < n; c++) {
            /* Parts were traced above: one pair of them for the front end. The key length is what
             * differs between the first three, the nonce between the last two. */
            const int pair = strchr(choices[c].name, '+') != NULL;
            if (pair && (parts++ != 0 || i == 1 || i == 2) && test_level < 2) continue;
            aead(all_algs[i], choices[c].name, i != 2 && i != 3);
        }
        free(choices);
    }
    test_case("no gathers, and every step was kept");
    CHECK(!gather_seen && !overflow && total > 10000);
#if defined(STEPS)
    printf("      %zu instructions were executed one at a time\n", total);
#endif
}
#endif

int main(void)
{
    test_start("trace: is the path through the code the same for every secret?");
#if defined(STEPS)
    const int able = !test_emulated() && !test_sanitized();
    if (able) start_stepping();
#elif defined(MARKS)
    const int able = getenv("PLAIT_TEST_MARKS") != NULL;
#endif
#if defined(STEPS) || defined(MARKS)
    if (able) {
        random_bytes(nonce, sizeof nonce);
        random_bytes(ad, sizeof ad);
        all();
        return test_finish();
    }
#endif
    test_case("paths");
    test_skip("x86-64 Linux, without emulator and sanitizer; AArch64 by blocks.py");
    return test_finish();
}
