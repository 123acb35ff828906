/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_poly1305_avx512_batch_body.h - many short messages at once, for
 * chacha20_poly1305_avx512: a pass of ChaCha20 over 16 or 32 blocks takes blocks of any messages,
 * and Poly1305 runs on 8 messages, one in each lane. Included there, before the descriptor, after
 * seal and open.
 *
 * A short message alone uses a fraction of a pass, and its Poly1305 is one long chain. In a batch,
 * nothing of a pass is wasted but in the last one, and no powers of r are needed to fill lanes.
 *
 *      first pass    block 0 of every message (its one-time key), then text blocks
 *      more passes   text blocks, in order of messages and within them
 *
 * ChaCha20, block-parallel as in chacha20_avx512_body.h, but every lane has its own key, nonce and
 * counter: the start state is 16 vectors, not 16 words. The key words of all messages are kept
 * word by word (words[w][message]), so that one vpermt2d makes the vector of a word for any choice
 * of messages.
 *
 * Poly1305: r and s of a message come from words 0 to 7 of its block 0, which are in its lane
 * already; nothing is transposed. Blocks go through singly, or by fours, h = (h + m0) r^4 + m1 r^3
 * + m2 r^2 + m3 r with one carry. A message that has no block in a step keeps its h by a mask:
 * lengths are public. Messages are sorted by length, so that those in a group have about as many
 * blocks.
 */
#include "poly1305_avx512_ifma_body.h"

#define BATCH_JOBS 32
/* Longer texts and AD do as well alone. */
#define BATCH_TEXT_MAX 1536
#define BATCH_AD_MAX   256
/* Bytes of stack that the calls of batch_short use, at most. */
#define BATCH_SPILLS 2304
/* As plait_burn_stack, which with its SSE while the upper parts of vectors are in use takes 500
 * cycles (Golden Cove). */
PLAIT_NOINLINE static void batch_burn(void)
{
    uint8_t below[BATCH_SPILLS] __attribute__((aligned(64)));
    wipe512(below, sizeof below);
}
/* Fewer than this in the last group of 8 do better alone. */
#define BATCH_MIN 4
/* From how many blocks of the longest message in a group on it pays to make r^2, r^3 and r^4. */
#define BATCH_FOUR_FROM 8

typedef struct __attribute__((aligned(64))) batch_work {
    uint32_t start[2][16][16]; /* [16 lanes][word]; after a pass words 0 .. 7 of the result */
    uint32_t parked[4][16];
    uint8_t ks[32][64];             /* of the lanes of a pass that do not xor at once */
    uint32_t words[11][BATCH_JOBS]; /* key, nonce */
    uint32_t keys[8][BATCH_JOBS];   /* one-time keys */
} batch_work;
typedef char batch_offsets[offsetof(batch_work, parked) == 2048 && offsetof(batch_work, ks) == 2304
                               ? 1
                               : -1];

/* Neighbouring lanes whose keystream goes to ks, for bytes [from, from + n) of the text of a job.
 * */
typedef struct batch_piece {
    size_t lane, job, from, n;
} batch_piece;

/* What the lanes of a pass do: keystream block `block` of a job, xored into what is at in, to out.
 * Made a pass ahead: a vector loaded right after its elements were stored would wait for all stores
 * before it. */
typedef struct __attribute__((aligned(64))) batch_lanes {
    uint32_t job[32], block[32];
    const uint8_t *in[32];
    uint8_t *out[32];
    batch_piece pieces[32];
    size_t piece_count, used, end; /* lanes with something to do; all: 16 or 32 */
} batch_lanes;
typedef char
    batch_lane_offsets[offsetof(batch_lanes, in) == 256 && offsetof(batch_lanes, out) == 512 ? 1
                                                                                             : -1];

/* ---- ChaCha20 -------------------------------------------------------------------------------- */

/* clang-format off */
#define BATCH_START(x, i, at) "vmovdqa64 64*" #i "+" #at "(%[work]), " Z(x) "\n\t"
#define BATCH_FEED(x, i, at) "vpaddd 64*" #i "+" #at "(%[work]), " Z(x) ", " Z(x) "\n\t"
#define BATCH_KEEP(x, i, at)                                                                       \
    BATCH_FEED(x, i, at) "vmovdqa64 " Z(x) ", 64*" #i "+" #at "(%[work])\n\t"
