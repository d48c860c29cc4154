// SPDX-License-Identifier: GPL-2.0-only
/*
 * Are samples true? Holds each entry of each sample of a recording against the log
 * of all transfers that the machine executed meanwhile.
 *
 *   truth_check [-a] LOG LEAST SAMPLES...
 *
 * LOG is what the plug-in `transfers` wrote, SAMPLES what selftests/truth did. In
 * each file must be at least LEAST samples (LEAST,LEAST... for each its own number).
 * -a: the harts have the AIA, with which Linux handles at one trap all interrupts that
 * are pending. That of the counter may then have come while another was handled, and has
 * no trap of its own that freezes the buffer. Several samples may come at one trap.
 *
 * A sample was taken at an interrupt, before the instruction at its ip. Its newest
 * entry must be the last transfer before that which passes the recording's filter,
 * the next one the one before, and so on without a gap; with a call stack, the last
 * call that has not returned, and so on. Samples come in the order of their
 * interrupts, which must be different ones. When all of this holds, the judge itself
 * is tried: it must not believe the same samples with an entry changed, exchanged
 * with its neighbour, or left out, nor two samples in the wrong order.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "log.h"
#include "riscv/rv_insn.h"
#include "truth.h"

static bool has_aia;

/* Cause of a counter-overflow interrupt. */
#define LCOFI		(TRANSFER_LOG_INTERRUPT | 13)

/* No code without a jump is longer, not even one that shall have none. */
#define LONGEST_RUN	(64u << 20)

/*
 * A record as an entry shows it. @parent is what lies under it in the buffer, and so
 * the entry that follows it in a sample: the transfer before, or the calling call.
 */
struct shown {
	uint64_t from, to;
	uint32_t parent;
	uint8_t type;		/* perf's */
	uint32_t cause;		/* of an exception, whose type is not one but some */
};

/* Stands for them in struct shown. */
#define TYPE_EXCEPTION	PERF_BR_MAX

/* An interrupt or exception, where a sample may have been taken. */
struct trap {
	uint64_t pc;
	uint32_t cause;
	uint32_t top;		/* of the buffer, or NONE */
	uint32_t held;		/* entries in it */
};

/* A task of the kernel that is not running, and its newest record. */
struct task {
	uint64_t at;
	uint32_t top;
};

/* What a window of the log would show by a filter. */
struct truth {
	uint64_t branch_sample_type;
	uint32_t depth;		/* of the hart's buffer */
	uint32_t top, held;
	uint32_t thawed;	/* the top when the buffer was thawed */
	struct task tasks[256];
	unsigned int nr_tasks;
	struct shown *shown;
	struct trap *traps;
	uint32_t nr_shown, nr_traps;
	uint64_t transfers;
	const char *broken;	/* why the log cannot be believed */
	uint64_t broken_at;
};

/* perf's types, by the specification's table of transfer types. */
static uint8_t perf_type(enum rv_xfer xfer)
{
	switch (xfer) {
	case RV_XFER_BRANCH:
		return PERF_BR_COND;
	case RV_XFER_IND_CALL:
	case RV_XFER_CO_SWAP:
		return PERF_BR_IND_CALL;
	case RV_XFER_DIR_CALL:
		return PERF_BR_CALL;
	case RV_XFER_IND_JUMP:
	case RV_XFER_IND_LINK:
		return PERF_BR_IND;
	case RV_XFER_DIR_JUMP:
	case RV_XFER_DIR_LINK:
		return PERF_BR_UNCOND;
	case RV_XFER_RETURN:
		return PERF_BR_RET;
	case RV_XFER_TRAP_RETURN:
		return PERF_BR_ERET;
	default:
		return PERF_BR_UNKNOWN;
	}
}

