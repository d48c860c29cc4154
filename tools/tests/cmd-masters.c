// SPDX-License-Identifier: GPL-2.0-only
/* ssctr stf: accesses of other bus masters, and traces of harts and threads. */
#include "cmd-sample.h"
#include "tracing-build.h"
#include "side/side.h"
#include "trace/masters.h"

static struct trb_raw raw;
static unsigned int dma_event;

static void begin_with(unsigned int tracepoint)
{
	begin();
	rec.data.n = 0;
	dma_event = trb_event(&rec, tracepoint, PDB_BRANCH_SAMPLE);
	trb_put(pdb_feature(&rec, 1));
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
}

static void add_map(uint64_t time, const char *device, uint64_t phys,
		    uint64_t size, unsigned int dir)
{
	trb_dma_one(&raw, device, phys, size, dir);
	trb_sample(&rec, dma_event, &raw,
		   (struct pdb_sample){ .ip = KERNEL_AT, .time = time, .pid = 5,
					.cpu = 3 });
}

static void add_sample_on(uint32_t pid, uint32_t cpu, uint64_t time)
{
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = time, .pid = pid, .cpu = cpu,
		.nr_branches = 4, .branches = loop });
}

/* Has the instruction's group an access of another master? */
static bool find_bus(void)
{
	struct stf_record r;

	while (stf_inst_iter_record(iter, &r) == 1)
		if (r.desc == STF_BUS_MASTER_ACCESS)
			return true;
	return false;
}

/* All accesses of the trace, with the pc of their instruction. */
static struct {
	struct stf_bus_access a;
	uint64_t pc;
} seen[64];
static unsigned int nr_seen;
static char comments[4096];

static void read_accesses(const char *name)
{
	struct stf_record r;

	nr_seen = 0;
	comments[0] = 0;
	open_trace(name);
	while (stf_inst_iter_next(iter, &inst) == 1) {
		while (stf_inst_iter_record(iter, &r) == 1) {
			/* Lines of the origin have a test of their own. */
			if (r.desc == STF_COMMENT &&
			    memcmp(r.text.data, "ssctr ", 6))
				snprintf(comments + strlen(comments),
					 sizeof(comments) - strlen(comments),
					 "%.*s\n", (int)r.text.size,
					 r.text.data);
			if (r.desc != STF_BUS_MASTER_ACCESS)
				continue;
			CHECK(nr_seen < 64);
			seen[nr_seen].a = r.bus_access;
			seen[nr_seen++].pc = inst.pc;
		}
	}
	close_trace();
}

static void check_access(int line, unsigned int i, uint64_t address,
			 unsigned int size, unsigned int access,
			 unsigned int initiator, unsigned int index,
			 unsigned int attributes)
{
	const struct stf_bus_access *a = &seen[i].a;

	if (i >= nr_seen || a->address != address || a->size != size ||
	    a->access != access || a->initiator != initiator ||
	    a->index != index || a->attributes != attributes)
		test_fail(__FILE__, line,
			  "access %u of %u: %u %u access %u of %u bytes at 0x%lx, attributes 0x%x",
			  i, nr_seen, a->initiator, a->index, a->access,
			  a->size, (unsigned long)a->address, a->attributes);
}

#define CHECK_ACCESS(...) check_access(__LINE__, __VA_ARGS__)

enum { R = STF_ACCESS_READ, W = STF_ACCESS_WRITE,
       PCIE = STF_INITIATOR_PCIE, DMA = STF_INITIATOR_DMA };

TEST(dma_stands_at_the_next_interrupted_instruction)
{
	begin_with(TRB_MAP_PHYS);
	add_sample_on(5, 3, 10);
	add_map(11, "0000:00:01.0", 0x80001000, 0x1000, SIDE_DMA_FROM_DEVICE);
	add_sample_on(5, 3, 12);
	add_sample_on(5, 3, 14);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 accesses of other bus masters\n"));
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 1);
	CHECK_ACCESS(0, 0x80001000, 0x1000, W, PCIE, 0, 1);
	CHECK_EQ(seen[0].pc, MAP_AT + 0x02);
	/* At the second of the three samples. */
	open_trace("t.stf");
	check_loop(MODE);
	check_loop(GAP);
	CHECK(find_bus());
	check_loop(GAP);
	close_trace();
}

