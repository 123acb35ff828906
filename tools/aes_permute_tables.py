#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derives the tables of src/kernels/aes_permute_body.h from the AES field alone.

    tools/aes_permute_tables.py [--check]

Writes them between the two marked lines of the file, after running AES in the same representation against
FIPS 197's examples. With --check nothing is written; exits 1 if the file holds anything else.

Method: M. Hamburg, "Accelerating AES with Vector Permute Instructions", CHES 2009. A byte is written as
k + i t over GF(2^4), where t^2 + a t + a = 0, low nibble k, high nibble i; see the kernel for the formulas.
"""
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().parent.parent / "src/kernels/aes_permute_body.h"
BEGIN = "/* ---- tables: made by tools/aes_permute_tables.py ---- */\n/* clang-format off */\n"
END = "/* clang-format on */\n/* ---- end of tables ---- */\n"
INF = 0x80  # the inverse of zero: PSHUFB gives 0 for it, and xor with a nibble leaves it what it is


def mul(x, y):
    """In AES's field, GF(2)[X] / (X^8 + X^4 + X^3 + X + 1)."""
    p = 0
    while y:
        p ^= x * (y & 1)
        x = (x << 1) ^ (0x11b if x & 0x80 else 0)
        y >>= 1
    return p


def inverse(x):
    return next(y for y in range(256) if mul(x, y) == 1) if x else 0


def affine(x):
    """The linear part of SubBytes; the constant 0x63 goes into the round keys."""
    return x ^ rotl8(x, 1) ^ rotl8(x, 2) ^ rotl8(x, 3) ^ rotl8(x, 4)


def rotl8(x, n):
    return ((x << n) | (x >> (8 - n))) & 0xff


# GF(2^4) inside of GF(2^8): the elements with x^16 = x; as nibbles over the powers of the smallest w with
# w^4 = w + 1.
def power(x, n):
    p = 1
    for _ in range(n):
        p = mul(p, x)
    return p


W = next(w for w in range(2, 256) if power(w, 4) == w ^ 1)
ELEMENT = [0] * 16  # nibble -> element of GF(2^8)
for n in range(16):
    for bit in range(4):
        if n >> bit & 1:
            ELEMENT[n] ^= power(W, bit)
NIBBLE = {e: n for n, e in enumerate(ELEMENT)}
assert sorted(NIBBLE) == [x for x in range(256) if power(x, 16) == x]

# The smallest a for which t^2 + a t + a has its roots outside of GF(2^4), and the smallest root.
A, T = next((a, t) for a in ELEMENT[1:] for t in range(256)
            if t not in NIBBLE and mul(t, t) ^ mul(a, t) ^ a == 0)
TO_BYTE = [ELEMENT[b & 15] ^ mul(ELEMENT[b >> 4], T) for b in range(256)]  # from (i << 4 | k)
FROM_BYTE = [0] * 256
for b, e in enumerate(TO_BYTE):
    FROM_BYTE[e] = b
assert sorted(TO_BYTE) == list(range(256))


def nibble_op(f):
    return [NIBBLE[f(ELEMENT[n])] for n in range(16)]


INV = [INF] + nibble_op(inverse)[1:]
INVA = [INF] + nibble_op(lambda x: mul(A, inverse(x)))[1:]
IN_LO = [FROM_BYTE[n] for n in range(16)]
IN_HI = [FROM_BYTE[n << 4] for n in range(16)]


def output_tables(f):
    """For the nibbles io and jo: f of the inverse as the xor of two look-ups. With u = 1/io, v = 1/jo the
    inverse is u + (u + (u + v)/a)/a t, where 1/0 counts as 0."""
    a1 = inverse(A)
    u = [inverse(ELEMENT[n]) for n in range(16)]
    return ([f(x ^ mul(mul(x ^ mul(x, a1), a1), T)) for x in u], [f(mul(mul(mul(x, a1), a1), T)) for x in u])


SUB_U, SUB_V = output_tables(lambda x: FROM_BYTE[affine(x)])
SUB2_U, SUB2_V = output_tables(lambda x: FROM_BYTE[mul(2, affine(x))])
OUT_U, OUT_V = output_tables(affine)


