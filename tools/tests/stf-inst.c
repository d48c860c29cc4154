// SPDX-License-Identifier: GPL-2.0-only
/* Instructions, made of records that were made by hand. */
#include "stf-build.h"
#include "stf/stf.h"

static struct bytes in;
static struct stf_reader *reader;
static struct stf_inst_iter *iter;
static struct stf_inst inst;

enum { NOP = 0x13, C_NOP = 1, ECALL = 0x73, SRET = 0x10200073 };

static void open_in(void)
{
	struct stf_error err;

	write_file(in_tmpdir("in.stf"), in.v, in.n);
	reader = stf_reader_open(in_tmpdir("in.stf"), NULL, &err);
	if (!reader)
		test_fail(__FILE__, __LINE__, "%s", err.text);
	iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	CHECK(iter);
}

static void close_in(void)
{
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

static void next(void)
{
	if (stf_inst_iter_next(iter, &inst) != 1)
		test_fail(__FILE__, __LINE__, "%s", stf_reader_error(reader));
}

/* The next instruction is at pc and leads to next_pc. */
#define NEXT(_pc, _next_pc)                                                    \
	do {                                                                   \
		next();                                                        \
		CHECK_EQ(inst.pc, _pc);                                        \
		CHECK_EQ(inst.next_pc, _next_pc);                              \
	} while (0)

static void at_end(void)
{
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	close_in();
}

static void b_mode(unsigned int mode)
{
	b_event(&in, 0x4000000000000000, 1, mode);
}

TEST(pcs_go_on_by_the_size)
{
	b_header(&in, FEATURES_RV64);
	b_inst32(&in, NOP);
	b_inst16(&in, C_NOP);
	b_inst32(&in, NOP);
	open_in();
	NEXT(START_PC, START_PC + 4);
	CHECK_EQ(inst.index, 0);
	CHECK_EQ(inst.opcode, NOP);
	CHECK_EQ(inst.size, 4);
	NEXT(START_PC + 4, START_PC + 6);
	CHECK_EQ(inst.index, 1);
	CHECK_EQ(inst.opcode, C_NOP);
	CHECK_EQ(inst.size, 2);
	NEXT(START_PC + 6, START_PC + 10);
	CHECK_EQ(inst.flags, 0);
	at_end();
}

TEST(targets_hold_for_the_instruction_after)
{
	b_header(&in, FEATURES_RV64);
	b_pc(&in, 31, 0x500);
	b_inst16(&in, C_NOP);
	b_event(&in, STF_FAULT_USER_ECALL, 0, 0);
	b_pc(&in, 101, 0x800);
	b_inst32(&in, ECALL);
	b_inst16(&in, C_NOP);
	open_in();
	NEXT(START_PC, 0x500);
	CHECK_EQ(inst.flags, STF_INST_F_TAKEN);
	NEXT(0x500, 0x800);
	CHECK_EQ(inst.flags, STF_INST_F_EVENT | STF_INST_F_EVENT_TARGET);
	NEXT(0x800, 0x802);
	CHECK_EQ(inst.flags, 0);
	at_end();
}

TEST(force_pc_holds_for_its_own_instruction)
{
	b_header(&in, FEATURES_RV64);
	b_inst16(&in, C_NOP);
	b_pc(&in, 9, 0x900);
	b_inst16(&in, C_NOP);
	b_pc(&in, 31, 0x500);
	b_pc(&in, 9, 0x700);
	b_inst16(&in, C_NOP);
	b_inst16(&in, C_NOP);
	open_in();
	NEXT(START_PC, START_PC + 2);
	CHECK_EQ(inst.flags, 0);
	NEXT(0x900, 0x902);
	CHECK_EQ(inst.flags, STF_INST_F_FORCE_PC | STF_INST_F_GAP);
	NEXT(0x700, 0x500);
	NEXT(0x500, 0x502);
	at_end();
}

TEST(a_gap_is_where_the_pc_jumps)
{
	b_header(&in, FEATURES_RV64);
	b_pc(&in, 9, START_PC); /* some producers repeat it */
	b_pc(&in, 9, 0x700);
	b_inst16(&in, C_NOP);
	b_pc(&in, 9, 0x702);
	b_inst16(&in, C_NOP);
	b_pc(&in, 9, 0x900);
	b_pc(&in, 9, 0x704);
	b_inst16(&in, C_NOP);
	b_pc(&in, 9, 0x704);
	b_inst16(&in, C_NOP);
	open_in();
	NEXT(0x700, 0x702);
	CHECK_EQ(inst.flags, STF_INST_F_FORCE_PC);
	NEXT(0x702, 0x704);
	CHECK_EQ(inst.flags, STF_INST_F_FORCE_PC);
	NEXT(0x704, 0x706);
	CHECK_EQ(inst.flags, STF_INST_F_FORCE_PC);
	NEXT(0x704, 0x706);
	CHECK_EQ(inst.flags, STF_INST_F_FORCE_PC | STF_INST_F_GAP);
	at_end();
}

/* An instruction of a thread, with a FORCE_PC. */
static void switch_to(unsigned int hart, unsigned int pid, unsigned int tid, uint64_t pc)
{
	b_process(&in, hart, pid, tid);
	b_pc(&in, 9, pc);
	b_inst16(&in, C_NOP);
}

#define SWITCHED(_pc, _gap)                                                    \
	do {                                                                   \
		NEXT(_pc, (_pc) + 2);                                          \
		CHECK_EQ(inst.flags, STF_INST_F_FORCE_PC | STF_INST_F_PROCESS | \
					     ((_gap) ? STF_INST_F_GAP : 0));   \
	} while (0)

TEST(a_thread_that_goes_on_where_it_was_left_has_no_gap)
{
	b_header(&in, FEATURES_RV64);
	switch_to(0, 1, 1, 0x100);
	switch_to(0, 1, 2, 0x200); /* begins */
	switch_to(0, 1, 1, 0x102);
	switch_to(0, 1, 2, 0x300);
	b_process(&in, 0, 1, 2); /* the same one, repeated */
	b_pc(&in, 9, 0x302);
	b_inst16(&in, C_NOP);
	switch_to(0, 2, 1, 0x400); /* begins, in another process */
	switch_to(0, 1, 2, 0x304);
	/* A change without a FORCE_PC, and one within a group. */
	b_process(&in, 0, 1, 1);
	b_inst16(&in, C_NOP);
	b_process(&in, 0, 1, 2);
	switch_to(0, 2, 1, 0x402);
	switch_to(0, 1, 1, 0x308);
	open_in();
	SWITCHED(0x100, false);
	SWITCHED(0x200, false);
	SWITCHED(0x102, false);
	SWITCHED(0x300, true);
	SWITCHED(0x302, false);
	SWITCHED(0x400, false);
	SWITCHED(0x304, false);
	NEXT(0x306, 0x308);
	SWITCHED(0x402, false);
	SWITCHED(0x308, false);
	at_end();
}

TEST(a_thread_moves_from_hart_to_hart_and_is_on_several)
{
	b_header(&in, FEATURES_RV64);
	switch_to(0, 1, 1, 0x100);
	switch_to(1, 1, 1, 0x102); /* it moves */
	switch_to(0, 1, 2, 0x200);
	switch_to(0, 1, 1, 0x104); /* and back */
	switch_to(1, 1, 1, 0x104); /* there, too, a copy of it went on */
	switch_to(0, 1, 1, 0x700);
	switch_to(0, 0, 0, 0x500); /* each hart has a thread 0 */
	switch_to(1, 0, 0, 0x600);
	switch_to(0, 0, 0, 0x602);
	switch_to(0, 1, 1, 0x702);
	switch_to(0, 0, 0, 0x604);
	open_in();
	SWITCHED(0x100, false);
	SWITCHED(0x102, false);
	SWITCHED(0x200, false);
	SWITCHED(0x104, false);
	SWITCHED(0x104, false);
	SWITCHED(0x700, true);
	SWITCHED(0x500, false);
	SWITCHED(0x600, false);
	NEXT(0x602, 0x604); /* where the hart before leads */
	SWITCHED(0x702, false);
	SWITCHED(0x604, false);
	at_end();
}

/* Where nobody has told who ran, the first process that is told is that of all before. */
TEST(a_gap_before_the_first_process)
{
	b_header(&in, FEATURES_RV64);
	b_inst16(&in, C_NOP);
	switch_to(0, 1, 1, 0x900);
	switch_to(0, 1, 1, 0x902);
	open_in();
	NEXT(START_PC, START_PC + 2);
	SWITCHED(0x900, true);
	SWITCHED(0x902, false);
	at_end();
}

/* Each thread goes on once, in the same order. Only some of very many are remembered. */
TEST(many_threads)
{
	enum { MANY = 20000, ALL = 10000 };
	static const char *const comments[] = { "made for a test", NULL };
	const struct stf_header header = { .size = sizeof(header), .comments = comments,
					   .generator = STF_GEN_QEMU, .pc = 0x1000,
					   .features = STF_FEATURE_PROCESS_ID };
	struct stf_writer *w = stf_writer_open(in_tmpdir("many.stf"), NULL, NULL);
	unsigned int i, round, gaps = 0;

	CHECK(w && !stf_write_header(w, &header));
	for (round = 0; round < 2; round++)
		for (i = 0; i < MANY; i++) {
			CHECK(!stf_write_process(w, 0, i / 7, 1 + i));
			CHECK(!stf_write_force_pc(w, 0x1000 + 0x10 * (uint64_t)i + 2 * round));
			CHECK(!stf_write_inst(w, C_NOP, 2));
		}
	CHECK(!stf_writer_close(w, NULL));
	reader = stf_reader_open(in_tmpdir("many.stf"), NULL, NULL);
	CHECK(reader);
	iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	CHECK(iter);
	for (round = 0; round < 2; round++)
		for (i = 0; i < MANY; i++) {
			next();
			gaps += !!(inst.flags & STF_INST_F_GAP);
			CHECK(i >= ALL || !(inst.flags & STF_INST_F_GAP));
		}
	CHECK(gaps);
	at_end();
}

TEST(no_instruction_before_a_pc)
{
	b_start(&in);
	b8(&in, 19);
	b_inst16(&in, C_NOP);
	open_in();
	CHECK_EQ(stf_inst_iter_next(iter, &inst), STF_E_ORDER);
	CHECK(strstr(stf_reader_error(reader), "before any FORCE_PC"));
	CHECK_EQ(stf_inst_iter_next(iter, &inst), STF_E_ORDER);
	close_in();
}

TEST(transactions_are_no_instructions)
{
	b_header(&in, FEATURES_RV64);
	in.n--;
	b8(&in, 11);
	b8(&in, 1);
	b8(&in, 19);
	b8(&in, 250);
	b64(&in, 1);
	b64(&in, 1);
	b8(&in, 1);
	b16(&in, 0);
	b8(&in, 5);
	b64(&in, 0);
	open_in();
	CHECK_EQ(stf_inst_iter_next(iter, &inst), STF_E_ORDER);
	close_in();
}

TEST(the_process_holds_until_the_next)
{
	b_header(&in, FEATURES_RV64);
	in.n--;
	b_process(&in, 1, 2, 3);
	b8(&in, 19);
	b_inst16(&in, C_NOP);
	b_process(&in, 4, 5, 6);
	b_inst16(&in, C_NOP);
	b_inst16(&in, C_NOP);
	open_in();
	next();
	CHECK_EQ(inst.process.hart, 1);
	CHECK_EQ(inst.process.pid, 2);
	CHECK_EQ(inst.process.tid, 3);
	CHECK_EQ(inst.flags, 0);
	next();
	CHECK_EQ(inst.process.hart, 4);
	CHECK_EQ(inst.process.pid, 5);
	CHECK_EQ(inst.process.tid, 6);
	CHECK_EQ(inst.flags, STF_INST_F_PROCESS);
	next();
	CHECK_EQ(inst.process.tid, 6);
	CHECK_EQ(inst.flags, 0);
	at_end();
}

/* The way traps are written: MODE_CHANGE, cause, target. */
TEST(a_mode_change_of_a_trap_holds_afterwards)
{
	b_header(&in, FEATURES_RV64);
	b_mode(0);
	b_inst16(&in, C_NOP);
	b_mode(1);
	b_event(&in, STF_FAULT_USER_ECALL, 0, 0);
	b_pc(&in, 101, 0x800);
	b_inst32(&in, ECALL);
	b_mode(0);
	b_event(&in, 0, 0, 0);
	b_pc(&in, 101, 0x1000);
	b_inst32(&in, SRET);
	b_inst16(&in, C_NOP);
	open_in();
	next();
	CHECK_EQ(inst.mode, STF_MODE_USER);
	CHECK_EQ(inst.flags, STF_INST_F_MODE);
	next();
	CHECK_EQ(inst.mode, STF_MODE_USER);
	next();
	CHECK_EQ(inst.mode, STF_MODE_SUPERVISOR);
	next();
	CHECK_EQ(inst.mode, STF_MODE_USER);
	at_end();
}

TEST(the_mode_is_unknown_until_it_is_said)
{
	b_header(&in, FEATURES_RV64);
	b_inst16(&in, C_NOP);
	b_mode(3);
	b_inst16(&in, C_NOP);
	b_inst16(&in, C_NOP);
	open_in();
	next();
	CHECK_EQ(inst.mode, STF_MODE_UNKNOWN);
	next();
	CHECK_EQ(inst.mode, STF_MODE_UNKNOWN);
	next();
	CHECK_EQ(inst.mode, STF_MODE_MACHINE);
	at_end();
}

TEST(a_mode_change_after_a_gap_states_the_mode)
{
	b_header(&in, FEATURES_RV64);
	b_mode(0);
	b_inst16(&in, C_NOP);
	b_pc(&in, 9, 0x900);
	b_mode(1);
	b_inst16(&in, C_NOP);
	/* Stated, and then changed by a trap at the same instruction. */
	b_pc(&in, 9, 0x700);
	b_mode(0);
	b_mode(1);
	b_event(&in, STF_FAULT_USER_ECALL, 0, 0);
	b_pc(&in, 101, 0x800);
	b_inst32(&in, ECALL);
	/* A trap after a gap, whose mode is not stated. */
	b_pc(&in, 9, 0x600);
	b_mode(3);
	b_event(&in, STF_FAULT_SUPERVISOR_ECALL, 0, 0);
	b_pc(&in, 101, 0x800);
	b_inst32(&in, ECALL);
	b_inst16(&in, C_NOP);
	open_in();
	next();
	next();
	CHECK_EQ(inst.mode, STF_MODE_SUPERVISOR);
	next();
	CHECK_EQ(inst.mode, STF_MODE_USER);
	next();
	CHECK_EQ(inst.mode, STF_MODE_SUPERVISOR);
	next();
	CHECK_EQ(inst.mode, STF_MODE_MACHINE);
	at_end();
}

TEST(modes_that_do_not_exist_change_nothing)
{
	b_header(&in, FEATURES_RV64);
	b_mode(1);
	b_inst16(&in, C_NOP);
	b_mode(77);
	b_inst16(&in, C_NOP);
	b_inst16(&in, C_NOP);
	open_in();
	next();
	next();
	CHECK_EQ(inst.flags, STF_INST_F_EVENT);
	next();
	CHECK_EQ(inst.mode, STF_MODE_SUPERVISOR);
	at_end();
}

static void restart(unsigned int records)
{
	struct stf_record rec;

	stf_inst_iter_again(iter);
	while (records--)
		CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
}

TEST(the_records_of_a_group)
{
	static const unsigned int want[] = { 8, 9, 31, 3, 60, 61, 62, 63, 241 };
	struct stf_record rec;
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	b_inst16(&in, C_NOP);
	b_process(&in, 1, 2, 3);
	b_pc(&in, 9, 0x100);
	b_pc(&in, 31, 0x200);
	b_comment(&in, "x");
	b_mem(&in, 0x1234, 8, 1, 7);
	b8(&in, 62);
	b64(&in, 0x5678);
	b16(&in, 8);
	b16(&in, 3);
	b32(&in, 0);
	b8(&in, 2);
	b_pc(&in, 63, 9);
	b_inst16(&in, C_NOP);
	b_inst16(&in, C_NOP);
	open_in();
	next();
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
	CHECK_EQ(rec.desc, 241);
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 0);
	stf_inst_iter_again(iter);
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
	CHECK_EQ(rec.desc, 241);
	next();
	CHECK_EQ(inst.flags, STF_INST_F_PROCESS | STF_INST_F_FORCE_PC |
			     STF_INST_F_GAP | STF_INST_F_TAKEN |
			     STF_INST_F_COMMENT | STF_INST_F_MEM |
			     STF_INST_F_BUS);
	for (i = 0; i < 9; i++) {
		/* However often the group is begun again. */
		if (i == 5 || i == 8)
			restart(i);
		CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
		CHECK_EQ(rec.desc, want[i]);
		CHECK(rec.desc != 60 || rec.mem_access.address == 0x1234);
		CHECK(rec.desc != 63 || rec.content == 9);
	}
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 0);
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 0);
	next();
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
	at_end();
}