#define BATCH_PUT(x, j, lanes, unused)                                                             \
    "movq 8*" #j "+8*" #lanes "+256(%[lanes]), %[at]\n\tvpxord (%[at]), " Z(x) ", " Z(x) "\n\t"    \
    "movq 8*" #j "+8*" #lanes "+512(%[lanes]), %[at]\n\tvmovdqu64 " Z(x) ", (%[at])\n\t"
#define BATCH_START16(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, at)    \
    BATCH_START(x0, 0, at) BATCH_START(x1, 1, at) BATCH_START(x2, 2, at) BATCH_START(x3, 3, at)    \
    BATCH_START(x4, 4, at) BATCH_START(x5, 5, at) BATCH_START(x6, 6, at) BATCH_START(x7, 7, at)    \
    BATCH_START(x8, 8, at) BATCH_START(x9, 9, at) BATCH_START(x10, 10, at)                         \
    BATCH_START(x11, 11, at) BATCH_START(x12, 12, at) BATCH_START(x13, 13, at)                     \
    BATCH_START(x14, 14, at) BATCH_START(x15, 15, at)
/* lanes: the first lane's number; at: where the start state is. */
#define BATCH_FINISH(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15,         \
                     t0, t1, t2, t3, at, lanes)                                                    \
    BATCH_KEEP(x0, 0, at) BATCH_KEEP(x1, 1, at) BATCH_KEEP(x2, 2, at) BATCH_KEEP(x3, 3, at)        \
    TRANSPOSE_WORDS(x0, x1, x2, x3, t0, t1, t2, t3)                                                \
    BATCH_KEEP(x4, 4, at) BATCH_KEEP(x5, 5, at) BATCH_KEEP(x6, 6, at) BATCH_KEEP(x7, 7, at)        \
    TRANSPOSE_WORDS(x4, x5, x6, x7, t0, t1, t2, t3)                                                \
    BATCH_FEED(x8, 8, at) BATCH_FEED(x9, 9, at) BATCH_FEED(x10, 10, at) BATCH_FEED(x11, 11, at)    \
    TRANSPOSE_WORDS(x8, x9, x10, x11, t0, t1, t2, t3)                                              \
    BATCH_FEED(x12, 12, at) BATCH_FEED(x13, 13, at) BATCH_FEED(x14, 14, at)                        \
    BATCH_FEED(x15, 15, at)                                                                        \
    TRANSPOSE_WORDS(x12, x13, x14, x15, t0, t1, t2, t3)                                            \
    LANES_OUT(x0, x4, x8, x12, t0, t1, t2, t3, BATCH_PUT, 0, 4, 8, 12, lanes, )                    \
    LANES_OUT(x1, x5, x9, x13, t0, t1, t2, t3, BATCH_PUT, 1, 5, 9, 13, lanes, )                    \
    LANES_OUT(x2, x6, x10, x14, t0, t1, t2, t3, BATCH_PUT, 2, 6, 10, 14, lanes, )                  \
    LANES_OUT(x3, x7, x11, x15, t0, t1, t2, t3, BATCH_PUT, 3, 7, 11, 15, lanes, )
#define BATCH_ROUNDS(n)                                                                            \
    "movl $10, %[count]\n\t.p2align 5\n1:\n\t" WITHOUT_SCALAR(DOUBLE_ROUND##n)                     \
    "decl %[count]\n\tjnz 1b\n\t"
#define BATCH_CLOBBERS                                                                             \
    "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",        \
    "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19"

/* The first 16 lanes, and all 32. */
PLAIT_NOINLINE static void batch_pass16(batch_work *work, const batch_lanes *lanes)
{
    uint32_t count;
    void *at;
    __asm__ volatile(
        BATCH_START16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0)
        BATCH_ROUNDS(16)
        BATCH_FINISH(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 0, 0)
        : [count] "=&r"(count), [at] "=&r"(at)
        : [work] "r"(work), [lanes] "r"(lanes)
        : BATCH_CLOBBERS);
}
PLAIT_NOINLINE static void batch_pass32(batch_work *work, const batch_lanes *lanes)
{
    uint32_t count;
    void *at;
    __asm__ volatile(
        BATCH_START16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0)
        BATCH_START16(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 1024)
        BATCH_ROUNDS(32)
        "vmovdqa64 %%zmm28, 2048(%[work])\n\tvmovdqa64 %%zmm29, 2112(%[work])\n\t"
        "vmovdqa64 %%zmm30, 2176(%[work])\n\tvmovdqa64 %%zmm31, 2240(%[work])\n\t"
        BATCH_FINISH(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 28, 29, 30, 31, 0, 0)
        "vmovdqa64 2048(%[work]), %%zmm28\n\tvmovdqa64 2112(%[work]), %%zmm29\n\t"
        "vmovdqa64 2176(%[work]), %%zmm30\n\tvmovdqa64 2240(%[work]), %%zmm31\n\t"
        BATCH_FINISH(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3,
                     1024, 16)
        : [count] "=&r"(count), [at] "=&r"(at)
        : [work] "r"(work), [lanes] "r"(lanes)
        : BATCH_CLOBBERS, "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
          "xmm28", "xmm29", "xmm30", "xmm31");
}
/* clang-format on */

