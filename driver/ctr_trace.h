/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints for those who look for a fault: events/ssctr in tracefs. */
#ifdef CONFIG_SSCTR_TRACEPOINTS
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ssctr

#if !defined(CTR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CTR_TRACE_H

#include <linux/tracepoint.h>

/* @nr records of @pid were copied out of the buffer, to its store. */
TRACE_EVENT(ssctr_save,
	TP_PROTO(pid_t pid, unsigned int nr),
	TP_ARGS(pid, nr),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(unsigned int, nr)
	),
	TP_fast_assign(
		__entry->pid = pid;
		__entry->nr = nr;
	),
	TP_printk("pid=%d nr=%u", __entry->pid, __entry->nr)
);

/* @pid came to this CPU and is recorded; @kept records are kept of it. */
TRACE_EVENT(ssctr_restore,
	TP_PROTO(pid_t pid, unsigned int kept),
	TP_ARGS(pid, kept),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(unsigned int, kept)
	),
	TP_fast_assign(
		__entry->pid = pid;
		__entry->kept = kept;
	),
	TP_printk("pid=%d kept=%u", __entry->pid, __entry->kept)
);

/* A sample of @pid was given a stack of @nr entries. */
TRACE_EVENT(ssctr_snapshot,
	TP_PROTO(pid_t pid, u64 nr, u64 hw_idx),
	TP_ARGS(pid, nr, hw_idx),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(unsigned int, nr)
		__field(unsigned int, hw_idx)
	),
	TP_fast_assign(
		__entry->pid = pid;
		__entry->nr = nr;
		__entry->hw_idx = hw_idx;
	),
	TP_printk("pid=%d nr=%u hw_idx=%u", __entry->pid, __entry->nr,
		  __entry->hw_idx)
);

/* An event with branch stacks was refused. */
TRACE_EVENT(ssctr_refuse,
	TP_PROTO(u64 branch_sample_type, int cpu, int err),
	TP_ARGS(branch_sample_type, cpu, err),
	TP_STRUCT__entry(
		__field(u64, branch_sample_type)
		__field(int, cpu)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->branch_sample_type = branch_sample_type;
		__entry->cpu = cpu;
		__entry->err = err;
	),
	TP_printk("branch_sample_type=%#llx cpu=%d err=%d",
		  __entry->branch_sample_type, __entry->cpu, __entry->err)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ctr_trace
#include <trace/define_trace.h>

#elif !defined(CTR_TRACE_H)
#define CTR_TRACE_H

#include <linux/types.h>

static inline void trace_ssctr_save(pid_t pid, unsigned int nr) {}
static inline void trace_ssctr_restore(pid_t pid, unsigned int kept) {}
static inline bool trace_ssctr_restore_enabled(void) { return false; }
static inline void trace_ssctr_snapshot(pid_t pid, u64 nr, u64 hw_idx) {}
static inline void trace_ssctr_refuse(u64 type, int cpu, int err) {}

#endif
