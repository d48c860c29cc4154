// SPDX-License-Identifier: GPL-2.0-only
/* Checks: what stands in the way of branch records, and what to do about it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctr_regs.h"
#include "doctor.h"

struct room {
	const struct doctor_facts *facts;
	const struct doctor_tries *tries;
	struct doctor_verdict *verdict;
};

__attribute__((format(printf, 5, 6))) static struct doctor_check *
add(struct room *room, const char *name, enum doctor_status status,
    const char *remedy, const char *fmt, ...)
{
	struct doctor_check *check =
		&room->verdict->checks[room->verdict->n_checks++];
	va_list ap;

	check->name = name;
	check->status = status;
	check->remedy = remedy;
	va_start(ap, fmt);
	vsnprintf(check->text, sizeof(check->text), fmt, ap);
	va_end(ap);
	return check;
}

/* Text that grows; what does not fit is left out. */
struct line {
	char text[400];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line,
						      const char *fmt, ...)
{
	size_t room = sizeof(line->text) - line->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line->text + line->len, room, fmt, ap);
	va_end(ap);
	line->len += (size_t)n < room ? (size_t)n : room - 1;
}

/* -------------------------------------------------------------------- the CPUs */

bool doctor_records(const struct doctor_cpu *cpu)
{
	return cpu->depth || cpu->exts & (EXT_SSCTR | EXT_SMCTR);
}

typedef unsigned int (*cpu_kind_t)(const struct doctor_cpu *cpu);

static unsigned int kind_exts(const struct doctor_cpu *cpu)
{
	return cpu->exts;
}

static unsigned int kind_records(const struct doctor_cpu *cpu)
{
	return doctor_records(cpu);
}

static unsigned int kind_depth(const struct doctor_cpu *cpu)
{
	return cpu->depth;
}

/* "CPUs 0-2,5" of those whose kind is this one, which are few runs of numbers. */
static void put_cpus(struct line *line, const struct doctor_facts *facts,
		     cpu_kind_t kind_of, unsigned int kind)
{
	size_t i, n = 0, last;
	const char *sep = "";

	for (i = 0; i < facts->n_cpus; i++)
		n += kind_of(&facts->cpus[i]) == kind;
	put(line, n == 1 ? "CPU " : "CPUs ");
	for (i = 0; i < facts->n_cpus; i = last + 1) {
		last = i;
		if (kind_of(&facts->cpus[i]) != kind)
			continue;
		while (last + 1 < facts->n_cpus &&
		       facts->cpus[last + 1].cpu == facts->cpus[last].cpu + 1 &&
		       kind_of(&facts->cpus[last + 1]) == kind)
			last++;
		put(line, last > i ? "%s%u-%u" : "%s%u", sep,
		    facts->cpus[i].cpu, facts->cpus[last].cpu);
		sep = ",";
	}
}

/* Is there no CPU of this kind before i? */
static bool first_of_kind(const struct doctor_facts *facts, cpu_kind_t kind_of,
			  size_t i)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (kind_of(&facts->cpus[j]) == kind_of(&facts->cpus[i]))
			return false;
	return true;
}

static void put_exts(struct line *line, const struct doctor_facts *facts)
{
	size_t i;
	unsigned int bit;

	for (i = 0; i < facts->n_cpus; i++) {
		unsigned int exts = facts->cpus[i].exts;

		if (!first_of_kind(facts, kind_exts, i))
			continue;
		put(line, i ? "; " : "");
		put_cpus(line, facts, kind_exts, exts);
		put(line, ":");
		for (bit = 0; bit < N_EXTS; bit++)
			if (exts >> bit & 1)
				put(line, " %s", doctor_ext_name(bit));
		put(line, exts ? "" : " none that records need");
	}
}

/* Do all, or does any, of the CPUs that record have one of these extensions? */
static bool any_has(const struct doctor_facts *facts, unsigned int exts)
{
	size_t i;

	for (i = 0; i < facts->n_cpus; i++)
		if (kind_records(&facts->cpus[i]) && facts->cpus[i].exts & exts)
			return true;
	return false;
}

