// SPDX-License-Identifier: GPL-2.0-only
#include "export/profile.h"
#include "base/array.h"
#include "base/hex.h"
#include "base/saturate.h"
#include "base/units.h"
#include "count/weigh.h"
#include "export/names.h"
#include "image/elf.h"
#include "profile/places.h"
#include "tally/note.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

#define NO_INSTRUCTIONS									\
	"some kinds of branches were not recorded, so the value \"instructions\" is not known"

/* Calls from one place to another one. */
struct edge {
	uint32_t from_binary, to_binary;
	uint64_t from, to; /* offsets */
	uint64_t weight;
};

/* What is being made. */
struct job {
	struct export_profile *profile;
	struct edge *edges;
	size_t nr_edges, cap_edges;
	struct cf_step last; /* one of the newest edge */
	uint64_t unknown; /* the weight of lines whose length is not known */
	/* what the bounds have left out: */
	uint64_t left_executed, left_samples, left_calls;
};

/*
 * --- what is left out of very many places and calls ---
 *
 * There is room for twice as many while reading, and what is left out then is colder than as
 * many as may stay. So a call, which is complete when the next one begins, is among the most
 * frequent ones if it stays. So is a sampled address, among the hottest ones.
 */

enum { ROOM_FOR_PLACES = 2 * EXPORT_MOST_PLACES, ROOM_FOR_CALLS = 2 * EXPORT_MOST_CALLS };

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Returns the least of the `most` largest values of the array, which is sorted here, and in
 * *equal how many of these are equal to it.
 */
static double find_least(double *values, size_t nr, size_t most, size_t *equal)
{
	size_t i;

	qsort(values, nr, sizeof(*values), by_value);
	for (*equal = 0, i = nr - most; i < nr && values[i] == values[nr - most]; i++)
		++*equal;
	return values[nr - most];
}

/* Both kinds of counts decide, by their shares. */
static double heat_of(const struct export_profile *p, const struct export_place *place,
		      double executed)
{
	return (double)place->executed / (executed + 1) +
	       (double)place->samples / (p->head->samples + 1.);
}

static uint32_t hash_of(uint32_t binary, uint64_t offset)
{
	return hash_u64(offset + ((uint64_t)binary << COUNT_OFFSET_BITS));
}

static void index_places(struct export_profile *p)
{
	struct hash_slot *slot;
	size_t i;

	hash_free(&p->place_index);
	for (i = 0; i < p->nr_places && !p->pprof.failed; i++) {
		const uint32_t hash = hash_of(p->places[i].binary, p->places[i].offset);

		p->pprof.failed = !hash_room(&p->place_index);
		if (p->pprof.failed)
			return;
		hash_for_each(&p->place_index, slot, hash) {
		}
		hash_put(&p->place_index, slot, hash, i);
	}
}

/* Keep the hottest places. */
static void drop_cold_places(struct job *job)
{
	struct export_profile *p = job->profile;
	double *heats, least, executed = (double)job->left_executed;
	size_t i, nr = 0, equal;

	if (p->nr_places <= EXPORT_MOST_PLACES)
		return;
	heats = malloc(p->nr_places * sizeof(*heats));
	p->pprof.failed |= !heats;
	if (!heats)
		return;
	for (i = 0; i < p->nr_places; i++)
		executed += (double)p->places[i].executed;
	for (i = 0; i < p->nr_places; i++)
		heats[i] = heat_of(p, &p->places[i], executed);
	least = find_least(heats, p->nr_places, EXPORT_MOST_PLACES, &equal);
	free(heats);
	for (i = 0; i < p->nr_places; i++) {
		const struct export_place *place = &p->places[i];
		const double heat = heat_of(p, place, executed);

		if (heat > least || (heat == least && equal && equal--)) {
			p->places[nr++] = *place;
			continue;
		}
		job->left_executed = saturate_plus(job->left_executed, place->executed);
		job->left_samples += place->samples;
	}
	p->nr_places = nr;
	index_places(p);
}

/* Keep the most frequent calls. */
static void drop_rare_calls(struct job *job)
{
	size_t i, nr = 0, equal;
	double *weights, least;

	if (job->nr_edges <= EXPORT_MOST_CALLS)
		return;
	weights = malloc(job->nr_edges * sizeof(*weights));
	job->profile->pprof.failed |= !weights;
	if (!weights)
		return;
	for (i = 0; i < job->nr_edges; i++)
		weights[i] = (double)job->edges[i].weight;
	least = find_least(weights, job->nr_edges, EXPORT_MOST_CALLS, &equal);
	free(weights);
	for (i = 0; i < job->nr_edges; i++) {
		const double weight = (double)job->edges[i].weight;

		if (weight > least || (weight == least && equal && equal--))
			job->edges[nr++] = job->edges[i];
		else
			job->left_calls += job->edges[i].weight;
	}
	job->nr_edges = nr;
}

