// SPDX-License-Identifier: GPL-2.0-only
/* ssctr csv: Spike's instruction CSV to STF and back is what it was. */
#include "cmd-run.h"
#include "stf-build.h"
#include "stf/stf.h"

#define HEADER_LINE "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT"
#define HEADER HEADER_LINE "\n"

/* There and back; the result is the same but for what `want` says. */
static void check_both_ways(const char *options, const char *text,
			    const char *want)
{
	const char *d = test_tmpdir();

	write_text("a.csv", text);
	write_text("want.csv", want);
	if (run("ssctr csv %s %s/a.csv -o %s/t.stf && ssctr csv %s/t.stf -o %s/b.csv && cmp %s/b.csv %s/want.csv",
		options, d, d, d, d, d, d))
		test_fail(__FILE__, __LINE__, "%s%s", run_out, run_err);
}

TEST(the_example_of_the_facts)
{
	/* The cause that an old producer leaves standing goes. */
	check_both_ways("",
			HEADER "1,1000,297,3,0,0,0,0\n"
			"1,8000006c,8082,3,0,0,0,0\n"
			"1,8000005c,3a079073,3,1,2,0,0\n"
			"1,80000038,716d,3,0,2,0,0\n",
			HEADER "1,1000,297,3,0,0,0,0\n"
			"1,8000006c,8082,3,0,0,0,0\n"
			"1,8000005c,3a079073,3,1,2,0,0\n"
			"1,80000038,716d,3,0,0,0,0\n");
}

TEST(an_interrupt_keeps_its_own_row)
{
	static const char text[] = HEADER
		"1,1000,1,0,0,0,0,0\n"
		"1,1002,13,0,1,8000000000000007,0,1\n"
		"1,ffffffff80000000,13,1,0,0,0,0\n"
		"1,ffffffff80000004,10200073,1,0,0,0,0\n"
		"1,1002,13,0,0,0,0,0\n"
		"1,1006,73,0,1,8,0,0\n"
		"1,ffffffff80000000,13,1,0,0,0,0\n";

	check_both_ways("", text, text);
}

TEST(an_interrupt_of_32_bits)
{
	static const char text[] = HEADER
		"1,80000000,1,3,0,0,0,0\n"
		"1,80000002,13,3,1,8000000b,0,1\n"
		"1,fffffffc,2001,3,0,0,0,0\n"	/* c.jal +0, on RV32 */
		"1,fffffffc,2001,3,0,0,0,0\n";

	check_both_ways("--rv32", text, text);
}

TEST(a_jump_over_the_end_of_32_bits)
{
	static const char text[] = HEADER
		"1,0,ffdff06f,3,0,0,0,0\n"	/* jal zero, -4 */
		"1,fffffffc,13,3,0,0,0,0\n";

	check_both_ways("--rv32", text, text);
	CHECK_EQ(run("ssctr check %s/t.stf", test_tmpdir()), 0);
}

TEST(rows_that_are_not_valid_are_passed_by)
{
	check_both_ways("",
			"Valid,Address,Insn,Privilege,Exception,Ecause,Tval,Interrupt\r\n"
			"0,0,0,0,0,0,0,0\r\n1,10,1,0,0,0,0,0\r\n",
			HEADER "1,10,1,0,0,0,0,0\n");
}

TEST(a_trap_at_the_start_keeps_both_modes)
{
	static const char text[] = HEADER
		"1,10,73,0,1,8,0,0\n"
		"1,100,13,3,0,0,0,0\n"
		"1,200,73,1,1,9,0,0\n"	/* after a gap */
		"1,100,13,3,0,0,0,0\n"
		"1,300,73,3,1,b,0,0\n"	/* a gap, and a trap into its own mode */
		"1,100,13,3,0,0,0,0\n";

	check_both_ways("", text, text);
}

TEST(faults_have_the_fields_that_are_demanded)
{
	static const char text[] = HEADER
		"1,1000,0,0,1,2,0,0\n"		/* illegal, TVAL without its bits */
		"1,2000,13,1,0,0,0,0\n"
		"1,2004,abcd1073,1,1,2,abcd1073,0\n"
		"1,3000,2503,1,1,d,0,0\n"	/* a load from address 0 */
		"1,3000,100073,1,1,3,3000,0\n"
		"1,3000,13,1,0,0,0,0\n";

	check_both_ways("", text, text);
	CHECK_EQ(run("cd %s && ssctr check t.stf && ssctr dump t.stf",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "ILLEGAL_INST 1000,0,2,0")); /* 2: RV64 */
	CHECK(strstr(run_out, "LOAD_PAGE_FAULT 3000,2503,0"));
}

