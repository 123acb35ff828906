#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is the object code what the kernels say it is? For x86-64 objects, from objdump's disassembly:

  needs      each kernel uses only the instruction sets that its descriptor needs
  plain      nothing outside the kernels uses more than the baseline (SSE2)
  vzeroupper each function that a descriptor names returns with the upper halves clean
  allowed    only instructions of the lists below, of which none takes a time that depends on its operands' values,
             and none computes an address from a vector: no division, no square root, no gather, no scatter
  spills     the widest loops move no vector register to the stack and back (told, and checked
             for the kernels in NO_SPILL)

    objects.py BUILD     (objects of src/ in BUILD/obj/src)

Prints a line per failure and ends with "N passed, N failed".
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

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
# What kernels may be made of. New ones are looked up before they are added: Intel's list of instructions with
# data-operand-independent timing, or a manual.
CONTROL = re.compile(r"^(j(a|ae|b|be|e|g|ge|l|le|ne|ns|s|o|no|p|np|mp)|call|ret|leave|push|pop|nop[wl]?|ud2|endbr64|xchg|"
                     r"vzeroupper|stos[blqw]?|movs[blqw]|prefetch\w+)$")
SCALAR = re.compile(r"^((adc|add|and|cmp|dec|imul|inc|mov|mul|neg|not|or|rol|ror|sar|sbb|shl|shr|sub|test|xor|lea|bt|bts|btr|"
                    r"bswap|shld|shrd)[bwlq]?|mov(abs|sbl|sbq|swl|slq|zbl|zwl|zbw)|cltq|cqto|cwtl|cmov\w+|set\w+|"
                    r"(adcx|adox)[lq]?|(andn|bextr|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx)[lq]?|tzcnt|lzcnt|bsf|bsr)$")
VECTOR = re.compile(r"^v?(aes(enc|enclast|imc|keygenassist|dec|declast)|pclmul(qdq|[lh]q[lh]qdq)|"
                    r"p(add|sub)[bwdq]|p(and|andn|or|xor)[dq]?|(and|andn|or|xor)p[sd]|"
                    r"p(sll|srl|sra)v?[wdq]|p(sll|srl)dq|pro[lr]v?[dq]|palignr|align[dq]|"
                    r"pshuf(b|d|hw|lw)|shufp[sd]|shuf[if](32x4|64x2)|punpck[lh](bw|wd|dq|qdq)|unpck[lh]p[sd]|"
                    r"perm([it]2)?([bwdq]|p[sd])|perm2[if]128|permilp[sd]|pblend(w|d|vb|m[bwdq])|blendv?p[sd]|blendmp[sd]|"
                    r"pcmp(eq|gt)[bwdq]|pcmp(eq|ne|neq|lt|nlt|le|nle|gt)?u?[bwdq]|ptest(n?m[bwdq])?|p(max|min)[us][bwdq]|"
                    r"mov(dq[au](8|16|32|64)?|[au]p[sd]|[dq]|s[sd]|hlps|lhps|[lh]p[sd]|s[hl]dup|ddup|ntdqa?)|"
                    r"lddqu|pmovm2[bwdq]|pmov[bwdq]2m|pmov[qdw][bwd]|pmov[sz]x(bw|bd|bq|wd|wq|dq)|pmovmskb|movmskp[sd]|"
                    r"(broadcast)(s[sd]|[if](128|32x[248]|64x[24]))|pbroadcast(m[bw]2[qd]|[bwdq])|"
                    r"(insert|extract)([if]128|[if](32x[48]|64x[24])|ps)|p(insr|extr)[bwdq]|pack[su]s(wb|dw)|"
                    r"pmul(udq|dq|ld|lq|lw|hw|huw|hrsw)|pmadd(wd|ubsw|52[lh]uq)|pternlog[dq]|pabs[bwd]|psign[bwd]|"
                    r"pcompress[bwdq]|pexpand[bwdq]|pmultishiftqb|gf2p8\w+|zeroupper|zeroall)$")
