// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reference model against a second one that is a mere list: "older entries are
 * pushed down the stack", without a write pointer into a ring.
 */
#include "model-build.h"

/* The logical entries, 0 the newest; beside them where WRPTR must be. */
struct list {
	unsigned int depth, wrptr;
	struct {
		bool valid;
		uint64_t from, to;
		unsigned int type;
	} v[256];
};

static void put(struct list *list, const struct model_transfer *t)
{
	list->v[0].valid = true;
	list->v[0].from = t->from;
	list->v[0].to = t->to;
	list->v[0].type = t->type;
}

static void push(struct list *list, const struct model_transfer *t)
{
	unsigned int i;

	for (i = list->depth - 1; i; i--)
		list->v[i] = list->v[i - 1];
	put(list, t);
	list->wrptr = list->wrptr == list->depth - 1 ? 0 : list->wrptr + 1;
}

static void pop(struct list *list)
{
	unsigned int i, last = list->depth - 1;

	list->v[0].valid = false;
	for (i = 0; i < last; i++) {
		__typeof__(list->v[0]) moved = list->v[i];

		list->v[i] = list->v[i + 1];
		list->v[i + 1] = moved;
	}
	list->wrptr = list->wrptr ? list->wrptr - 1 : last;
}

/* What "Behavior" and "RAS ... Emulation Mode" say of a transfer within U-mode. */
static void transfer(struct list *list, uint64_t control,
		     const struct model_transfer *t)
{
	if (control >> 7 & 1) {
		if (t->type == 8 || t->type == 9)
			push(list, t);
		else if (t->type == 13)
			pop(list);
		else if (t->type == 12)
			put(list, t);
	} else if ((control >> (32 + t->type) & 1) == (t->type == 4)) {
		push(list, t);
	}
}

static void compare(const struct model *m, const struct list *list)
{
	unsigned int i;

	CHECK_EQ(wrptr(m), list->wrptr);
	for (i = 0; i < list->depth; i++) {
		struct ctr_entry e = entry_of(m, i);

		CHECK_EQ(e.source & 1, list->v[i].valid);
		CHECK_EQ(e.source & ~1ull, list->v[i].from);
		CHECK_EQ(e.target, list->v[i].to);
		CHECK_EQ(e.data & 15, list->v[i].type);
	}
}

static void run(unsigned int depth, uint64_t control)
{
	static const uint8_t types[] = { 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct list list = { .depth = 16u << depth };
	bool enabled = true, stopped = false;
	struct model m;
	unsigned int i;

	start(&m, control);
	model_write_csr(&m, CTR_CSR_SCTRDEPTH, depth);
	for (i = 0; i < 1500; i++) {
		struct model_transfer t = {
			.from = test_random() & ~1ull,
			.to = test_random() & ~1ull,
			.type = types[test_random() % sizeof(types)],
		};

		switch (test_random() % 200) {
		case 0:
			model_clear(&m);
			memset(list.v, 0, sizeof(list.v));
			break;
		case 1:
			enabled = !enabled;
			model_write_csr(&m, CTR_CSR_SCTRCTL,
					enabled ? control : control & ~1ull);
			break;
		case 2:
			stopped = !stopped;
			model_write_csr(&m, CTR_CSR_SCTRSTATUS,
					(uint64_t)stopped << 31 | wrptr(&m));
			break;
		}
		model_transfer(&m, &t);
		if (enabled && !stopped)
			transfer(&list, control, &t);
		if (i % 8 == 0)
			compare(&m, &list);
	}
	compare(&m, &list);
}

TEST(any_filter_at_any_depth)
{
	unsigned int depth, n;

	for (depth = 0; depth < 5; depth++)
		for (n = 0; n < 4; n++)
			run(depth, 1 | (test_random() & 0xff30ull << 32));
}

TEST(ras_emulation_at_any_depth)
{
	unsigned int depth;

	for (depth = 0; depth < 5; depth++)
		run(depth, 0x81 | (test_random() & 0xffffull << 32));
}
