// SPDX-License-Identifier: GPL-2.0-only
/* What is read of a machine, made of files here, and what is tried on this one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "module-build.h"
#include "test.h"

static struct doctor_facts facts;

static void put_bytes(const char *path, const char *bytes, size_t n)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "m/%s", path);
	f = fopen(test_path(name), "w");
	CHECK(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

#define TREE "sys/firmware/devicetree/base/cpus/"

/* A hart's node: "reg" of n bytes, or none. */
static void put_node(const char *node, const char *reg, size_t n, const char *isa)
{
	char path[128];

	snprintf(path, sizeof(path), TREE "%s/reg", node);
	if (n)
		put_bytes(path, reg, n);
	snprintf(path, sizeof(path), TREE "%s/riscv,isa", node);
	put(path, isa);
}

static void put_cells(unsigned int nr)
{
	const char cells[4] = { 0, 0, 0, (char)nr };

	put_bytes(TREE "#address-cells", cells, sizeof(cells));
}

static void read_facts(void)
{
	struct error error;
	char root[256];

	snprintf(root, sizeof(root), "%s/m", test_tmpdir());
	doctor_facts_free(&facts);
	CHECK_EQ(doctor_facts_read(&facts, root, &error), 0);
}

TEST(where_nothing_is_nothing_is_known)
{
	read_facts();
	CHECK_STR(facts.arch, "");
	CHECK_STR(facts.release, "");
	CHECK_STR(facts.perf, "");
	CHECK_STR(facts.said, "");
	CHECK_EQ(facts.attempt, DOCTOR_NOT_TRIED);
	CHECK_EQ(facts.n_cpus, 0);
	CHECK_EQ(facts.tables, DOCTOR_NO_TABLES);
	CHECK_EQ(facts.paranoid, DOCTOR_PARANOID_UNKNOWN);
	CHECK(!facts.has_pmu && !facts.acpi && !facts.rights);
	CHECK(!facts.has_proc && !facts.has_sys);
	CHECK(!facts.loaded && !facts.installed && !facts.headers);
	CHECK(!facts.has_state && !facts.is_opensbi);
}

TEST(cpus_and_harts_have_numbers_of_their_own)
{
	put("proc/cpuinfo", "processor\t: 3\nhart\t\t: 17\n"
			    "isa\t\t: rv64imafdc_zicsr\n"
			    "hart isa\t: rv64imafdc_sscofpmf_SSCTR\n\n"
			    "processor\t: 5\nisa : rv64i_smctr\n\n"
			    "processors: 9\n");
	put_cells(1);
	put_node("cpu@11", "\0\0\0\x11", 4, "rv64i_sscsrind");
	read_facts();
	CHECK_EQ(facts.n_cpus, 2);
	CHECK_EQ(facts.cpus[0].cpu, 3);
	CHECK_EQ(facts.cpus[0].hart, 17);
	CHECK_EQ(facts.cpus[0].exts,
		 DOCTOR_SSCOFPMF | DOCTOR_SSCTR | DOCTOR_SSCSRIND);
	CHECK_EQ(facts.cpus[1].cpu, 5);
	CHECK_EQ(facts.cpus[1].hart, 5);
	CHECK_EQ(facts.cpus[1].exts, DOCTOR_SMCTR);
	CHECK_EQ(facts.tables, DOCTOR_DEVICE_TREE);
	doctor_facts_free(&facts);
}

TEST(a_device_tree_may_say_nothing_of_extensions)
{
	put("proc/cpuinfo", "processor\t: 0\n");
	put_cells(1);
	put_node("cpu@0", "\0\0\0", 4, "");
	read_facts();
	CHECK_EQ(facts.tables, DOCTOR_DEVICE_TREE);
	CHECK_EQ(facts.cpus[0].exts, 0);
	doctor_facts_free(&facts);
}

