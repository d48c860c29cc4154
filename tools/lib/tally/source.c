// SPDX-License-Identifier: GPL-2.0-only
#include "tally/tally.h"
#include "base/md5.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int label_of(const char *path, int fd, uint8_t *label, struct error *error)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st))
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return error_set(error, ERROR_INPUT, "%s: not a regular file with contents",
				 path);
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	md5(label, map, st.st_size);
	munmap(map, st.st_size);
	return 0;
}

int tally_source_of_file(const char *path, struct cf_source *source,
			 struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	*source = (struct cf_source){ 0 };
	if (fd < 0)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	ret = label_of(path, fd, source->label, error);
	close(fd);
	return ret;
}
