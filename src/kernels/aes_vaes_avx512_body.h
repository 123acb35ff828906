/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_vaes_avx512_body.h - AES-CTR with VAES on 512-bit vectors, four blocks to a vector. Included
 * inside a target region with vaes, aes and AVX-512 F, BW, DQ, VL. The area is that of
 * aes_aesni_body.h.
 *
 * Round keys are broadcast from the area where they are used: a load, which costs neither a vector
 * slot nor a register.
 *
 * Counters. In wire order the counter's last byte is at the top of the last of four little-endian
 * words: adding n << 24 there counts, as long as that byte does not wrap (the carry would have to
 * go down). Where it may wrap, blocks are made from the counter in the CPU's order instead, at the
 * price of a byte shuffle a vector.
 *
 * Two rounds once. Of 256 counter blocks that differ in the last byte b alone, the states after two
 * rounds serve for the next 256 too. In round 1, ShiftRows takes byte 15 into column 0, and bytes
 * 12 to 14, which count the 256s (u), into the other three. Each byte after round 2 is a sum of
 * terms that depend on one column each, so
 *
 *      state2(u, b) = V(b) ^ W(u) = state2(u0, b) ^ D(u),   D(u) = state2(u, 0) ^ state2(u0, 0).
 *
 * Long texts keep state2(u0, b) for all b, 4 KiB on the stack, and start each block with one xor
 * instead of an add, a xor and two rounds: a fifth of AES-128's work, and on Intel, which has one
 * port for 512-bit AES, a fifth of its time. (Counter mode has been computed with parts of the
 * first rounds kept since D. J. Bernstein and P. Schwabe, "New AES software speed records", 2008.)
 * The addresses depend on the counter, which is no secret.
 */
#include "aes_aesni_body.h"
#include "v512_body.h"

/* k = round key r, a literal, in all lanes. As asm: where several branches begin with them, GCC
 * makes of the intrinsic loads into xmm before the branches and shuffles behind, on the port that
 * the hash is bound by. */
#define AES512_KEY(k, area, r)                                                                     \
    __asm__("vbroadcasti32x4 16*" #r "(%1),%0"                                                     \
            : "=v"(k)                                                                              \
            : "r"(area), "m"(*(const uint8_t(*)[PLAIT_AES_AREA])(area)))

/* The last one. */
PLAIT_INLINE __m512i aes512_last_key(const uint8_t *area, uint32_t rounds)
{
    const uint8_t *const p = area + 16 * rounds;
    __m512i k;
    __asm__("vbroadcasti32x4 (%1),%0" : "=v"(k) : "r"(p), "m"(*(const uint8_t(*)[16])p));
    return k;
}

/* ---- counter blocks ---- */

/* The last word between wire order and the CPU's. */
PLAIT_INLINE __m512i counter512_swap(__m512i block)
{
    return _mm512_shuffle_epi8(block,
                               _mm512_set4_epi32(0x0c0d0e0f, 0x0b0a0908, 0x07060504, 0x03020100));
}

/* n more, where the last byte of the counter is at bit `at` of its word: 24 in wire order, and then
 * it must not wrap; 0 after counter512_swap. n and at are constants. */
PLAIT_INLINE __m512i counter512_add(__m512i blocks, const int n, const int at)
{
    const int step = (int)((uint32_t)n << at);
    return _mm512_add_epi32(
        blocks, _mm512_set_epi32(step, 0, 0, 0, step, 0, 0, 0, step, 0, 0, 0, step, 0, 0, 0));
}

/* The counter block n steps after the one that all lanes of `lanes` hold, in all lanes, and the four
 * from `plus` (a constant) steps after that one on; with their last words in the CPU's order. */
PLAIT_INLINE __m512i counter512_step(__m512i lanes, uint32_t n)
{
    return _mm512_add_epi32(counter512_swap(lanes), _mm512_maskz_set1_epi32(0x8888, (int)n));
}

PLAIT_INLINE __m512i counter512_four(__m512i step, const int plus)
{
    return _mm512_add_epi32(step, _mm512_set_epi32(plus + 3, 0, 0, 0, plus + 2, 0, 0, 0, plus + 1,
                                                   0, 0, 0, plus, 0, 0, 0));
}

PLAIT_INLINE __m512i counter512_from(__m512i lanes, uint32_t n)
{
    return counter512_four(counter512_step(lanes, n), 0);
}

/* The same in wire order. */
PLAIT_INLINE __m512i counter512_at(__m512i lanes, uint32_t n)
{
    return counter512_swap(counter512_from(lanes, n));
}

/* The counter blocks of a text on its way. The first one stays in memory: what is needed once in 16
 * times is not worth a register. */
typedef struct counter512 {
    __m512i next;         /* four, in wire order */
    const uint8_t *block; /* the first one */
    uint32_t first;       /* its last word */
    uint32_t n;           /* how many steps from there to the next */
} counter512;

PLAIT_INLINE void counter512_start(counter512 *c, const uint8_t block[16], uint32_t n)
{
    c->block = block;
    c->first = plait_load32_be(block + 12);
    c->n = n;
    c->next = counter512_at(all_lanes_in_parts(block), n);
}

