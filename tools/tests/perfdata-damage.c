// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf.data: cut anywhere, or with any byte changed, it gives an error with a
 * text, or events; never anything worse. The file lies in memory of its exact
 * size, so that the sanitizer sees every read beyond it.
 */
#include "perfdata-build.h"
#include "perfdata/space.h"
#include "test.h"

static const uint64_t branches[][3] = {
	{ 0x10030, 0x10040, 1u << 20 }, { 0x10020, 0x10030, 4u << 20 },
};

/* Something of everything, about 2 KiB. */
static void build(struct pdb *b)
{
	static const uint8_t id[24] = { 0xbb };
	static const uint64_t chain[] = { 1, 2 };
	const struct pdb_sample s = {
		.ip = 0x10044, .time = 6, .pid = 1, .nr_chain = 2,
		.chain = chain, .raw_size = 4, .raw = "raw", .nr_branches = 2,
		.branches = branches,
	};
	struct pdb_buf *list;

	*b = (struct pdb){ 0 };
	pdb_event(b, PDB_BRANCH_SAMPLE | PERF_SAMPLE_READ |
		  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		  PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX);
	b->events[0].attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	pdb_event(b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_comm(b, PDB_MISC_EXEC, 1, "x", 1);
	pdb_mmap2_id(b, 1, 0x10000, 0x1000, 0, "/a", 2, id);
	pdb_mmap2(b, 1, 0x11000, 0x1000, 0x1000, "/a", 3);
	pdb_mmap(b, PDB_MISC_USER, 1, 0x10800, 0x100, 0, "/b", 4);
	pdb_task(b, PERF_RECORD_FORK, 0, 2, 2, 1, 5);
	pdb_ksymbol(b, UINT64_C(0xffffffff78000000), 0x100, false, "bpf_prog_x", 5);
	pdb_ksymbol(b, UINT64_C(0xffffffff78000000), 0x100, true, "bpf_prog_x", 5);
	pdb_sample(b, 0, &s);
	pdb_round(b);
	pdb_sample(b, 1, &s);
	pdb_round(b);
	pdb_begin(b, PDB_AUXTRACE, 0);
	pdb_u64(&b->data, 8);
	pdb_end(b);
	pdb_u64(&b->data, 0);
	pdb_begin(b, PERF_RECORD_LOST, 0);
	pdb_u64(&b->data, 100);
	pdb_u64(&b->data, 7);
	pdb_end_with_id(b, 0, 1, 8);
	pdb_task(b, PERF_RECORD_EXIT, 0, 2, 2, 1, 9);
	list = pdb_feature(b, 2);
	pdb_u32(list, 67);
	pdb_u32(list, 2 | (36 + 8) << 16);
	pdb_u32(list, -1);
	pdb_put(list, id, 24);
	pdb_text(list, "/a");
	pdb_feature_text(b, 3, "host");
	pdb_feature_text(b, 6, "riscv64");
	pdb_finish(b);
}

/* Read all of a copy; every branch and name is touched. Returns pd_next()'s end. */
static int read_all(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct pd_space *space = NULL;
	struct pd_event ev;
	uint64_t sum = 0, i;
	struct pd *pd;
	int ret;

	memcpy(copy, data, size);
	ret = pd_open_memory(&pd, copy, size);
	if (!ret) {
		space = pd_space_new(pd);
		while ((ret = pd_next(pd, &ev)) == 1) {
			CHECK_EQ(pd_space_event(space, &ev), 0);
			if (ev.type != PERF_RECORD_SAMPLE)
				continue;
			for (i = 0; i < ev.sample.nr_branches; i++)
				sum += pd_branch_at(&ev.sample, i).from;
			for (i = 0; i < ev.sample.nr_chain; i++)
				sum += ev.sample.chain[8 * i];
			for (i = 0; i < ev.sample.raw_size; i++)
				sum += ev.sample.raw[i];
			pd_space_find(space, ev.pid, ev.sample.ip + sum % 2);
		}
	}
	if (ret < 0 && !*pd_error(pd))
		test_fail(__FILE__, __LINE__, "error %d has no text", ret);
	pd_space_free(space);
	pd_close(pd);
	free(copy);
	return ret;
}

TEST(whole_file_is_read)
{
	struct pdb b;

	build(&b);
	CHECK_EQ(read_all(b.file.p, b.file.n), 0);
	pdb_free(&b);
}

TEST(cut_at_every_byte_is_an_error)
{
	struct pdb b;
	size_t n;

	build(&b);
	for (n = 0; n < b.file.n; n++)
		if (read_all(b.file.p, n) >= 0)
			test_fail(__FILE__, __LINE__,
				  "cut after %zu of %zu bytes, it is read", n,
				  b.file.n);
	pdb_free(&b);
}

TEST(data_cut_at_every_byte_is_an_error_inside_a_record)
{
	struct pdb b;
	struct pd *pd;
	struct pd_event ev;
	size_t n, errors = 0;
	int ret;

	build(&b);
	b.nr_features = 0;
	for (n = 1; n < b.data.n; n++) {
		pdb_finish(&b);
		pdb_set64(&b.file, 48, n);
		CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
		while ((ret = pd_next(pd, &ev)) == 1)
			;
		if (ret)
			CHECK(strstr(pd_error(pd), "at offset 0x"));
		errors += !!ret;
		pd_close(pd);
	}
	/* Of 14 records; at the start of each but the first the cut is clean. */
	CHECK_EQ(errors, b.data.n - 1 - 13);
	b.nr_features = 3;
	pdb_free(&b);
}

TEST(every_byte_changed_is_read_or_an_error)
{
	static const uint8_t masks[] = { 0x01, 0x10, 0x80, 0xff };
	size_t at, i, errors = 0;
	struct pdb b;

	build(&b);
	for (at = 0; at < b.file.n; at++) {
		for (i = 0; i < sizeof(masks); i++) {
			b.file.p[at] ^= masks[i];
			errors += read_all(b.file.p, b.file.n) < 0;
			b.file.p[at] ^= masks[i];
		}
	}
	CHECK(errors > b.file.n / 10);
	pdb_free(&b);
}

TEST(random_changes_are_read_or_an_error)
{
	struct pdb b;
	int round, i;

	build(&b);
	for (round = 0; round < 3000; round++) {
		struct { size_t at; uint8_t old; } changes[8];

		for (i = 0; i < 8; i++) {
			changes[i].at = test_random() % b.file.n;
			changes[i].old = b.file.p[changes[i].at];
			b.file.p[changes[i].at] = test_random();
		}
		read_all(b.file.p, b.file.n);
		for (i = 8; i--;)
			b.file.p[changes[i].at] = changes[i].old;
	}
	CHECK_EQ(read_all(b.file.p, b.file.n), 0);
	pdb_free(&b);
}

TEST(every_word_made_huge_is_read_or_an_error)
{
	static const uint64_t values[] = {
		UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 63, UINT64_C(1) << 32,
		0xffffffff, 0,
	};
	struct pdb b;
	size_t at, i;

	build(&b);
	for (at = 0; at + 8 <= b.file.n; at += 4) {
		uint64_t old;

		memcpy(&old, b.file.p + at, 8);
		for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
			memcpy(b.file.p + at, &values[i], 8);
			read_all(b.file.p, b.file.n);
		}
		memcpy(b.file.p + at, &old, 8);
	}
	CHECK_EQ(read_all(b.file.p, b.file.n), 0);
	pdb_free(&b);
}
