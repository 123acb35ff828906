# SPDX-License-Identifier: Apache-2.0
#
# lib.sh - the ledger lines of test scripts, as in harness.h. To be sourced.
#   check NAME COMMAND...  RUN if the command succeeds, else FAIL with the end of what it printed
#   skip NAME REASON       SKIP
#   finish                 "N passed, N failed, N skipped", and the exit code
# It sets ROOT (the source tree), BUILD (default ROOT/build), CC, and WORK: a folder of one's own.

set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
CC=${CC:-cc}
LEVEL=${PLAIT_TEST_LEVEL:-1}
WORK=$BUILD/test/$(basename "$0" .sh)${1:+.$1}.work # the first argument: foreign.sh runs side by side
rm -rf "$WORK"
mkdir -p "$WORK"
passed=0 failed=0 skipped=0

check() {
    check_name=$1
    shift
    if "$@" >"$WORK/output" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "RUN       $check_name"
    else
        failed=$((failed + 1))
        tail -n 20 "$WORK/output" | sed 's/^/      | /'
        echo "FAIL      $check_name"
    fi
}

skip() {
    skipped=$((skipped + 1))
    echo "SKIP      $1 ($2)"
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# The first of the commands that is installed.
first_of() {
    for candidate; do
        if have "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

# The newest C compiler of each kind, and $CC itself: one of each behaviour.
compilers() {
    clang=$(first_of clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
    { echo "$CC"; first_of gcc; [ -n "$clang" ] && echo "$clang"; } | while read -r c; do
        have "$c" && echo "$(readlink -f "$(command -v "$c")") $c"
    done | sort -u -k1,1 | awk '{print $2}'
}

finish() {
    rm -rf "$WORK"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit $?
}
