/* SPDX-License-Identifier: Apache-2.0
 *
 * limits.c - see limits.h. The assembler knows all instructions, whatever the compiler was told
 * about the CPU; they are run only where limit_usable says so.
 */
#include "limits.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "plait_hazmat.h"
#include "stats.h"

int limit_usable(const char *needs)
{
    while (*needs != 0) {
        const size_t len = strcspn(needs, ",");
        plait_cpu_feature f;
        int found = 0;
        for (size_t i = 0; plait_cpu_feature_at(i, &f) == PLAIT_OK && !found; i++)
            found = f.enabled && strlen(f.name) == len && memcmp(f.name, needs, len) == 0;
        if (!found) return 0;
        needs += len + (needs[len] != 0);
    }
    return 1;
}

double limit_cycles(void (*run)(long rounds))
{
    double cycles[15];
    long rounds = 16;
    for (;;) { /* some 30 microseconds */
        const double start = clock_now();
        run(rounds);
        if (clock_now() - start > 30e-6) break;
        rounds *= 2;
    }
    for (int i = 0; i < 15; i++) {
        const clock_probe before = clock_probe_core();
        const double start = clock_now();
        run(rounds);
        cycles[i] = (clock_now() - start) * before.hertz / (double)rounds;
    }
    stats_sort(cycles, 15);
    /* Whatever disturbs makes it slower: the lower quartile, not the median. */
    return stats_quantile(cycles, 15, 0.25);
}

#if defined(__x86_64__) && defined(__GNUC__)

#define CLOBBERS                                                                                   \
    "cc", "rax", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",  \
        "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define LOOP(body, after)                                                                          \
    __asm__ volatile(".p2align 6\n1:\n\t" body "dec %0\n\tjnz 1b\n\t" after                        \
                     : "+r"(rounds)                                                                \
                     :                                                                             \
                     : CLOBBERS)
#define I(text) text "\n\t"
/* One instruction on each of 12 registers, no two of which wait for each other; then 12 that all
 * do. f(d) is the instruction with the destination d. */
#define TWELVE(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11)
#define CHAIN(f)  f(0) f(0) f(0) f(0) f(0) f(0) f(0) f(0) f(0) f(0) f(0) f(0)
#define PAIR(id, f, after)                                                           \
    static void id##_throughput(long rounds) { LOOP(TWELVE(f) TWELVE(f), after); } \
    static void id##_latency(long rounds) { LOOP(CHAIN(f), after); }
#define UP "vzeroupper"

#define PADDD_X(d)  I("paddd %%xmm15, %%xmm" #d)
#define PXOR_X(d)   I("pxor %%xmm15, %%xmm" #d)
#define PSHUFB_X(d) I("pshufb %%xmm15, %%xmm" #d)
#define PSLLD_X(d)  I("pslld $7, %%xmm" #d)
#define PADDD_Y(d)  I("vpaddd %%ymm15, %%ymm" #d ", %%ymm" #d)
#define PXOR_Y(d)   I("vpxor %%ymm15, %%ymm" #d ", %%ymm" #d)
#define PSHUFB_Y(d) I("vpshufb %%ymm15, %%ymm" #d ", %%ymm" #d)
#define PSLLD_Y(d)  I("vpslld $7, %%ymm" #d ", %%ymm" #d)
#define PADDD_Z(d)  I("vpaddd %%zmm15, %%zmm" #d ", %%zmm" #d)
#define PXOR_Z(d)   I("vpxord %%zmm15, %%zmm" #d ", %%zmm" #d)
#define PROLD_Z(d)  I("vprold $7, %%zmm" #d ", %%zmm" #d)
#define PSHUFB_Z(d) I("vpshufb %%zmm15, %%zmm" #d ", %%zmm" #d)
#define MULUDQ_X(d) I("pmuludq %%xmm15, %%xmm" #d)
#define MULUDQ_Y(d) I("vpmuludq %%ymm15, %%ymm" #d ", %%ymm" #d)
#define MULUDQ_Z(d) I("vpmuludq %%zmm15, %%zmm" #d ", %%zmm" #d)
#define MADD52_Z(d) I("vpmadd52luq %%zmm15, %%zmm14, %%zmm" #d)
#define AESENC_X(d) I("aesenc %%xmm15, %%xmm" #d)
#define AESENC_Y(d) I("vaesenc %%ymm15, %%ymm" #d ", %%ymm" #d)
#define AESENC_Z(d) I("vaesenc %%zmm15, %%zmm" #d ", %%zmm" #d)
#define CLMUL_X(d)  I("pclmulqdq $0, %%xmm15, %%xmm" #d)
#define CLMUL_Y(d)  I("vpclmulqdq $0, %%ymm15, %%ymm" #d ", %%ymm" #d)
#define CLMUL_Z(d)  I("vpclmulqdq $0, %%zmm15, %%zmm" #d ", %%zmm" #d)