/* QEMU numbers nodes in decimal, and the specification in hexadecimal. Hart 16 is not "cpu@16". */
TEST(the_name_of_a_node_does_not_tell_its_hart)
{
	put("proc/cpuinfo", "processor\t: 0\nhart\t: 10\n\n"
			    "processor\t: 1\nhart\t: 16\n\n"
			    "processor\t: 2\nhart\t: 22\n");
	put_cells(1);
	put_node("cpu@10", "\0\0\0\x0a", 4, "rv64i_ssctr");
	put_node("cpu@16", "\0\0\0\x10", 4, "rv64i_smctr");
	put_node("cpu@22", "\0\0\0\x16", 4, "rv64i_sscsrind");
	read_facts();
	CHECK_EQ(facts.cpus[0].exts, DOCTOR_SSCTR);
	CHECK_EQ(facts.cpus[1].exts, DOCTOR_SMCTR);
	CHECK_EQ(facts.cpus[2].exts, DOCTOR_SSCSRIND);
	put_node("cpu@a", "\0\0\0\x0a", 4, "rv64i_sscofpmf");
	put_node("cpu@10", "\0\0\0\x10", 4, "rv64i_smstateen");
	put_node("cpu@16", "\0\0\0\x16", 4, "rv64i_smcsrind");
	put_node("cpu@22", "\0\0\0\x22", 4, "rv64i_ssctr");
	read_facts();
	CHECK_EQ(facts.cpus[0].exts, DOCTOR_SSCOFPMF);
	CHECK_EQ(facts.cpus[1].exts, DOCTOR_SMSTATEEN);
	CHECK_EQ(facts.cpus[2].exts, DOCTOR_SMCSRIND);
	doctor_facts_free(&facts);
}

