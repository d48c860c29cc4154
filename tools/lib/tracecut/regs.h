/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of the thread that runs, as far as the INST_REG records of a trace tell
 * them. They are not known any more where the thread changes or instructions are missing.
 */
#ifndef TRACECUT_REGS_H
#define TRACECUT_REGS_H

#include "stf/stf.h"

struct tcut_regs;

/* Returns NULL if there is not enough memory. The caller frees it. */
struct tcut_regs *tcut_regs_new(void);

/* None is known any more. */
void tcut_regs_forget(struct tcut_regs *regs);

/* Forget them if this instruction is of another thread, or some are missing before it. */
void tcut_regs_before(struct tcut_regs *regs, const struct stf_inst *inst);

/*
 * Take the INST_REGs of this instruction's group into account. Its records are all asked
 * for. Returns false if there is not enough memory. A register that RISC-V does not have is
 * ignored.
 */
bool tcut_regs_after(struct tcut_regs *regs, const struct stf_inst *inst,
		     struct stf_inst_iter *iter);

/* Returns whether this register is known to have this value. */
bool tcut_regs_has(const struct tcut_regs *regs, const struct stf_reg *reg);

/* Write all registers that are known as states. Returns like stf_write(). */
int tcut_regs_write(const struct tcut_regs *regs, struct stf_writer *writer);

/* regs may be NULL. */
void tcut_regs_free(struct tcut_regs *regs);

#endif
