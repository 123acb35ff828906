/* SPDX-License-Identifier: Apache-2.0
 *
 * Is the right kernel chosen on every CPU? Detection is a pure function of raw words: tried with
 * every combination of the bits it looks at, against the rule written once more here. Selection:
 * with every subset of CPU bits, nothing is chosen that the bits do not allow. The grammar of
 * plait_cpu_limit and PLAIT_CPU; no level is used that was switched off, on any path.
 */
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

#define BIT(n) (UINT32_C(1) << (n))

/* ---- detection --------------------------------------------------------------------------- */

/* The raw bits, by the names of the manual, and the feature that each stands for. */
enum raw {
    OSXSAVE,
    AVX,
    AVX2,
    SSE2,
    SSSE3,
    SSE41,
    AES,
    PCLMUL,
    BMI2,
    ADX,
    F512,
    BW512,
    DQ512,
    VL512,
    IFMA512,
    VBMI,
    VAES,
    VPCLMUL,
    IFMA_VEX,
    RAW_COUNT
};

static plait_cpu_x86 words_of(uint32_t set, uint32_t max_leaf, uint64_t xcr0)
{
    plait_cpu_x86 w = {.max_leaf = max_leaf, .xcr0 = xcr0};
#define PUT(raw, word, bit)                                                                        \
    if (set & BIT(raw)) w.word |= BIT(bit)
    PUT(OSXSAVE, leaf1_ecx, 27);
    PUT(AVX, leaf1_ecx, 28);
    PUT(SSSE3, leaf1_ecx, 9);
    PUT(SSE41, leaf1_ecx, 19);
    PUT(AES, leaf1_ecx, 25);
    PUT(PCLMUL, leaf1_ecx, 1);
    PUT(SSE2, leaf1_edx, 26);
    PUT(AVX2, leaf7_ebx, 5);
    PUT(BMI2, leaf7_ebx, 8);
    PUT(ADX, leaf7_ebx, 19);
    PUT(F512, leaf7_ebx, 16);
    PUT(DQ512, leaf7_ebx, 17);
    PUT(BW512, leaf7_ebx, 30);
    PUT(VL512, leaf7_ebx, 31);
    PUT(IFMA512, leaf7_ebx, 21);
    PUT(VBMI, leaf7_ecx, 1);
    PUT(VAES, leaf7_ecx, 9);
    PUT(VPCLMUL, leaf7_ecx, 10);
    PUT(IFMA_VEX, leaf7_1_eax, 23);
#undef PUT
    return w;
}

/* What must be there for a feature to be used: raw bits, state that the system saves, leaves. */
static uint32_t expected(uint32_t set, uint32_t max_leaf, uint64_t xcr0)
{
    const int leaf1 = max_leaf >= 1, leaf7 = max_leaf >= 7;
    const int os_ymm = leaf1 && (set & BIT(OSXSAVE)) && (xcr0 >> 1 & 3) == 3;
    const int os_zmm = os_ymm && (xcr0 >> 5 & 7) == 7;
#define HAVE(raw) ((set & BIT(raw)) != 0)
    const int sse2 = leaf1 && HAVE(SSE2), ssse3 = sse2 && HAVE(SSSE3), sse41 = ssse3 && HAVE(SSE41);
    const int avx = sse41 && os_ymm && HAVE(AVX), avx2 = avx && leaf7 && HAVE(AVX2);
    const int avx512 = avx2 && os_zmm && HAVE(F512) && HAVE(BW512) && HAVE(DQ512) && HAVE(VL512);
    const int aes = leaf1 && HAVE(AES), pclmul = sse2 && HAVE(PCLMUL);
    uint32_t bits = 0;
    if (sse2) bits |= PLAIT_CPU_sse2;
    if (ssse3) bits |= PLAIT_CPU_ssse3;
    if (sse41) bits |= PLAIT_CPU_sse41;
    if (avx) bits |= PLAIT_CPU_avx;
    if (avx2) bits |= PLAIT_CPU_avx2;
    if (avx512) bits |= PLAIT_CPU_avx512;
    if (leaf7 && HAVE(BMI2)) bits |= PLAIT_CPU_bmi2;
    if (leaf7 && HAVE(ADX)) bits |= PLAIT_CPU_adx;
    if (aes) bits |= PLAIT_CPU_aes;
    if (pclmul) bits |= PLAIT_CPU_pclmul;
    if (avx2 && aes && HAVE(VAES)) bits |= PLAIT_CPU_vaes;
    if (avx2 && pclmul && HAVE(VPCLMUL)) bits |= PLAIT_CPU_vpclmul;
    if (avx512 && HAVE(IFMA512)) bits |= PLAIT_CPU_avx512_ifma;
    if (avx512 && HAVE(VBMI)) bits |= PLAIT_CPU_avx512_vbmi;
    if (avx2 && HAVE(IFMA_VEX)) bits |= PLAIT_CPU_avx_ifma;
    return bits;
#undef HAVE
}

