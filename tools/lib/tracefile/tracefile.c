// SPDX-License-Identifier: GPL-2.0-only
#include "tracefile/tracefile.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int64_t put(void *user, const void *data, size_t n)
{
	const struct outfile *out = user;

	return write(fileno(out->file), data, n);
}

static int64_t put_at(void *user, const void *data, size_t n, uint64_t offset)
{
	const struct outfile *out = user;

	return pwrite(fileno(out->file), data, n, (off_t)offset);
}

/* Readers take .zst for what zstd has compressed, which no writer makes. */
static bool is_zst(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcmp(dot, ".zst") || !strcmp(dot, ".zstd"));
}

int tracefile_open(struct tracefile *file, const char *path,
		   const struct stf_writer_opts *opts, struct error *error)
{
	struct stf_write_calls calls = { .size = sizeof(calls),
					 .user = &file->out,
					 .write = put };
	struct stf_writer_opts own = *opts;
	struct stf_error err;

	*file = (struct tracefile){ .path = path };
	if (is_zst(path))
		return error_set(error, ERROR_OUTPUT,
				 "%s: .zst is only read; use a name that ends in .zstf, which is compressed with zstd, or in .stf.gz, .stf.xz or .stf",
				 path);
	if (outfile_open(&file->out, path))
		return error_set(error, ERROR_OUTPUT, "%s: %s%s", path,
				 strerror(errno), file_remedy(errno));
	if (lseek(fileno(file->out.file), 0, SEEK_CUR) >= 0)
		calls.write_at = put_at;
	own.name = strcmp(path, "-") ? path : "(stdout)";
	own.container = stf_container_by_name(path);
	file->writer = stf_writer_open_calls(&calls, &own, &err);
	if (file->writer)
		return 0;
	outfile_close(&file->out, false);
	return error_set(error, ERROR_OUTPUT, "%s", err.text);
}

int tracefile_close(struct tracefile *file, bool keep, struct error *error)
{
	struct stf_writer *writer = file->writer;
	const char *path = file->path;
	struct stf_error err;
	int ret = 0;

	if (!writer)
		return 0;
	file->writer = NULL;
	if (!keep)
		stf_writer_abort(writer);
	else if (stf_writer_close(writer, &err))
		ret = error_set(error, ERROR_OUTPUT, "%s", err.text);
	if (outfile_close(&file->out, keep && !ret) && !ret)
		ret = error_set(error, ERROR_OUTPUT, "cannot write %s: %s",
				path, strerror(errno));
	return ret;
}

size_t tracefile_stem(const char *path)
{
	static const char *const endings[] = { ".zstf", ".stf.gz", ".stf.xz", ".stf" };
	const size_t size = strlen(path);
	unsigned int i;
	size_t n;

	for (i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		n = strlen(endings[i]);
		if (n < size && !strcmp(path + size - n, endings[i]))
			return size - n;
	}
	return size;
}
