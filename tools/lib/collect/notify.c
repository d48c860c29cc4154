// SPDX-License-Identifier: GPL-2.0-only
#include "collect/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int notify_send(const char *text)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	const size_t length = path ? strlen(path) : 0;
	int fd, ret = 1;

	if (!length)
		return 0;
	/* A path, or an abstract name that is written with "@" for its NUL. */
	if ((*path != '/' && *path != '@') || length >= sizeof(to.sun_path))
		return -EINVAL;
	memcpy(to.sun_path, path, length);
	if (*path == '@')
		to.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&to,
		   offsetof(struct sockaddr_un, sun_path) + length) < 0)
		ret = -errno;
	close(fd);
	return ret;
}
