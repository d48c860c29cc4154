// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the instructions of a trace do, counted: by hand, and by a count that is written
 * here in another way, on random traces.
 */
#include "riscv/rv_insn.h"
#include "tracestat/tracestat.h"
#include "stf-build.h"

static struct bytes in;
static struct tstat stat;
static struct error error;

enum {
	BEQ = 0x00000063,
	ECALL = 0x00000073,
	JAL = 0x0000006f, /* j */
	CALL = 0x000000ef, /* jal ra */
	RET = 0x8082, /* c.jr ra */
	NOP = 0x0001,
	LD = 0x6398, /* c.ld */
};

/* A conditional branch at pc, where the trace goes by a gap. */
static void b_branch(uint64_t pc, bool taken)
{
	b_pc(&in, 9, pc);
	if (taken)
		b_pc(&in, 31, pc + 0x100);
	b_inst32(&in, BEQ);
	if (taken)
		b_inst16(&in, NOP);
}

static int count(size_t size)
{
	struct stf_reader *reader;
	struct stf_record rec;
	int ret;

	tstat_free(&stat);
	stat = (struct tstat)TSTAT_INIT;
	stat.parts = ~0u;
	reader = stf_reader_open_memory(in.v, size, NULL, NULL);
	CHECK(reader);
	while (!stf_reader_params(reader)->header_ended)
		CHECK_EQ(stf_reader_next(reader, &rec), 1);
	ret = tstat_read(&stat, reader, &error);
	stf_reader_close(reader);
	return ret;
}

TEST(classes_lengths_and_modes)
{
	b_header(&in, FEATURES_RV64);
	b_inst16(&in, NOP);
	b_event(&in, STF_EVENT_MODE_CHANGE, 1, 0);
	b_inst32(&in, 0x13);
	b_inst16(&in, LD);
	b_inst32(&in, 0x02b50533); /* mul */
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.mix.instructions, 4);
	CHECK_EQ(stat.mix.size16, 2);
	CHECK_EQ(stat.mix.classes[RV_CLASS_INTEGER], 2);
	CHECK_EQ(stat.mix.classes[RV_CLASS_LOAD], 1);
	CHECK_EQ(stat.mix.classes[RV_CLASS_MULTIPLY], 1);
	CHECK_EQ(stat.mix.n_mnemonics, 0);
	/* A MODE_CHANGE is valid from the next instruction on. */
	CHECK_EQ(stat.mix.modes[STF_MODE_UNKNOWN], 2);
	CHECK_EQ(stat.mix.modes[STF_MODE_USER], 2);
}

static void count_in(struct tstat_mix *mix, const struct stf_inst *inst)
{
	const struct tstat_opcode *op = tstat_mix_find(mix, inst);

	CHECK(op);
	tstat_mix_count(mix, inst, op);
}

TEST(mnemonics_are_the_first_words_of_the_assembly)
{
	struct rv_disasm *disasm = rv_disasm_new(&error);
	struct stf_inst inst = { .opcode = LD, .size = 2 };
	struct tstat_mix mix = { .disasm = disasm };
	unsigned int i;

	if (!disasm)
		test_skip("no LLVM library here");
	for (i = 0; i < 3; i++)
		count_in(&mix, &inst);
	inst = (struct stf_inst){ .opcode = 0x0005b503, .size = 4 }; /* ld */
	count_in(&mix, &inst);
	inst.opcode = 0xb; /* no instruction */
	count_in(&mix, &inst);
	inst.opcode = 0x73;
	count_in(&mix, &inst);
	count_in(&mix, &inst);
	inst.opcode = 0x10500073; /* wfi, which does not execute */
	CHECK(tstat_mix_find(&mix, &inst));
	tstat_mix_sort(&mix);
	CHECK_EQ(mix.n_mnemonics, 3);
	CHECK_STR(mix.mnemonics[0].name, "ld");
	CHECK_EQ(mix.mnemonics[0].count, 4);
	CHECK_STR(mix.mnemonics[1].name, "ecall");
	CHECK_EQ(mix.mnemonics[1].count, 2);
	CHECK_STR(mix.mnemonics[2].name, "unknown");
	CHECK_EQ(mix.mnemonics[2].count, 1);
	tstat_mix_free(&mix);
	rv_disasm_free(disasm);
}

