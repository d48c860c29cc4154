// SPDX-License-Identifier: GPL-2.0-only
#include "riscv/rv_disasm.h"
#include "base/library.h"

#include <stdio.h>
#include <stdlib.h>

/* llvm-c/Disassembler.h, whose functions take and return plain C types. */
struct rv_disasm {
	void *context;
	size_t (*instruction)(void *context, uint8_t *bytes, uint64_t size,
			      uint64_t pc, char *buf, size_t room);
	void (*dispose)(void *context);
};

static bool init_target(void *library)
{
	static const char *const names[] = {
		"LLVMInitializeRISCVTargetInfo",
		"LLVMInitializeRISCVTarget",
		"LLVMInitializeRISCVTargetMC",
		"LLVMInitializeRISCVDisassembler",
	};
	unsigned int i;
	void (*init)(void);

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!library_find(library, names[i], &init))
			return false;
		init();
	}
	return true;
}

/* NULL, or what is missing. */
static const char *start(struct rv_disasm *disasm, bool rv32)
{
	void *(*create)(const char *triple, const char *cpu,
			const char *features, void *info, int tag,
			void *op_info, void *lookup);
	void *library;

	if (!library_can_load())
		return "a statically linked ssctr cannot load the LLVM library";
	library = library_open_llvm();
	if (!library)
		return "no LLVM library was found; install one, such as Debian's libllvm19";
	if (init_target(library) &&
	    library_find(library, "LLVMCreateDisasmCPUFeatures", &create) &&
	    library_find(library, "LLVMDisasmInstruction", &disasm->instruction) &&
	    library_find(library, "LLVMDisasmDispose", &disasm->dispose))
		disasm->context =
			create(rv32 ? "riscv32" : "riscv64", "",
			       "+m,+a,+f,+d,+c,+v,+zfh,+zba,+zbb,+zbc,+zbs",
			       NULL, 0, NULL, NULL);
	return disasm->context ?
		       NULL :
		       "the LLVM library that was found has no RISC-V";
}

struct rv_disasm *rv_disasm_new(bool rv32, struct error *error)
{
	struct rv_disasm *disasm = calloc(1, sizeof(*disasm));
	const char *why = disasm ? start(disasm, rv32) : "out of memory";

	if (!why)
		return disasm;
	error_set(error, ERROR_INPUT, "%s", why);
	rv_disasm_free(disasm);
	return NULL;
}

const char *rv_disasm_text(struct rv_disasm *disasm, uint64_t pc,
			   uint32_t opcode, unsigned int size, char *buf,
			   size_t room)
{
	uint8_t bytes[4];
	unsigned int i;
	char *p;

	for (i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(opcode >> 8 * i);
	buf[0] = 0;
	if (!disasm->instruction(disasm->context, bytes, size, pc, buf, room))
		buf[0] = 0;
	for (p = buf; *p; p++)
		if (*p == '\t')
			*p = ' ';
	return buf[0] == ' ' ? buf + 1 : buf;
}

void rv_disasm_free(struct rv_disasm *disasm)
{
	if (!disasm)
		return;
	if (disasm->context)
		disasm->dispose(disasm->context);
	/* LLVM cannot be unloaded: it has destructors that run at exit. */
	free(disasm);
}
