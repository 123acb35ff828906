/* SPDX-License-Identifier: Apache-2.0
 *
 * cpu.c - every question about the CPU: reading the raw words, turning them into bits, and the
 * limits.
 */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const plait_cpu_feature features[] = {
#define X(name, level, needs, what) {#name, what, level, 0, 0},
    PLAIT_CPU_FEATURES(X)
#undef X
};
static const uint32_t feature_needs[] = {
#define X(name, level, needs, what) needs,
    PLAIT_CPU_FEATURES(X)
#undef X
};

/* ---- from raw words to bits ------------------------------------------------------------------ */

uint32_t plait_cpu_closure(uint32_t bits)
{
    /* In list order a feature stands after what it needs, so one pass is enough. */
    for (int i = 0; i < PLAIT_CPU_BIT_COUNT; i++)
        if ((feature_needs[i] & bits) != feature_needs[i]) bits &= ~(1u << i);
    return bits;
}

#define HAS(word, bit) (((word) >> (bit)) & 1)

uint32_t plait_cpu_from_x86(const plait_cpu_x86 *raw)
{
    const uint32_t c1 = raw->max_leaf >= 1 ? raw->leaf1_ecx : 0;
    const uint32_t d1 = raw->max_leaf >= 1 ? raw->leaf1_edx : 0;
    /* Beyond its last leaf a CPU returns the data of that leaf, which can look like AVX2. */
    const uint32_t b7 = raw->max_leaf >= 7 ? raw->leaf7_ebx : 0;
    const uint32_t c7 = raw->max_leaf >= 7 ? raw->leaf7_ecx : 0;
    const uint32_t a71 = raw->max_leaf >= 7 ? raw->leaf7_1_eax : 0;
    const uint64_t xcr0 = HAS(c1, 27) ? raw->xcr0 : 0;
    const int ymm = (xcr0 & 0x06) == 0x06; /* the operating system saves xmm and ymm */
    const int zmm = (xcr0 & 0xe6) == 0xe6; /* ... and opmasks, zmm0-15 high halves, zmm16-31 */
    uint32_t bits = 0;

    if (HAS(d1, 26)) bits |= PLAIT_CPU_sse2;
    if (HAS(c1, 9)) bits |= PLAIT_CPU_ssse3;
    if (HAS(c1, 19)) bits |= PLAIT_CPU_sse41;
    if (HAS(c1, 25)) bits |= PLAIT_CPU_aes;
    if (HAS(c1, 1)) bits |= PLAIT_CPU_pclmul;
    if (HAS(b7, 8)) bits |= PLAIT_CPU_bmi2;
    if (HAS(b7, 19)) bits |= PLAIT_CPU_adx;
    if (ymm && HAS(c1, 28)) bits |= PLAIT_CPU_avx;
    if (ymm && HAS(b7, 5)) bits |= PLAIT_CPU_avx2;
    if (ymm && HAS(c7, 9)) bits |= PLAIT_CPU_vaes;
    if (ymm && HAS(c7, 10)) bits |= PLAIT_CPU_vpclmul;
    if (ymm && HAS(a71, 23)) bits |= PLAIT_CPU_avx_ifma;
    if (zmm && HAS(b7, 16) && HAS(b7, 30) && HAS(b7, 17) && HAS(b7, 31)) bits |= PLAIT_CPU_avx512;
    if (zmm && HAS(b7, 21)) bits |= PLAIT_CPU_avx512_ifma;
    if (zmm && HAS(c7, 1)) bits |= PLAIT_CPU_avx512_vbmi;

    if (raw->intel && raw->max_leaf >= 1) {
        const uint32_t family = (raw->leaf1_eax >> 8) & 15;
        const uint32_t model = ((raw->leaf1_eax >> 4) & 15) | ((raw->leaf1_eax >> 12) & 0xf0);
        /* Skylake-X, Cascade Lake, Cooper Lake: 512-bit work takes the clock down for milliseconds.
         * Their successors, which all have VAES, do not. */
        if (family == 6 && model == 0x55) bits |= PLAIT_CPU_slow_512;
        if (bits & PLAIT_CPU_vpclmul) bits |= PLAIT_CPU_wide_clmul;
    }
    return plait_cpu_closure(bits);
}

