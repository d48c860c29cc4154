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

/* The program is behind its ecall, or at what was interrupted. */
TEST(what_calls_a_function_of_the_kernel_is_not_at_the_ip)
{
	const struct last_point point = { .kind = LAST_ENTRY, .cause = ECALL_FROM_U,
					  .kernel_ip = 0xffffffff80000000 };

	CHECK(!last_is_at_ip(&point));
}

static const char *words(int number, int64_t code, uint64_t addr)
{
	const struct last_point point = { .kind = LAST_SIGNAL, .number = number,
					  .value = code, .addr = addr };
	static char text[256];

	return last_words(&point, 5, text, sizeof(text));
}

TEST(a_signal_tells_what_its_code_says_and_no_more)
{
	CHECK_STR(words(SIGSEGV, SEGV_MAPERR, 0x77),
		  "killed by SIGSEGV: nothing is mapped at address 0x77");
	CHECK_STR(words(SIGBUS, 9, 0x77), "killed by SIGBUS: a fault at address 0x77");
	CHECK_STR(words(SIGTERM, SI_USER, 7), "killed by SIGTERM from process 7");
	CHECK_STR(words(SIGABRT, SI_TKILL, 5), "killed by SIGABRT, which it sent itself");
	/* The number of the timer, the band, and the address of the call. */
	CHECK_STR(words(SIGRTMIN, SI_TIMER, 1), "killed by signal 34 of a timer");
	CHECK_STR(words(SIGIO, POLL_IN, 0x41), "killed by SIGPOLL");
	CHECK_STR(words(SIGSYS, 1, 0x77),
		  "killed by SIGSYS: seccomp forbids the system call");
	CHECK_STR(words(SIGKILL, SI_KERNEL, 0), "killed by SIGKILL");
}
