// SPDX-License-Identifier: GPL-2.0-only
/* The comments that tell the origin of a trace: their form, and the mappings they tell. */
#include "base/error.h"
#include "origin/tell.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct origin_line line;
static struct origin_mapping mapping;

static enum origin_key key_of(const char *comment)
{
	return origin_line(&line, comment, strlen(comment));
}

TEST(a_key_is_the_second_word)
{
	CHECK_EQ(key_of("ssctr origin 1"), ORIGIN_FORM);
	CHECK_EQ(key_of("ssctr command perf record -b -- ls"), ORIGIN_COMMAND);
	CHECK_EQ(line.size, strlen("perf record -b -- ls"));
	CHECK(!memcmp(line.value, "perf record -b -- ls", line.size));
	CHECK_EQ(key_of("ssctr host h"), ORIGIN_HOST);
	CHECK_EQ(key_of("ssctr kernel 6.12"), ORIGIN_KERNEL);
	CHECK_EQ(key_of("ssctr arch riscv64"), ORIGIN_ARCH);
	CHECK_EQ(key_of("ssctr event 0 period 1 x"), ORIGIN_EVENT);
	CHECK_EQ(key_of("ssctr map - 0x1 0x2 0x0 - x"), ORIGIN_MAP);
	CHECK_EQ(key_of("ssctr coverage 1.0"), ORIGIN_COVERAGE);
	CHECK_EQ(key_of("ssctr host "), ORIGIN_HOST);
	CHECK_EQ(line.size, 0);
}

TEST(other_comments_have_no_key)
{
	CHECK_EQ(key_of(""), ORIGIN_NONE);
	CHECK_EQ(key_of("ssctr "), ORIGIN_NONE);
	CHECK_EQ(key_of("ssctr  x"), ORIGIN_NONE);
	CHECK_EQ(key_of("ssctr host"), ORIGIN_NONE);
	CHECK_EQ(key_of("ssctr hosts a"), ORIGIN_NONE);
	CHECK_EQ(key_of("ssctr 0.2 stf, from perf.data"), ORIGIN_NONE);
	CHECK_EQ(key_of("hello ssctr host a"), ORIGIN_NONE);
}

static bool reads(const char *comment)
{
	return key_of(comment) == ORIGIN_MAP && origin_read_mapping(&mapping, &line);
}

TEST(a_mapping)
{
	CHECK(reads("ssctr map 17 0x10000 0x12000 0x1000 00ff1a /bin/a b"));
	CHECK_EQ(mapping.pid, 17);
	CHECK_EQ(mapping.start, 0x10000);
	CHECK_EQ(mapping.end, 0x12000);
	CHECK_EQ(mapping.offset, 0x1000);
	CHECK_EQ(mapping.build_id_size, 3);
	CHECK_EQ(mapping.build_id[1], 0xff);
	CHECK_EQ(mapping.build_id[2], 0x1a);
	CHECK_EQ(mapping.name_size, 8);
	CHECK(!memcmp(mapping.name, "/bin/a b", 8));
	CHECK(reads("ssctr map - 0xffffffff80000000 0xffffffffffffffff 0x0 - [k]"));
	CHECK_EQ(mapping.pid, ORIGIN_ALL);
	CHECK_EQ(mapping.build_id_size, 0);
}

TEST(a_mapping_is_written_as_it_is_read)
{
	static const char *const lines[] = {
		"ssctr map 17 0x10000 0x12000 0x1000 00ff1a /bin/a b",
		"ssctr map - 0xffffffff80000000 0xffffffffffffffff 0x0 - [k]x",
	};
	char text[ORIGIN_LINE_MAX];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		CHECK(reads(lines[i]));
		origin_write_mapping(text, &mapping);
		CHECK_STR(text, lines[i]);
	}
}