/* Of a line whose branch is not shown, as the sample was taken in the kernel. */
TEST(dma_at_the_end_stands_at_the_last_instruction)
{
	begin_with(TRB_MAP_PHYS);
	add_sample(5, 10, KERNEL_AT, 3, loop + 1);
	add_map(11, "0000:00:01.0", 0x80001000, 0x1000, SIDE_DMA_FROM_DEVICE);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 accesses of other bus masters\n"));
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 1);
	CHECK_ACCESS(0, 0x80001000, 0x1000, W, PCIE, 0, 1);
	CHECK_EQ(seen[0].pc, MAP_AT + 0x12);
	open_trace("t.stf");
	CHECK_INST(0x0e, 0x00, TAKEN | MODE);
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x06, 0);
	CHECK_INST(0x06, 0x12, TAKEN);
	CHECK_INST(0x12, 0x16, 0);
	close_trace();
}

TEST(directions_are_the_device_s)
{
	begin_with(TRB_MAP_PAGE);
	add_map(2, "a", 0x1000, 16, SIDE_DMA_TO_DEVICE);
	add_map(3, "a", 0x2000, 16, SIDE_DMA_FROM_DEVICE);
	add_map(4, "a", 0x3000, 16, SIDE_DMA_BOTH);
	add_sample_on(5, 3, 12);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 4);
	CHECK_ACCESS(0, 0x1000, 16, R, DMA, 0, 1);
	CHECK_ACCESS(1, 0x2000, 16, W, DMA, 0, 1);
	CHECK_ACCESS(2, 0x3000, 16, R, DMA, 0, 1);
	CHECK_ACCESS(3, 0x3000, 16, W, DMA, 0, 1);
}

TEST(devices_have_indices_by_their_kind_and_a_comment_each)
{
	begin_with(TRB_MAP_PHYS);
	add_map(2, "0000:00:01.0", 0x1000, 1, SIDE_DMA_TO_DEVICE);
	add_map(3, "10008000.virtio_mmio", 0x2000, 2, SIDE_DMA_TO_DEVICE);
	add_map(4, "0000:00:02.0", 0x3000, 3, SIDE_DMA_TO_DEVICE);
	add_map(5, "0000:00:01.0", 0x4000, 4, SIDE_DMA_TO_DEVICE);
	add_sample_on(5, 3, 12);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 4);
	CHECK_ACCESS(0, 0x1000, 1, R, PCIE, 0, 1);
	CHECK_ACCESS(1, 0x2000, 2, R, DMA, 0, 1);
	CHECK_ACCESS(2, 0x3000, 3, R, PCIE, 1, 1);
	CHECK_ACCESS(3, 0x4000, 4, R, PCIE, 0, 1);
	CHECK_STR(comments, "bus master PCIe 0 is 0000:00:01.0\n"
			    "bus master DMA 0 is 10008000.virtio_mmio\n"
			    "bus master PCIe 1 is 0000:00:02.0\n");
}

TEST(what_the_record_cannot_hold_is_split)
{
	begin_with(TRB_MAP_PHYS);
	add_map(2, "a", 0x80001000, 0x10000, SIDE_DMA_TO_DEVICE);
	add_map(3, "a", 0x90000000, 0x8001, SIDE_DMA_FROM_DEVICE);
	add_map(4, "a", 0xa0000000, 0, SIDE_DMA_FROM_DEVICE);
	add_sample_on(5, 3, 12);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 4);
	CHECK_ACCESS(0, 0x80001000, 0x8000, R, DMA, 0, 1);
	CHECK_ACCESS(1, 0x80009000, 0x8000, R, DMA, 0, 1);
	CHECK_ACCESS(2, 0x90000000, 0x8000, W, DMA, 0, 1);
	CHECK_ACCESS(3, 0x90008000, 1, W, DMA, 0, 1);
}