PLAIT_INLINE __m512i batch_lanes128(__m128i a, __m128i b, __m128i c, __m128i d)
{
    const __m512i ab = _mm512_inserti32x4(_mm512_castsi128_si512(a), b, 1);
    return _mm512_inserti32x4(_mm512_inserti32x4(ab, c, 2), d, 3);
}

/* Four words at the same place of 16 jobs, word by word. */
PLAIT_INLINE void batch_words4(uint32_t (*words)[BATCH_JOBS], int n, const __m128i w[16])
{
    const __m512i a = batch_lanes128(w[0], w[4], w[8], w[12]);
    const __m512i b = batch_lanes128(w[1], w[5], w[9], w[13]);
    const __m512i c = batch_lanes128(w[2], w[6], w[10], w[14]);
    const __m512i d = batch_lanes128(w[3], w[7], w[11], w[15]);
    const __m512i ab0 = _mm512_unpacklo_epi32(a, b), ab1 = _mm512_unpackhi_epi32(a, b);
    const __m512i cd0 = _mm512_unpacklo_epi32(c, d), cd1 = _mm512_unpackhi_epi32(c, d);
    _mm512_store_si512(words[0], _mm512_unpacklo_epi64(ab0, cd0));
    _mm512_store_si512(words[1], _mm512_unpackhi_epi64(ab0, cd0));
    _mm512_store_si512(words[2], _mm512_unpacklo_epi64(ab1, cd1));
    if (n > 3) _mm512_store_si512(words[3], _mm512_unpackhi_epi64(ab1, cd1));
}

/* Keys and nonces of the jobs, up to 32; absent ones repeat the first. (Only what is used is
 * filled, but in whole vectors.) */
PLAIT_NOINLINE static void batch_words(batch_work *work, const plait_job *const *jobs, size_t count)
{
    for (size_t first = 0; first < BATCH_JOBS; first += 16) {
        __m128i w[3][16];
        for (size_t i = 0; i < 16; i++) {
            const plait_job *job = jobs[first + i < count ? first + i : 0];
            w[0][i] = load128(job->key);
            w[1][i] = load128(job->key + 16);
            w[2][i] = _mm_maskz_loadu_epi32(7, job->iv);
        }
        batch_words4((uint32_t(*)[BATCH_JOBS])(void *)&work->words[0][first], 4, w[0]);
        batch_words4((uint32_t(*)[BATCH_JOBS])(void *)&work->words[4][first], 4, w[1]);
        batch_words4((uint32_t(*)[BATCH_JOBS])(void *)&work->words[8][first], 3, w[2]);
    }
}

/* The start state of 16 lanes. */
PLAIT_NOINLINE static void batch_start(batch_work *work, const batch_lanes *lanes, size_t g)
{
    uint32_t(*const start)[16] = work->start[g];
    const __m512i job = _mm512_load_si512(lanes->job + 16 * g);
    _mm512_store_si512(start[0], _mm512_set1_epi32(0x61707865));
    _mm512_store_si512(start[1], _mm512_set1_epi32(0x3320646e));
    _mm512_store_si512(start[2], _mm512_set1_epi32(0x79622d32));
    _mm512_store_si512(start[3], _mm512_set1_epi32(0x6b206574));
    _mm512_store_si512(start[12], _mm512_load_si512(lanes->block + 16 * g));
#define WORD(i, to)                                                                                \
    _mm512_store_si512(start[to],                                                                  \
                       _mm512_permutex2var_epi32(_mm512_load_si512(work->words[i]), job,           \
                                                 _mm512_load_si512(work->words[i] + 16)));
    WORD(0, 4)
    WORD(1, 5) WORD(2, 6) WORD(3, 7) WORD(4, 8) WORD(5, 9) WORD(6, 10) WORD(7, 11) WORD(8, 13)
        WORD(9, 14) WORD(10, 15)
#undef WORD
}

