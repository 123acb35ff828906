/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_vaes_body.h - AES-CTR with VAES, in the vocabulary of v512_body.h or v256_body.h, which is
 * included before, inside a target region with vaes and aes. The area is that of aes_aesni_body.h.
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

/* k = round key r, a literal, in all lanes. As asm: where several branches begin with them, GCC
 * makes of the intrinsic loads into xmm before the branches and shuffles behind, on the port that
 * the hash is bound by. */
#define VAES_KEY(k, area, r)                                                                       \
    __asm__(VBROADCAST " 16*" #r "(%1),%0"                                                         \
            : "=" VREG(k)                                                                          \
            : "r"(area), "m"(*(const uint8_t(*)[PLAIT_AES_AREA])(area)))

/* The last one. */
PLAIT_INLINE vec vaes_last_key(const uint8_t *area, uint32_t rounds)
{
    const uint8_t *const p = area + 16 * rounds;
    vec k;
    __asm__(VBROADCAST " (%1),%0" : "=" VREG(k) : "r"(p), "m"(*(const uint8_t(*)[16])p));
    return k;
}

/* ---- counter blocks ---- */

/* n more, where the last byte of the counter is at bit `at` of its word: 24 in wire order, and then
 * it must not wrap; 0 after vswap_last. n and at are constants. */
PLAIT_INLINE vec vcounter_add(vec blocks, const int n, const int at)
{
    return vadd32(blocks, vcount(n, 0, at));
}

/* The counter block n steps after the one that all lanes of `lanes` hold, in all lanes, and one
 * vector from `plus` (a constant) steps after that one on; with their last words in the CPU's
 * order. */
PLAIT_INLINE vec vcounter_step(vec lanes, uint32_t n)
{
    return vadd32(vswap_last(lanes), vlast_word(n));
}

PLAIT_INLINE vec vcounter_from(vec step, const int plus)
{
    return vadd32(step, vcount(plus, 1, 0));
}

/* The counter blocks from n steps after `lanes` on, in wire order. */
PLAIT_INLINE vec vcounter_at(vec lanes, uint32_t n)
{
    return vswap_last(vcounter_from(vcounter_step(lanes, n), 0));
}

/* The counter blocks of a text on its way. The first one stays in memory: what is needed once in 16
 * times is not worth a register. */
typedef struct vcounter {
    vec next;             /* one vector, in wire order */
    const uint8_t *block; /* the first one */
    uint32_t first;       /* its last word */
    uint32_t n;           /* how many steps from there to the next */
} vcounter;

PLAIT_INLINE void vcounter_start(vcounter *c, const uint8_t block[16], uint32_t n)
{
    c->block = block;
    c->first = plait_load32_be(block + 12);
    c->n = n;
    c->next = vcounter_at(vall_in_parts(block), n);
}

/* The last byte of the next block's counter. */
PLAIT_INLINE uint32_t vcounter_low(const vcounter *c)
{
    return (c->first + c->n) % 256;
}

/* The next quad, xored with the first round key. */
PLAIT_INLINE quad vcounter_quad(vcounter *c, const uint8_t *area)
{
    vec k;
    quad s;
    VAES_KEY(k, area, 0);
    if (PLAIT_LIKELY(vcounter_low(c) + QUAD_BLOCKS + LANES <= 256)) { /* nor does c->next wrap */
        s.v0 = vxor(c->next, k);
        s.v1 = vxor(vcounter_add(c->next, LANES, 24), k);
        s.v2 = vxor(vcounter_add(c->next, 2 * LANES, 24), k);
        s.v3 = vxor(vcounter_add(c->next, 3 * LANES, 24), k);
        c->next = vcounter_add(c->next, QUAD_BLOCKS, 24);
    } else {
        const vec step = vcounter_step(vall_in_parts(c->block), c->n);
        s.v0 = vxor(c->next, k);
        s.v1 = vxor(vswap_last(vcounter_from(step, LANES)), k);
        s.v2 = vxor(vswap_last(vcounter_from(step, 2 * LANES)), k);
        s.v3 = vxor(vswap_last(vcounter_from(step, 3 * LANES)), k);
        c->next = vswap_last(vcounter_from(step, QUAD_BLOCKS));
    }
    c->n += QUAD_BLOCKS;
    return s;
}

