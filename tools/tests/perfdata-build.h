/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A perf.data file, record by record, as the kernel and perf write it: from
 * <linux/perf_event.h>, for the tests of what reads such files.
 *
 *	struct pdb b = { 0 };
 *
 *	pdb_event(&b, SAMPLE_TYPE, BRANCH_TYPE);
 *	pdb_mmap2(&b, 10, 0x1000, 0x2000, 0, "/bin/x", 1);
 *	pdb_sample(&b, 0, &(struct pdb_sample){ .ip = 0x1010, ... });
 *	pdb_finish(&b);		b.file.p, b.file.n is the file
 *	pdb_free(&b);
 */
#ifndef TESTS_PERFDATA_BUILD_H
#define TESTS_PERFDATA_BUILD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pdb_buf {
	uint8_t *p;
	size_t n, cap;
};

enum { PDB_MAX_EVENTS = 4, PDB_MAX_FEATURES = 8, PDB_MAX_IDS = 4 };

struct pdb_attr {
	struct perf_event_attr attr;
	uint64_t ids[PDB_MAX_IDS];
	unsigned int nr_ids;
};

struct pdb {
	struct pdb_attr events[PDB_MAX_EVENTS];
	unsigned int nr_events;
	struct pdb_buf data;
	size_t record;		/* where the record at work starts */
	struct {
		unsigned int bit;
		struct pdb_buf body;
	} features[PDB_MAX_FEATURES];	/* by rising bit */
	unsigned int nr_features;
	struct pdb_buf file;
};

/* What `perf record -b` asks for, for several events or all harts. */
#define PDB_BRANCH_SAMPLE                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |             \
	 PERF_SAMPLE_BRANCH_STACK)

enum {
	PDB_MISC_KERNEL = 1,
	PDB_MISC_USER = 2,
	PDB_MISC_EXEC = 1 << 13,	/* of COMM and FORK */
	PDB_MISC_MMAP_BUILD_ID = 1 << 14,
	PDB_FINISHED_ROUND = 68,
	PDB_AUXTRACE = 71,
	PDB_COMPRESSED = 81,
};

static inline void pdb_put(struct pdb_buf *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n) + 64;
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			abort();
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static inline void pdb_u32(struct pdb_buf *b, uint32_t v)
{
	pdb_put(b, &v, 4);
}

static inline void pdb_u64(struct pdb_buf *b, uint64_t v)
{
	pdb_put(b, &v, 8);
}

/* A text, its NUL, and NULs up to the next multiple of 8. */
static inline void pdb_text(struct pdb_buf *b, const char *s)
{
	static const char zero[8];
	size_t n = strlen(s) + 1;

	pdb_put(b, s, n);
	pdb_put(b, zero, -n & 7);
}

/* A new event; its ids are 100 * (its index + 1) and up. Returns its index. */
static inline unsigned int pdb_event(struct pdb *b, uint64_t sample_type,
				     uint64_t branch_sample_type)
{
	struct pdb_attr *a = &b->events[b->nr_events];

	*a = (struct pdb_attr){ .nr_ids = 2 };
	a->attr.size = sizeof(a->attr);
	a->attr.sample_type = sample_type;
	a->attr.branch_sample_type = branch_sample_type;
	a->attr.sample_id_all = 1;
	a->attr.exclude_kernel = 1;
	a->ids[0] = 100 * (b->nr_events + 1);
	a->ids[1] = a->ids[0] + 1;
	return b->nr_events++;
}

static inline void pdb_begin(struct pdb *b, uint32_t type, uint16_t misc)
{
	b->record = b->data.n;
	pdb_u32(&b->data, type);
	pdb_put(&b->data, &misc, 2);
	pdb_put(&b->data, "\0", 2);
}

static inline void pdb_end(struct pdb *b)
{
	uint16_t size = b->data.n - b->record;

	memcpy(b->data.p + b->record + 6, &size, 2);
}

/* The trailer of records that are no samples, and the record's end. */
static inline void pdb_end_with_id(struct pdb *b, unsigned int event,
				   uint32_t pid, uint64_t time)
{
	const struct pdb_attr *a = &b->events[event];
	const uint64_t type = a->attr.sample_type;

	if (a->attr.sample_id_all) {
		if (type & PERF_SAMPLE_TID) {
			pdb_u32(&b->data, pid);
			pdb_u32(&b->data, pid);
		}
		if (type & PERF_SAMPLE_TIME)
			pdb_u64(&b->data, time);
		if (type & PERF_SAMPLE_ID)
			pdb_u64(&b->data, a->ids[0]);
		if (type & PERF_SAMPLE_STREAM_ID)
			pdb_u64(&b->data, a->ids[0]);
		if (type & PERF_SAMPLE_CPU)
			pdb_u64(&b->data, 1);
		if (type & PERF_SAMPLE_IDENTIFIER)
			pdb_u64(&b->data, a->ids[0]);
	}
	pdb_end(b);
}

