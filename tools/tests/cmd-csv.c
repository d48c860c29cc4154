// SPDX-License-Identifier: GPL-2.0-only
/* ssctr csv: Spike's instruction CSV to STF and back is what it was. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd-run.h"
#include "stf/stf.h"
#include "test.h"

#define HEADER "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"

static void write_text(const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

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
	iter = stf_inst_iter_new(reader);
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

/* --- generated traces --- */

static uint64_t pick(uint64_t n)
{
	return test_random() % n;
}

static uint32_t beq(int32_t offset)
{
	uint32_t o = offset;

	return 0x63 | (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 |
	       (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7;
}

static uint32_t jal(int32_t offset)
{
	uint32_t o = offset;

	return 0xef | (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 |
	       (o >> 11 & 1) << 20 | (o >> 12 & 0xff) << 12;
}

/* A walk through code, modes and traps, with gaps, as a hart would trace it. */
static void generate(FILE *f, bool rv32, unsigned int nr)
{
	static const uint32_t plain[] = { 0x1,	0x13, 0x2503, 0xa023, 0x4501,
					  0x30001073, 0xc0002573 };
	static const uint8_t modes[] = { 0, 1, 3 };
	const uint64_t mask = rv32 ? UINT32_MAX : UINT64_MAX;
	const uint64_t top = rv32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
	uint64_t pc = test_random() & mask & ~1u;
	unsigned int mode = 0;

	fputs(HEADER, f);
	while (nr--) {
		uint64_t far = test_random() & mask & ~1u, to, cause = 0;
		uint64_t tval = 0;
		int32_t offset = (int32_t)pick(0x1000) - 0x800;
		uint32_t insn = plain[pick(7)];
		unsigned int exc = 0, intr = 0, next = mode;

		offset &= ~1;
		to = pc + ((insn & 3) == 3 ? 4 : 2);
		switch (pick(12)) {
		case 0:
			insn = beq(offset);
			to = pick(2) ? pc + 4 : pc + offset;
			break;
		case 1:
			insn = jal(offset);
			to = pc + offset;
			break;
		case 2:
			insn = pick(2) ? 0x8082 : 0x000780e7;	/* ret, jalr a5 */
			to = far;
			break;
		case 3:
			insn = 0x73;
			exc = 1;
			cause = 8 + mode;
			to = far;
			next = modes[1 + pick(2)];
			break;
		case 4:		/* a fault of any instruction, jumps too */
			insn = pick(3) ? insn : jal(offset);
			exc = 1;
			cause = pick(8);
			tval = pick(2) ? far : insn;
			to = test_random() & mask & ~1u;
			next = modes[pick(3)];
			break;
		case 5:
			exc = intr = 1;
			cause = top | pick(20);
			to = far;
			next = modes[1 + pick(2)];
			break;
		case 6:
			insn = pick(2) ? 0x10200073 : 0x30200073;
			to = far;
			next = modes[pick(3)];
			break;
		case 7:		/* something is missing */
			if (pick(4))
				break;
			to = far;
			next = modes[pick(3)];
			break;
		default:
			break;
		}
		fprintf(f, "1,%" PRIx64 ",%x,%x,%x,%" PRIx64 ",%" PRIx64 ",%x\n",
			pc, insn, mode, exc, cause, tval, intr);
		pc = to & mask;
		mode = next;
	}
}

TEST(generated_traces_come_back_as_they_were)
{
	const char *text = getenv("CSV_TRACES");
	unsigned int i, traces = text ? strtoul(text, NULL, 10) : 60;
	const char *d = test_tmpdir();
	char path[160];

	snprintf(path, sizeof(path), "%s/a.csv", d);
	for (i = 0; i < traces; i++) {
		bool rv32 = i & 1;
		FILE *f = fopen(path, "w");

		CHECK(f);
		generate(f, rv32, 1 + pick(i % 10 ? 300 : 5000));
		CHECK(!fclose(f));
		if (run("ssctr csv %s %s/a.csv -o %s/t.%sstf && ssctr csv %s/t.%sstf -o %s/b.csv && cmp %s/a.csv %s/b.csv",
			rv32 ? "--rv32" : "", d, d, i & 2 ? "z" : "", d,
			i & 2 ? "z" : "", d, d, d))
			test_fail(__FILE__, __LINE__, "trace %u: %s%s", i,
				  run_out, run_err);
	}
}

/* --- what is refused --- */

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
}

TEST(a_cut_trace_leaves_no_csv)
{
	write_text("a.csv", HEADER "1,10,13,0,0,0,0,0\n1,14,13,0,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o t.stf && head -c -2 t.stf >u.stf && ssctr csv u.stf -o b.csv",
		     test_tmpdir()), 1);
	CHECK_EQ(run("ls %s | grep b.csv", test_tmpdir()), 1);
}
