// SPDX-License-Identifier: GPL-2.0-only
/* What instructions have of a data trace, and the instructions of any trace. */
#include "csv-build.h"
#include "csv/convert.h"

static struct error error;
static struct notes notes;

/* --- by the opcode --- */

TEST(what_an_opcode_has_of_a_data_trace)
{
	enum { NO = INSN_DATA_NO_ROW, ROW = INSN_DATA_ROW,
	       FAILED = INSN_DATA_ROW_IF_FAILED, FORM = INSN_DATA_NO_FORM };
	static const struct {
		uint32_t opcode;
		uint8_t bytes, rows, type, size;
		bool reads, writes, rv32;
	} cases[] = {
		{ 0x13, 4, NO, 0, 0, 0, 0, 0 }, /* nop */
		{ 0x1, 2, NO, 0, 0, 0, 0, 0 }, /* c.nop */
		{ 0x52583, 4, ROW, CSV_LOAD, 4, 1, 0, 0 }, /* lw */
		{ 0xb50023, 4, ROW, CSV_STORE, 1, 0, 1, 0 }, /* sb */
		{ 0xe42e, 2, ROW, CSV_STORE, 8, 0, 1, 0 }, /* c.sdsp */
		{ 0xe42e, 2, ROW, CSV_STORE, 4, 0, 1, 1 }, /* c.fswsp */
		{ 0x8c525af, 4, ROW, CSV_AMO_SWAP, 4, 1, 1, 0 },
		{ 0xc535af, 4, ROW, CSV_AMO_ADD, 8, 1, 1, 0 },
		{ 0x60c525af, 4, ROW, CSV_AMO_AND, 4, 1, 1, 0 },
		{ 0x40c525af, 4, ROW, CSV_AMO_OR, 4, 1, 1, 0 },
		{ 0x20c525af, 4, ROW, CSV_AMO_XOR, 4, 1, 1, 0 },
		{ 0xa0c525af, 4, ROW, CSV_AMO_MAX, 4, 1, 1, 0 },
		{ 0xe0c525af, 4, ROW, CSV_AMO_MAX, 4, 1, 1, 0 }, /* amomaxu */
		{ 0x80c525af, 4, ROW, CSV_AMO_MIN, 4, 1, 1, 0 },
		{ 0xc0c525af, 4, ROW, CSV_AMO_MIN, 4, 1, 1, 0 }, /* amominu */
		{ 0x28c535af, 4, FORM, 0, 0, 0, 0, 0 }, /* amocas.d */
		{ 0x100525af, 4, NO, 0, 0, 0, 0, 0 }, /* lr.w */
		{ 0x18c525af, 4, FAILED, 0, 0, 0, 0, 0 }, /* sc.w */
		{ 0x2050007, 4, FORM, 0, 0, 0, 0, 0 }, /* vle8.v */
		{ 0x45200f, 4, FORM, 0, 0, 0, 0, 0 }, /* cbo.zero */
		{ 0x30051073, 4, ROW, CSV_CSR_WRITE, 8, 1, 1, 0 }, /* csrw */
		{ 0x30051073, 4, ROW, CSV_CSR_WRITE, 4, 1, 1, 1 },
		{ 0x3000d073, 4, ROW, CSV_CSR_WRITE, 8, 1, 1, 0 }, /* csrwi 1 */
		{ 0x30052073, 4, ROW, CSV_CSR_SET, 8, 1, 1, 0 },
		{ 0x30002573, 4, ROW, CSV_CSR_SET, 8, 1, 0, 0 }, /* csrr */
		{ 0x3000f073, 4, ROW, CSV_CSR_CLEAR, 8, 1, 1, 0 }, /* csrci 1 */
		{ 0x30007073, 4, ROW, CSV_CSR_CLEAR, 8, 1, 0, 0 }, /* csrci 0 */
		{ 0x73, 4, NO, 0, 0, 0, 0, 0 }, /* ecall */
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct insn_data d = insn_data_of(
			cases[i].opcode, cases[i].bytes, cases[i].rv32);

		if (d.rows != cases[i].rows || d.type != cases[i].type ||
		    d.size != cases[i].size || d.reads != cases[i].reads ||
		    d.writes != cases[i].writes)
			test_fail(__FILE__, __LINE__,
				  "%x: rows %u, type %u, %u bytes, %u %u",
				  cases[i].opcode, d.rows, d.type, d.size,
				  d.reads, d.writes);
	}
	CHECK_EQ(insn_data_of(0x30051073, 4, false).csr, 0x300);
}

