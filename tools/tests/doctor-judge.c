// SPDX-License-Identifier: GPL-2.0-only
/* What the doctor makes of facts and tries, which are made up here. */
#include <errno.h>
#include <stdio.h>

#include "doctor/doctor.h"
#include "test.h"

#define ALL_EXTS                                                               \
	(DOCTOR_SSCTR | DOCTOR_SMCTR | DOCTOR_SSCSRIND | DOCTOR_SMCSRIND |     \
	 DOCTOR_SSCOFPMF)

static struct doctor_cpu cpus[8];
static struct doctor_facts facts;
static struct doctor_tries tries;
static struct doctor_verdict verdict;

/* A machine of n CPUs with all that records need, of which nothing was tried. */
static void begin(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		cpus[i] = (struct doctor_cpu){ .cpu = i,
					       .hart = i,
					       .exts = ALL_EXTS,
					       .depth = 256,
					       .writable = ~UINT64_C(0) };
	facts = (struct doctor_facts){
		.arch = "riscv64",
		.release = "7.2.11",
		.cpus = cpus,
		.n_cpus = n,
		.tables = DOCTOR_DEVICE_TREE,
		.has_proc = true,
		.has_sys = true,
		.has_pmu = true,
		.max_depth = 256,
		.paranoid = 2,
		.perf = "/usr/bin/perf",
		.loaded = true,
		.has_state = true,
	};
	tries = (struct doctor_tries){ 0 };
}

/* Before the module is loaded nothing is known of depths. */
static void unload(void)
{
	size_t i;

	facts.loaded = facts.has_state = false;
	facts.max_depth = 0;
	for (i = 0; i < facts.n_cpus; i++)
		cpus[i].depth = cpus[i].writable = 0;
}

static void try(struct doctor_try *t, int error, unsigned int samples,
		unsigned int entries)
{
	*t = (struct doctor_try){ .done = true,
				  .error = error,
				  .samples = samples,
				  .entries = entries };
}

static const struct doctor_check *check_of(const char *name)
{
	unsigned int i;

	doctor_judge(&facts, &tries, &verdict);
	for (i = 0; i < verdict.n_checks; i++)
		if (!strcmp(verdict.checks[i].name, name))
			return &verdict.checks[i];
	return NULL;
}

static void expect(int line, const char *name, enum doctor_status status,
		   const char *text, const char *remedy)
{
	const struct doctor_check *check = check_of(name);

	if (!check)
		test_fail(__FILE__, line, "no check %s", name);
	if (check->status != status || strcmp(check->text, text))
		test_fail(__FILE__, line, "%s: %d \"%s\"", name, check->status,
			  check->text);
	if (!remedy != !check->remedy ||
	    (remedy && !strstr(check->remedy, remedy)))
		test_fail(__FILE__, line, "%s: remedy \"%s\"", name,
			  check->remedy ? check->remedy : "none");
}

#define EXPECT(...) expect(__LINE__, __VA_ARGS__)

TEST(a_machine_that_has_all_is_usable)
{
	unsigned int i;

	begin(2);
	doctor_judge(&facts, &tries, &verdict);
	CHECK(verdict.usable);
	CHECK_EQ(verdict.n_checks, 12);
	for (i = 0; i < verdict.n_checks; i++) {
		if (verdict.checks[i].status != DOCTOR_OK)
			test_fail(__FILE__, __LINE__, "%s",
				  verdict.checks[i].text);
		CHECK(!verdict.checks[i].remedy);
	}
	EXPECT("harts", DOCTOR_OK,
	       "CPUs 0-1: ssctr smctr sscsrind smcsrind sscofpmf", NULL);
	EXPECT("depth", DOCTOR_OK, "256 records on CPUs 0-1", NULL);
	EXPECT("filters", DOCTOR_OK,
	       "the harts filter every kind; call stacks by --call-graph lbr",
	       NULL);
}

