// SPDX-License-Identifier: GPL-2.0-only
/* Instructions in blocks, with their accesses and events. */
#include <stdlib.h>

#include "stf-build.h"
#include "stf/stf.h"

enum { NOP = 0x13, LOAD = 0x00053503, C_NOP = 1, N = 600 };

static struct bytes in;
static struct stf_reader *reader;
static struct stf_inst_iter *iter;
static struct stf_inst insts[N];
static struct stf_inst_access accesses[N];
static struct stf_inst_event events[N];
static struct stf_inst_block block;

static void open_sized(size_t inst_size)
{
	struct stf_error err;

	reader = stf_reader_open_memory(in.v, in.n, NULL, &err);
	if (!reader)
		test_fail(__FILE__, __LINE__, "%s", err.text);
	iter = stf_inst_iter_new(reader, inst_size);
	CHECK(iter);
}

static void open_in(void)
{
	open_sized(sizeof(struct stf_inst));
}

static void close_in(void)
{
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

/* Room for so many; 0 accesses or events: they are not wanted. */
static int read_block(size_t n_insts, size_t n_accesses, size_t n_events)
{
	block = (struct stf_inst_block){
		.size = sizeof(block),
		.insts = insts,
		.max_insts = n_insts,
		.accesses = n_accesses ? accesses : NULL,
		.max_accesses = n_accesses,
		.events = n_events ? events : NULL,
		.max_events = n_events,
	};
	return stf_inst_iter_read(iter, &block);
}

static void b_content(uint64_t content)
{
	b8(&in, 61);
	b64(&in, content);
}

static void b_counted_event(uint64_t id, unsigned int n_fields)
{
	unsigned int i;

	b8(&in, 100);
	b64(&in, id);
	b8(&in, n_fields);
	for (i = 0; i < n_fields; i++)
		b64(&in, 0x100 + i);
}

static void b_inst(uint32_t opcode)
{
	if ((opcode & 3) == 3) {
		b8(&in, 240);
		b32(&in, opcode);
	} else {
		b8(&in, 241);
		b16(&in, opcode);
	}
}

/* A nop, a load, a nop with six fields in its event, an atomic one, a nop. */
static void b_five(void)
{
	b_header(&in, 0x80020);
	b_inst(NOP);
	b_access(&in, 0x2000, 8, 0x5a, 1);
	b_content(0x1122);
	b_inst(LOAD);
	b_counted_event(2, 6);
	b_inst(C_NOP);
	b_access(&in, 0x3000, 4, 0x5a, 1);
	b_content(7);
	b_access(&in, 0x3000, 4, 0x5a, 2);
	b_inst(0x00b5262f);
	b_inst(C_NOP);
}

TEST(a_block_has_instructions_accesses_and_events)
{
	b_five();
	open_in();
	CHECK_EQ(read_block(N, N, N), 1);
	CHECK_EQ(block.n_insts, 5);
	CHECK_EQ(insts[0].pc, START_PC);
	CHECK_EQ(insts[1].opcode, LOAD);
	CHECK_EQ(insts[4].index, 4);
	CHECK_EQ(insts[4].pc, START_PC + 4 + 4 + 2 + 4);
	CHECK_EQ(block.n_accesses, 3);
	CHECK_EQ(accesses[0].index, 1);
	CHECK_EQ(accesses[0].address, 0x2000);
	CHECK_EQ(accesses[0].size, 8);
	CHECK_EQ(accesses[0].attributes, 0x5a);
	CHECK_EQ(accesses[0].access, STF_ACCESS_READ);
	CHECK(accesses[0].has_content);
	CHECK_EQ(accesses[0].content, 0x1122);
	CHECK_EQ(accesses[2].index, 3);
	CHECK_EQ(accesses[2].access, STF_ACCESS_WRITE);
	CHECK(!accesses[2].has_content);
	CHECK_EQ(accesses[2].content, 0);
	CHECK_EQ(block.n_events, 1);
	CHECK_EQ(events[0].index, 2);
	CHECK_EQ(events[0].id, STF_FAULT_ILLEGAL_INST);
	CHECK_EQ(events[0].n_fields, 6);
	CHECK_EQ(events[0].fields[0], 0x100);
	CHECK_EQ(events[0].fields[3], 0x103);
	CHECK_EQ(read_block(N, N, N), 0);
	CHECK_EQ(read_block(N, N, N), 0);
	close_in();
}

TEST(what_is_not_wanted_does_not_fill_a_block)
{
	b_five();
	open_in();
	CHECK_EQ(read_block(N, 0, 0), 1);
	CHECK_EQ(block.n_insts, 5);
	CHECK_EQ(block.n_accesses, 0);
	CHECK_EQ(block.n_events, 0);
	close_in();
}

TEST(a_full_array_ends_a_block_and_the_next_one_goes_on)
{
	b_five();
	open_in();
	CHECK_EQ(read_block(N, 2, N), 1);
	CHECK_EQ(block.n_insts, 4);
	CHECK_EQ(block.n_accesses, 2);
	CHECK_EQ(read_block(N, 2, N), 1);
	CHECK_EQ(block.n_insts, 1);
	CHECK_EQ(block.n_accesses, 1);
	CHECK_EQ(accesses[0].index, 3);
	CHECK_EQ(accesses[0].access, STF_ACCESS_WRITE);
	CHECK_EQ(read_block(N, 2, N), 0);
	close_in();
}

TEST(no_instructions_asks_for_the_rest_of_the_last_one)
{
	b_five();
	open_in();
	CHECK_EQ(read_block(0, 1, 0), 0);
	CHECK_EQ(read_block(N, 1, 0), 1);
	CHECK_EQ(block.n_insts, 4);
	CHECK_EQ(read_block(0, 1, 0), 1);
	CHECK_EQ(block.n_insts, 0);
	CHECK_EQ(block.n_accesses, 1);
	CHECK_EQ(accesses[0].access, STF_ACCESS_READ);
	CHECK_EQ(read_block(0, 1, 0), 1);
	CHECK_EQ(accesses[0].access, STF_ACCESS_WRITE);
	CHECK_EQ(read_block(0, 1, 0), 0);
	CHECK_EQ(read_block(N, 1, 0), 1);
	CHECK_EQ(block.n_insts, 1);
	CHECK_EQ(block.n_accesses, 0);
	close_in();
}

/* The array is full with the last access before a fault: nothing is owed. */
TEST(after_a_fault_nothing_is_owed)
{
	b_five();
	b8(&in, 33);
	open_in();
	CHECK_EQ(read_block(N, 3, 0), 1);
	CHECK_EQ(block.n_insts, 5);
	CHECK_EQ(block.n_accesses, 3);
	CHECK_EQ(read_block(0, 3, 0), 0);
	CHECK(read_block(N, 3, 0) < 0);
	close_in();
}

TEST(after_a_read_that_was_cut_short_others_begin_anew)
{
	b_five();
	open_in();
	CHECK_EQ(read_block(N, 2, 0), 1);
	CHECK_EQ(stf_inst_iter_next(iter, insts), 1);
	CHECK_EQ(insts[0].index, 4);
	CHECK_EQ(read_block(N, 2, 0), 0);
	close_in();

	open_in();
	CHECK_EQ(read_block(N, 2, 0), 1);
	CHECK_EQ(stf_inst_iter_seek(iter, 4), 1);
	CHECK_EQ(read_block(N, 2, 0), 1);
	CHECK_EQ(block.n_insts, 1);
	CHECK_EQ(block.n_accesses, 0);
	close_in();
}

/* It was built with a newer header, in which the structure is longer. */
TEST(elements_have_the_size_of_the_program)
{
	struct longer {
		struct stf_inst inst;
		uint64_t more;
	} longer[5];
	unsigned int i;

	memset(longer, 0x55, sizeof(longer));
	b_five();
	open_sized(sizeof(longer[0]));
	block = (struct stf_inst_block){ .size = sizeof(block),
					 .insts = &longer[0].inst,
					 .max_insts = 5 };
	CHECK_EQ(stf_inst_iter_read(iter, &block), 1);
	for (i = 0; i < 5; i++) {
		CHECK_EQ(longer[i].inst.index, i);
		CHECK_EQ(longer[i].more, 0x5555555555555555);
	}
	close_in();
}

TEST(bad_arguments_are_refused)
{
	b_five();
	open_in();
	CHECK_EQ(stf_inst_iter_read(iter, NULL), STF_E_INVAL);
	block = (struct stf_inst_block){ .size = sizeof(block), .max_insts = 1 };
	CHECK_EQ(stf_inst_iter_read(iter, &block), STF_E_INVAL);
	block = (struct stf_inst_block){ .size = sizeof(block) - 1 };
	CHECK_EQ(stf_inst_iter_read(iter, &block), STF_E_INVAL);
	CHECK(strstr(stf_reader_error(reader), "stf_inst_iter_read"));
	block = (struct stf_inst_block){ .size = sizeof(block),
					 .accesses = accesses };
	CHECK_EQ(stf_inst_iter_read(iter, &block), STF_E_INVAL);
	block = (struct stf_inst_block){ .size = sizeof(block),
					 .events = events };
	CHECK_EQ(stf_inst_iter_read(iter, &block), STF_E_INVAL);
	/* The iterator goes on. */
	CHECK_EQ(read_block(N, N, N), 1);
	CHECK_EQ(block.n_insts, 5);
	close_in();
}

/* ----------------------------------------------------------- a selection in blocks */

/* Like read_block(), of what is selected. */
static int read_selected(struct stf_select *select, size_t n_insts, size_t n_accesses)
{
	block = (struct stf_inst_block){
		.size = sizeof(block),
		.insts = insts,
		.max_insts = n_insts,
		.accesses = accesses,
		.max_accesses = n_accesses,
	};
	return stf_select_read(select, iter, &block);
}

static struct stf_select *select_pcs(uint64_t start, uint64_t size, uint64_t limit)
{
	const struct stf_pc_range range = { start, size };
	const struct stf_select_opts opts = { .size = sizeof(opts), .ranges = &range,
					      .n_ranges = 1, .limit = limit };
	struct stf_select *select = stf_select_new(&opts, NULL);

	CHECK(select);
	return select;
}

TEST(a_block_has_only_what_is_selected)
{
	struct stf_select *select;

	b_five();
	open_in();
	CHECK_EQ(read_block(2, 0, 0), 1);
	select = select_pcs(insts[1].pc, 4, 0);
	close_in();
	open_in();
	CHECK_EQ(read_selected(select, N, N), 1);
	CHECK_EQ(block.n_insts, 1);
	CHECK_EQ(insts[0].index, 1);
	CHECK_EQ(block.n_accesses, 1);
	CHECK_EQ(accesses[0].index, 1);
	CHECK_EQ(accesses[0].content, 0x1122);
	CHECK_EQ(read_selected(select, N, N), 0);
	stf_select_free(select);
	close_in();
}

TEST(what_has_no_room_comes_in_the_next_block_of_a_selection)
{
	struct stf_select *select = select_pcs(0, UINT64_MAX, 2);
	unsigned int i;

	in.n = 0;
	b_header(&in, 0x80020);
	for (i = 0; i < 3; i++) {
		b_access(&in, 0x2000 + i, 8, 0, 1);
		b_access(&in, 0x3000 + i, 8, 0, 1);
		b_inst(LOAD);
	}
	open_in();
	CHECK_EQ(read_selected(select, N, 3), 1);
	CHECK_EQ(block.n_insts, 2);
	CHECK_EQ(block.n_accesses, 3);
	/* The window has ended, but its last instruction has one more access. */
	CHECK_EQ(read_selected(select, N, 3), 1);
	CHECK_EQ(block.n_insts, 0);
	CHECK_EQ(block.n_accesses, 1);
	CHECK_EQ(accesses[0].address, 0x3001);
	CHECK_EQ(accesses[0].index, 1);
	CHECK_EQ(read_selected(select, N, 3), 0);
	stf_select_free(select);
	close_in();
}

TEST(errors_name_the_function_that_was_called)
{
	struct stf_select *select = select_pcs(0, 1, 0);

	b_five();
	open_in();
	CHECK_EQ(stf_select_read(select, iter, NULL), STF_E_INVAL);
	CHECK(strstr(stf_reader_error(reader), "stf_select_read"));
	stf_select_free(select);
	close_in();
}

/* ------------------------------------------------------- one by one, and in blocks */

static void random_trace(void)
{
	unsigned int i, j, n = 1 + test_random() % 500;

	b_header(&in, 0x80020);
	for (i = 0; i < n; i++) {
		for (j = test_random() % 4; test_random() % 2 && j; j--) {
			b_access(&in, test_random(), test_random() % 9, 0x5a, 1 + test_random() % 2);
			if (test_random() % 8)
				b_content(test_random());
		}
		for (j = test_random() % 3; test_random() % 4 == 0 && j; j--)
			b_counted_event(test_random() % 3 ? test_random() % 16 :
						    0x4000000000000000,
				test_random() % 7);
		b_inst(test_random() % 2 ? NOP : C_NOP);
	}
}

/* All of a trace. The members that hold padding are compared by their numbers. */
struct all {
	uint64_t sum;
	size_t n_insts, n_accesses, n_events;
	int end;
};

static void add(struct all *all, uint64_t value)
{
	all->sum = (all->sum ^ value) * 0x100000001b3;
}

static void add_inst(struct all *all, const struct stf_inst *inst)
{
	all->n_insts++;
	add(all, inst->index);
	add(all, inst->pc);
	add(all, inst->next_pc);
	add(all, inst->opcode);
	add(all, inst->flags * 64u + inst->mode * 8u + inst->size);
}

static void add_access(struct all *all, const struct stf_inst_access *access)
{
	all->n_accesses++;
	add(all, access->index);
	add(all, access->address);
	add(all, access->size * 8u + access->access);
	add(all, access->content + access->has_content);
}

static void add_event(struct all *all, const struct stf_inst_event *event)
{
	unsigned int i;

	all->n_events++;
	add(all, event->index);
	add(all, event->id);
	add(all, event->n_fields);
	for (i = 0; i < 4; i++)
		add(all, event->fields[i]);
}

/* What stf_inst_iter_next() and stf_inst_iter_record() say of it, in three sums. */
static void one_by_one(struct all all[3])
{
	struct stf_inst_access access = { 0 };
	struct stf_inst_event event;
	struct stf_record rec;
	struct stf_inst inst;
	bool pending = false;
	unsigned int i;

	memset(all, 0, 3 * sizeof(*all));
	open_in();
	while ((all->end = stf_inst_iter_next(iter, &inst)) > 0) {
		add_inst(&all[0], &inst);
		while (stf_inst_iter_record(iter, &rec) > 0) {
			if (pending && rec.desc == STF_INST_MEM_CONTENT) {
				access.content = rec.content;
				access.has_content = true;
			}
			if (pending)
				add_access(&all[1], &access);
			pending = rec.desc == STF_INST_MEM_ACCESS;
			access = (struct stf_inst_access){
				.index = inst.index,
				.address = rec.mem_access.address,
				.size = rec.mem_access.size,
				.access = rec.mem_access.access,
			};
			if (rec.desc != STF_EVENT)
				continue;
			event = (struct stf_inst_event){ .index = inst.index,
							 .id = rec.event.id,
							 .n_fields = rec.event.n_fields };
			for (i = 0; i < 4 && i < rec.event.n_fields; i++)
				event.fields[i] = rec.event.fields[i];
			add_event(&all[2], &event);
		}
	}
	close_in();
}

/* The same in blocks of any size. */
static void in_blocks(struct all all[3])
{
	size_t i;

	memset(all, 0, 3 * sizeof(*all));
	open_in();
	while ((all->end = read_block(1 + test_random() % 40, 1 + test_random() % 20,
				      1 + test_random() % 5)) > 0) {
		for (i = 0; i < block.n_insts; i++)
			add_inst(&all[0], &insts[i]);
		for (i = 0; i < block.n_accesses; i++)
			add_access(&all[1], &accesses[i]);
		for (i = 0; i < block.n_events; i++)
			add_event(&all[2], &events[i]);
	}
	/* An error stays; at the end there is no more. */
	CHECK_EQ(read_block(1, 1, 1), all->end);
	close_in();
}

static void same_both_ways(void)
{
	struct all one[3], blocks[3];
	unsigned int i;

	one_by_one(one);
	in_blocks(blocks);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(blocks[i].end, one[i].end);
		CHECK_EQ(blocks[i].n_insts, one[i].n_insts);
		CHECK_EQ(blocks[i].n_accesses, one[i].n_accesses);
		CHECK_EQ(blocks[i].n_events, one[i].n_events);
		CHECK_EQ(blocks[i].sum, one[i].sum);
	}
}

TEST(blocks_are_what_one_by_one_is)
{
	unsigned int i;

	for (i = 0; i < 200; i++) {
		in.n = 0;
		random_trace();
		same_both_ways();
	}
}

TEST(a_trace_that_is_cut_anywhere_gives_the_same_in_blocks)
{
	size_t n;

	b_five();
	for (n = in.n; n > 20; n--) {
		in.n = n;
		same_both_ways();
	}
}

TEST(a_byte_that_is_wrong_gives_the_same_in_blocks)
{
	size_t i, start = 20;
	uint8_t was;

	b_five();
	for (i = start; i < in.n; i++) {
		was = in.v[i];
		in.v[i] ^= 1u << test_random() % 8;
		same_both_ways();
		in.v[i] = was;
	}
}
