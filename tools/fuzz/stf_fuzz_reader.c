// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a plain trace. Read one by one, many at once, by instructions, and
 * by blocks of them, it is the same trace; and what the writer takes of it, it writes
 * with the same bytes.
 */
#include <fcntl.h>
#include <string.h>

#include "fuzz.h"

/* A pipe takes a whole trace of these without a reader: it is no longer. */
enum { LONGEST = 8192 };

static int pipe_in = -1, pipe_out = -1;

static struct stf_writer *open_copy(bool spec_initiators)
{
	const struct stf_writer_opts opts = {
		.size = sizeof(opts),
		.container = STF_CONTAINER_PLAIN,
		.spec_initiators = spec_initiators,
	};
	struct stf_writer *w;
	char path[32];
	int fds[2];

	if (pipe_in < 0) {
		demand(!pipe2(fds, O_CLOEXEC | O_NONBLOCK), "a pipe can be made");
		pipe_out = fds[0];
		pipe_in = fds[1];
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pipe_in);
	w = stf_writer_open(path, &opts, NULL);
	demand(w, "a pipe can be written");
	return w;
}

static void compare_copy(const uint8_t *data, size_t size)
{
	uint8_t copy[LONGEST + 1];
	size_t n = 0;
	ssize_t got;

	while (n < sizeof(copy) &&
	       (got = read(pipe_out, copy + n, sizeof(copy) - n)) > 0)
		n += (size_t)got;
	demand(n <= size && !memcmp(copy, data, n),
	       "a trace is written as it was read");
}

static void look_at(const struct stf_record *rec)
{
	const char *text;
	uint64_t value, sum = 0;
	unsigned int i;

	demand(stf_desc_name(rec->desc), "what is read is known");
	for (i = 0; i < 700 && stf_record_field(rec, i, &value, &text); i++)
		if (text && value)
			sum += (uint8_t)text[0] + (uint8_t)text[value - 1];
	/* Something has to use what was looked at. */
	__asm__ volatile("" : : "r"(sum));
}

static struct fuzz_end one_by_one(const uint8_t *data, bool spec_initiators)
{
	struct stf_reader *r = fuzz_open(0, spec_initiators);
	struct stf_writer *w;
	struct stf_record rec;
	struct fuzz_end end;
	bool taken = true;
	int more, err;

	if (!r)
		return (struct fuzz_end){ .code = 1 };
	w = open_copy(spec_initiators);
	while ((more = stf_reader_next(r, &rec)) > 0) {
		look_at(&rec);
		if (!taken)
			continue;
		err = stf_write(w, &rec);
		demand(!err == !*stf_writer_error(w), "an error has a text");
		taken = !err;
	}
	demand(stf_reader_next(r, &rec) == more, "an end stays the end");
	end = fuzz_end(r, more);
	stf_reader_close(r);
	err = stf_writer_close(w, NULL);
	/* The pipe is empty again in any case. */
	compare_copy(data, taken && !err ? end.bytes : LONGEST);
	return end;
}

/* What the writer takes of many records is the start of the trace, too. */
static void copy_many(const uint8_t *data, bool spec_initiators)
{
	struct stf_reader *r = fuzz_open(0, spec_initiators);
	struct stf_writer *w = open_copy(spec_initiators);
	struct stf_record recs[7];
	int n, err = 0;

	demand(r, "what was opened opens again");
	while (!err && (n = stf_reader_read(r, recs, 7)) > 0)
		err = stf_write_records(w, recs, (size_t)n);
	stf_reader_close(r);
	stf_writer_close(w, NULL);
	compare_copy(data, LONGEST);
}

static struct fuzz_end many_at_once(struct stf_reader *r)
{
	struct stf_record recs[7];
	struct fuzz_end end;
	int more, i;

	demand(r, "what was opened opens again");
	while ((more = stf_reader_read(r, recs, 7)) > 0)
		for (i = 0; i < more; i++)
			look_at(&recs[i]);
	end = fuzz_end(r, more);
	stf_reader_close(r);
	return end;
}

/* The counts of a group, by its records. A content without an access does not count. */
static void compare_group(struct stf_inst_iter *iter,
			  const struct stf_group *group)
{
	unsigned int mems = 0, regs = 0, traps = 0, comments = 0;
	struct stf_record rec;

	while (stf_inst_iter_record(iter, &rec) > 0) {
		mems += rec.desc == STF_INST_MEM_ACCESS;
		regs += rec.desc == STF_INST_REG;
		traps += rec.desc == STF_EVENT;
		comments += rec.desc == STF_COMMENT;
	}
	demand(group->n_mems == mems && group->n_regs == regs &&
	       group->n_traps == traps && group->n_comments == comments,
	       "a group has what its records say");
}

