# SPDX-License-Identifier: GPL-2.0-only
# The BPF program of `ssctr last`, which clang compiles, and libbpf, which loads it: its
# headers are needed to build, the library only to run. Where they are missing, and where
# there are no branch records of RISC-V, the command is built without, and says so.
ifeq ($(if $(SSCTR_TARGET),$(SSCTR_TARGET),$(shell uname -m)),riscv64)
ifneq ($(or $(BY_MACHINE),$(and $(wildcard /usr/include/bpf/libbpf.h),$(shell command -v clang))),)
HAS_BPF := yes
endif
endif

LIB_SRC := $(filter-out %.bpf.c,$(LIB_SRC))
ifeq ($(HAS_BPF),)
LIB_SRC := $(filter-out tools/lib/recorder/points.c,$(LIB_SRC))
else
LIB_SRC := $(filter-out tools/lib/recorder/points_none.c,$(LIB_SRC))
POINTS_OBJ := $(foreach dir,obj obj-san,$B/$(dir)/tools/lib/recorder/points.o)
$(POINTS_OBJ): TOOLS_CPPFLAGS += -DPOINTS_PROGRAM='"$B/points.bpf.o"'
$(POINTS_OBJ): $B/points.bpf.o
# It stays in the command as it is, so that it does not tell in which folder it was built.
$B/points.bpf.o: tools/lib/recorder/points.bpf.c tools/lib/recorder/points_shared.h \
		$(wildcard tools/lib/last/*.h) $B/built-by | $(TOOLCHAIN)
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) sh -c 'exec clang --target=bpfel -mcpu=v3 -O2 -g -fdebug-compilation-dir=. \
		-Wall $(WERROR) -ffreestanding \
		-Itools/lib -idirafter /usr/include/$$($(CC) -print-multiarch) \
		-idirafter /usr/$$($(CC) -print-multiarch)/include -c -o $@ $<'
endif
