// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/event.h"
#include "recorder/tracefs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_ROOM = 256 };

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

uint64_t rcd_branch_filter(const char *words, char *bad, unsigned int room)
{
	const uint64_t modes = PERF_SAMPLE_BRANCH_PLM_ALL;
	uint64_t bits = 0;

	while (*words) {
		size_t n = strcspn(words, ","), i;

		for (i = 0; i < N(filters); i++)
			if (n == strlen(filters[i].word) &&
			    !strncmp(words, filters[i].word, n))
				break;
		if (i == N(filters)) {
			snprintf(bad, room, "%.*s", (int)n, words);
			return 0;
		}
		bits |= filters[i].bits;
		words += n + (words[n] == ',');
	}
	if (!bits)
		snprintf(bad, room, "%s", words);
	else if (!(bits & ~modes))
		bits |= PERF_SAMPLE_BRANCH_ANY;
	return bits;
}

static bool number(const char *s, int base, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(s, &end, base);
	return isxdigit((unsigned char)*s) && !*end && !errno;
}

static bool read_file(char *text, size_t room, const char *pmu,
		      const char *folder, const char *name)
{
	char path[256];
	FILE *f;
	size_t n;

	if ((size_t)snprintf(path, sizeof(path), RCD_PMUS "/%s/%s%s", pmu,
			     folder, name) >= sizeof(path))
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, room - 1, f);
	fclose(f);
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return n != 0;
}

/* config:0-7,32-35: the value's bits go there, the lowest first. */
static bool place(struct perf_event_attr *attr, const char *format, uint64_t v)
{
	__u64 *word = &attr->config;
	const char *p = strchr(format, ':');

	if (!strncmp(format, "config1:", 8))
		word = &attr->config1;
	else if (!strncmp(format, "config2:", 8))
		word = &attr->config2;
	else if (strncmp(format, "config:", 7))
		return false;
	while (p && *p) {
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
	} else if (!strcmp(term, "config") && value) {
		e->attr.config = v;
	} else if (!strcmp(term, "config1") && value) {
		e->attr.config1 = v;
	} else if (!strcmp(term, "config2") && value) {
		e->attr.config2 = v;
	} else if (read_file(text, sizeof(text), pmu, "format/", term)) {
		return place(&e->attr, text, v);
	} else if (!value && !alias &&
		   read_file(text, sizeof(text), pmu, "events/", term)) {
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

	/* What asks for precision is met: a hart has none to offer. */
	if (strspn(modes, "ukhpPHG") != strlen(modes))
		return false;
	if (user || kernel || hv) {
		e->attr.exclude_user = !user;
		e->attr.exclude_kernel = !kernel;
		e->attr.exclude_hv = !hv;
		e->has_modes = true;
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

static const char *append(struct rcd_events *events, const struct rcd_event *e)
{
	struct rcd_event *v = realloc(events->v, (events->nr + 1) * sizeof(*v));

	if (!v)
		return "out of memory";
	events->v = v;
	v[events->nr++] = *e;
	return NULL;
}

/* NAME/TERMS/MODES, where NAME is a PMU's or an event's. */
static const char *add_terms_of(struct rcd_events *events, struct rcd_event *e,
				char *slash, char *why)
{
	char *end = strrchr(slash + 1, '/'), text[32];
	uint64_t type;

	*slash = 0;
	if (!end) {
		snprintf(why, WHY_ROOM, "there is no second / in '%s/'",
			 e->name);
		return why;
	}
	*end++ = 0;
	if (*end == ':')
		end++;
	if (!is_named(e, e->name)) {
		if (!read_file(text, sizeof(text), e->name, "", "type") ||
		    !number(text, 10, &type)) {
			snprintf(why, WHY_ROOM, "there is no PMU '%s'",
				 e->name);
			return why;
		}
		e->attr.type = type;
	}
	if (!add_terms(e, e->name, slash + 1, false)) {
		snprintf(why, WHY_ROOM, "'%s' does not have '%s'", e->name,
			 slash + 1);
		return why;
	}
	if (!add_modes(e, end)) {
		snprintf(why, WHY_ROOM, "there are no modes '%s'", end);
		return why;
	}
	return append(events, e);
}

struct tracepoints {
	struct rcd_events *events;
	struct rcd_event *e;
	unsigned int nr;
	const char *failed;
};

static void add_tracepoint(void *arg, const char *system, const char *name,
			   uint64_t id)
{
	struct tracepoints *t = arg;
	struct rcd_event e = *t->e;

	e.attr.type = PERF_TYPE_TRACEPOINT;
	e.attr.config = id;
	snprintf(e.name, sizeof(e.name), "%.40s:%.50s", system, name);
	t->failed = append(t->events, &e);
	t->nr++;
}

static const char *add_one(struct rcd_events *events, const char *spec,
			   size_t n, char *why)
{
	struct rcd_event e = { .attr.size = sizeof(e.attr) };
	struct tracepoints t = { events, &e, 0, NULL };
	char name[sizeof(e.name)], *slash, *colon;

	if (!n || n >= sizeof(name)) {
		snprintf(why, WHY_ROOM, "there is no event '%.*s'", (int)n,
			 spec);
		return why;
	}
	snprintf(name, sizeof(name), "%.*s", (int)n, spec);
	memcpy(e.name, name, sizeof(name));
	slash = strchr(e.name, '/');
	if (slash) {
		const char *failed = add_terms_of(events, &e, slash, why);

		if (!failed)
			memcpy(events->v[events->nr - 1].name, name,
			       sizeof(name));
		return failed;
	}
	if (is_named(&e, name))
		return append(events, &e);
	colon = strchr(name, ':');
	if (colon) {
		*colon = 0;
		if (is_named(&e, name) && add_modes(&e, colon + 1))
			return append(events, &e);
		e.attr = (struct perf_event_attr){ .size = sizeof(e.attr) };
		if (rcd_tracepoints(name, colon + 1, add_tracepoint, &t) &&
		    t.nr)
			return t.failed;
		*colon = ':';
		if (errno == EACCES) {
			snprintf(why, WHY_ROOM,
				 "'%s': tracepoints can be read by root alone",
				 name);
			return why;
		}
	}
	snprintf(why, WHY_ROOM, "there is no event '%s'", name);
	return why;
}

const char *rcd_add_events(struct rcd_events *events, const char *list,
			   char *why)
{
	const char *failed, *end;

	do {
		bool inside = false;

		for (end = list; *end && (*end != ',' || inside); end++)
			inside ^= *end == '/';
		failed = add_one(events, list, end - list, why);
		list = end + 1;
	} while (!failed && *end);
	return failed;
}

void rcd_free_events(struct rcd_events *events)
{
	free(events->v);
	*events = (struct rcd_events){ 0 };
}
