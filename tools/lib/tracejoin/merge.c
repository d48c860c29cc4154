// SPDX-License-Identifier: GPL-2.0-only
#include "tracejoin/merge.h"
#include "base/array.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * They say that the trace tells all there is. The others say that there may be such
 * records, or what kind of trace it is.
 */
#define FEATURES_OF_ALL                                                        \
	(STF_FEATURE_OPERAND_VALUE | STF_FEATURE_INT_DIV_OPERAND_VALUE |       \
	 STF_FEATURE_SYSTEMCALL_VALUE)

/* ------------------------------------------------- what the traces agree upon */

static const struct stf_record *find(const struct tjoin_part *part, uint8_t desc)
{
	size_t i;

	for (i = 0; i < part->header.nr; i++)
		if (part->header.v[i].desc == desc)
			return &part->header.v[i];
	return NULL;
}

static bool same_text(const struct stf_text *a, const struct stf_text *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

/* The first trace with such a record speaks for all. NULL: no trace has one. */
static const struct tjoin_part *speaker(const struct tjoin_part *parts, size_t nr,
					uint8_t desc)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (find(&parts[i], desc))
			return &parts[i];
	return NULL;
}

static int check_isa_string(const struct tjoin_part *a, const struct tjoin_part *b,
			    struct error *error)
{
	const struct stf_record *of_a = find(a, STF_ISA_EXTENDED);
	const struct stf_record *of_b = find(b, STF_ISA_EXTENDED);

	if (!of_a || !of_b || same_text(&of_a->text, &of_b->text))
		return 0;
	return error_set(error, ERROR_USAGE,
			 "the ISA string of %s is %.*s, and that of %s is %.*s",
			 a->name, (int)of_a->text.size, of_a->text.data, b->name,
			 (int)of_b->text.size, of_b->text.data);
}

static int check_params(const struct tjoin_part *a, const struct tjoin_part *b,
			struct error *error)
{
	if (a->params.isa != b->params.isa)
		return error_set(error, ERROR_USAGE,
				 "%s and %s have instructions of different ISAs",
				 a->name, b->name);
	if (a->params.iem != b->params.iem)
		return error_set(error, ERROR_USAGE,
				 "%s has instructions of %s, and %s of %s", a->name,
				 a->params.iem == STF_IEM_RV32 ? "RV32" : "RV64",
				 b->name,
				 b->params.iem == STF_IEM_RV32 ? "RV32" : "RV64");
	if (a->params.mem_bits != b->params.mem_bits)
		return error_set(error, ERROR_USAGE,
				 "%s has the sizes of memory accesses in bits, because Dromajo made it, and %s has them in bytes",
				 a->params.mem_bits ? a->name : b->name,
				 a->params.mem_bits ? b->name : a->name);
	return 0;
}

static int check_vlen(const struct tjoin_part *a, const struct tjoin_part *b,
		      struct error *error)
{
	if (!b->params.vlen || a->params.vlen == b->params.vlen)
		return 0;
	return error_set(error, ERROR_USAGE,
			 "the VLEN of %s is %" PRIu32 ", and that of %s is %" PRIu32,
			 a->name, a->params.vlen, b->name, b->params.vlen);
}

/* One trace that tells is enough. */
static int check_features(const struct tjoin_part *parts, size_t nr, struct error *error)
{
	if (speaker(parts, nr, STF_TRACE_INFO_FEATURE))
		return 0;
	return error_set(error, ERROR_INPUT,
			 "%s: no trace has a TRACE_INFO_FEATURE in its header, and at least one must have it",
			 parts[0].name);
}

static int check(const struct tjoin_part *parts, size_t nr, const char *isa,
		 enum tjoin_remedy *remedy, struct error *error)
{
	const struct tjoin_part *string = speaker(parts, nr, STF_ISA_EXTENDED);
	const struct tjoin_part *vlen = speaker(parts, nr, STF_VLEN_CONFIG);
	int ret = check_features(parts, nr, error);
	size_t i;

	for (i = 0; !ret && i < nr; i++) {
		ret = check_params(&parts[0], &parts[i], error);
		if (!ret && vlen)
			ret = check_vlen(vlen, &parts[i], error);
		if (ret || !string || isa)
			continue;
		ret = check_isa_string(string, &parts[i], error);
		*remedy = ret ? TJOIN_NAME_ISA : TJOIN_NO_REMEDY;
	}
	return ret;
}

/* ------------------------------------------------------------------- comments */

/* A comment, and how many traces have it. */
struct comment {
	const struct stf_text *text;
	size_t nr;
	const struct tjoin_part *last; /* the last one that has it */
};

struct comments {
	struct hash by_text;
	struct comment *v;
	size_t nr, cap;
};

/* NULL: there is not enough memory. */
static struct comment *comment_of(struct comments *comments,
				  const struct stf_text *text)
{
	uint32_t hash = hash_bytes(0, text->data, text->size);
	struct hash_slot *slot;

	if (!hash_room(&comments->by_text) ||
	    !array_room(&comments->v, comments->nr, &comments->cap,
			sizeof(*comments->v)))
		return NULL;
	hash_for_each(&comments->by_text, slot, hash)
		if (same_text(comments->v[slot->number - 1].text, text))
			return &comments->v[slot->number - 1];
	hash_put(&comments->by_text, slot, hash, (uint32_t)comments->nr);
	comments->v[comments->nr] = (struct comment){ .text = text };
	return &comments->v[comments->nr++];
}

