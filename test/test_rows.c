/* SPDX-License-Identifier: Apache-2.0
 *
 * Does every kernel give the right bytes at every length? Each row through the API by its name, and
 * through its descriptor for what the API can not reach, compared with the oracle; each AEAD key
 * with every usable fused kernel and every pair of parts.
 */
#include "aead.h"
#include "harness.h"
#include "oracle.h"

#define ALL_LENGTHS 1100
#define LARGEST     (65537 + 64)

static uint8_t text[LARGEST], out[LARGEST + 32], want[LARGEST];
static uint8_t key[32], nonce[16];

/* Every length up to 1100, then the edges: a list that ends with SIZE_MAX. */
static size_t length_number(size_t i)
{
    if (i <= ALL_LENGTHS) return i;
    i -= ALL_LENGTHS + 1;
    const size_t edges =
        test_level == 0 ? edge_size_count - 3 : edge_size_count; /* 65535.. take long */
    return i < edges ? edge_sizes[i] : SIZE_MAX;
}

static int nothing_beside(const uint8_t *p, size_t len)
{
    return all_bytes(p - 16, 16, 0xa5) && all_bytes(p + len, 16, 0xa5);
}

/* ---- ChaCha20 -------------------------------------------------------------------------------- */

static void chacha20(size_t row)
{
    const char *name = plait_rows[row]->name;
    uint8_t *p = out + 16;

    if (!test_kernel_case(row, "all lengths, out of place and in place")) return;
    oracle_chacha20(want, text, LARGEST, key, nonce, 7);
    for (size_t i = 0, len; (len = length_number(i)) != SIZE_MAX && !test_failed(); i++) {
        AT("length %zu", len);
        memset(out, 0xa5, len + 32);
        CHECK_OK(plait_chacha20_xor_with(name, p, text, len, key, nonce, 7));
        CHECK_MEM(p, want, len);
        CHECK(nothing_beside(p, len));
        memcpy(p, text, len);
        CHECK_OK(plait_chacha20_xor_with(name, p, p, len, key, nonce, 7));
        CHECK_MEM(p, want, len);
        CHECK(nothing_beside(p, len));
    }

    /* The counter is a 32-bit word: whole groups around its half, and up to its end, where the last
     * block is used and none after it. */
    test_kernel_case(row, "counters up to the last block");
    static const uint32_t counters[] = {0, 1, 0x7fffffff, 0x7ffffff0, 0x80000000, 0xffff, 0xffffff};
    for (size_t i = 0; i < COUNT(counters); i++) {
        oracle_chacha20(want, text, 2500, key, nonce, counters[i]);
        AT("counter %zu", counters[i]);
        CHECK_OK(plait_chacha20_xor_with(name, p, text, 2500, key, nonce, counters[i]));
        CHECK_MEM(p, want, 2500);
    }
    for (uint32_t before = 0; before < 70; before++) {
        const uint32_t counter = 0xffffffff - before;
        const size_t room = 64 * ((size_t)before + 1);
        oracle_chacha20(want, text, room, key, nonce, counter);
        for (size_t less = 0; less < 3; less++) {
            AT("counter ffffffff - %zu, length %zu", before, room - 31 * less);
            memset(out, 0xa5, room + 32);
            CHECK_OK(plait_chacha20_xor_with(name, p, text, room - 31 * less, key, nonce, counter));
            CHECK_MEM(p, want, room - 31 * less);
            CHECK(nothing_beside(p, room - 31 * less));
        }
        memset(out, 0xa5, room + 32);
        CHECK_INT(plait_chacha20_xor_with(name, p, text, room + 1, key, nonce, counter),
                  PLAIT_ERR_LENGTH);
        CHECK(all_bytes(out, room + 32, 0xa5));
    }
}

/* ---- Poly1305 -------------------------------------------------------------------------------- */

/* The numbers that the final reduction has to get right can not be reached on purpose through
 * messages: so set h. */
