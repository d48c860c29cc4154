// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of a recording as this project reads them, one a line, to be held
 * against what perf itself reads:
 *
 *	perfdata_dump perf.data
 *	perf script -i perf.data --ns -F pid,tid,time,ip,brstack
 *
 * PID/TID SECONDS.NANOSECONDS: IP and, of each branch, 0xFROM/0xTO/TYPE. Blanks and
 * what else perf has behind an entry's second slash are for the caller to cut off.
 */
#include "perfdata/perfdata.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct pd_event ev;
	struct pd *pd;
	uint64_t i;
	int ret;

	if (argc != 2) {
		fputs("usage: perfdata_dump perf.data\n", stderr);
		return 2;
	}
	ret = pd_open(&pd, argv[1]);
	while (!ret && (ret = pd_next(pd, &ev)) > 0) {
		ret = 0;
		if (ev.type != PERF_RECORD_SAMPLE)
			continue;
		printf("%" PRId32 "/%" PRId32 " %" PRIu64 ".%09" PRIu64
		       ": %" PRIx64,
		       (int32_t)ev.pid, (int32_t)ev.tid, ev.time / 1000000000,
		       ev.time % 1000000000, ev.sample.ip);
		for (i = 0; i < ev.sample.nr_branches; i++) {
			struct pd_branch br = pd_branch_at(&ev.sample, i);

			printf(" 0x%" PRIx64 "/0x%" PRIx64 "/%s", br.from, br.to,
			       pd_branch_type_name(pd_branch_type(br.flags)));
		}
		putchar('\n');
	}
	if (ret)
		fprintf(stderr, "%s: %s\n", argv[1], pd_error(pd));
	else
		fprintf(stderr,
			"%" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64
			" late, %" PRIu64 " other records\n",
			pd_stats(pd)->samples, pd_stats(pd)->lost,
			pd_stats(pd)->late, pd_stats(pd)->others);
	pd_close(pd);
	return ret ? 1 : 0;
}
