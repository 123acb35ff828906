/* SPDX-License-Identifier: Apache-2.0
 *
 * Does any branch or address depend on a secret? Under valgrind, secrets are marked as undefined
 * memory: memcheck then reports each conditional jump and each address that depends on them. This
 * program starts itself under valgrind where there is one. Run are all kernels that valgrind's CPU
 * has (up to AVX2, AES and PCLMULQDQ), the reference kernels, and the compare of tags. What is
 * public: lengths, nonces, AD, ciphertext and whether a tag matched.
 */
#include "harness.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define HAVE_VALGRIND 1
#endif
#endif

#ifdef HAVE_VALGRIND
#include <unistd.h>

static uint8_t raw[32], nonce[24], ad[40], text[9000], out[9000], tag[16], h[16];

static void secret(void *p, size_t n)
{
    VALGRIND_MAKE_MEM_UNDEFINED(p, n);
}
static void public(void *p, size_t n)
{
    VALGRIND_MAKE_MEM_DEFINED(p, n);
}

static unsigned long errors_before;
static void begin(void)
{
    errors_before = VALGRIND_COUNT_ERRORS;
}
static void no_errors(const char *what)
{
    const unsigned long errors = VALGRIND_COUNT_ERRORS - errors_before;
    if (errors != 0)
        printf("      %s: %lu places depend on a secret (see valgrind's report)\n", what, errors);
    CHECK(errors == 0);
}

static const size_t lengths[] = {0,   1,   15,  16,  17,  63,  64,  65,   100,  127,  128, 130,
                                 200, 256, 257, 300, 400, 513, 700, 1030, 1300, 2100, 8200};

static void part(size_t row)
{
    const plait_kernel *k = plait_rows[row];
    if (row_is(row, "aes_gcm") || row_is(row, "chacha20_poly1305")) return; /* as keys, below */
    if (!test_kernel_case(row, "constant time")) return;
    begin();
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const size_t n = lengths[i];
        static uint8_t area[PLAIT_GHASH_AREA];
        AT("length %zu", n);
        secret(raw, sizeof raw), secret(text, sizeof text), secret(h, sizeof h),
            secret(tag, sizeof tag);
        if (row_is(row, "chacha20"))
            CHECK_OK(plait_chacha20_xor_with(k->name, out, text, n, raw, nonce, 7));
        if (row_is(row, "poly1305")) {
            static plait_poly1305_state s;
            CHECK_OK(plait_poly1305_with(k->name, tag, text, n, raw));
            CHECK_OK(plait_poly1305_init_with(k->name, &s, raw));
            CHECK_OK(plait_poly1305_update_with(k->name, &s, text, n / 3));
            CHECK_OK(plait_poly1305_update_with(k->name, &s, text, n - n / 3));
            CHECK_OK(plait_poly1305_final_with(k->name, &s, tag));
        }
        if (row_is(row, "aes"))
            for (size_t key_len = 16; key_len <= 32; key_len += 8)
                CHECK_OK(plait_aes_ctr_xor_with(k->name, out, text, n, raw, key_len, nonce));
        if (row_is(row, "ghash")) {
            CHECK_OK(plait_ghash_with(k->name, tag, h, text, n / 16));
            k->fn.ghash.init(area, h, n);
            k->fn.ghash.update(area, tag, text, n);
        }
        public(tag, sizeof tag), public(out, sizeof out);
    }
    no_errors(k->name);
}

