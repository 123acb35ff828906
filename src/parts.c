/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.c - the parts as calls of their own: ChaCha20, Poly1305, GHASH, AES-CTR.
 *
 * Each call has a form that names its kernel; the other form is the same with no name.
 */
#include "internal.h"

/* The row of this name within first <= i < end, or the preferred one for NULL; NULL if it can not
 * be had. */
static const plait_kernel *find(const char *name, unsigned first, unsigned end)
{
    const uint32_t cpu = plait_cpu_enabled();
    unsigned i =
        name == NULL ? plait_row_select(first, end, cpu) : plait_row_named(name, strlen(name), cpu);
    return i >= first && i < end ? plait_rows[i] : NULL;
}
#define FIND(family, name) find(name, PLAIT_FIRST_##family, PLAIT_END_##family)

/* ---- ChaCha20 -------------------------------------------------------------------------------- */

static plait_status chacha20_xor(const plait_kernel *row, uint8_t *out, const uint8_t *in,
                                 size_t len, const uint8_t key[32], const uint8_t nonce[12],
                                 uint32_t counter)
{
    if (row == NULL) return PLAIT_ERR_KERNEL;
    const uint64_t blocks = ((uint64_t)len >> 6) + ((len & 63) != 0);
    if (blocks > (UINT64_C(1) << 32) - counter) return PLAIT_ERR_LENGTH;
    if (key == NULL || nonce == NULL || (len != 0 && (in == NULL || out == NULL)) ||
        plait_text_overlaps(out, in, len))
        return PLAIT_ERR_ARGUMENT;
    if (len == 0) return PLAIT_OK;
    uint32_t state[16];
    plait_chacha20_state(state, key, nonce, counter);
    plait_row_chacha20(row, out, in, len, state);
    plait_wipe(state, sizeof state);
    return PLAIT_OK;
}

plait_status plait_chacha20_xor(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                                const uint8_t nonce[12], uint32_t counter)
{
    return chacha20_xor(FIND(chacha20, NULL), out, in, len, key, nonce, counter);
}

plait_status plait_chacha20_xor_with(const char *kernel, uint8_t *out, const uint8_t *in,
                                     size_t len, const uint8_t key[32], const uint8_t nonce[12],
                                     uint32_t counter)
{
    return chacha20_xor(FIND(chacha20, kernel), out, in, len, key, nonce, counter);
}

/* ---- Poly1305 -------------------------------------------------------------------------------- */

typedef struct poly1305_fields {
    plait_poly1305_acc acc;
    uint8_t block[16];
    uint32_t row_plus_1; /* 0: never set, or finished */
    uint32_t waiting;    /* bytes in block */
} poly1305_fields;

typedef char plait_poly1305_fits[sizeof(poly1305_fields) <= sizeof(plait_poly1305_state) ? 1 : -1];

static poly1305_fields *inside(plait_poly1305_state *state)
{
    return (poly1305_fields *)(void *)state;
}

void plait_poly1305(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32])
{
    plait_row_poly1305_mac(FIND(poly1305, NULL), tag, msg, len, key);
}

plait_status plait_poly1305_with(const char *kernel, uint8_t tag[16], const uint8_t *msg,
                                 size_t len, const uint8_t key[32])
{
    const plait_kernel *row = FIND(poly1305, kernel);
    if (row == NULL) return PLAIT_ERR_KERNEL;
    if (tag == NULL || key == NULL || (msg == NULL && len != 0)) return PLAIT_ERR_ARGUMENT;
    plait_row_poly1305_mac(row, tag, msg, len, key);
    return PLAIT_OK;
}

plait_status plait_poly1305_init_with(const char *kernel, plait_poly1305_state *state,
                                      const uint8_t key[32])
{
    if (state == NULL || key == NULL) return PLAIT_ERR_ARGUMENT;
    const plait_kernel *row = FIND(poly1305, kernel);
    poly1305_fields *s = inside(state);
    memset(s, 0, sizeof *s);
    if (row == NULL) return PLAIT_ERR_KERNEL;
    for (unsigned i = PLAIT_FIRST_poly1305; i < PLAIT_END_poly1305; i++)
        if (plait_rows[i] == row) s->row_plus_1 = i + 1;
    plait_poly1305_start(&s->acc, key);
    return PLAIT_OK;
}

void plait_poly1305_init(plait_poly1305_state *state, const uint8_t key[32])
{
    (void)plait_poly1305_init_with(NULL, state, key);
}

void plait_poly1305_update(plait_poly1305_state *state, const uint8_t *msg, size_t len)
{
    poly1305_fields *s = inside(state);
    if (s == NULL || s->row_plus_1 == 0 || len == 0) return;
    const plait_kernel *row = plait_rows[s->row_plus_1 - 1];
    if (s->waiting != 0) {
        const size_t room = 16u - s->waiting, now = len < room ? len : room;
        memcpy(s->block + s->waiting, msg, now);
        s->waiting += (uint32_t)now;
        msg += now, len -= now;
        if (s->waiting < 16) return;
        plait_row_poly1305_blocks(row, &s->acc, s->block, 16);
        s->waiting = 0;
    }
    const size_t whole = len & ~(size_t)15;
    if (whole != 0) plait_row_poly1305_blocks(row, &s->acc, msg, whole);
    if (len != whole) memcpy(s->block, msg + whole, len - whole);
    s->waiting = (uint32_t)(len - whole);
}

