// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr csv, with traces that are made at random: from CSV to STF and back they are
 * what they were, and in between they have no fault but what the CSV does not tell.
 * CSV_TRACES says how many, 1,000 take a minute.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd-run.h"
#include "test.h"

static uint64_t pick(uint64_t n)
{
	return test_random() % n;
}

/* --- jumps and branches by their offset, even and in the range of each --- */

static uint32_t bits(uint32_t v, unsigned int from, unsigned int nr,
		     unsigned int to)
{
	return (v >> from & ((1u << nr) - 1)) << to;
}

static uint32_t beq(uint32_t o)
{
	return 0x63 | bits(o, 12, 1, 31) | bits(o, 5, 6, 25) |
	       bits(o, 1, 4, 8) | bits(o, 11, 1, 7);
}

static uint32_t jal(uint32_t o)
{
	return 0xef | bits(o, 20, 1, 31) | bits(o, 1, 10, 21) |
	       bits(o, 11, 1, 20) | bits(o, 12, 8, 12);
}

static uint32_t c_beqz(uint32_t o)
{
	return 0xc001 | bits(o, 8, 1, 12) | bits(o, 3, 2, 10) |
	       bits(o, 6, 2, 5) | bits(o, 1, 2, 3) | bits(o, 5, 1, 2);
}

/* link: c.jal, which RV32 alone has */
static uint32_t c_j(uint32_t o, bool link)
{
	return (link ? 0x2001 : 0xa001) | bits(o, 11, 1, 12) |
	       bits(o, 4, 1, 11) | bits(o, 8, 2, 9) | bits(o, 10, 1, 8) |
	       bits(o, 6, 1, 7) | bits(o, 7, 1, 6) | bits(o, 1, 3, 3) |
	       bits(o, 5, 1, 2);
}

static int32_t even(unsigned int range)
{
	return ((int32_t)pick(range) - (int32_t)range / 2) & ~1;
}

/* --- a walk through code, modes and traps, with gaps, as a hart makes it --- */

struct walk {
	FILE *file;
	uint64_t mask; /* of addresses */
	bool rv32;
	uint64_t pc;
	unsigned int mode;
};

struct row {
	uint32_t insn;
	bool exception, interrupt;
	uint64_t cause, tval;
	uint64_t next;
	unsigned int next_mode;
};

static uint64_t anywhere(const struct walk *w)
{
	return test_random() & w->mask & ~UINT64_C(1);
}

static unsigned int any_mode(void)
{
	static const uint8_t modes[] = { 0, 1, 3 };

	return modes[pick(3)];
}

/* Integer code of both lengths, loads, stores, CSRs, atomics. */
static uint32_t plain_insn(void)
{
	static const uint32_t insns[] = {
		0x1,	    /* c.nop */
		0x4501,	    /* c.li */
		0x13,	    /* nop */
		0x2503,	    /* lw */
		0xa023,	    /* sw */
		0x410c,	    /* c.lw */
		0x30001073, /* csrw mstatus */
		0xc0002573, /* rdcycle */
		0x00c525af, /* amoadd.w */
		0x100525af, /* lr.w */
	};

	return insns[pick(sizeof(insns) / sizeof(*insns))];
}

static void branch(struct walk *w, struct row *row)
{
	const bool taken = pick(2), compressed = pick(2);
	const int32_t offset = even(compressed ? 0x200 : 0x2000);

	row->insn = compressed ? c_beqz(offset) : beq(offset);
	row->next = w->pc + (taken ? offset : compressed ? 2 : 4);
}

static void jump(struct walk *w, struct row *row)
{
	const bool compressed = pick(2);
	const int32_t offset = even(compressed ? 0x1000 : 0x200000);

	row->insn = compressed ? c_j(offset, w->rv32 && pick(2)) : jal(offset);
	row->next = w->pc + offset;
}

