// SPDX-License-Identifier: GPL-2.0-only
#include "samples/comms.h"
#include "base/array.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = COMMS_NAME_SIZE - 1 };

/* The kernel may have cut off both. */
static bool is_name(const char *word, size_t n, const char *name)
{
	const size_t len = strnlen(name, MAX_NAME);

	return (n < MAX_NAME ? n : MAX_NAME) == len && !memcmp(word, name, len);
}

static bool is_in_list(const char *list, const char *name)
{
	/* A name may have commas. */
	if (is_name(list, strlen(list), name))
		return true;
	for (;; list++) {
		size_t n = strcspn(list, ",");

		if (is_name(list, n, name))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

static bool is_wanted(const struct comms *comms, const char *name)
{
	size_t i;

	for (i = 0; i < comms->nr_lists; i++)
		if (is_in_list(comms->lists[i], *name ? name : COMMS_UNKNOWN))
			return true;
	return false;
}

/* NULL: it is not known. */
static struct comms_thread *find(const struct comms *comms, uint32_t tid,
				 struct hash_slot **slot)
{
	if (!comms->index.slots)
		return NULL;
	hash_for_each(&comms->index, *slot, hash_u64(tid))
		if (comms->v[(*slot)->number - 1].tid == tid)
			return &comms->v[(*slot)->number - 1];
	return NULL;
}

static bool set(struct comms *comms, uint32_t tid, bool wanted, const char *name, bool execs)
{
	struct comms_thread *thread;
	char copy[COMMS_NAME_SIZE];
	struct hash_slot *slot;

	/* It may be a name in the table, which may move. */
	snprintf(copy, sizeof(copy), "%s", name);
	if (!hash_room(&comms->index) ||
	    !array_room(&comms->v, comms->nr, &comms->cap, sizeof(*comms->v)))
		return false;
	thread = find(comms, tid, &slot);
	if (!thread) {
		hash_put(&comms->index, slot, hash_u64(tid), comms->nr);
		thread = &comms->v[comms->nr++];
	}
	thread->tid = tid;
	thread->wanted = wanted;
	thread->execs = execs;
	thread->ended = false;
	memcpy(thread->name, copy, sizeof(copy));
	return true;
}

/*
 * A sample of its last moments may follow the end of a thread, so that its name is kept.
 * What is mapped after it is another thread's, whose FORK was lost. Linux also writes an EXIT
 * when a thread starts a program that may not be dumped, for example a set-uid one. It does so
 * before it maps the program.
 */
static void note_end(struct comms *comms, const struct pd_event *ev)
{
	struct hash_slot *slot;
	struct comms_thread *thread = find(comms, ev->tid, &slot);

	if (!thread)
		return;
	if (ev->type == PERF_RECORD_EXIT)
		thread->ended = !thread->execs;
	else if (thread->ended)
		*thread = (struct comms_thread){ .tid = thread->tid,
						 .wanted = is_wanted(comms, "") };
	thread->execs = false;
}

bool comms_event(struct comms *comms, const struct pd_event *ev)
{
	if (!comms->nr_lists && !comms->named)
		return true;
	if (ev->type == PERF_RECORD_COMM)
		return set(comms, ev->tid, is_wanted(comms, ev->comm.name), ev->comm.name,
			   ev->comm.exec);
	/* A child has its parent's name. */
	if (ev->type == PERF_RECORD_FORK)
		return set(comms, ev->tid, comms_want(comms, ev->task.ptid),
			   comms_name(comms, ev->task.ptid), false);
	if (ev->type == PERF_RECORD_EXIT || ev->type == PERF_RECORD_MMAP)
		note_end(comms, ev);
	return true;
}

const char *comms_name(const struct comms *comms, uint32_t tid)
{
	const struct comms_thread *thread;
	struct hash_slot *slot;

	/* What runs when nothing does, of which there is no record. */
	if (!tid)
		return "swapper";
	thread = find(comms, tid, &slot);
	return thread ? thread->name : "";
}

bool comms_want(const struct comms *comms, uint32_t tid)
{
	const struct comms_thread *thread;
	struct hash_slot *slot;

	if (!comms->nr_lists)
		return true;
	if (!tid)
		return is_wanted(comms, comms_name(comms, tid));
	thread = find(comms, tid, &slot);
	return thread ? thread->wanted : is_wanted(comms, "");
}

void comms_free(struct comms *comms)
{
	free(comms->v);
	hash_free(&comms->index);
}
