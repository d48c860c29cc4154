/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Check whether a machine can record branches. This has three parts: facts reads what the
 * machine tells about itself, try asks the kernel for events, and judge makes checks from
 * both. Only try must run on the machine that is checked.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "base/error.h"
#include "doctor/access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The extensions of a hart that matter for branch records, as bits of a set. */
enum doctor_ext {
	DOCTOR_SSCTR = 1 << 0,
	DOCTOR_SMCTR = 1 << 1,
	DOCTOR_SSCSRIND = 1 << 2,
	DOCTOR_SMCSRIND = 1 << 3,
	DOCTOR_SSCOFPMF = 1 << 4,
	DOCTOR_SMSTATEEN = 1 << 5,
	DOCTOR_NR_EXTS = 6,
};

/* Returns the name of a bit, as device trees write it. bit must be below DOCTOR_NR_EXTS. */
const char *doctor_ext_name(unsigned int bit);

/* An online CPU. On RISC-V, this is a hart. */
struct doctor_cpu {
	unsigned int cpu;
	uint64_t hart;
	unsigned int exts; /* a set of enum doctor_ext */
	/* What the module has found, if its state could be read. */
	unsigned int depth; /* 0: the CPU has no records */
	uint64_t writable; /* the bits of sctrctl that the hart has */
};

/* Returns whether the tables of the CPU, or the module, say that the CPU has records. */
static inline bool doctor_records(const struct doctor_cpu *cpu)
{
	return cpu->depth || cpu->exts & (DOCTOR_SSCTR | DOCTOR_SMCTR);
}

enum doctor_tables {
	/* no tables could be read; only /proc/cpuinfo is known */
	DOCTOR_NO_TABLES,
	DOCTOR_DEVICE_TREE,
	DOCTOR_ACPI,
};

enum { DOCTOR_PARANOID_UNKNOWN = -100 };

/* What /proc, /sys, /dev and /lib of a machine tell. */
struct doctor_facts {
	char arch[65]; /* the output of uname -m; empty if not known */
	char release[128]; /* the release of the kernel; empty if not known */
	struct doctor_cpu *cpus;
	size_t n_cpus, cap_cpus;
	enum doctor_tables tables;
	bool acpi; /* booted with ACPI; only root can read its tables */

	/* they are mounted; if not, nothing is known of what they would tell */
	bool has_proc, has_sys;
	bool has_pmu; /* there is a PMU with the name cpu */
	unsigned int max_depth; /* its caps/branches; 0 if there is none */
	int paranoid; /* perf_event_paranoid, or DOCTOR_PARANOID_UNKNOWN */
	int kptr_restrict; /* 0 if it is not known */
	enum doctor_rights rights;
	bool contained; /* in a PID namespace that does not have all tasks */
	char perf[256]; /* the path of the perf tool; empty if there is none */

	bool loaded; /* ssctr is loaded as a module, or built in */
	bool installed; /* modprobe would find ssctr for this kernel */
	bool other_build; /* the module that modprobe would find is not the one that is loaded */
	bool headers; /* ssctr could be built for this kernel */
	bool dkms; /* DKMS has the sources of ssctr */
	const char *signed_only; /* why the kernel loads only signed modules; NULL: it loads all */
	bool has_state; /* depth and writable of the CPUs are known */

	/*
	 * how the last attempt to load the module ended, as the log says: "branch records on"
	 * or "refused:" of the module, or why the kernel did not start it
	 */
	char said[256];
	enum doctor_attempt {
		DOCTOR_NOT_TRIED, /* as far as the log goes back */
		DOCTOR_LOADED,
		DOCTOR_REFUSED, /* by the module itself */
		DOCTOR_BAD_PARAMETER, /* by the kernel, as in the next case */
		DOCTOR_OTHER_KERNEL, /* the module was built for another one */
	} attempt;
	bool is_opensbi;
	/* the version of OpenSBI: major << 16 | minor; 0: not known */
	unsigned int sbi_version;
};

/*
 * Read the facts below the folder root. "" means this machine. What is missing or cannot
 * be read stays unknown. Returns 0, or ERROR_NOMEM with a text. Call doctor_facts_free()
 * in either case.
 */
int doctor_facts_read(struct doctor_facts *facts, const char *root,
		      struct error *error);
void doctor_facts_free(struct doctor_facts *facts);

/* One event, opened as perf does it. */
struct doctor_try {
	bool done; /* the other members are known */
	int error; /* the error of perf_event_open(); 0: no error */
	int ring_error; /* it opens, but its ring cannot be mapped; 0: no error */
	unsigned int samples; /* the samples that came while it ran */
	bool counts; /* it happened while it ran, says its counter */
	/* the most entries in the branch stack of a sample */
	unsigned int entries;
};

/* All members 0 means that nothing was tried. */
struct doctor_tries {
	struct doctor_try plain; /* cycles of this process, only user code */
	struct doctor_try branches; /* the same with a branch stack */
	struct doctor_try kernel; /* the same with the kernel's code */
	/* the same with everything that runs on a CPU */
	struct doctor_try system;
	/*
	 * If .plain counts nothing: the processes that have events open, such as "perf (process
	 * 123), perf (process 124)", as far as there is room. Only root sees those of others.
	 */
	char others[128];
};

/*
 * Ask the running kernel for these events, for at most four seconds each. Only for .plain
 * and .branches, this function waits for samples. After the call, the process stays on
 * one CPU. If any CPU records, this CPU does.
 */
void doctor_try(struct doctor_tries *tries, const struct doctor_facts *facts);

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_NO, /* it prevents the recording */
	/* it does not prevent the recording, but the user should know it */
	DOCTOR_NOTE,
	DOCTOR_UNKNOWN,
};

struct doctor_check {
	const char *name;
	enum doctor_status status;
	char text[512];
	const char *remedy; /* static text; NULL: there is nothing to do */
};

enum { DOCTOR_MAX_CHECKS = 16 };

struct doctor_verdict {
	bool usable; /* perf record -b gives branch stacks of user code */
	unsigned int n_checks;
	struct doctor_check checks[DOCTOR_MAX_CHECKS];
};

/* Make the checks. Tries that were not done are inferred from the facts. */
void doctor_judge(const struct doctor_facts *facts,
		  const struct doctor_tries *tries,
		  struct doctor_verdict *verdict);

#endif
