/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel.h - what a kernel is, and every question about the compiler.
 *
 * A kernel file includes this header alone (and bodies), guards itself with one PLAIT_BUILD_...
 * macro and ends with one const descriptor `plait_<family>_<isa>`. See CONTRIBUTING.md, "Add a
 * kernel in an hour".
 */
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu.h"

/* ---- the compiler ---------------------------------------------------------------------------- */

#if defined(__GNUC__) && defined(__x86_64__) && !defined(PLAIT_PORTABLE)
#define PLAIT_BUILD_X86_64 1 /* every x86-64 kernel: GCC 11, Clang 14 and later know all they use  \
                              */
#else
#define PLAIT_BUILD_X86_64 0
#endif

#if defined(__GNUC__) && defined(__AARCH64EL__) && !defined(PLAIT_PORTABLE)
#define PLAIT_BUILD_AARCH64 1 /* little-endian */
#else
#define PLAIT_BUILD_AARCH64 0
#endif

#if defined(__GNUC__) && defined(__sparc__) && defined(__arch64__) && !defined(PLAIT_PORTABLE)
#define PLAIT_BUILD_SPARC64 1
#else
#define PLAIT_BUILD_SPARC64 0
#endif

/* PLAIT_NO_INT128 and, below, PLAIT_NO_VEC128 make the reference kernels do without what this
 * compiler has, so that their other forms can be tested here. The first needs PLAIT_PORTABLE too:
 * kernels of 64-bit CPUs use it. */
#if defined(__SIZEOF_INT128__) && !(defined(PLAIT_NO_INT128) && defined(PLAIT_PORTABLE))
#define PLAIT_HAVE_INT128 1
__extension__ typedef unsigned __int128 plait_u128;
#else
#define PLAIT_HAVE_INT128 0
#endif

/* The product of two 64-bit words takes a few instructions. Not so on SPARC before VIS3, where it
 * is a call. */
#if PLAIT_HAVE_INT128 && !defined(__sparc__)
#define PLAIT_FAST_INT128 1
#else
#define PLAIT_FAST_INT128 0
#endif

/* Vectors of 128 bits in the syntax that GCC and Clang share, where every CPU of the target has
 * them. Reference kernels use these. PLAIT_U32X4(x, y, ...): the words of x (0..3) and y (4..7)
 * with these numbers. PLAIT_U16_SWAP: the halves of each word swapped. */
#if defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON)) &&                             \
    !defined(__ARM_BIG_ENDIAN) && !defined(PLAIT_NO_VEC128)
#define PLAIT_HAVE_VEC128 1
typedef uint32_t plait_u32x4 __attribute__((vector_size(16)));
typedef uint16_t plait_u16x8 __attribute__((vector_size(16)));
typedef uint8_t plait_u8x16 __attribute__((vector_size(16)));
#if defined(__clang__)
#define PLAIT_U32X4(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#define PLAIT_U16_SWAP(x)                                                                          \
    ((plait_u32x4)__builtin_shufflevector((plait_u16x8)(x), (plait_u16x8)(x), 1, 0, 3, 2, 5, 4, 7, \
                                          6))
#else
#define PLAIT_U32X4(x, y, ...) __builtin_shuffle(x, y, (plait_u32x4){__VA_ARGS__})
#define PLAIT_U16_SWAP(x) \
    ((plait_u32x4)__builtin_shuffle((plait_u16x8)(x), (plait_u16x8){1, 0, 3, 2, 5, 4, 7, 6}))
#endif
#else
#define PLAIT_HAVE_VEC128 0
#endif

/* Functions between PLAIT_TARGET_BEGIN("avx2,bmi2") and PLAIT_TARGET_END are compiled for these
 * extensions, whatever the command line says. Include the intrinsics header before, outside of the
 * region. */
#define PLAIT_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
/* C99 promises room for string literals of 4095 bytes; the asm block of a whole loop body is
 * longer. */
