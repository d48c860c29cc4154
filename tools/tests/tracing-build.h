/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracing data of a recording: format files of tracepoints, as perf copies
 * them from tracefs. The fields are those that the kernels have which are named;
 * what the files print does not matter here.
 */
#ifndef TESTS_TRACING_BUILD_H
#define TESTS_TRACING_BUILD_H

#include "perfdata-build.h"

#define TRB_COMMON                                                             \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"  \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"  \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define TRB_FORMAT(_name, _id, _fields)                                        \
	"name: " _name "\nID: " _id "\nformat:\n" TRB_COMMON _fields           \
	"\nprint fmt: \"%d\", REC->common_pid\n"

#define TRB_DEVICE                                                             \
	"\tfield:__data_loc char[] device;\toffset:8;\tsize:4;\tsigned:0;\n"

/* The numbers of the tracepoints here. */
enum {
	TRB_SYS_ENTER = 31,
	TRB_SYS_EXIT = 32,
	TRB_MAP_PAGE = 41, /* 6.12 */
	TRB_MAP_SG = 42, /* 6.12 */
	TRB_MAP_PHYS = 43, /* 7.2 */
	TRB_SYNC_FOR_CPU = 44,
	TRB_SYNC_SG_FOR_DEVICE = 45,
	TRB_IRQ = 51,
	TRB_FAULT = 61, /* 7.2 */
	TRB_SIGNAL = 71,
};

#define TRB_MAP_FIELDS                                                         \
	TRB_DEVICE                                                             \
	"\tfield:u64 phys_addr;\toffset:16;\tsize:8;\tsigned:0;\n"              \
	"\tfield:u64 dma_addr;\toffset:24;\tsize:8;\tsigned:0;\n"               \
	"\tfield:size_t size;\toffset:32;\tsize:8;\tsigned:0;\n"                \
	"\tfield:enum dma_data_direction dir;\toffset:40;\tsize:4;\tsigned:0;\n" \
	"\tfield:unsigned long attrs;\toffset:48;\tsize:8;\tsigned:0;\n"

