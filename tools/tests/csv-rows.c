// SPDX-License-Identifier: GPL-2.0-only
/* The rows of Spike's CSVs, read and written. */
#include "csv-build.h"

static struct error error;

static struct csv_reader *open_text(enum csv_kind kind, const char *text)
{
	struct csv_reader *reader;

	begin();
	write_text("a.csv", text);
	reader = csv_open("a.csv", kind, &error);
	if (!reader)
		test_fail(__FILE__, __LINE__, "%s", error.text);
	return reader;
}

TEST(rows_of_instructions)
{
	struct csv_insn row = { 0 };
	struct csv_reader *r = open_text(
		CSV_INSNS,
		"Valid,Address,Insn,Privilege,Exception,Ecause,Tval,Interrupt\r\n"
		"1,ffffffff80000000,297,3,0,2,7,0\r\n"
		"\n"
		"0,1,1,1,1,1,1,1\n" /* not valid */
		"1,2ABc,8082,0,1,8000000000000007,5,1");

	CHECK_EQ(csv_next_insn(r, &row), 1);
	CHECK_EQ(row.address, 0xffffffff80000000);
	CHECK_EQ(row.insn, 0x297);
	CHECK_EQ(row.privilege, 3);
	CHECK(!row.exception && !row.interrupt);
	/* Left standing by the producer. */
	CHECK_EQ(row.ecause, 0);
	CHECK_EQ(row.tval, 0);
	CHECK_EQ(csv_next_insn(r, &row), 1);
	CHECK_EQ(row.address, 0x2abc);
	CHECK_EQ(row.insn, 0x8082);
	CHECK_EQ(row.privilege, 0);
	CHECK(row.exception && row.interrupt);
	CHECK_EQ(row.ecause, 0x8000000000000007);
	CHECK_EQ(row.tval, 5);
	CHECK_EQ(csv_next_insn(r, &row), 0);
	CHECK_EQ(csv_next_insn(r, &row), 0);
	csv_close(r);
}

TEST(rows_of_data)
{
	static const struct csv_data want[] = {
		{ 0x1000, 0xfe, 0, CSV_LOAD, 4 },
		{ 0x2008, 0, 0x1122334455667788, CSV_STORE, 8 },
		{ 0x3000, 3, 5, CSV_AMO_ADD, 8 },
		{ 0x4000, 0x80000001, 2, CSV_AMO_MAX, 4 },
		{ 0xc00, 0xabcdef, 0, CSV_CSR_SET, 8 },
		{ 0x5000, 0, 7, CSV_SC_FAILED, 1 },
	};
	struct csv_data row = { 0 };
	unsigned int i;
	struct csv_reader *r =
		open_text(CSV_DATA, DATA "1,0,1000,2,fe\n"
					 "0,0,1000,2,fe\n" /* did not retire */
					 "1,1,2008,3,1122334455667788\n"
					 "1,9,3000,4,50000000000000003\n"
					 "1,13,4000,3,280000001\n"
					 "1,5,c00,4,abcdef\n"
					 "1,15,5000,0,7\n");

	for (i = 0; i < sizeof(want) / sizeof(*want); i++) {
		CHECK_EQ(csv_next_data(r, &row), 1);
		CHECK_EQ(row.address, want[i].address);
		CHECK_EQ(row.read, want[i].read);
		CHECK_EQ(row.written, want[i].written);
		CHECK_EQ(row.type, want[i].type);
		CHECK_EQ(row.size, want[i].size);
	}
	CHECK_EQ(csv_next_data(r, &row), 0);
	csv_close(r);
}

