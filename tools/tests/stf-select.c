// SPDX-License-Identifier: GPL-2.0-only
/* Which instructions a selection takes: by hand, and against a naive one. */
#include <stdlib.h>

#include "stf-build.h"
#include "stf/stf.h"

static struct bytes in;

#define OPTS(...) \
	(&(struct stf_select_opts){ .size = sizeof(struct stf_select_opts), __VA_ARGS__ })

/* --------------------------------------------------------------- small traces */

enum {
	C_NOP = 0x0001,
	MARKER = 0x00004033, /* xor zero, zero, zero */
	STOP = 0x00104033,
	USER_ECALL = 8,
};

/* What a letter stands for: an instruction, and what changes before it. */
static void b_letter(char letter)
{
	switch (letter) {
	case 'm':
		b_inst32(&in, MARKER);
		return;
	case 's':
		b_inst32(&in, STOP);
		return;
	case 'e':
		b_event(&in, USER_ECALL, 0, 0);
		b_inst32(&in, 0x73);
		return;
	case 'U': /* the next one is in user mode, in S mode, ... */
	case 'S':
		b_event(&in, UINT64_C(1) << 62, 1, letter == 'S');
		b_inst16(&in, C_NOP);
		return;
	case '1': /* of thread 1 and hart 11, ... */
	case '2':
		b_process(&in, 10 + (unsigned int)(letter - '0'), 7,
			  (unsigned int)(letter - '0'));
		break;
	}
	b_inst16(&in, C_NOP);
}

static void make(const char *letters)
{
	b_header(&in, FEATURES_RV64);
	while (*letters)
		b_letter(*letters++);
}

struct run {
	struct stf_reader *reader;
	struct stf_inst_iter *iter;
	struct stf_select *select;
};

static struct run begin(const struct stf_select_opts *opts)
{
	struct run run;
	struct stf_error err;

	run.reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	CHECK(run.reader);
	run.iter = stf_inst_iter_new(run.reader, sizeof(struct stf_inst));
	run.select = stf_select_new(opts, &err);
	if (!run.select)
		test_fail(__FILE__, __LINE__, "%s", err.text);
	CHECK(run.iter);
	return run;
}

static void end(struct run *run)
{
	stf_select_free(run->select);
	stf_inst_iter_free(run->iter);
	stf_reader_close(run->reader);
}

/*
 * One letter for each instruction: - is left out, B begins a window, x is in it, and . was
 * not read any more.
 */
static const char *selected(const char *letters, const struct stf_select_opts *opts)
{
	static char got[64];
	size_t n = strlen(letters);
	struct stf_inst inst;
	uint64_t window = 0;
	struct run run;

	make(letters);
	run = begin(opts);
	memset(got, '-', n);
	got[n] = 0;
	while (stf_select_next(run.select, run.iter, &inst, NULL) > 0) {
		got[inst.index] = stf_select_window(run.select) == window ? 'x' : 'B';
		window = stf_select_window(run.select);
	}
	CHECK_STR(stf_reader_error(run.reader), "");
	/* Without a further instruction there is the end, or nothing more to come. */
	if (stf_select_is_done(run.select)) {
		n = 0;
		while (stf_inst_iter_next(run.iter, &inst) > 0)
			got[inst.index] = '.';
	}
	end(&run);
	return got;
}

/* ------------------------------------------------------------------------ tests */

TEST(nothing_is_left_out_without_options)
{
	CHECK_STR(selected("nnUSn", NULL), "Bxxxx");
	CHECK_STR(selected("nnUSn", OPTS(0)), "Bxxxx");
	CHECK_STR(selected("", NULL), "");
}

TEST(a_window_by_numbers)
{
	CHECK_STR(selected("nnnnnn", OPTS(.start = 2)), "--Bxxx");
	CHECK_STR(selected("nnnnnn", OPTS(.start = 2, .limit = 3)), "--Bxx.");
	CHECK_STR(selected("nnnnnn", OPTS(.limit = 1)), "B.....");
	CHECK_STR(selected("nnn", OPTS(.start = 3)), "---");
}

