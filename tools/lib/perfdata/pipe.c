// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pipe mode: what a file has in its header comes as records of perf's own, before
 * the kernel's or, build ids, behind them.
 */
#include "perfdata/internal.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>

/* No recording has formats of tracepoints of more bytes than this. */
enum { TRACING_DATA_MAX = 1 << 28 };

static int too_short(struct pd *pd, const uint8_t *rec)
{
	return pd_fail(pd, PD_ECORRUPT, rec,
		       "a record of type %" PRIu32
		       " of perf's own is too short for its fields",
		       pd_get32(rec));
}

/* A perf_event_attr, which says its own size, and the ids behind it. */
static int read_attr(struct pd *pd, const uint8_t *rec, unsigned int size)
{
	const uint8_t *p = rec + PD_HEADER_SIZE;
	uint32_t attr_size;

	if (size < PERF_ATTR_SIZE_VER0)
		return too_short(pd, rec);
	attr_size = pd_file32(pd, p + 4);
	if (!attr_size)
		attr_size = PERF_ATTR_SIZE_VER0;
	if (attr_size < PERF_ATTR_SIZE_VER0 || attr_size > size)
		return too_short(pd, rec);
	return pd_add_attr(pd, p, attr_size, p + attr_size,
			   (size - attr_size) / 8);
}

/* u64 type, u64 id, and by the type a name, a unit, ... */
static int read_update(struct pd *pd, const uint8_t *rec, unsigned int size)
{
	const uint8_t *p = rec + PD_HEADER_SIZE;
	struct pd_attr *attr;

	if (size < 16)
		return too_short(pd, rec);
	if (pd_file64(pd, p) != PD_UPDATE_NAME)
		return 0;
	attr = pd_find_id(pd, pd_file64(pd, p + 8));
	return attr ? pd_name_attr(pd, attr, p + 16, size - 16) : 0;
}

/* u32 bytes that follow the record, and what fills them up to 8. */
static int read_tracing_data(struct pd *pd, struct pd_stream *s,
			     const uint8_t *rec, unsigned int size)
{
	uint64_t bytes;
	int ret;

	if (size < 4)
		return too_short(pd, rec);
	bytes = pd_file32(pd, rec + PD_HEADER_SIZE);
	if (bytes > TRACING_DATA_MAX)
		return pd_fail(pd, PD_ECORRUPT, rec,
			       "%" PRIu64
			       " bytes of tracepoint formats are not believable",
			       bytes);
	ret = pd_new_tracing_data(pd, (bytes + 7) & ~UINT64_C(7));
	if (!ret)
		ret = pd_stream_read(pd, s, pd->tracing_data,
				     pd->tracing_data_size);
	pd->tracing_data_size = ret ? 0 : bytes;
	return ret < 0 ? ret : 0;
}

int pd_user_record(struct pd *pd, struct pd_stream *s, const uint8_t *rec)
{
	const uint8_t *p = rec + PD_HEADER_SIZE;
	unsigned int size = pd_get16(rec + 6) - PD_HEADER_SIZE;
	int ret;

	switch (pd_get32(rec)) {
	case PD_USER_ATTR:
		return pd->pipe_mode ? read_attr(pd, rec, size) : 0;
	case PD_USER_EVENT_UPDATE:
		return read_update(pd, rec, size);
	case PD_USER_TRACING_DATA:
		return read_tracing_data(pd, s, rec, size);
	case PD_USER_BUILD_ID:
		return pd_add_build_id(pd, rec, pd_get16(rec + 4),
				       size + PD_HEADER_SIZE);
	case PD_USER_FEATURE:
		if (size < 8)
			return too_short(pd, rec);
		if (pd_file64(pd, p) > UINT32_MAX)
			return 0;
		return pd_read_feature(pd, pd_file64(pd, p), p + 8, size - 8);
	case PD_USER_AUXTRACE:
		if (size < 8)
			return too_short(pd, rec);
		ret = pd_stream_read(pd, s, NULL, pd_file64(pd, p));
		return ret < 0 ? ret : 0;
	default:
		return 0;
	}
}