TEST(what_is_no_mapping)
{
	static const char *const lines[] = {
		"ssctr map ", "ssctr map 1", "ssctr map x 0x1 0x2 0x0 - a",
		"ssctr map -1 0x1 0x2 0x0 - a", "ssctr map 4294967295 0x1 0x2 0x0 - a",
		"ssctr map 1 1 0x2 0x0 - a", "ssctr map 1 0x 0x2 0x0 - a",
		"ssctr map 1 0x2 0x2 0x0 - a", "ssctr map 1 0x3 0x2 0x0 - a",
		"ssctr map 1 0x1 0x2 0x0 - ", "ssctr map 1 0x1 0x2 0x0 -",
		"ssctr map 1 0x1 0x2 0x0 abc a", "ssctr map 1 0x1 0x2 0x0 AB a",
		"ssctr map 1 0x1 0x2 0x-1 - a", "ssctr map 1  0x1 0x2 0x0 - a",
		"ssctr map 1 0x1 0x2 0x00000000000000000000001 - a",
		"ssctr map 1 0x1 0x2 0x0 0102030405060708090a0b0c0d0e0f101112131415 a",
	};
	unsigned int i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (reads(lines[i]))
			test_fail(__FILE__, __LINE__, "read: %s", lines[i]);
}

TEST(events_and_coverage)
{
	struct origin_event event;
	struct origin_coverage coverage;

	CHECK_EQ(key_of("ssctr event 3 frequency 4000 cycles:u"), ORIGIN_EVENT);
	CHECK(origin_read_event(&event, &line));
	CHECK_EQ(event.number, 3);
	CHECK(event.frequency);
	CHECK_EQ(event.period, 4000);
	CHECK_EQ(event.size, 8);
	key_of("ssctr event 3 every 4000 cycles:u");
	CHECK(!origin_read_event(&event, &line));
	key_of("ssctr coverage 0.25 of 4 instructions");
	CHECK(origin_read_coverage(&coverage, &line));
	CHECK(coverage.share == 0.25);
	CHECK_EQ(coverage.repeated, -1);
	key_of("ssctr coverage 0.25 of 4 instructions, 17 repeated");
	CHECK(origin_read_coverage(&coverage, &line));
	CHECK(coverage.share == 0.25);
	CHECK_EQ(coverage.repeated, 17);
	key_of("ssctr coverage - of - instructions, 17 repeated");
	CHECK(origin_read_coverage(&coverage, &line));
	CHECK(coverage.share < 0);
	CHECK_EQ(coverage.repeated, 17);
	key_of("ssctr coverage 0.25 of 4 instructions, 17 anew");
	CHECK(origin_read_coverage(&coverage, &line));
	CHECK_EQ(coverage.repeated, -1);
	key_of("ssctr coverage - of - instructions");
	CHECK(!origin_read_coverage(&coverage, &line));
	key_of("ssctr coverage 1.25 of 4 instructions");
	CHECK(!origin_read_coverage(&coverage, &line));
	key_of("ssctr coverage nan of");
	CHECK(!origin_read_coverage(&coverage, &line));
}

TEST(a_coverage_is_read_as_it_was_written)
{
	const struct origin_coverage known = { .share = 0.25, .repeated = 17 },
				     unknown = { .share = -1, .repeated = 17 };
	char text[128];

	origin_write_coverage(text, sizeof(text), &known, 4);
	CHECK_STR(text, "ssctr coverage 0.250000 of 4 instructions, 17 repeated");
	origin_write_coverage(text, sizeof(text), &unknown, 0);
	CHECK_STR(text, "ssctr coverage - of - instructions, 17 repeated");
}

static int take(struct origin *origin, const char *comment)
{
	return origin_take(origin, comment, strlen(comment));
}

TEST(lines_of_a_newer_form_are_not_taken)
{
	struct origin origin = { .version = 0 };

	CHECK_EQ(take(&origin, "ssctr host old"), ORIGIN_HOST);
	CHECK_EQ(take(&origin, "ssctr origin 2"), ORIGIN_FORM);
	CHECK_EQ(take(&origin, "ssctr kernel 7"), ORIGIN_NONE);
	CHECK_EQ(take(&origin, "ssctr map 1 0x1 0x2 0x0 - a"), ORIGIN_NONE);
	CHECK_STR(origin.texts[ORIGIN_HOST], "old");
	CHECK(!origin.texts[ORIGIN_KERNEL]);
	CHECK_EQ(origin.maps.nr, 0);
	origin_free(&origin);
}