TEST(branches_have_targets_and_gaps_do_not)
{
	struct stf_inst_iter *iter;
	struct stf_reader *reader;
	struct stf_inst inst;
	char path[160];
	static const struct {
		uint64_t pc;
		bool taken, gap;
	} want[] = {
		{ 0x1000, false, false },	/* beq, not taken */
		{ 0x1004, true, false },	/* beq, taken */
		{ 0x1024, true, false },	/* jal, but what follows is elsewhere */
		{ 0x5000, false, true },
		{ 0x5002, true, false },	/* ret */
		{ 0x9000, false, false },
	};
	size_t i;

	write_text("a.csv", HEADER "1,1000,2000063,0,0,0,0,0\n"
			    "1,1004,2000063,0,0,0,0,0\n"
			    "1,1024,100006f,0,0,0,0,0\n"
			    "1,5000,1,0,0,0,0,0\n"
			    "1,5002,8082,0,0,0,0,0\n"
			    "1,9000,1,0,0,0,0,0\n");
	CHECK_EQ(run("ssctr csv %s/a.csv -o %s/t.zstf", test_tmpdir(),
		     test_tmpdir()), 0);
	snprintf(path, sizeof(path), "%s/t.zstf", test_tmpdir());
	reader = stf_reader_open(path, NULL, NULL);
	CHECK(reader);
	iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	for (i = 0; stf_inst_iter_next(iter, &inst) == 1; i++) {
		CHECK(i < sizeof(want) / sizeof(*want));
		CHECK_EQ(inst.pc, want[i].pc);
		CHECK_EQ(!!(inst.flags & STF_INST_F_TAKEN), want[i].taken);
		CHECK_EQ(!!(inst.flags & STF_INST_F_GAP), want[i].gap);
	}
	CHECK_EQ(i, sizeof(want) / sizeof(*want));
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

/*
 * A sample, and a gap; a sample, and on from there; an interrupt of the kernel, which is handled,
 * and one of it before user code.
 */
TEST(an_interrupt_before_user_code_leads_nowhere)
{
	static const char text[] = HEADER
		"1,1000,13,0,1,800000000000000d,0,1\n"
		"1,2000,13,0,0,0,0,0\n"
		"1,2004,13,0,1,800000000000000d,0,1\n"
		"1,2004,13,0,0,0,0,0\n"
		"1,2008,13,0,1,8000000000000005,0,1\n"
		"1,80000,13,1,1,8000000000000005,0,1\n"
		"1,80100,13,1,1,8000000000000005,0,1\n"
		"1,3000,13,0,0,0,0,0\n";

	check_both_ways("", text, text);
	CHECK_EQ(run("cd %s && ssctr check -x EVENT_FIELDS t.stf >/dev/null && ssctr dump t.stf | sed 's/^ *[0-9]* *//'", test_tmpdir()), 0);
	CHECK(strstr(run_out,
		     "1000  00000013  U  0/0/0  MODE_CHANGE U  MODE_CHANGE U  INT_COUNTER_OVERFLOW  => 1000\n"
		     "2000  00000013  U  gap\n"
		     "2004  00000013  U  INT_COUNTER_OVERFLOW  => 2004\n"
		     "2004  00000013  U\n"
		     "2008  00000013  U  MODE_CHANGE S  INT_SUPERVISOR_TIMER  => 80000\n"
		     "80000  00000013  S  INT_SUPERVISOR_TIMER  => 80100\n"
		     "80100  00000013  S  INT_SUPERVISOR_TIMER  => 80100\n"
		     "3000  00000013  U  gap  MODE_CHANGE U\n"));
}

TEST(a_jump_at_the_end_is_left_out_and_said)
{
	write_text("a.csv", HEADER "1,1000,1,0,0,0,0,0\n1,1002,8082,0,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o t.stf && ssctr check t.stf && ssctr csv t.stf -o -",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "no faults\n" HEADER "1,1000,1,0,0,0,0,0\n"));
	CHECK_STR(run_err, "           1 jump at the end left out: no row tells where it leads\n");
}

