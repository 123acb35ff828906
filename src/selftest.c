/* SPDX-License-Identifier: Apache-2.0
 *
 * selftest.c - known-answer tests of the kernels, small enough to run at every start of a program.
 *
 * The answers come from other implementations (tools/selftest_vectors.py). Lengths are chosen to
 * enter the widest loop, the narrower ones below it and the tail of every kernel, and counters to
 * pass 2^32 where that is allowed. What a wrong answer looks like is not reported: the tests of the
 * project find that out, this only says whether to trust the kernel on this CPU.
 */
#include "internal.h"

/* ---- inputs and outputs, as in tools/selftest_vectors.py ------------------------------------- */

enum { TEXT = 1, KEY = 2, AD = 3, IV = 4 };

static uint8_t next(uint32_t *x)
{
    *x = *x * 1664525u + 1013904223u;
    return (uint8_t)(*x >> 24);
}

static void fill(uint8_t *p, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) p[i] = next(&seed);
}

static uint32_t is_filled(const uint8_t *p, size_t n, uint32_t seed)
{
    uint32_t diff = 0;
    for (size_t i = 0; i < n; i++) diff |= (uint32_t)(p[i] ^ next(&seed));
    return diff == 0;
}

/* 64 bits of n bytes, every one of which counts. */
static uint64_t fold(const uint8_t *p, size_t n)
{
    uint64_t f = 0;
    for (size_t i = 0; i < n; i += 8) {
        uint8_t last[8] = {0};
        memcpy(last, p + i, n - i < 8 ? n - i : 8);
        f = (f ^ plait_load64_le(last)) * UINT64_C(0x9e3779b97f4a7c15);
        f ^= f >> 32;
    }
    return f;
}

static int same(const uint8_t a[16], const uint8_t b[16])
{
    return plait_differs(a, b, 16) == 0;
}

/* ---- answers --------------------------------------------------------------------------------- */

typedef struct chacha20_case {
    size_t len;
    uint32_t counter;
    uint64_t out;
} chacha20_case;

typedef struct poly1305_case {
    size_t len;
    int ones; /* key and message are all ones: the largest r, the largest limbs */
    uint8_t tag[16];
} poly1305_case;

typedef struct aes_case {
    size_t key_len, len;
    uint64_t out;
} aes_case;

typedef struct ghash_case {
    size_t len;
    uint8_t once[16], twice[16]; /* the same data absorbed again */
} ghash_case;

typedef struct aead_case {
    size_t key_len, len;
    uint64_t out;
    uint8_t tag[16];
} aead_case;

typedef struct api_case {
    plait_alg alg;
    size_t key_len, nonce_len;
    uint8_t nonce[24];
    uint64_t out;
    uint8_t tag[16];
} api_case;

/* Begin of the output of tools/selftest_vectors.py. */
/* clang-format off */
static const chacha20_case chacha20_cases[] = {
    {2111, 0xffffffdf, UINT64_C(0xce7d11125f0a45ab)},
    {1100, 0x00000001, UINT64_C(0xf1e3aafbda2ac07a)},
    {705, 0x7ffffffa, UINT64_C(0x51cd0b2d9d005d25)},
    {448, 0x00000000, UINT64_C(0x5ad398ad17fab8dd)},
    {250, 0x00000005, UINT64_C(0x381a914f0f28b6c2)},
    {63, 0x00000009, UINT64_C(0x0c9bcb7b4dad87ef)},
};

