// SPDX-License-Identifier: GPL-2.0-only
/* Records: which event and time they belong to, what they say, and in which order. */
#include "base/array.h"
#include "perfdata/internal.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The meaning of misc bits 13 and 14 depends on the record's type. */
enum {
	MISC_CPUMODE = 7,
	MISC_KERNEL = 1,
	MISC_GUEST_KERNEL = 4,
	MISC_GUEST_USER = 5,
	MISC_COMM_EXEC = 1 << 13,
	MISC_FORK_EXEC = 1 << 13,
	MISC_MMAP_BUILD_ID = 1 << 14,
};

static uint32_t rec_type(const uint8_t *rec)
{
	return pd_get32(rec);
}

static uint16_t rec_misc(const uint8_t *rec)
{
	return pd_get16(rec + 4);
}

static uint16_t rec_size(const uint8_t *rec)
{
	return pd_get16(rec + 6);
}

/* A u64 off bytes after the header; false if the record does not reach so far. */
static bool field64(const uint8_t *rec, int off, uint64_t *value)
{
	if (off < 0 || PD_HEADER_SIZE + off + 8 > rec_size(rec))
		return false;
	*value = pd_get64(rec + PD_HEADER_SIZE + off);
	return true;
}

/* The same, off bytes before the record's end. */
static bool field64_from_end(const uint8_t *rec, int off, uint64_t *value)
{
	if (off < 0)
		return false;
	return field64(rec, rec_size(rec) - (int)PD_HEADER_SIZE - off, value);
}

/* All events keep their ids at one place: read_attrs() has made sure. */
const struct pd_attr *pd_record_attr(const struct pd *pd, const uint8_t *rec,
				     uint64_t *time)
{
	const struct pd_attr *attr = pd->attrs[0];
	bool sample = rec_type(rec) == PERF_RECORD_SAMPLE;
	uint64_t id;

	*time = PD_NO_TIME;
	if (!sample && !attr->sample_id_all)
		return NULL;
	if (pd->nr_attrs > 1) {
		if (sample ? !field64(rec, attr->id_in_sample, &id) :
			     !field64_from_end(rec, attr->id_from_end, &id))
			return NULL;
		/* Records that perf made up have the id 0. */
		if (id || sample)
			attr = pd_find_id(pd, id);
		if (!attr)
			return NULL;
	}
	if (sample)
		field64(rec, attr->time_in_sample, time);
	else
		field64_from_end(rec, attr->time_from_end, time);
	return attr;
}

/* pid, tid, time and cpu as the trailer of a record that is no sample has them. */
static void parse_sample_id(const struct pd_attr *attr, const uint8_t *rec,
			    struct pd_event *ev)
{
	const uint8_t *p = rec + rec_size(rec) - attr->sample_id_size;

	if (attr->sample_type & PERF_SAMPLE_TID) {
		ev->pid = pd_get32(p);
		ev->tid = pd_get32(p + 4);
		p += 8;
	}
	p += 8 * pd_count(attr->sample_type &
			  (PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			   PERF_SAMPLE_STREAM_ID));
	if (attr->sample_type & PERF_SAMPLE_CPU)
		ev->cpu = pd_get32(p);
}

static int too_short(struct pd *pd, const uint8_t *rec)
{
	return pd_fail(
		pd, PD_ECORRUPT, rec,
		"a record of type %u and %u bytes is too short for its fields",
		rec_type(rec), rec_size(rec));
}

/* body is the record without header and trailer, of size bytes. */
static int parse_mmap(struct pd *pd, const uint8_t *rec, unsigned int size,
		      struct pd_event *ev)
{
	const uint8_t *body = rec + PD_HEADER_SIZE;
	const unsigned int mode = rec_misc(rec) & MISC_CPUMODE;
	struct pd_mmap *m = &ev->mmap;
	unsigned int name = 32;