static const uint32_t preferences = PLAIT_CPU_slow_512 | PLAIT_CPU_wide_clmul | PLAIT_CPU_slow_tbl |
                                    PLAIT_CPU_fast_tbl | PLAIT_CPU_in_order;

static void detection_x86(void)
{
    static const uint64_t xcr0s[] = {0,    1,    2,    3,    4,    6,    7,    0x27, 0x67,
                                     0x87, 0xa7, 0xc7, 0xe0, 0xe3, 0xe5, 0xe6, 0xe7, 0x2e7};
    static const uint32_t leaves[] = {0, 1, 6, 7, 13, 0x20};
    const uint32_t all = BIT(RAW_COUNT) - 1;

    test_case("x86: every combination of raw bits, of saved state and of leaves");
    for (uint32_t i = 0; i <= all && !test_failed(); i += test_level == 0 ? 37 : 1) {
        const uint32_t set = i;
        /* every combination with one state each (cycling), all states for some */
        for (size_t x = 0; x < COUNT(xcr0s); x++) {
            if (test_level < 2 && (i + x) % 6 != 0) continue;
            const uint32_t leaf = leaves[(i / 6 + x) % COUNT(leaves)];
            const plait_cpu_x86 w = words_of(set, leaf, xcr0s[x]);
            const uint32_t got = plait_cpu_from_x86(&w) & ~preferences,
                           want = expected(set, leaf, xcr0s[x]);
            AT("raw bits %zx, leaf %zu, state %zx, got %zx, want %zx", set, leaf, (size_t)xcr0s[x],
               got, want);
            CHECK(got == want);
        }
    }
    for (uint32_t bit = 0; bit <= RAW_COUNT; bit++) /* all but one, all states, all leaves */
        for (size_t x = 0; x < COUNT(xcr0s); x++)
            for (size_t l = 0; l < COUNT(leaves); l++) {
                const uint32_t set = bit < RAW_COUNT ? all & ~BIT(bit) : all;
                const plait_cpu_x86 w = words_of(set, leaves[l], xcr0s[x]);
                AT("without raw bit %zu, leaf %zu, state %zx", bit, leaves[l], (size_t)xcr0s[x]);
                CHECK((plait_cpu_from_x86(&w) & ~preferences) ==
                      expected(set, leaves[l], xcr0s[x]));
            }

    test_case("x86: words of machines that existed");
    /* A feature must never come from words that a CPU does not define: all other bits set, ours
     * clear. */
    plait_cpu_x86 w = words_of(all, 7, UINT64_MAX);
    const plait_cpu_x86 ours = w;
    memset(&w, 0xff, sizeof w);
    w.leaf1_ecx &= ~ours.leaf1_ecx, w.leaf1_edx &= ~ours.leaf1_edx;
    w.leaf7_ebx &= ~ours.leaf7_ebx, w.leaf7_ecx &= ~ours.leaf7_ecx,
        w.leaf7_1_eax &= ~ours.leaf7_1_eax;
    CHECK((plait_cpu_from_x86(&w) & ~preferences) == 0);
    /* Leaf 7 asked of a CPU that ends before it returns the data of its last leaf, here all
     * ones. */
    memset(&w, 0, sizeof w);
    w.max_leaf = 6;
    w.leaf1_ecx = w.leaf1_edx = w.leaf7_ebx = w.leaf7_ecx = w.leaf7_1_eax = UINT32_MAX;
    w.xcr0 = 0xe7;
    CHECK((plait_cpu_from_x86(&w) &
           (PLAIT_CPU_avx2 | PLAIT_CPU_avx512 | PLAIT_CPU_bmi2 | PLAIT_CPU_vaes)) == 0);
    CHECK((plait_cpu_from_x86(&w) & PLAIT_CPU_avx) != 0);
    /* Zen 3 and Alder Lake: VAES without AVX-512. */
    w = words_of(all &
                     ~(BIT(F512) | BIT(BW512) | BIT(DQ512) | BIT(VL512) | BIT(IFMA512) | BIT(VBMI)),
                 16, 7);
    CHECK((plait_cpu_from_x86(&w) & PLAIT_CPU_vaes) &&
          (plait_cpu_from_x86(&w) & PLAIT_CPU_vpclmul));
    CHECK((plait_cpu_from_x86(&w) & PLAIT_CPU_avx512) == 0);
    /* AVX-512 IFMA says nothing of the VEX form, nor the other way round. */
    w = words_of(all & ~BIT(IFMA_VEX), 16, 0xe7);
    CHECK((plait_cpu_from_x86(&w) & PLAIT_CPU_avx_ifma) == 0 &&
          (plait_cpu_from_x86(&w) & PLAIT_CPU_avx512_ifma));
    /* Skylake-X and Cascade Lake (6, 0x55): 512 bits are there but not the first choice; Ice
     * Lake (6, 0x6a) is fine. */
    w = words_of(all & ~(BIT(VAES) | BIT(VPCLMUL)), 22, 0xe7);
    w.intel = 1;
    w.leaf1_eax = 0x50654;
    CHECK((plait_cpu_from_x86(&w) & PLAIT_CPU_slow_512) &&
          (plait_cpu_from_x86(&w) & PLAIT_CPU_avx512));
    w.leaf1_eax = 0x606a6;
    CHECK((plait_cpu_from_x86(&w) & PLAIT_CPU_slow_512) == 0);
    w.intel = 0, w.leaf1_eax = 0x50654;
    CHECK((plait_cpu_from_x86(&w) & PLAIT_CPU_slow_512) == 0);
    memset(&w, 0, sizeof w);
    CHECK(plait_cpu_from_x86(&w) == 0);
}

