// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plug-in `counts`: how often each block of a program is executed, and how many
 * instructions and taken branches that is in all.
 *
 *   -plugin counts.so,out=FILE
 *
 * Counted is what selftests/traced executes, from its first instruction to its exit:
 * programs with one thread that are linked statically at a fixed address, so that
 * an address seen in translation is the one of execution. FILE.W, where W is the
 * window's character, then has
 *
 *   instructions N
 *   taken N           transfers, also by jumps, calls and returns
 *   START-LAST:N      for each block: its first and last instruction's addresses in
 *                     hexadecimal, sorted; blocks may overlap
 *
 * An instruction that traps is not counted; it is when it has been repeated. A
 * system call is not either.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hart.h"
#include "mark.h"
#include "riscv/rv_insn.h"

#define SCAUSE_ECALL_U	8
#define SYS_exit_group	94

/* A translated block. They stay to the end: what was counted is in them. */
struct block {
	struct block *next;
	uint64_t start, end;
	bool jumps;		/* always, also to the instruction that follows */
	uint16_t nr;		/* instructions */
	uint64_t count;
	uint16_t offsets[];	/* of the instructions, from the start */
};

/* The part of a block before an instruction that trapped. */
struct part {
	uint64_t start, last;
	uint64_t count;
};

struct hart {
	/* Looked at by translated code: whether blocks of user code call us. */
	uint64_t user;
	bool known;		/* whether it is the program that runs, ... */
	bool counting;		/* ... and if so */
	struct block *block;	/* that is being executed; NULL: none */
};

static struct qemu_plugin_scoreboard *harts;
static const char *file_name;

/* The program: the root of its page tables, once it is known. */
static enum { CLOSED, WAITING, OPEN } state;
static uint64_t program;
static char window;

static struct block *blocks;
static struct part *parts;
static size_t nr_parts, cap_parts;
static uint64_t insns, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct hart *hart_at(unsigned int index)
{
	return qemu_plugin_scoreboard_find(harts, index);
}

static void add_part(uint64_t start, uint64_t last, uint64_t count)
{
	if (nr_parts == cap_parts) {
		cap_parts = cap_parts ? 2 * cap_parts : 4096;
		parts = realloc(parts, cap_parts * sizeof(*parts));
		if (!parts)
			abort();
	}
	parts[nr_parts++] = (struct part){ start, last, count };
}

/* Its instructions from @pc on were not executed. */
static void cut_block(struct block *block, uint64_t pc)
{
	unsigned int nr = 0;

	while (nr < block->nr && block->start + block->offsets[nr] < pc)
		nr++;
	block->count--;
	if (nr)
		add_part(block->start, block->start + block->offsets[nr - 1], 1);
	insns -= block->nr - nr;
}

/* The block that was being executed is through, and @pc comes next. */
static void end_block(struct hart *hart, uint64_t pc)
{
	struct block *block = hart->block;

	if (block && (block->jumps || pc != block->end))
		taken++;
	hart->block = NULL;
}

static int compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->last < y->last ? -1 : x->last > y->last;
}

static void print_parts(FILE *file)
{
	fprintf(file, "instructions %" PRIu64 "\ntaken %" PRIu64 "\n", insns, taken);
	qsort(parts, nr_parts, sizeof(*parts), compare);
	for (size_t i = 0; i < nr_parts; i++) {
		uint64_t count = parts[i].count;

		while (i + 1 < nr_parts && !compare(&parts[i], &parts[i + 1]))
			count += parts[++i].count;
		fprintf(file, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n",
			parts[i].start, parts[i].last, count);
	}
}

static void close_window(void)
{
	char *name;
	FILE *file;

	if (state == CLOSED)
		return;
	state = CLOSED;
	for (struct block *block = blocks; block; block = block->next) {
		if (block->count)
			add_part(block->start,
				 block->start + block->offsets[block->nr - 1],
				 block->count);
		block->count = 0;
	}
	if (asprintf(&name, "%s.%c", file_name, window) < 0)
		abort();
	file = fopen(name, "w");
	if (file)
		print_parts(file);
	if (!file || ferror(file) | fclose(file)) {
		fprintf(stderr, "counts: cannot write %s: %s\n", name,
			strerror(errno));
		exit(1);
	}
	free(name);
	nr_parts = 0;
	insns = taken = 0;
}

