// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a plain trace whose instructions are counted. The sections have the same
 * instructions. The names of code are made up, because no target reads binaries.
 */
#include "fuzz.h"
#include "tracestat/tracestat.h"

/* --- names: a function in each 16 bytes, without a name in each fourth --- */

struct names {
	struct origin origin;
};

bool names_group(struct names *names, const struct stf_inst *inst, struct stf_inst_iter *iter)
{
	struct stf_record rec;

	if (!(inst->flags & STF_INST_F_COMMENT))
		return true;
	while (stf_inst_iter_record(iter, &rec) > 0)
		if (rec.desc == STF_COMMENT)
			demand(origin_take(&names->origin, rec.text.data, rec.text.size) >= 0,
			       "there is memory");
	return true;
}

const struct origin *names_origin(const struct names *names)
{
	return &names->origin;
}

bool names_find(struct names *names, uint32_t pid, uint64_t pc, struct names_at *at)
{
	const uint64_t start = pc & ~UINT64_C(15);

	(void)names;
	(void)pid;
	*at = (struct names_at){ .start = start, .end = start + 15, .function_start = start,
				 .function_offset = start };
	if (start & 0x30)
		at->function = "function";
	at->file = "file";
	return true;
}

/* --- what was counted --- */

static void check_mix(const struct tstat_mix *mix, uint64_t instructions)
{
	uint64_t classes = 0, modes = 0;
	unsigned int i;

	for (i = 0; i < RV_N_CLASSES; i++)
		classes += mix->classes[i];
	for (i = 0; i < TSTAT_N_MODES; i++)
		modes += mix->modes[i];
	demand(mix->instructions == instructions && classes == instructions &&
		       modes == instructions && mix->size16 <= instructions,
	       "each instruction has a class and a mode");
}

static void check_branches(const struct tstat_branches *b)
{
	struct tstat_predicted sum = { 0 };
	size_t i;

	for (i = 0; i < b->nr; i++) {
		const struct tstat_branch *v = &b->v[i];

		demand(v->n.taken <= v->n.ran && v->n.wrong_counter <= v->n.ran &&
			       v->n.wrong_gshare <= v->n.ran,
		       "no part is larger than the whole");
		demand(v->after[0].ran + v->after[1].ran <= v->n.ran,
		       "a branch ran behind others at most as often as it ran");
		demand(tstat_branch_wrong(v, true) <= tstat_branch_wrong(v, false),
		       "who knows more is not wrong more often");
		sum.ran += v->n.ran;
		sum.taken += v->n.taken;
		sum.wrong_counter += v->n.wrong_counter;
		sum.wrong_gshare += v->n.wrong_gshare;
	}
	demand(sum.ran == b->all.ran && sum.taken == b->all.taken &&
		       sum.wrong_counter == b->all.wrong_counter &&
		       sum.wrong_gshare == b->all.wrong_gshare,
	       "the branches add up");
}

static void check_threads(const struct tstat_threads *t, uint64_t instructions)
{
	uint64_t sum = t->further.instructions;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		demand(t->v[i].user <= t->v[i].instructions &&
			       (!i || t->v[i].instructions <= t->v[i - 1].instructions),
		       "threads are in order");
		sum += t->v[i].instructions;
	}
	demand(sum == instructions, "each instruction is one of a thread");
}

static void check_reuse(const struct tstat_reuse *reuse, uint64_t least)
{
	uint64_t sum = reuse->first + reuse->far;
	unsigned int i;

	for (i = 0; i < TSTAT_REUSE_BINS; i++)
		sum += reuse->bins[i];
	demand(sum >= least, "each use has a distance, or is a first one");
}

static void check_footprint(const struct tstat_footprint *f)
{
	demand(f->lines.nr <= f->lines.units && f->pages.nr <= f->pages.units,
	       "a line or a page that counts is used");
	demand(f->pages.full || f->lines.full || f->pages.units == f->lines.nr,
	       "both count the same lines");
}

static void take_interval(void *arg, const struct tstat_interval *interval)
{
	uint64_t *sum = arg;

	demand(interval->start >= *sum, "an interval begins behind the one before");
	*sum += interval->instructions;
}

static uint64_t instructions_of(struct stf_reader *r)
{
	struct stf_stats stats = { .size = sizeof(stats) };

	stf_reader_stats(r, &stats);
	return stats.instructions;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct names names = { 0 };
	struct tstat stat = TSTAT_INIT;
	uint64_t sum = 0;
	struct error error = { "" };
	struct stf_reader *r;
	int ret;

	if (!size || *data != STF_IDENTIFIER)
		return -1;
	fuzz_file(data, size);
	r = fuzz_open(0, false);
	if (!r)
		return 0;
	stat.parts = ~0u;
	stat.names = &names;
	stat.intervals.size = 1 + data[size - 1] % 50;
	stat.intervals.on_interval = take_interval;
	stat.intervals.arg = &sum;
	ret = tstat_read(&stat, r, &error);
	demand(!ret || *error.text, "an error has a text");
	if (!ret) {
		check_mix(&stat.mix, instructions_of(r) - stat.interrupted);
		demand(sum == stat.mix.instructions, "the intervals have all instructions");
	}
	check_branches(&stat.branches);
	check_threads(&stat.threads, stat.mix.instructions);
	check_footprint(&stat.code);
	check_footprint(&stat.memory.data);
	check_reuse(&stat.code_reuse, stat.mix.instructions);
	check_reuse(&stat.data_reuse, stat.memory.reads.count + stat.memory.writes.count);
	demand(stat.gaps <= stat.mix.instructions + stat.interrupted,
	       "a gap is before an instruction");
	tstat_free(&stat);
	origin_free(&names.origin);
	stf_reader_close(r);
	return 0;
}