TEST(windows_at_equal_distances)
{
	CHECK_STR(selected("nnnnnnnn", OPTS(.every = 3, .limit = 1)), "B--B--B-");
	CHECK_STR(selected("nnnnnnnn", OPTS(.every = 3, .limit = 2, .start = 1)),
		  "-Bx-Bx-B");
	CHECK_STR(selected("nnnnnn", OPTS(.every = 2, .limit = 2)), "BxBxBx");
}

TEST(windows_by_their_numbers)
{
	CHECK_STR(selected("nnnnnnnn", OPTS(.limit = 2, .first_window = 2,
					    .last_window = 3)), "--BxBx..");
	CHECK_STR(selected("nnnnn", OPTS(.limit = 2, .first_window = 2)), "--BxB");
	CHECK_STR(selected("nnnnn", OPTS(.limit = 2, .last_window = 1)), "Bx...");
}

TEST(windows_between_markers)
{
	CHECK_STR(selected("nmnsnmns", OPTS(.from = { STF_PLACE_OPCODE, MARKER },
					    .to = { STF_PLACE_OPCODE, STOP })),
		  "-Bxx-Bxx");
	/* A marker within a window begins none. */
	CHECK_STR(selected("mmnsn", OPTS(.from = { STF_PLACE_OPCODE, MARKER },
					 .to = { STF_PLACE_OPCODE, STOP })), "Bxxx-");
	CHECK_STR(selected("nmnnnmnn", OPTS(.from = { STF_PLACE_OPCODE, MARKER },
					    .limit = 2)), "-Bx--Bx-");
	CHECK_STR(selected("nsnn", OPTS(.to = { STF_PLACE_OPCODE, STOP })), "Bx..");
}

TEST(windows_from_a_marker_to_the_next)
{
	CHECK_STR(selected("nmnmnmm", OPTS(.from = { STF_PLACE_OPCODE, MARKER },
					   .to = { STF_PLACE_OPCODE, MARKER })), "-Bxx-Bx");
	CHECK_STR(selected("nmm", OPTS(.from = { STF_PLACE_OPCODE, MARKER },
				       .to = { STF_PLACE_OPCODE, MARKER },
				       .limit = 1)), "-BB");
	/* Without `from`, the first instruction can be the last one. */
	CHECK_STR(selected("mnmm", OPTS(.to = { STF_PLACE_OPCODE, MARKER },
					.last_window = 3)), "BBxB");
}

TEST(windows_between_pcs)
{
	/* The n-th instruction of two bytes is at START_PC + 2 n. */
	CHECK_STR(selected("nnnnn", OPTS(.from = { STF_PLACE_PC, START_PC + 2 },
					 .to = { STF_PLACE_PC, START_PC + 6 })),
		  "-Bxx-");
	CHECK_STR(selected("nnn", OPTS(.from = { STF_PLACE_PC, START_PC + 1 })), "---");
}

TEST(windows_between_events)
{
	CHECK_STR(selected("nenen", OPTS(.from = { STF_PLACE_EVENT, USER_ECALL },
					 .limit = 1)), "-B-B-");
	CHECK_STR(selected("nUnSn", OPTS(.from = { STF_PLACE_EVENT,
						   STF_EVENT_MODE_CHANGE },
					 .limit = 2)), "-BxBx");
	CHECK_STR(selected("nen", OPTS(.from = { STF_PLACE_EVENT, 9 })), "---");
}

TEST(filters)
{
	CHECK_STR(selected("nUnnSn", OPTS(.modes = 1 << STF_MODE_USER)), "--Bxx-");
	CHECK_STR(selected("nUnnSn", OPTS(.modes = 1 << STF_MODE_SUPERVISOR |
						   1 << STF_MODE_UNKNOWN)), "Bx---x");
	CHECK_STR(selected("n1n2n", OPTS(.by_tid = true, .process.tid = 2)), "---Bx");
	CHECK_STR(selected("n1n2n", OPTS(.by_hart = true, .process.hart = 11)), "-Bx--");
	CHECK_STR(selected("n1n2n", OPTS(.by_pid = true, .process.pid = 7)), "-Bxxx");
	CHECK_STR(selected("n1n2n", OPTS(.by_pid = true, .process.pid = 8)), "-----");
}

