// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths against a witness: random code is "executed" with random outcomes of its
 * branches. What was executed is then to be found again from the last transfers. Where
 * signals come, not all can be found, but nothing else, and nothing twice.
 */
#include "path-build.h"

enum {
	AT = 0x40000,
	NR_INSNS = 600,
	NR_STEPS = 4000,
	DEPTH = 32,
};

enum kind { PLAIN, BRANCH, JUMP, INDIRECT, ECALL };

struct insn {
	uint64_t pc, target;
	uint32_t raw;
	unsigned int size;
	enum kind kind;
	unsigned int type;
	int64_t reach;		/* of a direct jump, in bytes */
};

static struct insn insns[NR_INSNS];
static uint8_t code[4 * NR_INSNS];
static struct memory memory = {
	.regions = { { AT, 0, code } }, .nr = 1, .why = IMG_UNMAPPED,
};

static uint32_t bits(int64_t imm, int high, int low, int to)
{
	return ((uint64_t)imm >> low & ((1u << (high - low + 1)) - 1)) << to;
}

static uint32_t beq(int64_t imm)	/* beq a0, a1, imm */
{
	return 0x00b50063 | bits(imm, 12, 12, 31) | bits(imm, 10, 5, 25) |
	       bits(imm, 4, 1, 8) | bits(imm, 11, 11, 7);
}

static uint32_t jal(unsigned int rd, int64_t imm)
{
	return 0x6f | rd << 7 | bits(imm, 20, 20, 31) | bits(imm, 10, 1, 21) |
	       bits(imm, 11, 11, 20) | bits(imm, 19, 12, 12);
}

static uint32_t c_j(int64_t imm)
{
	return 0xa001 | bits(imm, 11, 11, 12) | bits(imm, 4, 4, 11) |
	       bits(imm, 9, 8, 9) | bits(imm, 10, 10, 8) | bits(imm, 6, 6, 7) |
	       bits(imm, 7, 7, 6) | bits(imm, 3, 1, 3) | bits(imm, 5, 5, 2);
}

static uint32_t c_beqz(int64_t imm)	/* c.beqz a0, imm */
{
	return 0xc101 | bits(imm, 8, 8, 12) | bits(imm, 4, 3, 10) |
	       bits(imm, 7, 6, 5) | bits(imm, 2, 1, 3) | bits(imm, 5, 5, 2);
}

enum { BEQ = 1, C_BEQZ, JAL, JAL_RA, C_J };

static void choose(struct insn *in, bool last)
{
	static const struct insn some[] = {
		{ .raw = 0x0505, .size = 2 },		/* c.addi a0, 1 */
		{ .raw = 0x00158513, .size = 4 },	/* addi a0, a1, 1 */
		{ .raw = 0x80820537, .size = 4 },	/* lui a0, 0x80820 */
		{ .raw = 0x852e, .size = 2 },		/* c.mv a0, a1 */
		{ .raw = 0x00053583, .size = 4 },	/* ld a1, 0(a0) */
		{ .raw = 0xa0010593, .size = 4 },	/* addi a1, sp, -1536 */
		{ .raw = BEQ, .size = 4, .kind = BRANCH, .type = PERF_BR_COND,
		  .reach = 4096 },
		{ .raw = C_BEQZ, .size = 2, .kind = BRANCH,
		  .type = PERF_BR_COND, .reach = 256 },
		{ .raw = BEQ, .size = 4, .kind = BRANCH, .reach = 4096 },
		{ .raw = JAL, .size = 4, .kind = JUMP, .type = PERF_BR_UNCOND,
		  .reach = 1 << 20 },
		{ .raw = JAL_RA, .size = 4, .kind = JUMP, .type = PERF_BR_CALL,
		  .reach = 1 << 20 },
		{ .raw = C_J, .size = 2, .kind = JUMP, .reach = 2048 },
		{ .raw = 0x8082, .size = 2, .kind = INDIRECT,
		  .type = PERF_BR_RET },		/* ret */
		{ .raw = 0x000e8367, .size = 4, .kind = INDIRECT,
		  .type = PERF_BR_IND },		/* jalr t1, 0(t4) */
		{ .raw = 0x9502, .size = 2, .kind = INDIRECT,
		  .type = PERF_BR_IND_CALL },		/* c.jalr a0 */
		{ .raw = 0x00000073, .size = 4, .kind = ECALL },
	};
	const size_t nr = sizeof(some) / sizeof(*some);

	do {
		/* Every second one is plain, so that lines have some length. */
		*in = some[test_random() % (test_random() & 1 ? 6 : nr)];
	} while (last && in->kind != INDIRECT);
}

