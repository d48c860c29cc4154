// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any lines as the comments of a trace. What they tell of mappings is consistent, and a
 * writer that tells it again tells the same.
 */
#include "origin/origin.h"
#include "origin/tell.h"

#include <string.h>

#include "fuzz.h"

static void check_map(const struct origin_maps *maps, size_t i)
{
	const struct origin_map *map = &maps->v[i], *next = map + 1;

	demand(map->start < map->end, "a mapping has addresses");
	demand(map->file < maps->nr_files, "a mapping has a file");
	demand(origin_maps_find(maps, map->pid, map->start) == map &&
		       origin_maps_find(maps, map->pid, map->end - 1) == map,
	       "a mapping is found by its addresses");
	demand(i + 1 == maps->nr || map->pid < next->pid ||
		       (map->pid == next->pid && map->end <= next->start),
	       "mappings are in order and do not overlap");
}

static bool same_mapping(const struct origin_mapping *a,
			 const struct origin_mapping *b)
{
	return a->pid == b->pid && a->start == b->start && a->end == b->end &&
	       a->offset == b->offset && a->name_size == b->name_size &&
	       !memcmp(a->name, b->name, a->name_size) &&
	       a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

static struct origin_mapping read_mapping(const char *text)
{
	struct origin_mapping mapping = { 0 };
	struct origin_line line;

	demand(origin_line(&line, text, strlen(text)) == ORIGIN_MAP &&
		       origin_read_mapping(&mapping, &line),
	       "a line that was written can be read");
	return mapping;
}

/* The line that must come before an instruction of the mapping, and the next one. */
static void check_tell(struct origin_tell *tell, const struct origin_map *map,
		       uint64_t index)
{
	const struct origin_mapping told =
		origin_maps_mapping(&tell->maps, map);
	const uint64_t pc = map->start;
	struct origin_mapping again;
	const char *line = origin_tell_due(tell, map->pid, pc, index, index);

	if (!line)
		return;
	again = read_mapping(line);
	demand(same_mapping(&told, &again), "a mapping is told as it is");
	demand(!origin_tell_due(tell, map->pid, pc, index + 1, index + 1),
	       "a mapping is told once");
}

static void tell_all(struct origin_tell *tell, const struct origin_maps *maps)
{
	struct origin_mapping mapping;
	size_t i;

	for (i = 0; i < maps->nr; i++) {
		mapping = origin_maps_mapping(maps, &maps->v[i]);
		demand(origin_tell_add(tell, &mapping), "there is memory");
	}
	for (i = 0; i < tell->maps.nr; i++)
		check_tell(tell, &tell->maps.v[i], 2 * i);
}

static void check_origin(const struct origin *origin)
{
	static struct origin_tell tell;
	size_t i;

	demand(origin->nr_events <= ORIGIN_MAX_EVENTS,
	       "the number of events is limited");
	demand(!origin->has_coverage || origin->coverage.share <= 1,
	       "a coverage is a share");
	demand(origin->maps.nr <= ORIGIN_MAX_MAPS &&
		       origin->maps.file_bytes <= ORIGIN_MAX_FILE_BYTES,
	       "memory is limited");
	for (i = 0; i < origin->maps.nr; i++)
		check_map(&origin->maps, i);
	memset(&tell, 0, sizeof(tell));
	tell_all(&tell, &origin->maps);
	origin_tell_free(&tell);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct origin origin;
	const char *p = (const char *)data, *end = p + size, *stop;
	int key;

	memset(&origin, 0, sizeof(origin));
	for (; p < end; p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p));
		stop = stop ? stop : end;
		key = origin_take(&origin, p, (size_t)(stop - p));
		demand(key >= ORIGIN_NONE && key < ORIGIN_N_KEYS,
		       "a line has a key or none");
	}
	check_origin(&origin);
	origin_free(&origin);
	return 0;
}
