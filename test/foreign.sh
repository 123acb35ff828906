#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# foreign.sh TARGET - does the library work on another kind of machine? Builds it with a cross compiler, static, and runs
# the tests under an emulator (i386: by this CPU, where it can):
#   aarch64  the kernels of AArch64, with all extensions that the emulator has
#   s390x    64-bit big-endian
#   armhf    32-bit, little-endian, strict about alignment
#   i386     32-bit, another ABI
#   sparc64  64-bit big-endian; VIS3 from QEMU 9.1 on
# It shows speeds of nothing. FOREIGN_TESTS names the programs, without "test_".

. "$(dirname "$0")/lib.sh"
target=${1:-}
case $target in
aarch64) gnu=aarch64-linux-gnu emulator=qemu-aarch64 cpu="-cpu max" ;;
s390x) gnu=s390x-linux-gnu emulator=qemu-s390x cpu="-cpu max" ;;
armhf) gnu=arm-linux-gnueabihf emulator=qemu-arm cpu="-cpu max" ;;
i386) gnu=i686-linux-gnu emulator=qemu-i386 cpu="-cpu max" ;;
sparc64) gnu=sparc64-linux-gnu emulator=qemu-sparc64 cpu= ;;
*) echo "usage: foreign.sh aarch64|s390x|armhf|i386|sparc64" >&2; exit 2 ;;
esac
build=$BUILD/foreign/$target

cc=$(first_of $gnu-gcc $gnu-gcc-12 $gnu-gcc-13 $gnu-gcc-14)
qemu=$(first_of $emulator-static $emulator)
[ -n "$cc" ] || { skip "$target" "not installed: gcc-$gnu"; finish; }
echo 'int main(void) { return 0; }' >"$WORK/empty.c"
$cc -static "$WORK/empty.c" -o "$WORK/empty" 2>/dev/null || { skip "$target" "not installed: the C library for $gnu"; finish; }
runner=
if [ $target != i386 ] || ! "$WORK/empty" 2>/dev/null; then
    [ -n "$qemu" ] || { skip "$target" "not installed: qemu-user-static"; finish; }
    if [ $target = sparc64 ]; then
        # the first that knows VIS3
        for c in "-cpu Sun-UltraSparc-T2,+vis3" ""; do
            $qemu $c "$WORK/empty" 2>/dev/null && { cpu=$c; break; }
        done
        [ -n "$cpu" ] || skip "sparc64: rows for VIS3" "$qemu does not know it (QEMU 9.1 does)"
    fi
    runner="$qemu $cpu"
    $runner "$WORK/empty" || { skip "$target" "$qemu can not run a program of $gnu-gcc"; finish; }
fi
echo "# $target: $($cc --version | head -n 1); ${runner:-this CPU}"

flags=
all="vectors rows splits memory api batch limits dispatch selftest abi threads installed"
if [ $target = aarch64 ]; then
    flags=" -ffixed-x18 -DPLAIT_TEST_X18" # see test_abi.c
    all="$all wipe"                       # its makecontext does not work everywhere under QEMU
fi
[ "$LEVEL" -ge 2 ] && all="$all huge libcrypto"
tests=
for t in ${FOREIGN_TESTS:-$all}; do tests="$tests $build/test/test_$t"; done
mkdir -p "$build"
[ "$(cat "$build/flags" 2>/dev/null)" = "$cc$flags" ] || rm -rf "$build/obj" "$build/test"
echo "$cc$flags" >"$build/flags"
build_it() {
    ${MAKE:-make} -s -C "$ROOT" BUILD="$build" CC="$cc" AR="$(first_of $gnu-ar ar)" CFLAGS="-O2 -static -Werror$flags" "$@"
}
check "$target: builds without a warning" build_it $tests
if [ "$failed" -eq 0 ]; then
    PLAIT_TEST_LEVEL=$((LEVEL > 0 ? LEVEL - 1 : 0)) TEST_RUNNER=$runner PLAIT_TEST_EMULATED=1 \
        sh "$ROOT/test/run.sh" "$build/test/log" $tests >"$WORK/ran"
    sed '$d' "$WORK/ran"
    set -- $(tail -n 1 "$WORK/ran" | tr -dc '0-9 ')
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
fi
# Constant time, as far as an emulator shows it: instructions and addresses.
if [ $target = aarch64 ] && have python3; then
    build_it "$build/test/test_trace" >"$WORK/output" 2>&1
    PLAIT_TEST_LEVEL=$((LEVEL > 0 ? LEVEL - 1 : 0)) \
        python3 "$ROOT/test/blocks.py" "$build/test/test_trace" "$(first_of $gnu-nm nm)" \
        "$(first_of $gnu-objdump objdump)" $runner >"$WORK/blocks"
    { echo "== blocks"; cat "$WORK/blocks"; } >>"$build/test/log"
    grep -vE '^RUN' "$WORK/blocks" | sed '$d'
    set -- $(tail -n 1 "$WORK/blocks" | tr -dc '0-9 ')
    passed=$((passed + ${1:-0})) failed=$((failed + ${2:-1}))
    echo "blocks.py                    ${1:-0} passed, ${2:-1} failed"
fi
finish
