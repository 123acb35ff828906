/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_sliced_body.h - AES-CTR in portable C, bitsliced: no tables, no branch or address that
 * depends on key or data.
 *
 * Blocks are turned into eight bit-planes: plane i holds bit i of every byte. SubBytes is then a
 * circuit of and and xor (aes_sbox_body.h) that serves all bytes at once. Eight blocks at a time,
 * in planes of 128 bits, where the baseline of the compiler has such vectors (SSE2, NEON), four
 * blocks in planes of 64 bits elsewhere:
 *
 *     128 bits   32-bit lane c: column c; in it, byte r: row r; in it, bit b: block b
 *      64 bits   16-bit group r: row r; in it, nibble c: column c; in it, bit b: block b
 *
 * ShiftRows is not done ("fixslicing": A. Adomnicai and T. Peyrin, "Fixslicing AES-like ciphers",
 * 2021). After k rounds without it, the byte of row r and column c stands in column c + k r (mod
 * 4). MixColumns, which combines row r with the rows r + 1, r + 2 and r + 3 of the same column,
 * finds them k, 2 k and 3 k columns further on, for every r, as 4 k = 0 mod 4: two rotations by
 * constants. k matters mod 4, so there are four forms of the round, and the round keys are stored
 * shifted alike. Rounds 10 and 14 leave k = 2, round 12 leaves k = 0.
 *
 * With N the plane of the next row and t = x ^ N(x), MixColumns is 2 t ^ N(x) ^ N(N(t)).
 */
#if PLAIT_HAVE_VEC128

/* ---- planes of 128 bits ------------------------------------------------------------------------
 */

#define BLOCKS 8
typedef plait_u32x4 plane;

#define ONES(x)        ((plane){x, x, x, x})
#define LANES(x, k)    PLAIT_U32X4(x, x, (k) % 4, ((k) + 1) % 4, ((k) + 2) % 4, ((k) + 3) % 4)
#define NEXT_ROW(x, k) LANES((x) >> 8 | (x) << 24, k)
#define TWO_ROWS(x, k) LANES(PLAIT_U16_SWAP(x), 2 * (k))

/* Takes k = 2 back to k = 0: the odd rows two columns on. */
PLAIT_INLINE plane unskew(plane x)
{
    return (x & ONES(0x00ff00ff)) | (LANES(x, 2) & ONES(0xff00ff00));
}

/* The counter blocks base || counter, counter + 1, .., not yet transposed. */
PLAIT_INLINE void load_counters(plane q[8], const uint8_t base[12], uint32_t counter)
{
    const plane first = {plait_load32_le(base), plait_load32_le(base + 4),
                         plait_load32_le(base + 8), 0};
    for (uint32_t b = 0; b < 8; b++) q[b] = first | (plane){0, 0, 0, plait_bswap32(counter + b)};
}

/* The bytes of the blocks, once transposed back. */
PLAIT_INLINE void store_blocks(uint8_t out[16 * BLOCKS], const plane q[8])
{
    for (int b = 0; b < 8; b++) memcpy(out + 16 * b, &q[b], 16);
}

/* A round key as it is kept: its bytes. */
PLAIT_INLINE void store_key(uint8_t out[16], const uint32_t column[4])
{
    memcpy(out, column, 16);
}

/* And as it is used: its bits, each repeated for all blocks. */
PLAIT_INLINE void load_key(plane k[8], const uint8_t in[16])
{
    plait_u8x16 x, bit;
    memcpy(&x, in, 16);
#define BIT(i) memset(&bit, 1 << i, sizeof bit), k[i] = (plane)((x & bit) == bit)
    BIT(0), BIT(1), BIT(2), BIT(3), BIT(4), BIT(5), BIT(6), BIT(7);
#undef BIT
}

#else

/* ---- planes of 64 bits -------------------------------------------------------------------------
 */

#define BLOCKS 4
typedef uint64_t plane;

#define ONES(x)        ((plane)(x) << 32 | (x))
#define NEXT_ROW(x, k) rotate_groups(rotate(x, 16), 4 * ((k) % 4))
#define TWO_ROWS(x, k) rotate_groups(rotate(x, 32), 8 * ((k) % 2))

PLAIT_INLINE plane rotate(plane x, int n)
{
    return x >> n | x << (64 - n);
}
/* In each group of 16 bits. */
PLAIT_INLINE plane rotate_groups(plane x, int n)
{
    const uint64_t low = UINT64_C(0x0001000100010001) * (0xffffu >> n);
    return n == 0 ? x : ((x >> n) & low) | ((x << (16 - n)) & ~low);
}

PLAIT_INLINE plane unskew(plane x)
{
    return (x & ONES(0x0000ffff)) | (rotate_groups(x, 8) & ONES(0xffff0000));
}

/* The bytes of a column to the even bytes of a plane, and back. */
PLAIT_INLINE plane spread(uint32_t column)
{
    plane x = column;
    x = (x | x << 16) & ONES(0x0000ffff);
    return (x | x << 8) & ONES(0x00ff00ff);
}
PLAIT_INLINE uint32_t gather(plane x)
{
    x &= ONES(0x00ff00ff);
    x = (x | x >> 8) & ONES(0x0000ffff);
    return (uint32_t)(x | x >> 16);
}

