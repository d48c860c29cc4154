// SPDX-License-Identifier: GPL-2.0-only
/* ssctr stf: what events in a trace say, by side events and by the code. */
#include "cmd-sample.h"
#include "tracing-build.h"

/*
 *	00: c.li a7, 17			getcwd
 *	02: ecall
 *	06: c.mv a7, a1
 *	08: ecall			the number came from elsewhere
 *	0c: lw a1, 0(a0)
 *	10: c.j 0
 */
static const uint16_t calls[] = {
	0x48c5, 0x0073, 0x0000, 0x88ae, 0x0073, 0x0000,
	0x2583, 0x0005, 0xbfc5,
};

static const uint64_t around[][3] = {
	{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
	{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
};

static unsigned int side_event;
static struct trb_raw raw;

/* Branch samples, and a tracepoint that is recorded beside them. */
static void begin_with(unsigned int tracepoint)
{
	begin();
	elf.code = calls;
	elf.code_size = sizeof(calls);
	rec.data.n = 0;
	side_event = trb_event(&rec, tracepoint, PDB_BRANCH_SAMPLE);
	trb_put(pdb_feature(&rec, 1));
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
}

static void add_side(uint32_t pid, uint64_t time)
{
	trb_sample(&rec, side_event, &raw,
		   (struct pdb_sample){ .ip = KERNEL_AT, .time = time,
					.pid = pid, .cpu = 3 });
}

static void add_syscall(uint32_t pid, uint64_t time, uint64_t number)
{
	raw = (struct trb_raw){ .size = 64 };
	trb_number(&raw, 8, 8, number);
	add_side(pid, time);
}

static unsigned int exit_event;

/* Starts and ends of system calls. */
static void begin_with_ends(void)
{
	begin_with(TRB_SYS_ENTER);
	exit_event = trb_event(&rec, TRB_SYS_EXIT, PDB_BRANCH_SAMPLE);
}

/* seccomp denies it: it has no start. */
static void add_denied(uint64_t time, uint64_t number)
{
	raw = (struct trb_raw){ .size = 24 };
	trb_number(&raw, 8, 8, number);
	trb_sample(&rec, exit_event, &raw,
		   (struct pdb_sample){ .ip = KERNEL_AT, .time = time, .pid = 5, .cpu = 3 });
}

static void add_allowed(uint64_t time, uint64_t number)
{
	add_syscall(5, time, number);
	add_denied(time, number);
}

/* The next instruction at this offset that has an event: its event. */
static struct stf_event event_at(uint64_t offset)
{
	do
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	while (inst.pc != MAP_AT + offset ||
	       !(inst.flags & STF_INST_F_EVENT));
	return find_event();
}

static void check_syscall(int line, uint64_t offset, unsigned int n,
			  uint64_t number)
{
	struct stf_event event = event_at(offset);

	if (event.id != STF_FAULT_USER_ECALL || event.n_fields != n ||
	    (n && event.fields[0] != number))
		test_fail(__FILE__, line, "event 0x%lx, %u fields, %lu",
			  (unsigned long)event.id, event.n_fields,
			  n ? (unsigned long)event.fields[0] : 0);
}

#define CHECK_SYSCALL(...) check_syscall(__LINE__, __VA_ARGS__)

/* stf prints as many instructions, and as many that did not execute, as the trace has. */
static void same_numbers(void)
{
	unsigned int insns = 0, stopped = 0;
	char want[128];
	const char *at = strstr(run_err, " instructions, whose share ");
	const char *next = at ? strchr(at, '\n') : NULL;

	CHECK(next);
	while (at > run_err && at[-1] != '\n')
		at--;
	CHECK_EQ(sscanf(at, "%u", &insns), 1);
	CHECK_EQ(sscanf(next, "%u instructions that did not execute", &stopped), 1);
	CHECK_EQ(run("ssctr info %s/t.stf", test_tmpdir()), 0);
	snprintf(want, sizeof(want), "\ninterrupted      %u of them, ", stopped);
	CHECK(strstr(run_out, want));
	snprintf(want, sizeof(want), "\ninstructions     %u, ", insns);
	CHECK(strstr(run_out, want));
}

TEST(the_code_tells_the_number_of_a_system_call)
{
	begin();
	elf.code = calls;
	elf.code_size = sizeof(calls);
	add_sample(5, 9, MAP_AT + 0x0c, 2, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 4 system calls\n"));
	CHECK(strstr(run_err, " 2 system calls whose number is not known"));
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 0, 0);
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 0, 0);
	CHECK_EQ(event_at(0x0c).id,
		 STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW);
	close_trace();
}

/* c.li a7, 17; c.j to the ecall; c.nop; ecall; c.j to the beginning */
TEST(the_number_of_a_system_call_may_be_loaded_before_a_jump)
{
	static const uint16_t jumps[] = { 0x48c5, 0xa011, 0x0001, 0x0073, 0x0000, 0xbfdd };
	static const uint64_t stack[][3] = {
		{ MAP_AT + 0x02, MAP_AT + 0x06, PERF_BR_UNCOND << 20 },
		{ MAP_AT + 0x0a, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
	};

	begin();
	elf.code = jumps;
	elf.code_size = sizeof(jumps);
	add_sample(5, 9, MAP_AT + 0x0a, 2, stack);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!strstr(run_err, "number is not known"));
	open_trace("t.stf");
	CHECK_SYSCALL(0x06, 1, 17);
	CHECK_EQ(event_at(0x0a).id,
		 STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW);
	close_trace();
}

TEST(a_side_event_tells_it_where_the_code_does_not)
{
	begin_with(TRB_SYS_ENTER);
	add_syscall(5, 2, 17);
	add_syscall(5, 3, 64);
	add_syscall(6, 4, 99); /* another thread's */
	add_syscall(5, 5, 17);
	add_syscall(5, 6, 222);
	add_sample(5, 9, MAP_AT + 0x0c, 2, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!strstr(run_err, "number is not known"));
	CHECK(strstr(run_err, " 5 events beside the branch stacks"));
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 1, 64);
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 1, 222);
	CHECK_EQ(event_at(0x0c).id,
		 STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW);
	close_trace();
}

