// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/header.h"
#include "base/file.h"
#include "perfdata/writer.h"
#include "recorder/tracefs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* The words of the command line, a program's name first. */
static int add_command_line(struct pdw *w, const struct rcd_opts *opts)
{
	int ret = pdw_add_u32(w, PD_SEC_CMDLINE, opts->nr_words + 1), i;

	ret = ret ?: pdw_add_text(w, PD_SEC_CMDLINE, "ssctr");
	for (i = 0; i < opts->nr_words && !ret; i++)
		ret = pdw_add_text(w, PD_SEC_CMDLINE, opts->words[i]);
	return ret;
}

/* What the PMU can do: how deep the records are, above all. */
static int add_caps(struct pdw *w)
{
	char values[16][128], *names[16];
	struct dirent **list;
	int nr = scandir(RCD_PMUS "/cpu/caps", &list, NULL, alphasort);
	int i, n = 0, ret = 0;

	if (nr < 0)
		return 0;
	for (i = 0; i < nr; i++) {
		names[n] = list[i]->d_name;
		n += n < 15 && *names[n] != '.' &&
		     file_line(values[n], sizeof(values[n]),
			       RCD_PMUS "/cpu/caps/%s", names[n]);
	}
	if (n)
		ret = pdw_add_u32(w, PD_SEC_CPU_PMU_CAPS, n);
	for (i = 0; i < n && !ret; i++)
		ret = pdw_add_text(w, PD_SEC_CPU_PMU_CAPS, names[i]) ?:
		      pdw_add_text(w, PD_SEC_CPU_PMU_CAPS, values[i]);
	for (i = 0; i < nr; i++)
		free(list[i]);
	free(list);
	return ret;
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* What the wall clock shows at a time of the events' clock. */
static int add_clocks(struct pdw *w)
{
	const uint64_t resolution = 1, wall = ns_of(CLOCK_REALTIME),
		       time = ns_of(CLOCK_MONOTONIC);

	return pdw_add(w, PD_SEC_CLOCKID, &resolution, sizeof(resolution)) ?:
	       pdw_add_u32(w, PD_SEC_CLOCK_DATA, PD_CLOCK_DATA_VERSION) ?:
	       pdw_add_u32(w, PD_SEC_CLOCK_DATA, CLOCK_MONOTONIC) ?:
	       pdw_add(w, PD_SEC_CLOCK_DATA, &wall, sizeof(wall)) ?:
	       pdw_add(w, PD_SEC_CLOCK_DATA, &time, sizeof(time));
}

static int add_machine(struct pdw *w)
{
	const uint64_t kib = (uint64_t)get_phys_pages() *
			     (getpagesize() / 1024);
	struct utsname name;

	uname(&name); /* which does not fail */
	return pdw_add_text(w, PD_SEC_HOSTNAME, name.nodename) ?:
	       pdw_add_text(w, PD_SEC_OSRELEASE, name.release) ?:
	       pdw_add_text(w, PD_SEC_ARCH, name.machine) ?:
	       pdw_add_text(w, PD_SEC_VERSION, "ssctr " SSCTR_VERSION) ?:
	       pdw_add_u32(w, PD_SEC_NRCPUS, get_nprocs_conf()) ?:
	       pdw_add_u32(w, PD_SEC_NRCPUS, get_nprocs()) ?:
	       pdw_add(w, PD_SEC_TOTAL_MEM, &kib, sizeof(kib)) ?:
	       add_clocks(w);
}

int rcd_add_header(struct pdw *w, const struct rcd_opts *opts,
		   const struct rcd_events *events, struct rcd_known *known,
		   struct error *error)
{
	return add_machine(w) ?: add_command_line(w, opts) ?: add_caps(w) ?:
	       pdw_add(w, PD_SEC_BRANCH_STACK, NULL, 0) ?:
	       rcd_add_tracing_data(w, events, error) ?:
	       rcd_add_kernel_build_ids(w, known);
}
