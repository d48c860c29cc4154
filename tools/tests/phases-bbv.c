// SPDX-License-Identifier: GPL-2.0-only
/*
 * Basic-block vectors: of a trace made by hand, and of random traces, against a count that
 * is written here from the rule of stf_bbv: a block ends with a taken branch, an event or
 * before a FORCE_PC, and an interval with a block.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "phases/trace.h"
#include "stf-build.h"

static struct bytes in;
static struct error error;

static void b_thread(unsigned int pid)
{
	b_process(&in, 0, pid, pid);
}

#define MODE_CHANGE UINT64_C(0x4000000000000000)

/* The .bb file of the trace in `in`, up to the next call. */
static const char *vectors_of(struct phases_bbv *bbv, const struct stf_select *wanted)
{
	static char *text;
	static size_t size;
	struct stf_reader *reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);

	free(text);
	text = NULL;
	bbv->dims = 3;
	bbv->bb = open_memstream(&text, &size);
	CHECK(reader && bbv->bb);
	CHECK_EQ(phases_read_trace(bbv, reader, wanted, &error), 0);
	stf_reader_close(reader);
	fclose(bbv->bb);
	return text;
}

/*
 * A loop of three instructions at 0x10000 runs twice and is left, without being taken, to
 * 0x10006, from where a jump leads to 0x20000.
 */
static void make_loop(void)
{
	b_header(&in, FEATURES_RV64);
	b_thread(7);
	b_inst16(&in, 1);
	b_pc(&in, 31, 0x10000);
	b_inst32(&in, 0x63);
	b_inst16(&in, 1);
	b_inst32(&in, 0x63);
	b_inst16(&in, 1);
	b_pc(&in, 31, 0x20000);
	b_inst32(&in, 0x6f);
	b_inst16(&in, 1);
}

/* What the hash is made of is the same. */
TEST(blocks_of_one_hash_are_told_apart)
{
	const struct phases_key keys[] = {
		{ 0x1000, 4, 1 },
		{ 0x1000 ^ 12 << 20, 8, 1 },
		{ 0x1000 ^ UINT64_C(3) << 40, 4, 2 },
	};
	struct phases_bbv bbv = { .size = 100, .dims = 3 };
	unsigned int i;

	for (i = 0; i < 6; i++)
		CHECK(phases_bbv_count(&bbv, &keys[i % 3], 1 + i % 3));
	CHECK_EQ(bbv.nr_blocks, 3);
	for (i = 0; i < 3; i++)
		CHECK(bbv.blocks[i].amount == 2 * (1 + i));
	phases_bbv_free(&bbv);
}

TEST(a_branch_that_is_not_taken_does_not_end_a_block)
{
	struct phases_bbv bbv = { .size = 100 };

	make_loop();
	CHECK_STR(vectors_of(&bbv, NULL), "T:1:2 :2:4 :3:1 \n");
	CHECK_EQ(bbv.blocks[1].key.start, 0x10000);
	CHECK_EQ(bbv.blocks[1].key.size, 12);
	CHECK_EQ(bbv.blocks[1].key.pid, 7);
	phases_bbv_free(&bbv);
}

/* stf_bbv asks whether the instruction has any event, and its reader leaves out none. */
TEST(a_mode_that_is_repeated_ends_a_block)
{
	struct phases_bbv bbv = { .size = 100 };
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	b_thread(7);
	for (i = 0; i < 8; i++) {
		if (i == 1 || i == 4)
			b_event(&in, MODE_CHANGE, 1, 0);
		b_inst16(&in, 1);
	}
	CHECK_STR(vectors_of(&bbv, NULL), "T:1:2 :2:3 :3:3 \n");
	phases_bbv_free(&bbv);
}

TEST(an_interval_ends_with_a_block)
{
	struct phases_bbv bbv = { .size = 3 };

	make_loop();
	CHECK_STR(vectors_of(&bbv, NULL), "T:1:2 :2:4 \nT:3:1 \n");
	CHECK_EQ(bbv.nr, 2);
	CHECK_EQ(bbv.v[0].start, 0);
	CHECK_EQ(bbv.v[0].length, 6);
	CHECK_EQ(bbv.v[1].start, 6);
	CHECK_EQ(bbv.v[1].length, 1);
	phases_bbv_free(&bbv);
}

