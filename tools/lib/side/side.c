// SPDX-License-Identifier: GPL-2.0-only
#include "side/side.h"
#include "base/error.h"
#include "side/command.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FIELDS = 6 };

/* What one event of the recording tells, and where. */
struct source {
	enum side_kind kind;
	bool each; /* the kernel wrote a sample each time */
	enum side_dma_op op;
	struct tp_field fields[MAX_FIELDS];
	bool has[MAX_FIELDS];
};

struct side {
	struct tp *tp;
	struct source *sources; /* by struct pd_attr.index */
	unsigned int nr;
};

/* Fields of DMA; those of the other kinds count from 0, too. */
enum {
	DMA_DEVICE,
	DMA_DIR,
	DMA_PHYS,
	DMA_ADDR,
	DMA_SIZE,
	DMA_FULL,
};

/*
 * The tracepoints, by all names that kernels since 6.12 have for them. The fields
 * have to be there; "?" before a name: it may be missing.
 */
static const struct known {
	const char *system, *name;
	enum side_kind kind;
	enum side_dma_op op;
	const char *fields[MAX_FIELDS];
} known[] = {
	{ "raw_syscalls", "sys_enter", SIDE_SYSCALL, 0, { "id", "?args" } },
	{ "raw_syscalls", "sys_exit", SIDE_SYSCALL_END, 0, { "id" } },
	{ "irq", "irq_handler_entry", SIDE_INTERRUPT, 0, { "name" } },
	{ "signal", "signal_deliver", SIDE_SIGNAL, 0, { "sa_handler" } },
#define FAULT(_name) { "exceptions", _name, SIDE_FAULT, 0, { "address", "ip" } }
	FAULT("page_fault_user"),
	FAULT("page_fault_kernel"),
#define ONE_PIECE(_name, _op, _phys)                                           \
	{ "dma", _name, SIDE_DMA, _op,                                         \
	  { "device", "dir", _phys, "dma_addr", "size" } }
#define PIECES(_name, _op, _phys)                                              \
	{ "dma", _name, SIDE_DMA, _op,                                         \
	  { "device", "dir", _phys, "dma_addrs", "lengths", "?full_ents" } }
	ONE_PIECE("dma_map_page", SIDE_DMA_MAP, "phys_addr"),
	ONE_PIECE("dma_map_phys", SIDE_DMA_MAP, "phys_addr"),
	ONE_PIECE("dma_map_resource", SIDE_DMA_MAP, "phys_addr"),
	ONE_PIECE("dma_sync_single_for_device", SIDE_DMA_SYNC_DEVICE, NULL),
	ONE_PIECE("dma_sync_single_for_cpu", SIDE_DMA_SYNC_CPU, NULL),
	PIECES("dma_map_sg", SIDE_DMA_MAP, "phys_addrs"),
	PIECES("dma_sync_sg_for_device", SIDE_DMA_SYNC_DEVICE, NULL),
	PIECES("dma_sync_sg_for_cpu", SIDE_DMA_SYNC_CPU, NULL),
};

static void find_fields(const struct side *side, uint64_t id,
			const struct known *k, struct source *s)
{
	unsigned int i;

	for (i = 0; i < MAX_FIELDS; i++) {
		const char *name = k->fields[i];

		if (!name)
			continue;
		s->has[i] = tp_find_field(side->tp, id, name + (*name == '?'),
					  &s->fields[i]);
		if (!s->has[i] && *name != '?')
			return;
	}
	s->kind = k->kind;
	s->op = k->op;
}

/* What tells of a fault, the best last: the others tell of the same ones. 0: none. */
static unsigned int fault_source(const struct pd_attr *attr)
{
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return 3;
	if (attr->type != PERF_TYPE_SOFTWARE ||
	    !(attr->sample_type & PERF_SAMPLE_ADDR))
		return 0;
	if (attr->config == PERF_COUNT_SW_PAGE_FAULTS)
		return 2;
	return attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
	       attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
}

/* One fault is not to be told twice. */
static void choose_faults(struct side *side, struct pd *pd)
{
	unsigned int i, best = 0;

	for (i = 0; i < side->nr; i++)
		if (side->sources[i].kind == SIDE_FAULT &&
		    fault_source(pd_attr(pd, i)) > best)
			best = fault_source(pd_attr(pd, i));
	for (i = 0; i < side->nr; i++)
		if (side->sources[i].kind == SIDE_FAULT &&
		    fault_source(pd_attr(pd, i)) < best)
			side->sources[i].kind = SIDE_NONE;
}

static void find_source(const struct side *side, const struct pd_attr *attr,
			struct source *s)
{
	const char *system, *name;
	unsigned int i;

	if (attr->type != PERF_TYPE_TRACEPOINT && fault_source(attr))
		s->kind = SIDE_FAULT;
	if (attr->type != PERF_TYPE_TRACEPOINT ||
	    !(attr->sample_type & PERF_SAMPLE_RAW) ||
	    !tp_name(side->tp, attr->config, &system, &name))
		return;
	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].system, system) &&
		    !strcmp(known[i].name, name))
			find_fields(side, attr->config, &known[i], s);
}

