/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_permute_body.h - AES-CTR by byte shuffles, for CPUs without AES instructions or virtual
 * machines that hide them. In the vocabulary of x128_body.h or n128_body.h, of which the including
 * file has included one.
 *
 * Method: M. Hamburg, "Accelerating AES with Vector Permute Instructions", CHES 2009. One byte
 * shuffle (PSHUFB, TBL) looks 16 nibbles up in a table of 16 bytes held in a register: no address
 * depends on data, the time is always the same.
 *
 * A byte is kept as k + i t, t^2 + a t + a = 0, with k (low nibble) and i (high nibble) in GF(2^4).
 * With j = i + k and N = k^2 + a i k + a i^2 the inverse is ((k + a i) + i t) / N, and io = 1/(1/i
 * + a/k) + j = N / (k + a i),      jo = 1/(1/j + a/k) + i = N / (k + a j), so that both 1/io and
 * 1/jo are nibbles of which the inverse is a linear function: two more look-ups, by tables that
 * hold SubBytes' matrix, the change of form and, for MixColumns, the factor 2 as well. Division by
 * zero works out: the table gives 0x80 for 1/0, the xor with a nibble keeps that bit, and the
 * shuffle returns 0 for an index that has it. tools/aes_permute_tables.py derives the tables and
 * runs AES through them.
 *
 * ShiftRows moves nothing: the state of round r has its bytes in the order ShiftRows^-r, which
 * comes back to the start every four rounds; the round keys are stored in that order, and
 * MixColumns' two rotations within a column are shuffles by round mod 4.
 */
/* ---- tables: made by tools/aes_permute_tables.py ---- */
/* clang-format off */
/* n -> 1/n */
static const uint8_t table_inv[16] = {
     0x80, 0x01, 0x09, 0x0e, 0x0d, 0x0b, 0x07, 0x06,
     0x0f, 0x02, 0x0c, 0x05, 0x0a, 0x04, 0x03, 0x08};
/* n -> a/n, a = 0x2 */
static const uint8_t table_inva[16] = {
     0x80, 0x02, 0x01, 0x0f, 0x09, 0x05, 0x0e, 0x0c,
     0x0d, 0x04, 0x0b, 0x0a, 0x07, 0x08, 0x06, 0x03};
