// SPDX-License-Identifier: GPL-2.0-only
/* ssctr stf and report: from a recording and an ELF file to a trace. */
#include "cmd-sample.h"

#include <signal.h>
#include <sys/socket.h>

TEST(a_sample_becomes_its_instructions)
{
	struct stf_event event;

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "1 samples used"));
	CHECK(strstr(run_err, "4 transfers"));
	CHECK(strstr(run_err, "10 instructions"));
	CHECK(strstr(run_err, " 1 samples without a break, of 1 used"));
	open_trace("t.stf");
	check_loop(MODE);
	CHECK_EQ(inst.mode, STF_MODE_USER);
	CHECK_EQ(inst.process.hart, 3);
	CHECK_EQ(inst.process.pid, 5);
	CHECK_EQ(inst.process.tid, 5);
	event = find_event();
	CHECK_EQ(event.id, STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW);
	CHECK_EQ(event.n_fields, 1);
	CHECK_EQ(event.fields[0], 0);
	CHECK_EQ(stf_reader_params(reader)->features, 0x804a8);
	close_trace();
}

/* It is not certain that anything at the target of the newest branch was executed. */
TEST(the_transfers_are_those_of_the_trace)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(5, 3, UINT64_C(0xffffffff80001000), 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 7 transfers\n"));
	CHECK(strstr(run_err, " 1 transfers left out: it is not certain what ran before or after them\n"));
	CHECK(strstr(run_err, " 1 samples taken in a mode that was not recorded\n"));
	CHECK_EQ(run("cd %s && ssctr dump t.stf | grep -c -- '->'", test_tmpdir()), 0);
	CHECK_STR(run_out, "7\n");
}

TEST(samples_follow_each_other_with_a_gap)
{
	begin();
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.zstf"), 0);
	open_trace("t.zstf");
	check_loop(MODE);
	check_loop(GAP);
	close_trace();
}

/* Five instructions ran since the first sample, and the path of the second one has nine. */
TEST(what_is_shown_more_than_once_is_told)
{
	unsigned int i;

	begin();
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	for (i = 2; i < 4; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x02, .time = i, .pid = 5, .cpu = 3, .period = 5,
			.nr_branches = 4, .branches = loop });
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 4 instructions are shown more than once, because samples overlap whose periods do not prove it; record "));
	open_trace("t.stf");
	check_loop(MODE);
	check_loop(GAP);
	close_trace();
	CHECK_EQ(run_stf("--stitch never", "t.stf"), 0);
	CHECK(strstr(run_err, " 4 instructions are shown more than once, because --stitch never does not join samples that overlap\n"));
}

/* docs/trace.md names the requirements that such a trace cannot meet. */
TEST(a_trace_of_vector_code_has_no_vlen)
{
	uint16_t vector[sizeof(code) / sizeof(code[0])];

	begin();
	memcpy(vector, code, sizeof(code));
	vector[0x12 / 2] = 0x80d7; /* vadd.vv v1, v2, v3 */
	vector[0x14 / 2] = 0x0221;
	elf.code = vector;
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK_EQ(run("cd %s && ssctr check -x MEM_MISSING -x EVENT_FIELDS t.stf", test_tmpdir()), 1);
	CHECK(strstr(run_out, "NO_VLEN                         1  vector instructions without a VLEN_CONFIG; "));
	CHECK_EQ(run("cd %s && ssctr check -x MEM_MISSING -x EVENT_FIELDS -x NO_VLEN t.stf", test_tmpdir()), 0);
}

/* On a kernel of 64 bits: the file of the program tells it. */
TEST(the_header_says_how_many_bits_a_program_has)
{
	char path[160];

	begin();
	elf.is32 = true;
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!strstr(run_err, "decode wrongly"));
	open_trace("t.stf");
	check_loop(MODE);
	CHECK_EQ(stf_reader_params(reader)->iem, STF_IEM_RV32);
	CHECK_EQ(stf_reader_params(reader)->features & STF_FEATURE_RV64, 0);
	close_trace();
	/* And another one of 64 bits. */
	begin();
	elf.is32 = true;
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/y", 1);
	add_sample(6, 3, MAP_AT + 0x02, 4, loop);
	write_files();
	elf.is32 = false;
	snprintf(path, sizeof(path), "%s/y", test_tmpdir());
	CHECK(elfb_write(&elf, path));
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "          10 instructions that readers decode wrongly, because the trace has programs of 32 and of 64 bits"));
	CHECK_EQ(run_stf("--pid 6", "t.stf"), 0);
	CHECK(!strstr(run_err, "decode wrongly"));
	open_trace("t.stf");
	check_loop(MODE);
	CHECK_EQ(stf_reader_params(reader)->iem, STF_IEM_RV64);
	close_trace();
}

/* As `perf record -b -e cycles:u,instructions:u`: both events sample the same loop. */
TEST(two_events_with_the_same_branches_are_one_path)
{
	unsigned int other;

	begin();
	other = pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	rec.events[other].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	add_sample(5, 9, MAP_AT + 0x02, 4, loop);
	pdb_sample(&rec, other, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 10, .pid = 5, .cpu = 3,
		.nr_branches = 4, .branches = loop });
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples used\n"));
	CHECK(strstr(run_err, " 1 samples left out, because another event records all "
			      "branches that their event records\n"));
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
}

/* One of cycles:u and one of cycles:k: the branches of one are not those of the other. */
TEST(events_of_user_code_and_of_the_kernel_are_both_shown)
{
	static const uint64_t kernel[][3] = {
		{ KERNEL_AT + 0x10, KERNEL_AT + 0x20, PERF_BR_UNCOND << 20 },
	};
	unsigned int other;

	begin();
	other = pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	rec.events[other].attr.exclude_kernel = 0;
	rec.events[other].attr.exclude_user = 1;
	add_sample(5, 9, MAP_AT + 0x02, 4, loop);
	pdb_sample(&rec, other, &(struct pdb_sample){
		.ip = KERNEL_AT + 0x20, .time = 10, .pid = 5, .cpu = 3,
		.nr_branches = 1, .branches = kernel });
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples used\n"));
	CHECK(!strstr(run_err, "samples left out"));
}

/* The recording as "pipe", and its program. */
static void write_pipe(void)
{
	char path[128];

	pdb_finish_pipe(&rec);
	snprintf(path, sizeof(path), "%s/pipe", test_tmpdir());
	CHECK(pdb_write(&rec, path));
	pdb_free(&rec);
	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	CHECK(elfb_write(&elf, path));
}

