/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the instructions that were executed, from recorded transfers.
 *
 * Between the target of a transfer and the source of the next one, the hart ran straight
 * on. The code there tells which instructions these were. If the code and the records
 * contradict each other, the path has a break. After the break, the path continues with
 * what is certain. It never contains an instruction that is not proved.
 */
#ifndef PATH_H
#define PATH_H

#include "image/image.h"
#include "perfdata/perfdata.h"

/* The reasons why two transfers do not connect. */
enum path_break {
	PATH_OK = 0,
	/* from is 0: the source lies in a mode that was not recorded */
	PATH_NO_SOURCE,
	/*
	 * to is 0: the target lies in a mode that was not recorded. A jump by a register does
	 * not change the mode: if the record has its type, the target is address 0 itself.
	 */
	PATH_NO_TARGET,
	PATH_OTHER_MODE, /* one address is in the kernel, the other is not */
	PATH_BACKWARDS, /* the source lies before the target */
	PATH_JUMP, /* an unconditional jump lies in between */
	PATH_TRAP, /* an instruction that always traps lies in between */
	PATH_MISALIGNED, /* the source lies inside an instruction, or is odd */
	/* there is no code; enum img_state tells the reason */
	PATH_UNKNOWN_CODE,
	PATH_UNDEFINED, /* the bytes are not an instruction */
	PATH_TOO_FAR, /* the line is longer than PATH_MAX_LINE bytes */
	PATH_NOT_A_TRANSFER, /* the instruction cannot make such a transfer */
	PATH_OTHER_TARGET, /* the instruction leads to another target */
	PATH_SIGNAL, /* a signal may have arrived in between */
	PATH_SIGNAL_RETURN, /* a signal handler returned, to a place that is not known */
	PATH_NR_BREAKS,
};

/* The longest straight line that is accepted, in bytes. No function is longer. */
#define PATH_MAX_LINE (1u << 20)

/* What the end of a run of instructions is. */
enum path_end {
	PATH_END_BRANCH, /* the last instruction branched or jumped */
	PATH_END_TRAP, /* the last instruction trapped or was interrupted */
	PATH_END_TRAP_RETURN, /* the last instruction returned from a trap */
	PATH_END_IP, /* the sample was taken at the last instruction */
	/*
	 * The sample was taken in a mode that is not recorded. It is not known how much
	 * of the last straight line ran.
	 */
	PATH_END_AWAY,
	PATH_END_BREAK, /* the path has a break after it; `why` is the reason */
	/*
	 * The path is cut: the transfer at the end leads to something that cannot be
	 * shown.
	 */
	PATH_END_CUT,
};

/*
 * A run: the instructions of a straight line, and the source of a transfer that ends it.
 * Either of them may be missing. All instructions of the run were executed, except one
 * that was interrupted or that trapped. Without PATH_ALL_SOURCES, after a run that ends in a
 * branch, the next run always starts at the target of the branch and has `connected` set.
 */
struct path_run {
	uint64_t pc;
	/* size bytes; valid as long as the code source allows */
	const uint8_t *code;
	uint32_t size;
	uint32_t nr_insns; /* 0: the run has only the break */
	/* the last bytes of size, which are the source; 0: no source */
	uint8_t source_size;
	bool rv32; /* the code has 32 bits: RV_RV32 for rv_decode() */
	bool calls; /* the line has a system call or breakpoint */
	/*
	 * The offset in bytes of the last instruction in the line that writes a7. It lies
	 * behind the line if no instruction does.
	 */
	uint32_t a7_at;
	enum path_end end;
	enum path_break why; /* PATH_OK: there is no break here */
	enum img_state unknown; /* the reason of PATH_UNKNOWN_CODE */
	bool connected; /* the run before leads to the start of this one */
	/* a transfer ends the run: PATH_END_BRANCH to PATH_END_TRAP_RETURN */
	bool has_transfer;
	/* the next run starts at the target of the transfer */
	bool target_shown;
	/*
	 * Its index in path_transfers(). Without has_transfer, the index of the transfer
	 * to which the line leads, or their number behind the last one.
	 */
	uint32_t transfer;
};

/* Where a path continues with the records of the next sample. */
struct path_next {
	uint64_t pc; /* 0: it does not continue */
	/*
	 * This number of the newest transfers are not shown, because it is not known
	 * whether anything at their target was executed. The first of them is at pc.
	 */
	uint32_t again;
	bool connected; /* the last shown instruction leads to pc */
};

