/* SPDX-License-Identifier: Apache-2.0
 *
 * Does any kernel touch a byte that it was not given? Every buffer ends at an inaccessible page,
 * then starts after one, for all lengths; inputs are mapped read-only; every alignment of every
 * pointer; and buffers that overlap, which are refused where the answer would depend on the order
 * of loads and stores.
 */
#include "harness.h"
#include "oracle.h"

#define LARGEST 2100

typedef enum slot { IN, OUT, AD, NONCE, KEY, TAG, STATE, SLOTS } slot;
static guarded memory[SLOTS];
static uint8_t text[LARGEST], sealed[LARGEST], ad[300], raw[32], nonce[64];

/* len bytes of a slot that end at the guard behind it (at_end), or start at the one before it;
 * contents copied from data. Inputs come from the read-only view. */
static uint8_t *place(slot s, int at_end, const void *data, size_t len)
{
    const size_t at = at_end ? memory[s].size - len : 0;
    if (data != NULL && len != 0) memcpy(memory[s].rw + at, data, len);
    return (s == OUT || s == TAG || s == STATE ? memory[s].rw : memory[s].ro) + at;
}

/* Does the rest of the slot's pages still hold what `fill` put there? */
static void fill(slot s)
{
    memset(memory[s].rw, 0xa5, memory[s].size);
}
static int untouched(slot s, int at_end, size_t len)
{
    return all_bytes(memory[s].rw + (at_end ? 0 : len), memory[s].size - len, 0xa5);
}

static int skip_length(size_t len)
{
    return test_level == 0 && len > 300 && len % 16 > 1 && len % 16 < 15 && len % 11 != 0;
}

/* What the text becomes, by the oracle: the same for every choice of kernels, so made once. The tag
 * is behind it. `use`: another AD or nonce. */
static const uint8_t *expected(int use, plait_alg alg, size_t nonce_len, size_t ad_len, size_t len)
{
    static uint8_t *made[3][PLAIT_XCHACHA20_POLY1305 + 1][LARGEST];
    uint8_t **p = &made[use][alg][len];
    if (*p == NULL) {
        if ((*p = malloc(len + 16)) == NULL) abort();
        oracle_seal(alg_is_gcm(alg), *p, *p + len, raw, alg_key_len(alg), nonce, nonce_len, ad,
                    ad_len, text, len);
    }
    return *p;
}

/* ---- whole constructions --------------------------------------------------------------------- */

