/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a batch the same as one call per message? Any mixture of constructions, kernels, lengths and
 * tag lengths; a message that fails spoils no other; counts around every group of lanes; guard
 * pages.
 */
#include "harness.h"
#include "oracle.h"

#define MOST    150
#define LONGEST 3000

typedef struct item {
    plait_key key;
    plait_alg alg;
    uint8_t raw[32], nonce[40], ad[80], in[LONGEST], sealed[LONGEST], tag[16];
    uint8_t out[LONGEST + 16], out_tag[16 + 16];
    size_t nonce_len, ad_len, len, tag_len;
} item;

static item items[MOST];
static plait_message messages[MOST + 1];

/* A message with its right answer, from the oracle. */
static void new_item(item *m, plait_alg alg, const char *kernel, size_t len)
{
    m->alg = alg;
    m->len = len;
    m->ad_len = random_below(3) ? random_below(30) : random_below(sizeof m->ad);
    m->nonce_len = alg_is_gcm(alg) && random_below(5) == 0 ? 1 + random_below(sizeof m->nonce)
                                                           : alg_nonce_len(alg);
    random_bytes(m->raw, sizeof m->raw);
    random_bytes(m->nonce, sizeof m->nonce);
    random_bytes(m->ad, m->ad_len);
    random_bytes(m->in, len);
    if (kernel != NULL)
        CHECK_OK(plait_key_init_with(&m->key, alg, m->raw, alg_key_len(alg), kernel));
    else
        CHECK_OK(plait_key_init_tag(&m->key, alg, m->raw, alg_key_len(alg),
                                    alg_is_gcm(alg) && random_below(4) == 0 ? 12 + random_below(4)
                                                                            : 16));
    m->tag_len = plait_key_tag_len(&m->key);
    oracle_seal(alg_is_gcm(alg), m->sealed, m->tag, m->raw, alg_key_len(alg), m->nonce,
                m->nonce_len, m->ad, m->ad_len, m->in, len);
}

static void set_message(plait_message *p, item *m, int opening, int in_place)
{
    memset(m->out, 0xa5, sizeof m->out);
    memset(m->out_tag, 0xa5, sizeof m->out_tag);
    const uint8_t *from = opening ? m->sealed : m->in;
    if (in_place) memcpy(m->out, from, m->len);
    p->key = &m->key;
    p->out = m->out;
    p->tag = opening ? m->tag : m->out_tag;
    p->nonce = m->nonce, p->nonce_len = m->nonce_len;
    p->ad = m->ad, p->ad_len = m->ad_len;
    p->in = in_place ? m->out : from, p->in_len = m->len;
    p->status = (plait_status)77;
}

static void check_message(const plait_message *p, const item *m, int opening, plait_status want)
{
    CHECK_INT(p->status, want);
    CHECK(all_bytes(m->out + m->len, sizeof m->out - m->len, 0xa5));
    if (want == PLAIT_OK) {
        CHECK_MEM(m->out, opening ? m->in : m->sealed, m->len);
        if (!opening) {
            CHECK_MEM(m->out_tag, m->tag, m->tag_len);
            CHECK(all_bytes(m->out_tag + m->tag_len, sizeof m->out_tag - m->tag_len, 0xa5));
        }
    } else if (want == PLAIT_ERR_TAG)
        CHECK(all_bytes(m->out, m->len, 0));
    else
        CHECK(all_bytes(m->out_tag, sizeof m->out_tag, 0xa5));
}

static void run(size_t count, int in_place)
{
    for (int opening = 0; opening < 2; opening++) {
        for (size_t i = 0; i < count; i++) set_message(&messages[i], &items[i], opening, in_place);
        CHECK_INT((opening ? plait_open_batch : plait_seal_batch)(messages, count), 0);
        for (size_t i = 0; i < count; i++)
            check_message(&messages[i], &items[i], opening, PLAIT_OK);
    }
}

