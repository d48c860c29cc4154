// SPDX-License-Identifier: GPL-2.0-only
/* ssctr doctor, on machines that are made up of files. */
#include "cmd-run.h"

static const char *root(void)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/machine", test_tmpdir());
	return path;
}

static void put(const char *path, const char *data, size_t n)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "machine/%s", path);
	f = fopen(test_path(name), "w");
	CHECK(f);
	CHECK_EQ(fwrite(data, 1, n, f), n);
	CHECK(!fclose(f));
}

static void text(const char *path, const char *s)
{
	put(path, s, strlen(s));
}

static void gone(const char *path)
{
	CHECK_EQ(run("rm -r %s/%s", root(), path), 0);
}

#define CPUINFO(_cpu, _hart, _exts)                                            \
	"processor\t: " _cpu "\nhart\t\t: " _hart                              \
	"\nisa\t\t: rv64imafdc_zicsr\nmmu\t\t: sv57\n"                         \
	"hart isa\t: rv64imafdc_zicsr" _exts "\n\n"

#define TREE "sys/firmware/devicetree/base/cpus/"
#define ISA_LIST "i\0m\0smcsrind\0smctr\0sscofpmf\0sscsrind\0ssctr\0sstc"

#define STATE_HEAD                                                             \
	"hooked 0\ntasks 0\nrefused 0\n"                                       \
	"cpu depth writable sctrctl events samples\n"

/* Two harts with all that records need, whose hart ids are not their CPUs'. */
static void make_machine(void)
{
	text("proc/cpuinfo", CPUINFO("0", "10", "_sscofpmf_sstc")
			     CPUINFO("1", "11", "_sscofpmf_sstc"));
	put(TREE "#address-cells", "\0\0\0\1", 4);
	put(TREE "cpu@a/reg", "\0\0\0\xa", 4);
	put(TREE "cpu@b/reg", "\0\0\0\xb", 4);
	put(TREE "cpu@a/riscv,isa-extensions", ISA_LIST, sizeof(ISA_LIST));
	put(TREE "cpu@b/riscv,isa-extensions", ISA_LIST, sizeof(ISA_LIST));
	text("proc/sys/kernel/arch", "riscv64\n");
	text("proc/sys/kernel/osrelease", "6.12.107-riscv64\n");
	text("proc/sys/kernel/perf_event_paranoid", "2\n");
	text("proc/self/status", "Name:\tssctr\nCapEff:\t0000000000000000\n");
	text("sys/bus/event_source/devices/cpu/type", "4\n");
	text("usr/bin/perf", "");
}

static void load_module(void)
{
	text("sys/module/ssctr/parameters/depth", "256\n");
	text("sys/bus/event_source/devices/cpu/caps/branches", "256\n");
	text("sys/kernel/debug/ssctr/state",
	     STATE_HEAD "0 256 0xff2e00001083 0 0 0\n"
			"1 256 0xff2e00001083 0 0 0\n");
	text("dev/kmsg", "6,4,0,-;SBI implementation ID=0x1 Version=0x10009\n"
			 "6,9,9,-;ssctr: branch records on 2 of 2 CPUs, 256 deep\n");
}

static int doctor(void)
{
	return run("ssctr doctor --root %s", root());
}

/* The line of a check in what was printed. */
static const char *line_of(const char *name)
{
	static char line[600];
	const char *at = run_out, *end;

	for (; (end = strchr(at, '\n')); at = end + 1) {
		if (end - at < 8 || strncmp(at + 6, name, strlen(name)) ||
		    at[6 + strlen(name)] != ' ')
			continue;
		/* A remedy is the line after. */
		if (end[1] == ' ')
			end = strchr(end + 1, '\n');
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		return line;
	}
	test_fail(__FILE__, __LINE__, "no %s in: %s", name, run_out);
}

