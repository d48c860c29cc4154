// SPDX-License-Identifier: GPL-2.0-only
/* What is said about files: that they are not used, or how they were found. */
#include "samples/samples.h"

/* Lines of one kind. A program may have thousands of files that a JIT made. */
enum { MOST_LINES = 10 };

typedef const char *text_of(struct img_file *file);

static const char *not_used(struct img_file *file)
{
	return img_file_error(file);
}

static const char *by_name(struct img_file *file)
{
	return *img_file_error(file) ? "" : img_file_by_name(file);
}

static const char *not_named(struct img_file *file)
{
	return img_file_unnamed(file);
}

/* Those with more samples come first, and else those that were asked for before. */
static bool is_before(const struct img *img, unsigned int a, unsigned int b)
{
	const uint64_t of_a = img_file_samples(img_file_at(img, a)),
		       of_b = img_file_samples(img_file_at(img, b));

	return of_a != of_b ? of_a > of_b : a < b;
}

/* The next file with a text; last: the one before, or the number of files. */
static unsigned int next_file(const struct img *img, text_of *text, unsigned int last)
{
	const unsigned int nr = img_nr_files(img);
	unsigned int i, next = nr;

	for (i = 0; i < nr; i++)
		if (*text(img_file_at(img, i)) && (last == nr || is_before(img, last, i)) &&
		    (next == nr || is_before(img, i, next)))
			next = i;
	return next;
}

static void note_files(const struct img *img, const char *kind, text_of *text,
		       struct notes *notes)
{
	const unsigned int nr = img_nr_files(img);
	unsigned int i, all = 0, at = nr;

	for (i = 0; i < nr; i++)
		all += !!*text(img_file_at(img, i));
	for (i = 0; i < all && i < MOST_LINES; i++) {
		at = next_file(img, text, at);
		notes_say(notes, kind, "%s", text(img_file_at(img, at)));
	}
	if (i < all)
		notes_say(notes, kind, "and %u more files", all - i);
}

void samples_note_files(const struct img *img, struct notes *notes)
{
	const char *nameless = img_kernel_names_error(img);

	note_files(img, "not used", not_used, notes);
	note_files(img, "by name", by_name, notes);
	note_files(img, "not named", not_named, notes);
	if (*nameless)
		notes_say(notes, "not named", "%s", nameless);
}

void samples_write_files(const struct img *img, FILE *file)
{
	struct notes notes = { 0 };

	samples_note_files(img, &notes);
	notes_write(&notes, file);
	notes_free(&notes);
}