static void generate(void)
{
	uint64_t pc = AT;
	size_t i, j;

	for (i = 0; i < NR_INSNS; i++) {
		choose(&insns[i], i == NR_INSNS - 1);
		insns[i].pc = pc;
		pc += insns[i].size;
	}
	memory.regions[0].size = pc - AT;
	for (i = 0; i < NR_INSNS; i++) {
		struct insn *in = &insns[i];
		int64_t imm;

		if (in->reach) {
			do {
				j = test_random() % NR_INSNS;
				imm = insns[j].pc - in->pc;
			} while (imm < -in->reach || imm >= in->reach);
			in->target = insns[j].pc;
			in->raw = in->raw == BEQ ? beq(imm) :
				  in->raw == C_BEQZ ? c_beqz(imm) :
				  in->raw == JAL ? jal(0, imm) :
				  in->raw == JAL_RA ? jal(1, imm) :
						      c_j(imm);
		}
		memcpy(code + (in->pc - AT), &in->raw, in->size);
	}
}

static struct insn *at(uint64_t pc)
{
	size_t low = 0, high = NR_INSNS;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (insns[middle].pc <= pc)
			low = middle;
		else
			high = middle;
	}
	return &insns[low];
}

static uint64_t trace[NR_STEPS + 1];
static struct path_transfer transfers[NR_STEPS];
static size_t transfer_step[NR_STEPS];	/* when the source was executed */

/* Is what path shows for a sample at this step what was executed? */
static void check_sample(struct path *path, size_t step, size_t nr_transfers)
{
	size_t nr = nr_transfers < DEPTH ? nr_transfers : DEPTH, expect;
	const struct path_transfer *t = &transfers[nr_transfers - nr];
	const struct path_run *runs;
	int i, nr_runs;

	nr_runs = path_decode(path, 1, t, nr, trace[step], 0);
	runs = path_runs(path);
	CHECK_EQ(nr_runs, nr + 1);
	expect = transfer_step[nr_transfers - nr];
	for (i = 0; i < nr_runs; i++) {
		uint64_t pc = runs[i].pc;
		unsigned int insn;

		CHECK_EQ(runs[i].why, PATH_OK);
		CHECK_EQ(runs[i].connected, i > 0);
		CHECK_EQ(runs[i].end,
			 (size_t)i < nr ? PATH_END_BRANCH : PATH_END_IP);
		for (insn = 0; insn < runs[i].nr_insns; insn++) {
			CHECK_EQ(pc, trace[expect]);
			expect++;
			pc += at(pc)->size;
		}
		CHECK_EQ(pc - runs[i].pc, runs[i].size);
	}
	CHECK_EQ(expect, step + 1);
}

