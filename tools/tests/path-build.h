/* SPDX-License-Identifier: GPL-2.0-only */
/* Code at an address, for the tests of paths. */
#ifndef TESTS_PATH_BUILD_H
#define TESTS_PATH_BUILD_H

#include "path/stitch.h"
#include "test.h"

#include <linux/perf_event.h>

/* Some regions of memory with code; elsewhere there is none, for reason why. */
struct region {
	uint64_t start, size;
	const void *code;
};

struct memory {
	struct region regions[4];
	unsigned int nr;
	enum img_state why;
	bool rv32;
};

static inline enum img_state memory_code(void *arg, uint32_t pid, uint64_t addr,
					 struct path_window *window)
{
	const struct memory *m = arg;
	unsigned int i;

	(void)pid;
	for (i = 0; i < m->nr; i++) {
		const struct region *r = &m->regions[i];

		if (addr - r->start >= r->size)
			continue;
		*window = (struct path_window){ r->start, r->size, r->code,
						m->rv32, 0 };
		return IMG_OK;
	}
	return m->why;
}

/* A path object that reads m, which has to outlive it. */
static inline struct path *memory_path(struct memory *m)
{
	const struct path_source source = { memory_code, m };
	struct path *path = path_new(&source);

	if (!path)
		test_fail(__FILE__, __LINE__, "out of memory");
	return path;
}

/* The path of a sample of user code with these branches, of which the youngest is the first. */
static inline int stitch_sample(struct path_stitch *stitch, struct path *path, uint64_t ip,
				uint64_t period, const struct pd_branch *branches, size_t nr,
				struct path_stitched *found)
{
	static const struct pd_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_type = PERF_SAMPLE_PERIOD,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	};
	struct pd_event ev = { .type = PERF_RECORD_SAMPLE, .pid = 1, .tid = 1,
			       .attr = &attr };

	ev.sample.ip = ip;
	ev.sample.has_branches = true;
	ev.sample.period = period;
	ev.sample.nr_branches = nr;
	ev.sample.branches = (const uint8_t *)branches;
	ev.sample.hw_idx = UINT64_MAX;
	return path_stitch_decode(stitch, path, &ev, 0, true, found);
}

/* A signal comes to the thread of these samples. */
static inline void stitch_signal(struct path_stitch *stitch, uint64_t pc, uint64_t handler)
{
	const struct pd_event ev = { .pid = 1, .tid = 1 };
	const struct path_signal signal = { pc, handler };

	CHECK_EQ(path_stitch_signal(stitch, &ev, &signal), 0);
}

#endif
