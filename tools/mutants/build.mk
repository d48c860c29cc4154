# SPDX-License-Identifier: GPL-2.0-only
# Builds a copy of the sources so that one that changes costs one compilation and one
# link: what the tests test is one shared object. tools/mutants/run calls it in the
# copy, with CC, VERSION, CFLAGS, LIBS, SYSCALL_NAMES, LIBPERF_OBJ, LIBPERF_CPPFLAGS and
# ENTERED.

RINGS := tools/lib/recorder/rings$(if $(LIBPERF_OBJ),,_none).c
# ENTERED is what is called where a function begins, or nothing.
LIB_SRC := $(ENTERED) $(filter-out %/rings.c %/rings_none.c %/points.c %.bpf.c,$(wildcard tools/lib/*/*.c)) \
	$(RINGS) \
	$(patsubst %,driver/ctr_%.c,cause entry filter view) \
	$(filter-out tools/ssctr/ssctr.c,$(wildcard tools/ssctr/*.c))
TESTS := $(patsubst tools/tests/%.c,bin/%,$(filter-out tools/tests/test.c,$(wildcard tools/tests/*.c)))
SCRIPTS := $(patsubst %,bin/script-%,profile stf brstackinsn)

all: $(TESTS) $(SCRIPTS) bin/ssctr

obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -DSSCTR_VERSION='"$(VERSION)"' -Itools/lib -Idriver $(EXTRA) $(CFLAGS) -fPIC -w -MMD -MP -c -o $@ $<

obj/tools/lib/recorder/rings.o: EXTRA := $(LIBPERF_CPPFLAGS)
obj/tools/lib/last/syscalls.o: EXTRA := -DSYSCALL_NAMES='"$(SYSCALL_NAMES)"'

bin/libproduct.so: $(LIB_SRC:%.c=obj/%.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -Wl,-Bsymbolic -o $@ $^ $(LIBPERF_OBJ) $(LIBS)

# They load it when they start: a new one needs no new link.
LINK = $(CC) $(CFLAGS) -Wl,-rpath,'$$ORIGIN' -rdynamic -o $@ $^ -Lbin -lproduct $(LIBS)

bin/ssctr: obj/tools/ssctr/ssctr.o | bin/libproduct.so
	$(LINK)

$(TESTS): bin/%: obj/tools/tests/%.o obj/tools/tests/test.o | bin/libproduct.so
	$(LINK)

bin/plugin-traceevent: obj/perf-plugin/traceevent.o

$(SCRIPTS): bin/script-%: obj/perf-plugin/%.o obj/perf-plugin/plugin.o obj/perf-plugin/input.o \
		obj/tools/tests/judge/script.o | bin/libproduct.so
	$(LINK)

.SECONDARY:
-include $(shell find obj -name '*.d' 2>/dev/null)
