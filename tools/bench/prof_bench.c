// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ssctr profile` and `ssctr stf` beside their peers, on recordings that prof_gen makes:
 *
 *	prof_bench [-n SAMPLES] [-r ROUNDS] [-d FOLDER] [-b PERF2BOLT]... SSCTR PROF_GEN
 *
 * Each peer of the profile that this system has is run on the same file, to the same
 * end: counted branches and ranges. llvm-profgen reads the text of perf that was made
 * before, and comes to the same counts as `ssctr profile --raw`. perf2bolt runs perf
 * itself, which counts. Of traces there is no peer: beside them stand what bounds them,
 * which is reading and compressing the same bytes, and what perf needs to print the
 * branches. Each round runs all, so that what else runs disturbs all. The least of the
 * rounds counts; the ratios are of time on the CPU and of memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *samples = "200000", *folder = "/tmp";
static unsigned int rounds = 5;
static const char *bolts[4]; /* perf2bolt in several versions */
static unsigned int nr_bolts;

struct cost {
	double wall, cpu; /* seconds */
	double mib; /* peak of resident memory of the largest process */
	double insts; /* millions; 0: not counted here */
	bool ok;
};

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "prof_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec * 1e-6;
}

/* User instructions of this process's children from their exec on; -1. */
static int open_counter(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS, .inherit = 1,
		.disabled = 1, .enable_on_exec = 1, .exclude_kernel = 1,
		.exclude_hv = 1
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static struct cost run_once(const char *command)
{
	struct cost cost = { 0 };
	struct rusage ru;
	double start = now();
	int status, pipes[2], counter;
	uint64_t insts = 0;
	pid_t pid;

	if (pipe(pipes))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		/* A child of its own is counted, whose parent reads the sum. */
		counter = open_counter();
		pid = fork();
		if (!pid) {
			int null = open("/dev/null", O_WRONLY);

			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
			execl("/bin/sh", "sh", "-c", command, NULL);
			_exit(127);
		}
		if (wait4(pid, &status, 0, &ru) != pid)
			_exit(1);
		if (counter >= 0 && read(counter, &insts, 8) != 8)
			insts = 0;
		if (write(pipes[1], &insts, 8) != 8)
			_exit(1);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	if (wait4(pid, &status, 0, &ru) != pid)
		die("wait4");
	cost.wall = now() - start;
	if (read(pipes[0], &insts, 8) != 8)
		insts = 0;
	close(pipes[0]);
	close(pipes[1]);
	cost.cpu = seconds(&ru.ru_utime) + seconds(&ru.ru_stime);
	cost.mib = (double)ru.ru_maxrss / 1024;
	cost.insts = (double)insts / 1e6;
	cost.ok = !status;
	return cost;
}

/* The rows of a table. The first one is what the others are compared with. */
static struct row {
	char name[32];
	char command[2048];
	struct cost best;
} rows[16];
static unsigned int nr_rows;

__attribute__((format(printf, 2, 3))) static void
add_row(const char *name, const char *fmt, ...)
{
	struct row *row = &rows[nr_rows++];
	va_list ap;

	if (nr_rows > sizeof(rows) / sizeof(*rows)) {
		fprintf(stderr, "prof_bench: too many rows\n");
		exit(1);
	}
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->best = (struct cost){ 1e9, 1e9, 0, 1e18, true };
	va_start(ap, fmt);
	vsnprintf(row->command, sizeof(row->command), fmt, ap);
	va_end(ap);
}

static void run_row(struct row *row)
{
	struct cost c = run_once(row->command), *best = &row->best;

	best->ok &= c.ok;
	best->wall = c.wall < best->wall ? c.wall : best->wall;
	best->cpu = c.cpu < best->cpu ? c.cpu : best->cpu;
	best->mib = c.mib > best->mib ? c.mib : best->mib;
	best->insts = c.insts < best->insts ? c.insts : best->insts;
}

/* Returns false if one of them failed. */
static bool run_rows(const char *branches)
{
	const struct cost *first = &rows[0].best;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < rounds * nr_rows; i++)
		run_row(&rows[i % nr_rows]);
	for (i = 0; i < nr_rows; i++) {
		const struct cost *c = &rows[i].best;

		printf("%-15s %8s %8s", rows[i].name, samples, branches);
		if (c->ok)
			printf(" %7.3f %7.3f %6.1f %8.0f %6.2fx %6.1fx\n", c->wall,
			       c->cpu, c->mib, c->insts, c->cpu / first->cpu,
			       c->mib / first->mib);
		else
			printf("  failed: %s\n", rows[i].command);
		ok &= c->ok;
	}
	fflush(stdout);
	nr_rows = 0;
	return ok;
}

