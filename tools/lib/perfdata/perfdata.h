/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading what `perf record` wrote: the events of a perf.data file in the order
 * in which they happened, and the address spaces they happened in.
 *
 *	struct pd *pd;
 *	struct pd_event ev;
 *	int ret = pd_open(&pd, "perf.data");
 *
 *	while (!ret && (ret = pd_next(pd, &ev)) > 0)
 *		ret = 0;
 *	if (ret < 0)
 *		puts(pd_error(pd));
 *	pd_close(pd);
 *
 * Files are mapped and stay so until pd_close(); pipes and compressed records are
 * read in blocks that are used again. Every pointer in an event is valid until the
 * next call of pd_next(). What is held in memory grows with the events of two of
 * perf's rounds, not with the file. A file that another program cuts short while
 * it is being read ends the process with SIGBUS, as with any mapped file.
 */
#ifndef PERFDATA_H
#define PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Errors. Functions return one of these, and pd_error() has the text. */
enum {
	PD_EIO = -1, /* the file cannot be opened or mapped */
	PD_EFORMAT = -2, /* not a perf.data file */
	PD_ECORRUPT = -3, /* damaged, or cut short */
	PD_EUNSUPPORTED = -4, /* sound, but of a kind that is not read */
	PD_ENOMEM = -5,
};

#define PD_NO_TIME UINT64_MAX
#define PD_NO_ID   UINT32_MAX /* a pid, tid or cpu that was not recorded */

struct pd;

/* An event that was asked for, by `-e`. From perf's struct perf_event_attr. */
struct pd_attr {
	unsigned int index;
	char *name; /* as it was asked for; NULL: not recorded */
	uint32_t type; /* PERF_TYPE_*, or the number of a PMU */
	uint64_t config;
	uint64_t sample_period; /* or the frequency, if freq */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint64_t sample_regs_intr;
	bool freq;
	bool inherit; /* of the threads, too, that those opened for start */
	bool inherit_stat; /* each of which has a count of its own */
	bool exclude_user;
	bool exclude_kernel;
	bool sample_id_all;
	bool monotonic; /* times are of CLOCK_MONOTONIC: `-k mono` */
	/* Byte offsets from the end of a record's header, or -1. */
	int id_in_sample;
	int time_in_sample;
	/* The same from the end of a record that is no sample. */
	int id_from_end;
	int time_from_end;
	unsigned int sample_id_size;
};

/* One entry of a branch stack; flags as in struct perf_branch_entry. */
struct pd_branch {
	uint64_t from;
	uint64_t to;
	uint64_t flags;
};

/* Registers as PERF_SAMPLE_REGS_* has them: one word for each bit of a mask. */
struct pd_regs {
	uint64_t abi; /* 0: none were taken, as in a kernel thread */
	uint64_t mask;
	const uint8_t *values; /* 8 bytes each; NULL: none */
};

/* Fields that were not recorded are 0. */
struct pd_sample {
	uint64_t ip;
	uint64_t addr;
	uint64_t id;
	uint64_t stream_id;
	uint64_t period;
	uint64_t nr_chain;
	const uint8_t *chain; /* 8 bytes each */
	const uint8_t *raw;
	uint32_t raw_size;
	bool has_branches; /* the event was recorded with branch stacks */
	uint64_t hw_idx; /* UINT64_MAX: not recorded, or not known */
	uint64_t nr_branches;
	const uint8_t *branches; /* youngest first; see pd_branch_at() */
	const uint8_t *counters; /* 8 bytes for each branch; NULL: none */
	/* The counts of the event or of its group, by attr->read_format. */
	const uint8_t *read;
	uint64_t nr_read; /* words */
	struct pd_regs regs_user;
	struct pd_regs regs_intr;
	const uint8_t *stack; /* of the user, from its stack pointer on */
	uint64_t stack_size; /* bytes */
	uint64_t weight; /* WEIGHT, or the whole of WEIGHT_STRUCT */
	uint64_t data_src;
	uint64_t transaction;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	const uint8_t *aux;
	uint64_t aux_size;
};

struct pd_mmap {
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	uint32_t prot; /* PROT_*; MMAP records have none: PROT_EXEC */
	bool kernel;
	uint8_t build_id_size; /* 0: not recorded here */
	const uint8_t *build_id;
	const char *name;
};

struct pd_task { /* FORK and EXIT */
	uint32_t ppid;
	uint32_t ptid;
	bool keeps_no_maps; /* a FORK made up by perf for a running process */
};

struct pd_comm {
	const char *name;
	bool exec;
};

/*
 * How often an event has happened. pid and tid are of a thread that has ended, or, in a
 * record without a time, of what the event was opened for, on the cpu, with all that it
 * was inherited by.
 */
struct pd_read {
	uint64_t count;
	uint64_t lost; /* samples that could not be written */
	uint64_t id; /* of the event as it was opened; 0: not recorded */
};

/*
 * type is a PERF_RECORD_* of the kernel. MMAP2 is delivered as MMAP. Types other than
 * SAMPLE, MMAP, COMM, FORK, EXIT and READ have only the fields before the union. READ
 * that counts a group of events at once is not delivered.
 */
struct pd_event {
	uint32_t type;
	uint16_t misc;
	/* Of the record in the file, or of the compressed one that it is in. */
	uint64_t offset;
	uint64_t time; /* ns, or PD_NO_TIME */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	const struct pd_attr *attr; /* NULL where the record does not say */
	union {
		struct pd_sample sample;
		struct pd_mmap mmap;
		struct pd_task task;
		struct pd_comm comm;
		struct pd_read read;
	};
};

