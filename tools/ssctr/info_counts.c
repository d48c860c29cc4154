// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr info` of a counts file, for people and for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "countfile/shares.h"
#include "base/hex.h"
#include "base/units.h"
#include "info.h"
#include "samples/samples.h"
#include "tally/note.h"

enum {
	LONGEST_LIST = 20, /* of sources and of binaries, for people */
	HEX = 2 * 20 + 1, /* a build id or a label, as text */
};

/* A counts file that was read. */
struct counts_info {
	const struct cf_head *head;
	struct cf_shares shares;
	uint64_t size; /* bytes of the file; 0: it is a pipe */
};

/* Of all instructions that ran. Without all transfers, it is not known what ran between them. */
static bool knows_shares(const struct counts_info *info)
{
	return info->head->all_branches && info->shares.insns > 0;
}

/* -1: not known. */
static double share_of(const struct counts_info *info, const struct cf_share *share)
{
	return knows_shares(info) ? share->insns / info->shares.insns : -1;
}

static bool has_counts(const struct cf_share *share)
{
	return share->transfers || share->samples;
}

/* -------------------------------------------------------------- for people */

static void print_time(uint64_t seconds)
{
	time_t t = (time_t)seconds;
	char text[64] = "";
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%F %T", &tm))
		snprintf(text, sizeof(text), "%" PRIu64 " s since 1970", seconds);
	printf("%s", text);
}

static void print_times(const struct cf_head *head)
{
	printf("time             ");
	if (!head->end) {
		printf("not known\n");
		return;
	}
	print_time(head->begin);
	printf(" to ");
	print_time(head->end);
	printf(" UTC%s\n", head->untimed ? ", of the sources whose time is known" : "");
}

static void print_sources(const struct cf_head *head)
{
	char text[HEX];
	size_t i;

	printf("sources          %zu\n", head->nr_sources);
	for (i = 0; i < head->nr_sources && i < LONGEST_LIST; i++) {
		const struct cf_source *s = &head->sources[i];

		printf("                 %s", hex_text(text, s->label, sizeof(s->label)));
		if (s->first == s->last)
			printf(" period %" PRIu64 "\n", s->first);
		else
			printf(" periods %" PRIu64 " to %" PRIu64 "\n", s->first, s->last);
	}
	if (i < head->nr_sources)
		printf("                 and %zu more, which --json prints\n",
		       head->nr_sources - i);
}

static void print_event(struct text *line, const struct cf_event *event)
{
	double coverage = tally_coverage(event);

	printf("event            ");
	fflush(stdout);
	text_quoted(line, event->name, strlen(event->name));
	text_line(line);
	text_flush(line);
	printf("                 %" PRIu64 " samples", event->samples);
	if (coverage < 0)
		printf(", coverage not known\n");
	else
		printf(", which cover %.1f %% of %" PRIu64 "%s\n", units_percent(coverage),
		       event->count,
		       coverage < SAMPLES_ENOUGH ? "; the rest is missing (docs/trouble.md)" : "");
}

static void print_counts(const struct counts_info *info)
{
	const struct cf_head *head = info->head;

	printf("depth            %" PRIu32 "\n", head->depth);
	printf("samples          %" PRIu64, head->samples);
	/* Of selected binaries, more of them may have none. */
	if (head->empty)
		printf(", %" PRIu64 " of them with an empty branch stack", head->empty);
	printf("\n");
	printf("transfers        %" PRIu64 "%s\n", head->entries,
	       head->all_branches ? "" : "; not all kinds were recorded");
	printf("different        %" PRIu64 " steps, %" PRIu64 " addresses of samples\n",
	       info->shares.steps, info->shares.places);
	if (head->lost)
		printf("lost             %" PRIu64 " samples\n", head->lost);
	if (head->dropped)
		printf("dropped          %" PRIu64 " samples, by a limit of the collector\n",
		       head->dropped);
	if (head->left_out)
		printf("left out         %" PRIu64 " transfers, when files were merged\n",
		       head->left_out);
	if (info->shares.lacking)
		printf("not in shares    %.1f %% of the transfers by weight, to memory without a file whose lines have no length; count the recordings again\n",
		       units_percent((double)info->shares.lacking / (double)head->weight));
	if (head->by_events)
		printf("weights          stand for events%s\n",
		       head->mixed ? ", and those of some sources for samples" : "");
	if (head->scaled)
		printf("scaled           a factor or an age changed the counts\n");
}

static void print_binary(struct text *line, const struct counts_info *info,
			 const struct cf_share *share)
{
	const struct cf_binary *b = &info->head->binaries[share->binary];
	double part = share_of(info, share);
	char text[HEX];

	if (part < 0)
		printf("%13s    ", "-");
	else
		printf("%13.1f %%  ", 100 * part);
	fflush(stdout);
	text_quoted(line, b->name, strlen(b->name));
	text_line(line);
	text_flush(line);
	if (b->build_id_size)
		printf("                   build id %s\n",
		       hex_text(text, b->build_id, b->build_id_size));
}

static void print_binaries(struct text *line, const struct counts_info *info)
{
	const struct cf_shares *shares = &info->shares;
	size_t i, nr = 0;

	for (i = 0; i < shares->nr; i++)
		nr += has_counts(&shares->v[i]);
	printf("binaries         %zu, by their share of %s\n", nr,
	       knows_shares(info) ? "the instructions that ran" : "what ran, which is not known");
	for (i = 0; i < nr && i < LONGEST_LIST; i++)
		print_binary(line, info, &shares->v[i]);
	if (i < nr)
		printf("                 and %zu more, which --json prints\n", nr - i);
}