/* The last two of four calls: counted back, they would be those of the last two here. */
static void check_some(const char *why)
{
	add_syscall(5, 5, 17);
	add_syscall(5, 6, 222);
	add_sample(5, 9, MAP_AT + 0x0c, 2, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	if (!strstr(run_err, " 2 system calls whose number is not known: not each call was "
			     "recorded; record -e raw_syscalls:* without -F, -c and --filter\n"))
		test_fail(__FILE__, __LINE__, "%s: %s", why, run_err);
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 0, 0);
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 0, 0);
	event_at(0x0c);
	close_trace();
}

TEST(side_events_of_which_perf_took_some_are_not_believed)
{
	begin_with(TRB_SYS_ENTER);
	rec.events[side_event].attr.freq = 1;
	check_some("a rate of 1 Hz");
	begin_with(TRB_SYS_ENTER);
	rec.events[side_event].attr.sample_period = 2;
	check_some("each second one");
	begin_with(TRB_SYS_ENTER);
	pdb_command(&rec, 7, "perf", "record", "-e", "raw_syscalls:*", "--filter", "id != 64",
		    "./x");
	check_some("a filter");
}

/* Two samples that overlap. The second one has a transfer more. */
static const uint64_t both[][3] = {
	{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
	{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 | 2 },
	{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
};

static void add_first(void)
{
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x06, .time = 9, .pid = 5, .cpu = 3, .period = 2,
		.nr_branches = 2, .branches = &both[1] });
}

static void add_second(void)
{
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x08, .time = 19, .pid = 5, .cpu = 3, .period = 2,
		.nr_branches = 3, .branches = both });
}

/*
 * Two calls between two samples: at 0x08, and at 0x02. With one event for both, the call at
 * 0x08 would have the number of a call before the first sample.
 */
