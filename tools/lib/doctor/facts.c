// SPDX-License-Identifier: GPL-2.0-only
/* What a machine says of itself in /proc, /sys, /dev and /lib. */
#include "doctor/access.h"
#include "doctor/doctor.h"
#include "base/array.h"
#include "base/file.h"
#include "image/modinfo.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The number of the PID namespace that has all tasks, in all kernels. */
#define ALL_TASKS UINT32_C(0xeffffffc)

/* Enough for any file that is read whole. */
enum { FILE_ROOM = 4 << 20 };

struct reader {
	const char *root;
	char *buf; /* FILE_ROOM bytes */
};

/* The file below the root, into in->buf. Returns its bytes, -1: none. */
#define READ(_in, _path, ...)                                                  \
	file_read((_in)->buf, FILE_ROOM, "%s" _path, (_in)->root, ##__VA_ARGS__)

static bool exists(const struct reader *in, const char *folder,
		   const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s%s%s", in->root, folder, name) <
		       (int)sizeof(path) &&
	       !access(path, F_OK);
}

/* ----------------------------------------------------------------- extensions */

static const char *const ext_names[DOCTOR_NR_EXTS] = {
	"ssctr", "smctr", "sscsrind", "smcsrind", "sscofpmf", "smstateen",
};

const char *doctor_ext_name(unsigned int bit)
{
	return ext_names[bit];
}

static unsigned int ext_of(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < DOCTOR_NR_EXTS; i++)
		if (strlen(ext_names[i]) == len &&
		    !strncasecmp(ext_names[i], name, len))
			return 1u << i;
	return 0;
}

/* Of names that any of the bytes in ends parts. */
static unsigned int exts_of(const char *names, size_t size, const char *ends)
{
	unsigned int exts = 0;
	size_t i, start = 0;

	for (i = 0; i <= size; i++) {
		if (i < size && names[i] && !strchr(ends, names[i]))
			continue;
		exts |= ext_of(names + start, i - start);
		start = i + 1;
	}
	return exts;
}

/* "isa" and "hart isa" of /proc/cpuinfo: rv64imafdc_zicsr_sscofpmf. */
static unsigned int exts_of_string(const char *isa)
{
	return exts_of(isa, strlen(isa), "_ \t");
}

/* Lines "name\t: value", for each CPU in turn. False: out of memory. */
static bool read_cpuinfo(struct doctor_facts *facts, struct reader *in)
{
	struct doctor_cpu *cpu = NULL;
	char *at = in->buf, *line;

	READ(in, "/proc/cpuinfo");
	while ((line = strsep(&at, "\n"))) {
		unsigned int nr;
		int value = 0;

		if (sscanf(line, "processor : %u", &nr) == 1) {
			if (!array_room(&facts->cpus, facts->n_cpus,
					&facts->cap_cpus, sizeof(*cpu)))
				return false;
			cpu = &facts->cpus[facts->n_cpus++];
			*cpu = (struct doctor_cpu){ .cpu = nr, .hart = nr };
		}
		if (!cpu)
			continue;
		sscanf(line, "hart : %" SCNu64, &cpu->hart);
		/* What all harts have, and behind it what this one has. */
		sscanf(line, "isa : %n", &value);
		sscanf(line, "hart isa : %n", &value);
		if (value)
			cpu->exts = exts_of_string(line + value);
	}
	return true;
}

/* Device trees have the most significant byte in front. */
static uint64_t be(const char *at, unsigned int size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | (unsigned char)*at++;
	return value;
}

#define CPUS "/sys/firmware/devicetree/base/cpus/"

/*
 * Which hart a node is of. Only its "reg" tells: a node's name has the number in
 * hexadecimal, as it should be, or in decimal, as of QEMU.
 */
static bool read_hart(struct reader *in, const char *node, unsigned int cells, uint64_t *hart)
{
	ssize_t n = READ(in, CPUS "%s/reg", node);

	if (n < 4 * (ssize_t)cells)
		return false;
	*hart = be(in->buf, 4 * cells);
	return true;
}

/* A list of names, or the older form. False: the node has neither. */
static bool read_node(struct reader *in, const char *node, unsigned int *exts)
{
	ssize_t n = READ(in, CPUS "%s/riscv,isa-extensions", node);

	*exts = n >= 0 ? exts_of(in->buf, n, "") : 0;
	if (READ(in, CPUS "%s/riscv,isa", node) < 0)
		return n >= 0;
	*exts |= exts_of_string(in->buf);
	return true;
}

