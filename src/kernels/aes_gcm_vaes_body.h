/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_vaes_body.h - AES-GCM in one pass with VAES and VPCLMULQDQ, in the vocabulary of
 * v512_body.h or v256_body.h. L blocks to a vector, a quad is four vectors. Included by the kernels
 * after aes_vaes_body.h, ghash_vpclmul_body.h and
 *
 *   hashed           a quad of blocks that waits for the hash: in registers, or where it is
 *   hashed_sealed, hashed_opened, hashed_quad, hashed_last, hashed_add     see there
 *   quad_step_first, quad_step_second, quad_step_half                      see there
 *   calls_burn, SHORT_SPILLS, LONG_SPILLS     overwrites what compilers spill in functions that are
 *                    called: so many bytes
 *   ALONE            the longest text that is done without a call
 *
 * Three forms:
 *   short messages   AD, text and lengths up to 10 L blocks: one pass over the powers of H, one
 *                    reduction, everything in straight lines by the number of vectors
 *   runs of quads    a quad of cipher beside a quad of hash, in one asm block: both compilers keep
 *                    such an order only if they must. The hash of a group of two quads keeps its
 *                    lanes apart (ghash_vpclmul_body.h). Sealing, the cipher is one quad ahead;
 *                    opening, both work on the same quad
 *   pieces           what is left of a text in the middle of a message, or near the counter's wrap;
 *                    rolled loops
 *
 * The end of a message. E(J0) and the block of lengths need no vector of their own: the last vector
 * has at most L - 1 blocks of text, and in the next lane J0 for the cipher and the lengths for the
 * hash; E(J0) is xored in that lane before the lanes are summed to the tag. For L = 4 and a text
 * that ends with two blocks:
 *
 *      lane       0          1          2          3
 *      cipher     ctr n      ctr n+1    J0         (unused)
 *      hash       text       text       lengths    0
 *
 * The area: that of aes_aesni_body.h, then the powers of ghash_vpclmul_body.h.
 */
enum { AREA_POWERS = PLAIT_AES_AREA };

/* ---- runs of quads ---- */

/* What is left to hash: a pending vector, and if late is set, the last quad of ciphertext. */
typedef struct rest {
    vec pending;
    quad x; /* reversed */
    int late;
    vec next; /* the next counter blocks */
} rest;

/* Adds it to sum; power: that of the first block after it. */
PLAIT_INLINE void rest_hash(const rest *r, ghashv_sum *sum, const uint8_t *power)
{
    if (r->late) {
        power -= QUAD;
        ghashv_add2(sum, r->x.v0, vload(power), r->x.v1, vload(power + VEC));
        ghashv_add2(sum, r->x.v2, vload(power + 2 * VEC), r->x.v3, vload(power + 3 * VEC));
    }
    ghashv_add(sum, r->pending, vload(power - VEC));
}

/* Encrypts or decrypts `quads` >= 1 quads, from n counter steps after block on, with the hash going
 * on from acc. keep: two rounds once. */
