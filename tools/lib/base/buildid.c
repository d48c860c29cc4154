// SPDX-License-Identifier: GPL-2.0-only
#include "base/buildid.h"
#include "base/file.h"

#include <elf.h>
#include <string.h>

size_t buildid_of_notes(const char *path, uint8_t *id, size_t max)
{
	char notes[4096];
	ssize_t got = file_read(notes, sizeof(notes), "%s", path);
	uint64_t n = got < 0 ? 0 : got, at = 0;

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
