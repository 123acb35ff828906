/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the API keep its rules? Each rule of plait.h and plait_hazmat.h, each error code, NULL and
 * zero lengths, tag lengths, the order of streaming calls, errors that stick, keys that are wiped,
 * zero, or copied.
 */
#include "harness.h"
#include "oracle.h"

static uint8_t raw[32], nonce[24], ad[64], text[300], out[300 + 16], tag[16], sealed[300];

static void fill(void)
{
    memset(out, 0xa5, sizeof out);
    memset(tag, 0xa5, sizeof tag);
}
static int nothing_written(void)
{
    return all_bytes(out, sizeof out, 0xa5) && all_bytes(tag, sizeof tag, 0xa5);
}

static plait_key new_key(plait_alg alg)
{
    plait_key k;
    CHECK_OK(plait_key_init(&k, alg, raw, alg_key_len(alg)));
    return k;
}

/* ---- keys -------------------------------------------------------------------------------- */

static void key_lengths(void)
{
    static uint8_t long_raw[100];
    test_case("keys: each construction takes its key length and no other");
    for (int alg = -2; alg <= 300; alg++)
        for (size_t len = 0; len <= 70; len++) {
            plait_key k;
            memset(&k, 0x5a, sizeof k);
            const int good = alg >= 1 && alg <= 5 && len == alg_key_len((plait_alg)alg);
            AT("alg %zu, key of %zu", (size_t)alg, len);
            CHECK_INT(plait_key_init(&k, (plait_alg)alg, long_raw, len),
                      good ? PLAIT_OK : PLAIT_ERR_ARGUMENT);
            if (!good) CHECK(all_bytes(&k, sizeof k, 0));
            CHECK_INT(plait_key_tag_len(&k), good ? 16 : 0);
            CHECK((strcmp(plait_key_kernel(&k), "none") != 0) == good);
        }
    plait_key k;
    memset(&k, 0x5a, sizeof k);
    CHECK_INT(plait_key_init(&k, PLAIT_AES_128_GCM, NULL, 16), PLAIT_ERR_ARGUMENT);
    CHECK(all_bytes(&k, sizeof k, 0));
    CHECK_INT(plait_key_init(NULL, PLAIT_AES_128_GCM, raw, 16), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_key_init(&k, PLAIT_AES_128_GCM, raw, (size_t)-1), PLAIT_ERR_ARGUMENT);
    plait_key_wipe(NULL);
}

static void tag_lengths(void)
{
    test_case("keys: tag lengths 16, and for GCM 12 to 15, 8 and 4");
    for (size_t a = 0; a < COUNT(all_algs); a++)
        for (size_t len = 0; len <= 40; len++) {
            const plait_alg alg = all_algs[a];
            const int good = len == 16 || (alg_is_gcm(alg) &&
                                           (len == 4 || len == 8 || (len >= 12 && len <= 15)));
            plait_key k;
            memset(&k, 0x5a, sizeof k);
            AT("alg %zu, tag of %zu", (size_t)alg, len);
            CHECK_INT(plait_key_init_tag(&k, alg, raw, alg_key_len(alg), len),
                      good ? PLAIT_OK : PLAIT_ERR_ARGUMENT);
            CHECK_INT(plait_key_tag_len(&k), good ? len : 0);
            if (!good) {
                CHECK(all_bytes(&k, sizeof k, 0));
                continue;
            }
            uint8_t right[16];
            const size_t n = alg_nonce_len(alg);
            oracle_seal(alg_is_gcm(alg), sealed, right, raw, alg_key_len(alg), nonce, n, ad, 5,
                        text, 40);
            fill();
            CHECK_OK(plait_seal(&k, out, tag, nonce, n, ad, 5, text, 40));
            CHECK_MEM(tag, right, len);
            CHECK(all_bytes(tag + len, 16 - len, 0xa5));
            /* what lies behind a short tag does not matter; each of its bits does */
            CHECK_OK(plait_open(&k, out, nonce, n, ad, 5, sealed, 40, tag));
            for (size_t bit = 0; bit < 8 * len; bit++) {
                uint8_t forged[16];
                memcpy(forged, right, 16);
                forged[bit / 8] ^= (uint8_t)(1 << bit % 8);
                CHECK_INT(plait_open(&k, out, nonce, n, ad, 5, sealed, 40, forged), PLAIT_ERR_TAG);
                plait_stream s;
                CHECK_OK(plait_stream_init(&s, &k, nonce, n));
                CHECK_OK(plait_stream_ad(&s, &k, ad, 5));
                CHECK_OK(plait_stream_open_unverified(&s, &k, out, sealed, 40));
                CHECK_INT(plait_stream_open_final(&s, &k, forged), PLAIT_ERR_TAG);
            }
            plait_stream s;
            fill();
            CHECK_OK(plait_stream_init(&s, &k, nonce, n));
            CHECK_OK(plait_stream_ad(&s, &k, ad, 5));
            CHECK_OK(plait_stream_seal(&s, &k, out, text, 40));
            CHECK_OK(plait_stream_seal_final(&s, &k, tag));
            CHECK_MEM(tag, right, len);
            CHECK(all_bytes(tag + len, 16 - len, 0xa5));
        }
}