PAIR(paddd_x, PADDD_X, "")
PAIR(pshufb_x, PSHUFB_X, "")
PAIR(pslld_x, PSLLD_X, "")
PAIR(paddd_y, PADDD_Y, UP)
PAIR(pshufb_y, PSHUFB_Y, UP)
PAIR(pslld_y, PSLLD_Y, UP)
PAIR(paddd_z, PADDD_Z, UP)
PAIR(prold_z, PROLD_Z, UP)
PAIR(pshufb_z, PSHUFB_Z, UP)
PAIR(muludq_x, MULUDQ_X, "")
PAIR(muludq_y, MULUDQ_Y, UP)
PAIR(muludq_z, MULUDQ_Z, UP)
PAIR(madd52_z, MADD52_Z, UP)
PAIR(aesenc_x, AESENC_X, "")
PAIR(aesenc_y, AESENC_Y, UP)
PAIR(aesenc_z, AESENC_Z, UP)
PAIR(clmul_x, CLMUL_X, "")
PAIR(clmul_y, CLMUL_Y, UP)
PAIR(clmul_z, CLMUL_Z, UP)
static void mul_throughput(long rounds)
{
    LOOP(I("mov %%r8, %%rax") I("mul %%r9") I("mov %%r8, %%rax") I("mul %%r9") I("mov %%r8, %%rax")
             I("mul %%r9") I("mov %%r8, %%rax") I("mul %%r9"),
         "");
}
static void mul_latency(long rounds)
{
    LOOP(I("mul %%r9") I("mul %%r9") I("mul %%r9") I("mul %%r9"), "");
}

const limit_instruction limit_instructions[] = {
#define ROW(name, needs, id) {name, needs, id##_throughput, id##_latency, 24, 12}
    ROW("paddd xmm", "sse2", paddd_x),         ROW("paddd ymm", "avx2", paddd_y),
    ROW("paddd zmm", "avx512", paddd_z),       ROW("pshufb xmm", "ssse3", pshufb_x),
    ROW("pshufb ymm", "avx2", pshufb_y),       ROW("pshufb zmm", "avx512", pshufb_z),
    ROW("pslld xmm", "sse2", pslld_x),         ROW("pslld ymm", "avx2", pslld_y),
    ROW("prold zmm", "avx512", prold_z),       {"mul r64", "", mul_throughput, mul_latency, 4, 4},
    ROW("pmuludq xmm", "sse2", muludq_x),      ROW("pmuludq ymm", "avx2", muludq_y),
    ROW("pmuludq zmm", "avx512", muludq_z),    ROW("pmadd52luq zmm", "avx512_ifma", madd52_z),
    ROW("aesenc xmm", "aes", aesenc_x),        ROW("aesenc ymm", "vaes", aesenc_y),
    ROW("aesenc zmm", "avx512,vaes", aesenc_z), ROW("pclmulqdq xmm", "pclmul", clmul_x),
    ROW("pclmulqdq ymm", "vpclmul", clmul_y),  ROW("pclmulqdq zmm", "avx512,vpclmul", clmul_z),
#undef ROW
};

/* ChaCha20: a block, or as many as there are lanes, is 80 times this: 4 adds, 4 xors, 4 rotations.
 * Without a rotate instruction, those by 16 and 8 are byte shuffles, those by 12 and 7 two shifts
 * and an or (with two operands, and a copy). */
