// SPDX-License-Identifier: GPL-2.0-only
/* The events that were asked for, and their ids. */
#include "base/array.h"
#include "perfdata/internal.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <time.h>

/* Where the kernel puts a record's id and time, as sample_type tells. */
static void place_fields(struct pd_attr *attr)
{
	const uint64_t id = PERF_SAMPLE_ID, identifier = PERF_SAMPLE_IDENTIFIER,
		       time = PERF_SAMPLE_TIME,
		       tail_id = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	const uint64_t before_time =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	const uint64_t type = attr->sample_type;

	attr->id_in_sample = attr->time_in_sample = -1;
	attr->id_from_end = attr->time_from_end = -1;
	if (type & identifier)
		attr->id_in_sample = 0;
	else if (type & id)
		attr->id_in_sample = 8 * pd_count(type & (before_time | time |
							  PERF_SAMPLE_ADDR));
	if (type & time)
		attr->time_in_sample = 8 * pd_count(type & before_time);
	if (!attr->sample_id_all)
		return;
	attr->sample_id_size = 8 * pd_count(type & (PERF_SAMPLE_TID | time |
						    id | tail_id | identifier));
	if (type & identifier)
		attr->id_from_end = 8;
	else if (type & id)
		attr->id_from_end = 8 * (1 + pd_count(type & tail_id));
	if (type & time)
		attr->time_from_end =
			8 * (1 + pd_count(type & (id | tail_id | identifier)));
}

static void read_attr(const struct pd *pd, struct pd_attr *attr,
		      const uint8_t *p, uint64_t size)
{
	struct perf_event_attr raw = { 0 };

	/* Fields that are younger than the recording are absent, that is 0. */
	if (size > sizeof(raw))
		size = sizeof(raw);
	memcpy(&raw, p, size);
	if (pd->swap)
		pd_swap_attr((uint8_t *)&raw, size);
	attr->type = raw.type;
	attr->config = raw.config;
	attr->sample_period = raw.sample_period;
	attr->freq = raw.freq;
	attr->inherit = raw.inherit;
	attr->inherit_stat = raw.inherit_stat;
	attr->sample_type = raw.sample_type;
	attr->read_format = raw.read_format;
	attr->branch_sample_type = raw.branch_sample_type;
	attr->sample_regs_user = raw.sample_regs_user;
	attr->sample_regs_intr = raw.sample_regs_intr;
	attr->exclude_user = raw.exclude_user;
	attr->exclude_kernel = raw.exclude_kernel;
	attr->sample_id_all = raw.sample_id_all;
	attr->monotonic = raw.use_clockid && raw.clockid == CLOCK_MONOTONIC;
	place_fields(attr);
}

static struct pd_id *find_id(const struct pd *pd, uint64_t id,
			     struct hash_slot **slot)
{
	hash_for_each(&pd->ids_hash, *slot, hash_u64(id)) {
		struct pd_id *known = &pd->ids[(*slot)->number - 1];

		if (known->id == id)
			return known;
	}
	return NULL;
}

/* An id of two events is the later one's. False: out of memory. */
static bool put_id(struct pd *pd, uint64_t id, struct pd_attr *attr)
{
	struct hash_slot *slot;
	struct pd_id *known;

	if (!hash_room(&pd->ids_hash) ||
	    !array_room(&pd->ids, pd->nr_ids, &pd->cap_ids, sizeof(*pd->ids)))
		return false;
	known = find_id(pd, id, &slot);
	if (!known) {
		hash_put(&pd->ids_hash, slot, hash_u64(id), pd->nr_ids);
		known = &pd->ids[pd->nr_ids++];
	}
	*known = (struct pd_id){ id, attr };
	return true;
}

struct pd_attr *pd_find_id(const struct pd *pd, uint64_t id)
{
	struct hash_slot *slot;
	const struct pd_id *known =
		pd->ids_hash.slots ? find_id(pd, id, &slot) : NULL;

