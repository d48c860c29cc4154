// SPDX-License-Identifier: GPL-2.0-only
/*
 * A compiler's profile of counts that did not come from branch records, by the
 * writers of `ssctr profile`, so that what differs is the counts alone:
 *
 *	exact_profile BINARY llvm|gcov2|gcov3 COUNTS
 *
 * COUNTS has lines START-LAST:N, addresses of the first and last instruction in
 * hexadecimal, as the plug-in `counts` writes them. Lines of other forms are left
 * out. A line that begins where a function does is an entry of it. Targets of
 * indirect calls are not known. Writes to stdout.
 */
#include "profile/gcov.h"
#include "profile/llvm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As prof_derive() makes them: offsets from the first segment, and its "outside". */
#define OUTSIDE UINT32_MAX

static struct prof_code code;
static struct prof prof;
static size_t cap_ranges, cap_steps;

static void fail(const char *name, const char *why)
{
	fprintf(stderr, "exact_profile: %s: %s\n", name, why);
	exit(2);
}

static void *grow(void *v, size_t nr, size_t *cap, size_t size)
{
	if (nr < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 1024;
	v = realloc(v, *cap * size);
	if (!v)
		fail("COUNTS", "out of memory");
	return v;
}

static void add_range(uint64_t start, uint64_t last, uint64_t count)
{
	prof.ranges = grow(prof.ranges, prof.nr_ranges, &cap_ranges,
			   sizeof(*prof.ranges));
	prof.ranges[prof.nr_ranges++] =
		(struct prof_range){ start, last, count };
}

static void add_entry(uint64_t addr, uint64_t count)
{
	prof.steps = grow(prof.steps, prof.nr_steps, &cap_steps,
			  sizeof(*prof.steps));
	prof.steps[prof.nr_steps++] = (struct count_step){
		.from = OUTSIDE,
		.to = addr - prof.base,
		.line = COUNT_NO_LINE,
		.count = count,
	};
	prof.nr_branches++;
}

static bool is_entry(uint64_t addr)
{
	const struct img_symbol *symbol = prof_code_symbol(&code, addr);

	return symbol && symbol->start == addr;
}

static void read_counts(const char *name)
{
	FILE *file = fopen(name, "r");
	uint64_t start, last, count;
	char line[256];

	if (!file)
		fail(name, "cannot be read");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 ":%" SCNu64, &start,
			   &last, &count) != 3)
			continue;
		/* Outside is what the kernel maps by itself. */
		if (!prof_code_insn_size(&code, start) ||
		    prof_code_line(&code, start, last) != PATH_OK)
			continue;
		add_range(start, last, count);
		if (is_entry(start))
			add_entry(start, count);
	}
	fclose(file);
	if (!prof.nr_ranges)
		fail(name, "no range");
}

static int write_profile(const char *format, struct prof_samples *samples)
{
	if (!strcmp(format, "llvm"))
		return prof_write_llvm(samples, stdout);
	if (!strcmp(format, "gcov2"))
		return prof_write_gcov(samples, PROF_GCOV_2, stdout);
	return prof_write_gcov(samples, PROF_GCOV_3, stdout);
}

int main(int argc, char **argv)
{
	static const struct samples_opts nowhere;
	struct prof_samples samples;
	struct prof_lines lines;
	const char *why;

	if (argc != 4) {
		fputs("usage: exact_profile BINARY llvm|gcov2|gcov3 COUNTS\n",
		      stderr);
		return 2;
	}
	why = prof_code_open(&code, argv[1], &nowhere);
	if (why)
		fail(argv[1], why);
	prof = (struct prof){ .code = &code, .base = code.segments.v[0].addr };
	read_counts(argv[3]);
	if (prof_lines_open(&lines, &prof) != PROF_LINES_OK)
		fail(argv[1], "no debug information");
	if (prof_samples_make(&samples, &prof, &lines,
			      !strcmp(argv[2], "llvm")	? PROF_LLVM :
			      !strcmp(argv[2], "gcov2") ? PROF_GCC_15 :
							  PROF_GCC_16) ||
	    write_profile(argv[2], &samples))
		fail(argv[1], "out of memory");
	prof_samples_free(&samples);
	prof_lines_close(&lines);
	free(prof.ranges);
	free(prof.steps);
	prof_code_close(&code);
	return fflush(stdout) || ferror(stdout);
}
