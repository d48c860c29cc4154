// SPDX-License-Identifier: GPL-2.0-only
/* A tally that has less memory than it needs: the same bytes, or one line. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd-sample.h"
#include "tally/internal.h"

static struct samples_opts opts;
static struct error error;
static const struct cf_source one = { .label = { 1 } };

static uint64_t random_addr(uint64_t map)
{
	return map + 2 * (test_random() % 40);
}

/* Stacks of all depths, in binaries that are mapped one after another. */
static void make_recording(const char *name, unsigned int nr_samples)
{
	static const char *const later[] = { "/z", "/a", "//anon", "/m" };
	uint64_t stack[70][3];
	unsigned int i, k, nr, maps = 1;

	begin();
	for (i = 0; i < nr_samples; i++) {
		if (maps < 5 && i >= maps * nr_samples / 5) {
			pdb_mmap2(&rec, 5, MAP_AT + 0x1000 * maps, 0x1000, 0, later[maps - 1],
				  2 + i);
			maps++;
		}
		nr = (unsigned int)(test_random() % 71);
		for (k = 0; k < nr; k++) {
			stack[k][0] = random_addr(MAP_AT + 0x1000 * (test_random() % maps));
			stack[k][1] = random_addr(MAP_AT + 0x1000 * (test_random() % maps));
			stack[k][2] = (test_random() % 3) << 20 | (test_random() % 9) << 4;
		}
		add_sample(5, 2 + i, random_addr(MAP_AT), nr, (const uint64_t (*)[3])stack);
	}
	write_files();
	CHECK_EQ(run("cd %s && mv perf.data %s", test_tmpdir(), name), 0);
}

static int add(struct tally *tally, const char *name)
{
	struct samples s;
	char path[256];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	if (samples_open(&s, path, &opts, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	ret = tally_add(tally, &s, &error);
	samples_close(&s);
	return ret;
}

/* The folder for temporary files is set, but not for the test itself. */
static struct tally *new_tally(const char *folder, size_t memory)
{
	struct tally *tally;

	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	opts.symfs = test_tmpdir();
	setenv("TMPDIR", folder, 1);
	CHECK_EQ(tally_new(&tally, &opts, &error), 0);
	tally_limit(tally, memory);
	return tally;
}

static void free_tally(struct tally *tally)
{
	tally_free(tally);
	unsetenv("TMPDIR");
}

/* Count these recordings with so much memory. Returns how many parts were written. */
static size_t count_into(const char *output, size_t memory, const char *const *names)
{
	struct tally *tally = new_tally(test_tmpdir(), memory);
	char path[256];
	size_t parts;

	for (; *names; names++)
		if (add(tally, *names))
			test_fail(__FILE__, __LINE__, "%s", error.text);
	tally_dropped(tally, 7);
	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), output);
	if (tally_write(tally, path, &one, 5, 6, 0, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	parts = tally->nr_parts;
	free_tally(tally);
	return parts;
}

static const char *const both[] = { "a.data", "b.data", NULL };

TEST(a_small_memory_gives_the_same_bytes)
{
	static const size_t memories[] = { 1, 5000, 100000, 20000000 };
	size_t parts[4];
	unsigned int i, round;

	for (round = 0; round < 4; round++) {
		make_recording("a.data", 300);
		make_recording("b.data", 250);
		CHECK_EQ(count_into("want", 0, both + round % 2), 0);
		for (i = 0; i < 4; i++) {
			parts[i] = count_into("got", memories[i], both + round % 2);
			CHECK_EQ(run("cd %s && cmp got want", test_tmpdir()), 0);
		}
		/*
		 * One for each sample that has a transfer, but for the first ones, which wait
		 * to be weighed, and the last one.
		 */
		CHECK(parts[0] > 45 && parts[1] > 5 && parts[1] < parts[0]);
		CHECK(parts[2] < parts[1] && !parts[3]);
	}
	CHECK_EQ(run("ls -A %s | grep -e ssctr", test_tmpdir()), 1);
}

/* The first parts have another one, because they were written before it was known. */
TEST(a_small_memory_gives_the_same_name_of_several)
{
	static const uint8_t id[20] = { 9 };
	static const char *const names[] = { "c.data", NULL };
	struct cf_reader *reader;
	char path[256];
	unsigned int i;

	begin();
	elf.build_id = id;
	elf.build_id_size = sizeof(id);
	pdb_mmap2_id(&rec, 5, 0x7000000, 0x10000, 0, "/x", 1, id);
	pdb_mmap2_id(&rec, 5, 0x8000000, 0x10000, 0, "/a/gone", 1, id);
	for (i = 0; i < 100; i++) {
		const uint64_t at = i < 80 ? 0x8001000 : 0x7001000;
		const uint64_t stack[][3] = { { at + 0x10 + 2 * i, at, 0 } };

		add_sample(5, 2 + i, at, 1, stack);
	}
	write_files();
	CHECK_EQ(run("cd %s && mv perf.data c.data", test_tmpdir()), 0);
	CHECK_EQ(count_into("want", 0, names), 0);
	CHECK(count_into("got", 1, names) > 1);
	CHECK_EQ(run("cd %s && cmp got want", test_tmpdir()), 0);
	snprintf(path, sizeof(path), "%s/got", test_tmpdir());
	CHECK_EQ(cf_reader_open(&reader, path, &error), 0);
	CHECK_STR(cf_reader_head(reader)->binaries[CF_FIRST_BINARY].name, "/x");
	cf_reader_close(reader);
}

TEST(a_tally_with_parts_can_begin_anew)
{
	struct tally *tally;
	char path[256];

	make_recording("a.data", 250);
	make_recording("b.data", 250);
	count_into("want", 0, both + 1);
	tally = new_tally(test_tmpdir(), 5000);
	CHECK_EQ(add(tally, "a.data"), 0);
	CHECK_EQ(tally_samples(tally), 250);
	CHECK(tally->nr_parts);
	tally_clear(tally);
	CHECK_EQ(tally_samples(tally), 0);
	CHECK_EQ(add(tally, "b.data"), 0);
	CHECK(tally->nr_parts);
	tally_dropped(tally, 7);
	snprintf(path, sizeof(path), "%s/got", test_tmpdir());
	CHECK_EQ(tally_write(tally, path, &one, 5, 6, 0, &error), 0);
	CHECK_EQ(run("cd %s && cmp got want", test_tmpdir()), 0);
	free_tally(tally);
}

/* The largest file is as small as a full disk would make it. */
TEST(a_full_disk_while_spilling_is_told)
{
	struct rlimit was, small;
	struct tally *tally;

	make_recording("a.data", 250);
	tally = new_tally(test_tmpdir(), 5000);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &was));
	small = (struct rlimit){ 100, was.rlim_max };
	CHECK(!setrlimit(RLIMIT_FSIZE, &small));
	CHECK_EQ(add(tally, "a.data"), ERROR_OUTPUT);
	CHECK(!setrlimit(RLIMIT_FSIZE, &was));
	CHECK(strstr(error.text, "cannot write a temporary file in "));
	CHECK(strstr(error.text, strerror(EFBIG)));
	free_tally(tally);
}

TEST(a_folder_that_is_not_there_is_told)
{
	struct tally *tally;

	make_recording("a.data", 250);
	tally = new_tally("/not/there", 5000);
	CHECK_EQ(add(tally, "a.data"), ERROR_OUTPUT);
	CHECK_STR(error.text, "cannot write a temporary file in /not/there: No such file or directory");
	free_tally(tally);
}
