/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read what `perf record` has written: the events of a perf.data file in the order of
 * time, and their address spaces.
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
 * Files stay mapped until pd_close(). Data from pipes and compressed records are read
 * into blocks that are used again. Each pointer in an event is valid until the next call
 * of pd_next(). The memory grows with the events in two of perf's rounds, and not with
 * the file. If another program shortens a file during the reading, the process gets
 * SIGBUS, as with any mapped file.
 */
#ifndef PERFDATA_H
#define PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Errors. Functions return one of these, and pd_error() returns the text. */
enum {
	PD_EIO = -1, /* the file cannot be opened or mapped */
	PD_EFORMAT = -2, /* not a perf.data file */
	PD_ECORRUPT = -3, /* damaged or cut short */
	/* a valid file, but of a kind that is not supported */
	PD_EUNSUPPORTED = -4,
	PD_ENOMEM = -5,
};

#define PD_NO_TIME UINT64_MAX
#define PD_NO_ID   UINT32_MAX /* a pid, tid or cpu that was not recorded */

struct pd;
struct pd_block;

/* PERF_FORMAT_LOST, which is newer than the UAPI headers of the oldest systems. */
#define PD_READ_FORMAT_LOST (1u << 4)

/*
 * An event that the user asked for with `-e`. The members come from perf's struct
 * perf_event_attr.
 */
struct pd_attr {
	unsigned int index;
	char *name; /* the name that the user gave; NULL: not recorded */
	uint32_t type; /* PERF_TYPE_*, or the number of a PMU */
	uint64_t config;
	/* the period, or the frequency if freq is set */
	uint64_t sample_period;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint64_t sample_regs_intr;
	bool freq;
	bool inherit; /* threads that these threads start are recorded, too */
	bool inherit_stat; /* each of these threads has its own count */
	bool exclude_user;
	bool exclude_kernel;
	bool sample_id_all;
	bool monotonic; /* times are of CLOCK_MONOTONIC: `-k mono` */
	/* Offsets in bytes from the end of a record's header, or -1. */
	int id_in_sample;
	int time_in_sample;
	/* Offsets in bytes from the end of a record that is not a sample, or -1. */
	int id_from_end;
	int time_from_end;
	unsigned int sample_id_size;
};

/* One entry of a branch stack. For flags, see struct perf_branch_entry. */
struct pd_branch {
	uint64_t from;
	uint64_t to;
	uint64_t flags;
};

/* Registers as in PERF_SAMPLE_REGS_*: one word for each bit that is set in the mask. */
struct pd_regs {
	/* 0: no registers were recorded, for example in a kernel thread */
	uint64_t abi;
	uint64_t mask;
	const uint8_t *values; /* 8 bytes for each register; NULL: none */
};

/* A sample. Fields that were not recorded are 0. */
struct pd_sample {
	uint64_t ip;
	uint64_t addr;
	uint64_t id;
	uint64_t stream_id;
	uint64_t period;
	uint64_t nr_chain;
	const uint8_t *chain; /* 8 bytes for each entry */
	const uint8_t *raw;
	uint32_t raw_size;
	bool has_branches; /* the event was recorded with branch stacks */
	uint64_t hw_idx; /* UINT64_MAX: not recorded or not known */
	uint64_t nr_branches;
	const uint8_t *branches; /* the newest first; see pd_branch_at() */
	/* The counts of the event or of its group, in the form of attr->read_format. */
	const uint8_t *read;
	uint64_t nr_read; /* in words of 8 bytes */
	struct pd_regs regs_user;
	struct pd_regs regs_intr;
	const uint8_t *stack; /* the user's stack, from its stack pointer on */
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
	/* PROT_*; MMAP records have no prot, and get PROT_EXEC */
	uint32_t prot;
	bool kernel;
	uint8_t build_id_size; /* bytes; 0: not recorded here */
	const uint8_t *build_id;
	/* of the file, if the kernel told it and no build id; 0: not told */
	uint64_t inode;
	uint64_t device;
	const char *name;
};

