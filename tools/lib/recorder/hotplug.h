/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs that come online while something is recorded. The kernel opens no event there by
 * itself. It tells of them in messages (uevents), so that a CPU that comes and goes again is
 * noticed, too.
 */
#ifndef RECORDER_HOTPLUG_H
#define RECORDER_HOTPLUG_H

#include <stdbool.h>
#include <stddef.h>

/* Set all members to 0, and fd to -1, first. */
struct hotplug {
	int fd; /* of the messages; -1: none */
	int *cpus; /* those that came, each once */
	size_t nr, cap;
	bool no_memory; /* there was none for all of them */
};

#define HOTPLUG_INIT { .fd = -1 }

/* Begin to listen. A kernel without messages is only looked at in the end. */
void hotplug_listen(struct hotplug *h);

/* Take the messages that have come. */
void hotplug_take(struct hotplug *h);

/* Take the messages, and what is online now. */
void hotplug_end(struct hotplug *h);

void hotplug_free(struct hotplug *h);

/* --- for tests --- */

/* Take the text of one message. */
void hotplug_message(struct hotplug *h, const char *text);

/* Take a list as the kernel writes it: 0-3,5. */
void hotplug_list(struct hotplug *h, const char *list);

#endif