PLAIT_INLINE void quads_text(rest *r, const uint8_t *area, const uint8_t block[16], uint32_t n,
                             __m128i acc, uint8_t *out, const uint8_t *in, size_t quads,
                             const int keep, const int sealing)
{
    const uint8_t *const powers = area + AREA_POWERS;
    const uint32_t rounds = aesni_rounds(area);
    const uint8_t *const early = area + (keep ? 48 : 16), *const end = area + 16 * rounds;
    vec pending = vzero(), first = vlane0(reverse(acc)), last;
    vcounter c;
    ghashv_sum sum;
    quad s;
    hashed x;
    two_rounds two;
    _Alignas(64) uint8_t state[TWO_ROUNDS_BYTES];
    vcounter_start(&c, block, n);
    if (keep) two_rounds_start(&two, state, &c, area);
#define START s = keep ? two_rounds_quad(&two, &c, area) : vcounter_quad(&c, area);
#define STEP(half)                                                                                 \
    quad_step_##half(&s, &x, first, pending, &sum, powers, early, end, out, in);                   \
    out += QUAD, in += QUAD;
#define PENDING pending = vxor(ghashv_reduce(&sum), vreverse(last));
    if (sealing) {
        if (keep) two_rounds_deltas(&two, &c, area); /* of the first quad, which is not kept */
        s = vcounter_quad(&c, area);
        vaes_quad(&s, area, rounds, 0, out, in);
        out += QUAD, in += QUAD;
        x = hashed_sealed(&s, out - QUAD);
        first = hashed_add(&x, first);
        for (; quads > 2; quads -= 2) {
            ghashv_clear(&sum);
            START
            STEP(first)
            x = hashed_sealed(&s, out - QUAD);
            first = vzero();
            last = hashed_last(&x);
            START
            STEP(second)
            PENDING
            x = hashed_sealed(&s, out - QUAD);
        }
        if (quads > 1) {
            ghashv_clear(&sum);
            last = hashed_last(&x);
            START
            STEP(half)
            PENDING
            x = hashed_sealed(&s, out - QUAD);
            first = vzero();
        }
        r->x = hashed_quad(&x, first);
    } else {
        for (; quads > 1; quads -= 2) {
            ghashv_clear(&sum);
            x = hashed_opened(in);
            first = hashed_add(&x, first);
            START
            STEP(first)
            first = vzero();
            x = hashed_opened(in);
            last = hashed_last(&x);
            START
            STEP(second)
            PENDING
        }
        if (quads > 0) {
            ghashv_clear(&sum);
            x = hashed_opened(in);
            last = hashed_last(&x);
            first = hashed_add(&x, first);
            START
            STEP(half)
            PENDING
        }
    }
#undef START
#undef STEP
#undef PENDING
    r->pending = pending;
    r->late = sealing;
    r->next = c.next;
    if (keep) vwipe(state, sizeof state);
}

/* From how many quads on two rounds are kept: where what it costs (4 KiB of stores, and their wipe)
 * is earned back. */
enum { LONG_RUN = 9216 / QUAD };

/* The same with all hashed; returns acc. */
PLAIT_INLINE __m128i run_text(const uint8_t *area, const uint8_t block[16], uint32_t n, __m128i acc,
                              uint8_t *out, const uint8_t *in, size_t quads, const int keep,
                              const int sealing)
{
    rest r;
    ghashv_sum sum;
    quads_text(&r, area, block, n, acc, out, in, quads, keep, sealing);
    ghashv_clear(&sum);
    rest_hash(&r, &sum, ghashv_from(area + AREA_POWERS, 0));
    return vfold(ghashv_reduce(&sum));
}

#define RUN(name, keep, sealing)                                                                   \
    PLAIT_NOINLINE static __m128i name(const uint8_t *area, const uint8_t block[16], uint32_t n,   \
                                       __m128i acc, uint8_t *out, const uint8_t *in, size_t quads) \
    {                                                                                              \
        return run_text(area, block, n, acc, out, in, quads, keep, sealing);                       \
    }
RUN(run_seal, 0, 1)
RUN(run_open, 0, 0)
RUN(long_run_seal, 1, 1)
RUN(long_run_open, 1, 0)
#undef RUN

/* ---- pieces ---- */

/* A quad at most, with any counter. final: the end of a message, which takes its last block along;
 * returns the tag then, else acc. */
PLAIT_INLINE __m128i piece(const uint8_t *area, const uint8_t block[16], uint32_t n, __m128i acc,
                           uint8_t *out, const uint8_t *in, size_t len, const int final,
                           uint64_t ad_len, uint64_t text_len, const int sealing)
{
    const uint32_t rounds = aesni_rounds(area);
    const size_t blocks = (len + 15) / 16;
    const unsigned lane = (unsigned)blocks % LANES; /* of the last block */
    const uint8_t *power = ghashv_from(area + AREA_POWERS, blocks + (size_t) final);
    const vec lanes = vall_in_parts(block), k = vaes_last_key(area, rounds);
    vec next = vcounter_from(vcounter_step(lanes, n), 0), y = vlane0(acc), s, t, x;
    ghashv_sum sum;
    ghashv_clear(&sum);
    for (; len >= VEC; out += VEC, in += VEC, power += VEC, len -= VEC) {
        t = vload(in);
        s = vaes_text(vaes_rounds(area, rounds, vswap_last(next)), k, t);
        vstore(out, s);
        ghashv_add(&sum, vxor(vreverse(sealing ? s : t), y), vload(power));
        y = vzero();
        next = vcounter_add(next, LANES, 0);
    }
    if (final ? len > VEC - 16 : len > 0) {
        t = vload_part(in, len);
        s = vaes_text(vaes_rounds(area, rounds, vswap_last(next)), k, t);
        vstore_part(out, s, len);
        x = sealing ? vkeep(s, len) : t;
        ghashv_add(&sum, vxor(vreverse(x), y), vload(power));
        y = vzero();
        next = vcounter_add(next, LANES, 0);
        power += VEC, len = 0;
    }
    if (!final) return vfold(ghashv_reduce(&sum));
    t = len > 0 ? vload_part(in, len) : vzero();
    s = vpick_lane(vswap_last(next), lane, lanes);
    s = vaes_text(vaes_rounds(area, rounds, s), k, t);
    if (len > 0) vstore_part(out, s, len);
    x = len == 0 ? vzero() : vreverse(sealing ? vkeep(s, len) : t);
    x = vxor(x,
             vone_lane(lane, _mm_set_epi64x((long long)(ad_len << 3), (long long)(text_len << 3))));
    ghashv_add(&sum, vxor(x, y), vload(power));
    return vfold_lane(vreverse(ghashv_reduce(&sum)), lane, s);
}