static size_t n_recording(const struct doctor_facts *facts)
{
	size_t i, n = 0;

	for (i = 0; i < facts->n_cpus; i++)
		n += kind_records(&facts->cpus[i]);
	return n;
}

/* ---------------------------------------------------------------- the machine */

static bool is_rv64(const struct doctor_facts *facts)
{
	return !strcmp(facts->arch, "riscv64");
}

static void check_machine(struct room *room)
{
	const char *arch = room->facts->arch;

	if (is_rv64(room->facts))
		add(room, "machine", DOCTOR_OK, NULL, "%s", arch);
	else if (*arch)
		add(room, "machine", DOCTOR_NO,
		    "record on a RISC-V machine; its recordings are read anywhere",
		    "%s: ssctr records on RV64 alone", arch);
	else
		add(room, "machine", DOCTOR_NO,
		    "take a kernel from 6.12 on, with /proc mounted",
		    "/proc does not say what it is");
}

#define NEEDS_HARTS                                                            \
	"take harts with Ssctr and Sscsrind; in QEMU 11.1.3 or newer: -cpu rv64,smctr=on,ssctr=on,smcsrind=on,sscsrind=on,sscofpmf=on"

static void check_harts(struct room *room)
{
	static const char *const sources[] = {
		[TABLES_NONE] = "/proc/cpuinfo",
		[TABLES_DEVICE_TREE] = "the device tree",
		[TABLES_ACPI] = "ACPI's tables",
	};
	const struct doctor_facts *facts = room->facts;
	const char *source = sources[facts->tables];
	struct line line = { .len = 0 };

	put_exts(&line, facts);
	if (!n_recording(facts) && facts->tables == TABLES_NONE) {
		add(room, "harts", DOCTOR_UNKNOWN,
		    facts->acpi ? "run ssctr doctor as root, or load the module, which tries" :
				  "load the module, which tries",
		    "%s names no Ssctr, and %s", source,
		    facts->acpi ? "ACPI's tables are root's to read" :
				  "there are no tables to read");
	} else if (!n_recording(facts)) {
		add(room, "harts", DOCTOR_NO, NEEDS_HARTS,
		    "no hart has Ssctr: neither ssctr nor smctr is in %s (%s)",
		    source, line.text);
	} else if (!facts->max_depth && facts->tables != TABLES_NONE &&
		   !any_has(facts, EXT_SSCSRIND | EXT_SMCSRIND)) {
		add(room, "harts", DOCTOR_NO, NEEDS_HARTS,
		    "no Sscsrind, by which records are read (%s)", line.text);
	} else if (n_recording(facts) < facts->n_cpus) {
		put(&line, "; tasks have empty stacks on ");
		put_cpus(&line, facts, kind_records, 0);
		put(&line, ", -a and -C are refused there");
		add(room, "harts", DOCTOR_NOTE, NULL, "%s", line.text);
	} else {
		add(room, "harts", DOCTOR_OK, NULL, "%s", line.text);
	}
}

#define NEEDS_FIRMWARE "take firmware that sets mstateen0.CTR: OpenSBI 1.9 does"

static void check_firmware(struct room *room)
{
	enum { OPENSBI_1_6 = 0x10006, OPENSBI_1_9 = 0x10009 };
	const struct doctor_facts *facts = room->facts;
	unsigned int version = facts->is_opensbi ? facts->sbi_version : 0;
	unsigned int major = version >> 16, minor = version & 0xffff;

	if (facts->max_depth)
		add(room, "firmware", DOCTOR_OK, NULL,
		    "grants access to the records");
	else if (strstr(facts->said, "firmware does not grant"))
		add(room, "firmware", DOCTOR_NO, NEEDS_FIRMWARE,
		    "does not grant access to the records (mstateen0.CTR)");
	else if (!n_recording(facts))
		add(room, "firmware", DOCTOR_UNKNOWN, NULL,
		    "not known without a hart that has records");
	else if (!any_has(facts, EXT_SMSTATEEN))
		add(room, "firmware", DOCTOR_OK, NULL,
		    "has nothing to grant: the harts have no Smstateen");
	else if (version >= OPENSBI_1_9)
		add(room, "firmware", DOCTOR_OK, NULL,
		    "OpenSBI %u.%u grants access to the records", major, minor);
	else if (version && version <= OPENSBI_1_6)
		add(room, "firmware", DOCTOR_NO, NEEDS_FIRMWARE,
		    "OpenSBI %u.%u does not grant access to the records (mstateen0.CTR)",
		    major, minor);
	else
		add(room, "firmware", DOCTOR_UNKNOWN,
		    "load the module: the kernel's log then says",
		    "not known before the module is loaded");
}