TEST(the_same_code_in_two_processes_is_two_blocks)
{
	struct phases_bbv bbv = { .size = 100 };

	make_loop();
	b_thread(8);
	b_pc(&in, 9, 0x20000);
	b_inst16(&in, 1);
	CHECK_STR(vectors_of(&bbv, NULL), "T:1:2 :2:4 :3:1 :4:1 \n");
	phases_bbv_free(&bbv);
}

/* The start counts all instructions, as that of `ssctr cut --start`: four are the kernel's. */
TEST(user_mode_alone)
{
	const struct stf_select_opts opts = { .size = sizeof(opts),
					      .modes = 1 << STF_MODE_USER };
	struct stf_select *user = stf_select_new(&opts, NULL);
	struct phases_bbv bbv = { .size = 2 };

	b_header(&in, FEATURES_RV64);
	b_event(&in, MODE_CHANGE, 1, 1);
	b_inst16(&in, 1);
	b_inst16(&in, 1);
	b_inst16(&in, 1);
	b_event(&in, MODE_CHANGE, 1, 0);
	b_pc(&in, 31, 0x20000);
	b_inst32(&in, 0x10200073);
	b_inst16(&in, 1);
	b_inst16(&in, 1);
	CHECK(user);
	CHECK_STR(vectors_of(&bbv, user), "T:1:2 \n");
	stf_select_free(user);
	CHECK_EQ(bbv.v[0].start, 4);
	CHECK_EQ(bbv.v[0].length, 2);
	phases_bbv_free(&bbv);
}

/* What share the trace holds of one process is told nowhere, unless that is all it holds. */
TEST(of_a_part_of_a_trace_the_coverage_is_not_known)
{
	struct stf_select_opts opts = { .size = sizeof(opts), .by_pid = true, .process.pid = 7 };
	struct stf_select *wanted = stf_select_new(&opts, NULL);
	unsigned int others;

	CHECK(wanted);
	for (others = 0; others < 2; others++) {
		struct phases_bbv all = { .size = 100 }, part = { .size = 100 };

		make_loop();
		if (others) {
			b_thread(8);
			b_inst16(&in, 1);
		}
		b_comment(&in, "ssctr coverage 0.5 of 14 instructions");
		vectors_of(&all, NULL);
		vectors_of(&part, wanted);
		CHECK(all.coverage == 0.5);
		CHECK(part.coverage == (others ? 0 : 0.5));
		phases_bbv_free(&all);
		phases_bbv_free(&part);
	}
	stf_select_free(wanted);
}

/* --- random traces --- */

enum { MAX_BLOCKS = 4000, TRIALS = 100 };

struct counted {
	uint64_t start, end;
	uint32_t pid;
	unsigned int n; /* in this interval */
};

struct naive {
	struct counted v[MAX_BLOCKS];
	unsigned int nr;
	struct counted block; /* end 0: there is none */
	uint64_t interval;
	uint64_t size;
	char text[1 << 18];
	size_t n;
};

static void end_interval(struct naive *c)
{
	unsigned int i;

	c->n += (size_t)sprintf(c->text + c->n, "T");
	for (i = 0; i < c->nr; i++) {
		if (c->v[i].n)
			c->n += (size_t)sprintf(c->text + c->n, ":%u:%u ", i + 1, c->v[i].n);
		c->v[i].n = 0;
	}
	c->n += (size_t)sprintf(c->text + c->n, "\n");
	c->interval = 0;
	CHECK(c->n < sizeof(c->text) - 10000);
}

static void end_block(struct naive *c)
{
	unsigned int i;

	if (!c->block.end)
		return;
	for (i = 0; i < c->nr; i++)
		if (c->v[i].start == c->block.start && c->v[i].end == c->block.end &&
		    c->v[i].pid == c->block.pid)
			break;
	if (i == c->nr) {
		CHECK(c->nr < MAX_BLOCKS);
		c->v[c->nr++] = (struct counted){ c->block.start, c->block.end,
						  c->block.pid, 0 };
	}
	c->v[i].n += c->block.n;
	c->block = (struct counted){ 0 };
	if (c->interval >= c->size)
		end_interval(c);
}

