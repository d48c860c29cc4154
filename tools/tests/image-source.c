// SPDX-License-Identifier: GPL-2.0-only
/* Images: the line of source at a place. */
#include "dwarf-build.h"
#include "elf-build.h"
#include "image/image.h"
#include "test.h"

#include <unistd.h>

static uint16_t code[32];
static const uint8_t id[20] = { 0xc0, 0xff, 0xee, 1, 2, 3, [19] = 9 };
static struct elfb elf;
static struct dwb debug;
static struct img *img;
static struct img_file *file;

#define AT(_offset) (ELFB_ADDR + ELFB_CODE + (_offset))

/* Lines 11, 12, none, 21 and 11 again, of four bytes each, from 0x04 to 0x18, in a unit up to 0x1c. */
static void begin(uint64_t moved)
{
	static const int lines[] = { 11, 12, 0, 21, 11 };
	unsigned int i;

	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = id, .build_id_size = sizeof(id),
			     .moved = moved };
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(4) + moved, 0x18);
	for (i = 0; i < 5; i++)
		dwb_row(&debug, AT(4 + 4 * i) + moved, lines[i], 0);
	dwb_finish(&debug, AT(0x18) + moved);
	dwb_sections(&debug, &elf);
}

static void write_to(const char *name)
{
	CHECK(elfb_write(&elf, test_path(name)));
	dwb_free(&debug);
}

static void load(void)
{
	img = img_new(test_tmpdir());
	file = img_file(img, "/x", NULL, 0);
	CHECK_EQ(img_file_state(file), IMG_OK);
}

enum { NONE = -1 };

/* At an offset of the code. */
static int line_at(uint64_t offset)
{
	const char *path = NULL;
	unsigned int line = 0;

	if (!img_line(file, ELFB_CODE + offset, &path, &line))
		return NONE;
	CHECK_STR(path, "/src/x.c");
	return line;
}

static void check_lines(void)
{
	CHECK_EQ(line_at(0x02), NONE);
	CHECK_EQ(line_at(0x04), 11);
	CHECK_EQ(line_at(0x06), 11);
	CHECK_EQ(line_at(0x08), 12);
	CHECK_EQ(line_at(0x0c), NONE);
	CHECK_EQ(line_at(0x10), 21);
	CHECK_EQ(line_at(0x16), 11);
	CHECK_EQ(line_at(0x18), NONE);
	CHECK_EQ(line_at(0x20), NONE);
}

TEST(a_line_reaches_up_to_the_next)
{
	begin(0);
	write_to("x");
	load();
	check_lines();
	img_free(img);
}

/* f has 04 to 10 and g 10 to 18, as symbols. with_functions: as GCC tells them, g behind its nops. */
static void begin_nops(uint64_t moved, bool with_functions)
{
	begin(moved);
	dwb_free(&debug);
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		"f", AT(0x04) + moved, 0x0c, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		"g", AT(0x10) + moved, 0x08, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	dwb_begin(&debug, "/src/x.c", AT(0x04) + moved, 0x14);
	if (with_functions) {
		dwb_function(&debug, "f", "f", 10, AT(0x04) + moved, 0x0c);
		dwb_leave(&debug);
		dwb_function(&debug, "g", "g", 20, AT(0x14) + moved, 0x04);
		dwb_leave(&debug);
	}
	dwb_row(&debug, AT(0x04) + moved, 11, 0);
	dwb_row(&debug, AT(0x14) + moved, 21, 0);
	dwb_finish(&debug, AT(0x18) + moved);
	dwb_sections(&debug, &elf);
}

static void check_nops(int line)
{
	struct img_frame frames[2];

	load();
	CHECK_EQ(line_at(0x0e), 11);
	if (line_at(0x10) != line || line_at(0x12) != line)
		test_fail(__FILE__, __LINE__, "not %d", line);
	CHECK_EQ(img_frames(file, ELFB_CODE + 0x12, frames, 2), line == NONE ? 0 : 1);
	CHECK_EQ(line_at(0x14), 21);
	img_free(img);
}

