// SPDX-License-Identifier: GPL-2.0-only
/* The protocol of sd_notify(3), with a socket that this test opens as a manager does. */
#include "test.h"

#include "collect/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Listen at an address of so many bytes. */
static int listen_at(const struct sockaddr_un *at, size_t length)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	CHECK(!bind(fd, (const struct sockaddr *)at,
		    offsetof(struct sockaddr_un, sun_path) + length));
	return fd;
}

static void check_received(int fd)
{
	char text[64] = "";

	CHECK_EQ(notify_send("READY=1\nSTATUS=well"), 1);
	CHECK(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT) > 0);
	CHECK_STR(text, "READY=1\nSTATUS=well");
	close(fd);
}

TEST(without_a_manager_nothing_is_sent)
{
	unsetenv("NOTIFY_SOCKET");
	CHECK_EQ(notify_send("READY=1"), 0);
	setenv("NOTIFY_SOCKET", "", 1);
	CHECK_EQ(notify_send("READY=1"), 0);
}

TEST(a_socket_by_its_path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/notify", test_tmpdir());
	setenv("NOTIFY_SOCKET", at.sun_path, 1);
	check_received(listen_at(&at, strlen(at.sun_path) + 1));
}

TEST(an_abstract_socket)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char name[100];
	const int length = snprintf(name, sizeof(name), "@ssctr-test-%d", getpid());

	memcpy(at.sun_path, name, length);
	at.sun_path[0] = 0;
	setenv("NOTIFY_SOCKET", name, 1);
	check_received(listen_at(&at, length));
}

TEST(a_socket_that_is_none)
{
	char name[300];

	setenv("NOTIFY_SOCKET", "relative", 1);
	CHECK_EQ(notify_send("READY=1"), -EINVAL);
	memset(name, 'x', sizeof(name));
	name[0] = '/';
	name[sizeof(name) - 1] = 0;
	setenv("NOTIFY_SOCKET", name, 1);
	CHECK_EQ(notify_send("READY=1"), -EINVAL);
	setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
	CHECK_EQ(notify_send("READY=1"), -ENOENT);
}