#define QUARTER_X                                                                                  \
    PADDD_X(0)                                                                                     \
    PXOR_X(4) PSHUFB_X(8) PADDD_X(1) PXOR_X(5) I("movdqa %%xmm9, %%xmm12") PSLLD_X(9)              \
        I("psrld $25, %%xmm12") I("por %%xmm12, %%xmm14") PADDD_X(2) PXOR_X(6) PSHUFB_X(10)        \
            PADDD_X(3) PXOR_X(7) I("movdqa %%xmm11, %%xmm13") PSLLD_X(11) I("psrld $20, %%xmm13")  \
                I("por %%xmm13, %%xmm14")
#define QUARTER_Y                                                                                  \
    PADDD_Y(0)                                                                                     \
    PXOR_Y(4) PSHUFB_Y(8) PADDD_Y(1) PXOR_Y(5) PSLLD_Y(9) I("vpsrld $25, %%ymm15, %%ymm12")        \
        I("vpor %%ymm15, %%ymm15, %%ymm13") PADDD_Y(2) PXOR_Y(6) PSHUFB_Y(10) PADDD_Y(3) PXOR_Y(7) \
            PSLLD_Y(11) I("vpsrld $20, %%ymm15, %%ymm12") I("vpor %%ymm15, %%ymm15, %%ymm13")
#define QUARTER_Z                                                                                  \
    PADDD_Z(0)                                                                                     \
    PXOR_Z(4) PROLD_Z(8) PADDD_Z(1) PXOR_Z(5) PROLD_Z(9) PADDD_Z(2) PXOR_Z(6) PROLD_Z(10)          \
        PADDD_Z(3) PXOR_Z(7) PROLD_Z(11)
static void chacha_x(long rounds) { LOOP(QUARTER_X QUARTER_X, ""); }
static void chacha_y(long rounds) { LOOP(QUARTER_Y QUARTER_Y, UP); }
static void chacha_z(long rounds) { LOOP(QUARTER_Z QUARTER_Z, UP); }

/* Poly1305: with 44-bit limbs, eight blocks take 9 products of which each half is one instruction;
 * with 26-bit limbs, two, four or eight blocks take 25; in 64-bit words, a block takes 4 and two
 * small ones. */
static void poly_z(long rounds)
{
    LOOP(TWELVE(MADD52_Z) MADD52_Z(0) MADD52_Z(1) MADD52_Z(2) MADD52_Z(3) MADD52_Z(4) MADD52_Z(5),
         UP);
}
static void poly_y(long rounds) { LOOP(TWELVE(MULUDQ_Y) TWELVE(MULUDQ_Y) MULUDQ_Y(0), UP); }
static void poly_32z(long rounds) { LOOP(TWELVE(MULUDQ_Z) TWELVE(MULUDQ_Z) MULUDQ_Z(0), UP); }
static void poly_r(long rounds)
{
    LOOP(I("mov %%r8, %%rax") I("mul %%r9") I("mov %%r8, %%rax") I("mul %%r9") I("mov %%r8, %%rax")
             I("mul %%r9") I("mov %%r8, %%rax") I("mul %%r9") I("imul %%r9, %%r10")
                 I("imul %%r9, %%r11"),
         "");
}

/* AES-128-CTR: ten rounds (AES-256: fourteen), here for four blocks. GHASH: three products a block,
 * by Karatsuba. AES-GCM: both. Eight registers for the rounds and four for the products: enough for
 * a latency of four at two a cycle, and of four at one a cycle. */
