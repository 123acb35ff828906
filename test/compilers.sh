#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Is the library right from other compilers, at other levels of optimisation, with another C library, and twice in one
# process? Quick: -O0, musl with the kernels of the usual build, two copies and libcrypto in one process, a call from the
# constructor of another library. Long: every GCC and Clang that is installed at -O0, -O2, -O3, -Os and with LTO, -m32,
# musl throughout. (Sanitizers, LTO, 32 bits and big endian are other parts of `make check`.)

. "$(dirname "$0")/lib.sh"

# compile, run: the published vectors, the self-test and, if asked, every row.
build_and_run() { # name compiler flags programs...
    name=$1 compiler=$2 flags=$3
    shift 3
    programs=
    for p; do programs="$programs $WORK/$name/test/test_$p"; done
    ${MAKE:-make} -s -C "$ROOT" BUILD="$WORK/$name" CC="$compiler" CFLAGS="$flags" $programs &&
        for p in $programs; do PLAIT_TEST_LEVEL=0 PLAIT_TEST_STOP=1 "$p" || return 1; done
    code=$?
    rm -rf "${WORK:?}/$name"
    return $code
}

if [ "$LEVEL" -ge 2 ]; then
    for c in gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang-20; do
        have "$c" || continue
        for flags in -O0 -O2 -O3 -Os "-O2 -flto"; do
            case "$c $flags" in
            clang*flto*) # its linker plug-in may be missing
                printf 'int main(void) { return 0; }\n' >"$WORK/try.c"
                linker=
                for l in "" -fuse-ld=lld "-fuse-ld=lld-${c#clang-}"; do
                    $c -flto $l "$WORK/try.c" -o "$WORK/try" 2>/dev/null && { linker=$l; break; }
                    linker=none
                done
                [ "$linker" = none ] && { skip "$c $flags" "no linker for it"; continue; }
                flags="$flags $linker" ;;
            esac
            check "$c $flags" build_and_run one "$c" "$flags" vectors selftest rows
        done
    done
    printf '#include <stdio.h>\nint main(void) { return 0; }\n' >"$WORK/try.c"
    for c in $(compilers); do
        if $c -m32 "$WORK/try.c" -o "$WORK/try" 2>/dev/null && "$WORK/try"; then
            check "$c -m32" build_and_run one "$c" "-O2 -m32" vectors selftest rows api
        else skip "$c -m32" "no 32-bit C library: gcc-multilib"; fi
    done
else
    check "$CC -O0" build_and_run one "$CC" "-O0 -w" vectors selftest
fi

# ---- musl

