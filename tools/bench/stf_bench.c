// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast libstf is, beside what bounds it: memcpy, `zstd -d` and `zstd -3 -T2`
 * of the same bytes, measured in the same run on a trace that is made here, or on
 * a plain one that is given. What reading the file's bytes alone costs stands
 * there, too. From the cost of writing a plain trace that of making the records is
 * taken away. Copying a trace includes reading it, as zstd reads it, too.
 *
 *	stf_bench [-n INSTRUCTIONS] [-t TRACE] [-r ROUNDS] [-d FOLDER] [-s SSCTR]
 *
 * Every measurement is a process of its own, so that its time on the CPU and its
 * peak of memory are known too. The best of the rounds counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stf/stf.h"

static uint64_t n_insts = 20000000;
static unsigned int n_rounds = 3;
static char plain[512], zstf[512], zst[512], copy[512];
static const char *ssctr = "build/bin/ssctr";
static bool is_given; /* the plain trace */

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "stf_bench: %s\n", what);
	exit(1);
}

/* -------------------------------------------------------------------- the trace */

/*
 * A made-up program: blocks that loop a while and go on to another. A third of
 * the instructions reads or writes memory, as in integer code, and a sixth is a
 * taken branch, so that records are as frequent as in traces of real programs.
 */
enum { BLOCKS = 600, MOST_RECORDS = 64 };

struct block {
	unsigned int n;
	unsigned int insts;
	unsigned int trips; /* how often it runs on end */
	unsigned int next;
	uint64_t pc;
	struct stf_record rec[MOST_RECORDS];
};

static struct block blocks[BLOCKS];
static uint64_t state = 88172645463325252;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void make_block(struct block *b, uint64_t pc)
{
	unsigned int i, insts = 4 + (unsigned int)(rnd() % 5);

	b->pc = pc;
	b->n = 0;
	b->insts = insts;
	b->trips = rnd() % 3 ? 1 : 1 + (unsigned int)(rnd() % 20);
	b->next = (unsigned int)(rnd() % BLOCKS);
	for (i = 0; i < insts; i++) {
		struct stf_record *r = &b->rec[b->n];
		bool wide = rnd() & 1;

		if (i + 1 == insts) {
			r->desc = STF_INST_PC_TARGET;
			b->n++;
		} else if (rnd() % 100 < 35) {
			r[0].desc = STF_INST_MEM_ACCESS;
			r[0].mem_access.address = 0x7fff0000 + (rnd() & 0xfff8);
			r[0].mem_access.size = 8;
			r[0].mem_access.access = rnd() & 1 ? STF_ACCESS_READ :
							     STF_ACCESS_WRITE;
			r[1].desc = STF_INST_MEM_CONTENT;
			r[1].content = rnd() & 0xffff;
			b->n += 2;
		}
		r = &b->rec[b->n++];
		r->desc = wide ? STF_INST_32 : STF_INST_16;
		r->opcode = (uint32_t)(rnd() & (wide ? UINT32_MAX : 0xffff)) |
			    (wide ? 3 : 1);
	}
}

static void make_program(void)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		make_block(&blocks[i], 0x10000 + i * 64);
}

static void put(struct stf_writer *w, const struct stf_record *rec)
{
	if (stf_write(w, rec))
		die(stf_writer_error(w));
}

static volatile uint64_t sink;

/* One run of the block; data moves on as in a loop over an array. Without a writer
 * the records are only made. */
static void run_block(struct stf_writer *w, struct block *b, uint64_t next_pc)
{
	struct stf_record *r = b->rec, *end = r + b->n;

	for (; r < end; r++) {
		if (r->desc == STF_INST_MEM_ACCESS)
			r->mem_access.address += 8;
		else if (r->desc == STF_INST_MEM_CONTENT)
			r->content = r->content * 5 + 1;
		else if (r->desc == STF_INST_PC_TARGET)
			r->pc = next_pc;
		if (w)
			put(w, r);
		else
			sink = r->desc;
	}
}

static void run_program(struct stf_writer *w)
{
	unsigned int at = 0, i;
	uint64_t insts = 0;

	while (insts < n_insts) {
		struct block *b = &blocks[at];

		at = rnd() % 8 ? b->next : (unsigned int)(rnd() % BLOCKS);
		for (i = 1; i < b->trips; i++)
			run_block(w, b, b->pc);
		run_block(w, b, blocks[at].pc);
		insts += (uint64_t)b->insts * b->trips;
	}
}