/* What was left out needs no room, but the ends of calls do, which become places. */
static void fit(struct job *job)
{
	const size_t nr_places = job->profile->nr_places + 2 * job->nr_edges + 1;
	void *places = realloc(job->profile->places, nr_places * sizeof(struct export_place));
	void *edges = realloc(job->edges, (job->nr_edges + 1) * sizeof(struct edge));

	if (places) {
		job->profile->places = places;
		job->profile->cap_places = nr_places;
	}
	if (edges) {
		job->edges = edges;
		job->cap_edges = job->nr_edges + 1;
	}
}

/* --- reading --- */

/* The slot of a place, which may be free. */
static struct hash_slot *slot_of(struct export_profile *p, uint32_t binary, uint64_t offset)
{
	const uint32_t hash = hash_of(binary, offset);
	struct hash_slot *slot;

	hash_for_each(&p->place_index, slot, hash) {
		const struct export_place *place = &p->places[slot->number - 1];

		if (place->offset == offset && place->binary == binary)
			break;
	}
	return slot;
}

/*
 * The number of a place, from 0 on. If it is new and there are `most` already, others are
 * left out, and numbers change. UINT32_MAX: out of memory.
 */
static uint32_t place_of(struct job *job, uint32_t binary, uint64_t offset, size_t most)
{
	struct export_profile *p = job->profile;
	struct hash_slot *slot;

	p->pprof.failed = p->pprof.failed || !hash_room(&p->place_index) ||
			  !array_room(&p->places, p->nr_places, &p->cap_places,
				      sizeof(*p->places));
	if (p->pprof.failed)
		return UINT32_MAX;
	slot = slot_of(p, binary, offset);
	if (slot->number)
		return slot->number - 1;
	if (p->nr_places >= most) {
		drop_cold_places(job);
		if (p->pprof.failed || !hash_room(&p->place_index))
			return UINT32_MAX;
		slot = slot_of(p, binary, offset);
	}
	hash_put(&p->place_index, slot, hash_of(binary, offset), p->nr_places);
	p->places[p->nr_places] = (struct export_place){ .binary = binary, .offset = offset };
	return p->nr_places++;
}

static bool is_call(const struct cf_step *step)
{
	return step->type == PERF_BR_CALL || step->type == PERF_BR_IND_CALL ||
	       step->type == PERF_BR_COND_CALL;
}

static bool same_ends(const struct cf_step *a, const struct cf_step *b)
{
	return a->from_binary == b->from_binary && a->from == b->from &&
	       a->to_binary == b->to_binary && a->to == b->to;
}

/* Steps with the same ends come one after the other. */
static void add_call(struct job *job, const struct cf_step *step, uint64_t weight)
{
	struct pprof *p = &job->profile->pprof;
	struct edge *edge = job->nr_edges ? &job->edges[job->nr_edges - 1] : NULL;

	if (!edge || !same_ends(&job->last, step)) {
		if (job->nr_edges >= ROOM_FOR_CALLS)
			drop_rare_calls(job);
		p->failed = p->failed || !array_room(&job->edges, job->nr_edges,
						     &job->cap_edges, sizeof(*edge));
		if (p->failed)
			return;
		edge = &job->edges[job->nr_edges++];
		*edge = (struct edge){ step->from_binary, step->to_binary, step->from,
				       step->to, 0 };
		job->last = *step;
	}
	edge->weight += weight;
}

/*
 * The newest transfer of a stack weighs nothing: what followed it is not known. Where some
 * kinds of branches were not recorded, this holds for all of them.
 */
static void add_step(struct job *job, const struct cf_step *step)
{
	const bool all = job->profile->head->all_branches;
	const uint64_t weight = all ? step->weight : step->seen;
	uint64_t *executed;
	uint32_t place;

	if (!weight)
		return;
	if (is_call(step))
		add_call(job, step, weight);
	if (!all)
		return;
	if (!step->length) {
		job->unknown += step->weight;
		return;
	}
	place = place_of(job, step->to_binary, step->to, ROOM_FOR_PLACES);
	if (place == UINT32_MAX)
		return;
	executed = &job->profile->places[place].executed;
	*executed = saturate_plus(*executed, saturate_times(step->weight, step->length));
}