#define EIGHT(A)      A(0) A(1) A(2) A(3) A(4) A(5) A(6) A(7)
#define EIGHT2(A, C)  A(0) A(1) C(8) A(2) A(3) A(4) A(5) C(9) A(6) A(7)
#define EIGHT3(A, C)  A(0) A(1) C(10) A(2) A(3) A(4) C(11) A(5) A(6) C(8) A(7)
#define EIGHT2B(A, C) A(0) A(1) C(9) A(2) A(3) A(4) A(5) C(10) A(6) A(7)
#define AES10(A)      EIGHT(A) EIGHT(A) EIGHT(A) EIGHT(A) EIGHT(A)
#define AES14(A)      AES10(A) EIGHT(A) EIGHT(A)
#define HASH3(C)      C(8) C(9) C(10) C(11) C(8) C(9) C(10) C(11) C(8) C(9) C(10) C(11)
#define GCM10(A, C)   EIGHT2(A, C) EIGHT3(A, C) EIGHT2B(A, C) EIGHT2(A, C) EIGHT3(A, C)
#define GCM14(A, C)                                                                                \
    EIGHT2(A, C) EIGHT(A) EIGHT3(A, C) EIGHT2B(A, C) EIGHT(A) EIGHT2(A, C) EIGHT3(A, C)
#define MIX(id, body, after) static void id(long rounds) { LOOP(body, after); }
MIX(aes10_x, AES10(AESENC_X), "")
MIX(aes10_y, AES10(AESENC_Y), UP)
MIX(aes10_z, AES10(AESENC_Z), UP)
MIX(aes14_x, AES14(AESENC_X), "")
MIX(aes14_y, AES14(AESENC_Y), UP)
MIX(aes14_z, AES14(AESENC_Z), UP)
MIX(hash_x, HASH3(CLMUL_X), "")
MIX(hash_y, HASH3(CLMUL_Y), UP)
MIX(hash_z, HASH3(CLMUL_Z), UP)
MIX(gcm10_x, GCM10(AESENC_X, CLMUL_X), "")
MIX(gcm10_y, GCM10(AESENC_Y, CLMUL_Y), UP)
MIX(gcm10_z, GCM10(AESENC_Z, CLMUL_Z), UP)
MIX(gcm14_x, GCM14(AESENC_X, CLMUL_X), "")
MIX(gcm14_y, GCM14(AESENC_Y, CLMUL_Y), UP)
MIX(gcm14_z, GCM14(AESENC_Z, CLMUL_Z), UP)
/* ChaCha20-Poly1305: in zmm, 1024 bytes are 80 quarter steps and 144 halves of products: 5 and 9
 * for 64. In ymm, 512 bytes are 80 and, four blocks at a time, 200 products: 2 and 5 for 12.8. */
MIX(both_z,
    QUARTER_Z QUARTER_Z MADD52_Z(12) MADD52_Z(13) MADD52_Z(12) QUARTER_Z MADD52_Z(13) MADD52_Z(12)
        MADD52_Z(13) QUARTER_Z QUARTER_Z MADD52_Z(12) MADD52_Z(13) MADD52_Z(12),
    UP)
#define FREE_MULUDQ I("vpmuludq %%ymm15, %%ymm15, %%ymm14")
MIX(both_y, QUARTER_Y FREE_MULUDQ FREE_MULUDQ FREE_MULUDQ QUARTER_Y FREE_MULUDQ FREE_MULUDQ, UP)

