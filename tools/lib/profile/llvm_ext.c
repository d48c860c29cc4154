// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file is a header, a table of sections and the sections. Numbers are ULEB128,
 * but for the table's, which are of 64 bits, little-endian.
 */
#include "profile/llvm.h"
#include "profile/names.h"
#include "profile/summary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0x5350524f46343204) /* "SPROF42" and the format, 4 */

enum {
	VERSION = 103,
	SECTION_SUMMARY = 1,
	SECTION_NAMES = 2,
	SECTION_OFFSETS = 4,
	SECTION_METADATA = 5,
	SECTION_PROFILE = 32,
	MAX_SECTIONS = 5,
	/* The magic and the version, how many sections, and a row of the table. */
	HEADER_SIZE = 9 + 1 + 8,
	ROW_SIZE = 4 * 8,
};

/* Of the summary: discriminators are flow-sensitive ones. */
#define FLAG_FS (UINT64_C(4) << 32)
/* Of the section of names: do not cut what -funique-internal-linkage-names adds. */
#define FLAG_UNIQUE_NAMES (UINT64_C(4) << 32)
/* Of the metadata: the profile is by probes, and these are checksums. */
#define FLAG_PROBES (UINT64_C(1) << 32)

struct section {
	uint64_t type, flags;
	FILE *file; /* NULL: out of memory */
	char *p; /* what was written to it, n bytes, when it is closed */
	size_t n;
};

static void put_uleb(FILE *file, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		putc_unlocked((v & 0x7f) | 0x80, file);
	putc_unlocked(v, file);
}

static void put_u64(FILE *file, uint64_t v)
{
	unsigned int i;

	for (i = 0; i < 64; i += 8)
		putc_unlocked(v >> i & 0xff, file);
}

static uint64_t put_names(FILE *file, const struct prof_names *names)
{
	uint64_t flags = 0;
	size_t i;

	put_uleb(file, names->nr);
	for (i = 0; i < names->nr; i++) {
		fwrite(names->v[i], 1, strlen(names->v[i]) + 1, file);
		if (strstr(names->v[i], ".__uniq."))
			flags = FLAG_UNIQUE_NAMES;
	}
	return flags;
}

static bool put_summary(FILE *file, const struct prof_samples *s)
{
	struct prof_summary sum;
	size_t i;

	if (!prof_summary_make(&sum, s))
		return false;
	put_uleb(file, sum.total);
	put_uleb(file, sum.max);
	put_uleb(file, sum.max_head);
	put_uleb(file, sum.nr_counts);
	put_uleb(file, sum.nr_funcs);
	put_uleb(file, PROF_NR_CUTOFFS);
	for (i = 0; i < PROF_NR_CUTOFFS; i++) {
		put_uleb(file, sum.cut[i].share);
		put_uleb(file, sum.cut[i].min_count);
		put_uleb(file, sum.cut[i].nr_counts);
	}
	return true;
}

/* --- functions --- */

static void put_func(FILE *file, const struct prof_samples *s,
		     const struct prof_func *f, const struct prof_names *names)
{
	uint32_t i, k;

	put_uleb(file, prof_name_index(names, f->name));
	put_uleb(file, f->total);
	put_uleb(file, f->nr_body);
	for (i = 0; i < f->nr_body; i++) {
		const struct prof_body *body = &s->bodies[f->body + i];

		put_uleb(file, body->loc.offset);
		put_uleb(file, body->loc.discriminator);
		put_uleb(file, body->count);
		put_uleb(file, body->nr_targets);
		for (k = 0; k < body->nr_targets; k++) {
			const struct prof_target *t =
				&s->targets[body->targets + k];

			put_uleb(file, prof_name_index(names, t->name));
			put_uleb(file, t->count);
		}
	}
	put_uleb(file, f->nr_children);
	for (i = 0; i < f->nr_children; i++) {
		const struct prof_func *child = &s->funcs[f->children + i];

		put_uleb(file, child->call.offset);
		put_uleb(file, child->call.discriminator);
		put_func(file, s, child, names);
	}
}

static void put_profile(FILE *file, FILE *offsets,
			const struct prof_samples *s, const struct prof_names *names)
{
	size_t i;

	put_uleb(offsets, s->nr_top);
	for (i = 0; i < s->nr_top; i++) {
		put_uleb(offsets, prof_name_index(names, s->funcs[i].name));
		put_uleb(offsets, ftell(file));
		put_uleb(file, s->funcs[i].head);
		put_func(file, s, &s->funcs[i], names);
	}
}

/* Of a function, and of what was inlined in it. */
static void put_checksums(FILE *file, const struct prof_samples *s,
			  const struct prof_func *f, const struct prof_names *names)
{
	uint32_t i;

	put_uleb(file, prof_name_index(names, f->name));
	put_uleb(file, f->checksum);
	put_uleb(file, f->nr_children);
	for (i = 0; i < f->nr_children; i++) {
		const struct prof_func *child = &s->funcs[f->children + i];

		put_uleb(file, child->call.offset);
		put_uleb(file, child->call.discriminator);
		put_checksums(file, s, child, names);
	}
}

static bool put_sections(struct section *v, unsigned int nr,
			 const struct prof_samples *samples)
{
	struct prof_names names = { 0 };
	bool done;
	size_t i;

	for (i = 0; i < nr; i++) {
		v[i].file = open_memstream(&v[i].p, &v[i].n);
		if (!v[i].file)
			return false;
	}
	done = prof_names_make(&names, samples) &&
	       put_summary(v[0].file, samples);
	if (done) {
		v[0].flags = samples->fs ? FLAG_FS : 0;
		v[1].flags = put_names(v[1].file, &names);
		put_profile(v[3].file, v[2].file, samples, &names);
		for (i = 0; nr > 4 && i < samples->nr_top; i++)
			put_checksums(v[4].file, samples, &samples->funcs[i],
				      &names);
	}
	free(names.v);
	return done;
}

int prof_write_llvm_ext(const struct prof_samples *samples, FILE *file)
{
	struct section v[MAX_SECTIONS] = {
		{ .type = SECTION_SUMMARY },
		{ .type = SECTION_NAMES },
		{ .type = SECTION_OFFSETS },
		{ .type = SECTION_PROFILE },
		{ .type = SECTION_METADATA, .flags = FLAG_PROBES },
	};
	const unsigned int nr = samples->by_probe ? MAX_SECTIONS : MAX_SECTIONS - 1;
	bool done = put_sections(v, nr, samples);
	uint64_t at = HEADER_SIZE + nr * ROW_SIZE;
	unsigned int i;

	for (i = 0; i < nr && v[i].file; i++) {
		done = !ferror(v[i].file) && done;
		/* The C library may not tell that the last bytes got no memory. */
		done = !fclose(v[i].file) && v[i].p && done;
	}
	if (done) {
		put_uleb(file, MAGIC);
		put_uleb(file, VERSION);
		put_u64(file, nr);
	}
	for (i = 0; done && i < nr; i++) {
		put_u64(file, v[i].type);
		put_u64(file, v[i].flags);
		put_u64(file, at);
		put_u64(file, v[i].n);
		at += v[i].n;
	}
	for (i = 0; i < nr; i++) {
		if (done)
			fwrite(v[i].p, 1, v[i].n, file);
		free(v[i].p);
	}
	return done ? 0 : PD_ENOMEM;
}
