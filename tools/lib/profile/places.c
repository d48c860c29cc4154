// SPDX-License-Identifier: GPL-2.0-only
#include "profile/places.h"
#include "base/array.h"
#include "path/path.h"

#include <stdlib.h>
#include <string.h>

/* A copy, which is the next binary. False: out of memory. */
static bool append(struct prof_places *places, const struct prof_binary *like)
{
	struct prof_binary *b;

	if (places->nr_binaries > COUNT_MAX_NUMBER ||
	    !array_room(&places->binaries, places->nr_binaries,
			&places->cap_binaries, sizeof(*b)))
		return false;
	b = &places->binaries[places->nr_binaries];
	*b = *like;
	b->file = NULL;
	b->stale = NULL;
	b->name = strdup(like->name);
	b->symbol = like->symbol ? strdup(like->symbol) : NULL;
	if (b->name && (b->symbol || !like->symbol)) {
		places->nr_binaries++;
		return true;
	}
	free(b->name);
	free(b->symbol);
	return false;
}

bool prof_places_init(struct prof_places *places)
{
	static const struct prof_binary nowhere = { .name = (char *)"[unknown]" };
	static const struct prof_binary kernel = { .name = (char *)"[kernel]",
						   .kernel = true };

	*places = (struct prof_places){ 0 };
	return append(places, &nowhere) && append(places, &kernel);
}

void prof_places_free(struct prof_places *places)
{
	size_t i;

	for (i = 0; i < places->nr_binaries; i++) {
		free(places->binaries[i].name);
		free(places->binaries[i].symbol);
	}
	free(places->binaries);
	free(places->kernel.v);
	free(places->numbers);
	hash_free(&places->by_name);
	*places = (struct prof_places){ 0 };
}

void prof_places_begin(struct prof_places *places, struct pd_space *space)
{
	places->space = space;
	if (places->cap_numbers)
		memset(places->numbers, 0,
		       places->cap_numbers * sizeof(*places->numbers));
}

void prof_places_end(struct prof_places *places)
{
	size_t i;

	for (i = 0; i < places->cap_numbers; i++)
		if (places->numbers[i])
			places->binaries[places->numbers[i]].doubtful |=
				!pd_space_dso(places->space, i)->rewritten;
}

static bool same_binary(const struct prof_binary *a, const struct prof_binary *b)
{
	return a->kernel == b->kernel && a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size) &&
	       !strcmp(a->name, b->name);
}

unsigned int prof_places_add(struct prof_places *places, const struct prof_binary *like)
{
	const uint32_t hash = hash_bytes(0, like->name, strlen(like->name));
	struct hash_slot *slot;

	if (!hash_room(&places->by_name))
		return 0;
	hash_for_each(&places->by_name, slot, hash)
		if (same_binary(&places->binaries[slot->number - 1], like))
			return slot->number - 1;
	if (!append(places, like))
		return 0;
	hash_put(&places->by_name, slot, hash, places->nr_binaries - 1);
	return places->nr_binaries - 1;
}

bool prof_is_private(const struct prof_binary *b)
{
	return !b->kernel &&
	       (img_is_anonymous(b->name, b->build_id_size) || pd_is_jitdump(b->name));
}

/* Not one of its modules, which are files of their own. */
static bool is_kernel_itself(const struct prof_places *places,
			     const struct pd_map *map)
{
	return map->kernel && map->dso == pd_space_kernel(places->space).dso;
}

/* The number of a mapped file's binary; 0: out of memory. */
static unsigned int number_of(struct prof_places *places,
			      const struct pd_map *map)
{
	const struct pd_dso *dso = map->dso;
	struct prof_binary like = { .name = (char *)dso->name, .kernel = map->kernel,
				    .made = dso->made, .build_id_size = dso->build_id_size };

	if (!array_cover(&places->numbers, dso->id, &places->cap_numbers,
			 sizeof(*places->numbers)))
		return 0;
	if (places->numbers[dso->id])
		return places->numbers[dso->id];
	memcpy(like.build_id, dso->build_id, sizeof(like.build_id));
	if (is_kernel_itself(places, map))
		like.symbol = (char *)pd_space_kernel(places->space).symbol;
	return places->numbers[dso->id] = prof_places_add(places, &like);
}

bool prof_places_find(struct prof_places *places, uint32_t pid, uint64_t addr,
		      struct count_map *found)
{
	const struct pd_map *map = pd_space_find(places->space, pid, addr);

	if (!map) {
		*found = (struct count_map){
			.start = addr,
			.number = path_is_kernel(addr) ? PROF_KERNEL :
							 PROF_NOWHERE
		};
		return true;
	}
	*found = (struct count_map){ map->start, map->end - map->start,
				     map->pgoff, number_of(places, map) };
	if (is_kernel_itself(places, map))
		found->offset = map->start -
				pd_space_kernel(places->space).addr +
				PROF_FROM_SYMBOL;
	return found->number;
}

/* Its vmlinux, if it is the one of this build. Otherwise a file without code. */
static void open_kernel(struct prof_places *places, struct prof_binary *b)
{
	const uint8_t *id;
	unsigned int size;

	b->file = img_open(places->img, places->vmlinux);
	id = b->file ? img_file_build_id(b->file, &size) : NULL;
	b->has_code = id && img_same_build_id(b->build_id, b->build_id_size, id, size) &&
		      img_file_named(b->file, b->symbol, &b->symbol_addr) &&
		      (places->kernel.nr ||
		       img_read_segments(&places->kernel, img_elf(b->file), PF_X));
}

static const uint8_t *kernel_code(struct prof_places *places, struct prof_binary *b,
				  uint64_t offset, uint64_t *len)
{
	const uint64_t addr = b->symbol_addr + offset - PROF_FROM_SYMBOL;
	const struct img_segment *s;
	uint64_t left;

	s = b->has_code ? img_segment_at(&places->kernel, addr) : NULL;
	if (!s)
		return NULL;
	*len = s->size - (addr - s->addr);
	return img_code(b->file, addr - s->addr + s->offset, &left);
}

const uint8_t *prof_places_code(struct prof_places *places, count_place place,
				uint64_t *len)
{
	struct prof_binary *b = &places->binaries[count_number_of(place)];
	const uint64_t offset = count_offset_of(place);

	if (!places->img || count_number_of(place) < PROF_FIRST_BINARY ||
	    (b->kernel && (!b->symbol || !places->vmlinux)))
		return NULL;
	if (!b->file && b->kernel)
		open_kernel(places, b);
	else if (!b->file)
		b->file = img_file(places->img, b->name, b->build_id,
				   b->build_id_size);
	if (b->kernel)
		return kernel_code(places, b, offset, len);
	return b->file ? img_code(b->file, offset, len) : NULL;
}