TEST(filters_by_the_pc)
{
	const struct stf_pc_range ranges[] = {
		{ START_PC + 2, 3 }, { START_PC + 8, 1 }, { START_PC, 0 },
	};
	const struct stf_pc_range high = { UINT64_MAX - 10, 11 };

	CHECK_STR(selected("nnnnnn", OPTS(.ranges = ranges, .n_ranges = 3)), "-Bx-x-");
	CHECK_STR(selected("nn", OPTS(.ranges = &high, .n_ranges = 1)), "--");
	CHECK_STR(selected("nn", OPTS(.ranges = ranges, .n_ranges = 0)), "Bx");
}

/* Only `start` counts what the filters leave out. */
TEST(windows_count_what_passes)
{
	CHECK_STR(selected("nUnnSnnUnnn", OPTS(.modes = 1 << STF_MODE_USER,
					       .limit = 4)), "--Bxx---x..");
	CHECK_STR(selected("nUnnSnnUnnn", OPTS(.modes = 1 << STF_MODE_USER, .start = 2,
					       .every = 3, .limit = 1)), "--B-----B--");
	CHECK_STR(selected("n1n2n1n", OPTS(.by_tid = true, .process.tid = 1,
					   .first_window = 2, .limit = 2)), "-----Bx");
}

TEST(a_selection_copies_its_ranges)
{
	struct stf_pc_range range = { START_PC + 2, 2 };
	struct stf_inst inst;
	struct run run;

	make("nnn");
	run = begin(OPTS(.ranges = &range, .n_ranges = 1));
	range.start = 0;
	CHECK_EQ(stf_select_next(run.select, run.iter, &inst, NULL), 1);
	CHECK_EQ(inst.pc, START_PC + 2);
	end(&run);
}

TEST(groups_come_with_the_instructions)
{
	const struct stf_group *group = NULL;
	struct stf_record rec;
	struct stf_inst inst;
	struct run run;

	make("nenn");
	run = begin(OPTS(.from = { STF_PLACE_EVENT, USER_ECALL }));
	CHECK_EQ(stf_select_next(run.select, run.iter, &inst, &group), 1);
	CHECK_EQ(inst.index, 1);
	CHECK_EQ(group->n_traps, 1);
	CHECK_EQ(group->traps[0].event.id, USER_ECALL);
	/* The records can be read, too, from the first one on. */
	CHECK_EQ(stf_inst_iter_record(run.iter, &rec), 1);
	CHECK_EQ(rec.desc, STF_EVENT);
	CHECK_EQ(stf_select_next(run.select, run.iter, &inst, &group), 1);
	CHECK_EQ(group->n_traps, 0);
	end(&run);
}

/* Without the records no instruction has an event, but the other places are found. */
TEST(decisions_without_an_iterator)
{
	struct stf_inst inst = { .pc = 8, .opcode = MARKER, .flags = STF_INST_F_EVENT };
	struct stf_select *select;

	select = stf_select_new(OPTS(.from = { STF_PLACE_EVENT, 8 }), NULL);
	CHECK_EQ(stf_select_decide(select, &inst, NULL), STF_SELECT_SKIP);
	stf_select_free(select);
	select = stf_select_new(OPTS(.from = { STF_PLACE_OPCODE, MARKER }), NULL);
	CHECK_EQ(stf_select_window(select), 0);
	CHECK(!stf_select_is_inside(select));
	CHECK_EQ(stf_select_decide(select, &inst, NULL), STF_SELECT_BEGIN);
	CHECK_EQ(stf_select_decide(select, &inst, NULL), STF_SELECT_TAKE);
	CHECK_EQ(stf_select_window(select), 1);
	CHECK(stf_select_is_inside(select) && !stf_select_is_done(select));
	stf_select_free(select);
}