TEST(elsewhere_harts_and_module_are_not_asked_for)
{
	begin(1);
	strcpy(facts.arch, "x86_64");
	strcpy(facts.release, "5.4.0");
	EXPECT("machine", DOCTOR_NO, "x86_64: ssctr records only on RV64",
	       "you can read its recordings on any machine");
	CHECK_EQ(verdict.n_checks, 5);
	CHECK(!verdict.usable);
	CHECK(!check_of("harts") && !check_of("module"));
	EXPECT("kernel", DOCTOR_OK, "5.4.0", NULL);
	facts.arch[0] = 0;
	EXPECT("machine", DOCTOR_NO, "/proc does not tell the architecture",
	       "with /proc mounted");
}

TEST(cpus_of_one_kind_are_named_together)
{
	begin(6);
	cpus[2].depth = 64;
	cpus[4].depth = 0;
	cpus[4].exts = 0;
	/* It is off. */
	cpus[5].cpu = 7;
	EXPECT("depth", DOCTOR_OK,
	       "256 records on CPUs 0-1,3,7, 64 records on CPU 2, none on CPU 4",
	       NULL);
	EXPECT("harts", DOCTOR_NOTE,
	       "CPUs 0-3,7: ssctr smctr sscsrind smcsrind sscofpmf; CPU 4: none that records need; tasks have empty stacks on CPU 4, -a and -C are refused there",
	       "record programs (ssctr record -- COMMAND or -p), or the other CPUs (-C LIST); ");
	CHECK(verdict.usable);
	begin(2);
	cpus[1].cpu = 4;
	EXPECT("depth", DOCTOR_OK, "256 records on CPUs 0,4", NULL);
}

TEST(harts_that_do_not_record)
{
	begin(1);
	unload();
	cpus[0].exts = DOCTOR_SSCOFPMF;
	EXPECT("harts", DOCTOR_NO,
	       "no hart has Ssctr: neither ssctr nor smctr is in the device tree (CPU 0: sscofpmf)",
	       "use harts with Ssctr");
	facts.tables = DOCTOR_NO_TABLES;
	EXPECT("harts", DOCTOR_UNKNOWN,
	       "no Ssctr in /proc/cpuinfo, and there are no tables to read",
	       "load the module, which tries them");
	facts.acpi = true;
	EXPECT("harts", DOCTOR_UNKNOWN,
	       "no Ssctr in /proc/cpuinfo, and only root can read ACPI's tables",
	       "run ssctr doctor as root");
	/* The module has tried them. */
	facts.loaded = true;
	facts.max_depth = 64;
	EXPECT("harts", DOCTOR_OK,
	       "the module has found harts with records; only root can read in ACPI's tables which they are",
	       NULL);
	facts.loaded = false;
	facts.max_depth = 0;
	facts.tables = DOCTOR_ACPI;
	cpus[0].exts = DOCTOR_SSCTR;
	EXPECT("harts", DOCTOR_NO,
	       "no hart has Sscsrind, which is needed to read records (CPU 0: ssctr)",
	       "use harts with Ssctr");
	/* The module has read them: it is there, whoever says what. */
	facts.max_depth = 32;
	EXPECT("harts", DOCTOR_OK, "CPU 0: ssctr", NULL);
}

/* Tables of machine mode may leave out what it passes on. */
TEST(harts_with_either_extension_record)
{
	begin(2);
	unload();
	cpus[0].exts = DOCTOR_SMCTR | DOCTOR_SMCSRIND;
	cpus[1].exts = DOCTOR_SSCTR | DOCTOR_SSCSRIND;
	EXPECT("harts", DOCTOR_OK, "CPU 0: smctr smcsrind; CPU 1: ssctr sscsrind", NULL);
}