/* As the kernel's ftrace needs them. The table of lines has them behind the last row of f. */
TEST(nops_at_the_start_of_a_function_have_no_line_of_the_function_before_it)
{
	static const char by_id[] =
		"usr/lib/debug/.build-id/c0/ffee0102030000000000000000000000000009.debug";

	begin_nops(0, true);
	write_to("x");
	check_nops(NONE);
	begin_nops(0x1000, true);
	write_to(by_id);
	begin(0);
	memset(elf.debug, 0, sizeof(elf.debug));
	write_to("x");
	check_nops(NONE);
	CHECK(!remove(test_path(by_id)));
}

/* Of assembly code, a line may go on in the next symbol. */
TEST(without_functions_a_line_reaches_over_a_symbol)
{
	begin_nops(0, false);
	write_to("x");
	check_nops(11);
}

TEST(behind_its_end_a_unit_has_no_lines)
{
	begin(0);
	dwb_free(&debug);
	dwb_begin(&debug, "/src/x.c", AT(4), 0x08);
	dwb_row(&debug, AT(4), 11, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	write_to("x");
	load();
	CHECK_EQ(line_at(0x0a), 11);
	CHECK_EQ(line_at(0x0c), NONE);
	img_free(img);
}

static const uint8_t md5_of_source[16] = { 1, 2, 3, [15] = 16 };

static void begin_with_md5(void)
{
	static const int lines[] = { 11, 12, 0, 21, 11 };
	unsigned int i;

	begin(0);
	dwb_free(&debug);
	debug = (struct dwb){ .second = "/src/y.c", .md5 = md5_of_source };
	dwb_begin(&debug, "/src/x.c", AT(4), 0x18);
	for (i = 0; i < 5; i++)
		dwb_row(&debug, AT(4 + 4 * i), lines[i], 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
}

/* DWARF 5 has it, as clang writes it, and older forms have not. */
TEST(the_md5_of_a_source_file_is_told)
{
	struct img_built built;

	begin_with_md5();
	write_to("x");
	load();
	check_lines();
	CHECK(img_built(file, ELFB_CODE + 0x08, &built));
	CHECK(built.has_md5 && !memcmp(built.md5, md5_of_source, 16));
	CHECK_STR(built.path, img_file_path(file));
	CHECK(!img_built(file, ELFB_CODE + 0x0c, &built));
	img_free(img);
	begin(0);
	write_to("x");
	load();
	CHECK(img_built(file, ELFB_CODE + 0x08, &built) && !built.has_md5);
	img_free(img);
}

/* With --gc-sections: its rows begin at 0, and may be more than there is before the code. */
TEST(a_function_that_the_linker_dropped_has_no_lines)
{
	begin(0);
	dwb_free(&debug);
	dwb_begin(&debug, "/src/x.c", 0, AT(0x20));
	dwb_row(&debug, 0, 11, 0);
	dwb_finish(&debug, AT(0x20));
	dwb_sections(&debug, &elf);
	write_to("x");
	load();
	CHECK_EQ(line_at(0x04), NONE);
	img_free(img);
}

TEST(of_a_stripped_file_the_lines_are_in_its_debug_file)
{
	begin(0x2000);
	write_to("usr/lib/debug/.build-id/c0/ffee0102030000000000000000000000000009.debug");
	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = id, .build_id_size = sizeof(id) };
	write_to("x");
	load();
	check_lines();
	img_free(img);
}

/* It has a section of debug information, but nothing of use in it. */
TEST(a_file_whose_debug_information_is_empty_is_as_good_as_stripped)
{
	begin(0x2000);
	write_to("usr/lib/debug/.build-id/c0/ffee0102030000000000000000000000000009.debug");
	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = id, .build_id_size = sizeof(id) };
	elf.debug[0] = (struct elfb_bytes){ "", 1 };
	write_to("x");
	load();
	check_lines();
	img_free(img);
}

TEST(what_has_no_debug_information_has_no_lines)
{
	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
	write_to("x");
	load();
	CHECK_EQ(line_at(0x04), NONE);
	CHECK_EQ(line_at(0x04), NONE);
	/* Nor has a file that is not there. */
	file = img_file(img, "/y", NULL, 0);
	CHECK_EQ(line_at(0x04), NONE);
	img_free(img);
}

