/* SPDX-License-Identifier: Apache-2.0
 *
 * Does every kernel leave its caller's registers alone? Each function is called directly through a
 * trampoline that fills the registers which the platform's ABI reserves for the caller, and
 * compares them afterwards, for lengths that enter every loop, with the stack at each multiple of
 * 16 bytes in turn: the platform promises no more, also where a kernel keeps vectors of 64 there.
 * On x86 also: the direction flag, the rounding mode, and no dirty upper halves of vector
 * registers, which make every SSE instruction that follows slow.
 */
#include "harness.h"

#if defined(__x86_64__) && defined(__linux__)
#define REGISTERS 6
static const char *const register_names[REGISTERS] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
#define SPOILED 3
/* abi_call(function, area): area[0..9] arguments, area[10] bytes of stack more, area[16 + i] what
 * register i holds afterwards, area[60] flags, area[61] MXCSR. */
void abi_call(void (*function)(void), uint64_t *area);
__asm__(".text\n"
        ".globl abi_call\n"
        ".type abi_call, @function\n"
        "abi_call:\n"
        "    push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "    mov %rdi, %r11\n"
        "    mov %rsi, %r10\n"
        "    mov %rsp, 96(%r10)\n"
        "    sub 80(%r10), %rsp\n"
        "    push %rsi\n"
        "    sub $32, %rsp\n"
        "    mov 48(%r10), %rax; mov %rax, 0(%rsp)\n"
        "    mov 56(%r10), %rax; mov %rax, 8(%rsp)\n"
        "    mov 64(%r10), %rax; mov %rax, 16(%rsp)\n"
        "    mov 72(%r10), %rax; mov %rax, 24(%rsp)\n"
        "    mov 0(%r10), %rdi; mov 8(%r10), %rsi; mov 16(%r10), %rdx\n"
        "    mov 24(%r10), %rcx; mov 32(%r10), %r8; mov 40(%r10), %r9\n"
        "    movabs $0x1111111111111110, %rbx\n"
        "    movabs $0x1111111111111111, %rbp\n"
        "    movabs $0x1111111111111112, %r12\n"
        "    movabs $0x1111111111111113, %r13\n"
        "    movabs $0x1111111111111114, %r14\n"
        "    movabs $0x1111111111111115, %r15\n"
        "    call *%r11\n"
        "    mov 32(%rsp), %r10\n"
        "    mov %rbx, 128(%r10); mov %rbp, 136(%r10); mov %r12, 144(%r10)\n"
        "    mov %r13, 152(%r10); mov %r14, 160(%r10); mov %r15, 168(%r10)\n"
        "    pushf; pop %rax; mov %rax, 480(%r10)\n"
        "    stmxcsr 488(%r10)\n"
        "    cld\n"
        "    mov 96(%r10), %rsp\n"
        "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "    ret\n"
        ".size abi_call, .-abi_call\n");
static uint64_t expected(int i)
{
    return UINT64_C(0x1111111111111110) + (uint64_t)i;
}
#elif defined(__x86_64__) && defined(_WIN32)
#define REGISTERS 28
#define SPOILED   5
static const char *const register_names[REGISTERS] = {
    "rbx",   "rbp",         "rdi",   "rsi",         "r12",   "r13",         "r14",   "r15",
    "xmm6",  "xmm6, high",  "xmm7",  "xmm7, high",  "xmm8",  "xmm8, high",  "xmm9",  "xmm9, high",
    "xmm10", "xmm10, high", "xmm11", "xmm11, high", "xmm12", "xmm12, high", "xmm13", "xmm13, high",
    "xmm14", "xmm14, high", "xmm15", "xmm15, high"};
/* As above. The values come from area too: area[16 + i] on entry. */
void abi_call(void (*function)(void), uint64_t *area);
#define XMM(f)                                                                                     \
    f(6, 192) f(7, 208) f(8, 224) f(9, 240) f(10, 256) f(11, 272) f(12, 288) f(13, 304) f(14, 320) \
        f(15, 336)