TEST(firmware_is_judged_by_its_version_before_the_module_tells)
{
	begin(1);
	EXPECT("firmware", DOCTOR_OK, "grants access to the records", NULL);
	unload();
	EXPECT("firmware", DOCTOR_OK,
	       "has nothing to grant: the harts have no Smstateen", NULL);
	cpus[0].exts |= DOCTOR_SMSTATEEN;
	EXPECT("firmware", DOCTOR_UNKNOWN,
	       "not known before the module is loaded", "load the module");
	facts.is_opensbi = true;
	facts.sbi_version = 0x10006;
	EXPECT("firmware", DOCTOR_NO,
	       "OpenSBI 1.6 does not grant access to the records (mstateen0.CTR)",
	       "such as OpenSBI 1.9");
	facts.sbi_version = 0x10009;
	EXPECT("firmware", DOCTOR_OK,
	       "OpenSBI 1.9 grants access to the records", NULL);
	facts.is_opensbi = false;
	EXPECT("firmware", DOCTOR_UNKNOWN,
	       "not known before the module is loaded", "load the module");
	strcpy(facts.said, "refused: the firmware does not grant access");
	EXPECT("firmware", DOCTOR_NO,
	       "does not grant access to the records (mstateen0.CTR)",
	       "such as OpenSBI 1.9");
	/* With ACPI the module cannot tell one from the other. */
	strcpy(facts.said, "refused: either it has no Ssctr, or the firmware does not grant access");
	cpus[0].exts = 0;
	EXPECT("firmware", DOCTOR_UNKNOWN,
	       "not known without a hart that has records", NULL);
}

TEST(kernels)
{
	begin(1);
	strcpy(facts.release, "6.12.107");
	EXPECT("kernel", DOCTOR_OK, "6.12.107", NULL);
	strcpy(facts.release, "6.13.0");
	EXPECT("kernel", DOCTOR_NOTE,
	       "6.13.0: the module is tested with 6.12 and 7.x", NULL);
	strcpy(facts.release, "6.11.9");
	EXPECT("kernel", DOCTOR_NO, "6.11.9: the module needs 6.12 or newer",
	       "use Linux 6.12 or newer");
	strcpy(facts.release, "5.15.0");
	EXPECT("kernel", DOCTOR_NO, "5.15.0: the module needs 6.12 or newer",
	       "use Linux 6.12 or newer");
	strcpy(facts.release, "");
	EXPECT("kernel", DOCTOR_UNKNOWN, "the release is not known", NULL);
	facts.has_pmu = false;
	EXPECT("pmu", DOCTOR_NO, "the kernel has no PMU named cpu",
	       "CONFIG_RISCV_PMU_SBI");
}

TEST(whether_counters_interrupt_is_told_by_trying)
{
	begin(1);
	EXPECT("overflow", DOCTOR_OK, "the harts have Sscofpmf", NULL);
	try(&tries.plain, 0, 3, 0);
	EXPECT("overflow", DOCTOR_OK, "counters interrupt, samples come", NULL);
	try(&tries.plain, 0, 0, 0);
	EXPECT("overflow", DOCTOR_NO,
	       "the event opens, but no counter counts it",
	       "riscv,event-to-mhpmcounters");
	facts.rights = DOCTOR_RIGHTS_NONE;
	EXPECT("overflow", DOCTOR_NO, "the event opens, but no counter counts it",
	       "ask again when nobody else records");
	facts.rights = DOCTOR_RIGHTS_ALL;
	strcpy(tries.others, "perf (process 123)");
	EXPECT("overflow", DOCTOR_NO,
	       "the event opens, but no counter counts it; an emulated hart counts only one event of each kind, and others have events open: perf (process 123)",
	       "ask again when nobody else records");
	*tries.others = 0;
	tries.plain.counts = true;
	EXPECT("overflow", DOCTOR_NO,
	       "the event opens, but its counter never interrupts",
	       "with QEMU, use 11.1.3 or newer");
	try(&tries.plain, EOPNOTSUPP, 0, 0);
	EXPECT("overflow", DOCTOR_NO,
	       "nothing can be sampled: cycles are refused (Operation not supported), though the harts have Sscofpmf",
	       "use firmware that passes the interrupt on");
	try(&tries.plain, ENOENT, 0, 0);
	EXPECT("overflow", DOCTOR_NO,
	       "nothing can be sampled: cycles are refused (No such file or directory): no counter counts them",
	       "riscv,event-to-mhpmcounters");
	/* Who may not open it is told nothing by that. */
	try(&tries.plain, EACCES, 0, 0);
	EXPECT("overflow", DOCTOR_OK, "the harts have Sscofpmf", NULL);
	cpus[0].exts &= ~DOCTOR_SSCOFPMF;
	EXPECT("overflow", DOCTOR_NO,
	       "no hart has a counter-overflow interrupt (Sscofpmf)",
	       "use harts with Sscofpmf");
	facts.n_cpus = 0;
	EXPECT("overflow", DOCTOR_UNKNOWN, "not known", NULL);
}

