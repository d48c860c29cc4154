// SPDX-License-Identifier: GPL-2.0-only
/* ssctr info, on traces made by hand. */
#include <stdlib.h>

#include "cmd-run.h"
#include "stf-build.h"

static struct bytes in;
static struct zstf z;

#define MODE_CHANGE 0x4000000000000000

static void make_trace(void)
{
	b_header(&in, FEATURES_RV64 | 1ull << 40);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_process(&in, 0, 7, 7);
	b_inst32(&in, 0x13);
	b_pc(&in, 31, 0x500);
	b_inst16(&in, 0xa001);
	b_pc(&in, 9, 0x500); /* no gap */
	b_event(&in, MODE_CHANGE, 1, 1);
	b_event(&in, 8, 0, 0);
	b_pc(&in, 101, 0x700);
	b_inst32(&in, 0x73);
	b_pc(&in, 9, 0x900); /* a gap */
	b_event(&in, 0x800000000000000d, 0, 0);
	b_inst16(&in, 1);
	b_process(&in, 1, 7, 8);
	b_event(&in, 0x800000000000000d, 0, 0);
	b_inst16(&in, 1);
	b_process(&in, 0, 7, 7); /* runs nothing */
	b_process(&in, 0, 9, 9);
	b_inst16(&in, 1);
	b_comment(&in, "end");
}

#define HEADER                                                                 \
	"version          1.6\n"                                               \
	"comment          \"hello\"\n"                                         \
	"isa              RISC-V (1)\n"                                        \
	"encoding         RV64 (2)\n"                                          \
	"generator        SPIKE (6) 2.3.4\n"                                   \
	"                 \"maker\"\n"                                         \
	"features         0x10000080020 RV64 EVENT64 0x10000000000\n"          \
	"first pc         0x10000\n"

#define COUNTS                                                                 \
	"records          29\n"                                                \
	"               1  IDENTIFIER\n"                                       \
	"               1  VERSION\n"                                          \
	"               2  COMMENT\n"                                          \
	"               1  ISA\n"                                              \
	"               1  INST_IEM\n"                                         \
	"               1  TRACE_INFO\n"                                       \
	"               1  TRACE_INFO_FEATURE\n"                               \
	"               4  PROCESS_ID_EXT\n"                                   \
	"               3  FORCE_PC\n"                                         \
	"               1  END_HEADER\n"                                       \
	"               1  INST_PC_TARGET\n"                                   \
	"               5  EVENT\n"                                            \
	"               1  EVENT_PC_TARGET\n"                                  \
	"               2  INST_32\n"                                          \
	"               4  INST_16\n"                                          \
	"coverage         not known\n"                                         \
	"instructions     6, 4 of them of 16 bits\n"                           \
	"interrupted      2 of them, which did not execute\n"                  \
	"               4  integer   66.7 %%\n"                                 \
	"               1  jump      16.7 %%\n"                                 \
	"               1  system    16.7 %%\n"                                 \
	"taken branches   1\n"                                                 \
	"gaps             1 within the trace\n"                               \
	"code pages       2 of 4 KiB\n"                                        \
	"processes        2\n"                                                 \
	"threads          3\n"                                                 \
	"events\n"                                                             \
	"               1  MODE_CHANGE U\n"                                    \
	"               1  MODE_CHANGE S\n"                                    \
	"               1  USER_ECALL\n"                                       \
	"               2  INT_COUNTER_OVERFLOW\n"