/* Whatever the records say, what is shown must be possible. */
static void check_garbage(struct path *path, size_t nr_transfers)
{
	struct path_transfer t[DEPTH];
	const struct path_run *runs;
	size_t i, changes = 1 + test_random() % 3;
	int run, nr_runs;

	memcpy(t, &transfers[nr_transfers - DEPTH], sizeof(t));
	while (changes--) {
		struct path_transfer *victim = &t[test_random() % DEPTH];
		uint64_t size = memory.regions[0].size;

		switch (test_random() % 6) {
		case 0:
			victim->from = AT - 64 + test_random() % (size + 128);
			break;
		case 1:
			victim->to = AT - 64 + test_random() % (size + 128);
			break;
		case 2:
			victim->from = 0;
			break;
		case 3:
			victim->to = 0;
			break;
		case 4:
			victim->type = test_random() % PD_BR_NR;
			break;
		default:
			victim->to ^= UINT64_C(1) << test_random() % 64;
		}
	}
	nr_runs = path_decode(path, 1, t, DEPTH, at(AT + test_random() %
						    memory.regions[0].size)->pc,
			      test_random() & 1 ? PATH_KERNEL : 0);
	runs = path_runs(path);
	CHECK(nr_runs > 0 && nr_runs <= 2 * DEPTH + 1);
	for (run = 0; run < nr_runs; run++) {
		const struct path_run *r = &runs[run];
		uint64_t end = r->pc + r->size;
		uint32_t offset = 0;
		unsigned int jumps = 0;

		CHECK_EQ(!r->nr_insns, !r->size);
		CHECK_EQ(r->connected,
			 run && runs[run - 1].target_shown);
		if (!r->nr_insns)
			continue;
		CHECK(r->pc >= AT && end <= AT + memory.regions[0].size);
		CHECK(r->code == code + (r->pc - AT));
		/* By the bytes alone: where an instruction ends, another starts. */
		for (i = 0; i < r->nr_insns; i++) {
			uint8_t low = r->code[offset];

			CHECK(offset < r->size);
			offset += (low & 3) == 3 ? 4 : 2;
			jumps += (low & 0x7f) == 0x6f || (low & 0x7f) == 0x67;
		}
		CHECK_EQ(offset, r->size);
		CHECK(jumps <= 1);
		if (r->end != PATH_END_BRANCH)
			continue;
		CHECK(run + 1 < nr_runs);
		CHECK(runs[run + 1].connected && runs[run + 1].nr_insns);
		CHECK_EQ(runs[run + 1].pc, t[r->transfer].to);
	}
}

/* Execute from a random place; samples at random steps. */
static void execute(bool garbage)
{
	struct insn *in = &insns[test_random() % NR_INSNS];
	struct path *path = memory_path(&memory);
	size_t step, nr = 0;

	for (step = 0; step < NR_STEPS; step++) {
		uint64_t next = in->pc + in->size;
		bool moves = in->kind == JUMP || in->kind == INDIRECT ||
			     (in->kind == BRANCH && test_random() & 1);

		trace[step] = in->pc;
		if (nr && !garbage && test_random() % 8 == 0)
			check_sample(path, step, nr);
		if (nr >= DEPTH && garbage)
			check_garbage(path, nr);
		if (moves) {
			next = in->kind == INDIRECT ?
				       insns[test_random() % NR_INSNS].pc :
				       in->target;
			transfers[nr] = (struct path_transfer){ in->pc, next,
								in->type };
			transfer_step[nr++] = step;
		}
		in = at(next);
	}
	path_free(path);
}

TEST(what_was_executed_is_found)
{
	int i;

	for (i = 0; i < 20; i++) {
		generate();
		execute(false);
	}
}

TEST(what_is_shown_of_garbage_is_possible)
{
	int i;

	for (i = 0; i < 10; i++) {
		generate();
		execute(true);
	}
}

/* --- signals --- */

enum {
	PERIOD = 24, /* samples overlap */
	HANDLERS = 3,
	NESTED = 4,
	VDSO = 0x7f000000,
};

static size_t first_step[NR_STEPS + 1]; /* behind that many transfers */
static bool is_shown[NR_STEPS];
static size_t shown_to; /* the step behind the one that was shown last */

/* nr transfers and some steps were made. The run is behind `behind` transfers. */
static void check_run(const struct path_run *run, size_t behind, size_t nr, size_t steps)
{
	const bool at_ip = run->end == PATH_END_IP;
	const size_t end = behind < nr ? first_step[behind + 1] : steps;
	size_t n = run->nr_insns - at_ip, step = first_step[behind];
	uint64_t pc = run->pc;

	if (run->connected)
		step = shown_to;
	else if (run->end != PATH_END_BREAK)
		step = end - n - (run->end == PATH_END_CUT);
	for (; n--; step++) {
		CHECK(step < end && !is_shown[step]);
		CHECK_EQ(trace[step], pc);
		is_shown[step] = true;
		pc += at(pc)->size;
	}
	shown_to = at_ip ? steps : step;
}

