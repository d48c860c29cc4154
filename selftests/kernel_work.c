// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a kernel is to be fast at (kernel-pgo.sh):
 *
 *   kernel_work calls|pipe|files|fork|network ROUNDS [WINDOW]
 *
 * With WINDOW, a character, the plug-in `counts` counts what the hart executes in the
 * kernel during the rounds, and nothing of what comes before and after them.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

static char *self;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void want(bool ok, const char *what)
{
	if (!ok)
		fail(what);
}

static pid_t start(void)
{
	pid_t pid = fork();

	want(pid >= 0, "fork");
	return pid;
}

static void wait_for(pid_t pid)
{
	int status;

	want(waitpid(pid, &status, 0) == pid && !status, "a child");
}

/* Of these a round has one, and does it again and again. */

static int zero;

static void calls_begin(void)
{
	zero = open("/dev/zero", O_RDONLY);
	want(zero >= 0, "/dev/zero");
}

static void calls_round(void)
{
	char bytes[3][16];
	struct iovec parts[3] = {
		{ bytes[0], 16 }, { bytes[1], 16 }, { bytes[2], 16 }
	};
	struct stat status;

	syscall(SYS_getppid);
	want(read(zero, bytes[0], 16) == 16, "read");
	want(readv(zero, parts, 3) == 48, "readv");
	want(!fstat(zero, &status), "fstat");
	close(dup(zero));
	umask(022);
}

/* A process that answers each byte. */

static int ask[2], answer[2];

static void ping(int to, int from)
{
	char byte = 'p';

	want(write(to, &byte, 1) == 1 && read(from, &byte, 1) == 1, "ping");
}

static void echo(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1)
		want(write(to, &byte, 1) == 1, "echo");
	_exit(0);
}

static void pipe_begin(void)
{
	want(!pipe(ask) && !pipe(answer), "pipe");
	if (!start()) {
		close(ask[1]);
		echo(ask[0], answer[1]);
	}
}

static void pipe_round(void)
{
	ping(ask[1], answer[0]);
}

static void pipe_end(void)
{
	close(ask[1]);
	wait(NULL);
}

/* Files that come and go, in memory. */

static void files_begin(void)
{
	want(!mkdir("/tmp/kernel_work", 0700) && !chdir("/tmp/kernel_work"), "mkdir");
}

static void files_round(void)
{
	static char page[4096];
	struct stat status;
	int file;

	file = open("a", O_RDWR | O_CREAT, 0600);
	want(file >= 0, "open");
	for (int i = 0; i < 4; i++)
		want(write(file, page, sizeof(page)) == sizeof(page), "write");
	want(!lseek(file, 0, SEEK_SET), "lseek");
	while (read(file, page, sizeof(page)) > 0)
		;
	close(file);
	want(!stat("/tmp/kernel_work/a", &status) && !rename("a", "b"), "rename");
	want(stat("a", &status) && !unlink("b"), "unlink");
}

static void files_end(void)
{
	want(!chdir("/") && !rmdir("/tmp/kernel_work"), "rmdir");
}

/* A program that does nothing: this one. */

static void fork_round(void)
{
	pid_t pid = start();

	if (!pid) {
		execl(self, self, "nothing", "0", NULL);
		_exit(1);
	}
	wait_for(pid);
}

/* A connection for each round, with a server in another process; and datagrams. */

static struct sockaddr_in address = { .sin_family = AF_INET };
static int listener, datagrams[2];

static int bound(int type)
{
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = 0;
	want(fd >= 0 && !bind(fd, (struct sockaddr *)&address, size) &&
	     !getsockname(fd, (struct sockaddr *)&address, &size), "bind");
	return fd;
}

static void serve(void)
{
	char bytes[512];
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		ssize_t nr;

		while ((nr = read(fd, bytes, sizeof(bytes))) > 0) {
			if (bytes[0] == 'q')
				_exit(0);
			want(write(fd, bytes, nr) == nr, "serve");
		}
		close(fd);
	}
	_exit(1);
}

/* The machine has started nothing that would have done it. */
static void loopback_up(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	want(fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &lo), "lo");
	close(fd);
}

static void network_begin(void)
{
	loopback_up();
	for (int i = 0; i < 2; i++)
		datagrams[i] = bound(SOCK_DGRAM);
	want(!connect(datagrams[0], (struct sockaddr *)&address, sizeof(address)),
	     "connect");
	listener = bound(SOCK_STREAM);
	want(!listen(listener, 16), "listen");
	if (!start())
		serve();
}

/* Neither side keeps the address of a connection that is over. */
static int connected(void)
{
	struct linger at_once = { .l_onoff = 1 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	want(fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	     !setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)),
	     "connect");
	return fd;
}

static void network_round(void)
{
	char bytes[512] = "";
	int fd = connected();

	for (int i = 0; i < 4; i++) {
		want(write(fd, bytes, sizeof(bytes)) == sizeof(bytes), "write");
		want(read(fd, bytes, sizeof(bytes)) == sizeof(bytes), "read");
	}
	close(fd);
	for (int i = 0; i < 4; i++) {
		want(send(datagrams[0], bytes, 64, 0) == 64, "send");
		want(recv(datagrams[1], bytes, 64, 0) == 64, "recv");
	}
}

static void network_end(void)
{
	int fd = connected();

	want(write(fd, "q", 1) == 1, "write");
	wait(NULL);
	close(fd);
}

static void nothing(void)
{
}

static const struct work {
	const char *name;
	void (*begin)(void), (*round)(void), (*end)(void);
} works[] = {
	{ "nothing", nothing, nothing, nothing },
	{ "calls", calls_begin, calls_round, nothing },
	{ "pipe", pipe_begin, pipe_round, pipe_end },
	{ "files", files_begin, files_round, files_end },
	{ "fork", nothing, fork_round, nothing },
	{ "network", network_begin, network_round, network_end },
};

int main(int argc, char **argv)
{
	const struct work *work = works, *end = works + sizeof(works) / sizeof(*works);
	int rounds = argc > 2 ? atoi(argv[2]) : 0;

	self = argv[0];
	while (argc > 2 && work < end && strcmp(work->name, argv[1]))
		work++;
	if (argc < 3 || work == end) {
		fputs("usage: kernel_work calls|pipe|files|fork|network ROUNDS [WINDOW]\n",
		      stderr);
		return 2;
	}
	work->begin();
	/* What is done once is not what it costs. */
	for (int i = 0; i < 2 && rounds; i++)
		work->round();
	if (argc > 3)
		mark(MARK_OPEN_HART, argv[3][0], 0);
	while (rounds--)
		work->round();
	if (argc > 3)
		mark(MARK_CLOSE, argv[3][0], 0);
	work->end();
	return 0;
}
