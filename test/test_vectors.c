/* SPDX-License-Identifier: Apache-2.0
 *
 * Does every kernel give the published answers? The files in test/vectors say where each comes
 * from. The oracle that the other tests compare with has to pass the same files.
 */
#include "aead.h"
#include "harness.h"
#include "oracle.h"

static int matches(vector_file *v, const uint8_t *got, size_t len)
{
    size_t n;
    if (vectors_text(v, "out") != NULL) {
        const uint8_t *out = vectors_get(v, "out", &n);
        return n == len && memcmp(got, out, n) == 0;
    }
    uint8_t digest[32];
    const uint8_t *sha = vectors_get(v, "sha", &n);
    oracle_sha256(digest, got, len);
    return n == 8 && memcmp(digest, sha, 8) == 0;
}

static size_t number(vector_file *v, const char *name)
{
    const char *text = vectors_text(v, name);
    return text == NULL ? 0 : strtoul(text, NULL, 10);
}

#define ORACLE PLAIT_ROW_COUNT /* a row after the last */

/* Opens the case "this row, this file"; the oracle is the last. */
static int open_case(vector_file *v, size_t row, const char *family, const char *file)
{
    if (row == ORACLE)
        test_case("oracle: %s", file);
    else if (!row_is(row, family) || !test_kernel_case(row, file))
        return 0;
    return vectors_open(v, file);
}

static void chacha20(void)
{
    vector_file v;
    for (size_t row = 0; row <= ORACLE; row++) {
        if (!open_case(&v, row, "chacha20", "chacha20.txt")) continue;
        while (vectors_next(&v)) {
            size_t key_len, nonce_len, len;
            const uint8_t *key = vectors_get(&v, "key", &key_len);
            const uint8_t *nonce = vectors_get(&v, "nonce", &nonce_len);
            const uint8_t *in = vectors_get(&v, "in", &len);
            const uint32_t counter = (uint32_t)number(&v, "counter");
            uint8_t *out = malloc(len + 1);
            AT("line %zu", (size_t)v.line);
            CHECK(key_len == 32 && nonce_len == 12);
            if (row == ORACLE)
                oracle_chacha20(out, in, len, key, nonce, counter);
            else
                CHECK_OK(plait_chacha20_xor_with(plait_rows[row]->name, out, in, len, key, nonce,
                                                 counter));
            CHECK(matches(&v, out, len));
            if (row != ORACLE) {
                memcpy(out, in, len);
                CHECK_OK(plait_chacha20_xor_with(plait_rows[row]->name, out, out, len, key, nonce,
                                                 counter));
                CHECK(matches(&v, out, len));
            }
            free(out);
        }
        vectors_close(&v);
    }
}

static void poly1305(void)
{
    vector_file v;
    for (size_t row = 0; row <= ORACLE; row++) {
        if (!open_case(&v, row, "poly1305", "poly1305.txt")) continue;
        while (vectors_next(&v)) {
            size_t key_len, len, tag_len;
            const uint8_t *key = vectors_get(&v, "key", &key_len);
            const uint8_t *msg = vectors_get(&v, "msg", &len);
            const uint8_t *want = vectors_get(&v, "tag", &tag_len);
            uint8_t tag[16];
            AT("line %zu", (size_t)v.line);
            CHECK(key_len == 32 && tag_len == 16);
            if (row == ORACLE) {
                oracle_poly1305(tag, msg, len, key);
                CHECK_MEM(tag, want, 16);
                continue;
            }
            const char *name = plait_rows[row]->name;
            CHECK_OK(plait_poly1305_with(name, tag, msg, len, key));
            CHECK_MEM(tag, want, 16);
            plait_poly1305_state s;
            CHECK_OK(plait_poly1305_init_with(name, &s, key));
            CHECK_OK(plait_poly1305_update_with(name, &s, msg, len / 3));
            CHECK_OK(plait_poly1305_update_with(name, &s, msg + len / 3, len - len / 3));
            CHECK_OK(plait_poly1305_final_with(name, &s, tag));
            CHECK_MEM(tag, want, 16);
        }
        vectors_close(&v);
    }
}

static void aes_ctr(void)
{
    vector_file v;
    for (size_t row = 0; row <= ORACLE; row++) {
        if (!open_case(&v, row, "aes", "aes_ctr.txt")) continue;
        while (vectors_next(&v)) {
            size_t key_len, iv_len, len;
            const uint8_t *key = vectors_get(&v, "key", &key_len);
            const uint8_t *iv = vectors_get(&v, "iv", &iv_len);
            const uint8_t *in = vectors_get(&v, "in", &len);
            uint8_t *out = malloc(len + 1);
            AT("line %zu", (size_t)v.line);
            CHECK(iv_len == 16);
            if (row == ORACLE) {
                oracle_aes a;
                oracle_aes_init(&a, key, key_len);
                oracle_aes_ctr(&a, out, in, len, iv, 16);
            } else
                CHECK_OK(
                    plait_aes_ctr_xor_with(plait_rows[row]->name, out, in, len, key, key_len, iv));
            CHECK(matches(&v, out, len));
            free(out);
        }
        vectors_close(&v);
    }
}

