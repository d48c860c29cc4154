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

/* Store the index. *found is false if there is no room for one more file. */
static bool find_file(struct origin_maps *maps, const struct origin_mapping *m,
		      uint32_t *index, bool *found)
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
	*found = maps->file_bytes < ORIGIN_MAX_FILE_BYTES;
	maps->files_full |= !*found;
	if (!*found)
		return true;
	*index = (uint32_t)maps->nr_files;
	if (!new_file(maps, m))
		return false;
	hash_put(&maps->by_name, slot, hash, *index);
	return true;
}

/* --------------------------------------------------------------- processes */

static struct origin_process *look_up(const struct origin_maps *maps, uint32_t pid)
{
	struct hash_slot *slot;

	if (!maps->nr_processes)
		return NULL;
	hash_for_each(&maps->by_pid, slot, hash_u64(pid))
		if (maps->processes[slot->number - 1].pid == pid)
			return &maps->processes[slot->number - 1];
	return NULL;
}

/* NULL: out of memory. */
static struct origin_process *get_process(struct origin_maps *maps, uint32_t pid)
{
	struct origin_process *process;
	struct hash_slot *slot;

	if (!hash_room(&maps->by_pid) ||
	    !array_room(&maps->processes, maps->nr_processes,
			&maps->cap_processes, sizeof(*process)))
		return NULL;
	hash_for_each(&maps->by_pid, slot, hash_u64(pid))
		if (maps->processes[slot->number - 1].pid == pid)
			return &maps->processes[slot->number - 1];
	hash_put(&maps->by_pid, slot, hash_u64(pid), maps->nr_processes);
	process = &maps->processes[maps->nr_processes++];
	*process = (struct origin_process){ .pid = pid };
	return process;
}

static void forget(struct origin_maps *maps)
{
	while (maps->nr_processes)
		free(maps->processes[--maps->nr_processes].v);
	hash_free(&maps->by_pid);
	maps->by_pid = (struct hash){ 0 };
	maps->nr = 0;
}

/* ---------------------------------------------------------------- mappings */

/* The first mapping that ends after an address. */
static size_t first_after(const struct origin_process *p, uint64_t addr)
{
	size_t i = array_upto(p->v, p->nr, sizeof(*p->v), addr);

	return i && p->v[i - 1].end > addr ? i - 1 : i;
}

/* Make n places at i out of `old` ones. There is room. */
static void replace(struct origin_process *p, size_t i, size_t old,
		    const struct origin_map *v, size_t n)
{
	memmove(&p->v[i + n], &p->v[i + old], (p->nr - i - old) * sizeof(*v));
	memcpy(&p->v[i], v, n * sizeof(*v));
	p->nr += n - old;
}

/* What is left of the mappings from i up to end stays beside the new one. */
static size_t insert(struct origin_process *p, size_t i, const struct origin_map *map)
{
	struct origin_map v[3];
	size_t end = i, n = 0;

	while (end < p->nr && p->v[end].start < map->end)
		end++;
	if (i < end && p->v[i].start < map->start) {
		v[n] = p->v[i];
		v[n++].end = map->start;
	}
	v[n++] = *map;
	if (i < end && p->v[end - 1].end > map->end) {
		v[n] = p->v[end - 1];
		v[n].start = map->end;
		v[n++].offset += map->end - p->v[end - 1].start;
	}
	replace(p, i, end - i, v, n);
	return n - (end - i);
}

static bool is_known(const struct origin_process *p, size_t i,
		     const struct origin_map *map)
{
	return i < p->nr && p->v[i].start == map->start && p->v[i].end == map->end &&
	       p->v[i].offset == map->offset && p->v[i].file == map->file;
}

bool origin_maps_add(struct origin_maps *maps, const struct origin_mapping *m)
{
	struct origin_map map = { m->start, m->end, m->offset, m->pid, 0, 0 };
	struct origin_process *p;
	bool found;
	size_t i;

	if (!find_file(maps, m, &map.file, &found))
		return false;
	if (!found)
		return true;
	if (maps->nr + 2 > ORIGIN_MAX_MAPS || maps->nr_processes >= ORIGIN_MAX_MAPS)
		forget(maps);
	p = get_process(maps, m->pid);
	/* One mapping can become three. */
	if (!p || !array_room(&p->v, p->nr + 2, &p->cap, sizeof(*p->v)))
		return false;
	i = first_after(p, map.start);
	if (!is_known(p, i, &map))
		maps->nr += insert(p, i, &map);
	return true;
}

static struct origin_map *find_in(const struct origin_process *p, uint64_t addr)
{
	size_t i = p ? first_after(p, addr) : 0;

	return p && i < p->nr && p->v[i].start <= addr ? &p->v[i] : NULL;
}

struct origin_map *origin_maps_find(const struct origin_maps *maps, uint32_t pid,
				    uint64_t addr)
{
	struct origin_map *map = find_in(look_up(maps, pid), addr);

	return map ? map : find_in(look_up(maps, ORIGIN_ALL), addr);
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

	forget(maps);
	free(maps->processes);
	for (i = 0; i < maps->nr_files; i++)
		free(maps->files[i].name);
	free(maps->files);
	hash_free(&maps->by_name);
}
