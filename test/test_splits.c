/* SPDX-License-Identifier: Apache-2.0
 *
 * Does any split of AD and text give the same bytes as one call? Every two-piece split, pieces of
 * equal odd sizes, random pieces, empty calls in between; one-shot sealed messages opened as
 * streams and the other way round; streams copied, interleaved and abandoned.
 */
#include "harness.h"
#include "oracle.h"

#define LARGEST 9000

static uint8_t text[LARGEST], sealed[LARGEST], got[LARGEST], ad[700], raw[32], nonce[24];

typedef struct message {
    plait_key key;
    plait_alg alg;
    size_t ad_len, len;
    uint8_t tag[16];
} message;

static void right_answer(message *m, size_t ad_len, size_t len)
{
    m->ad_len = ad_len, m->len = len;
    oracle_seal(alg_is_gcm(m->alg), sealed, m->tag, raw, alg_key_len(m->alg), nonce,
                alg_nonce_len(m->alg), ad, ad_len, text, len);
}

static void start(const message *m, plait_stream *s)
{
    CHECK_OK(plait_stream_init(s, &m->key, nonce, alg_nonce_len(m->alg)));
}

/* Feeds len bytes in pieces whose sizes `next` gives. what: 0 AD, 1 seal, 2 open. */
static void feed(const message *m, plait_stream *s, int what, size_t len, size_t (*next)(size_t *),
                 size_t *state)
{
    for (size_t at = 0; at < len;) {
        size_t n = next(state);
        if (n > len - at) n = len - at;
        if (what == 0) CHECK_OK(plait_stream_ad(s, &m->key, ad + at, n));
        if (what == 1) CHECK_OK(plait_stream_seal(s, &m->key, got + at, text + at, n));
        if (what == 2) {
            memcpy(got + at, sealed + at, n);
            CHECK_OK(plait_stream_open_unverified(s, &m->key, got + at, got + at, n));
        }
        at += n;
    }
}

static void both_ways(const message *m, size_t (*next)(size_t *), size_t seed)
{
    plait_stream s;
    uint8_t tag[16];
    for (int what = 1; what <= 2; what++) {
        size_t state = seed;
        start(m, &s);
        feed(m, &s, 0, m->ad_len, next, &state);
        feed(m, &s, what, m->len, next, &state);
        CHECK_MEM(got, what == 1 ? sealed : text, m->len);
        if (what == 1) {
            CHECK_OK(plait_stream_seal_final(&s, &m->key, tag));
            CHECK_MEM(tag, m->tag, 16);
        } else
            CHECK_OK(plait_stream_open_final(&s, &m->key, m->tag));
    }
}

static size_t same(size_t *state)
{
    return *state;
}

static size_t alternating(size_t *state) /* a, b, a, b: both in one number */
{
    *state = (uint32_t)(*state << 16 | *state >> 16);
    return *state & 0xffff;
}

static size_t random_piece(size_t *state)
{
    (void)state;
    switch (random_below(4)) {
    case 0:
        return random_below(20);
    case 1:
        return 16 * random_below(10);
    case 2:
        return 64 * random_below(20) + random_below(3);
    default:
        return random_below(700);
    }
}

static void two_pieces(message *m)
{
    const size_t most = test_level == 0 ? 150 : 300;
    for (size_t len = 0; len <= most && !test_failed(); len++) {
        if (test_level == 0 && len > 70 && len % 3 != 0) continue;
        right_answer(m, 13, len);
        for (size_t cut = 0; cut <= len; cut++) {
            plait_stream s;
            uint8_t tag[16];
            AT("length %zu, cut at %zu", len, cut);
            start(m, &s);
            CHECK_OK(plait_stream_ad(&s, &m->key, ad, 13));
            if (cut % 2) {
                CHECK_OK(plait_stream_seal(&s, &m->key, got, text, cut));
                CHECK_OK(plait_stream_seal(&s, &m->key, got + cut, text + cut, len - cut));
                CHECK_OK(plait_stream_seal_final(&s, &m->key, tag));
                CHECK_MEM(got, sealed, len);
                CHECK_MEM(tag, m->tag, 16);
            } else {
                memcpy(got, sealed, len);
                CHECK_OK(plait_stream_open_unverified(&s, &m->key, got, got, cut));
                CHECK_OK(
                    plait_stream_open_unverified(&s, &m->key, got + cut, got + cut, len - cut));
                CHECK_OK(plait_stream_open_final(&s, &m->key, m->tag));
                CHECK_MEM(got, text, len);
            }
        }
    }
}