TEST(more_opcodes_than_are_remembered)
{
	struct stf_inst inst = { .size = 4 };
	struct tstat_mix mix = { .rv_flags = 0 };
	uint64_t n;

	for (n = 0; n < 2 * (TSTAT_MAX_OPCODES + 5); n++) {
		/* addi with all immediates and registers, in two rounds. */
		inst.opcode = (uint32_t)(n % (TSTAT_MAX_OPCODES + 5)) << 15 | 0x13;
		count_in(&mix, &inst);
	}
	CHECK_EQ(mix.n_opcodes, TSTAT_MAX_OPCODES);
	CHECK_EQ(mix.classes[RV_CLASS_INTEGER], n);
	tstat_mix_free(&mix);
}

TEST(branches_by_kind)
{
	b_header(&in, FEATURES_RV64);
	b_pc(&in, 31, 0x500);
	b_inst32(&in, CALL);
	b_pc(&in, 31, 0x10004);
	b_inst16(&in, RET);
	b_pc(&in, 31, 0x10004);
	b_inst32(&in, JAL);
	b_inst32(&in, BEQ);
	b_event(&in, 8, 0, 0);
	b_inst32(&in, 0x73); /* ecall */
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.kinds[9], 1); /* direct call */
	CHECK_EQ(stat.branches.taken[9], 1);
	CHECK_EQ(stat.branches.kinds[13], 1); /* return */
	CHECK_EQ(stat.branches.kinds[11], 1); /* direct jump */
	CHECK_EQ(stat.branches.kinds[5], 1); /* conditional */
	CHECK_EQ(stat.branches.taken[5], 0);
	CHECK_EQ(stat.branches.kinds[1], 1); /* exception */
	CHECK_EQ(stat.branches.all.ran, 1);
	CHECK_EQ(stat.branches.interrupted, 0);
}

/* The group of a trap return has no INST_PC_TARGET. The second one here is interrupted. */
TEST(a_trap_return_leads_to_its_event_target)
{
	b_header(&in, FEATURES_RV64);
	b_event(&in, STF_EVENT_MODE_CHANGE, 1, STF_MODE_USER);
	b_pc(&in, STF_EVENT_PC_TARGET, 0x500);
	b_inst32(&in, 0x30200073); /* mret */
	b_event(&in, STF_EVENT_INTERRUPT | 7, 0, 0);
	b_pc(&in, STF_EVENT_PC_TARGET, 0x600);
	b_inst32(&in, 0x10200073); /* sret */
	b_inst32(&in, 0x10200073); /* the trace ends before its target */
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.kinds[RV_XFER_TRAP_RETURN], 2);
	CHECK_EQ(stat.branches.taken[RV_XFER_TRAP_RETURN], 1);
}

/*
 * Outcomes T T N T. The counter is 1, 2, 3, 2: it is wrong at the first T and at N. The
 * PC gives index 0, and the history 0, 1, 3 and 6. So gshare uses a new counter each
 * time, and is wrong at each T.
 */
TEST(what_the_predictors_get_wrong)
{
	b_header(&in, FEATURES_RV64);
	b_branch(START_PC, true);
	b_branch(START_PC, true);
	b_branch(START_PC, false);
	b_branch(START_PC, true);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.nr, 1);
	CHECK_EQ(stat.branches.v[0].pc, START_PC);
	CHECK_EQ(stat.branches.v[0].n.ran, 4);
	CHECK_EQ(stat.branches.v[0].n.taken, 3);
	CHECK_EQ(stat.branches.v[0].n.wrong_counter, 2);
	CHECK_EQ(stat.branches.v[0].n.wrong_gshare, 3);
	CHECK_EQ(stat.branches.all.wrong_counter, 2);
	CHECK_EQ(stat.branches.all.wrong_gshare, 3);
}