/* ------------------------------------------------------------------ the kernel */

static void check_kernel(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	unsigned int major, minor;

	if (sscanf(facts->release, "%u.%u", &major, &minor) != 2)
		add(room, "kernel", DOCTOR_UNKNOWN, NULL,
		    "it does not tell its release");
	else if ((major == 6 && minor == 12) || major == 7 || !is_rv64(facts))
		add(room, "kernel", DOCTOR_OK, NULL, "%s", facts->release);
	else
		add(room, "kernel", DOCTOR_NOTE, NULL,
		    "%s: the module is tested with 6.12 and 7.x",
		    facts->release);
}

static void check_pmu(struct room *room)
{
	if (room->facts->has_pmu)
		add(room, "pmu", DOCTOR_OK, NULL,
		    "the kernel has a PMU named cpu");
	else
		add(room, "pmu", DOCTOR_NO,
		    "take firmware with the SBI PMU extension, and a kernel with CONFIG_RISCV_PMU_SBI",
		    "the kernel has no PMU named cpu");
}

static bool is_denied(int error)
{
	return error == EACCES || error == EPERM;
}

#define NEEDS_OVERFLOW "take harts with Sscofpmf, which their firmware passes on"

static void check_overflow(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	const struct doctor_try *try = &room->tries->plain;
	bool has = false;
	size_t i;

	for (i = 0; i < facts->n_cpus; i++)
		has |= facts->cpus[i].exts & EXT_SSCOFPMF;
	if (try->done && !try->error && try->samples)
		add(room, "overflow", DOCTOR_OK, NULL,
		    "counters interrupt, samples come");
	else if (try->done && !try->error)
		add(room, "overflow", DOCTOR_NO,
		    "QEMU takes samples from 11.1.3 on; elsewhere look at /proc/interrupts for riscv-pmu",
		    "the event opens, but its counter never interrupts");
	else if (try->done && !is_denied(try->error) && facts->has_pmu)
		add(room, "overflow", DOCTOR_NO, NEEDS_OVERFLOW,
		    "nothing can be sampled: cycles are refused (%s)%s",
		    strerror(try->error),
		    has ? "" : ", no hart has Sscofpmf");
	else if (has)
		add(room, "overflow", DOCTOR_OK, NULL,
		    "the harts have Sscofpmf");
	else if (facts->n_cpus)
		add(room, "overflow", DOCTOR_NO, NEEDS_OVERFLOW,
		    "no hart has a counter-overflow interrupt (Sscofpmf)");
	else
		add(room, "overflow", DOCTOR_UNKNOWN, NULL, "not known");
}

/* ------------------------------------------------------------------ the module */

static void check_module(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	bool refused = !strncmp(facts->said, "refused: ", 9);
	const char *remedy;

	if (facts->loaded) {
		add(room, "module", DOCTOR_OK, NULL, "loaded%s%s",
		    *facts->said && !refused ? ": " : "",
		    refused ? "" : facts->said);
		return;
	}
	if (refused)
		remedy = "remove the reason, then: modprobe ssctr";
	else if (facts->installed)
		remedy = "modprobe ssctr";
	else if (facts->headers)
		remedy = "install the package ssctr-dkms, or in ssctr's sources: make -C /lib/modules/$(uname -r)/build M=$PWD/driver modules && insmod driver/ssctr.ko";
	else
		remedy = "install linux-headers-$(uname -r) and ssctr-dkms";
	add(room, "module", DOCTOR_NO, remedy, "not loaded%s%s%s",
	    facts->installed ? "" : ", nor installed for this kernel",
	    refused ? "; it " : "", refused ? facts->said : "");
}

