// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/functions.h"
#include "base/array.h"
#include "riscv/rv_insn.h"
#include "stf/stf_process.h"

#include <stdlib.h>
#include <string.h>

static bool is(const struct tstat_function *f, const struct names_at *at)
{
	return f->name == at->function && f->file == at->file &&
	       (!f->name || f->offset == at->function_offset);
}

/* Sets the last function to this one. False: out of memory. */
static bool find(struct tstat_functions *f, const struct names_at *at)
{
	const uint64_t offset = at->function ? at->function_offset : 0;
	const uint32_t hash = hash_u64(offset ^ (uintptr_t)at->file << 8);
	bool full = f->nr == TSTAT_MAX_FUNCTIONS;
	struct hash_slot *slot;

	if (!full && !hash_room(&f->by_place))
		return false;
	hash_for_each(&f->by_place, slot, hash) {
		f->last = &f->v[slot->number - 1];
		if (is(f->last, at))
			return true;
	}
	f->last = &f->further;
	if (full)
		return true;
	f->last = &f->v[f->nr];
	*f->last = (struct tstat_function){ .name = at->function, .file = at->file,
					    .offset = offset };
	hash_put(&f->by_place, slot, hash, f->nr++);
	return true;
}

/* All at once, so that pointers to functions stay valid. */
static bool start(struct tstat_functions *f)
{
	f->v = calloc(TSTAT_MAX_FUNCTIONS, sizeof(*f->v));
	f->known = calloc(TSTAT_KNOWN_PCS, sizeof(*f->known));
	return f->v && f->known;
}

void tstat_functions_forget(struct tstat_functions *f)
{
	f->at.start = f->at.end = 0;
	if (f->known)
		memset(f->known, 0, TSTAT_KNOWN_PCS * sizeof(*f->known));
}

/* Whether an instruction is the first of its function. */
static bool starts(const struct names_at *at, uint64_t pc)
{
	return at->function && pc == at->function_start;
}

/* Code without an end, as the kernel's, is looked up once for each address. */
static bool look_up(struct tstat_functions *f, struct names *names, uint64_t pc,
		    uint32_t pid, bool *first)
{
	const uint32_t hash = hash_u64(pc ^ (uint64_t)pid << 40);
	struct tstat_known_pc *known = &f->known[hash % TSTAT_KNOWN_PCS];

	if (known->number && known->pc == pc && known->pid == pid) {
		f->at.start = f->at.end = 0;
		f->last = &f->v[known->number / 2 - 1];
		*first = known->number & 1;
		return true;
	}
	if (!names_find(names, pid, pc, &f->at) || !find(f, &f->at))
		return false;
	f->pid = pid;
	*first = starts(&f->at, pc);
	if (f->last != &f->further)
		*known = (struct tstat_known_pc){
			pc, pid, 2 * (uint32_t)(f->last - f->v + 1) + *first };
	return true;
}

static bool is_call(unsigned int xfer)
{
	return xfer == RV_XFER_IND_CALL || xfer == RV_XFER_DIR_CALL ||
	       xfer == RV_XFER_IND_LINK || xfer == RV_XFER_DIR_LINK ||
	       xfer == RV_XFER_CO_SWAP;
}

/* What the thread itself ran before is not known then. */
static bool changes_thread(const struct tstat_functions *f, const struct stf_inst *inst)
{
	return inst->flags & STF_INST_F_PROCESS &&
	       !stf_same_process(&f->process, &inst->process);
}

bool tstat_functions_count(struct tstat_functions *f, struct names *names,
			   const struct stf_inst *inst, unsigned int xfer,
			   bool executed)
{
	const struct tstat_function *before = f->last;
	const uint64_t pc = inst->pc;
	const uint32_t pid = inst->process.pid;
	bool first, enters;

	if (!f->v && !start(f))
		return false;
	if (pc - f->at.start < f->at.end - f->at.start && pid == f->pid)
		first = starts(&f->at, pc);
	else if (!look_up(f, names, pc, pid, &first))
		return false;
	f->last->instructions += executed;
	enters = first && (f->last != before || f->called ||
			   inst->flags & STF_INST_F_GAP || changes_thread(f, inst));
	f->process = inst->process;
	f->last->entries += executed && enters;
	f->called = executed ? is_call(xfer) : enters;
	return true;
}

static int by_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int busier(const void *a, const void *b)
{
	const struct tstat_function *one = a, *other = b;
	int order = array_order(b, a);

	if (!order)
		order = by_text(one->file, other->file);
	if (!order)
		order = by_text(one->name, other->name);
	return order ? order : (one->offset > other->offset) -
				       (one->offset < other->offset);
}

void tstat_functions_sort(struct tstat_functions *f)
{
	if (f->nr)
		qsort(f->v, f->nr, sizeof(*f->v), busier);
	while (f->nr && !f->v[f->nr - 1].instructions)
		f->nr--;
}

void tstat_functions_free(struct tstat_functions *f)
{
	hash_free(&f->by_place);
	free(f->v);
	free(f->known);
}
