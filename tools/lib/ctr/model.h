/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reference model: which records a hart with Control Transfer Records (Smctr, Ssctr
 * 1.0) makes, exactly as the specification says. Its input is a sequence of instructions
 * that retire and traps that are taken.
 *
 *	struct model model;
 *
 *	model_init(&model, NULL);
 *	model_write_csr(&model, CTR_CSR_SCTRCTL, CTR_CTL_U);
 *	while (...)
 *		model_step(&model, &insn);
 *	model_read_entry(&model, 0, &newest);
 *
 * The sections that are named here and in model.c are sections of the specification.
 * Where the specification leaves a choice, struct model_hart has the choice, or the
 * comment of the function says what the model does. A model uses only its own structure:
 * it allocates no memory and writes to nothing else.
 */
#ifndef CTR_MODEL_H
#define CTR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "ctr_entry.h"

/*
 * Privilege modes. The modes with V=1 have bit 2 set. S is HS on a hart with the H
 * extension.
 */
enum model_mode {
	MODEL_U = 0,
	MODEL_S = 1,
	MODEL_M = 3,
	MODEL_VU = 4,
	MODEL_VS = 5,
	MODEL_DEBUG = 8,
};

/* The CCV of calls in RAS emulation, whose parent may have been popped. */
enum model_ras_cycles {
	/* the cycles of a popped entry count for the next call */
	MODEL_RAS_ADD,
	MODEL_RAS_PARENT, /* CCV=0 if the parent was popped */
	MODEL_RAS_NONE, /* CCV=0 for all calls */
};

/* The sizes of the cycle counter, by their CCE bits ("Cycle Counter Size Options"). */
#define MODEL_NO_CYCLES		(-1)
#define MODEL_MAX_CCE_BITS	4

/* Which optional parts a hart implements. */
struct model_hart {
	/*
	 * The bits of mctrctl. M, S, U and BPFRZ always exist. Other bits that the
	 * specification does not define do not exist. vsctrctl has the same bits except M
	 * and MTE.
	 */
	uint64_t control;
	/* Bit D is set if sctrdepth.DEPTH can be D, 0 to 4. It must not be 0. */
	uint8_t depths;
	bool types; /* the hart writes ctrdata.TYPE */
	/* 0 to 4, or MODEL_NO_CYCLES: the hart has neither ctrdata.CC nor CCV */
	int8_t cce_bits;
	enum model_ras_cycles ras_cycles;
};

struct model {
	struct model_hart hart;
	uint64_t mctrctl; /* sctrctl is a part of it */
	uint64_t vsctrctl;
	uint32_t sctrstatus;
	uint32_t sctrdepth;
	uint32_t cycles; /* CtrCycleCounter */
	bool cycles_valid; /* the CCV of the next record */
	/* indexed by physical entry */
	struct ctr_entry entries[CTR_MAX_ENTRIES];
};

/*
 * Start with all registers 0 and with the smallest depth. If hart is NULL, the hart
 * implements everything, with 4 CCE bits.
 */
void model_init(struct model *model, const struct model_hart *hart);

/*
 * Read and write the registers by their CSR number: CTR_CSR_SCTRCTL (a part of mctrctl,
 * without M and MTE), CTR_CSR_MCTRCTL, CTR_CSR_VSCTRCTL, CTR_CSR_SCTRSTATUS and
 * CTR_CSR_SCTRDEPTH. All other CSRs read as 0, and writes to them have no effect.
 *
 * Bits that the hart does not implement stay 0. A write to a control register resets the
 * cycle counter ("Cycle Counting"). If the hart does not have a DEPTH, the largest DEPTH
 * that it has is used instead. When the depth changes, the entries keep their content,
 * and WRPTR keeps those of its bits that remain. The specification allows any legal value
 * for both.
 */
uint64_t model_read_csr(const struct model *model, unsigned int csr);
void model_write_csr(struct model *model, unsigned int csr, uint64_t value);

/*
 * Read and write the logical entry `index`. Entry 0 is the newest. Entries at the depth
 * and above read as 0, and writes to them have no effect ("Supervisor Control Transfer
 * Records Depth Register").
 */
void model_read_entry(const struct model *model, unsigned int index,
		      struct ctr_entry *entry);
void model_write_entry(struct model *model, unsigned int index,
		       const struct ctr_entry *entry);

/* Returns the number of logical entries: 16 to 256. */
static inline unsigned int model_depth(const struct model *model)
{
	return CTR_DEPTH_ENTRIES(model->sctrdepth);
}

/* Returns the physical entry of the logical entry `index`, which must be below the depth. */
static inline unsigned int model_physical(const struct model *model,
					  unsigned int index)
{
	return ((model->sctrstatus & CTR_STATUS_WRPTR) - index - 1) &
	       (model_depth(model) - 1);
}

/*
 * Execute SCTRCLR. All entries become 0, at any depth, and so does the CCV of the next
 * record. WRPTR and FROZEN do not change. This function does not check whether the mode
 * may execute the instruction.
 */
void model_clear(struct model *model);

/*
 * Let `cycles` cycles of mcycle pass in a mode. They count if recording is enabled in the
 * mode and not frozen.
 */
void model_pass(struct model *model, enum model_mode mode, uint32_t cycles);

/* Note that something unknown happened. Cycles may have passed. */
void model_miss(struct model *model);

/* What happened with a transfer. */
enum model_effect {
	MODEL_NOTHING,
	MODEL_RECORDED, /* it is logical entry 0, and WRPTR was incremented */
	/* RASEMU: it is logical entry 0, and WRPTR did not change */
	MODEL_SWAPPED,
	MODEL_POPPED, /* RASEMU: it is a return, and WRPTR was decremented */
	MODEL_FROZE, /* FROZEN was not set before and is set now */
};

/* A transfer that retires, a trap that is taken, or a branch that is not taken. */
struct model_transfer {
	uint64_t from; /* the pc of the instruction, or the epc of the trap */
	uint64_t to;
	enum ctr_type type; /* "Control Transfer Type Definitions" */
	enum model_mode mode; /* the mode before the transfer */
	enum model_mode next; /* the mode after the transfer */
	/* the cause of an exception or interrupt, without its top bit */
	uint64_t cause;
};

enum model_effect model_transfer(struct model *model,
				 const struct model_transfer *transfer);

/* An instruction that retires, or at which a trap is taken. */
struct model_insn {
	uint64_t pc; /* the pc of the instruction, or the epc of the trap */
	uint64_t next; /* the pc after it */
	uint32_t insn; /* the encoding; 16 bits of it if it is compressed */
	uint32_t cycles; /* the cycles in `mode` that it takes */
	unsigned int flags; /* enum rv_flags */
	enum model_mode mode; /* the mode in which it executes */
	enum model_mode next_mode;
	bool taken; /* only for conditional branches: it is taken */
	/*
	 * CTR_TYPE_EXCEPTION or CTR_TYPE_INTERRUPT: the instruction does not retire, but
	 * traps with `cause`. 0: there is no trap.
	 */
	enum ctr_type trap;
	uint64_t cause;
};

/*
 * Execute one instruction: its cycles, SCTRCLR if it is this instruction, and its
 * transfer, if it makes one. An encoding that is not an instruction makes no transfer.
 */
enum model_effect model_step(struct model *model,
			     const struct model_insn *insn);

#endif