TEST(the_mode_is_told_or_asked_for)
{
	struct stf_writer *w;
	char path[160];

	snprintf(path, sizeof(path), "%s/t.stf", test_tmpdir());
	w = stf_writer_open(path, NULL, NULL);
	CHECK(w);
	CHECK_EQ(stf_write_header(w, &(struct stf_header){
		.size = sizeof(struct stf_header),
		.comments = (const char *const[]){ "made by a test", NULL },
		.generator = STF_GEN_SPIKE, .pc = 0x1000 }), 0);
	CHECK_EQ(stf_write_inst(w, 1, 2), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(run("ssctr csv %s -o -", path), 1);
	CHECK_SAYS("give the mode with --mode");
	CHECK_STR(run_out, "");
	CHECK_EQ(run("ssctr csv --mode M %s -o -", path), 0);
	CHECK_PRINTS(HEADER "1,1000,1,3,0,0,0,0\n");
	CHECK_EQ(run("ssctr csv --mode U %s -o -", path), 0);
	CHECK_PRINTS(HEADER "1,1000,1,0,0,0,0,0\n");
	CHECK_EQ(run("ssctr csv --mode X %s -o -", path), 2);
	CHECK_SAYS("--mode X: unknown mode; use U, S or M");
	CHECK_EQ(run("ssctr csv --mode U --rv32 %s -o -", path), 2);
	CHECK_SAYS("--rv32 cannot be used with an STF trace");
	CHECK_STR(run_out, "");
	write_text("t.csv", HEADER "1,1000,1,0,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr csv --mode U t.csv -o o.stf", test_tmpdir()), 2);
	CHECK_SAYS("--mode cannot be used with a CSV");
	CHECK_EQ(run("ls %s | grep o.stf", test_tmpdir()), 1);
}

/* Spike does not write it, but traces of STF can be in it. */
TEST(hypervisor_mode_comes_back_as_2)
{
	write_text("a.csv", HEADER "1,1000,13,2,0,0,0,0\n1,1004,13,2,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o t.stf && ssctr csv t.stf -o b.csv && cmp a.csv b.csv",
		     test_tmpdir()), 0);
}

/* As 24 to 31 are, which the specification of the hart leaves to its maker. */
TEST(a_cause_that_the_format_does_not_define_is_kept)
{
	write_text("a.csv", HEADER "1,1000,13,0,1,18,5,0\n1,80000000,13,3,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o t.stf && ssctr csv t.stf -o b.csv && cmp a.csv b.csv",
		     test_tmpdir()), 0);
}

/* --- what is refused --- */

static struct bytes stf;

/* Ends the header with the mode U. Then comes an instruction at 0x10000. */
static void begin_stf(void)
{
	b_header(&stf, FEATURES_RV64 | STF_FEATURE_EVENT);
	b_event(&stf, STF_EVENT_MODE_CHANGE, 1, STF_MODE_USER);
	b_inst32(&stf, 0x13);
}

static void check_rows(const char *want)
{
	write_file(in_tmpdir("t.stf"), stf.v, stf.n);
	CHECK_EQ(run("cd %s && ssctr csv t.stf -o b.csv && cat b.csv", test_tmpdir()), 0);
	CHECK_STR(run_out, want);
}

TEST(a_jump_that_was_taken_before_a_trap_has_a_row)
{
	static const char rows[] = HEADER
		"1,10000,13,0,0,0,0,0\n"
		"1,10004,8000ef,0,0,0,0,0\n"
		"1,1000c,1,0,1,8000000000000007,0,1\n"
		"1,80000,13,3,0,0,0,0\n";

	begin_stf();
	b_pc(&stf, STF_INST_PC_TARGET, 0x1000c);
	b_event(&stf, STF_EVENT_MODE_CHANGE, 1, STF_MODE_MACHINE);
	b_event(&stf, STF_EVENT_INTERRUPT | 7, 0, 0);
	b_pc(&stf, STF_EVENT_PC_TARGET, 0x80000);
	b_inst32(&stf, 0x8000ef); /* jal ra, 8 */
	b_inst32(&stf, 0x13);
	check_rows(rows);
	check_both_ways("", rows, rows);
}

TEST(traps_that_have_no_row_are_counted)
{
	begin_stf();
	b_event(&stf, STF_FAULT_LOAD_PAGE_FAULT, 0, 0);
	b_pc(&stf, STF_EVENT_PC_TARGET, 0x80000);
	b_event(&stf, STF_FAULT_LOAD_ACCESS_FAULT, 0, 0);
	b_pc(&stf, STF_EVENT_PC_TARGET, 0x80000);
	b_inst32(&stf, 0x53503);
	check_rows(HEADER "1,10000,13,0,0,0,0,0\n1,10004,53503,0,1,d,0,0\n");
	CHECK_STR(run_err, "           1 traps left out: a row has only the first trap of an instruction\n");
}