/* Which transfers are recorded for a PERF_SAMPLE_BRANCH_*, as bits of rv_xfer. */
static uint32_t wanted_types(uint64_t branch_sample_type)
{
	static const struct {
		uint64_t perf;
		uint32_t types;
	} kinds[] = {
		{ PERF_SAMPLE_BRANCH_ANY, UINT32_MAX },
		{ PERF_SAMPLE_BRANCH_ANY_CALL,
		  1u << RV_XFER_DIR_CALL | 1u << RV_XFER_IND_CALL |
		  1u << RV_XFER_CO_SWAP },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN,
		  1u << RV_XFER_RETURN | 1u << RV_XFER_CO_SWAP |
		  1u << RV_XFER_TRAP_RETURN },
		{ PERF_SAMPLE_BRANCH_IND_CALL,
		  1u << RV_XFER_IND_CALL | 1u << RV_XFER_CO_SWAP },
		{ PERF_SAMPLE_BRANCH_COND, 1u << RV_XFER_BRANCH },
		{ PERF_SAMPLE_BRANCH_IND_JUMP,
		  1u << RV_XFER_IND_JUMP | 1u << RV_XFER_IND_LINK },
		{ PERF_SAMPLE_BRANCH_CALL, 1u << RV_XFER_DIR_CALL },
	};
	uint32_t types = 0;

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (branch_sample_type & kinds[i].perf)
			types |= kinds[i].types;
	return types;
}

/* In a mode that the event sees? */
static bool is_seen(const struct truth *truth, uint64_t pc)
{
	return truth->branch_sample_type & (pc >> 63 ? PERF_SAMPLE_BRANCH_KERNEL :
						       PERF_SAMPLE_BRANCH_USER);
}

static void push(struct truth *truth, uint32_t parent,
		 const struct transfer_log_record *record, uint8_t type)
{
	truth->shown[truth->nr_shown] = (struct shown){
		.from = is_seen(truth, record->from) ? record->from : 0,
		.to = is_seen(truth, record->to) ? record->to : 0,
		.parent = parent,
		.type = type,
		.cause = record->insn,
	};
	truth->top = truth->nr_shown++;
	if (truth->held < truth->depth)
		truth->held++;
}

/* "RAS (Return Address Stack) Emulation Mode" of the specification. */
static void emulate_ras(struct truth *truth, enum rv_xfer xfer,
			const struct transfer_log_record *record)
{
	uint32_t top = truth->top;
	uint32_t below = top == NONE ? NONE : truth->shown[top].parent;

	if ((xfer == RV_XFER_CO_SWAP || xfer == RV_XFER_RETURN) && truth->held)
		truth->held--;
	switch (xfer) {
	case RV_XFER_DIR_CALL:
	case RV_XFER_IND_CALL:
		push(truth, top, record, perf_type(xfer));
		break;
	case RV_XFER_CO_SWAP:
		push(truth, below, record, perf_type(xfer));
		break;
	case RV_XFER_RETURN:
		truth->top = below;
		break;
	default:
		break;
	}
}

/* Is @record possible after @at was reached? The log is a witness, not a god. */
static const char *disbelieve(const struct transfer_log_record *record,
			      const struct rv_insn *insn, uint64_t at)
{
	uint64_t target;

	if (record->from - at > LONGEST_RUN)
		return "starts before the place where the last one led";
	if (insn->xfer == RV_XFER_NONE)
		return "is of an instruction that makes none";
	if (rv_target(insn, record->from, &target) && target != record->to)
		return "does not lead where its instruction does";
	return NULL;
}

/* "Privilege Mode Transitions": what counts is where it came from. */
static void show_transfer(struct truth *truth, enum rv_xfer xfer,
			  const struct transfer_log_record *record)
{
	uint64_t wanted = truth->branch_sample_type;

	if (!is_seen(truth, record->from))
		return;
	if (wanted & PERF_SAMPLE_BRANCH_CALL_STACK)
		emulate_ras(truth, xfer, record);
	else if (wanted_types(wanted) & 1u << xfer)
		push(truth, truth->top, record, perf_type(xfer));
}

