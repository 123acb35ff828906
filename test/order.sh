#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Is the order of instructions in the object code of the AArch64 kernels the one they are named for? See
# order.py. With each compiler that can make such objects.

. "$(dirname "$0")/lib.sh"
have python3 || { skip order "python3 is not installed"; finish; }
objdump=$(first_of aarch64-linux-gnu-objdump llvm-objdump-19 llvm-objdump-20 llvm-objdump)
[ -n "$objdump" ] || { skip order "not installed: aarch64-linux-gnu-objdump or llvm-objdump"; finish; }
gcc=$(first_of aarch64-linux-gnu-gcc)
clang=$(first_of clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
ran=0
echo '#include <string.h>' >"$WORK/try.c"
try() { # compiler and flags
    $1 -c "$WORK/try.c" -o "$WORK/try.o" 2>/dev/null || return
    ran=$((ran + 1))
    echo "# $1"
    python3 "$ROOT/test/order.py" "$1" "$objdump" "$WORK" >"$WORK/order"
    sed '$d' "$WORK/order"
    set -- $(tail -n 1 "$WORK/order" | tr -dc '0-9 ')
    passed=$((passed + ${1:-0})) failed=$((failed + ${2:-1}))
}
[ -n "$gcc" ] && try "$gcc"
[ -n "$clang" ] && try "$clang --target=aarch64-linux-gnu"
[ "$ran" -gt 0 ] || skip order "no compiler for AArch64 (gcc-aarch64-linux-gnu)"
finish
