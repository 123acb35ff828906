/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_words_body.h - Poly1305 with vpmuludq (32 x 32 = 64 bits), the message uncut: template
 * of poly1305_avx2 and poly1305_avx512. Include it within a target region, after
 * poly1305_mulx_body.h.
 *
 * A block is taken as what it is in memory, four words of 32 bits and 2^128:
 *
 *     m = w0 + 2^32 w1 + 2^64 w2 + 2^96 w3 + 2^128
 *     m r^j = sum of wi Ri,   Ri = 2^(32 i) r^j mod p
 *
 * With each Ri in five limbs of 26 bits that is 20 products for a block, and nothing to do to the
 * block: vpmuludq reads the low half of each 64-bit lane (w0, w2), and for w1 and w3 the load moves
 * the high halves down. Cutting a block into limbs of 26 bits takes 25 products, and 13 operations
 * for the cut. The price is a table of 20 numbers for each power of r where 9 would do. The sum of
 * the 2^128 of many blocks is a constant.
 *
 * A run is E vectors of LANES / 2 blocks, N = E LANES / 2 blocks in all:
 *
 *     h = h r^N + m_0 r^N + m_1 r^(N-1) + ... + m_(N-1) r
 *
 * Each block has the power of its place, so that the lanes need only be added in the end. h keeps
 * to limbs of 26 bits (25 products with r^N, in each lane).
 *
 *     lane      0          1          2          3         ...
 *     holds     w0 (+w1)   w2 (+w3)   w0 (+w1)   w2 (+w3)      of blocks 0, 0, 1, 1, ...
 *     times     R0 (R1)    R2 (R3)    R0 (R1)    R2 (R3)       of powers j, j, j - 1, j - 1, ...
 *
 * Bounds. M = 2^26 - 1.
 *     after wide_carry (h, powers)      x0, x2, x3 <= M,  x1 < M + 2^13,  x4 < M + 2^11
 *     after wide_cut (r, r^2, h)        x0 .. x3 <= M,  x4 < 2^27 (r^2: 5 2^24)
 *     a factor's s = 5 r                < 2^29 (r^2: 2^28.7) < 2^32
 *     Ri, after wide_up                 R < M + 2^9
 *     sums in a lane, a run of E        2 E products < 2^32 2^26.1 (row of r^2: 2^26.4),
 *                                       5 products of h r^N < 2^27 2^28.4,
 *                                       E numbers < 2^26.1: for E = 8 < 2^62.3
 * wide_carry of such sums: 0 to 1, 3 to 4, 1 to 2 and 2 to 3 move less than 2^36.5, 4 to 0 moves 5
 * 2^36.4 < 2^38.8; then x0 < 2^38.9 and 0 to 1 moves < 2^13; x3 < 2^36.6 and 3 to 4 moves < 2^11.
 *
 * The including file defines V, V_REG (the letter of its registers in asm), LANES (4 or 8),
 * WIDE_TWOS (lanes of r^2 at first) and the operations used below with the prefix v_; and from how
 * many blocks on to leave scalar (WIDE_FROM), and to use runs of four (WIDE_TWO_FROM) and eight
 * vectors (WIDE_FOUR_FROM).
 */

typedef struct wide_limbs {
    V x[5];
} wide_limbs;

/* A power of r as a factor: r, and s[i] = 5 r[i]; s[0] is not used. */
typedef struct wide_power {
    V r[5], s[5];
} wide_power;

/* A vector's factors: for the low words of its lanes, and for the high words. */
typedef struct wide_row {
    V low[5], high[5];
} wide_row;

/* row[e] is for the vector with e vectors after it in the run; run[i] is what a run of 2^(i + 1)
 * vectors multiplies h by (r^N) and adds for the 2^128 of its blocks. Secret. */
typedef struct wide_table {
    struct {
        wide_power power;
        wide_limbs pads;
    } run[3];
    wide_row row[8];
} wide_table;