/* Block b is columns 0 and 2 in q[b], 1 and 3 in q[b + 4]; transposed, its bits are bit b of the
 * nibbles. */
PLAIT_INLINE void load_counters(plane q[8], const uint8_t base[12], uint32_t counter)
{
    const plane c02 = spread(plait_load32_le(base)) | spread(plait_load32_le(base + 8)) << 8,
                c1 = spread(plait_load32_le(base + 4));
    for (uint32_t b = 0; b < 4; b++) {
        q[b] = c02;
        q[b + 4] = c1 | spread(plait_bswap32(counter + b)) << 8;
    }
}

PLAIT_INLINE void store_blocks(uint8_t out[16 * BLOCKS], const plane q[8])
{
    for (int b = 0; b < 4; b++) {
        plait_store32_le(out + 16 * b, gather(q[b]));
        plait_store32_le(out + 16 * b + 4, gather(q[b + 4]));
        plait_store32_le(out + 16 * b + 8, gather(q[b] >> 8));
        plait_store32_le(out + 16 * b + 12, gather(q[b + 4] >> 8));
    }
}

PLAIT_INLINE void transpose(plane q[8]);

/* A round key as it is kept: four planes in each of two words, plane i in bit i mod 4 of the
 * nibbles. */
PLAIT_INLINE void store_key(uint8_t out[16], const uint32_t column[4])
{
    plane q[8] = {0};
    plane w[2];
    q[0] = spread(column[0]) | spread(column[2]) << 8;
    q[4] = spread(column[1]) | spread(column[3]) << 8;
    transpose(q);
    w[0] = q[0] | q[1] << 1 | q[2] << 2 | q[3] << 3;
    w[1] = q[4] | q[5] << 1 | q[6] << 2 | q[7] << 3;
    memcpy(out, w, 16);
    plait_wipe(q, sizeof q);
    plait_wipe(w, sizeof w);
}

PLAIT_INLINE void load_key(plane k[8], const uint8_t in[16])
{
    plane w[2];
    memcpy(w, in, 16);
    for (int i = 0; i < 8; i++) k[i] = (w[i / 4] >> (i % 4) & ONES(0x11111111)) * 15;
    plait_wipe(w, sizeof w);
}

#endif

/* ---- both
 * ---------------------------------------------------------------------------------------- */

#define SBOX_WORD plane
#define SBOX_NAME sub_bytes
#include "aes_sbox_body.h"

#define SBOX_WORD uint32_t
#define SBOX_NAME sub_bytes_of_word
#include "aes_sbox_body.h"

/* Transposes the 8 x 8 bits that each byte position has in q[0..7]. Its own inverse. */
PLAIT_INLINE void transpose(plane q[8])
{
    const plane m1 = ONES(0x55555555), m2 = ONES(0x33333333), m4 = ONES(0x0f0f0f0f);
#define SWAP_BITS(a, b, n, m)                                                                      \
    do {                                                                                           \
        const plane x_ = ((a >> n) ^ b) & m;                                                       \
        b ^= x_;                                                                                   \
        a ^= x_ << n;                                                                              \
    } while (0)
    SWAP_BITS(q[0], q[1], 1, m1);
    SWAP_BITS(q[2], q[3], 1, m1);
    SWAP_BITS(q[4], q[5], 1, m1);
    SWAP_BITS(q[6], q[7], 1, m1);
    SWAP_BITS(q[0], q[2], 2, m2);
    SWAP_BITS(q[1], q[3], 2, m2);
    SWAP_BITS(q[4], q[6], 2, m2);
    SWAP_BITS(q[5], q[7], 2, m2);
    SWAP_BITS(q[0], q[4], 4, m4);
    SWAP_BITS(q[1], q[5], 4, m4);
    SWAP_BITS(q[2], q[6], 4, m4);
    SWAP_BITS(q[3], q[7], 4, m4);
#undef SWAP_BITS
}

PLAIT_INLINE void add_round_key(plane q[8], const plane k[8])
{
    q[0] ^= k[0], q[1] ^= k[1], q[2] ^= k[2], q[3] ^= k[3];
    q[4] ^= k[4], q[5] ^= k[5], q[6] ^= k[6], q[7] ^= k[7];
}

