#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Can the public headers be used from any C and C++, alone, and twice; and are layouts the same in each?

. "$(dirname "$0")/lib.sh"

cat >"$WORK/one.c" <<'END'
#include HEADER
#include HEADER
#include HEADER2
int use(void);
int use(void)
{
    return (int)sizeof(plait_key) + (int)sizeof(plait_stream) + PLAIT_TAG_MAX + PLAIT_KEY_MAX;
}
END
cp "$WORK/one.c" "$WORK/one.cpp"

compile() {
    (cd "$WORK" && "$@" -I"$ROOT/include" -Wall -Wextra -Wpedantic -Werror -c)
}
for header in plait.h plait_hazmat.h; do
    for c in $(compilers); do
        for std in c99 c11 gnu11 c17; do
            check "$header: $c -std=$std" compile "$c" -std=$std -DHEADER="\"$header\"" -DHEADER2='"plait_hazmat.h"' one.c
        done
    done
done
for cxx in g++ clang++ clang++-14; do
    if have $cxx; then
        for std in c++11 c++17 c++20; do
            check "both headers: $cxx -std=$std" compile $cxx -std=$std -DHEADER='"plait.h"' -DHEADER2='"plait_hazmat.h"' one.cpp
        done
    fi
done
have g++ || have clang++ || skip "C++" "no C++ compiler"

# A C++ program that uses the API, linked with the C library.
cat >"$WORK/program.cpp" <<'END'
#include <cstdio>
#include <cstring>
#include "plait.h"
int main()
{
    const uint8_t raw[32] = {1}, nonce[12] = {2}, text[5] = {'h', 'e', 'l', 'l', 'o'};
    uint8_t out[5], tag[PLAIT_TAG_MAX];
    plait_key key;
    if (plait_key_init(&key, PLAIT_AES_256_GCM, raw, sizeof raw) != PLAIT_OK) return 1;
    if (plait_seal(&key, out, tag, nonce, sizeof nonce, nullptr, 0, text, sizeof text) != PLAIT_OK) return 2;
    if (plait_open(&key, out, nonce, sizeof nonce, nullptr, 0, out, sizeof out, tag) != PLAIT_OK) return 3;
    plait_key_wipe(&key);
    return std::memcmp(out, text, sizeof text);
}
END
cxx=$(first_of g++ clang++)
if [ -n "$cxx" ] && [ -f "$BUILD/libplait.a" ]; then
    check "a C++ program" sh -c "cd '$WORK' && $cxx -I'$ROOT/include' program.cpp '$BUILD/libplait.a' -o program && ./program"
fi
finish
