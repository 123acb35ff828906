#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check.sh list        the parts of `make check`, by name
# check.sh part NAME   runs one; keeps its output in $BUILD/check/NAME.out and prints a line
# check.sh ledger      what all of them said, every kernel and where it ran, and the sum
#
# A part is a build and what is run with it. The Makefile runs them side by side.

set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
CC=${CC:-cc}
MAKE=${MAKE:-make}
LEVEL=${PLAIT_TEST_LEVEL:-1}
lower=$((LEVEL > 0 ? LEVEL - 1 : 0))
cd "$ROOT" || exit 1

have() {
    command -v "$1" >/dev/null 2>&1
}
first_of() {
    for candidate; do
        if have "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}
is_clang() {
    "$1" --version 2>/dev/null | head -n 1 | grep -q clang
}
gcc=$(first_of gcc gcc-15 gcc-14 gcc-13 gcc-12 gcc-11)
clang=$(first_of clang clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
# The other compiler: what $CC is not.
if is_clang "$CC"; then other=$gcc; else other=$clang; fi

# Longest first, so that none is waited for at the end; fuzz when asan-clang is over, which it waits for.
parts="asan-clang builds aarch64 native asan-gcc fuzz lto other win64 sparc64 scripts mutation s390x armhf tsan i386 portable"
# The scripts that build the library once more, again and again.
building="compilers.sh consumer.sh levels.sh plain_cc.sh"

programs() { # build name...: their paths
    where=$1
    shift
    for p; do echo "$where/test/test_$p"; done
}
all_programs() {
    for p in test/test_*.c; do basename "$p" .c | sed 's/^test_//'; done
}
without() { # names without those in $1
    all_programs | grep -vxE "$(echo "$1" | tr ' ' '|')"
}

# compile, run: one part. $1 build folder, $2 compiler, $3 CFLAGS, $4 level, the others: programs. Those in $in_one are
# linked into one.
in_one=
build_and_run() {
    folder=$1 compiler=$2 cflags=$3 level=$4
    shift 4
    list=$(programs "$folder" "$@")
    targets=$list
    [ -z "$in_one" ] || targets="$folder/test/in_one $(programs "$folder" $(echo "$@" | tr ' ' '\n' | grep -vxE "$(echo $in_one | tr ' ' '|')"))"
    echo "# $("$compiler" --version | head -n 1), $cflags"
    if $MAKE -s BUILD="$folder" CC="$compiler" CFLAGS="$cflags" TESTS_IN_ONE="$in_one" $targets >"$folder.build" 2>&1 &&
        ! grep -q "^[^ ]*\.[ch]:.* warning:" "$folder.build"; then :; else
        tail -n 20 "$folder.build" | sed 's/^/      | /'
        echo "FAIL      builds without a warning with $compiler $cflags"
        echo "0 passed, 1 failed"
        return
    fi
    BUILD=$folder CC=$compiler PLAIT_TEST_LEVEL=$level sh test/run.sh "$folder/test/log" $list ${scripts_too:-}
}

compiles() { # compiler, flags: can it make a program with them that runs?
    printf 'int main(void) { return 0; }\n' >"$BUILD/check/try.$name.c"
    "$@" "$BUILD/check/try.$name.c" -o "$BUILD/check/try.$name" >/dev/null 2>&1 && "$BUILD/check/try.$name" >/dev/null 2>&1
}

skipped() { # reason
    echo "SKIP      $name ($1)"
    echo "0 passed, 0 failed, 1 skipped"
}

sanitize="-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DPLAIT_DEBUG"

run_part() {
    case $name in
    native) # built by the Makefile, as for installation
        echo "# $("$CC" --version | head -n 1), as installed"
        PLAIT_TEST_LEVEL=$LEVEL sh test/run.sh "$BUILD/test/log" $(programs "$BUILD" $(all_programs)) ;;
    other) # DWARF 4: what Valgrind 3.19 can read of Clang
        scripts_too=test/objects.sh
        if [ -n "$other" ]; then build_and_run "$BUILD/other" "$other" "-O2 -gdwarf-4" $lower $(without "huge bench_stats installed threads")
        else skipped "no second compiler: GCC and Clang"; fi ;;
    asan-*)
        # Long functions call their checks: that halves the time to compile them.
        c=$gcc calls="--param asan-instrumentation-with-call-threshold=50"
        [ $name = asan-clang ] && c=$clang calls="-mllvm -asan-instrumentation-with-call-threshold=50"
        compiles "${c:-false}" $sanitize $calls && sanitize="$sanitize $calls"
        # its library is what the part fuzz links
        [ $name = asan-clang ] && [ -n "$c" ] && compiles "$c" $sanitize -fsanitize=fuzzer-no-link && sanitize="$sanitize -fsanitize=fuzzer-no-link"
        if [ -z "$c" ]; then skipped "not installed: ${name#asan-}"
        elif compiles "$c" $sanitize; then
            not="huge threads wipe secrets trace bench_stats dispatch abi"
            # what guard pages and the other compiler look at already
            [ $name = asan-gcc ] && [ "$LEVEL" -lt 2 ] && not="$not memory batch"
            build_and_run "$BUILD/$name" "$c" "$sanitize" $lower $(without "$not")
        else skipped "$c can not link with its sanitizers"; fi ;;
    tsan)
        c=$gcc
        compiles "$gcc" -fsanitize=thread || c=$clang
        if [ -n "$c" ] && compiles "$c" -fsanitize=thread; then
            build_and_run "$BUILD/tsan" "$c" "-O1 -g1 -fsanitize=thread" $lower threads
        else skipped "no compiler with a thread sanitizer that runs here"; fi ;;
    portable) # what other CPUs and compilers get: no kernels but the portable ones, without 128-bit integers and vectors
        build_and_run "$BUILD/portable" "$CC" "-O2 -g -DPLAIT_PORTABLE -DPLAIT_NO_INT128 -DPLAIT_NO_VEC128" $lower \
            vectors rows splits memory api dispatch selftest ;;
    lto) # the whole program in the compiler's sight: wiping and barriers have to survive
        if compiles "$CC" -O3 -flto; then
            # In the long form test_wipe has the library for itself: fewer callers, so that more of it is inlined.
            in_one="vectors rows splits api batch limits secrets"
            if [ "$LEVEL" -ge 2 ]; then in_one="$in_one trace" alone=wipe; else in_one="$in_one wipe" alone=; fi
            build_and_run "$BUILD/lto" "$CC" "-O3 -flto -gdwarf-4" $lower $in_one $alone
        else skipped "$CC can not link with -flto"; fi ;;
    fuzz)
        PLAIT_TEST_LEVEL=$LEVEL sh test/run.sh "$BUILD/test/fuzz.log" test/fuzz.sh ;;
    builds | mutation | scripts)
        case $name in
        builds) list=$building ;;
        mutation) list=mutation.sh ;;
        *) list=$(ls test | grep '\.sh$' | grep -vxE '(lib|run|check|foreign|win64|fuzz|mutation)\.sh' | grep -vxF "$(echo $building | tr ' ' '\n')") ;;
        esac
        PLAIT_TEST_LEVEL=$LEVEL sh test/run.sh "$BUILD/test/$name.log" $(for script in $list; do echo test/$script; done) ;;
    aarch64 | s390x | armhf | i386 | sparc64)
        PLAIT_TEST_LEVEL=$LEVEL sh test/foreign.sh $name ;;
    win64) PLAIT_TEST_LEVEL=$LEVEL sh test/win64.sh ;;
    *)
        echo "check.sh: no part $name" >&2
        exit 2 ;;
    esac
}

