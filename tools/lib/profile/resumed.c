// SPDX-License-Identifier: GPL-2.0-only
#include "profile/resumed.h"
#include "base/array.h"
#include "profile/suffix.h"

#include <stdlib.h>
#include <string.h>

/*
 * clang 19 gives the parts the coroutine's name. They are told by what they were inlined into:
 * std::coroutine_handle::resume() and destroy() call nothing else but members of the library.
 */
static bool is_in_handle(const char *name, const char *parent)
{
	return !strncmp(parent, "_ZNKSt", 6) && strstr(parent, "16coroutine_handle") &&
	       (strstr(parent, "E6resume") || strstr(parent, "E7destroy")) &&
	       strncmp(name, "_ZNKSt", 6) != 0;
}

bool prof_is_resumed(const struct prof *prof, const struct prof_lines *lines, uint32_t scope)
{
	const struct prof_scope *sc = &lines->scopes[scope];

	return prof_name_is_resumed(sc->name) ||
	       (prof->weighed && sc->parent != PROF_NO_SCOPE &&
		is_in_handle(sc->name, lines->scopes[sc->parent].name));
}

/* The spans come by address. False: out of memory. */
static bool add_parts(struct prof_resumed *parts, bool *known, const struct prof_lines *lines,
		      const bool *is_part, const struct prof_span *span)
{
	uint32_t scope = span->scope, up;

	for (; scope != PROF_NO_SCOPE && !known[scope]; scope = up) {
		up = lines->scopes[scope].parent;
		known[scope] = true;
		if (!is_part[scope])
			continue;
		if (!array_room(&parts->v, parts->nr, &parts->cap, sizeof(*parts->v)))
			return false;
		parts->v[parts->nr++] = (struct prof_resumed_part){ span->start, 0, scope };
	}
	return true;
}

bool prof_resumed_find(struct prof_resumed *parts, const struct prof *prof,
		       const struct prof_lines *lines, const bool *is_part)
{
	bool *known = calloc(lines->nr_scopes + 1, sizeof(*known)), done = known;
	size_t i;

	for (i = 0; prof->weighed && done && i < lines->nr_spans; i++)
		done = add_parts(parts, known, lines, is_part, &lines->spans[i]);
	free(known);
	return done;
}

void prof_resumed_count(struct prof_resumed *parts, uint64_t addr, uint64_t count)
{
	while (parts->at < parts->nr && parts->v[parts->at].addr < addr)
		parts->at++;
	for (; parts->at < parts->nr && parts->v[parts->at].addr == addr; parts->at++)
		parts->v[parts->at].count = count;
}
