// SPDX-License-Identifier: GPL-2.0-only
/* The fields of a sample, in the order the kernel writes them. */
#include "base/cursor.h"
#include "perfdata/internal.h"

#include <inttypes.h>
#include <linux/perf_event.h>

/* The words of field READ, for the whole and for each event. */
static unsigned int count_times(uint64_t format)
{
	return pd_count(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
				  PERF_FORMAT_TOTAL_TIME_RUNNING));
}

static unsigned int count_each(uint64_t format)
{
	return 1 + pd_count(format & (PERF_FORMAT_ID | PD_READ_FORMAT_LOST));
}

static void take_read(struct cursor *c, uint64_t format, struct pd_sample *s)
{
	uint64_t nr = 1;

	s->read = c->p;
	if (format & PERF_FORMAT_GROUP)
		nr = cursor_u64(c);
	cursor_take(c, 8 * count_times(format));
	cursor_array(c, nr, 8 * count_each(format));
	s->nr_read = (c->p - s->read) / 8;
}

bool pd_group_id(const struct pd_event *ev, unsigned int i, uint64_t *id)
{
	const uint64_t format = ev->attr->read_format;
	const uint64_t at = 1 + count_times(format) + (uint64_t)i * count_each(format);

	if (!(format & PERF_FORMAT_GROUP) || !(format & PERF_FORMAT_ID) ||
	    at + count_each(format) > ev->sample.nr_read)
		return false;
	/* The count stands before it. */
	*id = pd_get64(ev->sample.read + 8 * (at + 1));
	return true;
}

static void take_regs(struct cursor *c, uint64_t mask, struct pd_regs *regs)
{
	regs->abi = cursor_u64(c);
	regs->mask = mask;
	if (regs->abi)
		regs->values = cursor_array(c, pd_count(mask), 8);
}

/* A size and as many bytes. */
static const uint8_t *take_bytes(struct cursor *c, uint64_t *size)
{
	*size = cursor_u64(c);
	return cursor_take(c, *size);
}

static void take_stack(struct cursor *c, struct pd_sample *s)
{
	uint64_t size;

	s->stack = take_bytes(c, &size);
	/* How much of it was really there follows, if it has room at all. */
	if (size)
		s->stack_size = cursor_u64(c);
	if (s->stack_size > size)
		s->stack_size = size;
}

/* What stands behind the branch stack. */
static void take_rest(struct cursor *c, const struct pd_attr *attr,
		      struct pd_sample *s)
{
	const uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(c, attr->sample_regs_user, &s->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(c, s);
	if (type & PD_SAMPLE_WEIGHTS)
		s->weight = cursor_u64(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = cursor_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = cursor_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		take_regs(c, attr->sample_regs_intr, &s->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = cursor_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = cursor_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = cursor_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = cursor_u64(c);
	if (type & PERF_SAMPLE_AUX)
		s->aux = take_bytes(c, &s->aux_size);
}

int pd_parse_sample(struct pd *pd, const uint8_t *rec, struct pd_event *ev)
{
	struct cursor c = { .p = rec + PD_HEADER_SIZE,
			    .end = rec + pd_get16(rec + 6) };
	const struct pd_attr *attr = ev->attr;
	const uint64_t type = attr->sample_type;
	struct pd_sample *s = &ev->sample;
	const uint8_t *p;

	*s = (struct pd_sample){ .hw_idx = UINT64_MAX };
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = cursor_u64(&c);
	if (type & PERF_SAMPLE_IP)
		s->ip = cursor_u64(&c);
	if (type & PERF_SAMPLE_TID && (p = cursor_take(&c, 8))) {
		ev->pid = pd_get32(p);
		ev->tid = pd_get32(p + 4);
	}
	if (type & PERF_SAMPLE_TIME)
		ev->time = cursor_u64(&c);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = cursor_u64(&c);
	if (type & PERF_SAMPLE_ID)
		s->id = cursor_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = cursor_u64(&c);
	if (type & PERF_SAMPLE_CPU && (p = cursor_take(&c, 8)))
		ev->cpu = pd_get32(p);
	if (type & PERF_SAMPLE_PERIOD)
		s->period = cursor_u64(&c);
	if (type & PERF_SAMPLE_READ)
		take_read(&c, attr->read_format, s);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->nr_chain = cursor_u64(&c);
		s->chain = cursor_array(&c, s->nr_chain, 8);
	}
	if (type & PERF_SAMPLE_RAW && (p = cursor_take(&c, 4))) {
		s->raw_size = pd_get32(p);
		s->raw = cursor_take(&c, s->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		s->has_branches = true;
		s->nr_branches = cursor_u64(&c);
		if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			s->hw_idx = cursor_u64(&c);
		s->branches = cursor_array(&c, s->nr_branches,
					   sizeof(struct pd_branch));
		if (attr->branch_sample_type & PD_BRANCH_COUNTERS)
			cursor_array(&c, s->nr_branches, 8);
	}
	if (type >= PERF_SAMPLE_BRANCH_STACK << 1)
		take_rest(&c, attr, s);
	if (c.cut)
		return pd_fail(
			pd, PD_ECORRUPT, rec,
			"a sample of %u bytes is too short for its fields (sample_type 0x%" PRIx64
			")",
			pd_get16(rec + 6), type);
	return 0;
}

bool pd_counts_insns(const struct pd_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE &&
	       attr->config == PERF_COUNT_HW_INSTRUCTIONS;
}

uint64_t pd_period(const struct pd_event *ev)
{
	if (ev->attr->sample_type & PERF_SAMPLE_PERIOD)
		return ev->sample.period;
	return ev->attr->freq ? 0 : ev->attr->sample_period;
}