struct path_transfer {
	uint64_t from;
	uint64_t to;
	unsigned int type; /* the result of pd_branch_type(); 0: not known */
};

/* A continuous piece of code: size bytes at address start. */
struct path_window {
	uint64_t start;
	uint64_t size;
	const uint8_t *code;
	bool rv32;
	uint64_t since; /* ns, when the code took the place of other code; 0: it did not */
};

/*
 * Where the code comes from. code() stores the window around an address, as process pid
 * sees it; `since` is 0 before. It returns IMG_OK, or the reason why there is no code. As
 * long as the path object exists, the bytes must not change, and other bytes must not take
 * their place.
 */
struct path_source {
	enum img_state (*code)(void *arg, uint32_t pid, uint64_t addr,
			       struct path_window *window);
	void *arg;
};

enum path_flags {
	/*
	 * The transfers of the kernel were recorded, too. Without this flag, a system
	 * call is part of a straight line, because the kernel's part of it leaves no
	 * record.
	 */
	PATH_KERNEL = 1 << 0,
	/*
	 * Show each branch that was executed, also if nothing at its target can be shown:
	 * the run that it ends has no target_shown then. No run ends with PATH_END_CUT.
	 */
	PATH_ALL_SOURCES = 1 << 1,
};

/* A signal that has a handler, as the kernel delivered it. */
struct path_signal {
	/* the next instruction of the interrupted code; 0: not known */
	uint64_t pc;
	uint64_t handler; /* where user code went on */
};

struct path;

/*
 * Make a path object. It copies *source. Returns NULL if out of memory. path_free()
 * accepts NULL.
 */
struct path *path_new(const struct path_source *source);
void path_free(struct path *path);

/*
 * The signals that may have arrived in the paths of the next calls. Branch records of user
 * code do not show them. Where one may have arrived between two transfers, these do not
 * connect, and the path goes on in the handler if that is certain. The signals must exist
 * until they are replaced. By default, there are none. Returns false if out of memory.
 */
bool path_set_signals(struct path *path, const struct path_signal *signals, size_t nr);

/*
 * Everything in the paths of the next calls was executed at this time or later, in ns. Code that
 * took the place of other code after it is not known (IMG_REPLACED). By default, whatever is at
 * an address at the end of a path was there all the time.
 */
void path_set_since(struct path *path, uint64_t time);

/*
 * Find the path through nr transfers, the oldest first, up to the interrupted instruction
 * at ip. flags are enum path_flags. Returns the number of runs, which is 0 if nr is 0, or
 * PD_ENOMEM.
 */
int path_decode(struct path *path, uint32_t pid, const struct path_transfer *t,
		size_t nr, uint64_t ip, unsigned int flags);

/* Like path_decode(), for the branch stack and the ip of a sample. */
int path_decode_sample(struct path *path, uint32_t pid,
		       const struct pd_sample *sample, unsigned int flags);

/*
 * Like path_decode(), for a path that continues. The hart ran straight on from pc. The
 * first run starts at pc. Its `connected` is the argument `connected`, which tells
 * whether the path before leads to pc. nr may be 0.
 */
int path_decode_on(struct path *path, uint32_t pid, uint64_t pc, bool connected,
		   const struct path_transfer *t, size_t nr, uint64_t ip,
		   unsigned int flags);

/* Like path_decode_on(), for the nr newest transfers of a sample and its ip. */
int path_decode_sample_on(struct path *path, uint32_t pid, uint64_t pc,
			  bool connected, const struct pd_sample *sample,
			  size_t nr, unsigned int flags);

/*
 * The runs of the last call, and the transfers that it used, the oldest first. They are
 * valid until the next call.
 */
const struct path_run *path_runs(const struct path *path);
const struct path_transfer *path_transfers(const struct path *path);

/*
 * Where the path of the last call continues. To continue it, call path_decode_on() with
 * this pc. Pass the `again` newest transfers once more, and the new ones after them.
 */
const struct path_next *path_next(const struct path *path);

/* Returns the reason in words, such as "an unconditional jump in between". */
const char *path_break_text(enum path_break why);

/*
 * Returns whether the address is an address of the kernel. The kernel has the upper half
 * of the address space.
 */
static inline bool path_is_kernel(uint64_t addr)
{
	return addr >> 63;
}

#endif
