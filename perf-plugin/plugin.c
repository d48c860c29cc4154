// SPDX-License-Identifier: GPL-2.0-only
/* What perf calls: samples go to the subcommand's thread, in pieces. */
#include "plugin.h"
#include "dlfilter.h"
#include "input.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples that may wait, a power of two, and how many are handed over together. */
enum { RING = 16384, PIECE = 1024 };

struct relay {
	struct rec_chooser chooser;
	char *path;
	int argc;
	char **argv;
	pthread_t thread;
	int status; /* of the subcommand; once it has ended */
	uint64_t seen; /* samples, before perf's filters; perf's thread's own */
	uint64_t put; /* of the ring, in all; perf's thread's own */
	uint64_t taken; /* the same; the subcommand's own */
	uint64_t taken_limit; /* the subcommand knows of so many */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	uint64_t shown; /* of put, those that the subcommand may take */
	uint64_t released; /* of taken, those whose place may be used again */
	bool opened; /* the subcommand waits for samples */
	bool ended; /* the subcommand has */
	bool over; /* perf has no more samples */
	struct rec_key ring[RING];
};

struct perf_dlfilter_fns perf_dlfilter_fns;

/* --- the subcommand's thread --- */

static int next(void *arg, struct rec_key *key)
{
	struct relay *l = arg;

	if (l->taken == l->taken_limit) {
		pthread_mutex_lock(&l->lock);
		l->opened = true;
		l->released = l->taken;
		pthread_cond_broadcast(&l->changed);
		while (l->shown == l->taken && !l->over)
			pthread_cond_wait(&l->changed, &l->lock);
		l->taken_limit = l->shown;
		pthread_mutex_unlock(&l->lock);
	}
	if (l->taken == l->taken_limit)
		return 0;
	*key = l->ring[l->taken++ % RING];
	return 1;
}

/* Only after perf's last sample is it known how many it has seen. */
static bool end(void *arg, uint64_t samples)
{
	const struct relay *l = arg;

	return l->seen >= samples;
}

static void *run(void *arg)
{
	struct relay *l = arg;
	int status = plugin.run(&l->chooser, l->argc, l->argv);

	pthread_mutex_lock(&l->lock);
	l->status = status;
	l->ended = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* --- perf's thread --- */

/* Show the subcommand what was put. False: it has ended. */
static bool show(struct relay *l, bool over)
{
	bool ended;

	pthread_mutex_lock(&l->lock);
	l->shown = l->put;
	l->over = over;
	pthread_cond_broadcast(&l->changed);
	while (!over && !l->ended && l->put - l->released > RING - PIECE)
		pthread_cond_wait(&l->changed, &l->lock);
	ended = l->ended;
	pthread_mutex_unlock(&l->lock);
	return !ended;
}

/* Signals are perf's, but for those that the thread itself brings about. */
static int start_thread(struct relay *l)
{
	static const int own[] = { SIGPIPE, SIGBUS, SIGSEGV, SIGFPE, SIGILL };
	sigset_t others, before;
	unsigned int i;
	int ret;

	sigfillset(&others);
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_SETMASK, &others, &before);
	ret = pthread_create(&l->thread, NULL, run, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

static void free_relay(struct relay *l)
{
	if (!l)
		return;
	free(l->path);
	free(l->argv);
	free(l);
}

static int refuse(struct relay *l, const char *why)
{
	fprintf(stderr, "ssctr %s: %s\n", plugin.name, why);
	free_relay(l);
	return -1;
}

/* The words of --dlarg, behind the subcommand's name. */
static bool take_args(struct relay *l, void *ctx)
{
	int nr = 0;
	char **args = perf_dlfilter_fns.args(ctx, &nr);

	l->argv = calloc(nr + 2, sizeof(*l->argv));
	if (!l->argv)
		return false;
	l->argv[0] = (char *)plugin.name;
	if (nr)
		memcpy(l->argv + 1, args, nr * sizeof(*args));
	l->argc = nr + 1;
	return true;
}

int start(void **data, void *ctx)
{
	struct relay *l = calloc(1, sizeof(*l));
	bool ended;

	*data = NULL;
	if (!l || !take_args(l, ctx))
		return refuse(l, "out of memory");
	l->path = input_find();
	if (!l->path)
		return refuse(l, "perf script reads no file, and of a pipe a plug-in is told too little; write the recording to a file");
	l->chooser = (struct rec_chooser){ l->path, next, end, l };
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	if (start_thread(l))
		return refuse(l, "cannot start a thread");
	*data = l;
	/* What is wrong with the options or the files is told at once. */
	pthread_mutex_lock(&l->lock);
	while (!l->opened && !l->ended)
		pthread_cond_wait(&l->changed, &l->lock);
	ended = l->ended;
	pthread_mutex_unlock(&l->lock);
	return ended ? -1 : 0;
}

int filter_event_early(void *data, const struct perf_dlfilter_sample *sample,
		       void *ctx)
{
	struct relay *l = data;

	(void)sample;
	(void)ctx;
	l->seen++;
	return 0;
}

static void take_comm(struct rec_key *key, void *ctx)
{
	const struct perf_dlfilter_al *al = perf_dlfilter_fns.resolve_ip(ctx);

	if (al && al->size >= offsetof(struct perf_dlfilter_al, comm) +
				      sizeof(al->comm) && al->comm)
		snprintf(key->comm, sizeof(key->comm), "%s", al->comm);
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample,
		 void *ctx)
{
	struct relay *l = data;
	struct rec_key *key = &l->ring[l->put++ % RING];

	*key = (struct rec_key){
		.time = sample->time,
		.ip = sample->ip,
		.id = sample->id,
		.tid = sample->tid,
		.cpu = sample->cpu,
	};
	if (plugin.wants_comm)
		take_comm(key, ctx);
	return l->put % PIECE || show(l, false) ? 1 : -1;
}

int stop(void *data, void *ctx)
{
	struct relay *l = data;
	int status;

	(void)ctx;
	if (!l)
		return 0;
	show(l, true);
	pthread_join(l->thread, NULL);
	status = l->status;
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->changed);
	free_relay(l);
	/* perf would say that all is well. */
	if (status)
		exit(status);
	return 0;
}

const char *filter_description(const char **longer)
{
	if (longer)
		*longer = plugin.longer;
	return plugin.description;
}
