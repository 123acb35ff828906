#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Do the limbs of Poly1305 fit their words? Interval arithmetic with exact integers (upper ends; all numbers are
# unsigned) over each representation, to the fixed point of its loop. Carry chains, numbers of deferred products and
# shifts are read from the kernels' source; the bounds that docs/MATH.md states are asserted beside those that come out,
# and their text has to stand there. Then each computation is done again with something worse, which has to overflow:
# a carry less, more products between carries, a block more.

import os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def source(name):
    return open(os.path.join(ROOT, name)).read()


MATH = re.sub(r"\s+", " ", source("docs/MATH.md"))


class Overflow(Exception):
    pass


def fits(x, bits, what):
    if x >> bits:
        raise Overflow("%s: 2^%.2f does not fit %d bits" % (what, lg(x + 1), bits))
    return x


def lg(x):
    import math
    return math.log2(x)


def below(x, power, what):
    """x < 2^power, where power may be a fraction, as a document states it"""
    if lg(x + 1) > power + 0.001:
        raise Overflow("%s: 2^%.3f, where 2^%s is stated" % (what, lg(x + 1), power))


def stated(text):
    if re.sub(r"\s+", " ", text) not in MATH:
        raise AssertionError("docs/MATH.md does not say: " + text)


# ---- radix 2^64: poly1305_64_body.h, poly1305_mulx_body.h (avx2 and avx512 for short pieces), aarch64 scalar

def radix64(text, h2_start=9, absorbed=1):
    m64 = (1 << 64) - 1
    r = (1 << 60) - 1
    r1 = r & ~3
    s1 = r1 + (r1 >> 2)
    h2 = h2_start
    for _ in range(3):
        d0 = fits(m64 * r + m64 * s1, 128, "d0")
        d1 = fits(m64 * r1 + m64 * r + h2 * s1, 128, "d1")
        below(d0, 126, "d0")
        below(d1, 126, "d1")
        d2 = fits(h2 * r + (d1 >> 64), 64, "d2")
        assert d2 < 11 << 60 or h2 > 9
        fold = fits((d2 >> 2) + (d2 & ~3), 64, "fold")
        # the sum of 128 bits and three summands: low parts, m, and the carries with the fold
        total = m64 * (1 << 64) + m64 + absorbed * ((1 << 128) - 1) + ((d0 >> 64) << 64) + fold
        h2 = 3 + absorbed + (total >> 128)
        if h2 > 9:
            raise Overflow("h2 may become %d" % h2)
    assert h2 <= 6
    stated("h0, h1 < 2^64, h2 <= 9")
    stated("<= 9 (2^60 - 1) + 2 2^60 < 11 2^60 < 2^64")
    stated("<= 3 + 1 + 2 = 6 <= 9")
    # the code says so too, in debug builds
    assert "PLAIT_BOUND(h[2] <= 6)" in text or "PLAIT_BOUND(h2 <= 6)" in text or "PLAIT_BOUND(h.h2 <= 6)" in text


# ---- the step of chacha20_poly1305_avx2.c: h2 s1 in the upper word of h1 s1, without a carry from it

def fused64(text, h2=9):
    assert "addq %%r11, %%rsi" in text and "adcq %%rsi, %%r9" in text
    m64 = (1 << 64) - 1
    r = (1 << 60) - 1
    r1 = r & ~3
    s1 = r1 + (r1 >> 2)
    for _ in range(3):
        upper = fits((m64 * s1 >> 64) + h2 * s1, 64, "h1 s1 and h2 s1")
        below(upper, 63.7, "h1 s1 and h2 s1")
        fits((m64 * r >> 64) + upper + 1, 64, "the same and h0 r0")
        top = fits((m64 * r1 >> 64) + (m64 * r >> 64) + 1 + h2 * r, 64, "top")
        fits(5 * (top >> 2), 64, "5 floor(top / 4)")
        h2 = 3 + 1 + 1 + 1  # what is kept, two carries, 2^128
    assert h2 <= 9


# ---- radix 2^26 in words: poly1305_26_body.h

