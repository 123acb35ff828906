/* SPDX-License-Identifier: Apache-2.0
 *
 * Are the limits where the standards put them? Lengths that nobody has memory for, with pointers
 * that would fault: over the limit is refused before a byte is touched. Streams sum up over calls,
 * without overflow. One below the limit is accepted (here as far as a test can: the raw ChaCha20
 * counter and its last block; the totals of a stream by sealing their last bytes, in the long
 * form).
 */
#include "harness.h"
#include "oracle.h"

static uint8_t raw[32], nonce[24], text[4096], out[4096];

#define GCM_MOST    ((UINT64_C(1) << 36) - 32)
#define CHACHA_MOST ((UINT64_C(1) << 38) - 64)
#define AD_MOST     ((UINT64_C(1) << 61) - 1)

#if SIZE_MAX > UINT32_MAX
static uint8_t tag[16];
/* Nothing is mapped there. */
static uint8_t *const far_in = (uint8_t *)(uintptr_t)UINT64_C(0x100000000000);
static uint8_t *const far_out = (uint8_t *)(uintptr_t)UINT64_C(0x600000000000);

static void aead(plait_alg alg)
{
    const size_t n = alg_nonce_len(alg);
    const uint64_t most = alg_is_gcm(alg) ? GCM_MOST : CHACHA_MOST;
    const uint64_t over[] = {most + 1,          most + 2,          most + 16,
                             most * 2,          UINT64_C(1) << 40, UINT64_C(1) << 61,
                             UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX - 31,
                             UINT64_MAX - 15,   UINT64_MAX};
    plait_key k;
    plait_stream s;
    test_case("%s: text and AD over the limit", alg_name(alg));
    CHECK_OK(plait_key_init(&k, alg, raw, alg_key_len(alg)));
    memset(tag, 0xa5, sizeof tag);
    for (size_t i = 0; i < COUNT(over); i++) {
        AT("case %zu", i);
        CHECK_INT(plait_seal(&k, far_out, tag, nonce, n, NULL, 0, far_in, over[i]),
                  PLAIT_ERR_LENGTH);
        CHECK_INT(plait_seal(&k, far_in, tag, nonce, n, NULL, 0, far_in, over[i]),
                  PLAIT_ERR_LENGTH);
        CHECK_INT(plait_open(&k, far_out, nonce, n, NULL, 0, far_in, over[i], tag),
                  PLAIT_ERR_LENGTH);
        CHECK_OK(plait_stream_init(&s, &k, nonce, n));
        CHECK_INT(plait_stream_seal(&s, &k, far_out, far_in, over[i]), PLAIT_ERR_LENGTH);
        CHECK(all_bytes(&s, sizeof s, 0));
        CHECK_OK(plait_stream_init(&s, &k, nonce, n));
        CHECK_INT(plait_stream_open_unverified(&s, &k, far_out, far_in, over[i]), PLAIT_ERR_LENGTH);
        CHECK_INT(plait_stream_open_final(&s, &k, tag), PLAIT_ERR_ORDER);
        plait_message m = {.key = &k,
                           .out = far_out,
                           .tag = tag,
                           .nonce = nonce,
                           .nonce_len = n,
                           .in = far_in,
                           .in_len = over[i]};
        CHECK_INT(plait_seal_batch(&m, 1), 1);
        CHECK_INT(m.status, PLAIT_ERR_LENGTH);
        CHECK_INT(plait_open_batch(&m, 1), 1);
        CHECK_INT(m.status, PLAIT_ERR_LENGTH);
    }
    const uint64_t ad_over[] = {AD_MOST + 1, AD_MOST + 2, UINT64_C(1) << 62, UINT64_C(1) << 63,
                                UINT64_MAX};
    for (size_t i = 0; i < COUNT(ad_over); i++) {
        AT("AD case %zu", i);
        CHECK_INT(plait_seal(&k, out, tag, nonce, n, far_in, ad_over[i], text, 1),
                  PLAIT_ERR_LENGTH);
        CHECK_INT(plait_open(&k, out, nonce, n, far_in, ad_over[i], text, 1, tag),
                  PLAIT_ERR_LENGTH);
        CHECK_OK(plait_stream_init(&s, &k, nonce, n));
        CHECK_INT(plait_stream_ad(&s, &k, far_in, ad_over[i]), PLAIT_ERR_LENGTH);
        CHECK(all_bytes(&s, sizeof s, 0));
    }
    CHECK(all_bytes(tag, sizeof tag, 0xa5));

    /* The sum over the calls counts, and does not wrap. */
    test_case("%s: text and AD over the limit in the sum of several calls", alg_name(alg));
    static const size_t firsts[] = {1, 15, 16, 63, 64, 65, 4096};
    for (size_t i = 0; i < COUNT(firsts); i++) {
        const uint64_t rest[] = {most - firsts[i] + 1,
                                 most - firsts[i] + 64,
                                 most,
                                 UINT64_MAX - firsts[i],
                                 UINT64_MAX - firsts[i] + 1,
                                 UINT64_MAX - firsts[i] / 2,
                                 UINT64_MAX};
        const uint64_t ad_rest[] = {AD_MOST - firsts[i] + 1, AD_MOST, UINT64_MAX - firsts[i] + 1,
                                    UINT64_MAX};
        for (size_t j = 0; j < COUNT(rest); j++)
            for (int opening = 0; opening < 2; opening++) {
                AT("first %zu, case %zu", firsts[i], j);
                CHECK_OK(plait_stream_init(&s, &k, nonce, n));
                CHECK_OK((opening ? plait_stream_open_unverified
                                  : plait_stream_seal)(&s, &k, out, text, firsts[i]));
                CHECK_INT((opening ? plait_stream_open_unverified
                                   : plait_stream_seal)(&s, &k, far_out, far_in, rest[j]),
                          PLAIT_ERR_LENGTH);
                CHECK(all_bytes(&s, sizeof s, 0));
            }
        for (size_t j = 0; j < COUNT(ad_rest); j++) {
            AT("AD, first %zu, case %zu", firsts[i], j);
            CHECK_OK(plait_stream_init(&s, &k, nonce, n));
            CHECK_OK(plait_stream_ad(&s, &k, text, firsts[i]));
            CHECK_INT(plait_stream_ad(&s, &k, far_in, ad_rest[j]), PLAIT_ERR_LENGTH);
            CHECK(all_bytes(&s, sizeof s, 0));
        }
    }

    /* A nonce of 2^61 bytes would overflow its bit count. */
    test_case("%s: nonce over any limit", alg_name(alg));
    CHECK(plait_seal(&k, out, tag, far_in, UINT64_C(1) << 61, NULL, 0, text, 1) != PLAIT_OK);
    CHECK(plait_seal(&k, out, tag, far_in, UINT64_MAX, NULL, 0, text, 1) != PLAIT_OK);
    CHECK(plait_stream_init(&s, &k, far_in, UINT64_C(1) << 61) != PLAIT_OK);
}

