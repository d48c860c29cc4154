// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plug-in `counts`: how often each block of a program is executed, and how many
 * instructions and taken branches that is in all.
 *
 *   -plugin counts.so,out=FILE
 *
 * Counted is what selftests/traced executes, from its first instruction to its exit:
 * programs with one thread that are linked statically at a fixed address, so that
 * an address seen in translation is the one of execution. Or it is what a hart executes
 * in S mode between MARK_OPEN_HART and MARK_CLOSE (mark.h). FILE.W, where W is the
 * window's character, then has
 *
 *   instructions N
 *   taken N           transfers, also by jumps, calls and returns
 *   START-LAST:N      for each block: its first and last instruction's addresses in
 *                     hexadecimal, sorted; blocks may overlap
 *   FROM->TO:N        for each transfer: where it was made, and where it led
 *
 * An instruction that traps is not counted; it is when it has been repeated. A
 * system call is not either, nor is a return from a trap a transfer.
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
	uint64_t target;	/* of the last instruction, if it tells that, or 0 */
	bool jumps;		/* always, also to the instruction that follows */
	bool returns;		/* from a trap */
	bool super;		/* S mode's */
	uint16_t nr;		/* instructions */
	uint64_t count;
	uint16_t offsets[];	/* of the instructions, from the start */
};

/* The part of a block before an instruction that trapped. */
struct part {
	uint64_t start, last;
	uint64_t count;
};

/* A transfer, in a table by both addresses. */
struct edge {
	uint64_t from, to;
	uint64_t count;		/* 0: there is none here */
};

struct hart {
	/* Looked at by translated code: whether blocks of these modes call us. */
	uint64_t user, super;
	bool known;		/* whether it is the program that runs, ... */
	bool counting;		/* ... and if so */
	struct block *block;	/* that is being executed; NULL: none */
};

static struct qemu_plugin_scoreboard *harts;
static const char *file_name;

/* The program: the root of its page tables, once it is known. Or all S mode of a hart. */
static enum { CLOSED, WAITING, OPEN, WHOLE } state;
static uint64_t program;
static char window;

static struct block *blocks;
static struct part *parts;
static size_t nr_parts, cap_parts;
static struct edge *edges;
static size_t nr_edges, cap_edges;
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

/* Where the transfer is in the table, or is to be. */
static struct edge *edge_at(uint64_t from, uint64_t to)
{
	size_t i = (from * 3 + to) * 0x9e3779b97f4a7c15ull >> 32;

	for (;; i++) {
		struct edge *edge = &edges[i & (cap_edges - 1)];

		if (!edge->count || (edge->from == from && edge->to == to))
			return edge;
	}
}

/* At most half of the table is used. */
static void grow_edges(void)
{
	size_t cap = cap_edges;
	struct edge *old = edges;

	cap_edges = cap ? 2 * cap : 4096;
	edges = calloc(cap_edges, sizeof(*edges));
	if (!edges)
		abort();
	for (size_t i = 0; i < cap; i++)
		if (old[i].count)
			*edge_at(old[i].from, old[i].to) = old[i];
	free(old);
}

static void add_edge(uint64_t from, uint64_t to)
{
	struct edge *edge;

	if (nr_edges >= cap_edges / 2)
		grow_edges();
	edge = edge_at(from, to);
	nr_edges += !edge->count;
	edge->from = from;
	edge->to = to;
	edge->count++;
}

