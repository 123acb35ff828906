/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_vaes_avx512_batch_body.h - many short messages of AES-GCM, four side by side. Included by
 * aes_gcm_vaes_avx512.c.
 *
 * A message of few blocks alone leaves lanes empty and waits: for ten rounds, for the products, for
 * the reduction, for the sum of the lanes. Four messages of the same number of blocks fill all
 * lanes, in their own ones from J0 to tag:
 *
 *      lane      0               1               2               3
 *      cipher    J0 of 0         J0 of 1         J0 of 2         J0 of 3
 *                block 1 of 0    block 1 of 1    block 1 of 2    block 1 of 3
 *                ...
 *      hash      each block under the power that its place asks for, which is the same in all lanes
 *      tag       one reduction, one xor with the first vector of the cipher, no sum of lanes
 *
 * One key for all four, so that round keys and powers are broadcast, as for one message. Four keys
 * could be put together from four places, and serve up to five vectors; for texts of 16 to 128
 * bytes that took 76 to 95 cycles a message on Sapphire Rapids, where one after the other takes 59
 * to 74: so messages with other keys go alone.
 *
 * Texts are loaded and stored as they lie, 64 bytes of a message at once, and turned in registers.
 */

/* The most blocks of text for which this pays (with 14, sealing took 99 cycles, and alone 84),
 * for which messages wait for others that do not follow one another, and of AD. */
enum { BATCH_MOST = 12, BATCH_SORTED = 8, BATCH_AD = 2 };

/* The 16 bytes at four places. */
PLAIT_INLINE vec batch_gather(const uint8_t *p0, const uint8_t *p1, const uint8_t *p2,
                              const uint8_t *p3)
{
    vec x = vlane0(load(p0));
    x = _mm512_inserti32x4(x, load(p1), 1);
    x = _mm512_inserti32x4(x, load(p2), 2);
    return _mm512_inserti32x4(x, load(p3), 3);
}

/* The same, of each as many bytes as bits say, 16 bits for each. */
PLAIT_INLINE vec batch_gather_some(const uint8_t *p0, const uint8_t *p1, const uint8_t *p2,
                                   const uint8_t *p3, uint64_t bits)
{
    vec x = vlane0(_mm_maskz_loadu_epi8((__mmask16)bits, p0));
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8((__mmask16)(bits >> 16), p1), 1);
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8((__mmask16)(bits >> 32), p2), 2);
    return _mm512_inserti32x4(x, _mm_maskz_loadu_epi8((__mmask16)(bits >> 48), p3), 3);
}

/* Which bytes of the last blocks are there: len[i] > 0. */
PLAIT_INLINE uint64_t batch_last(size_t l0, size_t l1, size_t l2, size_t l3)
{
#define PLAIT_BITS(l) ((uint64_t)0xffff >> (-(l)&15))
    return PLAIT_BITS(l0) | PLAIT_BITS(l1) << 16 | PLAIT_BITS(l2) << 32 | PLAIT_BITS(l3) << 48;
#undef PLAIT_BITS
}

/* Four jobs of the same key, number of blocks of text n > 0 and of AD. */
typedef struct batch {
    const plait_job *j0, *j1, *j2, *j3;
} batch;

/* What lies at this offset in the area of the key. */
PLAIT_INLINE vec batch_area(const batch *b, size_t at)
{
    return vall(b->j0->key + at);
}

/* Rows and columns of four times four blocks exchanged. */
PLAIT_INLINE void batch_turn(vec *a, vec *b, vec *c, vec *d)
{
    const vec ab = _mm512_shuffle_i32x4(*a, *b, 0x44), cd = _mm512_shuffle_i32x4(*c, *d, 0x44),
              ef = _mm512_shuffle_i32x4(*a, *b, 0xee), gh = _mm512_shuffle_i32x4(*c, *d, 0xee);
    *a = _mm512_shuffle_i32x4(ab, cd, 0x88);
    *b = _mm512_shuffle_i32x4(ab, cd, 0xdd);
    *c = _mm512_shuffle_i32x4(ef, gh, 0x88);
    *d = _mm512_shuffle_i32x4(ef, gh, 0xdd);
}

/* v <= 4 blocks of text from `at` bytes on; last: the last ones, of which the last may be partial.
 * If mask is not NULL, J0 as well, which becomes E(J0). power: the offset in the area of the first
 * block's. v, last and sealing are constants. */