	*m = (struct pd_mmap){ .prot = PROT_READ | PROT_EXEC };
	if (rec_type(rec) == PERF_RECORD_MMAP2)
		name += 24 + 8;
	if (size <= name || !memchr(body + name, 0, size - name))
		return too_short(pd, rec);
	ev->pid = pd_get32(body);
	ev->tid = pd_get32(body + 4);
	m->start = pd_get64(body + 8);
	m->len = pd_get64(body + 16);
	m->pgoff = pd_get64(body + 24);
	m->name = (const char *)body + name;
	m->kernel = mode == MISC_KERNEL;
	if (rec_type(rec) == PERF_RECORD_MMAP2) {
		m->prot = pd_get32(body + 56);
		if (rec_misc(rec) & MISC_MMAP_BUILD_ID &&
		    body[32] <= PD_BUILD_ID_MAX) {
			m->build_id_size = body[32];
			m->build_id = body + 36;
		} else if (ev->time && ev->time != PD_NO_TIME) {
			/* What perf has read from /proc may have another device. */
			m->device = pd_get64(body + 32);
			m->inode = pd_get64(body + 40);
		}
	}
	ev->type = PERF_RECORD_MMAP;
	return 1;
}

static int parse_ksymbol(struct pd *pd, const uint8_t *rec, unsigned int size,
			 struct pd_event *ev)
{
	const uint8_t *body = rec + PD_HEADER_SIZE;

	if (size <= 16 || !memchr(body + 16, 0, size - 16))
		return too_short(pd, rec);
	ev->ksymbol = (struct pd_ksymbol){
		.start = pd_get64(body),
		.len = pd_get32(body + 8),
		.removed = pd_get16(body + 14) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		.name = (const char *)body + 16,
	};
	return 1;
}

static int parse_comm(struct pd *pd, const uint8_t *rec, unsigned int size,
		      struct pd_event *ev)
{
	const uint8_t *body = rec + PD_HEADER_SIZE;

	if (size <= 8 || !memchr(body + 8, 0, size - 8))
		return too_short(pd, rec);
	ev->pid = pd_get32(body);
	ev->tid = pd_get32(body + 4);
	ev->comm = (struct pd_comm){ (const char *)body + 8,
				     rec_misc(rec) & MISC_COMM_EXEC };
	return 1;
}

static int parse_task(struct pd *pd, const uint8_t *rec, unsigned int size,
		      struct pd_event *ev)
{
	const uint8_t *body = rec + PD_HEADER_SIZE;

	if (size < 24)
		return too_short(pd, rec);
	ev->pid = pd_get32(body);
	ev->tid = pd_get32(body + 8);
	ev->task = (struct pd_task){
		pd_get32(body + 4),
		pd_get32(body + 12),
		rec_type(rec) == PERF_RECORD_FORK &&
			rec_misc(rec) & MISC_FORK_EXEC,
	};
	return 1;
}

/* 0 where it is of no event that is known, or of several. */
static int parse_read(struct pd *pd, const uint8_t *rec, unsigned int size,
		      struct pd_event *ev)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING;
	const uint8_t *body = rec + PD_HEADER_SIZE, *p;
	uint64_t format;

	if (size < 16)
		return too_short(pd, rec);
	if (!ev->attr || ev->attr->read_format & PERF_FORMAT_GROUP)
		return 0;
	format = ev->attr->read_format;
	if (size < 16 + 8 * pd_count(format & (times | PERF_FORMAT_ID |
					       PD_READ_FORMAT_LOST)))
		return too_short(pd, rec);
	ev->pid = pd_get32(body);
	ev->tid = pd_get32(body + 4);
	ev->read = (struct pd_read){ .count = pd_get64(body + 8) };
	p = body + 16;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED) {
		ev->read.enabled = pd_get64(p);
		p += 8;
	}
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING) {
		ev->read.running = pd_get64(p);
		p += 8;
	}
	field64_from_end(rec, ev->attr->id_from_end, &ev->read.id);
	if (format & PERF_FORMAT_ID) {
		ev->read.id = pd_get64(p);
		p += 8;
	}
	if (format & PD_READ_FORMAT_LOST)
		ev->read.lost = pd_get64(p);
	return 1;
}

/* Of a virtual machine, whose code and processes are not this system's. */
static bool is_guest(const uint8_t *rec)
{
	const unsigned int mode = rec_misc(rec) & MISC_CPUMODE;

	return mode == MISC_GUEST_KERNEL || mode == MISC_GUEST_USER;
}

/* What perf adds up at the end has no time. */
static void add_lost_samples(struct pd *pd, const struct pd_event *ev, uint64_t nr)
{
	if (ev->time) {
		pd->stats.lost_samples += nr;
		return;
	}
	pd->stats.lost_in_all += nr;
	if (ev->attr && pd_attr_is_tracking(ev->attr))
		pd->stats.lost_tracking += nr;
}

