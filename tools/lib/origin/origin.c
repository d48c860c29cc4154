// SPDX-License-Identifier: GPL-2.0-only
#include "origin/origin.h"
#include "base/error.h"
#include "base/hex.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "ssctr ";

static const char *const keys[ORIGIN_N_KEYS] = {
	[ORIGIN_NONE] = "",	    [ORIGIN_FORM] = "origin",
	[ORIGIN_COMMAND] = "command", [ORIGIN_HOST] = "host",
	[ORIGIN_KERNEL] = "kernel", [ORIGIN_ARCH] = "arch",
	[ORIGIN_EVENT] = "event",   [ORIGIN_MAP] = "map",
	[ORIGIN_COVERAGE] = "coverage",
};

const char *origin_key_name(enum origin_key key)
{
	return keys[key];
}

enum origin_key origin_line(struct origin_line *line, const char *comment,
			    size_t size)
{
	const size_t begin = strlen(prefix);
	const char *end;
	size_t n;

	*line = (struct origin_line){ .key = ORIGIN_NONE };
	if (size <= begin || size >= ORIGIN_LINE_MAX ||
	    memcmp(comment, prefix, begin))
		return ORIGIN_NONE;
	comment += begin;
	size -= begin;
	end = memchr(comment, ' ', size);
	n = end ? (size_t)(end - comment) : 0;
	for (line->key = ORIGIN_N_KEYS - 1; line->key != ORIGIN_NONE; line->key--)
		if (strlen(keys[line->key]) == n && !memcmp(keys[line->key], comment, n))
			break;
	line->value = comment + n + 1;
	line->size = size - n - 1;
	return line->key;
}

/* ------------------------------------------------------------------ values */

/* The words of a value that are left. */
struct words {
	const char *p, *end;
	bool bad; /* a word was missing or was not what it has to be */
};

static struct words words_of(const struct origin_line *line)
{
	return (struct words){ line->value, line->value + line->size, false };
}

/* Takes the next word. At most size - 1 bytes of it, with a NUL. */
static const char *next_word(struct words *w, char *word, size_t size)
{
	size_t n = 0;

	while (w->p < w->end && *w->p != ' ') {
		if (n + 1 < size)
			word[n++] = *w->p;
		else
			w->bad = true;
		w->p++;
	}
	w->p += w->p < w->end;
	word[n] = 0;
	w->bad |= !n;
	return word;
}

/* A number in this base; of 16, with 0x before it. */
static uint64_t next_number(struct words *w, int base)
{
	char word[24], *end;
	const char *digits = next_word(w, word, sizeof(word));
	uint64_t value;

	if (base == 16) {
		w->bad |= strncmp(digits, "0x", 2) != 0;
		digits += w->bad ? 0 : 2;
	}
	/* Neither blanks nor a sign, which strtoull() would take. */
	w->bad |= !*digits || strspn(digits, "0123456789abcdef") != strlen(digits);
	value = w->bad ? 0 : strtoull(digits, &end, base);
	w->bad |= !w->bad && *end;
	return value;
}

bool origin_read_event(struct origin_event *event, const struct origin_line *line)
{
	struct words w = words_of(line);
	char kind[16];

	*event = (struct origin_event){ .number = next_number(&w, 10) };
	next_word(&w, kind, sizeof(kind));
	event->frequency = !strcmp(kind, "frequency");
	w.bad |= !event->frequency && strcmp(kind, "period") != 0;
	event->period = next_number(&w, 10);
	event->name = w.p;
	event->size = (size_t)(w.end - w.p);
	return !w.bad;
}

