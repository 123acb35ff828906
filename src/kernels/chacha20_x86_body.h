/* SPDX-License-Identifier: Apache-2.0
 *
 * What all x86-64 ChaCha20 kernels share. Included within a target region.
 */

/* _MM_SHUFFLE of a turn by n words: word i becomes word (i + n) mod 4. */
#define TURN(n) _MM_SHUFFLE(((n) + 3) % 4, ((n) + 2) % 4, ((n) + 1) % 4, (n) % 4)

/* Rotations by whole bytes are written ROT16 and ROT8: SHIFTED(x, 16), two shifts and an or; or
 * SHUFFLED16(x), one byte shuffle: byte j of each word takes byte j - 2, or j - 1, of it. */
#define BYTES16 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
#define BYTES8 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14

PLAIT_INLINE __m128i load128(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}
PLAIT_INLINE void store128(void *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)p, x);
}
/* Word i of a start state at any alignment. */
PLAIT_INLINE uint32_t state_word(const uint32_t *state, size_t i)
{
    return plait_load32_le((const uint8_t *)state + 4 * i);
}
PLAIT_INLINE __m128i words128(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    return _mm_setr_epi32((int)w0, (int)w1, (int)w2, (int)w3);
}

/* plait_wipe for multiples of 16 bytes. */
PLAIT_INLINE void wipe128(void *p, size_t n)
{
    PLAIT_WIPE_VECTORS(store128, _mm_setzero_si128(), 16)
}

/* out = in xor ks for len bytes, touching no byte beside them: the last blocks of a message. */
PLAIT_INLINE void xor_bytes(uint8_t *out, const uint8_t *in, const uint8_t *ks, size_t len)
{
    size_t i = 0;
    for (; len - i >= 16; i += 16)
        store128(out + i, _mm_xor_si128(load128(in + i), load128(ks + i)));
    if (len & 8) {
        plait_store64_le(out + i, plait_load64_le(in + i) ^ plait_load64_le(ks + i));
        i += 8;
    }
    if (len & 4) {
        plait_store32_le(out + i, plait_load32_le(in + i) ^ plait_load32_le(ks + i));
        i += 4;
    }
    if (len & 2) {
        uint16_t x, y;
        memcpy(&x, in + i, 2);
        memcpy(&y, ks + i, 2);
        x ^= y;
        memcpy(out + i, &x, 2);
        i += 2;
    }
    if (len & 1) out[i] = in[i] ^ ks[i];
}
