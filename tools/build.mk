# SPDX-License-Identifier: GPL-2.0-only
# The libraries, the command and their tests. Included by the top Makefile, which
# sets B (the folder of built things) and, where this system has no compiler,
# ON_HOST (a command that runs another one where there is one) and TOOLCHAIN (what
# brings it).

TOOLS_CPPFLAGS := -D_GNU_SOURCE -Itools/lib -Idriver -DSSCTR_VERSION='"$(VERSION)"'
TOOLS_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -Wmissing-prototypes \
	-Wstrict-prototypes -Wpointer-arith -Wvla -Wwrite-strings
SAN_CFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer

# libstf stands alone; the other libraries are one archive of the project's own.
STF_SRC := $(wildcard tools/lib/stf/*.c)
LIB_SRC := $(filter-out $(STF_SRC),$(wildcard tools/lib/*/*.c)) \
	$(patsubst %,driver/ctr_%.c,cause entry filter view)
CMD_SRC := $(wildcard tools/ssctr/*.c)
TEST_SRC := $(filter-out tools/tests/test.c,$(wildcard tools/tests/*.c))

STF_LIBS := -lzstd -pthread -ldl
LIB_LIBS := -lelf -lzstd
# What is linked against the libraries of qemu/on-host starts anywhere by them.
ifneq ($(ON_HOST),)
TOOLS_LDFLAGS = -Wl,--dynamic-linker=$$(qemu/vm path host)/lib64/ld-linux-x86-64.so.2 \
	-Wl,-rpath,$$(qemu/vm path host)/usr/lib/x86_64-linux-gnu
endif

obj = $(patsubst %.c,$B/$1/%.o,$2)

$B/obj/%.o: %.c | $(TOOLCHAIN)
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(TOOLS_CPPFLAGS) $(TOOLS_CFLAGS) -MMD -MP -c -o $@ $<

$B/obj-san/%.o: %.c | $(TOOLCHAIN)
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(TOOLS_CPPFLAGS) $(TOOLS_CFLAGS) $(SAN_CFLAGS) -MMD -MP -c -o $@ $<

$B/lib/libstf.a: $(call obj,obj,$(STF_SRC))
$B/lib/libssctr.a: $(call obj,obj,$(LIB_SRC))
$B/lib-san/libstf.a: $(call obj,obj-san,$(STF_SRC))
$B/lib-san/libssctr.a: $(call obj,obj-san,$(LIB_SRC))
LIBS := $(foreach lib,libstf libssctr,$B/lib/$(lib).a $B/lib-san/$(lib).a)
$(LIBS):
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(ON_HOST) $(AR) rcs $@ $^

$B/bin/ssctr: $(call obj,obj,$(CMD_SRC)) $B/lib/libssctr.a $B/lib/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(TOOLS_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(STF_LIBS)

# The same command under the sanitizers: what the tests run.
$B/tests/ssctr: $(call obj,obj-san,$(CMD_SRC)) $B/lib-san/libssctr.a $B/lib-san/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(SAN_CFLAGS) -o $@ $^ $(LIB_LIBS) $(STF_LIBS)

$B/tests/%: $B/obj-san/tools/tests/%.o $B/obj-san/tools/tests/test.o \
		$B/lib-san/libssctr.a $B/lib-san/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(SAN_CFLAGS) -o $@ $^ $(LIB_LIBS) $(STF_LIBS)

# Programs that judge what others made; the end-to-end tests run them.
.SECONDARY: $(call obj,obj-san,$(wildcard tools/tests/judge/*.c))
$B/tests/judge/%: $B/obj-san/tools/tests/judge/%.o \
		$B/lib-san/libssctr.a $B/lib-san/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(SAN_CFLAGS) -o $@ $^ $(LIB_LIBS) $(STF_LIBS)

TESTS := $(patsubst tools/tests/%.c,$B/tests/%,$(TEST_SRC))
.SECONDARY: $(TESTS) $(call obj,obj-san,$(TEST_SRC) tools/tests/test.c)

# What is measured is what is installed: no sanitizers.
$B/bench/%: $B/obj/tools/bench/%.o $B/lib/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(TOOLS_LDFLAGS) -o $@ $^ $(STF_LIBS)

.PHONY: tools tools-test bench
bench: $B/bench/stf_bench $B/bin/ssctr
	$(Q)$(ON_HOST) $B/bench/stf_bench -s $B/bin/ssctr
tools: $B/bin/ssctr $B/lib/libstf.a

# One KTAP log a program in $B/logs; `check` and `test` add them up.
HOST_LOGS := $(patsubst tools/tests/%.c,$B/logs/host-%.tap,$(TEST_SRC))
$B/logs/host-%.tap: $B/tests/% $B/tests/ssctr FORCE
	@tools/tests/suite run $@ $(ON_HOST) $<

-include $(shell find $B/obj $B/obj-san -name '*.d' 2>/dev/null)
