// SPDX-License-Identifier: GPL-2.0-only
/* perf.data: the fields of samples and of the records beside them. */
#include "perfdata-build.h"
#include "perfdata/perfdata.h"
#include "test.h"

#define ALL_BEFORE_BRANCHES                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |                \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |        \
	 PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

static const uint64_t branches[][3] = {
	{ 0x10030, 0x10040, 1u << 20 | 0x25 << 4 | 1 },	/* COND, mispredicted */
	{ 0x10020, 0x10030, 4u << 20 | 2 },		/* CALL */
	{ 0x10010, 0x10020, 15u << 20 | 1u << 26 },	/* FAULT_DATA */
};
static const uint64_t chain[] = { (uint64_t)-512, 0x10040, 0x10024 };
static const uint8_t raw[12] = "raw data";

static const struct pdb_sample sample = {
	.ip = 0x10044, .time = 5000, .addr = 0xadd0, .period = 77, .pid = 12,
	.tid = 13, .cpu = 3, .nr_chain = 3, .chain = chain, .raw_size = 12,
	.raw = raw, .hw_idx = 9, .nr_branches = 3, .branches = branches,
};

static void next(struct pd *pd, struct pd_event *ev)
{
	int ret = pd_next(pd, ev);

	if (ret != 1)
		test_fail(__FILE__, __LINE__, "pd_next is %d: %s", ret,
			  pd_error(pd));
}

static void open_built(struct pd **pd, struct pdb *b)
{
	pdb_finish(b);
	if (pd_open_memory(pd, b->file.p, b->file.n))
		test_fail(__FILE__, __LINE__, "%s", pd_error(*pd));
}

static void check_branches(const struct pd_sample *s)
{
	struct pd_branch br;

	CHECK(s->has_branches);
	CHECK_EQ(s->nr_branches, 3);
	br = pd_branch_at(s, 0);
	CHECK_EQ(br.from, 0x10030);
	CHECK_EQ(br.to, 0x10040);
	CHECK_EQ(pd_branch_type(br.flags), PERF_BR_COND);
	CHECK(pd_branch_mispredicted(br.flags));
	CHECK_EQ(pd_branch_cycles(br.flags), 0x25);
	br = pd_branch_at(s, 1);
	CHECK_EQ(br.from, 0x10020);
	CHECK_EQ(pd_branch_type(br.flags), PERF_BR_CALL);
	CHECK(!pd_branch_mispredicted(br.flags));
	br = pd_branch_at(s, 2);
	CHECK_EQ(br.to, 0x10020);
	CHECK_EQ(pd_branch_type(br.flags), PD_BR_FAULT_DATA);
}

TEST(flags_are_where_the_kernel_has_them)
{
	/* The same values through the kernel's own bit fields. */
	struct perf_branch_entry e = {
		.mispred = 1, .cycles = 0xabcd, .type = PERF_BR_EXTEND_ABI,
		.new_type = PERF_BR_NEW_FAULT_INST, .spec = 3, .priv = 7,
		.in_tx = 1,
	};
	uint64_t flags;

	memcpy(&flags, (char *)&e + 16, 8);
	CHECK_EQ(pd_branch_type(flags), PD_BR_FAULT_INST);
	CHECK_EQ(pd_branch_cycles(flags), 0xabcd);
	CHECK(pd_branch_mispredicted(flags));
	e.mispred = 0;
	e.type = PERF_BR_IRQ;
	memcpy(&flags, (char *)&e + 16, 8);
	CHECK_EQ(pd_branch_type(flags), PERF_BR_IRQ);
	CHECK(!pd_branch_mispredicted(flags));
}

TEST(type_names_are_those_of_perf)
{
	CHECK_STR(pd_branch_type_name(0), "");
	CHECK_STR(pd_branch_type_name(PERF_BR_COND), "COND");
	CHECK_STR(pd_branch_type_name(PERF_BR_IND_CALL), "IND_CALL");
	CHECK_STR(pd_branch_type_name(PERF_BR_ERET), "ERET");
	CHECK_STR(pd_branch_type_name(PERF_BR_IRQ), "IRQ");
	CHECK_STR(pd_branch_type_name(PD_BR_FAULT_DATA), "FAULT_DATA");
	CHECK_STR(pd_branch_type_name(PD_BR_NR - 1), "");
}