#define KEEP(n, at) "    movups %xmm" #n ", " #at "-96(%rsp)\n"
#define BACK(n, at) "    movups " #at "-96(%rsp), %xmm" #n "\n"
#define FILL(n, at) "    movups " #at "(%r10), %xmm" #n "\n"
#define TAKE(n, at) "    movups %xmm" #n ", " #at "(%r10)\n"
__asm__(
    ".text\n"
    ".globl abi_call\n"
    "abi_call:\n"
    "    push %rbx; push %rbp; push %rdi; push %rsi\n"
    "    push %r12; push %r13; push %r14; push %r15\n"
    "    sub $264, %rsp\n" XMM(
        KEEP) "    mov %rcx, %r11\n"
              "    mov %rdx, %r10\n"
              "    mov %rsp, 96(%r10)\n"
              "    sub 80(%r10), %rsp\n"
              "    sub $96, %rsp\n"
              "    mov %r10, 80(%rsp)\n"
              "    mov 32(%r10), %rax; mov %rax, 32(%rsp)\n"
              "    mov 40(%r10), %rax; mov %rax, 40(%rsp)\n"
              "    mov 48(%r10), %rax; mov %rax, 48(%rsp)\n"
              "    mov 56(%r10), %rax; mov %rax, 56(%rsp)\n"
              "    mov 64(%r10), %rax; mov %rax, 64(%rsp)\n"
              "    mov 72(%r10), %rax; mov %rax, 72(%rsp)\n"
              "    mov 0(%r10), %rcx; mov 8(%r10), %rdx; mov 16(%r10), %r8; mov 24(%r10), %r9\n"
              "    mov 128(%r10), %rbx; mov 136(%r10), %rbp; mov 144(%r10), %rdi; mov 152(%r10), "
              "%rsi\n"
              "    mov 160(%r10), %r12; mov 168(%r10), %r13; mov 176(%r10), %r14; mov 184(%r10), "
              "%r15\n" XMM(FILL) "    call *%r11\n"
                                 "    mov 80(%rsp), %r10\n"
                                 "    mov %rbx, 128(%r10); mov %rbp, 136(%r10); mov %rdi, "
                                 "144(%r10); mov %rsi, 152(%r10)\n"
                                 "    mov %r12, 160(%r10); mov %r13, 168(%r10); mov %r14, "
                                 "176(%r10); mov %r15, 184(%r10)\n" XMM(
                                     TAKE) "    pushf; pop %rax; mov %rax, 480(%r10)\n"
                                           "    stmxcsr 488(%r10)\n"
                                           "    cld\n"
                                           "    mov 96(%r10), %rsp\n" XMM(
                                               BACK) "    add $264, %rsp\n"
                                                     "    pop %r15; pop %r14; pop %r13; pop %r12\n"
                                                     "    pop %rsi; pop %rdi; pop %rbp; pop %rbx\n"
                                                     "    ret\n");
static uint64_t expected(int i)
{
    return UINT64_C(0x1111111111111110) + (uint64_t)i;
}
#elif defined(__aarch64__) && defined(__linux__)
/* x18 belongs to the platform on macOS and Windows, whose compilers leave it alone; those for Linux
 * do so when told (-ffixed-x18 -DPLAIT_TEST_X18), and then only asm could touch it. */
#if defined(PLAIT_TEST_X18)
#define REGISTERS 19
#else
#define REGISTERS 18
#endif
#define SPOILED 3
static const char *const register_names[] = {"x19", "x20", "x21", "x22", "x23", "x24", "x25",
                                             "x26", "x27", "x28", "d8",  "d9",  "d10", "d11",
                                             "d12", "d13", "d14", "d15", "x18"};
void abi_call(void (*function)(void), uint64_t *area);
__asm__(
    ".text\n"
    ".globl abi_call\n"
    ".type abi_call, %function\n"
    "abi_call:\n"
    "    stp x29, x30, [sp, #-176]!\n"
    "    mov x29, sp\n"
    "    stp x19, x20, [sp, #16]; stp x21, x22, [sp, #32]; stp x23, x24, [sp, #48]\n"
    "    stp x25, x26, [sp, #64]; stp x27, x28, [sp, #80]\n"
    "    stp d8, d9, [sp, #96]; stp d10, d11, [sp, #112]; stp d12, d13, [sp, #128]; stp d14, d15, "
    "[sp, #144]\n"
    "    str x1, [sp, #160]\n"
    "    sub sp, sp, #16\n"
    "    mov x16, x0\n"
    "    mov x17, x1\n"
    "    ldr x9, [x17, #64]; str x9, [sp]; ldr x9, [x17, #72]; str x9, [sp, #8]\n"
    "    mov x19, #0x110; mov x20, #0x111; mov x21, #0x112; mov x22, #0x113; mov x23, #0x114\n"
    "    mov x24, #0x115; mov x25, #0x116; mov x26, #0x117; mov x27, #0x118; mov x28, #0x119\n"
    "    mov x9, #0x11a; fmov d8, x9; mov x9, #0x11b; fmov d9, x9; mov x9, #0x11c; fmov d10, x9\n"
    "    mov x9, #0x11d; fmov d11, x9; mov x9, #0x11e; fmov d12, x9; mov x9, #0x11f; fmov d13, x9\n"
    "    mov x9, #0x120; fmov d14, x9; mov x9, #0x121; fmov d15, x9\n"
    "    mov x18, #0x122\n"
    "    ldp x0, x1, [x17]; ldp x2, x3, [x17, #16]; ldp x4, x5, [x17, #32]; ldp x6, x7, [x17, "
    "#48]\n"
    "    blr x16\n"
    "    add sp, sp, #16\n"
    "    ldr x17, [sp, #160]\n"
    "    str x18, [x17, #272]\n"
    "    stp x19, x20, [x17, #128]; stp x21, x22, [x17, #144]; stp x23, x24, [x17, #160]\n"
    "    stp x25, x26, [x17, #176]; stp x27, x28, [x17, #192]\n"
    "    stp d8, d9, [x17, #208]; stp d10, d11, [x17, #224]; stp d12, d13, [x17, #240]; stp d14, "
    "d15, [x17, #256]\n"
    "    ldp x19, x20, [sp, #16]; ldp x21, x22, [sp, #32]; ldp x23, x24, [sp, #48]\n"
    "    ldp x25, x26, [sp, #64]; ldp x27, x28, [sp, #80]\n"
    "    ldp d8, d9, [sp, #96]; ldp d10, d11, [sp, #112]; ldp d12, d13, [sp, #128]; ldp d14, d15, "
    "[sp, #144]\n"
    "    ldp x29, x30, [sp], #176\n"
    "    ret\n"
    ".size abi_call, .-abi_call\n");
