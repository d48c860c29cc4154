// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr-brstackinsn.so: the instructions that each branch stack shows, in the place
 * of perf's own brstackinsn, which reads RISC-V's as those of x86.
 */
#include "plugin.h"
#include "base/plain.h"
#include "path/path.h"
#include "riscv/rv_disasm.h"
#include "riscv/rv_insn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct view {
	struct samples *samples;
	struct error *error;
	struct path *path;
	struct rv_disasm *disasm; /* NULL: there is no LLVM */
	struct text text;
	const struct pd_event *ev;
};

static const struct opt options[] = { SAMPLES_OPTS, PLUGIN_OPTS, { 0 } };

/* function+0x10 (file) */
static void put_place(struct view *v, uint64_t addr)
{
	struct path_place place =
		path_code_place(v->samples->code, v->ev->pid, addr);
	const char *name;
	uint64_t offset;
	bool known = path_code_symbol(v->samples->code, &place, &name, &offset);

	plain_text(&v->text, name);
	/* Where nothing is mapped, the offset is the address itself. */
	if (offset && place.dso) {
		text_str(&v->text, "+0x");
		text_hex(&v->text, offset, 0);
	}
	if (known && place.dso) {
		text_str(&v->text, " (");
		plain_text(&v->text, place.dso->name);
		text_str(&v->text, ")");
	}
}

/* What was not recorded is left out. */
static void put_header(struct view *v, const char *comm)
{
	const struct pd_event *ev = v->ev;
	struct text *text = &v->text;
	char name[16];

	snprintf(name, sizeof(name), "%s", comm);
	plain_text(text, name);
	text_fmt(text, " %d/%d", (int)ev->pid, (int)ev->tid);
	if (ev->cpu != PD_NO_ID)
		text_fmt(text, " [%03u]", ev->cpu);
	if (ev->time != PD_NO_TIME)
		text_fmt(text, " %llu.%09llu",
			 (unsigned long long)ev->time / 1000000000,
			 (unsigned long long)ev->time % 1000000000);
	text_str(text, ":");
	if (ev->sample.period) {
		text_str(text, " ");
		text_dec(text, ev->sample.period, 0);
	}
	if (ev->attr->name) {
		text_str(text, " ");
		plain_text(text, ev->attr->name);
	}
	text_str(text, ": ");
	text_hex(text, ev->sample.ip, 0);
	text_str(text, " ");
	put_place(v, ev->sample.ip);
	text_line(text);
}

/* In columns if something follows. */
static void put_insn(struct view *v, uint64_t pc, const uint8_t *code, bool rv32,
		     bool last)
{
	struct text *text = &v->text;
	const char *assembly;
	unsigned int size;
	uint32_t opcode;
	char buf[128];

	size = rv_load(code, &opcode);
	text_str(text, "\t");
	text_hex(text, pc, 16);
	text_str(text, "  ");
	text_opcode(text, opcode, size, 8);
	if (v->disasm) {
		assembly = rv_disasm_text(v->disasm, rv32, pc, opcode, size, buf,
					  sizeof(buf));
		text_fmt(text, last ? "  %-28s" : "  %s", assembly);
	}
	if (!last)
		text_line(text);
}

/* " # COND PRED 12 cycles 2.50 IPC -> where": what is known of it. */
static void put_transfer(struct view *v, const struct path_run *run)
{
	const struct pd_sample *sample = &v->ev->sample;
	const struct pd_branch br =
		pd_branch_at(sample, sample->nr_branches - 1 - run->transfer);
	const char *type = pd_branch_type_name(pd_branch_type(br.flags));
	const unsigned int cycles = pd_branch_cycles(br.flags);
	struct text *text = &v->text;

	text_str(text, "  #");
	if (type[0]) {
		text_str(text, " ");
		text_str(text, type);
	}
	if (pd_branch_mispredicted(br.flags))
		text_str(text, " MISPRED");
	else if (pd_branch_predicted(br.flags))
		text_str(text, " PRED");
	if (cycles)
		text_fmt(text, " %u cycles %.2f IPC", cycles,
			 (double)run->nr_insns / cycles);
	text_str(text, " -> ");
	text_hex(text, br.to, 0);
	text_str(text, " ");
	put_place(v, br.to);
	text_line(text);
}

