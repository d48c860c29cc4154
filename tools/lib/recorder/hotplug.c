// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/hotplug.h"
#include "base/array.h"
#include "base/file.h"

#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel sends to this group. udev sends to another one. */
enum { GROUP_OF_KERNEL = 1 };

void hotplug_listen(struct hotplug *h)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK,
					    .nl_groups = GROUP_OF_KERNEL };

	h->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
		       NETLINK_KOBJECT_UEVENT);
	if (h->fd >= 0 && bind(h->fd, (const struct sockaddr *)&kernel, sizeof(kernel))) {
		close(h->fd);
		h->fd = -1;
	}
}

static void add(struct hotplug *h, int cpu)
{
	size_t i;

	for (i = 0; i < h->nr; i++)
		if (h->cpus[i] == cpu)
			return;
	if (array_room(&h->cpus, h->nr, &h->cap, sizeof(*h->cpus)))
		h->cpus[h->nr++] = cpu;
	else
		h->no_memory = true;
}

void hotplug_message(struct hotplug *h, const char *text)
{
	int cpu;

	if (sscanf(text, "online@/devices/system/cpu/cpu%d", &cpu) == 1)
		add(h, cpu);
}

void hotplug_list(struct hotplug *h, const char *list)
{
	int cpu, first, last, size;

	for (; sscanf(list, "%d%n", &first, &size) == 1; list += *list == ',') {
		list += size;
		last = first;
		if (sscanf(list, "-%d%n", &last, &size) == 1)
			list += size;
		for (cpu = first; cpu <= last; cpu++)
			add(h, cpu);
	}
}

void hotplug_take(struct hotplug *h)
{
	char text[4096];
	ssize_t n;

	while (h->fd >= 0 && (n = recv(h->fd, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = 0;
		hotplug_message(h, text);
	}
}

void hotplug_end(struct hotplug *h)
{
	char list[4096];

	hotplug_take(h);
	if (file_line(list, sizeof(list), "/sys/devices/system/cpu/online"))
		hotplug_list(h, list);
}

void hotplug_free(struct hotplug *h)
{
	if (h->fd >= 0)
		close(h->fd);
	free(h->cpus);
	*h = (struct hotplug)HOTPLUG_INIT;
}
