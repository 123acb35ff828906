/* SPDX-License-Identifier: Apache-2.0
 *
 * aead.c - plait_seal and plait_open, one message or many: the argument rules, then the row.
 */
#include <string.h>

#include "internal.h"

/* ---- the argument rules ---------------------------------------------------------------------- */

PLAIT_INLINE plait_status check(const plait_key *key, const uint8_t *out, const uint8_t *tag,
                                const uint8_t *nonce, size_t nonce_len, const uint8_t *ad,
                                size_t ad_len, const uint8_t *in, size_t in_len)
{
    if (!plait_key_valid(key)) return PLAIT_ERR_ARGUMENT;
    const plait_key_fields *k = plait_key_inside(key);
    /* Lengths before pointers: an impossible length would make any two buffers overlap. */
    if (plait_over(in_len, plait_text_max(k->alg)) || plait_over(ad_len, PLAIT_AD_MAX))
        return PLAIT_ERR_LENGTH;
    if (!plait_nonce_allowed(k->alg, nonce_len) || nonce == NULL || tag == NULL ||
        (in_len != 0 && (in == NULL || out == NULL)) || (ad_len != 0 && ad == NULL))
        return PLAIT_ERR_ARGUMENT;
    if (plait_text_overlaps(out, in, in_len) || plait_overlap(out, in_len, tag, k->tag_len) ||
        plait_overlap(out, in_len, ad, ad_len))
        return PLAIT_ERR_ARGUMENT;
    return PLAIT_OK;
}

/* ---- one message ----------------------------------------------------------------------------- */

PLAIT_INLINE void seal_row(const plait_key_fields *k, const plait_start *s, uint8_t *out,
                           uint8_t tag[16], const uint8_t *ad, size_t ad_len, const uint8_t *in,
                           size_t in_len)
{
    const plait_kernel *row = plait_rows[k->row];
    if (k->alg <= PLAIT_AES_256_GCM)
        row->fn.aes_gcm.seal(s->area, out, tag, s->iv, ad, ad_len, in, in_len);
    else
        row->fn.chacha20_poly1305.seal(s->area, out, tag, s->iv, ad, ad_len, in, in_len);
    plait_burn_spills(row);
}

PLAIT_INLINE void open_row(const plait_key_fields *k, const plait_start *s, uint8_t *out,
                           uint8_t tag[16], const uint8_t *ad, size_t ad_len, const uint8_t *in,
                           size_t in_len)
{
    const plait_kernel *row = plait_rows[k->row];
    if (k->alg <= PLAIT_AES_256_GCM)
        row->fn.aes_gcm.open(s->area, out, tag, s->iv, ad, ad_len, in, in_len);
    else
        row->fn.chacha20_poly1305.open(s->area, out, tag, s->iv, ad, ad_len, in, in_len);
    plait_burn_spills(row);
}

/* Compares, destroys what must not be seen, and says so. */
static plait_status verdict(const plait_key_fields *k, uint8_t *out, size_t in_len,
                            uint8_t full[16], const uint8_t *tag)
{
    const uint32_t differs = plait_differs(full, tag, k->tag_len);
    plait_wipe(full, 16); /* the right tag of a forged message is worth as much as the key */
    if (differs == 0) return PLAIT_OK;
    if (in_len != 0) plait_wipe(out, in_len);
    return PLAIT_ERR_TAG;
}

PLAIT_NOINLINE static plait_status seal_any(const plait_key *key, uint8_t *out, uint8_t *tag,
                                            const uint8_t *nonce, size_t nonce_len,
                                            const uint8_t *ad, size_t ad_len, const uint8_t *in,
                                            size_t in_len)
{
    const plait_status status = check(key, out, tag, nonce, nonce_len, ad, ad_len, in, in_len);
    if (status != PLAIT_OK) return status;
    const plait_key_fields *k = plait_key_inside(key);
    plait_start start;
    _Alignas(16) uint8_t full[16];
    plait_message_start(k, &start, nonce, nonce_len);
    seal_row(k, &start, out, full, ad, ad_len, in, in_len);
    plait_message_end(k, &start, nonce_len);
    plait_give_tag(tag, full, k->tag_len);
    return PLAIT_OK;
}

PLAIT_NOINLINE static plait_status open_any(const plait_key *key, uint8_t *out,
                                            const uint8_t *nonce, size_t nonce_len,
                                            const uint8_t *ad, size_t ad_len, const uint8_t *in,
                                            size_t in_len, const uint8_t *tag)
{
    const plait_status status = check(key, out, tag, nonce, nonce_len, ad, ad_len, in, in_len);
    if (status != PLAIT_OK) return status;
    const plait_key_fields *k = plait_key_inside(key);
    plait_start start;
    _Alignas(16) uint8_t full[16];
    plait_message_start(k, &start, nonce, nonce_len);
    open_row(k, &start, out, full, ad, ad_len, in, in_len);
    plait_message_end(k, &start, nonce_len);
    return verdict(k, out, in_len, full, tag);
}

