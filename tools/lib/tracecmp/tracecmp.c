// SPDX-License-Identifier: GPL-2.0-only
#include "tracecmp/tracecmp.h"

#include <inttypes.h>

struct compare {
	const struct tcmp_opts *opts;
	struct tcut_header headers[2];
	struct tcmp_queue queues[2];
	struct tcmp_resync resync;
	/* So many pairs of instructions from here on differ in place of each other. */
	uint64_t pairs;
	unsigned int state; /* the modes or the processes differ before this instruction */
	bool stopped;
	struct tcmp_result *result;
	struct error *error;
};

static void report(struct compare *cmp, struct tcmp_difference *difference)
{
	unsigned int i;

	difference->queues[0] = &cmp->queues[0];
	difference->queues[1] = &cmp->queues[1];
	cmp->result->differences++;
	for (i = 0; i < TCMP_N_KINDS; i++)
		cmp->result->kinds[i] += difference->kinds >> i & 1;
	cmp->stopped = !cmp->opts->found(cmp->opts->user, difference);
}

/* ------------------------------------------------------------------ the headers */

/* The next record of this kind from *i on, or NULL. */
static const struct stf_record *next_of(const struct tcut_header *header, size_t *i,
					uint8_t desc)
{
	while (*i < header->nr)
		if (header->v[(*i)++].desc == desc)
			return &header->v[*i - 1];
	return NULL;
}

/* The size of event ids is the form of a trace. */
static bool same_in_header(const struct stf_record *a, const struct stf_record *b)
{
	if (a->desc == STF_TRACE_INFO_FEATURE)
		return !((a->features ^ b->features) & ~STF_FEATURE_EVENT64);
	return tcmp_same_record(a, b);
}

static bool same_in_headers(const struct compare *cmp, uint8_t desc)
{
	const struct stf_record *a, *b;
	size_t i = 0, j = 0;

	do {
		a = next_of(&cmp->headers[0], &i, desc);
		b = next_of(&cmp->headers[1], &j, desc);
		if (!a || !b)
			return !a && !b;
	} while (same_in_header(a, b));
	return false;
}

/* These tell where a trace comes from, and not what it is. */
static bool tells_origin(uint8_t desc)
{
	return desc == STF_COMMENT || desc == STF_TRACE_INFO;
}

/* The instructions tell the PC and the process. */
static void compare_headers(struct compare *cmp)
{
	uint8_t desc;

	for (desc = STF_VERSION; desc < STF_END_HEADER && !cmp->stopped; desc++) {
		struct tcmp_difference difference = {
			.place = TCMP_IN_HEADER,
			.kinds = tells_origin(desc) ? TCMP_COMMENTS : TCMP_HEADER,
			.headers = { &cmp->headers[0], &cmp->headers[1] },
			.desc = desc,
		};

		if (desc != STF_FORCE_PC && desc != STF_PROCESS_ID_EXT &&
		    difference.kinds & ~cmp->opts->ignore &&
		    !same_in_headers(cmp, desc))
			report(cmp, &difference);
	}
}

/* -------------------------------------------------------------- the instructions */

/* Only the first instruction of those whose mode or process differs is a difference. */
static unsigned int begin_to_differ(struct compare *cmp, unsigned int kinds)
{
	const unsigned int states = TCMP_MODES | TCMP_PROCESSES;
	unsigned int before = cmp->state;

	cmp->state = kinds & states;
	return kinds & ~before;
}

static void compare_pair(struct compare *cmp, const struct tcmp_inst *a,
			 const struct tcmp_inst *b)
{
	struct tcmp_difference difference = { .place = TCMP_IN_INST };
	unsigned int kinds = tcmp_differ(a, b, cmp->opts->ignore);

	if (kinds | cmp->state)
		kinds = begin_to_differ(cmp, kinds);
	if (kinds) {
		difference.kinds = kinds;
		report(cmp, &difference);
	}
	cmp->result->both += !a->end;
	cmp->pairs -= !!cmp->pairs;
	tcmp_queue_skip(&cmp->queues[0], 1);
	tcmp_queue_skip(&cmp->queues[1], 1);
}

