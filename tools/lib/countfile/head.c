// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/head.h"
#include "base/array.h"
#include "countfile/chunk.h"

#include <stdio.h>
#include <stdlib.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int cf_compare_binaries(const struct cf_binary *a, const struct cf_binary *b)
{
	int order = compare_numbers(a->build_id_size, b->build_id_size);

	if (!order && a->build_id_size)
		order = memcmp(a->build_id, b->build_id, a->build_id_size);
	else if (!order)
		order = strcmp(a->name, b->name);
	if (order)
		return order;
	/* Offsets in the file come before offsets from a symbol. */
	if (!a->symbol || !b->symbol)
		return !!a->symbol - !!b->symbol;
	return strcmp(a->symbol, b->symbol);
}

int cf_order_binaries(const void *a, const void *b)
{
	return cf_compare_binaries(a, b);
}

void cf_head_free(struct cf_head *head)
{
	size_t i;

	for (i = 0; i < head->nr_binaries; i++) {
		free(head->binaries[i].name);
		free(head->binaries[i].symbol);
	}
	for (i = 0; i < head->nr_events; i++)
		free(head->events[i].name);
	free(head->sources);
	free(head->binaries);
	free(head->events);
	*head = (struct cf_head){ 0 };
}

/* ------------------------------------------------------------------- check */

static bool sources_are_sorted(const struct cf_head *head)
{
	const struct cf_source *s;
	size_t i;
	int order;

	for (i = 0; i < head->nr_sources; i++) {
		s = &head->sources[i];
		if (s->first > s->last)
			return false;
		order = i ? memcmp(s[-1].label, s->label, sizeof(s->label)) : -1;
		/* Neighbours would be one range. */
		if (order > 0 || (!order && (s->first <= s[-1].last ||
					     s->first - s[-1].last == 1)))
			return false;
	}
	return head->nr_sources;
}

static bool binaries_are_sorted(const struct cf_head *head)
{
	const struct cf_binary *b;
	size_t i;

	if (head->nr_binaries < CF_FIRST_BINARY || head->nr_binaries > CF_MAX_BINARIES)
		return false;
	for (i = CF_FIRST_BINARY; i < head->nr_binaries; i++) {
		b = &head->binaries[i];
		if (!*b->name || (b->symbol && !*b->symbol) ||
		    b->build_id_size > sizeof(b->build_id))
			return false;
		if (i > CF_FIRST_BINARY && cf_compare_binaries(b - 1, b) >= 0)
			return false;
	}
	return true;
}

static bool events_are_sorted(const struct cf_head *head)
{
	size_t i;

	for (i = 0; i < head->nr_events; i++)
		if (!*head->events[i].name ||
		    (i && strcmp(head->events[i - 1].name, head->events[i].name) >= 0))
			return false;
	return true;
}

const char *cf_head_check(const struct cf_head *head)
{
	if (!sources_are_sorted(head))
		return "the sources";
	if (!binaries_are_sorted(head))
		return "the binaries";
	if (!events_are_sorted(head))
		return "the events";
	if (head->begin > head->end || (head->untimed && !head->end))
		return "the times";
	return head->empty > head->samples ? "the samples" : NULL;
}

/* ------------------------------------------------------------------- write */

static void put_u64(FILE *out, uint64_t v)
{
	uint8_t bytes[8];

	cf_put64(bytes, v);
	fwrite(bytes, 1, sizeof(bytes), out);
}

/* With its NUL. */
static void put_text(FILE *out, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, out);
}

static void put_sources(FILE *out, const struct cf_head *head)
{
	const struct cf_source *s = head->sources, *end = s + head->nr_sources;

	for (; s < end; s++) {
		fwrite(s->label, 1, sizeof(s->label), out);
		put_u64(out, s->first);
		put_u64(out, s->last);
	}
}

enum { BINARY_OF_KERNEL = 1, BINARY_HAS_SYMBOL = 2 };

