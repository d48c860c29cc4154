// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr champsim, on a trace made by hand. The records are decoded here byte by byte, and
 * the types of branches are found by the rules of ChampSim, which are in a table.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cmd-run.h"
#include "stf-build.h"

static struct bytes in, out;

enum { SP = 6, FLAGS = 25, IP = 26, X = 32, F = 64, V = 96, NOTHING = 128 };

/* ------------------------------------------------------------------ ChampSim */

struct record {
	uint64_t ip;
	unsigned int branch, taken;
	unsigned int dests[2], sources[4];
	uint64_t writes[2], reads[4];
};

static uint64_t number(const uint8_t *p, unsigned int bytes)
{
	return bytes ? *p | number(p + 1, bytes - 1) << 8 : 0;
}

static struct record record(unsigned int nr)
{
	const uint8_t *p = out.v + 64 * nr;
	struct record rec = { .ip = number(p, 8),
			      .branch = p[8],
			      .taken = p[9],
			      .dests = { p[10], p[11] },
			      .sources = { p[12], p[13], p[14], p[15] } };
	unsigned int i;

	CHECK(64 * (nr + 1) <= out.n);
	for (i = 0; i < 2; i++)
		rec.writes[i] = number(p + 16 + 8 * i, 8);
	for (i = 0; i < 4; i++)
		rec.reads[i] = number(p + 32 + 8 * i, 8);
	return rec;
}

/* What a branch of each type reads and writes; all of them write IP. ANY: no matter. */
enum { NO, YES, ANY };
struct rule {
	const char *type;
	uint8_t reads_sp, reads_ip, reads_flags, reads_other, writes_sp;
};

static const struct rule rules[] = {
	{ "direct jump", NO, ANY, NO, NO, ANY },
	{ "indirect", NO, NO, NO, YES, ANY },
	{ "conditional", NO, YES, YES, ANY, NO },
	{ "conditional", NO, YES, ANY, YES, NO },
	{ "direct call", YES, YES, NO, NO, YES },
	{ "indirect call", YES, YES, NO, YES, YES },
	{ "return", YES, NO, ANY, ANY, YES },
	{ .type = NULL },
};

/* Before branches of other machines than x86 were thought of. */
static const struct rule older_rules[] = {
	{ "direct jump", NO, ANY, NO, NO, ANY },
	{ "indirect", NO, NO, NO, YES, ANY },
	{ "conditional", NO, YES, YES, NO, NO },
	{ "direct call", YES, YES, NO, NO, YES },
	{ "indirect call", YES, YES, NO, YES, YES },
	{ "return", YES, NO, ANY, ANY, YES },
	{ .type = NULL },
};

static bool has(const unsigned int *regs, unsigned int n, unsigned int reg)
{
	while (n--)
		if (regs[n] == reg)
			return true;
	return false;
}

static bool is(uint8_t rule, bool fact)
{
	return rule == ANY || rule == fact;
}

static const char *type_of(const struct record *rec, const struct rule *rule)
{
	bool other = false;
	unsigned int i;

	for (i = 0; i < 4; i++)
		other |= rec->sources[i] && rec->sources[i] != SP &&
			 rec->sources[i] != IP && rec->sources[i] != FLAGS;
	if (!has(rec->dests, 2, IP))
		return "no branch";
	for (; rule->type; rule++)
		if (is(rule->reads_sp, has(rec->sources, 4, SP)) &&
		    is(rule->reads_ip, has(rec->sources, 4, IP)) &&
		    is(rule->reads_flags, has(rec->sources, 4, FLAGS)) &&
		    is(rule->reads_other, other) &&
		    is(rule->writes_sp, has(rec->dests, 2, SP)))
			return rule->type;
	return "other";
}

/* ------------------------------------------------------------------ the trace */

/* A group, which leads to `to` unless that is 0. */
static void b_to(uint64_t to, uint32_t opcode)
{
	if (to)
		b_pc(&in, 31, to);
	if ((opcode & 3) == 3)
		b_inst32(&in, opcode);
	else
		b_inst16(&in, (uint16_t)opcode);
}

static void b_trap(uint64_t id, uint64_t to)
{
	b_event(&in, id, 0, 0);
	b_pc(&in, 101, to);
}

