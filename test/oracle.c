/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle.c - see oracle.h.
 */
#include "oracle.h"

#include <string.h>

/* ---- ChaCha20 (RFC 8439, 2.3; draft-irtf-cfrg-xchacha, 2.2) ------------------------------ */

static uint32_t rotl(uint32_t x, int n)
{
    return (x << n) | (x >> (32 - n));
}

static uint32_t word(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void unword(uint8_t *p, uint32_t x)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> (8 * i));
}

static void quarter_round(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b], x[d] = rotl(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = rotl(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = rotl(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = rotl(x[b] ^ x[c], 7);
}

static void chacha_rounds(uint32_t x[16])
{
    for (int round = 0; round < 20; round += 2) {
        for (int i = 0; i < 4; i++) quarter_round(x, i, 4 + i, 8 + i, 12 + i);
        for (int i = 0; i < 4; i++)
            quarter_round(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
}

static void chacha_state(uint32_t x[16], const uint8_t key[32], const uint8_t *last16)
{
    const char *sigma = "expand 32-byte k";
    for (int i = 0; i < 4; i++) x[i] = word((const uint8_t *)sigma + 4 * i);
    for (int i = 0; i < 8; i++) x[4 + i] = word(key + 4 * i);
    for (int i = 0; i < 4; i++) x[12 + i] = word(last16 + 4 * i);
}

void oracle_chacha20(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                     const uint8_t nonce[12], uint32_t counter)
{
    for (size_t at = 0; at < len; at += 64, counter++) {
        uint32_t start[16], x[16];
        uint8_t last16[16];
        unword(last16, counter);
        memcpy(last16 + 4, nonce, 12);
        chacha_state(start, key, last16);
        memcpy(x, start, sizeof x);
        chacha_rounds(x);
        for (size_t i = 0; i < 64 && at + i < len; i++)
            out[at + i] = in[at + i] ^ (uint8_t)((x[i / 4] + start[i / 4]) >> (8 * (i % 4)));
    }
}

void oracle_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16])
{
    uint32_t x[16];
    chacha_state(x, key, nonce);
    chacha_rounds(x);
    for (int i = 0; i < 4; i++) unword(out + 4 * i, x[i]);
    for (int i = 0; i < 4; i++) unword(out + 16 + 4 * i, x[12 + i]);
}

/* ---- Poly1305 (RFC 8439, 2.5): numbers in base 2^16 -------------------------------------- */

enum { LIMBS = 20 };

static void poly_limbs(uint64_t x[LIMBS], const uint8_t a[17])
{
    for (int i = 0; i < LIMBS; i++)
        x[i] = (2 * i < 17 ? a[2 * i] : 0u) | (2 * i + 1 < 17 ? a[2 * i + 1] : 0u) << 8;
}

/* a = x mod 2^130 - 5, x below 2^272, its limbs of any size. */
static void poly_reduce(uint8_t a[17], uint64_t x[LIMBS])
{
    uint64_t some;
    do { /* x = high 2^130 + low, and 2^130 = 5 (mod p) */
        uint64_t high[LIMBS] = {0}, carry = 0;
        some = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += x[i];
            x[i] = carry & 0xffff;
            carry >>= 16;
        }
        for (int i = 8; i < LIMBS; i++) {
            high[i - 8] = (x[i] >> 2) | (i + 1 < LIMBS ? (x[i + 1] & 3) << 14 : 0);
            some |= high[i - 8];
        }
        x[8] &= 3;
        for (int i = 9; i < LIMBS; i++) x[i] = 0;
        for (int i = 0; i < LIMBS; i++) x[i] += 5 * high[i];
    } while (some != 0);
    /* now x < 2^130: subtract p once if x + 5 reaches 2^130 */
    uint64_t y[9], carry = 5;
    for (int i = 0; i < 9; i++) {
        carry += x[i];
        y[i] = carry & 0xffff;
        carry >>= 16;
    }
    const int over = (y[8] & 4) != 0;
    y[8] &= 3;
    for (int i = 0; i < 17; i++) a[i] = (uint8_t)((over ? y : x)[i / 2] >> (8 * (i % 2)));
}

/* out = (a + b) c, for a and b whose sum is below 2^136 */
static void poly_add_mul(uint8_t out[17], const uint8_t a[17], const uint8_t b[17],
                         const uint8_t c[17])
{
    uint64_t x[LIMBS], y[LIMBS], z[LIMBS], product[LIMBS] = {0};
    poly_limbs(x, a), poly_limbs(y, b), poly_limbs(z, c);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) product[i + j] += (x[i] + y[i]) * z[j];
    poly_reduce(out, product);
}

