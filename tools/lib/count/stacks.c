// SPDX-License-Identifier: GPL-2.0-only
#include "count/stacks.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Leave out every second one. */
static void thin(struct count_stacks *s)
{
	size_t i, begin = 0, nr = 0, nr_lines = 0;

	for (i = 0; i < s->nr; i++) {
		const struct count_stack stack = s->v[i];
		const size_t n = stack.end - begin;

		if (!(i & 1)) {
			memmove(&s->lines[nr_lines], &s->lines[begin],
				n * sizeof(*s->lines));
			nr_lines += n;
			s->v[nr++] = (struct count_stack){ nr_lines, stack.own };
		}
		begin = stack.end;
	}
	/* The one that comes next is as far from the last as those before it. */
	s->next = s->nr & 1 ? s->every : 0;
	s->every *= 2;
	s->nr = nr;
	s->nr_lines = nr_lines;
}

bool count_stacks_begin(struct count_stacks *s)
{
	if (!s->every)
		s->every = 1;
	if (!s->next && s->nr_lines >= COUNT_STACKS_MOST)
		thin(s);
	if (s->next) {
		s->next--;
		return false;
	}
	s->next = s->every - 1;
	return true;
}

bool count_stacks_add(struct count_stacks *s, const uint32_t *steps,
		      const uint32_t *weights, unsigned int nr)
{
	struct count_line *line;
	unsigned int i;

	while (nr > s->cap_lines - s->nr_lines)
		if (!array_grow(&s->lines, &s->cap_lines, sizeof(*s->lines)))
			return false;
	line = s->lines + s->nr_lines;
	s->nr_lines += nr;
	for (i = 0; i < nr; i++)
		line[i] = (struct count_line){ steps[i], weights ? weights[i] : 1 };
	return true;
}

bool count_stacks_end(struct count_stacks *s, float own)
{
	if (!array_room(&s->v, s->nr, &s->cap, sizeof(*s->v)))
		return false;
	s->v[s->nr++] = (struct count_stack){ s->nr_lines, own };
	return true;
}

void count_stacks_clear(struct count_stacks *s)
{
	s->nr = s->nr_lines = 0;
	s->every = s->next = 0;
}

void count_stacks_free(struct count_stacks *s)
{
	free(s->lines);
	free(s->v);
	*s = (struct count_stacks){ 0 };
}
