/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What struct hot finds in a recording of transfers, as lines of text. Process 5 has
 * an ELF file mapped at MAP_AT, with the functions that are added to it.
 *
 *	begin(code, sizeof(code));
 *	add_function("f", 0x00, 0x40);
 *	ADD_STEPS(steps);		the oldest first
 *	find();
 *	CHECK_STR(list_of(HOT_LOOPS), "...");
 *	end();
 */
#ifndef TESTS_HOT_BUILD_H
#define TESTS_HOT_BUILD_H

#include "elf-build.h"
#include "hot/hot.h"
#include "perfdata-build.h"
#include "test.h"

#include <inttypes.h>
#include <stdarg.h>

enum { MAP_AT = 0x10000 };

enum { COND = PERF_BR_COND, UNCOND = PERF_BR_UNCOND, IND = PERF_BR_IND,
       CALL = PERF_BR_CALL, IND_CALL = PERF_BR_IND_CALL, RET = PERF_BR_RET };

/* perf's flags of a transfer. */
enum { MISSED = 1, RIGHT = 2 };
#define CYCLES(_n) ((uint64_t)(_n) << 4)

static struct elfb elf;
static struct pdb rec;
static struct pd *pd;
static struct pd_space *space;
static struct img *img;
static struct path_code *code_of;
static struct hot hot;
static bool weighed; /* what follows is */
static bool left_out; /* some kinds of branches were */

/* A transfer between two offsets of the code. */
struct step {
	unsigned int from, to, type;
	uint64_t flags; /* beside the type */
};

static inline void begin(const void *code, size_t size)
{
	static const uint8_t zeroes[0x100];

	elf = (struct elfb){ .code = code ? code : zeroes,
			     .code_size = code ? size : sizeof(zeroes) };
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
}

static inline void add_function(const char *name, uint64_t at, uint64_t size)
{
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		name, ELFB_ADDR + ELFB_CODE + at, size,
		ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
	};
}

static inline void begin_two(void)
{
	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
}

/* branches: addresses, the youngest first. */
static inline void add_stack(uint32_t pid, unsigned int nr,
			     const uint64_t (*branches)[3])
{
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT, .time = 2, .pid = pid, .nr_branches = nr,
		.branches = branches });
}

static inline void add_steps(const struct step *steps, unsigned int nr)
{
	uint64_t branches[32][3];
	unsigned int i;

	CHECK(nr <= 32);
	for (i = 0; i < nr; i++) {
		const struct step *s = &steps[nr - 1 - i];

		branches[i][0] = MAP_AT + s->from;
		branches[i][1] = MAP_AT + s->to;
		branches[i][2] = (uint64_t)s->type << 20 | s->flags;
	}
	add_stack(5, nr, (const uint64_t(*)[3])branches);
}

#define ADD_STEPS(_v) add_steps(_v, sizeof(_v) / sizeof(*(_v)))

static inline void find(void)
{
	struct pd_event ev;
	char path[256];
	int ret;

	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	CHECK(elfb_write(&elf, path));
	pdb_finish(&rec);
	CHECK_EQ(pd_open_memory(&pd, rec.file.p, rec.file.n), 0);
	space = pd_space_new(pd);
	img = img_new(test_tmpdir());
	code_of = path_code_new(space, img);
	CHECK(space && img && code_of);
	hot_begin(&hot, code_of, HOT_TRIPS_TOO | (left_out ? 0 : HOT_ALL) |
					 (weighed ? HOT_WEIGHED : 0));
	while ((ret = pd_next(pd, &ev)) > 0) {
		if (ev.type != PERF_RECORD_SAMPLE) {
			CHECK_EQ(pd_space_event(space, &ev), 0);
			continue;
		}
		path_code_set_time(code_of, ev.time);
		CHECK(hot_count(&hot, &ev));
	}
	CHECK_EQ(ret, 0);
	CHECK(hot_find(&hot));
}

static inline void end(void)
{
	hot_free(&hot);
	hot_free(&hot); /* which does nothing */
	path_code_free(code_of);
	img_free(img);
	pd_space_free(space);
	pd_close(pd);
	pdb_free(&rec);
}

/* --- as text --- */

static char hot_text[8192];

__attribute__((format(printf, 1, 2))) static inline void say(const char *fmt, ...)
{
	size_t n = strlen(hot_text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(hot_text + n, sizeof(hot_text) - n, fmt, ap);
	va_end(ap);
}

static inline void say_place(uint32_t number)
{
	const struct hot_place *p = &hot.places[number];

	CHECK(number < hot.nr_places);
	say(" %s+%" PRIx64, hot.functions[p->function].name, p->offset);
}

static inline void say_edge(const struct hot_edge *e)
{
	say(" %s", pd_branch_type_name(e->type));
	say_place(e->from);
	say_place(e->to);
}

static inline void say_loop(const struct hot_loop *l)
{
	say(" of %" PRIu64 ":", l->entries);
	say_place(l->head);
	say_place(l->last);
}

static inline void say_branch(const struct hot_branch *b)
{
	say(" of %" PRIu64 ": %" PRIu64, b->taken + b->passed, b->taken);
	say_place(hot.edges[b->edge].from);
	say_place(hot.edges[b->edge].to);
}

static inline void say_site(const struct hot_site *s)
{
	size_t i;

	say(" %s", pd_branch_type_name(s->type));
	say_place(s->from);
	for (i = 0; i < s->nr; i++) {
		const struct hot_edge *e = &hot.edges[hot.targets[s->first + i].number];

		CHECK(e->from == s->from && e->type == s->type);
		say(", %" PRIu64, e->count);
		say_place(e->to);
	}
}

/*
 * The lines of a list, each with its count:
 *	HOT_EDGES	COUNT TYPE FROM TO
 *	HOT_FUNCTIONS	COUNT NAME
 *	HOT_LOOPS	ITERATIONS of ENTRIES: HEAD LAST
 *	HOT_BRANCHES	HARD of RUNS: TAKEN FROM TO
 *	HOT_SITES	COUNT TYPE FROM, COUNT TO, ...
 *	HOT_CALLS	COUNT CALLER CALLEE
 */
static inline const char *list_of(unsigned int id)
{
	const struct count_list *list = &hot.lists[id];
	uint64_t sum = 0;
	size_t i;

	*hot_text = 0;
	for (i = 0; i < list->nr; i++) {
		const uint32_t number = list->v[i].number;

		say("%" PRIu64, list->v[i].count);
		sum += list->v[i].count;
		if (id == HOT_EDGES)
			say_edge(&hot.edges[number]);
		else if (id == HOT_FUNCTIONS)
			say(" %s", hot.functions[number].name);
		else if (id == HOT_LOOPS)
			say_loop(&hot.loops[number]);
		else if (id == HOT_BRANCHES)
			say_branch(&hot.branches[number]);
		else if (id == HOT_SITES)
			say_site(&hot.sites[number]);
		else
			say(" %s %s",
			    hot.functions[hot.calls[number].from].name,
			    hot.functions[hot.calls[number].to].name);
		say("\n");
	}
	CHECK_EQ(list->sum, sum);
	return hot_text;
}

/* The last of a test: what a list is when a stack of these steps was recorded, too. */
#define CHECK_LIST(_steps, _id, _want)                                         \
	do {                                                                   \
		ADD_STEPS(_steps);                                             \
		find();                                                        \
		CHECK_STR(list_of(_id), _want);                                \
		end();                                                         \
	} while (0)

#endif
