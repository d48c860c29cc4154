// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plug-in `transfers`: logs each control transfer that is executed while a
 * program in the guest has opened a window (mark.h), in the order of execution.
 *
 *   -plugin transfers.so,log=FILE
 *
 * A block of translated code ends with the one instruction in it that may transfer.
 * Where the next block is entered shows whether it did. Addresses are those of
 * execution: blocks are shared between mappings of a page, so that an address seen
 * in translation may be another one's.
 *
 * A window that a program opens in a guest of KVM is the guest's: what its host does
 * meanwhile is a mode that is not logged, as M mode is. A window of the host has nothing
 * of guests.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hart.h"
#include "mark.h"
#include "riscv/rv_insn.h"
#include "transfer_log.h"

/* A translated block. */
struct block {
	uint32_t size;		/* bytes */
	uint32_t last;		/* offset of its last instruction */
	uint32_t opcode;	/* of that one */
	int32_t offset;		/* from it to its target, if it tells that, or 0 */
	bool jumps;		/* always, also to the instruction that follows */
	bool super;		/* S or VS mode's */
	uint16_t nr;		/* instructions */
	uint32_t *code;		/* their opcodes */
	_Atomic uint64_t logged; /* where, see log_code() */
};

#define NO_WINDOW (-1)

/*
 * sctrctl, and sctrstatus.FROZEN. Not read, but followed: QEMU shows them to no plug-in
 * where harts have Smstateen, and a hypervisor exchanges them behind its guest's back.
 */
struct ctr {
	uint64_t ctl;
	bool frozen;
};

#define SCTRCTL			0x14e
#define SCTRCTL_LCOFIFRZ	(1u << 12)
#define SCTRSTATUS		0x14f
#define SCTRSTATUS_FROZEN	(1u << 31)

/* Cause of a counter-overflow interrupt. */
#define LCOFI			13

struct hart {
	/* Looked at by translated code: whether blocks of these modes call us. */
	uint64_t modes[HART_MODES];
	/* The block that is being executed, and where it is. */
	bool running;
	struct block block;
	uint64_t start;
	/* What user code is logged under, if the address space is known. */
	bool known;
	int window;
	/*
	 * What all of this hart is logged under, and whether it is in M mode, or with its
	 * host.
	 */
	int whole;
	bool away;
	/* HART_VIRTUAL if what is logged is a guest's, else 0. */
	enum hart_priv virtual;
	/* The registers of the hart's own software, and what a guest has of its own. */
	struct ctr own[2];
};

static struct qemu_plugin_scoreboard *harts;

/* Address spaces whose user code is logged. */
static struct {
	uint64_t ppn;
	enum hart_priv virtual;	/* as in struct hart */
	int window;
} spaces[16];
/* By whether they are a guest's. */
static atomic_int nr_open[2];

/* What the next program that starts is logged under: the kernel may move it. */
static atomic_int next_program = NO_WINDOW;

static FILE *file;
static struct transfer_log_header header = {
	.magic = TRANSFER_LOG_MAGIC,
	.nr = UINT64_MAX,
};
static uint64_t nr_logged;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* spaces, the log */

static struct hart *hart_at(unsigned int index)
{
	return qemu_plugin_scoreboard_find(harts, index);
}

static void give_up(void)
{
	fprintf(stderr, "transfers: cannot write its file: %s\n",
		strerror(errno));
	exit(1);
}

static struct ctr *ctr_of(struct hart *hart, enum hart_priv virtual)
{
	return &hart->own[!!(virtual & HART_VIRTUAL)];
}

/* Is there nothing to log of a window of all of the hart? */
static bool is_frozen(struct hart *hart)
{
	return hart->whole != NO_WINDOW && ctr_of(hart, hart->virtual)->frozen;
}

static void add_record(const struct transfer_log_record *record)
{
	pthread_mutex_lock(&lock);
	if (fwrite(record, sizeof(*record), 1, file) != 1)
		give_up();
	nr_logged++;
	pthread_mutex_unlock(&lock);
}