static void check_depth(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	struct line line = { .len = 0 };
	size_t i;

	if (!facts->max_depth) {
		add(room, "depth", DOCTOR_UNKNOWN, NULL,
		    "not known before the module is loaded");
		return;
	}
	for (i = 0; facts->has_state && i < facts->n_cpus; i++) {
		unsigned int depth = facts->cpus[i].depth;

		if (!first_of_kind(facts, kind_depth, i))
			continue;
		put(&line, line.len ? ", " : "");
		put(&line, depth ? "%u records on " : "none on ", depth);
		put_cpus(&line, facts, kind_depth, depth);
	}
	if (!facts->has_state)
		put(&line, "at most %u records", facts->max_depth);
	add(room, "depth", DOCTOR_OK, NULL, "%s", line.text);
}

static const struct {
	uint64_t bit;
	const char *name;
} filters[] = {
	{ CTR_CTL_TKBRINH, "conditional branches" },
	{ CTR_CTL_DIRCALLINH, "direct calls" },
	{ CTR_CTL_INDCALLINH, "indirect calls" },
	{ CTR_CTL_RETINH, "returns" },
	{ CTR_CTL_DIRJMPINH, "direct jumps" },
	{ CTR_CTL_INDJMPINH, "indirect jumps" },
	{ CTR_CTL_DIRLJMPINH, "direct jumps with linkage" },
	{ CTR_CTL_INDLJMPINH, "indirect jumps with linkage" },
	{ CTR_CTL_CORSWAPINH, "co-routine swaps" },
	{ CTR_CTL_EXCINH, "exceptions" },
	{ CTR_CTL_INTRINH, "interrupts" },
	{ CTR_CTL_TRETINH, "trap returns" },
};

enum { N_FILTERS = sizeof(filters) / sizeof(filters[0]) };

static void check_filters(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	struct line line = { .len = 0 };
	uint64_t all = UINT64_MAX;
	bool stacks;
	size_t i;

	if (!facts->has_state) {
		add(room, "filters", DOCTOR_UNKNOWN,
		    facts->loaded ? "run ssctr doctor as root, with debugfs mounted" :
				    NULL,
		    facts->loaded ? "/sys/kernel/debug/ssctr/state cannot be read" :
				    "not known before the module is loaded");
		return;
	}
	for (i = 0; i < facts->n_cpus; i++)
		if (facts->cpus[i].depth)
			all &= facts->cpus[i].writable;
	for (i = 0; i < N_FILTERS; i++) {
		if (all & filters[i].bit)
			continue;
		put(&line, "%s%s", line.len ? ", " : " but ", filters[i].name);
	}
	stacks = all & CTR_CTL_RASEMU;
	add(room, "filters", stacks ? DOCTOR_OK : DOCTOR_NOTE, NULL,
	    "the harts filter every kind%s%s; %s", line.text,
	    line.len ? ", which the module does" : "",
	    stacks ? "call stacks by --call-graph lbr" :
		     "no call stacks (--call-graph lbr), they have no RASEMU");
}

/* --------------------------------------------------------------- perf's answer */

static void check_access(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	int level = facts->paranoid;

	if (level == PARANOID_UNKNOWN)
		add(room, "access", DOCTOR_NO,
		    "take a kernel with CONFIG_PERF_EVENTS",
		    "the kernel has no perf events (no perf_event_paranoid)");
	else if (facts->privileged)
		add(room, "access", DOCTOR_OK, NULL,
		    "all, by privilege; perf_event_paranoid is %d for others",
		    level);
	else if (level > 2)
		add(room, "access", DOCTOR_NO,
		    "run as root, or: sysctl kernel.perf_event_paranoid=2 (1: the kernel's code too, 0: whole CPUs)",
		    "perf_event_paranoid is %d: root alone may use perf", level);
	else
		add(room, "access", DOCTOR_OK, NULL,
		    "perf_event_paranoid is %d: your programs' %s", level,
		    level == 2 ? "user code" :
		    level == 1 ? "user code and the kernel's" :
				 "code, the kernel's and whole CPUs");
}

