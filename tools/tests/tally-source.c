// SPDX-License-Identifier: GPL-2.0-only
/* The label of a recording: its contents, and nothing else. */
#include "tally/tally.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cf_source source;
static struct error error;

/* A file of size bytes that are all the same, except for one. */
static void label(const char *name, size_t size, size_t at, uint8_t other)
{
	const char *path = test_path(name);
	uint8_t *bytes = calloc(size, 1);
	FILE *file = fopen(path, "w");

	bytes[at] = other;
	CHECK(file && fwrite(bytes, size, 1, file) == 1 && !fclose(file));
	free(bytes);
	CHECK_EQ(tally_source_of_file(path, &source, &error), 0);
	CHECK(!source.first && !source.last);
}

TEST(the_same_contents_have_the_same_label_under_any_name)
{
	struct cf_source first;

	label("a", 100000, 5, 1);
	first = source;
	label("b", 100000, 5, 1);
	CHECK(!memcmp(&first, &source, sizeof(first)));
}

TEST(one_byte_anywhere_makes_another_label)
{
	static const size_t places[] = { 0, 4095, 4096, 50000, 95904, 99999 };
	struct cf_source first;
	unsigned int i;

	label("a", 100000, 0, 0);
	first = source;
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		label("b", 100000, places[i], 1);
		CHECK(memcmp(&first, &source, sizeof(first)));
	}
	/* Zeros at the end, of which there are more. */
	label("b", 100001, 0, 0);
	CHECK(memcmp(&first, &source, sizeof(first)));
}

TEST(small_files_have_labels_too)
{
	struct cf_source first;

	label("a", 1, 0, 7);
	first = source;
	label("b", 2, 0, 7);
	CHECK(memcmp(&first, &source, sizeof(first)));
}

/* Pages of a mapped file count as memory of the process. */
TEST(a_large_file_takes_no_memory)
{
	struct rusage before, after;
	const char *path = test_path("large");
	FILE *file = fopen(path, "w");

	CHECK(file && !ftruncate(fileno(file), 256 << 20) && !fclose(file));
	getrusage(RUSAGE_SELF, &before);
	CHECK_EQ(tally_source_of_file(path, &source, &error), 0);
	getrusage(RUSAGE_SELF, &after);
	CHECK(after.ru_maxrss - before.ru_maxrss < 64 << 10); /* KiB */
}

TEST(a_folder_has_the_label_of_its_data)
{
	char folder[256];
	struct cf_source first;

	label("one/data.0", 9, 0, 1);
	label("one/data.1", 9, 0, 2);
	label("one/kcore_dir.1", 9, 0, 3);
	label("two/data.0", 9, 0, 1);
	label("two/data.1", 9, 0, 2);
	label("three/data.0", 9, 0, 2);
	label("three/data.1", 9, 0, 1);
	snprintf(folder, sizeof(folder), "%s/one", test_tmpdir());
	CHECK_EQ(tally_source_of_file(folder, &first, &error), 0);
	snprintf(folder, sizeof(folder), "%s/two", test_tmpdir());
	CHECK_EQ(tally_source_of_file(folder, &source, &error), 0);
	CHECK(!memcmp(&first, &source, sizeof(first)));
	snprintf(folder, sizeof(folder), "%s/three", test_tmpdir());
	CHECK_EQ(tally_source_of_file(folder, &source, &error), 0);
	CHECK(memcmp(&first, &source, sizeof(first)));
	CHECK_EQ(tally_source_of_file(test_tmpdir(), &source, &error), ERROR_INPUT);
}

/* Returns what tally_source_of_file() does. */
static int label_folder(const char *name)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%s/%s", test_tmpdir(), name);
	return tally_source_of_file(folder, &source, &error);
}

/* `perf record --threads` leaves one where a thread has no records. */
TEST(a_folder_may_have_empty_data)
{
	struct cf_source first;

	label("one/data", 9, 0, 1);
	label("one/data.1", 9, 0, 2);
	CHECK_EQ(label_folder("one"), 0);
	first = source;
	CHECK(!fclose(fopen(test_path("one/data.0"), "w")));
	CHECK_EQ(label_folder("one"), 0);
	CHECK(memcmp(&first, &source, sizeof(first)));
	first = source;
	label("two/data", 9, 0, 1);
	label("two/data.0", 9, 0, 2);
	CHECK(!fclose(fopen(test_path("two/data.1"), "w")));
	CHECK_EQ(label_folder("two"), 0);
	CHECK(memcmp(&first, &source, sizeof(first)));
	/* Of which nothing is in it. */
	CHECK(!fclose(fopen(test_path("three/data"), "w")));
	CHECK_EQ(label_folder("three"), ERROR_INPUT);
	CHECK(strstr(error.text, "/three: not a recording in a file"));
}

TEST(what_is_no_file_with_contents_is_refused_by_name)
{
	const char *path = test_path("fifo");

	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(tally_source_of_file(path, &source, &error), ERROR_INPUT);
	CHECK(strstr(error.text, path));
	CHECK_EQ(tally_source_of_file("/dev/null", &source, &error), ERROR_INPUT);
	CHECK_EQ(tally_source_of_file("/nothing", &source, &error), ERROR_INPUT);
	CHECK_STR(error.text, "/nothing: No such file or directory");
}
