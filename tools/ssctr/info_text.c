// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr info` found, for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "info.h"
#include "origin/coverage.h"

static void print_text(struct text *line, const char *label,
		       const struct stf_text *text)
{
	text_str(line, label);
	text_quoted(line, text->data, text->size);
	text_line(line);
	text_flush(line);
}

static void print_trace_info(struct text *line,
			     const struct stf_trace_info *trace_info)
{
	const char *name = stf_generator_name(trace_info->generator);

	printf("generator        %s (%u) %u.%u.%u\n", name ? name : "unknown",
	       trace_info->generator, trace_info->major, trace_info->minor,
	       trace_info->patch);
	print_text(line, "                 ", &trace_info->text);
}

static void print_features(uint64_t features)
{
	unsigned int i;

	printf("features         0x%" PRIx64, features);
	for (i = 0; i < 64; i++) {
		uint64_t bit = UINT64_C(1) << i;
		const char *name = stf_feature_name(bit);

		if (features & bit && name)
			printf(" %s", name);
		else if (features & bit)
			printf(" 0x%" PRIx64, bit);
	}
	printf("\n");
}

static const char *isa_name(unsigned int isa)
{
	static const char *const names[] = {
		[STF_ISA_RISCV] = "RISC-V", [STF_ISA_ARM] = "Arm",
		[STF_ISA_X86] = "x86", [STF_ISA_POWER] = "Power",
	};

	return isa && isa <= STF_ISA_POWER ? names[isa] : "unknown";
}

/* A line of the trace's origin. False: it is a comment of another kind. */
static bool print_origin(struct text *line, const struct stf_text *comment)
{
	static const char *const labels[ORIGIN_N_KEYS] = {
		[ORIGIN_COMMAND] = "command          ",
		[ORIGIN_HOST] = "host             ",
		[ORIGIN_KERNEL] = "kernel           ",
		[ORIGIN_ARCH] = "arch             ",
	};
	struct origin_event event;
	struct origin_line of;

	if (origin_line(&of, comment->data, comment->size) == ORIGIN_EVENT &&
	    origin_read_event(&event, &of)) {
		printf("event %-10" PRIu64 " ", event.number);
		print_text(line, "", &(struct stf_text){ event.name, (uint32_t)event.size });
		printf("                 %s %" PRIu64 "\n",
		       event.frequency ? "frequency" : "period", event.period);
	} else if (labels[of.key]) {
		print_text(line, labels[of.key],
			   &(struct stf_text){ of.value, (uint32_t)of.size });
	} else {
		return of.key == ORIGIN_FORM || of.key == ORIGIN_MAP;
	}
	return true;
}

void info_text_header(struct text *line, const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_VERSION:
		printf("version          %" PRIu32 ".%" PRIu32 "\n",
		       rec->version.major, rec->version.minor);
		break;
	case STF_COMMENT:
		if (!print_origin(line, &rec->text))
			print_text(line, "comment          ", &rec->text);
		break;
	case STF_ISA:
		printf("isa              %s (%u)\n", isa_name(rec->isa),
		       rec->isa);
		break;
	case STF_INST_IEM:
		printf("encoding         %s (%u)\n",
		       rec->iem == STF_IEM_RV64 ? "RV64" :
		       rec->iem == STF_IEM_RV32 ? "RV32" : "unknown", rec->iem);
		break;
	case STF_TRACE_INFO:
		print_trace_info(line, &rec->trace_info);
		break;
	case STF_TRACE_INFO_FEATURE:
		print_features(rec->features);
		break;
	case STF_PROCESS_ID_EXT:
		printf("process          hart %" PRIu32 ", pid %" PRIu32
		       ", tid %" PRIu32 "\n", rec->process.hart,
		       rec->process.pid, rec->process.tid);
		break;
	case STF_FORCE_PC:
		printf("first pc         0x%" PRIx64 "\n", rec->pc);
		break;
	case STF_VLEN_CONFIG:
		printf("vlen             %" PRIu32 " bits\n", rec->vlen);
		break;
	case STF_PROTOCOL_ID:
		printf("protocol         %s (%u)\n",
		       rec->protocol == STF_PROTOCOL_TILELINK ? "TileLink" :
								"unknown",
		       rec->protocol);
		break;
	case STF_CLOCK_ID:
		printf("clock %-10u ", rec->clock.id);
		print_text(line, "", &rec->clock.name);
		break;
	case STF_ISA_EXTENDED:
		print_text(line, "isa string       ", &rec->text);
		break;
	}
}

static const char *container_name(enum stf_container container)
{
	static const char *const names[] = {
		[STF_CONTAINER_PLAIN] = "none", [STF_CONTAINER_ZSTF] = ".zstf",
		[STF_CONTAINER_GZ] = "gzip", [STF_CONTAINER_XZ] = "xz",
		[STF_CONTAINER_ZSTD] = "zstd",
	};

	return names[container];
}