/* Where in the texts the passes have come to: before text block `block` of job `job`. */
typedef struct batch_place {
    size_t job, block;
} batch_place;

PLAIT_INLINE size_t batch_blocks(const plait_job *job)
{
    return job->len / 64 + (job->len % 64 != 0);
}

/* A lane whose keystream goes to ks. */
PLAIT_INLINE void batch_aside(batch_work *work, batch_lanes *lanes, size_t lane, size_t job,
                              size_t block)
{
    lanes->job[lane] = (uint32_t)job;
    lanes->block[lane] = (uint32_t)block;
    lanes->in[lane] = wide_nothing;
    lanes->out[lane] = work->ks[lane];
}

/* n lanes that do whole text blocks of a job at once, from text block `block` on. */
PLAIT_INLINE void batch_direct(batch_lanes *lanes, size_t lane, size_t n, const plait_job *job,
                               size_t index, size_t block)
{
    const uint8_t *in = job->in + 64 * block;
    uint8_t *out = job->out + 64 * block;
    for (; n >= 8; n -= 8, lane += 8, block += 8, in += 512, out += 512) {
        const __m256i n32 = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8);
        const __m512i n64 = _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448);
        _mm256_storeu_si256((__m256i *)(void *)&lanes->job[lane], _mm256_set1_epi32((int)index));
        _mm256_storeu_si256((__m256i *)(void *)&lanes->block[lane],
                            _mm256_add_epi32(_mm256_set1_epi32((int)block), n32));
        store512((uint8_t *)&lanes->in[lane],
                 _mm512_add_epi64(_mm512_set1_epi64((int64_t)(uintptr_t)in), n64));
        store512((uint8_t *)&lanes->out[lane],
                 _mm512_add_epi64(_mm512_set1_epi64((int64_t)(uintptr_t)out), n64));
    }
    for (; n > 0; n--, lane++, in += 64, out += 64) {
        lanes->job[lane] = (uint32_t)index;
        lanes->block[lane] = (uint32_t)++block;
        lanes->in[lane] = in;
        lanes->out[lane] = out;
    }
}

/* Gives the lanes from `lane` to lanes->end text blocks to do, at once if direct and if they are
 * whole, else as pieces; those that get none do block 0 of the first job once more. */
PLAIT_INLINE void batch_fill(batch_work *work, batch_lanes *lanes, size_t lane, batch_place *place,
                             const plait_job *const *jobs, size_t count, int direct)
{
    const size_t end = lanes->end;
    size_t index = place->job, block = place->block, pieces = 0;
    while (lane < end && index < count) {
        const plait_job *job = jobs[index];
        const size_t left = job->len - 64 * block; /* bytes */
        size_t n = left / 64 < end - lane ? left / 64 : end - lane;
        if (direct) {
            batch_direct(lanes, lane, n, job, index, block);
            lane += n;
            block += n;
            n = left % 64 != 0 && left < 64 * (n + 1) && lane < end;
        } else {
            n += left % 64 != 0 && left < 64 * (n + 1) && lane + n < end;
        }
        if (n != 0) {
            const size_t bytes = job->len - 64 * block;
            const batch_piece piece = {lane, index, 64 * block, bytes < 64 * n ? bytes : 64 * n};
            lanes->pieces[pieces++] = piece;
            for (; n > 0; n--) batch_aside(work, lanes, lane++, index, ++block);
        }
        if (64 * block >= job->len) {
            index++;
            block = 0;
        }
    }
    place->job = index;
    place->block = block;
    lanes->piece_count = pieces;
    lanes->used = lane;
    for (; lane < end; lane++) batch_aside(work, lanes, lane, 0, 0);
}

/* out = in xor keystream for what is set aside. */
PLAIT_INLINE void batch_apply(const batch_work *work, const batch_lanes *lanes,
                              const plait_job *const *jobs)
{
    for (size_t i = 0; i < lanes->piece_count; i++) {
        const batch_piece *piece = &lanes->pieces[i];
        const uint8_t *in = jobs[piece->job]->in + piece->from, *ks = work->ks[piece->lane];
        uint8_t *out = jobs[piece->job]->out + piece->from;
        size_t n = piece->n;
        for (; n >= 64; n -= 64, in += 64, out += 64, ks += 64)
            store512(out, xor(load512(in), _mm512_load_si512(ks)));
        if (n != 0) {
            const __mmask64 some = _bzhi_u64(~UINT64_C(0), (unsigned)n);
            _mm512_mask_storeu_epi8(out, some,
                                    xor(_mm512_maskz_loadu_epi8(some, in), _mm512_load_si512(ks)));
        }
    }
}

