/* SPDX-License-Identifier: Apache-2.0
 *
 * Does every kernel give the answers of the vector collections that happen to be installed?
 * Debian's package python3-cryptography-vectors holds the NIST CAVP files for GCM (47 250 cases)
 * and collections for ChaCha20-Poly1305. PLAIT_VECTORS names another folder with the same contents.
 */
#include "aead.h"
#include "harness.h"

static const char *folder(void)
{
    const char *f = getenv("PLAIT_VECTORS");
    return f != NULL ? f : "/usr/lib/python3/dist-packages/cryptography_vectors";
}

/* Opens folder()/name, or skips the case. */
static int open_installed(vector_file *v, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        test_skip("not installed: python3-cryptography-vectors");
        return 0;
    }
    fclose(f);
    return vectors_open(v, path);
}

static const uint8_t *either(vector_file *v, const char *a, const char *b, size_t *len)
{
    return vectors_get(v, vectors_text(v, a) != NULL ? a : b, len);
}

/* One file, with the kernels of `names` in turn: case i with names[i % count]. With 47 250 cases
 * each kernel still gets thousands; at level 2 each gets all. */
static void run_file(int gcm, const char *file)
{
    kernel_choice *choices;
    vector_file v;
    const size_t count = kernel_choices(gcm, &choices);
    for (size_t pass = 0; pass < (test_level == 2 ? count : 1); pass++) {
        test_case("%s%s%s", file, test_level == 2 ? ": " : "",
                  test_level == 2 ? choices[pass].name : "");
        if (!open_installed(&v, file)) break;
        for (size_t i = 0; vectors_next(&v) && !test_failed(); i++) {
            aead_case c;
            size_t key_len, tag_len;
            const char *name = choices[(i + pass) % count].name;
            if (test_level == 0 && gcm && i % 5 != 0) continue;
            if (test_level == 2) name = choices[pass].name;
            const uint8_t *key = either(&v, "Key", "KEY", &key_len);
            if (vectors_text(&v, "IV") != NULL)
                c.nonce = vectors_get(&v, "IV", &c.nonce_len);
            else
                c.nonce = vectors_get(&v, "NONCE", &c.nonce_len);
            c.ad = vectors_text(&v, "AD") != NULL ? vectors_get(&v, "AD", &c.ad_len)
                                                  : vectors_get(&v, "AAD", &c.ad_len);
            const uint8_t *tag = either(&v, "Tag", "TAG", &tag_len);
            size_t ct_len, pt_len = 0;
            const uint8_t *ct = either(&v, "CT", "Ciphertext", &ct_len), *pt = NULL;
            const int authentic =
                vectors_text(&v, "FAIL") == NULL && vectors_text(&v, "Result") == NULL;
            if (authentic)
                pt = vectors_text(&v, "IN") != NULL ? vectors_get(&v, "IN", &pt_len)
                                                    : either(&v, "PT", "Plaintext", &pt_len);
            AT("line %zu, kernel %zu of the list", (size_t)v.line, (i + pass) % count);

            /* A key has one tag length; with a named kernel it is 16, so shorter tags go to the
             * usual kernel. */
            plait_key k;
            const plait_alg alg = aead_alg(gcm, key_len, c.nonce_len);
            if (tag_len == 16)
                CHECK_OK(plait_key_init_with(&k, alg, key, key_len, name));
            else
                CHECK_OK(plait_key_init_tag(&k, alg, key, key_len, tag_len));
            if (authentic) {
                CHECK(pt_len == ct_len);
                c.in = pt, c.out = ct, c.tag = tag, c.len = ct_len;
                aead_check(&k, &c);
            } else {
                uint8_t *got = malloc(ct_len + 1);
                CHECK_INT(
                    plait_open(&k, got, c.nonce, c.nonce_len, c.ad, c.ad_len, ct, ct_len, tag),
                    PLAIT_ERR_TAG);
                CHECK(all_bytes(got, ct_len, 0));
                free(got);
            }
        }
        vectors_close(&v);
    }
    free(choices);
}

static void ctr_file(const char *file)
{
    vector_file v;
    test_case("%s", file);
    if (!open_installed(&v, file)) return;
    while (vectors_next(&v)) {
        size_t key_len, iv_len, len, out_len;
        if (vectors_text(&v, "KEY") == NULL) continue;
        const uint8_t *key = vectors_get(&v, "KEY", &key_len), *iv = vectors_get(&v, "IV", &iv_len);
        const uint8_t *in = vectors_get(&v, "PLAINTEXT", &len),
                      *want = vectors_get(&v, "CIPHERTEXT", &out_len);
        uint8_t *out = malloc(len + 1);
        for (size_t row = 0; row < PLAIT_ROW_COUNT; row++) {
            if (!row_is(row, "aes") || !row_usable(row)) continue;
            CHECK_OK(plait_aes_ctr_xor_with(plait_rows[row]->name, out, in, len, key, key_len, iv));
            CHECK_MEM(out, want, out_len);
        }
        free(out);
    }
    vectors_close(&v);
}

int main(void)
{
    test_start("installed: do the vector collections on this machine agree?");
    run_file(1, "ciphers/AES/GCM/gcmEncryptExtIV128.rsp");
    run_file(1, "ciphers/AES/GCM/gcmEncryptExtIV192.rsp");
    run_file(1, "ciphers/AES/GCM/gcmEncryptExtIV256.rsp");
    run_file(1, "ciphers/AES/GCM/gcmDecrypt128.rsp");
    run_file(1, "ciphers/AES/GCM/gcmDecrypt192.rsp");
    run_file(1, "ciphers/AES/GCM/gcmDecrypt256.rsp");
    run_file(0, "ciphers/ChaCha20Poly1305/openssl.txt");
    run_file(0, "ciphers/ChaCha20Poly1305/boringssl.txt");
    ctr_file("ciphers/AES/CTR/aes-128-ctr.txt");
    ctr_file("ciphers/AES/CTR/aes-192-ctr.txt");
    ctr_file("ciphers/AES/CTR/aes-256-ctr.txt");
    return test_finish();
}