/* what: each of them closes a group */
static void print_size(const struct stf_stats *stats, const char *what)
{
	printf("container        %s", container_name(stats->container));
	if (stats->chunks)
		printf(": %" PRIu64 " chunk%s of up to %" PRIu64
		       " %ss%s", stats->chunks,
		       stats->chunks == 1 ? "" : "s", stats->chunk_markers, what,
		       stats->recovered ? ", without an index" : "");
	printf("\nsize             %" PRIu64 " bytes", stats->file_bytes);
	if (stats->container != STF_CONTAINER_PLAIN)
		printf(", %" PRIu64 " uncompressed (%.1f times)",
		       stats->trace_bytes,
		       (double)stats->trace_bytes / (double)stats->file_bytes);
	printf("\n");
	if (stats->instructions)
		printf("per %s  %.2f bytes, %.2f uncompressed\n", what,
		       (double)stats->file_bytes / (double)stats->instructions,
		       (double)stats->trace_bytes /
			       (double)stats->instructions);
}

static void print_mix(const struct stats *stats)
{
	double all = (double)stats->file.instructions / 100;
	unsigned int i;

	printf("instructions     %" PRIu64 ", %" PRIu64 " of them of 16 bits\n",
	       stats->file.instructions, stats->size16);
	if (stats->interrupted)
		printf("interrupted      %" PRIu64 " of them, which did not execute\n",
		       stats->interrupted);
	for (i = 0; i < RV_N_CLASSES; i++)
		if (stats->classes[i])
			printf("%16" PRIu64 "  %-8s %5.1f %%\n",
			       stats->classes[i], rv_class_name(i),
			       (double)stats->classes[i] / all);
	printf("taken branches   %" PRIu64 "\n", stats->taken);
	/* What ran before, after and between its parts is another question. */
	printf("gaps             %" PRIu64 " within the trace\n", stats->gaps);
}

static void print_pages(const char *label, const struct stats_set *pages)
{
	if (pages->nr)
		printf("%s%zu%s of 4 KiB\n", label, pages->nr,
		       pages->full ? " or more" : "");
}

static void print_memory(const struct stats *stats)
{
	if (stats->reads.count + stats->writes.count)
		printf("memory reads     %" PRIu64 ", %" PRIu64 " bytes\n"
		       "memory writes    %" PRIu64 ", %" PRIu64 " bytes\n",
		       stats->reads.count, stats->reads.bytes,
		       stats->writes.count, stats->writes.bytes);
	print_pages("data pages       ", &stats->data.set);
	print_pages("code pages       ", &stats->code.set);
}

static void print_events(const struct stats *stats)
{
	char name[STF_EVENT_NAME_MAX];
	unsigned int i;

	if (stats->n_events)
		printf("events\n");
	for (i = 0; i < stats->n_events; i++) {
		const struct stats_event *event = &stats->events[i];
		const char *mode = stf_mode_name((unsigned int)event->mode);

		printf("%16" PRIu64 "  %s%s%s\n", event->count,
		       stf_event_name(event->id, name), mode ? " " : "",
		       mode ? mode : "");
	}
	if (stats->other_events)
		printf("%16" PRIu64 "  of other kinds\n", stats->other_events);
}

/* The files whose code the trace has. */
static void print_files(struct text *line, const struct origin_maps *maps)
{
	size_t i;

	if (maps->nr_files)
		printf("files            %zu%s\n", maps->nr_files,
		       maps->files_full ? " or more" : "");
	for (i = 0; i < maps->nr_files; i++) {
		const struct origin_file *file = &maps->files[i];
		unsigned int k;

		print_text(line, "                 ", &(struct stf_text){
				   file->name, (uint32_t)strlen(file->name) });
		if (!file->build_id_size)
			continue;
		printf("                   build id ");
		for (k = 0; k < file->build_id_size; k++)
			printf("%02x", file->build_id[k]);
		printf("\n");
	}
}

void info_text(struct text *line, const struct stats *stats, bool ended)
{
	const struct origin_coverage coverage = origin_coverage(&stats->origin);
	char held[ORIGIN_TEXT_MAX];
	unsigned int i;

	print_size(&stats->file,
		   stats->records[STF_TRANSACTION] ? "transaction" : "instruction");
	if (!ended)
		printf("The trace has a fault, or its end is missing. The counts end there.\n");
	printf("records          %" PRIu64 "\n", stats->file.records);
	for (i = 0; i < 256; i++)
		if (stats->records[i])
			printf("%16" PRIu64 "  %s\n", stats->records[i],
			       stf_desc_name(i));
	if (stats->records[STF_TRANSACTION])
		return;
	printf("coverage         %s\n",
	       origin_coverage_text(held, sizeof(held), coverage.share));
	if (coverage.repeated > 0)
		printf("repeated         %" PRId64 " instructions " ORIGIN_REPEATED "\n",
		       coverage.repeated);
	print_mix(stats);
	print_memory(stats);
	if (stats->records[STF_PROCESS_ID_EXT])
		printf("processes        %zu\nthreads          %zu\n",
		       stats->pids.nr, stats->tids.nr);
	print_files(line, &stats->origin.maps);
	print_events(stats);
}
