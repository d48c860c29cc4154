// SPDX-License-Identifier: GPL-2.0-only
#include "insns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csv/csv.h"

struct insns {
	struct csv_reader *csv; /* or the other two */
	struct stf_reader *stf;
	struct stf_inst_iter *iter;
	bool rv32;
	bool find_data;
};

enum form { FORM_ERROR, FORM_CSV, FORM_STF };

static enum form form_of(const char *path, char *error, unsigned int size)
{
	char start[64];
	struct stat st;
	ssize_t n = 0;
	int fd;

	if (!strcmp(path, "-"))
		return FORM_STF;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		n = -1;
	else if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		n = pread(fd, start, sizeof(start), 0);
	if (n < 0)
		snprintf(error, size, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return FORM_ERROR;
	if (csv_is_header(start, n))
		return FORM_CSV;
	if (n >= 8 && (!memcmp(start, "PERFILE2", 8) ||
		       !memcmp(start, "2ELIFREP", 8))) {
		snprintf(error, size,
			 "%s: a recording; make a trace of it with `ssctr stf -i %s -o trace.zstf`",
			 path, path);
		return FORM_ERROR;
	}
	return FORM_STF;
}

static bool open_csv(struct insns *insns, const char *path, char *error,
		     unsigned int size)
{
	if (!csv_reader_open(&insns->csv, path))
		return true;
	snprintf(error, size, "%s", csv_reader_error(insns->csv));
	return false;
}

static bool open_stf(struct insns *insns, const char *path, char *error,
		     unsigned int size)
{
	struct stf_record rec;
	struct stf_error err;
	int ret = 1;

	insns->stf = stf_reader_open(path, NULL, &err);
	if (!insns->stf) {
		if (err.code == STF_E_NOT_STF)
			snprintf(error, size,
				 "%s: neither an STF trace nor an instruction CSV, which starts with \"VALID,ADDRESS,INSN,...\"",
				 path);
		else
			snprintf(error, size, "%s", err.text);
		return false;
	}
	while (ret > 0 && !stf_reader_params(insns->stf)->header_ended)
		ret = stf_reader_next(insns->stf, &rec);
	insns->rv32 = stf_reader_params(insns->stf)->iem == STF_IEM_RV32;
	insns->iter = ret < 0 ? NULL :
		      stf_inst_iter_new(insns->stf, sizeof(struct stf_inst));
	if (insns->iter)
		return true;
	snprintf(error, size, "%s", ret < 0 ? stf_reader_error(insns->stf) :
					      "out of memory");
	return false;
}

struct insns *insns_open(const char *path, char *error, unsigned int size)
{
	enum form form = form_of(path, error, size);
	struct insns *insns;

	if (form == FORM_ERROR)
		return NULL;
	insns = calloc(1, sizeof(*insns));
	if (!insns) {
		snprintf(error, size, "out of memory");
		return NULL;
	}
	if (form == FORM_CSV ? open_csv(insns, path, error, size) :
			       open_stf(insns, path, error, size))
		return insns;
	insns_close(insns);
	return NULL;
}

bool insns_is_csv(const struct insns *insns)
{
	return insns->csv;
}

bool insns_rv32(const struct insns *insns)
{
	return insns->rv32;
}

void insns_set_rv32(struct insns *insns)
{
	insns->rv32 = true;
}

void insns_find_data(struct insns *insns)
{
	insns->find_data = true;
}

static int next_row(struct insns *insns, struct insn *insn)
{
	const uint64_t mask = insns->rv32 ? UINT32_MAX : UINT64_MAX;
	struct csv_row row;
	int ret = csv_reader_next(insns->csv, &row);

	if (ret <= 0)
		return ret;
	*insn = (struct insn){
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
static void take_event(struct insn *insn, const struct stf_event *event)
{
	const unsigned int tval = insn_tval_field(event->id);

	/* Special events are no traps. */
	if (event->id & STF_EVENT_SPECIAL || insn->trap)
		return;
	insn->trap = true;
	insn->interrupt = event->id & STF_EVENT_INTERRUPT;
	insn->cause = event->id & ~STF_EVENT_INTERRUPT;
	insn->tval = event->n_fields > tval ? event->fields[tval] : 0;
}

static int look_into_group(struct insns *insns, struct insn *insn)
{
	struct stf_record rec;
	int ret;

	while ((ret = stf_inst_iter_record(insns->iter, &rec)) > 0) {
		if (rec.desc == STF_EVENT)
			take_event(insn, &rec.event);
		else if (insns->find_data)
			access_find(&insn->found, &insn->access, &rec);
	}
	return ret;
}

static int next_inst(struct insns *insns, struct insn *insn)
{
	const uint16_t leads = STF_INST_F_TAKEN | STF_INST_F_EVENT_TARGET;
	const uint16_t with_data = STF_INST_F_EVENT | STF_INST_F_MEM |
				   STF_INST_F_OTHER;
	struct stf_inst inst;
	int ret = stf_inst_iter_next(insns->iter, &inst);

	if (ret <= 0)
		return ret;
	*insn = (struct insn){
		.pc = inst.pc,
		.target = inst.next_pc,
		.opcode = inst.opcode,
		.size = inst.size,
		/* Traces of user code need not say so. */
		.mode = inst.mode == STF_MODE_UNKNOWN ? STF_MODE_USER : inst.mode,
		.has_target = inst.flags & leads,
		.trap_target = inst.flags & STF_INST_F_EVENT_TARGET,
		.jumped_in = inst.flags & STF_INST_F_FORCE_PC,
		.marked = true,
	};
	if (insns->find_data)
		insn->access = access_of(insn->opcode, insn->size, insns->rv32);
	if (inst.flags & (insns->find_data ? with_data : STF_INST_F_EVENT)) {
		ret = look_into_group(insns, insn);
		if (ret < 0)
			return ret;
	}
	return 1;
}

int insns_next(struct insns *insns, struct insn *insn)
{
	return insns->csv ? next_row(insns, insn) : next_inst(insns, insn);
}

const char *insns_error(const struct insns *insns)
{
	return insns->csv ? csv_reader_error(insns->csv) :
			    stf_reader_error(insns->stf);
}

void insns_close(struct insns *insns)
{
	if (!insns)
		return;
	if (insns->csv)
		csv_reader_close(insns->csv);
	stf_inst_iter_free(insns->iter);
	if (insns->stf)
		stf_reader_close(insns->stf);
	free(insns);
}