static void poly_mul(uint8_t out[17], const uint8_t a[17], const uint8_t b[17])
{
    static const uint8_t zero[17];
    poly_add_mul(out, a, zero, b);
}

static void poly_add(uint8_t out[17], const uint8_t a[17], const uint8_t b[17])
{
    static const uint8_t one[17] = {1};
    poly_add_mul(out, a, b, one);
}

void oracle_poly_init(oracle_poly *p, const uint8_t key[32])
{
    memset(p, 0, sizeof *p);
    memcpy(p->r, key, 16);
    memcpy(p->s, key + 16, 16);
    for (int i = 3; i < 16; i += 4) p->r[i] &= 15;
    for (int i = 4; i < 16; i += 4) p->r[i] &= 252;
}

void oracle_poly_block(oracle_poly *p, const uint8_t *msg, size_t len)
{
    uint8_t m[17] = {0};
    memcpy(m, msg, len);
    m[len] = 1;
    poly_add_mul(p->h, p->h, m, p->r);
}

void oracle_poly_update(oracle_poly *p, const uint8_t *msg, size_t len)
{
    for (; len > 16; msg += 16, len -= 16) oracle_poly_block(p, msg, 16);
    if (len > 0) oracle_poly_block(p, msg, len);
}

void oracle_poly_repeat(oracle_poly *p, const uint8_t *msg, size_t len, uint64_t times)
{
    /* One copy maps h to h a + b, with a = r^(len/16) and b the image of 0. Squaring the map
     * doubles it. */
    oracle_poly one = *p;
    uint8_t a[17] = {1}, b[17];
    memset(one.h, 0, 17);
    oracle_poly_update(&one, msg, len);
    memcpy(b, one.h, 17);
    for (size_t i = 0; i < len; i += 16) poly_mul(a, a, p->r);
    for (; times > 0; times >>= 1) {
        uint8_t t[17];
        if (times & 1) {
            poly_mul(p->h, p->h, a);
            poly_add(p->h, p->h, b);
        }
        poly_mul(t, b, a);
        poly_add(b, t, b);
        poly_mul(a, a, a);
    }
}