/* From a byte's low and high nibble to k + i t */
static const uint8_t table_in[2][16] = {
    {0x00, 0x01, 0x1c, 0x1d, 0x2d, 0x2c, 0x31, 0x30,
     0x27, 0x26, 0x3b, 0x3a, 0x0a, 0x0b, 0x16, 0x17},
    {0x00, 0x86, 0xfd, 0x7b, 0x8e, 0x08, 0x73, 0xf5,
     0x77, 0xf1, 0x8a, 0x0c, 0xf9, 0x7f, 0x04, 0x82},
};
/* From io and jo to SubBytes without its constant, in the form k + i t */
static const uint8_t table_sub[2][16] = {
    {0x00, 0xc3, 0x4f, 0x0c, 0xfc, 0x7c, 0x43, 0x80,
     0xcf, 0x33, 0x3f, 0x70, 0xbf, 0xb3, 0xf0, 0x8c},
    {0x00, 0xe6, 0x72, 0xb7, 0xe5, 0xc6, 0xc5, 0x23,
     0x51, 0xb4, 0x03, 0x71, 0x20, 0x97, 0x52, 0x94},
};
/* The same, times 2 in AES's field */
static const uint8_t table_sub2[2][16] = {
    {0x00, 0x7c, 0x20, 0xcf, 0x92, 0x01, 0xef, 0x93,
     0xb3, 0x21, 0xee, 0xce, 0x7d, 0xb2, 0x5d, 0x5c},
    {0x00, 0xd1, 0xe5, 0xf7, 0xe6, 0x25, 0x12, 0xc3,
     0x26, 0xc0, 0x37, 0xd2, 0xf4, 0x03, 0x11, 0x34},
};
/* From io and jo to SubBytes without its constant, as a byte */
static const uint8_t table_out[2][16] = {
    {0x00, 0xcb, 0xd7, 0xb0, 0x21, 0x8d, 0x67, 0xac,
     0x7b, 0x5a, 0xea, 0x3d, 0x46, 0xf6, 0x91, 0x1c},
    {0x00, 0x9f, 0x61, 0x16, 0xc2, 0x2a, 0x77, 0xe8,
     0x89, 0x4b, 0x5d, 0x3c, 0xb5, 0xa3, 0xd4, 0xfe},
};
/* Which true byte stands at each place of the state, by round mod 4 */
static const uint8_t table_place[4][16] = {
    {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
     0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f},
    {0x00, 0x0d, 0x0a, 0x07, 0x04, 0x01, 0x0e, 0x0b,
     0x08, 0x05, 0x02, 0x0f, 0x0c, 0x09, 0x06, 0x03},
    {0x00, 0x09, 0x02, 0x0b, 0x04, 0x0d, 0x06, 0x0f,
     0x08, 0x01, 0x0a, 0x03, 0x0c, 0x05, 0x0e, 0x07},
    {0x00, 0x05, 0x0a, 0x0f, 0x04, 0x09, 0x0e, 0x03,
     0x08, 0x0d, 0x02, 0x07, 0x0c, 0x01, 0x06, 0x0b},
};
/* Where the next byte of its column stands */
static const uint8_t table_forward[4][16] = {
    {0x01, 0x02, 0x03, 0x00, 0x05, 0x06, 0x07, 0x04,
     0x09, 0x0a, 0x0b, 0x08, 0x0d, 0x0e, 0x0f, 0x0c},
    {0x05, 0x06, 0x07, 0x04, 0x09, 0x0a, 0x0b, 0x08,
     0x0d, 0x0e, 0x0f, 0x0c, 0x01, 0x02, 0x03, 0x00},
    {0x09, 0x0a, 0x0b, 0x08, 0x0d, 0x0e, 0x0f, 0x0c,
     0x01, 0x02, 0x03, 0x00, 0x05, 0x06, 0x07, 0x04},
    {0x0d, 0x0e, 0x0f, 0x0c, 0x01, 0x02, 0x03, 0x00,
     0x05, 0x06, 0x07, 0x04, 0x09, 0x0a, 0x0b, 0x08},
};
/* Where the byte before stands */
static const uint8_t table_backward[4][16] = {
    {0x03, 0x00, 0x01, 0x02, 0x07, 0x04, 0x05, 0x06,
     0x0b, 0x08, 0x09, 0x0a, 0x0f, 0x0c, 0x0d, 0x0e},
    {0x0f, 0x0c, 0x0d, 0x0e, 0x03, 0x00, 0x01, 0x02,
     0x07, 0x04, 0x05, 0x06, 0x0b, 0x08, 0x09, 0x0a},
    {0x0b, 0x08, 0x09, 0x0a, 0x0f, 0x0c, 0x0d, 0x0e,
     0x03, 0x00, 0x01, 0x02, 0x07, 0x04, 0x05, 0x06},
    {0x07, 0x04, 0x05, 0x06, 0x0b, 0x08, 0x09, 0x0a,
     0x0f, 0x0c, 0x0d, 0x0e, 0x03, 0x00, 0x01, 0x02},
};
/* From the places of the last round to the true ones */
static const uint8_t table_unshift[4][16] = {
    {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
     0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f},
    {0x00, 0x05, 0x0a, 0x0f, 0x04, 0x09, 0x0e, 0x03,
     0x08, 0x0d, 0x02, 0x07, 0x0c, 0x01, 0x06, 0x0b},
    {0x00, 0x09, 0x02, 0x0b, 0x04, 0x0d, 0x06, 0x0f,
     0x08, 0x01, 0x0a, 0x03, 0x0c, 0x05, 0x0e, 0x07},
    {0x00, 0x0d, 0x0a, 0x07, 0x04, 0x01, 0x0e, 0x0b,
     0x08, 0x05, 0x02, 0x0f, 0x0c, 0x09, 0x06, 0x03},
};
/* clang-format on */
/* ---- end of tables ---- */

enum { AREA_ROUNDS = 240 };

PLAIT_INLINE v128 look(const uint8_t table[16], v128 index)
{
    return look_up(load(table), index);
}

/* From bytes to the form k + i t. */
PLAIT_INLINE v128 to_inside(v128 x)
{
    return xor128(look(table_in[0], low_nibbles(x)), look(table_in[1], high_nibbles(x)));
}

/* io and jo of the statement above. */
PLAIT_INLINE void invert(v128 x, v128 *io, v128 *jo)
{
    const v128 i = high_nibbles(x);
    /* opaque, or else GCC makes j by a third masking, (x ^ x >> 4) & 15 */
    const v128 k = opaque128(low_nibbles(x)), j = xor128(i, k);
    const v128 ak = look(table_inva, k);
    *io = xor128(look(table_inv, xor128(look(table_inv, i), ak)), j);
    *jo = xor128(look(table_inv, xor128(look(table_inv, j), ak)), i);
}

PLAIT_INLINE v128 look2(const uint8_t table[2][16], v128 io, v128 jo)
{
    return xor128(look(table[0], io), look(table[1], jo));
}

/* Rounds 1 to the last but one: SubBytes, ShiftRows (in the order of bytes), MixColumns,
 * AddRoundKey. A column a0..a3 becomes 2 a0 + 3 a1 + a2 + a3 = c0 + c1 + a3 with c0 = 2 a0 + a1. */
PLAIT_INLINE v128 round_middle(v128 x, v128 key, v128 forward, v128 backward)
{
    v128 io, jo, a, c;
    invert(x, &io, &jo);
    a = look2(table_sub, io, jo);
    c = xor128(look2(table_sub2, io, jo), look_up(a, forward));
    return xor128(xor128(c, look_up(c, forward)), xor128(key, look_up(a, backward)));
}

