// SPDX-License-Identifier: GPL-2.0-only
/* Samples to STF, without a command line. */
#include "cmd-sample.h"
#include "stf-build.h"
#include "trace/options.h"

#include <unistd.h>

static struct samples s;
static struct samples_opts samples_opts;
static struct trace_opts opts;
static struct error error;
static char recording[128], output[128];

static void start(void)
{
	write_files();
	snprintf(recording, sizeof(recording), "%s/perf.data", test_tmpdir());
	snprintf(output, sizeof(output), "%s/t.stf", test_tmpdir());
	samples_opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	samples_opts.symfs = test_tmpdir();
	opts = (struct trace_opts)TRACE_OPTS_INIT;
	opts.path = output;
}

/* All of the recording. Returns what trace_close() does, or a failure before it. */
static int convert(struct notes *notes)
{
	struct trace *trace;
	struct pd_event ev;
	int ret = samples_open(&s, recording, &samples_opts, &error);

	trace = ret ? NULL : trace_open(&opts, &s, &error);
	if (!trace)
		ret = ERROR_OUTPUT;
	while (!ret && samples_next(&s, &ev, &error) > 0)
		ret = trace_sample(trace, &ev);
	if (!ret)
		ret = trace_close(trace);
	if (!ret && notes)
		trace_note(trace, notes);
	trace_free(trace);
	samples_close(&s);
	return ret;
}

static uint64_t number_of(const struct notes *notes, const char *text)
{
	size_t i;

	for (i = 0; i < notes->nr; i++)
		if (!strcmp(notes->v[i].text, text))
			return notes->v[i].number;
	return 0;
}

TEST(samples_become_a_trace)
{
	struct notes notes = { 0 };

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	start();
	CHECK_EQ(convert(&notes), 0);
	CHECK_EQ(number_of(&notes, "samples used"), 2);
	CHECK_EQ(number_of(&notes, "transfers"), 8);
	CHECK_EQ(number_of(&notes, "instructions, whose share of what ran is not known; `ssctr record -e instructions:u` records it"), 20);
	notes_free(&notes);
	open_trace("t.stf");
	check_loop(MODE);
	check_loop(GAP);
	close_trace();
}

static bool is_said(const struct notes *notes, const char *text)
{
	size_t i;

	for (i = 0; i < notes->nr && !strstr(notes->v[i].text, text); i++)
		;
	return i < notes->nr;
}

/* A recording of other modes would not tell the share. */
TEST(the_remedy_for_what_was_not_counted_is_of_the_same_modes)
{
	static const struct {
		bool user, kernel;
		const char *text;
	} rows[] = {
		{ true, false, "; `ssctr record -e instructions:u` records it" },
		{ false, true, "; `ssctr record -e instructions:k` records it" },
		{ true, true, "; `ssctr record -e instructions` records it" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct notes notes = { 0 };

		begin();
		rec.events[0].attr.exclude_user = !rows[i].user;
		rec.events[0].attr.exclude_kernel = !rows[i].kernel;
		add_sample(5, 2, MAP_AT + 0x02, 4, loop);
		start();
		samples_opts.allow_partial = true;
		convert(&notes);
		CHECK(is_said(&notes, rows[i].text));
		notes_free(&notes);
	}
}

TEST(a_trace_of_no_code_is_nothing)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	start();
	samples_opts.symfs = "/proc";
	CHECK_EQ(convert(NULL), ERROR_PARTIAL);
	CHECK(strstr(error.text, "none of 1 samples could be used"));
	check_nothing_left(__LINE__);
}

TEST(a_trace_that_cannot_be_written_is_told_at_the_start)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	start();
	opts.path = "/nowhere/t.stf";
	CHECK_EQ(convert(NULL), ERROR_OUTPUT);
	CHECK(strstr(error.text, "/nowhere/t.stf"));
}