/* The longest message of all, in the only way a test has the time for: 64 GiB through one
 * mebibyte (GCM). */
static void longest(void)
{
    test_case("AES-128-GCM: the longest message, 2^36 - 32 bytes, and one byte more");
    if (test_level < 2 || test_emulated()) {
        test_skip("takes minutes: make check-full");
        return;
    }
    enum { PIECE = 1 << 20 };
    static uint8_t zeros[PIECE], piece[PIECE];
    plait_key k;
    plait_stream s;
    CHECK_OK(plait_key_init(&k, PLAIT_AES_128_GCM, raw, 16));
    CHECK_OK(plait_stream_init(&s, &k, nonce, 12));
    for (uint64_t left = GCM_MOST; left > 0;) {
        const size_t now = left < PIECE ? (size_t)left : PIECE;
        CHECK_OK(plait_stream_seal(&s, &k, piece, zeros, now));
        left -= now;
        if (left == 0) { /* the last block has counter 2^32 - 1, and J0 was not reached again */
            uint8_t block[16], want[16];
            oracle_aes a;
            oracle_aes_init(&a, raw, 16);
            memcpy(block, nonce, 12);
            memset(block + 12, 0xff, 4);
            oracle_aes_block(&a, want, block);
            CHECK_MEM(piece + now - 16, want, 16);
        }
    }
    plait_stream copy = s;
    CHECK_INT(plait_stream_seal(&copy, &k, piece, zeros, 1), PLAIT_ERR_LENGTH);
    CHECK_OK(plait_stream_seal(&s, &k, piece, zeros, 0));
    CHECK_OK(plait_stream_seal_final(&s, &k, tag));
}
#endif