TEST(a_row_is_the_instruction_s_or_not)
{
	const struct insn_data lw = insn_data_of(0x52583, 4, false);
	const struct insn_data csrw = insn_data_of(0x30051073, 4, false);
	struct csv_data row = { 0x1000, 1, 0, CSV_LOAD, 4 };

	CHECK(!insn_data_mismatch(&lw, &row));
	row.size = 8;
	CHECK_STR(insn_data_mismatch(&lw, &row), "DSIZE is of another size");
	row.type = CSV_STORE;
	CHECK_STR(insn_data_mismatch(&lw, &row),
		  "DTYPE is of another kind of instruction");
	row.type = CSV_CSR_WRITE;
	CHECK_STR(insn_data_mismatch(&csrw, &row), "DADDR is another CSR");
	row.address = 0x300;
	CHECK(!insn_data_mismatch(&csrw, &row));
}

/* The records of one access, as they stand in a group. */
static struct insn_data_found find(const struct insn_data *of, uint64_t address,
				   uint16_t size, uint8_t access)
{
	struct insn_data_found found = { .reads = 0 };
	struct stf_record mem = { .desc = STF_INST_MEM_ACCESS,
				  .mem_access = { .address = address,
						  .size = size,
						  .access = access } };
	struct stf_record content = { .desc = STF_INST_MEM_CONTENT,
				      .content = 0x1122334455667788 };

	insn_data_find(&found, of, &mem);
	insn_data_find(&found, of, &content);
	return found;
}

TEST(an_access_is_found_whole_or_not)
{
	const struct insn_data lw = insn_data_of(0x52583, 4, false);
	const struct insn_data amo = insn_data_of(0xc535af, 4, false);
	const struct stf_record other = {
		.desc = STF_INST_MEM_ACCESS,
		.mem_access = { .address = 0x1008, .size = 4,
				.access = STF_ACCESS_READ },
	};
	struct insn_data_found found = { .reads = 0 };

	CHECK(!insn_data_is_whole(&found, &lw));
	found = find(&lw, 0x1000, 4, STF_ACCESS_READ);
	CHECK(insn_data_is_whole(&found, &lw));
	CHECK_EQ(found.row.address, 0x1000);
	CHECK_EQ(found.row.read, 0x55667788);
	CHECK_EQ(found.row.type, CSV_LOAD);
	CHECK_EQ(found.row.size, 4);
	insn_data_find(&found, &lw, &other); /* a second one, elsewhere */
	CHECK(!insn_data_is_whole(&found, &lw));
	found = find(&lw, 0x1000, 8, STF_ACCESS_READ);
	CHECK(!insn_data_is_whole(&found, &lw));
	found = find(&lw, 0x1000, 4, STF_ACCESS_WRITE);
	CHECK(!insn_data_is_whole(&found, &lw));
	found = find(&amo, 0x1000, 8, STF_ACCESS_READ); /* half of it */
	CHECK(!insn_data_is_whole(&found, &amo));
}

/* --- one after another --- */

/* The pc of the next instruction, and of the one after it; 0: there is none. */
static void check_next(struct insn_trace *t, uint64_t pc, uint64_t next)
{
	CHECK_EQ(insn_trace_next(t), 1);
	CHECK_EQ(t->insn->pc, pc);
	CHECK_EQ(t->next ? t->next->pc : 0, next);
}

