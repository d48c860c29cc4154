/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This hart's CTR registers. All functions act on the hart they run on and want
 * interrupts off: the window on the entries (siselect) is shared with interrupt
 * controllers, which use it in interrupt context, and a migration between two
 * accesses would mix two harts.
 */
#ifndef CTR_HW_H
#define CTR_HW_H

#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/stringify.h>
#include <linux/types.h>
#include <asm/asm-extable.h>
#include <asm/csr.h>

#include "ctr_entry.h"

/* What ctr_hw_probe() found on a hart. */
struct ctr_hw {
	u64 writable;		/* bits of sctrctl that the hart implements */
	u16 depth;		/* entries of its buffer; 0: unusable */
	u8 depth_field;		/* sctrdepth.DEPTH, or CTR_DEPTH_HIDDEN */
	bool types;		/* it says of each record what it is: ctrdata.TYPE */
	bool has_guests;	/* it can have some: vsctrctl is there */
};

/* sctrdepth cannot be accessed: a hypervisor chose the depth. */
#define CTR_DEPTH_HIDDEN	0xff

enum ctr_hw_fault {
	CTR_HW_OK,
	CTR_HW_NO_SSCSRIND,	/* siselect or sireg trap */
	CTR_HW_NO_ACCESS,	/* sctrctl, sctrstatus or SCTRCLR trap */
	CTR_HW_NO_MODES,	/* sctrctl.U and .S cannot be written */
	CTR_HW_NO_DEPTH,	/* no depth is accepted */
};

/*
 * Find out what this hart has, with every access guarded against traps. Leaves
 * the hart recording nothing, its buffer empty, at the largest depth that is not
 * above @max_depth entries (or the smallest it has).
 */
enum ctr_hw_fault ctr_hw_probe(struct ctr_hw *hw, unsigned int max_depth);

/*
 * Bring a hart that was powered down back to where ctr_hw_probe() left it: it
 * records nothing, and its buffer is empty. Returns false if it has no access to
 * its records any more.
 */
bool ctr_hw_reset(const struct ctr_hw *hw);

/*
 * Record by the value @ctl of sctrctl from here on; 0 stops it. The buffer is left
 * as it is. Costs the next record its cycle count.
 */
void ctr_hw_control(u64 ctl);

/*
 * A CSR access that survives the trap of a register that is not there or not
 * granted. It yields 0, or -EFAULT as all fixups of this type do.
 */
#define csr_try_read(_csr, _value)					\
({									\
	long __err = 0;							\
	unsigned long __v;						\
	asm volatile("1:	csrr %1, " __stringify(_csr) "\n"	\
		     "2:\n"						\
		     _ASM_EXTABLE_UACCESS_ERR_ZERO(1b, 2b, %0, %1)	\
		     : "+r" (__err), "=&r" (__v) : : "memory");		\
	*(_value) = __v;							\
	__err;								\
})

/* Firmware grants the way to the entries by a bit of its own: is it there? */
bool ctr_hw_reaches_entries(void);

/* Empty the buffer. */
static inline void ctr_hw_clear(void)
{
	asm volatile(".4byte " __stringify(CTR_INSN_SCTRCLR) : : : "memory");
}

/* Did a counter overflow, or ctr_hw_freeze(), stop recording? */
static inline bool ctr_hw_frozen(void)
{
	return csr_read(CTR_CSR_SCTRSTATUS) & CTR_STATUS_FROZEN;
}

/*
 * Stop recording and keep the buffer, until ctr_hw_thaw(). Single instructions: the
 * hart may write sctrstatus between a read and a write of software ("Supervisor Control
 * Transfer Records Status Register"). Inline: a call would be recorded before it.
 */
static inline void ctr_hw_freeze(void)
{
	csr_set(CTR_CSR_SCTRSTATUS, CTR_STATUS_FROZEN);
}

/*
 * The same on a hart that may have lost its registers: returns false if it has. @frozen is
 * set to what ctr_hw_frozen() said before.
 */
static inline bool ctr_hw_try_freeze(bool *frozen)
{
	unsigned long status;

	if (csr_try_read(CTR_CSR_SCTRSTATUS, &status))
		return false;
	*frozen = status & CTR_STATUS_FROZEN;
	ctr_hw_freeze();
	return true;
}

