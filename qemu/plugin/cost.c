// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plug-in `cost`: counts the instructions that a kernel module executes each
 * time that the kernel calls it with interrupts off, or anywhere.
 *
 *   -plugin cost.so,out=FILE
 *
 * A program in the guest says where the module's code is and when to count (mark.h).
 * A call lasts from the first instruction in that code to the return to where it
 * was called from. Calls that cost the same are one shape. FILE then has, for each
 * number given to MARK_COUNT and each shape, in hexadecimal only what is an address:
 *
 *   shape NUMBER CALLS ENTRY INSTRUCTIONS CSR-READS CSR-WRITES ENTRIES-READ
 *         ENTRIES-WRITTEN OUTSIDE
 *   at PC TIMES           for each instruction, in one call
 *   out FUNCTION TIMES    instructions outside, in one call, by the function called
 *
 * on one line each. OUTSIDE is what the module called, and is not part of a shape:
 * of the calls of one shape, the first is shown.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hart.h"
#include "mark.h"

/* Modules lie right below the kernel. */
#define MODULES		0xffffffff00000000ull
#define KERNEL		0xffffffff80000000ull

#define SSTATUS_SIE	2

/* Sscsrind's window on a third of an entry. */
#define CSR_SIREG3	0x153

struct insn {
	uint64_t pc;
	uint32_t opcode;
};

#define MAX_CALLED	64
#define MAX_CALL	(1u << 20)	/* instructions */

struct call {
	uint64_t entry, ra, sp;
	uint64_t insns, outside;
	uint32_t reads, writes, entries_read, entries_written;
	unsigned int nr_called;
	struct {
		uint64_t function, insns;
	} called[MAX_CALLED];
	uint32_t *pcs;		/* offsets in the module's code */
};

struct hart {
	/* Looked at by translated code: whether instructions and blocks call us. */
	uint64_t counting, inside;
	bool outside;		/* in a function that the module called */
	struct call call;
};

struct shape {
	struct shape *next;
	unsigned int number;
	uint64_t calls;
	struct call call;
};

static struct qemu_plugin_scoreboard *harts;
static unsigned int nr_harts;
static uint64_t text, text_end;
static unsigned int number;
static bool anywhere;		/* also in process context */
static struct shape *shapes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;

static struct hart *hart_at(unsigned int index)
{
	return qemu_plugin_scoreboard_find(harts, index);
}

static void *allocate(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		abort();
	return memory;
}

static bool in_text(uint64_t pc)
{
	return pc >= text && pc < text_end;
}

static bool same_shape(const struct call *a, const struct call *b)
{
	return a->entry == b->entry && a->insns == b->insns &&
	       a->reads == b->reads && a->writes == b->writes;
}

static void end_call(struct hart *hart)
{
	struct call *call = &hart->call;
	struct shape **at;

	hart->inside = 0;
	pthread_mutex_lock(&lock);
	for (at = &shapes; *at; at = &(*at)->next)
		if ((*at)->number == number && same_shape(&(*at)->call, call))
			break;
	if (!*at) {
		*at = allocate(sizeof(**at));
		**at = (struct shape){ .number = number, .call = *call };
		(*at)->call.pcs = allocate(call->insns * sizeof(*call->pcs));
		memcpy((*at)->call.pcs, call->pcs,
		       call->insns * sizeof(*call->pcs));
	}
	(*at)->calls++;
	pthread_mutex_unlock(&lock);
}

static void begin_call(struct hart *hart, uint64_t pc)
{
	hart->call = (struct call){
		.entry = pc,
		.ra = hart_read(HART_RA),
		.sp = hart_read(HART_SP),
		.pcs = hart->call.pcs ? hart->call.pcs :
					allocate(MAX_CALL * sizeof(uint32_t)),
	};
	hart->inside = 1;
}

/* Zicsr: csrrw and csrrs, csrrc with a source write; all with a target read. */
static void count_csr(struct call *call, uint32_t opcode)
{
	bool csrrw = (opcode >> 12 & 3) == 1;
	bool reads = opcode & 0xf80 || !csrrw;
	bool writes = opcode & 0xf8000 || csrrw;

	if ((opcode & 0x7f) != 0x73 || !(opcode >> 12 & 3))
		return;
	call->reads += reads;
	call->writes += writes;
	if (opcode >> 20 == CSR_SIREG3) {
		call->entries_read += reads;
		call->entries_written += writes;
	}
}

static void execute(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);
	const struct insn *insn = data;

	if (!in_text(insn->pc))
		return;
	/* Not where the module itself turned interrupts off. */
	if (!hart->inside) {
		if ((!anywhere && hart_read(HART_SSTATUS) & SSTATUS_SIE) ||
		    in_text(hart_read(HART_RA)))
			return;
		begin_call(hart, insn->pc);
	}
	hart->outside = false;
	/* Of a task that lost the CPU in the midst of it. */
	if (hart->call.insns == MAX_CALL && anywhere) {
		hart->inside = 0;
		return;
	}
	if (hart->call.insns == MAX_CALL) {
		fprintf(stderr, "cost: a call has no end\n");
		exit(1);
	}
	hart->call.pcs[hart->call.insns++] = insn->pc - text;
	count_csr(&hart->call, insn->opcode);
}

