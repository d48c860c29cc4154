// SPDX-License-Identifier: GPL-2.0-only
#include "profile/places.h"
#include "base/array.h"
#include "path/path.h"

#include <stdlib.h>
#include <string.h>

static bool add_binary(struct prof_places *places, const struct pd_dso *dso,
		       bool kernel)
{
	struct prof_binary *b;

	if (places->nr_binaries > COUNT_MAX_NUMBER ||
	    !array_room(&places->binaries, places->nr_binaries,
			&places->cap_binaries, sizeof(*b)))
		return false;
	b = &places->binaries[places->nr_binaries];
	*b = (struct prof_binary){ .name = strdup(dso->name), .kernel = kernel,
				   .build_id_size = dso->build_id_size };
	if (!b->name)
		return false;
	memcpy(b->build_id, dso->build_id, sizeof(b->build_id));
	places->nr_binaries++;
	return true;
}

bool prof_places_init(struct prof_places *places)
{
	static const struct pd_dso nowhere = { .name = "[unknown]" };
	static const struct pd_dso kernel = { .name = "[kernel]" };

	*places = (struct prof_places){ 0 };
	return add_binary(places, &nowhere, false) &&
	       add_binary(places, &kernel, true);
}

void prof_places_free(struct prof_places *places)
{
	size_t i;

	for (i = 0; i < places->nr_binaries; i++)
		free(places->binaries[i].name);
	free(places->binaries);
	free(places->numbers);
	*places = (struct prof_places){ 0 };
}

void prof_places_begin(struct prof_places *places, struct pd_space *space)
{
	places->space = space;
	if (places->cap_numbers)
		memset(places->numbers, 0,
		       places->cap_numbers * sizeof(*places->numbers));
}

static bool same_binary(const struct prof_binary *b, const struct pd_map *map)
{
	return b->kernel == map->kernel &&
	       b->build_id_size == map->dso->build_id_size &&
	       !memcmp(b->build_id, map->dso->build_id, b->build_id_size) &&
	       !strcmp(b->name, map->dso->name);
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
	unsigned int i;

	if (!array_cover(&places->numbers, dso->id, &places->cap_numbers,
			 sizeof(*places->numbers)))
		return 0;
	if (places->numbers[dso->id])
		return places->numbers[dso->id];
	for (i = PROF_FIRST_BINARY; i < places->nr_binaries; i++)
		if (same_binary(&places->binaries[i], map))
			break;
	if (i == places->nr_binaries && !add_binary(places, dso, map->kernel))
		return 0;
	if (is_kernel_itself(places, map))
		places->binaries[i].symbol =
			places->binaries[i].name +
			(pd_space_kernel(places->space).symbol - dso->name);
	return places->numbers[dso->id] = i;
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
