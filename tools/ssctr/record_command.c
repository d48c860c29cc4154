// SPDX-License-Identifier: GPL-2.0-only
#include "record_command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the new process: nothing but what may be called after a fork. */
static _Noreturn void wait_and_execute(int go, int failed, char **argv,
				       const sigset_t *mask, bool to_stderr)
{
	char c;
	int error;

	sigprocmask(SIG_SETMASK, mask, NULL);
	/* No word: nothing came of the recording. */
	if (read(go, &c, 1) != 1)
		_exit(0);
	if (to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

int record_command_start(struct record_command *c, char **argv,
			 const sigset_t *mask, bool to_stderr)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC))
		return -1;
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return -1;
	}
	*c = (struct record_command){ .go = go[1], .failed = failed[0] };
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		close(failed[0]);
		wait_and_execute(go[0], failed[1], argv, mask, to_stderr);
	}
	close(go[0]);
	close(failed[1]);
	c->started = c->pid > 0;
	if (c->started)
		return 0;
	c->pid = 0;
	close(go[1]);
	close(failed[0]);
	return -1;
}

int record_command_go(struct record_command *c)
{
	int error = 0;

	if (write(c->go, "", 1) != 1)
		return errno;
	/* Closed by the execution: then there is nothing to read. */
	if (read(c->failed, &error, sizeof(error)) != sizeof(error))
		return 0;
	return error;
}

bool record_command_ended(struct record_command *c)
{
	if (c->pid && waitpid(c->pid, &c->status, WNOHANG) == c->pid) {
		c->pid = 0;
		c->ended = true;
	}
	return c->ended;
}

int record_command_end(struct record_command *c)
{
	if (!c->started)
		return 0;
	close(c->go);
	close(c->failed);
	if (!record_command_ended(c)) {
		kill(c->pid, SIGTERM);
		waitpid(c->pid, &c->status, 0);
		c->pid = 0;
		return 0;
	}
	return WIFEXITED(c->status) ? WEXITSTATUS(c->status) :
				      128 + WTERMSIG(c->status);
}