#define CHECK_LINE(_name, _status, _text)                                      \
	do {                                                                   \
		const char *_line = line_of(_name);                            \
		if (strncmp(_line, _status, strlen(_status)) ||                \
		    !strstr(_line, _text))                                     \
			test_fail(__FILE__, __LINE__,                          \
				  "not \"%s\" with \"%s\": %s", _status,       \
				  _text, _line);                               \
	} while (0)

TEST(all_is_there)
{
	make_machine();
	load_module();
	CHECK_EQ(doctor(), 0);
	CHECK_PRINTS(
		"ok    machine   riscv64\n"
		"ok    harts     CPUs 0-1: ssctr smctr sscsrind smcsrind sscofpmf\n"
		"ok    firmware  grants access to the records\n"
		"ok    kernel    6.12.107-riscv64\n"
		"ok    pmu       the kernel has a PMU named cpu\n"
		"ok    overflow  the harts have Sscofpmf\n"
		"ok    module    loaded: branch records on 2 of 2 CPUs, 256 deep\n"
		"ok    depth     256 records on CPUs 0-1\n"
		"ok    filters   the harts filter every kind; call stacks by --call-graph lbr\n"
		"ok    access    perf_event_paranoid is 2: you can record the user code of your programs\n"
		"ok    perf      /usr/bin/perf\n"
		"ok    record    perf record -b records user code\n"
		"This machine can record branches.\n");
}

TEST(json)
{
	make_machine();
	CHECK_EQ(run("ssctr doctor --json --root %s >%s/json; s=$?; "
		     "cat %s/json; exit $s", root(), test_tmpdir(),
		     test_tmpdir()), 1);
	CHECK(strstr(run_out,
		     "{\"usable\":false,\"machine\":\"riscv64\","
		     "\"kernel\":\"6.12.107-riscv64\",\"loaded\":false,"
		     "\"depth\":0,\"cpus\":[{\"cpu\":0,\"hart\":10,"
		     "\"extensions\":[\"ssctr\",\"smctr\",\"sscsrind\","
		     "\"smcsrind\",\"sscofpmf\"]},{\"cpu\":1,\"hart\":11,") ==
	      run_out);
	CHECK(strstr(run_out, "{\"name\":\"module\",\"status\":\"no\","
			      "\"text\":\"not loaded, and not installed for this "
			      "kernel\",\"remedy\":\"install "));
	CHECK(strstr(run_out, "{\"name\":\"depth\",\"status\":\"unknown\","));
	load_module();
	CHECK_EQ(run("ssctr doctor -j --root %s", root()), 0);
	CHECK(strstr(run_out, "{\"usable\":true,") == run_out);
	CHECK(strstr(run_out, "\"loaded\":true,\"depth\":256,"));
	CHECK(strstr(run_out, "\"sscofpmf\"],\"depth\":256}],\"checks\":"));
}

TEST(another_machine)
{
	text("proc/sys/kernel/arch", "x86_64\n");
	text("proc/sys/kernel/osrelease", "6.1.0\n");
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("machine", "NO", "x86_64");
	CHECK_LINE("machine", "NO", "-> record on a RISC-V machine");
	CHECK_LINE("kernel", "ok", "6.1.0");
	CHECK_LINE("record", "NO", "");
	CHECK(!strstr(run_out, "harts"));
}

TEST(nothing_is_known)
{
	CHECK_EQ(run("mkdir %s", root()), 0);
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("machine", "NO", "/proc");
	CHECK_LINE("kernel", "?", "");
	CHECK_LINE("access", "?", "not known, as /proc is not mounted");
	CHECK_LINE("perf", "note", "-> record with ssctr record, or install linux-perf");
}

TEST(no_perf_events)
{
	make_machine();
	gone("proc/sys/kernel/perf_event_paranoid");
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("access", "NO", "CONFIG_PERF_EVENTS");
}

TEST(without_sys_nothing_is_known_of_it)
{
	make_machine();
	gone("sys");
	text("proc/cpuinfo", "processor\t: 0\n");
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("harts", "?", "/sys is not mounted");
	CHECK_LINE("pmu", "?", "/sys is not mounted");
	CHECK_LINE("module", "?", "-> mount -t sysfs sysfs /sys");
}

