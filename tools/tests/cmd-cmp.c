// SPDX-License-Identifier: GPL-2.0-only
/* ssctr cmp, on traces made by hand. What is expected is worked out from their records. */
#include "cmd-run.h"
#include "stf-build.h"
#include "stf/stf.h"

static struct bytes in;

static void b_thread(unsigned int pid)
{
	b_process(&in, 0, pid, pid);
}

#define MODE_CHANGE UINT64_C(0x4000000000000000)

static void b_reg(uint64_t value)
{
	b8(&in, 40);
	b16(&in, 5);
	b8(&in, 0x31);
	b64(&in, value);
}

/* What one trace has in another way than the other one. */
struct variant {
	uint64_t features, content, target, cause, reg;
	unsigned int opcode, pid, mode;
	const char *comment;
	bool end; /* records after the last instruction */
};

static const struct variant first = {
	FEATURES_RV64, 0x55, 0x20000, 2, 9, 0x13, 7, 0, "hi", false
};

/*
 * 0 and 1: other instructions; 2: a load; 3: the opcode; 4: registers; 5: an event;
 * 6: a comment; 7 and 8: the process; 10 and 11: the mode; 12: a jump; 13: its target
 */
static void make(const char *name, const struct variant *v)
{
	b_header(&in, v->features);
	b_thread(7);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x93);
	b_inst32(&in, 0x113);
	b_mem(&in, 0x2000, 8, 1, v->content);
	b_inst32(&in, 0x5b503);
	b_inst32(&in, v->opcode);
	b_reg(v->reg);
	b_inst32(&in, 0x193);
	b_event(&in, v->cause, 1, 0);
	b_inst32(&in, 0x213);
	b_comment(&in, v->comment);
	b_inst32(&in, 0x293);
	b_thread(v->pid);
	b_inst32(&in, 0x313);
	b_inst32(&in, 0x393);
	b_thread(7);
	b_event(&in, MODE_CHANGE, 1, v->mode);
	b_inst32(&in, 0x413);
	b_inst32(&in, 0x493);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x513);
	b_pc(&in, 31, v->target);
	b_inst32(&in, 0x50067);
	if (v->target != first.target)
		b_pc(&in, 9, first.target);
	b_inst32(&in, 0x593);
	if (v->end)
		b_comment(&in, "end");
	write_file(in_tmpdir(name), in.v, in.n);
}

static int cmp(const char *options)
{
	return run("cd %s && ssctr cmp %s", test_tmpdir(), options);
}

TEST(a_trace_is_itself)
{
	make("a.stf", &first);
	CHECK_EQ(cmp("a.stf a.stf"), 0);
	CHECK_PRINTS("14 instructions compared, 0 differences\n");
	CHECK_EQ(cmp("-q a.stf a.stf"), 0);
	CHECK_PRINTS("");
}

TEST(the_first_difference_with_what_is_before)
{
	struct variant v = first;

	make("a.stf", &first);
	v.opcode = 0x33;
	v.reg = 8;
	make("b.stf", &v);
	CHECK_EQ(cmp("a.stf b.stf"), 1);
	CHECK_PRINTS("--- a.stf\n"
		     "+++ b.stf\n"
		     "instruction 3 and instruction 3: opcode\n"
		     "          0             10000  00000093  U  0/7/7  MODE_CHANGE U\n"
		     "          1             10004  00000113  U\n"
		     "          2             10008  0005b503  U  R 2000/8=55\n"
		     "-         3             1000c  00000013  U\n"
		     "+         3             1000c  00000033  U\n"
		     "\n"
		     "14 instructions compared, 2 differences\n"
		     "         1  opcode\n"
		     "         1  registers\n"
		     "1 further difference not shown; --all shows all\n");
	CHECK_EQ(cmp("-q a.stf b.stf"), 1);
	CHECK_PRINTS("");
	CHECK_EQ(cmp("--limit 0 a.stf b.stf"), 1);
	CHECK(!strstr(run_out, "---"));
}

/* The kind is the only one that is found, and can be ignored. */
static void one_kind(const struct variant *v, const char *kind)
{
	char says[100];

	make("a.stf", &first);
	make("b.stf", v);
	CHECK_EQ(cmp("a.stf b.stf"), 1);
	sprintf(says, ", 1 difference\n         1  %s\n", kind);
	CHECK(strstr(run_out, says));
	CHECK_EQ(run("cd %s && ssctr cmp --ignore %s a.stf b.stf", test_tmpdir(), kind), 0);
	CHECK_EQ(run("cd %s && ssctr cmp --ignore walks,bus,microops a.stf b.stf", test_tmpdir()), 1);
}

TEST(each_kind)
{
	struct variant v;

	v = first, v.features |= 8, one_kind(&v, "header");
	v = first, v.opcode = 0x33, one_kind(&v, "opcode");
	v = first, v.target = 0x30000, one_kind(&v, "targets");
	v = first, v.cause = 5, one_kind(&v, "events");
	v = first, v.mode = 1, one_kind(&v, "modes");
	v = first, v.pid = 8, one_kind(&v, "processes");
	v = first, v.content = 0x56, one_kind(&v, "memory");
	v = first, v.reg = 10, one_kind(&v, "registers");
	v = first, v.comment = "ha", one_kind(&v, "comments");
	v = first, v.end = true, one_kind(&v, "comments");
}

/* A MODE_CHANGE is valid from the next instruction on. Two of them are one difference. */
TEST(a_mode_is_one_difference)
{
	struct variant v = first;

	make("a.stf", &first);
	v.mode = 1;
	make("b.stf", &v);
	CHECK_EQ(cmp("--all a.stf b.stf"), 1);
	CHECK(strstr(run_out, "\ninstruction 10 and instruction 10: modes\n"));
	CHECK(strstr(run_out, ", 1 difference\n"));
}

TEST(headers_are_shown)
{
	struct variant v = first;

	make("a.stf", &first);
	v.features |= 8;
	make("b.stf", &v);
	cmp("a.stf b.stf");
	CHECK(strstr(run_out, "the headers: TRACE_INFO_FEATURE\n"
			      "-    TRACE_INFO_FEATURE features=0x80020\n"
			      "+    TRACE_INFO_FEATURE features=0x80028\n"));
}

/* One instruction with 40,000 registers, all but each tenth of which differ by add. */
static void make_many(const char *name, uint64_t add)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	write_file(in_tmpdir("head"), in.v, in.n);
	for (in.n = i = 0; i < 10000; i++)
		b_reg(i % 10 ? i + add : i);
	write_file(in_tmpdir("regs"), in.v, in.n);
	in.n = 0;
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("inst"), in.v, in.n);
	CHECK_EQ(run("cd %s && cat head regs regs regs regs inst >%s", test_tmpdir(), name), 0);
}

/* A fifth of a second of processor time. Each record beside each other one: half a minute. */
TEST(many_records_of_one_instruction)
{
	make_many("a.stf", 0);
	make_many("b.stf", 10000);
	CHECK_EQ(run("cd %s && ulimit -t 8; ssctr cmp a.stf b.stf | grep -c '^[-+]    INST_REG'", test_tmpdir()), 0);
	CHECK_STR(run_out, "72000\n");
}

/* 40: INST_REG, 61: INST_MEM_CONTENT. */
static void make_lacking(const char *name, uint64_t value, unsigned int attributes)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	for (i = 10; i < 12; i++) {
		b8(&in, 40);
		b16(&in, i);
		b8(&in, STF_REG_DEST << 4 | STF_REG_INT);
		b64(&in, i == 11 ? value : 5);
	}
	b_access(&in, 0x5000, 8, attributes, STF_ACCESS_READ);
	b_pc(&in, 61, 7);
	b_inst32(&in, 0x53503);
	write_file(in_tmpdir(name), in.v, in.n);
}

TEST(what_an_instruction_line_lacks_is_shown_below_it)
{
	make_lacking("a.stf", 3, 0);
	make_lacking("b.stf", 4, 2);
	CHECK_EQ(cmp("a.stf b.stf"), 1);
	CHECK(strstr(run_out, ": memory, registers\n"
			      "-         0             10000  00053503  -  R 5000/8=7\n"
			      "-    INST_REG "));
	CHECK(strstr(run_out, "\n+         0             10000  00053503  -  R 5000/8=7\n"
			      "+    INST_REG "));
	CHECK(strstr(run_out, "=0x3\n+  "));
	CHECK(strstr(run_out, "=0x4\n+    INST_MEM_ACCESS "));
	CHECK(strstr(run_out, "attributes=0x2"));
	/* The first register is the same. */
	CHECK(!strstr(run_out, "=0x5\n"));
	CHECK_EQ(cmp("--ignore registers a.stf b.stf"), 1);
	CHECK(!strstr(run_out, "INST_REG"));
}

TEST(a_process_that_only_the_header_tells_is_shown)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		b_header(&in, FEATURES_RV64);
		in.n--;
		b_process(&in, 0, 7 + i, 7);
		b8(&in, 19);
		b_inst32(&in, 0x13);
		write_file(in_tmpdir(i ? "b.stf" : "a.stf"), in.v, in.n);
	}
	CHECK_EQ(cmp("a.stf b.stf"), 1);
	CHECK(strstr(run_out, "\n-    PROCESS_ID_EXT hart=0x0 pid=0x7 tid=0x7\n"
			      "+         0 "));
	CHECK(strstr(run_out, "\n+    PROCESS_ID_EXT hart=0x0 pid=0x8 tid=0x7\n"));
}

TEST(a_header_that_has_more_differs)
{
	b_vector_header(&in);
	write_file(in_tmpdir("v.stf"), in.v, in.n);
	b_header(&in, FEATURES_RV64);
	write_file(in_tmpdir("b.stf"), in.v, in.n);
	CHECK_EQ(cmp("v.stf b.stf"), 1);
	CHECK(strstr(run_out, "the headers: "));
	CHECK_EQ(cmp("b.stf v.stf"), 1);
	CHECK_EQ(cmp("b.stf b.stf"), 0);
}

/* Many: what is compared last has waited the longest. The first one has another half. */
TEST(all_of_a_vector_register_is_compared)
{
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		b_vector_header(&in);
		for (k = 0; k < 50; k++) {
			b8(&in, 40);
			b16(&in, 8);
			b8(&in, STF_REG_DEST << 4 | STF_REG_VEC);
			b64(&in, k);
			b64(&in, k == 0 && i ? 1 : 0);
			b_inst32(&in, 0x13);
		}
		write_file(in_tmpdir(i ? "b.stf" : "a.stf"), in.v, in.n);
	}
	CHECK_EQ(cmp("a.stf a.stf"), 0);
	CHECK_EQ(cmp("--all a.stf b.stf"), 1);
	CHECK(strstr(run_out, "\ninstruction 0 and instruction 0: registers\n"));
	CHECK(strstr(run_out, ", 1 difference\n         1  registers\n"));
}

/* Each record of a group is compared with all that it has. */
TEST(several_records_of_a_kind)
{
	static const char *const texts[] = { "one", "two" };
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		b_header(&in, FEATURES_RV64);
		b_comment(&in, texts[i]);
		b_comment(&in, "both");
		for (k = 0; k < 20; k++)
			b_event(&in, 5, 1, k);
		b_inst32(&in, 0x13);
		write_file(in_tmpdir(i ? "b.stf" : "a.stf"), in.v, in.n);
	}
	CHECK_EQ(cmp("a.stf b.stf"), 1);
	CHECK(strstr(run_out, "instruction 0 and instruction 0: comments\n"));
	CHECK(strstr(run_out, "  # \"one\"  # \"both\"  LOAD_ACCESS_FAULT 0  LOAD_ACCESS_FAULT 1  "));
	CHECK(strstr(run_out, "  # \"two\"  # \"both\"  LOAD_ACCESS_FAULT 0  "));
}

TEST(the_end_is_shown)
{
	struct variant v = first;

	make("a.stf", &first);
	v.end = true;
	make("b.stf", &v);
	cmp("a.stf b.stf");
	CHECK(strstr(run_out, "the end and the end: comments\n"));
	CHECK(strstr(run_out, "-    the trace ends\n+    the trace ends  # \"end\"\n"));
}

/* n instructions with different opcodes, from `begin` on, but the ones at `without`. */
static void make_row(const char *name, unsigned int begin, unsigned int n,
		     unsigned int without, unsigned int nr_without)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	for (i = begin; i < begin + n; i++) {
		if (i - without < nr_without)
			continue;
		b_pc(&in, 9, 0x10000 + 4 * i);
		b_inst32(&in, 0x13 | i << 20);
	}
	write_file(in_tmpdir(name), in.v, in.n);
}

TEST(missing_instructions_are_one_difference)
{
	make_row("a.stf", 0, 100, 0, 0);
	make_row("b.stf", 0, 100, 40, 7);
	CHECK_EQ(cmp("a.stf b.stf"), 1);
	CHECK_PRINTS("--- a.stf\n"
		     "+++ b.stf\n"
		     "instruction 40 and instruction 40: 7 instructions only in a.stf\n"
		     "         37             10094  02500013  -\n"
		     "         38             10098  02600013  -\n"
		     "         39             1009c  02700013  -\n"
		     "-        40             100a0  02800013  -\n"
		     "-        41             100a4  02900013  -\n"
		     "-        42             100a8  02a00013  -\n"
		     "-        43             100ac  02b00013  -\n"
		     "-        44             100b0  02c00013  -\n"
		     "-    2 more\n"
		     "\n"
		     "93 instructions compared, 1 difference\n"
		     "         7  instructions only in a.stf\n");
	CHECK_EQ(cmp("b.stf a.stf"), 1);
	CHECK(strstr(run_out, "instruction 40 and instruction 40: 7 instructions only in a.stf\n"));
	CHECK(strstr(run_out, "+        44 "));
}

TEST(a_trace_that_is_shorter)
{
	make_row("a.stf", 0, 100, 0, 0);
	make_row("b.stf", 0, 90, 0, 0);
	CHECK_EQ(cmp("a.stf b.stf"), 1);
	CHECK(strstr(run_out, "instruction 90 and the end: 10 instructions only in a.stf\n"));
	CHECK(strstr(run_out, "\n90 instructions compared, 1 difference\n"));
	/* With less than 16 instructions, the ends agree. */
	CHECK_EQ(cmp("--start 85 b.stf a.stf"), 1);
	CHECK(strstr(run_out, "\n5 instructions compared, 1 difference\n        10  instructions only in a.stf\n"));
}

TEST(traces_that_do_not_agree_again)
{
	make_row("a.stf", 0, 300, 0, 0);
	make_row("b.stf", 1000, 300, 0, 0);
	CHECK_EQ(cmp("--search 100 a.stf b.stf"), 1);
	CHECK(strstr(run_out, "instruction 0 and instruction 0: the traces part here\n-         0 "));
	CHECK(strstr(run_out, "\n0 instructions compared, 1 difference\nThe rest is not compared, because the traces do not agree again within 100 instructions (--search).\n"));
	CHECK_EQ(cmp("--search 100 --json a.stf b.stf"), 1);
	CHECK(strstr(run_out, "{\"place\":\"lost\","));
	CHECK(strstr(run_out, "\"complete\":false}\n"));
	/* Only the addresses differ. */
	CHECK_EQ(cmp("--ignore pc,opcode a.stf b.stf"), 0);
}

TEST(filters)
{
	struct variant v = first;

	make("a.stf", &first);
	v.opcode = 0x33;
	v.pid = 8;
	make("b.stf", &v);
	CHECK_EQ(cmp("--start 9 a.stf b.stf"), 0);
	CHECK(strstr(run_out, "5 instructions compared"));
	/* Of process 8, the first one has nothing. */
	CHECK_EQ(cmp("--pid 8 a.stf b.stf"), 1);
	CHECK(strstr(run_out, "the end and instruction 7: 2 instructions only in b.stf\n"));
	v.opcode = first.opcode;
	v.pid = first.pid;
	v.mode = 1;
	v.content = 3;
	make("b.stf", &v);
	CHECK_EQ(cmp("--user --ignore memory a.stf b.stf"), 1);
	CHECK(strstr(run_out, "12 instructions compared, 1 difference\n"));
	CHECK(strstr(run_out, "         2  instructions only in a.stf\n"));
}

/* By the index of a .zstf, the start is found without what was told before it. */
TEST(a_start_is_no_difference_of_containers)
{
	unsigned int chunk, start;

	make("a.stf", &first);
	for (chunk = 1; chunk < 4; chunk++) {
		CHECK_EQ(run("cd %s && ssctr cut --chunk %u -o a.zstf a.stf", test_tmpdir(), chunk), 0);
		for (start = 0; start < 14; start++) {
			CHECK_EQ(run("cd %s && ssctr cmp --ignore comments --start %u a.stf a.zstf",
				     test_tmpdir(), start), 0);
			CHECK_EQ(run("cd %s && ssctr cmp --ignore comments --user --start %u a.zstf a.stf",
				     test_tmpdir(), start), 0);
		}
	}
}

