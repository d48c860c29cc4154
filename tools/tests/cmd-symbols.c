// SPDX-License-Identifier: GPL-2.0-only
/* The symbols that --symbols names: to find instructions, and to count functions. */
#include "cmd-hot.h"

#define HEADER "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
#define AT ((unsigned long)MAP_AT - (unsigned long)ELFB_ADDR - ELFB_CODE)

static int with_symbols(const char *command, const char *trace)
{
	return run("cd %s && ssctr %s --symbols x@0x%lx %s", test_tmpdir(), command, AT, trace);
}

/* caller calls leaf, at whose first instruction an interrupt comes, which the kernel serves. */
static void write_trace(void)
{
	write_program();
	write_text("t.csv", HEADER
		   "1,10012,9782,0,0,0,0,0\n"
		   "1,10010,8082,0,1,8000000000000007,0,1\n"
		   "1,ffffffff80000000,1,1,0,0,0,0\n"
		   "1,ffffffff80000002,10200073,1,0,0,0,0\n"
		   "1,10010,8082,0,0,0,0,0\n"
		   "1,10014,8082,0,0,0,0,0\n");
	CHECK_EQ(run("cd %s && ssctr csv t.csv -o t.stf", test_tmpdir()), 0);
}

TEST(an_interrupt_at_its_first_instruction_enters_a_function_once)
{
	write_trace();
	CHECK_EQ(with_symbols("stat --csv --by functions", "t.stf"), 0);
	CHECK_SHOWS("functions,\"leaf (x)\",entries,1\n");
}

/* Without the kernel, the function's first instruction follows itself. */
TEST(so_it_does_where_only_user_code_was_traced)
{
	write_trace();
	CHECK_EQ(run("cd %s && ssctr cut --user -o u.stf t.stf", test_tmpdir()), 0);
	CHECK_EQ(with_symbols("stat --csv --by functions", "u.stf"), 0);
	CHECK_SHOWS("functions,\"leaf (x)\",entries,1\n");
}

/* The same trace of a program whose leaf has another name. */
static void write_leaf(const char *name)
{
	unsigned int i;

	write_trace();
	begin_program();
	for (i = 0; i < elf.nr_symbols; i++)
		if (!strcmp(elf.symbols[i].name, "leaf"))
			elf.symbols[i].name = name;
	ADD_STEPS(once);
	write_files();
}

TEST(the_functions_of_a_trace_have_their_names_in_the_source)
{
	write_leaf("_Z4leafRKi");
	CHECK_EQ(with_symbols("stat --by functions", "t.stf"), 0);
	CHECK_SHOWS("  leaf(int const&) (x)\n");
	CHECK_EQ(with_symbols("stat --csv --by functions", "t.stf"), 0);
	CHECK_SHOWS("functions,\"leaf(int const&) (x)\",entries,1\n");
	CHECK_EQ(with_symbols("stat --json --by functions", "t.stf"), 0);
	CHECK_SHOWS("{\"name\":\"leaf(int const&)\"");
	CHECK_EQ(with_symbols("dump", "t.stf"), 0);
	CHECK_SHOWS("  leaf(int const&)  -> 10014\n");
	CHECK_EQ(with_symbols("dump --json", "t.stf"), 0);
	CHECK_SHOWS("\"symbol\":\"leaf(int const&)\"");
}

TEST(they_have_their_symbols_if_these_are_asked_for)
{
	write_leaf("_Z4leafRKi");
	CHECK_EQ(with_symbols("stat --by functions --no-demangle", "t.stf"), 0);
	CHECK_SHOWS("  _Z4leafRKi (x)\n");
	CHECK_EQ(with_symbols("dump --json --no-demangle", "t.stf"), 0);
	CHECK_SHOWS("\"symbol\":\"_Z4leafRKi\"");
	CHECK_EQ(with_symbols("dump --find _Z4leafRKi -n 1", "t.stf"), 0);
	CHECK_SHOWS("10010");
}

