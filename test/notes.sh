#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Can the library be built for processes that guard their control flow? With -fcf-protection (x86-64) and
# -mbranch-protection=standard (AArch64) every object has to say that it keeps the rules, else the linker drops the note
# for all of the program; and every function that a descriptor names begins with endbr64 or its like. In the short form
# one object of each kind, in the long form all, linked.

. "$(dirname "$0")/lib.sh"
readelf=$(first_of readelf llvm-readelf)
objdump=$(first_of objdump)
[ -n "$readelf" ] && [ -n "$objdump" ] || { skip "notes" "needs binutils"; finish; }
flags="-std=c11 -O1 -fPIC -fvisibility=hidden -I$ROOT/include"

sources() { # all of them, or one front end and the kernels with the largest asm blocks
    if [ "$LEVEL" -ge 2 ]; then ls "$ROOT"/src/*.c "$ROOT"/src/kernels/*.c
    else for f in aead kernels/"$1" kernels/"$2"; do echo "$ROOT/src/$f.c"; done
    fi
}
noted() { # compiler, flag, note, landing pad, objdump, sources: all objects have the note, all entries the pad
    compiler=$1 flag=$2 note=$3 pad=$4 dump=$5
    shift 5
    mkdir -p "$WORK/$compiler"
    for f; do
        o=$WORK/$compiler/$(basename "$f" .c).o
        $compiler $flags $flag -c "$f" -o "$o" || return 1
        $readelf -nW "$o" | grep -q "$note" || { echo "no note in $(basename "$o")"; return 1; }
        # functions by address in data: the descriptor's
        for offset in $($readelf -rW "$o" | awk '/\.rela\.data/ {on = 1} /^Relocation section/ && !/data/ {on = 0}
                on && $5 == ".text" {print $7}' | sort -u); do
            $dump -d --start-address=0x$offset --stop-address=$((0x$offset + 4)) "$o" | grep -qE "$pad" ||
                { echo "no $pad at $offset in $(basename "$o")"; return 1; }
        done
    done
}
without_note() {
    rm -rf "$WORK/plain" && mv "$WORK/$CC" "$WORK/plain" && mkdir "$WORK/$CC" || return 1
    noted "$CC" -fcf-protection=none 'IBT, SHSTK' endbr64 "$objdump" "$ROOT/src/kernels/ghash_pclmul.c" && return 1
    rm -rf "$WORK/$CC" && mv "$WORK/plain" "$WORK/$CC"
}
linked() { # the shared library keeps the note, but for the C library's own start files, which may have none
    $CC -shared -nostartfiles -fcf-protection=full -o "$WORK/lib.so" "$WORK/$CC"/*.o && $readelf -nW "$WORK/lib.so" | grep -q 'IBT'
}

if $CC -dumpmachine | grep -q x86_64; then
    for c in $(compilers); do
        check "$c -fcf-protection: notes and landing pads" noted "$c" -fcf-protection=full 'IBT, SHSTK' endbr64 "$objdump" \
            $(sources chacha20_avx2 poly1305_avx512_ifma)
    done
    check "an object without is noticed" without_note
    if [ "$LEVEL" -ge 2 ] && [ -d "$WORK/$CC" ]; then check "the shared library has the note" linked
    else skip "the shared library has the note" "in the long form"; fi
else skip "notes of x86-64" "not an x86-64 compiler: $CC"; fi
gnu=aarch64-linux-gnu
if have $gnu-gcc; then
    check "AArch64, -mbranch-protection: notes and landing pads" noted $gnu-gcc -mbranch-protection=standard 'BTI, PAC' \
        '(bti|paciasp)' $gnu-objdump $(sources chacha20_neon_wide aes_gcm_neon_aes)
else skip "notes of AArch64" "not installed: gcc-$gnu"; fi
finish
