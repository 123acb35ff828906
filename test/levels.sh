#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Is what compilers make of it constant in time, and wiped, at every level of optimisation? GCC and Clang, -O1, -O2, -O3
# and -O3 -flto: test_secrets (Valgrind) and test_wipe with each, and objects.py over their objects. `make check` has -O2
# of both, and -O3 -flto of one; this is for the long form.

. "$(dirname "$0")/lib.sh"
[ "$LEVEL" -ge 2 ] || [ "${LEVELS_NOW:-}" ] || { skip "levels" "takes half an hour: make check-full"; finish; }

objects() { # build folder
    have python3 && have objdump && objdump -f "$1"/obj/src/aead.o | grep -q x86-64 || return 0
    CC=$c python3 "$ROOT/test/objects.py" "$1"
}
for c in $(compilers); do
    for flags in -O1 -O2 -O3 "-O3 -flto"; do
        build=$BUILD/levels/$c$(echo "$flags" | tr -d ' ')
        programs="$build/test/test_secrets $build/test/test_wipe"
        check "$c $flags: builds" ${MAKE:-make} -s -C "$ROOT" BUILD="$build" CC="$c" CFLAGS="$flags -gdwarf-4" $programs
        for p in $programs; do
            check "$c $flags: $(basename $p)" env PLAIT_TEST_LEVEL=1 "$p"
        done
        case $flags in *lto) ;; *) check "$c $flags: objects.py" objects "$build" ;; esac
        rm -rf "$build"
    done
done
finish
