// SPDX-License-Identifier: GPL-2.0-only
/*
 * As much of `perf script --dlfilter` as a plug-in sees, linked with one:
 *
 *	script-NAME RECORDING [only=TID] [from=TIME] [until=N] [twice=N] [guest=N]
 *		[comm=NAME] [-- WORD...]
 *
 * shows it the samples of RECORDING; of these, only those of one thread or from a time
 * on pass perf's own filters, perf ends after the first N, and each Nth is shown twice,
 * as where it was written twice. Before the others come N of virtual machines. A sample with
 * the counts of a group is shown once for each event of the group, with the id of the event.
 * NAME is that of each thread. Words are those of --dlarg. What the plug-in lets through is printed. With "-" for
 * RECORDING nothing is open that could be one.
 */
#include "../../../perf-plugin/dlfilter.h"
#include "perfdata/perfdata.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct choice {
	bool has_only;
	uint32_t only;
	uint64_t from;
	uint64_t twice;
	uint64_t guests;
	uint64_t until;
};

static char **words;
static int nr_words;

static char **args(void *ctx, int *nr)
{
	(void)ctx;
	*nr = nr_words;
	return words;
}

static struct perf_dlfilter_al al = { .size = sizeof(al), .comm = "a long thread's name" };

static const struct perf_dlfilter_al *resolve_ip(void *ctx)
{
	(void)ctx;
	return &al;
}

static int show_as(void *data, const struct pd_event *ev, uint64_t id,
		   const struct choice *choice)
{
	struct perf_dlfilter_sample sample = {
		.size = sizeof(sample),
		.ip = ev->sample.ip,
		.pid = (int32_t)ev->pid,
		.tid = (int32_t)ev->tid,
		.time = ev->time,
		.id = id,
		.cpu = (int32_t)ev->cpu,
		.cpumode = PERF_RECORD_MISC_USER,
	};
	int ret = filter_event_early(data, &sample, NULL);

	if (!ret && (!choice->has_only || choice->only == ev->tid) &&
	    ev->time >= choice->from) {
		ret = filter_event(data, &sample, NULL);
		if (!ret)
			printf("%" PRIx64 "\n", sample.ip);
	}
	return ret < 0 ? ret : 0;
}

static int show(void *data, const struct pd_event *ev, const struct choice *choice)
{
	unsigned int i;
	uint64_t id;
	int ret = 0;

	if (!pd_group_id(ev, 0, &id))
		return show_as(data, ev, ev->sample.id, choice);
	for (i = 0; !ret && pd_group_id(ev, i, &id); i++)
		ret = show_as(data, ev, id, choice);
	return ret;
}

static int show_guests(void *data, uint64_t nr)
{
	struct perf_dlfilter_sample sample = { .size = sizeof(sample),
					       .ip = 1,
					       .cpumode = PERF_RECORD_MISC_GUEST_USER };
	int ret = 0;

	while (ret >= 0 && nr--) {
		ret = filter_event_early(data, &sample, NULL);
		if (!ret)
			ret = filter_event(data, &sample, NULL);
	}
	return ret < 0 ? ret : 0;
}

static int show_all(void *data, const char *path, const struct choice *choice)
{
	uint64_t nr = 0;
	struct pd_event ev;
	struct pd *pd = NULL;
	int ret = show_guests(data, choice->guests) ?: pd_open(&pd, path);

	while (!ret && nr < choice->until && (ret = pd_next(pd, &ev)) > 0) {
		ret = 0;
		if (ev.type != PERF_RECORD_SAMPLE)
			continue;
		nr++;
		ret = show(data, &ev, choice);
		if (!ret && choice->twice && !(nr % choice->twice))
			ret = show(data, &ev, choice);
	}
	pd_close(pd);
	return ret;
}

int main(int argc, char **argv)
{
	struct choice choice = { .until = UINT64_MAX };
	int i, fd, ret = 0;
	void *data = NULL;

	if (argc < 2)
		return 2;
	for (i = 2; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strncmp(argv[i], "only=", 5)) {
			choice.has_only = true;
			choice.only = strtoul(argv[i] + 5, NULL, 10);
		} else if (!strncmp(argv[i], "from=", 5)) {
			choice.from = strtoull(argv[i] + 5, NULL, 10);
		} else if (!strncmp(argv[i], "twice=", 6)) {
			choice.twice = strtoull(argv[i] + 6, NULL, 10);
		} else if (!strncmp(argv[i], "guest=", 6)) {
			choice.guests = strtoull(argv[i] + 6, NULL, 10);
		} else if (!strncmp(argv[i], "comm=", 5)) {
			al.comm = argv[i] + 5;
		} else if (!strncmp(argv[i], "until=", 6)) {
			choice.until = strtoull(argv[i] + 6, NULL, 10);
		} else {
			return 2;
		}
	}
	if (i < argc) {
		words = argv + i + 1;
		nr_words = argc - i - 1;
	}
	perf_dlfilter_fns.args = args;
	perf_dlfilter_fns.resolve_ip = resolve_ip;
	fd = strcmp(argv[1], "-") ? open(argv[1], O_RDONLY) : STDIN_FILENO;
	ret = fd < 0 ? -1 : start(&data, NULL);
	if (!ret && fd)
		ret = show_all(data, argv[1], &choice);
	stop(data, NULL);
	return ret ? 255 : 0;
}
