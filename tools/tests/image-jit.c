// SPDX-License-Identifier: GPL-2.0-only
/* Code that a program makes itself: jitdumps and perf maps. */
#include "image/jit.h"
#include "jit-build.h"
#include "test.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RISCV = 243, X86 = 62 };

static struct pdb_buf dump;
static struct img *img;
static struct img_file *file;

static void begin(uint32_t machine, uint64_t flags)
{
	dump = (struct pdb_buf){ 0 };
	jitb_begin(&dump, machine, flags);
}

static void load(uint64_t time, uint64_t addr, const char *name,
		 const char *code)
{
	jitb_load(&dump, time, addr, addr / 16 + time, name, code,
		  strlen(code));
}

static void open_dump(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/jit-5.dump", test_tmpdir());
	CHECK(jitb_write(&dump, path));
	free(dump.p);
	img = img_new(test_tmpdir());
	file = img_file(img, "/jit-5.dump", NULL, 0);
	CHECK(file);
}

/* The code at addr then is this text, which starts at start; NULL: none. */
static void check_code(int line, uint64_t addr, uint64_t time,
		       uint64_t start, const char *text)
{
	uint64_t at = 0, size = 0, offset = 0, left;
	enum img_state state =
		img_jit_code(file, addr, time, &at, &size, &offset);
	const uint8_t *p = state ? NULL : img_code(file, offset, &left);

	if (!text) {
		if (state != IMG_ANON && state != IMG_CHANGED)
			test_fail(__FILE__, line, "state %d", state);
		return;
	}
	if (state != IMG_OK || at != start || size != strlen(text) || !p ||
	    left < size || memcmp(p, text, size))
		test_fail(__FILE__, line, "state %d, %lu bytes at 0x%lx",
			  state, (unsigned long)size, (unsigned long)at);
}

#define CHECK_CODE(...) check_code(__LINE__, __VA_ARGS__)

TEST(code_is_found_by_its_address)
{
	begin(RISCV, 0);
	load(10, 0x1000, "a", "AAAA");
	load(20, 0x3000, "b", "BBBBBBBB");
	load(30, 0x2000, "c", "CC");
	open_dump();
	CHECK_EQ(img_file_state(file), IMG_OK);
	CHECK_EQ(img_file_bits(file), 64);
	CHECK_CODE(0x1003, 99, 0x1000, "AAAA");
	CHECK_CODE(0x3000, 99, 0x3000, "BBBBBBBB");
	CHECK_CODE(0x2001, 99, 0x2000, "CC");
	CHECK_CODE(0x1004, 99, 0, NULL);
	CHECK_CODE(0x0fff, 99, 0, NULL);
	CHECK_CODE(0x3008, 99, 0, NULL);
	img_free(img);
}

TEST(an_address_holds_one_code_after_the_other)
{
	begin(RISCV, 0);
	load(10, 0x1000, "a", "AAAAAAAA");
	load(20, 0x1004, "b", "BB");
	load(30, 0x1000, "c", "CCCC");
	open_dump();
	CHECK_CODE(0x1002, 9, 0, NULL);
	CHECK_CODE(0x1002, 10, 0x1000, "AAAAAAAA");
	CHECK_CODE(0x1004, 15, 0x1000, "AAAAAAAA");
	CHECK_CODE(0x1004, 20, 0x1004, "BB");
	CHECK_CODE(0x1002, 29, 0x1000, "AAAAAAAA");
	CHECK_CODE(0x1002, 30, 0x1000, "CCCC");
	/* Beyond the newer ones the oldest is still there. */
	CHECK_CODE(0x1007, 40, 0x1000, "AAAAAAAA");
	img_free(img);
}

TEST(without_a_time_only_what_never_changed_is_known)
{
	begin(RISCV, 0);
	load(10, 0x1000, "a", "AAAA");
	load(20, 0x1000, "b", "BBBB");
	load(30, 0x2000, "c", "CCCC");
	open_dump();
	CHECK_CODE(0x1000, IMG_JIT_ANY_TIME, 0, NULL);
	CHECK_EQ(img_jit_code(file, 0x1000, IMG_JIT_ANY_TIME, NULL, NULL, NULL), IMG_CHANGED);
	CHECK_EQ(img_jit_code(file, 0x4000, IMG_JIT_ANY_TIME, NULL, NULL, NULL), IMG_ANON);
	CHECK_CODE(0x2000, IMG_JIT_ANY_TIME, 0x2000, "CCCC");
	img_free(img);
}

