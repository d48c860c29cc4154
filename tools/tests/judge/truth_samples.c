// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of a recording of perf as truth_check reads them, in the order of time:
 *
 *	truth_samples perf.data WINDOW DEPTH SAMPLES
 *
 * WINDOW is a character, whose code is the window's number in the log of transfers. The
 * hart's buffer has DEPTH entries. The recording is of one event.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/perfdata.h"
#include "truth.h"

#define BOTH (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)

/* What the event was shown: perf leaves it to the kernel to say whose branches. */
static uint64_t branches_of(const struct pd_attr *attr)
{
	uint64_t branches = attr->branch_sample_type;

	if (branches & BOTH)
		return branches;
	return branches | (attr->exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) |
	       (attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL);
}

static void write_or_die(const void *data, size_t size, FILE *file)
{
	if (fwrite(data, size, 1, file) == 1)
		return;
	perror("truth_samples");
	exit(1);
}

static void write_sample(const struct pd_sample *sample, FILE *file)
{
	struct truth_sample fixed = { .ip = sample->ip, .nr = sample->nr_branches };

	write_or_die(&fixed, sizeof(fixed), file);
	for (uint64_t i = 0; i < sample->nr_branches; i++) {
		struct pd_branch branch = pd_branch_at(sample, i);

		/* The three words are those of struct perf_branch_entry. */
		write_or_die(&branch, sizeof(struct perf_branch_entry), file);
	}
}

int main(int argc, char **argv)
{
	struct truth_header header = { .magic = TRUTH_MAGIC };
	struct pd_event ev;
	struct pd *pd;
	FILE *file;
	int ret;

	if (argc != 5) {
		fputs("usage: truth_samples perf.data WINDOW DEPTH SAMPLES\n", stderr);
		return 2;
	}
	header.window = argv[2][0];
	header.depth = strtoul(argv[3], NULL, 0);
	file = fopen(argv[4], "wb");
	if (!file) {
		perror(argv[4]);
		return 1;
	}
	write_or_die(&header, sizeof(header), file);
	ret = pd_open(&pd, argv[1]);
	while (!ret && (ret = pd_next(pd, &ev)) > 0) {
		ret = 0;
		if (ev.type != PERF_RECORD_SAMPLE)
			continue;
		header.branch_sample_type = branches_of(ev.attr);
		header.nr++;
		write_sample(&ev.sample, file);
	}
	if (ret)
		fprintf(stderr, "%s: %s\n", argv[1], pd_error(pd));
	pd_close(pd);
	rewind(file);
	write_or_die(&header, sizeof(header), file);
	return fclose(file) || ret ? 1 : 0;
}