void oracle_poly_final(const oracle_poly *p, uint8_t tag[16])
{
    uint32_t carry = 0;
    for (int i = 0; i < 16; i++) {
        carry += (uint32_t)p->h[i] + p->s[i];
        tag[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

void oracle_poly1305(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32])
{
    oracle_poly p;
    oracle_poly_init(&p, key);
    oracle_poly_update(&p, msg, len);
    oracle_poly_final(&p, tag);
}

/* ---- AES (FIPS 197) ---------------------------------------------------------------------- */

static uint8_t xtime(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b);
}

static uint8_t byte_mul(uint8_t a, uint8_t b)
{
    uint8_t r = 0;
    for (int i = 0; i < 8; i++, a = xtime(a))
        if (b >> i & 1) r ^= a;
    return r;
}

/* SubBytes, and what MixColumns makes of it from row 0 of a column, row 0 in the low byte. */
static uint8_t sbox_table[256];
static uint32_t column_table[256];

static void tables_make(void)
{
    if (sbox_table[0] != 0) return;
    for (int x = 255; x >= 0; x--) { /* 0 last: it marks the tables as made */
        uint8_t inverse = 1;         /* x^254 */
        for (int i = 0; i < 254; i++) inverse = byte_mul(inverse, (uint8_t)x);
        uint8_t s = 0x63;
        for (int i = 0; i < 5; i++) s ^= (uint8_t)(inverse << i | inverse >> (8 - i));
        column_table[x] =
            xtime(s) | (uint32_t)s << 8 | (uint32_t)s << 16 | (uint32_t)(xtime(s) ^ s) << 24;
        sbox_table[x] = s;
    }
}

void oracle_aes_init(oracle_aes *a, const uint8_t *key, size_t key_len)
{
    const int nk = (int)key_len / 4;
    uint8_t *w = &a->key[0][0], rcon = 1;
    tables_make();
    a->rounds = nk + 6;
    memcpy(w, key, key_len);
    for (int i = nk; i < 4 * (a->rounds + 1); i++) {
        uint8_t t[4];
        memcpy(t, w + 4 * (i - 1), 4);
        if (i % nk == 0) {
            const uint8_t first = t[0];
            for (int j = 0; j < 3; j++) t[j] = sbox_table[t[j + 1]];
            t[3] = sbox_table[first];
            t[0] ^= rcon;
            rcon = xtime(rcon);
        } else if (nk > 6 && i % nk == 4)
            for (int j = 0; j < 4; j++) t[j] = sbox_table[t[j]];
        for (int j = 0; j < 4; j++) w[4 * i + j] = w[4 * (i - nk) + j] ^ t[j];
    }
}

void oracle_aes_block(const oracle_aes *a, uint8_t out[16], const uint8_t in[16])
{
    uint32_t s[4], t[4]; /* columns, row 0 in the low byte */
    for (int c = 0; c < 4; c++) s[c] = word(in + 4 * c) ^ word(a->key[0] + 4 * c);
    for (int round = 1; round < a->rounds; round++) {
        for (int c = 0; c < 4; c++) /* SubBytes, ShiftRows, MixColumns, AddRoundKey */
            t[c] = column_table[s[c] & 255] ^ rotl(column_table[s[(c + 1) % 4] >> 8 & 255], 8) ^
                   rotl(column_table[s[(c + 2) % 4] >> 16 & 255], 16) ^
                   rotl(column_table[s[(c + 3) % 4] >> 24], 24) ^ word(a->key[round] + 4 * c);
        memcpy(s, t, sizeof s);
    }
    for (int i = 0; i < 16; i++) /* column i / 4 takes its row i % 4 from as many columns on */
        out[i] = sbox_table[s[(i / 4 + i % 4) % 4] >> (8 * (i % 4)) & 255] ^ a->key[a->rounds][i];
}

void oracle_aes_ctr(const oracle_aes *a, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t iv[16], int width)
{
    uint8_t block[16], stream[16];
    memcpy(block, iv, 16);
    for (size_t at = 0; at < len; at += 16) {
        oracle_aes_block(a, stream, block);
        for (size_t i = 0; i < 16 && at + i < len; i++) out[at + i] = in[at + i] ^ stream[i];
        for (int i = 15; i >= 16 - width && ++block[i] == 0; i--) continue;
    }
}

/* ---- GHASH and GCM (SP 800-38D) ---------------------------------------------------------- */

/* In 64-bit halves, bit 0 of the standard being the top bit of hi. */
typedef struct gf {
    uint64_t hi, lo;
} gf;

static gf gf_load(const uint8_t p[16])
{
    gf v = {0, 0};
    for (int i = 0; i < 8; i++) v.hi = v.hi << 8 | p[i], v.lo = v.lo << 8 | p[8 + i];
    return v;
}

static void gf_store(uint8_t p[16], gf v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v.hi >> (56 - 8 * i)), p[8 + i] = (uint8_t)(v.lo >> (56 - 8 * i));
}

static gf gf_times_x(gf v)
{
    const uint64_t odd = 0 - (v.lo & 1);
    const gf r = {v.hi >> 1 ^ (odd & UINT64_C(0xe100000000000000)), v.lo >> 1 | v.hi << 63};
    return r;
}

void oracle_gf_mul(uint8_t out[16], const uint8_t a[16], const uint8_t b[16])
{
    gf z = {0, 0}, v = gf_load(b); /* z += v where a's bit is set, v times x */
    for (int i = 0; i < 128; i++, v = gf_times_x(v)) {
        const uint64_t take = 0 - (uint64_t)(a[i / 8] >> (7 - i % 8) & 1);
        z.hi ^= v.hi & take, z.lo ^= v.lo & take;
    }
    gf_store(out, z);
}

/* A byte, its bits from the top being 1, x, .. x^7, times v. */
static void gf_table(gf t[256], gf v)
{
    t[0].hi = t[0].lo = 0;
    for (int bit = 128; bit > 0; bit >>= 1, v = gf_times_x(v)) t[bit] = v;
    for (int bit = 2; bit < 256; bit <<= 1)
        for (int i = 1; i < bit; i++)
            t[bit + i].hi = t[bit].hi ^ t[i].hi, t[bit + i].lo = t[bit].lo ^ t[i].lo;
}

void oracle_ghash(uint8_t acc[16], const uint8_t h[16], const uint8_t *data, size_t len)
{
    if (len <= 16) {
        for (size_t i = 0; i < len; i++) acc[i] ^= data[i];
        if (len > 0) oracle_gf_mul(acc, acc, h);
        return;
    }
    gf by_h[256], by_x128[256];
    const gf x128 = {UINT64_C(0xe100000000000000), 0};
    gf_table(by_h, gf_load(h));
    gf_table(by_x128, x128);
    for (size_t at = 0; at < len; at += 16) {
        gf z = {0, 0};
        for (size_t i = 0; i < 16 && at + i < len; i++) acc[i] ^= data[at + i];
        for (int i = 15; i >= 0; i--) { /* Horner in x^8 */
            const gf over = by_x128[z.lo & 255];
            z.lo = (z.lo >> 8 | z.hi << 56) ^ over.lo ^ by_h[acc[i]].lo;
            z.hi = z.hi >> 8 ^ over.hi ^ by_h[acc[i]].hi;
        }
        gf_store(acc, z);
    }
}