static void one_kernel(plait_alg alg, const char *name)
{
    test_case("%s: %s, equal lengths", name, alg_name(alg));
    /* each number of blocks modulo 4, alone and behind others */
    static const size_t lengths[] = {0,   1,   15,  16,  17,  31,  40,  63,  64,  65,  95,
                                     110, 127, 128, 129, 192, 255, 256, 257, 511, 512, 1350};
    for (size_t l = 0; l < COUNT(lengths); l++)
        for (size_t count = 0; count <= 40 && !test_failed();
             count += count < 20 || test_level == 2 ? 1 : 5) {
            if (test_level == 0 && count > 9 && count != 15 && count != 16 && count != 17) continue;
            for (size_t i = 0; i < count; i++) new_item(&items[i], alg, name, lengths[l]);
            AT("%zu messages of %zu", count, lengths[l]);
            run(count, (int)(count & 1));
        }
    test_case("%s: %s, mixed lengths", name, alg_name(alg));
    for (size_t round = 0; round < (test_level == 0 ? 12 : 60) && !test_failed(); round++) {
        const size_t count = 1 + random_below(round % 5 == 0 ? MOST : 40),
                     most = round % 3 == 0 ? LONGEST : 300;
        for (size_t i = 0; i < count; i++)
            new_item(&items[i], alg, name, random_below(4) ? random_below(most) : 64);
        AT("round %zu, %zu messages", round, count);
        run(count, (int)(round & 1));
    }
    test_case("%s: %s, one key for all, every length", name, alg_name(alg));
    for (size_t base = 0; base < 560 && !test_failed(); base += 37) {
        for (size_t i = 0; i < 40; i++) new_item(&items[i], alg, name, base + i);
        AT("lengths %zu to %zu", base, base + 39);
        for (int opening = 0; opening < 2; opening++) {
            for (size_t i = 0; i < 40; i++) {
                oracle_seal(alg_is_gcm(alg), items[i].sealed, items[i].tag, items[0].raw,
                            alg_key_len(alg), items[i].nonce, items[i].nonce_len, items[i].ad,
                            items[i].ad_len, items[i].in, items[i].len);
                set_message(&messages[i], &items[i], opening, 0);
                messages[i].key = &items[0].key;
            }
            CHECK_INT((opening ? plait_open_batch : plait_seal_batch)(messages, 40), 0);
            for (size_t i = 0; i < 40; i++)
                check_message(&messages[i], &items[i], opening, PLAIT_OK);
        }
    }
}

static const char *any_kernel(plait_alg alg, kernel_choice *const lists[2], const size_t counts[2])
{
    const int g = alg_is_gcm(alg);
    return counts[g] == 0 || random_below(2) ? NULL : lists[g][random_below(counts[g])].name;
}