/* The call into the kernel stands only in the samples of the event of both modes. */
TEST(an_event_of_user_code_and_the_kernel_is_taken_whichever_is_sampled_first)
{
	static const uint64_t both[][3] = {
		{ KERNEL_AT + 0x10, KERNEL_AT + 0x20, PERF_BR_UNCOND << 20 },
		{ MAP_AT + 0x0a, KERNEL_AT + 0x00, PERF_BR_SYSCALL << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	};
	unsigned int other;
	int user_first, pipe;

	for (user_first = 0; user_first < 2; user_first++) {
		for (pipe = 0; pipe < 2; pipe++) {
			begin();
			other = pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
			rec.events[other].attr.exclude_kernel = 0;
			add_sample(5, user_first ? 9 : 11, MAP_AT + 0x02, 4, loop);
			pdb_sample(&rec, other, &(struct pdb_sample){
				.ip = KERNEL_AT + 0x20, .time = 10, .pid = 5, .cpu = 3,
				.nr_branches = 3, .branches = both });
			if (pipe)
				write_pipe();
			else
				write_files();
			CHECK_EQ(run("cd %s && ssctr stf -i %s --symfs . --allow-partial -o t.stf",
				     test_tmpdir(), pipe ? "- < pipe" : "perf.data"), 0);
			CHECK(strstr(run_err, " 1 samples used\n"));
			/* The kernel's code is not known. */
			CHECK(strstr(run_err, " 2 transfers\n"));
			CHECK(strstr(run_err, " 1 transfers left out: "));
			CHECK(strstr(run_err, " 1 samples left out, because another event"));
		}
	}
}

TEST(a_change_of_thread_is_told)
{
	begin();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 2);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	add_sample(6, 4, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	check_loop(MODE);
	CHECK_EQ(inst.process.pid, 5);
	check_loop(0); /* the first one of its thread */
	CHECK_EQ(inst.process.pid, 6);
	close_trace();
}

TEST(the_header_says_who_made_it)
{
	struct stf_record r;
	bool info = false, comment = false;

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("--generator 6", "t.stf"), 0);
	open_trace("t.stf");
	stf_inst_iter_free(iter);
	iter = NULL;
	while (stf_reader_next(reader, &r) == 1 && r.desc != STF_END_HEADER) {
		if (r.desc == STF_TRACE_INFO) {
			info = true;
			CHECK_EQ(r.trace_info.generator, 6);
			CHECK(memmem(r.trace_info.text.data,
				     r.trace_info.text.size, "ssctr", 5));
		}
		if (r.desc == STF_COMMENT)
			comment |= !!memmem(r.text.data, r.text.size,
					    "ssctr", 5);
	}
	CHECK(info && comment);
	stf_reader_close(reader);
}

TEST(a_trap_into_unknown_code_is_an_event)
{
	/* Kernel and user recorded; of the kernel no code is known. */
	static const uint64_t stack[][3] = {
		{ KERNEL_AT + 0x44, MAP_AT + 0x0e, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x0a, KERNEL_AT, PERF_BR_SYSCALL << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	};
	struct stf_event event;

	begin();
	rec.events[0].attr.exclude_kernel = 0;
	add_sample(5, 2, MAP_AT + 0x0e, 3, stack);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 breaks: the code is not known: the kernel"));
	open_trace("t.stf");
	CHECK_INST(0x16, 0x0a, TAKEN | MODE);
	CHECK_INST(0x0a, KERNEL_AT - MAP_AT, EVENT);
	event = find_event();
	CHECK_EQ(event.id, STF_FAULT_USER_ECALL);
	/* The return from the trap is not shown; it goes on at its target. */
	CHECK_INST(0x0e, 0x0e, EVENT | GAP);
	close_trace();
}

TEST(a_fault_is_told_by_its_instruction)
{
	static const uint64_t stack[][3] = {
		{ KERNEL_AT + 0x44, MAP_AT + 0x12, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x12, KERNEL_AT, 0 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
	};
	struct stf_event event;

	begin();
	rec.events[0].attr.exclude_kernel = 0;
	add_sample(5, 2, MAP_AT + 0x16, 3, stack);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	CHECK_INST(0x06, 0x12, TAKEN | MODE);
	CHECK_INST(0x12, KERNEL_AT - MAP_AT, EVENT);
	event = find_event();
	CHECK_EQ(event.id, STF_FAULT_LOAD_PAGE_FAULT);
	CHECK_EQ(event.n_fields, 2);
	CHECK_EQ(event.fields[0], MAP_AT + 0x12);
	CHECK_EQ(event.fields[1], 0x00052583);
	CHECK_INST(0x12, 0x16, GAP);
	CHECK_INST(0x16, 0x16, EVENT);
	close_trace();
}

static const uint16_t with_sret[] = {
	0x0505, 0x0463, 0x00b5, 0x00ef, 0x00c0, 0x0073, 0x0000, 0x8082,
	0x0001, 0x2583, 0x0005, 0x8082, 0x0001,
	0x0001,			/* 1a: c.nop */
	0x0073, 0x1020,		/* 1c: sret */
};

TEST(a_trap_into_known_code_and_back)
{
	/* The file lies in the kernel's half, too, and stands for its code. */
	static const uint64_t stack[][3] = {
		{ KERNEL_AT + 0x1c, MAP_AT + 0x0e, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x0a, KERNEL_AT + 0x1a, PERF_BR_SYSCALL << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	};

	begin();
	elf.code = with_sret;
	elf.code_size = sizeof(with_sret);
	rec.events[0].attr.exclude_kernel = 0;
	pdb_mmap2(&rec, 5, KERNEL_AT, 0x1000, ELFB_CODE, "/x", 1);
	add_sample(5, 2, MAP_AT + 0x0e, 3, stack);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples without a break, of 1 used"));
	open_trace("t.stf");
	CHECK_INST(0x16, 0x0a, TAKEN | MODE);
	CHECK_EQ(inst.mode, STF_MODE_USER);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.pc, MAP_AT + 0x0a);
	CHECK_EQ(inst.next_pc, KERNEL_AT + 0x1a);
	CHECK_EQ(inst.mode, STF_MODE_USER);
	CHECK_EQ(inst.flags & ~STF_INST_F_PROCESS,
		 MODE | EVENT);
	CHECK_EQ(find_event().id, STF_FAULT_USER_ECALL);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.pc, KERNEL_AT + 0x1a);
	CHECK_EQ(inst.mode, STF_MODE_SUPERVISOR);
	/* Where the kernel is mapped is told at its first instruction. */
	CHECK_EQ(inst.flags, STF_INST_F_COMMENT | STF_INST_F_PROCESS);
	/* sret: no branch, but the event that the mode changes. */
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.pc, KERNEL_AT + 0x1c);
	CHECK_EQ(inst.next_pc, MAP_AT + 0x0e);
	CHECK_EQ(inst.flags, MODE | STF_INST_F_EVENT_TARGET);
	CHECK_INST(0x0e, 0x0e, EVENT);
	CHECK_EQ(inst.mode, STF_MODE_USER);
	close_trace();
}

/* A kernel with a function that may be traced, and the list of such. */
static const struct {
	uint16_t text[8];
	uint64_t traced;
} small_kernel = {
	{
		0x0505,			/* 00: c.addi a0, 1 */
		1, 1, 1, 1,		/* 02: c.nop */
		0x0505,			/* 0a: c.addi a0, 1 */
		0x0073, 0x1020,		/* 0c: sret */
	},
	ELFB_ADDR + ELFB_CODE + 0x02,
};

static const uint8_t kernel_id[24] = { 7 }, other_kernel_id[24] = { 8 };