TEST(side_events_that_are_fewer_than_the_calls_are_not_believed)
{
	bool each;

	for (each = false;; each = true) {
		begin_with(TRB_SYS_ENTER);
		add_syscall(5, 2, 64);
		add_syscall(5, 3, 17);
		add_first();
		if (each)
			add_syscall(5, 10, 222);
		add_syscall(5, 11, 17);
		add_second();
		write_files();
		CHECK_EQ(run_stf("", "t.stf"), 0);
		CHECK(strstr(run_err, " 1 samples joined"));
		CHECK(!!strstr(run_err, "not each call was recorded") != each);
		open_trace("t.stf");
		CHECK_SYSCALL(0x02, 1, 17);
		CHECK_SYSCALL(0x08, 1, 64);
		CHECK_SYSCALL(0x02, 1, 17);
		CHECK_SYSCALL(0x08, each, 222);
		CHECK_SYSCALL(0x02, 1, 17);
		event_at(0x08);
		close_trace();
		if (each)
			break;
	}
}

/* One that is missing as a whole may be before it. */
TEST(a_denied_call_has_its_number_and_those_before_it_are_left_open)
{
	begin_with_ends();
	add_allowed(2, 17);
	add_denied(3, 64);
	add_allowed(5, 17);
	add_denied(6, 222);
	add_sample(5, 9, MAP_AT + 0x0c, 2, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 system calls whose number is not known: samples were taken in "
			      "the kernel, or seccomp denied calls; record with a shorter period"));
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 0, 0);
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 1, 222);
	event_at(0x0c);
	close_trace();
}

/* Between two samples in user code, the call at 0x08, and the one at 0x02, which is denied. */
TEST(calls_before_a_denied_one_have_their_numbers_if_each_was_told)
{
	unsigned int told;

	for (told = 0; told < 3; told++) {
		begin_with_ends();
		add_allowed(2, 64);
		add_allowed(3, 17);
		add_first();
		if (told == 1)
			add_denied(10, 222);
		else if (told)
			add_allowed(10, 222);
		add_denied(11, 17);
		add_second();
		write_files();
		CHECK_EQ(run_stf("", "t.stf"), 0);
		CHECK(strstr(run_err, " 1 samples joined"));
		CHECK(!!strstr(run_err, "number is not known: not each call was") == !told);
		CHECK(!!strstr(run_err, "number is not known") == !told);
		open_trace("t.stf");
		CHECK_SYSCALL(0x02, 1, 17);
		CHECK_SYSCALL(0x08, 1, 64);
		CHECK_SYSCALL(0x02, 1, 17);
		CHECK_SYSCALL(0x08, !!told, 222);
		CHECK_SYSCALL(0x02, 1, 17);
		event_at(0x08);
		close_trace();
	}
}

/* rt_sigreturn ends with the number that the code has to which it returns. */
TEST(an_end_without_a_start_that_the_code_contradicts_is_not_believed)
{
	begin_with_ends();
	add_allowed(2, 64);
	add_denied(3, 99);
	add_sample(5, 9, MAP_AT + 0x06, 1, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	event_at(0x06);
	close_trace();
}

/* Ends alone do not tell which calls there were. */
TEST(ends_are_not_believed_without_all_starts)
{
	begin_with_ends();
	rec.events[side_event].attr.sample_period = 2;
	add_allowed(2, 17);
	add_denied(5, 17);
	add_denied(6, 222);
	add_sample(5, 9, MAP_AT + 0x0c, 2, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 system calls whose number is not known: not each call was"));
}

/*
 * User code alone, and the counter's interrupt comes when a call has begun: the call at 0x02
 * is behind the path, which ends at the jump to it. It may have been told, but was not if as
 * many were told as the path has. Then those of the next sample are counted, too.
 */
TEST(calls_before_a_sample_in_the_kernel_have_their_numbers_if_each_was_told)
{
	static const uint64_t four[][3] = {
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 | 1 },
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 | 2 },
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
	};
	unsigned int begun;

	for (begun = 0; begun < 2; begun++) {
		begin_with_ends();
		add_allowed(2, 64);
		add_allowed(3, 17);
		add_first();
		add_allowed(10, 222);
		if (begun)
			add_allowed(18, 17);
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = KERNEL_AT, .time = 19, .pid = 5, .cpu = 3, .period = 2,
			.nr_branches = 3, .branches = &four[1] });
		if (!begun)
			add_allowed(20, 17);
		add_allowed(21, 223);
		add_denied(22, 17);
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x06, .time = 29, .pid = 5, .cpu = 3, .period = 2,
			.nr_branches = 4, .branches = four });
		write_files();
		CHECK_EQ(run_stf("", "t.stf"), 0);
		CHECK(strstr(run_err, " 2 samples joined"));
		CHECK(!!strstr(run_err, " 2 system calls whose number is not known: samples were "
					"taken in the kernel") == begun);
		CHECK(!!strstr(run_err, "number is not known") == begun);
		open_trace("t.stf");
		CHECK_SYSCALL(0x02, 1, 17);
		CHECK_SYSCALL(0x08, 1, 64);
		CHECK_SYSCALL(0x02, 1, 17);
		CHECK_SYSCALL(0x08, !begun, 222);
		CHECK_SYSCALL(0x02, 1, 17);
		CHECK_SYSCALL(0x08, !begun, 223);
		CHECK_SYSCALL(0x02, 1, 17);
		event_at(0x06);
		close_trace();
	}
}