int main(void)
{
    kernel_choice *lists[2];
    size_t counts[2];
    test_start("batch: is a batch the same as one call per message?");
    for (int g = 0; g < 2; g++) counts[g] = kernel_choices(g, &lists[g]);
    for (size_t a = 0; a < COUNT(all_algs); a++) {
        const int g = alg_is_gcm(all_algs[a]);
        if (test_level == 0 && all_algs[a] == PLAIT_AES_192_GCM) continue;
        for (size_t c = 0; c < counts[g]; c++) one_kernel(all_algs[a], lists[g][c].name);
    }

    test_case("mixed constructions, kernels, lengths and tag lengths");
    for (size_t round = 0; round < (test_level == 0 ? 20 : 150) && !test_failed(); round++) {
        const size_t count = random_below(round % 4 == 0 ? MOST : 36);
        for (size_t i = 0; i < count; i++) {
            const plait_alg alg = all_algs[random_below(COUNT(all_algs))];
            new_item(&items[i], alg, any_kernel(alg, lists, counts),
                     random_below(round % 2 ? 200 : LONGEST));
        }
        AT("round %zu, %zu messages", round, count);
        run(count, (int)(round & 1));
    }

    test_case("a message that fails spoils no other");
    for (size_t round = 0; round < (test_level == 0 ? 30 : 300) && !test_failed(); round++) {
        const size_t count = 1 + random_below(50);
        plait_status want[MOST];
        const int opening = (int)(round & 1);
        size_t failures = 0;
        static plait_key no_key;
        for (size_t i = 0; i < count; i++) {
            const plait_alg alg =
                all_algs[round % 3 == 0 ? round % COUNT(all_algs) : random_below(COUNT(all_algs))];
            item *m = &items[i];
            plait_message *p = &messages[i];
            new_item(m, alg, any_kernel(alg, lists, counts), 1 + random_below(300));
            m->ad[0] = 1;
            if (m->ad_len == 0) m->ad_len = 1;
            oracle_seal(alg_is_gcm(alg), m->sealed, m->tag, m->raw, alg_key_len(alg), m->nonce,
                        m->nonce_len, m->ad, m->ad_len, m->in, m->len);
            set_message(p, m, opening, 0);
            want[i] = PLAIT_ERR_ARGUMENT;
            switch (random_below(14)) {
            case 0:
                p->key = NULL;
                break;
            case 1:
                p->key = &no_key;
                break;
            case 2:
                p->out = NULL;
                break;
            case 3:
                p->in = NULL;
                break;
            case 4:
                p->ad = NULL;
                break;
            case 5:
                p->nonce = NULL;
                break;
            case 6:
                p->nonce_len = 0;
                break;
            case 7:
                p->tag = NULL;
                break;
            case 8:
                p->in = m->out + 1; /* overlaps in part, if there is more than one byte */
                if (m->len == 1) p->nonce_len = 0;
                break;
            case 9:
                if (sizeof(size_t) > 4)
                    p->in_len = (size_t)-1, want[i] = PLAIT_ERR_LENGTH;
                else
                    p->key = NULL;
                break;
            case 10:
                if (opening)
                    m->tag[random_below(m->tag_len)] ^= 4, want[i] = PLAIT_ERR_TAG;
                else
                    want[i] = PLAIT_OK;
                break;
            case 11:
                if (opening)
                    m->sealed[random_below(m->len)] ^= 32, want[i] = PLAIT_ERR_TAG;
                else
                    want[i] = PLAIT_OK;
                break;
            default:
                want[i] = PLAIT_OK;
            }
            failures += want[i] != PLAIT_OK;
        }
        AT("round %zu, %zu messages", round, count);
        CHECK_INT((opening ? plait_open_batch : plait_seal_batch)(messages, count), failures);
        for (size_t i = 0; i < count; i++) {
            AT("round %zu, message %zu of %zu", round, i, count);
            check_message(&messages[i], &items[i], opening, want[i]);
            if (want[i] == PLAIT_ERR_ARGUMENT || want[i] == PLAIT_ERR_LENGTH)
                CHECK(all_bytes(items[i].out, sizeof items[i].out, 0xa5));
        }
    }

    test_case("no messages");
    CHECK_INT(plait_seal_batch(NULL, 0), 0);
    CHECK_INT(plait_open_batch(NULL, 0), 0);
    CHECK_INT(plait_seal_batch(NULL, 3), 3);
    CHECK_INT(plait_open_batch(NULL, 3), 3);
    CHECK_INT(plait_seal_batch(messages, 0), 0);

    /* Each message's buffers end at a guard page: lanes that are shorter than their neighbours
     * must not read on. */
    test_case("messages of different lengths between guard pages");
    enum { LANES = 40 };
    guarded in[LANES], out[LANES], ad[LANES];
    for (int i = 0; i < LANES; i++)
        in[i] = guarded_new(2000), out[i] = guarded_new(2000), ad[i] = guarded_new(100);
    for (size_t round = 0; round < (test_level == 0 ? 30 : 200) && !test_failed(); round++)
        for (int opening = 0; opening < 2; opening++) {
            const plait_alg alg = all_algs[round % COUNT(all_algs)];
            const int at_end = round % 3 != 0;
            for (size_t i = 0; i < LANES; i++) {
                item *m = &items[i];
                new_item(m, alg, NULL, random_below(round % 2 ? 200 : 1500));
                set_message(&messages[i], m, opening, 0);
                const size_t from = at_end ? in[i].size - m->len : 0,
                             ad_from = at_end ? ad[i].size - m->ad_len : 0;
                if (m->len) memcpy(in[i].rw + from, opening ? m->sealed : m->in, m->len);
                if (m->ad_len) memcpy(ad[i].rw + ad_from, m->ad, m->ad_len);
                memset(out[i].rw, 0xa5, out[i].size);
                messages[i].in = in[i].ro + from;
                messages[i].ad = ad[i].ro + ad_from;
                messages[i].out = out[i].rw + (at_end ? out[i].size - m->len : 0);
            }
            AT("round %zu", round);
            CHECK_INT((opening ? plait_open_batch : plait_seal_batch)(messages, LANES), 0);
            for (size_t i = 0; i < LANES; i++) {
                CHECK_OK(messages[i].status);
                CHECK_MEM(messages[i].out, opening ? items[i].in : items[i].sealed, items[i].len);
                CHECK(all_bytes(out[i].rw + (at_end ? 0 : items[i].len), out[i].size - items[i].len,
                                0xa5));
            }
        }
    free(lists[0]), free(lists[1]);
    return test_finish();
}
