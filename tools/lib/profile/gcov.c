// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words of 32 bits, counters of 64 as two of them, strings by their size in bytes
 * with the NUL and without padding. All as on the machine on which GCC runs, which
 * takes the order of the bytes to be its own: little-endian.
 */
#include "profile/gcov.h"
#include "profile/names.h"
#include "profile/summary.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAGIC = 0x67636461, /* "gcda" */
	NR_FIRST = 1, /* names before ours: GCC refuses the number 0 */
	INDIRECT_CALL = 0, /* the kind of a call's targets; it is not read */
};

#define TAG_SUMMARY  0xa8000000u
#define TAG_NAMES    0xaa000000u
#define TAG_FUNCTION 0xac000000u
#define TAG_MODULES  0xae000000u

struct out {
	FILE *file;
	const struct prof_samples *s;
	struct prof_names names;
	unsigned int version;
};

static void put32(FILE *file, uint32_t v)
{
	const uint8_t bytes[] = { v, v >> 8, v >> 16, v >> 24 };

	fwrite(bytes, sizeof(bytes), 1, file);
}

static void put64(FILE *file, uint64_t v)
{
	put32(file, v);
	put32(file, v >> 32);
}

static void put_string(FILE *file, const char *s)
{
	size_t n = strlen(s) + 1;

	put32(file, n);
	fwrite(s, n, 1, file);
}

static uint32_t pack(struct prof_loc loc)
{
	return loc.offset << 16 | (loc.discriminator & 0xffff);
}

static uint32_t name_of(const struct out *o, const char *name)
{
	return NR_FIRST + prof_name_index(&o->names, name);
}

/* --- names, and from version 3 on the files of functions --- */

static void put_names(const struct out *o, const uint32_t *file_of)
{
	const uint32_t no_file = UINT32_MAX;
	size_t i;

	put32(o->file, NR_FIRST + o->names.nr);
	put_string(o->file, "*"); /* no function's name */
	if (file_of)
		put32(o->file, no_file);
	for (i = 0; i < o->names.nr; i++) {
		put_string(o->file, o->names.v[i]);
		if (file_of)
			put32(o->file, file_of[i]);
	}
}

/* False: out of memory. */
static bool put_names_with_files(const struct out *o)
{
	uint32_t *file_of = malloc((o->names.nr + 1) * sizeof(*file_of));
	struct prof_names files = { 0 };
	bool done = file_of;
	size_t i;

	for (i = 0; done && i < o->s->nr_funcs; i++)
		done = prof_names_add(&files, o->s->funcs[i].file);
	if (done) {
		prof_names_sort(&files);
		memset(file_of, 0xff, o->names.nr * sizeof(*file_of));
		for (i = o->s->nr_funcs; i-- > 0;) {
			const struct prof_func *f = &o->s->funcs[i];

			if (f->file)
				file_of[prof_name_index(&o->names, f->name)] =
					prof_name_index(&files, f->file);
		}
		put32(o->file, files.nr);
		for (i = 0; i < files.nr; i++)
			put_string(o->file, files.v[i]);
		put_names(o, file_of);
	}
	free(files.v);
	free(file_of);
	return done;
}

/* --- functions --- */

/*
 * GCC takes 0 for what never runs, and makes it small and slow. But no sample may have
 * fallen into what seldom runs.
 */
static uint64_t at_least_once(uint64_t count)
{
	return count ? count : 1;
}

static void put_body(const struct out *o, const struct prof_body *b)
{
	uint32_t i, nr = 0;

	for (i = 0; i < b->nr_targets; i++)
		nr += o->s->targets[b->targets + i].indirect;
	put32(o->file, pack(b->loc));
	put32(o->file, nr);
	put64(o->file, at_least_once(b->count));
	for (i = 0; i < b->nr_targets; i++) {
		const struct prof_target *t = &o->s->targets[b->targets + i];

		if (!t->indirect)
			continue;
		put32(o->file, INDIRECT_CALL);
		put64(o->file, name_of(o, t->name));
		put64(o->file, t->count);
	}
}

static void put_func(const struct out *o, const struct prof_func *f)
{
	uint32_t i;

	if (f->parent == PROF_NO_FUNC) {
		put64(o->file, at_least_once(f->head));
		/* When it ran first, by which GCC orders code: not known. */
		if (o->version >= PROF_GCOV_3)
			put64(o->file, 0);
	}
	put32(o->file, name_of(o, f->name));
	put32(o->file, f->nr_body);
	put32(o->file, f->nr_children);
	for (i = 0; i < f->nr_body; i++)
		put_body(o, &o->s->bodies[f->body + i]);
	for (i = 0; i < f->nr_children; i++) {
		const struct prof_func *child = &o->s->funcs[f->children + i];

		put32(o->file, pack(child->call));
		put_func(o, child);
	}
}

/*
 * Before GCC 16, a function of which the profile has only the entries would be one of which nothing
 * else runs. GCC guesses better what runs in a function that is not there.
 */
static bool is_known(const struct out *o, const struct prof_func *f)
{
	return o->version >= PROF_GCOV_3 || f->nr_body || f->nr_children;
}

static void put_funcs(const struct out *o)
{
	const struct prof_func *f = o->s->funcs, *end = f + o->s->nr_top;
	uint32_t nr = 0;

	for (; f < end; f++)
		nr += is_known(o, f);
	put32(o->file, nr);
	for (f = o->s->funcs; f < end; f++)
		if (is_known(o, f))
			put_func(o, f);
}

static bool put_summary(const struct out *o)
{
	struct prof_summary sum;
	size_t i;

	if (!prof_summary_make(&sum, o->s))
		return false;
	put32(o->file, TAG_SUMMARY);
	put64(o->file, sum.total);
	put64(o->file, sum.max);
	put64(o->file, sum.max_head);
	put64(o->file, sum.nr_counts);
	put64(o->file, sum.nr_funcs);
	put64(o->file, PROF_NR_CUTOFFS);
	for (i = 0; i < PROF_NR_CUTOFFS; i++) {
		put32(o->file, sum.cut[i].share);
		put64(o->file, sum.cut[i].min_count);
		put64(o->file, sum.cut[i].nr_counts);
	}
	return true;
}

int prof_write_gcov(const struct prof_samples *samples, unsigned int version,
		    FILE *file)
{
	struct out o = { .file = file, .s = samples, .version = version };
	bool done;

	if (!prof_names_make(&o.names, samples)) {
		free(o.names.v);
		return PD_ENOMEM;
	}
	put32(file, MAGIC);
	put32(file, version);
	put32(file, 0);
	done = version < PROF_GCOV_3 || put_summary(&o);
	/* The sizes of sections are not read. */
	put32(file, TAG_NAMES);
	put32(file, 0);
	if (version < PROF_GCOV_3)
		put_names(&o, NULL);
	else
		done = done && put_names_with_files(&o);
	put32(file, TAG_FUNCTION);
	put32(file, 0);
	put_funcs(&o);
	put32(file, TAG_MODULES);
	put32(file, 0);
	put32(file, 0);
	free(o.names.v);
	return done ? 0 : PD_ENOMEM;
}