/* So many can be skipped, and the window still has its length. */
TEST(what_is_sure_is_in_the_window)
{
	struct stf_inst inst = { .pc = 8 };
	struct stf_select *select = stf_select_new(OPTS(.limit = 10), NULL);
	unsigned int i;

	CHECK_EQ(stf_select_sure(select), 0);
	CHECK_EQ(stf_select_decide(select, &inst, NULL), STF_SELECT_BEGIN);
	CHECK_EQ(stf_select_sure(select), 8);
	stf_select_skip(select, 5);
	CHECK_EQ(stf_select_sure(select), 3);
	stf_select_skip(select, 0);
	for (i = 0; i < 4; i++) {
		CHECK(stf_select_is_inside(select));
		CHECK_EQ(stf_select_decide(select, &inst, NULL), STF_SELECT_TAKE);
	}
	CHECK(!stf_select_is_inside(select) && stf_select_is_done(select));
	CHECK_EQ(stf_select_decide(select, &inst, NULL), STF_SELECT_SKIP);
	CHECK_EQ(stf_select_window(select), 1);
	stf_select_free(select);
}

TEST(nothing_is_sure_where_it_depends_on_the_instructions)
{
	const struct stf_select_opts *rows[] = {
		OPTS(.limit = 10, .modes = 1 << STF_MODE_USER),
		OPTS(.limit = 10, .to = { STF_PLACE_PC, 9 }),
		OPTS(.limit = 10, .by_tid = true),
		OPTS(.limit = 10, .first_window = 2),
	};
	struct stf_inst inst = { .pc = 8 };
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct stf_select *select = stf_select_new(rows[i], NULL);

		stf_select_decide(select, &inst, NULL);
		CHECK_EQ(stf_select_sure(select), 0);
		stf_select_free(select);
	}
}

TEST(a_jump_by_the_index_comes_before_the_selection)
{
	struct stf_inst inst;
	struct run run;

	make("nnnnnn");
	run = begin(OPTS(.start = 3, .limit = 2));
	CHECK_EQ(stf_inst_iter_seek(run.iter, 3), 1);
	CHECK_EQ(stf_select_next(run.select, run.iter, &inst, NULL), 1);
	CHECK_EQ(inst.index, 3);
	CHECK_EQ(stf_select_next(run.select, run.iter, &inst, NULL), 1);
	CHECK_EQ(stf_select_next(run.select, run.iter, &inst, NULL), 0);
	end(&run);
}

TEST(errors_of_the_trace_are_returned)
{
	struct stf_inst inst;
	struct run run;

	make("nn");
	in.n--;
	run = begin(NULL);
	CHECK_EQ(stf_select_next(run.select, run.iter, &inst, NULL), 1);
	CHECK_EQ(stf_select_next(run.select, run.iter, &inst, NULL), STF_E_CUT);
	end(&run);
}

TEST(contradictions_are_refused)
{
	const struct {
		const struct stf_select_opts *opts;
		const char *why;
	} rows[] = {
		{ OPTS(.every = 3), "limit" },
		{ OPTS(.every = 3, .limit = 4), "limit" },
		{ OPTS(.every = 3, .limit = 1, .from = { STF_PLACE_PC, 1 }), "`from`" },
		{ OPTS(.first_window = 3, .last_window = 2), "window" },
		{ OPTS(.n_ranges = 1), "ranges" },
		{ OPTS(.to = { 9, 1 }), "place" },
		{ &(struct stf_select_opts){ .size = 8 }, "bad argument" },
	};
	struct stf_error err;
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(!stf_select_new(rows[i].opts, &err));
		CHECK_EQ(err.code, STF_E_INVAL);
		if (!strstr(err.text, rows[i].why))
			test_fail(__FILE__, __LINE__, "row %u: %s", i, err.text);
	}
	CHECK(!stf_select_new(rows[0].opts, NULL));
}