/*
 * Found by fuzzing: the records of a group were read again by the rules of a
 * header record at the group's end.
 */
TEST(late_header_records_do_not_change_what_was_read)
{
	static const uint8_t want[] = { 40, 100, 10, 7, 241 };
	struct stf_record rec;
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	in.n--;
	b8(&in, 10);
	b32(&in, 128);
	b8(&in, 19);
	b8(&in, 40); /* v1, of two words */
	b16(&in, 1);
	b8(&in, 0x23);
	b64(&in, 5);
	b64(&in, 6);
	b_event(&in, 2, 0, 0);
	b8(&in, 10);
	b32(&in, 64);
	b_pc(&in, 7, 0);
	b_inst16(&in, C_NOP);
	open_in();
	NEXT(START_PC, START_PC + 2);
	for (i = 0; i < sizeof(want); i++) {
		CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
		CHECK_EQ(rec.desc, want[i]);
		CHECK(rec.desc != STF_INST_REG || rec.reg.n_words == 2);
		CHECK(rec.desc != STF_EVENT || rec.event.id == 2);
	}
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 0);
	CHECK_EQ(stf_reader_params(reader)->vlen, 128);
	CHECK_EQ(stf_reader_params(reader)->features, FEATURES_RV64);
	at_end();
}

TEST(header_records_behind_others_do_not_either)
{
	static const uint8_t want[] = { 100, 7, 241 };
	struct stf_record rec;
	unsigned int i;

	b_header(&in, FEATURES_RV64);
	in.n--; /* no END_HEADER */
	b_event(&in, 2, 0, 0);
	b_pc(&in, 7, 0);
	b_inst16(&in, C_NOP);
	open_in();
	NEXT(START_PC, START_PC + 2);
	do
		CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
	while (rec.desc < STF_END_HEADER);
	for (i = 0; i < sizeof(want); i++) {
		CHECK_EQ(rec.desc, want[i]);
		CHECK_EQ(stf_inst_iter_record(iter, &rec),
			 i + 1 < sizeof(want));
	}
	at_end();
}

