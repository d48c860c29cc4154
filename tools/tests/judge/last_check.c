// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is what ssctr last recorded what was executed last? Holds the points of a recording
 * against the log of all that the machine executed.
 *
 *   last_check LOG WINDOWS RECORDING
 *
 * The first point must be of a thread that the plug-in `transfers` logged under WINDOWS. The
 * thread's last instruction that was executed, or tried, must be where the point is, and the
 * transfers before it those of the branch stack, each and in their order.
 */
#include <inttypes.h>

#include "executed.h"
#include "last/words.h"

/* The last instruction by the recording. */
static uint64_t stop_of(const struct pd_event *ev, const struct last_point *point)
{
	return last_is_after_ecall(point) ? ev->sample.ip - 4 : ev->sample.ip;
}

/* How many of the newest transfers are those of the log. */
static uint64_t count_same(const struct stream *s, const struct pd_sample *sample)
{
	size_t at = s->nr - 1;
	uint64_t i = 0;

	while (i < sample->nr_branches && at--) {
		const struct pd_branch br = pd_branch_at(sample, i);

		if (s->steps[at].kind != STEP_TRANSFER)
			continue;
		if (s->steps[at].from != br.from || s->steps[at].to != br.to)
			break;
		i++;
	}
	return i;
}

static uint64_t nr_transfers(const struct stream *s)
{
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < s->nr; i++)
		nr += s->steps[i].kind == STEP_TRANSFER;
	return nr;
}

/* Does one of the threads end like that? */
static bool is_executed(const struct pd_event *ev, const struct last_point *point)
{
	const uint64_t stop = stop_of(ev, point);
	unsigned int i;

	for (i = 0; i < nr_streams; i++) {
		const struct stream *s = &streams[i];
		const struct step *last = s->nr ? &s->steps[s->nr - 1] : NULL;
		uint64_t same;

		if (!last || last->kind == STEP_TRANSFER)
			continue;
		same = last->from == stop ? count_same(s, &ev->sample) : 0;
		printf("# thread %u ended at 0x%" PRIx64 "; 0x%" PRIx64 " and %" PRIu64
		       " of %" PRIu64 " transfers are the log's\n",
		       i, last->from, stop, same, ev->sample.nr_branches);
		/* A child may be logged from somewhere on. */
		if (same && (same == ev->sample.nr_branches || same == nr_transfers(s)))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct last_point point;
	struct pd_event ev;
	struct log log;
	struct pd *pd;
	bool found = false;

	if (argc != 4) {
		fputs("last_check LOG WINDOWS RECORDING\n", stderr);
		return 2;
	}
	log = open_log(argv[1]);
	if (!read_executed(&log, argv[2]) || pd_open(&pd, argv[3]))
		return 2;
	while (!found && pd_next(pd, &ev) > 0)
		found = last_read(&point, &ev);
	found = found && is_executed(&ev, &point);
	pd_close(pd);
	return !found;
}