/* Overwrites n bytes, whole vectors. */
PLAIT_INLINE void v_wipe(void *p, size_t n)
{
    PLAIT_WIPE_VECTORS(v_store, v_zero(), sizeof(V))
}

#define WIDE_M26 ((UINT64_C(1) << 26) - 1)

/* S(0) to S(4): a loop over limbs that GCC at -O2 does unroll. */
#define WIDE_EACH(S) S(0) S(1) S(2) S(3) S(4)

/* One carry from limb i to the next; from 4 to 0 times 5. */
#define WIDE_CARRY(h, i, j)                                                                        \
    (h.x[j] = v_add(h.x[j], v_shr(h.x[i], 26)), h.x[i] = v_and(h.x[i], v_set1(WIDE_M26)))

/* Limbs < 2^62.5 to < 2^26 + 2^15. Two chains side by side, from 0 to 4 and from 3 to 1. */
PLAIT_INLINE wide_limbs wide_carry(wide_limbs h)
{
    V c;
    WIDE_CARRY(h, 0, 1);
    WIDE_CARRY(h, 3, 4);
    WIDE_CARRY(h, 1, 2);
    c = v_shr(h.x[4], 26);
    h.x[4] = v_and(h.x[4], v_set1(WIDE_M26));
    h.x[0] = v_add(h.x[0], v_add(c, v_shl(c, 2)));
    WIDE_CARRY(h, 2, 3);
    WIDE_CARRY(h, 0, 1);
    WIDE_CARRY(h, 3, 4);
    return h;
}

/* The products and their sums, in asm: GCC regroups sums, so that all products are made first and
 * kept on the stack. WIDE_PRODUCT: d += a p, by way of t. */
#define WIDE_PRODUCT(a, p, d, t)                                                                   \
    "vpmuludq %[" #p "], %[" #a "], %[" #t "]\n\tvpaddq %[" #t "], %[" #d "], %[" #d "]\n\t"
#define WIDE_OUT(d)                                                                                \
    [d0] "+&" V_REG((d)->x[0]), [d1] "+&" V_REG((d)->x[1]), [d2] "+&" V_REG((d)->x[2]),            \
        [d3] "+&" V_REG((d)->x[3]), [d4] "+&" V_REG((d)->x[4]), [t] "=&" V_REG(t), [u] "=&" V_REG(u)

/* d + a p. */
PLAIT_INLINE void wide_mul_add(wide_limbs *d, wide_limbs a, const wide_power *p)
{
    V t, u;
#define ROW(a, p0, p1, p2, p3, p4)                                                                 \
    WIDE_PRODUCT(a, p0, d0, t)                                                                     \
    WIDE_PRODUCT(a, p1, d1, u)                                                                     \
    WIDE_PRODUCT(a, p2, d2, t) WIDE_PRODUCT(a, p3, d3, u) WIDE_PRODUCT(a, p4, d4, t)
    __asm__(ROW(a0, r0, r1, r2, r3, r4) ROW(a1, s4, r0, r1, r2, r3) ROW(a2, s3, s4, r0, r1, r2)
                ROW(a3, s2, s3, s4, r0, r1) ROW(a4, s1, s2, s3, s4, r0)
            : WIDE_OUT(d)
            : [a0] V_REG(a.x[0]), [a1] V_REG(a.x[1]), [a2] V_REG(a.x[2]), [a3] V_REG(a.x[3]),
              [a4] V_REG(a.x[4]), [r0] "m"(p->r[0]), [r1] "m"(p->r[1]), [r2] "m"(p->r[2]),
              [r3] "m"(p->r[3]), [r4] "m"(p->r[4]), [s1] "m"(p->s[1]), [s2] "m"(p->s[2]),
              [s3] "m"(p->s[3]), [s4] "m"(p->s[4]));
#undef ROW
}

