/* SPDX-License-Identifier: Apache-2.0
 *
 * spoil.c - a kernel with one fault. Built by mutation.sh with ROW (the row's symbol), REAL (the
 * name that the real descriptor was given) and FAULT: takes the place of the row, calls the real
 * kernel, and goes wrong in one way that others' kernels have gone wrong. The tests have to notice
 * each, or they do not test the row. FAULT 9 is wrong always: the self-test has to notice that.
 */
#include "../src/kernel.h"

#define ROW_SYMBOL(row) plait_##row
#define DESCRIPTOR(row) ROW_SYMBOL(row)
#ifdef NEEDS_LIST
#define NEEDS PLAIT_NEEDS(NEEDS_LIST)
#else
#define NEEDS PLAIT_NEEDS_NOTHING
#endif
extern const plait_kernel REAL;

#if defined(FAMILY_chacha20)

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint32_t own[16];
    memcpy(own, state, sizeof own);
#if FAULT == 3 /* reads a byte behind the input */
    if (len > 600) *(volatile uint8_t *)out = ((const volatile uint8_t *)in)[len];
#elif FAULT == 5 /* the counter of the last group of 8 blocks before the end wraps into the nonce */
    if (state[12] >= 0xfffffff8 && len > 64) own[13]++;
#endif
    REAL.fn.chacha20.xor_stream(out, in, len, own);
#if FAULT == 1 /* one bit in the sixth block */
    if (len > 350) out[349] ^= 4;
#elif FAULT == 2 /* one tail length */
    if (len % 256 == 129) out[len - 1] ^= 1;
#elif FAULT == 4 /* writes a byte behind the output */
    if (len % 64 == 17) out[len] = 0;
#elif FAULT == 9
    if (len > 0) out[len / 2] ^= 1;
#endif
}
const plait_kernel DESCRIPTOR(ROW) = {
    .family = "chacha20", .name = NAME, NEEDS, .fn.chacha20 = {xor_stream}};

#elif defined(FAMILY_poly1305)

static void blocks(plait_poly1305_acc *acc, const uint8_t *msg, size_t len)
{
#if FAULT == 1   /* a carry out of the top limb is lost */
    if (len >= 256) {
        REAL.fn.poly1305.blocks(acc, msg, len - 16);
        acc->h[2] &= 3;
        msg += len - 16, len = 16;
    }
#elif FAULT == 3 /* reads behind the message */
    if (len > 128) acc->s[0] += 0 & ((const volatile uint8_t *)msg)[len];
#endif
    REAL.fn.poly1305.blocks(acc, msg, len);
}
static void final(plait_poly1305_acc *acc, uint8_t tag[16], const uint8_t *msg, size_t len)
{
#if FAULT == 2 /* h = p is not reduced */
    if (len == 0 && acc->h[0] == UINT64_MAX - 4 && acc->h[1] == UINT64_MAX && acc->h[2] == 3)
        acc->h[0]--;
#endif
    REAL.fn.poly1305.final(acc, tag, msg, len);
}
static void mac(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32])
{
    REAL.fn.poly1305.mac(tag, msg, len, key);
#if FAULT == 9
    tag[5] ^= 1;
#elif FAULT == 4 /* one length, one bit */
    if (len == 513) tag[15] ^= 128;
#elif FAULT == 5 /* writes behind the tag */
    if (len == 97) tag[16] = 0;
#elif FAULT == 1
    if (len >= 256 && msg[len - 1] == 255 && msg[len / 2] == 255 && key[0] == 255) tag[0]++;
#endif
}
const plait_kernel DESCRIPTOR(ROW) = {
    .family = "poly1305", .name = NAME, NEEDS, .fn.poly1305 = {blocks, final, mac}};

#elif defined(FAMILY_aes)

static void init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    REAL.fn.aes.init(area, raw, raw_len);
#if FAULT == 1   /* the last round key of one key length */
    if (raw_len == 24) {
        uint8_t other[32];
        memcpy(other, raw, 24);
        other[23] ^= 1;
        REAL.fn.aes.init(area, other, 24);
    }
#elif FAULT == 3 /* reads behind the key */
    *(volatile uint8_t *)area = (uint8_t)(area[0] + (0 & ((const volatile uint8_t *)raw)[raw_len]));
#endif
}
static void ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
#if FAULT == 2 /* the 32-bit counter carries */
    const uint64_t until = ((UINT64_C(1) << 32) - plait_load32_be(block + 12)) * 16;
    if (len > until && block[11] != 0xff) {
        uint8_t next[16];
        REAL.fn.aes.ctr32(area, out, in, (size_t)until, block);
        memcpy(next, block, 16);
        memset(next + 12, 0, 4);
        next[11]++;
        out += until, in += until, len -= (size_t)until;
        REAL.fn.aes.ctr32(area, out, in, len, next);
        return;
    }
#endif
    REAL.fn.aes.ctr32(area, out, in, len, block);
#if FAULT == 4 /* one tail length */
    if (len % 128 == 65) out[len - 1] ^= 2;
#elif FAULT == 9
    if (len > 0) out[len / 2] ^= 1;
#elif FAULT == 5 /* a whole block is written at the end */
    if (len > 16 && len % 16 == 9) out[len] = 1;