static void read_device_tree(struct doctor_facts *facts, struct reader *in)
{
	unsigned int exts, cells;
	struct dirent *node;
	char path[PATH_MAX];
	uint64_t hart;
	DIR *cpus;
	size_t i;

	cells = READ(in, CPUS "#address-cells") == 4 ? be(in->buf, 4) : 0;
	if (cells < 1 || cells > 2 ||
	    snprintf(path, sizeof(path), "%s" CPUS, in->root) >= (int)sizeof(path))
		return;
	cpus = opendir(path);
	while (cpus && (node = readdir(cpus))) {
		if (strncmp(node->d_name, "cpu@", 4) ||
		    !read_hart(in, node->d_name, cells, &hart) ||
		    !read_node(in, node->d_name, &exts))
			continue;
		for (i = 0; i < facts->n_cpus; i++) {
			if (facts->cpus[i].hart != hart)
				continue;
			facts->cpus[i].exts |= exts;
			facts->tables = DOCTOR_DEVICE_TREE;
		}
	}
	if (cpus)
		closedir(cpus);
}

static unsigned int le(const char *at, unsigned int size)
{
	unsigned int value = 0;

	while (size--)
		value = value << 8 | (unsigned char)at[size];
	return value;
}

/*
 * ACPI's RHCT ("RISC-V Hart Capabilities Table"): nodes from the offset at 52, each
 * with its type and length in front. Where harts differ, which is whose takes other
 * tables: then only what all have is believed.
 */
static void read_acpi(struct doctor_facts *facts, struct reader *in)
{
	enum { NODES_AT = 52, ISA_NODE = 0, ISA_AT = 8 };
	unsigned int exts = ~0u;
	size_t at, i, len, size;
	bool any = false;
	ssize_t n;

	facts->acpi = exists(in, "/sys/firmware/acpi/tables/", "RHCT");
	n = READ(in, "/sys/firmware/acpi/tables/RHCT");
	if (n < NODES_AT + 4)
		return;
	size = n;
	for (at = le(in->buf + NODES_AT, 4); at + ISA_AT <= size; at += len) {
		len = le(in->buf + at + 2, 2);
		if (len < ISA_AT || at + len > size)
			break;
		if (le(in->buf + at, 2) != ISA_NODE)
			continue;
		exts &= exts_of(in->buf + at + ISA_AT, len - ISA_AT, "_");
		any = true;
	}
	if (!any)
		return;
	for (i = 0; i < facts->n_cpus; i++)
		facts->cpus[i].exts |= exts;
	facts->tables = DOCTOR_ACPI;
}

/* ----------------------------------------------------------------- the kernel */

static void read_kernel(struct doctor_facts *facts, struct reader *in)
{
	char uid_map[256];
	struct utsname name;
	struct stat ns;

	file_line(facts->arch, sizeof(facts->arch), "%s/proc/sys/kernel/arch",
		  in->root);
	file_line(facts->release, sizeof(facts->release),
		  "%s/proc/sys/kernel/osrelease", in->root);
	/* Where /proc is not mounted, the kernel still answers for itself. */
	if (!*in->root && !*facts->arch && !uname(&name)) {
		snprintf(facts->arch, sizeof(facts->arch), "%s", name.machine);
		snprintf(facts->release, sizeof(facts->release), "%s", name.release);
	}
	facts->has_proc = exists(in, "/proc/sys/", "kernel");
	facts->has_sys = exists(in, "/sys/", "bus") || exists(in, "/sys/", "firmware") ||
			 exists(in, "/sys/", "module");
	READ(in, "/proc/sys/kernel/perf_event_paranoid");
	if (sscanf(in->buf, "%d", &facts->paranoid) != 1)
		facts->paranoid = DOCTOR_PARANOID_UNKNOWN;
	READ(in, "/proc/sys/kernel/kptr_restrict");
	facts->kptr_restrict = atoi(in->buf);
	file_read(uid_map, sizeof(uid_map), "%s/proc/self/uid_map", in->root);
	READ(in, "/proc/self/status");
	facts->rights = doctor_rights(in->buf, uid_map, facts->paranoid);
	/* A copy of another machine's /proc has no such file. */
	facts->contained = !*in->root && !stat("/proc/self/ns/pid", &ns) && ns.st_ino != ALL_TASKS;
	facts->has_pmu = exists(in, "/sys/bus/event_source/devices/", "cpu");
	READ(in, "/sys/bus/event_source/devices/cpu/caps/branches");
	facts->max_depth = strtoul(in->buf, NULL, 10);
}

/* Is what modprobe would load another build than what is loaded? */
static bool is_other_build(struct reader *in, const char *folder)
{
	char loaded[64], installed[64], path[PATH_MAX];
	char *at = in->buf, *line, *end;

	if (!file_line(loaded, sizeof(loaded), "%s/sys/module/ssctr/srcversion", in->root))
		return false;
	READ(in, "%smodules.dep", folder);
	/* Lines are "updates/dkms/ssctr.ko.xz: ...", behind the colon with what it needs. */
	while ((line = strsep(&at, "\n"))) {
		end = strchr(line, ':');
		if (!end)
			continue;
		*end = 0;
		if (strstr(line, "/ssctr.ko"))
			return snprintf(path, sizeof(path), "%s%s%s", in->root,
					*line == '/' ? "" : folder, line) < (int)sizeof(path) &&
			       img_modinfo(path, "srcversion", installed, sizeof(installed)) &&
			       strcmp(loaded, installed);
	}
	return false;
}