static const struct {
	const char *system, *format;
} trb_formats[] = {
	{ "raw_syscalls",
	  TRB_FORMAT("sys_enter", "31",
		     "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		     "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n") },
	{ "raw_syscalls",
	  TRB_FORMAT("sys_exit", "32",
		     "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		     "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n") },
	{ "dma", TRB_FORMAT("dma_map_page", "41", TRB_MAP_FIELDS) },
	{ "dma",
	  TRB_FORMAT("dma_map_sg", "42", TRB_DEVICE
		     "\tfield:int full_nents;\toffset:12;\tsize:4;\tsigned:1;\n"
		     "\tfield:int full_ents;\toffset:16;\tsize:4;\tsigned:1;\n"
		     "\tfield:bool truncated;\toffset:20;\tsize:1;\tsigned:0;\n"
		     "\tfield:__data_loc u64[] phys_addrs;\toffset:24;\tsize:4;\tsigned:0;\n"
		     "\tfield:__data_loc u64[] dma_addrs;\toffset:28;\tsize:4;\tsigned:0;\n"
		     "\tfield:__data_loc unsigned int[] lengths;\toffset:32;\tsize:4;\tsigned:0;\n"
		     "\tfield:enum dma_data_direction dir;\toffset:36;\tsize:4;\tsigned:0;\n") },
	{ "dma", TRB_FORMAT("dma_map_phys", "43", TRB_MAP_FIELDS) },
	{ "dma",
	  TRB_FORMAT("dma_sync_single_for_cpu", "44", TRB_DEVICE
		     "\tfield:u64 dma_addr;\toffset:16;\tsize:8;\tsigned:0;\n"
		     "\tfield:size_t size;\toffset:24;\tsize:8;\tsigned:0;\n"
		     "\tfield:enum dma_data_direction dir;\toffset:32;\tsize:4;\tsigned:0;\n") },
	{ "dma",
	  TRB_FORMAT("dma_sync_sg_for_device", "45", TRB_DEVICE
		     "\tfield:__data_loc u64[] dma_addrs;\toffset:12;\tsize:4;\tsigned:0;\n"
		     "\tfield:__data_loc unsigned int[] lengths;\toffset:16;\tsize:4;\tsigned:0;\n"
		     "\tfield:enum dma_data_direction dir;\toffset:20;\tsize:4;\tsigned:0;\n") },
	{ "irq",
	  TRB_FORMAT("irq_handler_entry", "51",
		     "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
		     "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n") },
	{ "exceptions",
	  TRB_FORMAT("page_fault_user", "61",
		     "\tfield:unsigned long address;\toffset:8;\tsize:8;\tsigned:0;\n"
		     "\tfield:unsigned long ip;\toffset:16;\tsize:8;\tsigned:0;\n"
		     "\tfield:unsigned long error_code;\toffset:24;\tsize:8;\tsigned:0;\n") },
	{ "signal",
	  TRB_FORMAT("signal_deliver", "71",
		     "\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n"
		     "\tfield:int errno;\toffset:12;\tsize:4;\tsigned:1;\n"
		     "\tfield:int code;\toffset:16;\tsize:4;\tsigned:1;\n"
		     "\tfield:unsigned long sa_handler;\toffset:24;\tsize:8;\tsigned:0;\n"
		     "\tfield:unsigned long sa_flags;\toffset:32;\tsize:8;\tsigned:0;\n") },
};

/* The whole section, with one system for each format. */
static inline void trb_put(struct pdb_buf *b)
{
	const unsigned int nr = sizeof(trb_formats) / sizeof(*trb_formats);
	unsigned int i;

	pdb_put(b, "\27\10Dtracing" "0.6", 14);
	pdb_put(b, pdb_big_endian ? "\1\10" : "\0\10", 2);
	pdb_u32(b, 4096);
	pdb_put(b, "header_page", 12);
	pdb_u64(b, 4);
	pdb_put(b, "page", 4);
	pdb_put(b, "header_event", 13);
	pdb_u64(b, 5);
	pdb_put(b, "event", 5);
	pdb_u32(b, 1);
	pdb_u64(b, 6); /* one of ftrace's own */
	pdb_put(b, "ftrace", 6);
	pdb_u32(b, nr);
	for (i = 0; i < nr; i++) {
		const char *system = trb_formats[i].system;
		const char *format = trb_formats[i].format;

		pdb_put(b, system, strlen(system) + 1);
		pdb_u32(b, 1);
		pdb_u64(b, strlen(format));
		pdb_put(b, format, strlen(format));
	}
	pdb_u32(b, 0); /* no symbols of the kernel, no formats of printk */
	pdb_u32(b, 0);
}

/* A tracepoint as an event, recorded each time with its raw data. Returns its index. */
static inline unsigned int trb_event(struct pdb *b, unsigned int id,
				     uint64_t sample_type)
{
	unsigned int index =
		pdb_event(b, (sample_type & ~PERF_SAMPLE_BRANCH_STACK) |
				     PERF_SAMPLE_RAW, 0);

	b->events[index].attr.type = PERF_TYPE_TRACEPOINT;
	b->events[index].attr.config = id;
	b->events[index].attr.sample_period = 1;
	return index;
}

/* Raw data: numbers at their places, and what lies elsewhere behind them. */
struct trb_raw {
	uint8_t bytes[2044];
	unsigned int size;
};

static inline void trb_number(struct trb_raw *raw, unsigned int at,
			      unsigned int size, uint64_t v)
{
	v = pdb_bytes(v, size);
	memcpy(raw->bytes + at, &v, size);
	if (raw->size < at + size)
		raw->size = at + size;
}

/* Put size bytes behind all, and their place at `at`. */
static inline void trb_array(struct trb_raw *raw, unsigned int at,
			     const void *p, unsigned int size)
{
	raw->size = (raw->size + 3) & ~3u;
	if (raw->size + size > sizeof(raw->bytes))
		abort();
	memcpy(raw->bytes + raw->size, p, size);
	trb_number(raw, at, 4, size << 16 | raw->size);
	raw->size += size;
}

/* As the kernel does: 4 bytes more than a multiple of 8. */
static inline void trb_sample(struct pdb *b, unsigned int event,
			      struct trb_raw *raw, struct pdb_sample sample)
{
	raw->size = ((raw->size + 4 + 7) & ~7u) - 4;
	sample.raw = raw->bytes;
	sample.raw_size = raw->size;
	pdb_sample(b, event, &sample);
}

static inline void trb_dma_one(struct trb_raw *raw, const char *device,
			       uint64_t phys, uint64_t size, unsigned int dir)
{
	*raw = (struct trb_raw){ .size = 56 };
	trb_number(raw, 16, 8, phys);
	trb_number(raw, 24, 8, phys + 0x1000000000);
	trb_number(raw, 32, 8, size);
	trb_number(raw, 40, 4, dir);
	trb_array(raw, 8, device, strlen(device) + 1);
}

#endif
