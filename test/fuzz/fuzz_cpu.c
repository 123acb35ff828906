/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the reader of PLAIT_CPU and plait_cpu_limit keep to its grammar? Any text, against the
 * grammar written once more: what it switches off, which words are unknown, and that a refused text
 * changes nothing. Then: whatever was switched off, a key gets rows that are allowed. Names of
 * kernels, by the way: any text is a known name or refused.
 */
#include "fuzz.h"

static const struct {
    const char *name;
    int level;
    uint32_t needs;
} features[] = {
#define X(name, level, needs, what) {#name, level, needs},
    PLAIT_CPU_FEATURES(X)
#undef X
};

/* The features that are gone when those of `gone` are: whoever needs one goes with it. */
static uint32_t with_dependents(uint32_t gone)
{
    for (size_t round = 0; round < COUNT(features); round++)
        for (size_t i = 0; i < COUNT(features); i++)
            if (features[i].needs & gone) gone |= UINT32_C(1) << i;
    return gone;
}

static int equals(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && memcmp(word, name, len) == 0;
}

static uint32_t model(const char *text, unsigned *unknown)
{
    uint32_t off = 0;
    *unknown = 0;
    for (const char *p = text;; p++) {
        const char *word = p;
        while (*p != 0 && *p != ',' && *p != ' ' && *p != '\t') p++;
        size_t len = (size_t)(p - word);
        int known = len == 0;
        if (equals(word, len, "ref")) known = 1, off |= (UINT32_C(1) << COUNT(features)) - 1;
        const int minus = len > 0 && word[0] == '-';
        for (size_t i = 0; i < COUNT(features) && !known; i++) {
            if (!equals(word + minus, len - (size_t)minus, features[i].name)) continue;
            known = 1;
            if (minus) off |= with_dependents(UINT32_C(1) << i);
            /* A level: gone is what stands on it in the chain of levels of its architecture. */
            if (!minus && features[i].level > 0)
                for (size_t j = 0; j < COUNT(features); j++)
                    if (features[j].level == features[i].level + 1 &&
                        (features[j].needs & UINT32_C(1) << i))
                        off |= with_dependents(UINT32_C(1) << j);
        }
        *unknown += !known;
        if (*p == 0) return off;
    }
}

static void keys_within(uint32_t off)
{
    static const uint8_t raw[32] = {7}, nonce[24] = {8};
    static uint8_t right[6][16];
    for (int alg = PLAIT_AES_128_GCM; alg <= PLAIT_XCHACHA20_POLY1305; alg++) {
        plait_key k;
        uint8_t out[70] = {0}, tag[16];
        MUST(plait_key_init(&k, (plait_alg)alg, raw, key_len_of((plait_alg)alg)) == PLAIT_OK);
        const plait_key_fields *inside = plait_key_inside(&k);
        MUST(inside->row >= PLAIT_ROW_COUNT || (plait_rows[inside->row]->needs & off) == 0);
        MUST((plait_rows[inside->cipher_row]->needs & off) == 0);
        MUST((plait_rows[inside->mac_row]->needs & off) == 0);
        MUST(plait_seal(&k, out, tag, nonce, alg == PLAIT_XCHACHA20_POLY1305 ? 24 : 12, raw, 5, out,
                        sizeof out) == PLAIT_OK);
        if (right[alg][0] == 0) memcpy(right[alg], tag, 16);
        SAME(tag, right[alg], 16);
    }
}

static void kernel_name(const char *text)
{
    plait_kernel_info info;
    int known = 0, usable = 0;
    for (size_t i = 0; i < plait_kernel_count(); i++)
        if (plait_kernel_at(i, &info) == PLAIT_OK && strcmp(info.name, text) == 0)
            known = 1, usable = info.usable;
    const plait_status got = plait_selftest(text);
    MUST(got == (known && usable ? PLAIT_OK : PLAIT_ERR_KERNEL));
    static const uint8_t raw[32] = {1};
    plait_key k;
    const plait_status status = plait_key_init_with(&k, PLAIT_AES_256_GCM, raw, 32, text);
    MUST(status == PLAIT_OK || status == PLAIT_ERR_KERNEL);
    if (status == PLAIT_ERR_KERNEL)
        for (size_t i = 0; i < sizeof k; i++) MUST(((const uint8_t *)&k)[i] == 0);
    else
        for (const char *p = text; *p != 0; p += strcspn(p, "+") + (p[strcspn(p, "+")] != 0))
            MUST(strncmp(p, "aes", 3) == 0 || strncmp(p, "ghash", 5) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *)room(size + 1);
    unsigned unknown, unknown_there;
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    const uint32_t off = model(text, &unknown), off_there = plait_cpu_off(text, &unknown_there);
    MUST(off == off_there);
    MUST(unknown == unknown_there);
    MUST(plait_cpu_off(text, NULL) == off);

    MUST(plait_cpu_limit("") == PLAIT_OK);
    const uint32_t all = plait_cpu_enabled();
    MUST(plait_cpu_limit("-bmi2,-neon") == PLAIT_OK);
    const uint32_t before = plait_cpu_enabled();
    MUST(plait_cpu_limit(text) == (unknown ? PLAIT_ERR_ARGUMENT : PLAIT_OK));
    MUST(plait_cpu_enabled() == (unknown ? before : all & ~off));
    MUST(plait_cpu_closure(plait_cpu_enabled()) == plait_cpu_enabled());
    if (!unknown) keys_within(off);
    kernel_name(text);
    free(text);
    return 0;
}
