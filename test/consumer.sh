#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Can a program use what `make install` and CMake install: plain cc, pkg-config, find_package,
# add_subdirectory? Each builds examples/message.c and runs it. What is asked is where files are and what links with
# what: so what is built here leaves out the kernels of this CPU (not in the long form), seconds in place of minutes.
set -u
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} CC=${CC:-cc}
root=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0 skipped=0

ok() {
    local name=$1
    shift
    if "$@" >"$dir/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        sed 's/^/    /' "$dir/log" | tail -8
    fi
}
skip() {
    echo "SKIP $1 ($2)"
    skipped=$((skipped + 1))
}

if [ "${PLAIT_TEST_LEVEL:-1}" -lt 2 ]; then less=-DPLAIT_PORTABLE; else less=; fi
stage="$dir/the stage"
ok "make install" make -s install BUILD="$BUILD" CC="$CC" PREFIX="$dir/prefix" DESTDIR="$stage"
ok "DESTDIR is kept apart from PREFIX" test ! -e "$dir/prefix"
ok "make install without DESTDIR" make -s install BUILD="$BUILD" CC="$CC" PREFIX="$dir/prefix"
cp -r "$root/examples/message.c" "$dir/"
cd "$dir"

ok "plain cc, static" "$CC" -I"$dir/prefix/include" -o plain message.c "$dir/prefix/lib/libplait.a"
ok "plain cc, static, runs" ./plain
ok "plain cc, shared" "$CC" -I"$dir/prefix/include" -o shared message.c -L"$dir/prefix/lib" -lplait
ok "plain cc, shared, runs" env LD_LIBRARY_PATH="$dir/prefix/lib" ./shared
ok "one command from the sources" "$CC" -O2 $less -I"$root/include" -o direct message.c "$root"/src/*.c "$root"/src/kernels/*.c
ok "one command from the sources, runs" ./direct

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$dir/prefix/lib/pkgconfig
    ok "pkg-config compiles" sh -c "$CC message.c -o pkg \$(pkg-config --cflags --libs plait)"
    ok "pkg-config runs" env LD_LIBRARY_PATH="$dir/prefix/lib" ./pkg
    ok "pkg-config knows the version" test "$(pkg-config --modversion plait)" = \
        "$(sed -n 's/^#define PLAIT_VERSION_[A-Z]* *\([0-9]*\)/\1/p' "$root/include/plait.h" | paste -sd . -)"
else
    skip "pkg-config" "pkg-config is not installed"
fi

if command -v cmake >/dev/null; then
    export CFLAGS="$less" # where CMake takes its flags from
    mkdir find sub
    cp message.c find/ && cp message.c sub/
    cat >find/CMakeLists.txt <<-'EOF'
	cmake_minimum_required(VERSION 3.16)
	project(consumer C)
	find_package(plait 0.1 REQUIRED)
	add_executable(message message.c)
	target_link_libraries(message plait::plait)
	if(TARGET plait::plait_static)
	  add_executable(message_static message.c)
	  target_link_libraries(message_static plait::plait_static)
	endif()
	EOF
    cat >sub/CMakeLists.txt <<-EOF
	cmake_minimum_required(VERSION 3.16)
	project(consumer C)
	add_subdirectory($root plait)
	add_executable(message message.c)
	target_link_libraries(message plait::plait)
	EOF
    ok "find_package after make install" cmake -S find -B find/b -DCMAKE_PREFIX_PATH="$dir/prefix" -DCMAKE_C_COMPILER="$CC"
    ok "find_package after make install, builds" cmake --build find/b
    ok "find_package after make install, runs" find/b/message
    ok "find_package after make install, static, runs" find/b/message_static
    for shared in OFF ON; do
        p=$dir/cm-$shared
        ok "CMake configures, shared=$shared" cmake -S "$root" -B "$p/b" -DBUILD_SHARED_LIBS=$shared -DCMAKE_INSTALL_PREFIX="$p/prefix" -DCMAKE_C_COMPILER="$CC"
        ok "CMake builds, shared=$shared" cmake --build "$p/b" -j2
        ok "CMake installs, shared=$shared" cmake --install "$p/b"
        ok "find_package after CMake, shared=$shared" cmake -S find -B "$p/f" -DCMAKE_PREFIX_PATH="$p/prefix" -DCMAKE_C_COMPILER="$CC"
        ok "find_package after CMake, shared=$shared, builds" cmake --build "$p/f"
        ok "find_package after CMake, shared=$shared, runs" "$p/f/message"
    done
    ok "find_package after CMake, static, runs" "$dir/cm-OFF/f/message_static"
    ok "add_subdirectory" cmake -S sub -B sub/b -DCMAKE_C_COMPILER="$CC"
    ok "add_subdirectory, builds" cmake --build sub/b -j2
    ok "add_subdirectory, runs" sub/b/message
else
    skip "find_package and add_subdirectory" "cmake is not installed"
fi

cd "$root"
ok "make uninstall" make -s uninstall BUILD="$BUILD" PREFIX="$dir/prefix"
ok "make uninstall leaves no file" test -z "$(find "$dir/prefix" -type f)"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
