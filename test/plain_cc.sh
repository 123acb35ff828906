#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Does the one line that the library promises to build with, build it? No flag, no configuration, no warning; with
# every compiler that is installed, for this machine and for others.

. "$(dirname "$0")/lib.sh"

# The contract's line, in an empty folder, with warnings as errors.
line() { # compiler, further flags
    (cd "$WORK" && rm -f ./*.o && "$@" -I"$ROOT/include" -c "$ROOT"/src/*.c "$ROOT"/src/kernels/*.c)
}

# $CC builds it all; the others read it all (in the long form, build it; another part builds with the second one).
warnings="-std=c11 -Wall -Wextra -Wpedantic -Werror"
check "$CC -O2 -std=c11 -Wall -Wextra -Wpedantic" line "$CC" -O2 $warnings
seen=$(readlink -f "$(command -v "$CC")")
for c in gcc clang gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang-20; do
    have "$c" || continue
    which=$(readlink -f "$(command -v "$c")")
    case " $seen " in *" $which "*) continue ;; esac
    seen="$seen $which"
    if [ "$LEVEL" -ge 2 ]; then check "$c -O2 -std=c11 -Wall -Wextra -Wpedantic" line "$c" -O2 $warnings
    else check "$c, front end" line "$c" -fsyntax-only -O2 $warnings; fi
done

# With nothing said at all: no optimisation, the compiler's own language. (compilers.sh builds without optimisation.)
if [ "$LEVEL" -ge 2 ]; then
    check "$CC, no flags" line "$CC" -Werror
    for o in -Os -O3 -march=native -DPLAIT_PORTABLE -DPLAIT_DEBUG -flto; do
        check "$CC $o" line "$CC" -O2 $o $warnings
    done
fi

# Other machines; foreign.sh builds and runs more on them.
for target in aarch64-linux-gnu s390x-linux-gnu arm-linux-gnueabihf i686-linux-gnu sparc64-linux-gnu; do
    if have $target-gcc; then check "$target-gcc, front end" line $target-gcc -fsyntax-only -O2 $warnings
    else skip "$target-gcc" "not installed"; fi
done
clang=$(first_of clang clang-19 clang-16 clang-14)
if [ -n "$clang" ] && [ -d /usr/aarch64-linux-gnu/include ]; then
    # order.sh has it build the kernels
    check "$clang for AArch64, front end" line "$clang" --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include \
        -fsyntax-only -O2 $warnings
else skip "clang for AArch64" "needs clang and libc6-dev-arm64-cross"; fi

finish
