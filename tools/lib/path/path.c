// SPDX-License-Identifier: GPL-2.0-only
#include "path/path.h"
#include "base/array.h"
#include "riscv/rv_insn.h"
#include "riscv/rv_reg.h"

#include <linux/perf_event.h>
#include <stdlib.h>

/* What the code tells of a straight line. */
struct line {
	const uint8_t *code; /* NULL: not known */
	uint32_t size; /* bytes before the source */
	uint32_t nr_insns;
	uint32_t a7_at; /* as in struct path_run, with calls */
	bool calls;
	uint8_t why; /* enum path_break: what is wrong with it */
};

/*
 * What is known of one transfer: its source's instruction, and the straight line
 * that leads to it from the target of the transfer before. Step 0 has no line.
 * The step after the last transfer has the line to the interrupted instruction,
 * as its source.
 */
struct step {
	uint64_t pc; /* where the line starts */
	uint64_t source_pc;
	struct line line;
	/*
	 * A signal arrived: pc is its handler, and before it ran this line, as far as it
	 * is known.
	 */
	struct line before;
	uint64_t before_pc; /* 0: no signal */
	const uint8_t *source; /* code at source_pc; NULL: not known */
	uint8_t source_size;
	bool rv32; /* of the source, or of the line if the source is not known */
	bool at_0; /* pc is 0, and the address of it */
	bool source_ok; /* its instruction is known, and can make the transfer */
	bool shown; /* the source is shown, with where it leads */
	uint8_t end; /* enum path_end */
	uint8_t why; /* enum path_break; PATH_OK: line and source fit together */
	uint8_t unknown; /* enum img_state */
};

/*
 * Lines decoded before, with the source after them, by the place of their code in
 * memory, which does not change. Loops make the same few come again and again.
 */
struct known_line {
	struct line line;
	struct rv_insn source; /* its size is 0: not known */
	bool kernel;
};

enum {
	NR_KNOWN = 1 << 15,
	NR_WINDOWS = 4,
};

struct path {
	struct path_source source;
	struct path_transfer *transfers;
	struct step *steps;
	struct path_run *runs;
	size_t cap_transfers, cap_steps, cap_runs;
	size_t nr_runs;
	/* Of the sample at work. */
	uint32_t pid;
	unsigned int flags;
	bool goes_on; /* step 0 has a line, too */
	bool connected; /* and starts where the path before ended */
	uint64_t since; /* ns; nothing in the path is older */
	const struct path_signal *signals;
	size_t nr_signals;
	uint64_t *handlers; /* of these signals, each one once */
	size_t nr_handlers, cap_handlers;
	struct path_next next;
	struct path_window windows[NR_WINDOWS];
	struct path_window *window; /* of windows, the one used last */
	unsigned int next_window;
	struct known_line known[NR_KNOWN];
};

struct path *path_new(const struct path_source *source)
{
	struct path *path = calloc(1, sizeof(*path));

	if (path) {
		path->source = *source;
		path->since = UINT64_MAX;
	}
	return path;
}

void path_free(struct path *path)
{
	if (!path)
		return;
	free(path->transfers);
	free(path->steps);
	free(path->runs);
	free(path->handlers);
	free(path);
}

void path_set_since(struct path *path, uint64_t time)
{
	path->since = time;
}

/*
 * For nr transfers, a step of each and of the line behind them, and two runs a step: a
 * broken line, and the source after it. Nothing is allocated for a sample that is no
 * larger than one before.
 */
static bool make_room(struct path *path, size_t nr)
{
	return array_cover(&path->transfers, nr, &path->cap_transfers,
			   sizeof(*path->transfers)) &&
	       array_cover(&path->steps, nr, &path->cap_steps,
			   sizeof(*path->steps)) &&
	       array_cover(&path->runs, 2 * nr + 1, &path->cap_runs,
			   sizeof(*path->runs));
}

/* --- code --- */

static const struct path_window *
look_for_window(struct path *path, uint64_t addr, enum img_state *why)
{
	struct path_window *w;
	unsigned int i;

	for (i = 0; i < NR_WINDOWS; i++) {
		w = &path->windows[i];
		if (addr - w->start < w->size)
			return path->window = w;
	}
	w = &path->windows[path->next_window];
	w->since = 0;
	*why = path->source.code(path->source.arg, path->pid, addr, w);
	if (*why == IMG_OK && w->since > path->since)
		*why = IMG_REPLACED;
	if (*why != IMG_OK) {
		w->size = 0;
		return NULL;
	}
	path->next_window = (path->next_window + 1) % NR_WINDOWS;
	return path->window = w;
}

