// SPDX-License-Identifier: GPL-2.0-only
/* Writing a perf.data: what is written is read back, by another hand. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"
#include "perfdata/perfdata.h"
#include "perfdata/writer.h"
#include "test.h"

#define SAMPLE_TYPE                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK)

enum { FIRST_ID = 70, SECOND_ID = 90 };

struct sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t nr;
	struct {
		uint64_t from, to, flags;
	} branches[2];
};

static struct error error;

/* Whether permissions stay as they were given when the file was created. */
static bool no_fchmod;

int fchmod(int fd, mode_t mode)
{
	errno = EPERM;
	return no_fchmod ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

static const char *path(const char *name)
{
	static char full[256];

	snprintf(full, sizeof(full), "%s/%s", test_tmpdir(), name);
	return full;
}

static int write_sample(struct pdw *w, uint64_t id, uint64_t time)
{
	const struct sample s = {
		{ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(s) },
		id,
		0x1000 + time,
		10,
		11,
		time,
		2,
		{ { 0x1010, 0x1020, 0 }, { 0x1030, 0x1040, 0 } },
	};

	return pdw_write(w, &s, sizeof(s));
}

/* Two events, one with two ids, what the header says, and samples in two rounds. */
static void fill(struct pdw *w)
{
	const struct perf_event_attr cycles = {
		.size = sizeof(cycles),
		.type = PERF_TYPE_HARDWARE,
		.sample_period = 1000,
		.sample_type = SAMPLE_TYPE,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY,
		.sample_id_all = 1,
	};
	struct perf_event_attr faults = cycles;
	static const uint64_t ids[] = { FIRST_ID, FIRST_ID + 1 }, other = SECOND_ID;
	const uint8_t build_id[20] = { 0xab, 1, 2 };

	faults.type = PERF_TYPE_SOFTWARE;
	faults.config = PERF_COUNT_SW_PAGE_FAULTS;
	CHECK(w);
	CHECK_EQ(pdw_add_event(w, &cycles, "cycles:u", ids, 2), 0);
	CHECK_EQ(pdw_add_event(w, &faults, "page-faults", &other, 1), 0);
	CHECK_EQ(pdw_add_text(w, PD_SEC_HOSTNAME, "board"), 0);
	CHECK_EQ(pdw_add_text(w, PD_SEC_ARCH, "riscv64"), 0);
	CHECK_EQ(pdw_add_u32(w, PD_SEC_CMDLINE, 2), 0);
	CHECK_EQ(pdw_add_text(w, PD_SEC_CMDLINE, "ssctr"), 0);
	CHECK_EQ(pdw_add_text(w, PD_SEC_CMDLINE, "record"), 0);
	CHECK_EQ(pdw_add_u32(w, PD_SEC_CPU_PMU_CAPS, 1), 0);
	CHECK_EQ(pdw_add_text(w, PD_SEC_CPU_PMU_CAPS, "branches"), 0);
	CHECK_EQ(pdw_add_text(w, PD_SEC_CPU_PMU_CAPS, "32"), 0);
	CHECK_EQ(pdw_add(w, PD_SEC_BRANCH_STACK, NULL, 0), 0);
	CHECK_EQ(pdw_add(w, PD_SEC_TRACING_DATA, "formats", 7), 0);
	CHECK_EQ(pdw_add_build_id(w, true, "[kernel.kallsyms]", build_id, 20),
		 0);
	CHECK_EQ(pdw_start(w), 0);
	CHECK_EQ(pdw_mark(w, PD_USER_FINISHED_INIT), 0);
	CHECK_EQ(write_sample(w, FIRST_ID + 1, 200), 0);
	CHECK_EQ(write_sample(w, SECOND_ID, 100), 0);
	CHECK_EQ(pdw_mark(w, PD_USER_FINISHED_ROUND), 0);
	CHECK_EQ(write_sample(w, FIRST_ID, 300), 0);
	CHECK_EQ(pdw_mark(w, PD_USER_FINISHED_ROUND), 0);
}

static void check_sample(struct pd *pd, uint64_t time, const char *event)
{
	struct pd_event ev;

	CHECK_EQ(pd_next(pd, &ev), 1);
	CHECK_EQ(ev.type, PERF_RECORD_SAMPLE);
	CHECK_EQ(ev.time, time);
	CHECK_EQ(ev.sample.ip, 0x1000 + time);
	CHECK_EQ(ev.pid, 10);
	CHECK_EQ(ev.tid, 11);
	CHECK_STR(ev.attr->name, event);
	CHECK_EQ(ev.sample.nr_branches, 2);
	CHECK_EQ(pd_branch_at(&ev.sample, 1).to, 0x1040);
}

/* In time order, each by its event. */
static void check_samples(struct pd *pd)
{
	struct pd_event ev;

	check_sample(pd, 100, "page-faults");
	check_sample(pd, 200, "cycles:u");
	check_sample(pd, 300, "cycles:u");
	CHECK_EQ(pd_next(pd, &ev), 0);
}

static void check_header(struct pd *pd)
{
	const uint8_t *data;
	size_t size;

	CHECK_STR(pd_text(pd, PD_HOSTNAME), "board");
	CHECK_STR(pd_text(pd, PD_ARCH), "riscv64");
	CHECK_STR(pd_text(pd, PD_CMDLINE), "ssctr record");
	CHECK_STR(pd_text(pd, PD_CPU_CAPS), "branches=32");
	CHECK_EQ(pd_nr_attrs(pd), 2);
	CHECK_EQ(pd_attr(pd, 0)->sample_period, 1000);
	data = pd_tracing_data(pd, &size);
	CHECK(data && size >= 7 && !memcmp(data, "formats", 7));
}

static void check_build_id(struct pd *pd)
{
	unsigned int size;
	const uint8_t *id = pd_build_id(pd, "[kernel.kallsyms]", &size);

	CHECK(id);
	CHECK_EQ(size, 20);
	CHECK_EQ(id[0], 0xab);
}

TEST(a_file_is_read_back)
{
	struct pdw *w = pdw_open(path("perf.data"), &error);
	struct pd *pd;

	fill(w);
	CHECK_EQ(pdw_add(w, PD_SEC_SAMPLE_TIME, (uint64_t[]){ 100, 300 }, 16), 0);
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK_EQ(pd_open(&pd, path("perf.data")), 0);
	check_header(pd);
	check_build_id(pd);
	check_samples(pd);
	CHECK_EQ(pd_stats(pd)->late, 0);
	CHECK_EQ(pd_stats(pd)->unknown_id, 0);
	pd_close(pd);
}

/* Of everybody's programs, and of the kernel. */
TEST(the_size_is_that_of_the_whole_file)
{
	static const uint8_t words[1 << 20];
	struct pdw *w = pdw_open(path("perf.data"), &error);
	struct stat st;
	uint64_t size;

	fill(w);
	/* Command lines can be far longer than the records are. */
	CHECK_EQ(pdw_add(w, PD_SEC_CMDLINE, words, sizeof(words)), 0);
	size = pdw_whole_size(w);
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK_EQ(stat(path("perf.data"), &st), 0);
	CHECK_EQ(size, st.st_size);
}

TEST(a_recording_is_its_owners)
{
	struct pdw *w = pdw_open(path("perf.data"), &error);
	struct stat st;

	fill(w);
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK_EQ(stat(path("perf.data"), &st), 0);
	CHECK_EQ(st.st_mode & 0777, 0600);
}

/* Not even for a moment: whoever opened it then could read all that comes. */
TEST(a_recording_is_its_owners_from_the_start)
{
	const mode_t before = umask(0);
	struct stat st;
	struct pdw *w;
	FILE *f;

	f = fopen(path("perf.data"), "w");
	CHECK(f && !fclose(f) && !chmod(path("perf.data"), 0666));
	no_fchmod = true;
	w = pdw_open(path("perf.data"), &error);
	fill(w);
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK_EQ(stat(path("perf.data"), &st), 0);
	CHECK_EQ(st.st_mode & 0777, 0600);
	no_fchmod = false;
	umask(before);
}

TEST(a_pipe_is_read_back)
{
	const char *fifo = path("pipe");
	struct pdw *w;
	struct pd *pd;
	int fd, waiting;

	CHECK(!mkfifo(fifo, 0600));
	/* Open at both ends, so that neither waits for the other. */
	fd = open(fifo, O_RDWR | O_NONBLOCK);
	CHECK(fd >= 0);
	w = pdw_open(fifo, &error);
	fill(w);
	CHECK_EQ(ioctl(fd, FIONREAD, &waiting), 0);
	CHECK_EQ(pdw_whole_size(w), waiting);
	/* The reader is there before the writer goes. */
	CHECK_EQ(pd_open(&pd, fifo), 0);
	close(fd);
	CHECK_EQ(pdw_close(w, true), 0);
	check_samples(pd);
	check_header(pd);
	check_build_id(pd);
	pd_close(pd);
}

TEST(what_is_not_kept_is_gone_and_what_was_there_stays)
{
	struct pdw *w;
	struct stat st;
	FILE *f;

	f = fopen(path("perf.data"), "w");
	CHECK(f && fputs("old", f) >= 0 && !fclose(f));
	w = pdw_open(path("perf.data"), &error);
	fill(w);
	CHECK_EQ(pdw_close(w, false), 0);
	CHECK(!stat(path("perf.data"), &st));
	CHECK_EQ(st.st_size, 3);
}

/* Under the name that it has until it is whole. nr: the signal. */
static void check_killed(int nr)
{
	const struct rlimit no_core = { 0 };
	struct pd_event ev;
	char name[64];
	struct pd *pd;
	int time, status;
	pid_t pid;

	test_tmpdir();
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		outfile_remove_by_signals();
		fill(pdw_open(path("perf.data"), &error));
		kill(getpid(), nr);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status));
	CHECK(access(path("perf.data"), F_OK));
	snprintf(name, sizeof(name), "perf.data.part-%ld.0", (long)pid);
	CHECK_EQ(pd_open(&pd, path(name)), 0);
	CHECK(pd_stats(pd)->unfinished);
	CHECK_EQ(pd_nr_attrs(pd), 2);
	for (time = 100; time <= 300; time += 100) {
		CHECK_EQ(pd_next(pd, &ev), 1);
		CHECK_EQ(ev.time, time);
		CHECK_EQ(ev.attr->index, time > 100 ? 0 : 1);
	}
	CHECK_EQ(pd_next(pd, &ev), 0);
	pd_close(pd);
}