static uint64_t sum_of(const struct stf_group *group)
{
	uint64_t sum = group->n_regs + group->n_walks;
	uint32_t i, k;

	for (i = 0; i < group->n_mems; i++)
		for (k = 0; k < group->mems[i].n_contents; k++)
			sum += group->mems[i].contents[k];
	for (i = 0; i < group->n_traps; i++)
		for (k = 0; k < group->traps[i].event.n_fields; k++)
			sum += group->traps[i].event.fields[k];
	for (i = 0; i < group->n_comments; i++)
		if (group->comments[i].size)
			sum += (uint8_t)group->comments[i].data[0];
	return sum;
}

/* A page that a walk leads to is found, and holds the address. */
static void map_pages(struct stf_pages *pages, const struct stf_inst *inst,
		      const struct stf_group *group)
{
	uint64_t space = inst->process.pid, va;
	struct stf_page page;
	uint32_t i;
	int leads;

	for (i = 0; i < group->n_walks; i++) {
		va = group->walks[i].va;
		leads = stf_pages_take(pages, space, &group->walks[i]);
		if (leads >= 0)
			demand(stf_pages_find(pages, space, va, &page) == leads,
			       "the map has the last walk");
		if (leads > 0)
			demand(va - page.va < page.size, "a page holds its address");
	}
}

