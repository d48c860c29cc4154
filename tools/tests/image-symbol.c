// SPDX-License-Identifier: GPL-2.0-only
/* Images: the function at a place. */
#include "elf-build.h"
#include "image/demangle.h"
#include "image/image.h"
#include "test.h"

static uint16_t code[256];
static struct elfb elf;
static struct img *img;
static struct img_file *file;

static void add(const char *name, uint64_t offset, uint64_t size,
		unsigned int bind, unsigned int type)
{
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		name, ELFB_ADDR + ELFB_CODE + offset, size,
		ELF64_ST_INFO(bind, type)
	};
}

static void begin(void)
{
	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
}

static void load(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	CHECK(elfb_write(&elf, path));
	img = img_new(test_tmpdir());
	file = img_file(img, "/x", NULL, 0);
	CHECK_EQ(img_file_state(file), IMG_OK);
}

/* name NULL: there is none. */
static void check_at(int line, uint64_t offset, const char *name,
		     uint64_t from_start)
{
	uint64_t got_offset = 0;
	const char *got = NULL;
	bool found = img_symbol(file, ELFB_CODE + offset, &got, &got_offset);

	if (found != !!name || (name && strcmp(got, name)))
		test_fail(__FILE__, line, "at 0x%lx is %s",
			  (unsigned long)offset, found ? got : "nothing");
	if (found && got_offset != from_start)
		test_fail(__FILE__, line, "offset 0x%lx",
			  (unsigned long)got_offset);
}

#define CHECK_AT(...) check_at(__LINE__, __VA_ARGS__)

TEST(functions_by_place)
{
	begin();
	add("second", 0x20, 0x10, STB_LOCAL, STT_FUNC);
	add("first", 0x00, 0x10, STB_GLOBAL, STT_FUNC);
	load();
	CHECK_AT(0x00, "first", 0);
	CHECK_AT(0x0f, "first", 0xf);
	CHECK_AT(0x10, NULL, 0);
	CHECK_AT(0x20, "second", 0);
	CHECK_AT(0x2e, "second", 0xe);
	CHECK_AT(0x30, NULL, 0);
	CHECK(!img_symbol(file, 0, &(const char *){ NULL }, &(uint64_t){ 0 }));
	img_free(img);
}

static void check_function(int line, uint64_t offset, const char *name,
			   uint64_t start, uint64_t from, uint64_t to)
{
	struct img_function f = { 0 };
	bool found = img_function_at(file, ELFB_ADDR + ELFB_CODE + offset, &f);

	if (found != !!name ||
	    (found && (strcmp(f.name, name) || f.from != ELFB_ADDR + ELFB_CODE + from ||
		       f.to != ELFB_ADDR + ELFB_CODE + to ||
		       f.start != ELFB_ADDR + ELFB_CODE + start)))
		test_fail(__FILE__, line, "%s up to 0x%lx",
			  found ? f.name : "nothing", (unsigned long)f.to);
}

#define CHECK_FUNCTION(...) check_function(__LINE__, __VA_ARGS__)

TEST(functions_by_address)
{
	begin();
	add("outer", 0x00, 0x40, STB_GLOBAL, STT_FUNC);
	add("inner", 0x20, 0x10, STB_GLOBAL, STT_FUNC);
	add("last", 0x60, 0x10, STB_GLOBAL, STT_FUNC);
	load();
	CHECK_FUNCTION(0x00, "outer", 0x00, 0x00, 0x20);
	CHECK_FUNCTION(0x1f, "outer", 0x00, 0x00, 0x20);
	CHECK_FUNCTION(0x20, "inner", 0x20, 0x20, 0x30);
	CHECK_FUNCTION(0x30, "outer", 0x00, 0x30, 0x40);
	CHECK_FUNCTION(0x40, NULL, 0, 0, 0);
	CHECK_FUNCTION(0x6f, "last", 0x60, 0x60, 0x70);
	CHECK_FUNCTION(-ELFB_ADDR, NULL, 0, 0, 0);
	CHECK_FUNCTION(-2 * ELFB_ADDR, NULL, 0, 0, 0);
	img_free(img);
}

TEST(dynamic_symbols_where_there_are_no_others)
{
	begin();
	elf.dynamic = true;
	add("f", 0x00, 0x10, STB_GLOBAL, STT_FUNC);
	load();
	CHECK_AT(0x08, "f", 8);
	img_free(img);
}