static void write_trace(const char *path, enum stf_container container)
{
	static const char *const comments[] = { "made by stf_bench", NULL };
	struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
				  .generator = STF_GEN_QEMU };
	struct stf_writer_opts opts = { .size = sizeof(opts),
					.container = container };
	struct stf_error err;
	struct stf_writer *w = stf_writer_open(path, &opts, &err);

	if (!w)
		die(err.text);
	hdr.pc = blocks[0].pc;
	if (stf_write_header(w, &hdr))
		die(stf_writer_error(w));
	run_program(w);
	if (stf_writer_close(w, &err))
		die(err.text);
}

/* ------------------------------------------------------------ what is measured */

/* What any program does that reads the file and does not map it. */
static void read_bytes(const char *path)
{
	static uint8_t buf[256 << 10];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sink = buf[n / 2];
	close(fd);
}

static void read_records(const char *path)
{
	struct stf_reader *r;
	struct stf_error err;
	struct stf_record rec;
	uint64_t sum = 0;
	int more;

	r = stf_reader_open(path, NULL, &err);
	if (!r)
		die(err.text);
	while ((more = stf_reader_next(r, &rec)) > 0)
		sum += rec.desc;
	if (more < 0)
		die(stf_reader_error(r));
	stf_reader_close(r);
	sink = sum;
}

static void read_many(const char *path)
{
	struct stf_record recs[256];
	struct stf_reader *r;
	struct stf_error err;
	uint64_t sum = 0;
	int n, i;

	r = stf_reader_open(path, NULL, &err);
	if (!r)
		die(err.text);
	while ((n = stf_reader_read(r, recs, 256)) > 0)
		for (i = 0; i < n; i++)
			sum += recs[i].desc;
	if (n < 0)
		die(stf_reader_error(r));
	stf_reader_close(r);
	sink = sum;
}

static struct stf_reader *open_in(const char *path)
{
	struct stf_error err;
	struct stf_reader *r = stf_reader_open(path, NULL, &err);

	if (!r)
		die(err.text);
	return r;
}

static struct stf_writer *open_out(const char *path)
{
	const struct stf_writer_opts opts = { .size = sizeof(opts),
					      .container = STF_CONTAINER_ZSTF };
	struct stf_error err;
	struct stf_writer *w = stf_writer_open(path, &opts, &err);

	if (!w)
		die(err.text);
	return w;
}

static void copied(struct stf_reader *r, struct stf_writer *w)
{
	struct stf_error err;

	if (*stf_reader_error(r))
		die(stf_reader_error(r));
	if (stf_writer_close(w, &err))
		die(err.text);
	stf_reader_close(r);
}

static void copy_many(const char *to)
{
	struct stf_reader *r = open_in(plain);
	struct stf_writer *w = open_out(to);
	struct stf_record recs[256];
	int n;

	while ((n = stf_reader_read(r, recs, 256)) > 0)
		if (stf_write_records(w, recs, (size_t)n))
			die(stf_writer_error(w));
	copied(r, w);
}

static void copy_one_by_one(const char *to)
{
	struct stf_reader *r = open_in(plain);
	struct stf_writer *w = open_out(to);
	struct stf_record rec;

	while (stf_reader_next(r, &rec) > 0)
		put(w, &rec);
	copied(r, w);
}

static void copy_groups(const char *to)
{
	struct stf_reader *r = open_in(plain);
	struct stf_writer *w = open_out(to);
	struct stf_inst_iter *iter;
	struct stf_record rec;
	struct stf_inst inst;

	do {
		if (stf_reader_next(r, &rec) <= 0)
			die("no header");
		put(w, &rec);
	} while (rec.desc != STF_END_HEADER);
	iter = stf_inst_iter_new(r, sizeof(inst));
	if (!iter)
		die("no memory");
	do {
		stf_write_groups(w, iter, UINT64_MAX, NULL);
		if (stf_inst_iter_next(iter, &inst) <= 0)
			break;
		while (stf_inst_iter_record(iter, &rec) > 0)
			put(w, &rec);
	} while (true);
	stf_inst_iter_free(iter);
	copied(r, w);
}

