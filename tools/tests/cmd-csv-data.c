// SPDX-License-Identifier: GPL-2.0-only
/* ssctr csv --data: whose access it is, what STF has of it, and what is refused. */
#include "cmd-run.h"
#include "stf/stf.h"
#include "test.h"

#define HEADER "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
#define DATA_HEADER "DRETIRE,DTYPE,DADDR,DSIZE,DATA\n"

/* The exit status of making t.stf of both. */
static int convert(const char *text, const char *data)
{
	write_text("a.csv", text);
	write_text("a.data", data);
	return run("cd %s && ssctr csv a.csv --data a.data -o t.stf",
		   test_tmpdir());
}

static const char code[] = HEADER
	"1,1000,52583,3,0,0,0,0\n"	/* lw a1, 0(a0) */
	"1,1004,e42e,3,0,0,0,0\n"	/* c.sdsp a1, 8(sp) */
	"1,1006,c535af,3,0,0,0,0\n"	/* amoadd.d a1, a2, (a0) */
	"1,100a,30051073,3,0,0,0,0\n"	/* csrw mstatus, a0 */
	"1,100e,c0002573,3,0,0,0,0\n"	/* rdcycle a0 */
	"1,1012,52583,3,1,d,44,0\n"	/* lw, which faults: no access */
	"1,2000,1,3,0,0,0,0\n";

static const char data[] = DATA_HEADER
	"1,0,80001000,2,fe\n"
	"1,1,ffffffff80002008,3,1122334455667788\n"
	"1,9,80003000,4,50000000000000003\n"
	"1,4,300,4,1800000000000000a\n"
	"1,5,c00,4,abcdef\n";

TEST(accesses_are_records_of_their_instructions)
{
	static const struct {
		uint64_t pc, address, value;
		uint8_t desc, kind; /* access or operand */
		uint16_t size;
	} want[] = {
		{ 0x1000, 0x80001000, 0xfe, STF_INST_MEM_ACCESS,
		  STF_ACCESS_READ, 4 },
		{ 0x1004, 0xffffffff80002008, 0x1122334455667788,
		  STF_INST_MEM_ACCESS, STF_ACCESS_WRITE, 8 },
		{ 0x1006, 0x80003000, 3, STF_INST_MEM_ACCESS, STF_ACCESS_READ,
		  8 },
		{ 0x1006, 0x80003000, 5, STF_INST_MEM_ACCESS, STF_ACCESS_WRITE,
		  8 },
		{ 0x100a, 0x300, 0x800000000000000a, STF_INST_REG,
		  STF_REG_SOURCE, 0 },
		{ 0x100a, 0x300, 1, STF_INST_REG, STF_REG_DEST, 0 },
		{ 0x100e, 0xc00, 0xabcdef, STF_INST_REG, STF_REG_SOURCE, 0 },
	};
	struct stf_inst_iter *iter;
	struct stf_reader *reader;
	struct stf_record rec;
	struct stf_inst inst;
	char path[160];
	size_t i = 0;

	CHECK_EQ(convert(code, data), 0);
	snprintf(path, sizeof(path), "%s/t.stf", test_tmpdir());
	reader = stf_reader_open(path, NULL, NULL);
	CHECK(reader);
	iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	while (stf_inst_iter_next(iter, &inst) == 1)
		while (stf_inst_iter_record(iter, &rec) == 1) {
			if (rec.desc != STF_INST_MEM_ACCESS &&
			    rec.desc != STF_INST_REG)
				continue;
			CHECK(i < sizeof(want) / sizeof(*want));
			CHECK_EQ(inst.pc, want[i].pc);
			CHECK_EQ(rec.desc, want[i].desc);
			if (rec.desc == STF_INST_REG) {
				CHECK_EQ(rec.reg.type, STF_REG_CSR);
				CHECK_EQ(rec.reg.number, want[i].address);
				CHECK_EQ(rec.reg.operand, want[i].kind);
				CHECK_EQ(rec.reg.value, want[i].value);
			} else {
				CHECK_EQ(rec.mem_access.address,
					 want[i].address);
				CHECK_EQ(rec.mem_access.access, want[i].kind);
				CHECK_EQ(rec.mem_access.size, want[i].size);
				CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
				CHECK_EQ(rec.desc, STF_INST_MEM_CONTENT);
				CHECK_EQ(rec.content, want[i].value);
			}
			i++;
		}
	CHECK_EQ(i, sizeof(want) / sizeof(*want));
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
	CHECK_EQ(run("ssctr check %s", path), 0);
}

TEST(accesses_of_zcb_and_of_hypervisors_have_rows)
{
	static const char some[] = HEADER
		"1,1000,814c,3,0,0,0,0\n"	/* c.lbu a1, 1(a0) */
		"1,1002,8d2c,3,0,0,0,0\n"	/* c.sh a1, 2(a0) */
		"1,1004,6c0545f3,1,0,0,0,0\n"	/* hlv.d a1, (a0) */
		"1,1008,62b54073,1,0,0,0,0\n"	/* hsv.b a1, (a0) */
		"1,100c,22000073,1,0,0,0,0\n";	/* hfence.vvma */

	CHECK_EQ(convert(some, DATA_HEADER "1,0,80001001,0,fe\n"
				"1,1,80001002,1,1234\n"
				"1,0,80002000,3,1122334455667788\n"
				"1,1,80002008,0,7\n"), 0);
	CHECK_EQ(run("ssctr check %s/t.stf", test_tmpdir()), 0);
	/* A block's size is the hart's. */
	CHECK(convert(HEADER "1,1000,45200f,3,0,0,0,0\n", DATA_HEADER));
	CHECK_SAYS("45200f");
}

