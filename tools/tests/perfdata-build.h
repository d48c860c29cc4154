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
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
	uint32_t cpu;		/* where what is no sample was written */
	uint64_t enabled, running; /* of pdb_count(), in ns */
	uint64_t lost;		/* of pdb_count() */
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
	PDB_FORMAT_LOST = 1 << 4, /* PERF_FORMAT_LOST */
	PDB_HEADER_ATTR = 64,
	PDB_FINISHED_ROUND = 68,
	PDB_AUXTRACE = 71,
	PDB_EVENT_UPDATE = 78,
	PDB_UPDATE_NAME = 2,	/* what an EVENT_UPDATE tells */
	PDB_HEADER_FEATURE = 80,
	PDB_COMPRESSED = 81,
	PDB_FINISHED_INIT = 82,
	PDB_COMPRESSED2 = 83,
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

/* Build what a big-endian machine would have written. */
static bool pdb_big_endian;

static inline uint64_t pdb_bytes(uint64_t v, unsigned int size)
{
	return pdb_big_endian ? __builtin_bswap64(v) >> (64 - 8 * size) : v;
}

static inline void pdb_u16(struct pdb_buf *b, uint16_t v)
{
	v = pdb_bytes(v, 2);
	pdb_put(b, &v, 2);
}

static inline void pdb_u32(struct pdb_buf *b, uint32_t v)
{
	v = pdb_bytes(v, 4);
	pdb_put(b, &v, 4);
}

static inline void pdb_u64(struct pdb_buf *b, uint64_t v)
{
	v = pdb_bytes(v, 8);
	pdb_put(b, &v, 8);
}

static inline void pdb_u64s(struct pdb_buf *b, const void *p, size_t nr)
{
	const uint64_t *v = p;

	while (nr--)
		pdb_u64(b, *v++);
}

/*
 * Flags of a branch: a big-endian machine's compiler puts the first bit field
 * at the top.
 */
static inline void pdb_flags(struct pdb_buf *b, uint64_t v)
{
	uint64_t top = 0;

	if (!pdb_big_endian) {
		pdb_u64(b, v);
		return;
	}
	top |= (v & 1) << 63 | (v >> 1 & 1) << 62 | (v >> 2 & 1) << 61 |
	       (v >> 3 & 1) << 60;
	top |= (v >> 4 & 0xffff) << 44;	/* cycles */
	top |= (v >> 20 & 15) << 40;	/* type */
	top |= (v >> 24 & 3) << 38;	/* spec */
	top |= (v >> 26 & 15) << 34;	/* new_type */
	top |= (v >> 30 & 7) << 31;	/* priv */
	pdb_u64(b, top);
}

/* A description as the kernel's header has it, up to its first version's end. */
static inline void pdb_attr_bytes(struct pdb_buf *b,
				  const struct perf_event_attr *a)
{
	uint64_t bits, top = 0;
	int i;

	memcpy(&bits, &a->read_format + 1, 8);
	for (i = 0; pdb_big_endian && i < 64; i++)
		top |= (bits >> i & 1) << (63 - i);
	pdb_u32(b, a->type);
	pdb_u32(b, a->size);
	pdb_u64(b, a->config);
	pdb_u64(b, a->sample_period);
	pdb_u64(b, a->sample_type);
	pdb_u64(b, a->read_format);
	pdb_u64(b, pdb_big_endian ? top : bits);
	pdb_u32(b, a->wakeup_events);
	pdb_u32(b, a->bp_type);
	pdb_u64(b, a->config1);
	pdb_u64(b, a->config2);
	pdb_u64(b, a->branch_sample_type);
	pdb_u64(b, a->sample_regs_user);
	pdb_u32(b, a->sample_stack_user);
	pdb_u32(b, a->clockid);
	pdb_u64(b, a->sample_regs_intr);
	pdb_u32(b, a->aux_watermark);
	pdb_u32(b, 0);		/* the longest stack, and a gap */
	pdb_put(b, (const uint8_t *)a + 112, sizeof(*a) - 112);
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
	pdb_u16(&b->data, misc);
	pdb_u16(&b->data, 0);
}

static inline void pdb_end(struct pdb *b)
{
	uint16_t size = pdb_bytes(b->data.n - b->record, 2);

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
		if (type & PERF_SAMPLE_CPU) {
			pdb_u32(&b->data, b->cpu);
			pdb_u32(&b->data, 0);
		}
		if (type & PERF_SAMPLE_IDENTIFIER)
			pdb_u64(&b->data, a->ids[0]);
	}
	pdb_end(b);
}

