/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that work on the chunks of a .zstf. The chunks are submitted and taken back in
 * the same order. Each chunk is in a slot. There are a few more slots than threads.
 */
#ifndef STF_STF_POOL_H
#define STF_STF_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stf_pool;

/* One chunk. While it is submitted, the thread with its job uses only this slot. */
struct stf_slot {
	uint8_t *in; /* in: the input of zstd; out: its output */
	uint8_t *out;
	uint64_t in_room; /* sizes of the two buffers in bytes */
	uint64_t out_room;
	uint64_t in_size; /* bytes in use */
	uint64_t out_size; /* only for reading: the size in the index */
	uint64_t offset; /* only for reading: the offset in the container */
	uint64_t pc; /* only for writing: the PC of the first instruction */
	size_t got; /* the result of zstd */
	int read_errno; /* the error if it could not be read */
	bool cut; /* the file has become shorter */
	bool done; /* belongs to the pool */
};

/*
 * Do the job in this slot. worker is 0 to threads - 1. Two jobs never have the same
 * worker at the same time.
 */
typedef void stf_pool_fn(void *user, struct stf_slot *slot, unsigned int worker);

/* Returns how many threads the option of the reader and the writer means. */
unsigned int stf_threads(unsigned int option);

enum { STF_POOL_MAX = 64 };

/*
 * Make a pool. threads is 0 to STF_POOL_MAX. With 0 threads, or if no thread can be
 * started, stf_pool_submit() does the job itself. Returns NULL if there is not enough
 * memory.
 */
struct stf_pool *stf_pool_new(unsigned int threads, unsigned int slots,
			      stf_pool_fn *run, void *user);

/* Returns how many jobs are submitted and not taken back. */
unsigned int stf_pool_jobs(const struct stf_pool *pool);

/* Returns the slot of the next job, or NULL if all slots are submitted. */
struct stf_slot *stf_pool_slot(struct stf_pool *pool);

/* Give a slot this buffer for its input, and take the one that it has. */
void stf_pool_swap(struct stf_pool *pool, struct stf_slot *slot, uint8_t **in,
		   size_t *room);

/*
 * Make the buffers of a slot at least this large, in bytes. The slot must not be
 * submitted. The content of a buffer is lost if the buffer grows. Returns false if there
 * is not enough memory.
 */
bool stf_pool_grow(struct stf_pool *pool, struct stf_slot *slot, uint64_t in,
		   uint64_t out);

/*
 * Returns whether all buffers together would then take too much memory for chunks that
 * are not needed yet.
 */
bool stf_pool_too_much(const struct stf_pool *pool, const struct stf_slot *slot,
		       uint64_t bytes);

/* Submit the next job, which is in stf_pool_slot(). */
void stf_pool_submit(struct stf_pool *pool);

/* Returns whether the oldest submitted job is done. */
bool stf_pool_done(struct stf_pool *pool);

/*
 * Wait for the oldest submitted job and take it back. The slot keeps its content until it
 * is submitted again.
 */
struct stf_slot *stf_pool_take(struct stf_pool *pool);

/* Wait for all jobs and end the threads. pool may be NULL. */
void stf_pool_free(struct stf_pool *pool);

#endif