/* What is known of a core by its number, and the rows that it gets for it. */
static void aarch64_cores(void)
{
    enum { fast = PLAIT_CPU_fast_tbl, slow = PLAIT_CPU_slow_tbl, in_order = PLAIT_CPU_in_order };
    static const struct {
        const char *core;
        uint64_t midr;
        uint32_t preferences;
        const char *chacha20, *chacha20_poly1305; /* NULL: of parts */
    } cores[] = {
        {"Cortex-A34", 0x410fd021, slow | in_order, "chacha20_neon_block_interleaved", NULL},
        {"Cortex-A53", 0x410fd034, slow | in_order, "chacha20_neon_block_interleaved", NULL},
        {"Cortex-A35", 0x410fd042, slow | in_order, "chacha20_neon_block_interleaved", NULL},
        {"Cortex-A55", 0x412fd050, slow | in_order, "chacha20_neon_block_interleaved", NULL},
        {"Cortex-A57", 0x411fd071, slow, "chacha20_neon_block_scalar", "chacha20_poly1305_neon"},
        {"Cortex-A72", 0x410fd083, slow, "chacha20_neon_block_scalar", "chacha20_poly1305_neon"},
        {"Cortex-A73", 0x410fd092, slow, "chacha20_neon_block_scalar", "chacha20_poly1305_neon"},
        {"Cortex-A510", 0x410fd461, fast | in_order, "chacha20_neon_block_interleaved", NULL},
        {"Cortex-A520", 0x410fd801, fast | in_order, "chacha20_neon_block_interleaved", NULL},
        {"Neoverse N1", 0x413fd0c1, fast, "chacha20_neon_wide", NULL},
        {"Neoverse V1", 0x411fd401, fast, "chacha20_neon_wide", NULL},
        {"Neoverse N2", 0x410fd493, fast, "chacha20_neon_wide", NULL},
        {"Apple M1", 0x611f0221, fast, "chacha20_neon_wide", NULL},
        {"not told", 0, fast, "chacha20_neon_wide", NULL},
        {"another maker's", 0x51000d08, fast, "chacha20_neon_wide", NULL},
    };
    test_case("AArch64: what is known of a core by its number");
    for (size_t i = 0; i < COUNT(cores); i++) {
        AT("core %zu", i);
        CHECK((plait_cpu_from_aarch64(2, cores[i].midr) & preferences) == cores[i].preferences);
        CHECK((plait_cpu_from_aarch64(0, cores[i].midr) & fast) == 0);
    }
#if PLAIT_BUILD_AARCH64
    test_case("AArch64: the rows that a core gets");
    for (size_t i = 0; i < COUNT(cores); i++) {
        const uint32_t cpu = plait_cpu_from_aarch64(2, cores[i].midr);
        const unsigned cipher = PLAIT_SELECT(chacha20, cpu), mac = PLAIT_SELECT(poly1305, cpu),
                       both = PLAIT_SELECT(chacha20_poly1305, cpu);
        AT("core %zu", i);
        CHECK(strcmp(plait_rows[cipher]->name, cores[i].chacha20) == 0);
        CHECK(strcmp(plait_rows[mac]->name, "poly1305_neon") == 0);
        if (cores[i].chacha20_poly1305 == NULL)
            CHECK(both == PLAIT_END_chacha20_poly1305);
        else
            CHECK(strcmp(plait_rows[both]->name, cores[i].chacha20_poly1305) == 0);
    }
#endif
}