/* The last byte of the next block's counter. */
PLAIT_INLINE uint32_t counter512_low(const counter512 *c)
{
    return (c->first + c->n) % 256;
}

/* The next 16, xored with the first round key. */
PLAIT_INLINE quad counter512_quad(counter512 *c, const uint8_t *area)
{
    __m512i k;
    quad s;
    AES512_KEY(k, area, 0);
    if (PLAIT_LIKELY(counter512_low(c) + 16 + 3 < 256)) { /* c->next does not wrap either */
        s.v0 = xor512(c->next, k);
        s.v1 = xor512(counter512_add(c->next, 4, 24), k);
        s.v2 = xor512(counter512_add(c->next, 8, 24), k);
        s.v3 = xor512(counter512_add(c->next, 12, 24), k);
        c->next = counter512_add(c->next, 16, 24);
    } else {
        const __m512i step = counter512_step(all_lanes_in_parts(c->block), c->n);
        s.v0 = xor512(c->next, k);
        s.v1 = xor512(counter512_swap(counter512_four(step, 4)), k);
        s.v2 = xor512(counter512_swap(counter512_four(step, 8)), k);
        s.v3 = xor512(counter512_swap(counter512_four(step, 12)), k);
        c->next = counter512_swap(counter512_four(step, 16));
    }
    c->n += 16;
    return s;
}

/* ---- two rounds once ---- */

typedef struct two_rounds {
    uint8_t *state;      /* 256 * 16 bytes, to be wiped: state2(u0, b) of 256 blocks in order */
    __m512i delta;       /* D(u), u: that of the next block; in all lanes */
    __m128i zero;        /* state2(u0, 0), u0: that of the first block */
    uint32_t made, used; /* quads */
} two_rounds;

/* state2(u, 0) of this counter. */
PLAIT_INLINE __m128i two_rounds_zero(const uint8_t *area, const uint8_t block[16], uint32_t counter)
{
    const __m128i s =
        _mm_insert_epi32(load(block), (int)plait_bswap32(counter & ~(uint32_t)255), 3);
    return _mm_aesenc_si128(_mm_aesenc_si128(xor128(s, load(area)), load(area + 16)),
                            load(area + 32));
}

PLAIT_INLINE void two_rounds_start(two_rounds *t, uint8_t state[256 * 16], const counter512 *c,
                                   const uint8_t *area)
{
    t->state = state;
    t->delta = _mm512_setzero_si512();
    t->zero = two_rounds_zero(area, c->block, c->first + c->n);
    t->made = t->used = 0;
}

/* The delta of the next 16 blocks. */
PLAIT_INLINE quad two_rounds_deltas(two_rounds *t, const counter512 *c, const uint8_t *area)
{
    const uint32_t low = counter512_low(c);
    quad d;
    d.v0 = d.v1 = d.v2 = d.v3 = t->delta;
    if (low >= 240) { /* u changes before the next quad, or within this one, at block 256 - low */
        const uint32_t after = 0xffffffffu << (2 * (255 - low)) << 2; /* two bits for a block */
        t->delta = _mm512_broadcast_i32x4(
            xor128(t->zero, two_rounds_zero(area, c->block, c->first + c->n + 16)));
        d.v0 = _mm512_mask_mov_epi64(d.v0, (__mmask8)after, t->delta);
        d.v1 = _mm512_mask_mov_epi64(d.v1, (__mmask8)(after >> 8), t->delta);
        d.v2 = _mm512_mask_mov_epi64(d.v2, (__mmask8)(after >> 16), t->delta);
        d.v3 = _mm512_mask_mov_epi64(d.v3, (__mmask8)(after >> 24), t->delta);
    }
    return d;
}

