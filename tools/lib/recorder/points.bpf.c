// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that runs in the kernel: at the points that were asked for it takes the
 * branches of the current thread, if that is of a process that is followed.
 */
#include "recorder/points_shared.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

char points_license[] SEC("license") = "GPL";

/* Of the kernel's structures what is read, wherever it lies in this kernel's. */
typedef struct { int counter; } __attribute__((preserve_access_index)) atomic_t;
struct signal_struct {
	atomic_t live;
	int group_exit_code;
} __attribute__((preserve_access_index));
struct task_struct {
	int tgid;
	int exit_code;
	struct signal_struct *signal;
} __attribute__((preserve_access_index));
struct pt_regs {
	unsigned long a7;
	unsigned long cause;
} __attribute__((preserve_access_index));

/* Of siginfo, which is the same for users. */
struct siginfo {
	int signo, error, code, pad;
	union {
		uint64_t addr;
		int pid;
	};
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__type(key, int);
	__type(value, char);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct last_raw);
} rooms SEC(".maps");

const volatile struct points_config config;

static int process(void)
{
	return bpf_get_current_pid_tgid() >> 32;
}

/*
 * The branches first: what runs before them may be recorded itself. NULL if the process is
 * not followed.
 */
static __always_inline struct last_raw *begin(void)
{
	int zero = 0, tgid;
	struct last_raw *raw = bpf_map_lookup_elem(&rooms, &zero);
	struct pt_regs *regs;
	long size;

	if (!raw)
		return 0;
	size = bpf_get_branch_snapshot(raw->branches, sizeof(raw->branches), 0);
	tgid = process();
	if (!bpf_map_lookup_elem(&processes, &tgid))
		return 0;
	raw->nr = size < 0 ? 0 : size / sizeof(*raw->branches);
	raw->has_kernel = config.has_kernel;
	regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	bpf_probe_read_kernel(raw->regs, sizeof(raw->regs), regs);
	raw->point.cause = BPF_CORE_READ(regs, cause);
	raw->point.addr = 0;
	raw->point.kernel_ip = 0;
	return raw;
}

static __always_inline int end(void *ctx, struct last_raw *raw, int kind, int number,
			       int64_t value)
{
	uint64_t nr = raw->nr;

	if (nr > LAST_MAX_BRANCHES)
		nr = LAST_MAX_BRANCHES;
	raw->point.kind = kind;
	raw->point.number = number;
	raw->point.value = value;
	bpf_perf_event_output(ctx, &rings, BPF_F_CURRENT_CPU, raw,
			      LAST_RAW_HEAD + nr * sizeof(*raw->branches));
	return 0;
}

/* Signals that do nothing, or stop, or continue, unless a handler is there. */
#define BIT(_signal)	(1ull << (_signal))
#define HARMLESS	(BIT(17) | BIT(18) | BIT(19) | BIT(20) | BIT(21) | BIT(22) | \
			 BIT(23) | BIT(28))
#define SIGNAL_KILL	9

SEC("raw_tp/signal_deliver")
int at_signal(struct bpf_raw_tracepoint_args *ctx)
{
	unsigned int number = ctx->args[0];
	struct task_struct *task;
	struct siginfo info = { 0 };
	struct last_raw *raw;
	uint64_t handler = 1;

	bpf_probe_read_kernel(&handler, sizeof(handler), (void *)ctx->args[2]);
	if (handler || number >= 64 || (BIT(number) & HARMLESS))
		return 0;
	raw = begin();
	if (!raw)
		return 0;
	bpf_probe_read_kernel(&info, sizeof(info), (void *)ctx->args[1]);
	if (number == SIGNAL_KILL) {
		/*
		 * Most signals kill all threads by this one, and so do exit_group() with its
		 * status in the second byte, and exec. Of what kills, SIGKILL itself
		 * included, the first byte tells.
		 */
		task = (void *)bpf_get_current_task_btf();
		number = BPF_CORE_READ(task, signal, group_exit_code);
		if (!number || number > 255)
			return 0;
		number &= 127;
	}
	raw->point.addr = info.code > 0 ? info.addr : info.pid;
	return end(ctx, raw, LAST_SIGNAL, number, info.code);
}

/* Of the threads of a process, the one that called it. */
static bool calls_exit(const struct last_raw *raw)
{
	enum { A7 = 17, EXIT = 93, EXIT_GROUP = 94, ECALL = 8 };

	return raw->point.cause == ECALL &&
	       (raw->regs[A7] == EXIT || raw->regs[A7] == EXIT_GROUP);
}

SEC("raw_tp/sched_process_exit")
int at_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	int code = BPF_CORE_READ(task, exit_code), tgid = process();
	struct last_raw *raw;

	if (config.exits && code >> 8 && !(code & 127)) {
		raw = begin();
		if (raw && calls_exit(raw))
			end(ctx, raw, LAST_EXIT, code >> 8, 0);
	}
	/* Another process may have this number some day. */
	if (!BPF_CORE_READ(task, signal, live.counter))
		bpf_map_delete_elem(&processes, &tgid);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int at_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *child = (void *)ctx->args[1];
	int parent = process(), tgid = BPF_CORE_READ(child, tgid);
	char yes = 1;

	if (parent != tgid && bpf_map_lookup_elem(&processes, &parent))
		bpf_map_update_elem(&processes, &tgid, &yes, BPF_ANY);
	return 0;
}

SEC("raw_tp/sys_exit")
int at_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	struct pt_regs *regs = (void *)ctx->args[0];
	unsigned long error = -ctx->args[1];
	struct last_raw *raw;

	if (!error || error >= POINTS_ERRORS || !config.errors[error])
		return 0;
	raw = begin();
	return raw ? end(ctx, raw, LAST_SYSCALL, BPF_CORE_READ(regs, a7), -(long)error) : 0;
}

/* The functions of programs and of the kernel alike. */
SEC("kprobe")
int at_entry(struct pt_regs *ctx)
{
	unsigned long ip = ((unsigned long *)ctx)[0 /* epc */];
	struct last_raw *raw = begin();

	if (!raw)
		return 0;
	if (ip >> 63)
		raw->point.kernel_ip = ip;
	return end(ctx, raw, LAST_ENTRY, 0, 0);
}

SEC("kretprobe")
int at_return(struct pt_regs *ctx)
{
	long value = ((unsigned long *)ctx)[10 /* a0 */];
	uint64_t function;
	unsigned int i = bpf_get_attach_cookie(ctx);
	struct last_raw *raw;

	if (i >= POINTS_RETURNS)
		return 0;
	if (config.returns[i].any_negative ? value >= 0 : value != config.returns[i].value)
		return 0;
	raw = begin();
	if (!raw)
		return 0;
	function = bpf_get_func_ip(ctx);
	if (function >> 63)
		raw->point.kernel_ip = function;
	return end(ctx, raw, LAST_RETURN, 0, value);
}
