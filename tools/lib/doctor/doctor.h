/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a machine can record branches, in three rooms: facts reads what it says of
 * itself, try asks the kernel for events, judge makes checks of both. Only try needs
 * the machine that is judged to be the one that it runs on.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Extensions of a hart that branch records have to do with, as bits of a set. */
enum doctor_ext {
	DOCTOR_SSCTR = 1 << 0,
	DOCTOR_SMCTR = 1 << 1,
	DOCTOR_SSCSRIND = 1 << 2,
	DOCTOR_SMCSRIND = 1 << 3,
	DOCTOR_SSCOFPMF = 1 << 4,
	DOCTOR_SMSTATEEN = 1 << 5,
	DOCTOR_NR_EXTS = 6,
};

/* The name of a bit below DOCTOR_NR_EXTS, as device trees write it. */
const char *doctor_ext_name(unsigned int bit);

/* An online CPU, which is a hart on RISC-V. */
struct doctor_cpu {
	unsigned int cpu;
	uint64_t hart;
	unsigned int exts; /* set of enum doctor_ext */
	/* What the module found, if its state could be read. */
	unsigned int depth; /* 0: no records */
	uint64_t writable; /* the bits of sctrctl that the hart has */
};

/* Does its table, or the module, say that this CPU records? */
static inline bool doctor_records(const struct doctor_cpu *cpu)
{
	return cpu->depth || cpu->exts & (DOCTOR_SSCTR | DOCTOR_SMCTR);
}

enum doctor_tables {
	DOCTOR_NO_TABLES, /* none was readable: what /proc/cpuinfo has is all */
	DOCTOR_DEVICE_TREE,
	DOCTOR_ACPI,
};

enum { DOCTOR_PARANOID_UNKNOWN = -100 };

/* What a machine's /proc, /sys, /dev and /lib say. */
struct doctor_facts {
	char arch[32]; /* as uname -m, empty if unknown */
	char release[128]; /* the kernel's, empty if unknown */
	struct doctor_cpu *cpus;
	size_t n_cpus, cap_cpus;
	enum doctor_tables tables;
	bool acpi; /* booted by ACPI; its tables are root's to read */

	bool has_pmu; /* a PMU named cpu */
	unsigned int max_depth; /* its caps/branches, 0 if there is none */
	int paranoid; /* perf_event_paranoid or DOCTOR_PARANOID_UNKNOWN */
	bool privileged; /* CAP_PERFMON or CAP_SYS_ADMIN */
	char perf[256]; /* the perf tool's path, empty if there is none */

	bool loaded; /* ssctr, as a module or built in */
	bool installed; /* modprobe would find it for this kernel */
	bool headers; /* it could be built for this kernel */
	bool has_state; /* .depth and .writable of the CPUs are known */

	char said[256]; /* the module's last "branch records on" or "refused:" */
	bool is_opensbi;
	unsigned int sbi_version; /* of OpenSBI: major << 16 | minor; 0 unknown */
};

/*
 * Read them below the folder root, "" for this machine. What is missing or cannot
 * be read is left unknown. Returns 0, or ERROR_NOMEM with a text; doctor_facts_free()
 * in either case.
 */
int doctor_facts_read(struct doctor_facts *facts, const char *root,
		      struct error *error);
void doctor_facts_free(struct doctor_facts *facts);

/* One event, opened as perf does. */
struct doctor_try {
	bool done; /* the rest is known */
	int error; /* of perf_event_open(), 0 if it opened */
	unsigned int samples; /* that came while it ran */
	unsigned int entries; /* the most that a sample's branch stack had */
};

/* All 0: nothing was tried. */
struct doctor_tries {
	struct doctor_try plain; /* cycles of this process, user code */
	struct doctor_try branches; /* the same with a branch stack */
	struct doctor_try kernel; /* and with the kernel's code */
	struct doctor_try system; /* and all that runs on a CPU */
};

/*
 * Ask the running kernel, for four seconds each at the most. Samples are waited for in
 * .plain and .branches alone. The process then stays on one CPU, which records if any
 * does.
 */
void doctor_try(struct doctor_tries *tries, const struct doctor_facts *facts);

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_NO, /* stands in the way */
	DOCTOR_NOTE, /* does not, but is to be known */
	DOCTOR_UNKNOWN,
};

struct doctor_check {
	const char *name;
	enum doctor_status status;
	char text[512];
	const char *remedy; /* static; NULL if there is nothing to do */
};

enum { DOCTOR_MAX_CHECKS = 16 };

struct doctor_verdict {
	bool usable; /* perf record -b gives branch stacks of user code */
	unsigned int n_checks;
	struct doctor_check checks[DOCTOR_MAX_CHECKS];
};

/* Tries that were not done are inferred from the facts. */
void doctor_judge(const struct doctor_facts *facts,
		  const struct doctor_tries *tries,
		  struct doctor_verdict *verdict);

#endif
