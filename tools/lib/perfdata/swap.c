// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of a machine of the other byte order. Most of a record is 64-bit
 * words; what lies in one word by halves, bytes or bits has to be put right.
 */
#include "perfdata/internal.h"

#include <linux/perf_event.h>

static void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void swap16(uint8_t *p)
{
	uint16_t v = __builtin_bswap16(pd_get16(p));

	memcpy(p, &v, sizeof(v));
}

static void swap32(uint8_t *p)
{
	uint32_t v = __builtin_bswap32(pd_get32(p));

	memcpy(p, &v, sizeof(v));
}

static void swap64(uint8_t *p)
{
	put64(p, __builtin_bswap64(pd_get64(p)));
}

static uint64_t reverse_bits(uint64_t v)
{
	uint64_t out = 0;
	int i;

	for (i = 0; i < 64; i++)
		out |= (v >> i & 1) << (63 - i);
	return out;
}

void pd_swap_attr(uint8_t *attr, uint64_t size)
{
	/* The sizes of the fields of struct perf_event_attr, in order. */
	static const uint8_t fields[] = { 4, 4, 8, 8, 8, 8, 8, 4, 4, 8, 8, 8, 8,
					  4, 4, 8, 4, 2, 2, 4, 4, 8, 8 };
	const unsigned int flags = 5;
	unsigned int i;
	uint64_t at = 0;

	for (i = 0; i < sizeof(fields) && at + fields[i] <= size; i++) {
		if (fields[i] == 2)
			swap16(attr + at);
		else if (fields[i] == 4)
			swap32(attr + at);
		else
			swap64(attr + at);
		/*
		 * Bit fields are counted from the other end. precise_ip has two
		 * bits, whose order does not matter here.
		 */
		if (i == 1 + flags)
			put64(attr + at, reverse_bits(pd_get64(attr + at)));
		at += fields[i];
	}
}

/* What is left of a record. A field that does not fit is left as it is. */
struct cursor {
	uint8_t *p, *end;
};

static uint8_t *words(struct cursor *c, uint64_t nr)
{
	uint8_t *p = c->p;
	uint64_t i;

	if (nr > (uint64_t)(c->end - p) / 8)
		nr = (c->end - p) / 8;
	for (i = 0; i < nr; i++)
		swap64(p + 8 * i);
	c->p += 8 * nr;
	return p;
}

/* Two 32-bit words in the place of a 64-bit one. */
static void halves(struct cursor *c)
{
	if (c->end - c->p < 8)
		return;
	swap32(c->p);
	swap32(c->p + 4);
	c->p += 8;
}

static uint64_t counted(struct cursor *c)
{
	return c->end - c->p < 8 ? 0 : pd_get64(words(c, 1));
}

static void skip(struct cursor *c, uint64_t nr)
{
	c->p += nr < (uint64_t)(c->end - c->p) ? nr : (uint64_t)(c->end - c->p);
}

/* The bit fields of a branch entry, counted from the other end. */
static uint64_t branch_flags(uint64_t v)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	unsigned int i, at = 0;
	uint64_t out = 0;

	for (i = 0; i < sizeof(widths); i++) {
		uint64_t mask = (UINT64_C(1) << widths[i]) - 1;

		out |= (v >> (64 - at - widths[i]) & mask) << at;
		at += widths[i];
	}
	return out;
}

static void branches(struct cursor *c, const struct pd_attr *attr)
{
	uint64_t i, nr = counted(c);

	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		words(c, 1);
	for (i = 0; i < nr && c->end - c->p >= 24; i++) {
		words(c, 3);
		put64(c->p - 8, branch_flags(pd_get64(c->p - 8)));
	}
	if (attr->branch_sample_type & PD_BRANCH_COUNTERS)
		words(c, nr);
}

