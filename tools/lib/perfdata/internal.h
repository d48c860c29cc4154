/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the parts of perfdata share. */
#ifndef PERFDATA_INTERNAL_H
#define PERFDATA_INTERNAL_H

#include "base/error.h"
#include "base/hash.h"
#include "perfdata/block.h"
#include "perfdata/format.h"
#include "perfdata/order.h"
#include "perfdata/perfdata.h"
#include "perfdata/stream.h"

#include <string.h>

/* struct perf_event_header: u32 type, u16 misc, u16 size. */
#define PD_HEADER_SIZE 8u

/* Newer than the UAPI headers of the oldest systems that can build this. */
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

/* A text that grows. n: without the NUL at its end. */
struct pd_text_buf {
	char *p;
	size_t n, room;
};

/* A file that the library reads. */
struct pd_file {
	const uint8_t *map;
	uint64_t size;
	char *name; /* the file in the directory; NULL: the recording itself */
	bool mapped; /* the library has mapped it */
};

struct pd {
	struct pd_file *files;
	size_t nr_files, cap_files;
	int fd; /* of a pipe, or -1 */
	bool (*wait)(void *arg, int fd);
	void *wait_arg;
	char *dir; /* of a recording that is a directory */
	bool pipe_mode; /* the descriptions of the events are records, too */
	bool rounds; /* the end of a round was read */
	bool counts; /* a count at the end of the recording was read */
	bool in_round; /* the last record is of a kind that a round has */
	bool swap; /* the recording has the other byte order */
	struct pd_attr **attrs;
	size_t nr_attrs, cap_attrs;
	struct pd_id *ids;
	size_t nr_ids, cap_ids;
	struct hash ids_hash;
	struct pd_named_id *build_ids;
	size_t nr_build_ids, cap_build_ids;
	struct hash build_ids_hash; /* by name; of a name, the last one */
	struct pd_text_buf texts[PD_NR_TEXTS];
	struct pd_text_buf command; /* the words of PD_CMDLINE, with NULs between them */
	char *kcore_dir;
	uint64_t first, last; /* ns; both 0: not known */
	/* One moment by the clock of the events and by the wall clock. wall 0: not known */
	struct {
		uint64_t time, wall; /* ns */
	} moment;
	uint8_t *tracing_data;
	uint64_t tracing_data_size;
	bool ordered;
	bool hurried; /* not all that waited could be kept until its order was known */
	uint64_t last_time;
	/*
	 * One stream. If the recording is a directory: one stream for each of its sorted
	 * files.
	 */
	struct pd_stream *streams;
	size_t nr_streams, cap_streams;
	/* the streams that are not at their end, by head.time */
	struct pd_stream **heap;
	size_t nr_heap;
	/* What the streams have delivered of the current time. The round is the stream. */
	struct pd_entry *same_time;
	size_t nr_same_time, cap_same_time;
	struct pd_order order;
	struct pd_blocks blocks;
	struct pd_block *swapped; /* the block for swapped records */
	struct pd_block *current; /* the block of the last delivered event */
	uint64_t at; /* the offset of the current record */
	struct pd_stats stats;
	int failed;
	struct error error;
};

/* Set the text of the error, with "at offset N: ..." if where is not NULL. Returns code. */
__attribute__((format(printf, 4, 5))) int
pd_fail(struct pd *pd, int code, const uint8_t *where, const char *fmt, ...);

int pd_no_memory(struct pd *pd);

/* Returns the file that contains a place in memory, or NULL. */
const struct pd_file *pd_file_at(const struct pd *pd, const uint8_t *p);

/* Returns whether size bytes at this offset lie in the file. */
static inline bool pd_in_file(const struct pd_file *file, uint64_t offset,
			      uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

/* Returns how many fields a mask selects. */
static inline unsigned int pd_count(uint64_t mask)
{
	return __builtin_popcountll(mask);
}

/* Read a number from the file, at any alignment. */
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

/*
 * The same for data in the byte order of the recording. All data except the kernel's
 * records have it.
 */
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

/* A recording begins with the first of these, or with the second in the other byte order. */
#define PD_MAGIC "PERFILE2"
#define PD_MAGIC_SWAPPED "2ELIFREP"
enum { PD_MAGIC_SIZE = 8 };

static inline bool pd_is_magic(const void *p)
{
	return !memcmp(p, PD_MAGIC, PD_MAGIC_SIZE) ||
	       !memcmp(p, PD_MAGIC_SWAPPED, PD_MAGIC_SIZE);
}

/* What to say of files that were joined. */
#define PD_ANOTHER \
	"another recording begins here, and a file can hold only one: give each recording a file of its own"

/* --- attr.c --- */

/*
 * Read the section with the descriptions of the events in the header of a file. Returns 0
 * or PD_E*.
 */
int pd_read_attrs(struct pd *pd, const struct pd_file *file,
		  const uint8_t *attrs, uint64_t size, uint64_t attr_size);

/* Add one description of size bytes, with nr_ids ids of 8 bytes each. Returns 0 or PD_E*. */
int pd_add_attr(struct pd *pd, const uint8_t *p, uint64_t size,
		const uint8_t *ids, uint64_t nr_ids);

/* Returns the event that an id belongs to, or NULL. */
struct pd_attr *pd_find_id(const struct pd *pd, uint64_t id);

/* Give an event its name, of at most len bytes. Returns 0 or PD_ENOMEM. */
int pd_name_attr(struct pd *pd, struct pd_attr *attr, const uint8_t *name,
		 uint64_t len);

/* --- feature.c --- */

/* Read the sections of the file, except the events. Returns 0 or PD_E*. */
int pd_read_features(struct pd *pd, const struct pd_file *file,
		     const uint8_t *bitmap, uint64_t data_end);

/* Read one section. Sections that are not needed are skipped. Returns 0 or PD_E*. */
int pd_read_feature(struct pd *pd, unsigned int bit, const uint8_t *p,
		    uint64_t size);

/*
 * Take a build id record. Only misc and size of its header are used. One that is damaged is
 * noted in the statistics and left out. Returns 0 or PD_ENOMEM.
 */
int pd_add_build_id(struct pd *pd, const uint8_t *rec, uint16_t misc,
		    uint16_t size);

/*
 * Allocate memory for the formats of tracepoints, and free the earlier one. Returns 0 or
 * PD_ENOMEM.
 */
int pd_new_tracing_data(struct pd *pd, uint64_t size);

/* --- pipe.c --- */

/*
 * Take a record with the data that perf writes into the header of a file. In pipe mode,
 * it writes records instead. Returns 0 or PD_E*.
 */
int pd_user_record(struct pd *pd, struct pd_stream *s, const uint8_t *rec);

/* --- swap.c --- */

/* Convert a perf_event_attr of size bytes to the byte order of this machine. */
void pd_swap_attr(uint8_t *attr, uint64_t size);

/* Convert a record of the kernel. Its header is already converted. */
void pd_swap_record(const struct pd *pd, uint8_t *rec);

/* --- record.c --- */

/*
 * Returns the event that a record belongs to, and stores its time. Returns NULL, with
 * PD_NO_TIME in *time, if the record does not tell the event. The header has been
 * checked.
 */
const struct pd_attr *pd_record_attr(const struct pd *pd, const uint8_t *rec,
				     uint64_t *time);

/* Read the fields of a PERF_RECORD_SAMPLE. ev->attr is its event. Returns 0 or PD_E*. */
int pd_parse_sample(struct pd *pd, const uint8_t *rec, struct pd_event *ev);

#endif
