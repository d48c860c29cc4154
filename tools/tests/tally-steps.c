// SPDX-License-Identifier: GPL-2.0-only
/* From recordings to counts files: by hand, and held against a plain list. */
#include "cmd-sample.h"
#include "tally/tally.h"

#include <sys/stat.h>

enum { MOST = 4096 };

static struct tally *tally;
static struct samples_opts opts;
static struct error error;
static const struct cf_source one = { .label = { 1 } };

/* What was read back. */
static struct cf_reader *file;
static const struct cf_head *head;
static struct cf_step steps[MOST];
static struct cf_sample samples[MOST];
static size_t nr_steps, nr_samples;

static void begin_tally(void)
{
	begin();
	opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	opts.symfs = test_tmpdir();
	CHECK_EQ(tally_new(&tally, &opts, &error), 0);
}

/* Count the recording, and begin another one. */
static void add(void)
{
	struct samples s;
	char path[128];

	write_files();
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	if (samples_open(&s, path, &opts, &error) || tally_add(tally, &s, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	samples_close(&s);
	begin();
}

static void read_bounded(uint64_t most)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), "%s/out.counts", test_tmpdir());
	if (tally_write(tally, path, &one, 5, 6, most, &error) ||
	    cf_reader_open(&file, path, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	head = cf_reader_head(file);
	for (nr_steps = 0; (ret = cf_read_step(file, &steps[nr_steps], &error)) > 0; nr_steps++)
		CHECK(nr_steps < MOST - 1);
	CHECK_EQ(ret, 0);
	for (nr_samples = 0; (ret = cf_read_sample(file, &samples[nr_samples], &error)) > 0;)
		CHECK(++nr_samples < MOST);
	CHECK_EQ(ret, 0);
}

static void read_back(void)
{
	read_bounded(0);
}

static void end_tally(void)
{
	cf_reader_close(file);
	tally_free(tally);
	file = NULL;
	tally = NULL;
	pdb_free(&rec);
}

/* The only step between these offsets of the code. */
static const struct cf_step *find(uint64_t from, uint64_t to, bool youngest)
{
	const struct cf_step *found = NULL;
	size_t i;

	for (i = 0; i < nr_steps; i++) {
		if (steps[i].from != ELFB_CODE + from || steps[i].to != ELFB_CODE + to ||
		    steps[i].youngest != youngest)
			continue;
		CHECK(!found);
		found = &steps[i];
	}
	if (!found)
		test_fail(__FILE__, __LINE__, "no step");
	return found;
}

/* --- weights that stand for events --- */

/* The weight of the line from 0x0a to 0x16 in a stack of its own. */
static uint64_t weight_of(double events, double share)
{
	uint64_t weight;

	begin_tally();
	if (events)
		tally_by_events(tally, events);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add();
	tally_was_part(tally, share);
	read_back();
	CHECK_EQ(head->by_events, events != 0);
	weight = find(0x16, 0x0a, false)->weight;
	end_tally();
	return weight;
}

TEST(a_weight_by_events_is_that_of_a_sample_times_what_it_stands_for)
{
	const uint64_t weight = weight_of(0, 1);

	CHECK_EQ(weight_of(CF_EVENTS, 1), weight);
	CHECK_EQ(weight_of(16 * CF_EVENTS, 1), 16 * weight);
	CHECK_EQ(weight_of(CF_EVENTS, 0.125), 8 * weight);
	CHECK_EQ(weight_of(CF_EVENTS / 16, 1), (weight + 8) / 16);
	/* A board with next to nothing to do, between machines at work. */
	CHECK_EQ(weight_of(1, 1), 1);
}

/* One sample of two lines stands for a thousand of the other two. */
TEST(samples_that_stand_for_more_weigh_more_in_one_file)
{
	uint64_t weight, seen;
	const struct cf_step *s;

	begin_tally();
	tally_by_events(tally, CF_EVENTS);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add();
	read_back();
	s = find(0x16, 0x0a, false);
	weight = s->weight;
	seen = s->seen;
	cf_reader_close(file);
	tally_by_events(tally, 1000 * CF_EVENTS);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add();
	read_back();
	s = find(0x16, 0x0a, false);
	CHECK_EQ(s->seen, 2 * seen);
	/* What was learnt meanwhile may change the second one's weight a little. */
	CHECK(s->weight >= 900 * weight && s->weight <= 1100 * weight);
	end_tally();
}

/* --- by hand --- */

/* By the lengths of the lines in cmd-sample.h: main up to jal, load, and the ecall. */
TEST(each_transfer_is_seen_once_and_its_line_has_a_length)
{
	const struct cf_step *s;

	begin_tally();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add();
	read_back();
	CHECK_EQ(nr_steps, 4);
	s = find(0x0e, 0x00, true);
	CHECK(s->seen == 1 && !s->weight && s->line == CF_NO_LINE && !s->length);
	s = find(0x16, 0x0a, false);
	CHECK(s->seen == 1 && s->weight && s->line == 4 && s->length == 2);
	s = find(0x06, 0x12, false);
	CHECK(s->seen == 1 && s->weight && s->line == 4 && s->length == 2);
	CHECK_EQ(s->type, PERF_BR_CALL);
	s = find(0x0e, 0x00, false);
	CHECK(s->seen == 1 && s->weight && s->line == 6 && s->length == 3);
	end_tally();
}

TEST(the_head_says_what_was_counted)
{
	begin_tally();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(5, 3, MAP_AT + 0x02, 0, NULL);
	add();
	add_sample(5, 3, MAP_AT + 0x12, 3, loop + 1);
	add();
	tally_dropped(tally, 7);
	read_back();
	CHECK_EQ(head->nr_sources, 1);
	CHECK(!memcmp(head->sources, &one, sizeof(one)));
	CHECK_EQ(head->nr_binaries, 3);
	CHECK_STR(head->binaries[CF_FIRST_BINARY].name, "/x");
	CHECK(head->begin == 5 && head->end == 6);
	CHECK_EQ(head->depth, 4);
	CHECK_EQ(head->samples, 3);
	CHECK_EQ(tally_samples(tally), 3);
	CHECK_EQ(head->empty, 1);
	CHECK_EQ(head->entries, 7);
	CHECK_EQ(head->dropped, 7);
	CHECK(head->all_branches && !head->scaled);
	CHECK_EQ(nr_samples, 2);
	CHECK(samples[0].offset == ELFB_CODE + 2 && samples[0].count == 2);
	CHECK(samples[1].offset == ELFB_CODE + 0x12 && samples[1].count == 1);
	end_tally();
}

static off_t file_size(void)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/out.counts", test_tmpdir());
	CHECK(!stat(path, &st));
	return st.st_size;
}