/* Instructions by groups, each with what comes again of it. */
static void by_groups(int end)
{
	struct stf_reader *r = fuzz_open(0, false);
	const struct stf_group *group;
	struct stf_inst_iter *iter;
	struct stf_replay *replay;
	struct stf_branch branch;
	struct stf_pages *pages;
	struct stf_inst inst;
	uint64_t sum;
	int more;

	demand(r, "what was opened opens again");
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	demand(iter, "there is memory");
	replay = stf_replay_new(iter, 3);
	demand(replay, "there is memory");
	pages = stf_pages_new(3);
	demand(pages, "there is memory");
	while ((more = stf_replay_next(replay, &inst, &group)) > 0) {
		sum = sum_of(group);
		compare_group(iter, group);
		map_pages(pages, &inst, group);
		stf_inst_branch(&inst, STF_IEM_RV64, &branch);
		demand(stf_replay_back(replay, inst.index) &&
		       stf_replay_next(replay, &inst, &group) == 1 &&
		       sum_of(group) == sum, "what comes again is the same");
	}
	demand(more == end, "groups end where instructions do");
	stf_pages_free(pages);
	stf_replay_free(replay);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

static void by_instructions(const struct fuzz_end *records)
{
	struct stf_reader *r = fuzz_open(0, false);
	struct stf_inst_iter *iter;
	struct stf_record rec;
	struct stf_inst inst;
	struct fuzz_end end;
	uint64_t n = 0;
	int more;

	demand(r, "what was opened opens again");
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	demand(iter, "there is memory");
	while ((more = stf_inst_iter_next(iter, &inst)) > 0) {
		demand(inst.index == n++ && (inst.size == 2 || inst.size == 4) &&
		       inst.mode <= STF_MODE_UNKNOWN, "an instruction is one");
		rec.desc = 0;
		while ((more = stf_inst_iter_record(iter, &rec)) > 0)
			;
		demand(!more, "a group's records are there");
		demand(rec.desc == STF_INST_16 || rec.desc == STF_INST_32,
		       "a group ends in its opcode");
	}
	end = fuzz_end(r, more);
	/* What makes no groups is refused by instructions alone. */
	demand(more == STF_E_ORDER || (more == STF_E_CUT && !records->code) ||
	       same_end(&end, records), "instructions end where records do");
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	by_groups(more);
}

/* The number of instructions and how the trace ends are those of one by one. */
static void by_blocks(const struct fuzz_end *records)
{
	struct stf_inst insts[5];
	struct stf_inst_access accesses[2];
	struct stf_inst_event events[1];
	struct stf_inst_block block = {
		.size = sizeof(block),
		.insts = insts, .max_insts = 5,
		.accesses = accesses, .max_accesses = 2,
		.events = events, .max_events = 1,
	};
	struct stf_reader *r = fuzz_open(0, false);
	struct stf_inst_iter *iter;
	struct fuzz_end end;
	uint64_t n = 0;
	size_t i;
	int more;

	demand(r, "what was opened opens again");
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	demand(iter, "there is memory");
	while ((more = stf_inst_iter_read(iter, &block)) > 0) {
		demand(block.n_insts <= 5 && block.n_accesses <= 2 &&
		       block.n_events <= 1, "there is room for a block");
		for (i = 0; i < block.n_insts; i++)
			demand(insts[i].index == n++, "instructions come in order");
		for (i = 0; i < block.n_accesses; i++)
			demand(accesses[i].index < n, "an access has an instruction");
		for (i = 0; i < block.n_events; i++)
			demand(events[i].index < n, "an event has an instruction");
	}
	end = fuzz_end(r, more);
	demand(more == STF_E_ORDER || (more == STF_E_CUT && !records->code) ||
	       same_end(&end, records), "blocks end where records do");
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

/* A selection reads what passes, to the same end. */
static void by_selection(const struct fuzz_end *records)
{
	const struct stf_select_opts opts = {
		.size = sizeof(opts),
		.modes = 1 << STF_MODE_UNKNOWN | 1 << STF_MODE_SUPERVISOR,
		.from = { STF_PLACE_EVENT, STF_EVENT_MODE_CHANGE },
		.limit = 2,
	};
	struct stf_select *select = stf_select_new(&opts, NULL);
	struct stf_reader *r = fuzz_open(0, false);
	const struct stf_group *group;
	struct stf_inst_iter *iter;
	struct fuzz_end end;
	struct stf_inst inst;
	uint64_t n = 0;
	int more;

	demand(r, "what was opened opens again");
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	demand(select && iter, "there is memory");
	while ((more = stf_select_next(select, iter, &inst, &group)) > 0) {
		demand(opts.modes >> inst.mode & 1, "what is selected passes");
		demand(++n <= 2 * stf_select_window(select), "windows have a limit");
	}
	end = fuzz_end(r, more);
	demand(more == STF_E_ORDER || (more == STF_E_CUT && !records->code) ||
	       same_end(&end, records), "a selection ends where records do");
	stf_select_free(select);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

static int64_t count_bytes(void *user, const void *data, size_t n)
{
	(void)data;
	*(uint64_t *)user += n;
	return (int64_t)n;
}

static struct stf_writer *open_count(uint64_t *bytes)
{
	static const char *const comments[] = { "a copy", NULL };
	const struct stf_write_calls calls = { .size = sizeof(calls), .user = bytes,
					       .write = count_bytes };
	const struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
					.generator = STF_GEN_QEMU,
					.protocol = STF_PROTOCOL_TILELINK };
	struct stf_writer *w = stf_writer_open_calls(&calls, NULL, NULL);

	demand(w && !stf_write_header(w, &hdr), "a header can be written");
	return w;
}

/* Transactions with their groups, which the writer takes. */
static void by_transactions(const struct fuzz_end *records)
{
	struct stf_transaction_group group = { .size = sizeof(group) };
	struct stf_reader *r = fuzz_open(0, false);
	struct stf_transaction_iter *iter;
	uint64_t n = 0, bytes = 0;
	struct stf_writer *w = open_count(&bytes);
	struct fuzz_end end;
	int more;

	demand(r, "what was opened opens again");
	iter = stf_transaction_iter_new(r);
	demand(iter, "there is memory");
	while ((more = stf_transaction_iter_next(iter, &group)) > 0) {
		demand(group.index == n++, "transactions come in order");
		demand(!stf_write_transaction(w, &group), "what was read is written");
	}
	end = fuzz_end(r, more);
	demand(more == STF_E_ORDER || (more == STF_E_CUT && !records->code) ||
	       same_end(&end, records), "transactions end where records do");
	demand(!stf_writer_close(w, NULL) && bytes, "the copy is complete");
	stf_transaction_iter_free(iter);
	stf_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool spec_initiators = size && data[size - 1] & 1;
	struct fuzz_stream stream = { data, size };
	struct fuzz_end end, other;

	if (size > LONGEST)
		return -1;
	/* Containers have a target of their own. */
	if (size && *data != STF_IDENTIFIER)
		return -1;
	fuzz_file(data, size);
	end = one_by_one(data, spec_initiators);
	if (end.code > 0)
		return 0;
	copy_many(data, spec_initiators);
	other = many_at_once(fuzz_open(0, spec_initiators));
	demand(same_end(&end, &other), "many records are what one by one are");
	other = many_at_once(fuzz_open_memory(data, size, spec_initiators));
	demand(same_end(&end, &other), "memory reads as a file does");
	other = many_at_once(fuzz_open_stream(&stream, spec_initiators));
	demand(same_end(&end, &other), "a stream reads as a file does");
	if (!spec_initiators) {
		by_instructions(&end);
		by_blocks(&end);
		by_selection(&end);
		by_transactions(&end);
	}
	return 0;
}