/* Converts a record of the kernel to an event: 1, 0 if it is skipped, or PD_E*. */
static int parse(struct pd *pd, const uint8_t *rec, struct pd_event *ev)
{
	const uint8_t *body = rec + PD_HEADER_SIZE;
	unsigned int size = rec_size(rec) - PD_HEADER_SIZE;
	int ret;

	ev->type = rec_type(rec);
	ev->misc = rec_misc(rec);
	ev->offset = pd->at;
	ev->pid = ev->tid = ev->cpu = PD_NO_ID;
	ev->attr = pd_record_attr(pd, rec, &ev->time);
	if (ev->type == PERF_RECORD_SAMPLE) {
		if (!ev->attr) {
			pd->stats.unknown_id++;
			return 0;
		}
		if (is_guest(rec)) {
			pd->stats.guests++;
			return 0;
		}
		pd->stats.samples++;
		ret = pd_parse_sample(pd, rec, ev);
		return ret ? ret : 1;
	}
	if (ev->attr) {
		if (ev->attr->sample_id_size > size)
			return too_short(pd, rec);
		size -= ev->attr->sample_id_size;
		parse_sample_id(ev->attr, rec, ev);
	}
	switch (ev->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (is_guest(rec)) {
			pd->stats.others++;
			return 0;
		}
		return parse_mmap(pd, rec, size, ev);
	case PERF_RECORD_KSYMBOL:
		return parse_ksymbol(pd, rec, size, ev);
	case PERF_RECORD_COMM:
		return parse_comm(pd, rec, size, ev);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return parse_task(pd, rec, size, ev);
	case PERF_RECORD_LOST:
		if (size < 16)
			return too_short(pd, rec);
		pd->stats.lost += pd_get64(body + 8);
		return 1;
	case PERF_RECORD_LOST_SAMPLES:
		if (size < 8)
			return too_short(pd, rec);
		ev->lacks_cpu = !ev->time && !pd_get64(body);
		/* Those that a BPF filter dropped were not wanted. */
		if (pd_get16(rec + 4) & PD_MISC_LOST_SAMPLES_BPF)
			return 1;
		add_lost_samples(pd, ev, pd_get64(body));
		return 1;
	case PERF_RECORD_READ:
		return parse_read(pd, rec, size, ev);
	case PERF_RECORD_THROTTLE:
		pd->stats.throttled++;
		return 1;
	case PERF_RECORD_UNTHROTTLE:
		pd->stats.unthrottled++;
		return 1;
	default:
		pd->stats.others++;
		return 1;
	}
}

/*
 * Is the last record of a round? The kernel's records have a time. perf writes
 * LOST_SAMPLES itself, at the end. `ssctr record` does so with counts, and then ends the
 * round.
 */
static void note_round(struct pd *pd, const struct pd_entry *entry)
{
	const uint32_t type = rec_type(entry->rec);

	pd->rounds |= type == PD_USER_FINISHED_ROUND;
	pd->counts |= type == PERF_RECORD_READ && !entry->time;
	pd->in_round = type < PD_USER_FIRST && type != PERF_RECORD_LOST_SAMPLES &&
		       (type == PERF_RECORD_READ ||
			(entry->time && entry->time != PD_NO_TIME));
}

/*
 * A killed writer may have come to the end of a record, but not of its round. What others
 * make of pipes may have no rounds, and perf inject writes the last records behind the
 * last round. `ssctr record` writes counts at its end.
 */
static void end_pipe(struct pd *pd)
{
	const bool ours = !strncmp(pd_text(pd, PD_VERSION), "ssctr ", 6);
	const bool in_round = pd->rounds && pd->in_round;

	if (!pd->pipe_mode || pd->stats.unfinished)
		return;
	pd->stats.no_last_round = in_round && !ours;
	pd->stats.unfinished = in_round || (ours && !pd->counts);
}

/*
 * The next record of the kernel, or the end of a round, out of a stream: 1, 0 at
 * its end, PD_E*. entry->time is set, PD_NO_TIME if the record has none.
 */
static int pull(struct pd *pd, struct pd_stream *s, struct pd_entry *entry)
{
	for (;;) {
		int ret = 1;

		*entry = s->head;
		s->head.rec = NULL;
		s->head.block = NULL;
		if (!entry->rec)
			ret = pd_stream_next(pd, s, entry);
		if (!ret)
			end_pipe(pd);
		if (ret <= 0)
			return ret;
		if (rec_type(entry->rec) < PD_USER_FIRST)
			pd_record_attr(pd, entry->rec, &entry->time);
		note_round(pd, entry);
		if (rec_type(entry->rec) < PD_USER_FIRST)
			return 1;
		if (rec_type(entry->rec) == PD_USER_FINISHED_ROUND)
			return 1;
		pd->stats.others++;
		ret = pd_user_record(pd, s, entry->rec);
		pd_block_put(&pd->blocks, entry->block);
		if (ret)
			return ret;
	}
}

