// SPDX-License-Identifier: GPL-2.0-only
#include "windows/file.h"
#include "base/array.h"
#include "base/plain.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "ssctr-windows 1"

static const char *const choices[] = {
	[WINDOWS_CHOICE_RANDOM] = "random",
	[WINDOWS_CHOICE_REPRESENTATIVE] = "representative",
	[WINDOWS_CHOICE_SYSTEMATIC] = "systematic",
};

#define NR_CHOICES (sizeof(choices) / sizeof(choices[0]))

const char *windows_choice_name(enum windows_choice choice)
{
	return choices[choice];
}

uint64_t windows_warmup(const struct windows_plan *plan, size_t window)
{
	const uint64_t start = plan->v[window].start;

	return plan->warmup < start ? plan->warmup : start;
}

/* --- writing --- */

static void put_line(FILE *file, const char *name, const char *text)
{
	fprintf(file, "%s%s", name, *text ? " " : "");
	plain_put(file, text);
	fputc('\n', file);
}

static void put_head(const struct windows_plan *plan, FILE *file)
{
	fputs(FIRST_LINE "\n", file);
	put_line(file, "source", plan->source);
	put_line(file, "unit", plan->unit);
	put_line(file, "cut-options", plan->filter);
	fprintf(file,
		"size %" PRIu64 "\nchoice %s\nseed %" PRIu64 "\nwarmup %" PRIu64 "\n",
		plan->size, choices[plan->choice], plan->seed, plan->warmup);
	if (plan->coverage > 0)
		fprintf(file, "coverage %.6g\n", plan->coverage);
	if (plan->repeated >= 0)
		fprintf(file, "repeated %" PRId64 "\n", plan->repeated);
	if (plan->recorded)
		fprintf(file, "every %" PRIu64 "\nleft-out %" PRIu64 "\n", plan->every,
			plan->left_out);
}

static void put_strata(const struct windows_plan *plan, FILE *file)
{
	unsigned int i;

	fputs("# phase NUMBER INTERVALS LENGTH SPREAD\n", file);
	for (i = 0; i < plan->nr_strata; i++)
		fprintf(file, "phase %u %" PRIu64 " %" PRIu64 " %.6g\n", i,
			plan->strata[i].intervals, plan->strata[i].length,
			plan->strata[i].spread);
}

static void put_window(const struct windows_plan *plan, size_t number, FILE *file)
{
	const struct windows_interval *v = &plan->v[number];

	fprintf(file, "window %zu %" PRIu64 " %" PRIu64 " %" PRIu32 " %.12g %" PRIu64, number,
		v->start, v->length, v->stratum, windows_weight(plan, number),
		windows_warmup(plan, number));
	if (v->samples)
		fprintf(file, " %" PRIu64 ".%09" PRIu64 " %" PRIu64 ".%09" PRIu64,
			v->from / 1000000000, v->from % 1000000000,
			v->to / 1000000000, v->to % 1000000000);
	fputc('\n', file);
}

static void put_interval(const struct windows_plan *plan, size_t number, FILE *file)
{
	const struct windows_interval *v = &plan->v[number];

	fprintf(file, "interval %zu %" PRIu64 " %" PRIu64 " %" PRIu32 " %d", number,
		v->start, v->length, v->stratum, v->chosen);
	if (v->samples)
		fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64, v->samples,
			v->from, v->to);
	fputc('\n', file);
}

static void put_intervals(const struct windows_plan *plan, FILE *file)
{
	size_t i;

	fprintf(file, "# interval NUMBER START LENGTH PHASE CHOSEN%s\n",
		plan->nr && plan->v[0].samples ? " SAMPLES FROM TO (ns)" : "");
	for (i = 0; i < plan->nr; i++)
		put_interval(plan, i, file);
}

static void put_recorded(const struct windows_plan *plan, FILE *file)
{
	size_t i;

	fputs("# recorded NUMBER START LENGTH INSTRUCTIONS PLACE SOURCE PID TID CPU\n", file);
	for (i = 0; i < plan->nr; i++) {
		const struct windows_recorded *r = &plan->recorded[i];

		fprintf(file,
			"recorded %zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRId32 "\n",
			i, plan->v[i].start, plan->v[i].length, r->weight, r->place,
			r->source, r->pid, r->tid, (int32_t)r->cpu);
	}
}