TEST(how_the_module_comes)
{
	begin(1);
	strcpy(facts.said, "branch records on 1 of 1 CPUs, 256 deep");
	facts.attempt = DOCTOR_LOADED;
	EXPECT("module", DOCTOR_OK,
	       "loaded: branch records on 1 of 1 CPUs, 256 deep", NULL);
	/* An upgrade could not unload it. */
	facts.other_build = true;
	EXPECT("module", DOCTOR_NOTE,
	       "loaded: branch records on 1 of 1 CPUs, 256 deep; the module that is installed is another build",
	       "while nobody records: systemctl restart ssctr");
	CHECK(verdict.usable);
	facts.other_build = false;
	/* What it said before it was loaded again. */
	strcpy(facts.said, "refused: no harts");
	facts.attempt = DOCTOR_REFUSED;
	EXPECT("module", DOCTOR_OK, "loaded", NULL);
	unload();
	EXPECT("module", DOCTOR_NO,
	       "not loaded, and not installed for this kernel; it refused: no harts",
	       "remove the reason, then load the module as before");
	facts.installed = true;
	EXPECT("module", DOCTOR_NO, "not loaded; it refused: no harts",
	       "remove the reason, then: modprobe ssctr");
	facts.attempt = DOCTOR_BAD_PARAMETER;
	strcpy(facts.said, "`-1' invalid for parameter `oops'");
	EXPECT("module", DOCTOR_NO,
	       "not loaded; the kernel refused it: `-1' invalid for parameter `oops'",
	       "remove the reason, then: modprobe ssctr");
	/* There is nothing to remove, but a module to get. */
	facts.attempt = DOCTOR_OTHER_KERNEL;
	facts.installed = false;
	strcpy(facts.said, "version magic 'a' should be 'b'");
	EXPECT("module", DOCTOR_NO,
	       "not loaded, and not installed for this kernel; the kernel refused it: version magic 'a' should be 'b'",
	       "install linux-headers-$(uname -r) and ssctr-dkms (`make deb` in ssctr's sources makes it)");
	facts.attempt = DOCTOR_NOT_TRIED;
	EXPECT("module", DOCTOR_NO,
	       "not loaded, and not installed for this kernel",
	       "install linux-headers-$(uname -r) and ssctr-dkms (`make deb` in ssctr's sources makes it)");
	facts.headers = true;
	EXPECT("module", DOCTOR_NO,
	       "not loaded, and not installed for this kernel",
	       "install the package ssctr-dkms (`make deb` in ssctr's sources makes it), or run there: make");
	/* The package is there. DKMS has not built the module, or could not. */
	facts.dkms = true;
	CHECK(strstr(check_of("module")->remedy, "dkms autoinstall && systemctl start ssctr; "
			     "if the build fails, its log is ") == check_of("module")->remedy);
	facts.headers = false;
	EXPECT("module", DOCTOR_NO,
	       "not loaded, and not installed for this kernel",
	       "install linux-headers-$(uname -r), then: dkms autoinstall && systemctl start ssctr; ");
	facts.installed = true;
	EXPECT("module", DOCTOR_NO, "not loaded", "modprobe ssctr");
	EXPECT("depth", DOCTOR_UNKNOWN, "not known before the module is loaded",
	       NULL);
	EXPECT("filters", DOCTOR_UNKNOWN,
	       "not known before the module is loaded", NULL);
}

