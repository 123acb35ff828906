/* SPDX-License-Identifier: Apache-2.0
 *
 * Are streams right up to their last byte? 2^36 - 32 bytes of GCM and 2^38 - 64 of
 * ChaCha20-Poly1305 take minutes; so here the source of streams is included, and a stream is told
 * that it is almost there. Its last blocks have the last counters, for every kernel, also when the
 * message ends within a block; one byte more is refused, with nothing written.
 */
#include "../src/stream.c"

#include "harness.h"
#include "oracle.h"

enum { NEAR = 5000 };
static uint8_t raw[32], nonce[24], source[NEAR + 64], got[NEAR + 64], want[NEAR + 64];

static void near_the_end(plait_alg alg, const char *name)
{
    const uint64_t most = plait_text_max(alg);
    const int gcm = alg_is_gcm(alg);
    const size_t n = alg_nonce_len(alg), unit = gcm ? 16 : 64;
    plait_key key;
    test_case("%s: %s, the last bytes of the longest message", name, alg_name(alg));
    CHECK_OK(plait_key_init_with(&key, alg, raw, alg_key_len(alg), name));
    for (size_t left = 0; left <= NEAR && !test_failed(); left += left < 300 ? 1 : 239)
        for (int opening = 0; opening < 2; opening++) {
            /* started at a block's beginning, at most `left` + a block before the end */
            const size_t in_all = (left + unit - 1) / unit * unit;
            const uint64_t at = most - in_all;
            const size_t first = in_all - left, cut = left * 2 / 3;
            plait_stream s;
            if (test_level == 0 && left % 5 != 0 && left > 40) continue;
            AT("%zu bytes before the end, opening %zu", left, (size_t)opening);
            if (gcm) {
                uint8_t block[16];
                oracle_aes a;
                oracle_aes_init(&a, raw, alg_key_len(alg));
                memcpy(block, nonce, 12);
                plait_store32_be(block + 12, 2 + (uint32_t)(at / 16));
                oracle_aes_ctr(&a, want, source, in_all, block, 4);
            } else {
                uint8_t sub[32], sub_nonce[12] = {0};
                memcpy(sub, raw, 32);
                memcpy(sub_nonce, nonce, 12);
                if (alg == PLAIT_XCHACHA20_POLY1305) {
                    oracle_hchacha20(sub, raw, nonce);
                    memset(sub_nonce, 0, 4);
                    memcpy(sub_nonce + 4, nonce + 16, 8);
                }
                oracle_chacha20(want, source, in_all, sub, sub_nonce, 1 + (uint32_t)(at / 64));
            }
            plait_status (*const text_of)(plait_stream *, const plait_key *, uint8_t *,
                                          const uint8_t *, size_t) =
                opening ? plait_stream_open_unverified : plait_stream_seal;
            memset(got, 0xa5, sizeof got);
            CHECK_OK(plait_stream_init(&s, &key, nonce, n));
            inside(&s)->text_len = at; /* what a test does once */
            inside(&s)->phase = opening ? PHASE_OPEN : PHASE_SEAL;
            CHECK_OK(text_of(&s, &key, got, source, first));
            plait_stream over = s;
            CHECK_INT(text_of(&over, &key, got + first, source + first, left + 1),
                      PLAIT_ERR_LENGTH);
            CHECK(all_bytes(&over, sizeof over, 0));
            CHECK(all_bytes(got + first, sizeof got - first, 0xa5));
            CHECK_OK(text_of(&s, &key, got + first, source + first, cut));
            CHECK_OK(text_of(&s, &key, got + first + cut, source + first + cut, left - cut));
            CHECK_MEM(got, want, in_all);
            CHECK(all_bytes(got + in_all, sizeof got - in_all, 0xa5));
            over = s;
            CHECK_INT(text_of(&over, &key, got, source, 1), PLAIT_ERR_LENGTH);
            CHECK_OK(text_of(&s, &key, NULL, NULL, 0));
            CHECK(inside(&s)->text_len == most);
        }
}

int main(void)
{
    test_start("stream_end: are streams right up to their last byte?");
    random_bytes(raw, sizeof raw);
    random_bytes(nonce, sizeof nonce);
    random_bytes(source, sizeof source);
    for (size_t a = 0; a < COUNT(all_algs); a++) {
        kernel_choice *choices;
        const size_t count = kernel_choices(alg_is_gcm(all_algs[a]), &choices);
        for (size_t c = 0; c < count; c++) near_the_end(all_algs[a], choices[c].name);
        free(choices);
    }
    return test_finish();
}