#define PIECE(name, sealing)                                                                       \
    PLAIT_NOINLINE static __m128i name(const uint8_t *area, const uint8_t block[16], uint32_t n,   \
                                       __m128i acc, uint8_t *out, const uint8_t *in, size_t len)   \
    {                                                                                              \
        return piece(area, block, n, acc, out, in, len, 0, 0, 0, sealing);                         \
    }                                                                                              \
    PLAIT_NOINLINE static __m128i last_##name(                                                     \
        const uint8_t *area, const uint8_t block[16], uint32_t n, __m128i acc, uint8_t *out,       \
        const uint8_t *in, size_t len, uint64_t ad_len, uint64_t text_len)                         \
    {                                                                                              \
        return piece(area, block, n, acc, out, in, len, 1, ad_len, text_len, sealing);             \
    }
PIECE(piece_seal, 1)
PIECE(piece_open, 0)
#undef PIECE

/* ---- the end of a message, in straight lines ---- */

typedef struct tail {
    const uint8_t *area, *power; /* power: that of the first block */
    uint8_t *out;
    const uint8_t *in;
    const rest *before; /* to be hashed first, or NULL */
    vec next;           /* counter blocks, in wire order; their last byte does not wrap */
    vec j0;             /* in all lanes */
    vec lengths;        /* in the lane of the final block */
    size_t some, few; /* how many bytes of the last vector but one, and of the last one, are text */
    unsigned lane;    /* of the final block */
} tail;

/* v vectors, 1 <= v <= 5; v and sealing are constants. Adds their hash to sum; returns the last one
 * as it left the cipher. */
