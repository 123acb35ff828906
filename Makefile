# SPDX-License-Identifier: Apache-2.0
#
#   make             the libraries and the program, in build/
#   make bench       races every usable kernel of this CPU (under a minute)
#   make check       all tests that the installed tools allow; ends with "N passed, N failed"
#   make check-full  the same with the long forms (hours on a small machine)
#   make quick       a part of make check for every day, under 40 seconds
#   make deps        installs what the tests can use (Debian, Ubuntu)
#   make peers       installs the libraries that `plait bench peers` races, where Debian has them
#   make install     to PREFIX (/usr/local), below DESTDIR
#   make renamed RENAME=their_   a copy whose names start with their_plait_, for programs that link two
#   make clean
#
# V=1 shows the commands.
#
# Needs make and a C compiler. Nothing is configured or generated: what is in src/ and src/kernels/ is built.

# $(call say,WHAT): a word before a command, if neither -s nor V=1 is given.
quiet := $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say    = $(if $(quiet)$(V),,@echo "$(1)")
Q     := $(if $(V),,@)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

BUILD  = build
CFLAGS = -O2 -g
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
LIBDIR = $(PREFIX)/lib
INCDIR = $(PREFIX)/include
MANDIR = $(PREFIX)/share/man
INSTALL = install

# One set of objects for both libraries, so that what is tested is what is shipped.
OWN_CFLAGS  = -std=c11 -Wall -Wextra -Wpedantic -fPIC -fvisibility=hidden -MMD -MP -Iinclude
LIB_CFLAGS  = $(OWN_CFLAGS) -fno-semantic-interposition
CLI_CFLAGS  = $(OWN_CFLAGS) -D_GNU_SOURCE -DPLAIT_CC='"$(CC)"' -DPLAIT_CFLAGS='"$(CFLAGS)"'
TEST_CFLAGS = $(OWN_CFLAGS) -D_GNU_SOURCE -DPLAIT_TEST_DIR='"$(CURDIR)/test"'
LIBS        = -lm -ldl -lpthread

VERSION := $(shell sed -n 's/^\#define PLAIT_VERSION_[A-Z]* \([0-9]*\)/\1/p' include/plait.h | paste -sd . -)
ABI     := 0

