// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens and closes events with and without branches for ever, on tasks and CPUs,
 * inherited and not, served or not: what goes on while the module or a CPU comes
 * and goes.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sampler.h"
#include "work.h"

int main(void)
{
	struct perf_event_attr attr = sampler_attr(PERF_SAMPLE_BRANCH_USER |
						   PERF_SAMPLE_BRANCH_ANY);

	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	srandom(getpid());
	for (;;) {
		long dice = random();
		struct sampler sampler;
		bool opened;

		attr.inherit = dice & 1;
		attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
		if (dice & 6)
			attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr.disabled = 0;
		opened = !sampler_open(&sampler, &attr, dice & 8 ? 0 : -1,
				       (dice >> 5) % cpus);
		if (!fork()) {
			work(200);
			_exit(0);
		}
		work(200);
		wait(NULL);
		if (opened)
			sampler_close(&sampler);
		usleep(random() % 3000);
	}
}