/* T N T N ...: a counter swings between 1 and 2 and is always wrong. gshare learns it. */
TEST(a_pattern_that_history_predicts)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	for (i = 0; i < 200; i++)
		b_branch(START_PC, i % 2 == 0);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.all.wrong_counter, 200);
	/* The histories 0, 1, 2, 5, 10, ...: 13 until they repeat, wrong at each T of a new one. */
	CHECK_EQ(stat.branches.all.wrong_gshare, 7);
}

TEST(an_interrupted_branch_has_no_outcome)
{
	b_header(&in, FEATURES_RV64);
	b_event(&in, STF_EVENT_INTERRUPT | 13, 0, 0);
	b_inst32(&in, BEQ);
	b_pc(&in, 9, START_PC);
	b_pc(&in, 31, START_PC);
	b_inst32(&in, BEQ);
	b_event(&in, STF_EVENT_MODE_CHANGE, 1, 0);
	b_inst32(&in, BEQ);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.interrupted, 1);
	CHECK_EQ(stat.branches.kinds[5], 2);
	CHECK_EQ(stat.branches.all.ran, 2);
	CHECK_EQ(stat.branches.all.taken, 1);
}

/* The timer comes before an ecall, which then executes; and so for a jump that is taken. */
TEST(what_was_interrupted_and_comes_again_ran_once)
{
	b_header(&in, FEATURES_RV64);
	b_event(&in, STF_EVENT_INTERRUPT | 7, 0, 0);
	b_inst32(&in, ECALL);
	b_event(&in, STF_FAULT_USER_ECALL, 0, 0);
	b_inst32(&in, ECALL);
	b_event(&in, STF_EVENT_INTERRUPT | 7, 0, 0);
	b_inst32(&in, JAL);
	b_pc(&in, 9, START_PC);
	b_pc(&in, 31, START_PC);
	b_inst32(&in, JAL);
	/* Interrupted at its target. */
	b_pc(&in, 9, START_PC);
	b_pc(&in, 31, START_PC);
	b_event(&in, STF_EVENT_INTERRUPT | 7, 0, 0);
	b_inst32(&in, JAL);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.kinds[RV_XFER_EXCEPTION], 1);
	CHECK_EQ(stat.branches.kinds[RV_XFER_DIR_JUMP], 2);
	CHECK_EQ(stat.branches.interrupted, 0);
}

TEST(the_same_pc_in_two_processes_is_two_branches)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	for (i = 0; i < 10; i++) {
		b_process(&in, 0, i % 2, 7);
		b_branch(START_PC, i % 2);
	}
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.nr, 2);
	CHECK_EQ(stat.branches.all.wrong_counter, 1);
	CHECK_EQ(stat.code.lines.nr, 2 + 1); /* only one of them is taken */
}

TEST(further_branches_are_counted)
{
	struct tstat_branches b = { .nr = 0 };
	struct stf_inst inst = { .flags = STF_INST_F_TAKEN };
	uint64_t n;

	for (n = 0; n < 2 * (TSTAT_MAX_BRANCHES + 3); n++) {
		inst.pc = n % (TSTAT_MAX_BRANCHES + 3) * 4;
		CHECK(tstat_branches_count(&b, &inst, 5, true));
	}
	CHECK_EQ(b.nr, TSTAT_MAX_BRANCHES);
	CHECK_EQ(b.further, 6);
	CHECK_EQ(b.kinds[5], n);
	CHECK_EQ(b.all.ran, n - 6);
	CHECK_EQ(b.all.wrong_counter, TSTAT_MAX_BRANCHES);
	tstat_branches_free(&b);
}

/* A branch without a gap before it, which leads to the next one: `to` is its target. */
static void b_step(bool taken, uint64_t to)
{
	if (taken)
		b_pc(&in, 31, to);
	b_inst32(&in, BEQ);
}