TEST(no_hart_records)
{
	make_machine();
	put(TREE "cpu@a/riscv,isa-extensions", "i\0sscofpmf", 11);
	put(TREE "cpu@b/riscv,isa-extensions", "i\0sscofpmf", 11);
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("harts", "NO", "the device tree (CPUs 0-1: sscofpmf)");
	CHECK_LINE("harts", "NO", "-> use harts with Ssctr");
	CHECK_LINE("firmware", "?", "");
	CHECK_LINE("record", "NO", "see harts");
}

TEST(the_older_form_of_device_trees)
{
	make_machine();
	gone(TREE "cpu@a/riscv,isa-extensions");
	gone(TREE "cpu@b/riscv,isa-extensions");
	text(TREE "cpu@a/riscv,isa", "rv64imafdc_sscsrind_ssctr");
	text(TREE "cpu@b/riscv,isa", "rv64imafdc_sscsrind_xssctr_ssctrx");
	doctor();
	CHECK_LINE("harts", "note", "CPU 0: ssctr sscsrind sscofpmf; "
				    "CPU 1: sscsrind sscofpmf;");
	CHECK_LINE("harts", "note", "empty stacks on CPU 1,");
}

TEST(records_that_cannot_be_read)
{
	make_machine();
	put(TREE "cpu@a/riscv,isa-extensions", "i\0ssctr", 8);
	put(TREE "cpu@b/riscv,isa-extensions", "i\0ssctr", 8);
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("harts", "NO", "no hart has Sscsrind");
}

TEST(cpus_that_are_off_are_no_part_of_a_range)
{
	make_machine();
	text("proc/cpuinfo", CPUINFO("0", "10", "") CPUINFO("2", "11", "")
			     CPUINFO("3", "11", ""));
	doctor();
	CHECK_LINE("harts", "ok", "CPUs 0,2-3: ssctr");
}

/* A table with one node for each ISA string, as "ACPI for RISC-V" lays it out. */
static void acpi_table(const char *const *isas, size_t n, uint32_t cut)
{
	char table[1024] = "RHCT";
	size_t at = 56, i;

	table[52] = (char)at;
	for (i = 0; i < n; i++) {
		size_t len = strlen(isas[i]) + 1;

		table[at + 2] = (char)(8 + len);
		table[at + 4] = 1;
		table[at + 6] = (char)len;
		memcpy(table + at + 8, isas[i], len);
		at += 8 + len;
	}
	put("sys/firmware/acpi/tables/RHCT", table, at - cut);
}

TEST(acpi_tables)
{
	static const char *const isas[] = {
		"rv64imafdc_sscsrind_ssctr_smstateen",
		"rv64imafdc_ssctr_sscsrind",
	};

	make_machine();
	gone("sys/firmware/devicetree");
	acpi_table(isas, 1, 0);
	doctor();
	CHECK_LINE("harts", "ok", "CPUs 0-1: ssctr sscsrind sscofpmf smstateen");
	acpi_table(isas, 2, 0);
	doctor();
	CHECK_LINE("harts", "ok", "CPUs 0-1: ssctr sscsrind sscofpmf");
	CHECK(!strstr(line_of("harts"), "smstateen"));
	/* Cut short, and pointing behind its end. */
	acpi_table(isas, 1, 3);
	doctor();
	CHECK_LINE("harts", "?", "only root can read ACPI's tables");
	put("sys/firmware/acpi/tables/RHCT", "RHCT", 4);
	doctor();
	CHECK_LINE("harts", "?", "-> run ssctr doctor as root");
}

static void with_smstateen(void)
{
	static const char isa[] = ISA_LIST "\0smstateen";

	put(TREE "cpu@a/riscv,isa-extensions", isa, sizeof(isa));
	put(TREE "cpu@b/riscv,isa-extensions", isa, sizeof(isa));
}

