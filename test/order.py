#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is the order of instructions in the object code of the AArch64 kernels the one they are named for?

    order.py COMPILER OBJDUMP FOLDER

In the main loop of a kernel the distance of an instruction is how many instructions before it the
last one stands that wrote one of its operands: 1 is the neighbour. The loop is taken as a circle.

Prints a line per case and ends with "N passed, N failed".
"""
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tools"))
import model

REGISTER = re.compile(r"\b([vqxw])(\d+)\b")
# They read what they write.
ACCUMULATE = re.compile(r"(sli|sri|usra|umlal2?|aese|mov v\d+\.[bhsd]\[)")

# The loop's own counting and branching.
CONTROL = re.compile(r"(b|b\..*|cbn?z|tbn?z|subs?|cmp|nop)( |$)")


def registers(text):
    return [("v" if kind in "vq" else "x", int(number)) for kind, number in REGISTER.findall(text)]


def distances(loop):
    """For each arithmetic instruction of the loop its distance."""
    body = [i.text for i in loop if not CONTROL.match(i.text)]
    n, found = len(body), []
    for at, text in enumerate(body):
        operands = registers(text)
        sources = operands[1:] + (operands[:1] if ACCUMULATE.match(text) else [])
        best = None
        for back in range(1, n + 1):
            before = registers(body[(at - back) % n])
            if before and before[0] in sources:
                best = back
                break
        if best is not None:
            found.append(best)
    return found


def main():
    compiler, objdump, folder = sys.argv[1:4]
    passed = failed = 0

    def case(name, holds, told):
        nonlocal passed, failed
        passed, failed = passed + holds, failed + (not holds)
        print("%s %s: %s" % ("RUN      " if holds else "FAIL     ", name, told))

    kernels = os.path.join(model.ROOT, "src", "kernels")

    def loop_of(name, planted=None):
        path = os.path.join(kernels, name + ".c")
        if planted:
            with open(path, encoding="utf-8") as f:
                text = f.read()
            assert planted[0] in text
            path = os.path.join(folder, name + "_planted.c")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(*planted))
        return model.main_loop(objdump, model.compile_object(compiler + " -I" + kernels, path, folder))

    for layout in "block", "row":
        plain, other = (loop_of("chacha20_neon_%s%s" % (layout, end)) for end in ("", "_interleaved"))
        near, far = distances(plain), distances(other)
        share = sum(d == 1 for d in near) / len(near)
        case("chacha20_neon_%s" % layout, share >= 0.7,
             "%d %% of %d instructions wait for their neighbour" % (100 * share, len(near)))
        case("chacha20_neon_%s_interleaved" % layout, min(far) == 4,
             "whoever waits, waits for the instruction %d before or an earlier one" % min(far))
        lost = distances(loop_of("chacha20_neon_%s_interleaved" % layout,
                                 ("ORDER STEP_BY_STEP", "ORDER ONE_BY_ONE")))
        case("chacha20_neon_%s_interleaved" % layout, min(lost) != 4,
             "noticed when it is not interleaved: the shortest distance is %d" % min(lost))
        kinds = [collections.Counter(i.text.split()[0] for i in l) for l in (plain, other)]
        case("chacha20_neon_%s and chacha20_neon_%s_interleaved" % (layout, layout),
             kinds[0] == kinds[1], "the same %d instructions" % len(plain))
    for name, share in ("chacha20_neon_block_scalar", 0.95), ("chacha20_neon_wide", 1):
        loop = loop_of(name)
        far = distances(loop)
        apart = sum(d >= 4 for d in far) / len(far)
        case(name, apart >= share,
             "%d %% wait for the instruction 4 before or an earlier one" % (100 * apart))
        vectors = [at for at, i in enumerate(loop) if re.match(r"\S+ v", i.text)]
        alternate = sum(b - a == 2 for a, b in zip(vectors, vectors[1:])) / len(vectors)
        case(name, alternate >= 0.5,
             "%d %% of vector instructions are followed by one scalar one" % (100 * alternate))
    for name in "aes_gcm_neon_aes", "aes_gcm_neon_aes_sha3":
        loop = [i.text for i in loop_of(name)]
        products = [at for at, text in enumerate(loop) if text.startswith("pmull")]
        between = sum(any(t.startswith("aes") for t in loop[at - 2:at + 3]) for at in products)
        case(name, between == len(products) > 0,
             "%d of %d products stand between AES rounds" % (between, len(products)))
        pairs = sum(a.startswith("aese") and b.startswith("aesmc") and
                    registers(a)[0] == registers(b)[0] for a, b in zip(loop, loop[1:]))
        case(name, pairs == sum(t.startswith("aesmc") for t in loop) > 0,
             "%d AESMC follow their AESE" % pairs)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