static int read_all(struct job *job, struct cf_reader *reader, struct error *error)
{
	struct cf_sample sample;
	struct cf_step step;
	uint32_t place;
	int ret;

	while ((ret = cf_read_step(reader, &step, error)) > 0)
		add_step(job, &step);
	while (!ret && (ret = cf_read_sample(reader, &sample, error)) > 0) {
		place = place_of(job, sample.binary, sample.offset, ROOM_FOR_PLACES);
		if (place != UINT32_MAX)
			job->profile->places[place].samples += sample.count;
		ret = 0;
	}
	drop_rare_calls(job);
	drop_cold_places(job);
	fit(job);
	return ret;
}

/* The ends of calls are places, too. */
static void add_ends(struct job *job)
{
	size_t i;

	for (i = 0; i < job->nr_edges; i++) {
		place_of(job, job->edges[i].from_binary, job->edges[i].from, SIZE_MAX);
		place_of(job, job->edges[i].to_binary, job->edges[i].to, SIZE_MAX);
	}
}

/* --- mappings and locations --- */

/* The addresses of a binary's places. */
struct extent {
	uint64_t first, last;
	uint64_t samples;
	bool used;
};

static uint64_t address_of(const struct cf_binary *binary, uint64_t offset)
{
	return binary->symbol ? EXPORT_KERNEL + (offset - PROF_FROM_SYMBOL) :
				EXPORT_BASE + offset;
}

static struct extent *find_extents(const struct export_profile *p)
{
	struct extent *extents = calloc(p->head->nr_binaries + 1, sizeof(*extents));
	size_t i;

	for (i = 0; extents && i < p->nr_places; i++) {
		const struct export_place *place = &p->places[i];
		const uint64_t address =
			address_of(&p->head->binaries[place->binary], place->offset);
		struct extent *e = &extents[place->binary];

		if (!e->used || address < e->first)
			e->first = address;
		if (!e->used || address > e->last)
			e->last = address;
		e->samples += place->samples;
		e->used = true;
	}
	return extents;
}

static uint32_t string_of_id(struct pprof *p, const struct cf_binary *binary)
{
	char text[2 * sizeof(binary->build_id) + 1];

	return pprof_string(p, hex_text(text, binary->build_id, binary->build_id_size));
}

/*
 * The page of the file at which its code is mapped. Go takes it for the address at which the
 * binary was loaded, and pprof does not believe a mapping that begins before it. Go's linker
 * and GNU's begin with the code, so this is the guess if there is no file.
 */
static uint64_t code_page(struct img *img, const struct cf_binary *binary)
{
	struct img_segments code = { 0 };
	struct img_file *file = img ? img_file(img, binary->name, binary->build_id,
					       binary->build_id_size) :
				      NULL;
	Elf *elf = file ? img_elf(file) : NULL;
	uint64_t page = 0;

	if (elf && img_read_segments(&code, elf, PF_X) && code.nr)
		page = code.v[0].offset & -PAGE;
	free(code.v);
	return page;
}

/* Up to the last page with its places. That of the kernel begins at its symbol. */
static uint32_t add_mapping(struct pprof *p, struct img *img, const struct cf_binary *binary,
			    const struct extent *extent)
{
	struct pprof_mapping mapping = {
		.start = extent->first & -PAGE,
		.limit = (extent->last & -PAGE) + PAGE,
		.file = pprof_string(p, binary->name),
		.build_id = string_of_id(p, binary),
		.kernel = binary->kernel,
	};

	if (binary->symbol && mapping.start > EXPORT_KERNEL)
		mapping.start = EXPORT_KERNEL;
	if (!binary->symbol) {
		const uint64_t code = EXPORT_BASE + code_page(img, binary);

		if (mapping.start > code)
			mapping.start = code;
		mapping.offset = mapping.start - EXPORT_BASE;
	}
	return pprof_mapping(p, &mapping);
}

/* The binary with most samples. Viewers take the first mapping for the program itself. */
static size_t find_main(const struct export_profile *p, const struct extent *extents)
{
	size_t i, main = 0;

	for (i = CF_FIRST_BINARY; i < p->head->nr_binaries; i++)
		if (extents[i].used &&
		    (!main || extents[i].samples > extents[main].samples))
			main = i;
	return main;
}