static inline void ctr_hw_thaw(void)
{
	csr_clear(CTR_CSR_SCTRSTATUS, CTR_STATUS_FROZEN);
}

/*
 * Open the window on the entries. Returns what is to be given to ctr_hw_close(): the
 * window has other users, in interrupts, who expect to find it as they left it.
 */
static inline unsigned long ctr_hw_open(void)
{
	lockdep_assert_irqs_disabled();
	return csr_read(CTR_CSR_SISELECT);
}

static inline void ctr_hw_close(unsigned long select)
{
	csr_write(CTR_CSR_SISELECT, select);
}

/*
 * Through the open window, read logical entry @nr, 0 being the newest. ctr_hw_entry()
 * returns false, and not all of it, if it is not valid: none after it is. Assumed:
 * nothing is recorded meanwhile.
 */
static inline bool ctr_hw_entry(unsigned int nr, struct ctr_entry *entry)
{
	csr_write(CTR_CSR_SISELECT, CTR_SISELECT_ENTRY + nr);
	entry->source = csr_read(CTR_CSR_SIREG);
	if (!ctr_entry_valid(entry))
		return false;
	entry->target = csr_read(CTR_CSR_SIREG2);
	entry->data = csr_read(CTR_CSR_SIREG3);
	return true;
}

/* The entries @from - 1 down to @to, which are valid, to @entry on. */
static inline void ctr_hw_get_entries(struct ctr_entry *entry, unsigned long from,
				      unsigned long to)
{
	unsigned long select = CTR_SISELECT_ENTRY + from - 1;
	unsigned long end = CTR_SISELECT_ENTRY + to - 1;

	for (; select != end; select--, entry++) {
		csr_write(CTR_CSR_SISELECT, select);
		entry->source = csr_read(CTR_CSR_SIREG);
		entry->target = csr_read(CTR_CSR_SIREG2);
		entry->data = csr_read(CTR_CSR_SIREG3);
	}
}

/*
 * Through the open window, put a record back into logical entry @nr of an empty buffer.
 * The next one that is recorded comes before it. Assumed: as for ctr_hw_entry().
 */
static inline void ctr_hw_put_entry(unsigned int nr, const struct ctr_entry *entry)
{
	csr_write(CTR_CSR_SISELECT, CTR_SISELECT_ENTRY + nr);
	csr_write(CTR_CSR_SIREG, entry->source);
	csr_write(CTR_CSR_SIREG2, entry->target);
	csr_write(CTR_CSR_SIREG3, entry->data);
}

/* Through the open window, is there a record in logical entry @nr? */
static inline bool ctr_hw_valid(unsigned long nr)
{
	csr_write(CTR_CSR_SISELECT, CTR_SISELECT_ENTRY + nr);
	return csr_read(CTR_CSR_SIREG) & CTR_SOURCE_V;
}

/*
 * Physical index of the newest record, in a buffer of CTR_MAX_ENTRIES entries: one that
 * has fewer does not tell the high bits. Assumed on entry: as for ctr_hw_entry().
 */
static inline unsigned long ctr_hw_index(void)
{
	return (csr_read(CTR_CSR_SCTRSTATUS) - 1) & CTR_STATUS_WRPTR;
}

/*
 * Through the open window, how many records a buffer of @depth entries has, the physical
 * index of whose newest entry went from @from to @to since it was empty. A call stack's is
 * not told by the index: returns take from it. Assumed: as for ctr_hw_entry().
 */
static inline unsigned long ctr_hw_count(unsigned long depth, unsigned long from,
					 unsigned long to)
{
	unsigned long nr = (to - from) & (depth - 1);

	/* One more than that is valid where the index went round. */
	return ctr_hw_valid(nr) ? depth : nr;
}

unsigned int ctr_hw_count_calls(unsigned int depth);

/*
 * Make @index the physical index of the entry that is the newest from here on.
 * Assumed on entry: as for ctr_hw_entry().
 */
static inline void ctr_hw_set_index(unsigned int index)
{
	unsigned long status = csr_read(CTR_CSR_SCTRSTATUS);

	csr_write(CTR_CSR_SCTRSTATUS, (status & ~CTR_STATUS_WRPTR) |
				      ((index + 1) & CTR_STATUS_WRPTR));
}

#endif
