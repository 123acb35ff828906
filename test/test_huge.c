/* SPDX-License-Identifier: Apache-2.0
 *
 * Do lengths around 2^28, 2^29 and 2^32 bytes, where bit and byte counts leave 32 bits, give the
 * right tags? A mebibyte of memory is mapped over and over. The right answer comes from the oracle
 * in logarithmic time: hashing a repeated piece is an affine map, raised to a power.
 */
#include "harness.h"
#include "oracle.h"

#define PERIOD ((size_t)1 << 20)

static uint8_t raw[32], nonce[12];

static const uint64_t small = UINT64_C(1) << 28, middle = (UINT64_C(1) << 29) + 17,
                      large = (UINT64_C(1) << 32) + 17;

typedef struct hash {
    int gcm;
    uint8_t h[16], acc[16], mask[16];
    oracle_poly poly;
} hash;

static void hash_start(hash *t, int gcm)
{
    const uint8_t zero[32] = {0};
    uint8_t one_time[32], j0[16];
    memset(t, 0, sizeof *t);
    t->gcm = gcm;
    if (gcm) {
        oracle_aes a;
        oracle_aes_init(&a, raw, 16);
        oracle_aes_block(&a, t->h, zero);
        memcpy(j0, nonce, 12);
        memcpy(j0 + 12, "\0\0\0\1", 4);
        oracle_aes_block(&a, t->mask, j0);
    } else {
        oracle_chacha20(one_time, zero, 32, raw, nonce, 0);
        oracle_poly_init(&t->poly, one_time);
    }
}

/* len bytes of the repeated memory, padded. */
static void hash_repeated(hash *t, const uint8_t *once, uint64_t len)
{
    const uint64_t times = len / PERIOD;
    const size_t rest = (size_t)(len % PERIOD);
    uint8_t last[16] = {0};
    memcpy(last, once + rest / 16 * 16, rest % 16);
    if (t->gcm) {
        oracle_ghash_repeat(t->acc, t->h, once, PERIOD, times);
        oracle_ghash(t->acc, t->h, once, rest);
    } else {
        oracle_poly_repeat(&t->poly, once, PERIOD, times);
        oracle_poly_update(&t->poly, once, rest / 16 * 16);
        if (rest % 16) oracle_poly_block(&t->poly, last, 16);
    }
}

static void hash_finish(hash *t, uint64_t ad_len, uint64_t len, uint8_t tag[16])
{
    uint8_t lengths[16];
    if (t->gcm) {
        plait_store64_be(lengths, ad_len * 8), plait_store64_be(lengths + 8, len * 8);
        oracle_ghash(t->acc, t->h, lengths, 16);
        for (int i = 0; i < 16; i++) tag[i] = t->acc[i] ^ t->mask[i];
    } else {
        plait_store64_le(lengths, ad_len), plait_store64_le(lengths + 8, len);
        oracle_poly_block(&t->poly, lengths, 16);
        oracle_poly_final(&t->poly, tag);
    }
}

static uint64_t lengths_of(int i)
{
    static const uint64_t list[] = {
        UINT64_C(1) << 28,       (UINT64_C(1) << 28) - 1,  UINT64_C(1) << 29,
        (UINT64_C(1) << 29) - 1, (UINT64_C(1) << 29) + 17, UINT64_C(1) << 31,
        (UINT64_C(1) << 32) - 1, UINT64_C(1) << 32,        (UINT64_C(1) << 32) + 17};
    return i < (int)COUNT(list) ? list[i] : 0;
}