/* AES-GCM of 16 bytes takes some 40 cycles, of which the rules and the three ways through the
 * functions above were 20. So what nearly all messages are, GCM with nonces of 12 bytes and tags of
 * 16, passes by fewer and stricter tests: each answer of yes is one of check(); those that say no
 * have still to ask it. */
PLAIT_INLINE int usual_key(const plait_key *key)
{
    const plait_key_fields *k = plait_key_inside(key);
    return key != NULL && ((k->magic ^ PLAIT_KEY_MAGIC) | (k->alg & ~3u) | (k->tag_len ^ 16u)) == 0;
}

/* The same for ChaCha20-Poly1305, of which 16 bytes take some 310 cycles. */
PLAIT_INLINE int usual_chacha20_key(const plait_key *key)
{
    const plait_key_fields *k = plait_key_inside(key);
    return key != NULL && ((k->magic ^ PLAIT_KEY_MAGIC) | (k->alg ^ PLAIT_CHACHA20_POLY1305) |
                           (k->tag_len ^ 16u)) == 0;
}

PLAIT_INLINE int usual_rest(const uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                            size_t nonce_len, const uint8_t *ad, size_t ad_len, const uint8_t *in,
                            size_t in_len)
{
    const uintptr_t o = (uintptr_t)out, t = (uintptr_t)tag, a = (uintptr_t)ad, i = (uintptr_t)in;
    if (nonce_len != 12) return 0;
    /* Lengths this small are allowed, and their sums do not overflow in 32 bits. */
    if ((in_len | ad_len) >> 30 != 0) return 0;
    if (nonce == NULL || tag == NULL || (ad_len != 0 && ad == NULL)) return 0;
    if (in_len == 0) return 1;
    if (out == NULL || in == NULL) return 0;
    /* in starts with out, or neither starts in the other: i - o is 0 or in [in_len, -in_len]. */
    if (i != o && i - o - in_len > 0 - 2 * (uintptr_t)in_len) return 0;
    /* t - o is in [in_len, -16]; a - o in [in_len, -ad_len]. */
    if (t - o - in_len > 0 - (uintptr_t)in_len - 16) return 0;
    return ad_len == 0 || a - o - in_len <= 0 - (uintptr_t)in_len - ad_len;
}

/* ChaCha20-Poly1305, or what is unusual. */
PLAIT_NOINLINE static plait_status seal_other(const plait_key *key, uint8_t *out, uint8_t *tag,
                                              const uint8_t *nonce, size_t nonce_len,
                                              const uint8_t *ad, size_t ad_len, const uint8_t *in,
                                              size_t in_len)
{
    if (!PLAIT_LIKELY(usual_chacha20_key(key) &&
                      usual_rest(out, tag, nonce, nonce_len, ad, ad_len, in, in_len)))
        return seal_any(key, out, tag, nonce, nonce_len, ad, ad_len, in, in_len);
    const plait_key_fields *k = plait_key_inside(key);
    const plait_kernel *row = plait_rows[k->row];
    _Alignas(16) uint8_t iv[16];
    plait_gcm_j0(NULL, NULL, iv, nonce, 12); /* out may lie where the nonce is */
    row->fn.chacha20_poly1305.seal(k->area, out, tag, iv, ad, ad_len, in, in_len);
    plait_burn_spills(row);
    return PLAIT_OK;
}

plait_status plait_seal(const plait_key *key, uint8_t *out, uint8_t *tag, const uint8_t *nonce,
                        size_t nonce_len, const uint8_t *ad, size_t ad_len, const uint8_t *in,
                        size_t in_len)
{
    if (!PLAIT_LIKELY(usual_key(key) &&
                      usual_rest(out, tag, nonce, nonce_len, ad, ad_len, in, in_len)))
        return seal_other(key, out, tag, nonce, nonce_len, ad, ad_len, in, in_len);
    const plait_key_fields *k = plait_key_inside(key);
    const plait_kernel *row = plait_rows[k->row];
    _Alignas(16) uint8_t j0[16];
    plait_gcm_j0(&row->fn.aes_gcm, k->area, j0, nonce, 12);
    row->fn.aes_gcm.seal(k->area, out, tag, j0, ad, ad_len, in, in_len);
    plait_burn_spills(row);
    return PLAIT_OK;
}

