// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr info` found, for programs: one object. */
#include <string.h>

#include "info.h"
#include "record_json.h"

/* A member of an object, "name":value. */
static void count(struct text *text, bool first, const char *name,
		  uint64_t value)
{
	text_str(text, first ? "" : ",");
	text_json(text, name, strlen(name));
	text_json_dec(text, ":", value);
}

void info_json_header(struct info *info, const struct stf_record *rec)
{
	struct text *text = &info->text;

	text_str(text, rec->desc == STF_IDENTIFIER ? "{\"header\":[{" : ",{");
	record_json(text, rec);
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

static void print_records(struct text *text, const struct info *info)
{
	bool first = true;
	unsigned int i;

	text_json_dec(text, ",\"records\":", info->stats.records);
	text_str(text, ",\"records_by_kind\":{");
	for (i = 0; i < 256; i++) {
		if (!info->records[i])
			continue;
		count(text, first, stf_desc_name(i), info->records[i]);
		first = false;
	}
	text_str(text, "}");
}

static void print_instructions(struct text *text, const struct info *info)
{
	unsigned int i;

	text_json_dec(text, ",\"instructions\":", info->stats.instructions);
	text_json_dec(text, ",\"instructions_16_bit\":", info->size16);
	text_str(text, ",\"mix\":{");
	for (i = 0; i < RV_N_CLASSES; i++)
		count(text, !i, rv_class_name(i), info->classes[i]);
	text_json_dec(text, "},\"taken\":", info->taken);
	text_json_dec(text, ",\"gaps\":", info->gaps);
}

static void print_memory(struct text *text, const struct info *info)
{
	text_json_dec(text, ",\"memory\":{\"reads\":", info->reads.count);
	text_json_dec(text, ",\"read_bytes\":", info->reads.bytes);
	text_json_dec(text, ",\"writes\":", info->writes.count);
	text_json_dec(text, ",\"written_bytes\":", info->writes.bytes);
	text_json_dec(text, ",\"page_bytes\":", 1 << PAGE_SHIFT);
	text_json_dec(text, ",\"data_pages\":", info->data.nr);
	text_json_dec(text, ",\"code_pages\":", info->code.nr);
	/* The numbers of pages are lower bounds. */
	if (info->data.full || info->code.full)
		text_str(text, ",\"more_pages\":true");
	text_str(text, "}");
}

static void print_events(struct text *text, const struct info *info)
{
	char name[STF_EVENT_NAME_MAX];
	unsigned int i;

	text_str(text, ",\"events\":[");
	for (i = 0; i < info->n_events; i++) {
		const struct event_count *event = &info->events[i];
		const char *mode = stf_mode_name((unsigned int)event->mode);

		text_json_dec(text, i ? ",{\"id\":" : "{\"id\":", event->id);
		text_json_str(text, ",\"name\":",
			      stf_event_name(event->id, name));
		if (mode)
			text_json_str(text, ",\"mode\":", mode);
		text_json_dec(text, ",\"count\":", event->count);
		text_str(text, "}");
	}
	text_json_dec(text, "],\"other_events\":", info->other_events);
}

void info_json(struct info *info)
{
	struct text *text = &info->text;

	print_size(text, &info->stats);
	print_records(text, info);
	if (!info->records[STF_TRANSACTION]) {
		print_instructions(text, info);
		print_memory(text, info);
		if (info->records[STF_PROCESS_ID_EXT]) {
			text_json_dec(text, ",\"processes\":", info->n_pids);
			text_json_dec(text, ",\"threads\":", info->n_tids);
		}
		print_events(text, info);
	}
	text_str(text, "}");
	text_line(text);
	text_flush(text);
}
