#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the same instructions executed, and the same addresses used, for every secret? For AArch64,
under QEMU, which logs each instruction with the registers before it; test_trace sets marks around
each call, which it makes with several secrets. An address is the registers between the brackets of
a load, store or prefetch, whatever the instruction adds to them.

    blocks.py PROGRAM NM OBJDUMP EMULATOR...

Prints a line per row or key, RUN or FAIL, and ends with "N passed, N failed". An emulator that can
not take single instructions as blocks (QEMU before 8.1) shows the path alone, which is said.
"""
import bisect
import os
import re
import subprocess
import sys
import tempfile


def registers(text):
    """(line, column, digits) in QEMU's dump of each register in an operand."""
    out = []
    for name in re.findall(r"\b(?:[xwz]\d+|sp)\b", text):
        if name[0] == "z":
            raise SystemExit("blocks.py: addresses in a vector register: [%s]" % text)
        n = 31 if name == "sp" else int(name[1:])
        line, column = (0, 25 + 21 * n) if n < 2 else (1 + (n - 2) // 3, 4 + 21 * ((n - 2) % 3))
        out.append((line, column, 8 if name[0] == "w" else 16))
    return out


def part(before, now):
    """Where two runs part: (the last step in common, or the access whose address differs; kind)."""
    first = lambda step: step[0] if isinstance(step, tuple) else step
    both = min(len(now), len(before))
    at = next((i for i, (a, b) in enumerate(zip(now, before)) if a != b), both)
    if at < both and first(now[at]) == first(before[at]):
        return first(now[at]), "an address depends on secrets in"
    return first(now[at - 1]) if at else 0, "the path depends on secrets after"


def main():
    program, nm, objdump, emulator = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    # version 8.1 has the option
    single = "-one-insn-per-tb" in subprocess.run(emulator[:1] + ["-h"], capture_output=True,
                                                  text=True).stdout
    functions = []
    table = subprocess.run([nm, program], capture_output=True, text=True, check=True).stdout
    for line in table.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tT" and not words[2].startswith("$"):
            functions.append((int(words[0], 16), words[2]))
    functions.sort()
    starts = [a for a, _ in functions]
    by_name = {n: a for a, n in functions}
    mark = {by_name["trace_mark_" + kind]: kind for kind in ("first", "again", "end")}

    def place(address):
        i = bisect.bisect_right(starts, address) - 1
        return (functions[i][1], address - functions[i][0]) if i >= 0 else ("?", address)

    # Of each instruction with an operand in memory: where in the dump its registers stand.
    operands = {}
    if single:
        listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", program],
                                 capture_output=True, text=True, check=True).stdout
        for match in re.finditer(r"^ *([0-9a-f]+):\t(.*)$", listing, re.M):
            inside = re.search(r"\[(.*?)\]", match.group(2)) or re.search(r"^dc\s+\w+, (\w+)",
                                                                         match.group(2))
            if inside:
                operands[int(match.group(1), 16)] = registers(inside.group(1))

    how = ["-one-insn-per-tb", "-d", "exec,cpu,nochain"] if single else ["-d", "exec,nochain"]
    sections, reference, now, steps, used = [], None, None, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        fifo = os.path.join(folder, "log")
        os.mkfifo(fifo)
        with open(os.path.join(folder, "out"), "w") as out, \
                open(os.path.join(folder, "names"), "w") as names:
            process = subprocess.Popen(
                emulator + how + ["-D", fifo, program], stdout=out, stderr=names,
                env=dict(os.environ, PLAIT_TEST_MARKS="addresses" if single else "path"))
            pattern = re.compile(r"^Trace \d+: 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/")
            with open(fifo, buffering=1 << 20, encoding="latin-1") as log:
                for line in log:
                    if line[0] != "T":
                        continue
                    match = pattern.match(line)
                    if not match:
                        continue
                    pc = int(match.group(1), 16)
                    if pc in mark:
                        kind = mark[pc]
                        if kind == "first":
                            sections.append(None)
                            reference = None
                        elif kind == "again":
                            now = []
                        elif reference is None:
                            reference, now = now, None
                        else:
                            if sections[-1] is None and now != reference:
                                sections[-1] = part(reference, now)
                            now = None
                    elif now is not None:
                        steps += 1
                        if pc not in operands:
                            now.append(pc)
                            continue
                        used += 1
                        dump = [next(log) for _ in range(11)]
                        now.append((pc,) + tuple(dump[row][at:at + 16][-width:]
                                                 for row, at, width in operands[pc]))
            code = process.wait()
        with open(os.path.join(folder, "names")) as f:
            names = [line.rstrip("\n") for line in f if ": " in line]
        with open(os.path.join(folder, "out")) as f:
            said = f.read().splitlines()

    cases, failed = {}, 0
    if code != 0 or len(names) != len(sections) or not sections:
        print("\n".join(said[-5:]))
        print(f"FAIL      blocks: {len(names)} calls named, {len(sections)} seen, exit code {code}")
        print("0 passed, 1 failed")
        return 1
    for name, difference in zip(names, sections):
        first, rest = name.split(": ", 1)
        if first == "leak":  # where it has to be seen
            where, rest = rest.split(": ", 1)
            case = f"a difference is found: in {where}"
            ok = difference is not None and re.match(where, place(difference[0])[0])
            complaint = "seen nowhere"
            if difference is not None:
                complaint = "seen in %s+%#x" % place(difference[0])
        else:
            case = f"{first}: the same path {'and addresses ' if single else ''}for every secret"
            ok = difference is None
            complaint = "" if ok else "%s %s+%#x" % ((difference[1],) + place(difference[0]))
        cases.setdefault(case, []).append(bool(ok))
        if not ok:
            print(f"      {name}: {complaint}")
    for case, results in cases.items():
        print(f"{'RUN ' if all(results) else 'FAIL'}      {case} ({len(results)} checks)")
        failed += not all(results)
    print(f"      {steps} {'instructions' if single else 'blocks'}, {used} with an address")
    if not single:
        print("SKIP      addresses (the emulator does not take single instructions: QEMU 8.1 does)")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