TEST(a_plain_trace)
{
	char want[4096];

	make_trace();
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	snprintf(want, sizeof(want),
		 HEADER
		 "container        none\n"
		 "size             %zu bytes\n"
		 "per instruction  %.2f bytes, %.2f uncompressed\n"
		 COUNTS, in.n, (double)in.n / 6, (double)in.n / 6);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(want);
	CHECK_EQ(run("ssctr info -i %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(want);
	CHECK_EQ(run("ssctr info - <%s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(want);
	CHECK_EQ(run("cat %s | ssctr info -", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(want);
}

TEST(a_container)
{
	char want[4096];

	make_trace();
	z_start(&z, 10);
	z_chunk(&z, in.v, in.n, 0);
	z_index(&z);
	write_file(in_tmpdir("t.zstf"), z.b.v, z.b.n);
	snprintf(want, sizeof(want),
		 HEADER
		 "container        .zstf: 1 chunk of up to 10 instructions\n"
		 "size             %zu bytes, %zu uncompressed (%.1f times)\n"
		 "per instruction  %.2f bytes, %.2f uncompressed\n"
		 COUNTS, z.b.n, in.n, (double)in.n / (double)z.b.n,
		 (double)z.b.n / 6, (double)in.n / 6);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.zstf")), 0);
	CHECK_PRINTS(want);
}

TEST(a_trace_without_instructions)
{
	b_header(&in, FEATURES_RV64);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\ninstructions     0, 0 of them of 16 bits\n"
		     "taken branches   0\ngaps             0 within the trace\n"));
	CHECK(!strstr(run_out, "per instruction"));
	CHECK(!strstr(run_out, "threads"));
	CHECK(!strstr(run_out, "events"));
}

static void make_transactions(void)
{
	b_transaction_header(&in);
	b_transaction(&in);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

TEST(transactions)
{
	make_transactions();
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\nprotocol         TileLink (1)\n"
		     "clock 9          \"cpu\"\n"));
	CHECK(strstr(run_out, "\n               1  TRANSACTION\n"));
	CHECK(strstr(run_out, "\nper transaction  "));
	CHECK(!strstr(run_out, "instruction"));
}

TEST(rarer_header_records)
{
	b_header(&in, FEATURES_RV32);
	in.n--;
	b_process(&in, 1, 22, 333);
	b8(&in, 10);
	b32(&in, 256);
	b8(&in, 13);
	b32(&in, 8);
	btext(&in, "rv32imac");
	b8(&in, 19);
	b_inst16(&in, 1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\nencoding         RV32 (1)\n"));
	CHECK(strstr(run_out, "\nprocess          hart 1, pid 22, tid 333\n"
		     "vlen             256 bits\n"
		     "isa string       \"rv32imac\"\n"));
	CHECK(strstr(run_out, "\nprocesses        1\nthreads          1\n"));
}

TEST(memory_accesses_and_their_pages)
{
	b_header(&in, FEATURES_RV64);
	b_mem(&in, 0x1000, 8, 1, 0);
	b_inst16(&in, 0x6588);
	b_mem(&in, 0x1ffc, 4, 1, 0); /* the last bytes of the page */
	b_mem(&in, 0x7fff, 2, 2, 0); /* on two pages */
	b_mem(&in, 0x1000, 0, 2, 0);
	b_inst16(&in, 0x6588);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\n               2  load     100.0 %\n"));
	CHECK(strstr(run_out, "\nmemory reads     2, 12 bytes\n"
		     "memory writes    2, 2 bytes\n"
		     "data pages       3 of 4 KiB\n"
		     "code pages       1 of 4 KiB\n"));
	CHECK_EQ(run("ssctr info --json %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, ",\"memory\":{\"reads\":2,\"read_bytes\":12,"
		     "\"writes\":2,\"written_bytes\":2,\"page_bytes\":4096,"
		     "\"data_pages\":3,\"code_pages\":1},"));
}

TEST(many_pages_are_counted_once)
{
	unsigned int n;

	b_header(&in, FEATURES_RV64);
	for (n = 0; n < 4000; n++)
		b_mem(&in, (uint64_t)(n % 1500) << 20, 1, 1, 0);
	b_inst16(&in, 0x6588);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\ndata pages       1500 of 4 KiB\n"));
}

/* The writer was killed while it replaced the index. Whoever reads the trace says so. */
TEST(a_container_without_its_end_is_told_by_all)
{
	static const char *const commands[] = {
		"stat --by mix", "dump", "check", "csv --mode U -o x.csv", "model",
		"phases --interval 2 --windows 2 --phases 1", "champsim -o x.champsim",
		"cut -o x.stf", "join -o x.stf", "cmp -q t.zstf",
	};
	unsigned int i;

	make_trace();
	z_start(&z, 10);
	z_chunk(&z, in.v, in.n, 0);
	write_file(in_tmpdir("t.zstf"), z.b.v, z.b.n);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		run("cd %s && ssctr %s t.zstf", test_tmpdir(), commands[i]);
		if (!strstr(run_err, ": t.zstf: the end of the trace is missing, because its writer was killed; "))
			test_fail(__FILE__, __LINE__, "%s: %s", commands[i], run_err);
	}
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.zstf")), 0);
	CHECK_SAYS("the end of the trace is missing, because its writer was killed; what it has written is used");
	CHECK(strstr(run_out, "\nThe trace has a fault, or its end is missing. The counts end there.\n"));
	CHECK_EQ(run("ssctr info --json %s", in_tmpdir("t.zstf")), 0);
	CHECK(strstr(run_out, ",\"recovered\":true,\"read_to_end\":false,"));
	CHECK_EQ(run("ssctr stat --by mix --json %s", in_tmpdir("t.zstf")), 0);
	CHECK(strstr(run_out, "{\"read_to_end\":false,"));
}

TEST(json_has_it_all_in_one_object)
{
	make_trace();
	z_start(&z, 10);
	z_chunk(&z, in.v, in.n, 0);
	z_index(&z);
	write_file(in_tmpdir("t.zstf"), z.b.v, z.b.n);
	CHECK_EQ(run("ssctr info --json %s", in_tmpdir("t.zstf")), 0);
	CHECK(!*run_err);
	CHECK(run_out == strstr(run_out, "{\"header\":["
		     "{\"record\":\"IDENTIFIER\"},"
		     "{\"record\":\"VERSION\",\"major\":1,\"minor\":6},"
		     "{\"record\":\"COMMENT\",\"text\":\"hello\"},"));
	CHECK(strstr(run_out, ",{\"record\":\"END_HEADER\"}],"
		     "\"container\":\"zstf\",\"file_bytes\":"));
	CHECK(strstr(run_out, ",\"chunks\":1,\"chunk_markers\":10,"
		     "\"recovered\":false,\"read_to_end\":true,\"records\":29,"
		     "\"records_by_kind\":{\"IDENTIFIER\":1,"));
	CHECK(strstr(run_out, ",\"INST_16\":4},\"coverage\":null,\"repeated\":null,\"instructions\":6,"
		     "\"instructions_16_bit\":4,\"interrupted\":2,\"mix\":{\"integer\":4,"));
	CHECK(strstr(run_out, ",\"taken\":1,\"gaps\":1,"));
	CHECK(strstr(run_out, "},\"processes\":2,\"threads\":3,\"events\":["
		     "{\"id\":\"4611686018427387904\",\"name\":\"MODE_CHANGE\","
		     "\"mode\":\"U\",\"count\":1},"));
	CHECK(strstr(run_out, "\"name\":\"INT_COUNTER_OVERFLOW\",\"count\":2}],"
		     "\"other_events\":0}\n"));
	CHECK(strchr(run_out, '\n') == run_out + strlen(run_out) - 1);
}

TEST(json_of_transactions)
{
	make_transactions();
	CHECK_EQ(run("ssctr info --json %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "],\"container\":\"plain\",\"file_bytes\":"));
	CHECK(strstr(run_out, ",\"TRANSACTION\":1}}\n"));
}

TEST(a_compressed_stream_has_a_ratio)
{
	char want[200];

	make_trace();
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("cd %s && gzip -k t.stf && ssctr info t.stf.gz",
		     test_tmpdir()), 0);
	snprintf(want, sizeof(want), " bytes, %zu uncompressed (1.", in.n);
	CHECK(strstr(run_out, "\ncontainer        gzip\nsize             "));
	CHECK(strstr(run_out, want));
}

TEST(many_threads_are_counted_once)
{
	unsigned int n;

	b_header(&in, FEATURES_RV64);
	for (n = 0; n < 5000; n++) {
		b_process(&in, n % 3, n % 50, n % 200);
		b_inst16(&in, 1);
	}
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\nprocesses        50\nthreads          200\n"));
}

TEST(many_kinds_of_events)
{
	unsigned int n;

	b_header(&in, FEATURES_RV64);
	for (n = 0; n < 300; n++) {
		b_event(&in, 0x1000 + n, 0, 0);
		b_inst16(&in, 1);
	}
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\n               1  FAULT_0x10ff\n"));
	CHECK(strstr(run_out, "\n              44  of other kinds\n"));
}

TEST(event_ids_of_64_bits_that_no_feature_tells)
{
	b_header(&in, 0x20); /* RV64 alone */
	b_event(&in, 8, 0, 0);
	b_inst16(&in, 1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 1);
	CHECK_EQ(run("ssctr info --event-bits 64 %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\n               1  USER_ECALL\n"));
	CHECK_EQ(run("ssctr info --event-bits 0 %s", in_tmpdir("t.stf")), 2);
}

TEST(a_cut_trace_is_an_error_with_what_was_read)
{
	make_trace();
	write_file(in_tmpdir("t.stf"), in.v, in.n - 1);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("the trace ends inside COMMENT");
	CHECK(strstr(run_out, "\ninstructions     6, "));
}

TEST(a_header_without_its_end)
{
	b_header(&in, FEATURES_RV64);
	write_file(in_tmpdir("t.stf"), in.v, in.n - 1);
	CHECK_EQ(run("ssctr info %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("no END_HEADER");
	/* Nothing that looks whole. */
	CHECK_EQ(run("ssctr info --json %s", in_tmpdir("t.stf")), 1);
	CHECK_STR(run_out, "");
}

TEST(files_that_are_no_trace)
{
	CHECK_EQ(run("ssctr info /nonexistent"), 1);
	CHECK_SAYS("ssctr info: /nonexistent: No such file or directory");
	CHECK(!strstr(run_err, "reads"));
	CHECK_EQ(run("ssctr info /bin/sh"), 1);
	CHECK_SAYS("not an STF trace: it does not start with the bytes 01 'STF'; `ssctr info` reads STF traces and counts files\n");
	CHECK_EQ(run("cd %s && : >empty && ssctr info empty", test_tmpdir()), 1);
	CHECK_SAYS("empty: the trace is empty; `ssctr info` reads STF traces and counts files\n");
}
