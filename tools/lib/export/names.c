// SPDX-License-Identifier: GPL-2.0-only
#include "export/names.h"

#include <stdlib.h>
#include <string.h>

/* As image/inlines.c has it. */
enum { MAX_INLINED = 64 };

/* The functions at a place: those of the source lines, and that of the symbol. */
struct found {
	struct img_frame v[MAX_INLINED];
	size_t nr;
	const char *symbol; /* NULL: not known */
};

bool export_names_begin(struct export_names *names, struct img *img, bool demangle,
			const struct cf_head *head)
{
	*names = (struct export_names){ .img = img, .head = head };
	if (!img)
		return true;
	names->files = calloc(head->nr_binaries + 1, sizeof(*names->files));
	names->demangler = demangle ? img_demangler_new() : NULL;
	return names->files && (names->demangler || !demangle);
}

static void find_in_file(struct export_names *names, uint32_t number, uint64_t offset,
			 struct found *found)
{
	const struct cf_binary *binary = &names->head->binaries[number];
	struct img_file **file = &names->files[number];
	uint64_t from_start;

	if (!*file)
		*file = img_file(names->img, binary->name, binary->build_id,
				 binary->build_id_size);
	if (!*file || img_file_state(*file) != IMG_OK)
		return;
	found->nr = img_frames(*file, offset, found->v, MAX_INLINED);
	img_symbol(*file, offset, &found->symbol, &from_start);
}

static struct img_kernel kernel_of(const struct cf_binary *binary, uint64_t base)
{
	return (struct img_kernel){ binary->symbol, base, binary->build_id,
				    binary->build_id_size };
}

/* module: NULL: the kernel itself. */
static void find_in_kernel(struct export_names *names, const struct img_kernel *kernel,
			   const struct img_module *module, uint64_t addr, struct found *found)
{
	uint64_t from_start, linked;
	struct img_file *file;

	img_kernel_symbol(names->img, kernel, module, addr, &found->symbol, &from_start);
	file = img_kernel_file(names->img, kernel, module, addr, &linked);
	if (file)
		found->nr = img_frames_at(file, linked, found->v, MAX_INLINED);
}

static const char *shown(const struct export_names *names, const char *symbol)
{
	const char *name = names->demangler ? img_demangled(names->demangler, symbol) : symbol;

	return name ?: symbol;
}

static void add_line(const struct export_names *names, struct pprof *p, const char *name,
		     const char *symbol, const struct img_frame *frame)
{
	const char *known = symbol ?: name ?: "[inlined]";

	pprof_line(p, pprof_function(p, symbol ? shown(names, symbol) : known, known,
				     frame->path ?: "", frame->start),
		   frame->path ? frame->line : 0);
}

void export_names_add(struct export_names *names, struct pprof *p, uint32_t number,
		      uint64_t offset, uint64_t addr, uint64_t base)
{
	const struct cf_binary *binary = &names->head->binaries[number];
	const struct img_module module = { binary->name, binary->build_id, binary->build_id_size,
					   addr - offset };
	const struct img_kernel kernel = kernel_of(binary, base);
	const bool in_module = binary->kernel && !binary->symbol;
	struct found found = { .nr = 0 };
	const struct img_frame *outer;
	size_t i;

	if (!names->img)
		return;
	if (cf_is_made(binary))
		found.symbol = binary->name;
	else if (binary->kernel)
		find_in_kernel(names, &kernel, in_module ? &module : NULL, addr, &found);
	else
		find_in_file(names, number, offset, &found);
	names->nr_nameless_in_modules += in_module && !found.nr && !found.symbol;
	for (i = 0; i + 1 < found.nr; i++)
		add_line(names, p, found.v[i].name, found.v[i].symbol, &found.v[i]);
	outer = &found.v[found.nr ? found.nr - 1 : 0];
	if (found.nr || found.symbol)
		add_line(names, p, outer->name, found.symbol ?: outer->symbol, outer);
}

/* Those of this profile: img may know others, of other profiles. */
static unsigned int count_nameless_kernels(const struct export_names *names)
{
	struct img_kernel kernel;
	unsigned int nr = 0;
	size_t i;

	for (i = 0; names->img && i < names->head->nr_binaries; i++) {
		kernel = kernel_of(&names->head->binaries[i], 0);
		nr += img_kernel_is_nameless(names->img, &kernel);
	}
	return nr;
}

void export_names_end(struct export_names *names, struct notes *notes)
{
	const char *first = NULL;
	uint64_t nr = 0;
	size_t i;

	for (i = 0; names->files && i < names->head->nr_binaries; i++) {
		/* The vdso and the like have no file, and no error either. */
		if (!names->files[i] || !*img_file_error(names->files[i]))
			continue;
		first = first ?: img_file_error(names->files[i]);
		nr++;
	}
	notes_count(notes, nr, "binaries whose functions have no names; the first one: %s", first);
	notes_count(notes, count_nameless_kernels(names),
		    "kernels whose functions have no names; name the vmlinux of their build with --vmlinux or --code");
	notes_count(notes, names->nr_nameless_in_modules,
		    "addresses in modules of the kernel, of functions without names; name the files of the modules, which must not be compressed, with --code");
	free(names->files);
	img_demangler_free(names->demangler);
}
