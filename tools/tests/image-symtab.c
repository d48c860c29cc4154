// SPDX-License-Identifier: GPL-2.0-only
/* Names by place: which of several a place has, and how far it reaches. */
#include <stdlib.h>

#include "image/symtab.h"
#include "test.h"

static struct img_symtab table;

static void begin(void)
{
	free(table.v);
	table = (struct img_symtab){ 0 };
}

static void add(const char *name, uint64_t start, uint64_t size,
		unsigned int bind, unsigned int type)
{
	GElf_Sym sym = { .st_info = GELF_ST_INFO(bind, type) };

	CHECK(img_symtab_add(&table, start, size, name, img_symbol_rank(&sym)));
}

/* name NULL: there is none. */
static void check_at(int line, uint64_t at, const char *name)
{
	const struct img_symbol *symbol = img_symtab_find(&table, at);

	if (!symbol != !name || (name && strcmp(symbol->name, name)))
		test_fail(__FILE__, line, "at 0x%lx is %s", (unsigned long)at,
			  symbol ? symbol->name : "nothing");
}

#define CHECK_AT(...) check_at(__LINE__, __VA_ARGS__)

TEST(an_empty_table_has_no_names)
{
	begin();
	img_symtab_settle(&table, 100);
	CHECK_AT(0, NULL);
}

/* From the best to the worst; each begins where all do. */
TEST(of_several_names_one_is_the_best)
{
	static const struct {
		const char *name;
		unsigned int bind, type;
	} v[] = {
		{ "a_function", STB_GLOBAL, STT_FUNC },
		{ "b_function", STB_GLOBAL, STT_FUNC },
		{ "a_weak_function", STB_WEAK, STT_GNU_IFUNC },
		{ "a_part.cold", STB_LOCAL, STT_FUNC },
		{ "a_label", STB_GLOBAL, STT_NOTYPE },
		{ "a_weak_label", STB_WEAK, STT_NOTYPE },
		{ "a_label_of_its_own", STB_LOCAL, STT_NOTYPE },
	};
	const size_t nr = sizeof(v) / sizeof(*v);
	size_t best, i;

	/* Whatever the order of the others is. */
	for (best = 0; best < nr; best++) {
		begin();
		for (i = nr; i-- > best;)
			add(v[i].name, 0x10, 8, v[i].bind, v[i].type);
		img_symtab_settle(&table, 0);
		CHECK_EQ(table.nr, 1);
		CHECK_AT(0x14, v[best].name);
		begin();
		for (i = best; i < nr; i++)
			add(v[i].name, 0x10, 8, v[i].bind, v[i].type);
		img_symtab_settle(&table, 0);
		CHECK_AT(0x14, v[best].name);
	}
}

/* The size is that of the name that is given. */
TEST(a_name_reaches_as_far_as_its_size)
{
	begin();
	add("f", 0x10, 8, STB_GLOBAL, STT_FUNC);
	add("alias", 0x10, 0x20, STB_LOCAL, STT_FUNC);
	img_symtab_settle(&table, 0x1000);
	CHECK_AT(0x0f, NULL);
	CHECK_AT(0x17, "f");
	CHECK_AT(0x18, NULL);
}

/* As handle_exception of the kernel, which begins where the text of entries ends. */
TEST(a_label_with_a_size_is_better_than_one_without)
{
	begin();
	add("a_linker_s_label", 0x10, 0, STB_GLOBAL, STT_NOTYPE);
	add("entry", 0x10, 8, STB_GLOBAL, STT_NOTYPE);
	img_symtab_settle(&table, 0x1000);
	CHECK_AT(0x14, "entry");
	CHECK_AT(0x18, NULL);
}

TEST(without_a_size_it_reaches_to_the_next_or_to_the_end)
{
	begin();
	add("last", 0x30, 0, STB_GLOBAL, STT_FUNC);
	add("first", 0x10, 0, STB_GLOBAL, STT_NOTYPE);
	add("second", 0x20, 4, STB_GLOBAL, STT_FUNC);
	img_symtab_settle(&table, 0x40);
	CHECK_AT(0x1f, "first");
	CHECK_AT(0x20, "second");
	CHECK_AT(0x24, NULL);
	CHECK_AT(0x3f, "last");
	CHECK_AT(0x40, NULL);
}

/* What another function covers is its own, and behind it the one around it goes on. */
TEST(a_function_inside_another_has_a_name_and_a_label_has_not)
{
	begin();
	add("outer", 0x10, 0x40, STB_LOCAL, STT_FUNC);
	add("label", 0x18, 0x10, STB_GLOBAL, STT_NOTYPE);
	add("inner", 0x20, 0x10, STB_LOCAL, STT_FUNC);
	add("without_size", 0x38, 0, STB_GLOBAL, STT_FUNC);
	add("behind", 0x50, 0x10, STB_GLOBAL, STT_NOTYPE);
	img_symtab_settle(&table, 0x60);
	CHECK_AT(0x1c, "outer");
	CHECK_AT(0x20, "inner");
	CHECK_AT(0x30, "outer");
	CHECK_AT(0x40, "outer");
	CHECK_AT(0x50, "behind");
	CHECK_AT(0x60, NULL);
	/* Who asks for the function's own addresses gets all of them. */
	CHECK_EQ(img_symtab_find(&table, 0x10)->end, 0x50);
}

/* Divisions of libgcc are so, and so is what only touches its neighbour. */
TEST(behind_several_inside_comes_the_one_that_reaches_so_far)
{
	begin();
	add("outer", 0x10, 0x40, STB_GLOBAL, STT_FUNC);
	add("middle", 0x18, 0x18, STB_GLOBAL, STT_FUNC);
	add("inner", 0x20, 0x8, STB_GLOBAL, STT_FUNC);
	add("other", 0x38, 0x18, STB_GLOBAL, STT_FUNC);
	add("apart", 0x58, 0x8, STB_GLOBAL, STT_FUNC);
	img_symtab_settle(&table, 0x100);
	CHECK_AT(0x20, "inner");
	CHECK_AT(0x28, "middle");
	CHECK_AT(0x30, "outer");
	CHECK_AT(0x4f, "other");
	CHECK_AT(0x50, NULL);
	CHECK_AT(0x60, NULL);
}