struct pd_task { /* of FORK and EXIT */
	uint32_t ppid;
	uint32_t ptid;
	/* perf has invented this FORK for a process that already ran */
	bool keeps_no_maps;
};

/* Code that the kernel has made, as a BPF program, and the name that it gave to it. */
struct pd_ksymbol {
	uint64_t start;
	uint64_t len;
	bool removed; /* it is there no more */
	const char *name;
};

struct pd_comm {
	const char *name;
	bool exec;
};

/*
 * How often an event has happened. If the record has a time, pid and tid are those of a
 * thread that has ended. Otherwise they are what the event was opened for on the cpu, and
 * the count includes everything that inherited the event.
 */
struct pd_read {
	uint64_t count;
	/* the ns that it was enabled, and that it counted; 0: not recorded */
	uint64_t enabled, running;
	uint64_t lost; /* samples that could not be written */
	uint64_t id; /* the id of the opened event; 0: not recorded */
};

/*
 * An event of the recording. type is a PERF_RECORD_* of the kernel. MMAP2 is delivered as
 * MMAP. Types other than SAMPLE, MMAP, KSYMBOL, COMM, FORK, EXIT and READ have only the
 * fields before the union. A READ that counts a group of events at once is not delivered.
 */
struct pd_event {
	uint32_t type;
	uint16_t misc;
	/*
	 * The offset in the file in bytes, of the record or of the compressed record that
	 * contains its end.
	 */
	uint64_t offset;
	uint64_t time; /* ns, or PD_NO_TIME */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	const struct pd_attr *attr; /* NULL if the record does not tell it */
	union {
		struct pd_sample sample;
		struct pd_mmap mmap;
		struct pd_ksymbol ksymbol;
		struct pd_task task;
		struct pd_comm comm;
		struct pd_read read;
		/*
		 * For PERF_RECORD_LOST_SAMPLES: whether a CPU is lacking from some time on, so
		 * that the counts are not whole. `ssctr record` says so by its 0 lost samples.
		 */
		bool lacks_cpu;
	};
};

/* Returns whether the event counts instructions. */
bool pd_counts_insns(const struct pd_attr *attr);

/*
 * Returns how often the event has happened since its sample before. Returns 0 if the
 * sample does not tell it.
 */
uint64_t pd_period(const struct pd_event *ev);

struct pd_stats {
	uint64_t samples;
	uint64_t lost; /* events that the kernel reports as lost */
	uint64_t lost_samples;
	/* samples that perf's own count reports as lost; lost includes them, too */
	uint64_t lost_in_all;
	/*
	 * Of lost_in_all, what was lost of events that take no samples: records of mappings,
	 * processes and threads.
	 */
	uint64_t lost_tracking;
	uint64_t throttled;
	uint64_t unthrottled;
	/* samples that belong to no event of this file; they are left out */
	uint64_t unknown_id;
	uint64_t guests; /* samples of virtual machines; they are left out */
	/* events that are older than one that was delivered before */
	uint64_t late;
	/* of these, since more waited for its order than is kept */
	uint64_t hurried;
	/* records that perf wrote twice; they are delivered once */
	uint64_t again;
	uint64_t others; /* records of a kind that is not needed */
	/* the writer was killed; everything that it wrote is read */
	bool unfinished;
	/* the same, but all that is known is that the pipe does not end as perf's own do */
	bool no_last_round;
	/* the same, but the caller wanted no more of the pipe: pd_set_wait() */
	bool left;
	bool bad_build_ids; /* their list is damaged; those before the damage are known */
};

/* Returns whether the path is that of a regular file that begins like a recording. */
bool pd_is_recording(const char *path);

/*
 * Open a recording. The path can be a file, a directory from `perf record --threads` or
 * `--kcore`, or a pipe. "-" is standard input. A pipe has the form that `perf record -o
 * -` writes. *pd is also set on failure, except with PD_ENOMEM, so that pd_error() can
 * tell the reason. Call pd_close() in every case. Returns 0, PD_EIO, PD_EFORMAT,
 * PD_ECORRUPT, PD_EUNSUPPORTED or PD_ENOMEM.
 */
int pd_open(struct pd **pd, const char *path);