const limit_mix limit_mixes[] = {
    {WORK_CHACHA20, "add, xor, rotate in zmm", "avx512", chacha_z, 1024 / 40.0},
    {WORK_CHACHA20, "add, xor, shuffle or shift in ymm", "avx2", chacha_y, 512 / 40.0},
    {WORK_CHACHA20, "add, xor, shuffle or shift in xmm", "ssse3", chacha_x, 256 / 40.0},
    {WORK_POLY1305, "52-bit products in zmm", "avx512_ifma", poly_z, 128},
    {WORK_POLY1305, "32-bit products in zmm", "avx512", poly_32z, 128},
    {WORK_POLY1305, "32-bit products in ymm", "avx2", poly_y, 64},
    {WORK_POLY1305, "64-bit products", "", poly_r, 16},
    {WORK_AES_128_CTR, "10 rounds in zmm", "avx512,vaes", aes10_z, 256},
    {WORK_AES_128_CTR, "10 rounds in ymm", "vaes", aes10_y, 128},
    {WORK_AES_128_CTR, "10 rounds in xmm", "aes", aes10_x, 64},
    {WORK_AES_256_CTR, "14 rounds in zmm", "avx512,vaes", aes14_z, 256},
    {WORK_AES_256_CTR, "14 rounds in ymm", "vaes", aes14_y, 128},
    {WORK_AES_256_CTR, "14 rounds in xmm", "aes", aes14_x, 64},
    {WORK_AES_128_GMAC, "3 products a block in zmm", "avx512,vpclmul", hash_z, 256},
    {WORK_AES_128_GMAC, "3 products a block in ymm", "vpclmul", hash_y, 128},
    {WORK_AES_128_GMAC, "3 products a block in xmm", "pclmul", hash_x, 64},
    {WORK_CHACHA20_POLY1305, "both, in zmm", "avx512_ifma", both_z, 64},
    {WORK_CHACHA20_POLY1305, "both, in ymm", "avx2", both_y, 12.8},
    {WORK_AES_128_GCM, "10 rounds, 3 products in zmm", "avx512,vaes,vpclmul", gcm10_z, 256},
    {WORK_AES_128_GCM, "10 rounds, 3 products in ymm", "vaes,vpclmul", gcm10_y, 128},
    {WORK_AES_128_GCM, "10 rounds, 3 products in xmm", "aes,pclmul", gcm10_x, 64},
    {WORK_AES_256_GCM, "14 rounds, 3 products in zmm", "avx512,vaes,vpclmul", gcm14_z, 256},
    {WORK_AES_256_GCM, "14 rounds, 3 products in ymm", "vaes,vpclmul", gcm14_y, 128},
    {WORK_AES_256_GCM, "14 rounds, 3 products in xmm", "aes,pclmul", gcm14_x, 64},
};

#elif defined(__aarch64__) && defined(__GNUC__)

#define CLOBBERS                                                                                   \
    "cc", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "v0", "v1", "v2", "v3", "v4", "v5",      \
        "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",   \
        "v27", "v28", "v29", "v30", "v31"
#define LOOP(body)                                                                                 \
    __asm__ volatile(".arch_extension aes\n\t.p2align 6\n1:\n\t" body "subs %0, %0, #1\n\tb.ne 1b" \
                     : "+r"(rounds)                                                                \
                     :                                                                             \
                     : CLOBBERS)
#define I(text) text "\n\t"
#define TWELVE(f) f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27)
#define CHAIN(f)  f(16) f(16) f(16) f(16) f(16) f(16) f(16) f(16) f(16) f(16) f(16) f(16)
#define PAIR(id, f)                                                        \
    static void id##_throughput(long rounds) { LOOP(TWELVE(f) TWELVE(f)); } \
    static void id##_latency(long rounds) { LOOP(CHAIN(f)); }

#define ADD_V(d)   I("add v" #d ".4s, v" #d ".4s, v31.4s")
#define EOR_V(d)   I("eor v" #d ".16b, v" #d ".16b, v31.16b")
#define USHR_V(d)  I("ushr v" #d ".4s, v" #d ".4s, #7")
#define SLI_V(d)   I("sli v" #d ".4s, v31.4s, #7")
#define REV_V(d)   I("rev32 v" #d ".8h, v" #d ".8h")
#define TBL_V(d)   I("tbl v" #d ".16b, {v" #d ".16b}, v31.16b")
#define UMULL_V(d) I("umull v" #d ".2d, v" #d ".2s, v31.2s")
#define UMLAL_V(d) I("umlal v" #d ".2d, v30.2s, v31.2s")
#define AES_V(d)   I("aese v" #d ".16b, v31.16b") I("aesmc v" #d ".16b, v" #d ".16b")
#define PMULL_V(d) I("pmull v" #d ".1q, v" #d ".1d, v31.1d")

PAIR(add_v, ADD_V)
PAIR(ushr_v, USHR_V)
PAIR(rev_v, REV_V)
PAIR(tbl_v, TBL_V)
PAIR(umull_v, UMULL_V)
PAIR(aes_v, AES_V)
PAIR(pmull_v, PMULL_V)
static void mul_throughput(long rounds)
{
    LOOP(I("mul x9, x14, x15") I("umulh x10, x14, x15") I("mul x11, x14, x15")
             I("umulh x12, x14, x15"));
}
static void mul_latency(long rounds)
{
    LOOP(I("umulh x9, x9, x15") I("umulh x9, x9, x15") I("umulh x9, x9, x15")
             I("umulh x9, x9, x15"));
}

