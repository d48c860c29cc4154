// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr-brstackinsn.so: the instructions that each branch stack shows, in the place
 * of perf's own brstackinsn, which reads RISC-V's as those of x86.
 */
#include "plugin.h"
#include "path/path.h"
#include "riscv/rv_insn.h"

#include "../tools/ssctr/disasm.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the assembly, where something follows. */
enum { ASSEMBLY_WIDTH = 28 };

static const struct opt options[] = {
	REC_OPTS,
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "brstackinsn",
	.usage = "[option]...",
	.about =
		"Print the instructions of each sample's branch stack, from the source of the\n"
		"oldest transfer to the instruction at which the sample was taken.",
	.example =
		"  perf script --dlfilter ssctr-brstackinsn.so --dlarg --symfs --dlarg ROOT",
	.opts = options,
};

struct view {
	struct rec rec;
	struct path *path;
	struct disasm *disasm; /* NULL: there is no LLVM */
	struct text text;
	const struct pd_event *ev;
};

/* function+0x10 (file) */
static void put_place(struct view *v, uint64_t addr)
{
	struct path_place place =
		path_code_place(v->rec.code, v->ev->pid, addr);
	const char *name;
	uint64_t offset;
	bool known = path_code_symbol(v->rec.code, &place, &name, &offset);

	text_str(&v->text, name);
	/* Where nothing is mapped, the offset is the address itself. */
	if (offset && place.dso) {
		text_str(&v->text, "+0x");
		text_hex(&v->text, offset, 0);
	}
	if (known && place.dso) {
		text_str(&v->text, " (");
		text_str(&v->text, place.dso->name);
		text_str(&v->text, ")");
	}
}

/* What was not recorded is left out. */
static void put_header(struct view *v)
{
	const struct pd_event *ev = v->ev;
	struct text *text = &v->text;
	char number[64];

	text_str(text, v->rec.chosen.comm);
	snprintf(number, sizeof(number), " %d/%d", (int)ev->pid, (int)ev->tid);
	text_str(text, number);
	if (ev->cpu != PD_NO_ID) {
		snprintf(number, sizeof(number), " [%03u]", ev->cpu);
		text_str(text, number);
	}
	if (ev->time != PD_NO_TIME) {
		snprintf(number, sizeof(number), " %llu.%09llu",
			 (unsigned long long)ev->time / 1000000000,
			 (unsigned long long)ev->time % 1000000000);
		text_str(text, number);
	}
	text_str(text, ":");
	if (ev->sample.period) {
		text_str(text, " ");
		text_dec(text, ev->sample.period, 0);
	}
	if (ev->attr->name) {
		text_str(text, " ");
		text_str(text, ev->attr->name);
	}
	text_str(text, ": ");
	text_hex(text, ev->sample.ip, 0);
	text_str(text, " ");
	put_place(v, ev->sample.ip);
	text_line(text);
}

static void put_blanks(struct text *text, size_t n)
{
	while (n--)
		text_str(text, " ");
}

/* In columns if something follows. */
static void put_insn(struct view *v, uint64_t pc, const uint8_t *code,
		     unsigned int size, bool last)
{
	struct text *text = &v->text;
	uint32_t opcode = 0;
	const char *s = "";
	char buf[128];
	size_t n;

	memcpy(&opcode, code, size);
	text_str(text, "\t");
	text_hex(text, pc, 16);
	text_str(text, "  ");
	text_opcode(text, opcode, size, 8);
	if (v->disasm) {
		text_str(text, "  ");
		s = disasm_text(v->disasm, pc, opcode, size, buf, sizeof(buf));
		text_str(text, s);
	}
	n = strlen(s);
	if (last && v->disasm && n < ASSEMBLY_WIDTH)
		put_blanks(text, ASSEMBLY_WIDTH - n);
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
	char number[64];

	text_str(text, "  #");
	if (type[0]) {
		text_str(text, " ");
		text_str(text, type);
	}
	if (pd_branch_mispredicted(br.flags))
		text_str(text, " MISPRED");
	else if (pd_branch_predicted(br.flags))
		text_str(text, " PRED");
	if (cycles) {
		snprintf(number, sizeof(number), " %u cycles %.2f IPC", cycles,
			 (double)run->nr_insns / cycles);
		text_str(text, number);
	}
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
		unsigned int size = rv_insn_size(run->code[at] |
						 run->code[at + 1] << 8);
		bool last = at + size >= run->size &&
			    (run->has_transfer || run->end == PATH_END_IP);

		put_insn(v, run->pc + at, run->code + at, size, last);
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
	if (run->why != PATH_OK)
		put_break(v, run);
}

static int put_sample(struct view *v)
{
	const struct pd_event *ev = v->ev;
	unsigned int flags =
		pd_attr_has_kernel_branches(ev->attr) ? PATH_KERNEL : 0;
	int nr = path_decode_sample(v->path, ev->pid, &ev->sample, flags), i;

	if (nr < 0)
		return cmd_error(&cmd, "out of memory");
	put_header(v);
	for (i = 0; i < nr; i++)
		put_run(v, path_runs(v->path) + i);
	return CMD_OK;
}

static int open_all(struct view *v)
{
	struct path_source source;
	const char *why;
	int ret = rec_open(&v->rec);

	if (ret)
		return ret;
	if (!rec_has_all_branches(&v->rec))
		return cmd_error(
			&cmd,
			"%s: some kinds of branches were not recorded, so that it is not known what ran between two; record with `perf record -b`",
			v->rec.path);
	source = path_code_source(v->rec.code);
	v->path = path_new(&source);
	if (!v->path)
		return cmd_error(&cmd, "out of memory");
	v->disasm = disasm_new(
		!strncmp(pd_text(v->rec.pd, PD_ARCH), "riscv32", 7), &why);
	if (!v->disasm)
		fprintf(stderr, "ssctr %s: without assembly: %s\n", cmd.name,
			why);
	return CMD_OK;
}

static int show(struct view *v)
{
	struct pd_event ev;
	int ret = open_all(v);

	if (ret)
		return ret;
	while ((ret = rec_next(&v->rec, &ev)) > 0) {
		v->ev = &ev;
		if (ev.sample.has_branches && put_sample(v))
			return CMD_FAIL;
	}
	text_flush(&v->text);
	if (ret < 0)
		return CMD_FAIL;
	if (fflush(stdout) || ferror(stdout))
		return cmd_error(&cmd, "cannot write the output: %s",
				 strerror(errno));
	rec_summary(&v->rec);
	return CMD_OK;
}

static int run(const struct rec_chooser *chooser, int argc, char **argv)
{
	struct view *v = calloc(1, sizeof(*v));
	struct cmd_opts opts;
	int id, ret = CMD_OK;

	if (!v)
		return cmd_error(&cmd, "out of memory");
	rec_init(&v->rec, &cmd, chooser);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0)
		ret = rec_option(&v->rec, &opts, id);
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && opts.argc)
		ret = cmd_usage(&cmd, "%s: no such option", opts.argv[0]);
	else if (!ret)
		ret = show(v);
	path_free(v->path);
	disasm_free(v->disasm);
	rec_close(&v->rec);
	free(v);
	return ret;
}

const struct plugin plugin = {
	.name = "brstackinsn",
	.description = "Instructions of branch stacks, for RISC-V",
	.longer =
		"perf script --dlfilter ssctr-brstackinsn.so [--dlarg --symfs --dlarg ROOT]\n"
		"Options are those with which `ssctr stf` finds code, a --dlarg for each word.",
	.run = run,
	.wants_comm = true,
};
