// SPDX-License-Identifier: GPL-2.0-only
/* ssctr callstacks: each call stack derived by hand from the sample. */
#include "cmd-calls.h"

static int callstacks(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr callstacks -i %s/perf.data --symfs %s %s", dir, dir, options);
}

TEST(the_harts_call_stack_is_the_samples)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	/* Of the caller alone: leaf has returned. */
	add_calls(MAP_AT + 0x0a, NULL, 0, recorded + 1, 1);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "caller;main 1\ncaller;main;leaf 2\n");
}

/* A call that has not returned is in each sample, and was executed once. */
TEST(call_stacks_are_refused_where_it_counts_what_ran)
{
	static const char *const commands[] = { "report", "report --json", "annotate main",
						"merge -o x.counts perf.data",
						"profile --all -f profgen -o out" };
	const char *dir = test_tmpdir();
	unsigned int i;

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	write_files();
	for (i = 0; i < NR(commands); i++) {
		CHECK_EQ(run("cd %s && ssctr %s --symfs .", dir, commands[i]), 1);
		CHECK_STR(run_out, "");
		CHECK(strstr(run_err, "perf.data: the branch records are call stacks, which do not tell what ran; `ssctr callstacks` shows them; to learn what ran, record with `perf record -b`\n"));
	}
}

/* Beside the call stacks of one event, the branches of another one count as ever. */
TEST(call_stacks_beside_branches_are_left_out_where_it_counts_what_ran)
{
	const char *dir = test_tmpdir();

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	pdb_sample(&rec, 1, &(struct pdb_sample){
		.ip = MAP_AT + 0x10, .time = 2, .pid = 5, .tid = 5, .cpu = 3, .period = 100,
		.nr_branches = 4, .branches = loop });
	write_files();
	CHECK_EQ(run("cd %s && ssctr report --symfs . perf.data", dir), 0);
	CHECK(strstr(run_out, "4 transfers of ") && strstr(run_out, " in 1 samples"));
	CHECK(strstr(run_err, " 2 samples left out, because their branch records are call stacks"));
	CHECK_EQ(run("cd %s && ssctr merge --symfs . -o x.counts perf.data", dir), 0);
	CHECK(strstr(run_err, " 2 samples left out, because their branch records are call stacks"));
	CHECK_EQ(run("cd %s && ssctr report --symfs . x.counts", dir), 0);
	CHECK(strstr(run_out, "4 transfers of "));
}

/* What the kernel found of the user's part is not the hart's, and is left out. */
TEST(the_kernels_part_comes_from_the_kernel)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, KERNEL_AT + 0x20, KERNEL_AT + 0x11,
		PERF_CONTEXT_USER, MAP_AT + 0x16,
	};

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(KERNEL_AT + 0x20, chain, NR(chain), recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "caller;main;leaf;[kernel];[kernel] 1\n");
}

/* What the kernel takes for frame pointers is whatever the program has in that register. */
TEST(where_the_hart_has_no_call_the_program_has_no_callers)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_USER, MAP_AT + 0x10, MAP_AT + 0x08, MAP_AT + 0x14,
	};

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, chain, NR(chain), recorded, 0);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "leaf 1\n");
	CHECK(strstr(run_err, "1 samples have an empty branch stack"));
}

/* Of caller;main;leaf in twin, where leaf begins with this instruction. */
static void call_from_leaf(uint16_t insn, uint64_t ip)
{
	static uint16_t changed[NR(program)];

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	memcpy(changed, program, sizeof(program));
	changed[0x10 / 2] = insn;
	elf.code = changed;
	add_calls(MAP_AT + ip, NULL, 0, recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
}

#define WRONG "        1 samples with wrong callers, "

/* leaf was called, and nothing leads from there to twin: a goroutine runs, for instance. */
TEST(who_cannot_have_been_called_so_has_wrong_callers)
{
	call_from_leaf(0x8082, 0x16); /* ret */
	CHECK_STR(run_out, "caller;main;twin 1\n");
	CHECK(strstr(run_err, WRONG));
	call_from_leaf(0x8082, 0x10);
	CHECK(!strstr(run_err, "wrong callers"));
}

/* The older call was of main, and the newer one was made by twin. */
TEST(who_cannot_have_called_so_is_told)
{
	static const uint64_t stale[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x10, 0 },
		{ MAP_AT + 0x12, MAP_AT + 0x00, 0 },
	};

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, stale, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK(strstr(run_err, WRONG));
}

