// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording may be a file, a pipe, a directory, compressed, of the other byte
 * order: the same events come out of it.
 */
#include "perfdata-build.h"
#include "perfdata/perfdata.h"
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#define ALL_FIELDS                                                             \
	(PDB_BRANCH_SAMPLE | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |               \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |    \
	 PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |    \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |  \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE |             \
	 PERF_SAMPLE_AUX)

enum { NR = 3000, GROUP = 50 };

static const uint8_t id[20] = { 0xab, 1, 2, 3 };

static void add_build_id(struct pdb *b)
{
	struct pdb_buf *list = pdb_feature(b, 2);

	pdb_u32(list, 67);
	pdb_u16(list, 2);
	pdb_u16(list, 36 + 8);
	pdb_u32(list, -1);
	pdb_put(list, id, 20);
	pdb_u32(list, 0);
	pdb_text(list, "/bin/a");
}

static void add_sample(struct pdb *b, unsigned int i)
{
	const uint64_t chain[] = { 0xfffffffffffffe00, 0x10000 + i };
	const uint64_t branches[][3] = {
		{ 0x10000 + i, 0x20000 + i, 0x123451 | (uint64_t)5 << 30 },
		{ 0x30000, 0x40000 + i, 15 << 20 | 2 << 26 | 7 << 4 },
	};

	pdb_sample(b, i & 1, &(struct pdb_sample){
		.ip = 0x5000 + i, .time = 1000 + i, .addr = i, .period = 3 * i,
		.pid = 7, .tid = 8 + i % 3, .cpu = i % 5, .nr_chain = 2,
		.chain = chain, .raw_size = 12, .raw = "raw contents",
		.hw_idx = i, .nr_branches = i % 3,
		.branches = branches });
}

