// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ssctr profile` and `ssctr stf` beside their peers, on recordings that prof_gen makes:
 *
 *	prof_bench [-n SAMPLES] [-r ROUNDS] [-d FOLDER] SSCTR PROF_GEN
 *
 * Each peer of the profile that this system has is run on the same file, to the same
 * end: counted branches and ranges. Of traces there is no peer: beside them stand what
 * bounds them, which is reading and compressing the same bytes, and what perf needs to
 * print the branches. The least of the rounds counts; the ratios are of time on the
 * CPU, which does not depend on what else runs.
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
static unsigned int rounds = 3;

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

static struct cost run(const char *command)
{
	struct cost best = { 1e9, 1e9, 0, 1e18, false };
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		struct cost c = run_once(command);

		if (!c.ok)
			return c;
		best.ok = true;
		best.wall = c.wall < best.wall ? c.wall : best.wall;
		best.cpu = c.cpu < best.cpu ? c.cpu : best.cpu;
		best.mib = c.mib > best.mib ? c.mib : best.mib;
		best.insts = c.insts < best.insts ? c.insts : best.insts;
	}
	return best;
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

static struct cost row(const char *name, const char *of, const char *branches,
		       const struct cost *ours, const char *fmt, ...)
{
	char command[2048];
	struct cost c;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	c = run(command);
	if (!c.ok)
		printf("%-14s %8s %9s  failed\n", name, of, branches);
	else if (ours)
		printf("%-14s %8s %9s %7.2f %7.2f %7.0f %9.0f %7.1fx\n", name,
		       of, branches, c.wall, c.cpu, c.mib, c.insts,
		       c.cpu / ours->cpu);
	else
		printf("%-14s %8s %9s %7.2f %7.2f %7.0f %9.0f\n", name, of,
		       branches, c.wall, c.cpu, c.mib, c.insts);
	fflush(stdout);
	return c;
}

static void measure(const char *ssctr, const char *gen, const char *branches)
{
	char *profgen = find("/usr/lib/llvm-*/bin/llvm-profgen");
	char *bolt = find("/usr/lib/llvm-*/bin/perf2bolt");
	char *gcov = find("/usr/bin/create_gcov");
	struct cost ours;

	row("prof_gen", samples, branches, NULL, "%s %s/prog %s/data %s %s",
	    gen, folder, folder, samples, branches);
	ours = row("ssctr", samples, branches, NULL,
		   "%s profile -i %s/data -b %s/prog -f profgen -o %s/out",
		   ssctr, folder, folder, folder);
	/* It has to come to the same counts. */
	if (profgen)
		row("llvm-profgen", samples, branches, &ours,
		    "%s --skip-symbolization --perfdata=%s/data --binary=%s/prog -o %s/theirs && cmp %s/out %s/theirs",
		    profgen, folder, folder, folder, folder, folder);
	if (bolt)
		row("perf2bolt", samples, branches, &ours,
		    "%s -p %s/data %s/prog -o %s/fdata --ignore-build-id",
		    bolt, folder, folder, folder);
	if (gcov)
		row("create_gcov", samples, branches, &ours,
		    "%s --binary=%s/prog --profile=%s/data --gcov=%s/gcov",
		    gcov, folder, folder, folder);
	free(profgen);
	free(bolt);
	free(gcov);
}

/* Of the recording that was measured last. */
static void measure_traces(const char *ssctr, const char *branches)
{
	char *zstd = find("/usr/bin/zstd"), *perf = find("/usr/bin/perf");
	struct cost ours;

	ours = row("ssctr .stf", samples, branches, NULL,
		   "%s stf -i %s/data -o %s/out.stf", ssctr, folder, folder);
	row("cat", samples, branches, &ours, "cat %s/out.stf | cat", folder);
	if (perf)
		row("perf script", samples, branches, &ours,
		    "%s script -F ip,brstack -i %s/data", perf, folder);
	ours = row("ssctr .zstf", samples, branches, NULL,
		   "%s stf -i %s/data -o %s/out.zstf", ssctr, folder, folder);
	if (zstd)
		row("zstd -3 -T2", samples, branches, &ours,
		    "%s -q -f -3 -T2 %s/out.stf -o %s/out.zst", zstd, folder,
		    folder);
	free(zstd);
	free(perf);
}

int main(int argc, char **argv)
{
	char own[] = "/tmp/prof_bench.XXXXXX", command[64];
	int opt;

	folder = mkdtemp(own);
	if (!folder)
		die("/tmp");
	while ((opt = getopt(argc, argv, "n:r:d:")) != -1) {
		if (opt == 'n')
			samples = optarg;
		else if (opt == 'r')
			rounds = strtoul(optarg, NULL, 10);
		else if (opt == 'd')
			folder = optarg;
		else
			return 2;
	}
	if (argc - optind != 2) {
		fprintf(stderr,
			"usage: prof_bench [-n SAMPLES] [-r ROUNDS] [-d FOLDER] SSCTR PROF_GEN\n");
		return 2;
	}
	printf("%-14s %8s %9s %7s %7s %7s %9s %8s\n", "", "samples", "branches",
	       "wall s", "CPU s", "MiB", "M insts", "CPU");
	measure(argv[optind], argv[optind + 1], "2000");
	measure_traces(argv[optind], "2000");
	measure(argv[optind], argv[optind + 1], "100000");
	snprintf(command, sizeof(command), "rm -rf %s", own);
	return system(command) != 0;
}
