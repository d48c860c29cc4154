/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of perfdata share. */
#ifndef PERFDATA_INTERNAL_H
#define PERFDATA_INTERNAL_H

#include "perfdata/perfdata.h"

/* struct perf_event_header: u32 type, u16 misc, u16 size. */
#define PD_HEADER_SIZE 8u

struct pd_entry {
	uint64_t time;
	const uint8_t *rec;
};

/*
 * Records that wait for their turn. perf reads the ring buffers one after
 * another and writes FINISHED_ROUND when it has been through all of them: what
 * is read after that is younger than what had been read before the round ended.
 */
struct pd_order {
	struct pd_entry *v;
	struct pd_entry *tmp;
	size_t nr, cap;
	size_t next; /* the first not yet delivered */
	size_t ready; /* those before it may be delivered */
	uint64_t max; /* the youngest seen */
	uint64_t limit; /* the youngest when the last round ended */
};

int pd_order_add(struct pd_order *order, uint64_t time, const uint8_t *rec);
int pd_order_round(struct pd_order *order);
int pd_order_end(struct pd_order *order);
void pd_order_free(struct pd_order *order);

struct pd_id {
	uint64_t id;
	const struct pd_attr *attr; /* NULL: an empty slot */
};

struct pd_named_id {
	const char *name;
	const uint8_t *build_id;
	unsigned int size;
};

struct pd {
	const uint8_t *map;
	uint64_t size;
	bool mapped; /* by us */
	const uint8_t *data, *data_end, *pos;
	struct pd_attr *attrs;
	unsigned int nr_attrs;
	struct pd_id *ids; /* open addressing */
	size_t ids_mask;
	struct pd_named_id *build_ids; /* sorted by name */
	size_t nr_build_ids;
	char *hostname, *osrelease, *arch;
	bool ordered;
	uint64_t last_time;
	struct pd_order order;
	struct pd_stats stats;
	int failed;
	char error[256];
};

/* Set the error's text, "at offset N: ..." when where is not NULL; returns code. */
__attribute__((format(printf, 4, 5))) int
pd_fail(struct pd *pd, int code, const uint8_t *where, const char *fmt, ...);

/* Loads from the file, at any alignment. */
static inline uint16_t pd_get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t pd_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t pd_get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The event that an id belongs to, or NULL. */
const struct pd_attr *pd_find_id(const struct pd *pd, uint64_t id);

/* The file's sections beside the events. 0 or PD_E*. */
int pd_read_features(struct pd *pd, const uint8_t *bitmap, uint64_t data_end);

/*
 * The event that a record belongs to, and its time. NULL with *time PD_NO_TIME
 * when it does not say. The header has been checked.
 */
const struct pd_attr *pd_record_attr(const struct pd *pd, const uint8_t *rec,
				     uint64_t *time);

/* A record of the kernel as an event: 1; 0 if it is to be passed by; PD_E*. */
int pd_parse(struct pd *pd, const uint8_t *rec, struct pd_event *ev);

/* The fields of a PERF_RECORD_SAMPLE whose event ev->attr is. 0 or PD_E*. */
int pd_parse_sample(struct pd *pd, const uint8_t *rec, struct pd_event *ev);

#endif
