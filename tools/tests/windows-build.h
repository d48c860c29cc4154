/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording of windows, of the program of cmd-sample.h. */
#ifndef TESTS_WINDOWS_BUILD_H
#define TESTS_WINDOWS_BUILD_H

#include "cmd-sample.h"

/* The program does this again and again: seven instructions, of which three branch. */
enum { ROUND = 7, BRANCHES = 3, STACK = 16, DEPTH = 32 };
static const uint64_t round_of[ROUND] = { 0x00, 0x02, 0x06, 0x12, 0x16, 0x0a, 0x0e };
static const unsigned int sources[BRANCHES] = { 2, 4, 6 };

static inline uint64_t pc_of(uint64_t insn)
{
	return MAP_AT + round_of[insn % ROUND];
}

static inline uint64_t branches_before(uint64_t insn)
{
	return insn / ROUND * BRANCHES + (insn % ROUND > 2) + (insn % ROUND > 4);
}

/* The branches of a sample. */
static unsigned int shown = STACK;

/* A sample of a thread before its instruction number `insn`. */
static inline void sample_of(uint32_t tid, uint64_t insn, uint64_t period)
{
	uint64_t stack[STACK][3], nr = branches_before(insn), i;

	for (i = 0; i < shown; i++) {
		const uint64_t branch = nr - 1 - i;
		const uint64_t from = branch / BRANCHES * ROUND + sources[branch % BRANCHES];

		stack[i][0] = pc_of(from);
		stack[i][1] = pc_of(from + 1);
		stack[i][2] = (branch % BRANCHES ? PERF_BR_RET : PERF_BR_CALL) << 20;
	}
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = pc_of(insn), .time = 1000 + insn, .pid = 5, .tid = tid, .cpu = 3,
		.period = period, .count = insn, .hw_idx = (nr - 1) % DEPTH,
		.nr_branches = shown, .branches = (const uint64_t (*)[3])stack });
}

static inline void sample(uint64_t insn, uint64_t period)
{
	sample_of(5, insn, period);
}

/* At its place a sample, and then one in 20 instructions, but for number `without`. */
static inline void window(uint64_t place, unsigned int nr, unsigned int without)
{
	unsigned int i;

	sample(place, 700);
	for (i = 0; i < nr; i++)
		if (i != without)
			sample(place + 30 + 20 * i, 20);
}

static inline void put_text(struct pdb_buf *body, const char *text)
{
	pdb_u32(body, (strlen(text) + 8) & ~7u);
	pdb_text(body, text);
}

static inline void begin_windows(const char *name)
{
	struct pdb_buf *body;

	begin();
	rec.events[0].attr.sample_type |= PERF_SAMPLE_READ;
	rec.events[0].attr.read_format = PERF_FORMAT_ID;
	rec.events[0].attr.branch_sample_type |= PERF_SAMPLE_BRANCH_HW_INDEX;
	body = pdb_feature(&rec, 12); /* EVENT_DESC */
	pdb_u32(body, 1);
	pdb_u32(body, sizeof(struct perf_event_attr));
	pdb_attr_bytes(body, &rec.events[0].attr);
	pdb_u32(body, 1);
	put_text(body, name);
	pdb_u64(body, rec.events[0].ids[0]);
	body = pdb_feature(&rec, 28); /* CPU_PMU_CAPS */
	pdb_u32(body, 1);
	put_text(body, "branches");
	put_text(body, "32");
}

/* Two windows, in the first and third interval of a thread with 3456 instructions. */
#define NAME(_size) "windows/size=" #_size ",every=1000,period=20,places=random,seed=1/"

static inline void two_windows(const char *name, unsigned int without)
{
	begin_windows(name);
	window(300, 9, without);
	window(2500, 9, UINT32_MAX);
	sample(3400, 700);
	pdb_count(&rec, 0, 5, 3456, 0);
	write_files();
}

#endif