/* A call of the system that starts at an offset in the kernel and comes back. */
static void record_kernel(uint64_t offset, const uint8_t *id)
{
	const uint64_t stack[][3] = {
		{ KERNEL_AT + 0x0c, MAP_AT + 0x0e, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x0a, KERNEL_AT + offset, PERF_BR_SYSCALL << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	};
	static const char *const names[] = {
		"_stext", "_etext", "__start_mcount_loc", "__stop_mcount_loc",
		"ftrace_init",
	};
	static const uint8_t at[] = { 0, 0x10, 0x10, 0x18, 0 };
	struct elfb vmlinux = { .code = &small_kernel,
				.code_size = sizeof(small_kernel),
				.build_id = id, .build_id_size = 20 };
	char path[128];
	unsigned int i;

	for (i = 0; i < sizeof(at); i++)
		vmlinux.symbols[vmlinux.nr_symbols++] = (struct elfb_symbol){
			names[i], ELFB_ADDR + ELFB_CODE + at[i], 0, 0
		};
	snprintf(path, sizeof(path), "%s/vmlinux", test_tmpdir());
	CHECK(elfb_write(&vmlinux, path));
	begin();
	rec.events[0].attr.exclude_kernel = 0;
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x1000, KERNEL_AT,
		 "[kernel.kallsyms]_stext", 0);
	pdb_build_id(&rec, PDB_MISC_KERNEL, kernel_id, "[kernel.kallsyms]");
	add_sample(5, 2, MAP_AT + 0x0e, 3, stack);
	write_files();
	snprintf(path, sizeof(path), "--vmlinux %s/vmlinux", test_tmpdir());
	CHECK_EQ(run_stf(path, "t.stf"), 0);
}

TEST(vmlinux_is_the_kernels_code)
{
	record_kernel(0x0a, kernel_id);
	CHECK(strstr(run_err, " 1 samples without a break, of 1 used"));
	open_trace("t.stf");
	CHECK_INST(0x16, 0x0a, TAKEN | MODE);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.next_pc, KERNEL_AT + 0x0a);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.pc, KERNEL_AT + 0x0a);
	CHECK_EQ(inst.opcode, 0x0505);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.pc, KERNEL_AT + 0x0c);
	CHECK_EQ(inst.opcode, 0x10200073);
	CHECK_INST(0x0e, 0x0e, EVENT);
	close_trace();
}

TEST(what_the_kernel_changes_in_itself_is_not_taken_from_vmlinux)
{
	record_kernel(0x00, kernel_id);
	CHECK(strstr(run_err,
		     " 1 breaks: the code is not known: code that the kernel changes at run time; record with perf record --kcore, or only user code (-e cycles:u)"));
	open_trace("t.stf");
	while (stf_inst_iter_next(iter, &inst) == 1)
		CHECK(inst.pc < KERNEL_AT + 0x02 || inst.pc >= KERNEL_AT + 0x0a);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

TEST(vmlinux_of_another_build_is_named_and_not_used)
{
	record_kernel(0x0a, other_kernel_id);
	CHECK(strstr(run_err, "/vmlinux: another kernel"));
	CHECK(strstr(run_err, "08000000"));
	CHECK(strstr(run_err, "07000000"));
	CHECK(strstr(run_err, "a file of another build"));
	open_trace("t.stf");
	while (stf_inst_iter_next(iter, &inst) == 1)
		CHECK(inst.pc < KERNEL_AT);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

TEST(a_path_that_starts_with_a_return_says_from_which_mode)
{
	static const uint64_t into[][3] = {
		{ MAP_AT + 0x0a, KERNEL_AT + 0x1a, PERF_BR_SYSCALL << 20 },
	};
	static const uint64_t back[][3] = {
		/* Nothing is known of the code there. */
		{ KERNEL_AT + 0x1c, MAP_AT + 0x40000, PERF_BR_ERET << 20 },
	};

	begin();
	elf.code = with_sret;
	elf.code_size = sizeof(with_sret);
	rec.events[0].attr.exclude_kernel = 0;
	pdb_mmap2(&rec, 5, KERNEL_AT, 0x1000, ELFB_CODE, "/x", 1);
	add_sample(5, 2, KERNEL_AT + 0x1c, 1, into);
	add_sample(5, 3, MAP_AT + 0x40000, 1, back);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	while (stf_inst_iter_next(iter, &inst) == 1)
		if (inst.pc == KERNEL_AT + 0x1c && inst.flags & STF_INST_F_FORCE_PC)
			break;
	CHECK_EQ(inst.pc, KERNEL_AT + 0x1c);
	CHECK_EQ(inst.mode, STF_MODE_SUPERVISOR);
	close_trace();
}

/* The call's target may not have run before the handler did, whose jump comes next. */
TEST(a_branch_to_where_a_signal_may_have_come_is_not_shown)
{
	static const uint64_t stack[][3] = {
		{ MAP_AT + 0x18, MAP_AT + 0x0a, PERF_BR_IND << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
	};

	begin();
	add_sample(5, 2, MAP_AT + 0x0e, 3, stack);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 breaks: an unconditional jump in between"));
	open_trace("t.stf");
	CHECK_INST(0x0e, 0x00, TAKEN | MODE);
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x06, 0);
	CHECK_INST(0x18, 0x0a, TAKEN | GAP);
	CHECK_INST(0x0a, 0x0e, EVENT);
	CHECK_INST(0x0e, 0x0e, EVENT);
	close_trace();
}

/* Of a period that is below the number of records. */
static void add_short(uint32_t pid, uint64_t time, uint64_t ip, unsigned int nr,
		      const uint64_t (*branches)[3])
{
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = ip, .time = time, .pid = pid, .cpu = 3, .period = 2,
		.nr_branches = nr, .branches = branches });
}

/* A sample that was taken away from user code does not tell what ran there last. */
TEST(the_last_branch_waits_for_what_ran_at_its_target)
{
	bool alone;

	for (alone = false;; alone = true) {
		begin();
		add_short(5, 2, KERNEL_AT, 3, loop + 1);
		/* Another thread is written in between. */
		if (alone)
			add_short(6, 3, KERNEL_AT, 1, loop);
		add_short(5, 4, MAP_AT + 0x02, 4, loop);
		write_files();
		CHECK_EQ(run_stf("", "t.stf"), 0);
		CHECK(strstr(run_err, " 1 samples joined"));
		open_trace("t.stf");
		CHECK_INST(0x0e, 0x00, TAKEN | MODE);
		CHECK_INST(0x00, 0x02, 0);
		CHECK_INST(0x02, 0x06, 0);
		CHECK_INST(0x06, 0x12, TAKEN);
		CHECK_INST(0x12, 0x16, 0);
		CHECK_INST(0x16, 0x0a, TAKEN);
		CHECK_EQ(!!(inst.flags & STF_INST_F_FORCE_PC), alone);
		CHECK_INST(0x0a, 0x0e, EVENT);
		CHECK_INST(0x0e, 0x00, TAKEN);
		CHECK_INST(0x00, 0x02, 0);
		CHECK_INST(0x02, 0x02, EVENT);
		close_trace();
		if (alone)
			break;
	}
}

/* Nothing leads to the branch that comes again: it was the path's first. */
TEST(a_path_that_was_not_shown_at_all_starts_anew)
{
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	add_sample(5, 2, KERNEL_AT, 1, loop + 1);
	add_short(5, 3, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples joined"));
	open_trace("t.stf");
	check_loop(MODE);
	CHECK_INST(0x16, 0x0a, TAKEN | GAP);
	CHECK_INST(0x0a, 0x0e, EVENT);
	CHECK_INST(0x0e, 0x00, TAKEN);
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x02, EVENT);
	close_trace();
}

TEST(code_beyond_the_mapping_is_not_known)
{
	/* The file goes on after it; memory does not have to. */
	begin();
	rec.data.n = 0;
	pdb_mmap2(&rec, 5, MAP_AT, 0x12, ELFB_CODE, "/x", 1);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 breaks: the code is not known: nothing mapped"));
	open_trace("t.stf");
	CHECK_INST(0x0e, 0x00, TAKEN | MODE);
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x06, 0);
	CHECK_INST(0x0a, 0x0e, EVENT | GAP);
	CHECK_INST(0x0e, 0x00, TAKEN);
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x02, EVENT);
	close_trace();
}

