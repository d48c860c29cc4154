// SPDX-License-Identifier: GPL-2.0-only
#include "last/probes.h"
#include "path/path.h"
#include "riscv/rv_insn.h"

#include <linux/perf_event.h>
#include <string.h>

enum { LONGEST_INSN = 4 /* bytes, of those that a probe replaces */ };

/* The branches of a thread, the newest first. */
struct branches {
	struct pd_branch *v;
	size_t nr;
	size_t done; /* from here on, they are without probes */
	uint64_t ip;
	struct path_code *code;
	uint32_t pid;
};

bool last_is_of_probes(struct path_code *code, uint32_t pid, uint64_t addr)
{
	const struct path_place place = path_code_place(code, pid, addr);

	return place.dso && !path_is_kernel(addr) && !strcmp(place.dso->name, "[uprobes]");
}

static bool is_of_probes(const struct branches *b, uint64_t addr)
{
	return last_is_of_probes(b->code, b->pid, addr);
}

static bool enters_kernel(const struct pd_branch *br)
{
	return !path_is_kernel(br->from) && path_is_kernel(br->to);
}

static bool leaves_kernel(const struct pd_branch *br)
{
	return path_is_kernel(br->from) && !path_is_kernel(br->to);
}

/* The first branch from i on that leaves the kernel; nr: there is none. */
static size_t find_exit(const struct branches *b, size_t i)
{
	while (i && !leaves_kernel(&b->v[i - 1]))
		i--;
	return i ? i - 1 : b->nr;
}

/* Is branch i the breakpoint on the page? Returns the one that leads back, or nr. */
static size_t find_way_back(const struct branches *b, size_t i)
{
	if (!enters_kernel(&b->v[i]) || !is_of_probes(b, b->v[i].from))
		return b->nr;
	i = find_exit(b, i);
	return i < b->nr && !is_of_probes(b, b->v[i].to) ? i : b->nr;
}

/* The bytes of the instruction at an address; 0: it is not known. */
static unsigned int size_at(const struct branches *b, uint64_t addr)
{
	const struct path_place place = path_code_place(b->code, b->pid, addr);
	uint64_t len;
	const uint8_t *code = path_code_bytes(b->code, &place, &len);

	return code && len >= 2 ? rv_insn_size(code[0] | code[1] << 8) : 0;
}

/* Where return i would have led by its call; 0: it is not known. */
static uint64_t find_caller(const struct branches *b, size_t i)
{
	/* It ran straight on from there. */
	const uint64_t next = i ? b->v[i - 1].from : b->ip;
	unsigned int open = 1, size;
	uint64_t from = 0;

	for (i = b->done; open && i < b->nr; i++) {
		from = b->v[i].from;
		switch (pd_branch_type(b->v[i].flags)) {
		case PERF_BR_CALL:
		case PERF_BR_IND_CALL:
			open--;
			break;
		case PERF_BR_RET:
			open++;
			break;
		}
	}
	size = open ? 0 : size_at(b, from);
	return size && from + size <= next && next - from <= PATH_MAX_LINE ? from + size : 0;
}

/*
 * A probe has replaced the instruction at which branch i enters the kernel: from there it goes
 * to the page, and by a breakpoint back to the next instruction. Returns the branch that leads
 * there, or nr.
 */
static size_t find_replaced(const struct branches *b, size_t i)
{
	const uint64_t from = b->v[i].from;
	const size_t exit = enters_kernel(&b->v[i]) ? find_exit(b, i) : b->nr;
	size_t back;

	if (exit == b->nr || !exit || !is_of_probes(b, b->v[exit].to))
		return b->nr;
	back = find_way_back(b, exit - 1);
	/* A signal may have come, and its handler. */
	return back < b->nr && b->v[back].to - from <= LONGEST_INSN ? back : b->nr;
}

/* A return to the page. Returns the branch that leads from there to where it belongs, or i. */
static size_t straighten(struct branches *b, size_t i)
{
	const size_t back = i ? find_way_back(b, i - 1) : b->nr;
	uint64_t to;

	if (back < b->nr) {
		b->v[i].to = b->v[back].to;
		return back;
	}
	to = find_caller(b, i);
	if (to)
		b->v[i].to = to;
	return i;
}

/* The oldest branches may be the end of a way to the page. Returns the number of the others. */
static size_t leave_out_end(const struct branches *b)
{
	size_t exit;

	if (!b->nr || !path_is_kernel(b->v[b->nr - 1].from))
		return b->nr;
	exit = find_exit(b, b->nr);
	if (exit == b->nr || !exit || !is_of_probes(b, b->v[exit].to))
		return b->nr;
	return find_way_back(b, exit - 1);
}

size_t last_leave_out_probes(struct pd_branch *v, size_t nr, uint64_t ip,
			     struct path_code *code, uint32_t pid)
{
	struct branches b = { .v = v, .nr = nr, .done = nr, .ip = ip, .code = code, .pid = pid };
	size_t i = leave_out_end(&b), back;

	/* The oldest first. What is left is moved over what is left out. */
	while (i--) {
		struct pd_branch *br = &v[i];

		back = find_replaced(&b, i);
		if (back < nr) {
			i = back;
			continue;
		}
		if (!path_is_kernel(br->from) && is_of_probes(&b, br->to))
			i = straighten(&b, i);
		v[--b.done] = *br;
	}
	memmove(v, v + b.done, (nr - b.done) * sizeof(*v));
	return nr - b.done;
}