/* Found by fuzzing: without END_HEADER, it depended on the way of reading. */
TEST(all_ways_of_reading_end_the_header_alike)
{
	struct stf_record recs[20];
	struct stf_error err;
	int more;

	b_header(&in, FEATURES_RV64);
	in.n--; /* no END_HEADER */
	b8(&in, 40); /* x5: the same size, whatever the header says */
	b16(&in, 5);
	b8(&in, 0x21);
	b64(&in, 5);
	b8(&in, 2); /* VERSION 3.0 */
	b32(&in, 3);
	b32(&in, 0);
	b_inst16(&in, C_NOP);
	open_in();
	CHECK_EQ(stf_inst_iter_next(iter, &inst), STF_E_VERSION);
	close_in();
	reader = stf_reader_open(in_tmpdir("in.stf"), NULL, &err);
	CHECK(reader);
	do
		more = stf_reader_read(reader, recs, 20);
	while (more > 0);
	CHECK_EQ(more, STF_E_VERSION);
	stf_reader_close(reader);
}

TEST(other_records_have_a_flag)
{
	b_header(&in, FEATURES_RV64);
	b8(&in, 40);
	b16(&in, 1);
	b8(&in, 0x31);
	b64(&in, 5);
	b_inst16(&in, C_NOP);
	open_in();
	next();
	CHECK_EQ(inst.flags, STF_INST_F_OTHER);
	at_end();
}

