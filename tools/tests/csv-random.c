// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr csv, with traces and data traces that are made at random: from CSV to STF
 * and back they are what they were, and in between they have no fault but what the CSV does not tell.
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
	FILE *data; /* NULL: none */
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

/*
 * Integer code of both lengths, and what has a row in the data trace: its type, the
 * bytes of a value, 0 for those of a register, and the CSR's number.
 */
struct plain {
	uint32_t insn;
	int type; /* -1: none */
	unsigned int bytes;
	unsigned int csr;
	bool only_read;
};

static const struct plain plains[] = {
	{ 0x1, -1, 0, 0, false },	    /* c.nop */
	{ 0x4501, -1, 0, 0, false },	    /* c.li a0, 0 */
	{ 0x13, -1, 0, 0, false },	    /* nop */
	{ 0x100525af, -1, 0, 0, false },    /* lr.w a1, (a0) */
	{ 0x18c525af, -1, 0, 0, false },    /* sc.w a1, a2, (a0) */
	{ 0x00050583, 0, 1, 0, false },	    /* lb a1, 0(a0) */
	{ 0x00055583, 0, 2, 0, false },	    /* lhu a1, 0(a0) */
	{ 0x00052583, 0, 4, 0, false },	    /* lw a1, 0(a0) */
	{ 0x00053587, 0, 8, 0, false },	    /* fld fa1, 0(a0) */
	{ 0x00b50023, 1, 1, 0, false },	    /* sb a1, 0(a0) */
	{ 0x00b53027, 1, 8, 0, false },	    /* fsd fa1, 0(a0) */
	{ 0x410c, 0, 4, 0, false },	    /* c.lw a1, 0(a0) */
	{ 0x610c, 0, 0, 0, false },	    /* c.ld, c.flw of RV32 */
	{ 0xe42e, 1, 0, 0, false },	    /* c.sdsp, c.fswsp of RV32 */
	{ 0x30051073, 4, 0, 0x300, false }, /* csrw mstatus, a0 */
	{ 0xc0002573, 5, 0, 0xc00, true },  /* rdcycle a0 */
	{ 0x1002f073, 6, 0, 0x100, false }, /* csrci sstatus, 5 */
	{ 0x08c525af, 8, 4, 0, false },	    /* amoswap.w a1, a2, (a0) */
	{ 0x00c535af, 9, 8, 0, false },	    /* amoadd.d a1, a2, (a0) */
	{ 0x60c525af, 10, 4, 0, false },    /* amoand.w a1, a2, (a0) */
	{ 0x40c525af, 11, 4, 0, false },    /* amoor.w a1, a2, (a0) */
	{ 0x20c525af, 12, 4, 0, false },    /* amoxor.w a1, a2, (a0) */
	{ 0xe0c525af, 13, 4, 0, false },    /* amomaxu.w a1, a2, (a0) */
	{ 0x80c535af, 14, 8, 0, false },    /* amomin.d a1, a2, (a0) */
};

#define NR_PLAINS (sizeof(plains) / sizeof(*plains))

static const struct plain *find_plain(uint32_t insn)
{
	unsigned int i;

	for (i = 0; i < NR_PLAINS; i++)
		if (plains[i].insn == insn)
			return &plains[i];
	return NULL;
}

/* Bytes as Spike prints them, the highest first, without leading zeros. */
static void put_bytes(FILE *f, const uint8_t *bytes, unsigned int nr)
{
	while (nr > 1 && !bytes[nr - 1])
		nr--;
	fprintf(f, "%x", bytes[--nr]);
	while (nr--)
		fprintf(f, "%02x", bytes[nr]);
	fputc('\n', f);
}

