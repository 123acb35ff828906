#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Do the tests notice a fault? A copy of the library is spoiled, and the suite has to fail:
#   each row that this CPU can use, by the faults of spoil.c (all for the portable and the preferred rows, one for each
#   other row; in the long form all for all);
#   each row, by one wrong bit in its object code (in the quick form three rows);
#   the reference kernels, by changing a constant in their source;
#   the front ends, by leaving out one check after the other (in the long form all, else every fifth).

. "$(dirname "$0")/lib.sh"

objcopy=$(first_of objcopy llvm-objcopy llvm-objcopy-14)
if [ -z "$objcopy" ] || [ ! -x "$BUILD/plait" ] || [ ! -f "$BUILD/obj/test/harness.o" ]; then
    skip "mutation" "needs binutils, the program and the test objects in $BUILD"
    finish
fi
cp "$BUILD/libplait.a" "$WORK/libplait.a"
export PLAIT_TEST_LEVEL=0 PLAIT_TEST_STOP=1
flags="-std=c11 -O1 -fPIC -fvisibility=hidden -I$ROOT/include -I$ROOT/src -D_GNU_SOURCE"

row= # if not empty, the tests look at no other
# Links test programs with the objects given and the copy of the library, and runs them: fails if none of them fails.
noticed() { # "programs" objects...
    programs=$1
    shift
    for program in $programs; do
        $CC -o "$WORK/$program" "$BUILD/obj/test/$program.o" "$BUILD/obj/test/harness.o" "$BUILD/obj/test/oracle.o" "$@" \
            "$WORK/libplait.a" -ldl -lpthread -lm || { echo "does not link"; return 1; }
        # seconds of the CPU: a busy machine is no fault that is noticed
        (ulimit -c 0; ulimit -t 60
            PLAIT_TEST_ROW=$row timeout 900 "$WORK/$program" >"$WORK/log" 2>&1)
        code=$?
        # 1: a case failed; others: it crashed in a way that the harness could not catch
        if [ $code -ne 0 ]; then return 0; fi
    done
    echo "the tests passed all the same: $programs"
    return 1
}

unspoiled() {
    ! noticed "test_rows test_memory test_selftest"
}
check "the unspoiled copy passes" unspoiled

# ---- each row, from outside

spoiled_row() { # family name needs fault programs
    object=$BUILD/obj/src/kernels/$2.o
    $objcopy --redefine-sym "plait_$2=real_kernel" "$object" "$WORK/real.o" || return 1
    list=
    [ -n "$3" ] && list=-DNEEDS_LIST=$3
    $CC $flags -DFAMILY_$1 -DROW="$2" -DNAME="\"$2\"" $list -DREAL=real_kernel -DFAULT="$4" \
        -c "$ROOT/test/spoil.c" -o "$WORK/spoil.o" || return 1
    row=$2
    noticed "$5" "$WORK/spoil.o" "$WORK/real.o"
}

"$BUILD/plait" kernels --format csv |
    sed -n 's/^\([^,]*\),\([^,]*\),"\{0,1\}\([^"]*\)"\{0,1\},yes,yes,\(.*\)$/\1 \2 \4 \3/p' >"$WORK/rows"
check "rows are listed" test "$(wc -l <"$WORK/rows")" -ge 6
number=0
while read -r family name preferred needs; do
    number=$((number + 1))
    for fault in 1 2 3 4 5; do
        if [ "$LEVEL" -lt 2 ] && [ "$preferred" = no ] && [ $((number % 5 + 1)) -ne $fault ]; then
            case $name in *_ref) ;; *) continue ;; esac
        fi
        check "$name: fault $fault is noticed" spoiled_row "$family" "$name" "$needs" $fault "test_memory test_rows"
    done
    check "$name: the self-test notices a kernel that is always wrong" spoiled_row "$family" "$name" "$needs" 9 test_selftest
done <"$WORK/rows"
row=

# ---- numbers and operators in the source of each kernel: see mutate.py, which says what survived

if have python3; then
    if [ "$LEVEL" -ge 2 ]; then check "mutants of every row's source, nine of ten noticed" python3 "$ROOT/test/mutate.py" --build "$BUILD" --cc "$CC" --count 10
    else
        check "mutants of some rows' source" python3 "$ROOT/test/mutate.py" --build "$BUILD" --cc "$CC" --count 2 --least 60 chacha20_ref poly1305_ref26 ghash_ref
    fi
    grep -E '^survivor|mutants noticed' "$WORK/output" | sed 's/^/      | /'
else skip "mutants" "needs python3"; fi

# ---- one wrong bit in the object code of each kernel: see bitflip.py