TEST(every_field_before_the_branches)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, ALL_BEFORE_BRANCHES | PERF_SAMPLE_BRANCH_STACK |
		  PERF_SAMPLE_WEIGHT,
		  PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX);
	b.events[0].attr.read_format = PERF_FORMAT_ID |
				       PERF_FORMAT_TOTAL_TIME_RUNNING;
	pdb_sample(&b, 0, &sample);
	open_built(&pd, &b);
	next(pd, &ev);
	CHECK_EQ(ev.type, PERF_RECORD_SAMPLE);
	CHECK_EQ(ev.pid, 12);
	CHECK_EQ(ev.tid, 13);
	CHECK_EQ(ev.time, 5000);
	CHECK_EQ(ev.cpu, 3);
	CHECK_EQ(ev.offset, b.file.n - b.data.n);
	CHECK(ev.attr == pd_attr(pd, 0));
	CHECK_EQ(ev.sample.ip, 0x10044);
	CHECK_EQ(ev.sample.addr, 0xadd0);
	CHECK_EQ(ev.sample.period, 77);
	CHECK_EQ(ev.sample.nr_chain, 3);
	CHECK(!memcmp(ev.sample.chain, chain, sizeof(chain)));
	CHECK_EQ(ev.sample.raw_size, 12);
	CHECK(!memcmp(ev.sample.raw, raw, sizeof(raw)));
	CHECK_EQ(ev.sample.hw_idx, 9);
	check_branches(&ev.sample);
	CHECK_EQ(pd_next(pd, &ev), 0);
	CHECK_EQ(pd_stats(pd)->samples, 1);
	pd_close(pd);
	pdb_free(&b);
}

TEST(any_set_of_fields_leads_to_the_branches)
{
	/* Which of the fields before them are there must not matter. */
	static const uint64_t fields[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD,
		PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW,
	};
	unsigned int set, i;

	for (set = 0; set < 1u << 12; set++) {
		struct pdb b = { 0 };
		struct pd_event ev;
		uint64_t type = PERF_SAMPLE_BRANCH_STACK;
		struct pd *pd;

		for (i = 0; i < 12; i++)
			if (set >> i & 1)
				type |= fields[i];
		pdb_event(&b, type, PERF_SAMPLE_BRANCH_ANY);
		pdb_sample(&b, 0, &sample);
		open_built(&pd, &b);
		next(pd, &ev);
		check_branches(&ev.sample);
		CHECK_EQ(ev.pid, type & PERF_SAMPLE_TID ? 12 : PD_NO_ID);
		CHECK_EQ(ev.cpu, type & PERF_SAMPLE_CPU ? 3 : PD_NO_ID);
		CHECK_EQ(ev.time, type & PERF_SAMPLE_TIME ? 5000 : PD_NO_TIME);
		CHECK_EQ(ev.sample.ip, type & PERF_SAMPLE_IP ? 0x10044 : 0);
		CHECK_EQ(ev.sample.period,
			 type & PERF_SAMPLE_PERIOD ? 77 : 0);
		pd_close(pd);
		pdb_free(&b);
	}
}

TEST(every_read_format_is_skipped)
{
	uint64_t format;

	for (format = 0; format < 32; format++) {
		struct pdb b = { 0 };
		struct pd_event ev;
		struct pd *pd;

		pdb_event(&b, PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK,
			  PERF_SAMPLE_BRANCH_ANY);
		b.events[0].attr.read_format = format;
		pdb_sample(&b, 0, &sample);
		open_built(&pd, &b);
		next(pd, &ev);
		check_branches(&ev.sample);
		pd_close(pd);
		pdb_free(&b);
	}
}

TEST(without_hw_index_it_is_unknown)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_sample(&b, 0, &sample);
	open_built(&pd, &b);
	next(pd, &ev);
	CHECK_EQ(ev.sample.hw_idx, UINT64_MAX);
	check_branches(&ev.sample);
	pd_close(pd);
	pdb_free(&b);
}

TEST(ids_tell_events_of_different_fields_apart)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME |
		  PERF_SAMPLE_BRANCH_STACK,
		  PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX);
	pdb_event(&b, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		  PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR, 0);
	pdb_sample(&b, 1, &sample);
	pdb_sample(&b, 0, &sample);
	pdb_sample(&b, 1, &sample);
	open_built(&pd, &b);
	next(pd, &ev);
	CHECK_EQ(ev.attr->index, 1);
	CHECK_EQ(ev.sample.addr, 0xadd0);
	CHECK(!ev.sample.has_branches);
	next(pd, &ev);
	CHECK_EQ(ev.attr->index, 0);
	CHECK_EQ(ev.sample.hw_idx, 9);
	check_branches(&ev.sample);
	next(pd, &ev);
	CHECK_EQ(ev.attr->index, 1);
	pd_close(pd);
	pdb_free(&b);
}