/* ---- two rounds once ---- */

enum { TWO_ROUNDS_BYTES = 256 * 16 + VEC };

typedef struct two_rounds {
    uint8_t *state;      /* TWO_ROUNDS_BYTES, to be wiped: state2(u0, b) of 256 blocks in order, and
                            state2(u0, 0), u0: that of the first block */
    vec delta;           /* D(u), u: that of the next block; in all lanes */
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

PLAIT_INLINE void two_rounds_start(two_rounds *t, uint8_t state[TWO_ROUNDS_BYTES],
                                   const vcounter *c, const uint8_t *area)
{
    t->state = state;
    t->delta = vzero();
    store(state + 256 * 16, two_rounds_zero(area, c->block, c->first + c->n));
    t->made = t->used = 0;
}

/* The delta of the next quad. */
PLAIT_INLINE quad two_rounds_deltas(two_rounds *t, const vcounter *c, const uint8_t *area)
{
    const uint32_t low = vcounter_low(c);
    quad d;
    d.v0 = d.v1 = d.v2 = d.v3 = t->delta;
    if (low >= 256 - QUAD_BLOCKS) { /* u changes within this quad or right after it */
        const uint32_t after = 0xffffffffu << 2 * (255 - low) << 2; /* two bits for a block */
        t->delta = vall_of(xor128(load(t->state + 256 * 16),
                                  two_rounds_zero(area, c->block, c->first + c->n + QUAD_BLOCKS)));
        d.v0 = vpick_from(d.v0, after, t->delta);
        d.v1 = vpick_from(d.v1, after >> 2 * LANES, t->delta);
        d.v2 = vpick_from(d.v2, after >> 4 * LANES, t->delta);
        d.v3 = vpick_from(d.v3, after >> 6 * LANES, t->delta);
    }
    return d;
}

/* The states of the next quad after two rounds. */
PLAIT_INLINE quad two_rounds_quad(two_rounds *t, vcounter *c, const uint8_t *area)
{
    uint8_t *const state = t->state + t->used++ % (256 / QUAD_BLOCKS) * QUAD;
    const quad d = two_rounds_deltas(t, c, area);
    quad s;
    if (t->made < 256 / QUAD_BLOCKS) {
        vec k1, k2;
        VAES_KEY(k1, area, 1);
        VAES_KEY(k2, area, 2);
        s = vcounter_quad(c, area);
#define PLAIT_MAKE(i)                                                                              \
    s.v##i = vaes(vaes(s.v##i, k1), k2);                                                           \
    vstore(state + VEC * i, vxor(s.v##i, d.v##i));
        PLAIT_MAKE(0)
        PLAIT_MAKE(1)
        PLAIT_MAKE(2)
        PLAIT_MAKE(3)
#undef PLAIT_MAKE
        t->made++;
    } else {
        s.v0 = vxor(d.v0, vload(state));
        s.v1 = vxor(d.v1, vload(state + VEC));
        s.v2 = vxor(d.v2, vload(state + 2 * VEC));
        s.v3 = vxor(d.v3, vload(state + 3 * VEC));
        c->n += QUAD_BLOCKS;
    }
    return s;
}

/* ---- the cipher ---- */

/* All rounds but the last one's, of one vector and of two; from counter blocks. */
PLAIT_INLINE vec vaes_rounds(const uint8_t *area, uint32_t rounds, vec s)
{
    vec k;
    VAES_KEY(k, area, 0);
    s = vxor(s, k);
#define PLAIT_ROUND(r)                                                                             \
    VAES_KEY(k, area, r);                                                                          \
    s = vaes(s, k);
    AESNI_ROUNDS_BETWEEN(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
    return s;
}

PLAIT_INLINE void vaes_rounds2(const uint8_t *area, uint32_t rounds, vec *s, vec *t)
{
    vec k, a, b;
    VAES_KEY(k, area, 0);
    a = vxor(*s, k);
    b = vxor(*t, k);
#define PLAIT_ROUND(r)                                                                             \
    VAES_KEY(k, area, r);                                                                          \
    a = vaes(a, k);                                                                                \
    b = vaes(b, k);
    AESNI_ROUNDS_BETWEEN(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
    *s = a;
    *t = b;
}

/* The last round with the text in its key: aesenclast(s, k) ^ text = aesenclast(s, k ^ text), which
 * takes the xor out of the way of the keystream. */
PLAIT_INLINE vec vaes_text(vec s, vec last_key, vec text)
{
    return vaes_last(s, vxor(last_key, text));
}

/* A quad of text, from states after `done` rounds, 0 or 2, a constant. s becomes the output. */
PLAIT_INLINE void vaes_quad(quad *s, const uint8_t *area, uint32_t rounds, const int done,
                            uint8_t *out, const uint8_t *in)
{
    vec a = s->v0, b = s->v1, c = s->v2, d = s->v3, k;
#define PLAIT_ROUND(r)                                                                             \
    if ((r) > done) {                                                                              \
        VAES_KEY(k, area, r);                                                                      \
        a = vaes(a, k);                                                                            \
        b = vaes(b, k);                                                                            \
        c = vaes(c, k);                                                                            \
        d = vaes(d, k);                                                                            \
    }
    AESNI_ROUNDS_BETWEEN(rounds, PLAIT_ROUND)
#undef PLAIT_ROUND
    k = vaes_last_key(area, rounds);
    s->v0 = vaes_text(a, k, vload(in));
    s->v1 = vaes_text(b, k, vload(in + VEC));
    s->v2 = vaes_text(c, k, vload(in + 2 * VEC));
    s->v3 = vaes_text(d, k, vload(in + 3 * VEC));
    vstore(out, s->v0);
    vstore(out + VEC, s->v1);
    vstore(out + 2 * VEC, s->v2);
    vstore(out + 3 * VEC, s->v3);
}

/* From how many quads on CTR keeps two rounds: where 4 KiB of stores and their wipe are earned
 * back. */
enum { VAES_CTR_LONG = 8192 / QUAD };

/* As much of CTR as fills quads, from the first counter block on. */
PLAIT_NOINLINE PLAIT_UNUSED static void vaes_ctr_long(const uint8_t *area, uint8_t *out,
                                                      const uint8_t *in, size_t quads,
                                                      const uint8_t block[16])
{
    const uint32_t rounds = aesni_rounds(area);
    vcounter c;
    two_rounds two;
    _Alignas(64) uint8_t state[TWO_ROUNDS_BYTES];
    vcounter_start(&c, block, 0);
    two_rounds_start(&two, state, &c, area);
    for (; quads > 0; quads--, out += QUAD, in += QUAD) {
        quad s = two_rounds_quad(&two, &c, area);
        vaes_quad(&s, area, rounds, 2, out, in);
    }
    vwipe(state, sizeof state);
}

/* ctr32 of plait_aes_fns. */
PLAIT_INLINE void vaes_ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                             const uint8_t block[16])
{
    const uint32_t rounds = aesni_rounds(area);
    size_t quads = len / QUAD;
    vcounter c;
    len %= QUAD;
    if (quads >= VAES_CTR_LONG) {
        vaes_ctr_long(area, out, in, quads, block);
        vcounter_start(&c, block, QUAD_BLOCKS * (uint32_t)quads);
        out += QUAD * quads, in += QUAD * quads;
    } else {
        vcounter_start(&c, block, 0);
        for (; quads > 0; quads--, out += QUAD, in += QUAD) {
            quad s = vcounter_quad(&c, area);
            vaes_quad(&s, area, rounds, 0, out, in);
        }
    }
    const vec k = vaes_last_key(area, rounds);
    vec blocks = c.next;
    for (; len >= VEC; out += VEC, in += VEC, len -= VEC) {
        vstore(out, vaes_text(vaes_rounds(area, rounds, blocks), k, vload(in)));
        c.n += LANES;
        blocks = vcounter_at(vall_in_parts(block), c.n);
    }
    if (len > 0)
        vstore_part(out, vaes_text(vaes_rounds(area, rounds, blocks), k, vload_part(in, len)), len);
}