TEST(records_after_the_last_instruction)
{
	struct stf_record rec;

	b_header(&in, FEATURES_RV64);
	b_inst16(&in, C_NOP);
	b_comment(&in, "x");
	open_in();
	next();
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 1);
	CHECK_EQ(rec.desc, STF_COMMENT);
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 0);
	at_end();
}

/* What the records of the last instruction stood in may be gone by then. */
TEST(no_records_after_an_error)
{
	struct stf_record rec;

	b_header(&in, FEATURES_RV64);
	b_inst16(&in, C_NOP);
	b8(&in, 3);
	b32(&in, 0);
	b8(&in, 254);
	open_in();
	next();
	CHECK_EQ(stf_inst_iter_next(iter, &inst), STF_E_DESC);
	CHECK_EQ(stf_inst_iter_record(iter, &rec), 0);
	close_in();
}

TEST(a_group_without_an_opcode_is_cut)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		b_header(&in, FEATURES_RV64);
		b_inst16(&in, C_NOP);
		if (i)
			b_pc(&in, 31, 0x500);
		else
			b_event(&in, 2, 0, 0);
		open_in();
		next();
		CHECK_EQ(stf_inst_iter_next(iter, &inst), STF_E_CUT);
		close_in();
	}
}

/* Behind two records that are longer than all that may be left to read at once. */
TEST(an_opcode_that_the_end_cuts_is_no_instruction)
{
	unsigned int cut;

	for (cut = 1; cut < 5; cut++) {
		b_header(&in, FEATURES_RV64);
		b_inst16(&in, C_NOP);
		b_pc(&in, 31, 0x500);
		b_pc(&in, 31, 0x500);
		b_inst32(&in, NOP);
		in.n -= cut;
		open_in();
		next();
		CHECK_EQ(stf_inst_iter_next(iter, &inst), STF_E_CUT);
		close_in();
	}
}