/* A block outside of the module is entered during a call. */
static void enter_block(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);
	struct call *call = &hart->call;
	uint64_t pc = hart_read(HART_PC);

	if (in_text(pc))
		return;
	if (pc == call->ra && hart_read(HART_SP) >= call->sp) {
		end_call(hart);
		return;
	}
	/* It was the end of a function that had turned interrupts off itself. */
	if (!anywhere && hart_read(HART_SSTATUS) & SSTATUS_SIE) {
		hart->inside = 0;
		return;
	}
	if (!hart->outside && call->nr_called < MAX_CALLED)
		call->called[call->nr_called++].function = pc;
	hart->outside = true;
	call->called[call->nr_called - 1].insns += (uintptr_t)data;
	call->outside += (uintptr_t)data;
}

static void heed_mark(unsigned int index, void *data)
{
	uint64_t counting;

	(void)index, (void)data;
	switch (hart_read(HART_A0)) {
	case MARK_TEXT:
		text = hart_read(HART_A1);
		text_end = hart_read(HART_A2);
		return;
	case MARK_COUNT:
		number = hart_read(HART_A1);
		anywhere = hart_read(HART_A2);
		counting = 1;
		break;
	case MARK_STOP:
		counting = 0;
		break;
	default:
		return;
	}
	for (unsigned int i = 0; i < nr_harts; i++)
		hart_at(i)->counting = counting;
}

static void count_module(struct qemu_plugin_tb *tb)
{
	qemu_plugin_u64 flag = { harts, offsetof(struct hart, counting) };
	size_t nr = qemu_plugin_tb_n_insns(tb);

	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *at = qemu_plugin_tb_get_insn(tb, i);
		struct insn *insn = allocate(sizeof(*insn));

		insn->pc = qemu_plugin_insn_vaddr(at);
		insn->opcode = 0;
		qemu_plugin_insn_data(at, &insn->opcode, sizeof(insn->opcode));
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
			at, execute, QEMU_PLUGIN_CB_R_REGS,
			QEMU_PLUGIN_COND_NE, flag, 0, insn);
	}
}

static void translate(struct qemu_plugin_tb *tb, void *data)
{
	qemu_plugin_u64 flag = { harts, offsetof(struct hart, inside) };
	enum hart_priv priv = hart_read(HART_PRIV);
	uint64_t pc = qemu_plugin_tb_vaddr(tb);

	(void)data;
	if (priv == HART_U)
		hart_find_marks(tb, heed_mark);
	if (priv != HART_S)
		return;
	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, enter_block, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		flag, 0, (void *)(uintptr_t)qemu_plugin_tb_n_insns(tb));
	/* Each place of the kernel's is mapped once, and so known by now. */
	if (pc >= MODULES && pc < KERNEL)
		count_module(tb);
}

static void init_hart(unsigned int index, void *data)
{
	(void)data;
	hart_init();
	if (index >= nr_harts)
		nr_harts = index + 1;
}

static int compare(const void *a, const void *b)
{
	uint32_t pc = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return pc < other ? -1 : pc > other;
}

static void write_shape(const struct shape *shape)
{
	const struct call *call = &shape->call;
	uint64_t first;

	fprintf(file, "shape %u %" PRIu64 " %" PRIx64 " %" PRIu64 " %u %u %u %u %" PRIu64 "\n",
		shape->number, shape->calls, call->entry, call->insns,
		call->reads, call->writes, call->entries_read,
		call->entries_written, call->outside);
	qsort(call->pcs, call->insns, sizeof(*call->pcs), compare);
	for (uint64_t i = 0; i < call->insns; i = first) {
		for (first = i; first < call->insns &&
				call->pcs[first] == call->pcs[i]; first++)
			;
		fprintf(file, "at %" PRIx64 " %" PRIu64 "\n",
			text + call->pcs[i], first - i);
	}
	for (unsigned int i = 0; i < call->nr_called; i++)
		fprintf(file, "out %" PRIx64 " %" PRIu64 "\n",
			call->called[i].function, call->called[i].insns);
}

static void finish(void *data)
{
	(void)data;
	for (const struct shape *shape = shapes; shape; shape = shape->next)
		write_shape(shape);
	if (fclose(file)) {
		fprintf(stderr, "cost: cannot write its file: %s\n",
			strerror(errno));
		exit(1);
	}
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc,
			char **argv)
{
	(void)info;
	file = hart_open(argc, argv, "cost", "out");
	if (!file)
		return 1;
	harts = qemu_plugin_scoreboard_new(sizeof(struct hart));
	qemu_plugin_register_vcpu_init_cb(id, init_hart, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
