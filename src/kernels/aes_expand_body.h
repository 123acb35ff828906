/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_expand_body.h - AES key expansion on 128-bit vectors, in the vocabulary of
 * x128_body.h or n128_body.h. The file that includes it has
 * defined
 *     v128 aes_rot_sub(v128 w, int rcon);   SubWord(RotWord(w[3])) ^ rcon in all four words
 *     v128 aes_sub(v128 w);                 SubWord(w[3]) in all four words
 *
 * FIPS 197, 5.2, by words: w[i] = w[i - n] ^ w[i - 1], n = 4, 6, 8 words of key, where each n-th
 * w[i - 1] passes through SubWord(RotWord()) ^ rcon first. So the four words of the next round key
 * are the running xors of the last one's, each xored with the same word; the running xors wait for
 * nothing, and only the two functions above are on the chain from key to key.
 */

/* w0, w0^w1, w0^w1^w2, w0^w1^w2^w3 */
PLAIT_INLINE v128 aes_prefix(v128 w)
{
    w = xor128(w, up_words(w, 1));
    return xor128(w, up_words(w, 2));
}

/* Writes the round keys, 16 bytes each, to keys (16 * 15 bytes at most) and returns the number of
 * rounds: 10, 12, 14 for raw_len = 16, 24, 32. raw is disjoint from keys, of any alignment. */
PLAIT_INLINE uint32_t aes_expand(uint8_t *keys, const uint8_t *raw, size_t raw_len)
{
    v128 w = load(raw), v;
    store(keys, w);
    if (raw_len == 16) {
#define PLAIT_STEP(i, rcon)                                                                        \
    w = xor128(aes_prefix(w), aes_rot_sub(w, rcon));                                               \
    store(keys + 16 * (i), w);
        PLAIT_STEP(1, 0x01)
        PLAIT_STEP(2, 0x02)
        PLAIT_STEP(3, 0x04)
        PLAIT_STEP(4, 0x08)
        PLAIT_STEP(5, 0x10)
        PLAIT_STEP(6, 0x20)
        PLAIT_STEP(7, 0x40)
        PLAIT_STEP(8, 0x80)
        PLAIT_STEP(9, 0x1b)
        PLAIT_STEP(10, 0x36)
#undef PLAIT_STEP
        return 10;
    }
    if (raw_len == 32) {
        v = load(raw + 16);
        store(keys + 16, v);
#define PLAIT_EVEN(i, rcon)                                                                        \
    w = xor128(aes_prefix(w), aes_rot_sub(v, rcon));                                               \
    store(keys + 16 * (i), w);
#define PLAIT_ODD(i)                                                                               \
    v = xor128(aes_prefix(v), aes_sub(w));                                                         \
    store(keys + 16 * (i), v);
        PLAIT_EVEN(2, 0x01)
        PLAIT_ODD(3)
        PLAIT_EVEN(4, 0x02)
        PLAIT_ODD(5)
        PLAIT_EVEN(6, 0x04)
        PLAIT_ODD(7)
        PLAIT_EVEN(8, 0x08)
        PLAIT_ODD(9)
        PLAIT_EVEN(10, 0x10)
        PLAIT_ODD(11)
        PLAIT_EVEN(12, 0x20)
        PLAIT_ODD(13)
        PLAIT_EVEN(14, 0x40)
#undef PLAIT_EVEN
#undef PLAIT_ODD
        return 14;
    }
    /* Six words a step, four in w and two in v, written behind one another: here round keys do not
     * start where steps do. v's upper words are of no meaning. */
    v = load_low(raw + 16);
    store_low(keys + 16, v);
#define PLAIT_STEP(i, rcon)                                                                        \
    w = xor128(aes_prefix(w), aes_rot_sub(all_words(v, 1), rcon));                      \
    v = xor128(xor128(v, up_words(v, 1)), all_words(w, 3));                       \
    store(keys + 24 * (i), w);
#define PLAIT_PAIR(i) store_low(keys + 24 * (i) + 16, v);
    PLAIT_STEP(1, 0x01)
    PLAIT_PAIR(1)
    PLAIT_STEP(2, 0x02)
    PLAIT_PAIR(2)
    PLAIT_STEP(3, 0x04)
    PLAIT_PAIR(3)
    PLAIT_STEP(4, 0x08)
    PLAIT_PAIR(4)
    PLAIT_STEP(5, 0x10)
    PLAIT_PAIR(5)
    PLAIT_STEP(6, 0x20)
    PLAIT_PAIR(6)
    PLAIT_STEP(7, 0x40)
    PLAIT_PAIR(7)
    PLAIT_STEP(8, 0x80)
#undef PLAIT_STEP
#undef PLAIT_PAIR
    return 12;
}