static void poly1305_final(size_t row)
{
    const plait_poly1305_fns *fn = &plait_rows[row]->fn.poly1305;
    if (!test_kernel_case(row, "the final reduction around p and its multiples")) return;
    for (int multiple = 0; multiple <= 2; multiple++) /* h < 2^131 is all that the state promises */
        for (int d = -70; d <= 70; d++)
            for (int s_kind = 0; s_kind < 3; s_kind++) {
                /* h = multiple * p + d as three words; p = 2^130 - 5 */
                const int64_t low = (int64_t)d - 5 * multiple;
                plait_poly1305_acc acc;
                oracle_poly o;
                uint8_t tag[16], right[16];
                if (multiple == 0 && d < 0) continue;
                if (multiple == 2 && d >= 10) continue; /* 2p + 10 = 2^131 */
                acc.h[0] = (uint64_t)low;
                acc.h[1] = low < 0 ? UINT64_MAX : 0;
                acc.h[2] = (low < 0 ? UINT64_MAX : 0) + 4 * (uint64_t)multiple;
                acc.r[0] = 1, acc.r[1] = 0; /* final with no message does not multiply */
                acc.s[0] = s_kind == 0   ? 0
                           : s_kind == 1 ? UINT64_MAX
                                         : UINT64_C(0x0123456789abcdef);
                acc.s[1] = s_kind == 0   ? 0
                           : s_kind == 1 ? UINT64_MAX
                                         : UINT64_C(0xfedcba9876543210);
                memset(&o, 0, sizeof o);
                /* h mod p is d, or d + p */
                const int64_t residue = d;
                if (residue >= 0) {
                    for (int i = 0; i < 8; i++) o.h[i] = (uint8_t)(residue >> (8 * i));
                } else {
                    memset(o.h, 0xff, 16);
                    o.h[16] = 3;
                    o.h[0] = (uint8_t)(0xfb + residue);
                    if (0xfb + residue < 0) o.h[1]--;
                }
                for (int i = 0; i < 8; i++) {
                    o.s[i] = (uint8_t)(acc.s[0] >> (8 * i));
                    o.s[8 + i] = (uint8_t)(acc.s[1] >> (8 * i));
                }
                oracle_poly_final(&o, right);
                AT("%zu p + %zd, s kind %zu", (size_t)multiple, (size_t)d, (size_t)s_kind);
                fn->final(&acc, tag, NULL, 0);
                CHECK_MEM(tag, right, 16);
            }
}

/* a, little-endian of 17 bytes, plus b (17 bytes), or minus it */
static void add17(uint8_t a[17], const uint8_t b[17], int sign)
{
    int carry = 0;
    for (int i = 0; i < 17; i++) {
        carry += a[i] + sign * b[i];
        a[i] = (uint8_t)carry;
        carry >>= 8; /* arithmetic: -1 for a borrow */
    }
}

/* Where `mac` keeps h to itself, messages bring it there: with r = 1 it is the sum of the blocks,
 * each with its 2^128, and the last two of them make the sum what is wanted. */
static void poly1305_sums(size_t row)
{
    const char *name = plait_rows[row]->name;
    static const uint8_t p[17] = {0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3};
    static const uint8_t top[17] = {[16] = 1};
    if (!test_kernel_case(row, "messages whose sum is near a multiple of p")) return;
    for (size_t blocks = 3; blocks <= 140 && !test_failed(); blocks += blocks < 70 ? 1 : 23)
        /* p + d before the last reduction, if it was not done earlier */
        for (int d = -6; d <= 12; d++) {
            uint8_t msg[16 * 140], k[32] = {1}, sum[17] = {0}, want_h[17] = {0}, tag[16], right[16];
            memset(k + 16, d & 1 ? 0xff : 0, 16);
            memset(msg, d & 2 ? 0xff : 0x40, sizeof msg);
            for (size_t b = 0; b + 2 < blocks; b++) {
                memcpy(want_h, msg + 16 * b, 16), want_h[16] = 1;
                add17(sum, want_h, 1);
                uint8_t copy[17];
                memcpy(copy, sum, 17);
                add17(copy, p, -1);
                if (copy[16] < 0x80) memcpy(sum, copy, 17); /* sum mod p, or less than p above it */
            }
            /* the rest: p + d - sum - 2 * 2^128 as two blocks, adding p until it is not negative */
            memset(want_h, 0, 17);
            memcpy(want_h, p, 17);
            const uint8_t by[17] = {(uint8_t)(d < 0 ? -d : d)};
            add17(want_h, by, d < 0 ? -1 : 1);
            add17(want_h, sum, -1);
            add17(want_h, top, -1), add17(want_h, top, -1);
            while (want_h[16] >= 0x80) add17(want_h, p, 1);
            while (want_h[16] > 1 && want_h[16] < 0x80) add17(want_h, p, -1);
            if (want_h[16] >= 0x80) continue; /* between 2^129 and p: two blocks do not reach it */
            uint8_t *last = msg + 16 * (blocks - 2);
            uint8_t half[17] = {0};
            /* 2^128 - 1 in the first, the rest in the second */
            memset(half, 0xff, want_h[16] ? 16 : 0);
            memcpy(last, half, 16);
            add17(want_h, half, -1);
            if (want_h[16] != 0) continue;
            memcpy(last + 16, want_h, 16);
            oracle_poly1305(right, msg, 16 * blocks, k);
            AT("%zu blocks, p + %zd", blocks, (size_t)d);
            CHECK_OK(plait_poly1305_with(name, tag, msg, 16 * blocks, k));
            CHECK_MEM(tag, right, 16);
            if (d >= 0 && (d & 1) == 0) { /* the sum is what was meant: h mod p is d */
                const uint8_t small[16] = {(uint8_t)d};
                CHECK_MEM(tag, small, 16);
            }
            plait_poly1305_state state;
            CHECK_OK(plait_poly1305_init_with(name, &state, k));
            CHECK_OK(plait_poly1305_update_with(name, &state, msg, 16 * (blocks / 2)));
            CHECK_OK(plait_poly1305_update_with(name, &state, msg + 16 * (blocks / 2),
                                                16 * (blocks - blocks / 2)));
            CHECK_OK(plait_poly1305_final_with(name, &state, tag));
            CHECK_MEM(tag, right, 16);
        }
}