/* hex has at most two digits for each byte of the id. */
static bool read_build_id(struct origin_mapping *m, const char *hex)
{
	size_t size = strlen(hex);
	unsigned int i;

	if (!strcmp(hex, "-"))
		return true;
	if (size & 1 || strspn(hex, "0123456789abcdef") != size)
		return false;
	m->build_id_size = (unsigned int)size / 2;
	for (i = 0; i < m->build_id_size; i++) {
		const char byte[] = { hex[2 * i], hex[2 * i + 1], 0 };

		m->build_id[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return true;
}

/* A process, or "-" for all of them. */
static uint32_t next_pid(struct words *w)
{
	uint64_t pid;

	if (w->end - w->p > 1 && w->p[0] == '-' && w->p[1] == ' ') {
		w->p += 2;
		return ORIGIN_ALL;
	}
	pid = next_number(w, 10);
	w->bad |= pid >= ORIGIN_ALL;
	return (uint32_t)pid;
}

bool origin_read_mapping(struct origin_mapping *m, const struct origin_line *line)
{
	char id[2 * ORIGIN_BUILD_ID_MAX + 1];
	struct words w = words_of(line);

	*m = (struct origin_mapping){ .pid = next_pid(&w) };
	m->start = next_number(&w, 16);
	m->end = next_number(&w, 16);
	m->offset = next_number(&w, 16);
	w.bad |= !read_build_id(m, next_word(&w, id, sizeof(id)));
	m->name = w.p;
	m->name_size = (size_t)(w.end - w.p);
	return !w.bad && m->start < m->end && m->name_size &&
	       m->name_size < ORIGIN_NAME_MAX && !memchr(m->name, 0, m->name_size);
}

/* A trace that an older ssctr made does not tell it. */
static int64_t read_repeated(struct words *w)
{
	static const char behind[] = " instructions, ";
	const char *at = memmem(w->p, (size_t)(w->end - w->p), behind, strlen(behind));
	uint64_t number;
	char word[16];

	if (!at)
		return -1;
	w->p = at + strlen(behind);
	number = next_number(w, 10);
	w->bad |= number > INT64_MAX || strcmp(next_word(w, word, sizeof(word)), "repeated") != 0;
	return w->bad ? -1 : (int64_t)number;
}

bool origin_read_coverage(struct origin_coverage *coverage, const struct origin_line *line)
{
	struct words w = words_of(line);
	char word[32], *end;

	*coverage = (struct origin_coverage)ORIGIN_COVERAGE_UNKNOWN;
	if (strcmp(next_word(&w, word, sizeof(word)), "-") != 0) {
		coverage->share = strtod(word, &end);
		if (w.bad || *end || !(coverage->share >= 0 && coverage->share <= 1))
			return false;
	}
	coverage->repeated = read_repeated(&w);
	return coverage->share >= 0 || coverage->repeated >= 0;
}

void origin_write_coverage(char *text, size_t size, const struct origin_coverage *coverage,
			   uint64_t ran)
{
	char share[64] = "- of -";

	if (coverage->share >= 0)
		snprintf(share, sizeof(share), "%.6f of %" PRIu64, coverage->share, ran);
	snprintf(text, size, "%s%s %s instructions, %" PRId64 " repeated", prefix,
		 keys[ORIGIN_COVERAGE], share, coverage->repeated);
}

void origin_write_mapping(char *text, const struct origin_mapping *m)
{
	char pid[16] = "-", id[2 * ORIGIN_BUILD_ID_MAX + 1] = "-";

	if (m->pid != ORIGIN_ALL)
		snprintf(pid, sizeof(pid), "%" PRIu32, m->pid);
	if (m->build_id_size)
		hex_text(id, m->build_id, m->build_id_size);
	snprintf(text, ORIGIN_LINE_MAX,
		 "%s%s %s 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %s %.*s",
		 prefix, keys[ORIGIN_MAP], pid, m->start, m->end, m->offset, id,
		 (int)m->name_size, m->name);
}

/* --------------------------------------------------------------- all of it */

/* The first is kept: a trace that was joined from others has several. */
static bool keep_text(char **text, const struct origin_line *line)
{
	if (!*text)
		*text = strndup(line->value, line->size);
	return *text;
}

static bool take_event(struct origin *origin, const struct origin_line *line)
{
	struct origin_event event;

	if (!origin_read_event(&event, line) || origin->nr_events == ORIGIN_MAX_EVENTS)
		return true;
	event.name = strndup(event.name, event.size);
	if (!event.name)
		return false;
	origin->events[origin->nr_events++] = event;
	return true;
}

static bool take_mapping(struct origin *origin, const struct origin_line *line)
{
	struct origin_mapping mapping;

	return !origin_read_mapping(&mapping, line) ||
	       origin_maps_add(&origin->maps, &mapping);
}

static bool take_line(struct origin *origin, const struct origin_line *line)
{
	struct words w = words_of(line);
	struct origin_coverage coverage;

	switch (line->key) {
	case ORIGIN_FORM:
		origin->version = next_number(&w, 10);
		return true;
	case ORIGIN_EVENT:
		return take_event(origin, line);
	case ORIGIN_MAP:
		return take_mapping(origin, line);
	case ORIGIN_COVERAGE:
		if (origin_read_coverage(&coverage, line)) {
			origin->has_coverage = true;
			origin->coverage = coverage;
		}
		return true;
	default:
		return keep_text(&origin->texts[line->key], line);
	}
}

int origin_take(struct origin *origin, const char *comment, size_t size)
{
	struct origin_line line;

	if (origin_line(&line, comment, size) == ORIGIN_NONE ||
	    (line.key != ORIGIN_FORM && origin->version > ORIGIN_VERSION))
		return ORIGIN_NONE;
	return take_line(origin, &line) ? (int)line.key : ERROR_NOMEM;
}

void origin_free(struct origin *origin)
{
	unsigned int i;

	for (i = 0; i < ORIGIN_N_KEYS; i++)
		free(origin->texts[i]);
	for (i = 0; i < origin->nr_events; i++)
		free((char *)origin->events[i].name);
	origin_maps_free(&origin->maps);
}

struct origin_coverage origin_coverage(const struct origin *origin)
{
	return origin->has_coverage ? origin->coverage :
				      (struct origin_coverage)ORIGIN_COVERAGE_UNKNOWN;
}
