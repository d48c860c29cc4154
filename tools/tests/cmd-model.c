// SPDX-License-Identifier: GPL-2.0-only
/* ssctr model: traces in, records out. The rules themselves: model-*.c. */
#include <stdlib.h>

#include "cmd-run.h"
#include "stf/stf.h"

#define HEADER "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
#define TABLE  "      entry            source            target     cycles  type\n"

static void check_model(const char *csv, const char *options, const char *want)
{
	write_text("t.csv", csv);
	CHECK_EQ(run("ssctr model %s/t.csv %s", test_tmpdir(), options), 0);
	CHECK_PRINTS(want);
}

/* jal ra, +0x100; c.jr ra; c.beqz +4; ecall; sret: by the encodings' figures. */
#define CALL	"100000ef"
#define RET	"8082"
#define BEQZ	"c111"
#define ECALL	"73"
#define SRET	"10200073"

static const char calls[] = HEADER
	"1,1000," CALL ",0,0,0,0,0\n"
	"1,1100," BEQZ ",0,0,0,0,0\n"	/* not taken */
	"1,1102," BEQZ ",0,0,0,0,0\n"	/* taken */
	"1,1106," RET ",0,0,0,0,0\n"
	"1,1004,13,0,0,0,0,0\n";

TEST(records_of_a_csv)
{
	check_model(calls, "",
		    TABLE
		    "          0              1106              1004          -  return\n"
		    "          1              1102              1106          -  taken branch\n"
		    "          2              1000              1100          -  direct call\n");
}

TEST(records_of_the_same_trace_as_stf)
{
	const char *d = test_tmpdir();

	write_text("t.csv", calls);
	CHECK_EQ(run("ssctr csv %s/t.csv -o %s/t.zstf && ssctr model -i %s/t.zstf --set sctrctl=U+NTBREN --json",
		     d, d, d), 0);
	CHECK_PRINTS("{\"entry\":0,\"source\":4358,\"target\":4100,\"type\":13,\"type_name\":\"return\"}\n"
		     "{\"entry\":1,\"source\":4354,\"target\":4358,\"type\":5,\"type_name\":\"taken branch\"}\n"
		     "{\"entry\":2,\"source\":4352,\"target\":4354,\"type\":4,\"type_name\":\"not-taken branch\"}\n"
		     "{\"entry\":3,\"source\":4096,\"target\":4352,\"type\":9,\"type_name\":\"direct call\"}\n");
	CHECK_EQ(run("ssctr csv %s/t.csv -o - | ssctr model - -b", d), 0);
	CHECK_PRINTS(" 0x1106/0x1004/-/-/-/0/RET/-  0x1102/0x1106/-/-/-/0/COND/- "
		     " 0x1000/0x1100/-/-/-/0/CALL/- \n");
}

/* U+S by default; S alone; the kernel's code comes and goes by the trace's modes. */
TEST(modes_are_the_trace_s)
{
	static const char text[] = HEADER
		"1,1000," ECALL ",0,1,8,0,0\n"
		"1,80000000," CALL ",1,0,0,0,0\n"
		"1,80000100," SRET ",1,0,0,0,0\n"
		"1,1004," ECALL ",0,1,8,0,0\n"
		"1,90000000,1,3,0,0,0,0\n";

	check_model(text, "",
		    TABLE
		    "          0          80000100              1004          -  trap return\n"
		    "          1          80000000          80000100          -  direct call\n"
		    "          2              1000          80000000          -  exception\n");
	check_model(text, "--set sctrctl=S",
		    TABLE
		    "          0          80000100                 0          -  trap return\n"
		    "          1          80000000          80000100          -  direct call\n"
		    "          2                 0          80000000          -  exception\n");
	check_model(text, "--set mctrctl=M+S+U --all",
		    "instruction            source            target     cycles  type\n"
		    "          0              1000          80000000          -  exception\n"
		    "          1          80000000          80000100          -  direct call\n"
		    "          2          80000100              1004          -  trap return\n"
		    "          3              1004          90000000          -  exception\n");
}

/* The trap to M passes S: it takes MTE and STE. */
TEST(registers_are_written_on_the_way)
{
	static const char text[] = HEADER
		"1,1000," ECALL ",0,1,8,0,0\n"
		"1,90000000,30200073,3,0,0,0,0\n"
		"1,1004," ECALL ",0,1,8,0,0\n"
		"1,90000000,30200073,3,0,0,0,0\n"
		"1,1008," ECALL ",0,1,8,0,0\n"
		"1,90000000,1,3,0,0,0,0\n";

	check_model(text, "-s sctrctl=U -s 2:mctrctl=U+MTE -s 4:mctrctl=0x301",
		    TABLE
		    "          0              1008                 0          -  exception\n");
}