void oracle_ghash_repeat(uint8_t acc[16], const uint8_t h[16], const uint8_t *data, size_t len,
                         uint64_t times)
{
    uint8_t a[16] = {0x80}, b[16] = {0}, t[16]; /* acc -> acc a + b; a starts as 1 */
    oracle_ghash(b, h, data, len);
    for (size_t i = 0; i < len; i += 16) oracle_gf_mul(a, a, h);
    for (; times > 0; times >>= 1) {
        if (times & 1) {
            oracle_gf_mul(acc, acc, a);
            for (int i = 0; i < 16; i++) acc[i] ^= b[i];
        }
        oracle_gf_mul(t, b, a);
        for (int i = 0; i < 16; i++) b[i] ^= t[i];
        oracle_gf_mul(a, a, a);
    }
}

static void big_endian64(uint8_t p[8], uint64_t x)
{
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(x >> (56 - 8 * i));
}

static void little_endian64(uint8_t p[8], uint64_t x)
{
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(x >> (8 * i));
}

void oracle_gcm_j0(uint8_t j0[16], const uint8_t h[16], const uint8_t *nonce, size_t nonce_len)
{
    memset(j0, 0, 16);
    if (nonce_len == 12) {
        memcpy(j0, nonce, 12);
        j0[15] = 1;
        return;
    }
    uint8_t lengths[16] = {0};
    big_endian64(lengths + 8, (uint64_t)nonce_len * 8);
    oracle_ghash(j0, h, nonce, nonce_len);
    oracle_ghash(j0, h, lengths, 16);
}

/* Seals if out is not NULL; else in is the ciphertext. */
static void gcm(uint8_t *out, uint8_t tag[16], const uint8_t *key, size_t key_len,
                const uint8_t *nonce, size_t nonce_len, const uint8_t *ad, size_t ad_len,
                const uint8_t *in, size_t len)
{
    const uint8_t zero[16] = {0};
    uint8_t h[16], j0[16], block[16], acc[16] = {0}, lengths[16], mask[16];
    oracle_aes a;
    oracle_aes_init(&a, key, key_len);
    oracle_aes_block(&a, h, zero);
    oracle_gcm_j0(j0, h, nonce, nonce_len);
    memcpy(block, j0, 16);
    for (int i = 15; i >= 12 && ++block[i] == 0; i--) continue;
    if (out != NULL) oracle_aes_ctr(&a, out, in, len, block, 4);
    oracle_ghash(acc, h, ad, ad_len);
    oracle_ghash(acc, h, out != NULL ? out : in, len);
    big_endian64(lengths, (uint64_t)ad_len * 8);
    big_endian64(lengths + 8, (uint64_t)len * 8);
    oracle_ghash(acc, h, lengths, 16);
    oracle_aes_block(&a, mask, j0);
    for (int i = 0; i < 16; i++) tag[i] = acc[i] ^ mask[i];
}

static void poly_padded(oracle_poly *p, const uint8_t *data, size_t len)
{
    uint8_t last[16] = {0};
    for (; len >= 16; data += 16, len -= 16) oracle_poly_block(p, data, 16);
    if (len == 0) return;
    memcpy(last, data, len);
    oracle_poly_block(p, last, 16);
}

static void chapoly(uint8_t *out, uint8_t tag[16], const uint8_t *key, const uint8_t *nonce,
                    size_t nonce_len, const uint8_t *ad, size_t ad_len, const uint8_t *in,
                    size_t len)
{
    const uint8_t zero[32] = {0};
    uint8_t sub_key[32], sub_nonce[12] = {0}, one_time[32], lengths[16];
    oracle_poly p;
    if (nonce_len == 24) {
        oracle_hchacha20(sub_key, key, nonce);
        memcpy(sub_nonce + 4, nonce + 16, 8);
    } else {
        memcpy(sub_key, key, 32);
        memcpy(sub_nonce, nonce, 12);
    }
    oracle_chacha20(one_time, zero, 32, sub_key, sub_nonce, 0);
    if (out != NULL) oracle_chacha20(out, in, len, sub_key, sub_nonce, 1);
    oracle_poly_init(&p, one_time);
    poly_padded(&p, ad, ad_len);
    poly_padded(&p, out != NULL ? out : in, len);
    little_endian64(lengths, ad_len);
    little_endian64(lengths + 8, len);
    oracle_poly_block(&p, lengths, 16);
    oracle_poly_final(&p, tag);
}