def radix26(text, blocks_between=1, clamped=True):
    m = (1 << 26) - 1
    r = [m, m, m, m, (1 << 20) - 1] if clamped else [(1 << 28) - 1] * 5
    s = [5 * x for x in r]
    for x in s:
        fits(x, 32, "5 r")
    # The carries of the source: d1 += d0 >> 26 ... and the last one into h1.
    chain = re.findall(r"d(\d) \+= d(\d) >> 26", text)
    assert chain == [("1", "0"), ("2", "1"), ("3", "2"), ("4", "3")], chain
    h = [m, m, m, m, (1 << 27) - 1]
    pad4 = 1 << 24
    for _ in range(6):
        for _ in range(blocks_between):
            h = [fits(a + b, 32, "h + m") for a, b in zip(h, [m, m, m, m, (1 << 24) - 1 + pad4])]
        d = [fits(sum(h[j] * (r[i - j] if j <= i else s[5 + i - j]) for j in range(5)), 64, "d%d" % i) for i in range(5)]
        if blocks_between == 1 and clamped:
            for i in range(4):
                below(d[i], 59, "d%d" % i)
        for i in range(4):
            d[i + 1] = fits(d[i + 1] + (d[i] >> 26), 64, "d%d" % (i + 1))
        h0 = fits(m + (d[4] >> 26) * 5, 32, "5 floor(d4 / 2^26) + h0")
        h = [m, m + (h0 >> 26), m, m, m]
    assert h[1] <= m + (1 << 6)
    stated("h1 < 2^27 + 2^6")
    stated("five products, each < 5/4 2^27 5 2^26 < 2^56: < 2^59 < 2^64")
    stated("new h1 | < 2^26 + floor(2^32 / 2^26) = 2^26 + 2^6")


# ---- words times powers: poly1305_words_body.h (avx2, avx512)

def carry26(d, chain):
    """Carries (i, j): limb i moves what is above 26 bits to j; from 4 to 0 five times."""
    m = (1 << 26) - 1
    d = list(d)
    for i, j in chain:
        c = d[i] >> 26
        d[i] = min(d[i], m)
        d[j] = fits(d[j] + (5 * c if (i, j) == (4, 0) else c), 64, "carry %d to %d" % (i, j))
    return d


def words(text, vectors=None, drop=None):
    m = (1 << 26) - 1
    body = text[text.index("PLAIT_INLINE wide_limbs wide_carry"):]
    body = body[:body.index("\n}")]
    chain = []
    for line in body.splitlines():
        found = re.search(r"WIDE_CARRY\(h, (\d), (\d)\)", line)
        if found:
            chain.append((int(found.group(1)), int(found.group(2))))
        elif "c = v_shr(h.x[4], 26)" in line:
            chain.append((4, 0))
    assert len(chain) == 7, chain
    if drop is not None:
        del chain[drop]
    e = vectors or int(re.search(r"wide_row row\[(\d+)\]", text).group(1))

    def up(a):
        top, over = fits(5 * a[4], 64, "top"), a[3] >> 20
        return [m + 5 * over, m + (top >> 20), m + (a[0] >> 20), m + (a[1] >> 20), m + (a[2] >> 20)]

    def mul(a, p, d=(0,) * 5):
        s = [5 * x for x in p]
        for x in list(a) + list(p) + s:
            fits(x, 32, "a factor of vpmuludq")
        return [fits(d[i] + sum(a[j] * (p[i - j] if j <= i else s[5 + i - j]) for j in range(5)), 64, "d%d" % i) for i in range(5)]

    widest = lambda a, b: [max(x, y) for x, y in zip(a, b)]
    # r and r^2 as cut (their third word is at most 4), in the row for the last vector; powers after a carry in others.
    cut = [m, m, m, m, 5 * (1 << 24) - 1]
    power = cut
    carried = [0] * 5
    for _ in range(6):
        carried = widest(carried, carry26(mul(power, power), chain))
        power = widest(power, carried)
    h = widest([m, m, m, m, (1 << 27) - 1], power)

    def row_of(a):
        rows = [a]
        for _ in range(4):
            rows.append(up(rows[-1]))
        low = [max(x[i] for x in rows[:4]) for i in range(5)]
        for x in low:
            fits(x, 32, "a row")
        return [2 * ((1 << 32) - 1) * x + pad for x, pad in zip(low, rows[4])]

    run = [a + (e - 1) * b for a, b in zip(row_of(power), row_of(carried))]
    for _ in range(6):
        sums = mul(h, power, [fits(x, 64, "a sum of a run") for x in run])
        after = carry26(sums, chain)
        h = widest(h, after)
    if vectors is None and drop is None:
        for x in sums:
            below(x, 62.3, "a lane's sum")
    assert vectors or drop is not None or (after[0] <= m and after[2] <= m and after[3] <= m), after
    if after[1] >= m + (1 << 13) or after[4] >= m + (1 << 11) or max(after[0], after[2], after[3]) > m:
        raise Overflow("after the carry: " + " ".join("2^%.2f" % lg(x) for x in after))
    for x in (after[0] + (after[1] << 26), after[2] + (after[3] << 26), after[4]):
        fits(8 * x, 64, "the sum of eight lanes")
    stated("below 2^62.3. The carry, 0 to 1, 3 to 4, 1 to 2, 4 to 0 (times 5), 2 to 3, 0 to 1, 3 to 4, leaves x0, x2, x3 <= M, "
           "x1 < M + 2^13, x4 < M + 2^11")


