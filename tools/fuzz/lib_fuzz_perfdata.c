// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a recording: it is read to an end, and that is the end. */
#include <linux/perf_event.h>

#include "fuzz.h"
#include "perfdata/space.h"

static void look_at(struct pd_space *space, const struct pd_event *ev)
{
	uint64_t sum = ev->sample.ip, i;

	for (i = 0; i < ev->sample.nr_branches; i++) {
		struct pd_branch br = pd_branch_at(&ev->sample, i);

		sum += br.from ^ br.to;
		demand(pd_branch_type(br.flags) < PD_BR_NR, "a type has a name");
	}
	for (i = 0; i < ev->sample.raw_size; i++)
		sum += ev->sample.raw[i];
	if (pd_space_find(space, ev->pid, ev->sample.ip))
		sum++;
	/* Something has to use what was looked at. */
	__asm__ volatile("" : : "r"(sum));
}

static void read_events(struct pd *pd)
{
	struct pd_space *space = pd_space_new(pd);
	struct pd_event ev;
	int more = 0;

	demand(space, "there is memory");
	while ((more = pd_next(pd, &ev)) > 0) {
		demand(!pd_space_event(space, &ev), "there is memory");
		if (ev.type == PERF_RECORD_SAMPLE)
			look_at(space, &ev);
	}
	demand(pd_next(pd, &ev) == more, "an end stays the end");
	demand(!more || pd_error(pd)[0], "an error has a text");
	pd_space_free(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pd *pd;
	int ret = pd_open_memory(&pd, data, size);

	demand(ret != PD_ENOMEM, "a size from the file asks for no memory");
	if (ret)
		demand(pd_error(pd)[0], "an error has a text");
	else
		read_events(pd);
	pd_close(pd);
	return 0;
}
