/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle.h - the constructions once more, byte by byte as the standards state them, sharing no code
 * with the library: slow, not constant-time, and simple enough to be checked by reading. Every
 * kernel is compared with it.
 */
#ifndef PLAIT_TEST_ORACLE_H
#define PLAIT_TEST_ORACLE_H

#include <stddef.h>
#include <stdint.h>

void oracle_chacha20(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                     const uint8_t nonce[12], uint32_t counter);
void oracle_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]);

/* Poly1305 as a number: h of 17 bytes, little-endian, below 2^130 - 5. */
typedef struct oracle_poly {
    uint8_t h[17], r[17], s[16];
} oracle_poly;
void oracle_poly_init(oracle_poly *p, const uint8_t key[32]);
/* One block of 1 to 16 bytes, the 1 byte put after its end. */
void oracle_poly_block(oracle_poly *p, const uint8_t *msg, size_t len);
void oracle_poly_update(oracle_poly *p, const uint8_t *msg,
                        size_t len); /* any len: a last partial block */
/* As oracle_poly_update with `times` copies of msg, in O(log times); len is a multiple of 16. */
void oracle_poly_repeat(oracle_poly *p, const uint8_t *msg, size_t len, uint64_t times);
void oracle_poly_final(const oracle_poly *p, uint8_t tag[16]);
void oracle_poly1305(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32]);

typedef struct oracle_aes {
    int rounds;
    uint8_t key[15][16];
} oracle_aes;
void oracle_aes_init(oracle_aes *a, const uint8_t *key, size_t key_len);
void oracle_aes_block(const oracle_aes *a, uint8_t out[16], const uint8_t in[16]);
/* CTR with a counter of `width` bytes at the end of the block: 16 for plain CTR, 4 for GCM. */
void oracle_aes_ctr(const oracle_aes *a, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t iv[16], int width);

void oracle_gf_mul(uint8_t out[16], const uint8_t a[16], const uint8_t b[16]);
/* acc over len bytes, a last partial block padded with zeros. */
void oracle_ghash(uint8_t acc[16], const uint8_t h[16], const uint8_t *data, size_t len);
void oracle_ghash_repeat(uint8_t acc[16], const uint8_t h[16], const uint8_t *data, size_t len,
                         uint64_t times);

/* AEAD. gcm: key_len 16, 24, 32; nonce of any length; ChaCha20-Poly1305: nonce 12, or 24
 * (XChaCha20). */
void oracle_gcm_j0(uint8_t j0[16], const uint8_t h[16], const uint8_t *nonce, size_t nonce_len);
void oracle_seal(int gcm, uint8_t *out, uint8_t tag[16], const uint8_t *key, size_t key_len,
                 const uint8_t *nonce, size_t nonce_len, const uint8_t *ad, size_t ad_len,
                 const uint8_t *in, size_t len);
/* Only the tag, of a given ciphertext. */
void oracle_tag(int gcm, uint8_t tag[16], const uint8_t *key, size_t key_len, const uint8_t *nonce,
                size_t nonce_len, const uint8_t *ad, size_t ad_len, const uint8_t *ciphertext,
                size_t len);

void oracle_sha256(uint8_t out[32], const uint8_t *data, size_t len);

#endif
