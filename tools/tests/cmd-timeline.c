// SPDX-License-Identifier: GPL-2.0-only
/* ssctr timeline: when each function began and ended, counted by hand. */
#include "cmd-hot.h"

#define NR(_v) (sizeof(_v) / sizeof(*(_v)))

static int timeline(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr timeline -i %s/perf.data --symfs %s %s", dir, dir, options);
}

/* A sample after the first nr steps of `once`, taken at ip. */
static void add_part(unsigned int nr, uint64_t ip, uint64_t time, uint64_t cycles)
{
	uint64_t branches[NR(once)][3];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		branches[i][0] = MAP_AT + once[nr - 1 - i].from;
		branches[i][1] = MAP_AT + once[nr - 1 - i].to;
		branches[i][2] = cycles << 4;
	}
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + ip, .time = time, .pid = 5, .cpu = 3, .period = 14,
		.hw_idx = nr - 1, .nr_branches = nr,
		.branches = (const uint64_t(*)[3])branches });
}

/* Such samples overlap: a depth of 16 is more than the period. */
static void begin_overlapping(void)
{
	struct pdb_buf *caps;

	begin_program();
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	rec.events[0].attr.branch_sample_type |= PERF_SAMPLE_BRANCH_HW_INDEX;
	caps = pdb_feature(&rec, 28);
	pdb_u32(caps, 1);
	pdb_u32(caps, 16);
	pdb_put(caps, "branches\0\0\0\0\0\0\0", 16);
	pdb_u32(caps, 8);
	pdb_text(caps, "16");
}

/*
 * caller's jump is the first instruction, and main's second nop the third; the one at which
 * the sample was taken has not run.
 */
#define OF_5 "\"pid\":5,\"tid\":5,"

TEST(a_function_lasts_from_its_call_to_its_return)
{
	char want[2048];

	begin_program();
	add_part(NR(once), 0x14, 2, 0);
	write_files();
	CHECK_EQ(timeline(""), 0);
	snprintf(want, sizeof(want),
		 "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
		 "{\"ph\":\"X\"," OF_5 "\"name\":\"leaf\",\"ts\":0.005,\"dur\":0.001,\"cat\":\"/x\"},\n"
		 "{\"ph\":\"X\"," OF_5 "\"name\":\"twin\",\"ts\":0.010,\"dur\":0.001,\"cat\":\"/x\"},\n"
		 "{\"ph\":\"X\"," OF_5 "\"name\":\"leaf\",\"ts\":0.015,\"dur\":0.001,\"cat\":\"/x\"},\n"
		 "{\"ph\":\"X\"," OF_5 "\"name\":\"main\",\"ts\":0.001,\"dur\":0.019,\"cat\":\"/x\"},\n"
		 "{\"ph\":\"X\"," OF_5 "\"name\":\"caller\",\"ts\":0.000,\"dur\":0.020,\"cat\":\"/x\"}\n"
		 "],\"otherData\":{\"unit\":\"instruction\",\"recording\":\"%s/perf.data\",\"gaps\":0,"
		 "\"empty_samples\":0,\"coverage\":null,\"lost\":0,\"notes\":[{\"number\":1,\"text\":"
		 "\"samples of the event, whose coverage is not known: perf writes no count for the event; record with `ssctr record`\"}]}}\n",
		 test_tmpdir());
	CHECK_STR(run_out, want);
	CHECK(strstr(run_err, " 5 calls of functions, in 20 instructions\n"));
	CHECK(strstr(run_err, " 1 samples, of which 0 overlap with the sample before\n"));
}

/* main calls, and runs until the sample. Before the sample are 11 instructions. */
TEST(calls_of_a_program_of_32_bits_are_calls)
{
	begin_program();
	run_program32();
	ADD_STEPS(once32);
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK(strstr(run_err, " 3 calls of functions, in 11 instructions\n"));
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":0.001,\"dur\":0.002,");
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":0.007,\"dur\":0.002,");
	CHECK_SHOWS("\"name\":\"main\",\"ts\":0.000,\"dur\":0.011,");
}

/* A hart's stack of return addresses takes it for a swap; who called runs on. */
TEST(a_call_by_t0_is_a_call)
{
	begin_program();
	call_by_t0();
	add_part(NR(once), 0x14, 2, 0);
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK_SHOWS("\"name\":\"twin\",\"ts\":0.010,\"dur\":0.001");
	CHECK_SHOWS("\"name\":\"main\",\"ts\":0.001,\"dur\":0.019");
	CHECK(strstr(run_err, " 5 calls of functions, in 20 instructions\n"));
}

static bool loses;

static void show_counted(uint64_t config)
{
	begin_program();
	rec.events[0].attr.config = config;
	add_part(NR(once), 0x14, 2, 0);
	if (loses)
		pdb_lost(&rec, 0, 5, 5, 13);
	pdb_count(&rec, 0, UINT32_MAX, 40, 0);
	write_files();
	CHECK_EQ(timeline(""), 0);
}

