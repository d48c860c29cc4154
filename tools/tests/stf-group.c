// SPDX-License-Identifier: GPL-2.0-only
/* Groups by kind, and instructions that come again. */
#include "stf-build.h"
#include "stf/stf.h"

static struct bytes in;
static struct stf_reader *reader;
static struct stf_inst_iter *iter;
static struct stf_inst inst;
static const struct stf_group *group;

enum { NOP = 0x13, C_NOP = 1 };

static struct stf_inst_iter *open_iter(struct stf_reader **r)
{
	struct stf_inst_iter *it;

	*r = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	CHECK(*r);
	it = stf_inst_iter_new(*r, sizeof(struct stf_inst));
	CHECK(it);
	return it;
}

static void close_in(void)
{
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

static void next(void)
{
	if (stf_inst_iter_next_group(iter, &inst, &group) != 1)
		test_fail(__FILE__, __LINE__, "%s", stf_reader_error(reader));
}

static void b_bus(uint64_t address)
{
	b8(&in, 62);
	b64(&in, address);
	b16(&in, 8);
	b8(&in, 3);
	b8(&in, 1);
	b32(&in, 0);
	b8(&in, 2);
}

static void b_reg(unsigned int number, unsigned int kind, uint64_t value)
{
	b8(&in, 40);
	b16(&in, number);
	b8(&in, kind);
	b64(&in, value);
}

static void b_counted_event(uint64_t id, unsigned int n, uint64_t first)
{
	b8(&in, 100);
	b64(&in, id);
	b8(&in, n);
	while (n--)
		b64(&in, first++);
}

TEST(an_opcode_alone_has_nothing)
{
	b_header(&in, FEATURES_RV64);
	b_access(&in, 0x10, 8, 5, STF_ACCESS_READ);
	b_pc(&in, 61, 1);
	b_inst16(&in, C_NOP);
	b_inst32(&in, NOP);
	iter = open_iter(&reader);
	next();
	CHECK_EQ(group->n_mems, 1);
	next();
	CHECK_EQ(group->n_mems, 0);
	CHECK(!group->n_regs && !group->n_traps && !group->n_buses &&
	      !group->n_walks && !group->n_microops && !group->n_ready_regs &&
	      !group->n_comments);
	CHECK_EQ(inst.pc, START_PC + 2);
	CHECK_EQ(stf_inst_iter_next_group(iter, &inst, &group), 0);
	close_in();
}

TEST(accesses_have_their_contents)
{
	b_header(&in, FEATURES_RV64);
	b_access(&in, 0x1234, 8, 5, STF_ACCESS_READ);
	b_pc(&in, 61, 7);
	b_access(&in, 0x5678, 16, 5, STF_ACCESS_WRITE); /* two words of content */
	b_pc(&in, 61, 8);
	b_pc(&in, 61, 9);
	b_inst32(&in, NOP);
	iter = open_iter(&reader);
	next();
	CHECK_EQ(group->n_mems, 2);
	CHECK_EQ(group->mems[0].access.address, 0x1234);
	CHECK_EQ(group->mems[0].access.size, 8);
	CHECK_EQ(group->mems[0].access.attributes, 5);
	CHECK_EQ(group->mems[0].access.access, STF_ACCESS_READ);
	CHECK_EQ(group->mems[0].n_contents, 1);
	CHECK_EQ(group->mems[0].contents[0], 7);
	CHECK_EQ(group->mems[1].access.address, 0x5678);
	CHECK_EQ(group->mems[1].access.access, STF_ACCESS_WRITE);
	CHECK_EQ(group->mems[1].n_contents, 2);
	CHECK_EQ(group->mems[1].contents[0], 8);
	CHECK_EQ(group->mems[1].contents[1], 9);
	CHECK_EQ(inst.flags, STF_INST_F_MEM);
	close_in();
}

TEST(registers_are_operands)
{
	b_header(&in, FEATURES_RV64);
	b_reg(10, 0x21, 5);
	b_reg(0x300, 0x34, 6);
	b_inst32(&in, NOP);
	iter = open_iter(&reader);
	next();
	CHECK_EQ(group->n_regs, 2);
	CHECK_EQ(group->regs[0].number, 10);
	CHECK_EQ(group->regs[0].type, STF_REG_INT);
	CHECK_EQ(group->regs[0].operand, STF_REG_SOURCE);
	CHECK_EQ(group->regs[0].value, 5);
	CHECK_EQ(group->regs[1].number, 0x300);
	CHECK_EQ(group->regs[1].type, STF_REG_CSR);
	CHECK_EQ(group->regs[1].operand, STF_REG_DEST);
	CHECK_EQ(group->regs[1].value, 6);
	CHECK_EQ(inst.flags, STF_INST_F_OTHER);
	close_in();
}

/* A group that has all kinds. */
static void b_all(void)
{
	b8(&in, 8);
	b32(&in, 1);
	b32(&in, 2);
	b32(&in, 3);
	b_pc(&in, 9, 0x900);
	b_pc(&in, 31, 0x500);
	b_comment(&in, "first");
	b_reg(10, 0x21, 5);
	b8(&in, 40); /* v1, of two words */
	b16(&in, 1);
	b8(&in, 0x23);
	b64(&in, 11);
	b64(&in, 12);
	b8(&in, 41);
	b16(&in, 17);
	b8(&in, 50);
	b64(&in, 0x7000);
	b64(&in, 3);
	b32(&in, 4096);
	b8(&in, 2);
	b64(&in, 0x81000008);
	b64(&in, 0x21);
	b64(&in, 0x82000010);
	b64(&in, 0x22cf);
	b_access(&in, 0x1234, 8, 5, STF_ACCESS_READ);
	b_pc(&in, 61, 7);
	b_bus(0x4321);
	b_pc(&in, 63, 9);
	b_counted_event(STF_EVENT_MODE_CHANGE, 1, 1);
	b_counted_event(STF_FAULT_USER_ECALL, 3, 100);
	b_pc(&in, 101, 0x800);
	b8(&in, 230);
	b8(&in, 4);
	b32(&in, 0xabc);
	b_comment(&in, "second");
	b_inst32(&in, NOP);
}

static void check_all(const struct stf_group *g)
{
	CHECK_EQ(g->n_comments, 2);
	CHECK(g->comments[1].size == 6 && !memcmp(g->comments[1].data, "second", 6));
	CHECK_EQ(g->n_regs, 2);
	CHECK_EQ(g->regs[0].value, 5);
	CHECK_EQ(g->regs[1].n_words, 2);
	CHECK(g->regs[1].vector[0] == 11 && g->regs[1].vector[1] == 12);
	CHECK_EQ(g->n_ready_regs, 1);
	CHECK_EQ(g->ready_regs[0], 17);
	CHECK_EQ(g->n_walks, 1);
	CHECK_EQ(g->walks[0].va, 0x7000);
	CHECK_EQ(g->walks[0].n_ptes, 2);
	CHECK_EQ(g->walks[0].ptes[0].address, 0x81000008);
	CHECK_EQ(g->walks[0].ptes[1].value, 0x22cf);
	CHECK_EQ(g->n_mems, 1);
	CHECK(g->mems[0].n_contents == 1 && g->mems[0].contents[0] == 7);
	CHECK_EQ(g->n_buses, 1);
	CHECK_EQ(g->buses[0].access.initiator, STF_INITIATOR_DMA);
	CHECK(g->buses[0].n_contents == 1 && g->buses[0].contents[0] == 9);
	CHECK_EQ(g->n_traps, 2);
	CHECK_EQ(g->traps[0].event.id, STF_EVENT_MODE_CHANGE);
	CHECK_EQ(g->traps[0].event.fields[0], STF_MODE_SUPERVISOR);
	CHECK(!g->traps[0].has_target);
	CHECK_EQ(g->traps[1].event.n_fields, 3);
	CHECK_EQ(g->traps[1].event.fields[2], 102);
	CHECK(g->traps[1].has_target && g->traps[1].target == 0x800);
	CHECK_EQ(g->n_microops, 1);
	CHECK_EQ(g->microops[0].opcode, 0xabc);
}

TEST(all_kinds_in_one_group)
{
	b_vector_header(&in);
	b_inst16(&in, C_NOP);
	b_all();
	b_inst16(&in, C_NOP);
	iter = open_iter(&reader);
	next();
	next();
	check_all(group);
	CHECK_EQ(inst.pc, 0x900);
	CHECK_EQ(inst.next_pc, 0x800);
	CHECK_EQ(inst.process.tid, 3);
	next();
	CHECK(!group->n_traps && !group->n_comments && !group->n_mems);
	close_in();
}

/* The records can still be read one by one. */
TEST(a_group_and_its_records)
{
	struct stf_record rec;
	unsigned int n = 0;

	b_vector_header(&in);
	b_all();
	iter = open_iter(&reader);
	next();
	while (stf_inst_iter_record(iter, &rec) > 0)
		n++;
	CHECK_EQ(n, 18);
	CHECK_EQ(rec.desc, STF_INST_32);
	close_in();
}

TEST(contents_without_an_access_are_left_out)
{
	b_header(&in, FEATURES_RV64);
	b_pc(&in, 61, 1);
	b_pc(&in, 63, 1);
	b_inst16(&in, C_NOP);
	/* The event's field is no content of the access. */
	b_access(&in, 0x10, 8, 5, STF_ACCESS_READ);
	b_pc(&in, 61, 2);
	b_counted_event(2, 1, 77);
	b_pc(&in, 61, 3);
	b_inst16(&in, C_NOP);
	b_pc(&in, 101, 3);
	b_inst16(&in, C_NOP);
	iter = open_iter(&reader);
	next();
	CHECK(!group->n_mems && !group->n_buses);
	next();
	CHECK_EQ(group->n_mems, 1);
	CHECK_EQ(group->mems[0].n_contents, 1);
	CHECK_EQ(group->mems[0].contents[0], 2);
	CHECK_EQ(group->traps[0].event.fields[0], 77);
	next();
	CHECK_EQ(group->n_traps, 0);
	close_in();
}

/* The format does not allow it, but it can be read. */
TEST(a_register_may_stand_between_access_and_content)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	b_inst16(&in, C_NOP);
	b_access(&in, 0x10, 8, 5, STF_ACCESS_READ);
	b_reg(10, 0x21, 5);
	b_pc(&in, 61, 2);
	/* The short way needs some bytes after the group. */
	for (i = 0; i < 30; i++)
		b_inst16(&in, C_NOP);
	iter = open_iter(&reader);
	next();
	next();
	CHECK_EQ(group->n_mems, 1);
	CHECK_EQ(group->mems[0].n_contents, 1);
	CHECK_EQ(group->mems[0].contents[0], 2);
	close_in();
}