TEST(a_branch_into_unknown_code_is_left_out)
{
	static const uint64_t stack[][3] = {
		{ 0x99000, MAP_AT + 0x12, PERF_BR_RET << 20 },
		{ MAP_AT + 0x18, 0x99000, PERF_BR_IND << 20 },
		{ MAP_AT + 0x0e, MAP_AT + 0x18, PERF_BR_RET << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	};

	begin();
	add_sample(5, 2, MAP_AT + 0x16, 4, stack);
	write_files();
	CHECK_EQ(run_stf("-v", "t.stf"), 0);
	CHECK(strstr(run_err, "from 0x99000: the code is not known: nothing mapped"));
	CHECK(strstr(run_err, "1 breaks: the code is not known: nothing mapped"));
	CHECK(strstr(run_err, "0 samples without a break"));
	open_trace("t.stf");
	CHECK_INST(0x16, 0x0a, TAKEN | MODE);
	CHECK_INST(0x0a, 0x0e, EVENT);
	/* Neither the jalr nor the ret that leads to it. */
	CHECK_INST(0x12, 0x16, GAP);
	CHECK_INST(0x16, 0x16, EVENT);
	close_trace();
}

/* How often the command wrote to standard error: each time is a packet. */
static unsigned int nr_writes(void)
{
	char ssctr[1024], packet[1 << 16];
	ssize_t n = readlink("/proc/self/exe", ssctr, sizeof(ssctr) - 8);
	unsigned int nr = 0;
	int ends[2], status;
	pid_t pid;

	CHECK(n > 0 && !socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
	ssctr[n] = 0;
	strcpy(strrchr(ssctr, '/'), "/ssctr");
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		if (!chdir(test_tmpdir()))
			execl(ssctr, "ssctr", "stf", "-v", "perf.data", "--symfs", ".", "-o",
			      "t.stf", "--allow-partial", NULL);
		_exit(2);
	}
	close(ends[1]);
	while (recv(ends[0], packet, sizeof(packet), 0) > 0)
		nr++;
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
	return nr;
}

/* Each line has more than 50 bytes, and each block more than 1000. */
TEST(many_breaks_are_written_in_blocks)
{
	static const uint64_t stack[][3] = {
		{ 0x99000, MAP_AT + 0x12, PERF_BR_RET << 20 },
		{ MAP_AT + 0x18, 0x99000, PERF_BR_IND << 20 },
		{ MAP_AT + 0x0e, MAP_AT + 0x18, PERF_BR_RET << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	};
	unsigned int i;

	begin();
	for (i = 0; i < 200; i++)
		add_sample(5, 2 + i, MAP_AT + 0x16, 4, stack);
	write_files();
	CHECK(nr_writes() < 200 / 4);
}

TEST(standard_output_takes_a_trace)
{
	const char *dir = test_tmpdir();

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr stf -i %s/perf.data --symfs %s -o - >%s/t.stf",
		     dir, dir, dir), 0);
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
}

TEST(options_choose_samples)
{
	static const char *const options[] = {
		"--pid 6", "--pid 1-4,6-7", "--tid 66", "--cpu 2",
		"--comm six", "--comm five,six --comm none",
		"--time 0.0000006,0.0000008",
	};
	size_t i;

	begin();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 2);
	pdb_comm(&rec, 0, 66, "six", 2);
	add_sample(5, 500, MAP_AT + 0x02, 4, loop);
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 700, .pid = 6, .tid = 66, .cpu = 2,
		.nr_branches = 4, .branches = loop });
	add_sample(5, 890, MAP_AT + 0x02, 4, loop);
	write_files();
	for (i = 0; i < sizeof(options) / sizeof(*options); i++) {
		CHECK_EQ(run_stf(options[i], "t.stf"), 0);
		CHECK(strstr(run_err, " 1 samples used"));
		CHECK(strstr(run_err, " 2 samples left out by the options"));
		open_trace("t.stf");
		check_loop(MODE);
		CHECK_EQ(inst.process.pid, 6);
		CHECK_EQ(inst.process.tid, 66);
		close_trace();
	}
}

/* Two samples in /x, one in each of its functions, and one in another binary. */
TEST(samples_are_chosen_by_where_they_were_taken)
{
	static const struct {
		const char *options;
		unsigned int used;
	} chosen[] = {
		{ "--dso x", 2 }, { "--dso /x", 2 }, { "--dso none,x", 2 }, { "--dso ,x", 2 },
		{ "--symbol main", 1 }, { "--symbol load,mai", 1 },
		{ "--symbol main --symbol load", 2 }, { "--dso x --symbol load", 1 },
		{ "--dso x,y.so", 3 },
	};
	size_t i;

	begin();
	pdb_mmap2(&rec, 5, 0x70000, 0x1000, ELFB_CODE, "/lib/y.so", 2);
	add_sample(5, 500, MAP_AT + 0x02, 4, loop);
	add_sample(5, 600, MAP_AT + 0x12, 3, loop + 1);
	add_sample(5, 700, 0x70000, 4, loop);
	write_files();
	for (i = 0; i < sizeof(chosen) / sizeof(*chosen); i++) {
		char used[64];

		CHECK_EQ(run_stf(chosen[i].options, "t.stf"), 0);
		snprintf(used, sizeof(used), " %u samples used", chosen[i].used);
		if (!strstr(run_err, used))
			test_fail(__FILE__, __LINE__, "%s: no \"%s\" in: %s",
				  chosen[i].options, used, run_err);
	}
	CHECK_EQ(run_stf("--dso lib", "t.stf"), 1);
	CHECK(strstr(run_err, "no samples that the options select"));
	CHECK_EQ(run_stf("--dso y.so --symbol main", "t.stf"), 1);
}

