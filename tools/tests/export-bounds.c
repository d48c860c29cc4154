// SPDX-License-Identifier: GPL-2.0-only
/* A counts file with more addresses and calls than a profile may have. */
#include "test.h"

#include "countfile/countfile.h"
#include "export/profile.h"

#include <linux/perf_event.h>
#include <stdlib.h>

enum { STEPS = 500000, HOT = 1000 /* one of so many */, TIMES = 5000, EVERY_CALL = 4 };

static struct error error;

/* All lead to different addresses, in another order than the steps have. */
static struct cf_step step_of(uint64_t i)
{
	const bool hot = i % HOT == 0;

	return (struct cf_step){ .from_binary = 2, .to_binary = 2, .from = 0x1000 + 8 * i,
				 .to = 0x1000000 + 2 * (i * 7919 % STEPS), .line = 4,
				 .type = i % EVERY_CALL ? PERF_BR_COND : PERF_BR_CALL,
				 .seen = hot ? TIMES : 1, .weight = hot ? TIMES : 1,
				 .length = 1 };
}

static void make_file(uint64_t nr_samples)
{
	struct cf_binary binaries[] = { { .name = (char *)"[unknown]" },
					{ .name = (char *)"[kernel]", .kernel = true },
					{ .name = (char *)"/x" } };
	struct cf_source source = { .label = { 1 } };
	struct cf_head head = { .sources = &source, .nr_sources = 1, .binaries = binaries,
				.all_branches = true, .nr_binaries = 3, .depth = 8, .samples = 2 * nr_samples };
	struct cf_writer *writer;
	struct cf_step step;
	uint64_t i;

	for (i = 0; i < STEPS; i++)
		head.entries += step_of(i).seen;
	head.weight = head.entries;
	CHECK_EQ(cf_writer_open(&writer, test_path("counts"), &head, &error), 0);
	for (i = 0; i < STEPS; i++) {
		step = step_of(i);
		CHECK_EQ(cf_write_step(writer, &step, &error), 0);
	}
	for (i = 0; i < nr_samples; i++)
		CHECK_EQ(cf_write_sample(writer, &(struct cf_sample){ 2, 0x1000000 + i, 2 },
					 &error), 0);
	CHECK_EQ(cf_writer_close(writer, true, &error), 0);
}

/* The number that a comment of the profile tells, or 0. */
static uint64_t told(const struct pprof *p, const char *what)
{
	size_t i;

	for (i = 0; i < p->nr_comments; i++)
		if (strstr(pprof_text(p, p->comments[i]), what))
			return strtoull(pprof_text(p, p->comments[i]), NULL, 10);
	return 0;
}

static uint64_t sum_of(const struct pprof *p, unsigned int type)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < p->nr_samples; i++)
		sum += p->samples[i].values[type];
	return sum;
}

static void read_file(struct export_profile *profile, struct cf_reader **reader)
{
	struct notes notes = { 0 };

	CHECK_EQ(cf_reader_open(reader, test_path("counts"), &error), 0);
	CHECK_EQ(export_profile_read(profile, *reader, &(struct export_naming){ NULL }, &notes,
				     &error), 0);
	notes_free(&notes);
}

TEST(what_is_kept_and_what_is_left_out_are_all)
{
	struct export_profile profile;
	struct cf_reader *reader;
	uint64_t all = 0, calls = 0, i;

	make_file(1000);
	for (i = 0; i < STEPS; i++) {
		all += step_of(i).weight;
		calls += i % EVERY_CALL ? 0 : step_of(i).weight;
	}
	read_file(&profile, &reader);
	CHECK(profile.nr_places <= EXPORT_MOST_PLACES + 2 * EXPORT_MOST_CALLS);
	CHECK(told(&profile.pprof, "instructions were left out") > 0);
	CHECK(told(&profile.pprof, "calls were left out") > 0);
	CHECK_EQ(sum_of(&profile.pprof, EXPORT_INSTRUCTIONS) +
		 told(&profile.pprof, "instructions were left out"), all);
	CHECK_EQ(sum_of(&profile.pprof, EXPORT_CALLS) +
		 told(&profile.pprof, "calls were left out"), calls);
	/* Samples are few, and hotter than a step that was seen once. */
	CHECK_EQ(sum_of(&profile.pprof, EXPORT_SAMPLES), 2000);
	export_profile_free(&profile);
	cf_reader_close(reader);
}

/* One step of so many transfers, with 100 instructions each. */
static void make_heavy(uint64_t seen, uint64_t left_out)
{
	struct cf_binary binaries[] = { { .name = (char *)"[unknown]" },
					{ .name = (char *)"[kernel]", .kernel = true },
					{ .name = (char *)"/x" } };
	struct cf_source source = { .label = { 1 } };
	struct cf_head head = { .sources = &source, .nr_sources = 1, .binaries = binaries,
				.all_branches = true, .nr_binaries = 3, .depth = 8, .entries = seen, .weight = seen,
				.left_out = left_out, .left_out_weight = left_out };
	struct cf_step step = { 2, 2, 0x1000, 0x2000, 4, PERF_BR_CALL, .seen = seen,
				.weight = seen, .length = 100 };
	struct cf_writer *writer;

	CHECK_EQ(cf_writer_open(&writer, test_path("counts"), &head, &error), 0);
	CHECK_EQ(cf_write_step(writer, &step, &error), 0);
	CHECK_EQ(cf_writer_close(writer, true, &error), 0);
}

