/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's numbers in a perf.data, for reading and for writing. */
#ifndef PERFDATA_FORMAT_H
#define PERFDATA_FORMAT_H

/* The sizes in bytes of the headers of a file and of a pipe. */
enum { PD_FILE_HEADER = 104, PD_PIPE_HEADER = 16 };

/* The sections in the header of a file. perf calls them features. */
enum pd_section {
	PD_SEC_TRACING_DATA = 1,
	PD_SEC_BUILD_ID = 2,
	PD_SEC_HOSTNAME = 3,
	PD_SEC_OSRELEASE = 4,
	PD_SEC_VERSION = 5,
	PD_SEC_ARCH = 6,
	PD_SEC_NRCPUS = 7,
	PD_SEC_CPUID = 9,
	PD_SEC_TOTAL_MEM = 10,
	PD_SEC_CMDLINE = 11,
	PD_SEC_EVENT_DESC = 12,
	/* an empty section; it means that samples have branch stacks */
	PD_SEC_BRANCH_STACK = 15,
	PD_SEC_SAMPLE_TIME = 21,
	PD_SEC_CLOCKID = 23,
	PD_SEC_CPU_PMU_CAPS = 28,
	PD_SEC_CLOCK_DATA = 29,
	PD_SEC_PMU_CAPS = 31,
	PD_NR_SECTIONS,
};

/* The version of the section CLOCK_DATA: u32 version, u32 clock, u64 wall time, u64 time. */
enum { PD_CLOCK_DATA_VERSION = 1 };

/* The records that perf itself writes, between those of the kernel. */
enum {
	PD_USER_FIRST = 64,
	PD_USER_ATTR = 64,
	PD_USER_TRACING_DATA = 66,
	PD_USER_BUILD_ID = 67,
	PD_USER_FINISHED_ROUND = 68,
	PD_USER_AUXTRACE = 71,
	PD_USER_EVENT_UPDATE = 78,
	PD_USER_FEATURE = 80,
	PD_USER_COMPRESSED = 81,
	PD_USER_FINISHED_INIT = 82,
	PD_USER_COMPRESSED2 = 83,
};

enum {
	PD_UPDATE_NAME = 2, /* a type of EVENT_UPDATE */
	PD_BUILD_ID_MAX = 20,
	/* the BUILD_ID record tells the size of the id */
	PD_MISC_BUILD_ID_SIZE = 1 << 15,
	/* LOST_SAMPLES counts what a BPF filter dropped */
	PD_MISC_LOST_SAMPLES_BPF = 1 << 15,
};

#endif