static void sample(const struct pd_attr *attr, struct cursor c)
{
	const uint64_t type = attr->sample_type;
	const uint64_t format = attr->read_format;
	uint64_t nr;

	if (type & PERF_SAMPLE_IDENTIFIER)
		words(&c, 1);
	if (type & PERF_SAMPLE_IP)
		words(&c, 1);
	if (type & PERF_SAMPLE_TID)
		halves(&c);
	words(&c, pd_count(type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				   PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)));
	if (type & PERF_SAMPLE_CPU)
		halves(&c);
	if (type & PERF_SAMPLE_PERIOD)
		words(&c, 1);
	if (type & PERF_SAMPLE_READ) {
		nr = format & PERF_FORMAT_GROUP ? counted(&c) : 1;
		words(&c, pd_count(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
					     PERF_FORMAT_TOTAL_TIME_RUNNING)));
		if (nr > PD_BLOCK_SIZE)
			nr = PD_BLOCK_SIZE;
		words(&c, nr * (1 + pd_count(format & (PERF_FORMAT_ID |
						       PD_READ_FORMAT_LOST))));
	}
	if (type & PERF_SAMPLE_CALLCHAIN)
		words(&c, counted(&c));
	if (type & PERF_SAMPLE_RAW && c.end - c.p >= 4) {
		swap32(c.p);
		skip(&c, 4 + (uint64_t)pd_get32(c.p));
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		branches(&c, attr);
	if (type & PERF_SAMPLE_REGS_USER && counted(&c))
		words(&c, pd_count(attr->sample_regs_user));
	if (type & PERF_SAMPLE_STACK_USER && (nr = counted(&c))) {
		skip(&c, nr);
		words(&c, 1);
	}
	words(&c, !!(type & PD_SAMPLE_WEIGHTS) +
			  !!(type & PERF_SAMPLE_DATA_SRC) +
			  !!(type & PERF_SAMPLE_TRANSACTION));
	if (type & PERF_SAMPLE_REGS_INTR && counted(&c))
		words(&c, pd_count(attr->sample_regs_intr));
	words(&c, pd_count(type & (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
				   PERF_SAMPLE_DATA_PAGE_SIZE |
				   PERF_SAMPLE_CODE_PAGE_SIZE)));
	if (type & PERF_SAMPLE_AUX)
		counted(&c);
}

static void trailer(const struct pd_attr *attr, struct cursor c)
{
	const uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_TID)
		halves(&c);
	words(&c, pd_count(type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				   PERF_SAMPLE_STREAM_ID)));
	if (type & PERF_SAMPLE_CPU)
		halves(&c);
	if (type & PERF_SAMPLE_IDENTIFIER)
		words(&c, 1);
}

/* The event of a record whose words are still the other way round. */
static const struct pd_attr *attr_of(const struct pd *pd, const uint8_t *rec,
				     unsigned int size, bool is_sample)
{
	const struct pd_attr *attr = pd->nr_attrs ? pd->attrs[0] : NULL;
	uint64_t at, id;

	if (!attr || (!is_sample && !attr->sample_id_all))
		return NULL;
	if (pd->nr_attrs == 1)
		return attr;
	if ((is_sample ? attr->id_in_sample : attr->id_from_end) < 0)
		return NULL;
	at = is_sample ? PD_HEADER_SIZE + (unsigned int)attr->id_in_sample :
			 size - (unsigned int)attr->id_from_end;
	if (at < PD_HEADER_SIZE || at + 8 > size)
		return NULL;
	id = __builtin_bswap64(pd_get64(rec + at));
	return id || is_sample ? pd_find_id(pd, id) : attr;
}

void pd_swap_record(const struct pd *pd, uint8_t *rec)
{
	const uint32_t type = pd_get32(rec);
	const unsigned int size = pd_get16(rec + 6);
	const struct pd_attr *attr =
		attr_of(pd, rec, size, type == PERF_RECORD_SAMPLE);
	struct cursor c = { rec + PD_HEADER_SIZE, rec + size };

	if (type == PERF_RECORD_SAMPLE) {
		if (attr)
			sample(attr, c);
		return;
	}
	if (attr && attr->sample_id_size <= size - PD_HEADER_SIZE) {
		c.end -= attr->sample_id_size;
		trailer(attr, (struct cursor){ c.end, rec + size });
	}
	switch (type) {
	case PERF_RECORD_MMAP:
		halves(&c);
		words(&c, 3);
		break;
	case PERF_RECORD_MMAP2:
		halves(&c);
		words(&c, 3);
		if (pd_get16(rec + 4) & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			skip(&c, 24);
		} else {
			halves(&c);
			words(&c, 2);
		}
		halves(&c);
		break;
	case PERF_RECORD_KSYMBOL:
		words(&c, 1);
		if (c.end - c.p < 8)
			break;
		swap32(c.p);
		swap16(c.p + 4);
		swap16(c.p + 6);
		break;
	case PERF_RECORD_COMM:
		halves(&c);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		halves(&c);
		halves(&c);
		words(&c, 1);
		break;
	case PERF_RECORD_READ:
		halves(&c);
		words(&c, 5);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		words(&c, 3);
		break;
	default:
		break;
	}
}