TEST(bad_rows_are_named_by_their_line)
{
	static const char *const rows[][2] = {
		{ "1,10,1,0,0,0,0\n", "columns" },
		{ "1,10,1,0,0,0,0,0,0\n", "columns" },
		{ "1,1x,1,0,0,0,0,0\n", "ADDRESS" },
		{ "1,12345678901234567,1,0,0,0,0,0\n", "ADDRESS" },
		{ "1,10,10001,0,0,0,0,0\n", "INSN" },
		{ "1,10,100000013,0,0,0,0,0\n", "INSN" },
		{ "1,10,1,4,0,0,0,0\n", "PRIVILEGE" },
		{ "1,10,1,0,2,0,0,0\n", "EXCEPTION" },
		{ "1,10,1,0,0,0,0,1\n", "INTERRUPT" },
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), HEADER "1,e,1,0,0,0,0,0\n%s",
			 rows[i][0]);
		write_text("a.csv", text);
		CHECK_EQ(run("ssctr csv %s/a.csv -o %s/t.stf", test_tmpdir(),
			     test_tmpdir()), 1);
		CHECK_SAYS("a.csv:3: ");
		CHECK_SAYS(rows[i][1]);
		/* Nothing is left, whole or half. */
		CHECK_EQ(run("ls %s | grep stf", test_tmpdir()), 1);
	}
}

TEST(compressed_traces_are_read)
{
	write_text("a.csv", HEADER "1,10,13,0,0,0,0,0\n1,14,13,0,0,0,0,0\n");
	if (run("cd %s && for t in t.zstf t.stf.gz; do ssctr csv a.csv -o $t && ssctr csv $t -o b.csv && cmp a.csv b.csv || exit; done",
		test_tmpdir()))
		test_fail(__FILE__, __LINE__, "%s%s", run_out, run_err);
}

TEST(other_files_are_refused)
{
	write_text("x", "hello, world\n");
	CHECK_EQ(run("ssctr csv %s/x -o %s/y", test_tmpdir(), test_tmpdir()), 1);
	CHECK_SAYS("neither an STF trace nor an instruction CSV");
	CHECK_EQ(run("cd %s && echo \"" HEADER_LINE "\" | ssctr csv - -o y", test_tmpdir()), 1);
	CHECK_SAYS("-: not an STF trace; a CSV must be in a file");
	write_text("x", "PERFILE2xxxxxxxxxxxxxxx");
	CHECK_EQ(run("ssctr csv %s/x -o %s/y", test_tmpdir(), test_tmpdir()), 1);
	CHECK_SAYS("ssctr stf -i");
	write_text("x", HEADER);
	CHECK_EQ(run("ssctr csv %s/x -o %s/y", test_tmpdir(), test_tmpdir()), 1);
	CHECK_SAYS("no instructions");
	CHECK_EQ(run("ssctr csv %s/none -o %s/y", test_tmpdir(), test_tmpdir()),
		 1);
	CHECK_SAYS("No such file");
	CHECK_EQ(run("ssctr csv %s/x", test_tmpdir()), 2);
	CHECK_SAYS("-o");
	CHECK_EQ(run("ls %s | grep y", test_tmpdir()), 1);
}

TEST(a_trace_without_the_end_of_its_header_is_refused)
{
	b_header(&stf, FEATURES_RV64);
	stf.n--;
	b_inst32(&stf, 0x13);
	write_file(in_tmpdir("t.stf"), stf.v, stf.n);
	CHECK_EQ(run("cd %s && ssctr csv t.stf --mode U -o y", test_tmpdir()), 1);
	CHECK_SAYS("t.stf: the trace has no END_HEADER");
	CHECK_EQ(run("ls %s | grep y", test_tmpdir()), 1);
	CHECK_EQ(run("cd %s && ssctr model t.stf", test_tmpdir()), 1);
	CHECK_SAYS("t.stf: the trace has no END_HEADER");
}

/* One instruction behind another on each of two harts, in turns. */
static void two_harts(uint32_t tid, uint32_t other_tid)
{
	unsigned int i;

	begin_stf();
	b_process(&stf, 3, 7, tid);
	b_inst32(&stf, 0x13);
	for (i = 0; i < 2; i++) {
		b_pc(&stf, STF_FORCE_PC, 0x20000 + 4 * i);
		b_process(&stf, 5, 7, other_tid);
		b_inst32(&stf, 0x13);
		b_pc(&stf, STF_FORCE_PC, 0x10008 + 4 * i);
		b_process(&stf, 3, 7, tid);
		b_inst32(&stf, 0x13);
	}
	write_file(in_tmpdir("t.stf"), stf.v, stf.n);
}