static const poly1305_case poly1305_cases[] = {
    {1055, 1,
     {0x5c, 0xcb, 0xdb, 0x39, 0x85, 0x80, 0x18, 0xd9, 0x02, 0xfb, 0xfa, 0x5c,
      0x4b, 0x9b, 0x14, 0x63}},
    {2077, 0,
     {0x35, 0xe9, 0x7a, 0x71, 0x14, 0x3a, 0x86, 0x92, 0xa7, 0x0f, 0xdd, 0xc5,
      0x17, 0xaf, 0xe3, 0x60}},
    {300, 0,
     {0x9a, 0x31, 0xd8, 0x5e, 0x49, 0x8b, 0x46, 0x10, 0xef, 0xad, 0x15, 0x9b,
      0xf2, 0x61, 0x99, 0xb8}},
    {64, 1,
     {0x90, 0x0f, 0xe3, 0x2b, 0xc1, 0x5f, 0xa8, 0xd7, 0xbc, 0xa8, 0xef, 0xe4,
      0xc7, 0xe3, 0x7e, 0xb1}},
    {47, 0,
     {0x72, 0xaa, 0xa3, 0xf6, 0x78, 0xee, 0x5c, 0x1c, 0x9d, 0xf3, 0x85, 0x6c,
      0x9c, 0xf2, 0xfb, 0xee}},
    {0, 0,
     {0x03, 0x57, 0xfb, 0x6b, 0xe8, 0xaa, 0xbd, 0x63, 0x3f, 0x26, 0x2e, 0x25,
      0x12, 0x5e, 0x84, 0x55}},
};

static const aes_case aes_cases[] = {
    {16, 1100, UINT64_C(0xe0744965b18040d2)},
    {24, 300, UINT64_C(0x308554bc538f16d1)},
    {32, 700, UINT64_C(0x9055c52c6d68c67d)},
    {16, 33, UINT64_C(0xc603af254b00b5d6)},
    {24, 16, UINT64_C(0x7e06589607ed6c73)},
    {32, 7, UINT64_C(0xc075c41a74a0ac6a)},
};

static const ghash_case ghash_cases[] = {
    {1529,
     {0x17, 0x5f, 0x16, 0x20, 0x7a, 0x6a, 0x7b, 0x92, 0xff, 0x97, 0xb7, 0x6e,
      0xab, 0x49, 0x94, 0x32},
     {0xd6, 0x6f, 0x1d, 0x27, 0x3d, 0x73, 0x01, 0x35, 0x8a, 0x7f, 0xfb, 0x3c,
      0x15, 0x43, 0x91, 0x9b}},
    {240,
     {0x13, 0x90, 0x06, 0xa0, 0x37, 0x3b, 0xfa, 0x26, 0xf0, 0xc8, 0xcf, 0xb9,
      0x23, 0xc4, 0x56, 0x1d},
     {0xdc, 0xe1, 0xa9, 0x71, 0x39, 0x6e, 0x9a, 0x99, 0xba, 0x58, 0xfa, 0x45,
      0xfd, 0x9e, 0xf7, 0x8c}},
    {40,
     {0x08, 0x22, 0x25, 0xc0, 0x31, 0x75, 0xdd, 0x2d, 0xac, 0x18, 0xdb, 0xd0,
      0xf6, 0x8b, 0x0f, 0x8b},
     {0xf3, 0x5b, 0x9b, 0x21, 0xfc, 0xd2, 0xea, 0xf9, 0x1f, 0x1b, 0xcc, 0xeb,
      0xf0, 0xd2, 0x15, 0x50}},
};

