// SPDX-License-Identifier: GPL-2.0-only
#include "base/buildid.h"
#include "base/file.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

const uint8_t *buildid_in_notes(const void *notes, uint64_t n, uint64_t align, size_t *size)
{
	const uint64_t mask = align == 8 ? 7 : 3;
	const uint8_t *begin = notes;
	uint64_t at = 0;

	while (n >= 12 && at <= n - 12) {
		uint32_t head[3]; /* sizes of name and text, type */
		const uint64_t name = at + 12;
		uint64_t text, end;

		memcpy(head, begin + at, sizeof(head));
		text = (name + head[0] + mask) & ~mask;
		end = text + head[1];
		if (end > n)
			break;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 && !memcmp(begin + name, "GNU", 4)) {
			*size = head[1];
			return begin + text;
		}
		at = (end + mask) & ~mask;
	}
	return NULL;
}

/* Returns the number of its bytes, or 0. */
static size_t copy(const char *notes, uint64_t n, uint8_t *id, size_t max)
{
	size_t size;
	const uint8_t *found = buildid_in_notes(notes, n, 4, &size);

	if (!found || size > max)
		return 0;
	memcpy(id, found, size);
	return size;
}

size_t buildid_of_notes(const char *path, uint8_t *id, size_t max)
{
	char notes[4096];
	ssize_t got = file_read(notes, sizeof(notes), "%s", path);

	return got < 0 ? 0 : copy(notes, got, id, max);
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
			size = copy(begin + part->p_offset, part->p_filesz, id, max);
	}
	return size;
}