/* What perf made up at the start has the time 0, and comes at once. */
static bool is_timed(const struct pd *pd, const struct pd_entry *entry)
{
	return pd->ordered && entry->time && entry->time != PD_NO_TIME;
}

/*
 * Have the start of the record after the next one come from memory. Only its header was
 * read so far, and that was a round ago.
 */
static void fetch_ahead(const struct pd_order *order)
{
	/* A sample with 32 branches has so many lines. */
	enum { AHEAD = 1, LINE = 64, BYTES = 14 * LINE };
	const uint8_t *rec;
	unsigned int i;

	if (order->next + AHEAD >= order->ready)
		return;
	rec = order->v[order->next + AHEAD].rec;
	for (i = 0; i < BYTES; i += LINE)
		__builtin_prefetch(rec + i);
}

/*
 * A few hundred kilobytes of compressed records may be gigabytes, which all wait if no round
 * ends among them. perf limits what waits by its report.queue-size, and then delivers half of
 * it. Here what may wait grows with what was read, so that only what is compressed more than
 * any samples gets there.
 */
static bool waits_too_much(const struct pd *pd)
{
	enum { LEAST = 256 << 20, RATIO = 256 };
	/* With as much for sorting. */
	const uint64_t entries = pd->order.nr * (uint64_t)(2 * sizeof(*pd->order.v));

	return pd->blocks.nr_used * (uint64_t)PD_BLOCK_SIZE + entries >
	       LEAST + pd->streams[0].offset * RATIO;
}

/* One more waits: 0 or PD_ENOMEM. */
static int add(struct pd *pd, const struct pd_entry *entry)
{
	if (pd_order_add(&pd->order, entry)) {
		pd_block_put(&pd->blocks, entry->block);
		return PD_ENOMEM;
	}
	if (!waits_too_much(pd))
		return 0;
	pd->hurried = true;
	return pd_order_half(&pd->order, &pd->blocks, &pd->stats.again);
}

/* Read on until something may be delivered: 1 and *entry, 0 at the end, PD_E*. */
static int next_of_one(struct pd *pd, struct pd_entry *entry)
{
	struct pd_order *order = &pd->order;

	for (;;) {
		int ret;

		if (order->next < order->ready) {
			*entry = order->v[order->next++];
			fetch_ahead(order);
			pd_stream_look_back(&pd->streams[0], entry);
			return 1;
		}
		ret = pull(pd, &pd->streams[0], entry);
		if (ret < 0)
			return ret;
		if (!ret) {
			if (order->next == order->nr)
				return 0;
			ret = pd_order_end(order, &pd->blocks, &pd->stats.again);
		} else if (rec_type(entry->rec) == PD_USER_FINISHED_ROUND) {
			pd_block_put(&pd->blocks, entry->block);
			ret = pd_order_round(order, &pd->blocks, &pd->stats.again);
		} else if (!is_timed(pd, entry)) {
			return 1;
		} else {
			ret = add(pd, entry);
		}
		if (ret)
			return pd_no_memory(pd);
	}
}

/* --- several files and pieces of them, merged by a heap of their next records --- */

static bool before(const struct pd_stream *a, const struct pd_stream *b)
{
	/* Equal times come in the order of the files. */
	return a->head.time != b->head.time ? a->head.time < b->head.time :
					      a < b;
}

static void sift_down(struct pd *pd, size_t i)
{
	struct pd_stream **heap = pd->heap, *s = heap[i];
	size_t child;

	while ((child = 2 * i + 1) < pd->nr_heap) {
		if (child + 1 < pd->nr_heap &&
		    before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], s))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = s;
}

/* The next record of s becomes its head: 1, 0 at its end, PD_E*. */
static int pull_head(struct pd *pd, struct pd_stream *s)
{
	struct pd_entry entry;
	int ret;

	while ((ret = pull(pd, s, &entry)) > 0) {
		if (rec_type(entry.rec) != PD_USER_FINISHED_ROUND)
			break;
		pd_block_put(&pd->blocks, entry.block);
	}
	if (ret > 0) {
		if (!is_timed(pd, &entry))
			entry.time = 0;
		s->head = entry;
	}
	return ret;
}