TEST(a_place_is_found_by_the_name_that_is_shown)
{
	write_leaf("_Z4leafRKi");
	CHECK_EQ(with_symbols("dump --find 'leaf(int const&)' -n 1", "t.stf"), 0);
	CHECK_SHOWS("10010");
	CHECK_EQ(with_symbols("cut --from 'leaf(int const&)' -n 1 -o c.stf", "t.stf"), 0);
	CHECK_EQ(with_symbols("dump --no-demangle --find 'leaf(int const&)'", "t.stf"), 1);
	CHECK_SAYS("no such symbol");
	/* Instances of a function of Rust have one name, and two of a constructor one place. */
	begin_program();
	elf.symbols[0].name = "_ZN4work4leaf17h0123456789abcdefE";
	elf.symbols[1].name = "_ZN4work4leaf17h0123456789abcde0E";
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(with_symbols("dump --find work::leaf", "t.stf"), 1);
	CHECK_SAYS("several functions have this name; write the symbol of one,");
	elf.symbols[0].value = elf.symbols[1].value;
	elf.size = 0;
	CHECK(elfb_write(&elf, test_path("x")));
	CHECK_EQ(with_symbols("dump --find work::leaf", "t.stf"), 0);
}

/* A terminal would take it as a command, or as the end of the line. */
TEST(control_characters_of_names_are_not_printed)
{
	write_leaf("le\033[31m\n\302\233af");
	CHECK_EQ(with_symbols("stat --by functions", "t.stf"), 0);
	CHECK_SHOWS("  le?[31m??af (x)\n");
	CHECK_EQ(with_symbols("dump", "t.stf"), 0);
	CHECK_SHOWS("  le?[31m??af  -> 10014\n");
	CHECK(!strchr(run_out, '\033') && !strchr(run_out, '\302'));
}

TEST(the_symbols_of_a_program_that_was_stripped_are_found)
{
	write_trace();
	begin_program();
	elf.dynamic = true;
	ADD_STEPS(once);
	write_files();
	elf.dynamic = false;
	CHECK_EQ(with_symbols("dump --find leaf -n 1", "t.stf"), 0);
	CHECK_SHOWS("10010");
	CHECK_EQ(with_symbols("cut --from leaf -n 1 -o c.stf", "t.stf"), 0);
	CHECK_EQ(with_symbols("dump --find nobody", "t.stf"), 1);
	CHECK_SAYS("no such symbol");
}

/* As prelink leaves them: the program's addresses are not those of its debug file. */
TEST(a_symbol_is_where_the_program_has_it_and_not_where_its_debug_file_does)
{
	unsigned int i;

	write_trace();
	begin_program();
	ADD_STEPS(once);
	elf.moved = 0x100000;
	for (i = 0; i < elf.nr_symbols; i++)
		elf.symbols[i].value += elf.moved;
	write_files();
	CHECK_EQ(run("cd %s && mv x x.debug", test_tmpdir()), 0);
	elf.debuglink_crc = elfb_crc(elf.file, elf.size);
	elf.debuglink = "x.debug";
	elf.moved = elf.nr_symbols = 0;
	elfb_finish(&elf);
	CHECK(elfb_write(&elf, test_path("x")));
	CHECK_EQ(with_symbols("dump --find leaf -n 1", "t.stf"), 0);
	CHECK_SHOWS("10010");
	CHECK_SHOWS("  leaf");
	CHECK_EQ(with_symbols("cut --from leaf -n 1 -o c.stf", "t.stf"), 0);
}

/* A terminal may show the rows. */
TEST(names_in_rows_of_csv_have_no_control_characters)
{
	write_leaf("le\033\"\xc2\x9b\xc3\xa9" "af");
	CHECK_EQ(with_symbols("stat --csv --by functions", "t.stf"), 0);
	CHECK_SHOWS("functions,\"le?\"\"?\xc3\xa9" "af (x)\",entries,1\n");
}