/* d + a vector of blocks, whose low and high words these are. */
PLAIT_INLINE void wide_absorb(wide_limbs *d, V low, V high, const wide_row *row)
{
    V t, u;
    __asm__(WIDE_PRODUCT(a, r0, d0, t) WIDE_PRODUCT(a, r1, d1, u) WIDE_PRODUCT(a, r2, d2, t)
                WIDE_PRODUCT(a, r3, d3, u) WIDE_PRODUCT(a, r4, d4, t) WIDE_PRODUCT(b, s0, d0, u)
                    WIDE_PRODUCT(b, s1, d1, t) WIDE_PRODUCT(b, s2, d2, u) WIDE_PRODUCT(b, s3, d3, t)
                        WIDE_PRODUCT(b, s4, d4, u)
            : WIDE_OUT(d)
            : [a] V_REG(low), [b] V_REG(high), [r0] "m"(row->low[0]), [r1] "m"(row->low[1]),
              [r2] "m"(row->low[2]), [r3] "m"(row->low[3]), [r4] "m"(row->low[4]),
              [s0] "m"(row->high[0]), [s1] "m"(row->high[1]), [s2] "m"(row->high[2]),
              [s3] "m"(row->high[3]), [s4] "m"(row->high[4]));
}

PLAIT_INLINE wide_limbs wide_mul(wide_limbs a, const wide_power *p)
{
    wide_limbs d;
    d.x[0] = d.x[1] = d.x[2] = d.x[3] = d.x[4] = v_zero();
    wide_mul_add(&d, a, p);
    return d;
}

PLAIT_INLINE wide_power wide_factor(wide_limbs a)
{
    wide_power p;
#define S(k) p.r[k] = a.x[k], p.s[k] = v_add(a.x[k], v_shl(a.x[k], 2));
    WIDE_EACH(S)
#undef S
    return p;
}
PLAIT_INLINE wide_power wide_first_lane(wide_limbs a)
{
#define S(k) a.x[k] = v_first_lane(a.x[k]);
    WIDE_EACH(S)
#undef S
    return wide_factor(a);
}

/* 2^32 a: up by one limb and 6 bits. */
PLAIT_INLINE wide_limbs wide_up(wide_limbs a)
{
    const V m = v_set1(WIDE_M26);
    const V top = v_add(a.x[4], v_shl(a.x[4], 2)), over = v_shr(a.x[3], 20);
    wide_limbs b;
    b.x[0] = v_add(v_and(v_shl(top, 6), m), v_add(over, v_shl(over, 2)));
    b.x[1] = v_add(v_and(v_shl(a.x[0], 6), m), v_shr(top, 20));
    b.x[2] = v_add(v_and(v_shl(a.x[1], 6), m), v_shr(a.x[0], 20));
    b.x[3] = v_add(v_and(v_shl(a.x[2], 6), m), v_shr(a.x[1], 20));
    b.x[4] = v_add(v_and(v_shl(a.x[3], 6), m), v_shr(a.x[2], 20));
    return b;
}

/* row[1] and row[0] of the powers of r in the lanes of a: those in the even lanes, falling, and
 * those in the odd lanes. Returns pads + the 2^128 of their blocks. */
PLAIT_INLINE wide_limbs wide_rows(wide_row *row, wide_limbs a, wide_limbs pads)
{
    const wide_limbs b = wide_up(a), c = wide_up(b), d = wide_up(c), e = wide_up(d);
#define S(k)                                                                                       \
    row[1].low[k] = v_unpack_low(a.x[k], c.x[k]);                                                  \
    row[0].low[k] = v_unpack_high(a.x[k], c.x[k]);                                                 \
    row[1].high[k] = v_unpack_low(b.x[k], d.x[k]);                                                 \
    row[0].high[k] = v_unpack_high(b.x[k], d.x[k]);                                                \
    pads.x[k] = v_add(pads.x[k], e.x[k]);
    WIDE_EACH(S)
#undef S
    return pads;
}