static inline const struct path_window *
find_window(struct path *path, uint64_t addr, enum img_state *why)
{
	const struct path_window *w = path->window;

	return addr - w->start < w->size ? w : look_for_window(path, addr, why);
}

/* The instruction at addr. Sets *code where its bytes are known, in path->window. */
static enum path_break fetch(struct path *path, uint64_t addr,
			     const uint8_t **code, struct rv_insn *insn,
			     enum img_state *unknown)
{
	const struct path_window *w;
	uint64_t at;
	int ret;

	if (addr & 1)
		return PATH_MISALIGNED;
	w = find_window(path, addr, unknown);
	if (!w)
		return PATH_UNKNOWN_CODE;
	at = addr - w->start;
	ret = rv_decode(insn, w->code + at, w->size - at,
			w->rv32 ? RV_RV32 : 0);
	if (ret == RV_E_CUT) {
		*unknown = IMG_UNMAPPED;
		return PATH_UNKNOWN_CODE;
	}
	if (ret < 0)
		return PATH_UNDEFINED;
	*code = w->code + at;
	return PATH_OK;
}

/*
 * May a straight line go through it? A system call and a breakpoint come back to
 * the instruction after them, and leave no record where only user code is
 * recorded. The other instructions that always trap mark what is no code.
 */
static enum path_break passes(const struct rv_insn *insn, unsigned int flags)
{
	const uint32_t ecall = 0x73, ebreak = 0x100073, c_ebreak = 0x9002;

	if (rv_never_falls_through(insn))
		return PATH_JUMP;
	if (!rv_always_traps(insn))
		return PATH_OK;
	if (flags & PATH_KERNEL)
		return PATH_TRAP;
	return insn->raw == ecall || insn->raw == ebreak ||
			       insn->raw == c_ebreak ?
		       PATH_OK :
		       PATH_TRAP;
}

/* The line's bytes are there: does it end on an instruction's boundary? */
static enum path_break decode_line(struct line *line, unsigned int flags,
				   unsigned int rv_flags)
{
	uint32_t at = 0;
	int64_t value;

	line->a7_at = line->size;
	for (; at < line->size; line->nr_insns++) {
		const uint8_t *p = line->code + at;
		const uint16_t parcel = p[0] | p[1] << 8;
		enum path_break why;
		struct rv_insn insn;
		int ret;

		/* Both sizes have the register that they write at one place. */
		if (rv_runs_on(parcel) && (parcel >> 7 & 31) != RV_A7) {
			at += (parcel & 3) == 3 ? 4 : 2;
			continue;
		}
		/* The source's own first parcel is there, too. */
		ret = rv_decode(&insn, p, line->size - at + 2, rv_flags);
		if (ret == RV_E_LONG)
			return PATH_UNDEFINED;
		if (ret < 0 || at + ret > line->size)
			return PATH_MISALIGNED;
		why = passes(&insn, flags);
		if (why)
			return why;
		line->calls |= rv_always_traps(&insn);
		if (rv_effect_on(insn.raw, ret, RV_A7, &value) != RV_KEEPS)
			line->a7_at = at;
		at += ret;
	}
	return at == line->size ? PATH_OK : PATH_MISALIGNED;
}

/* A line with the source after it, of which left bytes are there, 2 at least. */
static void decode_known(struct known_line *k, unsigned int flags,
			 unsigned int rv_flags, uint64_t left)
{
	struct line *line = &k->line;

	line->why = decode_line(line, flags, rv_flags);
	rv_decode(&k->source, line->code + line->size, left, rv_flags);
}

/* size bytes of line at pc, in the window with the source's first parcel. */
static inline const struct known_line *
known_line(struct path *path, const struct path_window *w, uint64_t pc,
	   uint32_t size)
{
	const bool kernel = path->flags & PATH_KERNEL;
	const uint8_t *code = w->code + (pc - w->start);
	uint64_t hash = ((uintptr_t)code ^ (uint64_t)size << 40) *
			UINT64_C(0x9e3779b97f4a7c15);
	struct known_line *k = &path->known[hash >> 32 & (NR_KNOWN - 1)];

	if (k->line.code == code && k->line.size == size && k->kernel == kernel)
		return k;
	*k = (struct known_line){ .line.code = code, .line.size = size,
				  .kernel = kernel };
	decode_known(k, path->flags, w->rv32 ? RV_RV32 : 0,
		     w->size - (pc - w->start) - size);
	return k;
}

