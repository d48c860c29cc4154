// SPDX-License-Identifier: GPL-2.0-only
#include "hot/counted.h"
#include "image/elf.h"
#include "profile/places.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Where binaries are mapped, in process 0. */
#define USER_SIZE (COUNT_OFFSET_MASK + 1)
#define MODULES	  UINT64_C(0xff00000000000000)
#define MODULE_SIZE (UINT64_C(1) << 28)
#define KERNEL_SYMBOL UINT64_C(0xffffffff80000000)

/* Map a file. Returns its object, or NULL if out of memory. */
static const struct pd_dso *map_file(struct hot_counted *c, const struct cf_binary *b,
				     const char *name, uint64_t start, uint64_t len,
				     uint64_t pgoff)
{
	const struct pd_event ev = {
		.type = PERF_RECORD_MMAP,
		.mmap = { .start = start, .len = len, .pgoff = pgoff, .prot = PROT_EXEC,
			  .kernel = b->kernel,
			  .build_id_size = b->build_id_size, .build_id = b->build_id,
			  .name = name },
	};
	const struct pd_map *map;

	if (pd_space_event(c->space, &ev))
		return NULL;
	map = pd_space_find(c->space, 0, start);
	return map ? map->dso : NULL;
}

/* The kernel itself, at the address of its symbol. */
static bool map_kernel(struct hot_counted *c, const struct cf_binary *b,
		       struct path_place *place)
{
	const uint64_t start = KERNEL_SYMBOL - PROF_FROM_SYMBOL;
	char name[128];

	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", b->symbol);
	*place = (struct path_place){
		map_file(c, b, name, start, -start - 1, KERNEL_SYMBOL), start, NULL
	};
	/* So offset 0 is PROF_FROM_SYMBOL before the symbol. */
	return place->dso;
}

/*
 * A module, or a kernel of another build. Offsets of the mapping are what people are told
 * of places without a function: the distance from where the module was loaded, and the
 * address of a kernel whose symbol is at KERNEL_SYMBOL.
 */
static bool map_module(struct hot_counted *c, const struct cf_binary *b, uint32_t i,
		       struct path_place *place)
{
	const uint64_t start = MODULES + i * MODULE_SIZE;
	const uint64_t pgoff = b->symbol ? KERNEL_SYMBOL - MODULE_SIZE / 2 : 0;
	char name[64], id[2 * sizeof(b->build_id) + 1];

	img_print_build_id(id, b->build_id, b->build_id_size);
	snprintf(name, sizeof(name), "[kernel %.8s]", id);
	*place = (struct path_place){
		map_file(c, b, b->symbol ? name : b->name, start, MODULE_SIZE, pgoff), start, NULL
	};
	/* Its addresses may be before its symbol. */
	if (b->symbol)
		place->offset -= PROF_FROM_SYMBOL - MODULE_SIZE / 2;
	return place->dso;
}

/* Code that the kernel made: its name is that of its function. */
static bool map_made(struct hot_counted *c, const struct cf_binary *b, uint32_t i,
		     struct path_place *place)
{
	const struct pd_event ev = {
		.type = PERF_RECORD_KSYMBOL,
		.ksymbol = { .start = MODULES + i * MODULE_SIZE, .len = MODULE_SIZE,
			     .name = b->name },
	};

	if (pd_space_event(c->space, &ev))
		return false;
	*place = path_code_place(c->code, 0, ev.ksymbol.start);
	return true;
}

static bool map_binary(struct hot_counted *c, const struct cf_binary *b, uint32_t i,
		       bool is_kernel)
{
	struct path_place *place = &c->starts[i];

	if (is_kernel)
		return map_kernel(c, b, place);
	if (cf_is_made(b))
		return map_made(c, b, i, place);
	if (b->kernel)
		return map_module(c, b, i, place);
	*place = (struct path_place){ map_file(c, b, b->name, i * USER_SIZE, USER_SIZE, 0),
				      0, NULL };
	return place->dso;
}

static bool is_kernel(const struct cf_binary *b)
{
	return b->kernel && b->symbol;
}

/* Of several kernels, the one of the user's file has its functions, or else the first one. */
static uint32_t find_named_kernel(const struct hot_counted *c, const struct cf_head *head)
{
	uint32_t i, first = 0;

	for (i = CF_FIRST_BINARY; i < head->nr_binaries; i++) {
		const struct cf_binary *b = &head->binaries[i];

		if (!is_kernel(b))
			continue;
		if (img_vmlinux_is_of(c->img, b->build_id, b->build_id_size))
			return i;
		first = first ?: i;
	}
	return first;
}