TEST(a_function_whose_name_has_a_comma_can_be_chosen)
{
	begin();
	elf.symbols[0].name = "_ZN1tcmEi"; /* t::operator,(int) */
	elf.symbols[1].name = "a,b;c";
	add_sample(5, 500, MAP_AT + 0x02, 4, loop);
	add_sample(5, 600, MAP_AT + 0x12, 3, loop + 1);
	write_files();
	CHECK_EQ(run_stf("--symbol 'a,b;c'", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples used"));
	CHECK_EQ(run_stf("--symbol 't::operator,'", "t.stf"), 0);
	CHECK(strstr(run_err, " 1 samples used"));
	CHECK_EQ(run_stf("--symbol 'a,b;c' --symbol _ZN1tcmEi", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples used"));
}

TEST(cpus_cannot_be_chosen_where_no_sample_tells_its_own)
{
	begin();
	rec.data.n = 0;
	rec.events[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CPU;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	add_sample(5, 9, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_REFUSED(run_stf("--cpu 3", "t.stf"), 1,
		      "perf.data: the samples do not tell on which CPU they were taken; "
		      "record with -a or --sample-cpu");
	CHECK_EQ(run_stf("", "t.stf"), 0);
}

/* Two samples as `perf record --no-timestamp --sample-cpu` takes them. */
static void record_without_times(unsigned int second_cpu)
{
	begin();
	rec.data.n = 0;
	rec.events[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	add_sample(5, 0, MAP_AT + 0x02, 4, loop);
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .pid = 5, .cpu = second_cpu,
		.nr_branches = 4, .branches = loop });
	write_files();
}

TEST(times_cannot_be_chosen_where_no_sample_tells_its_own)
{
	static const char *const options[] = { "--time 9,", "--time ,9", "--time 10%-20%" };
	size_t i;

	record_without_times(3);
	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		CHECK_REFUSED(run_stf(options[i], "t.stf"), 1,
			      "perf.data: the samples do not tell when they were taken, so "
			      "--time cannot choose; record with -T");
}

/* The file has the samples of one CPU behind those of another. */
TEST(samples_of_two_cpus_without_times_have_an_unknown_order)
{
	record_without_times(2);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples without a time, so their order in the trace may be wrong; "
			      "record with -T\n"));
	record_without_times(3);
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!strstr(run_err, "without a time"));
}

TEST(options_that_leave_nothing_are_an_error)
{
	begin();
	add_sample(5, 500, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("--time 0.9,", "t.stf"), 1);
	CHECK(strstr(run_err, "no samples that the options select"));
	check_nothing_left(__LINE__);
}

TEST(bad_options_are_usage_errors)
{
	static const char *const options[] = {
		"--pid x", "--pid 4-2", "--pid 1,", "--cpu -1", "--time 5",
		"--time 2,1", "--time 1,2,3", "--tid 99999999999",
		"--generator 0", "--generator 255", "--nonsense", "operand",
	};
	size_t i;

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		CHECK_REFUSED(run_stf(options[i], "t.stf"), 2, "ssctr stf: ");
	CHECK_REFUSED(run("ssctr stf -i %s/perf.data",
			  test_tmpdir()), 2, "-o");
}

TEST(without_branch_stacks_it_says_how_to_record)
{
	begin();
	rec.events[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	add_sample(5, 2, MAP_AT + 0x02, 0, NULL);
	write_files();
	CHECK_REFUSED(run_stf("", "t.stf"), 1, "perf record -b");
}

TEST(filtered_branches_are_no_path)
{
	begin();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_REFUSED(run_stf("", "t.stf"), 1, "perf record -b");
}

TEST(empty_stacks_are_an_error)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 0, NULL);
	write_files();
	CHECK_REFUSED(run_stf("", "t.stf"), 3, "all branch stacks are empty");
}

TEST(other_machines_are_refused)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	pdb_feature_text(&rec, 6, "x86_64");
	write_files();
	CHECK_REFUSED(run_stf("", "t.stf"), 1, "recorded on x86_64");
}

TEST(missing_and_foreign_recordings_are_refused)
{
	const char *dir = test_tmpdir();

	CHECK_REFUSED(run_stf("", "t.stf"), 1, "No such file or directory");
	CHECK_EQ(run("echo no recording >%s/perf.data", dir), 0);
	CHECK_REFUSED(run_stf("", "t.stf"), 1, "not a perf.data file");
	CHECK_EQ(run("rm %s/perf.data; mkdir %s/perf.data", dir, dir), 0);
	CHECK_REFUSED(run_stf("", "t.stf"), 1, "is a folder");
}

TEST(a_cut_recording_leaves_no_trace)
{
	const char *dir = test_tmpdir();
	size_t n;

	begin();
	for (n = 0; n < 100; n++)
		add_sample(5, 2 + n, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("truncate -s -100 %s/perf.data", dir), 0);
	CHECK_REFUSED(run_stf("", "t.zstf"), 1, "cut short");
	/* As if the rest had been lost after perf wrote the header. */
	begin();
	for (n = 0; n < 100; n++)
		add_sample(5, 2 + n, MAP_AT + 0x02, 4, loop);
	/* Enough rounds that some samples are out before the cut is met. */
	for (n = 0; n < 3; n++)
		pdb_round(&rec);
	add_sample(5, 200, MAP_AT + 0x02, 4, loop);
	rec.data.n -= 100;
	write_files();
	CHECK_REFUSED(run_stf("", "t.zstf"), 1, "inside a record");
}

TEST(an_old_trace_stays_until_the_new_one_is_whole)
{
	char path[128];
	FILE *f;

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	pdb_round(&rec);
	pdb_round(&rec);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	rec.data.n -= 8;
	write_files();
	snprintf(path, sizeof(path), "%s/t.stf", test_tmpdir());
	f = fopen(path, "w");
	CHECK(f && fputs("old", f) >= 0 && !fclose(f));
	CHECK_EQ(run_stf("", "t.stf"), 1);
	CHECK_EQ(run("cat %s", path), 0);
	CHECK_STR(run_out, "old");
}

TEST(a_full_disk_is_one_line)
{
	const char *dir = test_tmpdir();
	size_t n;

	begin();
	for (n = 0; n < 2000; n++)
		add_sample(5, 2 + n, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_REFUSED(run("ssctr stf -i %s/perf.data --symfs %s -o - >/dev/full",
			  dir, dir), 1, "No space left on device");
	/* Stands for a disk that fills up while the trace is written. */
	CHECK_REFUSED(run("ulimit -f 8; ssctr stf -i %s/perf.data --symfs %s -o %s/t.stf",
			  dir, dir, dir), 1, "File too large");
}

TEST(a_folder_that_is_not_there)
{
	const char *dir = test_tmpdir();

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_REFUSED(run_stf("", "missing/t"), 1, "No such file or directory");
	CHECK_REFUSED(run("ssctr stf -i %s/perf.data --symfs %s/none -o %s/t.stf",
			  dir, dir, dir), 1, "No such file or directory");
}

TEST(files_that_cannot_be_read_are_named)
{
	static const uint8_t id[20] = { 1 }, other[20] = { 2 };

	begin();
	elf.build_id = id;
	elf.build_id_size = 20;
	pdb_mmap2_id(&rec, 7, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, other);
	pdb_mmap2(&rec, 8, MAP_AT, 0x1000, ELFB_CODE, "/gone", 1);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(7, 3, MAP_AT + 0x02, 4, loop);
	add_sample(8, 4, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "/x: another build than the one that was recorded, whose build id is 0200000000000000000000000000000000000000; name the file that ran, or a folder that has it, with --code\n"));
	CHECK(strstr(run_err, "/gone: No such file or directory"));
	CHECK(strstr(run_err, "5 breaks: the code is not known: a file of another build"));
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
}

/* Of process 6 the program is not where its name says; of 5 it is. */
static void record_two_programs(void)
{
	static const uint8_t id[20] = { 1 };

	begin();
	elf.build_id = id;
	elf.build_id_size = 20;
	pdb_mmap2_id(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/bin/gone", 1, id);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	add_sample(6, 3, MAP_AT + 0x02, 4, loop);
	write_files();
}

TEST(too_little_that_could_be_used_has_a_status_of_its_own)
{
	record_two_programs();
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 3,
		      "only 50.0 % of what 2 samples show could be used");
	CHECK(strstr(run_err, "/bin/gone: No such file or directory; name the file (build id 0100000000000000000000000000000000000000), or a folder that has it, with --code; --allow-partial"));
	CHECK_REFUSED(run_stf_whole("--least 50.1", "t.stf"), 3, "but 50.1 % are needed");
	CHECK_EQ(run_stf_whole("--least 50", "t.stf"), 0);
}

TEST(what_could_be_used_is_written_to_who_allows_that)
{
	record_two_programs();
	CHECK_EQ(run_stf_whole("--allow-partial", "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples, of which only 50.0 % could be used: "));
	CHECK(strstr(run_err, "/bin/gone: No such file or directory"));
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
}

