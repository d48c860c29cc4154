// SPDX-License-Identifier: GPL-2.0-only
#include "export/body.h"
#include "base/outfile.h"
#include "base/own.h"
#include "export/otlp.h"
#include "stf/stf_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 65536 };

/* Compress or expand all of it. out: NULL: what comes of it is of no interest. */
static int run_gzip(bool compress, const uint8_t *v, size_t size, const char *name,
		    struct pb *out, struct error *error)
{
	const int bad = compress ? ERROR_OUTPUT : ERROR_INPUT;
	struct stf_error why;
	struct stf_filter *filter = stf_filter_gz(compress, name, &why);
	uint8_t chunk[CHUNK];
	int ended;

	if (!filter)
		return error_set(error, ERROR_OUTPUT, "%s", why.text);
	filter->in = v;
	filter->n_in = size;
	do {
		filter->out = chunk;
		filter->n_out = CHUNK;
		ended = filter->step(filter, true);
		if (out)
			pb_append(out, chunk, CHUNK - filter->n_out);
	} while (!ended && !filter->n_out);
	filter->close(filter);
	if (ended < 0)
		return error_set(error, bad, "%s", why.text);
	return ended ? 0 : error_set(error, bad, "%s: its end is missing", name);
}

static int compress(struct pb *out, const struct pb *in, const char *name,
		    struct error *error)
{
	return run_gzip(true, in->v, in->nr, name, out, error) ?:
	       out->failed ? error_nomem(error) : 0;
}

int body_check(const uint8_t *v, size_t size, const char *path, struct error *error)
{
	return run_gzip(false, v, size, path, NULL, error);
}

static int encode(struct export_profile *profile, const struct export_opts *opts,
		  struct pb *out, struct error *error)
{
	const bool ok = opts->format == EXPORT_OTLP ?
				export_otlp(profile, opts->service, out) :
				pprof_encode(&profile->pprof, out);

	return ok ? 0 : error_nomem(error);
}

static int make_message(struct body *body, struct cf_reader *reader,
			const struct export_opts *opts, struct pb *message,
			struct notes *notes, struct error *error)
{
	struct export_profile profile;
	int ret = export_profile_read(&profile, reader, &opts->naming, notes, error);

	body->begin = profile.head->begin;
	body->end = profile.head->end;
	if (!ret && !body->end)
		notes_add(notes, 1,
			  "profile without a time, because its recordings tell none; record with `ssctr record`, or with `perf record -k mono`");
	ret = ret ?: encode(&profile, opts, message, error);
	export_profile_free(&profile);
	return ret;
}

int body_make(struct body *body, const char *counts, const struct export_opts *opts,
	      bool gzip, struct notes *notes, struct error *error)
{
	struct pb message = { 0 }, packed = { 0 };
	struct cf_reader *reader;
	int ret = cf_reader_open(&reader, counts, error);

	*body = (struct body){ 0 };
	if (ret)
		return ret;
	ret = make_message(body, reader, opts, &message, notes, error);
	cf_reader_close(reader);
	if (!ret && gzip) {
		ret = compress(&packed, &message, counts, error);
		free(message.v);
		message = packed;
	}
	if (ret) {
		free(message.v);
		return ret;
	}
	body->v = message.v;
	body->size = message.nr;
	return 0;
}

bool body_is_gzip(const char *path)
{
	const size_t size = strlen(path);

	return size > 3 && !strcmp(path + size - 3, ".gz");
}

static int write_as(int (*open)(struct outfile *out, const char *path), const char *counts,
		    const char *path, const struct export_opts *opts, struct notes *notes,
		    struct error *error)
{
	struct outfile out;
	struct body body;
	int ret = body_make(&body, counts, opts, body_is_gzip(path), notes, error);

	if (ret)
		return ret;
	if (open(&out, path)) {
		ret = error_set(error, ERROR_OUTPUT, "%s: %s", path,
				open == outfile_open_inside ? own_strerror(errno) :
							      strerror(errno));
	} else {
		fwrite(body.v, 1, body.size, out.file);
		if (outfile_commit(&out))
			ret = error_set(error, ERROR_OUTPUT, "cannot write %s: %s", path,
					strerror(errno));
	}
	free(body.v);
	return ret;
}

int export_write(const char *counts, const char *path, const struct export_opts *opts,
		 struct notes *notes, struct error *error)
{
	return write_as(outfile_open, counts, path, opts, notes, error);
}

int export_write_inside(const char *counts, const char *path, const struct export_opts *opts,
			struct notes *notes, struct error *error)
{
	return write_as(outfile_open_inside, counts, path, opts, notes, error);
}
