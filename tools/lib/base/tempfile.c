// SPDX-License-Identifier: GPL-2.0-only
#include "base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *tempfile_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/var/tmp";
}

int tempfile_open(void)
{
	const char *folder = tempfile_folder();
	char *path;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* Not all file systems have files without a name. */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	if (asprintf(&path, "%s/ssctr-XXXXXX", folder) < 0)
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}