static void b_branches(void)
{
	b_to(0x10008, 0x00b50463); /* 10000 beq a0, a1 */
	b_to(0, 0x00b51463); /* 10008 bne a0, a1, not taken */
	b_to(0x10014, 0x00000463); /* 1000c beqz zero */
	b_to(0, 0x00011463); /* 10014 bnez sp, not taken */
	b_to(0x10100, 0x000000ef); /* 10018 jal ra */
	b_to(0x10200, 0x000780e7); /* 10100 jalr ra, (a5) */
	b_to(0x10104, 0x8082); /* 10200 ret */
	b_to(0x10300, 0x8782); /* 10104 c.jr a5 */
	b_to(0x10400, 0xa001); /* 10300 c.j */
	b_to(0x10500, 0x0000036f); /* 10400 jal t1 */
	b_to(0x10600, 0x00078367); /* 10500 jalr t1, (a5) */
	b_to(0x10700, 0x000280e7); /* 10600 jalr ra, (t0) */
	b_to(0x10000, 0x8102); /* 10700 c.jr sp */
}

static void b_others(void)
{
	unsigned int i;

	b_to(0, 0xff010113); /* addi sp, sp, -16 */
	b_mem(&in, 0x2000, 4, 1, 0);
	b_to(0, 0x0005b503); /* ld a0, (a1) */
	b_to(0, 0x00a5b023); /* sd a0, (a1), whose access is not told */
	b_mem(&in, 0x3000, 4, 1, 0);
	b_mem(&in, 0x3000, 4, 2, 0);
	b_to(0, 0x00b6252f); /* amoadd.w a0, a1, (a2) */
	b_to(0, 0x6ac5f543); /* fmadd.d fa0, fa1, fa2, fa3 */
	b_mem(&in, 0, 4, 1, 0);
	for (i = 0; i < 6; i++)
		b_mem(&in, 0x4000 + 64 * i, 4, 1, 0);
	b_to(0, 0x02056407); /* vle32.v v8, (a0) */
	b_trap(8, 0x80000);
	b_to(0, 0x73); /* ecall */
	b_pc(&in, 101, 0x20000);
	b_to(0, 0x10200073); /* sret */
	b_trap(UINT64_C(1) << 63 | 13, 0x20000);
	b_to(0, 0x00b50463); /* 20000 beq, interrupted */
	b_to(0, 0x00b50463); /* 20000 beq, not taken */
	b_pc(&in, 9, 0x30000);
	b_to(0, 0x13);
}

static void make(void (*body)(void))
{
	b_header(&in, FEATURES_RV64);
	body();
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

static void convert(void (*body)(void), const char *options, unsigned int n)
{
	make(body);
	CHECK_EQ(run("cd %s && ssctr champsim %s -o t.champsim t.stf", test_tmpdir(),
		     options), 0);
	out.n = read_file(in_tmpdir("t.champsim"), out.v, sizeof(out.v));
	CHECK_EQ(out.n, 64 * n);
}

struct want {
	uint64_t ip;
	const char *type;
	unsigned int taken;
	unsigned int dests[2], sources[4];
};

static void check(const struct want *want, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct record rec = record(i);

		CHECK_EQ(rec.ip, want[i].ip);
		CHECK_STR(type_of(&rec, rules), want[i].type);
		CHECK_EQ(rec.branch, strcmp(want[i].type, "no branch") != 0);
		CHECK_EQ(rec.taken, want[i].taken);
		CHECK(!memcmp(rec.dests, want[i].dests, sizeof(rec.dests)));
		CHECK(!memcmp(rec.sources, want[i].sources, sizeof(rec.sources)));
	}
}

TEST(branches_have_the_types_that_ChampSim_finds)
{
	static const struct want want[] = {
		{ 0x10000, "conditional", 1, { IP }, { IP, X + 10, X + 11 } },
		{ 0x10008, "conditional", 0, { IP }, { IP, X + 10, X + 11 } },
		{ 0x1000c, "conditional", 1, { IP }, { IP, FLAGS } },
		{ 0x10014, "conditional", 0, { IP }, { IP, FLAGS } },
		{ 0x10018, "direct call", 1, { IP, SP }, { IP, SP } },
		{ 0x10100, "indirect call", 1, { IP, SP }, { IP, SP, X + 15 } },
		{ 0x10200, "return", 1, { IP, SP }, { SP, X + 1 } },
		{ 0x10104, "indirect", 1, { IP }, { X + 15 } },
		{ 0x10300, "direct jump", 1, { IP }, { IP } },
		{ 0x10400, "direct jump", 1, { IP, X + 6 }, { IP } },
		{ 0x10500, "indirect", 1, { IP, X + 6 }, { X + 15 } },
		{ 0x10600, "indirect", 1, { IP, X + 1 }, { X + 5 } },
		{ 0x10700, "indirect", 1, { IP }, { NOTHING } },
	};

	convert(b_branches, "", 13);
	check(want, 13);
}

TEST(with_flags_older_versions_find_the_same_types)
{
	static const char *const types[] = {
		"conditional", "conditional", "conditional", "conditional",
		"direct call", "indirect call", "return", "indirect", "direct jump",
		"direct jump", "indirect", "indirect", "indirect",
	};
	unsigned int i;

	convert(b_branches, "--flags", 13);
	for (i = 0; i < 13; i++) {
		struct record rec = record(i);

		CHECK_STR(type_of(&rec, older_rules), types[i]);
		CHECK_STR(type_of(&rec, rules), types[i]);
	}
}