/*
 * Did the user have perf leave out events by what they say? No event tells its filter, but
 * the command does. All names that perf has for the events of faults have "fault" in them.
 */
static bool is_filtered(const struct side *side, const struct pd *pd, const struct pd_attr *attr)
{
	const char *system, *name;
	char event[128] = "fault";
	size_t size;
	const char *words = pd_command(pd, &size);

	if (attr->type == PERF_TYPE_TRACEPOINT &&
	    tp_name(side->tp, attr->config, &system, &name))
		snprintf(event, sizeof(event), "%s:%s", system, name);
	return side_command_filters(words, size, event);
}

int side_new(struct side **out, struct pd *pd)
{
	struct side *side = calloc(1, sizeof(*side));
	unsigned int i, nr = pd_nr_attrs(pd);
	const uint8_t *data;
	size_t size;
	int ret;

	*out = NULL;
	if (!side)
		return PD_ENOMEM;
	data = pd_tracing_data(pd, &size);
	ret = tp_new(&side->tp, data, size);
	side->sources = calloc(nr, sizeof(*side->sources));
	if (ret || !side->sources) {
		side_free(side);
		return ret == ERROR_INPUT ? PD_ECORRUPT : PD_ENOMEM;
	}
	side->nr = nr;
	for (i = 0; i < nr; i++) {
		const struct pd_attr *attr = pd_attr(pd, i);

		find_source(side, attr, &side->sources[i]);
		side->sources[i].each = !attr->freq && attr->sample_period == 1 &&
					!is_filtered(side, pd, attr);
	}
	choose_faults(side, pd);
	*out = side;
	return 0;
}

void side_free(struct side *side)
{
	if (!side)
		return;
	tp_free(side->tp);
	free(side->sources);
	free(side);
}

bool side_has(const struct side *side, enum side_kind kind)
{
	unsigned int i;

	for (i = 0; i < side->nr; i++)
		if (side->sources[i].kind == kind)
			return true;
	return false;
}

enum side_extent side_extent(const struct side *side, enum side_kind kind)
{
	unsigned int i;

	for (i = 0; i < side->nr; i++)
		if (side->sources[i].kind == kind && !side->sources[i].each)
			return SIDE_SOME_EVENTS;
	return side_has(side, kind) ? SIDE_ALL_EVENTS : SIDE_NO_EVENTS;
}

/*
 * Which interrupt runs a handler of that name. The interrupts of the hart itself
 * have drivers of their own; all others come by the external one.
 */
static unsigned int cause_of(const char *name, size_t size)
{
	static const struct {
		const char *name;
		unsigned int cause;
	} own[] = {
		{ "IPI", 1 },
		{ "riscv-timer", 5 },
		{ "riscv-pmu", 13 },
	};
	const unsigned int external = 9;
	unsigned int i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (size == strlen(own[i].name) &&
		    !memcmp(own[i].name, name, size))
			return own[i].cause;
	return external;
}

/* A text up to its NUL. */
static bool read_text(const struct tp_field *field, const struct pd_sample *s,
		      const char **text, unsigned int *size)
{
	const uint8_t *p;
	uint32_t n;

	if (!tp_array(field, s->raw, s->raw_size, &p, &n))
		return false;
	*text = (const char *)p;
	*size = strnlen(*text, n);
	return true;
}

static bool read_interrupt(const struct source *src, const struct pd_sample *s,
			   unsigned int *cause)
{
	unsigned int size;
	const char *name;

	if (!read_text(&src->fields[0], s, &name, &size))
		return false;
	*cause = cause_of(name, size);
	return true;
}

struct rv_regs side_regs(const struct pd_sample *sample)
{
	const struct pd_regs *from = &sample->regs_user;
	struct rv_regs regs = { .known = 0 };
	const uint8_t *p = from->values;
	unsigned int i;

	if (from->abi != PERF_SAMPLE_REGS_ABI_64 || !p)
		return regs;
	/* The first one is the pc; x1 to x31 have their numbers. */
	for (i = 0; i < 32; i++) {
		if (!(from->mask >> i & 1))
			continue;
		if (i)
			memcpy(&regs.x[i], p, 8);
		p += 8;
	}
	regs.known = from->mask & ~UINT64_C(1);
	return regs;
}

static bool read_signal(const struct source *src, const struct pd_sample *s,
			struct side_signal *signal)
{
	const struct pd_regs *regs = &s->regs_user;

	signal->pc = 0;
	if (regs->abi == PERF_SAMPLE_REGS_ABI_64 && regs->values && regs->mask & 1)
		memcpy(&signal->pc, regs->values, 8);
	if (!tp_number(&src->fields[0], s->raw, s->raw_size, &signal->handler))
		return false;
	if (signal->handler == (uintptr_t)SIG_IGN)
		signal->handler = 0;
	return true;
}

static bool read_fault(const struct source *src, const struct pd_event *ev,
		       struct side_event *out)
{
	const struct pd_sample *s = &ev->sample;

