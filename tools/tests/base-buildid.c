// SPDX-License-Identifier: GPL-2.0-only
/* Build ids out of files of ELF notes. */
#include <elf.h>
#include <elfutils/libdwelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buildid.h"
#include "test.h"

static char notes[8192];
static size_t size;

/* Appends a note as gABI lays it out: sizes, type, name and text, in words of four bytes. */
static void add(uint32_t type, const char *name, const char *text, uint32_t len)
{
	uint32_t head[3] = { strlen(name) + 1, len, type };

	memcpy(notes + size, head, sizeof(head));
	size += sizeof(head);
	memcpy(notes + size, name, head[0]);
	size += (head[0] + 3) / 4 * 4;
	memcpy(notes + size, text, len);
	size += (len + 3) / 4 * 4;
}

/* Of a file of the first bytes of them. */
static size_t read_first(size_t bytes, uint8_t *id, size_t max)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/notes", test_tmpdir());
	f = fopen(path, "w");
	CHECK(f && fwrite(notes, 1, bytes, f) == bytes && !fclose(f));
	return buildid_of_notes(path, id, max);
}

static const char want[] = "\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc"
			   "\xba\x98\x76\x54\x32\x10\x0f\x1e\x2d\x3c";

TEST(it_is_found_among_other_notes)
{
	uint8_t id[20] = {};

	size = 0;
	add(NT_GNU_BUILD_ID, "Xen", "another's", 9);
	add(0x100, "Linux", "x", 1);
	add(NT_GNU_ABI_TAG, "GNU", "0123456789abcdef", 16);
	add(NT_GNU_BUILD_ID, "GNU", want, 20);
	add(0x101, "Linux", "y", 1);
	CHECK_EQ(read_first(size, id, sizeof(id)), 20);
	CHECK(!memcmp(id, want, 20));
}

TEST(it_may_be_shorter_and_not_longer_than_there_is_room)
{
	uint8_t id[20] = {};

	size = 0;
	add(NT_GNU_BUILD_ID, "GNU", want, 16);
	CHECK_EQ(read_first(size, id, sizeof(id)), 16);
	CHECK(!memcmp(id, want, 16));
	memset(id, 0, sizeof(id));
	CHECK_EQ(read_first(size, id, 15), 0);
	CHECK_EQ(id[0], 0);
}

TEST(notes_that_end_too_early_have_none)
{
	uint8_t id[20];

	size = 0;
	add(NT_GNU_ABI_TAG, "GNU", "0123456789abcdef", 16);
	add(NT_GNU_BUILD_ID, "GNU", want, 20);
	for (size_t n = 0; n < size; n++)
		CHECK_EQ(read_first(n, id, sizeof(id)), 0);
	CHECK_EQ(read_first(size, id, sizeof(id)), 20);
}

/* Sums of 32 bits would come to what follows the sizes. */
TEST(sizes_beyond_the_file_end_the_search)
{
	static const uint32_t heads[][3] = {
		{ UINT32_MAX, 0, 1 },
		{ 0, UINT32_MAX, 1 },
		{ 4096, 0, 1 },
		{ 0, INT32_MAX, 1 },
	};
	uint8_t id[20];

	for (size_t i = 0; i < 4; i++) {
		memcpy(notes, heads[i], sizeof(heads[i]));
		size = sizeof(heads[i]);
		add(NT_GNU_BUILD_ID, "GNU", want, 20);
		CHECK_EQ(read_first(size, id, sizeof(id)), 0);
	}
}

/* As linkers lay out what they align to 8 bytes. */
TEST(notes_of_eight_bytes_are_told_apart)
{
	static const struct {
		uint32_t head[3];
		char name[4];
		uint32_t text[2], next[3];
		char next_name[4], id[20];
	} wide = { { 4, 4, 5 }, "GNU", { 1 }, { 4, 20, NT_GNU_BUILD_ID }, "GNU",
		   "0123456789abcdefghi" };
	size_t n = 0;

	CHECK(buildid_in_notes(&wide, sizeof(wide), 8, &n) == (const uint8_t *)wide.id);
	CHECK_EQ(n, 20);
	CHECK(!buildid_in_notes(&wide, sizeof(wide), 4, &n));
	CHECK(!buildid_in_notes(&wide, sizeof(wide) - 1, 8, &n));
}

TEST(a_file_that_is_not_there_has_none)
{
	uint8_t id[20];

	CHECK_EQ(buildid_of_notes("/no such file", id, sizeof(id)), 0);
}

/* As libdw finds it in what /proc shows of this process. */
TEST(the_vdso_has_its_own)
{
	uint64_t begin = 0, end = 0;
	uint8_t id[20], *copy;
	const void *other;
	char line[512];
	FILE *file;
	Elf *elf;

	file = fopen("/proc/self/maps", "r");
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, "[vdso]"))
			CHECK_EQ(sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end), 2);
	fclose(file);
	if (!end)
		test_skip("this kernel maps no vdso");
	copy = malloc(end - begin);
	memcpy(copy, (const void *)begin, end - begin);
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)copy, end - begin);
	CHECK_EQ(dwelf_elf_gnu_build_id(elf, &other), 20);
	CHECK_EQ(buildid_of_vdso(id, sizeof(id)), 20);
	CHECK(!memcmp(id, other, 20));
	CHECK_EQ(buildid_of_vdso(id, 19), 0);
	elf_end(elf);
	free(copy);
}