TEST(the_header_may_be_read_before)
{
	struct stf_record rec;

	b_header(&in, FEATURES_RV64);
	in.n--;
	b_process(&in, 1, 2, 3);
	b8(&in, 19);
	b_inst16(&in, C_NOP);
	write_file(in_tmpdir("in.stf"), in.v, in.n);
	reader = stf_reader_open(in_tmpdir("in.stf"), NULL, NULL);
	CHECK(reader);
	while (!stf_reader_params(reader)->header_ended)
		CHECK_EQ(stf_reader_next(reader, &rec), 1);
	iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	NEXT(START_PC, START_PC + 2);
	CHECK_EQ(inst.process.pid, 2);
	at_end();
}

/* Group by group, what the iterator says agrees with what the records say. */
TEST(the_fast_way_and_the_records_agree)
{
	static const unsigned int kinds[] = { 31, 60, 0, 0, 0 };
	struct stf_record rec;
	unsigned int n, i;

	b_header(&in, FEATURES_RV64);
	for (n = 0; n < 2000; n++) {
		unsigned int kind = kinds[test_random() % 5];

		if (test_random() % 100 == 0)
			b_process(&in, 1, 2, n);
		if (kind == 31)
			b_pc(&in, 31, test_random());
		if (kind == 60)
			b_mem(&in, test_random(), 8, 1, test_random());
		if (test_random() & 1)
			b_inst16(&in, (unsigned int)test_random());
		else
			b_inst32(&in, (uint32_t)test_random());
	}
	open_in();
	for (n = 0; n < 2000; n++) {
		uint64_t target = 0, pc = inst.next_pc;
		unsigned int flags = 0;

		next();
		CHECK(!n || inst.pc == pc);
		while (stf_inst_iter_record(iter, &rec) > 0) {
			if (rec.desc == 31) {
				flags |= STF_INST_F_TAKEN;
				target = rec.pc;
			}
			if (rec.desc == 60)
				flags |= STF_INST_F_MEM;
			if (rec.desc == 8)
				flags |= STF_INST_F_PROCESS;
		}
		CHECK_EQ(inst.flags, flags);
		CHECK_EQ(rec.opcode, inst.opcode);
		CHECK_EQ(rec.desc == 240 ? 4 : 2, inst.size);
		CHECK_EQ(inst.next_pc, flags & STF_INST_F_TAKEN ?
				       target : inst.pc + inst.size);
	}
	for (i = 0; i < 2; i++)
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	close_in();
}