/* x0 + 2^64 x1 + 2^128 x2 in limbs (x2 <= 7), each in all lanes. */
PLAIT_INLINE wide_limbs wide_cut(uint64_t x0, uint64_t x1, uint64_t x2)
{
    wide_limbs a;
    a.x[0] = v_set1(x0 & WIDE_M26);
    a.x[1] = v_set1((x0 >> 26) & WIDE_M26);
    a.x[2] = v_set1((x0 >> 52 | x1 << 12) & WIDE_M26);
    a.x[3] = v_set1((x1 >> 14) & WIDE_M26);
    a.x[4] = v_set1(x1 >> 40 | x2 << 24);
    return a;
}

/* a = b in the lanes of the set. */
#define WIDE_BLEND(a, b, lanes)                                                                    \
    ((a).x[0] = v_blend((a).x[0], (b).x[0], lanes), (a).x[1] = v_blend((a).x[1], (b).x[1], lanes), \
     (a).x[2] = v_blend((a).x[2], (b).x[2], lanes), (a).x[3] = v_blend((a).x[3], (b).x[3], lanes), \
     (a).x[4] = v_blend((a).x[4], (b).x[4], lanes))

/* Powers LANES to 1 of r: those of an even lane and the odd lane after it differ by LANES / 2.
 *     4 lanes: 4 2 3 1    8 lanes: 8 4 7 3 6 2 5 1 */
PLAIT_INLINE wide_limbs wide_lane_powers(const plait_poly1305_acc *acc)
{
    const uint64_t r0 = acc->r[0], r1 = acc->r[1], s1 = r1 + (r1 >> 2);
    plait_u128 d0 = (plait_u128)r0 * r0 + (plait_u128)r1 * s1;
    plait_u128 d1 = (plait_u128)r0 * (2 * r1) + (uint64_t)(d0 >> 64); /* < 2^122 */
    const uint64_t h2 = (uint64_t)(d1 >> 64);                         /* < 2^58 */
    wide_limbs a, b;
    wide_power p;
    a = wide_cut(r0, r1, 0);
    d0 = (plait_u128)(uint64_t)d0 + (h2 >> 2) + (h2 & ~UINT64_C(3));
    d1 = (plait_u128)(uint64_t)d1 + (uint64_t)(d0 >> 64);
    b = wide_cut((uint64_t)d0, (uint64_t)d1, (h2 & 3) + (uint64_t)(d1 >> 64));
    p = wide_factor(b);
    WIDE_BLEND(a, b, WIDE_TWOS); /* 2 2 1 1 */
    b = wide_carry(wide_mul(a, &p));
#if LANES == 4
    WIDE_BLEND(a, b, 0x5); /* 4 2 3 1 */
#else
    WIDE_BLEND(a, b, 0xf); /* 4 4 3 3 2 2 1 1 */
    p = wide_first_lane(a);
    b = wide_carry(wide_mul(a, &p));
    WIDE_BLEND(a, b, 0x55); /* 8 4 7 3 6 2 5 1 */
#endif
    return a;
}

/* A run of 2^(run + 1) vectors. */
PLAIT_INLINE wide_limbs wide_run(wide_limbs h, const uint8_t *msg, const wide_table *t, int run)
{
    wide_limbs d = t->run[run].pads;
    const wide_row *row = &t->row[2 << run];
    do {
        row -= 2;
        wide_absorb(&d, v_load(msg), v_load_high(msg), &row[1]);
        wide_absorb(&d, v_load(msg + 8 * LANES), v_load_high(msg + 8 * LANES), &row[0]);
        msg += 16 * LANES;
    } while (row != t->row);
    wide_mul_add(&d, h, &t->run[run].power);
    return wide_carry(d);
}