#define PLAIT_TARGET_BEGIN(isa)                                                                    \
    PLAIT_PRAGMA(clang attribute push(__attribute__((target(isa))), apply_to = function))          \
    _Pragma("clang diagnostic push")                                                               \
    _Pragma("clang diagnostic ignored \"-Woverlength-strings\"")
#define PLAIT_TARGET_END _Pragma("clang diagnostic pop") _Pragma("clang attribute pop")
#elif defined(__GNUC__)
#define PLAIT_TARGET_BEGIN(isa) _Pragma("GCC push_options") PLAIT_PRAGMA(GCC target(isa))
#define PLAIT_TARGET_END        _Pragma("GCC pop_options")
#endif

/* AArch64: the instructions for AES and 64-bit polynomial multiplication; and the three-way xor
 * with them. Kernels write these as asm, since arm_neon.h of Clang 14 hides their intrinsics unless
 * the whole file is compiled for them. */
#if defined(__clang__)
#define PLAIT_TARGET_NEON_AES      "aes"
#define PLAIT_TARGET_NEON_AES_SHA3 "aes,sha3"
#else
#define PLAIT_TARGET_NEON_AES      "+crypto"
#define PLAIT_TARGET_NEON_AES_SHA3 "arch=armv8.2-a+crypto+sha3"
#endif

#if defined(__GNUC__)
#define PLAIT_INLINE    static inline __attribute__((always_inline, unused))
#define PLAIT_NOINLINE  __attribute__((noinline))
#define PLAIT_UNUSED    __attribute__((unused))
#define PLAIT_LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define PLAIT_INLINE static inline
#define PLAIT_NOINLINE
#define PLAIT_UNUSED
#define PLAIT_LIKELY(x) (x)
#endif

#if defined(__GNUC__) && !defined(_WIN32)
#define PLAIT_HIDDEN __attribute__((visibility("hidden")))
#else
#define PLAIT_HIDDEN
#endif

/* Bounds of limbs, checked in debug builds (-DPLAIT_DEBUG) and nowhere else. */
#if defined(PLAIT_DEBUG)
#include <assert.h>
#define PLAIT_BOUND(x) assert(x)
#else
#define PLAIT_BOUND(x) ((void)0)
#endif

/* Hides a value's origin from the optimiser, so that it can not turn arithmetic on secrets into
 * branches (clang, loop unswitching and friends). */
PLAIT_INLINE uint64_t plait_barrier64(uint64_t x)
{
#if defined(__GNUC__)
    __asm__("" : "+r"(x));
    return x;
#else
    volatile uint64_t y = x;
    return y;
#endif
}
PLAIT_INLINE uint32_t plait_barrier32(uint32_t x)
{
#if defined(__GNUC__)
    __asm__("" : "+r"(x));
    return x;
#else
    volatile uint32_t y = x;
    return y;
#endif
}

/* Overwrites n bytes with zeros; the compiler must assume that somebody reads them afterwards. */
PLAIT_INLINE void plait_wipe(void *p, size_t n)
{
#if defined(__GNUC__)
    memset(p, 0, n);
    __asm__ volatile("" : : "r"(p) : "memory");
#else
    volatile unsigned char *q = (volatile unsigned char *)p;
    while (n--) *q++ = 0;
#endif
}

/* The body of a kernel's own plait_wipe(p, n), n a multiple of the size of its vectors, without a
 * call: what is live stays in registers. The asm keeps GCC from making the loops 'rep stos', which
 * takes longer to start than this takes in all. Four stores at a time: a loop of one takes one
 * cycle or two for each on Golden Cove, by where it lies in the code, which made Poly1305 of 700
 * bytes up to 15 % slower. */
#define PLAIT_WIPE_VECTORS(store, zero, size)                                                      \
    uint8_t *at = (uint8_t *)(p);                                                                  \
    for (; (n) >= 4 * (size); at += 4 * (size), (n) -= 4 * (size)) {                               \
        store(at, zero);                                                                           \
        store(at + (size), zero);                                                                  \
        store(at + 2 * (size), zero);                                                              \
        store(at + 3 * (size), zero);                                                              \
        __asm__ volatile("" : : "r"(at) : "memory");                                               \
    }                                                                                              \
    for (; (n) > 0; at += (size), (n) -= (size)) {                                                 \
        store(at, zero);                                                                           \
        __asm__ volatile("" : : "r"(at) : "memory");                                               \
    }

