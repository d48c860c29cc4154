/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel that refuses a system call, from now on and for all that this process executes. */
#ifndef TESTS_REFUSE_CALL_H
#define TESTS_REFUSE_CALL_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* As if there were no file descriptor left. Returns false if this cannot be done here. */
static inline bool refuse_call(unsigned int nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* Skip the test where no call can be refused. */
static inline void want_refusals(void)
{
	const pid_t pid = fork();
	int status;

	if (!pid)
		_exit(!refuse_call(-1));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (status)
		test_skip("there is no seccomp here");
}

#endif