/* The states of the next 16 blocks after two rounds. */
PLAIT_INLINE quad two_rounds_quad(two_rounds *t, counter512 *c, const uint8_t *area)
{
    uint8_t *const state = t->state + t->used++ % 16 * 256;
    const quad d = two_rounds_deltas(t, c, area);
    quad s;
    if (t->made < 16) {
        __m512i k1, k2;
        AES512_KEY(k1, area, 1);
        AES512_KEY(k2, area, 2);
        s = counter512_quad(c, area);
#define PLAIT_MAKE(i)                                                                              \
    s.v##i = _mm512_aesenc_epi128(_mm512_aesenc_epi128(s.v##i, k1), k2);                           \
    store512(state + 64 * i, xor512(s.v##i, d.v##i));
        PLAIT_MAKE(0)
        PLAIT_MAKE(1)
        PLAIT_MAKE(2)
        PLAIT_MAKE(3)
#undef PLAIT_MAKE
        t->made++;
    } else {
        s.v0 = xor512(d.v0, load512(state));
        s.v1 = xor512(d.v1, load512(state + 64));
        s.v2 = xor512(d.v2, load512(state + 128));
        s.v3 = xor512(d.v3, load512(state + 192));
        c->n += 16;
    }
    return s;
}

/* ---- the cipher ---- */

/* All rounds but the last one's, of one vector and of two; from counter blocks. */
PLAIT_INLINE __m512i aes512_rounds(const uint8_t *area, uint32_t rounds, __m512i s)
{
    __m512i k;
    AES512_KEY(k, area, 0);
    s = xor512(s, k);
#define PLAIT_ROUND(r)                                                                             \
    AES512_KEY(k, area, r);                                                                        \
    s = _mm512_aesenc_epi128(s, k);
    AESNI_ROUNDS_BETWEEN(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
    return s;
}

PLAIT_INLINE void aes512_rounds2(const uint8_t *area, uint32_t rounds, __m512i *s, __m512i *t)
{
    __m512i k, a, b;
    AES512_KEY(k, area, 0);
    a = xor512(*s, k);
    b = xor512(*t, k);
#define PLAIT_ROUND(r)                                                                             \
    AES512_KEY(k, area, r);                                                                        \
    a = _mm512_aesenc_epi128(a, k);                                                                \
    b = _mm512_aesenc_epi128(b, k);
    AESNI_ROUNDS_BETWEEN(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
    *s = a;
    *t = b;
}

/* The last round with the text in its key: aesenclast(s, k) ^ text = aesenclast(s, k ^ text), which
 * takes the xor out of the way of the keystream. */
PLAIT_INLINE __m512i aes512_last(__m512i s, __m512i last_key, __m512i text)
{
    return _mm512_aesenclast_epi128(s, xor512(last_key, text));
}

/* 256 bytes of text, from states after `done` rounds, 0 or 2, a constant. s becomes the output. */
PLAIT_INLINE void aes512_quad(quad *s, const uint8_t *area, uint32_t rounds, const int done,
                              uint8_t *out, const uint8_t *in)
{
    __m512i a = s->v0, b = s->v1, c = s->v2, d = s->v3, k;
#define PLAIT_ROUND(r)                                                                             \
    if ((r) > done) {                                                                              \
        AES512_KEY(k, area, r);                                                                    \
        a = _mm512_aesenc_epi128(a, k);                                                            \
        b = _mm512_aesenc_epi128(b, k);                                                            \
        c = _mm512_aesenc_epi128(c, k);                                                            \
        d = _mm512_aesenc_epi128(d, k);                                                            \
    }
    AESNI_ROUNDS_BETWEEN(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
    k = aes512_last_key(area, rounds);
    s->v0 = aes512_last(a, k, load512(in));
    s->v1 = aes512_last(b, k, load512(in + 64));
    s->v2 = aes512_last(c, k, load512(in + 128));
    s->v3 = aes512_last(d, k, load512(in + 192));
    store512(out, s->v0);
    store512(out + 64, s->v1);
    store512(out + 128, s->v2);
    store512(out + 192, s->v3);
}

/* From how many quads on CTR keeps two rounds: where the first 64 stores and their wipe are earned
 * back. */
enum { AES512_CTR_LONG = 32 };

/* As much of CTR as fills quads, from the first counter block on. */
PLAIT_NOINLINE PLAIT_UNUSED static void aes512_ctr_long(const uint8_t *area, uint8_t *out,
                                                        const uint8_t *in, size_t quads,
                                                        const uint8_t block[16])
{
    const uint32_t rounds = aesni_rounds(area);
    counter512 c;
    two_rounds two;
    _Alignas(64) uint8_t state[256 * 16];
    counter512_start(&c, block, 0);
    two_rounds_start(&two, state, &c, area);
    for (; quads > 0; quads--, out += 256, in += 256) {
        quad s = two_rounds_quad(&two, &c, area);
        aes512_quad(&s, area, rounds, 2, out, in);
    }
    wipe512(state, sizeof state / 64);
}

/* ctr32 of plait_aes_fns. */
PLAIT_INLINE void aes512_ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                               const uint8_t block[16])
{
    const uint32_t rounds = aesni_rounds(area);
    size_t quads = len / 256;
    counter512 c;
    len -= 256 * quads;
    if (quads >= AES512_CTR_LONG) {
        aes512_ctr_long(area, out, in, quads, block);
        counter512_start(&c, block, 16 * (uint32_t)quads);
        out += 256 * quads, in += 256 * quads;
    } else {
        counter512_start(&c, block, 0);
        for (; quads > 0; quads--, out += 256, in += 256) {
            quad s = counter512_quad(&c, area);
            aes512_quad(&s, area, rounds, 0, out, in);
        }
    }
    const __m512i k = aes512_last_key(area, rounds);
    __m512i blocks = c.next;
    for (; len >= 64; out += 64, in += 64, len -= 64) {
        store512(out, aes512_last(aes512_rounds(area, rounds, blocks), k, load512(in)));
        c.n += 4;
        blocks = counter512_at(all_lanes_in_parts(block), c.n);
    }
    if (len > 0)
        store512_part(
            out, aes512_last(aes512_rounds(area, rounds, blocks), k, load512_part(in, len)), len);
}