TEST(what_a_killed_writer_leaves_is_read)
{
	check_killed(SIGKILL);
}

/* As by SIGQUIT, which removes the unfinished outputs of conversions. */
TEST(what_a_writer_leaves_that_a_signal_ended_is_read)
{
	check_killed(SIGQUIT);
}

TEST(a_full_disk_is_told_by_all_that_follows)
{
	const struct perf_event_attr attr = { .size = sizeof(attr) };
	struct pdw *w = pdw_open("/dev/full", &error);

	CHECK(w);
	CHECK_EQ(pdw_add_event(w, &attr, "cycles", NULL, 0), 0);
	CHECK_EQ(pdw_start(w), ERROR_OUTPUT);
	CHECK_STR(error.text, "/dev/full: No space left on device");
	/* The text stays, whoever fails after it. */
	CHECK_EQ(pdw_mark(w, PD_USER_FINISHED_ROUND), ERROR_OUTPUT);
	CHECK_EQ(pdw_add_text(w, PD_SEC_HOSTNAME, "board"), ERROR_OUTPUT);
	CHECK_EQ(pdw_add_build_id(w, true, "x", NULL, 21), ERROR_OUTPUT);
	CHECK_EQ(pdw_close(w, true), ERROR_OUTPUT);
	CHECK_STR(error.text, "/dev/full: No space left on device");
}