/*
 * Open a recording in memory: size bytes at data. The memory must stay unchanged until
 * pd_close(). Otherwise like pd_open().
 */
int pd_open_memory(struct pd **pd, const void *data, size_t size);

/* pd may be NULL. */
void pd_close(struct pd *pd);

/* Returns why the last call failed: one line without the name of the file. Never NULL. */
const char *pd_error(const struct pd *pd);

/*
 * Read the next event in the order of time. Events without a time come in the order of
 * the file. Returns 1 and fills *ev, 0 at the end, or PD_ECORRUPT, PD_EUNSUPPORTED or
 * PD_ENOMEM. After an error or the end, each later call returns the same.
 */
int pd_next(struct pd *pd, struct pd_event *ev);

/*
 * Keep the record of the last event, so that its pointers stay valid. Returns what
 * pd_release() takes, before pd_close().
 */
struct pd_block *pd_hold(struct pd *pd);
void pd_release(struct pd *pd, struct pd_block *held);

/*
 * Set a function that is called before more of a pipe is read, with the pipe's file
 * descriptor. It returns true when there is something to read, and false if no more is to
 * be read: the events end there.
 */
void pd_set_wait(struct pd *pd, bool (*wait)(void *arg, int fd), void *arg);

/*
 * The progress of reading: the bytes that were read, and all bytes of the recording.
 * pd_size() is 0 for a pipe.
 */
uint64_t pd_position(const struct pd *pd);
uint64_t pd_size(const struct pd *pd);

const struct pd_stats *pd_stats(const struct pd *pd);

unsigned int pd_nr_attrs(const struct pd *pd);
const struct pd_attr *pd_attr(const struct pd *pd, unsigned int index);

/* Is it what perf has for the records of mappings, processes and threads? It takes no samples. */
bool pd_attr_is_tracking(const struct pd_attr *attr);

/* Return whether this event also records transfers of user code, or of the kernel. */
bool pd_attr_has_user_branches(const struct pd_attr *attr);
bool pd_attr_has_kernel_branches(const struct pd_attr *attr);

/*
 * Returns whether the filter of this event names a kind of branches. One that names only modes
 * and what else is recorded, such as `-j save_type,u`, lets no branch through.
 */
bool pd_attr_has_kinds(const struct pd_attr *attr);

/*
 * Returns the next kind of branches of such a filter, by the name that perf record -j has for
 * it: "any_call". *at is 0 for the first call. Returns NULL if there are no more.
 */
const char *pd_next_kind(uint64_t branch_sample_type, unsigned int *at);

/*
 * Returns whether the branch records of this event are the hart's call stack: the calls that have
 * not returned, and not what was executed.
 */
bool pd_attr_has_call_stacks(const struct pd_attr *attr);

/* Returns whether this event records each taken branch of its modes, as a path needs it. */
bool pd_attr_has_paths(const struct pd_attr *attr);

/*
 * Returns whether this event counts in each mode whose transfers it records. Otherwise, any
 * number of them fits between two of its counts.
 */
bool pd_attr_counts_its_branches(const struct pd_attr *attr);

/*
 * Returns whether a sample was taken in a mode in which its event counts, but whose transfers it
 * does not record. Such a sample shows once more what ran before that mode was entered. It does not
 * tell how often that ran, but how long the other mode did. Call stacks are no such records, and
 * events of software, such as the points of `ssctr last`, happen in the kernel alone.
 */
bool pd_is_away(const struct pd_event *ev);

/*
 * Returns whether this is a sample that shows user code, a mapping, a name or a fork of a task
 * outside of the PID namespace of whoever recorded. The kernel numbers all such tasks 0, as it
 * does the idle tasks, which have neither user code nor a program.
 */
bool pd_is_outside(const struct pd_event *ev);

enum pd_text {
	PD_HOSTNAME,
	PD_OSRELEASE, /* the release of the kernel */
	PD_VERSION, /* the version of perf */
	PD_ARCH, /* the output of `uname -m` */
	PD_CPUID,
	PD_CMDLINE, /* the words of perf's command line */
	/* what the PMU can do: "branches=32", ..., separated by blanks */
	PD_CPU_CAPS,
	PD_NR_TEXTS,
};

