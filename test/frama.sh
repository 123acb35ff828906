#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Have the portable kernels undefined behaviour? Frama-C's Eva follows them with unknown keys, states and texts, and has
# to raise no alarm: no access outside of an object, no uninitialised read, no shift or pointer that C does not define.
# The forms without 128-bit integers and without vectors, which Frama-C does not know. Long form only (minutes).

. "$(dirname "$0")/lib.sh"
if [ "$LEVEL" -lt 2 ]; then
    skip "frama" "takes minutes: make check-full"
    finish
fi
have frama-c || { skip "frama" "not installed: frama-c-base"; finish; }

eva() { # case, further defines: the number of alarms
    (cd "$ROOT" && timeout 3000 frama-c -eva -eva-precision 3 -eva-auto-loop-unroll 64 -machdep gcc_x86_64 \
        -cpp-extra-args="-DFRAMA_CASE=$1 $2 -DPLAIT_PORTABLE -DPLAIT_NO_INT128 -DPLAIT_NO_VEC128 -Iinclude" test/frama.c) >"$WORK/eva.$1" 2>&1
    alarms=$(grep -c '^\[eva:alarm\]' "$WORK/eva.$1") # those of functions that it knows by contract are not in its sum
    grep -E 'statements reached|properties reached|alarm' "$WORK/eva.$1"
    grep -q 'ANALYSIS SUMMARY' "$WORK/eva.$1"
}
proved() {
    eva "$1" "" && [ "$alarms" -eq 0 ] || { tail -n 20 "$WORK/eva.$1"; return 1; }
}
noticed() {
    eva "$1" -DFRAMA_PLANT && [ "$alarms" -gt 0 ]
}
number=0
for kernel in poly1305_ref poly1305_ref26 chacha20_ref ghash_ref aes_ref; do
    number=$((number + 1))
    check "$kernel: no alarm" proved $number
done
check "chacha20_ref, planted: an alarm for a text that ends too early" noticed 3
finish