static void read_insts(const char *path)
{
	struct stf_inst_iter *iter;
	struct stf_reader *r;
	struct stf_error err;
	struct stf_inst inst;
	uint64_t sum = 0;
	int more;

	r = stf_reader_open(path, NULL, &err);
	if (!r)
		die(err.text);
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	if (!iter)
		die("no memory");
	while ((more = stf_inst_iter_next(iter, &inst)) > 0)
		sum += inst.pc;
	if (more < 0)
		die(stf_reader_error(r));
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	sink = sum;
}

static void read_groups(const char *path)
{
	const struct stf_group *group;
	struct stf_inst_iter *iter;
	struct stf_reader *r;
	struct stf_error err;
	struct stf_inst inst;
	uint64_t sum = 0;
	unsigned int i;
	int more;

	r = stf_reader_open(path, NULL, &err);
	if (!r)
		die(err.text);
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	if (!iter)
		die("no memory");
	while ((more = stf_inst_iter_next_group(iter, &inst, &group)) > 0) {
		sum += inst.pc;
		for (i = 0; i < group->n_mems; i++)
			sum += group->mems[i].access.address;
	}
	if (more < 0)
		die(stf_reader_error(r));
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	sink = sum;
}

/* In pieces of which source and destination do not stay in a cache. */
static void copy_bytes(const uint8_t *from, uint8_t *to, size_t n)
{
	memcpy(to, from, n);
	sink = to[n / 2];
}

static void run_command(const char *const *argv)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDOUT_FILENO);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	die(argv[0]);
}

/* -------------------------------------------------------------------- measuring */

struct cost {
	double wall; /* seconds */
	double cpu; /* seconds, user and system */
	double mib; /* peak of resident memory */
	bool ok;
};

enum what {
	MEMCPY, ZSTD_D, ZSTD_C, READ_BYTES, READ_PLAIN, MANY_PLAIN, READ_ZSTF, MANY_ZSTF,
	ITER_PLAIN, GROUP_PLAIN, ITER_ZSTF, GROUP_ZSTF, MAKE_RECORDS,
	WRITE_NULL, WRITE_PLAIN, CP_PLAIN, WRITE_ZSTF, COPY_ZSTF, COPY_MANY,
	COPY_GROUPS, DUMP, N_WHAT
};

static void work(enum what what)
{
	const char *const unzstd[] = { "zstd", "-dcq", zst, NULL };
	const char *const zstd[] = { "zstd", "-3", "-T2", "-cq", plain, NULL };
	const char *const dump[] = { ssctr, "dump", plain, NULL };
	const char *const cp[] = { "cp", plain, copy, NULL };

	switch (what) {
	case ZSTD_D:
		run_command(unzstd);
		break;
	case ZSTD_C:
		run_command(zstd);
		break;
	case READ_BYTES:
		read_bytes(plain);
		break;
	case READ_PLAIN:
		read_records(plain);
		break;
	case MANY_PLAIN:
		read_many(plain);
		break;
	case READ_ZSTF:
		read_records(zstf);
		break;
	case MANY_ZSTF:
		read_many(zstf);
		break;
	case ITER_PLAIN:
		read_insts(plain);
		break;
	case GROUP_PLAIN:
		read_groups(plain);
		break;
	case ITER_ZSTF:
		read_insts(zstf);
		break;
	case GROUP_ZSTF:
		read_groups(zstf);
		break;
	case MAKE_RECORDS:
		run_program(NULL);
		break;
	case WRITE_NULL:
		write_trace("/dev/null", STF_CONTAINER_PLAIN);
		break;
	case WRITE_PLAIN:
		write_trace(copy, STF_CONTAINER_PLAIN);
		break;
	case CP_PLAIN:
		run_command(cp);
		break;
	case WRITE_ZSTF:
		write_trace(copy, STF_CONTAINER_ZSTF);
		break;
	case COPY_ZSTF:
		copy_one_by_one(copy);
		break;
	case COPY_MANY:
		copy_many(copy);
		break;
	case COPY_GROUPS:
		copy_groups(copy);
		break;
	case DUMP:
		run_command(dump);
		break;
	default:
		break;
	}
}