TEST(times_of_another_clock_are_no_times)
{
	begin(RISCV, 1);
	load(10, 0x1000, "a", "AAAA");
	load(20, 0x1000, "b", "BBBB");
	load(30, 0x2000, "c", "CCCC");
	open_dump();
	CHECK_CODE(0x1000, 15, 0, NULL);
	CHECK_CODE(0x2000, 15, 0x2000, "CCCC");
	img_free(img);
}

TEST(code_moves)
{
	begin(RISCV, 0);
	jitb_load(&dump, 10, 0x1000, 7, "a", "AAAA", 4);
	jitb_move(&dump, 20, 0x1000, 0x5000, 4, 7);
	open_dump();
	CHECK_CODE(0x5001, 15, 0, NULL);
	CHECK_CODE(0x5001, 20, 0x5000, "AAAA");
	img_free(img);
}

/* Each to where the last one moved it, and no larger than it was there. */
TEST(code_moves_again)
{
	begin(RISCV, 0);
	jitb_load(&dump, 10, 0x1000, 7, "a", "AAAA", 4);
	jitb_load(&dump, 12, 0x2000, 8, "b", "BBBB", 4);
	jitb_move(&dump, 20, 0x1000, 0x5000, 2, 7);
	jitb_move(&dump, 30, 0x5000, 0x6000, 4, 7);
	jitb_load(&dump, 40, 0x3000, 7, "c", "CCCC", 4);
	jitb_move(&dump, 50, 0x3000, 0x7000, 4, 7);
	jitb_move(&dump, 60, 0x3000, 0x8000, 4, 9);
	open_dump();
	CHECK_CODE(0x6001, 30, 0x6000, "AA");
	CHECK_CODE(0x7000, 50, 0x7000, "CCCC");
	CHECK_CODE(0x8000, 60, 0, NULL);
	img_free(img);
}

/* One after the other, they would be compared 4 billion times. */
TEST(many_moves_of_what_was_never_loaded_take_no_time)
{
	enum { MANY = 1 << 16 };
	const clock_t start = clock();
	unsigned int i;

	begin(RISCV, 0);
	for (i = 0; i < MANY; i++)
		jitb_load(&dump, 10, 0x1000 + 16 * i, i, "a", "AAAA", 4);
	for (i = 0; i < MANY; i++)
		jitb_move(&dump, 20, 0x1000, 0x5000, 4, MANY + i);
	open_dump();
	CHECK_CODE(0x1000, 20, 0x1000, "AAAA");
	CHECK(clock() - start < 5 * CLOCKS_PER_SEC);
	img_free(img);
}

TEST(methods_have_names)
{
	uint64_t start, size, offset, from;
	const char *name;

	begin(RISCV, 0);
	load(10, 0x1000, "first", "AAAA");
	load(20, 0x1000, "second", "BBBB");
	open_dump();
	CHECK_EQ(img_jit_code(file, 0x1002, 10, &start, &size, &offset), 0);
	CHECK(img_symbol(file, offset + 2, &name, &from));
	CHECK_STR(name, "first");
	CHECK_EQ(from, 2);
	CHECK_EQ(img_jit_code(file, 0x1002, 20, &start, &size, &offset), 0);
	CHECK(img_symbol(file, offset, &name, &from));
	CHECK_STR(name, "second");
	img_free(img);
}

TEST(code_that_was_moved_to_nowhere_keeps_its_name)
{
	uint64_t start, size, offset, from;
	const char *name;

	begin(RISCV, 0);
	jitb_load(&dump, 10, 0x1000, 7, "a", "AAAA", 4);
	jitb_move(&dump, 20, 0x1000, 0x5000, 0, 7);
	open_dump();
	CHECK_EQ(img_jit_code(file, 0x1000, 15, &start, &size, &offset), 0);
	CHECK(img_symbol(file, offset + 3, &name, &from));
	CHECK_STR(name, "a");
	CHECK(!img_symbol(file, offset + 4, &name, &from));
	img_free(img);
}