static void detection_others(void)
{
    test_case("AArch64: every combination of the hardware bits");
    for (uint32_t i = 0; i < 16; i++)
        for (int noise = 0; noise < 2; noise++) {
            const uint64_t mine =
                UINT64_C(1) << 1 | UINT64_C(1) << 3 | UINT64_C(1) << 4 | UINT64_C(1) << 17;
            uint64_t hwcap = noise ? ~mine : 0;
            const int neon = i & 1, aes = (i & 2) != 0, pmull = (i & 4) != 0, sha3 = (i & 8) != 0;
            if (neon) hwcap |= UINT64_C(1) << 1;
            if (aes) hwcap |= UINT64_C(1) << 3;
            if (pmull) hwcap |= UINT64_C(1) << 4;
            if (sha3) hwcap |= UINT64_C(1) << 17;
            const uint32_t got = plait_cpu_from_aarch64(hwcap, 0);
            CHECK(((got & PLAIT_CPU_neon) != 0) == neon);
            CHECK(((got & PLAIT_CPU_aes) != 0) == aes);
            CHECK(((got & PLAIT_CPU_pmull) != 0) == (pmull && neon));
            CHECK(((got & PLAIT_CPU_sha3) != 0) == (sha3 && neon));
            CHECK(((got & PLAIT_CPU_fast_tbl) != 0) == neon); /* what is not known is new */
            CHECK((got & ~(uint32_t)(PLAIT_CPU_neon | PLAIT_CPU_aes | PLAIT_CPU_pmull |
                                     PLAIT_CPU_sha3 | PLAIT_CPU_fast_tbl)) == 0);
        }
    aarch64_cores();
    test_case("SPARC: VIS3, and the rows for it");
    const uint32_t vis3 = plait_cpu_from_sparc(UINT64_C(1) << 17),
                   older = plait_cpu_from_sparc(~(UINT64_C(1) << 17));
    CHECK(vis3 == PLAIT_CPU_vis3);
    CHECK(older == 0);
    CHECK(strcmp(plait_rows[PLAIT_SELECT(ghash, older)]->name, "ghash_ref") == 0);
#if PLAIT_BUILD_SPARC64
    CHECK(strcmp(plait_rows[PLAIT_SELECT(ghash, vis3)]->name, "ghash_vis3") == 0);
#endif
}

/* ---- selection --------------------------------------------------------------------------- */

static void selection_of(const char *family, unsigned first, unsigned end, int required,
                         uint32_t cpu)
{
    const unsigned row = plait_row_select(first, end, cpu);
    (void)family;
    if (row == end) {
        CHECK(!required);
        return;
    }
    CHECK((plait_rows[row]->needs & ~cpu) == 0 && (plait_rows[row]->avoids & cpu) == 0);
    for (unsigned better = first; better < row; better++)
        CHECK((plait_rows[better]->needs & ~cpu) != 0 || (plait_rows[better]->avoids & cpu) != 0);
}