TEST(a_value_that_does_not_fit_is_the_most_there_can_be)
{
	static const struct {
		uint64_t seen, left_out, calls, instructions;
	} files[] = {
		{ UINT64_C(1) << 55, 0, UINT64_C(1) << 55, UINT64_C(25) << 57 },
		{ UINT64_C(1) << 62, 0, UINT64_C(1) << 62, INT64_MAX },
		{ UINT64_C(1) << 62, UINT64_MAX, UINT64_C(1) << 62, INT64_MAX },
	};
	struct export_profile profile;
	struct cf_reader *reader;
	unsigned int i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		make_heavy(files[i].seen, files[i].left_out);
		read_file(&profile, &reader);
		CHECK_EQ(sum_of(&profile.pprof, EXPORT_CALLS), files[i].calls);
		CHECK_EQ(sum_of(&profile.pprof, EXPORT_INSTRUCTIONS), files[i].instructions);
		export_profile_free(&profile);
		cf_reader_close(reader);
	}
}

TEST(what_is_hot_stays)
{
	struct export_profile profile;
	struct cf_reader *reader;
	size_t i, hot = 0;

	make_file(1000);
	read_file(&profile, &reader);
	for (i = 0; i < profile.nr_places; i++)
		hot += profile.places[i].executed == TIMES;
	CHECK_EQ(hot, STEPS / HOT);
	for (hot = i = 0; i < profile.pprof.nr_samples; i++)
		hot += profile.pprof.samples[i].values[EXPORT_CALLS] == TIMES;
	CHECK_EQ(hot, STEPS / HOT);
	export_profile_free(&profile);
	cf_reader_close(reader);
}

TEST(samples_are_bounded_too)
{
	struct export_profile profile;
	struct cf_reader *reader;

	make_file(3 * EXPORT_MOST_PLACES);
	read_file(&profile, &reader);
	CHECK(profile.nr_places <= EXPORT_MOST_PLACES + 2 * EXPORT_MOST_CALLS);
	CHECK_EQ(sum_of(&profile.pprof, EXPORT_SAMPLES) +
		 told(&profile.pprof, "samples were left out"), 6 * EXPORT_MOST_PLACES);
	export_profile_free(&profile);
	cf_reader_close(reader);
}

/* So many calls or sampled addresses, which have each count from 1 to nr once, in no order. */
static void make_ranked(uint64_t nr, bool calls)
{
	struct cf_binary binaries[] = { { .name = (char *)"[unknown]" },
					{ .name = (char *)"[kernel]", .kernel = true },
					{ .name = (char *)"/x" } };
	struct cf_source source = { .label = { 1 } };
	const uint64_t sum = nr * (nr + 1) / 2;
	struct cf_head head = { .sources = &source, .nr_sources = 1, .binaries = binaries,
				.all_branches = true, .nr_binaries = 3, .depth = 8,
				.samples = sum, .entries = calls ? sum : 0,
				.weight = calls ? sum : 0 };
	struct cf_writer *writer;
	uint64_t i, count;

	CHECK_EQ(cf_writer_open(&writer, test_path("counts"), &head, &error), 0);
	for (i = 0; i < nr; i++) {
		struct cf_step step = { .from_binary = 2, .to_binary = 2, .from = 8 * i,
					.to = 0x1000, .line = CF_NO_LINE, .type = PERF_BR_CALL };

		count = step.seen = step.weight = 1 + i * 7919 % nr;
		if (calls)
			CHECK_EQ(cf_write_step(writer, &step, &error), 0);
		else
			CHECK_EQ(cf_write_sample(writer, &(struct cf_sample){ 2, 8 * i, count },
						 &error), 0);
	}
	CHECK_EQ(cf_writer_close(writer, true, &error), 0);
}

/* The most of them, which have the highest counts, and no other one. */
static void check_ranked(uint64_t nr, uint64_t most, unsigned int type, const char *what)
{
	const uint64_t left = nr - most;
	struct export_profile profile;
	struct cf_reader *reader;
	uint64_t kept = 0;
	size_t i;

	read_file(&profile, &reader);
	for (i = 0; i < profile.pprof.nr_samples; i++) {
		const uint64_t value = profile.pprof.samples[i].values[type];

		kept += value > left;
		CHECK(!value || value > left);
	}
	CHECK_EQ(kept, most);
	CHECK_EQ(told(&profile.pprof, what), left * (left + 1) / 2);
	export_profile_free(&profile);
	cf_reader_close(reader);
}

TEST(the_most_frequent_calls_stay_in_whatever_order_they_come)
{
	const uint64_t nr = 5 * EXPORT_MOST_CALLS + 10;

	make_ranked(nr, true);
	check_ranked(nr, EXPORT_MOST_CALLS, EXPORT_CALLS, "calls were left out");
}

TEST(the_hottest_addresses_stay_in_whatever_order_they_come)
{
	const uint64_t nr = 3 * EXPORT_MOST_PLACES + 10;

	make_ranked(nr, false);
	check_ranked(nr, EXPORT_MOST_PLACES, EXPORT_SAMPLES, "samples were left out");
}

TEST(as_many_as_there_may_be_all_stay)
{
	make_ranked(EXPORT_MOST_CALLS, true);
	check_ranked(EXPORT_MOST_CALLS, EXPORT_MOST_CALLS, EXPORT_CALLS, "calls were left out");
	make_ranked(EXPORT_MOST_PLACES, false);
	check_ranked(EXPORT_MOST_PLACES, EXPORT_MOST_PLACES, EXPORT_SAMPLES,
		     "samples were left out");
}