/* k is a constant. Doubling in the field moves bit i to i + 1, and bit 7 to 0, 1, 3 and 4. */
#define MIX_COLUMNS(q, k)                                                                          \
    do {                                                                                           \
        const plane n0 = NEXT_ROW(q[0], k), n1 = NEXT_ROW(q[1], k), n2 = NEXT_ROW(q[2], k),        \
                    n3 = NEXT_ROW(q[3], k), n4 = NEXT_ROW(q[4], k), n5 = NEXT_ROW(q[5], k),        \
                    n6 = NEXT_ROW(q[6], k), n7 = NEXT_ROW(q[7], k);                                \
        const plane t0 = q[0] ^ n0, t1 = q[1] ^ n1, t2 = q[2] ^ n2, t3 = q[3] ^ n3,                \
                    t4 = q[4] ^ n4, t5 = q[5] ^ n5, t6 = q[6] ^ n6, t7 = q[7] ^ n7;                \
        q[0] = n0 ^ TWO_ROWS(t0, k) ^ t7;                                                          \
        q[1] = n1 ^ TWO_ROWS(t1, k) ^ t0 ^ t7;                                                     \
        q[2] = n2 ^ TWO_ROWS(t2, k) ^ t1;                                                          \
        q[3] = n3 ^ TWO_ROWS(t3, k) ^ t2 ^ t7;                                                     \
        q[4] = n4 ^ TWO_ROWS(t4, k) ^ t3 ^ t7;                                                     \
        q[5] = n5 ^ TWO_ROWS(t5, k) ^ t4;                                                          \
        q[6] = n6 ^ TWO_ROWS(t6, k) ^ t5;                                                          \
        q[7] = n7 ^ TWO_ROWS(t7, k) ^ t6;                                                          \
    } while (0)

/* SubBytes on the four bytes of a word. */
PLAIT_INLINE uint32_t sub_word(uint32_t w)
{
    uint32_t q[8], s = 0x63636363;
    for (int i = 0; i < 8; i++) q[i] = w >> i & 0x01010101;
    sub_bytes_of_word(q);
    for (int i = 0; i < 8; i++) s ^= (q[i] & 0x01010101) << i;
    return s;
}

/* Area: the round keys, 16 bytes each, then the number of rounds. */
#define ROUNDS_AT 240

PLAIT_INLINE void sliced_init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    const unsigned nk = (unsigned)raw_len / 4, rounds = nk + 6;
    uint32_t w[60], column[4], rcon = 1;

    for (unsigned i = 0; i < nk; i++) w[i] = plait_load32_le(raw + 4 * i);
    for (unsigned i = nk, at = 0; i < 4 * (rounds + 1);
         i++) { /* at = i mod nk, without a division */
        uint32_t t = w[i - 1];
        if (at == 0) {
            t = sub_word(t >> 8 | t << 24) ^ rcon;
            rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
        } else if (nk == 8 && at == 4) {
            t = sub_word(t);
        }
        w[i] = w[i - nk] ^ t;
        at = at + 1 == nk ? 0 : at + 1;
    }
    for (unsigned i = 0; i <= rounds; i++) {
        const unsigned k = i < rounds ? i : 0; /* the last key is added after unskew */
        for (unsigned c = 0; c < 4; c++) {
            column[c] = i == 0 ? 0 : 0x63636363; /* what sub_bytes leaves out */
            for (unsigned r = 0; r < 4; r++)
                column[c] ^= w[4 * i + (c - k * r) % 4] & UINT32_C(0xff) << (8 * r);
        }
        store_key(area + 16 * i, column);
    }
    area[ROUNDS_AT] = (uint8_t)rounds;
    plait_wipe(w, sizeof w);
    plait_wipe(column, sizeof column);
}

/* The key stream of BLOCKS counter blocks. */
PLAIT_INLINE void key_stream(uint8_t out[16 * BLOCKS], const plane key[15][8], unsigned rounds,
                             const uint8_t base[12], uint32_t counter)
{
    plane q[8];
    load_counters(q, base, counter);
    transpose(q);
    add_round_key(q, key[0]);
    for (;; key += 4) {
        sub_bytes(q);
        MIX_COLUMNS(q, 1);
        add_round_key(q, key[1]);
        sub_bytes(q);
        if (rounds == 2) {
            for (int i = 0; i < 8; i++) q[i] = unskew(q[i]);
            break;
        }
        MIX_COLUMNS(q, 2);
        add_round_key(q, key[2]);
        sub_bytes(q);
        MIX_COLUMNS(q, 3);
        add_round_key(q, key[3]);
        sub_bytes(q);
        if (rounds == 4) break;
        MIX_COLUMNS(q, 0);
        add_round_key(q, key[4]);
        rounds -= 4;
    }
    add_round_key(q, key[rounds]);
    transpose(q);
    store_blocks(out, q);
}

PLAIT_INLINE void sliced_ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in,
                               size_t len, const uint8_t block[16])
{
    plane key[15][8];
    uint8_t stream[16 * BLOCKS];
    const unsigned rounds = area[ROUNDS_AT];
    uint32_t counter = plait_load32_be(block + 12);

    if (len == 0) return;
    for (unsigned i = 0; i <= rounds; i++) load_key(key[i], area + 16 * i);
    for (; len > 0; counter += BLOCKS) {
        const size_t n = len < sizeof stream ? len : sizeof stream;
        size_t i = 0;
        key_stream(stream, (const plane(*)[8])key, rounds, block, counter);
        for (; i + 8 <= n; i += 8)
            plait_store64_le(out + i, plait_load64_le(in + i) ^ plait_load64_le(stream + i));
        for (; i < n; i++) out[i] = in[i] ^ stream[i];
        out += n;
        in += n;
        len -= n;
    }
    plait_wipe(key, sizeof key);
    plait_wipe(stream, sizeof stream);
}