TEST(other_instructions_have_their_registers)
{
	static const struct want want[] = {
		{ 0x10000, "no branch", 0, { SP }, { SP } },
		{ 0x10004, "no branch", 0, { X + 10 }, { X + 11 } },
		{ 0x10008, "no branch", 0, { 0 }, { X + 11, X + 10 } },
		{ 0x1000c, "no branch", 0, { X + 10 }, { X + 12, X + 11 } },
		{ 0x10010, "no branch", 0, { F + 10 }, { F + 11, F + 12, F + 13 } },
		{ 0x10014, "no branch", 0, { V + 8 }, { X + 10 } },
		{ 0x10018, "no branch", 0, { 0 }, { 0 } },
		{ 0x80000, "indirect", 1, { IP }, { NOTHING } },
		{ 0x20000, "conditional", 0, { IP }, { IP, X + 10, X + 11 } },
		{ 0x30000, "no branch", 0, { 0 }, { 0 } },
	};

	convert(b_others, "", 10);
	check(want, 10);
}

TEST(accesses_have_their_addresses)
{
	struct record rec;
	unsigned int i;

	convert(b_others, "", 10);
	rec = record(1);
	CHECK_EQ(rec.reads[0], 0x2000);
	CHECK_EQ(rec.reads[1], 0);
	CHECK_EQ(rec.writes[0], 0);
	rec = record(2);
	CHECK_EQ(rec.writes[0], 0);
	rec = record(3);
	CHECK_EQ(rec.reads[0], 0x3000);
	CHECK_EQ(rec.writes[0], 0x3000);
	CHECK_EQ(rec.writes[1], 0);
	rec = record(5);
	for (i = 0; i < 4; i++)
		CHECK_EQ(rec.reads[i], 0x4000 + 64 * i);
}

TEST(it_says_what_is_not_there)
{
	convert(b_others, "", 10);
	CHECK_STR(run_err,
		  "          10 instructions of a trace that does not tell its share of what ran\n"
		  "           1 of 4 loads, stores and atomic instructions have no data address, because the trace does not tell it\n"
		  "           3 accesses left out: beyond four reads and two writes of an instruction, or at address 0\n"
		  "           1 instructions left out, because an event came before they executed\n"
		  "           1 gaps: ChampSim takes the instruction after a gap as the next one\n");
}

#define HEADER "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"

static void convert_csv(const char *text)
{
	write_text("a.csv", text);
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o a.stf && ssctr champsim a.stf -o a.champsim",
		     test_tmpdir()), 0);
}

/* The interrupt comes first; then the ecall is there again, and executes. */
TEST(a_system_call_that_was_interrupted_is_there_once)
{
	convert_csv(HEADER
		    "1,1000,1,0,0,0,0,0\n"
		    "1,1002,73,0,1,8000000000000007,0,1\n"
		    "1,80000000,30200073,3,0,0,0,0\n"
		    "1,1002,73,0,1,8,0,0\n"
		    "1,80000000,30200073,3,0,0,0,0\n"
		    "1,1006,1,0,0,0,0,0\n");
	CHECK(strstr(run_err, "           5 instructions of"));
	CHECK(strstr(run_err, "           1 instructions left out, because an event came before they executed\n"));
}

TEST(a_gap_at_what_is_left_out_is_told)
{
	convert_csv(HEADER
		    "1,80000000,1,3,0,0,0,0\n"
		    "1,90000000,4102,3,1,d,1234,0\n"
		    "1,80001000,1,3,0,0,0,0\n"
		    "1,80001002,1,3,0,0,0,0\n");
	CHECK(strstr(run_err, "           1 gaps: ChampSim takes"));
}

TEST(start_and_limit_select)
{
	convert(b_branches, "--start 4 --limit 3", 3);
	CHECK_EQ(record(0).ip, 0x10018);
	CHECK_EQ(record(2).ip, 0x10200);
	CHECK_EQ(run("cd %s && ssctr champsim --start 13 -o none t.stf", test_tmpdir()), 1);
	CHECK(strstr(run_err, "no instruction to write"));
	CHECK(access(in_tmpdir("none"), F_OK));
	CHECK_EQ(run("cd %s && ssctr champsim -n 0 -o none t.stf", test_tmpdir()), 2);
}

