/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ssctr info` counts, and how it is shown. */
#ifndef SSCTR_INFO_H
#define SSCTR_INFO_H

#include "pages.h"
#include "riscv/rv_class.h"
#include "stf/stf.h"
#include "base/text.h"

/* More kinds of events than these are counted together. */
#define MAX_EVENTS 256

struct event_count {
	uint64_t id;
	uint64_t mode; /* of a MODE_CHANGE */
	uint64_t count;
};

/* Different threads, unsorted and with doubles until the list is full. */
struct threads {
	struct stf_process *v;
	size_t nr;
	size_t room;
};

/* Memory accesses of one direction. */
struct accesses {
	uint64_t count;
	uint64_t bytes;
};

struct info {
	struct stf_reader *reader;
	struct stf_stats stats; /* at the end */
	uint64_t records[256];
	uint64_t classes[RV_N_CLASSES];
	uint64_t taken;
	uint64_t gaps;
	uint64_t size16;
	struct accesses reads, writes;
	struct pages data, code;
	struct event_count events[MAX_EVENTS];
	unsigned int n_events;
	uint64_t other_events;
	struct threads threads;
	size_t n_pids;
	size_t n_tids;
	struct text text;
};

/* The header's records are printed as they are read, the rest at the end. */
void info_text_header(struct info *info, const struct stf_record *rec);
void info_text(struct info *info);

void info_json_header(struct info *info, const struct stf_record *rec);
void info_json(struct info *info);

#endif