TEST(a_store_that_fails_is_no_access)
{
	CHECK_EQ(convert(HEADER "1,10,18c525af,0,0,0,0,0\n"	/* sc.w */
			 "1,14,18c525af,0,0,0,0,0\n"
			 "1,18,52583,0,0,0,0,0\n",
			 DATA_HEADER "1,15,1000,2,7\n1,0,1000,2,8\n"), 0);
	CHECK_SAYS("1 rows of store-conditionals that failed left out");
	CHECK_EQ(run("cd %s && ssctr csv t.stf -d b.data -o b.csv && cat b.data",
		     test_tmpdir()), 0);
	CHECK_PRINTS(DATA_HEADER "1,0,1000,2,8\n");
}

TEST(a_written_value_that_nothing_writes_is_left_out_and_said)
{
	static const char reads[] = HEADER "1,10,c0002573,3,0,0,0,0\n"; /* rdcycle a0 */

	CHECK_EQ(convert(reads, DATA_HEADER "1,5,c00,4,50000000000000003\n"), 0);
	CHECK_SAYS("1 written values of CSRs that are only read left out");
	CHECK_EQ(convert(reads, DATA_HEADER "1,5,c00,4,3\n"), 0);
	CHECK_STR(run_err, "");
}

TEST(bad_accesses_are_named_by_their_line)
{
	static const struct {
		const char *rows, *line, *says;
	} cases[] = {
		/* out of order */
		{ "1,1,1000,2,fe\n", ":2: ", "DTYPE is of another kind" },
		{ "1,0,1000,3,fe\n", ":2: ", "DSIZE is of another size" },
		{ "1,0,1000,2,fe\n1,0,1000,2,fe\n", ":3: ",
		  "the next access is of 30051073 at 1004" },
		{ "1,0,1000,2,fe\n1,4,301,4,0\n", ":3: ", "another CSR" },
		/* without its instruction, and the other way round */
		{ "1,0,1000,2,fe\n1,4,300,4,0\n1,0,1000,2,fe\n", ":4: ",
		  "no instruction is left" },
		{ "1,0,1000,2,fe\n", ":2: ", "ends too early" },
		/* of a bad form */
		{ "2,0,1000,2,fe\n", ":2: ", "DRETIRE" },
		{ "1,2,1000,2,fe\n", ":2: ", "DTYPE" },
		{ "1,7,1000,2,fe\n", ":2: ", "DTYPE" },
		{ "1,a,1000,2,fe\n", ":2: ", "DTYPE" },
		{ "1,16,1000,2,fe\n", ":2: ", "DTYPE" },
		{ "1,0,x,2,fe\n", ":2: ", "DADDR" },
		{ "1,0,1000,4,fe\n", ":2: ", "DSIZE is not 0 to 3" },
		{ "1,4,300,0,fe\n", ":2: ", "DSIZE is not 1 to 4" },
		{ "1,0,1000,2,100000000\n", ":2: ", "more bytes" },
		{ "1,0,1000,3,10000000000000000\n", ":2: ", "more bytes" },
		{ "1,8,1000,3,10000000000000000\n", ":2: ", "more bytes" },
		{ "1,0,1000,2,\n", ":2: ", "DATA" },
		{ "1,0,1000,2,fe,0\n", ":2: ", "columns" },
		{ "1,0,1000,2\n", ":2: ", "DSIZE" },
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s%s", DATA_HEADER,
			 cases[i].rows);
		CHECK_EQ(convert(HEADER "1,1000,52583,3,0,0,0,0\n"
				 "1,1004,30051073,3,0,0,0,0\n", text), 1);
		CHECK_SAYS(cases[i].line);
		CHECK_SAYS(cases[i].says);
		/* Nothing is left, whole or half. */
		CHECK_EQ(run("ls %s | grep stf", test_tmpdir()), 1);
	}
}

TEST(vectors_have_no_form)
{
	/* vle32.v v0, (a0) */
	CHECK_EQ(convert(HEADER "1,1000,2056007,3,0,0,0,0\n",
			 DATA_HEADER "1,0,1000,2,fe\n"), 1);
	CHECK_SAYS("no form");
}

TEST(other_files_are_no_data_traces)
{
	CHECK_EQ(convert(code, code), 1);
	CHECK_SAYS("not a data trace");
	CHECK_EQ(run("cd %s && ssctr csv a.csv -d none -o t.stf",
		     test_tmpdir()), 1);
	CHECK_SAYS("none: No such file");
	CHECK_EQ(run("ls %s | grep stf", test_tmpdir()), 1);
}

TEST(a_trace_without_accesses_gives_no_data_trace)
{
	write_text("a.csv", code);
	CHECK_EQ(run("cd %s && ssctr csv a.csv -o t.stf && ssctr csv t.stf -d b.data -o b.csv",
		     test_tmpdir()), 1);
	CHECK_SAYS("the trace does not have the access of 52583 at 1000");
	/* Neither file is left. */
	CHECK_EQ(run("ls %s | grep b[.]", test_tmpdir()), 1);
	CHECK_EQ(convert(code, data), 0);
	CHECK_EQ(run("cd %s && ssctr csv t.stf -d /dev/full -o b.csv",
		     test_tmpdir()), 1);
	CHECK_SAYS("No space left");
	CHECK_EQ(run("ls %s | grep b[.]", test_tmpdir()), 1);
}
