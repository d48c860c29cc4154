// SPDX-License-Identifier: GPL-2.0-only
/* ssctr cut, on a trace made by hand. What is expected is worked out from its records. */
#include <stdlib.h>

#include "cmd-run.h"
#include "elf-build.h"
#include "stf-build.h"
#include "stf/stf.h"

static struct bytes in;
static struct zstf z;

#define MODE_CHANGE UINT64_C(0x4000000000000000)

/*
 * User code calls the kernel and goes on, first in thread 7 and then in thread 8:
 *	0 10000 nop		3 80000 nop (S)		6 1000e nop
 *	1 10004 ld		4 80004 sret (S)	7 10012 j 10000 (thread 8)
 *	2 10008 ecall		5 1000c c.nop		8 10000 nop
 */
static void make_trace(void)
{
	b_header(&in, FEATURES_RV64 | STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	b_mem(&in, 0x2000, 8, 1, 0x55);
	b_inst32(&in, 0x5b503);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_event(&in, 8, 1, 64);
	b_pc(&in, 101, 0x80000);
	b_inst32(&in, 0x73);
	b_inst32(&in, 0x13);
	b_pc(&in, 31, 0x1000c);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x10200073);
	b_inst16(&in, 1);
	b_inst32(&in, 0x13);
	b_process(&in, 0, 7, 8);
	b_pc(&in, 31, 0x10000);
	b_inst32(&in, 0xfedff06f);
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

/* Cut t.stf, and print the records after the header without their numbers. */
static void cut_it(const char *options, const char *want)
{
	CHECK_EQ(run("cd %s && ssctr cut %s -o o.stf t.stf", test_tmpdir(), options), 0);
	CHECK_STR(run_err, "");
	CHECK_EQ(run("cd %s && ssctr dump -r o.stf | sed -n '/END_HEADER/,$ { /END_HEADER/d; s/^ *[0-9]*  //p }'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, want);
}

static void cut(const char *options, const char *want)
{
	make_trace();
	cut_it(options, want);
}

#define PROCESS(_tid) "PROCESS_ID_EXT hart=0x0 pid=0x7 tid=0x" #_tid "\n"
#define MODE(_mode)                                                            \
	"EVENT id=0x4000000000000000 field=0x" #_mode " (MODE_CHANGE)\n"

/* Simulators write such records. */
TEST(values_that_the_format_does_not_define_are_copied)
{
	b_header(&in, FEATURES_RV64 | STF_FEATURE_EVENT);
	b_inst32(&in, 0x13);
	b_inst32(&in, 0x1);
	b_mem(&in, 0x2000, 8, 7, 0x55);
	b_event(&in, 99, 0, 0);
	b_pc(&in, 101, 0x10008);
	b_inst32(&in, 0x5b503);
	b_inst32(&in, 0x1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	cut_it("--start 1",
	       "INST_32 opcode=0x1\n"
	       "INST_MEM_ACCESS address=0x2000 size=0x8 attributes=0x0 access=0x7\n"
	       "INST_MEM_CONTENT content=0x55\n"
	       "EVENT id=0x63 (FAULT_0x63)\n"
	       "EVENT_PC_TARGET pc=0x10008\n"
	       "INST_32 opcode=0x5b503\n"
	       "INST_32 opcode=0x1\n");
}

TEST(a_window_begins_with_process_and_mode)
{
	cut("--start 3 --limit 2",
	    PROCESS(7) MODE(1) "INST_32 opcode=0x13\n"
	    "INST_PC_TARGET pc=0x1000c\n" MODE(0) "INST_32 opcode=0x10200073\n");
	CHECK_EQ(run("cd %s && ssctr info o.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "\nfirst pc         0x80000\n"));
	CHECK(strstr(run_out, "\ncomment          \"hello\"\n"));
	CHECK(strstr(run_out, ", from t.stf: --start 3 --limit 2\"\n"));
	CHECK(strstr(run_out, " EVENT "));
}

TEST(the_instruction_before_a_trap_keeps_its_mode)
{
	cut("--start 2 --limit 1",
	    PROCESS(7) MODE(0) MODE(1)
	    "EVENT id=0x8 field=0x40 (USER_ECALL)\n"
	    "EVENT_PC_TARGET pc=0x80000\nINST_32 opcode=0x73\n");
}

/*
 * A FORCE_PC leads to an ecall in user mode. Its group has the MODE_CHANGE of the trap, and
 * before this one, if told, that of the ecall itself.
 */
static void make_forced_trap(bool told)
{
	b_header(&in, FEATURES_RV64 | STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	b_process(&in, 0, 7, 7);
	b_pc(&in, STF_FORCE_PC, 0x20000);
	if (told)
		b_event(&in, MODE_CHANGE, 1, 0);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_event(&in, 8, 1, 64);
	b_pc(&in, 101, 0x80000);
	b_inst32(&in, 0x73);
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

#define FORCED_TRAP                                                            \
	MODE(0) MODE(1) "EVENT id=0x8 field=0x40 (USER_ECALL)\n"              \
			"EVENT_PC_TARGET pc=0x80000\nINST_32 opcode=0x73\n"   \
			"INST_32 opcode=0x13\n"

TEST(a_forced_trap_is_told_its_mode_once)
{
	make_forced_trap(false);
	cut_it("--start 1", PROCESS(7) FORCED_TRAP);
	make_forced_trap(true);
	cut_it("--start 1", PROCESS(7) FORCED_TRAP);
}

#define TRAP_RETURN                                                            \
	MODE(0) "EVENT_PC_TARGET pc=0x20000\nINST_32 opcode=0x30200073\n"
#define NOP "INST_32 opcode=0x13\n"

/*
 * An mret leads to user code. told: its own mode is told before it. faults: the user code is a
 * load that traps before it executes.
 */
static void make_trap_return(bool told, bool faults)
{
	b_header(&in, FEATURES_RV64 | STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID);
	b_process(&in, 0, 7, 7);
	if (told)
		b_event(&in, MODE_CHANGE, 1, 3);
	b_inst32(&in, 0x13);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_pc(&in, 101, 0x20000);
	b_inst32(&in, 0x30200073);
	if (faults) {
		b_event(&in, MODE_CHANGE, 1, 3);
		b_event(&in, 13, 1, 0x20000);
		b_pc(&in, 101, 0x10000);
		b_inst32(&in, 0x5b503);
	}
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

TEST(a_trap_return_leads_on_without_its_mode)
{
	make_trap_return(true, false);
	cut_it("--drop modes",
	       PROCESS(7) NOP "INST_32 opcode=0x30200073\nFORCE_PC pc=0x20000\n" NOP);
}

TEST(a_window_begins_with_a_trap_return_of_unknown_mode)
{
	make_trap_return(false, false);
	cut_it("--start 1", PROCESS(7) TRAP_RETURN NOP);
}

/* The load did not execute, so it is left out with its fault. */
TEST(a_fault_behind_a_trap_return_leaves_the_mode_of_its_handler)
{
	make_trap_return(true, true);
	cut_it("--drop events",
	       PROCESS(7) MODE(3) NOP MODE(0) "INST_32 opcode=0x30200073\n"
	       "FORCE_PC pc=0x10000\n" MODE(3) NOP);
}

#define ECALL "INST_32 opcode=0x73\n"

/* The target of the ecall is left out, so that one MODE_CHANGE alone would be the ecall's. */
TEST(a_trap_behind_a_force_pc_keeps_its_mode_without_events)
{
	make_forced_trap(true);
	cut_it("--drop events",
	       PROCESS(7) MODE(0) NOP PROCESS(7) "FORCE_PC pc=0x20000\n" MODE(0) MODE(1)
	       ECALL "FORCE_PC pc=0x80000\n" NOP);
}

/*
 * Of user code, a load faults, an ecall and a jump are interrupted, and all three come again,
 * the jump with a timer interrupt behind it. The last one does not come again.
 *	0 10000 ld, fault	2 10004 ecall, timer	5 10008 j 10000, timer after it
 *	1 10000 ld		3 10004 ecall, ecall	6 10000 ld, sampled
 *				4 10008 j, timer
 */
static void make_interrupted(void)
{
	b_header(&in, FEATURES_RV64 | STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID);
	b_process(&in, 0, 7, 7);
	b_comment(&in, "begins");
	b_event(&in, MODE_CHANGE, 1, 0);
	b_event(&in, STF_FAULT_LOAD_PAGE_FAULT, 1, 0x2000);
	b_pc(&in, 101, 0x10000);
	b_inst32(&in, 0x5b503);
	b_mem(&in, 0x2000, 8, 1, 0x55);
	b_inst32(&in, 0x5b503);
	b_event(&in, STF_EVENT_INTERRUPT | STF_INT_SUPERVISOR_TIMER, 1, 0);
	b_pc(&in, 101, 0x10004);
	b_inst32(&in, 0x73);
	b_event(&in, STF_FAULT_USER_ECALL, 1, 64);
	b_inst32(&in, 0x73);
	b_event(&in, STF_EVENT_INTERRUPT | STF_INT_SUPERVISOR_TIMER, 1, 0);
	b_pc(&in, 101, 0x10008);
	b_inst32(&in, 0xff9ff06f);
	b_pc(&in, 31, 0x10000);
	b_event(&in, STF_EVENT_INTERRUPT | STF_INT_SUPERVISOR_TIMER, 1, 0);
	b_inst32(&in, 0xff9ff06f);
	b_comment(&in, "ends");
	b_event(&in, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW, 1, 0);
	b_inst32(&in, 0x5b503);
	b_comment(&in, "ssctr coverage 0.5 of 8 instructions");
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

TEST(what_did_not_execute_is_left_out_with_its_event)
{
	make_interrupted();
	cut_it("--drop events",
	       "COMMENT text=\"begins\"\n" PROCESS(7)
	       "INST_MEM_ACCESS address=0x2000 size=0x8 attributes=0x0 access=0x1\n"
	       "INST_MEM_CONTENT content=0x55\n" MODE(0) "INST_32 opcode=0x5b503\n" ECALL
	       "INST_PC_TARGET pc=0x10000\nINST_32 opcode=0xff9ff06f\n"
	       "COMMENT text=\"ends\"\n"
	       "COMMENT text=\"ssctr coverage 0.5 of 8 instructions\"\n");
	/* The first instructions of both windows are left out, and still begin them. */
	cut_it("--drop events,comments --from event:INT_SUPERVISOR_TIMER --limit 2 --windows 1-2",
	       PROCESS(7) MODE(0) ECALL "FORCE_PC pc=0x10008\n" PROCESS(7)
	       "INST_PC_TARGET pc=0x10000\n" MODE(0) "INST_32 opcode=0xff9ff06f\n");
}

TEST(user_mode_goes_on_after_the_kernel)
{
	cut("--user --limit 4",
	    PROCESS(7) MODE(0) "INST_32 opcode=0x13\n"
	    "INST_MEM_ACCESS address=0x2000 size=0x8 attributes=0x0 access=0x1\n"
	    "INST_MEM_CONTENT content=0x55\nINST_32 opcode=0x5b503\n"
	    "EVENT id=0x8 field=0x40 (USER_ECALL)\nEVENT_PC_TARGET pc=0x1000c\n"
	    "INST_32 opcode=0x73\nINST_16 opcode=0x1\n");
}

/* A jump of user code with a timer interrupt, and the kernel, which returns to this PC. */
static void add_timer(uint64_t back)
{
	b_event(&in, MODE_CHANGE, 1, 1);
	b_event(&in, STF_EVENT_INTERRUPT | STF_INT_SUPERVISOR_TIMER, 1, 0);
	b_pc(&in, 101, 0x80000);
	b_inst32(&in, 0xff9ff06f);
	b_pc(&in, 31, back);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x10200073);
}

/*
 *	0 10000 ld, sampled	3 10008 j, timer	6 80000 sret (S)
 *	1 10000 ld		4 80000 sret (S)	7 10000 ld
 *	2 10004 nop		5 10008 j 10000, timer after it
 */
static void make_interrupts_of_user_code(void)
{
	b_header(&in, FEATURES_RV64 | STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_event(&in, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW, 1, 0);
	b_pc(&in, 101, 0x10000);
	b_inst32(&in, 0x5b503);
	b_mem(&in, 0x2000, 8, 1, 0x55);
	b_inst32(&in, 0x5b503);
	b_inst32(&in, 0x13);
	add_timer(0x10008);
	b_pc(&in, 31, 0x10000);
	add_timer(0x10000);
	b_mem(&in, 0x2000, 8, 1, 0x55);
	b_inst32(&in, 0x5b503);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

TEST(an_event_of_user_mode_makes_no_gap)
{
	make_interrupts_of_user_code();
	CHECK_EQ(run("cd %s && ssctr cut --user -o o.stf t.stf && ssctr check o.stf >check && ssctr dump o.stf",
		     test_tmpdir()), 0);
	CHECK_PRINTS("         0             10000  0005b503  U  0/7/7  MODE_CHANGE U  MODE_CHANGE U  INT_COUNTER_OVERFLOW 0  => 10000\n"
		     "         1             10000  0005b503  U  R 2000/8=55\n"
		     "         2             10004  00000013  U\n"
		     "         3             10008  ff9ff06f  U  INT_SUPERVISOR_TIMER 0  => 10008\n"
		     "         4             10008  ff9ff06f  U  -> 10000  INT_SUPERVISOR_TIMER 0  => 10000\n"
		     "         5             10000  0005b503  U  R 2000/8=55\n");
}

TEST(a_thread)
{
	cut("--tid 8",
	    PROCESS(8) "INST_PC_TARGET pc=0x10000\n" MODE(0)
	    "INST_32 opcode=0xfedff06f\nINST_32 opcode=0x13\n");
}

/* The kernel's part, and then two ranges, the second of which ends before instruction 7. */
TEST(ranges_of_addresses)
{
	cut("--pc 0x80000-0x80005",
	    PROCESS(7) MODE(1) "INST_32 opcode=0x13\nINST_PC_TARGET pc=0x1000c\n" MODE(0)
	    "INST_32 opcode=0x10200073\n");
	cut("--drop memory --pc 0x10004-0x10005,0x10012-0x10016 --pc 0x1000c-0x10012",
	    PROCESS(7) MODE(0) "INST_32 opcode=0x5b503\n"
	    "FORCE_PC pc=0x1000c\nINST_16 opcode=0x1\nINST_32 opcode=0x13\n"
	    "PROCESS_ID_EXT hart=0x0 pid=0x7 tid=0x8\n"
	    "INST_PC_TARGET pc=0x10000\nINST_32 opcode=0xfedff06f\n");
}

TEST(records_that_are_left_out)
{
	cut("--limit 4 --drop events,modes,memory,processes",
	    "INST_32 opcode=0x13\nINST_32 opcode=0x5b503\nINST_32 opcode=0x73\n"
	    "FORCE_PC pc=0x80000\nINST_32 opcode=0x13\n");
}

#define MAP_A "ssctr map 7 0x10000 0x10010 0x0 - /a"
#define MAP_B "ssctr map 7 0x10010 0x10020 0x0 - /b"

TEST(a_mapping_into_which_code_runs_on_is_told)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 7);
	b_comment(&in, MAP_A);
	b_comment(&in, MAP_B);
	b_event(&in, MODE_CHANGE, 1, 0);
	for (i = 0; i < 6; i++)
		b_inst32(&in, 0x13 | i << 20);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	cut_it("--start 1",
	       PROCESS(7) "COMMENT text=\"" MAP_A "\"\n" MODE(0)
	       "INST_32 opcode=0x100013\nINST_32 opcode=0x200013\nINST_32 opcode=0x300013\n"
	       PROCESS(7) "COMMENT text=\"" MAP_B "\"\n"
	       "INST_32 opcode=0x400013\nINST_32 opcode=0x500013\n");
}

TEST(windows_at_a_pc)
{
	cut("--from 0x10000 --limit 1 --drop modes",
	    PROCESS(7) "INST_32 opcode=0x13\n"
	    "FORCE_PC pc=0x10000\n" PROCESS(8) "INST_32 opcode=0x13\n");
	cut("--from 0x10000 --limit 1 --windows 2",
	    PROCESS(8) MODE(0) "INST_32 opcode=0x13\n");
}

TEST(from_an_event_to_an_opcode)
{
	cut("--from event:USER_ECALL --to opcode:0x10200073 --drop modes,events",
	    PROCESS(7) "INST_32 opcode=0x73\nFORCE_PC pc=0x80000\nINST_32 opcode=0x13\n"
	    "INST_PC_TARGET pc=0x1000c\nINST_32 opcode=0x10200073\n");
}

TEST(windows_at_a_distance)
{
	cut("--every 4 --limit 1 --drop modes",
	    PROCESS(7) "INST_32 opcode=0x13\n"
	    "FORCE_PC pc=0x80004\n" PROCESS(7)
	    "INST_PC_TARGET pc=0x1000c\nINST_32 opcode=0x10200073\n"
	    "FORCE_PC pc=0x10000\n" PROCESS(8) "INST_32 opcode=0x13\n");
}

TEST(a_piece_of_a_given_size)
{
	cut("--limit 3 --windows 2 --drop modes",
	    PROCESS(7) "INST_32 opcode=0x13\nINST_PC_TARGET pc=0x1000c\n"
	    "INST_32 opcode=0x10200073\nINST_16 opcode=0x1\n");
}

TEST(windows_from_one_to_another)
{
	cut("--every 4 --limit 1 --windows 2-3 --drop modes",
	    PROCESS(7) "INST_PC_TARGET pc=0x1000c\nINST_32 opcode=0x10200073\n"
	    "FORCE_PC pc=0x10000\n" PROCESS(8) "INST_32 opcode=0x13\n");
	cut("--every 4 --limit 1 --windows 3- --drop modes",
	    PROCESS(8) "INST_32 opcode=0x13\n");
	cut("--every 4 --limit 1 --windows 1-1 --drop modes",
	    PROCESS(7) "INST_32 opcode=0x13\n");
}

TEST(the_last_ones)
{
	cut("--last 1", PROCESS(8) MODE(0) "INST_32 opcode=0x13\n");
	CHECK_EQ(run("cd %s && ssctr cut --last 1 -o o.stf - <t.stf", test_tmpdir()), 1);
	CHECK_SAYS("--last needs a trace in a file");
}

/* Instructions 3 and 4 are in the kernel, and 7 and 8 of another thread. */
TEST(the_last_ones_that_a_filter_lets_pass)
{
	cut("--pc 0x80000-0x80005 --last 1",
	    PROCESS(7) "INST_PC_TARGET pc=0x1000c\n" MODE(1) MODE(0)
	    "INST_32 opcode=0x10200073\n");
	cut("--tid 7 --last 2", PROCESS(7) MODE(0) "INST_16 opcode=0x1\nINST_32 opcode=0x13\n");
	cut("--user --last 5 --drop memory,events",
	    PROCESS(7) MODE(0) "INST_32 opcode=0x73\nINST_16 opcode=0x1\n"
	    "INST_32 opcode=0x13\n" PROCESS(8)
	    "INST_PC_TARGET pc=0x10000\nINST_32 opcode=0xfedff06f\nINST_32 opcode=0x13\n");
	cut("--tid 8 --last 5",
	    PROCESS(8) "INST_PC_TARGET pc=0x10000\n" MODE(0)
	    "INST_32 opcode=0xfedff06f\nINST_32 opcode=0x13\n");
	/* The last chunk alone does not tell the process. */
	CHECK_EQ(run("cd %s && ssctr cut --chunk 2 -o t.zstf t.stf && "
		     "ssctr cut --tid 7 --last 3 -o o.stf t.zstf && ssctr dump -r o.stf | sed -n 's/.*opcode=//p'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "0x10200073\n0x1\n0x13\n");
	CHECK_EQ(run("cd %s && ssctr cut --tid 9 --last 1 -o o.stf t.stf", test_tmpdir()), 1);
	CHECK_SAYS("no instruction is selected; `ssctr info t.stf` prints");
}

static void add_chunk(size_t at, uint64_t pc)
{
	z_chunk(&z, in.v + at, in.n - at, pc);
}

/* Two chunks of two instructions, and one with a comment alone. */
TEST(the_last_ones_before_a_chunk_without_instructions)
{
	size_t at;

	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	b_inst32(&in, 0x100013);
	z_start(&z, 2);
	add_chunk(0, 0);
	at = in.n;
	b_inst32(&in, 0x200013);
	b_inst32(&in, 0x300013);
	add_chunk(at, 0x10008);
	at = in.n;
	b_comment(&in, "the end");
	add_chunk(at, 0x10010);
	z_index(&z);
	write_file(in_tmpdir("t.zstf"), z.b.v, z.b.n);
	CHECK_EQ(run("cd %s && ssctr cut --last 1 -o o.stf t.zstf && ssctr dump -r o.stf | sed -n 's/.*opcode=//p'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "0x300013\n");
}

TEST(the_header_is_edited)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --isa rv64gcv --comment mine -o o.zstf t.stf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr dump -r o.zstf", test_tmpdir()), 0);
	CHECK(strstr(run_out, "COMMENT text=\"mine\"\n"));
	CHECK(strstr(run_out, "ISA_EXTENDED text=\"rv64gcv\"\n"));
	CHECK(strstr(run_out, ", from t.stf: --isa rv64gcv --comment mine\"\n"));
}

/* TRACE_INFO: a generator, three bytes of a version, and a text with its size. */
TEST(a_tool_names_itself_once)
{
	static const char info[] = "\6\7\0\0\0\15\0ssctr cut 0.1";
	unsigned int i, n = 0;

	b_header(&in, FEATURES_RV64);
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("cd %s && ssctr cut -o a.stf t.stf && ssctr cut -o b.stf a.stf && ssctr check -x NO_PROCESS -x NO_MODE b.stf", test_tmpdir()), 0);
	in.n = read_file(in_tmpdir("b.stf"), in.v, sizeof(in.v));
	for (i = 0; i + sizeof(info) <= in.n; i++)
		n += !memcmp(in.v + i, info, sizeof(info) - 1);
	CHECK_EQ(n, 1);
	CHECK_EQ(in.v[GENERATOR_AT], 6);
	CHECK_EQ(run("cd %s && ssctr cmp --all t.stf b.stf", test_tmpdir()), 1);
	CHECK(strstr(run_out, "the headers: TRACE_INFO\n"));
	CHECK_EQ(run("cd %s && ssctr cmp --ignore comments t.stf b.stf", test_tmpdir()), 0);
}

TEST(each_container_to_each)
{
	static const char *const names[] = { "stf", "zstf", "stf.gz", "stf.xz" };
	unsigned int i;

	make_trace();
	CHECK_EQ(run("cd %s && ssctr dump t.stf", test_tmpdir()), 0);
	write_text("want", run_out);
	for (i = 0; i < 16; i++) {
		const char *a = names[i / 4], *b = names[i % 4];

		CHECK_EQ(run("cd %s && ssctr cut -o a.%s t.stf && ssctr cut -o b.%s a.%s && ssctr dump b.%s | cmp - want",
			     test_tmpdir(), a, b, a, b), 0);
	}
}

TEST(a_window_that_the_trace_cuts_off_is_told)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --start 7 --limit 5 -o o.stf t.stf", test_tmpdir()), 0);
	CHECK_SAYS("the trace ends before the last window does: 2 instructions are written");
	CHECK_EQ(run("cd %s && ssctr cut --to 0x99 -o o.stf t.stf", test_tmpdir()), 0);
	CHECK_SAYS("the trace ends before the last window does: --to 0x99 does not come any more");
}

/* Chunks of one instruction: the one before the start tells neither. */
TEST(the_state_at_the_start_is_found_however_far_before)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --chunk 1 -o t.zstf t.stf && ssctr cut --start 6 --limit 1 -o o.stf t.zstf && ssctr dump o.stf",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, " U "));
	CHECK(strstr(run_out, " 0/7/7"));
	CHECK_EQ(run("cd %s && ssctr cut --user --start 6 --limit 1 -o o.stf t.zstf && ssctr dump o.stf | grep -c 1000e",
		     test_tmpdir()), 0);
}

TEST(what_is_not_near_is_told)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --chunk 1 -o t.zstf t.stf && ssctr cut --near --start 6 --limit 1 -o o.stf t.zstf",
		     test_tmpdir()), 0);
	CHECK_SAYS("at its start, the new trace does not tell the privilege mode and the process; leave out --near");
	CHECK_EQ(run("cd %s && ssctr dump o.stf", test_tmpdir()), 0);
	CHECK(!strstr(run_out, " U "));
	CHECK_EQ(run("cd %s && ssctr cut --near --last 1 -o o.stf t.zstf", test_tmpdir()), 0);
}

static uint64_t number_at(const unsigned char *v)
{
	uint64_t value;

	memcpy(&value, v, sizeof(value));
	return value;
}

/* Chunks of two instructions, of which 1 and 4 cannot be read any more. */
static void damage_two_chunks(void)
{
	static unsigned char v[4096];
	FILE *f = fopen(in_tmpdir("t.zstf"), "r+");
	unsigned char *index;
	size_t n;

	CHECK(f);
	n = fread(v, 1, sizeof(v), f);
	CHECK(n > 20 && n < sizeof(v));
	index = v + number_at(v + 12); /* STF container: where the chunks end */
	CHECK_EQ(number_at(index), 5);
	v[number_at(index + 8 + 24)] ^= 1;
	v[number_at(index + 8 + 4 * 24)] ^= 1;
	rewind(f);
	CHECK_EQ(fwrite(v, 1, n, f), n);
	fclose(f);
}

TEST(a_window_needs_its_chunks_and_one_before)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --chunk 2 -o t.zstf t.stf", test_tmpdir()), 0);
	damage_two_chunks();
	CHECK_EQ(run("cd %s && ssctr cut --near --start 0 --limit 2 -o o.stf t.zstf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr cut --near --start 6 --limit 2 -o o.stf t.zstf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr cut --near --start 6 --limit 3 -o o.stf t.zstf", test_tmpdir()), 1);
	CHECK_EQ(run("cd %s && ssctr cut --near --start 5 --limit 1 -o o.stf t.zstf", test_tmpdir()), 1);
}

/* Chunk 1 cannot be read. It, and not chunk 2, tells the process. */
TEST(what_is_left_out_needs_no_chunk)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --chunk 2 -o t.zstf t.stf", test_tmpdir()), 0);
	damage_two_chunks();
	CHECK_EQ(run("cd %s && ssctr cut --drop modes,processes --start 6 --limit 2 -o o.stf t.zstf", test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK_EQ(run("cd %s && ssctr cut --drop modes --start 6 --limit 2 -o o.stf t.zstf", test_tmpdir()), 1);
	CHECK_EQ(run("cd %s && ssctr cut --drop modes,processes --tid 7 --start 6 --limit 2 -o o.stf t.zstf", test_tmpdir()), 1);
}

TEST(nothing_is_written_if_nothing_is_selected)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --start 9 -o o.stf t.stf", test_tmpdir()), 1);
	CHECK_SAYS("no instruction is selected; `ssctr info t.stf` prints how many the trace has");
	CHECK_EQ(run("cd %s && ssctr cut --user --pid 3 -o o.stf t.stf", test_tmpdir()), 1);
	CHECK_SAYS("no instruction is selected; --user takes those");
	CHECK_EQ(run("ls %s/o.stf*", test_tmpdir()), 2);
}

TEST(a_cut_trace_leaves_nothing)
{
	make_trace();
	write_file(in_tmpdir("t.stf"), in.v, in.n - 1);
	CHECK_EQ(run("cd %s && ssctr cut -o o.stf t.stf", test_tmpdir()), 1);
	CHECK_SAYS("the trace ends inside INST_32");
	CHECK_EQ(run("ls %s/o.stf*", test_tmpdir()), 2);
	/* What is not read does no harm. */
	CHECK_EQ(run("cd %s && ssctr cut -n 2 -o o.stf t.stf", test_tmpdir()), 0);
}

/* Readers take it, but a new trace is to have no fault. */
TEST(a_group_in_a_wrong_order_is_not_copied)
{
	b_header(&in, FEATURES_RV64);
	b_event(&in, 8, 0, 0);
	b_pc(&in, 31, 0x10000);
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("cd %s && ssctr cut -o o.stf t.stf", test_tmpdir()), 1);
	CHECK_SAYS("the trace cannot be copied: instruction 0: ");
	CHECK_SAYS("INST_PC_TARGET may not stand here");
}

TEST(a_full_disk)
{
	make_trace();
	CHECK_EQ(run("ssctr cut -o /dev/full %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("No space left on device");
	CHECK_EQ(run("ssctr cut -o - %s >/dev/full", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("No space left on device");
}

TEST(the_input_is_not_overwritten)
{
	make_trace();
	CHECK_EQ(run("cd %s && cp t.stf was.stf && ln -sf t.stf link.stf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr cut -n 1 -o t.stf t.stf", test_tmpdir()), 1);
	CHECK_SAYS("ssctr cut: -o t.stf: this is the input, which would be lost; name another file");
	CHECK_EQ(run("cd %s && ssctr cut -n 1 -o link.stf t.stf", test_tmpdir()), 1);
	CHECK_EQ(run("cd %s && ssctr champsim -o t.stf t.stf", test_tmpdir()), 1);
	CHECK_EQ(run("cd %s && ssctr phases --interval 1 -o t.stf t.stf", test_tmpdir()), 1);
	CHECK_SAYS("ssctr phases: -o t.stf: this is the input");
	CHECK_EQ(run("cd %s && cp t.stf t.bb && ssctr phases --interval 1 --simpoint t t.bb",
		     test_tmpdir()), 1);
	CHECK_EQ(run("cd %s && cmp t.stf was.stf && cmp t.bb was.stf", test_tmpdir()), 0);
	/* A file of this name that is another one is overwritten. */
	CHECK_EQ(run("cd %s && ssctr cut -n 1 -o was.stf t.stf", test_tmpdir()), 0);
}

TEST(a_terminal_gets_no_trace)
{
	make_trace();
	CHECK_EQ(run("ssctr cut -o - %s/t.stf >%s", test_tmpdir(), open_terminal()), 1);
	CHECK_SAYS("ssctr cut: -o -: standard output is a terminal");
	close_terminal();
	CHECK_STR(run_out, "");
}

/* A container that comes through a pipe has no index. The origin is told again later. */
TEST(the_start_in_a_container_from_a_pipe)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --comment 'ssctr origin 1' -o t.zstf t.stf && cat t.zstf | ssctr cut --start 200000 -o o.stf -",
		     test_tmpdir()), 1);
	CHECK_SAYS("no instruction is selected");
	CHECK_EQ(run("cd %s && cat t.zstf | ssctr cut --start 7 -o - - | ssctr dump - | wc -l", test_tmpdir()), 0);
	CHECK_STR(run_out, "2\n");
}

TEST(a_long_command_is_cut_in_the_comment)
{
	char list[1500] = "modes";

	while (strlen(list) < sizeof(list) - 10)
		strcat(list, ",modes");
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --drop %s --start 1 --limit 2 -o o.stf t.stf",
		     test_tmpdir(), list), 0);
	CHECK_EQ(run("cd %s && ssctr info o.stf", test_tmpdir()), 0);
	CHECK(strstr(run_out, ", from t.stf: --drop modes,modes,"));
	CHECK(strstr(run_out, "...\"\n"));
}

TEST(more_ranges_than_there_may_be)
{
	char list[2000] = "0x10-0x12";

	while (strlen(list) < 64 * 10 - 1)
		strcat(list, ",0x10-0x12");
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --pc %s,0x10000-0x10004 -o o.stf t.stf", test_tmpdir(),
		     list), 2);
	CHECK_SAYS("--pc: there are at most 64 ranges");
	CHECK_EQ(run("cd %s && ssctr cut --pc 0x10000-0x10004%s -o o.stf t.stf", test_tmpdir(),
		     strchr(list, ',')), 0);
}

TEST(options_with_mistakes)
{
	static const struct {
		const char *options, *says;
	} wrong[] = {
		{ "", "no output is given; name it with -o" },
		{ "-o x --limit 0", "--limit 0: use at least 1" },
		{ "-o x --every 5", "--every needs --limit" },
		{ "-o x --every 5 --limit 6", "windows cannot overlap" },
		{ "-o x --every 5 --limit 1 --from 0x1", "--every and --from both say" },
		{ "-o x --pc 0x10-0x10", "END is behind the last address" },
		{ "-o x --pc 0x10,0x20-0x30", "write ranges as 0xSTART-0xEND" },
		{ "-o x --pc 0x10-0x20,", "write ranges as 0xSTART-0xEND" },
		{ "-o x --windows 0 --limit 1", "use A, A- or A-B" },
		{ "-o x --windows 3-2 --limit 1", "use A, A- or A-B" },
		{ "-o x --windows 3", "--windows needs --limit, --from or --to" },
		{ "-o x --last 3 --start 1", "--last cannot be used with" },
		{ "-o x --near --limit 3", "--near needs --start, --last or --window" },
		{ "-o x --near --from 0x1", "--near needs --start, --last or --window" },
		{ "-o x --drop memory,all", "--drop memory,all: not a list of" },
		{ "-o x --level 20", "--level 20: use 1 to 19" },
		{ "-o x --tid 4294967296", "the largest number is 4294967295" },
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_EQ(run("ssctr cut %s t.stf", wrong[i].options), 2);
		CHECK_SAYS(wrong[i].says);
	}
}

TEST(levels_are_1_to_19)
{
	make_trace();
	CHECK_EQ(run("cd %s && ssctr cut --level 1 -o 1.zstf t.stf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr cut --level 19 -o 19.zstf t.stf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr cut --level 0 -o 0.zstf t.stf", test_tmpdir()), 2);
}

TEST(places_with_mistakes)
{
	make_trace();
	CHECK_EQ(run("ssctr cut -o x --from main %s", in_tmpdir("t.stf")), 2);
	CHECK_SAYS("--from main: to find a symbol, name its ELF file with --symbols");
	CHECK_EQ(run("ssctr cut -o x --to opcode:13 %s", in_tmpdir("t.stf")), 2);
	CHECK_SAYS("--to opcode:13: write the opcode as 0x...");
	CHECK_EQ(run("ssctr cut -o x --to event:ECALL %s", in_tmpdir("t.stf")), 2);
	CHECK_SAYS("--to event:ECALL: no event has this name");
	CHECK_EQ(run("ssctr cut -o x --symbols /dev/null --to main %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("--symbols: ");
}

TEST(a_symbol_that_the_file_lacks)
{
	static const uint8_t code[4];
	struct elfb elf = { .code = code, .code_size = sizeof(code) };
	char path[256];

	make_trace();
	snprintf(path, sizeof(path), "%s", in_tmpdir("program"));
	CHECK(elfb_write(&elf, path));
	CHECK_EQ(run("ssctr cut -o x --symbols %s --to main %s", path, in_tmpdir("t.stf")), 1);
	CHECK_SAYS("--to main: the file of --symbols has no such symbol");
}

/* Walks of group 0, for pages that are first used at instructions 0, 5 and 2. */
TEST(walks_that_are_told_ahead_keep_their_distance)
{
	static const unsigned int first[] = { 0, 5, 2 };
	unsigned int i;

	b_header(&in, FEATURES_RV64 | STF_FEATURE_PTE);
	b_inst32(&in, 0x13);
	for (i = 0; i < 3; i++) {
		b8(&in, STF_PAGE_TABLE_WALK);
		b64(&in, 0x10000 + i * 0x1000);
		b64(&in, 1 + first[i]);
		b32(&in, 4096);
		b8(&in, 0);
	}
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("cd %s && ssctr cut -o o.stf t.stf && ssctr cmp --ignore comments t.stf o.stf",
		     test_tmpdir()), 0);
	cut_it("--start 1",
	       "PAGE_TABLE_WALK va=0x10000 first_index=0x0 page_size=0x1000 n_ptes=0x0\n"
	       "PAGE_TABLE_WALK va=0x11000 first_index=0x5 page_size=0x1000 n_ptes=0x0\n"
	       "PAGE_TABLE_WALK va=0x12000 first_index=0x2 page_size=0x1000 n_ptes=0x0\n"
	       "INST_32 opcode=0x13\n");
}

/* The option says more than the header of the old trace does: as it is in the new one. */
TEST(the_size_of_event_ids_is_that_of_the_new_header)
{
	static const struct {
		uint64_t features;
		const char *bits;
	} cases[] = {
		{ STF_FEATURE_RV64, "64" },
		{ FEATURES_RV64, "32" },
	};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		b_header(&in, cases[i].features);
		b8(&in, STF_EVENT);
		if (i)
			b32(&in, 13);
		else
			b64(&in, 13);
		b8(&in, 0);
		b_inst32(&in, 0x13);
		b_inst32(&in, 0x33);
		write_file(in_tmpdir("t.stf"), in.v, in.n);
		CHECK_EQ(run("cd %s && ssctr cut --event-bits %s -o o.stf t.stf && ssctr dump o.stf",
			     test_tmpdir(), cases[i].bits), 0);
		CHECK_PRINTS("         0             10000  00000013  -  LOAD_PAGE_FAULT\n"
			     "         1             10004  00000033  -\n");
		CHECK_EQ(run("cd %s && ssctr join --event-bits %s -o o.stf t.stf && ssctr dump o.stf",
			     test_tmpdir(), cases[i].bits), 0);
		CHECK(strstr(run_out, "LOAD_PAGE_FAULT\n"));
	}
}

TEST(a_trace_of_transactions_is_refused)
{
	b_start(&in);
	b8(&in, 6);
	b8(&in, 0x40);
	b8(&in, 1);
	b16(&in, 0);
	b16(&in, 0);
	b8(&in, 7);
	b64(&in, 0x100000);
	b8(&in, 11);
	b8(&in, 1);
	b8(&in, 19);
	b8(&in, 250);
	b64(&in, 1);
	b64(&in, 1);
	b8(&in, 1);
	b16(&in, 0);
	b8(&in, 5);
	b64(&in, 1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr cut -o %s %s", "/dev/null", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("a trace of transactions has no instructions");
}
