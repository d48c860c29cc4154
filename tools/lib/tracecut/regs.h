/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers of a hart, as far as the INST_REG records of a trace tell them. */
#ifndef TRACECUT_REGS_H
#define TRACECUT_REGS_H

#include "stf/stf.h"

struct tcut_regs;

/* Returns NULL if there is not enough memory. The caller frees it. */
struct tcut_regs *tcut_regs_new(void);

/*
 * Take an INST_REG into account. Returns false if there is not enough memory. A register
 * that RISC-V does not have is ignored.
 */
bool tcut_regs_take(struct tcut_regs *regs, const struct stf_reg *reg);

/* None is known any more: another thread runs, or instructions are missing. */
void tcut_regs_forget(struct tcut_regs *regs);

/* Write all registers that are known as states. Returns like stf_write(). */
int tcut_regs_write(const struct tcut_regs *regs, struct stf_writer *writer);

/* regs may be NULL. */
void tcut_regs_free(struct tcut_regs *regs);

#endif
