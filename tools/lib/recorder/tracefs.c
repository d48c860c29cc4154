// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/tracefs.h"
#include "base/file.h"
#include "perfdata/writer.h"
#include "recorder/event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

bool rcd_tracepoints_hidden(void)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/header_page", events_folder());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == EPERM;
	close(fd);
	return false;
}

int rcd_add_tracepoints(struct rcd_events *events, const char *system,
			const char *pattern, struct error *error)
{
	struct dirent **list = NULL;
	size_t before = events->nr;
	int nr = -1, i, ret = 0;
	char path[512];

	if (rcd_tracepoints_hidden())
		return error_set(error, ERROR_USAGE, "'%s:%s': " RCD_TRACEPOINTS_HIDDEN,
				 system, pattern);
	snprintf(path, sizeof(path), "%s/%s", events_folder(), system);
	errno = ENOENT;
	if (!strchr(system, '/'))
		nr = scandir(path, &list, NULL, alphasort);
	if (nr < 0 && errno == EACCES)
		return error_set(
			error, ERROR_USAGE,
			"'%s:%s': only root can read tracepoints",
			system, pattern);
	for (i = 0; i < nr; i++) {
		struct rcd_event e = { .attr = { .size = sizeof(e.attr),
						 .type = PERF_TYPE_TRACEPOINT } };
		const char *name = list[i]->d_name;
		char id[24];

		snprintf(e.name, sizeof(e.name), "%.40s:%.50s", system, name);
		if (!ret && name[0] != '.' && !fnmatch(pattern, name, 0) &&
		    file_line(id, sizeof(id), "%s/%s/id", path, name)) {
			e.attr.config = strtoull(id, NULL, 10);
			ret = rcd_add_event(events, &e, error);
		}
		free(list[i]);
	}
	free(list);
	if (ret || events->nr > before)
		return ret;
	return error_set(error, ERROR_USAGE, "there is no event '%s:%s'",
			 system, pattern);
}

static int add64(struct pdw *w, uint64_t value)
{
	return pdw_add(w, PD_SEC_TRACING_DATA, &value, sizeof(value));
}

/* A file of the events' folder, a text of any size: u64 bytes, and as many. */
static int add_file(struct pdw *w, const char *name, struct error *error)
{
	char path[512], *text = NULL;
	size_t room = 0;
	ssize_t size;
	FILE *f;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", events_folder(), name);
	f = fopen(path, "re");
	if (!f)
		return error_set(error, ERROR_INPUT, "%s: %s", path,
				 strerror(errno));
	size = getdelim(&text, &room, 0, f);
	fclose(f);
	if (size < 0)
		size = 0;
	ret = add64(w, size) ?: pdw_add(w, PD_SEC_TRACING_DATA, text, size);
	free(text);
	return ret;
}

static int add_head(struct pdw *w, struct error *error)
{
	const uint16_t one = 1;
	const char sizes[] = { *(const char *)&one ? 0 : 1, sizeof(long) };

	return pdw_add(w, PD_SEC_TRACING_DATA, "\27\10\104tracing0.6", 14) ?:
	       pdw_add(w, PD_SEC_TRACING_DATA, sizes, 2) ?:
	       pdw_add_u32(w, PD_SEC_TRACING_DATA, sysconf(_SC_PAGESIZE)) ?:
	       pdw_add(w, PD_SEC_TRACING_DATA, "header_page", 12) ?:
	       add_file(w, "header_page", error) ?:
	       pdw_add(w, PD_SEC_TRACING_DATA, "header_event", 13) ?:
	       add_file(w, "header_event", error) ?:
	       /* None of ftrace's own. */
	       pdw_add_u32(w, PD_SEC_TRACING_DATA, 0);
}

/* SYSTEM, one format: a system that has more is there again. */
static int add_format(struct pdw *w, const char *event, struct error *error)
{
	size_t n = strcspn(event, ":");
	char name[160];

	if (!event[n])
		return error_set(error, ERROR_INPUT,
				 "%s: name the tracepoint SYSTEM:NAME", event);
	snprintf(name, sizeof(name), "%.*s/%s/format", (int)n, event,
		 event + n + 1);
	return pdw_add(w, PD_SEC_TRACING_DATA, event, n) ?:
	       pdw_add(w, PD_SEC_TRACING_DATA, "", 1) ?:
	       pdw_add_u32(w, PD_SEC_TRACING_DATA, 1) ?:
	       add_file(w, name, error);
}

int rcd_add_tracing_data(struct pdw *w, const struct rcd_events *events,
			 struct error *error)
{
	uint32_t nr = 0;
	size_t i;
	int ret;

	for (i = 0; i < events->nr; i++)
		nr += events->v[i].attr.type == PERF_TYPE_TRACEPOINT;
	if (!nr)
		return 0;
	ret = add_head(w, error) ?: pdw_add_u32(w, PD_SEC_TRACING_DATA, nr);
	for (i = 0; i < events->nr && !ret; i++)
		if (events->v[i].attr.type == PERF_TYPE_TRACEPOINT)
			ret = add_format(w, events->v[i].name, error);
	/* No symbols of the kernel, formats of printk, names of tasks. */
	return ret ?: pdw_add_u32(w, PD_SEC_TRACING_DATA, 0) ?:
		      pdw_add_u32(w, PD_SEC_TRACING_DATA, 0) ?:
		      add64(w, 0);
}
