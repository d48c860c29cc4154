// SPDX-License-Identifier: GPL-2.0-only
/*
 * Differences between random lists of instructions, of which the test knows where it made
 * them. All PCs are different, so that there is only one answer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "tracecmp/tracecmp.h"

enum { TRIALS = 60, MAX = 6000, FAR = 40 };

struct own {
	uint64_t pc, content; /* content: of an access; 0: none */
	uint32_t opcode;
	uint32_t tid;
};

struct list {
	unsigned int n;
	struct own v[MAX];
};

static struct list lists[2];

static unsigned int one_of(unsigned int n)
{
	return (unsigned int)(test_random() % n);
}

static struct own random_inst(void)
{
	return (struct own){ .pc = test_random() & ~UINT64_C(1),
			     .content = one_of(3) ? 0 : 1 + test_random() / 2,
			     .opcode = one_of(4) * 0x80 + 0x13,
			     .tid = 7 };
}

static void add(unsigned int side, struct own own)
{
	CHECK(lists[side].n < MAX);
	lists[side].v[lists[side].n++] = own;
}

static const char *path(unsigned int side)
{
	static char paths[2][300];

	sprintf(paths[side], "%s/%c.%s", test_tmpdir(), 'a' + side, side ? "zstf" : "stf");
	return paths[side];
}

static void save(unsigned int side)
{
	static const char *const comments[] = { "made for a test", NULL };
	const struct list *list = &lists[side];
	const struct stf_header header = { .size = sizeof(header),
					   .comments = comments,
					   .generator = STF_GEN_QEMU,
					   .pc = 0x10000 };
	struct stf_writer *w = stf_writer_open(path(side), NULL, NULL);
	struct stf_mem_access access = { 0x1000, 8, 0, STF_ACCESS_READ };
	uint32_t tid = 0;
	unsigned int i;

	CHECK(w && !stf_write_header(w, &header));
	for (i = 0; i < list->n; i++) {
		const struct own *own = &list->v[i];

		CHECK(!stf_write_force_pc(w, own->pc));
		if (own->tid != tid)
			CHECK(!stf_write_process(w, 0, 7, own->tid));
		tid = own->tid;
		if (own->content)
			CHECK(!stf_write_mem(w, &access, own->content));
		CHECK(!stf_write_inst(w, own->opcode, 4));
	}
	CHECK(!stf_writer_close(w, NULL));
}

/* What the test has made different. */
struct want {
	uint64_t differences, kinds[TCMP_N_KINDS], only[2], both;
};

static void count(struct want *want, unsigned int kind)
{
	want->kinds[kind]++;
}

/* Make one difference at the end of both lists. */
static void differ(struct want *want)
{
	unsigned int what = one_of(6), n = 1 + one_of(60), side = one_of(2);
	struct own own = random_inst(), other = own;

	want->differences++;
	switch (what) {
	case 0: /* only one has them */
		want->only[side] += n;
		while (n--)
			add(side, random_inst());
		return;
	case 1: /* both have others, of different numbers */
		want->only[side] += n + 1;
		want->only[!side] += n;
		add(side, random_inst());
		for (; n; n--) {
			add(0, random_inst());
			add(1, random_inst());
		}
		return;
	case 2:
		other.pc ^= 4;
		count(want, 1);
		break;
	case 3:
		other.opcode ^= 0x80;
		count(want, 2);
		break;
	case 4:
		other.tid = 8;
		count(want, 6);
		break;
	case 5:
		other.content ^= 1;
		count(want, 7);
		break;
	}
	want->both++;
	add(0, own);
	add(1, other);
}

static void agree(struct want *want, unsigned int n)
{
	want->both += n;
	for (; n; n--) {
		struct own own = random_inst();

		add(0, own);
		add(1, own);
	}
}

static bool go_on(void *user, const struct tcmp_difference *difference)
{
	CHECK(difference->place != TCMP_LOST);
	++*(uint64_t *)user;
	return true;
}

