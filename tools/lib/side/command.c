// SPDX-License-Identifier: GPL-2.0-only
#include "side/command.h"

#include <ctype.h>
#include <string.h>

/*
 * The options of perf record that take no value, or one in the same word alone. They are
 * those of perf of Linux 6.1 to 7.x. Each --no-... is one, too.
 */
static const char short_flags[] = "abBdgiNnPqRsTvW";
static const char short_optional[] = "ISz";
static const char *const long_flags[] = {
	"aio", "all-cgroups", "all-cpus", "all-kernel", "all-user", "aux-sample",
	"branch-any", "buildid-all", "buildid-mmap", "code-page-size",
	"compression-level", "data", "data-mmap", "data-page-size", "debuginfod",
	"dry-run", "exclude-perf", "group", "intr-regs", "kcore", "kernel-callchains",
	"latency", "namespaces", "off-cpu", "overwrite", "per-thread", "period",
	"phys-data", "quiet", "raw-samples", "running-time", "sample-cpu",
	"sample-identifier", "sample-mem-info", "snapshot", "stat", "strict-freq",
	"switch-events", "switch-output", "tail-synthesize", "threads", "timestamp",
	"timestamp-boundary", "timestamp-filename", "transaction", "user-callchains",
	"user-regs", "verbose", "weight",
};

struct words {
	const char *at, *end;
};

static const char *next_word(struct words *w)
{
	const char *word = w->at;

	if (word == w->end)
		return NULL;
	w->at += strlen(word) + 1;
	return word;
}

/* The next word, if it may be a value: those of perf that begin with '-' are numbers. */
static const char *next_value(struct words *w)
{
	if (w->at == w->end || (w->at[0] == '-' && !isdigit((unsigned char)w->at[1])))
		return NULL;
	return next_word(w);
}

static bool is_flag(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(long_flags) / sizeof(*long_flags); i++)
		if (strlen(long_flags[i]) == n && !strncmp(long_flags[i], name, n))
			return true;
	return !strncmp(name, "no-", 3);
}

/* perf takes the beginning of a name for the name, if no other has it. */
static bool is_begun(const char *name, size_t n, const char *option)
{
	return n >= 2 && !strncmp(name, option, n);
}

static bool names(const char *events, const char *event)
{
	return !events || strstr(events, event) || strpbrk(events, "*?[/");
}

/* Other commands than record have other options: which are perf's is not known. */
static bool has_filter(struct words w)
{
	const char *word;

	while ((word = next_word(&w)) && strcmp(word, "--"))
		if (!strncmp(word, "--fi", 4))
			return true;
	return false;
}

/*
 * A filter is that of the events of the -e before it. As in perf, the program begins with
 * the first word that is neither an option nor the value of one. An option that is not
 * known may have a value. If it has none, the program's own options are taken for perf's:
 * that may call events filtered which are not, but never the other way round.
 */
bool side_command_filters(const char *words, size_t size, const char *event)
{
	struct words w = { words, words + size };
	const char *word = next_word(&w), *events = NULL;

	if (!word)
		return false;
	word = next_word(&w);
	if (!word || strcmp(word, "record"))
		return has_filter((struct words){ words, words + size });
	while ((word = next_word(&w)) && word[0] == '-' && word[1] && strcmp(word, "--")) {
		const char *value = NULL, *name = word + 2;
		size_t n = strcspn(name, "=");

		if (word[1] != '-') {
			name = word + 1 + strspn(word + 1, short_flags);
			if (*name && !strchr(short_optional, *name))
				value = name[1] ? name + 1 : next_value(&w);
			if (*name == 'e')
				events = value;
			continue;
		}
		if (name[n])
			value = name + n + 1;
		else if (!is_flag(name, n))
			value = next_value(&w);
		if (is_begun(name, n, "event"))
			events = value;
		else if (is_begun(name, n, "pfm-events"))
			events = NULL; /* of other names */
		else if (is_begun(name, n, "filter") && names(events, event))
			return true;
	}
	return false;
}
