// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <unistd.h>

#include "transfer.h"

#define ANY_CALL	PERF_SAMPLE_BRANCH_ANY_CALL
#define ANY_RETURN	PERF_SAMPLE_BRANCH_ANY_RETURN
#define IND_CALL	PERF_SAMPLE_BRANCH_IND_CALL
#define COND		PERF_SAMPLE_BRANCH_COND
#define IND_JUMP	PERF_SAMPLE_BRANCH_IND_JUMP
#define CALL		PERF_SAMPLE_BRANCH_CALL

#define INSN_ECALL	0x00000073
#define INSN_SRET	0x10200073
#define INSN_NOP	0x00000013
#define INSN_C_NOP	0x0001

/* Kernel memory as a core file: where in it @pc is, -1 if nowhere. */
static off_t kcore_offset(int fd, uint64_t pc)
{
	Elf64_Ehdr header;
	Elf64_Phdr load;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return -1;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &load, sizeof(load),
			  header.e_phoff + i * sizeof(load)) != sizeof(load))
			return -1;
		if (load.p_type == PT_LOAD && pc >= load.p_vaddr &&
		    pc - load.p_vaddr < load.p_memsz)
			return load.p_offset + (pc - load.p_vaddr);
	}
	return -1;
}

/* What was read before: the same few branches come again and again. */
static struct {
	uint64_t pc;
	uint32_t insn;
} seen[4096];

static bool insn_at(uint64_t pc, uint32_t *insn)
{
	static int kernel = -1, self = -1;
	unsigned int slot = (pc >> 1) % 4096;
	uint16_t parcels[2] = {};
	off_t offset = pc;
	int fd;

	if (seen[slot].pc == pc && pc) {
		*insn = seen[slot].insn;
		return true;
	}
	if (self < 0) {
		kernel = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
		self = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	}
	fd = in_kernel(pc) ? kernel : self;
	if (in_kernel(pc))
		offset = kcore_offset(fd, pc);
	/* The second half may lie beyond the end of what there is. */
	if (offset < 0 || pread(fd, parcels, 4, offset) < 2)
		return false;
	*insn = parcels[0];
	if ((parcels[0] & 3) == 3)
		*insn |= (uint32_t)parcels[1] << 16;
	seen[slot].pc = pc;
	seen[slot].insn = *insn;
	return true;
}

static bool is_link(unsigned int reg)
{
	return reg == 1 || reg == 5;
}

/* The table of return-address prediction hints, in the unprivileged manual. */
static struct transfer indirect(unsigned int rd, unsigned int rs)
{
	if (is_link(rd) && is_link(rs) && rd != rs)
		return (struct transfer){
			.type = PERF_BR_IND_CALL,
			.filters = ANY_CALL | IND_CALL | ANY_RETURN,
		};
	if (is_link(rd))
		return (struct transfer){
			.type = PERF_BR_IND_CALL,
			.filters = ANY_CALL | IND_CALL,
		};
	if (is_link(rs))
		return (struct transfer){
			.type = PERF_BR_RET,
			.filters = ANY_RETURN,
		};
	return (struct transfer){
		.type = PERF_BR_IND,
		.filters = IND_JUMP,
	};
}

static struct transfer conditional(uint64_t pc, int64_t offset)
{
	return (struct transfer){
		.type = PERF_BR_COND,
		.filters = COND,
		.target = pc + offset,
	};
}

static struct transfer direct(uint64_t pc, int64_t offset, unsigned int rd)
{
	return (struct transfer){
		.type = is_link(rd) ? PERF_BR_CALL : PERF_BR_UNCOND,
		.filters = is_link(rd) ? ANY_CALL | CALL : 0,
		.target = pc + offset,
	};
}

/* @value's @bits low bits, with their sign. */
static int64_t extend(uint32_t value, unsigned int bits)
{
	return (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

/* Bits @high to @low of @insn, put where they begin at @to. */
static uint32_t field(uint32_t insn, unsigned int high, unsigned int low,
		      unsigned int to)
{
	return (insn >> low & ((1u << (high - low + 1)) - 1)) << to;
}

static bool decode(uint64_t pc, uint32_t insn, struct transfer *transfer)
{
	unsigned int rd = insn >> 7 & 31, rs = insn >> 15 & 31;

	switch (insn) {
	case INSN_ECALL:
		*transfer = (struct transfer){
			.type = PERF_BR_SYSCALL,
			.filters = ANY_CALL,
			.trap = true,
		};
		return true;
	case INSN_SRET:
		*transfer = (struct transfer){
			.type = PERF_BR_ERET,
			.filters = ANY_RETURN,
			.trap = true,
		};
		return true;
	}
	if ((insn & 0x7f) == 0x63) {
		*transfer = conditional(pc, extend(field(insn, 31, 31, 12) |
						   field(insn, 7, 7, 11) |
						   field(insn, 30, 25, 5) |
						   field(insn, 11, 8, 1), 13));
		return true;
	}
	if ((insn & 0x7f) == 0x6f) {
		*transfer = direct(pc, extend(field(insn, 31, 31, 20) |
					      field(insn, 19, 12, 12) |
					      field(insn, 20, 20, 11) |
					      field(insn, 30, 21, 1), 21), rd);
		return true;
	}
	if ((insn & 0x707f) == 0x67) {
		*transfer = indirect(rd, rs);
		return true;
	}
	/* c.jr, c.jalr; without a register they are c.ebreak or reserved */
	if ((insn & 0xe07f) == 0x8002 && rd) {
		*transfer = indirect(insn & 0x1000 ? 1 : 0, rd);
		return true;
	}
	if ((insn & 0xe003) == 0xa001) {	/* c.j */
		*transfer = direct(pc, extend(field(insn, 12, 12, 11) |
					      field(insn, 11, 11, 4) |
					      field(insn, 10, 9, 8) |
					      field(insn, 8, 8, 10) |
					      field(insn, 7, 7, 6) |
					      field(insn, 6, 6, 7) |
					      field(insn, 5, 3, 1) |
					      field(insn, 2, 2, 5), 12), 0);
		return true;
	}
	if ((insn & 0xc003) == 0xc001) {	/* c.beqz, c.bnez */
		*transfer = conditional(pc, extend(field(insn, 12, 12, 8) |
						   field(insn, 11, 10, 3) |
						   field(insn, 6, 5, 6) |
						   field(insn, 4, 3, 1) |
						   field(insn, 2, 2, 5), 9));
		return true;
	}
	return false;
}

bool transfer_at(uint64_t pc, struct transfer *transfer)
{
	uint32_t insn;

	return insn_at(pc, &insn) && decode(pc, insn, transfer);
}

bool transfer_patched(uint64_t pc)
{
	uint32_t insn;

	return in_kernel(pc) && insn_at(pc, &insn) &&
	       (insn == INSN_NOP || insn == INSN_C_NOP);
}