static void compare(struct tcmp_opts *opts, struct tcmp_result *result)
{
	struct stf_reader *readers[2];
	struct error error;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		readers[i] = stf_reader_open(path(i), NULL, NULL);
		CHECK(readers[i]);
	}
	if (tcmp_run(opts, readers, result, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	stf_reader_close(readers[0]);
	stf_reader_close(readers[1]);
}

TEST(each_difference_is_found_once)
{
	unsigned int trial, i, nr;
	uint64_t calls;
	struct tcmp_opts opts = { .bound = 100, .found = go_on, .user = &calls };
	struct tcmp_result result;
	struct want want;

	for (trial = 0; trial < TRIALS; trial++) {
		want = (struct want){ 0 };
		lists[0].n = lists[1].n = 0;
		nr = one_of(30);
		agree(&want, one_of(2) * FAR);
		for (i = 0; i < nr; i++) {
			differ(&want);
			agree(&want, FAR + one_of(50));
		}
		/* The ends agree with each other. */
		if (nr && one_of(2))
			differ(&want);
		agree(&want, one_of(5));
		save(0);
		save(1);
		calls = 0;
		compare(&opts, &result);
		CHECK(result.complete);
		CHECK_EQ(calls, result.differences);
		CHECK_EQ(result.differences, want.differences);
		CHECK_EQ(result.both, want.both);
		CHECK_EQ(result.only[0], want.only[0]);
		CHECK_EQ(result.only[1], want.only[1]);
		for (i = 0; i < TCMP_N_KINDS; i++)
			CHECK_EQ(result.kinds[i], want.kinds[i]);
	}
}

/*
 * The nearest place at which two lists agree, by trying all of them. In loops, the same
 * instructions come again and again.
 */
static bool agree_at(unsigned int i, unsigned int j)
{
	unsigned int k;

	for (k = 0; k < TCMP_AGREE; k++) {
		bool end_a = i + k >= lists[0].n, end_b = j + k >= lists[1].n;

		if (end_a != end_b || (!end_a && lists[0].v[i + k].pc !=
							 lists[1].v[j + k].pc))
			return false;
	}
	return true;
}

static void nearest(unsigned int *na, unsigned int *nb)
{
	unsigned int d, i, best;

	for (d = 0;; d++) {
		for (best = 2 * d + 1, i = 0; i <= d; i++) {
			if (agree_at(i, d) && i + d < best)
				best = i + d, *na = i, *nb = d;
			if (agree_at(d, i) && i + d < best)
				best = i + d, *na = d, *nb = i;
		}
		if (best <= 2 * d)
			return;
	}
}

TEST(the_nearest_place_is_found)
{
	unsigned int trial, side, i, na, nb;
	struct tcmp_resync resync = { .any_opcode = true };
	struct error error;
	uint64_t a, b;

	for (trial = 0; trial < TRIALS; trial++) {
		struct tcmp_queue queues[2] = { { 0 }, { 0 } };
		struct stf_reader *readers[2];
		unsigned int period = 1 + one_of(30);

		for (side = 0; side < 2; side++) {
			lists[side].n = 0;
			for (i = 0; i < 100 + one_of(100); i++) {
				struct own own = random_inst();

				own.pc = i % period * 4;
				if (!one_of(20))
					own.pc = 0x1000 + 4 * one_of(3);
				add(side, own);
			}
			save(side);
			readers[side] = stf_reader_open(path(side), NULL, NULL);
			CHECK(readers[side]);
			CHECK_EQ(tcmp_queue_open(&queues[side], readers[side], 0, NULL, &error), 0);
		}
		nearest(&na, &nb);
		CHECK_EQ(tcmp_resync_find(&resync, &queues[0], &queues[1],
					  na > nb ? na : nb, &a, &b, &error), 1);
		CHECK_EQ(a > b ? a : b, na > nb ? na : nb);
		CHECK_EQ(a + b, na + nb);
		CHECK(agree_at((unsigned int)a, (unsigned int)b));
		if (a || b)
			CHECK_EQ(tcmp_resync_find(&resync, &queues[0], &queues[1],
						  (a > b ? a : b) - 1, &a, &b, &error), 0);
		for (side = 0; side < 2; side++) {
			tcmp_queue_close(&queues[side]);
			stf_reader_close(readers[side]);
		}
	}
	tcmp_resync_free(&resync);
}

/* A queue has what was read, however far the reading goes, and what was just before. */
TEST(a_queue_keeps_what_it_promises)
{
	struct tcmp_queue queue = { 0 };
	struct stf_reader *reader;
	struct error error;
	unsigned int at = 0, i, ahead;

	lists[0].n = 0;
	for (i = 0; i < 3000; i++)
		add(0, random_inst());
	save(0);
	reader = stf_reader_open(path(0), NULL, NULL);
	CHECK(reader);
	CHECK_EQ(tcmp_queue_open(&queue, reader, 0, NULL, &error), 0);
	while (at < lists[0].n) {
		ahead = one_of(one_of(2) ? 10 : 300);
		CHECK_EQ(tcmp_queue_read(&queue, ahead, &error), 0);
		for (i = 0; i <= ahead; i++) {
			const struct tcmp_inst *inst = tcmp_queue_get(&queue, i);
			const struct own *want = &lists[0].v[at + i];

			CHECK_EQ(inst->end, at + i >= lists[0].n);
			if (inst->end)
				continue;
			CHECK_EQ(inst->inst.pc, want->pc);
			CHECK(!want->content || inst->records[inst->nr - 1].content ==
							want->content);
		}
		for (i = 1; i <= TCMP_BEFORE; i++)
			CHECK(i > at ? !tcmp_queue_before(&queue, i) :
				       tcmp_queue_before(&queue, i)->inst.pc ==
					       lists[0].v[at - i].pc);
		i = one_of(ahead + 1);
		tcmp_queue_skip(&queue, i);
		at += i;
	}
	tcmp_queue_close(&queue);
	stf_reader_close(reader);
}