/* --- steps --- */

/*
 * What is usual: the whole line and its source are in one window, and decoded.
 * Sets what the code tells of both. NULL: it is not so.
 */
static inline const struct known_line *take_known(struct path *path,
						  struct step *s, uint64_t end)
{
	const uint64_t size = end - s->pc;
	const struct known_line *k;
	const struct path_window *w;
	enum img_state unknown;

	if (!s->pc || (s->pc | end) & 1 || size > PATH_MAX_LINE ||
	    path_is_kernel(s->pc) != path_is_kernel(end))
		return NULL;
	w = find_window(path, s->pc, &unknown);
	if (!w || w->size - (s->pc - w->start) < size + 4)
		return NULL;
	k = known_line(path, w, s->pc, size);
	if (!k->source.size)
		return NULL;
	s->line = k->line;
	s->source_pc = end;
	s->source = k->line.code + size;
	s->source_size = k->source.size;
	s->rv32 = w->rv32;
	return k;
}

/* The line from s->pc to end, where the instruction starts that comes after it. */
static enum path_break take_line(struct path *path, struct step *s,
				 uint64_t end, enum img_state *unknown)
{
	const struct path_window *w;
	struct rv_insn insn;
	enum path_break why;

	if (!s->pc && !s->at_0)
		return PATH_NO_TARGET;
	why = fetch(path, s->pc, &s->line.code, &insn, unknown);
	if (why)
		return why;
	if (!s->source)
		s->rv32 = path->window->rv32;
	if (!end)
		return PATH_NO_SOURCE;
	if (path_is_kernel(end) != path_is_kernel(s->pc))
		return PATH_OTHER_MODE;
	if (end < s->pc)
		return PATH_BACKWARDS;
	if (end - s->pc > PATH_MAX_LINE)
		return PATH_TOO_FAR;
	if (end & 1)
		return PATH_MISALIGNED;
	if (end == s->pc)
		return PATH_OK;
	w = find_window(path, s->pc, unknown);
	if (end - w->start > w->size - 2) {
		if (find_window(path, w->start + w->size, unknown))
			*unknown = IMG_UNMAPPED;
		return PATH_UNKNOWN_CODE;
	}
	s->line = known_line(path, w, s->pc, end - s->pc)->line;
	return s->line.why;
}

/* Types are small numbers: sets of them are words. */
#define TYPE(_type) (1u << (_type))

static const uint32_t traps =
	TYPE(PERF_BR_SYSCALL) | TYPE(PERF_BR_IRQ) | TYPE(PERF_BR_SERROR) |
	(TYPE(PD_BR_FAULT_INST + 1) - TYPE(PD_BR_FAULT_ALIGN));
static const uint32_t trap_returns = TYPE(PERF_BR_ERET) | TYPE(PERF_BR_SYSRET);
static const uint32_t conditional = TYPE(PERF_BR_COND) |
				    TYPE(PERF_BR_COND_CALL) |
				    TYPE(PERF_BR_COND_RET);
static const uint32_t unconditional = TYPE(PERF_BR_RET + 1) -
				      TYPE(PERF_BR_UNCOND);
static const uint32_t indirect = TYPE(PERF_BR_IND) | TYPE(PERF_BR_IND_CALL) |
				 TYPE(PERF_BR_RET);

/* Can this instruction make this transfer? Sets what the run ends with. */
static inline enum path_break check_source(const struct rv_insn *insn,
					   const struct path_transfer *t,
					   uint8_t *end)
{
	const uint32_t type = TYPE(t->type);
	const bool known = type & (conditional | unconditional);
	uint64_t target;

	*end = PATH_END_TRAP;
	if (type & traps)
		return PATH_OK;
	/*
	 * An exception other than a system call has no type of perf's. Only a
	 * trap leads from user code into the kernel, and only a trap leads on
	 * from an instruction that is no transfer.
	 */
	if (!t->type && path_is_kernel(t->to) &&
	    (!path_is_kernel(t->from) || insn->xfer == RV_XFER_NONE))
		return PATH_OK;
	if (insn->xfer == RV_XFER_EXCEPTION)
		return known ? PATH_NOT_A_TRANSFER : PATH_OK;
	*end = PATH_END_TRAP_RETURN;
	if (insn->xfer == RV_XFER_TRAP_RETURN)
		return known ? PATH_NOT_A_TRANSFER : PATH_OK;
	*end = PATH_END_BRANCH;
	if (insn->xfer == RV_XFER_NONE || type & trap_returns)
		return PATH_NOT_A_TRANSFER;
	if (known && !(type & conditional) != (insn->xfer != RV_XFER_BRANCH))
		return PATH_NOT_A_TRANSFER;
	if (t->to && rv_target(insn, t->from, &target) && target != t->to)
		return PATH_OTHER_TARGET;
	return PATH_OK;
}