if ! have python3 || ! have objdump; then skip "flipped bits" "needs python3 and objdump"
elif [ "$LEVEL" -ge 2 ]; then
    check "flipped bits in every row, four of five noticed" \
        python3 "$ROOT/test/bitflip.py" --build "$BUILD" --cc "$CC" --count 25
else
    check "flipped bits in some rows" python3 "$ROOT/test/bitflip.py" --build "$BUILD" --cc "$CC" \
        --count 3 --least 60 chacha20_ref poly1305_ref ghash_ref
fi
[ ! -f "$WORK/output" ] || grep -E '^survivor|flips noticed' "$WORK/output" | sed 's/^/      | /'

# The rest takes many minutes: the long form.
[ "$LEVEL" -lt 2 ] && finish

# ---- constants of the reference kernels and the constructions

# The n-th number above 1 in a file that is not in a comment or directive, with its lowest bit flipped.
spoil_number() { # file n
    awk -v want="$2" '
        /\/\*/ {comment = 1}
        comment || /^ *#/ {print; if (/\*\//) comment = 0; next}
        {
            line = $0; out = ""
            while (match(line, /[^A-Za-z0-9_.](0x[0-9a-fA-F]+|[0-9]+)/)) {
                out = out substr(line, 1, RSTART)
                word = substr(line, RSTART + 1, RLENGTH - 1)
                line = substr(line, RSTART + RLENGTH)
                match(line, /^[uUlL]*/)
                word = word substr(line, 1, RLENGTH)
                line = substr(line, RLENGTH + 1)
                if (word !~ /^[01]$/ && ++seen == want) { word = "(1 ^ " word ")"; at = NR }
                out = out word
            }
            print out line
        }
        END {if (!at) exit 1; print at >"/dev/stderr"}' "$ROOT/src/$1" 2>"$WORK/at"
}

number=0 tried=0 noticed=0
for file in kernels/chacha20_ref.c kernels/aes_ref.c kernels/ghash_ref.c aes_gcm.c chacha20_poly1305.c stream.c; do
    $CC $flags -I"$ROOT/src/kernels" -c "$ROOT/src/$file" -o "$WORK/plain.o"
    n=0
    while n=$((n + 1)) && spoil_number $file $n >"$WORK/spoiled.c"; do
        number=$((number + 1))
        [ "$LEVEL" -lt 2 ] && [ $((number % 20)) -ne 0 ] && continue
        # numbers that do not compile, or change nothing in the object, are none
        $CC $flags -w -iquote "$ROOT/src" -iquote "$ROOT/src/kernels" -iquote "$ROOT" \
            -c "$WORK/spoiled.c" -o "$WORK/spoiled.o" 2>/dev/null || continue
        $objcopy -O binary "$WORK/plain.o" "$WORK/plain.bin" && $objcopy -O binary "$WORK/spoiled.o" "$WORK/spoiled.bin"
        cmp -s "$WORK/plain.bin" "$WORK/spoiled.bin" && continue
        tried=$((tried + 1))
        if noticed "test_vectors test_rows test_splits" "$WORK/spoiled.o" >/dev/null; then noticed=$((noticed + 1))
        else echo "note: src/$file, line $(cat "$WORK/at"): number $n can be changed and nothing notices"; fi
    done
done
# Not all: a number may size an array, or bound a loop that ends earlier anyway.
check "numbers changed: $noticed of $tried noticed, four of five have to be" test $((5 * noticed)) -ge $((4 * tried)) -a $tried -gt 0

# ---- checks of the front ends

without_check() { # file line: the condition in that line never holds
    sed "$2s/\<if (/if (0) if (/" "$ROOT/src/$1" >"$WORK/spoiled.c"
    $CC $flags -w -iquote "$ROOT/src" -c "$WORK/spoiled.c" -o "$WORK/spoiled.o" || return 1
    noticed "test_api test_limits test_batch test_memory test_dispatch" "$WORK/spoiled.o"
}

number=0
for file in aead.c stream.c key.c parts.c kernels.c cpu.c; do
    # lines with an "if" that lead, there or in the next three lines, to an error
    awk '/(^|[^a-z_])if \(/ {at = NR} /return (fail\(stream, )?PLAIT_ERR_/ && at && NR - at <= 3 {print at; at = 0}' "$ROOT/src/$file" >"$WORK/lines"
    while read -r line; do
        number=$((number + 1))
        [ "$LEVEL" -lt 2 ] && [ $((number % 5)) -ne 0 ] && continue
        check "src/$file without the check in line $line: $(sed -n "${line}s/^ *//p" "$ROOT/src/$file" | cut -c1-60)" without_check "$file" "$line"
    done <"$WORK/lines"
done
finish
