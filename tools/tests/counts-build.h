/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings of random walks through the small program of cmd-sample.h, a library with the
 * same code, memory without a file and the kernel, and the counts files of recordings.
 */
#ifndef TESTS_COUNTS_BUILD_H
#define TESTS_COUNTS_BUILD_H

#include "cmd-sample.h"
#include "tally/tally.h"

enum { WALK_DEPTH = 40, LIB_AT = 0x900000, ANON_AT = 0x7000000 };

/* The small program, with a jump back in place of the ecall: main is a loop. */
static const uint16_t walk_code[] = {
	0x0505, 0x0463, 0x00b5, 0x00ef, 0x00c0,
	0x1be3, 0xfeb5, /* 0a: bne a0, a1, 0x00 */
	0x8082, 0x0001, 0x2583, 0x0005, 0x8082, 0x0067, 0x0005,
};

/* Where control can be at the start of a line, and how the line can end. */
static const struct {
	uint16_t start, end;
	int to; /* -1: any start */
} walk_lines[] = {
	{ 0x00, 0x02, 0x0a }, { 0x00, 0x06, 0x12 }, { 0x0a, 0x0a, 0x00 }, { 0x0a, 0x0e, -1 },
	{ 0x12, 0x16, -1 },   { 0x10, 0x16, -1 },   { 0x18, 0x18, -1 },
};

/* No code in memory without a file, of which a counts file has no addresses. */
static bool walk_in_files;

/* The recording does not tell the mapping of this memory, as if the record of it was lost. */
static bool walk_unmapped;

/* The start of a line, now and then of another file, or of none. */
static inline uint64_t walk_anywhere(void)
{
	static const uint64_t bases[] = { MAP_AT, MAP_AT, MAP_AT, LIB_AT, LIB_AT, KERNEL_AT,
					  ANON_AT };

	return bases[test_random() % (walk_in_files ? 6 : 7)] +
	       walk_lines[test_random() % (sizeof(walk_lines) / sizeof(*walk_lines))].start;
}

/* Go on from a start. Returns the next start, and the source of the transfer to it. */
static inline uint64_t walk_on(uint64_t at, uint64_t *from)
{
	const uint64_t base = at & ~UINT64_C(0xff), start = at & 0xff;
	size_t i;

	do {
		i = test_random() % (sizeof(walk_lines) / sizeof(*walk_lines));
	} while (walk_lines[i].start != start);
	*from = base + walk_lines[i].end;
	return walk_lines[i].to < 0 ? walk_anywhere() : base + walk_lines[i].to;
}

static inline void add_walk(uint64_t time)
{
	uint64_t stack[WALK_DEPTH][3] = { 0 }, at = walk_anywhere();
	const unsigned int nr = test_random() % (WALK_DEPTH + 1);
	unsigned int i;

	for (i = nr; i--;) {
		at = walk_on(at, &stack[i][0]);
		stack[i][1] = at;
		stack[i][2] = test_random() % 8 == 0;
	}
	add_sample(5, time, at, nr, (const uint64_t (*)[3])stack);
}

/* A recording of so many samples, with x, its code, and lib beside it in the folder. */
static inline void write_walk(const char *name, unsigned int nr)
{
	const char *dir = test_tmpdir();

	elf.code = walk_code;
	elf.code_size = sizeof(walk_code);
	pdb_mmap2(&rec, 5, LIB_AT, 0x1000, ELFB_CODE, "/lib", 1);
	if (!walk_unmapped)
		pdb_mmap2(&rec, 5, ANON_AT, 0x1000, ANON_AT, "//anon", 1);
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x100000, KERNEL_AT,
		 "[kernel.kallsyms]_text", 1);
	while (nr--)
		add_walk(2 + nr);
	write_files();
	CHECK_EQ(run("cd %s && cp x lib && mv perf.data %s", dir, name), 0);
}

/* The counts file of recordings in the test's folder, which is one source. */
static inline void write_counts_of(const char *const *names, unsigned int nr, const char *out)
{
	const char *dir = test_tmpdir();
	struct samples_opts opts = SAMPLES_OPTS_INIT;
	struct cf_source source;
	struct tally *tally;
	struct samples s;
	struct error error;
	char path[256];
	int ret;

	opts.symfs = dir;
	CHECK_EQ(tally_new(&tally, &opts, &error), 0);
	for (ret = 0; !ret && nr--; names++) {
		snprintf(path, sizeof(path), "%s/%s", dir, *names);
		ret = samples_open(&s, path, &opts, &error) ?: tally_add(tally, &s, &error) ?:
		      tally_source_of_file(path, &source, &error);
		samples_close(&s);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, out);
	if (ret || tally_write(tally, path, &source, 5, 6, 0, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	tally_free(tally);
}

static inline void write_counts(const char *name, const char *out)
{
	write_counts_of(&name, 1, out);
}

#endif