static enum path_break take_source(struct path *path, struct step *s,
				   const struct path_transfer *t,
				   enum img_state *unknown)
{
	enum path_break why;
	struct rv_insn insn;

	s->source_pc = t->from;
	if (!t->from)
		return PATH_NO_SOURCE;
	why = fetch(path, t->from, &s->source, &insn, unknown);
	if (why)
		return why;
	s->source_size = insn.size;
	s->rv32 = path->window->rv32;
	why = check_source(&insn, t, &s->end);
	s->source_ok = !why;
	return why;
}

/*
 * A line whose record cannot be believed is a broken one: where it ends is told
 * by that record alone.
 */
static void take_step(struct path *path, struct step *s,
		      const struct path_transfer *t)
{
	const struct known_line *k = take_known(path, s, t->from);
	enum img_state of_source = IMG_OK, of_line = IMG_OK;
	enum path_break why;

	if (k) {
		why = check_source(&k->source, t, &s->end);
		s->source_ok = !why;
		s->why = k->line.why ? k->line.why : why;
		return;
	}
	why = take_source(path, s, t, &of_source);
	s->why = take_line(path, s, t->from, &of_line);
	s->unknown = s->why ? of_line : of_source;
	if (!s->why)
		s->why = why;
}

static void take_first_step(struct path *path, struct step *s,
			    const struct path_transfer *t)
{
	enum img_state unknown = IMG_OK;

	s->why = take_source(path, s, t, &unknown);
	s->unknown = unknown;
	/* The path then starts at the target: nothing in it is broken. */
	if (s->why == PATH_NO_SOURCE)
		s->why = PATH_OK;
}

/* The line behind a transfer. */
static void start_line(struct step *s, const struct path_transfer *t)
{
	s->pc = t->to;
	s->at_0 = !t->to && TYPE(t->type) & indirect;
}

static void take_tail(struct path *path, struct step *s, uint64_t ip)
{
	const bool away = path_is_kernel(ip) && !(path->flags & PATH_KERNEL);
	const struct known_line *k = away ? NULL : take_known(path, s, ip);
	enum img_state of_source = IMG_OK, of_line = IMG_OK;
	enum path_break why = PATH_OK;
	struct rv_insn insn;

	s->end = away ? PATH_END_AWAY : PATH_END_IP;
	if (k) {
		s->why = k->line.why;
		s->source_ok = true;
		return;
	}
	s->why = take_line(path, s, away ? s->pc : ip, &of_line);
	if (!away) {
		s->source_pc = ip;
		why = fetch(path, ip, &s->source, &insn, &of_source);
		s->source_ok = !why;
		s->source_size = why ? 0 : insn.size;
		s->rv32 = why ? s->rv32 : path->window->rv32;
	}
	s->unknown = s->why ? of_line : of_source;
	if (!s->why)
		s->why = why;
}

/* --- signals --- */

/*
 * Does the code lead straight on from one place to another? What stands there may be no
 * instruction, also where it is the first.
 */
static bool leads(struct path *path, uint64_t from, uint64_t to, struct line *line)
{
	struct step s = { .pc = from };
	enum img_state unknown;

	if (to < from || to - from > PATH_MAX_LINE ||
	    (take_line(path, &s, to, &unknown) && from != to))
		return false;
	*line = s.line;
	return true;
}

/*
 * Does the kernel lead from this line back to what a signal interrupted? Where the code of
 * the vdso is not known, only this leads out of it.
 */