TEST(v_makes_a_guest_of_it)
{
	static const char text[] = HEADER
		"1,1000," CALL ",0,0,0,0,0\n"
		"1,1100," ECALL ",0,1,8,0,0\n"	/* VU to VS */
		"1,80000000," CALL ",1,0,0,0,0\n"
		"1,80000100," ECALL ",1,1,a,0,0\n" /* VS to HS */
		"1,90000000," CALL ",1,0,0,0,0\n"
		"1,90000100,1,1,0,0,0,0\n";

	check_model(text, "-s vsctrctl=U -s v=1 -s 4:v=0",
		    TABLE
		    "          0              1000              1100          -  direct call\n");
	/* HS is recorded, and so is the trap into it, without the guest's half. */
	check_model(text, "-s sctrctl=S -s v=1 -s 4:v=0",
		    TABLE
		    "          0          90000000          90000100          -  direct call\n"
		    "          1                 0          90000000          -  exception\n");
}

static const char interrupts[] = HEADER
	"1,1000," CALL ",0,0,0,0,0\n"
	"1,1100,13,0,1,800000000000000d,0,1\n"	/* counter overflow */
	"1,80000000," CALL ",1,0,0,0,0\n"
	"1,80000100," SRET ",1,0,0,0,0\n"
	"1,1100,13,0,0,0,0,0\n"
	"1,1104," CALL ",0,0,0,0,0\n"
	"1,1204,1,0,0,0,0,0\n";

TEST(a_counter_overflow_freezes_by_its_bit)
{
	check_model(interrupts, "-s sctrctl=U+S+LCOFIFRZ -b",
		    " 0x1000/0x1100/-/-/-/0/CALL/- \n");
	check_model(interrupts, "-s sctrctl=U+S -b",
		    " 0x1104/0x1204/-/-/-/0/CALL/- "
		    " 0x80000100/0x1100/-/-/-/0/ERET/- "
		    " 0x80000000/0x80000100/-/-/-/0/CALL/- "
		    " 0x1100/0x80000000/-/-/-/0/IRQ/- "
		    " 0x1000/0x1100/-/-/-/0/CALL/- \n");
	check_model(interrupts, "-s sctrctl=U+S+LCOFIFRZ -s 4:sctrstatus=1 -b",
		    " 0x1104/0x1204/-/-/-/0/CALL/- "
		    " 0x1000/0x1100/-/-/-/0/CALL/- \n");
}

TEST(samples_are_what_a_profiler_reads)
{
	check_model(interrupts, "-s sctrctl=U+S+LCOFIFRZ --samples",
		    "at instruction 1, 1100\n" TABLE
		    "          0              1000              1100          -  direct call\n");
	check_model(interrupts, "-s sctrctl=U --samples --json",
		    "{\"instruction\":1,\"entry\":0,\"source\":4096,\"target\":4352,\"type\":9,\"type_name\":\"direct call\"}\n");
}

/*
 * In a trace of user code the overflow leads nowhere, and the instruction then
 * executes: as a row of its own in a CSV, in the same group in STF.
 */
TEST(a_sample_in_a_trace_of_user_code)
{
	static const char text[] = HEADER
		"1,1000," CALL ",0,0,0,0,0\n"
		"1,1100," CALL ",0,1,800000000000000d,0,1\n"
		"1,1100," CALL ",0,0,0,0,0\n"
		"1,1200,1,0,0,0,0,0\n";
	static const char want[] = " 0x1100/0x1200/-/-/-/0/CALL/- "
				   " 0x1000/0x1100/-/-/-/0/CALL/- \n";
	struct stf_writer *w;
	struct stf_error err;
	char path[160];
	static const char *const comments[] = { "test", NULL };
	const struct stf_header header = {
		.size = sizeof(header), .comments = comments, .iem = STF_IEM_RV64,
		.generator = STF_GEN_SPIKE, .gen_text = "test",
		.features = STF_FEATURE_EVENT, .pc = 0x1000,
	};
	const uint64_t source = 0;

	check_model(text, "-s sctrctl=U -b", want);
	snprintf(path, sizeof(path), "%s/s.stf", test_tmpdir());
	w = stf_writer_open(path, NULL, &err);
	CHECK(w && !stf_write_header(w, &header));
	stf_write_pc_target(w, 0x1100);
	stf_write_inst(w, 0x100000ef, 4);
	stf_write_pc_target(w, 0x1200);
	stf_write_event(w, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW,
			&source, 1);
	stf_write_inst(w, 0x100000ef, 4);
	stf_write_event(w, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW,
			&source, 1);
	stf_write_inst(w, 0x1, 2);
	stf_write_inst(w, 0x1, 2);
	CHECK(!stf_writer_close(w, &err));
	CHECK_EQ(run("ssctr model %s -s sctrctl=U -b", path), 0);
	CHECK_PRINTS(want);
	CHECK_EQ(run("ssctr model %s -s sctrctl=U --samples -b", path), 0);
	CHECK_PRINTS("            1100 0x1000/0x1100/-/-/-/0/CALL/- \n"
		     "            1200 0x1100/0x1200/-/-/-/0/CALL/- "
		     " 0x1000/0x1100/-/-/-/0/CALL/- \n");
}

