/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording of a small program, for what tells of the hot parts of it. */
#ifndef TESTS_CMD_HOT_H
#define TESTS_CMD_HOT_H

#include "cmd-sample.h"
#include "dwarf-build.h"

enum { COND = PERF_BR_COND, UNCOND = PERF_BR_UNCOND, CALL = PERF_BR_CALL,
       RET = PERF_BR_RET };

/* A transfer between two offsets of the code, as it happened. */
struct step {
	unsigned int from, to, type;
	uint64_t flags; /* beside the type */
};

/* A sample of a thread of process 5. The first step is the oldest. */
static inline void add_steps_of(uint32_t tid, const struct step *steps, unsigned int nr)
{
	uint64_t branches[256][3];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct step *s = &steps[nr - 1 - i];

		branches[i][0] = MAP_AT + s->from;
		branches[i][1] = MAP_AT + s->to;
		branches[i][2] = (uint64_t)s->type << 20 | s->flags;
	}
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT, .time = 2, .pid = 5, .tid = tid, .cpu = 3,
		.nr_branches = nr, .branches = (const uint64_t(*)[3])branches });
}

static inline void add_steps(const struct step *steps, unsigned int nr)
{
	add_steps_of(5, steps, nr);
}

#define ADD_STEPS(_v) add_steps(_v, sizeof(_v) / sizeof(*(_v)))

/* A header section of perf's, EVENT_DESC: the names that the events were asked for by. */
static inline void name_events(const char *const *names)
{
	struct pdb_buf *body = pdb_feature(&rec, 12);
	unsigned int i;

	pdb_u32(body, rec.nr_events);
	pdb_u32(body, sizeof(struct perf_event_attr));
	for (i = 0; i < rec.nr_events; i++) {
		pdb_attr_bytes(body, &rec.events[i].attr);
		pdb_u32(body, 1);
		pdb_u32(body, (strlen(names[i]) + 8) & ~7u);
		pdb_text(body, names[i]);
		pdb_u64(body, rec.events[i].ids[0]);
	}
}

static inline void check_shows(const char *file, int line, const char *text)
{
	if (!strstr(run_out, text))
		test_fail(file, line, "no \"%s\" in:\n%s", text, run_out);
}

/* Out of JSON: what was lost, and the notes, which are tests of their own. */
static inline void cut_notes(void)
{
	char *from = run_out, *to;

	while ((from = strstr(from, ",\"lost\":"))) {
		to = strstr(from, "\"notes\":[");
		CHECK(to);
		/* The list has objects, or is empty. */
		to = to[9] == ']' ? to + 10 : strstr(to, "}]") + 2;
		memmove(from, to, strlen(to) + 1);
	}
}

#define CHECK_SHOWS(_text) check_shows(__FILE__, __LINE__, _text)

/* --- a program whose types the code tells --- */

static const uint16_t program[] = {
	0x0001, 0x0001,		/* 00: c.nop, twice         main */
	0x0001,			/* 04: c.nop                its loop */
	0x9782,			/* 06: c.jalr a5 */
	0x0001,			/* 08: c.nop */
	0xfd6d,			/* 0a: c.bnez a0, 0x04 */
	0x0001,			/* 0c: c.nop */
	0x8082,			/* 0e: ret */
	0x8082,			/* 10: ret                  leaf */
	0x9782,			/* 12: c.jalr a5            caller */
	0x8082,			/* 14: ret */
	0x8082,			/* 16: ret                  twin */
};

/* caller calls main, whose loop runs three times: leaf, twin, leaf. */
static const struct step once[] = {
	{ 0x12, 0x00, 0, 0 },
	{ 0x06, 0x10, 0, 0 }, { 0x10, 0x08, 0, 0 }, { 0x0a, 0x04, 0, 0 },
	{ 0x06, 0x16, 0, 0 }, { 0x16, 0x08, 0, 0 }, { 0x0a, 0x04, 0, 0 },
	{ 0x06, 0x10, 0, 0 }, { 0x10, 0x08, 0, 0 },
	{ 0x0e, 0x14, 0, 0 },
};

/* As once, but the loop runs twice and calls nobody. */
static const struct step alone[] = {
	{ 0x12, 0x00, 0, 0 }, { 0x0a, 0x04, 0, 0 }, { 0x0e, 0x14, 0, 0 },
};

/* A sample of the same, twice: a run of a loop is counted if it does not fill the stack. */
static inline void add_twice(const struct step *steps, unsigned int nr)
{
	struct step both[32];

	memcpy(both, steps, nr * sizeof(*steps));
	memcpy(both + nr, steps, nr * sizeof(*steps));
	add_steps(both, 2 * nr);
}

static inline void begin_program(void)
{
	begin();
	elf.code = program;
	elf.code_size = sizeof(program);
	elf.nr_symbols = 0;
	add_function("main", 0x00, 0x10);
	add_function("leaf", 0x10, 2);
	add_function("caller", 0x12, 4);
	add_function("twin", 0x16, 2);
}