TEST(ids_without_identifier_tell_events_apart)
{
	const uint64_t common = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				PERF_SAMPLE_CPU;
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, common, 0);
	pdb_event(&b, common | PERF_SAMPLE_BRANCH_STACK,
		  PERF_SAMPLE_BRANCH_ANY);
	pdb_comm(&b, 0, 5, "five", 4999);
	pdb_sample(&b, 1, &sample);
	open_built(&pd, &b);
	next(pd, &ev);
	CHECK_EQ(ev.type, PERF_RECORD_COMM);
	CHECK_EQ(ev.time, 4999);
	CHECK_EQ(ev.attr->index, 0);
	next(pd, &ev);
	CHECK_EQ(ev.attr->index, 1);
	check_branches(&ev.sample);
	pd_close(pd);
	pdb_free(&b);
}

TEST(sample_of_an_unknown_event_is_counted_and_left_out)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	pdb_sample(&b, 0, &sample);
	pdb_set64(&b.data, 8, 999);
	pdb_sample(&b, 1, &sample);
	open_built(&pd, &b);
	next(pd, &ev);
	CHECK_EQ(ev.attr->index, 1);
	CHECK_EQ(pd_next(pd, &ev), 0);
	CHECK_EQ(pd_stats(pd)->unknown_id, 1);
	CHECK_EQ(pd_stats(pd)->samples, 1);
	pd_close(pd);
	pdb_free(&b);
}

TEST(more_branches_than_fit_are_an_error)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	uint64_t nr;

	for (nr = 4; nr; nr <<= 1) {
		struct pd *pd;

		b = (struct pdb){ 0 };
		pdb_event(&b, PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_ANY);
		pdb_sample(&b, 0, &sample);
		pdb_set64(&b.data, 8, nr);
		open_built(&pd, &b);
		CHECK_EQ(pd_next(pd, &ev), PD_ECORRUPT);
		CHECK(strstr(pd_error(pd), "too short for its fields"));
		CHECK(strstr(pd_error(pd), "at offset 0x"));
		pd_close(pd);
		pdb_free(&b);
	}
}

TEST(map_records_have_file_and_build_id)
{
	static const uint8_t id[20] = { 1, 2, 3, 4, 5, [19] = 20 };
	struct pdb b = { .cpu = 1 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	pdb_mmap(&b, PDB_MISC_KERNEL, -1, 0xffffffff80000000, 0x1000000,
		 0xffffffff80000000, "[kernel.kallsyms]_text", 0);
	pdb_mmap2(&b, 4, 0x10000, 0x2000, 0x3000, "/bin/true", 1);
	pdb_mmap2_id(&b, 4, 0x20000, 0x2000, 0, "/lib/x.so", 2, id);
	open_built(&pd, &b);
	next(pd, &ev);
	CHECK_EQ(ev.type, PERF_RECORD_MMAP);
	CHECK(ev.mmap.kernel);
	CHECK_EQ(ev.pid, PD_NO_ID);
	CHECK_EQ(ev.mmap.start, 0xffffffff80000000);
	next(pd, &ev);
	CHECK_EQ(ev.type, PERF_RECORD_MMAP);
	CHECK(!ev.mmap.kernel);
	CHECK_EQ(ev.pid, 4);
	CHECK_EQ(ev.tid, 4);
	CHECK_EQ(ev.time, 1);
	CHECK_EQ(ev.cpu, 1);
	CHECK_EQ(ev.mmap.len, 0x2000);
	CHECK_EQ(ev.mmap.pgoff, 0x3000);
	CHECK_EQ(ev.mmap.prot, 5);
	CHECK_EQ(ev.mmap.build_id_size, 0);
	CHECK_STR(ev.mmap.name, "/bin/true");
	next(pd, &ev);
	CHECK_STR(ev.mmap.name, "/lib/x.so");
	CHECK_EQ(ev.mmap.build_id_size, 20);
	CHECK(!memcmp(ev.mmap.build_id, id, 20));
	pd_close(pd);
	pdb_free(&b);
}

TEST(task_records_have_both_sides)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	pdb_task(&b, PERF_RECORD_FORK, 0, 20, 21, 19, 1);
	pdb_task(&b, PERF_RECORD_FORK, PDB_MISC_EXEC, 22, 22, 1, 2);
	pdb_task(&b, PERF_RECORD_EXIT, 0, 20, 20, 19, 3);
	pdb_comm(&b, PDB_MISC_EXEC, 20, "new", 4);
	open_built(&pd, &b);
	next(pd, &ev);
	CHECK_EQ(ev.type, PERF_RECORD_FORK);
	CHECK_EQ(ev.pid, 20);
	CHECK_EQ(ev.tid, 21);
	CHECK_EQ(ev.task.ppid, 19);
	CHECK(!ev.task.keeps_no_maps);
	next(pd, &ev);
	CHECK(ev.task.keeps_no_maps);
	next(pd, &ev);
	CHECK_EQ(ev.type, PERF_RECORD_EXIT);
	next(pd, &ev);
	CHECK_STR(ev.comm.name, "new");
	CHECK(ev.comm.exec);
	pd_close(pd);
	pdb_free(&b);
}

