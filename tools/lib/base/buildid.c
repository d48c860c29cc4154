// SPDX-License-Identifier: GPL-2.0-only
#include "base/buildid.h"
#include "base/file.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* In n bytes of notes. Returns the number of its bytes, or 0. */
static size_t find(const char *notes, uint64_t n, uint8_t *id, size_t max)
{
	uint64_t at = 0;

	while (n >= 12 && at <= n - 12) {
		uint32_t head[3]; /* sizes of name and text, type */
		uint64_t name, text;

		memcpy(head, notes + at, sizeof(head));
		name = at + 12;
		text = name + (head[0] + 3ull) / 4 * 4;
		at = text + (head[1] + 3ull) / 4 * 4;
		if (at > n)
			break;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 &&
		    !memcmp(notes + name, "GNU", 4) && head[1] <= max) {
			memcpy(id, notes + text, head[1]);
			return head[1];
		}
	}
	return 0;
}

size_t buildid_of_notes(const char *path, uint8_t *id, size_t max)
{
	char notes[4096];
	ssize_t got = file_read(notes, sizeof(notes), "%s", path);

	return got < 0 ? 0 : find(notes, got, id, max);
}

size_t buildid_of_vdso(uint8_t *id, size_t max)
{
	const ElfW(Ehdr) *elf = (const void *)getauxval(AT_SYSINFO_EHDR);
	const char *begin = (const char *)elf;
	const ElfW(Phdr) *part;
	size_t size = 0, i;

	for (i = 0; elf && i < elf->e_phnum && !size; i++) {
		part = (const void *)(begin + elf->e_phoff + i * elf->e_phentsize);
		/* It is mapped as it lies in the file. */
		if (part->p_type == PT_NOTE)
			size = find(begin + part->p_offset, part->p_filesz, id, max);
	}
	return size;
}