/* A disk of 100 kB, below the tests' folder. */
static void mount_small(void)
{
	CHECK(!mkdir(path("small"), 0700));
	if ((unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", path("small"), "tmpfs", 0, "size=100k"))
		test_skip("no file system can be mounted");
}

/* Several at once, as from a ring. */
static int write_samples(struct pdw *w, uint64_t time, unsigned int nr)
{
	struct sample v[16];
	unsigned int i;

	for (i = 0; i < nr; i++)
		v[i] = (struct sample){
			{ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(*v) },
			FIRST_ID + i % 2, 0x1000, 10, 11, time + i, 2, { { 1, 2, 3 } },
		};
	return pdw_write(w, v, nr * sizeof(*v));
}

static uint64_t count_samples(struct pd *pd)
{
	struct pd_event ev;
	uint64_t nr = 0;
	int ret;

	while ((ret = pd_next(pd, &ev)) > 0)
		nr += ev.type == PERF_RECORD_SAMPLE;
	CHECK_EQ(ret, 0);
	return nr;
}

TEST(a_full_disk_keeps_what_fits_and_its_end)
{
	/* As the events have it: their ids are the last words of other records. */
	const struct {
		struct perf_event_header header;
		uint64_t lost, ids[3];
	} lost = { { PERF_RECORD_LOST_SAMPLES, 0, sizeof(lost) }, 7, { 0, 0, FIRST_ID } };
	const char *name = "small/perf.data";
	uint64_t written = 3;
	unsigned int after;
	struct stat st;
	struct pdw *w;
	struct pd *pd;

	mount_small();
	w = pdw_open(path(name), &error);
	fill(w);
	pdw_drop_when_full(w);
	for (; !pdw_full(w); written += 16)
		CHECK_EQ(write_samples(w, 400 + written, 16), 0);
	CHECK_EQ(pdw_full(w), ENOSPC);
	for (after = 0; after < 5; after++, written += 16)
		CHECK_EQ(write_samples(w, 400 + written, 16), 0);
	CHECK_EQ(write_sample(w, SECOND_ID, 1000000), 0);
	written++;
	CHECK_EQ(pdw_mark(w, PD_USER_FINISHED_ROUND), 0);
	CHECK_EQ(pdw_dropped(w, 1), 1);
	written -= pdw_dropped(w, 0) + 1;
	CHECK(pdw_dropped(w, 0) >= 80 && pdw_dropped(w, 0) <= 96);
	CHECK_EQ(pdw_write_last(w, &lost, sizeof(lost)), 0);
	CHECK_EQ(pdw_add(w, PD_SEC_SAMPLE_TIME, (uint64_t[]){ 100, 300 }, 16), 0);
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK(!stat(path(name), &st));
	CHECK(st.st_size > 80000);
	CHECK_EQ(st.st_blocks * 512, (st.st_size + 4095) / 4096 * 4096);
	CHECK_EQ(pd_open(&pd, path(name)), 0);
	check_header(pd);
	CHECK_EQ(count_samples(pd), written);
	CHECK_EQ(pd_stats(pd)->lost_in_all, 7);
	pd_close(pd);
	CHECK(!umount(path("small")));
}

/* A file whose end takes some pages, on a disk that has become full. */
static struct pdw *fill_disk(const char *name)
{
	const uint8_t build_id[20] = { 1 };
	uint64_t written = 0;
	struct pdw *w;
	int i;

	mount_small();
	w = pdw_open(path(name), &error);
	for (i = 0; w && i < 200; i++)
		CHECK_EQ(pdw_add_build_id(w, false, "/usr/lib/libx.so", build_id, 20), 0);
	fill(w);
	pdw_drop_when_full(w);
	for (; !pdw_full(w); written += 16)
		CHECK_EQ(write_samples(w, 400 + written, 16), 0);
	return w;
}

TEST(others_do_not_get_the_place_for_the_end)
{
	static const uint8_t zeros[4096];
	struct pdw *w = fill_disk("small/perf.data");
	int fd = open(path("small/log"), O_WRONLY | O_CREAT, 0600);
	struct pd *pd;

	CHECK(fd >= 0);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	close(fd);
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK_EQ(pd_open(&pd, path("small/perf.data")), 0);
	check_header(pd);
	CHECK(count_samples(pd) > 0);
	pd_close(pd);
	CHECK(!umount(path("small")));
}

/* As where the file system holds no place. last: a record of the end does not fit, too. */
static void check_left(bool last)
{
	static const struct perf_event_header large[2000] = {
		[0 ... 1999] = { PERF_RECORD_THROTTLE, 0, 8 } };
	struct pdw *w = fill_disk("small/perf.data");
	char name[64];
	struct pd *pd;
	int i;

	for (i = 0; last && i < 10; i++)
		pdw_write_last(w, large, sizeof(large));
	for (i = 0; !last && i < 10; i++)
		CHECK_EQ(pdw_add(w, PD_SEC_CMDLINE, large, sizeof(large)), 0);
	CHECK_EQ(pdw_close(w, true), ERROR_OUTPUT);
	snprintf(name, sizeof(name), "small/perf.data.part-%ld.0", (long)getpid());
	CHECK(strstr(error.text, "/small/perf.data: No space left on device; its end is missing"));
	CHECK(strstr(error.text, name));
	CHECK(access(path("small/perf.data"), F_OK));
	CHECK_EQ(pd_open(&pd, path(name)), 0);
	CHECK(pd_stats(pd)->unfinished);
	CHECK(count_samples(pd) > 0);
	pd_close(pd);
	CHECK(!umount(path("small")));
}

TEST(a_full_disk_without_place_for_the_header_leaves_what_fits)
{
	check_left(false);
}

TEST(a_full_disk_without_place_for_the_counts_leaves_what_fits)
{
	check_left(true);
}

/* 163 samples and the last records, in a file below a limit. Returns pdw_close(). */
static int write_limited(rlim_t limit)
{
	static const struct perf_event_header last[20] = {
		[0 ... 19] = { PERF_RECORD_THROTTLE, 0, 8 } };
	struct rlimit before, size;
	struct pdw *w = pdw_open(path("perf.data"), &error);
	unsigned int i;
	int ret;

	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	size = before;
	if (size.rlim_cur > limit)
		size.rlim_cur = limit;
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &size), 0);
	fill(w);
	pdw_drop_when_full(w);
	for (i = 0; i < 10; i++)
		CHECK_EQ(write_samples(w, 400 + 16 * i, 16), 0);
	CHECK_EQ(pdw_full(w), 0);
	pdw_write_last(w, last, sizeof(last));
	ret = pdw_close(w, true);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	return ret;
}

