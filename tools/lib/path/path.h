/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From recorded transfers to the instructions that were executed.
 *
 * Between the target of a transfer and the source of the next one the hart ran
 * straight on: the code there says which instructions these were. Where the code
 * and the records do not fit, the path breaks; it then goes on with what is known
 * for certain, and no instruction is made up.
 */
#ifndef PATH_H
#define PATH_H

#include "image/image.h"
#include "perfdata/perfdata.h"

/* Why two transfers do not connect. */
enum path_break {
	PATH_OK = 0,
	PATH_NO_SOURCE, /* from is 0: it lies in a mode not recorded */
	PATH_NO_TARGET, /* to is 0: the same */
	PATH_OTHER_MODE, /* one is in the kernel, the other is not */
	PATH_BACKWARDS, /* the source is before the target */
	PATH_JUMP, /* an unconditional jump is in between */
	PATH_TRAP, /* an instruction that always traps is */
	PATH_MISALIGNED, /* the source is inside an instruction, or odd */
	PATH_UNKNOWN_CODE, /* see enum img_state */
	PATH_UNDEFINED, /* bytes that are no instruction */
	PATH_TOO_FAR, /* more than PATH_MAX_LINE bytes */
	PATH_NOT_A_TRANSFER, /* the source's instruction makes no such one */
	PATH_OTHER_TARGET, /* the source's instruction leads elsewhere */
	PATH_NR_BREAKS,
};

/* No function is longer in straight line than this, in bytes. */
#define PATH_MAX_LINE (1u << 20)

/* What stands at the end of a run of instructions. */
enum path_end {
	PATH_END_BRANCH, /* its last instruction branched or jumped */
	PATH_END_TRAP, /* its last instruction trapped, or was interrupted */
	PATH_END_TRAP_RETURN, /* its last instruction returned from a trap */
	PATH_END_IP, /* its last instruction is where the sample was taken */
	/*
	 * The sample was taken in a mode that is not recorded: how far the last
	 * straight line ran is not known.
	 */
	PATH_END_AWAY,
	PATH_END_BREAK, /* the path breaks after it, see why */
	/* It is cut: the transfer at its end leads to what cannot be shown. */
	PATH_END_CUT,
};

/*
 * Instructions in straight line: a line that goes straight through, and the source
 * that ends it, either of which may be missing. All but the interrupted one, and one
 * that trapped, were executed. A run that ends in a branch is always followed by the
 * run that starts at its target, with connected set there.
 */
struct path_run {
	uint64_t pc;
	const uint8_t *code; /* size bytes; as long as the code source says */
	uint32_t size;
	uint32_t nr_insns; /* 0: nothing to show but the break */
	uint8_t source_size; /* of size, in bytes; 0: there is no source */
	bool calls; /* a system call or breakpoint is in the line */
	/*
	 * Where the line's last instruction is that writes a7, in bytes; behind
	 * the line: nowhere.
	 */
	uint32_t a7_at;
	enum path_end end;
	enum path_break why; /* PATH_OK: no break here */
	enum img_state unknown; /* for PATH_UNKNOWN_CODE */
	bool connected; /* it starts where the run before it leads */
	bool has_transfer; /* transfer ends it: END_BRANCH to END_TRAP_RETURN */
	bool target_shown; /* the next run starts at the transfer's target */
	uint32_t transfer; /* index in the transfers that were given */
};

/* Where a path goes on with what the next sample shows. */
struct path_next {
	uint64_t pc; /* 0: nowhere */
	/*
	 * So many of its youngest transfers are not shown, as it is not known
	 * whether anything at their target was executed. The first is at pc.
	 */
	uint32_t again;
	bool connected; /* what was shown last leads to pc */
};

struct path_transfer {
	uint64_t from;
	uint64_t to;
	unsigned int type; /* as pd_branch_type() returns it; 0: not known */
};

/* Code that lies together: size bytes at address start. */
struct path_window {
	uint64_t start;
	uint64_t size;
	const uint8_t *code;
	bool rv32;
};

/*
 * Where the code comes from: the window around an address, as process pid sees
 * it. Returns IMG_OK or why there is none. The bytes must not change, nor other
 * bytes take their place, as long as the path object lives.
 */
struct path_source {
	enum img_state (*code)(void *arg, uint32_t pid, uint64_t addr,
			       struct path_window *window);
	void *arg;
};

enum path_flags {
	/*
	 * Transfers of the kernel were recorded, too. Otherwise a system call is
	 * part of a straight line: the kernel's part of it leaves no record.
	 */
	PATH_KERNEL = 1 << 0,
};

struct path;

/* source is copied. NULL: out of memory. */
struct path *path_new(const struct path_source *source);
void path_free(struct path *path);

/*
 * Find the path through nr transfers, oldest first, up to the interrupted
 * instruction at ip. Returns the number of runs, 0 if nr is 0, or PD_ENOMEM.
 */
int path_decode(struct path *path, uint32_t pid, const struct path_transfer *t,
		size_t nr, uint64_t ip, unsigned int flags);

/* The same for a sample's branch stack and its ip. */
int path_decode_sample(struct path *path, uint32_t pid,
		       const struct pd_sample *sample, unsigned int flags);

/*
 * The same for a path that goes on: the hart went straight on from pc. The first
 * run starts there, and is connected if `connected` says that what stands before
 * it leads there. nr may be 0.
 */
int path_decode_on(struct path *path, uint32_t pid, uint64_t pc, bool connected,
		   const struct path_transfer *t, size_t nr, uint64_t ip,
		   unsigned int flags);

/* And for the nr youngest transfers of a sample and its ip. */
int path_decode_sample_on(struct path *path, uint32_t pid, uint64_t pc,
			  bool connected, const struct pd_sample *sample,
			  size_t nr, unsigned int flags);

/* The runs of the last call, and the transfers it was given, oldest first. */
const struct path_run *path_runs(const struct path *path);
const struct path_transfer *path_transfers(const struct path *path);

/*
 * Where that path goes on: with path_decode_on() from its pc, with the transfers that
 * are to come again, and new ones.
 */
const struct path_next *path_next(const struct path *path);

/* "an unconditional jump in between", ... */
const char *path_break_text(enum path_break why);

/* Is this an address of the kernel? It has the upper half of the address space. */
static inline bool path_is_kernel(uint64_t addr)
{
	return addr >> 63;
}

#endif
