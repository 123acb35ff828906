#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Do random inputs find what the tests did not think of? The three targets in test/fuzz with libFuzzer, the address and
# the undefined-behaviour sanitizer, for PLAIT_FUZZ_SECONDS each (default 20; 600 in the long form), from the committed
# corpus on. Uses the library of the part asan-clang where it has been built for this. In the long form faults are
# planted first, which the targets have to find.
#
# fuzz.sh              runs the targets
# fuzz.sh merge DIR    reduces a corpus DIR/TARGET to what adds coverage, at most 60 kB a target, into test/fuzz/corpus

. "$(dirname "$0")/lib.sh"
clang=$(first_of clang clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
seconds=${PLAIT_FUZZ_SECONDS:-$([ "$LEVEL" -ge 2 ] && echo 600 || echo 20)}
targets="differential api cpu"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
own="-std=c11 -O1 -g -D_GNU_SOURCE -I$ROOT/include -Wall -Wextra -Werror"

printf '#include <stddef.h>\n#include <stdint.h>\nint LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) { return p == 0 && n != 0; }\n' >"$WORK/try.c"
if [ -z "$clang" ] || ! $clang -fsanitize=fuzzer,address,undefined "$WORK/try.c" -o "$WORK/try" 2>/dev/null ||
    ! "$WORK/try" -runs=1 >/dev/null 2>&1; then
    skip "fuzz" "no Clang with libFuzzer: libclang-rt-14-dev"
    finish
fi

library=$BUILD/asan-clang/libplait.a
if ! nm "$library" 2>/dev/null | grep -q __sanitizer_cov; then
    library=$BUILD/fuzz/libplait.a
    check "the library builds for libFuzzer" ${MAKE:-make} -s -C "$ROOT" BUILD="$BUILD/fuzz" CC="$clang" \
        CFLAGS="-O1 -g $sanitize -fsanitize=fuzzer-no-link -DPLAIT_DEBUG" static
fi
link() { # target library
    $clang $own -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all "$ROOT/test/fuzz/fuzz_$1.c" "$2" -ldl -o "$WORK/fuzz_$1"
}
for t in $targets; do check "fuzz_$t builds" link $t "$library"; done

if [ "${1:-}" = merge ]; then
    for t in $targets; do
        mkdir -p "$ROOT/test/fuzz/corpus/$t"
        mkdir -p "$WORK/corpus.$t"
        "$WORK/fuzz_$t" -merge=1 "$WORK/corpus.$t" "$ROOT/test/fuzz/corpus/$t" "$2/$t" >"$WORK/log" 2>&1 || tail "$WORK/log"
        rm -f "$ROOT/test/fuzz/corpus/$t"/*
        # the small ones, until there are enough
        sum=0
        for f in $(ls -Sr "$WORK/corpus.$t"); do
            size=$(wc -c <"$WORK/corpus.$t/$f")
            [ $((sum + size)) -gt 60000 ] && break
            [ "$(ls "$ROOT/test/fuzz/corpus/$t" | wc -l)" -ge 400 ] && break
            sum=$((sum + size))
            cp "$WORK/corpus.$t/$f" "$ROOT/test/fuzz/corpus/$t/$(printf %s "$f" | cut -c1-12)"
        done
        echo "$t: $(ls "$ROOT/test/fuzz/corpus/$t" | wc -l) of $(ls "$WORK/corpus.$t" | wc -l) inputs, $sum bytes"
    done
    finish
fi

fuzz() { # target seconds
    mkdir -p "$WORK/new.$1"
    # a crash leaves its input beside the corpus of this run, where it outlives the work folder
    "$WORK/fuzz_$1" -max_total_time="$2" -max_len=2500 -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$BUILD/test/fuzz_$1." "$WORK/new.$1" "$ROOT/test/fuzz/corpus/$1" >"$WORK/log.$1" 2>&1
    code=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$WORK/log.$1")
    [ $code -eq 0 ] || grep -v '^#' "$WORK/log.$1" | head -n 40
    return $code
}

if [ "$LEVEL" -ge 2 ]; then # each target notices a fault of its kind
    planted() { # target file expression
        mkdir -p "$WORK/planted"
        sed "$3" "$ROOT/src/$2" >"$WORK/planted/spoiled.c"
        cmp -s "$ROOT/src/$2" "$WORK/planted/spoiled.c" && { echo "nothing was planted"; return 1; }
        cp "$library" "$WORK/planted/libplait.a" && mv "$WORK/fuzz_$1" "$WORK/planted/good" || return 1
        $clang $own -Wno-error $sanitize -fsanitize=fuzzer-no-link -iquote "$ROOT/src" -iquote "$ROOT/src/kernels" -c "$WORK/planted/spoiled.c" \
            -o "$WORK/planted/$(basename "$2" .c).o" && ar r "$WORK/planted/libplait.a" "$WORK/planted/$(basename "$2" .c).o" &&
            link "$1" "$WORK/planted/libplait.a" && ! fuzz "$1" 60 >/dev/null
        found=$?
        rm -f "$BUILD/test/fuzz_$1."*
        mv "$WORK/planted/good" "$WORK/fuzz_$1"
        return $found
    }
    check "planted: a counter that is one too low after a partial block" planted differential stream.c \
        's|plait_gcm_counter(at, s->u.gcm.j0, (uint32_t)(s->text_len / 16) + 1);|plait_gcm_counter(at, s->u.gcm.j0, (uint32_t)(s->text_len / 16) + (s->text_len != 4096));|'
    check "planted: AD is accepted after text" planted api stream.c 's|if (s->phase != PHASE_AD) return|if (s->phase == PHASE_OPEN) return|'
    check "planted: a word is taken for its beginning" planted cpu cpu.c 's|strlen(name) == len|len > 3|'
fi

for t in $targets; do
    runs=0
    check "fuzz_$t, $seconds s" fuzz $t "$seconds"
    echo "          ${runs:-no} runs"
done
finish