TEST(compressed_debug_information_has_its_lines)
{
	static const unsigned int forms[] = { ELFCOMPRESS_ZLIB, ELFB_ZSTD };
	size_t i;

	for (i = 0; i < 2; i++) {
		begin_with_md5();
		elf.form = forms[i];
		write_to("x");
		load();
		check_lines();
		CHECK_STR(img_file_unnamed(file), "");
		img_free(img);
	}
}

TEST(an_unknown_form_of_compression_is_told)
{
	begin(0);
	elf.form = 99;
	write_to("x");
	load();
	/* Nobody has asked for lines. */
	CHECK_STR(img_file_unnamed(file), "");
	CHECK_EQ(line_at(0x04), NONE);
	CHECK(strstr(img_file_unnamed(file), "/x: source lines and inlined functions, because the debug information is compressed in a form that ssctr does not know (ch_type 99); "));
	img_free(img);
}

TEST(debug_information_that_would_be_too_large_is_told)
{
	char *zeros = calloc(1, 100 << 20);

	CHECK(zeros);
	begin(0);
	elf.form = ELFB_ZSTD;
	elf.debug[1] = (struct elfb_bytes){ zeros, 100 << 20 };
	write_to("x");
	free(zeros);
	load();
	CHECK_EQ(line_at(0x04), NONE);
	CHECK(strstr(img_file_unnamed(file), "/x: source lines and inlined functions, because the debug information is damaged, or would take more than 64 MiB and 32 times the size of the file"));
	img_free(img);
}

/* It has what the program itself does not tell. */
TEST(a_debug_file_makes_up_for_an_unknown_form_of_compression)
{
	begin(0);
	write_to("usr/lib/debug/.build-id/c0/ffee0102030000000000000000000000000009.debug");
	begin(0);
	elf.form = 99;
	write_to("x");
	load();
	check_lines();
	CHECK_STR(img_file_unnamed(file), "");
	img_free(img);
}

/* --- functions that were inlined --- */

/*
 * outer from 04 to 18; middle, which was called in line 12, from 08 to 14; inner, which was
 * called in middle's line 31, from 0c to 10.
 */
static void begin_inlined(void)
{
	static const int lines[] = { 11, 30, 41, 32, 13 };
	uint32_t inner, middle;
	unsigned int i;

	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = id, .build_id_size = sizeof(id) };
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(4), 0x18);
	inner = dwb_abstract(&debug, "inner", 40);
	middle = dwb_abstract(&debug, "middle", 30);
	dwb_function(&debug, "outer", "_Z5outerv", 10, AT(4), 0x14);
	dwb_inlined(&debug, middle, AT(8), 0x0c, 12, 0);
	dwb_inlined(&debug, inner, AT(0x0c), 4, 31, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_leave(&debug);
	for (i = 0; i < 5; i++)
		dwb_row(&debug, AT(4 + 4 * i), lines[i], 0);
	dwb_finish(&debug, AT(0x1c));
	dwb_sections(&debug, &elf);
}

/* "inner:41 middle:31 outer:12" */
static const char *frames_at(uint64_t offset, size_t max)
{
	static char text[128];
	struct img_frame v[8];
	size_t i, n = 0, nr = img_frames(file, ELFB_CODE + offset, v, max);

	*text = 0;
	for (i = 0; i < nr; i++) {
		CHECK_STR(v[i].path, "/src/x.c");
		n += snprintf(text + n, sizeof(text) - n, "%s%s:%u", i ? " " : "",
			      v[i].name ?: "?", v[i].line);
	}
	return text;
}

TEST(the_innermost_function_comes_first_and_callers_have_the_line_of_the_call)
{
	begin_inlined();
	write_to("x");
	load();
	CHECK_STR(frames_at(0x04, 8), "outer:11");
	CHECK_STR(frames_at(0x08, 8), "middle:30 outer:12");
	CHECK_STR(frames_at(0x0c, 8), "inner:41 middle:31 outer:12");
	CHECK_STR(frames_at(0x0e, 8), "inner:41 middle:31 outer:12");
	CHECK_STR(frames_at(0x10, 8), "middle:32 outer:12");
	CHECK_STR(frames_at(0x14, 8), "outer:13");
	img_free(img);
}

