// SPDX-License-Identifier: GPL-2.0-only
#include "riscv/rv_disasm.h"
#include "base/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * LLVM takes a microsecond for an instruction, and traces repeat few opcodes. An opcode
 * has one place here, which it shares with others. The last one to need it has it.
 */
enum { CACHE_BITS = 14, TEXT_ROOM = 58 };

struct cached {
	uint32_t opcode;
	uint8_t size; /* bytes of the opcode; 0: there is nothing here */
	bool rv32;
	char text[TEXT_ROOM + 1];
};

/* llvm-c/Disassembler.h, whose functions take and return plain C types. */
struct rv_disasm {
	struct cached *cache; /* 1 << CACHE_BITS of them */
	void *contexts[2]; /* for 64 and 32 bits; NULL: not made */
	void *(*create)(const char *triple, const char *cpu, const char *features,
			void *info, int tag, void *op_info, void *lookup);
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

/* NULL: LLVM cannot do it. */
static void *context_of(struct rv_disasm *disasm, bool rv32)
{
	if (!disasm->contexts[rv32])
		disasm->contexts[rv32] =
			disasm->create(rv32 ? "riscv32" : "riscv64", "",
				       "+m,+a,+f,+d,+c,+v,+zfh,+zba,+zbb,+zbc,+zbs",
				       NULL, 0, NULL, NULL);
	return disasm->contexts[rv32];
}

/* NULL, or what is missing. */
static const char *start(struct rv_disasm *disasm)
{
	void *library;

	if (!library_can_load())
		return "a statically linked ssctr cannot load the LLVM library";
	library = library_open_llvm();
	if (!library)
		return "no LLVM library was found; install one, such as Debian's libllvm19";
	if (init_target(library) &&
	    library_find(library, "LLVMCreateDisasmCPUFeatures", &disasm->create) &&
	    library_find(library, "LLVMDisasmInstruction", &disasm->instruction) &&
	    library_find(library, "LLVMDisasmDispose", &disasm->dispose) &&
	    context_of(disasm, false))
		return NULL;
	return "the LLVM library that was found has no RISC-V";
}

struct rv_disasm *rv_disasm_new(struct error *error)
{
	struct rv_disasm *disasm = calloc(1, sizeof(*disasm));
	const char *why = "out of memory";

	if (disasm)
		disasm->cache = calloc((size_t)1 << CACHE_BITS,
				       sizeof(*disasm->cache));
	if (disasm && disasm->cache)
		why = start(disasm);
	if (!why)
		return disasm;
	error_set(error, ERROR_INPUT, "%s", why);
	rv_disasm_free(disasm);
	return NULL;
}

/* Ask LLVM. Returns the text, which lies in buf. */
static const char *ask(struct rv_disasm *disasm, bool rv32, uint64_t pc, uint32_t opcode,
		       unsigned int size, char *buf, size_t room)
{
	void *context = context_of(disasm, rv32);
	uint8_t bytes[4];
	unsigned int i;
	char *p;

	for (i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(opcode >> 8 * i);
	buf[0] = 0;
	if (!context || !disasm->instruction(context, bytes, size, pc, buf, room))
		buf[0] = 0;
	for (p = buf; *p; p++)
		if (*p == '\t')
			*p = ' ';
	return buf[0] == ' ' ? buf + 1 : buf;
}

/*
 * Whether the text is the same at any PC. The LLVMs so far (14 to 19) write offsets. A
 * text with a target must be asked for again.
 */
static bool is_same_elsewhere(struct rv_disasm *disasm, bool rv32, uint64_t pc,
			      uint32_t opcode, unsigned int size, const char *text)
{
	char buf[TEXT_ROOM + 2]; /* with the blank before the text */

	return !strcmp(ask(disasm, rv32, pc + 0x12340, opcode, size, buf, sizeof(buf)), text);
}

const char *rv_disasm_text(struct rv_disasm *disasm, bool rv32, uint64_t pc,
			   uint32_t opcode, unsigned int size, char *buf,
			   size_t room)
{
	const uint32_t bits = size == 2 ? opcode & 0xffff : opcode;
	struct cached *cached =
		&disasm->cache[bits * UINT32_C(0x9e3779b1) >> (32 - CACHE_BITS)];
	const char *text;
	size_t length;

	if (cached->opcode == bits && cached->size == size && cached->rv32 == rv32)
		return cached->text;
	text = ask(disasm, rv32, pc, opcode, size, buf, room);
	length = strlen(text);
	if (length <= TEXT_ROOM && length + 2 < room &&
	    is_same_elsewhere(disasm, rv32, pc, opcode, size, text)) {
		cached->opcode = bits;
		cached->size = (uint8_t)size;
		cached->rv32 = rv32;
		memcpy(cached->text, text, length + 1);
	}
	return text;
}

void rv_disasm_free(struct rv_disasm *disasm)
{
	unsigned int i;

	if (!disasm)
		return;
	for (i = 0; i < 2; i++)
		if (disasm->contexts[i])
			disasm->dispose(disasm->contexts[i]);
	/* LLVM cannot be unloaded: it has destructors that run at exit. */
	free(disasm->cache);
	free(disasm);
}
