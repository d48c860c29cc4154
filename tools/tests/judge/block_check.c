// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of what a program executed its sampled counts tell, from llvm-profgen's
 * unsymbolized profile and what the plug-in `counts` counted:
 *
 *	block_check BINARY EXACT SAMPLED LEAST
 *
 * The overlap of two profiles is the sum, over all blocks, of the smaller of the
 * two shares that a block has in each. Prints that of blocks and that of their
 * instructions in percent; exit status 1: one is below LEAST.
 */
#include "profile/binary.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT, SAMPLED, NR };

/* For each two bytes of code: */
struct cell {
	int64_t change[NR];	/* of the count, from here on */
	bool start;		/* an exact block starts, or has ended before */
};

static struct prof_code code;
static struct cell *cells;
static size_t nr_cells;
static uint64_t base;

static void fail(const char *name, const char *why)
{
	fprintf(stderr, "block_check: %s: %s\n", name, why);
	exit(2);
}

static size_t cell_at(uint64_t addr)
{
	return (addr - base) / 2;
}

static void add_range(const char *name, int which, uint64_t start, uint64_t last,
		      uint64_t count)
{
	uint64_t end = last + prof_code_insn_size(&code, last);

	/* Outside is what the kernel maps by itself. */
	if (start < base || cell_at(end) >= nr_cells || end == last)
		return;
	if (start > last)
		fail(name, "a range ends before it starts");
	cells[cell_at(start)].change[which] += count;
	cells[cell_at(end)].change[which] -= count;
	if (which == EXACT)
		cells[cell_at(start)].start = cells[cell_at(end)].start = true;
}

/* Lines START-LAST:COUNT, addresses from @from on. Lines of other forms are not it. */
static void read_ranges(const char *name, int which, uint64_t from)
{
	FILE *file = fopen(name, "r");
	uint64_t start, last, count;
	size_t nr = 0;
	char line[256];

	if (!file)
		fail(name, "cannot be read");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 ":%" SCNu64, &start,
			   &last, &count) != 3 || strchr(line, '>'))
			continue;
		add_range(name, which, start + from, last + from, count);
		nr++;
	}
	fclose(file);
	if (!nr)
		fail(name, "no range");
}

/* The overlap in percent; of blocks, or of instructions. */
static double overlap(bool of_blocks)
{
	double sum[NR] = {}, both = 0;
	int64_t count[NR];

	for (int pass = 0; pass < 2; pass++) {
		size_t next = 0;

		memset(count, 0, sizeof(count));
		for (size_t i = 0; i < nr_cells; i++) {
			double share[NR];

			for (int k = 0; k < NR; k++)
				count[k] += cells[i].change[k];
			if (i < next || (!count[EXACT] && !count[SAMPLED]))
				continue;
			next = i + prof_code_insn_size(&code, base + 2 * i) / 2;
			if (of_blocks && !cells[i].start)
				continue;
			for (int k = 0; k < NR; k++) {
				if (!pass)
					sum[k] += count[k];
				else
					share[k] = count[k] / sum[k];
			}
			if (pass)
				both += share[EXACT] < share[SAMPLED] ?
						share[EXACT] : share[SAMPLED];
		}
		if (!sum[EXACT] || !sum[SAMPLED])
			return 0;
	}
	return 100 * both;
}

int main(int argc, char **argv)
{
	static const struct samples_opts nowhere;
	const struct img_segment *last;
	double blocks, insns, least;
	const char *why;

	if (argc != 5) {
		fputs("usage: block_check BINARY EXACT SAMPLED LEAST\n", stderr);
		return 2;
	}
	why = prof_code_open(&code, argv[1], &nowhere);
	if (why)
		fail(argv[1], why);
	base = code.segments.v[0].addr;
	last = &code.segments.v[code.segments.nr - 1];
	nr_cells = cell_at(last->addr + last->size) + 1;
	cells = calloc(nr_cells, sizeof(*cells));
	if (!cells)
		fail(argv[1], "out of memory");
	read_ranges(argv[2], EXACT, 0);
	read_ranges(argv[3], SAMPLED, code.text_base);
	blocks = overlap(true);
	insns = overlap(false);
	least = atof(argv[4]);
	printf("overlap of blocks %.1f %%, of instructions %.1f %%\n", blocks, insns);
	free(cells);
	prof_code_close(&code);
	return blocks < least || insns < least;
}
