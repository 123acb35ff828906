#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the same blocks of code executed for every secret? For AArch64, under QEMU, which logs each block that it
executes; test_trace sets marks around each call, which it makes with several secrets. Branches that depend on a secret
are seen so; addresses of loads are not.

    blocks.py PROGRAM NM EMULATOR...

Prints a line per row or key, RUN or FAIL, and ends with "N passed, N failed".
"""
import bisect
import os
import re
import subprocess
import sys
import tempfile


def main():
    program, nm, emulator = sys.argv[1], sys.argv[2], sys.argv[3:]
    functions = []
    for line in subprocess.run([nm, program], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tT" and not words[2].startswith("$"):
            functions.append((int(words[0], 16), words[2]))
    functions.sort()
    starts = [a for a, _ in functions]
    by_name = {n: a for a, n in functions}
    mark = {by_name["trace_mark_first"]: "first", by_name["trace_mark_again"]: "again", by_name["trace_mark_end"]: "end"}

    def place(address):
        i = bisect.bisect_right(starts, address) - 1
        return (functions[i][1], address - functions[i][0]) if i >= 0 else ("?", address)

    sections, reference, now, blocks = [], None, None, 0
    with tempfile.TemporaryDirectory() as folder:
        fifo = os.path.join(folder, "log")
        os.mkfifo(fifo)
        with open(os.path.join(folder, "out"), "w") as out, open(os.path.join(folder, "names"), "w") as names:
            process = subprocess.Popen(emulator + ["-d", "exec,nochain", "-D", fifo, program], stdout=out, stderr=names,
                                       env=dict(os.environ, PLAIT_TEST_MARKS="1"))
            pattern = re.compile(r"^Trace \d+: 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/")
            with open(fifo) as log:
                for line in log:
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
                                at = next((i for i, (a, b) in enumerate(zip(now, reference)) if a != b),
                                          min(len(now), len(reference)))
                                sections[-1] = (reference[at - 1] if at else 0, now[at] if at < len(now) else 0)
                            now = None
                    elif now is not None:
                        now.append(pc)
                        blocks += 1
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
            complaint = "seen nowhere" if difference is None else "seen in %s+%#x" % place(difference[0])
        else:
            case = f"{first}: the same blocks for every secret"
            ok = difference is None
            complaint = "" if ok else "the path depends on secrets after the block %s+%#x" % place(difference[0])
        cases.setdefault(case, []).append(bool(ok))
        if not ok:
            print(f"      {name}: {complaint}")
    for case, results in cases.items():
        print(f"{'RUN ' if all(results) else 'FAIL'}      {case} ({len(results)} checks)")
        failed += not all(results)
    print(f"      {blocks} blocks")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