static const aead_case aes_gcm_cases[] = {
    {16, 1565, UINT64_C(0xacefd2ef77818a75),
     {0xff, 0x80, 0x86, 0xf6, 0x7d, 0x51, 0x30, 0x66, 0xc0, 0x4f, 0x12, 0x46,
      0x0f, 0x7a, 0x0f, 0x6c}},
    {16, 100, UINT64_C(0x8be21706fdbfe7ac),
     {0x98, 0x6a, 0xdd, 0xde, 0xd1, 0xae, 0x47, 0x2f, 0x22, 0x84, 0xb3, 0x94,
      0x4e, 0xda, 0xc9, 0x9d}},
    {16, 13, UINT64_C(0x7d80884d78f5f7e0),
     {0x26, 0x7b, 0x24, 0xac, 0x9a, 0x12, 0xda, 0x73, 0x82, 0xbe, 0x54, 0xea,
      0x65, 0xd1, 0x2c, 0x49}},
    {24, 300, UINT64_C(0xb1238129f49a1b1d),
     {0xc3, 0x76, 0x2d, 0x70, 0x51, 0xdf, 0x81, 0xc6, 0x50, 0x6f, 0xf8, 0x3b,
      0x46, 0x8d, 0xd9, 0x3b}},
    {24, 100, UINT64_C(0x67cdaa43da120df5),
     {0xb8, 0x6e, 0xbb, 0xb3, 0x4f, 0xb4, 0x13, 0x5c, 0x21, 0x3a, 0xe2, 0x19,
      0xbd, 0x1b, 0xba, 0xc6}},
    {24, 13, UINT64_C(0x8d53923c3d061e5c),
     {0x52, 0x94, 0x8a, 0x73, 0x4a, 0xd3, 0x18, 0xf1, 0x5c, 0x0b, 0x62, 0xdd,
      0x67, 0x94, 0x99, 0xee}},
    {32, 700, UINT64_C(0x2901e7c439bc8b60),
     {0x3f, 0x4d, 0x89, 0xa5, 0x81, 0x06, 0xe0, 0x64, 0x7c, 0x9b, 0x55, 0x2a,
      0x09, 0x37, 0x40, 0x23}},
    {32, 100, UINT64_C(0x708bcee3fe1b234b),
     {0x69, 0x84, 0xcf, 0x8e, 0x0e, 0x36, 0x5c, 0xb1, 0x35, 0xaf, 0xd0, 0x39,
      0x0f, 0xf6, 0x7e, 0xc6}},
    {32, 13, UINT64_C(0x384bfd7d83ff9c6c),
     {0xa7, 0xa1, 0x06, 0x54, 0xa1, 0xae, 0x6e, 0x33, 0x43, 0xc8, 0x79, 0x13,
      0x17, 0x67, 0x16, 0x62}},
};

static const aead_case chacha20_poly1305_cases[] = {
    {32, 2327, UINT64_C(0x7e872afee155a986),
     {0x46, 0x1c, 0xcf, 0x87, 0x03, 0x14, 0x1f, 0xa4, 0x67, 0x03, 0x74, 0x0d,
      0xf2, 0xe4, 0x30, 0x3c}},
    {32, 100, UINT64_C(0xbada7aa0d90ed1fc),
     {0x5c, 0xb5, 0xc0, 0xc4, 0xbc, 0x42, 0x15, 0xde, 0x02, 0x7f, 0x76, 0x95,
      0x85, 0x5d, 0x41, 0x7e}},
    {32, 13, UINT64_C(0x226159cb2d0269fd),
     {0x3d, 0xdd, 0x34, 0x87, 0x85, 0x08, 0x8b, 0xad, 0x4f, 0x85, 0xc5, 0x34,
      0xbd, 0x03, 0xd7, 0xa5}},
};

