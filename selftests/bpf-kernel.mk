# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own tests of the two BPF helpers, perf_branches and get_branch_snapshot, from
# the sources of a kernel line and unchanged: of its test_progs only these two, and the
# module that they trace. Runs where Python, clang and the kernel's headers are:
#   qemu/on-host --root "$(qemu/vm checkers)" make -f selftests/bpf-kernel.mk \
#	SOURCE=FOLDER HEADERS=FOLDER GUEST=FOLDER OUT=FOLDER
# HEADERS is of the kernel that they run on, GUEST has the libraries that they run with.

TESTS := get_branch_snapshot perf_branches
PROGRAMS := get_branch_snapshot test_perf_branches
# Of the sources of test_progs those that these two need.
RUNNER := test_progs cgroup_helpers json_writer network_helpers testing_helpers trace_helpers

CROSS := riscv64-linux-gnu-
BUILD := ARCH=riscv CROSS_COMPILE=$(CROSS)
tools := $(SOURCE)/tools
bpf := $(tools)/testing/selftests/bpf
kmod := $(firstword $(wildcard $(bpf)/test_kmods $(bpf)/bpf_testmod))
bpftool := $(OUT)/bpftool/bootstrap/bpftool
libbpf := $(OUT)/libbpf/libbpf.a
lib := $(GUEST)/usr/lib/riscv64-linux-gnu
objects := $(RUNNER:%=$(OUT)/%.o) $(TESTS:%=$(OUT)/%.test.o)
skeletons := $(PROGRAMS:%=$(OUT)/%.skel.h)

# The flags of $(bpf)/Makefile, but what only its other tests need. libelf's headers are the
# same for all architectures. Warnings are the matter of who wrote the sources.
CFLAGS := -g -O0 -std=gnu11 -w -fno-omit-frame-pointer -D_GNU_SOURCE= \
	-I$(OUT) -I$(OUT)/include -I$(bpf) -I$(tools)/lib -I$(tools)/include \
	-I$(tools)/arch/riscv/include -I$(tools)/include/uapi -idirafter /usr/include
BPF_CFLAGS := -g -O2 --target=bpfel -mcpu=v3 -std=gnu11 -w -fno-strict-aliasing \
	-fms-extensions -D__TARGET_ARCH_riscv -D__riscv_xlen=64 -D__BITS_PER_LONG=64 \
	-I$(OUT) -I$(OUT)/include -I$(bpf) -I$(tools)/include/uapi -I$(tools)/include \
	-idirafter /usr/riscv64-linux-gnu/include

all: $(OUT)/test_progs $(OUT)/bpf_testmod.ko

$(OUT)/test_progs: $(objects) $(libbpf)
	$(CROSS)gcc-14 -rdynamic -o $@ $^ -L$(lib) -Wl,-rpath-link=$(lib) \
		-l:libelf.so.1 -l:libz.so.1

$(RUNNER:%=$(OUT)/%.o): $(OUT)/%.o: $(bpf)/%.c $(libbpf) $(OUT)/prog_tests/tests.h \
		$(OUT)/verification_cert.h
	$(CROSS)gcc-14 $(CFLAGS) -c -o $@ $<

$(OUT)/%.test.o: $(bpf)/prog_tests/%.c $(skeletons)
	$(CROSS)gcc-14 $(CFLAGS) -c -o $@ $<

$(OUT)/prog_tests/tests.h: $(MAKEFILE_LIST)
	mkdir -p $(@D)
	printf 'DEFINE_TEST(%s)\n' $(TESTS) >$@

# test_progs of 7.x wants any certificate; these two tests do not.
$(OUT)/verification_cert.h:
	mkdir -p $(@D)
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=test -keyout /dev/null \
		-outform DER -out $(OUT)/cert 2>$(OUT)/cert.log
	(echo 'static const unsigned char test_progs_verification_cert[] = {' && \
		od -A n -v -t x1 $(OUT)/cert | sed 's/ \(..\)/0x\1,/g' && echo '};' && \
		echo 'enum { test_progs_verification_cert_len = sizeof(test_progs_verification_cert) };') >$@

$(OUT)/%.skel.h: $(OUT)/%.bpf.o
	$(bpftool) gen object $(<:.bpf.o=.linked) $<
	$(bpftool) gen skeleton $(<:.bpf.o=.linked) name $* >$@

$(OUT)/%.bpf.o: $(bpf)/progs/%.c $(libbpf) $(OUT)/vmlinux.h
	clang $(BPF_CFLAGS) -c -o $@ $<

$(OUT)/vmlinux.h: $(bpftool)
	$< btf dump file $(HEADERS)/vmlinux format c >$@

$(bpftool):
	mkdir -p $(OUT)/bpftool
	$(MAKE) -s -C $(tools)/bpf/bpftool OUTPUT=$(OUT)/bpftool/ feature_display=0 \
		SKIP_LLVM=1 SKIP_LIBBFD=1 SKIP_CRYPTO=1 $@ >$(OUT)/bpftool.log

$(libbpf):
	mkdir -p $(@D)
	$(MAKE) -s -C $(tools)/lib/bpf $(BUILD) OUTPUT=$(@D)/ DESTDIR=$(OUT) prefix= \
		EXTRA_CFLAGS='-g -O0 -idirafter /usr/include' $@ install_headers >$(OUT)/libbpf.log

$(OUT)/bpf_testmod.ko: $(wildcard $(kmod)/bpf_testmod*)
	mkdir -p $(OUT)/kmod
	cp $^ $(OUT)/kmod/
	printf 'obj-m := bpf_testmod.o\nCFLAGS_bpf_testmod.o = -I$$(src)\n' >$(OUT)/kmod/Kbuild
	$(MAKE) -s -C $(HEADERS) M=$(OUT)/kmod $(BUILD) modules
	cp $(OUT)/kmod/$(@F) $@

.SECONDARY:
.DELETE_ON_ERROR:
