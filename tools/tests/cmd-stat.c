// SPDX-License-Identifier: GPL-2.0-only
/* ssctr stat, on a trace made by hand, whose counts are worked out by hand. */
#include <stdlib.h>

#include "cmd-run.h"
#include "stf-build.h"

static struct bytes in;

/*
 * A loop of ld and beqz, which runs three times: the branch is taken twice. Then a call, a
 * store without an access, and a return in another thread.
 */
static void make_trace(void)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 7);
	for (i = 0; i < 3; i++) {
		b_mem(&in, 0x1ffc + 8 * i, 8, 1, 0);
		b_inst16(&in, 0x6398); /* c.ld at 0x10000 */
		if (i < 2)
			b_pc(&in, 31, 0x10000);
		b_inst32(&in, 0x63); /* beqz at 0x10002 */
	}
	b_pc(&in, 31, 0x20000);
	b_inst32(&in, 0xef); /* jal at 0x10006 */
	b_inst32(&in, 0xb50023); /* sb at 0x20000 */
	b_process(&in, 0, 7, 8);
	b_pc(&in, 31, 0x1000a);
	b_inst16(&in, 0x8082); /* ret at 0x20004 */
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

static void stat(const char *options)
{
	make_trace();
	CHECK_EQ(run("ssctr stat %s %s", options, in_tmpdir("t.stf")), 0);
	CHECK_STR(run_err, "");
}

#define FIRST                                                                  \
	"instructions     9, 4 of them of 16 bits\n"                           \
	"coverage         not known\n"                                         \
	"gaps             0 within the trace\n"

TEST(the_mix)
{
	stat("--by mix");
	CHECK_PRINTS(FIRST "\nInstructions by class\n"
		     "               3  33.33 %  load\n"
		     "               1  11.11 %  store\n"
		     "               3  33.33 %  branch\n"
		     "               1  11.11 %  call\n"
		     "               1  11.11 %  return\n"
		     "\nInstructions by mode\n"
		     "               9 100.00 %  not known\n");
}

/* T T N: the counter 1, 2, 3 is wrong at the first T and at N, gshare at both T. */
TEST(branches)
{
	stat("--by branches");
	CHECK_PRINTS(FIRST "\nBranches by kind\n"
		     "           count    taken  kind\n"
		     "               3  66.67 %  branch\n"
		     "               1 100.00 %  direct call\n"
		     "               1 100.00 %  return\n"
		     "\nConditional branches that a predictor gets wrong\n"
		     "               2  66.67 %  2-bit counter, one for each branch\n"
		     "               2  66.67 %  gshare, 4096 2-bit counters, 12 branches of history\n"
		     "\nConditional branches, the least predictable first\n"
		     "              PC        pid             ran    taken        gshare wrong       counter wrong\n"
		     "           10002          7               3  66.67 %          2  66.67 %          2  66.67 %\n");
}

/* Behind T: T and N. The first one has no branch before. */
TEST(correlation)
{
	stat("--by correlation");
	CHECK_PRINTS(FIRST "\nConditional branches by the outcome of the branch before, the least predictable first\n"
		     "              PC        pid behind not taken: taken     behind taken: taken   wrong if unknown     wrong if known\n"
		     "           10002          7             0   0.00 %             2  50.00 %         1  50.00 %         1  50.00 %\n");
	stat("--csv --by correlation");
	CHECK(strstr(run_out, "\ncorrelation,0x10002/7,ran_after_not_taken,0\n"
			      "correlation,0x10002/7,taken_after_not_taken,0\n"
			      "correlation,0x10002/7,ran_after_taken,2\n"
			      "correlation,0x10002/7,taken_after_taken,1\n"
			      "correlation,0x10002/7,wrong_unknown,1\n"
			      "correlation,0x10002/7,wrong_known,1\n"
			      "correlation,all,not_counted,0\n"));
	stat("--json --by correlation");
	CHECK(strstr(run_out, ",\"correlation\":{\"not_counted\":0,\"branches\":[{\"pc\":65538,"
			      "\"pid\":7,\"ran_after_not_taken\":0,\"taken_after_not_taken\":0,"
			      "\"ran_after_taken\":2,\"taken_after_taken\":1,"
			      "\"wrong_unknown\":1,\"wrong_known\":1}]}"));
}

TEST(code_and_memory)
{
	stat("--by code,memory");
	CHECK_PRINTS(FIRST "\nCode that ran\n"
		     "              16 different bytes\n"
		     "               2 lines of 64 bytes\n"
		     "               2 pages of 4 KiB\n"
		     "\nMemory accesses by size\n"
		     "           reads          writes  bytes\n"
		     "               3               0  8\n"
		     "               3               0  all; 24 bytes read, 0 written\n"
		     "               1 of 4 loads, stores and atomics have no access in the trace\n"
		     "\nData that is used\n"
		     "              24 different bytes\n"
		     "               2 lines of 64 bytes\n"
		     "               2 pages of 4 KiB\n");
}

TEST(threads)
{
	stat("--csv --by processes");
	CHECK(strstr(run_out, "\nprocesses,7/7,instructions,8\n"
		     "processes,7/7,user,0\nprocesses,7/7,branches,3\n"
		     "processes,7/7,taken,2\nprocesses,7/7,memory,3\n"
		     "processes,7/7,gaps,0\nprocesses,7/7,entries,1\n"
		     "processes,7/8,instructions,1\n"));
	stat("--by processes --limit 1");
	CHECK(strstr(run_out, "\n  ... and 1 more threads; --limit shows more\n"));
}

TEST(mnemonics)
{
	make_trace();
	if (run("ssctr stat --by mnemonics %s", in_tmpdir("t.stf"))) {
		CHECK_SAYS("--by mnemonics: no LLVM library was found");
		test_skip("no LLVM library here");
	}
	CHECK_PRINTS(FIRST "\nInstructions by mnemonic\n"
		     "               3  33.33 %  beqz\n"
		     "               3  33.33 %  ld\n"
		     "               1  11.11 %  jal\n"
		     "               1  11.11 %  ret\n"
		     "               1  11.11 %  sb\n");
	stat("--by mnemonics --limit 2");
	CHECK_PRINTS(FIRST "\nInstructions by mnemonic\n"
		     "               3  33.33 %  beqz\n"
		     "               3  33.33 %  ld\n"
		     "  ... and 3 more mnemonics; --limit shows more\n");
}

/*
 * Lines of code: the six instructions at 0x10000 share one. The first access at 0x1ffc
 * touches two lines of data, the two others are in the second one.
 */
TEST(reuse)
{
	stat("--by reuse");
	CHECK_PRINTS(FIRST "\nReuse distances of lines of code\n"
		     "               7  77.78 %  0\n"
		     "               2  22.22 %  first uses\n"
		     "\nReuse distances of lines of data\n"
		     "               2  50.00 %  0\n"
		     "               2  50.00 %  first uses\n");
	stat("--csv --by reuse");
	CHECK(strstr(run_out, "\ncode_reuse,0,uses,7\ncode_reuse,all,max_or_more,0\n"
			      "code_reuse,all,first,2\ncode_reuse,all,forgot,0\n"
			      "data_reuse,0,uses,2\n"));
	stat("--json --by reuse");
	CHECK(strstr(run_out, ",\"code_reuse\":{\"first\":2,\"forgot\":false,\"max\":16384,"
			      "\"max_or_more\":0,\"distances\":[{\"least\":0,\"uses\":7}]},"
			      "\"data_reuse\":{\"first\":2,"));
}

/* The page at 0x1000 is read once, and the one after it twice. */
TEST(regions)
{
	stat("--by regions --limit 2");
	CHECK_PRINTS(FIRST "\nRegions, the most used first\n"
		     "         address        pid   pages    instructions         reads        writes  file\n"
		     "           10000          7       1               7             0             0  -\n"
		     "            1000          7       2               0             3             0  -\n"
		     "  ... and 1 more regions; --limit shows more\n");
	stat("--csv --by regions");
	CHECK(strstr(run_out, "\nregions,0x1000/7,pages,2\nregions,0x1000/7,instructions,0\n"
			      "regions,0x1000/7,reads,3\nregions,0x1000/7,writes,0\n"
			      "regions,0x20000/7,pages,1\n"));
	stat("--json --by regions --limit 1");
	CHECK(strstr(run_out, ",\"n_regions\":3,\"further_pages\":0,\"regions\":[{\"address\":65536,"
			      "\"pid\":7,\"pages\":1,\"instructions\":7,\"reads\":0,\"writes\":0,"
			      "\"file\":null}]"));
}

/* The first four: ld, beqz taken (both are wrong), ld, beqz taken. See `branches`. */
TEST(intervals)
{
	make_trace();
	CHECK_EQ(run("ssctr stat --csv --interval 4 %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "start,instructions,user,gaps,conditional,taken,"
			      "wrong_counter,wrong_gshare,not_predicted,"));
	CHECK(strstr(run_out, "\n0,4,0,0,2,2,1,2,0,"));
	CHECK(strstr(run_out, "\n4,4,0,0,1,0,1,0,0,"));
	CHECK(strstr(run_out, "\n8,1,0,0,0,0,0,0,0,"));
	CHECK_EQ(run("ssctr stat --json --interval 4 %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "{\"start\":8,\"instructions\":1,"));
	CHECK(strstr(run_out, ",\"load\":2,"));
	CHECK(strstr(run_out, ",\"load\":1,"));
	CHECK_EQ(run("ssctr stat --interval 9 %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\n            0             9             0 "));
	CHECK(!strstr(run_out, "\n            9 "));
	CHECK_EQ(run("ssctr stat --interval 0 x.stf"), 2);
	CHECK_SAYS("--interval 0: an interval has at least one instruction");
	CHECK_EQ(run("ssctr stat --interval 5 --by mix x.stf"), 2);
	CHECK_SAYS("--interval prints all its columns and rows");
	write_file(in_tmpdir("t.stf"), in.v, in.n - 1);
	CHECK_EQ(run("ssctr stat --csv --interval 5 %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("the trace ends inside INST_16");
	CHECK(strstr(run_out, "\n5,3,"));
}

TEST(what_did_not_execute)
{
	const char *t;

	b_header(&in, FEATURES_RV64);
	b_event(&in, 13, 1, 0x2000);
	b_inst16(&in, 0x6398);
	b_inst16(&in, 0x6398);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	t = in_tmpdir("t.stf");
	CHECK_EQ(run("ssctr stat --by mix %s", t), 0);
	CHECK(!strncmp(run_out, "instructions     1, 1 of them of 16 bits\n"
				"interrupted      1 instructions, which did not execute and are not counted\n"
				"coverage ", 120));
	CHECK(strstr(run_out, "               1 100.00 %  load\n"));
	CHECK_EQ(run("ssctr stat --csv --by mix %s", t), 0);
	CHECK(strstr(run_out, "\ntrace,all,interrupted,1\n"));
	CHECK_EQ(run("ssctr stat --json --by mix %s", t), 0);
	CHECK(strstr(run_out, ",\"interrupted\":1,"));
}

TEST(json)
{
	stat("--json --by branches,code,memory,processes");
	CHECK_PRINTS("{\"read_to_end\":true,\"coverage\":null,\"repeated\":null,\"instructions\":9,\"instructions_16_bit\":4,\"interrupted\":0,\"gaps\":0,"
		     "\"kinds\":[{\"kind\":\"branch\",\"count\":3,\"taken\":2},"
		     "{\"kind\":\"direct call\",\"count\":1,\"taken\":1},"
		     "{\"kind\":\"return\",\"count\":1,\"taken\":1}],"
		     "\"conditional\":{\"ran\":3,\"taken\":2,\"wrong_counter\":2,\"wrong_gshare\":2,"
		     "\"interrupted\":0,\"not_predicted\":0,\"n_branches\":1,"
		     "\"branches\":[{\"pc\":65538,\"pid\":7,\"ran\":3,\"taken\":2,"
		     "\"wrong_counter\":2,\"wrong_gshare\":2}]},"
		     "\"code\":{\"bytes\":16,\"lines\":2,\"pages\":2,"
		     "\"more_bytes\":false,\"more_pages\":false},"
		     "\"memory\":{\"reads\":3,\"read_bytes\":24,\"writes\":0,\"written_bytes\":0,"
		     "\"instructions\":4,\"without_access\":1,"
		     "\"sizes\":[{\"bytes\":8,\"reads\":3,\"writes\":0}],"
		     "\"data\":{\"bytes\":24,\"lines\":2,\"pages\":2,"
		     "\"more_bytes\":false,\"more_pages\":false}},"
		     "\"processes_known\":true,\"n_threads\":2,\"threads\":["
		     "{\"pid\":7,\"tid\":7,\"instructions\":8,\"user\":0,\"branches\":3,"
		     "\"taken\":2,\"memory\":3,\"gaps\":0,\"entries\":1},"
		     "{\"pid\":7,\"tid\":8,\"instructions\":1,\"user\":0,\"branches\":0,"
		     "\"taken\":0,\"memory\":0,\"gaps\":0,\"entries\":1}]}\n");
	stat("--json --by branches --limit 0");
	CHECK(strstr(run_out, "\"n_branches\":1,\"branches\":[]}}\n"));
}

TEST(a_compressed_stream)
{
	static struct zstf z;

	make_trace();
	z_start(&z, 9);
	z_chunk(&z, in.v, in.n, 0);
	z_index(&z);
	write_file(in_tmpdir("t.zstf"), z.b.v, z.b.n);
	CHECK_EQ(run("cat %s | ssctr stat --csv --by code -", in_tmpdir("t.zstf")), 0);
	CHECK(strstr(run_out, "\ncode,footprint,bytes,16\ncode,footprint,lines,2\n"));
}

TEST(a_cut_trace_says_that_it_was_not_read_to_its_end)
{
	make_trace();
	write_file(in_tmpdir("t.stf"), in.v, in.n - 1);
	CHECK_EQ(run("ssctr stat --by mix %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("the trace ends inside INST_16");
	CHECK(strstr(run_out, "The trace has a fault, or its end is missing. The counts end there.\n"
		     "instructions     8, 3 "));
	CHECK_EQ(run("ssctr stat --json %s", in_tmpdir("t.stf")), 1);
	CHECK(strstr(run_out, "{\"read_to_end\":false,\"coverage\":null,\"repeated\":null,\"instructions\":8,"));
}

TEST(what_is_no_trace_of_instructions)
{
	CHECK_EQ(run("ssctr stat /nonexistent"), 1);
	CHECK_SAYS("ssctr stat: /nonexistent: No such file or directory");
	CHECK_EQ(run("ssctr stat /dev/null"), 1);
	CHECK_STR(run_out, "");
	b_header(&in, FEATURES_RV64);
	write_file(in_tmpdir("t.stf"), in.v, in.n - 1);
	CHECK_EQ(run("ssctr stat --by mix %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("no END_HEADER");
	CHECK_STR(run_out, "");
}

TEST(options_with_mistakes)
{
	CHECK_EQ(run("ssctr stat --by mix,hard x.stf"), 2);
	CHECK_SAYS("--by mix,hard: not a list of mix, mnemonics, ");
	CHECK_EQ(run("ssctr stat --json --csv x.stf"), 2);
	CHECK_SAYS("--json and --csv cannot be used together");
	CHECK_EQ(run("ssctr stat --limit few x.stf"), 2);
	CHECK_EQ(run("ssctr stat"), 2);
	CHECK_SAYS("no input is given");
}

TEST(a_full_disk)
{
	make_trace();
	CHECK_EQ(run("ssctr stat --by mix %s >/dev/full", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("No space left on device");
}

TEST(an_access_of_no_bytes_has_a_size_too)
{
	b_header(&in, FEATURES_RV64);
	b_mem(&in, 0x1000, 0, 1, 0);
	b_inst16(&in, 0x6588); /* c.ld a0, 8(a1) */
	write_file(in_tmpdir("none.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr stat --json %s", in_tmpdir("none.stf")), 0);
	CHECK(strstr(run_out, ",\"sizes\":[{\"bytes\":0,\"reads\":1,\"writes\":0}]"));
}
