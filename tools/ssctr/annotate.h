/* SPDX-License-Identifier: GPL-2.0-only */
/* How `ssctr annotate` shows the functions that it was asked for. */
#ifndef SSCTR_ANNOTATE_H
#define SSCTR_ANNOTATE_H

#include "hot/hot.h"
#include "image/listing.h"
#include "riscv/rv_disasm.h"

/* The code of a function, up to the last instruction of which something is known. */
struct annotated {
	uint32_t function;
	struct path_place start;
	struct hot_insn *v;
	size_t nr;
	uint64_t runs; /* of all its instructions */
	uint64_t most; /* of one of them */
};

struct annotate {
	struct hot hot;
	struct img_listing *listing;
	struct rv_disasm *disasm; /* NULL: opcodes must do */
	bool all; /* instructions that did not run, too */
	bool colours;
};

/* The transfers of one instruction, the most frequent first; up to max. Returns how many. */
size_t annotate_targets(const struct hot *hot, const struct hot_insn *insn,
			const struct hot_edge **v, size_t max);

/* The loop whose head the instruction is; NULL: none. */
const struct hot_loop *annotate_loop(const struct hot *hot, const struct hot_insn *insn);

/*
 * An instruction as assembly, a direct target as an offset in the function or the name of
 * another; or as its opcode. text has to be freed; NULL: out of memory.
 */
char *annotate_insn(const struct annotate *annotate, const struct annotated *code,
		    const struct hot_insn *insn);

void annotate_text(const struct annotate *annotate, const struct annotated *code);

/* One object, whose keys docs/annotate.md describes. */
void annotate_json(const struct annotate *annotate, const struct annotated *codes, size_t nr);

#endif
