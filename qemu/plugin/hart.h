/* SPDX-License-Identifier: GPL-2.0-only */
/* What the plug-ins want of a hart and of their command line. */
#ifndef PLUGIN_HART_H
#define PLUGIN_HART_H

#include <stdio.h>

#include "api.h"

enum hart_reg {
	HART_PC,
	HART_PRIV,
	HART_SATP,
	HART_SSTATUS,
	HART_SCAUSE,
	HART_STVAL,
	HART_RA,
	HART_SP,
	HART_TP,
	HART_A0,
	HART_A1,
	HART_A2,
	HART_A7,
	HART_REGS
};

/* Modes, with HART_VIRTUAL set for those of a guest: VU and VS. */
enum hart_priv {
	HART_U = 0,
	HART_S = 1,
	HART_M = 3,
	HART_VIRTUAL = 4,
	HART_MODES = 8
};

/* Root page table of an address space: satp without mode and ASID. */
#define HART_SATP_PPN	((1ull << 44) - 1)

/* Call in the plug-in's vcpu_init callback. Ends QEMU if a register is missing. */
void hart_init(void);

/*
 * A register of the hart that runs this callback; in a guest, what the guest has in its
 * place. In a translation callback only HART_PRIV means anything: it is the mode that the
 * block is translated for.
 */
uint64_t hart_read(enum hart_reg reg);

/* Integer register x@nr. */
uint64_t hart_read_x(unsigned int nr);

/* Call @cb for each MARK_INSN that is executed in @tb. */
void hart_find_marks(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb);

/* The value of argument "@name=..." of a plug-in, or NULL. */
const char *hart_argument(int argc, char **argv, const char *name);

/*
 * Opens for writing the file that argument "@name=FILE" of @plugin gives. NULL: there is
 * no such argument, or the file cannot be written; stderr has said so.
 */
FILE *hart_open(int argc, char **argv, const char *plugin, const char *name);

#endif