/* A newer program that asks for nothing new, and one that does. */
TEST(structures_of_newer_programs)
{
	struct {
		struct stf_select_opts known;
		uint64_t more;
	} newer = { .known.size = sizeof(newer) };
	struct stf_select *select = stf_select_new(&newer.known, NULL);
	struct stf_error err;

	CHECK(select);
	stf_select_free(select);
	newer.more = 1;
	CHECK(!stf_select_new(&newer.known, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK(strstr(err.text, "older"));
}

/* --------------------------------------------------------- against a naive one */

enum { LONG = 60, TRIALS = 3000 };

static void random_letters(char *letters)
{
	static const char all[] = "nnnnnnmse12US";
	unsigned int i;

	for (i = 0; i < LONG; i++)
		letters[i] = all[test_random() % (sizeof(all) - 1)];
	letters[LONG] = 0;
}

static struct stf_place random_place(void)
{
	static const struct stf_place all[] = {
		{ STF_PLACE_NONE, 0 }, { STF_PLACE_NONE, 0 },
		{ STF_PLACE_OPCODE, MARKER }, { STF_PLACE_OPCODE, STOP },
		{ STF_PLACE_EVENT, USER_ECALL }, { STF_PLACE_PC, START_PC + 40 },
	};

	return all[test_random() % (sizeof(all) / sizeof(*all))];
}

static void random_opts(struct stf_select_opts *opts)
{
	*opts = (struct stf_select_opts){ .size = sizeof(*opts) };
	opts->start = test_random() % 3 ? 0 : test_random() % 20;
	opts->limit = test_random() % 3 ? 1 + test_random() % 9 : 0;
	if (opts->limit && test_random() % 2)
		opts->every = opts->limit + test_random() % 5;
	else
		opts->from = random_place();
	opts->to = random_place();
	opts->first_window = test_random() % 3;
	if (test_random() % 2)
		opts->last_window = opts->first_window + 1;
	opts->modes = test_random() % 3 ? 0 : 1 << STF_MODE_USER;
	opts->by_tid = !(test_random() % 3);
	opts->process.tid = 1;
}

static bool naive_is_at(const struct stf_place *place, const struct stf_inst *inst)
{
	return (place->kind == STF_PLACE_PC && inst->pc == place->value) ||
	       (place->kind == STF_PLACE_OPCODE && inst->opcode == place->value) ||
	       (place->kind == STF_PLACE_EVENT && inst->opcode == 0x73);
}

/* The numbers of those that pass, cut into windows one after another. */
static void naive(const struct stf_select_opts *o, const struct stf_inst *v,
		  unsigned int n, char *want)
{
	bool repeats = o->every || o->from.kind || o->first_window || o->last_window;
	unsigned int passed[LONG], nr = 0, i, at, to;
	uint64_t window = 0;

	memset(want, '-', n);
	want[n] = 0;
	for (i = 0; i < n; i++)
		if (i >= o->start && (!o->modes || v[i].mode == STF_MODE_USER) &&
		    (!o->by_tid || v[i].process.tid == o->process.tid))
			passed[nr++] = i;
	for (at = 0; at < nr; at = o->every ? to + (o->every - to % o->every) % o->every : to) {
		while (o->from.kind && at < nr && !naive_is_at(&o->from, &v[passed[at]]))
			at++;
		if (at == nr || (window && !repeats))
			break;
		window++;
		for (to = at; to < nr; to++) {
			bool begins = to == at && o->from.kind;
			bool last = (o->limit && to + 1 - at == o->limit) ||
				    (!begins && naive_is_at(&o->to, &v[passed[to]]));

			if (window >= o->first_window &&
			    (!o->last_window || window <= o->last_window))
				want[passed[to]] = to == at ? 'B' : 'x';
			if (last) {
				to++;
				break;
			}
		}
	}
}

TEST(random_selections_are_the_naive_ones)
{
	char letters[LONG + 1], want[LONG + 1], got[LONG + 1];
	struct stf_inst v[LONG];
	struct stf_select_opts opts;
	unsigned int trial, i, n;
	struct run run;

	for (trial = 0; trial < TRIALS; trial++) {
		random_letters(letters);
		random_opts(&opts);
		make(letters);
		run = begin(&opts);
		for (n = 0; stf_inst_iter_next(run.iter, &v[n]) > 0; n++)
			got[n] = "-xB"[stf_select_decide(run.select, &v[n], run.iter)];
		got[n] = 0;
		CHECK_EQ(n, LONG);
		naive(&opts, v, n, want);
		end(&run);
		for (i = 0; i < n && got[i] == want[i]; i++)
			;
		if (i < n)
			test_fail(__FILE__, __LINE__, "%s\n%s\n%s", letters, want, got);
	}
}
