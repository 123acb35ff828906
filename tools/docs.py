#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what is documented in one place and shown in another.

    tools/docs.py [--check] [--program build/plait]

  docs/KERNELS.md    from src/kernels.def and the heads of the kernel files
  docs/man/*.3       from the comments of include/plait.h and include/plait_hazmat.h
  docs/man/plait.1   from the help texts of the program (only with --program)

With --check nothing is written; exits 1 and names each file that is not what would be written.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ["include/plait.h", "include/plait_hazmat.h"]


def version():
    text = (ROOT / "include/plait.h").read_text()
    return ".".join(re.findall(r"#define PLAIT_VERSION_[A-Z]+\s+(\d+)", text))


def comment_text(comment):
    """The text of a C comment, paragraphs and indentation kept."""
    body = re.sub(r"^/\*+|\*/$", "", comment.strip())
    lines = [re.sub(r"^\s*\* ?", "", line) for line in body.split("\n")]
    lines[0] = lines[0].strip()
    return "\n".join(lines).strip("\n").rstrip()


# ---- kernels -------------------------------------------------------------------------------------------

def kernels_md():
    definition = (ROOT / "src/kernels.def").read_text()
    out = ["# Kernels", "",
           "Made by `tools/docs.py` from `src/kernels.def` and the kernel files; do not edit.", "",
           "Best first within each family: a key takes the first row whose needs this CPU meets and which it",
           "does not avoid. Each name works in `plait_key_init_with`, in the `..._with` calls and as",
           "`--kernel`. `plait kernels` shows which of them this machine can use. Blocks are those of the",
           "family: 64 bytes for ChaCha20, 16 for the others.", ""]
    family = None
    for word, args in re.findall(r"^PLAIT_(ROW|FAMILY)\(([^)]*)\)", definition, re.M):
        if word == "FAMILY":
            family = args
            out += [f"## {family}", ""]
            if not re.search(rf"^PLAIT_ROW\({family},", definition, re.M):
                out += ["No row yet: composed of parts.", ""]
            else:
                out += ["| kernel | needs | avoids | blocks in flight | what it is |",
                        "| --- | --- | --- | ---: | --- |"]
            continue
        fam, isa = [a.strip() for a in args.split(",")]
        name = f"{fam}_{isa}"
        text = (ROOT / f"src/kernels/{name}.c").read_text()
        head = comment_text(re.search(r"/\*.*?\*/", text, re.S).group(0))
        paragraphs = [re.sub(r"\s+", " ", p).strip() for p in head.split("\n\n")]
        what = next((p for p in paragraphs if not p.startswith("SPDX")), "")
        what = re.sub(rf"^{re.escape(name)}(\.c)?\s*[-:]+\s*", "", what)
        what = re.split(r"(?<=[^A-Z]\.) (?=[A-Z])", what)[0].rstrip(".:")
        needs = re.search(r"PLAIT_NEEDS\(([^)]*)\)", text)
        avoids = re.search(r"\.avoids = ([^,}]*)", text)
        whole = text + "".join((ROOT / "src/kernels" / body).read_text()
                               for body in re.findall(r'#include "(\w+_body\.h)"', text))
        width = re.search(r"\.width = ([^,}\n]*)", whole)
        number = width.group(1).strip() if width else "-"
        macro = re.search(rf"#define {re.escape(number)} +(\d+)", whole)
        number = macro.group(1) if macro else number
        cells = [f"`{name}`", needs.group(1).replace(" ", "") if needs else "-",
                 avoids.group(1).replace("PLAIT_CPU_", "").replace(" | ", ",").strip() if avoids else "-",
                 number, what.replace("|", "\\|")]
        out.append("| " + " | ".join(cells) + " |")
        if not re.search(rf"PLAIT_ROW\({fam},\s*{isa}\)\s*\n\s*(//[^\n]*\n|/\*.*?\*/\s*)*PLAIT_ROW", definition, re.S):
            out.append("")
    return "\n".join(out).rstrip() + "\n"


# ---- man pages -----------------------------------------------------------------------------------------

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(("\\&" + line if line[:1] in ".'" else line) for line in text.split("\n"))


def paragraphs_roff(text):
    out, literal = [], False
    for line in text.split("\n"):
        indented = line.startswith("  ")
        if indented != literal:
            out.append(".nf" if indented else ".fi")
            literal = indented
        if not line.strip():
            out.append(".PP" if not literal else "")
        else:
            out.append(roff(line))
    if literal:
        out.append(".fi")
    return "\n".join(out)


