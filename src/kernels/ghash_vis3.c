/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_vis3: GHASH with the carry-less products of SPARC VIS3 (xmulx, xmulxhi), 8 blocks in flight
 * by the powers H^8 to H^1, one reduction for all of them. For SPARC T3 and later. General
 * registers only: six hold the sum, two the first block, two shift counts, two pointers and a carry
 * the input.
 *
 * The field. SPARC reads a block as two big-endian words, which is the number whose bit 127 - i is
 * the coefficient of x^i. The product of two such numbers is short of a shift by one bit; H is
 * stored with that shift done (H / x, written H' below). Then of the 256 bits p3 p2 p1 p0 of a H',
 * bit k stands for x^(255 - k): p3 p2 is in place, and x^128 = 1 + x + x^2 + x^7 brings a lower
 * word w two words up as
 *
 *     w x^-128 = w * 2^128  ^  (w * 0xc200000000000000) * 2^64
 *
 * of its own place: two products and three sums for p0, then for p1. Done with shifts the same
 * takes 13 instructions instead of 5; it would have the shorter latency (about 5 cycles, for the 12
 * of a product on T4), but with 8 blocks to a reduction the sums of the next blocks fill that time,
 * and where the 8 threads of a core share its two issue slots only instructions count. H'^n here
 * means H^n / x: the product of H'^m and H'^n by the rule above is H'^(m + n).
 *
 * Karatsuba: 6 multiplications, 3 loads and 7 sums a block, where the schoolbook form takes 8, 2
 * and 8: fewer products and fewer instructions. A reduction for each block would add 10
 * instructions to each, and put 40 cycles between one block and the next.
 *
 * The input. SPARC traps when an 8-byte load is not aligned, and data starts anywhere. The bytes
 * before the first aligned address are read one by one; from there on only aligned words are
 * loaded, and two neighbours are put together by shifts. Bytes beside the data are never read, not
 * even in the words that hold its ends. VIS could align in floating-point registers, but the way
 * from there to the general registers takes as long as a product.
 *
 * The area: for n = 8..1 the high word of H'^n, the low word, and their sum; then how many powers
 * there are. If fewer than 8 were made, the front is zero.
 */
#include "../kernel.h"

#if PLAIT_BUILD_SPARC64

enum { POWER = 24, POWERS = 8, AREA_COUNT = POWERS * POWER, AREA_BYTES = AREA_COUNT + 8 };

/* The two instructions as words: assemblers refuse the names unless told that VIS3 is there, and
 * would then mark the whole program as one that needs it. The compiler chooses the registers; the
 * loop of the assembler finds their numbers: of the destination for bit 25, of the sources for 14
 * and 0. */
#define REGISTERS                                                                                  \
    "%%g0,%%g1,%%g2,%%g3,%%g4,%%g5,%%g6,%%g7,%%o0,%%o1,%%o2,%%o3,%%o4,%%o5,%%o6,%%o7,"             \
    "%%l0,%%l1,%%l2,%%l3,%%l4,%%l5,%%l6,%%l7,%%i0,%%i1,%%i2,%%i3,%%i4,%%i5,%%i6,%%i7"
#define WHERE(operand, bit)                                                                        \
    ".ifc \\r," operand                                                                            \
    "\n\t.set .Lplait_word, .Lplait_word + (.Lplait_number << " #bit ")\n\t.endif\n\t"
#define ENCODE(opf, d, a, b)                                                                       \
    __asm__(".set .Lplait_word, 0x81b00000 + (" #opf " << 5)\n\t"                                  \
            ".set .Lplait_number, 0\n\t"                                                           \
            ".irp r," REGISTERS "\n\t" WHERE("%0", 25) WHERE("%1", 14) WHERE("%2", 0)              \
            ".set .Lplait_number, .Lplait_number + 1\n\t"                                          \
            ".endr\n\t"                                                                            \
            ".word .Lplait_word"                                                                   \
            : "=r"(d)                                                                              \
            : "r"(a), "r"(b))

PLAIT_INLINE uint64_t xmulx(uint64_t a, uint64_t b)
{
    uint64_t d;
    ENCODE(0x115, d, a, b);
    return d;
}

PLAIT_INLINE uint64_t xmulxhi(uint64_t a, uint64_t b)
{
    uint64_t d;
    ENCODE(0x116, d, a, b);
    return d;
}

PLAIT_INLINE uint64_t load_aligned(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, __builtin_assume_aligned(p, 8), 8);
    return x;
}