static inline void pdb_mmap(struct pdb *b, uint16_t misc, uint32_t pid,
			    uint64_t start, uint64_t len, uint64_t pgoff,
			    const char *name, uint64_t time)
{
	pdb_begin(b, PERF_RECORD_MMAP, misc);
	pdb_u32(&b->data, pid);
	pdb_u32(&b->data, pid);
	pdb_u64(&b->data, start);
	pdb_u64(&b->data, len);
	pdb_u64(&b->data, pgoff);
	pdb_text(&b->data, name);
	pdb_end_with_id(b, 0, pid, time);
}

/* build_id: 20 bytes, or NULL for the form with the inode. */
static inline void pdb_mmap2_id(struct pdb *b, uint32_t pid, uint64_t start,
				uint64_t len, uint64_t pgoff, const char *name,
				uint64_t time, const uint8_t *build_id)
{
	static const uint8_t inode[20] = { 8, 0, 0, 0, 1 };

	pdb_begin(b, PERF_RECORD_MMAP2,
		  PDB_MISC_USER | (build_id ? PDB_MISC_MMAP_BUILD_ID : 0));
	pdb_u32(&b->data, pid);
	pdb_u32(&b->data, pid);
	pdb_u64(&b->data, start);
	pdb_u64(&b->data, len);
	pdb_u64(&b->data, pgoff);
	pdb_u32(&b->data, build_id ? 20 : 8);
	pdb_put(&b->data, build_id ? build_id : inode, 20);
	pdb_u32(&b->data, 5);	/* PROT_READ | PROT_EXEC */
	pdb_u32(&b->data, 2);	/* MAP_PRIVATE */
	pdb_text(&b->data, name);
	pdb_end_with_id(b, 0, pid, time);
}

static inline void pdb_mmap2(struct pdb *b, uint32_t pid, uint64_t start,
			     uint64_t len, uint64_t pgoff, const char *name,
			     uint64_t time)
{
	pdb_mmap2_id(b, pid, start, len, pgoff, name, time, NULL);
}

static inline void pdb_comm(struct pdb *b, uint16_t misc, uint32_t pid,
			    const char *name, uint64_t time)
{
	pdb_begin(b, PERF_RECORD_COMM, misc);
	pdb_u32(&b->data, pid);
	pdb_u32(&b->data, pid);
	pdb_text(&b->data, name);
	pdb_end_with_id(b, 0, pid, time);
}

/* FORK or EXIT. */
static inline void pdb_task(struct pdb *b, uint32_t type, uint16_t misc,
			    uint32_t pid, uint32_t tid, uint32_t ppid,
			    uint64_t time)
{
	pdb_begin(b, type, misc);
	pdb_u32(&b->data, pid);
	pdb_u32(&b->data, ppid);
	pdb_u32(&b->data, tid);
	pdb_u32(&b->data, ppid);
	pdb_u64(&b->data, time);
	pdb_end_with_id(b, 0, pid, time);
}

static inline void pdb_round(struct pdb *b)
{
	pdb_begin(b, PDB_FINISHED_ROUND, 0);
	pdb_end(b);
}

struct pdb_sample {
	uint64_t ip, time, addr, period;
	uint32_t pid, tid, cpu;
	unsigned int nr_chain;
	const uint64_t *chain;
	unsigned int raw_size;		/* 4 more than a multiple of 8 */
	const void *raw;
	uint64_t hw_idx;
	unsigned int nr_branches;
	const uint64_t (*branches)[3];	/* from, to, flags; youngest first */
};

/* The values of an event group in sample field READ, as read_format asks. */
static inline void pdb_read_values(struct pdb_buf *out, uint64_t format)
{
	unsigned int i, nr = format & PERF_FORMAT_GROUP ? 3 : 1;

	if (format & PERF_FORMAT_GROUP)
		pdb_u64(out, nr);
	else
		pdb_u64(out, 0x7001);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		pdb_u64(out, 0x7002);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		pdb_u64(out, 0x7003);
	for (i = 0; i < nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			pdb_u64(out, 0x7004);
		if (format & PERF_FORMAT_ID)
			pdb_u64(out, 0x7005);
		if (format & 1 << 4)	/* PERF_FORMAT_LOST */
			pdb_u64(out, 0x7006);
	}
}