/* A call of every length, then 64 bytes more: finds counters advanced wrongly for some tails
 * only. */
static void and_then_more(message *m)
{
    right_answer(m, 0, 1100 + 64);
    for (size_t len = 0; len <= 1100 && !test_failed(); len++) {
        plait_stream s;
        uint8_t tag[16], right[16];
        if (test_level == 0 && len % 3 != 0) continue;
        AT("length %zu, then 64", len);
        CHECK_OK(
            plait_seal(&m->key, got, right, nonce, alg_nonce_len(m->alg), NULL, 0, text, len + 64));
        start(m, &s);
        CHECK_OK(plait_stream_seal(&s, &m->key, got, text, len));
        CHECK_OK(plait_stream_seal(&s, &m->key, got + len, text + len, 64));
        CHECK_MEM(got, sealed, len + 64);
        CHECK_OK(plait_stream_seal_final(&s, &m->key, tag));
        CHECK_MEM(tag, right, 16);
        start(m, &s);
        CHECK_OK(plait_stream_open_unverified(&s, &m->key, got, sealed, len));
        CHECK_OK(plait_stream_open_unverified(&s, &m->key, got + len, sealed + len, 64));
        CHECK_MEM(got, text, len + 64);
        CHECK_OK(plait_stream_open_final(&s, &m->key, right));
    }
}

static void ad_pieces(message *m)
{
    for (size_t ad_len = 0; ad_len <= 80; ad_len++) {
        right_answer(m, ad_len, ad_len % 5 == 0 ? 0 : 33);
        for (size_t cut = 0; cut <= ad_len; cut++) {
            plait_stream s;
            uint8_t tag[16];
            AT("AD %zu, cut at %zu", ad_len, cut);
            start(m, &s);
            CHECK_OK(plait_stream_ad(&s, &m->key, ad, cut));
            /* Empty calls of any kind, with NULL and without, change nothing: not the AD, not
             * the direction. */
            CHECK_OK(plait_stream_ad(&s, &m->key, NULL, 0));
            CHECK_OK(plait_stream_seal(&s, &m->key, NULL, NULL, 0));
            CHECK_OK(plait_stream_open_unverified(&s, &m->key, got, text, 0));
            CHECK_OK(plait_stream_ad(&s, &m->key, ad + cut, ad_len - cut));
            CHECK_OK(plait_stream_seal(&s, &m->key, got, text, m->len / 2));
            CHECK_OK(plait_stream_seal(&s, &m->key, NULL, NULL, 0));
            CHECK_OK(plait_stream_ad(&s, &m->key, ad, 0));
            CHECK_OK(plait_stream_seal(&s, &m->key, got + m->len / 2, text + m->len / 2,
                                       m->len - m->len / 2));
            CHECK_OK(plait_stream_seal(&s, &m->key, got, text, 0));
            CHECK_OK(plait_stream_seal_final(&s, &m->key, tag));
            CHECK_MEM(got, sealed, m->len);
            CHECK_MEM(tag, m->tag, 16);
        }
    }
}

/* A stream is a value: it can be copied, left, and two of one key can run side by side. */
static void streams_as_values(message *m)
{
    plait_stream a, b;
    uint8_t tag[16], tag_b[16];
    static uint8_t other[LARGEST];
    right_answer(m, 20, 3000);
    for (size_t at = 0; at <= 3000; at += 97) {
        AT("copied at %zu", at);
        start(m, &a);
        CHECK_OK(plait_stream_ad(&a, &m->key, ad, 20));
        CHECK_OK(plait_stream_seal(&a, &m->key, got, text, at));
        memcpy(&b, &a, sizeof a);
        memset(&a, 0x5a, sizeof a); /* abandoned */
        CHECK_OK(plait_stream_init(&a, &m->key, nonce, alg_nonce_len(m->alg)));
        CHECK_OK(plait_stream_ad(&a, &m->key, ad, 20));
        for (size_t i = 0; i < 3000; i += 500) {
            CHECK_OK(plait_stream_seal(&a, &m->key, other + i, text + i, 500));
            if (i == 1000) {
                CHECK_OK(plait_stream_seal(&b, &m->key, got + at, text + at, 3000 - at));
                CHECK_OK(plait_stream_seal_final(&b, &m->key, tag_b));
            }
        }
        CHECK_OK(plait_stream_seal_final(&a, &m->key, tag));
        CHECK_MEM(got, sealed, 3000);
        CHECK_MEM(other, sealed, 3000);
        CHECK_MEM(tag, m->tag, 16);
        CHECK_MEM(tag_b, m->tag, 16);
    }
}