uint32_t plait_cpu_from_aarch64(uint64_t hwcap, uint64_t midr)
{
    uint32_t bits = 0;
    if (HAS(hwcap, 1)) bits |= PLAIT_CPU_neon;
    if (HAS(hwcap, 3)) bits |= PLAIT_CPU_aes;
    if (HAS(hwcap, 4)) bits |= PLAIT_CPU_pmull;
    if (HAS(hwcap, 17)) bits |= PLAIT_CPU_sha3;
    if (((midr >> 24) & 0xff) == 0x41) { /* Arm */
        switch ((midr >> 4) & 0xfff) {
        case 0xd02: /* Cortex-A34 */
        case 0xd03: /* Cortex-A53 */
        case 0xd04: /* Cortex-A35 */
        case 0xd05: /* Cortex-A55 */
            bits |= PLAIT_CPU_slow_tbl | PLAIT_CPU_in_order;
            break;
        case 0xd07: /* Cortex-A57 */
        case 0xd08: /* Cortex-A72 */
        case 0xd09: /* Cortex-A73 */
            bits |= PLAIT_CPU_slow_tbl;
            break;
        case 0xd46: /* Cortex-A510 */
        case 0xd80: /* Cortex-A520 */
            bits |= PLAIT_CPU_in_order;
            break;
        default:
            break;
        }
    }
    if ((bits & (PLAIT_CPU_neon | PLAIT_CPU_slow_tbl)) == PLAIT_CPU_neon)
        bits |= PLAIT_CPU_fast_tbl;
    return plait_cpu_closure(bits);
}

uint32_t plait_cpu_from_sparc(uint64_t hwcap)
{
    return HAS(hwcap, 17) ? PLAIT_CPU_vis3 : 0; /* HWCAP_SPARC_VIS3 */
}

/* ---- reading the raw words ------------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
static uint32_t detect(void)
{
    plait_cpu_x86 raw;
    uint32_t a, b, c, d;
    memset(&raw, 0, sizeof raw);
    raw.max_leaf = __get_cpuid_max(0, NULL);
    if (raw.max_leaf >= 1) {
        __cpuid(0, a, b, c, d);
        raw.intel = b == 0x756e6547 && d == 0x49656e69 && c == 0x6c65746e;
        __cpuid(1, raw.leaf1_eax, b, raw.leaf1_ecx, raw.leaf1_edx);
    }
    if (raw.max_leaf >= 7) {
        __cpuid_count(7, 0, a, raw.leaf7_ebx, raw.leaf7_ecx, d);
        if (a >= 1) __cpuid_count(7, 1, raw.leaf7_1_eax, b, c, d);
    }
    if (HAS(raw.leaf1_ecx, 27)) { /* without OSXSAVE, XGETBV is an illegal instruction */
        __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(a), "=d"(d) : "c"(0)); /* xgetbv */
        raw.xcr0 = ((uint64_t)d << 32) | a;
    }
    return plait_cpu_from_x86(&raw);
}
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
static uint32_t detect(void)
{
    const uint64_t hwcap = getauxval(AT_HWCAP);
    uint64_t midr = 0;
    /* HWCAP_CPUID: the kernel emulates the read. It tells of the core that runs this now; a
     * big.LITTLE system has others, so it only decides between kernels that run on all of them. */
    if (HAS(hwcap, 11)) __asm__("mrs %0, midr_el1" : "=r"(midr));
    return plait_cpu_from_aarch64(hwcap, midr);
}
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
static int sysctl_flag(const char *name)
{
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value != 0;
}
static uint32_t detect(void)
{
    uint64_t hwcap = 1 << 1; /* Advanced SIMD is part of the platform */
    if (sysctl_flag("hw.optional.arm.FEAT_AES")) hwcap |= 1 << 3;
    if (sysctl_flag("hw.optional.arm.FEAT_PMULL")) hwcap |= 1 << 4;
    if (sysctl_flag("hw.optional.arm.FEAT_SHA3") || sysctl_flag("hw.optional.armv8_2_sha3"))
        hwcap |= 1 << 17;
    return plait_cpu_from_aarch64(hwcap, 0);
}
#elif defined(__aarch64__) && defined(_WIN32)
#include <windows.h>
static uint32_t detect(void) /* compiled, never run: no such machine at hand */
{
    uint64_t hwcap = 1 << 1;
    if (IsProcessorFeaturePresent(30))
        hwcap |= 3 << 3; /* PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE */
    return plait_cpu_from_aarch64(hwcap, 0);
}
#elif defined(__sparc__) && defined(__linux__)
#include <sys/auxv.h>
static uint32_t detect(void)
{
    return plait_cpu_from_sparc(getauxval(AT_HWCAP));
}
#else
static uint32_t detect(void)
{
    return 0;
}
#endif