TEST(where_there_is_less_room_the_innermost_are_told)
{
	begin_inlined();
	write_to("x");
	load();
	CHECK_STR(frames_at(0x0c, 2), "inner:41 middle:31");
	CHECK_STR(frames_at(0x0c, 1), "inner:41");
	CHECK_STR(frames_at(0x0c, 0), "");
	img_free(img);
}

/* 18 is behind outer, but of the unit; 02 is of none. */
TEST(a_line_of_no_function_has_no_name)
{
	begin_inlined();
	write_to("x");
	load();
	CHECK_STR(frames_at(0x18, 8), "?:13");
	CHECK_STR(frames_at(0x02, 8), "");
	img_free(img);
}

TEST(symbols_are_those_of_functions_that_are_linked)
{
	struct img_frame v[8];

	begin_inlined();
	write_to("x");
	load();
	CHECK_EQ(img_frames(file, ELFB_CODE + 0x08, v, 8), 2);
	CHECK(!v[0].symbol);
	CHECK_STR(v[1].symbol, "_Z5outerv");
	img_free(img);
}

TEST(functions_know_where_they_are_declared)
{
	struct img_frame v[8];

	begin_inlined();
	write_to("x");
	load();
	CHECK_EQ(img_frames(file, ELFB_CODE + 0x08, v, 8), 2);
	CHECK_EQ(v[0].start, 30);
	CHECK_EQ(v[1].start, 10);
	img_free(img);
}

/*
 * A block of outer has inner; a lambda in outer and a class in a namespace have one function
 * each. Before them stand the last one, and one that the linker dropped.
 */
TEST(functions_are_found_wherever_they_stand)
{
	static const int lines[] = { 11, 41, 21, 22, 23 };
	uint32_t inner;
	unsigned int i;

	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = id, .build_id_size = sizeof(id) };
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(4), 0x18);
	inner = dwb_abstract(&debug, "inner", 40);
	dwb_function(&debug, "last", "last", 23, AT(0x14), 4);
	dwb_leave(&debug);
	dwb_function(&debug, "dropped", "dropped", 9, 0, AT(0x20));
	dwb_leave(&debug);
	dwb_function(&debug, "empty", "empty", 9, AT(0x0c), 0);
	dwb_leave(&debug);
	dwb_function(&debug, "outer", "outer", 10, AT(4), 8);
	dwb_enter(&debug, DWB_CLASS);
	dwb_function(&debug, "lambda", "lambda", 20, AT(0x0c), 4);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_enter(&debug, DWB_BLOCK);
	dwb_enter(&debug, DWB_BLOCK);
	dwb_leave(&debug);
	dwb_enter(&debug, DWB_BLOCK);
	dwb_inlined(&debug, inner, AT(8), 4, 12, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_enter(&debug, DWB_NAMESPACE);
	dwb_enter(&debug, DWB_CLASS);
	dwb_function(&debug, "method", "method", 22, AT(0x10), 4);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_leave(&debug);
	for (i = 0; i < 5; i++)
		dwb_row(&debug, AT(4 + 4 * i), lines[i], 0);
	dwb_finish(&debug, AT(0x1c));
	dwb_sections(&debug, &elf);
	write_to("x");
	load();
	CHECK_STR(frames_at(0x04, 8), "outer:11");
	CHECK_STR(frames_at(0x08, 8), "inner:41 outer:12");
	CHECK_STR(frames_at(0x0c, 8), "lambda:21");
	CHECK_STR(frames_at(0x10, 8), "method:22");
	CHECK_STR(frames_at(0x16, 8), "last:23");
	CHECK_STR(frames_at(0x18, 8), "?:23");
	img_free(img);
}