PLAIT_INLINE v128 round_last(v128 x, v128 unshift)
{
    v128 io, jo;
    invert(x, &io, &jo);
    return look_up(look2(table_out, io, jo), unshift);
}

/* ---- key expansion, by the same S-box ---- */

PLAIT_INLINE v128 permute_sub_bytes(v128 x)
{
    v128 io, jo;
    invert(to_inside(x), &io, &jo);
    return xor128(look2(table_out, io, jo), all_bytes(0x63));
}

PLAIT_INLINE v128 aes_rot_sub(v128 w, int rcon)
{
    const v128 last_rotated = equal_words(0x0c0f0e0d);
    return xor128(permute_sub_bytes(look_up(w, last_rotated)), equal_words((uint32_t)rcon));
}

PLAIT_INLINE v128 aes_sub(v128 w)
{
    return permute_sub_bytes(all_words(w, 3));
}

#include "aes_expand_body.h"

/* The area: round keys, 16 bytes each, and at AREA_ROUNDS their number less one. */
PLAIT_INLINE void permute_expand(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    plait_store32_le(area + AREA_ROUNDS, aes_expand(area, raw, raw_len));
}

/* The bytes of a round key where round r has them. */
PLAIT_INLINE v128 permute_place(v128 key, uint32_t r)
{
    return look_up(key, load(table_place[r % 4]));
}

/* Brings the round keys to the form and order of their round, with SubBytes' constant 0x63 (which
 * passes MixColumns unchanged) in all but the first; the last one as bytes. */
PLAIT_INLINE void permute_convert(uint8_t area[PLAIT_AES_AREA])
{
    const uint32_t rounds = plait_load32_le(area + AREA_ROUNDS);
    const v128 constant = all_bytes(0x63);
    store(area, to_inside(load(area)));
    for (uint32_t r = 1; r < rounds; r++)
        store(area + 16 * r, permute_place(to_inside(xor128(load(area + 16 * r), constant)), r));
    store(area + 16 * rounds, xor128(load(area + 16 * rounds), constant));
}

/* ---- CTR ---- */

#define EACH4(F) F(0) F(1) F(2) F(3)

/* out = in xor keystream for n blocks, 1 <= n <= 4 and a constant, of which the last one has last
 * <= 16 bytes. */
PLAIT_INLINE void ctr_some(const int n, const uint8_t *area, uint8_t *out, const uint8_t *in,
                           size_t last, v128 counter)
{
    const uint32_t rounds = plait_load32_le(area + AREA_ROUNDS);
    v128 s0, s1, s2, s3, k = load(area);
    s0 = s1 = s2 = s3 = k;
#define PLAIT_START(i)                                                                             \
    if (i < n) s##i = xor128(k, to_inside(counter_swap(counter_add(counter, i))));
    EACH4(PLAIT_START)
#undef PLAIT_START
    for (uint32_t r = 1; r < rounds; r++) {
        const v128 forward = load(table_forward[r % 4]), backward = load(table_backward[r % 4]);
        k = load(area + 16 * r);
#define PLAIT_ROUND(i)                                                                             \
    if (i < n) s##i = round_middle(s##i, k, forward, backward);
        EACH4(PLAIT_ROUND)
#undef PLAIT_ROUND
    }
    k = load(table_unshift[rounds % 4]);
#define PLAIT_LAST(i)                                                                              \
    if (i < n) s##i = round_last(s##i, k);
    EACH4(PLAIT_LAST)
#undef PLAIT_LAST
    k = load(area + 16 * rounds);
#define PLAIT_OUT(i)                                                                               \
    if (i < n - 1) store(out + 16 * i, xor128(s##i, xor128(k, load(in + 16 * i))));                \
    if (i == n - 1) s0 = s##i;
    EACH4(PLAIT_OUT)
#undef PLAIT_OUT
    out += 16 * (n - 1);
    in += 16 * (n - 1);
    if (last == 16)
        store(out, xor128(s0, xor128(k, load(in))));
    else
        store_part(out, xor128(s0, xor128(k, load_part(in, last))), last);
}

PLAIT_INLINE void permute_ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in,
                                size_t len, const uint8_t block[16])
{
    v128 counter = counter_swap(load(block));
    while (len > 64) {
        ctr_some(4, area, out, in, 16, counter);
        counter = counter_add(counter, 4);
        out += 64;
        in += 64;
        len -= 64;
    }
    switch ((len + 15) / 16) {
#define PLAIT_CASE(n)                                                                              \
    case n:                                                                                        \
        ctr_some(n, area, out, in, len - 16 * (n - 1), counter);                                   \
        break;
        PLAIT_CASE(1)
        PLAIT_CASE(2)
        PLAIT_CASE(3)
        PLAIT_CASE(4)
#undef PLAIT_CASE
    default:
        break;
    }
}
