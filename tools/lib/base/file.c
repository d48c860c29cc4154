// SPDX-License-Identifier: GPL-2.0-only
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * /dev/kmsg gives a record at each read, EPIPE for those that it has lost meanwhile,
 * and EAGAIN at the end.
 */
__attribute__((format(printf, 3, 0))) static ssize_t
read_path(char *text, size_t size, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	size_t nr = 0;
	ssize_t n = -1;
	int fd = -1;

	*text = 0;
	errno = ENAMETOOLONG;
	if (vsnprintf(path, sizeof(path), fmt, ap) < (int)sizeof(path))
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (nr < size - 1) {
		n = read(fd, text + nr, size - 1 - nr);
		if (n > 0)
			nr += n;
		else if (!n || (errno != EPIPE && errno != EINTR))
			break;
	}
	text[nr] = 0;
	close(fd);
	return n < 0 && !nr ? -1 : (ssize_t)nr;
}

ssize_t file_read(char *text, size_t size, const char *fmt, ...)
{
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	n = read_path(text, size, fmt, ap);
	va_end(ap);
	return n;
}

bool file_line(char *line, size_t size, const char *fmt, ...)
{
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	n = read_path(line, size, fmt, ap);
	va_end(ap);
	line[strcspn(line, "\n")] = 0;
	return n > 0;
}

size_t file_nr_open(void)
{
	enum { IF_NOTHING_TELLS = 64 };
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	if (!dir)
		return IF_NOTHING_TELLS;
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 3; /* two names of folders, and this one */
}

size_t file_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? SIZE_MAX : limit.rlim_cur;
}

void file_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

const char *file_remedy(int code)
{
	return code == EMFILE ? "; raise the limit with `ulimit -n`" : "";
}

/* The page goes with the mapping that it is in. */
static void fill_page(int nr, siginfo_t *info, void *context)
{
	const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)info->si_addr & -size);

	(void)context;
	if (info->si_code != BUS_ADRERR ||
	    mmap(page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		signal(nr, SIG_DFL);
}

void file_survive_cuts(void)
{
	struct sigaction action = { .sa_sigaction = fill_page, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
