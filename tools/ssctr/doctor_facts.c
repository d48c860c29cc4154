// SPDX-License-Identifier: GPL-2.0-only
/* What a machine says of itself in /proc, /sys, /dev and /lib. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"

static const char *const ext_names[N_EXTS] = {
	"ssctr", "smctr", "sscsrind", "smcsrind", "sscofpmf", "smstateen",
};

const char *doctor_ext_name(unsigned int bit)
{
	return bit < N_EXTS ? ext_names[bit] : NULL;
}

/* ---------------------------------------------------------------------- files */

/* Enough for any file that is read whole. */
enum { FILE_ROOM = 4 << 20 };

struct reader {
	const char *root;
	char *buf; /* FILE_ROOM bytes */
	size_t size;
};

__attribute__((format(printf, 3, 0))) static bool
make_path(const struct reader *in, char path[PATH_MAX], const char *fmt,
	  va_list ap)
{
	int n = snprintf(path, PATH_MAX, "%s", in->root);
	int more;

	if (n >= PATH_MAX)
		return false;
	more = vsnprintf(path + n, (size_t)(PATH_MAX - n), fmt, ap);
	return more < PATH_MAX - n;
}

/*
 * The file's bytes with a 0 behind them, up to FILE_ROOM, in in->buf. /dev/kmsg gives
 * a record at each read, EPIPE for those it has lost meanwhile, EAGAIN at the end.
 */
__attribute__((format(printf, 2, 3))) static bool
read_file(struct reader *in, const char *fmt, ...)
{
	char path[PATH_MAX];
	ssize_t n = 0;
	bool made;
	va_list ap;
	int fd;

	va_start(ap, fmt);
	made = make_path(in, path, fmt, ap);
	va_end(ap);
	in->size = 0;
	in->buf[0] = 0;
	fd = made ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	while (in->size < FILE_ROOM - 1) {
		n = read(fd, in->buf + in->size, FILE_ROOM - 1 - in->size);
		if (n > 0)
			in->size += (size_t)n;
		else if (!n || errno != EPIPE)
			break;
	}
	close(fd);
	in->buf[in->size] = 0;
	return n >= 0 || in->size;
}

__attribute__((format(printf, 2, 3))) static bool
exists(const struct reader *in, const char *fmt, ...)
{
	char path[PATH_MAX];
	bool made;
	va_list ap;

	va_start(ap, fmt);
	made = make_path(in, path, fmt, ap);
	va_end(ap);
	return made && !access(path, F_OK);
}

/* The next line of in->buf, without its end; NULL behind the last. */
static char *next_line(char **at)
{
	char *line = *at;
	char *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	*at = end ? end + 1 : line + strlen(line);
	if (end)
		*end = 0;
	return line;
}

/* The first line of a file of one, cut to what fits. */
static void read_word(struct reader *in, const char *path, char *word,
		      size_t room)
{
	if (!read_file(in, "%s", path))
		in->buf[0] = 0;
	in->buf[strcspn(in->buf, "\n")] = 0;
	snprintf(word, room, "%s", in->buf);
}

/* ----------------------------------------------------------------- extensions */

static unsigned int ext_of(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < N_EXTS; i++)
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

static struct doctor_cpu *new_cpu(struct doctor_facts *facts)
{
	struct doctor_cpu *cpus;

	cpus = reallocarray(facts->cpus, facts->n_cpus + 1, sizeof(*cpus));
	if (!cpus)
		return NULL;
	facts->cpus = cpus;
	cpus[facts->n_cpus] = (struct doctor_cpu){ 0 };
	return &cpus[facts->n_cpus++];
}

/* The value of a line "name\t: value" of /proc/cpuinfo, NULL if it is another. */
static const char *cpuinfo_value(const char *line, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(line, name, len))
		return NULL;
	line += len;
	line += strspn(line, " \t");
	return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

static bool read_cpuinfo(struct doctor_facts *facts, struct reader *in)
{
	struct doctor_cpu *cpu = NULL;
	const char *value;
	char *at, *line;

	read_file(in, "/proc/cpuinfo");
	at = in->buf;
	while ((line = next_line(&at))) {
		if ((value = cpuinfo_value(line, "processor")) &&
		    isdigit((unsigned char)*value)) {
			cpu = new_cpu(facts);
			if (!cpu)
				return false;
			cpu->cpu = (unsigned int)strtoul(value, NULL, 10);
			cpu->hart = cpu->cpu;
		} else if (cpu && (value = cpuinfo_value(line, "hart"))) {
			cpu->hart = strtoull(value, NULL, 10);
		} else if (cpu && (value = cpuinfo_value(line, "hart isa"))) {
			/* "isa" before it is what all harts have. */
			cpu->exts = exts_of_string(value);
		} else if (cpu && (value = cpuinfo_value(line, "isa"))) {
			cpu->exts = exts_of_string(value);
		}
	}
	return true;
}