/* The sample covers a period of 14, but 20 instructions are shown, of 40. */
TEST(the_coverage_is_the_share_of_what_ran_that_is_shown)
{
	show_counted(PERF_COUNT_HW_INSTRUCTIONS);
	CHECK_SHOWS("\"coverage\":0.500000,");
	CHECK(strstr(run_err, " 40 instructions ran, of which the output holds 50.0 %; record with a shorter period to get more "));
	CHECK(strstr(run_err, "which cover 35.0 % of its count of 40;"));
	show_counted(PERF_COUNT_HW_CPU_CYCLES);
	CHECK_SHOWS("\"coverage\":null,");
	CHECK(!strstr(run_err, "instructions ran"));
	loses = true;
	show_counted(PERF_COUNT_HW_INSTRUCTIONS);
	loses = false;
	CHECK(strstr(run_err, "holds 50.0 %; samples were lost, so record with larger buffers (-m) to get more "));
	/* A viewer does not show what was told on standard error. */
	CHECK_SHOWS(",\"lost\":5,\"notes\":[{\"number\":1,\"text\":\"samples of ");
	CHECK_SHOWS(",{\"number\":5,\"text\":\"events lost while recording\"}]}}\n");
}

/* What began before the first record is there from the first instruction on. */
TEST(a_caller_that_was_not_seen_to_call_has_run_all_the_time)
{
	static const uint64_t branches[][3] = {
		{ MAP_AT + 0x0e, MAP_AT + 0x14, 0 },
		{ MAP_AT + 0x10, MAP_AT + 0x08, 0 },
	};

	begin_program();
	add_sample(5, 2, MAP_AT + 0x14, 2, branches);
	write_files();
	CHECK_EQ(timeline(""), 0);
	/* leaf's return, four instructions of main to its own. */
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":0.000,\"dur\":0.001");
	CHECK_SHOWS("\"name\":\"main\",\"ts\":0.000,\"dur\":0.005");
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.000,\"dur\":0.005");
}

/* caller calls leaf, which jumps to twin, which returns: twin has another name. */
static void show_jump(const char *twin)
{
	static uint16_t jumps[NR(program)];
	static const uint64_t branches[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x14, 0 },
		{ MAP_AT + 0x10, MAP_AT + 0x16, 0 },
		{ MAP_AT + 0x12, MAP_AT + 0x10, 0 },
	};
	unsigned int i;

	begin_program();
	memcpy(jumps, program, sizeof(program));
	jumps[0x10 / 2] = 0x8782; /* c.jr a5 */
	elf.code = jumps;
	for (i = 0; i < elf.nr_symbols; i++)
		if (!strcmp(elf.symbols[i].name, "twin"))
			elf.symbols[i].name = twin;
	add_sample(5, 2, MAP_AT + 0x14, 3, branches);
	write_files();
	CHECK_EQ(timeline(""), 0);
}

TEST(a_tail_call_returns_to_who_called_first)
{
	show_jump("twin");
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":0.001,\"dur\":0.001");
	CHECK_SHOWS("\"name\":\"twin\",\"ts\":0.002,\"dur\":0.001");
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.000,\"dur\":0.003");
	CHECK(strstr(run_err, " 3 calls of functions"));
}

TEST(a_part_that_gcc_split_off_is_its_function)
{
	show_jump("leaf.cold");
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":0.001,\"dur\":0.002");
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.000,\"dur\":0.003");
	CHECK(strstr(run_err, " 2 calls of functions"));
}

TEST(a_name_that_begins_with_another_is_another_function)
{
	show_jump("leafy");
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":0.001,\"dur\":0.001");
	CHECK_SHOWS("\"name\":\"leafy\",\"ts\":0.002,\"dur\":0.001");
}

TEST(samples_that_overlap_are_one_timeline)
{
	begin_overlapping();
	add_part(3, 0x08, 1000, 0);
	add_part(NR(once), 0x14, 2400, 0);
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK_SHOWS("\"name\":\"twin\",\"ts\":0.010,\"dur\":0.001");
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.000,\"dur\":0.020");
	CHECK_SHOWS("\"gaps\":0");
	CHECK(strstr(run_err, " 5 calls of functions, in 20 instructions\n"));
	CHECK(strstr(run_err, " 2 samples, of which 1 overlap with the sample before\n"));
}