TEST(a_dump_of_another_machine_is_refused)
{
	begin(X86, 0);
	load(10, 0x1000, "a", "AAAA");
	open_dump();
	CHECK_EQ(img_file_state(file), IMG_NOT_RISCV);
	CHECK(strstr(img_file_error(file), "/jit-5.dump: not RISC-V code"));
	img_free(img);
}

TEST(what_is_no_dump_is_refused)
{
	begin(RISCV, 0);
	dump.p[0] ^= 1;
	open_dump();
	CHECK_EQ(img_file_state(file), IMG_NOT_ELF);
	CHECK(strstr(img_file_error(file), "not a jitdump"));
	img_free(img);
}

TEST(a_dump_that_is_cut_has_what_came_before)
{
	size_t whole;

	begin(RISCV, 0);
	load(10, 0x1000, "a", "AAAA");
	whole = dump.n;
	load(20, 0x2000, "b", "BBBB");
	dump.n = whole + test_random() % (dump.n - whole);
	open_dump();
	CHECK_CODE(0x1000, 99, 0x1000, "AAAA");
	CHECK_CODE(0x2000, 99, 0, NULL);
	img_free(img);
}

/* At `at` of the record that begins at `record`. */
static void damage(size_t record, size_t at, uint32_t value)
{
	memcpy(dump.p + record + at, &value, sizeof(value));
}

enum { SIZE_AT = 4, CODE_SIZE_AT = 40, TO_NAME = 56 };

TEST(code_reaches_at_most_to_the_end_of_its_record)
{
	size_t record;

	begin(RISCV, 0);
	record = dump.n;
	load(10, 0x1000, "a", "AAAA");
	open_dump();
	CHECK_CODE(0x1000, 99, 0x1000, "AAAA");
	img_free(img);

	begin(RISCV, 0);
	load(10, 0x1000, "a", "AAAA");
	damage(record, CODE_SIZE_AT, 5);
	open_dump();
	CHECK_CODE(0x1000, 99, 0, NULL);
	img_free(img);
}

TEST(a_record_reaches_at_most_to_the_end_of_the_dump)
{
	size_t record;

	begin(RISCV, 0);
	load(10, 0x1000, "a", "AAAA");
	record = dump.n;
	load(20, 0x2000, "b", "BBBB");
	damage(record, SIZE_AT, dump.n - record + 1);
	open_dump();
	CHECK_CODE(0x1000, 99, 0x1000, "AAAA");
	CHECK_CODE(0x2000, 99, 0, NULL);
	img_free(img);
}

/* A name needs room for its end, and a method for its name. */
TEST(a_record_without_a_whole_name_is_passed_by)
{
	static const uint32_t sizes[] = { TO_NAME - 1, TO_NAME, TO_NAME + 1 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		size_t record;

		begin(RISCV, 0);
		record = dump.n;
		load(10, 0x1000, "a", "");
		dump.n = record + sizes[i];
		damage(record, SIZE_AT, sizes[i]);
		load(20, 0x2000, "b", "BBBB");
		open_dump();
		CHECK_CODE(0x1000, 99, 0, NULL);
		CHECK_CODE(0x2000, 99, 0x2000, "BBBB");
		img_free(img);
	}
}

TEST(a_move_that_is_cut_moves_nothing)
{
	size_t record;

	begin(RISCV, 0);
	jitb_load(&dump, 10, 0x1000, 7, "a", "AAAA", 4);
	record = dump.n;
	jitb_move(&dump, 20, 0x1000, 0x5000, 4, 7);
	dump.n--;
	damage(record, SIZE_AT, dump.n - record);
	open_dump();
	CHECK_CODE(0x5000, 99, 0, NULL);
	CHECK_CODE(0x1000, 99, 0x1000, "AAAA");
	img_free(img);
}