TEST(the_size_of_event_ids_is_no_difference)
{
	b_header(&in, FEATURES_RV64);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("64.stf"), in.v, in.n);
	b_header(&in, FEATURES_RV64 & ~STF_FEATURE_EVENT64);
	b8(&in, STF_EVENT);
	b32(&in, UINT32_C(1) << 30); /* MODE_CHANGE in 32 bits */
	b8(&in, 1);
	b64(&in, 0);
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("32.stf"), in.v, in.n);
	CHECK_EQ(cmp("32.stf 64.stf"), 0);
	CHECK_EQ(cmp("64.stf 32.stf"), 0);
}

static void make_ld_sb(const char *name, unsigned char generator, uint64_t address,
		       unsigned int ld_size, unsigned int sb_size)
{
	b_header(&in, FEATURES_RV64);
	in.v[GENERATOR_AT] = generator;
	b_mem(&in, address, ld_size, 1, 0x55);
	b_inst32(&in, 0x5b503);
	b_mem(&in, 0x2008, sb_size, 2, 0x55);
	b_inst32(&in, 0xa58023);
	write_file(in_tmpdir(name), in.v, in.n);
}

/* Dromajo's, of which a few are in bytes, against those of another producer. */
TEST(the_unit_of_sizes_is_no_difference)
{
	make_ld_sb("bits.stf", STF_GEN_DROMAJO, 0x2000, 64, 8);
	make_ld_sb("mixed.stf", STF_GEN_DROMAJO, 0x2000, 8, 8);
	make_ld_sb("bytes.stf", STF_GEN_QEMU, 0x2000, 8, 1);
	CHECK_EQ(cmp("--ignore comments bits.stf bytes.stf"), 0);
	CHECK_EQ(cmp("--ignore comments bytes.stf mixed.stf"), 0);
	make_ld_sb("bytes.stf", STF_GEN_QEMU, 0x2010, 4, 1);
	CHECK_EQ(cmp("--ignore comments bits.stf bytes.stf"), 1);
	CHECK(strstr(run_out,
		     "-         0             10000  0005b503  -  R 2000/8=55\n"
		     "+         0             10000  0005b503  -  R 2010/4=55\n\n"
		     "2 instructions compared, 1 difference\n"));
	/* Of one producer, all is compared as it is. */
	CHECK_EQ(cmp("bits.stf mixed.stf"), 1);
	CHECK(strstr(run_out, "R 2000/64=55\n"));
}

TEST(json)
{
	struct variant v = first;

	make("a.stf", &first);
	v.content = 0x56;
	make("b.stf", &v);
	CHECK_EQ(cmp("--json a.stf b.stf"), 1);
	CHECK_PRINTS("{\"place\":\"instruction\",\"kinds\":[\"memory\"],"
		     "\"a\":{\"index\":2,\"pc\":65544,\"opcode\":374019,\"size\":4,\"next_pc\":65548,\"mode\":\"U\",\"hart\":0,\"pid\":7,\"tid\":7,\"records\":["
		     "{\"record\":\"INST_MEM_ACCESS\",\"address\":8192,\"size\":8,\"attributes\":0,\"access\":1},"
		     "{\"record\":\"INST_MEM_CONTENT\",\"content\":85}]},"
		     "\"b\":{\"index\":2,\"pc\":65544,\"opcode\":374019,\"size\":4,\"next_pc\":65548,\"mode\":\"U\",\"hart\":0,\"pid\":7,\"tid\":7,\"records\":["
		     "{\"record\":\"INST_MEM_ACCESS\",\"address\":8192,\"size\":8,\"attributes\":0,\"access\":1},"
		     "{\"record\":\"INST_MEM_CONTENT\",\"content\":86}]}}\n"
		     "{\"differences\":1,\"shown\":1,\"compared\":14,\"only_a\":0,\"only_b\":0,"
		     "\"kinds\":{\"header\":0,\"pc\":0,\"opcode\":0,\"targets\":0,\"events\":0,\"modes\":0,\"processes\":0,\"memory\":1,\"bus\":0,\"registers\":0,\"walks\":0,\"microops\":0,\"comments\":0},"
		     "\"complete\":true}\n");
	make_row("a.stf", 0, 100, 0, 0);
	make_row("b.stf", 0, 100, 50, 50);
	CHECK_EQ(cmp("-j a.stf b.stf"), 1);
	CHECK(strstr(run_out, "{\"place\":\"between\",\"kinds\":[],\"only_a\":50,\"only_b\":0,\"a\":{\"index\":50,"));
	CHECK(strstr(run_out, ",\"b\":{\"end\":true}}\n{\"differences\":1,"));
}