TEST(a_programs_own_option_is_no_filter)
{
	begin_with(TRB_SYS_ENTER);
	pdb_command(&rec, 6, "perf", "record", "--", "./x", "--filter", "7");
	add_syscall(5, 5, 17);
	add_syscall(5, 6, 222);
	add_sample(5, 9, MAP_AT + 0x0c, 1, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!strstr(run_err, "number is not known"));
}

TEST(side_events_that_the_code_contradicts_are_not_believed)
{
	begin_with(TRB_SYS_ENTER);
	add_syscall(5, 2, 64);
	add_syscall(5, 3, 17);
	add_sample(5, 9, MAP_AT + 0x0c, 1, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 0, 0);
	CHECK_EQ(event_at(0x0c).n_fields, 1);
	close_trace();
}

TEST(side_events_before_a_loss_are_not_believed)
{
	begin_with(TRB_SYS_ENTER);
	add_syscall(5, 2, 17);
	add_syscall(5, 3, 64);
	pdb_lost(&rec, 0, 5, 7, 4);
	add_sample(5, 9, MAP_AT + 0x0c, 1, around);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 0, 0);
	CHECK_EQ(event_at(0x0c).n_fields, 1);
	close_trace();
}

/* The path does not lead back beyond a break: nor does the count of calls. */
TEST(system_calls_before_a_break_are_left_open)
{
	static const uint64_t broken[][3] = {
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
		{ 0x99000, MAP_AT + 0x06, PERF_BR_RET << 20 },
		{ MAP_AT + 0x10, MAP_AT + 0x06, PERF_BR_UNCOND << 20 },
	};

	begin_with(TRB_SYS_ENTER);
	add_syscall(5, 2, 60);
	add_syscall(5, 3, 61);
	add_syscall(5, 4, 17);
	add_syscall(5, 5, 63);
	add_sample(5, 9, MAP_AT + 0x0c, 3, broken);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	CHECK_SYSCALL(0x08, 1, 61);
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 1, 63);
	CHECK_EQ(event_at(0x0c).n_fields, 1);
	close_trace();
}

/* Kernel and user recorded: the call is a transfer. */
static const uint64_t traps[][3] = {
	{ KERNEL_AT + 0x44, MAP_AT + 0x0c, PERF_BR_ERET << 20 },
	{ MAP_AT + 0x08, KERNEL_AT, PERF_BR_SYSCALL << 20 },
	{ KERNEL_AT + 0x44, MAP_AT + 0x06, PERF_BR_ERET << 20 },
	{ MAP_AT + 0x02, KERNEL_AT, PERF_BR_SYSCALL << 20 },
	{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
};

TEST(a_recorded_system_call_has_its_number)
{
	begin_with(TRB_SYS_ENTER);
	rec.events[0].attr.exclude_kernel = 0;
	add_syscall(5, 2, 17);
	add_syscall(5, 3, 64);
	add_sample(5, 9, MAP_AT + 0x0c, 5, traps);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 1, 64);
	CHECK_EQ(event_at(0x0c).n_fields, 1);
	close_trace();
}