/* Of the files that the line table has: 1, 2, one that is not there, and none. */
TEST(a_call_is_in_the_file_that_it_is_said_to_be_in)
{
	static const unsigned int files[] = { 1, 2, 3, 7, 0 };
	static const char *const paths[] = { "/src/x.c", "/src/y.h", "/src/x.c", "/src/x.c",
					       "/src/x.c" };
	struct img_frame v[2];
	uint32_t inner;
	unsigned int i;

	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
	debug = (struct dwb){ .second = "/src/y.h" };
	dwb_begin(&debug, "/src/x.c", AT(4), 0x18);
	inner = dwb_abstract(&debug, "inner", 40);
	dwb_function(&debug, "outer", "outer", 10, AT(4), 0x14);
	for (i = 0; i < 5; i++) {
		dwb_inlined_in(&debug, inner, AT(4 + 4 * i), 4, files[i], 50 + i);
		dwb_leave(&debug);
	}
	dwb_leave(&debug);
	dwb_row(&debug, AT(4), 41, 0);
	dwb_finish(&debug, AT(0x1c));
	dwb_sections(&debug, &elf);
	write_to("x");
	load();
	for (i = 0; i < 5; i++) {
		CHECK_EQ(img_frames(file, ELFB_CODE + 4 + 4 * i, v, 2), 2);
		CHECK_STR(v[0].path, "/src/x.c");
		CHECK_EQ(v[0].line, 41);
		CHECK_STR(v[1].path, paths[i]);
		CHECK_EQ(v[1].line, 50 + i);
	}
	img_free(img);
}

/* As many as a sample's place may be in, and more; or blocks in blocks. */
static void nest(unsigned int what, unsigned int nr)
{
	uint32_t inner;
	unsigned int i;

	elf = (struct elfb){ .code = code, .code_size = sizeof(code),
			     .build_id = id, .build_id_size = sizeof(id) };
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(4), 0x18);
	inner = dwb_abstract(&debug, "inner", 40);
	dwb_function(&debug, "outer", "outer", 10, AT(4), 0x14);
	for (i = 0; i < nr; i++)
		if (what == DWB_INLINED)
			dwb_inlined(&debug, inner, AT(4), 4, 100 + i, 0);
		else if (what == DWB_FUNCTION)
			dwb_function(&debug, "other", "other", 10, AT(0x10), 4);
		else
			dwb_enter(&debug, what);
	if (what == DWB_CLASS || what == DWB_FUNCTION)
		dwb_function(&debug, "deep", "deep", 10, AT(0x18), 4);
	else
		dwb_inlined(&debug, inner, AT(4), 4, 99, 0);
	for (i = 0; i < nr + 2; i++)
		dwb_leave(&debug);
	dwb_row(&debug, AT(4), 11, 0);
	dwb_finish(&debug, AT(0x1c));
	dwb_sections(&debug, &elf);
	write_to("x");
	load();
}

TEST(a_place_is_in_no_more_than_64_functions)
{
	struct img_frame v[70];
	unsigned int i;

	nest(DWB_INLINED, 62);
	CHECK_EQ(img_frames(file, ELFB_CODE + 4, v, 70), 64);
	CHECK_STR(v[63].name, "outer");
	CHECK_EQ(v[63].line, 100);
	img_free(img);
	nest(DWB_INLINED, 80);
	CHECK_EQ(img_frames(file, ELFB_CODE + 4, v, 70), 64);
	for (i = 0; i < 63; i++)
		CHECK_STR(v[i].name, "inner");
	/* The outermost. */
	CHECK_STR(v[63].name, "outer");
	img_free(img);
}

/* As damaged data may seem to have without an end. */
TEST(blocks_in_blocks_are_followed_up_to_200)
{
	nest(DWB_BLOCK, 200);
	CHECK_STR(frames_at(0x04, 8), "inner:11 outer:99");
	img_free(img);
	nest(DWB_BLOCK, 201);
	CHECK_STR(frames_at(0x04, 8), "outer:11");
	img_free(img);
}

TEST(functions_in_classes_and_functions_are_too)
{
	nest(DWB_CLASS, 199);
	CHECK_STR(frames_at(0x18, 8), "deep:11");
	img_free(img);
	nest(DWB_CLASS, 200);
	CHECK_STR(frames_at(0x18, 8), "?:11");
	img_free(img);
	nest(DWB_FUNCTION, 199);
	CHECK_STR(frames_at(0x18, 8), "deep:11");
	img_free(img);
	nest(DWB_FUNCTION, 200);
	CHECK_STR(frames_at(0x18, 8), "?:11");
	img_free(img);
}