/* More than there is room for at first. */
TEST(groups_of_any_size)
{
	unsigned int n, i;

	for (n = 1; n < 300; n = n * 2 + 1) {
		b_header(&in, FEATURES_RV64);
		for (i = 0; i < n; i++)
			b_reg(i % 32, 0x21, i);
		for (i = 0; i < n; i++) {
			b_access(&in, i, 8, 5, STF_ACCESS_READ);
			b_pc(&in, 61, 3 * i);
		}
		b_inst16(&in, C_NOP);
		b_access(&in, 0x10, 8, 5, STF_ACCESS_READ);
		b_pc(&in, 61, 1);
		b_inst16(&in, C_NOP);
		iter = open_iter(&reader);
		next();
		CHECK_EQ(group->n_regs, n);
		CHECK_EQ(group->n_mems, n);
		for (i = 0; i < n; i++) {
			CHECK_EQ(group->regs[i].value, i);
			CHECK_EQ(group->mems[i].access.address, i);
			CHECK_EQ(group->mems[i].contents[0], 3 * i);
		}
		next();
		CHECK_EQ(group->n_mems, 1);
		CHECK_EQ(group->n_regs, 0);
		CHECK_EQ(group->mems[0].access.address, 0x10);
		close_in();
	}
}

/* ------------------------------------------------------------- the naive way */