TEST(each_comes_with_the_one_after_it)
{
	struct insn_trace t;

	begin();
	write_text("a.csv", INSNS "1,1000,1,3,0,0,0,0\n"
				  "1,1002,73,0,1,8,44,0\n"
				  "1,2000,13,1,1,8000000000000005,0,1\n");
	CHECK_EQ(insn_trace_open(&t, "a.csv", &error), 0);
	CHECK(t.is_csv && !t.rv32);
	check_next(&t, 0x1000, 0x1002);
	CHECK_EQ(t.insn->size, 2);
	CHECK_EQ(t.insn->mode, STF_MODE_MACHINE);
	CHECK(!t.insn->trap && !t.insn->marked && !t.insn->has_target);
	check_next(&t, 0x1002, 0x2000);
	CHECK_EQ(t.insn->size, 4);
	CHECK(t.insn->trap && !t.insn->interrupt);
	CHECK_EQ(t.insn->cause, 8);
	CHECK_EQ(t.insn->tval, 0x44);
	CHECK_EQ(t.more, 1);
	check_next(&t, 0x2000, 0);
	CHECK(t.insn->trap && t.insn->interrupt);
	CHECK_EQ(t.insn->cause, 5);
	CHECK_EQ(t.more, 0);
	CHECK_EQ(insn_trace_next(&t), 0);
	CHECK_EQ(insn_trace_next(&t), 0);
	insn_trace_close(&t);
}

TEST(an_error_waits_for_its_turn)
{
	struct insn_trace t;

	begin();
	write_text("a.csv", INSNS "1,1000,1,3,0,0,0,0\n1,1002\n");
	CHECK_EQ(insn_trace_open(&t, "a.csv", &error), 0);
	check_next(&t, 0x1000, 0);
	CHECK_EQ(t.more, ERROR_INPUT);
	CHECK_EQ(insn_trace_next(&t), ERROR_INPUT);
	CHECK(strstr(error.text, "a.csv:3: "));
	insn_trace_close(&t);
	write_text("a.csv", INSNS "x\n");
	CHECK_EQ(insn_trace_open(&t, "a.csv", &error), 0);
	CHECK_EQ(insn_trace_next(&t), ERROR_INPUT);
	CHECK(strstr(error.text, "a.csv:2: "));
	insn_trace_close(&t);
}

TEST(addresses_of_32_bits_are_cut)
{
	struct insn_trace t;

	begin();
	write_text("a.csv", INSNS
		   "1,ffffffff80000000,1,3,1,ffffffff8000000b,0,1\n");
	CHECK_EQ(insn_trace_open(&t, "a.csv", &error), 0);
	t.rv32 = true;
	check_next(&t, 0x80000000, 0);
	CHECK_EQ(t.insn->cause, 11);
	insn_trace_close(&t);
}

/* Made of this CSV, with this data trace if it is not NULL. */
static void make_stf(const char *insns, const char *data)
{
	struct insn_trace t;
	int ret;

	begin();
	write_text("a.csv", insns);
	if (data)
		write_text("a.data", data);
	CHECK_EQ(insn_trace_open(&t, "a.csv", &error), 0);
	notes_free(&notes);
	ret = csv_to_stf(&t, "t.stf", data ? "a.data" : NULL, &notes, &error);
	insn_trace_close(&t);
	if (ret)
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

/* The pc and flags of each instruction of t.stf, as "1000 t, ...". */
static const char *flow_of_stf(void)
{
	struct stf_reader *reader = stf_reader_open("t.stf", NULL, NULL);
	struct stf_inst_iter *iter;
	static char text[256];
	struct stf_inst inst;

	CHECK(reader);
	iter = stf_inst_iter_new(reader, sizeof(inst));
	*text = 0;
	while (stf_inst_iter_next(iter, &inst) == 1)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%llx%s%s>%llx", *text ? " " : "",
			 (unsigned long long)inst.pc,
			 inst.flags & STF_INST_F_TAKEN ? "t" : "",
			 inst.flags & STF_INST_F_EVENT_TARGET ? "e" : "",
			 (unsigned long long)inst.next_pc);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
	return text;
}