TEST(a_kernel_tells_that_it_loads_only_signed_modules)
{
	put("sys/module/module/parameters/sig_enforce", "N\n");
	put("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	read_facts();
	CHECK(!facts.signed_only);
	put("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	read_facts();
	CHECK_STR(facts.signed_only, "lockdown");
	put("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	read_facts();
	CHECK_STR(facts.signed_only, "lockdown");
	put("sys/module/module/parameters/sig_enforce", "Y\n");
	read_facts();
	CHECK_STR(facts.signed_only, "module.sig_enforce");
	doctor_facts_free(&facts);
}

TEST(a_hart_may_take_two_cells)
{
	put("proc/cpuinfo", "processor\t: 0\nhart\t: 4294967298\n\n"
			    "processor\t: 1\nhart\t: 2\n");
	put_cells(2);
	put_node("cpu@0", "\0\0\0\1\0\0\0\2", 8, "rv64i_ssctr");
	put_node("cpu@1", "\0\0\0\0\0\0\0\2", 8, "rv64i_smctr");
	read_facts();
	CHECK_EQ(facts.cpus[0].exts, DOCTOR_SSCTR);
	CHECK_EQ(facts.cpus[1].exts, DOCTOR_SMCTR);
	doctor_facts_free(&facts);
}

TEST(a_node_whose_hart_is_not_known_tells_nothing)
{
	put("proc/cpuinfo", "processor\t: 0\nhart\t: 0\n\n"
			    "processor\t: 1\nhart\t: 1\n");
	put_cells(1);
	put_node("cpu@0", NULL, 0, "rv64i_ssctr");
	put_node("cpu@1", "\0\0\1", 3, "rv64i_ssctr");
	put_node("cpus@0", "\0\0\0", 4, "rv64i_ssctr");
	put(TREE "cpu@2", "not a folder");
	read_facts();
	CHECK_EQ(facts.tables, DOCTOR_NO_TABLES);
	CHECK(!facts.cpus[0].exts && !facts.cpus[1].exts);
	/* Half of an address of two cells. */
	put_cells(2);
	put_node("cpu@0", "\0\0\0", 4, "rv64i_ssctr");
	read_facts();
	CHECK_EQ(facts.tables, DOCTOR_NO_TABLES);
	/* Numbers of cells that no hart has. */
	put_node("cpu@1", "\0\0\0\0\0\0\0\0\0\0\0", 12, "rv64i_ssctr");
	put_cells(0);
	read_facts();
	CHECK_EQ(facts.tables, DOCTOR_NO_TABLES);
	put_cells(3);
	read_facts();
	CHECK_EQ(facts.tables, DOCTOR_NO_TABLES);
	put_bytes(TREE "#address-cells", "\0\0\1", 3);
	read_facts();
	CHECK_EQ(facts.tables, DOCTOR_NO_TABLES);
	doctor_facts_free(&facts);
}

TEST(the_modules_state_is_of_cpus_that_are_there)
{
	put("proc/cpuinfo", "processor\t: 0\n\nprocessor\t: 1\n");
	put("sys/kernel/debug/ssctr/state",
	    "hooked 0\ncpu depth writable sctrctl\n"
	    "1 64 0xff 0 0 0\n7 32 0x1 0 0 0\n");
	read_facts();
	CHECK(!facts.has_state);
	put("sys/module/ssctr/parameters/depth", "256\n");
	read_facts();
	CHECK(facts.loaded && facts.has_state);
	CHECK_EQ(facts.cpus[0].depth, 0);
	CHECK_EQ(facts.cpus[1].depth, 64);
	CHECK_EQ(facts.cpus[1].writable, 0xff);
	doctor_facts_free(&facts);
}

#define MODULES "lib/modules/6.12.1/"

/* What is installed at a path below MODULES, of a source. */
static void put_module(const char *path, const char *srcversion)
{
	char at[128], info[256];
	struct modb b;
	int n;

	/* As in those that kbuild makes. The second has another name. */
	n = snprintf(info, sizeof(info), "version=0.1%csrcversions=X%c%csrcversion=%s%clicense=GPL",
		     0, 0, 0, srcversion, 0);
	modb_begin(&b);
	modb_section(&b, ".modinfo", (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC },
		     info, n + 1);
	modb_finish(&b);
	snprintf(at, sizeof(at), MODULES "%s", path);
	put_bytes(at, (const char *)b.file.p, b.file.n);
	modb_free(&b);
}

/* With tools, as DKMS does. What is there is replaced. */
static void pack_module(const char *tool)
{
	char command[512];

	snprintf(command, sizeof(command), "%s -fq %s/m/" MODULES "updates/ssctr.ko", tool,
		 test_tmpdir());
	CHECK_EQ(system(command), 0);
}

TEST(the_module_that_is_loaded_may_be_another_build)
{
	put("proc/sys/kernel/osrelease", "6.12.1\n");
	put("sys/module/ssctr/parameters/depth", "256\n");
	put("sys/module/ssctr/srcversion", "533BB7E5866E52F63B9ACCB\n");
	/* Of these, modprobe ssctr loads the one in the folder updates. */
	put(MODULES "modules.dep", "extra/ssctr_snapshot.ko: updates/ssctr.ko\n"
				   "updates/ssctr.ko: kernel/x.ko\n");
	put_module("extra/ssctr_snapshot.ko", "OTHER");
	put_module("extra/ssctr.ko", "OTHER");
	put_module("updates/ssctr.ko", "533BB7E5866E52F63B9ACCB");
	read_facts();
	CHECK(facts.installed && !facts.other_build);
	put_module("updates/ssctr.ko", "533BB7E5866E52F63B9ACC");
	read_facts();
	CHECK(facts.other_build);
	/* Nothing to compare with. */
	put(MODULES "updates/ssctr.ko", "no module");
	read_facts();
	CHECK(facts.installed && !facts.other_build);
	doctor_facts_free(&facts);
}

TEST(the_module_that_is_installed_may_be_compressed)
{
	static const struct {
		const char *tool, *dep;
	} forms[] = {
		{ "xz", "updates/ssctr.ko.xz:\n" },
		{ "zstd --rm", "updates/ssctr.ko.zst:\n" },
		{ "gzip", "/" MODULES "updates/ssctr.ko.gz:\n" },
	};
	size_t i;

	put("proc/sys/kernel/osrelease", "6.12.1\n");
	put("sys/module/ssctr/parameters/depth", "256\n");
	put("sys/module/ssctr/srcversion", "ONE\n");
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		put(MODULES "modules.dep", forms[i].dep);
		put_module("updates/ssctr.ko", "ONE");
		pack_module(forms[i].tool);
		read_facts();
		CHECK(facts.installed && !facts.other_build);
		put_module("updates/ssctr.ko", "TWO");
		pack_module(forms[i].tool);
		read_facts();
		CHECK(facts.other_build);
	}
	doctor_facts_free(&facts);
}

TEST(the_last_word_of_the_module_counts)
{
	put("dev/kmsg",
	    "6,1,0,-;SBI implementation ID=0x1 Version=0x10009\n"
	    "3,2,0,-;ssctr: refused: no harts\n"
	    "6,3,0,-;ssctr: branch records on 2 of 2 CPUs, 32 deep\n"
	    "6,4,0,-;ssctr: something else\n");
	read_facts();
	CHECK_STR(facts.said, "branch records on 2 of 2 CPUs, 32 deep");
	CHECK_EQ(facts.attempt, DOCTOR_LOADED);
	CHECK(facts.is_opensbi);
	CHECK_EQ(facts.sbi_version, 0x10009);
	doctor_facts_free(&facts);
}

TEST(the_last_attempt_may_be_one_that_the_kernel_refused)
{
	static const struct {
		const char *says;
		enum doctor_attempt attempt;
	} lines[] = {
		{ "refused: oops=257, a buffer has at most 256 records", DOCTOR_REFUSED },
		{ "`-1' invalid for parameter `oops'", DOCTOR_BAD_PARAMETER },
		{ "`x' too large for parameter `y'", DOCTOR_BAD_PARAMETER },
		{ "version magic '6.12.1 SMP' should be '7.2.11 SMP'", DOCTOR_OTHER_KERNEL },
		{ "disagrees about version of symbol module_layout", DOCTOR_OTHER_KERNEL },
		{ "Unknown symbol perf_x (err -2)", DOCTOR_OTHER_KERNEL },
		{ "branch records on 1 of 1 CPUs, 16 deep", DOCTOR_LOADED },
	};
	char log[2048] = "3,1,0,-;ssctr: refused: before\n";
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		/* Neither ends an attempt. */
		snprintf(log + strlen(log), sizeof(log) - strlen(log),
			 "3,2,0,-;ssctr: %s\n"
			 "4,3,0,-;ssctr: unknown parameter 'x' ignored\n"
			 "4,4,0,-;ssctr: loading out-of-tree module taints kernel.\n",
			 lines[i].says);
		put("dev/kmsg", log);
		read_facts();
		CHECK_STR(facts.said, lines[i].says);
		CHECK_EQ(facts.attempt, lines[i].attempt);
	}
	doctor_facts_free(&facts);
}

TEST(levels_and_privileges_are_numbers)
{
	put("proc/sys/kernel/perf_event_paranoid", "-1\n");
	put("proc/sys/kernel/kptr_restrict", "2\n");
	put("proc/self/status", "Name:\tx\nCapEff:\t0000000000200000\n");
	read_facts();
	CHECK_EQ(facts.paranoid, -1);
	CHECK(facts.has_proc);
	CHECK_EQ(facts.kptr_restrict, 2);
	CHECK_EQ(facts.rights, DOCTOR_RIGHTS_ALL);
	put("proc/sys/kernel/perf_event_paranoid", "none\n");
	put("proc/self/status", "Name:\tx\nCapEff:\t0000000000100000\n");
	read_facts();
	CHECK_EQ(facts.paranoid, DOCTOR_PARANOID_UNKNOWN);
	CHECK_EQ(facts.rights, DOCTOR_RIGHTS_NONE);
	doctor_facts_free(&facts);
}

/* As in a rootless container. perf asks what a process may in the first namespace. */
TEST(root_of_another_user_namespace_has_the_rights_of_a_user)
{
	static const struct {
		const char *uid_map;
		enum doctor_rights rights;
	} maps[] = {
		{ "         0          0 4294967295\n", DOCTOR_RIGHTS_ALL },
		{ "         0       1000          1\n", DOCTOR_RIGHTS_CONTAINED },
		{ "         0          0          1\n", DOCTOR_RIGHTS_CONTAINED },
		{ "0 100000 65536\n65536 0 1\n", DOCTOR_RIGHTS_CONTAINED },
		{ "", DOCTOR_RIGHTS_ALL }, /* a kernel without them */
	};
	size_t i;

	put("proc/sys/kernel/perf_event_paranoid", "2\n");
	for (i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
		put("proc/self/uid_map", maps[i].uid_map);
		put("proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
		read_facts();
		CHECK_EQ(facts.rights, maps[i].rights);
		put("proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
		read_facts();
		CHECK_EQ(facts.rights, DOCTOR_RIGHTS_NONE);
	}
	doctor_facts_free(&facts);
}

/* It answers in either way, on any machine. */
TEST(this_machine_is_tried)
{
	static struct doctor_verdict verdict;
	struct doctor_tries tries = { 0 };
	struct error error;

	CHECK_EQ(doctor_facts_read(&facts, "", &error), 0);
	CHECK(facts.n_cpus > 0 && *facts.release);
	doctor_try(&tries, &facts);
	CHECK(tries.plain.done && tries.branches.done);
	CHECK(tries.kernel.done && tries.system.done);
	CHECK(!tries.plain.error || !tries.plain.samples);
	CHECK(!tries.branches.error || !tries.branches.entries);
	doctor_judge(&facts, &tries, &verdict);
	CHECK(verdict.n_checks > 0);
	doctor_facts_free(&facts);
}