/* The n <= 8 bytes at p at the top of a word, zeros below. */
PLAIT_INLINE uint64_t load_bytes(const uint8_t *p, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) x |= (uint64_t)p[i] << (56 - 8 * i);
    return x;
}

/* memcpy of 8 bytes whose alignment is not known is a call on this CPU. */
PLAIT_INLINE void store_word(uint8_t *p, uint64_t x)
{
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(x >> (56 - 8 * i));
}

/* ---- the input, word by word */

typedef struct input {
    const uint8_t *next; /* aligned */
    size_t left;         /* bytes from next on */
    uint64_t carry;      /* the bytes before next that were not yet given out, at the top */
    unsigned bits;       /* how many that are, in bits: 0..56 */
} input;

PLAIT_INLINE input input_start(const uint8_t *data, size_t len)
{
    const size_t before = (size_t)(0 - (uintptr_t)data) & 7, n = before < len ? before : len;
    const input in = {data + n, len - n, load_bytes(data, n), (unsigned)(8 * n)};
    return in;
}

PLAIT_INLINE uint64_t input_put(input *in, uint64_t w)
{
    const uint64_t x = in->carry | w >> in->bits;
    in->carry = (w << 1) << (63 - in->bits); /* 0 if there are no bits to carry */
    return x;
}

/* The word that is put together from the carry and the 8 bytes at next + offset. aligned: there is
 * no carry. */
PLAIT_INLINE uint64_t input_whole(input *in, int offset, int aligned)
{
    const uint64_t w = load_aligned(in->next + offset);
    return aligned ? w : input_put(in, w);
}

/* The next word of an input that ends in zeros. */
PLAIT_INLINE uint64_t input_any(input *in)
{
    const size_t n = in->left < 8 ? in->left : 8;
    const uint64_t w = n == 8 ? load_aligned(in->next) : load_bytes(in->next, n);
    in->next += n;
    in->left -= n;
    return input_put(in, w);
}

/* ---- the field */

typedef struct number {
    uint64_t hi, lo;
} number;

typedef struct sum {
    uint64_t p3, p2, m1, m0, p1, p0; /* of high words, of Karatsuba's sums, of low words */
} sum;

PLAIT_INLINE number number_xor(number a, number b)
{
    const number c = {a.hi ^ b.hi, a.lo ^ b.lo};
    return c;
}

/* s += a H'^n, where power points to the three words of H'^n. */
PLAIT_INLINE void sum_add(sum *s, const uint8_t *power, number a)
{
    const uint64_t hi = load_aligned(power), lo = load_aligned(power + 8),
                   both = load_aligned(power + 16), t = a.hi ^ a.lo;
    s->p3 ^= xmulxhi(a.hi, hi);
    s->p2 ^= xmulx(a.hi, hi);
    s->m1 ^= xmulxhi(t, both);
    s->m0 ^= xmulx(t, both);
    s->p1 ^= xmulxhi(a.lo, lo);
    s->p0 ^= xmulx(a.lo, lo);
}

PLAIT_INLINE number sum_reduce(sum s)
{
    const uint64_t poly = UINT64_C(0xc200000000000000);
    const uint64_t p1 = s.p1 ^ s.m0 ^ s.p0 ^ s.p2 ^ xmulx(s.p0, poly);
    const uint64_t p2 = s.p2 ^ s.m1 ^ s.p1 ^ s.p3 ^ s.p0 ^ xmulxhi(s.p0, poly) ^ xmulx(p1, poly);
    const number r = {s.p3 ^ p1 ^ xmulxhi(p1, poly), p2};
    return r;
}

static void init(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len)
{
    uint64_t table[AREA_BYTES / 8] = {0};
    const uint64_t hi = load_bytes(h, 8), lo = load_bytes(h + 8, 8);
    /* 1 / x = x^127 + x^6 + x + 1 */
    const uint64_t one = plait_barrier64(0 - (hi >> 63));
    number p = {(hi << 1 | lo >> 63) ^ (one & UINT64_C(0xc200000000000000)), lo << 1 ^ (one & 1)};
    unsigned n = 0;
    for (;;) {
        uint64_t *power = table + POWER / 8 * (POWERS - ++n);
        power[0] = p.hi;
        power[1] = p.lo;
        power[2] = p.hi ^ p.lo;
        if (n == POWERS || max_len <= 16 * (size_t)n) break;
        sum s = {0};
        sum_add(&s, (const uint8_t *)(table + POWER / 8 * (POWERS - 1)), p);
        p = sum_reduce(s);
    }
    table[AREA_COUNT / 8] = n;
    memcpy(area, table, sizeof table);
    plait_wipe(table, sizeof table);
    plait_wipe(&p, sizeof p);
}