/* Readers demand the target of each jump and of each event. */
TEST(what_leads_nowhere_at_the_end)
{
	struct insn_trace t;

	make_stf(INSNS "1,1000,1,3,0,0,0,0\n1,1002,8082,3,0,0,0,0\n", NULL);
	CHECK_STR(flow_of_stf(), "1000>1002");
	CHECK_EQ(notes.nr, 1);
	CHECK_EQ(notes.v[0].number, 1);
	CHECK_STR(notes.v[0].text,
		  "jump at the end left out: no row tells where it leads");
	make_stf(INSNS "1,1000,8082,3,0,0,0,0\n1,1002,a001,3,0,0,0,0\n", NULL);
	CHECK_STR(flow_of_stf(), "1000t>1002 1002t>1002");
	CHECK_EQ(notes.nr, 0);
	make_stf(INSNS "1,1000,1,3,0,0,0,0\n1,1002,73,3,1,b,0,0\n", NULL);
	CHECK_STR(flow_of_stf(), "1000>1002 1002e>1002");
	make_stf(INSNS "1,1000,1,3,1,8000000000000007,0,1\n", NULL);
	CHECK_STR(flow_of_stf(), "1000e>1000");
	/* A fault of a jump is no jump. */
	make_stf(INSNS "1,1000,8082,3,1,c,0,0\n", NULL);
	CHECK_STR(flow_of_stf(), "1000e>1000");
	CHECK_EQ(notes.nr, 0);
	/* A fault of the file is no end. */
	write_text("a.csv", INSNS "1,1000,1,3,0,0,0,0\n1,1002,8082,3,0,0,0,0\nx\n");
	CHECK_EQ(insn_trace_open(&t, "a.csv", &error), 0);
	CHECK_EQ(csv_to_stf(&t, "t.stf", NULL, &notes, &error), ERROR_INPUT);
	CHECK_EQ(notes.nr, 0);
	insn_trace_close(&t);
}

TEST(jumps_that_the_next_row_does_not_follow)
{
	make_stf(INSNS "1,1000,a001,3,0,0,0,0\n1,2000,1,3,0,0,0,0\n", NULL);
	CHECK_STR(flow_of_stf(), "1000t>1000 2000>2002");
	CHECK_EQ(notes.nr, 1);
	CHECK_STR(notes.v[0].text,
		  "jumps whose targets have no row: tools of the reference library stop there");
	/* Into another mode without a trap. */
	make_stf(INSNS "1,1000,8082,3,0,0,0,0\n1,2000,1,0,0,0,0,0\n", NULL);
	CHECK_STR(flow_of_stf(), "1000t>2000 2000>2002");
	CHECK_EQ(notes.nr, 0);
}

TEST(stf_says_more)
{
	struct insn_trace t;

	make_stf(INSNS "1,1000,2000063,0,0,0,0,0\n" /* beq, taken */
		       "1,1020,73,0,1,8,0,0\n"
		       "1,5000,52583,3,0,0,0,0\n"
		       "1,9000,1,3,0,0,0,0\n", /* after a gap */
		 DATA "1,0,80001000,2,fe\n");
	CHECK_EQ(insn_trace_open(&t, "t.stf", &error), 0);
	CHECK(!t.is_csv && !t.rv32);
	t.find_data = true;
	check_next(&t, 0x1000, 0x1020);
	CHECK(t.insn->marked && t.insn->has_target && !t.insn->trap_target);
	CHECK_EQ(t.insn->target, 0x1020);
	CHECK_EQ(t.insn->data.rows, INSN_DATA_NO_ROW);
	check_next(&t, 0x1020, 0x5000);
	CHECK(t.insn->trap && t.insn->has_target && t.insn->trap_target);
	CHECK_EQ(t.insn->cause, 8);
	check_next(&t, 0x5000, 0x9000);
	CHECK(t.next->jumped_in && !t.insn->jumped_in);
	CHECK_EQ(t.insn->mode, STF_MODE_MACHINE);
	CHECK(insn_data_is_whole(&t.insn->found, &t.insn->data));
	CHECK_EQ(t.insn->found.row.read, 0xfe);
	check_next(&t, 0x9000, 0);
	CHECK_EQ(insn_trace_next(&t), 0);
	insn_trace_close(&t);
}

