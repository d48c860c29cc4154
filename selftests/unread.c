// SPDX-License-Identifier: GPL-2.0-only
/*
 * User code jumps to what the kernel has, while user and kernel code are recorded. Each
 * jump leaves a record of the exception with that address as its source. A plug-in of
 * QEMU counts whether somebody reads there: as the module records, and once more as
 * the neighbour, ssctr_test with act=unread, reads each once.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#include "mark.h"
#include "sampler.h"
#include "test.h"

#define PARAMETER	"/sys/module/ssctr_test/parameters/unread"
#define PLACES		3
#define INSNS		16
#define RECORDS		50
#define TRIES		1000 /* a bound: two or three are enough */

static uint64_t places[PLACES];
static unsigned int place;
static sigjmp_buf back;

static void watch(void)
{
	for (unsigned int i = 0; i < PLACES; i++)
		mark(MARK_WATCH, places[i], places[i] + 4 * INSNS);
}

static void come_back(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void jump_there(void)
{
	static volatile unsigned int i;

	for (i = 0; i < INSNS; i++)
		if (!sigsetjmp(back, 1))
			((void (*)(void))(places[place] + 4 * i))();
}

/* What is told of the records there. */
struct told {
	unsigned int records, types;
};

static void see(const struct sample *sample, void *data)
{
	struct told *told = data;

	for (uint64_t i = 0; i < sample->nr; i++) {
		const struct perf_branch_entry *entry = &sample->entries[i];

		if (entry->from - places[place] >= 4 * INSNS)
			continue;
		told->records++;
		told->types += entry->type == PERF_BR_SYSCALL ||
			       entry->type == PERF_BR_EXTEND_ABI;
	}
}

TEST(no_type_depends_on_what_user_code_jumps_to)
{
	FILE *file = fopen(PARAMETER, "r+");

	CHECK(file);
	CHECK_EQ(fscanf(file, "%lx %lx %lx", &places[0], &places[1], &places[2]), 3);
	CHECK(signal(SIGSEGV, come_back) != SIG_ERR);
	watch();
	for (place = 0; place < PLACES; place++) {
		struct told told = { 0 };
		struct sampler_recording recording = {
			.attr = sampler_attr(PERF_SAMPLE_BRANCH_USER |
					     PERF_SAMPLE_BRANCH_KERNEL |
					     PERF_SAMPLE_BRANCH_ANY_CALL |
					     PERF_SAMPLE_BRANCH_TYPE_SAVE),
			.see = see,
			.data = &told,
		};

		recording.attr.exclude_kernel = 0;
		/* On a loaded machine many samples fall in the handler's way. */
		for (unsigned int i = 0; i < TRIES && told.records < RECORDS; i++) {
			recording.samples = 0;
			CHECK_EQ(sampler_record(&recording, 1, RECORDS, jump_there), 0);
		}
		printf("# %u records of %lx\n", told.records, places[place]);
		CHECK(told.records >= RECORDS);
		CHECK_EQ(told.types, 0);
	}
	watch();
	rewind(file);
	CHECK(fputs("read", file) >= 0);
	CHECK_EQ(fclose(file), 0);
}