void windows_file_write(const struct windows_plan *plan, FILE *file)
{
	const bool sampled = plan->nr && plan->v[0].samples;
	size_t i;

	put_head(plan, file);
	put_strata(plan, file);
	fprintf(file, "# window NUMBER START LENGTH PHASE WEIGHT WARMUP%s\n",
		sampled ? " FROM TO (seconds)" : "");
	for (i = 0; i < plan->nr; i++)
		if (plan->v[i].chosen)
			put_window(plan, i, file);
	if (plan->recorded)
		put_recorded(plan, file);
	else
		put_intervals(plan, file);
}

/* --- reading --- */

enum { MAX_FIELDS = 10 };

struct reading {
	FILE *file;
	const char *name;
	struct error *error;
	uint64_t number; /* of the line, from 1 on */
	char *line;
	size_t room;
	size_t cap, cap_recorded; /* of the intervals */
};

static int fault(struct reading *r, const char *what)
{
	return error_set(r->error, ERROR_INPUT, "%s: line %" PRIu64 ": %s", r->name,
			 r->number, what);
}

/* Returns 1, 0 at the end, or ERROR_*. The line has no end. */
static int next_line(struct reading *r)
{
	ssize_t n = getline(&r->line, &r->room, r->file);

	if (n < 0 && ferror(r->file))
		return error_set(r->error, ERROR_INPUT, "%s: cannot be read", r->name);
	if (n < 0)
		return feof(r->file) ? 0 : error_nomem(r->error);
	r->number++;
	if (strlen(r->line) != (size_t)n)
		return fault(r, "it contains a byte 0");
	r->line[strcspn(r->line, "\r\n")] = 0;
	return 1;
}

static bool number_of(const char *field, uint64_t *value)
{
	char *end;

	if (*field < '0' || *field > '9')
		return false;
	errno = 0;
	*value = strtoull(field, &end, 10);
	return !*end && !errno;
}

/* Returns how many fields there are; the last one has all that is left. */
static unsigned int split(char *line, char *fields[MAX_FIELDS + 1])
{
	unsigned int nr = 0;

	while (nr <= MAX_FIELDS && (fields[nr] = strsep(&line, " ")))
		nr++;
	return nr;
}

/* The fields after the first one are numbers. */
static bool numbers_of(char *fields[], unsigned int nr, uint64_t *values)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (!number_of(fields[i], &values[i]))
			return false;
	return true;
}

static int take_stratum(struct reading *r, struct windows_plan *plan, char *fields[],
			unsigned int nr)
{
	uint64_t values[MAX_FIELDS + 1];
	double spread;
	char *end;

	if (nr != 5 || !numbers_of(fields, 4, values) ||
	    values[1] != plan->nr_strata || plan->nr_strata == WINDOWS_MAX_PHASES)
		return fault(r, "it is not a phase of windows that ssctr has written");
	spread = strtod(fields[4], &end);
	if (*end || !(spread >= 0) || isinf(spread))
		return fault(r, "the spread is not a number");
	plan->strata[plan->nr_strata++] = (struct windows_stratum){
		.intervals = values[2], .length = values[3], .spread = spread };
	return 0;
}

static int take_interval(struct reading *r, struct windows_plan *plan, char *fields[],
			 unsigned int nr)
{
	uint64_t f[MAX_FIELDS + 1] = { 0 };

	/* The last two of a recording. */
	if (nr == 9 && number_of(fields[8], &f[8]))
		nr = 8;
	else if (nr != 6)
		nr = 0;
	if (!nr || !numbers_of(fields, nr, f) || f[1] != plan->nr || !f[3] ||
	    f[3] > UINT64_MAX / WINDOWS_MAX_INTERVALS || f[4] >= plan->nr_strata ||
	    f[5] > 1 || plan->nr == WINDOWS_MAX_INTERVALS || plan->recorded)
		return fault(r, "it is not an interval of windows that ssctr has written");
	if (!array_room(&plan->v, plan->nr, &r->cap, sizeof(*plan->v)))
		return error_nomem(r->error);
	plan->v[plan->nr++] = (struct windows_interval){
		.start = f[2], .length = f[3], .stratum = (uint32_t)f[4],
		.chosen = f[5], .samples = f[6], .from = f[7], .to = f[8],
	};
	return 0;
}

