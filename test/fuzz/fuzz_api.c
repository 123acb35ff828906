/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the API keep to its rules whatever is called, in whatever order, with whatever arguments? A
 * model of plait.h says which results a call may have; what it wrote, and what it left alone, is
 * compared with a copy of the memory; each stream's tag with one call over what went into it.
 */
#include "fuzz.h"

enum { ARENA = 3000, KEYS = 3, STREAMS = 2, POLYS = 2, LOG = 20000 };

static uint8_t arena[ARENA], shadow[ARENA]; /* all buffers lie here, over and beside each other */

static plait_key keys[KEYS];
static struct model_key {
    int valid;
    plait_alg alg;
    size_t tag_len;
    uint8_t raw[32];
} model_keys[KEYS];

static plait_stream streams[STREAMS];
static struct model_stream {
    enum { DEAD, FRESH, SEALING, OPENING } state;
    plait_alg alg;
    plait_key key; /* it was started with, and its name */
    uint8_t nonce[64], ad[LOG], text[LOG];
    size_t nonce_len, ad_len, len;
} model_streams[STREAMS];

static plait_poly1305_state polys[POLYS];
static struct model_poly {
    const char *row; /* NULL: none */
    uint8_t key[32], msg[LOG];
    size_t len;
} model_polys[POLYS];

/* Results that a call may have, as bits; none: PLAIT_OK. */
#define BIT(status) (1u << -(int)(status))
#define LENGTH      BIT(PLAIT_ERR_LENGTH)
#define ARGUMENT    BIT(PLAIT_ERR_ARGUMENT)
#define ORDER       BIT(PLAIT_ERR_ORDER)
#define KERNEL      BIT(PLAIT_ERR_KERNEL)
static void expect(plait_status got, unsigned errors)
{
    MUST(got <= PLAIT_OK && got >= PLAIT_ERR_KERNEL);
    MUST(errors == 0 ? got == PLAIT_OK : (errors & BIT(got)) != 0 && got != PLAIT_OK);
}

/* ---- arguments --------------------------------------------------------------------------- */

typedef struct buffer {
    uint8_t *p; /* NULL now and then */
    size_t len; /* longer than the arena at times: then the call has to fail */
} buffer;

static buffer some_buffer(source *s, size_t most)
{
    buffer b;
    const unsigned kind = take8(s);
    b.p = arena + take(s, ARENA);
    b.len = take(s, most + 1);
    if (b.len > (size_t)(arena + ARENA - b.p)) b.len = (size_t)(arena + ARENA - b.p);
    if (kind % 16 == 1) b.p = NULL;
    if (kind % 16 == 2) b.p = NULL, b.len = 0;
    if (kind % 16 == 3) b.len = 0;
    return b;
}

/* A length over the limits, at times; the caller then has to expect LENGTH. */
static size_t perhaps_huge(source *s, size_t len)
{
    if (sizeof(size_t) <= 4 || take8(s) != 200) return len;
    return (size_t)UINT64_MAX - take(s, 1000);
}

static int overlaps(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    for (size_t i = 0; a != NULL && b != NULL && i < a_len; i++)
        if (a + i >= b && a + i < b + b_len) return 1;
    return 0;
}
static int overlaps_partly(const uint8_t *a, const uint8_t *b, size_t len)
{
    return a != b && overlaps(a, len, b, len);
}

static void remember(void)
{
    memcpy(shadow, arena, ARENA);
}
/* Nothing changed but these two ranges. */
static void unchanged_but(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    if (a != NULL) memcpy(shadow + (a - arena), a, a_len);
    if (b != NULL) memcpy(shadow + (b - arena), b, b_len);
    SAME(arena, shadow, ARENA);
}

static int nonce_fits(plait_alg alg, size_t len)
{
    return is_gcm(alg) ? len > 0 : len == (alg == PLAIT_XCHACHA20_POLY1305 ? 24 : 12);
}

/* A key of the list, mostly live; or none. */
static const plait_key *some_key(source *s, const struct model_key **model)
{
    static const struct model_key dead;
    const size_t i = take(s, KEYS + 1);
    *model = i < KEYS ? &model_keys[i] : &dead;
    return i < KEYS ? &keys[i] : NULL;
}

/* ---- calls ------------------------------------------------------------------------------- */

