// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm_linux IMAGE INITRD DTB: runs a Linux kernel as a guest of KVM, with one hart, 1 GiB and
 * a console that is written only: what it prints is printed. Ends with status 0 when the guest
 * powers off. The device tree says where what is (kvm-linux.dts).
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define START	0x80000000ull
#define SIZE	(1ull << 30)
#define IMAGE	0x200000	/* from START; the kernel wants it aligned so */
#define DTB	0x7e00000
#define INITRD	0x8000000

#define SBI_DBCN		0x4442434e
#define SBI_DBCN_WRITE		0
#define SBI_DBCN_WRITE_BYTE	2

#define REG(_type, _name)							\
	(KVM_REG_RISCV | KVM_REG_SIZE_U64 | KVM_REG_RISCV_##_type | (_name))
#define CORE_REG(_name)	REG(CORE, KVM_REG_RISCV_CORE_REG(regs._name))

static void set_register(int vcpu, uint64_t id, uint64_t value, const char *what)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	if (ioctl(vcpu, KVM_SET_ONE_REG, &reg))
		err(1, "%s", what);
}

static void load(char *memory, uint64_t where, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	if ((uint64_t)st.st_size > SIZE - where)
		errx(1, "%s is too large", path);
	for (off_t done = 0; done < st.st_size;) {
		ssize_t size = read(fd, memory + where + done, st.st_size - done);

		if (size <= 0)
			err(1, "%s", path);
		done += size;
	}
	close(fd);
}

/* A call of SBI that KVM leaves to us. */
static void answer(struct kvm_run *run, const char *memory)
{
	uint64_t size = run->riscv_sbi.args[0], from = run->riscv_sbi.args[1] - START;

	run->riscv_sbi.ret[0] = 0;
	run->riscv_sbi.ret[1] = 0;
	if (run->riscv_sbi.extension_id == SBI_DBCN &&
	    run->riscv_sbi.function_id == SBI_DBCN_WRITE &&
	    from < SIZE && size <= SIZE - from) {
		fwrite(memory + from, 1, size, stdout);
		run->riscv_sbi.ret[1] = size;
	} else if (run->riscv_sbi.extension_id == SBI_DBCN &&
		   run->riscv_sbi.function_id == SBI_DBCN_WRITE_BYTE) {
		putchar((int)size);
	} else {
		run->riscv_sbi.ret[0] = -2;	/* SBI_ERR_NOT_SUPPORTED */
	}
	fflush(stdout);
}

static int run_guest(int vcpu, struct kvm_run *run, const char *memory)
{
	for (;;) {
		if (ioctl(vcpu, KVM_RUN, 0) && errno != EINTR && errno != EAGAIN)
			err(1, "KVM_RUN");
		switch (run->exit_reason) {
		case KVM_EXIT_RISCV_SBI:
			answer(run, memory);
			break;
		case KVM_EXIT_INTR:
		case KVM_EXIT_UNKNOWN:
			break;
		case KVM_EXIT_RISCV_CSR:
			/* As a machine that has no such register. */
			fprintf(stderr, "the guest wants CSR %#lx\n", run->riscv_csr.csr_num);
			return 1;
		case KVM_EXIT_SYSTEM_EVENT:
			return run->system_event.type != KVM_SYSTEM_EVENT_SHUTDOWN;
		default:
			fprintf(stderr, "the guest ends for reason %u\n", run->exit_reason);
			return 1;
		}
	}
}

int main(int argc, char **argv)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = START,
		.memory_size = SIZE,
	};
	int kvm, vm, vcpu;
	struct kvm_run *run;
	char *memory;

	if (argc != 4)
		errx(2, "usage: kvm_linux IMAGE INITRD DTB");
	kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (vm < 0 || memory == MAP_FAILED)
		err(1, "cannot make a guest");
	load(memory, IMAGE, argv[1]);
	load(memory, INITRD, argv[2]);
	load(memory, DTB, argv[3]);
	region.userspace_addr = (uintptr_t)memory;
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		err(1, "cannot give the guest memory");
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE,
		   MAP_SHARED, vcpu, 0);
	if (vcpu < 0 || run == MAP_FAILED)
		err(1, "cannot make a hart");
	set_register(vcpu, REG(SBI_EXT, KVM_RISCV_SBI_EXT_DBCN), 1, "the console");
	set_register(vcpu, CORE_REG(pc), START + IMAGE, "pc");
	set_register(vcpu, CORE_REG(a0), 0, "a0");
	set_register(vcpu, CORE_REG(a1), START + DTB, "a1");
	return run_guest(vcpu, run, memory);
}
