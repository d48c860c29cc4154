// SPDX-License-Identifier: GPL-2.0-only
#include "console/log.h"
#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_LINE = 4096, /* more than the kernel writes at once */
	MAX_CALLERS = 64, /* that die at the same time */
};

/* What the kernel said since the last report. It stands before the module's lines. */
struct heard {
	char what[256], comm[32];
	uint32_t pid, epc;
	bool panicked;
	bool is_whole; /* no more words of this follow */
};

struct caller {
	char name[24]; /* as the log tells it; otherwise "" */
	struct heard heard;
};

struct reader {
	struct con_log *log;
	struct caller callers[MAX_CALLERS]; /* in a ring */
	size_t nr_callers; /* ever */
	bool nomem;
	bool drops; /* there is no room for more reports */
};

static const struct heard silence = { .epc = CON_NOWHERE };

/* Several CPUs may die at the same time, and write line by line. */
static struct heard *heard_of(struct reader *reader, const char *name)
{
	struct caller *caller;
	size_t i;

	for (i = 0; i < reader->nr_callers && i < MAX_CALLERS; i++)
		if (!strcmp(reader->callers[i].name, name))
			return &reader->callers[i].heard;
	caller = &reader->callers[reader->nr_callers++ % MAX_CALLERS];
	caller->heard = silence;
	snprintf(caller->name, sizeof(caller->name), "%s", name);
	return &caller->heard;
}

/* --- functions and places --- */

/* Where to search for a text: of the word with it, or of a new one. */
static struct hash_slot *find_word(const struct con_log *log, const char *text, uint32_t hash)
{
	struct hash_slot *slot;

	hash_for_each(&log->by_text, slot, hash)
		if (!strcmp(log->words[slot->number - 1].text, text))
			break;
	return slot;
}

/* Returns its number, or CON_NOWHERE if out of memory. */
static uint32_t number_word(struct con_log *log, const char *text)
{
	const uint32_t hash = hash_bytes(0, text, strlen(text));
	struct hash_slot *slot;
	char *copy;

	if (!hash_room(&log->by_text) ||
	    !array_room(&log->words, log->nr_words, &log->cap_words, sizeof(*log->words)))
		return CON_NOWHERE;
	slot = find_word(log, text, hash);
	if (slot->number)
		return slot->number - 1;
	copy = strdup(text);
	if (!copy)
		return CON_NOWHERE;
	hash_put(&log->by_text, slot, hash, log->nr_words);
	log->words[log->nr_words] = (struct con_word){ copy, CON_NOWHERE };
	return log->nr_words++;
}

uint32_t con_functions_named(const struct con_log *log, const char *name)
{
	const struct hash_slot *slot;

	if (!log->nr_words)
		return CON_NOWHERE;
	slot = find_word(log, name, hash_bytes(0, name, strlen(name)));
	return slot->number ? log->words[slot->number - 1].functions : CON_NOWHERE;
}

/* Returns its number, or CON_NOWHERE if out of memory. */
static uint32_t number_function(struct con_log *log, const char *name, const char *module,
				uint64_t size)
{
	const uint32_t words[] = { number_word(log, name), number_word(log, module) };
	const uint32_t hash = hash_bytes(hash_u64(size), words, sizeof(words));
	struct con_function *f;
	struct hash_slot *slot;

	if (words[0] == CON_NOWHERE || words[1] == CON_NOWHERE ||
	    !hash_room(&log->by_function) ||
	    !array_room(&log->functions, log->nr_functions, &log->cap_functions, sizeof(*f)))
		return CON_NOWHERE;
	name = log->words[words[0]].text;
	hash_for_each(&log->by_function, slot, hash) {
		f = &log->functions[slot->number - 1];
		if (f->size == size && f->name == name && f->module_word == words[1])
			return slot->number - 1;
	}
	log->functions[log->nr_functions] = (struct con_function){
		.name = name,
		.module = log->words[words[1]].text,
		.size = size,
		.module_word = words[1],
		.next = log->words[words[0]].functions,
	};
	log->words[words[0]].functions = log->nr_functions;
	hash_put(&log->by_function, slot, hash, log->nr_functions);
	return log->nr_functions++;
}