static int take_recorded(struct reading *r, struct windows_plan *plan, char *fields[],
			 unsigned int nr)
{
	uint64_t f[MAX_FIELDS + 1] = { 0 };
	const bool unknown_cpu = nr == 10 && !strcmp(fields[9], "-1");

	f[9] = UINT32_MAX;
	if (nr != 10 || !numbers_of(fields, nr - unknown_cpu, f) || f[1] != plan->nr || !f[3] ||
	    f[3] > UINT64_MAX / WINDOWS_MAX_INTERVALS ||
	    f[4] > UINT64_MAX / WINDOWS_MAX_INTERVALS || f[6] > f[1] ||
	    f[7] > UINT32_MAX || f[8] > UINT32_MAX || f[9] > UINT32_MAX ||
	    plan->nr == WINDOWS_MAX_INTERVALS || !plan->nr_strata ||
	    (plan->nr && !plan->recorded))
		return fault(r, "it is not a recorded window that ssctr has written");
	if (!array_room(&plan->v, plan->nr, &r->cap, sizeof(*plan->v)) ||
	    !array_room(&plan->recorded, plan->nr, &r->cap_recorded, sizeof(*plan->recorded)))
		return error_nomem(r->error);
	plan->recorded[plan->nr] = (struct windows_recorded){
		.weight = f[4], .place = f[5], .source = (uint32_t)f[6],
		.pid = (uint32_t)f[7], .tid = (uint32_t)f[8], .cpu = (uint32_t)f[9],
	};
	plan->v[plan->nr++] = (struct windows_interval){ .start = f[2], .length = f[3],
							 .chosen = true };
	return 0;
}

/* every and left-out. */
static int take_number(struct reading *r, uint64_t *value, char *fields[], unsigned int nr)
{
	return nr == 2 && number_of(fields[1], value) ? 0 : fault(r, "it has no number");
}

static int take_repeated(struct reading *r, int64_t *repeated, char *fields[], unsigned int nr)
{
	uint64_t value;

	if (nr != 2 || !number_of(fields[1], &value) || value > INT64_MAX)
		return fault(r, "it has no number");
	*repeated = (int64_t)value;
	return 0;
}

static int take_coverage(struct reading *r, double *coverage, char *fields[], unsigned int nr)
{
	char *end = NULL;

	if (nr == 2)
		*coverage = strtod(fields[1], &end);
	return end && !*end && *coverage >= 0 && *coverage <= 1 ?
		       0 : fault(r, "the coverage is not a number from 0 to 1");
}

static int take_line(struct reading *r, struct windows_plan *plan)
{
	char *fields[MAX_FIELDS + 1];
	unsigned int nr;

	if (!*r->line || *r->line == '#')
		return 0;
	nr = split(r->line, fields);
	if (!strcmp(fields[0], "phase"))
		return take_stratum(r, plan, fields, nr);
	if (!strcmp(fields[0], "interval"))
		return take_interval(r, plan, fields, nr);
	if (!strcmp(fields[0], "recorded"))
		return take_recorded(r, plan, fields, nr);
	if (!strcmp(fields[0], "coverage"))
		return take_coverage(r, &plan->coverage, fields, nr);
	if (!strcmp(fields[0], "repeated"))
		return take_repeated(r, &plan->repeated, fields, nr);
	if (!strcmp(fields[0], "every"))
		return take_number(r, &plan->every, fields, nr);
	if (!strcmp(fields[0], "left-out"))
		return take_number(r, &plan->left_out, fields, nr);
	return strcmp(fields[0], "window") ? fault(r, "it begins with an unknown word") : 0;
}

static int not_windows(struct reading *r)
{
	return error_set(r->error, ERROR_INPUT,
			 "%s: it is not a file of windows, as `ssctr phases -o` and `ssctr stf` write it",
			 r->name);
}

/* The next line is this word, and a text or nothing. *text is to be freed. */
static int take_text(struct reading *r, const char *word, char **text)
{
	const size_t size = strlen(word);
	int ret = next_line(r);

	if (ret == ERROR_INPUT && r->number == 1)
		return not_windows(r);
	if (ret < 0)
		return ret;
	if (!ret || strncmp(r->line, word, size) || (r->line[size] && r->line[size] != ' '))
		return not_windows(r);
	*text = strdup(r->line + size + (r->line[size] == ' '));
	return *text ? 0 : error_nomem(r->error);
}

static int take_u64(struct reading *r, const char *word, uint64_t *value)
{
	char *text = NULL;
	int ret = take_text(r, word, &text);

	if (!ret && !number_of(text, value))
		ret = fault(r, "it has no number");
	free(text);
	return ret;
}