static void make_key(source *s)
{
    const size_t i = take(s, KEYS);
    const unsigned kind = take8(s);
    const int alg = kind % 8 == 0 ? (int)take8(s) - 100 : 1 + (int)take(s, 5);
    const int known = alg >= 1 && alg <= 5;
    const plait_alg a = (plait_alg)alg;
    uint8_t raw[80];
    size_t len = known ? key_len_of(a) : 32, tag_len = 16;
    char name[96];
    const char *kernel = NULL;
    unsigned errors = known ? 0 : ARGUMENT;
    stretch(s, raw, 32);
    if (kind >> 3 & 1) len = take(s, 65);
    if (known && len != key_len_of(a)) errors |= ARGUMENT;
    const int no_raw = kind >> 4 == 3;
    if (no_raw) errors |= ARGUMENT;
    plait_status got;
    switch (kind >> 5 & 3) {
    case 0:
        got = plait_key_init(&keys[i], a, no_raw ? NULL : raw, len);
        break;
    case 1:
        tag_len = take(s, 20);
        if (tag_len != 16 && !(known && is_gcm(a) &&
                               (tag_len == 4 || tag_len == 8 || (tag_len >= 12 && tag_len < 16))))
            errors |= ARGUMENT;
        got = plait_key_init_tag(&keys[i], a, no_raw ? NULL : raw, len, tag_len);
        break;
    default:
        kernel = some_kernel(s, take8(s) % 8 ? known && is_gcm(a) : take8(s) & 1, name);
        /* the other construction's rows, and what is no name */
        if (kernel != NULL && (strncmp(name, "aes", 3) == 0) != (alg <= PLAIT_AES_256_GCM))
            errors |= KERNEL;
        if (kernel != NULL && take8(s) == 7) name[take(s, strlen(name))] = '!', errors |= KERNEL;
        got = plait_key_init_with(&keys[i], a, no_raw ? NULL : raw, len, kernel);
    }
    expect(got, errors);
    model_keys[i].valid = got == PLAIT_OK;
    model_keys[i].alg = a;
    model_keys[i].tag_len = tag_len;
    memcpy(model_keys[i].raw, raw, 32);
    if (got != PLAIT_OK)
        for (size_t j = 0; j < sizeof keys[i]; j++) MUST(((uint8_t *)&keys[i])[j] == 0);
    else if (kernel != NULL)
        MUST(strcmp(plait_key_kernel(&keys[i]), kernel) == 0);
    MUST(plait_key_tag_len(&keys[i]) == (got == PLAIT_OK ? tag_len : 0));
    MUST((strcmp(plait_key_kernel(&keys[i]), "none") == 0) == (got != PLAIT_OK));
}

static void drop_or_copy_key(source *s)
{
    const size_t i = take(s, KEYS), j = take(s, KEYS);
    if (take8(s) % 4 == 0) {
        plait_key_wipe(&keys[i]);
        model_keys[i].valid = 0;
        return;
    }
    if (i != j) memcpy(&keys[i], &keys[j], sizeof keys[i]);
    model_keys[i] = model_keys[j];
}

/* The right answer: by portable rows. tag: 16 bytes. */
static void by_reference(const struct model_key *m, const uint8_t *nonce, size_t nonce_len,
                         const uint8_t *ad, size_t ad_len, const uint8_t *in, uint8_t *out,
                         size_t len, uint8_t tag[16])
{
    plait_key k;
    MUST(plait_key_init_with(&k, m->alg, m->raw, key_len_of(m->alg),
                             is_gcm(m->alg) ? "aes_ref+ghash_ref" : "chacha20_ref+poly1305_ref") ==
         PLAIT_OK);
    MUST(plait_seal(&k, out, tag, nonce, nonce_len, ad, ad_len, in, len) == PLAIT_OK);
}

