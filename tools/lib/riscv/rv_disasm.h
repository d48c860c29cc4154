/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions as assembly, with the C library of LLVM. It is loaded only when it is
 * needed, so that ssctr can be built and used without it.
 */
#ifndef RISCV_RV_DISASM_H
#define RISCV_RV_DISASM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_disasm;

/* Returns NULL, with a text, if there is no LLVM with RISC-V. */
struct rv_disasm *rv_disasm_new(struct error *error);

/*
 * Returns the assembly of the opcode at pc, in a program of 32 bits (rv32) or of 64 bits.
 * opcode has size bytes. The text is "" if the opcode is not an instruction. The text lies
 * in buf, which has room bytes, or belongs to disasm. It is valid until the next call. LLVM
 * is asked only once for most opcodes.
 */
const char *rv_disasm_text(struct rv_disasm *disasm, bool rv32, uint64_t pc,
			   uint32_t opcode, unsigned int size, char *buf,
			   size_t room);

/* disasm may be NULL. */
void rv_disasm_free(struct rv_disasm *disasm);

#endif