TEST(what_the_options_leave_out_need_not_be_used)
{
	record_two_programs();
	CHECK_EQ(run_stf_whole("--pid 5", "t.stf"), 0);
	CHECK(!strstr(run_err, "of which only"));
	CHECK_REFUSED(run("rm %s/t.stf; ssctr stf -i %s/perf.data --symfs %s --pid 6 -o %s/t.stf",
			  test_tmpdir(), test_tmpdir(), test_tmpdir(), test_tmpdir()),
		      3, "none of 1 samples could be used");
}

/* Traps come from and return to the kernel, which was not recorded. */
TEST(what_was_not_recorded_need_not_be_used)
{
	static const uint64_t stack[][3] = {
		{ 0, MAP_AT + 0x12, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x0a, 0, PERF_BR_SYSCALL << 20 },
		{ 0, MAP_AT + 0x0a, PERF_BR_ERET << 20 },
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
	};

	begin();
	add_sample(5, 2, MAP_AT + 0x16, 4, stack);
	write_files();
	CHECK_EQ(run_stf_whole("", "t.stf"), 0);
	CHECK(strstr(run_err, " breaks: "));
	CHECK_EQ(run("ssctr dump %s/t.stf", test_tmpdir()), 0);
	/* The call leads to where the program goes on. */
	CHECK(strstr(run_out, "  1000a  00000073 ") && strstr(run_out, " USER_ECALL  => 1000e\n"));
}

TEST(a_program_that_is_elsewhere_can_be_given)
{
	char options[160];

	record_two_programs();
	snprintf(options, sizeof(options), "--code %s/x", test_tmpdir());
	CHECK_EQ(run_stf_whole(options, "t.stf"), 0);
	CHECK(strstr(run_err, " 2 samples without a break, of 2 used"));
	CHECK(!strstr(run_err, "by name"));
	snprintf(options, sizeof(options), "--code / --code %s", test_tmpdir());
	CHECK_EQ(run_stf_whole(options, "t.stf"), 0);
	CHECK(!strstr(run_err, "not used"));
	CHECK_REFUSED(run("rm %s/t.stf; ssctr stf -i %s/perf.data --code /none -o %s/t.stf",
			  test_tmpdir(), test_tmpdir(), test_tmpdir()),
		      1, "/none: No such file or directory");
}

/* As fexecve(3) and containers run some. */
TEST(a_program_that_ran_from_memory_can_be_given)
{
	static const uint8_t id[20] = { 7 };

	begin();
	elf.build_id = id;
	elf.build_id_size = 20;
	rec.data.n = 0;
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/memfd:x (deleted)", 1, id);
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --code x -o t.stf", test_tmpdir()), 0);
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
	CHECK_EQ(run("cd %s && rm t.stf && ssctr merge -o c --code x perf.data && ssctr report c --code x --by functions", test_tmpdir()), 0);
	CHECK(strstr(run_out, "main (/memfd:x)") && strstr(run_out, "load (/memfd:x)"));
	CHECK_EQ(run("cd %s && ssctr report --by functions", test_tmpdir()), 0);
	CHECK(strstr(run_err, "not used: /memfd:x: No such file or directory; name the file (build id 0700000000000000000000000000000000000000), or a folder that has it, with --code\n"));
}

TEST(a_program_without_a_build_id_is_taken_by_its_name_and_told)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("mkdir %s/flat && mv %s/x %s/flat", test_tmpdir(), test_tmpdir(), test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr stf -i perf.data --code flat -o t.stf", test_tmpdir()), 0);
	CHECK(strstr(run_err, "\nby name: flat/x: used for /x because of its name"));
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
}

/* The recording knows the build id of what ran, and a trace tells that of what was read. */
TEST(a_trace_tells_no_build_id_of_a_program_that_has_none)
{
	static const uint8_t id[20] = { 7 };
	int has_id;

	for (has_id = 0; has_id < 2; has_id++) {
		begin();
		elf.build_id = id;
		elf.build_id_size = has_id ? 20 : 0;
		rec.data.n = 0;
		pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
		add_sample(5, 2, MAP_AT + 0x02, 4, loop);
		write_files();
		CHECK_EQ(run_stf("", "t.stf"), 0);
		CHECK_EQ(run("ssctr dump --records %s/t.stf", test_tmpdir()), 0);
		CHECK(strstr(run_out, has_id ? " 0700000000000000000000000000000000000000 /x\"" :
					       " - /x\""));
	}
}

TEST(without_any_code_it_says_how_to_give_it)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("rm %s/x", test_tmpdir()), 0);
	CHECK_REFUSED(run_stf_whole("", "t.stf"), 3,
		      "/x: No such file or directory; name a file with the name x, or a folder that has it, with --code; or record with `ssctr record`, which tells the build id of a file that has one (link it with -Wl,--build-id)");
}

TEST(report_counts_edges_with_symbols)
{
	const char *dir = test_tmpdir();
	int i;

	begin();
	for (i = 0; i < 10; i++)
		add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	/* The same file, elsewhere in another process, is the same edge. */
	pdb_mmap2(&rec, 6, 0x70000, 0x1000, ELFB_CODE, "/x", 2);
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = 0x70002, .time = 3, .pid = 6, .nr_branches = 1,
		.branches = &(const uint64_t[3]){ 0x7000e, 0x70000,
						  PERF_BR_RET << 20 } });
	write_files();
	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s -n 2",
		     dir, dir), 0);
	CHECK(strstr(run_out, "41 transfers of 3 kinds in 11 samples"));
	CHECK(strstr(run_out, "        21   51.2%  RET         main+0xe -> main+0x0\n"));
	CHECK(strstr(run_out, "        10   24.4%  CALL        main+0x6 -> load+0x0\n"));
	CHECK(!strstr(run_out, "load+0x4"));
}

TEST(report_tells_types_by_the_code)
{
	static const uint64_t untyped[][3] = {
		{ MAP_AT + 0x0e, MAP_AT, 0 }, { MAP_AT + 0x02, MAP_AT + 0x0a, 0 },
	};
	const char *dir = test_tmpdir();

	begin();
	add_sample(5, 2, MAP_AT + 0x02, 2, untyped);
	write_files();
	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s",
		     dir, dir), 0);
	CHECK(strstr(run_out, "  RET         main+0xe -> main+0x0\n"));
	CHECK(strstr(run_out, "  COND        main+0x2 -> main+0xa\n"));
}

TEST(report_without_transfers_is_an_error)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 0, NULL);
	write_files();
	CHECK_REFUSED(run("ssctr report -i %s/perf.data",
			  test_tmpdir()), 1, "no branch stack in any sample: all 1 branch stacks are empty, because their tasks had just begun");
}

/* --- samples that overlap --- */

enum { STITCH_DEPTH = 4, STITCH_PERIOD = 3 };

/* $STITCH_STEPS, for a longer run than each time. */
static unsigned int nr_steps(void)
{
	const char *text = getenv("STITCH_STEPS");

	return text ? strtoul(text, NULL, 10) : 3001;
}

/* How many instructions had run when the last sample was taken. */
static unsigned int last_sample_of(unsigned int period)
{
	return (nr_steps() - 1) / period * period;
}

static unsigned int last_sample(void)
{
	return last_sample_of(STITCH_PERIOD);
}

/* The small program's instructions as they run, and where each leads. */
static const struct {
	uint8_t at, to;
	unsigned int type;	/* 0: it falls through */
} steps[] = {
	{ 0x00, 0x02, 0 },
	{ 0x02, 0x06, 0 },
	{ 0x06, 0x12, PERF_BR_CALL },
	{ 0x12, 0x16, 0 },
	{ 0x16, 0x0a, PERF_BR_RET },
	{ 0x0a, 0x0e, 0 },
	{ 0x0e, 0x00, PERF_BR_RET },
};