TEST(firmware)
{
	static const struct {
		const char *log, *status, *text;
	} logs[] = {
		{ "6,4,0,-;SBI implementation ID=0x1 Version=0x10006\n", "NO",
		  "OpenSBI 1.6 does not" },
		{ "6,4,0,-;SBI implementation ID=0x1 Version=0x10007\n", "?",
		  "not known" },
		{ "6,4,0,-;SBI implementation ID=0x1 Version=0x10009\n", "ok",
		  "OpenSBI 1.9 grants" },
		{ "6,4,0,-;SBI implementation ID=0x2 Version=0x10009\n", "?",
		  "not known" },
		{ "", "?", "not known" },
		{ "6,4,0,-;SBI implementation ID=0x1 Version=0x10009\n"
		  "3,9,9,-;ssctr: refused: hart of CPU 0 has records, but the "
		  "firmware does not grant access to its records\n",
		  "NO", "does not grant access" },
	};
	size_t i;

	make_machine();
	doctor();
	CHECK_LINE("firmware", "ok", "nothing to grant");
	with_smstateen();
	for (i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		const char *line;

		text("dev/kmsg", logs[i].log);
		CHECK_EQ(doctor(), 1);
		line = line_of("firmware");
		if (strncmp(line, logs[i].status, strlen(logs[i].status)) ||
		    !strstr(line, logs[i].text))
			test_fail(__FILE__, __LINE__, "%s: %s", logs[i].log,
				  line);
	}
	CHECK_LINE("module", "NO", "it refused: hart of CPU 0 has records");
	CHECK_LINE("module", "NO", "-> remove the reason");
	CHECK_LINE("record", "NO", "see firmware");
}

TEST(kernels_that_nobody_tried)
{
	make_machine();
	text("proc/sys/kernel/osrelease", "6.13.1\n");
	doctor();
	CHECK_LINE("kernel", "note", "6.13.1: the module is tested with");
	text("proc/sys/kernel/osrelease", "6.6.30\n");
	doctor();
	CHECK_LINE("kernel", "NO", "6.6.30: the module needs 6.12 or newer");
	CHECK_LINE("kernel", "NO", "-> use Linux 6.12 or newer");
	text("proc/sys/kernel/osrelease", "7.2.11-riscv64\n");
	doctor();
	CHECK_LINE("kernel", "ok", "7.2.11-riscv64");
}

TEST(no_pmu)
{
	make_machine();
	gone("sys/bus");
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("pmu", "NO", "-> use firmware with the SBI PMU extension");
	CHECK_LINE("record", "NO", "see pmu");
}

TEST(no_overflow_interrupt)
{
	make_machine();
	text("proc/cpuinfo", CPUINFO("0", "0", ""));
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("overflow", "NO", "-> use harts with Sscofpmf");
}

TEST(how_the_module_comes)
{
	make_machine();
	doctor();
	CHECK_LINE("module", "NO", "-> install linux-headers-$(uname -r)");
	text("lib/modules/6.12.107-riscv64/build/Makefile", "");
	doctor();
	CHECK_LINE("module", "NO", "-> install the package ssctr-dkms (`make deb` in ssctr's sources makes it), or");
	text("var/lib/dkms/ssctr/0.1/build/make.log", "");
	doctor();
	CHECK_LINE("module", "NO", "-> dkms autoinstall && systemctl start ssctr; ");
	text("lib/modules/6.12.107-riscv64/modules.dep",
	     "kernel/fs/ext4.ko:\nupdates/dkms/ssctr.ko.xz:\n");
	doctor();
	CHECK_LINE("module", "NO", "not loaded\n");
	CHECK_LINE("module", "NO", "-> modprobe ssctr");
	CHECK_LINE("depth", "?", "before the module is loaded");
	CHECK_LINE("filters", "?", "before the module is loaded");
}