/* What is seen once goes first; the sums of the file are those of what is left. */
TEST(a_file_that_is_too_large_lacks_rare_steps_and_says_so)
{
	uint64_t entries, weight, once = 0, once_weight = 0;
	off_t size;
	size_t i;

	begin_tally();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(5, 2, MAP_AT + 0x02, 3, loop + 1);
	add();
	read_back();
	size = file_size();
	entries = head->entries;
	weight = head->weight;
	CHECK_EQ(head->left_out, 0);
	for (i = 0; i < nr_steps; i++) {
		once += steps[i].seen == 1;
		once_weight += steps[i].seen == 1 ? steps[i].weight : 0;
	}
	CHECK(once && once < nr_steps);
	cf_reader_close(file);
	read_bounded(size);
	CHECK(file_size() == size && !head->left_out);
	cf_reader_close(file);
	read_bounded(size - 1);
	CHECK(file_size() < size);
	CHECK_EQ(head->left_out, once);
	CHECK_EQ(head->left_out_weight, once_weight);
	CHECK_EQ(head->entries, entries - once);
	CHECK_EQ(head->weight, weight - once_weight);
	for (i = 0; i < nr_steps; i++)
		CHECK(steps[i].seen > 1);
	CHECK(nr_samples == 1 && head->samples == 2);
	cf_reader_close(file);
	/* It ends, also if nothing helps. */
	read_bounded(1);
	CHECK(!nr_steps && !head->entries && head->left_out == entries);
	end_tally();
}