static void put_binaries(FILE *out, const struct cf_head *head)
{
	const struct cf_binary *b;
	size_t i;

	for (i = CF_FIRST_BINARY; i < head->nr_binaries; i++) {
		b = &head->binaries[i];
		fputc((b->kernel ? BINARY_OF_KERNEL : 0) |
			      (b->symbol ? BINARY_HAS_SYMBOL : 0), out);
		fputc((int)b->build_id_size, out);
		fwrite(b->build_id, 1, b->build_id_size, out);
		put_text(out, b->name);
		if (b->symbol)
			put_text(out, b->symbol);
	}
}

static void put_events(FILE *out, const struct cf_head *head)
{
	const struct cf_event *e = head->events, *end = e + head->nr_events;

	for (; e < end; e++) {
		put_text(out, e->name);
		put_u64(out, e->samples);
		put_u64(out, e->covered);
		put_u64(out, e->count);
		put_u64(out, e->unknown);
	}
}

static void put_time(FILE *out, const struct cf_head *head)
{
	put_u64(out, head->begin);
	put_u64(out, head->end);
}

static void put_sums(FILE *out, const struct cf_head *head)
{
	put_u64(out, head->samples);
	put_u64(out, head->empty);
	put_u64(out, head->entries);
	put_u64(out, head->weight);
	put_u64(out, head->lost);
	put_u64(out, head->dropped);
	put_u64(out, head->left_out);
	put_u64(out, head->left_out_weight);
}

enum {
	KIND_ALL_BRANCHES = 1,
	KIND_SCALED = 2,
	KIND_BY_EVENTS = 4,
	KIND_MIXED = 8,
	KIND_KNOWN = KIND_ALL_BRANCHES | KIND_SCALED | KIND_BY_EVENTS | KIND_MIXED,
};

static void put_kind(FILE *out, const struct cf_head *head)
{
	put_u64(out, head->depth);
	put_u64(out, head->flags);
	put_u64(out, (head->all_branches ? KIND_ALL_BRANCHES : 0) |
			     (head->scaled ? KIND_SCALED : 0) |
			     (head->by_events ? KIND_BY_EVENTS : 0) |
			     (head->mixed ? KIND_MIXED : 0));
}

/* -------------------------------------------------------------------- read */

static uint64_t get_u64(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 8);

	return p ? cf_get64(p) : 0;
}

/* Returns a text up to its NUL in the bytes, or "". */
static const char *get_text(struct cursor *c)
{
	const uint8_t *nul = memchr(c->p, 0, (size_t)(c->end - c->p));
	const uint8_t *text = cursor_take(c, nul ? (uint64_t)(nul - c->p) + 1 :
						   UINT64_MAX);

	return text ? (const char *)text : "";
}

static bool get_sources(struct cursor *c, struct cf_head *head)
{
	size_t nr = (size_t)(c->end - c->p) / 32;
	struct cf_source *s;

	head->sources = calloc(nr ?: 1, sizeof(*head->sources));
	if (!head->sources)
		return false;
	for (; head->nr_sources < nr; head->nr_sources++) {
		s = &head->sources[head->nr_sources];
		cursor_copy(c, s->label, sizeof(s->label));
		s->first = get_u64(c);
		s->last = get_u64(c);
	}
	return true;
}

static bool add_binary(struct cf_head *head, size_t *cap, const struct cf_binary *binary,
		       const char *name, const char *symbol)
{
	struct cf_binary *b;

	if (!array_room(&head->binaries, head->nr_binaries, cap, sizeof(*b)))
		return false;
	b = &head->binaries[head->nr_binaries++];
	*b = *binary;
	b->name = strdup(name);
	b->symbol = symbol ? strdup(symbol) : NULL;
	return b->name && !b->symbol == !symbol;
}