def declarations(path):
    """(name, prototype, comment) of each function of a header; the comment is the nearest one above."""
    text = (ROOT / path).read_text()
    last = ""
    for match in re.finditer(r"/\*.*?\*/|PLAIT_API[^;]*;", text, re.S):
        piece = match.group(0)
        if piece.startswith("/*"):
            last = comment_text(piece)
            continue
        prototype = re.sub(r"\s+", " ", piece.replace("PLAIT_API ", ""))
        name = re.search(r"(\w+)\(", prototype)
        if name and name.group(1).startswith("plait_"):
            yield name.group(1), prototype, last


def page(name, section, brief, synopsis, description, also):
    return "\n".join([
        '.\\" Made by tools/docs.py; do not edit.',
        f'.TH {name.upper()} {section} "" "plait {version()}"', ".SH NAME", f"{name} \\- {roff(brief)}",
        ".SH SYNOPSIS", synopsis, ".SH DESCRIPTION", paragraphs_roff(description), ".SH SEE ALSO",
        ", ".join(f".BR {a} ({s})" if i == 0 else f"\n.BR {a} ({s})" for i, (a, s) in enumerate(also)), ""])


def man_pages():
    pages = {}
    for header in HEADERS:
        include = pathlib.Path(header).name
        text = (ROOT / header).read_text()
        top = comment_text(re.search(r"/\*.*?\*/", text, re.S).group(0))
        top = top.split("\n\n", 1)[1] if top.startswith("SPDX") else top
        overview = include[:-2]
        functions = list(declarations(header))
        listing = "\n\n" + "\n".join("  " + f[0] for f in functions)
        brief, _, rest = top.partition("\n")
        brief_text = re.sub(r"^\S+ - ", "", brief)
        pages[f"{overview}.3"] = page(overview, 3, brief_text.rstrip(".:,"),
                                      f".B #include <{include}>",
                                      top + "\n\nFunctions, each with a page of its own:" + listing,
                                      [(f[0], 3) for f in functions[:6]] + [("plait", 1)])
        for name, prototype, comment in functions:
            brief = re.split(r"(?<=[.:])\s", re.sub(r"\s+", " ", comment))[0].rstrip(".:")
            head, arguments = prototype.split("(", 1)
            wrapped = textwrap.wrap(arguments, 74, initial_indent=head + "(", subsequent_indent="    ")
            bold = "\n".join(".B " + roff(line) for line in wrapped)
            synopsis = f".nf\n.B #include <{include}>\n.sp\n{bold}\n.fi"
            pages[f"{name}.3"] = page(name, 3, brief, synopsis, comment, [(overview, 3), ("plait", 1)])
    return pages


def program_page(program):
    def help_of(*args):
        return subprocess.run([program, *args, "--help"], capture_output=True, text=True, check=True).stdout

    def commands_of(text, heading):
        return re.findall(r"^  (\w+)  +\S", text.split(heading)[1].split("\n\n")[0], re.M)

    top = help_of()
    commands = commands_of(top, "\ncommands:\n")
    pages = [[command] for command in commands]
    at = commands.index("bench") + 1
    pages[at:at] = [["bench", name] for name in commands_of(help_of("bench"), "\nbenchmarks:\n")]
    parts = ["."+"\\\" Made by tools/docs.py; do not edit.", f'.TH PLAIT 1 "" "plait {version()}"', ".SH NAME",
             "plait \\- proves by benchmark which cipher kernel is best on this CPU", ".SH SYNOPSIS",
             ".B plait", ".I command", "[options]", ".SH DESCRIPTION", ".nf", roff(top.rstrip()), ".fi"]
    for words in pages:
        parts += [f".SH plait {' '.join(words)}", ".nf", roff(help_of(*words).rstrip()), ".fi"]
    return "\n".join(parts + [".SH SEE ALSO", ".BR plait (3)", ""])


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--check", action="store_true")
    args.add_argument("--program")
    options = args.parse_args()
    wanted = {"docs/KERNELS.md": kernels_md()}
    for name, text in man_pages().items():
        wanted[f"docs/man/{name}"] = text
    if options.program:
        wanted["docs/man/plait.1"] = program_page(options.program)
    stale = [n for n, text in wanted.items()
             if not (ROOT / n).exists() or (ROOT / n).read_text() != text]
    known = set(wanted) | {"docs/man/plait.1"}
    stale += [f"docs/man/{p.name}" for p in (ROOT / "docs/man").glob("*.[0-9]")
              if f"docs/man/{p.name}" not in known]
    if options.check:
        for name in stale:
            print(f"stale: {name} (run tools/docs.py)")
        return 1 if stale else 0
    (ROOT / "docs/man").mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in wanted:
            (ROOT / name).write_text(wanted[name])
        else:
            (ROOT / name).unlink()
    print(f"{len(stale)} of {len(wanted)} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
