#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Do the tests notice one wrong bit in a kernel's object code? For each row that this CPU can use,
# single bits are flipped at random in the bytes of its functions, as they stand in the linked test
# programs, which then look at that row alone: one of them has to fail, by a wrong result, by a
# crash or by not ending. At level 0 first, which most do not pass; what does is run at level 1,
# which is that of `make check`. Unlike mutate.py it does not choose what a programmer could have written;
# registers, displacements, opcodes, conditions and lengths of vectors are all hit.
#
# A flip after which the disassembly means the same (bits that the instruction ignores, vpxorq for
# vpxord, the other direction of a move between registers, fillers between loops) is not a fault:
# counted apart, and another one is made. Prints the survivors with their instruction before and
# after and their line, and the share that was noticed.
#
# bitflip.py --build DIR [--cc CC] [--count N] [--seed N] [--least PERCENT] [ROW...]

import argparse, os, random, re, resource, shutil, signal, subprocess, sys, tempfile

TESTS = ["selftest", "splits", "rows", "vectors", "batch", "wipe", "memory"]  # the quick ones first

# Mnemonics that differ in what they tell the CPU of the type, and in nothing else.
SAME = [(r"^v?(movdqa|movdqu|movaps|movapd|movups|movupd)(8|16|32|64)?$", "mov"),
        (r"^v?(pxor|xorps|xorpd)[dq]?$", "xor"), (r"^v?(por|orps|orpd)[dq]?$", "or"),
        (r"^v?(pandn|andnps|andnpd)[dq]?$", "andn"), (r"^v?(pand|andps|andpd)[dq]?$", "and"),
        (r"^v?(movlps|movlpd)$", "movlo"), (r"^v?(movhps|movhpd)$", "movhi"),
        (r"^v?(punpcklqdq|unpcklpd)$", "unpcklo"), (r"^v?(punpckhqdq|unpckhpd)$", "unpckhi"),
        (r"^v?(extract|insert|broadcast)[if](32x4|64x2|128)$", r"\1x4"),
        (r"^v?(extract|insert|broadcast)[if](32x8|64x4)$", r"\1x8"),
        (r"^vpternlog[dq]$", "ternlog"), (r"^vshuf[if](32x4|64x2)$", "shuf"),
        (r"^(ret|retq|repz ret|bnd ret)$", "ret"), (r"^prefetch.*$", "nop"),
        (r"^(data16 |cs |ds |es |ss |rex\S* )*nop[wl]?$", "nop")]


def run(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)


def said(command):
    return run(command).stdout.decode(errors="replace")


def functions(path):
    """Of an object: (section, offset, size, name) of every function."""
    out = []
    line = r"^([0-9a-f]+) .{6}F (\.text\S*)\s+([0-9a-f]+)\s+(?:\.hidden )?(\S+)$"
    for m in re.finditer(line, said(["objdump", "-t", path]), re.M):
        out.append((m.group(2), int(m.group(1), 16), int(m.group(3), 16), m.group(4)))
    return out


def instructions(path, start, stop):
    """[(address, text)] of a linked program."""
    text = said(["objdump", "-d", "-w", "--no-show-raw-insn", "--start-address=%d" % start,
                 "--stop-address=%d" % stop, path])
    return [(int(m.group(1), 16), m.group(2).strip())
            for m in re.finditer(r"^ *([0-9a-f]+):\t(.*)$", text, re.M)]


def meaning(text):
    """The same for two instructions that do the same."""
    text = re.sub(r"\s*(#.*|<.*>)$", "", text)
    name, _, operands = text.partition(" ")
    prefixes = ("repz", "bnd", "data16", "cs", "ds", "es", "ss", "notrack")
    while name in prefixes or name.startswith("rex"):
        name, _, operands = operands.strip().partition(" ")
    for pattern, put in SAME:
        if re.match(pattern, name):
            name = re.sub(pattern, put, name)
            break
    if name.startswith("nop"):
        return "nop"
    operands = re.sub(r",%[re]iz,\d\)", ")", operands)  # an index that is none
    # of two registers whose order does not matter
    if name in ("test", "xchg"):
        operands = ",".join(sorted(operands.strip().split(",")))
    return name + " " + operands.strip()