static void count_naively(struct naive *c)
{
	struct stf_reader *reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	struct stf_inst inst;
	struct stf_inst_iter *iter = stf_inst_iter_new(reader, sizeof(inst));

	while (stf_inst_iter_next(iter, &inst) > 0) {
		if (inst.flags & STF_INST_F_FORCE_PC || inst.process.pid != c->block.pid)
			end_block(c);
		if (!c->block.end)
			c->block = (struct counted){ inst.pc, inst.pc, inst.process.pid, 0 };
		c->block.end += inst.size;
		c->block.n++;
		c->interval++;
		if (inst.flags & (STF_INST_F_TAKEN | STF_INST_F_EVENT | STF_INST_F_MODE))
			end_block(c);
	}
	end_block(c);
	if (c->interval)
		end_interval(c);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

static void make_random(void)
{
	unsigned int n = 1 + (unsigned int)(test_random() % 3000);

	b_header(&in, FEATURES_RV64);
	while (n--) {
		unsigned int kind = (unsigned int)(test_random() % 40);
		uint64_t pc = 0x10000 + 2 * (test_random() % 50);

		if (kind == 0)
			b_thread(7 + (unsigned int)(test_random() % 2));
		else if (kind == 1)
			b_pc(&in, 9, pc);
		else if (kind == 2)
			b_event(&in, 3, 1, 0);
		else if (kind < 9)
			b_pc(&in, 31, pc);
		if (test_random() % 2)
			b_inst16(&in, 1);
		else
			b_inst32(&in, 0x63);
	}
}

TEST(random_traces)
{
	static struct naive naive;
	unsigned int trial;

	for (trial = 0; trial < TRIALS; trial++) {
		struct phases_bbv bbv = { .size = 1 + test_random() % 300 };
		const char *got;
		size_t i, end = 0;

		make_random();
		memset(&naive, 0, sizeof(naive));
		naive.size = bbv.size;
		count_naively(&naive);
		got = vectors_of(&bbv, NULL);
		CHECK_STR(got, naive.text);
		for (i = 0; i < bbv.nr; i++) {
			CHECK_EQ(bbv.v[i].start, end);
			CHECK(bbv.v[i].length >= bbv.size || i + 1 == bbv.nr);
			end += bbv.v[i].length;
		}
		phases_bbv_free(&bbv);
	}
}

/* --- projection --- */

/* One block is its own vector; the halves of two are half of each. */
TEST(a_point_is_the_sum_of_its_blocks)
{
	const struct phases_key one = { .start = 1 }, other = { .start = 2 };
	struct phases_bbv bbv = { .size = 1, .dims = 15, .seed = 3 };
	unsigned int i;

	CHECK(phases_bbv_count(&bbv, &one, 10));
	CHECK_EQ(phases_bbv_end_interval(&bbv, &error), 0);
	CHECK(phases_bbv_count(&bbv, &other, 3));
	CHECK_EQ(phases_bbv_end_interval(&bbv, &error), 0);
	CHECK(phases_bbv_count(&bbv, &one, 6));
	CHECK(phases_bbv_count(&bbv, &other, 6));
	CHECK_EQ(phases_bbv_end_interval(&bbv, &error), 0);
	CHECK_EQ(bbv.nr, 3);
	for (i = 0; i < 15; i++) {
		const double a = bbv.points[i], b = bbv.points[15 + i];
		double off = bbv.points[30 + i] - (a + b) / 2;

		CHECK(a >= -1 && a <= 1 && b >= -1 && b <= 1 && a != b);
		CHECK(off < 1e-12 && off > -1e-12);
	}
	phases_bbv_free(&bbv);
}

TEST(too_many_intervals_are_refused)
{
	const struct phases_key key = { .start = 1 };
	struct phases_bbv bbv = { .size = 1, .dims = 1 };
	int i;

	for (i = 0; i < WINDOWS_MAX_INTERVALS; i++) {
		CHECK(phases_bbv_count(&bbv, &key, 1));
		CHECK_EQ(phases_bbv_end_interval(&bbv, &error), 0);
	}
	CHECK(phases_bbv_count(&bbv, &key, 1));
	CHECK_EQ(phases_bbv_end_interval(&bbv, &error), ERROR_INPUT);
	CHECK(strstr(error.text, "more than 262144 intervals"));
	phases_bbv_free(&bbv);
}

TEST(damage_is_answered)
{
	struct stf_reader *reader;
	size_t n;

	make_loop();
	for (n = 0; n < in.n; n++) {
		struct phases_bbv bbv = { .size = 2, .dims = 2 };

		reader = stf_reader_open_memory(in.v, n, NULL, NULL);
		if (reader && phases_read_trace(&bbv, reader, NULL, &error))
			CHECK(*error.text);
		stf_reader_close(reader);
		phases_bbv_free(&bbv);
	}
}