TEST(what_cannot_be_read_twice_is_stf)
{
	static char bytes[4096];
	struct insn_trace t;
	char path[32];
	int fds[2];
	size_t n;
	FILE *f;

	make_stf(INSNS "1,1000,1,3,0,0,0,0\n", NULL);
	f = fopen("t.stf", "r");
	CHECK(f);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	CHECK(n && !pipe(fds) && write(fds[1], bytes, n) == (ssize_t)n);
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	CHECK_EQ(insn_trace_open(&t, path, &error), 0);
	check_next(&t, 0x1000, 0);
	insn_trace_close(&t);
	close(fds[0]);
}

TEST(other_files_are_named)
{
	struct insn_trace t;

	begin();
	CHECK_EQ(insn_trace_open(&t, "none", &error), ERROR_INPUT);
	CHECK_STR(error.text, "none: No such file or directory");
	CHECK_EQ(insn_trace_open(&t, ".", &error), ERROR_INPUT);
	CHECK_STR(error.text, ".: Is a directory");
	write_text("x", "2ELIFREPxxxxxxxx");
	CHECK_EQ(insn_trace_open(&t, "x", &error), ERROR_INPUT);
	CHECK_STR(error.text,
		  "x: a recording; make a trace of it with `ssctr stf -i x -o trace.zstf`");
	write_text("x", "hello, world");
	CHECK_EQ(insn_trace_open(&t, "x", &error), ERROR_INPUT);
	CHECK_STR(error.text,
		  "x: neither an STF trace nor an instruction CSV, which starts with \"VALID,ADDRESS,INSN,...\"");
}

/* --- from one form to the other --- */

static int from_stf(const char *output, const char *data)
{
	struct insn_trace t;
	int ret;

	CHECK_EQ(insn_trace_open(&t, "t.stf", &error), 0);
	ret = csv_from_stf(&t, output, data, &notes, &error);
	insn_trace_close(&t);
	return ret;
}

TEST(there_and_back)
{
	static const char insns[] = INSNS
		"1,1000,52583,3,0,0,0,0\n" /* lw */
		"1,1004,30051073,3,0,0,0,0\n" /* csrw mstatus */
		"1,1008,52583,3,1,d,44,0\n" /* lw, which faults */
		"1,2000,13,3,1,8000000000000007,0,1\n"
		"1,3000,30200073,3,0,0,0,0\n" /* mret */
		"1,2000,13,0,0,0,0,0\n";
	static const char data[] = DATA
		"1,0,80001000,2,fe\n1,4,300,4,1800000000000000a\n";

	make_stf(insns, data);
	CHECK_EQ(from_stf("b.csv", "b.data"), 0);
	CHECK_STR(content("b.csv"), insns);
	CHECK_STR(content("b.data"), data);
	CHECK_EQ(from_stf("b.csv", NULL), 0);
	CHECK_STR(content("b.csv"), insns);
}