/* No device takes more than 4 GiB at once: the recording is damaged. */
TEST(what_is_too_large_for_any_device_is_counted)
{
	begin_with(TRB_MAP_PHYS);
	add_map(2, "a", 0x1000, UINT64_C(0x100000001), SIDE_DMA_TO_DEVICE);
	add_map(3, "a", 0x2000, 1, SIDE_DMA_TO_DEVICE);
	add_map(4, "a", 0x3000, UINT64_MAX, SIDE_DMA_BOTH);
	add_sample_on(5, 3, 12);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 pieces of memory for other bus masters left out, because "));
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 1);
	CHECK_ACCESS(0, 0x2000, 1, R, DMA, 0, 1);
}

TEST(the_largest_access_is_4_gib)
{
	begin_with(TRB_MAP_PHYS);
	add_map(2, "a", 0, UINT64_C(0x100000000), SIDE_DMA_TO_DEVICE);
	add_sample_on(5, 3, 12);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!strstr(run_err, "left out"));
	/* In pieces of 32 KiB. */
	CHECK(strstr(run_err, " 131072 accesses of other bus masters\n"));
}

/* One record can have thousands of pieces of memory, each of which is 131072 accesses. */
TEST(what_waits_has_a_limit_within_a_record_too)
{
	const struct side_dma dma = { .op = SIDE_DMA_MAP, .dir = SIDE_DMA_BOTH, .device = "a",
				      .device_size = 1, .nr = 6, .size = UINT64_C(1) << 32 };
	const struct side_dma one = { .op = SIDE_DMA_MAP, .dir = SIDE_DMA_TO_DEVICE, .device = "a",
				      .device_size = 1, .nr = 1, .size = 1 };
	struct master_queue queue = { 0 };
	struct masters masters = { 0 };

	CHECK_EQ(masters_add_dma(&masters, &queue, &dma), 0);
	CHECK_EQ(queue.nr, MASTERS_WAITING_MAX);
	/* There is room for four of the six pieces, each of which is read and written. */
	CHECK_EQ(masters.left_out, 2 * 2 * 131072);
	CHECK_EQ(masters_add_dma(&masters, &queue, &one), 0);
	CHECK_EQ(queue.nr, MASTERS_WAITING_MAX);
	CHECK_EQ(masters.left_out, 2 * 2 * 131072 + 1);
	free(queue.v);
	masters_free(&masters);
}

TEST(a_sync_to_the_device_is_an_access_and_one_back_is_none)
{
	const uint64_t bus[] = { 0x4000, 0x9000 };
	const uint32_t sizes[] = { 0x1000, 0x200 };
	unsigned int to_cpu;

	begin_with(TRB_SYNC_SG_FOR_DEVICE);
	to_cpu = trb_event(&rec, TRB_SYNC_FOR_CPU, PDB_BRANCH_SAMPLE);
	raw = (struct trb_raw){ .size = 24 };
	trb_number(&raw, 20, 4, SIDE_DMA_TO_DEVICE);
	trb_array(&raw, 8, "a", 2);
	trb_array(&raw, 12, bus, sizeof(bus));
	trb_array(&raw, 16, sizes, sizeof(sizes));
	trb_sample(&rec, dma_event, &raw,
		   (struct pdb_sample){ .time = 4, .pid = 5, .cpu = 3 });
	raw = (struct trb_raw){ .size = 40 };
	trb_number(&raw, 16, 8, 0x5000);
	trb_number(&raw, 24, 8, 64);
	trb_number(&raw, 32, 4, SIDE_DMA_FROM_DEVICE);
	trb_array(&raw, 8, "a", 2);
	trb_sample(&rec, to_cpu, &raw,
		   (struct pdb_sample){ .time = 5, .pid = 5, .cpu = 3 });
	add_sample_on(5, 3, 12);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 2);
	CHECK_ACCESS(0, 0x4000, 0x1000, R, DMA, 0, 0x102);
	CHECK_ACCESS(1, 0x9000, 0x200, R, DMA, 0, 0x102);
}