/* The traces do not go on in the same way. Find out how they do. */
static int part_ways(struct compare *cmp)
{
	struct tcmp_difference difference = { .place = TCMP_BETWEEN };
	uint64_t *only = difference.only;
	int found = tcmp_resync_find(&cmp->resync, &cmp->queues[0], &cmp->queues[1],
				     cmp->opts->bound, &only[0], &only[1], cmp->error);

	if (found < 0)
		return found;
	if (found && only[0] == only[1]) {
		cmp->pairs = only[0];
		return 0;
	}
	difference.place = found ? TCMP_BETWEEN : TCMP_LOST;
	report(cmp, &difference);
	cmp->stopped |= !found;
	cmp->result->only[0] += only[0];
	cmp->result->only[1] += only[1];
	tcmp_queue_skip(&cmp->queues[0], only[0]);
	tcmp_queue_skip(&cmp->queues[1], only[1]);
	return 0;
}

static int compare_insts(struct compare *cmp)
{
	struct tcmp_queue *queues = cmp->queues;
	const struct tcmp_inst *a, *b;
	int ret = 0;

	while (!ret && !cmp->stopped) {
		ret = tcmp_queue_read(&queues[0], 0, cmp->error);
		if (!ret)
			ret = tcmp_queue_read(&queues[1], 0, cmp->error);
		if (ret)
			break;
		a = tcmp_queue_get(&queues[0], 0);
		b = tcmp_queue_get(&queues[1], 0);
		if (!cmp->pairs && !tcmp_same_inst(&cmp->resync, a, b)) {
			ret = part_ways(cmp);
			continue;
		}
		cmp->result->complete = a->end;
		compare_pair(cmp, a, b);
		if (cmp->result->complete)
			break;
	}
	return ret;
}

static int open_trace(struct compare *cmp, unsigned int i, struct stf_reader *reader)
{
	const char *name = i ? "the second trace" : "the first trace";
	int ret = tcut_header_read(&cmp->headers[i], reader, name, cmp->error);

	if (!ret)
		ret = tcmp_queue_open(&cmp->queues[i], reader, cmp->opts->start,
				      cmp->opts->filter, cmp->error);
	if (ret == ERROR_NOTHING)
		return error_set(cmp->error, ret,
				 "%s ends before instruction %" PRIu64, name,
				 cmp->opts->start);
	return ret;
}

static bool in_the_same_unit(struct stf_reader *readers[2])
{
	return stf_reader_params(readers[0])->mem_bits ==
	       stf_reader_params(readers[1])->mem_bits;
}

int tcmp_run(const struct tcmp_opts *opts, struct stf_reader *readers[2],
	     struct tcmp_result *result, struct error *error)
{
	struct compare cmp = {
		.opts = opts,
		.resync = { .any_pc = opts->ignore & TCMP_PC,
			    .any_opcode = opts->ignore & TCMP_OPCODE },
		.result = result,
		.error = error,
	};
	int ret;

	*result = (struct tcmp_result){ 0 };
	ret = open_trace(&cmp, 0, readers[0]);
	if (!ret)
		ret = open_trace(&cmp, 1, readers[1]);
	if (!ret) {
		cmp.queues[0].to_bytes = cmp.queues[1].to_bytes =
			!in_the_same_unit(readers);
		compare_headers(&cmp);
		ret = compare_insts(&cmp);
	}
	tcmp_queue_close(&cmp.queues[0]);
	tcmp_queue_close(&cmp.queues[1]);
	tcut_header_free(&cmp.headers[0]);
	tcut_header_free(&cmp.headers[1]);
	tcmp_resync_free(&cmp.resync);
	return ret;
}