/* ... and with traps where it went. */
static void show_trap(struct truth *truth,
		      const struct transfer_log_record *record)
{
	uint64_t wanted = truth->branch_sample_type;

	if (!record->frozen && is_seen(truth, record->to) &&
	    wanted & (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL))
		push(truth, truth->top, record,
		     record->insn & TRANSFER_LOG_INTERRUPT ? PERF_BR_IRQ :
							     TYPE_EXCEPTION);
}

static struct task *find_task(struct truth *truth, uint64_t at)
{
	struct task *task = truth->tasks;

	while (task < truth->tasks + truth->nr_tasks && task->at != at)
		task++;
	if (task == truth->tasks + truth->nr_tasks) {
		if (++truth->nr_tasks == 256)
			return NULL;
		*task = (struct task){ .at = at, .top = NONE };
	}
	return task;
}

/*
 * Each task has its own records. The buffer is frozen while the module changes its
 * owner; what is recorded of the switch after that is not the task's that leaves.
 */
static const char *change_task(struct truth *truth,
			       const struct transfer_log_record *record)
{
	struct task *prev = find_task(truth, record->from);
	struct task *next = find_task(truth, record->to);

	if (!prev || !next)
		return "is of one task too many";
	prev->top = record->frozen ? truth->top : truth->thawed;
	truth->top = next->top;
	truth->thawed = next->top;
	return NULL;
}

static struct truth find_truth(const struct log *log,
			       const struct truth_header *samples)
{
	uint64_t branch_sample_type = samples->branch_sample_type;
	unsigned int window = samples->window;
	struct truth truth = {
		.branch_sample_type = branch_sample_type,
		.depth = samples->depth,
		.top = NONE,
		.thawed = NONE,
	};
	bool known = false;
	uint64_t at = 0, nr = 0;

	for (uint64_t i = 0; i < log->nr; i++)
		nr += log->records[i].window == window;
	truth.shown = allocate(nr + 1, sizeof(*truth.shown));
	truth.traps = allocate(nr + 1, sizeof(*truth.traps));
	for (uint64_t i = 0; i < log->nr && !truth.broken; i++) {
		const struct transfer_log_record *record = &log->records[i];
		struct rv_insn insn;

		if (record->window != window)
			continue;
		truth.broken_at = i;
		switch (record->kind) {
		case TRANSFER_LOG_TRANSFER:
			if (rv_decode_word(&insn, record->insn, 0) < 0 || !known) {
				truth.broken = "comes from nowhere";
				break;
			}
			truth.broken = disbelieve(record, &insn, at);
			truth.transfers++;
			at = record->to;
			show_transfer(&truth, insn.xfer, record);
			break;
		case TRANSFER_LOG_TRAP:
			if (known && record->from - at > LONGEST_RUN)
				truth.broken = "traps before it got there";
			truth.traps[truth.nr_traps++] = (struct trap){
				.pc = record->from, .cause = record->insn,
				.top = truth.top, .held = truth.held,
			};
			known = !record->frozen;
			at = record->to;
			show_trap(&truth, record);
			break;
		case TRANSFER_LOG_LEAVE:
			known = false;
			break;
		case TRANSFER_LOG_RESUME:
			at = record->to;
			known = true;
			if (record->frozen)
				truth.thawed = truth.top;
			break;
		case TRANSFER_LOG_TASK:
			truth.broken = change_task(&truth, record);
			break;
		case TRANSFER_LOG_CODE:
		case TRANSFER_LOG_FAULT:
			break;
		default:
			truth.broken = "is of no kind";
		}
	}
	return truth;
}

struct samples {
	const char *name;
	const struct truth_header *header;
	const struct truth_sample **at;
	uint64_t entries;
	uint32_t most;		/* entries in one of them */
};