TEST(harts_that_differ)
{
	make_machine();
	load_module();
	text("sys/kernel/debug/ssctr/state",
	     STATE_HEAD "0 64 0x280000001003 0 0 0\n1 0 0 0 0 0\n");
	put(TREE "cpu@b/riscv,isa-extensions", "i\0sscsrind", 11);
	CHECK_EQ(doctor(), 0);
	CHECK_LINE("depth", "ok", "64 records on CPU 0, none on CPU 1");
	CHECK_LINE("filters", "note",
		   "every kind but conditional branches, direct calls, "
		   "indirect calls, indirect jumps, direct jumps with linkage, "
		   "indirect jumps with linkage, co-routine swaps, exceptions, "
		   "interrupts, trap returns, which the module does; "
		   "no call stacks");
	/* Which are left: returns and direct jumps, bits 45 and 43. */
	CHECK(!strstr(line_of("filters"), "returns, direct"));
}

TEST(the_state_is_not_to_be_read)
{
	make_machine();
	load_module();
	gone("sys/kernel/debug");
	CHECK_EQ(doctor(), 0);
	CHECK_LINE("depth", "ok", "at most 256 records");
	CHECK_LINE("filters", "?", "-> run ssctr doctor as root");
}

TEST(what_a_user_may)
{
	static const struct {
		const char *level, *text;
		bool may;
	} levels[] = {
		{ "4", "is limited\"; see access", false },
		{ "3", "is limited\"; see access", false },
		{ "2", "records user code\n", true },
		{ "1", "records user code, the kernel's code (-e cycles:k)\n",
		  true },
		{ "0", ", whole CPUs (-C), the system (-a)\n", true },
		{ "-1", ", whole CPUs (-C), the system (-a)\n", true },
	};
	size_t i;

	make_machine();
	load_module();
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		text("proc/sys/kernel/perf_event_paranoid", levels[i].level);
		CHECK_EQ(doctor(), !levels[i].may);
		CHECK(strstr(run_out, levels[i].text));
		CHECK_LINE("access", levels[i].may ? "ok" : "NO",
			   levels[i].level);
	}
	/* CAP_PERFMON alone, and CAP_SYS_ADMIN alone, which Debian's level 3 wants. */
	text("proc/sys/kernel/perf_event_paranoid", "2");
	text("proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
	CHECK_EQ(doctor(), 0);
	CHECK_LINE("access", "ok", "you can record everything");
	text("proc/sys/kernel/perf_event_paranoid", "3");
	CHECK_EQ(doctor(), 1);
	CHECK_LINE("access", "NO", "perf_event_paranoid is 3: only root can use perf");
	CHECK(strstr(run_out, "or: sysctl kernel.perf_event_paranoid=2"));
	text("proc/self/status", "Name:\tx\nCapEff:\t0000000000200000\n");
	CHECK_EQ(doctor(), 0);
	CHECK_LINE("access", "ok", "you can record everything");
}

TEST(perf_of_another_root_is_not_looked_for_by_this_path)
{
	make_machine();
	load_module();
	run("s=$(command -v ssctr); PATH=/nowhere; $s doctor --root %s", root());
	CHECK_LINE("perf", "ok", "/usr/bin/perf");
}

TEST(perf_of_this_machine_is_the_one_of_the_path)
{
	char want[160];

	CHECK_EQ(run("mkdir %s/bin && cp /bin/true %s/bin/perf", test_tmpdir(),
		     test_tmpdir()), 0);
	snprintf(want, sizeof(want), "perf      %s/bin/perf\n", test_tmpdir());
	run("s=$(command -v ssctr); PATH=/nowhere:%s/bin; $s doctor",
	    test_tmpdir());
	CHECK(strstr(run_out, want));
}

TEST(this_machine)
{
	int status = run("ssctr doctor");

	CHECK(status == 0 || status == 1);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, status ? "This machine cannot record branches.\n" :
				       "This machine can record branches.\n"));
}

TEST(mistakes)
{
	CHECK_EQ(run("ssctr doctor now"), 2);
	CHECK_SAYS("unexpected argument 'now'");
	CHECK_EQ(run("ssctr doctor --root /nowhere"), 1);
	CHECK_SAYS("/nowhere: not a folder");
}