TEST(losses_and_throttling_are_counted)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;
	int i;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	pdb_begin(&b, PERF_RECORD_LOST, 0);
	pdb_u64(&b.data, 100);
	pdb_u64(&b.data, 7);
	pdb_end_with_id(&b, 0, 1, 1);
	pdb_begin(&b, PERF_RECORD_LOST_SAMPLES, 0);
	pdb_u64(&b.data, 3);
	pdb_end_with_id(&b, 0, 1, 2);
	/* What perf adds up at the end tells of the same. */
	pdb_begin(&b, PERF_RECORD_LOST_SAMPLES, 0);
	pdb_u64(&b.data, 10);
	pdb_end_with_id(&b, 0, 0, 0);
	/* What a filter of BPF dropped is not lost. */
	pdb_begin(&b, PERF_RECORD_LOST_SAMPLES, 1 << 15);
	pdb_u64(&b.data, 1000);
	pdb_end_with_id(&b, 0, 0, 0);
	for (i = 0; i < 3; i++) {
		pdb_begin(&b, i ? PERF_RECORD_THROTTLE :
				  PERF_RECORD_UNTHROTTLE, 0);
		pdb_u64(&b.data, 3);
		pdb_u64(&b.data, 100);
		pdb_u64(&b.data, 100);
		pdb_end_with_id(&b, 0, 1, 3);
	}
	pdb_begin(&b, PERF_RECORD_SWITCH, 0);
	pdb_end_with_id(&b, 0, 1, 4);
	open_built(&pd, &b);
	while (pd_next(pd, &ev) == 1)
		;
	CHECK_EQ(pd_stats(pd)->lost, 7);
	CHECK_EQ(pd_stats(pd)->lost_samples, 3);
	CHECK_EQ(pd_stats(pd)->lost_in_all, 10);
	CHECK_EQ(pd_stats(pd)->throttled, 2);
	CHECK_EQ(pd_stats(pd)->unthrottled, 1);
	CHECK_EQ(pd_stats(pd)->others, 1);
	pd_close(pd);
	pdb_free(&b);
}

TEST(record_shorter_than_its_trailer_is_an_error)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	pdb_comm(&b, 0, 1, "x", 1);
	pdb_begin(&b, PERF_RECORD_LOST, 0);
	pdb_u64(&b.data, 100);
	pdb_u64(&b.data, 7);
	pdb_end(&b);
	open_built(&pd, &b);
	while (pd_next(pd, &ev) == 1)
		;
	CHECK_EQ(pd_next(pd, &ev), PD_ECORRUPT);
	CHECK_EQ(pd_stats(pd)->lost, 0);
	pd_close(pd);
	pdb_free(&b);
}

TEST(name_without_end_is_an_error)
{
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;

	pdb_event(&b, PDB_BRANCH_SAMPLE, 0);
	/* Eight letters in the place of a name; the trailer's bytes are no NUL
	 * that would end it. */
	pdb_begin(&b, PERF_RECORD_COMM, 0);
	pdb_u64(&b.data, 1);
	pdb_put(&b.data, "abcdefgh", 8);
	pdb_end_with_id(&b, 0, 1, 1);
	open_built(&pd, &b);
	CHECK_EQ(pd_next(pd, &ev), PD_ECORRUPT);
	pd_close(pd);
	pdb_free(&b);
}

/* The id at the end of a record tells whose form its end has. */
TEST(records_of_each_event_have_their_own_times)
{
	const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			      PERF_SAMPLE_IDENTIFIER;
	struct pdb b = { 0 };
	struct pd_event ev;
	struct pd *pd;
	unsigned int i;

	pdb_event(&b, type, 0);
	pdb_event(&b, type | PERF_SAMPLE_STREAM_ID, 0);
	for (i = 0; i < 2; i++)
		pdb_lost(&b, i, 5, 1, 70 + i);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(pd_next(pd, &ev), 1);
		CHECK_EQ(ev.time, 70 + i);
		CHECK_EQ(ev.pid, 5);
	}
	pd_close(pd);
	pdb_free(&b);
}
