#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh LOG PROGRAM... - runs test programs (or scripts, *.sh), keeps all they print in LOG, shows what failed or was
# skipped, and ends with the sum of their last lines: "N passed, N failed, N skipped".
#
# TEST_RUNNER  what to run binaries with (an emulator)
# TEST_TIMEOUT seconds for each program (900; in the long form two hours)

log=$1
shift
mkdir -p "$(dirname "$log")"
: >"$log"
passed=0 failed=0 skipped=0
if command -v timeout >/dev/null 2>&1; then limit="timeout ${TEST_TIMEOUT:-$([ "${PLAIT_TEST_LEVEL:-1}" -ge 2 ] && echo 7200 || echo 900)}"; else limit=; fi

for program; do
    one=$log.one
    start=$(date +%s)
    case $program in
    *.sh) $limit sh "$program" >"$one" 2>&1 ;;
    *) $limit ${TEST_RUNNER:-} "$program" >"$one" 2>&1 ;;
    esac
    code=$?
    seconds=$(($(date +%s) - start))
    echo "== $(basename "$program" | sed 's/\.[a-z]*$//')" >>"$log" # whose lines: check.sh asks
    cat "$one" >>"$log"
    sum=$(tail -n 1 "$one" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)*$/\1 \2 \4/p')
    if [ -z "$sum" ]; then
        sum="0 1 0"
        echo "FAIL      $(basename "$program"): ended without a result, exit code $code" | tee -a "$log"
        tail -n 15 "$one" | sed 's/^/      | /'
    fi
    set -- $sum
    set -- "$1" "$2" "${3:-0}"
    if [ "$code" -ne 0 ] && [ "$2" -eq 0 ]; then
        set -- "$1" 1 "$3"
        echo "FAIL      $(basename "$program"): exit code $code though no case failed" | tee -a "$log"
    fi
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
    printf '%-28s %4d passed, %d failed, %d skipped, %d s\n' "$(basename "$program")" "$@" "$seconds"
    if [ "$2" -ne 0 ]; then grep -E '^(      |FAIL)' "$one" | head -n 40; fi
    grep '^SKIP' "$one"
    rm -f "$one"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