TEST(dma_after_the_last_sample_is_not_lost)
{
	begin_with(TRB_MAP_PHYS);
	add_sample_on(5, 3, 10);
	add_map(11, "a", 0x1000, 1, SIDE_DMA_FROM_DEVICE);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 1);
	CHECK_EQ(seen[0].pc, MAP_AT + 0x02);
}

/* Samples that overlap, and DMA between them: see add_overlapping(). */
TEST(dma_keeps_its_place_in_a_path_that_goes_on)
{
	static const uint64_t stack[][3] = {	/* youngest first */
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
	};
	unsigned int i;

	begin_with(TRB_MAP_PHYS);
	for (i = 0; i < 3; i++) {
		/* At load, then at the ecall, then at the ret after it. */
		static const uint8_t at[] = { 0x12, 0x0a, 0x0e };

		add_map(10 * i + 1, "a", 0x1000 * (i + 1), 1,
			SIDE_DMA_TO_DEVICE);
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + at[i], .time = 10 * i + 2, .pid = 5,
			.cpu = 3, .nr_branches = i ? 3 : 2,
			.branches = i ? stack : stack + 1 });
	}
	add_map(40, "a", 0x4000, 1, SIDE_DMA_TO_DEVICE);
	write_files();
	CHECK_EQ(run_stf("--stitch always", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples joined"));
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 4);
	for (i = 0; i < 4; i++) {
		static const uint8_t at[] = { 0x12, 0x0a, 0x0e, 0x0e };

		CHECK_ACCESS(i, 0x1000 * (i + 1), 1, R, DMA, 0, 1);
		CHECK_EQ(seen[i].pc, MAP_AT + at[i]);
	}
}

