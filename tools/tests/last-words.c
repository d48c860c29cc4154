// SPDX-License-Identifier: GPL-2.0-only
/* last/words: which instruction a point is at. */
#include "last/words.h"
#include "test.h"

#include <signal.h>

/* scause, by the table of the privileged specification. */
#define INTERRUPT	(1ull << 63)
enum { BREAKPOINT = 3, ECALL_FROM_U = 8, LOAD_PAGE_FAULT = 13, TIMER = 5 };

static bool at_ip(enum last_kind kind, int code, uint64_t cause)
{
	const struct last_point point = { .kind = kind, .number = SIGSEGV, .value = code,
					  .cause = cause };

	return last_is_at_ip(&point);
}

static bool after_ecall(uint64_t cause)
{
	const struct last_point point = { .kind = LAST_SIGNAL, .cause = cause };

	return last_is_after_ecall(&point);
}

TEST(an_ecall_is_behind_whoever_is_in_a_system_call)
{
	CHECK(after_ecall(ECALL_FROM_U));
	/* The kernel forgets the cause of a call that it may begin anew. */
	CHECK(after_ecall(~0ull));
	CHECK(!after_ecall(LOAD_PAGE_FAULT));
	CHECK(!after_ecall(INTERRUPT | TIMER));
	CHECK(!after_ecall(INTERRUPT | ECALL_FROM_U));
}

TEST(what_faulted_is_at_the_ip)
{
	CHECK(at_ip(LAST_SIGNAL, SEGV_MAPERR, LOAD_PAGE_FAULT));
	CHECK(at_ip(LAST_SIGNAL, TRAP_BRKPT, BREAKPOINT));
	CHECK(at_ip(LAST_ENTRY, 0, BREAKPOINT));
}

TEST(what_was_sent_or_came_between_two_instructions_is_not)
{
	CHECK(!at_ip(LAST_SIGNAL, SI_USER, LOAD_PAGE_FAULT));
	CHECK(!at_ip(LAST_SIGNAL, SEGV_MAPERR, INTERRUPT | TIMER));
	CHECK(!at_ip(LAST_SIGNAL, SI_KERNEL, ECALL_FROM_U));
	CHECK(!at_ip(LAST_RETURN, 1, BREAKPOINT));
	CHECK(!at_ip(LAST_EXIT, 1, ECALL_FROM_U));
}
