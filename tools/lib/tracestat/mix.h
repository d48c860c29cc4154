/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instruction mix: how often each class and each mnemonic ran. What an opcode is, is
 * found out once and remembered.
 */
#ifndef TRACESTAT_MIX_H
#define TRACESTAT_MIX_H

#include "base/hash.h"
#include "riscv/rv_class.h"
#include "riscv/rv_disasm.h"
#include "stf/stf.h"

enum {
	TSTAT_MNEMONIC_MAX = 32, /* bytes of a mnemonic, with its NUL */
	/* More opcodes than this number are looked up each time: 1.5 MiB. */
	TSTAT_MAX_OPCODES = 1 << 16,
	TSTAT_N_MODES = STF_MODE_UNKNOWN + 1,
};

/* What an opcode is. */
struct tstat_opcode {
	uint32_t opcode;
	uint16_t mnemonic; /* the index of its mnemonic */
	uint8_t class; /* enum rv_class */
	uint8_t xfer; /* enum rv_xfer */
};

struct tstat_mnemonic {
	uint64_t count; /* for array_order() */
	char name[TSTAT_MNEMONIC_MAX]; /* "unknown": LLVM knows no such opcode */
};

/* Set all members to 0 before the first instruction, except the first two. */
struct tstat_mix {
	struct rv_disasm *disasm; /* the caller's; NULL: do not find mnemonics */
	unsigned int rv_flags; /* those of rv_decode() */
	uint64_t instructions;
	uint64_t size16;
	uint64_t classes[RV_N_CLASSES];
	uint64_t modes[TSTAT_N_MODES]; /* by enum stf_mode */
	/* Without an order. Empty if there is no disasm. */
	struct tstat_mnemonic *mnemonics;
	size_t n_mnemonics, mnemonics_cap;
	struct hash by_name;
	struct tstat_opcode *opcodes;
	size_t n_opcodes, opcodes_cap;
	struct hash by_opcode;
	struct tstat_opcode other; /* the last one that was not remembered */
};

/* Returns what an opcode is, valid until the next call, or NULL if out of memory. */
const struct tstat_opcode *tstat_mix_find(struct tstat_mix *mix,
					  const struct stf_inst *inst);

/* Count an instruction whose opcode was found. */
void tstat_mix_count(struct tstat_mix *mix, const struct stf_inst *inst,
		     const struct tstat_opcode *op);

/*
 * Sort the mnemonics, the most frequent first, and leave out those that were not counted.
 * After this, count no more.
 */
void tstat_mix_sort(struct tstat_mix *mix);

void tstat_mix_free(struct tstat_mix *mix);

#endif
