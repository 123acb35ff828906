#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What do the libraries show to others? The shared one exports what the headers declare and nothing else, the static one
# defines no external name without the prefix; nothing writable is shared but the words of CPU bits; no constructors, no
# executable stack, no dependency but the C library; soname.

. "$(dirname "$0")/lib.sh"

nm=$(first_of nm llvm-nm llvm-nm-14)
objdump=$(first_of objdump llvm-objdump llvm-objdump-14)
readelf=$(first_of readelf llvm-readelf llvm-readelf-14)
shared=$BUILD/libplait.so.0
static=$BUILD/libplait.a
if [ "$(uname -s)" != Linux ] || [ -z "$nm" ] || [ -z "$readelf" ] || [ -z "$objdump" ]; then
    skip "symbols" "needs Linux and binutils"
    finish
fi
[ -f "$shared" ] && [ -f "$static" ] || { check "the libraries are built" false; finish; }

sed -n 's/^PLAIT_API .*[ *]\(plait_[a-z0-9_]*\)(.*/\1/p' "$ROOT"/include/*.h | sort -u >"$WORK/declared"
$nm -D --defined-only "$shared" | awk '{print $NF}' | sed 's/@.*//' | sort -u >"$WORK/exported"
check "some functions are declared" test "$(wc -l <"$WORK/declared")" -ge 35
check "the shared library exports what the headers declare, and nothing else" diff "$WORK/declared" "$WORK/exported"

others() { # external names in the static library without the prefix
    ! $nm -g --defined-only "$static" 2>/dev/null | awk 'NF == 3 && $3 !~ /^plait_/' | grep .
}
check "every external name of the static library starts with plait_" others

undefined() { # what the library asks of others
    ! $nm -u "$static" 2>/dev/null | awk '{print $2}' | sort -u |
        grep -vE '^(plait_.*|mem(cpy|set|move|cmp)|str(len|cmp|cspn|ncmp|chr)|secure_getenv|getenv|getauxval|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__assert_fail|__memcpy_chk|__memset_chk|)$' | grep .
}
check "it needs nothing but a few functions of the C library" undefined

# Tags are compared in one place, without memcmp: only names of kernels and words of PLAIT_CPU are.
comparers() {
    for object in "$BUILD"/obj/src/*.o "$BUILD"/obj/src/kernels/*.o; do
        $nm -u "$object" 2>/dev/null | grep -qE ' (memcmp|bcmp)$' && basename "$object" .o
    done | grep -vxE 'kernels|cpu|selftest' >"$WORK/comparers"
    cat "$WORK/comparers"
    ! [ -s "$WORK/comparers" ]
}
check "memcmp where names are compared, and nowhere else" comparers

# Writable data: words that are written whole. Everything else is const (with relocations, in .data.rel.ro).
writable() {
    $objdump -t "$static" 2>/dev/null | awk 'NF >= 5 && $(NF-2) ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $(NF-2) !~ /^\.data\.rel\.ro/ && $NF !~ /^\./ {print $NF}' |
        sort -u >"$WORK/writable"
    grep -q word_present "$WORK/writable" && ! grep -vE '^(word_[a-z_]*)$' "$WORK/writable"
}
check "nothing is writable but the words of CPU bits" writable
check "no constructors, no IFUNCs" sh -c "! $readelf -SW '$shared' | grep -E '\.(ctors|preinit_array)' && \
    ! $readelf -sW '$shared' | grep -E ' (IFUNC|TLS) ' && ! $objdump -t '$static' 2>/dev/null | grep -E '\.init_array|\.ctors'"
check "the stack is not executable" sh -c "$readelf -lW '$shared' | grep GNU_STACK | grep -q 'RW ' && \
    ! $readelf -lW '$shared' | grep GNU_STACK | grep -q RWE"
check "no text relocations" sh -c "! $readelf -dW '$shared' | grep TEXTREL"
check "soname libplait.so.0" sh -c "$readelf -dW '$shared' | grep -q 'SONAME.*\[libplait.so.0\]'"
check "needs libc at most" sh -c "! $readelf -dW '$shared' | grep NEEDED | grep -vE '\[(libc\.so|ld-linux)'"
finish
