// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a file of windows, and, behind the first NUL, as a table of values. What can
 * be read is consistent. Written again, it has the same content.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "phases/estimate.h"
#include "windows/file.h"

static FILE *open_bytes(const void *data, size_t size)
{
	/* fmemopen() refuses an empty buffer. */
	FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");

	demand(file, "there is memory");
	return file;
}

static bool read_plan(struct windows_plan *plan, const void *data, size_t size)
{
	FILE *file = open_bytes(data, size);
	struct error error = { "" };
	int ret = windows_file_read(plan, file, "windows", &error);

	demand(!ret || *error.text, "an error has a text");
	fclose(file);
	return !ret;
}

static void check(const struct windows_plan *plan)
{
	double weights = 0;
	size_t i, chosen = 0;

	demand(plan->nr_strata <= WINDOWS_MAX_PHASES && plan->nr <= WINDOWS_MAX_INTERVALS,
	       "memory is limited");
	for (i = 0; i < plan->nr; i++) {
		demand(plan->v[i].stratum < plan->nr_strata, "an interval has a phase");
		if (!plan->v[i].chosen)
			continue;
		chosen++;
		weights += windows_weight(plan, i);
	}
	demand(chosen == plan->windows, "windows are counted");
	demand(!isnan(weights) && weights > -1e-6 && weights < 1 + 1e-6,
	       "the weights add up to the run at most");
}

/* Returns the text, which the caller frees. */
static char *write_plan(const struct windows_plan *plan, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	demand(file, "there is memory");
	windows_file_write(plan, file);
	demand(!fclose(file), "there is memory");
	return text;
}

static void write_twice(const struct windows_plan *plan)
{
	struct windows_plan again = { 0 };
	size_t size, size_again;
	char *text = write_plan(plan, &size), *text_again;

	demand(read_plan(&again, text, size), "what was written can be read");
	text_again = write_plan(&again, &size_again);
	demand(size == size_again && !memcmp(text, text_again, size),
	       "what was read is written as it was");
	free(text);
	free(text_again);
	windows_file_free(&again);
}

static void estimate(const struct windows_plan *plan, const struct windows_value *values)
{
	struct phases_estimate result = { 0 };
	struct error error = { "" };
	int ret = phases_estimate(plan, values, 0.95, &result, &error);

	demand(!ret || *error.text, "an error has a text");
	demand(ret || result.windows + result.missing == plan->windows,
	       "each window has a value, or is missing");
	demand(ret || isfinite(result.mean), "the mean is a number");
}

static void read_table(const struct windows_plan *plan, const void *data, size_t size)
{
	struct windows_value *values = calloc(plan->nr + 1, sizeof(*values));
	FILE *file = open_bytes(data, size);
	struct error error = { "" };
	size_t i;
	int ret;

	demand(values, "there is memory");
	ret = windows_table_read(values, plan, file, "table", &error);
	demand(!ret || *error.text, "an error has a text");
	for (i = 0; !ret && i < plan->nr; i++)
		demand(!values[i].known || (plan->v[i].chosen && isfinite(values[i].mean)),
		       "only a window has a value, which is a number");
	if (!ret)
		estimate(plan, values);
	fclose(file);
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	const size_t first = nul ? (size_t)(nul - data) : size;
	struct windows_plan plan = { 0 };

	if (read_plan(&plan, data, first)) {
		check(&plan);
		write_twice(&plan);
		if (nul)
			read_table(&plan, nul + 1, size - first - 1);
	}
	windows_file_free(&plan);
	return 0;
}