static const api_case api_cases[] = {
    {PLAIT_AES_128_GCM, 16, 16,
     {0x7e, 0x79, 0x30, 0x16, 0x28, 0x35, 0xbf, 0xa4, 0xde, 0xc6, 0x7b, 0x54,
      0xee, 0x28, 0x4c, 0x60},
     UINT64_C(0xee4e41e5604d7acd),
     {0xa6, 0xef, 0xff, 0x01, 0x9f, 0x53, 0x4a, 0xec, 0x72, 0x6b, 0x8c, 0x01,
      0xc5, 0x1b, 0x89, 0x40}},
    {PLAIT_AES_192_GCM, 24, 16,
     {0xa8, 0xa5, 0xe9, 0x34, 0x57, 0x12, 0x4b, 0x72, 0xd9, 0xeb, 0xd8, 0xf7,
      0x9c, 0xa5, 0xcf, 0xe9},
     UINT64_C(0xc649f907ce322da3),
     {0x32, 0xd7, 0xee, 0x21, 0xa4, 0x7b, 0x50, 0x1a, 0xdf, 0x85, 0xa7, 0x4e,
      0xb7, 0xde, 0xb6, 0x3b}},
    {PLAIT_AES_256_GCM, 32, 16,
     {0xa7, 0x00, 0xeb, 0xf9, 0x81, 0x0b, 0xe6, 0x5f, 0x2a, 0xe8, 0x57, 0xf8,
      0x20, 0x09, 0x60, 0xb4},
     UINT64_C(0xa9099fa6e208ec5f),
     {0x86, 0x5c, 0x1d, 0xb5, 0xe5, 0x7a, 0xd2, 0xdf, 0x7d, 0x12, 0xc7, 0xf2,
      0x8e, 0xf6, 0x29, 0x8c}},
    {PLAIT_CHACHA20_POLY1305, 32, 12,
     {0x3c, 0xa4, 0x8e, 0xd0, 0x0c, 0x9c, 0x11, 0x4d, 0x8a, 0xcf, 0x9c, 0x7a},
     UINT64_C(0xbada7aa0d90ed1fc),
     {0x5c, 0xb5, 0xc0, 0xc4, 0xbc, 0x42, 0x15, 0xde, 0x02, 0x7f, 0x76, 0x95,
      0x85, 0x5d, 0x41, 0x7e}},
    {PLAIT_XCHACHA20_POLY1305, 32, 24,
     {0x3c, 0xa4, 0x8e, 0xd0, 0x0c, 0x9c, 0x11, 0x4d, 0x8a, 0xcf, 0x9c, 0x7a,
      0x85, 0xb1, 0xeb, 0x61, 0x52, 0x5f, 0x94, 0x31, 0x4a, 0xcb, 0x14, 0x88},
     UINT64_C(0x7d30fab7e72d8b30),
     {0x4f, 0xfb, 0x18, 0x05, 0x88, 0x8d, 0xab, 0xe4, 0x7c, 0x14, 0x36, 0xb9,
      0xdd, 0x24, 0xe8, 0xee}},
};
/* clang-format on */
/* End of the output of tools/selftest_vectors.py. */

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Room for the longest text, and for all messages of a batch one after the other. */
#define TEXT_ROOM 2560
#define AD_LEN    37

/* ---- the parts ------------------------------------------------------------------------------- */

static int chacha20_works(const plait_chacha20_fns *fn)
{
    uint8_t text[TEXT_ROOM], key[32], nonce[12];
    uint32_t state[16];
    int good = 1;
    fill(key, sizeof key, KEY);
    fill(nonce, sizeof nonce, IV);
    for (size_t i = 0; i < COUNT(chacha20_cases); i++) {
        const chacha20_case *c = &chacha20_cases[i];
        plait_chacha20_state(state, key, nonce, c->counter);
        fill(text, c->len, TEXT);
        fn->xor_stream(text, text, c->len, state);
        good &= fold(text, c->len) == c->out;
    }
    return good;
}

static int poly1305_works(const plait_poly1305_fns *fn)
{
    uint8_t text[TEXT_ROOM], key[32], tag[16];
    plait_poly1305_acc acc;
    int good = 1;
    for (size_t i = 0; i < COUNT(poly1305_cases); i++) {
        const poly1305_case *c = &poly1305_cases[i];
        fill(key, sizeof key, KEY);
        fill(text, c->len, TEXT);
        if (c->ones) {
            memset(key, 0xff, sizeof key);
            memset(text, 0xff, c->len);
        }
        fn->mac(tag, text, c->len, key);
        good &= same(tag, c->tag);

        /* the same in pieces: from a wide loop to a narrow one and back */
        size_t at = 0;
        plait_poly1305_start(&acc, key);
        for (size_t piece = 16; at + 16 <= c->len; at += piece) {
            piece = piece == 16 ? 592 : 16;
            if (piece > c->len - at) piece = (c->len - at) & ~(size_t)15;
            fn->blocks(&acc, text + at, piece);
            good &= acc.h[2] < 8;
        }
        fn->final(&acc, tag, text + at, c->len - at);
        good &= same(tag, c->tag);
    }
    return good;
}