static bool returns_from_signal(struct path *path, const struct step *s)
{
	/* li a7, 139; ecall */
	static const uint8_t code[] = { 0x93, 0x08, 0xb0, 0x08, 0x73, 0x00, 0x00, 0x00 };
	const struct path_window *w;
	enum img_state unknown;

	if (!s->pc || (!s->why && s->line.size < sizeof(code)))
		return false;
	if (s->why == PATH_UNKNOWN_CODE)
		return s->unknown == IMG_VDSO && !s->line.code && s->source_ok;
	w = find_window(path, s->pc, &unknown);
	return w && w->size - (s->pc - w->start) >= sizeof(code) &&
	       !memcmp(w->code + (s->pc - w->start), code, sizeof(code));
}

/* Does a handler lead straight on to it? */
static bool is_in_handler(struct path *path, uint64_t pc)
{
	struct line line;
	size_t i;

	for (i = 0; i < path->nr_handlers; i++)
		if (leads(path, path->handlers[i], pc, &line))
			return true;
	return false;
}

/* May it have arrived on the line from pc, or in a handler that began on it? */
static bool may_arrive(struct path *path, uint64_t pc, const struct path_signal *signal)
{
	struct line line;

	return !signal->pc || leads(path, pc, signal->pc, &line) ||
	       is_in_handler(path, signal->pc);
}

/* What signals may have arrived on a line whose source is known. */
struct arrived {
	uint64_t handler; /* from which the source was reached; 0: several, or none */
	unsigned int nr;
	struct line line; /* from the handler to the source */
	struct line before; /* of the only one, up to it */
};

/* Those of a handler that leads to the source by this line. */
static void add_arrived(struct path *path, const struct step *s, uint64_t handler,
			const struct line *line, struct arrived *found)
{
	size_t i;

	for (i = 0; i < path->nr_signals; i++) {
		const struct path_signal *signal = &path->signals[i];

		if (signal->handler != handler || !may_arrive(path, s->pc, signal))
			continue;
		if (found->nr++ && found->handler != handler) {
			found->handler = 0;
			continue;
		}
		found->handler = handler;
		found->line = *line;
		/* In a handler that began on the line, less of the line ran. */
		if (found->nr > 1 || is_in_handler(path, signal->pc) ||
		    !leads(path, s->pc, signal->pc, &found->before))
			found->before = (struct line){ 0 };
	}
}

/* Most handlers lead to no source, and most signals of a thread have the same one. */
static void find_arrived(struct path *path, const struct step *s,
			 struct arrived *found)
{
	struct line line;
	size_t i;

	*found = (struct arrived){ 0 };
	for (i = 0; i < path->nr_handlers; i++)
		if (leads(path, path->handlers[i], s->source_pc, &line))
			add_arrived(path, s, path->handlers[i], &line, found);
}

/*
 * A line that fits may be that of a handler which began meanwhile. One that does not fit
 * goes on in a handler. Where a handler returned, the line goes on somewhere else, which
 * may be a handler that was interrupted.
 */
static void take_signals(struct path *path, struct step *s)
{
	struct arrived found;

	if (returns_from_signal(path, s)) {
		s->why = PATH_SIGNAL_RETURN;
		return;
	}
	if (!path->nr_signals || !s->source_ok || !s->pc || s->why == PATH_UNKNOWN_CODE)
		return;
	find_arrived(path, s, &found);
	if (!found.nr)
		return;
	if (!s->why || !found.handler) {
		s->why = PATH_SIGNAL;
		return;
	}
	s->before = found.before;
	s->before_pc = s->pc;
	s->pc = found.handler;
	s->line = found.line;
	s->why = PATH_OK;
}

/* Is the line known up to its source? */
static bool is_whole(const struct step *s)
{
	return !s->why && s->end != PATH_END_AWAY;
}

/*
 * Is it certain that the instruction was executed where the line starts, and what to
 * show of it? Of a broken line it is not: a signal may have come before it.
 */
static bool first_shown(const struct step *s)
{
	if (s->before_pc)
		return s->before.size;
	return is_whole(s) && (s->line.size || s->shown);
}

/* --- runs --- */

/* Of step i. */
static struct path_run *add_run(struct path *path, size_t i, uint64_t pc,
				const uint8_t *code)
{
	struct path_run *run = &path->runs[path->nr_runs++];

	*run = (struct path_run){ .pc = pc, .code = code, .end = PATH_END_CUT,
				  .rv32 = path->steps[i].rv32, .transfer = i };
	return run;
}

static void add_source(struct path_run *run, const struct step *s)
{
	run->size += s->source_size;
	run->source_size = s->source_size;
	run->nr_insns++;
	run->end = s->end;
	run->has_transfer = s->end != PATH_END_IP;
}