/* --- split debug information --- */

/*
 * As begin_inlined(), but the functions are in one.dwo, which the program names in the
 * folder dir. outer has `size` bytes there.
 */
static void write_split(const char *dir, uint64_t size)
{
	static const int lines[] = { 11, 30, 41, 32, 13 };
	struct dwb functions = { 0 };
	struct elfb dwo = { .code = "", .code_size = 1, .dwo = true };
	uint32_t inner, middle;
	unsigned int i;

	dwb_begin_split(&functions, "/src/x.c");
	inner = dwb_abstract(&functions, "inner", 40);
	middle = dwb_abstract(&functions, "middle", 30);
	dwb_function(&functions, "outer", "_Z5outerv", 10, AT(4), size);
	dwb_inlined(&functions, middle, AT(8), 0x0c, 12, 0);
	dwb_inlined(&functions, inner, AT(0x0c), 4, 31, 0);
	dwb_leave(&functions);
	dwb_leave(&functions);
	dwb_leave(&functions);
	dwb_function(&functions, "next", "next", 13, AT(0x14), size ? 8 : 0);
	dwb_leave(&functions);
	dwb_finish(&functions, 0);
	dwb_sections(&functions, &dwo);
	CHECK(elfb_write(&dwo, test_path("one.dwo")));
	dwb_free(&functions);

	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
	debug = (struct dwb){ 0 };
	dwb_begin_skeleton(&debug, "/src/x.c", "one.dwo", dir, AT(4), 0x18);
	for (i = 0; i < 5; i++)
		dwb_row(&debug, AT(4 + 4 * i), lines[i], 0);
	dwb_finish(&debug, AT(0x1c));
	dwb_sections(&debug, &elf);
	write_to("x");
}

static void check_split(void)
{
	CHECK_STR(frames_at(0x04, 8), "outer:11");
	CHECK_STR(frames_at(0x08, 8), "middle:30 outer:12");
	CHECK_STR(frames_at(0x0c, 8), "inner:41 middle:31 outer:12");
	CHECK_STR(frames_at(0x10, 8), "middle:32 outer:12");
	CHECK_STR(frames_at(0x14, 8), "next:13");
}

TEST(inlined_functions_come_from_a_dwo_file_in_the_compiler_s_folder)
{
	write_split(test_tmpdir(), 0x10);
	load();
	CHECK_STR(img_file_unnamed(file), "");
	check_split();
	CHECK_STR(img_file_unnamed(file), "");
	img_free(img);
}

TEST(inlined_functions_come_from_a_dwo_file_beside_the_program)
{
	write_split("/no/such/folder", 0x10);
	load();
	check_split();
	CHECK_STR(img_file_unnamed(file), "");
	img_free(img);
}

TEST(without_its_dwo_file_a_unit_has_its_lines_and_the_file_is_named)
{
	write_split("/no/such/folder", 0x10);
	CHECK_EQ(unlink(test_path("one.dwo")), 0);
	load();
	CHECK_EQ(line_at(0x0c), 41);
	/* Nobody has asked for the functions. */
	CHECK_STR(img_file_unnamed(file), "");
	CHECK_STR(frames_at(0x0c, 8), "?:41");
	CHECK_STR(frames_at(0x10, 8), "?:32");
	CHECK(strstr(img_file_unnamed(file), "/x: inlined functions, "));
	CHECK(strstr(img_file_unnamed(file),
		     "/no/such/folder/one.dwo was not found, or is of another build (such .dwo files: 1)"));
	CHECK(strstr(img_file_unnamed(file), "/x.dwp"));
	img_free(img);
}

/* As GCC 14 to 16 write them. */
TEST(a_function_without_an_end_reaches_up_to_the_next)
{
	write_split(test_tmpdir(), 0);
	load();
	check_split();
	CHECK(strstr(img_file_unnamed(file), "leaves the sizes of RISC-V functions out"));
	img_free(img);
}

/* Then each list would be read, and kept, once for each function: much from a small file. */
enum { SHARING = 250 };

