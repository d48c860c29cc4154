/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register layouts of the RISC-V Control Transfer Records extensions (Smctr,
 * Ssctr 1.0). The only place where a bit of them has a position. Pure: also
 * compiled by the tools.
 */
#ifndef CTR_REGS_H
#define CTR_REGS_H

#include <linux/const.h>

/* CSR numbers ("CSR Listing"), and Sscsrind's window on the entries. */
#define CTR_CSR_SCTRCTL		0x14e
#define CTR_CSR_SCTRSTATUS	0x14f
#define CTR_CSR_SISELECT	0x150
#define CTR_CSR_SIREG		0x151	/* ctrsource */
#define CTR_CSR_SIREG2		0x152	/* ctrtarget */
#define CTR_CSR_SIREG3		0x153	/* ctrdata */
#define CTR_CSR_SCTRDEPTH	0x15f
#define CTR_CSR_VSCTRCTL	0x24e
#define CTR_CSR_MCTRCTL		0x34e

/* siselect of logical entry 0, the newest; entry N is at this plus N. */
#define CTR_SISELECT_ENTRY	0x200

/* The SCTRCLR instruction: zero all entries and the cycle counter. */
#define CTR_INSN_SCTRCLR	0x10400073

/* mctrctl; sctrctl and vsctrctl are without M and MTE */
#define CTR_CTL_U		_BITULL(0)
#define CTR_CTL_S		_BITULL(1)
#define CTR_CTL_M		_BITULL(2)
#define CTR_CTL_RASEMU		_BITULL(7)
#define CTR_CTL_STE		_BITULL(8)
#define CTR_CTL_MTE		_BITULL(9)
#define CTR_CTL_BPFRZ		_BITULL(11)
#define CTR_CTL_LCOFIFRZ	_BITULL(12)
#define CTR_CTL_EXCINH		_BITULL(33)
#define CTR_CTL_INTRINH		_BITULL(34)
#define CTR_CTL_TRETINH		_BITULL(35)
#define CTR_CTL_NTBREN		_BITULL(36)
#define CTR_CTL_TKBRINH		_BITULL(37)
#define CTR_CTL_INDCALLINH	_BITULL(40)
#define CTR_CTL_DIRCALLINH	_BITULL(41)
#define CTR_CTL_INDJMPINH	_BITULL(42)
#define CTR_CTL_DIRJMPINH	_BITULL(43)
#define CTR_CTL_CORSWAPINH	_BITULL(44)
#define CTR_CTL_RETINH		_BITULL(45)
#define CTR_CTL_INDLJMPINH	_BITULL(46)
#define CTR_CTL_DIRLJMPINH	_BITULL(47)

/*
 * The filter bit of transfer type T is bit 32 + T, for every type. It inhibits,
 * except for not-taken branches, where it enables.
 */
#define CTR_CTL_TYPE_SHIFT	32
#define CTR_CTL_TYPE_INHIBITS	0xff2eU	/* types whose bit inhibits */

/* sctrstatus */
#define CTR_STATUS_WRPTR	0xffULL
#define CTR_STATUS_FROZEN	_BITULL(31)

/* sctrdepth: the buffer has 16 << DEPTH entries. */
#define CTR_DEPTH_MASK		0x7
#define CTR_DEPTH_MAX		4
#define CTR_DEPTH_ENTRIES(d)	(16U << (d))
#define CTR_MAX_ENTRIES		CTR_DEPTH_ENTRIES(CTR_DEPTH_MAX)

/* ctrsource, ctrtarget: an even pc, and a flag in bit 0. */
#define CTR_SOURCE_V		_BITULL(0)
#define CTR_SOURCE_PC		(~_BITULL(0))
#define CTR_TARGET_MISP		_BITULL(0)
#define CTR_TARGET_PC		(~_BITULL(0))

/* ctrdata */
#define CTR_DATA_TYPE		0xfULL
#define CTR_DATA_CCV		_BITULL(15)
#define CTR_DATA_CCM_SHIFT	16
#define CTR_DATA_CCM		(0xfffULL << CTR_DATA_CCM_SHIFT)
#define CTR_DATA_CCE_SHIFT	28
#define CTR_DATA_CCE		(0xfULL << CTR_DATA_CCE_SHIFT)

/* Transfer types ("Control Transfer Type Definitions"): ctrdata.TYPE. */
enum ctr_type {
	CTR_TYPE_NONE = 0,	/* also: the hart does not say */
	CTR_TYPE_EXCEPTION = 1,
	CTR_TYPE_INTERRUPT = 2,
	CTR_TYPE_TRAP_RETURN = 3,
	CTR_TYPE_NOT_TAKEN = 4,
	CTR_TYPE_TAKEN = 5,
	CTR_TYPE_IND_CALL = 8,
	CTR_TYPE_DIR_CALL = 9,
	CTR_TYPE_IND_JUMP = 10,
	CTR_TYPE_DIR_JUMP = 11,
	CTR_TYPE_CO_SWAP = 12,
	CTR_TYPE_RETURN = 13,
	CTR_TYPE_IND_LINK_JUMP = 14,
	CTR_TYPE_DIR_LINK_JUMP = 15,
	CTR_TYPE_COUNT
};

/* Bits of ctrdata.TYPE values: a set of types. */
#define CTR_TYPES(t)		(1U << (t))
#define CTR_TYPES_ALL		0xffffU

#endif