static bool get_binary(struct cursor *c, struct cf_head *head, size_t *cap)
{
	struct cf_binary b = { 0 }, *last;
	uint8_t bits = 0, size = 0;
	const char *name;

	cursor_copy(c, &bits, 1);
	cursor_copy(c, &size, 1);
	if (bits & ~(BINARY_OF_KERNEL | BINARY_HAS_SYMBOL) || size > sizeof(b.build_id)) {
		c->cut = true;
		return true;
	}
	b.kernel = bits & BINARY_OF_KERNEL;
	b.build_id_size = size;
	cursor_copy(c, b.build_id, size);
	name = get_text(c);
	if (!add_binary(head, cap, &b, name,
			bits & BINARY_HAS_SYMBOL ? get_text(c) : NULL))
		return false;
	/* Those of a hostile file must not take memory without end. */
	last = &head->binaries[head->nr_binaries - 1];
	c->cut |= !*name || (head->nr_binaries > CF_FIRST_BINARY + 1 &&
			     cf_compare_binaries(last - 1, last) >= 0);
	return true;
}

static bool get_binaries(struct cursor *c, struct cf_head *head)
{
	static const struct cf_binary nowhere, kernel = { .kernel = true };
	size_t cap = 0;

	if (!add_binary(head, &cap, &nowhere, "[unknown]", NULL) ||
	    !add_binary(head, &cap, &kernel, "[kernel]", NULL))
		return false;
	while (c->p < c->end && !c->cut)
		if (!get_binary(c, head, &cap))
			return false;
	return true;
}

static bool get_events(struct cursor *c, struct cf_head *head)
{
	size_t cap = 0;
	struct cf_event *e;

	while (c->p < c->end && !c->cut) {
		if (!array_room(&head->events, head->nr_events, &cap, sizeof(*e)))
			return false;
		e = &head->events[head->nr_events++];
		e->name = strdup(get_text(c));
		e->samples = get_u64(c);
		e->covered = get_u64(c);
		e->count = get_u64(c);
		e->unknown = get_u64(c);
		if (!e->name)
			return false;
	}
	return true;
}

static bool get_time(struct cursor *c, struct cf_head *head)
{
	head->begin = get_u64(c);
	head->end = get_u64(c);
	return true;
}

static bool get_sums(struct cursor *c, struct cf_head *head)
{
	head->samples = get_u64(c);
	head->empty = get_u64(c);
	head->entries = get_u64(c);
	head->weight = get_u64(c);
	head->lost = get_u64(c);
	head->dropped = get_u64(c);
	head->left_out = get_u64(c);
	head->left_out_weight = get_u64(c);
	return true;
}

static bool get_kind(struct cursor *c, struct cf_head *head)
{
	uint64_t depth = get_u64(c), bits;

	head->depth = (uint32_t)depth;
	head->flags = get_u64(c);
	bits = get_u64(c);
	head->all_branches = bits & KIND_ALL_BRANCHES;
	head->scaled = bits & KIND_SCALED;
	head->by_events = bits & KIND_BY_EVENTS;
	head->mixed = bits & KIND_MIXED;
	c->cut |= depth > UINT32_MAX || bits & ~(uint64_t)KIND_KNOWN ||
		  (head->mixed && !head->by_events);
	return true;
}

/* ------------------------------------------------------------------ fields */

/* That the field is there says all. */
static void put_untimed(FILE *out, const struct cf_head *head)
{
	(void)out;
	(void)head;
}

static bool get_untimed(struct cursor *c, struct cf_head *head)
{
	(void)c;
	head->untimed = true;
	return true;
}

/* In the order of the file. Each of them comes once, but the last one may be missing. */
static const struct {
	const char *tag;
	void (*put)(FILE *out, const struct cf_head *head);
	/* Returns false if out of memory. The cursor is cut if the bytes make no sense. */
	bool (*get)(struct cursor *c, struct cf_head *head);
} fields[] = {
	{ "SRCS", put_sources, get_sources },
	{ "TIME", put_time, get_time },
	{ "KIND", put_kind, get_kind },
	{ "SUMS", put_sums, get_sums },
	{ "EVTS", put_events, get_events },
	{ "BINS", put_binaries, get_binaries },
	{ "untm", put_untimed, get_untimed },
};

