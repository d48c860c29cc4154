// SPDX-License-Identifier: GPL-2.0-only
/* Checks: what stands in the way of branch records, and what to do about it. */
#include "doctor/access.h"
#include "doctor/doctor.h"

#include "ctr_regs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct room {
	const struct doctor_facts *facts;
	const struct doctor_tries *tries;
	struct doctor_verdict *verdict;
	struct doctor_check *check; /* at work */
};

__attribute__((format(printf, 2, 0))) static void
append(struct doctor_check *check, const char *fmt, va_list ap)
{
	size_t len = strlen(check->text);

	vsnprintf(check->text + len, sizeof(check->text) - len, fmt, ap);
}

/* More of the check's text; what does not fit is left out. */
__attribute__((format(printf, 2, 3))) static void put(struct room *room,
						      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	append(room->check, fmt, ap);
	va_end(ap);
}

/* What the check comes to. */
__attribute__((format(printf, 4, 5))) static void
say(struct room *room, enum doctor_status status, const char *remedy,
    const char *fmt, ...)
{
	va_list ap;

	room->check->status = status;
	room->check->remedy = remedy;
	va_start(ap, fmt);
	append(room->check, fmt, ap);
	va_end(ap);
}

/* What a folder would tell that is not mounted, as in a chroot: a missing file is no answer. */
static void say_unmounted(struct room *room, bool proc)
{
	say(room, DOCTOR_UNKNOWN,
	    proc ? "mount -t proc proc /proc" : "mount -t sysfs sysfs /sys",
	    "not known, as %s is not mounted", proc ? "/proc" : "/sys");
}