/* At 0x10000: N, T to itself, T to itself, N. At 0x10004, behind it: N, N. */
TEST(outcomes_by_the_branch_before)
{
	const struct tstat_branch *first, *second;

	b_header(&in, FEATURES_RV64);
	b_step(false, 0); /* nothing is before */
	b_step(true, START_PC); /* 0x10004, behind N: T */
	b_step(true, START_PC); /* 0x10000, behind T: T */
	b_step(true, START_PC); /* behind T: T */
	b_step(false, 0); /* behind T: N */
	b_step(false, 0); /* 0x10004, behind N: N */
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.nr, 2);
	first = &stat.branches.v[stat.branches.v[0].pc != START_PC];
	second = &stat.branches.v[stat.branches.v[0].pc == START_PC];
	CHECK_EQ(first->after[0].ran, 0);
	CHECK_EQ(first->after[1].ran, 3);
	CHECK_EQ(first->after[1].taken, 2);
	CHECK_EQ(tstat_branch_wrong(first, false), 1);
	CHECK_EQ(tstat_branch_wrong(first, true), 1);
	CHECK_EQ(second->after[0].ran, 2);
	CHECK_EQ(second->after[0].taken, 1);
	CHECK_EQ(second->after[1].ran, 0);
}

TEST(no_branch_is_before_a_gap_or_another_thread)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 7);
	b_step(false, 0);
	b_pc(&in, 9, START_PC); /* a gap, at an instruction that is no branch */
	b_inst16(&in, NOP);
	b_step(false, 0);
	b_process(&in, 0, 7, 8);
	b_step(false, 0);
	b_process(&in, 1, 7, 8);
	b_step(false, 0);
	b_process(&in, 1, 9, 8);
	b_step(false, 0);
	CHECK_EQ(count(in.n), 0);
	for (i = 0; i < stat.branches.nr; i++) {
		CHECK_EQ(stat.branches.v[i].after[0].ran, 0);
		CHECK_EQ(stat.branches.v[i].after[1].ran, 0);
	}
	b_step(false, 0);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.v[stat.branches.nr - 1].after[0].ran, 1);
}

/* A naive count: for each pair of branches in a row, what the second one did. */
TEST(random_outcomes_by_the_branch_before)
{
	enum { PLACES = 3 };
	uint64_t want[PLACES][2][2] = { 0 }, ran, taken, wrong;
	unsigned int i, k, place = 0, next, before = 0;

	b_header(&in, FEATURES_RV64);
	for (i = 0; i < 3000; i++, place = next) {
		bool t = place == 2 ? before : test_random() % 3 == 0;

		/* Not taken leads to the next place, and from the last one by a jump. */
		next = t ? test_random() % PLACES : (place + 1) % PLACES;
		b_step(t, START_PC + 4 * next);
		if (!t && !next) {
			b_pc(&in, 31, START_PC);
			b_inst32(&in, JAL);
		}
		if (i)
			want[place][before][t]++;
		before = t;
	}
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.nr, PLACES);
	for (i = 0; i < PLACES; i++) {
		const struct tstat_branch *b = &stat.branches.v[i];
		const uint64_t(*w)[2] = want[(b->pc - START_PC) / 4];

		for (wrong = k = 0; k < 2; k++) {
			CHECK_EQ(b->after[k].ran, w[k][0] + w[k][1]);
			CHECK_EQ(b->after[k].taken, w[k][1]);
			wrong += w[k][0] < w[k][1] ? w[k][0] : w[k][1];
		}
		CHECK_EQ(tstat_branch_wrong(b, true), wrong);
		ran = w[0][0] + w[0][1] + w[1][0] + w[1][1];
		taken = w[0][1] + w[1][1];
		CHECK_EQ(tstat_branch_wrong(b, false),
			 taken < ran - taken ? taken : ran - taken);
		if (b->pc == START_PC + 8)
			CHECK_EQ(wrong, 0);
	}
}

TEST(accesses_by_size_and_direction)
{
	b_header(&in, FEATURES_RV64);
	b_mem(&in, 0x1ffc, 8, 1, 0); /* on two pages */
	b_mem(&in, 0x1000, 200, 2, 0);
	b_inst16(&in, LD);
	b_mem(&in, 0x1000, 1, 2, 0);
	b_inst32(&in, 0xb50023); /* sb */
	b_inst16(&in, LD); /* without an access */
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.memory.reads.count, 1);
	CHECK_EQ(stat.memory.reads.bytes, 8);
	CHECK_EQ(stat.memory.reads.sizes[8], 1);
	CHECK_EQ(stat.memory.writes.count, 2);
	CHECK_EQ(stat.memory.writes.bytes, 201);
	CHECK_EQ(stat.memory.writes.sizes[1], 1);
	CHECK_EQ(stat.memory.writes.longer, 1);
	CHECK_EQ(stat.memory.instructions, 3);
	CHECK_EQ(stat.memory.without_access, 1);
	/* 200 bytes from 0x1000 on lie on 4 lines, and 0x1ffc to 0x2003 on 2. */
	CHECK_EQ(stat.memory.data.lines.units, 208);
	CHECK_EQ(stat.memory.data.lines.nr, 6);
	CHECK_EQ(stat.memory.data.pages.units, 6);
	CHECK_EQ(stat.memory.data.pages.nr, 2);
}

