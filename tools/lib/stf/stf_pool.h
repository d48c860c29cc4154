/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that work on the chunks of a .zstf, which are handed in and taken back in
 * order. Each is in a slot, of which there are a few more than threads.
 */
#ifndef STF_STF_POOL_H
#define STF_STF_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stf_pool;

/* One chunk. While it is handed in, the thread that has the job touches nothing else. */
struct stf_slot {
	uint8_t *in; /* what zstd gets, and what it makes of it */
	uint8_t *out;
	uint64_t in_room; /* bytes of the two buffers */
	uint64_t out_room;
	uint64_t in_size; /* bytes in use */
	uint64_t out_size; /* only when read: what the index says */
	uint64_t offset; /* only when read: in the container */
	uint64_t pc; /* only when written: of its first instruction */
	size_t got; /* what zstd returned */
	int read_errno; /* it could not be read */
	bool cut; /* the file has become shorter */
	bool done; /* the pool's */
};

/* Do the job in this slot. worker: 0 to threads - 1, the same for no two jobs at
 * a time. */
typedef void stf_pool_fn(void *user, struct stf_slot *slot, unsigned int worker);

/* How many threads the option of reader and writer asks for. */
unsigned int stf_threads(unsigned int option);

enum { STF_POOL_MAX = 64 };

/*
 * threads: 0 to STF_POOL_MAX; with 0 (and if no thread can be started) the jobs
 * are done where they are handed in. NULL if there is no memory.
 */
struct stf_pool *stf_pool_new(unsigned int threads, unsigned int slots,
			      stf_pool_fn *run, void *user);

/* How many jobs are handed in and not taken back. */
unsigned int stf_pool_jobs(const struct stf_pool *pool);

/* The slot of the next job; NULL: all are handed in. */
struct stf_slot *stf_pool_slot(struct stf_pool *pool);

/*
 * Have the buffers of a slot that is not handed in hold so many bytes; what was in one
 * is lost if it grows. Returns false if there is no memory.
 */
bool stf_pool_grow(struct stf_pool *pool, struct stf_slot *slot, uint64_t in,
		   uint64_t out);

/*
 * Whether all buffers together would then take more than is right for chunks that are
 * not needed yet.
 */
bool stf_pool_too_much(const struct stf_pool *pool, const struct stf_slot *slot,
		       uint64_t bytes);

/* Hand in the next job, which is in stf_pool_slot(). */
void stf_pool_submit(struct stf_pool *pool);

/* Whether the oldest job that is handed in is done. */
bool stf_pool_done(struct stf_pool *pool);

/* Take it back when it is. The slot keeps its content until it is handed in again. */
struct stf_slot *stf_pool_take(struct stf_pool *pool);

/* Wait for all jobs, end the threads. NULL is allowed. */
void stf_pool_free(struct stf_pool *pool);

#endif
