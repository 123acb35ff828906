#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Does the tree keep its own rules? Rows and files belong together; each kernel file has its one conditional; lines,
# blanks and characters; licence lines; no word about where and how this was written; generated documents are current.

. "$(dirname "$0")/lib.sh"
cd "$ROOT" || exit 1

# The files that are part of the project: those of git where there is git.
if have git && git rev-parse --git-dir >/dev/null 2>&1; then git ls-files --cached --others --exclude-standard
else find . -type f | sed 's|^\./||' | grep -v '^build'; fi | while read -r f; do [ -f "$f" ] && echo "$f"; done >"$WORK/files"
code() {
    grep -E '\.(c|h|def)$' "$WORK/files"
}

none() { # fails if it is given a line, and shows them
    ! grep . >"$WORK/found" || { head -n 12 "$WORK/found"; return 1; }
}

rows() {
    sed -n 's/^PLAIT_ROW(\([a-z0-9_]*\), *\([a-z0-9_]*\)).*/\1_\2/p' src/kernels.def
}
rows | sort >"$WORK/rows"
ls src/kernels/*.c | sed 's|.*/||; s|\.c$||' | sort >"$WORK/kernels"
check "there are rows" test -s "$WORK/rows"
check "each row has a file, each file a row" diff "$WORK/rows" "$WORK/kernels"
no_twins() { rows | sort | uniq -d | none; }
check "no row twice" no_twins
family_last_ref() { # every family ends with a portable row; so selection never comes up empty
    for f in chacha20 poly1305 aes ghash; do rows | grep "^${f}_ref$" | grep -q . || echo "$f has no ref row"; done | none
}
check "each family of parts has a portable row" family_last_ref

one_conditional() {
    for f in src/kernels/*.c; do
        n=$(grep -cE '^# *(if|ifdef|ifndef)' "$f")
        case $f in
        *_ref*.c) ;;
        *) [ "$n" -eq 1 ] && grep -qE '^#if PLAIT_BUILD_[A-Z0-9_]+$' "$f" && grep -q 'PLAIT_NOT_BUILT(' "$f" ||
            echo "$f: $n conditionals, or not the one with a stub" ;;
        esac
        base=$(basename "$f" .c)
        grep -q "plait_$base *=" "$f" || echo "$f does not define plait_$base"
        head -n 1 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$f: first line"
    done | none
}
check "each kernel file has one conditional, a stub, and the descriptor of its name" one_conditional
same_needs() { # what a stub says it needs is what the kernel needs
    for f in src/kernels/*.c; do
        real=$(tr '\n' ' ' <"$f" | sed -n 's/.*PLAIT_NEEDS(\([^)]*\)).*/\1/p' | tr -d ' ')
        stub=$(tr '\n' ' ' <"$f" | sed -n 's/.*PLAIT_NOT_BUILT(\([^)]*\)).*/\1/p' | tr -d ' ')
        [ "$real" = "$stub" ] || echo "$f: needs $real, its stub $stub"
    done | none
}
check "stubs need what their kernels need" same_needs

intrinsics() {
    grep -nE 'immintrin|arm_neon|__m[0-9]+|_mm[0-9]*_' src/*.c src/*.h | grep -v '^src/kernel.h' | none
}
check "no intrinsics outside of src/kernels" intrinsics
memcmp_in_verify() {
    grep -nE '\b(memcmp|strcmp|bcmp)\(' src/aead.c src/stream.c src/message.c src/aes_gcm.c src/chacha20_poly1305.c src/kernels/* | none
}
check "no memcmp where tags are compared" memcmp_in_verify
memset_wipe() {
    grep -nE '\bmemset\([a-z_&>.-]*(key|area|state|stream|raw|acc|h)\b, *0' src/stream.c src/key.c src/aead.c | grep -v plait_wipe | none
}
check "secrets are wiped by plait_wipe" memset_wipe

licence() {
    code | while read -r f; do head -n 1 "$f" | grep -q SPDX-License-Identifier || echo "$f"; done | none
}
check "each source starts with its licence" licence
blanks() {
    { code; grep -E '\.(sh|py|md)$|Makefile' "$WORK/files"; } | xargs grep -nE "[ $(printf '\t')]+\$" | none
}
check "no blanks at line ends" blanks
tabs() {
    code | xargs grep -n "$(printf '\t')" | none
}
check "no tabs in C" tabs
long_lines() {
    code | grep -E '^(src|include|cli|test|examples)/' | xargs awk 'length($0) > 100 {print FILENAME ":" FNR ": " length($0)}' | none
}
check "no line of C over 100 columns" long_lines
ascii() {
    code | LC_ALL=C xargs grep -nP '[^\x00-\x7f]' | none
}
check "C is ASCII" ascii
places() { # paths and tools of a private machine have no place here
    xargs grep -nE '(^|[^a-zA-Z0-9_.-])/(wo)rk/|\.\./(sha)red|/tmp/(la)nd|/tmp/(ti)ming|/tmp/(br)ief|/tmp/(bu)ild-|(is)sues show' <"$WORK/files" | none
}
check "nothing of a private machine" places
unfinished() {
    code | xargs grep -nE '\b(TO''DO|FIX''ME|XX''X)\b' | none
}
check "nothing marked as unfinished" unfinished
large() {
    while read -r f; do [ "$(wc -c <"$f")" -gt 400000 ] && echo "$f"; done <"$WORK/files" | none
}
check "no large files" large
scripts() {
    for f in test/*.sh; do sh -n "$f" || return 1; done
}
check "scripts are well-formed" scripts
if have python3; then
    check "generated documents are current" python3 tools/docs.py --check
else skip "generated documents" "no python3"; fi
finish