static void add(unsigned int hart, int window, enum transfer_log_kind kind,
		uint64_t from, uint64_t to, uint32_t insn)
{
	add_record(&(struct transfer_log_record){
		.from = from, .to = to, .insn = insn, .kind = kind,
		.window = window, .hart = hart,
	});
}

static bool is_page_fault(uint32_t cause)
{
	return cause == 12 || cause == 13 || cause == 15;
}

/* The hart has just taken a trap into S mode. */
static void add_trap(unsigned int hart, int window, uint64_t from, uint64_t to,
		     bool interrupt, bool frozen)
{
	uint32_t cause = (hart_read(HART_SCAUSE) & 0xff) |
			 (interrupt ? TRANSFER_LOG_INTERRUPT : 0);

	add_record(&(struct transfer_log_record){
		.from = from, .to = to, .kind = TRANSFER_LOG_TRAP,
		.insn = cause, .frozen = frozen, .window = window, .hart = hart,
	});
	if (is_page_fault(cause))
		add(hart, window, TRANSFER_LOG_FAULT, from,
		    hart_read(HART_STVAL), cause);
}

/*
 * The code of @block, which is about to be executed at @pc. It is translated anew
 * when it changes, and may be executed at several places.
 */
static void log_code(unsigned int hart, int window, struct block *block,
		     uint64_t pc)
{
	uint64_t where = pc ^ (uint64_t)window << 48;

	if (block->logged == where)
		return;
	for (unsigned int i = 0; i < block->nr; i++) {
		add(hart, window, TRANSFER_LOG_CODE, pc, 0, block->code[i]);
		pc += (block->code[i] & 3) == 3 ? 4 : 2;
	}
	block->logged = where;
}

static enum hart_priv virtual_now(void)
{
	return hart_read(HART_PRIV) & HART_VIRTUAL;
}

static bool are_open(enum hart_priv virtual)
{
	return nr_open[!!virtual] != 0;
}

/* Until it is known whose user code it is, it calls us if it may be logged. */
static void ask_of_tasks(struct hart *hart)
{
	hart->known = false;
	hart->modes[HART_U] = are_open(0);
	hart->modes[HART_VIRTUAL | HART_U] = are_open(HART_VIRTUAL);
}

static void open_space(int window)
{
	uint64_t ppn = hart_read(HART_SATP) & HART_SATP_PPN;
	enum hart_priv virtual = virtual_now();

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < 16; i++) {
		if (spaces[i].window != NO_WINDOW)
			continue;
		spaces[i].ppn = ppn;
		spaces[i].virtual = virtual;
		spaces[i].window = window;
		break;
	}
	pthread_mutex_unlock(&lock);
}

/* As selftests/traced leaves these registers, and the kernel a0. */
static bool is_new_program(void)
{
	return !hart_read(HART_RA) && !hart_read(HART_TP) && !hart_read(HART_A0);
}

static int find_window(void)
{
	uint64_t ppn = hart_read(HART_SATP) & HART_SATP_PPN;
	enum hart_priv virtual = virtual_now();
	int window = NO_WINDOW;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < 16; i++)
		if (spaces[i].ppn == ppn && spaces[i].virtual == virtual &&
		    spaces[i].window != NO_WINDOW)
			window = spaces[i].window;
	pthread_mutex_unlock(&lock);
	return window;
}

/* User code of an address space goes on at @pc; is it one that is logged? */
static bool resume_task(struct hart *hart, unsigned int index, uint64_t pc)
{
	if (next_program != NO_WINDOW && is_new_program())
		open_space(atomic_exchange(&next_program, NO_WINDOW));
	hart->known = true;
	hart->virtual = virtual_now();
	hart->window = find_window();
	if (hart->window == NO_WINDOW)
		return false;
	add(index, hart->window, TRANSFER_LOG_RESUME, hart_read(HART_TP), pc, 0);
	return true;
}

static int window_of(const struct hart *hart)
{
	if (hart->whole != NO_WINDOW)
		return hart->whole;
	return hart->known ? hart->window : NO_WINDOW;
}