/* To install it or to load it again leads nowhere there, unless its key is known. */
TEST(a_kernel_that_loads_only_signed_modules)
{
	begin(1);
	facts.signed_only = "lockdown";
	EXPECT("module", DOCTOR_OK, "loaded", NULL);
	unload();
	EXPECT("module", DOCTOR_NO,
	       "not loaded, and not installed for this kernel; this kernel loads only signed modules (lockdown)",
	       "boot without module.sig_enforce=1 and lockdown, or use a kernel that knows DKMS's key");
	facts.installed = true;
	EXPECT("module", DOCTOR_NO, "not loaded; this kernel loads only signed modules (lockdown)",
	       "modprobe ssctr; if the kernel rejects the module, boot without");
	/* It has run: its signature is good. */
	facts.attempt = DOCTOR_REFUSED;
	strcpy(facts.said, "refused: no harts");
	EXPECT("module", DOCTOR_NO, "not loaded; it refused: no harts",
	       "remove the reason, then: modprobe ssctr");
}

TEST(what_the_module_filters_for_the_harts)
{
	const uint64_t conditional = UINT64_C(1) << 37, returns =
		UINT64_C(1) << 45, call_stacks = 1 << 7;

	begin(2);
	cpus[1].writable = ~(conditional | returns);
	EXPECT("filters", DOCTOR_OK,
	       "the harts filter every kind but conditional branches, returns, which the module does; call stacks by --call-graph lbr",
	       NULL);
	cpus[1].writable = ~call_stacks;
	EXPECT("filters", DOCTOR_NOTE,
	       "the harts filter every kind; no call stacks (--call-graph lbr), because they have no RASEMU",
	       NULL);
	/* A hart without records filters nothing that matters. */
	cpus[1].depth = 0;
	EXPECT("filters", DOCTOR_OK,
	       "the harts filter every kind; call stacks by --call-graph lbr",
	       NULL);
	facts.has_state = false;
	EXPECT("filters", DOCTOR_UNKNOWN,
	       "/sys/kernel/debug/ssctr/state cannot be read",
	       "with debugfs mounted");
	EXPECT("depth", DOCTOR_OK, "at most 256 records", NULL);
}

TEST(what_a_user_may)
{
	begin(1);
	facts.paranoid = 3;
	EXPECT("access", DOCTOR_NO,
	       "perf_event_paranoid is 3: only root can use perf",
	       "sysctl kernel.perf_event_paranoid=2");
	EXPECT("record", DOCTOR_NO,
	       "perf record -b is refused: \"Access to performance monitoring and observability operations is limited\"; see access",
	       NULL);
	facts.rights = DOCTOR_RIGHTS_ALL;
	EXPECT("access", DOCTOR_OK,
	       "you can record everything; perf_event_paranoid is 3 for other users", NULL);
	EXPECT("record", DOCTOR_OK,
	       "perf record -b records user code, the kernel's code (-e cycles:k), whole CPUs (-C), the system (-a)",
	       NULL);
	facts.rights = DOCTOR_RIGHTS_CONTAINED;
	EXPECT("access", DOCTOR_NO,
	       "perf_event_paranoid is 3: only root can use perf; you are root only in a user namespace (a container), which gives no more rights",
	       "sysctl kernel.perf_event_paranoid=2");
	facts.paranoid = 2;
	EXPECT("access", DOCTOR_OK,
	       "perf_event_paranoid is 2: you can record the user code of your programs; you are root only in a user namespace (a container), which gives no more rights",
	       NULL);
	EXPECT("record", DOCTOR_OK, "perf record -b records user code", NULL);
	facts.rights = DOCTOR_RIGHTS_NONE;
	facts.paranoid = 1;
	EXPECT("record", DOCTOR_OK,
	       "perf record -b records user code, the kernel's code (-e cycles:k)",
	       NULL);
	/* Tries are believed before what may be expected. */
	try(&tries.branches, 0, 1, 1);
	try(&tries.kernel, EACCES, 0, 0);
	try(&tries.system, 0, 0, 0);
	EXPECT("record", DOCTOR_OK,
	       "perf record -b records user code, whole CPUs (-C), the system (-a)",
	       NULL);
	facts.paranoid = DOCTOR_PARANOID_UNKNOWN;
	EXPECT("access", DOCTOR_NO,
	       "the kernel has no perf events (no perf_event_paranoid)",
	       "CONFIG_PERF_EVENTS");
}

