// SPDX-License-Identifier: GPL-2.0-only
#include "last/words.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

bool last_has_points(const struct pd_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       attr->name && !strcmp(attr->name, LAST_EVENT);
}

bool last_read(struct last_point *point, const struct pd_event *ev)
{
	if (!ev->attr || !last_has_points(ev->attr) || ev->type != PERF_RECORD_SAMPLE ||
	    ev->sample.raw_size < sizeof(*point))
		return false;
	memcpy(point, ev->sample.raw, sizeof(*point));
	return point->kind && point->kind <= LAST_RETURN;
}

/* The kernel's errors are -1 to -4095. A damaged recording may hold any other number. */
static int error_number(int64_t value)
{
	return value < 0 && value > -4096 ? -value : 0;
}

static const char *error_name(int64_t value, char *text, size_t size)
{
	const int error = error_number(value);
	const char *name = error ? strerrorname_np(error) : NULL;

	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%" PRId64, value);
	return text;
}

static const char *syscall_name(int number, char *text, size_t size)
{
	const char *name = last_syscall_name(number);

	if (name)
		return name;
	snprintf(text, size, "%d", number);
	return text;
}

static const char *signal_name(int number, char *text, size_t size)
{
	const char *name = sigabbrev_np(number);

	if (name)
		snprintf(text, size, "SIG%s", name);
	else
		snprintf(text, size, "signal %d", number);
	return text;
}

/* Of the signals for faults, what the code in siginfo says. */
static const struct {
	int number, code;
	const char *what; /* before the address */
} codes[] = {
	{ SIGSEGV, SEGV_MAPERR, "nothing is mapped at" },
	{ SIGSEGV, SEGV_ACCERR, "the access is not allowed at" },
	{ SIGBUS, BUS_ADRALN, "a misaligned access at" },
	{ SIGBUS, BUS_ADRERR, "there is no memory at" },
	{ SIGILL, ILL_ILLOPC, "an illegal instruction at" },
	{ SIGILL, ILL_ILLTRP, "an illegal trap at" },
	{ SIGTRAP, TRAP_BRKPT, "a breakpoint at" },
	{ SIGFPE, FPE_INTDIV, "a division by 0 at" },
};

#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1 /* of Linux's siginfo.h, which C libraries need not repeat */
#endif

/* The kernel puts an address beside these. Others have other codes, and no address. */
static bool is_fault(const struct last_point *point)
{
	switch (point->number) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
		return point->value > 0 && point->value < SI_KERNEL;
	}
	return false;
}

static const char *fault_words(const struct last_point *point)
{
	unsigned int i;

	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].number == point->number && codes[i].code == point->value)
			return codes[i].what;
	return "a fault at";
}

/* Only these tell the process that sent them. A timer has its own number there. */
static bool has_sender(const struct last_point *point)
{
	return point->addr && (point->value == SI_USER || point->value == SI_TKILL ||
			       point->value == SI_QUEUE || point->value == SI_MESGQ);
}

static void signal_words(const struct last_point *point, uint32_t pid, char *text, size_t size)
{
	char name[32];

	signal_name(point->number, name, sizeof(name));
	if (is_fault(point))
		snprintf(text, size, "killed by %s: %s address 0x%" PRIx64, name,
			 fault_words(point), point->addr);
	else if (has_sender(point) && point->addr == pid)
		snprintf(text, size, "killed by %s, which it sent itself", name);
	else if (has_sender(point))
		snprintf(text, size, "killed by %s from process %" PRIu64, name, point->addr);
	else if (point->value == SI_TIMER)
		snprintf(text, size, "killed by %s of a timer", name);
	else if (point->number == SIGSYS && point->value == SYS_SECCOMP)
		snprintf(text, size, "killed by %s: seccomp forbids the system call", name);
	else
		snprintf(text, size, "killed by %s", name);
}

static void syscall_words(const struct last_point *point, char *text, size_t size)
{
	char call[32], error[32];
	int written;

	written = snprintf(text, size, "the system call %s failed with %s",
			   syscall_name(point->number, call, sizeof(call)),
			   error_name(point->value, error, sizeof(error)));
	if (error_number(point->value) && written > 0 && (size_t)written < size)
		snprintf(text + written, size - written, " (%s)",
			 strerror(error_number(point->value)));
}

const char *last_words(const struct last_point *point, uint32_t pid, char *text, size_t size)
{
	switch (point->kind) {
	case LAST_SIGNAL:
		signal_words(point, pid, text, size);
		break;
	case LAST_EXIT:
		snprintf(text, size, "exited with status %d", point->number);
		break;
	case LAST_SYSCALL:
		syscall_words(point, text, size);
		break;
	case LAST_ENTRY:
		snprintf(text, size, "was called");
		break;
	default:
		snprintf(text, size, "returned %" PRId64, point->value);
	}
	return text;
}

const char *last_short(const struct last_point *point, char *text, size_t size)
{
	switch (point->kind) {
	case LAST_SIGNAL:
		return signal_name(point->number, text, size);
	case LAST_EXIT:
		snprintf(text, size, "exit %d", point->number);
		return text;
	case LAST_ENTRY:
		snprintf(text, size, "entered");
		return text;
	case LAST_SYSCALL:
		return error_name(point->value, text, size);
	case LAST_OOPS:
		return "oops";
	case LAST_PANIC:
		return "panic";
	default:
		snprintf(text, size, "returned %" PRId64, point->value);
		return text;
	}
}

/* scause: interrupts have the highest bit. */
enum { ECALL_FROM_USER = 8 };

bool last_is_after_ecall(const struct last_point *point)
{
	/* The second is what the kernel leaves where it has seen to the call's result. */
	return point->cause == ECALL_FROM_USER || point->cause == UINT64_MAX;
}

bool last_is_at_ip(const struct last_point *point)
{
	return (point->kind == LAST_ENTRY && !point->kernel_ip) ||
	       (point->kind == LAST_SIGNAL && point->value > 0 && !(point->cause >> 63) &&
		!last_is_after_ecall(point));
}