/* The instruction of the first sample comes again and executes, and that of the second has the DMA. */
TEST(dma_stands_at_the_end_of_a_line_that_goes_on)
{
	begin_with(TRB_MAP_PHYS);
	add_sample(5, 10, MAP_AT + 0x00, 3, loop);
	add_map(11, "a", 0x1000, 1, SIDE_DMA_TO_DEVICE);
	add_sample(5, 12, MAP_AT + 0x02, 3, loop);
	write_files();
	CHECK_EQ(run_stf("--stitch always", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples joined"));
	open_trace("t.stf");
	CHECK_INST(0x06, 0x12, TAKEN | MODE);
	CHECK_INST(0x12, 0x16, 0);
	CHECK_INST(0x16, 0x0a, TAKEN);
	CHECK_INST(0x0a, 0x0e, EVENT);
	CHECK_INST(0x0e, 0x00, TAKEN);
	CHECK_INST(0x00, 0x00, EVENT);
	CHECK(!find_bus());
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x02, EVENT);
	CHECK(find_bus());
	close_trace();
}

static void add_access(uint32_t cpu, uint64_t time, uint64_t ip, uint64_t addr)
{
	pdb_sample(&rec, 2, &(struct pdb_sample){
		.ip = ip, .addr = addr, .time = time, .pid = 6, .cpu = cpu });
}

static void begin_with_addresses(void)
{
	unsigned int index;

	begin_with(TRB_MAP_PHYS);
	rec.data.n = 0;
	index = pdb_event(&rec, (PDB_BRANCH_SAMPLE | PERF_SAMPLE_ADDR) &
					~(uint64_t)PERF_SAMPLE_BRANCH_STACK, 0);
	rec.events[index].attr.type = PERF_TYPE_SOFTWARE;
	rec.events[index].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
}

TEST(other_harts_are_bus_masters_of_the_primary_one)
{
	begin_with_addresses();
	add_sample_on(5, 3, 10);
	add_access(1, 11, MAP_AT + 0x12, 0x7000); /* lw */
	add_access(3, 12, MAP_AT + 0x12, 0x8000); /* the primary one's own */
	add_access(2, 13, MAP_AT + 0x00, 0x9000); /* c.addi: no access */
	add_sample_on(6, 1, 14);
	add_sample_on(5, 3, 15);
	write_files();
	CHECK_EQ(run_stf("--primary-cpu 3", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples used"));
	CHECK(strstr(run_err, " 1 samples of other harts left out"));
	CHECK(strstr(run_err, " 1 accesses of other harts by instructions"));
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 1);
	CHECK_ACCESS(0, 0x7000, 4, R, STF_INITIATOR_CORE, 1, 3);
}

TEST(without_a_primary_hart_there_are_no_other_ones)
{
	begin_with_addresses();
	add_access(1, 11, MAP_AT + 0x12, 0x7000);
	add_sample_on(5, 3, 15);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	read_accesses("t.stf");
	CHECK_EQ(nr_seen, 0);
}

TEST(a_trace_for_each_hart)
{
	begin_with(TRB_MAP_PHYS);
	add_sample_on(5, 3, 10);
	add_map(11, "a", 0x1000, 1, SIDE_DMA_FROM_DEVICE);
	add_sample_on(6, 1, 12);
	add_sample_on(5, 3, 13);
	write_files();
	CHECK_EQ(run_stf("--split cpu", "t.zstf"), 0);
	CHECK(strstr(run_err, " 3 samples used"));
	open_trace("t.cpu3.zstf");
	check_loop(MODE);
	check_loop(GAP);
	CHECK_EQ(inst.process.hart, 3);
	CHECK(find_bus());
	close_trace();
	open_trace("t.cpu1.zstf");
	check_loop(MODE);
	CHECK_EQ(inst.process.hart, 1);
	CHECK_EQ(inst.process.pid, 6);
	CHECK(!find_bus());
	close_trace();
	CHECK_EQ(run("test ! -e %s/t.zstf", test_tmpdir()), 0);
}

TEST(a_trace_for_each_thread)
{
	begin_with(TRB_MAP_PHYS);
	add_sample_on(5, 3, 10);
	add_sample_on(6, 3, 12);
	add_sample_on(5, 1, 13);
	/* Of a thread whose code is not known there is no trace. */
	add_sample_on(7, 1, 14);
	write_files();
	CHECK_EQ(run_stf("--split thread", "t.stf"), 0);
	open_trace("t.tid5.stf");
	check_loop(MODE);
	check_loop(GAP);
	close_trace();
	open_trace("t.tid6.stf");
	check_loop(MODE);
	close_trace();
	CHECK_EQ(run("test ! -e %s/t.tid7.stf", test_tmpdir()), 0);
}

/*
 * One sample of nine instructions in thread 5 on hart 3, which executed 18, and one in
 * thread 6 on hart 1, which executed 36.
 */
static void write_parts(void)
{
	begin();
	rec.events[0].attr.type = PERF_TYPE_HARDWARE;
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	rec.events[0].attr.read_format = PERF_FORMAT_ID;
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 10, .pid = 5, .cpu = 3, .period = 18,
		.nr_branches = 4, .branches = loop });
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 11, .pid = 6, .cpu = 1, .period = 36,
		.nr_branches = 4, .branches = loop });
	rec.cpu = 3;
	pdb_count(&rec, 0, 5, 18, 0);
	rec.cpu = 1;
	pdb_count(&rec, 0, 6, 36, 0);
	rec.cpu = 0;
	write_files();
}

/* What ssctr info prints of a trace contains these two, or not if part is NULL. */
static void check_share(const char *name, const char *share, const char *part)
{
	CHECK_EQ(run("ssctr info %s/%s", test_tmpdir(), name), 0);
	if (!strstr(run_out, share) ||
	    !strstr(run_out, "a part of the recording") != !part ||
	    (part && !strstr(run_out, part)))
		test_fail(__FILE__, __LINE__, "%s: %s", name, run_out);
}