enum { NR_STEPS = sizeof(steps) / sizeof(*steps) };

/*
 * A sample each `period` instructions, of the last STITCH_DEPTH branches. pids: how
 * many processes run it in turns, each a period.
 */
static void add_overlapping(unsigned int period, bool index, unsigned int pids)
{
	uint64_t all[STITCH_DEPTH][3] = { { 0 } };
	unsigned int i, k, nr = 0;

	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	rec.events[0].attr.branch_sample_type |= PERF_SAMPLE_BRANCH_HW_INDEX;
	for (i = 1; i < nr_steps(); i++) {
		unsigned int at = (i - 1) % NR_STEPS;

		if (steps[at].type) {
			memmove(&all[1], &all[0], sizeof(all) - sizeof(*all));
			all[0][0] = MAP_AT + steps[at].at;
			all[0][1] = MAP_AT + steps[at].to;
			all[0][2] = steps[at].type << 20;
			nr++;
		}
		if (i % period || !nr)
			continue;
		for (k = 0; k < pids; k++)
			pdb_sample(&rec, 0, &(struct pdb_sample){
				.ip = MAP_AT + steps[i % NR_STEPS].at,
				.time = 100 + i * pids + k, .pid = 5 + k,
				.cpu = k, .period = period,
				.hw_idx = index ? (nr - 1) % STITCH_DEPTH :
						  UINT64_MAX,
				.nr_branches = nr < STITCH_DEPTH ?
						       nr : STITCH_DEPTH,
				.branches = (const uint64_t (*)[3])all });
	}
}

static void add_depth(const char *depth)
{
	struct pdb_buf *caps = pdb_feature(&rec, 28);

	pdb_u32(caps, 1);
	pdb_u32(caps, 16);
	pdb_put(caps, "branches\0\0\0\0\0\0\0", 16);
	pdb_u32(caps, 8);
	pdb_text(caps, depth);
}

/* Transfers among the instructions that had run when the last sample was taken. */
static void check_transfers(int line, unsigned int period, unsigned int times)
{
	unsigned int i, nr = 0;
	char text[64];

	for (i = 0; i < last_sample_of(period); i++)
		nr += !!steps[i % NR_STEPS].type;
	snprintf(text, sizeof(text), " %u transfers\n", times * nr);
	if (!strstr(run_err, text))
		test_fail(__FILE__, line, "no \"%s\" in: %s", text, run_err);
}

static void check_one_path(unsigned int period)
{
	unsigned int i, first = 0, events = 0;

	begin();
	add_overlapping(period, true, 1);
	add_depth("4");
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "samples joined to the one before"));
	open_trace("t.stf");
	/* Up to the last sample's instruction each one once, and none lost. */
	for (i = 0; stf_inst_iter_next(iter, &inst) == 1; i++) {
		/* The first is the source of the oldest branch. */
		if (!i)
			while (inst.pc - MAP_AT != steps[first].at)
				first++;
		CHECK_EQ(inst.pc, MAP_AT + steps[(first + i) % NR_STEPS].at);
		CHECK(!(inst.flags & STF_INST_F_GAP));
		CHECK(!i || !(inst.flags & STF_INST_F_FORCE_PC));
		/* The instruction that was interrupted comes again. */
		if (is_interrupted()) {
			CHECK_EQ(inst.next_pc, inst.pc);
			events++;
			i--;
		}
	}
	CHECK_EQ(first + i, last_sample_of(period));
	/* Each sample's own, where it was taken. The first comes after a transfer. */
	CHECK_EQ(events, last_sample_of(period) / period - (period < 3));
	close_trace();
}

TEST(overlapping_samples_are_one_path)
{
	check_one_path(STITCH_PERIOD);
	check_transfers(__LINE__, STITCH_PERIOD, 1);
}

/* With no transfer between some of them. */
TEST(samples_of_one_line_are_one_path)
{
	check_one_path(2);
	check_transfers(__LINE__, 2, 1);
}

TEST(what_was_lost_is_told_once)
{
	begin();
	add_sample(5, 12, MAP_AT + 0x02, 4, loop);
	pdb_lost(&rec, 0, 5, 5, 13);
	/* perf's sum of the same. */
	pdb_begin(&rec, PERF_RECORD_LOST_SAMPLES, 0);
	pdb_u64(&rec.data, 5);
	pdb_end_with_id(&rec, 0, 0, 0);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, " 5 events lost while recording\n"));
}

/* A shorter period would lose more of them. The samples cover one instruction of 40. */
TEST(advice_after_losses_is_not_to_take_more_samples)
{
	begin();
	rec.events[0].attr.type = PERF_TYPE_HARDWARE;
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 12, .pid = 5, .cpu = 3, .period = 1,
		.nr_branches = 4, .branches = loop });
	pdb_lost(&rec, 0, 5, 5, 13);
	pdb_count(&rec, 0, UINT32_MAX, 40, 0);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "; samples were lost, so record with larger buffers (-m) to get more "));
	CHECK(strstr(run_err, "; 5 events were lost: record with larger buffers (-m) "));
	CHECK(!strstr(run_err, "shorter period"));
	/* They did not find the ring buffer full, so that the recorder has dropped them. */
	begin();
	rec.events[0].attr.type = PERF_TYPE_HARDWARE;
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	rec.events[0].attr.read_format = PERF_FORMAT_ID | PDB_FORMAT_LOST;
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT + 0x02, .time = 12, .pid = 5, .cpu = 3, .period = 1,
		.nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, 40, 0);
	pdb_begin(&rec, PERF_RECORD_LOST_SAMPLES, 0);
	pdb_u64(&rec.data, 5);
	pdb_end_with_id(&rec, 0, 0, 0);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "; samples were lost, so record with room on the disk to get more "));
	CHECK(!strstr(run_err, "larger buffers"));
	/* What is enough needs no advice. */
	CHECK_EQ(run_stf("--least 0", "t.stf"), 0);
	CHECK(strstr(run_err, " 40 instructions ran, of which the output holds "));
	CHECK(!strstr(run_err, "to get more"));
}

/* perf has an event for the records of mappings, which takes no samples. */
TEST(lost_samples_are_told_apart_from_lost_records)
{
	const char *dir = test_tmpdir();
	unsigned int i;

	begin();
	i = pdb_event(&rec, PDB_BRANCH_SAMPLE & ~(uint64_t)PERF_SAMPLE_BRANCH_STACK, 0);
	rec.events[i].attr.type = PERF_TYPE_SOFTWARE;
	rec.events[i].attr.config = PERF_COUNT_SW_DUMMY;
	add_sample(5, 12, MAP_AT + 0x02, 4, loop);
	pdb_lost(&rec, 0, 5, 40, 13);
	for (i = 0; i < 2; i++) {
		pdb_begin(&rec, PERF_RECORD_LOST_SAMPLES, 0);
		pdb_u64(&rec.data, i ? 38 : 2);
		pdb_end_with_id(&rec, i, 0, 0);
	}
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s", dir, dir), 0);
	CHECK(strstr(run_err, " 2 events lost while recording\n"));
	CHECK(strstr(run_err, " 38 records of mappings, processes and threads lost while recording, "));
	CHECK_EQ(run("ssctr merge -o %s/c --symfs %s %s/perf.data && ssctr info %s/c", dir, dir,
		     dir, dir), 0);
	CHECK(strstr(run_out, "\nlost             2 samples\n"));
}