/* ---- limits ---------------------------------------------------------------------------------- */

static int word_is(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && memcmp(word, name, len) == 0;
}

/* What one word of a spec switches off, or PLAIT_CPU_NEVER for a word that is not known. */
static uint32_t word_off(const char *word, size_t len)
{
    const uint32_t all = (1u << PLAIT_CPU_BIT_COUNT) - 1;
    uint32_t off = 0;
    if (word_is(word, len, "ref")) return all;
    const int minus = len > 0 && word[0] == '-';
    for (int i = 0; i < PLAIT_CPU_BIT_COUNT; i++) {
        if (!word_is(word + minus, len - (size_t)minus, features[i].name)) continue;
        if (minus)
            off = 1u << i;
        else if (features[i].level > 0)
            /* The next levels of the same architecture follow it; the one above needs it, and so
             * on. */
            for (int j = i + 1;
                 j < PLAIT_CPU_BIT_COUNT && features[j].level == features[j - 1].level + 1; j++)
                off |= 1u << j;
        return all & ~plait_cpu_closure(all & ~off);
    }
    return PLAIT_CPU_NEVER;
}

uint32_t plait_cpu_off(const char *spec, unsigned *unknown)
{
    uint32_t off = 0;
    unsigned bad = 0;
    while (spec != NULL && *spec != 0) {
        const size_t len = strcspn(spec, ", \t");
        const uint32_t word = len > 0 ? word_off(spec, len) : 0;
        if (word == PLAIT_CPU_NEVER)
            bad++;
        else
            off |= word;
        spec += len + (spec[len] != 0);
    }
    if (unknown != NULL) *unknown = bad;
    return off;
}

/* Each of these words is only ever written whole, and whoever computes one at the same time as
 * another thread computes the same value: relaxed order is enough. 0 means: not yet. */
static uint32_t word_present; /* detected */
static uint32_t word_env_off; /* off by PLAIT_CPU, and KNOWN */
static uint32_t word_api_off; /* off by plait_cpu_limit */

#if defined(__GNUC__)
#define LOAD(p)     __atomic_load_n(p, __ATOMIC_RELAXED)
#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#else
#define LOAD(p)     (*(volatile uint32_t *)(p))
#define STORE(p, v) (*(volatile uint32_t *)(p) = (v))
#endif

static const char *environment(void)
{
#if defined(__linux__) && !defined(__UCLIBC__) && !defined(__BIONIC__) /* glibc, musl */
    return secure_getenv("PLAIT_CPU");
#else
    return getenv("PLAIT_CPU");
#endif
}

uint32_t plait_cpu_present(void)
{
    uint32_t bits = LOAD(&word_present);
    if (bits == 0) {
        bits = detect() | PLAIT_CPU_KNOWN;
        STORE(&word_present, bits);
    }
    return bits & ~(uint32_t)PLAIT_CPU_KNOWN;
}

uint32_t plait_cpu_enabled(void)
{
    uint32_t off = LOAD(&word_env_off);
    if (off == 0) {
        off = plait_cpu_off(environment(), NULL) | PLAIT_CPU_KNOWN;
        STORE(&word_env_off, off);
    }
    /* What is present comes with all that it needs, and what is off with all that needs it: so the
     * difference is again complete. */
    return plait_cpu_present() & ~(off | LOAD(&word_api_off));
}

plait_status plait_cpu_limit(const char *spec)
{
    unsigned unknown;
    const uint32_t off = plait_cpu_off(spec, &unknown);
    if (unknown != 0) return PLAIT_ERR_ARGUMENT;
    STORE(&word_api_off, off);
    return PLAIT_OK;
}

size_t plait_cpu_feature_count(void)
{
    return PLAIT_CPU_BIT_COUNT;
}

plait_status plait_cpu_feature_at(size_t i, plait_cpu_feature *out)
{
    if (i >= PLAIT_CPU_BIT_COUNT || out == NULL) return PLAIT_ERR_ARGUMENT;
    *out = features[i];
    out->present = HAS(plait_cpu_present(), i);
    out->enabled = HAS(plait_cpu_enabled(), i);
    return PLAIT_OK;
}