TEST(a_system_call_on_its_way_is_left_open)
{
	/* Taken in the kernel, perhaps before the call was told. */
	begin_with(TRB_SYS_ENTER);
	rec.events[0].attr.exclude_kernel = 0;
	add_syscall(5, 2, 64);
	add_sample(5, 9, KERNEL_AT + 0x44, 1, &traps[1]);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	CHECK_SYSCALL(0x08, 0, 0);
	close_trace();
}

/* Interrupted behind the call: between them control was in the program. */
TEST(a_system_call_before_an_interrupt_has_its_number)
{
	uint64_t interrupted[6][3] = {
		{ MAP_AT + 0x0c, KERNEL_AT, PERF_BR_IRQ << 20 },
	};

	memcpy(interrupted + 1, traps, sizeof(traps));
	begin_with(TRB_SYS_ENTER);
	rec.events[0].attr.exclude_kernel = 0;
	add_syscall(5, 2, 17);
	add_syscall(5, 3, 64);
	add_sample(5, 9, KERNEL_AT + 0x20, 6, (const uint64_t(*)[3])interrupted);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	CHECK_SYSCALL(0x02, 1, 17);
	CHECK_SYSCALL(0x08, 1, 64);
	/* What interrupted it. */
	event_at(0x0c);
	close_trace();
}

static void check_fault(const char *options, unsigned int n, uint64_t id,
			uint64_t addr)
{
	struct stf_event event;

	CHECK_EQ(run_stf(options, "t.stf"), 0);
	open_trace("t.stf");
	event = event_at(0x0c);
	CHECK_EQ(event.id, id);
	CHECK_EQ(event.n_fields, n);
	CHECK_EQ(event.fields[0], MAP_AT + 0x0c);
	CHECK_EQ(event.fields[1], 0x00052583);
	if (n == 3)
		CHECK_EQ(event.fields[2], addr);
	CHECK_EQ(event_at(0x10).n_fields, 1);
	close_trace();
}

static const uint64_t fault[][3] = {
	{ KERNEL_AT + 0x44, MAP_AT + 0x0c, PERF_BR_ERET << 20 },
	{ MAP_AT + 0x0c, KERNEL_AT, 0 },
	{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
};

/* Register a0 alone tells one from the other. */
static const uint64_t *regs_of(uint64_t a0)
{
	static uint64_t regs[32];

	regs[10] = a0;
	return regs;
}

static void add_fault_of(uint64_t time, uint64_t pc, uint64_t addr, uint64_t a0)
{
	raw = (struct trb_raw){ .size = 32 };
	trb_number(&raw, 8, 8, addr);
	trb_number(&raw, 16, 8, pc);
	trb_sample(&rec, side_event, &raw,
		   (struct pdb_sample){ .ip = KERNEL_AT, .time = time,
					.pid = 5, .cpu = 3,
					.regs = regs_of(a0) });
}

static void add_fault(uint64_t time, uint64_t pc, uint64_t addr)
{
	add_fault_of(time, pc, addr, addr);
}

/* All samples have the user's registers. */
static void take_regs(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		rec.events[i].attr.sample_type |= PERF_SAMPLE_REGS_USER;
		rec.events[i].attr.sample_regs_user = UINT32_MAX;
	}
}

TEST(a_fault_has_the_address_that_it_missed)
{
	begin_with(TRB_FAULT);
	rec.events[0].attr.exclude_kernel = 0;
	add_fault(2, MAP_AT + 0x0c, 0x111000);
	add_fault(3, MAP_AT + 0x0c, 0xdead008);
	add_fault(4, MAP_AT + 0x40, 0x222000); /* of another instruction */
	add_sample(5, 9, MAP_AT + 0x10, 3, fault);
	write_files();
	check_fault("", 3, STF_FAULT_LOAD_PAGE_FAULT, 0xdead008);
}