/* Events, features, and NR samples, in rounds. */
static void build(struct pdb *b, bool rounds)
{
	unsigned int i;

	*b = (struct pdb){ 0 };
	pdb_event(b, ALL_FIELDS,
		  PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX);
	b->events[0].attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	b->events[0].attr.sample_regs_user = 0x8000000000000105;
	pdb_event(b, PDB_BRANCH_SAMPLE | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
		  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW,
		  PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap(b, PDB_MISC_KERNEL, -1, UINT64_C(0xffffffff80000000), 0x1000,
		 0, "[kernel.kallsyms]_text", 0);
	pdb_comm(b, PDB_MISC_EXEC, 7, "name", 10);
	pdb_mmap2_id(b, 7, 0x10000, 0x1000, 0x2000, "/bin/a", 11, id);
	pdb_mmap2(b, 7, 0x20000, 0x1000, 0x2000, "/bin/b", 12);
	pdb_task(b, PERF_RECORD_FORK, 0, 9, 9, 7, 13);
	pdb_ksymbol(b, UINT64_C(0xffffffff78000400), 0x1234, true, "bpf_prog_x", 14);
	for (i = 0; i < NR; i++) {
		/* Two buffers, one after the other, in each round. */
		unsigned int at = i / GROUP * GROUP, k = i % GROUP;

		add_sample(b, rounds ? at + (2 * k) % GROUP +
				       (2 * k >= GROUP) : i);
		if (rounds && k == GROUP - 1)
			pdb_round(b);
	}
	pdb_begin(b, PERF_RECORD_LOST, 0);
	pdb_u64(&b->data, 100);
	pdb_u64(&b->data, 7);
	pdb_end_with_id(b, 0, 1, 5000);
	add_build_id(b);
	pdb_feature_text(b, 3, "host");
	pdb_feature_text(b, 6, "riscv64");
}

/* Everything that an event says, as one number after the other. */
static void add(struct pdb_buf *out, uint64_t v)
{
	pdb_put(out, &v, 8);
}

static void add_bytes(struct pdb_buf *out, const void *p, size_t n)
{
	add(out, n);
	if (p)
		pdb_put(out, p, n);
}

static void describe_sample(struct pdb_buf *out, const struct pd_sample *s)
{
	uint64_t i;

	add(out, s->ip);
	add(out, s->addr);
	add(out, s->id);
	add(out, s->stream_id);
	add(out, s->period);
	add_bytes(out, s->chain, 8 * s->nr_chain);
	add_bytes(out, s->raw, s->raw_size);
	add(out, s->hw_idx);
	for (i = 0; i < s->nr_branches; i++) {
		struct pd_branch br = pd_branch_at(s, i);

		pdb_put(out, &br, sizeof(br));
	}
	add_bytes(out, s->read, 8 * s->nr_read);
	add(out, s->regs_user.abi);
	if (s->regs_user.values)
		pdb_put(out, s->regs_user.values,
			8 * __builtin_popcountll(s->regs_user.mask));
	add(out, s->regs_intr.abi);
	add_bytes(out, s->stack, s->stack_size);
	add(out, s->weight);
	add(out, s->data_src);
	add(out, s->transaction);
	add(out, s->phys_addr);
	add(out, s->cgroup);
	add(out, s->data_page_size);
	add(out, s->code_page_size);
	add_bytes(out, s->aux, s->aux_size);
}

static void describe(struct pdb_buf *out, const struct pd_event *ev)
{
	add(out, ev->type);
	add(out, ev->time);
	add(out, (uint64_t)ev->pid << 32 | ev->tid);
	add(out, ev->cpu);
	add(out, ev->attr ? ev->attr->index : 99);
	switch (ev->type) {
	case PERF_RECORD_SAMPLE:
		describe_sample(out, &ev->sample);
		break;
	case PERF_RECORD_MMAP:
		add(out, ev->mmap.start);
		add(out, ev->mmap.len);
		add(out, ev->mmap.pgoff);
		add(out, ev->mmap.prot);
		add(out, ev->mmap.kernel);
		add_bytes(out, ev->mmap.build_id, ev->mmap.build_id_size);
		add_bytes(out, ev->mmap.name, strlen(ev->mmap.name));
		break;
	case PERF_RECORD_KSYMBOL:
		add(out, ev->ksymbol.start);
		add(out, ev->ksymbol.len);
		add(out, ev->ksymbol.removed);
		add_bytes(out, ev->ksymbol.name, strlen(ev->ksymbol.name));
		break;
	case PERF_RECORD_COMM:
		add_bytes(out, ev->comm.name, strlen(ev->comm.name));
		break;
	case PERF_RECORD_FORK:
		add(out, (uint64_t)ev->task.ppid << 32 | ev->task.ptid);
		break;
	default:
		break;
	}
}

static void read_all(struct pd *pd, struct pdb_buf *out)
{
	unsigned int size = 0, samples = 0;
	const uint8_t *found;
	struct pd_event ev;
	int ret;

	out->n = 0;
	while ((ret = pd_next(pd, &ev)) > 0) {
		describe(out, &ev);
		samples += ev.type == PERF_RECORD_SAMPLE;
	}
	if (ret)
		test_fail(__FILE__, __LINE__, "%s", pd_error(pd));
	CHECK_EQ(samples, NR);
	CHECK_EQ(pd_stats(pd)->lost, 7);
	CHECK_EQ(pd_stats(pd)->late, 0);
	CHECK_STR(pd_text(pd, PD_HOSTNAME), "host");
	CHECK_STR(pd_text(pd, PD_ARCH), "riscv64");
	found = pd_build_id(pd, "/bin/a", &size);
	CHECK(found && size == 20 && !memcmp(found, id, 20));
	pd_close(pd);
}

/* What the plain file of this machine gives: the other tests' measure. */
static struct pdb_buf want;

static void want_plain(void)
{
	struct pdb b;
	struct pd *pd;

	want.n = 0;
	build(&b, true);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	read_all(pd, &want);
	pdb_free(&b);
}

static void check_same(struct pd *pd, int ret)
{
	struct pdb_buf got = { 0 };
	bool same;

	if (ret)
		test_fail(__FILE__, __LINE__, "%s", pd_error(pd));
	read_all(pd, &got);
	same = got.n == want.n && !memcmp(got.p, want.p, got.n);
	free(got.p);
	free(want.p);
	want = (struct pdb_buf){ 0 };
	CHECK(same);
}

static void check_same_memory(struct pdb *b)
{
	struct pd *pd;
	int ret = pd_open_memory(&pd, b->file.p, b->file.n);

	check_same(pd, ret);
	pdb_free(b);
}

TEST(a_file_in_pipe_mode)
{
	struct pdb b;

	want_plain();
	build(&b, true);
	pdb_finish_pipe(&b);
	check_same_memory(&b);
}

/* The first may be of a pipe, and so may the second. */
TEST(another_recording_behind_one_of_a_pipe_is_refused)
{
	struct pd_event ev;
	char at[32];
	struct pdb b;
	struct pd *pd;
	int ret;

	build(&b, true);
	pdb_finish_pipe(&b);
	snprintf(at, sizeof(at), "at offset 0x%zx: ", b.file.n);
	pdb_put(&b.file, "PERFILE2\x10\0\0\0\0\0\0", 16);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	do
		ret = pd_next(pd, &ev);
	while (ret > 0);
	CHECK_EQ(ret, PD_EUNSUPPORTED);
	CHECK(strstr(pd_error(pd), at));
	CHECK(strstr(pd_error(pd), "another recording begins here"));
	pd_close(pd);
	pdb_free(&b);
}

/* Another process writes b's file to the end of a pipe, in odd pieces. */
static pid_t feed(const struct pdb *b, int fd)
{
	pid_t child = fork();
	size_t at = 0, n = 1;

	if (child)
		return child;
	while (at < b->file.n) {
		ssize_t put = write(fd, b->file.p + at,
				    n < b->file.n - at ? n : b->file.n - at);

		if (put <= 0)
			break;
		at += put;
		n = n * 3 % 9001 + 1;
	}
	_exit(at < b->file.n);
}

TEST(a_pipe)
{
	char path[128];
	struct pdb b;
	struct pd *pd;
	int status, ret;
	pid_t child;

	want_plain();
	build(&b, true);
	pdb_finish_pipe(&b);
	snprintf(path, sizeof(path), "%s/fifo", test_tmpdir());
	CHECK_EQ(mkfifo(path, 0600), 0);
	child = fork();
	if (!child) {
		int fd = open(path, O_WRONLY);

		child = feed(&b, fd);
		_exit(waitpid(child, &status, 0) < 0 || status);
	}
	ret = pd_open(&pd, path);
	check_same(pd, ret);
	CHECK(waitpid(child, &status, 0) == child && !status);
	pdb_free(&b);
}

TEST(a_file_from_a_pipe_is_refused)
{
	char path[128];
	struct pdb b;
	struct pd *pd;
	pid_t child;
	int ret;

	build(&b, true);
	pdb_finish(&b);
	b.file.n = 200;		/* fits into the pipe */
	snprintf(path, sizeof(path), "%s/fifo", test_tmpdir());
	CHECK_EQ(mkfifo(path, 0600), 0);
	child = fork();
	if (!child) {
		int fd = open(path, O_WRONLY);

		_exit(write(fd, b.file.p, b.file.n) < 0);
	}
	ret = pd_open(&pd, path);
	waitpid(child, NULL, 0);
	CHECK_EQ(ret, PD_EUNSUPPORTED);
	CHECK(strstr(pd_error(pd), "give the file itself"));
	pd_close(pd);
	pdb_free(&b);
}

/* The events of b's file before offset end. Sets *unfinished. */
static unsigned int read_cut(const struct pdb *b, size_t end, bool *unfinished)
{
	unsigned int nr = 0;
	struct pd_event ev;
	struct pd *pd;
	int ret;

	ret = pd_open_memory(&pd, b->file.p, end);
	while (!ret && (ret = pd_next(pd, &ev)) > 0) {
		nr++;
		ret = 0;
	}
	if (ret)
		test_fail(__FILE__, __LINE__, "cut at %zu of %zu: %s", end,
			  b->file.n, pd_error(pd));
	*unfinished = pd_stats(pd)->unfinished;
	pd_close(pd);
	return nr;
}

/* Where a round ends, and between records before rounds are known, a pipe may end as well. */
TEST(a_pipe_cut_at_any_byte_is_read_to_there)
{
	enum { RECORDS = 6 };
	size_t ends[RECORDS], rounds[2], start, n;
	struct pdb b = { 0 };
	unsigned int i, want;
	bool unfinished;

	pdb_event(&b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	for (i = 0; i < RECORDS; i++) {
		/* Any record of the kernel will do. */
		if (i == 4)
			pdb_comm(&b, 0, 7, "x", 1000 + 2 * i);
		else
			add_sample(&b, 2 * i);
		ends[i] = b.data.n;
		if (i % 3 == 2) {
			pdb_round(&b);
			rounds[i / 3] = b.data.n;
		}
	}
	pdb_finish_pipe(&b);
	start = b.file.n - b.data.n;
	for (n = ends[0]; n <= b.data.n; n++) {
		want = 0;
		while (want < RECORDS && ends[want] <= n)
			want++;
		CHECK_EQ(read_cut(&b, start + n, &unfinished), want);
		CHECK_EQ(!unfinished, n == rounds[0] || n == rounds[1] ||
				      (n < rounds[0] && n == ends[want - 1]));
	}
	pdb_free(&b);
}

/* What perf itself writes at the end is in no round. */
TEST(a_pipe_may_end_with_records_of_perfs_own)
{
	struct pdb b = { 0 };
	bool unfinished;

	pdb_event(&b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	add_build_id(&b);
	add_sample(&b, 2);
	pdb_round(&b);
	pdb_begin(&b, PERF_RECORD_LOST_SAMPLES, 0);
	pdb_u64(&b.data, 3);
	pdb_end_with_id(&b, 0, 7, 2000);
	pdb_finish_pipe(&b);
	CHECK_EQ(read_cut(&b, b.file.n, &unfinished), 2);
	CHECK(!unfinished);
	pdb_free(&b);
}

/* perf inject writes what it has kept behind the round that it reads last. */
TEST(records_behind_the_last_round_of_perf_s_pipe_may_be_all)
{
	static const char *const versions[] = { "6.12.117", "ssctr 0.1" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct pdb b = { 0 };
		struct pd *pd;
		struct pd_event ev;

		pdb_event(&b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
		pdb_feature_text(&b, 5, versions[i]);
		pdb_round(&b);
		add_sample(&b, 2);
		pdb_finish_pipe(&b);
		CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
		while (pd_next(pd, &ev) == 1)
			;
		CHECK(pd_stats(pd)->unfinished);
		CHECK_EQ(pd_stats(pd)->no_last_round, !i);
		pd_close(pd);
		pdb_free(&b);
	}
}

TEST(a_pipe_of_ssctr_record_ends_with_counts)
{
	bool unfinished;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct pdb b = { 0 };

		pdb_event(&b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
		pdb_feature_text(&b, 5, "ssctr 0.1");
		add_sample(&b, 2);
		pdb_round(&b);
		if (i)
			pdb_count(&b, 0, 7, 100, 0);
		pdb_round(&b);
		pdb_finish_pipe(&b);
		CHECK_EQ(read_cut(&b, b.file.n, &unfinished), 1 + i);
		CHECK_EQ(unfinished, !i);
		pdb_free(&b);
	}
}

TEST(a_pipe_cut_in_its_header_is_an_error)
{
	struct pdb b = { 0 };
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_finish_pipe(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n - 1), PD_ECORRUPT);
	CHECK(strstr(pd_error(pd), "the recording ends in its header"));
	pd_close(pd);
	pdb_free(&b);
}

/*
 * b's records, compressed into records of at most max bytes of input each, which
 * end anywhere. The ends of rounds stay between them, as perf leaves them.
 */
static void compress_some(struct pdb *b, ZSTD_CStream *zstd, uint32_t type, const void *p,
			  size_t n)
{
	static uint8_t packed[60000];
	ZSTD_inBuffer in = { p, n, 0 };
	ZSTD_outBuffer to = { packed, sizeof(packed), 0 };

	ZSTD_compressStream(zstd, &to, &in);
	CHECK(in.pos == in.size);
	CHECK(!ZSTD_flushStream(zstd, &to));
	pdb_begin(b, type, 0);
	if (type == PDB_COMPRESSED2)
		pdb_u64(&b->data, to.pos);
	pdb_put(&b->data, packed, to.pos);
	if (type == PDB_COMPRESSED2)
		pdb_put(&b->data, "\0\0\0\0\0\0\0", -to.pos & 7);
	pdb_end(b);
}

static void compress(struct pdb *b, uint32_t type, size_t max)
{
	ZSTD_CStream *zstd = ZSTD_createCStream();
	struct pdb_buf plain = b->data;
	size_t at = 0, round;

	b->data = (struct pdb_buf){ 0 };
	while (at < plain.n) {
		uint16_t size;
		uint32_t its;

		for (round = at; round < plain.n; round += size) {
			memcpy(&its, plain.p + round, 4);
			memcpy(&size, plain.p + round + 6, 2);
			if (pdb_bytes(its, 4) == PDB_FINISHED_ROUND)
				break;
			size = pdb_bytes(size, 2);
		}
		if (round > plain.n)
			round = plain.n;
		while (at < round) {
			const size_t n = round - at < max ? round - at : max;

			compress_some(b, zstd, type, plain.p + at, n);
			at += n;
		}
		if (at < plain.n) {
			pdb_put(&b->data, plain.p + at, 8);
			at += 8;
		}
	}
	ZSTD_freeCStream(zstd);
	free(plain.p);
}

TEST(compressed_records)
{
	static const size_t sizes[] = { 100, 7777, 50000 };
	struct pdb b;
	size_t i;

	for (i = 0; i < 3; i++) {
		want_plain();
		build(&b, true);
		compress(&b, PDB_COMPRESSED, sizes[i]);
		pdb_finish(&b);
		check_same_memory(&b);
	}
}

/* Samples of this time, without branches, of which each is large. */
static void compress_samples(struct pdb *b, ZSTD_CStream *zstd, unsigned int nr, uint64_t time)
{
	static const uint8_t raw[60004];
	struct pdb_buf packed = b->data, plain;

	b->data = (struct pdb_buf){ 0 };
	while (nr--)
		pdb_sample(b, 0, &(struct pdb_sample){ .ip = 1, .time = time,
						       .raw_size = sizeof(raw), .raw = raw });
	plain = b->data;
	b->data = packed;
	compress_some(b, zstd, PDB_COMPRESSED, plain.p, plain.n);
	free(plain.p);
}

/*
 * Without rounds, all waits for its order, as long as that takes no more memory than a
 * recording can need.
 */
static void check_waiting(unsigned int megabytes, bool all)
{
	enum { NR_OF_6_MB = 100 };
	ZSTD_CStream *zstd = ZSTD_createCStream();
	const unsigned int nr = megabytes / 6;
	unsigned int i, seen = 0;
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE | PERF_SAMPLE_RAW, 0);
	for (i = 0; i < nr; i++)
		compress_samples(&b, zstd, NR_OF_6_MB, 20);
	compress_samples(&b, zstd, 2, 10);
	ZSTD_freeCStream(zstd);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	while (pd_next(pd, &ev) == 1)
		if (!seen++)
			CHECK_EQ(ev.time, all ? 10 : 20);
	CHECK_EQ(seen, nr * NR_OF_6_MB + 2);
	CHECK_EQ(pd_stats(pd)->late, all ? 0 : 2);
	CHECK_EQ(pd_stats(pd)->hurried, all ? 0 : 2);
	pd_close(pd);
	pdb_free(&b);
}

TEST(records_that_wait_may_unpack_to_a_lot)
{
	check_waiting(240, true);
}

TEST(records_that_wait_do_not_unpack_to_any_memory)
{
	check_waiting(360, false);
}

/* Records that say nothing, before all others, so that they are size bytes in all. */
static void fill_up(struct pdb *b, size_t size)
{
	struct pdb_buf plain = b->data;

	b->data = (struct pdb_buf){ 0 };
	while (b->data.n + plain.n < size) {
		pdb_begin(b, PDB_FINISHED_INIT, 0);
		pdb_end(b);
	}
	pdb_put(&b->data, plain.p, plain.n);
	free(plain.p);
}

/* The reader's memory is full in the middle of what the last record has in it. */
TEST(all_of_the_last_compressed_record_comes_out)
{
	size_t room = 1 << 18;
	struct pdb b;

	want_plain();
	build(&b, false);
	while (room < b.data.n)
		room += 1 << 18;
	fill_up(&b, room + 5000);
	compress(&b, PDB_COMPRESSED, (room - 20000) / 10);
	pdb_finish(&b);
	check_same_memory(&b);
}

TEST(a_compressed_record_without_a_body_may_be_the_last)
{
	struct pdb b;

	want_plain();
	build(&b, false);
	pdb_begin(&b, PDB_FINISHED_INIT, 0);
	pdb_end(&b);
	compress(&b, PDB_COMPRESSED, 50000);
	pdb_finish(&b);
	check_same_memory(&b);
}

/* As perf writes BRANCH_STACK, which says all by being there. */
TEST(a_pipe_may_have_features_without_contents)
{
	struct pdb b;

	want_plain();
	build(&b, true);
	pdb_feature(&b, 15);
	pdb_finish_pipe(&b);
	check_same_memory(&b);
}

TEST(compressed_records_of_the_second_kind)
{
	struct pdb b;

	want_plain();
	build(&b, true);
	compress(&b, PDB_COMPRESSED2, 4097);
	pdb_finish_pipe(&b);
	check_same_memory(&b);
}

TEST(damaged_compression_is_an_error)
{
	struct pd_event ev;
	struct pdb b;
	struct pd *pd;
	int ret;

	build(&b, true);
	compress(&b, PDB_COMPRESSED, 5000);
	memset(b.data.p + 8, 0x55, 40);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	while ((ret = pd_next(pd, &ev)) > 0)
		;
	CHECK_EQ(ret, PD_ECORRUPT);
	CHECK(strstr(pd_error(pd), "compressed records are damaged"));
	pd_close(pd);
	pdb_free(&b);
}

TEST(compressed_events_that_end_inside_a_record_are_an_error)
{
	struct pd_event ev;
	struct pdb b;
	struct pd *pd;
	int ret;

	build(&b, false);
	b.data.n -= 8;
	/* All in one piece: the last record lacks its end. */
	compress(&b, PDB_COMPRESSED, 50000);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	while ((ret = pd_next(pd, &ev)) > 0)
		;
	CHECK_EQ(ret, PD_ECORRUPT);
	CHECK(strstr(pd_error(pd), "cut short inside a record"));
	pd_close(pd);
	pdb_free(&b);
}

/*
 * What has no type of its own differs: the callchain, the counts and the
 * registers are words, and raw data stays as it is.
 */
TEST(the_other_byte_order)
{
	struct pdb b;

	want_plain();
	pdb_big_endian = true;
	build(&b, true);
	pdb_finish(&b);
	pdb_big_endian = false;
	check_same_memory(&b);
}

TEST(the_other_byte_order_in_pipe_mode_and_compressed)
{
	struct pdb b;

	want_plain();
	pdb_big_endian = true;
	build(&b, true);
	compress(&b, PDB_COMPRESSED2, 3001);
	pdb_finish_pipe(&b);
	pdb_big_endian = false;
	check_same_memory(&b);
}

TEST(the_other_byte_order_cut_anywhere_is_an_error_or_read)
{
	struct pdb b;
	size_t n;

	pdb_big_endian = true;
	build(&b, true);
	b.data.n = 6000;
	pdb_finish(&b);
	pdb_big_endian = false;
	for (n = 104; n < b.file.n; n += 7) {
		uint8_t *copy = malloc(n);
		struct pd_event ev;
		struct pd *pd;
		int ret;

		memcpy(copy, b.file.p, n);
		/* A byte of some record's middle, too. */
		copy[104 + test_random() % (n - 103) - 1] ^= test_random();
		ret = pd_open_memory(&pd, copy, n);
		while (!ret && pd_next(pd, &ev) > 0)
			;
		pd_close(pd);
		free(copy);
	}
	pdb_free(&b);
}

static void write_bytes(const char *dir, const char *name, const void *p,
			size_t n)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	CHECK(f && (!n || fwrite(p, n, 1, f)) && !fclose(f));
}

/*
 * A directory: the head in `data`, and the samples dealt to two files, of which
 * the first holds those of several harts, one buffer after the other.
 */
static void write_dir(bool packed)
{
	struct pdb head, part;
	unsigned int i, k;

	build(&head, false);
	/* All before the first sample, and nothing but that. */
	for (i = 0; i < head.data.n;) {
		uint32_t type;
		uint16_t size;

		memcpy(&type, head.data.p + i, 4);
		memcpy(&size, head.data.p + i + 6, 2);
		if (type == PERF_RECORD_SAMPLE)
			break;
		i += size;
	}
	head.data.n = i;
	pdb_begin(&head, PERF_RECORD_LOST, 0);
	pdb_u64(&head.data, 100);
	pdb_u64(&head.data, 7);
	pdb_end_with_id(&head, 0, 1, 5000);
	pdb_finish(&head);
	write_bytes(test_tmpdir(), "data", head.file.p, head.file.n);
	pdb_free(&head);

	build(&part, false);
	part.data.n = 0;
	for (i = 0; i < NR; i += 300)
		for (k = 0; k < 3; k++) {
			unsigned int j;

			for (j = i + k; j < i + 300; j += 3)
				if (j % 2)
					add_sample(&part, j);
		}
	write_bytes(test_tmpdir(), "data.0", part.data.p, part.data.n);
	part.data.n = 0;
	for (i = 0; i < NR; i += 2)
		add_sample(&part, i);
	if (packed)
		compress(&part, PDB_COMPRESSED2, 30000);
	write_bytes(test_tmpdir(), "data.10", part.data.p, part.data.n);
	write_bytes(test_tmpdir(), "data.2", NULL, 0);
	pdb_free(&part);
}

TEST(a_directory)
{
	struct pd *pd;
	int ret;

	want_plain();
	write_dir(false);
	ret = pd_open(&pd, test_tmpdir());
	CHECK(!pd_kcore_dir(pd));
	check_same(pd, ret);
}

TEST(a_directory_with_compressed_files)
{
	struct pd *pd;
	int ret;

	want_plain();
	write_dir(true);
	ret = pd_open(&pd, test_tmpdir());
	check_same(pd, ret);
}

TEST(what_is_not_named_as_perf_does_is_not_of_a_directory)
{
	static const char *const names[] = {
		"data.", "data.1a", "data.x", "other1", "perf.7", "data.0~",
	};
	unsigned int i;
	struct pd *pd;
	int ret;

	want_plain();
	write_dir(false);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		write_bytes(test_tmpdir(), names[i], "no record", 9);
	ret = pd_open(&pd, test_tmpdir());
	check_same(pd, ret);
}

/* Where each event says that it is, there is a record of its type, or a compressed one. */
static void check_offsets(struct pd *pd, int opened, struct pdb *b, bool big_endian)
{
	uint64_t before = 0;
	struct pd_event ev;

	CHECK_EQ(opened, 0);
	while (pd_next(pd, &ev) > 0) {
		uint32_t type;

		CHECK(ev.offset < b->file.n - 4);
		memcpy(&type, b->file.p + ev.offset, 4);
		type = big_endian ? __builtin_bswap32(type) : type;
		if (type == PERF_RECORD_MMAP2)
			type = PERF_RECORD_MMAP;
		if (type != PDB_COMPRESSED) {
			CHECK_EQ(type, ev.type);
			CHECK(ev.offset != before);
		}
		before = ev.offset;
	}
	pd_close(pd);
	CHECK(before > b->file.n / 2);
	pdb_free(b);
}

TEST(events_tell_their_offset_in_each_form)
{
	char path[32];
	struct pd *pd;
	struct pdb b;
	int fds[2], ret, status;

	build(&b, true);
	compress(&b, PDB_COMPRESSED, 7777);
	pdb_finish(&b);
	ret = pd_open_memory(&pd, b.file.p, b.file.n);
	check_offsets(pd, ret, &b, false);
	pdb_big_endian = true;
	build(&b, true);
	pdb_finish(&b);
	pdb_big_endian = false;
	ret = pd_open_memory(&pd, b.file.p, b.file.n);
	check_offsets(pd, ret, &b, true);
	build(&b, true);
	pdb_finish_pipe(&b);
	CHECK(!pipe(fds) && feed(&b, fds[1]) > 0);
	close(fds[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", fds[0]);
	ret = pd_open(&pd, path);
	close(fds[0]);
	check_offsets(pd, ret, &b, false);
	CHECK(wait(&status) > 0 && !status);
}

/* As perf reads the end of a buffer twice. Another file's record that is the same is none. */
TEST(what_perf_writes_twice_into_a_folder_counts_once)
{
	static const unsigned int written[] = { 1, 2, 3, 2, 3, 4, 4 };
	struct pdb head, part;
	struct pd_event ev;
	unsigned int i, want;
	struct pd *pd;

	build(&head, false);
	head.data.n = 0;
	add_sample(&head, 0);
	pdb_finish(&head);
	write_bytes(test_tmpdir(), "data", head.file.p, head.file.n);
	build(&part, false);
	part.data.n = 0;
	for (i = 0; i < 7; i++)
		add_sample(&part, written[i]);
	write_bytes(test_tmpdir(), "data.0", part.data.p, part.data.n);
	part.data.n = 0;
	add_sample(&part, 4);
	write_bytes(test_tmpdir(), "data.1", part.data.p, part.data.n);
	CHECK_EQ(pd_open(&pd, test_tmpdir()), 0);
	/* That of one piece is there as often as it was written. */
	for (i = 0; i < 7; i++) {
		want = i < 4 ? i : 4;
		CHECK_EQ(pd_next(pd, &ev), 1);
		CHECK_EQ(ev.sample.ip, 0x5000 + want);
	}
	CHECK_EQ(pd_next(pd, &ev), 0);
	CHECK_EQ(pd_stats(pd)->again, 2);
	pd_close(pd);
	pdb_free(&head);
	pdb_free(&part);
}

/* A block that was read is used again for later records, unless somebody has it. */
TEST(what_is_held_stays)
{
	struct pd_block *held;
	struct pd_event ev, later;
	struct pd *pd;
	struct pdb b;

	build(&b, true);
	compress(&b, PDB_COMPRESSED, 7777);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	do
		CHECK_EQ(pd_next(pd, &ev), 1);
	while (ev.type != PERF_RECORD_SAMPLE || !ev.sample.nr_branches);
	held = pd_hold(pd);
	while (pd_next(pd, &later) > 0)
		;
	CHECK_EQ(pd_branch_at(&ev.sample, 0).from, ev.sample.ip - 0x5000 + 0x10000);
	pd_release(pd, held);
	pd_close(pd);
	pdb_free(&b);
}

/* Though it is older than what stands before it. */
TEST(the_last_record_of_a_directorys_file_comes_in_its_order)
{
	static const unsigned int order[] = { 3, 1 };
	struct pdb part;
	struct pd_event ev;
	uint64_t last = 0;
	unsigned int i;
	struct pd *pd;

	want_plain();
	write_dir(false);
	build(&part, false);
	part.data.n = 0;
	for (i = 0; i < 2; i++)
		add_sample(&part, order[i]);
	write_bytes(test_tmpdir(), "data.0", part.data.p, part.data.n);
	write_bytes(test_tmpdir(), "data.10", NULL, 0);
	pdb_free(&part);
	CHECK_EQ(pd_open(&pd, test_tmpdir()), 0);
	for (i = 0; pd_next(pd, &ev) > 0;) {
		if (ev.type != PERF_RECORD_SAMPLE)
			continue;
		CHECK(ev.time >= last);
		last = ev.time;
		i++;
	}
	CHECK_EQ(i, 2);
	pd_close(pd);
}

TEST(a_directory_with_kcore)
{
	char path[160];
	struct pd *pd;

	write_dir(false);
	snprintf(path, sizeof(path), "%s/kcore_dir", test_tmpdir());
	CHECK_EQ(mkdir(path, 0700), 0);
	CHECK_EQ(pd_open(&pd, test_tmpdir()), 0);
	CHECK_STR(pd_kcore_dir(pd), path);
	pd_close(pd);
}

TEST(a_damaged_file_of_a_directory_is_named)
{
	struct pd_event ev;
	char path[160];
	struct pd *pd;
	int ret;

	write_dir(false);
	snprintf(path, sizeof(path), "%s/data.10", test_tmpdir());
	CHECK_EQ(truncate(path, 1001), 0);
	CHECK_EQ(pd_open(&pd, test_tmpdir()), 0);
	while ((ret = pd_next(pd, &ev)) > 0)
		;
	CHECK_EQ(ret, PD_ECORRUPT);
	CHECK(strstr(pd_error(pd), "data.10: at offset 0x"));
	pd_close(pd);
}

/* Files of a directory are looked through for where they can be cut to pieces. */
TEST(a_record_without_a_size_is_an_error_in_a_directory)
{
	static const uint16_t sizes[] = { 0, 7 };
	struct pd_event ev;
	unsigned int i;
	char path[160];
	struct pd *pd;
	int ret, fd;

	for (i = 0; i < 2; i++) {
		uint16_t first;

		write_dir(false);
		snprintf(path, sizeof(path), "%s/data.10", test_tmpdir());
		fd = open(path, O_RDWR);
		CHECK(fd >= 0);
		CHECK_EQ(pread(fd, &first, 2, 6), 2);
		CHECK_EQ(pwrite(fd, &sizes[i], 2, first + 6), 2);
		close(fd);
		CHECK_EQ(pd_open(&pd, test_tmpdir()), 0);
		while ((ret = pd_next(pd, &ev)) > 0)
			;
		CHECK_EQ(ret, PD_ECORRUPT);
		CHECK(strstr(pd_error(pd), "data.10: at offset 0x"));
		pd_close(pd);
	}
}

TEST(samples_of_virtual_machines_are_counted)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PERF_SAMPLE_IP, 0);
	pdb_sample(&b, 0, &(struct pdb_sample){ .ip = 1 });
	b.data.p[b.record + 4] = 5;	/* of a guest's user code */
	pdb_sample(&b, 0, &(struct pdb_sample){ .ip = 2 });
	b.data.p[b.record + 4] = 4;
	pdb_sample(&b, 0, &(struct pdb_sample){ .ip = 3 });
	pdb_mmap(&b, 4, -1, 0x1000, 0x1000, 0, "[guest.kernel.kallsyms]", 0);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	CHECK_EQ(pd_next(pd, &ev), 1);
	CHECK_EQ(ev.sample.ip, 3);
	CHECK_EQ(pd_next(pd, &ev), 0);
	CHECK_EQ(pd_stats(pd)->guests, 2);
	CHECK_EQ(pd_stats(pd)->samples, 1);
	pd_close(pd);
	pdb_free(&b);
}