PLAIT_NOINLINE static plait_status open_other(const plait_key *key, uint8_t *out,
                                              const uint8_t *nonce, size_t nonce_len,
                                              const uint8_t *ad, size_t ad_len, const uint8_t *in,
                                              size_t in_len, const uint8_t *tag)
{
    if (!PLAIT_LIKELY(usual_chacha20_key(key) &&
                      usual_rest(out, tag, nonce, nonce_len, ad, ad_len, in, in_len)))
        return open_any(key, out, nonce, nonce_len, ad, ad_len, in, in_len, tag);
    const plait_key_fields *k = plait_key_inside(key);
    const plait_kernel *row = plait_rows[k->row];
    _Alignas(16) uint8_t iv[16], full[16];
    plait_gcm_j0(NULL, NULL, iv, nonce, 12);
    row->fn.chacha20_poly1305.open(k->area, out, full, iv, ad, ad_len, in, in_len);
    plait_burn_spills(row);
    return verdict(k, out, in_len, full, tag);
}

plait_status plait_open(const plait_key *key, uint8_t *out, const uint8_t *nonce, size_t nonce_len,
                        const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t in_len,
                        const uint8_t *tag)
{
    if (!PLAIT_LIKELY(usual_key(key) &&
                      usual_rest(out, tag, nonce, nonce_len, ad, ad_len, in, in_len)))
        return open_other(key, out, nonce, nonce_len, ad, ad_len, in, in_len, tag);
    const plait_key_fields *k = plait_key_inside(key);
    const plait_kernel *row = plait_rows[k->row];
    _Alignas(16) uint8_t j0[16], full[16];
    plait_gcm_j0(&row->fn.aes_gcm, k->area, j0, nonce, 12);
    row->fn.aes_gcm.open(k->area, out, full, j0, ad, ad_len, in, in_len);
    plait_burn_spills(row);
    const uint32_t differs = plait_differs(full, tag, 16);
    plait_wipe(full, 16);
    if (PLAIT_LIKELY(differs == 0)) return PLAIT_OK;
    if (in_len != 0) plait_wipe(out, in_len);
    return PLAIT_ERR_TAG;
}

/* ---- many messages --------------------------------------------------------------------------- */

#define WINDOW 32 /* messages looked at together: 5 KiB of stack, two vectors of 16 lanes */

typedef struct batch {
    plait_job jobs[WINDOW];
    plait_start starts[WINDOW];
    _Alignas(16) uint8_t full[WINDOW][16];
    uint8_t row[WINDOW]; /* of the messages that passed the rules, by position */
} batch;

/* The job functions of a row, or NULL where it has none. */
static void (*batch_fn(const plait_key_fields *k, int sealing))(const plait_job *, size_t)
{
    const plait_kernel *row = plait_rows[k->row];
    if (k->alg <= PLAIT_AES_256_GCM)
        return sealing ? row->fn.aes_gcm.seal_batch : row->fn.aes_gcm.open_batch;
    return sealing ? row->fn.chacha20_poly1305.seal_batch : row->fn.chacha20_poly1305.open_batch;
}