static int aes_works(const plait_aes_fns *fn)
{
    uint8_t text[TEXT_ROOM], area[PLAIT_AES_AREA], key[32], block[16];
    int good = 1;
    for (size_t i = 0; i < COUNT(aes_cases); i++) {
        const aes_case *c = &aes_cases[i];
        fill(key, c->key_len, KEY);
        fill(text, c->len, TEXT);
        memset(block, 0xff, 16); /* a carry out of the counter would be seen */
        block[15] = 0xfa;
        fn->init(area, key, c->key_len);
        fn->ctr32(area, text, text, c->len, block);
        good &= fold(text, c->len) == c->out;
    }
    return good;
}

static int ghash_works(const plait_ghash_fns *fn)
{
    uint8_t text[TEXT_ROOM], area[PLAIT_GHASH_AREA], h[16], acc[16];
    int good = 1;
    fill(h, sizeof h, KEY);
    for (size_t i = 0; i < COUNT(ghash_cases); i++) {
        const ghash_case *c = &ghash_cases[i];
        fill(text, c->len, TEXT);
        memset(acc, 0, 16);
        fn->init(area, h, c->len);
        fn->update(area, acc, text, c->len);
        good &= same(acc, c->once);
        fn->update(area, acc, text, c->len);
        good &= same(acc, c->twice);
    }
    return good;
}

/* ---- the constructions ----------------------------------------------------------------------- */

/* All functions of a row of family aes_gcm, under the keys that `area` is given; `parts` are the
 * rows of a composed one. */
typedef struct gcm_room {
    union {
        uint8_t bytes[PLAIT_GCM_AREA];
        plait_gcm_parts_area parts;
    } area;
    uint8_t text[TEXT_ROOM], ad[AD_LEN], key[32], j0[16], block[16], acc[16], tag[3][16];
    plait_job jobs[3];
} gcm_room;

static int aead_answer(const aead_case *c, const uint8_t *text, const uint8_t tag[16])
{
    return (fold(text, c->len) == c->out) & same(tag, c->tag);
}

/* Three jobs, each on its own part of text. */
static void make_jobs(plait_job jobs[3], const aead_case *c, const uint8_t *area, const uint8_t *iv,
                      const uint8_t *ad, uint8_t *text, uint8_t tag[3][16])
{
    for (size_t i = 0; i < 3; i++) {
        const plait_job job = {area, iv, text, tag[i], ad, AD_LEN, text, c[i].len};
        jobs[i] = job;
        fill(text, c[i].len, TEXT);
        text += c[i].len;
    }
}

static int jobs_answer(const plait_job jobs[3], const aead_case *c)
{
    return aead_answer(&c[0], jobs[0].out, jobs[0].tag) &
           aead_answer(&c[1], jobs[1].out, jobs[1].tag) &
           aead_answer(&c[2], jobs[2].out, jobs[2].tag);
}

/* The same tags, and the plain text again. */
static int jobs_opened(const plait_job jobs[3], const aead_case *c)
{
    int good = 1;
    for (size_t i = 0; i < 3; i++)
        good &= same(jobs[i].tag, c[i].tag) && is_filled(jobs[i].out, c[i].len, TEXT);
    return good;
}

/* A stream cut in two at a multiple of 16. */
static int gcm_stream_works(const plait_aes_gcm_fns *fn, gcm_room *r, const aead_case *c)
{
    const size_t cut = c->len / 32 * 16;
    int good = 1;
    fill(r->text, c->len, TEXT);
    for (int opening = 0; opening < 2; opening++) {
        void (*const text_fn)(const uint8_t *, uint8_t *, const uint8_t *, uint8_t *,
                              const uint8_t *, size_t) = opening ? fn->text_open : fn->text_seal;
        memset(r->acc, 0, 16);
        fn->hash(r->area.bytes, r->acc, r->ad, AD_LEN);
        plait_gcm_counter(r->block, r->j0, 1);
        text_fn(r->area.bytes, r->acc, r->block, r->text, r->text, cut);
        plait_gcm_counter(r->block, r->j0, 1 + (uint32_t)(cut / 16));
        text_fn(r->area.bytes, r->acc, r->block, r->text + cut, r->text + cut, c->len - cut);
        plait_gcm_finish(fn, r->area.bytes, r->acc, r->j0, AD_LEN, c->len, r->tag[0]);
        good &= same(r->tag[0], c->tag);
        good &= opening ? is_filled(r->text, c->len, TEXT) : fold(r->text, c->len) == c->out;
    }
    return good;
}

