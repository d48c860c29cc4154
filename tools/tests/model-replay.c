// SPDX-License-Identifier: GPL-2.0-only
/* Instruction traces through the model. */
#include "csv-build.h"
#include "ctr/replay.h"

static struct replay replay;
static struct error error;

/* jal ra, +0x100; c.jr ra; ecall; mret: by the encodings' figures. */
#define CALL	"100000ef"
#define RET	"8082"
#define ECALL	"73"
#define MRET	"30200073"

/* What was told, in its order. */
struct told {
	uint64_t index, from, pc;
};

static struct told told[16];
static unsigned int nr_told;

static void tell_record(void *arg)
{
	struct ctr_entry entry;

	CHECK(arg == &replay && nr_told < 16);
	model_read_entry(&replay.model, 0, &entry);
	told[nr_told++] =
		(struct told){ replay.index, ctr_entry_from(&entry), 0 };
}

static void tell_overflow(void *arg, uint64_t pc)
{
	CHECK(arg == &replay && nr_told < 16);
	told[nr_told++] = (struct told){ replay.index, 0, pc };
}

static void begin_replay(void)
{
	begin();
	nr_told = 0;
	replay = (struct replay){ .arg = &replay };
}

static void write_register(const char *text)
{
	CHECK_EQ(register_writes_add(&replay.writes, text, &error), 0);
}

static int run_text(const char *text)
{
	struct insn_trace trace;
	int ret;

	write_text("a.csv", text);
	CHECK_EQ(insn_trace_open(&trace, "a.csv", &error), 0);
	ret = replay_run(&replay, &trace);
	insn_trace_close(&trace);
	register_writes_free(&replay.writes);
	return ret;
}

static void check_record(unsigned int i, uint64_t from, uint64_t to,
			 enum ctr_type type)
{
	struct ctr_entry entry;

	model_read_entry(&replay.model, i, &entry);
	CHECK(ctr_entry_valid(&entry));
	CHECK_EQ(ctr_entry_from(&entry), from);
	CHECK_EQ(ctr_entry_to(&entry), to);
	CHECK_EQ(ctr_entry_type(&entry), type);
}

static void check_nr(unsigned int nr)
{
	struct ctr_entry entry;
	unsigned int i;

	for (i = 0; i < model_depth(&replay.model); i++) {
		model_read_entry(&replay.model, i, &entry);
		CHECK_EQ(ctr_entry_valid(&entry), i < nr);
	}
}

static const char calls[] = INSNS
	"1,1000," CALL ",0,0,0,0,0\n"
	"1,1100,13,0,0,0,0,0\n"
	"1,1104," RET ",0,0,0,0,0\n"
	"1,1004,13,0,0,0,0,0\n";

TEST(records_are_in_the_model_and_told)
{
	begin_replay();
	replay.on_record = tell_record;
	replay.depth = 2;
	CHECK_EQ(run_text(calls), 0);
	CHECK_EQ(replay.index, 4);
	CHECK_EQ(model_depth(&replay.model), 64);
	check_nr(2);
	check_record(0, 0x1104, 0x1004, CTR_TYPE_RETURN);
	check_record(1, 0x1000, 0x1100, CTR_TYPE_DIR_CALL);
	CHECK_EQ(replay_opcode(&replay, 0), 0x8082);
	CHECK_EQ(replay_opcode(&replay, 1), 0x100000ef);
	CHECK_EQ(nr_told, 2);
	CHECK_EQ(told[0].index, 0);
	CHECK_EQ(told[0].from, 0x1000);
	CHECK_EQ(told[1].index, 2);
	CHECK_EQ(told[1].from, 0x1104);
	CHECK_EQ(replay.gaps, 0);
}

TEST(a_trace_without_instructions)
{
	begin_replay();
	CHECK_EQ(run_text(INSNS), 0);
	CHECK_EQ(replay.index, 0);
	check_nr(0);
}

/* Where the instruction before the error leads is not known. */
TEST(an_error_ends_it_before_the_instruction)
{
	begin_replay();
	replay.on_record = tell_record;
	CHECK_EQ(run_text(INSNS "1,1000," CALL ",0,0,0,0,0\n"
				"1,1100," RET ",0,0,0,0,0\n"
				"1,\n"),
		 ERROR_INPUT);
	CHECK(strstr(error.text, "a.csv:4: "));
	CHECK_EQ(nr_told, 1);
	CHECK_EQ(replay.index, 1);
}

TEST(registers_are_written_before_their_instruction)
{
	begin_replay();
	write_register("sctrctl=U");
	write_register("2:sctrctl=0");
	CHECK_EQ(run_text(calls), 0);
	check_nr(1);
	check_record(0, 0x1000, 0x1100, CTR_TYPE_DIR_CALL);
	begin_replay();
	write_register("3:sctrctl=0");
	CHECK_EQ(run_text(calls), 0);
	check_nr(2); /* U+S at the start, as nothing else is said */
}