static void check_perf(struct room *room)
{
	const char *perf = room->facts->perf;

	if (*perf)
		add(room, "perf", DOCTOR_OK, NULL, "%s", perf);
	else
		add(room, "perf", DOCTOR_NOTE, "record with ssctr record, or install linux-perf",
		    "there is no perf tool");
}

/* The first check that stands in the way, or the one that this error is about. */
static const char *cause(const struct room *room, int error)
{
	const struct doctor_verdict *verdict = room->verdict;
	unsigned int i;

	if (is_denied(error))
		return "access";
	for (i = 0; i < verdict->n_checks; i++)
		if (verdict->checks[i].status == DOCTOR_NO)
			return verdict->checks[i].name;
	return NULL;
}

/* What the kernel of a machine that is not asked would say: 0 or an error. */
static int infer(const struct room *room)
{
	const struct doctor_facts *facts = room->facts;

	if (facts->paranoid == PARANOID_UNKNOWN)
		return ENOSYS;
	if (facts->paranoid > 2 && !facts->privileged)
		return EACCES;
	if (!facts->has_pmu)
		return ENOENT;
	return facts->max_depth ? 0 : EOPNOTSUPP;
}

/* In perf's words, which has no others where there is no event cycles. */
static const char *refusal(int error)
{
	switch (error) {
	case EOPNOTSUPP:
	case ENOENT:
		return "\"PMU Hardware or event type doesn't support branch stack sampling\"";
	case EACCES:
	case EPERM:
		return "\"Access to performance monitoring and observability operations is limited\"";
	}
	return strerror(error);
}

/* What may be recorded beside one's own programs. */
static void put_scope(struct line *line, const struct room *room)
{
	const struct doctor_tries *tries = room->tries;
	const struct doctor_facts *facts = room->facts;
	bool part = n_recording(facts) && n_recording(facts) < facts->n_cpus;
	bool kernel = facts->privileged || facts->paranoid < 2;
	bool whole = facts->privileged || facts->paranoid < 1;

	if (tries->kernel.done)
		kernel = !tries->kernel.error;
	if (tries->system.done)
		whole = !tries->system.error;
	put(line, "user code%s%s%s", kernel ? ", the kernel's code (-e cycles:k)" : "",
	    whole ? ", whole CPUs (-C)" : "",
	    whole && !part ? ", the system (-a)" : "");
}

static void check_record(struct room *room)
{
	const struct doctor_try *try = &room->tries->branches;
	int error = try->done ? try->error : infer(room);
	const char *why = cause(room, error);
	struct line line = { .len = 0 };

	if (!is_rv64(room->facts))
		add(room, "record", DOCTOR_NO, NULL,
		    "what perf record -b says here has nothing to do with ssctr");
	else if (error)
		add(room, "record", DOCTOR_NO, NULL,
		    "perf record -b is refused: %s%s%s", refusal(error),
		    why ? "; see " : "", why ? why : "");
	else if (try->done && !try->samples)
		add(room, "record", DOCTOR_NO, NULL,
		    "perf record -b starts, but no sample comes%s%s",
		    why ? "; see " : "", why ? why : "");
	else if (try->done && !try->entries)
		add(room, "record", DOCTOR_NO, NULL,
		    "perf record -b takes samples, but their stacks are empty");
	else {
		put_scope(&line, room);
		add(room, "record", DOCTOR_OK, NULL, "perf record -b records %s",
		    line.text);
		room->verdict->usable = true;
	}
}

void doctor_judge(const struct doctor_facts *facts,
		  const struct doctor_tries *tries,
		  struct doctor_verdict *verdict)
{
	struct room room = { facts, tries, verdict };

	verdict->n_checks = 0;
	verdict->usable = false;
	check_machine(&room);
	if (is_rv64(facts)) {
		check_harts(&room);
		check_firmware(&room);
	}
	check_kernel(&room);
	if (is_rv64(facts)) {
		check_pmu(&room);
		check_overflow(&room);
		check_module(&room);
		check_depth(&room);
		check_filters(&room);
	}
	check_access(&room);
	check_perf(&room);
	check_record(&room);
}