/* The trap goes to S, unseen: enough where S is not recorded. */
TEST(a_system_call_in_a_trace_of_user_code)
{
	static const char text[] = HEADER
		"1,1000," ECALL ",0,1,8,0,0\n"
		"1,1004,1,0,0,0,0,0\n";

	check_model(text, "-s sctrctl=U+STE -b",
		    " 0x1000/0x0/-/-/-/0/SYSCALL/- \n");
	check_model(text, "-s sctrctl=U -b", "\n");
	CHECK_EQ(run("ssctr model %s/t.csv -s sctrctl=U+S -b", test_tmpdir()), 0);
	CHECK_STR(run_out, " 0x1000/0x0/-/-/-/0/SYSCALL/- \n");
	CHECK_SAYS("1 trap with an unknown target: its handler is recorded, but is not in the trace");
}

TEST(cycles_are_counted_when_asked_for)
{
	/* The call has no count; the branch 2 instructions, the return 1. */
	check_model(calls, "-s sctrctl=U --cycles 3000",
		    TABLE
		    "          0              1106              1004       3000  return\n"
		    "          1              1102              1106       6000  taken branch\n"
		    "          2              1000              1100          -  direct call\n");
}

TEST(a_gap_is_told_and_takes_the_next_count)
{
	write_text("t.csv", HEADER "1,1000," CALL ",0,0,0,0,0\n"
				   "1,1100,13,0,0,0,0,0\n"
				   "1,5000," CALL ",0,0,0,0,0\n"
				   "1,5100," CALL ",0,0,0,0,0\n"
				   "1,6200,1,0,0,0,0,0\n"
				   "1,6202," BEQZ ",0,0,0,0,0\n"
				   "1,9000,1,0,0,0,0,0\n");
	CHECK_EQ(run("ssctr model %s/t.csv -s sctrctl=U -c 1", test_tmpdir()), 0);
	/* A direct call's target is in its encoding, whatever follows. */
	CHECK_STR(run_out, TABLE
		  "          0              5100              5200          1  direct call\n"
		  "          1              5000              5100          -  direct call\n"
		  "          2              1000              1100          -  direct call\n");
	CHECK_SAYS("3 gaps in the trace");
}

TEST(sctrclr_in_the_trace_clears)
{
	check_model(HEADER "1,1000," CALL ",1,0,0,0,0\n"
			   "1,1100,10400073,1,0,0,0,0\n"
			   "1,1104," CALL ",1,0,0,0,0\n"
			   "1,1204,1,1,0,0,0,0\n",
		    "-b", " 0x1104/0x1204/-/-/-/0/CALL/- \n");
}

TEST(the_depth_is_chosen)
{
	char text[8192] = HEADER;
	unsigned int i;
	size_t n = strlen(text);

	for (i = 0; i < 40; i++) /* c.j +0 */
		n += snprintf(text + n, sizeof(text) - n,
			      "1,1000,a001,0,0,0,0,0\n");
	write_text("t.csv", text);
	CHECK_EQ(run("ssctr model %s/t.csv | wc -l; ssctr model -d 32 %s/t.csv | wc -l; ssctr model -d 64 %s/t.csv | wc -l",
		     test_tmpdir(), test_tmpdir(), test_tmpdir()), 0);
	CHECK_PRINTS("17\n33\n41\n");
	for (; i < 300; i++)
		n += snprintf(text + n, sizeof(text) - n,
			      "1,1000,a001,0,0,0,0,0\n");
	write_text("t.csv", text);
	CHECK_EQ(run("ssctr model -d 128 %s/t.csv | wc -l; ssctr model -d 256 %s/t.csv | wc -l",
		     test_tmpdir(), test_tmpdir()), 0);
	CHECK_PRINTS("129\n257\n");
}