static bool count_comments(struct comments *comments, const struct tjoin_part *part)
{
	struct comment *comment;
	size_t i;

	for (i = 0; i < part->header.nr; i++) {
		if (part->header.v[i].desc != STF_COMMENT)
			continue;
		comment = comment_of(comments, &part->header.v[i].text);
		if (!comment)
			return false;
		comment->nr += comment->last != part;
		comment->last = part;
	}
	return true;
}

static bool add_named(struct tcut_header *merged, const struct tjoin_part *part,
		      const struct stf_text *text)
{
	size_t name = strlen(part->name), size = name + 2 + text->size;
	struct stf_record rec = { .desc = STF_COMMENT };
	char *named;
	bool ok;

	if (size > UINT32_MAX)
		return false;
	named = malloc(size);
	if (!named)
		return false;
	memcpy(named, part->name, name);
	memcpy(named + name, ": ", 2);
	memcpy(named + name + 2, text->data, text->size);
	rec.text = (struct stf_text){ named, (uint32_t)size };
	ok = tcut_header_add(merged, &rec);
	free(named);
	return ok;
}

static bool add_comment(struct tcut_header *merged, const struct tjoin_part *parts,
			size_t nr, const struct tjoin_part *part,
			const struct stf_record *rec, struct comments *comments)
{
	struct comment *comment = comment_of(comments, &rec->text);

	if (!comment)
		return false;
	if (comment->nr < nr)
		return add_named(merged, part, &rec->text);
	return part != parts || tcut_header_add(merged, rec);
}

/* ----------------------------------------------------------------- the header */

static uint64_t all_features(const struct tjoin_part *parts, size_t nr)
{
	uint64_t some = 0, all = UINT64_MAX;
	size_t i;

	for (i = 0; i < nr; i++) {
		some |= parts[i].params.features;
		all &= parts[i].params.features;
	}
	return (some & ~FEATURES_OF_ALL) | (all & FEATURES_OF_ALL);
}

static struct stf_version newest(const struct tjoin_part *parts, size_t nr)
{
	struct stf_version version = parts[0].params.version;
	size_t i;

	for (i = 1; i < nr; i++) {
		const struct stf_version *v = &parts[i].params.version;

		if (v->major > version.major ||
		    (v->major == version.major && v->minor > version.minor))
			version = *v;
	}
	return version;
}

/* Everything of the first trace but its END_HEADER. */
static bool add_first(struct tcut_header *merged, const struct tjoin_part *parts,
		      size_t nr, struct comments *comments)
{
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < parts->header.nr; i++) {
		struct stf_record rec = parts->header.v[i];

		if (rec.desc == STF_END_HEADER)
			continue;
		if (rec.desc == STF_TRACE_INFO_FEATURE)
			rec.features = all_features(parts, nr);
		if (rec.desc == STF_VERSION)
			rec.version = newest(parts, nr);
		ok = rec.desc == STF_COMMENT ?
			     add_comment(merged, parts, nr, parts, &rec, comments) :
			     tcut_header_add(merged, &rec);
	}
	return ok;
}

/* What each further trace has of its own. */
static bool add_further(struct tcut_header *merged, const struct tjoin_part *parts,
			size_t nr, const struct tjoin_part *part,
			struct comments *comments)
{
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < part->header.nr; i++) {
		const struct stf_record *rec = &part->header.v[i];

		if (rec->desc == STF_COMMENT)
			ok = add_comment(merged, parts, nr, part, rec, comments);
		else if (rec->desc == STF_TRACE_INFO &&
			 !tcut_header_has_info(merged, &rec->trace_info))
			ok = tcut_header_add(merged, rec);
	}
	return ok;
}

/* What the first trace does not tell and another one does. */
static bool add_missing(struct tcut_header *merged, const struct tjoin_part *parts,
			size_t nr, uint8_t desc)
{
	const struct tjoin_part *part = speaker(parts, nr, desc);

	return !part || part == parts || tcut_header_add(merged, find(part, desc));
}

/* Of all traces, if the first one has no such record, which belongs into each header. */
static bool add_features(struct tcut_header *merged, const struct tjoin_part *parts,
			 size_t nr)
{
	const struct stf_record rec = { .desc = STF_TRACE_INFO_FEATURE,
					.features = all_features(parts, nr) };

	return find(&parts[0], rec.desc) || tcut_header_add(merged, &rec);
}

static bool merge(struct tcut_header *merged, const struct tjoin_part *parts,
		  size_t nr, struct comments *comments)
{
	const struct stf_record end = { .desc = STF_END_HEADER };
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < nr; i++)
		ok = count_comments(comments, &parts[i]);
	ok = ok && add_first(merged, parts, nr, comments);
	for (i = 1; ok && i < nr; i++)
		ok = add_further(merged, parts, nr, &parts[i], comments);
	return ok && add_features(merged, parts, nr) &&
	       add_missing(merged, parts, nr, STF_ISA_EXTENDED) &&
	       add_missing(merged, parts, nr, STF_VLEN_CONFIG) &&
	       tcut_header_add(merged, &end);
}

int tjoin_merge(struct tcut_header *merged, struct tjoin_part *parts, size_t nr,
		const char *isa, enum tjoin_remedy *remedy, struct error *error)
{
	struct comments comments = { 0 };
	int ret = check(parts, nr, isa, remedy, error);

	*merged = (struct tcut_header){ 0 };
	if (!ret && !merge(merged, parts, nr, &comments))
		ret = error_nomem(error);
	hash_free(&comments.by_text);
	free(comments.v);
	return ret;
}