static int make_heap(struct pd *pd)
{
	size_t i;

	pd->heap = malloc(pd->nr_streams * sizeof(*pd->heap));
	if (!pd->heap)
		return pd_no_memory(pd);
	for (i = 0; i < pd->nr_streams; i++) {
		int ret = pull_head(pd, &pd->streams[i]);

		if (ret < 0)
			return ret;
		if (ret)
			pd->heap[pd->nr_heap++] = &pd->streams[i];
	}
	for (i = pd->nr_heap / 2; i-- > 0;)
		sift_down(pd, i);
	return 0;
}

/* The earliest record of all streams: 1, 0 at the end, PD_E*. */
static int pop(struct pd *pd, struct pd_entry *entry)
{
	struct pd_stream *s;
	int ret;

	if (!pd->nr_heap)
		return 0;
	s = pd->heap[0];
	*entry = s->head;
	entry->round = s - pd->streams;
	s->head.rec = NULL;
	s->head.block = NULL;
	ret = pull_head(pd, s);
	if (ret < 0) {
		pd_block_put(&pd->blocks, entry->block);
		return ret;
	}
	if (!ret)
		pd->heap[0] = pd->heap[--pd->nr_heap];
	if (pd->nr_heap)
		sift_down(pd, 0);
	return 1;
}

/*
 * Has another piece of the same file delivered it? Only mapped files are divided, so that
 * no block is needed. Returns 1, 0 or PD_ENOMEM.
 */
static int is_again(struct pd *pd, const struct pd_entry *entry)
{
	const struct pd_entry *v = pd->same_time;
	size_t i;

	if (!entry->time || entry->block)
		return 0;
	if (pd->nr_same_time && v[0].time != entry->time)
		pd->nr_same_time = 0;
	for (i = 0; i < pd->nr_same_time; i++)
		if (v[i].round != entry->round && pd_order_same(&v[i], entry) &&
		    pd_file_at(pd, v[i].rec) == pd_file_at(pd, entry->rec))
			return 1;
	if (!array_room(&pd->same_time, pd->nr_same_time, &pd->cap_same_time, sizeof(*v)))
		return pd_no_memory(pd);
	pd->same_time[pd->nr_same_time++] = *entry;
	return 0;
}

static int next_of_many(struct pd *pd, struct pd_entry *entry)
{
	int ret = pd->heap ? 0 : make_heap(pd), again;

	if (ret)
		return ret;
	while ((ret = pop(pd, entry)) > 0) {
		again = is_again(pd, entry);
		if (again <= 0)
			return again ?: 1;
		pd->stats.again++;
	}
	return ret;
}

int pd_next(struct pd *pd, struct pd_event *ev)
{
	struct pd_entry entry;
	int ret;

	if (pd->failed)
		return pd->failed;
	do {
		pd_block_put(&pd->blocks, pd->current);
		pd->current = NULL;
		ret = pd->nr_streams == 1 ? next_of_one(pd, &entry) :
					    next_of_many(pd, &entry);
		if (ret <= 0)
			return ret;
		pd->current = entry.block;
		pd->at = entry.at;
		ret = parse(pd, entry.rec, ev);
	} while (!ret);
	if (ret < 0)
		return ret;
	if (ev->time != PD_NO_TIME && ev->time) {
		if (ev->time < pd->last_time) {
			pd->stats.late++;
			pd->stats.hurried += pd->hurried;
		} else {
			pd->last_time = ev->time;
		}
	}
	return 1;
}

struct pd_block *pd_hold(struct pd *pd)
{
	return pd_block_ref(pd->current);
}

void pd_release(struct pd *pd, struct pd_block *held)
{
	pd_block_put(&pd->blocks, held);
}

const char *pd_branch_type_name(unsigned int type)
{
	static const char *const names[PD_BR_NR] = {
		"",	      "COND",	    "UNCOND",	  "IND",
		"CALL",	      "IND_CALL",   "RET",	  "SYSCALL",
		"SYSRET",     "COND_CALL",  "COND_RET",	  "ERET",
		"IRQ",	      "SERROR",	    "NO_TX",	  "",
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
		"ARCH_2",     "ARCH_3",	    "ARCH_4",	  "ARCH_5",
	};

	return names[type] ? names[type] : "";
}