/*
 * Was the block left amid, for @pc? QEMU does that, without a word, when an access
 * to a device was not the block's last instruction.
 */
static bool is_torn(const struct hart *hart, uint64_t pc)
{
	const struct block *block = &hart->block;

	return block->super && pc - hart->start - 1 < block->size - 1 &&
	       (!block->offset || pc != hart->start + block->last + block->offset);
}

/* The block that was being executed is through, and @pc comes next. */
static void end_block(struct hart *hart, unsigned int index, uint64_t pc)
{
	if (hart->running && !is_frozen(hart) && !is_torn(hart, pc) &&
	    (hart->block.jumps || pc != hart->start + hart->block.size))
		add(index, window_of(hart), TRANSFER_LOG_TRANSFER,
		    hart->start + hart->block.last, pc, hart->block.opcode);
	hart->running = false;
}

static void enter_block(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);
	uint64_t pc = hart_read(HART_PC);

	if (hart->whole != NO_WINDOW) {
		if (hart->away && !is_frozen(hart))
			add(index, hart->whole, TRANSFER_LOG_RESUME, 0, pc, 0);
		hart->away = false;
	} else if (!hart->known && !resume_task(hart, index, pc)) {
		hart->modes[hart->virtual | HART_U] = 0;
		return;
	}
	end_block(hart, index, pc);
	if (!is_frozen(hart))
		log_code(index, window_of(hart), data, pc);
	hart->running = true;
	hart->block = *(const struct block *)data;
	hart->start = pc;
}

/* @from is the instruction that trapped, or the next one to be executed. */
static void trap(unsigned int index, enum qemu_plugin_discon_type type,
		 uint64_t from, uint64_t to, void *data)
{
	struct hart *hart = hart_at(index);
	bool interrupt = type == QEMU_PLUGIN_DISCON_INTERRUPT;
	enum hart_priv mode = hart_read(HART_PRIV);	/* to which it leads */
	struct ctr *ctr = ctr_of(hart, mode);
	bool freezes = interrupt && (mode & ~HART_VIRTUAL) == HART_S &&
		       ctr->ctl & SCTRCTL_LCOFIFRZ &&
		       (hart_read(HART_SCAUSE) & 0xff) == LCOFI;
	bool frozen = is_frozen(hart), left;
	int window;

	(void)data;
	/* From user code into its kernel, before a block of it was entered. */
	if (hart->whole == NO_WINDOW && !hart->known &&
	    are_open(mode & HART_VIRTUAL) && !(from >> 63) &&
	    (mode & ~HART_VIRTUAL) == HART_S)
		resume_task(hart, index, from);
	left = mode != (hart->virtual | HART_S);
	if (hart->whole != NO_WINDOW && hart->away) {
		if (left) {	/* M mode's own, or the host's */
			ctr->frozen |= freezes;
			return;
		}
		/* Back from there, but interrupted before a block was entered. */
		if (!frozen)
			add(index, hart->whole, TRANSFER_LOG_RESUME, 0, from, 0);
		hart->away = false;
	}
	window = window_of(hart);
	if (window != NO_WINDOW) {
		/* An instruction amid a block that traps ends it there. */
		if (!interrupt && from - hart->start < hart->block.size)
			hart->running = false;
		end_block(hart, index, from);
		hart->away = left;
	}
	ctr->frozen |= freezes;
	if (window != NO_WINDOW && !frozen) {
		if (left)
			add(index, window, TRANSFER_LOG_LEAVE, from, to, 0);
		else
			add_trap(index, window, from, to, interrupt, is_frozen(hart));
	}
	hart->running = false;
	if (hart->whole == NO_WINDOW)
		ask_of_tasks(hart);
}

static void open_task(struct hart *hart, int window)
{
	open_space(window);
	nr_open[!!virtual_now()]++;
	ask_of_tasks(hart);
}