static void all(plait_alg alg)
{
    static const size_t repeated[] = {1,  5,  7,   9,   15,  16,  17,  31,  32,  33,  63,
                                      64, 65, 127, 255, 256, 257, 511, 512, 513, 1024};
    kernel_choice *choices;
    const size_t count = kernel_choices(alg_is_gcm(alg), &choices);
    for (size_t c = 0; c < count; c++) {
        message m = {.alg = alg};
        const char *name = choices[c].name;
        test_case("%s: %s, every two pieces", name, alg_name(alg));
        CHECK_OK(plait_key_init_with(&m.key, alg, raw, alg_key_len(alg), name));
        two_pieces(&m);
        test_case("%s: %s, every length and then more", name, alg_name(alg));
        and_then_more(&m);
        test_case("%s: %s, AD in pieces and empty calls", name, alg_name(alg));
        ad_pieces(&m);
        test_case("%s: %s, pieces of equal size", name, alg_name(alg));
        right_answer(&m, 300, 2500);
        for (size_t i = 0; i < COUNT(repeated); i++) {
            AT("pieces of %zu", repeated[i]);
            both_ways(&m, same, repeated[i]);
            for (size_t j = 0; j < COUNT(repeated); j += test_level == 0 ? 5 : 1) {
                AT("pieces of %zu and %zu", repeated[i], repeated[j]);
                both_ways(&m, alternating, repeated[i] << 16 | repeated[j]);
            }
        }
        test_case("%s: %s, random pieces", name, alg_name(alg));
        for (size_t i = 0; i < (test_level == 0   ? 20
                                : test_level == 1 ? 150
                                                  : 3000) &&
                           !test_failed();
             i++) {
            right_answer(&m, random_below(sizeof ad), random_below(i % 4 == 0 ? LARGEST : 1500));
            AT("round %zu: AD %zu, length %zu", i, m.ad_len, m.len);
            both_ways(&m, random_piece, 0);
        }
        test_case("%s: %s, streams copied, interleaved, abandoned", name, alg_name(alg));
        streams_as_values(&m);
    }
    free(choices);
}

/* Poly1305 alone, every two pieces. */
static void poly1305(size_t row)
{
    const char *name = plait_rows[row]->name;
    uint8_t right[16], tag[16];
    if (!test_kernel_case(row, "every two pieces")) return;
    for (size_t len = 0; len <= 300; len++) {
        oracle_poly1305(right, text, len, raw);
        for (size_t cut = 0; cut <= len; cut++) {
            plait_poly1305_state s;
            AT("length %zu, cut at %zu", len, cut);
            CHECK_OK(plait_poly1305_init_with(name, &s, raw));
            CHECK_OK(plait_poly1305_update_with(name, &s, text, cut));
            CHECK_OK(plait_poly1305_update_with(name, &s, text + cut, len - cut));
            CHECK_OK(plait_poly1305_final_with(name, &s, tag));
            CHECK_MEM(tag, right, 16);
        }
    }
}

/* GHASH and CTR continue from their own outputs: acc, and a counter block computed by the
 * caller. */
static void ghash(size_t row)
{
    const char *name = plait_rows[row]->name;
    uint8_t right[16], acc[16];
    if (!test_kernel_case(row, "every two pieces")) return;
    for (size_t blocks = 0; blocks <= 80; blocks++) {
        memset(right, 0, 16);
        oracle_ghash(right, raw, text, 16 * blocks);
        for (size_t cut = 0; cut <= blocks; cut++) {
            AT("%zu blocks, cut at %zu", blocks, cut);
            memset(acc, 0, 16);
            CHECK_OK(plait_ghash_with(name, acc, raw, text, cut));
            CHECK_OK(plait_ghash_with(name, acc, raw, text + 16 * cut, blocks - cut));
            CHECK_MEM(acc, right, 16);
        }
    }
}

int main(void)
{
    test_start("splits: does any split give the same bytes as one call?");
    random_bytes(text, sizeof text);
    random_bytes(ad, sizeof ad);
    random_bytes(raw, sizeof raw);
    random_bytes(nonce, sizeof nonce);
    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++) {
        if (row_is(row, "poly1305")) poly1305(row);
        if (row_is(row, "ghash")) ghash(row);
    }
    for (size_t i = 0; i < COUNT(all_algs); i++)
        if (test_level > 0 || all_algs[i] != PLAIT_AES_192_GCM) all(all_algs[i]);
    return test_finish();
}