/* nr: how many events were lost, as a process saw it. */
static inline void pdb_lost(struct pdb *b, unsigned int event, uint32_t pid, uint64_t nr,
			    uint64_t time)
{
	pdb_begin(b, PERF_RECORD_LOST, 0);
	pdb_u64(&b->data, 0);
	pdb_u64(&b->data, nr);
	pdb_end_with_id(b, event, pid, time);
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

/* Code that the kernel has made, or, if removed, has no more. */
static inline void pdb_ksymbol(struct pdb *b, uint64_t start, uint32_t len, bool removed,
			       const char *name, uint64_t time)
{
	pdb_begin(b, PERF_RECORD_KSYMBOL, 0);
	pdb_u64(&b->data, start);
	pdb_u32(&b->data, len);
	pdb_u16(&b->data, PERF_RECORD_KSYMBOL_TYPE_BPF);
	pdb_u16(&b->data, removed ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0);
	pdb_text(&b->data, name);
	pdb_end_with_id(b, 0, 0, time);
}

/* build_id: 20 bytes, or NULL for the form with the inode. */
static inline void pdb_mmap2_prot(struct pdb *b, uint32_t pid, uint64_t start,
				  uint64_t len, uint64_t pgoff, const char *name,
				  uint64_t time, const uint8_t *build_id, uint8_t number,
				  uint32_t prot)
{
	const uint8_t inode[20] = { 8, 0, 0, 0, number };

	pdb_begin(b, PERF_RECORD_MMAP2,
		  PDB_MISC_USER | (build_id ? PDB_MISC_MMAP_BUILD_ID : 0));
	pdb_u32(&b->data, pid);
	pdb_u32(&b->data, pid);
	pdb_u64(&b->data, start);
	pdb_u64(&b->data, len);
	pdb_u64(&b->data, pgoff);
	if (build_id)
		pdb_put(&b->data, "\24\0\0", 4);	/* 20 bytes, and a gap */
	else
		pdb_u32(&b->data, 8);
	pdb_put(&b->data, build_id ? build_id : inode, 20);
	pdb_u32(&b->data, prot);
	pdb_u32(&b->data, 2);	/* MAP_PRIVATE */
	pdb_text(&b->data, name);
	pdb_end_with_id(b, 0, pid, time);
}

/* Code, of the file with this inode. */
static inline void pdb_mmap2_of(struct pdb *b, uint32_t pid, uint64_t start,
				uint64_t len, uint64_t pgoff, const char *name,
				uint64_t time, const uint8_t *build_id, uint8_t number)
{
	pdb_mmap2_prot(b, pid, start, len, pgoff, name, time, build_id, number,
		       PROT_READ | PROT_EXEC);
}

/* Data, which perf record -d tells, too. */
static inline void pdb_mmap2_data(struct pdb *b, uint32_t pid, uint64_t start,
				  uint64_t len, const char *name, uint64_t time, uint8_t number)
{
	pdb_mmap2_prot(b, pid, start, len, 0, name, time, NULL, number,
		       PROT_READ | PROT_WRITE);
}

static inline void pdb_mmap2_id(struct pdb *b, uint32_t pid, uint64_t start,
				uint64_t len, uint64_t pgoff, const char *name,
				uint64_t time, const uint8_t *build_id)
{
	pdb_mmap2_of(b, pid, start, len, pgoff, name, time, build_id, 1);
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

/*
 * How often an event happened: as it was opened, for a thread or for all (UINT32_MAX), or
 * with a time in a thread that ended then.
 */
static inline void pdb_count(struct pdb *b, unsigned int event, uint32_t tid,
			     uint64_t count, uint64_t time)
{
	pdb_begin(b, PERF_RECORD_READ, 0);
	pdb_u32(&b->data, tid);
	pdb_u32(&b->data, tid);
	pdb_u64(&b->data, count);
	if (b->events[event].attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		pdb_u64(&b->data, b->enabled);
	if (b->events[event].attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		pdb_u64(&b->data, b->running);
	if (b->events[event].attr.read_format & PERF_FORMAT_ID)
		pdb_u64(&b->data, b->events[event].ids[0] + 10 * b->cpu);
	if (b->events[event].attr.read_format & PDB_FORMAT_LOST)
		pdb_u64(&b->data, b->lost);
	pdb_end_with_id(b, event, tid, time);
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
	uint64_t count;			/* of field READ; 0: 0x7001 */
	uint32_t pid, tid, cpu;
	unsigned int nr_chain;
	const uint64_t *chain;
	unsigned int raw_size;		/* 4 more than a multiple of 8 */
	const void *raw;
	uint64_t hw_idx;
	unsigned int nr_branches;
	const uint64_t (*branches)[3];	/* from, to, flags; youngest first */
	const uint64_t *regs;		/* the user's; NULL: 0x9000 and up */
};

/* The values of an event, or of a group of three, in sample field READ, as read_format asks. */
static inline void pdb_read_values(struct pdb_buf *out, uint64_t format, uint64_t count,
				   uint64_t id)
{
	unsigned int i, nr = format & PERF_FORMAT_GROUP ? 3 : 1;

	if (format & PERF_FORMAT_GROUP)
		pdb_u64(out, nr);
	else
		pdb_u64(out, count ? count : 0x7001);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		pdb_u64(out, 0x7002);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		pdb_u64(out, 0x7003);
	for (i = 0; i < nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			pdb_u64(out, 0x7004);
		if (format & PERF_FORMAT_ID)
			pdb_u64(out, id + i);
		if (format & PDB_FORMAT_LOST)
			pdb_u64(out, 0x7006);
	}
}

static inline void pdb_sample(struct pdb *b, unsigned int event,
			      const struct pdb_sample *s)
{
	const struct pdb_attr *a = &b->events[event];
	const uint64_t type = a->attr.sample_type, id = a->ids[1];
	struct pdb_buf *out = &b->data;
	unsigned int i;

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
	if (type & PERF_SAMPLE_CPU) {
		pdb_u32(out, s->cpu);
		pdb_u32(out, 0);
	}
	if (type & PERF_SAMPLE_PERIOD)
		pdb_u64(out, s->period);
	if (type & PERF_SAMPLE_READ)
		pdb_read_values(out, a->attr.read_format, s->count, id);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		pdb_u64(out, s->nr_chain);
		pdb_u64s(out, s->chain, s->nr_chain);
	}
	if (type & PERF_SAMPLE_RAW) {
		pdb_u32(out, s->raw_size);
		pdb_put(out, s->raw, s->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		pdb_u64(out, s->nr_branches);
		if (a->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			pdb_u64(out, s->hw_idx);
		for (i = 0; i < s->nr_branches; i++) {
			pdb_u64s(out, s->branches[i], 2);
			pdb_flags(out, s->branches[i][2]);
		}
	}
	/* What stands behind: each field holds its own number, 0x8001 and up. */
	if (type & PERF_SAMPLE_REGS_USER) {
		pdb_u64(out, 2);
		for (i = 0; i < 64; i++)
			if (a->attr.sample_regs_user >> i & 1)
				pdb_u64(out, s->regs ? s->regs[i] : 0x9000 + i);
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		pdb_u64(out, 16);
		pdb_put(out, "the user's stack", 16);
		pdb_u64(out, 10);
	}
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		pdb_u64(out, 0x8001);
	if (type & PERF_SAMPLE_DATA_SRC)
		pdb_u64(out, 0x8002);
	if (type & PERF_SAMPLE_TRANSACTION)
		pdb_u64(out, 0x8003);
	if (type & PERF_SAMPLE_REGS_INTR)
		pdb_u64(out, 0);	/* none were taken */
	if (type & PERF_SAMPLE_PHYS_ADDR)
		pdb_u64(out, 0x8004);
	if (type & PERF_SAMPLE_CGROUP)
		pdb_u64(out, 0x8005);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		pdb_u64(out, 0x8006);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		pdb_u64(out, 0x8007);
	if (type & PERF_SAMPLE_AUX) {
		pdb_u64(out, 8);
		pdb_put(out, "aux data", 8);
	}
	pdb_end(b);
}

enum { PDB_OSRELEASE = 4, PDB_VERSION };

/* A header section; call in the order of their bits. */
static inline struct pdb_buf *pdb_feature(struct pdb *b, unsigned int bit)
{
	b->features[b->nr_features].bit = bit;
	return &b->features[b->nr_features++].body;
}

/* The section CLOCK_DATA, which is bit 29: one moment by the events' clock and by the wall clock. */
static inline void pdb_clock_data(struct pdb *b, uint64_t time, uint64_t wall)
{
	struct pdb_buf *body = pdb_feature(b, 29);

	pdb_u32(body, 1); /* the version */
	pdb_u32(body, 1); /* CLOCK_MONOTONIC */
	pdb_u64(body, wall);
	pdb_u64(body, time);
}

static inline void pdb_feature_text(struct pdb *b, unsigned int bit,
				    const char *text)
{
	struct pdb_buf *body = pdb_feature(b, bit);

	pdb_u32(body, (strlen(text) + 8) & ~7u);
	pdb_text(body, text);
}

/* The section CMDLINE, which is bit 11: the words of perf's command. */
static inline void pdb_command(struct pdb *b, unsigned int nr, ...)
{
	struct pdb_buf *body = pdb_feature(b, 11);
	va_list ap;

	pdb_u32(body, nr);
	va_start(ap, nr);
	while (nr--) {
		const char *word = va_arg(ap, const char *);

		pdb_u32(body, (strlen(word) + 8) & ~7u);
		pdb_text(body, word);
	}
	va_end(ap);
}

/* The list of build ids, with one entry; id is filled up with zeroes. */
static inline void pdb_build_id(struct pdb *b, uint16_t misc,
				const uint8_t id[24], const char *name)
{
	struct pdb_buf *list = pdb_feature(b, 2);

	pdb_u32(list, 67);
	pdb_u16(list, misc);
	pdb_u16(list, 36 + ((strlen(name) + 8) & ~7u));
	pdb_u32(list, -1);
	pdb_put(list, id, 24);
	pdb_text(list, name);
}

static inline void pdb_set64(struct pdb_buf *b, size_t at, uint64_t v)
{
	v = pdb_bytes(v, 8);
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
		bitmap[b->features[i].bit / 8 ^ (pdb_big_endian ? 7 : 0)] |=
			1 << b->features[i].bit % 8;
	pdb_put(f, pdb_big_endian ? "2ELIFREP" : "PERFILE2", 8);
	pdb_u64(f, 104);
	pdb_u64(f, attr_size);
	for (i = 0; i < 6; i++)
		pdb_u64(f, 0);	/* attrs, data, event types */
	pdb_put(f, bitmap, sizeof(bitmap));
	for (i = 0; i < b->nr_events; i++) {
		ids_at[i] = f->n;
		pdb_u64s(f, b->events[i].ids, b->events[i].nr_ids);
	}
	pdb_set64(f, 24, f->n);
	pdb_set64(f, 32, b->nr_events * attr_size);
	for (i = 0; i < b->nr_events; i++) {
		pdb_attr_bytes(f, &b->events[i].attr);
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

/* A record of perf's own in pipe mode: a type and its content. */
static inline void pdb_pipe_record(struct pdb_buf *f, uint32_t type,
				   const struct pdb_buf *body)
{
	pdb_u32(f, type);
	pdb_u16(f, 0);
	pdb_u16(f, 8 + body->n);
	pdb_put(f, body->p, body->n);
}

/*
 * The same in pipe mode: the descriptions and the features first, but for the
 * build ids, which come last, as perf writes them.
 */
static inline void pdb_finish_pipe(struct pdb *b)
{
	struct pdb_buf *f = &b->file, body = { 0 };
	unsigned int i;

	f->n = 0;
	pdb_put(f, pdb_big_endian ? "2ELIFREP" : "PERFILE2", 8);
	pdb_u64(f, 16);
	for (i = 0; i < b->nr_events; i++) {
		body.n = 0;
		pdb_attr_bytes(&body, &b->events[i].attr);
		pdb_u64s(&body, b->events[i].ids, b->events[i].nr_ids);
		pdb_pipe_record(f, PDB_HEADER_ATTR, &body);
	}
	for (i = 0; i < b->nr_features; i++) {
		if (b->features[i].bit == 2)
			continue;
		body.n = 0;
		pdb_u64(&body, b->features[i].bit);
		pdb_put(&body, b->features[i].body.p, b->features[i].body.n);
		pdb_pipe_record(f, PDB_HEADER_FEATURE, &body);
	}
	pdb_put(f, b->data.p, b->data.n);
	for (i = 0; i < b->nr_features; i++)
		if (b->features[i].bit == 2)
			pdb_put(f, b->features[i].body.p,
				b->features[i].body.n);
	free(body.p);
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