/*
 * Returns what the recording says about its origin, or "" if it says nothing. The text is
 * valid until the next call of pd_next(), because a pipe may bring it late.
 */
const char *pd_text(const struct pd *pd, enum pd_text text);

/*
 * Returns the words of perf's command line, each with a NUL behind it, and stores the size of
 * all in bytes. It is 0 if the recording does not tell the command. The words are valid as
 * long as pd_text().
 */
const char *pd_command(const struct pd *pd, size_t *size);

/*
 * Store when the first and the last sample was taken, in ns. Returns false if the recording
 * does not tell: it was written into a pipe, for example.
 */
bool pd_span(const struct pd *pd, uint64_t *first, uint64_t *last);

/*
 * The wall clock, in ns since 1970, when the recording began, and when an event happened
 * that has this time. Both return false if the recording does not tell it: perf tells it
 * only with -k. The two clocks are compared once, when the recording begins.
 */
bool pd_wall_start(const struct pd *pd, uint64_t *wall);
bool pd_wall_time(const struct pd *pd, uint64_t time, uint64_t *wall);

/*
 * Returns the formats of the recording's tracepoints, as perf read them from tracefs, for
 * tp_new(). *size is their size in bytes. Returns NULL and a size of 0 if there are none.
 * A pipe brings them before the first event. They are valid until the next call of
 * pd_next().
 */
const uint8_t *pd_tracing_data(const struct pd *pd, size_t *size);

/* Returns the folder with kcore and modules that `perf record --kcore` has made, or NULL. */
const char *pd_kcore_dir(const struct pd *pd);

/*
 * Returns the build id that the recording has told so far for the name of a mapped file,
 * or NULL. *size is set to its size in bytes.
 */
const uint8_t *pd_build_id(const struct pd *pd, const char *name, unsigned int *size);

/*
 * Go through all build ids in the order in which the recording tells them. *at is 0 first.
 * Returns the name of the next one and sets its bytes and their number, or returns NULL if
 * there are no more. A pipe may tell more of them with each call of pd_next(), also when
 * their files are mapped already.
 */
const char *pd_next_build_id(const struct pd *pd, size_t *at, const uint8_t **build_id,
			     unsigned int *size);

/* Returns the entry of a branch stack that is at p. */
static inline struct pd_branch pd_branch_read(const uint8_t *p)
{
	struct pd_branch br;

	/*
	 * Compilers turn these three copies into loads. They would copy the whole
	 * structure otherwise.
	 */
	memcpy(&br.from, p, 8);
	memcpy(&br.to, p + 8, 8);
	memcpy(&br.flags, p + 16, 8);
	return br;
}

/*
 * Store the id of event number i of the group whose counts the sample has (PERF_SAMPLE_READ).
 * Returns false if there are no more, or if the ids were not recorded.
 */
bool pd_group_id(const struct pd_event *ev, unsigned int i, uint64_t *id);

/*
 * Returns entry i of a sample's branch stack. Entry 0 is the newest. i must be less than
 * nr_branches.
 */
static inline struct pd_branch pd_branch_at(const struct pd_sample *sample,
					    uint64_t i)
{
	return pd_branch_read(sample->branches + i * sizeof(struct pd_branch));
}

/*
 * The type of a branch: PERF_BR_*, or 16 + PERF_BR_NEW_* for PERF_BR_EXTEND_ABI. So one
 * number tells the whole type.
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

/*
 * The branch was predicted. If the hart does not tell predictions, a branch is neither
 * predicted nor mispredicted.
 */
static inline bool pd_branch_predicted(uint64_t flags)
{
	return flags >> 1 & 1;
}

/* The cycles since the branch before, or 0 if they are not known. */
static inline unsigned int pd_branch_cycles(uint64_t flags)
{
	return flags >> 4 & 0xffff;
}

/*
 * Returns the name of the type that perf prints, or "" for 0. type must be less than
 * PD_BR_NR.
 */
const char *pd_branch_type_name(unsigned int type);

#endif