	out->fault.regs = side_regs(s);
	if (ev->attr->type != PERF_TYPE_TRACEPOINT) {
		out->fault.pc = s->ip;
		out->fault.addr = s->addr;
		return true;
	}
	return tp_number(&src->fields[0], s->raw, s->raw_size,
			 &out->fault.addr) &&
	       tp_number(&src->fields[1], s->raw, s->raw_size, &out->fault.pc);
}

/* The addresses and sizes of several pieces. */
static bool read_pieces(const struct source *src, const struct pd_sample *s,
			struct side_dma *dma)
{
	const struct tp_field *f = src->fields;
	uint32_t addrs, sizes, phys;
	uint64_t full;
	const uint8_t *p;

	if (!f[DMA_ADDR].size || !f[DMA_SIZE].size ||
	    !tp_array(&f[DMA_ADDR], s->raw, s->raw_size, &dma->addrs, &addrs) ||
	    !tp_array(&f[DMA_SIZE], s->raw, s->raw_size, &dma->sizes, &sizes))
		return false;
	dma->nr = sizes / f[DMA_SIZE].size;
	if (addrs / f[DMA_ADDR].size < dma->nr)
		return false;
	dma->addr_field = &f[DMA_ADDR];
	dma->size_field = &f[DMA_SIZE];
	/* An IOMMU may make one piece of many: its sizes are the bus's, then. */
	if (src->has[DMA_PHYS] && f[DMA_PHYS].size &&
	    tp_array(&f[DMA_PHYS], s->raw, s->raw_size, &p, &phys) &&
	    phys / f[DMA_PHYS].size == dma->nr) {
		dma->addr_field = &f[DMA_PHYS];
		dma->addrs = p;
		dma->physical = true;
	}
	if (src->has[DMA_FULL] &&
	    tp_number(&f[DMA_FULL], s->raw, s->raw_size, &full) &&
	    full > dma->nr && full <= INT32_MAX)
		dma->left_out = full - dma->nr;
	return true;
}

static bool read_dma(const struct source *src, const struct pd_sample *s,
		     struct side_dma *dma)
{
	const struct tp_field *f = src->fields;
	uint64_t dir;

	*dma = (struct side_dma){ .op = src->op };
	if (!read_text(&f[DMA_DEVICE], s, &dma->device, &dma->device_size) ||
	    !tp_number(&f[DMA_DIR], s->raw, s->raw_size, &dir) ||
	    dir > SIDE_DMA_FROM_DEVICE)
		return false;
	dma->dir = dir;
	if (f[DMA_SIZE].is_array)
		return read_pieces(src, s, dma);
	dma->nr = 1;
	dma->physical = src->has[DMA_PHYS];
	return tp_number(&f[dma->physical ? DMA_PHYS : DMA_ADDR], s->raw,
			 s->raw_size, &dma->addr) &&
	       tp_number(&f[DMA_SIZE], s->raw, s->raw_size, &dma->size);
}

/* ioctl(fd, PERF_EVENT_IOC_ENABLE or _DISABLE) */
static bool read_switches(const struct source *src, const struct pd_sample *s, uint64_t number)
{
	const uint64_t ioctl = 29;
	struct tp_field second = src->fields[1];
	uint64_t request;

	if (!src->has[1] || number != ioctl)
		return false;
	second.size = sizeof(request);
	second.offset += sizeof(request);
	return tp_number(&second, s->raw, s->raw_size, &request) &&
	       (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE);
}

bool side_read(struct side *side, const struct pd_event *ev,
	       struct side_event *out)
{
	const struct source *src;
	bool ok = false;

	out->kind = SIDE_NONE;
	/* A pipe may describe an event late; it is none of those known here. */
	if (ev->attr->index >= side->nr)
		return false;
	src = &side->sources[ev->attr->index];
	switch (src->kind) {
	case SIDE_NONE:
		return false;
	case SIDE_SYSCALL:
	case SIDE_SYSCALL_END:
		ok = tp_number(&src->fields[0], ev->sample.raw,
			       ev->sample.raw_size, &out->syscall);
		out->switches = ok && read_switches(src, &ev->sample, out->syscall);
		break;
	case SIDE_FAULT:
		ok = read_fault(src, ev, out);
		break;
	case SIDE_INTERRUPT:
		ok = read_interrupt(src, &ev->sample, &out->cause);
		break;
	case SIDE_SIGNAL:
		ok = read_signal(src, &ev->sample, &out->signal);
		break;
	case SIDE_DMA:
		ok = read_dma(src, &ev->sample, &out->dma);
		break;
	}
	if (ok)
		out->kind = src->kind;
	return ok;
}

void side_dma_piece(const struct side_dma *dma, unsigned int i, uint64_t *addr,
		    uint64_t *size)
{
	if (!dma->addrs) {
		*addr = dma->addr;
		*size = dma->size;
		return;
	}
	*addr = tp_element(dma->addr_field, dma->addrs, i);
	*size = tp_element(dma->size_field, dma->sizes, i);
}