/* The first six instructions end at 1000 ns; the other fourteen take 100 ns each. */
TEST(two_events_with_the_same_branches_are_one_timeline)
{
	unsigned int other;

	begin_program();
	other = pdb_event(&rec, rec.events[0].attr.sample_type,
			  rec.events[0].attr.branch_sample_type);
	add_part(NR(once), 0x14, 2, 0);
	pdb_sample(&rec, other, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 3, .pid = 5, .cpu = 3,
		.nr_branches = 4, .branches = loop });
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK(strstr(run_err, " 5 calls of functions, in 20 instructions\n"));
	CHECK(strstr(run_err, " 1 samples left out, because another event records all "
			      "branches that their event records\n"));
}

TEST(the_clock_is_that_of_the_samples)
{
	begin_overlapping();
	add_part(3, 0x08, 1000, 0);
	add_part(NR(once), 0x14, 2400, 0);
	write_files();
	CHECK_EQ(timeline("--by time"), 0);
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":0.999,\"dur\":0.001");
	CHECK_SHOWS("\"name\":\"twin\",\"ts\":1.400,\"dur\":0.100");
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":1.900,\"dur\":0.100");
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.994,\"dur\":1.406");
	CHECK_SHOWS("\"unit\":\"ns\"");
}

TEST(a_whole_microsecond_has_no_thousandths)
{
	begin_overlapping();
	add_part(3, 0x08, 2001, 0);
	add_part(NR(once), 0x14, 3401, 0);
	write_files();
	CHECK_EQ(timeline("--by time"), 0);
	CHECK_SHOWS("\"name\":\"leaf\",\"ts\":2.000,\"dur\":0.001");
}

/* Ten transfers of ten cycles each; what the sample interrupted has none. */
TEST(cycles_are_those_of_the_records)
{
	begin_program();
	add_part(NR(once), 0x14, 2, 10);
	write_files();
	CHECK_EQ(timeline("--by cycles"), 0);
	CHECK_SHOWS("\"name\":\"main\",\"ts\":0.010,\"dur\":0.090");
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.000,\"dur\":0.100");
	CHECK_SHOWS("\"unit\":\"cycle\"");
}

/* The line that a sample cuts is that of the next record, whose cycles are all of it. */
TEST(overlapping_samples_have_no_cycle_twice)
{
	begin_overlapping();
	add_part(1, 0x06, 2, 10);
	add_part(4, 0x06, 3, 10);
	add_part(NR(once), 0x14, 4, 10);
	write_files();
	CHECK_EQ(timeline("--by cycles"), 0);
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.000,\"dur\":0.100");
}

TEST(what_has_no_cycles_is_not_drawn_by_them)
{
	begin_program();
	add_part(NR(once), 0x14, 2, 0);
	write_files();
	CHECK_EQ(timeline("--by cycles"), 1);
	CHECK_SAYS("no branch record has cycles; use --by instructions");
}

TEST(what_has_no_times_is_not_drawn_by_them)
{
	unsigned int i;

	begin_program();
	rec.data.n = 0;
	rec.events[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	/* More than is kept back before it is written. */
	for (i = 0; i < 5000; i++)
		add_part(NR(once), 0x14, 0, 0);
	write_files();
	CHECK_EQ(timeline("--by time"), 1);
	CHECK_SAYS("perf.data: the samples do not tell when they were taken; use --by instructions");
	CHECK_STR(run_out, "");
	CHECK_EQ(timeline(""), 0);
}

TEST(code_that_is_not_known_is_told)
{
	begin_program();
	add_part(NR(once), 0x14, 2, 0);
	write_files();
	CHECK_EQ(run("mkdir %s/empty && ssctr timeline -i %s/perf.data --symfs %s/empty",
		     test_tmpdir(), test_tmpdir(), test_tmpdir()), 1);
	CHECK_SAYS("there is no instruction to show, because the code is not known: a file that cannot be read");
	begin_program();
	add_part(NR(once), 0x14, 2, 0);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/none", 1);
	add_sample(6, 2000, MAP_AT + 0x08, 1,
		   (const uint64_t[][3]){ { MAP_AT + 0x10, MAP_AT + 0x08, 0 } });
	add_sample(6, 3000, MAP_AT + 0x08, 1,
		   (const uint64_t[][3]){ { MAP_AT + 0x10, MAP_AT + 0x08, 0 } });
	write_files();
	CHECK_EQ(timeline(""), 0);
	/* All of it is one gap, which other ways to record would not fill. */
	CHECK(strstr(run_err, " 1 gaps\n"));
	CHECK(strstr(run_err, " 1 of the gaps: the code is not known: a file that cannot be read\n"));
	CHECK_SHOWS("\"gaps\":1");
}

TEST(samples_that_do_not_overlap_have_a_gap_between_them)
{
	begin_program();
	add_part(NR(once), 0x14, 1000, 0);
	add_part(NR(once), 0x14, 9000, 0);
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK_SHOWS("{\"ph\":\"i\"," OF_5 "\"name\":\"gap\",\"ts\":0.020,\"s\":\"t\",\"args\":{\"why\":\"the samples are not known to overlap\"}}");
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.020,\"dur\":0.020");
	CHECK_SHOWS("\"gaps\":1");
	CHECK(strstr(run_err, " 1 gaps; docs/trace.md"));
	CHECK_EQ(timeline("--by time"), 0);
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":0.980,\"dur\":0.020");
	CHECK_SHOWS("\"name\":\"caller\",\"ts\":8.980,\"dur\":0.020");
}