static uint32_t number_place(struct reader *reader, uint32_t function, uint64_t offset)
{
	struct con_log *log = reader->log;
	const uint32_t hash = hash_bytes(function, &offset, sizeof(offset));
	struct hash_slot *slot;

	if (!hash_room(&log->by_place) || !array_room(&log->places, log->nr_places,
						      &log->cap_places, sizeof(*log->places))) {
		reader->nomem = true;
		return CON_NOWHERE;
	}
	hash_for_each(&log->by_place, slot, hash) {
		const struct con_place *place = &log->places[slot->number - 1];

		if (place->function == function && place->offset == offset)
			return slot->number - 1;
	}
	hash_put(&log->by_place, slot, hash, log->nr_places);
	log->places[log->nr_places] = (struct con_place){ function, offset };
	return log->nr_places++;
}

/* --- the texts of the module --- */

static bool take_hex(const char **at, uint64_t *value)
{
	char *end;

	if (strncmp(*at, "0x", 2) || !isxdigit((*at)[2]))
		return false;
	*value = strtoull(*at, &end, 16);
	*at = end;
	return true;
}

/* " [MODULE]" behind a name, or nothing. */
static void take_module(const char **at, char *module, size_t size)
{
	const size_t len = strncmp(*at, " [", 2) ? 0 : strcspn(*at + 2, "] ");

	*module = 0;
	if (!len || len >= size || (*at)[2 + len] != ']')
		return;
	memcpy(module, *at + 2, len);
	module[len] = 0;
	*at += len + 3;
}

/* NAME+0xOFFSET/0xSIZE [MODULE], 0xADDRESS or "user code": behind it is *at then. */
static uint32_t take_place(struct reader *reader, const char **at)
{
	const char *end = *at + strcspn(*at, "+ ");
	char name[512], module[128];
	uint64_t offset, bytes;
	uint32_t number;

	if (!strncmp(*at, "user code", 9)) {
		*at += 9;
		return number_place(reader, CON_USER, 0);
	}
	if (take_hex(at, &offset))
		return number_place(reader, CON_ADDRESS, offset);
	if (*end != '+' || end == *at || end - *at >= (ptrdiff_t)sizeof(name))
		return CON_NOWHERE;
	snprintf(name, sizeof(name), "%.*s", (int)(end - *at), *at);
	*at = end + 1;
	if (!take_hex(at, &offset) || *(*at)++ != '/' || !take_hex(at, &bytes))
		return CON_NOWHERE;
	take_module(at, module, sizeof(module));
	number = number_function(reader->log, name, module, bytes);
	reader->nomem |= number == CON_NOWHERE;
	return reader->nomem ? CON_NOWHERE : number_place(reader, number, offset);
}

static const struct {
	const char *text;
	enum last_end end;
} types[] = {
	{ "exception", LAST_TRAPS },
	{ "interrupt", LAST_TRAPS },
	{ "return from a trap", LAST_TRAP_RETURNS },
	{ "branch", LAST_BRANCHES },
	{ "call", LAST_CALLS },
	{ "jump", LAST_JUMPS },
	{ "return and call", LAST_JUMPS },
	{ "return", LAST_RETURNS },
	{ "transfer", LAST_JUMPS },
};

/* "(TYPE)" or "(TYPE, N times)". */
static bool read_type(struct con_transfer *t, const char *text)
{
	const size_t len = strcspn(text, ",)");
	char *end;
	size_t i;

	t->times = 1;
	if (text[len] == ',') {
		const unsigned long times = strtoul(text + len + 1, &end, 10);

		if (strcmp(end, " times)") || !times || times > CON_MAX_RECORDS)
			return false;
		t->times = times;
	} else if (strcmp(text + len, ")")) {
		return false;
	}
	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i].text) == len && !strncmp(types[i].text, text, len)) {
			t->end = types[i].end;
			return true;
		}
	return false;
}

/* "FROM -> TO (TYPE)" */
static bool read_transfer(struct reader *reader, struct con_transfer *t, const char *text)
{
	t->from = take_place(reader, &text);
	if (t->from == CON_NOWHERE || strncmp(text, " -> ", 4))
		return false;
	text += 4;
	t->to = take_place(reader, &text);
	return t->to != CON_NOWHERE && !strncmp(text, " (", 2) && read_type(t, text + 2);
}

/* --- reports --- */

static struct con_report *begin_report(struct reader *reader, const char *caller)
{
	struct heard *heard = heard_of(reader, caller);
	struct con_log *log = reader->log;
	struct con_report *report;

