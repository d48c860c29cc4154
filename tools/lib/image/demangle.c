// SPDX-License-Identifier: GPL-2.0-only
#include "image/demangle.h"
#include "base/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* abi::__cxa_demangle() of the C++ ABI: allocates without a buffer; *status 0: done. */
typedef char *demangle_t(const char *name, char *buf, size_t *size, int *status);

struct img_demangler {
	demangle_t *demangle;
};

struct img_demangler *img_demangler_new(void)
{
	struct img_demangler *demangler = calloc(1, sizeof(*demangler));
	void *library = demangler ? library_open("libstdc++.so.6") : NULL;

	if (library &&
	    library_find(library, "__cxa_demangle", &demangler->demangle))
		return demangler;
	free(demangler);
	return NULL;
}

char *img_demangle(const struct img_demangler *demangler, const char *name)
{
	/* What is behind an @ is no part of it, such as the @plt of an entry of the PLT. */
	const char *at = strchrnul(name, '@');
	char *symbol, *text, *whole;
	int status;

	if (strncmp(name, "_Z", 2))
		return NULL;
	symbol = strndup(name, at - name);
	text = symbol ? demangler->demangle(symbol, NULL, NULL, &status) : NULL;
	free(symbol);
	if (!text || !*at)
		return text;
	if (asprintf(&whole, "%s%s", text, at) < 0)
		whole = NULL;
	free(text);
	return whole;
}

bool img_is_named(const char *symbol, const char *demangled, const char *word,
		  size_t size)
{
	if (!strncmp(symbol, word, size) && (!symbol[size] || symbol[size] == '.'))
		return true;
	return demangled && !strncmp(demangled, word, size) &&
	       (!demangled[size] || demangled[size] == '(');
}

void img_demangler_free(struct img_demangler *demangler)
{
	free(demangler);
}
