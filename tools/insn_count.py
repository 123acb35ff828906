#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions per byte of whole kernel calls, counted under QEMU: no model, and no timing.

    tools/insn_count.py                            aarch64 and sparc64, calls of 64, 1024 and 4096 bytes
    tools/insn_count.py --target sparc64 --kernel ghash --size 1024

QEMU runs with one instruction to a translation block and logs every block, which the counter plugin of
QEMU would do faster; but distributions do not package that. Instructions say what a kernel asks of a
core, not how long the core takes. On SPARC the delay slots count as what they are: instructions.

Needs qemu-user-static (VIS3: 9.1 or later) and gcc-aarch64-linux-gnu, gcc-sparc64-linux-gnu. A target
without its tools is skipped, and said so.
"""
import argparse
import os
import re
import shutil
import subprocess
import tempfile

import model

TARGETS = {  # compiler, nm, emulator, what a kernel file for it says
    "aarch64": ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-nm",
                ["qemu-aarch64-static", "-cpu", "max,sve=off"], "PLAIT_BUILD_AARCH64"),
    "sparc64": ("sparc64-linux-gnu-gcc", "sparc64-linux-gnu-nm",
                ["qemu-sparc64-static", "-cpu", "Sun-UltraSparc-T2,+vis3"], "PLAIT_BUILD_SPARC64"),
}


def kernels(guard):
    """family_isa of the rows with this guard in their file, and of the portable ones."""
    with open(os.path.join(model.ROOT, "src", "kernels.def"), encoding="utf-8") as f:
        for family, isa in re.findall(r"^PLAIT_ROW\((\w+), (\w+)\)", f.read(), re.M):
            path = os.path.join(model.ROOT, "src", "kernels", "%s_%s.c" % (family, isa))
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as source:
                text = source.read()
            if guard in text or "PLAIT_NEEDS_NOTHING" in text:
                yield "%s_%s" % (family, isa), path


def count(emulator, program, begin, end, size, folder):
    """Instructions from the function at address begin to the one at end."""
    fifo = os.path.join(folder, "log")
    os.mkfifo(fifo)
    command = emulator + ["-one-insn-per-tb", "-d", "exec,nochain", "-D", fifo, program, str(size)]
    total, inside = 0, False
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        with open(fifo, encoding="utf-8") as log:
            for line in log:
                at = line.find("/")
                if not line.startswith("Trace ") or at < 0:
                    continue
                pc = int(line[at + 1:line.index("/", at + 1)], 16)
                if pc == begin:
                    inside = True
                elif pc == end:
                    inside = False
                elif inside:
                    total += 1
        complaint = process.stderr.read()
        if process.wait() != 0:
            model.fail("%s: exit code %d: %s" % (program, process.returncode, complaint.strip()[:200]))
    os.unlink(fifo)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--target", default=",".join(TARGETS), help="default: %(default)s")
    parser.add_argument("--kernel", default="", help="only kernels whose name contains this")
    parser.add_argument("--size", default="64,1024,4096", help="message lengths (default: %(default)s)")
    args = parser.parse_args()
    sizes = [int(s) for s in args.size.split(",")]
    for target in args.target.split(","):
        if target not in TARGETS:
            model.fail("no such target: %s" % target)
        cc, nm, emulator, guard = TARGETS[target]
        missing = [t for t in (cc, nm, emulator[0]) if not shutil.which(t)]
        if missing:
            print("%s: skipped, no %s\n" % (target, ", ".join(missing)))
            continue
        print("%s: instructions per byte of a call, counted" % target)
        print("  %-32s" % "kernel", *["%9d B" % s for s in sizes])
        with tempfile.TemporaryDirectory() as folder:
            for name, path in kernels(guard):
                if args.kernel not in name:
                    continue
                driver, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
                with open(driver, "w", encoding="utf-8") as f:
                    f.write(model.DRIVER % {"root": model.ROOT, "kernel": name})
                model.run([cc, "-O2", "-std=c11", "-static", "-I" + os.path.join(model.ROOT, "include"), driver,
                           *model.sources(name, path), "-o", program])
                symbols = {words[2]: int(words[0], 16) for words in
                           (line.split() for line in model.run([nm, program]).splitlines()) if len(words) == 3}
                found = [count(emulator, program, symbols["plait_model_begin"], symbols["plait_model_end"], s,
                               folder) / s for s in sizes]
                print("  %-32s" % name, *["%11.2f" % n for n in found], flush=True)
        print()


if __name__ == "__main__":
    main()