static void one_shot(source *s)
{
    const struct model_key *m;
    const plait_key *k = some_key(s, &m);
    const unsigned kind = take8(s);
    const int opening = kind & 1, as_batch = kind >> 1 & 1;
    buffer nonce = some_buffer(s, 40), ad = some_buffer(s, 200), in = some_buffer(s, 700),
           out = some_buffer(s, 0), tag = some_buffer(s, 0);
    uint8_t right[16], want[ARENA], plain[ARENA];
    int right_tag = 0;

    if (m->valid && !is_gcm(m->alg) && (kind & 4))
        nonce.p = arena, nonce.len = m->alg == PLAIT_CHACHA20_POLY1305 ? 12 : 24;
    if (kind & 8) out.p = in.p; /* in place */
    if (out.p != NULL && (size_t)(arena + ARENA - out.p) < in.len) out.p = arena;
    if (tag.p != NULL && arena + ARENA - tag.p < 16) tag.p -= 16;
    /* lengths after all pointers are known: in.len bytes of out are there */
    const size_t len = perhaps_huge(s, in.len), ad_len = perhaps_huge(s, ad.len);
    unsigned errors = 0;
    const size_t t = m->valid ? m->tag_len : 16;
    if (!m->valid) errors |= ARGUMENT;
    if (len != in.len || ad_len != ad.len) errors |= LENGTH | ARGUMENT;
    if (nonce.p == NULL || (m->valid && !nonce_fits(m->alg, nonce.len))) errors |= ARGUMENT;
    if (tag.p == NULL || (len > 0 && (in.p == NULL || out.p == NULL)) ||
        (ad_len > 0 && ad.p == NULL))
        errors |= ARGUMENT;
    if (overlaps_partly(in.p, out.p, in.len)) errors |= ARGUMENT;
    if (overlaps(out.p, in.len, tag.p, t) || overlaps(out.p, in.len, ad.p, ad.len))
        errors |= ARGUMENT;

    if (errors == 0) {
        if (in.len > 0) memcpy(plain, in.p, in.len);
        if (opening && (kind & 16)) {
            /* something that is authentic, if in and tag are not each other's memory */
            by_reference(m, nonce.p, nonce.len, ad.p, ad.len, plain, want, in.len, right);
            /* what is written must not change what was sealed over */
            if (!overlaps(in.p, in.len, tag.p, t) && !overlaps(in.p, in.len, nonce.p, nonce.len) &&
                !overlaps(in.p, in.len, ad.p, ad.len) && !overlaps(tag.p, t, nonce.p, nonce.len) &&
                !overlaps(tag.p, t, ad.p, ad.len)) {
                if (in.len > 0) memcpy(in.p, want, in.len);
                memcpy(tag.p, right, t);
                right_tag = 1;
            }
        } else if (!opening) {
            by_reference(m, nonce.p, nonce.len, ad.p, ad.len, plain, want, in.len, right);
        }
    }
    uint8_t used_nonce[40];
    if (errors == 0) memcpy(used_nonce, nonce.p, nonce.len); /* out may lie on it */
    remember();
    plait_status got;
    if (as_batch) {
        plait_message message = {.key = k,
                                 .out = out.p,
                                 .tag = tag.p,
                                 .nonce = nonce.p,
                                 .nonce_len = nonce.len,
                                 .ad = ad.p,
                                 .ad_len = ad_len,
                                 .in = in.p,
                                 .in_len = len,
                                 .status = (plait_status)9};
        const size_t failed =
            opening ? plait_open_batch(&message, 1) : plait_seal_batch(&message, 1);
        got = message.status;
        MUST(failed == (got != PLAIT_OK));
    } else if (opening)
        got = plait_open(k, out.p, nonce.p, nonce.len, ad.p, ad_len, in.p, len, tag.p);
    else
        got = plait_seal(k, out.p, tag.p, nonce.p, nonce.len, ad.p, ad_len, in.p, len);

    if (errors != 0) {
        expect(got, errors);
        unchanged_but(NULL, 0, NULL, 0);
    } else if (!opening) {
        expect(got, 0);
        SAME(tag.p, right, t);
        /* the tag may have been written over the end of what was the input */
        SAME(out.p, want, in.len);
        unchanged_but(out.p, in.len, tag.p, t);
    } else if (right_tag) {
        expect(got, 0);
        SAME(out.p, plain, in.len);
        unchanged_but(out.p, in.len, NULL, 0);
    } else if (got == PLAIT_OK) {
        /* what an earlier call had sealed there, or by luck with a short tag */
        by_reference(m, used_nonce, nonce.len, ad.p, ad.len, out.p, want, in.len, right);
        SAME(want, plain, in.len);
        SAME(tag.p, right, t);
        unchanged_but(out.p, in.len, NULL, 0);
    } else {
        MUST(got == PLAIT_ERR_TAG);
        for (size_t i = 0; i < in.len; i++) MUST(out.p[i] == 0);
        unchanged_but(out.p, in.len, NULL, 0);
    }
}

