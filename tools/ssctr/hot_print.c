// SPDX-License-Identifier: GPL-2.0-only
#include "hot_print.h"
#include "base/plain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_behind(FILE *file, const char *binary, hot_put *put)
{
	fputs(" (", file);
	put(file, binary);
	putc(')', file);
}

void hot_put_function(FILE *file, const struct hot *hot, uint32_t function, hot_put *put)
{
	const struct hot_function *f = &hot->functions[function];

	/* Where no function is known the name is the binary's. */
	put(file, hot_name(hot, function));
	if (f->known)
		put_behind(file, f->binary, put);
}

void hot_print_function(FILE *file, const struct hot *hot, uint32_t function)
{
	hot_put_function(file, hot, function, plain_put);
}

static void put_offset(FILE *file, const struct hot *hot, uint32_t place, hot_put *put)
{
	const struct hot_place *p = &hot->places[place];

	put(file, hot_name(hot, p->function));
	if (hot_has_address(hot, place))
		fprintf(file, "+0x%" PRIx64, p->offset);
}

void hot_print_offset(FILE *file, const struct hot *hot, uint32_t place)
{
	put_offset(file, hot, place, plain_put);
}

static void put_binary(FILE *file, const struct hot *hot, uint32_t function, hot_put *put)
{
	if (hot->functions[function].has_namesake)
		put_behind(file, hot->functions[function].binary, put);
}

void hot_print_binary(FILE *file, const struct hot *hot, uint32_t function)
{
	put_binary(file, hot, function, plain_put);
}

static void put_line(FILE *file, const struct hot *hot, uint32_t place, hot_put *put)
{
	/* The second tells whether the first one was inlined. */
	struct img_frame v[2];
	const size_t nr = path_code_frames(hot->code, &hot->places[place].at, v, 2);

	if (!nr)
		return;
	fputs(" (", file);
	put(file, basename(v[0].path));
	fprintf(file, ":%u", v[0].line);
	if (nr > 1 && v[0].name) {
		fputs(" in ", file);
		put(file, v[0].name);
	}
	putc(')', file);
}

void hot_print_line(FILE *file, const struct hot *hot, uint32_t place)
{
	put_line(file, hot, place, plain_put);
}

void hot_put_place(FILE *file, const struct hot *hot, uint32_t place, hot_put *put)
{
	put_offset(file, hot, place, put);
	put_binary(file, hot, hot->places[place].function, put);
	put_line(file, hot, place, put);
}

void hot_print_place(FILE *file, const struct hot *hot, uint32_t place)
{
	hot_put_place(file, hot, place, plain_put);
}

void hot_trips_text(const struct hot_trips *t, char mean[24], char range[40])
{
	/* More digits than these are not known. */
	const int digits = t->mean < 100;

	*range = 0;
	snprintf(mean, 24, "-");
	if (t->known == HOT_COUNTED && t->least == t->most) {
		snprintf(mean, 24, "%u", t->most);
		snprintf(range, 40, "always");
	} else if (t->known == HOT_COUNTED) {
		snprintf(mean, 24, "%.*f", digits, t->mean);
		snprintf(range, 40, "%u to %u, median %u", t->least, t->most,
			 t->median);
	} else if (t->known == HOT_MEAN) {
		snprintf(mean, 24, "~%.*f", digits, t->mean);
		snprintf(range, 40, "mean only");
	} else if (t->known == HOT_ESTIMATED) {
		snprintf(mean, 24, "~%.*f", digits, t->mean);
		if (isfinite(t->high))
			snprintf(range, 40, "%.*f to %.*f", digits, t->low, digits,
				 t->high);
	}
	if (t->known && !*range)
		snprintf(range, 40, "%.*f or more", t->low < 100, t->low);
}
