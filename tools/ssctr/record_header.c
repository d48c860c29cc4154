// SPDX-License-Identifier: GPL-2.0-only
/* ssctr record: what the header says of the machine and the events. */
#include "record.h"

#include "perfdata/writer.h"
#include "recorder/tasks.h"
#include "recorder/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The words of the command line, a program's name first. */
static int add_command_line(const struct record_plan *plan, struct pdw *w)
{
	int ret = pdw_add_u32(w, PDW_CMDLINE, plan->argc + 1), i;

	ret = ret ? ret : pdw_add_text(w, PDW_CMDLINE, "ssctr");
	for (i = 0; i < plan->argc && !ret; i++)
		ret = pdw_add_text(w, PDW_CMDLINE, plan->argv[i]);
	return ret;
}

/* What the PMU can do: how deep the records are, above all. */
static int add_caps(struct pdw *w)
{
	struct dirent **list;
	char pairs[16][2][128], path[512];
	int nr = scandir(RCD_PMUS "/cpu/caps", &list, NULL, alphasort), i, ret;
	uint32_t n = 0, k;

	if (nr < 0)
		return 0;
	for (i = 0; i < nr; i++) {
		FILE *f = NULL;

		snprintf(path, sizeof(path), RCD_PMUS "/cpu/caps/%s",
			 list[i]->d_name);
		if (list[i]->d_name[0] != '.' && n < 16)
			f = fopen(path, "re");
		if (f && fgets(pairs[n][1], sizeof(pairs[n][1]), f)) {
			pairs[n][1][strcspn(pairs[n][1], "\n")] = 0;
			snprintf(pairs[n][0], sizeof(pairs[n][0]), "%.100s",
				 list[i]->d_name);
			n++;
		}
		if (f)
			fclose(f);
		free(list[i]);
	}
	free(list);
	if (!n)
		return 0;
	ret = pdw_add_u32(w, PDW_CPU_PMU_CAPS, n);
	for (k = 0; k < n && !ret; k++) {
		ret = pdw_add_text(w, PDW_CPU_PMU_CAPS, pairs[k][0]);
		ret = ret ? ret :
			    pdw_add_text(w, PDW_CPU_PMU_CAPS, pairs[k][1]);
	}
	return ret;
}

static int add_machine(struct pdw *w)
{
	struct utsname name;
	uint64_t kib, resolution = 1;

	if (uname(&name))
		return -1;
	kib = (uint64_t)get_phys_pages() * (getpagesize() / 1024);
	if (pdw_add_text(w, PDW_HOSTNAME, name.nodename) ||
	    pdw_add_text(w, PDW_OSRELEASE, name.release) ||
	    pdw_add_text(w, PDW_ARCH, name.machine) ||
	    pdw_add_text(w, PDW_VERSION, "ssctr " SSCTR_VERSION) ||
	    pdw_add_u32(w, PDW_NRCPUS, get_nprocs_conf()) ||
	    pdw_add_u32(w, PDW_NRCPUS, get_nprocs()) ||
	    pdw_add(w, PDW_TOTAL_MEM, &kib, sizeof(kib)) ||
	    pdw_add(w, PDW_CLOCKID, &resolution, sizeof(resolution)))
		return -1;
	return 0;
}

int record_header(const struct record_plan *plan, struct pdw *w)
{
	if (add_machine(w) || add_command_line(plan, w) || add_caps(w) ||
	    pdw_add(w, PDW_BRANCH_STACK, NULL, 0) ||
	    rcd_add_tracing_data(w, &plan->events) ||
	    rcd_add_kernel_build_ids(w))
		return -1;
	return 0;
}
