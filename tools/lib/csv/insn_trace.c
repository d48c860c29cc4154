// SPDX-License-Identifier: GPL-2.0-only
#include "csv/insn_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The first bytes. -1 with ESPIPE: they cannot be read twice. */
static ssize_t look(const char *path, void *start, size_t size)
{
	int fd, error;
	ssize_t n;

	if (!strcmp(path, "-")) {
		errno = ESPIPE;
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = pread(fd, start, size, 0);
	error = errno;
	close(fd);
	errno = error;
	return n;
}

/* Whether it is a CSV, by its first bytes. */
static int find_form(struct insn_trace *t)
{
	const size_t size = strlen(csv_headers[CSV_INSNS]);
	char start[64];
	ssize_t n = look(t->path, start, sizeof(start));

	t->once = n < 0 && errno == ESPIPE;
	if (n < 0 && !t->once)
		return error_set(t->error, ERROR_INPUT, "%s: %s", t->path,
				 strerror(errno));
	t->is_csv = n >= (ssize_t)size &&
		    !strncasecmp(start, csv_headers[CSV_INSNS], size);
	if (n >= 8 && (!memcmp(start, "PERFILE2", 8) ||
		       !memcmp(start, "2ELIFREP", 8)))
		return error_set(t->error, ERROR_INPUT,
				 "%s: a recording; make a trace of it with `ssctr stf -i %s -o trace.zstf`",
				 t->path, t->path);
	return 0;
}

static int stf_failed(const struct insn_trace *t)
{
	return error_set(t->error, ERROR_INPUT, "%s", stf_reader_error(t->stf));
}

static int open_stf(struct insn_trace *t)
{
	const struct stf_params *params;
	struct stf_record rec;
	struct stf_error err;
	int ret = 1;

	t->stf = stf_reader_open(t->path, NULL, &err);
	if (!t->stf && err.code == STF_E_NOT_STF && t->once)
		return error_set(t->error, ERROR_INPUT,
				 "%s: not an STF trace; a CSV must be in a file, because a pipe can only be read once",
				 t->path);
	if (!t->stf && err.code == STF_E_NOT_STF)
		return error_set(t->error, ERROR_INPUT,
				 "%s: neither an STF trace nor an instruction CSV, which starts with \"VALID,ADDRESS,INSN,...\"",
				 t->path);
	if (!t->stf)
		return error_set(t->error, ERROR_INPUT, "%s", err.text);
	params = stf_reader_params(t->stf);
	while (ret > 0 && !params->header_ended)
		ret = stf_reader_next(t->stf, &rec);
	if (ret < 0)
		return stf_failed(t);
	if (!ret)
		return error_set(t->error, ERROR_INPUT,
				 "%s: the trace has no END_HEADER", t->path);
	t->rv32 = params->iem == STF_IEM_RV32;
	t->iter = stf_inst_iter_new(t->stf, sizeof(struct stf_inst));
	return t->iter ? 0 : error_nomem(t->error);
}

static int open_csv(struct insn_trace *t)
{
	t->csv = csv_open(t->path, CSV_INSNS, t->error);
	return t->csv ? 0 : ERROR_INPUT;
}

int insn_trace_open(struct insn_trace *t, const char *path, struct error *error)
{
	int ret;

	*t = (struct insn_trace){ .path = path, .error = error };
	ret = find_form(t);
	if (!ret)
		ret = t->is_csv ? open_csv(t) : open_stf(t);
	if (ret)
		insn_trace_close(t);
	return ret;
}

static int next_of_csv(struct insn_trace *t, struct traced_insn *insn)
{
	const uint64_t mask = t->rv32 ? UINT32_MAX : UINT64_MAX;
	struct csv_insn row;
	int ret = csv_next_insn(t->csv, &row);

	if (ret <= 0)
		return ret;
	*insn = (struct traced_insn){
		.pc = row.address & mask,
		.opcode = row.insn,
		.size = (row.insn & 3) == 3 ? 4 : 2,
		.mode = row.privilege,
		.trap = row.exception,
		.interrupt = row.interrupt,
		.cause = row.ecause,
		.tval = row.tval,
	};
	if (row.interrupt)
		insn->cause &= mask >> 1;
	return 1;
}

/* The first event in an instruction's group is what interrupts it. */
static void take_event(struct insn_trace *t, struct traced_insn *insn,
		       const struct stf_event *event)
{
	const unsigned int tval = insn_tval_field(event->id);

	/* Special events are no traps. */
	if (event->id & STF_EVENT_SPECIAL)
		return;
	t->further_traps += insn->trap;
	if (insn->trap)
		return;
	insn->trap = true;
	insn->interrupt = event->id & STF_EVENT_INTERRUPT;
	insn->cause = event->id & ~STF_EVENT_INTERRUPT;
	insn->tval = event->n_fields > tval ? event->fields[tval] : 0;
}

static int look_into_group(struct insn_trace *t, struct traced_insn *insn)
{
	struct stf_record rec;
	int ret;

	while ((ret = stf_inst_iter_record(t->iter, &rec)) > 0) {
		if (rec.desc == STF_EVENT)
			take_event(t, insn, &rec.event);
		else if (rec.desc == STF_INST_PC_TARGET)
			insn->jump_target = rec.pc;
		else if (t->find_data)
			insn_data_find(&insn->found, &insn->data, &rec);
	}
	return ret;
}

static int next_of_stf(struct insn_trace *t, struct traced_insn *insn)
{
	const uint16_t leads = STF_INST_F_TAKEN | STF_INST_F_EVENT_TARGET;
	const uint16_t with_data = STF_INST_F_EVENT | STF_INST_F_MEM |
				   STF_INST_F_OTHER;
	struct stf_inst inst;
	int ret = stf_inst_iter_next(t->iter, &inst);

	if (ret < 0)
		return stf_failed(t);
	if (!ret) {
		t->coverage = origin_coverage_behind(t->iter);
		return 0;
	}
	if (stats_harts_several(&t->harts, &inst))
		return error_set(t->error, ERROR_INPUT, "%s: " STATS_HARTS_SEVERAL,
				 t->path);
	stats_turns_take(&t->turns, &inst);
	t->insns_read++;
	t->gaps += inst.flags & STF_INST_F_GAP ? 1 : 0;
	*insn = (struct traced_insn){
		.pc = inst.pc,
		.target = inst.next_pc,
		.opcode = inst.opcode,
		.size = inst.size,
		.mode = inst.mode == STF_MODE_UNKNOWN ? t->mode : inst.mode,
		.has_target = inst.flags & leads,
		.trap_target = inst.flags & STF_INST_F_EVENT_TARGET,
		.jumped = inst.flags & STF_INST_F_TAKEN,
		.jumped_in = inst.flags & STF_INST_F_FORCE_PC,
		.marked = true,
	};
	if (t->find_data) {
		insn->data = insn_data_of(insn->opcode, insn->size, t->rv32);
		insn->data.mem_bits = stf_reader_params(t->stf)->mem_bits;
	}
	if (inst.flags & (t->find_data ? with_data : STF_INST_F_EVENT) &&
	    look_into_group(t, insn) < 0)
		return stf_failed(t);
	return 1;
}

/* To where the instruction before the one at work was. */
static void read_next(struct insn_trace *t)
{
	struct traced_insn *next = &t->insns[t->insn == t->insns];

	t->more = t->is_csv ? next_of_csv(t, next) : next_of_stf(t, next);
	t->next = t->more > 0 ? next : NULL;
}

int insn_trace_next(struct insn_trace *t)
{
	if (!t->begun)
		read_next(t);
	t->begun = true;
	if (!t->next)
		return t->more;
	t->insn = t->next;
	read_next(t);
	return 1;
}

void insn_trace_close(struct insn_trace *t)
{
	csv_close(t->csv);
	stf_inst_iter_free(t->iter);
	stf_reader_close(t->stf);
}