static void close_window(struct hart *hart, int window)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < 16; i++) {
		if (spaces[i].window != window)
			continue;
		spaces[i].window = NO_WINDOW;
		nr_open[!!spaces[i].virtual]--;
	}
	pthread_mutex_unlock(&lock);
	hart->whole = NO_WINDOW;
	memset(hart->modes, 0, sizeof(hart->modes));
	ask_of_tasks(hart);
}

static void heed_mark(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);
	int window = hart_read(HART_A1) & 0xff;

	(void)data;
	switch (hart_read(HART_A0)) {
	case MARK_OPEN_TASK:
		open_task(hart, window);
		break;
	case MARK_OPEN_EXEC:
		next_program = window;
		nr_open[!!virtual_now()]++;
		break;
	case MARK_OPEN_HART:
		hart->whole = window;
		hart->away = true;
		hart->virtual = virtual_now();
		hart->modes[hart->virtual | HART_U] = 1;
		hart->modes[hart->virtual | HART_S] = 1;
		break;
	case MARK_CLOSE:
		close_window(hart, window);
		break;
	default:
		return;
	}
	/* This block began before the window, or ends after it. */
	hart->running = false;
}

/* Blocks live until QEMU throws all of its translations away. */
static struct chunk {
	struct chunk *next;
	unsigned int nr;
	struct block blocks[4096];
} *chunks;
static pthread_mutex_t chunks_lock = PTHREAD_MUTEX_INITIALIZER;

static struct block *new_block(void)
{
	struct block *block;

	pthread_mutex_lock(&chunks_lock);
	if (!chunks || chunks->nr == 4096) {
		struct chunk *chunk = malloc(sizeof(*chunk));

		if (!chunk)
			abort();
		chunk->next = chunks;
		chunk->nr = 0;
		chunks = chunk;
	}
	block = &chunks->blocks[chunks->nr++];
	pthread_mutex_unlock(&chunks_lock);
	return block;
}

static void flush(void *data)
{
	(void)data;
	while (chunks) {
		struct chunk *next = chunks->next;

		for (unsigned int i = 0; i < chunks->nr; i++)
			free(chunks->blocks[i].code);
		free(chunks);
		chunks = next;
	}
}

/* What an event in translated code is: of which instruction, and of a guest? */
static void *event(uint32_t opcode, enum hart_priv virtual)
{
	return (void *)((uintptr_t)virtual << 32 | opcode);
}

static enum hart_priv virtual_of(void *event)
{
	return (uintptr_t)event >> 32;
}

/* What is in a CSR after instruction @opcode wrote it, which had @value before. */
static uint64_t written(uint32_t opcode, uint64_t value)
{
	unsigned int rs1 = opcode >> 15 & 31;
	uint64_t operand = opcode >> 14 & 1 ? rs1 : hart_read_x(rs1);

	switch (opcode >> 12 & 3) {
	case 1:
		return operand;
	case 2:
		return value | operand;
	default:
		return value & ~operand;
	}
}

/* sctrctl is about to be written. */
static void heed_control(unsigned int index, void *data)
{
	struct ctr *ctr = ctr_of(hart_at(index), virtual_of(data));

	ctr->ctl = written((uintptr_t)data, ctr->ctl);
}

/* sctrstatus is about to be written. */
static void heed_status(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);
	struct ctr *ctr = ctr_of(hart, virtual_of(data));
	bool frozen = is_frozen(hart);

	ctr->frozen = written((uintptr_t)data, ctr->frozen ? SCTRSTATUS_FROZEN : 0) &
		      SCTRSTATUS_FROZEN;
	if (frozen && !is_frozen(hart))
		add_record(&(struct transfer_log_record){
			.to = hart->start, .kind = TRANSFER_LOG_RESUME,
			.window = hart->whole, .hart = index, .frozen = true,
		});
}

/* __switch_to(prev, next) of the kernel, where it takes on the next task. */
static void heed_switch(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);

	if (hart->whole != NO_WINDOW && virtual_of(data) == hart->virtual)
		add_record(&(struct transfer_log_record){
			.from = hart_read(HART_A0), .to = hart_read(HART_A1),
			.kind = TRANSFER_LOG_TASK, .window = hart->whole,
			.hart = index, .frozen = is_frozen(hart),
		});
}