void oracle_seal(int is_gcm, uint8_t *out, uint8_t tag[16], const uint8_t *key, size_t key_len,
                 const uint8_t *nonce, size_t nonce_len, const uint8_t *ad, size_t ad_len,
                 const uint8_t *in, size_t len)
{
    static uint8_t nothing;
    if (out == NULL) out = &nothing; /* len is 0 */
    if (is_gcm)
        gcm(out, tag, key, key_len, nonce, nonce_len, ad, ad_len, in, len);
    else
        chapoly(out, tag, key, nonce, nonce_len, ad, ad_len, in, len);
}

void oracle_tag(int is_gcm, uint8_t tag[16], const uint8_t *key, size_t key_len,
                const uint8_t *nonce, size_t nonce_len, const uint8_t *ad, size_t ad_len,
                const uint8_t *ciphertext, size_t len)
{
    if (is_gcm)
        gcm(NULL, tag, key, key_len, nonce, nonce_len, ad, ad_len, ciphertext, len);
    else
        chapoly(NULL, tag, key, nonce, nonce_len, ad, ad_len, ciphertext, len);
}

/* ---- SHA-256 (FIPS 180-4), for vectors that give a digest -------------------------------- */

static uint32_t rotr(uint32_t x, int n)
{
    return (x >> n) | (x << (32 - n));
}

/* The first 32 bits of the fractional part of the root (2nd, 3rd) of a prime, by bisection on
 * integers. */
static uint32_t root_fraction(uint32_t prime, int degree)
{
    /* largest x with x^degree <= prime 2^(32 degree); x = root 2^32 < 2^37 */
    uint64_t x = 0;
    for (int bit = 36; bit >= 0; bit--) {
        const uint64_t y = x | UINT64_C(1) << bit;
        uint32_t n[6] = {(uint32_t)y, (uint32_t)(y >> 32), 0, 0, 0, 0}; /* y^degree, base 2^32 */
        for (int d = 1; d < degree; d++) {
            uint32_t m[6] = {0};
            const uint32_t f[2] = {(uint32_t)y, (uint32_t)(y >> 32)};
            for (int i = 0; i < 2; i++) {
                uint64_t carry = 0;
                for (int j = 0; i + j < 6; j++) {
                    carry += (uint64_t)f[i] * n[j] + m[i + j];
                    m[i + j] = (uint32_t)carry;
                    carry >>= 32;
                }
            }
            memcpy(n, m, sizeof n);
        }
        int larger = 0;
        for (int i = degree + 1; i < 6; i++) larger |= n[i] != 0;
        if (!larger && n[degree] < prime) x = y;
    }
    return (uint32_t)x;
}

void oracle_sha256(uint8_t out[32], const uint8_t *data, size_t len)
{
    static uint32_t k[64], start[8];
    if (k[0] == 0) {
        int n = 0;
        for (uint32_t p = 2; n < 64; p++) {
            int prime = 1;
            for (uint32_t d = 2; d * d <= p; d++) prime &= p % d != 0;
            if (!prime) continue;
            if (n < 8) start[n] = root_fraction(p, 2);
            k[n++] = root_fraction(p, 3);
        }
    }
    uint32_t h[8];
    memcpy(h, start, sizeof h);
    const size_t blocks = (len + 9 + 63) / 64;
    for (size_t b = 0; b < blocks; b++) {
        uint32_t w[64], s[8];
        for (size_t i = 0; i < 64; i++) {
            const size_t at = 64 * b + i;
            uint32_t byte = at < len ? data[at] : at == len ? 0x80 : 0;
            if (at >= 64 * blocks - 8)
                byte = (uint8_t)((uint64_t)len * 8 >> (8 * (64 * blocks - 1 - at)));
            w[i / 4] = (i % 4 ? w[i / 4] << 8 : 0) | byte;
        }
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
                   w[i - 7] + (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
        memcpy(s, h, sizeof s);
        for (int i = 0; i < 64; i++) {
            const uint32_t t1 = s[7] + (rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25)) +
                                ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
            const uint32_t t2 = (rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22)) +
                                ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof s[0]);
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++) h[i] += s[i];
    }
    for (int i = 0; i < 32; i++) out[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}
