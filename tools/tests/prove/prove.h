/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties of the driver's pure rooms: PROVE(what_it_promises) { ... CHECK(...); },
 * any number of them in a file that has the room's name. tools/tests/prove.sh has
 * CBMC prove each for all values of nondet_u64() that its ASSUMEs leave.
 *
 * The end of each is a CHECK that must fail: were it never reached, as its ASSUMEs
 * contradict each other, then all others would hold whatever the room does.
 */
#ifndef TESTS_PROVE_H
#define TESTS_PROVE_H

#include <stdbool.h>
#include <linux/types.h>

/* CBMC knows it by its name: any value, and another one at each call. */
__u64 nondet_u64(void);

#define ASSUME(_cond)	__CPROVER_assume(_cond)
#define CHECK(_cond)	__CPROVER_assert(_cond, #_cond)

#define PROVE(_name)                                                           \
	static void prove_##_name(void);                                       \
	void _name(void);                                                      \
	void _name(void)                                                       \
	{                                                                      \
		prove_##_name();                                               \
		__CPROVER_assert(false, "the end is reached");                 \
	}                                                                      \
	static void prove_##_name(void)

#endif