class Program:
    """A test program with the place of each row's functions in its file."""

    def __init__(self, name, a, work):
        self.name, self.path, self.map = name, "%s/%s" % (work, name), "%s/%s.map" % (work, name)
        made = run([a.cc, "-o", self.path, "-Wl,-Map=" + self.map,
                    "%s/obj/test/test_%s.o" % (a.build, name), a.build + "/obj/test/harness.o",
                    a.build + "/obj/test/oracle.o", a.build + "/libplait.a",
                    "-ldl", "-lpthread", "-lm"])
        if made.returncode:
            sys.exit("FAIL does not link: " + made.stdout.decode())
        self.bytes = open(self.path, "rb").read()
        m = re.search(r"^ *\d+ \.text +[0-9a-f]+ +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+)",
                      said(["objdump", "-h", self.path]), re.M)
        self.delta = int(m.group(2), 16) - int(m.group(1), 16)  # file offset - address
        self.text = open(self.map).read()

    def address(self, row, section, offset):
        m = re.search(r"^ %s\s+0x([0-9a-f]+)\s+0x[0-9a-f]+ \S*\b%s\.o\)?$" %
                      (re.escape(section), row), self.text, re.M)
        return int(m.group(1), 16) + offset

    def flipped(self, at, bit, path):
        data = bytearray(self.bytes)
        data[at + self.delta] ^= 1 << bit
        if os.path.exists(path):
            os.unlink(path)
        with open(path, "wb") as f:
            f.write(data)
        os.chmod(path, 0o755)


def main():
    arg = argparse.ArgumentParser()
    arg.add_argument("--build", required=True)
    arg.add_argument("--cc", default="cc")
    arg.add_argument("--count", type=int, default=10, help="flips in each row")
    arg.add_argument("--seed", type=int, default=1)
    arg.add_argument("--least", type=float, default=80, help="fails below this share noticed")
    arg.add_argument("rows", nargs="*")
    a = arg.parse_args()
    work = tempfile.mkdtemp(prefix="bitflip.", dir=a.build)
    listed = said([a.build + "/plait", "kernels", "--format", "csv"]).splitlines()
    usable = r'[^,]*,[^,]*,("[^"]*"|[^,]*),yes,yes,'
    rows = [l.split(",")[1] for l in listed[1:] if re.match(usable, l)]
    env = dict(os.environ, PLAIT_TEST_STOP="1")
    programs = [Program(t, a, work) for t in TESTS]

    def limits():  # seconds of the CPU, not of the clock: a machine may be busy
        resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def fails(path, row, level):
        """None, or how"""
        child = subprocess.Popen([path], preexec_fn=limits,
                                 env=dict(env, PLAIT_TEST_ROW=row, PLAIT_TEST_LEVEL=str(level)),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            code = child.wait(timeout=600)
        except subprocess.TimeoutExpired:
            code = -signal.SIGXCPU
        try:
            os.killpg(child.pid, signal.SIGKILL)  # its children too
        except ProcessLookupError:
            pass
        child.wait()
        if code == 0:
            return None
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return "does not end"
        return "wrong" if code == 1 else "crash"

    tried = noticed = alike = 0
    hows = {}
    for row in a.rows or rows:
        for p in programs:
            if fails(p.path, row, 0):
                print("FAIL without a flip:", row, p.name)
                return 1
        places = functions("%s/obj/src/kernels/%s.o" % (a.build, row))
        pick = random.Random("%s %d" % (row, a.seed))
        done = caught = 0
        while done < a.count:
            section, offset, size, name = pick.choices(places, [f[2] for f in places])[0]
            within, bit = pick.randrange(size), pick.randrange(8)
            first = programs[0]
            start = first.address(row, section, offset)
            at = start + within
            before = instructions(first.path, start, start + size)
            number = max(i for i, (address, _) in enumerate(before) if address <= at)
            # a flip may change the length: what follows has to be in step again soon
            soon = before[number][0] + 24
            stop = next((x for x, _ in before[number:] if x >= soon), start + size)
            first.flipped(at, bit, work + "/flipped")
            after = instructions(work + "/flipped", before[number][0], stop)
            window = [i for i in before[number:] if i[0] < stop]
            old = [(x, meaning(y)) for x, y in window]
            if old == [(x, meaning(y)) for x, y in after]:
                alike += 1
                continue
            done += 1
            tried += 1
            how = None
            for level, p in [(level, p) for level in (0, 1) for p in programs]:
                p.flipped(p.address(row, section, offset) + within, bit, work + "/flipped")
                how = fails(work + "/flipped", row, level)
                if how:
                    how = p.name + (", level 1: " if level else ": ") + how
                    hows[how] = hows.get(how, 0) + 1
                    break
            if how:
                noticed += 1
                caught += 1
                continue
            line = said(["addr2line", "-e", first.path, "%#x" % at]).split("/src/")[-1].strip()
            show = lambda s: re.sub(r"\s+", " ", s)
            new = "; ".join(show(y) for x, y in after if (x, meaning(y)) not in old)
            print("survivor: %s %s+%#x bit %d, %s: %s -> %s" %
                  (row, name, within, bit, line, show(before[number][1]), new), flush=True)
        print("%s: %d of %d" % (row, caught, done), flush=True)
    shutil.rmtree(work)
    share = 100.0 * noticed / max(tried, 1)
    most = sorted(hows.items(), key=lambda h: -h[1])
    print("by " + ", ".join("%s %d" % h for h in most))
    print("%d of %d flips noticed: %.1f %%; %d more changed nothing" %
          (noticed, tried, share, alike))
    return 0 if tried and share >= a.least else 1


sys.exit(main())
