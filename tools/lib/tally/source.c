// SPDX-License-Identifier: GPL-2.0-only
#include "tally/tally.h"
#include "base/md5.h"
#include "base/xxh64.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a mapped file, whose pages are given back when they were read. */
static uint64_t xxh64_of(const uint8_t *p, size_t size)
{
	enum { PIECE = 1 << 22 };
	struct xxh64 x;
	size_t n;

	xxh64_begin(&x);
	for (; size; p += n, size -= n) {
		n = size < PIECE ? size : PIECE;
		xxh64_add(&x, p, n);
		madvise((void *)p, n, MADV_DONTNEED);
	}
	return xxh64_end(&x);
}

/* The ends, of which few recordings have the same, and a checksum of the whole. */
static void make_label(const uint8_t *p, size_t size, uint8_t *label)
{
	enum { END = 4096 };
	const size_t end = size < END ? size : END;
	uint8_t told[2 * END + 16] = { 0 };
	const uint64_t whole = xxh64_of(p, size), told_size = size;

	memcpy(told, p, end);
	memcpy(told + END, p + size - end, end);
	memcpy(told + 2 * END, &whole, sizeof(whole));
	memcpy(told + 2 * END + 8, &told_size, sizeof(told_size));
	md5(label, told, sizeof(told));
}

/*
 * Of the contents; zeros, if it is empty. Returns 1 if it has contents, 0 if it is empty, or
 * -1 with errno set; 0 in errno: it is no file.
 */
static int label_of(const char *path, uint8_t *label)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = -1;
	struct stat st;
	void *map;

	if (fd < 0)
		return -1;
	errno = 0;
	memset(label, 0, MD5_SIZE);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		ret = st.st_size ? 1 : 0;
		map = ret ? mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
		if (map == MAP_FAILED) {
			ret = -1;
		} else if (map) {
			make_label(map, st.st_size, label);
			munmap(map, st.st_size);
		}
	}
	close(fd);
	return ret;
}

/* `perf record --threads` and `--kcore` make folders with data, data.0, data.1, ... */
static int is_data(const struct dirent *e)
{
	return !strncmp(e->d_name, "data", 4);
}

/*
 * Returns like label_of(). Empty files are those of threads without records. They count, so
 * that the places of the others do.
 */
static int label_of_folder(const char *folder, uint8_t *label)
{
	struct dirent **files = NULL;
	uint8_t labels[2 * MD5_SIZE] = { 0 };
	int nr = scandir(folder, &files, is_data, alphasort), i, one, ret = nr < 0 ? -1 : 0;
	char *path;

	for (i = 0; i < nr; free(files[i++])) {
		if (ret < 0)
			continue;
		one = asprintf(&path, "%s/%s", folder, files[i]->d_name);
		if (one >= 0) {
			one = label_of(path, labels + MD5_SIZE);
			md5(labels, labels, sizeof(labels));
			free(path);
		}
		ret = one < 0 ? one : ret | one;
	}
	free(files);
	memcpy(label, labels, MD5_SIZE);
	return ret;
}

int tally_source_of_file(const char *path, struct cf_source *source,
			 struct error *error)
{
	struct stat st;
	int ret;

	*source = (struct cf_source){ 0 };
	errno = 0;
	ret = !stat(path, &st) && S_ISDIR(st.st_mode) ?
		      label_of_folder(path, source->label) :
		      label_of(path, source->label);
	if (ret > 0)
		return 0;
	return error_set(error, ERROR_INPUT, "%s: %s", path,
			 ret && errno ? strerror(errno) : "not a recording in a file");
}
