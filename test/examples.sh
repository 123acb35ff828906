#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Do the examples do what they say, on real data? Needs the static library in $BUILD.
set -u
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0 skipped=0

ok() { # ok NAME COMMAND...: passes if the command succeeds
    local name=$1
    shift
    if "$@" >"$dir/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        sed 's/^/    /' "$dir/log" | tail -5
    fi
}
refused() { # refused NAME WANTED-TEXT COMMAND...: passes if the command fails and says so
    local name=$1 wanted=$2
    shift 2
    if ! "$@" >"$dir/out" 2>"$dir/log" && grep -q "$wanted" "$dir/log"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name: not refused with '$wanted'"
    fi
}
compile() { "$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -Iinclude -o "$dir/$1" "examples/$1.c" "$BUILD/libplait.a" ${2:-}; }
seal() { "$dir/file" seal "$dir/key" <"$1" >"$2"; }
open_() { "$dir/file" open "$dir/key" <"$1"; }
same_after_opening() { seal "$1" "$dir/sealed" && open_ "$dir/sealed" | cmp - "$1"; }

ok "message.c compiles" compile message
ok "message.c runs" "$dir/message"

ok "file.c compiles" compile file
head -c 32 /dev/urandom >"$dir/key"
cat README.md src/*.c src/kernels/*.c include/*.h "$BUILD/libplait.a" >"$dir/text" # over 200000 bytes
for size in 0 1 15 16 65535 65536 65537 131072 200000; do
    head -c $size "$dir/text" >"$dir/plain"
    ok "file of $size bytes comes back" same_after_opening "$dir/plain"
done
head -c 200000 "$dir/text" >"$dir/plain"
seal "$dir/plain" "$dir/sealed"
chunk=$((65536 + 16))
part() { tail -c +$((15 + $1 * chunk + 1)) "$dir/sealed" | head -c $chunk; } # chunk number $1
head -c 15 "$dir/sealed" >"$dir/head"

cut_at() { head -c "$1" "$dir/sealed" >"$dir/bad"; }
for size in 0 14 15 30 $((15 + chunk)) $((15 + 2 * chunk)) $(($(stat -c %s "$dir/sealed") - 1)); do
    cut_at "$size"
    refused "cut off after $size bytes" "file: " open_ "$dir/bad"
done
{ cat "$dir/head"; part 1; part 0; part 2; part 3; } >"$dir/bad"
refused "two chunks swapped" "not authentic" open_ "$dir/bad"
{ cat "$dir/head"; part 0; part 0; part 2; part 3; } >"$dir/bad"
refused "a chunk repeated" "not authentic" open_ "$dir/bad"
{ cat "$dir/head"; part 0; part 2; part 3; } >"$dir/bad"
refused "a chunk dropped" "not authentic" open_ "$dir/bad"
{ cat "$dir/sealed"; echo more; } >"$dir/bad"
refused "bytes added" "not authentic" open_ "$dir/bad"
for at in 0 14 15 1000 65550 65551 65567 131118 $(($(stat -c %s "$dir/sealed") - 1)); do
    cp "$dir/sealed" "$dir/bad"
    byte=$(tail -c +$((at + 1)) "$dir/bad" | head -c 1 | od -An -tu1)
    printf "$(printf '\\%03o' $((byte ^ 4)))" | dd of="$dir/bad" bs=1 seek="$at" conv=notrunc 2>/dev/null
    refused "one bit flipped at byte $at" "not authentic" open_ "$dir/bad"
done
part 0 >"$dir/first"
open_ "$dir/bad" >"$dir/out" 2>/dev/null
ok "what was written before the fault is authentic" cmp -n "$(stat -c %s "$dir/out")" "$dir/out" "$dir/plain"
head -c 31 "$dir/key" >"$dir/short"
refused "a key file that is too short" "no key" "$dir/file" open "$dir/short"

if echo '#include <openssl/evp.h>' | "$CC" -E - >/dev/null 2>&1; then
    ok "openssl.c compiles" compile openssl -lcrypto
    ok "openssl.c runs" "$dir/openssl"
else
    echo "SKIP openssl.c (OpenSSL's headers are not installed: libssl-dev)"
    skipped=$((skipped + 1))
fi

awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$dir/readme.c"
ok "README's lines of code compile as pasted" "$CC" -std=c11 -Wall -Wextra -Werror -Iinclude -o "$dir/readme" "$dir/readme.c" "$BUILD/libplait.a"
ok "README's lines of code run" "$dir/readme"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
