/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of C++ functions as their programmers write them, by the C++ library. */
#ifndef IMAGE_DEMANGLE_H
#define IMAGE_DEMANGLE_H

struct img_demangler;

/* NULL: out of memory, or there is no libstdc++ on this machine. */
struct img_demangler *img_demangler_new(void);

/* What a symbol's name stands for, the caller's to free; NULL: it is not mangled. */
char *img_demangle(const struct img_demangler *demangler, const char *name);

/* NULL is allowed. */
void img_demangler_free(struct img_demangler *demangler);

#endif