TEST(overlapping_samples_are_left_alone_when_told_so)
{
	begin();
	add_overlapping(STITCH_PERIOD, true, 1);
	add_depth("4");
	write_files();
	CHECK_EQ(run_stf("--stitch never", "t.stf"), 0);
	CHECK(!strstr(run_err, "joined"));
	CHECK_EQ(run_stf("--stitch maybe", "t.stf"), 2);
	CHECK(strstr(run_err, "use auto, always or never"));
}

TEST(what_does_not_overlap_for_certain_is_not_joined)
{
	begin();
	add_overlapping(21, true, 1);	/* 9 branches */
	add_depth("4");
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(!strstr(run_err, "joined"));
}

static void lost(void)
{
	pdb_lost(&rec, 0, 5, 1, 150);
}

static void lost_samples(void)
{
	pdb_begin(&rec, PERF_RECORD_LOST_SAMPLES, 0);
	pdb_u64(&rec.data, 1);
	pdb_end_with_id(&rec, 0, 5, 150);
}

static void throttled(void)
{
	pdb_begin(&rec, PERF_RECORD_THROTTLE, 0);
	pdb_u64s(&rec.data, (const uint64_t[]){ 150, 1, 1 }, 3);
	pdb_end_with_id(&rec, 0, 5, 150);
}

/* It was sorted too late: something else may come as late. */
static void late(void)
{
	for (unsigned int i = 0; i < 4; i++) {
		pdb_round(&rec);
		pdb_comm(&rec, 0, 5, "x", i == 3 ? 50 : 150 + i);
	}
}

static void nothing(void)
{
}

/* Two samples of one run, where a transfer lies between them. */
static bool are_joined(void (*between)(void))
{
	static const uint64_t next[][3] = {
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
	};
	struct pdb_sample sample = { .time = 100, .pid = 5, .period = 3,
				     .nr_branches = 4 };

	begin();
	rec.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	rec.events[0].attr.branch_sample_type |= PERF_SAMPLE_BRANCH_HW_INDEX;
	sample.ip = MAP_AT + 0x00;
	sample.hw_idx = 3;
	sample.branches = loop;
	pdb_sample(&rec, 0, &sample);
	between();
	sample.ip = MAP_AT + 0x12;
	sample.time = 200;
	sample.hw_idx = 0;
	sample.branches = next;
	pdb_sample(&rec, 0, &sample);
	add_depth("4");
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	return strstr(run_err, " 1 samples joined");
}

TEST(samples_are_not_joined_over_what_was_lost)
{
	CHECK(are_joined(nothing));
	CHECK(!are_joined(lost));
	CHECK(!are_joined(lost_samples));
	CHECK(!are_joined(throttled));
	CHECK(!are_joined(late));
}

TEST(threads_that_take_turns_are_joined_each_to_itself)
{
	unsigned int seen[2] = { 0 }, first[2] = { 0 };

	begin();
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/x", 2);
	add_overlapping(STITCH_PERIOD, true, 2);
	add_depth("4");
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	open_trace("t.stf");
	while (stf_inst_iter_next(iter, &inst) == 1) {
		unsigned int p = inst.process.pid - 5;

		CHECK(p < 2);
		if (!seen[p])
			while (inst.pc - MAP_AT != steps[first[p]].at)
				first[p]++;
		CHECK_EQ(inst.pc,
			 MAP_AT + steps[(first[p] + seen[p]) % NR_STEPS].at);
		seen[p]++;
		/* The instruction that was interrupted comes again. */
		if (is_interrupted())
			seen[p]--;
	}
	CHECK_EQ(first[0] + seen[0], last_sample());
	CHECK_EQ(seen[1], seen[0]);
	check_transfers(__LINE__, STITCH_PERIOD, 2);
	close_trace();
}

/* The mapping is longer than what the file has of it. */
TEST(behind_the_end_of_a_files_code_nothing_is_mapped)
{
	static const uint64_t far[][3] = {
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
		{ MAP_AT + 0x800, MAP_AT + 0x0a, PERF_BR_UNCOND << 20 },
	};

	begin();
	add_sample(5, 1, MAP_AT + 0x02, 2, far);
	write_files();
	CHECK_EQ(run_stf("", "t.stf"), 0);
	CHECK(strstr(run_err, "1 breaks: the code is not known: nothing mapped"));
}

/*
 * Run a subcommand whose input does not end, and send it a signal when its output has
 * begun. Only the input is left, and the output that was there.
 */
static void check_signal(const char *input, const char *subcommand, const char *signal,
			 int number)
{
	CHECK_EQ(run("cd %s && rm -f fifo && mkfifo fifo && echo old >out.zstf && "
		     "exec 3<>fifo && cat %s >&3 && { ssctr %s -o out.zstf <&3 & } && "
		     "for i in $(seq 6000); do ls | grep -q part && break; sleep 0.05; done && "
		     "kill -%s $! && wait $!",
		     test_tmpdir(), input, subcommand, signal),
		 128 + number);
	CHECK_EQ(run("cd %s && cat out.zstf && ls | grep part", test_tmpdir()), 1);
	CHECK_PRINTS("old\n");
}

TEST(a_signal_leaves_no_part_of_an_output)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	write_pipe();
	check_signal("pipe", "stf -i -", "TERM", SIGTERM);
	check_signal("pipe", "stf -i -", "HUP", SIGHUP);
	check_signal("pipe", "timeline -i -", "TERM", SIGTERM);
	CHECK_EQ(run("cd %s && ssctr stf -i pipe --symfs . --allow-partial -o trace", test_tmpdir()), 0);
	check_signal("trace", "csv -i -", "TERM", SIGTERM);
}

TEST(a_recording_cut_in_a_pipe_becomes_a_trace)
{
	begin();
	add_sample(5, 2, MAP_AT + 0x02, 4, loop);
	pdb_round(&rec);
	pdb_count(&rec, 0, 5, 4000, 0);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	write_pipe();
	CHECK_EQ(run("cd %s && head -c -1 pipe | ssctr stf -i - --symfs . --allow-partial -o t.stf",
		     test_tmpdir()),
		 0);
	CHECK(strstr(run_err, " 1 samples used"));
	CHECK(strstr(run_err, " bytes of a recording whose end is missing"));
	CHECK(strstr(run_err, "is not known: its writer was killed before it wrote the counts"));
	open_trace("t.stf");
	check_loop(MODE);
	close_trace();
}

/* Each thread has a trace of its own. */
TEST(more_threads_than_files_may_be_open)
{
	enum { THREADS = 40 };
	unsigned int i;

	begin();
	for (i = 0; i < THREADS; i++) {
		pdb_mmap2(&rec, 100 + i, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
		add_sample(100 + i, 2 + i, MAP_AT + 0x02, 4, loop);
	}
	write_files();
	CHECK_EQ(run("cd %s && ulimit -Sn 30 && ssctr stf --symfs . --allow-partial --split thread -o t.stf && ls t.tid*.stf | wc -l",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "40\n");
	CHECK_EQ(run("cd %s && ulimit -n 30 && ssctr stf --symfs . --allow-partial --split thread -o n.stf",
		     test_tmpdir()), 1);
	CHECK(strstr(run_err, ".stf: Too many open files; raise the limit with `ulimit -n`\n"));
	CHECK_EQ(run("ls %s/n.*", test_tmpdir()), 2);
}
