// SPDX-License-Identifier: GPL-2.0-only
#include "origin/maps.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- files */

static bool is_file(const struct origin_file *file, const struct origin_mapping *m)
{
	return file->build_id_size == m->build_id_size &&
	       !memcmp(file->build_id, m->build_id, m->build_id_size) &&
	       strlen(file->name) == m->name_size &&
	       !memcmp(file->name, m->name, m->name_size);
}

static bool new_file(struct origin_maps *maps, const struct origin_mapping *m)
{
	struct origin_file *file = &maps->files[maps->nr_files];

	*file = (struct origin_file){ .build_id_size = m->build_id_size };
	memcpy(file->build_id, m->build_id, m->build_id_size);
	file->name = strndup(m->name, m->name_size);
	if (!file->name)
		return false;
	maps->file_bytes += sizeof(*file) + m->name_size;
	maps->nr_files++;
	return true;
}

/* Store the index. *found is false if there is no room for one more file below the limit. */
static bool find_file(struct origin_maps *maps, const struct origin_mapping *m,
		      size_t limit, uint32_t *index, bool *found)
{
	uint32_t hash = hash_bytes(0, m->name, m->name_size);
	struct hash_slot *slot;

	hash = hash_bytes(hash, m->build_id, m->build_id_size);
	if (!hash_room(&maps->by_name) ||
	    !array_room(&maps->files, maps->nr_files, &maps->cap_files,
			sizeof(*maps->files)))
		return false;
	*found = true;
	hash_for_each(&maps->by_name, slot, hash) {
		*index = slot->number - 1;
		if (is_file(&maps->files[*index], m))
			return true;
	}
	*found = maps->file_bytes < limit;
	maps->files_full |= !*found;
	if (!*found)
		return true;
	*index = (uint32_t)maps->nr_files;
	if (!new_file(maps, m))
		return false;
	hash_put(&maps->by_name, slot, hash, *index);
	return true;
}

/* ---------------------------------------------------------------- mappings */

static bool is_before(const struct origin_map *map, uint32_t pid, uint64_t addr)
{
	return map->pid < pid || (map->pid == pid && map->end <= addr);
}

/* The first mapping of the process that ends after an address, or what follows. */
static size_t first_after(const struct origin_maps *maps, uint32_t pid, uint64_t addr)
{
	size_t low = 0, high = maps->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(&maps->v[middle], pid, addr))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Make n places at i out of `old` ones. There is room. */
static void replace(struct origin_maps *maps, size_t i, size_t old,
		    const struct origin_map *v, size_t n)
{
	memmove(&maps->v[i + n], &maps->v[i + old],
		(maps->nr - i - old) * sizeof(*v));
	memcpy(&maps->v[i], v, n * sizeof(*v));
	maps->nr += n - old;
}

/* What is left of the mappings from i up to its end stays beside the new one. */
static void insert(struct origin_maps *maps, size_t i, const struct origin_map *map)
{
	struct origin_map v[3];
	size_t end = i, n = 0;

	while (end < maps->nr && maps->v[end].pid == map->pid &&
	       maps->v[end].start < map->end)
		end++;
	if (i < end && maps->v[i].start < map->start) {
		v[n] = maps->v[i];
		v[n++].end = map->start;
	}
	v[n++] = *map;
	if (i < end && maps->v[end - 1].end > map->end) {
		v[n] = maps->v[end - 1];
		v[n].start = map->end;
		v[n++].offset += map->end - maps->v[end - 1].start;
	}
	replace(maps, i, end - i, v, n);
}

static bool is_known(const struct origin_maps *maps, size_t i,
		     const struct origin_map *map)
{
	const struct origin_map *its = &maps->v[i];

	return i < maps->nr && its->pid == map->pid && its->start == map->start &&
	       its->end == map->end && its->offset == map->offset &&
	       its->file == map->file;
}

/* The file; or, without room for it, memory without a file: what was mapped before is gone. */
static bool take_file(struct origin_maps *maps, const struct origin_mapping *m, uint32_t *index)
{
	static const char no_file[] = "//anon";
	struct origin_mapping other = { .name = no_file, .name_size = sizeof(no_file) - 1 };
	bool found;

	if (!find_file(maps, m, ORIGIN_MAX_FILE_BYTES, index, &found))
		return false;
	return found || find_file(maps, &other, SIZE_MAX, index, &found);
}

bool origin_maps_add(struct origin_maps *maps, const struct origin_mapping *m)
{
	struct origin_map map = { m->start, m->end, m->offset, m->pid, 0, 0 };
	size_t i;

	if (!take_file(maps, m, &map.file))
		return false;
	if (maps->nr + 2 > ORIGIN_MAX_MAPS)
		maps->nr = 0;
	/* One mapping can become three. */
	if (!array_room(&maps->v, maps->nr + 2, &maps->cap, sizeof(*maps->v)))
		return false;
	i = first_after(maps, map.pid, map.start);
	if (!is_known(maps, i, &map))
		insert(maps, i, &map);
	return true;
}

static struct origin_map *find_in(const struct origin_maps *maps, uint32_t pid,
				  uint64_t addr)
{
	struct origin_map *map = maps->v + first_after(maps, pid, addr);

	return map < maps->v + maps->nr && map->pid == pid && map->start <= addr ?
		       map : NULL;
}

struct origin_map *origin_maps_find(const struct origin_maps *maps, uint32_t pid,
				    uint64_t addr)
{
	struct origin_map *map = maps->nr ? find_in(maps, pid, addr) : NULL;

	return map || !maps->nr ? map : find_in(maps, ORIGIN_ALL, addr);
}

struct origin_mapping origin_maps_mapping(const struct origin_maps *maps,
					  const struct origin_map *map)
{
	const struct origin_file *file = &maps->files[map->file];
	struct origin_mapping m = {
		.pid = map->pid, .start = map->start, .end = map->end,
		.offset = map->offset, .name = file->name,
		.name_size = strlen(file->name),
		.build_id_size = file->build_id_size,
	};

	memcpy(m.build_id, file->build_id, file->build_id_size);
	return m;
}

void origin_maps_free(struct origin_maps *maps)
{
	size_t i;

	free(maps->v);
	for (i = 0; i < maps->nr_files; i++)
		free(maps->files[i].name);
	free(maps->files);
	hash_free(&maps->by_name);
}