# ---- the ledger: each row, and the parts in which it ran

log_of() { # the full output of a part's programs
    case $1 in
    native) echo "$BUILD/test/log" ;;
    builds | mutation | scripts) echo "$BUILD/test/$1.log" ;;
    aarch64 | s390x | armhf | i386 | sparc64) echo "$BUILD/foreign/$1/test/log" ;;
    *) echo "$BUILD/$1/test/log" ;;
    esac
}

# One line per row, one column per program that names rows. F: failed; s: could be run nowhere (the
# CPU has not what it needs); -: the program does not ask that of this row.
rows_by_checkers() {
    awk -v list="$(sed -n 's/^PLAIT_ROW(\([a-z0-9_]*\), *\([a-z0-9_]*\)).*/\1_\2/p' src/kernels.def |
        tr '\n' ' ')" '
        BEGIN {
            rows = split(list, row, " ")
            for (i = 1; i <= rows; i++) known[row[i]] = 1
            columns = split("vectors rows splits memory batch wipe abi threads huge stream " \
                            "trace secrets blocks objects mutants", column, " ")
        }
        /^== / {
            program = $2
            sub(/^test_/, "", program)
            sub(/_end$/, "", program)
            sub(/^mutation$/, "mutants", program)
            next
        }
        /^(RUN|FAIL|SKIP|NOT BUILT) / {
            kind = $1
            text = kind == "NOT" ? $3 : $2
            if (text !~ /:$/) next
            sub(/:$/, "", text)
            n = split(text, part, "+")
            for (i = 1; i <= n; i++) if (part[i] in known) count[part[i], program, kind]++
        }
        END {
            printf "%-34s", ""
            for (c = 1; c <= columns; c++) printf " %7.7s", column[c]
            print ""
            for (r = 1; r <= rows; r++) {
                printf "%-34s", row[r]
                for (c = 1; c <= columns; c++) {
                    at = row[r] SUBSEP column[c] SUBSEP
                    if (count[at "FAIL"]) cell = "F"
                    else if (count[at "RUN"]) cell = count[at "RUN"]
                    else if (count[at "SKIP"]) cell = "s"
                    else cell = "-"
                    printf " %7s", cell
                }
                print ""
            }
        }'
}

