// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr check` as a user sees it. */
#include <stdlib.h>

#include "cmd-run.h"
#include "stf-trace.h"

/* A load without its memory, and a start without its mode. */
static void write_faulty(const char *name)
{
	struct stf_writer *w = start(name, 0);

	CHECK_EQ(stf_write_process(w, 0, 1, 1), 0);
	CHECK_EQ(stf_write_inst(w, 0x13, 4), 0);
	CHECK_EQ(stf_write_inst(w, 0x00052503, 4), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

TEST(faults_are_listed_with_status_1)
{
	write_faulty("t.stf");
	CHECK_EQ(run("ssctr check %s", in_tmpdir("t.stf")), 1);
	CHECK(strstr(run_out, "MEM_MISSING"));
	CHECK(strstr(run_out, "instruction 1, pc 10004"));
	CHECK(strstr(run_out, "NO_MODE"));
	CHECK_STR(run_err, "");
}

TEST(what_is_ignored_is_no_fault)
{
	write_faulty("t.stf");
	CHECK_EQ(run("ssctr check --ignore NO_MODE %s", in_tmpdir("t.stf")), 1);
	CHECK(!strstr(run_out, "NO_MODE"));
	CHECK_EQ(run("ssctr check --ignore NO_MODE -x MEM_MISSING - <%s",
		     in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("12 records, 2 instructions: no faults\n");
}

static void write_start_of_kernel(struct stf_writer *w)
{
	CHECK_EQ(stf_write_process(w, 0, 1, 1), 0);
	CHECK_EQ(stf_write_mode_change(w, STF_MODE_SUPERVISOR), 0);
	CHECK_EQ(stf_write_inst(w, 0x13, 4), 0);
}

TEST(what_crashes_other_tools_is_named)
{
	struct stf_writer *w = start("t.stf", 0);
	uint64_t number = 64;

	write_start_of_kernel(w);
	CHECK_EQ(stf_write_event(w, STF_FAULT_USER_ECALL, &number, 1), 0);
	CHECK_EQ(stf_write_inst(w, 0x73, 4), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(run("ssctr check %s", in_tmpdir("t.stf")), 1);
	CHECK(strstr(run_out, "EVENT_NO_TARGET                 1  an EVENT without EVENT_PC_TARGET, on which stf_extract crashes; first at record 13,"));
	/* What is theirs alone is no fault. */
	w = start("t.stf", 0);
	write_start_of_kernel(w);
	CHECK_EQ(stf_write_inst(w, 0xbcbe, 2), 0);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(run("ssctr check %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "FSDSP_POPRET                    1  no fault: "));
	CHECK(strstr(run_out, "2 instructions: no faults\n"));
	CHECK_EQ(run("ssctr check -x FSDSP_POPRET %s", in_tmpdir("t.stf")), 0);
	CHECK(!strstr(run_out, "FSDSP_POPRET"));
}

TEST(unreadable_traces_are_status_2)
{
	write_faulty("t.stf");
	CHECK_EQ(run("printf '\\310' >>%s; ssctr check %s", in_tmpdir("t.stf"),
		     in_tmpdir("t.stf")), 2);
	CHECK(strstr(run_out, "MEM_MISSING"));
	CHECK_SAYS("unknown record descriptor 200");
	CHECK_EQ(run("ssctr check /nonexistent"), 2);
	CHECK_SAYS("No such file");
}

/* The writer was killed before it wrote the index. */
static void write_unfinished(const char *name, bool faulty)
{
	static struct bytes in;
	static struct zstf z;

	b_header(&in, FEATURES_RV64 | STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID);
	b_process(&in, 0, 1, 1);
	if (!faulty)
		b_event(&in, STF_EVENT_MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	z_start(&z, 10);
	z_chunk(&z, in.v, in.n, 0);
	write_file(in_tmpdir(name), z.b.v, z.b.n);
}

TEST(a_trace_whose_end_is_missing_is_status_2)
{
	write_unfinished("t.zstf", false);
	CHECK_EQ(run("ssctr check %s", in_tmpdir("t.zstf")), 2);
	CHECK_STR(run_out, "");
	CHECK_SAYS("the end of the trace is missing, because its writer was killed");
	write_unfinished("t.zstf", true);
	CHECK_EQ(run("ssctr check %s", in_tmpdir("t.zstf")), 2);
	CHECK(strstr(run_out, "NO_MODE"));
}

TEST(what_a_trace_does_not_say_of_its_layout)
{
	static struct bytes in;

	b_header(&in, 0x20); /* RV64, no word of 64-bit event ids */
	b8(&in, 100);
	b64(&in, 8);
	b8(&in, 0);
	b_inst16(&in, 1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr check %s", in_tmpdir("t.stf")), 2);
	CHECK_EQ(run("ssctr check --event-bits 64 %s", in_tmpdir("t.stf")), 1);
	CHECK_STR(run_err, "");
}

TEST(a_trace_of_transactions_has_no_instructions)
{
	static struct bytes in;

	b_transaction_header(&in);
	b_transaction(&in);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr check %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("12 records, 1 transactions: no faults\n");
}

TEST(what_is_checked_can_be_listed)
{
	CHECK_EQ(run("ssctr check --list | wc -l"), 0);
	CHECK_EQ(atoi(run_out), STF_N_RULES);
	CHECK_EQ(run("ssctr check --list x"), 2);
	CHECK(strstr(run_err, "--list checks nothing, and cannot be used with a trace or other options"));
	CHECK_STR(run_out, "");
	CHECK_EQ(run("ssctr check -i x --list"), 2);
	CHECK_EQ(run("ssctr check --list --list"), 0);
}

TEST(mistakes_in_the_command_line)
{
	CHECK_EQ(run("ssctr check --ignore NONSENSE x"), 2);
	CHECK(strstr(run_err, "NONSENSE"));
	CHECK_EQ(run("ssctr check"), 2);
}
