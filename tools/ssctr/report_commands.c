// SPDX-License-Identifier: GPL-2.0-only
#include "report_commands.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/plain.h"
#include "base/saturate.h"
#include "page.h"
#include "samples/comms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* NULL: out of memory. */
static struct report_command *command_of(struct report_commands *commands, struct hash *index,
					 const char *name)
{
	const uint32_t hash = hash_bytes(0, name, strlen(name));
	struct report_command *command;
	struct hash_slot *slot;

	if (!hash_room(index) || !array_room(&commands->v, commands->nr, &commands->cap,
					     sizeof(*commands->v)))
		return NULL;
	hash_for_each(index, slot, hash) {
		command = &commands->v[slot->number - 1];
		if (!strcmp(command->name, name))
			return command;
	}
	hash_put(index, slot, hash, commands->nr);
	command = &commands->v[commands->nr++];
	*command = (struct report_command){ 0 };
	memcpy(command->name, name, strlen(name));
	return command;
}

static int most_first(const void *va, const void *vb)
{
	const struct report_command *a = va, *b = vb;

	if (a->events != b->events)
		return a->events > b->events ? -1 : 1;
	return strcmp(a->name, b->name);
}

bool report_commands_make(struct report_commands *commands,
			  const struct report_threads *threads)
{
	struct report_command *command = NULL;
	struct hash index = { 0 };
	size_t i;

	for (i = 0; i < threads->nr; i++) {
		command = command_of(commands, &index, threads->v[i].name);
		if (!command)
			break;
		command->threads++;
		command->samples += threads->v[i].samples;
		command->events = saturate_plus(command->events, threads->v[i].events);
		commands->samples += threads->v[i].samples;
		commands->events = saturate_plus(commands->events, threads->v[i].events);
	}
	hash_free(&index);
	if (commands->nr)
		qsort(commands->v, commands->nr, sizeof(*commands->v), most_first);
	return i == threads->nr;
}

void report_commands_free(struct report_commands *commands)
{
	free(commands->v);
	*commands = (struct report_commands){ 0 };
}

static double share(const struct report_commands *commands, const struct report_command *command)
{
	return commands->events ? (double)command->events / (double)commands->events : 0;
}

void report_commands_text(const struct report_commands *commands, uint64_t limit, FILE *file)
{
	size_t i;

	fprintf(file, "%" PRIu64 " samples of %zu commands\n", commands->samples, commands->nr);
	if (commands->nr)
		fprintf(file, "\n%10s  %6s  %8s  command\n", "samples", "share", "threads");
	for (i = 0; i < commands->nr && i < limit; i++) {
		const struct report_command *c = &commands->v[i];

		fprintf(file, "%10" PRIu64 "  %5.1f%%  %8" PRIu32 "  ", c->samples,
			100 * share(commands, c), c->threads);
		plain_put(file, *c->name ? c->name : COMMS_UNKNOWN);
		putc('\n', file);
	}
}

void report_commands_json(const struct report_commands *commands, uint64_t limit,
			  struct text *text)
{
	size_t i;

	text_str(text, ",\"commands\":[");
	for (i = 0; i < commands->nr && i < limit; i++) {
		const struct report_command *c = &commands->v[i];

		text_json_dec(text, i ? ",{\"samples\":" : "{\"samples\":", c->samples);
		text_json_share(text, ",\"share\":", share(commands, c));
		text_json_dec(text, ",\"threads\":", c->threads);
		if (*c->name)
			text_json_str(text, ",\"command\":", c->name);
		text_str(text, "}");
	}
	text_str(text, "]");
}

/* The rows have no class, so they stay if a binary is selected. */
void report_commands_html(const struct report_commands *commands, uint64_t limit, FILE *file)
{
	size_t i;

	fputs("<h2>Commands</h2>\n<p>The share is that of all that the event counted in the samples. Threads are those that had samples.</p>\n"
	      "<div class=\"scroll\">\n<table>\n<tr><th>samples</th><th>share</th><th>threads</th><th>command</th></tr>\n",
	      file);
	for (i = 0; i < commands->nr && i < limit; i++) {
		const struct report_command *c = &commands->v[i];

		fputs("<tr>", file);
		page_number_cell(file, c->samples);
		fprintf(file, "<td class=\"n\">%.1f%%</td>", 100 * share(commands, c));
		page_number_cell(file, c->threads);
		page_cell(file, *c->name ? c->name : COMMS_UNKNOWN);
		fputs("</tr>\n", file);
	}
	fputs("</table>\n</div>\n", file);
}
