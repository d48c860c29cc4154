// SPDX-License-Identifier: GPL-2.0-only
/*
 * terminal TEXT KEYS COMMAND [ARGUMENT]...: runs COMMAND on a terminal of its own. Once
 * the command has sent TEXT there, KEYS are typed. Prints what was sent, and exits with
 * the command's status, or 124 if TEXT did not come within a minute.
 */
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 600 /* s */, GAVE_UP = 124 };

static char sent[1 << 20];
static size_t nr;

/* More of it. False: the terminal is left, nothing comes, or there is too much. */
static bool look(int terminal)
{
	struct pollfd file = { .fd = terminal, .events = POLLIN };
	ssize_t n;

	if (poll(&file, 1, PATIENCE * 1000) != 1)
		return false;
	n = read(terminal, sent + nr, sizeof(sent) - 1 - nr);
	if (n <= 0)
		return false;
	nr += n;
	return true;
}

int main(int argc, char **argv)
{
	const struct winsize size = { .ws_row = 30, .ws_col = 120 };
	const time_t limit = time(NULL) + PATIENCE;
	int terminal, status = 0;
	pid_t pid;

	if (argc < 4)
		return 2;
	pid = forkpty(&terminal, NULL, NULL, &size);
	if (pid < 0)
		return 2;
	if (!pid) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	while (!strstr(sent, argv[1]) && time(NULL) < limit && look(terminal))
		;
	if (!strstr(sent, argv[1])) {
		fputs(sent, stdout);
		return GAVE_UP;
	}
	if (write(terminal, argv[2], strlen(argv[2])) < 0)
		return 2;
	while (look(terminal))
		;
	fputs(sent, stdout);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