TEST(each_thread_may_have_a_trace_of_its_own)
{
	begin();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(6, 3, MAP_AT + 0x02, 4, loop);
	start();
	CHECK_EQ(trace_option(&opts, TRACE_OPT_SPLIT, "thread", &error), 0);
	CHECK_EQ(convert(NULL), 0);
	CHECK(access(output, F_OK));
	open_trace("t.tid5.stf");
	check_loop(MODE);
	close_trace();
	open_trace("t.tid6.stf");
	check_loop(MODE);
	CHECK_EQ(inst.process.pid, 6);
	close_trace();
}

/* So that a part can be cut out of a .zstf without all that is before it. */
TEST(the_process_and_the_mode_are_told_in_each_chunk)
{
	unsigned int i, since_process = 0, since_mode = 0, insns = 0, again = 0;
	struct stf_error err;
	struct stf_record r;

	begin();
	for (i = 0; i < 15000; i++)
		add_sample(5, 2 + i, MAP_AT + 0x02, 4, loop);
	start();
	CHECK_EQ(convert(NULL), 0);
	reader = stf_reader_open(output, NULL, &err);
	CHECK(reader);
	while (stf_reader_next(reader, &r) == 1) {
		if (r.desc == STF_PROCESS_ID_EXT) {
			CHECK_EQ(r.process.pid, 5);
			since_process = 0;
			again += insns > 0;
		}
		if (r.desc == STF_EVENT && r.event.id == STF_EVENT_MODE_CHANGE) {
			CHECK_EQ(r.event.fields[0], STF_MODE_USER);
			since_mode = 0;
		}
		if (r.desc != STF_INST_16 && r.desc != STF_INST_32)
			continue;
		insns++;
		CHECK(since_process++ < 50100);
		CHECK(since_mode++ < 50100);
	}
	CHECK_EQ(insns, 150000);
	CHECK_EQ(again, 3); /* not more often than needed; once with the mapping */
	stf_reader_close(reader);
}

static void note_break(void *arg, const struct pd_event *ev,
		       const struct path_run *run)
{
	CHECK_EQ(ev->pid, 5);
	CHECK_EQ(run->why, PATH_UNKNOWN_CODE);
	(*(unsigned int *)arg)++;
}

TEST(each_break_is_told_to_who_asks)
{
	static const uint64_t stack[][3] = {
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ 0x500000, MAP_AT + 0x00, PERF_BR_IND << 20 },
		{ MAP_AT + 0x18, 0x500000, PERF_BR_IND << 20 },
	};
	struct notes notes = { 0 };
	unsigned int breaks = 0;

	begin();
	add_sample(5, 2, MAP_AT + 0x12, 3, stack);
	start();
	samples_opts.allow_partial = true;
	opts.on_break = note_break;
	opts.arg = &breaks;
	CHECK_EQ(convert(&notes), 0);
	CHECK_EQ(breaks, 1);
	CHECK_EQ(number_of(&notes, "breaks: the code is not known: nothing mapped"),
		 1);
	notes_free(&notes);
}

TEST(options_that_make_no_sense_are_named)
{
	opts = (struct trace_opts)TRACE_OPTS_INIT;
	CHECK_EQ(trace_check_opts(&opts, &error), ERROR_USAGE);
	CHECK_EQ(trace_option(&opts, TRACE_OPT_OUTPUT, "-", &error), 0);
	CHECK_EQ(trace_check_opts(&opts, &error), 0);
	CHECK_EQ(trace_option(&opts, TRACE_OPT_SPLIT, "", &error), ERROR_USAGE);
	CHECK_STR(error.text, "--split : use cpu or thread");
	CHECK_EQ(trace_option(&opts, TRACE_OPT_SPLIT, "cpu", &error), 0);
	CHECK_EQ(trace_check_opts(&opts, &error), ERROR_USAGE);
	CHECK_STR(error.text, "--split: several traces cannot be written to standard output; name a file with -o");
	CHECK_EQ(trace_option(&opts, TRACE_OPT_GENERATOR, "255", &error),
		 ERROR_USAGE);
	CHECK_STR(error.text, "--generator 255: not a number from 1 to 254");
	CHECK_EQ(trace_option(&opts, TRACE_OPT_STITCH, "sometimes", &error),
		 ERROR_USAGE);
	CHECK_EQ(trace_option(&opts, TRACE_OPT_STITCH, "never", &error), 0);
	CHECK_EQ(opts.stitch, PATH_STITCH_NEVER);
}