TEST(a_fault_on_its_way_is_left_open)
{
	/* The same instruction missed another address before. */
	begin_with(TRB_FAULT);
	rec.events[0].attr.exclude_kernel = 0;
	add_fault(2, MAP_AT + 0x0c, 0x111000);
	add_sample(5, 9, KERNEL_AT + 0x44, 2, &fault[1]);
	add_fault(10, MAP_AT + 0x0c, 0xdead008);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 page faults whose address is not known"));
	open_trace("t.stf");
	CHECK_EQ(event_at(0x0c).n_fields, 2);
	close_trace();
}

/* The last one that was told is of another instruction. */
TEST(a_fault_on_its_way_is_the_next_that_is_told)
{
	begin_with(TRB_FAULT);
	rec.events[0].attr.exclude_kernel = 0;
	add_fault(2, MAP_AT + 0x40, 0x111000);
	add_sample(5, 9, KERNEL_AT + 0x44, 2, &fault[1]);
	add_fault(10, MAP_AT + 0x0c, 0xdead008);
	add_sample(5, 19, MAP_AT + 0x10, 3, fault);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 page faults with their address"));
	same_numbers();
	open_trace("t.stf");
	CHECK_EQ(event_at(0x0c).fields[2], 0xdead008);
	CHECK_EQ(event_at(0x0c).fields[2], 0xdead008);
	CHECK_EQ(event_at(0x10).n_fields, 1);
	close_trace();
}

/* By a0 of the sample, of the fault that was told before, and of that told next. */
static uint64_t addr_by_regs(uint64_t now, uint64_t before, uint64_t next)
{
	struct stf_event event;
	uint64_t addr;

	begin_with(TRB_FAULT);
	rec.events[0].attr.exclude_kernel = 0;
	take_regs();
	add_fault_of(2, MAP_AT + 0x0c, 0x111000, before);
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = KERNEL_AT + 0x44, .time = 9, .pid = 5, .cpu = 3,
		.nr_branches = 2, .branches = &fault[1],
		.regs = regs_of(now) });
	add_fault_of(10, MAP_AT + 0x0c, 0x222000, next);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	event = event_at(0x0c);
	addr = event.n_fields == 3 ? event.fields[2] : 0;
	close_trace();
	return addr;
}

TEST(registers_tell_which_fault_is_on_its_way)
{
	CHECK_EQ(addr_by_regs(7, 6, 7), 0x222000);
	CHECK_EQ(addr_by_regs(7, 7, 8), 0x111000);
	CHECK_EQ(addr_by_regs(7, 6, 8), 0);
}

/* One that the kernel has come back from has its own, not that of one before it. */
TEST(a_fault_before_one_on_its_way_is_the_last_that_was_told)
{
	const uint64_t stack[][3] = {
		{ MAP_AT + 0x0c, KERNEL_AT, 0 },
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
		{ KERNEL_AT + 0x44, MAP_AT + 0x0c, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x0c, KERNEL_AT, 0 },
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
	};
	unsigned int regs;

	for (regs = 0; regs < 2; regs++) {
		begin_with(TRB_FAULT);
		rec.events[0].attr.exclude_kernel = 0;
		if (regs)
			take_regs();
		add_fault_of(2, MAP_AT + 0x0c, 0x111000, 1);
		add_fault_of(3, MAP_AT + 0x0c, 0x222000, 2);
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = KERNEL_AT + 0x44, .time = 9, .pid = 5, .cpu = 3,
			.nr_branches = 5, .branches = stack,
			.regs = regs_of(3) });
		add_fault_of(10, MAP_AT + 0x0c, 0x333000, 3);
		write_files();
		CHECK_EQ(run_stf("", "t.stf"), 0);
		CHECK(!!strstr(run_err, " 2 page faults with their") == regs);
		CHECK(!!strstr(run_err, " 2 page faults whose address") != regs);
		if (!regs)
			continue;
		open_trace("t.stf");
		CHECK_EQ(event_at(0x0c).fields[2], 0x222000);
		CHECK_EQ(event_at(0x0c).fields[2], 0x333000);
		close_trace();
	}
}