TEST(each_trace_says_its_own_share)
{
	write_parts();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	check_share("t.stf", "\ncoverage         33.3 % of what ran", NULL);
	CHECK_EQ(run_stf("--split cpu", "t.stf"), 0);
	check_share("t.cpu3.stf", "\ncoverage         50.0 % of what ran",
		    "\"a part of the recording: what ran on hart 3\"");
	check_share("t.cpu1.stf", "\ncoverage         25.0 % of what ran",
		    "\"a part of the recording: what ran on hart 1\"");
	CHECK_EQ(run_stf("--split thread", "t.stf"), 0);
	check_share("t.tid5.stf", "\ncoverage         50.0 % of what ran",
		    "\"a part of the recording: what ran in thread 5\"");
	check_share("t.tid6.stf", "\ncoverage         25.0 % of what ran",
		    "\"a part of the recording: what ran in thread 6\"");
	CHECK_EQ(run_stf("--primary-cpu 1", "t.stf"), 0);
	check_share("t.stf", "\ncoverage         25.0 % of what ran",
		    "\"a part of the recording: what ran on hart 1\"");
}

/* What of a hart or thread was left out has no count. */
TEST(a_trace_of_what_options_select_says_so)
{
	static const char *const options[] = { "--pid 5", "--tid 5", "--cpu 3", "--time 0,0.1",
					       "--dso x", "--symbol main" };
	unsigned int i;

	write_parts();
	for (i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (run_stf(options[i], "t.stf"))
			test_fail(__FILE__, __LINE__, "%s: %s", options[i], run_err);
		check_share("t.stf", "\ncoverage ",
			    "\"a part of the recording: what options select\"");
	}
	CHECK_EQ(run_stf("--cpu 3", "t.stf"), 0);
	check_share("t.stf", "\ncoverage         50.0 % of what ran", "");
	CHECK_EQ(run_stf("--split cpu --tid 5", "t.stf"), 0);
	check_share("t.cpu3.stf", "\ncoverage         not known\n",
		    "what ran on hart 3, and of that what options select\"");
}

TEST(splitting_needs_names_and_harts)
{
	begin_with(TRB_MAP_PHYS);
	add_sample_on(5, 3, 10);
	write_files();
	CHECK_REFUSED(run_stf("--split both", "t.stf"), 2, "--split both");
	CHECK_REFUSED(run_stf("--split cpu --primary-cpu 3", "t.stf"), 2,
		      "--primary-cpu cannot be used together");
	CHECK_REFUSED(run("ssctr stf -i %s/perf.data --split cpu -o -",
			  test_tmpdir()), 2, "several traces cannot be written to standard output");
	CHECK_REFUSED(run_stf("--primary-cpu -1", "t.stf"), 2, "-1");
}

/* The event has a count, and that is not the reason. */
TEST(a_primary_cpu_without_samples_is_told)
{
	begin_with(TRB_MAP_PHYS);
	add_sample_on(5, 3, 10);
	add_sample_on(5, 2, 11);
	pdb_count(&rec, 0, 5, 1000, 0);
	write_files();
	CHECK_REFUSED(run_stf("--primary-cpu 7", "t.stf"), 1,
		      "/perf.data: no samples that the options select: 2 are of other CPUs than 7 (--primary-cpu)\n");
	CHECK_REFUSED(run_stf("--cpu 7", "t.stf"), 1, "/perf.data: no samples that the options select\n");
}

TEST(a_recording_without_harts_cannot_be_split_by_them)
{
	begin();
	rec.events[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CPU;
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_REFUSED(run_stf("--split cpu", "t.stf"), 1, "--sample-cpu");
	CHECK_REFUSED(run_stf("--primary-cpu 3", "t.stf"), 1, "--sample-cpu");
}
