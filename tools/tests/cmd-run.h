/* SPDX-License-Identifier: GPL-2.0-only */
/* Running the command as a user would, and looking at what it says. */
#ifndef TESTS_CMD_RUN_H
#define TESTS_CMD_RUN_H

#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static char run_out[1 << 18], run_err[1 << 16];

static inline void run_read(const char *path, char *buf, size_t room)
{
	FILE *f = fopen(path, "r");
	size_t n;

	CHECK(f);
	n = fread(buf, 1, room - 1, f);
	buf[n] = 0;
	fclose(f);
	unlink(path);
}

/* A file in the test's own folder. */
static inline void write_text(const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

/*
 * Run shell commands, in which `ssctr` is the sanitised one beside this
 * program. Returns the exit status, and leaves what was written in run_out and
 * run_err.
 */
__attribute__((format(printf, 1, 2))) static inline int run(const char *fmt,
							    ...)
{
	char command[2048], full[6000], self[1024], out[128], err[128];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	va_list ap;
	int status;

	CHECK(n > 0);
	self[n] = 0;
	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(out, sizeof(out), "%s/run.out", test_tmpdir());
	snprintf(err, sizeof(err), "%s/run.err", test_tmpdir());
	snprintf(full, sizeof(full), "PATH=%s:$PATH; { %s\n} >%s 2>%s",
		 dirname(self), command, out, err);
	status = system(full);
	run_read(out, run_out, sizeof(run_out));
	run_read(err, run_err, sizeof(run_err));
	/* A sanitizer's report would otherwise pass for a refusal. */
	if (strstr(run_err, "Sanitizer") || strstr(run_err, "runtime error"))
		test_fail(__FILE__, __LINE__, "%s", run_err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* A terminal for a command to write to, by its path; close_terminal() leaves in run_out what it got. */
static int run_terminal = -1, run_terminal_user = -1;

static inline const char *open_terminal(void)
{
	const char *path;

	run_terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (run_terminal < 0 || grantpt(run_terminal) || unlockpt(run_terminal))
		test_skip("no terminals here");
	path = ptsname(run_terminal);
	/* What was written is kept as long as somebody has it open. */
	run_terminal_user = path ? open(path, O_RDWR | O_NOCTTY) : -1;
	if (run_terminal_user < 0)
		test_skip("no terminals here");
	return path;
}

static inline void close_terminal(void)
{
	size_t nr = 0;
	ssize_t n;

	while ((n = read(run_terminal, run_out + nr, sizeof(run_out) - 1 - nr)) > 0)
		nr += n;
	run_out[nr] = 0;
	close(run_terminal_user);
	close(run_terminal);
}

/* The newest one of LLVM's tools of that name. */
static inline const char *find_tool(const char *name)
{
	static char path[256];

	if (run("ls -v /usr/lib/llvm-*/bin/%s 2>&- | tail -n 1 | grep .", name))
		test_skip(name);
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(run_out, "\n"),
		 run_out);
	return path;
}

/* The command wrote this to standard output, and nothing to the other. */
#define CHECK_PRINTS(_want)                                                    \
	do {                                                                   \
		CHECK_STR(run_out, _want);                                     \
		CHECK_STR(run_err, "");                                        \
	} while (0)

/* A failure is one line that says this. */
#define CHECK_SAYS(_text)                                                      \
	do {                                                                   \
		size_t _n = strlen(run_err);                                   \
		if (!strstr(run_err, _text))                                   \
			test_fail(__FILE__, __LINE__, "no \"%s\" in \"%s\"",   \
				  _text, run_err);                             \
		CHECK(_n && strchr(run_err, '\n') == run_err + _n - 1);        \
	} while (0)

#endif