TEST(a_recording_of_some_kinds_of_branches_is_told)
{
	begin_tally();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add();
	read_back();
	CHECK(!head->all_branches);
	end_tally();
}

/* --- privacy --- */

TEST(memory_without_a_file_is_nowhere)
{
	static const char *const names[] = { "//anon", "[heap]", "/memfd:jit (deleted)",
					     "/tmp/jit-7.dump", "/dev/zero" };
	static const uint64_t stack[][3] = {
		{ 0x7001010, 0x7002020, 0 },
		{ 0x7001010, 0x7002020, 0 },
		{ MAP_AT + 0x0e, 0x7001000, 0 },
		{ 0x7001010, MAP_AT, 0 },
	};
	size_t i, k;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		begin_tally();
		pdb_mmap2(&rec, 5, 0x7000000, 0x10000, 0x7000000, names[i], 1);
		add_sample(5, 2, 0x7002024, 4, stack);
		add();
		read_back();
		CHECK_EQ(head->nr_binaries, 3);
		CHECK_EQ(nr_steps, 4);
		for (k = 0; k < nr_steps; k++) {
			CHECK(steps[k].from_binary != CF_NOWHERE || !steps[k].from);
			CHECK(steps[k].to_binary != CF_NOWHERE || !steps[k].to);
		}
		CHECK(samples[0].binary == CF_NOWHERE && !samples[0].offset);
		end_tally();
	}
}

/* How much ran there is no secret, and what ran elsewhere has its share by it. */
TEST(lines_in_memory_without_a_file_have_their_lengths)
{
	static const uint64_t bases[] = { 0x7000000, 0x9000000, KERNEL_AT };
	size_t i, k, nr;

	for (i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		const uint64_t at = bases[i], stack[][3] = {
			{ at + 0x1010, at + 0x2020, 0 }, { at + 0x101e, at + 0x1004, 0 },
			{ at + 0x1040, at + 0x1000, 0 }, { MAP_AT + 0x0e, at + 0x1010, 0 },
		};
		static const uint32_t lines[] = { 12, 30, 48 }, lengths[] = { 5, 11, 17 };

		begin_tally();
		pdb_mmap2(&rec, 5, 0x7000000, 0x10000, 0x7000000, "//anon", 1);
		add_sample(5, 2, at + 0x2024, 4, stack);
		add();
		read_back();
		for (k = nr = 0; k < nr_steps; k++) {
			CHECK(steps[k].to_binary < CF_FIRST_BINARY && !steps[k].to);
			if (steps[k].youngest)
				continue;
			nr++;
			CHECK(steps[k].line == (int32_t)lines[0] || steps[k].line == (int32_t)lines[1] ||
			      steps[k].line == (int32_t)lines[2]);
			CHECK_EQ(steps[k].length, lengths[(steps[k].line - 12) / 18]);
		}
		CHECK_EQ(nr, 3);
		end_tally();
	}
}

TEST(a_program_that_runs_from_memory_is_a_binary)
{
	static const uint64_t stack[][3] = { { 0x7001010, 0x7001000, 0 },
					     { 0x7001010, 0x7001000, 0 } };
	static const uint8_t id[20] = { 9 };

	begin_tally();
	pdb_mmap2_id(&rec, 5, 0x7000000, 0x10000, 0, "/memfd:y (deleted)", 1, id);
	add_sample(5, 2, 0x7001004, 2, stack);
	add();
	read_back();
	CHECK_EQ(head->nr_binaries, 3);
	CHECK_STR(head->binaries[CF_FIRST_BINARY].name, "/memfd:y");
	CHECK(steps[0].to_binary == CF_FIRST_BINARY && steps[0].to == 0x1000);
	end_tally();
}