static void aead(plait_alg alg, const char *name)
{
    static plait_key key;
    static plait_stream s;
    const size_t n = alg_nonce_len(alg);
    test_case("%s: %s, constant time", name, alg_name(alg));
    begin();
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const size_t len = lengths[i];
        AT("length %zu", len);
        secret(raw, sizeof raw), secret(text, sizeof text);
        CHECK_OK(plait_key_init_with(&key, alg, raw, alg_key_len(alg), name));
        CHECK_OK(plait_seal(&key, out, tag, nonce, n, ad, sizeof ad, text, len));
        CHECK_OK(plait_stream_init(&s, &key, nonce, n));
        CHECK_OK(plait_stream_ad(&s, &key, ad, sizeof ad));
        CHECK_OK(plait_stream_seal(&s, &key, out, text, len / 3));
        CHECK_OK(plait_stream_seal(&s, &key, out, text, len - len / 3));
        CHECK_OK(plait_stream_seal_final(&s, &key, tag));
        /* Opening: the ciphertext is public; that the tag matches is made public by the call
         * itself, so only what comes before that is run here, and the compare below. */
        public(out, sizeof out);
        CHECK_OK(plait_stream_init(&s, &key, nonce, n));
        CHECK_OK(plait_stream_ad(&s, &key, ad, sizeof ad));
        CHECK_OK(plait_stream_open_unverified(&s, &key, text, out, len / 3));
        CHECK_OK(plait_stream_open_unverified(&s, &key, text, out, len - len / 3));
        plait_stream_wipe(&s);
        const plait_key_fields *f = plait_key_inside(&key);
        uint8_t block[16] = {1}, full[16];
        if (alg_is_gcm(alg))
            plait_rows[f->row]->fn.aes_gcm.open(f->area, text, full, block, ad, sizeof ad, out,
                                                len);
        else
            plait_rows[f->row]->fn.chacha20_poly1305.open(f->area, text, full, block, ad, sizeof ad,
                                                          out, len);
        public(tag, sizeof tag), public(&s, sizeof s);
    }
    plait_message m[9];
    static uint8_t outs[9][300], tags[9][16];
    secret(text, sizeof text);
    for (size_t i = 0; i < COUNT(m); i++) {
        const plait_message one = {&key, outs[i],   tags[i], nonce,  n,
                                   ad,   sizeof ad, text,    i * 33, PLAIT_OK};
        m[i] = one;
    }
    CHECK_INT(plait_seal_batch(m, COUNT(m)), 0);
    plait_key_wipe(&key);
    public(&key, sizeof key), public(raw, sizeof raw), public(text, sizeof text),
        public(out, sizeof out);
    no_errors(name);
}

static void all(void)
{
    test_case("valgrind sees a branch and an address that depend on a secret");
    static volatile uint8_t sink, table[256];
    (void)sink;
    secret(raw, sizeof raw);
    begin();
    if (raw[0] & 1) sink = 1;
    CHECK(VALGRIND_COUNT_ERRORS > errors_before);
    begin();
    sink = table[raw[1]];
    CHECK(VALGRIND_COUNT_ERRORS > errors_before);
    public(raw, sizeof raw);

    test_case("the compare of tags");
    uint8_t a[16] = {0}, b[16] = {0};
    begin();
    for (size_t len = 4; len <= 16; len++) {
        secret(a, 16), secret(b, 16);
        volatile uint32_t differs = plait_differs(a, b, len);
        (void)differs;
        CHECK(1);
    }
    no_errors("compare");

    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++) part(row);
    for (size_t i = 0; i < COUNT(all_algs); i++) {
        kernel_choice *choices;
        const size_t count = kernel_choices(alg_is_gcm(all_algs[i]), &choices);
        for (size_t c = 0; c < count; c++)
            if (test_level > 0 || i == 0 || i >= 2) aead(all_algs[i], choices[c].name);
        free(choices);
    }
}
#endif

int main(int argc, char **argv)
{
    (void)argc, (void)argv;
#ifdef HAVE_VALGRIND
    if (RUNNING_ON_VALGRIND) {
        test_start("secrets: does any branch or address depend on a secret?");
        random_bytes(text, sizeof text);
        test_level = test_level == 2 ? 1 : 0; /* about fifty times as slow as without */
        all();
        return test_finish();
    }
    if (!test_sanitized() && !test_emulated()) {
        fflush(stdout);
        execlp("valgrind", "valgrind", "--quiet", "--error-limit=no", "--undef-value-errors=yes",
               "--track-origins=no", argv[0], (char *)NULL);
    }
#endif
    test_start("secrets: does any branch or address depend on a secret?");
    test_case("constant time");
    if (test_emulated() || test_sanitized())
        test_skip("valgrind runs native programs without sanitizers");
    else
        test_skip("not installed: valgrind");
    return test_finish();
}
