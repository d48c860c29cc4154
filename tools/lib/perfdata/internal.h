/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of perfdata share. */
#ifndef PERFDATA_INTERNAL_H
#define PERFDATA_INTERNAL_H

#include "base/error.h"
#include "base/hash.h"
#include "perfdata/block.h"
#include "perfdata/format.h"
#include "perfdata/order.h"
#include "perfdata/perfdata.h"
#include "perfdata/stream.h"

/* struct perf_event_header: u32 type, u16 misc, u16 size. */
#define PD_HEADER_SIZE 8u

/* Younger than the UAPI headers of the oldest systems that this builds on. */
#define PD_READ_FORMAT_LOST (1u << 4)
#define PD_BRANCH_COUNTERS  (1u << 19)
#define PD_SAMPLE_WEIGHTS   (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

struct pd_id {
	uint64_t id;
	struct pd_attr *attr;
};

struct pd_named_id {
	char *name;
	uint8_t build_id[PD_BUILD_ID_MAX];
	unsigned int size;
};

/* Everything the library has mapped. */
struct pd_file {
	const uint8_t *map;
	uint64_t size;
	char *name; /* inside a directory; NULL: the recording itself */
	bool mapped; /* by us */
};

struct pd {
	struct pd_file *files;
	size_t nr_files, cap_files;
	int fd; /* of a pipe, or -1 */
	char *dir; /* of a recording that is a directory */
	bool pipe_mode; /* the events' descriptions are records, too */
	bool swap; /* the recording is of the other byte order */
	struct pd_attr **attrs;
	size_t nr_attrs, cap_attrs;
	struct pd_id *ids;
	size_t nr_ids, cap_ids;
	struct hash ids_hash;
	struct pd_named_id *build_ids;
	size_t nr_build_ids, cap_build_ids;
	bool build_ids_sorted;
	char *texts[PD_NR_TEXTS];
	char *kcore_dir;
	uint8_t *tracing_data;
	uint64_t tracing_data_size;
	bool ordered;
	uint64_t last_time;
	/* One stream, or, of a directory, its files as sorted runs. */
	struct pd_stream *streams;
	size_t nr_streams, cap_streams;
	struct pd_stream **heap; /* those not at their end, by head.time */
	size_t nr_heap;
	struct pd_order order;
	struct pd_blocks blocks;
	struct pd_block *swapped; /* the block that swapped records go to */
	struct pd_block *current; /* of the event delivered last */
	uint64_t at; /* offset of the record at work */
	struct pd_stats stats;
	int failed;
	struct error error;
};

/* Set the error's text, "at offset N: ..." when where is not NULL; returns code. */
__attribute__((format(printf, 4, 5))) int
pd_fail(struct pd *pd, int code, const uint8_t *where, const char *fmt, ...);

int pd_no_memory(struct pd *pd);

/* Which file a place in memory is of; NULL: none. */
const struct pd_file *pd_file_at(const struct pd *pd, const uint8_t *p);

/* Does something of size bytes at this offset lie in the file? */
static inline bool pd_in_file(const struct pd_file *file, uint64_t offset,
			      uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

/* How many fields a mask asks for. */
static inline unsigned int pd_count(uint64_t mask)
{
	return __builtin_popcountll(mask);
}

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

/* The same for what has the recording's byte order: all but kernel records. */
static inline uint16_t pd_file16(const struct pd *pd, const uint8_t *p)
{
	return pd->swap ? __builtin_bswap16(pd_get16(p)) : pd_get16(p);
}

static inline uint32_t pd_file32(const struct pd *pd, const uint8_t *p)
{
	return pd->swap ? __builtin_bswap32(pd_get32(p)) : pd_get32(p);
}

static inline uint64_t pd_file64(const struct pd *pd, const uint8_t *p)
{
	return pd->swap ? __builtin_bswap64(pd_get64(p)) : pd_get64(p);
}

/* --- attr.c --- */

/* The section of the event descriptions in a file's header. 0 or PD_E*. */
int pd_read_attrs(struct pd *pd, const struct pd_file *file,
		  const uint8_t *attrs, uint64_t size, uint64_t attr_size);

/* One description, of size bytes, with nr_ids ids of 8 bytes. 0 or PD_E*. */
int pd_add_attr(struct pd *pd, const uint8_t *p, uint64_t size,
		const uint8_t *ids, uint64_t nr_ids);

/* The event that an id belongs to, or NULL. */
struct pd_attr *pd_find_id(const struct pd *pd, uint64_t id);

/* Give an event its name, len bytes at most. 0 or PD_ENOMEM. */
int pd_name_attr(struct pd *pd, struct pd_attr *attr, const uint8_t *name,
		 uint64_t len);

/* --- feature.c --- */

/* The file's sections beside the events. 0 or PD_E*. */
int pd_read_features(struct pd *pd, const struct pd_file *file,
		     const uint8_t *bitmap, uint64_t data_end);

/* One of them; bits that nothing here needs are passed by. 0 or PD_E*. */
int pd_read_feature(struct pd *pd, unsigned int bit, const uint8_t *p,
		    uint64_t size);

/* A build id record, of whose header only misc and size are looked at. */
int pd_add_build_id(struct pd *pd, const uint8_t *rec, uint16_t misc,
		    uint16_t size);

/* Room for the formats of tracepoints, in the place of those before. 0 or PD_ENOMEM. */
int pd_new_tracing_data(struct pd *pd, uint64_t size);

/* --- pipe.c --- */

/* What perf writes as a record in pipe mode, and in the header of a file. */
int pd_user_record(struct pd *pd, struct pd_stream *s, const uint8_t *rec);

/* --- swap.c --- */

/* A perf_event_attr of size bytes, to this machine's byte order. */
void pd_swap_attr(uint8_t *attr, uint64_t size);

/* The same for a kernel's record, whose header has been turned already. */
void pd_swap_record(const struct pd *pd, uint8_t *rec);

/* --- record.c --- */

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
