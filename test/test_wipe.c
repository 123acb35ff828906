/* SPDX-License-Identifier: Apache-2.0
 *
 * Are secrets gone when a call returns? Each operation runs on a stack of its own, which is then
 * searched for the raw key, round keys, the hash key, keystream, one-time keys, and the right tag
 * of a forged message. Keys, streams and states are zero after they were wiped, finished or failed.
 * docs/SOUNDNESS.md lists what is not wiped, and why.
 *
 * The vector registers are looked at too, right after each call. What they still hold is told, not
 * failed: nothing clears them. PLAIT_TEST_REGISTERS=1 prints it, a line for each call.
 */
#include "harness.h"
#include "oracle.h"

#include <sys/mman.h>
#include <ucontext.h>

#define STACK       ((size_t)256 << 10)
#define STACK_BOUND ((size_t)24 << 10) /* what a call may use of it: docs/SOUNDNESS.md says so */
/* Bytes of a secret that count as a find, or all of a shorter one. Compilers spill a register where
 * they like, which C can not undo; what is larger was kept in a buffer. */
#define WINDOW 24

static uint8_t *stack;
static const uint8_t *sought[64];
static size_t sought_len[64], sought_count;
static const char *sought_name[64];

static void seek(const char *name, const void *p, size_t len)
{
    sought_name[sought_count] = name;
    sought[sought_count] = p;
    sought_len[sought_count++] = len;
}

typedef struct job {
    void (*run)(struct job *);
    plait_key *key;
    plait_alg alg;
    const char *kernel;
    uint8_t *out, *tag;
    size_t len;
    plait_status status, want;
} job;

static size_t nonce_len;
static uint8_t raw[32], nonce[24], ad[40], text[5000], sealed[5000], out[5000], tag[16], right[16];
static const uint8_t zeros[5000];

/* ---- vector registers ------------------------------------------------------------------------ */

static uint8_t registers[32][64];
#if defined(__x86_64__)
#define EACH_32(f)                                                                                 \
    f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16)    \
        f(17) f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define EACH_16(f)                                                                                 \
    f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define KEEP_512(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%0)\n"
