// SPDX-License-Identifier: GPL-2.0-only
#include "tracecut/regs.h"
#include "stf/stf_process.h"

#include <stdlib.h>
#include <string.h>

enum { N_REGS = 32, N_CSRS = 4096 };

struct vector {
	uint16_t n_words;
	uint64_t *words; /* NULL: not known */
};

struct tcut_regs {
	uint32_t int_known, fp_known; /* one bit for each register */
	uint64_t int_regs[N_REGS], fp_regs[N_REGS];
	struct vector vectors[N_REGS];
	bool csr_known[N_CSRS];
	uint64_t csrs[N_CSRS];
	struct stf_process process; /* whose registers they are */
};

struct tcut_regs *tcut_regs_new(void)
{
	return calloc(1, sizeof(struct tcut_regs));
}

static bool take_vector(struct vector *vector, const struct stf_reg *reg)
{
	size_t size = reg->n_words * sizeof(*reg->vector);

	if (vector->n_words != reg->n_words) {
		free(vector->words);
		vector->n_words = reg->n_words;
		vector->words = malloc(size);
		if (!vector->words)
			vector->n_words = 0;
	}
	if (vector->words)
		memcpy(vector->words, reg->vector, size);
	return vector->words || !size;
}

static bool take(struct tcut_regs *regs, const struct stf_reg *reg)
{
	unsigned int number = reg->number;

	if (number >= (reg->type == STF_REG_CSR ? N_CSRS : N_REGS))
		return true;
	switch (reg->type) {
	case STF_REG_INT:
		regs->int_known |= UINT32_C(1) << number;
		regs->int_regs[number] = reg->value;
		break;
	case STF_REG_FP:
		regs->fp_known |= UINT32_C(1) << number;
		regs->fp_regs[number] = reg->value;
		break;
	case STF_REG_VEC:
		return take_vector(&regs->vectors[number], reg);
	case STF_REG_CSR:
		regs->csr_known[number] = true;
		regs->csrs[number] = reg->value;
		break;
	}
	return true;
}

void tcut_regs_forget(struct tcut_regs *regs)
{
	unsigned int i;

	regs->int_known = regs->fp_known = 0;
	memset(regs->csr_known, 0, sizeof(regs->csr_known));
	for (i = 0; i < N_REGS; i++) {
		free(regs->vectors[i].words);
		regs->vectors[i] = (struct vector){ 0 };
	}
}

void tcut_regs_before(struct tcut_regs *regs, const struct stf_inst *inst)
{
	if (!stf_same_process(&regs->process, &inst->process) ||
	    inst->flags & STF_INST_F_GAP)
		tcut_regs_forget(regs);
	regs->process = inst->process;
}

/* Returns false if there is not enough memory. *late: what was read comes after a DEST. */
static bool take_group(struct tcut_regs *regs, struct stf_inst_iter *iter,
		       bool only_written, bool *late)
{
	bool ok = true, written = false;
	struct stf_record rec;

	*late = false;
	stf_inst_iter_again(iter);
	while (ok && stf_inst_iter_record(iter, &rec) > 0) {
		if (rec.desc != STF_INST_REG)
			continue;
		if (rec.reg.operand == STF_REG_DEST)
			written = true;
		else if (only_written)
			continue;
		else
			*late |= written;
		ok = take(regs, &rec.reg);
	}
	return ok;
}

bool tcut_regs_after(struct tcut_regs *regs, const struct stf_inst *inst,
		     struct stf_inst_iter *iter)
{
	bool late;

	if (!(inst->flags & STF_INST_F_OTHER))
		return true;
	/* What is written stays, in whichever order the records are. */
	return take_group(regs, iter, false, &late) &&
	       (!late || take_group(regs, iter, true, &late));
}

bool tcut_regs_has(const struct tcut_regs *regs, const struct stf_reg *reg)
{
	unsigned int number = reg->number;
	const struct vector *vector;

	if (number >= (reg->type == STF_REG_CSR ? N_CSRS : N_REGS))
		return false;
	switch (reg->type) {
	case STF_REG_INT:
		return regs->int_known >> number & 1 &&
		       regs->int_regs[number] == reg->value;
	case STF_REG_FP:
		return regs->fp_known >> number & 1 &&
		       regs->fp_regs[number] == reg->value;
	case STF_REG_VEC:
		vector = &regs->vectors[number];
		return vector->words && vector->n_words == reg->n_words &&
		       !memcmp(vector->words, reg->vector,
			       reg->n_words * sizeof(*reg->vector));
	case STF_REG_CSR:
		return regs->csr_known[number] &&
		       regs->csrs[number] == reg->value;
	}
	return false;
}

static int write_reg(struct stf_writer *writer, uint8_t type, unsigned int number,
		     uint64_t value, const struct vector *vector)
{
	struct stf_record rec = { .desc = STF_INST_REG };

	rec.reg = (struct stf_reg){ .number = (uint16_t)number,
				    .type = type,
				    .operand = STF_REG_STATE,
				    .value = value };
	if (vector) {
		rec.reg.n_words = vector->n_words;
		rec.reg.vector = vector->words;
	}
	return stf_write(writer, &rec);
}

static int write_bank(struct stf_writer *writer, uint8_t type, uint32_t known,
		      const uint64_t *values)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < N_REGS; i++)
		if (known >> i & 1)
			err = write_reg(writer, type, i, values[i], NULL);
	return err;
}

int tcut_regs_write(const struct tcut_regs *regs, struct stf_writer *writer)
{
	unsigned int i;
	int err;

	err = write_bank(writer, STF_REG_INT, regs->int_known, regs->int_regs);
	if (!err)
		err = write_bank(writer, STF_REG_FP, regs->fp_known,
				 regs->fp_regs);
	for (i = 0; !err && i < N_REGS; i++)
		if (regs->vectors[i].words)
			err = write_reg(writer, STF_REG_VEC, i, 0,
					&regs->vectors[i]);
	for (i = 0; !err && i < N_CSRS; i++)
		if (regs->csr_known[i])
			err = write_reg(writer, STF_REG_CSR, i, regs->csrs[i],
					NULL);
	return err;
}

void tcut_regs_free(struct tcut_regs *regs)
{
	unsigned int i;

	if (!regs)
		return;
	for (i = 0; i < N_REGS; i++)
		free(regs->vectors[i].words);
	free(regs);
}