static void access_data(const struct walk *w, const struct plain *plain)
{
	const bool pair = plain->type >= 4;
	unsigned int bytes = plain->bytes ? plain->bytes : w->rv32 ? 4 : 8, i;
	uint8_t value[16];

	for (i = 0; i < sizeof(value); i++)
		value[i] = pick(3) ? test_random() : 0;
	if (plain->only_read)
		memset(value + bytes, 0, bytes);
	bytes <<= pair;
	fprintf(w->data, "1,%d,%" PRIx64 ",%d,", plain->type,
		plain->csr ? plain->csr : test_random() & w->mask,
		__builtin_ctz(bytes));
	put_bytes(w->data, value, bytes);
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
	struct row row = { .insn = plains[pick(NR_PLAINS)].insn,
			   .next_mode = w->mode };

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
	if (w->data)
		fputs("DRETIRE,DTYPE,DADDR,DSIZE,DATA\n", w->data);
	w->mask = w->rv32 ? UINT32_MAX : UINT64_MAX;
	w->pc = anywhere(w);
	w->mode = any_mode();
	while (nr--) {
		struct row row = next_row(w);
		const struct plain *plain;

		/* Where a jump in the last row leads is not told. */
		if (!nr)
			row = (struct row){ .insn = 0x13 };
		fprintf(w->file,
			"1,%" PRIx64 ",%x,%x,%x,%" PRIx64 ",%" PRIx64 ",%x\n",
			w->pc, row.insn, w->mode, row.exception, row.cause,
			row.tval, row.interrupt);
		plain = find_plain(row.insn);
		if (w->data && !row.exception && plain && plain->type >= 0)
			access_data(w, plain);
		w->pc = row.next & w->mask;
		w->mode = row.next_mode;
	}
}

static FILE *open_file(const char *name)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	f = fopen(path, "w");
	CHECK(f);
	return f;
}

static unsigned int nr_traces(void)
{
	const char *text = getenv("CSV_TRACES");

	return text ? strtoul(text, NULL, 10) : 30;
}

/* Trace i, of a length, a width and a container of its own. */
static void make_trace(unsigned int i, bool with_data)
{
	struct walk walk = { .rv32 = i & 1, .file = open_file("a.csv") };

	if (with_data)
		walk.data = open_file("a.data");
	generate(&walk, 1 + pick(i % 10 ? 300 : 5000));
	CHECK(!fclose(walk.file));
	CHECK(!with_data || !fclose(walk.data));
}

static const char *option(unsigned int i)
{
	return i & 1 ? "--rv32" : "";
}

static const char *container(unsigned int i)
{
	return i & 2 ? "t.zstf" : "t.stf";
}

TEST(generated_traces_come_back_as_they_were)
{
	unsigned int i;

	for (i = 0; i < nr_traces(); i++) {
		const char *stf = container(i);

		make_trace(i, false);
		if (run("cd %s && ssctr csv %s a.csv -o %s && ssctr csv %s -o b.csv && cmp a.csv b.csv && ssctr check -x MEM_MISSING -x EVENT_FIELDS -x EVENT_ID -x TARGET_SKIPPED %s",
			test_tmpdir(), option(i), stf, stf, stf))
			test_fail(__FILE__, __LINE__, "trace %u: %s%s", i,
				  run_out, run_err);
	}
}

TEST(generated_data_traces_come_back_as_they_were)
{
	unsigned int i;

	for (i = 0; i < nr_traces(); i++) {
		const char *stf = container(i);

		make_trace(i, true);
		if (run("cd %s && ssctr csv %s a.csv -d a.data -o %s && ssctr csv %s -d b.data -o b.csv && cmp a.csv b.csv && cmp a.data b.data",
			test_tmpdir(), option(i), stf, stf))
			test_fail(__FILE__, __LINE__, "trace %u: %s%s", i,
				  run_out, run_err);
		/* lr is the one load that has no row. */
		if (run("cd %s && ssctr check -x EVENT_FIELDS -x EVENT_ID -x TARGET_SKIPPED %s",
			test_tmpdir(), stf) &&
		    (strchr(run_out, '\n') != strrchr(run_out, '\n') ||
		     strncmp(run_out, "MEM_MISSING", 11)))
			test_fail(__FILE__, __LINE__, "trace %u: %s", i,
				  run_out);
	}
}
