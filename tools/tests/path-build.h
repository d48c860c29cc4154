/* SPDX-License-Identifier: GPL-2.0-only */
/* Code at an address, for the tests of paths. */
#ifndef TESTS_PATH_BUILD_H
#define TESTS_PATH_BUILD_H

#include "path/path.h"
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

#endif