TEST(a_pipe)
{
	make("a.stf", &first);
	CHECK_EQ(run("cd %s && ssctr cut -o - a.stf | ssctr cmp --ignore comments - a.stf", test_tmpdir()), 0);
	CHECK_EQ(run("ssctr cmp - -"), 2);
	CHECK_SAYS("standard input can be only one of the traces");
}

TEST(trouble_has_status_2)
{
	make("a.stf", &first);
	CHECK_EQ(cmp("a.stf none.stf"), 2);
	CHECK_SAYS("none.stf: No such file");
	CHECK_EQ(cmp("a.stf a.stf >/dev/full"), 2);
	CHECK_SAYS("the output cannot be written: No space left on device");
	write_file(in_tmpdir("b.stf"), in.v, in.n - 1);
	CHECK_EQ(cmp("a.stf b.stf"), 2);
	CHECK_SAYS("the trace ends inside INST_32");
	write_file(in_tmpdir("b.stf"), in.v, 50);
	CHECK_EQ(cmp("a.stf b.stf"), 2);
	CHECK_SAYS("the second trace has no END_HEADER");
	CHECK_EQ(cmp("a.stf"), 2);
	CHECK_SAYS("give two traces");
	CHECK_EQ(cmp("--ignore time a.stf a.stf"), 2);
	CHECK_SAYS("--ignore time: not a list of header, pc,");
	CHECK_EQ(cmp("--start 15 a.stf a.stf"), 2);
	CHECK_SAYS("the first trace ends before instruction 15");
	CHECK_EQ(run("cd %s && ssctr cut -o a.zstf a.stf && ssctr cmp --start 15 a.zstf a.zstf",
		     test_tmpdir()), 2);
	CHECK_SAYS("the first trace ends before instruction 15");
	CHECK_EQ(cmp("--search 50001 a.stf a.stf"), 2);
	CHECK_SAYS("--search 50001: use at most 50000");
}

/* The writer of u.zstf was killed before it wrote the index. */
TEST(a_trace_without_its_end_is_not_the_same)
{
	static struct zstf z;
	struct variant v = first;

	make("a.stf", &first);
	z_start(&z, 100);
	z_chunk(&z, in.v, in.n, 0);
	write_file(in_tmpdir("u.zstf"), z.b.v, z.b.n);
	CHECK_EQ(cmp("a.stf u.zstf"), 2);
	CHECK_STR(run_out, "14 instructions compared, 0 differences\n");
	CHECK_SAYS("u.zstf: the end of the trace is missing");
	CHECK_EQ(cmp("-q u.zstf a.stf"), 2);
	v.opcode = 0x33;
	make("b.stf", &v);
	CHECK_EQ(cmp("b.stf u.zstf"), 1);
}

TEST(nothing_is_not_the_same_as_nothing)
{
	make("a.stf", &first);
	CHECK_EQ(cmp("--pid 77 a.stf a.stf"), 2);
	CHECK_SAYS("no instruction of either trace is selected; `ssctr info a.stf` prints what the trace has");
	CHECK_STR(run_out, "");
	CHECK_EQ(cmp("--start 14 a.stf a.stf"), 2);
	CHECK_EQ(cmp("--start 13 a.stf a.stf"), 0);
	CHECK_EQ(cmp("--quiet --pid 77 a.stf a.stf"), 2);
}

TEST(damaged_traces_have_an_answer)
{
	static struct bytes whole;
	unsigned int i;

	make("a.stf", &first);
	whole = in;
	for (i = test_random() % 9; i < whole.n; i += 9) {
		write_file(in_tmpdir("b.stf"), whole.v, i);
		CHECK(cmp("a.stf b.stf") != 0);
		whole.v[i] ^= 1u << i % 8;
		write_file(in_tmpdir("b.stf"), whole.v, whole.n);
		CHECK(cmp("--all a.stf b.stf") < 3);
		whole.v[i] ^= 1u << i % 8;
	}
}