TEST(a_tail_call_has_the_callers_of_who_made_it)
{
	static const uint16_t leads_to_twin[] = {
		0xa019, /* c.j 0x16 */
		0xc119, /* c.beqz a0, 0x16 */
		0x8782, /* c.jr a5: anywhere */
	};
	unsigned int i;

	for (i = 0; i < NR(leads_to_twin); i++) {
		call_from_leaf(leads_to_twin[i], 0x16);
		CHECK(!strstr(run_err, "wrong callers"));
	}
	/* c.nop: leaf runs into caller, which calls, but jumps nowhere. */
	call_from_leaf(0x0001, 0x14);
	CHECK(!strstr(run_err, "wrong callers"));
	call_from_leaf(0x0001, 0x16);
	CHECK(strstr(run_err, WRONG));
}

TEST(what_has_no_name_may_have_been_called_by_anyone)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	elf.nr_symbols = 0;
	add_function("leaf", 0x10, 2);
	add_calls(MAP_AT + 0x16, NULL, 0, recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK(!strstr(run_err, "wrong callers"));
}

/* A call at a function's end returns to the next one, and is of the first all the same. */
TEST(frame_pointers_tell_where_calls_return_to)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_USER, MAP_AT + 0x00, MAP_AT + 0x16, MAP_AT + 0x0c,
	};

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	add_calls(MAP_AT + 0x00, chain, NR(chain), recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	/* 0c - 1 is in main, 16 - 1 in caller, and 00 is where it is. */
	CHECK_STR(run_out, "main;caller;main 1\n");
}

TEST(both_sides_of_a_system_call_are_in_one_stack)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, KERNEL_AT + 0x20,
		PERF_CONTEXT_USER, MAP_AT + 0x10, MAP_AT + 0x08,
	};

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	add_calls(KERNEL_AT + 0x20, chain, NR(chain), recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "main;leaf;[kernel] 1\n");
}

/* As `perf record --call-graph fp,defer`: its number is no address, whatever it is. */
TEST(the_number_of_a_users_stack_that_comes_later_is_no_caller)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, KERNEL_AT + 0x20,
		-640 /* PERF_CONTEXT_USER_DEFERRED */, MAP_AT + 0x10,
	};

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	add_calls(KERNEL_AT + 0x20, chain, NR(chain), recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "[kernel] 1\n");
}

/* As `perf record --call-graph lbr` without -g: of the kernel there is the sample's place alone. */
TEST(in_the_kernel_the_harts_stack_begins_where_its_last_call_led)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(KERNEL_AT + 0x20, NULL, 0, recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "caller;main;leaf;[kernel] 1\n");
}

TEST(of_a_sample_in_the_program_nothing_is_the_kernels)
{
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, KERNEL_AT + 0x20 };

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, chain, NR(chain), recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "caller;main;leaf 1\n");
}

/* Of two calls in main; and the lines of text are in order. */
TEST(stacks_that_read_alike_are_one_line)
{
	static const uint64_t other[][3] = {
		{ MAP_AT + 0x08, MAP_AT + 0x10, 0 },
		{ MAP_AT + 0x12, MAP_AT + 0x00, 0 },
	};

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x16, NULL, 0, recorded + 1, 1);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	add_calls(MAP_AT + 0x10, NULL, 0, other, 2);
	add_calls(MAP_AT + 0x10, NULL, 0, other, 2);
	add_calls(MAP_AT + 0x02, NULL, 0, recorded + 1, 1);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "caller;main 1\ncaller;main;leaf 3\ncaller;twin 1\n");
	CHECK(strstr(run_err, "4 call stacks, of 4 functions\n"));
}

