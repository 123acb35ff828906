/* SPDX-License-Identifier: Apache-2.0
 *
 * internal.h - what the front ends share: the insides of keys and streams, row selection, argument
 * rules.
 */
#ifndef PLAIT_INTERNAL_H
#define PLAIT_INTERNAL_H

#include "../include/plait_hazmat.h"
#include "kernel.h"

/* ---- rows (kernels.c) ------------------------------------------------------------------------ */

/* Rows are numbered in list order; family f has the rows PLAIT_FIRST_f <= i < PLAIT_END_f. */
enum plait_row_number {
#define PLAIT_ROW(family, isa) PLAIT_ROW_##family##_##isa,
#define PLAIT_FAMILY(family)   PLAIT_FIRST_##family, PLAIT_BACK_##family = PLAIT_FIRST_##family - 1,
#define PLAIT_FAMILY_END(family)                                                                   \
    PLAIT_END_##family, PLAIT_BACK_END_##family = PLAIT_END_##family - 1,
#include "kernels.def"
    PLAIT_ROW_COUNT,
    /* Not kernels: the constructions composed of parts, where no fused kernel fits (aead.c). */
    PLAIT_ROW_aes_gcm_parts = PLAIT_ROW_COUNT,
    PLAIT_ROW_chacha20_poly1305_parts,
    PLAIT_ROW_NONE
};

extern const PLAIT_HIDDEN plait_kernel *const plait_rows[];
extern const PLAIT_HIDDEN plait_kernel plait_aes_gcm_parts, plait_chacha20_poly1305_parts;

/* The first of the rows first <= i < end that these CPU bits allow and do not advise against; end
 * if none. */
PLAIT_INLINE unsigned plait_row_select(unsigned first, unsigned end, uint32_t cpu)
{
    unsigned i = first;
    while (i < end && ((plait_rows[i]->needs & ~cpu) | (plait_rows[i]->avoids & cpu)) != 0) i++;
    return i;
}
#define PLAIT_SELECT(family, cpu) plait_row_select(PLAIT_FIRST_##family, PLAIT_END_##family, cpu)

/* The row of this name (len bytes) if it is usable with these CPU bits; else PLAIT_ROW_NONE. */
PLAIT_HIDDEN unsigned plait_row_named(const char *name, size_t len, uint32_t cpu);

/* ---- the insides of a key -------------------------------------------------------------------- */

#define PLAIT_KEY_MAGIC 0x706c6169u /* never 0: an all-zero key is not a key */

typedef struct plait_key_fields {
    uint32_t magic;
    uint8_t alg, tag_len;
    uint8_t row;         /* fused kernel, or one of the ..._parts */
    uint8_t cipher_row;  /* the parts: chacha20 or aes, */
    uint8_t mac_row;     /* and poly1305 or ghash; set for fused keys of ChaCha20-Poly1305 too */
    char parts_name[55]; /* "aes_aesni+ghash_pclmul"; fused keys use the row's name */
    uint8_t area[PLAIT_GCM_AREA];
} plait_key_fields;

typedef char plait_key_fits[sizeof(plait_key_fields) <= sizeof(plait_key) ? 1 : -1];
typedef char plait_rows_fit[PLAIT_ROW_NONE <= 255 ? 1 : -1];

/* The area of a ChaCha20-Poly1305 key that is composed of parts: the raw key, then the rows. */
typedef struct plait_chacha20_poly1305_area {
    uint8_t raw[32];
    uint8_t cipher_row, mac_row;
} plait_chacha20_poly1305_area;

/* The area of an AES-GCM key that is composed of parts. */
typedef struct plait_gcm_parts_area {
    uint8_t aes[PLAIT_AES_AREA];
    uint8_t ghash[PLAIT_GHASH_AREA];
    uint8_t cipher_row, mac_row;
} plait_gcm_parts_area;

typedef char
    plait_areas_fit[sizeof(plait_gcm_parts_area) <= PLAIT_GCM_AREA &&
                            sizeof(plait_chacha20_poly1305_area) <= PLAIT_CHACHA20_POLY1305_AREA
                        ? 1
                        : -1];

PLAIT_INLINE const plait_key_fields *plait_key_inside(const plait_key *key)
{
    return (const plait_key_fields *)(const void *)key;
}

PLAIT_INLINE int plait_key_valid(const plait_key *key)
{
    return key != NULL && plait_key_inside(key)->magic == PLAIT_KEY_MAGIC;
}

