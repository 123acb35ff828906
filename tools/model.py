#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of the AArch64 kernels by model: llvm-mca on the loops of the object code, and on the
instructions that a whole call executes.

    tools/model.py                       loops: cycles per byte, kernel by CPU model
    tools/model.py --size 64,1024,16384  whole calls of these lengths: cycles per byte
    tools/model.py --count 64,1024       instructions executed per byte (no model: counted by QEMU)

Needs llvm-mca and llvm-objdump (Debian: llvm-19, whose models of Neoverse, Ampere and Cortex-A510
LLVM 14 has not), an AArch64 compiler (gcc-aarch64-linux-gnu, or clang), and for --size and --count
qemu-user-static and a static AArch64 libc (gcc-aarch64-linux-gnu brings it).

A model is a table of latencies and pipes. It does not see caches, the limits of issue queues, fusion
of instructions, or the clock. Out-of-order models look as far ahead as their reorder buffer, so the
order of instructions hardly matters to them; the in-order ones (cortex-a55, cortex-a510) show it.
"""
import argparse
import heapq
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CPUS = "cortex-a72,cortex-a55,neoverse-n1,neoverse-v1,neoverse-n2,apple-m1,apple-m1+,ampere1"
HEADING = {"chacha20": "ChaCha20", "poly1305": "Poly1305", "aes": "AES-CTR", "ghash": "GHASH",
           "aes_gcm": "AES-GCM", "chacha20_poly1305": "ChaCha20-Poly1305"}

# Other kernels that a kernel calls.
CALLS = {"chacha20_poly1305_neon": ["poly1305_neon"]}

# Bitsliced: three of the nine rounds that are alike.
ROUND_BY_ROUND = {("aes", "neon"): 3 / 9}

# Known faults of a model, as replacements of an instruction by one that the model prices right. A CPU
# with a plus sign behind is the model with the replacements of its prefix.
#   Apple: LLVM has one table for all (Cyclone, of the A7, with three vector pipes where the M1 has
#   four), and llvm-mca takes the plain `add w, w, w` and `eor w, w, w` for their shifted forms, which
#   have the same encoding class: 2 cycles and one pipe of two, where the table says 1 cycle and four
#   pipes for the plain ones. adc is priced as those.
REPLACE = {
    "apple": [(r"^(add|eor|orr|and|sub)(\s+([wx])\d+, \3\d+, \3\d+)$", r"adc\2")],
}


def fail(text):
    sys.exit("model.py: " + text)


def tool(*names):
    for name in names:
        if shutil.which(name):
            return name
    fail("none of %s found (Debian: apt-get install llvm-19)" % ", ".join(names))


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        fail("%s: %s" % (" ".join(command[:4]), done.stderr.strip()[:400]))
    return done.stdout


def rows():
    """Every (family, isa) of kernels.def whose file is for AArch64, with its width."""
    found = []
    with open(os.path.join(ROOT, "src", "kernels.def"), encoding="utf-8") as f:
        for family, isa in re.findall(r"^PLAIT_ROW\((\w+), (\w+)\)", f.read(), re.M):
            if family == "family":
                continue
            path = os.path.join(ROOT, "src", "kernels", "%s_%s.c" % (family, isa))
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as source:
                text = source.read()
            if "PLAIT_BUILD_AARCH64" not in text:
                continue
            for body in re.findall(r'#include "(\w+\.h)"', text):
                with open(os.path.join(os.path.dirname(path), body), encoding="utf-8") as source:
                    text += source.read()
            width = re.search(r"\.width = (\d+)", text)
            found.append((family, isa, int(width.group(1)), path))
    return found


class Instruction:
    def __init__(self, address, text, target):
        self.address, self.text, self.target = address, text, target


def disassemble(objdump, path):
    """Functions of an object or program: name -> list of instructions."""
    functions, current = {}, None
    llvm = ["--mattr=+all"] if "llvm" in objdump else []
    for line in run([objdump, "-d", "--no-show-raw-insn"] + llvm + [path]).splitlines():
        head = re.match(r"^([0-9a-f]+) <(.+)>:$", line)
        if head:
            current = functions.setdefault(head.group(2), [])
            continue
        body = re.match(r"^\s*([0-9a-f]+):\s+(.*?)(?:\s*//.*)?$", line)
        if body and current is not None:
            text = body.group(2).strip().replace("\t", " ")
            target = re.search(r"(?:0x|\b)([0-9a-f]+) <", text) if re.match(r"(b|cb|tb)", text) else None
            text = re.sub(r"\s*<.*>", "", text)
            current.append(Instruction(int(body.group(1), 16), text,
                                       int(target.group(1), 16) if target else None))
    return functions


def blocks(instructions):
    """Basic blocks: (first, past the last) and the numbers of those that may follow each."""
    index = {i.address: n for n, i in enumerate(instructions)}
    starts = {0}
    for n, i in enumerate(instructions):
        if i.target in index:
            starts.add(index[i.target])
        if i.target is not None or i.text.startswith("ret"):
            starts.add(n + 1)
    starts = sorted(s for s in starts if s < len(instructions))
    number = {s: n for n, s in enumerate(starts)}
    spans, follow = [], []
    for n, first in enumerate(starts):
        past = starts[n + 1] if n + 1 < len(starts) else len(instructions)
        last, after = instructions[past - 1], []
        if last.target in index:
            after.append(number[index[last.target]])
        if not re.match(r"(b|ret|br)( |$)", last.text) and past < len(instructions):
            after.append(number[past])
        spans.append((first, past))
        follow.append(after)
    return spans, follow


def loops(instructions):
    """For each block that is part of a loop the shortest way round through it."""
    spans, follow = blocks(instructions)
    size = [past - first for first, past in spans]
    found = {}
    for start in range(len(spans)):
        best, todo = {}, [(size[start], start, (start,))]
        while todo:
            length, at, way = heapq.heappop(todo)
            for to in follow[at]:
                if to == start:
                    found[start] = way
                    todo = []
                    break
                if to not in best or length + size[to] < best[to]:
                    best[to] = length + size[to]
                    heapq.heappush(todo, (best[to], to, way + (to,)))
    # Blocks that lie on each other's ways are one loop; its inner, or usual, way is the shortest.
    result = []
    for start, way in sorted(found.items(), key=lambda f: sum(size[b] for b in f[1])):
        if not any(set(way) & set(other) for other in result):
            result.append(way)
    return [[i for b in way for i in instructions[spans[b][0]:spans[b][1]]] for way in result]


def main_loop(objdump, path):
    """The longest innermost loop of an object file: that of the widest path. Where a loop branches
    within (rounds 11 to 14 of AES), it is its shortest way round."""
    best = []
    for body in disassemble(objdump, path).values():
        for loop in loops(body):
            if len(loop) > len(best):
                best = loop
    return best


def bytes_per_iteration(family, isa, width):
    """What one iteration of a kernel's main loop does: of ChaCha20 one of ten double rounds; of AES
    all rounds, except where a loop counts them."""
    if family in ("chacha20", "chacha20_poly1305"):
        return width * 64 / 10
    return width * 16 * ROUND_BY_ROUND.get((family, isa), 1)


def price(mca, cpu, lines, iterations):
    """Cycles per iteration by the model of cpu."""
    model = cpu
    if cpu.endswith("+"):
        model = cpu[:-1]
        for prefix, replacements in REPLACE.items():
            if model.startswith(prefix):
                for pattern, by in replacements:
                    lines = [re.sub(pattern, by, line) for line in lines]
    text = "start:\n"
    for line in lines:
        # Every target is here. Calls and returns, which the model would take for 100 cycles, are jumps.
        line = re.sub(r"^(b\.\w+|b|cbn?z \w+,|tbn?z \w+, #\w+,) .*", r"\1 start", line)
        text += re.sub(r"^(ret|br|bl|blr)\b.*", "b start", line) + "\n"
    out = run([mca, "-march=aarch64", "-mcpu=" + model, "-mattr=+all", "-iterations=%d" % iterations,
               "-instruction-info=false", "-resource-pressure=false"], input=text)
    return int(re.search(r"Total Cycles:\s+(\d+)", out).group(1)) / iterations


def sources(kernel, path):
    """The files of a kernel and of those it calls."""
    return [path] + [os.path.join(os.path.dirname(path), k + ".c") for k in CALLS.get(kernel, [])]


def compile_object(cc, path, folder):
    obj = os.path.join(folder, os.path.basename(path) + ".o")
    run(cc.split() + ["-O2", "-std=c11", "-I" + os.path.join(ROOT, "include"), "-c", path, "-o", obj])
    return obj


DRIVER = r"""
#include "%(root)s/src/kernel.h"
#include <stdlib.h>
__attribute__((noinline, used)) void plait_model_begin(void) { __asm__ volatile(""); }
__attribute__((noinline, used)) void plait_model_end(void) { __asm__ volatile(""); }
static uint8_t in[1 << 20], out[1 << 20], area[4096], tag[16], nonce[16];
static uint32_t state[16];
static plait_poly1305_acc acc;
static void call(const plait_kernel *k, size_t n)
{
    if (!strcmp(k->family, "chacha20")) k->fn.chacha20.xor_stream(out, in, n, state);
    if (!strcmp(k->family, "poly1305")) k->fn.poly1305.mac(tag, in, n, area);
    if (!strcmp(k->family, "ghash")) k->fn.ghash.update(area, tag, in, n);
    if (!strcmp(k->family, "aes")) k->fn.aes.ctr32(area, out, in, n, nonce);
    if (!strcmp(k->family, "aes_gcm")) k->fn.aes_gcm.seal(area, out, tag, nonce, in, 0, in, n);
    if (!strcmp(k->family, "chacha20_poly1305"))
        k->fn.chacha20_poly1305.seal(area, out, tag, nonce, in, 0, in, n);
}
int main(int argc, char **argv)
{
    const plait_kernel *k = &plait_%(kernel)s;
    if (argc < 2) return 2;
    size_t n = (size_t)atol(argv[1]);
    (void)acc;
    if (!strcmp(k->family, "ghash")) k->fn.ghash.init(area, nonce, sizeof in);
    if (!strcmp(k->family, "aes")) k->fn.aes.init(area, nonce, 16);
    if (!strcmp(k->family, "aes_gcm")) k->fn.aes_gcm.init(area, nonce, 16);
    call(k, n);
    plait_model_begin();
    call(k, n);
    plait_model_end();
    return 0;
}
"""


def traced(objdump, qemu, cc, kernel, path, size, folder):
    """The instructions that one call executes, in order."""
    driver = os.path.join(folder, kernel + "_driver.c")
    program = os.path.join(folder, kernel + "_driver")
    log = os.path.join(folder, "trace")
    if not os.path.exists(program):
        with open(driver, "w", encoding="utf-8") as f:
            f.write(DRIVER % {"root": ROOT, "kernel": kernel})
        run(cc.split() + ["-O2", "-std=c11", "-static", "-I" + os.path.join(ROOT, "include"), driver,
                          *sources(kernel, path), "-o", program])
    functions = disassemble(objdump, program)
    text = {i.address: i.text for body in functions.values() for i in body}
    begin = functions["plait_model_begin"][0].address
    end = functions["plait_model_end"][0].address
    run([qemu, "-cpu", "max,sve=off", "-one-insn-per-tb", "-d", "exec,nochain", "-D", log, program, str(size)])
    lines, inside = [], False
    with open(log, encoding="utf-8") as f:
        for line in f:
            pc = re.match(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/", line)
            if not pc:
                continue
            pc = int(pc.group(1), 16)
            if pc == begin:
                inside = True
            elif pc == end:
                break
            elif inside:
                lines.append(text[pc])
    os.unlink(log)
    return lines


def table(title, cpus, lines):
    print(title)
    width = max([len(name) for name, _ in lines] + [6])
    print("  %-*s" % (width, "kernel"), *["%11s" % c for c in cpus])
    for name, values in lines:
        print("  %-*s" % (width, name), *["%11s" % v for v in values])
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cpu", default=CPUS, help="models of llvm-mca; + behind: mended (default: %(default)s)")
    parser.add_argument("--kernel", default="", help="only kernels whose name contains this")
    parser.add_argument("--cc", default="aarch64-linux-gnu-gcc", help="default: %(default)s")
    parser.add_argument("--size", help="message lengths: price whole calls instead of loops")
    parser.add_argument("--count", help="message lengths: count instructions, without a model")
    args = parser.parse_args()
    mca = tool("llvm-mca-19", "llvm-mca")
    objdump = tool("llvm-objdump-19", "llvm-objdump")
    cpus = args.cpu.split(",")
    kernels = [r for r in rows() if args.kernel in "%s_%s" % r[:2]]
    families = list(dict.fromkeys(r[0] for r in kernels))
    with tempfile.TemporaryDirectory() as folder:
        for family in families:
            of_family = [r for r in kernels if r[0] == family]
            if args.size or args.count:
                qemu = tool("qemu-aarch64-static", "qemu-aarch64")
                counts = []
                for size in [int(s) for s in (args.size or args.count).split(",")]:
                    lines = []
                    for _, isa, _, path in of_family:
                        trace = traced(objdump, qemu, args.cc, "%s_%s" % (family, isa), path, size, folder)
                        lines.append((isa, ["%.2f" % (price(mca, c, trace, 4) / size) for c in cpus]
                                      if args.size else ["%.2f" % (len(trace) / size)]))
                    if args.size:
                        table("%s, whole calls of %d bytes: cycles per byte by model" % (HEADING[family], size),
                              cpus, lines)
                    else:
                        table("%s, calls of %d bytes: instructions per byte" % (HEADING[family], size),
                              ["counted"], lines)
                continue
            lines = []
            for _, isa, width, path in of_family:
                loop = main_loop(objdump, compile_object(args.cc, path, folder))
                per = bytes_per_iteration(family, isa, width)
                lines.append(("%s (%d)" % (isa, len(loop)),
                              ["%.2f" % (price(mca, c, [i.text for i in loop], 100) / per) for c in cpus]))
            table("%s, main loop (its instructions): cycles per byte by model" % HEADING[family], cpus, lines)
    print("A model sees pipes and latencies; neither caches nor issue queues, fusion nor the clock.")


if __name__ == "__main__":
    main()