static void key_values(plait_alg alg)
{
    test_case("%s: an all-zero, wiped or half-made key is refused everywhere", alg_name(alg));
    const size_t n = alg_nonce_len(alg);
    plait_key live = new_key(alg), dead[3];
    memset(&dead[0], 0, sizeof dead[0]);
    dead[1] = new_key(alg);
    plait_key_wipe(&dead[1]);
    CHECK(all_bytes(&dead[1], sizeof dead[1], 0));
    dead[2] = new_key(alg);
    CHECK_INT(plait_key_init(&dead[2], alg, raw, 7),
              PLAIT_ERR_ARGUMENT); /* a good key, then a failed init */
    CHECK(all_bytes(&dead[2], sizeof dead[2], 0));
    for (size_t i = 0; i <= COUNT(dead); i++) {
        const plait_key *k = i < COUNT(dead) ? &dead[i] : NULL;
        plait_stream s;
        AT("key %zu", i);
        CHECK(strcmp(plait_key_kernel(k), "none") == 0);
        CHECK_INT(plait_key_tag_len(k), 0);
        fill();
        CHECK_INT(plait_seal(k, out, tag, nonce, n, ad, 3, text, 50), PLAIT_ERR_ARGUMENT);
        CHECK_INT(plait_open(k, out, nonce, n, ad, 3, text, 50, tag), PLAIT_ERR_ARGUMENT);
        CHECK_INT(plait_stream_init(&s, k, nonce, n), PLAIT_ERR_ARGUMENT);
        CHECK_INT(plait_stream_seal(&s, &live, out, text, 5), PLAIT_ERR_ORDER);
        /* a stream that lives, and a key that does not */
        for (int call = 0; call < 5; call++) {
            CHECK_OK(plait_stream_init(&s, &live, nonce, n));
            plait_status got = PLAIT_OK;
            if (call == 0) got = plait_stream_ad(&s, k, ad, 3);
            if (call == 1) got = plait_stream_seal(&s, k, out, text, 3);
            if (call == 2) got = plait_stream_open_unverified(&s, k, out, text, 3);
            if (call == 3) got = plait_stream_seal_final(&s, k, tag);
            if (call == 4) got = plait_stream_open_final(&s, k, tag);
            CHECK_INT(got, PLAIT_ERR_ARGUMENT);
            CHECK(all_bytes(&s, sizeof s, 0));
        }
        CHECK(nothing_written());
    }

    test_case("%s: a key is a value", alg_name(alg));
    plait_key copy;
    uint8_t right[16];
    memcpy(&copy, &live, sizeof live);
    plait_key_wipe(&live);
    const plait_key before = copy;
    oracle_seal(alg_is_gcm(alg), sealed, right, raw, alg_key_len(alg), nonce, n, ad, 3, text, 50);
    CHECK_OK(plait_seal(&copy, out, tag, nonce, n, ad, 3, text, 50));
    CHECK_MEM(out, sealed, 50);
    CHECK_MEM(tag, right, 16);
    CHECK_OK(plait_open(&copy, out, nonce, n, ad, 3, sealed, 50, tag));
    CHECK_INT(plait_open(&copy, out, nonce, n, ad, 4, sealed, 50, tag), PLAIT_ERR_TAG);
    /* no error and no use changes it */
    CHECK_INT(plait_open(&copy, out, nonce, 0, ad, 3, sealed, 50, tag), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_seal(&copy, NULL, tag, nonce, n, ad, 3, text, 50), PLAIT_ERR_ARGUMENT);
    CHECK_MEM(&copy, &before, sizeof copy);
}