/* A sum over a group, in the order of its kinds. */
static void mix(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * UINT64_C(0x100000001b3);
}

/* The sums of what the records of the current group say, each kind alone. */
struct sums {
	uint64_t mem, reg, trap, bus, comment;
};

static void add_record(struct sums *s, const struct stf_record *rec)
{
	unsigned int i;

	switch (rec->desc) {
	case STF_INST_MEM_ACCESS:
		mix(&s->mem, rec->mem_access.address);
		mix(&s->mem, rec->mem_access.size);
		break;
	case STF_INST_MEM_CONTENT:
		mix(&s->mem, rec->content);
		break;
	case STF_BUS_MASTER_ACCESS:
		mix(&s->bus, rec->bus_access.address);
		break;
	case STF_BUS_MASTER_CONTENT:
		mix(&s->bus, rec->content);
		break;
	case STF_INST_REG:
		mix(&s->reg, rec->reg.number);
		mix(&s->reg, rec->reg.value);
		for (i = 0; i < rec->reg.n_words; i++)
			mix(&s->reg, rec->reg.vector[i]);
		break;
	case STF_EVENT:
		mix(&s->trap, rec->event.id);
		for (i = 0; i < rec->event.n_fields; i++)
			mix(&s->trap, rec->event.fields[i]);
		break;
	case STF_EVENT_PC_TARGET:
		mix(&s->trap, rec->pc);
		break;
	case STF_COMMENT:
		mix(&s->comment, rec->text.size);
		break;
	}
}

