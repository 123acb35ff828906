/* SPDX-License-Identifier: Apache-2.0
 *
 * plait_hazmat.h - the parts that plait.h is made of, for those who build constructions of their
 * own: ChaCha20 (RFC 8439, 2.4), Poly1305 (RFC 8439, 2.5), GHASH (SP 800-38D, 6.4), AES-CTR (SP
 * 800-38A, 6.5), and the list of kernels. None of these authenticates and encrypts; misuse is easy
 * and silent. If you want to protect a message, use plait.h.
 *
 * Thread safety, alignment, NULL and overlap rules are those of plait.h.
 */
#ifndef PLAIT_HAZMAT_H
#define PLAIT_HAZMAT_H

#include "plait.h"

#ifdef __cplusplus
extern "C" {
#endif

/* XORs in with the ChaCha20 keystream of RFC 8439 (32-bit block counter, 96-bit nonce), starting at
 * block `counter`. Returns PLAIT_ERR_LENGTH, with nothing written, if a block past 2^32-1 would be
 * needed; PLAIT_ERR_ARGUMENT for NULL with a length or a partial overlap. */
PLAIT_API plait_status plait_chacha20_xor(uint8_t *out, const uint8_t *in, size_t len,
                                          const uint8_t key[32], const uint8_t nonce[12],
                                          uint32_t counter);

/* As plait_chacha20_xor, by the kernel of this name (family chacha20), or PLAIT_ERR_KERNEL. */
PLAIT_API plait_status plait_chacha20_xor_with(const char *kernel, uint8_t *out, const uint8_t *in,
                                               size_t len, const uint8_t key[32],
                                               const uint8_t nonce[12], uint32_t counter);

/* Incremental Poly1305: init, update in any pieces, final. A plain value; may be copied. */
typedef struct plait_poly1305_state {
    PLAIT_ALIGNED uint64_t opaque[16];
} plait_poly1305_state;

/* Poly1305 of msg under a key that must be used for one message only. */
PLAIT_API void plait_poly1305(uint8_t tag[16], const uint8_t *msg, size_t len,
                              const uint8_t key[32]);

/* Starts an incremental Poly1305. */
PLAIT_API void plait_poly1305_init(plait_poly1305_state *state, const uint8_t key[32]);

/* Adds len bytes to an incremental Poly1305. */
PLAIT_API void plait_poly1305_update(plait_poly1305_state *state, const uint8_t *msg, size_t len);

/* Writes the tag of an incremental Poly1305 and wipes the state. */
PLAIT_API void plait_poly1305_final(plait_poly1305_state *state, uint8_t tag[16]);

/* As plait_poly1305, by the kernel of this name (family poly1305), or PLAIT_ERR_KERNEL. */
PLAIT_API plait_status plait_poly1305_with(const char *kernel, uint8_t tag[16], const uint8_t *msg,
                                           size_t len, const uint8_t key[32]);

/* As plait_poly1305_init, by the kernel of this name; update and final then use it too. */
PLAIT_API plait_status plait_poly1305_init_with(const char *kernel, plait_poly1305_state *state,
                                                const uint8_t key[32]);

/* As plait_poly1305_update; PLAIT_ERR_KERNEL if the state was not made by the kernel of this name.
 */
PLAIT_API plait_status plait_poly1305_update_with(const char *kernel, plait_poly1305_state *state,
                                                  const uint8_t *msg, size_t len);

/* As plait_poly1305_final; PLAIT_ERR_KERNEL if the state was not made by the kernel of this name.
 */
PLAIT_API plait_status plait_poly1305_final_with(const char *kernel, plait_poly1305_state *state,
                                                 uint8_t tag[16]);

/* GHASH without padding or length block: for each of nblocks 16-byte blocks, acc = (acc xor block)
 * * h in the field and bit order of SP 800-38D. acc is read and written. */
PLAIT_API void plait_ghash(uint8_t acc[16], const uint8_t h[16], const uint8_t *blocks,
                           size_t nblocks);

/* As plait_ghash, by the kernel of this name (family ghash), or PLAIT_ERR_KERNEL. */
PLAIT_API plait_status plait_ghash_with(const char *kernel, uint8_t acc[16], const uint8_t h[16],
                                        const uint8_t *blocks, size_t nblocks);

/* XORs in with the AES-CTR keystream. iv is the first counter block, a 128-bit big-endian number
 * that is incremented as a whole for each block and wraps at 2^128. key_len is 16, 24 or 32 bytes.
 */
PLAIT_API plait_status plait_aes_ctr_xor(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint8_t *key, size_t key_len, const uint8_t iv[16]);

/* As plait_aes_ctr_xor, by the kernel of this name (family aes), or PLAIT_ERR_KERNEL. */
PLAIT_API plait_status plait_aes_ctr_xor_with(const char *kernel, uint8_t *out, const uint8_t *in,
                                              size_t len, const uint8_t *key, size_t key_len,
                                              const uint8_t iv[16]);

/* One kernel. The texts are static. */
typedef struct plait_kernel_info {
    const char *family; /* chacha20, poly1305, aes, ghash, aes_gcm, chacha20_poly1305 */
    const char *name;   /* "chacha20_avx2": what plait_key_init_with and the _with functions take */
    const char *needs;  /* CPU features, joined by commas: "avx2,bmi2"; "" for portable kernels */
    int built;          /* this compiler and architecture can make it */
    int usable;    /* built, and this CPU has what it needs, within PLAIT_CPU and plait_cpu_limit */
    int preferred; /* what its family uses by default, now */
} plait_kernel_info;

/* How many kernels the list has. Best first within each family. */
PLAIT_API size_t plait_kernel_count(void);

/* Describes kernel i, or returns PLAIT_ERR_ARGUMENT if i is out of range. */
PLAIT_API plait_status plait_kernel_at(size_t i, plait_kernel_info *out);

/* One CPU feature that kernels ask about. The texts are static. */
typedef struct plait_cpu_feature {
    const char *name; /* what PLAIT_CPU and plait_cpu_limit take */
    const char *what; /* what it is, one line */
    int level;   /* above 0: a vector level, which a bare name makes the highest; 0: an extension */
    int present; /* the CPU and the operating system have it */
    int enabled; /* and neither PLAIT_CPU nor plait_cpu_limit switched it off */
} plait_cpu_feature;

/* How many CPU features this library knows, on all architectures. */
PLAIT_API size_t plait_cpu_feature_count(void);

/* Describes CPU feature i, or returns PLAIT_ERR_ARGUMENT if i is out of range. */
PLAIT_API plait_status plait_cpu_feature_at(size_t i, plait_cpu_feature *out);

/* Runs the known-answer test of a kernel (about 2 KiB of work): PLAIT_OK, PLAIT_ERR_TAG if the
 * kernel gives a wrong answer on this CPU, PLAIT_ERR_KERNEL if it is unknown or not usable here.
 * kernel NULL: all kernels that are preferred now, that is, all that keys made without a name will
 * use. */
PLAIT_API plait_status plait_selftest(const char *kernel);

#ifdef __cplusplus
}
#endif
#endif