static void chacha20_counter(void)
{
    test_case("ChaCha20: the block with counter 2^32 - 1 is the last");
    for (uint64_t blocks = 1; blocks <= 40; blocks++) {
        const uint32_t counter = (uint32_t)((UINT64_C(1) << 32) - blocks);
        uint8_t want[4096];
        const size_t room = (size_t)blocks * 64;
        AT("%zu blocks left", (size_t)blocks);
        memset(out, 0xa5, sizeof out);
        CHECK_INT(plait_chacha20_xor(out, text, room + 1, raw, nonce, counter), PLAIT_ERR_LENGTH);
        CHECK_INT(plait_chacha20_xor(out, text, room + 64, raw, nonce, counter), PLAIT_ERR_LENGTH);
        CHECK_INT(plait_chacha20_xor(out, out, SIZE_MAX, raw, nonce, counter), PLAIT_ERR_LENGTH);
        CHECK(all_bytes(out, sizeof out, 0xa5));
        CHECK_OK(plait_chacha20_xor(out, text, room, raw, nonce, counter));
        oracle_chacha20(want, text, room, raw, nonce, counter);
        CHECK_MEM(out, want, room);
        CHECK(all_bytes(out + room, sizeof out - room, 0xa5));
    }
#if SIZE_MAX > UINT32_MAX
    CHECK_INT(plait_chacha20_xor(far_out, far_in, (UINT64_C(1) << 38) + 1, raw, nonce, 0),
              PLAIT_ERR_LENGTH);
    CHECK_INT(plait_chacha20_xor(far_out, far_in, (UINT64_C(1) << 38) - 63, raw, nonce, 1),
              PLAIT_ERR_LENGTH);
    CHECK_INT(plait_chacha20_xor(far_out, far_in, UINT64_MAX - 62, raw, nonce, 0),
              PLAIT_ERR_LENGTH);
    CHECK_INT(plait_chacha20_xor(far_out, far_in, UINT64_MAX, raw, nonce, 0), PLAIT_ERR_LENGTH);
#endif
}

static void ghash_blocks(void)
{
    uint8_t acc[16];
    test_case("GHASH: more blocks than there are addresses");
    memset(acc, 0xa5, 16);
    CHECK_INT(plait_ghash_with("ghash_ref", acc, raw, text, SIZE_MAX / 16 + 1), PLAIT_ERR_LENGTH);
    CHECK_INT(plait_ghash_with("ghash_ref", acc, raw, text, SIZE_MAX), PLAIT_ERR_LENGTH);
    CHECK(all_bytes(acc, 16, 0xa5));
}

int main(void)
{
    test_start("limits: are they where the standards put them?");
    random_bytes(raw, sizeof raw);
    random_bytes(nonce, sizeof nonce);
    random_bytes(text, sizeof text);
    chacha20_counter();
    ghash_blocks();
#if SIZE_MAX > UINT32_MAX
    for (size_t i = 0; i < COUNT(all_algs); i++) aead(all_algs[i]);
    longest();
#else
    test_case("text and AD over the limits");
    test_skip("lengths are 32 bits wide here: no call can reach them");
#endif
    return test_finish();
}