enum { NR_FIELDS = sizeof(fields) / sizeof(*fields), NR_REQUIRED = NR_FIELDS - 1 };

/* Returns false if out of memory. */
static bool put_field(FILE *out, unsigned int i, const struct cf_head *head)
{
	char *bytes = NULL;
	uint8_t number[4];
	size_t size;
	FILE *field = open_memstream(&bytes, &size);
	bool ok;

	if (!field)
		return false;
	fields[i].put(field, head);
	ok = !ferror(field);
	ok &= !fclose(field) && bytes;
	if (ok) {
		cf_put32(number, (uint32_t)size);
		fwrite(fields[i].tag, 1, CF_TAG, out);
		fwrite(number, 1, sizeof(number), out);
		fwrite(bytes, 1, size, out);
	}
	free(bytes);
	return ok;
}

bool cf_head_encode(const struct cf_head *head, char **bytes, size_t *size,
		    uint32_t *nr)
{
	unsigned int i;
	FILE *out;
	bool ok;

	*bytes = NULL;
	*size = 0;
	out = open_memstream(bytes, size);
	ok = out;
	*nr = head->untimed ? NR_FIELDS : NR_REQUIRED;
	for (i = 0; ok && i < *nr; i++)
		ok = put_field(out, i, head);
	ok = ok && !ferror(out);
	if (out && fclose(out))
		ok = false;
	/* The C library may not tell that the last bytes got no memory. */
	ok = ok && *bytes;
	if (!ok && out)
		free(*bytes);
	return ok;
}

/* Returns the number of a field, or NR_FIELDS. */
static unsigned int find_field(const uint8_t *tag)
{
	unsigned int i = 0;

	while (i < NR_FIELDS && !cf_is_tag(tag, fields[i].tag))
		i++;
	return i;
}

static int decode_field(struct cf_head *head, const uint8_t *tag, struct cursor *field,
			unsigned int *next, struct error *error)
{
	unsigned int i = find_field(tag);

	if (i == NR_FIELDS && cf_is_optional(tag))
		return 0;
	if (i == NR_FIELDS && cf_tag_is_text(tag))
		return error_set(error, ERROR_INPUT,
				 "has the field %.4s, which this ssctr does not know; use a newer ssctr",
				 tag);
	if (i == NR_FIELDS || i != *next)
		return error_set(error, ERROR_INPUT, "damaged: the fields of the head are wrong");
	++*next;
	if (!fields[i].get(field, head))
		return error_nomem(error);
	if (!field->cut && field->p == field->end)
		return 0;
	return error_set(error, ERROR_INPUT, "damaged: the field %s of the head is wrong",
			 fields[i].tag);
}

int cf_head_decode(struct cf_head *head, const uint8_t *bytes, size_t size,
		   uint32_t nr_fields, struct error *error)
{
	struct cursor c = { bytes, bytes + size, false, false }, field = c;
	const char *wrong;
	const uint8_t *tag;
	unsigned int next = 0;
	uint64_t items = 0;
	int ret = 0;

	*head = (struct cf_head){ 0 };
	while (!ret && c.p < c.end) {
		items++;
		tag = cursor_take(&c, CF_TAG + 4);
		field.p = tag ? cursor_take(&c, cf_get32(tag + CF_TAG)) : NULL;
		field.end = c.p;
		if (!field.p)
			return error_set(error, ERROR_INPUT, "damaged: the head is cut");
		ret = decode_field(head, tag, &field, &next, error);
	}
	if (ret)
		return ret;
	wrong = next < NR_REQUIRED || items != nr_fields ? "the fields" : cf_head_check(head);
	if (!wrong)
		return 0;
	return error_set(error, ERROR_INPUT, "damaged: %s of the head are wrong", wrong);
}
