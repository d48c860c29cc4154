/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of the kernel or of a module, with debug information: work has 08 to 18, in line 11.
 * step was inlined at 0c, in line 12, and has line 31.
 */
#ifndef TESTS_KERNEL_BUILD_H
#define TESTS_KERNEL_BUILD_H

#include "module-build.h"

enum { START = 0x08, INLINED = 0x0c, LAST = 0x10, END = 0x18, SIZE = 0x20 };

#define AT(_offset) (ELFB_ADDR + ELFB_CODE + (_offset))

static uint16_t text[SIZE / 2];

static inline void begin_debug(struct dwb *debug, const char *source)
{
	uint32_t step;

	*debug = (struct dwb){ 0 };
	dwb_begin(debug, source, AT(START), END - START);
	step = dwb_abstract(debug, "step", 30);
	dwb_function(debug, "work", "work", 10, AT(START), END - START);
	dwb_inlined(debug, step, AT(INLINED), LAST - INLINED, 12, 0);
	dwb_leave(debug);
	dwb_leave(debug);
	dwb_row(debug, AT(START), 11, 0);
	dwb_row(debug, AT(INLINED), 31, 0);
	dwb_row(debug, AT(LAST), 13, 0);
	dwb_finish(debug, AT(END));
}

/* Its place in the section of a module. */
static inline unsigned int in_text(uint64_t addr, uint64_t *behind)
{
	*behind = addr - AT(0);
	return 1;
}

#endif