TEST(the_name_selects_the_compression)
{
	convert(b_others, "", 10);
	CHECK_EQ(run("cd %s && ssctr champsim -o t.champsim.xz t.stf && ssctr champsim -o t.champsim.gz t.stf && ssctr champsim -o - t.stf >t.plain",
		     test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && xz -dc t.champsim.xz | cmp - t.champsim && gzip -dc t.champsim.gz | cmp - t.champsim && cmp t.plain t.champsim",
		     test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr champsim -o t.zstf t.stf", test_tmpdir()), 1);
	CHECK(strstr(run_err, ".zstf is a container of STF"));
	CHECK(access(in_tmpdir("t.zstf"), F_OK));
}

/* More than the buffers of the records and of the compression. */
static void b_many(void)
{
	unsigned int i;

	for (i = 0; i < 5000; i++) {
		b_mem(&in, test_random(), 4, 1, 0);
		b_to(0, 0x0005b503);
		if (in.n + 100 > sizeof(in.v))
			break;
	}
}

TEST(long_traces_come_whole)
{
	unsigned int i, n;

	make(b_many);
	CHECK_EQ(run("cd %s && ssctr champsim -o t.champsim.xz t.stf && xz -dc t.champsim.xz >t.champsim && stat -c %%s t.champsim",
		     test_tmpdir()), 0);
	n = (unsigned int)strtoul(run_out, NULL, 10) / 64;
	CHECK(n > 3000);
	CHECK_EQ(run("cd %s && ssctr champsim -o t.plain t.stf && cmp t.plain t.champsim && tail -c 64 t.plain >last",
		     test_tmpdir()), 0);
	out.n = read_file(in_tmpdir("last"), out.v, sizeof(out.v));
	CHECK_EQ(record(0).ip, START_PC + 4 * (n - 1));
	for (i = 0; i < 2; i++)
		CHECK_EQ(run("ssctr champsim -o %s %s", i ? "/dev/full" : "/nowhere/t",
			     in_tmpdir("t.stf")), 1);
	CHECK(strstr(run_err, "/dev/full: No space left"));
}

/* One hart, and then another one with another thread. */
static void b_harts(void)
{
	unsigned int hart;

	for (hart = 0; hart < 2; hart++) {
		b_process(&in, hart, 20, 20 + hart);
		b_to(0, 0x13);
	}
}

/* Thread 21 only tries to execute, so that there is no change to it. */
static void b_turns(void)
{
	static const uint32_t tids[] = { 20, 20, 21, 20, 22, 20 };
	unsigned int i;

	for (i = 0; i < 6; i++) {
		if (i)
			b_pc(&in, 9, 0x10000 + 4 * i);
		b_process(&in, 0, 20, tids[i]);
		if (tids[i] == 21)
			b_trap(UINT64_C(1) << 63 | 13, 0x80000);
		b_to(0, 0x13);
	}
}

TEST(threads_that_take_turns_on_a_hart_are_told)
{
	convert(b_turns, "", 5);
	CHECK(strstr(run_err, "           2 changes to another thread or process: ChampSim takes the instruction after a change as the next one, and all addresses as those of one process; "
			      "take one thread with `ssctr cut --tid N` or one process with `ssctr cut --pid N`, or make a trace of each thread with `ssctr stf --split thread`\n"));
	convert(b_turns, "--limit 2", 2);
	CHECK(!strstr(run_err, "changes"));
}

TEST(several_harts_are_refused)
{
	make(b_harts);
	CHECK_EQ(run("cd %s && ssctr champsim -o o t.stf", test_tmpdir()), 1);
	CHECK_SAYS("ssctr champsim: the instructions are of several harts; take those of one hart with `ssctr cut --hart N`");
	CHECK(access(in_tmpdir("o"), F_OK));
	convert(b_harts, "--limit 1", 1);
}

TEST(bad_command_lines_and_inputs_are_refused)
{
	make(b_branches);
	CHECK_EQ(run("cd %s && ssctr champsim t.stf", test_tmpdir()), 2);
	CHECK(strstr(run_err, "no output is given"));
	CHECK_EQ(run("cd %s && ssctr champsim -o o missing.stf", test_tmpdir()), 1);
	CHECK(strstr(run_err, "missing.stf"));
	b_start(&in);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("cd %s && ssctr champsim -o o t.stf", test_tmpdir()), 1);
	CHECK(strstr(run_err, "END_HEADER"));
	CHECK(access(in_tmpdir("o"), F_OK));
}

TEST(a_trace_that_is_cut_leaves_no_file)
{
	size_t n, all;

	make(b_others);
	all = in.n;
	for (n = all - 1; n > all - 60; n -= 7) {
		write_file(in_tmpdir("t.stf"), in.v, n);
		if (!run("cd %s && rm -f o && ssctr champsim -o o t.stf", test_tmpdir()))
			continue; /* cut between two instructions */
		CHECK(strstr(run_err, "t.stf"));
		CHECK(access(in_tmpdir("o"), F_OK));
	}
}
