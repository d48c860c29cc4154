// SPDX-License-Identifier: GPL-2.0-only
#include "stats/stats.h"
#include "base/array.h"
#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"
#include "stats/executed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So that memory stays small whatever a trace says: 24 MiB for 4 GiB of pages. */
enum { MOST_PAGES = 1 << 20 };

/* The instruction at work, and what its trace says of all. */
struct traced {
	struct stf_inst inst;
	unsigned int rv_flags;
	bool mem_bits;
};

/* False: out of memory. */
static bool add(struct stats_set *set, uint64_t number, size_t most)
{
	const uint32_t hash = hash_u64(number);
	struct hash_slot *slot;

	if (set->nr < most && !hash_room(&set->by_number))
		return false;
	hash_for_each(&set->by_number, slot, hash)
		if (set->v[slot->number - 1] == number)
			return true;
	if (set->nr >= most) {
		set->full = true;
		return true;
	}
	if (!array_room(&set->v, set->nr, &set->cap, sizeof(*set->v)))
		return false;
	hash_put(&set->by_number, slot, hash, set->nr);
	set->v[set->nr++] = number;
	return true;
}

static bool add_pages(struct stats_pages *pages, uint64_t first, uint64_t last)
{
	pages->last = last + 1;
	return add(&pages->set, first, MOST_PAGES) &&
	       (first == last || add(&pages->set, last, MOST_PAGES));
}

/* The size bytes at address, all of them on one or two pages. */
static inline bool touch(struct stats_pages *pages, uint64_t address,
			 unsigned int size)
{
	uint64_t first = address >> STATS_PAGE_SHIFT;
	uint64_t last = (address + (size ? size - 1 : 0)) >> STATS_PAGE_SHIFT;

	return (first == last && pages->last == first + 1) ||
	       add_pages(pages, first, last);
}

static bool add_thread(struct stats *stats, const struct stf_process *process)
{
	return add(&stats->pids, process->pid, SIZE_MAX) &&
	       add(&stats->tids, (uint64_t)process->pid << 32 | process->tid,
		   SIZE_MAX);
}

static void count_event(struct stats *stats, const struct stf_event *event)
{
	bool mode_change = event->id == STF_EVENT_MODE_CHANGE &&
			   event->n_fields == 1;
	uint64_t mode = mode_change ? event->fields[0] : STF_MODE_UNKNOWN;
	unsigned int i;

	for (i = 0; i < stats->n_events; i++)
		if (stats->events[i].id == event->id &&
		    stats->events[i].mode == mode)
			break;
	if (i == STATS_MAX_EVENTS) {
		stats->other_events++;
		return;
	}
	if (i == stats->n_events)
		stats->events[stats->n_events++] =
			(struct stats_event){ event->id, mode, 0 };
	stats->events[i].count++;
}

/* Where sizes are in bits, those that are the instruction's in bytes are not. */
unsigned int stats_access_bytes(const struct stf_mem_access *access,
				const struct stf_inst *inst,
				unsigned int rv_flags, bool mem_bits)
{
	if (mem_bits && access->size >= 8 &&
	    access->size != rv_mem_of(inst->opcode, inst->size, rv_flags).bytes)
		return access->size / 8;
	return access->size;
}

static bool count_access(struct stats *stats, const struct stf_mem_access *access,
			 const struct traced *in)
{
	struct stats_accesses *count = access->access == STF_ACCESS_WRITE ?
					       &stats->writes : &stats->reads;
	unsigned int bytes = access->size;

	if (in)
		bytes = stats_access_bytes(access, &in->inst, in->rv_flags,
					   in->mem_bits);
	count->count++;
	count->bytes += bytes;
	return touch(&stats->data, access->address, bytes);
}

/* in: NULL: it is in no instruction's group. */
static bool count_record(struct stats *stats, const struct stf_record *rec,
			 const struct traced *in)
{
	stats->records[rec->desc]++;
	if (rec->desc == STF_COMMENT)
		return origin_take(&stats->origin, rec->text.data,
				   rec->text.size) >= 0;
	if (rec->desc == STF_INST_MEM_ACCESS)
		return count_access(stats, &rec->mem_access, in);
	if (rec->desc == STF_EVENT)
		count_event(stats, &rec->event);
	return true;
}

int stats_record(struct stats *stats, const struct stf_record *rec,
		 struct error *error)
{
	return count_record(stats, rec, NULL) ? 0 : error_nomem(error);
}

static bool count_inst(struct stats *stats, const struct traced *in,
		       struct stf_inst_iter *iter)
{
	const struct stf_inst *inst = &in->inst;
	struct stf_record rec;

	stats->classes[rv_class(inst->opcode, in->rv_flags)]++;
	stats->taken += !!(inst->flags & STF_INST_F_TAKEN);
	stats->gaps += !!(inst->flags & STF_INST_F_GAP);
	stats->size16 += inst->size == 2;
	stats->interrupted += stats_interrupted(iter, inst, in->rv_flags);
	if (!touch(&stats->code, inst->pc, inst->size))
		return false;
	if ((!inst->index || inst->flags & STF_INST_F_PROCESS) &&
	    !add_thread(stats, &inst->process))
		return false;
	if (!inst->flags) {
		stats->records[inst->size == 2 ? STF_INST_16 : STF_INST_32]++;
		return true;
	}
	while (stf_inst_iter_record(iter, &rec) > 0)
		if (!count_record(stats, &rec, in))
			return false;
	return true;
}

static int failed(struct stf_reader *reader, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s", stf_reader_error(reader));
}

static int count_insts(struct stats *stats, struct stf_reader *reader,
		       struct error *error)
{
	struct stf_inst_iter *iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	const struct stf_params *params = stf_reader_params(reader);
	struct traced in = { .rv_flags = stats_rv_flags(params),
			     .mem_bits = params->mem_bits };
	struct stf_record rec;
	bool ok = iter;
	int more = 1;

	while (ok && (more = stf_inst_iter_next(iter, &in.inst)) > 0)
		ok = count_inst(stats, &in, iter);
	while (ok && !more && stf_inst_iter_record(iter, &rec) > 0)
		ok = count_record(stats, &rec, NULL);
	stf_inst_iter_free(iter);
	if (!ok)
		return error_nomem(error);
	return more < 0 ? failed(reader, error) : 0;
}

static int count_transactions(struct stats *stats, struct stf_reader *reader,
			      struct error *error)
{
	struct stf_record rec;
	int more;

	while ((more = stf_reader_next(reader, &rec)) > 0)
		if (!count_record(stats, &rec, NULL))
			return error_nomem(error);
	return more < 0 ? failed(reader, error) : 0;
}

int stats_read(struct stats *stats, struct stf_reader *reader,
	       struct error *error)
{
	int ret = stf_reader_params(reader)->protocol ?
			  count_transactions(stats, reader, error) :
			  count_insts(stats, reader, error);

	stats->file.size = sizeof(stats->file);
	stf_reader_stats(reader, &stats->file);
	return ret;
}

static void free_set(struct stats_set *set)
{
	hash_free(&set->by_number);
	free(set->v);
}

void stats_free(struct stats *stats)
{
	origin_free(&stats->origin);
	free_set(&stats->data.set);
	free_set(&stats->code.set);
	free_set(&stats->pids);
	free_set(&stats->tids);
}
