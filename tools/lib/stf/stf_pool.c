// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "stf/stf.h"

/* More would wait for the one thread that makes or takes the records. */
#define MOST_BY_DEFAULT 8

/* Chunks wait for those before them rather than take more than this. */
#define AHEAD_BYTES (UINT64_C(16) << 20)

struct worker {
	struct stf_pool *pool;
	pthread_t thread;
	unsigned int nr;
};

struct stf_pool {
	pthread_mutex_t lock;
	pthread_cond_t work; /* a job was handed in, or it is the end */
	pthread_cond_t ready; /* a job is done */
	stf_pool_fn *run;
	void *user;
	unsigned int n_slots;
	struct stf_slot *slots; /* job by job, round and round */
	uint64_t room; /* bytes of all their buffers */
	unsigned int threads;
	uint64_t submitted; /* jobs handed in */
	uint64_t begun; /* by a thread */
	uint64_t taken; /* taken back */
	bool stop;
	struct worker workers[STF_POOL_MAX];
};

unsigned int stf_threads(unsigned int option)
{
	long n;

	if (option == STF_NO_THREADS)
		return 0;
	if (option)
		return option < STF_POOL_MAX ? option : STF_POOL_MAX;
	n = sysconf(_SC_NPROCESSORS_ONLN);
	if (n <= 1)
		return 0;
	return n < MOST_BY_DEFAULT ? (unsigned int)n : MOST_BY_DEFAULT;
}

static struct stf_slot *slot_of(const struct stf_pool *pool, uint64_t job)
{
	return &pool->slots[job % pool->n_slots];
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct stf_pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		struct stf_slot *slot;

		while (pool->begun == pool->submitted && !pool->stop)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (pool->begun == pool->submitted)
			break;
		slot = slot_of(pool, pool->begun++);
		pthread_mutex_unlock(&pool->lock);
		pool->run(pool->user, slot, worker->nr);
		pthread_mutex_lock(&pool->lock);
		slot->done = true;
		pthread_cond_signal(&pool->ready);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* The program's signals are for its own threads. */
static void start(struct stf_pool *pool, unsigned int threads)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; pool->threads < threads; pool->threads++) {
		struct worker *worker = &pool->workers[pool->threads];

		worker->pool = pool;
		worker->nr = pool->threads;
		if (pthread_create(&worker->thread, NULL, work, worker))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct stf_pool *stf_pool_new(unsigned int threads, unsigned int slots,
			      stf_pool_fn *run, void *user)
{
	struct stf_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->slots = calloc(slots, sizeof(*pool->slots));
	if (!pool->slots) {
		free(pool);
		return NULL;
	}
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->ready, NULL);
	pool->run = run;
	pool->user = user;
	pool->n_slots = slots;
	start(pool, threads);
	return pool;
}

unsigned int stf_pool_jobs(const struct stf_pool *pool)
{
	return (unsigned int)(pool->submitted - pool->taken);
}

static void swap_buffers(struct stf_slot *a, struct stf_slot *b)
{
	const struct stf_slot old = *a;

	a->in = b->in;
	a->out = b->out;
	a->in_room = b->in_room;
	a->out_room = b->out_room;
	b->in = old.in;
	b->out = old.out;
	b->in_room = old.in_room;
	b->out_room = old.out_room;
}

/*
 * The slot that was taken back last has buffers that nobody needs any more. Used again at
 * once, they are still in the caches, and not each slot gets some.
 */
struct stf_slot *stf_pool_slot(struct stf_pool *pool)
{
	struct stf_slot *slot, *last;

	if (stf_pool_jobs(pool) == pool->n_slots)
		return NULL;
	slot = slot_of(pool, pool->submitted);
	last = slot_of(pool, pool->taken + pool->n_slots - 1);
	if (last->out_room > slot->out_room)
		swap_buffers(slot, last);
	return slot;
}

static bool grow(struct stf_pool *pool, uint8_t **buf, uint64_t *room,
		 uint64_t size)
{
	if (size <= *room)
		return true;
	free(*buf);
	pool->room -= *room;
	*room = 0;
	*buf = malloc(size);
	if (!*buf)
		return false;
	*room = size;
	pool->room += size;
	return true;
}

bool stf_pool_grow(struct stf_pool *pool, struct stf_slot *slot, uint64_t in,
		   uint64_t out)
{
	return grow(pool, &slot->in, &slot->in_room, in) &&
	       grow(pool, &slot->out, &slot->out_room, out);
}

void stf_pool_swap(struct stf_pool *pool, struct stf_slot *slot, uint8_t **in,
		   size_t *room)
{
	const struct stf_slot old = *slot;

	pool->room += *room - old.in_room;
	slot->in = *in;
	slot->in_room = *room;
	*in = old.in;
	*room = old.in_room;
}

bool stf_pool_too_much(const struct stf_pool *pool, const struct stf_slot *slot,
		       uint64_t bytes)
{
	return pool->room - slot->in_room - slot->out_room + bytes > AHEAD_BYTES;
}

void stf_pool_submit(struct stf_pool *pool)
{
	struct stf_slot *slot = slot_of(pool, pool->submitted);

	if (!pool->threads) {
		pool->submitted++;
		pool->run(pool->user, slot, 0);
		slot->done = true;
		return;
	}
	pthread_mutex_lock(&pool->lock);
	slot->done = false;
	pool->submitted++;
	pthread_cond_signal(&pool->work);
	pthread_mutex_unlock(&pool->lock);
}

bool stf_pool_done(struct stf_pool *pool)
{
	bool done;

	pthread_mutex_lock(&pool->lock);
	done = slot_of(pool, pool->taken)->done;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

struct stf_slot *stf_pool_take(struct stf_pool *pool)
{
	struct stf_slot *slot = slot_of(pool, pool->taken);

	pthread_mutex_lock(&pool->lock);
	while (!slot->done)
		pthread_cond_wait(&pool->ready, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	pool->taken++;
	return slot;
}

void stf_pool_free(struct stf_pool *pool)
{
	unsigned int i;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (i = 0; i < pool->threads; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->ready);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	for (i = 0; i < pool->n_slots; i++) {
		free(pool->slots[i].in);
		free(pool->slots[i].out);
	}
	free(pool->slots);
	free(pool);
}
