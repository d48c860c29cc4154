/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions as assembly, by LLVM's C library where one is installed: it is
 * looked for when it is wanted, and needed neither to build nor to run.
 */
#ifndef SSCTR_DISASM_H
#define SSCTR_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disasm;

/* NULL if there is no LLVM with RISC-V; *why then says it in words. */
struct disasm *disasm_new(bool rv32, const char **why);

/* The assembly of the opcode at pc, in buf; "" if it is no instruction. */
const char *disasm_text(struct disasm *disasm, uint64_t pc, uint32_t opcode,
			unsigned int size, char *buf, size_t room);

void disasm_free(struct disasm *disasm);

#endif
