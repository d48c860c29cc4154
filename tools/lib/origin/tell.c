// SPDX-License-Identifier: GPL-2.0-only
#include "origin/tell.h"

bool origin_tell_add(struct origin_tell *tell, const struct origin_mapping *mapping)
{
	tell->start = tell->end = 0;
	return origin_maps_add(&tell->maps, mapping);
}

static bool is_due(const struct origin_map *map, uint64_t last)
{
	return !map->told || last >= map->told - 1 + ORIGIN_REPEAT;
}

const char *origin_tell_find(struct origin_tell *tell, uint32_t pid, uint64_t pc,
			     uint64_t index, uint64_t last)
{
	struct origin_map *map = origin_maps_find(&tell->maps, pid, pc);
	struct origin_mapping mapping;
	bool due;

	tell->start = tell->end = 0;
	if (!map)
		return NULL;
	due = is_due(map, last);
	if (due)
		map->told = index + 1;
	tell->pid = pid;
	tell->start = map->start;
	tell->end = map->end;
	tell->due = map->told - 1 + ORIGIN_REPEAT;
	if (!due)
		return NULL;
	mapping = origin_maps_mapping(&tell->maps, map);
	origin_write_mapping(tell->line, &mapping);
	return tell->line;
}

void origin_tell_told(struct origin_tell *tell, const struct origin_mapping *mapping,
		      uint64_t index)
{
	struct origin_map *map =
		origin_maps_find(&tell->maps, mapping->pid, mapping->start);

	tell->start = tell->end = 0;
	if (map && map->pid == mapping->pid)
		map->told = index + 1;
}

void origin_tell_again(struct origin_tell *tell, bool all)
{
	size_t i;

	tell->start = tell->end = 0;
	for (i = 0; i < tell->maps.nr; i++)
		if (all || tell->maps.v[i].pid == ORIGIN_ALL)
			tell->maps.v[i].told = 0;
}

void origin_tell_free(struct origin_tell *tell)
{
	origin_maps_free(&tell->maps);
}
