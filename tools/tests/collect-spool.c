// SPDX-License-Identifier: GPL-2.0-only
/* The folder of ssctr collect: names, numbers, rotation, and what a kill leaves. */
#include "test.h"

#include "base/outfile.h"
#include "collect/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct error error;

/* A counts file as far as the spool cares: it tells its number at both ends. */
struct contents {
	uint64_t number;
	unsigned int size;
	int result; /* what the writer returns */
};

static int write_contents(void *arg, const char *path, struct error *why)
{
	const struct contents *c = arg;
	struct outfile out;
	unsigned int i;
	bool whole;

	if (outfile_open(&out, path))
		return error_set(why, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	fprintf(out.file, "begin %" PRIu64 "\n", c->number);
	for (i = 0; i < c->size; i++)
		fputc('x', out.file);
	fprintf(out.file, "\nend %" PRIu64 "\n", c->number);
	whole = !outfile_sync(&out);
	if (outfile_close(&out, whole && !c->result) || !whole)
		return error_set(why, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	return c->result ? error_set(why, c->result, "%s: made up", path) : 0;
}

static bool is_whole(const char *path, uint64_t number)
{
	char first[64] = "", last[64] = "", want[64];
	FILE *file = fopen(path, "re");

	CHECK(file);
	fgets(first, sizeof(first), file);
	snprintf(want, sizeof(want), "\nend %" PRIu64 "\n", number);
	fseek(file, -(long)strlen(want), SEEK_END);
	last[fread(last, 1, sizeof(last) - 1, file)] = 0;
	fclose(file);
	return !strcmp(last, want) && !strncmp(first, "begin ", 6) &&
	       strtoull(first + 6, NULL, 10) == number;
}

static const char *folder(void)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/spool", test_tmpdir());
	return path;
}

static const char *file_at(const char *name)
{
	static char path[4200];

	snprintf(path, sizeof(path), "%s/%s", folder(), name);
	return path;
}

static struct spool open_spool(void)
{
	struct spool s;

	if (spool_open(&s, folder(), &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	return s;
}

static void put(struct spool *s, char name[SPOOL_NAME], unsigned int size)
{
	struct contents c = { .number = s->next, .size = size };

	if (spool_write(s, name, write_contents, &c, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
}

static uint64_t number_of(const char *name)
{
	return strtoull(strchr(name, '-') + 1, NULL, 10);
}

/* The number of files that have this in their names. */
static unsigned int count_files(const char *part)
{
	DIR *dir = opendir(folder());
	unsigned int nr = 0;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		nr += strstr(e->d_name, part) != NULL;
	if (dir)
		closedir(dir);
	return nr;
}

TEST(files_have_a_label_and_a_number_that_sorts)
{
	struct spool s = open_spool();
	char a[SPOOL_NAME], b[SPOOL_NAME];

	put(&s, a, 1);
	put(&s, b, 1);
	CHECK_EQ(strspn(a, "0123456789abcdef"), 32);
	CHECK_STR(a + 32, "-0000000000.counts");
	CHECK_STR(b + 32, "-0000000001.counts");
	CHECK(!strncmp(a, b, 32));
	CHECK(is_whole(file_at(a), 0) && is_whole(file_at(b), 1));
	CHECK_EQ(count_files(".part"), 0);
	spool_close(&s, true);
}

TEST(the_label_stays_and_the_numbers_go_on)
{
	struct spool s = open_spool();
	char a[SPOOL_NAME], b[SPOOL_NAME];

	CHECK(!s.killed);
	put(&s, a, 1);
	spool_close(&s, true);
	s = open_spool();
	CHECK(!s.killed && !s.renamed);
	put(&s, b, 1);
	CHECK(!strncmp(a, b, 32));
	CHECK_EQ(number_of(b), 1);
	spool_close(&s, true);
}

TEST(each_machine_has_its_own_label)
{
	struct spool s = open_spool();
	char a[SPOOL_NAME], b[SPOOL_NAME];

	put(&s, a, 1);
	spool_close(&s, true);
	unlink(file_at("state"));
	s = open_spool();
	put(&s, b, 1);
	CHECK(strncmp(a, b, 32));
	spool_close(&s, true);
}

TEST(a_number_is_not_used_again_after_its_file_was_removed)
{
	struct spool s = open_spool();
	char a[SPOOL_NAME], b[SPOOL_NAME];

	put(&s, a, 1);
	unlink(file_at(a));
	spool_close(&s, false);
	s = open_spool();
	CHECK(s.killed);
	put(&s, b, 1);
	CHECK(number_of(b) > number_of(a));
	spool_close(&s, true);
}

/* From a backup, for instance. */
TEST(an_old_state_does_not_repeat_a_number)
{
	struct spool s = open_spool();
	char a[SPOOL_NAME], b[SPOOL_NAME], command[9000];

	spool_close(&s, true);
	snprintf(command, sizeof(command), "cp %s/state %s/old", folder(), folder());
	CHECK_EQ(system(command), 0);
	s = open_spool();
	put(&s, a, 1);
	put(&s, a, 1);
	spool_close(&s, true);
	snprintf(command, sizeof(command), "mv %s/old %s/state", folder(), folder());
	CHECK_EQ(system(command), 0);
	s = open_spool();
	put(&s, b, 1);
	CHECK_EQ(number_of(b), 2);
	spool_close(&s, true);
}

static size_t read_state(char *text, size_t room)
{
	FILE *file = fopen(file_at("state"), "re");
	size_t size;

	CHECK(file);
	size = fread(text, 1, room - 1, file);
	text[size] = 0;
	fclose(file);
	return size;
}

/* Cut or changed anywhere: the label is new, or the state is as it was. */
TEST(a_damaged_state_means_a_new_label)
{
	struct spool s = open_spool();
	uint8_t label[SPOOL_LABEL];
	char text[256], name[SPOOL_NAME];
	FILE *file;
	size_t size, cut;

	put(&s, name, 1);
	memcpy(label, s.label, sizeof(label));
	spool_close(&s, true);
	size = read_state(text, sizeof(text));
	for (cut = 0; cut < size; cut++) {
		file = fopen(file_at("state"), "we");
		fwrite(text, 1, cut, file);
		fclose(file);
		s = open_spool();
		CHECK(s.renamed == !!memcmp(label, s.label, sizeof(label)));
		CHECK(s.renamed || s.next == 1);
		CHECK(s.renamed || cut == size - 1);
		spool_close(&s, true);
	}
}

/* What the second process does must not be in the state that the first one would leave. */
TEST(only_one_process_uses_a_folder)
{
	struct spool s = open_spool(), other;
	char before[256], after[256], name[SPOOL_NAME];

	put(&s, name, 1);
	read_state(before, sizeof(before));
	CHECK_EQ(spool_open(&other, folder(), &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "another ssctr collect uses this folder"));
	spool_close(&other, true);
	read_state(after, sizeof(after));
	CHECK_STR(after, before);
	spool_close(&s, true);
	s = open_spool();
	CHECK(!s.killed);
	spool_close(&s, true);
}

static void move(const char *from, const char *to)
{
	char old[4200], now[4200];

	snprintf(old, sizeof(old), "%s%s", folder(), from);
	snprintf(now, sizeof(now), "%s%s", folder(), to);
	CHECK(!rename(old, now));
}

/* Whoever can write into it could lead the collector to any file. */
TEST(a_folder_in_which_others_write_is_refused)
{
	static const mode_t modes[] = { 0777, 0775, 01777, 0757 };
	struct spool s;
	size_t i;

	CHECK(!mkdir(folder(), 0755));
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		CHECK(!chmod(folder(), modes[i]));
		CHECK_EQ(spool_open(&s, folder(), &error), ERROR_OUTPUT);
		CHECK(strstr(error.text, "/spool: other users can write into the folder"));
		spool_close(&s, true);
	}
	CHECK(!chmod(folder(), 0755));
	if (geteuid())
		test_skip("only root can give folders to others");
	CHECK(!chown(folder(), 12, 34));
	CHECK_EQ(spool_open(&s, folder(), &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "/spool: the folder belongs to another user"));
	spool_close(&s, true);
	CHECK_EQ(count_files("state"), 0);
	CHECK(!chown(folder(), 0, 34));
	s = open_spool();
	spool_close(&s, true);
}

static void refuses_state(void)
{
	struct spool s;

	CHECK_EQ(spool_open(&s, folder(), &error), ERROR_INPUT);
	CHECK(strstr(error.text, "/spool/state: this is not a regular file"));
	spool_close(&s, true);
}

/* The folder may have been another user's before. A pipe would be waited for. */
TEST(a_state_that_is_no_file_is_refused)
{
	struct spool s = open_spool();
	char text[256];

	spool_close(&s, true);
	move("/state", "/note");
	CHECK(!symlink("note", file_at("state")));
	refuses_state();
	CHECK(!unlink(file_at("state")) && !symlink("none", file_at("state")));
	refuses_state();
	CHECK_EQ(count_files("none"), 0);
	CHECK(!unlink(file_at("state")) && !mkfifo(file_at("state"), 0600));
	refuses_state();
	CHECK(!unlink(file_at("state")));
	move("/note", "/state");
	read_state(text, sizeof(text));
	CHECK(strstr(text, "\nruns 0\n"));
}

TEST(a_link_with_the_name_of_the_next_file_is_refused)
{
	struct spool s = open_spool();
	struct contents c = { .size = 1 };
	char name[SPOOL_NAME];

	spool_name(&s, 0, ".counts", name);
	CHECK(!symlink("victim", file_at(name)));
	CHECK_EQ(spool_write(&s, name, write_contents, &c, &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "0000000000.counts: this is not a regular file"));
	CHECK_EQ(count_files("victim"), 0);
	CHECK(!unlink(file_at(name)));
	put(&s, name, 1);
	spool_close(&s, true);
}

TEST(a_folder_that_comes_back_is_used_again)
{
	struct spool s = open_spool(), other;
	char first[SPOOL_NAME], second[SPOOL_NAME];

	put(&s, first, 1);
	CHECK_EQ(spool_hold(&s, &error), 0);
	move("", ".away");
	CHECK_EQ(spool_hold(&s, &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "/spool: No such file or directory"));
	/* An empty one in its place has a label of its own: the other one may come back. */
	CHECK(!mkdir(folder(), 0755));
	put(&s, second, 1);
	CHECK_EQ(number_of(second), 0);
	CHECK(strncmp(first, second, strchr(first, '-') - first));
	CHECK_EQ(count_files(".counts"), 1);
	CHECK_EQ(spool_open(&other, folder(), &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "another ssctr collect uses this folder"));
	spool_close(&other, true);
	/* Now another process uses the first one. */
	move("", ".empty");
	move(".away", "");
	other = open_spool();
	CHECK_EQ(spool_hold(&s, &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "another ssctr collect uses this folder"));
	spool_close(&other, true);
	put(&s, second, 1);
	CHECK_EQ(count_files(".counts"), 2);
	spool_close(&s, true);
	s = open_spool();
	CHECK(!s.killed);
	spool_close(&s, true);
}

TEST(the_state_of_another_process_is_not_written_in_the_end)
{
	struct spool s = open_spool(), other;
	char name[SPOOL_NAME], before[256], after[256];

	put(&s, name, 1);
	move("", ".away");
	other = open_spool();
	put(&other, name, 1);
	read_state(before, sizeof(before));
	spool_close(&s, true);
	read_state(after, sizeof(after));
	CHECK_STR(after, before);
	spool_close(&other, true);
}

/* As if it was moved to a larger disk. */
TEST(a_copy_of_the_folder_in_its_place_has_numbers_that_go_on)
{
	struct spool s = open_spool(), other;
	char name[SPOOL_NAME], command[9000];

	put(&s, name, 1);
	snprintf(command, sizeof(command), "cp -a %s %s.copy", folder(), folder());
	CHECK_EQ(system(command), 0);
	move("", ".old");
	move(".copy", "");
	other = open_spool();
	put(&other, name, 7);
	spool_close(&other, true);
	put(&s, name, 1);
	CHECK_EQ(number_of(name), 2);
	CHECK_EQ(count_files(".counts"), 3);
	/* Now the older one, in which the numbers would come again. */
	move("", ".newer");
	move(".old", "");
	put(&s, name, 1);
	CHECK_EQ(number_of(name), 3);
	spool_close(&s, true);
}

TEST(a_file_that_could_not_be_written_leaves_nothing_and_keeps_its_number)
{
	struct spool s = open_spool();
	struct contents c = { .number = 0, .size = 100, .result = ERROR_OUTPUT };
	char name[SPOOL_NAME];

	CHECK_EQ(spool_write(&s, name, write_contents, &c, &error), ERROR_OUTPUT);
	CHECK(strstr(error.text, "made up"));
	CHECK_EQ(count_files(".counts"), 0);
	put(&s, name, 1);
	CHECK_EQ(number_of(name), 0);
	CHECK(is_whole(file_at(name), 0));
	spool_close(&s, true);
}

TEST(what_is_not_a_file_of_ours_stays)
{
	static const char *const names[] = {
		"notes.counts", "0123-1.counts", "0123456789abcdef0123456789abcdef-.counts",
		"0123456789abcdef0123456789abcdef-1.countsx", "0123456789abcdef0123456789abcdef",
	};
	const struct spool_keep keep = { .now = time(NULL) + 1000000, .age = 1, .size = 1 };
	struct spool s = open_spool();
	char name[SPOOL_NAME];
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		fclose(fopen(file_at(names[i]), "we"));
	put(&s, name, 1);
	CHECK_EQ(spool_rotate(&s, &keep), 0);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		CHECK(!access(file_at(names[i]), F_OK));
	spool_close(&s, true);
}

/* --- rotation --- */

/* Write nr files of 100 bytes and some. File i is as old as ages[i] says. */
static void make_files(struct spool *s, const unsigned int *ages, unsigned int nr,
		       time_t now)
{
	char name[SPOOL_NAME];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct timespec times[2] = { { now - ages[i], 0 }, { now - ages[i], 0 } };

		put(s, name, 100 - strlen("begin 0\n\nend 0\n"));
		CHECK(!utimensat(AT_FDCWD, file_at(name), times, 0));
	}
}

/* Which of the first ten numbers have a file, as digits. */
static const char *numbers(const struct spool *s)
{
	static char text[16];
	unsigned int i, k, n = 0;

	for (i = 0; i < 10; i++) {
		char name[SPOOL_NAME];

		for (k = 0; k < SPOOL_LABEL; k++)
			snprintf(name + 2 * k, 3, "%02x", s->label[k]);
		snprintf(name + 32, sizeof(name) - 32, "-%010u.counts", i);
		if (!access(file_at(name), F_OK))
			text[n++] = '0' + i;
	}
	text[n] = 0;
	return text;
}

TEST(old_files_are_removed)
{
	static const unsigned int ages[] = { 400, 301, 300, 200, 0 };
	struct spool s = open_spool();

	make_files(&s, ages, 5, 1000000);
	CHECK_EQ(spool_rotate(&s, &(struct spool_keep){ .now = 1000000, .age = 300 }), 2);
	CHECK_STR(numbers(&s), "234");
	spool_close(&s, true);
}

TEST(the_oldest_files_are_removed_until_the_others_are_small_enough)
{
	static const unsigned int ages[] = { 5, 4, 3, 2, 1 };
	struct spool s = open_spool();

	make_files(&s, ages, 5, 1000000);
	CHECK_EQ(spool_rotate(&s, &(struct spool_keep){ .now = 1000000, .size = 500 }), 0);
	CHECK_EQ(spool_rotate(&s, &(struct spool_keep){ .now = 1000000, .size = 300 }), 2);
	CHECK_STR(numbers(&s), "234");
	spool_close(&s, true);
}

/* While the clock was wrong, the times became so, but not the numbers. */
TEST(the_number_tells_which_file_is_older)
{
	static const unsigned int ages[] = { 0, 100, 50, 200 };
	struct spool s = open_spool();

	make_files(&s, ages, 4, 1000000);
	CHECK_EQ(spool_rotate(&s, &(struct spool_keep){ .now = 1000000, .size = 200 }), 2);
	CHECK_STR(numbers(&s), "23");
	spool_close(&s, true);
}

TEST(files_of_the_future_stay)
{
	static const unsigned int ages[] = { 0, 0 };
	struct spool s = open_spool();

	make_files(&s, ages, 2, 2000000);
	CHECK_EQ(spool_rotate(&s, &(struct spool_keep){ .now = 1000000, .age = 10 }), 0);
	spool_close(&s, true);
}

TEST(the_newest_file_stays)
{
	static const unsigned int ages[] = { 500, 400 };
	struct spool s = open_spool();

	make_files(&s, ages, 2, 1000000);
	CHECK_EQ(spool_rotate(&s, &(struct spool_keep){ .now = 1000000, .age = 1, .size = 1 }), 1);
	CHECK_STR(numbers(&s), "1");
	spool_close(&s, true);
}

/* A label that is no longer used: its files go first. */
TEST(files_of_an_older_label_are_removed_too)
{
	struct spool s = open_spool();
	char name[SPOOL_NAME];

	put(&s, name, 100);
	put(&s, name, 100);
	spool_close(&s, true);
	unlink(file_at("state"));
	s = open_spool();
	put(&s, name, 100);
	CHECK_EQ(spool_rotate(&s, &(struct spool_keep){ .now = 1, .size = 150 }), 2);
	CHECK(!access(file_at(name), F_OK));
	CHECK_EQ(count_files(".counts"), 1);
	spool_close(&s, true);
}

/* Returns the path of a profile of 100 bytes. */
static const char *put_profile(const char *label, unsigned int number)
{
	static char path[4300];
	char name[128];
	FILE *file;

	snprintf(name, sizeof(name), "profiles/%.32s-%010u.pb.gz", label, number);
	snprintf(path, sizeof(path), "%s", file_at(name));
	file = fopen(path, "we");
	CHECK(file);
	fprintf(file, "%0100d", 0);
	CHECK(!fclose(file));
	return path;
}

/* Several machines may export into one folder. Each removes its own profiles only. */
TEST(profiles_of_other_machines_stay)
{
	struct spool s = open_spool();
	struct spool_keep keep = { .now = time(NULL) + 1000, .size = 250 };
	char name[SPOOL_NAME], profiles[4300];
	const char *path;
	unsigned int i;

	snprintf(profiles, sizeof(profiles), "%s", file_at("profiles"));
	CHECK(!mkdir(profiles, 0755));
	put(&s, name, 1);
	for (i = 0; i < 3; i++)
		put_profile(name, i);
	path = put_profile("0123456789abcdef0123456789abcdef", 7);
	/* There are 300 bytes, and 100 of another machine. */
	CHECK_EQ(spool_rotate_in(&s, profiles, ".pb.gz", &keep), 1);
	keep = (struct spool_keep){ .now = time(NULL) + 1000, .age = 10 };
	CHECK_EQ(spool_rotate_in(&s, profiles, ".pb.gz", &keep), 1);
	CHECK(!access(path, F_OK));
	spool_close(&s, true);
}

/* What the full disk does to the state and to the file, if this user may mount one. */
TEST(a_full_disk_leaves_whole_files_and_the_next_number_is_new)
{
	char command[9000], name[SPOOL_NAME], last[SPOOL_NAME];
	struct contents c = { .size = 30000 };
	struct spool s;

	mkdir(folder(), 0755);
	snprintf(command, sizeof(command), "mount -t tmpfs -o size=100k,mode=755 none %s 2>/dev/null",
		 folder());
	if (system(command))
		test_skip("only root can mount a small disk");
	s = open_spool();
	for (c.number = s.next; !spool_write(&s, name, write_contents, &c, &error);
	     c.number = s.next)
		strcpy(last, name);
	CHECK(strstr(error.text, "No space left on device"));
	CHECK_EQ(count_files(".part"), 0);
	CHECK(is_whole(file_at(last), number_of(last)));
	/* As the collector does when there is room again. */
	CHECK_EQ(spool_rotate(&s, &(struct spool_keep){ .size = 40000 }), s.next - 1);
	put(&s, name, 1000);
	CHECK_EQ(number_of(name), number_of(last) + 1);
	spool_close(&s, true);
	snprintf(command, sizeof(command), "umount %s", folder());
	CHECK_EQ(system(command), 0);
}

/* --- what is beside the files --- */

/* No process has this number: those of Linux are smaller on all machines. */
#define GONE "4194304"

static void put_other(const char *name)
{
	FILE *file = fopen(file_at(name), "we");

	CHECK(file && fputs("text", file) >= 0 && !fclose(file));
}

static void check_there(const char *name, bool want)
{
	if (!access(file_at(name), F_OK) != want)
		test_fail(__FILE__, __LINE__, "%s %s", name, want ? "is gone" : "is there");
}

TEST(what_a_killed_process_left_goes_and_files_of_others_stay)
{
	/* An archive, a list, and what other commands write there. */
	static const char *const others[] = {
		"notes.counts.partial-list.txt",
		"week.counts.part1.tar",
		"state.participants",
		"state.part-1",
		"state.part-" GONE ".0.bak",
		"state.part--" GONE ".0",
		"week.counts.part-" GONE ".0",
		"00112233445566778899aabbccddeeff-0000000000.counts.part-" GONE ".0",
	};
	char name[SPOOL_NAME], part[SPOOL_NAME + 32], running[SPOOL_NAME + 32];
	char short_number[SPOOL_NAME + 32], own[64];
	struct spool s = open_spool();
	unsigned int i;

	put(&s, name, 1);
	spool_close(&s, false);
	snprintf(part, sizeof(part), "%s.part-" GONE ".12", name);
	snprintf(running, sizeof(running), "%s.part-%d.0", name, getppid());
	/* As the process numbered like this one: in containers it is always 1. */
	snprintf(own, sizeof(own), "state.part-%d.0", getpid());
	/* Numbers have ten digits. */
	snprintf(short_number, sizeof(short_number), "%.33s7.counts.part-" GONE ".0", name);
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		put_other(others[i]);
	put_other(part);
	put_other(running);
	put_other(short_number);
	put_other(own);
	put_other("state.part-" GONE ".0");
	s = open_spool();
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		check_there(others[i], true);
	check_there(name, true);
	check_there(running, true);
	check_there(short_number, true);
	check_there(part, false);
	check_there(own, false);
	check_there("state.part-" GONE ".0", false);
	spool_close(&s, true);
}

/* --- 500 kills --- */

enum { KILLS = 500, MOST_NUMBERS = 1 << 20 };

static void write_until_killed(void)
{
	struct spool s;
	char name[SPOOL_NAME];

	if (spool_open(&s, folder(), &error))
		_exit(1);
	for (;;) {
		struct contents c = { .number = s.next, .size = rand() % 50000 };
		const struct spool_keep keep = { .now = time(NULL), .size = 200000 };

		if (spool_write(&s, name, write_contents, &c, &error))
			_exit(2);
		spool_rotate(&s, &keep);
	}
}

/* Returns how many files there are. Each is whole, and no number came twice. */
static unsigned int check_and_take(uint8_t *seen)
{
	DIR *dir = opendir(folder());
	unsigned int nr = 0;
	struct dirent *e;

	while ((e = readdir(dir))) {
		uint64_t number;

		if (strlen(e->d_name) != strlen("-0000000000.counts") + 32)
			continue;
		number = number_of(e->d_name);
		CHECK(number < MOST_NUMBERS);
		CHECK(is_whole(file_at(e->d_name), number));
		CHECK(!seen[number]);
		seen[number] = 1;
		/* Another machine has taken it, and its file is gone. */
		unlink(file_at(e->d_name));
		nr++;
	}
	closedir(dir);
	return nr;
}

TEST(after_500_kills_each_file_is_whole_and_no_number_came_twice)
{
	uint8_t *seen = calloc(MOST_NUMBERS, 1);
	unsigned int i, nr = 0, parts = 0, status = 0;
	uint64_t most = 8000000; /* ns */
	struct spool s;

	/* Where fsync() does not take most of the time, kills fall everywhere. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
	s = open_spool();
	CHECK(seen);
	spool_close(&s, true);
	for (i = 0; i < KILLS; i++) {
		const struct timespec patience = { 0, test_random() % most };
		const unsigned int seed = test_random();
		pid_t pid = fork();

		if (!pid) {
			srand(seed);
			write_until_killed();
		}
		nanosleep(&patience, NULL);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, (int *)&status, 0), pid);
		CHECK(WIFSIGNALED(status));
		parts += count_files(".part") > 0;
		nr += check_and_take(seen);
		/* A slow machine needs longer for a file. */
		if (nr < i / 10 && most < 500000000)
			most += most / 8;
	}
	free(seen);
	/* Otherwise it would prove nothing. */
	printf("# %u files, %u left incomplete\n", nr, parts);
	CHECK(nr >= 10 && parts >= 5);
	s = open_spool();
	CHECK_EQ(count_files(".part"), 0);
	CHECK(s.killed);
	spool_close(&s, true);
}
