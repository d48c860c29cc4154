// SPDX-License-Identifier: GPL-2.0-only
#include "trace/syscall.h"
#include "riscv/rv_insn.h"
#include "riscv/rv_reg.h"

void syscall_begin(struct syscall *call, const struct path_run *run)
{
	if (path_is_kernel(run->pc) && run->connected)
		return;
	if (!run->connected || (call->trap_pc && run->pc != call->trap_pc &&
				run->pc != call->trap_pc + 4))
		call->known = false;
	call->trap_pc = 0;
}

void syscall_pass(struct syscall *call, uint32_t opcode, unsigned int size)
{
	enum rv_effect effect;

	/* Both sizes have the register that they write at one place. */
	if ((opcode >> 7 & 31) != RV_A7)
		return;
	effect = rv_effect_on(opcode, size, RV_A7, &call->number);
	if (effect != RV_KEEPS)
		call->known = effect == RV_SETS;
}

bool syscall_of_line(const uint8_t *code, uint32_t size, uint64_t *number)
{
	struct syscall call = { 0 };
	uint32_t at, opcode;
	unsigned int n;

	for (at = 0; at < size; at += n) {
		n = rv_load(code + at, &opcode);
		syscall_pass(&call, opcode, n);
	}
	*number = call.number;
	return call.known;
}
