#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is the object code what the kernels say it is? For x86-64 objects, from objdump's disassembly:

  needs      each kernel uses only the instruction sets that its descriptor needs
  plain      nothing outside the kernels uses more than the baseline (SSE2)
  vzeroupper each function that a descriptor names returns with the upper halves clean
  forbidden  no division, no gather, no instruction whose time depends on its operands' values
  spills     the widest loops move no vector register to the stack and back (told, and checked
             for the kernels in NO_SPILL)

    objects.py BUILD     (objects of src/ in BUILD/obj/src)

Prints a line per failure and ends with "N passed, N failed".
"""
import pathlib
import re
import subprocess
import sys

LOWER = {"ssse3": "sse2", "sse41": "ssse3", "avx": "sse41", "avx2": "avx", "avx512": "avx2",
         "pclmul": "sse2", "aes": "sse2", "vaes": "avx2 aes", "vpclmul": "avx2 pclmul",
         "avx512_ifma": "avx512", "avx512_vbmi": "avx512", "avx_ifma": "avx2"}
SSSE3 = set("pshufb palignr pmulhrsw phaddd phaddw phsubd psignb psignw psignd pabsb pabsw pabsd pmaddubsw".split())
SSE41 = set("pinsrb pinsrd pinsrq pextrb pextrd pextrq pblendw pblendvb ptest pcmpeqq pminud pmaxud pmuldq pmulld "
            "packusdw pmovzxbw pmovzxbd pmovzxbq pmovzxwd pmovzxwq pmovzxdq pmovsxdq movntdqa".split())
BMI2 = set("mulx rorx shlx shrx sarx pdep pext bzhi".split())
BMI1 = set("andn bextr blsi blsr blsmsk tzcnt".split())
AVX2_ANY = re.compile(r"^v(pbroadcast|inserti128|extracti128|perm2i128|permq|permd|pblendd|psllv|psrlv|psrav|broadcasti128|pmaskmov)")
AVX512_ANY = re.compile(r"^v(pternlog|prol|pror|perm[it]2|pmov[qdw][bwd]$|pmovm2|pmov[bwdq]2m|movdq[au](8|16|32|64)|shufi|inserti(32|64)x|"
                        r"extracti(32|64)x|broadcasti(32|64)x|pandd|pandq|pord|porq|pxord|pxorq|pandn[dq]$|align[dq]|pblendm|pcompress|pexpand|"
                        r"valign|psraq|pmullq|ptestm|ptestnm|pcmpu?[bwdq]$)")
FORBIDDEN = re.compile(r"^(i?div[lqwb]?|v?(div|sqrt)[sp][sd]|v?p?gather\w*|vgather\w*|rdtsc|rdrand|cpuid)$")
VEC = re.compile(r"%([xyz])mm(\d+)")
NO_SPILL = ("chacha20_avx512", "poly1305_avx512_ifma", "aes_gcm_vaes_avx512", "chacha20_poly1305_avx512")


def closure(names):
    names = set(names)
    while True:
        more = {b for n in names for b in LOWER.get(n, "").split()} - names
        if not more:
            return names
        names |= more


def needed(mnemonic, operands):
    """The instruction sets one instruction belongs to."""
    m = mnemonic
    regs = VEC.findall(operands)
    widths = {w for w, _ in regs}
    high = any(int(n) > 15 for _, n in regs)
    if m in BMI2:
        return {"bmi2"}
    if m.rstrip("lq") in BMI1 or m in BMI1:
        return {"bmi1"}
    if m.startswith(("adcx", "adox")):
        return {"adx"}
    if m.startswith("movbe"):
        return {"movbe"}
    if m.startswith(("popcnt", "lzcnt")):
        return {m[:6]}
    if re.match(r"^k[a-z]+[bwdq]$", m) and "%k" in operands:
        return {"avx512"}
    if not (regs or m.startswith("v")) or m in ("vzeroupper", "vzeroall"):
        return {"avx"} if m.startswith("vz") else set()
    wide = bool(widths & {"y", "z"})
    out = set()
    if m.startswith("v"):
        out.add("avx")
        evex = "z" in widths or high or "%k" in operands or "{1to" in operands or AVX512_ANY.match(m)
        if evex:
            out.add("avx512")
        elif "y" in widths and m.startswith("vp"):
            out.add("avx2")
        elif AVX2_ANY.match(m):
            out.add("avx2")
        if m.startswith("vaes"):
            out.add("vaes" if wide or evex else "aes")
        if m.startswith("vpclmul"):
            out.add("vpclmul" if wide or evex else "pclmul")
        if m.startswith("vpmadd52"):
            out.add("avx512_ifma" if evex else "avx_ifma")
        if re.match(r"^vperm([it]2)?b$|^vpmultishiftqb", m):
            out.add("avx512_vbmi")
    elif m.startswith("aes"):
        out.add("aes")
    elif m.startswith("pclmul"):
        out.add("pclmul")
    elif m in SSSE3:
        out.add("ssse3")
    elif m in SSE41:
        out.add("sse41")
    else:
        out.add("sse2")
    return out


def functions(path):
    """{address: (name, [(address, mnemonic, operands)])} of one object's .text sections, by section."""
    text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", "-w", path], capture_output=True, text=True,
                          check=True).stdout
    result, section, body = {}, "", None
    for line in text.split("\n"):
        if line.startswith("Disassembly of section"):
            section = line.split()[-1].rstrip(":")
        elif re.match(r"^[0-9a-f]+ <", line):
            address, name = re.match(r"^([0-9a-f]+) <(.*)>:", line).groups()
            body = []
            result[(section, int(address, 16))] = (name, body)
        elif body is not None and re.match(r"^ +[0-9a-f]+:\t", line):
            parts = line.strip().split("\t")
            code = re.sub(r"^((rep|repz|repnz|lock|notrack|bnd|data16|cs|ds|\{evex\}|\{vex\}) +)+", "", parts[1].strip())
            mnemonic, _, operands = code.partition(" ")
            if re.match(r"^[a-z]", mnemonic) and not re.match(r"^R_", mnemonic):
                reloc = parts[2] if len(parts) > 2 else ""
                body.append((int(parts[0].rstrip(":"), 16), mnemonic, operands.strip(), reloc))
    return result