/* The kernel's limit is 127 unless somebody raises it. */
TEST(a_stack_has_no_more_than_1024_frames)
{
	static uint64_t chain[1500];
	unsigned int i;

	chain[0] = PERF_CONTEXT_USER;
	for (i = 1; i < NR(chain); i++)
		chain[i] = MAP_AT + 0x11;
	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	add_calls(MAP_AT + 0x11, chain, NR(chain), recorded, 2);
	write_files();
	CHECK_EQ(callstacks("| tr -cd ';' | wc -c"), 0);
	CHECK_STR(run_out, "1023\n");
	CHECK(strstr(run_err, "           1 samples without their outermost functions, because their call stack has more than 1024\n"));
}

TEST(functions_of_one_name_in_two_binaries_are_two)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_USER, MAP_AT + 0x02, 0x70002, 0x900005, KERNEL_AT + 5,
	};
	const char *dir = test_tmpdir();

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2(&rec, 5, 0x70000, 0x1000, ELFB_CODE, "/y", 1);
	add_calls(MAP_AT + 0x02, chain, NR(chain), recorded, 2);
	write_files();
	CHECK_EQ(run("cp %s/x %s/y", dir, dir), 0);
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "[kernel];[unknown];main;main 1\n");
	CHECK(strstr(run_err, "1 call stacks, of 4 functions\n"));
}

TEST(samples_without_a_call_stack_are_counted_and_left_out)
{
	static const uint64_t chain[] = { PERF_CONTEXT_USER, MAP_AT + 0x10 };

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	add_calls(MAP_AT + 0x10, chain, NR(chain), recorded, 2);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "leaf 1\n");
	CHECK(strstr(run_err, "1 call stacks, of 1 functions\n"));
	CHECK(strstr(run_err, "1 samples left out, because they have no call stack\n"));
}

/* perf record --call-graph dwarf */
TEST(copies_of_stacks_are_no_call_stacks)
{
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, KERNEL_AT + 5 };

	begin_calls(CHAIN | PERF_SAMPLE_STACK_USER, PERF_SAMPLE_BRANCH_ANY);
	add_calls(KERNEL_AT + 5, chain, NR(chain), recorded, 2);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK(strstr(run_err, "1 samples left out, because they have no call stack; --call-graph dwarf copies stacks, which only perf unwinds; record with `perf record --call-graph lbr`\n"));
}

/* Each of them stands for one page fault, and those of the other for many cycles. */
TEST(samples_of_events_without_branches_are_counted_and_left_out)
{
	static const uint64_t chain[] = { PERF_CONTEXT_USER, MAP_AT + 0x0a };

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	pdb_event(&rec, CHAIN & ~PERF_SAMPLE_BRANCH_STACK, 0);
	add_calls(MAP_AT + 0x10, (const uint64_t[]){ PERF_CONTEXT_USER, MAP_AT + 0x10 }, 2,
		  recorded, 2);
	pdb_sample(&rec, 1, &(struct pdb_sample){ .ip = MAP_AT + 0x0a, .time = 3, .pid = 5,
						  .nr_chain = NR(chain), .chain = chain });
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "leaf 1\n");
	CHECK(strstr(run_err, "1 samples of other events left out, because these have no branch stacks\n"));
}