# Positions: byte 4 column + row. ShiftRows moves byte SR[p] to p. The state of round r has at p the byte
# PI[r][p] of the true one, PI[r] = SR^-r: no byte moves for ShiftRows, MixColumns' rotations move with it.
SR = [4 * ((p // 4 + p % 4) % 4) + p % 4 for p in range(16)]


def inverse_permutation(p):
    return [p.index(q) for q in range(16)]


PI = [list(range(16))]
for r in range(3):
    PI.append([inverse_permutation(SR)[q] for q in PI[r]])


def rotation(r, n):
    """Where round r's state has the byte n rows on, in the same column."""
    back = inverse_permutation(PI[r])
    return [back[q // 4 * 4 + (q + n) % 4] for q in PI[r]]


FORWARD = [rotation(r, 1) for r in range(4)]
BACKWARD = [rotation(r, 3) for r in range(4)]
UNSHIFT = [inverse_permutation(PI[r]) for r in range(4)]


# ---- a run of AES in this representation -------------------------------------------------------------

def look(table, x):
    return 0 if x & 0x80 else table[x & 15]


def nibbles(x):
    i, k = x >> 4, x & 15
    j = i ^ k
    ak = look(INVA, k)
    return look(INV, look(INV, i) ^ ak) ^ j, look(INV, look(INV, j) ^ ak) ^ i


def sub(x, u, v):
    io, jo = nibbles(x)
    return look(u, io) ^ look(v, jo)


def to_inside(x):
    return IN_LO[x & 15] ^ IN_HI[x >> 4]


def sbox(x):
    return sub(to_inside(x), OUT_U, OUT_V) ^ 0x63


def encrypt(key, block):
    n = len(key) // 4
    rounds = n + 6
    w = [list(key[4 * i:4 * i + 4]) for i in range(n)]
    rcon = 1
    for i in range(n, 4 * rounds + 4):
        t = list(w[-1])
        if i % n == 0:
            t = [sbox(x) for x in t[1:] + t[:1]]
            t[0] ^= rcon
            rcon = mul(rcon, 2)
        elif n == 8 and i % n == 4:
            t = [sbox(x) for x in t]
        w.append([x ^ y for x, y in zip(w[i - n], t)])
    keys = [sum(w[4 * r:4 * r + 4], []) for r in range(rounds + 1)]
    s = [to_inside(x ^ y) for x, y in zip(block, keys[0])]
    for r in range(1, rounds):
        m = r % 4
        key_r = [to_inside(keys[r][q] ^ 0x63) for q in PI[m]]
        a = [sub(x, SUB_U, SUB_V) for x in s]
        c = [sub(x, SUB2_U, SUB2_V) ^ a[q] for x, q in zip(s, FORWARD[m])]
        s = [c[p] ^ c[FORWARD[m][p]] ^ a[BACKWARD[m][p]] ^ key_r[p] for p in range(16)]
    s = [sub(x, OUT_U, OUT_V) for x in s]
    return bytes(s[q] ^ 0x63 ^ k for q, k in zip(UNSHIFT[rounds % 4], keys[rounds]))


def check():
    assert all(sbox(x) == affine(inverse(x)) ^ 0x63 for x in range(256))
    block = bytes(17 * i for i in range(16))
    for n, want in ((16, "69c4e0d86a7b0430d8cdb78070b4c55a"), (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
                    (32, "8ea2b7ca516745bfeafc49904b496089")):  # FIPS 197, appendix C
        assert encrypt(bytes(range(n)), block).hex() == want


# ---- output ------------------------------------------------------------------------------------------

def c_array(name, what, rows):
    out = [f"/* {line} */\n" for line in what]
    dim = f"[{len(rows)}][16]" if len(rows) > 1 else "[16]"
    out.append(f"static const uint8_t {name}{dim} = {{\n")
    for row in rows:
        values = [f"0x{x:02x}" for x in row]
        text = ", ".join(values[:8]) + ",\n     " + ", ".join(values[8:])
        out.append(f"    {{{text}}},\n" if len(rows) > 1 else f"     {text}}};\n")
    if len(rows) > 1:
        out.append("};\n")
    return "".join(out)


def tables():
    return "".join([
        c_array("table_inv", ["n -> 1/n"], [INV]),
        c_array("table_inva", [f"n -> a/n, a = 0x{NIBBLE[A]:x}"], [INVA]),
        c_array("table_in", ["From a byte's low and high nibble to k + i t"], [IN_LO, IN_HI]),
        c_array("table_sub", ["From io and jo to SubBytes without its constant, in the form k + i t"],
                [SUB_U, SUB_V]),
        c_array("table_sub2", ["The same, times 2 in AES's field"], [SUB2_U, SUB2_V]),
        c_array("table_out", ["From io and jo to SubBytes without its constant, as a byte"], [OUT_U, OUT_V]),
        c_array("table_place", ["Which true byte stands at each place of the state, by round mod 4"], PI),
        c_array("table_forward", ["Where the next byte of its column stands"], FORWARD),
        c_array("table_backward", ["Where the byte before stands"], BACKWARD),
        c_array("table_unshift", ["From the places of the last round to the true ones"], UNSHIFT),
    ])


def main():
    check()
    text = FILE.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    new = head + BEGIN + tables() + END + tail
    if "--check" in sys.argv[1:]:
        if new != text:
            sys.exit(f"{FILE}: tables differ from what tools/aes_permute_tables.py makes")
    elif new != text:
        FILE.write_text(new)


if __name__ == "__main__":
    main()