TEST(modes_of_a_guest)
{
	static const char text[] = INSNS
		"1,1000," CALL ",0,0,0,0,0\n"
		"1,1100," ECALL ",0,1,8,0,0\n" /* VU to VS */
		"1,80000000,13,1,0,0,0,0\n";

	begin_replay();
	write_register("vsctrctl=U+S");
	write_register("v=1");
	CHECK_EQ(run_text(text), 0);
	check_nr(2);
	check_record(1, 0x1000, 0x1100, CTR_TYPE_DIR_CALL);
	begin_replay();
	write_register("vsctrctl=U+S");
	write_register("1:v=1");
	CHECK_EQ(run_text(text), 0);
	check_nr(1);
}

TEST(v_is_of_its_instruction)
{
	begin_replay();
	write_register("vsctrctl=U");
	write_register("2:v=1");
	CHECK_EQ(run_text(INSNS "1,1000," CALL ",0,0,0,0,0\n"
				"1,1100," CALL ",0,0,0,0,0\n"
				"1,1200," CALL ",0,0,0,0,0\n"
				"1,1300,13,0,0,0,0,0\n"),
		 0);
	check_nr(1);
	check_record(0, 0x1200, 0x1300, CTR_TYPE_DIR_CALL);
}

static const char overflow[] = INSNS
	"1,1000," CALL ",0,0,0,0,0\n"
	"1,1100,13,0,1,800000000000000d,0,1\n"
	"1,80000000," MRET ",3,0,0,0,0\n"
	"1,1100," CALL ",0,0,0,0,0\n"
	"1,1200,13,0,0,0,0,0\n";

TEST(a_counter_overflow_is_told_and_thaws)
{
	begin_replay();
	replay.on_overflow = tell_overflow;
	write_register("sctrctl=U+LCOFIFRZ");
	CHECK_EQ(run_text(overflow), 0);
	CHECK_EQ(nr_told, 1);
	CHECK_EQ(told[0].index, 1);
	CHECK_EQ(told[0].pc, 0x1100);
	check_record(0, 0x1100, 0x1200, CTR_TYPE_DIR_CALL);
	/* Nobody takes a sample: it stays frozen. */
	begin_replay();
	write_register("sctrctl=U+LCOFIFRZ");
	CHECK_EQ(run_text(overflow), 0);
	check_nr(1);
	check_record(0, 0x1000, 0x1100, CTR_TYPE_DIR_CALL);
}

TEST(an_interrupt_has_no_opcode)
{
	begin_replay();
	write_register("mctrctl=U+M");
	CHECK_EQ(run_text(overflow), 0);
	check_record(2, 0x1100, 0x80000000, CTR_TYPE_INTERRUPT);
	CHECK_EQ(replay_opcode(&replay, 2), 0);
	CHECK_EQ(replay_opcode(&replay, 1), 0x30200073);
}

TEST(gaps_and_handlers_that_are_missing_are_counted)
{
	begin_replay();
	CHECK_EQ(run_text(INSNS "1,1000,13,0,0,0,0,0\n"
				"1,2000," ECALL ",0,1,8,0,0\n" /* a gap */
				"1,2004,13,0,0,0,0,0\n"), /* no handler */
		 0);
	CHECK_EQ(replay.gaps, 1);
	CHECK_EQ(replay.unknown_targets, 1);
	/* Whose handlers are not recorded, nothing is missing. */
	begin_replay();
	write_register("sctrctl=U");
	CHECK_EQ(run_text(INSNS "1,2000," ECALL ",0,1,8,0,0\n"
				"1,2004,13,0,0,0,0,0\n"),
		 0);
	CHECK_EQ(replay.gaps, 0);
	CHECK_EQ(replay.unknown_targets, 0);
}

TEST(cycles_are_those_of_instructions)
{
	struct ctr_entry entry;

	begin_replay();
	CHECK_EQ(run_text(calls), 0);
	model_read_entry(&replay.model, 0, &entry);
	CHECK(!(entry.data & CTR_DATA_CCV));
	begin_replay();
	replay.counts = true;
	replay.cycles = 5;
	CHECK_EQ(run_text(calls), 0);
	model_read_entry(&replay.model, 0, &entry);
	CHECK(entry.data & CTR_DATA_CCV);
	CHECK_EQ(ctr_entry_cycles(&entry), 10);
}

TEST(rv32_and_zcm_are_told)
{
	struct insn_trace trace;

	/* c.jal, which is c.addiw on RV64. */
	begin_replay();
	write_text("a.csv", INSNS "1,fffffffc,2011,0,0,0,0,0\n"
				  "1,0,1,0,0,0,0,0\n");
	CHECK_EQ(insn_trace_open(&trace, "a.csv", &error), 0);
	trace.rv32 = true;
	CHECK_EQ(replay_run(&replay, &trace), 0);
	insn_trace_close(&trace);
	check_nr(1);
	check_record(0, 0xfffffffc, 0, CTR_TYPE_DIR_CALL);
	/* cm.popret {ra}, 16 */
	begin_replay();
	replay.zcm = true;
	CHECK_EQ(run_text(INSNS "1,1000,be42,0,0,0,0,0\n"
				"1,2000,1,0,0,0,0,0\n"),
		 0);
	check_nr(1);
	check_record(0, 0x1000, 0x2000, CTR_TYPE_RETURN);
}