static void ghash(void)
{
    vector_file v;
    for (size_t row = 0; row <= ORACLE; row++) {
        if (!open_case(&v, row, "ghash", "ghash.txt")) continue;
        while (vectors_next(&v)) {
            size_t h_len, len, out_len;
            const uint8_t *h = vectors_get(&v, "h", &h_len);
            const uint8_t *blocks = vectors_get(&v, "blocks", &len);
            const uint8_t *out = vectors_get(&v, "out", &out_len);
            uint8_t acc[16] = {0};
            AT("line %zu", (size_t)v.line);
            CHECK(h_len == 16 && out_len == 16 && len % 16 == 0);
            if (row == ORACLE)
                oracle_ghash(acc, h, blocks, len);
            else
                CHECK_OK(plait_ghash_with(plait_rows[row]->name, acc, h, blocks, len / 16));
            CHECK_MEM(acc, out, 16);
        }
        vectors_close(&v);
    }
}

/* The oracle's answer to one AEAD vector, against the file. */
static void aead_oracle(int gcm, const char *file)
{
    vector_file v;
    test_case("oracle: %s", file);
    if (!vectors_open(&v, file)) return;
    while (vectors_next(&v)) {
        size_t key_len, nonce_len, ad_len, len, tag_len;
        const uint8_t *key = vectors_get(&v, "key", &key_len);
        const uint8_t *nonce = vectors_get(&v, "nonce", &nonce_len);
        const uint8_t *ad = vectors_get(&v, "ad", &ad_len);
        const uint8_t *in = vectors_get(&v, "in", &len);
        const uint8_t *want = vectors_get(&v, "tag", &tag_len);
        uint8_t *out = malloc(len + 1), tag[16];
        AT("line %zu", (size_t)v.line);
        oracle_seal(gcm, out, tag, key, key_len, nonce, nonce_len, ad, ad_len, in, len);
        CHECK(matches(&v, out, len));
        CHECK_MEM(tag, want, 16);
        oracle_tag(gcm, tag, key, key_len, nonce, nonce_len, ad, ad_len, out, len);
        CHECK_MEM(tag, want, 16);
        free(out);
    }
    vectors_close(&v);
}

/* The same message several times: the lanes of a batch come to the same end. */
static void as_batch(vector_file *v, const plait_key *k, const aead_case *a)
{
    enum { MOST = 17 };
    plait_message m[MOST];
    uint8_t tags[MOST][16];
    if (a->len > 2500) return;
    uint8_t *outs = malloc(MOST * a->len + 1);
    for (size_t n = 3; n <= MOST; n += 7) {
        memset(tags, 0, sizeof tags);
        for (size_t i = 0; i < n; i++)
            m[i] = (plait_message){.key = k, .nonce = a->nonce, .nonce_len = a->nonce_len,
                                   .ad = a->ad, .ad_len = a->ad_len, .in = a->in,
                                   .in_len = a->len, .out = outs + i * a->len,
                                   .tag = tags[i]};
        CHECK_INT(plait_seal_batch(m, n), 0);
        for (size_t i = 0; i < n; i++) {
            CHECK(matches(v, m[i].out, a->len));
            CHECK_MEM(tags[i], a->tag, 16);
            m[i].in = m[i].out;
        }
        CHECK_INT(plait_open_batch(m, n), 0);
        for (size_t i = 0; i < n; i++) CHECK_MEM(m[i].out, a->in, a->len);
    }
    free(outs);
}

static void aead(int gcm, const char *file)
{
    kernel_choice *choices;
    const size_t count = kernel_choices(gcm, &choices);
    vector_file v;
    for (size_t c = 0; c < count; c++) {
        test_case("%s: %s", choices[c].name, file);
        if (!vectors_open(&v, file)) break;
        while (vectors_next(&v)) {
            size_t key_len, tag_len;
            aead_case a;
            const uint8_t *key = vectors_get(&v, "key", &key_len);
            a.nonce = vectors_get(&v, "nonce", &a.nonce_len);
            a.ad = vectors_get(&v, "ad", &a.ad_len);
            a.in = vectors_get(&v, "in", &a.len);
            a.tag = vectors_get(&v, "tag", &tag_len);
            AT("line %zu", (size_t)v.line);
            CHECK(tag_len == 16);
            uint8_t *out = malloc(a.len + 1), tag[16];
            plait_key k;
            CHECK_OK(plait_key_init_with(&k, aead_alg(gcm, key_len, a.nonce_len), key, key_len,
                                         choices[c].name));
            CHECK(strcmp(plait_key_kernel(&k), choices[c].name) == 0);
            CHECK_OK(plait_seal(&k, out, tag, a.nonce, a.nonce_len, a.ad, a.ad_len, a.in, a.len));
            CHECK(matches(&v, out, a.len));
            a.out = out;
            aead_check(&k, &a);
            as_batch(&v, &k, &a);
            free(out);
        }
        vectors_close(&v);
    }
    free(choices);
}

int main(void)
{
    test_start("vectors: does every kernel give the published answers?");
    chacha20();
    poly1305();
    aes_ctr();
    ghash();
    aead_oracle(1, "aes_gcm.txt");
    aead_oracle(0, "chacha20_poly1305.txt");
    aead(1, "aes_gcm.txt");
    aead(0, "chacha20_poly1305.txt");
    return test_finish();
}