static void one(const char *name, plait_alg alg, uint64_t most)
{
    const int gcm = alg_is_gcm(alg);
    plait_key k;
    uint8_t *once, *once_out, right[16], tag[16];

    const size_t times = (size_t)((most + 16 + PERIOD) / PERIOD);
    test_case("%s: %s, up to 2^%s", name, alg_name(alg),
              most > UINT32_MAX ? "32 + 17"
              : most > 1 << 28  ? "29 + 17"
                                : "28");
    uint8_t *in = repeated_new(PERIOD, times, &once), *out = NULL;
    if (in != NULL) out = repeated_new(PERIOD, times, &once_out);
    if (out == NULL) {
        if (in != NULL) repeated_free(in, PERIOD, times, once);
        test_skip("no address space");
        return;
    }
    random_bytes(once, PERIOD);
    CHECK_OK(plait_key_init_with(&k, alg, raw, alg_key_len(alg), name));
    uint64_t len;
    for (int i = 0; (len = lengths_of(i)) != 0; i++) {
        hash t;
        if (len > most) continue;
        if (test_level < 2 && most <= middle && len != most && len != small) continue;
        if (gcm && (test_level == 2 || len == most)) {
            /* a nonce of that length: J0 counts its bits too */
            uint8_t j0[16] = {0}, lengths[16] = {0};
            hash n, t;
            AT("2^20 * %zu + %zu bytes of nonce", (size_t)(len / PERIOD), (size_t)(len % PERIOD));
            hash_start(&n, gcm);
            hash_repeated(&n, once, len);
            plait_store64_be(lengths + 8, len * 8);
            memcpy(j0, n.acc, 16);
            oracle_ghash(j0, n.h, lengths, 16);
            hash_start(&t, gcm);
            oracle_aes a;
            oracle_aes_init(&a, raw, 16);
            oracle_aes_block(&a, t.mask, j0);
            hash_finish(&t, 0, 0, right);
            CHECK_OK(plait_seal(&k, NULL, tag, in, (size_t)len, NULL, 0, NULL, 0));
            CHECK_MEM(tag, right, 16);
        }
        AT("2^20 * %zu + %zu bytes of AD", (size_t)(len / PERIOD), (size_t)(len % PERIOD));
        hash_start(&t, gcm);
        hash_repeated(&t, once, len);
        hash_finish(&t, len, 0, right);
        CHECK_OK(plait_seal(&k, NULL, tag, nonce, 12, in, (size_t)len, NULL, 0));
        CHECK_MEM(tag, right, 16);

        /* The ciphertext is the repeated memory: only opening knows it beforehand. */
        if (test_level < 2 && len != most && len != (UINT64_C(1) << 29)) continue;
        AT("2^20 * %zu + %zu bytes of text", (size_t)(len / PERIOD), (size_t)(len % PERIOD));
        hash_start(&t, gcm);
        hash_repeated(&t, once, len);
        hash_finish(&t, 0, len, right);
        CHECK_OK(plait_open(&k, out, nonce, 12, NULL, 0, in, (size_t)len, right));
        /* the end of the plaintext, decrypted at its place; it has not been overwritten */
        uint8_t want[256];
        const size_t at = (size_t)(len - 1) / 64 * 64 - 64, tail = (size_t)len - at;
        if (gcm) {
            oracle_aes a;
            uint8_t block[16];
            oracle_aes_init(&a, raw, 16);
            memcpy(block, nonce, 12);
            plait_store32_be(block + 12, 2 + (uint32_t)(at / 16));
            oracle_aes_ctr(&a, want, in + at, tail, block, 4);
        } else
            oracle_chacha20(want, in + at, tail, raw, nonce, 1 + (uint32_t)(at / 64));
        CHECK_MEM(out + at, want, tail);

        /* as a stream, in two unequal pieces, AD and text */
        plait_stream s;
        const size_t cut = (size_t)(len / 3);
        hash_start(&t, gcm);
        hash_repeated(&t, once, 5);
        hash_repeated(&t, once, len);
        hash_finish(&t, 5, len, right);
        CHECK_OK(plait_stream_init(&s, &k, nonce, 12));
        CHECK_OK(plait_stream_ad(&s, &k, in, 5));
        CHECK_OK(plait_stream_open_unverified(&s, &k, out, in, cut));
        CHECK_OK(plait_stream_open_unverified(&s, &k, out + cut, in + cut, (size_t)len - cut));
        CHECK_OK(plait_stream_open_final(&s, &k, right));
        CHECK_MEM(out + at, want, tail);
    }
    repeated_free(in, PERIOD, times, once);
    repeated_free(out, PERIOD, times, once_out);
}

int main(void)
{
    static const plait_alg algs[] = {PLAIT_AES_128_GCM, PLAIT_CHACHA20_POLY1305};
    test_start("huge: are lengths right where counts leave 32 bits?");
    random_bytes(raw, sizeof raw);
    random_bytes(nonce, sizeof nonce);
    for (size_t a = 0; a < COUNT(algs); a++) {
        kernel_choice *choices;
        const int level = test_level;
        if (level == 2) test_level = 0; /* each part once: pairs share their counting */
        const size_t count = kernel_choices(alg_is_gcm(algs[a]), &choices);
        test_level = level;
        plait_key usual;
        plait_key_init(&usual, algs[a], raw, alg_key_len(algs[a]));
        for (size_t c = 0; c < count; c++) {
            const int preferred = strcmp(plait_key_kernel(&usual), choices[c].name) == 0;
            const int ref = strcmp(choices[c].name, "aes_ref+ghash_ref") == 0 ||
                            strcmp(choices[c].name, "chacha20_ref+poly1305_ref") == 0;
            if (SIZE_MAX == UINT32_MAX || test_emulated()) { /* two regions have to fit */
                if (preferred) one(choices[c].name, algs[a], test_emulated() ? small : middle);
            } else if (test_level == 2) /* the portable parts take minutes for each */
                one(choices[c].name, algs[a],
                    strstr(choices[c].name, "_ref") == NULL || ref ? large : middle);
            else if (preferred)
                one(choices[c].name, algs[a], test_level > 0 ? large : middle);
            else if (ref && test_level > 0 && !test_sanitized())
                one(choices[c].name, algs[a], small);
            else if (strchr(choices[c].name, '+') == NULL &&
                     test_level > 0) /* pairs share their counting */
                one(choices[c].name, algs[a], middle);
        }
        free(choices);
    }
    return test_finish();
}