/* Takes block i of a step into s. The compiler is to think that where the next block and power are
 * is only known when that is done: GCC would keep all powers in registers, of which there are not
 * enough, load all blocks and begin all products at once. */
PLAIT_INLINE void absorb_block(sum *s, const uint8_t **area, input *in, int i, int aligned)
{
    number x;
    x.hi = input_whole(in, 16 * i, aligned);
    x.lo = input_whole(in, 16 * i + 8, aligned);
    sum_add(s, *area + POWER * i, x);
    __asm__(""
            : "+r"(*area), "+r"(in->next), "+r"(s->p3), "+r"(s->p2), "+r"(s->m1), "+r"(s->m0),
              "+r"(s->p1), "+r"(s->p0));
}

/* 8 blocks a step, as long as they are there as aligned words. */
PLAIT_INLINE number absorb_wide(const uint8_t *area, number acc, input *in, int aligned)
{
    while (in->left >= 128) {
        sum s = {0};
        number first;
        first.hi = input_whole(in, 0, aligned);
        first.lo = input_whole(in, 8, aligned);
        absorb_block(&s, &area, in, 1, aligned); /* no loop: GCC would keep it */
        absorb_block(&s, &area, in, 2, aligned);
        absorb_block(&s, &area, in, 3, aligned);
        absorb_block(&s, &area, in, 4, aligned);
        absorb_block(&s, &area, in, 5, aligned);
        absorb_block(&s, &area, in, 6, aligned);
        absorb_block(&s, &area, in, 7, aligned);
        /* Last, since it alone waits for the step before. */
        sum_add(&s, area, number_xor(first, acc));
        acc = sum_reduce(s);
        in->next += 128;
        in->left -= 128;
    }
    return acc;
}

/* The area is aligned. */
static PLAIT_NOINLINE void absorb(const uint8_t *area, uint8_t acc_bytes[16], const uint8_t *data,
                                  size_t len)
{
    const size_t powers = (size_t)load_aligned(area + AREA_COUNT);
    number acc = {load_bytes(acc_bytes, 8), load_bytes(acc_bytes + 8, 8)};
    input in = input_start(data, len);
    size_t blocks;
    if (powers == POWERS) {
        if (in.bits == 0)
            acc = absorb_wide(area, acc, &in, 1);
        else
            acc = absorb_wide(area, acc, &in, 0);
    }
    blocks = (in.bits / 8 + in.left + 15) / 16;
    while (blocks > 0) {
        size_t n = blocks < powers ? blocks : powers;
        sum s = {0};
        blocks -= n;
        for (; n > 0; n--) {
            number x;
            x.hi = input_any(&in);
            x.lo = input_any(&in);
            sum_add(&s, area + POWER * (POWERS - n), number_xor(x, acc));
            acc.hi = acc.lo = 0;
        }
        acc = sum_reduce(s);
    }
    store_word(acc_bytes, acc.hi);
    store_word(acc_bytes + 8, acc.lo);
}

static void update(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data,
                   size_t len)
{
    if (len == 0) return;
    if (((uintptr_t)area & 7) == 0) {
        absorb(area, acc, data, len);
    } else {
        uint64_t copy[AREA_BYTES / 8];
        memcpy(copy, area, sizeof copy);
        absorb((const uint8_t *)copy, acc, data, len);
        plait_wipe(copy, sizeof copy);
    }
}

const plait_kernel plait_ghash_vis3 = {
    PLAIT_KERNEL_ID(ghash, vis3), PLAIT_NEEDS(vis3), .width = 8,
    .spills = 1024, /* also where register windows go when they run out */
    .fn.ghash = {.init = init, .update = update}};

#else

const plait_kernel plait_ghash_vis3 = {PLAIT_KERNEL_ID(ghash, vis3), PLAIT_NOT_BUILT(vis3)};

#endif