static void add_mappings(struct export_profile *p, struct img *img)
{
	struct extent *extents = find_extents(p);
	size_t i, main;

	p->mappings = calloc(p->head->nr_binaries + 1, sizeof(*p->mappings));
	p->pprof.failed |= !extents || !p->mappings;
	main = p->pprof.failed ? 0 : find_main(p, extents);
	if (main)
		p->mappings[main] = add_mapping(&p->pprof, img, &p->head->binaries[main],
						&extents[main]);
	for (i = CF_FIRST_BINARY; !p->pprof.failed && i < p->head->nr_binaries; i++)
		if (extents[i].used && i != main)
			p->mappings[i] = add_mapping(&p->pprof, img, &p->head->binaries[i],
						     &extents[i]);
	free(extents);
}

/* What is in no known binary has a name instead of an address. */
static void add_unknown(struct pprof *p, const char *name)
{
	pprof_location(p, 0, 0);
	pprof_line(p, pprof_function(p, name, name, "", 0), 0);
}

/* A mapping in which nothing has a name is left to the receiver. */
static void add_known(struct export_profile *p, struct export_names *names,
		      const struct export_place *place)
{
	const uint64_t address =
		address_of(&p->head->binaries[place->binary], place->offset);
	const uint32_t mapping = p->mappings[place->binary];
	const uint32_t location = pprof_location(&p->pprof, mapping, address);

	if (p->pprof.failed)
		return;
	export_names_add(names, &p->pprof, place->binary, place->offset, address,
			 EXPORT_KERNEL);
	p->pprof.mappings[mapping - 1].symbolized |=
		p->pprof.locations[location - 1].nr_lines;
}

static void add_locations(struct export_profile *p, const struct export_naming *naming,
			  struct notes *notes)
{
	struct export_names names;
	size_t i;

	p->pprof.failed |=
		!export_names_begin(&names, naming->named ? naming->img : NULL,
				    !naming->mangled, p->head);
	for (i = 0; i < p->nr_places && !p->pprof.failed; i++)
		if (p->places[i].binary < CF_FIRST_BINARY)
			add_unknown(&p->pprof, p->head->binaries[p->places[i].binary].name);
		else
			add_known(p, &names, &p->places[i]);
	export_names_end(&names, notes);
}

/* --- samples --- */

/*
 * The weights of a stack are 3 in all, each times what its line takes (count/weigh.h). So with
 * weights that stand for events, this is how often the lines ran, and profiles of all times and
 * machines can be added up.
 */
static unsigned __int128 runs_of(uint64_t weight)
{
	return weight * (unsigned __int128)(CF_EVENTS / WEIGH_ONE) / 3;
}

/*
 * The transfers that a sum of weights stands for, as a value, which has 63 bits. What a
 * merge has left out changes nothing in what the rest stands for.
 */
static uint64_t value_of(const struct cf_head *head, uint64_t weight)
{
	unsigned __int128 entries = (unsigned __int128)head->entries + head->left_out;
	unsigned __int128 all = (unsigned __int128)head->weight + head->left_out_weight, nr;

	if (!head->all_branches)
		all = entries;

	/* The product has 128 bits. */
	if (entries > UINT64_MAX) {
		entries /= 2;
		all /= 2;
	}
	if (head->by_events && !head->mixed && head->all_branches)
		nr = runs_of(weight);
	else
		nr = all ? (weight * entries + all / 2) / all : 0;
	if (!nr)
		return weight && all;
	return nr < INT64_MAX ? (uint64_t)nr : INT64_MAX;
}

static void add_samples(struct job *job)
{
	struct export_profile *p = job->profile;
	size_t i;

	for (i = 0; i < p->nr_places; i++) {
		const struct export_place *place = &p->places[i];
		const uint32_t location = i + 1;
		const uint64_t values[EXPORT_NR_VALUES] = {
			[EXPORT_SAMPLES] = place->samples < INT64_MAX ? place->samples :
									INT64_MAX,
			[EXPORT_INSTRUCTIONS] = value_of(p->head, place->executed),
		};

		if (place->samples || place->executed)
			pprof_sample(&p->pprof, &location, 1, values);
	}
	for (i = 0; i < job->nr_edges; i++) {
		const struct edge *edge = &job->edges[i];
		const uint32_t locations[] = {
			place_of(job, edge->to_binary, edge->to, SIZE_MAX) + 1,
			place_of(job, edge->from_binary, edge->from, SIZE_MAX) + 1,
		};
		const uint64_t values[EXPORT_NR_VALUES] = {
			[EXPORT_CALLS] = value_of(p->head, edge->weight),
		};

		pprof_sample(&p->pprof, locations, 2, values);
	}
}

/* --- what is told about it --- */