static void poly1305(size_t row)
{
    const char *name = plait_rows[row]->name;
    const plait_poly1305_fns *fn = &plait_rows[row]->fn.poly1305;
    static uint8_t ones[LARGEST];
    uint8_t ones_key[32], random_key[32], tag[16 + 16], right[16];

    if (!test_kernel_case(row, "all lengths, random and all ones")) return;
    memset(ones, 0xff, sizeof ones);
    memset(ones_key, 0xff, sizeof ones_key);
    random_bytes(random_key, sizeof random_key);
    for (int kind = 0; kind < 4; kind++) {
        const uint8_t *k = kind & 1 ? ones_key : random_key, *msg = kind & 2 ? ones : text;
        oracle_poly o, o_now;
        oracle_poly_init(&o, k);
        size_t at = 0;
        for (size_t i = 0, len; (len = length_number(i)) != SIZE_MAX && !test_failed(); i++) {
            for (; at + 16 <= len; at += 16) oracle_poly_block(&o, msg + at, 16);
            o_now = o;
            if (at < len) oracle_poly_block(&o_now, msg + at, len - at);
            oracle_poly_final(&o_now, right);
            AT("kind %zu, length %zu", (size_t)kind, len);
            memset(tag, 0xa5, sizeof tag);
            CHECK_OK(plait_poly1305_with(name, tag, msg, len, k));
            CHECK_MEM(tag, right, 16);
            CHECK(all_bytes(tag + 16, 16, 0xa5));
            /* the same through blocks and final, with the state in its common form in between */
            plait_poly1305_state s;
            CHECK_OK(plait_poly1305_init_with(name, &s, k));
            CHECK_OK(plait_poly1305_update_with(name, &s, msg, len));
            CHECK_OK(plait_poly1305_final_with(name, &s, tag));
            CHECK_MEM(tag, right, 16);
            CHECK(all_bytes(&s, sizeof s, 0));
        }
    }

    /* Between calls h < 2^131, not h < p: start from the largest. */
    test_kernel_case(row, "blocks from the largest h");
    for (size_t blocks = 0; blocks <= 80; blocks++)
        for (int kind = 0; kind < 3; kind++) {
            plait_poly1305_acc acc;
            oracle_poly o;
            oracle_poly_init(&o, ones_key);
            acc.h[0] = acc.h[1] = UINT64_MAX;
            acc.h[2] = 7;
            /* 2^131 - 1 = 2 p + 9 */
            o.h[0] = 9;
            if (kind == 1) acc.h[0] = acc.h[1] = 0, acc.h[2] = 4, o.h[0] = 5; /* 2^130 */
            if (kind == 2)
                acc.h[0] = UINT64_MAX - 5, acc.h[2] = 3, memset(o.h, 0xff, 16), o.h[0] = 0xfa,
                o.h[16] = 3;
            acc.r[0] = UINT64_C(0x0ffffffc0fffffff);
            acc.r[1] = UINT64_C(0x0ffffffc0ffffffc);
            acc.s[0] = acc.s[1] = UINT64_MAX;
            AT("%zu blocks, kind %zu", blocks, (size_t)kind);
            fn->blocks(&acc, ones, 16 * blocks);
            CHECK(acc.h[2] < 8);
            oracle_poly_update(&o, ones, 16 * blocks);
            oracle_poly_block(&o, text, 15);
            oracle_poly_final(&o, right);
            fn->final(&acc, tag, text, 15);
            CHECK_MEM(tag, right, 16);
        }

    /* Scalar and vector paths hand the state to each other. */
    test_kernel_case(row, "pieces small and large in turn");
    static const size_t pieces[] = {15,   257, 16,  512, 1,  64, 1024, 31,   48,
                                    2000, 7,   128, 768, 17, 16, 16,   4096, 1};
    for (size_t first = 0; first < COUNT(pieces); first++) {
        plait_poly1305_state s;
        size_t at = 0;
        CHECK_OK(plait_poly1305_init_with(name, &s, random_key));
        for (size_t i = 0; i < COUNT(pieces); i++) {
            const size_t n = pieces[(first + i) % COUNT(pieces)];
            plait_poly1305_state copy;
            CHECK_OK(plait_poly1305_update_with(name, &s, text + at, n));
            at += n;
            memcpy(&copy, &s, sizeof s);
            CHECK_OK(plait_poly1305_final_with(name, &copy, tag));
            oracle_poly1305(right, text, at, random_key);
            AT("first piece %zu, after %zu bytes", first, at);
            CHECK_MEM(tag, right, 16);
        }
    }
}

