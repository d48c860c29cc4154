# SPDX-License-Identifier: GPL-2.0-only
# The libraries, the command and their tests. Included by the top Makefile, which
# sets B (the folder of built things) and, where this system has no compiler,
# ON_HOST (a command that runs another one where there is one) and TOOLCHAIN (what
# brings it); ON_CHECK is such a command for tests. CPPFLAGS, CFLAGS and LDFLAGS are the
# user's.

TOOLS_CPPFLAGS := -D_GNU_SOURCE -Itools/lib -Idriver -DSSCTR_VERSION='"$(VERSION)"'
# A warning is an error by the compilers of qemu/vm, which we know; who has another one is
# warned. WERROR=-Werror makes it one by any.
WERROR := $(if $(BY_MACHINE),-Werror)
# Harts that multiply and add at once would make other weights of the same recording.
TOOLS_CFLAGS := -std=gnu11 -O2 -g -ffp-contract=off -Wall -Wextra $(WERROR) -Wmissing-prototypes \
	-Wstrict-prototypes -Wpointer-arith -Wvla -Wwrite-strings
# Half of the time to compile them, and the tests take no longer. To follow variables
# through optimized code takes a fifth; clang, which does not, need not say so. What the
# sanitizers know of each check is relocated at each start, a third of it, if it is PIE.
SAN_CFLAGS := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-pie -no-pie \
	-fno-omit-frame-pointer -fno-var-tracking -Wno-ignored-optimization-argument \
	-Wno-unused-command-line-argument
# Test programs are compiled in a third of the time without optimization. What they spend
# is spent in what they test, but for three.
$B/obj-san/tools/tests/%.o: SAN_CFLAGS += -O0
$(patsubst %,$B/obj-san/tools/tests/%.o,count-weigh countfile-format countfile-merge): SAN_CFLAGS += -O1

# Not what is added for some files, nor what a make inside of another has otherwise.
BUILT_WITH := $(SAN_CFLAGS)

# libstf stands alone; the other libraries are one archive of the project's own.
STF_SRC := $(wildcard tools/lib/stf/*.c)
LIB_SRC := $(filter-out $(STF_SRC),$(wildcard tools/lib/*/*.c)) \
	$(patsubst %,driver/ctr_%.c,cause entry filter view)