/* Any bytes: an answer, and no crash. The sanitizers look on. */
TEST(damaged_lines)
{
	static const char start[] = "ssctr map 17 0x10000 0x12000 0x1000 00ff1a /bin/a";
	struct origin origin = { .version = 0 };
	unsigned int i, k;
	char *copy;

	for (i = 0; i < sizeof(start); i++) {
		copy = strndup(start, i);
		CHECK(origin_take(&origin, copy, i) >= 0);
		free(copy);
	}
	for (i = 0; i < 3000; i++) {
		copy = strdup(start);
		for (k = 0; k < 3; k++)
			copy[test_random() % (sizeof(start) - 1)] = (char)test_random();
		CHECK(origin_take(&origin, copy, sizeof(start) - 1) >= 0);
		free(copy);
	}
	origin_free(&origin);
}

/* --------------------------------------------------------------- mappings */

enum { ROOM = 300, PROCESSES = 3 };

/* What is at each address: the number of the mapping, and the offset. */
struct at {
	unsigned int name;
	uint64_t offset;
};

static void check_map(const struct origin_maps *maps, unsigned int pid,
		      unsigned int addr, const struct at *want)
{
	const struct origin_map *map = origin_maps_find(maps, pid, addr);
	char name[16];

	if (!want->name) {
		CHECK(!map);
		return;
	}
	CHECK(map);
	snprintf(name, sizeof(name), "f%u", want->name);
	CHECK_STR(maps->files[map->file].name, name);
	CHECK_EQ(map->offset + addr - map->start, want->offset);
}

TEST(random_mappings_are_those_of_a_table_of_addresses)
{
	static struct at table[PROCESSES][ROOM];
	struct origin_maps maps = { .nr = 0 };
	unsigned int round, i;

	for (round = 0; round < 2000; round++) {
		unsigned int pid = test_random() % PROCESSES;
		unsigned int start = test_random() % (ROOM - 1);
		unsigned int end = start + 1 + test_random() % 40;
		unsigned int file = 1 + test_random() % 5, offset = test_random() % 50;
		char name[16];

		if (end > ROOM)
			end = ROOM;
		snprintf(name, sizeof(name), "f%u", file);
		CHECK(origin_maps_add(&maps, &(struct origin_mapping){
			.pid = pid, .start = start, .end = end, .offset = offset,
			.name = name, .name_size = 2 }));
		for (i = start; i < end; i++)
			table[pid][i] = (struct at){ file, offset + i - start };
		for (i = 0; i < 20; i++) {
			unsigned int addr = test_random() % ROOM;

			pid = test_random() % PROCESSES;
			check_map(&maps, pid, addr, &table[pid][addr]);
		}
	}
	CHECK_EQ(maps.nr_files, 5);
	origin_maps_free(&maps);
}

TEST(the_kernel_is_in_all_processes)
{
	struct origin_maps maps = { .nr = 0 };

	CHECK(reads("ssctr map - 0x1000 0x2000 0x0 - [k]"));
	CHECK(origin_maps_add(&maps, &mapping));
	CHECK(reads("ssctr map 5 0x1800 0x2000 0x0 - /a"));
	CHECK(origin_maps_add(&maps, &mapping));
	CHECK_EQ(origin_maps_find(&maps, 5, 0x1000)->pid, ORIGIN_ALL);
	CHECK_EQ(origin_maps_find(&maps, 5, 0x1800)->pid, 5);
	CHECK_EQ(origin_maps_find(&maps, 6, 0x1800)->pid, ORIGIN_ALL);
	CHECK(!origin_maps_find(&maps, 6, 0x2000));
	origin_maps_free(&maps);
}

TEST(memory_for_mappings_has_a_bound)
{
	struct origin_maps maps = { .nr = 0 };
	struct origin_mapping m = { .name = "/a", .name_size = 2 };
	unsigned int i;

	for (i = 0; i < 3 * ORIGIN_MAX_MAPS; i++) {
		m.pid = i % 5 ? 7 : i;
		m.start = 2 * (uint64_t)i;
		m.end = m.start + 1;
		CHECK(origin_maps_add(&maps, &m));
		CHECK(maps.nr <= ORIGIN_MAX_MAPS);
		/* The newest is always known. */
		CHECK(origin_maps_find(&maps, m.pid, m.start));
	}
	CHECK(!maps.files_full);
	origin_maps_free(&maps);
}

