/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that work on chunks, which are handed in and taken back in order. A
 * job is a number, 0 and on; its data is in slot number % slots of the caller's.
 */
#ifndef STF_STF_POOL_H
#define STF_STF_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct stf_pool;

/* Do the job in this slot. worker: 0 to threads - 1, the same for no two jobs at
 * a time. */
typedef void stf_pool_fn(void *user, unsigned int slot, unsigned int worker);

/* How many threads the option of reader and writer asks for. */
unsigned int stf_threads(unsigned int option);

enum { STF_POOL_MAX = 64 };

/*
 * threads: 0 to STF_POOL_MAX; with 0 (and if no thread can be started) the jobs
 * are done where they are handed in. NULL if there is no memory.
 */
struct stf_pool *stf_pool_new(unsigned int threads, unsigned int slots,
			      stf_pool_fn *run, void *user);

/* Hand in the next job. Its slot must be free. */
void stf_pool_submit(struct stf_pool *pool);

/* Whether this job, which was handed in, is done; wait until it is. */
bool stf_pool_done(struct stf_pool *pool, uint64_t job);
void stf_pool_wait(struct stf_pool *pool, uint64_t job);

/* Wait for all jobs, end the threads. NULL is allowed. */
void stf_pool_free(struct stf_pool *pool);

#endif