/* As readers of the reference library demand it: EVENT, EVENT_PC_TARGET, opcode. */
TEST(each_event_has_its_target_right_behind_it)
{
	unsigned int events = 0, targets = 0;
	struct stf_error err;
	struct stf_record r;

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	start();
	CHECK_EQ(convert(NULL), 0);
	reader = stf_reader_open(output, NULL, &err);
	CHECK(reader);
	while (stf_reader_next(reader, &r) == 1) {
		if (r.desc == STF_EVENT_PC_TARGET)
			targets++;
		CHECK_EQ(events, targets);
		if (r.desc == STF_EVENT && r.event.id != STF_EVENT_MODE_CHANGE)
			events++;
	}
	/* Of each sample a system call and the overflow. */
	CHECK_EQ(events, 4);
	CHECK_EQ(targets, events);
	stf_reader_close(reader);
}

/* The same in the file: u8 100, u64 id, u8 n, n times u64; u8 101, u64 pc; u8 240. */
TEST(the_bytes_of_a_sample_s_event)
{
	uint8_t event[] = { 100, 0x0d, 0, 0, 0, 0, 0, 0, 0x80, 1,
			    0, 0, 0, 0, 0, 0, 0, 0,
			    101, 0, 0, 0, 0, 0, 0, 0, 0, 240 };
	const uint64_t pc = MAP_AT + 0x02;
	static uint8_t bytes[4096];
	unsigned int i;
	uint8_t *at;
	size_t n;

	for (i = 0; i < 8; i++)
		event[19 + i] = (uint8_t)(pc >> 8 * i);
	begin();
	add_sample(5, 2, pc, 4, loop);
	start();
	CHECK_EQ(convert(NULL), 0);
	n = read_file(output, bytes, sizeof(bytes));
	at = memmem(bytes, n, event, sizeof(event));
	CHECK(at);
	/* One sample, one event. */
	at += sizeof(event);
	CHECK(!memmem(at, n - (at - bytes), event, 9));
}

/* @nr samples, and @lost between each two. */
static void write_counted(uint64_t config, unsigned int nr, uint64_t period,
			  uint64_t count, uint64_t lost)
{
	unsigned int i;

	begin();
	rec.events[0].attr.type = PERF_TYPE_HARDWARE;
	rec.events[0].attr.config = config;
	for (i = 0; i < nr; i++) {
		if (i && lost)
			pdb_lost(&rec, 0, 5, lost, 1 + 2 * i);
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x02, .time = 2 + 2 * i, .pid = 5, .cpu = 3,
			.period = period, .nr_branches = 4, .branches = loop });
	}
	pdb_count(&rec, 0, UINT32_MAX, count, 0);
	start();
	opts.stitch = PATH_STITCH_NEVER;
	CHECK_EQ(convert(NULL), 0);
	CHECK_EQ(run("ssctr info %s", output), 0);
}

/* Nine have executed; the last was interrupted. */
TEST(a_trace_says_what_share_of_what_ran_it_holds)
{
	write_counted(PERF_COUNT_HW_INSTRUCTIONS, 1, 18, 18, 0);
	CHECK(strstr(run_out, "\ncoverage         50.0 % of what ran; record with a shorter period, or with larger buffers (-m) if samples were lost, to get more "));
	CHECK_EQ(run("ssctr info -j %s", output), 0);
	CHECK(strstr(run_out, "\"coverage\":0.500000,"));
	write_counted(PERF_COUNT_HW_INSTRUCTIONS, 1, 10, 10, 0);
	CHECK(strstr(run_out, "\ncoverage         90.0 % of what ran\n"));
	write_counted(PERF_COUNT_HW_CPU_CYCLES, 1, 18, 18, 0);
	CHECK(strstr(run_out, "\ncoverage         not known\n"));
}