TEST(without_any_call_stack_it_says_how_to_record_them)
{
	write_program();
	CHECK_EQ(callstacks(""), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("/perf.data: the recording has no call stacks; record with `perf record --call-graph lbr`, `ssctr record -j stack,u -e cycles:u` or `perf record -b -g`");
	CHECK_EQ(callstacks("-f svg"), 2);
	CHECK_SAYS("ssctr callstacks: --format svg: unknown format; use folded or pprof");
	CHECK_EQ(callstacks("--pid 6"), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("/perf.data: no samples that the options select\n");
}

TEST(pprof_is_not_written_to_a_terminal)
{
	char options[128];

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	write_files();
	snprintf(options, sizeof(options), "-f pprof >%s", open_terminal());
	CHECK_EQ(callstacks(options), 2);
	CHECK_SAYS("ssctr callstacks: --format pprof: not written to a terminal; name a file with -o");
	close_terminal();
	CHECK_STR(run_out, "");
	snprintf(options, sizeof(options), "-f folded >%s", open_terminal());
	CHECK_EQ(callstacks(options), 0);
	close_terminal();
	CHECK_STR(run_out, "caller;main;leaf 1\r\n");
	snprintf(options, sizeof(options), "-f pprof -o %s/pb >%s", test_tmpdir(),
		 open_terminal());
	CHECK_EQ(callstacks(options), 0);
	close_terminal();
}

TEST(what_cannot_be_written_is_an_error_that_names_it)
{
	const char *dir = test_tmpdir();
	char options[512];

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	write_files();
	snprintf(options, sizeof(options), "-o %s/none/out", dir);
	CHECK_EQ(callstacks(options), 1);
	CHECK_SAYS("/none/out: No such file or directory\n");
	CHECK_EQ(callstacks("-o /dev/full"), 1);
	CHECK_SAYS("ssctr callstacks: /dev/full: No space left on device\n");
	snprintf(options, sizeof(options), "-f folded -o %s/out && cat %s/out", dir, dir);
	CHECK_EQ(callstacks(options), 0);
	CHECK_STR(run_out, "caller;main;leaf 1\n");
}

TEST(names_do_not_break_the_lines)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	elf.nr_symbols = 0;
	add_function("ma;in", 0x00, 0x10);
	add_function("_Z4leafRKi", 0x10, 2);
	add_function("cal\nl\x7f\xc2\x9b\xc3\xa9r", 0x12, 4);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	write_files();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "cal?l??\xc3\xa9r;ma:in;leaf(int const&) 1\n");
	CHECK_EQ(callstacks("--no-demangle"), 0);
	CHECK_STR(run_out, "cal?l??\xc3\xa9r;ma:in;_Z4leafRKi 1\n");
}

static void write_inlined(void)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	write_files_with_inlined();
}

TEST(inlined_functions_are_frames)
{
	write_inlined();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "caller;main;step;leaf 1\n");
}

/* --- pprof: decoded here by the description of protocol buffers --- */

static uint8_t proto[4096];

struct field {
	unsigned int nr;
	uint64_t number; /* or the size of the bytes */
	const uint8_t *bytes; /* NULL: it is a number */
};

static uint64_t take_varint(const uint8_t **p, const uint8_t *end)
{
	uint64_t value = 0;
	unsigned int shift;

	for (shift = 0; shift < 64; shift += 7) {
		CHECK(*p < end);
		value |= (uint64_t)(**p & 0x7f) << shift;
		if (!(*(*p)++ & 0x80))
			return value;
	}
	test_fail(__FILE__, __LINE__, "a number without an end");
	return 0;
}

static bool take_field(const uint8_t **p, const uint8_t *end, struct field *f)
{
	uint64_t key;

	if (*p == end)
		return false;
	key = take_varint(p, end);
	*f = (struct field){ .nr = key >> 3, .number = take_varint(p, end) };
	CHECK((key & 7) == 0 || (key & 7) == 2);
	if ((key & 7) == 2) {
		f->bytes = *p;
		CHECK(f->number <= (uint64_t)(end - *p));
		*p += f->number;
	}
	return true;
}

/* The nth field of that number in a message. */
static struct field field_of(struct field message, unsigned int nr, unsigned int nth)
{
	const uint8_t *p = message.bytes, *end = p + message.number;
	struct field f;

	while (take_field(&p, end, &f))
		if (f.nr == nr && !nth--)
			return f;
	return (struct field){ 0 };
}

static struct field read_pprof(void)
{
	const char *dir = test_tmpdir();
	char path[512];
	struct field all = { .bytes = proto };
	FILE *file;

	CHECK_EQ(run("ssctr callstacks -f pprof -i %s/perf.data --symfs %s -o %s/pb", dir, dir,
		     dir), 0);
	snprintf(path, sizeof(path), "%s/pb", dir);
	file = fopen(path, "r");
	CHECK(file);
	all.number = fread(proto, 1, sizeof(proto), file);
	CHECK(all.number < sizeof(proto) && !fclose(file));
	return all;
}

static const char *string_of(struct field all, uint64_t number)
{
	static char text[8][64];
	static unsigned int next;
	const struct field f = field_of(all, 6, number);

	next = (next + 1) % 8;
	snprintf(text[next], sizeof(text[next]), "%.*s", (int)f.number, (const char *)f.bytes);
	return text[next];
}

