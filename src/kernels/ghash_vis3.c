/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_vis3: GHASH with the carry-less multiplications of SPARC's VIS3 (XMULX, XMULXHI: T3 and
 * later), in integer registers, 8 blocks by the powers H^8 to H^1 with one reduction. The
 * counterpart of JDK-8073108's other half, which has one block and one reduction at a time: a
 * multiplication takes 12 cycles on the T4, and products of different blocks wait for nothing.
 *
 * The field is that of ghash_pclmul_body.h, in words: a block, big-endian, is a 128-bit number of
 * which bit k is the coefficient of x^(127-k). With H' = H x as the factor the product of a block has
 * 256 bits, bit k for x^(255-k), and V = fold(V) x^64, where
 *
 *     fold(V) = V.low * 0xc200000000000000 ^ (V with its halves exchanged).
 *
 * With lo, mi, hi at bits 0, 64, 128 the result is hi ^ fold(mi ^ fold(lo)). The products by the
 * constant are shifts by 1, 2 and 7, which take a cycle each.
 *
 * Karatsuba: 6 multiplications a block (low and high words of three products) for 8.
 *
 * The area: for n = 1..8 from AREA_POWERS on H'^n, high word, low word, and their sum; at AREA_COUNT
 * how many there are.
 */
#include "../kernel.h"

#if PLAIT_BUILD_SPARC64

enum { AREA_POWERS = 0, AREA_COUNT = 8 * 24 };

typedef struct pair {
    uint64_t hi, lo;
} pair;

/* Three products of 128 bits. */
typedef struct sums {
    pair hi, mi, lo;
} sums;

/* XMULX and XMULXHI as words: assemblers want a switch for their names. Fields: the destination at
 * bit 25, the sources at 14 and 0; %o0 is register 8, %l0 16. */
#define TEXT(x) #x
#define STR(x)  TEXT(x)
#define XMULX(rs1, rs2, rd)                                                                        \
    ".word 0x81b022a0 + (" STR(rd) " << 25) + (" STR(rs1) " << 14) + " STR(rs2) "\n\t"
#define XMULXHI(rs1, rs2, rd)                                                                      \
    ".word 0x81b022c0 + (" STR(rd) " << 25) + (" STR(rs1) " << 14) + " STR(rs2) "\n\t"

/* a b in Karatsuba's three products; b_sum = b.hi ^ b.lo. */
PLAIT_INLINE sums times(pair a, pair b, uint64_t b_sum)
{
    register uint64_t a_hi __asm__("o0") = a.hi;
    register uint64_t a_lo __asm__("o1") = a.lo;
    register uint64_t a_sum __asm__("o2") = a.hi ^ a.lo;
    register uint64_t b_hi __asm__("o3") = b.hi;
    register uint64_t b_lo __asm__("o4") = b.lo;
    register uint64_t b_both __asm__("o5") = b_sum;
    register uint64_t hi_hi __asm__("l0");
    register uint64_t hi_lo __asm__("l1");
    register uint64_t mi_hi __asm__("l2");
    register uint64_t mi_lo __asm__("l3");
    register uint64_t lo_hi __asm__("l4");
    register uint64_t lo_lo __asm__("l5");
    sums s;
    __asm__(XMULXHI(8, 11, 16) XMULX(8, 11, 17) XMULXHI(9, 12, 20) XMULX(9, 12, 21)
                XMULXHI(10, 13, 18) XMULX(10, 13, 19)
            : "=&r"(hi_hi), "=&r"(hi_lo), "=&r"(mi_hi), "=&r"(mi_lo), "=&r"(lo_hi), "=&r"(lo_lo)
            : "r"(a_hi), "r"(a_lo), "r"(a_sum), "r"(b_hi), "r"(b_lo), "r"(b_both));
    s.hi.hi = hi_hi;
    s.hi.lo = hi_lo;
    s.mi.hi = mi_hi;
    s.mi.lo = mi_lo;
    s.lo.hi = lo_hi;
    s.lo.lo = lo_lo;
    return s;
}

PLAIT_INLINE pair xor2(pair a, pair b)
{
    const pair c = {a.hi ^ b.hi, a.lo ^ b.lo};
    return c;
}

PLAIT_INLINE sums add(sums a, sums b)
{
    const sums c = {xor2(a.hi, b.hi), xor2(a.mi, b.mi), xor2(a.lo, b.lo)};
    return c;
}

PLAIT_INLINE pair fold(pair v)
{
    const pair c = {v.lo ^ v.lo >> 1 ^ v.lo >> 2 ^ v.lo >> 7,
                    v.hi ^ v.lo << 63 ^ v.lo << 62 ^ v.lo << 57};
    return c;
}