/* A trace that does not tell its mode, with one access of each instruction. */
static void write_stf(uint8_t generator, const struct stf_mem_access *mem,
		      const uint32_t *opcodes, unsigned int nr)
{
	static const char *const comments[] = { "made by a test", NULL };
	const struct stf_header header = { .size = sizeof(header),
					   .comments = comments,
					   .generator = generator,
					   .pc = 0x1000 };
	struct stf_writer *w;
	unsigned int i;

	begin();
	w = stf_writer_open("t.stf", NULL, NULL);
	CHECK(w);
	CHECK_EQ(stf_write_header(w, &header), 0);
	for (i = 0; i < nr; i++) {
		CHECK_EQ(stf_write_mem(w, &mem[i], 0x11223344556677fe), 0);
		CHECK_EQ(stf_write_inst(w, opcodes[i],
					(opcodes[i] & 3) == 3 ? 4 : 2), 0);
	}
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

/* Dromajo has a few in bytes. */
TEST(sizes_of_accesses_in_bits)
{
	static const uint32_t opcodes[] = { 0x50583, 0x6398, 0x6398, 0xe42e };
	static const struct stf_mem_access mem[] = {
		{ 0x2000, 8, 0, STF_ACCESS_READ }, /* lb */
		{ 0x2008, 64, 0, STF_ACCESS_READ }, /* c.ld */
		{ 0x2010, 8, 0, STF_ACCESS_READ }, /* c.ld, in bytes */
		{ 0x2018, 64, 0, STF_ACCESS_WRITE }, /* c.sdsp */
	};

	write_stf(STF_GEN_DROMAJO, mem, opcodes, 4);
	CHECK_EQ(from_stf("b.csv", "b.data"), 0);
	CHECK_STR(content("b.data"), DATA "1,0,2000,0,fe\n"
					  "1,0,2008,3,11223344556677fe\n"
					  "1,0,2010,3,11223344556677fe\n"
					  "1,1,2018,3,11223344556677fe\n");
	write_stf(STF_GEN_SPIKE, mem, opcodes, 4);
	CHECK_EQ(from_stf("b.csv", "b.data"), ERROR_INPUT);
	/* A word is no double word. */
	write_stf(STF_GEN_DROMAJO, mem, (const uint32_t[]){ 0x4398 }, 1);
	CHECK_EQ(from_stf("b.csv", "b.data"), ERROR_INPUT);
}

/* from_stf(), where this is the mode that the trace does not tell. */
static int from_stf_in(uint8_t mode, const char *data)
{
	struct insn_trace t;
	int ret;

	CHECK_EQ(insn_trace_open(&t, "t.stf", &error), 0);
	t.mode = mode;
	ret = csv_from_stf(&t, "b.csv", data, &notes, &error);
	insn_trace_close(&t);
	return ret;
}

TEST(a_mode_that_the_trace_does_not_tell)
{
	static const struct stf_mem_access mem = { 0x2000, 1, 0, STF_ACCESS_READ };

	write_stf(STF_GEN_SPIKE, &mem, (const uint32_t[]){ 0x50583 }, 1);
	CHECK_EQ(from_stf_in(STF_MODE_UNKNOWN, NULL), ERROR_INPUT);
	CHECK_STR(error.text,
		  "t.stf: the trace does not tell the privilege mode of the instruction at 1000, and the CSV must; give the mode with --mode");
	CHECK(access("b.csv", F_OK));
	CHECK_EQ(from_stf_in(STF_MODE_MACHINE, NULL), 0);
	CHECK_STR(content("b.csv"), INSNS "1,1000,50583,3,0,0,0,0\n");
	/* What it tells is not changed. */
	make_stf(INSNS "1,1000,1,1,0,0,0,0\n", NULL);
	CHECK_EQ(from_stf_in(STF_MODE_MACHINE, NULL), 0);
	CHECK_STR(content("b.csv"), INSNS "1,1000,1,1,0,0,0,0\n");
}

TEST(a_store_that_fails_has_a_row_and_no_access)
{
	make_stf(INSNS "1,1000,18c525af,0,0,0,0,0\n" /* sc.w */
		       "1,1004,18c525af,0,0,0,0,0\n"
		       "1,1008,52583,0,0,0,0,0\n",
		 DATA "1,15,1000,2,7\n1,0,1000,2,8\n");
	CHECK_EQ(from_stf("b.csv", "b.data"), 0);
	CHECK_STR(content("b.data"), DATA "1,0,1000,2,8\n");
}

TEST(what_does_not_fit_leaves_no_file)
{
	static const struct {
		const char *insns, *data, *says;
		int code;
	} cases[] = {
		{ INSNS, NULL, "a.csv: no instructions", ERROR_NOTHING },
		{ INSNS "1,1000,8082,3,0,0,0,0\n", NULL,
		  "a.csv: no instructions", ERROR_NOTHING },
		{ INSNS "1,1000,1,3,0,0,0,0\nx\n", NULL,
		  "a.csv:3: column VALID is not a hexadecimal number, or there are not 8 columns",
		  ERROR_INPUT },
		{ INSNS "1,1000,52583,3,0,0,0,0\n", DATA,
		  "a.data:1: the data trace ends too early: the next access is of 52583 at 1000",
		  ERROR_INPUT },
		{ INSNS "1,1000,52583,3,0,0,0,0\n", DATA "1,1,1000,2,1\n",
		  "a.data:2: DTYPE is of another kind of instruction: the next access is of 52583 at 1000",
		  ERROR_INPUT },
		{ INSNS "1,1000,1,3,0,0,0,0\n", DATA "1,1,1000,2,1\n",
		  "a.data:2: an access, but no instruction is left",
		  ERROR_INPUT },
		{ INSNS "1,1000,2050007,3,0,0,0,0\n", DATA,
		  "a.data:1: a data trace has no form for it: the next access is of 2050007 at 1000",
		  ERROR_INPUT },
		/* Both are wrong: the instruction's turn is before the line's. */
		{ INSNS "1,1000,52583,3,0,0,0,0\nx\n", DATA,
		  "a.data:1: the data trace ends too early: the next access is of 52583 at 1000",
		  ERROR_INPUT },
		{ INSNS "1,1000,1,3,0,0,0,0\n", INSNS,
		  "a.data:1: not a data trace of Spike, which starts with \"DRETIRE,DTYPE,DADDR,DSIZE,DATA\"",
		  ERROR_INPUT },
	};
	struct insn_trace t;
	unsigned int i;

	begin();
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		write_text("a.csv", cases[i].insns);
		if (cases[i].data)
			write_text("a.data", cases[i].data);
		CHECK_EQ(insn_trace_open(&t, "a.csv", &error), 0);
		CHECK_EQ(csv_to_stf(&t, "t.stf",
				    cases[i].data ? "a.data" : NULL, &notes,
				    &error), cases[i].code);
		CHECK_STR(error.text, cases[i].says);
		insn_trace_close(&t);
		CHECK(access("t.stf", F_OK));
	}
}

TEST(a_trace_without_accesses_has_no_data_trace)
{
	make_stf(INSNS "1,1000,52583,3,0,0,0,0\n", NULL);
	CHECK_EQ(from_stf("b.csv", "b.data"), ERROR_INPUT);
	CHECK_STR(error.text,
		  "the trace does not have the access of 52583 at 1000, which a data trace needs; leave out --data");
	CHECK(access("b.csv", F_OK) && access("b.data", F_OK));
	CHECK_EQ(from_stf("none/b.csv", NULL), ERROR_OUTPUT);
	CHECK_STR(error.text, "none/b.csv: No such file or directory");
	CHECK_EQ(from_stf("b.csv", "none/b.data"), ERROR_OUTPUT);
	CHECK_STR(error.text, "none/b.data: No such file or directory");
	CHECK(access("b.csv", F_OK));
	/* A vector's elements have no form in the data trace. */
	make_stf(INSNS "1,1000,2050007,3,0,0,0,0\n", NULL);
	CHECK_EQ(from_stf("b.csv", "b.data"), ERROR_INPUT);
	CHECK_STR(error.text,
		  "a data trace has no form for the accesses of 2050007 at 1000; leave out --data");
}