/* Two samples of nine instructions. Four of them ran since the first sample: 13 of 26. */
TEST(what_two_samples_show_is_no_more_than_once_in_a_traces_share)
{
	write_counted(PERF_COUNT_HW_INSTRUCTIONS, 2, 4, 26, 0);
	CHECK(strstr(run_out, "\ncoverage         50.0 % of what ran; "));
}

/* As before, and of the eight that ran since all are in the second one: 17 of 20. */
TEST(what_a_sample_shows_of_lost_ones_is_in_a_traces_share)
{
	write_counted(PERF_COUNT_HW_INSTRUCTIONS, 2, 4, 20, 1);
	CHECK(strstr(run_out, "\ncoverage         85.0 % of what ran; "));
}

/*
 * A thread that is switched often: its counter has gone on with other tasks, so that nine and
 * seven instructions ran in it where the period is two. The second sample has the transfers of
 * the first one, and of one more turn.
 */
TEST(what_joins_to_the_sample_before_is_all_in_a_traces_share)
{
	uint64_t again[7][3];

	memcpy(again, loop, 3 * sizeof(*loop));
	memcpy(again + 3, loop, 4 * sizeof(*loop));
	again[3][2] |= 2; /* predicted: where the newest of the first is in the second */
	begin();
	rec.events[0].attr.type = PERF_TYPE_HARDWARE;
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 2, .pid = 5, .cpu = 3, .period = 2,
		.nr_branches = 4, .branches = (const uint64_t(*)[3])(again + 3) });
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 4, .pid = 5, .cpu = 3, .period = 2,
		.nr_branches = 7, .branches = (const uint64_t(*)[3])again });
	pdb_count(&rec, 0, UINT32_MAX, 32, 0);
	start();
	CHECK_EQ(convert(NULL), 0);
	CHECK_EQ(run("ssctr info %s", output), 0);
	CHECK(strstr(run_out, "\ngaps             0 within the trace\n"));
	CHECK(strstr(run_out, "\ncoverage         50.0 % of what ran; "));
}

/*
 * Two samples that are not joined show nine instructions each. By their period all of them are
 * new, but ten ran in their thread. Thirty ran in another one, of which there is no sample.
 */
TEST(what_a_thread_shows_again_does_not_stand_for_another_in_a_traces_share)
{
	unsigned int lost;

	for (lost = 0; lost < 2; lost++) {
		begin();
		rec.events[0].attr.type = PERF_TYPE_HARDWARE;
		rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		rec.events[0].attr.inherit = rec.events[0].attr.inherit_stat = 1;
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x02, .time = 2, .pid = 5, .cpu = 3, .period = 9,
			.nr_branches = 4, .branches = loop });
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x02, .time = 4, .pid = 5, .cpu = 3, .period = 9,
			.nr_branches = 4, .branches = loop });
		pdb_count(&rec, 0, 5, 10, 5);
		/* A part of the ten may be lost, too. */
		if (lost)
			pdb_lost(&rec, 0, 5, 1, 6);
		pdb_count(&rec, 0, UINT32_MAX, 40, 0);
		start();
		opts.stitch = PATH_STITCH_NEVER;
		CHECK_EQ(convert(NULL), 0);
		CHECK_EQ(run("ssctr info %s", output), 0);
		CHECK(strstr(run_out, lost ? "\ncoverage         45.0 % of what ran; " :
					     "\ncoverage         25.0 % of what ran; "));
	}
}

/* Nobody counted what ran in the mode whose branches are shown beside. */
TEST(a_trace_of_a_mode_that_was_not_counted_does_not_tell_its_share)
{
	begin();
	rec.events[0].attr.type = PERF_TYPE_HARDWARE;
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	rec.events[0].attr.exclude_kernel = 1;
	rec.events[0].attr.branch_sample_type |= PERF_SAMPLE_BRANCH_USER |
						 PERF_SAMPLE_BRANCH_KERNEL;
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 2, .pid = 5, .cpu = 3, .period = 4,
		.nr_branches = 1, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, 4, 0);
	start();
	CHECK_EQ(convert(NULL), 0);
	CHECK_EQ(run("ssctr info %s", output), 0);
	CHECK(strstr(run_out, "\ncoverage         not known\n"));
}