TEST(threads_and_what_they_ran)
{
	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 8);
	b_event(&in, STF_EVENT_MODE_CHANGE, 1, 0);
	b_inst16(&in, NOP);
	b_process(&in, 0, 7, 9);
	b_inst32(&in, BEQ);
	b_process(&in, 0, 7, 8);
	b_mem(&in, 0x1000, 8, 1, 0);
	b_inst16(&in, LD);
	b_pc(&in, 9, 0x900);
	b_inst16(&in, NOP);
	CHECK_EQ(count(in.n), 0);
	CHECK(stat.threads.told);
	CHECK_EQ(stat.threads.nr, 2);
	CHECK_EQ(stat.threads.v[0].tid, 8);
	CHECK_EQ(stat.threads.v[0].instructions, 3);
	CHECK_EQ(stat.threads.v[0].user, 3);
	CHECK_EQ(stat.threads.v[0].memory, 1);
	CHECK_EQ(stat.threads.v[0].gaps, 1);
	CHECK_EQ(stat.threads.v[0].entries, 2);
	CHECK_EQ(stat.threads.v[1].tid, 9);
	CHECK_EQ(stat.threads.v[1].branches, 1);
	CHECK_EQ(stat.threads.v[1].entries, 1);
	CHECK_EQ(stat.gaps, 1);
}

/* Of these four instructions only the second one executes. */
static void b_stopped(uint64_t pc)
{
	b_pc(&in, 9, pc);
	b_mem(&in, 0x1000, 8, 1, 0);
	b_event(&in, STF_FAULT_LOAD_PAGE_FAULT, 1, 0x1000);
	b_pc(&in, 101, pc);
	b_inst16(&in, LD);
	b_mem(&in, 0x2000, 8, 1, 0);
	b_inst16(&in, LD);
	b_event(&in, STF_EVENT_INTERRUPT | STF_INT_SUPERVISOR_TIMER, 1, 0);
	b_inst32(&in, BEQ);
	b_event(&in, STF_EVENT_INTERRUPT | STF_INT_SUPERVISOR_TIMER, 1, 0);
	b_inst32(&in, 0x13);
}

static struct tstat_interval ended[8];
static unsigned int n_ended;

static void add_ended(void *arg, const struct tstat_interval *interval)
{
	(void)arg;
	CHECK(n_ended < 8);
	ended[n_ended++] = *interval;
}