static void open_samples(struct samples *samples, const char *path)
{
	const struct truth_sample *sample;
	size_t size, used = sizeof(*samples->header), bytes;
	uint32_t i;

	samples->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	samples->header = map_file(path, &size);
	if (size < used || memcmp(samples->header->magic, TRUTH_MAGIC,
				  sizeof(samples->header->magic))) {
		fprintf(stderr, "%s: no file of samples\n", path);
		exit(2);
	}
	samples->at = allocate(samples->header->nr + 1, sizeof(*samples->at));
	for (i = 0; i < samples->header->nr; i++) {
		sample = (const void *)((const char *)samples->header + used);
		if (size - used < sizeof(*sample) || sample->nr > 65536)
			break;
		bytes = sizeof(*sample) + sample->nr * sizeof(*sample->entries);
		if (size - used < bytes)
			break;
		samples->at[i] = sample;
		samples->entries += sample->nr;
		if (sample->nr > samples->most)
			samples->most = sample->nr;
		used += bytes;
	}
	if (i != samples->header->nr || used != size) {
		fprintf(stderr, "%s: the file is cut\n", path);
		exit(2);
	}
}

/*
 * The hart does not say which exception it was. A type that is told must be right,
 * but for a load or store whose own page was missing.
 */
static bool fits_exception(const struct perf_branch_entry *entry, uint32_t cause)
{
	switch (entry->type) {
	case PERF_BR_SYSCALL:
		return cause == 8;
	case PERF_BR_UNKNOWN:
		return cause != 8;
	case PERF_BR_EXTEND_ABI:
		break;
	default:
		return false;
	}
	switch (entry->new_type) {
	case PERF_BR_NEW_ARCH_1:
		return cause == 3;
	case PERF_BR_NEW_FAULT_DATA:
		return (cause >= 4 && cause <= 7) || cause == 13 ||
		       cause == 15 || cause == 12;
	case PERF_BR_NEW_FAULT_INST:
		return cause == 1 || cause == 12;
	default:
		return false;
	}
}

/* Is this what the event must be told of @shown? */
static bool fits_entry(const struct perf_branch_entry *entry,
		       const struct shown *shown)
{
	/* This machine predicts nothing and counts no cycles. */
	if (entry->from != shown->from || entry->to != shown->to ||
	    entry->mispred || entry->predicted || entry->cycles ||
	    entry->in_tx || entry->abort)
		return false;
	/* Who does not see the instruction is not told what it did. */
	if (shown->type == TYPE_EXCEPTION)
		return shown->from ? fits_exception(entry, shown->cause) :
				     entry->type == PERF_BR_UNKNOWN;
	return entry->type == shown->type;
}

/* Do @entries show what the buffer had when record @at was its newest? */
static bool shows(const struct truth *truth, uint32_t at,
		  const struct perf_branch_entry *entries, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		if (at == NONE || !fits_entry(&entries[i], &truth->shown[at]))
			return false;
		at = truth->shown[at].parent;
	}
	return true;
}

/* Of the records until the next trap, which is the newest in a buffer that was not frozen? */
static bool shows_later(const struct truth *truth, const struct trap *trap,
			const struct perf_branch_entry *entries, uint64_t nr)
{
	const struct trap *next = trap + 1;

	if (next == truth->traps + truth->nr_traps || next->top == NONE)
		return false;
	for (uint32_t at = trap->top + 1; at <= next->top; at++)
		if (shows(truth, at, entries, nr))
			return true;
	return false;
}

static bool fits(const struct truth *truth, const struct trap *trap,
		 uint64_t ip, const struct perf_branch_entry *entries, uint64_t nr)
{
	bool kernel = truth->branch_sample_type & PERF_SAMPLE_BRANCH_KERNEL;

	/*
	 * An interrupt that finds the kernel at work, in which nothing of user
	 * code is lost, has no trap of its own in a window of user code.
	 */
	if (!kernel && ip >> 63)
		return shows(truth, trap->top, entries, nr);
	if (trap->pc != ip || !(trap->cause & TRANSFER_LOG_INTERRUPT))
		return false;
	if ((trap->cause == LCOFI || (has_aia && !kernel)) &&
	    shows(truth, trap->top, entries, nr))
		return true;
	return has_aia && kernel && shows_later(truth, trap, entries, nr);
}

