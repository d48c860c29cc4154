// SPDX-License-Identifier: GPL-2.0-only
/* Small files as texts. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

TEST(a_file_is_read_as_far_as_there_is_room)
{
	char text[5];

	put("a", "one\ntwo\n");
	CHECK_EQ(file_read(text, sizeof(text), "%s/a", test_tmpdir()), 4);
	CHECK_STR(text, "one\n");
	put("a", "on");
	CHECK_EQ(file_read(text, sizeof(text), "%s/a", test_tmpdir()), 2);
	CHECK_STR(text, "on");
}

TEST(of_a_line_the_end_is_left_out)
{
	char line[64];

	put("a", "one\ntwo\n");
	CHECK(file_line(line, sizeof(line), "%s/%c", test_tmpdir(), 'a'));
	CHECK_STR(line, "one");
	put("a", "\n");
	CHECK(file_line(line, sizeof(line), "%s/a", test_tmpdir()));
	CHECK_STR(line, "");
	put("a", "");
	CHECK(!file_line(line, sizeof(line), "%s/a", test_tmpdir()));
}

TEST(what_cannot_be_read_is_an_empty_text)
{
	char text[8] = "old";

	CHECK_EQ(file_read(text, sizeof(text), "%s/b", test_tmpdir()), -1);
	CHECK_EQ(errno, ENOENT);
	CHECK_STR(text, "");
	/* It opens, and does not read. */
	CHECK_EQ(file_read(text, sizeof(text), "%s", test_tmpdir()), -1);
	CHECK_STR(text, "");
	CHECK_EQ(file_read(text, sizeof(text), "/%05000d", 1), -1);
	CHECK_EQ(errno, ENAMETOOLONG);
	CHECK(!file_line(text, sizeof(text), "%s/b", test_tmpdir()));
}

/* "a", by a path that is one byte too long with what follows it. */
TEST(a_path_is_not_cut)
{
	char path[PATH_MAX + 1], text[8];
	size_t size = snprintf(path, sizeof(path), "%s/", test_tmpdir());

	put("a", "text");
	while (size + 2 < PATH_MAX - 1)
		size += sprintf(path + size, "./");
	if (size + 1 < PATH_MAX - 1)
		path[size++] = '/';
	strcpy(path + size, "a");
	CHECK_EQ(strlen(path), PATH_MAX - 1);
	CHECK_EQ(file_read(text, sizeof(text), "%s", path), 4);
	CHECK_EQ(file_read(text, sizeof(text), "%sb", path), -1);
	CHECK_EQ(errno, ENAMETOOLONG);
}

TEST(it_needs_no_standard_input)
{
	char text[8];
	int status;
	pid_t pid;

	put("a", "text");
	pid = fork();
	if (!pid) {
		close(0);
		_exit(file_read(text, sizeof(text), "%s/a", test_tmpdir()) != 4);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* As a program may do with a library that it has mapped. */
TEST(a_file_that_is_cut_while_it_is_mapped_ends_nobody)
{
	const long page = sysconf(_SC_PAGESIZE);
	char path[256];
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/cut", test_tmpdir());
	pid = fork();
	if (!pid) {
		FILE *file = fopen(path, "w+");
		const volatile char *map;

		if (!file || ftruncate(fileno(file), 3 * page))
			_exit(2);
		map = mmap(NULL, 3 * page, PROT_READ, MAP_PRIVATE, fileno(file), 0);
		file_survive_cuts();
		if (map == MAP_FAILED || ftruncate(fileno(file), 0))
			_exit(3);
		_exit(map[0] || map[2 * page + 5]);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}
