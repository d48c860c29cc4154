// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/refused.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int rings_refused(const struct rcd_opts *opts, int code,
			 struct error *error)
{
	char online[256];

	switch (code) {
	case EPERM:
		return error_set(
			error, ERROR_INPUT,
			"-m %u: more pages than kernel.perf_event_mlock_kb allows; use fewer pages, or record as root",
			rcd_pages(opts));
	case ENODEV:
		file_line(online, sizeof(online), "/sys/devices/system/cpu/online");
		return error_set(
			error, ERROR_INPUT,
			"-C %s: each of these CPUs has to be online, and to be named once; online are: %s",
			opts->cpus ? opts->cpus : "", online);
	case ENOMEM:
		return error_set(
			error, ERROR_INPUT,
			"-m %u: not enough memory for ring buffers with so many pages; use fewer pages",
			rcd_pages(opts));
	default:
		return error_set(error, ERROR_INPUT,
				 "the ring buffers cannot be mapped: %s",
				 strerror(code));
	}
}

/* The kernel demands the same right for its branches, also if the event is of user code. */
static bool has_kernel_branches(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       attr->branch_sample_type & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV);
}

int rcd_not_allowed(const struct rcd_opts *opts, const struct rcd_event *e,
		    int level, enum doctor_rights rights, struct error *error)
{
	const bool privileged = rights == DOCTOR_RIGHTS_ALL;
	const enum doctor_access may = privileged ? DOCTOR_ACCESS_CPUS :
						    doctor_access(level);
	const char *why;

	if (may == DOCTOR_ACCESS_NOTHING)
		why = "only root can use perf; " DOCTOR_ACCESS_REMEDY;
	else if (rcd_is_of_cpus(opts) && may < DOCTOR_ACCESS_CPUS)
		why = "only root can record whole CPUs (-a, -C); record as root, or record your own processes";
	else if (!e->attr.exclude_kernel && may < DOCTOR_ACCESS_KERNEL)
		why = "only root can record the kernel's code; record as root, or record user code (cycles:u)";
	else if (has_kernel_branches(&e->attr) && may < DOCTOR_ACCESS_KERNEL)
		why = "only root can record the kernel's branches; record as root, or remove k and hv from the filter (-j)";
	else if (!privileged && (opts->pids.nr || opts->tids.nr))
		why = "this setting is not the reason; record as root, or record your own processes";
	else
		why = "this setting is not the reason; " DOCTOR_ACCESS_OTHER
		      ": " DOCTOR_ACCESS_OTHER_REMEDY;
	return error_set(
		error, ERROR_INPUT,
		"%s: not allowed; kernel.perf_event_paranoid is %d: %s%s",
		e->name, level, why,
		rights == DOCTOR_RIGHTS_CONTAINED ? DOCTOR_ACCESS_CONTAINED : "");
}

static int denied(const struct rcd_opts *opts, const struct rcd_event *e,
		  struct error *error)
{
	char level[16], status[4096], uid_map[256];

	file_line(level, sizeof(level), "/proc/sys/kernel/perf_event_paranoid");
	file_read(status, sizeof(status), "/proc/self/status");
	file_read(uid_map, sizeof(uid_map), "/proc/self/uid_map");
	return rcd_not_allowed(opts, e, atoi(level),
			       doctor_rights(status, uid_map, atoi(level)), error);
}

int rcd_refused(const struct rcd_opts *opts, const struct rcd_event *e,
		int code, struct error *error)
{
	const bool stack = e && e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
	const char *why = strerror(code);

	if (!e)
		return rings_refused(opts, code, error);
	switch (code) {
	case EACCES:
	case EPERM:
		return denied(opts, e, error);
	case EMFILE:
		return error_set(
			error, ERROR_INPUT,
			"too many open files: record fewer threads, or raise `ulimit -n`");
	case ESRCH:
		return error_set(error, ERROR_INPUT,
				 "the process or thread to record has ended");
	case EOPNOTSUPP:
		/* The plan asks for it where no event of a hart is. */
		if (stack && !rcd_is_hardware(e))
			return error_set(error, ERROR_INPUT,
					 "%s: this event has no branch stacks; record it beside one that a hart counts, as in -e cycles:u,%s",
					 e->name, e->name);
		/* The kernel does not say on which. */
		if (stack && rcd_is_of_cpus(opts))
			why = "this machine, or one of the CPUs, does not record branches for this event, or not with this filter (-j); `ssctr doctor` tells why, and in its line `harts` on which";
		else if (stack)
			why = "this machine does not record branches for this event, or not with this filter (-j); `ssctr doctor` tells why";
		break;
	case ENOENT:
	case ENODEV:
		why = "this machine has no such event; `ssctr doctor` tells what it has";
		break;
	case EINVAL:
		why = stack ? "the kernel refuses this event, or its filter (-j); `ssctr doctor` tells what the machine can do" :
			      "the kernel refuses this event; `ssctr doctor` tells what the machine can do";
		break;
	}
	return error_set(error, ERROR_INPUT, "%s: %s", e->name, why);
}
