#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Makes the end of chacha20_poly1305.txt: messages whose sum, before the last reduction, is congruent
# to a number near p = 2^130 - 5. One block of the ciphertext is solved for, the nonce is the first
# of 1, 2, 3, ... with which it fits into 128 bits. Needs Python's cryptography, whose tag it writes.

import hashlib
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

P = 2 ** 130 - 5
KEY = bytes(range(32))


def keystream(nonce, length):
    start = (0).to_bytes(4, "little") + nonce
    return Cipher(algorithms.ChaCha20(KEY, start), None).encryptor().update(bytes(length))


def pad(data):
    return data + bytes(-len(data) % 16)


for length, at in ((16, 0), (48, 32), (100, 80), (304, 16), (576, 560), (1100, 1072), (2500, 2400)):
    for want in (-2, -1, 0, 1, 2, 3, 4, 5):
        number = 0
        while True:
            number += 1
            nonce = number.to_bytes(12, "little")
            stream = keystream(nonce, 64 + length)
            r = int.from_bytes(stream[:16], "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff
            stream = stream[64:]
            text = bytes(i % 256 for i in range(length))
            ad = bytes(range(length % 7))
            out = bytes(a ^ b for a, b in zip(text, stream))
            lengths = len(ad).to_bytes(8, "little") + length.to_bytes(8, "little")
            data = pad(ad) + pad(out) + lengths
            index = (len(pad(ad)) + at) // 16
            blocks = [2 ** 128 + int.from_bytes(data[i:i + 16], "little")
                      for i in range(0, len(data), 16)]
            blocks[index] = 0
            h = 0
            for b in blocks:
                h = (h + b) * r % P
            solved = (want - h) * pow(r, index - len(blocks), P) % P - 2 ** 128
            if 0 <= solved < 2 ** 128:
                break
        block = bytes(a ^ b for a, b in zip(solved.to_bytes(16, "little"), stream[at:at + 16]))
        text = text[:at] + block + text[at + 16:]
        sealed = ChaCha20Poly1305(KEY).encrypt(nonce, text, ad)
        h = 0
        for b in blocks[:index] + [solved + 2 ** 128] + blocks[index + 1:]:
            h = (h + b) * r % P
        s = int.from_bytes(keystream(nonce, 32)[16:], "little")
        assert h == want % P and sealed[-16:] == ((h + s) % 2 ** 128).to_bytes(16, "little")
        term = lambda data: " ".join(["count*256"] * (len(data) // 256) +
                                     ["count*%d" % (len(data) % 256)] * (len(data) % 256 > 0))
        rest = bytes(i % 256 for i in range(at + 16, length))
        print("key = count*32")
        print("nonce = " + nonce.hex())
        print("ad = count*%d" % len(ad) if ad else "ad =")
        print("in = " + " ".join(t for t in (term(text[:at]), block.hex(), rest.hex()) if t))
        print("sha = " + hashlib.sha256(sealed[:-16]).digest()[:8].hex())
        print("tag = " + sealed[-16:].hex())
        print()
