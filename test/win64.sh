#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Does the library work on 64-bit Windows? Builds it and the tests with mingw-w64 and runs them under Wine: the same CPU,
# another ABI. Its callee keeps xmm6 to xmm15, its stack is a multiple of 16 bytes, and GCC does not align it further for
# vectors of 32 and 64 (GCC bug 54412), which test_abi would notice. WIN64_TESTS names the programs, without "test_".

. "$(dirname "$0")/lib.sh"
build=$BUILD/win64
gnu=x86_64-w64-mingw32
cc=$(first_of $gnu-gcc $gnu-gcc-win32 $gnu-gcc-posix)
wine=$(first_of wine64 wine64-stable /usr/lib/wine/wine64 wine)
[ -n "$cc" ] || { skip "win64" "not installed: gcc-mingw-w64-x86-64"; finish; }

quick="vectors rows api limits selftest abi"
[ "$LEVEL" -ge 2 ] && quick="$quick splits batch memory"
tests=
for t in ${WIN64_TESTS:-$quick}; do tests="$tests $build/test/test_$t"; done
build_it() {
    ${MAKE:-make} -s -C "$ROOT" BUILD="$build" CC="$cc" AR="$(first_of $gnu-ar $gnu-gcc-ar ar)" LIBS= \
        CFLAGS="-O2 -static -Werror" CPPFLAGS="-D__USE_MINGW_ANSI_STDIO=1 -I$ROOT/test/windows" $tests
}
echo "# win64: $($cc --version | head -n 1); ${wine:-no Wine}"
check "win64: builds without a warning" build_it
[ -n "$wine" ] || { skip "win64: the tests" "not installed: wine64"; finish; }

# A Windows of our own. Its first start takes a while, and its server stays until the end: one that leaves when a program
# ends has, on a busy machine, refused the next.
server=$(first_of wineserver /usr/lib/wine/wineserver)
WINEPREFIX=$build/prefix WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe=" LC_ALL=C
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES LC_ALL
mkdir -p "$WINEPREFIX"
[ -z "$server" ] || timeout 60 "$server" -p >/dev/null 2>&1 </dev/null
printf 'int main(void) { return 7; }\n' >"$WORK/seven.c"
$cc "$WORK/seven.c" -o "$WORK/seven.exe"
timeout 300 "$wine" "$WORK/seven.exe" >"$WORK/wine" 2>&1 </dev/null
if [ $? -ne 7 ]; then
    [ -z "$server" ] || timeout 20 "$server" -k
    skip "win64: the tests" "Wine does not run a program here: $(tail -n 1 "$WORK/wine")"
    finish
fi
if [ "$failed" -eq 0 ]; then
    # Lines end as everywhere else. Exit code 1 without a word is Wine that did not start the program (a test that
    # fails says what, one that crashes has a code of its own): it is started again, and the third time counts.
    cat >"$WORK/runner" <<'EOF'
for try in 1 2 3; do
    "$WINE" "$@" >"$WORK/said" 2>&1 </dev/null
    code=$?
    if [ $code -ne 1 ] || [ -s "$WORK/said" ]; then break; fi
done
tr -d '\r' <"$WORK/said"
exit $code
EOF
    WINE=$wine
    export WINE WORK
    exes=
    for t in $tests; do exes="$exes $t.exe"; done
    PLAIT_TEST_LEVEL=$((LEVEL > 0 ? LEVEL - 1 : 0)) TEST_RUNNER="sh $WORK/runner" sh "$ROOT/test/run.sh" "$build/test/log" $exes >"$WORK/ran"
    sed '$d' "$WORK/ran"
    set -- $(tail -n 1 "$WORK/ran" | tr -dc '0-9 ')
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
fi
[ -z "$server" ] || timeout 20 "$server" -k # of this prefix only
finish
