// SPDX-License-Identifier: GPL-2.0-only
#include "executed.h"

#include <inttypes.h>

#include "riscv/rv_insn.h"

/* No code without a jump is longer. */
#define LONGEST_RUN	(64u << 20)

#define ECALL		8	/* the cause of a trap: of user code */

struct code {
	uint64_t pc;
	uint32_t at;		/* in the log */
	uint32_t opcode;
};

struct stream streams[256];
unsigned int nr_streams;
static struct code *codes;
static size_t nr_codes, room_codes;
static bool wanted[256];	/* windows */

static int compare_codes(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

uint32_t code_at(uint64_t pc, uint32_t at)
{
	size_t low = 0, high = nr_codes;

	/* The last one up to @at, or else the first after it. */
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (codes[mid].pc < pc || (codes[mid].pc == pc && codes[mid].at <= at))
			low = mid + 1;
		else
			high = mid;
	}
	if (low && codes[low - 1].pc == pc)
		return codes[low - 1].opcode;
	return low < nr_codes && codes[low].pc == pc ? codes[low].opcode : 0;
}

bool is_jump(const struct step *step)
{
	return step->kind != STEP_PAUSE ||
	       (step->to != step->from && step->to != step->from + 2 &&
		step->to != step->from + 4);
}

static void add_step(struct stream *stream, const struct step *step)
{
	stream->steps = grow(stream->steps, stream->nr, &stream->room,
			     sizeof(*step));
	stream->steps[stream->nr++] = *step;
}

/* NULL: this program is over, and the window is another one's. */
static struct stream *find_stream(unsigned int window, uint64_t id, uint64_t start)
{
	struct stream *stream, *of_window = NULL;

	for (stream = streams; stream < streams + nr_streams; stream++) {
		if (stream->window != window)
			continue;
		/* A thread has no pointer when its program starts. */
		if (id && !stream->id)
			stream->id = id;
		if (stream->id == id)
			return stream;
		of_window = stream;
	}
	if (!id && of_window)
		return NULL;
	if (nr_streams == sizeof(streams) / sizeof(*streams)) {
		fprintf(stderr, "too many threads\n");
		exit(2);
	}
	nr_streams++;
	*stream = (struct stream){ .id = id, .window = window, .start = start };
	return stream;
}

static void resume(struct stream *stream, uint64_t pc)
{
	struct step *last = stream->nr ? &stream->steps[stream->nr - 1] : NULL;

	if (last && last->kind == STEP_PAUSE && last->to == NOWHERE)
		last->to = pc;
}

/* In a hart's window: another task runs from here on. The last one may come back. */
static struct stream *change_task(struct stream *stream,
				  const struct transfer_log_record *record, uint32_t at)
{
	struct stream *next = find_stream(record->window, record->to, NOWHERE);

	if (!stream)
		return next;
	/* The first one was not yet known by its name. */
	if (stream->id <= 256)
		stream->id = record->from;
	/* The module has frozen the buffer; what is logged since is the switch alone. */
	if (!record->frozen)
		stream->nr = stream->thawed;
	if (!stream->nr)
		stream->start = NOWHERE;
	else
		add_step(stream, &(struct step){
			.from = stream->steps[stream->nr - 1].to, .to = NOWHERE,
			.at = at, .insn = NO_CAUSE, .kind = STEP_PAUSE,
		});
	return next;
}

static void read_log(const struct log *log, bool of_hart)
{
	struct stream *current[256] = {};

	for (uint64_t i = 0; i < log->nr; i++) {
		const struct transfer_log_record *record = &log->records[i];
		struct stream *stream = current[record->hart];
		struct step step = { .from = record->from, .to = record->to,
				     .at = i, .insn = record->insn,
				     .kind = STEP_PAUSE };

		if (!wanted[record->window])
			continue;
		switch (record->kind) {
		case TRANSFER_LOG_CODE:
			codes = grow(codes, nr_codes, &room_codes, sizeof(*codes));
			codes[nr_codes++] = (struct code){ record->from, i,
							   record->insn };
			continue;
		case TRANSFER_LOG_FAULT:
			if (stream && stream->nr)
				stream->steps[stream->nr - 1].addr = record->to;
			continue;
		case TRANSFER_LOG_TASK:
			current[record->hart] = change_task(stream, record, i);
			continue;
		case TRANSFER_LOG_RESUME:
			if (!of_hart || !stream)
				stream = find_stream(record->window,
						     of_hart ? record->hart + 1ull :
						     record->from, record->to);
			if (!stream) {
				wanted[record->window] = false;
				continue;
			}
			if (stream->start == NOWHERE)
				stream->start = record->to;
			resume(stream, record->to);
			if (record->frozen)
				stream->thawed = stream->nr;
			current[record->hart] = stream;
			continue;
		case TRANSFER_LOG_TRANSFER:
			step.kind = STEP_TRANSFER;
			break;
		case TRANSFER_LOG_TRAP:
			if (of_hart && !record->frozen)
				step.kind = STEP_TRAP;
			else
				step.to = NOWHERE;
			break;
		default:
			step.insn = NO_CAUSE;
			step.to = NOWHERE;
		}
		if (!stream)
			continue;
		/* It goes on in the midst of a switch. */
		if (stream->start == NOWHERE)
			stream->start = record->from;
		resume(stream, record->from);
		add_step(stream, &step);
	}
}