static void stream_start(source *s)
{
    const size_t i = take(s, STREAMS);
    struct model_stream *m = &model_streams[i];
    const struct model_key *mk;
    const plait_key *k = some_key(s, &mk);
    buffer nonce = some_buffer(s, 40);
    if (mk->valid && !is_gcm(mk->alg) && take8(s) % 4)
        nonce.p = arena, nonce.len = mk->alg == PLAIT_CHACHA20_POLY1305 ? 12 : 24;
    unsigned errors = 0;
    if (!mk->valid || nonce.p == NULL || !nonce_fits(mk->alg, nonce.len)) errors |= ARGUMENT;
    remember();
    expect(plait_stream_init(&streams[i], k, nonce.p, nonce.len), errors);
    unchanged_but(NULL, 0, NULL, 0);
    m->state = errors ? DEAD : FRESH;
    if (errors) return;
    m->alg = mk->alg;
    memcpy(&m->key, k, sizeof *k);
    memcpy(m->nonce, nonce.p, nonce.len);
    m->nonce_len = nonce.len;
    m->ad_len = m->len = 0;
}

static void wiped(const plait_stream *s)
{
    for (size_t i = 0; i < sizeof *s; i++) MUST(((const uint8_t *)s)[i] == 0);
}

/* The tag of all that went in, by one call with the same key. text is plaintext. */
static void right_tag_of(const struct model_stream *m, uint8_t tag[16])
{
    static uint8_t out[LOG];
    MUST(plait_seal(&m->key, out, tag, m->nonce, m->nonce_len, m->ad, m->ad_len, m->text, m->len) ==
         PLAIT_OK);
}

static void stream_call(source *s)
{
    const size_t i = take(s, STREAMS);
    struct model_stream *m = &model_streams[i];
    const unsigned kind = take8(s);
    /* the key it was started with, or any */
    const plait_key *k = &m->key;
    unsigned errors = m->state == DEAD ? ORDER : 0;
    if (m->state == DEAD || kind % 32 == 0) {
        const struct model_key *mk;
        k = some_key(s, &mk);
        if (m->state != DEAD && k != NULL && mk->valid)
            k = &m->key; /* another live key may or may not be noticed */
        else if (k == NULL || !mk->valid) errors |= ARGUMENT;
    }
    const int null_stream = kind == 255;
    plait_stream *stream = null_stream ? NULL : &streams[i];
    if (null_stream) errors = ARGUMENT;
    buffer in = some_buffer(s, 400), out = some_buffer(s, 0);
    plait_status got;
    uint8_t tag[16], plain[400];
    const size_t len = perhaps_huge(s, in.len);
    remember();
    switch (kind >> 5) {
    case 0:
    case 1: /* AD */
        if (len > 0) {
            if (m->state == SEALING || m->state == OPENING) errors |= ORDER;
            if (in.p == NULL) errors |= ARGUMENT;
            if (len != in.len) errors |= LENGTH;
        }
        got = plait_stream_ad(stream, k, in.p, len);
        expect(got, errors);
        unchanged_but(NULL, 0, NULL, 0);
        if (errors == 0 && in.len > 0) {
            MUST(m->ad_len + in.len <= LOG);
            memcpy(m->ad + m->ad_len, in.p, in.len);
            m->ad_len += in.len;
        }
        break;
    case 2:
    case 3:
    case 4:
    case 5: { /* text */
        const int opening = kind >> 5 & 1;
        if (kind & 16) out.p = in.p;
        if (out.p != NULL && (size_t)(arena + ARENA - out.p) < in.len) out.p = arena;
        if (len > 0) {
            if (m->state == (opening ? SEALING : OPENING)) errors |= ORDER;
            if (len != in.len) errors |= LENGTH | ARGUMENT;
            if (in.p == NULL || out.p == NULL || overlaps_partly(in.p, out.p, in.len))
                errors |= ARGUMENT;
        }
        if (errors == 0 && len > 0) memcpy(plain, in.p, in.len);
        got = (opening ? plait_stream_open_unverified : plait_stream_seal)(stream, k, out.p, in.p,
                                                                           len);
        expect(got, errors);
        if (errors == 0 && len > 0) {
            unchanged_but(out.p, in.len, NULL, 0);
            MUST(m->len + in.len <= LOG);
            memcpy(m->text + m->len, opening ? out.p : plain, in.len);
            m->len += in.len;
            m->state = opening ? OPENING : SEALING;
        } else
            unchanged_but(NULL, 0, NULL, 0);
        break;
    }
    default: { /* the end */
        const int opening = kind >> 5 & 1, bad = kind >> 3 & 1;
        const size_t t = m->state == DEAD ? 16 : plait_key_tag_len(&m->key);
        uint8_t *tag_at = kind & 4 ? NULL : tag;
        if (m->state == (opening ? SEALING : OPENING)) errors |= ORDER;
        if (tag_at == NULL) errors |= ARGUMENT;
        if (opening) {
            memset(tag, 0, sizeof tag);
            if (m->state != DEAD) right_tag_of(m, tag);
            if (bad) tag[take(s, t)] ^= 1;
            got = plait_stream_open_final(stream, k, tag_at);
            expect(got, errors ? errors : bad ? BIT(PLAIT_ERR_TAG) : 0);
        } else {
            uint8_t right[16];
            memset(tag, 0x5a, sizeof tag);
            got = plait_stream_seal_final(stream, k, tag_at);
            expect(got, errors);
            if (errors == 0) {
                right_tag_of(m, right);
                SAME(tag, right, t);
            }
            for (size_t j = errors ? 0 : t; j < 16; j++) MUST(tag[j] == 0x5a);
        }
        unchanged_but(NULL, 0, NULL, 0);
        if (!null_stream) {
            m->state = DEAD;
            wiped(stream);
        }
        return;
    }
    }
    if (errors != 0 && !null_stream) {
        m->state = DEAD;
        wiped(stream);
    }
}