PLAIT_INLINE void batch_pass(batch_work *work, const batch_lanes *lanes)
{
    batch_start(work, lanes, 0);
    if (lanes->end == 16) {
        batch_pass16(work, lanes);
    } else {
        batch_start(work, lanes, 1);
        batch_pass32(work, lanes);
    }
}

/* ---- Poly1305 -------------------------------------------------------------------------------- */

/* 16-byte blocks of 8 lanes, as 64-bit halves. */
typedef struct batch_halves {
    __m512i low, high;
} batch_halves;

PLAIT_INLINE batch_halves batch_join(__m512i even, __m512i odd)
{
    const batch_halves h = {_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)};
    return h;
}

/* With 2^128. To be added to h: */
PLAIT_INLINE ifma_limbs batch_cut_narrow(batch_halves b)
{
    const __m512i m48 = ifma_set1(IFMA_M48);
    ifma_limbs m;
    m.x0 = _mm512_and_si512(b.low, m48);
    m.x1 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(b.low, 48), _mm512_slli_epi64(b.high, 16),
                                     m48, 0xa8); /* (a | b) & c */
    m.x2 = _mm512_or_si512(_mm512_srli_epi64(b.high, 32), ifma_set1(IFMA_PAD));
    return m;
}
/* As a factor only (see ifma_load): */
PLAIT_INLINE ifma_limbs batch_cut(batch_halves b)
{
    ifma_limbs m;
    m.x0 = b.low;
    m.x1 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(b.low, 48), _mm512_slli_epi64(b.high, 16),
                                     ifma_set1(IFMA_M48 - 15), 0xa8);
    m.x2 = _mm512_or_si512(_mm512_srli_epi64(b.high, 32), ifma_set1(IFMA_PAD));
    return m;
}

/* h in the lanes that have no block; a, carried, in those that have. */
PLAIT_INLINE ifma_limbs batch_carry(ifma_limbs h, __mmask8 there, ifma_sums a)
{
    const __m512i m48 = ifma_set1(IFMA_M48), m34 = ifma_set1(IFMA_M34);
    const ifma_limbs d = ifma_fold(a);
    h.x0 = _mm512_mask_mov_epi64(
        h.x0, there,
        ifma_lo(_mm512_and_si512(d.x0, m48), _mm512_srli_epi64(d.x2, 34), ifma_set1(5)));
    h.x1 = _mm512_mask_add_epi64(h.x1, there, _mm512_and_si512(d.x1, m48),
                                 _mm512_srli_epi64(d.x0, 48));
    h.x2 = _mm512_mask_add_epi64(h.x2, there, _mm512_and_si512(d.x2, m34),
                                 _mm512_srli_epi64(d.x1, 48));
    return h;
}

PLAIT_INLINE ifma_limbs batch_step(ifma_limbs h, __mmask8 there, batch_halves b,
                                   const ifma_power *r)
{
    ifma_sums a = ifma_zero();
    ifma_mul_add_mem(&a, ifma_add(h, batch_cut_narrow(b)), r);
    return batch_carry(h, there, a);
}

/* 16 bytes at p[i] + at of each lane. */
PLAIT_INLINE batch_halves batch_load(const uint8_t *const p[8], size_t at)
{
#define B(i) load128(p[i] + at)
    return batch_join(batch_lanes128(B(0), B(2), B(4), B(6)),
                      batch_lanes128(B(1), B(3), B(5), B(7)));
#undef B
}

/* The next 16 bytes of each lane that has them, or less, filled up with zeros. Takes them off. */
PLAIT_INLINE ifma_limbs batch_some(ifma_limbs h, const uint8_t *p[8], size_t left[8],
                                   const ifma_power *r)
{
    unsigned there = 0;
    __m128i b0, b1, b2, b3, b4, b5, b6, b7;
#define B(i)                                                                                       \
    do {                                                                                           \
        const unsigned n = left[i] < 16 ? (unsigned)left[i] : 16;                                  \
        b##i =                                                                                     \
            _mm_maskz_loadu_epi8((__mmask16)_bzhi_u32(0xffff, n), n != 0 ? p[i] : wide_nothing);  \
        there |= (unsigned)(n != 0) << i;                                                          \
        left[i] -= n;                                                                              \
        p[i] = n != 0 ? p[i] + n : p[i];                                                           \
    } while (0)
    B(0);
    B(1);
    B(2);
    B(3);
    B(4);
    B(5);
    B(6);
    B(7);
#undef B
    return batch_step(h, (__mmask8)there,
                      batch_join(batch_lanes128(b0, b2, b4, b6), batch_lanes128(b1, b3, b5, b7)),
                      r);
}