/* The state's h = the sum of the lanes. */
PLAIT_INLINE void wide_leave(plait_poly1305_acc *acc, wide_limbs h)
{
    /* 8 lanes of limbs < 2^26.1: sums < 2^55.2, 2^55.2, 2^29.1 */
    const uint64_t a = v_sum(v_add(h.x[0], v_shl(h.x[1], 26))),
                   b = v_sum(v_add(h.x[2], v_shl(h.x[3], 26)));
    const uint64_t c = v_sum(h.x[4]);
    plait_u128 x = (plait_u128)a + ((plait_u128)b << 52);
    plait_u128 y = ((plait_u128)c << 40) + (uint64_t)(x >> 64);
    const uint64_t top = (uint64_t)(y >> 64); /* < 2^6 */
    x = (plait_u128)(uint64_t)x + (top >> 2) * 5;
    y = (plait_u128)(uint64_t)y + (uint64_t)(x >> 64);
    acc->h[0] = (uint64_t)x;
    acc->h[1] = (uint64_t)y;
    acc->h[2] = (top & 3) + (uint64_t)(y >> 64); /* <= 4 */
    PLAIT_BOUND(acc->h[2] <= 4);
}

/* h = (h + m) r ... over n blocks, n >= WIDE_FROM. The first n mod LANES go in scalar. Each length
 * of run needs a table twice as long, and costs half as much per block for what is done to h. */
PLAIT_NOINLINE static void wide(plait_poly1305_acc *acc, const uint8_t *msg, size_t n)
{
    wide_table t;
    wide_limbs h, p, q, u;
    size_t used = 2;          /* rows */
    size_t pairs = n / LANES; /* of vectors */

    h.x[0] = h.x[1] = h.x[2] = h.x[3] = h.x[4] = v_zero();
    p = wide_lane_powers(acc);
    poly1305_absorb(acc, msg, 16 * (n % LANES), 1);
    msg += 16 * (n % LANES);
    t.run[0].pads = wide_rows(&t.row[0], p, h);
    t.run[0].power = wide_first_lane(p);
    if (n >= WIDE_TWO_FROM) {
        q = wide_carry(wide_mul(p, &t.run[0].power));
        t.run[1].pads = wide_rows(&t.row[2], q, t.run[0].pads);
        t.run[1].power = wide_first_lane(q);
        used = 4;
        if (n >= WIDE_FOUR_FROM) {
            u = wide_carry(wide_mul(p, &t.run[1].power));
            t.run[2].pads = wide_rows(&t.row[4], u, t.run[1].pads);
            u = wide_carry(wide_mul(q, &t.run[1].power));
            t.run[2].pads = wide_rows(&t.row[6], u, t.run[2].pads);
            t.run[2].power = wide_first_lane(u);
            used = 8;
        }
    }

    h = wide_cut(acc->h[0], acc->h[1], acc->h[2]);
#define S(k) h.x[k] = v_only_first(h.x[k]);
    WIDE_EACH(S)
#undef S
    if (used == 2) {
        for (; pairs > 0; pairs--, msg += 16 * LANES) h = wide_run(h, msg, &t, 0);
    } else {
        if (pairs & 1) {
            h = wide_run(h, msg, &t, 0);
            msg += 16 * LANES;
        }
        if (used == 4) {
            for (; pairs > 1; pairs -= 2, msg += 32 * LANES) h = wide_run(h, msg, &t, 1);
        } else {
            if (pairs & 2) {
                h = wide_run(h, msg, &t, 1);
                msg += 32 * LANES;
            }
            for (; pairs > 3; pairs -= 4, msg += 64 * LANES) h = wide_run(h, msg, &t, 2);
        }
    }
    wide_leave(acc, h);
    v_wipe(&t, (size_t)((const char *)&t.row[used] - (const char *)&t));
    v_end();
}

static void blocks(plait_poly1305_acc *acc, const uint8_t *msg, size_t len)
{
    if (len >= 16 * WIDE_FROM)
        wide(acc, msg, len / 16);
    else
        poly1305_absorb_full(acc, msg, len);
}

static void mac(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32])
{
    plait_poly1305_acc acc;
    poly1305_load_key(&acc, key);
    blocks(&acc, msg, len & ~(size_t)15);
    if ((len & 15) != 0) poly1305_absorb_partial(&acc, msg + (len & ~(size_t)15), len & 15);
    poly1305_emit(&acc, tag);
    plait_wipe(&acc, sizeof acc);
}
