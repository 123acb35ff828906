/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm.c - what GCM is beside its kernels: J0, and the construction composed of two parts
 * (SP 800-38D, 7.1 and 7.2), for CPUs and for choices of kernels that no fused kernel serves.
 */
#include "internal.h"

void plait_gcm_j0_hashed(const plait_aes_gcm_fns *fn, const uint8_t *area, uint8_t j0[16],
                         const uint8_t *nonce, size_t nonce_len)
{
    uint8_t bits[16] = {0};
    memset(j0, 0, 16);
    plait_store64_be(bits + 8, (uint64_t)nonce_len << 3);
    fn->hash(area, j0, nonce, nonce_len);
    fn->hash(area, j0, bits, 16);
}

/* The block n counter steps after `block`: inc32 wraps within the last four bytes. */
void plait_gcm_counter(uint8_t out[16], const uint8_t block[16], uint32_t n)
{
    memcpy(out, block, 16);
    plait_store32_be(out + 12, plait_load32_be(block + 12) + n);
}

/* tag = (acc absorbs the lengths) xor E(j0). */
void plait_gcm_finish(const plait_aes_gcm_fns *fn, const uint8_t *area, uint8_t acc[16],
                      const uint8_t j0[16], uint64_t ad_len, uint64_t text_len, uint8_t tag[16])
{
    uint8_t lengths[16];
    plait_store64_be(lengths, ad_len << 3);
    plait_store64_be(lengths + 8, text_len << 3);
    fn->hash(area, acc, lengths, 16);
    fn->ctr32(area, tag, acc, 16, j0);
}

/* ---- composed of parts ----------------------------------------------------------------------- */

static const plait_gcm_parts_area *parts(const uint8_t *area)
{
    return (const plait_gcm_parts_area *)(const void *)area;
}

static void parts_init(uint8_t *area, const uint8_t *raw, size_t raw_len)
{
    static const uint8_t zeros[16] = {0};
    plait_gcm_parts_area *p = (plait_gcm_parts_area *)(void *)area;
    uint8_t h[16];
    const plait_kernel *cipher = plait_rows[p->cipher_row], *mac = plait_rows[p->mac_row];
    cipher->fn.aes.init(p->aes, raw, raw_len);
    cipher->fn.aes.ctr32(p->aes, h, zeros, 16, zeros);
    mac->fn.ghash.init(p->ghash, h, SIZE_MAX);
    plait_wipe(h, sizeof h);
    plait_burn_spills(cipher);
    plait_burn_spills(mac);
}

static void parts_hash(const uint8_t *area, uint8_t acc[16], const uint8_t *data, size_t len)
{
    const plait_kernel *row = plait_rows[parts(area)->mac_row];
    if (len != 0) row->fn.ghash.update(parts(area)->ghash, acc, data, len);
    plait_burn_spills(row);
}

static void parts_ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t block[16])
{
    const plait_kernel *row = plait_rows[parts(area)->cipher_row];
    row->fn.aes.ctr32(parts(area)->aes, out, in, len, block);
    plait_burn_spills(row);
}

/* Text goes through cipher and hash in pieces that stay in the first-level cache. */
#define PIECE ((size_t)8192)

static void parts_text_seal(const uint8_t *area, uint8_t acc[16], const uint8_t block[16],
                            uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t at[16];
    for (uint32_t n = 0; len != 0; n += PIECE / 16) {
        const size_t now = len < PIECE ? len : PIECE;
        plait_gcm_counter(at, block, n);
        parts_ctr32(area, out, in, now, at);
        parts_hash(area, acc, out, now);
        out += now, in += now, len -= now;
    }
    plait_wipe(at, sizeof at);
}

static void parts_text_open(const uint8_t *area, uint8_t acc[16], const uint8_t block[16],
                            uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t at[16];
    for (uint32_t n = 0; len != 0; n += PIECE / 16) {
        const size_t now = len < PIECE ? len : PIECE;
        plait_gcm_counter(at, block, n);
        parts_hash(area, acc, in, now); /* before the text: out may be in */
        parts_ctr32(area, out, in, now, at);
        out += now, in += now, len -= now;
    }
    plait_wipe(at, sizeof at);
}

typedef void text_fn(const uint8_t *, uint8_t *, const uint8_t *, uint8_t *, const uint8_t *,
                     size_t);

static void parts_message(text_fn *text, const uint8_t *area, uint8_t *out, uint8_t tag[16],
                          const uint8_t j0[16], const uint8_t *ad, size_t ad_len, const uint8_t *in,
                          size_t len)
{
    uint8_t acc[16] = {0}, block[16];
    plait_gcm_counter(block, j0, 1);
    parts_hash(area, acc, ad, ad_len);
    text(area, acc, block, out, in, len);
    plait_gcm_finish(&plait_aes_gcm_parts.fn.aes_gcm, area, acc, j0, ad_len, len, tag);
    plait_wipe(acc, sizeof acc); /* the tag without its mask */
    plait_wipe(block, sizeof block);
}

static void parts_seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                       const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    parts_message(parts_text_seal, area, out, tag, j0, ad, ad_len, in, len);
}

static void parts_open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                       const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    parts_message(parts_text_open, area, out, tag, j0, ad, ad_len, in, len);
}

const plait_kernel plait_aes_gcm_parts = {PLAIT_KERNEL_ID(aes_gcm, parts), PLAIT_NEEDS_NOTHING,
                                          .fn.aes_gcm = {
                                              .init = parts_init,
                                              .seal = parts_seal,
                                              .open = parts_open,
                                              .text_seal = parts_text_seal,
                                              .text_open = parts_text_open,
                                              .hash = parts_hash,
                                              .ctr32 = parts_ctr32,
                                          }};
