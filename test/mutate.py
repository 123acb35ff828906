#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Do the tests notice a fault in a kernel's source? For each row that this CPU can use, single numbers and operators are
# changed at random, in its file and in the bodies that it includes, in macros and in the text of asm blocks too. What
# then compiles to another object is linked with the tests, which look at that row alone: one of them has to fail.
# Prints the survivors with their lines, and the share that was noticed.
#
# mutate.py --build DIR [--cc CC] [--count N] [--seed N] [--least PERCENT] [ROW...]

import argparse, os, random, re, resource, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = ["rows", "vectors", "batch", "splits", "memory", "selftest", "wipe"]
PAIRS = [("+", "-"), ("-", "+"), ("^", "|"), ("|", "&"), ("&", "|"), ("<<", ">>"), (">>", "<<"), ("<", "<="), (">", ">="),
         ("+=", "-="), ("^=", "|="), ("==", "!="), ("!=", "=="), ("*", "+"), ("<=", "<"), (">=", ">")]
WORDS = [(r"vpadd([dq])\b", r"vpsub\1"), (r"vpxor([dq]?)\b", r"vpor\1"), (r"_add_epi", "_sub_epi"), (r"_xor_(si|epi)", r"_or_\1"),
         (r"vpand([dq]?)\b", r"vpor\1"), (r"_slli_", "_srli_"), (r"_srli_", "_slli_"), (r"_and_si", "_or_si"),
         (r"\baesenc\b", "aesenclast"), (r"vaesenc\b", "vaesenclast"), (r"unpacklo", "unpackhi"), (r"add32", "xor32")]


def sites(text):
    """Every place where something can be changed: (start, end, what to put there)."""
    # comments become blanks of the same length
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    out = []
    skipped = [m.span() for m in re.finditer(r"^[ \t]*#[ \t]*(include|if|ifdef|ifndef|elif|else|endif|undef|pragma|error).*$", text, re.M)]
    # the descriptor, and what only debug builds or the compiler read
    skipped += [m.span() for m in re.finditer(r"^const plait_kernel .*", text, re.M | re.S)]
    skipped += [m.span() for m in re.finditer(r"PLAIT_BOUND\(.*?\);|PLAIT_TARGET_BEGIN\(.*?\)|typedef char .*?;|_Alignas\(\d+\)|aligned\(\d+\)|__builtin_expect", text, re.S)]
    inside = lambda at: any(a <= at < b for a, b in skipped)
    for m in re.finditer(r"(?<![A-Za-z0-9_.%$])(0x[0-9a-fA-F]+|\d+)(?=[uUlL]*\b)", text):
        n = int(m.group(), 16 if m.group().startswith("0x") else 10)
        out.append((m.start(), m.end(), str(n ^ 1) if n < 2 ** 31 else hex(n ^ 1)))
    for a, b in PAIRS:
        for m in re.finditer(r"(?<= )" + re.escape(a) + r"(?= )", text):
            out.append((m.start(), m.end(), b))
    for a, b in WORDS:
        for m in re.finditer(a, text):
            out.append((m.start(), m.end(), m.expand(b)))
    return [s for s in sorted(out) if not inside(s[0])]


def run(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def main():
    arg = argparse.ArgumentParser()
    arg.add_argument("--build", required=True)
    arg.add_argument("--cc", default="cc")
    arg.add_argument("--count", type=int, default=5, help="mutants of each row")
    arg.add_argument("--seed", type=int, default=1)
    arg.add_argument("--least", type=float, default=90, help="fails below this share noticed")
    arg.add_argument("rows", nargs="*")
    a = arg.parse_args()
    work = tempfile.mkdtemp(prefix="mutate.", dir=a.build)
    for d in ("src", "include"):
        shutil.copytree(os.path.join(ROOT, d), os.path.join(work, d))
    flags = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-w", "-I" + work + "/include"]
    listed = run([a.build + "/plait", "kernels", "--format", "csv"]).stdout.decode().splitlines()
    rows = [l.split(",")[1] for l in listed[1:] if re.match(r'[^,]*,[^,]*,("[^"]*"|[^,]*),yes,yes,', l)]
    env = dict(os.environ, PLAIT_TEST_LEVEL="0", PLAIT_TEST_STOP="1")
    tried = noticed = 0

    def noticed_by(changed, row):
        """The first test that fails with this object in the place of the row's; None if none does"""
        for t in TESTS:
            program = work + "/test"
            if run([a.cc, "-o", program, "%s/obj/test/test_%s.o" % (a.build, t), a.build + "/obj/test/harness.o",
                    a.build + "/obj/test/oracle.o", changed, a.build + "/libplait.a", "-ldl", "-lpthread", "-lm"]).returncode:
                return "link"
            try:
                # seconds of the CPU: a busy machine is no fault that is noticed
                limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
                if run([program], env=dict(env, PLAIT_TEST_ROW=row), timeout=900,
                       preexec_fn=limit).returncode:
                    return t
            except subprocess.TimeoutExpired:
                return t + " (time)"
        return None

    survivors = []
    for row in a.rows or rows:
        source = "%s/src/kernels/%s.c" % (work, row)
        deps = run([a.cc] + flags + ["-MM", source]).stdout.decode().replace("\\\n", " ").split()
        files = sorted({os.path.normpath(d) for d in deps if "/src/kernels/" in d and not d.endswith(".def")})
        plain, changed = work + "/plain.o", work + "/changed.o"
        if run([a.cc] + flags + ["-c", source, "-o", plain]).returncode:
            print("FAIL does not compile:", row)
            return 1
        code = lambda o: run(["objcopy", "-O", "binary", o, o + ".bin"]).returncode or open(o + ".bin", "rb").read()
        before = code(plain)
        found = noticed_by(plain, row)
        if found:
            print("FAIL without a change:", row, found)
            return 1
        every = [(f, s) for f in files for s in sites(open(f).read())]
        pick = random.Random("%s %d" % (row, a.seed))
        pick.shuffle(every)
        done = 0
        for path, (start, end, put) in every:
            if done == a.count:
                break
            text = open(path).read()
            open(path, "w").write(text[:start] + put + text[end:])
            built = run([a.cc] + flags + ["-c", source, "-o", changed]).returncode == 0
            open(path, "w").write(text)
            if not built or code(changed) == before:
                continue
            done += 1
            tried += 1
            found = noticed_by(changed, row)
            line = text.count("\n", 0, start) + 1
            what = "%s:%d: %r for %r in: %s" % (os.path.relpath(path, work), line, put, text[start:end], text.splitlines()[line - 1].strip()[:110])
            if found:
                noticed += 1
            else:
                survivors.append(row + " " + what)
                print("survivor:", row, what, flush=True)
    shutil.rmtree(work)
    share = 100.0 * noticed / max(tried, 1)
    print("%d of %d mutants noticed: %.1f %%" % (noticed, tried, share))
    return 0 if tried and share >= a.least else 1


sys.exit(main())