TEST(a_name_of_another_folder_does_not_make_another_binary)
{
	static const uint8_t id[20] = { 9 };
	static const uint64_t stack[][3] = { { 0x7001010, 0x7001000, 0 },
					     { 0x8001010, 0x8001000, 0 } };

	begin_tally();
	pdb_mmap2_id(&rec, 5, 0x7000000, 0x10000, 0, "/b/y", 1, id);
	pdb_mmap2_id(&rec, 5, 0x8000000, 0x10000, 0, "/a/y", 1, id);
	add_sample(5, 2, 0x7001004, 2, stack);
	add_sample(5, 3, 0x8001004, 1, stack + 1);
	add();
	read_back();
	CHECK_EQ(head->nr_binaries, 3);
	CHECK_STR(head->binaries[CF_FIRST_BINARY].name, "/a/y");
	CHECK_EQ(nr_steps, 2);
	CHECK_EQ(steps[0].seen + steps[1].seen, 3);
	CHECK(nr_samples == 1 && samples[0].count == 2);
	end_tally();
}

/* A copy that ran may be gone, or have its name in another mount namespace. */
TEST(of_several_names_one_whose_file_is_there_is_kept)
{
	static const uint8_t id[20] = { 9 };
	static const uint64_t stack[][3] = { { 0x7001010, 0x7001000, 0 },
					     { 0x8001010, 0x8001000, 0 } };

	begin_tally();
	elf.build_id = id;
	elf.build_id_size = sizeof(id);
	pdb_mmap2_id(&rec, 5, 0x7000000, 0x10000, 0, "/x", 1, id);
	pdb_mmap2_id(&rec, 5, 0x8000000, 0x10000, 0, "/a/gone", 1, id);
	add_sample(5, 2, 0x8001004, 1, stack + 1);
	add_sample(5, 3, 0x7001004, 1, stack);
	add();
	read_back();
	CHECK_EQ(head->nr_binaries, 3);
	CHECK_STR(head->binaries[CF_FIRST_BINARY].name, "/x");
	end_tally();
}

TEST(the_kernel_is_told_by_its_symbol)
{
	static const uint64_t stack[][3] = {
		{ KERNEL_AT + 0x2010, KERNEL_AT + 0x2020, 0 },
	};

	begin_tally();
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x100000, KERNEL_AT + 0x1000,
		 "[kernel.kallsyms]_text", 1);
	add_sample(5, 3, MAP_AT, 1, stack);
	add();
	read_back();
	CHECK_EQ(head->nr_binaries, 4);
	CHECK(steps[0].from == (UINT64_C(1) << 39) + 0x1010);
	CHECK_STR(head->binaries[steps[0].from_binary].symbol, "_text");
	CHECK(head->binaries[steps[0].from_binary].kernel);
	end_tally();
}

/* Two instructions of two bytes; without the code, one is taken for three bytes. */
TEST(the_kernel_s_lines_have_the_lengths_of_its_vmlinux)
{
	static const uint64_t stack[][3] = {
		{ KERNEL_AT + 0x10, KERNEL_AT + 0x00, 0 },
		{ KERNEL_AT + 0x0e, KERNEL_AT + 0x0e, 0 },
	};
	static const uint8_t ids[2][24] = { { 1 }, { 2 } };
	char vmlinux[128];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		begin_tally();
		snprintf(vmlinux, sizeof(vmlinux), "%s/x", test_tmpdir());
		opts.vmlinux = i ? vmlinux : NULL;
		elf.build_id = ids[0];
		elf.build_id_size = 20;
		pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x100000, KERNEL_AT,
			 "[kernel.kallsyms]main", 1);
		pdb_build_id(&rec, PDB_MISC_KERNEL, ids[i == 2], "[kernel.kallsyms]");
		add_sample(5, 3, MAP_AT, 2, stack);
		add();
		read_back();
		CHECK_EQ(nr_steps, 2);
		CHECK(steps[0].line == 2 && steps[0].length == (i == 1 ? 2 : 1));
		end_tally();
	}
}

/* --- events --- */

TEST(an_event_has_its_count_and_what_the_samples_cover)
{
	begin_tally();
	rec.events[0].attr.read_format = PERF_FORMAT_ID;
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 3, .pid = 5,
		.period = 70, .nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, 100, 0);
	add();
	add_sample(5, 3, MAP_AT, 4, loop);
	add();
	read_back();
	CHECK_EQ(head->nr_events, 1);
	CHECK_EQ(head->events[0].samples, 2);
	CHECK_EQ(head->events[0].covered, 70);
	CHECK_EQ(head->events[0].count, 100);
	CHECK_EQ(head->events[0].unknown, 1);
	end_tally();
}