void plait_poly1305_final(plait_poly1305_state *state, uint8_t tag[16])
{
    poly1305_fields *s = inside(state);
    if (s == NULL || s->row_plus_1 == 0) { /* a tag that nobody can expect */
        memset(tag, 0, 16);
        return;
    }
    plait_row_poly1305_final(plait_rows[s->row_plus_1 - 1], &s->acc, tag, s->block, s->waiting);
    plait_wipe(state, sizeof *state);
}

/* Was this state made by the kernel of this name (NULL: by any)? */
static plait_status made_by(const char *kernel, const plait_poly1305_state *state)
{
    if (state == NULL) return PLAIT_ERR_ARGUMENT;
    const poly1305_fields *s = (const poly1305_fields *)(const void *)state;
    if (s->row_plus_1 == 0) return PLAIT_ERR_ORDER;
    if (kernel != NULL && strcmp(plait_rows[s->row_plus_1 - 1]->name, kernel) != 0)
        return PLAIT_ERR_KERNEL;
    return PLAIT_OK;
}

plait_status plait_poly1305_update_with(const char *kernel, plait_poly1305_state *state,
                                        const uint8_t *msg, size_t len)
{
    const plait_status status = made_by(kernel, state);
    if (status != PLAIT_OK) return status;
    if (msg == NULL && len != 0) return PLAIT_ERR_ARGUMENT;
    plait_poly1305_update(state, msg, len);
    return PLAIT_OK;
}

plait_status plait_poly1305_final_with(const char *kernel, plait_poly1305_state *state,
                                       uint8_t tag[16])
{
    const plait_status status = made_by(kernel, state);
    if (status != PLAIT_OK) return status;
    if (tag == NULL) return PLAIT_ERR_ARGUMENT;
    plait_poly1305_final(state, tag);
    return PLAIT_OK;
}

/* ---- GHASH ----------------------------------------------------------------------------------- */

static plait_status ghash(const plait_kernel *row, uint8_t acc[16], const uint8_t h[16],
                          const uint8_t *blocks, size_t nblocks)
{
    if (row == NULL) return PLAIT_ERR_KERNEL;
    if (nblocks > SIZE_MAX / 16) return PLAIT_ERR_LENGTH;
    if (acc == NULL || h == NULL || (blocks == NULL && nblocks != 0)) return PLAIT_ERR_ARGUMENT;
    if (nblocks == 0) return PLAIT_OK;
    uint8_t area[PLAIT_GHASH_AREA];
    row->fn.ghash.init(area, h, nblocks * 16);
    row->fn.ghash.update(area, acc, blocks, nblocks * 16);
    plait_burn_spills(row);
    plait_wipe(area, sizeof area);
    return PLAIT_OK;
}

void plait_ghash(uint8_t acc[16], const uint8_t h[16], const uint8_t *blocks, size_t nblocks)
{
    (void)ghash(FIND(ghash, NULL), acc, h, blocks, nblocks);
}

plait_status plait_ghash_with(const char *kernel, uint8_t acc[16], const uint8_t h[16],
                              const uint8_t *blocks, size_t nblocks)
{
    return ghash(FIND(ghash, kernel), acc, h, blocks, nblocks);
}

/* ---- AES-CTR --------------------------------------------------------------------------------- */

/* Kernels count in 32 bits. A 128-bit counter is a 32-bit one that carries into the upper 96 each
 * time it wraps: so cut there. */
static void ctr128(const plait_aes_fns *fn, const uint8_t *area, uint8_t *out, const uint8_t *in,
                   size_t len, const uint8_t iv[16])
{
    uint8_t block[16];
    memcpy(block, iv, 16);
    while (len != 0) {
        const uint64_t until_wrap = ((UINT64_C(1) << 32) - plait_load32_be(block + 12)) << 4;
        const size_t now = len < until_wrap ? len : (size_t)until_wrap;
        fn->ctr32(area, out, in, now, block);
        out += now, in += now, len -= now;
        memset(block + 12, 0, 4);
        for (int i = 11, carry = 1; i >= 0; i--) {
            carry += block[i];
            block[i] = (uint8_t)carry;
            carry >>= 8;
        }
    }
}

static plait_status aes_ctr_xor(const plait_kernel *row, uint8_t *out, const uint8_t *in,
                                size_t len, const uint8_t *key, size_t key_len,
                                const uint8_t iv[16])
{
    if (row == NULL) return PLAIT_ERR_KERNEL;
    if (key == NULL || iv == NULL || (key_len != 16 && key_len != 24 && key_len != 32) ||
        (len != 0 && (in == NULL || out == NULL)) || plait_text_overlaps(out, in, len))
        return PLAIT_ERR_ARGUMENT;
    if (len == 0) return PLAIT_OK;
    uint8_t area[PLAIT_AES_AREA];
    row->fn.aes.init(area, key, key_len);
    ctr128(&row->fn.aes, area, out, in, len, iv);
    plait_burn_spills(row);
    plait_wipe(area, sizeof area);
    return PLAIT_OK;
}

plait_status plait_aes_ctr_xor(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *key,
                               size_t key_len, const uint8_t iv[16])
{
    return aes_ctr_xor(FIND(aes, NULL), out, in, len, key, key_len, iv);
}

plait_status plait_aes_ctr_xor_with(const char *kernel, uint8_t *out, const uint8_t *in, size_t len,
                                    const uint8_t *key, size_t key_len, const uint8_t iv[16])
{
    return aes_ctr_xor(FIND(aes, kernel), out, in, len, key, key_len, iv);
}