PLAIT_INLINE vec tail_vectors(const tail *x, ghashv_sum *sum, const int v, const int sealing)
{
    const uint8_t *const area = x->area, *const in = x->in;
    uint8_t *const out = x->out;
    const uint32_t rounds = aesni_rounds(area);
    vec k, s0, s1, s2, s3, s4, t0, t1, t2, t3, t4;
    s0 = s1 = s2 = s3 = s4 = t0 = t1 = t2 = t3 = t4 = vzero();
#define FIRST(i)                                                                                   \
    if (i < v) {                                                                                   \
        s##i = i == 0 ? x->next : vcounter_add(x->next, LANES * i, 24);                            \
        if (i == v - 1) s##i = vpick_lane(s##i, x->lane, x->j0);                                   \
        s##i = vxor(s##i, k);                                                                      \
    }
#define MIDDLE(i)                                                                                  \
    if (i < v) s##i = vaes(s##i, k);
#define LAST(i)                                                                                    \
    if (i < v - 2) {                                                                               \
        t##i = vload(in + VEC * i);                                                                \
        s##i = vaes_text(s##i, k, t##i);                                                           \
        vstore(out + VEC * i, s##i);                                                               \
        t##i = vreverse(sealing ? s##i : t##i);                                                    \
    } else if (i == v - 2) {                                                                       \
        t##i = vload_part(in + VEC * i, x->some);                                                  \
        s##i = vaes_text(s##i, k, t##i);                                                           \
        vstore_part(out + VEC * i, s##i, x->some);                                                 \
        t##i = vreverse(sealing ? vkeep(s##i, x->some) : t##i);                                    \
    } else if (i == v - 1) {                                                                       \
        if (x->few != 0) {                                                                         \
            t##i = vload_part(in + VEC * i, x->few);                                               \
            s##i = vaes_text(s##i, k, t##i);                                                       \
            vstore_part(out + VEC * i, s##i, x->few);                                              \
            t##i = vxor(vreverse(sealing ? vkeep(s##i, x->few) : t##i), x->lengths);               \
        } else {                                                                                   \
            s##i = vaes_last(s##i, k);                                                             \
            t##i = x->lengths;                                                                     \
        }                                                                                          \
    }
#define ROUNDS(SOME)                                                                               \
    VAES_KEY(k, area, 0);                                                                          \
    SOME(FIRST)                                                                                    \
    AESNI_ROUNDS_BETWEEN(rounds, ROUND_##SOME)
#define ENDS(SOME)                                                                                 \
    k = vaes_last_key(area, rounds);                                                               \
    SOME(LAST)
#define ROUND(SOME, r)                                                                             \
    VAES_KEY(k, area, r);                                                                          \
    SOME(MIDDLE)
#define ALL(F)       F(0) F(1) F(2) F(3) F(4)
#define V01(F)       F(0) F(1)
#define V23(F)       F(2) F(3)
#define V4(F)        F(4)
#define ROUND_ALL(r) ROUND(ALL, r)
#define ROUND_V01(r) ROUND(V01, r)
#define ROUND_V23(r) ROUND(V23, r)
#define ROUND_V4(r)  ROUND(V4, r)
#define POWER(i)     vload(x->power + VEC * i)
    if (sealing && v >= 4) {
        /* In steps, the hash one step behind the cipher: instructions that wait for others fill the
         * scheduler (97 entries on Sapphire Rapids), and then the core sees nothing beyond. */
        ROUNDS(V01)
        if (x->before != NULL) rest_hash(x->before, sum, x->power);
        ENDS(V01)
        ROUNDS(V23)
        ENDS(V23)
        ghashv_add2(sum, t0, POWER(0), t1, POWER(1));
        if (v == 5) {
            ROUNDS(V4)
            ENDS(V4)
        }
        ghashv_add2(sum, t2, POWER(2), t3, POWER(3));
        if (v == 5) ghashv_add(sum, t4, POWER(4));
    } else {
        ROUNDS(ALL)
        if (x->before != NULL) rest_hash(x->before, sum, x->power);
        ENDS(ALL)
        if (v == 1) ghashv_add(sum, t0, POWER(0));
        if (v >= 2) ghashv_add2(sum, t0, POWER(0), t1, POWER(1));
        if (v == 3) ghashv_add(sum, t2, POWER(2));
        if (v >= 4) ghashv_add2(sum, t2, POWER(2), t3, POWER(3));
        if (v == 5) ghashv_add(sum, t4, POWER(4));
    }
#undef FIRST
#undef MIDDLE
#undef LAST
#undef ROUNDS
#undef ENDS
#undef POWER
    return v == 1 ? s0 : v == 2 ? s1 : v == 3 ? s2 : v == 4 ? s3 : s4;
}

/* Takes two vectors at a time off a text, until it has a quad at most. */
PLAIT_INLINE size_t tail_shorten(tail *x, ghashv_sum *sum, size_t len, const int sealing)
{
    const uint32_t rounds = aesni_rounds(x->area);
    for (; len > QUAD; len -= 2 * VEC) {
        const vec k = vaes_last_key(x->area, rounds), t = vload(x->in), u = vload(x->in + VEC);
        vec a = x->next, b = vcounter_add(x->next, LANES, 24);
        x->next = vcounter_add(x->next, 2 * LANES, 24);
        vaes_rounds2(x->area, rounds, &a, &b);
        a = vaes_text(a, k, t);
        b = vaes_text(b, k, u);
        vstore(x->out, a);
        vstore(x->out + VEC, b);
        ghashv_add2(sum, vreverse(sealing ? a : t), vload(x->power), vreverse(sealing ? b : u),
                    vload(x->power + VEC));
        x->power += 2 * VEC, x->in += 2 * VEC, x->out += 2 * VEC;
    }
    return len;
}

/* The end of a message, `most` bytes at most, which is a constant, a quad or less. Returns the
 * tag. */
PLAIT_INLINE __m128i tail_message(tail *x, ghashv_sum *sum, size_t len, uint64_t ad_len,
                                  uint64_t text_len, const size_t most, const int sealing)
{
    const size_t blocks = (len + 15) / 16;
    vec e = x->next;
    x->lane = (unsigned)blocks % LANES;
    x->lengths =
        vone_lane(x->lane, _mm_set_epi64x((long long)(ad_len << 3), (long long)(text_len << 3)));
    /* Lane 0: the final block is alone in its vector, and the one before may be partial. */
    x->some = x->lane != 0 ? VEC : (len + VEC - 1) % VEC + 1;
    x->few = x->lane != 0 ? len % VEC : 0;
    switch (blocks / LANES) {
#define CASE(i)                                                                                    \
    case i:                                                                                        \
        if (i <= (int)(most / VEC)) e = tail_vectors(x, sum, i + 1, sealing);                      \
        break;
        CASE(0) CASE(1) CASE(2) CASE(3) CASE(4)
#undef CASE
    }
    return vfold_lane(vreverse(ghashv_reduce(sum)), x->lane, e); /* E(J0), in its lane */
}

/* ---- messages ---- */

/* May a message go in one pass over the powers, and with the last byte of its counter not wrapping?
 */
PLAIT_INLINE int one_pass(const uint8_t j0[16], size_t ad_len, size_t len)
{
    return ((ad_len | len) < 1024) & ((ad_len + 15) / 16 + (len + 15) / 16 < GHASHV_POWERS) &
           (j0[15] < 256 - GHASHV_POWERS);
}

/* Its start: the AD, and where the text begins. */
PLAIT_INLINE void tail_start(tail *x, ghashv_sum *sum, const uint8_t *area, uint8_t *out,
                             const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                             const uint8_t *in, size_t len)
{
    const size_t ad_blocks = (ad_len + 15) / 16, blocks = (len + 15) / 16;
    const uint8_t *power = ghashv_from(area + AREA_POWERS, ad_blocks + blocks + 1);
    ghashv_clear(sum);
    x->area = area;
    x->power = power + 16 * ad_blocks;
    x->in = in;
    x->out = out;
    x->before = NULL;
    x->j0 = vall_in_parts(j0);
    x->next = vadd32(x->j0, vcount(1, 1, 24));
    for (; ad_len >= VEC; ad += VEC, ad_len -= VEC, power += VEC)
        ghashv_add(sum, vreverse(vload(ad)), vload(power));
    if (ad_len > 0) ghashv_add(sum, vreverse(vload_part(ad, ad_len)), vload(power));
}

/* A message of one pass. */
PLAIT_INLINE void short_message(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                                const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                                const uint8_t *in, size_t len, const int sealing)
{
    ghashv_sum sum;
    tail x;
    tail_start(&x, &sum, area, out, j0, ad, ad_len, in, len);
    const size_t left = tail_shorten(&x, &sum, len, sealing);
    store(tag, tail_message(&x, &sum, left, ad_len, len, QUAD, sealing));
}

/* Any other. */
PLAIT_INLINE void long_message(const uint8_t *area, uint8_t *out, uint8_t tag[16],
                               const uint8_t j0[16], const uint8_t *ad, size_t ad_len,
                               const uint8_t *in, size_t len, const int sealing)
{
    const uint8_t *const powers = area + AREA_POWERS;
    const size_t quads = len / QUAD, left = len % QUAD;
    const uint32_t n = 1 + QUAD_BLOCKS * (uint32_t)quads; /* from J0 to what quads leave */
    const int wraps = (plait_load32_be(j0 + 12) + n) % 256 + (left + 15) / 16 > 256;
    __m128i acc = _mm_setzero_si128();
    if (ad_len > 0) acc = ghashv_absorb(powers, acc, ad, ad_len);
    if ((quads == 0) | (quads >= LONG_RUN) | wraps) {
        if (quads >= LONG_RUN)
            acc = (sealing ? long_run_seal : long_run_open)(area, j0, 1, acc, out, in, quads);
        else if (quads > 0)
            acc = (sealing ? run_seal : run_open)(area, j0, 1, acc, out, in, quads);
        /* NULL plus 0 is not defined in C11. */
        if (quads > 0) out += QUAD * quads, in += QUAD * quads;
        acc = (sealing ? last_piece_seal : last_piece_open)(area, j0, n, acc, out, in, left, ad_len,
                                                            len);
    } else {
        ghashv_sum sum;
        rest before;
        tail x;
        ghashv_clear(&sum);
        quads_text(&before, area, j0, 1, acc, out, in, quads, 0, sealing);
        x.area = area;
        x.power = ghashv_from(powers, (left + 15) / 16 + 1);
        x.in = in + QUAD * quads;
        x.out = out + QUAD * quads;
        x.before = &before;
        x.j0 = vall_in_parts(j0);
        x.next = before.next;
        acc = tail_message(&x, &sum, left, ad_len, len, QUAD, sealing);
        /* by which, with what else an opponent sees, H could be found */
        vwipe(&before.pending, VEC);
    }
    store(tag, acc);
}

#define MESSAGE(name, form, sealing)                                                               \
    PLAIT_NOINLINE static void name(const uint8_t *area, uint8_t *out, uint8_t tag[16],            \
                                    const uint8_t j0[16], const uint8_t *ad, size_t ad_len,        \
                                    const uint8_t *in, size_t len)                                 \
    {                                                                                              \
        form(area, out, tag, j0, ad, ad_len, in, len, sealing);                                    \
    }
MESSAGE(short_seal, short_message, 1)
MESSAGE(short_open, short_message, 0)
MESSAGE(long_seal, long_message, 1)
MESSAGE(long_open, long_message, 0)
#undef MESSAGE

/* Up to ALONE bytes of text by themselves: with no loop but that of the AD, no call but in the
 * place of a return, and nothing spilled by any compiler, they need no frame. */
PLAIT_INLINE void message(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                          const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len,
                          const int sealing)
{
    if (PLAIT_LIKELY((len <= ALONE) & one_pass(j0, ad_len, len))) {
        ghashv_sum sum;
        tail x;
        tail_start(&x, &sum, area, out, j0, ad, ad_len, in, len);
        store(tag, tail_message(&x, &sum, len, ad_len, len, ALONE, sealing));
    } else if (one_pass(j0, ad_len, len)) {
        (sealing ? short_seal : short_open)(area, out, tag, j0, ad, ad_len, in, len);
        calls_burn(SHORT_SPILLS);
    } else {
        (sealing ? long_seal : long_open)(area, out, tag, j0, ad, ad_len, in, len);
        calls_burn(LONG_SPILLS);
    }
}

/* ---- the functions of plait_aes_gcm_fns ---- */

static void init(uint8_t area[PLAIT_GCM_AREA], const uint8_t *raw, size_t raw_len)
{
    const uint32_t rounds = aesni_expand(area, raw, raw_len);
    __m128i h = load(area);
#define ROUND_H(r) h = _mm_aesenc_si128(h, load(area + 16 * (r)));
    AESNI_ROUNDS_BETWEEN(rounds, ROUND_H)
#undef ROUND_H
    h = _mm_aesenclast_si128(h, load(area + 16 * rounds));
    ghashv_powers(area + AREA_POWERS, h, GHASHV_POWERS);
    hashed_init(area);
}

static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    message(area, out, tag, j0, ad, ad_len, in, len, 1);
}

static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    message(area, out, tag, j0, ad, ad_len, in, len, 0);
}

PLAIT_INLINE void text(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                       const uint8_t *in, size_t len, const int sealing)
{
    const size_t quads = len / QUAD;
    __m128i y = reverse(load(acc));
    if (quads >= LONG_RUN)
        y = (sealing ? long_run_seal : long_run_open)(area, block, 0, y, out, in, quads);
    else if (quads > 0)
        y = (sealing ? run_seal : run_open)(area, block, 0, y, out, in, quads);
    out += QUAD * quads, in += QUAD * quads, len -= QUAD * quads;
    if (len > 0)
        y = (sealing ? piece_seal : piece_open)(area, block, QUAD_BLOCKS * (uint32_t)quads, y, out,
                                                in, len);
    store(acc, reverse(y));
    calls_burn(LONG_SPILLS);
}

static void text_seal(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    text(area, acc, block, out, in, len, 1);
}

static void text_open(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    text(area, acc, block, out, in, len, 0);
}

static void hash(const uint8_t *area, uint8_t acc[16], const uint8_t *data, size_t len)
{
    if (len > 0)
        store(acc, reverse(ghashv_absorb(area + AREA_POWERS, reverse(load(acc)), data, len)));
}

static void ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    vaes_ctr32(area, out, in, len, block);
    if (len >= QUAD) calls_burn(LONG_SPILLS);
}
