#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the constants of src/selftest.c, without Plait: by python3-cryptography (OpenSSL), and by big integers
where that has no such function (GHASH, HChaCha20), which are checked against it.

    tools/selftest_vectors.py           prints the block of constants
    tools/selftest_vectors.py --check   fails if src/selftest.c holds another block
    tools/selftest_vectors.py --write   puts the block into src/selftest.c
"""
import os
import struct
import sys

from cryptography.hazmat.primitives import poly1305
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

# ---- what selftest.c does as well: input bytes from a seed, 64 bits from output bytes

TEXT, KEY, AD, IV = 1, 2, 3, 4


def fill(n, seed):
    out = bytearray()
    for _ in range(n):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        out.append(seed >> 24)
    return bytes(out)


def fold(data):
    f = 0
    for i in range(0, len(data), 8):
        f ^= int.from_bytes(data[i : i + 8], "little")
        f = f * 0x9E3779B97F4A7C15 & (2**64 - 1)
        f ^= f >> 32
    return f


# ---- independent implementations


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def chacha20(data, key, nonce, counter):
    c = Cipher(algorithms.ChaCha20(key, struct.pack("<I", counter) + nonce), mode=None)
    return c.encryptor().update(data)


def mac(key, msg):
    return poly1305.Poly1305.generate_tag(key, msg)


def aes(key, blocks):
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(blocks)


def ctr32(key, block, data):
    n = (len(data) + 15) // 16
    c = int.from_bytes(block[12:], "big")
    blocks = b"".join(block[:12] + struct.pack(">I", (c + i) & 0xFFFFFFFF) for i in range(n))
    return xor(data, aes(key, blocks))


# GHASH's field: bit 0 is the most significant bit of the first byte; x^128 = x^7 + x^2 + x + 1
def bits(b):
    return int("{:0128b}".format(int.from_bytes(b, "big"))[::-1], 2)


def unbits(x):
    return int("{:0128b}".format(x)[::-1], 2).to_bytes(16, "big")


def mul(a, b):
    z = 0
    for i in range(128):
        if b >> i & 1:
            z ^= a << i
    for i in range(254, 127, -1):
        if z >> i & 1:
            z ^= (1 << i) ^ (0x87 << (i - 128))
    return z


def inverse(a):
    x, e = 1, 2**128 - 2
    while e:
        if e & 1:
            x = mul(x, a)
        a, e = mul(a, a), e >> 1
    return x


def ghash(h, data, acc=bytes(16)):
    h, acc = bits(h), bits(acc)
    data += bytes(-len(data) % 16)
    for i in range(0, len(data), 16):
        acc = mul(acc ^ bits(data[i : i + 16]), h)
    return unbits(acc)


def gcm(key, j0, ad, text):
    """SP 800-38D from a given J0."""
    h = aes(key, bytes(16))
    first = j0[:12] + struct.pack(">I", (int.from_bytes(j0[12:], "big") + 1) & 0xFFFFFFFF)
    out = ctr32(key, first, text)
    padded = ad + bytes(-len(ad) % 16) + out + bytes(-len(out) % 16)
    s = ghash(h, padded + struct.pack(">QQ", 8 * len(ad), 8 * len(out)))
    return out, xor(s, aes(key, j0))


def iv_for_j0(key, j0):
    """The 16-byte nonce that gives this J0: J0 = (IV H + 128) H."""
    h = inverse(bits(aes(key, bytes(16))))
    iv = unbits(mul(mul(bits(j0), h) ^ bits(struct.pack(">QQ", 0, 128)), h))
    # and the library agrees, which checks ghash, gcm and this function
    text, ad = fill(77, 99), fill(5, 98)
    out, tag = gcm(key, j0, ad, text)
    assert AESGCM(key).encrypt(iv, text, ad) == out + tag
    return iv


def hchacha20(key, nonce):
    """The first and last row of a block are those of the rounds plus the start state."""
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))
    block = chacha20(bytes(64), key, nonce[4:], start[12])
    words = struct.unpack("<16I", block)
    diff = [(w - s) & 0xFFFFFFFF for w, s in zip(words, start)]
    return struct.pack("<8I", *diff[:4], *diff[12:])


# ---- the constants


def hexes(b, indent="     "):
    rows = [", ".join("0x%02x" % x for x in b[i : i + 12]) for i in range(0, len(b), 12)]
    return "{" + (",\n" + indent + " ").join(rows) + "}"


def u64(x):
    return "UINT64_C(0x%016x)" % x


def block():
    out = []
    p = out.append

    key, nonce = fill(32, KEY), fill(12, IV)
    p("static const chacha20_case chacha20_cases[] = {")
    # 32 + 1 blocks of which the last is that of counter 2^32 - 1; then the narrower loops and tails
    for n, counter in ((2111, 0xFFFFFFDF), (1100, 1), (705, 0x7FFFFFFA), (448, 0), (250, 5), (63, 9)):
        p("    {%d, 0x%08x, %s}," % (n, counter, u64(fold(chacha20(fill(n, TEXT), key, nonce, counter)))))
    p("};")

    p("\nstatic const poly1305_case poly1305_cases[] = {")
    for n, ones in ((1055, 1), (2077, 0), (300, 0), (64, 1), (47, 0), (0, 0)):
        m = b"\xff" * n if ones else fill(n, TEXT)
        k = b"\xff" * 32 if ones else key
        p("    {%d, %d,\n     %s}," % (n, ones, hexes(mac(k, m))))
    p("};")

    wrap = b"\xff" * 12 + struct.pack(">I", 0xFFFFFFFA)
    p("\nstatic const aes_case aes_cases[] = {")
    for kl, n in ((16, 1100), (24, 300), (32, 700), (16, 33), (24, 16), (32, 7)):
        p("    {%d, %d, %s}," % (kl, n, u64(fold(ctr32(fill(kl, KEY), wrap, fill(n, TEXT))))))
    p("};")

    h = fill(16, KEY)
    p("\nstatic const ghash_case ghash_cases[] = {")
    for n in (1529, 240, 40):
        once = ghash(h, fill(n, TEXT))
        p("    {%d,\n     %s,\n     %s}," % (n, hexes(once), hexes(ghash(h, fill(n, TEXT), once))))
    p("};")

    ad = fill(37, AD)
    p("\nstatic const aead_case aes_gcm_cases[] = {")
    for kl, lens in ((16, (1565, 100, 13)), (24, (300, 100, 13)), (32, (700, 100, 13))):
        k = fill(kl, KEY)
        iv_for_j0(k, wrap)
        for n in lens:
            c, tag = gcm(k, wrap, ad, fill(n, TEXT))
            p("    {%d, %d, %s,\n     %s}," % (kl, n, u64(fold(c)), hexes(tag)))
    p("};")

    p("\nstatic const aead_case chacha20_poly1305_cases[] = {")
    for n in (2327, 100, 13):
        c = ChaCha20Poly1305(key).encrypt(nonce, fill(n, TEXT), ad)
        p("    {32, %d, %s,\n     %s}," % (n, u64(fold(c[:-16])), hexes(c[-16:])))
    p("};")

    p("\nstatic const api_case api_cases[] = {")
    text = fill(100, TEXT)
    for name, kl in (("AES_128_GCM", 16), ("AES_192_GCM", 24), ("AES_256_GCM", 32)):
        k = fill(kl, KEY)
        iv = iv_for_j0(k, b"\xff" * 15 + b"\xfe")
        c = AESGCM(k).encrypt(iv, text, ad)
        p("    {PLAIT_%s, %d, 16,\n     %s,\n     %s,\n     %s}," % (name, kl, hexes(iv), u64(fold(c[:-16])), hexes(c[-16:])))
    c = ChaCha20Poly1305(key).encrypt(nonce, text, ad)
    p("    {PLAIT_CHACHA20_POLY1305, 32, 12,\n     %s,\n     %s,\n     %s}," % (hexes(nonce), u64(fold(c[:-16])), hexes(c[-16:])))
    long = fill(24, IV)
    c = ChaCha20Poly1305(hchacha20(key, long[:16])).encrypt(bytes(4) + long[16:], text, ad)
    p("    {PLAIT_XCHACHA20_POLY1305, 32, 24,\n     %s,\n     %s,\n     %s}," % (hexes(long), u64(fold(c[:-16])), hexes(c[-16:])))
    p("};")
    return "\n".join(out) + "\n"


def check_self():
    # HChaCha20: the example of draft-irtf-cfrg-xchacha-03, 2.2.1
    key = bytes(range(32))
    nonce = bytes.fromhex("000000090000004a0000000031415927")
    want = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"
    assert hchacha20(key, nonce).hex() == want
    # GHASH: SP 800-38D's test case 2 (McGrew and Viega)
    h = bytes.fromhex("66e94bd4ef8a2c3b884cfa59ca342b2e")
    data = bytes.fromhex("0388dace60b6a392f328c2b971b2fe78") + struct.pack(">QQ", 0, 128)
    assert ghash(h, data).hex() == "f38cbb1ad69223dcc3457ae5b6b0f885"


BEGIN = "/* Begin of the output of tools/selftest_vectors.py. */\n/* clang-format off */\n"
END = "/* clang-format on */\n/* End of the output of tools/selftest_vectors.py. */\n"


def main(args):
    check_self()
    want = block()
    if args == []:
        sys.stdout.write(want)
        return 0
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "selftest.c")
    with open(path) as f:
        head, rest = f.read().split(BEGIN)
        have, tail = rest.split(END)
    if args == ["--check"]:
        print("src/selftest.c: constants %s" % ("as computed" if have == want else "DIFFER"))
        return 0 if have == want else 1
    if args == ["--write"]:
        with open(path, "w") as f:
            f.write(head + BEGIN + want + END + tail)
        return 0
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