TEST(rv32)
{
	/* c.jal +0 is c.addiw with 64 bits; interrupts have bit 31. */
	static const char text[] = HEADER
		"1,1000,2001,0,0,0,0,0\n"
		"1,1000,1,0,1,8000000d,0,1\n"
		"1,80000000,1,1,0,0,0,0\n";

	check_model(text, "--rv32 -s sctrctl=U+LCOFIFRZ+STE -b",
		    " 0x1000/0x1000/-/-/-/0/CALL/- \n");
}

/* An STF trace tells itself which hart it is of. With 32 bits, c.addiw ra, 0 is c.jal +0x40. */
TEST(rv32_is_for_a_csv_alone)
{
	static const char text[] = HEADER
		"1,8000000000001000,2081,0,0,0,0,0\n"
		"1,8000000000001002," BEQZ ",0,0,0,0,0\n"
		"1,8000000000001006,1,0,0,0,0,0\n";

	write_text("t.csv", text);
	CHECK_EQ(run("cd %s && ssctr csv t.csv -o t.stf && ssctr model --rv32 -b t.stf", test_tmpdir()), 2);
	CHECK_SAYS("--rv32 cannot be used with an STF trace");
	CHECK_EQ(run("cd %s && ssctr model -b t.stf", test_tmpdir()), 0);
	CHECK_PRINTS(" 0x8000000000001002/0x8000000000001006/-/-/-/0/COND/- \n");
}

TEST(zcm)
{
	static const char text[] = HEADER
		"1,1000,be42,0,0,0,0,0\n"	/* cm.popret {ra}, 16 */
		"1,2000,1,0,0,0,0,0\n";

	check_model(text, "--zcm -b", " 0x1000/0x2000/-/-/-/0/RET/- \n");
}

TEST(mistakes_are_told)
{
	write_text("t.csv", calls);
	CHECK_EQ(run("ssctr model"), 2);
	CHECK_SAYS("no input is given");
	CHECK_EQ(run("ssctr model a b"), 2);
	CHECK_EQ(run("ssctr model a -d 17"), 2);
	CHECK_SAYS("--depth 17: the depth must be 16, 32, 64, 128 or 256");
	CHECK_EQ(run("ssctr model a --set sctrctl"), 2);
	CHECK_SAYS("'sctrctl' is not REGISTER=VALUE");
	CHECK_EQ(run("ssctr model a --set ctl=1"), 2);
	CHECK_SAYS("'ctl' is not a register");
	CHECK_EQ(run("ssctr model a --set x:sctrctl=1"), 2);
	CHECK_SAYS("'x' is not the number of an instruction");
	CHECK_EQ(run("ssctr model a --set sctrctl=U+X"), 2);
	CHECK_SAYS("'X' is not a number or field of a control register");
	CHECK_EQ(run("ssctr model a --set sctrctl="), 2);
	CHECK_EQ(run("ssctr model a --set sctrdepth=U"), 2);
	CHECK_SAYS("'U' is not a number");
	CHECK_EQ(run("ssctr model a --set v=2"), 2);
	CHECK_SAYS("--set: '2' is not 0 or 1");
	CHECK_EQ(run("ssctr model a --set 5:v=0x10"), 2);
	CHECK_SAYS("--set: '0x10' is not 0 or 1");
	CHECK_EQ(run("ssctr model %s/t.csv --set v=1 --set 1:v=0", test_tmpdir()), 0);
	CHECK_EQ(run("ssctr model a --cycles 5000000000"), 2);
	CHECK_EQ(run("ssctr model a --all --samples"), 2);
	CHECK_EQ(run("ssctr model %s/t.csv -j -b", test_tmpdir()), 2);
	CHECK_SAYS("--brstack and --json cannot be used together");
	CHECK_EQ(run("ssctr model %s/t.csv -b -j", test_tmpdir()), 2);
	CHECK_EQ(run("ssctr model %s/t.csv -b -b", test_tmpdir()), 0);
	CHECK_EQ(run("ssctr model %s/nothing", test_tmpdir()), 1);
	CHECK_SAYS("No such file");
	CHECK_EQ(run("ssctr model %s", test_tmpdir()), 1);
	write_text("e.csv", HEADER);
	CHECK_EQ(run("ssctr model %s/e.csv", test_tmpdir()), 1);
	CHECK_SAYS("no instructions");
	write_text("b.csv", HEADER "1,2\n");
	CHECK_EQ(run("ssctr model %s/b.csv", test_tmpdir()), 1);
	CHECK_SAYS("b.csv:2:");
	write_text("p", "PERFILE2........");
	CHECK_EQ(run("ssctr model %s/p", test_tmpdir()), 1);
	CHECK_SAYS("a recording; make a trace of it with `ssctr stf -i ");
	write_text("x", "nothing that is a trace");
	CHECK_EQ(run("ssctr model %s/x", test_tmpdir()), 1);
}