static double clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double now(void)
{
	return clock_now(CLOCK_MONOTONIC);
}

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec * 1e-6;
}

/* memcpy is timed inside its process: getting the memory is no part of it. */
static struct cost measure_memcpy(size_t size)
{
	uint8_t *from = malloc(size), *to = malloc(size);
	struct cost cost = { .ok = true };
	double start, cpu;

	if (!from || !to)
		die("no memory");
	memset(from, 1, size);
	memset(to, 2, size);
	start = now();
	cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
	copy_bytes(from, to, size);
	cost.cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	cost.wall = now() - start;
	free(from);
	free(to);
	return cost;
}

static struct cost measure_child(enum what what)
{
	struct cost cost = { 0 };
	struct rusage ru;
	double start;
	int status;
	pid_t pid;

	unlink(copy);
	start = now();
	pid = fork();
	if (pid < 0)
		die("cannot fork");
	if (!pid) {
		work(what);
		_exit(0);
	}
	if (wait4(pid, &status, 0, &ru) != pid)
		die("cannot wait");
	cost.wall = now() - start;
	cost.cpu = seconds(&ru.ru_utime) + seconds(&ru.ru_stime);
	cost.mib = (double)ru.ru_maxrss / 1024;
	cost.ok = !status;
	return cost;
}

static struct cost best_of(enum what what, size_t size)
{
	struct cost best = { .wall = 1e9, .cpu = 1e9 };
	unsigned int i;

	for (i = 0; i < n_rounds; i++) {
		struct cost c = what == MEMCPY ? measure_memcpy(size) :
						 measure_child(what);

		if (!c.ok)
			continue;
		best.ok = true;
		best.mib = c.mib > best.mib ? c.mib : best.mib;
		best.wall = c.wall < best.wall ? c.wall : best.wall;
		best.cpu = c.cpu < best.cpu ? c.cpu : best.cpu;
	}
	return best;
}

/* -------------------------------------------------------------------- reporting */

static const struct row {
	const char *name;
	enum what bound; /* itself: none */
	bool per_inst;
	bool makes; /* the records too, which does not count */
	bool own; /* cannot be done with a trace that is given */
} rows[N_WHAT] = {
	[MEMCPY] = { .name = "memcpy", .bound = MEMCPY },
	[ZSTD_D] = { .name = "zstd -d", .bound = ZSTD_D },
	[ZSTD_C] = { .name = "zstd -3 -T2", .bound = ZSTD_C },
	[READ_BYTES] = { .name = "read(2) of the file", .bound = MEMCPY },
	[READ_PLAIN] = { .name = "read plain", .bound = MEMCPY },
	[MANY_PLAIN] = { .name = "read plain, 256 at once", .bound = MEMCPY },
	[READ_ZSTF] = { .name = "read zstf", .bound = ZSTD_D },
	[MANY_ZSTF] = { .name = "read zstf, 256 at once", .bound = ZSTD_D },
	[ITER_PLAIN] = { .name = "iterate plain", .bound = MEMCPY, .per_inst = true },
	[GROUP_PLAIN] = { .name = "iterate plain, groups", .bound = ITER_PLAIN, .per_inst = true },
	[GROUP_ZSTF] = { .name = "iterate zstf, groups", .bound = ITER_ZSTF, .per_inst = true },
	[ITER_ZSTF] = { .name = "iterate zstf", .bound = ZSTD_D, .per_inst = true },
	[MAKE_RECORDS] = { .name = "making the records", .bound = MAKE_RECORDS,
			   .own = true },
	[WRITE_NULL] = { .name = "write plain, /dev/null", .bound = MEMCPY,
			 .makes = true, .own = true },
	[WRITE_PLAIN] = { .name = "write plain, a file", .bound = CP_PLAIN,
			  .makes = true, .own = true },
	[CP_PLAIN] = { .name = "cp", .bound = CP_PLAIN },
	[WRITE_ZSTF] = { .name = "write zstf", .bound = ZSTD_C, .own = true },
	[COPY_ZSTF] = { .name = "copy to zstf", .bound = ZSTD_C },
	[COPY_MANY] = { .name = "copy to zstf, 256 at once", .bound = ZSTD_C },
	[COPY_GROUPS] = { .name = "copy to zstf, groups", .bound = ZSTD_C },
	[DUMP] = { .name = "ssctr dump", .bound = DUMP, .per_inst = true },
};

