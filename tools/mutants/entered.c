// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which functions a test enters, for tools/mutants/run: it is linked into the shared
 * object that the tests test, and called at the beginning of each function
 * (-finstrument-functions). Each program has a file in the folder $ENTERED, in which a
 * byte is set for each function that it entered: at the function's address in the
 * shared object, and behind these, at that in the program.
 *
 * The file is mapped, so that it has all whatever way a program ends, and no test that
 * limits files is disturbed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))
/* tools/mutants/run knows it, too. */
#define ROOM ((uintptr_t)8 << 20)

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static char *map;
static uintptr_t program;

UNSEEN __attribute__((constructor)) static void begin(void)
{
	const char *folder = getenv("ENTERED");
	const int old = errno;
	char path[4096];
	void *mapped;
	int fd;

	if (!folder)
		return;
	/* Its program headers follow its ELF header of 64 bytes. */
	program = getauxval(AT_PHDR) - 64;
	snprintf(path, sizeof(path), "%s/%s", folder, program_invocation_short_name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	if (!ftruncate(fd, 2 * ROOM)) {
		mapped = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (mapped != MAP_FAILED)
			map = mapped;
	}
	close(fd);
	errno = old;
}

UNSEEN void __cyg_profile_func_enter(void *function, void *caller);
UNSEEN void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
	const uintptr_t at = (uintptr_t)function;
	const uintptr_t here = (uintptr_t)__ehdr_start;

	(void)caller;
	if (!map)
		return;
	if (at - here < ROOM)
		map[at - here] = 1;
	else if (at - program < ROOM)
		map[ROOM + at - program] = 1;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
}