static uint64_t last_insn(const struct block *block)
{
	return block->start + block->offsets[block->nr - 1];
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

/*
 * Was the block left amid, for @pc? QEMU does that, without a word, when an access
 * to a device was not the block's last instruction.
 */
static bool is_torn(const struct block *block, uint64_t pc)
{
	return block->super && pc > block->start && pc < block->end &&
	       pc != block->target;
}

/* The block that was being executed is through, and @pc comes next. */
static void end_block(struct hart *hart, uint64_t pc)
{
	struct block *block = hart->block;

	hart->block = NULL;
	if (!block)
		return;
	if (is_torn(block, pc)) {
		cut_block(block, pc);
	} else if (!block->returns && (block->jumps || pc != block->end)) {
		taken++;
		add_edge(last_insn(block), pc);
	}
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void print_edges(FILE *file)
{
	size_t nr = 0;

	for (size_t i = 0; i < cap_edges; i++)
		if (edges[i].count)
			edges[nr++] = edges[i];
	qsort(edges, nr, sizeof(*edges), compare_edges);
	for (size_t i = 0; i < nr; i++)
		fprintf(file, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n",
			edges[i].from, edges[i].to, edges[i].count);
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
			add_part(block->start, last_insn(block), block->count);
		block->count = 0;
	}
	if (asprintf(&name, "%s.%c", file_name, window) < 0)
		abort();
	file = fopen(name, "w");
	if (file) {
		print_parts(file);
		print_edges(file);
	}
	if (!file || ferror(file) | fclose(file)) {
		fprintf(stderr, "counts: cannot write %s: %s\n", name,
			strerror(errno));
		exit(1);
	}
	free(name);
	free(edges);
	edges = NULL;
	nr_edges = cap_edges = 0;
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

/*
 * The kernel begins before it has page tables, and code that was translated then stays
 * in use, at other addresses.
 */
static void move_block(struct block *block, uint64_t pc)
{
	uint64_t by = pc - block->start;

	if (!by)
		return;
	if (block->count)
		add_part(block->start, last_insn(block), block->count);
	block->count = 0;
	block->start += by;
	block->end += by;
	block->target += block->target ? by : 0;
}

static void enter_block(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);
	struct block *block = data;

	pthread_mutex_lock(&lock);
	if (block->super) {
		if (hart->block == block && block->start != hart_read(HART_PC))
			end_block(hart, hart_read(HART_PC));
		move_block(block, hart_read(HART_PC));
	} else if (!hart->known) {
		resume_task(hart);
	}
	if (hart->counting) {
		end_block(hart, block->start);
		hart->block = block;
		block->count++;
		insns += block->nr;
	}
	if (!block->super)
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
	if (hart->super || (hart->known && hart->counting)) {
		if (block && type == QEMU_PLUGIN_DISCON_EXCEPTION &&
		    from - block->start < block->end - block->start)
			cut_block(block, from);
		else
			end_block(hart, from);
		if (state == OPEN && type == QEMU_PLUGIN_DISCON_EXCEPTION &&
		    hart_read(HART_SCAUSE) == SCAUSE_ECALL_U &&
		    hart_read(HART_A7) == SYS_exit_group)
			close_window();
	}
	hart->block = NULL;
	hart->known = false;
	hart->user = state == WAITING || state == OPEN;
	pthread_mutex_unlock(&lock);
}

/* Count all S mode of this hart from here on, or no more. */
static void open_hart(struct hart *hart, bool open)
{
	close_window();
	if (open)
		state = WHOLE;
	hart->counting = open;
	hart->super = open;
	hart->user = 0;
	hart->block = NULL;
}

static void heed_mark(unsigned int index, void *data)
{
	uint64_t what = hart_read(HART_A0);

	(void)data;
	pthread_mutex_lock(&lock);
	if (what == MARK_OPEN_HART || what == MARK_CLOSE) {
		open_hart(hart_at(index), what == MARK_OPEN_HART);
		window = hart_read(HART_A1);
	} else if (what == MARK_OPEN_EXEC) {
		close_window();
		state = WAITING;
		window = hart_read(HART_A1);
		hart_at(index)->known = false;
	}
	pthread_mutex_unlock(&lock);
}

static void translate(struct qemu_plugin_tb *tb, void *data)
{
	uint64_t priv = hart_read(HART_PRIV);
	qemu_plugin_u64 flag = {
		harts, priv == HART_U ? offsetof(struct hart, user) :
					offsetof(struct hart, super)
	};
	size_t nr = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn = NULL;
	struct rv_insn last;
	struct block *block;
	uint32_t opcode = 0;

	(void)data;
	if (priv != HART_U && priv != HART_S)
		return;
	block = malloc(sizeof(*block) + nr * sizeof(block->offsets[0]));
	if (!block)
		abort();
	*block = (struct block){
		.start = qemu_plugin_tb_vaddr(tb), .nr = nr, .super = priv == HART_S
	};
	for (size_t i = 0; i < nr; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		block->offsets[i] = qemu_plugin_insn_vaddr(insn) - block->start;
	}
	block->end = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
	qemu_plugin_insn_data(insn, &opcode, sizeof(opcode));
	if (rv_decode_word(&last, opcode, 0) > 0) {
		block->jumps = rv_never_falls_through(&last);
		block->returns = last.xfer == RV_XFER_TRAP_RETURN;
		rv_target(&last, last_insn(block), &block->target);
	}
	pthread_mutex_lock(&lock);
	block->next = blocks;
	blocks = block;
	pthread_mutex_unlock(&lock);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, enter_block,
						  QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_NE, flag, 0,
						  block);
	if (priv == HART_U)
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