/* The event of the last one may be missing, at the same instruction. */
TEST(faults_of_which_perf_took_some_are_not_believed)
{
	begin_with(TRB_FAULT);
	rec.events[0].attr.exclude_kernel = 0;
	rec.events[side_event].attr.freq = 1;
	add_fault(2, MAP_AT + 0x0c, 0x111000);
	add_sample(5, 9, MAP_AT + 0x10, 3, fault);
	write_files();
	check_fault("", 2, STF_FAULT_LOAD_PAGE_FAULT, 0);
	CHECK(strstr(run_err, " 1 page faults whose address is not known: not each page fault was "
			      "recorded; record -e page-faults/period=1/ -d"));
	CHECK(!strstr(run_err, "with their address"));
}

/* Nothing else tells that there were others. */
TEST(faults_without_a_record_of_which_perf_took_some_are_left_out)
{
	begin_with(TRB_FAULT);
	rec.events[side_event].attr.sample_period = 20;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	add_fault(2, MAP_AT + 0x0c, 0x111000);
	add_sample(5, 9, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 page fault left out: not each page fault was recorded"));
	CHECK(!strstr(run_err, "do not overlap"));
}

/*
 *	00: ret				the handler
 *	02: li a7, 139			rt_sigreturn
 *	06: ecall
 *	0a: ret
 */
static const uint16_t returns[] = {
	0x8082, 0x0893, 0x08b0, 0x0073, 0x0000, 0x8082,
};

static void check_signals(bool each)
{
	static const uint64_t stack[][3] = {
		{ MAP_AT + 0x00, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x0a, MAP_AT + 0x02, PERF_BR_RET << 20 },
	};

	begin_with(TRB_SIGNAL);
	elf.code = returns;
	elf.code_size = sizeof(returns);
	rec.events[side_event].attr.freq = !each;
	raw = (struct trb_raw){ .size = 40 };
	trb_number(&raw, 24, 8, MAP_AT);
	add_side(5, 2);
	add_sample(5, 9, MAP_AT + 0x0a, 2, stack);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!!strstr(run_err, " 1 signals that started a handler") == each);
	CHECK(!!strstr(run_err, " 1 returns of signal handlers, in a recording of some signals") !=
	      each);
}

/* A start that perf did not take is not noticed, as in a recording without signals. */
TEST(signals_of_which_perf_took_some_are_as_none)
{
	check_signals(true);
	check_signals(false);
}

/* User code alone: the fault has no record. It stands where the path goes on. */
TEST(a_fault_without_a_record_stands_between_two_samples)
{
	struct stf_event event;

	begin_with(TRB_FAULT);
	add_fault(2, MAP_AT + 0x0c, 0x111000); /* before the first sample */
	add_first();
	add_fault(10, MAP_AT + 0x0c, 0xdead008);
	add_fault(11, KERNEL_AT + 0x0c, 0x222000); /* the kernel's own */
	add_second();
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples joined"));
	CHECK(strstr(run_err, " 1 page faults with their address"));
	CHECK(strstr(run_err, " 1 page fault left out: before the first sample"));
	CHECK(strstr(run_err, " 1 page fault left out: the trace does not"));
	same_numbers();
	open_trace("t.stf");
	event = event_at(0x0c);
	CHECK_EQ(event.id, STF_FAULT_LOAD_PAGE_FAULT);
	CHECK_EQ(event.n_fields, 3);
	CHECK_EQ(event.fields[2], 0xdead008);
	CHECK_EQ(inst.next_pc, MAP_AT + 0x0c);
	/* Now it executes. */
	CHECK_INST(0x0c, 0x10, 0);
	CHECK_INST(0x10, 0x00, TAKEN);
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x06, EVENT);
	CHECK_INST(0x06, 0x08, 0);
	CHECK_INST(0x08, 0x08, EVENT);
	close_trace();
	CHECK_EQ(run("ssctr check -x MEM_MISSING -x EVENT_FIELDS %s/t.stf",
		     test_tmpdir()), 0);
}

/*
 * The instruction runs twice between two samples, and changes no register that is known: not
 * even registers tell which time it was.
 */
