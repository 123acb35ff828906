/* SPDX-License-Identifier: Apache-2.0
 *
 * vec_body.h - what v256_body.h and v512_body.h have in common. Included by them.
 */

/* The 16 bytes at p in all lanes, where they were put together a moment ago from a nonce and a
 * number: one load of all would find several stores in its way, which no core forwards, and would
 * wait until these, and all that the last message stored before them, have reached the cache: some
 * 60 cycles a message. So each part is loaded by itself. */
PLAIT_INLINE vec vall_in_parts(const uint8_t p[16])
{
    return vall_words(plait_load64_le(p),
                      plait_load32_le(p + 8) | (uint64_t)plait_barrier32(plait_load32_le(p + 12))
                                                   << 32);
}

/* Overwrites n bytes, whole vectors. */
PLAIT_INLINE void vwipe(void *p, size_t n)
{
    PLAIT_WIPE_VECTORS(vstore, vzero(), VEC)
}

/* Four vectors. */
typedef struct quad {
    vec v0, v1, v2, v3;
} quad;

enum { QUAD = 4 * VEC, QUAD_BLOCKS = 4 * LANES };

PLAIT_INLINE quad quad_load(const uint8_t *p)
{
    const quad r = {vload(p), vload(p + VEC), vload(p + 2 * VEC), vload(p + 3 * VEC)};
    return r;
}

PLAIT_INLINE quad quad_reverse(const quad *x)
{
    const quad r = {vreverse(x->v0), vreverse(x->v1), vreverse(x->v2), vreverse(x->v3)};
    return r;
}
