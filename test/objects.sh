#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Is the object code what the kernels say it is? See objects.py. x86-64 objects in $BUILD.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
skip() {
    echo "SKIP objects ($1)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
command -v python3 >/dev/null || skip "python3 is not installed"
command -v objdump >/dev/null || skip "objdump is not installed"
objdump -f "$BUILD"/obj/src/aead.o 2>/dev/null | grep -q x86-64 || skip "no x86-64 objects in $BUILD"
exec python3 test/objects.py "$BUILD"