static void stream_copy(source *s)
{
    const size_t i = take(s, STREAMS), j = take(s, STREAMS);
    if (take8(s) % 4 == 0) {
        plait_stream_wipe(&streams[i]);
        model_streams[i].state = DEAD;
    } else if (i != j) {
        memcpy(&streams[i], &streams[j], sizeof streams[i]);
        memcpy(&model_streams[i], &model_streams[j], sizeof model_streams[i]);
    }
}

static int usable(const char *name) /* now: limits change */
{
    plait_kernel_info info;
    for (size_t i = 0; i < plait_kernel_count(); i++)
        if (plait_kernel_at(i, &info) == PLAIT_OK && strcmp(info.name, name) == 0)
            return info.usable;
    return 0;
}

static void poly_call(source *s)
{
    const size_t i = take(s, POLYS);
    struct model_poly *m = &model_polys[i];
    const unsigned kind = take8(s);
    const char *row = kind & 1 ? NULL : kind & 2 ? m->row : SOME_ROW(s, poly1305);
    if (kind >> 2 == 33) row = "poly1305_none";
    buffer in = some_buffer(s, 500);
    remember();
    switch (kind >> 5) {
    case 0:
    case 1: { /* init */
        uint8_t key[32];
        stretch(s, key, 32);
        const unsigned errors = row != NULL && !usable(row) ? KERNEL : 0;
        expect(plait_poly1305_init_with(row, &polys[i], key), errors);
        memcpy(m->key, key, 32);
        m->len = 0;
        m->row = NULL;
        if (errors == 0) { /* NULL: whichever it was */
            for (size_t r = PLAIT_FIRST_poly1305; r < PLAIT_END_poly1305; r++)
                if (row == NULL ? plait_poly1305_update_with(plait_rows[r]->name, &polys[i], NULL,
                                                             0) == PLAIT_OK
                                : strcmp(row, plait_rows[r]->name) == 0)
                    m->row = plait_rows[r]->name;
            MUST(m->row != NULL);
        }
        break;
    }
    case 7: { /* final */
        uint8_t tag[16], right[16];
        unsigned errors = 0;
        if (m->row == NULL) errors = ORDER;
        else if (row != NULL && strcmp(row, m->row) != 0) errors = KERNEL;
        if (in.p == NULL && errors == 0) errors = ARGUMENT;
        expect(plait_poly1305_final_with(row, &polys[i], in.p == NULL ? NULL : tag), errors);
        if (errors == 0) {
            plait_poly1305(right, m->msg, m->len, m->key);
            SAME(tag, right, 16);
            m->row = NULL;
        }
        break;
    }
    default: {
        unsigned errors = 0;
        if (m->row == NULL) errors = ORDER;
        else if (row != NULL && strcmp(row, m->row) != 0) errors = KERNEL;
        else if (in.p == NULL && in.len > 0) errors = ARGUMENT;
        if (m->len + in.len > LOG) return;
        expect(plait_poly1305_update_with(row, &polys[i], in.p, in.len), errors);
        if (errors == 0 && in.len > 0) {
            memcpy(m->msg + m->len, in.p, in.len);
            m->len += in.len;
        }
    }
    }
    unchanged_but(NULL, 0, NULL, 0);
}

