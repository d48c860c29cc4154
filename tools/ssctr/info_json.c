// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr info` found, for programs: one object. */
#include <string.h>

#include "info.h"
#include "dump.h"

/* A member of an object, "name":value. */
static void count(struct text *text, bool first, const char *name,
		  uint64_t value)
{
	text_str(text, first ? "" : ",");
	text_json(text, name, strlen(name));
	text_json_dec(text, ":", value);
}

void info_json_header(struct text *text, const struct stf_record *rec)
{
	text_str(text, rec->desc == STF_IDENTIFIER ? "{\"header\":[{" : ",{");
	dump_json_members(text, rec);
	text_str(text, "}");
}

static const char *container_name(enum stf_container container)
{
	static const char *const names[] = {
		[STF_CONTAINER_PLAIN] = "plain", [STF_CONTAINER_ZSTF] = "zstf",
		[STF_CONTAINER_GZ] = "gzip", [STF_CONTAINER_XZ] = "xz",
		[STF_CONTAINER_ZSTD] = "zstd",
	};

	return names[container];
}

static void print_size(struct text *text, const struct stf_stats *stats)
{
	text_json_str(text, "],\"container\":",
		      container_name(stats->container));
	text_json_dec(text, ",\"file_bytes\":", stats->file_bytes);
	text_json_dec(text, ",\"trace_bytes\":", stats->trace_bytes);
	if (!stats->chunks)
		return;
	text_json_dec(text, ",\"chunks\":", stats->chunks);
	text_json_dec(text, ",\"chunk_markers\":", stats->chunk_markers);
	text_str(text, stats->recovered ? ",\"recovered\":true" :
					  ",\"recovered\":false");
}

static void print_records(struct text *text, const struct stats *stats)
{
	bool first = true;
	unsigned int i;

	text_json_dec(text, ",\"records\":", stats->file.records);
	text_str(text, ",\"records_by_kind\":{");
	for (i = 0; i < 256; i++) {
		if (!stats->records[i])
			continue;
		count(text, first, stf_desc_name(i), stats->records[i]);
		first = false;
	}
	text_str(text, "}");
}

static void print_instructions(struct text *text, const struct stats *stats)
{
	unsigned int i;

	text_json_dec(text, ",\"instructions\":", stats->file.instructions);
	text_json_dec(text, ",\"instructions_16_bit\":", stats->size16);
	text_json_dec(text, ",\"interrupted\":", stats->interrupted);
	text_str(text, ",\"mix\":{");
	for (i = 0; i < RV_N_CLASSES; i++)
		count(text, !i, rv_class_name(i), stats->classes[i]);
	text_json_dec(text, "},\"taken\":", stats->taken);
	text_json_dec(text, ",\"gaps\":", stats->gaps);
}

static void print_memory(struct text *text, const struct stats *stats)
{
	text_json_dec(text, ",\"memory\":{\"reads\":", stats->reads.count);
	text_json_dec(text, ",\"read_bytes\":", stats->reads.bytes);
	text_json_dec(text, ",\"writes\":", stats->writes.count);
	text_json_dec(text, ",\"written_bytes\":", stats->writes.bytes);
	text_json_dec(text, ",\"page_bytes\":", 1 << STATS_PAGE_SHIFT);
	text_json_dec(text, ",\"data_pages\":", stats->data.set.nr);
	text_json_dec(text, ",\"code_pages\":", stats->code.set.nr);
	/* The numbers of pages are lower bounds. */
	if (stats->data.set.full || stats->code.set.full)
		text_str(text, ",\"more_pages\":true");
	text_str(text, "}");
}

static void print_events(struct text *text, const struct stats *stats)
{
	char name[STF_EVENT_NAME_MAX];
	unsigned int i;

	text_str(text, ",\"events\":[");
	for (i = 0; i < stats->n_events; i++) {
		const struct stats_event *event = &stats->events[i];
		const char *mode = stf_mode_name((unsigned int)event->mode);

		text_json_dec(text, i ? ",{\"id\":" : "{\"id\":", event->id);
		text_json_str(text, ",\"name\":",
			      stf_event_name(event->id, name));
		if (mode)
			text_json_str(text, ",\"mode\":", mode);
		text_json_dec(text, ",\"count\":", event->count);
		text_str(text, "}");
	}
	text_json_dec(text, "],\"other_events\":", stats->other_events);
}

static void print_origin_texts(struct text *text, const struct origin *origin)
{
	unsigned int key;

	for (key = 0; key < ORIGIN_N_KEYS; key++) {
		if (!origin->texts[key])
			continue;
		text_fmt(text, ",\"%s\":", origin_key_name(key));
		text_json(text, origin->texts[key], strlen(origin->texts[key]));
	}
}

static void print_origin_events(struct text *text, const struct origin *origin)
{
	unsigned int i;

	text_str(text, ",\"events\":[");
	for (i = 0; i < origin->nr_events; i++) {
		const struct origin_event *event = &origin->events[i];

		text_json_dec(text, i ? ",{\"number\":" : "{\"number\":",
			      event->number);
		text_json_dec(text, event->frequency ? ",\"frequency\":" :
						       ",\"period\":",
			      event->period);
		text_str(text, ",\"name\":");
		text_json(text, event->name, event->size);
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void print_origin_files(struct text *text, const struct origin_maps *maps)
{
	unsigned int k;
	size_t i;

	text_str(text, ",\"files\":[");
	for (i = 0; i < maps->nr_files; i++) {
		const struct origin_file *file = &maps->files[i];

		text_json_str(text, i ? ",{\"name\":" : "{\"name\":", file->name);
		text_str(text, ",\"build_id\":\"");
		for (k = 0; k < file->build_id_size; k++)
			text_fmt(text, "%02x", file->build_id[k]);
		text_str(text, "\"}");
	}
	text_str(text, maps->files_full ? "],\"more_files\":true" : "]");
}

static void print_origin(struct text *text, const struct origin *origin)
{
	if (!origin->version)
		return;
	text_json_dec(text, ",\"origin\":{\"version\":", origin->version);
	print_origin_texts(text, origin);
	print_origin_events(text, origin);
	print_origin_files(text, &origin->maps);
	text_str(text, "}");
}

void info_json(struct text *text, const struct stats *stats, bool ended)
{
	const struct origin_coverage coverage = origin_coverage(&stats->origin);

	print_size(text, &stats->file);
	text_str(text, ended ? ",\"read_to_end\":true" : ",\"read_to_end\":false");
	print_records(text, stats);
	if (!stats->records[STF_TRANSACTION]) {
		text_json_share(text, ",\"coverage\":", coverage.share);
		text_json_known(text, ",\"repeated\":", coverage.repeated);
		print_origin(text, &stats->origin);
		print_instructions(text, stats);
		print_memory(text, stats);
		if (stats->records[STF_PROCESS_ID_EXT]) {
			text_json_dec(text, ",\"processes\":", stats->pids.nr);
			text_json_dec(text, ",\"threads\":", stats->tids.nr);
		}
		print_events(text, stats);
	}
	text_str(text, "}");
	text_line(text);
	text_flush(text);
}