/* As in a chroot. What can be tried is known all the same. */
TEST(what_is_not_mounted_is_not_missing)
{
	static const char *const of_sys[] = { "harts", "pmu", "module", "depth", "filters" };
	size_t i;

	begin(0);
	unload();
	facts.tables = DOCTOR_NO_TABLES;
	facts.has_sys = facts.has_pmu = false;
	try(&tries.plain, 0, 1, 0);
	try(&tries.branches, 0, 1, 1);
	for (i = 0; i < sizeof(of_sys) / sizeof(*of_sys); i++)
		EXPECT(of_sys[i], DOCTOR_UNKNOWN, "not known, as /sys is not mounted",
		       "mount -t sysfs sysfs /sys");
	CHECK(verdict.usable);
	facts.has_proc = false;
	facts.paranoid = DOCTOR_PARANOID_UNKNOWN;
	EXPECT("harts", DOCTOR_UNKNOWN, "not known, as /proc is not mounted",
	       "mount -t proc proc /proc");
	EXPECT("access", DOCTOR_UNKNOWN, "not known, as /proc is not mounted",
	       "mount -t proc proc /proc");
	CHECK(verdict.usable);
	try(&tries.plain, EOPNOTSUPP, 0, 0);
	EXPECT("overflow", DOCTOR_NO,
	       "nothing can be sampled: cycles are refused (Operation not supported), no hart has Sscofpmf",
	       "use harts with Sscofpmf");
}

TEST(a_container_that_hides_tasks_is_a_note)
{
	begin(1);
	facts.contained = true;
	EXPECT("access", DOCTOR_OK, "perf_event_paranoid is 2: you can record the user code of your programs",
	       NULL);
	facts.rights = DOCTOR_RIGHTS_ALL;
	EXPECT("access", DOCTOR_NOTE,
	       "you can record everything; perf_event_paranoid is 2 for other users; you are in a container (a PID namespace): of tasks outside of it, samples do not tell the program",
	       "to record the system (-a): record outside of it, or start it with --pid=host");
}

TEST(hidden_addresses_of_the_kernel_are_a_note)
{
	begin(1);
	facts.rights = DOCTOR_RIGHTS_ALL;
	facts.kptr_restrict = 1;
	EXPECT("access", DOCTOR_OK,
	       "you can record everything; perf_event_paranoid is 2 for other users", NULL);
	facts.kptr_restrict = 2;
	EXPECT("access", DOCTOR_NOTE,
	       "you can record everything; perf_event_paranoid is 2 for other users; the kernel's functions will have no names, because kernel.kptr_restrict is 2",
	       "sysctl kernel.kptr_restrict=1");
	EXPECT("record", DOCTOR_OK,
	       "perf record -b records user code, the kernel's code (-e cycles:k), whole CPUs (-C), the system (-a)",
	       NULL);
	/* Who cannot record the kernel does not miss them. */
	facts.rights = DOCTOR_RIGHTS_NONE;
	EXPECT("access", DOCTOR_OK,
	       "perf_event_paranoid is 2: you can record the user code of your programs", NULL);
}