static void add_period(struct pprof *p, const struct cf_event *event)
{
	const uint64_t known = event->samples - event->unknown;

	p->period_type = (struct pprof_type){ pprof_string(p, event->name),
					      pprof_string(p, "count") };
	if (event->unknown < event->samples)
		p->period = event->covered / known;
}

/* Add a comment, unless the number is 0. */
static void add_count(struct pprof *p, uint64_t number, const char *what)
{
	char text[96];

	if (!number)
		return;
	snprintf(text, sizeof(text), "%llu %s", (unsigned long long)number, what);
	pprof_comment(p, text);
}

static void add_about(const struct job *job)
{
	struct export_profile *p = job->profile;
	const struct cf_head *head = p->head;
	const double coverage = tally_least_coverage(head);
	char text[96] = "coverage not known";

	if (head->nr_events == 1)
		add_period(&p->pprof, &head->events[0]);
	p->pprof.time = head->begin * 1000000000;
	if (head->end > head->begin)
		p->pprof.duration = (head->end - head->begin) * 1000000000;
	if (coverage >= 0)
		snprintf(text, sizeof(text), "coverage %.1f%%", units_percent(coverage));
	pprof_comment(&p->pprof, text);
	if (!head->all_branches)
		pprof_comment(&p->pprof, NO_INSTRUCTIONS);
	add_count(&p->pprof, head->lost, "samples were lost");
	add_count(&p->pprof, head->dropped, "samples were left out by a bound");
	add_count(&p->pprof, head->left_out, "transfers were left out by rules of a merge");
	add_count(&p->pprof, job->left_samples, "samples were left out by the bound of a profile");
	add_count(&p->pprof, value_of(head, job->left_executed),
		  "instructions were left out by the bound of a profile");
	add_count(&p->pprof, value_of(head, job->left_calls),
		  "calls were left out by the bound of a profile");
}

static void make_id(struct export_profile *p)
{
	const struct cf_head *head = p->head;
	struct pb bytes = { 0 };
	size_t i;

	for (i = 0; i < head->nr_sources; i++) {
		pb_bytes(&bytes, 1, head->sources[i].label, sizeof(head->sources[i].label));
		pb_varint(&bytes, head->sources[i].first);
		pb_varint(&bytes, head->sources[i].last);
	}
	pb_varint(&bytes, head->samples);
	pb_varint(&bytes, head->entries);
	pb_varint(&bytes, head->weight);
	p->pprof.failed |= bytes.failed;
	if (!bytes.failed)
		md5(p->id, bytes.v, bytes.nr);
	free(bytes.v);
}

static void tell(const struct job *job, struct notes *notes)
{
	const struct cf_head *head = job->profile->head;

	if (!head->all_branches)
		notes_add(notes, head->entries,
			  "transfers: " NO_INSTRUCTIONS "; record with `perf record -b`");
	notes_count(notes, job->left_samples,
		    "samples left out: a profile has the %d hottest addresses", EXPORT_MOST_PLACES);
	notes_count(notes, value_of(head, job->left_executed),
		    "instructions left out: a profile has the %d hottest addresses",
		    EXPORT_MOST_PLACES);
	notes_count(notes, value_of(head, job->left_calls),
		    "calls left out: a profile has the %d most frequent ones", EXPORT_MOST_CALLS);
	notes_count(notes, value_of(job->profile->head, job->unknown),
		    "transfers with unknown code after them, which is not in the value \"instructions\"");
}

int export_profile_read(struct export_profile *profile, struct cf_reader *reader,
			const struct export_naming *naming, struct notes *notes,
			struct error *error)
{
	struct job job = { .profile = profile };
	int ret;

	*profile = (struct export_profile){ .head = cf_reader_head(reader) };
	pprof_type(&profile->pprof, "samples", "count");
	pprof_type(&profile->pprof, "instructions", "count");
	pprof_type(&profile->pprof, "calls", "count");
	profile->pprof.default_type = EXPORT_SAMPLES;
	ret = read_all(&job, reader, error);
	if (!ret)
		add_ends(&job);
	if (!ret && !profile->pprof.failed) {
		add_about(&job);
		make_id(profile);
		add_mappings(profile, naming->img);
		add_locations(profile, naming, notes);
		add_samples(&job);
		tally_note_head(profile->head, notes);
		tell(&job, notes);
	}
	hash_free(&profile->place_index);
	free(job.edges);
	return ret ?: profile->pprof.failed ? error_nomem(error) : 0;
}

void export_profile_free(struct export_profile *profile)
{
	pprof_free(&profile->pprof);
	free(profile->places);
	hash_free(&profile->place_index);
	free(profile->mappings);
}