/* The nonce may lie in what is written: it is read before. And the tag in the text. */
static void shared_memory(plait_alg alg)
{
    test_case("%s: nonce in the output or the tag, tag in the text", alg_name(alg));
    static const size_t lens[] = {0, 5, 16, 64, 300};
    static const char *const limits[] = {"", "-avx512", "-vaes,-avx512", "ssse3", "-aes", "ref"};
    for (size_t n = 1; n <= sizeof nonce; n++)
        for (size_t i = 0; i < COUNT(lens) * COUNT(limits); i++) {
            const size_t len = lens[i % COUNT(lens)];
            uint8_t right[16], area[400], small[64];
            if (!alg_is_gcm(alg) && n != alg_nonce_len(alg)) continue;
            AT("nonce of %zu bytes, text of %zu, limit %zu", n, len, i / COUNT(lens));
            if (plait_cpu_limit(limits[i / COUNT(lens)]) != PLAIT_OK) continue; /* not this CPU's */
            const plait_key k = new_key(alg);
            oracle_seal(alg_is_gcm(alg), sealed, right, raw, alg_key_len(alg), nonce, n, ad, 3,
                        text, len);
            memcpy(area, nonce, n);
            CHECK_OK(plait_seal(&k, area, tag, area, n, ad, 3, text, len));
            CHECK_MEM(area, sealed, len);
            CHECK_MEM(tag, right, 16);
            memcpy(small, nonce, n);
            CHECK_OK(plait_seal(&k, out, small, small, n, ad, 3, text, len));
            CHECK_MEM(small, right, 16);
            memcpy(area, nonce, n);
            CHECK_OK(plait_open(&k, area, area, n, ad, 3, sealed, len, right));
            CHECK_MEM(area, text, len);
            if (len < 16) continue;
            memcpy(area, text, len);
            CHECK_OK(plait_seal(&k, out, area, nonce, n, ad, 3, area, len));
            CHECK_MEM(out, sealed, len);
            CHECK_MEM(area, right, 16);
        }
    CHECK_OK(plait_cpu_limit(NULL));
}

/* ---- NULL, nonce lengths, zero lengths --------------------------------------------------- */