/* --- against a plain list --- */

enum { RANDOM_SAMPLES = 60, RANDOM_DEPTH = 70 };

struct seen {
	uint64_t from, to;
	int64_t line; /* INT64_MIN: none */
	unsigned int flags;
	bool youngest;
};

static struct seen list[RANDOM_SAMPLES * RANDOM_DEPTH];
static size_t nr_list;

/* Within the 4 KiB that are mapped. */
static uint64_t random_addr(void)
{
	return MAP_AT + 2 * (test_random() % 9);
}

static void add_random(void)
{
	uint64_t stack[RANDOM_DEPTH][3];
	unsigned int nr = test_random() % (RANDOM_DEPTH + 1), i;

	for (i = 0; i < nr; i++) {
		stack[i][0] = random_addr();
		stack[i][1] = random_addr();
		stack[i][2] = (test_random() % 3) << 20 | test_random() % 2;
		list[nr_list++] = (struct seen){
			stack[i][0] - MAP_AT + ELFB_CODE, stack[i][1] - MAP_AT + ELFB_CODE,
			i ? (int64_t)(stack[i - 1][0] - stack[i][1]) : INT64_MIN,
			stack[i][2], !i };
	}
	add_sample(5, 2 + nr_list, MAP_AT, nr, (const uint64_t (*)[3])stack);
}

static uint64_t times_seen(const struct cf_step *s)
{
	const struct seen want = { s->from, s->to,
				   s->line == CF_NO_LINE ? INT64_MIN : s->line,
				   s->type << 20 | s->mispredicted, s->youngest };
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < nr_list; i++)
		nr += list[i].from == want.from && list[i].to == want.to &&
		      list[i].line == want.line && list[i].flags == want.flags &&
		      list[i].youngest == want.youngest;
	return nr;
}

TEST(steps_are_a_plain_list_sorted_and_summed)
{
	uint64_t seen = 0, weight = 0;
	unsigned int i;

	begin_tally();
	for (i = nr_list = 0; i < RANDOM_SAMPLES; i++)
		add_random();
	add();
	read_back();
	for (i = 0; i < nr_steps; i++) {
		CHECK_EQ(steps[i].seen, times_seen(&steps[i]));
		CHECK(!i || cf_compare_steps(&steps[i - 1], &steps[i]) < 0);
		seen += steps[i].seen;
		weight += steps[i].weight;
	}
	CHECK_EQ(seen, nr_list);
	CHECK_EQ(head->entries, nr_list);
	CHECK_EQ(weight, head->weight);
	end_tally();
}

TEST(a_cleared_tally_is_a_new_one)
{
	static struct cf_step first[MOST];
	struct pdb_buf copy = { 0 };
	size_t nr_first, i, bytes;

	begin_tally();
	for (i = nr_list = 0; i < RANDOM_SAMPLES; i++)
		add_random();
	pdb_put(&copy, rec.data.p, rec.data.n);
	add();
	read_back();
	cf_reader_close(file);
	bytes = tally_bytes(tally);
	nr_first = nr_steps;
	memcpy(first, steps, sizeof(first));
	/* Something else, which is forgotten. */
	nr_list = 0;
	add_random();
	add();
	tally_clear(tally);
	CHECK_EQ(tally_samples(tally), 0);
	CHECK_EQ(tally_bytes(tally), 0);
	rec.data.n = 0;
	pdb_put(&rec.data, copy.p, copy.n);
	free(copy.p);
	add();
	read_back();
	CHECK_EQ(nr_steps, nr_first);
	CHECK_EQ(tally_bytes(tally), bytes);
	for (i = 0; i < nr_steps; i++)
		CHECK(!cf_compare_steps(&first[i], &steps[i]) &&
		      first[i].seen == steps[i].seen && first[i].weight == steps[i].weight);
	end_tally();
}

TEST(nothing_counted_is_a_file_too)
{
	begin_tally();
	add();
	read_back();
	CHECK_EQ(nr_steps, 0);
	CHECK_EQ(nr_samples, 0);
	CHECK_EQ(head->nr_binaries, 2);
	end_tally();
}