static inline void pdb_sample(struct pdb *b, unsigned int event,
			      const struct pdb_sample *s)
{
	const struct pdb_attr *a = &b->events[event];
	const uint64_t type = a->attr.sample_type, id = a->ids[1];
	struct pdb_buf *out = &b->data;

	pdb_begin(b, PERF_RECORD_SAMPLE, PDB_MISC_USER);
	if (type & PERF_SAMPLE_IDENTIFIER)
		pdb_u64(out, id);
	if (type & PERF_SAMPLE_IP)
		pdb_u64(out, s->ip);
	if (type & PERF_SAMPLE_TID) {
		pdb_u32(out, s->pid);
		pdb_u32(out, s->tid ? s->tid : s->pid);
	}
	if (type & PERF_SAMPLE_TIME)
		pdb_u64(out, s->time);
	if (type & PERF_SAMPLE_ADDR)
		pdb_u64(out, s->addr);
	if (type & PERF_SAMPLE_ID)
		pdb_u64(out, id);
	if (type & PERF_SAMPLE_STREAM_ID)
		pdb_u64(out, id);
	if (type & PERF_SAMPLE_CPU)
		pdb_u64(out, s->cpu);
	if (type & PERF_SAMPLE_PERIOD)
		pdb_u64(out, s->period);
	if (type & PERF_SAMPLE_READ)
		pdb_read_values(out, a->attr.read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		pdb_u64(out, s->nr_chain);
		pdb_put(out, s->chain, 8 * s->nr_chain);
	}
	if (type & PERF_SAMPLE_RAW) {
		pdb_u32(out, s->raw_size);
		pdb_put(out, s->raw, s->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		pdb_u64(out, s->nr_branches);
		if (a->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			pdb_u64(out, s->hw_idx);
		pdb_put(out, s->branches, 24 * s->nr_branches);
	}
	if (type & PERF_SAMPLE_WEIGHT)
		pdb_u64(out, 1);
	pdb_end(b);
}

/* A header section; call in the order of their bits. */
static inline struct pdb_buf *pdb_feature(struct pdb *b, unsigned int bit)
{
	b->features[b->nr_features].bit = bit;
	return &b->features[b->nr_features++].body;
}

static inline void pdb_feature_text(struct pdb *b, unsigned int bit,
				    const char *text)
{
	struct pdb_buf *body = pdb_feature(b, bit);

	pdb_u32(body, (strlen(text) + 8) & ~7u);
	pdb_text(body, text);
}

static inline void pdb_set64(struct pdb_buf *b, size_t at, uint64_t v)
{
	memcpy(b->p + at, &v, 8);
}

/* Put the file together in b->file. */
static inline void pdb_finish(struct pdb *b)
{
	struct pdb_buf *f = &b->file;
	const size_t attr_size = sizeof(struct perf_event_attr) + 16;
	uint64_t ids_at[PDB_MAX_EVENTS];
	uint8_t bitmap[32] = { 0 };
	uint64_t at;
	unsigned int i;

	f->n = 0;
	for (i = 0; i < b->nr_features; i++)
		bitmap[b->features[i].bit / 8] |= 1 << b->features[i].bit % 8;
	pdb_put(f, "PERFILE2", 8);
	pdb_u64(f, 104);
	pdb_u64(f, attr_size);
	for (i = 0; i < 6; i++)
		pdb_u64(f, 0);	/* attrs, data, event types */
	pdb_put(f, bitmap, sizeof(bitmap));
	for (i = 0; i < b->nr_events; i++) {
		ids_at[i] = f->n;
		pdb_put(f, b->events[i].ids, 8 * b->events[i].nr_ids);
	}
	pdb_set64(f, 24, f->n);
	pdb_set64(f, 32, b->nr_events * attr_size);
	for (i = 0; i < b->nr_events; i++) {
		pdb_put(f, &b->events[i].attr, sizeof(b->events[i].attr));
		pdb_u64(f, ids_at[i]);
		pdb_u64(f, 8 * b->events[i].nr_ids);
	}
	pdb_set64(f, 40, f->n);
	pdb_set64(f, 48, b->data.n);
	pdb_put(f, b->data.p, b->data.n);
	at = f->n + 16 * b->nr_features;
	for (i = 0; i < b->nr_features; i++) {
		pdb_u64(f, at);
		pdb_u64(f, b->features[i].body.n);
		at += b->features[i].body.n;
	}
	for (i = 0; i < b->nr_features; i++)
		pdb_put(f, b->features[i].body.p, b->features[i].body.n);
}

/* False: the file could not be written. */
static inline bool pdb_write(const struct pdb *b, const char *path)
{
	FILE *file = fopen(path, "w");
	bool ok = file && (!b->file.n || fwrite(b->file.p, b->file.n, 1, file));

	return (!file || !fclose(file)) && ok;
}

static inline void pdb_free(struct pdb *b)
{
	unsigned int i;

	for (i = 0; i < b->nr_features; i++)
		free(b->features[i].body.p);
	free(b->data.p);
	free(b->file.p);
}

#endif
