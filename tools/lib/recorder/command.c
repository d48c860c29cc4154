// SPDX-License-Identifier: GPL-2.0-only
#include "recorder/command.h"
#include "base/keeps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the new process: nothing but what may be called after a fork. */
static _Noreturn void wait_and_execute(int go, int failed, char **argv,
				       const sigset_t *mask, enum rcd_prints prints)
{
	const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	int error, fd;
	char c;

	sigprocmask(SIG_SETMASK, mask, NULL);
	/* The recorder may ignore them. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	/* No word: nothing came of the recording. */
	if (read(go, &c, 1) != 1)
		_exit(0);
	if (prints == RCD_PRINTS_TO_STDERR)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	for (fd = 0; fd <= STDERR_FILENO && prints == RCD_PRINTS_NOTHING; fd++)
		dup2(nowhere, fd);
	execvp(argv[0], argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static int failed(const struct rcd_command *c, int code, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s: %s", c->name, strerror(code));
}

/* That is not the command's fault. */
static int not_started(const struct rcd_command *c, int code, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s was not run: %s%s", c->name, strerror(code),
			 code == EMFILE ? "; raise `ulimit -n`" : "");
}

int rcd_command_start(struct rcd_command *c, char **argv, const sigset_t *mask,
		      enum rcd_prints prints, struct error *error)
{
	int go[2], why[2], code;

	*c = (struct rcd_command){ .name = argv[0], .mask = *mask };
	if (pipe2(go, O_CLOEXEC))
		return not_started(c, errno, error);
	if (pipe2(why, O_CLOEXEC)) {
		code = errno;
		close(go[0]);
		close(go[1]);
		return not_started(c, code, error);
	}
	c->pid = fork();
	code = errno;
	if (!c->pid) {
		close(go[1]);
		close(why[0]);
		wait_and_execute(go[0], why[1], argv, mask, prints);
	}
	close(go[0]);
	close(why[1]);
	c->go = go[1];
	c->failed = why[0];
	c->started = c->pid > 0;
	if (c->started)
		return 0;
	c->pid = 0;
	close(go[1]);
	close(why[0]);
	return not_started(c, code, error);
}

int rcd_command_go(struct rcd_command *c, struct error *error)
{
	/* It was waiting for this. */
	if (write(c->go, "", 1) != 1)
		return error_set(error, ERROR_INPUT,
				 "%s was not run, because its process was killed before", c->name);
	/* Closed by the execution: then there is nothing to read. */
	if (read(c->failed, &c->why, sizeof(c->why)) != sizeof(c->why))
		return 0;
	return failed(c, c->why, error);
}

/* As execvp() finds it. */
static bool find(const char *name, char *path, size_t size)
{
	const char *at = strchr(name, '/') ? NULL : getenv("PATH");
	size_t len;

	if (!at)
		return snprintf(path, size, "%s", name) < (int)size;
	for (; *at; at += len + (at[len] == ':')) {
		len = strcspn(at, ":");
		if (snprintf(path, size, "%.*s%s%s", (int)len, at, len ? "/" : "",
			     name) < (int)size && !eaccess(path, X_OK))
			return true;
	}
	return false;
}

bool rcd_command_is(const char *name, const char *output)
{
	char path[PATH_MAX];

	return find(name, path, sizeof(path)) && keeps_is_same(output, path);
}

const char *rcd_command_hides(const struct rcd_command *c)
{
	char path[PATH_MAX];
	struct stat st;

	if (!find(c->name, path, sizeof(path)) || stat(path, &st))
		return NULL;
	if (st.st_mode & S_ISUID && st.st_uid != geteuid())
		return "is set-uid";
	/* Without the group's x, it is a mark for locks. */
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid())
		return "is set-gid";
	return eaccess(path, R_OK) ? "cannot be read" : NULL;
}

bool rcd_command_ended(struct rcd_command *c)
{
	if (c->pid && waitpid(c->pid, &c->status, WNOHANG) == c->pid) {
		c->pid = 0;
		c->ended = true;
	}
	return c->ended;
}

int rcd_command_end(struct rcd_command *c)
{
	if (!c->started)
		return 0;
	close(c->go);
	close(c->failed);
	if (!rcd_command_ended(c)) {
		kill(c->pid, SIGTERM);
		/* It may ignore this, and whoever waits with us must be able to end us. */
		sigprocmask(SIG_SETMASK, &c->mask, NULL);
		waitpid(c->pid, &c->status, 0);
		c->pid = 0;
		return 0;
	}
	return WIFEXITED(c->status) ? WEXITSTATUS(c->status) :
				      128 + WTERMSIG(c->status);
}