TEST(a_move_takes_no_more_than_there_is)
{
	begin(RISCV, 0);
	jitb_load(&dump, 10, 0x1000, 7, "a", "AAAA", 4);
	jitb_move(&dump, 20, 0x1000, 0x5000, 9, 7);
	jitb_move(&dump, 30, 0x1000, 0x6000, 3, 7);
	open_dump();
	CHECK_CODE(0x5000, 99, 0x5000, "AAAA");
	CHECK_CODE(0x6000, 99, 0x6000, "AAA");
	img_free(img);
}

/* The shortest record there is, at the end: another one's that says nothing here. */
TEST(a_record_of_another_kind_may_be_the_last)
{
	begin(RISCV, 0);
	load(10, 0x1000, "a", "AAAA");
	pdb_u32(&dump, 3);
	pdb_u32(&dump, 16);
	pdb_u64(&dump, 20);
	open_dump();
	CHECK_EQ(img_file_state(file), IMG_OK);
	CHECK_CODE(0x1000, 99, 0x1000, "AAAA");
	img_free(img);
}

TEST(a_record_shorter_than_any_ends_the_dump)
{
	begin(RISCV, 0);
	load(10, 0x1000, "a", "AAAA");
	pdb_u32(&dump, 3);
	pdb_u32(&dump, 15);
	pdb_u64(&dump, 20);
	load(30, 0x2000, "b", "BBBB");
	open_dump();
	CHECK_CODE(0x1000, 99, 0x1000, "AAAA");
	CHECK_CODE(0x2000, 99, 0, NULL);
	img_free(img);
}

TEST(a_header_of_the_shortest_length_is_one)
{
	begin(RISCV, 0);
	open_dump();
	CHECK_EQ(img_file_state(file), IMG_OK);
	img_free(img);

	begin(RISCV, 0);
	dump.n--;
	open_dump();
	CHECK_EQ(img_file_state(file), IMG_NOT_ELF);
	img_free(img);
}

TEST(a_damaged_dump_does_no_harm)
{
	unsigned int i, j;

	for (i = 0; i < 200; i++) {
		uint64_t start, size, offset, left;

		begin(RISCV, 0);
		load(10, 0x1000, "a", "AAAA");
		jitb_move(&dump, 20, 0x1000, 0x5000, 4, 0x1000 / 16 + 10);
		load(30, 0x2000, "b", "BBBB");
		for (j = 0; j < 3; j++)
			dump.p[test_random() % dump.n] = test_random();
		open_dump();
		for (j = 0; j < 3; j++) {
			static const uint64_t at[] = { 0x1000, 0x2000, 0x5000 };

			if (!img_jit_code(file, at[j], 99, &start, &size,
					  &offset)) {
				CHECK(img_code(file, offset, &left));
				CHECK(left >= size);
			}
		}
		img_free(img);
	}
}

TEST(a_perf_map_names_addresses)
{
	char path[512];
	const char *name;
	uint64_t from;
	FILE *out;

	snprintf(path, sizeof(path), "%s/tmp", test_tmpdir());
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/tmp/perf-5.map", test_tmpdir());
	out = fopen(path, "w");
	CHECK(out);
	fputs("3000 10 a name with blanks\nnonsense\n1000 20 old\n"
	      "1000 8 new\n2000 10 no end of line", out);
	fclose(out);
	img = img_new(test_tmpdir());
	CHECK(!img_perf_map(img, 6));
	file = img_perf_map(img, 5);
	CHECK(file);
	CHECK(img_symbol(file, 0x3004, &name, &from));
	CHECK_STR(name, "a name with blanks");
	CHECK_EQ(from, 4);
	/* What was told last about a place holds. */
	CHECK(img_symbol(file, 0x1000, &name, &from));
	CHECK_STR(name, "new");
	CHECK(img_symbol(file, 0x1008, &name, &from));
	CHECK_STR(name, "old");
	CHECK(!img_symbol(file, 0x1020, &name, &from));
	CHECK(!img_symbol(file, 0x2000, &name, &from));
	img_free(img);
}