/*
 * The first trap from number @first on where a sample may have been taken, or NONE.
 * To take the first is to leave as many as can be to the samples after it.
 */
static uint32_t place(const struct truth *truth, uint32_t first, uint64_t ip,
		      const struct perf_branch_entry *entries, uint64_t nr)
{
	for (uint32_t i = first; i < truth->nr_traps; i++)
		if (fits(truth, &truth->traps[i], ip, entries, nr))
			return i;
	return NONE;
}

/* The entries around number @middle, and what was executed instead of them. */
static void print_entries(const struct truth *truth,
			  const struct truth_sample *sample, uint32_t top,
			  uint64_t middle)
{
	for (uint64_t i = 0; i < sample->nr && i < middle + 4; i++) {
		const struct perf_branch_entry *entry = &sample->entries[i];
		const struct shown *shown = top == NONE ? NULL : &truth->shown[top];

		if (i + 4 > middle) {
			printf("#   %" PRIu64 ": %#llx -> %#llx type %u", i,
			       entry->from, entry->to, entry->type);
			if (shown)
				printf(", executed was %#" PRIx64 " -> %#" PRIx64 " type %u",
				       shown->from, shown->to, shown->type);
			printf("\n");
		}
		top = shown ? shown->parent : NONE;
	}
}

/* Show the place that comes nearest to a sample that fits nowhere. */
static void explain(const struct truth *truth, const struct truth_sample *sample,
		    uint32_t first)
{
	uint64_t best = 0;
	uint32_t best_trap = NONE, nr_pc = 0;

	for (uint32_t i = first; i < truth->nr_traps; i++) {
		uint64_t nr = 0;

		if (!fits(truth, &truth->traps[i], sample->ip, NULL, 0))
			continue;
		if (!nr_pc++)
			best_trap = i;
		while (nr < sample->nr &&
		       fits(truth, &truth->traps[i], sample->ip, sample->entries,
			    nr + 1))
			nr++;
		if (nr > best) {
			best = nr;
			best_trap = i;
		}
	}
	printf("# a sample at %#" PRIx64 " of %" PRIu64 " entries; %u traps there, one fits for %" PRIu64 " entries\n",
	       sample->ip, sample->nr, nr_pc, best);
	print_entries(truth, sample,
		      best_trap == NONE ? NONE : truth->traps[best_trap].top, best);
}

/*
 * Does @sample, taken at @trap, show all that there was? The calls that were open
 * when the recording began are not known to it.
 */
static bool is_full(const struct truth *truth, const struct truth_sample *sample,
		    const struct trap *trap)
{
	unsigned int open = truth->branch_sample_type &
			    PERF_SAMPLE_BRANCH_CALL_STACK ? 16 : 0;

	return sample->nr + open >= trap->held;
}

/* Has the interrupt of @sample, which was taken at @trap, no trap of its own? */
static bool is_joined(const struct truth *truth, const struct truth_sample *sample,
		      const struct trap *trap)
{
	return trap->pc == sample->ip &&
	       (trap->cause != LCOFI ||
		!shows(truth, trap->top, sample->entries, sample->nr));
}

/* Find the trap of each sample. Returns how many have none. */
static uint32_t place_all(const struct truth *truth,
			  const struct samples *samples, uint32_t *places)
{
	uint32_t first = 0, wrong = 0, joined = 0;

	for (uint32_t i = 0; i < samples->header->nr; i++) {
		const struct truth_sample *sample = samples->at[i];

		places[i] = place(truth, first, sample->ip, sample->entries,
				  sample->nr);
		if (places[i] != NONE) {
			joined += is_joined(truth, sample, &truth->traps[places[i]]);
			first = places[i] + !has_aia;
		} else if (++wrong <= 3) {
			explain(truth, sample, first);
		}
	}
	if (has_aia)
		printf("# %u samples without a trap of their own\n", joined);
	return wrong;
}