/* Overwrites the n <= 4096 bytes of stack that functions called from here, and returned, had used:
 * for kernels in which the compiler has to spill vectors that hold secrets. n is a multiple of 64,
 * for which compilers need no call of memset: that takes 45 cycles for 768 bytes, though less than
 * the loop for 256. */
PLAIT_NOINLINE PLAIT_UNUSED static void plait_burn_stack(size_t n)
{
    uint8_t below[4096];
    if (n <= 256)
        plait_wipe(below + sizeof below - n, n);
    else
        for (size_t i = sizeof below - n; i < sizeof below; i += 64) plait_wipe(below + i, 64);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PLAIT_BIG_ENDIAN 1
#else
#define PLAIT_BIG_ENDIAN 0
#endif

PLAIT_INLINE uint32_t plait_bswap32(uint32_t x)
{
    return (x << 24) | ((x & 0xff00) << 8) | ((x >> 8) & 0xff00) | (x >> 24);
}
PLAIT_INLINE uint64_t plait_bswap64(uint64_t x)
{
    return ((uint64_t)plait_bswap32((uint32_t)x) << 32) | plait_bswap32((uint32_t)(x >> 32));
}
PLAIT_INLINE uint32_t plait_load32_le(const void *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return PLAIT_BIG_ENDIAN ? plait_bswap32(x) : x;
}
PLAIT_INLINE uint64_t plait_load64_le(const void *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return PLAIT_BIG_ENDIAN ? plait_bswap64(x) : x;
}
PLAIT_INLINE uint32_t plait_load32_be(const void *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return PLAIT_BIG_ENDIAN ? x : plait_bswap32(x);
}
PLAIT_INLINE uint64_t plait_load64_be(const void *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return PLAIT_BIG_ENDIAN ? x : plait_bswap64(x);
}
PLAIT_INLINE void plait_store32_le(void *p, uint32_t x)
{
    x = PLAIT_BIG_ENDIAN ? plait_bswap32(x) : x;
    memcpy(p, &x, 4);
}
PLAIT_INLINE void plait_store64_le(void *p, uint64_t x)
{
    x = PLAIT_BIG_ENDIAN ? plait_bswap64(x) : x;
    memcpy(p, &x, 8);
}
PLAIT_INLINE void plait_store32_be(void *p, uint32_t x)
{
    x = PLAIT_BIG_ENDIAN ? x : plait_bswap32(x);
    memcpy(p, &x, 4);
}
PLAIT_INLINE void plait_store64_be(void *p, uint64_t x)
{
    x = PLAIT_BIG_ENDIAN ? x : plait_bswap64(x);
    memcpy(p, &x, 8);
}

/* ---- the functions of each family ------------------------------------------------------------ */

/* Common rules. Pointers to caller data have any alignment; so have key areas (they are copied with
 * memcpy). A kernel reads and writes only the bytes it is told of, never beside them, not even
 * within a page. out == in or disjoint. Lengths may be 0, with NULL. No branch and no address
 * depends on key, text or state. Kernels wipe what they keep on the stack of keys, keystream and
 * state. Limits were checked by the front end. */

/* ChaCha20: out = in xor keystream; state is the 16-word start state, its word 12 the first block's
 * counter. The last block may be partial. The counter never has to go past 2^32 - 1 for a block
 * that is used. */
typedef struct plait_chacha20_fns {
    void (*xor_stream)(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16]);
} plait_chacha20_fns;

/* Poly1305. Between calls the state has one form, whatever the kernel: h < 2^131 in radix 2^64, r
 * clamped. */
