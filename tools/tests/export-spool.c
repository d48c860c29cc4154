// SPDX-License-Identifier: GPL-2.0-only
/* The profiles that wait in a folder. */
#include "export/spool.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct export_spool spool;
static struct error error;

static void open_spool(void)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s", test_path("s"));
	if (export_spool_open(&spool, path, ".x", &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

static int add(const char *bytes, uint64_t begin, uint64_t limit, uint64_t *dropped)
{
	const struct export_spool_item item = { 0, begin, begin + 10, strlen(bytes) };

	return export_spool_add(&spool, &item, bytes, limit, dropped, &error);
}

static void add_all(const char *const *v, unsigned int nr)
{
	uint64_t dropped = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		CHECK_EQ(add(v[i], 100 + i, 1000, &dropped), 0);
	CHECK_EQ(dropped, 0);
}

/* The oldest one is this, and is removed. */
static void take(const char *want)
{
	uint8_t *bytes;

	CHECK(spool.nr);
	CHECK_EQ(export_spool_read(&spool, 0, &bytes, &error), 0);
	CHECK_EQ(spool.items[0].size, strlen(want));
	CHECK(!memcmp(bytes, want, strlen(want)));
	free(bytes);
	CHECK_EQ(export_spool_remove(&spool, 0, &error), 0);
}

static void put_file(const char *name, const char *text)
{
	FILE *file = fopen(test_path(name), "w");

	CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

static bool is_there(const char *name)
{
	return !access(test_path(name), F_OK);
}

TEST(what_came_first_goes_first_also_after_it_was_closed)
{
	static const char *const v[] = { "one", "two", "three" };

	open_spool();
	add_all(v, 3);
	take("one");
	export_spool_close(&spool);
	open_spool();
	CHECK_EQ(spool.nr, 2);
	CHECK_EQ(spool.items[0].begin, 101);
	CHECK_EQ(spool.items[0].end, 111);
	CHECK_EQ(add("four", 1, 1000, &(uint64_t){ 0 }), 0);
	take("two");
	take("three");
	take("four");
	CHECK_EQ(spool.nr, 0);
	export_spool_close(&spool);
}

/* Those behind it are there all the same, and it is not listed again. */
TEST(what_cannot_be_read_is_set_aside)
{
	static const char *const v[] = { "one", "two", "three" };
	uint8_t *bytes;

	open_spool();
	add_all(v, 3);
	CHECK(!truncate(test_path("s/000000000001-100-110.x"), 2));
	CHECK_EQ(export_spool_read(&spool, 0, &bytes, &error), ERROR_INPUT);
	free(bytes);
	CHECK(strstr(error.text, "/000000000001-100-110.x: its end is missing"));
	CHECK_EQ(export_spool_set_aside(&spool, 0, &error), 0);
	take("two");
	export_spool_close(&spool);
	CHECK(is_there("s/000000000001-100-110.x.unreadable"));
	CHECK(!is_there("s/000000000001-100-110.x"));
	open_spool();
	CHECK_EQ(spool.nr, 1);
	CHECK(!unlink(test_path("s/000000000003-102-112.x")));
	CHECK_EQ(export_spool_read(&spool, 0, &bytes, &error), ERROR_INPUT);
	free(bytes);
	CHECK(strstr(error.text, ".x: No such file or directory"));
	CHECK_EQ(export_spool_set_aside(&spool, 0, &error), 0);
	CHECK_EQ(spool.nr, 0);
	export_spool_close(&spool);
}

/* This process has no file descriptor left: no item is to blame. */
TEST(what_the_system_cannot_do_sets_nothing_aside)
{
	struct rlimit before, none;
	uint8_t *bytes;
	int ret;

	open_spool();
	CHECK_EQ(add("one", 1, 100, &(uint64_t){ 0 }), 0);
	CHECK(!getrlimit(RLIMIT_NOFILE, &before));
	none = (struct rlimit){ 0, before.rlim_max };
	CHECK(!setrlimit(RLIMIT_NOFILE, &none));
	ret = export_spool_read(&spool, 0, &bytes, &error);
	CHECK(!setrlimit(RLIMIT_NOFILE, &before));
	free(bytes);
	CHECK_EQ(ret, ERROR_OUTPUT);
	export_spool_close(&spool);
}

/* Of more than a limit of 10 bytes, the oldest go. */
TEST(the_oldest_are_dropped_and_counted)
{
	uint64_t dropped = 0;

	open_spool();
	CHECK_EQ(add("aaaa", 1, 10, &dropped), 0);
	CHECK_EQ(add("bbbb", 2, 10, &dropped), 0);
	CHECK_EQ(dropped, 0);
	CHECK_EQ(add("cc", 3, 10, &dropped), 0);
	CHECK_EQ(dropped, 0);
	CHECK_EQ(add("d", 4, 10, &dropped), 0);
	CHECK_EQ(dropped, 1);
	CHECK_EQ(add("eeeeeeeeee", 5, 10, &dropped), 0);
	CHECK_EQ(dropped, 4);
	export_spool_close(&spool);
	open_spool();
	CHECK_EQ(spool.nr, 1);
	take("eeeeeeeeee");
	export_spool_close(&spool);
}

TEST(what_is_more_than_the_limit_is_refused_and_drops_nothing)
{
	uint64_t dropped = 0;

	open_spool();
	CHECK_EQ(add("aaaa", 1, 10, &dropped), 0);
	CHECK_EQ(add("eeeeeeeeeee", 5, 10, &dropped), ERROR_INPUT);
	CHECK(strstr(error.text, "/s: the profile has 11 bytes, which is more than the limit of the spool, 10"));
	CHECK_EQ(dropped, 0);
	CHECK_EQ(spool.nr, 1);
	export_spool_close(&spool);
}

/* Who added it was killed before it could tell, and adds it again. */
TEST(the_newest_is_not_added_twice)
{
	open_spool();
	CHECK_EQ(add("one", 100, 100, &(uint64_t){ 0 }), 0);
	CHECK_EQ(add("one", 100, 100, &(uint64_t){ 0 }), 0);
	export_spool_close(&spool);
	open_spool();
	CHECK_EQ(add("one", 100, 100, &(uint64_t){ 0 }), 0);
	CHECK_EQ(spool.nr, 1);
	/* Other bytes, another time, and what is not the newest are others. */
	CHECK_EQ(add("two", 100, 100, &(uint64_t){ 0 }), 0);
	CHECK_EQ(add("two", 101, 100, &(uint64_t){ 0 }), 0);
	CHECK_EQ(add("one", 100, 100, &(uint64_t){ 0 }), 0);
	CHECK_EQ(spool.nr, 4);
	export_spool_close(&spool);
}

/* Only what a killed writer left goes. No process has the number 4194304. */
TEST(other_files_stay)
{
	static const char *const stay[] = { "s/000000000007-1-2.y", "s/7-1-2.x", "s/note", "s/a.x",
					    "s/000000000007-1-2.xx", "s/+00000000007-1-2.x",
					    "s/a.x.part-4194304.0", "s/7-1-2.x.part-4194304.0",
					    "s/000000000003-1-2.x.part-4194304.txt" };
	unsigned int i;

	CHECK(!mkdir(test_path("s"), 0755));
	for (i = 0; i < sizeof(stay) / sizeof(*stay); i++)
		put_file(stay[i], "text");
	put_file("s/000000000003-1-2.x.part-4194304.0", "half");
	put_file("s/000000000002-1-2.x", "whole");
	open_spool();
	CHECK_EQ(spool.nr, 1);
	take("whole");
	export_spool_close(&spool);
	for (i = 0; i < sizeof(stay) / sizeof(*stay); i++)
		CHECK(is_there(stay[i]));
	CHECK(!is_there("s/000000000003-1-2.x.part-4194304.0"));
}

static void refuses(const char *text)
{
	CHECK_EQ(export_spool_open(&spool, test_path("s"), ".x", &error), ERROR_OUTPUT);
	if (!strstr(error.text, text))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	export_spool_close(&spool);
}

/* Whoever can write into it could have any file sent. */
TEST(a_folder_in_which_others_write_is_refused)
{
	CHECK(!mkdir(test_path("s"), 0700) && !chmod(test_path("s"), 0770));
	refuses("/s: other users can write into the folder");
	CHECK(!chmod(test_path("s"), 01777));
	refuses("/s: other users can write into the folder");
	CHECK(!chmod(test_path("s"), 0755));
	open_spool();
	export_spool_close(&spool);
	if (geteuid())
		test_skip("only root can give folders to others");
	CHECK(!chown(test_path("s"), 12, 34));
	refuses("/s: the folder belongs to another user");
}

/* The folder may have been another user's before. */
TEST(what_a_link_leads_to_is_not_sent)
{
	uint8_t *bytes;

	CHECK(!mkdir(test_path("s"), 0755));
	put_file("secret", "secret");
	CHECK(!symlink("../secret", test_path("s/000000000001-1-2.x")));
	open_spool();
	CHECK_EQ(spool.nr, 0);
	CHECK_EQ(add("one", 100, 1000, &(uint64_t){ 0 }), 0);
	/* Nor what comes while it is open. */
	CHECK(!unlink(test_path("s/000000000001-100-110.x")));
	CHECK(!symlink("../secret", test_path("s/000000000001-100-110.x")));
	CHECK_EQ(export_spool_read(&spool, 0, &bytes, &error), ERROR_INPUT);
	CHECK(strstr(error.text, "-100-110.x: this is not a regular file"));
	free(bytes);
	/* A profile that is added goes nowhere else. */
	CHECK(!symlink("../victim", test_path("s/000000000002-200-210.x")));
	CHECK_EQ(add("two", 200, 1000, &(uint64_t){ 0 }), ERROR_OUTPUT);
	CHECK(strstr(error.text, "-200-210.x: this is not a regular file"));
	CHECK(!is_there("victim"));
	export_spool_close(&spool);
	CHECK(is_there("secret"));
}

TEST(a_folder_that_cannot_be_used_is_named)
{
	put_file("s", "no folder");
	CHECK_EQ(export_spool_open(&spool, test_path("s"), ".x", &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "/s: Not a directory"));
	export_spool_close(&spool);
	CHECK_EQ(export_spool_open(&spool, test_path("none/s/") , ".x", &error), 0);
	export_spool_close(&spool);
	CHECK_EQ(export_spool_open(&spool, "/none/s", ".x", &error), ERROR_OUTPUT);
	CHECK_STR(error.text, "/none/s: No such file or directory");
	export_spool_close(&spool);
}

/* Ten processes add ten each, all at once; none is lost, and no number comes twice. */
TEST(several_processes_take_turns)
{
	unsigned int i, k, nr = 0;

	test_tmpdir();
	for (i = 0; i < 10; i++) {
		if (fork())
			continue;
		for (k = 0; k < 10; k++) {
			uint64_t dropped = 0;

			if (export_spool_open(&spool, test_path("s"), ".x", &error) ||
			    add("1234567890", 10 * i + k, 100000, &dropped))
				_exit(1);
			export_spool_close(&spool);
		}
		_exit(0);
	}
	for (i = 0; i < 10; i++) {
		int status;

		CHECK(wait(&status) > 0);
		CHECK_EQ(status, 0);
	}
	open_spool();
	CHECK_EQ(spool.nr, 100);
	for (; spool.nr; nr++) {
		CHECK_EQ(spool.items[0].number, nr + 1);
		take("1234567890");
	}
	export_spool_close(&spool);
}