enum mutation { CHANGED, EXCHANGED, LEFT_OUT, MUTATIONS };

static bool same(const struct perf_branch_entry *a,
		 const struct perf_branch_entry *b)
{
	return a->from == b->from && a->to == b->to;
}

#define LONG	 64
#define DISTINCT 24

/*
 * Is @sample, of at least @least entries, with so many different ones that it is found in
 * one place alone? Nearly: programs repeat themselves.
 */
static bool is_distinct(const struct truth_sample *sample, uint32_t least)
{
	unsigned int distinct = 0;
	uint64_t j;

	if (sample->nr < least)
		return false;
	for (uint64_t i = 0; i < sample->nr && distinct < DISTINCT; i++) {
		for (j = 0; j < i; j++)
			if (same(&sample->entries[i], &sample->entries[j]))
				break;
		distinct += j == i;
	}
	return distinct == DISTINCT;
}

/*
 * Entry @at is not the oldest one, which may be left out. Returns the new number of entries,
 * or 0 if nothing could be made of @sample.
 */
static uint64_t mutate(struct perf_branch_entry *entries,
		       const struct truth_sample *sample, uint32_t depth,
		       enum mutation mutation, uint64_t at)
{
	uint64_t nr = sample->nr;
	struct perf_branch_entry entry;

	/* Equal ones may be exchanged. */
	if (same(&sample->entries[at], &sample->entries[at + 1]))
		return 0;
	/* So may a caller: the same was called without it at some other time. */
	if (mutation != CHANGED && !is_distinct(sample, depth < LONG ? depth : LONG))
		return 0;
	memcpy(entries, sample->entries, nr * sizeof(*entries));
	switch (mutation) {
	case CHANGED:
		entries[at].to ^= 2;
		return nr;
	case EXCHANGED:
		entry = entries[at];
		entries[at] = entries[at + 1];
		entries[at + 1] = entry;
		return nr;
	default:
		memmove(&entries[at], &entries[at + 1],
			(nr - at - 1) * sizeof(*entries));
		return nr - 1;
	}
}

/* A judge that does not look believes nearly all. */
static bool few(uint32_t tried, uint32_t believed)
{
	return believed <= 1 + tried / 8;
}

/* Which of the lies about the samples does the judge believe? */
static bool try_judge(const struct truth *truth, const struct samples *samples,
		      const uint32_t *places)
{
	static const char *const names[MUTATIONS] = {
		"changed", "exchanged", "left out"
	};
	static struct perf_branch_entry entries[65536];
	uint32_t tried[MUTATIONS] = {}, believed[MUTATIONS] = {};
	uint32_t turned = 0, turned_believed = 0;
	uint32_t nr = samples->header->nr, two = 0, step, seen = 0;
	/* One interrupt of the kernel leaves the same entries as another. */
	bool kernel = truth->branch_sample_type & PERF_SAMPLE_BRANCH_KERNEL;
	bool passed = true;

	for (uint32_t i = 1; i < nr; i++)
		two += samples->at[i]->nr > 1;
	step = two / 200 + 1;
	for (uint32_t i = 1; i < nr; i++) {
		const struct truth_sample *sample = samples->at[i];

		if (sample->nr < 2 || seen++ % step)
			continue;
		for (int m = 0; m < MUTATIONS; m++) {
			uint64_t left = mutate(entries, sample, truth->depth, m,
					       i * 7919ull % (sample->nr - 1));

			if (!left)
				continue;
			tried[m]++;
			believed[m] += place(truth, places[i - 1] + 1,
					     sample->ip, entries, left) != NONE;
		}
		/* The sample before this one after it. */
		if (samples->at[i - 1]->ip >> 63 || kernel ||
		    !is_distinct(samples->at[i - 1], LONG) ||
		    truth->traps[places[i - 1]].top ==
		    truth->traps[places[i]].top)
			continue;
		turned++;
		turned_believed += place(truth, places[i] + 1,
					 samples->at[i - 1]->ip,
					 samples->at[i - 1]->entries,
					 samples->at[i - 1]->nr) != NONE;
	}
	for (int m = 0; m < MUTATIONS; m++) {
		printf("# an entry %s: %u of %u samples believed\n", names[m],
		       believed[m], tried[m]);
		passed = passed && (m == CHANGED ? !believed[m] :
						    few(tried[m], believed[m]));
	}
	printf("# two samples exchanged: %u of %u believed\n", turned_believed,
	       turned);
	return passed && tried[CHANGED] && few(turned, turned_believed);
}