static void part_call(source *s)
{
    const unsigned kind = take8(s);
    buffer in = some_buffer(s, 500), out = some_buffer(s, 0), key = some_buffer(s, 40),
           iv = some_buffer(s, 16);
    const uint32_t counter = kind & 32 ? UINT32_MAX - take8(s) % 8 : take32(s);
    if (kind & 1) out.p = in.p;
    if (out.p != NULL && (size_t)(arena + ARENA - out.p) < in.len) out.p = arena;
    if (key.p != NULL && arena + ARENA - key.p < 40) key.p = arena;
    if (iv.p != NULL && arena + ARENA - iv.p < 16) iv.p = arena;
    if (kind & 16) key.len = 16 + 8 * (key.len % 3);
    unsigned errors = 0;
    const char *row = kind & 2 ? NULL : "no such kernel";
    const size_t len = perhaps_huge(s, in.len);
    if ((kind & 4) || row == NULL) row = NULL;
    else errors |= KERNEL;
    remember();
    plait_status got;
    if (kind & 8) { /* AES-CTR: no limit but the addresses */
        if (key.p == NULL || iv.p == NULL || (key.len != 16 && key.len != 24 && key.len != 32))
            errors |= ARGUMENT;
        if (len > 0 && (in.p == NULL || out.p == NULL || overlaps_partly(in.p, out.p, in.len)))
            errors |= ARGUMENT;
        if (len != in.len) return;
        got = plait_aes_ctr_xor_with(row, out.p, in.p, len, key.p, key.len, iv.p);
    } else {
        if (key.p == NULL || iv.p == NULL) errors |= ARGUMENT;
        if (len > 0 && (in.p == NULL || out.p == NULL || overlaps_partly(in.p, out.p, in.len)))
            errors |= ARGUMENT;
        if (len != in.len || ((uint64_t)len + 63) / 64 + counter > UINT64_C(1) << 32)
            errors |= LENGTH;
        got = plait_chacha20_xor_with(row, out.p, in.p, len, key.p, iv.p, counter);
    }
    expect(got, errors);
    unchanged_but(errors ? NULL : out.p, errors ? 0 : in.len, NULL, 0);
}

static void limit(source *s)
{
    static const char *const specs[] = {"",     "ref",   "-avx512", "avx2",    "ssse3",
                                        "-aes", "-vaes", "neon",    "nonsense"};
    const size_t i = take(s, COUNT(specs));
    expect(plait_cpu_limit(specs[i]), i + 1 == COUNT(specs) ? ARGUMENT : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = {data, size};
    if (size > 3000) return 0;
    memset(keys, 0, sizeof keys);
    memset(model_keys, 0, sizeof model_keys);
    memset(streams, 0, sizeof streams);
    memset(polys, 0, sizeof polys);
    for (size_t i = 0; i < STREAMS; i++) model_streams[i].state = DEAD;
    for (size_t i = 0; i < POLYS; i++) model_polys[i].row = NULL;
    plait_cpu_limit("");
    stretch(&s, arena, ARENA);
    for (int calls = 0; s.left > 0 && calls < 48; calls++) switch (take(&s, 16)) {
        case 0:
        case 1:
        case 2:
            make_key(&s);
            break;
        case 3:
            drop_or_copy_key(&s);
            break;
        case 4:
        case 5:
        case 6:
            one_shot(&s);
            break;
        case 7:
            stream_start(&s);
            break;
        case 8:
        case 9:
        case 10:
        case 11:
            stream_call(&s);
            break;
        case 12:
            stream_copy(&s);
            break;
        case 13:
            poly_call(&s);
            break;
        case 14:
            part_call(&s);
            break;
        default:
            limit(&s);
        }
    return 0;
}
