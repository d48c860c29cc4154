/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of a function, and what is shown of each instruction, in whatever form. */
#ifndef SSCTR_ANNOTATED_H
#define SSCTR_ANNOTATED_H

#include "base/notes.h"
#include "hot/hot.h"
#include "riscv/rv_disasm.h"

/* The code of a function, up to the last instruction of which something is known. */
struct annotated {
	uint32_t function;
	struct path_place start;
	struct hot_insn *v;
	size_t nr;
	uint64_t runs; /* of all its instructions; see hot_nr_insns() */
	uint64_t most; /* of one of them */
	size_t nr_changed; /* places that the kernel changes and that ran */
};

/*
 * Read it, with where control came from. The caller frees code->v; code->nr is 0 where the code
 * is not known. False: out of memory, and there is nothing to free.
 */
bool annotated_read(struct annotated *code, const struct hot *hot, uint32_t function);

/* The place of one of its instructions. */
struct path_place annotated_place(const struct annotated *code, const struct hot_insn *insn);

/* A line of source. All 0 before the first. */
struct annotated_line {
	const char *path;
	unsigned int number;
	const char *inlined; /* the function that was inlined there; NULL: none */
};

/* The line of an instruction, if it is known and another than the last one. */
bool annotated_next_line(const struct hot *hot, const struct annotated *code,
			 const struct hot_insn *insn, struct annotated_line *line);

/* The loop whose head the instruction is; NULL: none. */
const struct hot_loop *annotated_loop(const struct hot *hot, const struct hot_insn *insn);

/*
 * An instruction as assembly, a direct target as an offset in the function or the name of
 * another; or as its opcode where disasm is NULL. Where the kernel changes the code, how many
 * bytes these are. It has to be freed; NULL: out of memory.
 */
char *annotated_insn(const struct annotated *code, const struct hot *hot,
		     struct rv_disasm *disasm, const struct hot_insn *insn);

/*
 * What it did: which way a branch went, where control went and came from, mispredictions and
 * cycles. "" if nothing is known. It has to be freed; NULL: out of memory.
 */
char *annotated_remark(const struct annotated *code, const struct hot *hot,
		       const struct hot_insn *insn);

/* How many instructions from this one on did not run; 0 if they are few and are shown. */
size_t annotated_left_out(const struct annotated *code, size_t at);

/* Say what they are: so many from this one on. */
void annotated_put_left_out(FILE *file, const struct annotated *code, size_t at, size_t nr);

/* Tell what to do about places that the kernel changes, of which so many were shown. */
void annotated_note_changed(size_t nr_changed, struct notes *notes);

#endif
