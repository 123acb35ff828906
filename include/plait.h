/* SPDX-License-Identifier: Apache-2.0
 *
 * plait.h - authenticated encryption at the speed of the CPU it runs on.
 *
 *   AES-128/192/256-GCM        NIST SP 800-38D
 *   ChaCha20-Poly1305          RFC 8439
 *   XChaCha20-Poly1305         draft-irtf-cfrg-xchacha-03
 *
 * All lengths are in bytes. All functions are safe to call from any number of threads at once, from
 * a signal handler, before main and after fork; a plait_key may be shared by all of them once it is
 * made, a plait_stream may not. Nothing here allocates memory, blocks, or needs an initialisation
 * call.
 *
 * Buffers may have any alignment. out and in are either exactly equal or disjoint; a partial
 * overlap is refused with PLAIT_ERR_ARGUMENT, as is out over tag or ad. The nonce is read before
 * anything is written and the tag written last, so that these two may share memory with the rest.
 * A pointer may be NULL where its length is 0, and nowhere else. A call that returns an error other
 * than PLAIT_ERR_TAG has written nothing to out or tag.
 *
 * Version 0.x: the sizes of the types below (2048 and 384 bytes) and the soname stay for a minor
 * version, not longer.
 */
#ifndef PLAIT_H
#define PLAIT_H

#include <stddef.h>
#include <stdint.h>

#define PLAIT_VERSION_MAJOR 0
#define PLAIT_VERSION_MINOR 1
#define PLAIT_VERSION_PATCH 0

/* What a shared library exports. Define PLAIT_API before inclusion to change it. */
#ifndef PLAIT_API
#if defined(_WIN32)
#define PLAIT_API
#elif defined(__GNUC__)
#define PLAIT_API __attribute__((visibility("default")))
#else
#define PLAIT_API
#endif
#endif

/* Keys and streams need no more alignment than malloc gives, so both may live in allocated
 * structures. */
#if defined(__GNUC__) && defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ == 8
#define PLAIT_ALIGNED __attribute__((aligned(16)))
#else
#define PLAIT_ALIGNED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a call. No error of a call that takes a const key changes that key. */
typedef enum plait_status {
    PLAIT_OK = 0,
    PLAIT_ERR_TAG = -1,      /* not authentic; the output holds zeros */
    PLAIT_ERR_LENGTH = -2,   /* over a construction's limit; nothing was written */
    PLAIT_ERR_ARGUMENT = -3, /* bad key, nonce or tag length, NULL with a length, partial overlap,
                                key wiped or never set */
    PLAIT_ERR_ORDER = -4,    /* streaming calls out of order */
    PLAIT_ERR_KERNEL = -5    /* named kernel unknown, not built, or not usable on this CPU */
} plait_status;

/* One line of English for a status; never NULL, never to be freed. */
PLAIT_API const char *plait_status_text(plait_status status);

/* The constructions. Values are stable and may be stored. */
typedef enum plait_alg {
    PLAIT_AES_128_GCM = 1,
    PLAIT_AES_192_GCM = 2,
    PLAIT_AES_256_GCM = 3,
    PLAIT_CHACHA20_POLY1305 = 4,
    PLAIT_XCHACHA20_POLY1305 = 5
} plait_alg;

#define PLAIT_TAG_MAX 16 /* bytes of the longest, and the default, tag */
#define PLAIT_KEY_MAX 32 /* bytes of the longest raw key */

/* A key, expanded for one construction: a plain value without pointers, constant after it was made,
 * free to be copied with memcpy and to be shared between threads. An all-zero plait_key is not a
 * key: every call refuses it with PLAIT_ERR_ARGUMENT. Wipe each copy with plait_key_wipe. */
typedef struct plait_key {
    PLAIT_ALIGNED uint64_t opaque[256];
} plait_key;

/* One message in pieces. Holds no pointer; may be copied with memcpy to fork a message at a point.
 */
typedef struct plait_stream {
    PLAIT_ALIGNED uint64_t opaque[48];
} plait_stream;

