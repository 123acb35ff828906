/* SPDX-License-Identifier: Apache-2.0
 *
 * openssl.c - what Plait seals, OpenSSL opens, and the other way round: the formats are the
 * standards'.
 *
 *   cc openssl.c -lplait -lcrypto && ./a.out
 */
#include <openssl/evp.h>
#include <plait.h>
#include <stdio.h>
#include <string.h>

static const uint8_t raw[32] = "an example key of 32 bytes only", nonce[12] = {7}, ad[] = "header";
static const uint8_t text[] = "one message, two libraries";
#define LEN ((int)sizeof text)

/* Seals (or opens) with OpenSSL; 1 if that succeeded. */
static int evp(const EVP_CIPHER *cipher, int sealing, uint8_t *out, const uint8_t *in,
               uint8_t tag[16])
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n, ok = ctx != NULL && EVP_CipherInit_ex(ctx, cipher, NULL, raw, nonce, sealing) &&
                EVP_CipherUpdate(ctx, NULL, &n, ad, sizeof ad) &&
                EVP_CipherUpdate(ctx, out, &n, in, LEN);
    if (!sealing) ok = ok && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag);
    ok = ok && EVP_CipherFinal_ex(ctx, out + LEN, &n);
    if (sealing) ok = ok && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag);
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

static int both_ways(const char *name, plait_alg alg, const EVP_CIPHER *cipher)
{
    uint8_t sealed[sizeof text + 16], opened[sizeof text + 16], tag[16];
    plait_key key;
    int ok = plait_key_init(&key, alg, raw, sizeof raw) == PLAIT_OK;
    ok = ok && plait_seal(&key, sealed, tag, nonce, sizeof nonce, ad, sizeof ad, text,
                          sizeof text) == PLAIT_OK;
    ok = ok && evp(cipher, 0, opened, sealed, tag) && memcmp(opened, text, sizeof text) == 0;
    ok = ok && evp(cipher, 1, sealed, text, tag);
    ok = ok && plait_open(&key, opened, nonce, sizeof nonce, ad, sizeof ad, sealed, sizeof text,
                          tag) == PLAIT_OK;
    ok = ok && memcmp(opened, text, sizeof text) == 0;
    printf("%s: %s\n", name, ok ? "Plait to OpenSSL and back" : "FAILED");
    plait_key_wipe(&key);
    return ok;
}

int main(void)
{
    const int gcm = both_ways("AES-256-GCM", PLAIT_AES_256_GCM, EVP_aes_256_gcm());
    const int chacha =
        both_ways("ChaCha20-Poly1305", PLAIT_CHACHA20_POLY1305, EVP_chacha20_poly1305());
    return gcm && chacha ? 0 : 1;
}
