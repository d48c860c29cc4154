// SPDX-License-Identifier: GPL-2.0-only
#include "last/words.h"

/* RISC-V's system calls are the generic ones. */
#include <asm-generic/unistd.h>

/* The list is made when this is built. */
static const char *const names[] = {
#include SYSCALL_NAMES
};

const char *last_syscall_name(int number)
{
	return number >= 0 && number < (int)(sizeof(names) / sizeof(*names)) ? names[number] :
									     NULL;
}