TEST(what_is_wrong_is_named_by_its_line)
{
	static const struct {
		enum csv_kind kind;
		const char *line, *says;
	} cases[] = {
		{ CSV_INSNS, "1,10,1,0,0,0,0",
		  "column TVAL is not a hexadecimal number, or there are not 8 columns" },
		{ CSV_INSNS, "1,x,1,0,0,0,0,0",
		  "column ADDRESS is not a hexadecimal number, or there are not 8 columns" },
		{ CSV_INSNS, "1,1`,1,0,0,0,0,0",
		  "column ADDRESS is not a hexadecimal number, or there are not 8 columns" },
		{ CSV_INSNS, "1,1g,1,0,0,0,0,0",
		  "column ADDRESS is not a hexadecimal number, or there are not 8 columns" },
		{ CSV_INSNS, "1,12345678901234567,1,0,0,0,0,0",
		  "column ADDRESS is not a hexadecimal number, or there are not 8 columns" },
		{ CSV_INSNS, "1,10,10001,0,0,0,0,0",
		  "INSN has more bits than an instruction of its length" },
		{ CSV_INSNS, "1,10,1,4,0,0,0,0", "PRIVILEGE is not 0, 1, 2 or 3" },
		{ CSV_INSNS, "1,10,1,0,2,0,0,0",
		  "VALID, EXCEPTION or INTERRUPT is not 0 or 1" },
		{ CSV_INSNS, "1,10,1,0,0,0,0,1", "INTERRUPT without EXCEPTION" },
		{ CSV_DATA, "2,0,10,2,1", "DRETIRE is not 0 or 1" },
		{ CSV_DATA, "1,7,10,2,1", "DTYPE is not a decimal type of access" },
		{ CSV_DATA, "1,2,10,2,1", "DTYPE is not a decimal type of access" },
		{ CSV_DATA, "1,a,10,2,1", "DTYPE is not a decimal type of access" },
		{ CSV_DATA, "1,0,,2,1", "DADDR is not a hexadecimal number" },
		{ CSV_DATA, "1,0,10,4,1",
		  "DSIZE is not 0 to 3, the logarithm of the bytes of a value" },
		{ CSV_DATA, "1,9,10,0,1",
		  "DSIZE is not 1 to 4, the logarithm of the bytes of two values" },
		{ CSV_DATA, "1,0,10,2", "DSIZE is not 0 to 3, the logarithm of the bytes of a value" },
		{ CSV_DATA, "1,0,10,2,1,1",
		  "DATA is not a hexadecimal number, or there are not 5 columns" },
		{ CSV_DATA, "1,0,10,0,100", "DATA has more bytes than DSIZE says" },
		{ CSV_DATA, "1,9,10,3,10000000000000000",
		  "DATA has more bytes than DSIZE says" },
	};
	static const char *const starts[] = { INSNS "1,e,1,0,0,0,0,0\n",
					      DATA "1,0,10,2,1\n" };
	char text[512], says[512];
	struct csv_insn insn;
	struct csv_data data;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool insns = cases[i].kind == CSV_INSNS;
		struct csv_reader *r;
		int first, second;

		snprintf(text, sizeof(text), "%s%s\n", starts[cases[i].kind],
			 cases[i].line);
		r = open_text(cases[i].kind, text);
		first = insns ? csv_next_insn(r, &insn) : csv_next_data(r, &data);
		second = insns ? csv_next_insn(r, &insn) : csv_next_data(r, &data);
		CHECK_EQ(first, 1);
		CHECK_EQ(second, ERROR_INPUT);
		snprintf(says, sizeof(says), "a.csv:3: %s", cases[i].says);
		CHECK_STR(error.text, says);
		csv_close(r);
	}
}

TEST(callers_find_faults_of_rows_too)
{
	struct csv_reader *r = open_text(CSV_INSNS, INSNS "1,e,1,0,0,0,0,0\n");
	struct csv_insn insn;

	CHECK_EQ(csv_next_insn(r, &insn), 1);
	CHECK_EQ(csv_fail(r, "no such %s", "place"), ERROR_INPUT);
	CHECK_STR(error.text, "a.csv:2: no such place");
	csv_close(r);
}

TEST(files_that_are_none)
{
	begin();
	CHECK(!csv_open("none", CSV_INSNS, &error));
	CHECK_STR(error.text, "none: No such file or directory");
	CHECK(!csv_open(".", CSV_INSNS, &error));
	CHECK_STR(error.text, ".:0: Is a directory");
	write_text("a.csv", "");
	CHECK(!csv_open("a.csv", CSV_DATA, &error));
	CHECK_STR(error.text,
		  "a.csv:0: not a data trace of Spike, which starts with \"DRETIRE,DTYPE,DADDR,DSIZE,DATA\"");
	write_text("a.csv", DATA);
	CHECK(!csv_open("a.csv", CSV_INSNS, &error));
	CHECK(strstr(error.text, "a.csv:1: not an instruction trace of Spike,"));
}