/* Makes a key with a 16-byte tag.
 *   raw, raw_len  the secret key: 16, 24 or 32 bytes for AES-128/192/256-GCM, 32 for the others.
 *
 * The best kernel for this CPU is chosen now and stays with the key.
 *
 * Returns PLAIT_OK, or PLAIT_ERR_ARGUMENT for an unknown alg or a wrong raw_len; the key is then
 * wiped. */
PLAIT_API plait_status plait_key_init(plait_key *key, plait_alg alg, const uint8_t *raw,
                                      size_t raw_len);

/* As plait_key_init, with a tag length fixed for the life of the key: 16, or for GCM also 12, 13,
 * 14, 15, 8 or 4 bytes (SP 800-38D, 5.2.1.2; its appendix C limits what 4 and 8 may be used for).
 * Any other tag_len is PLAIT_ERR_ARGUMENT. Who calls plait_open never chooses the length. */
PLAIT_API plait_status plait_key_init_tag(plait_key *key, plait_alg alg, const uint8_t *raw,
                                          size_t raw_len, size_t tag_len);

/* As plait_key_init, with a kernel chosen by name (see plait_kernel_at in plait_hazmat.h): one that
 * does the whole construction ("aes_gcm_vaes_avx512"), or a part ("chacha20_avx2"), or two parts
 * ("chacha20_avx2+poly1305_ref"); a part that is not named is chosen as usual. NULL: as usual.
 *
 * Returns PLAIT_ERR_KERNEL if a name is unknown, not built here, not usable on this CPU (or
 * excluded by plait_cpu_limit or PLAIT_CPU), empty, or belongs to another construction; the key is
 * then wiped. */
PLAIT_API plait_status plait_key_init_with(plait_key *key, plait_alg alg, const uint8_t *raw,
                                           size_t raw_len, const char *kernel);

/* Overwrites the whole key with zeros, in a way the compiler can not remove. NULL is allowed. */
PLAIT_API void plait_key_wipe(plait_key *key);

/* The name of the kernel that this key uses, for logs: "aes_gcm_vaes_avx512", or the names of the
 * parts joined by '+'. "none" for a key that was wiped or never made. The text lives as long as the
 * key. */
PLAIT_API const char *plait_key_kernel(const plait_key *key);

/* The length of this key's tags in bytes; 0 for a key that was wiped or never made. */
PLAIT_API size_t plait_key_tag_len(const plait_key *key);

/* Encrypts and authenticates one message.
 *   out    in_len bytes of ciphertext; equal to in or disjoint from it
 *   tag    receives plait_key_tag_len(key) bytes; may follow out directly, must not overlap it
 *   nonce  never used twice with one key. GCM: 1 byte and up, 12 is the fast path;
 *          ChaCha20-Poly1305: 12 bytes; XChaCha20-Poly1305: 24 bytes. A counter is best. Random
 *          nonces of 12 bytes: no more than 2^32 messages a key (SP 800-38D, 8.3); of 24 bytes, as
 *          many as you like
 *   ad     associated data: authenticated, not encrypted; must not overlap out
 *   in     the plaintext
 *
 * Returns PLAIT_OK, PLAIT_ERR_ARGUMENT, or PLAIT_ERR_LENGTH: in_len over 2^36-32 (GCM) or 2^38-64
 * (ChaCha20), ad_len over 2^61-1. */
PLAIT_API plait_status plait_seal(const plait_key *key, uint8_t *out, uint8_t *tag,
                                  const uint8_t *nonce, size_t nonce_len, const uint8_t *ad,
                                  size_t ad_len, const uint8_t *in, size_t in_len);

/* Checks and decrypts one message; arguments as in plait_seal, tag being read.
 * If the tag does not match, out is filled with in_len zeros and PLAIT_ERR_TAG is returned: the
 * ciphertext is then lost where out == in. The comparison takes the same time for every wrong tag.
 */
PLAIT_API plait_status plait_open(const plait_key *key, uint8_t *out, const uint8_t *nonce,
                                  size_t nonce_len, const uint8_t *ad, size_t ad_len,
                                  const uint8_t *in, size_t in_len, const uint8_t *tag);