/* ---- calls of rows whose compilers may leave secrets on the stack ---------------------------- */

PLAIT_INLINE void plait_row_chacha20(const plait_kernel *row, uint8_t *out, const uint8_t *in,
                                     size_t len, const uint32_t state[16])
{
    row->fn.chacha20.xor_stream(out, in, len, state);
    plait_burn_spills(row);
}

PLAIT_INLINE void plait_row_poly1305_blocks(const plait_kernel *row, plait_poly1305_acc *acc,
                                            const uint8_t *msg, size_t len)
{
    row->fn.poly1305.blocks(acc, msg, len);
    plait_burn_spills(row);
}

PLAIT_INLINE void plait_row_poly1305_final(const plait_kernel *row, plait_poly1305_acc *acc,
                                           uint8_t tag[16], const uint8_t *msg, size_t len)
{
    row->fn.poly1305.final(acc, tag, msg, len);
    plait_burn_spills(row);
}

PLAIT_INLINE void plait_row_poly1305_mac(const plait_kernel *row, uint8_t tag[16],
                                         const uint8_t *msg, size_t len, const uint8_t key[32])
{
    row->fn.poly1305.mac(tag, msg, len, key);
    plait_burn_spills(row);
}

/* ---- argument rules -------------------------------------------------------------------------- */

#define PLAIT_GCM_TEXT_MAX      ((UINT64_C(1) << 36) - 32)
#define PLAIT_CHACHA20_TEXT_MAX ((UINT64_C(1) << 38) - 64)
#define PLAIT_AD_MAX            ((UINT64_C(1) << 61) - 1)

PLAIT_INLINE uint64_t plait_text_max(unsigned alg)
{
    return alg <= PLAIT_AES_256_GCM ? PLAIT_GCM_TEXT_MAX : PLAIT_CHACHA20_TEXT_MAX;
}

/* As 64-bit numbers, whatever size_t is: on 32-bit machines some limits can not be reached. */
PLAIT_INLINE int plait_over(uint64_t len, uint64_t max)
{
    return len > max;
}

PLAIT_INLINE int plait_nonce_allowed(unsigned alg, size_t len)
{
    if (alg <= PLAIT_AES_256_GCM) return len != 0 && !plait_over(len, PLAIT_AD_MAX);
    return len == (alg == PLAIT_CHACHA20_POLY1305 ? 12 : 24);
}

/* Do [a, a + a_len) and [b, b + b_len) share a byte? Empty ranges share none. */
PLAIT_INLINE int plait_overlap(const void *a, size_t a_len, const void *b, size_t b_len)
{
    /* As integers: the pointers may belong to different objects. b - a < a_len, with wrap-around,
     * says that b starts inside a. */
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return (y - x < a_len && b_len != 0) | (x - y < b_len && a_len != 0);
}

/* out may be written while in is read: exactly equal, or disjoint. */
PLAIT_INLINE int plait_text_overlaps(const uint8_t *out, const uint8_t *in, size_t len)
{
    const uintptr_t d = (uintptr_t)out - (uintptr_t)in;
    return (d != 0) & ((d < len) | (0 - d < len));
}

/* 0 if the two are equal; the time depends on len alone. */
PLAIT_INLINE uint32_t plait_differs(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint32_t diff = 0;
    if (PLAIT_LIKELY(len == 16)) {
        uint64_t x[2], y[2];
        memcpy(x, a, 16);
        memcpy(y, b, 16);
        x[0] = (x[0] ^ y[0]) | (x[1] ^ y[1]);
        diff = (uint32_t)(x[0] | x[0] >> 32);
    } else {
        for (size_t i = 0; i < len; i++) diff |= (uint32_t)(a[i] ^ b[i]);
    }
    return plait_barrier32(diff);
}

/* The rest of a short tag would let a forger guess less. */
PLAIT_INLINE void plait_give_tag(uint8_t *out, uint8_t full[16], size_t len)
{
    if (PLAIT_LIKELY(len == 16)) {
        memcpy(out, full, 16);
    } else {
        memcpy(out, full, len);
        plait_wipe(full, 16);
    }
}

/* ---- GCM beside its kernels (aes_gcm.c) ------------------------------------------------------ */