/* Is it of instructions that are counted? */
bool pd_counts_insns(const struct pd_attr *attr);

/* How often the event has happened since its sample before; 0: it is not told. */
uint64_t pd_period(const struct pd_event *ev);

struct pd_stats {
	uint64_t samples;
	uint64_t lost; /* events that the kernel says it lost */
	uint64_t lost_samples;
	uint64_t lost_in_all; /* samples, by perf's own count: lost tells of them, too */
	uint64_t throttled;
	uint64_t unthrottled;
	uint64_t unknown_id; /* samples of no event of this file: left out */
	uint64_t guests; /* samples of virtual machines: left out */
	uint64_t late; /* events older than one delivered before */
	uint64_t again; /* records that perf wrote twice: left out once */
	uint64_t others; /* records of a kind that nothing here needs */
	bool unfinished; /* the writer was killed: all that it wrote is read */
};

/*
 * Open a recording: a file, a directory as `perf record --threads` or `--kcore`
 * makes it, or "-", standard input, as `perf record -o -` writes it; a path that
 * is a pipe is read so, too. *pd is set also on failure, so that pd_error() can
 * say why, except with PD_ENOMEM; pd_close() takes it in every case.
 * Returns 0, PD_EIO, PD_EFORMAT, PD_ECORRUPT, PD_EUNSUPPORTED or PD_ENOMEM.
 */
int pd_open(struct pd **pd, const char *path);

/* The same for a recording in memory, which has to stay until pd_close(). */
int pd_open_memory(struct pd **pd, const void *data, size_t size);

/* NULL is allowed. */
void pd_close(struct pd *pd);

/* Why the last call failed: one line without the file's name. Never NULL. */
const char *pd_error(const struct pd *pd);

/*
 * The next event in time order. Events without a time come in the file's order.
 * Returns 1 with *ev filled, 0 at the end, PD_ECORRUPT, PD_EUNSUPPORTED or
 * PD_ENOMEM; after an error or the end, the same again.
 */
int pd_next(struct pd *pd, struct pd_event *ev);

/* How far reading is: bytes read of bytes in all, which are 0 for a pipe. */
uint64_t pd_position(const struct pd *pd);
uint64_t pd_size(const struct pd *pd);

const struct pd_stats *pd_stats(const struct pd *pd);

unsigned int pd_nr_attrs(const struct pd *pd);
const struct pd_attr *pd_attr(const struct pd *pd, unsigned int index);

/* Does this event record transfers of the kernel, too? */
bool pd_attr_has_kernel_branches(const struct pd_attr *attr);

enum pd_text {
	PD_HOSTNAME,
	PD_OSRELEASE, /* of the kernel */
	PD_VERSION, /* of perf */
	PD_ARCH, /* as `uname -m` has it */
	PD_CPUID,
	PD_CMDLINE, /* the words of perf's command line */
	PD_CPU_CAPS, /* "branches=32", ...: what the PMU can do, by blanks */
	PD_NR_TEXTS,
};

/*
 * What the recording says of its origin, "" where it does not. Valid until the
 * next call of pd_next(), as a pipe may bring it late.
 */
const char *pd_text(const struct pd *pd, enum pd_text text);

/*
 * The formats of the recording's tracepoints, as perf read them from tracefs, for
 * tp_new(); NULL with *size 0 if there are none. A pipe brings them before the
 * first event. Valid until the next call of pd_next().
 */
const uint8_t *pd_tracing_data(const struct pd *pd, size_t *size);

/* The folder with kcore and modules, as `perf record --kcore` makes it; NULL. */
const char *pd_kcore_dir(const struct pd *pd);

/*
 * The build id that the file's list holds for a mapped file's name; NULL if none.
 * *size is set to its bytes.
 */
const uint8_t *pd_build_id(struct pd *pd, const char *name, unsigned int *size);

/* Entry i of a sample's branch stack; 0 is the youngest. i < nr_branches. */
static inline struct pd_branch pd_branch_at(const struct pd_sample *sample,
					    uint64_t i)
{
	const uint8_t *p = sample->branches + i * sizeof(struct pd_branch);
	struct pd_branch br;

	/* One by one they are loads; as a whole, compilers make it a copy. */
	memcpy(&br.from, p, 8);
	memcpy(&br.to, p + 8, 8);
	memcpy(&br.flags, p + 16, 8);
	return br;
}

/*
 * A branch's type: PERF_BR_*, and for PERF_BR_EXTEND_ABI 16 + PERF_BR_NEW_*, so
 * that one number says it all.
 */
enum {
	PD_BR_FAULT_ALIGN = 16,
	PD_BR_FAULT_DATA = 17,
	PD_BR_FAULT_INST = 18,
	PD_BR_NR = 32,
};

static inline unsigned int pd_branch_type(uint64_t flags)
{
	unsigned int type = flags >> 20 & 15;

	return type == 15 ? 16 + (flags >> 26 & 15) : type;
}

static inline bool pd_branch_mispredicted(uint64_t flags)
{
	return flags & 1;
}

/* Neither if the hart does not tell. */
static inline bool pd_branch_predicted(uint64_t flags)
{
	return flags >> 1 & 1;
}

/* Cycles since the branch before, 0 if not known. */
static inline unsigned int pd_branch_cycles(uint64_t flags)
{
	return flags >> 4 & 0xffff;
}

/* The type's name as perf prints it; "" for 0. type < PD_BR_NR. */
const char *pd_branch_type_name(unsigned int type);

#endif