/* As selftests/traced leaves these registers, and the kernel a0. */
static bool is_new_program(void)
{
	return !hart_read(HART_RA) && !hart_read(HART_TP) && !hart_read(HART_A0);
}

/* User code goes on; is it the program's? */
static void resume_task(struct hart *hart)
{
	uint64_t space = hart_read(HART_SATP) & HART_SATP_PPN;

	if (state == WAITING && is_new_program()) {
		program = space;
		state = OPEN;
	}
	hart->known = true;
	hart->counting = state == OPEN && program == space;
}

static void enter_block(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);
	struct block *block = data;

	pthread_mutex_lock(&lock);
	if (!hart->known)
		resume_task(hart);
	if (hart->counting) {
		end_block(hart, block->start);
		hart->block = block;
		block->count++;
		insns += block->nr;
	}
	hart->user = hart->counting;
	pthread_mutex_unlock(&lock);
}

/* @from is the instruction that trapped, or the next one to be executed. */
static void trap(unsigned int index, enum qemu_plugin_discon_type type,
		 uint64_t from, uint64_t to, void *data)
{
	struct hart *hart = hart_at(index);
	struct block *block = hart->block;

	(void)to, (void)data;
	pthread_mutex_lock(&lock);
	if (hart->known && hart->counting) {
		if (block && type == QEMU_PLUGIN_DISCON_EXCEPTION &&
		    from - block->start < block->end - block->start)
			cut_block(block, from);
		else
			end_block(hart, from);
		if (type == QEMU_PLUGIN_DISCON_EXCEPTION &&
		    hart_read(HART_SCAUSE) == SCAUSE_ECALL_U &&
		    hart_read(HART_A7) == SYS_exit_group)
			close_window();
	}
	hart->block = NULL;
	hart->known = false;
	hart->user = state != CLOSED;
	pthread_mutex_unlock(&lock);
}

static void heed_mark(unsigned int index, void *data)
{
	(void)data;
	if (hart_read(HART_A0) != MARK_OPEN_EXEC)
		return;
	pthread_mutex_lock(&lock);
	close_window();
	state = WAITING;
	window = hart_read(HART_A1);
	hart_at(index)->known = false;
	pthread_mutex_unlock(&lock);
}

static void translate(struct qemu_plugin_tb *tb, void *data)
{
	qemu_plugin_u64 flag = { harts, offsetof(struct hart, user) };
	size_t nr = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn = NULL;
	struct rv_insn last;
	struct block *block;
	uint32_t opcode = 0;

	(void)data;
	if (hart_read(HART_PRIV) != HART_U)
		return;
	block = malloc(sizeof(*block) + nr * sizeof(block->offsets[0]));
	if (!block)
		abort();
	*block = (struct block){ .start = qemu_plugin_tb_vaddr(tb), .nr = nr };
	for (size_t i = 0; i < nr; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		block->offsets[i] = qemu_plugin_insn_vaddr(insn) - block->start;
	}
	block->end = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
	qemu_plugin_insn_data(insn, &opcode, sizeof(opcode));
	block->jumps = rv_decode_word(&last, opcode, 0) > 0 &&
		       rv_never_falls_through(&last);
	pthread_mutex_lock(&lock);
	block->next = blocks;
	blocks = block;
	pthread_mutex_unlock(&lock);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, enter_block,
						  QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_NE, flag, 0,
						  block);
	hart_find_marks(tb, heed_mark);
}

static void init_hart(unsigned int index, void *data)
{
	(void)index, (void)data;
	hart_init();
}

/* A program that has not ended is counted up to here. */
static void finish(void *data)
{
	(void)data;
	close_window();
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc,
			char **argv)
{
	(void)info;
	file_name = hart_argument(argc, argv, "out");
	if (!file_name) {
		fprintf(stderr, "counts: want out=FILE\n");
		return 1;
	}
	harts = qemu_plugin_scoreboard_new(sizeof(struct hart));
	qemu_plugin_register_vcpu_init_cb(id, init_hart, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_INTERRUPT |
					    QEMU_PLUGIN_DISCON_EXCEPTION, trap, NULL);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
