/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `perf script --dlfilter` and a plug-in give each other, as perf since 5.14
 * has it. perf finds these functions by their names; fields are only ever added at
 * a structure's end. Declared here because perf's own header comes with few of its
 * packages, and for one architecture alone.
 */
#ifndef DLFILTER_H
#define DLFILTER_H

#include <stdint.h>

/* A sample, up to the last field that is used here. */
struct perf_dlfilter_sample {
	uint32_t size; /* of perf's structure, in bytes */
	uint16_t ins_lat;
	uint16_t p_stage_cyc;
	uint64_t ip;
	int32_t pid;
	int32_t tid;
	uint64_t time; /* ns */
	uint64_t addr;
	uint64_t id;
	uint64_t stream_id;
	uint64_t period;
	uint64_t weight;
	uint64_t transaction;
	uint64_t insn_cnt;
	uint64_t cyc_cnt;
	int32_t cpu;
	uint32_t flags;
	uint64_t data_src;
	uint64_t phys_addr;
	uint64_t data_page_size;
	uint64_t code_page_size;
	uint64_t cgroup;
	uint8_t cpumode; /* PERF_RECORD_MISC_* */
};

/* Where an address is, up to the last field that is used here. */
struct perf_dlfilter_al {
	uint32_t size; /* of perf's structure, in bytes */
	uint32_t symoff;
	const char *sym;
	uint64_t addr;
	uint64_t sym_start;
	uint64_t sym_end;
	const char *dso;
	uint8_t sym_binding;
	uint8_t is_64_bit;
	uint8_t is_kernel_ip;
	uint32_t buildid_size;
	const uint8_t *buildid;
	uint8_t filtered;
	const char *comm; /* of resolve_ip() alone; since perf 6.0 */
};

/* What a plug-in may call. ctx is what perf gave to the function at work. */
struct perf_dlfilter_fns {
	const struct perf_dlfilter_al *(*resolve_ip)(void *ctx);
	const void *(*resolve_addr)(void *ctx);
	/* The words of --dlarg, which belong to perf. */
	char **(*args)(void *ctx, int *nr);
	void *others[125];
};

#define DLFILTER_API __attribute__((visibility("default")))

/* perf fills it before start(). */
extern struct perf_dlfilter_fns perf_dlfilter_fns DLFILTER_API;

/* 0, or a negative number, with which perf ends. */
DLFILTER_API int start(void **data, void *ctx);

/*
 * For each sample, before and after perf's own filters. 0 keeps it, 1 drops it,
 * and a negative number ends perf.
 */
DLFILTER_API int filter_event_early(void *data,
				    const struct perf_dlfilter_sample *sample,
				    void *ctx);
DLFILTER_API int filter_event(void *data,
			      const struct perf_dlfilter_sample *sample,
			      void *ctx);

/* In every case, also after an error. perf does not look at what it returns. */
DLFILTER_API int stop(void *data, void *ctx);

/* For `perf script --list-dlfilters`; with -v the longer text, too. */
DLFILTER_API const char *filter_description(const char **longer);

#endif