/* Of a location, from 1 on: its function's name. */
static const char *function_of_location(struct field all, uint64_t location)
{
	const struct field line = field_of(field_of(all, 4, location - 1), 4, 0);
	const uint64_t function = field_of(line, 1, 0).number;

	return string_of(all, field_of(field_of(all, 5, function - 1), 2, 0).number);
}

TEST(pprof_has_stacks_counts_functions_and_files)
{
	struct field all, sample, packed;
	const uint8_t *p;

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	write_files();
	all = read_pprof();
	CHECK_STR(string_of(all, 0), "");
	/* Two kinds of values: samples, and what the event counted, 100 each. */
	CHECK_STR(string_of(all, field_of(field_of(all, 1, 0), 1, 0).number), "samples");
	sample = field_of(all, 2, 0);
	packed = field_of(sample, 2, 0);
	CHECK_EQ(packed.number, 3);
	CHECK_EQ(packed.bytes[0], 2);
	CHECK_EQ(packed.bytes[1] & 0x7f, 200 & 0x7f);
	CHECK_EQ(packed.bytes[2], 200 >> 7);
	CHECK(!field_of(all, 2, 1).bytes);
	packed = field_of(sample, 1, 0);
	CHECK_EQ(packed.number, 3);
	p = packed.bytes;
	CHECK_STR(function_of_location(all, p[0]), "leaf");
	CHECK_STR(function_of_location(all, p[1]), "main");
	CHECK_STR(function_of_location(all, p[2]), "caller");
	/* The place in the file, of which there is one. */
	CHECK_EQ(field_of(field_of(all, 4, p[0] - 1), 3, 0).number, ELFB_CODE + 0x10);
	CHECK_STR(string_of(all, field_of(field_of(all, 3, 0), 5, 0).number), "/x");
	CHECK(!field_of(all, 3, 1).bytes);
	CHECK_STR(string_of(all, field_of(all, 13, 0).number), "coverage not known");
}

/* Readers of pprof take the values as signed numbers. */
TEST(pprof_has_no_sum_of_periods_beyond_63_bits)
{
	struct field values;
	unsigned int i;

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_CALL_STACK);
	for (i = 0; i < 3; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x10, .time = 2, .pid = 5, .cpu = 3,
			.period = UINT64_C(1) << 63, .nr_branches = 2, .branches = recorded });
	write_files();
	values = field_of(field_of(read_pprof(), 2, 0), 2, 0);
	/* 3, and 63 bits of 1 in nine bytes. */
	CHECK_EQ(values.number, 10);
	CHECK_EQ(values.bytes[0], 3);
	for (i = 1; i < 9; i++)
		CHECK_EQ(values.bytes[i], 0xff);
	CHECK_EQ(values.bytes[9], 0x7f);
}

/* Of main's location the first line is step's, and the second main's, which called it. */
TEST(pprof_has_inlined_functions)
{
	struct field all, location, line, function;

	write_inlined();
	all = read_pprof();
	location = field_of(all, 4, field_of(field_of(all, 2, 0), 1, 0).bytes[1] - 1);
	line = field_of(location, 4, 0);
	CHECK_EQ(field_of(line, 2, 0).number, 31);
	function = field_of(all, 5, field_of(line, 1, 0).number - 1);
	CHECK_STR(string_of(all, field_of(function, 2, 0).number), "step");
	line = field_of(location, 4, 1);
	CHECK_EQ(field_of(line, 2, 0).number, 12);
	function = field_of(all, 5, field_of(line, 1, 0).number - 1);
	CHECK_STR(string_of(all, field_of(function, 2, 0).number), "main");
	CHECK_STR(string_of(all, field_of(function, 4, 0).number), "/src/x.c");
	CHECK_EQ(field_of(function, 5, 0).number, 10);
	CHECK(!field_of(location, 4, 2).bytes);
}

/* The name of what is counted, of a field that has a ValueType. */
static const char *type_of(struct field all, unsigned int field, unsigned int nth)
{
	const struct field type = field_of(all, field, nth);

	CHECK_STR(string_of(all, field_of(type, 2, 0).number), "count");
	return string_of(all, field_of(type, 1, 0).number);
}

static void add_of_event(unsigned int event)
{
	pdb_sample(&rec, event, &(struct pdb_sample){
		.ip = MAP_AT + 0x10, .time = 2, .pid = 5, .cpu = 3,
		.nr_branches = 2, .branches = recorded });
}

