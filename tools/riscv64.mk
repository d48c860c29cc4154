# SPDX-License-Identifier: GPL-2.0-only
# Building the command and the plug-ins for RISC-V, against the libraries that perf
# brings into the guest. The headers are the host folder's, which are no architecture's.
CC := riscv64-linux-gnu-gcc-14
override CPPFLAGS += -idirafter /usr/include
guest_lib = $$(qemu/vm path guest)/usr/lib/riscv64-linux-gnu
override LDFLAGS += -L$(guest_lib) -Wl,-rpath-link,$(guest_lib)
STF_LIBS := -l:libzstd.so.1 -pthread -ldl
TRACEEVENT_LIB := -l:libtraceevent.so.1
LIB_LIBS := -l:libdw.so.1 -l:libelf.so.1 -l:libzstd.so.1 $(TRACEEVENT_LIB) -lm