static void read_device_tree(struct doctor_facts *facts, struct reader *in)
{
	size_t i;

	for (i = 0; i < facts->n_cpus; i++) {
		struct doctor_cpu *cpu = &facts->cpus[i];

		if (read_file(in, "/sys/firmware/devicetree/base/cpus/cpu@%"
				  PRIx64 "/riscv,isa-extensions", cpu->hart)) {
			cpu->exts |= exts_of(in->buf, in->size, "");
			facts->tables = TABLES_DEVICE_TREE;
		}
		/* The older form. */
		if (read_file(in, "/sys/firmware/devicetree/base/cpus/cpu@%"
				  PRIx64 "/riscv,isa", cpu->hart)) {
			cpu->exts |= exts_of_string(in->buf);
			facts->tables = TABLES_DEVICE_TREE;
		}
	}
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
	size_t at, i, len;
	bool any = false;

	facts->acpi = exists(in, "/sys/firmware/acpi/tables/RHCT");
	if (!facts->acpi || !read_file(in, "/sys/firmware/acpi/tables/RHCT") ||
	    in->size < NODES_AT + 4)
		return;
	for (at = le(in->buf + NODES_AT, 4); at + ISA_AT <= in->size; at += len) {
		len = le(in->buf + at + 2, 2);
		if (len < ISA_AT || at + len > in->size)
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
	facts->tables = TABLES_ACPI;
}

/* ----------------------------------------------------------------- the kernel */

static void read_kernel(struct doctor_facts *facts, struct reader *in)
{
	enum { CAP_ADMIN = 21, CAP_PERF = 38 };
	const char *caps;
	char *end;

	read_word(in, "/proc/sys/kernel/arch", facts->arch, sizeof(facts->arch));
	read_word(in, "/proc/sys/kernel/osrelease", facts->release,
		  sizeof(facts->release));

	facts->paranoid = PARANOID_UNKNOWN;
	if (read_file(in, "/proc/sys/kernel/perf_event_paranoid")) {
		long level = strtol(in->buf, &end, 10);

		if (end != in->buf)
			facts->paranoid = (int)level;
	}
	read_file(in, "/proc/self/status");
	caps = strstr(in->buf, "\nCapEff:");
	if (caps) {
		uint64_t set = strtoull(caps + strlen("\nCapEff:"), NULL, 16);

		facts->privileged = set >> CAP_ADMIN & 1 || set >> CAP_PERF & 1;
	}

	facts->has_pmu = exists(in, "/sys/bus/event_source/devices/cpu");
	if (read_file(in, "/sys/bus/event_source/devices/cpu/caps/branches"))
		facts->max_depth = (unsigned int)strtoul(in->buf, NULL, 10);
}

static bool lists_module(struct reader *in, const char *release,
			 const char *list)
{
	return read_file(in, "/lib/modules/%s/%s", release, list) &&
	       strstr(in->buf, "/ssctr.ko");
}

static void read_module(struct doctor_facts *facts, struct reader *in)
{
	facts->loaded = exists(in, "/sys/module/ssctr/parameters/depth");
	facts->headers = exists(in, "/lib/modules/%s/build/Makefile",
				facts->release);
	facts->installed =
		lists_module(in, facts->release, "modules.dep") ||
		lists_module(in, facts->release, "modules.builtin");
}

static struct doctor_cpu *find_cpu(struct doctor_facts *facts, unsigned int nr)
{
	size_t i;

	for (i = 0; i < facts->n_cpus; i++)
		if (facts->cpus[i].cpu == nr)
			return &facts->cpus[i];
	return NULL;
}

/* The lines behind the one of names: "cpu depth writable sctrctl ...". */
static void read_state(struct doctor_facts *facts, struct reader *in)
{
	unsigned int nr, depth;
	uint64_t writable;
	char *at, *line;

	if (!facts->loaded || !read_file(in, "/sys/kernel/debug/ssctr/state"))
		return;
	at = in->buf;
	while ((line = next_line(&at))) {
		struct doctor_cpu *cpu;

		if (sscanf(line, "%u %u %" SCNx64, &nr, &depth, &writable) != 3)
			continue;
		cpu = find_cpu(facts, nr);
		if (!cpu)
			continue;
		cpu->depth = depth;
		cpu->writable = writable;
		facts->has_state = true;
	}
}

/* What follows word in line, NULL if it is not there. */
static const char *after(const char *line, const char *word)
{
	const char *at = strstr(line, word);

	return at ? at + strlen(word) : NULL;
}

/* Lines are "6,4,0,-;SBI implementation ID=0x1 Version=0x10009". */
static void read_log(struct doctor_facts *facts, struct reader *in)
{
	const char *rest;
	char *at, *line;

	facts->has_log = read_file(in, "/dev/kmsg");
	at = in->buf;
	while ((line = next_line(&at))) {
		unsigned int id, version;

		rest = after(line, "ssctr: ");
		if (rest && (!strncmp(rest, "refused: ", 9) ||
			     !strncmp(rest, "branch records on ", 18)))
			snprintf(facts->said, sizeof(facts->said), "%s", rest);
		rest = after(line, ";SBI implementation ID=");
		if (rest && sscanf(rest, "%x Version=%x", &id, &version) == 2) {
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
		if (exists(in, "%s", facts->perf))
			return;
	}
	facts->perf[0] = 0;
}

bool doctor_facts_read(struct doctor_facts *facts, const char *root)
{
	struct reader in = { .root = root, .buf = malloc(FILE_ROOM) };
	bool ok;

	*facts = (struct doctor_facts){ 0 };
	if (!in.buf)
		return false;
	read_kernel(facts, &in);
	ok = read_cpuinfo(facts, &in);
	if (ok) {
		read_device_tree(facts, &in);
		read_acpi(facts, &in);
		read_module(facts, &in);
		read_state(facts, &in);
		read_log(facts, &in);
		find_perf(facts, &in);
	}
	free(in.buf);
	return ok;
}

void doctor_facts_free(struct doctor_facts *facts)
{
	free(facts->cpus);
}