LIB_SRC  := $(wildcard src/*.c src/kernels/*.c)
CLI_SRC  := $(wildcard cli/*.c cli/*/*.c)
TEST_SRC := $(wildcard test/test_*.c)
MAN_SRC  := $(wildcard docs/man/*.[0-9])

LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)
TEST_HELP := $(BUILD)/obj/test/harness.o $(BUILD)/obj/test/oracle.o
TEST_OBJ := $(TEST_SRC:%.c=$(BUILD)/obj/%.o) $(TEST_HELP)
TESTS    := $(TEST_SRC:test/%.c=$(BUILD)/test/%)

ifeq ($(shell uname -s),Darwin)
SHARED      = libplait.$(ABI).dylib
SHARED_DEV  = libplait.dylib
SHARED_LINK = -dynamiclib -install_name $(LIBDIR)/$(SHARED)
else
SHARED      = libplait.so.$(ABI)
SHARED_DEV  = libplait.so
SHARED_LINK = -shared -Wl,-soname,$(SHARED) -Wl,-z,defs -Wl,-z,noexecstack
endif

STATIC_LIB = $(BUILD)/libplait.a
SHARED_LIB = $(BUILD)/$(SHARED)
PROGRAM    = $(if $(CLI_SRC),$(BUILD)/plait)

.PHONY: all lib static program tests bench check check-full quick deps deps-list peers install uninstall \
        renamed clean

all: lib program
lib: static $(SHARED_LIB)
static: $(STATIC_LIB)
program: $(PROGRAM)
tests: $(TESTS)

$(STATIC_LIB): $(LIB_OBJ)
	$(call say,AR $@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJ)

$(SHARED_LIB): $(LIB_OBJ)
	$(call say,LD $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SHARED_LINK) -o $@ $(LIB_OBJ)
	$(Q)ln -sf $(SHARED) $(BUILD)/$(SHARED_DEV)

$(BUILD)/plait: $(CLI_OBJ) $(STATIC_LIB)
	$(call say,LD $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CLI_OBJ) $(STATIC_LIB) $(LIBS)

$(BUILD)/test/%: $(BUILD)/obj/test/%.o $(TEST_HELP) $(STATIC_LIB)
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/obj/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) $(CPPFLAGS) $(LIB_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/obj/cli/%.o: cli/%.c
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) $(CPPFLAGS) $(CLI_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/obj/test/%.o: test/%.c
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(CFLAGS) -c -o $@ $<

# Several tests in one program, which is the test whose name it is called by: for LTO, where linking takes the time.
IN_ONE = $(BUILD)/test/in_one
$(BUILD)/obj/test/main_%.o: test/test_%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(CFLAGS) -Dmain=main_$* -c -o $@ $<
$(IN_ONE): $(TESTS_IN_ONE:%=$(BUILD)/obj/test/main_%.o) $(TEST_HELP) $(STATIC_LIB)
	@mkdir -p $(@D)
	@{ echo '#include <string.h>'; \
	   for t in $(TESTS_IN_ONE); do sed -n "s/^int main(\(.*\))$$/int main_$$t(\1);/p" test/test_$$t.c; done; \
	   echo 'int main(int argc, char **argv) { (void)argc;'; \
	   for t in $(TESTS_IN_ONE); do echo "if (strstr(argv[0], \"/test_$$t\")) return main_$$t" \
	       "$$(sed -n 's/^int main(\(void\)*\(int argc, char \*\*argv\)*)$$/(\2)/p' test/test_$$t.c | sed 's/int //; s/char ..//');"; done; \
	   echo 'return 2; }'; } >$@.c
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $@.c $^ $(LIBS)
	@for t in $(TESTS_IN_ONE); do ln -sf in_one $(BUILD)/test/test_$$t; done

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_OBJ:.o=.d)

.SECONDARY: $(TEST_OBJ) $(TESTS_IN_ONE:%=$(BUILD)/obj/test/main_%.o)

JOBS := $(shell nproc 2>/dev/null || echo 2)
parallel = $(if $(findstring j,$(filter-out --%,$(MAKEFLAGS))),,-j$(JOBS))
bench:
	@+$(MAKE) --no-print-directory $(parallel) program
	$(BUILD)/plait bench

# The fast programs at their lowest level, on this CPU, with one compiler.
QUICK_TESTS := $(filter-out %/test_huge %/test_threads %/test_secrets %/test_wipe %/test_trace,$(TESTS))
quick:
	@$(MAKE) -s -j2 BUILD=$(BUILD) static program $(QUICK_TESTS)
	@PLAIT_TEST_LEVEL=0 sh test/run.sh $(BUILD)/test/quick.log $(QUICK_TESTS)

# All that the installed tools allow, the parts side by side: see test/check.sh.
CHECK_PARTS := $(addprefix check-,$(shell sh test/check.sh list))
CHECK = BUILD='$(BUILD)' CC='$(CC)' MAKE='$(MAKE)' sh test/check.sh
.PHONY: check-parts $(CHECK_PARTS)

check:
	@mkdir -p $(BUILD)/check && rm -f $(BUILD)/check/*.out && touch $(BUILD)/check/started
	@+$(MAKE) --no-print-directory -s -k $(parallel) BUILD='$(BUILD)' all tests
	@+$(MAKE) --no-print-directory -s -k $(parallel) BUILD='$(BUILD)' check-parts
	@$(CHECK) ledger

check-full:
	@PLAIT_TEST_LEVEL=2 $(MAKE) --no-print-directory check BUILD='$(BUILD)'

check-parts: $(CHECK_PARTS)
check-native check-builds check-mutation check-scripts: all tests
check-fuzz: check-asan-clang
$(CHECK_PARTS): check-%:
	@+$(CHECK) part $*

# A copy under another prefix: the archive with its external names changed, and a header that says so to the compiler.
OBJCOPY = objcopy
NM      = nm
DECLARED = sed -n 's/^PLAIT_API .*[ *]\(plait_[a-z0-9_]*\)(.*/\1/p' include/*.h
renamed: $(STATIC_LIB)
	$(if $(RENAME),,$(error make renamed RENAME=their_: the prefix is missing))
	@mkdir -p $(BUILD)/renamed
	@$(NM) -g --defined-only $(STATIC_LIB) | awk 'NF == 3 { print $$3, "$(RENAME)" $$3 }' | sort -u >$(BUILD)/renamed/names
	@$(OBJCOPY) --redefine-syms=$(BUILD)/renamed/names $(STATIC_LIB) $(BUILD)/renamed/lib$(RENAME)plait.a
	@{ echo '/* plait_hazmat.h, each function under the name that it has in lib$(RENAME)plait.a */'; \
	   $(DECLARED) | sort -u | sed 's/.*/#define & $(RENAME)&/'; \
	   echo '#include "plait_hazmat.h"'; } >$(BUILD)/renamed/$(RENAME)plait.h
	@rm $(BUILD)/renamed/names
	@echo "$(BUILD)/renamed: lib$(RENAME)plait.a, $(RENAME)plait.h (beside the headers of include/)"

# ---- packaging ----------------------------------------------------------------------------------------

FILL = sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' -e 's|@INCDIR@|$(INCDIR)|g' \
           -e 's|@VERSION@|$(VERSION)|g' -e 's|@SHARED@|$(SHARED)|g'

install: all
	$(INSTALL) -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(INCDIR)" "$(DESTDIR)$(LIBDIR)/pkgconfig" \
	    "$(DESTDIR)$(LIBDIR)/cmake/plait"
	$(INSTALL) -m 644 include/plait.h include/plait_hazmat.h "$(DESTDIR)$(INCDIR)"
	$(INSTALL) -m 644 $(STATIC_LIB) "$(DESTDIR)$(LIBDIR)"
	$(INSTALL) -m 755 $(SHARED_LIB) "$(DESTDIR)$(LIBDIR)"
	ln -sf $(SHARED) "$(DESTDIR)$(LIBDIR)/$(SHARED_DEV)"
	$(if $(PROGRAM),$(INSTALL) -m 755 $(PROGRAM) "$(DESTDIR)$(BINDIR))"
	$(FILL) tools/plait.pc.in >"$(DESTDIR)$(LIBDIR)/pkgconfig/plait.pc"
	$(FILL) tools/plaitConfig.cmake.in >"$(DESTDIR)$(LIBDIR)/cmake/plait/plaitConfig.cmake"
	$(FILL) tools/plaitConfigVersion.cmake.in >"$(DESTDIR)$(LIBDIR)/cmake/plait/plaitConfigVersion.cmake"
	@for page in $(MAN_SRC); do \
	    section=man$${page##*.}; \
	    $(INSTALL) -d "$(DESTDIR)$(MANDIR)/$$section" && \
	    $(INSTALL) -m 644 $$page "$(DESTDIR)$(MANDIR)/$$section" || exit 1; \
	done

uninstall:
	rm -f "$(DESTDIR)$(BINDIR)/plait" "$(DESTDIR)$(INCDIR)/plait.h" "$(DESTDIR)$(INCDIR)/plait_hazmat.h" \
	    "$(DESTDIR)$(LIBDIR)/libplait.a" "$(DESTDIR)$(LIBDIR)/$(SHARED)" "$(DESTDIR)$(LIBDIR)/$(SHARED_DEV)" \
	    "$(DESTDIR)$(LIBDIR)/pkgconfig/plait.pc"
	rm -rf "$(DESTDIR)$(LIBDIR)/cmake/plait"
	@for page in $(notdir $(MAN_SRC)); do rm -f "$(DESTDIR)$(MANDIR)/man$${page##*.}/$$page"; done

# What the tests use when it is there. Nothing of it is needed to build, and without it they say what they
# skipped. QEMU with SPARC VIS3 (9.1 and later) is in bookworm-backports.
DEPS = make gcc g++ clang libclang-rt-dev binutils libc6-dev libssl-dev python3 python3-cryptography-vectors valgrind \
       cmake pkg-config qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
       gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross \
       musl-tools gcc-i686-linux-gnu libc6-dev-i386-cross gcc-sparc64-linux-gnu libc6-dev-sparc64-cross \
       gcc-mingw-w64-x86-64 wine64

deps:
	apt-get update
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(DEPS)

deps-list:
	@echo $(DEPS)

# Of their own, since not every release and architecture has them all.
PEERS = libssl-dev libsodium-dev libgcrypt20-dev libipsec-mb-dev nettle-dev libmbedtls-dev libwolfssl-dev \
        libbotan-2-dev android-libboringssl
peers:
	apt-get update
	for p in $(PEERS); do \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$p || echo "not to be had here: $$p"; done

clean:
	rm -rf $(BUILD)
