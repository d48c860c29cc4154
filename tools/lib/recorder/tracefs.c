// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/tracefs.h"
#include "perfdata/writer.h"
#include "recorder/event.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *events_folder(void)
{
	const char *debug = "/sys/kernel/debug/tracing/events";

	return access(debug, X_OK) ? "/sys/kernel/tracing/events" : debug;
}

/* A file whose size is not known before it is read. NULL with errno set. */
static char *read_whole(const char *path, size_t *size)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	*size = 0;
	if (!f)
		return NULL;
	do {
		char *more = realloc(text, room += 4096);

		if (!more) {
			free(text);
			fclose(f);
			return NULL;
		}
		text = more;
		*size += fread(text + *size, 1, room - *size, f);
	} while (*size == room);
	fclose(f);
	return text;
}

bool rcd_tracepoints(const char *system, const char *pattern,
		     void (*found)(void *arg, const char *system,
				   const char *name, uint64_t id),
		     void *arg)
{
	struct dirent **list;
	char path[512];
	int nr, i;

	if (strchr(system, '/')) {
		errno = ENOENT;
		return false;
	}
	snprintf(path, sizeof(path), "%s/%s", events_folder(), system);
	nr = scandir(path, &list, NULL, alphasort);
	if (nr < 0)
		return false;
	for (i = 0; i < nr; i++) {
		const char *name = list[i]->d_name;
		size_t size;
		char *id;

		snprintf(path, sizeof(path), "%s/%s/%.200s/id", events_folder(),
			 system, name);
		if (name[0] != '.' && !fnmatch(pattern, name, 0) &&
		    (id = read_whole(path, &size))) {
			id[size ? size - 1 : 0] = 0;
			found(arg, system, name, strtoull(id, NULL, 10));
			free(id);
		}
		free(list[i]);
	}
	free(list);
	errno = ENOENT;
	return true;
}

static int add64(struct pdw *w, uint64_t value)
{
	return pdw_add(w, PDW_TRACING_DATA, &value, sizeof(value));
}

/* A file of the events' folder: u64 bytes, and as many. */
static int add_file(struct pdw *w, const char *name)
{
	char path[512], *text;
	size_t size;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", events_folder(), name);
	text = read_whole(path, &size);
	if (!text)
		return -1;
	ret = add64(w, size) ? -1 : pdw_add(w, PDW_TRACING_DATA, text, size);
	free(text);
	return ret;
}

static int add_head(struct pdw *w)
{
	const uint16_t one = 1;
	const char sizes[] = { *(const char *)&one ? 0 : 1, sizeof(long) };

	if (pdw_add(w, PDW_TRACING_DATA, "\27\10\104tracing0.6", 14) ||
	    pdw_add(w, PDW_TRACING_DATA, sizes, 2) ||
	    pdw_add_u32(w, PDW_TRACING_DATA, sysconf(_SC_PAGESIZE)) ||
	    pdw_add(w, PDW_TRACING_DATA, "header_page", 12) ||
	    add_file(w, "header_page") ||
	    pdw_add(w, PDW_TRACING_DATA, "header_event", 13) ||
	    add_file(w, "header_event") ||
	    /* None of ftrace's own. */
	    pdw_add_u32(w, PDW_TRACING_DATA, 0))
		return -1;
	return 0;
}

/* SYSTEM, one format: a system that has more is there again. */
static int add_format(struct pdw *w, const char *event)
{
	char name[160], *colon;

	snprintf(name, sizeof(name) - 8, "%s", event);
	colon = strchr(name, ':');
	if (!colon) {
		errno = EINVAL;
		return -1;
	}
	*colon = 0;
	if (pdw_add(w, PDW_TRACING_DATA, name, strlen(name) + 1) ||
	    pdw_add_u32(w, PDW_TRACING_DATA, 1))
		return -1;
	*colon = '/';
	strcat(name, "/format");
	return add_file(w, name);
}

int rcd_add_tracing_data(struct pdw *w, const struct rcd_events *events)
{
	unsigned int i, nr = 0;

	for (i = 0; i < events->nr; i++)
		nr += events->v[i].attr.type == PERF_TYPE_TRACEPOINT;
	if (!nr)
		return 0;
	if (add_head(w) || pdw_add_u32(w, PDW_TRACING_DATA, nr))
		return -1;
	for (i = 0; i < events->nr; i++)
		if (events->v[i].attr.type == PERF_TYPE_TRACEPOINT &&
		    add_format(w, events->v[i].name))
			return -1;
	/* No symbols of the kernel, formats of printk, names of tasks. */
	if (pdw_add_u32(w, PDW_TRACING_DATA, 0) ||
	    pdw_add_u32(w, PDW_TRACING_DATA, 0) || add64(w, 0))
		return -1;
	return 0;
}
