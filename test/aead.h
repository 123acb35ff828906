/* SPDX-License-Identifier: Apache-2.0
 *
 * aead.h - one message with its right answer, put through every way the API has to seal and open
 * it.
 */
#ifndef PLAIT_TEST_AEAD_H
#define PLAIT_TEST_AEAD_H

#include "harness.h"

typedef struct aead_case {
    const uint8_t *nonce, *ad, *in, *out, *tag; /* in: plaintext; out: ciphertext */
    size_t nonce_len, ad_len, len;
} aead_case;

static inline plait_alg aead_alg(int gcm, size_t key_len, size_t nonce_len)
{
    if (gcm)
        return key_len == 16   ? PLAIT_AES_128_GCM
               : key_len == 24 ? PLAIT_AES_192_GCM
                               : PLAIT_AES_256_GCM;
    return nonce_len == 24 ? PLAIT_XCHACHA20_POLY1305 : PLAIT_CHACHA20_POLY1305;
}

/* Seal and open, out of place and in place, in one call and as a stream, authentic and forged;
 * nothing written beside the output. */
static inline void aead_check(const plait_key *key, const aead_case *a)
{
    const size_t tag_len = plait_key_tag_len(key), len = a->len;
    uint8_t *buffer = malloc(len + 32), *got = buffer + 16, tag[16 + 16], forged[16];
    plait_stream s;

    for (int in_place = 0; in_place < 2; in_place++) {
        const uint8_t *in = in_place ? got : a->in, *ct = in_place ? got : a->out;

        memset(buffer, 0xa5, len + 32);
        memset(tag, 0xa5, sizeof tag);
        if (in_place) memcpy(got, a->in, len);
        CHECK_OK(plait_seal(key, got, tag, a->nonce, a->nonce_len, a->ad, a->ad_len, in, len));
        CHECK_MEM(got, a->out, len);
        CHECK_MEM(tag, a->tag, tag_len);
        CHECK(all_bytes(buffer, 16, 0xa5) && all_bytes(got + len, 16, 0xa5));
        CHECK(all_bytes(tag + tag_len, sizeof tag - tag_len, 0xa5));

        memset(buffer, 0xa5, len + 32);
        if (in_place) memcpy(got, a->out, len);
        CHECK_OK(plait_open(key, got, a->nonce, a->nonce_len, a->ad, a->ad_len, ct, len, a->tag));
        CHECK_MEM(got, a->in, len);
        CHECK(all_bytes(buffer, 16, 0xa5) && all_bytes(got + len, 16, 0xa5));

        memcpy(forged, a->tag, tag_len);
        forged[len % tag_len] ^= (uint8_t)(1 << a->ad_len % 8);
        memset(buffer, 0xa5, len + 32);
        if (in_place) memcpy(got, a->out, len);
        CHECK_INT(plait_open(key, got, a->nonce, a->nonce_len, a->ad, a->ad_len, ct, len, forged),
                  PLAIT_ERR_TAG);
        CHECK(all_bytes(got, len, 0));
        CHECK(all_bytes(buffer, 16, 0xa5) && all_bytes(got + len, 16, 0xa5));

        if (in_place) memcpy(got, a->in, len);
        memset(tag, 0xa5, sizeof tag);
        CHECK_OK(plait_stream_init(&s, key, a->nonce, a->nonce_len));
        CHECK_OK(plait_stream_ad(&s, key, a->ad, a->ad_len));
        CHECK_OK(plait_stream_seal(&s, key, got, in, len));
        CHECK_OK(plait_stream_seal_final(&s, key, tag));
        CHECK_MEM(got, a->out, len);
        CHECK_MEM(tag, a->tag, tag_len);
        CHECK(all_bytes(tag + tag_len, sizeof tag - tag_len, 0xa5));

        if (in_place) memcpy(got, a->out, len);
        CHECK_OK(plait_stream_init(&s, key, a->nonce, a->nonce_len));
        CHECK_OK(plait_stream_ad(&s, key, a->ad, a->ad_len));
        CHECK_OK(plait_stream_open_unverified(&s, key, got, ct, len));
        CHECK_OK(plait_stream_open_final(&s, key, a->tag));
        CHECK_MEM(got, a->in, len);
        CHECK(all_bytes(buffer, 16, 0xa5) && all_bytes(got + len, 16, 0xa5));
    }
    free(buffer);
}

#endif