/* ---- AES-CTR --------------------------------------------------------------------------------- */

static void aes(size_t row)
{
    const char *name = plait_rows[row]->name;
    uint8_t *p = out + 16;

    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
        char what[64];
        oracle_aes o;
        snprintf(what, sizeof what, "all lengths, AES-%zu", 8 * key_len);
        if (!test_kernel_case(row, what)) return;
        oracle_aes_init(&o, key, key_len);
        oracle_aes_ctr(&o, want, text, LARGEST, nonce, 16);
        for (size_t i = 0, len; (len = length_number(i)) != SIZE_MAX && !test_failed(); i++) {
            AT("length %zu", len);
            memset(out, 0xa5, len + 32);
            CHECK_OK(plait_aes_ctr_xor_with(name, p, text, len, key, key_len, nonce));
            CHECK_MEM(p, want, len);
            CHECK(nothing_beside(p, len));
            memcpy(p, text, len);
            CHECK_OK(plait_aes_ctr_xor_with(name, p, p, len, key, key_len, nonce));
            CHECK_MEM(p, want, len);
            CHECK(nothing_beside(p, len));
        }
    }

    /* Both counters, wrapping at each place of a group of blocks, carrying through all bytes: plain
     * CTR by the API, the 32-bit counter of GCM by the descriptor. */
    test_kernel_case(row, "128-bit and 32-bit counters that wrap");
    oracle_aes o;
    uint8_t area[PLAIT_AES_AREA + 1], iv[16];
    const plait_aes_fns *fn = &plait_rows[row]->fn.aes;
    oracle_aes_init(&o, key, 16);
    fn->init(area + 1, key, 16);
    for (uint32_t before = 0; before < 100; before++)
        for (int ones = 0; ones <= 12; ones += 4) {
            const size_t len = 16 * (size_t)before + 40;
            memset(iv, 0, sizeof iv);
            memset(iv + 12 - ones, 0xff, (size_t)ones);
            plait_store32_be(iv + 12, 0xffffffff - before);
            AT("%zu blocks before the wrap, %zu bytes of ones above", before, (size_t)ones);
            oracle_aes_ctr(&o, want, text, len, iv, 16);
            memset(out, 0xa5, len + 32);
            CHECK_OK(plait_aes_ctr_xor_with(name, p, text, len, key, 16, iv));
            CHECK_MEM(p, want, len);
            CHECK(nothing_beside(p, len));
            oracle_aes_ctr(&o, want, text, len, iv, 4);
            memset(out, 0xa5, len + 32);
            fn->ctr32(area + 1, p, text, len, iv);
            CHECK_MEM(p, want, len);
            CHECK(nothing_beside(p, len));
        }
}

/* Long runs from each counter of a group on: kernels that keep what counters have in common meet
 * the places where it changes at each offset. ctr32 is that of a row for AES, or of one for
 * AES-GCM. */
static void long_runs(const plait_kernel *row)
{
    enum { LONG = 12400, STARTS = 32 };
    const int whole = strcmp(row->family, "aes_gcm") == 0;
    uint8_t area[PLAIT_GCM_AREA], iv[16], *p = out + 16;
    test_case("%s: long runs from each counter of a group on", row->name);
    for (size_t key_len = 16; key_len <= 32; key_len += 16) {
        oracle_aes o;
        oracle_aes_init(&o, key, key_len);
        memset(iv, 0x5a, 12);
        memset(iv + 12, 0, 4);
        oracle_aes_ctr(&o, want, text, LONG + 16 * STARTS, iv, 4);
        (whole ? row->fn.aes_gcm.init : row->fn.aes.init)(area, key, key_len);
        for (size_t first = 0; first < STARTS; first++)
            for (size_t less = 0; less < 3; less++) {
                const size_t len = LONG - 177 * less;
                plait_store32_be(iv + 12, (uint32_t)first);
                AT("key of %zu, first counter %zu, length %zu", key_len, first, len);
                memset(out, 0xa5, len + 32);
                (whole ? row->fn.aes_gcm.ctr32 : row->fn.aes.ctr32)(area, p, text + 16 * first, len,
                                                                    iv);
                CHECK_MEM(p, want + 16 * first, len);
                CHECK(nothing_beside(p, len));
                if (!whole) continue;
                uint8_t acc[16] = {0};
                memset(out, 0xa5, len + 32);
                row->fn.aes_gcm.text_seal(area, acc, iv, p, text + 16 * first, len);
                CHECK_MEM(p, want + 16 * first, len);
                row->fn.aes_gcm.text_open(area, acc, iv, p, p, len);
                CHECK_MEM(p, text + 16 * first, len);
                CHECK(nothing_beside(p, len));
            }
    }
}

