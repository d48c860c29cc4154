/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions as assembly, by LLVM's C library where one is installed: it is
 * looked for when it is wanted, and needed neither to build nor to run.
 */
#ifndef RISCV_RV_DISASM_H
#define RISCV_RV_DISASM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_disasm;

/* NULL, with a text, if there is no LLVM with RISC-V. */
struct rv_disasm *rv_disasm_new(bool rv32, struct error *error);

/* The assembly of the opcode at pc, in buf; "" if it is no instruction. */
const char *rv_disasm_text(struct rv_disasm *disasm, uint64_t pc,
			   uint32_t opcode, unsigned int size, char *buf,
			   size_t room);

/* NULL is allowed. */
void rv_disasm_free(struct rv_disasm *disasm);

#endif