# ---- limbs at bits 0, 48 and 96: poly1305_avx512_ifma_body.h

def ifma(text, groups=None, carried=True):
    number = lambda pattern: int(re.search(pattern, text).group(1))
    g = groups or number(r"#define IFMA_GROUPS (\d+)")
    b48, b34 = number(r"IFMA_M48 \(\(INT64_C\(1\) << (\d+)\)"), number(r"IFMA_M34 \(\(INT64_C\(1\) << (\d+)\)")
    up2 = number(r"t2 = _mm512_slli_epi64\(m\.x2, (\d+)\)")
    fold = number(r"top = ifma_set1\(INT64_C\(5\) << (\d+)\)")
    assert up2 == 3 * 48 - 130 and fold == 148 - 130 and (b48, b34) == (48, 34)
    m48, m34, m52 = (1 << b48) - 1, (1 << b34) - 1, (1 << 52) - 1

    def factor(x, what):
        return fits(x, 52, what)

    def multiply(a, x, p):
        r0, r1, r2 = p
        s1, s2 = 5 * r1, (5 * r2) << up2
        t2 = x[2] << up2
        for i, y in enumerate((x[0], x[1], x[2], t2, r0, r1, r2, s1, s2)):
            factor(y, "factor %d of vpmadd52" % i)
        hi = lambda u, v: (u * v) >> 52
        lo = [a[0] + 3 * m52, a[1] + 3 * m52, a[2] + 3 * m52]
        his = [a[3] + hi(x[0], r0) + hi(x[1], s2) + hi(t2, s1), a[4] + hi(x[0], r1) + hi(x[1], r0) + hi(x[2], s2),
               a[5] + hi(x[0], r2) + hi(x[1], r1) + hi(x[2], r0)]
        return [fits(y, 64, "a sum") for y in lo + his]

    def folded(a):
        top = 5 << fold
        factor(a[5], "hi2")
        d0 = fits(a[0] + m52, 64, "d0")
        d1 = fits(a[1] + ((a[3] + ((a[5] * top) >> 52)) << 4), 64, "d1")
        d2 = fits(a[2] + (a[4] << 4), 64, "d2")
        return d0, d1, d2

    def carry(d):
        back = 5 * (d[2] >> b34)
        factor(back, "what comes back")
        return [m48 + back, m48 + (d[0] >> b48), m34 + (d[1] >> b48)]

    widest = lambda a, b: [max(x, y) for x, y in zip(a, b)]
    # A block's limbs do not have to be below 2^48: limb 0 keeps 52 bits. h is added to narrow ones.
    block, narrow = (m52, m48, (1 << 33) - 1), (m48, m48, (1 << 33) - 1)
    power = [m48, m48, (5 << 32) - 1]
    for _ in range(4):
        power = widest(power, carry(folded(multiply([0] * 6, power, power))))
    h = [m48, m48, (1 << 35) - 1]
    first = True
    for _ in range(6):
        a = multiply([0] * 6, [x + y for x, y in zip(h, narrow)], power)
        for _ in range(g - 1):
            a = multiply(a, block, power)
        d = folded(a)
        for x in d:
            fits(8 * x, 64, "the sum of eight lanes")
        h = carry(d) if carried else list(d)
    if groups is None:
        for x, p in zip(d, (55.8, 56.3, 56)):
            below(x, p, "d")
        for x, p in zip(h, (48.1, 48.1, 34.1)):
            below(x, p, "h")
        for x, p in zip(a, (55.6, 55.6, 55.6, 50.7, 49.8, 46.4)):
            below(x, p, "four products")
    stated("lo < 2^55.6, hi0 < 2^50.7, hi1 < 2^49.8, hi2 < 2^46.4")
    stated("d0 < 2^55.8, d1 < 2^56.3, d2 < 2^56; eight lanes added < 2^59.4")


# ---- radix 2^26 in lanes: poly1305_neon.c