/* -------------------------------------------------------------------- the CPUs */

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
static void put_cpus(struct room *room, cpu_kind_t kind_of, unsigned int kind)
{
	const struct doctor_facts *facts = room->facts;
	size_t i, n = 0, last;
	const char *sep = "";

	for (i = 0; i < facts->n_cpus; i++)
		n += kind_of(&facts->cpus[i]) == kind;
	put(room, n == 1 ? "CPU " : "CPUs ");
	for (i = 0; i < facts->n_cpus; i = last + 1) {
		last = i;
		if (kind_of(&facts->cpus[i]) != kind)
			continue;
		while (last + 1 < facts->n_cpus &&
		       facts->cpus[last + 1].cpu == facts->cpus[last].cpu + 1 &&
		       kind_of(&facts->cpus[last + 1]) == kind)
			last++;
		put(room, last > i ? "%s%u-%u" : "%s%u", sep,
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

static void put_exts(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	unsigned int bit;
	size_t i;

	for (i = 0; i < facts->n_cpus; i++) {
		unsigned int exts = facts->cpus[i].exts;

		if (!first_of_kind(facts, kind_exts, i))
			continue;
		put(room, i ? "; " : "");
		put_cpus(room, kind_exts, exts);
		put(room, ":");
		for (bit = 0; bit < DOCTOR_NR_EXTS; bit++)
			if (exts >> bit & 1)
				put(room, " %s", doctor_ext_name(bit));
		put(room, exts ? "" : " none that records need");
	}
}

/* How many CPUs record; with exts, those that have one of these extensions. */
static size_t recording(const struct doctor_facts *facts, unsigned int exts)
{
	size_t i, n = 0;

	for (i = 0; i < facts->n_cpus; i++)
		n += doctor_records(&facts->cpus[i]) &&
		     (!exts || facts->cpus[i].exts & exts);
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
		say(room, DOCTOR_OK, NULL, "%s", arch);
	else if (*arch)
		say(room, DOCTOR_NO,
		    "record on a RISC-V machine; you can read its recordings on any machine",
		    "%s: ssctr records only on RV64", arch);
	else
		say(room, DOCTOR_NO,
		    "use Linux 6.12 or newer, with /proc mounted",
		    "/proc does not tell the architecture");
}

#define NEEDS_HARTS                                                            \
	"use harts with Ssctr and Sscsrind; in QEMU 11.1.3 or newer: -cpu rv64,smctr=on,ssctr=on,smcsrind=on,sscsrind=on,sscofpmf=on"

static void check_harts(struct room *room)
{
	static const char *const sources[] = {
		[DOCTOR_NO_TABLES] = "/proc/cpuinfo",
		[DOCTOR_DEVICE_TREE] = "the device tree",
		[DOCTOR_ACPI] = "ACPI's tables",
	};
	const struct doctor_facts *facts = room->facts;
	const char *source = sources[facts->tables];
	const size_t n = recording(facts, 0);

	if (!n && !facts->tables && !(facts->has_proc && facts->has_sys)) {
		say_unmounted(room, !facts->has_proc);
	} else if (!n && !facts->tables && facts->max_depth) {
		say(room, DOCTOR_OK, NULL, "the module has found harts with records; %s",
		    facts->acpi ? "only root can read in ACPI's tables which they are" :
				  "there are no tables to read which they are");
	} else if (!n && !facts->tables) {
		say(room, DOCTOR_UNKNOWN,
		    facts->acpi ? "run ssctr doctor as root, or load the module, which tries them" :
				  "load the module, which tries them",
		    "no Ssctr in %s, and %s", source,
		    facts->acpi ? "only root can read ACPI's tables" :
				  "there are no tables to read");
	} else if (!n) {
		say(room, DOCTOR_NO, NEEDS_HARTS,
		    "no hart has Ssctr: neither ssctr nor smctr is in %s (",
		    source);
		put_exts(room);
		put(room, ")");
	} else if (!facts->max_depth && facts->tables &&
		   !recording(facts, DOCTOR_SSCSRIND | DOCTOR_SMCSRIND)) {
		say(room, DOCTOR_NO, NEEDS_HARTS,
		    "no hart has Sscsrind, which is needed to read records (");
		put_exts(room);
		put(room, ")");
	} else {
		put_exts(room);
		if (n == facts->n_cpus)
			return;
		say(room, DOCTOR_NOTE,
		    "record programs (ssctr record -- COMMAND or -p), or the other CPUs (-C LIST); ssctr collect needs records on all CPUs",
		    "; tasks have empty stacks on ");
		put_cpus(room, kind_records, 0);
		put(room, ", -a and -C are refused there");
	}
}

#define NEEDS_FIRMWARE "use firmware that sets mstateen0.CTR, such as OpenSBI 1.9"

static void check_firmware(struct room *room)
{
	enum { OPENSBI_1_6 = 0x10006, OPENSBI_1_9 = 0x10009 };
	const struct doctor_facts *facts = room->facts;
	unsigned int version = facts->is_opensbi ? facts->sbi_version : 0;
	unsigned int major = version >> 16, minor = version & 0xffff;

	if (facts->max_depth)
		say(room, DOCTOR_OK, NULL, "grants access to the records");
	else if (!recording(facts, 0))
		say(room, DOCTOR_UNKNOWN, NULL,
		    "not known without a hart that has records");
	else if (strstr(facts->said, "firmware does not grant"))
		say(room, DOCTOR_NO, NEEDS_FIRMWARE,
		    "does not grant access to the records (mstateen0.CTR)");
	else if (!recording(facts, DOCTOR_SMSTATEEN))
		say(room, DOCTOR_OK, NULL,
		    "has nothing to grant: the harts have no Smstateen");
	else if (version >= OPENSBI_1_9)
		say(room, DOCTOR_OK, NULL,
		    "OpenSBI %u.%u grants access to the records", major, minor);
	else if (version && version <= OPENSBI_1_6)
		say(room, DOCTOR_NO, NEEDS_FIRMWARE,
		    "OpenSBI %u.%u does not grant access to the records (mstateen0.CTR)",
		    major, minor);
	else
		say(room, DOCTOR_UNKNOWN,
		    "load the module, then look at the kernel's log",
		    "not known before the module is loaded");
}

/* ------------------------------------------------------------------ the kernel */

static void check_kernel(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	const char *release = facts->release;
	unsigned int major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2)
		say(room, DOCTOR_UNKNOWN, NULL, "the release is not known");
	else if ((major == 6 && minor == 12) || major == 7 || !is_rv64(facts))
		say(room, DOCTOR_OK, NULL, "%s", release);
	else if (major < 6 || (major == 6 && minor < 12))
		say(room, DOCTOR_NO, "use Linux 6.12 or newer",
		    "%s: the module needs 6.12 or newer", release);
	else
		say(room, DOCTOR_NOTE, NULL,
		    "%s: the module is tested with 6.12 and 7.x", release);
}

static void check_pmu(struct room *room)
{
	if (!room->facts->has_sys)
		say_unmounted(room, false);
	else if (room->facts->has_pmu)
		say(room, DOCTOR_OK, NULL, "the kernel has a PMU named cpu");
	else
		say(room, DOCTOR_NO,
		    "use firmware with the SBI PMU extension, and a kernel with CONFIG_RISCV_PMU_SBI",
		    "the kernel has no PMU named cpu");
}

static bool is_privileged(const struct doctor_facts *facts)
{
	return facts->rights == DOCTOR_RIGHTS_ALL;
}

static bool is_denied(int error)
{
	return error == EACCES || error == EPERM;
}

#define NEEDS_OVERFLOW "use harts with Sscofpmf, and firmware that passes it on"
#define NEEDS_FORWARDING "use firmware that passes the interrupt on, such as OpenSBI 1.9"
#define NEEDS_COUNTERS                                                         \
	"use firmware that has counters for cycles and instructions (device tree: riscv,event-to-mhpmcounters); in QEMU, leave out pmu-mask"

/* An emulated hart has one counter for each kind of event, and the kernel does not know it. */
static void say_no_count(struct room *room)
{
	const char *others = room->tries->others;
	const bool all_seen = is_privileged(room->facts) && !*others;

	say(room, DOCTOR_NO,
	    all_seen ? NEEDS_COUNTERS :
		       "ask again when nobody else records or counts events; if that changes nothing, " NEEDS_COUNTERS,
	    "the event opens, but no counter counts it");
	if (*others)
		put(room, "; an emulated hart counts only one event of each kind, and others have events open: %s",
		    others);
}

static void check_overflow(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	const struct doctor_try *try = &room->tries->plain;
	const bool opens = try->done && !try->error && !try->ring_error;
	bool has = false;
	size_t i;

	for (i = 0; i < facts->n_cpus; i++)
		has |= facts->cpus[i].exts & DOCTOR_SSCOFPMF;
	if (opens && try->samples)
		say(room, DOCTOR_OK, NULL, "counters interrupt, samples come");
	else if (opens && !try->counts)
		say_no_count(room);
	else if (opens)
		say(room, DOCTOR_NO,
		    "with QEMU, use 11.1.3 or newer; elsewhere, look at /proc/interrupts for riscv-pmu",
		    "the event opens, but its counter never interrupts");
	else if (try->error && !is_denied(try->error) &&
		 (facts->has_pmu || !facts->has_sys))
		say(room, DOCTOR_NO,
		    !has		  ? NEEDS_OVERFLOW :
		    try->error == ENOENT ? NEEDS_COUNTERS :
					   NEEDS_FORWARDING,
		    "nothing can be sampled: cycles are refused (%s)%s",
		    strerror(try->error),
		    !has		  ? ", no hart has Sscofpmf" :
		    try->error == ENOENT ? ": no counter counts them" :
					   ", though the harts have Sscofpmf");
	else if (has)
		say(room, DOCTOR_OK, NULL, "the harts have Sscofpmf");
	else if (facts->n_cpus)
		say(room, DOCTOR_NO, NEEDS_OVERFLOW,
		    "no hart has a counter-overflow interrupt (Sscofpmf)");
	else
		say(room, DOCTOR_UNKNOWN, NULL, "not known");
}

/* ------------------------------------------------------------------ the module */

/* What the module or the kernel says of it comes after its signature was checked. */
static bool may_lack_signature(const struct doctor_facts *facts)
{
	return facts->signed_only && facts->attempt <= DOCTOR_LOADED;
}

#define NEEDS_SIGNATURE                                                        \
	"boot without module.sig_enforce=1 and lockdown, or use a kernel that knows DKMS's key: see \"Signed modules\" in hardware.md"

#define NEEDS_DKMS                                                             \
	"dkms autoinstall && systemctl start ssctr; if the build fails, its log is /var/lib/dkms/ssctr/VERSION/build/make.log"

/* What the module is refused for can be removed; the module of another kernel is none. */
static const char *needs_module(const struct doctor_facts *facts)
{
	if (may_lack_signature(facts))
		return facts->installed ?
			       "modprobe ssctr; if the kernel rejects the module, " NEEDS_SIGNATURE :
			       NEEDS_SIGNATURE;
	if (facts->attempt == DOCTOR_REFUSED || facts->attempt == DOCTOR_BAD_PARAMETER)
		return facts->installed ? "remove the reason, then: modprobe ssctr" :
					  "remove the reason, then load the module as before";
	if (facts->installed)
		return "modprobe ssctr";
	if (facts->dkms)
		return facts->headers ? NEEDS_DKMS :
					"install linux-headers-$(uname -r), then: " NEEDS_DKMS;
	return facts->headers ?
		       "install the package ssctr-dkms (`make deb` in ssctr's sources makes it), or run there: make -C /lib/modules/$(uname -r)/build M=$PWD/driver modules && insmod driver/ssctr.ko" :
		       "install linux-headers-$(uname -r) and ssctr-dkms (`make deb` in ssctr's sources makes it)";
}

static void check_module(struct room *room)
{
	static const char *const ends[] = {
		[DOCTOR_REFUSED] = "; it ",
		[DOCTOR_BAD_PARAMETER] = "; the kernel refused it: ",
		[DOCTOR_OTHER_KERNEL] = "; the kernel refused it: ",
	};
	const struct doctor_facts *facts = room->facts;
	const bool loaded = facts->attempt == DOCTOR_LOADED;

	if (!facts->has_sys) {
		say_unmounted(room, false);
	} else if (facts->loaded) {
		say(room, DOCTOR_OK, NULL, "loaded%s%s", loaded ? ": " : "",
		    loaded ? facts->said : "");
		if (facts->other_build)
			say(room, DOCTOR_NOTE,
			    "while nobody records: systemctl restart ssctr",
			    "; the module that is installed is another build");
	} else {
		say(room, DOCTOR_NO, needs_module(facts), "not loaded%s%s%s",
		    facts->installed ? "" : ", and not installed for this kernel",
		    facts->attempt > DOCTOR_LOADED ? ends[facts->attempt] : "",
		    facts->attempt > DOCTOR_LOADED ? facts->said : "");
		if (may_lack_signature(facts))
			put(room, "; this kernel loads only signed modules (%s)",
			    facts->signed_only);
	}
}

static void check_depth(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	const char *sep = "";
	size_t i;

	if (!facts->has_sys)
		say_unmounted(room, false);
	else if (!facts->max_depth)
		say(room, DOCTOR_UNKNOWN, NULL,
		    "not known before the module is loaded");
	else if (!facts->has_state)
		say(room, DOCTOR_OK, NULL, "at most %u records",
		    facts->max_depth);
	for (i = 0; facts->max_depth && facts->has_state && i < facts->n_cpus;
	     i++) {
		unsigned int depth = facts->cpus[i].depth;

		if (!first_of_kind(facts, kind_depth, i))
			continue;
		put(room, depth ? "%s%u records on " : "%snone on ", sep, depth);
		put_cpus(room, kind_depth, depth);
		sep = ", ";
	}
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
	const char *sep = " but ";
	uint64_t all = UINT64_MAX;
	bool stacks;
	size_t i;

	if (!facts->has_sys) {
		say_unmounted(room, false);
		return;
	}
	if (!facts->has_state) {
		say(room, DOCTOR_UNKNOWN,
		    facts->loaded ? "run ssctr doctor as root, with debugfs mounted" :
				    NULL,
		    facts->loaded ? "/sys/kernel/debug/ssctr/state cannot be read" :
				    "not known before the module is loaded");
		return;
	}
	for (i = 0; i < facts->n_cpus; i++)
		if (facts->cpus[i].depth)
			all &= facts->cpus[i].writable;
	stacks = all & CTR_CTL_RASEMU;
	say(room, stacks ? DOCTOR_OK : DOCTOR_NOTE, NULL,
	    "the harts filter every kind");
	for (i = 0; i < N_FILTERS; i++) {
		if (all & filters[i].bit)
			continue;
		put(room, "%s%s", sep, filters[i].name);
		sep = ", ";
	}
	put(room, "%s; %s", *sep == ',' ? ", which the module does" : "",
	    stacks ? "call stacks by --call-graph lbr" :
		     "no call stacks (--call-graph lbr), because they have no RASEMU");
}

/* --------------------------------------------------------------- perf's answer */

#define NEEDS_MEMORY                                                           \
	"sysctl kernel.perf_event_mlock_kb=516, or raise `ulimit -l`, or run as root"

/* What the kernel's setting allows, with what privileges there are. */
static void check_level(struct room *room)
{
	const struct doctor_facts *facts = room->facts;
	int level = facts->paranoid;
	enum doctor_access may = doctor_access(level);

	if (!facts->has_proc)
		say_unmounted(room, true);
	else if (level == DOCTOR_PARANOID_UNKNOWN)
		say(room, DOCTOR_NO, "use a kernel with CONFIG_PERF_EVENTS",
		    "the kernel has no perf events (no perf_event_paranoid)");
	else if (is_privileged(facts))
		say(room, DOCTOR_OK, NULL,
		    "you can record everything; perf_event_paranoid is %d for other users",
		    level);
	else if (may == DOCTOR_ACCESS_NOTHING)
		say(room, DOCTOR_NO, DOCTOR_ACCESS_REMEDY,
		    "perf_event_paranoid is %d: only root can use perf",
		    level);
	else
		say(room, DOCTOR_OK, NULL,
		    "perf_event_paranoid is %d: you can record %s", level,
		    may == DOCTOR_ACCESS_USER ?
			    "the user code of your programs" :
		    may == DOCTOR_ACCESS_KERNEL ?
			    "the user and kernel code of your programs" :
			    "your programs, the kernel and whole CPUs");
	if (facts->rights == DOCTOR_RIGHTS_CONTAINED)
		put(room, DOCTOR_ACCESS_CONTAINED);
}

/* Who may record them sees them, too, and is told of none which task it is. */
static void check_namespace(struct room *room)
{
	const struct doctor_facts *facts = room->facts;

	if (facts->contained && is_privileged(facts))
		say(room, DOCTOR_NOTE,
		    "to record the system (-a): record outside of it, or start it with --pid=host",
		    "; you are in a container (a PID namespace): of tasks outside of it, samples do not tell the program");
}

/* At 2, the kernel tells its addresses not even to root. */
static void check_addresses(struct room *room)
{
	const struct doctor_facts *facts = room->facts;

	if (facts->kptr_restrict > 1 &&
	    (is_privileged(facts) || doctor_access(facts->paranoid) >= DOCTOR_ACCESS_KERNEL))
		say(room, DOCTOR_NOTE, "before you record the kernel: sysctl kernel.kptr_restrict=1",
		    "; the kernel's functions will have no names, because kernel.kptr_restrict is %d",
		    facts->kptr_restrict);
}

static void check_access(struct room *room)
{
	const struct doctor_tries *tries = room->tries;

	check_level(room);
	if (room->check->status == DOCTOR_NO)
		return;
	if (is_denied(tries->plain.error) || is_denied(tries->branches.error))
		say(room, DOCTOR_NO, DOCTOR_ACCESS_OTHER_REMEDY,
		    ", but " DOCTOR_ACCESS_OTHER);
	else if (is_denied(tries->branches.ring_error))
		say(room, DOCTOR_NO, NEEDS_MEMORY,
		    ", but no ring buffer, because there may not be so much locked memory");
	else {
		check_addresses(room);
		check_namespace(room);
	}
}

static void check_perf(struct room *room)
{
	const char *perf = room->facts->perf;

	if (*perf)
		say(room, DOCTOR_OK, NULL, "%s", perf);
	else
		say(room, DOCTOR_NOTE,
		    "record with ssctr record, or install linux-perf",
		    "there is no perf tool");
}

/* Where to look: at what the error is about, or at the first that stands in the way. */
static void put_cause(struct room *room, int error)
{
	const struct doctor_check *check = room->verdict->checks;

	while (check < room->check && check->status != DOCTOR_NO)
		check++;
	if (is_denied(error))
		put(room, "; see access");
	else if (check < room->check)
		put(room, "; see %s", check->name);
}

/* What the kernel of a machine that is not asked would say: 0 or an error. */
static int infer(const struct doctor_facts *facts)
{
	if (facts->paranoid == DOCTOR_PARANOID_UNKNOWN)
		return ENOSYS;
	if (doctor_access(facts->paranoid) == DOCTOR_ACCESS_NOTHING &&
	    !is_privileged(facts))
		return EACCES;
	if (!facts->has_pmu)
		return ENOENT;
	return facts->max_depth ? 0 : EOPNOTSUPP;
}

/* In perf's words, which has no others where there is no event cycles. */
static const char *refusal(int error)
{
	if (is_denied(error))
		return "\"Access to performance monitoring and observability operations is limited\"";
	if (error == EOPNOTSUPP || error == ENOENT)
		return "\"PMU Hardware or event type doesn't support branch stack sampling\"";
	return strerror(error);
}

/* What may be recorded beside one's own programs. */
static void put_scope(struct room *room)
{
	const struct doctor_tries *tries = room->tries;
	const struct doctor_facts *facts = room->facts;
	bool part = recording(facts, 0) && recording(facts, 0) < facts->n_cpus;
	enum doctor_access may = is_privileged(facts) ?
					 DOCTOR_ACCESS_CPUS :
					 doctor_access(facts->paranoid);
	bool kernel = may >= DOCTOR_ACCESS_KERNEL;
	bool whole = may >= DOCTOR_ACCESS_CPUS;

	if (tries->kernel.done)
		kernel = !tries->kernel.error;
	if (tries->system.done)
		whole = !tries->system.error;
	put(room, "user code%s%s%s",
	    kernel ? ", the kernel's code (-e cycles:k)" : "",
	    whole ? ", whole CPUs (-C)" : "",
	    whole && !part ? ", the system (-a)" : "");
}

static void check_record(struct room *room)
{
	const struct doctor_try *try = &room->tries->branches;
	int error = try->done ? try->error ?: try->ring_error :
				infer(room->facts);

	if (!is_rv64(room->facts)) {
		say(room, DOCTOR_NO, NULL,
		    "perf record -b on this machine has nothing to do with ssctr");
	} else if (error) {
		say(room, DOCTOR_NO, NULL, "perf record -b is refused: %s",
		    is_denied(try->ring_error) ?
			    "\"Permission error mapping pages\"" :
			    refusal(error));
		put_cause(room, error);
	} else if (try->done && !try->samples) {
		say(room, DOCTOR_NO, NULL,
		    "perf record -b starts, but no sample comes");
		put_cause(room, error);
	} else if (try->done && !try->entries) {
		say(room, DOCTOR_NO, NULL,
		    "perf record -b takes samples, but their stacks are empty");
	} else {
		say(room, DOCTOR_OK, NULL, "perf record -b records ");
		put_scope(room);
		room->verdict->usable = true;
	}
}

void doctor_judge(const struct doctor_facts *facts,
		  const struct doctor_tries *tries,
		  struct doctor_verdict *verdict)
{
	static const struct {
		const char *name;
		void (*judge)(struct room *room);
		bool anywhere; /* not on RV64 alone */
	} checks[] = {
		{ "machine", check_machine, true },
		{ "harts", check_harts, false },
		{ "firmware", check_firmware, false },
		{ "kernel", check_kernel, true },
		{ "pmu", check_pmu, false },
		{ "overflow", check_overflow, false },
		{ "module", check_module, false },
		{ "depth", check_depth, false },
		{ "filters", check_filters, false },
		{ "access", check_access, true },
		{ "perf", check_perf, true },
		{ "record", check_record, true },
	};
	struct room room = { facts, tries, verdict, verdict->checks };
	size_t i;

	verdict->usable = false;
	for (i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		if (!checks[i].anywhere && !is_rv64(facts))
			continue;
		*room.check = (struct doctor_check){ .name = checks[i].name };
		checks[i].judge(&room);
		room.check++;
	}
	verdict->n_checks = room.check - verdict->checks;
}