static const char more_than_bytes[] =
	" inlined functions, because the debug information is damaged: it has more ranges of addresses than the file has bytes";

/* A unit and a function in which the first line is. */
static void begin_shared(void)
{
	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(4), 4);
	dwb_function(&debug, "outer", "_Z5outerv", 10, AT(4), 4);
}

static void finish_shared(unsigned int units)
{
	const uint32_t list = dwb_list(&debug, AT(8), 4, 0, units);

	dwb_row(&debug, AT(4), 11, 0);
	dwb_row(&debug, AT(8), 12, 0);
	dwb_finish(&debug, AT(0x0c));
	while (units--)
		dwb_listed_unit(&debug, list);
	dwb_sections(&debug, &elf);
	write_to("x");
	load();
}

/* A list that is told from a base: each range of it counts. */
TEST(a_function_may_have_several_ranges)
{
	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(0), 0x20);
	dwb_listed(&debug, DWB_LISTED_FUNCTION, dwb_list(&debug, AT(8), 4, 8, 3));
	dwb_row(&debug, AT(0), 12, 0);
	dwb_finish(&debug, AT(0x20));
	dwb_sections(&debug, &elf);
	write_to("x");
	load();
	CHECK_STR(frames_at(0x04, 8), "?:12");
	CHECK_STR(frames_at(0x08, 8), "listed:12");
	CHECK_STR(frames_at(0x10, 8), "listed:12");
	CHECK_STR(frames_at(0x18, 8), "listed:12");
	CHECK_STR(frames_at(0x14, 8), "?:12");
	img_free(img);
}

TEST(functions_that_share_a_list_of_ranges_end_it)
{
	uint32_t list;
	unsigned int i;

	begin_shared();
	dwb_leave(&debug);
	list = dwb_list(&debug, AT(8), 4, 0, SHARING);
	for (i = 0; i < SHARING; i++)
		dwb_listed(&debug, DWB_LISTED_FUNCTION, list);
	finish_shared(0);
	CHECK_STR(frames_at(0x04, 8), "outer:11");
	CHECK(strstr(img_file_unnamed(file), "/x: some inlined"));
	CHECK(strstr(img_file_unnamed(file), more_than_bytes));
	img_free(img);
}

TEST(inlined_functions_that_share_a_list_of_ranges_end_it)
{
	uint32_t list;
	unsigned int i;

	begin_shared();
	list = dwb_list(&debug, AT(8), 4, 0, SHARING);
	for (i = 0; i < SHARING; i++)
		dwb_listed(&debug, DWB_LISTED_INLINED, list);
	dwb_leave(&debug);
	finish_shared(0);
	CHECK_STR(frames_at(0x04, 8), "outer:11");
	CHECK(strstr(img_file_unnamed(file), more_than_bytes));
	img_free(img);
}

TEST(units_that_share_a_list_of_ranges_end_it)
{
	begin_shared();
	dwb_leave(&debug);
	finish_shared(SHARING);
	CHECK_EQ(line_at(0x04), 11);
	CHECK_EQ(line_at(0x08), 12);
	CHECK(strstr(img_file_unnamed(file), "/x: some source lines and"));
	CHECK(strstr(img_file_unnamed(file), more_than_bytes));
	img_free(img);
}

/* Each byte of it set to 0xff in turn: nothing is promised but that it ends well. */
static void damage(void)
{
	char path[256];
	size_t i;

	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	for (i = 0; i < debug.info.n + debug.line.n; i++) {
		uint8_t *p = i < debug.info.n ? debug.info.p + i :
						debug.line.p + (i - debug.info.n);
		const uint8_t was = *p;
		struct img_frame v[8];
		struct img_built built;
		uint64_t at;

		*p = 0xff;
		CHECK(elfb_write(&elf, path));
		*p = was;
		load();
		for (at = 0; at < 0x20; at += 4)
			if (img_frames(file, ELFB_CODE + at, v, 8))
				img_built(file, ELFB_CODE + at, &built);
		img_free(img);
	}
	dwb_free(&debug);
}

TEST(damaged_debug_information_does_no_harm)
{
	begin_inlined();
	damage();
	begin_with_md5();
	damage();
}
