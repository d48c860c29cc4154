// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_source.h"

#include <stdlib.h>
#include <sys/mman.h>

struct plain {
	struct stf_source src;
	struct stf_map map;
};

void stf_unmap(struct stf_map map)
{
	munmap((void *)(uintptr_t)map.data, map.size);
}

static int plain_more(struct stf_source *src)
{
	struct plain *p = (struct plain *)src;
	struct stf_window *win = &src->win;

	if (win->start)
		return 0;
	win->start = win->pos = win->keep = p->map.data;
	win->end = p->map.data + p->map.size;
	return 1;
}

static void plain_stats(const struct stf_source *src, struct stf_stats *stats)
{
	const struct plain *p = (const struct plain *)src;

	stats->container = STF_CONTAINER_PLAIN;
	stats->file_bytes = p->map.size;
}

static void plain_close(struct stf_source *src)
{
	struct plain *p = (struct plain *)src;

	stf_unmap(p->map);
	free(p);
}

static const struct stf_source_ops plain_ops = {
	.more = plain_more,
	.stats = plain_stats,
	.close = plain_close,
};

struct stf_source *stf_source_plain(struct stf_map map, const char *path,
				    struct stf_error *err)
{
	struct plain *p = calloc(1, sizeof(*p));

	if (!p) {
		stf_unmap(map);
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	p->src.ops = &plain_ops;
	p->src.path = path;
	p->src.err = err;
	p->map = map;
	madvise((void *)(uintptr_t)map.data, map.size, MADV_SEQUENTIAL);
	return &p->src;
}
