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

# $CC builds it all; the others at least read it all (in the long form, build it; the second one does in another part).
warnings="-std=c11 -Wall -Wextra -Wpedantic -Werror"
full=$CC
[ "$LEVEL" -ge 2 ] && full=$(compilers)
for c in $full; do check "$c -O2 -std=c11 -Wall -Wextra -Wpedantic" line "$c" -O2 $warnings; done
[ -n "$full" ] || check "a compiler" false
seen=$(for c in $full; do readlink -f "$(command -v "$c")"; done)
for c in gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang-20; do
    have "$c" || continue
    case " $(echo $seen) " in *" $(readlink -f "$(command -v "$c")") "*) continue ;; esac
    if [ "$LEVEL" -ge 2 ]; then check "$c -O2 -std=c11 -Wall -Wextra -Wpedantic" line "$c" -O2 $warnings
    else check "$c, front end" line "$c" -fsyntax-only -O2 $warnings; fi
done

# With nothing said at all: no optimisation, the compiler's own language.
if [ "$LEVEL" -lt 2 ]; then check "$CC, no flags, front end" line "$CC" -Werror -fsyntax-only
else
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
    check "$clang for AArch64" line "$clang" --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include -O2 $warnings
else skip "clang for AArch64" "needs clang and libc6-dev-arm64-cross"; fi

finish