TEST(what_helps_to_place_a_fault_depends_on_what_was_recorded)
{
	static const uint64_t four[][3] = {
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 | 2 },
		{ MAP_AT + 0x10, MAP_AT + 0x00, PERF_BR_UNCOND << 20 },
	};
	static const struct {
		bool regs, of32;
		const char *hint;
	} rows[] = {
		{ false, false, "record --user-regs too\n" },
		{ true, false, "record with a shorter period\n" },
		{ false, true, "record with a shorter period\n" },
	};
	struct pdb_buf *arch;
	char text[160];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		begin_with(TRB_FAULT);
		if (rows[i].regs)
			take_regs();
		if (rows[i].of32) {
			arch = pdb_feature(&rec, 6);
			pdb_u32(arch, 8);
			pdb_text(arch, "riscv32");
		}
		add_first();
		add_fault_of(10, MAP_AT + 0x0c, 0x111000, 0x900a);
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x08, .time = 19, .pid = 5, .cpu = 3, .period = 2,
			.nr_branches = 4, .branches = four });
		write_files();
		CHECK_EQ(run_stf("", "t.stf"), 0);
		CHECK(strstr(run_err, " 1 samples joined"));
		snprintf(text, sizeof(text),
			 " 1 page fault left out: it is not certain when the instruction faulted; %s",
			 rows[i].hint);
		if (!strstr(run_err, text))
			test_fail(__FILE__, __LINE__, "%u: %s", i, run_err);
	}
}

/* The path of the second sample has the instruction, but may begin after the faults. */
TEST(faults_between_samples_that_do_not_overlap_are_left_out)
{
	begin_with(TRB_FAULT);
	add_sample(5, 9, MAP_AT + 0x02, 4, loop);
	add_fault(10, MAP_AT + 0x0c, 0x111000);
	add_fault(11, MAP_AT + 0x0c, 0x222000);
	add_sample(5, 12, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 page faults left out: between samples that do not overlap; record with a shorter period\n"));
	CHECK(!strstr(run_err, "before the first sample"));
	CHECK(!strstr(run_err, "does not show"));
	CHECK_EQ(run_stf("--stitch never", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 page faults left out: between samples that do not overlap, or that --stitch never does not join; record with a shorter period, and leave out --stitch never\n"));
}

TEST(a_fault_at_the_instruction_itself_is_one_of_fetching)
{
	begin_with(TRB_FAULT);
	rec.events[0].attr.exclude_kernel = 0;
	add_fault(2, MAP_AT + 0x0c, MAP_AT + 0x0e);
	add_sample(5, 9, MAP_AT + 0x10, 3, fault);
	write_files();
	check_fault("", 2, STF_FAULT_INST_PAGE_FAULT, 0);
}

TEST(an_interrupt_has_its_cause)
{
	static const uint64_t stack[][3] = {
		{ KERNEL_AT + 0x44, MAP_AT + 0x06, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x06, KERNEL_AT, PERF_BR_IRQ << 20 },
		{ KERNEL_AT + 0x44, MAP_AT + 0x06, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x06, KERNEL_AT, PERF_BR_IRQ << 20 },
	};
	struct stf_event event;
	int i;

	begin_with(TRB_IRQ);
	rec.events[0].attr.exclude_kernel = 0;
	for (i = 0; i < 2; i++) {
		raw = (struct trb_raw){ .size = 16 };
		if (i)
			trb_array(&raw, 12, "riscv-pmu", 10);
		else
			trb_array(&raw, 12, "riscv-timer", 12);
		add_side(5, 2 + i);
	}
	add_sample(5, 9, MAP_AT + 0x06, 4, stack);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 traps whose cause is not known"));
	open_trace("t.stf");
	event = event_at(0x06);
	CHECK_EQ(event.id, STF_EVENT_INTERRUPT | STF_INT_PLATFORM_0);
	event = event_at(0x06);
	CHECK_EQ(event.id, STF_EVENT_INTERRUPT | 5);
	event = event_at(0x06);
	CHECK_EQ(event.id, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW);
	close_trace();
}

TEST(damaged_formats_of_tracepoints_are_an_error)
{
	begin_with(TRB_SYS_ENTER);
	rec.features[0].body.n = 100;
	add_sample(5, 9, MAP_AT + 0x0c, 2, around);
	write_files();
	CHECK_REFUSED(run_stf("", "t.stf"), 1,
		      "the formats of its tracepoints are damaged");
}