static uint64_t expected(int i)
{
    return 0x110 + (uint64_t)i;
}
#endif

#ifdef REGISTERS

#if defined(__x86_64__)
#include <cpuid.h>
/* Which vector states are in use, or 0 where the CPU does not tell. */
static uint32_t in_use(void)
{
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return 0;
    if (!__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a >> 2 & 1)) return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    return a & (1u << 2 | 1u << 6); /* upper halves of ymm0-15 and zmm0-15 */
}
static void clean_uppers(void)
{
    if (plait_cpu_present() & PLAIT_CPU_avx)
        __asm__ volatile(".byte 0xc5, 0xf8, 0x77"); /* vzeroupper */
}
static int uppers_known(void)
{
    clean_uppers();
    return in_use() == 0;
}
#endif

typedef void (*any_function)(void);

/* The arguments are pointers and sizes: all of one width here. */
static void call(any_function f, int count, const uint64_t *args)
{
    uint64_t area[64] = {0};
    static unsigned turn;
    for (int i = 0; i < count; i++) area[i] = args[i];
    for (int i = 0; i < REGISTERS; i++) area[16 + i] = expected(i); /* for those that read them */
    area[10] = 16 * (turn++ % 4);
#if defined(__x86_64__)
    uint32_t mode;
    clean_uppers();
    const int known = uppers_known();
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    abi_call(f, area);
    if (known) CHECK(in_use() == 0);
    CHECK((area[60] >> 10 & 1) == 0); /* direction flag */
    CHECK(((uint32_t)area[61] & 0xffc0) ==
          (mode & 0xffc0)); /* control bits of MXCSR; the others report */
#else
    abi_call(f, area);
#endif
    for (int i = 0; i < REGISTERS; i++) {
        CHECK(area[16 + i] == expected(i));
        if (area[16 + i] != expected(i)) printf("      %s was not preserved\n", register_names[i]);
    }
}

#define P(x) ((uint64_t)(uintptr_t)(x))
#define CALL(function, ...)                                                                        \
    do {                                                                                           \
        const uint64_t args_[] = {__VA_ARGS__};                                                    \
        call((any_function)(function), (int)COUNT(args_), args_);                                  \
    } while (0)

static uint8_t in[20000], out[20000], ad[64], area[8192], key[32], block[16], acc[16], tag[16];