/* Not inlined, so that its stack is not there beside that of run_usual. */
PLAIT_NOINLINE static size_t run_window(plait_message *m, size_t count, int sealing)
{
    batch b;
    uint8_t done[WINDOW];
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        m[i].status = check(m[i].key, m[i].out, m[i].tag, m[i].nonce, m[i].nonce_len, m[i].ad,
                            m[i].ad_len, m[i].in, m[i].in_len);
        done[i] = m[i].status != PLAIT_OK;
        if (done[i]) continue;
        plait_message_start(plait_key_inside(m[i].key), &b.starts[i], m[i].nonce, m[i].nonce_len);
        b.row[i] = plait_key_inside(m[i].key)->row;
    }
    for (size_t first = 0; first < count; first++) {
        if (done[first]) continue;
        const plait_key_fields *k = plait_key_inside(m[first].key);
        void (*const fn)(const plait_job *, size_t) = batch_fn(k, sealing);
        size_t jobs = 0;
        for (size_t i = first; i < count; i++) {
            if (done[i] || b.row[i] != b.row[first]) continue;
            done[i] = 1;
            if (fn != NULL) {
                const plait_job job = {b.starts[i].area, b.starts[i].iv, m[i].out, b.full[i],
                                       m[i].ad,          m[i].ad_len,    m[i].in,  m[i].in_len};
                b.jobs[jobs++] = job;
            } else {
                (sealing ? seal_row : open_row)(plait_key_inside(m[i].key), &b.starts[i], m[i].out,
                                                b.full[i], m[i].ad, m[i].ad_len, m[i].in,
                                                m[i].in_len);
            }
        }
        if (jobs != 0) {
            fn(b.jobs, jobs);
            plait_burn_spills(plait_rows[k->row]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (m[i].status == PLAIT_OK) {
            const plait_key_fields *k = plait_key_inside(m[i].key);
            plait_message_end(k, &b.starts[i], m[i].nonce_len);
            if (sealing)
                plait_give_tag(m[i].tag, b.full[i], k->tag_len);
            else
                m[i].status = verdict(k, m[i].out, m[i].in_len, b.full[i], m[i].tag);
        }
        failed += m[i].status != PLAIT_OK;
    }
    return failed;
}

/* The same for a window of usual messages, all for one row that takes batches: without what those
 * of different kinds need, which costs as much as the row does. Returns 0 with nothing done where
 * one of them is not so. */
PLAIT_INLINE int run_usual(plait_message *m, size_t count, const int sealing, size_t *failed)
{
    plait_job jobs[WINDOW];
    _Alignas(16) uint8_t j0[WINDOW][16], full[WINDOW][16];
    const plait_key *last = m[0].key;
    if (!usual_key(last) && !usual_chacha20_key(last)) return 0;
    const unsigned row_number = plait_key_inside(last)->row;
    const plait_kernel *row = plait_rows[row_number];
    void (*const fn)(const plait_job *, size_t) = batch_fn(plait_key_inside(last), sealing);
    if (fn == NULL) return 0;
    const int gcm = plait_key_inside(last)->alg <= PLAIT_AES_256_GCM;
    size_t alike = 0; /* how many could go side by side with the one before */
    for (size_t i = 0; i < count; i++) {
        if (m[i].key != last) {
            last = m[i].key;
            if ((!usual_key(last) && !usual_chacha20_key(last)) ||
                plait_key_inside(last)->row != row_number)
                return 0;
        } else {
            alike += gcm && m[i].in_len <= row->fn.aes_gcm.batch_max;
        }
        if (!usual_rest(m[i].out, m[i].tag, m[i].nonce, m[i].nonce_len, m[i].ad, m[i].ad_len,
                        m[i].in, m[i].in_len))
            return 0;
        m[i].status = PLAIT_OK;
    }
    const int alone = gcm && alike < 4;
    for (size_t i = 0; i < count; i++) {
        const plait_key_fields *k = plait_key_inside(m[i].key);
        uint8_t *const tag = sealing ? m[i].tag : full[i];
        /* of 12 bytes: the nonce itself, and behind it what ChaCha20 does not look at */
        plait_gcm_j0(NULL, NULL, j0[i], m[i].nonce, 12);
        if (alone) { /* a job costs 10 cycles */
            (sealing ? row->fn.aes_gcm.seal : row->fn.aes_gcm.open)(
                k->area, m[i].out, tag, j0[i], m[i].ad, m[i].ad_len, m[i].in, m[i].in_len);
            continue;
        }
        jobs[i].key = k->area;
        jobs[i].iv = j0[i];
        jobs[i].out = m[i].out;
        jobs[i].tag = tag;
        jobs[i].ad = m[i].ad;
        jobs[i].ad_len = m[i].ad_len;
        jobs[i].in = m[i].in;
        jobs[i].len = m[i].in_len;
    }
    if (!alone && count != 0) fn(jobs, count);
    plait_burn_spills(row);
    if (!sealing) {
        for (size_t i = 0; i < count; i++) {
            if (plait_differs(full[i], m[i].tag, 16) == 0) continue;
            if (m[i].in_len != 0) plait_wipe(m[i].out, m[i].in_len);
            m[i].status = PLAIT_ERR_TAG;
            ++*failed;
        }
        plait_wipe(full, sizeof full);
    }
    return 1;
}

PLAIT_NOINLINE static int seal_usual(plait_message *m, size_t count, size_t *failed)
{
    return run_usual(m, count, 1, failed);
}

PLAIT_NOINLINE static int open_usual(plait_message *m, size_t count, size_t *failed)
{
    return run_usual(m, count, 0, failed);
}

static size_t run_batch(plait_message *messages, size_t count, int sealing)
{
    size_t failed = 0;
    if (messages == NULL) return count; /* none of them was done */
    for (size_t at = 0; at < count; at += WINDOW) {
        const size_t n = count - at < WINDOW ? count - at : WINDOW;
        if (!(sealing ? seal_usual : open_usual)(messages + at, n, &failed))
            failed += run_window(messages + at, n, sealing);
    }
    return failed;
}

size_t plait_seal_batch(plait_message *messages, size_t count)
{
    return run_batch(messages, count, 1);
}

size_t plait_open_batch(plait_message *messages, size_t count)
{
    return run_batch(messages, count, 0);
}
