// SPDX-License-Identifier: GPL-2.0-only
/* The text of lines of source, and where files of source are looked for. */
#include "base/md5.h"
#include "image/listing.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_source(const char *name, const char *text)
{
	FILE *file = fopen(test_path(name), "w");

	CHECK(file);
	CHECK(fputs(text, file) >= 0 && !fclose(file));
}

/* The line of a file of that path; "none" if there is none. */
static const char *line_of(struct img_listing *listing, const char *path, unsigned int line)
{
	static char text[64];
	const char *start;
	size_t size;

	start = img_listing_line(listing, path, line, &size);
	snprintf(text, sizeof(text), "%.*s", start ? (int)size : 4, start ?: "none");
	return text;
}

TEST(lines_count_from_one_and_end_at_their_newline)
{
	struct img_listing *listing = img_listing_new();
	char path[512];

	CHECK(listing);
	write_source("a.c", "one\n\n\tthree\nfour");
	snprintf(path, sizeof(path), "%s", test_path("a.c"));
	CHECK_STR(line_of(listing, path, 1), "one");
	CHECK_STR(line_of(listing, path, 2), "");
	CHECK_STR(line_of(listing, path, 3), "\tthree");
	CHECK_STR(line_of(listing, path, 4), "four");
	CHECK_STR(line_of(listing, path, 5), "none");
	CHECK_STR(line_of(listing, path, 0), "none");
	img_listing_free(listing);
}

TEST(behind_the_last_newline_is_no_line)
{
	struct img_listing *listing = img_listing_new();
	char path[512];

	write_source("a.c", "one\n");
	write_source("empty.c", "");
	snprintf(path, sizeof(path), "%s", test_path("a.c"));
	CHECK_STR(line_of(listing, path, 1), "one");
	CHECK_STR(line_of(listing, path, 2), "none");
	CHECK_STR(line_of(listing, test_path("empty.c"), 1), "none");
	img_listing_free(listing);
}

TEST(below_a_folder_the_longest_part_of_the_path_counts)
{
	struct img_listing *listing = img_listing_new();
	char folder[512];

	write_source("root/lib/x.c", "of lib\n");
	write_source("root/x.c", "of root\n");
	snprintf(folder, sizeof(folder), "%s/root", test_tmpdir());
	CHECK_STR(line_of(listing, "/build/lib/x.c", 1), "none");
	img_listing_free(listing);
	listing = img_listing_new();
	CHECK(img_listing_add(listing, "/nowhere") && img_listing_add(listing, folder));
	CHECK_STR(line_of(listing, "/build/lib/x.c", 1), "of lib");
	CHECK_STR(line_of(listing, "/build/other/x.c", 1), "of root");
	CHECK_STR(line_of(listing, "/build/other/y.c", 1), "none");
	img_listing_free(listing);
}

TEST(a_folder_that_is_named_counts_before_the_file_itself)
{
	struct img_listing *listing = img_listing_new();
	char folder[512];

	write_source("a.c", "old\n");
	write_source("new/a.c", "new\n");
	snprintf(folder, sizeof(folder), "%s/new", test_tmpdir());
	CHECK(img_listing_add(listing, folder));
	CHECK_STR(line_of(listing, test_path("a.c"), 1), "new");
	img_listing_free(listing);
}

TEST(what_is_no_plain_file_has_no_lines_and_keeps_nobody_waiting)
{
	struct img_listing *listing = img_listing_new();

	CHECK(!mkfifo(test_path("fifo.c"), 0666));
	CHECK_STR(line_of(listing, test_path("fifo.c"), 1), "none");
	CHECK_STR(line_of(listing, test_tmpdir(), 1), "none");
	img_listing_free(listing);
}

TEST(files_do_not_get_mixed_up)
{
	struct img_listing *listing = img_listing_new();
	char a[512], b[512];

	write_source("a.c", "one\ntwo\nthree\n");
	write_source("b.c", "eins\nzwei\n");
	snprintf(a, sizeof(a), "%s", test_path("a.c"));
	snprintf(b, sizeof(b), "%s", test_path("b.c"));
	CHECK_STR(line_of(listing, a, 1), "one");
	CHECK_STR(line_of(listing, b, 2), "zwei");
	CHECK_STR(line_of(listing, b, 3), "none");
	CHECK_STR(line_of(listing, a, 3), "three");
	/* Each is read once. */
	write_source("a.c", "new\n");
	CHECK_STR(line_of(listing, a, 2), "two");
	img_listing_free(listing);
	img_listing_free(NULL);
}

TEST(slashes_separate_the_parts_of_a_path_however_many_there_are)
{
	struct img_listing *listing = img_listing_new();
	char folder[512];

	write_source("root/lib/x.c", "of lib\n");
	snprintf(folder, sizeof(folder), "%s/root", test_tmpdir());
	CHECK(img_listing_add(listing, folder));
	CHECK_STR(line_of(listing, "//build///lib//x.c", 1), "of lib");
	CHECK_STR(line_of(listing, "lib/x.c", 1), "of lib");
	CHECK_STR(line_of(listing, "", 1), "none");
	CHECK_STR(line_of(listing, "/", 1), "none");
	img_listing_free(listing);
}

/* A compiler's folders may be deep; the end of the path is what counts. */
TEST(a_path_that_is_too_long_as_a_whole_is_found_by_its_end)
{
	struct img_listing *listing = img_listing_new();
	static char path[6000];
	char folder[512];
	size_t i;

	write_source("root/x.c", "of root\n");
	snprintf(folder, sizeof(folder), "%s/root", test_tmpdir());
	CHECK(img_listing_add(listing, folder));
	for (i = 0; i < 5000; i += 5)
		memcpy(path + i, "/deep", 5);
	strcpy(path + i, "/x.c");
	CHECK_STR(line_of(listing, path, 1), "of root");
	img_listing_free(listing);
}