static void check_path(struct path_stitch *stitch, struct path *path, uint64_t ip, size_t nr,
		       size_t steps)
{
	const size_t depth = nr < DEPTH ? nr : DEPTH;
	struct pd_branch stack[DEPTH];
	struct path_stitched found;
	const struct path_run *runs;
	size_t i;
	int nr_runs;

	for (i = 0; i < depth; i++) {
		const struct path_transfer *t = &transfers[nr - 1 - i];

		/* No two are equal. */
		stack[i] = (struct pd_branch){ t->from, t->to,
					       (nr - i) << 4 | (uint64_t)t->type << 20 };
	}
	nr_runs = stitch_sample(stitch, path, ip, PERIOD, stack, depth, &found);
	runs = path_runs(path);
	CHECK(nr_runs > 0);
	if (!found.joined)
		memset(is_shown, 0, sizeof(is_shown));
	for (i = 0; i < (size_t)nr_runs; i++)
		if (runs[i].nr_insns)
			check_run(&runs[i], nr - found.nr_transfers + runs[i].transfer, nr, steps);
}

/*
 * Handlers may interrupt each other, and return through the vdso, whose code is not known, by a
 * system call, which leaves no record. places: where the signals come is known.
 */
static void interrupt(bool places)
{
	struct path_stitch *stitch = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	struct insn *in = &insns[test_random() % NR_INSNS], *interrupted[NESTED];
	unsigned int nested = 0, in_vdso = 0, i;
	struct path *path = memory_path(&memory);
	uint64_t handlers[HANDLERS];
	size_t step, nr = 0;

	for (i = 0; i < HANDLERS; i++)
		handlers[i] = insns[test_random() % NR_INSNS].pc;
	for (step = 0; step < NR_STEPS; step++) {
		bool moves = in->kind == JUMP || in->kind == INDIRECT ||
			     (in->kind == BRANCH && test_random() & 1);
		uint64_t next = in->pc + in->size;

		if (nr && step % PERIOD == 0)
			check_path(stitch, path,
				   test_random() % 6 == 0 ? UINT64_C(1) << 63 :
				   in_vdso		  ? VDSO + 4 * (2 - in_vdso) :
							    in->pc,
				   nr, step);
		trace[step] = in_vdso ? VDSO : in->pc;
		if (in_vdso) {
			if (!--in_vdso)
				in = interrupted[--nested];
			continue;
		}
		if (nested < NESTED && test_random() % 20 == 0) {
			interrupted[nested++] = in;
			next = handlers[test_random() % HANDLERS];
			stitch_signal(stitch, places ? in->pc : 0, next);
			in = at(next);
			step--; /* it did not execute */
			continue;
		}
		if (moves) {
			if (in->kind != INDIRECT)
				next = in->target;
			else if (nested && test_random() & 1)
				next = VDSO;
			else
				next = insns[test_random() % NR_INSNS].pc;
			transfers[nr++] = (struct path_transfer){ in->pc, next, in->type };
			first_step[nr] = step + 1;
		}
		if (next == VDSO)
			in_vdso = 2;
		else
			in = at(next);
	}
	path_free(path);
	path_stitch_free(stitch);
}

TEST(where_signals_come_nothing_is_shown_that_did_not_run)
{
	size_t step, shown = 0;
	int i;

	memory.why = IMG_VDSO;
	for (i = 0; i < 40; i++) {
		generate();
		interrupt(i % 2);
		for (step = 0; step < NR_STEPS; step++)
			shown += is_shown[step];
	}
	memory.why = IMG_UNMAPPED;
	CHECK(shown > 40 * NR_STEPS / 2);
}