static void aead(plait_alg alg, const char *name)
{
    const int gcm = alg_is_gcm(alg);
    const size_t key_len = alg_key_len(alg);

    test_case("%s: %s, between guard pages", name, alg_name(alg));
    for (int at_end = 0; at_end < 2; at_end++) {
        /* The key as well: sizeof is a multiple of its alignment. */
        plait_key *k = (plait_key *)(void *)place(STATE, at_end, NULL, sizeof *k);
        CHECK_OK(plait_key_init_with(k, alg, place(KEY, at_end, raw, key_len), key_len, name));
        for (size_t len = 0; len <= 2000 && !test_failed(); len++) {
            if (skip_length(len)) continue;
            const size_t ad_len = len * 7 % 150,
                         nonce_len = gcm && len % 4 == 0 ? 1 + len % 60 : alg_nonce_len(alg);
            const uint8_t *sealed = expected(0, alg, nonce_len, ad_len, len), *right = sealed + len;
            AT("at end %zu, length %zu, AD %zu, nonce %zu", (size_t)at_end, len, ad_len, nonce_len);
            const uint8_t *n = place(NONCE, at_end, nonce, nonce_len),
                          *a = place(AD, at_end, ad, ad_len);
            fill(OUT), fill(TAG);
            uint8_t *out = place(OUT, at_end, NULL, len), *tag = place(TAG, at_end, NULL, 16);
            CHECK_OK(plait_seal(k, out, tag, n, nonce_len, a, ad_len, place(IN, at_end, text, len),
                                len));
            CHECK_MEM(out, sealed, len);
            CHECK_MEM(tag, right, 16);
            CHECK(untouched(OUT, at_end, len) && untouched(TAG, at_end, 16));
            fill(OUT);
            const uint8_t *in = place(IN, at_end, sealed, len);
            CHECK_OK(plait_open(k, out, n, nonce_len, a, ad_len, in, len,
                                place(NONCE, !at_end, right, 16)));
            CHECK_MEM(out, text, len);
            CHECK(untouched(OUT, at_end, len));
            place(NONCE, at_end, nonce, nonce_len); /* the tag may lie on it */
            /* in place: in is what out is */
            memcpy(out, text, len);
            CHECK_OK(plait_seal(k, out, tag, n, nonce_len, a, ad_len, out, len));
            CHECK_MEM(out, sealed, len);
            CHECK(untouched(OUT, at_end, len));
            CHECK_OK(plait_open(k, out, n, nonce_len, a, ad_len, out, len, tag));
            CHECK_MEM(out, text, len);
            CHECK(untouched(OUT, at_end, len));
        }
    }

    test_case("%s: %s, as a stream between guard pages", name, alg_name(alg));
    plait_key key;
    CHECK_OK(plait_key_init_with(&key, alg, raw, key_len, name));
    for (int at_end = 0; at_end < 2; at_end++)
        for (size_t len = 0; len <= 700 && !test_failed(); len++) {
            if (skip_length(len)) continue;
            plait_stream *s = (plait_stream *)(void *)place(STATE, at_end, NULL, sizeof *s);
            const size_t n = alg_nonce_len(alg), cut = len * 5 % (len + 1);
            const uint8_t *sealed = expected(1, alg, n, 37, len), *right = sealed + len;
            AT("at end %zu, length %zu, cut at %zu", (size_t)at_end, len, cut);
            for (int open = 0; open < 2; open++) {
                const uint8_t *from = open ? sealed : text, *to = open ? text : sealed;
                fill(OUT), fill(TAG);
                uint8_t *out = place(OUT, at_end, NULL, cut);
                CHECK_OK(plait_stream_init(s, &key, place(NONCE, at_end, nonce, n), n));
                CHECK_OK(plait_stream_ad(s, &key, place(AD, at_end, ad, 19), 19));
                CHECK_OK(plait_stream_ad(s, &key, place(AD, at_end, ad + 19, 18), 18));
                CHECK_OK((open ? plait_stream_open_unverified : plait_stream_seal)(
                    s, &key, out, place(IN, at_end, from, cut), cut));
                CHECK_MEM(out, to, cut);
                CHECK(untouched(OUT, at_end, cut));
                fill(OUT);
                out = place(OUT, at_end, NULL, len - cut);
                CHECK_OK((open ? plait_stream_open_unverified : plait_stream_seal)(
                    s, &key, out, place(IN, at_end, from + cut, len - cut), len - cut));
                CHECK_MEM(out, to + cut, len - cut);
                CHECK(untouched(OUT, at_end, len - cut));
                if (open)
                    CHECK_OK(plait_stream_open_final(s, &key, place(NONCE, at_end, right, 16)));
                else {
                    uint8_t *tag = place(TAG, at_end, NULL, 16);
                    CHECK_OK(plait_stream_seal_final(s, &key, tag));
                    CHECK_MEM(tag, right, 16);
                    CHECK(untouched(TAG, at_end, 16));
                }
            }
        }

    test_case("%s: %s, alignments 0 to 63", name, alg_name(alg));
    static const size_t lengths[] = {1, 17, 64, 200, 257, 1025};
    uint8_t right[16], buffer_in[LARGEST], buffer_out[LARGEST], small[3][128];
    const size_t n = alg_nonce_len(alg), step = test_level == 0 ? 13 : test_level == 1 ? 3 : 1;
    for (size_t l = 0; l < COUNT(lengths); l++) {
        const size_t len = lengths[l];
        oracle_seal(gcm, sealed, right, raw, key_len, nonce, n, ad, 33, text, len);
        for (size_t a = 0; a < 64 && !test_failed(); a++)
            for (size_t b = a % step; b < 64; b += step) {
                const size_t c = (a * 3 + b * 5) % 64;
                uint8_t *in = buffer_in + a, *out = buffer_out + b;
                AT("length %zu, in + %zu, out + %zu, others + %zu", len, a, b, c);
                memset(buffer_out, 0xa5, sizeof buffer_out);
                memcpy(in, text, len);
                memcpy(small[0] + c, nonce, n);
                memcpy(small[1] + (c + a) % 64, ad, 33);
                CHECK_OK(plait_seal(&key, out, small[2] + (c + b) % 64, small[0] + c, n,
                                    small[1] + (c + a) % 64, 33, in, len));
                CHECK_MEM(out, sealed, len);
                CHECK_MEM(small[2] + (c + b) % 64, right, 16);
                CHECK(all_bytes(buffer_out, b, 0xa5) &&
                      all_bytes(out + len, sizeof buffer_out - b - len, 0xa5));
                CHECK_OK(plait_open(&key, in, small[0] + c, n, small[1] + (c + a) % 64, 33, out,
                                    len, small[2] + (c + b) % 64));
                CHECK_MEM(in, text, len);
            }
    }

    /* As in a packet, in place: no keystream comes over the tag that follows, which both calls
     * leave be. */
    test_case("%s: %s, tag behind the text", name, alg_name(alg));
    for (size_t len = 0; len <= 600 && !test_failed(); len++) {
        uint8_t *packet = buffer_in + 16;
        plait_stream s;
        if (skip_length(len)) continue;
        AT("length %zu", len);
        const uint8_t *sealed = expected(2, alg, n, 9, len), *right = sealed + len;
        memset(buffer_in, 0xa5, len + 48);
        memcpy(packet, text, len);
        CHECK_OK(plait_seal(&key, packet, packet + len, nonce, n, ad, 9, packet, len));
        CHECK_MEM(packet, sealed, len);
        CHECK_MEM(packet + len, right, 16);
        CHECK_OK(plait_open(&key, packet, nonce, n, ad, 9, packet, len, packet + len));
        CHECK_MEM(packet, text, len);
        CHECK_MEM(packet + len, right, 16);
        CHECK_OK(plait_stream_init(&s, &key, nonce, n));
        CHECK_OK(plait_stream_ad(&s, &key, ad, 9));
        CHECK_OK(plait_stream_seal(&s, &key, packet, packet, len));
        CHECK_MEM(packet + len, right, 16);
        CHECK_OK(plait_stream_init(&s, &key, nonce, n));
        CHECK_OK(plait_stream_ad(&s, &key, ad, 9));
        CHECK_OK(plait_stream_open_unverified(&s, &key, packet, packet, len));
        CHECK_MEM(packet + len, right, 16);
        CHECK_OK(plait_stream_open_final(&s, &key, packet + len));
        CHECK_MEM(packet, text, len);
        CHECK(all_bytes(buffer_in, 16, 0xa5) && all_bytes(packet + len + 16, 16, 0xa5));
    }
    plait_key_wipe(&key);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void chacha20(size_t row)
{
    const plait_kernel *k = plait_rows[row];
    if (!test_kernel_case(row, "between guard pages")) return;
    for (int at_end = 0; at_end < 2; at_end++)
        for (size_t len = 0; len <= 2000 && !test_failed(); len++) {
            if (skip_length(len)) continue;
            AT("at end %zu, length %zu", (size_t)at_end, len);
            oracle_chacha20(sealed, text, len, raw, nonce, 1);
            fill(OUT);
            uint8_t *out = place(OUT, at_end, NULL, len);
            CHECK_OK(plait_chacha20_xor_with(k->name, out, place(IN, at_end, text, len), len,
                                             place(KEY, at_end, raw, 32),
                                             place(NONCE, at_end, nonce, 12), 1));
            CHECK_MEM(out, sealed, len);
            CHECK(untouched(OUT, at_end, len));
            /* the start state, which kernels get as an array of words */
            uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
            for (int i = 0; i < 8; i++) state[4 + i] = plait_load32_le(raw + 4 * i);
            state[12] = 1;
            for (int i = 0; i < 3; i++) state[13 + i] = plait_load32_le(nonce + 4 * i);
            fill(OUT);
            k->fn.chacha20.xor_stream(
                out, place(IN, at_end, text, len), len,
                (const uint32_t *)(const void *)place(AD, at_end, state, sizeof state));
            CHECK_MEM(out, sealed, len);
            CHECK(untouched(OUT, at_end, len));
        }
}

static void poly1305(size_t row)
{
    const plait_kernel *k = plait_rows[row];
    if (!test_kernel_case(row, "between guard pages")) return;
    for (int at_end = 0; at_end < 2; at_end++)
        for (size_t len = 0; len <= 2000 && !test_failed(); len++) {
            if (skip_length(len)) continue;
            uint8_t right[16];
            AT("at end %zu, length %zu", (size_t)at_end, len);
            oracle_poly1305(right, text, len, raw);
            fill(TAG);
            uint8_t *tag = place(TAG, at_end, NULL, 16);
            const uint8_t *in = place(IN, at_end, text, len);
            CHECK_OK(plait_poly1305_with(k->name, tag, in, len, place(KEY, at_end, raw, 32)));
            CHECK_MEM(tag, right, 16);
            CHECK(untouched(TAG, at_end, 16));
            plait_poly1305_state *s =
                (plait_poly1305_state *)(void *)place(STATE, at_end, NULL, sizeof *s);
            fill(TAG);
            CHECK_OK(plait_poly1305_init_with(k->name, s, place(KEY, at_end, raw, 32)));
            CHECK_OK(plait_poly1305_update_with(k->name, s, in, len));
            CHECK_OK(plait_poly1305_final_with(k->name, s, tag));
            CHECK_MEM(tag, right, 16);
            CHECK(untouched(TAG, at_end, 16));
        }
}

static void aes(size_t row)
{
    const plait_kernel *k = plait_rows[row];
    if (!test_kernel_case(row, "between guard pages")) return;
    for (int at_end = 0; at_end < 2; at_end++)
        for (size_t key_len = 16; key_len <= 32; key_len += 8) {
            uint8_t *area = place(STATE, at_end, NULL, PLAIT_AES_AREA);
            oracle_aes o;
            oracle_aes_init(&o, raw, key_len);
            fill(STATE);
            k->fn.aes.init(area, place(KEY, at_end, raw, key_len), key_len);
            CHECK(untouched(STATE, at_end, PLAIT_AES_AREA));
            for (size_t len = 0; len <= 2000 && !test_failed(); len++) {
                if (skip_length(len)) continue;
                AT("at end %zu, key of %zu, length %zu", (size_t)at_end, key_len, len);
                oracle_aes_ctr(&o, sealed, text, len, nonce, 4);
                fill(OUT);
                uint8_t *out = place(OUT, at_end, NULL, len);
                const uint8_t *in = place(IN, at_end, text, len),
                              *iv = place(NONCE, at_end, nonce, 16);
                k->fn.aes.ctr32(area, out, in, len, iv);
                CHECK_MEM(out, sealed, len);
                CHECK(untouched(OUT, at_end, len));
                fill(OUT);
                CHECK_OK(plait_aes_ctr_xor_with(k->name, out, in, len,
                                                place(KEY, at_end, raw, key_len), key_len, iv));
                CHECK(untouched(OUT, at_end, len));
            }
        }
}

static void ghash(size_t row)
{
    const plait_kernel *k = plait_rows[row];
    if (!test_kernel_case(row, "between guard pages")) return;
    for (int at_end = 0; at_end < 2; at_end++)
        for (size_t len = 0; len <= 2000 && !test_failed(); len++) {
            if (skip_length(len)) continue;
            uint8_t right[16];
            AT("at end %zu, length %zu", (size_t)at_end, len);
            memcpy(right, nonce, 16);
            oracle_ghash(right, raw, text, len);
            fill(STATE), fill(TAG);
            uint8_t *area = place(STATE, at_end, NULL, PLAIT_GHASH_AREA),
                    *acc = place(TAG, at_end, nonce, 16);
            k->fn.ghash.init(area, place(KEY, at_end, raw, 16), len % 3 == 0 ? SIZE_MAX : len);
            CHECK(untouched(STATE, at_end, PLAIT_GHASH_AREA));
            k->fn.ghash.update(area, acc, place(IN, at_end, text, len), len);
            CHECK_MEM(acc, right, 16);
            CHECK(untouched(TAG, at_end, 16) && untouched(STATE, at_end, PLAIT_GHASH_AREA));
            if (len % 16 != 0) continue;
            acc = place(TAG, at_end, nonce, 16);
            CHECK_OK(plait_ghash_with(k->name, acc, place(KEY, at_end, raw, 16),
                                      place(IN, at_end, text, len), len / 16));
            CHECK_MEM(acc, right, 16);
            CHECK(untouched(TAG, at_end, 16));
        }
}

/* ---- overlap --------------------------------------------------------------------------------- */

static uint8_t room[4 * 4096 + 2048];

static int distance_allowed(ptrdiff_t d, size_t len)
{
    return d == 0 || (size_t)(d < 0 ? -d : d) >= len;
}

static void overlap(plait_alg alg)
{
    static const ptrdiff_t listed[] = {0,  1,  8,  12,  13,  15,  16,  17,  31,   32,
                                       63, 64, 65, 255, 256, 511, 512, 513, 4095, 4096};
    static const size_t lengths[] = {1, 2, 16, 17, 64, 513, 4096};
    static uint8_t source[4096], ct[4096], before[sizeof room];
    const size_t n = alg_nonce_len(alg);
    uint8_t tag[16], right[16];
    plait_key k;
    plait_stream s;

    test_case("%s: output that overlaps the input in part is refused, with nothing written",
              alg_name(alg));
    random_bytes(source, sizeof source);
    CHECK_OK(plait_key_init(&k, alg, raw, alg_key_len(alg)));
    for (size_t l = 0; l < COUNT(lengths); l++)
        for (int i = -64; i < (int)COUNT(listed) + (int)COUNT(listed); i++) {
            const size_t len = lengths[l];
            const ptrdiff_t d = i < 0                    ? i
                                : i < (int)COUNT(listed) ? listed[i]
                                                         : -listed[i - (int)COUNT(listed)];
            uint8_t *in = room + 4096 + 1024, *out = in + d;
            const plait_status want = distance_allowed(d, len) ? PLAIT_OK : PLAIT_ERR_ARGUMENT;
            oracle_seal(alg_is_gcm(alg), ct, right, raw, alg_key_len(alg), nonce, n, ad, 9, source,
                        len);
            AT("length %zu, out = in + %zd", len, (size_t)d);
            for (int how = 0; how < 4; how++) {
                const int opening = how & 1;
                const uint8_t *from = opening ? ct : source, *to = opening ? source : ct;
                plait_status got;
                memset(room, 0xa5, sizeof room);
                memcpy(in, from, len);
                memcpy(before, room, sizeof room);
                memset(tag, 0xa5, 16);
                switch (how) {
                case 0:
                    got = plait_seal(&k, out, tag, nonce, n, ad, 9, in, len);
                    break;
                case 1:
                    got = plait_open(&k, out, nonce, n, ad, 9, in, len, right);
                    break;
                default:
                    CHECK_OK(plait_stream_init(&s, &k, nonce, n));
                    CHECK_OK(plait_stream_ad(&s, &k, ad, 9));
                    got = (opening ? plait_stream_open_unverified : plait_stream_seal)(&s, &k, out,
                                                                                       in, len);
                    if (want != PLAIT_OK) CHECK(all_bytes(&s, sizeof s, 0));
                }
                CHECK_INT(got, want);
                if (want == PLAIT_OK) {
                    CHECK_MEM(out, to, len);
                    if (how == 0) CHECK_MEM(tag, right, 16);
                } else {
                    CHECK(memcmp(room, before, sizeof room) == 0);
                    CHECK(all_bytes(tag, 16, 0xa5));
                }
            }
        }

    test_case("%s: output that overlaps tag or AD is refused, with nothing written", alg_name(alg));
    for (size_t tag_at = 0; tag_at < 200; tag_at++) {
        /* out = room[32, 132), tag = room[tag_at, +16) */
        const int bad = tag_at + 16 > 32 && tag_at < 132;
        const size_t ad_len = 20;
        AT("at %zu, output from 32 to 132", tag_at);
        oracle_seal(alg_is_gcm(alg), ct, right, raw, alg_key_len(alg), nonce, n, ad, 9, source,
                    100);
        memset(room, 0xa5, 400);
        CHECK_INT(plait_seal(&k, room + 32, room + tag_at, nonce, n, ad, 9, source, 100),
                  bad ? PLAIT_ERR_ARGUMENT : PLAIT_OK);
        if (bad)
            CHECK(all_bytes(room, 400, 0xa5));
        else
            CHECK_MEM(room + tag_at, right, 16);
        memset(room, 0xa5, 400);
        memcpy(room + tag_at, right, 16);
        CHECK_INT(plait_open(&k, room + 32, nonce, n, ad, 9, ct, 100, room + tag_at),
                  bad ? PLAIT_ERR_ARGUMENT : PLAIT_OK);
        if (bad) CHECK_MEM(room + tag_at, right, 16);
        /* the AD at tag_at */
        const int bad_ad = tag_at + ad_len > 32 && tag_at < 132;
        memset(room, 0xa5, 400);
        CHECK_INT(
            plait_seal(&k, room + 32, room + 300, nonce, n, room + tag_at, ad_len, source, 100),
            bad_ad ? PLAIT_ERR_ARGUMENT : PLAIT_OK);
        if (bad_ad) CHECK(all_bytes(room, 400, 0xa5));
    }

    /* Tag right behind or before the text, as in a packet, in place. */
    test_case("%s: tag beside the text", alg_name(alg));
    for (size_t len = 0; len < 300; len++) {
        AT("length %zu", len);
        oracle_seal(alg_is_gcm(alg), ct, right, raw, alg_key_len(alg), nonce, n, ad, 9, source,
                    len);
        memset(room, 0xa5, 400);
        memcpy(room + 16, source, len);
        CHECK_OK(plait_seal(&k, room + 16, room + 16 + len, nonce, n, ad, 9, room + 16, len));
        CHECK_MEM(room + 16, ct, len);
        CHECK_MEM(room + 16 + len, right, 16);
        CHECK(all_bytes(room, 16, 0xa5) && all_bytes(room + 32 + len, 16, 0xa5));
        CHECK_OK(plait_open(&k, room + 16, nonce, n, ad, 9, room + 16, len, room + 16 + len));
        CHECK_MEM(room + 16, source, len);
        CHECK_MEM(room + 16 + len, right, 16);
    }
}

static void overlap_parts(void)
{
    static uint8_t source[4096], want[4096], before[sizeof room];
    oracle_aes o;
    random_bytes(source, sizeof source);
    oracle_aes_init(&o, raw, 16);
    test_case("ChaCha20 and AES-CTR: output that overlaps the input in part is refused");
    for (size_t len = 1; len <= 600; len += len < 20 ? 1 : 83)
        for (ptrdiff_t d = -700; d <= 700; d += d > -70 && d < 70 ? 1 : 7) {
            uint8_t *in = room + 2048, *out = in + d;
            const plait_status status = distance_allowed(d, len) ? PLAIT_OK : PLAIT_ERR_ARGUMENT;
            AT("length %zu, out = in + %zd", len, (size_t)d);
            for (int which = 0; which < 2; which++) {
                memset(room, 0xa5, sizeof room);
                memcpy(in, source, len);
                memcpy(before, room, sizeof room);
                if (which == 0) {
                    CHECK_INT(plait_chacha20_xor(out, in, len, raw, nonce, 5), status);
                    oracle_chacha20(want, source, len, raw, nonce, 5);
                } else {
                    CHECK_INT(plait_aes_ctr_xor(out, in, len, raw, 16, nonce), status);
                    oracle_aes_ctr(&o, want, source, len, nonce, 16);
                }
                if (status == PLAIT_OK)
                    CHECK_MEM(out, want, len);
                else
                    CHECK(memcmp(room, before, sizeof room) == 0);
            }
        }
}

int main(void)
{
    test_start("memory: does any kernel touch a byte that it was not given?");
    for (int s = 0; s < SLOTS; s++) memory[s] = guarded_new(LARGEST);
    random_bytes(text, sizeof text);
    random_bytes(ad, sizeof ad);
    random_bytes(raw, sizeof raw);
    random_bytes(nonce, sizeof nonce);
    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++) {
        if (row_is(row, "chacha20")) chacha20(row);
        if (row_is(row, "poly1305")) poly1305(row);
        if (row_is(row, "aes")) aes(row);
        if (row_is(row, "ghash")) ghash(row);
    }
    for (size_t i = 0; i < COUNT(all_algs); i++) {
        kernel_choice *choices;
        const size_t count = kernel_choices(alg_is_gcm(all_algs[i]), &choices);
        for (size_t c = 0; c < count; c++)
            if (test_level > 0 || all_algs[i] != PLAIT_AES_192_GCM)
                aead(all_algs[i], choices[c].name);
        free(choices);
        overlap(all_algs[i]);
    }
    overlap_parts();
    return test_finish();
}