	if (log->nr == CON_MAX_REPORTS) {
		reader->drops = true;
		return NULL;
	}
	if (!array_room(&log->reports, log->nr, &log->cap, sizeof(*report))) {
		reader->nomem = true;
		return NULL;
	}
	report = &log->reports[log->nr++];
	*report = (struct con_report){ .cpu = -1, .pid = heard->pid,
				       .panicked = heard->panicked, .epc = heard->epc };
	memcpy(report->what, heard->what, sizeof(report->what));
	memcpy(report->comm, heard->comm, sizeof(report->comm));
	snprintf(report->caller, sizeof(report->caller), "%s", caller);
	*heard = silence;
	return report;
}

/* The report that goes on, which lines of other CPUs may have interrupted. */
static struct con_report *find_report(struct reader *reader, const char *caller)
{
	struct con_log *log = reader->log;
	size_t i = log->nr;

	while (i--)
		if (!strcmp(log->reports[i].caller, caller))
			return &log->reports[i];
	return NULL;
}

static bool is_full(const struct con_report *report, uint32_t times)
{
	const uint64_t most = report->said ? report->said : CON_MAX_RECORDS;

	return report->none || report->nr_records + times > most;
}

/* Without its first line, if that is missing or was of another. */
static struct con_report *report_for(struct reader *reader, const char *caller, uint32_t times)
{
	struct con_report *report = find_report(reader, caller);
	const struct heard *heard = heard_of(reader, caller);

	/* Another one began since then, whose first line is missing. */
	if (!report || is_full(report, times) || heard->epc != CON_NOWHERE || heard->panicked)
		report = begin_report(reader, caller);
	return report;
}

static void add_transfer(struct reader *reader, const char *caller, const char *text)
{
	struct con_transfer t = { 0 };
	struct con_report *report;
	bool is_read;

	if (reader->drops)
		return;
	is_read = read_transfer(reader, &t, text);
	report = reader->nomem ? NULL : report_for(reader, caller, is_read ? t.times : 0);
	if (!report)
		return;
	if (!is_read) {
		report->nr_unread++;
		report->gap = true;
		return;
	}
	if (!array_room(&report->v, report->nr, &report->cap, sizeof(t))) {
		reader->nomem = true;
		return;
	}
	t.after_gap = report->gap;
	report->gap = false;
	report->nr_records += t.times;
	report->v[report->nr++] = t;
}

static void add_own(struct reader *reader, const char *caller, const char *text)
{
	struct con_report *report;
	unsigned int said = 0;
	char why[sizeof(report->why)] = "";
	int cpu;

	if (!strncmp(text, "  ", 2)) {
		add_transfer(reader, caller, text + 2);
		return;
	}
	if (sscanf(text, "the last %u branches on CPU %d", &said, &cpu) != 2 &&
	    sscanf(text, "no branch of the kernel was recorded on CPU %d: %95[^\n]", &cpu,
		   why) < 1)
		return;
	report = begin_report(reader, caller);
	if (!report) {
		reader->log->nr_dropped += reader->drops;
		return;
	}
	/* No module says more: the number is damaged. */
	report->said = said <= CON_MAX_RECORDS ? said : 0;
	report->none = !said;
	report->cpu = cpu;
	memcpy(report->why, why, sizeof(why));
}

/* --- what the kernel says --- */

/*
 * The words of a death. A line with the number of the oops, "[#1]", may follow those that
 * tell more. Other words, of warnings and lockups, are of no death.
 */
static void hear_what(struct reader *reader, const char *caller, const char *line)
{
	static const struct { const char *words; bool begins; } table[] = {
		{ "Kernel panic - not syncing", true },
		{ "Unable to handle kernel ", true },
		{ "kernel BUG at ", true },
		{ "Oops - ", true },
		{ "Kernel BUG [#", false },
		{ "Oops [#", false },
	};
	const char *at = NULL;
	struct heard *heard;
	bool goes_on;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(*table) && !at; i++)
		at = strstr(line, table[i].words);
	if (!at || strstr(line, "end Kernel panic"))
		return;
	heard = heard_of(reader, caller);
	goes_on = !table[i - 1].begins && *heard->what && !heard->is_whole;
	if (!goes_on) {
		*heard = silence;
		heard->panicked = i == 1;
		snprintf(heard->what, sizeof(heard->what), "%s", at);
	}
	heard->is_whole = heard->panicked || strstr(at, " [#");
	/* The registers that follow are of this, and not of an earlier warning. */
	heard->epc = CON_NOWHERE;
}