/* Map each binary once. */
static bool map_all(struct hot_counted *c, const struct cf_head *head)
{
	const uint32_t named = find_named_kernel(c, head);
	uint32_t i;

	c->starts = calloc(head->nr_binaries, sizeof(*c->starts));
	if (!c->starts)
		return false;
	/* Where no binary is. */
	c->starts[CF_KERNEL].offset = UINT64_C(1) << 63;
	for (i = CF_FIRST_BINARY; i < head->nr_binaries; i++) {
		if (!map_binary(c, &head->binaries[i], i, i == named))
			return false;
		c->nr_nameless += is_kernel(&head->binaries[i]) && i != named;
	}
	return true;
}

/* Where code is beside the files themselves. */
static bool find_code(struct hot_counted *c, const struct samples_opts *opts)
{
	return samples_add_places(c->img, opts) &&
	       (!opts->kallsyms || img_set_kallsyms(c->img, opts->kallsyms)) &&
	       (!opts->vmlinux || img_set_vmlinux(c->img, opts->vmlinux));
}

int hot_counted_open(struct hot_counted *counted, struct cf_reader *reader,
		     const struct samples_opts *opts, struct error *error)
{
	*counted = (struct hot_counted){ .reader = reader };
	counted->space = pd_space_new(NULL);
	counted->img = img_new(opts->symfs);
	if (counted->space && counted->img)
		counted->code = path_code_new(counted->space, counted->img);
	if (!counted->code || !find_code(counted, opts) ||
	    !map_all(counted, cf_reader_head(reader)))
		return error_nomem(error);
	if (opts->kallsyms && counted->nr_nameless)
		return error_set(error, ERROR_INPUT,
				 "--kallsyms %s: the counts file has %u kernels, and a list does not tell which of them it is of; select one with `ssctr merge --build-id`, or use --vmlinux",
				 opts->kallsyms, counted->nr_nameless + 1);
	return 0;
}

static struct path_place place_of(const struct hot_counted *c, uint32_t binary, uint64_t offset)
{
	const struct cf_binary *b = &cf_reader_head(c->reader)->binaries[binary];
	struct path_place place = c->starts[binary];

	/* Of a file, a damaged offset must not become an address of the kernel. */
	place.offset += b->kernel ? offset : offset & COUNT_OFFSET_MASK;
	if (b->kernel)
		place.offset |= UINT64_C(1) << 63;
	return place;
}

static bool add_step(struct hot_counted *c, struct hot *hot, const struct cf_step *s)
{
	const bool weighed = hot->how & HOT_WEIGHED;
	const struct count_step step = {
		.from = s->mispredicted ? COUNT_MISPREDICTED : 0,
		.count = weighed ? s->weight : s->seen,
		.line = s->line,
		.length = s->length,
	};
	const struct count_detail detail = { .cycles = s->cycles, .timed = s->timed,
					     .type = s->type, .youngest = s->youngest };

	/* With weights, the newest transfer of a stack is not counted. */
	if (s->youngest && !step.count)
		return true;
	return hot_add(hot, place_of(c, s->from_binary, s->from),
		       place_of(c, s->to_binary, s->to), &step, &detail);
}

int hot_counted_add(struct hot_counted *counted, struct hot *hot, struct error *error)
{
	const struct cf_head *head = cf_reader_head(counted->reader);
	struct counts *counts = &hot->counts;
	struct cf_step step;
	int ret;

	while ((ret = cf_read_step(counted->reader, &step, error)) > 0) {
		if (step.from_binary < CF_FIRST_BINARY && step.to_binary < CF_FIRST_BINARY)
			counted->unplaced += step.seen;
		if (cf_lacks_length(&step))
			counted->lacking += step.weight;
		if (!add_step(counted, hot, &step))
			return error_nomem(error);
	}
	counts->samples += head->samples;
	counts->empty += head->empty;
	counts->entries += head->entries;
	counts->weight += hot->how & HOT_WEIGHED ? head->weight : head->entries;
	counts->flags |= head->flags;
	return ret;
}

void hot_counted_close(struct hot_counted *counted)
{
	path_code_free(counted->code);
	img_free(counted->img);
	pd_space_free(counted->space);
	free(counted->starts);
	*counted = (struct hot_counted){ 0 };
}