/* "see access" leads to a line that tells it. */
TEST(what_the_setting_allows_may_be_denied_by_something_else)
{
	begin(1);
	facts.rights = DOCTOR_RIGHTS_ALL;
	try(&tries.plain, EPERM, 0, 0);
	try(&tries.branches, EPERM, 0, 0);
	EXPECT("access", DOCTOR_NO,
	       "you can record everything; perf_event_paranoid is 2 for other users, but a container (by seccomp, or because its root is not the machine's) or a security module denies it",
	       "--cap-add PERFMON");
	EXPECT("record", DOCTOR_NO,
	       "perf record -b is refused: \"Access to performance monitoring and observability operations is limited\"; see access",
	       NULL);
	/* Where the setting is the reason, it is told alone. */
	facts.rights = DOCTOR_RIGHTS_NONE;
	facts.paranoid = 3;
	EXPECT("access", DOCTOR_NO,
	       "perf_event_paranoid is 3: only root can use perf",
	       "sysctl kernel.perf_event_paranoid=2");
}

TEST(an_event_may_open_whose_ring_is_refused)
{
	begin(1);
	try(&tries.plain, 0, 0, 0);
	try(&tries.branches, 0, 0, 0);
	tries.plain.ring_error = tries.branches.ring_error = EPERM;
	EXPECT("overflow", DOCTOR_OK, "the harts have Sscofpmf", NULL);
	EXPECT("access", DOCTOR_NO,
	       "perf_event_paranoid is 2: you can record the user code of your programs, but no ring buffer, because there may not be so much locked memory",
	       "kernel.perf_event_mlock_kb");
	EXPECT("record", DOCTOR_NO,
	       "perf record -b is refused: \"Permission error mapping pages\"; see access",
	       NULL);
	tries.branches.ring_error = ENOMEM;
	EXPECT("record", DOCTOR_NO,
	       "perf record -b is refused: Cannot allocate memory", NULL);
}

TEST(why_nothing_is_recorded_is_named)
{
	begin(1);
	try(&tries.branches, 0, 5, 0);
	EXPECT("record", DOCTOR_NO,
	       "perf record -b takes samples, but their stacks are empty", NULL);
	try(&tries.plain, 0, 0, 0);
	try(&tries.branches, 0, 0, 0);
	EXPECT("record", DOCTOR_NO,
	       "perf record -b starts, but no sample comes; see overflow", NULL);
	tries = (struct doctor_tries){ 0 };
	try(&tries.branches, EMFILE, 0, 0);
	EXPECT("record", DOCTOR_NO,
	       "perf record -b is refused: Too many open files", NULL);
	tries = (struct doctor_tries){ 0 };
	unload();
	EXPECT("record", DOCTOR_NO,
	       "perf record -b is refused: \"PMU Hardware or event type doesn't support branch stack sampling\"; see module",
	       NULL);
	try(&tries.branches, EMFILE, 0, 0);
	EXPECT("record", DOCTOR_NO,
	       "perf record -b is refused: Too many open files; see module",
	       NULL);
	CHECK(!verdict.usable);
	facts.perf[0] = 0;
	EXPECT("perf", DOCTOR_NOTE, "there is no perf tool",
	       "record with ssctr record");
}

/* A machine with very many kinds of CPUs. */
TEST(what_does_not_fit_is_left_out)
{
	static struct doctor_cpu many[1000];
	unsigned int i;

	begin(1);
	for (i = 0; i < 1000; i++)
		many[i] = (struct doctor_cpu){ .cpu = 2 * i, .depth = 1 + i };
	facts.cpus = many;
	facts.n_cpus = 1000;
	CHECK_EQ(strlen(check_of("depth")->text), sizeof(verdict.checks[0].text) - 1);
}