const limit_instruction limit_instructions[] = {
#define ROW(name, needs, id) {name, needs, id##_throughput, id##_latency, 24, 12}
    ROW("add 4s", "neon", add_v),
    ROW("ushr 4s", "neon", ushr_v),
    ROW("rev32 8h", "neon", rev_v),
    ROW("tbl 16b", "neon", tbl_v),
    {"mul, umulh", "", mul_throughput, mul_latency, 4, 4},
    ROW("umull 2d", "neon", umull_v),
    ROW("aese, aesmc", "aes", aes_v),
    ROW("pmull", "pmull", pmull_v),
#undef ROW
};

/* As on x86: 4 adds, 4 xors, 4 rotations, 80 times for 4 blocks. By 16: rev32; by 8: tbl; by 12 and
 * 7: ushr and sli. */
#define QUARTER                                                                                    \
    ADD_V(16)                                                                                      \
    EOR_V(20) REV_V(24) ADD_V(17) EOR_V(21) I("ushr v28.4s, v31.4s, #20") SLI_V(25) ADD_V(18)      \
        EOR_V(22) TBL_V(26) ADD_V(19) EOR_V(23) I("ushr v29.4s, v31.4s, #25") SLI_V(27)
#define AES10                                                                                      \
    AES_V(16)                                                                                      \
    AES_V(17) AES_V(18) AES_V(19) AES_V(20) AES_V(21) AES_V(22) AES_V(23) AES_V(16) AES_V(17)
#define AES14 AES10 AES_V(18) AES_V(19) AES_V(20) AES_V(21)
#define HASH3 PMULL_V(24) PMULL_V(25) PMULL_V(26)
#define MIX(id, body) static void id(long rounds) { LOOP(body); }
MIX(chacha, QUARTER QUARTER)
MIX(poly_v, TWELVE(UMLAL_V) TWELVE(UMLAL_V) UMLAL_V(16))
MIX(poly_r,
    I("mul x9, x14, x15") I("umulh x10, x14, x15") I("mul x11, x14, x15") I("umulh x12, x14, x15")
        I("mul x9, x14, x15") I("umulh x10, x14, x15") I("mul x11, x14, x15")
            I("umulh x12, x14, x15") I("mul x13, x14, x15") I("mul x13, x14, x15"))
MIX(aes10, AES10)
MIX(aes14, AES14)
MIX(hash, HASH3 HASH3 HASH3 HASH3)
MIX(gcm10, AES10 HASH3)
MIX(gcm14, AES14 HASH3)

const limit_mix limit_mixes[] = {
    {WORK_CHACHA20, "add, xor, rotate", "neon", chacha, 256 / 40.0},
    {WORK_POLY1305, "32-bit products", "neon", poly_v, 32},
    {WORK_POLY1305, "64-bit products", "", poly_r, 16},
    {WORK_AES_128_CTR, "10 rounds", "aes", aes10, 16},
    {WORK_AES_256_CTR, "14 rounds", "aes", aes14, 16},
    {WORK_AES_128_GMAC, "3 products a block", "pmull", hash, 64},
    {WORK_AES_128_GCM, "10 rounds, 3 products", "aes,pmull", gcm10, 16},
    {WORK_AES_256_GCM, "14 rounds, 3 products", "aes,pmull", gcm14, 16},
};

#else

/* Not written for this architecture. One row each, which is never usable. */
static void nothing(long rounds)
{
    (void)rounds;
}
const limit_instruction limit_instructions[] = {{"none", "none", nothing, nothing, 1, 1}};
const limit_mix limit_mixes[] = {{WORK_CHACHA20, "none", "none", nothing, 1}};

#endif

const size_t limit_instruction_count = sizeof limit_instructions / sizeof *limit_instructions;
const size_t limit_mix_count = sizeof limit_mixes / sizeof *limit_mixes;