TEST(a_path_that_the_code_contradicts_has_a_gap)
{
	static const uint64_t branches[][3] = {
		{ MAP_AT + 0x10, MAP_AT + 0x08, 0 },
		/* No instruction of main leads from its loop's start to leaf. */
		{ MAP_AT + 0x04, MAP_AT + 0x10, 0 },
		{ MAP_AT + 0x12, MAP_AT + 0x00, 0 },
	};

	begin_program();
	add_sample(5, 2, MAP_AT + 0x08, 3, branches);
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK_SHOWS("\"name\":\"gap\"");
	CHECK_SHOWS("\"gaps\":1");
}

/* A system call, for instance, of which user code's records have both ends. */
TEST(what_the_kernel_did_is_no_gap_in_user_code)
{
	static const uint64_t branches[][3] = {
		{ MAP_AT + 0x10, MAP_AT + 0x08, 0 },
		{ MAP_AT + 0x06, MAP_AT + 0x10, 0 },
		{ 0, MAP_AT + 0x04, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x04, 0, PERF_BR_IRQ << 20 },
		{ MAP_AT + 0x12, MAP_AT + 0x00, 0 },
	};

	begin_program();
	add_sample(5, 2, MAP_AT + 0x08, 5, branches);
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK_SHOWS("\"gaps\":0");
	CHECK_SHOWS("\"name\":\"main\",\"ts\":0.001,");
	CHECK(strstr(run_err, " 3 calls of functions"));
}

TEST(each_thread_has_its_own)
{
	begin_program();
	add_part(NR(once), 0x14, 1000, 0);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	pdb_comm(&rec, 0, 6, "six \"\"", 1500);
	add_sample(6, 2000, MAP_AT + 0x08, 1,
		   (const uint64_t[][3]){ { MAP_AT + 0x10, MAP_AT + 0x08, 0 } });
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK_SHOWS("\"pid\":6,\"tid\":6,\"name\":\"leaf\",\"ts\":0.000");
	CHECK_SHOWS("{\"ph\":\"M\",\"pid\":6,\"tid\":6,\"name\":\"thread_name\",\"ts\":0.000,\"args\":{\"name\":\"six \\\"\\\"\"}}");
	CHECK_SHOWS("\"gaps\":0");
}

TEST(it_is_written_whole_or_not_at_all)
{
	const char *dir = test_tmpdir();

	begin_program();
	add_part(NR(once), 0x14, 2, 0);
	write_files();
	CHECK_EQ(run("ssctr timeline -i %s/perf.data --symfs %s -o %s/t.json && tail -n 1 %s/t.json",
		     dir, dir, dir, dir), 0);
	CHECK_SHOWS("\"gaps\":0,\"empty_samples\":0,\"coverage\":null,\"lost\":0,");
	CHECK_EQ(run("ssctr timeline -i %s/perf.data -o %s/none/t.json", dir, dir), 1);
	CHECK_SAYS("none/t.json: No such file or directory");
}

TEST(what_cannot_be_shown_is_refused)
{
	begin_program();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	add_part(NR(once), 0x14, 2, 0);
	write_files();
	CHECK_EQ(timeline(""), 1);
	CHECK_SAYS("the branch filter leaves out branches");
	CHECK_STR(run_out, "");
	begin_program();
	add_part(0, 0x14, 2, 0);
	write_files();
	CHECK_EQ(timeline(""), 1);
	CHECK_SAYS("no branch stack in any sample");
	CHECK_EQ(timeline("--by heat"), 2);
	CHECK_SAYS("--by heat: unknown axis; use instructions, cycles or time");
}

/* leaf returns to main at once: two runs, where the path before had eleven. */
TEST(a_short_path_after_a_long_one_is_itself)
{
	begin_program();
	add_part(NR(once), 0x14, 1000, 0);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	add_sample(6, 2000, MAP_AT + 0x08, 1,
		   (const uint64_t[][3]){ { MAP_AT + 0x10, MAP_AT + 0x08, 0 } });
	write_files();
	CHECK_EQ(timeline(""), 0);
	CHECK_SHOWS("\"pid\":6,\"tid\":6,\"name\":\"leaf\",\"ts\":0.000,\"dur\":0.001,");
	CHECK_SHOWS("\"pid\":6,\"tid\":6,\"name\":\"main\",\"ts\":0.000,\"dur\":0.001,");
	CHECK(strstr(run_err, " 7 calls of functions, in 21 instructions\n"));
}
