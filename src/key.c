/* SPDX-License-Identifier: Apache-2.0
 *
 * key.c - making, describing and wiping keys.
 */
#include <string.h>

#include "internal.h"

static plait_key_fields *inside(plait_key *key)
{
    return (plait_key_fields *)(void *)key;
}

static size_t raw_len_of(plait_alg alg)
{
    switch (alg) {
    case PLAIT_AES_128_GCM:
        return 16;
    case PLAIT_AES_192_GCM:
        return 24;
    case PLAIT_AES_256_GCM:
    case PLAIT_CHACHA20_POLY1305:
    case PLAIT_XCHACHA20_POLY1305:
        return 32;
    default:
        return 0;
    }
}

static int tag_len_allowed(plait_alg alg, size_t tag_len)
{
    if (tag_len == 16) return 1;
    return alg <= PLAIT_AES_256_GCM &&
           (tag_len == 4 || tag_len == 8 || (tag_len >= 12 && tag_len <= 15));
}

static int in_family(unsigned row, unsigned first, unsigned end)
{
    return row >= first && row < end;
}

/* The rows of a construction, before and after the caller's choice. */
typedef struct choice {
    unsigned fused_first, fused_end, cipher_first, cipher_end, mac_first, mac_end, parts;
    unsigned fused, cipher, mac;
} choice;

static choice choose(plait_alg alg, uint32_t cpu)
{
    choice c;
#define FAMILIES(f, ci, m)                                                                         \
    c.fused_first = PLAIT_FIRST_##f, c.fused_end = PLAIT_END_##f;                                  \
    c.cipher_first = PLAIT_FIRST_##ci, c.cipher_end = PLAIT_END_##ci;                              \
    c.mac_first = PLAIT_FIRST_##m, c.mac_end = PLAIT_END_##m;                                      \
    c.parts = PLAIT_ROW_##f##_parts
    if (alg <= PLAIT_AES_256_GCM) {
        FAMILIES(aes_gcm, aes, ghash);
    } else {
        FAMILIES(chacha20_poly1305, chacha20, poly1305);
    }
#undef FAMILIES
    const unsigned fused = plait_row_select(c.fused_first, c.fused_end, cpu);
    c.fused = fused < c.fused_end ? fused : c.parts;
    c.cipher = plait_row_select(c.cipher_first, c.cipher_end, cpu);
    c.mac = plait_row_select(c.mac_first, c.mac_end, cpu);
    return c;
}

/* Applies the caller's "name" or "name+name". Zero if a name can not be had. */
static int apply_names(choice *c, const char *names, uint32_t cpu)
{
    int cipher = 0, mac = 0, fused = 0;
    while (names != NULL) {
        const size_t len = strcspn(names, "+");
        const unsigned row = plait_row_named(names, len, cpu);
        if (in_family(row, c->cipher_first, c->cipher_end))
            c->cipher = row, cipher++;
        else if (in_family(row, c->mac_first, c->mac_end))
            c->mac = row, mac++;
        else if (in_family(row, c->fused_first, c->fused_end))
            c->fused = row, fused++;
        else
            return 0;
        names = names[len] != 0 ? names + len + 1 : NULL;
    }
    if (fused == 0) c->fused = c->parts;
    return cipher <= 1 && mac <= 1 && fused + (cipher | mac) <= 1;
}

/* "cipher+mac", cut to what the field holds; names of rows are short. */
static void join_names(char *out, size_t size, const char *a, const char *b)
{
    size_t n = 0;
    for (; *a != 0 && n + 1 < size; a++) out[n++] = *a;
    if (n + 1 < size) out[n++] = '+';
    for (; *b != 0 && n + 1 < size; b++) out[n++] = *b;
    out[n] = 0;
}

static plait_status key_make(plait_key *key, plait_alg alg, const uint8_t *raw, size_t raw_len,
                             size_t tag_len, const char *names)
{
    if (key == NULL) return PLAIT_ERR_ARGUMENT;
    plait_key_fields *k = inside(key);
    /* Not a key until the end. What a smaller area leaves of the key that was here before stays
     * until plait_key_wipe: wiping 2 KiB first would cost as much as half a key. */
    k->magic = 0;
    if (raw == NULL || raw_len == 0 || raw_len != raw_len_of(alg) ||
        !tag_len_allowed(alg, tag_len)) {
        plait_key_wipe(key);
        return PLAIT_ERR_ARGUMENT;
    }
    const uint32_t cpu = plait_cpu_enabled();
    choice c = choose(alg, cpu);
    if (names != NULL && !apply_names(&c, names, cpu)) {
        plait_key_wipe(key);
        return PLAIT_ERR_KERNEL;
    }
    k->alg = (uint8_t)alg;
    k->tag_len = (uint8_t)tag_len;
    k->row = (uint8_t)c.fused;
    k->cipher_row = (uint8_t)c.cipher;
    k->mac_row = (uint8_t)c.mac;
    k->parts_name[0] = 0;
    if (c.fused == c.parts)
        join_names(k->parts_name, sizeof k->parts_name, plait_rows[c.cipher]->name,
                   plait_rows[c.mac]->name);
    if (alg <= PLAIT_AES_256_GCM) {
        plait_gcm_parts_area *parts = (plait_gcm_parts_area *)(void *)k->area;
        parts->cipher_row =
            k->cipher_row; /* for aes_gcm_parts; fused kernels use the area as they like */
        parts->mac_row = k->mac_row;
        plait_rows[k->row]->fn.aes_gcm.init(k->area, raw, raw_len);
        plait_burn_spills(plait_rows[k->row]);
    } else {
        plait_chacha20_poly1305_area *a = (plait_chacha20_poly1305_area *)(void *)k->area;
        memcpy(a->raw, raw, 32);
        a->cipher_row = k->cipher_row;
        a->mac_row = k->mac_row;
    }
    k->magic = PLAIT_KEY_MAGIC;
    return PLAIT_OK;
}

plait_status plait_key_init(plait_key *key, plait_alg alg, const uint8_t *raw, size_t raw_len)
{
    return key_make(key, alg, raw, raw_len, 16, NULL);
}

plait_status plait_key_init_tag(plait_key *key, plait_alg alg, const uint8_t *raw, size_t raw_len,
                                size_t tag_len)
{
    return key_make(key, alg, raw, raw_len, tag_len, NULL);
}

plait_status plait_key_init_with(plait_key *key, plait_alg alg, const uint8_t *raw, size_t raw_len,
                                 const char *kernel)
{
    return key_make(key, alg, raw, raw_len, 16, kernel);
}

void plait_key_wipe(plait_key *key)
{
    if (key != NULL) plait_wipe(key, sizeof *key);
}

const char *plait_key_kernel(const plait_key *key)
{
    if (!plait_key_valid(key)) return "none";
    const plait_key_fields *k = plait_key_inside(key);
    return k->parts_name[0] != 0 ? k->parts_name : plait_rows[k->row]->name;
}

size_t plait_key_tag_len(const plait_key *key)
{
    return plait_key_valid(key) ? plait_key_inside(key)->tag_len : 0;
}
