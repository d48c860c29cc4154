// SPDX-License-Identifier: GPL-2.0-only
#include "profile/inputs.h"
#include "base/array.h"
#include "base/keeps.h"
#include "perfdata/perfdata.h"
#include "tally/tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool prof_inputs_is_file(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) &&
	       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

bool prof_inputs_add(struct prof_inputs *inputs, const char *path)
{
	if (!path)
		return true;
	if (!array_room(&inputs->files, inputs->nr_files, &inputs->cap_files,
			sizeof(*inputs->files)))
		return false;
	inputs->files[inputs->nr_files] = strdup(path);
	return inputs->files[inputs->nr_files++];
}

int prof_inputs_count(struct prof_inputs *inputs, const char *path,
		      const struct cf_source *sources, size_t nr, struct error *error)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!array_room(&inputs->sources, inputs->nr_sources, &inputs->cap_sources,
				sizeof(*inputs->sources)))
			return error_nomem(error);
		inputs->sources[inputs->nr_sources++] = (struct prof_source){ sources[i], path };
	}
	return 0;
}

static int count_countfile(struct prof_inputs *inputs, const char *path, struct error *error)
{
	struct cf_reader *reader;
	int ret = cf_reader_open(&reader, path, error);

	if (!ret)
		ret = prof_inputs_count(inputs, path, cf_reader_head(reader)->sources,
					cf_reader_head(reader)->nr_sources, error);
	cf_reader_close(reader);
	return ret;
}

int prof_inputs_count_file(struct prof_inputs *inputs, const char *path, struct error *error)
{
	struct cf_source source;
	int ret;

	if (!prof_inputs_is_file(path))
		return 0;
	if (cf_is_countfile(path))
		return count_countfile(inputs, path, error);
	ret = tally_source_of_file(path, &source, error);
	return ret ?: prof_inputs_count(inputs, path, &source, 1, error);
}

/* By label and first period. */
static int source_order(const void *va, const void *vb)
{
	const struct cf_source *a = &((const struct prof_source *)va)->source;
	const struct cf_source *b = &((const struct prof_source *)vb)->source;
	const int order = memcmp(a->label, b->label, sizeof(a->label));

	if (order)
		return order;
	return a->first < b->first ? -1 : a->first > b->first;
}

int prof_inputs_check(struct prof_inputs *inputs, struct error *error)
{
	const struct prof_source *v = inputs->sources;
	size_t i;

	if (inputs->nr_sources)
		qsort(inputs->sources, inputs->nr_sources, sizeof(*v), source_order);
	for (i = 1; i < inputs->nr_sources; i++)
		if (!memcmp(v[i].source.label, v[i - 1].source.label, sizeof(v->source.label)) &&
		    v[i].source.first <= v[i - 1].source.last)
			return error_set(error, ERROR_INPUT,
					 "%s and %s count the same recording or period; leave out one of them, so that nothing is counted twice",
					 v[i - 1].path, v[i].path);
	return 0;
}

int prof_inputs_keep(const struct prof_inputs *inputs, const char *path, struct error *error)
{
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < inputs->nr_files; i++)
		ret = keeps_input("-o", path, inputs->files[i], error);
	if (!ret && prof_inputs_is_file(path) && (pd_is_recording(path) || cf_is_countfile(path)))
		ret = error_set(error, ERROR_OUTPUT,
				"-o %s: this is a %s, which would be lost; name another file", path,
				pd_is_recording(path) ? "recording" : "counts file");
	return ret;
}

void prof_inputs_free(struct prof_inputs *inputs)
{
	while (inputs->nr_files)
		free(inputs->files[--inputs->nr_files]);
	free(inputs->files);
	free(inputs->sources);
	*inputs = (struct prof_inputs){ 0 };
}