static struct sums sums_of(const struct stf_group *g)
{
	struct sums s = { 0 };
	unsigned int i, k;

	for (i = 0; i < g->n_mems; i++) {
		mix(&s.mem, g->mems[i].access.address);
		mix(&s.mem, g->mems[i].access.size);
		for (k = 0; k < g->mems[i].n_contents; k++)
			mix(&s.mem, g->mems[i].contents[k]);
	}
	for (i = 0; i < g->n_buses; i++) {
		mix(&s.bus, g->buses[i].access.address);
		for (k = 0; k < g->buses[i].n_contents; k++)
			mix(&s.bus, g->buses[i].contents[k]);
	}
	for (i = 0; i < g->n_regs; i++) {
		mix(&s.reg, g->regs[i].number);
		mix(&s.reg, g->regs[i].value);
		for (k = 0; k < g->regs[i].n_words; k++)
			mix(&s.reg, g->regs[i].vector[k]);
	}
	for (i = 0; i < g->n_traps; i++) {
		mix(&s.trap, g->traps[i].event.id);
		for (k = 0; k < g->traps[i].event.n_fields; k++)
			mix(&s.trap, g->traps[i].event.fields[k]);
		if (g->traps[i].has_target)
			mix(&s.trap, g->traps[i].target);
	}
	for (i = 0; i < g->n_comments; i++)
		mix(&s.comment, g->comments[i].size);
	return s;
}

enum { INSTS = 1500 };

