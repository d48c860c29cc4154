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
	SECTION_PROFILE = 32,
	NR_SECTIONS = 4,
};

/* Of the section of names: do not cut what -funique-internal-linkage-names adds. */
#define FLAG_UNIQUE_NAMES (UINT64_C(4) << 32)

struct buffer {
	uint8_t *p;
	size_t n, cap;
	bool failed; /* out of memory */
};

static void put(struct buffer *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		size_t cap = 2 * (b->n + n) + 4096;
		uint8_t *grown = realloc(b->p, cap);

		if (!grown) {
			b->failed = true;
			return;
		}
		b->p = grown;
		b->cap = cap;
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put_uleb(struct buffer *b, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (v & 0x7f) | (v > 0x7f ? 0x80 : 0);
		v >>= 7;
	} while (v);
	put(b, bytes, n);
}

static void put_u64(struct buffer *b, uint64_t v)
{
	uint8_t bytes[8];
	int i;

	for (i = 0; i < 8; i++)
		bytes[i] = v >> 8 * i;
	put(b, bytes, sizeof(bytes));
}

static uint64_t put_names(struct buffer *b, const struct prof_names *names)
{
	uint64_t flags = 0;
	size_t i;

	put_uleb(b, names->nr);
	for (i = 0; i < names->nr; i++) {
		put(b, names->v[i], strlen(names->v[i]) + 1);
		if (strstr(names->v[i], ".__uniq."))
			flags = FLAG_UNIQUE_NAMES;
	}
	return flags;
}

static bool put_summary(struct buffer *b, const struct prof_samples *s)
{
	struct prof_summary sum;
	size_t i;

	if (!prof_summary_make(&sum, s))
		return false;
	put_uleb(b, sum.total);
	put_uleb(b, sum.max);
	put_uleb(b, sum.max_head);
	put_uleb(b, sum.nr_counts);
	put_uleb(b, sum.nr_funcs);
	put_uleb(b, PROF_NR_CUTOFFS);
	for (i = 0; i < PROF_NR_CUTOFFS; i++) {
		put_uleb(b, sum.cut[i].share);
		put_uleb(b, sum.cut[i].min_count);
		put_uleb(b, sum.cut[i].nr_counts);
	}
	return true;
}

/* --- functions --- */

static void put_func(struct buffer *b, const struct prof_samples *s,
		     const struct prof_func *f, const struct prof_names *names)
{
	uint32_t i, k;

	put_uleb(b, prof_name_index(names, f->name));
	put_uleb(b, f->total);
	put_uleb(b, f->nr_body);
	for (i = 0; i < f->nr_body; i++) {
		const struct prof_body *body = &s->bodies[f->body + i];

		put_uleb(b, body->loc.offset);
		put_uleb(b, body->loc.discriminator);
		put_uleb(b, body->count);
		put_uleb(b, body->nr_targets);
		for (k = 0; k < body->nr_targets; k++) {
			const struct prof_target *t =
				&s->targets[body->targets + k];

			put_uleb(b, prof_name_index(names, t->name));
			put_uleb(b, t->count);
		}
	}
	put_uleb(b, f->nr_children);
	for (i = 0; i < f->nr_children; i++) {
		const struct prof_func *child = &s->funcs[f->children + i];

		put_uleb(b, child->call.offset);
		put_uleb(b, child->call.discriminator);
		put_func(b, s, child, names);
	}
}

static void put_profile(struct buffer *b, struct buffer *offsets,
			const struct prof_samples *s, const struct prof_names *names)
{
	size_t i;

	put_uleb(offsets, s->nr_top);
	for (i = 0; i < s->nr_top; i++) {
		put_uleb(offsets, prof_name_index(names, s->funcs[i].name));
		put_uleb(offsets, b->n);
		put_uleb(b, s->funcs[i].head);
		put_func(b, s, &s->funcs[i], names);
	}
}

int prof_write_llvm_ext(const struct prof_samples *samples, FILE *file)
{
	static const uint64_t types[NR_SECTIONS] = {
		SECTION_SUMMARY, SECTION_NAMES, SECTION_OFFSETS,
		SECTION_PROFILE
	};
	struct buffer header = { 0 }, sections[NR_SECTIONS] = { 0 };
	uint64_t flags[NR_SECTIONS] = { 0 }, at;
	struct prof_names names = { 0 };
	bool failed = false;
	int i;

	if (!prof_names_make(&names, samples) ||
	    !put_summary(&sections[0], samples))
		failed = true;
	if (!failed) {
		flags[1] = put_names(&sections[1], &names);
		put_profile(&sections[3], &sections[2], samples, &names);
	}
	put_uleb(&header, MAGIC);
	put_uleb(&header, VERSION);
	put_u64(&header, NR_SECTIONS);
	at = header.n + NR_SECTIONS * 4 * 8;
	for (i = 0; i < NR_SECTIONS; i++) {
		put_u64(&header, types[i]);
		put_u64(&header, flags[i]);
		put_u64(&header, at);
		put_u64(&header, sections[i].n);
		at += sections[i].n;
		failed = failed || sections[i].failed;
	}
	failed = failed || header.failed;
	if (!failed)
		fwrite(header.p, header.n, 1, file);
	for (i = 0; i < NR_SECTIONS; i++) {
		if (!failed && sections[i].n)
			fwrite(sections[i].p, sections[i].n, 1, file);
		free(sections[i].p);
	}
	free(header.p);
	prof_names_free(&names);
	return failed ? PD_ENOMEM : 0;
}
