// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bug.h>
#include <linux/log2.h>

#include "ctr_hw.h"

/* As csr_try_read(). */
#define csr_try_write(_csr, _value)					\
({									\
	long __err = 0;							\
	asm volatile("1:	csrw " __stringify(_csr) ", %z1\n"	\
		     "2:\n"						\
		     _ASM_EXTABLE_UACCESS_ERR(1b, 2b, %0)		\
		     : "+r" (__err) : "rJ" ((unsigned long)(_value))	\
		     : "memory");					\
	__err;								\
})

static long try_clear(void)
{
	long err = 0;

	asm volatile("1:	.4byte " __stringify(CTR_INSN_SCTRCLR) "\n"
		     "2:\n"
		     _ASM_EXTABLE_UACCESS_ERR(1b, 2b, %0)
		     : "+r" (err) : : "memory");
	return err;
}

/* The bits this driver uses; custom bits stay 0, "Custom Extensions". */
#define CTL_WANTED							\
	(CTR_CTL_U | CTR_CTL_S | CTR_CTL_RASEMU | CTR_CTL_LCOFIFRZ |	\
	 (u64)CTR_CTL_TYPE_INHIBITS << CTR_CTL_TYPE_SHIFT)

/* All bits of sctrctl that a hart holds, without recording in S mode. */
static u64 probe_writable(void)
{
	u64 writable;

	csr_write(CTR_CSR_SCTRCTL, CTL_WANTED);
	writable = csr_read(CTR_CSR_SCTRCTL) & CTL_WANTED;
	csr_write(CTR_CSR_SCTRCTL, 0);
	return writable;
}

/*
 * Bits of WRPTR above those that the depth needs are read-only 0, so what it
 * holds after all ones tells the depth, also where sctrdepth cannot be read.
 */
static unsigned int depth_by_wrptr(void)
{
	unsigned int depth;

	csr_write(CTR_CSR_SCTRSTATUS, CTR_STATUS_WRPTR);
	depth = (csr_read(CTR_CSR_SCTRSTATUS) & CTR_STATUS_WRPTR) + 1;
	csr_write(CTR_CSR_SCTRSTATUS, 0);
	return depth;
}

static bool probe_depth(struct ctr_hw *hw, unsigned int max_depth)
{
	unsigned long old, now;
	int field, fit = -1;

	hw->depth_field = CTR_DEPTH_HIDDEN;
	if (!csr_try_read(CTR_CSR_SCTRDEPTH, &old)) {
		for (field = CTR_DEPTH_MAX; field >= 0; field--) {
			if (csr_try_write(CTR_CSR_SCTRDEPTH, field) ||
			    csr_try_read(CTR_CSR_SCTRDEPTH, &now) ||
			    (now & CTR_DEPTH_MASK) != field)
				continue;
			fit = field;
			if (CTR_DEPTH_ENTRIES(field) <= max_depth)
				break;
		}
		if (fit < 0 || csr_try_write(CTR_CSR_SCTRDEPTH, fit))
			return false;
		hw->depth_field = fit;
	}

	hw->depth = depth_by_wrptr();
	if (hw->depth < CTR_DEPTH_ENTRIES(0) || !is_power_of_2(hw->depth))
		return false;
	return hw->depth_field == CTR_DEPTH_HIDDEN ||
	       hw->depth == CTR_DEPTH_ENTRIES(hw->depth_field);
}

enum ctr_hw_fault ctr_hw_probe(struct ctr_hw *hw, unsigned int max_depth)
{
	unsigned long select, value;

	*hw = (struct ctr_hw){};
	/*
	 * sctrctl first: without mstateen0.CTR it traps for certain, while some
	 * harts let the entries be read all the same.
	 */
	if (csr_try_read(CTR_CSR_SCTRCTL, &value) ||
	    csr_try_write(CTR_CSR_SCTRCTL, 0) ||
	    csr_try_read(CTR_CSR_SCTRSTATUS, &value) ||
	    csr_try_write(CTR_CSR_SCTRSTATUS, 0) || try_clear())
		return CTR_HW_NO_ACCESS;

	if (csr_try_read(CTR_CSR_SISELECT, &select) ||
	    csr_try_write(CTR_CSR_SISELECT, CTR_SISELECT_ENTRY))
		return CTR_HW_NO_SSCSRIND;
	if (csr_try_read(CTR_CSR_SIREG, &value) ||
	    csr_try_read(CTR_CSR_SIREG2, &value) ||
	    csr_try_write(CTR_CSR_SIREG3, CTR_DATA_TYPE) ||
	    csr_try_read(CTR_CSR_SIREG3, &value)) {
		csr_write(CTR_CSR_SISELECT, select);
		return CTR_HW_NO_SSCSRIND;
	}
	/* All fields of ctrdata are optional, and read as 0 then. */
	hw->types = value & CTR_DATA_TYPE;
	csr_write(CTR_CSR_SISELECT, select);

	hw->writable = probe_writable();
	if (!(hw->writable & CTR_CTL_U) || !(hw->writable & CTR_CTL_S))
		return CTR_HW_NO_MODES;
	if (!probe_depth(hw, max_depth)) {
		hw->depth = 0;
		return CTR_HW_NO_DEPTH;
	}
	/* What is left in vsctrctl would record guests into their host's samples. */
	hw->has_guests = !csr_try_write(CTR_CSR_VSCTRCTL, 0);
	/* A new depth may show old records. */
	ctr_hw_clear();
	return CTR_HW_OK;
}

bool ctr_hw_reaches_entries(void)
{
	unsigned long select, value;
	bool reached;

	if (csr_try_read(CTR_CSR_SISELECT, &select) ||
	    csr_try_write(CTR_CSR_SISELECT, CTR_SISELECT_ENTRY))
		return false;
	reached = !csr_try_read(CTR_CSR_SIREG, &value);
	csr_write(CTR_CSR_SISELECT, select);
	return reached;
}

bool ctr_hw_reset(const struct ctr_hw *hw)
{
	if (csr_try_write(CTR_CSR_SCTRCTL, 0) || !ctr_hw_reaches_entries())
		return false;
	if (hw->depth_field != CTR_DEPTH_HIDDEN)
		csr_write(CTR_CSR_SCTRDEPTH, hw->depth_field);
	csr_write(CTR_CSR_SCTRSTATUS, 0);
	/* Where it is not there, this would be a trap at the end of each idle state. */
	if (hw->has_guests)
		csr_write(CTR_CSR_VSCTRCTL, 0);
	ctr_hw_clear();
	return true;
}

void ctr_hw_control(u64 ctl)
{
	csr_write(CTR_CSR_SCTRCTL, ctl);
}

unsigned int ctr_hw_count_calls(unsigned int depth)
{
	unsigned int nr = 0;

	while (nr < depth && ctr_hw_valid(nr))
		nr++;
	return nr;
}