static void b_some(void)
{
	uint64_t pick = test_random();
	unsigned int i;

	for (i = 0; pick % 4 == 0 && i < (pick >> 8) % 30; i++)
		b_reg(i, 0x21 + (i & 1), test_random());
	if ((pick >> 16) % 9 == 0)
		b_comment(&in, "some");
	if ((pick >> 20) % 5 == 0)
		b_pc(&in, 31, test_random());
	for (i = 0; (pick >> 24) % 3 == 0 && i < (pick >> 32) % 20; i++) {
		b_access(&in, test_random(), 8, 5, 1);
		b_pc(&in, 61, test_random());
	}
	if ((pick >> 40) % 30 == 0) {
		b_bus(test_random());
		b_pc(&in, 63, test_random());
	}
	if ((pick >> 48) % 20 == 0) {
		b_counted_event(3, test_random() % 4, test_random());
		b_pc(&in, 101, test_random());
	}
	if (pick >> 63)
		b_inst16(&in, (unsigned int)test_random() & 0xfffe);
	else
		b_inst32(&in, (uint32_t)test_random() | 3);
}

/* Returns the number of instructions. */
static unsigned int b_random(void)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	for (i = 0; i < INSTS && in.n < sizeof(in.v) - 2000; i++)
		b_some();
	return i;
}

static struct sums naive(struct stf_inst_iter *it, struct stf_inst *i)
{
	struct stf_record rec;
	struct sums s = { 0 };

	CHECK_EQ(stf_inst_iter_next(it, i), 1);
	while (stf_inst_iter_record(it, &rec) > 0)
		add_record(&s, &rec);
	return s;
}

TEST(groups_are_what_their_records_are)
{
	struct stf_inst_iter *other;
	struct stf_reader *r;
	struct stf_inst one;
	struct sums want, got;

	b_random();
	iter = open_iter(&reader);
	other = open_iter(&r);
	while (stf_inst_iter_next_group(iter, &inst, &group) > 0) {
		want = naive(other, &one);
		got = sums_of(group);
		CHECK(!memcmp(&want, &got, sizeof(want)));
		CHECK(one.pc == inst.pc && one.next_pc == inst.next_pc &&
		      one.flags == inst.flags && one.index == inst.index);
	}
	CHECK_EQ(stf_inst_iter_next(other, &one), 0);
	stf_inst_iter_free(other);
	stf_reader_close(r);
	close_in();
}

/* ------------------------------------------------------ instructions again */

static struct stf_replay *replay;

static void replay_is_at(uint64_t index)
{
	CHECK_EQ(stf_replay_next(replay, &inst, &group), 1);
	CHECK_EQ(inst.index, index);
}

TEST(a_window_goes_back_as_far_as_it_is_long)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	for (i = 0; i < 10; i++)
		b_inst16(&in, C_NOP);
	iter = open_iter(&reader);
	CHECK(!stf_replay_new(iter, 0));
	replay = stf_replay_new(iter, 4);
	CHECK(!stf_replay_back(replay, 1));
	for (i = 0; i < 6; i++)
		replay_is_at(i);
	CHECK(!stf_replay_back(replay, 1));
	CHECK(stf_replay_back(replay, 2));
	replay_is_at(2);
	CHECK_EQ(inst.pc, START_PC + 4);
	CHECK(stf_replay_back(replay, 6));
	CHECK(!stf_replay_back(replay, 7));
	replay_is_at(6);
	CHECK(!stf_replay_back(replay, 2));
	CHECK(stf_replay_back(replay, 3));
	for (i = 3; i < 10; i++)
		replay_is_at(i);
	CHECK_EQ(stf_replay_next(replay, &inst, &group), 0);
	CHECK(stf_replay_back(replay, 9));
	replay_is_at(9);
	CHECK_EQ(stf_replay_next(replay, &inst, &group), 0);
	stf_replay_free(replay);
	stf_replay_free(NULL);
	close_in();
}

TEST(groups_come_again_as_they_were)
{
	unsigned int i;

	b_vector_header(&in);
	b_all();
	for (i = 0; i < 3; i++)
		b_inst16(&in, C_NOP);
	iter = open_iter(&reader);
	replay = stf_replay_new(iter, 4);
	for (i = 0; i < 4; i++)
		replay_is_at(i);
	for (i = 0; i < 3; i++) {
		CHECK(stf_replay_back(replay, 0));
		replay_is_at(0);
		check_all(group);
		CHECK_EQ(inst.pc, 0x900);
		replay_is_at(1);
		CHECK_EQ(group->n_traps, 0);
	}
	stf_replay_free(replay);
	close_in();
}