PLAIT_INLINE void batch_blocks(const batch *b, ghashv_sum *sum, vec j0, vec *mask, size_t at,
                               size_t power, const int v, const int last,
                               const int sealing)
{
    const uint8_t *const area = b->j0->key;
    const uint32_t rounds = aesni_rounds(area);
    const int with = mask != NULL;
    const size_t l0 = b->j0->len, l1 = b->j1->len, l2 = b->j2->len, l3 = b->j3->len;
    vec from = j0, k, s0, s1, s2, s3, e, t0, t1, t2, t3;
    if (!with)
        from = vadd32(from, _mm512_maskz_set1_epi32(0x8888, (int)((uint32_t)(at / 16) << 24)));
    VAES_KEY(k, area, 0);
    s0 = s1 = s2 = s3 = vzero();
    e = vxor(j0, k);
#define PLAIT_FIRST(i)                                                                             \
    if (i < v) s##i = vxor(vcounter_add(from, i + 1, 24), k);
#define PLAIT_MIDDLE(i)                                                                            \
    if (i < v) s##i = vaes(s##i, k);
#define PLAIT_ROUND(r)                                                                             \
    VAES_KEY(k, area, r);                                                                          \
    if (with) e = vaes(e, k);                                                                      \
    PLAIT_MIDDLE(0) PLAIT_MIDDLE(1) PLAIT_MIDDLE(2) PLAIT_MIDDLE(3)
#define PLAIT_BYTES(i) (~UINT64_C(0) >> (-l##i & 63)) /* of the last 64 */
#define PLAIT_GET(i)                                                                               \
    t##i = last ? _mm512_maskz_loadu_epi8(PLAIT_BYTES(i), b->j##i->in + at)                        \
                : vload(b->j##i->in + at);
#define PLAIT_PUT(i)                                                                               \
    if (last)                                                                                      \
        _mm512_mask_storeu_epi8(b->j##i->out + at, PLAIT_BYTES(i), s##i);                          \
    else                                                                                           \
        vstore(b->j##i->out + at, s##i);
#define PLAIT_LAST(i)                                                                              \
    if (i < v) {                                                                                   \
        s##i = vaes_text(s##i, k, t##i);                                                           \
        if (sealing) t##i = s##i;                                                                  \
        if (sealing && last && i == v - 1)                                                         \
            if (((l0 | l1 | l2 | l3) & 15) != 0)                                                   \
                t##i = _mm512_maskz_mov_epi8(batch_last(l0, l1, l2, l3), t##i);                    \
        t##i = vreverse(t##i);                                                                     \
    }
#define PLAIT_EACH4(F) F(0) F(1) F(2) F(3)
    PLAIT_EACH4(PLAIT_FIRST)
    AESNI_ROUNDS_BETWEEN(rounds, PLAIT_ROUND)
    PLAIT_EACH4(PLAIT_GET)
    batch_turn(&t0, &t1, &t2, &t3);
    k = vaes_last_key(area, rounds);
    if (with) *mask = vaes_last(e, k);
    PLAIT_EACH4(PLAIT_LAST)
    if (v >= 2)
        ghashv_add2(sum, t0, batch_area(b, power), t1, batch_area(b, power + 16));
    else
        ghashv_add(sum, t0, batch_area(b, power));
    if (v == 4)
        ghashv_add2(sum, t2, batch_area(b, power + 32), t3, batch_area(b, power + 48));
    if (v == 3) ghashv_add(sum, t2, batch_area(b, power + 32));
    batch_turn(&s0, &s1, &s2, &s3);
    PLAIT_EACH4(PLAIT_PUT)
#undef PLAIT_FIRST
#undef PLAIT_MIDDLE
#undef PLAIT_ROUND
#undef PLAIT_BYTES
#undef PLAIT_GET
#undef PLAIT_PUT
#undef PLAIT_LAST
#undef PLAIT_EACH4
}

PLAIT_INLINE void batch_four(const batch *b, const int sealing)
{
    const size_t n = (b->j0->len + 15) / 16, ad_blocks = (b->j0->ad_len + 15) / 16;
    size_t power = AREA_POWERS + 16 * (GHASHV_POWERS - (ad_blocks + n + 1)), at = 0;
    const vec j0 = batch_gather(b->j0->iv, b->j1->iv, b->j2->iv, b->j3->iv);
    vec lengths = vzero(), mask;
    ghashv_sum sum;
    ghashv_clear(&sum);
    for (size_t i = 0; i < ad_blocks; i++, power += 16) {
        const uint64_t some = i + 1 < ad_blocks ? ~UINT64_C(0)
                                                : batch_last(b->j0->ad_len, b->j1->ad_len,
                                                             b->j2->ad_len, b->j3->ad_len);
        const vec x = batch_gather_some(b->j0->ad + 16 * i, b->j1->ad + 16 * i, b->j2->ad + 16 * i,
                                        b->j3->ad + 16 * i, some);
        ghashv_add(&sum, vreverse(x), batch_area(b, power));
    }
#define PLAIT_LENGTHS(i)                                                                           \
    lengths = _mm512_mask_set1_epi64(lengths, 1 << 2 * i, (long long)b->j##i->len);                \
    lengths = _mm512_mask_set1_epi64(lengths, 2 << 2 * i, (long long)b->j##i->ad_len);
    PLAIT_LENGTHS(0)
    PLAIT_LENGTHS(1)
    PLAIT_LENGTHS(2)
    PLAIT_LENGTHS(3)
#undef PLAIT_LENGTHS
    ghashv_add(&sum, _mm512_slli_epi64(lengths, 3), batch_area(b, power + 16 * n));
#define PLAIT_BLOCKS(v, mask)                                                                      \
    case v:                                                                                        \
        batch_blocks(b, &sum, j0, mask, at, power, v, 1, sealing);                           \
        break;
    if (n <= 4) {
        switch (n) {
            PLAIT_BLOCKS(1, &mask)
            PLAIT_BLOCKS(2, &mask)
            PLAIT_BLOCKS(3, &mask)
        default:
            PLAIT_BLOCKS(4, &mask)
        }
    } else {
        batch_blocks(b, &sum, j0, &mask, at, power, 4, 0, sealing);
        for (at = 64, power += 64; at + 64 < 16 * n; at += 64, power += 64)
            batch_blocks(b, &sum, j0, NULL, at, power, 4, 0, sealing);
        switch (n - at / 16) {
            PLAIT_BLOCKS(1, NULL)
            PLAIT_BLOCKS(2, NULL)
            PLAIT_BLOCKS(3, NULL)
        default:
            PLAIT_BLOCKS(4, NULL)
        }
    }
#undef PLAIT_BLOCKS
    mask = vxor(mask, vreverse(ghashv_reduce(&sum)));
    store(b->j0->tag, _mm512_castsi512_si128(mask));
    store(b->j1->tag, _mm512_extracti32x4_epi32(mask, 1));
    store(b->j2->tag, _mm512_extracti32x4_epi32(mask, 2));
    store(b->j3->tag, _mm512_extracti32x4_epi32(mask, 3));
}

PLAIT_NOINLINE static void four_seal(const batch *b)
{
    batch_four(b, 1);
}

PLAIT_NOINLINE static void four_open(const batch *b)
{
    batch_four(b, 0);
}

PLAIT_INLINE void batch_alone(const plait_job *j, const int sealing)
{
    (sealing ? seal : open)(j->key, j->out, j->tag, j->iv, j->ad, j->ad_len, j->in, j->len);
}

PLAIT_INLINE void batch_run(const plait_job *jobs, size_t count, const int sealing)
{
    /* Jobs that wait for others of their key and number of blocks of text and AD. */
    const plait_job *waiting[BATCH_SORTED][4];
    uint32_t n[BATCH_SORTED] = {0};
    for (const plait_job *j = jobs; j < jobs + count; j++) {
        /* four of a kind, one behind the other, with nothing to be looked up */
        if (jobs + count - j >= 4) {
            const size_t n = (j->len + 15) / 16, ad = (j->ad_len + 15) / 16;
            const size_t more = ((j[1].len + 15) / 16 ^ n) | ((j[2].len + 15) / 16 ^ n) |
                                ((j[3].len + 15) / 16 ^ n) | ((j[1].ad_len + 15) / 16 ^ ad) |
                                ((j[2].ad_len + 15) / 16 ^ ad) | ((j[3].ad_len + 15) / 16 ^ ad);
            const int keys = (j->key == j[1].key) & (j->key == j[2].key) & (j->key == j[3].key);
            const unsigned high = (unsigned)(j->iv[15] >= 256 - GHASHV_POWERS) |
                                  (j[1].iv[15] >= 256 - GHASHV_POWERS) |
                                  (j[2].iv[15] >= 256 - GHASHV_POWERS) |
                                  (j[3].iv[15] >= 256 - GHASHV_POWERS);
            if (((more != 0) | !keys | (n - 1 >= BATCH_MOST) | (ad > BATCH_AD) | (high != 0)) ==
                0) {
                const batch b = {j, j + 1, j + 2, j + 3};
                (sealing ? four_seal : four_open)(&b);
                j += 3;
                continue;
            }
        }
        const size_t at = (j->len + 15) / 16 - 1; /* huge for a length of 0 */
        if (at >= BATCH_SORTED || j->ad_len > 16 * BATCH_AD || j->iv[15] >= 256 - GHASHV_POWERS) {
            batch_alone(j, sealing);
            continue;
        }
        const plait_job **const w = waiting[at];
        if (n[at] != 0 && ((w[0]->key != j->key) |
                           ((w[0]->ad_len + 15) / 16 != (j->ad_len + 15) / 16)) != 0) {
            for (uint32_t i = 0; i < n[at]; i++) batch_alone(w[i], sealing);
            n[at] = 0;
        }
        w[n[at]++] = j;
        if (n[at] == 4) {
            const batch b = {w[0], w[1], w[2], w[3]};
            n[at] = 0;
            (sealing ? four_seal : four_open)(&b);
        }
    }
    for (size_t at = 0; at < BATCH_SORTED; at++)
        for (uint32_t i = 0; i < n[at]; i++) batch_alone(waiting[at][i], sealing);
}

static void seal_batch(const plait_job *jobs, size_t count)
{
    batch_run(jobs, count, 1);
}

static void open_batch(const plait_job *jobs, size_t count)
{
    batch_run(jobs, count, 0);
}