/* The map of process 5, in which each piece of code is a line. */
static void open_map(const char *lines)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/tmp", test_tmpdir());
	mkdir(path, 0700);
	strcat(path, "/perf-5.map");
	out = fopen(path, "w");
	CHECK(out && fputs(lines, out) >= 0 && !fclose(out));
	img = img_new(test_tmpdir());
	file = img_perf_map(img, 5);
	CHECK(file);
}

static void check_name(int line, uint64_t addr, const char *want)
{
	const char *name = NULL;
	uint64_t from;

	if (!img_symbol(file, addr, &name, &from))
		name = NULL;
	if (!name != !want || (want && strcmp(name, want)))
		test_fail(__FILE__, line, "%s at 0x%lx", name ?: "nothing", (unsigned long)addr);
}

#define CHECK_NAME(...) check_name(__LINE__, __VA_ARGS__)

TEST(code_that_a_perf_map_has_later_hides_what_it_lies_over)
{
	/* Larger code over smaller code, whether it begins before it or at its start. */
	open_map("1040 40 stale\n1000 100 current\n");
	CHECK_NAME(0x1000, "current");
	CHECK_NAME(0x1048, "current");
	CHECK_NAME(0x10ff, "current");
	CHECK_NAME(0x1100, NULL);
	img_free(img);
	/* Smaller code over larger code, of which both ends remain. */
	open_map("1000 100 old\n1040 40 new\n");
	CHECK_NAME(0x103f, "old");
	CHECK_NAME(0x1040, "new");
	CHECK_NAME(0x107f, "new");
	CHECK_NAME(0x1080, "old");
	img_free(img);
	/* Over the end of one and the start of another. */
	open_map("1000 40 first\n1040 40 second\n1030 20 third\n");
	CHECK_NAME(0x102f, "first");
	CHECK_NAME(0x1030, "third");
	CHECK_NAME(0x104f, "third");
	CHECK_NAME(0x1050, "second");
	img_free(img);
}

/* A user's list may be larger than the disk, if most of it are holes. */
TEST(holes_of_a_perf_map_take_no_memory)
{
	struct rusage before, after;
	char path[512];

	snprintf(path, sizeof(path), "%s/tmp/perf-5.map", test_tmpdir());
	open_map("1000 8 made\n");
	CHECK(!getrusage(RUSAGE_SELF, &before) && !truncate(path, 64 << 20));
	CHECK(img_reread_perf_map(file));
	CHECK_NAME(0x1000, "made");
	CHECK_STR(img_file_error(file), "");
	CHECK(!truncate(path, (64 << 20) + 1) && img_reread_perf_map(file));
	CHECK_NAME(0x1000, "made");
	CHECK(strstr(img_file_error(file), "perf-5.map: what follows the first 64 MiB"));
	CHECK(!getrusage(RUSAGE_SELF, &after) && after.ru_maxrss - before.ru_maxrss < 16 << 10);
	CHECK(!truncate(path, 12) && img_reread_perf_map(file));
	CHECK_STR(img_file_error(file), "");
	img_free(img);
}

/* Which name is the last of each address, and whether it had others, is also found line by line. */
TEST(each_address_has_the_last_name_that_a_perf_map_gives_it)
{
	enum { LINES = 40, NAMES = 20, ADDRS = 100, ROUNDS = 100 };
	char lines[LINES * 16];
	int last[ADDRS];
	uint32_t names[ADDRS]; /* a bit for each */
	unsigned int round, i, at;
	uint64_t several;
	char name[16];

	for (round = 0; round < ROUNDS; round++) {
		size_t n = 0;

		memset(last, -1, sizeof(last));
		memset(names, 0, sizeof(names));
		several = 0;
		for (i = 0; i < LINES; i++) {
			const unsigned int start = test_random() % ADDRS;
			const unsigned int size = test_random() % 20;

			n += snprintf(lines + n, sizeof(lines) - n, "%x %x f%u\n", start, size,
				      i % NAMES);
			for (at = start; at < start + size && at < ADDRS; at++) {
				last[at] = i % NAMES;
				names[at] |= 1u << i % NAMES;
			}
		}
		open_map(lines);
		for (at = 0; at < ADDRS; at++) {
			const bool has = names[at] & (names[at] - 1);

			several += has && names[at] & ~(at ? names[at - 1] : 0);
			CHECK_EQ(img_has_several_names(file, at), has);
			snprintf(name, sizeof(name), "f%d", last[at]);
			CHECK_NAME(at, last[at] < 0 ? NULL : name);
		}
		CHECK_EQ(img_several_names(file), several);
		img_free(img);
	}
}