/* Found by fuzzing: nothing was counted from NULL on. */
TEST(an_access_without_contents_comes_again)
{
	b_header(&in, FEATURES_RV64);
	b_access(&in, 0x10, 8, 5, STF_ACCESS_READ);
	b_inst16(&in, C_NOP);
	iter = open_iter(&reader);
	replay = stf_replay_new(iter, 1);
	replay_is_at(0);
	CHECK(stf_replay_back(replay, 0));
	replay_is_at(0);
	CHECK_EQ(group->n_mems, 1);
	CHECK_EQ(group->mems[0].n_contents, 0);
	stf_replay_free(replay);
	close_in();
}

TEST(an_event_without_fields_comes_again)
{
	b_header(&in, FEATURES_RV64);
	b_counted_event(2, 0, 0);
	b_inst16(&in, C_NOP);
	iter = open_iter(&reader);
	replay = stf_replay_new(iter, 1);
	replay_is_at(0);
	CHECK(stf_replay_back(replay, 0));
	replay_is_at(0);
	CHECK_EQ(group->n_traps, 1);
	CHECK_EQ(group->traps[0].event.n_fields, 0);
	stf_replay_free(replay);
	close_in();
}

TEST(a_window_can_begin_after_a_jump)
{
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	for (i = 0; i < 20; i++)
		b_inst16(&in, C_NOP);
	iter = open_iter(&reader);
	CHECK_EQ(stf_inst_iter_seek(iter, 10), 1);
	replay = stf_replay_new(iter, 3);
	for (i = 10; i < 15; i++)
		replay_is_at(i);
	CHECK(stf_replay_back(replay, 12));
	replay_is_at(12);
	stf_replay_free(replay);
	close_in();
}

TEST(after_an_error_the_window_is_still_there)
{
	b_header(&in, FEATURES_RV64);
	b_access(&in, 0x10, 8, 5, STF_ACCESS_READ);
	b_pc(&in, 61, 1);
	b_inst16(&in, C_NOP);
	b8(&in, 254);
	iter = open_iter(&reader);
	replay = stf_replay_new(iter, 3);
	replay_is_at(0);
	CHECK_EQ(stf_replay_next(replay, &inst, &group), STF_E_DESC);
	CHECK(stf_replay_back(replay, 0));
	replay_is_at(0);
	CHECK_EQ(group->mems[0].access.address, 0x10);
	CHECK_EQ(stf_replay_next(replay, &inst, &group), STF_E_DESC);
	stf_replay_free(replay);
	close_in();
}

/* Back and forth at random, compared with an array of all instructions. */
TEST(any_way_back_and_forth)
{
	static struct stf_inst insts[INSTS];
	static struct sums want[INSTS];
	uint64_t total, at, read = 0, to;
	struct stf_inst_iter *other;
	struct stf_reader *r;
	struct sums got;
	enum { N = 50 };

	total = b_random();
	other = open_iter(&r);
	for (at = 0; at < total; at++)
		want[at] = naive(other, &insts[at]);
	stf_inst_iter_free(other);
	stf_reader_close(r);
	iter = open_iter(&reader);
	replay = stf_replay_new(iter, N);
	for (at = 0; at < total;) {
		if (test_random() % 10 == 0) {
			to = read - (read < 60 ? test_random() % (read + 1) :
						 test_random() % 60);
			CHECK_EQ(stf_replay_back(replay, to), read - to <= N);
			at = read - to <= N ? to : at;
			continue;
		}
		replay_is_at(at);
		got = sums_of(group);
		CHECK(!memcmp(&got, &want[at], sizeof(got)));
		CHECK(inst.pc == insts[at].pc && inst.flags == insts[at].flags);
		at++;
		read = at > read ? at : read;
	}
	stf_replay_free(replay);
	close_in();
}
