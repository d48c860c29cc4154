// SPDX-License-Identifier: GPL-2.0-only
#include "last/sample.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* Of LAST_OPENED_TYPE, before the raw data: its words, behind the header. */
enum { ID, IP, TID, TIME, CPU, PERIOD, NR_FIXED };

static uint64_t *put(uint64_t *at, const void *p, size_t size)
{
	memcpy(at, p, size);
	return at + size / 8;
}

/* A function of the program was called, or has returned. */
static bool is_of_program(const struct last_point *point)
{
	return (point->kind == LAST_ENTRY || point->kind == LAST_RETURN) && !point->kernel_ip;
}

/*
 * A probe at the return of a function leads it into the kernel's own page, and from there to
 * where it would have returned: this is what the program did.
 */
static void straighten(struct last_raw *raw, uint32_t newest)
{
	if (raw->point.kind == LAST_RETURN && newest < raw->nr &&
	    !(raw->branches[newest].to >> 63))
		raw->branches[newest].to = raw->regs[0];
}

/*
 * Behind the branch that entered the kernel's function, and behind the trap of a probe in the
 * program's function, are those on the way to the BPF program.
 */
static uint32_t find_newest(const struct last_raw *raw)
{
	const bool traps = is_of_program(&raw->point);
	uint32_t i;

	for (i = 0; i < raw->nr && raw->has_kernel; i++) {
		if (last_enters_kernel(&raw->point) && raw->branches[i].to == raw->point.kernel_ip)
			return i;
		if (traps && !(raw->branches[i].from >> 63) && raw->branches[i].to >> 63)
			return i + 1;
	}
	return 0;
}

size_t last_make_sample(uint64_t *sample, const void *record, size_t size)
{
	const uint8_t *bytes = record, *data = bytes + 8 * (1 + NR_FIXED) + 4;
	struct perf_event_header header;
	uint64_t *at = sample + 1, abi = PERF_SAMPLE_REGS_ABI_64;
	struct last_raw raw;
	uint32_t raw_size, first;
	bool in_kernel;

	if (size < 8 * (1 + NR_FIXED) + 4)
		return 0;
	memcpy(&header, record, sizeof(header));
	memcpy(&raw_size, data - 4, sizeof(raw_size));
	if (raw_size > (size_t)(bytes + size - data) || raw_size < LAST_RAW_HEAD)
		return 0;
	memcpy(&raw, data, raw_size < sizeof(raw) ? raw_size : sizeof(raw));
	if (raw.nr > LAST_MAX_BRANCHES ||
	    raw_size < LAST_RAW_HEAD + raw.nr * sizeof(*raw.branches))
		return 0;

	at = put(at, bytes + 8, 8 * NR_FIXED);
	first = find_newest(&raw);
	if (is_of_program(&raw.point))
		straighten(&raw, first);
	in_kernel = raw.has_kernel && first < raw.nr && raw.branches[first].to >> 63;
	sample[1 + IP] = in_kernel ? raw.branches[first].to : raw.regs[0];
	/* The raw data is the point, with its size before it, in whole words. */
	raw_size = sizeof(raw.point) + 4;
	memcpy(at, &raw_size, 4);
	memcpy((uint8_t *)at + 4, &raw.point, sizeof(raw.point));
	at += (4 + raw_size + 7) / 8;
	memset((uint8_t *)at - 4, 0, 4);
	*at++ = raw.nr - first;
	at = put(at, raw.branches + first, (raw.nr - first) * sizeof(*raw.branches));
	*at++ = abi;
	at = put(at, raw.regs, sizeof(raw.regs));

	header.misc = in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	header.size = 8 * (at - sample);
	memcpy(sample, &header, sizeof(header));
	return header.size;
}