static void judge(const struct log *log, const char *path, uint32_t least)
{
	struct samples samples = {};
	uint32_t wrong, partial, first = 0, full = 0;
	struct truth truth;
	uint32_t *places;
	bool passed;

	open_samples(&samples, path);
	truth = find_truth(log, samples.header);
	printf("# %s: %u samples, %" PRIu64 " entries, up to %u; %" PRIu64 " transfers, %u traps\n",
	       samples.name, samples.header->nr, samples.entries, samples.most,
	       truth.transfers, truth.nr_traps);
	if (truth.broken)
		printf("# record %" PRIu64 " of the log, %#" PRIx64 " -> %#" PRIx64 " (%#x), %s\n",
		       truth.broken_at, log->records[truth.broken_at].from,
		       log->records[truth.broken_at].to,
		       log->records[truth.broken_at].insn, truth.broken);
	passed = report(!truth.broken && truth.transfers, samples.name,
			"the log is a path through the code");
	report(samples.header->nr >= least, samples.name,
	       "there are as many samples as expected");

	places = allocate(samples.header->nr + 1, sizeof(*places));
	wrong = place_all(&truth, &samples, places);
	if (wrong)
		printf("# %u samples are not true\n", wrong);
	passed = report(!wrong && samples.entries, samples.name,
			"each entry was executed, in the order shown") && passed;

	/* The first ones are on the way: the event was just enabled. */
	while (first < samples.header->nr &&
	       samples.at[first]->nr < samples.most)
		first++;
	for (uint32_t i = first; i < samples.header->nr; i++)
		full += places[i] != NONE &&
			is_full(&truth, samples.at[i], &truth.traps[places[i]]);
	first = samples.header->nr - first;
	printf("# %u of %u samples show all that there was\n", full, first);
	partial = samples.header->partial;
	if (partial && partial != UINT32_MAX && partial >= first)
		skip(samples.name, "80 of 100 samples show all that there was",
		     "each may lack what was before a new start");
	else if (partial != UINT32_MAX)
		report(first && full * 100ull >= (first - partial) * 80ull,
		       samples.name, "80 of 100 samples show all that there was");
	report(passed && try_judge(&truth, &samples, places), samples.name,
	       "samples that are not true are told from those that are");
	free(places);
	free(truth.shown);
	free(truth.traps);
	free(samples.at);
}

int main(int argc, char **argv)
{
	const char *least;
	uint32_t nr = 0;
	struct log log;

	if (argc > 1 && !strcmp(argv[1], "-a")) {
		has_aia = true;
		argc--;
		argv++;
	}
	if (argc < 4) {
		fprintf(stderr, "usage: truth_check [-a] LOG LEAST[,LEAST]... SAMPLES...\n");
		return 2;
	}
	least = argv[2];
	log = open_log(argv[1]);
	for (int i = 3; i < argc; i++) {
		if (*least) {
			nr = strtoul(least, (char **)&least, 0);
			least += *least == ',';
		}
		judge(&log, argv[i], nr);
	}
	printf("1..%u\n", nr_tests);
	return 0;
}
