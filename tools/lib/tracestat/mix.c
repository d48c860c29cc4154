// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/mix.h"
#include "base/array.h"
#include "riscv/rv_insn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the index of a mnemonic, or -1 if out of memory. */
static int find_mnemonic(struct tstat_mix *mix, const char *name, size_t size)
{
	const uint32_t hash = hash_bytes(0, name, size);
	struct tstat_mnemonic *m;
	struct hash_slot *slot;

	if (!hash_room(&mix->by_name) ||
	    !array_room(&mix->mnemonics, mix->n_mnemonics, &mix->mnemonics_cap,
			sizeof(*mix->mnemonics)))
		return -1;
	hash_for_each(&mix->by_name, slot, hash) {
		m = &mix->mnemonics[slot->number - 1];
		if (!strncmp(m->name, name, size) && !m->name[size])
			return (int)slot->number - 1;
	}
	hash_put(&mix->by_name, slot, hash, mix->n_mnemonics);
	m = &mix->mnemonics[mix->n_mnemonics];
	*m = (struct tstat_mnemonic){ .count = 0 };
	memcpy(m->name, name, size);
	return (int)mix->n_mnemonics++;
}

/* Its first word is the mnemonic. */
static int disassemble(struct tstat_mix *mix, const struct stf_inst *inst)
{
	char buf[128];
	const char *text = rv_disasm_text(mix->disasm, mix->rv_flags & RV_RV32, inst->pc,
					  inst->opcode, inst->size, buf, sizeof(buf));
	size_t size = strcspn(text, " ");

	if (!size) {
		text = "unknown";
		size = strlen(text);
	}
	return find_mnemonic(mix, text, size < TSTAT_MNEMONIC_MAX ?
						size : TSTAT_MNEMONIC_MAX - 1);
}

static bool look(struct tstat_mix *mix, struct tstat_opcode *op,
		 const struct stf_inst *inst)
{
	struct rv_insn insn = { .xfer = RV_XFER_NONE };
	int mnemonic = mix->disasm ? disassemble(mix, inst) : 0;

	rv_decode_word(&insn, inst->opcode, mix->rv_flags);
	*op = (struct tstat_opcode){
		.opcode = inst->opcode,
		.mnemonic = (uint16_t)mnemonic,
		.class = rv_class(inst->opcode, mix->rv_flags),
		.xfer = insn.xfer,
	};
	return mnemonic >= 0;
}

/* An opcode that is not among those that are remembered. */
static struct tstat_opcode *new_opcode(struct tstat_mix *mix,
				       struct hash_slot *slot, uint32_t hash,
				       const struct stf_inst *inst)
{
	struct tstat_opcode *op = &mix->other;

	if (mix->n_opcodes == TSTAT_MAX_OPCODES)
		return look(mix, op, inst) ? op : NULL;
	if (!array_room(&mix->opcodes, mix->n_opcodes, &mix->opcodes_cap,
			sizeof(*mix->opcodes)))
		return NULL;
	op = &mix->opcodes[mix->n_opcodes];
	if (!look(mix, op, inst))
		return NULL;
	hash_put(&mix->by_opcode, slot, hash, mix->n_opcodes++);
	return op;
}

const struct tstat_opcode *tstat_mix_find(struct tstat_mix *mix,
					  const struct stf_inst *inst)
{
	const uint32_t hash = hash_u64(inst->opcode);
	struct hash_slot *slot;

	if (mix->n_opcodes < TSTAT_MAX_OPCODES && !hash_room(&mix->by_opcode))
		return NULL;
	hash_for_each(&mix->by_opcode, slot, hash)
		if (mix->opcodes[slot->number - 1].opcode == inst->opcode)
			return &mix->opcodes[slot->number - 1];
	return new_opcode(mix, slot, hash, inst);
}

void tstat_mix_count(struct tstat_mix *mix, const struct stf_inst *inst,
		     const struct tstat_opcode *op)
{
	mix->instructions++;
	mix->size16 += inst->size == 2;
	mix->classes[op->class]++;
	mix->modes[inst->mode < TSTAT_N_MODES ? inst->mode : STF_MODE_UNKNOWN]++;
	if (mix->disasm)
		mix->mnemonics[op->mnemonic].count++;
}

static int more_frequent(const void *a, const void *b)
{
	const struct tstat_mnemonic *one = a, *other = b;
	int order = array_order(b, a);

	return order ? order : strcmp(one->name, other->name);
}

void tstat_mix_sort(struct tstat_mix *mix)
{
	if (mix->n_mnemonics)
		qsort(mix->mnemonics, mix->n_mnemonics,
		      sizeof(*mix->mnemonics), more_frequent);
	while (mix->n_mnemonics && !mix->mnemonics[mix->n_mnemonics - 1].count)
		mix->n_mnemonics--;
}

void tstat_mix_free(struct tstat_mix *mix)
{
	hash_free(&mix->by_name);
	hash_free(&mix->by_opcode);
	free(mix->mnemonics);
	free(mix->opcodes);
}