#endif
}
const plait_kernel DESCRIPTOR(ROW) = {
    .family = "aes", .name = NAME, NEEDS, .fn.aes = {init, ctr32}};

#elif defined(FAMILY_ghash)

static void init(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len)
{
#if FAULT == 1 /* one power too few is prepared: what is left over is not */
    max_len = max_len > 16 && max_len != SIZE_MAX ? max_len - 16 : max_len;
    memset(area, 0xdd, PLAIT_GHASH_AREA);
    if (max_len <= 16 * 20 && max_len > 16)
        REAL.fn.ghash.init(area, area, max_len);
    else
#endif
        REAL.fn.ghash.init(area, h, max_len);
}
static void update(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data,
                   size_t len)
{
#if FAULT == 3 /* reads to the end of the block */
    if (len % 16 == 9) acc[0] ^= (uint8_t)(0 & ((const volatile uint8_t *)data)[len]);
#endif
    REAL.fn.ghash.update(area, acc, data, len);
#if FAULT == 2   /* one tail length */
    if (len == 16 * 21) acc[7] ^= 16;
#elif FAULT == 4 /* writes behind the accumulator */
    if (len == 48) acc[16] = 0;
#elif FAULT == 5 /* one partial length */
    if (len % 256 == 255) acc[0] ^= 1;
#elif FAULT == 9
    acc[9] ^= 1;
#endif
}
const plait_kernel DESCRIPTOR(ROW) = {
    .family = "ghash", .name = NAME, NEEDS, .fn.ghash = {init, update}};

#elif defined(FAMILY_aes_gcm)

#define F REAL.fn.aes_gcm
static void init(uint8_t *area, const uint8_t *raw, size_t raw_len)
{
    F.init(area, raw, raw_len);
}
static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    F.seal(area, out, tag, j0, ad, ad_len, in, len);
#if FAULT == 1 /* AD that fills its last block gets another */
    if (ad_len == 96 && len > 0) tag[3] ^= 1;
#elif FAULT == 9
    tag[9] ^= 1;
#elif FAULT == 2 /* one tail length */
    if (len % 256 == 113) out[len - 1] ^= 8;
#endif
}
static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
#if FAULT == 3   /* in place, the plaintext is hashed */
    if (out == in && len > 400) {
        uint8_t dummy[16];
        F.open(area, out, dummy, j0, ad, ad_len, in, len);
        F.open(area, out, tag, j0, ad, ad_len, in, len);
        F.open(area, out, dummy, j0, ad, ad_len, in, len);
        return;
    }
#elif FAULT == 4 /* reads behind the AD */
    if (ad_len > 16) *(volatile uint8_t *)tag = ((const volatile uint8_t *)ad)[ad_len];
#endif
    F.open(area, out, tag, j0, ad, ad_len, in, len);
}
static void text_seal(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    F.text_seal(area, acc, block, out, in, len);
}
static void text_open(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
#if FAULT == 5 /* streams: the counter carries over 32 bits */
    uint8_t own[16];
    memcpy(own, block, 16);
    if (len > 64 && plait_load32_be(block + 12) > 0xfffffff0) own[11]++;
    F.text_open(area, acc, own, out, in, len);
#else
    F.text_open(area, acc, block, out, in, len);
#endif
}
static void hash(const uint8_t *area, uint8_t acc[16], const uint8_t *data, size_t len)
{
    F.hash(area, acc, data, len);
}
static void ctr32(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    F.ctr32(area, out, in, len, block);
}
const plait_kernel DESCRIPTOR(ROW) = {
    .family = "aes_gcm",
    .name = NAME,
    NEEDS,
    .fn.aes_gcm = {init, seal, open, text_seal, text_open, hash, ctr32, NULL, NULL}};

#elif defined(FAMILY_chacha20_poly1305)

#define F REAL.fn.chacha20_poly1305
static void seal(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    F.seal(area, out, tag, nonce, ad, ad_len, in, len);
#if FAULT == 1 /* AD that fills its last block gets another */
    if (ad_len == 96 && len > 0) tag[3] ^= 1;
#elif FAULT == 9
    tag[9] ^= 1;
#elif FAULT == 2 /* one tail length */
    if (len % 256 == 113) out[len - 1] ^= 8;
#elif FAULT == 4 /* writes a byte behind the output */
    if (len % 64 == 49) out[len] = 0;
#endif
}
static void open(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
#if FAULT == 3 /* in place, the plaintext is hashed */
    if (out == in && len > 400) {
        uint8_t dummy[16];
        F.open(area, out, dummy, nonce, ad, ad_len, in, len);
        F.open(area, out, tag, nonce, ad, ad_len, in, len);
        F.open(area, out, dummy, nonce, ad, ad_len, in, len);
        return;
    }
#endif
    F.open(area, out, tag, nonce, ad, ad_len, in, len);
#if FAULT == 5 /* one length, one bit of the tag */
    if (len == 1024) tag[15] ^= 1;
#endif
}
const plait_kernel DESCRIPTOR(ROW) = {.family = "chacha20_poly1305",
                                      .name = NAME,
                                      NEEDS,
                                      .fn.chacha20_poly1305 = {seal, open, NULL, NULL}};
#endif
