// SPDX-License-Identifier: GPL-2.0-only
/* ssctr dump, on traces made by hand. */
#include <stdlib.h>

#include "cmd-run.h"
#include "elf-build.h"
#include "stf-trace.h"

static struct bytes in;
static struct zstf z;

enum { ECALL = 0x73 };

#define MODE_CHANGE 0x4000000000000000

/* A bit of everything that a line may show. */
static void make_trace(void)
{
	b_header(&in, FEATURES_RV64);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	b_inst16(&in, 0x1);
	b_pc(&in, 31, 0x12345678);
	b_inst16(&in, 0xa001);
	b_mem(&in, 0x3fff0008, 8, 1, 0x99);
	b_inst16(&in, 0x6398);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_event(&in, 8, 1, 0x40);
	b_pc(&in, 101, 0xffffffff80000000);
	b_inst32(&in, ECALL);
	b8(&in, 8);
	b32(&in, 1);
	b32(&in, 22);
	b32(&in, 333);
	b_pc(&in, 9, 0x500);
	b8(&in, 62);
	b64(&in, 0x81000000);
	b16(&in, 512);
	b8(&in, 3);
	b8(&in, 7);
	b32(&in, 0);
	b8(&in, 2);
	b_pc(&in, 63, 0x77);
	b_event(&in, 0x800000000000000d, 0, 0);
	b_inst16(&in, 0x1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

static const char lines[] =
	"         0             10000  00000013  U  MODE_CHANGE U\n"
	"         1             10004      0001  U\n"
	"         2             10006      a001  U  -> 12345678\n"
	"         3          12345678      6398  U  R 3fff0008/8=99\n"
	"         4          1234567a  00000073  U  MODE_CHANGE S  USER_ECALL 40"
	"  => ffffffff80000000\n"
	"         5               500      0001  S  gap  1/22/333"
	"  DMA7 W 81000000/512=77  INT_COUNTER_OVERFLOW\n";

TEST(instructions_one_a_line)
{
	make_trace();
	CHECK_EQ(run("ssctr dump %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(lines);
	CHECK_EQ(run("ssctr dump -i %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(lines);
	CHECK_EQ(run("ssctr dump --input=%s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(lines);
}

TEST(from_a_pipe)
{
	make_trace();
	CHECK_EQ(run("cat %s | ssctr dump -", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(lines);
}

TEST(from_a_container)
{
	make_trace();
	z_start(&z, 10);
	z_chunk(&z, in.v, in.n, 0);
	z_index(&z);
	write_file(in_tmpdir("t.zstf"), z.b.v, z.b.n);
	CHECK_EQ(run("ssctr dump %s", in_tmpdir("t.zstf")), 0);
	CHECK_PRINTS(lines);
	CHECK_EQ(run("ssctr dump - <%s", in_tmpdir("t.zstf")), 0);
	CHECK_PRINTS(lines);
}

TEST(some_of_the_instructions)
{
	make_trace();
	CHECK_EQ(run("ssctr dump %s -s 1 -n 1", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("         1             10004      0001  U\n");
	CHECK_EQ(run("ssctr dump %s --start 0x4 --limit 1",
		     in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "         4 ") == run_out);
	CHECK_EQ(run("ssctr dump %s -n 0", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("");
	CHECK_EQ(run("ssctr dump %s -s 5 -n 18446744073709551615",
		     in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "         5 ") == run_out);
}

/* Find in t.stf; the instructions with these numbers are printed. */
static void find(const char *options, const char *numbers)
{
	CHECK_EQ(run("ssctr dump --find %s %s | awk '{ printf $1 }'", options,
		     in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(numbers);
}

TEST(instructions_at_a_place)
{
	make_trace();
	find("0x10006", "2");
	find("opcode:0x1", "15");
	find("opcode:0x1 --limit 1", "1");
	find("opcode:0x1 --start 2", "5");
	find("event:USER_ECALL", "4");
	find("event:MODE_CHANGE", "04");
	CHECK_EQ(run("ssctr dump --json --find opcode:0x1 %s", in_tmpdir("t.stf")), 0);
	CHECK(!strncmp(run_out, "{\"index\":1,", 11));
	CHECK_EQ(run("ssctr dump --find opcode:0x2 %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("--find: the trace has no such instruction\n");
	CHECK_EQ(run("ssctr dump --find 0x10006 --start 3 %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("--find: the trace has no such instruction from --start on\n");
	CHECK_EQ(run("ssctr dump --find main %s", in_tmpdir("t.stf")), 2);
	CHECK_SAYS("--find main: to find a symbol, name its ELF file with --symbols");
	CHECK_EQ(run("ssctr dump --records --find 0x1 %s", in_tmpdir("t.stf")), 2);
	CHECK_SAYS("--find prints instructions and cannot be used with --records");
}

static void check_beyond(const char *options, const char *file)
{
	CHECK_EQ(run("ssctr dump %s %s", options, in_tmpdir(file)), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("--start ");
	CHECK_SAYS("the trace ends before");
}

TEST(a_start_beyond_the_end_is_an_error)
{
	make_trace();
	check_beyond("-s 6", "t.stf");
	check_beyond("-s 7 -n 0", "t.stf");
	check_beyond("--json -s 400", "t.stf");
	check_beyond("-r -s 27", "t.stf");
	check_beyond("-r -s 28 -n 0", "t.stf");
	CHECK_EQ(run("ssctr dump -r -s 26 %s", in_tmpdir("t.stf")), 0);
	CHECK_EQ(run("ssctr dump -s 5 -n 0 %s", in_tmpdir("t.stf")), 0);
	write_samples("t.zstf", 2);
	check_beyond("-s 400", "t.zstf");
	/* A trace without any has no start that is too late. */
	b_header(&in, FEATURES_RV64);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr dump -s 0 %s", in_tmpdir("t.stf")), 0);
}

TEST(records_with_their_fields)
{
	make_trace();
	CHECK_EQ(run("ssctr dump -r %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(
"         0  IDENTIFIER\n"
"         1  VERSION major=0x1 minor=0x6\n"
"         2  COMMENT text=\"hello\"\n"
"         3  ISA isa=0x1\n"
"         4  INST_IEM iem=0x2\n"
"         5  TRACE_INFO generator=0x6 major=0x2 minor=0x3 patch=0x4 text=\"maker\" (SPIKE)\n"
"         6  TRACE_INFO_FEATURE features=0x80020\n"
"         7  FORCE_PC pc=0x10000\n"
"         8  END_HEADER\n"
"         9  EVENT id=0x4000000000000000 field=0x0 (MODE_CHANGE)\n"
"        10  INST_32 opcode=0x13\n"
"        11  INST_16 opcode=0x1\n"
"        12  INST_PC_TARGET pc=0x12345678\n"
"        13  INST_16 opcode=0xa001\n"
"        14  INST_MEM_ACCESS address=0x3fff0008 size=0x8 attributes=0x0 access=0x1\n"
"        15  INST_MEM_CONTENT content=0x99\n"
"        16  INST_16 opcode=0x6398\n"
"        17  EVENT id=0x4000000000000000 field=0x1 (MODE_CHANGE)\n"
"        18  EVENT id=0x8 field=0x40 (USER_ECALL)\n"
"        19  EVENT_PC_TARGET pc=0xffffffff80000000\n"
"        20  INST_32 opcode=0x73\n"
"        21  PROCESS_ID_EXT hart=0x1 pid=0x16 tid=0x14d\n"
"        22  FORCE_PC pc=0x500\n"
"        23  BUS_MASTER_ACCESS address=0x81000000 size=0x200 initiator=0x3 index=0x7 attributes=0x0 access=0x2 (DMA)\n"
"        24  BUS_MASTER_CONTENT content=0x77\n"
"        25  EVENT id=0x800000000000000d (INT_COUNTER_OVERFLOW)\n"
"        26  INST_16 opcode=0x1\n");
}

TEST(some_of_the_records)
{
	make_trace();
	CHECK_EQ(run("ssctr dump --records -s 10 -n 2 %s",
		     in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("        10  INST_32 opcode=0x13\n"
		     "        11  INST_16 opcode=0x1\n");
}

TEST(records_with_many_fields)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	in.n--;
	b8(&in, 10);
	b32(&in, 128);
	b8(&in, 19);
	b8(&in, 40);
	b16(&in, 10);
	b8(&in, 0x21);
	b64(&in, 5);
	b8(&in, 40);
	b16(&in, 1);
	b8(&in, 0x33);
	b64(&in, 0xaa);
	b64(&in, 0xbb);
	b8(&in, 50);
	b64(&in, 0x1000);
	b64(&in, 1);
	b32(&in, 4096);
	b8(&in, 2);
	for (i = 0; i < 4; i++)
		b64(&in, 0x10 + i);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr dump -r -s 10 %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(
"        10  INST_REG number=0xa type=0x1 operand=0x2 value=0x5\n"
"        11  INST_REG number=0x1 type=0x3 operand=0x3 value=0xaa value=0xbb\n"
"        12  PAGE_TABLE_WALK va=0x1000 first_index=0x1 page_size=0x1000 n_ptes=0x2 pte_address=0x10 pte=0x11 pte_address=0x12 pte=0x13\n");
}

TEST(records_of_transactions)
{
	b_transaction_header(&in);
	b8(&in, 250);
	b64(&in, 1);
	b64(&in, 2);
	b8(&in, 9);
	b16(&in, 1);
	b8(&in, 1);
	b16(&in, 0x1234);
	b8(&in, 1);
	b8(&in, 4);
	b8(&in, 5);
	b8(&in, 6);
	b64(&in, 0x77);
	b16(&in, 2);
	b16(&in, 0x4241);
	b64(&in, 0x88);
	b16(&in, 3);
	b8(&in, 7);
	b_transaction(&in);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr dump -r -s 8 %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS(
"         8  PROTOCOL_ID protocol=0x1\n"
"         9  CLOCK_ID id=0x9 text=\"cpu\"\n"
"        10  END_HEADER\n"
"        11  TRANSACTION id=0x1 cycle_delta=0x2 clock=0x9 n_meta=0x1 meta=0x1234 channel=0x1 code=0x4 param=0x5 size=0x6 source=0x77 data=\"AB\" address=0x88 mask=\"\\x07\"\n"
"        12  TRANSACTION id=0x2 cycle_delta=0x2 clock=0x9 n_meta=0x0 channel=0x5 sink=0x99\n");
	CHECK_EQ(run("ssctr dump %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("a trace of transactions has no instructions");
}

TEST(text_that_does_not_print)
{
	b_header(&in, FEATURES_RV64);
	b8(&in, 3);
	b32(&in, 6);
	btext(&in, "a\n\x1b\"\\\xff");
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr dump -r -s 9 %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("         9  COMMENT text=\"a\\x0a\\x1b\\\"\\\\\\xff\"\n");
}

TEST(long_records_are_whole)
{
	static const char start[] = "         9  COMMENT text=\"";
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	b8(&in, 3);
	b32(&in, 20000);
	for (i = 0; i < 20000; i++)
		b8(&in, 'a' + i % 26);
	b_inst16(&in, 1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr dump -r -s 9 -n 1 %s", in_tmpdir("t.stf")), 0);
	CHECK_EQ(strlen(run_out), strlen(start) + 20000 + 2);
	CHECK(!strncmp(run_out, start, strlen(start)));
	for (i = 0; i < 20000; i++)
		CHECK_EQ(run_out[strlen(start) + i], 'a' + i % 26);
	CHECK_STR(run_out + strlen(start) + 20000, "\"\n");
}

TEST(assembly_by_llvm)
{
	make_trace();
	if (run("ssctr dump --disasm %s", in_tmpdir("t.stf"))) {
		CHECK_SAYS("ssctr dump: --disasm: no LLVM library was found");
		test_skip("no LLVM library here");
	}
	CHECK(strstr(run_out, "  00000073  U  ecall  "));
	CHECK(strstr(run_out, " 10004      0001  U  nop\n"));
	CHECK(strstr(run_out, " 12345678      6398  U  ld a4, 0(a5) "));
	CHECK_STR(run_err, "");
}

TEST(assembly_is_for_instructions)
{
	make_trace();
	CHECK_EQ(run("ssctr dump -r --disasm %s", in_tmpdir("t.stf")), 2);
	CHECK_SAYS("cannot be used with --records");
}

TEST(initiators_as_the_specification_has_them)
{
	make_trace();
	CHECK_EQ(run("ssctr dump -s 5 --spec-initiators %s",
		     in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "  PCIE7 W "));
}

TEST(event_ids_of_64_bits_that_no_feature_tells)
{
	b_header(&in, 0x20); /* RV64 alone */
	b_event(&in, 8, 0, 0);
	b_inst32(&in, ECALL);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr dump --event-bits 64 %s", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("         0             10000  00000073  -  USER_ECALL\n");
	CHECK_EQ(run("ssctr dump --event-bits 48 %s", in_tmpdir("t.stf")), 2);
	CHECK(strstr(run_err, ": use 32 or 64"));
}

TEST(what_comes_before_a_fault_is_printed)
{
	make_trace();
	write_file(in_tmpdir("t.stf"), in.v, in.n - 1);
	CHECK_EQ(run("ssctr dump %s", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("the trace ends inside INST_16");
	CHECK(strstr(run_out, "         4 "));
	CHECK(!strstr(run_out, "         5 "));
	CHECK(!strncmp(run_err, "ssctr dump: ", 12));
}

TEST(files_that_are_no_trace)
{
	CHECK_EQ(run("ssctr dump /nonexistent"), 1);
	CHECK_SAYS("ssctr dump: /nonexistent: No such file or directory");
	CHECK_EQ(run("ssctr dump /dev/null"), 1);
	CHECK_SAYS("/dev/null: the trace is empty");
	CHECK_EQ(run("ssctr dump /bin/sh"), 1);
	CHECK_SAYS("/bin/sh: not an STF trace");
}

/* The end of the header says where the ISA and the mappings were all told. */
TEST(a_header_without_an_end)
{
	b_header(&in, FEATURES_RV64);
	in.n--;
	b_inst32(&in, 0x13);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr dump %s", in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "         0             10000  00000013  -  "));
	CHECK_EQ(run("cd %s && ssctr dump --disasm t.stf", test_tmpdir()), 1);
	CHECK_SAYS("ssctr dump: t.stf: the trace has no END_HEADER");
	CHECK_STR(run_out, "");
}

TEST(a_reader_that_goes_away_is_no_error)
{
	unsigned int n;

	b_header(&in, FEATURES_RV64);
	for (n = 0; n < 20000; n++)
		b_inst16(&in, 1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
	CHECK_EQ(run("ssctr dump %s | head -1", in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("         0             10000      0001  -\n");
	/* Also where SIGPIPE was ignored by the caller. */
	CHECK_EQ(run("(trap '' PIPE; ssctr dump %s) | head -1",
		     in_tmpdir("t.stf")), 0);
	CHECK_STR(run_err, "");
}

TEST(a_full_disk_is_reported)
{
	make_trace();
	CHECK_EQ(run("ssctr dump %s >/dev/full", in_tmpdir("t.stf")), 1);
	CHECK_SAYS("cannot write the output: No space left on device");
}

TEST(json_lines_are_objects_with_the_records_inside)
{
	write_samples("t.zstf", 2);
	CHECK_EQ(run("ssctr dump --json --start 1 --limit 1 %s",
		     in_tmpdir("t.zstf")), 0);
	CHECK_PRINTS("{\"index\":1,\"pc\":12288,\"opcode\":1,\"size\":2,\"next_pc\":12290,\"mode\":\"S\",\"hart\":0,\"pid\":1,\"tid\":0}\n");
	CHECK_EQ(run("ssctr dump --json --records --start 15 --limit 1 %s",
		     in_tmpdir("t.zstf")), 0);
	CHECK(strstr(run_out, "{\"nr\":15,\"record\":\""));
}

TEST(json_numbers_that_readers_would_round_are_strings)
{
	make_trace();
	CHECK_EQ(run("ssctr dump --json --start 4 --limit 1 %s",
		     in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, "\"pc\":305419898,"));
	CHECK(strstr(run_out, ",\"next_pc\":\"18446744071562067968\","));
	CHECK(strstr(run_out, "{\"record\":\"EVENT\",\"id\":8,\"field\":64}"));
	CHECK(strstr(run_out, "{\"record\":\"EVENT_PC_TARGET\",\"pc\":\"18446744071562067968\"}"));
	CHECK(strstr(run_out, "\"id\":\"4611686018427387904\","));
}

TEST(a_start_far_in_a_container_is_found_by_its_index)
{
	write_samples("t.zstf", 2);
	CHECK_EQ(run("ssctr dump --start 4 --limit 1 %s", in_tmpdir("t.zstf")), 0);
	CHECK(strstr(run_out, "         4  "));
}

TEST(symbols_of_what_is_no_elf_are_refused)
{
	write_samples("t.stf", 0);
	CHECK_EQ(run("ssctr dump --symbols /dev/null %s", in_tmpdir("t.stf")), 1);
	CHECK(strstr(run_err, "--symbols"));
}

/* A file with main, 8 bytes, then 2 bytes of nobody, then helper. */
static void make_elf(void)
{
	static const uint8_t code[0x20];
	static struct elfb elf;
	const uint64_t start = ELFB_ADDR + ELFB_CODE;

	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		"main", start, 8, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
	};
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		"helper", start + 10, 6, ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
	};
	CHECK(elfb_write(&elf, in_tmpdir("x.elf")));
}

/* Instructions in main, between the functions, in helper, and elsewhere. */
static void make_trace_of_elf(uint64_t moved)
{
	const uint64_t start = ELFB_ADDR + ELFB_CODE + moved;

	b_header(&in, FEATURES_RV64);
	b_pc(&in, 9, start);
	b_inst32(&in, 0x13);
	b_inst32(&in, 0x13);
	b_inst16(&in, 1);
	b_inst16(&in, 1);
	b_pc(&in, 9, start + 0x100000);
	b_inst16(&in, 1);
	write_file(in_tmpdir("t.stf"), in.v, in.n);
}

TEST(symbols_of_an_elf)
{
	char elf[300];

	make_elf();
	make_trace_of_elf(0);
	strcpy(elf, in_tmpdir("x.elf"));
	CHECK_EQ(run("ssctr dump --symbols %s %s", elf, in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("         0            401000  00000013  -  main\n"
		     "         1            401004  00000013  -  main+0x4\n"
		     "         2            401008      0001  -  -\n"
		     "         3            40100a      0001  -  helper\n"
		     "         4            501000      0001  -  -  gap\n");
	CHECK_EQ(run("ssctr dump --json --symbols %s --start 1 --limit 2 %s",
		     elf, in_tmpdir("t.stf")), 0);
	CHECK(strstr(run_out, ",\"symbol\":\"main\",\"symbol_offset\":4}\n"));
	CHECK(strstr(run_out, "{\"index\":2,"));
	CHECK(!strstr(strstr(run_out, "{\"index\":2,"), "symbol"));
	CHECK_EQ(run("ssctr dump --find helper --symbols %s %s", elf, in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("         3            40100a      0001  -  helper\n");
}

TEST(symbols_of_an_elf_beside_us)
{
	make_elf();
	make_trace_of_elf(0);
	CHECK_EQ(run("cd %s && ssctr dump --symbols x.elf --limit 1 t.stf",
		     test_tmpdir()), 0);
	CHECK_PRINTS("         0            401000  00000013  -  main\n");
	CHECK_EQ(run("cd %s && ssctr dump --symbols none t.stf",
		     test_tmpdir()), 1);
	CHECK_SAYS("--symbols: none: No such file or directory");
}

TEST(symbols_of_an_elf_that_was_moved)
{
	char elf[300];

	make_elf();
	make_trace_of_elf(0x500000000);
	strcpy(elf, in_tmpdir("x.elf"));
	CHECK_EQ(run("ssctr dump --symbols %s@0x500000000 --start 3 --limit 1 %s",
		     elf, in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("         3         50040100a      0001  -  helper\n");
	CHECK_EQ(run("ssctr dump --symbols %s --start 3 --limit 1 %s", elf,
		     in_tmpdir("t.stf")), 0);
	CHECK_PRINTS("         3         50040100a      0001  -  -\n");
	CHECK_EQ(run("ssctr dump --symbols %s@0xzz %s", elf,
		     in_tmpdir("t.stf")), 1);
	CHECK_SAYS("'0xzz' is not an address");
}