TEST(a_name_has_less_than_4096_bytes)
{
	static const char begin[] = "ssctr map 5 0x1000 0x2000 0x0 - ";
	char text[sizeof(begin) + ORIGIN_NAME_MAX];

	memset(text, 'a', sizeof(text));
	memcpy(text, begin, strlen(begin));
	text[strlen(begin) + ORIGIN_NAME_MAX - 1] = 0;
	CHECK(reads(text));
	CHECK_EQ(mapping.name_size, ORIGIN_NAME_MAX - 1);
	text[strlen(begin) + ORIGIN_NAME_MAX - 1] = 'a';
	text[strlen(begin) + ORIGIN_NAME_MAX] = 0;
	CHECK(!reads(text));
}

TEST(memory_for_names_has_a_bound)
{
	struct origin_maps maps = { .nr = 0 };
	char name[ORIGIN_NAME_MAX];
	struct origin_mapping m = { .end = 1, .name = name, .name_size = 4000 };
	unsigned int i;

	memset(name, 'a', sizeof(name));
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "%04u", i);
		name[4] = 'a';
		m.start = i;
		m.end = i + 1;
		CHECK(origin_maps_add(&maps, &m));
	}
	CHECK(maps.files_full);
	CHECK(maps.file_bytes < ORIGIN_MAX_FILE_BYTES + 4200);
	CHECK(origin_maps_find(&maps, 0, 0));
	CHECK_STR(maps.files[origin_maps_find(&maps, 0, 1999)->file].name, "//anon");
	origin_maps_free(&maps);
}

/* A process that executes a program of which nothing is known runs no other one there. */
TEST(a_file_that_finds_no_room_takes_the_place_of_what_was_mapped_before)
{
	struct origin_maps maps = { .file_bytes = ORIGIN_MAX_FILE_BYTES - 1 };

	CHECK(reads("ssctr map 5 0x1000 0x4000 0x0 - /a"));
	CHECK(origin_maps_add(&maps, &mapping));
	CHECK(reads("ssctr map 5 0x2000 0x3000 0x0 - /b"));
	CHECK(origin_maps_add(&maps, &mapping));
	CHECK(maps.files_full);
	CHECK(origin_maps_find(&maps, 5, 0x1fff));
	CHECK_STR(maps.files[origin_maps_find(&maps, 5, 0x2000)->file].name, "//anon");
	CHECK_STR(maps.files[origin_maps_find(&maps, 5, 0x2fff)->file].name, "//anon");
	CHECK_EQ(origin_maps_find(&maps, 5, 0x3000)->offset, 0x2000);
	/* A file that is known still has its room. */
	CHECK(reads("ssctr map 5 0x2000 0x3000 0x0 - /a"));
	CHECK(origin_maps_add(&maps, &mapping));
	CHECK(origin_maps_find(&maps, 5, 0x2000));
	origin_maps_free(&maps);
}

/* ------------------------------------------------------------ what to tell */

TEST(a_mapping_is_told_before_its_first_instruction_and_again)
{
	struct origin_tell tell = { .due = 0 };
	const uint64_t late = 2 + ORIGIN_REPEAT;

	CHECK(reads("ssctr map 5 0x1000 0x2000 0x0 - /a"));
	CHECK(origin_tell_add(&tell, &mapping));
	CHECK(!origin_tell_due(&tell, 6, 0x1000, 0, 0));
	CHECK(!origin_tell_due(&tell, 5, 0x2000, 1, 1));
	CHECK_STR(origin_tell_due(&tell, 5, 0x1800, 2, 2),
		  "ssctr map 5 0x1000 0x2000 0x0 - /a");
	CHECK(!origin_tell_due(&tell, 5, 0x1000, 3, 3));
	CHECK(!origin_tell_due(&tell, 5, 0x1000, late - 1, late - 1));
	/* Its last instruction would be too far away. */
	CHECK(origin_tell_due(&tell, 5, 0x1000, late - 1, late));
	CHECK(!origin_tell_due(&tell, 5, 0x1000, late, late));
	/* Another one in its place. */
	CHECK(reads("ssctr map 5 0x1000 0x1800 0x0 - /b"));
	CHECK(origin_tell_add(&tell, &mapping));
	CHECK(origin_tell_due(&tell, 5, 0x1000, late + 1, late + 1));
	CHECK(!origin_tell_due(&tell, 5, 0x1800, late + 2, late + 2));
	origin_tell_free(&tell);
}