static void print_row(const struct cost *costs, enum what what, uint64_t insts,
		      uint64_t records, size_t size)
{
	const struct row *row = &rows[what];
	const struct cost *bound = &costs[row->bound];
	struct cost c = costs[what];

	if (!c.ok) {
		printf("%-25s could not be run\n", row->name);
		return;
	}
	if (row->makes) {
		c.wall -= costs[MAKE_RECORDS].wall;
		c.cpu -= costs[MAKE_RECORDS].cpu;
	}
	printf("%-25s %8.3f %8.3f %8.2f %8.1f %-8s %7.1f", row->name, c.wall,
	       c.cpu, (double)size / c.wall * 1e-9,
	       (double)(row->per_inst ? insts : records) / c.wall * 1e-6,
	       row->per_inst ? "M inst/s" : "M rec/s", c.mib);
	if (row->bound != what && bound->ok)
		printf("  %.2f (CPU %.2f) of %s", c.wall / bound->wall,
		       c.cpu / bound->cpu, rows[row->bound].name);
	printf("\n");
}

static void make_traces(uint64_t *insts, uint64_t *records, size_t *size)
{
	const char *const zstd[] = { "zstd", "-3", "-fq", plain, "-o", zst, NULL };
	struct stf_reader *r;
	struct stf_record rec;
	struct stf_stats stats = { .size = sizeof(stats) };
	uint64_t seed = state;
	pid_t pid;

	if (!is_given) {
		make_program();
		write_trace(plain, STF_CONTAINER_PLAIN);
		state = seed;
		make_program();
	}
	copy_many(zstf);
	pid = fork();
	if (!pid)
		run_command(zstd);
	waitpid(pid, NULL, 0);
	r = stf_reader_open(plain, NULL, NULL);
	if (!r)
		die("the trace cannot be read");
	while (stf_reader_next(r, &rec) > 0)
		;
	stf_reader_stats(r, &stats);
	*insts = stats.instructions;
	*records = stats.records;
	*size = stats.trace_bytes;
	stf_reader_close(r);
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR");
	uint64_t insts, records;
	struct cost costs[N_WHAT];
	unsigned int i;
	char dir[400];
	size_t size;
	int opt;

	while ((opt = getopt(argc, argv, "n:t:r:d:s:")) >= 0) {
		if (opt == 'n')
			n_insts = strtoull(optarg, NULL, 0);
		else if (opt == 't')
			is_given = snprintf(plain, sizeof(plain), "%s", optarg) > 0;
		else if (opt == 'r')
			n_rounds = (unsigned int)strtoul(optarg, NULL, 0);
		else if (opt == 'd')
			folder = optarg;
		else if (opt == 's')
			ssctr = optarg;
		else
			die("usage: stf_bench [-n INSTRUCTIONS] [-t TRACE] [-r ROUNDS] [-d FOLDER] [-s SSCTR]");
	}
	snprintf(dir, sizeof(dir), "%s/stf_bench.XXXXXX",
		 folder ? folder : "/tmp");
	if (!mkdtemp(dir))
		die("cannot make a folder for the traces");
	if (!is_given)
		snprintf(plain, sizeof(plain), "%s/a.stf", dir);
	snprintf(zstf, sizeof(zstf), "%s/a.zstf", dir);
	snprintf(zst, sizeof(zst), "%s/a.zst", dir);
	snprintf(copy, sizeof(copy), "%s/copy", dir);
	make_traces(&insts, &records, &size);
	printf("%" PRIu64 " instructions, %" PRIu64 " records, %.1f MB; best of %u\n\n",
	       insts, records, (double)size * 1e-6, n_rounds);
	printf("%-25s %8s %8s %8s %17s %7s\n", "", "wall s", "CPU s", "GB/s",
	       "", "MiB");
	for (i = 0; i < N_WHAT; i++)
		if (!is_given || !rows[i].own)
			costs[i] = best_of(i, size);
	for (i = 0; i < N_WHAT; i++)
		if (!is_given || !rows[i].own)
			print_row(costs, i, insts, records, size);
	if (!is_given)
		unlink(plain);
	unlink(zstf);
	unlink(zst);
	unlink(copy);
	return rmdir(dir);
}