static int aes_gcm_works(const plait_aes_gcm_fns *fn, unsigned cipher_row, unsigned mac_row)
{
    gcm_room r;
    int good = 1;
    memset(r.j0, 0xff, 16);
    r.j0[15] = 0xfa;
    fill(r.ad, AD_LEN, AD);
    for (size_t i = 0; i < COUNT(aes_gcm_cases); i++) {
        const aead_case *c = &aes_gcm_cases[i];
        if (i % 3 == 0) { /* three lengths for each key */
            fill(r.key, c->key_len, KEY);
            r.area.parts.cipher_row = (uint8_t)cipher_row;
            r.area.parts.mac_row = (uint8_t)mac_row;
            fn->init(r.area.bytes, r.key, c->key_len);
            good &= gcm_stream_works(fn, &r, c);
            if (fn->seal_batch != NULL) {
                make_jobs(r.jobs, c, r.area.bytes, r.j0, r.ad, r.text, r.tag);
                fn->seal_batch(r.jobs, 3);
                good &= jobs_answer(r.jobs, c);
            }
            if (fn->open_batch != NULL) {
                make_jobs(r.jobs, c, r.area.bytes, r.j0, r.ad, r.text, r.tag);
                for (size_t j = 0; j < 3; j++)
                    fn->seal(r.area.bytes, r.jobs[j].out, r.jobs[j].tag, r.j0, r.ad, AD_LEN,
                             r.jobs[j].in, r.jobs[j].len);
                memset(r.tag, 0, sizeof r.tag);
                fn->open_batch(r.jobs, 3);
                good &= jobs_opened(r.jobs, c);
            }
        }
        fill(r.text, c->len, TEXT);
        fn->seal(r.area.bytes, r.text, r.tag[0], r.j0, r.ad, AD_LEN, r.text, c->len);
        good &= aead_answer(c, r.text, r.tag[0]);
        fn->open(r.area.bytes, r.text, r.tag[1], r.j0, r.ad, AD_LEN, r.text, c->len);
        good &= same(r.tag[1], c->tag) && is_filled(r.text, c->len, TEXT);
    }
    return good;
}

static int chacha20_poly1305_works(const plait_chacha20_poly1305_fns *fn, unsigned cipher_row,
                                   unsigned mac_row)
{
    union {
        uint8_t bytes[PLAIT_CHACHA20_POLY1305_AREA];
        plait_chacha20_poly1305_area fields;
    } area;
    uint8_t text[TEXT_ROOM], ad[AD_LEN], nonce[12], tag[3][16];
    const aead_case *c = chacha20_poly1305_cases;
    plait_job jobs[3];
    int good = 1;
    fill(area.fields.raw, 32, KEY);
    area.fields.cipher_row = (uint8_t)cipher_row;
    area.fields.mac_row = (uint8_t)mac_row;
    fill(nonce, sizeof nonce, IV);
    fill(ad, AD_LEN, AD);
    for (size_t i = 0; i < COUNT(chacha20_poly1305_cases); i++) {
        fill(text, c[i].len, TEXT);
        fn->seal(area.bytes, text, tag[0], nonce, ad, AD_LEN, text, c[i].len);
        good &= aead_answer(&c[i], text, tag[0]);
        fn->open(area.bytes, text, tag[1], nonce, ad, AD_LEN, text, c[i].len);
        good &= same(tag[1], c[i].tag) && is_filled(text, c[i].len, TEXT);
    }
    if (fn->seal_batch != NULL) {
        make_jobs(jobs, c, area.bytes, nonce, ad, text, tag);
        fn->seal_batch(jobs, 3);
        good &= jobs_answer(jobs, c);
    }
    if (fn->open_batch != NULL) {
        make_jobs(jobs, c, area.bytes, nonce, ad, text, tag);
        for (size_t j = 0; j < 3; j++)
            fn->seal(area.bytes, jobs[j].out, jobs[j].tag, nonce, ad, AD_LEN, jobs[j].in,
                     jobs[j].len);
        memset(tag, 0, sizeof tag);
        fn->open_batch(jobs, 3);
        good &= jobs_opened(jobs, c);
    }
    return good;
}