TEST(labels_reach_to_the_next_symbol)
{
	begin();
	add("label", 0x00, 0, STB_GLOBAL, STT_NOTYPE);
	add("f", 0x20, 0x10, STB_GLOBAL, STT_FUNC);
	add("inside", 0x24, 0, STB_LOCAL, STT_NOTYPE);
	load();
	CHECK_AT(0x1e, "label", 0x1e);
	CHECK_AT(0x28, "f", 8);
	img_free(img);
}

TEST(names_of_the_assembler_are_left_out)
{
	begin();
	add("f", 0x00, 0x40, STB_GLOBAL, STT_FUNC);
	add("$x", 0x00, 0, STB_LOCAL, STT_NOTYPE);
	add(".L3", 0x10, 0, STB_LOCAL, STT_NOTYPE);
	add("data", 0x08, 8, STB_GLOBAL, STT_OBJECT);
	load();
	CHECK_AT(0x00, "f", 0);
	CHECK_AT(0x12, "f", 0x12);
	img_free(img);
}

/* As of GNU ld and lld, in static programs most of all. */
TEST(labels_of_the_linker_name_no_code)
{
	begin();
	add("__rela_iplt_end", 0x00, 0, STB_LOCAL, STT_NOTYPE);
	elf.sections[0] = ELFB_SYMBOLS;
	add("__absolute", 0x20, 0, STB_GLOBAL, STT_NOTYPE);
	elf.sections[1] = SHN_ABS;
	add("f", 0x40, 0x10, STB_GLOBAL, STT_FUNC);
	elf.code_size = 0x60;
	add("etext", 0x60, 0, STB_GLOBAL, STT_NOTYPE);
	load();
	CHECK_AT(0x00, NULL, 0);
	CHECK_AT(0x20, NULL, 0);
	CHECK_AT(0x44, "f", 4);
	img_free(img);
}

TEST(no_label_names_what_a_function_covers)
{
	begin();
	add("f", 0x00, 0x40, STB_LOCAL, STT_FUNC);
	add("loop", 0x10, 0x10, STB_GLOBAL, STT_NOTYPE);
	add("resolver", 0x50, 0x10, STB_LOCAL, STT_GNU_IFUNC);
	add("label", 0x50, 0x10, STB_GLOBAL, STT_NOTYPE);
	load();
	CHECK_AT(0x14, "f", 0x14);
	CHECK_AT(0x3e, "f", 0x3e);
	CHECK_AT(0x52, "resolver", 2);
	img_free(img);
}

TEST(of_several_names_the_global_function)
{
	begin();
	add("weak", 0x00, 0x10, STB_WEAK, STT_FUNC);
	add("local", 0x00, 0x10, STB_LOCAL, STT_FUNC);
	add("global", 0x00, 0x10, STB_GLOBAL, STT_FUNC);
	add("aaa", 0x00, 0, STB_GLOBAL, STT_NOTYPE);
	load();
	CHECK_AT(0x04, "global", 4);
	img_free(img);
}

TEST(of_several_names_the_weak_one_before_a_local_one)
{
	begin();
	add("a_local", 0x00, 0x10, STB_LOCAL, STT_FUNC);
	add("b_weak", 0x00, 0x10, STB_WEAK, STT_FUNC);
	add("c_local", 0x00, 0x10, STB_LOCAL, STT_FUNC);
	load();
	CHECK_AT(0x04, "b_weak", 4);
	img_free(img);
}

TEST(of_names_that_are_alike_in_all_else_the_first_by_the_alphabet)
{
	begin();
	add("b", 0x00, 0x10, STB_GLOBAL, STT_FUNC);
	add("a", 0x00, 0x10, STB_GLOBAL, STT_FUNC);
	load();
	CHECK_AT(0x04, "a", 4);
	img_free(img);
}

TEST(entries_of_the_plt_are_named_after_their_functions)
{
	begin();
	elf.plt_addr = ELFB_ADDR + ELFB_CODE + 0x100;
	elf.plt[elf.nr_plt++] = "puts";
	elf.plt[elf.nr_plt++] = "memcmp";
	add("main", 0x00, 0x20, STB_GLOBAL, STT_FUNC);
	load();
	CHECK_AT(0x10, "main", 0x10);
	CHECK_AT(0x104, ".plt", 4);
	CHECK_AT(0x120, "puts@plt", 0);
	CHECK_AT(0x13c, "memcmp@plt", 12);
	CHECK_AT(0x140, NULL, 0);
	img_free(img);
}