CMD_SRC := $(wildcard tools/ssctr/*.c)
TEST_SRC := $(filter-out tools/tests/test.c,$(wildcard tools/tests/*.c))

TESTS := $(patsubst tools/tests/%.c,$B/tests/%,$(TEST_SRC))
# Programs whose models and logs are so large that the sanitizers would take most of the
# time. Other tests of the same rooms run under them.
PLAIN_TESTS := $(addprefix $B/tests/phases-,programs recorded sparse twice)

STF_SONAME := libstf.so.0
STF_LIBS := -lzstd -pthread -ldl
TRACEEVENT_LIB := -ltraceevent
LIB_LIBS := -ldw -lelf -lzstd $(TRACEEVENT_LIB) -lm
ifeq ($(SSCTR_TARGET),riscv64)
include tools/riscv64.mk
endif
# What is linked against the libraries of qemu/on-host starts anywhere by them, and by
# what they need themselves, which the old kind of rpath holds for.
ifneq ($(and $(BY_MACHINE),$(if $(SSCTR_TARGET),,yes)),)
TOOLS_LDFLAGS := -Wl,--dynamic-linker='$(CACHE)/host/lib64/ld-linux-x86-64.so.2' \
	-Wl,--disable-new-dtags,-rpath,'$(CACHE)/host/usr/lib/x86_64-linux-gnu'
endif

# The compilers of qemu/vm keep in its cache what they compiled.
COMPILE = $(ON_HOST) $(if $(BY_MACHINE),ccache) $(CC)

obj = $(patsubst %.c,$B/$1/%.o,$2)
include tools/libperf.mk
include tools/libbpf.mk

# For the command, for libstf.so and for the plug-ins, which take less than half of it.
$B/obj/%.o: %.c $B/built-by | $(TOOLCHAIN)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(TOOLS_CPPFLAGS) $(CPPFLAGS) $(TOOLS_CFLAGS) $(CFLAGS) \
		-fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -MMD -MP -c -o $@ $<

# The names of the system calls, by the kernel's header.
SYSCALLS_OBJ := $(foreach dir,obj obj-san,$B/$(dir)/tools/lib/last/syscalls.o)
$(SYSCALLS_OBJ): $B/syscall_names.h
$(SYSCALLS_OBJ): TOOLS_CPPFLAGS += -DSYSCALL_NAMES='"$(abspath $B)/syscall_names.h"'
$B/syscall_names.h: $B/built-by | $(TOOLCHAIN)
	$(Q)echo '#include <asm-generic/unistd.h>' | $(ON_HOST) $(CC) -E -dM -x c - | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/[__NR_\1] = "\1",/p' | \
		grep -v '"syscalls"\|"arch_specific' >$@

$B/obj-san/%.o: %.c $B/built-by | $(TOOLCHAIN)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(TOOLS_CPPFLAGS) $(TOOLS_CFLAGS) $(SAN_CFLAGS) -MMD -MP -c -o $@ $<

# To enter the root folder takes longer than to find in its cache what was compiled: the
# libraries and the command are made by one make there, and what tests run by another.
MADE := $(foreach name,lib/libstf.a lib/libssctr.a lib/libstf.so bin/ssctr,$B/$(name))
MADE_SAN := $(foreach name,lib-san/libstf.a lib-san/libssctr.a tests/ssctr,$B/$(name))
ifneq ($(filter check same seeds test test-%,$(MAKECMDGOALS)),)
MADE_SAN += $(filter-out $(PLAIN_TESTS) $B/tests/plugin-%,$(TESTS))
endif
make_inside = qemu/on-host $(MAKE) $(if $(V),,-s) --no-print-directory INSIDE=1
ifneq ($(ON_HOST),)
.PHONY: made made-san
made: | $(TOOLCHAIN) $(LIBPERF_READY)
	$(Q)+$(make_inside) LIBPERF_SOURCE='$(LIBPERF_DIR:/tools=)' $(MADE)
made-san: made
	$(Q)+$(make_inside) LIBPERF_SOURCE='$(LIBPERF_DIR:/tools=)' $(MADE_SAN)
$(MADE): made
	@:
$(MADE_SAN): made-san
	@:
else
$B/lib/libstf.a: $(call obj,obj,$(STF_SRC))
$B/lib/libssctr.a: $(call obj,obj,$(LIB_SRC)) $(LIBPERF_OBJ)
$B/lib-san/libstf.a: $(call obj,obj-san,$(STF_SRC))
$B/lib-san/libssctr.a: $(call obj,obj-san,$(LIB_SRC)) $(LIBPERF_OBJ)
LIBS := $(foreach lib,libstf libssctr,$B/lib/$(lib).a $B/lib-san/$(lib).a)
$(LIBS) $B/bin/ssctr $B/tests/ssctr $B/lib/libstf.so: $B/linked
$(LIBS):
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

$B/bin/ssctr: $(call obj,obj,$(CMD_SRC)) $B/lib/libssctr.a $B/lib/libstf.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(TOOLS_LDFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) \
		$(LIB_LIBS) $(STF_LIBS)

# The same command under the sanitizers: what the tests run.
$B/tests/ssctr: $(call obj,obj-san,$(CMD_SRC)) $B/lib-san/libssctr.a $B/lib-san/libstf.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN_CFLAGS) $(TOOLS_LDFLAGS) -o $@ $(filter %.o %.a,$^) \
		$(LIB_LIBS) $(STF_LIBS)

# The shared library, and what a program outside the tree needs to use it.
$B/lib/libstf.so: $(call obj,obj,$(STF_SRC))
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(STF_SONAME) $(LDFLAGS) -o $@ $(filter %.o,$^) $(STF_LIBS)
endif

# The same for the guest, in $B/riscv64: SSCTR_TARGET in the top Makefile.
.PHONY: tools-riscv64
tools-riscv64: machine
	$(Q)+source=$$(qemu/vm source 6.12) && $(make_inside) SSCTR_TARGET=riscv64 \
		B=$B/riscv64 LIBPERF_SOURCE="$$source" tools

$B/tests/%: $B/obj-san/tools/tests/%.o $B/obj-san/tools/tests/test.o \
		$B/lib-san/libssctr.a $B/lib-san/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(SAN_CFLAGS) $(TOOLS_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(STF_LIBS)

$(PLAIN_TESTS): $B/tests/%: $B/obj/tools/tests/%.o $B/obj/tools/tests/test.o
# The same for those that judge what others made; the end-to-end tests run them. script is
# linked with a plug-in, in perf-plugin/build.mk.
JUDGES := $(patsubst tools/tests/judge/%.c,$B/tests/judge/%, \
	$(filter-out %/executed.c %/script.c,$(wildcard tools/tests/judge/*.c)))
.SECONDARY: $(call obj,obj,$(wildcard tools/tests/judge/*.c) tools/tests/test.c)
$(JUDGES): $B/tests/judge/%: $B/obj/tools/tests/judge/%.o
$(PLAIN_TESTS) $(JUDGES): $B/lib/libssctr.a $B/lib/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(TOOLS_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		$(LIB_LIBS) $(STF_LIBS)

$B/tests/judge/path_check $B/tests/judge/last_check $B/tests/judge/log_csv $B/tests/judge/windows_check: $(call obj,obj,tools/tests/judge/executed.c)

$B/tests/judge/phases_check: $(call obj,obj,tools/tests/test.c)

$B/obj/tools/tests/judge/%.o: TOOLS_CPPFLAGS += -Iqemu/plugin -Iselftests

# A browser is more than all else that the tests need, so that it is no part of them.
.PHONY: test-browser
BROWSER_SRC := $(wildcard tools/tests/browser/*.c)
.SECONDARY: $(call obj,obj-san,$(BROWSER_SRC))
test-browser: $(patsubst tools/tests/browser/%.c,$B/tests/browser-%,$(BROWSER_SRC)) $B/tests/ssctr
	@for test in $(filter-out %/ssctr,$^); do $$test || exit; done
$B/tests/browser-%: $B/obj-san/tools/tests/browser/%.o $B/obj-san/tools/tests/test.o \
		$B/lib-san/libssctr.a $B/lib-san/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(SAN_CFLAGS) $(TOOLS_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(STF_LIBS)

.SECONDARY: $(TESTS) $(call obj,obj-san,$(TEST_SRC) tools/tests/test.c)

# So that make does not say at the end what it removes.
.SECONDARY: $(call obj,obj,$(wildcard tools/bench/*.c))
# What is measured is what is installed: no sanitizers.
$B/bench/counts_gen: $B/lib/libssctr.a
$B/bench/%: $B/obj/tools/bench/%.o $B/lib/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(TOOLS_LDFLAGS) -o $@ $^ $(STF_LIBS)

# Fuzzing, by clang's libFuzzer: FUZZ_SECONDS for each target, from the seeds in
# the tree. The clang is this system's where it has libFuzzer, else the machine's.
FUZZ_CC := clang
FUZZ_SECONDS := 600
FUZZ_TEST_SECONDS := 60
FUZZ_TARGETS := stf_fuzz_reader stf_fuzz_container stf_fuzz_checker \
	lib_fuzz_perfdata lib_fuzz_csv lib_fuzz_data lib_fuzz_cut lib_fuzz_join \
	lib_fuzz_probes lib_fuzz_wide lib_fuzz_origin lib_fuzz_counts \
	stf_fuzz_transactions lib_fuzz_stat lib_fuzz_windows lib_fuzz_phases
FUZZ_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror $(SAN_CFLAGS) -fsanitize=fuzzer
fuzz_probe = printf '\043include <zstd.h>\nint LLVMFuzzerTestOneInput(char *d, long n) {}' | \
	$(FUZZ_CC) -x c - -fsanitize=fuzzer,address -lzstd -o /dev/null 2>/dev/null

$B/fuzz/on-host:
	@mkdir -p $(@D)
	@if $(fuzz_probe); then :; else $(MAKE) --no-print-directory machine; fi
	@if $(fuzz_probe); then :; else echo qemu/on-host; fi >$@

$B/fuzz/stf_fuzz_%: tools/fuzz/stf_fuzz_%.c tools/fuzz/fuzz.h $(STF_SRC) \
		$(wildcard tools/lib/stf/*.h) $B/fuzz/on-host
	$(Q)$$(cat $B/fuzz/on-host) $(FUZZ_CC) $(TOOLS_CPPFLAGS) $(FUZZ_CFLAGS) -o $@ \
		$(filter %.c,$^) $(STF_LIBS)

# The names of code need the binaries, which no target reads.
$B/fuzz/lib_fuzz_%: tools/fuzz/lib_fuzz_%.c $(wildcard tools/fuzz/*.h) \
		$(wildcard $(foreach lib,base countfile csv origin perfdata riscv stats stf tracecmp tracecut tracefile tracejoin,tools/lib/$(lib)/*.[ch])) \
		$(wildcard tools/lib/profile/probes.[ch] tools/lib/profile/wide.[ch]) $B/fuzz/on-host
	$(Q)$$(cat $B/fuzz/on-host) $(FUZZ_CC) $(TOOLS_CPPFLAGS) $(FUZZ_CFLAGS) -o $@ \
		$(filter-out %/names.c,$(filter %.c,$^)) $(STF_LIBS) -lm

# These need more than the others do.
fuzz_phases := $(wildcard tools/lib/windows/*.[ch] \
	$(foreach room,bbv cluster estimate pairs plan student trace,tools/lib/phases/$(room).[ch]))
$B/fuzz/lib_fuzz_stat: $(wildcard tools/lib/tracestat/*.[ch])
$B/fuzz/lib_fuzz_windows $B/fuzz/lib_fuzz_phases: $(fuzz_phases)

.PHONY: fuzz
fuzz: $(FUZZ_TARGETS:%=$B/fuzz/%)
	$(Q)for target in $(FUZZ_TARGETS); do \
		$$(cat $B/fuzz/on-host) tools/fuzz/run $B/fuzz $$target $(FUZZ_SECONDS) || \
		exit 1; done

FUZZ_LOGS := $(FUZZ_TARGETS:%=$B/logs/fuzz-%.tap)
$(FUZZ_LOGS): $B/logs/fuzz-%.tap: $B/fuzz/% FORCE
	@tools/tests/suite run $@ $$(cat $B/fuzz/on-host) tools/fuzz/run $B/fuzz $* \
		$(FUZZ_TEST_SECONDS)

# Breaks the product in many places, one at a time: do the tests see it?
MUTANTS := 120
MUTANT_SEED := 1
MUTANT_FILES :=
.PHONY: mutants
mutants: $(LIBPERF_OBJ) $B/syscall_names.h | $(TOOLCHAIN)
	@CC='$(CC)' VERSION='$(VERSION)' LIBS='$(LIB_LIBS) $(STF_LIBS)' \
		SYSCALL_NAMES='$(abspath $B)/syscall_names.h' LIBPERF_OBJ='$(abspath $(LIBPERF_OBJ))' LIBPERF_CPPFLAGS='$(LIBPERF_CPPFLAGS)' \
		SAN_CFLAGS='$(SAN_CFLAGS)' $(or $(ON_CHECK),$(ON_HOST)) tools/mutants/run \
		$B/mutants $(MUTANTS) \
		$(MUTANT_SEED) $(MUTANT_FILES)

PREFIX := /usr/local
LIBDIR := $(PREFIX)/lib
# Each page of libstf under all names that it describes.
MAN1 := $(wildcard docs/man/*.1)
MAN3 := $(wildcard docs/man/*.3)
MAN4 := $(wildcard docs/man/*.4)
MAN5 := $(wildcard docs/man/*.5)
man_names = $(shell sed -n 's/^\.Nm \([^ ]*\).*/\1/p' $1)

INSTALL_BIN = $(DESTDIR)$(PREFIX)/bin
INSTALL_INCLUDE = $(DESTDIR)$(PREFIX)/include/stf
INSTALL_LIB = $(DESTDIR)$(LIBDIR)
INSTALL_MAN = $(DESTDIR)$(PREFIX)/share/man
# Where python3 looks for modules below PREFIX, by what it says itself.
PYTHON := python3
PYTHONDIR = $(or $(shell $(PYTHON) -c 'import site, sys; print(next((folder for folder in \
	site.getsitepackages() if folder.startswith(sys.argv[1] + "/lib/")), ""))' \
	'$(PREFIX)' 2>/dev/null),$(PREFIX)/lib/python3/dist-packages)
INSTALL_PYTHON = $(DESTDIR)$(PYTHONDIR)
INSTALL_COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
INSTALL_UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/system
# Pages link to each other as in the tree, and messages name them so: docs/trouble.md.
INSTALL_DOCS = $(DESTDIR)$(PREFIX)/share/doc/ssctr
DOCS := README.md CONTRIBUTING.md CHANGELOG.md $(wildcard docs/*.md)
INSTALL_EXAMPLES = $(INSTALL_DOCS)/examples
EXAMPLES := $(wildcard packaging/cluster/*)

# By qemu/on-host it is built for who has its cache: nobody else can start that, nor can
# a perf of this system load its plug-ins, where its C library is older.
INSTALL_GOALS := install install-command install-library install-plugins
ifneq ($(and $(ON_HOST),$(filter $(INSTALL_GOALS),$(MAKECMDGOALS))),)
ifeq ($(SSCTR_TARGET),)
$(error What is installed is built with this system's compiler and libraries, which are \
	not all there; install them as root, then make it again: \
	apt install $(PACKAGES))
endif
endif

.PHONY: $(INSTALL_GOALS) install-docs install-service install-python uninstall may-install
install: install-command install-docs install-service install-library install-python

# Where the goals install, each below a folder that is there and may be written, before any
# of them begins.
FOLDERS_command = $(INSTALL_BIN) $(INSTALL_COMPLETION) $(INSTALL_EXAMPLES) $(INSTALL_MAN)/man1 \
	$(INSTALL_MAN)/man5
FOLDERS_docs = $(INSTALL_DOCS)/docs
FOLDERS_service = $(INSTALL_UNITS)
FOLDERS_library = $(INSTALL_INCLUDE) $(INSTALL_LIB)/pkgconfig $(INSTALL_MAN)/man3
FOLDERS_python = $(INSTALL_PYTHON)
FOLDERS_install = $(foreach part,command docs service library python plugins,$(FOLDERS_$(part)))
INSTALL_FOLDERS = $(foreach goal,$(MAKECMDGOALS),$(FOLDERS_$(goal:install-%=%)))
may-install:
	@for folder in $(INSTALL_FOLDERS); do \
		at=$$folder; \
		while [ ! -e "$$at" ]; do at=$$(dirname "$$at"); done; \
		[ -d "$$at" ] && [ -w "$$at" ] && continue; \
		echo "nothing is installed, because $$folder cannot be written: install as root, or into a folder of your own with PREFIX=FOLDER" >&2; \
		exit 1; \
	done
install-command install-docs install-service install-library install-python: may-install

install-command: $B/bin/ssctr
	install -D $B/bin/ssctr $(INSTALL_BIN)/ssctr
	install -D -m 644 packaging/ssctr.bash $(INSTALL_COMPLETION)/ssctr
	install -D -t $(INSTALL_EXAMPLES) $(EXAMPLES)
	install -D -m 644 -t $(INSTALL_MAN)/man1 $(MAN1)
	install -D -m 644 -t $(INSTALL_MAN)/man5 $(MAN5)
	@$(if $(LIBPERF_SOURCE),,echo 'this ssctr cannot record, because it is built without libperf:' \
		'give LIBPERF_SOURCE=FOLDER with the sources of a kernel to this make')

install-docs:
	install -D -m 644 -t $(INSTALL_DOCS) $(filter-out docs/%,$(DOCS))
	install -D -m 644 -t $(INSTALL_DOCS)/docs $(filter docs/%,$(DOCS))

# A unit that nobody has enabled does nothing.
install-service:
	install -d $(INSTALL_UNITS)
	sed 's|/usr/bin/ssctr|$(PREFIX)/bin/ssctr|' packaging/ssctr-collect.service \
		>$(INSTALL_UNITS)/ssctr-collect.service
	chmod 644 $(INSTALL_UNITS)/ssctr-collect.service

# Programs find a library by the cache of ldconfig, if that is told of the folder. It names
# /usr/lib as /lib where the two are one.
LDCONFIG := PATH="$$PATH:/usr/sbin:/sbin" ldconfig
finds_libraries = $(LDCONFIG) -vNX 2>/dev/null | sed -n 's/^\(\/[^:]*\):.*/\1/p' | { \
	while read -r folder; do [ "$$folder" -ef '$(LIBDIR)' ] && exit; done; false; }

install-library: $B/lib/libstf.a $B/lib/libstf.so
	install -D -m 644 tools/lib/stf/stf.h $(INSTALL_INCLUDE)/stf.h
	install -D -m 644 $B/lib/libstf.a $(INSTALL_LIB)/libstf.a
	install -D -m 644 $B/lib/libstf.so $(INSTALL_LIB)/$(STF_SONAME)
	ln -sf $(STF_SONAME) $(INSTALL_LIB)/libstf.so
	install -d $(INSTALL_LIB)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' \
		tools/lib/stf/libstf.pc.in >$(INSTALL_LIB)/pkgconfig/libstf.pc
	chmod 644 $(INSTALL_LIB)/pkgconfig/libstf.pc
	install -D -m 644 -t $(INSTALL_MAN)/man3 $(MAN3)
	$(Q)$(foreach page,$(MAN3),$(foreach name,$(call man_names,$(page)),\
		[ $(name).3 = $(notdir $(page)) ] || \
		ln -sf $(notdir $(page)) $(INSTALL_MAN)/man3/$(name).3;))
	$(Q)if [ '$(DESTDIR)' ]; then :; \
	elif ! $(finds_libraries); then \
		echo 'the system does not look for libraries in $(LIBDIR): to use libstf, name this folder in LD_LIBRARY_PATH'; \
	elif ! $(LDCONFIG); then \
		echo 'programs do not find libstf yet: run ldconfig as root'; \
	fi

# It needs Python only to run.
install-python:
	install -D -m 644 tools/python/stf.py $(INSTALL_PYTHON)/stf.py
	$(Q)[ '$(DESTDIR)' ] || ! command -v $(PYTHON) >/dev/null || \
		$(PYTHON) -c 'import sys; sys.exit(sys.argv[1] not in sys.path)' '$(PYTHONDIR)' || \
		echo '$(PYTHON) does not look for modules in $(PYTHONDIR): to use the module stf, set PYTHONPATH to this folder'

# Folders are left, but for the one that is libstf's alone.
uninstall:
	rm -f $(INSTALL_PYTHON)/stf.py $(INSTALL_PYTHON)/__pycache__/stf.*.pyc
	$(Q)rmdir $(INSTALL_PYTHON)/__pycache__ 2>/dev/null || true
	rm -f $(INSTALL_BIN)/ssctr $(INSTALL_COMPLETION)/ssctr \
		$(INSTALL_UNITS)/ssctr-collect.service \
		$(EXAMPLES:packaging/cluster/%=$(INSTALL_EXAMPLES)/%) $(DOCS:%=$(INSTALL_DOCS)/%) \
		$(INSTALL_INCLUDE)/stf.h \
		$(INSTALL_LIB)/libstf.a $(INSTALL_LIB)/libstf.so \
		$(INSTALL_LIB)/$(STF_SONAME) $(INSTALL_LIB)/pkgconfig/libstf.pc \
		$(patsubst docs/man/%,$(INSTALL_MAN)/man1/%,$(MAN1)) \
		$(patsubst docs/man/%,$(INSTALL_MAN)/man5/%,$(MAN5)) \
		$(patsubst %,$(INSTALL_MAN)/man3/%.3,$(call man_names,$(MAN3)))
	$(Q)[ '$(DESTDIR)' ] || ! $(finds_libraries) || $(LDCONFIG) || true
	$(Q)rmdir $(INSTALL_INCLUDE) 2>/dev/null || true
	$(Q)rmdir $(INSTALL_EXAMPLES) $(INSTALL_DOCS)/docs $(INSTALL_DOCS) 2>/dev/null || true

# What draws at random, itself or in a header of the tests, with many seeds.
SEEDS := 200
SEED_SECONDS := 60
SEED_HEADERS := $(notdir $(shell grep -l test_random tools/tests/*-*.h))
SEED_TESTS := $(patsubst tools/tests/%.c,%,$(filter-out %/test.c,$(shell grep -l \
	-e test_random $(SEED_HEADERS:%=-e %) tools/tests/*.c)))
SEED_LOGS := $(SEED_TESTS:%=$B/logs/seeds-%.tap)
$(SEED_LOGS): $B/logs/seeds-%.tap: tools/tests/seeds $B/tests/% $B/tests/ssctr FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $< $B/tests/$* $(SEEDS) $(SEED_SECONDS)

# What has several threads, under ThreadSanitizer, in a build of its own.
THREAD_TESTS := cmd-merge cmd-stf countfile-merge stf-random stf-zstf
THREAD_CFLAGS := -O1 -fsanitize=thread -fno-omit-frame-pointer
THREAD_LOGS := $(THREAD_TESTS:%=$B/logs/threads-%.tap)
.PHONY: thread-programs
thread-programs: | $(TOOLCHAIN)
	$(Q)+$(MAKE) --no-print-directory B=$B/threads SAN_CFLAGS='$(THREAD_CFLAGS)' \
		$(patsubst %,$B/threads/tests/%,ssctr $(THREAD_TESTS))
$(THREAD_LOGS): $B/logs/threads-%.tap: thread-programs
	@tools/tests/suite run $@ $(ON_CHECK) $B/threads/tests/$*

# The command of another build beside this one: OLD is a tree in which same-programs were
# built, or an ssctr; SAME is what both read beside the tests, and as the script says.
SAME_TESTS := $(patsubst tools/tests/%.c,%,$(shell \
	grep -l '"cmd-.*\.h"' tools/tests/*.c))
SAME := tools/fuzz/seeds $(wildcard $B/demo)
.PHONY: same same-programs
same-programs: $B/tests/ssctr $B/bin/ssctr
same: $(SAME_TESTS:%=$B/tests/%) same-programs
	@$(if $(OLD),,$(error OLD=TREE or OLD=SSCTR says what to compare with))
	@$(ON_CHECK) tools/tests/same $B $(OLD) '$(SAME_TESTS)' $(SAME)

# Where 'qemu/vm clang' has fetched perf2bolt, or others.
PERF2BOLT = $(wildcard $(CACHE)/clang/usr/lib/llvm-*/bin/perf2bolt)
.PHONY: tools bench
bench: $B/bench/stf_bench $B/bench/prof_bench $B/bench/prof_gen $B/bin/ssctr
	$(Q)$(ON_HOST) $B/bench/stf_bench -s $B/bin/ssctr
	$(Q)$(ON_CHECK) $B/bench/prof_bench $(PERF2BOLT:%=-b %) $B/bin/ssctr $B/bench/prof_gen
tools: $B/bin/ssctr $B/lib/libstf.a

# One KTAP log a program in $B/logs; `check` and `test` add them up.
HOST_LOGS := $(patsubst tools/tests/%.c,$B/logs/host-%.tap,$(TEST_SRC))
$B/logs/host-%.tap: $B/tests/% $B/tests/ssctr FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $<

# Here the command looks for leaks in every tier: each subcommand is among what these start.
LEAK_TESTS := words callstacks collect doctor last record timeline top
$(LEAK_TESTS:%=$B/logs/host-cmd-%.tap): export ASAN_OPTIONS := detect_leaks=1

HOST_LOGS += $B/logs/host-man.tap
$B/logs/host-man.tap: tools/tests/man.sh $B/lib-san/libstf.a $B/tests/ssctr FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $< '$(CC)' $B/lib-san/libstf.a $B/tests/ssctr

HOST_LOGS += $B/logs/host-completion.tap
$B/logs/host-completion.tap: tools/tests/completion.sh $B/tests/ssctr FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $< $B/tests/ssctr

HOST_LOGS += $B/logs/host-python.tap
$B/logs/host-python.tap: tools/tests/python.sh $B/lib/libstf.so $B/tests/ssctr FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $< $B $B/tests/ssctr

HOST_LOGS += $B/logs/host-suite.tap
$B/logs/host-suite.tap: tools/tests/suite.sh FORCE
	@tools/tests/suite run $@ $<

HOST_LOGS += $B/logs/host-cluster.tap
$B/logs/host-cluster.tap: tools/tests/cluster.sh FORCE
	@tools/tests/suite run $@ $<

# By this system's git.
HOST_LOGS += $B/logs/host-changelog.tap
$B/logs/host-changelog.tap: tools/tests/changelog.sh FORCE
	@tools/tests/suite run $@ $<

HOST_LOGS += $B/logs/host-order.tap
$B/logs/host-order.tap: tools/tests/order.sh FORCE
	@tools/tests/suite run $@ $<

HOST_LOGS += $B/logs/host-licences.tap
$B/logs/host-licences.tap: tools/tests/licences.sh FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $<

# The driver's pure rooms, for every record and filter that there is.
PROVE_LOGS := $B/logs/prove.tap
$(PROVE_LOGS): tools/tests/prove.sh FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $<

HOST_LOGS += $B/logs/host-install.tap
$B/logs/host-install.tap: tools/tests/install.sh tools $B/lib/libstf.so FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $< $B

# What is made inside is for the make there to know.
-include $(shell find $(foreach dir,obj obj-san,$(if $(ON_HOST),$B/$(dir)/tools/tests \
	$B/$(dir)/tools/bench $B/$(dir)/perf-plugin,$B/$(dir))) -name '*.d' 2>/dev/null)