/* ---- GHASH ----------------------------------------------------------------------------------- */

static void ghash(size_t row)
{
    const char *name = plait_rows[row]->name;
    const plait_ghash_fns *fn = &plait_rows[row]->fn.ghash;
    uint8_t h[16], acc[16 + 16], right[16];

    if (!test_kernel_case(row, "all numbers of blocks")) return;
    random_bytes(h, 16);
    for (size_t blocks = 0; blocks <= (test_level == 0 ? 300 : 1100) && !test_failed(); blocks++) {
        memset(acc, 0xa5, sizeof acc);
        memcpy(acc, nonce, 16);
        memcpy(right, nonce, 16);
        oracle_ghash(right, h, text, 16 * blocks);
        AT("%zu blocks", blocks);
        CHECK_OK(plait_ghash_with(name, acc, h, text, blocks));
        CHECK_MEM(acc, right, 16);
        CHECK(all_bytes(acc + 16, 16, 0xa5));
    }

    /* init is told how much will come at most, and may leave out what that can not use. */
    test_kernel_case(row, "partial blocks, and just enough prepared for them");
    uint8_t area[PLAIT_GHASH_AREA + 3];
    for (size_t len = 0; len <= 1100 && !test_failed(); len++) {
        memcpy(right, nonce, 16);
        oracle_ghash(right, h, text, len);
        for (int kind = 0; kind < 3; kind++) {
            if (kind == 2 && len % 16 != 0) continue;
            memset(area, 0xee, sizeof area);
            AT("length %zu, kind %zu", len, (size_t)kind);
            fn->init(area + 3, h, kind == 0 ? len : kind == 1 ? SIZE_MAX : len + 16);
            memcpy(acc, nonce, 16);
            fn->update(area + 3, acc, text, len);
            CHECK_MEM(acc, right, 16);
        }
    }

    test_kernel_case(row, "extreme values of H and data");
    static const uint8_t extremes[][16] = {{0},
                                           {0x80},
                                           {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                                           {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
                                           {0xe1},
                                           {0, 0, 0, 0, 0, 0, 0, 1},
                                           {0, 0, 0, 0, 0, 0, 0, 0, 0x80},
                                           {0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
    for (size_t i = 0; i < COUNT(extremes); i++)
        for (size_t j = 0; j < COUNT(extremes); j++) {
            uint8_t data[16 * 64];
            for (size_t b = 0; b < 64; b++)
                memcpy(data + 16 * b, extremes[(j + b % 3 * (b & 1)) % COUNT(extremes)], 16);
            for (size_t blocks = 1; blocks <= 64; blocks += blocks < 20 ? 1 : 11) {
                memcpy(acc, extremes[(i + j) % COUNT(extremes)], 16);
                memcpy(right, acc, 16);
                oracle_ghash(right, extremes[i], data, 16 * blocks);
                AT("H %zu, data %zu, %zu blocks", i, j, blocks);
                CHECK_OK(plait_ghash_with(name, acc, extremes[i], data, blocks));
                CHECK_MEM(acc, right, 16);
            }
        }
}

/* ---- AES-GCM kernels by their descriptors ---------------------------------------------------- */

/* What streams use: text from any counter block on, GHASH and CTR alone. */
static void aes_gcm(const plait_kernel *row)
{
    const plait_aes_gcm_fns *fn = &row->fn.aes_gcm;
    uint8_t area[PLAIT_GCM_AREA + 5], h[16], acc[16], right[16], block[16], zero[16] = {0},
                                                                            *p = out + 16;

    test_case("%s: text, hash and ctr32 from any counter block on", row->name);
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
        oracle_aes o;
        oracle_aes_init(&o, key, key_len);
        oracle_aes_block(&o, h, zero);
        memset(area, 0xee, sizeof area);
        fn->init(area + 5, key, key_len);
        for (size_t i = 0; i < 700 && !test_failed(); i++) {
            const size_t len = i < 520 ? i : i * 5;
            random_bytes(block, 16);
            if (i % 2) plait_store32_be(block + 12, 0xffffffff - (uint32_t)random_below(80));
            random_bytes(acc, 16);
            AT("key of %zu, length %zu, counter %zu", key_len, len, plait_load32_be(block + 12));

            oracle_aes_ctr(&o, want, text, len, block, 4);
            memcpy(right, acc, 16);
            oracle_ghash(right, h, want, len);
            uint8_t start[16], at_start[16];
            memcpy(start, acc, 16);
            memcpy(at_start, block, 16);
            memset(out, 0xa5, len + 32);
            fn->text_seal(area + 5, acc, block, p, text, len);
            CHECK_MEM(p, want, len);
            CHECK_MEM(acc, right, 16);
            CHECK_MEM(block, at_start, 16);
            CHECK(nothing_beside(p, len));
            memcpy(acc, start, 16);
            fn->text_open(area + 5, acc, block, p, p, len); /* in place */
            CHECK_MEM(p, text, len);
            CHECK_MEM(acc, right, 16);
            CHECK(nothing_beside(p, len));

            memcpy(right, start, 16);
            oracle_ghash(right, h, text, len);
            fn->hash(area + 5, start, text, len);
            CHECK_MEM(start, right, 16);
            fn->ctr32(area + 5, p, text, len, block);
            CHECK_MEM(p, want, len);
            CHECK(nothing_beside(p, len));
        }
    }
}

/* J0 near 2^32, at each place of a group: one message, and many that wrap at different places. */
static void aes_gcm_wrap(const plait_kernel *row)
{
    enum { JOBS = 20, LONGEST = 16 * 70 + 5 };
    const plait_aes_gcm_fns *fn = &row->fn.aes_gcm;
    static uint8_t outs[JOBS][LONGEST], wants[JOBS][LONGEST];
    uint8_t area[PLAIT_GCM_AREA], h[16], j0[JOBS][16], tag[JOBS][16], right[JOBS][16],
        zero[16] = {0};
    plait_job jobs[JOBS];
    test_case("%s: J0 near 2^32, alone and in batches", row->name);
    for (size_t round = 0; round < 150 && !test_failed(); round++) {
        const size_t key_len = 16 + 8 * (round % 3), count = 1 + round % JOBS;
        oracle_aes o;
        oracle_aes_init(&o, key, key_len);
        oracle_aes_block(&o, h, zero);
        fn->init(area, key, key_len);
        for (size_t i = 0; i < count; i++) {
            const size_t len = round % 2 ? random_below(LONGEST) : 16 * (round / 3 + i) + 5,
                         ad_len = i % 3 == 0 ? 0 : 20 * i;
            uint8_t first[16], lengths[16];
            memset(j0[i], 0xff, 16);
            plait_store32_be(j0[i] + 12,
                             0xffffffff - (uint32_t)(i == 0 ? round / 2 : random_below(70)));
            memcpy(first, j0[i], 12);
            plait_store32_be(first + 12, plait_load32_be(j0[i] + 12) + 1);
            oracle_aes_ctr(&o, wants[i], text, len, first, 4);
            memset(right[i], 0, 16);
            oracle_ghash(right[i], h, text + 3000, ad_len);
            oracle_ghash(right[i], h, wants[i], len);
            plait_store64_be(lengths, 8 * (uint64_t)ad_len),
                plait_store64_be(lengths + 8, 8 * (uint64_t)len);
            oracle_ghash(right[i], h, lengths, 16);
            oracle_aes_block(&o, lengths, j0[i]);
            for (int b = 0; b < 16; b++) right[i][b] ^= lengths[b];
            jobs[i] = (plait_job){area, j0[i], outs[i], tag[i], text + 3000, ad_len, text, len};
        }
        for (int how = 0; how < 2; how++) {
            if (how == 1 && fn->seal_batch == NULL) continue;
            for (int opening = 0; opening < 2; opening++) {
                memset(outs, 0xa5, sizeof outs), memset(tag, 0xa5, sizeof tag);
                for (size_t i = 0; i < count; i++) jobs[i].in = opening ? wants[i] : text;
                if (how == 1)
                    (opening ? fn->open_batch : fn->seal_batch)(jobs, count);
                else
                    for (size_t i = 0; i < count; i++)
                        (opening ? fn->open : fn->seal)(area, outs[i], tag[i], j0[i], jobs[i].ad,
                                                        jobs[i].ad_len, jobs[i].in, jobs[i].len);
                for (size_t i = 0; i < count; i++) {
                    AT("round %zu, message %zu of %zu, length %zu, counter %zx, batch %zu", round,
                       i, count, jobs[i].len, plait_load32_be(j0[i] + 12), (size_t)how);
                    CHECK_MEM(outs[i], opening ? text : wants[i], jobs[i].len);
                    CHECK(all_bytes(outs[i] + jobs[i].len, LONGEST - jobs[i].len, 0xa5));
                    CHECK_MEM(tag[i], right[i], 16);
                }
            }
        }
    }
}

/* What the kernel gets besides the text, at every alignment: areas and raw keys, counter blocks,
 * hash values, tags. */
static void alignments(const plait_kernel *row)
{
    static uint8_t area_room[PLAIT_GCM_AREA + 64], small[4][16 + 64];
    uint8_t first[700], first_tag[16];
    const size_t len = 613;
    test_case("%s: areas and small arguments at offsets 0 to 63", row->name);
    for (size_t at = 0; at < 64 && !test_failed(); at++) {
        uint8_t *area = area_room + at, *p = out + 16, *tag = small[0] + (at * 3 + 1) % 64,
                *iv = small[1] + (at * 5 + 2) % 64, *acc = small[2] + (at * 7 + 3) % 64;
        static uint8_t raw_room[32 + 64];
        uint8_t *raw = raw_room + (at * 11 + 5) % 64;
        memcpy(raw, key, 32), memcpy(iv, nonce, 16), memcpy(acc, nonce, 16), memset(tag, 0, 16);
        memset(out, 0xa5, len + 32);
        if (strcmp(row->family, "chacha20") == 0) {
            /* words, by their type on a multiple of four: others are the concern of those without
             * sanitizers */
            uint8_t *state = area_room + (test_sanitized() ? at & ~(size_t)3 : at);
            plait_store32_le(state, 0x61707865), plait_store32_le(state + 4, 0x3320646e);
            for (int i = 2; i < 16; i++) plait_store32_le(state + 4 * i, 0x01234567u * (uint32_t)i);
            if (PLAIT_BIG_ENDIAN)
                for (int i = 0; i < 16; i++) {
                    const uint32_t w = plait_load32_le(state + 4 * i);
                    memcpy(state + 4 * i, &w, 4);
                }
            row->fn.chacha20.xor_stream(p, text, len, (const uint32_t *)(const void *)state);
        } else if (strcmp(row->family, "poly1305") == 0) {
            row->fn.poly1305.mac(tag, text + at, len, raw);
            oracle_poly1305(first_tag, text + at, len, key);
        } else if (strcmp(row->family, "aes") == 0) {
            row->fn.aes.init(area, raw, 24);
            row->fn.aes.ctr32(area, p, text, len, iv);
        } else if (strcmp(row->family, "ghash") == 0) {
            row->fn.ghash.init(area, raw, len);
            row->fn.ghash.update(area, acc, text, len);
            memcpy(tag, acc, 16);
        } else if (strcmp(row->family, "aes_gcm") == 0) {
            row->fn.aes_gcm.init(area, raw, 32);
            row->fn.aes_gcm.text_seal(area, acc, iv, p, text, 600);
            row->fn.aes_gcm.text_open(area, acc, iv, p, p, 600);
            CHECK_MEM(p, text, 600);
            row->fn.aes_gcm.hash(area, acc, text, 600);
            row->fn.aes_gcm.seal(area, p, tag, iv, text + 1, 21, text, len);
            for (int i = 0; i < 16; i++) tag[i] ^= acc[i];
        } else {
            memcpy(area, raw, 32);
            row->fn.chacha20_poly1305.seal(area, p, tag, iv, text, 21, text, len);
        }
        if (at == 0) memcpy(first, p, len);
        if (at == 0 && strcmp(row->family, "poly1305") != 0) memcpy(first_tag, tag, 16);
        AT("offset %zu", at);
        CHECK_MEM(p, first, len);
        CHECK_MEM(tag, first_tag, 16);
        CHECK(nothing_beside(p, len));
    }
}

/* ---- whole constructions ----------------------------------------------------------------- */

typedef struct answers {
    plait_alg alg;
    size_t count;
    aead_case *list;
} answers;

static void *exactly(const void *p, size_t n) /* a copy that sanitizers see the end of */
{
    uint8_t *q = malloc(n + (n == 0));
    if (n != 0) memcpy(q, p, n);
    return q;
}

static void add_answer(answers *a, size_t nonce_len, size_t ad_len, size_t len)
{
    static uint8_t source[2 * LARGEST];
    uint8_t tag[16];
    aead_case c = {.nonce_len = nonce_len, .ad_len = ad_len, .len = len};
    if (source[0] == 0) {
        random_bytes(source, sizeof source);
        source[0] = 1;
    }
    a->list = realloc(a->list, (a->count + 1) * sizeof *a->list);
    c.nonce = exactly(source + 3 * (len % 1000), nonce_len);
    c.ad = exactly(source + 1111, ad_len);
    c.in = exactly(text, len);
    oracle_seal(alg_is_gcm(a->alg), want, tag, key, alg_key_len(a->alg), c.nonce, nonce_len, c.ad,
                ad_len, text, len);
    c.out = exactly(want, len);
    c.tag = exactly(tag, 16);
    a->list[a->count++] = c;
}

static void forget_answers(answers *a)
{
    for (size_t i = 0; i < a->count; i++) {
        free((void *)a->list[i].nonce);
        free((void *)a->list[i].ad);
        free((void *)a->list[i].in);
        free((void *)a->list[i].out);
        free((void *)a->list[i].tag);
    }
    free(a->list);
    memset(a, 0, sizeof *a);
}

/* Every choice of kernels against the answers. */
static void all_choices(const answers *a, const char *what)
{
    kernel_choice *choices;
    const size_t count = kernel_choices(alg_is_gcm(a->alg), &choices);
    for (size_t c = 0; c < count; c++) {
        plait_key k;
        test_case("%s: %s, %s", choices[c].name, alg_name(a->alg), what);
        CHECK_OK(plait_key_init_with(&k, a->alg, key, alg_key_len(a->alg), choices[c].name));
        for (size_t i = 0; i < a->count && !test_failed(); i++) {
            AT("length %zu, AD %zu, nonce %zu", a->list[i].len, a->list[i].ad_len,
               a->list[i].nonce_len);
            aead_check(&k, &a->list[i]);
        }
        plait_key_wipe(&k);
    }
    free(choices);
}

static void aead(plait_alg alg)
{
    static const size_t nonces[] = {1,  2,  7,  8,  11, 12,  13,  16,  17,   31,
                                    32, 33, 60, 64, 65, 128, 255, 256, 1000, 65536};
    const size_t usual = alg_nonce_len(alg);
    answers a = {.alg = alg};

    for (size_t i = 0, len; (len = length_number(i)) != SIZE_MAX; i++) {
        if (test_level == 0 && len > 600 && len < ALL_LENGTHS && len % 7 != 0) continue;
        add_answer(&a, usual, len % 3 == 0 ? 0 : len % 3 == 1 ? 13 : 20, len);
    }
    all_choices(&a, "all lengths");
    forget_answers(&a);

    a.alg = alg;
    for (size_t i = 0; i < ad_size_count; i++)
        for (size_t j = 0, len; (len = length_number(j)) != SIZE_MAX; j++) {
            /* lengths near multiples of 16 to one group, then of 64, then the edges up to a page */
            const int near16 = len % 16 <= 1 || len % 16 == 15,
                      near64 = len % 64 <= 1 || len % 64 == 63;
            if (len > 4097 || (len > 130 && !near64) || (!near16 && len > 17)) continue;
            if (test_level == 0 && len > 17 && (len + i) % 5 != 0) continue;
            add_answer(&a, usual, ad_sizes[i], len);
        }
    all_choices(&a, "every AD length with every text length");
    forget_answers(&a);

    if (alg_is_gcm(alg)) {
        a.alg = alg;
        for (size_t i = 0; i < COUNT(nonces); i++)
            for (size_t len = 0; len < 600; len += len < 2 ? 1 : 149)
                add_answer(&a, nonces[i], i, len);
        all_choices(&a, "nonce lengths");
        forget_answers(&a);
    }

    if (test_level > 0 && alg != PLAIT_XCHACHA20_POLY1305) { /* which only differs in its start */
        kernel_choice *choices;
        const size_t around = (size_t)1 << 20, count = kernel_choices(alg_is_gcm(alg), &choices);
        uint8_t *big = malloc(around + 512), *sealed = malloc(around + 512),
                *got = malloc(around + 512), tag[16];
        random_bytes(big, around + 512);
        for (size_t c = 0; c < count; c++) {
            plait_key k;
            const int slow = strstr(choices[c].name, "ref") != NULL;
            size_t step = test_level == 2 ? 1 : slow ? 301 : 43;
            test_case("%s: %s, around 2^20", choices[c].name, alg_name(alg));
            oracle_seal(alg_is_gcm(alg), sealed, tag, key, alg_key_len(alg), nonce, usual, NULL, 0,
                        big, around + 300);
            CHECK_OK(plait_key_init_with(&k, alg, key, alg_key_len(alg), choices[c].name));
            for (size_t len = around - 300; len <= around + 300; len += step) {
                uint8_t right[16];
                AT("length 2^20 - 300 + %zu", len - around + 300);
                CHECK_OK(plait_seal(&k, got, tag, nonce, usual, NULL, 0, big, len));
                CHECK(memcmp(got, sealed, len) == 0);
                if (len == around - 300 || step > 1) {
                    oracle_tag(alg_is_gcm(alg), right, key, alg_key_len(alg), nonce, usual, NULL, 0,
                               sealed, len);
                    CHECK_MEM(tag, right, 16);
                }
                CHECK_OK(plait_open(&k, got, nonce, usual, NULL, 0, got, len, tag));
                CHECK(memcmp(got, big, len) == 0);
            }
        }
        free(big), free(sealed), free(got);
        free(choices);
    }
}

int main(void)
{
    test_start("rows: does every kernel give the right bytes at every length?");
    random_bytes(text, sizeof text);
    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++) {
        if (row_is(row, "chacha20"))
            chacha20(row);
        else if (row_is(row, "poly1305"))
            poly1305(row), poly1305_final(row), poly1305_sums(row);
        else if (row_is(row, "aes"))
            aes(row);
        else if (row_is(row, "ghash"))
            ghash(row);
        else if (row_is(row, "aes_gcm") && row_usable(row))
            aes_gcm(plait_rows[row]), aes_gcm_wrap(plait_rows[row]);
        if (row_usable(row)) alignments(plait_rows[row]);
        if (row_usable(row) && (row_is(row, "aes") || row_is(row, "aes_gcm")))
            long_runs(plait_rows[row]);
    }
    for (size_t i = 0; i < COUNT(all_algs); i++) aead(all_algs[i]);
    return test_finish();
}