cat >"$WORK/program.c" <<'END'
#include <stdio.h>
#include <string.h>
#include "plait_hazmat.h"
int main(void)
{
    const uint8_t raw[32] = {1}, nonce[12] = {2};
    uint8_t text[700], tag[PLAIT_TAG_MAX];
    plait_key key;
    for (size_t i = 0; i < plait_kernel_count(); i++) {
        plait_kernel_info info;
        if (plait_kernel_at(i, &info) != PLAIT_OK) return 1;
        if (info.usable && plait_selftest(info.name) != PLAIT_OK) return 2;
    }
    for (int alg = PLAIT_AES_128_GCM; alg <= PLAIT_CHACHA20_POLY1305; alg++) {
        memset(text, 7, sizeof text);
        if (plait_key_init(&key, (plait_alg)alg, raw, alg == 1 ? 16 : alg == 2 ? 24 : 32) != PLAIT_OK) return 3;
        if (plait_seal(&key, text, tag, nonce, 12, raw, 5, text, sizeof text) != PLAIT_OK) return 4;
        if (plait_open(&key, text, nonce, 12, raw, 5, text, sizeof text, tag) != PLAIT_OK) return 5;
        for (size_t i = 0; i < sizeof text; i++)
            if (text[i] != 7) return 6;
        printf("%s\n", plait_key_kernel(&key));
    }
    return 0;
}
END
musl() {
    if [ "$LEVEL" -ge 2 ]; then kernels="$ROOT/src/kernels/*.c"; else kernels="$BUILD/obj/src/kernels/*.o"; fi
    (cd "$WORK" && musl-gcc -O2 -static -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$ROOT/include" program.c "$ROOT"/src/*.c $kernels \
        -o program.musl && ./program.musl && PLAIT_CPU=ref ./program.musl)
}
if have musl-gcc; then check "musl, static" musl
else skip "musl, static" "not installed: musl-tools"; fi

# ---- more than one in a process

if [ "$(uname -s)" != Linux ] || [ ! -f "$BUILD/libplait.so.0" ]; then
    skip "two copies in one process" "needs Linux and the shared library"
    finish
fi
cat >"$WORK/two.c" <<'END'
/* Two copies of the shared library, one of them limited, and libcrypto beside them: each keeps its own words. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "plait.h"
typedef struct copy {
    plait_status (*init)(plait_key *, plait_alg, const uint8_t *, size_t);
    plait_status (*seal)(const plait_key *, uint8_t *, uint8_t *, const uint8_t *, size_t, const uint8_t *, size_t, const uint8_t *, size_t);
    plait_status (*open)(const plait_key *, uint8_t *, const uint8_t *, size_t, const uint8_t *, size_t, const uint8_t *, size_t, const uint8_t *);
    plait_status (*limit)(const char *);
    const char *(*kernel)(const plait_key *);
} copy;
static int get(copy *c, const char *path)
{
    void *f, *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return puts(dlerror()), 0;
#define GET(field, name) if ((f = dlsym(library, name)) == NULL) return 0; memcpy(&c->field, &f, sizeof f)
    GET(init, "plait_key_init");
    GET(seal, "plait_seal");
    GET(open, "plait_open");
    GET(limit, "plait_cpu_limit");
    GET(kernel, "plait_key_kernel");
    return 1;
}
int main(int argc, char **argv)
{
    const uint8_t raw[32] = {1}, nonce[12] = {2};
    uint8_t text[3000] = {0}, out[3000], tag[16];
    copy a, b;
    plait_key ka, kb;
    void *libcrypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (argc < 3 || !get(&a, argv[1]) || !get(&b, argv[2]) || a.init == b.init) return 1;
    if (b.limit("ref") != PLAIT_OK) return 2;
    if (a.init(&ka, PLAIT_AES_256_GCM, raw, 32) != PLAIT_OK || b.init(&kb, PLAIT_AES_256_GCM, raw, 32) != PLAIT_OK) return 3;
    if (strcmp(b.kernel(&kb), "aes_ref+ghash_ref") != 0) return 4;
    if (a.seal(&ka, out, tag, nonce, 12, raw, 9, text, sizeof text) != PLAIT_OK) return 5;
    if (b.open(&kb, out, nonce, 12, raw, 9, out, sizeof out, tag) != PLAIT_OK || memcmp(out, text, sizeof text) != 0) return 6;
    printf("%s, %s, libcrypto %s\n", a.kernel(&ka), b.kernel(&kb), libcrypto ? "loaded" : "not there");
    return 0;
}
END
two_shared() {
    (cd "$WORK" && cp "$BUILD/libplait.so.0" one.so && cp one.so other.so && $CC -std=c11 -I"$ROOT/include" two.c -ldl -o two &&
        ./two ./one.so ./other.so && LD_BIND_NOW=1 ./two ./other.so ./one.so)
}
check "two shared copies and libcrypto in one process" two_shared

cat >"$WORK/theirs.c" <<'END'
#include "their_plait.h"
int theirs_opens(const uint8_t raw[32], const uint8_t nonce[12], uint8_t *text, size_t len, const uint8_t tag[16])
{
    plait_key key;
    if (plait_key_init(&key, PLAIT_CHACHA20_POLY1305, raw, 32) != PLAIT_OK) return 0;
    return plait_open(&key, text, nonce, 12, NULL, 0, text, len, tag) == PLAIT_OK &&
           plait_chacha20_xor_with("chacha20_ref", text, text, 0, raw, nonce, 0) == PLAIT_OK;
}
END
cat >"$WORK/static.c" <<'END'
/* The library as it is, and once more under another prefix, linked with libcrypto. */
#include <string.h>
#include "plait.h"
int theirs_opens(const uint8_t *, const uint8_t *, uint8_t *, size_t, const uint8_t *);
#ifdef WITH_LIBCRYPTO
unsigned long OpenSSL_version_num(void);
#endif
int main(void)
{
    const uint8_t raw[32] = {1}, nonce[12] = {2};
    uint8_t text[300] = {3}, out[300], tag[16];
    plait_key ours;
    if (plait_key_init(&ours, PLAIT_CHACHA20_POLY1305, raw, 32) != PLAIT_OK) return 1;
    if (plait_cpu_limit("ref") != PLAIT_OK) return 2; /* ours alone */
    if (plait_seal(&ours, out, tag, nonce, 12, NULL, 0, text, sizeof text) != PLAIT_OK) return 3;
    if (!theirs_opens(raw, nonce, out, sizeof out, tag)) return 4;
#ifdef WITH_LIBCRYPTO
    if (OpenSSL_version_num() == 0) return 5;
#endif
    return memcmp(out, text, sizeof text);
}
END
two_static() { # define, library
    renamed=$BUILD/renamed
    ${MAKE:-make} -s -C "$ROOT" BUILD="$BUILD" CC="$CC" RENAME=their_ renamed &&
        ! nm -g --defined-only "$renamed/libtheir_plait.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^their_plait_/' | grep . &&
        (cd "$WORK" && $CC -std=c11 -I"$ROOT/include" -I"$renamed" $1 static.c theirs.c "$renamed/libtheir_plait.a" \
            "$BUILD/libplait.a" $2 -o static && ./static)
}
if have objcopy && have nm; then
    if printf 'int main(void) { return 0; }\n' >"$WORK/try.c" && $CC "$WORK/try.c" -lcrypto -o "$WORK/try" 2>/dev/null; then
        check "two static copies, one renamed, with libcrypto" two_static -DWITH_LIBCRYPTO -lcrypto
    else check "two static copies, one renamed" two_static "" ""; fi
else skip "two static copies" "needs binutils"; fi

# The first call of the process from the constructor of a library that was linked before this one.
cat >"$WORK/early.c" <<'END'
#include "plait.h"
int early_status = 99;
__attribute__((constructor)) static void early(void)
{
    const uint8_t raw[32] = {1}, nonce[12] = {2};
    uint8_t text[100] = {0}, tag[16];
    plait_key key;
    early_status = plait_key_init(&key, PLAIT_AES_128_GCM, raw, 16);
    if (early_status == PLAIT_OK) early_status = plait_seal(&key, text, tag, nonce, 12, NULL, 0, text, sizeof text);
    if (early_status == PLAIT_OK) early_status = plait_open(&key, text, nonce, 12, NULL, 0, text, sizeof text, tag);
}
END
printf 'extern int early_status;\nint main(void) { return early_status; }\n' >"$WORK/main.c"
early() {
    (cd "$WORK" && $CC -std=c11 -fPIC -shared -I"$ROOT/include" early.c -L"$BUILD" -lplait -Wl,-rpath,"$BUILD" -o libearly.so &&
        $CC main.c -L. -learly -Wl,-rpath,"$WORK" -Wl,-rpath-link,"$BUILD" -o main && ./main)
}
check "a call from the constructor of another library" early
finish