static void indirect(struct walk *w, struct row *row)
{
	static const uint32_t insns[] = { 0x8082 /* ret */, 0x9782 /* c.jalr */,
					  0x8782 /* c.jr */,
					  0x000780e7 /* jalr */ };

	row->insn = insns[pick(4)];
	row->next = anywhere(w);
}

static void trap(struct walk *w, struct row *row)
{
	row->exception = true;
	row->next = anywhere(w);
	row->next_mode = any_mode();
	switch (pick(4)) {
	case 0:
		row->insn = 0x73;
		row->cause = 8 + w->mode;
		break;
	case 1:
		row->insn = pick(2) ? 0x9002 : 0x100073;
		row->cause = 3;
		row->tval = pick(2) ? w->pc : 0;
		break;
	case 2: /* a fault, of a jump, too */
		if (!pick(3))
			jump(w, row);
		row->next = anywhere(w);
		row->cause = pick(24);
		row->tval = pick(2) ? anywhere(w) : row->insn;
		break;
	default:
		row->interrupt = true;
		row->cause = pick(40) | (w->rv32 ? UINT64_C(1) << 31 :
						   UINT64_C(1) << 63);
	}
}

static struct row next_row(struct walk *w)
{
	struct row row = { .insn = plain_insn(), .next_mode = w->mode };

	row.next = w->pc + ((row.insn & 3) == 3 ? 4 : 2);
	switch (pick(12)) {
	case 0:
		branch(w, &row);
		break;
	case 1:
		jump(w, &row);
		break;
	case 2:
		indirect(w, &row);
		break;
	case 3:
	case 4:
		trap(w, &row);
		break;
	case 5:
		row.insn = pick(2) ? 0x10200073 : 0x30200073;
		row.next = anywhere(w);
		row.next_mode = any_mode();
		break;
	case 6: /* something is missing, behind a jump, too */
		if (pick(4))
			break;
		if (pick(2))
			jump(w, &row);
		row.next = anywhere(w);
		row.next_mode = any_mode();
		break;
	}
	return row;
}

static void generate(struct walk *w, unsigned int nr)
{
	fputs("VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n",
	      w->file);
	w->mask = w->rv32 ? UINT32_MAX : UINT64_MAX;
	w->pc = anywhere(w);
	w->mode = any_mode();
	while (nr--) {
		struct row row = next_row(w);

		/* Where a jump in the last row leads is not told. */
		if (!nr)
			row = (struct row){ .insn = 0x13 };
		fprintf(w->file,
			"1,%" PRIx64 ",%x,%x,%x,%" PRIx64 ",%" PRIx64 ",%x\n",
			w->pc, row.insn, w->mode, row.exception, row.cause,
			row.tval, row.interrupt);
		w->pc = row.next & w->mask;
		w->mode = row.next_mode;
	}
}

TEST(generated_traces_come_back_as_they_were)
{
	const char *text = getenv("CSV_TRACES");
	unsigned int i, traces = text ? strtoul(text, NULL, 10) : 100;
	const char *d = test_tmpdir();
	char path[160];

	snprintf(path, sizeof(path), "%s/a.csv", d);
	for (i = 0; i < traces; i++) {
		struct walk walk = { .rv32 = i & 1 };
		const char *stf = i & 2 ? "t.zstf" : "t.stf";

		walk.file = fopen(path, "w");
		CHECK(walk.file);
		generate(&walk, 1 + pick(i % 10 ? 300 : 5000));
		CHECK(!fclose(walk.file));
		if (run("cd %s && ssctr csv %s a.csv -o %s && ssctr csv %s -o b.csv && cmp a.csv b.csv && ssctr check -x MEM_MISSING -x EVENT_FIELDS -x EVENT_ID %s",
			d, walk.rv32 ? "--rv32" : "", stf, stf, stf))
			test_fail(__FILE__, __LINE__, "trace %u: %s%s", i,
				  run_out, run_err);
	}
}