typedef struct plait_poly1305_acc {
    uint64_t h[3]; /* h[2] < 8 */
    uint64_t r[2];
    uint64_t s[2];
} plait_poly1305_acc;
typedef struct plait_poly1305_fns {
    /* h = (h + m + 2^128) r for each 16-byte block m; len is a multiple of 16. */
    void (*blocks)(plait_poly1305_acc *acc, const uint8_t *msg, size_t len);
    /* Adds a last block of len < 16 bytes if len > 0 (with its 1 byte after the end), reduces
     * completely, adds s. */
    void (*final)(plait_poly1305_acc *acc, uint8_t tag[16], const uint8_t *msg, size_t len);
    /* The whole of it: the tag of one message. The best path for every length. */
    void (*mac)(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32]);
} plait_poly1305_fns;

/* AES. The area holds the expanded key in whatever form the kernel likes. */
#define PLAIT_AES_AREA 256
typedef struct plait_aes_fns {
    void (*init)(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len);
    /* CTR. block is the first counter block; its last 4 bytes are a big-endian counter that wraps
     * alone (inc32 of SP 800-38D); the 128-bit counter of plain CTR is made of this in the front
     * end. The last block may be partial. block is not changed. */
    void (*ctr32)(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16]);
} plait_aes_fns;

/* GHASH. The area holds H and what the kernel derives from it. acc is in wire order. */
#define PLAIT_GHASH_AREA 1536
typedef struct plait_ghash_fns {
    /* Prepares for calls of update with up to max_len bytes: only as many powers of H as those can
     * use. */
    void (*init)(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len);
    /* acc = (acc xor block) H for each block; a last partial block is padded with zeros. */
    void (*update)(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data,
                   size_t len);
} plait_ghash_fns;

/* One message of a batch, as kernels see it: the lengths are within the limits, the tag is the full
 * computed one, not compared. key: the area of the key. iv: GCM: J0, 16 bytes; ChaCha20-Poly1305:
 * the 12-byte nonce. */
typedef struct plait_job {
    const uint8_t *key;
    const uint8_t *iv;
    uint8_t *out;
    uint8_t *tag;
    const uint8_t *ad;
    size_t ad_len;
    const uint8_t *in;
    size_t len;
} plait_job;

/* AES-GCM whole. The area holds round keys and powers of H in whatever form the kernel likes. */
#define PLAIT_GCM_AREA (PLAIT_AES_AREA + PLAIT_GHASH_AREA + 16)
typedef struct plait_aes_gcm_fns {
    void (*init)(uint8_t area[PLAIT_GCM_AREA], const uint8_t *raw, size_t raw_len);
    /* One message; tag receives all 16 bytes: GHASH(ad, ciphertext, lengths) xor E(j0). Text starts
     * at inc32(j0). open computes the tag of the ciphertext `in`, and does not compare. */
    void (*seal)(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len);
    void (*open)(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t j0[16],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len);
    /* For streams: text from counter block `block` on, its ciphertext absorbed into acc (a last
     * partial block padded with zeros). block is not changed. */
    void (*text_seal)(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len);
    void (*text_open)(const uint8_t *area, uint8_t acc[16], const uint8_t block[16], uint8_t *out,
                      const uint8_t *in, size_t len);
    /* GHASH and CTR alone, as in the families ghash and aes. */
    void (*hash)(const uint8_t *area, uint8_t acc[16], const uint8_t *data, size_t len);
    void (*ctr32)(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16]);
    /* Many messages; NULL where one after the other is as good, as it is with texts longer than
     * batch_max and with a key for each message. */
    void (*seal_batch)(const plait_job *jobs, size_t count);
    void (*open_batch)(const plait_job *jobs, size_t count);
    size_t batch_max;
} plait_aes_gcm_fns;

/* ChaCha20-Poly1305 whole (RFC 8439, 2.8). The area starts with the 32 raw bytes of the key; tag as
 * above. */