/* What programs call, with the rows that keys get now: nonces that go through GHASH or HChaCha20,
 * and a wrong tag that must be refused. */
static int api_works(void)
{
    uint8_t plain[100], text[100], back[100], ad[AD_LEN], raw[32], tag[16];
    plait_key key;
    int good = 1;
    fill(plain, sizeof plain, TEXT);
    fill(ad, AD_LEN, AD);
    for (size_t i = 0; i < COUNT(api_cases); i++) {
        const api_case *c = &api_cases[i];
        fill(raw, c->key_len, KEY);
        good &= plait_key_init(&key, c->alg, raw, c->key_len) == PLAIT_OK;
        good &= plait_seal(&key, text, tag, c->nonce, c->nonce_len, ad, AD_LEN, plain,
                           sizeof plain) == PLAIT_OK;
        good &= fold(text, sizeof text) == c->out && same(tag, c->tag);
        memset(back, 0xaa, sizeof back);
        good &= plait_open(&key, back, c->nonce, c->nonce_len, ad, AD_LEN, text, sizeof text,
                           tag) == PLAIT_OK;
        good &= is_filled(back, sizeof back, TEXT);
        for (size_t byte = 0; byte < 16; byte += 15) {
            uint32_t left = 0;
            tag[byte] ^= 0x80;
            good &= plait_open(&key, back, c->nonce, c->nonce_len, ad, AD_LEN, text, sizeof text,
                               tag) == PLAIT_ERR_TAG;
            tag[byte] ^= 0x80;
            for (size_t j = 0; j < sizeof back; j++) left |= back[j];
            good &= left == 0;
        }
    }
    plait_key_wipe(&key);
    return good;
}

/* ---- the call -------------------------------------------------------------------------------- */

static int row_works(unsigned i, uint32_t cpu)
{
    const plait_kernel *row = plait_rows[i];
    if (strcmp(row->family, "chacha20") == 0) return chacha20_works(&row->fn.chacha20);
    if (strcmp(row->family, "poly1305") == 0) return poly1305_works(&row->fn.poly1305);
    if (strcmp(row->family, "aes") == 0) return aes_works(&row->fn.aes);
    if (strcmp(row->family, "ghash") == 0) return ghash_works(&row->fn.ghash);
    /* Constructions may use rows of the parts: for subkeys, or because they are composed of them.
     */
    if (strcmp(row->family, "aes_gcm") == 0)
        return aes_gcm_works(&row->fn.aes_gcm, PLAIT_SELECT(aes, cpu), PLAIT_SELECT(ghash, cpu));
    if (strcmp(row->family, "chacha20_poly1305") == 0)
        return chacha20_poly1305_works(&row->fn.chacha20_poly1305, PLAIT_SELECT(chacha20, cpu),
                                       PLAIT_SELECT(poly1305, cpu));
    return 0;
}

plait_status plait_selftest(const char *kernel)
{
    const uint32_t cpu = plait_cpu_enabled();
    int good = 1;
    if (kernel != NULL) {
        const unsigned row = plait_row_named(kernel, strlen(kernel), cpu);
        if (row == PLAIT_ROW_NONE) return PLAIT_ERR_KERNEL;
        return row_works(row, cpu) ? PLAIT_OK : PLAIT_ERR_TAG;
    }
#define PLAIT_FAMILY(f)                                                                            \
    if (PLAIT_SELECT(f, cpu) < PLAIT_END_##f) good &= row_works(PLAIT_SELECT(f, cpu), cpu);
#include "kernels.def"
    good &= row_works(PLAIT_ROW_aes_gcm_parts, cpu);
    good &= row_works(PLAIT_ROW_chacha20_poly1305_parts, cpu);
    good &= api_works();
    return good ? PLAIT_OK : PLAIT_ERR_TAG;
}