static void put_break(struct view *v, const struct path_run *run)
{
	text_str(&v->text, "\t... ");
	text_str(&v->text, path_break_text(run->why));
	if (run->why == PATH_UNKNOWN_CODE) {
		text_str(&v->text, ": ");
		text_str(&v->text, img_state_text(run->unknown));
	}
	text_line(&v->text);
}

static void put_run(struct view *v, const struct path_run *run)
{
	uint32_t at = 0;

	if (run->nr_insns) {
		text_str(&v->text, "    ");
		put_place(v, run->pc);
		text_str(&v->text, ":");
		text_line(&v->text);
	}
	while (run->nr_insns && at < run->size) {
		uint32_t opcode;
		unsigned int size = rv_load(run->code + at, &opcode);
		bool last = at + size >= run->size &&
			    (run->has_transfer || run->end == PATH_END_IP);

		put_insn(v, run->pc + at, run->code + at, run->rv32, last);
		at += size;
		if (!last)
			continue;
		if (run->has_transfer) {
			put_transfer(v, run);
		} else {
			text_str(&v->text, "  # the sample");
			text_line(&v->text);
		}
	}
	if (run->why != PATH_OK) {
		put_break(v, run);
	} else if (run->end == PATH_END_AWAY) {
		text_str(&v->text,
			 "\t... the sample was taken in a mode that was not recorded");
		text_line(&v->text);
	}
}

static int view_sample(void *job, const struct pd_event *ev, const char *comm)
{
	/* Each record is shown, also where nothing is known of its target. */
	const unsigned int flags =
		PATH_ALL_SOURCES |
		(pd_attr_has_kernel_branches(ev->attr) ? PATH_KERNEL : 0);
	struct view *v = job;
	int nr, i;

	if (!ev->sample.has_branches)
		return 0;
	v->ev = ev;
	nr = path_decode_sample(v->path, ev->pid, &ev->sample, flags);
	if (nr < 0)
		return error_nomem(v->error);
	put_header(v, comm);
	for (i = 0; i < nr; i++)
		put_run(v, path_runs(v->path) + i);
	return 0;
}

static void *view_start(void)
{
	return calloc(1, sizeof(struct view));
}

static int view_option(void *job, int id, const char *arg, struct error *error)
{
	(void)job;
	(void)arg;
	return error_set(error, ERROR_USAGE, "option %d is not known", id);
}

static int view_open(void *job, struct samples *samples, struct error *error)
{
	struct path_source source = path_code_source(samples->code);
	struct view *v = job;
	struct error why;

	v->samples = samples;
	v->error = error;
	samples->shows_away = true;
	if (!samples_have_all_branches(samples))
		return error_set(
			error, ERROR_INPUT,
			"%s: some kinds of branches were not recorded, so it is not known what ran between two branches; record with `perf record -b`",
			samples->path);
	v->path = path_new(&source);
	if (!v->path)
		return error_nomem(error);
	v->disasm = rv_disasm_new(&why);
	if (!v->disasm)
		fprintf(stderr, "ssctr brstackinsn: without assembly: %s\n",
			why.text);
	return 0;
}

static int view_close(void *job, struct notes *notes)
{
	struct view *v = job;

	(void)notes;
	text_flush(&v->text);
	if (fflush(stdout) || ferror(stdout))
		return error_set(v->error, ERROR_OUTPUT,
				 "cannot write the output: %s",
				 strerror(errno));
	return 0;
}

static void view_free(void *job)
{
	struct view *v = job;

	path_free(v->path);
	rv_disasm_free(v->disasm);
	free(v);
}

const struct plugin plugin = {
	.name = "brstackinsn",
	.description = "Instructions of branch stacks, for RISC-V",
	.longer =
		"perf script --dlfilter ssctr-brstackinsn.so [--dlarg --symfs --dlarg ROOT]\n"
		"The options are those with which `ssctr stf` finds code. Write --dlarg before each\n"
		"word of them.",
	.opts = options,
	.start = view_start,
	.option = view_option,
	.open = view_open,
	.sample = view_sample,
	.close = view_close,
	.free = view_free,
	.wants_comm = true,
};
