// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/branches.h"
#include "base/array.h"
#include "riscv/rv_insn.h"
#include "stf/stf_process.h"

#include <stdlib.h>
#include <string.h>

enum {
	GSHARE_SIZE = 1 << TSTAT_GSHARE_BITS,
	WEAKLY_NOT_TAKEN = 1,
	WEAKLY_TAKEN = 2,
	STRONGLY_TAKEN = 3,
};

/* Returns whether the 2-bit counter was wrong. */
static bool train(uint8_t *counter, bool taken)
{
	bool wrong = taken != (*counter >= WEAKLY_TAKEN);

	if (taken && *counter < STRONGLY_TAKEN)
		++*counter;
	else if (!taken && *counter)
		--*counter;
	return wrong;
}

static bool train_gshare(struct tstat_branches *b, uint64_t pc, bool taken)
{
	uint8_t *counter =
		&b->gshare[((pc >> 1) ^ b->history) & (GSHARE_SIZE - 1)];

	b->history = (b->history << 1 | taken) & (GSHARE_SIZE - 1);
	return train(counter, taken);
}

static bool start_gshare(struct tstat_branches *b)
{
	b->gshare = malloc(GSHARE_SIZE);
	if (b->gshare)
		memset(b->gshare, WEAKLY_NOT_TAKEN, GSHARE_SIZE);
	return b->gshare;
}

/* False: out of memory. *branch is NULL if there is no place for one more. */
static bool find(struct tstat_branches *b, struct tstat_branch **branch,
		 uint64_t pc, uint32_t pid)
{
	const uint32_t hash = hash_u64(pc ^ (uint64_t)pid << 40);
	bool full = b->nr == TSTAT_MAX_BRANCHES;
	struct hash_slot *slot;

	*branch = NULL;
	if (!full && (!hash_room(&b->by_pc) ||
		      !array_room(&b->v, b->nr, &b->cap, sizeof(*b->v))))
		return false;
	hash_for_each(&b->by_pc, slot, hash) {
		*branch = &b->v[slot->number - 1];
		if ((*branch)->pc == pc && (*branch)->pid == pid)
			return true;
	}
	*branch = NULL;
	if (full)
		return true;
	hash_put(&b->by_pc, slot, hash, b->nr);
	*branch = &b->v[b->nr++];
	**branch = (struct tstat_branch){ .pc = pc, .pid = pid,
					  .counter = WEAKLY_NOT_TAKEN };
	return true;
}

static void add(struct tstat_predicted *n, bool taken, bool wrong_counter,
		bool wrong_gshare)
{
	n->ran++;
	n->taken += taken;
	n->wrong_counter += wrong_counter;
	n->wrong_gshare += wrong_gshare;
}

/*
 * Returns the counts for what the branch before did, or NULL if this is not known. After
 * this, the branch before is this one.
 */
static struct tstat_outcomes *after(struct tstat_branches *b,
				    struct tstat_branch *branch,
				    const struct stf_inst *inst)
{
	bool known = b->has_before && stf_same_process(&b->before, &inst->process);

	b->has_before = true;
	b->before = inst->process;
	return known && branch ? &branch->after[b->history & 1] : NULL;
}

static bool count_conditional(struct tstat_branches *b,
			      const struct stf_inst *inst, bool taken)
{
	struct tstat_outcomes *outcomes;
	struct tstat_branch *branch;
	bool counter, gshare;

	if ((!b->gshare && !start_gshare(b)) ||
	    !find(b, &branch, inst->pc, inst->process.pid))
		return false;
	outcomes = after(b, branch, inst);
	if (outcomes) {
		outcomes->ran++;
		outcomes->taken += taken;
	}
	gshare = train_gshare(b, inst->pc, taken);
	if (!branch) {
		b->further++;
		return true;
	}
	counter = train(&branch->counter, taken);
	add(&branch->n, taken, counter, gshare);
	add(&b->all, taken, counter, gshare);
	return true;
}

/* A trap return that executed leads where an EVENT_PC_TARGET says, too (stf.h). */
static bool leads_to_a_target(const struct stf_inst *inst, unsigned int xfer)
{
	return inst->flags & STF_INST_F_TAKEN ||
	       (xfer == RV_XFER_TRAP_RETURN && inst->flags & STF_INST_F_EVENT_TARGET);
}

bool tstat_branches_count(struct tstat_branches *b, const struct stf_inst *inst,
			  unsigned int xfer, bool executed)
{
	bool taken = leads_to_a_target(inst, xfer);

	if (!executed) {
		b->interrupted += xfer == RV_XFER_BRANCH;
		return true;
	}
	b->kinds[xfer]++;
	b->taken[xfer] += taken;
	return xfer != RV_XFER_BRANCH || count_conditional(b, inst, taken);
}

static uint64_t rarer(uint64_t taken, uint64_t ran)
{
	return taken < ran - taken ? taken : ran - taken;
}

uint64_t tstat_branch_wrong(const struct tstat_branch *branch, bool knows)
{
	const struct tstat_outcomes *after = branch->after;

	if (!knows)
		return rarer(after[0].taken + after[1].taken,
			     after[0].ran + after[1].ran);
	return rarer(after[0].taken, after[0].ran) +
	       rarer(after[1].taken, after[1].ran);
}

static int descending(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int harder(const void *a, const void *b)
{
	const struct tstat_branch *one = a, *other = b;
	int order = descending(one->n.wrong_gshare, other->n.wrong_gshare);

	if (!order)
		order = descending(one->n.wrong_counter, other->n.wrong_counter);
	if (!order)
		order = descending(other->pc, one->pc);
	return order ? order : descending(other->pid, one->pid);
}

void tstat_branches_sort(struct tstat_branches *b)
{
	if (b->nr)
		qsort(b->v, b->nr, sizeof(*b->v), harder);
}

void tstat_branches_free(struct tstat_branches *b)
{
	hash_free(&b->by_pc);
	free(b->v);
	free(b->gshare);
}