#define KEEP_256(n) "vmovdqu %%ymm" #n ", 64*" #n "(%0)\n"
#define KEEP_128(n) "movups %%xmm" #n ", 64*" #n "(%0)\n"
static uint32_t has;
static inline __attribute__((always_inline)) void keep_registers(void)
{
    if (has & PLAIT_CPU_avx512)
        __asm__ volatile(EACH_32(KEEP_512)::"r"(registers) : "memory");
    else if (has & PLAIT_CPU_avx)
        __asm__ volatile(EACH_16(KEEP_256)::"r"(registers) : "memory");
    else
        __asm__ volatile(EACH_16(KEEP_128)::"r"(registers) : "memory");
}
/* Known contents, in which nothing is sought. */
static void fill_registers(void)
{
    has = plait_cpu_present();
    if (has & PLAIT_CPU_avx512)
        __asm__ volatile("vzeroall; vpxord %%zmm16, %%zmm16, %%zmm16\n"
                         "vmovdqa64 %%zmm16, %%zmm17; vmovdqa64 %%zmm16, %%zmm18\n"
                         "vmovdqa64 %%zmm16, %%zmm19; vmovdqa64 %%zmm16, %%zmm20\n"
                         "vmovdqa64 %%zmm16, %%zmm21; vmovdqa64 %%zmm16, %%zmm22\n"
                         "vmovdqa64 %%zmm16, %%zmm23; vmovdqa64 %%zmm16, %%zmm24\n"
                         "vmovdqa64 %%zmm16, %%zmm25; vmovdqa64 %%zmm16, %%zmm26\n"
                         "vmovdqa64 %%zmm16, %%zmm27; vmovdqa64 %%zmm16, %%zmm28\n"
                         "vmovdqa64 %%zmm16, %%zmm29; vmovdqa64 %%zmm16, %%zmm30\n"
                         "vmovdqa64 %%zmm16, %%zmm31\n" ::
                             : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                               "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                               "xmm15");
    else if (has & PLAIT_CPU_avx)
        __asm__ volatile("vzeroall" ::
                             : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                               "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                               "xmm15");
}
#elif defined(__aarch64__)
static inline __attribute__((always_inline)) void keep_registers(void)
{
#define KEEP_Q(n) "str q" #n ", [%0, #(64 * " #n ")]\n"
    __asm__ volatile(KEEP_Q(0) KEEP_Q(1) KEEP_Q(2) KEEP_Q(3) KEEP_Q(4) KEEP_Q(5) KEEP_Q(6) KEEP_Q(7)
                         KEEP_Q(8) KEEP_Q(9) KEEP_Q(10) KEEP_Q(11) KEEP_Q(12) KEEP_Q(13) KEEP_Q(14)
                             KEEP_Q(15) KEEP_Q(16) KEEP_Q(17) KEEP_Q(18) KEEP_Q(19) KEEP_Q(20)
                                 KEEP_Q(21) KEEP_Q(22) KEEP_Q(23) KEEP_Q(24) KEEP_Q(25) KEEP_Q(26)
                                     KEEP_Q(27) KEEP_Q(28) KEEP_Q(29) KEEP_Q(30)
                                         KEEP_Q(31)::"r"(registers)
                     : "memory");
}
static void fill_registers(void)
{
}
#else
static inline void keep_registers(void)
{
}
static void fill_registers(void)
{
}
#endif

static char remains[32][160]; /* "seal: keystream, round keys" */
static size_t remains_count, register_finds;

static void remain(const char *what, const char *name)
{
    size_t i = 0;
    const size_t len = strlen(what);
    while (i < remains_count && (strncmp(remains[i], what, len) != 0 || remains[i][len] != ':'))
        i++;
    if (i == COUNT(remains)) return;
    if (i == remains_count) snprintf(remains[remains_count++], sizeof remains[0], "%s:", what);
    const size_t end = strlen(remains[i]);
    if (strstr(remains[i], name) == NULL)
        snprintf(remains[i] + end, sizeof remains[i] - end, "%s %s", end == len + 1 ? "" : ",",
                 name);
}

/* A register counts if two of its 32-bit words at least are words of one secret: kernels keep
 * words of many blocks in a register, transposed. */
static void search_registers(const char *what)
{
    static uint8_t set[1 << 16];
    for (size_t i = 0; i < sought_count; i++) {
        memset(set, 0, sizeof set);
        for (size_t at = 0; at + 4 <= sought_len[i]; at += 4)
            set[plait_load32_le(sought[i] + at) * UINT32_C(0x9e3779b1) >> 16] = 1;
        for (size_t r = 0; r < 32; r++) {
            size_t found = 0;
            for (size_t w = 0; w < 64; w += 4) {
                const uint32_t x = plait_load32_le(registers[r] + w);
                if (x < 256 || x > UINT32_MAX - 256 || !set[x * UINT32_C(0x9e3779b1) >> 16])
                    continue;
                for (size_t at = 0; at + 4 <= sought_len[i]; at += 4)
                    if (plait_load32_le(sought[i] + at) == x) {
                        found++;
                        break;
                    }
            }
            if (found < 2) continue;
            register_finds++;
            remain(what, sought_name[i]);
            break;
        }
    }
}

static void tell_registers(void)
{
    if (getenv("PLAIT_TEST_REGISTERS") != NULL)
        for (size_t i = 0; i < remains_count; i++) printf("      registers after %s\n", remains[i]);
    remains_count = 0;
}

/* ---- how deep each call goes ----------------------------------------------------------------- */

static struct depth {
    const char *what;
    char kernel[96];
    size_t bytes;
} depths[16];

static void deepest(const char *what, const char *kernel, size_t bytes)
{
    size_t i = 0;
    while (i < COUNT(depths) - 1 && depths[i].what != NULL && strcmp(depths[i].what, what) != 0)
        i++;
    if (bytes <= depths[i].bytes) return;
    depths[i].what = what;
    depths[i].bytes = bytes;
    snprintf(depths[i].kernel, sizeof depths[i].kernel, "%s", kernel);
}

static void tell_depths(void)
{
    test_case("no call uses more than %zu bytes of stack", STACK_BOUND);
    /* that the paint is found at all: a call of the public functions goes deeper than this */
    size_t most = 0;
    for (size_t i = 0; i < COUNT(depths); i++)
        if (depths[i].bytes > most) most = depths[i].bytes;
    CHECK(most > 256);
    for (size_t i = 0; i < COUNT(depths) && depths[i].what != NULL; i++)
        printf("      %-22s %6zu bytes of stack at most (%s)\n", depths[i].what, depths[i].bytes,
               depths[i].kernel);
}

/* ---- a stack of its own ---------------------------------------------------------------------- */

/* Runs on the other stack and leaves it as the job left it: nothing else ever runs there. */
static job *current;
static void on_stack(void)
{
    fill_registers();
    current->run(current);
    keep_registers();
}

static void run_on_stack(job *j)
{
    static ucontext_t here, there;
    memset(stack, 0x5a, STACK);
    current = j;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK;
    there.uc_link = &here;
    makecontext(&there, on_stack, 0);
    swapcontext(&here, &there);
}

static void run_and_search(const char *what, job *j)
{
    /* Twice: the first time the dynamic loader leaves registers there, which is not ours. */
    run_on_stack(j);
    run_on_stack(j);
    CHECK_INT(j->status, j->want);
    search_registers(what);
    const uint8_t *lowest = stack;
    while (lowest < stack + STACK && *lowest == 0x5a) lowest++;
    const size_t used = (size_t)(stack + STACK - lowest);
    deepest(what, j->kernel, used);
    CHECK(used <= STACK_BOUND);
    for (size_t i = 0; i < sought_count; i++)
        for (size_t at = 0, n;
             n = sought_len[i] < WINDOW ? sought_len[i] : WINDOW, at + n <= sought_len[i];
             at += 8) {
            size_t zeros_there = 0;
            for (size_t b = 0; b < n; b++) zeros_there += sought[i][at + b] == 0;
            if (zeros_there > 12) continue; /* parts of a key area that are not used */
            const uint8_t *p = memmem(lowest, used, sought[i] + at, n);
            test_checks++;
            if (p == NULL) continue;
            printf("      %s, length %zu: bytes %zu.. of the %s are at %zu below the top of the "
                   "stack\n",
                   what, j->len, at, sought_name[i], (size_t)(stack + STACK - p));
            CHECK(!"a secret is left on the stack");
            break;
        }
}

static void do_init(job *j)
{
    j->status = plait_key_init_with(j->key, j->alg, raw, alg_key_len(j->alg), j->kernel);
}
static void do_seal(job *j)
{
    j->status = plait_seal(j->key, j->out, j->tag, nonce, nonce_len, ad, sizeof ad,
                           text, j->len);
}
static void do_open(job *j) /* the tag decides whether it is authentic */
{
    j->status = plait_open(j->key, j->out, nonce, nonce_len, ad, sizeof ad, sealed,
                           j->len, j->tag);
}
static void do_stream(job *j)
{
    static plait_stream s;
    j->status = plait_stream_init(&s, j->key, nonce, nonce_len);
    plait_stream_ad(&s, j->key, ad, sizeof ad);
    plait_stream_seal(&s, j->key, j->out, text, j->len / 3);
    plait_stream_seal(&s, j->key, j->out, text, j->len - j->len / 3);
    j->status |= plait_stream_seal_final(&s, j->key, j->tag);
}
static void do_stream_open(job *j)
{
    static plait_stream s;
    plait_stream_init(&s, j->key, nonce, nonce_len);
    plait_stream_ad(&s, j->key, ad, sizeof ad);
    plait_stream_open_unverified(&s, j->key, j->out, sealed, j->len / 3);
    plait_stream_open_unverified(&s, j->key, j->out, sealed, j->len - j->len / 3);
    j->status = plait_stream_open_final(&s, j->key, j->tag);
}
static void do_batch(job *j)
{
    plait_message m[20];
    for (size_t i = 0; i < COUNT(m); i++) {
        const plait_message one = {j->key, j->out + 200 * i, j->tag, nonce, nonce_len,
                                   ad,     sizeof ad,        text,   i * 9, PLAIT_OK};
        m[i] = one;
    }
    j->status = plait_seal_batch(m, COUNT(m)) == 0 ? PLAIT_OK : PLAIT_ERR_TAG;
}
static void do_open_batch(job *j) /* all forged */
{
    plait_message m[20];
    for (size_t i = 0; i < COUNT(m); i++) {
        const plait_message one = {j->key,
                                   j->out + 200 * i,
                                   j->tag,
                                   nonce,
                                   nonce_len,
                                   ad,
                                   sizeof ad,
                                   sealed,
                                   j->len < 190 ? j->len : 190,
                                   PLAIT_OK};
        m[i] = one;
    }
    j->status = plait_open_batch(m, COUNT(m)) == COUNT(m) ? PLAIT_ERR_TAG : PLAIT_OK;
}
static void do_chacha20(job *j)
{
    j->status = plait_chacha20_xor_with(j->kernel, j->out, zeros, j->len, raw, nonce, 1);
}
static void do_poly1305(job *j)
{
    j->status = plait_poly1305_with(j->kernel, j->tag, text, j->len, raw);
}
static void do_poly1305_pieces(job *j)
{
    static plait_poly1305_state s;
    plait_poly1305_init_with(j->kernel, &s, raw);
    plait_poly1305_update_with(j->kernel, &s, text, j->len / 2);
    plait_poly1305_update_with(j->kernel, &s, text, j->len - j->len / 2);
    j->status = plait_poly1305_final_with(j->kernel, &s, j->tag);
}
static void do_ctr(job *j)
{
    j->status = plait_aes_ctr_xor_with(j->kernel, j->out, zeros, j->len, raw, 32, nonce);
}
static void do_ghash(job *j)
{
    j->status = plait_ghash_with(j->kernel, j->tag, raw, text, j->len / 16);
}

static const size_t lengths[] = {0,   1,   16,  63,  64,   65,   130,  200,
                                 256, 300, 513, 700, 1024, 1100, 2100, 4096};

/* The opposite byte order, in which kernels hold H. */
static void swapped(uint8_t *dst, const uint8_t *src, size_t n)
{
    for (size_t i = 0; i < n; i++) dst[i] = src[n - 1 - i];
}

static void aead(plait_alg alg, const char *name, size_t with_nonce_len)
{
    static plait_key key;
    static uint8_t subkey[32], stream[5000], one_time[32], clamped[16], h[16], h_swapped[16],
        mask[16], wrong[16];
    static oracle_aes aes;
    const int gcm = alg_is_gcm(alg);
    static uint8_t j0[16];
    uint8_t sub_nonce[12];

    sought_count = 0;
    nonce_len = with_nonce_len;
    seek("raw key", raw, alg_key_len(alg));
    if (gcm) {
        oracle_aes_init(&aes, raw, alg_key_len(alg));
        seek("round keys", aes.key[alg_key_len(alg) == 16 ? 1 : 2], 16 * (size_t)(aes.rounds - 1));
        oracle_aes_block(&aes, h, zeros);
        swapped(h_swapped, h, 16);
        seek("hash key", h, 16);
        seek("hash key, swapped", h_swapped, 16);
        oracle_gcm_j0(j0, h, nonce, nonce_len);
        /* Of 12 bytes it is public, of others it tells H. Counter blocks differ in the end only. */
        if (nonce_len != 12) seek("first counter block", j0, 12);
        oracle_aes_block(&aes, mask, j0);
        seek("mask of the tag", mask, 16);
        plait_store32_be(j0 + 12, 2);
        oracle_aes_ctr(&aes, stream, zeros, sizeof stream, j0, 4);
    } else {
        memcpy(subkey, raw, 32);
        memcpy(sub_nonce, nonce, 12);
        if (alg == PLAIT_XCHACHA20_POLY1305) {
            oracle_hchacha20(subkey, raw, nonce);
            memset(sub_nonce, 0, 4);
            memcpy(sub_nonce + 4, nonce + 16, 8);
            seek("subkey", subkey, 32);
        }
        oracle_chacha20(one_time, zeros, 32, subkey, sub_nonce, 0);
        memcpy(clamped, one_time, 16);
        for (int i = 3; i < 16; i += 4)
            clamped[i] &= 15, clamped[(i + 1) % 16] &= i == 15 ? 255 : 252;
        seek("one-time key", one_time, 32);
        seek("clamped r", clamped, 16);
        oracle_chacha20(stream, zeros, sizeof stream, subkey, sub_nonce, 1);
    }

    test_case("%s: %s, nonce of %zu bytes, nothing is left on the stack", name, alg_name(alg),
              nonce_len);
    job j = {.key = &key, .alg = alg, .kernel = name, .out = out, .tag = tag};
    j.run = do_init;
    run_and_search("init", &j);
    /* What the kernel made of the key: round keys and powers of H in its own form. */
    if (gcm) seek("key area", plait_key_inside(&key)->area, PLAIT_GCM_AREA);
    run_and_search("init", &j);
    for (size_t i = 0; i < COUNT(lengths) && !test_failed(); i++) {
        const size_t fixed = sought_count;
        j.len = lengths[i];
        AT("length %zu", j.len);
        oracle_seal(gcm, sealed, right, raw, alg_key_len(alg), nonce, nonce_len, ad,
                    sizeof ad, text, j.len);
        seek("keystream", stream, j.len < 64 ? 64 : sizeof stream);
        if (j.len >= 16) seek("plaintext", text, j.len);
        j.tag = tag;
        j.want = PLAIT_OK;
        j.run = do_seal;
        run_and_search("seal", &j);
        j.run = do_stream;
        run_and_search("stream", &j);
        if (i == 0) {
            j.run = do_batch;
            run_and_search("batch", &j);
        }
        j.tag = right;
        j.run = do_open;
        run_and_search("open", &j);
        /* The right tag of a forged message must not survive either. */
        memcpy(wrong, right, 16);
        wrong[0] ^= 1, wrong[8] ^= 1;
        j.tag = wrong;
        j.want = PLAIT_ERR_TAG;
        seek("right tag", right, 16);
        j.run = do_open;
        run_and_search("open of a forgery", &j);
        j.run = do_stream_open;
        run_and_search("stream of a forgery", &j);
        if (j.len == 64) {
            j.run = do_open_batch;
            run_and_search("batch of forgeries", &j);
        }
        sought_count = fixed;
    }
    tell_registers();
    plait_key_wipe(&key);
    CHECK(all_bytes(&key, sizeof key, 0));
}

static void part(size_t row)
{
    static uint8_t stream[5000], clamped[16], swapped_h[16];
    static oracle_aes aes;
    const char *name = plait_rows[row]->name;
    job j = {.kernel = name, .out = out, .tag = tag};
    void (*runs[2])(job *) = {NULL, NULL};
    if (row_is(row, "aes_gcm") || row_is(row, "chacha20_poly1305")) return; /* as keys, above */
    if (!test_kernel_case(row, "nothing is left on the stack")) return;
    sought_count = 0;
    seek("key", raw, 32);
    if (row_is(row, "chacha20")) {
        runs[0] = do_chacha20;
        oracle_chacha20(stream, zeros, sizeof stream, raw, nonce, 1);
    } else if (row_is(row, "aes")) {
        runs[0] = do_ctr;
        oracle_aes_init(&aes, raw, 32);
        seek("round keys", aes.key[2], 16 * 13);
        oracle_aes_ctr(&aes, stream, zeros, sizeof stream, nonce, 16);
    } else if (row_is(row, "poly1305")) {
        runs[0] = do_poly1305, runs[1] = do_poly1305_pieces;
        memcpy(clamped, raw, 16);
        for (int i = 3; i < 16; i += 4)
            clamped[i] &= 15, clamped[(i + 1) % 16] &= i == 15 ? 255 : 252;
        seek("clamped r", clamped, 16);
    } else {
        runs[0] = do_ghash;
        sought_count = 0;
        seek("hash key", raw, 16);
        swapped(swapped_h, raw, 16);
        seek("hash key, swapped", swapped_h, 16);
    }
    for (size_t i = 0; i < COUNT(lengths) && !test_failed(); i++) {
        const size_t fixed = sought_count;
        j.len = lengths[i];
        if (runs[0] == do_chacha20 || runs[0] == do_ctr) seek("keystream", stream, sizeof stream);
        for (size_t r = 0; r < 2; r++)
            if (runs[r] != NULL) {
                j.run = runs[r];
                run_and_search(r == 0 ? "whole" : "in pieces", &j);
            }
        sought_count = fixed;
    }
    tell_registers();
}

/* Does the search find what is there? */
static uint8_t volatile *planted;
static void do_plant(job *j)
{
    volatile uint8_t kept[1000]; /* deep enough not to be overwritten on the way back */
    for (size_t i = 0; i < 32; i++) kept[i + 3] = raw[i];
    planted = kept;
    j->status = (plait_status)(planted[3] != raw[0]);
}

static void do_plant_register(job *j)
{
    j->status = PLAIT_OK;
#if defined(__x86_64__)
    __asm__ volatile("movups (%0), %%xmm13" ::"r"(raw + 4) : "xmm13");
#elif defined(__aarch64__)
    /* not v8 to v15, of which the caller gets a half back */
    __asm__ volatile("ldr q20, [%0]" ::"r"(raw + 4) : "v20");
#endif
}

static void search_works(void)
{
    job j = {.run = do_plant};
    test_case("the search finds a key that was left");
    run_on_stack(&j);
    CHECK(memmem(stack, STACK, raw, 32) != NULL);

    test_case("and what was left in a vector register");
#if defined(__x86_64__) || defined(__aarch64__)
    j.run = do_plant_register;
    run_on_stack(&j);
    sought_count = 0;
    seek("key", raw, 32);
    search_registers("planted");
    CHECK(register_finds != 0);
    remains_count = 0, register_finds = 0, sought_count = 0;
#else
    test_skip("no vector registers are looked at on this architecture");
#endif
}

int main(void)
{
    test_start("wipe: are secrets gone when a call returns?");
    if (test_sanitized()) {
        test_case("stacks");
        test_skip("a sanitizer keeps copies of its own");
        return test_finish();
    }
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    random_bytes(raw, sizeof raw);
    random_bytes(nonce, sizeof nonce);
    random_bytes(ad, sizeof ad);
    random_bytes(text, sizeof text);
    search_works();
    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++) part(row);
    for (size_t a = 0; a < COUNT(all_algs); a++) {
        kernel_choice *choices;
        if (test_level == 0 && all_algs[a] == PLAIT_AES_192_GCM) continue;
        const size_t count = kernel_choices(alg_is_gcm(all_algs[a]), &choices);
        for (size_t c = 0; c < count; c++) {
            aead(all_algs[a], choices[c].name, alg_nonce_len(all_algs[a]));
            if (alg_is_gcm(all_algs[a])) aead(all_algs[a], choices[c].name, 16);
        }
        free(choices);
    }
    tell_depths();
    return test_finish();
}
