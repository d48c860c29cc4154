# SPDX-License-Identifier: GPL-2.0-only
# libperf, which ssctr record opens its events by. No distribution of Debian packages
# it: it is built from the kernel's own sources, a dozen files of C. LIBPERF_SOURCE is
# a kernel's tree, or a tarball of one; unless told, what Debian's package linux-source
# installs, or what `qemu/vm source` fetched, once it is there whole. Where there is none
# the command is built all the same, and ssctr record says so.

LIBPERF_SOURCE ?= $(firstword $(wildcard /usr/src/linux-source-*.tar.xz) \
	$(subst /stamps/,/,$(filter-out %.part, \
		$(wildcard $(CACHE)/stamps/source-*))))

# Its tests are not to be left out.
ifneq ($(filter check same test% $B/tests/% $B/logs/%,$(MAKECMDGOALS)),)
ifeq ($(LIBPERF_SOURCE),)
LIBPERF_SOURCE := $(shell qemu/vm source 6.12)
endif
endif

ifeq ($(LIBPERF_SOURCE),)
LIB_SRC := $(filter-out tools/lib/recorder/rings.c,$(LIB_SRC))
else
LIB_SRC := $(filter-out tools/lib/recorder/rings_none.c,$(LIB_SRC))
LIBPERF_DIR := $(if $(filter %.tar.xz,$(LIBPERF_SOURCE)),$B/libperf,$(LIBPERF_SOURCE))/tools
LIBPERF_OBJ := $(patsubst %,$B/obj/libperf/%.o, \
	perf/core perf/cpumap perf/evlist perf/evsel perf/lib perf/mmap perf/threadmap \
	perf/xyarray api/fd/array api/fs/fs str_error_r zalloc)
LIBPERF_ARCH := $(if $(SSCTR_TARGET),riscv,$(patsubst i%86,x86,$(patsubst riscv%,riscv,$(patsubst \
	aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m))))))
# -isystem: what they are warned of is not this project's to mend.
LIBPERF_CPPFLAGS := $(foreach dir,lib/perf/include lib lib/api include arch/$(LIBPERF_ARCH)/include \
	arch/$(LIBPERF_ARCH)/include/uapi include/uapi,-isystem $(LIBPERF_DIR)/$(dir))

# Of a tarball, what it takes.
$B/libperf/unpacked: $(filter %.tar.xz,$(LIBPERF_SOURCE))
	@mkdir -p $(@D)
	$(Q)tar -xJf $< -C $(@D) --strip-components=1 --wildcards '*/tools/lib/*' \
		'*/tools/include/*' '*/tools/arch/*/include/*'
	@touch $@
LIBPERF_READY := $(if $(filter %.tar.xz,$(LIBPERF_SOURCE)),$B/libperf/unpacked)

$(LIBPERF_OBJ): $B/obj/libperf/%.o: $B/built-by | $(TOOLCHAIN) $(LIBPERF_READY)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -D_GNU_SOURCE -DNDEBUG $(LIBPERF_CPPFLAGS) -std=gnu11 -O2 -g -w \
		$(CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $(LIBPERF_DIR)/lib/$*.c

RINGS_OBJ := $(foreach dir,obj obj-san,$B/$(dir)/tools/lib/recorder/rings.o)
$(RINGS_OBJ): TOOLS_CPPFLAGS += $(LIBPERF_CPPFLAGS)
$(RINGS_OBJ): | $(LIBPERF_READY)
endif