static void print_text(struct text *line, const struct counts_info *info)
{
	const struct cf_head *head = info->head;
	size_t i;

	printf("counts file      version %d\n", CF_VERSION);
	if (info->size)
		printf("size             %" PRIu64 " bytes\n", info->size);
	print_sources(head);
	print_times(head);
	for (i = 0; i < head->nr_events; i++)
		print_event(line, &head->events[i]);
	print_counts(info);
	print_binaries(line, info);
}

/* ------------------------------------------------------------ for programs */

static void json_flag(struct text *text, const char *name, bool value)
{
	text_str(text, name);
	text_str(text, value ? "true" : "false");
}

static void json_sources(struct text *text, const struct cf_head *head)
{
	char label[HEX];
	size_t i;

	text_str(text, ",\"sources\":[");
	for (i = 0; i < head->nr_sources; i++) {
		const struct cf_source *s = &head->sources[i];

		text_json_str(text, i ? ",{\"label\":" : "{\"label\":",
			      hex_text(label, s->label, sizeof(s->label)));
		text_json_dec(text, ",\"first\":", s->first);
		text_json_dec(text, ",\"last\":", s->last);
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void json_events(struct text *text, const struct cf_head *head)
{
	size_t i;

	text_str(text, ",\"events\":[");
	for (i = 0; i < head->nr_events; i++) {
		const struct cf_event *e = &head->events[i];

		text_json_str(text, i ? ",{\"name\":" : "{\"name\":", e->name);
		text_json_dec(text, ",\"samples\":", e->samples);
		text_json_dec(text, ",\"covered\":", e->covered);
		text_json_dec(text, ",\"count\":", e->count);
		text_json_dec(text, ",\"unknown\":", e->unknown);
		text_json_share(text, ",\"coverage\":", tally_coverage(e));
		text_str(text, "}");
	}
	text_str(text, "]");
}

/* A time of the head, which is 0 if it is not known. */
static void json_time(struct text *text, const char *name, uint64_t value)
{
	if (value) {
		text_json_dec(text, name, value);
		return;
	}
	text_str(text, name);
	text_str(text, "null");
}

static void json_counts(struct text *text, const struct counts_info *info)
{
	const struct cf_head *head = info->head;

	json_time(text, ",\"begin\":", head->begin);
	json_time(text, ",\"end\":", head->end);
	json_flag(text, ",\"times_missing\":", head->untimed || !head->end);
	text_json_dec(text, ",\"depth\":", head->depth);
	text_json_dec(text, ",\"samples\":", head->samples);
	text_json_dec(text, ",\"empty\":", head->empty);
	text_json_dec(text, ",\"addresses\":", info->shares.places);
	text_json_dec(text, ",\"steps\":", info->shares.steps);
	text_json_dec(text, ",\"transfers\":", head->entries);
	text_json_dec(text, ",\"weight\":", head->weight);
	text_json_dec(text, ",\"lost\":", head->lost);
	text_json_dec(text, ",\"dropped\":", head->dropped);
	text_json_dec(text, ",\"left_out\":", head->left_out);
	text_json_dec(text, ",\"left_out_weight\":", head->left_out_weight);
	text_json_dec(text, ",\"not_in_shares_weight\":", info->shares.lacking);
	json_flag(text, ",\"all_branches\":", head->all_branches);
	json_flag(text, ",\"scaled\":", head->scaled);
	json_flag(text, ",\"by_events\":", head->by_events);
	json_flag(text, ",\"mixed\":", head->mixed);
}

static void json_binary(struct text *text, const struct counts_info *info,
			const struct cf_share *share)
{
	const struct cf_binary *b = &info->head->binaries[share->binary];
	char id[HEX];

	text_json_str(text, "{\"name\":", b->name);
	if (b->build_id_size)
		text_json_str(text, ",\"build_id\":", hex_text(id, b->build_id, b->build_id_size));
	json_flag(text, ",\"kernel\":", b->kernel);
	if (b->symbol)
		text_json_str(text, ",\"symbol\":", b->symbol);
	text_json_dec(text, ",\"transfers\":", share->transfers);
	text_json_dec(text, ",\"weight\":", share->weight);
	text_json_share(text, ",\"share\":", share_of(info, share));
	text_json_dec(text, ",\"samples\":", share->samples);
	text_str(text, "}");
}

static void print_json(struct text *text, const struct counts_info *info)
{
	const struct cf_shares *shares = &info->shares;
	size_t i, nr = 0;

	text_json_dec(text, "{\"version\":", CF_VERSION);
	if (info->size)
		text_json_dec(text, ",\"file_bytes\":", info->size);
	json_sources(text, info->head);
	json_events(text, info->head);
	json_counts(text, info);
	text_str(text, ",\"binaries\":[");
	for (i = 0; i < shares->nr; i++) {
		if (!has_counts(&shares->v[i]) && shares->v[i].binary < CF_FIRST_BINARY)
			continue;
		text_str(text, nr++ ? "," : "");
		json_binary(text, info, &shares->v[i]);
	}
	text_str(text, "]}");
	text_line(text);
	text_flush(text);
}

int info_counts(const char *path, bool json, struct error *error)
{
	struct counts_info info = { .size = 0 };
	struct text text = { .len = 0 };
	struct cf_reader *reader;
	struct stat st;
	int ret = cf_reader_open(&reader, path, error);

	if (ret)
		return ret;
	info.head = cf_reader_head(reader);
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		info.size = (uint64_t)st.st_size;
	ret = cf_shares_read(&info.shares, reader, error);
	if (!ret && json)
		print_json(&text, &info);
	else if (!ret)
		print_text(&text, &info);
	cf_shares_free(&info.shares);
	cf_reader_close(reader);
	return ret;
}
