/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random counts, and what a counts file of them must have. It is found by simple means:
 * each key is searched among all others.
 */
#ifndef TESTS_COUNTFILE_BUILD_H
#define TESTS_COUNTFILE_BUILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xxh64.h"
#include "countfile/countfile.h"
#include "test.h"

enum {
	/* the binaries that exist, in the order of their identities */
	ALL_BINARIES = 12,
	ALL_EVENTS = 3,
	KEYS = 8, /* numbers of a step's key */
};

/* Steps and samples have the numbers of ALL_BINARIES. */
struct content {
	struct cf_head head; /* without binaries */
	bool has[ALL_BINARIES];
	const char *names[ALL_BINARIES];
	uint8_t last_id; /* each byte of the build id of the last binary; 0: that of binary_of() */
	struct cf_step *steps;
	struct cf_sample *samples;
	size_t nr_steps, cap_steps, nr_samples, cap_samples;
};

static inline unsigned int one_of(unsigned int n)
{
	return (unsigned int)(test_random() % n);
}

/* Binaries 2 to 5 have no build id. 10 and 11 differ only in the symbol. */
static inline struct cf_binary binary_of(unsigned int i, const char *name)
{
	struct cf_binary b = { .name = strdup(name) };

	if (i >= 6) {
		b.build_id_size = i < 8 ? 16 : 20;
		memset(b.build_id, (int)(i == 11 ? 10 : i), b.build_id_size);
	}
	b.kernel = i == 1 || i >= 10;
	if (i == 11)
		b.symbol = strdup("_stext");
	return b;
}

static inline const char *random_name(unsigned int i)
{
	static const char *const fixed[] = { "[unknown]", "[kernel]", "/bin/a", "/bin/b",
					     "/bin/c", "/lib/\xc3\xa9" };
	static const char *const names[] = { "/usr/bin/x", "/usr/bin/y", "/opt/x", "x" };

	return i < 6 ? fixed[i] : names[one_of(4)];
}

static inline void key_of(const struct cf_step *s, uint64_t key[KEYS])
{
	const uint64_t v[KEYS] = { s->from_binary, s->to_binary, s->from, s->to,
				   (uint64_t)((int64_t)s->line + (INT64_C(1) << 31)),
				   s->type, s->mispredicted, s->youngest };

	memcpy(key, v, sizeof(v));
}