/* Words w and w + 1 of the one-time keys of 8 jobs, as 64-bit numbers. */
PLAIT_INLINE __m512i batch_key64(const batch_work *work, int w, size_t first)
{
    const __m256i low = _mm256_load_si256((const __m256i *)(const void *)&work->keys[w][first]);
    const __m256i high =
        _mm256_load_si256((const __m256i *)(const void *)&work->keys[w + 1][first]);
    return _mm512_or_si512(_mm512_cvtepu32_epi64(low),
                           _mm512_slli_epi64(_mm512_cvtepu32_epi64(high), 32));
}

/* h mod p + s, to the tags. */
PLAIT_INLINE void batch_tags(ifma_limbs h, __m512i s0, __m512i s1, const plait_job *const *jobs,
                             size_t count)
{
    const __m512i m48 = ifma_set1(IFMA_M48), m34 = ifma_set1(IFMA_M34);
    __m512i g0, g1, g2, low, high, even, odd;
    __mmask8 k;
    /* carried twice, the second time from 2^130 on: h < 2^130 + 5 < 2 p */
    h.x1 = _mm512_add_epi64(h.x1, _mm512_srli_epi64(h.x0, 48));
    h.x0 = _mm512_and_si512(h.x0, m48);
    h.x2 = _mm512_add_epi64(h.x2, _mm512_srli_epi64(h.x1, 48));
    h.x1 = _mm512_and_si512(h.x1, m48);
    h.x0 = ifma_lo(h.x0, _mm512_srli_epi64(h.x2, 34), ifma_set1(5));
    h.x2 = _mm512_and_si512(h.x2, m34);
    h.x1 = _mm512_add_epi64(h.x1, _mm512_srli_epi64(h.x0, 48));
    h.x0 = _mm512_and_si512(h.x0, m48);
    h.x2 = _mm512_add_epi64(h.x2, _mm512_srli_epi64(h.x1, 48));
    h.x1 = _mm512_and_si512(h.x1, m48);
    /* h >= p  <=>  h + 5 >= 2^130 */
    g0 = _mm512_add_epi64(h.x0, ifma_set1(5));
    g1 = _mm512_add_epi64(h.x1, _mm512_srli_epi64(g0, 48));
    g2 = _mm512_add_epi64(h.x2, _mm512_srli_epi64(g1, 48));
    k = _mm512_cmpgt_epu64_mask(g2, m34);
    h.x0 = _mm512_mask_and_epi64(h.x0, k, g0, m48);
    h.x1 = _mm512_mask_and_epi64(h.x1, k, g1, m48);
    h.x2 = _mm512_mask_mov_epi64(h.x2, k, g2);
    low = _mm512_or_si512(h.x0, _mm512_slli_epi64(h.x1, 48));
    high = _mm512_or_si512(_mm512_srli_epi64(h.x1, 16), _mm512_slli_epi64(h.x2, 32));
    low = _mm512_add_epi64(low, s0);
    high = _mm512_add_epi64(high, s1);
    k = _mm512_cmplt_epu64_mask(low, s0);
    high = _mm512_mask_add_epi64(high, k, high, ifma_set1(1));
    even = _mm512_unpacklo_epi64(low, high);
    odd = _mm512_unpackhi_epi64(low, high);
#define TAG(i, x)                                                                                  \
    if (i < count) store128(jobs[i]->tag, _mm512_extracti32x4_epi32(x, i / 2));
    TAG(0, even)
    TAG(1, odd) TAG(2, even) TAG(3, odd) TAG(4, even) TAG(5, odd) TAG(6, even) TAG(7, odd)
#undef TAG
}

/* Powers of the lanes' r, in memory. */
typedef struct batch_powers {
    ifma_power p[4]; /* r, r^2, r^3, r^4 */
} batch_powers;

/* 64 bytes at p[i] + at of each lane that is there. (Loads of 64 bytes and transpositions of lanes
 * are eight operations less, but 24 of them want the same port at once: 97 cycles on Golden Cove,
 * this 83.) */
