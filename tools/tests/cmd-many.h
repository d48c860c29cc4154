/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings of several threads, and of several binaries. */
#ifndef TESTS_CMD_MANY_H
#define TESTS_CMD_MANY_H

#include "cmd-hot.h"

#define ADD_OF(_tid, _v) add_steps_of(_tid, _v, sizeof(_v) / sizeof(*(_v)))

/* Two samples of once in the thread 5, and one of alone in the thread 6, with their names. */
static inline void write_threads(const char *first, const char *second)
{
	begin_program();
	pdb_comm(&rec, 0, 5, first, 1);
	pdb_comm(&rec, 0, 6, second, 1);
	ADD_OF(6, alone);
	ADD_OF(5, once);
	ADD_OF(5, once);
	write_files();
}

enum { OTHER_AT = 0x40000 };

/*
 * The program as /x, and again as /y, which main of /x calls once; its loop runs three times
 * and calls nobody.
 */
static inline void write_binaries(void)
{
	static const struct step from_x[] = {
		{ 0x06, OTHER_AT - MAP_AT, CALL, 0 },
		{ OTHER_AT - MAP_AT + 0x0a, OTHER_AT - MAP_AT + 0x04, COND, 0 },
		{ OTHER_AT - MAP_AT + 0x0a, OTHER_AT - MAP_AT + 0x04, COND, 0 },
		{ OTHER_AT - MAP_AT + 0x0e, 0x08, RET, 0 },
	};

	begin_program();
	pdb_mmap2(&rec, 5, OTHER_AT, 0x1000, ELFB_CODE, "/y", 1);
	ADD_STEPS(once);
	ADD_STEPS(once);
	ADD_STEPS(once);
	ADD_STEPS(from_x);
	write_files();
	CHECK_EQ(run("cd %s && cp x y", test_tmpdir()), 0);
}

#endif