TEST(what_did_not_execute_is_in_no_count)
{
	struct stf_reader *reader;

	b_header(&in, FEATURES_RV64);
	b_process(&in, 0, 7, 8);
	b_event(&in, STF_EVENT_MODE_CHANGE, 1, 0);
	b_inst16(&in, NOP);
	b_stopped(0x20000);
	b_stopped(0x30000);
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.interrupted, 6);
	CHECK_EQ(stat.gaps, 2);
	CHECK_EQ(stat.mix.instructions, 3);
	CHECK_EQ(stat.mix.size16, 3);
	CHECK_EQ(stat.mix.classes[RV_CLASS_LOAD], 2);
	CHECK_EQ(stat.mix.classes[RV_CLASS_BRANCH], 0);
	CHECK_EQ(stat.mix.modes[STF_MODE_USER], 3);
	CHECK_EQ(stat.branches.interrupted, 2);
	CHECK_EQ(stat.code.lines.units, 2 + 2 * 2);
	CHECK_EQ(stat.memory.instructions, 2);
	CHECK_EQ(stat.memory.reads.count, 2);
	CHECK_EQ(stat.memory.data.pages.units, 1);
	CHECK_EQ(stat.threads.v[0].instructions, 3);
	CHECK_EQ(stat.threads.v[0].user, 3);
	CHECK_EQ(stat.threads.v[0].branches, 0);
	CHECK_EQ(stat.threads.v[0].memory, 2);
	CHECK_EQ(stat.threads.v[0].gaps, 2);
	CHECK_EQ(stat.code_reuse.first, 3);

	/* An interval has so many that executed, and begins with the next of all. */
	tstat_free(&stat);
	stat = (struct tstat)TSTAT_INIT;
	stat.parts = TSTAT_BRANCHES;
	stat.intervals = (struct tstat_intervals){ .size = 2, .on_interval = add_ended };
	n_ended = 0;
	reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	CHECK(reader);
	CHECK_EQ(tstat_read(&stat, reader, &error), 0);
	stf_reader_close(reader);
	CHECK_EQ(n_ended, 2);
	CHECK_EQ(ended[0].start, 0);
	CHECK_EQ(ended[0].instructions, 2);
	CHECK_EQ(ended[0].gaps, 1);
	CHECK_EQ(ended[1].start, 3);
	CHECK_EQ(ended[1].instructions, 1);
	CHECK_EQ(ended[1].gaps, 1);
}

TEST(more_threads_than_have_counts)
{
	struct tstat_threads t = { .nr = 0 };
	struct stf_inst inst = { .mode = STF_MODE_USER };
	unsigned int n;

	for (n = 0; n < TSTAT_MAX_THREADS + 4; n++) {
		inst.process.tid = n;
		CHECK(tstat_threads_count(&t, &inst, RV_CLASS_INTEGER, true));
	}
	CHECK_EQ(t.nr, TSTAT_MAX_THREADS);
	CHECK_EQ(t.further.instructions, 4);
	CHECK_EQ(t.further.entries, 4);
	CHECK(!t.told);
	/* The last of them goes on. */
	CHECK(tstat_threads_count(&t, &inst, RV_CLASS_INTEGER, true));
	CHECK_EQ(t.further.instructions, 5);
	CHECK_EQ(t.further.entries, 4);
	/* From one of them, it comes to the first one again. */
	inst.process.tid = 0;
	CHECK(tstat_threads_count(&t, &inst, RV_CLASS_INTEGER, true));
	CHECK_EQ(t.v[0].entries, 2);
	tstat_threads_free(&t);
}

TEST(a_footprint_at_the_ends_of_memory)
{
	struct tstat_footprint f = TSTAT_FOOTPRINT_INIT(TSTAT_MAX_LINES, TSTAT_MAX_PAGES);

	CHECK(tstat_footprint_use(&f, 0, UINT64_MAX, 2)); /* and address 0 */
	CHECK_EQ(f.lines.units, 2);
	CHECK_EQ(f.lines.nr, 2);
	CHECK_EQ(f.pages.nr, 2);
	CHECK(tstat_footprint_use(&f, 0, 0, 0));
	CHECK_EQ(f.lines.units, 2);
	tstat_footprint_free(&f);
}

/* Their hashes are the same, so only the numbers themselves tell them apart. */
TEST(processes_whose_hashes_are_the_same)
{
	struct tstat_footprint f = TSTAT_FOOTPRINT_INIT(TSTAT_MAX_LINES, TSTAT_MAX_PAGES);
	struct tstat_branches b = { .nr = 0 };
	struct stf_inst inst = { .pc = START_PC };

	CHECK(tstat_footprint_use(&f, 1, START_PC, 2));
	CHECK(tstat_footprint_use(&f, 1 + (1 << 24), START_PC, 2));
	CHECK_EQ(f.lines.units, 4);
	CHECK_EQ(f.pages.nr, 2);
	inst.process.pid = 1;
	CHECK(tstat_branches_count(&b, &inst, 5, true));
	inst.process.pid = 1 + (1 << 24);
	CHECK(tstat_branches_count(&b, &inst, 5, true));
	CHECK_EQ(b.nr, 2);
	tstat_branches_free(&b);
	tstat_footprint_free(&f);
}