MASK = re.compile(r"^k(mov|and|andn|or|xor|xnor|not|shift[lr]|unpck|add|ortest|test)(bw|wd|dq|[bwdq])$")
# Elsewhere, besides: the counts of front ends are divided, and the CPU is asked what it is.
ELSEWHERE = {"stream": r"^div[lq]?$", "cpu": r"^(cpuid|xgetbv)$"}
# Clang 14 fetches the lengths of the jobs of a batch by gathers. Lengths are public.
EXCEPT = {("chacha20_poly1305_avx512", "batch_short"): re.compile(r"^vpgatherqq 0x38\(,%zmm"),
          ("chacha20_poly1305_avx2", "batch_short"): re.compile(r"^vpgatherqq 0x38\(,%ymm")}
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


def on_list(stem, name, mnemonic, operands):
    """May this instruction occur in a function of this object?"""
    if any(kind.match(mnemonic) for kind in (CONTROL, SCALAR, VECTOR, MASK)):
        return True
    if stem in ELSEWHERE and re.match(ELSEWHERE[stem], mnemonic):
        return True
    known = EXCEPT.get((stem, name.split(".")[0]))
    return bool(known and known.match(f"{mnemonic} {operands}"))


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

    # Does this see what it is for? A division, and a table looked up by a gather.
    with tempfile.TemporaryDirectory() as folder:
        plant = pathlib.Path(folder) / "plant.c"
        plant.write_text("unsigned divides(unsigned a, unsigned b) { return a / b; }\n"
                         "void gathers(const int *t) { __asm__(\"vpgatherdd %%ymm2, (%0,%%ymm1,4), %%ymm0\" :: \"r\"(t)); }\n"
                         "unsigned harmless(unsigned a, unsigned b) { return a + b; }\n")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-c", str(plant), "-o", folder + "/plant.o"], check=True)
        planted = {name: [m for _, m, ops, _ in body if not on_list("plant", name, m, ops)]
                   for name, body in functions(folder + "/plant.o").values()}
        check(all(planted.get(name) for name in ("divides", "gathers")) and planted.get("harmless") == [],
              f"a planted division and a planted gather are seen: {planted}")

    for path in sorted((build / "obj/src").glob("*.o")):
        used, bad = set(), []
        for name, body in functions(path).values():
            for _, m, ops, _ in body:
                used |= needed(m, ops)
                if not on_list(path.stem, name, m, ops):
                    bad.append(f"{m} {ops} in {name}")
        check(not bad, f"{path.stem}: not on the list of instructions: {bad[:3]}")
        check(used <= {"sse2"}, f"{path.stem}: uses {sorted(used - {'sse2'})} outside of the kernels")

    for path in sorted((build / "obj/src/kernels").glob("*.o")):
        source = pathlib.Path(f"src/kernels/{path.stem}.c").read_text()
        declared = re.search(r"PLAIT_NEEDS\(([^)]*)\)", source)
        allowed = closure([n.strip() for n in declared.group(1).split(",")] if declared else []) | {"sse2"}
        code, starts, before = functions(path), entries(path), failed
        extra, bad = {}, []
        summaries = {}
        for _ in range(4):  # until what callees leave behind is known
            for key, (name, body) in code.items():
                summaries[name] = bool(dirty_exits(body, summaries))
        for key, (name, body) in code.items():
            for address, m, ops, _ in body:
                for isa in needed(m, ops) - allowed:
                    extra.setdefault(isa, f"{m} {ops} in {name}")
                if not on_list(path.stem, name, m, ops):
                    bad.append(f"{m} {ops} in {name}")
            if key in starts or name in starts:
                check(not summaries[name], f"{path.stem}: {name} returns without vzeroupper")
        check(not extra, f"{path.stem}: needs more than it says: {extra}")
        check(not bad, f"{path.stem}: not on the list of instructions: {bad[:3]}")
        for key, (name, body) in code.items():
            for length, count in sorted(spills(body).items()):
                if count:
                    print(f"note: {path.stem}: {count} vectors go to the stack and back in a loop of {length} instructions of {name}")
                if path.stem in NO_SPILL:
                    check(count == 0, f"{path.stem}: {name} spills {count} in a loop of {length} instructions")
        if code and failed == before:
            print(f"RUN       {path.stem}: object code ({len(code)} functions)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