PLAIT_INLINE pair reduce(sums s)
{
    const pair mi = xor2(s.mi, xor2(s.hi, s.lo));
    return xor2(s.hi, fold(xor2(mi, fold(s.lo))));
}

PLAIT_INLINE pair load_pair(const uint8_t *p)
{
    pair a;
    memcpy(&a, p, 16);
    return a;
}

/* Power n of H' as a factor. */
PLAIT_INLINE sums times_power(pair a, const uint8_t *area, size_t n)
{
    uint64_t b[3];
    memcpy(b, area + AREA_POWERS + 24 * (n - 1), 24);
    {
        const pair p = {b[0], b[1]};
        return times(a, p, b[2]);
    }
}

static void init(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len)
{
    const size_t blocks = max_len / 16 + (max_len % 16 != 0), count = blocks < 8 ? blocks : 8;
    const pair a = load_pair(h);
    /* H x: one bit to the left, and what leaves at the top comes back */
    const uint64_t top = plait_barrier64(0 - (a.hi >> 63));
    pair p = {(a.hi << 1 | a.lo >> 63) ^ (top & UINT64_C(0xc200000000000000)),
              a.lo << 1 ^ (top & 1)};
    const pair first = p;
    for (size_t n = 1;; n++) {
        const uint64_t b[3] = {p.hi, p.lo, p.hi ^ p.lo};
        memcpy(area + AREA_POWERS + 24 * (n - 1), b, 24);
        if (n >= count) break;
        p = reduce(times(p, first, first.hi ^ first.lo));
    }
    plait_store32_be(area + AREA_COUNT, (uint32_t)(count > 0 ? count : 1));
}

/* 64-bit words of callers' bytes, aligned. */
typedef uint64_t __attribute__((may_alias)) word;

/* acc absorbs 8 blocks: 128 bytes from `shift` bits after q on. */
PLAIT_INLINE pair step(const uint64_t power[24], pair acc, const word *q, unsigned shift)
{
    sums s = {{0, 0}, {0, 0}, {0, 0}};
    uint64_t now = q[0];
    for (int i = 0; i < 8; i++) {
        const pair p = {power[3 * (7 - i)], power[3 * (7 - i) + 1]};
        pair x;
        if (shift == 0) {
            x.hi = q[2 * i];
            x.lo = q[2 * i + 1];
        } else {
            const uint64_t next = q[2 * i + 1], after = q[2 * i + 2];
            x.hi = now << shift | next >> (64 - shift);
            x.lo = next << shift | after >> (64 - shift);
            now = after;
        }
        s = add(s, times(i == 0 ? xor2(x, acc) : x, p, power[3 * (7 - i) + 2]));
    }
    return reduce(s);
}

static void update(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data,
                   size_t len)
{
    const uint8_t *begin = data;
    const size_t powers = plait_load32_be(area + AREA_COUNT);
    const unsigned off = (unsigned)((uintptr_t)data & 7);
    uint64_t copy[16];
    pair a;
    if (len == 0) return;
    a = load_pair(acc);
    if (powers == 8 && len >= 128) {
        uint64_t power[24];
        memcpy(power, area + AREA_POWERS, sizeof power);
        for (; len >= 128; len -= 128, data += 128) {
            if (off == 0) {
                a = step(power, a, (const word *)(const void *)data, 0);
            } else if (data != begin && len >= 128 + 8) {
                /* The words around data lie inside of what was passed. */
                a = step(power, a, (const word *)(const void *)(data - off), 8 * off);
            } else {
                memcpy(copy, data, 128);
                a = step(power, a, copy, 0);
            }
        }
        plait_wipe(power, sizeof power);
    }
    while (len > 0) {
        size_t n = (len + 15) / 16;
        sums s = {{0, 0}, {0, 0}, {0, 0}};
        if (n > powers) n = powers;
        for (; n > 0; n--) {
            const size_t now = len < 16 ? len : 16;
            copy[0] = copy[1] = 0;
            memcpy(copy, data, now);
            a.hi ^= copy[0];
            a.lo ^= copy[1];
            s = add(s, times_power(a, area, n));
            a.hi = a.lo = 0;
            data += now;
            len -= now;
        }
        a = reduce(s);
    }
    memcpy(acc, &a, 16);
    plait_wipe(copy, sizeof copy);
}

const plait_kernel plait_ghash_vis3 = {PLAIT_KERNEL_ID(ghash, vis3), PLAIT_NEEDS(vis3), .width = 8,
                                       .fn.ghash = {.init = init, .update = update}};

#else

const plait_kernel plait_ghash_vis3 = {PLAIT_KERNEL_ID(ghash, vis3), PLAIT_NOT_BUILT(vis3)};

#endif