/* First the sections do not fit, then the last records. No place can be held for them. */
TEST(an_end_that_alone_does_not_fit_leaves_the_samples)
{
	char name[64];
	struct stat st;
	struct pd *pd;
	unsigned int i;

	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(write_limited(RLIM_INFINITY), 0);
	CHECK(!stat(path("perf.data"), &st) && !unlink(path("perf.data")));
	for (i = 0; i < 2; i++) {
		CHECK_EQ(write_limited(st.st_size - 40), ERROR_OUTPUT);
		CHECK(strstr(error.text, "perf.data: File too large; its end is missing"));
		CHECK(access(path("perf.data"), F_OK));
		snprintf(name, sizeof(name), "perf.data.part-%ld.%u", (long)getpid(), i);
		CHECK(!stat(path(name), &st));
		CHECK_EQ(pd_open(&pd, path(name)), 0);
		CHECK_EQ(count_samples(pd), 163);
		pd_close(pd);
	}
}

/* Each hart has an id, and a record of what it lost at the end. */
TEST(a_full_disk_has_room_for_what_many_harts_lost)
{
	enum { HARTS = 60 };
	const struct perf_event_attr attr = { .size = sizeof(attr), .sample_type = SAMPLE_TYPE,
					      .sample_id_all = 1 };
	struct {
		struct perf_event_header header;
		uint64_t lost, ids[3];
	} lost = { { PERF_RECORD_LOST_SAMPLES, 0, sizeof(lost) }, 7, { 0, 0, 0 } };
	const char *name = "small/perf.data";
	uint64_t ids[HARTS], written = 0;
	unsigned int i;
	struct pdw *w;
	struct pd *pd;

	for (i = 0; i < HARTS; i++)
		ids[i] = FIRST_ID + i;
	mount_small();
	w = pdw_open(path(name), &error);
	CHECK(w);
	CHECK_EQ(pdw_add_event(w, &attr, "cycles:u", ids, HARTS), 0);
	CHECK_EQ(pdw_start(w), 0);
	pdw_drop_when_full(w);
	for (; !pdw_full(w); written += 16)
		CHECK_EQ(write_samples(w, 400 + written, 16), 0);
	CHECK_EQ(pdw_full(w), ENOSPC);
	for (i = 0; i < HARTS; i++) {
		lost.ids[2] = ids[i];
		CHECK_EQ(pdw_write_last(w, &lost, sizeof(lost)), 0);
	}
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK_EQ(pd_open(&pd, path(name)), 0);
	CHECK(count_samples(pd) > 0);
	CHECK_EQ(pd_stats(pd)->lost_in_all, 7 * HARTS);
	pd_close(pd);
	CHECK(!umount(path("small")));
}