static bool accesses(uint32_t opcode, uint32_t csr)
{
	return (opcode & 0x7f) == 0x73 && opcode >> 12 & 3 && opcode >> 20 == csr;
}

static void find_events(struct qemu_plugin_tb *tb, enum hart_priv virtual)
{
	size_t nr = qemu_plugin_tb_n_insns(tb);

	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t opcode = 0;

		qemu_plugin_insn_data(insn, &opcode, sizeof(opcode));
		if (accesses(opcode, SCTRCTL))
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, heed_control, QEMU_PLUGIN_CB_R_REGS,
				event(opcode, virtual));
		else if (accesses(opcode, SCTRSTATUS))
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, heed_status, QEMU_PLUGIN_CB_R_REGS,
				event(opcode, virtual));
		/* mv tp, a1 */
		else if (opcode == 0x822e || opcode == 0x00058213)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, heed_switch, QEMU_PLUGIN_CB_R_REGS,
				event(opcode, virtual));
	}
}

static void take_code(struct block *block, struct qemu_plugin_tb *tb, size_t nr)
{
	block->nr = nr;
	block->code = calloc(nr, sizeof(*block->code));
	if (!block->code)
		abort();
	for (size_t i = 0; i < nr; i++)
		qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, i),
				      &block->code[i], sizeof(*block->code));
}

static void translate(struct qemu_plugin_tb *tb, void *data)
{
	enum hart_priv priv = hart_read(HART_PRIV);
	size_t nr = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, nr - 1);
	enum hart_priv level = priv & ~HART_VIRTUAL;
	qemu_plugin_u64 flag = {
		harts, offsetof(struct hart, modes) + priv * sizeof(uint64_t)
	};
	struct rv_insn insn;
	struct block *block;

	(void)data;
	if (level == HART_M)
		return;
	block = new_block();
	*block = (struct block){
		.last = qemu_plugin_insn_vaddr(last) - qemu_plugin_tb_vaddr(tb),
		.super = level == HART_S,
	};
	block->size = block->last + qemu_plugin_insn_size(last);
	take_code(block, tb, nr);
	block->opcode = block->code[nr - 1];
	if (rv_decode_word(&insn, block->opcode, 0) > 0) {
		block->jumps = rv_never_falls_through(&insn);
		block->offset = insn.has_offset ? insn.offset : 0;
	}
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, enter_block,
						  QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_NE, flag, 0,
						  block);
	if (level == HART_U)
		hart_find_marks(tb, heed_mark);
	else
		find_events(tb, priv & HART_VIRTUAL);
}

static void init_hart(unsigned int index, void *data)
{
	struct hart *hart = hart_at(index);

	(void)data;
	hart_init();
	hart->window = NO_WINDOW;
	hart->whole = NO_WINDOW;
}

/* Only a log that is whole says how many records it has. */
static void finish(void *data)
{
	(void)data;
	header.nr = nr_logged;
	if (fseek(file, 0, SEEK_SET) ||
	    fwrite(&header, sizeof(header), 1, file) != 1 || fclose(file))
		give_up();
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc,
			char **argv)
{
	(void)info;
	file = hart_open(argc, argv, "transfers", "log");
	if (!file)
		return 1;
	setvbuf(file, NULL, _IOFBF, 1 << 20);
	if (fwrite(&header, sizeof(header), 1, file) != 1)
		give_up();
	for (unsigned int i = 0; i < 16; i++)
		spaces[i].window = NO_WINDOW;
	harts = qemu_plugin_scoreboard_new(sizeof(struct hart));
	qemu_plugin_register_vcpu_init_cb(id, init_hart, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_INTERRUPT |
					    QEMU_PLUGIN_DISCON_EXCEPTION, trap, NULL);
	qemu_plugin_register_flush_cb(id, flush, NULL);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