TEST(names_of_events)
{
	static const struct {
		uint64_t id;
		const char *name;
	} names[] = {
		{ 0, "INST_ADDR_MISALIGN" },
		{ 2, "ILLEGAL_INST" },
		{ 8, "USER_ECALL" },
		{ 11, "MACHINE_ECALL" },
		{ 13, "LOAD_PAGE_FAULT" },
		{ 14, "FAULT_0xe" },
		{ 15, "STORE_PAGE_FAULT" },
		{ 23, "GUEST_STORE_PAGE_FAULT" },
		{ 24, "FAULT_0x18" },
		{ STF_EVENT_INTERRUPT | 5, "INT_SUPERVISOR_TIMER" },
		{ STF_EVENT_INTERRUPT | 13, "INT_COUNTER_OVERFLOW" },
		{ STF_EVENT_INTERRUPT | 14, "INT_0xe" },
		{ STF_EVENT_INTERRUPT | 16, "INT_PLATFORM_0" },
		{ STF_EVENT_INTERRUPT | 19, "INT_PLATFORM_3" },
		{ STF_EVENT_SPECIAL, "MODE_CHANGE" },
		{ STF_EVENT_SPECIAL | 1, "SPECIAL_0x1" },
		{ UINT64_MAX, "SPECIAL_0xbfffffffffffffff" },
	};
	char buf[STF_EVENT_NAME_MAX];
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK_STR(stf_event_name(names[i].id, buf), names[i].name);
}

TEST(names_of_the_rest)
{
	CHECK_STR(stf_feature_name(0x80000), "EVENT64");
	CHECK_STR(stf_feature_name(1), "PHYSICAL_ADDRESS");
	CHECK(!stf_feature_name(0x200000) && !stf_feature_name(3) &&
	      !stf_feature_name(0));
	CHECK_STR(stf_generator_name(6), "SPIKE");
	CHECK(!stf_generator_name(0) && !stf_generator_name(15));
	CHECK_STR(stf_initiator_name(3), "DMA");
	CHECK_STR(stf_mode_name(1), "S");
	CHECK(!stf_mode_name(STF_MODE_UNKNOWN));
	CHECK_STR(stf_desc_name(62), "BUS_MASTER_ACCESS");
	CHECK(!stf_desc_name(0) && !stf_desc_name(14) && !stf_desc_name(255));
	CHECK_STR(stf_strerror(STF_E_CUT), "cut short");
	CHECK_STR(stf_strerror(0), "no error");
}