TEST(a_nul_ends_no_line)
{
	struct csv_insn insn;
	struct csv_reader *r;
	FILE *f;

	begin();
	f = fopen("a.csv", "w");
	CHECK(f && fwrite(INSNS "1,e\0,1", sizeof(INSNS) + 5, 1, f) &&
	      !fclose(f));
	r = csv_open("a.csv", CSV_INSNS, &error);
	CHECK(r);
	CHECK_EQ(csv_next_insn(r, &insn), ERROR_INPUT);
	CHECK_STR(error.text, "a.csv:2: a NUL in a line");
	csv_close(r);
}

/* --- writing --- */

TEST(rows_are_written_as_spike_does)
{
	static const struct csv_insn insns[] = {
		{ .address = UINT64_MAX, .insn = 0xffffffff, .privilege = 3,
		  .exception = true, .interrupt = true,
		  .ecause = 1ull << 63 | 7, .tval = 0x10 },
		{ .insn = 1 },
	};
	static const struct csv_data data[] = {
		{ 0x1000, 0xfe, 0, CSV_LOAD, 4 },
		{ 0x2008, 0, 0x10, CSV_STORE, 8 },
		{ 0x3000, 3, 5, CSV_AMO_ADD, 8 },
		{ 0x3000, 3, 0, CSV_AMO_ADD, 8 }, /* as if only read */
		{ 0x4000, 1, 2, CSV_AMO_MAX, 1 },
	};
	struct csv_writer *w;
	unsigned int i;

	begin();
	w = csv_create("a.csv", CSV_INSNS, &error);
	CHECK(w);
	for (i = 0; i < 2; i++)
		csv_write_insn(w, &insns[i]);
	CHECK_STR(content("a.csv"), ""); /* not yet */
	CHECK_EQ(csv_finish(w, 0), 0);
	CHECK_STR(content("a.csv"),
		  INSNS "1,ffffffffffffffff,ffffffff,3,1,8000000000000007,10,1\n"
			"1,0,1,0,0,0,0,0\n");
	w = csv_create("a.data", CSV_DATA, &error);
	CHECK(w);
	for (i = 0; i < sizeof(data) / sizeof(*data); i++)
		csv_write_data(w, &data[i]);
	CHECK_EQ(csv_finish(w, 0), 0);
	CHECK_STR(content("a.data"), DATA "1,0,1000,2,fe\n"
					  "1,1,2008,3,10\n"
					  "1,9,3000,4,50000000000000003\n"
					  "1,9,3000,4,3\n"
					  "1,13,4000,1,201\n");
}

TEST(a_file_is_whole_or_not_there)
{
	struct csv_writer *w;
	unsigned int i;

	begin();
	error.text[0] = 0;
	w = csv_create("a.csv", CSV_INSNS, &error);
	CHECK(w);
	CHECK_EQ(csv_finish(w, ERROR_INPUT), ERROR_INPUT);
	CHECK_STR(error.text, "");
	CHECK(access("a.csv", F_OK));
	CHECK_EQ(csv_finish(NULL, ERROR_NOTHING), ERROR_NOTHING);
	CHECK_EQ(csv_finish(NULL, 0), 0);

	CHECK(!csv_create("none/a.csv", CSV_INSNS, &error));
	CHECK_STR(error.text, "none/a.csv: No such file or directory");

	w = csv_create("/dev/full", CSV_INSNS, &error);
	CHECK(w);
	for (i = 0; i < 10000; i++)
		csv_write_insn(w, &(struct csv_insn){ .address = i });
	CHECK_EQ(csv_finish(w, 0), ERROR_OUTPUT);
	CHECK_STR(error.text, "/dev/full: No space left on device");
	/* What went wrong before is told already. */
	error_set(&error, ERROR_INPUT, "before");
	w = csv_create("/dev/full", CSV_DATA, &error);
	CHECK(w);
	CHECK_EQ(csv_finish(w, ERROR_INPUT), ERROR_INPUT);
	CHECK_STR(error.text, "before");
}
