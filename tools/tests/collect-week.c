// SPDX-License-Identifier: GPL-2.0-only
/*
 * A week of ssctr collect by a simulated clock. Its turns are recordings that this test
 * makes, its counts are those of the tally, and its files are read back.
 */
#include "counts-build.h"

#include "collect/collect.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define HOUR (3600 * SECOND)

enum { RECORDINGS = 5, HOURS = 7 * 24, KEEP = 100000 };

static struct {
	struct collect_time time;
	struct tally *tally;
	struct samples_opts samples;
	char recordings[RECORDINGS][256];
	uint64_t in_recording[RECORDINGS]; /* samples */
	uint64_t counted; /* samples of all turns */
	uint64_t begin;
	unsigned int turns, nr_files;
	size_t memory[HOURS + 2]; /* bytes, before each file is written */
	unsigned int said;
} week;

static struct error error;

static void now(void *arg, struct collect_time *time)
{
	(void)arg;
	*time = week.time;
}

static void pass(uint64_t span)
{
	week.time.awake += span;
	week.time.boot += span;
	week.time.wall = week.begin + week.time.boot / SECOND;
}

static unsigned int wait_for(void *arg, uint64_t span)
{
	(void)arg;
	pass(span);
	return week.time.awake >= HOURS * HOUR ? COLLECT_END : 0;
}

/* A turn of 1.8 s of processor time: a budget of 18 s has ten of them in an hour. */
static int turn(void *arg, const struct collect_sampling *how, struct collect_turn *turn,
		struct error *why)
{
	const unsigned int i = test_random() % RECORDINGS;
	struct samples samples;
	int ret;

	(void)arg;
	(void)how;
	ret = samples_open(&samples, week.recordings[i], &week.samples, why) ?:
	      tally_add(week.tally, &samples, why);
	samples_close(&samples);
	*turn = (struct collect_turn){ .own = 1800000000, .span = SECOND,
				       .samples = week.in_recording[i], .events = 1000000 };
	week.counted += week.in_recording[i];
	week.time.spent += turn->own;
	week.turns++;
	pass(SECOND);
	return ret;
}

static int write_file(void *arg, const char *path, const struct cf_source *source,
		      uint64_t begin, uint64_t end, uint64_t span, struct error *why)
{
	(void)arg;
	(void)span;
	CHECK(week.nr_files < HOURS + 2);
	CHECK_EQ(source->first, week.nr_files);
	week.memory[week.nr_files++] = test_allocated();
	return tally_write(week.tally, path, source, begin, end, 0, why);
}

static void clear(void *arg)
{
	(void)arg;
	tally_clear(week.tally);
}

static size_t bytes(void *arg)
{
	(void)arg;
	return tally_bytes(week.tally);
}

static void say(void *arg, const char *line)
{
	(void)arg;
	(void)line;
	week.said++;
}

/* Recordings of different sizes. */
static void make_recordings(void)
{
	unsigned int i;

	for (i = 0; i < RECORDINGS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "data%u", i);
		snprintf(week.recordings[i], sizeof(week.recordings[i]), "%s/%s",
			 test_tmpdir(), name);
		week.in_recording[i] = 20 + 10 * i;
		begin();
		write_walk(name, week.in_recording[i]);
	}
}

static void run_week(void)
{
	const struct collect_ops ops = { .now = now, .wait = wait_for, .turn = turn,
					 .write = write_file, .clear = clear, .bytes = bytes,
					 .say = say, .warn = say };
	const struct collect_opts opts = {
		.limits = { .share = 0.005, .period = HOUR, .turn = SECOND, .samples = 100000 },
		.keep_size = KEEP, .memory = 12 << 20, .seed = test_random(),
	};
	struct spool spool;
	char path[4096];

	week.begin = time(NULL);
	week.time.cpus = 1;
	week.samples = (struct samples_opts)SAMPLES_OPTS_INIT;
	week.samples.symfs = test_tmpdir();
	CHECK_EQ(tally_new(&week.tally, &week.samples, &error), 0);
	snprintf(path, sizeof(path), "%s/counts", test_tmpdir());
	CHECK_EQ(spool_open(&spool, path, &error), 0);
	if (collect_run(&spool, &ops, &opts, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	spool_close(&spool, true);
	tally_free(week.tally);
}

/* Each file is whole, and has one period. Returns the samples of the files that are left. */
static uint64_t read_files(unsigned int *nr, uint64_t *size)
{
	uint64_t samples = 0, last = 0;
	struct dirent **names;
	char folder[4096], path[5000];
	int i, n;

	snprintf(folder, sizeof(folder), "%s/counts", test_tmpdir());
	n = scandir(folder, &names, NULL, alphasort);
	CHECK(n > 0);
	for (i = 0; i < n; i++) {
		const struct cf_head *head;
		struct cf_reader *reader;
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (strstr(names[i]->d_name, ".counts")) {
			if (cf_reader_open(&reader, path, &error))
				test_fail(__FILE__, __LINE__, "%s", error.text);
			head = cf_reader_head(reader);
			CHECK_EQ(head->nr_sources, 1);
			CHECK_EQ(head->sources[0].first, head->sources[0].last);
			CHECK(!*nr || head->sources[0].first == last + 1);
			CHECK(head->end - head->begin >= 3500 && head->end - head->begin < 3700);
			last = head->sources[0].first;
			samples += head->samples;
			CHECK(!stat(path, &st));
			*size += st.st_size;
			++*nr;
			cf_reader_close(reader);
		}
		free(names[i]);
	}
	free(names);
	CHECK_EQ(last, week.nr_files - 1);
	return samples;
}

static size_t most_memory(unsigned int from, unsigned int to)
{
	size_t most = 0;

	for (; from < to; from++)
		if (week.memory[from] > most)
			most = week.memory[from];
	return most;
}

static int by_size(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static size_t usual_memory(unsigned int from, unsigned int to)
{
	size_t sorted[HOURS + 2];

	memcpy(sorted, week.memory + from, (to - from) * sizeof(*sorted));
	qsort(sorted, to - from, sizeof(*sorted), by_size);
	return sorted[(to - from) / 2];
}

TEST(in_a_week_memory_stays_and_files_are_rotated)
{
	unsigned int nr = 0;
	uint64_t size = 0, samples;

	/* Where fsync() does not take most of the time. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
	make_recordings();
	run_week();
	samples = read_files(&nr, &size);
	printf("# %u turns, %u files, %u of them left with %llu bytes, %zu bytes of memory\n",
	       week.turns, week.nr_files, nr, (unsigned long long)size,
	       most_memory(0, week.nr_files));
	CHECK(week.nr_files >= HOURS - 1 && week.nr_files <= HOURS);
	CHECK(week.turns >= 9 * HOURS && week.turns <= 10 * HOURS);
	CHECK(size <= KEEP && nr < week.nr_files && nr >= 5);
	CHECK(samples > 0 && samples < week.counted);
	/* What an hour takes depends on which recordings its turns are. What stays adds up. */
	CHECK(usual_memory(week.nr_files - 24, week.nr_files) <= most_memory(0, 24));
}
