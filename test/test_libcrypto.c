/* SPDX-License-Identifier: Apache-2.0
 *
 * Does Plait agree with OpenSSL? Random messages of random lengths in random pieces, sealed by one
 * and opened by the other, with every kernel. libcrypto is loaded at run time, where there is one.
 */
#include "evp.h"
#include "harness.h"

#define LARGEST 20000
static uint8_t text[LARGEST], theirs[LARGEST + 64], ours[LARGEST], back[LARGEST + 64], ad[1000],
    raw[32], nonce[80];

/* OpenSSL's seal (or open, returning whether it accepts), in one or two pieces. */
static int their_aead(const evp *e, plait_alg alg, int sealing, uint8_t *out, uint8_t *tag,
                      size_t nonce_len, size_t ad_len, const uint8_t *in, size_t len)
{
    void *c = e->ctx_new();
    int n, ok = 1;
    const void *cipher = alg_is_gcm(alg) ? e->aes_gcm[alg - 1]() : e->chapoly();
    ok &= e->init(c, cipher, NULL, NULL, NULL, sealing);
    ok &= e->ctrl(c, EVP_SET_IVLEN, (int)nonce_len, NULL);
    ok &= e->init(c, NULL, NULL, raw, nonce, sealing);
    if (!sealing) ok &= e->ctrl(c, EVP_SET_TAG, 16, tag);
    if (ad_len > 0) ok &= e->update(c, NULL, &n, ad, (int)ad_len);
    const size_t cut = len > 40 ? random_below(len) : len;
    if (cut > 0) ok &= e->update(c, out, &n, in, (int)cut);
    if (cut < len) ok &= e->update(c, out + cut, &n, in + cut, (int)(len - cut));
    const int final = e->final(c, out + len, &n);
    if (sealing) ok &= final & e->ctrl(c, EVP_GET_TAG, 16, tag);
    CHECK_INT(ok, 1);
    e->ctx_free(c);
    return final;
}

static void aead(const evp *e, plait_alg alg, const char *name)
{
    test_case("%s: %s against libcrypto", name, alg_name(alg));
    for (size_t round = 0; round < (test_level == 0   ? 60
                                    : test_level == 1 ? 600
                                                      : 20000) &&
                           !test_failed();
         round++) {
        const size_t len = random_below(4) ? random_below(1100) : random_below(LARGEST),
                     ad_len = random_below(round % 3 ? 40 : 1000);
        const size_t nonce_len =
            alg_is_gcm(alg) && round % 4 == 0 ? 1 + random_below(sizeof nonce) : 12;
        uint8_t tag[16], their_tag[16];
        plait_key k;
        random_bytes(raw, sizeof raw), random_bytes(nonce, sizeof nonce);
        random_bytes(ad, ad_len), random_bytes(text, len);
        AT("round %zu: length %zu, AD %zu, nonce %zu", round, len, ad_len, nonce_len);
        CHECK_OK(plait_key_init_with(&k, alg, raw, alg_key_len(alg), name));
        CHECK_OK(plait_seal(&k, ours, tag, nonce, nonce_len, ad, ad_len, text, len));
        their_aead(e, alg, 1, theirs, their_tag, nonce_len, ad_len, text, len);
        CHECK_MEM(ours, theirs, len);
        CHECK_MEM(tag, their_tag, 16);
        CHECK_INT(their_aead(e, alg, 0, back, tag, nonce_len, ad_len, ours, len), 1);
        CHECK_MEM(back, text, len);
        CHECK_OK(plait_open(&k, ours, nonce, nonce_len, ad, ad_len, theirs, len, their_tag));
        CHECK_MEM(ours, text, len);
        /* a forgery: both refuse */
        their_tag[round % 16] ^= 128;
        CHECK_INT(plait_open(&k, ours, nonce, nonce_len, ad, ad_len, theirs, len, their_tag),
                  PLAIT_ERR_TAG);
        CHECK(their_aead(e, alg, 0, back, their_tag, nonce_len, ad_len, theirs, len) != 1);
    }
}

static void streams(const evp *e, size_t row)
{
    const int chacha = row_is(row, "chacha20");
    if (!test_kernel_case(row, "against libcrypto")) return;
    for (size_t round = 0; round < (test_level == 0 ? 60 : 600) && !test_failed(); round++) {
        const size_t len = random_below(round % 4 ? 1500 : LARGEST),
                     key_len = chacha ? 32 : 16 + 8 * (round % 3);
        uint8_t iv[16];
        void *c = e->ctx_new();
        int n;
        random_bytes(raw, sizeof raw), random_bytes(iv, 16), random_bytes(text, len);
        if (round % 3 == 0) memset(iv, 0xff, 15); /* the 128-bit counter wraps */
        if (chacha) plait_store32_le(iv, (uint32_t)random64() >> 1);
        AT("round %zu: length %zu, key of %zu", round, len, key_len);
        const void *cipher = chacha ? e->chacha20() : e->aes_ctr[round % 3]();
        CHECK_INT(e->init(c, cipher, NULL, raw, iv, 1), 1);
        if (len > 0) CHECK_INT(e->update(c, theirs, &n, text, (int)len), 1);
        e->ctx_free(c);
        if (chacha)
            CHECK_OK(plait_chacha20_xor_with(plait_rows[row]->name, ours, text, len, raw, iv + 4,
                                             plait_load32_le(iv)));
        else
            CHECK_OK(
                plait_aes_ctr_xor_with(plait_rows[row]->name, ours, text, len, raw, key_len, iv));
        CHECK_MEM(ours, theirs, len);
    }
}

int main(void)
{
    static const plait_alg algs[] = {PLAIT_AES_128_GCM, PLAIT_AES_192_GCM, PLAIT_AES_256_GCM,
                                     PLAIT_CHACHA20_POLY1305};
    evp e;
    test_start("libcrypto: does Plait agree with OpenSSL?");
    if (!evp_load(&e)) {
        test_case("against libcrypto");
        test_skip("no libcrypto to load: libssl3");
        return test_finish();
    }
    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++)
        if (row_is(row, "chacha20") || row_is(row, "aes")) streams(&e, row);
    for (size_t a = 0; a < COUNT(algs); a++) {
        kernel_choice *choices;
        const size_t count = kernel_choices(alg_is_gcm(algs[a]), &choices);
        for (size_t c = 0; c < count; c++) aead(&e, algs[a], choices[c].name);
        free(choices);
    }
    return test_finish();
}
