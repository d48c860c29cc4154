// SPDX-License-Identifier: GPL-2.0-only
/* ssctr join, on traces made by hand. What is expected is worked out from their records. */
#include "cmd-run.h"
#include "stf-build.h"
#include "stf/stf.h"

static struct bytes in;

#define MODE_CHANGE UINT64_C(0x4000000000000000)

/* In a trace of 32-bit ids. */
static void b_event_32(uint32_t id, uint64_t field)
{
	b8(&in, 100);
	b32(&in, id);
	b8(&in, 1);
	b64(&in, field);
}

static void save(const char *name)
{
	write_file(in_tmpdir(name), in.v, in.n);
}

/* From 0x10000 on in user mode, as process 7: two instructions, and a jump to 0x20000. */
static void make_a(void)
{
	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	b_inst16(&in, 1);
	b_pc(&in, 31, 0x20000);
	b_inst32(&in, 0xffa0f06f);
	save("a.stf");
}

/* From here on as process 8 in supervisor mode, without a jump. */
static void make_b(void)
{
	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 8, 8);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_inst32(&in, 0x93);
	b_inst32(&in, 0x113);
	b_inst32(&in, 0x193);
	save("b.stf");
}

static void make_both(void)
{
	make_a();
	make_b();
}

/* Join, and print the records after the header without their numbers. */
static void join(const char *options, const char *want)
{
	CHECK_EQ(run("cd %s && ssctr join -o o.stf %s", test_tmpdir(), options), 0);
	CHECK_STR(run_err, "");
	CHECK_EQ(run("cd %s && ssctr dump -r o.stf | sed -n '/END_HEADER/,$ { /END_HEADER/d; s/^ *[0-9]*  //p }'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, want);
	CHECK_EQ(run("cd %s && ssctr check o.stf; ssctr dump -r o.stf", test_tmpdir()), 0);
}

/* They are refused, with a line that says this, and there is no new trace. */
static void refused(const char *options, const char *says)
{
	CHECK_EQ(run("cd %s && ssctr join -o none.stf %s", test_tmpdir(), options), 1);
	CHECK_SAYS(says);
	CHECK_EQ(run("ls %s/none.stf*", test_tmpdir()), 2);
}

#define PROCESS(_hart, _pid, _tid)                                             \
	"PROCESS_ID_EXT hart=0x" #_hart " pid=0x" #_pid " tid=0x" #_tid "\n"
#define MODE(_mode)                                                            \
	"EVENT id=0x4000000000000000 field=0x" #_mode " (MODE_CHANGE)\n"
#define FORCE(_pc) "FORCE_PC pc=0x" #_pc "\n"
#define BEGINS(_name) "COMMENT text=\"ssctr join: " _name " begins here\"\n"
#define OF_A                                                                   \
	PROCESS(0, 7, 7) MODE(0) "INST_32 opcode=0x13\nINST_16 opcode=0x1\n"   \
	"INST_PC_TARGET pc=0x20000\nINST_32 opcode=0xffa0f06f\n"

TEST(one_after_another)
{
	make_both();
	join("a.stf b.stf",
	     OF_A BEGINS("b.stf") FORCE(10000) PROCESS(0, 8, 8) MODE(1)
	     "INST_32 opcode=0x93\nINST_32 opcode=0x113\nINST_32 opcode=0x193\n");
	CHECK(strstr(run_out, "COMMENT text=\"hello\"\n"));
	CHECK(strstr(run_out, "COMMENT text=\"ssctr join " SSCTR_VERSION
			      ", from a.stf, b.stf: one after another\"\n"));
	CHECK(strstr(run_out, "TRACE_INFO_FEATURE features=0x800a0\n"));
	CHECK(strstr(run_out, "FORCE_PC pc=0x10000\n"));
}

/* The mret at which the second part begins stays in machine mode, which the cut tells once more. */
TEST(a_part_begins_with_a_trap_return_that_changes_no_mode)
{
	b_header(&in, FEATURES_RV64 | STF_FEATURE_EVENT);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 3);
	b_inst32(&in, 0x13);
	b_event(&in, MODE_CHANGE, 1, 3);
	b_pc(&in, 101, 0x20000);
	b_inst32(&in, 0x30200073);
	save("nest.stf");
	CHECK_EQ(run("cd %s && ssctr cut --limit 1 -o a.stf nest.stf && ssctr cut --start 1 -o b.stf nest.stf",
		     test_tmpdir()), 0);
	join("a.stf b.stf",
	     PROCESS(0, 7, 7) MODE(3) "INST_32 opcode=0x13\n" BEGINS("b.stf") MODE(3)
	     "EVENT_PC_TARGET pc=0x20000\nINST_32 opcode=0x30200073\n");
}

/* Its header has no TRACE_INFO_FEATURE, which is 9 bytes before FORCE_PC and END_HEADER. */
static void make_plain(void)
{
	const uint64_t start = 0x10000;

	b_header(&in, FEATURES_RV64);
	in.n -= 9 + 9 + 1;
	b_pc(&in, 9, start);
	b8(&in, 19);
	b_inst32(&in, 0x13);
	save("plain.stf");
}

/* What the other one says is what is in the new trace, whichever comes first. */
TEST(one_trace_may_lack_its_features)
{
	make_plain();
	make_b();
	CHECK_EQ(run("cd %s && ssctr join -o o.stf b.stf plain.stf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr join -o o2.stf plain.stf b.stf", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && for t in o o2; do ssctr dump -r $t.stf | grep -o 'features=.*'; done", test_tmpdir()), 0);
	CHECK_PRINTS("features=0x800a0\nfeatures=0x800a0\n");
	refused("plain.stf plain.stf", "plain.stf: no trace has a TRACE_INFO_FEATURE in its header");
}

/* One instruction, with what `ssctr stf` tells of its mapping and of its coverage. */
static void make_mapped(const char *name, unsigned int pid, const char *mapping)
{
	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, pid, pid);
	b_comment(&in, "ssctr map - 0x80000000 0x90000000 0x0 - [kernel.kallsyms]");
	b_comment(&in, mapping);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	b_comment(&in, "ssctr coverage 0.5");
	save(name);
}

#define KERNEL "COMMENT text=\"ssctr map - 0x80000000 0x90000000 0x0 - [kernel.kallsyms]\"\n"

TEST(mappings_belong_to_the_process_of_the_new_trace)
{
	make_mapped("a.stf", 7, "ssctr map 7 0x10000 0x20000 0x0 - /a");
	make_mapped("b.stf", 7, "ssctr map 7 0x10000 0x20000 0x0 - /b");
	join("--number processes a.stf b.stf",
	     PROCESS(0, 1, 7) KERNEL
	     "COMMENT text=\"ssctr map 1 0x10000 0x20000 0x0 - /a\"\n"
	     MODE(0) "INST_32 opcode=0x13\n"
	     BEGINS("b.stf") FORCE(10000) PROCESS(0, 2, 7) KERNEL
	     "COMMENT text=\"ssctr map 2 0x10000 0x20000 0x0 - /b\"\n"
	     MODE(0) "INST_32 opcode=0x13\n");
}

/* Two instructions in turns of one, with a mapping of the kernel and one of process 7. */
static void make_turns(const char *name, const char *kernel, const char *mapping)
{
	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 7);
	b_comment(&in, kernel);
	b_comment(&in, mapping);
	b_inst32(&in, 0x13);
	b_inst32(&in, 0x93);
	b_pc(&in, 9, 0x80000000);
	b_inst32(&in, 0x113);
	b_inst32(&in, 0x193);
	save(name);
}

#define MAP(_map) "COMMENT text=\"ssctr map " _map "\"\n"
#define KERNEL_OF(_trace) MAP("- 0x80000000 0x90000000 0x0 - [" _trace "]")
#define USER_OF(_pid, _trace) MAP(_pid " 0x10000 0x20000 0x0 - /" _trace)

TEST(each_turn_tells_the_mappings_of_its_trace)
{
	make_turns("a.stf", "ssctr map - 0x80000000 0x90000000 0x0 - [a]",
		   "ssctr map 7 0x10000 0x20000 0x0 - /a");
	make_turns("b.stf", "ssctr map - 0x80000000 0x90000000 0x0 - [b]",
		   "ssctr map 7 0x10000 0x20000 0x0 - /b");
	/* Both processes are 7. */
	join("--interleave 1 --number harts a.stf b.stf",
	     PROCESS(0, 7, 7) KERNEL_OF("a") USER_OF("7", "a") "INST_32 opcode=0x13\n"
	     BEGINS("b.stf") FORCE(10000) PROCESS(1, 7, 7) KERNEL_OF("b") USER_OF("7", "b")
	     "INST_32 opcode=0x13\n"
	     FORCE(10004) PROCESS(0, 7, 7) USER_OF("7", "a") "INST_32 opcode=0x93\n"
	     FORCE(10004) PROCESS(1, 7, 7) USER_OF("7", "b") "INST_32 opcode=0x93\n"
	     PROCESS(0, 7, 7) KERNEL_OF("a") FORCE(80000000) "INST_32 opcode=0x113\n"
	     PROCESS(1, 7, 7) KERNEL_OF("b") FORCE(80000000) "INST_32 opcode=0x113\n"
	     FORCE(80000004) PROCESS(0, 7, 7) KERNEL_OF("a") "INST_32 opcode=0x193\n"
	     FORCE(80000004) PROCESS(1, 7, 7) KERNEL_OF("b") "INST_32 opcode=0x193\n");
	/* Each process has its own mappings, but the kernel has those of both. */
	join("--interleave 1 --number processes a.stf b.stf",
	     PROCESS(0, 1, 7) KERNEL_OF("a") USER_OF("1", "a") "INST_32 opcode=0x13\n"
	     BEGINS("b.stf") FORCE(10000) PROCESS(0, 2, 7) KERNEL_OF("b") USER_OF("2", "b")
	     "INST_32 opcode=0x13\n"
	     FORCE(10004) PROCESS(0, 1, 7) "INST_32 opcode=0x93\n"
	     FORCE(10004) PROCESS(0, 2, 7) "INST_32 opcode=0x93\n"
	     PROCESS(0, 1, 7) KERNEL_OF("a") FORCE(80000000) "INST_32 opcode=0x113\n"
	     PROCESS(0, 2, 7) KERNEL_OF("b") FORCE(80000000) "INST_32 opcode=0x113\n"
	     FORCE(80000004) PROCESS(0, 1, 7) KERNEL_OF("a") "INST_32 opcode=0x193\n"
	     FORCE(80000004) PROCESS(0, 2, 7) KERNEL_OF("b") "INST_32 opcode=0x193\n");
}

TEST(several_processes_that_get_one_number_are_told)
{
	make_b();
	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_inst32(&in, 0x13);
	b_process(&in, 1, 9, 9);
	b_inst32(&in, 0x93);
	save("two.stf");
	CHECK_EQ(run("cd %s && ssctr join --number processes -o o.stf b.stf two.stf",
		     test_tmpdir()), 0);
	CHECK_SAYS("two.stf has several processes, which have one number in the new trace");
	CHECK_EQ(run("cd %s && ssctr join --number harts -o o.stf b.stf two.stf",
		     test_tmpdir()), 0);
	CHECK_SAYS("two.stf has several harts, which have one number in the new trace");
	CHECK_EQ(run("cd %s && ssctr join --number harts -o o.stf b.stf b.stf",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
}

/* The specification demands the PC before the first instruction, and not in the header. */
TEST(a_pc_behind_the_header_is_in_the_new_one)
{
	make_b();
	b_header(&in, FEATURES_RV64);
	in.n -= 9 + 1;
	b8(&in, 19);
	b_pc(&in, 9, 0x30000);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_inst32(&in, 0x13);
	b_inst32(&in, 0x93);
	save("late.stf");
	join("b.stf late.stf",
	     PROCESS(0, 8, 8) MODE(1)
	     "INST_32 opcode=0x93\nINST_32 opcode=0x113\nINST_32 opcode=0x193\n"
	     BEGINS("late.stf") PROCESS(0, 0, 0) FORCE(30000) MODE(1)
	     "INST_32 opcode=0x13\nINST_32 opcode=0x93\n");
	CHECK_EQ(run("cd %s && ssctr cut --start 1 -o o.stf late.stf && ssctr dump -r o.stf | sed -n '/FORCE_PC/s/^ *[0-9]*  //p; /END_HEADER/q'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "FORCE_PC pc=0x30004\n");
	CHECK_EQ(run("cd %s && ssctr cut -o o.stf late.stf && ssctr cmp --ignore comments,header late.stf o.stf",
		     test_tmpdir()), 0);
}

TEST(a_name_that_ends_in_zst_is_refused)
{
	make_b();
	CHECK_EQ(run("cd %s && ssctr join -o o.stf.zst b.stf", test_tmpdir()), 1);
	CHECK_SAYS("o.stf.zst: .zst is only read; use a name that ends in .zstf");
	CHECK_EQ(run("cd %s && ssctr cut -o o.zstd b.stf", test_tmpdir()), 1);
	CHECK_SAYS("o.zstd: .zst is only read");
	CHECK_EQ(run("ls %s/o.*", test_tmpdir()), 2);
}

/* By time slices, harts are the same and processes tell the traces apart. */
TEST(in_turns)
{
	make_both();
	join("--interleave 2 a.stf b.stf",
	     PROCESS(0, 7, 7) MODE(0) "INST_32 opcode=0x13\nINST_16 opcode=0x1\n"
	     BEGINS("b.stf") FORCE(10000) PROCESS(0, 8, 8) MODE(1)
	     "INST_32 opcode=0x93\nINST_32 opcode=0x113\n"
	     FORCE(10006) PROCESS(0, 7, 7) "INST_PC_TARGET pc=0x20000\n" MODE(0)
	     "INST_32 opcode=0xffa0f06f\n"
	     FORCE(10008) PROCESS(0, 8, 8) MODE(1) "INST_32 opcode=0x193\n");
	/* RV64, PROCESS_ID, MULTI_THREAD, EVENT64. */
	CHECK(strstr(run_out, "TRACE_INFO_FEATURE features=0x88420\n"));
}

/* Tools of the reference library end where the target of a taken branch does not follow. */
TEST(a_turn_does_not_end_with_a_taken_branch)
{
	unsigned int i;

	make_b();
	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 7);
	b_pc(&in, 31, 0x10008);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_inst32(&in, 0x0080006f); /* j .+8 */
	b_inst32(&in, 0x13);
	for (i = 0; i < 4; i++) {
		b_pc(&in, 31, 0x1000c);
		b_inst32(&in, 0x6f); /* j . */
	}
	save("c.stf");
	CHECK_EQ(run("cd %s && ssctr join --interleave 1 -o o.stf c.stf b.stf && ssctr dump o.stf | awk '{ print $2, $3 }'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "10000 0080006f\n10008 00000013\n10000 00000093\n"
			   "1000c 0000006f\n1000c 0000006f\n10004 00000113\n"
			   "1000c 0000006f\n1000c 0000006f\n10008 00000193\n");
	CHECK_EQ(run("cd %s && ssctr join --interleave 4 -o o.stf b.stf c.stf && ssctr check o.stf", test_tmpdir()), 0);
}

TEST(harts_are_numbered)
{
	make_both();
	join("--interleave 5 --number harts a.stf b.stf",
	     OF_A BEGINS("b.stf") FORCE(10000) PROCESS(1, 8, 8) MODE(1)
	     "INST_32 opcode=0x93\nINST_32 opcode=0x113\nINST_32 opcode=0x193\n");
	CHECK(strstr(run_out, "TRACE_INFO_FEATURE features=0x90420\n"));
}

/* A trace that tells no process gets one, also in its first group. */
TEST(processes_are_numbered)
{
	make_a();
	b_header(&in, FEATURES_RV64);
	b_inst32(&in, 0x93);
	save("c.stf");
	join("--number processes c.stf a.stf",
	     PROCESS(0, 1, 0) "INST_32 opcode=0x93\n" BEGINS("a.stf") FORCE(10000)
	     PROCESS(0, 2, 7) MODE(0) "INST_32 opcode=0x13\nINST_16 opcode=0x1\n"
	     "INST_PC_TARGET pc=0x20000\nINST_32 opcode=0xffa0f06f\n");
}

/* Its end is where the other one begins, and the state is the same. */
TEST(nothing_is_added_where_a_trace_goes_on)
{
	make_a();
	b_header(&in, FEATURES_RV64);
	in.n -= 10;
	b_pc(&in, 9, 0x20000);
	b8(&in, 19);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_pc(&in, 9, 0x20000);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_event(&in, 8, 1, 64);
	b_pc(&in, 101, 0x80000);
	b_inst32(&in, 0x73);
	save("c.stf");
	join("a.stf c.stf",
	     OF_A BEGINS("c.stf") MODE(1) "EVENT id=0x8 field=0x40 (USER_ECALL)\n"
	     "EVENT_PC_TARGET pc=0x80000\nINST_32 opcode=0x73\n");
}

/* The PC and the process are the same, but not the mode. */
TEST(another_mode_is_no_way_to_go_on)
{
	make_a();
	b_header(&in, FEATURES_RV64);
	in.n -= 10;
	b_pc(&in, 9, 0x20000);
	b8(&in, 19);
	b_process(&in, 0, 7, 7);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_inst32(&in, 0x93);
	save("c.stf");
	join("a.stf c.stf",
	     OF_A BEGINS("c.stf") FORCE(20000) PROCESS(0, 7, 7) MODE(1)
	     "INST_32 opcode=0x93\n");
}

/* What is at the end of a trace but comments has no meaning in the next one. */
TEST(what_stands_after_the_last_instruction)
{
	make_a();
	b_comment(&in, "bye");
	b_pc(&in, 9, 0x30000);
	save("a.stf");
	make_b();
	b_process(&in, 0, 9, 9);
	save("b.stf");
	join("a.stf b.stf",
	     OF_A "COMMENT text=\"bye\"\n" BEGINS("b.stf") FORCE(10000)
	     PROCESS(0, 8, 8) MODE(1)
	     "INST_32 opcode=0x93\nINST_32 opcode=0x113\nINST_32 opcode=0x193\n"
	     PROCESS(0, 9, 9));
}

TEST(a_trace_without_instructions)
{
	make_a();
	b_header(&in, FEATURES_RV64);
	in.v[18] = 'H';
	save("c.stf");
	join("c.stf a.stf c.stf", OF_A);
	CHECK(strstr(run_out, "COMMENT text=\"a.stf: hello\"\n"));
	CHECK(strstr(run_out, "COMMENT text=\"c.stf: Hello\"\n"));
	refused("c.stf c.stf", "no trace has an instruction");
}

/* Of a page that was used first before, the number counts from the start of the trace. */
TEST(page_walks_are_numbered_anew)
{
	unsigned int i;

	make_a();
	b_header(&in, FEATURES_RV64 | 0x100);
	for (i = 0; i < 2; i++) {
		b8(&in, 50);
		b64(&in, 0x10000);
		b64(&in, 0);
		b32(&in, 4096);
		b8(&in, 0);
		if (!i)
			b_event(&in, MODE_CHANGE, 1, 0);
		b_inst32(&in, 0x13);
	}
	save("c.stf");
	join("a.stf c.stf",
	     OF_A BEGINS("c.stf") FORCE(10000) PROCESS(0, 0, 0)
	     "PAGE_TABLE_WALK va=0x10000 first_index=0x3 page_size=0x1000 n_ptes=0x0\n"
	     MODE(0) "INST_32 opcode=0x13\n"
	     "PAGE_TABLE_WALK va=0x10000 first_index=0x3 page_size=0x1000 n_ptes=0x0\nINST_32 opcode=0x13\n");
}

TEST(a_mode_that_is_not_told_is_a_message)
{
	make_a();
	b_header(&in, FEATURES_RV64);
	b_inst32(&in, 0x93);
	save("c.stf");
	CHECK_EQ(run("cd %s && ssctr join -o o.stf a.stf c.stf", test_tmpdir()), 0);
	CHECK_SAYS("c.stf does not tell its privilege mode; in the new trace, it seems to go on in the mode of the trace before it");
	CHECK_EQ(run("cd %s && ssctr join -o o.stf c.stf a.stf", test_tmpdir()), 0);
	CHECK_STR(run_err, "");
}

/* Ids of 32 and of 64 bits become ids of 64 bits. */
TEST(event_ids_are_converted)
{
	b_header(&in, FEATURES_RV32);
	b_event_32(MODE_CHANGE >> 32, 3);
	b_inst32(&in, 0x13);
	save("c.stf");
	b_header(&in, 0x80000);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x93);
	save("d.stf");
	join("c.stf d.stf",
	     MODE(3) "INST_32 opcode=0x13\n" BEGINS("d.stf") FORCE(10000) MODE(0)
	     "INST_32 opcode=0x93\n");
	CHECK(strstr(run_out, "TRACE_INFO_FEATURE features=0x80080\n"));
}

/* That all values are told is true only if it is of each trace. */
TEST(features_that_all_traces_have)
{
	b_header(&in, FEATURES_RV64 | 0x4 | 0x8);
	b_inst32(&in, 0x13);
	save("c.stf");
	b_header(&in, FEATURES_RV64 | 0x100);
	b_inst32(&in, 0x13);
	save("d.stf");
	CHECK_EQ(run("cd %s && ssctr join -o o.stf c.stf d.stf && ssctr info o.stf",
		     test_tmpdir()), 0);
	CHECK(strstr(run_out, "features         0x801a8 EVENT RV64 SAMPLING PTE EVENT64\n"));
}

/* Before END_HEADER, the last of a b_header(). */
static void b_vlen(uint32_t bits)
{
	in.n--;
	b8(&in, 10);
	b32(&in, bits);
	b8(&in, 19);
}

static void b_isa(const char *isa)
{
	in.n--;
	b8(&in, 13);
	b32(&in, (uint32_t)strlen(isa));
	btext(&in, isa);
	b8(&in, 19);
}

TEST(traces_that_do_not_fit)
{
	make_a();
	b_header(&in, FEATURES_RV32);
	save("rv32.stf");
	refused("a.stf rv32.stf", "a.stf has instructions of RV64, and rv32.stf of RV32");
	b_header(&in, FEATURES_RV64);
	in.v[GENERATOR_AT] = 12;
	save("bits.stf");
	refused("a.stf bits.stf", "bits.stf has the sizes of memory accesses in bits, because Dromajo made it, and a.stf has them in bytes");
	b_header(&in, FEATURES_RV64);
	b_vlen(128);
	save("v128.stf");
	b_header(&in, FEATURES_RV64);
	b_vlen(256);
	save("v256.stf");
	refused("v128.stf a.stf v256.stf",
		"the VLEN of v128.stf is 128, and that of v256.stf is 256");
	b_header(&in, FEATURES_RV64);
	b_isa("rv64gc");
	save("gc.stf");
	b_header(&in, FEATURES_RV64);
	b_isa("rv64gcv");
	save("gcv.stf");
	refused("gc.stf a.stf gcv.stf",
		"the ISA string of gc.stf is rv64gc, and that of gcv.stf is rv64gcv; --isa STRING writes one for the new trace");
}

/* What only some traces tell holds for all of them. */
TEST(what_the_first_trace_does_not_tell)
{
	make_a();
	b_header(&in, FEATURES_RV64);
	b_vlen(128);
	b_isa("rv64gcv");
	save("gcv.stf");
	join("a.stf gcv.stf", OF_A);
	CHECK(strstr(run_out, "VLEN_CONFIG vlen=0x80\n"));
	CHECK(strstr(run_out, "ISA_EXTENDED text=\"rv64gcv\"\n"));
	join("--isa mine a.stf gcv.stf", OF_A);
	CHECK(strstr(run_out, "ISA_EXTENDED text=\"mine\"\n"));
	CHECK(!strstr(run_out, "rv64gcv"));
}

#define PRODUCER(_id, _name)                                                   \
	"generator=0x" _id " major=0x2 minor=0x3 patch=0x4 text=\"maker\" (" _name ")\n"

TEST(producers_are_all_named)
{
	make_both();
	b_header(&in, FEATURES_RV64);
	in.v[GENERATOR_AT] = 13;
	save("c.stf");
	/* Joined again, join is not named again. */
	CHECK_EQ(run("cd %s && ssctr join -o o.stf a.stf b.stf c.stf && ssctr join -o p.stf o.stf a.stf && ssctr dump -r p.stf | sed -n 's/.*TRACE_INFO gen/gen/p'",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, PRODUCER("6", "SPIKE") PRODUCER("d", "PEGASUS")
		  "generator=0x8 major=0x0 minor=0x0 patch=0x0 text=\"ssctr join " SSCTR_VERSION "\" (STF_MERGE)\n");
}

TEST(traces_that_nobody_could_tell_apart_are_refused)
{
	make_a();
	refused("--interleave 5 a.stf a.stf",
		"a.stf and a.stf both begin as 0/7/7 (hart/pid/tid), so that nobody could tell them apart; --number harts or --number processes gives each trace its own");
}

TEST(a_trace_is_standard_input)
{
	make_both();
	CHECK_EQ(run("cd %s && ssctr join -o - - b.stf <a.stf | ssctr dump -", test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK(strstr(run_out, "     5             10008  00000193  S\n"));
	CHECK_EQ(run("cd %s && mkfifo f && { cat b.stf >f & ssctr join --interleave 1 -o o.zstf a.stf f; }", test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK_EQ(run("ssctr join -o x - -"), 2);
	CHECK_SAYS("standard input can be only one of the traces");
}

TEST(a_trace_that_is_joined_is_not_written_over)
{
	make_both();
	CHECK_EQ(run("cd %s && cp b.stf old && ssctr join -o b.stf a.stf b.stf", test_tmpdir()), 1);
	CHECK_SAYS("ssctr join: -o b.stf: this is the input, which would be lost; name another file");
	CHECK_EQ(run("cd %s && cmp b.stf old", test_tmpdir()), 0);
}

/* More of them than a process may have open files. */
TEST(many_traces)
{
	make_both();
	CHECK_EQ(run("cd %s && for i in $(seq 100); do echo a.stf b.stf; done >l && ulimit -n 30 && ssctr join -o o.stf $(cat l) && ssctr dump o.stf | wc -l",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK_STR(run_out, "600\n");
}

/* Of each an instruction in turn, so that all are open at the same time. */
TEST(more_traces_in_turn_than_files_may_be_open)
{
	make_both();
	CHECK_EQ(run("cd %s && for i in $(seq 50); do echo a.stf b.stf; done >l && ulimit -Sn 30 && ssctr join --interleave 1 --number processes -o o.stf $(cat l) && ssctr dump o.stf | wc -l",
		     test_tmpdir()), 0);
	CHECK_STR(run_err, "");
	CHECK_STR(run_out, "300\n");
	CHECK_EQ(run("cd %s && ulimit -n 30 && ssctr join --interleave 1 --number processes -o o.stf $(cat l)",
		     test_tmpdir()), 1);
	CHECK_SAYS(".stf: Too many open files; raise the limit with `ulimit -n`");
}

TEST(a_full_disk)
{
	make_both();
	CHECK_EQ(run("cd %s && ssctr join -o /dev/full a.stf b.stf", test_tmpdir()), 1);
	CHECK_SAYS("No space left on device");
}

TEST(a_file_that_is_no_trace)
{
	make_a();
	write_text("x.stf", "no trace");
	refused("a.stf x.stf", "x.stf: ");
	refused("a.stf y.stf", "y.stf: ");
	b_start(&in);
	save("x.stf");
	refused("a.stf x.stf", "x.stf has no END_HEADER");
}

/* One of the traces is cut off at each byte, and has a wrong byte at each place. */
TEST(damaged_traces_have_an_answer)
{
	static struct bytes whole;
	unsigned int i, status;

	make_both();
	whole = in;
	for (i = test_random() % 9; i < whole.n; i += 9) {
		write_file(in_tmpdir("b.stf"), whole.v, i);
		status = run("cd %s && ssctr join --interleave 1 -o o.stf a.stf b.stf", test_tmpdir());
		CHECK(status < 2 && (status || i >= 60));
		whole.v[i] ^= 1u << i % 8;
		write_file(in_tmpdir("b.stf"), whole.v, whole.n);
		CHECK(run("cd %s && ssctr join -o o.stf b.stf a.stf", test_tmpdir()) < 2);
		whole.v[i] ^= 1u << i % 8;
	}
}

/*
 * Each trace goes on where it was left. Where a thread comes to a further hart, it seems to have
 * moved there, and to have run in between.
 */
TEST(turns_have_no_gaps)
{
	make_b();
	CHECK_EQ(run("cd %s && for number in processes harts; do ssctr join --interleave 1 --number $number -o o.stf b.stf b.stf && ssctr info o.stf | grep gaps; done",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "gaps             0 within the trace\n"
			   "gaps             1 within the trace\n");
}

TEST(options_with_mistakes)
{
	static const struct {
		const char *options, *says;
	} wrong[] = {
		{ "a.stf", "no output is given; name it with -o" },
		{ "-o x", "no trace is given; name the traces to join" },
		{ "-o x --interleave 0 a.stf", "--interleave 0: use at least 1" },
		{ "-o x --number traces a.stf", "--number traces: use harts or processes" },
		{ "-o x --level 20 a.stf", "--level 20: use 1 to 19" },
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_EQ(run("ssctr join %s", wrong[i].options), 2);
		CHECK_SAYS(wrong[i].says);
	}
}