TEST(pprof_names_the_event_if_all_samples_are_of_one)
{
	static const char *const names[] = { "cycles:u", "instructions:u", "cycles:u" };
	struct field all;

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_of_event(0);
	write_files();
	all = read_pprof();
	CHECK_STR(type_of(all, 1, 0), "samples");
	CHECK_STR(type_of(all, 1, 1), "events");
	CHECK_STR(type_of(all, 11, 0), "events");

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_of_event(0);
	add_of_event(2);
	name_events(names);
	write_files();
	all = read_pprof();
	CHECK_STR(type_of(all, 1, 1), "cycles:u");
	CHECK_STR(type_of(all, 11, 0), "cycles:u");

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_of_event(0);
	add_of_event(1);
	add_of_event(0);
	name_events(names);
	write_files();
	all = read_pprof();
	CHECK_STR(type_of(all, 1, 1), "events");
	/* Of a sample that does not tell how many it stands for there is one. */
	CHECK_EQ(field_of(field_of(all, 2, 0), 2, 0).number, 2);
	CHECK_EQ(field_of(field_of(all, 2, 0), 2, 0).bytes[0], 3);
	CHECK_EQ(field_of(field_of(all, 2, 0), 2, 0).bytes[1], 3);
}

/* Of several events, no one number is right. */
TEST(pprof_tells_the_period)
{
	static const char *const names[] = { "cycles:u", "instructions:u" };
	struct pdb_sample sample = { .ip = MAP_AT + 0x10, .pid = 5, .tid = 5,
				     .nr_branches = 2, .branches = recorded };
	int several;

	for (several = 0; several < 2; several++) {
		begin_calls(CHAIN, PERF_SAMPLE_BRANCH_CALL_STACK);
		pdb_event(&rec, CHAIN, PERF_SAMPLE_BRANCH_CALL_STACK);
		for (sample.time = 1; sample.time <= 4; sample.time++) {
			sample.period = sample.time < 4 ? 100 : 500;
			pdb_sample(&rec, several && sample.time == 4, &sample);
		}
		name_events(names);
		write_files();
		CHECK_EQ(field_of(read_pprof(), 12, 0).number, several ? 0 : 200);
	}
}

/* What perf writes into a pipe may give it a new name when samples were read already. */
TEST(pprof_names_the_event_by_its_last_name)
{
	static const char *const names[] = { "cycles:u" };
	struct field all;

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	name_events(names);
	add_of_event(0);
	pdb_round(&rec);
	pdb_comm(&rec, 0, 5, "x", 3);
	pdb_round(&rec);
	pdb_begin(&rec, PDB_EVENT_UPDATE, 0);
	pdb_u64(&rec.data, PDB_UPDATE_NAME);
	pdb_u64(&rec.data, rec.events[0].ids[0]);
	pdb_text(&rec.data, "cpu-cycles");
	pdb_end(&rec);
	add_calls_of(5, MAP_AT + 0x10, NULL, 0, recorded, 2);
	pdb_round(&rec);
	write_as(true);
	all = read_pprof();
	CHECK_STR(type_of(all, 1, 1), "cpu-cycles");
}

/* Each sample stands for 100 of an event that happened 800 times. */
TEST(pprof_tells_the_coverage)
{
	struct field all;

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	pdb_count(&rec, 0, UINT32_MAX, 800, 0);
	write_files();
	all = read_pprof();
	CHECK_STR(string_of(all, field_of(all, 13, 0).number), "coverage 25.0%");
	CHECK(strstr(run_err, "2 samples of the event, which cover 25.0 % of its count of 800"));
}