bool believe(const struct stream *stream)
{
	uint64_t pc = stream->start, target;
	struct rv_insn insn;

	for (size_t i = 0; i < stream->nr; i++) {
		const struct step *step = &stream->steps[i];
		bool fits = step->from - pc <= LONGEST_RUN;

		if (fits && step->kind == STEP_TRANSFER)
			fits = code_at(step->from, step->at) == step->insn &&
			       rv_decode_word(&insn, step->insn, 0) > 0 &&
			       insn.xfer != RV_XFER_NONE &&
			       (!rv_target(&insn, step->from, &target) ||
				target == step->to);
		if (!fits) {
			printf("# record %u of the log, %#" PRIx64 " -> %#" PRIx64 " (%#x), cannot be after %#" PRIx64 "\n",
			       step->at, step->from, step->to, step->insn, pc);
			return false;
		}
		pc = step->to;
	}
	return true;
}

static void count_jumps(struct stream *stream)
{
	stream->jumps = allocate(stream->nr + 1, sizeof(*stream->jumps));
	stream->rank = allocate(stream->nr + 1, sizeof(*stream->rank));
	for (size_t i = 0; i < stream->nr; i++) {
		stream->rank[i] = stream->nr_jumps;
		if (is_jump(&stream->steps[i]))
			stream->jumps[stream->nr_jumps++] = i;
	}
	stream->rank[stream->nr] = stream->nr_jumps;
	stream->covered = allocate(stream->nr_jumps + 1, 1);
	stream->told = allocate(stream->nr + 1, 1);
}

/* From @pc on up to @end, as it was when the log had @at records. */
static uint64_t insns_between(uint64_t pc, uint64_t end, uint32_t at)
{
	uint64_t nr = 0;
	uint32_t opcode;

	for (; pc < end && (opcode = code_at(pc, at)); nr++)
		pc += (opcode & 3) == 3 ? 4 : 2;
	return nr;
}

/* Does the line that ends with this step hold its instruction, too? */
static bool retires(const struct step *step)
{
	return step->kind == STEP_TRANSFER ||
	       (step->kind == STEP_PAUSE && step->insn == ECALL);
}

uint64_t insn_at(const struct stream *stream, uint32_t step, uint64_t pc)
{
	uint64_t start = step ? stream->steps[step - 1].to : stream->start;
	uint32_t at = step < stream->nr ? stream->steps[step].at : NONE;

	return (step ? stream->insns[step - 1] : 0) + insns_between(start, pc, at);
}

static void count_insns(struct stream *stream)
{
	stream->insns = allocate(stream->nr + 1, sizeof(*stream->insns));
	for (uint32_t i = 0; i < stream->nr; i++) {
		const struct step *step = &stream->steps[i];

		stream->nr_insns = insn_at(stream, i, step->from) + retires(step);
		stream->insns[i] = stream->nr_insns;
	}
	stream->held = allocate(stream->nr_insns + 1, 1);
}

bool read_executed(const struct log *log, const char *windows)
{
	bool of_hart = false;
	char *end;

	for (end = (char *)windows; *end; windows = end + 1)
		wanted[strtoul(windows, &end, 0) & 0xff] = true;
	/* Only a hart's window has code of the kernel. */
	for (uint64_t i = 0; i < log->nr && !of_hart; i++)
		of_hart = wanted[log->records[i].window] &&
			  log->records[i].kind == TRANSFER_LOG_CODE &&
			  log->records[i].from >> 63;
	read_log(log, of_hart);
	if (!nr_codes)
		return false;
	qsort(codes, nr_codes, sizeof(*codes), compare_codes);
	for (unsigned int i = 0; i < nr_streams; i++) {
		count_jumps(&streams[i]);
		count_insns(&streams[i]);
	}
	return true;
}
