/* SPDX-License-Identifier: Apache-2.0
 *
 * part_body.h - a partial block as two words, without touching a byte beside it.
 *
 * Two overlapping accesses inside of the len bytes, put together in general registers: a copy
 * through the stack would be stopped by store forwarding (a 16-byte load of bytes just written one
 * by one), some 15 cycles. The branches are on the length alone.
 */
#ifndef PLAIT_PART_BODY_H
#define PLAIT_PART_BODY_H

/* The len bytes at p, 0 < len < 16, with zeros above. */
PLAIT_INLINE void load_part_words(const uint8_t *p, size_t len, uint64_t *lo, uint64_t *hi)
{
    *hi = 0;
    if (len >= 8) {
        *lo = plait_load64_le(p);
        /* to the right by 8 (16 - len) <= 64 bits */
        *hi = (plait_load64_le(p + len - 8) >> (8 * (15 - len) & 63)) >> 8;
    } else if (len >= 4) {
        *lo = plait_load32_le(p) | (uint64_t)plait_load32_le(p + len - 4) << 8 * (len - 4);
    } else {
        *lo = p[0] | (uint64_t)p[len / 2] << 8 * (len / 2) | (uint64_t)p[len - 1] << 8 * (len - 1);
    }
}

/* Writes the first len bytes of lo, hi, 0 < len < 16, to p. */
PLAIT_INLINE void store_part_words(uint8_t *p, size_t len, uint64_t lo, uint64_t hi)
{
    if (len >= 8) {
        plait_store64_le(p, lo);
        plait_store64_le(p + len - 8, lo >> 8 * (len - 8) | (hi << 8) << (8 * (15 - len) & 63));
    } else if (len >= 4) {
        plait_store32_le(p, (uint32_t)lo);
        plait_store32_le(p + len - 4, (uint32_t)(lo >> 8 * (len - 4)));
    } else {
        p[0] = (uint8_t)lo;
        p[len / 2] = (uint8_t)(lo >> 8 * (len / 2));
        p[len - 1] = (uint8_t)(lo >> 8 * (len - 1));
    }
}

#endif