TEST(a_pipe_that_nobody_reads_takes_no_more)
{
	const char *fifo = path("pipe");
	struct pdw *w;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	CHECK(!mkfifo(fifo, 0600));
	fd = open(fifo, O_RDWR | O_NONBLOCK);
	CHECK(fd >= 0);
	w = pdw_open(fifo, &error);
	fill(w);
	pdw_drop_when_full(w);
	close(fd);
	CHECK_EQ(pdw_full(w), 0);
	CHECK_EQ(write_samples(w, 400, 16), 0);
	CHECK_EQ(pdw_full(w), EPIPE);
	CHECK_EQ(write_sample(w, SECOND_ID, 500), 0);
	CHECK_EQ(pdw_dropped(w, 0), 16);
	CHECK_EQ(pdw_dropped(w, 1), 1);
	CHECK_EQ(pdw_write_last(w, &(struct perf_event_header){ 0, 0, 8 }, 8), 0);
	CHECK_EQ(pdw_close(w, true), 0);
}

TEST(a_folder_that_is_not_there_is_told)
{
	CHECK(!pdw_open(path("no/such/perf.data"), &error));
	CHECK(strstr(error.text, "no/such/perf.data: No such file or directory"));
}

/* The other reader that matters, where there is one. */
TEST(perf_reads_the_file)
{
	struct pdw *w = pdw_open(path("perf.data"), &error);
	char command[512], out[4096];
	size_t n;
	FILE *f;

	fill(w);
	CHECK_EQ(pdw_close(w, true), 0);
	if (system("perf --version >/dev/null 2>&1"))
		test_skip("there is no perf");
	snprintf(command, sizeof(command),
		 "perf script -f -i %s -F event,ip,brstack 2>&1",
		 path("perf.data"));
	f = popen(command, "r");
	CHECK(f);
	n = fread(out, 1, sizeof(out) - 1, f);
	out[n] = 0;
	CHECK_EQ(pclose(f), 0);
	if (!strstr(out, "page-faults") || !strstr(out, "cycles") ||
	    !strstr(out, "0x1010/0x1020/"))
		test_fail(__FILE__, __LINE__, "%s", out);
}