/* "CPU: 0 UID: 0 PID: 12 Comm: name Tainted: ..." The name may have blanks. */
static void hear_task(struct reader *reader, const char *caller, const char *line)
{
	const char *pid = strstr(line, " PID: "), *comm = strstr(line, " Comm: "), *end;
	struct heard *heard;

	if (!pid || !comm)
		return;
	heard = heard_of(reader, caller);
	comm += 7;
	end = strstr(comm, " Tainted");
	if (!end)
		end = strstr(comm, " Not tainted");
	if (!end)
		end = comm + strcspn(comm, " ");
	snprintf(heard->comm, sizeof(heard->comm), "%.*s", (int)(end - comm), comm);
	heard->pid = strtoul(pid + 6, NULL, 10);
}

/*
 * "epc : fall+0x18/0x30 [ssctr_test]", or "epc : 0x0" behind a call through NULL. Another
 * line has the number, without "0x".
 */
static void hear_epc(struct reader *reader, const char *caller, const char *line)
{
	const char *at = strstr(line, "epc : ");
	struct heard *heard = at ? heard_of(reader, caller) : NULL;
	uint32_t place;

	if (!at || heard->epc != CON_NOWHERE)
		return;
	at += 6;
	place = take_place(reader, &at);
	if (place != CON_NOWHERE && reader->log->places[place].function != CON_USER)
		heard->epc = place;
}

/* --- lines --- */

/* "[T12]" or "[C1]" before the text, if the kernel was built for it. */
static void find_caller(const char *line, const char *end, char *caller, size_t size)
{
	const char *open = line;

	*caller = 0;
	while ((open = strchr(open, '[')) && open++ < end) {
		const char *at = open + strspn(open, " ");
		const size_t len = *at == 'T' || *at == 'C' ? strcspn(at, "]") : 0;

		if (len > 1 && strspn(at + 1, "0123456789") == len - 1 &&
		    !strncmp(at + len, "] ", 2)) {
			snprintf(caller, size, "%.*s", (int)len, at);
			return;
		}
	}
}

static void read_line(struct reader *reader, const char *line)
{
	const char *own = strstr(line, "ssctr: ");
	char caller[sizeof(reader->callers->name)];

	find_caller(line, own ? own : line + strlen(line), caller, sizeof(caller));
	if (own) {
		add_own(reader, caller, own + 7);
		return;
	}
	hear_what(reader, caller, line);
	hear_task(reader, caller, line);
	hear_epc(reader, caller, line);
}

/* A colour, or another order to a terminal: ESC [ 1 ; 32 m. Returns 0 if there is none. */
static size_t escape_length(const char *text)
{
	size_t len;

	if (strncmp(text, "\33[", 2))
		return 0;
	len = 2 + strspn(text + 2, "0123456789;:?");
	return isalpha((unsigned char)text[len]) ? len + 1 : 0;
}

/* A log may hold bytes of any kind. */
static void clean(char *line)
{
	char *to = line;

	line[strcspn(line, "\r\n")] = 0;
	while (*line) {
		const size_t len = escape_length(line);

		if (!len)
			*to++ = iscntrl((unsigned char)*line) ? ' ' : *line;
		line += len ? len : 1;
	}
	*to = 0;
}

int con_log_read(struct con_log *log, FILE *file, const char *name, struct error *error)
{
	struct reader reader = { .log = log };
	char line[MAX_LINE];

	while (!reader.nomem && fgets(line, sizeof(line), file)) {
		clean(line);
		read_line(&reader, line);
	}
	if (reader.nomem)
		return error_nomem(error);
	if (ferror(file))
		return error_set(error, ERROR_INPUT, "%s: %s", name, strerror(errno));
	if (!log->nr)
		return error_set(error, ERROR_NOTHING,
				 "%s: no branches of a kernel that died are in this log; the module prints them if it is loaded with oops=64",
				 name);
	return 0;
}

void con_log_free(struct con_log *log)
{
	size_t i;

	for (i = 0; i < log->nr; i++)
		free(log->reports[i].v);
	for (i = 0; i < log->nr_words; i++)
		free(log->words[i].text);
	free(log->reports);
	free(log->words);
	free(log->functions);
	free(log->places);
	hash_free(&log->by_text);
	hash_free(&log->by_function);
	hash_free(&log->by_place);
}

uint64_t con_missing(const struct con_report *report)
{
	return report->said > report->nr_records ? report->said - report->nr_records : 0;
}
