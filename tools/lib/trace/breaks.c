// SPDX-License-Identifier: GPL-2.0-only
#include "trace/breaks.h"
#include "base/plain.h"

#include <inttypes.h>
#include <stdio.h>

void trace_tell_break(void *arg, const struct pd_event *ev, const struct path_run *run)
{
	const struct samples *s = arg;

	fprintf(stderr,
		"sample at offset 0x%" PRIx64 " (%" PRIu32 "/%" PRIu32
		"), from 0x%" PRIx64 ": %s",
		ev->offset, ev->pid, ev->tid, run->pc,
		path_break_text(run->why));
	if (run->why == PATH_UNKNOWN_CODE) {
		struct path_place place =
			path_code_place(s->code, ev->pid, run->pc);

		fprintf(stderr, ": %s", img_state_text(run->unknown));
		if (place.dso) {
			fputs(" (", stderr);
			plain_put(stderr, place.dso->name);
			putc(')', stderr);
		}
	}
	fputc('\n', stderr);
}