static void read_module(struct doctor_facts *facts, struct reader *in)
{
	static const char *const lists[] = { "modules.dep", "modules.builtin" };
	char folder[256];
	unsigned int i;

	snprintf(folder, sizeof(folder), "/lib/modules/%s/", facts->release);
	facts->loaded = exists(in, "/sys/module/ssctr/parameters/", "depth");
	facts->headers = exists(in, folder, "build/Makefile");
	facts->dkms = exists(in, "/var/lib/dkms/", "ssctr");
	for (i = 0; i < 2; i++) {
		READ(in, "%s%s", folder, lists[i]);
		facts->installed |= strstr(in->buf, "/ssctr.ko") != NULL;
	}
	facts->other_build = facts->loaded && is_other_build(in, folder);
	/* The level that is in force is in brackets. */
	if (READ(in, "/sys/kernel/security/lockdown") > 0 && !strstr(in->buf, "[none]"))
		facts->signed_only = "lockdown";
	if (READ(in, "/sys/module/module/parameters/sig_enforce") > 0 && in->buf[0] == 'Y')
		facts->signed_only = "module.sig_enforce";
}

/* The lines behind the one of names: "cpu depth writable sctrctl ...". */
static void read_state(struct doctor_facts *facts, struct reader *in)
{
	unsigned int nr, depth;
	uint64_t writable;
	char *at = in->buf, *line;
	size_t i;

	if (!facts->loaded)
		return;
	READ(in, "/sys/kernel/debug/ssctr/state");
	while ((line = strsep(&at, "\n"))) {
		if (sscanf(line, "%u %u %" SCNx64, &nr, &depth, &writable) != 3)
			continue;
		for (i = 0; i < facts->n_cpus; i++) {
			if (facts->cpus[i].cpu != nr)
				continue;
			facts->cpus[i].depth = depth;
			facts->cpus[i].writable = writable;
			facts->has_state = true;
		}
	}
}

/* How an attempt to load the module ended. DOCTOR_NOT_TRIED: the line is about something else. */
static enum doctor_attempt attempt_of(const char *said)
{
	static const struct {
		const char *words;
		bool first; /* the line begins with them */
		enum doctor_attempt attempt;
	} ends[] = {
		{ "branch records on ", true, DOCTOR_LOADED },
		{ "refused: ", true, DOCTOR_REFUSED },
		{ "version magic '", true, DOCTOR_OTHER_KERNEL },
		{ "disagrees about version of symbol ", true, DOCTOR_OTHER_KERNEL },
		{ "Unknown symbol ", true, DOCTOR_OTHER_KERNEL },
		{ "' invalid for parameter `", false, DOCTOR_BAD_PARAMETER },
		{ "' too large for parameter `", false, DOCTOR_BAD_PARAMETER },
	};
	const char *at;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		at = strstr(said, ends[i].words);
		if (at && (at == said || !ends[i].first))
			return ends[i].attempt;
	}
	return DOCTOR_NOT_TRIED;
}

/* Lines are "6,4,0,-;SBI implementation ID=0x1 Version=0x10009". */
static void read_log(struct doctor_facts *facts, struct reader *in)
{
	char *at = in->buf, *line;

	READ(in, "/dev/kmsg");
	while ((line = strsep(&at, "\n"))) {
		const char *said = strstr(line, "ssctr: ");
		const char *sbi = strstr(line, ";SBI implementation ID=");
		enum doctor_attempt attempt = said ? attempt_of(said + 7) : DOCTOR_NOT_TRIED;
		unsigned int id, version;

		if (attempt) {
			facts->attempt = attempt;
			snprintf(facts->said, sizeof(facts->said), "%s", said + 7);
		}
		if (sbi && sscanf(sbi, ";SBI implementation ID=%x Version=%x",
				  &id, &version) == 2) {
			facts->is_opensbi = id == 1;
			facts->sbi_version = version;
		}
	}
}

/* As the shell finds it. */
static void find_perf(struct doctor_facts *facts, const struct reader *in)
{
	const char *path = getenv("PATH");
	size_t len;

	if (!path || *in->root)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (; *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		snprintf(facts->perf, sizeof(facts->perf), "%.*s/perf",
			 (int)len, path);
		if (exists(in, facts->perf, ""))
			return;
	}
	facts->perf[0] = 0;
}

int doctor_facts_read(struct doctor_facts *facts, const char *root,
		      struct error *error)
{
	struct reader in = { .root = root, .buf = malloc(FILE_ROOM) };

	*facts = (struct doctor_facts){ 0 };
	if (!in.buf || !read_cpuinfo(facts, &in)) {
		free(in.buf);
		return error_nomem(error);
	}
	read_kernel(facts, &in);
	read_device_tree(facts, &in);
	read_acpi(facts, &in);
	read_module(facts, &in);
	read_state(facts, &in);
	read_log(facts, &in);
	find_perf(facts, &in);
	free(in.buf);
	return 0;
}

void doctor_facts_free(struct doctor_facts *facts)
{
	free(facts->cpus);
	facts->cpus = NULL;
}