static int take_choice(struct reading *r, enum windows_choice *choice)
{
	char *text = NULL;
	int ret = take_text(r, "choice", &text);
	unsigned int i;

	for (i = 0; !ret && i < NR_CHOICES && strcmp(text, choices[i]); i++)
		;
	if (!ret && i == NR_CHOICES)
		ret = fault(r, "the choice is not random, representative or systematic");
	if (!ret)
		*choice = i;
	free(text);
	return ret;
}

static int take_head(struct reading *r, struct windows_plan *plan)
{
	char *version = NULL;
	int ret = take_text(r, "ssctr-windows", &version);

	if (!ret && strcmp(version, "1"))
		ret = fault(r, "this version of the file is not known");
	ret = ret ? ret : take_text(r, "source", (char **)&plan->source);
	ret = ret ? ret : take_text(r, "unit", (char **)&plan->unit);
	ret = ret ? ret : take_text(r, "cut-options", (char **)&plan->filter);
	ret = ret ? ret : take_u64(r, "size", &plan->size);
	ret = ret ? ret : take_choice(r, &plan->choice);
	ret = ret ? ret : take_u64(r, "seed", &plan->seed);
	free(version);
	return ret ? ret : take_u64(r, "warmup", &plan->warmup);
}

/* A file that was cut off has fewer intervals than its phases tell. */
static int check_plan(struct reading *r, struct windows_plan *plan)
{
	struct windows_stratum told[WINDOWS_MAX_PHASES];
	unsigned int i;
	bool same = plan->nr;

	memcpy(told, plan->strata, sizeof(told));
	windows_add_up(plan);
	same &= plan->length && (plan->recorded || plan->choice != WINDOWS_CHOICE_SYSTEMATIC);
	for (i = 0; i < plan->nr_strata; i++)
		same &= told[i].intervals && told[i].intervals == plan->strata[i].intervals &&
			told[i].length == plan->strata[i].length;
	if (same && plan->windows)
		return 0;
	return error_set(r->error, ERROR_INPUT, "%s: it is damaged or cut off: %s", r->name,
			 same ? "no interval is a window" :
				"its intervals are not those of its phases");
}

int windows_file_read(struct windows_plan *plan, FILE *file, const char *name,
		     struct error *error)
{
	struct reading r = { .file = file, .name = name, .error = error };
	int ret, more = 0;

	*plan = (struct windows_plan){ .repeated = -1 };
	ret = take_head(&r, plan);
	while (!ret && (more = next_line(&r)) > 0)
		ret = take_line(&r, plan);
	if (!ret)
		ret = more < 0 ? more : check_plan(&r, plan);
	free(r.line);
	return ret;
}

void windows_file_free(struct windows_plan *plan)
{
	free((char *)plan->source);
	free((char *)plan->unit);
	free((char *)plan->filter);
	free(plan->v);
	free(plan->recorded);
}

/* --- the table --- */

static int take_value(struct reading *r, struct windows_value *values,
		      const struct windows_plan *plan)
{
	static const char *const blanks = " \t,;";
	static const char mark[] = "\xef\xbb\xbf"; /* the byte-order mark of UTF-8 */
	char *at = r->line, *end;
	uint64_t number;
	double value;

	if (r->number == 1 && !strncmp(at, mark, strlen(mark)))
		at += strlen(mark);
	at += strspn(at, blanks);
	if (!*at)
		return 0;
	if (r->number == 1 && (*at < '0' || *at > '9'))
		return 0;
	end = at + strcspn(at, blanks);
	if (*end)
		*end++ = 0;
	if (!number_of(at, &number) || number >= plan->nr || !plan->v[number].chosen)
		return fault(r, "the first column is not the number of a window");
	if (values[number].known)
		return fault(r, "this window has a value already");
	at = end + strspn(end, blanks);
	value = strtod(at, &end);
	if (end == at || end[strspn(end, blanks)] || !isfinite(value))
		return fault(r, "the second column is not a number, or not the last column");
	values[number] = (struct windows_value){ value, true };
	return 0;
}

int windows_table_read(struct windows_value *values, const struct windows_plan *plan,
		      FILE *file, const char *name, struct error *error)
{
	struct reading r = { .file = file, .name = name, .error = error };
	int ret = 0, more = 0;

	while (!ret && (more = next_line(&r)) > 0) {
		r.line[strcspn(r.line, "#")] = 0;
		ret = take_value(&r, values, plan);
	}
	free(r.line);
	return ret ? ret : more;
}
