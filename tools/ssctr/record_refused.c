// SPDX-License-Identifier: GPL-2.0-only
/* ssctr record: why the kernel does not open an event, and what helps. */
#include "record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int paranoia(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	if (!f || fscanf(f, "%d", &level) != 1)
		level = 0;
	if (f)
		fclose(f);
	return level;
}

static int rings_refused(const struct record_plan *plan, int error)
{
	switch (error) {
	case EPERM:
		return cmd_error(
			plan->cmd,
			"rings of %u pages are more than kernel.perf_event_mlock_kb allows; take smaller ones (-m), or record as root",
			plan->pages);
	case ENODEV:
		return cmd_error(plan->cmd, "no hart of -C %s is online",
				 plan->cpus ? plan->cpus : "");
	case ENOMEM:
		return cmd_error(
			plan->cmd,
			"there is no memory for rings of %u pages; take smaller ones (-m)",
			plan->pages);
	default:
		return cmd_error(plan->cmd, "the rings cannot be mapped: %s",
				 strerror(error));
	}
}

int record_refused(const struct record_plan *plan, const struct rcd_event *e,
		   int error)
{
	const bool stack = e && e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;

	if (!e)
		return rings_refused(plan, error);
	switch (error) {
	case EOPNOTSUPP:
		if (stack)
			return cmd_error(
				plan->cmd,
				"%s: this machine records no branches for it, or not with this filter; `ssctr doctor` tells why",
				e->name);
		break;
	case EACCES:
	case EPERM:
		return cmd_error(
			plan->cmd,
			"%s: not allowed (kernel.perf_event_paranoid is %d): record your own processes and user code (-e cycles:u), or as root",
			e->name, paranoia());
	case ENOENT:
	case ENODEV:
		return cmd_error(
			plan->cmd,
			"%s: this machine has no such event; `ssctr doctor` tells what it has",
			e->name);
	case EINVAL:
		return cmd_error(
			plan->cmd,
			"%s: the kernel refuses it%s; `ssctr doctor` tells what it can do",
			e->name, stack ? ", or its filter (-j)" : "");
	case EMFILE:
		return cmd_error(
			plan->cmd,
			"too many open files: follow fewer threads, or raise `ulimit -n`");
	case ESRCH:
		return cmd_error(plan->cmd,
				 "what was to be recorded has ended");
	}
	return cmd_error(plan->cmd, "%s: %s", e->name, strerror(error));
}