/* Thread 0 is another one on each hart. */
TEST(several_harts_are_refused_and_can_be_selected)
{
	static const char said[] =
		"t.stf: the instructions are of several harts; take those of one hart with `ssctr cut --hart N`, or those of one thread with `ssctr cut --tid N`\n";
	static const uint32_t tids[][2] = { { 7, 8 }, { 0, 0 }, { 7, 0 } };
	static const char *const commands[] = { "csv t.stf -o y", "model t.stf" };
	size_t i, j;

	for (i = 0; i < 3; i++) {
		two_harts(tids[i][0], tids[i][1]);
		for (j = 0; j < 2; j++) {
			CHECK_EQ(run("cd %s && ssctr %s", test_tmpdir(), commands[j]), 1);
			CHECK_SAYS(said);
			CHECK_STR(run_out, "");
		}
		CHECK_EQ(run("ls %s | grep y", test_tmpdir()), 1);
	}
	CHECK_EQ(run("cd %s && ssctr cut --hart 5 -o - t.stf | ssctr csv - -o -", test_tmpdir()), 0);
	CHECK_STR(run_out, HEADER "1,20000,13,0,0,0,0,0\n1,20004,13,0,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr cut --tid 7 -o - t.stf | ssctr model - && ssctr cut --hart 3 -o - t.stf | ssctr champsim - -o y",
		     test_tmpdir()), 0);
}

/* Threads 7 and 8 of process 7, and thread 7 of process 9. */
TEST(threads_that_take_turns_on_a_hart_are_told)
{
	static const uint32_t of[][2] = { { 7, 7 }, { 7, 7 }, { 7, 8 }, { 7, 7 }, { 9, 7 } };
	unsigned int i;

	begin_stf();
	for (i = 0; i < 5; i++) {
		if (i)
			b_pc(&stf, STF_FORCE_PC, 0x10000 + 4 * i);
		b_process(&stf, 3, of[i][0], of[i][1]);
		b_inst32(&stf, 0x13);
	}
	write_file(in_tmpdir("t.stf"), stf.v, stf.n);
	CHECK_EQ(run("cd %s && ssctr csv t.stf -o -", test_tmpdir()), 0);
	CHECK(strstr(run_err, "           3 changes to another thread or process, which the CSV does not mark: the next row is not where the row before it leads, and may be other code at the same address; "
			      "take one thread with `ssctr cut --tid N` or one process with `ssctr cut --pid N`, or make a trace of each thread with `ssctr stf --split thread`\n"));
}

TEST(a_thread_may_move_from_hart_to_hart)
{
	two_harts(7, 7);
	CHECK_EQ(run("cd %s && ssctr csv t.stf -o -", test_tmpdir()), 0);
	CHECK(!strstr(run_err, "changes"));
	CHECK_EQ(run("cd %s && ssctr csv t.stf -o - && ssctr model t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "1,20000,13,0,0,0,0,0\n1,10008,13,"));
}

TEST(a_trace_that_cannot_be_written_is_an_error)
{
	write_text("a.csv", HEADER "1,10,1,0,0,0,0,0\n");
	CHECK_EQ(run("ssctr csv %s/a.csv -o %s/t.stf", test_tmpdir(),
		     test_tmpdir()), 0);
	CHECK_EQ(run("ssctr csv %s/t.stf -o %s/none/b.csv", test_tmpdir(),
		     test_tmpdir()), 1);
	CHECK_SAYS("No such file");
	CHECK_EQ(run("ssctr csv %s/t.stf -o /dev/full", test_tmpdir()), 1);
	CHECK_SAYS("No space left");
	/* The subcommand names it, and nobody does so again. */
	CHECK_EQ(run("ssctr csv %s/t.stf -o - >/dev/full", test_tmpdir()), 1);
	CHECK_STR(run_err, "ssctr csv: -: No space left on device\n");
}

TEST(a_terminal_gets_a_csv_but_no_trace)
{
	write_text("a.csv", HEADER "1,10,1,0,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o t.stf", test_tmpdir()), 0);
	CHECK_EQ(run("ssctr csv %s/a.csv -o - >%s", test_tmpdir(), open_terminal()), 1);
	CHECK_SAYS("ssctr csv: -o -: standard output is a terminal");
	close_terminal();
	CHECK_STR(run_out, "");
	CHECK_EQ(run("ssctr csv %s/t.stf -o - >%s", test_tmpdir(), open_terminal()), 0);
	close_terminal();
}

TEST(a_cut_trace_leaves_no_csv)
{
	write_text("a.csv", HEADER "1,10,13,0,0,0,0,0\n1,14,13,0,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o t.stf && head -c -2 t.stf >u.stf && ssctr csv u.stf -o b.csv",
		     test_tmpdir()), 1);
	CHECK_EQ(run("ls %s | grep b.csv", test_tmpdir()), 1);
}