PLAIT_INLINE ifma_limbs batch_four(ifma_limbs h, __mmask8 there, const uint8_t *const p[8],
                                   size_t at, const batch_powers *r)
{
    ifma_sums a = ifma_zero();
    ifma_mul_add_mem(&a, batch_cut(batch_load(p, at + 16)), &r->p[2]);
    ifma_mul_add_mem(&a, batch_cut(batch_load(p, at + 32)), &r->p[1]);
    ifma_mul_add_mem(&a, batch_cut(batch_load(p, at + 48)), &r->p[0]);
    ifma_mul_add_mem(&a, ifma_add(h, batch_cut_narrow(batch_load(p, at))), &r->p[3]);
    return batch_carry(h, there, a);
}

/* The tags of the jobs `first` to `first` + 7, as far as there are that many. */
PLAIT_NOINLINE static void batch_poly1305(const batch_work *work, const plait_job *const *jobs,
                                          size_t first, size_t count, int sealing)
{
    const uint8_t *ad[8], *text[8];
    uint64_t ad_len[8] __attribute__((aligned(64))), len[8] __attribute__((aligned(64)));
    size_t ad_left[8], left[8], ad_most = 0, most = 0, least = SIZE_MAX, at;
    batch_powers r;
    ifma_limbs h, x;
    ifma_power p;
    batch_halves lengths;
    const size_t n = count - first < 8 ? count - first : 8;

    /* absent lanes do as the last job does, with nobody to see it */
    jobs += first;
    for (size_t i = 0; i < 8; i++) {
        const plait_job *job = jobs[i < n ? i : n - 1];
        ad[i] = job->ad;
        text[i] = sealing ? job->out : job->in;
        ad_len[i] = ad_left[i] = job->ad_len;
        len[i] = left[i] = job->len;
        ad_most = ad_left[i] > ad_most ? ad_left[i] : ad_most;
        most = left[i] > most ? left[i] : most;
        least = left[i] < least ? left[i] : least;
        __asm__ volatile(
            ""
            :
            :
            : "memory"); /* no vectors of pointers, which have to be taken apart again */
    }
    x = ifma_cut(_mm512_and_si512(batch_key64(work, 0, first), ifma_set1(0x0ffffffc0fffffff)),
                 _mm512_and_si512(batch_key64(work, 2, first), ifma_set1(0x0ffffffc0ffffffc)),
                 _mm512_setzero_si512());
    p = ifma_factor(x);
    r.p[0] = p;
    h.x0 = h.x1 = h.x2 = _mm512_setzero_si512();
    for (at = 0; at < ad_most; at += 16) h = batch_some(h, ad, ad_left, &r.p[0]);

    /* what all lanes have, whole; then by masks, for the rest of each */
    at = 0;
    if (most >= 16 * BATCH_FOUR_FROM) {
        x = ifma_carry(ifma_mul_add(ifma_zero(), x, p));
        r.p[1] = ifma_factor(x);
        r.p[2] = ifma_factor(ifma_carry(ifma_mul_add(ifma_zero(), x, p)));
        r.p[3] = ifma_factor(ifma_carry(ifma_mul_add(ifma_zero(), x, r.p[1])));
        for (; at + 64 <= least; at += 64) h = batch_four(h, 0xff, text, at, &r);
        if (most - at >= 64) {
            for (size_t i = 0; i < 8; i++) left[i] -= at, text[i] += at;
            most -= at;
            for (at = 0; most >= 64; most -= 64) {
                const uint8_t *q[8];
                unsigned there = 0;
                for (size_t i = 0; i < 8; i++) {
                    const unsigned now = left[i] >= 64;
                    q[i] = now ? text[i] : wide_nothing;
                    text[i] += now ? 64 : 0;
                    left[i] -= now ? 64 : 0;
                    there |= now << i;
                }
                h = batch_four(h, (__mmask8)there, q, 0, &r);
            }
            for (size_t i = 0; i < 8; i++) {
                most = left[i] > most ? left[i] : most;
                least = left[i] < least ? left[i] : least;
            }
        }
        wipe512(&r.p[1], sizeof r - sizeof r.p[0]);
    }
    for (; at + 16 <= least; at += 16) h = batch_step(h, 0xff, batch_load(text, at), &r.p[0]);
    if (at < most) {
        for (size_t i = 0; i < 8; i++)
            left[i] -= at, text[i] = left[i] != 0 ? text[i] + at : text[i];
        for (; at < most; at += 16) h = batch_some(h, text, left, &r.p[0]);
    }
    lengths.low = _mm512_load_si512(ad_len);
    lengths.high = _mm512_load_si512(len);
    h = batch_step(h, 0xff, lengths, &r.p[0]);
    wipe512(&r.p[0], sizeof r.p[0]);
    batch_tags(h, batch_key64(work, 4, first), batch_key64(work, 6, first), jobs, n);
}