static void connect_run(struct path *path, size_t i, struct path_run *run)
{
	run->connected = i ? path->steps[i - 1].shown : path->connected;
	if (run->connected && i)
		run[-1].target_shown = true;
}

static struct path_run *add_line(struct path *path, size_t i, uint64_t pc,
				 const struct line *line)
{
	struct path_run *run = add_run(path, i, pc, line->code);

	run->size = line->size;
	run->nr_insns = line->nr_insns;
	run->a7_at = line->a7_at;
	run->calls = line->calls;
	return run;
}

/* What ran before a signal, then the line in its handler, to which nothing leads. */
static void add_signal_runs(struct path *path, size_t i)
{
	const struct step *s = &path->steps[i];
	struct path_run *run = add_line(path, i, s->before_pc, &s->before);

	run->why = PATH_SIGNAL;
	run->end = PATH_END_BREAK;
	if (run->size)
		connect_run(path, i, run);
	if (!s->line.size && !s->shown)
		return;
	run = add_line(path, i, s->pc, &s->line);
	if (s->shown)
		add_source(run, s);
}

/* The runs of step i: the line with its source, or what can be shown of them. */
static void add_runs(struct path *path, size_t i)
{
	const struct step *s = &path->steps[i];
	struct path_run *run;

	if (s->before_pc) {
		add_signal_runs(path, i);
		return;
	}
	if ((i || path->goes_on) && is_whole(s)) {
		if (!first_shown(s))
			return;
		run = add_line(path, i, s->pc, &s->line);
		connect_run(path, i, run);
		if (s->shown)
			add_source(run, s);
		return;
	}
	if (i || path->goes_on || s->why) {
		run = add_run(path, i, s->pc, s->line.code);
		run->why = s->why;
		run->unknown = s->unknown;
		run->end = s->why ? PATH_END_BREAK : PATH_END_AWAY;
	}
	if (s->shown)
		add_source(add_run(path, i, s->source_pc, s->source), s);
}

/* Where the path goes on that nr transfers and the tail make. */
static struct path_next find_next(const struct path *path, size_t nr)
{
	const struct step *s = &path->steps[nr];
	size_t first = nr;

	if (s->shown)
		return (struct path_next){ s->source_pc, 0, true };
	/* Nothing leads to a handler's line: it stands already, and the branch before it not. */
	while (first && s[-1].source_ok && !s[-1].shown &&
	       !(s->before_pc && s->line.size)) {
		first--;
		s--;
	}
	/* The line before the first that is cut stands alone, and leads to it. */
	if (first < nr)
		return (struct path_next){
			s->source_pc, nr - first,
			(first || path->goes_on) && is_whole(s) &&
				(s->line.size ||
				 (!first && !s->before_pc && path->connected))
		};
	return (struct path_next){ s->pc, 0, !nr && path->connected };
}

/* The first step's pc is set, or 0 where the path begins with its source. */
static int decode(struct path *path, uint32_t pid, uint64_t pc,
		  const struct path_transfer *t, size_t nr, uint64_t ip,
		  unsigned int flags)
{
	struct step *steps;
	size_t i;

	path->nr_runs = 0;
	if (!make_room(path, nr))
		return PD_ENOMEM;
	if (nr && t != path->transfers)
		memcpy(path->transfers, t, nr * sizeof(*t));
	t = path->transfers;
	steps = path->steps;
	memset(steps, 0, (nr + 1) * sizeof(*steps));
	memset(path->windows, 0, sizeof(path->windows));
	path->window = path->windows;
	path->pid = pid;
	path->flags = flags;
	steps[0].pc = pc;
	if (!path->goes_on)
		take_first_step(path, &steps[0], &t[0]);
	else if (nr)
		take_step(path, &steps[0], &t[0]);
	for (i = 1; i < nr; i++) {
		start_line(&steps[i], &t[i - 1]);
		take_step(path, &steps[i], &t[i]);
	}
	if (nr)
		start_line(&steps[nr], &t[nr - 1]);
	take_tail(path, &steps[nr], ip);
	if (!(flags & PATH_KERNEL))
		for (i = !path->goes_on; i <= nr; i++)
			if (steps[i].why || path->nr_signals)
				take_signals(path, &steps[i]);

	/* A branch can be shown if the instruction at its target can, or need not be. */
	steps[nr].shown = steps[nr].source_ok;
	for (i = nr; i-- > 0;)
		steps[i].shown = steps[i].source_ok &&
				 (steps[i].end != PATH_END_BRANCH ||
				  flags & PATH_ALL_SOURCES ||
				  first_shown(&steps[i + 1]));
	for (i = 0; i <= nr; i++)
		add_runs(path, i);
	path->next = find_next(path, nr);
	return path->nr_runs;
}