/* Two binaries, one with a build id, and the kernel, which is in none. */
TEST(pprof_has_a_mapping_of_each_binary_by_its_build_id)
{
	static const uint8_t id[20] = { 0x0a, 0xbc, [19] = 0xde };
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, KERNEL_AT + 0x20,
		PERF_CONTEXT_USER, MAP_AT + 0x10, 0x70009, MAP_AT + 0x08,
	};
	struct field all, mapping, stack;
	unsigned int i;

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2_id(&rec, 5, 0x70000, 0x1000, ELFB_CODE, "/y", 1, id);
	add_calls(KERNEL_AT + 0x20, chain, NR(chain), recorded, 2);
	write_files();
	all = read_pprof();
	for (i = 0; i < 2; i++) {
		mapping = field_of(all, 3, i);
		CHECK_EQ(field_of(mapping, 1, 0).number, i + 1);
		CHECK_EQ(field_of(mapping, 2, 0).number, 0);
		CHECK_EQ(field_of(mapping, 3, 0).number, UINT64_MAX);
		CHECK_EQ(field_of(mapping, 4, 0).number, 0);
		CHECK_STR(string_of(all, field_of(mapping, 5, 0).number), i ? "/y" : "/x");
		CHECK_STR(string_of(all, field_of(mapping, 6, 0).number),
			  i ? "0abc0000000000000000000000000000000000de" : "");
		/* Nothing is left to look up: functions, files, lines, what is inlined. */
		CHECK_EQ(field_of(mapping, 7, 0).number, 1);
		CHECK_EQ(field_of(mapping, 8, 0).number, 1);
		CHECK_EQ(field_of(mapping, 9, 0).number, 1);
		CHECK_EQ(field_of(mapping, 10, 0).number, 1);
	}
	CHECK(!field_of(all, 3, 2).bytes);
	stack = field_of(field_of(all, 2, 0), 1, 0);
	CHECK_EQ(stack.number, 4);
	for (i = 0; i < 4; i++) {
		static const unsigned int mappings[] = { 0, 1, 2, 1 };
		static const char *const names[] = { "[kernel]", "leaf", "/y", "main" };
		const struct field location = field_of(all, 4, stack.bytes[i] - 1);

		CHECK_EQ(field_of(location, 1, 0).number, stack.bytes[i]);
		CHECK_EQ(field_of(location, 2, 0).number, mappings[i]);
		CHECK_STR(function_of_location(all, stack.bytes[i]), names[i]);
	}
	CHECK(!field_of(all, 4, 4).bytes);
}

/* A function whose symbol stands in the debug information, inlined in two places. */
static void write_inlined_cxx(void)
{
	static const uint64_t at = ELFB_ADDR + ELFB_CODE;
	static const uint64_t places[][3] = {
		{ MAP_AT + 0x06, MAP_AT + 0x10, 0 },
		{ MAP_AT + 0x0a, MAP_AT + 0x00, 0 },
	};
	struct dwb debug = { 0 };
	uint32_t step;

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, places, 2);
	dwb_begin(&debug, "/src/x.c", at, 0x12);
	step = debug.info.n;
	dwb_function(&debug, "step", "_Z4stepi", 30, at + 0x40, 2);
	dwb_leave(&debug);
	dwb_function(&debug, "main", "main", 10, at, 0x10);
	dwb_inlined(&debug, step, at + 0x04, 0x08, 12, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_row(&debug, at, 11, 0);
	dwb_row(&debug, at + 0x04, 31, 0);
	dwb_finish(&debug, at + 0x12);
	dwb_sections(&debug, &elf);
	write_files();
	dwb_free(&debug);
}

TEST(inlined_functions_of_cxx_have_the_names_of_the_source)
{
	struct field all, function;
	unsigned int i, k;

	write_inlined_cxx();
	CHECK_EQ(callstacks(""), 0);
	CHECK_STR(run_out, "main;step(int);main;step(int);leaf 1\n");
	CHECK_EQ(callstacks("--no-demangle"), 0);
	CHECK_STR(run_out, "main;_Z4stepi;main;_Z4stepi;leaf 1\n");
	all = read_pprof();
	/* Each is there once, however often it was called. */
	for (i = 0; field_of(all, 5, i).bytes; i++) {
		function = field_of(all, 5, i);
		CHECK_EQ(field_of(function, 1, 0).number, i + 1);
		if (!strcmp(string_of(all, field_of(function, 2, 0).number), "step(int)"))
			CHECK_STR(string_of(all, field_of(function, 3, 0).number), "_Z4stepi");
	}
	CHECK_EQ(i, 3);
	for (i = 0; field_of(all, 6, i).bytes; i++)
		for (k = 0; k < i; k++)
			CHECK(strcmp(string_of(all, i), string_of(all, k)));
}