static void selection(void)
{
    test_case("every subset of CPU bits: what is chosen is allowed, and nothing allowed stands "
              "before it");
    const uint32_t step = test_level == 0 ? 1601 : test_level == 1 ? 29 : 1;
    for (uint32_t i = 0; i < BIT(PLAIT_CPU_BIT_COUNT) && !test_failed(); i += step) {
        const uint32_t cpu = plait_cpu_closure(i);
        AT("bits %zx", i);
        CHECK((cpu & ~i) == 0 && plait_cpu_closure(cpu) == cpu);
#define PLAIT_FAMILY(f)                                                                            \
    selection_of(#f, PLAIT_FIRST_##f, PLAIT_END_##f,                                               \
                 strcmp(#f, "aes_gcm") != 0 && strcmp(#f, "chacha20_poly1305") != 0, cpu);
#include "../src/kernels.def"
    }

    test_case("closure: a feature only with all it needs");
    static const uint32_t needs[] = {
#define X(name, level, needs, what) needs,
        PLAIT_CPU_FEATURES(X)
#undef X
    };
    for (uint32_t i = 0; i < BIT(PLAIT_CPU_BIT_COUNT); i += step) {
        const uint32_t cpu = plait_cpu_closure(i);
        for (uint32_t b = 0; b < PLAIT_CPU_BIT_COUNT; b++) {
            if (cpu & BIT(b))
                CHECK((needs[b] & ~cpu) == 0);
            else if (i & BIT(b))
                CHECK((needs[b] & ~cpu) != 0); /* dropped only for a reason */
        }
    }

    test_case("rows: what a kernel needs is complete, stubs need what no CPU has");
    for (size_t i = 0; i < PLAIT_ROW_COUNT; i++) {
        const plait_kernel *k = plait_rows[i];
        AT("row %zu", i);
        CHECK(k->needs_text != NULL && k->family != NULL && k->name != NULL);
        CHECK((k->needs & ~(BIT(PLAIT_CPU_BIT_COUNT) - 1) & ~(uint32_t)PLAIT_CPU_NEVER) == 0);
        CHECK((k->needs & k->avoids) == 0);
        /* the text is the bits */
        char copy[128];
        uint32_t bits = 0;
        snprintf(copy, sizeof copy, "%s", k->needs_text);
        for (char *word = strtok(copy, ","); word != NULL; word = strtok(NULL, ",")) {
            plait_cpu_feature f;
            int known = 0;
            for (size_t j = 0; j < plait_cpu_feature_count(); j++)
                if (plait_cpu_feature_at(j, &f) == PLAIT_OK && strcmp(f.name, word) == 0)
                    bits |= BIT(j), known = 1;
            CHECK(known);
        }
        CHECK(bits == (k->needs & ~(uint32_t)PLAIT_CPU_NEVER));
    }
}

/* ---- limits ------------------------------------------------------------------------------ */

static int enabled(const char *name)
{
    plait_cpu_feature f;
    for (size_t i = 0; i < plait_cpu_feature_count(); i++)
        if (plait_cpu_feature_at(i, &f) == PLAIT_OK && strcmp(f.name, name) == 0) return f.enabled;
    CHECK(!"a feature of this name");
    return 0;
}

/* Everything that is made now uses only rows that `cpu` allows. */
static void everything_within(uint32_t cpu)
{
    static const uint8_t raw[32] = {1};
    for (size_t a = 0; a < COUNT(all_algs); a++) {
        plait_key k;
        CHECK_OK(plait_key_init(&k, all_algs[a], raw, alg_key_len(all_algs[a])));
        char name[128];
        snprintf(name, sizeof name, "%s", plait_key_kernel(&k));
        for (char *part = strtok(name, "+"); part != NULL; part = strtok(NULL, "+"))
            CHECK((row_named(part)->needs & ~cpu) == 0);
        const plait_key_fields *inside = plait_key_inside(&k);
        if (inside->cipher_row < PLAIT_ROW_COUNT)
            CHECK((plait_rows[inside->cipher_row]->needs & ~cpu) == 0);
        if (inside->mac_row < PLAIT_ROW_COUNT)
            CHECK((plait_rows[inside->mac_row]->needs & ~cpu) == 0);
    }
    for (size_t i = 0; i < plait_kernel_count(); i++) {
        plait_kernel_info info;
        plait_key k;
        CHECK_OK(plait_kernel_at(i, &info));
        CHECK(info.usable == ((plait_rows[i]->needs & ~cpu) == 0));
        if (info.usable) continue;
        for (size_t a = 0; a < COUNT(all_algs); a++)
            CHECK_INT(
                plait_key_init_with(&k, all_algs[a], raw, alg_key_len(all_algs[a]), info.name),
                PLAIT_ERR_KERNEL);
    }
}

static void limits(void)
{
    const uint32_t present = plait_cpu_present();
    unsigned unknown;
    test_case("limits: the grammar");
    CHECK_OK(plait_cpu_limit(NULL));
    CHECK(plait_cpu_off(NULL, &unknown) == 0 && unknown == 0);
    CHECK(plait_cpu_off("", &unknown) == 0 && unknown == 0);
    CHECK(plait_cpu_off("-avx512", &unknown) ==
              (PLAIT_CPU_avx512 | PLAIT_CPU_avx512_ifma | PLAIT_CPU_avx512_vbmi) &&
          unknown == 0);
    CHECK(plait_cpu_off("-aes", NULL) == (PLAIT_CPU_aes | PLAIT_CPU_vaes));
    CHECK(plait_cpu_off("-bmi2", NULL) == PLAIT_CPU_bmi2);
    CHECK(plait_cpu_off("-bmi2,-adx", NULL) == (PLAIT_CPU_bmi2 | PLAIT_CPU_adx));
    CHECK(plait_cpu_off("-avx512,-vaes", NULL) ==
          (plait_cpu_off("-avx512", NULL) | plait_cpu_off("-vaes", NULL)));
    CHECK((plait_cpu_off("-sse2", NULL) & PLAIT_CPU_avx512_ifma) != 0);
    CHECK(plait_cpu_off("avx2", NULL) == plait_cpu_off("-avx512", NULL)); /* nothing above avx2 */
    CHECK((plait_cpu_off("ssse3", NULL) & (PLAIT_CPU_sse2 | PLAIT_CPU_ssse3)) == 0);
    CHECK((plait_cpu_off("ssse3", NULL) & PLAIT_CPU_sse41) != 0 &&
          (plait_cpu_off("ssse3", NULL) & PLAIT_CPU_vaes) != 0);
    CHECK((plait_cpu_off("avx512", NULL) & PLAIT_CPU_avx512) == 0);
    CHECK((plait_cpu_off("neon", NULL) & PLAIT_CPU_neon) == 0);
    CHECK(plait_cpu_off("ref", NULL) == BIT(PLAIT_CPU_BIT_COUNT) - 1);
    static const char *const bad[] = {
        "avx3", "-",    "--avx", "-avx3", "AVX2",   "avx2;-aes", "-avx512,nonsense",
        "re",   "reff", "-ref",  "+avx2", "avx512f"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        AT("bad word %zu", i);
        CHECK_OK(plait_cpu_limit("-bmi2"));
        CHECK_INT(plait_cpu_limit(bad[i]), PLAIT_ERR_ARGUMENT);
        CHECK(!enabled("bmi2")); /* nothing was changed */
    }
    CHECK_OK(plait_cpu_limit(""));

    test_case("limits: each feature switched off is used nowhere, keys made before stay");
    static const uint8_t raw[32] = {1}, nonce[12] = {2};
    plait_key before;
    CHECK_OK(plait_key_init(&before, PLAIT_AES_128_GCM, raw, 16));
    char name_before[128];
    snprintf(name_before, sizeof name_before, "%s", plait_key_kernel(&before));
    uint8_t tag_before[16], tag[16];
    CHECK_OK(plait_seal(&before, NULL, tag_before, nonce, 12, raw, 32, NULL, 0));
    for (size_t i = 0; i < plait_cpu_feature_count(); i++)
        for (int minus = 0; minus < 2; minus++) {
            plait_cpu_feature f;
            char spec[64];
            CHECK_OK(plait_cpu_feature_at(i, &f));
            snprintf(spec, sizeof spec, "%s%s", minus ? "-" : "", f.name);
            AT("feature %zu, minus %zu", i, (size_t)minus);
            const plait_status got = plait_cpu_limit(spec);
            /* A bare extension says nothing about levels: both answers make sense. */
            if (got != PLAIT_OK) {
                CHECK(!minus && f.level <= 0);
                continue;
            }
            const uint32_t off = plait_cpu_off(spec, NULL);
            if (minus) CHECK(!enabled(f.name));
            CHECK(plait_cpu_enabled() == (present & ~off) || getenv("PLAIT_CPU") != NULL);
            everything_within(present & ~off);
            CHECK(strcmp(plait_key_kernel(&before), name_before) == 0);
            CHECK_OK(plait_seal(&before, NULL, tag, nonce, 12, raw, 32, NULL, 0));
            CHECK_MEM(tag, tag_before, 16);
            CHECK_OK(plait_selftest(NULL));
        }
    CHECK_OK(plait_cpu_limit("ref"));
    everything_within(0);
    plait_key ref;
    CHECK_OK(plait_key_init(&ref, PLAIT_AES_256_GCM, raw, 32));
    CHECK(strcmp(plait_key_kernel(&ref), "aes_ref+ghash_ref") == 0);
    CHECK_OK(plait_key_init(&ref, PLAIT_CHACHA20_POLY1305, raw, 32));
    CHECK(strncmp(plait_key_kernel(&ref), "chacha20_ref+poly1305_ref", 25) == 0);
    CHECK_OK(plait_cpu_limit(NULL));
    everything_within(present);
}

/* ---- the environment --------------------------------------------------------------------- */

/* This program once more, with PLAIT_CPU set: prints the kernels that keys get. */
static void report(void)
{
    static const uint8_t raw[32] = {1};
    for (size_t a = 0; a < COUNT(all_algs); a++) {
        plait_key k;
        if (plait_key_init(&k, all_algs[a], raw, alg_key_len(all_algs[a])) != PLAIT_OK) exit(1);
        printf("%s ", plait_key_kernel(&k));
    }
    setenv("PLAIT_CPU", "", 1); /* read once: no change */
    plait_key k;
    if (plait_key_init(&k, PLAIT_AES_128_GCM, raw, 16) != PLAIT_OK) exit(1);
    printf("%s\n", plait_key_kernel(&k));
}

static void environment(const char *self)
{
    static const char *const specs[] = {"ref",           "",     "-avx512", "avx2", "ssse3", "-aes",
                                        "-avx512,-vaes", "neon", "nonsense"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        char command[4200], got[1024] = "", want[1024] = "";
        test_case("PLAIT_CPU=%s", specs[i]);
        if (test_emulated()) {
            test_skip("a program can not start itself under the emulator");
            continue;
        }
        snprintf(command, sizeof command, "PLAIT_CPU='%s' '%s' report", specs[i], self);
        FILE *p = popen(command, "r");
        CHECK(p != NULL);
        if (p == NULL) continue;
        CHECK(fgets(got, sizeof got, p) != NULL);
        CHECK_INT(pclose(p), 0);
        /* the same as the limit by call */
        plait_cpu_limit("");
        if (strcmp(specs[i], "nonsense") != 0) CHECK_OK(plait_cpu_limit(specs[i]));
        static const uint8_t raw[32] = {1};
        for (size_t a = 0; a <= COUNT(all_algs); a++) {
            plait_key k;
            const plait_alg alg = all_algs[a % COUNT(all_algs)];
            CHECK_OK(plait_key_init(&k, alg, raw, alg_key_len(alg)));
            snprintf(want + strlen(want), sizeof want - strlen(want), "%s%s", plait_key_kernel(&k),
                     a < COUNT(all_algs) ? " " : "\n");
        }
        plait_cpu_limit("");
        if (strcmp(got, want) != 0) printf("      got  %s      want %s", got, want);
        CHECK(strcmp(got, want) == 0);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "report") == 0) {
        report();
        return 0;
    }
    test_start("dispatch: is the right kernel chosen on every CPU?");
    detection_x86();
    detection_others();
    selection();
    if (getenv("PLAIT_CPU") == NULL) {
        limits();
        environment(argv[0]);
    }
    return test_finish();
}
