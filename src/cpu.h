/* SPDX-License-Identifier: Apache-2.0
 *
 * cpu.h - what the CPU has, as one word of bits.
 *
 * The list below is the only one: bits, names, levels, dependencies, the words of PLAIT_CPU and the
 * lines of `plait cpu` all come from it. A feature is only ever reported together with everything
 * it needs, so a kernel that needs avx2 may use avx as well.
 */
#ifndef PLAIT_CPU_H
#define PLAIT_CPU_H

#include <stdint.h>

/* X(name, level, needs, what)
 *   level  above 0: a vector level; PLAIT_CPU=name switches off all levels above it. 0: an
 * extension. PLAIT_PREFERENCE: not a capability but something known about this CPU; kernels may
 * avoid it. */
#define PLAIT_PREFERENCE (-1)
#define PLAIT_CPU_FEATURES(X)                                                                      \
    X(sse2, 1, 0, "x86 128-bit vectors")                                                           \
    X(ssse3, 2, PLAIT_CPU_sse2, "x86 byte shuffle")                                                \
    X(sse41, 3, PLAIT_CPU_ssse3, "x86 SSE4.1")                                                     \
    X(avx, 4, PLAIT_CPU_sse41, "x86 three-operand encodings (OS saves ymm)")                       \
    X(avx2, 5, PLAIT_CPU_avx, "x86 256-bit integer vectors")                                       \
    X(avx512, 6, PLAIT_CPU_avx2, "x86 512-bit vectors: F, BW, DQ and VL (OS saves zmm)")           \
    X(bmi2, 0, 0, "x86 mulx, rorx")                                                                \
    X(adx, 0, 0, "x86 adcx, adox")                                                                 \
    X(aes, 0, 0, "AES instructions (x86 or AArch64)")                                              \
    X(pclmul, 0, PLAIT_CPU_sse2, "x86 carry-less multiplication")                                  \
    X(vaes, 0, PLAIT_CPU_avx2 | PLAIT_CPU_aes, "x86 AES on wide vectors")                          \
    X(vpclmul, 0, PLAIT_CPU_avx2 | PLAIT_CPU_pclmul,                                               \
      "x86 carry-less multiplication on wide vectors")                                             \
    X(avx512_ifma, 0, PLAIT_CPU_avx512, "x86 52-bit multiply-add, 512-bit")                        \
    X(avx512_vbmi, 0, PLAIT_CPU_avx512, "x86 byte permutes across 512 bits")                       \
    X(avx_ifma, 0, PLAIT_CPU_avx2, "x86 52-bit multiply-add, VEX form")                            \
    X(neon, 1, 0, "AArch64 Advanced SIMD")                                                         \
    X(pmull, 0, PLAIT_CPU_neon, "AArch64 64-bit polynomial multiplication")                        \
    X(sha3, 0, PLAIT_CPU_neon, "AArch64 three-way xor")                                            \
    X(vis3, 1, 0, "SPARC xmulx, addxc")                                                            \
    X(slow_512, PLAIT_PREFERENCE, 0, "512-bit vectors lower the clock (Skylake-X and kin)")        \
    X(wide_clmul, PLAIT_PREFERENCE, 0,                                                             \
      "one wide carry-less product per cycle (Intel since Ice Lake)")                              \
    X(slow_tbl, PLAIT_PREFERENCE, 0,                                                               \
      "byte table lookup is slow (Cortex-A72 and kin, Cortex-A53, A55)")                           \
    X(fast_tbl, PLAIT_PREFERENCE, 0, "byte table lookup is not slow (other AArch64 cores)")        \
    X(in_order, PLAIT_PREFERENCE, 0, "instructions start in order (Cortex-A53, A55, A510, A520)")

enum plait_cpu_bit_number {
#define X(name, level, needs, what) PLAIT_CPU_BIT_##name,
    PLAIT_CPU_FEATURES(X)
#undef X
        PLAIT_CPU_BIT_COUNT
};

enum plait_cpu_bits {
#define X(name, level, needs, what) PLAIT_CPU_##name = 1 << PLAIT_CPU_BIT_##name,
    PLAIT_CPU_FEATURES(X)
#undef X
        PLAIT_CPU_KNOWN =
            1 << 29, /* set once detection has run, so that "nothing" differs from "not yet" */
    PLAIT_CPU_NEVER = 1 << 30 /* never set: what the stubs of kernels that were not built need */
};

typedef char plait_cpu_bits_fit[PLAIT_CPU_BIT_COUNT <= 29 ? 1 : -1];

/* The raw words that detection on x86 looks at. */
typedef struct plait_cpu_x86 {
    uint32_t max_leaf; /* leaf 0, eax */
    uint32_t intel;    /* leaf 0 says GenuineIntel */
    uint32_t leaf1_eax, leaf1_ecx, leaf1_edx;
    uint32_t leaf7_ebx, leaf7_ecx; /* leaf 7, subleaf 0 */
    uint32_t leaf7_1_eax;          /* leaf 7, subleaf 1, where leaf 7 says there is one */
    uint64_t xcr0;                 /* XGETBV(0); 0 where OSXSAVE is not set */
} plait_cpu_x86;

/* Detection, as pure functions of the raw words. */
uint32_t plait_cpu_from_x86(const plait_cpu_x86 *raw);
uint32_t plait_cpu_from_aarch64(uint64_t hwcap, uint64_t midr); /* Linux AT_HWCAP; MIDR_EL1 or 0 */
uint32_t plait_cpu_from_sparc(uint64_t hwcap);                  /* Linux AT_HWCAP */

/* bits without those whose needs are not all in bits. */
uint32_t plait_cpu_closure(uint32_t bits);

/* The bits that spec (grammar: plait_cpu_limit in plait.h) switches off, out of all bits. Words
 * that are not known are counted in *unknown (which may be NULL) and otherwise ignored. */
uint32_t plait_cpu_off(const char *spec, unsigned *unknown);

/* What this CPU has; less what PLAIT_CPU switched off; less what plait_cpu_limit switched off. */
uint32_t plait_cpu_present(void);
uint32_t plait_cpu_enabled(void);

#endif