TEST(a_footprint_has_a_bound)
{
	struct tstat_footprint f = TSTAT_FOOTPRINT_INIT(TSTAT_MAX_LINES, TSTAT_MAX_PAGES);
	uint64_t n;

	for (n = 0; n < TSTAT_MAX_PAGES + 3; n++) {
		CHECK(!f.pages.full);
		CHECK(tstat_footprint_use(&f, 0, n << 12, 1));
		if (n >= TSTAT_MAX_PAGES)
			break;
	}
	CHECK(f.pages.full);
	CHECK(!f.lines.full);
	CHECK_EQ(f.pages.nr, TSTAT_MAX_PAGES);
	CHECK_EQ(f.lines.nr, TSTAT_MAX_PAGES + 1);
	/* What was there before is still known. */
	CHECK(tstat_footprint_use(&f, 0, 64, 1));
	CHECK_EQ(f.pages.units, TSTAT_MAX_PAGES + 1);
	tstat_footprint_free(&f);
}

enum { ROOM = 1 << 16 };

/* How many of the pieces of this size have a byte that was used. */
static unsigned int pieces(const bool *used, unsigned int size)
{
	unsigned int n = 0, i, k;

	for (i = 0; i < ROOM; i += size) {
		for (k = 0; k < size && !used[i + k]; k++)
			;
		n += k < size;
	}
	return n;
}

TEST(random_footprints_are_those_of_a_map_of_bytes)
{
	struct tstat_footprint f = TSTAT_FOOTPRINT_INIT(TSTAT_MAX_LINES, TSTAT_MAX_PAGES);
	static bool used[2][ROOM];
	unsigned int i, k;

	memset(used, 0, sizeof(used));
	for (i = 0; i < 700; i++) {
		unsigned int pid = test_random() % 2;
		unsigned int at = test_random() % (ROOM - 200);
		unsigned int size = 1 + test_random() % (i % 10 ? 16 : 200);

		CHECK(tstat_footprint_use(&f, pid, at, size));
		for (k = 0; k < size; k++)
			used[pid][at + k] = true;
	}
	CHECK_EQ(f.lines.units, pieces(used[0], 1) + pieces(used[1], 1));
	CHECK_EQ(f.lines.nr, pieces(used[0], 64) + pieces(used[1], 64));
	CHECK_EQ(f.pages.units, f.lines.nr);
	CHECK_EQ(f.pages.nr, pieces(used[0], 4096) + pieces(used[1], 4096));
	tstat_footprint_free(&f);
}

/* A predictor as a list of all that happened, which is searched each time. */
struct happened {
	unsigned int place; /* the branch, or the index of gshare */
	bool taken;
};

static bool guess(const struct happened *h, unsigned int n, unsigned int place)
{
	int value = 1;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (h[i].place != place)
			continue;
		value += h[i].taken ? 1 : -1;
		value = value < 0 ? 0 : value > 3 ? 3 : value;
	}
	return value >= 2;
}

TEST(random_branches_are_predicted_as_the_whole_past_says)
{
	static struct happened own[2000], shared[2000];
	unsigned int n, k, place, wrong_own = 0, wrong_shared = 0;

	b_header(&in, FEATURES_RV64);
	for (n = 0; n < 2000; n++) {
		unsigned int pc = START_PC + 0x1ffe * (test_random() % 40);
		bool taken = test_random() % 100 < pc % 101;

		for (place = 0, k = n < 12 ? 0 : n - 12; k < n; k++)
			place = 2 * place + own[k].taken;
		place ^= pc / 2 % 4096;
		own[n] = (struct happened){ pc, taken };
		shared[n] = (struct happened){ place, taken };
		wrong_own += guess(own, n, pc) != taken;
		wrong_shared += guess(shared, n, place) != taken;
		b_branch(pc, taken);
	}
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.all.ran, 2000);
	CHECK_EQ(stat.branches.all.wrong_counter, wrong_own);
	CHECK_EQ(stat.branches.all.wrong_gshare, wrong_shared);
}