/* 64 MiB are read, and one byte more is no source. */
TEST(what_is_too_large_for_a_source_has_no_lines)
{
	enum { MOST = 64 << 20 };
	struct img_listing *listing = img_listing_new();

	write_source("most.c", "one\ntwo\n");
	CHECK(!truncate(test_path("most.c"), MOST));
	CHECK_STR(line_of(listing, test_path("most.c"), 2), "two");
	write_source("more.c", "one\ntwo\n");
	CHECK(!truncate(test_path("more.c"), MOST + 1));
	CHECK_STR(line_of(listing, test_path("more.c"), 2), "none");
	img_listing_free(listing);
}

/* As of who closed the standard input. */
TEST(a_file_that_gets_the_number_0_is_read_too)
{
	struct img_listing *listing = img_listing_new();
	const int input = dup(0);

	write_source("a.c", "one\ntwo\n");
	close(0);
	CHECK_STR(line_of(listing, test_path("a.c"), 2), "two");
	/* And is closed again. */
	CHECK(fcntl(0, F_GETFD) < 0);
	if (input >= 0) {
		dup2(input, 0);
		close(input);
	}
	img_listing_free(listing);
}

/* --- whether it is what was built --- */

static void change_at_ns(const char *path, time_t seconds, long ns)
{
	const struct timespec times[2] = { { seconds, ns }, { seconds, ns } };

	CHECK(!utimensat(AT_FDCWD, path, times, 0));
}

static void change_at(const char *path, time_t seconds)
{
	change_at_ns(path, seconds, 0);
}

/* The debug information names it, and the page would show it to others. */
TEST(what_only_root_may_read_is_not_shown_without_its_folder)
{
	struct img_listing *listing = img_listing_new(), *below = img_listing_new();
	const bool root = !getuid();
	char path[512], folder[512];
	size_t at = 0;

	write_source("a.c", "one\n");
	snprintf(path, sizeof(path), "%s", test_path("a.c"));
	snprintf(folder, sizeof(folder), "%s", test_tmpdir());
	CHECK(!mkdir(test_path("x"), 0700));
	CHECK(!chmod(path, 0640));
	CHECK_STR(line_of(listing, path, 1), root ? "none" : "one");
	CHECK_EQ(img_listing_refuses(listing, path), root);
	CHECK(!img_listing_refuses(listing, "/nowhere/a.c"));
	if (root)
		CHECK_STR(img_listing_next_refused(listing, &at), path);
	CHECK(!img_listing_next_refused(listing, &at));
	img_listing_free(listing);
	/* Who names a folder means what is below it, and nothing else. */
	CHECK(img_listing_add(below, folder));
	CHECK_STR(line_of(below, path, 1), "one");
	CHECK_STR(line_of(below, "/src/a.c", 1), "one");
	img_listing_free(below);
	below = img_listing_new();
	snprintf(folder, sizeof(folder), "%s", test_path("x"));
	CHECK(img_listing_add(below, folder));
	CHECK_STR(line_of(below, "/../a.c", 1), root ? "none" : "one");
	CHECK_EQ(img_listing_refuses(below, "/../a.c"), root);
	img_listing_free(below);
	/* All may read it. */
	listing = img_listing_new();
	CHECK(!chmod(path, 0644));
	CHECK_STR(line_of(listing, path, 1), "one");
	img_listing_free(listing);
}

/* Compare it once; whether it is another one. */
static bool is_another(const char *path, const struct img_built *built, bool *certain)
{
	struct img_listing *listing = img_listing_new();
	struct img_other_source other;
	bool is;
	size_t at = 0;

	CHECK(img_listing_is_new(listing, path));
	img_listing_compare(listing, path, built);
	CHECK(!img_listing_is_new(listing, path));
	is = img_listing_next_other(listing, &at, &other);
	if (is) {
		CHECK_STR(other.path, path);
		CHECK_STR(other.binary, built->path);
		*certain = other.certain;
		CHECK(!img_listing_next_other(listing, &at, &other));
	}
	img_listing_free(listing);
	return is;
}

TEST(a_source_file_that_changed_since_the_build_is_found)
{
	char path[512], binary[512];
	struct img_built built = { .path = binary };
	struct img_listing *listing = img_listing_new();
	bool certain;

	write_source("a.c", "one\n");
	write_source("a", "");
	snprintf(path, sizeof(path), "%s", test_path("a.c"));
	snprintf(binary, sizeof(binary), "%s", test_path("a"));
	change_at(path, 1000);
	change_at(binary, 1000);
	CHECK(!is_another(path, &built, &certain));
	change_at(path, 1001);
	CHECK(is_another(path, &built, &certain) && !certain);
	/* Both were written in one second, and tar has kept no more of the binary's time. */
	change_at_ns(path, 1000, 5);
	CHECK(!is_another(path, &built, &certain));
	change_at_ns(binary, 1000, 4);
	CHECK(is_another(path, &built, &certain) && !certain);
	change_at_ns(binary, 1000, 6);
	CHECK(!is_another(path, &built, &certain));
	/* The time does not matter where the MD5 is known. */
	built.has_md5 = true;
	md5(built.md5, "one\n", 4);
	CHECK(!is_another(path, &built, &certain));
	change_at(path, 999);
	md5(built.md5, "two\n", 4);
	CHECK(is_another(path, &built, &certain) && certain);
	/* What is not there is not another one. */
	CHECK(!img_listing_is_new(listing, "/nowhere/a.c"));
	img_listing_compare(listing, "/nowhere/a.c", &built);
	CHECK(!img_listing_next_other(listing, &(size_t){ 0 }, &(struct img_other_source){ 0 }));
	img_listing_free(listing);
}
