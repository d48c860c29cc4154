/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of C++ and Rust functions as their programmers write them. The C++ library makes
 * the names of C++, and LLVM's library those of Rust in the form v0. Those of Rust in the
 * older form need no library.
 */
#ifndef IMAGE_DEMANGLE_H
#define IMAGE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

struct img_demangler;

/* Returns NULL if out of memory. */
struct img_demangler *img_demangler_new(void);

/*
 * Returns the name that a symbol stands for. The caller frees it. Returns NULL if the
 * symbol is not mangled, or if this machine does not have the library.
 */
char *img_demangle(struct img_demangler *demangler, const char *name);

/*
 * Returns the name to show for a symbol: the name that it stands for, or the symbol itself.
 * It is made once for each address of a symbol, and valid as long as the demangler and the
 * symbol. Returns NULL if out of memory.
 */
const char *img_demangled(struct img_demangler *demangler, const char *symbol);

/*
 * Returns whether a word of size bytes names a function: by its symbol, also without what
 * compilers append to that of a copy or a part (main.cold), or by its name in the source,
 * with or without parameters, the type that it returns, and the arguments of templates, also
 * those of a class (n::V::get for n::V<int>::get). demangled may be NULL.
 */
bool img_is_named(const char *symbol, const char *demangled, const char *word,
		  size_t size);

/* demangler may be NULL. */
void img_demangler_free(struct img_demangler *demangler);

#endif