/* One message in pieces: init, any number of ad, any number of seal (or open), final.
 *
 *   The key is passed to each call, and must be the same each time.
 *   Any split of AD or text gives the same bytes as one call. A call with length 0 changes nothing.
 *   AD after text, text or final before init, or both directions in one stream, is PLAIT_ERR_ORDER.
 *   A stream is wiped when it is finished and when any call on it fails; each later call on it is
 *   PLAIT_ERR_ORDER until plait_stream_init. */

/* Starts a message. nonce as in plait_seal. */
PLAIT_API plait_status plait_stream_init(plait_stream *stream, const plait_key *key,
                                         const uint8_t *nonce, size_t nonce_len);

/* Adds associated data; only before the first byte of text. */
PLAIT_API plait_status plait_stream_ad(plait_stream *stream, const plait_key *key,
                                       const uint8_t *ad, size_t ad_len);

/* Encrypts in_len bytes; writes as many to out (equal to in or disjoint from it). */
PLAIT_API plait_status plait_stream_seal(plait_stream *stream, const plait_key *key, uint8_t *out,
                                         const uint8_t *in, size_t in_len);

/* Ends a message that was sealed; writes plait_key_tag_len(key) bytes to tag. */
PLAIT_API plait_status plait_stream_seal_final(plait_stream *stream, const plait_key *key,
                                               uint8_t *tag);

/* Decrypts in_len bytes that are NOT YET AUTHENTIC: whoever sent them may not hold the key. Do
 * nothing with out that you could not undo until plait_stream_open_final has returned PLAIT_OK. */
PLAIT_API plait_status plait_stream_open_unverified(plait_stream *stream, const plait_key *key,
                                                    uint8_t *out, const uint8_t *in, size_t in_len);

/* Ends a message that was opened: PLAIT_OK if tag matches, else PLAIT_ERR_TAG; the caller then
 * destroys what plait_stream_open_unverified gave out. tag must not be NULL. */
PLAIT_API plait_status plait_stream_open_final(plait_stream *stream, const plait_key *key,
                                               const uint8_t *tag);

/* Overwrites a stream with zeros. NULL is allowed. */
PLAIT_API void plait_stream_wipe(plait_stream *stream);

/* One message of a batch. Fields have the meaning of the arguments of plait_seal and plait_open. */
typedef struct plait_message {
    const plait_key *key;
    uint8_t *out;
    uint8_t *tag; /* written by seal, read by open */
    const uint8_t *nonce;
    size_t nonce_len;
    const uint8_t *ad;
    size_t ad_len;
    const uint8_t *in;
    size_t in_len;
    plait_status status; /* set by the call */
} plait_message;

/* Seals count messages, of any lengths, with the same or different keys and constructions: bit for
 * bit what one plait_seal per message writes, but short messages share passes through the CPU's
 * vector units (`plait bench peers --batch 32` shows what that gives). Each message gets its own
 * status; one that fails spoils no other. The buffers that a message writes (out, tag) must not
 * overlap any buffer of another message in the batch. Returns how many messages failed. */
PLAIT_API size_t plait_seal_batch(plait_message *messages, size_t count);

/* Opens count messages, as plait_open does with each. Returns how many failed. */
PLAIT_API size_t plait_open_batch(plait_message *messages, size_t count);

/* "0.1.0". */
PLAIT_API const char *plait_version(void);

/* Limits which CPU features are used by keys and parts made from now on, on top of the environment
 * variable PLAIT_CPU, which has the same grammar and is read once. spec is a list of words joined
 * by commas:
 *   -name  do without this feature and all that build on it: "-avx512,-vaes"
 *   name   use no vector level above this one: "avx2"
 *   ref    portable kernels only
 *
 * NULL or "" is no limit. Names are those of `plait cpu` (plait_cpu_feature_at); naming a feature
 * that is not a level, without the minus, changes nothing. Spaces around words do not matter. The
 * library never executes what the CPU lacks. Existing keys keep their kernels.
 *
 * Returns PLAIT_ERR_ARGUMENT for an unknown name, with nothing changed. In PLAIT_CPU an unknown
 * word is passed over, since nobody could be told: `PLAIT_CPU=... plait kernels` warns of it, and
 * plait_key_kernel says what is used. */
PLAIT_API plait_status plait_cpu_limit(const char *spec);

#ifdef __cplusplus
}
#endif
#endif