static void nulls(plait_alg alg)
{
    const size_t n = alg_nonce_len(alg);
    const plait_key k = new_key(alg);
    plait_stream s;
    uint8_t right[16];
    test_case("%s: NULL with a length is refused, with nothing written", alg_name(alg));
    fill();
    CHECK_INT(plait_seal(&k, NULL, tag, nonce, n, ad, 3, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_seal(&k, out, NULL, nonce, n, ad, 3, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_seal(&k, out, tag, NULL, n, ad, 3, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_seal(&k, out, tag, nonce, n, NULL, 1, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_seal(&k, out, tag, nonce, n, ad, 3, NULL, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_open(&k, NULL, nonce, n, ad, 3, text, 1, tag), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_open(&k, out, NULL, n, ad, 3, text, 1, tag), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_open(&k, out, nonce, n, NULL, 1, text, 1, tag), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_open(&k, out, nonce, n, ad, 3, NULL, 1, tag), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_open(&k, out, nonce, n, ad, 3, text, 1, NULL), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_stream_init(NULL, &k, nonce, n), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_stream_init(&s, &k, NULL, n), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_stream_ad(NULL, &k, ad, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_stream_seal(NULL, &k, out, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_stream_open_unverified(NULL, &k, out, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_stream_seal_final(NULL, &k, tag), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_stream_open_final(NULL, &k, tag), PLAIT_ERR_ARGUMENT);
    plait_stream_wipe(NULL);
    for (int call = 0; call < 6; call++) {
        plait_status got = PLAIT_OK;
        AT("call %zu", (size_t)call);
        CHECK_OK(plait_stream_init(&s, &k, nonce, n));
        if (call == 0) got = plait_stream_ad(&s, &k, NULL, 1);
        if (call == 1) got = plait_stream_seal(&s, &k, out, NULL, 1);
        if (call == 2) got = plait_stream_seal(&s, &k, NULL, text, 1);
        if (call == 3) got = plait_stream_open_unverified(&s, &k, NULL, text, 1);
        if (call == 4) got = plait_stream_seal_final(&s, &k, NULL);
        if (call == 5) got = plait_stream_open_final(&s, &k, NULL);
        CHECK_INT(got, PLAIT_ERR_ARGUMENT);
        CHECK(all_bytes(&s, sizeof s, 0));
        CHECK_INT(plait_stream_seal_final(&s, &k, tag), PLAIT_ERR_ORDER);
    }
    CHECK(nothing_written());

    test_case("%s: NULL with length 0 is fine everywhere", alg_name(alg));
    oracle_seal(alg_is_gcm(alg), NULL, right, raw, alg_key_len(alg), nonce, n, NULL, 0, NULL, 0);
    CHECK_OK(plait_seal(&k, NULL, tag, nonce, n, NULL, 0, NULL, 0));
    CHECK_MEM(tag, right, 16);
    CHECK_OK(plait_open(&k, NULL, nonce, n, NULL, 0, NULL, 0, right));
    tag[15] ^= 1;
    CHECK_INT(plait_open(&k, NULL, nonce, n, NULL, 0, NULL, 0, tag), PLAIT_ERR_TAG);
    CHECK_INT(plait_open(&k, out, nonce, n, ad, 0, text, 0, tag), PLAIT_ERR_TAG);
    oracle_seal(alg_is_gcm(alg), NULL, right, raw, alg_key_len(alg), nonce, n, ad, 17, NULL, 0);
    CHECK_OK(plait_seal(&k, NULL, tag, nonce, n, ad, 17, NULL, 0));
    CHECK_MEM(tag, right, 16);
    CHECK_OK(plait_open(&k, NULL, nonce, n, ad, 17, NULL, 0, tag));

    test_case("%s: nonce lengths", alg_name(alg));
    static uint8_t long_nonce[70];
    for (size_t len = 0; len <= 70; len++) {
        const int good = alg_is_gcm(alg) ? len > 0 : len == n;
        AT("nonce of %zu", len);
        fill();
        CHECK_INT(plait_seal(&k, out, tag, long_nonce, len, NULL, 0, text, 20),
                  good ? PLAIT_OK : PLAIT_ERR_ARGUMENT);
        if (!good) CHECK(nothing_written());
        if (!good)
            CHECK_INT(plait_open(&k, out, long_nonce, len, NULL, 0, text, 20, tag),
                      PLAIT_ERR_ARGUMENT);
        else
            CHECK_OK(plait_open(&k, out, long_nonce, len, NULL, 0, out, 20, tag));
        CHECK_INT(plait_stream_init(&s, &k, long_nonce, len), good ? PLAIT_OK : PLAIT_ERR_ARGUMENT);
    }
    CHECK_INT(plait_seal(&k, out, tag, NULL, 0, NULL, 0, text, 20), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_stream_init(&s, &k, NULL, 0), PLAIT_ERR_ARGUMENT);
}

/* ---- forgeries --------------------------------------------------------------------------- */

static void forgeries(plait_alg alg)
{
    const size_t n = alg_nonce_len(alg);
    const plait_key k = new_key(alg);
    test_case("%s: a flipped bit anywhere is found, and the output holds zeros", alg_name(alg));
    static const size_t lengths[] = {0, 1, 16, 65, 140, 259};
    for (size_t l = 0; l < COUNT(lengths); l++) {
        const size_t len = lengths[l], ad_len = 21;
        uint8_t m_tag[16], m_ad[21], m_nonce[24], m_ct[300];
        CHECK_OK(plait_seal(&k, sealed, m_tag, nonce, n, ad, ad_len, text, len));
        memcpy(m_ad, ad, ad_len), memcpy(m_nonce, nonce, n), memcpy(m_ct, sealed, len);
        struct {
            uint8_t *p;
            size_t len;
        } where[] = {{m_tag, 16}, {m_ad, ad_len}, {m_nonce, n}, {m_ct, len}};
        for (size_t w = 0; w < COUNT(where); w++)
            for (size_t bit = 0; bit < 8 * where[w].len; bit++) {
                where[w].p[bit / 8] ^= (uint8_t)(1 << bit % 8);
                AT("length %zu, field %zu, bit %zu", len, w, bit);
                fill();
                CHECK_INT(plait_open(&k, out, m_nonce, n, m_ad, ad_len, m_ct, len, m_tag),
                          PLAIT_ERR_TAG);
                CHECK(all_bytes(out, len, 0) && all_bytes(out + len, sizeof out - len, 0xa5));
                where[w].p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
        fill();
        CHECK_INT(plait_open(&k, out, nonce, n, ad, ad_len - 1, sealed, len, m_tag), PLAIT_ERR_TAG);
        if (len > 0) {
            CHECK_INT(plait_open(&k, out, nonce, n, ad, ad_len, sealed, len - 1, m_tag),
                      PLAIT_ERR_TAG);
            CHECK(all_bytes(out, len - 1, 0));
            /* the border between AD and text is authenticated */
            uint8_t joined[21 + 300];
            memcpy(joined, ad, ad_len), memcpy(joined + ad_len, sealed, len);
            CHECK_INT(plait_open(&k, out, nonce, n, joined, ad_len + 1, joined + ad_len + 1,
                                 len - 1, m_tag),
                      PLAIT_ERR_TAG);
        }
        CHECK_OK(plait_open(&k, out, nonce, n, ad, ad_len, sealed, len, m_tag));
        CHECK_MEM(out, text, len);
    }
    /* the tags of an attacker who guesses: all zero, all ones, the tag of another message */
    CHECK_OK(plait_seal(&k, sealed, tag, nonce, n, ad, 3, text, 100));
    uint8_t guess[16];
    for (int i = 0; i < 256; i++) {
        memset(guess, i, 16);
        CHECK_INT(plait_open(&k, out, nonce, n, ad, 3, sealed, 100, guess), PLAIT_ERR_TAG);
    }
}

/* ---- streams ----------------------------------------------------------------------------- */

enum call { INIT, AD, SEAL, OPEN, SEAL_FINAL, OPEN_FINAL, AD_EMPTY, SEAL_EMPTY, OPEN_EMPTY, CALLS };

static plait_status make(enum call c, plait_stream *s, const plait_key *k, size_t n,
                         const uint8_t *right)
{
    switch (c) {
    case INIT:
        return plait_stream_init(s, k, nonce, n);
    case AD:
        return plait_stream_ad(s, k, ad, 3);
    case SEAL:
        return plait_stream_seal(s, k, out, text, 5);
    case OPEN:
        return plait_stream_open_unverified(s, k, out, text, 5);
    case SEAL_FINAL:
        return plait_stream_seal_final(s, k, tag);
    case OPEN_FINAL:
        return plait_stream_open_final(s, k, right);
    case AD_EMPTY:
        return plait_stream_ad(s, k, NULL, 0);
    case SEAL_EMPTY:
        return plait_stream_seal(s, k, NULL, NULL, 0);
    case OPEN_EMPTY:
        return plait_stream_open_unverified(s, k, NULL, NULL, 0);
    case CALLS:
        break;
    }
    return PLAIT_OK;
}

/* Every sequence of up to five calls, against a model of the rules. */
static void orders(plait_alg alg)
{
    const size_t n = alg_nonce_len(alg);
    const plait_key k = new_key(alg);
    uint8_t wrong[16] = {0};
    test_case("%s: every order of streaming calls", alg_name(alg));
    size_t sequences = 1;
    const int depth = test_level == 0 ? 4 : 5;
    for (int i = 0; i < depth; i++) sequences *= CALLS;
    for (size_t sequence = 0; sequence < sequences && !test_failed(); sequence++) {
        enum { DEAD, FRESH, SEALING, OPENING } state = DEAD;
        plait_stream s;
        memset(&s, 0, sizeof s);
        size_t rest = sequence;
        for (int i = 0; i < depth; i++, rest /= CALLS) {
            const enum call c = (enum call)(rest % CALLS);
            plait_status want = PLAIT_ERR_ORDER;
            int next = DEAD;
            if (c == INIT)
                want = PLAIT_OK, next = FRESH;
            else if (state == DEAD)
                next = DEAD;
            else if (c >= AD_EMPTY)
                want = PLAIT_OK, next = (int)state;
            else if (c == AD && state == FRESH)
                want = PLAIT_OK, next = FRESH;
            else if (c == SEAL && state != OPENING)
                want = PLAIT_OK, next = SEALING;
            else if (c == OPEN && state != SEALING)
                want = PLAIT_OK, next = OPENING;
            else if (c == SEAL_FINAL && state != OPENING)
                want = PLAIT_OK;
            else if (c == OPEN_FINAL && state != SEALING)
                want = PLAIT_ERR_TAG;
            AT("sequence %zu (base 9, first call lowest), call %zu", sequence, (size_t)i);
            const plait_status got = make(c, &s, &k, n, wrong);
            CHECK_INT(got, want);
            state = next;
            if (state == DEAD && want != PLAIT_ERR_ORDER) CHECK(all_bytes(&s, sizeof s, 0));
            if (got != want) break;
        }
        if (state == DEAD) CHECK(all_bytes(&s, sizeof s, 0));
    }

    test_case("%s: a stream that failed can not be blessed by a good tag", alg_name(alg));
    uint8_t right[16];
    plait_stream s;
    CHECK_OK(plait_seal(&k, sealed, right, nonce, n, NULL, 0, text, 5));
    CHECK_OK(plait_stream_init(&s, &k, nonce, n));
    CHECK_OK(plait_stream_open_unverified(&s, &k, out, sealed, 5));
    CHECK_INT(plait_stream_ad(&s, &k, ad, 1), PLAIT_ERR_ORDER);
    CHECK_INT(plait_stream_open_final(&s, &k, right), PLAIT_ERR_ORDER);
    CHECK_INT(plait_stream_open_final(&s, &k, right), PLAIT_ERR_ORDER);
    CHECK_OK(plait_stream_init(&s, &k, nonce, n));
    CHECK_OK(plait_stream_open_unverified(&s, &k, out, sealed, 5));
    CHECK_OK(plait_stream_open_final(&s, &k, right));
    CHECK_INT(plait_stream_open_final(&s, &k, right), PLAIT_ERR_ORDER); /* once */
    CHECK_INT(plait_stream_seal_final(&s, &k, tag), PLAIT_ERR_ORDER);

    test_case("%s: a key of another construction or kernel is refused in mid-stream",
              alg_name(alg));
    for (size_t a = 0; a < COUNT(all_algs); a++) {
        if (all_algs[a] == alg) continue;
        const plait_key other = new_key(all_algs[a]);
        CHECK_OK(plait_stream_init(&s, &k, nonce, n));
        CHECK_OK(plait_stream_seal(&s, &k, out, text, 5));
        CHECK_INT(plait_stream_seal(&s, &other, out, text, 5), PLAIT_ERR_ARGUMENT);
        CHECK_INT(plait_stream_seal_final(&s, &k, tag), PLAIT_ERR_ORDER);
    }
}

/* ---- kernels by name --------------------------------------------------------------------- */

static void names(void)
{
    plait_kernel_info info;
    plait_key k;
    test_case("kernels: the list");
    CHECK(plait_kernel_count() == PLAIT_ROW_COUNT);
    CHECK_INT(plait_kernel_at(plait_kernel_count(), &info), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_kernel_at((size_t)-1, &info), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_kernel_at(0, NULL), PLAIT_ERR_ARGUMENT);
    for (size_t i = 0; i < plait_kernel_count(); i++) {
        CHECK_OK(plait_kernel_at(i, &info));
        AT("row %zu", i);
        CHECK(strncmp(info.name, info.family, strlen(info.family)) == 0 &&
              info.name[strlen(info.family)] == '_');
        CHECK(!info.usable || info.built);
        CHECK(!info.preferred || info.usable);
        CHECK(strstr(info.name, "_ref") == NULL || (info.usable && info.needs[0] == 0));
        for (size_t j = 0; j < i; j++) CHECK(strcmp(plait_rows[i]->name, plait_rows[j]->name) != 0);
    }
    static const char *const families[] = {"chacha20", "poly1305", "aes", "ghash"};
    for (size_t f = 0; f < COUNT(families); f++) {
        int preferred = 0;
        for (size_t i = 0; i < plait_kernel_count(); i++) {
            CHECK_OK(plait_kernel_at(i, &info));
            preferred += strcmp(info.family, families[f]) == 0 && info.preferred;
        }
        CHECK_INT(preferred, 1);
    }

    test_case("kernels: plait_key_init_with takes names that fit, and no others");
    struct {
        plait_alg alg;
        const char *name, *becomes; /* NULL: refused */
    } list[] = {
        {PLAIT_AES_128_GCM, "aes_ref+ghash_ref", "aes_ref+ghash_ref"},
        {PLAIT_AES_128_GCM, "ghash_ref+aes_ref", "aes_ref+ghash_ref"},
        {PLAIT_AES_256_GCM, "aes_ref+ghash_ref", "aes_ref+ghash_ref"},
        {PLAIT_CHACHA20_POLY1305, "chacha20_ref+poly1305_ref", "chacha20_ref+poly1305_ref"},
        {PLAIT_CHACHA20_POLY1305, "poly1305_ref26+chacha20_ref", "chacha20_ref+poly1305_ref26"},
        {PLAIT_XCHACHA20_POLY1305, "chacha20_ref+poly1305_ref", "chacha20_ref+poly1305_ref"},
        {PLAIT_AES_128_GCM, "chacha20_ref", NULL},
        {PLAIT_AES_128_GCM, "aes_ref+poly1305_ref", NULL},
        {PLAIT_CHACHA20_POLY1305, "aes_ref", NULL},
        {PLAIT_CHACHA20_POLY1305, "chacha20_ref+chacha20_ref", NULL},
        {PLAIT_CHACHA20_POLY1305, "chacha20_ref+", NULL},
        {PLAIT_CHACHA20_POLY1305, "+chacha20_ref", NULL},
        {PLAIT_CHACHA20_POLY1305, "chacha20_ref+poly1305_ref+poly1305_ref", NULL},
        {PLAIT_CHACHA20_POLY1305, "chacha20_ref ", NULL},
        {PLAIT_CHACHA20_POLY1305, "chacha20_re", NULL},
        {PLAIT_CHACHA20_POLY1305, "chacha20_reff", NULL},
        {PLAIT_CHACHA20_POLY1305, "CHACHA20_REF", NULL},
        {PLAIT_CHACHA20_POLY1305, "chacha20", NULL},
        {PLAIT_CHACHA20_POLY1305, "", NULL},
        {PLAIT_CHACHA20_POLY1305, "none", NULL},
    };
    for (size_t i = 0; i < COUNT(list); i++) {
        AT("name %zu", i);
        memset(&k, 0x5a, sizeof k);
        CHECK_INT(plait_key_init_with(&k, list[i].alg, raw, alg_key_len(list[i].alg), list[i].name),
                  list[i].becomes ? PLAIT_OK : PLAIT_ERR_KERNEL);
        if (list[i].becomes)
            CHECK(strcmp(plait_key_kernel(&k), list[i].becomes) == 0);
        else
            CHECK(all_bytes(&k, sizeof k, 0));
    }
    CHECK_INT(plait_key_init_with(&k, PLAIT_AES_128_GCM, raw, 17, "aes_ref"), PLAIT_ERR_ARGUMENT);

    test_case("kernels: a part alone is completed, every row by its name, not usable ones refused");
    for (size_t i = 0; i < plait_kernel_count(); i++) {
        CHECK_OK(plait_kernel_at(i, &info));
        AT("row %zu", i);
        const int gcm = strcmp(info.family, "aes") == 0 || strcmp(info.family, "ghash") == 0 ||
                        strcmp(info.family, "aes_gcm") == 0;
        const plait_alg alg = gcm ? PLAIT_AES_256_GCM : PLAIT_CHACHA20_POLY1305;
        memset(&k, 0x5a, sizeof k);
        CHECK_INT(plait_key_init_with(&k, alg, raw, 32, info.name),
                  info.usable ? PLAIT_OK : PLAIT_ERR_KERNEL);
        if (info.usable)
            CHECK(strstr(plait_key_kernel(&k), info.name) != NULL);
        else
            CHECK(all_bytes(&k, sizeof k, 0));
        /* by the other construction, and by the functions of each family */
        CHECK_INT(plait_key_init_with(&k, gcm ? PLAIT_CHACHA20_POLY1305 : PLAIT_AES_256_GCM, raw,
                                      32, info.name),
                  PLAIT_ERR_KERNEL);
        plait_poly1305_state p;
        uint8_t acc[16] = {0};
#define WANT(f) (info.usable && strcmp(info.family, f) == 0 ? PLAIT_OK : PLAIT_ERR_KERNEL)
        fill();
        CHECK_INT(plait_chacha20_xor_with(info.name, out, text, 50, raw, nonce, 1),
                  WANT("chacha20"));
        CHECK_INT(plait_poly1305_with(info.name, tag, text, 50, raw), WANT("poly1305"));
        CHECK_INT(plait_poly1305_init_with(info.name, &p, raw), WANT("poly1305"));
        CHECK_INT(plait_ghash_with(info.name, acc, raw, text, 3), WANT("ghash"));
        CHECK_INT(plait_aes_ctr_xor_with(info.name, out, text, 50, raw, 16, nonce), WANT("aes"));
        CHECK_INT(plait_selftest(info.name), info.usable ? PLAIT_OK : PLAIT_ERR_KERNEL);
#undef WANT
        if (!info.usable) CHECK(nothing_written() && all_bytes(acc, 16, 0));
    }
    CHECK_INT(plait_selftest("no such kernel"), PLAIT_ERR_KERNEL);
    CHECK_OK(plait_selftest(NULL));
}

/* ---- parts ------------------------------------------------------------------------------- */

static void parts(void)
{
    uint8_t want[300], acc[16], right[16];
    plait_poly1305_state s;
    test_case("parts: arguments");
    fill();
    CHECK_INT(plait_chacha20_xor(out, NULL, 1, raw, nonce, 0), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_chacha20_xor(NULL, text, 1, raw, nonce, 0), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_chacha20_xor(out, text, 1, NULL, nonce, 0), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_chacha20_xor(out, text, 1, raw, NULL, 0), PLAIT_ERR_ARGUMENT);
    CHECK_OK(plait_chacha20_xor(NULL, NULL, 0, raw, nonce, 0));
    CHECK_OK(plait_chacha20_xor(NULL, NULL, 0, raw, nonce, 0xffffffff));
    for (size_t len = 0; len <= 40; len++)
        CHECK_INT(plait_aes_ctr_xor(NULL, NULL, 0, raw, len, nonce),
                  len == 16 || len == 24 || len == 32 ? PLAIT_OK : PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_aes_ctr_xor(out, text, 1, raw, 17, nonce), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_aes_ctr_xor(out, NULL, 1, raw, 16, nonce), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_aes_ctr_xor(NULL, text, 1, raw, 16, nonce), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_aes_ctr_xor(out, text, 1, NULL, 16, nonce), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_aes_ctr_xor(out, text, 1, raw, 16, NULL), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_poly1305_with("poly1305_ref", tag, NULL, 1, raw), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_poly1305_with("poly1305_ref", NULL, text, 1, raw), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_poly1305_with("poly1305_ref", tag, text, 1, NULL), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_poly1305_init_with("poly1305_ref", NULL, raw), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_poly1305_init_with("poly1305_ref", &s, NULL), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_poly1305_init_with("poly1305_", &s, raw), PLAIT_ERR_KERNEL);
    CHECK_INT(plait_poly1305_update_with("poly1305_ref", NULL, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_poly1305_final_with("poly1305_ref", NULL, tag), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_ghash_with("ghash_ref", tag, raw, NULL, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_ghash_with("ghash_ref", NULL, raw, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_ghash_with("ghash_ref", tag, NULL, text, 1), PLAIT_ERR_ARGUMENT);
    CHECK(nothing_written());
    CHECK_OK(plait_ghash_with("ghash_ref", tag, raw, NULL, 0));
    CHECK(nothing_written());

    test_case("parts: the functions without a name");
    CHECK_OK(plait_chacha20_xor(out, text, 300, raw, nonce, 3));
    oracle_chacha20(want, text, 300, raw, nonce, 3);
    CHECK_MEM(out, want, 300);
    oracle_aes o;
    oracle_aes_init(&o, raw, 24);
    CHECK_OK(plait_aes_ctr_xor(out, text, 300, raw, 24, nonce));
    oracle_aes_ctr(&o, want, text, 300, nonce, 16);
    CHECK_MEM(out, want, 300);
    memcpy(acc, nonce, 16), memcpy(right, nonce, 16);
    plait_ghash(acc, raw, text, 10);
    oracle_ghash(right, raw, text, 160);
    CHECK_MEM(acc, right, 16);
    plait_ghash(acc, raw, NULL, 0);
    CHECK_MEM(acc, right, 16);
    for (size_t len = 0; len < 300; len++) {
        oracle_poly1305(right, text, len, raw);
        plait_poly1305(tag, text, len, raw);
        CHECK_MEM(tag, right, 16);
        plait_poly1305_init(&s, raw);
        plait_poly1305_update(&s, text, len / 2);
        plait_poly1305_update(&s, NULL, 0);
        plait_poly1305_state copy = s; /* a value */
        plait_poly1305_update(&copy, text + len / 2, len - len / 2);
        plait_poly1305_final(&copy, tag);
        CHECK_MEM(tag, right, 16);
        CHECK(all_bytes(&copy, sizeof copy, 0));
    }
    plait_poly1305(tag, NULL, 0, raw);
    CHECK_MEM(tag, raw + 16, 16);

    test_case("parts: an incremental Poly1305 stays with its kernel");
    CHECK_OK(plait_poly1305_init_with("poly1305_ref", &s, raw));
    CHECK_INT(plait_poly1305_update_with("poly1305_ref26", &s, text, 5), PLAIT_ERR_KERNEL);
    CHECK_INT(plait_poly1305_final_with("poly1305_ref26", &s, tag), PLAIT_ERR_KERNEL);
    CHECK_INT(plait_poly1305_final_with("poly1305", &s, tag), PLAIT_ERR_KERNEL);
    CHECK_OK(plait_poly1305_update_with("poly1305_ref", &s, text, 5));
    CHECK_INT(plait_poly1305_update_with("poly1305_ref", &s, NULL, 5), PLAIT_ERR_ARGUMENT);
    CHECK_OK(plait_poly1305_update_with("poly1305_ref", &s, NULL, 0));
    CHECK_INT(plait_poly1305_final_with("poly1305_ref", &s, NULL), PLAIT_ERR_ARGUMENT);
    CHECK_OK(plait_poly1305_final_with("poly1305_ref", &s, tag));
    oracle_poly1305(right, text, 5, raw);
    CHECK_MEM(tag, right, 16);
    CHECK(plait_poly1305_update_with("poly1305_ref", &s, text, 5) != PLAIT_OK);
    CHECK(plait_poly1305_final_with("poly1305_ref", &s, tag) != PLAIT_OK);
}

static void texts(void)
{
    test_case("texts");
    for (int status = -8; status <= 3; status++) {
        const char *t = plait_status_text((plait_status)status);
        CHECK(t != NULL && t[0] != 0 && strchr(t, '\n') == NULL);
        for (int other = -5; other < status; other++)
            if (status <= 0) CHECK(strcmp(t, plait_status_text((plait_status)other)) != 0);
    }
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", PLAIT_VERSION_MAJOR, PLAIT_VERSION_MINOR,
             PLAIT_VERSION_PATCH);
    CHECK(strcmp(plait_version(), version) == 0);
    plait_cpu_feature f;
    CHECK(plait_cpu_feature_count() == PLAIT_CPU_BIT_COUNT);
    CHECK_INT(plait_cpu_feature_at(plait_cpu_feature_count(), &f), PLAIT_ERR_ARGUMENT);
    CHECK_INT(plait_cpu_feature_at(0, NULL), PLAIT_ERR_ARGUMENT);
    for (size_t i = 0; i < plait_cpu_feature_count(); i++) {
        CHECK_OK(plait_cpu_feature_at(i, &f));
        CHECK(f.name[0] != 0 && f.what[0] != 0 && (!f.enabled || f.present));
    }
    CHECK(PLAIT_OK == 0 && PLAIT_ERR_TAG == -1 && PLAIT_ERR_LENGTH == -2 &&
          PLAIT_ERR_ARGUMENT == -3 && PLAIT_ERR_ORDER == -4 && PLAIT_ERR_KERNEL == -5);
    CHECK(PLAIT_AES_128_GCM == 1 && PLAIT_AES_192_GCM == 2 && PLAIT_AES_256_GCM == 3 &&
          PLAIT_CHACHA20_POLY1305 == 4 && PLAIT_XCHACHA20_POLY1305 == 5);
}

int main(void)
{
    test_start("api: does the API keep its rules?");
    random_bytes(raw, sizeof raw);
    random_bytes(nonce, sizeof nonce);
    random_bytes(ad, sizeof ad);
    random_bytes(text, sizeof text);
    key_lengths();
    tag_lengths();
    for (size_t i = 0; i < COUNT(all_algs); i++) {
        key_values(all_algs[i]);
        shared_memory(all_algs[i]);
        nulls(all_algs[i]);
        forgeries(all_algs[i]);
        orders(all_algs[i]);
    }
    names();
    parts();
    texts();
    return test_finish();
}