/* Instead of the recording that was begun with the program, one in which nothing is mapped. */
static inline void record_anew(uint64_t branches)
{
	pdb_free(&rec);
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, branches);
}

/* The program in a build of this id, of 20 bytes; NULL: it has none. */
static inline void begin_build(const uint8_t *id)
{
	begin_program();
	elf.build_id = id;
	elf.build_id_size = id ? 20 : 0;
	record_anew(PERF_SAMPLE_BRANCH_ANY);
}

/* The branch of main's loop, twice. */
static const uint64_t branch_twice[][3] = {
	{ MAP_AT + 0x0a, MAP_AT + 0x04, (uint64_t)COND << 20 },
	{ MAP_AT + 0x0a, MAP_AT + 0x04, (uint64_t)COND << 20 },
};

static inline void record_calls_alone(void)
{
	record_anew(PERF_SAMPLE_BRANCH_ANY_CALL);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
}

/* --- a program of 32 bits --- */

static const uint16_t program32[] = {
	0x0001,			/* 00: c.nop                main */
	0x2039,			/* 02: c.jal 0x10, which RV64 does not have */
	0x0001,			/* 04: c.nop */
	0xbfed,			/* 06: c.j 0x00 */
	0x0001, 0x0001, 0x0001, 0x0001,
	0x0001,			/* 10: c.nop                leaf */
	0x8082,			/* 12: ret */
};

/* main calls leaf twice. */
static const struct step once32[] = {
	{ 0x02, 0x10, 0, 0 }, { 0x12, 0x04, 0, 0 }, { 0x06, 0x00, 0, 0 },
	{ 0x02, 0x10, 0, 0 }, { 0x12, 0x04, 0, 0 }, { 0x06, 0x00, 0, 0 },
};

/* Instead of the program that was begun, on the same machine. */
static inline void run_program32(void)
{
	elf.is32 = true;
	elf.code = program32;
	elf.code_size = sizeof(program32);
	elf.nr_symbols = 0;
	add_function("main", 0x00, 0x08);
	add_function("leaf", 0x10, 4);
}

/* In the program that was begun, main calls as Go calls closures and interfaces. */
static inline void call_by_t0(void)
{
	static uint16_t by_t0[sizeof(program) / sizeof(*program)];

	memcpy(by_t0, program, sizeof(program));
	by_t0[0x06 / 2] = 0x9282; /* c.jalr t0 */
	elf.code = by_t0;
}

/* What was written becomes NAME.data. */
static inline void keep(const char *name)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("mv %s/perf.data %s/%s.data", dir, dir, name), 0);
}

/* NAME.data of the program, with so many samples of these steps. */
#define RECORD(_name, _nr, _steps)                                             \
	do {                                                                   \
		begin_program();                                               \
		for (unsigned int _i = 0; _i < (_nr); _i++)                    \
			add_twice(_steps, sizeof(_steps) / sizeof(*(_steps))); \
		write_files();                                                 \
		keep(_name);                                                   \
	} while (0)

static inline void write_program(void)
{
	begin_program();
	ADD_STEPS(once);
	ADD_STEPS(once);
	write_files();
}

/* What was begun; main has lines from 11 on, with its loop in 12; leaf 21; the others none. */
static inline void write_files_with_lines(const char *source)
{
	static const uint64_t at = ELFB_ADDR + ELFB_CODE;
	struct dwb debug = { 0 };

	dwb_begin(&debug, source, at, 0x12);
	dwb_row(&debug, at, 11, 0);
	dwb_row(&debug, at + 0x04, 12, 0);
	dwb_row(&debug, at + 0x0c, 13, 0);
	dwb_row(&debug, at + 0x10, 21, 0);
	dwb_finish(&debug, at + 0x12);
	dwb_sections(&debug, &elf);
	write_files();
	dwb_free(&debug);
}

static inline void write_program_with_lines(const char *source)
{
	begin_program();
	ADD_STEPS(once);
	write_files_with_lines(source);
}

/* What was begun, with lines; main's loop is a function, step, which was inlined in line 12. */
static inline void write_files_with_inlined(void)
{
	static const uint64_t at = ELFB_ADDR + ELFB_CODE;
	struct dwb debug = { 0 };
	uint32_t step;

	dwb_begin(&debug, "/src/x.c", at, 0x12);
	step = dwb_abstract(&debug, "step", 30);
	dwb_function(&debug, "main", "main", 10, at, 0x10);
	dwb_inlined(&debug, step, at + 0x04, 0x08, 12, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_row(&debug, at, 11, 0);
	dwb_row(&debug, at + 0x04, 31, 0);
	dwb_row(&debug, at + 0x0c, 13, 0);
	dwb_finish(&debug, at + 0x12);
	dwb_sections(&debug, &elf);
	write_files();
	dwb_free(&debug);
}

static inline void write_program_with_inlined(void)
{
	begin_program();
	ADD_STEPS(once);
	write_files_with_inlined();
}

#endif