PLAIT_HIDDEN void plait_gcm_j0_hashed(const plait_aes_gcm_fns *fn, const uint8_t *area,
                                      uint8_t j0[16], const uint8_t *nonce, size_t nonce_len);

/* J0 = nonce || 1 for 12 bytes, else GHASH(nonce, padded, || 0^64 || bits). */
PLAIT_INLINE void plait_gcm_j0(const plait_aes_gcm_fns *fn, const uint8_t *area, uint8_t j0[16],
                               const uint8_t *nonce, size_t nonce_len)
{
    if (PLAIT_LIKELY(nonce_len == 12)) {
        /* Stored as two words of 8 bytes, as kernels load it: a load that covers two smaller stores
         * has to wait until they have left the store buffer, behind all that the last message
         * wrote. */
        uint64_t lo, hi;
        uint32_t end;
        memcpy(&lo, nonce, 8);
        memcpy(&end, nonce + 8, 4);
        hi = PLAIT_BIG_ENDIAN ? (uint64_t)end << 32 | 1 : (uint64_t)1 << 56 | end;
        memcpy(j0, &lo, 8);
        memcpy(j0 + 8, &hi, 8);
    } else {
        plait_gcm_j0_hashed(fn, area, j0, nonce, nonce_len);
    }
}
PLAIT_HIDDEN void plait_gcm_counter(uint8_t out[16], const uint8_t block[16], uint32_t n);
PLAIT_HIDDEN void plait_gcm_finish(const plait_aes_gcm_fns *fn, const uint8_t *area,
                                   uint8_t acc[16], const uint8_t j0[16], uint64_t ad_len,
                                   uint64_t text_len, uint8_t tag[16]);

/* ---- the start of a message (message.c) ------------------------------------------------------ */

/* What a row needs to begin: the key's area, or that of the subkey of XChaCha20; J0 or the 12-byte
 * nonce. */
typedef struct plait_start {
    const uint8_t *area;
    _Alignas(16)
        uint8_t iv[16]; /* not across two lines of the cache, where stores can not be forwarded */
    plait_chacha20_poly1305_area sub;
} plait_start;

PLAIT_HIDDEN void plait_chacha20_start(const plait_key_fields *k, plait_start *s,
                                       const uint8_t *nonce);

/* Short messages take some 60 cycles in all: what stands before the row is inlined. */
PLAIT_INLINE void plait_message_start(const plait_key_fields *k, plait_start *s,
                                      const uint8_t *nonce, size_t nonce_len)
{
    s->area = k->area;
    if (PLAIT_LIKELY(k->alg <= PLAIT_AES_256_GCM))
        plait_gcm_j0(&plait_rows[k->row]->fn.aes_gcm, k->area, s->iv, nonce, nonce_len);
    else
        plait_chacha20_start(k, s, nonce);
}

/* Is J0 a secret? Of 12 bytes of nonce it is public. Of others it is a polynomial in H, which can
 * be solved; and a counter block tells it. */
PLAIT_INLINE int plait_j0_secret(plait_alg alg, size_t nonce_len)
{
    return alg <= PLAIT_AES_256_GCM && nonce_len != 12;
}

/* To be called where kernels have worked with counter blocks made from a secret J0, and returned:
 * they keep them on the stack as they like. */
PLAIT_INLINE void plait_burn_counters(void)
{
    plait_burn_stack(2048);
}

PLAIT_INLINE void plait_message_end(const plait_key_fields *k, plait_start *s, size_t nonce_len)
{
    if (k->alg == PLAIT_XCHACHA20_POLY1305) plait_wipe(&s->sub, sizeof s->sub);
    if (!plait_j0_secret(k->alg, nonce_len)) return;
    plait_wipe(s->iv, sizeof s->iv);
    plait_burn_counters();
}

/* ---- ChaCha20-Poly1305 beside its kernels (chacha20_poly1305.c) ------------------------------ */

PLAIT_HIDDEN void plait_chacha20_state(uint32_t state[16], const uint8_t key[32],
                                       const uint8_t nonce[12], uint32_t counter);
PLAIT_HIDDEN void plait_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]);
PLAIT_HIDDEN void plait_poly1305_start(plait_poly1305_acc *acc, const uint8_t key[32]);
PLAIT_HIDDEN void plait_chacha20_poly1305_finish(const plait_kernel *mac, plait_poly1305_acc *acc,
                                                 uint64_t ad_len, uint64_t text_len,
                                                 uint8_t tag[16]);

#endif