ledger() {
    passed=0 failed=0 skipped=0
    for name in $parts; do
        out=$BUILD/check/$name.out
        [ -f "$out" ] || continue
        echo "== $name"
        sed '$d' "$out"
        set -- $(tail -n 1 "$out" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)*$/\1 \2 \4/p')
        if [ $# -lt 2 ]; then
            tail -n 5 "$out"
            echo "FAIL      $name ended without a result"
            set -- 0 1 0
        fi
        passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
    done

    echo "== kernels, and where their tests ran"
    for row in $(sed -n 's/^PLAIT_ROW(\([a-z0-9_]*\), *\([a-z0-9_]*\)).*/\1_\2/p' src/kernels.def); do
        ran= not=
        for name in $parts; do
            log=$(log_of $name)
            case $name in builds | mutation | scripts) continue ;; esac
            [ -f "$log" ] && [ "$log" -nt "$BUILD/check/started" ] || continue
            if grep -qE "^(RUN|FAIL) +([a-z0-9_]+\+)?$row[+:]" "$log"; then ran="$ran $name"
            elif grep -qE "^SKIP +$row: " "$log"; then not="$(grep -m 1 -E "^SKIP +$row: " "$log" | sed 's/.*(//; s/)$//') in $name"; fi
        done
        if [ -n "$ran" ]; then
            printf 'RUN       %-32s%s\n' "$row" "$ran"
            passed=$((passed + 1))
        else # A claim that was not tried. A fault where the machine that it needs was at hand.
            family=$(sed -n 's/^#if PLAIT_BUILD_\([A-Z0-9]*\).*/\1/p' "src/kernels/$row.c")
            case $family in AARCH64) machine=aarch64 ;; SPARC64) machine=sparc64 ;; *) machine= ;; esac
            if [ -n "$machine" ] && [ -f "$(log_of $machine)" ] && [ "$(log_of $machine)" -nt "$BUILD/check/started" ] && [ -z "$not" ]; then
                echo "FAIL      $row ran nowhere, though $machine did"
                failed=$((failed + 1))
            else
                echo "SKIP      $row ran nowhere (${not:-no $family machine or emulator here})"
                skipped=$((skipped + 1))
            fi
        fi
    done
    echo "== each kernel by each checker: cases that passed, in all parts together"
    for name in $parts; do
        log=$(log_of $name)
        [ -f "$log" ] && [ "$log" -nt "$BUILD/check/started" ] && cat "$log"
    done | rows_by_checkers | tee "$BUILD/check/rows"
    echo "$passed passed, $failed failed, $skipped skipped" | tee "$BUILD/check/sum"
    [ $failed -eq 0 ]
}

mkdir -p "$BUILD/check"
case ${1:-} in
list) echo "$parts" ;;
part)
    name=$2
    start=$(date +%s)
    run_part >"$BUILD/check/$name.out" 2>&1
    times >"$BUILD/check/times.$name"
    cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } print int(s) }' "$BUILD/check/times.$name")
    echo "$name: $(tail -n 1 "$BUILD/check/$name.out"), $(($(date +%s) - start)) s, $cpu s of the CPU"
    ;;
ledger) ledger ;;
*) echo "usage: check.sh list | part NAME | ledger" >&2; exit 2 ;;
esac