def entries(path):
    """The (section, address) of the functions that the descriptor points to, and names of others."""
    text = subprocess.run(["objdump", "-r", path], capture_output=True, text=True, check=True).stdout
    found, where = set(), ""
    for line in text.split("\n"):
        if line.startswith("RELOCATION RECORDS FOR"):
            where = line
        match = re.search(r"R_X86_64_64\s+(\.text[\w.]*)(?:\+0x([0-9a-f]+))?$", line)
        if match and "data" in where:
            found.add((match.group(1), int(match.group(2) or "0", 16)))
        match = re.search(r"R_X86_64_64\s+([a-z_]\w*)$", line)
        if match and "data" in where:
            found.add(match.group(1))
    return found


def dirty_exits(body, summaries):
    """Addresses of returns (or jumps out) that are reached with a dirty upper half."""
    index = {ins[0]: i for i, ins in enumerate(body)}
    state = [None] * len(body)
    work, bad = [(0, False)], set()
    while work:
        i, dirty = work.pop()
        while i < len(body):
            if state[i] is True or state[i] == dirty:
                break
            state[i] = dirty or bool(state[i])
            dirty = state[i]
            address, m, ops, reloc = body[i]
            target = re.match(r"^([0-9a-f]+)(?: <([^>+]*)(\+0x[0-9a-f]+)?>)?", ops)
            if m in ("vzeroupper", "vzeroall"):
                dirty = False
            elif m.startswith("ret"):
                if dirty:
                    bad.add(address)
                break
            elif m.startswith("jmp"):
                if reloc or not target or int(target.group(1), 16) not in index:
                    if dirty and "*" not in ops:
                        bad.add(address)
                    break
                i = index[int(target.group(1), 16)]
                continue
            elif m.startswith("j") and target and not reloc:
                if int(target.group(1), 16) in index:
                    work.append((index[int(target.group(1), 16)], dirty))
            elif m.startswith("call"):
                name = target.group(2) if target else ""
                dirty = dirty or summaries.get(name, False)
            elif m.startswith("v"):
                last = ops.rsplit(",", 1)[-1]
                if re.search(r"%[yz]mm([0-9]|1[0-5])\b", last):
                    dirty = True
            i += 1
    return bad


def spills(body):
    """{length: count} of innermost loops: stack slots that a vector is stored to and read from again."""
    index = {ins[0]: i for i, ins in enumerate(body)}
    loops = []
    for i, (address, m, ops, reloc) in enumerate(body):
        target = re.match(r"^([0-9a-f]+) <", ops)
        if m.startswith("j") and target and not reloc and index.get(int(target.group(1), 16), i + 1) <= i:
            loops.append((index[int(target.group(1), 16)], i))
    result = {}
    for a, b in loops:
        if any((c, d) != (a, b) and a <= c and d <= b for c, d in loops):
            continue
        written, read = set(), set()
        for _, m, ops, _ in body[a:b]:
            slot = re.search(r"(-?(?:0x[0-9a-f]+)?\(%r[sb]p\))", ops)
            if slot and VEC.search(ops):
                (written if ops.endswith(slot.group(1)) else read).add(slot.group(1))
        result[b - a] = len(written & read)
    return result


def main():
    build = pathlib.Path(sys.argv[1])
    passed = failed = 0

    def check(ok, what):
        nonlocal passed, failed
        if ok:
            passed += 1
        else:
            failed += 1
            print("FAIL", what)

    for path in sorted((build / "obj/src").glob("*.o")):
        used = set()
        for name, body in functions(path).values():
            for _, m, ops, _ in body:
                used |= needed(m, ops)
        check(used <= {"sse2"}, f"{path.stem}: uses {sorted(used - {'sse2'})} outside of the kernels")

    for path in sorted((build / "obj/src/kernels").glob("*.o")):
        source = pathlib.Path(f"src/kernels/{path.stem}.c").read_text()
        declared = re.search(r"PLAIT_NEEDS\(([^)]*)\)", source)
        allowed = closure([n.strip() for n in declared.group(1).split(",")] if declared else []) | {"sse2"}
        code, starts = functions(path), entries(path)
        extra, bad = {}, []
        summaries = {}
        for _ in range(4):  # until what callees leave behind is known
            for key, (name, body) in code.items():
                summaries[name] = bool(dirty_exits(body, summaries))
        for key, (name, body) in code.items():
            for address, m, ops, _ in body:
                for isa in needed(m, ops) - allowed:
                    extra.setdefault(isa, f"{m} {ops} in {name}")
                if FORBIDDEN.match(m):
                    bad.append(f"{m} in {name}")
            if key in starts or name in starts:
                check(not summaries[name], f"{path.stem}: {name} returns without vzeroupper")
        check(not extra, f"{path.stem}: needs more than it says: {extra}")
        check(not bad, f"{path.stem}: {bad[:3]}")
        for key, (name, body) in code.items():
            for length, count in sorted(spills(body).items()):
                if count:
                    print(f"note: {path.stem}: {count} vectors go to the stack and back in a loop of {length} instructions of {name}")
                if path.stem in NO_SPILL:
                    check(count == 0, f"{path.stem}: {name} spills {count} in a loop of {length} instructions")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