static void row(size_t i)
{
    const plait_kernel *k = plait_rows[i];
    static uint32_t state[16];
    plait_poly1305_acc poly = {
        {1, 2, 3}, {UINT64_C(0x0ffffffc0fffffff), UINT64_C(0x0ffffffc0ffffffc)}, {7, 8}};
    static const size_t lengths[] = {
        0,    1,    15,   16,   17,   47,   63,   64,   65,   100,  127,  128,   129,  191, 192,
        255,  256,  257,  300,  383,  384,  500,  511,  512,  513,  640,  767,   768,  900, 1023,
        1024, 1025, 1100, 1500, 2047, 2048, 2049, 3000, 4096, 4097, 8192, 16384, 16400};
    if (!test_kernel_case(i, "the caller's registers")) return;
    for (size_t l = 0; l < COUNT(lengths); l++) {
        const size_t n = lengths[l];
        AT("length %zu", n);
        if (row_is(i, "chacha20")) CALL(k->fn.chacha20.xor_stream, P(out), P(in), n, P(state));
        if (row_is(i, "poly1305")) {
            CALL(k->fn.poly1305.blocks, P(&poly), P(in), n / 16 * 16);
            CALL(k->fn.poly1305.final, P(&poly), P(tag), P(in), n % 16);
            CALL(k->fn.poly1305.mac, P(tag), P(in), n, P(key));
        }
        if (row_is(i, "aes"))
            for (size_t key_len = 16; key_len <= 32; key_len += 8) {
                CALL(k->fn.aes.init, P(area), P(key), key_len);
                CALL(k->fn.aes.ctr32, P(area), P(out), P(in), n, P(block));
            }
        if (row_is(i, "ghash")) {
            CALL(k->fn.ghash.init, P(area), P(key), n);
            CALL(k->fn.ghash.update, P(area), P(acc), P(in), n);
        }
        if (row_is(i, "aes_gcm"))
            for (size_t key_len = 16; key_len <= 32; key_len += 8) {
                const plait_aes_gcm_fns *f = &k->fn.aes_gcm;
                CALL(f->init, P(area), P(key), key_len);
                CALL(f->seal, P(area), P(out), P(tag), P(block), P(ad), 20, P(in), n);
                CALL(f->open, P(area), P(out), P(tag), P(block), P(ad), 20, P(in), n);
                CALL(f->text_seal, P(area), P(acc), P(block), P(out), P(in), n);
                CALL(f->text_open, P(area), P(acc), P(block), P(out), P(in), n);
                CALL(f->hash, P(area), P(acc), P(in), n);
                CALL(f->ctr32, P(area), P(out), P(in), n, P(block));
            }
        if (row_is(i, "chacha20_poly1305")) {
            const plait_chacha20_poly1305_fns *f = &k->fn.chacha20_poly1305;
            CALL(f->seal, P(area), P(out), P(tag), P(block), P(ad), 20, P(in), n);
            CALL(f->open, P(area), P(out), P(tag), P(block), P(ad), 20, P(in), n);
        }
        if (n > 1100) continue;
        /* batches of several sizes */
        void (*batch[2])(const plait_job *, size_t) = {NULL, NULL};
        if (row_is(i, "aes_gcm"))
            batch[0] = k->fn.aes_gcm.seal_batch, batch[1] = k->fn.aes_gcm.open_batch;
        if (row_is(i, "chacha20_poly1305"))
            batch[0] = k->fn.chacha20_poly1305.seal_batch,
            batch[1] = k->fn.chacha20_poly1305.open_batch;
        for (int b = 0; b < 2; b++)
            for (size_t count = 1; count <= 17 && batch[b] != NULL; count += 4) {
                plait_job jobs[17];
                for (size_t j = 0; j < count; j++) {
                    const plait_job job = {area, block, out + 1100 * j, tag,
                                           ad,   13,    in + 1100 * j,  n};
                    jobs[j] = job;
                }
                CALL(batch[b], P(jobs), count);
            }
    }
}
#endif

/* The trampoline sees what it is for. */
#if defined(__x86_64__) && defined(REGISTERS)
void abi_spoil(void);
__asm__(".text\n.globl abi_spoil\nabi_spoil:\n    xor %r13d, %r13d\n    pxor %xmm7, %xmm7\n"
        "    ret\n");
#elif defined(REGISTERS)
void abi_spoil(void);
__asm__(".text\n.globl abi_spoil\nabi_spoil:\n    mov x22, #0\n    ret\n");
#endif

int main(void)
{
    test_start("abi: does every kernel leave its caller's registers alone?");
#ifdef REGISTERS
    test_case("the trampoline sees a spoiled register");
    uint64_t spoiled[64] = {0};
    for (int i = 0; i < REGISTERS; i++) spoiled[16 + i] = expected(i);
    abi_call(abi_spoil, spoiled);
    CHECK(spoiled[16 + SPOILED] == 0 && spoiled[16 + 2] == expected(2));
#if defined(_WIN32)
    CHECK(spoiled[16 + 11] == 0 && spoiled[16 + 9] == expected(9));
#endif
#if defined(__x86_64__)
    test_case("dirty upper halves are seen");
    if ((plait_cpu_present() & PLAIT_CPU_avx2) && uppers_known()) {
        /* vpcmpeqd ymm0, ymm0, ymm0: all ones */
        __asm__ volatile(".byte 0xc5, 0xfd, 0x76, 0xc0" ::: "xmm0");
        const uint32_t dirty = in_use();
        clean_uppers();
        CHECK(dirty != 0);
    } else
        test_skip("this CPU does not tell which registers are in use");
#endif
    random_bytes(in, sizeof in);
    random_bytes(key, sizeof key);
    for (size_t i = 0; i < PLAIT_ROW_COUNT; i++) row(i);
#else
    test_case("registers");
    test_skip("no trampoline for this architecture");
#endif
    return test_finish();
}
