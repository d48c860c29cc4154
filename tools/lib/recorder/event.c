// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/event.h"
#include "base/array.h"
#include "base/file.h"
#include "base/opts.h"
#include "recorder/tracefs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} names[] = {
#define HW(_name, _id)                                         \
	{                                                      \
		_name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##_id \
	}
#define SW(_name, _id)                                         \
	{                                                      \
		_name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##_id \
	}
	HW("cycles", CPU_CYCLES),
	HW("cpu-cycles", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	HW("bus-cycles", BUS_CYCLES),
	HW("ref-cycles", REF_CPU_CYCLES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	SW("cpu-clock", CPU_CLOCK),
	SW("task-clock", TASK_CLOCK),
	SW("page-faults", PAGE_FAULTS),
	SW("faults", PAGE_FAULTS),
	SW("minor-faults", PAGE_FAULTS_MIN),
	SW("major-faults", PAGE_FAULTS_MAJ),
	SW("context-switches", CONTEXT_SWITCHES),
	SW("cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", CPU_MIGRATIONS),
	SW("migrations", CPU_MIGRATIONS),
	SW("dummy", DUMMY),
};

static const struct {
	const char *word;
	uint64_t bits;
} filters[] = {
#define BR(_word, _bit)                          \
	{                                        \
		_word, PERF_SAMPLE_BRANCH_##_bit \
	}
	BR("u", USER),
	BR("k", KERNEL),
	BR("hv", HV),
	BR("any", ANY),
	BR("any_call", ANY_CALL),
	BR("any_ret", ANY_RETURN),
	BR("ind_call", IND_CALL),
	BR("ind_jmp", IND_JUMP),
	BR("call", CALL),
	BR("cond", COND),
	BR("abort_tx", ABORT_TX),
	BR("in_tx", IN_TX),
	BR("no_tx", NO_TX),
	BR("stack", CALL_STACK),
	BR("no_flags", NO_FLAGS),
	BR("no_cycles", NO_CYCLES),
	BR("save_type", TYPE_SAVE),
	BR("hw_index", HW_INDEX),
	BR("priv", PRIV_SAVE),
	{ "counter", UINT64_C(1) << 19 },
};

#define N(_array) (sizeof(_array) / sizeof(*(_array)))

static void no_filter(const char *word, size_t n, struct error *error)
{
	struct opts_guess guess = { .word = word, .size = n };
	size_t i;

	for (i = 0; i < N(filters); i++)
		opts_guess(&guess, filters[i].word);
	error_set(error, ERROR_USAGE, "there is no filter '%.*s'%s%s%s", (int)n,
		  word, OPTS_GUESSED(guess, ""));
}

uint64_t rcd_branch_filter(const char *words, struct error *error)
{
	const uint64_t modes = PERF_SAMPLE_BRANCH_PLM_ALL;
	uint64_t bits = 0;

	do {
		size_t n = strcspn(words, ","), i;

		for (i = 0; i < N(filters); i++)
			if (n == strlen(filters[i].word) &&
			    !strncmp(words, filters[i].word, n))
				break;
		if (i == N(filters)) {
			no_filter(words, n, error);
			return 0;
		}
		bits |= filters[i].bits;
		words += n + (words[n] == ',');
	} while (*words);
	return bits & ~modes ? bits : bits | PERF_SAMPLE_BRANCH_ANY;
}

static bool number(const char *s, int base, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(s, &end, base);
	return isxdigit((unsigned char)*s) && !*end && !errno;
}

/* config, config1 or config2; NULL: none of them. */
static __u64 *word_of(struct perf_event_attr *attr, const char *name, size_t n)
{
	static const char *const words[] = { "config", "config1", "config2" };
	__u64 *const of[] = { &attr->config, &attr->config1, &attr->config2 };
	unsigned int i;

	for (i = 0; i < N(words); i++)
		if (n == strlen(words[i]) && !strncmp(name, words[i], n))
			return of[i];
	return NULL;
}

/* config:0-7,32-35: the value's bits go there, the lowest first. */
static bool place(struct perf_event_attr *attr, const char *format, uint64_t v)
{
	const char *p = format + strcspn(format, ":");
	__u64 *word = word_of(attr, format, p - format);

	if (!*p || !word)
		return false;
	while (*p) {
		unsigned int first, last, bit;
		int n = 0;

		if (sscanf(++p, "%u%n", &first, &n) != 1)
			return false;
		p += n;
		last = first;
		if (*p == '-') {
			if (sscanf(++p, "%u%n", &last, &n) != 1)
				return false;
			p += n;
		}
		for (bit = first; bit <= last && bit < 64; bit++, v >>= 1)
			*word |= (v & 1) << bit;
	}
	return !v;
}

static bool add_terms(struct rcd_event *e, const char *pmu, const char *terms,
		      bool alias);

static bool add_term(struct rcd_event *e, const char *pmu, char *term,
		     bool alias)
{
	__u64 *word = word_of(&e->attr, term, strcspn(term, "="));
	char *value = strchr(term, '='), text[256];
	uint64_t v = 1;

	if (value) {
		*value++ = 0;
		if (!number(value, strncmp(value, "0x", 2) ? 10 : 16, &v))
			return false;
	}
	if (!strcmp(term, "period") && value) {
		e->attr.sample_period = v;
		e->has_period = true;
	} else if (value && word) {
		*word = v;
	} else if (file_line(text, sizeof(text), RCD_PMUS "/%s/format/%s", pmu,
			     term)) {
		return place(&e->attr, text, v);
	} else if (!value && !alias &&
		   file_line(text, sizeof(text), RCD_PMUS "/%s/events/%s", pmu,
			     term)) {
		return add_terms(e, pmu, text, true);
	} else {
		return false;
	}
	return true;
}

static bool add_terms(struct rcd_event *e, const char *pmu, const char *terms,
		      bool alias)
{
	while (*terms) {
		size_t n = strcspn(terms, ",");
		char term[96];

		if (n >= sizeof(term))
			return false;
		snprintf(term, sizeof(term), "%.*s", (int)n, terms);
		if (strchr(term, '/') || !add_term(e, pmu, term, alias))
			return false;
		terms += n + (terms[n] == ',');
	}
	return true;
}

/* The letters behind the last colon. */
static bool add_modes(struct rcd_event *e, const char *modes)
{
	bool user = strchr(modes, 'u'), kernel = strchr(modes, 'k');
	bool hv = strchr(modes, 'h');
	bool guest = strchr(modes, 'G'), host = strchr(modes, 'H');

	/* What asks for precision is met: a hart has none to offer. */
	if (strspn(modes, "ukhpPHG") != strlen(modes))
		return false;
	if (user || kernel || hv) {
		e->attr.exclude_user = !user;
		e->attr.exclude_kernel = !kernel;
		e->attr.exclude_hv = !hv;
		e->has_modes = true;
	}
	if (guest || host) {
		e->attr.exclude_guest = !guest;
		e->attr.exclude_host = !host;
	}
	return true;
}

static bool is_named(struct rcd_event *e, const char *name)
{
	size_t i;
	__u64 config;

	for (i = 0; i < N(names); i++) {
		if (strcmp(names[i].name, name))
			continue;
		e->attr.type = names[i].type;
		e->attr.config = names[i].config;
		return true;
	}
	if (name[0] != 'r' || !number(name + 1, 16, (uint64_t *)&config))
		return false;
	e->attr.type = PERF_TYPE_RAW;
	e->attr.config = config;
	return true;
}

int rcd_add_event(struct rcd_events *events, const struct rcd_event *e,
		  struct error *error)
{
	if (!array_room(&events->v, events->nr, &events->cap, sizeof(*e)))
		return error_nomem(error);
	events->v[events->nr++] = *e;
	return 0;
}

/* NAME/TERMS/MODES, where NAME is a PMU's or an event's. */
static int find_terms(struct rcd_event *e, char *name, char *slash,
		      struct error *error)
{
	char *end = strrchr(slash + 1, '/'), text[32];
	uint64_t type;

	*slash = 0;
	if (!end)
		return error_set(error, ERROR_USAGE,
				 "there is no second / in '%s/'", name);
	*end++ = 0;
	if (*end == ':')
		end++;
	if (!is_named(e, name)) {
		if (!file_line(text, sizeof(text), RCD_PMUS "/%s/type", name) ||
		    !number(text, 10, &type))
			return error_set(error, ERROR_USAGE,
					 "there is no PMU '%s'", name);
		e->attr.type = type;
	}
	if (!add_terms(e, name, slash + 1, false))
		return error_set(error, ERROR_USAGE, "PMU '%s' does not have '%s'",
				 name, slash + 1);
	if (!add_modes(e, end))
		return error_set(error, ERROR_USAGE, "unknown modes '%s'",
				 end);
	return 0;
}

static struct opts_guess guess_event(const char *name, size_t n)
{
	struct opts_guess guess = { .word = name, .size = n };
	size_t i;

	for (i = 0; i < N(names); i++)
		opts_guess(&guess, names[i].name);
	return guess;
}

static int no_event(const char *spec, size_t n, struct error *error)
{
	const struct opts_guess guess = guess_event(spec, strcspn(spec, ":,"));

	return error_set(error, ERROR_USAGE, "there is no event '%.*s'%s%s%s",
			 (int)n, spec, OPTS_GUESSED(guess, ""));
}

static int add_one(struct rcd_events *events, const char *spec, size_t n,
		   struct error *error)
{
	struct rcd_event e = { .attr.size = sizeof(e.attr) };
	char name[sizeof(e.name)], *at;
	int ret;

	if (!n || n >= sizeof(name))
		return no_event(spec, n, error);
	snprintf(e.name, sizeof(e.name), "%.*s", (int)n, spec);
	memcpy(name, e.name, sizeof(name));
	at = strchr(name, '/');
	if (at) {
		ret = find_terms(&e, name, at, error);
		return ret ? ret : rcd_add_event(events, &e, error);
	}
	if (is_named(&e, name))
		return rcd_add_event(events, &e, error);
	at = strchr(name, ':');
	if (!at)
		return no_event(spec, n, error);
	*at++ = 0;
	if (is_named(&e, name) && add_modes(&e, at))
		return rcd_add_event(events, &e, error);
	ret = rcd_add_tracepoints(events, name, at, error);
	return ret == ERROR_USAGE && guess_event(name, strlen(name)).name ?
		       no_event(spec, n, error) :
		       ret;
}

int rcd_add_events(struct rcd_events *events, const char *list,
		   struct error *error)
{
	const char *end;
	int ret;

	do {
		bool inside = false;

		for (end = list; *end && (*end != ',' || inside); end++)
			inside ^= *end == '/';
		ret = add_one(events, list, end - list, error);
		list = end + 1;
	} while (!ret && *end);
	return ret;
}

void rcd_free_events(struct rcd_events *events)
{
	free(events->v);
	*events = (struct rcd_events){ 0 };
}