static inline int by_key(const void *a, const void *b)
{
	uint64_t x[KEYS], y[KEYS];
	unsigned int i;

	key_of(a, x);
	key_of(b, y);
	for (i = 0; i < KEYS; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static inline int by_place(const void *a, const void *b)
{
	const struct cf_sample *x = a, *y = b;

	if (x->binary != y->binary)
		return x->binary < y->binary ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static inline void content_add_step(struct content *c, const struct cf_step *step)
{
	struct cf_step *s;
	size_t i;

	for (i = 0; i < c->nr_steps; i++) {
		s = &c->steps[i];
		if (by_key(s, step))
			continue;
		s->seen += step->seen;
		s->weight += step->weight;
		s->cycles += step->cycles;
		s->timed += step->timed;
		s->length = s->length > step->length ? s->length : step->length;
		return;
	}
	if (c->nr_steps == c->cap_steps) {
		c->cap_steps = 2 * c->cap_steps + 16;
		c->steps = realloc(c->steps, c->cap_steps * sizeof(*s));
		CHECK(c->steps);
	}
	c->steps[c->nr_steps++] = *step;
}

static inline void content_add_sample(struct content *c, const struct cf_sample *sample)
{
	size_t i;

	for (i = 0; i < c->nr_samples; i++)
		if (!by_place(&c->samples[i], sample)) {
			c->samples[i].count += sample->count;
			return;
		}
	if (c->nr_samples == c->cap_samples) {
		c->cap_samples = 2 * c->cap_samples + 16;
		c->samples = realloc(c->samples, c->cap_samples * sizeof(*sample));
		CHECK(c->samples);
	}
	c->samples[c->nr_samples++] = *sample;
}

static inline void random_place(const struct content *c, uint32_t *binary, uint64_t *offset,
				unsigned int range)
{
	do
		*binary = one_of(ALL_BINARIES);
	while (!c->has[*binary]);
	*offset = *binary < 2 ? 0 : 2 * one_of(range);
	if (*binary >= 2 && !one_of(50))
		*offset = UINT64_MAX - one_of(3);
}

static inline struct cf_step random_step(const struct content *c, unsigned int range)
{
	struct cf_step s = { .type = (uint16_t)(one_of(9) ? one_of(4) : one_of(32)),
			     .mispredicted = !one_of(4),
			     .youngest = !one_of(5),
			     .seen = 1 + (one_of(3) ? one_of(3) : one_of(100000)),
			     .length = one_of(4) ? one_of(60) : 0 };

	random_place(c, &s.from_binary, &s.from, range);
	random_place(c, &s.to_binary, &s.to, range);
	if (one_of(2))
		s.to_binary = s.from_binary, s.to = s.to_binary < 2 ? 0 : s.to;
	s.line = one_of(5) ? (int32_t)one_of(20) * 2 : CF_NO_LINE;
	if (!one_of(40))
		s.line = one_of(2) ? INT32_MAX : INT32_MIN + 1;
	s.weight = one_of(20) ? s.seen * one_of(3 << 20) : test_random() >> 20;
	if (one_of(2))
		s.timed = one_of(3) ? s.seen : 1 + test_random() % s.seen;
	if (s.timed)
		s.cycles = one_of(10) ? s.timed * one_of(300) : test_random() >> 20;
	return s;
}

static inline void random_events(struct cf_head *head)
{
	static const char *const names[ALL_EVENTS] = { "cycles:u", "instructions:u", "r1a" };
	unsigned int i;

	head->events = calloc(ALL_EVENTS, sizeof(*head->events));
	CHECK(head->events);
	for (i = 0; i < ALL_EVENTS; i++)
		if (one_of(2))
			head->events[head->nr_events++] = (struct cf_event){
				strdup(names[i]), one_of(100), one_of(10000),
				test_random() >> 20, one_of(3)
			};
}

/* Counts of one period of one machine, with at most so many steps. */
static inline void content_make(struct content *c, uint8_t machine, uint64_t period,
				unsigned int steps, unsigned int range)
{
	struct cf_sample sample;
	struct cf_step step;
	unsigned int i;

	*c = (struct content){ 0 };
	for (i = 0; i < ALL_BINARIES; i++) {
		c->has[i] = i < 2 || one_of(2);
		c->names[i] = random_name(i);
	}
	c->head.sources = calloc(1, sizeof(*c->head.sources));
	CHECK(c->head.sources);
	memset(c->head.sources->label, machine, sizeof(c->head.sources->label));
	c->head.sources->first = c->head.sources->last = period;
	c->head.nr_sources = 1;
	random_events(&c->head);
	c->head.begin = 1000000 + one_of(1000);
	c->head.end = c->head.begin + one_of(1000);
	if (!one_of(6))
		c->head.begin = c->head.end = 0; /* not known */
	c->head.depth = one_of(256);
	c->head.samples = 100 + one_of(1000);
	c->head.empty = one_of(100);
	c->head.lost = one_of(10);
	c->head.dropped = one_of(10);
	c->head.flags = one_of(16);
	c->head.all_branches = true;
	c->head.by_events = steps && one_of(2);
	c->head.mixed = c->head.by_events && !one_of(4);
	for (i = 0; i < steps; i++) {
		step = random_step(c, range);
		content_add_step(c, &step);
	}
	for (i = 0; i < steps / 3; i++) {
		random_place(c, &sample.binary, &sample.offset, range);
		sample.count = 1 + one_of(100);
		content_add_sample(c, &sample);
	}
}

static inline void content_free(struct content *c)
{
	cf_head_free(&c->head);
	free(c->steps);
	free(c->samples);
	*c = (struct content){ 0 };
}

/* In the order of a file. */
static inline void content_sort(struct content *c)
{
	if (c->nr_steps)
		qsort(c->steps, c->nr_steps, sizeof(*c->steps), by_key);
	if (c->nr_samples)
		qsort(c->samples, c->nr_samples, sizeof(*c->samples), by_place);
}

/* The head with its binaries and sums; new_number gets the number of each binary. */
static inline struct cf_head content_head(const struct content *c,
					  uint32_t new_number[ALL_BINARIES])
{
	struct cf_head head = c->head;
	unsigned int i;
	size_t n;

	head.nr_binaries = 0;
	head.binaries = calloc(ALL_BINARIES, sizeof(*head.binaries));
	CHECK(head.binaries);
	for (i = 0; i < ALL_BINARIES; i++)
		if (c->has[i]) {
			new_number[i] = (uint32_t)head.nr_binaries;
			head.binaries[head.nr_binaries++] = binary_of(i, c->names[i]);
		}
	if (c->last_id)
		memset(head.binaries[head.nr_binaries - 1].build_id, c->last_id,
		       head.binaries[head.nr_binaries - 1].build_id_size);
	head.entries = head.weight = 0;
	for (n = 0; n < c->nr_steps; n++) {
		head.entries += c->steps[n].seen;
		head.weight += c->steps[n].weight;
	}
	return head;
}

/* Free what content_head() added. */
static inline void content_head_free(struct cf_head *head)
{
	head->events = NULL;
	head->nr_events = 0;
	head->sources = NULL;
	cf_head_free(head);
}

static inline void content_write(const char *path, struct content *c)
{
	uint32_t new_number[ALL_BINARIES];
	struct cf_head head = content_head(c, new_number);
	struct cf_writer *w;
	struct error error;
	struct cf_step step;
	struct cf_sample sample;
	size_t i;

	content_sort(c);
	CHECK_EQ(cf_writer_open(&w, path, &head, &error), 0);
	for (i = 0; i < c->nr_steps; i++) {
		step = c->steps[i];
		step.from_binary = new_number[step.from_binary];
		step.to_binary = new_number[step.to_binary];
		CHECK_EQ(cf_write_step(w, &step, &error), 0);
	}
	for (i = 0; i < c->nr_samples; i++) {
		sample = c->samples[i];
		sample.binary = new_number[sample.binary];
		CHECK_EQ(cf_write_sample(w, &sample, &error), 0);
	}
	CHECK_EQ(cf_writer_close(w, true, &error), 0);
	content_head_free(&head);
}

static inline void same_binary(const struct cf_binary *a, const struct cf_binary *b)
{
	CHECK_STR(a->name, b->name);
	CHECK_EQ(a->build_id_size, b->build_id_size);
	CHECK(!memcmp(a->build_id, b->build_id, sizeof(a->build_id)));
	CHECK_EQ(a->kernel, b->kernel);
	CHECK_STR(a->symbol ?: "-", b->symbol ?: "-");
}

static inline void same_event(const struct cf_event *a, const struct cf_event *b)
{
	CHECK_STR(a->name, b->name);
	CHECK_EQ(a->samples, b->samples);
	CHECK_EQ(a->covered, b->covered);
	CHECK_EQ(a->count, b->count);
	CHECK_EQ(a->unknown, b->unknown);
}

static inline void same_head(const struct cf_head *a, const struct cf_head *b)
{
	size_t i;

	CHECK_EQ(a->nr_sources, b->nr_sources);
	for (i = 0; i < a->nr_sources; i++)
		CHECK(!memcmp(&a->sources[i], &b->sources[i], sizeof(*a->sources)));
	CHECK_EQ(a->nr_binaries, b->nr_binaries);
	for (i = 0; i < a->nr_binaries; i++)
		same_binary(&a->binaries[i], &b->binaries[i]);
	CHECK_EQ(a->nr_events, b->nr_events);
	for (i = 0; i < a->nr_events; i++)
		same_event(&a->events[i], &b->events[i]);
	CHECK_EQ(a->begin, b->begin);
	CHECK_EQ(a->end, b->end);
	CHECK_EQ(a->untimed, b->untimed);
	CHECK_EQ(a->depth, b->depth);
	CHECK_EQ(a->samples, b->samples);
	CHECK_EQ(a->empty, b->empty);
	CHECK_EQ(a->entries, b->entries);
	CHECK_EQ(a->weight, b->weight);
	CHECK_EQ(a->lost, b->lost);
	CHECK_EQ(a->dropped, b->dropped);
	CHECK_EQ(a->left_out, b->left_out);
	CHECK_EQ(a->left_out_weight, b->left_out_weight);
	CHECK_EQ(a->flags, b->flags);
	CHECK_EQ(a->all_branches, b->all_branches);
	CHECK_EQ(a->scaled, b->scaled);
	CHECK_EQ(a->by_events, b->by_events);
	CHECK_EQ(a->mixed, b->mixed);
}

static inline void same_counts(const struct cf_step *a, const struct cf_step *b)
{
	CHECK_EQ(a->seen, b->seen);
	CHECK_EQ(a->weight, b->weight);
	CHECK_EQ(a->cycles, b->cycles);
	CHECK_EQ(a->timed, b->timed);
	CHECK_EQ(a->length, b->length);
}

/* The bytes of a file, which the caller frees. */
static inline uint8_t *bytes_of(const char *name, size_t *size)
{
	FILE *file = fopen(test_path(name), "r");
	struct stat st;
	uint8_t *v;

	CHECK(file && !fstat(fileno(file), &st));
	*size = (size_t)st.st_size;
	v = malloc(*size + 1);
	CHECK(v && fread(v, 1, *size, file) == *size);
	fclose(file);
	return v;
}

static inline void put_bytes(const char *name, const void *v, size_t size)
{
	FILE *file = fopen(test_path(name), "w");

	CHECK(file && fwrite(v, 1, size, file) == size && !fclose(file));
}

/* The same with the right checksum at its end. */
static inline void put_sealed(const char *name, uint8_t *v, size_t size)
{
	struct xxh64 x;
	uint64_t sum;
	unsigned int i;

	xxh64_begin(&x);
	xxh64_add(&x, v, size - 8);
	sum = xxh64_end(&x);
	for (i = 0; i < 8; i++)
		v[size - 8 + i] = (uint8_t)(sum >> 8 * i);
	put_bytes(name, v, size);
}

/* The file has this content. */
static inline void content_check(const char *path, struct content *c)
{
	uint32_t new_number[ALL_BINARIES];
	struct cf_head head = content_head(c, new_number);
	struct cf_reader *r;
	struct error error;
	struct cf_step step, want;
	struct cf_sample sample;
	size_t i;

	content_sort(c);
	if (cf_reader_open(&r, path, &error))
		test_fail(__FILE__, __LINE__, "%s", error.text);
	same_head(cf_reader_head(r), &head);
	for (i = 0; i < c->nr_steps; i++) {
		CHECK_EQ(cf_read_step(r, &step, &error), 1);
		want = c->steps[i];
		want.from_binary = new_number[want.from_binary];
		want.to_binary = new_number[want.to_binary];
		CHECK_EQ(by_key(&step, &want), 0);
		same_counts(&step, &want);
	}
	CHECK_EQ(cf_read_step(r, &step, &error), 0);
	for (i = 0; i < c->nr_samples; i++) {
		CHECK_EQ(cf_read_sample(r, &sample, &error), 1);
		CHECK_EQ(sample.binary, new_number[c->samples[i].binary]);
		CHECK_EQ(sample.offset, c->samples[i].offset);
		CHECK_EQ(sample.count, c->samples[i].count);
	}
	CHECK_EQ(cf_read_sample(r, &sample, &error), 0);
	cf_reader_close(r);
	content_head_free(&head);
}

#endif
