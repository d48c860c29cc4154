// SPDX-License-Identifier: GPL-2.0-only
/* What a profile is made of. */
#include "pprof/pprof.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* The first string has to be empty, and 0 stands for it. */
static bool has_strings(struct pprof *p)
{
	static const size_t first = 0;

	if (p->nr_strings)
		return true;
	if (!array_room(&p->strings, 0, &p->cap_strings, sizeof(first)) ||
	    !array_room(&p->text, 0, &p->cap_text, 1))
		return false;
	p->strings[p->nr_strings++] = first;
	p->text[p->nr_text++] = 0;
	return true;
}

const char *pprof_text(const struct pprof *p, uint32_t string)
{
	return p->nr_strings ? p->text + p->strings[string] : "";
}

uint32_t pprof_string(struct pprof *p, const char *s)
{
	const size_t size = strlen(s) + 1;
	const uint32_t hash = hash_bytes(0, s, size);
	struct hash_slot *slot;

	p->failed = p->failed || !has_strings(p) || !hash_room(&p->string_index) ||
		    !array_room(&p->strings, p->nr_strings, &p->cap_strings,
				sizeof(*p->strings)) ||
		    !array_cover(&p->text, p->nr_text + size, &p->cap_text, 1);
	if (p->failed || !*s)
		return 0;
	hash_for_each(&p->string_index, slot, hash)
		if (!strcmp(pprof_text(p, slot->number - 1), s))
			return slot->number - 1;
	hash_put(&p->string_index, slot, hash, p->nr_strings);
	memcpy(p->text + p->nr_text, s, size);
	p->strings[p->nr_strings] = p->nr_text;
	p->nr_text += size;
	return p->nr_strings++;
}

uint32_t pprof_function(struct pprof *p, const char *name, const char *symbol,
			const char *file, uint32_t start)
{
	const struct pprof_function f = { pprof_string(p, name), pprof_string(p, symbol),
					  pprof_string(p, file), start };
	const uint32_t hash = hash_bytes(0, &f, sizeof(f));
	struct hash_slot *slot;

	p->failed = p->failed || !hash_room(&p->function_index) ||
		    !array_room(&p->functions, p->nr_functions, &p->cap_functions,
				sizeof(f));
	if (p->failed)
		return 0;
	hash_for_each(&p->function_index, slot, hash)
		if (!memcmp(&p->functions[slot->number - 1], &f, sizeof(f)))
			return slot->number;
	hash_put(&p->function_index, slot, hash, p->nr_functions);
	p->functions[p->nr_functions] = f;
	return ++p->nr_functions;
}

uint32_t pprof_mapping(struct pprof *p, const struct pprof_mapping *mapping)
{
	p->failed = p->failed || !array_room(&p->mappings, p->nr_mappings,
					     &p->cap_mappings, sizeof(*mapping));
	if (p->failed)
		return 0;
	p->mappings[p->nr_mappings] = *mapping;
	return ++p->nr_mappings;
}

uint32_t pprof_location(struct pprof *p, uint32_t mapping, uint64_t address)
{
	p->failed = p->failed || !array_room(&p->locations, p->nr_locations,
					     &p->cap_locations, sizeof(*p->locations));
	if (p->failed)
		return 0;
	p->locations[p->nr_locations] = (struct pprof_location){
		.mapping = mapping, .address = address, .first_line = p->nr_lines
	};
	return ++p->nr_locations;
}

void pprof_line(struct pprof *p, uint32_t function, uint32_t line)
{
	p->failed = p->failed || !array_room(&p->lines, p->nr_lines, &p->cap_lines,
					     sizeof(*p->lines));
	if (p->failed)
		return;
	p->lines[p->nr_lines++] = (struct pprof_line){ function, line };
	p->locations[p->nr_locations - 1].nr_lines++;
}

void pprof_sample(struct pprof *p, const uint32_t *locations, uint32_t nr,
		  const uint64_t *values)
{
	struct pprof_sample *sample;

	p->failed = p->failed || !array_room(&p->samples, p->nr_samples, &p->cap_samples,
					     sizeof(*p->samples)) ||
		    !array_cover(&p->frames, p->nr_frames + nr, &p->cap_frames,
				 sizeof(*p->frames));
	if (p->failed)
		return;
	sample = &p->samples[p->nr_samples++];
	*sample = (struct pprof_sample){ .first = p->nr_frames, .nr = nr };
	memcpy(sample->values, values, p->nr_types * sizeof(*values));
	memcpy(p->frames + p->nr_frames, locations, nr * sizeof(*locations));
	p->nr_frames += nr;
}

void pprof_type(struct pprof *p, const char *type, const char *unit)
{
	p->types[p->nr_types++] = (struct pprof_type){ pprof_string(p, type),
						       pprof_string(p, unit) };
}

void pprof_comment(struct pprof *p, const char *comment)
{
	const uint32_t string = pprof_string(p, comment);

	p->failed = p->failed || !array_room(&p->comments, p->nr_comments,
					     &p->cap_comments, sizeof(*p->comments));
	if (!p->failed)
		p->comments[p->nr_comments++] = string;
}

void pprof_free(struct pprof *p)
{
	free(p->text);
	free(p->strings);
	hash_free(&p->string_index);
	free(p->functions);
	hash_free(&p->function_index);
	free(p->mappings);
	free(p->locations);
	free(p->lines);
	free(p->frames);
	free(p->samples);
	free(p->comments);
}