TEST(the_hardest_branch_comes_first)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	for (i = 0; i < 300; i++) {
		b_branch(START_PC, true);
		b_branch(START_PC + 0x1000, test_random() % 2);
	}
	CHECK_EQ(count(in.n), 0);
	CHECK_EQ(stat.branches.nr, 2);
	CHECK_EQ(stat.branches.v[0].pc, START_PC + 0x1000);
	CHECK(stat.branches.v[0].n.wrong_gshare > stat.branches.v[1].n.wrong_gshare);
}

static size_t hash_bytes_of(const struct hash *h)
{
	return (h->mask + 1) * sizeof(*h->slots);
}

static size_t footprint_bytes(const struct tstat_footprint *f)
{
	CHECK(f->lines.full && f->pages.full);
	return f->lines.nr * sizeof(*f->lines.v) + hash_bytes_of(&f->lines.by_number) +
	       f->pages.nr * sizeof(*f->pages.v) + hash_bytes_of(&f->pages.by_number);
}

static size_t reuse_bytes(const struct tstat_reuse *r)
{
	return 2ul * r->max * (sizeof(*r->v) + sizeof(*r->owner) + sizeof(*r->tree)) +
	       hash_bytes_of(&r->by_number);
}

static size_t all_bytes(void)
{
	return footprint_bytes(&stat.code) + footprint_bytes(&stat.memory.data) +
	       reuse_bytes(&stat.code_reuse) + reuse_bytes(&stat.data_reuse) +
	       stat.branches.nr * sizeof(*stat.branches.v) +
	       hash_bytes_of(&stat.branches.by_pc) +
	       stat.regions.nr * sizeof(*stat.regions.v) +
	       hash_bytes_of(&stat.regions.by_number) +
	       stat.mix.n_opcodes * sizeof(*stat.mix.opcodes) +
	       hash_bytes_of(&stat.mix.by_opcode) +
	       stat.threads.nr * sizeof(*stat.threads.v) +
	       hash_bytes_of(&stat.threads.by_id);
}

/*
 * The command promises 64 MiB for all. LLVM takes 15 of them, chunks of a .zstf up to 12,
 * and the command itself 4. Functions take 3, if the trace has their names.
 */
TEST(all_tables_together_have_a_bound)
{
	struct stf_inst inst = { .size = 4 };
	struct stf_mem_access access = { .size = 8 };
	uint64_t n;

	tstat_free(&stat);
	stat = (struct tstat)TSTAT_INIT;
	for (n = 0; n < 1 << 18; n++) {
		inst.pc = access.address = n << 12;
		inst.opcode = (uint32_t)n << 7 | 0x13;
		inst.process.tid = (uint32_t)n;
		CHECK(tstat_footprint_use(&stat.code, 0, inst.pc, 4));
		CHECK(tstat_footprint_use(&stat.memory.data, 0, inst.pc, 8));
		CHECK(tstat_reuse_use(&stat.code_reuse, 0, inst.pc, 4));
		CHECK(tstat_reuse_use(&stat.data_reuse, 0, inst.pc, 8));
		CHECK(tstat_branches_count(&stat.branches, &inst, RV_XFER_BRANCH, true));
		CHECK(tstat_regions_access(&stat.regions, NULL, 0, &access));
		count_in(&stat.mix, &inst);
		CHECK(tstat_threads_count(&stat.threads, &inst, RV_CLASS_INTEGER, true));
	}
	CHECK_EQ(stat.branches.nr, TSTAT_MAX_BRANCHES);
	CHECK_EQ(stat.regions.nr, TSTAT_MAX_REGION_PAGES);
	CHECK_EQ(stat.mix.n_opcodes, TSTAT_MAX_OPCODES);
	CHECK_EQ(stat.threads.nr, TSTAT_MAX_THREADS);
	CHECK(all_bytes() <= 32 << 20);
	tstat_free(&stat);
	stat = (struct tstat)TSTAT_INIT;
}

TEST(what_came_before_a_fault_is_counted)
{
	b_header(&in, FEATURES_RV64);
	b_inst16(&in, NOP);
	b_inst32(&in, 0x13);
	CHECK_EQ(count(in.n - 1), ERROR_INPUT);
	CHECK(strstr(error.text, "ends inside"));
	CHECK_EQ(stat.mix.instructions, 1);
	tstat_free(&stat);
}
