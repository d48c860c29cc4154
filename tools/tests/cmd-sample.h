/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording of a small program, its ELF file, and the trace that `ssctr stf`
 * makes of them, instruction by instruction.
 */
#ifndef TESTS_CMD_SAMPLE_H
#define TESTS_CMD_SAMPLE_H

#include "cmd-run.h"
#include "elf-build.h"
#include "perfdata-build.h"
#include "stf/stf.h"
#include "test.h"

#include <dirent.h>

/* At file offset ELFB_CODE; mapped from there at MAP_AT. */
static const uint16_t code[] = {
	0x0505,			/* 00: c.addi a0, 1       main */
	0x0463, 0x00b5,		/* 02: beq a0, a1, 0x0a */
	0x00ef, 0x00c0,		/* 06: jal ra, 0x12 */
	0x0073, 0x0000,		/* 0a: ecall */
	0x8082,			/* 0e: ret */
	0x0001,			/* 10: c.nop */
	0x2583, 0x0005,		/* 12: lw a1, 0(a0)       load */
	0x8082,			/* 16: ret */
	0x0067, 0x0005,		/* 18: jalr zero, 0(a0)   away */
};

enum { MAP_AT = 0x10000 };
#define KERNEL_AT 0xffffffff80000000

static struct elfb elf;
static struct pdb rec;

static inline void add_function(const char *name, uint64_t at, uint64_t size)
{
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		name, ELFB_ADDR + ELFB_CODE + at, size,
		ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
	};
}

/* A recording of process 5 that has the ELF file mapped as /x. */
static inline void begin(void)
{
	elf = (struct elfb){ .code = code, .code_size = sizeof(code) };
	add_function("main", 0x00, 0x10);
	add_function("load", 0x12, 6);
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
}

static inline void add_sample(uint32_t pid, uint64_t time, uint64_t ip,
		       unsigned int nr, const uint64_t (*branches)[3])
{
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = ip, .time = time, .pid = pid, .cpu = 3,
		.nr_branches = nr, .branches = branches });
}

/* main calls load, which returns; then main's branch, untaken before, is taken. */
static const uint64_t loop[][3] = {	/* youngest first */
	{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
	{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
	{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
};

static inline void write_as(bool pipe)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/x", test_tmpdir());
	CHECK(elfb_write(&elf, path));
	snprintf(path, sizeof(path), "%s/perf.data", test_tmpdir());
	if (pipe)
		pdb_finish_pipe(&rec);
	else
		pdb_finish(&rec);
	CHECK(pdb_write(&rec, path));
	pdb_free(&rec);
}

static inline void write_files(void)
{
	write_as(false);
}

static inline int run_stf_whole(const char *options, const char *output)
{
	const char *dir = test_tmpdir();

	return run("ssctr stf -i %s/perf.data --symfs %s %s -o %s/%s",
		   dir, dir, options, dir, output);
}

/* The same where much of so small a recording may be missing. */
static inline int run_stf(const char *options, const char *output)
{
	char all[512];

	snprintf(all, sizeof(all), "--allow-partial %s", options);
	return run_stf_whole(all, output);
}

/* No trace, whole or half, is in the folder. */
static inline void check_nothing_left(int line)
{
	DIR *dir = opendir(test_tmpdir());
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strstr(e->d_name, "stf"))
			test_fail(__FILE__, line, "%s is left", e->d_name);
	closedir(dir);
}

/* It fails with one line that holds text, and leaves nothing. */
static inline void check_refused(int line, int status, int want, const char *text)
{
	size_t n = strlen(run_err);

	if (status != want)
		test_fail(__FILE__, line, "status %d: %s", status, run_err);
	if (!strstr(run_err, text))
		test_fail(__FILE__, line, "no \"%s\" in: %s", text, run_err);
	if (!n || strchr(run_err, '\n') != run_err + n - 1)
		test_fail(__FILE__, line, "not one line: %s", run_err);
	check_nothing_left(line);
}

#define CHECK_REFUSED(...) check_refused(__LINE__, __VA_ARGS__)

static struct stf_reader *reader;
static struct stf_inst_iter *iter;
static struct stf_inst inst;

static inline void open_trace(const char *name)
{
	struct stf_error error;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	reader = stf_reader_open(path, NULL, &error);
	if (!reader)
		test_fail(__FILE__, __LINE__, "%s", error.text);
	iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
}

static inline void close_trace(void)
{
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

/*
 * The next instruction is the one at this offset of the code, and leads to that
 * one. Its opcode is compared with the bytes of the ELF file.
 */
static inline void check_inst(int line, uint64_t at, uint64_t next, unsigned int flags)
{
	const unsigned int shown = STF_INST_F_TAKEN | STF_INST_F_EVENT |
				   STF_INST_F_EVENT_TARGET | STF_INST_F_MODE |
				   STF_INST_F_GAP;
	uint32_t opcode = 0;
	int ret = stf_inst_iter_next(iter, &inst);

	if (ret != 1)
		test_fail(__FILE__, line, "%d: %s", ret,
			  stf_reader_error(reader));
	memcpy(&opcode, elf.file + ELFB_CODE + at, inst.size);
	if (inst.pc != MAP_AT + at || inst.opcode != opcode ||
	    inst.next_pc != MAP_AT + next || (inst.flags & shown) != flags)
		test_fail(__FILE__, line,
			  "at 0x%lx opcode %x, to 0x%lx, flags 0x%x",
			  (unsigned long)inst.pc, inst.opcode,
			  (unsigned long)inst.next_pc, inst.flags & shown);
}

#define CHECK_INST(...) check_inst(__LINE__, __VA_ARGS__)

/* The first event of the instruction's group that is no MODE_CHANGE. */
static inline struct stf_event find_event(void)
{
	struct stf_record r;

	while (stf_inst_iter_record(iter, &r) == 1)
		if (r.desc == STF_EVENT && r.event.id != STF_EVENT_MODE_CHANGE)
			return r.event;
	test_fail(__FILE__, __LINE__, "the group has no event");
}

enum { TAKEN = STF_INST_F_TAKEN,
       EVENT = STF_INST_F_EVENT | STF_INST_F_EVENT_TARGET,
       MODE = STF_INST_F_MODE, GAP = STF_INST_F_GAP };

/* Is it where a sample was taken? */
static inline bool is_interrupted(void)
{
	return inst.flags & STF_INST_F_EVENT &&
	       find_event().id ==
		       (STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW);
}

/* The instructions of a sample of loop with its ip at 0x02. */
static inline void check_loop(unsigned int first)
{
	CHECK_INST(0x0e, 0x00, TAKEN | first);
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x06, 0);
	CHECK_INST(0x06, 0x12, TAKEN);
	CHECK_INST(0x12, 0x16, 0);
	CHECK_INST(0x16, 0x0a, TAKEN);
	CHECK_INST(0x0a, 0x0e, EVENT);
	CHECK_INST(0x0e, 0x00, TAKEN);
	CHECK_INST(0x00, 0x02, 0);
	CHECK_INST(0x02, 0x02, EVENT);
}

#endif