	return known ? known->attr : NULL;
}

int pd_add_attr(struct pd *pd, const uint8_t *p, uint64_t size,
		const uint8_t *ids, uint64_t nr_ids)
{
	struct pd_attr *attr, *first;

	if (!array_room(&pd->attrs, pd->nr_attrs, &pd->cap_attrs,
			sizeof(*pd->attrs)))
		return pd_no_memory(pd);
	attr = calloc(1, sizeof(*attr));
	if (!attr)
		return pd_no_memory(pd);
	attr->index = pd->nr_attrs;
	pd->attrs[pd->nr_attrs++] = attr;
	first = pd->attrs[0];
	read_attr(pd, attr, p, size);
	if (attr == first)
		pd->ordered = true;
	if (!attr->sample_id_all || attr->time_in_sample < 0)
		pd->ordered = false;
	if (attr->id_in_sample != first->id_in_sample ||
	    attr->id_from_end != first->id_from_end ||
	    (attr != first && attr->id_in_sample < 0))
		return pd_fail(
			pd, PD_EUNSUPPORTED, p,
			"the samples of events 0 and %u cannot be told apart: their ids are at different places",
			attr->index);
	for (; nr_ids; nr_ids--, ids += 8)
		if (!put_id(pd, pd_file64(pd, ids), attr))
			return pd_no_memory(pd);
	return 0;
}

int pd_read_attrs(struct pd *pd, const struct pd_file *file,
		  const uint8_t *attrs, uint64_t size, uint64_t attr_size)
{
	uint64_t i, total = 0;

	if (attr_size < PERF_ATTR_SIZE_VER0 + 16 || attr_size > 4096 ||
	    size % attr_size)
		return pd_fail(pd, PD_ECORRUPT, attrs,
			       "event descriptions of %" PRIu64
			       " bytes do not fill %" PRIu64 " bytes",
			       attr_size, size);
	if (!size)
		return pd_fail(pd, PD_ECORRUPT, attrs,
			       "the file describes no event");
	for (i = 0; i < size / attr_size; i++) {
		const uint8_t *attr = attrs + i * attr_size;
		const uint8_t *where = attr + attr_size - 16;
		uint64_t offset = pd_file64(pd, where);
		uint64_t bytes = pd_file64(pd, where + 8);
		int ret;

		if (!pd_in_file(file, offset, bytes))
			return pd_fail(
				pd, PD_ECORRUPT, where,
				"the ids of an event reach beyond the file's end: the file is cut short or damaged");
		total += bytes / 8;
		/* Sections may overlap in a damaged file: not more than fit. */
		if (total > file->size / 8)
			return pd_fail(pd, PD_ECORRUPT, where,
				       "more event ids than the file can hold");
		ret = pd_add_attr(pd, attr, attr_size - 16, file->map + offset,
				  bytes / 8);
		if (ret)
			return ret;
	}
	return 0;
}

int pd_name_attr(struct pd *pd, struct pd_attr *attr, const uint8_t *name,
		 uint64_t len)
{
	char *copy = strndup((const char *)name, len);

	if (!copy)
		return pd_no_memory(pd);
	free(attr->name);
	attr->name = copy;
	return 0;
}

unsigned int pd_nr_attrs(const struct pd *pd)
{
	return pd->nr_attrs;
}

const struct pd_attr *pd_attr(const struct pd *pd, unsigned int index)
{
	return pd->attrs[index];
}

/* Without a mode in the filter, the kernel takes the event's own. */
static bool has_branches_of(const struct pd_attr *attr, uint64_t mode, bool excluded)
{
	const uint64_t modes = PERF_SAMPLE_BRANCH_USER |
			       PERF_SAMPLE_BRANCH_KERNEL |
			       PERF_SAMPLE_BRANCH_HV;

	return attr->branch_sample_type & modes ? attr->branch_sample_type & mode : !excluded;
}