/* The newest of the programs that a pattern names; NULL: none. */
static char *find(const char *pattern)
{
	char *path = NULL;
	glob_t found;

	if (!glob(pattern, 0, NULL, &found))
		path = strdup(found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	return path;
}

static bool make_recording(const char *gen, const char *branches)
{
	char command[512];

	snprintf(command, sizeof(command), "%s %s/prog %s/data %s %s", gen, folder,
		 folder, samples, branches);
	return run_once(command).ok;
}

/* With its version, which the folder has in its name. */
static const char *bolt_name(const char *path)
{
	static char name[32];
	const char *version = strstr(path, "llvm-");

	snprintf(name, sizeof(name), "perf2bolt %lu",
		 version ? strtoul(version + strlen("llvm-"), NULL, 10) : 0);
	return name;
}

static bool measure(const char *ssctr, const char *branches)
{
	char *profgen = find("/usr/lib/llvm-*/bin/llvm-profgen");
	char *perf = find("/usr/bin/perf"), *gcov = find("/usr/bin/create_gcov");
	unsigned int i;

	add_row("ssctr", "%s profile -i %s/data -b %s/prog -f profgen -o %s/out",
		ssctr, folder, folder, folder);
	add_row("ssctr --raw", "%s profile -i %s/data -b %s/prog -f profgen -o %s/raw --raw",
		ssctr, folder, folder, folder);
	if (perf && profgen) {
		add_row("perf script",
			"%s script --show-mmap-events -F ip,brstack -i %s/data >%s/text", perf,
			folder, folder);
		add_row("llvm-profgen",
			"%s --skip-symbolization --perfscript=%s/text --binary=%s/prog -o %s/theirs && cmp %s/raw %s/theirs",
			profgen, folder, folder, folder, folder, folder);
	}
	for (i = 0; perf && i < nr_bolts; i++)
		add_row(bolt_name(bolts[i]), "%s -p %s/data %s/prog -o %s/fdata --ignore-build-id",
			bolts[i], folder, folder, folder);
	if (gcov)
		add_row("create_gcov", "%s --binary=%s/prog --profile=%s/data --gcov=%s/gcov",
			gcov, folder, folder, folder);
	free(profgen);
	free(perf);
	free(gcov);
	return run_rows(branches);
}

/* Of the recording that was measured last. */
static bool measure_traces(const char *ssctr, const char *branches)
{
	char *zstd = find("/usr/bin/zstd"), *perf = find("/usr/bin/perf");
	bool ok;

	add_row("ssctr .stf", "%s stf -i %s/data -o %s/out.stf", ssctr, folder, folder);
	add_row("cat", "cat %s/out.stf | cat", folder);
	if (perf)
		add_row("perf script", "%s script -F ip,brstack -i %s/data", perf, folder);
	ok = run_rows(branches);
	add_row("ssctr .zstf", "%s stf -i %s/data -o %s/out.zstf", ssctr, folder, folder);
	if (zstd)
		add_row("zstd -3 -T2", "%s -q -f -3 -T2 %s/out.stf -o %s/out.zst", zstd,
			folder, folder);
	free(zstd);
	free(perf);
	return run_rows(branches) && ok;
}

int main(int argc, char **argv)
{
	static const char *const branches[] = { "2000", "20000", "100000" };
	char own[] = "/tmp/prof_bench.XXXXXX", command[64];
	bool ok = true;
	unsigned int i;
	int opt;

	folder = mkdtemp(own);
	if (!folder)
		die("/tmp");
	while ((opt = getopt(argc, argv, "n:r:d:b:")) != -1) {
		if (opt == 'n')
			samples = optarg;
		else if (opt == 'r')
			rounds = strtoul(optarg, NULL, 10);
		else if (opt == 'd')
			folder = optarg;
		else if (opt == 'b' && nr_bolts < sizeof(bolts) / sizeof(*bolts))
			bolts[nr_bolts++] = optarg;
		else
			return 2;
	}
	if (argc - optind != 2) {
		fprintf(stderr,
			"usage: prof_bench [-n SAMPLES] [-r ROUNDS] [-d FOLDER] [-b PERF2BOLT]... SSCTR PROF_GEN\n");
		return 2;
	}
	printf("%-15s %8s %8s %7s %7s %6s %8s %7s %7s\n", "", "samples", "branches",
	       "wall s", "CPU s", "MiB", "M insts", "CPU", "memory");
	for (i = 0; i < 3 && ok; i++) {
		ok = make_recording(argv[optind + 1], branches[i]) &&
		     measure(argv[optind], branches[i]);
		if (ok && !i)
			ok = measure_traces(argv[optind], branches[i]);
	}
	snprintf(command, sizeof(command), "rm -rf %s", own);
	return system(command) || !ok;
}