static bool is_handler(const struct path *path, uint64_t pc)
{
	size_t i;

	for (i = 0; i < path->nr_handlers; i++)
		if (path->handlers[i] == pc)
			return true;
	return false;
}

bool path_set_signals(struct path *path, const struct path_signal *signals, size_t nr)
{
	size_t i;

	path->signals = signals;
	path->nr_signals = nr;
	path->nr_handlers = 0;
	for (i = 0; i < nr; i++) {
		if (is_handler(path, signals[i].handler))
			continue;
		if (!array_room(&path->handlers, path->nr_handlers, &path->cap_handlers,
				sizeof(*path->handlers)))
			return false;
		path->handlers[path->nr_handlers++] = signals[i].handler;
	}
	return true;
}

int path_decode(struct path *path, uint32_t pid, const struct path_transfer *t,
		size_t nr, uint64_t ip, unsigned int flags)
{
	path->nr_runs = 0;
	path->next = (struct path_next){ 0 };
	path->goes_on = path->connected = false;
	return nr ? decode(path, pid, 0, t, nr, ip, flags) : 0;
}

int path_decode_on(struct path *path, uint32_t pid, uint64_t pc, bool connected,
		   const struct path_transfer *t, size_t nr, uint64_t ip,
		   unsigned int flags)
{
	path->goes_on = true;
	path->connected = connected;
	return decode(path, pid, pc, t, nr, ip, flags);
}

/* The nr youngest transfers of a sample, oldest first. False: out of memory. */
static bool take_transfers(struct path *path, const struct pd_sample *sample,
			   size_t nr)
{
	size_t i;

	if (!make_room(path, nr))
		return false;
	for (i = 0; i < nr; i++) {
		struct pd_branch br = pd_branch_at(sample, nr - 1 - i);

		path->transfers[i] =
			(struct path_transfer){ br.from, br.to,
						pd_branch_type(br.flags) };
	}
	return true;
}

int path_decode_sample(struct path *path, uint32_t pid,
		       const struct pd_sample *sample, unsigned int flags)
{
	size_t nr = sample->nr_branches;

	if (!take_transfers(path, sample, nr))
		return PD_ENOMEM;
	return path_decode(path, pid, path->transfers, nr, sample->ip, flags);
}

int path_decode_sample_on(struct path *path, uint32_t pid, uint64_t pc,
			  bool connected, const struct pd_sample *sample,
			  size_t nr, unsigned int flags)
{
	if (!take_transfers(path, sample, nr))
		return PD_ENOMEM;
	return path_decode_on(path, pid, pc, connected, path->transfers, nr,
			      sample->ip, flags);
}

const struct path_run *path_runs(const struct path *path)
{
	return path->runs;
}

const struct path_transfer *path_transfers(const struct path *path)
{
	return path->transfers;
}

const struct path_next *path_next(const struct path *path)
{
	return &path->next;
}

const char *path_break_text(enum path_break why)
{
	static const char *const texts[PATH_NR_BREAKS] = {
		[PATH_OK] = "none",
		[PATH_NO_SOURCE] = "the source was not recorded",
		[PATH_NO_TARGET] = "the target was not recorded",
		[PATH_OTHER_MODE] =
			"the mode changes without a trap in between",
		[PATH_BACKWARDS] = "the next source is before the target",
		[PATH_JUMP] = "an unconditional jump in between",
		[PATH_TRAP] = "a trapping instruction in between",
		[PATH_MISALIGNED] = "the next source is inside an instruction",
		[PATH_UNKNOWN_CODE] = "the code is not known",
		[PATH_UNDEFINED] = "bytes that are not an instruction",
		[PATH_TOO_FAR] = "the next source is too far away",
		[PATH_NOT_A_TRANSFER] =
			"the source's instruction makes no such transfer",
		[PATH_OTHER_TARGET] =
			"the source's instruction leads elsewhere",
		[PATH_SIGNAL] = "a signal may have arrived in between",
		[PATH_SIGNAL_RETURN] = "a signal handler returned",
	};

	return texts[why];
}
