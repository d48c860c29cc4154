// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "stf/stf.h"

/* More would wait for the one thread that makes or takes the records. */
#define MOST_BY_DEFAULT 8

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
	unsigned int slots;
	unsigned int threads;
	uint64_t submitted;
	uint64_t taken;
	bool stop;
	bool *done; /* by slot */
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

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct stf_pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		unsigned int slot;

		while (pool->taken == pool->submitted && !pool->stop)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (pool->taken == pool->submitted)
			break;
		slot = (unsigned int)(pool->taken++ % pool->slots);
		pthread_mutex_unlock(&pool->lock);
		pool->run(pool->user, slot, worker->nr);
		pthread_mutex_lock(&pool->lock);
		pool->done[slot] = true;
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
	pool->done = calloc(slots, sizeof(*pool->done));
	if (!pool->done) {
		free(pool);
		return NULL;
	}
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->ready, NULL);
	pool->run = run;
	pool->user = user;
	pool->slots = slots;
	start(pool, threads);
	return pool;
}

void stf_pool_submit(struct stf_pool *pool)
{
	unsigned int slot = (unsigned int)(pool->submitted % pool->slots);

	if (!pool->threads) {
		pool->submitted++;
		pool->run(pool->user, slot, 0);
		pool->done[slot] = true;
		return;
	}
	pthread_mutex_lock(&pool->lock);
	pool->done[slot] = false;
	pool->submitted++;
	pthread_cond_signal(&pool->work);
	pthread_mutex_unlock(&pool->lock);
}

bool stf_pool_done(struct stf_pool *pool, uint64_t job)
{
	bool done;

	pthread_mutex_lock(&pool->lock);
	done = pool->done[job % pool->slots];
	pthread_mutex_unlock(&pool->lock);
	return done;
}

void stf_pool_wait(struct stf_pool *pool, uint64_t job)
{
	pthread_mutex_lock(&pool->lock);
	while (!pool->done[job % pool->slots])
		pthread_cond_wait(&pool->ready, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
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
	free(pool->done);
	free(pool);
}