bool pd_attr_has_user_branches(const struct pd_attr *attr)
{
	return has_branches_of(attr, PERF_SAMPLE_BRANCH_USER, attr->exclude_user);
}

bool pd_attr_has_kernel_branches(const struct pd_attr *attr)
{
	return has_branches_of(attr, PERF_SAMPLE_BRANCH_KERNEL, attr->exclude_kernel);
}

const char *pd_next_kind(uint64_t branch_sample_type, unsigned int *at)
{
	static const struct {
		uint64_t bit;
		const char *name; /* as perf record -j takes it */
	} kinds[] = {
		{ PERF_SAMPLE_BRANCH_ANY, "any" },
		{ PERF_SAMPLE_BRANCH_ANY_CALL, "any_call" },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, "any_ret" },
		{ PERF_SAMPLE_BRANCH_IND_CALL, "ind_call" },
		{ PERF_SAMPLE_BRANCH_ABORT_TX, "abort_tx" },
		{ PERF_SAMPLE_BRANCH_IN_TX, "in_tx" },
		{ PERF_SAMPLE_BRANCH_NO_TX, "no_tx" },
		{ PERF_SAMPLE_BRANCH_COND, "cond" },
		{ PERF_SAMPLE_BRANCH_CALL_STACK, "stack" },
		{ PERF_SAMPLE_BRANCH_IND_JUMP, "ind_jmp" },
		{ PERF_SAMPLE_BRANCH_CALL, "call" },
	};

	while (*at < sizeof(kinds) / sizeof(*kinds))
		if (branch_sample_type & kinds[(*at)++].bit)
			return kinds[*at - 1].name;
	return NULL;
}

bool pd_attr_is_tracking(const struct pd_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

bool pd_attr_has_kinds(const struct pd_attr *attr)
{
	return pd_next_kind(attr->branch_sample_type, &(unsigned int){ 0 });
}

bool pd_attr_has_call_stacks(const struct pd_attr *attr)
{
	return attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* What a filter left out would look untaken. */
bool pd_attr_has_paths(const struct pd_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY &&
	       !pd_attr_has_call_stacks(attr);
}

bool pd_attr_counts_its_branches(const struct pd_attr *attr)
{
	const uint64_t modes = attr->branch_sample_type;

	return !(attr->exclude_kernel && modes & PERF_SAMPLE_BRANCH_KERNEL) &&
	       !(attr->exclude_user && modes & PERF_SAMPLE_BRANCH_USER);
}

/* 0 stands for a mode that was not recorded. */
static bool is_user(uint64_t addr)
{
	return addr && !(addr >> 63);
}

/* An event of user code may interrupt when the kernel has just been entered. */
static bool shows_user_code(const struct pd_event *ev)
{
	const struct pd_sample *s = &ev->sample;
	struct pd_branch branch;
	uint64_t i;

	if (ev->attr->sample_type & PERF_SAMPLE_IP && is_user(s->ip))
		return true;
	for (i = 0; i < s->nr_branches; i++) {
		branch = pd_branch_at(s, i);
		if (is_user(branch.from) || is_user(branch.to))
			return true;
	}
	return false;
}

bool pd_is_outside(const struct pd_event *ev)
{
	if (ev->pid)
		return false;
	switch (ev->type) {
	case PERF_RECORD_MMAP:
		return !ev->mmap.kernel;
	case PERF_RECORD_SAMPLE:
		return shows_user_code(ev);
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
		return true;
	default:
		return false;
	}
}

bool pd_is_away(const struct pd_event *ev)
{
	const uint64_t wanted = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	const struct pd_attr *attr = ev->attr;

	if (!attr || (attr->sample_type & wanted) != wanted || pd_attr_has_call_stacks(attr) ||
	    attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT)
		return false;
	if (ev->sample.ip >> 63)
		return !attr->exclude_kernel && !pd_attr_has_kernel_branches(attr);
	return !attr->exclude_user && !pd_attr_has_user_branches(attr);
}