#define PLAIT_CHACHA20_POLY1305_AREA 64
typedef struct plait_chacha20_poly1305_fns {
    void (*seal)(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len);
    void (*open)(const uint8_t *area, uint8_t *out, uint8_t tag[16], const uint8_t nonce[12],
                 const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len);
    void (*seal_batch)(const plait_job *jobs, size_t count);
    void (*open_batch)(const plait_job *jobs, size_t count);
} plait_chacha20_poly1305_fns;

/* ---- the descriptor -------------------------------------------------------------------------- */

typedef struct plait_kernel {
    const char *family, *name;
    size_t name_len;
    const char *needs_text; /* "avx2,bmi2" */
    uint32_t needs;         /* CPU bits that must all be there */
    uint32_t avoids;        /* CPU bits that make it a bad choice by default, though it works */
    uint32_t spills;        /* bytes of stack, at most 4096, in which its compilers leave secrets */
    uint32_t width;         /* blocks in flight in its widest loop */
    union {
        plait_chacha20_fns chacha20;
        plait_poly1305_fns poly1305;
        plait_aes_fns aes;
        plait_ghash_fns ghash;
        plait_aes_gcm_fns aes_gcm;
        plait_chacha20_poly1305_fns chacha20_poly1305;
    } fn;
} plait_kernel;

/* To be called where a function of this row has been called and has returned. */
PLAIT_INLINE void plait_burn_spills(const plait_kernel *row)
{
    if (row->spills != 0) plait_burn_stack(row->spills);
}

/* PLAIT_KERNEL_ID(chacha20, avx2) in a descriptor: family and name. PLAIT_NEEDS(avx2, bmi2): bits
 * and text; PLAIT_NEEDS_NOTHING for portable kernels; PLAIT_NOT_BUILT(...) in a stub: the same
 * text, and the bit that is never set. Up to six names. */
#define PLAIT_KERNEL_ID(fam, isa)                                                                  \
    .family = #fam, .name = #fam "_" #isa, .name_len = sizeof #fam "_" #isa - 1
#define PLAIT_NEEDS_NOTHING       .needs_text = "", .needs = 0
#define PLAIT_NEEDS(...)                                                                           \
    .needs_text = PLAIT_EACH(PLAIT_TEXT1, PLAIT_TEXT, __VA_ARGS__),                                \
    .needs = 0u PLAIT_EACH(PLAIT_BIT, PLAIT_BIT, __VA_ARGS__)
#define PLAIT_NOT_BUILT(...)                                                                       \
    .needs_text = PLAIT_EACH(PLAIT_TEXT1, PLAIT_TEXT, __VA_ARGS__),                                \
    .needs = PLAIT_CPU_NEVER PLAIT_EACH(PLAIT_BIT, PLAIT_BIT, __VA_ARGS__)
#define PLAIT_BIT(name)   | PLAIT_CPU_##name
#define PLAIT_TEXT1(name) #name
#define PLAIT_TEXT(name)  "," #name
#define PLAIT_EACH(F, G, ...)                                                                      \
    PLAIT_EACH_N(__VA_ARGS__, PLAIT_E6, PLAIT_E5, PLAIT_E4, PLAIT_E3, PLAIT_E2, PLAIT_E1, 0)       \
    (F, G, __VA_ARGS__)
#define PLAIT_EACH_N(a, b, c, d, e, f, n, ...) n
#define PLAIT_E1(F, G, a)                      F(a)
#define PLAIT_E2(F, G, a, b)                   F(a) G(b)
#define PLAIT_E3(F, G, a, b, c)                F(a) G(b) G(c)
#define PLAIT_E4(F, G, a, b, c, d)             F(a) G(b) G(c) G(d)
#define PLAIT_E5(F, G, a, b, c, d, e)          F(a) G(b) G(c) G(d) G(e)
#define PLAIT_E6(F, G, a, b, c, d, e, f)       F(a) G(b) G(c) G(d) G(e) G(f)

#define PLAIT_ROW(family, isa) extern const PLAIT_HIDDEN plait_kernel plait_##family##_##isa;
#include "kernels.def"

#endif
