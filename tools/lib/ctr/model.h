/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reference model: what the records of a hart with Control Transfer Records
 * (Smctr, Ssctr 1.0) are by the letter of the specification, for instructions that
 * retire and traps that are taken, one after another.
 *
 *	struct model model;
 *
 *	model_init(&model, NULL);
 *	model_write_csr(&model, CTR_CSR_SCTRCTL, CTR_CTL_U);
 *	while (...)
 *		model_step(&model, &insn);
 *	model_read_entry(&model, 0, &newest);
 *
 * Sections named here and in model.c are the specification's. Where it leaves a
 * choice, struct model_hart has it, or the function's comment says what was taken.
 * A model is its own memory: nothing is allocated and nothing else is written.
 */
#ifndef CTR_MODEL_H
#define CTR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "ctr_entry.h"

/* Privilege modes; those with V=1 have bit 2 set. S is HS where there is H. */
enum model_mode {
	MODEL_U = 0,
	MODEL_S = 1,
	MODEL_M = 3,
	MODEL_VU = 4,
	MODEL_VS = 5,
	MODEL_DEBUG = 8,
};

/* What CCV is for calls in RAS emulation, whose parent may have been popped. */
enum model_ras_cycles {
	MODEL_RAS_ADD, /* a popped entry's cycles count for the next call */
	MODEL_RAS_PARENT, /* CCV=0 if the parent was popped */
	MODEL_RAS_NONE, /* CCV=0 for all */
};

/* The cycle counter's sizes, "Cycle Counter Size Options", by their CCE bits. */
#define MODEL_NO_CYCLES		(-1)
#define MODEL_MAX_CCE_BITS	4

/* What a hart implements of what is optional. */
struct model_hart {
	/*
	 * The bits of mctrctl. M, S, U and BPFRZ are there in any case, others
	 * that the specification does not define are not. vsctrctl has the same
	 * but for M and MTE.
	 */
	uint64_t control;
	uint8_t depths; /* bit D: sctrdepth.DEPTH may be D, 0 to 4; not 0 */
	bool types; /* ctrdata.TYPE */
	int8_t cce_bits; /* 0 to 4, or MODEL_NO_CYCLES: no ctrdata.CC, no CCV */
	enum model_ras_cycles ras_cycles;
};

struct model {
	struct model_hart hart;
	uint64_t mctrctl; /* sctrctl is a part of it */
	uint64_t vsctrctl;
	uint32_t sctrstatus;
	uint32_t sctrdepth;
	uint32_t cycles; /* CtrCycleCounter */
	bool cycles_valid; /* the next record's CCV */
	struct ctr_entry entries[CTR_MAX_ENTRIES]; /* physical ones */
};

/*
 * Start with all registers 0 and the smallest depth. hart NULL is one that
 * implements everything, with 4 CCE bits.
 */
void model_init(struct model *model, const struct model_hart *hart);

/*
 * The registers by CSR number: CTR_CSR_SCTRCTL (part of mctrctl, without M and
 * MTE), CTR_CSR_MCTRCTL, CTR_CSR_VSCTRCTL, CTR_CSR_SCTRSTATUS, CTR_CSR_SCTRDEPTH.
 * Others read as 0 and ignore what is written.
 *
 * Bits that are not implemented stay 0. Writing a control register resets the
 * cycle counter ("Cycle Counting"). A DEPTH that the hart does not have becomes
 * the largest it has. When the depth changes, entries keep what they held, and
 * WRPTR those of its bits that remain; both may be anything legal.
 */
uint64_t model_read_csr(const struct model *model, unsigned int csr);
void model_write_csr(struct model *model, unsigned int csr, uint64_t value);

/*
 * Logical entry `index`, 0 the newest. Those at and beyond the depth read as 0 and
 * ignore what is written ("Supervisor Control Transfer Records Depth Register").
 */
void model_read_entry(const struct model *model, unsigned int index,
		      struct ctr_entry *entry);
void model_write_entry(struct model *model, unsigned int index,
		       const struct ctr_entry *entry);

/* The number of logical entries: 16 to 256. */
static inline unsigned int model_depth(const struct model *model)
{
	return CTR_DEPTH_ENTRIES(model->sctrdepth);
}

/* The physical entry that is logical entry `index`, which is below the depth. */
static inline unsigned int model_physical(const struct model *model,
					  unsigned int index)
{
	return ((model->sctrstatus & CTR_STATUS_WRPTR) - index - 1) &
	       (model_depth(model) - 1);
}

/*
 * SCTRCLR: all entries become 0, at any depth, and the next record's CCV. WRPTR and
 * FROZEN stay. Whether the mode may execute it is not looked at.
 */
void model_clear(struct model *model);

/* `cycles` of mcycle pass in a mode; counted where the mode is enabled, not frozen. */
void model_pass(struct model *model, enum model_mode mode, uint32_t cycles);

/* Something is not known that happened now: cycles may have passed. */
void model_miss(struct model *model);

/* What became of a transfer. */
enum model_effect {
	MODEL_NOTHING,
	MODEL_RECORDED, /* it is logical entry 0, WRPTR was incremented */
	MODEL_SWAPPED, /* RASEMU: it is logical entry 0, WRPTR stayed */
	MODEL_POPPED, /* RASEMU: a return, WRPTR was decremented */
	MODEL_FROZE, /* FROZEN is set now and was not before */
};

/* A transfer that retires, a trap that is taken, or a branch that is not. */
struct model_transfer {
	uint64_t from; /* the instruction's pc, or the trap's epc */
	uint64_t to;
	enum ctr_type type; /* "Control Transfer Type Definitions" */
	enum model_mode mode; /* it comes from */
	enum model_mode next; /* it leads to */
	uint64_t cause; /* of an exception or an interrupt, without its top bit */
};

enum model_effect model_transfer(struct model *model,
				 const struct model_transfer *transfer);

/* An instruction that retires, or at which a trap is taken. */
struct model_insn {
	uint64_t pc; /* of the instruction, or the trap's epc */
	uint64_t next; /* where it leads */
	uint32_t insn; /* the encoding; 16 bits of it if it is compressed */
	uint32_t cycles; /* that passed in `mode` for it */
	unsigned int flags; /* enum rv_flags */
	enum model_mode mode; /* in which it executes */
	enum model_mode next_mode;
	bool taken; /* a conditional branch is; others need not say so */
	/*
	 * CTR_TYPE_EXCEPTION or CTR_TYPE_INTERRUPT: it does not retire, but
	 * traps with `cause`. 0 otherwise.
	 */
	enum ctr_type trap;
	uint64_t cause;
};

/*
 * Execute one: its cycles, SCTRCLR if it is that, and its transfer, if any. An
 * encoding that is no instruction transfers nothing.
 */
enum model_effect model_step(struct model *model,
			     const struct model_insn *insn);

#endif