/* A static program has no others. Each function has its aliases. */
TEST(entries_of_functions_that_are_chosen_at_start_have_their_names)
{
	begin();
	elf.plt_addr = ELFB_ADDR + ELFB_CODE + 0x100;
	elf.chosen = true;
	elf.chosen_at[0] = ELFB_ADDR + ELFB_CODE + 0x40;
	elf.chosen_at[1] = ELFB_ADDR + ELFB_CODE + 0x60;
	elf.chosen_at[2] = ELFB_ADDR + ELFB_CODE + 0x20;
	elf.nr_plt = 3;
	add("main", 0x00, 0x20, STB_GLOBAL, STT_FUNC);
	add("__libc_memcpy", 0x20, 0x20, STB_GLOBAL, STT_GNU_IFUNC);
	add("choose", 0x20, 0x20, STB_LOCAL, STT_FUNC);
	add("memcpy", 0x20, 0x20, STB_GLOBAL, STT_GNU_IFUNC);
	add("memset", 0x40, 0x20, STB_WEAK, STT_GNU_IFUNC);
	load();
	CHECK_AT(0x100, "memset@plt", 0);
	CHECK_AT(0x114, ".plt", 4);
	CHECK_AT(0x124, "memcpy@plt", 4);
	img_free(img);
}

/* Without them. */
TEST(the_plt_of_a_static_program_has_a_name)
{
	begin();
	elf.extra = ".plt";
	elf.extra_addr = ELFB_ADDR + ELFB_CODE;
	elf.extra_size = 0x20;
	add("abort", 0x20, 0x20, STB_GLOBAL, STT_FUNC);
	load();
	CHECK_AT(0x14, ".plt", 0x14);
	CHECK_AT(0x20, "abort", 0);
	img_free(img);
}

TEST(without_symbols_there_are_none)
{
	begin();
	load();
	CHECK_AT(0x00, NULL, 0);
	img_free(img);
}

static size_t find(const char *name, const char *symbols[IMG_MAX_NAMED])
{
	struct img_demangler *demangler = img_demangler_new();
	const size_t nr = img_find_named(file, demangler, name, symbols);

	img_demangler_free(demangler);
	return nr;
}

static void check_named(int line, const char *name, const char *symbol)
{
	const char *symbols[IMG_MAX_NAMED];

	if (find(name, symbols) != 1 || strcmp(symbols[0], symbol))
		test_fail(__FILE__, line, "%s is not %s", name, symbol);
}

#define CHECK_NAMED(...) check_named(__LINE__, __VA_ARGS__)

TEST(functions_by_the_name_that_a_user_writes)
{
	const char *symbols[IMG_MAX_NAMED];

	begin();
	add("_Z5parsePKc", 0x00, 0x10, STB_GLOBAL, STT_FUNC);
	add("_Z5parsePKc.cold", 0x10, 0x10, STB_LOCAL, STT_FUNC);
	add("_Z4pickIiET_i", 0x20, 0x10, STB_WEAK, STT_FUNC);
	add("_Z4twini", 0x30, 0x10, STB_GLOBAL, STT_FUNC);
	add("_Z4twinc", 0x40, 0x10, STB_GLOBAL, STT_FUNC);
	add("twin", 0x50, 4, STB_GLOBAL, STT_OBJECT);
	add("_ZN3BoxC1Ev", 0x60, 0x10, STB_GLOBAL, STT_FUNC);
	add("_ZN3BoxC2Ev", 0x60, 0x10, STB_GLOBAL, STT_FUNC);
	add("split.part.0", 0x70, 0x10, STB_LOCAL, STT_FUNC);
	load();
	CHECK_NAMED("parse", "_Z5parsePKc");
	CHECK_NAMED("parse(char const*)", "_Z5parsePKc");
	CHECK_NAMED("_Z5parsePKc", "_Z5parsePKc");
	CHECK_NAMED("pick<int>", "_Z4pickIiET_i");
	CHECK_NAMED("pick<int>(int)", "_Z4pickIiET_i");
	CHECK_NAMED("pick", "_Z4pickIiET_i");
	CHECK_NAMED("Box::Box", "_ZN3BoxC1Ev");
	CHECK_NAMED("split", "split.part.0");
	CHECK_NAMED("twin(int)", "_Z4twini");
	CHECK_EQ(find("twin", symbols), 2);
	CHECK_STR(symbols[0], "_Z4twini");
	CHECK_STR(symbols[1], "_Z4twinc");
	CHECK_EQ(find("pars", symbols), 0);
	img_free(img);
}