/* Its names are those of the last code of each address, as in a perf map. */
TEST(later_code_of_a_dump_hides_the_names_lent_to_a_file)
{
	struct img_file *other;
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/lib", test_tmpdir());
	out = fopen(path, "w");
	CHECK(out && !fclose(out));
	begin(RISCV, 0);
	load(10, 0x1004, "stale", "AA");
	load(20, 0x1000, "current", "BBBBBBBB");
	open_dump();
	other = img_file(img, "/lib", NULL, 0);
	CHECK(img_lend_names(file, other, 0x1000, 0x2000, 0));
	file = other;
	CHECK_NAME(0, "current");
	CHECK_NAME(5, "current");
	CHECK_NAME(8, NULL);
	img_free(img);
}

/* It may have any names. One in a place that was named is found behind it. */
TEST(a_perf_map_of_another_user_is_used_only_if_its_folder_was_named)
{
	char path[512], copies[400];
	FILE *out;

	if (geteuid())
		test_skip("only root can give files to others");
	open_map("1000 8 false\n");
	CHECK_NAME(0x1000, "false");
	/* Nor is what another user puts in its place later. */
	snprintf(path, sizeof(path), "%s/tmp/perf-5.map", test_tmpdir());
	out = fopen(path, "a");
	CHECK(out && fputs("2000 8 more\n", out) >= 0 && !fclose(out));
	CHECK(!chown(path, 12, 34) && !img_reread_perf_map(file));
	CHECK_NAME(0x2000, NULL);
	img_free(img);

	img = img_new(test_tmpdir());
	file = img_perf_map(img, 5);
	CHECK(file);
	CHECK_NAME(0x1000, NULL);
	CHECK(strstr(img_file_error(file), "perf-5.map: a perf map of another user"));
	CHECK(!img_reread_perf_map(file));
	img_free(img);

	snprintf(copies, sizeof(copies), "%s/copies", test_tmpdir());
	CHECK(!mkdir(copies, 0700));
	snprintf(path, sizeof(path), "%s/perf-5.map", copies);
	out = fopen(path, "w");
	CHECK(out && fputs("1000 8 copied\n", out) >= 0 && !fclose(out));
	/* As `cp -a` and containers have it. */
	CHECK(!chown(path, 12, 34));
	img = img_new(test_tmpdir());
	CHECK(img_add_place(img, copies));
	file = img_perf_map(img, 5);
	CHECK(file);
	CHECK_NAME(0x1000, "copied");
	CHECK_STR(img_file_error(file), "");
	out = fopen(path, "a");
	CHECK(out && fputs("2000 8 more\n", out) >= 0 && !fclose(out));
	CHECK(img_reread_perf_map(file));
	CHECK_NAME(0x2000, "more");
	img_free(img);
}

TEST(a_perf_map_is_found_in_a_place_or_is_one)
{
	static const char *const places[] = { "/box", "/box/tmp", "/box/tmp/perf-5.map" };
	char path[512];
	unsigned int i;
	FILE *out;

	snprintf(path, sizeof(path), "%s/box", test_tmpdir());
	mkdir(path, 0700);
	strcat(path, "/tmp");
	mkdir(path, 0700);
	strcat(path, "/perf-5.map");
	out = fopen(path, "w");
	CHECK(out && fputs("1000 8 made\n", out) >= 0 && !fclose(out));
	for (i = 0; i < 3; i++) {
		img = img_new("/nowhere");
		snprintf(path, sizeof(path), "%s%s", test_tmpdir(), places[i]);
		CHECK(!img_perf_map(img, 5));
		CHECK(img_add_place(img, path));
		CHECK(img_perf_map(img, 5));
		CHECK(!img_perf_map(img, 6));
		img_free(img);
	}
}