def neon(text, products=2, drop=None):
    m = (1 << 26) - 1
    asm = text[text.index("static chain both("):text.index("/* clang-format on */")]
    chain = []
    for found in re.finditer(r"CARRY\((\d+), (\d+), \d+, \d+\)|CARRY_ROUND2?\b", asm):
        if found.group(1):
            chain.append((int(found.group(1)) - 10, int(found.group(2)) - 10))
        elif found.group() == "CARRY_ROUND":
            chain.append((4, 0))
    assert len(chain) == 7, chain
    if drop is not None:
        del chain[drop]
    block = [m, m, m, m, (1 << 24) - 1 + (1 << 24)]
    r = [m, m, m, m, (5 << 24) - 1]  # a power: its third word is at most 4
    s = [5 * x for x in r]
    for x in s:
        fits(x, 32, "5 r")
    x = [0] * 5
    for _ in range(6):
        xb = [fits(a + b, 32, "x + b") for a, b in zip(x, block)]
        first = [fits(a + b, 32, "a") for a, b in zip(block, [m, m, m, m, (1 << 27) - 1])]  # h of the state in it
        term = lambda y: [sum(y[j] * (r[i - j] if j <= i else s[5 + i - j]) for j in range(5)) for i in range(5)]
        sums = [fits(a + (products - 1) * b, 64, "sum %d" % i) for i, (a, b) in enumerate(zip(term(xb), term(first)))]
        if drop is None and products == 2:
            for y in sums:
                below(y, 59.7, "a sum")
        x = carry26(sums, chain)
        for y in x:
            fits(y, 32, "x, narrowed")
        if drop is None and max(x) >= (1 << 26) + (1 << 11):
            raise Overflow("x after the carry: 2^%.3f" % lg(max(x)))
    end = [fits(4 * y, 64, "four lanes") for y in term(xb)]
    if drop is not None and max(x) >= (1 << 26) + (1 << 11):
        raise Overflow("x after the carry: 2^%.3f" % lg(max(x)))
    for y in end:
        below(y, 60.3, "four lanes added")


# ---- the final reduction (poly1305_emit)

def emit(h2_bits=61):
    h2 = (1 << h2_bits) - 1
    once = (1 << 130) - 1 + 5 * (h2 >> 2)
    fits(5 * (h2 >> 2), 64, "5 floor(h / 2^130)")
    if once >= 2 * ((1 << 130) - 5):
        raise Overflow("2 p or more is left")
    fits(once + 5, 131, "h' + 5")
    stated("so h' < 2^130 + 5 2^59 < 2 p")


failures = passed = 0


def case(name, call, worse=False):
    global failures, passed
    try:
        call()
        error = None
    except (Overflow, AssertionError) as e:
        error = e
    good = isinstance(error, Overflow) if worse else error is None
    passed += good
    failures += not good
    print("%-9s %s%s" % ("RUN" if good else "FAIL", name, " (%s)" % error if error else ""))


K = "src/kernels/"
for f in ("poly1305_64_body.h", "poly1305_mulx_body.h", "poly1305_aarch64_body.h"):
    case(f + ": radix 2^64", lambda: radix64(source(K + f)))
    case(f + ", worse: two blocks added to a product", lambda: radix64(source(K + f), absorbed=5), True)
    case(f + ", worse: h2 of 40 at the start", lambda: radix64(source(K + f), h2_start=40), True)
tf = source(K + "chacha20_poly1305_avx2.c")
case("chacha20_poly1305_avx2.c: radix 2^64, a carry less", lambda: fused64(tf))
case("chacha20_poly1305_avx2.c, worse: h2 of 13 at the start", lambda: fused64(tf, h2=13), True)
t26 = source(K + "poly1305_26_body.h")
case("poly1305_26_body.h: radix 2^26", lambda: radix26(t26))
case("poly1305_26_body.h, worse: fifty blocks before a carry", lambda: radix26(t26, blocks_between=50), True)
case("poly1305_26_body.h, worse: r in limbs of 28 bits", lambda: radix26(t26, clamped=False), True)
tw = source(K + "poly1305_words_body.h")
case("poly1305_words_body.h: words times powers", lambda: words(tw))
case("poly1305_words_body.h, worse: runs of 64 vectors", lambda: words(tw, vectors=64), True)
for i in range(7):
    case("poly1305_words_body.h, worse: without carry %d" % i, lambda: words(tw, drop=i), True)
ti = source(K + "poly1305_avx512_ifma_body.h")
case("poly1305_avx512_ifma_body.h: limbs at 0, 48, 96", lambda: ifma(ti))
case("poly1305_avx512_ifma_body.h, worse: 4096 groups before a carry", lambda: ifma(ti, groups=4096), True)
case("poly1305_avx512_ifma_body.h, worse: a run without a carry", lambda: ifma(ti, carried=False), True)
tn = source(K + "poly1305_neon.c")
case("poly1305_neon.c: radix 2^26 in lanes", lambda: neon(tn))
case("poly1305_neon.c, worse: fifty groups before a carry", lambda: neon(tn, products=50), True)
for i in range(7):
    case("poly1305_neon.c, worse: without carry %d" % i, lambda: neon(tn, drop=i), True)
case("poly1305_emit: the final reduction, h[2] < 2^61", lambda: emit())
case("poly1305_emit, worse: h[2] < 2^66", lambda: emit(66), True)
print("%d passed, %d failed" % (passed, failures))
sys.exit(failures != 0)