/* ---- both ------------------------------------------------------------------------------------ */

PLAIT_NOINLINE static void batch_short(const plait_job *const *jobs, size_t count, int sealing)
{
    batch_work work;
    batch_lanes lanes[2], *now = &lanes[0], *next = &lanes[1];
    batch_place place = {0, 0}, done;
    size_t blocks = count, tags = 0; /* blocks that no lane has yet; jobs that have their tags */

    for (size_t i = 0; i < count; i++) blocks += batch_blocks(jobs[i]);
    now->end = blocks <= 16 ? 16 : 32;
    for (size_t i = 0; i < count; i++) batch_aside(&work, now, i, i, 0);
    /* Opening, nothing may be written before Poly1305 has seen it, and that needs this pass. */
    batch_fill(&work, now, count, &place, jobs, count, sealing);
    batch_words(&work, jobs, count);
    for (int first = 1;; first = 0) {
        batch_lanes *const this = now;
        done = place;
        blocks -= now->used;
        if (blocks != 0) {
            next->end = blocks <= 16 ? 16 : 32;
            batch_fill(&work, next, 0, &place, jobs, count, 1);
        }
        batch_pass(&work, this);
        if (first)
            for (size_t g = 0; g < this->end / 16; g++)
                for (int i = 0; i < 8; i++)
                    _mm512_store_si512(&work.keys[i][16 * g], _mm512_load_si512(work.start[g][i]));
        /* The last pass (blocks == 0) leaves nobody without a tag: jobs without text, to which
         * `place` did not come because all lanes were taken by first blocks.
         * Poly1305 takes a ciphertext when all of it is there, or before any of it goes, while it
         * is in the first-level cache. */
        if (sealing) {
            batch_apply(&work, this, jobs);
            for (; tags < count && (blocks == 0 || done.job == count || tags + 8 <= done.job);
                 tags += 8)
                batch_poly1305(&work, jobs, tags, count, sealing);
        } else {
            for (; tags < count && (blocks == 0 || tags <= place.job); tags += 8)
                batch_poly1305(&work, jobs, tags, count, sealing);
            batch_apply(&work, this, jobs);
        }
        if (blocks == 0) break;
        now = next;
        next = this;
    }
    /* What has secrets in registers is called, so that what a compiler spills is just below this
     * frame. */
    batch_burn();
    wipe512(&work, sizeof work);
    _mm256_zeroupper();
}

PLAIT_INLINE void batch_alone(const plait_job *job, int sealing)
{
    (sealing ? seal : open)(job->key, job->out, job->tag, job->iv, job->ad, job->ad_len, job->in,
                            job->len);
}

/* Sorts the jobs by length; those that are too long, and the longest of what makes no group, go
 * alone. */
PLAIT_INLINE void batch_run(const plait_job *jobs, size_t count, int sealing)
{
    while (count != 0) {
        const plait_job *sorted[BATCH_JOBS];
        const size_t now = count < BATCH_JOBS ? count : BATCH_JOBS;
        size_t n = 0;
        for (size_t i = 0; i < now; i++) {
            const plait_job *job = &jobs[i];
            if (job->len > BATCH_TEXT_MAX || job->ad_len > BATCH_AD_MAX) {
                batch_alone(job, sealing);
            } else {
                size_t at = n++;
                for (; at > 0 && sorted[at - 1]->len > job->len; at--) sorted[at] = sorted[at - 1];
                sorted[at] = job;
            }
        }
        if (n % 8 < BATCH_MIN)
            for (const size_t keep = n & ~(size_t)7; n > keep;) batch_alone(sorted[--n], sealing);
        if (n != 0) batch_short(sorted, n, sealing);
        jobs += now;
        count -= now;
    }
}

static void seal_batch(const plait_job *jobs, size_t count)
{
    batch_run(jobs, count, 1);
}
static void open_batch(const plait_job *jobs, size_t count)
{
    batch_run(jobs, count, 0);
}
