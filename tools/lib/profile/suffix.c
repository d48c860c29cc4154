// SPDX-License-Identifier: GPL-2.0-only
#include "profile/suffix.h"

#include <string.h>

/* Where the last '.' of the first n bytes is; n: there is none. */
static size_t last_dot(const char *name, size_t n)
{
	size_t i = n;

	while (i > 0)
		if (name[--i] == '.')
			return i;
	return n;
}

static bool is_word(const char *at, size_t size, const char *word)
{
	return strlen(word) == size && !memcmp(at, word, size);
}

/* Does ".WORD" end at the byte n? Then n becomes where it starts. */
static bool ends_in(const char *name, size_t *n, const char *const *words,
		    size_t nr)
{
	size_t dot = last_dot(name, *n), i;

	for (i = 0; dot < *n && i < nr; i++)
		if (is_word(name + dot + 1, *n - dot - 1, words[i])) {
			*n = dot;
			return true;
		}
	return false;
}

static bool ends_in_resumed(const char *name, size_t *n)
{
	static const char *const words[] = { "resume", "destroy", "cleanup" };

	return ends_in(name, n, words, 3);
}

/* In this order, each once: of "x.part.1.llvm.2" x is left, of "x.llvm.2.part.1" not. */
static size_t llvm_size(const char *name, size_t n)
{
	static const char *const words[] = { "llvm", "part" };
	size_t i, at;

	for (i = 0; i < 2; i++) {
		at = last_dot(name, n);
		if (at < n && ends_in(name, &at, &words[i], 1))
			n = at;
	}
	/* Of "x.llvm.2.resume" x is left: LLVM reads the profile before it splits coroutines. */
	return ends_in_resumed(name, &n) ? llvm_size(name, n) : n;
}

/* "foo.0" is a function inside of foo, and has its name. */
static size_t gcc_16_size(const char *name, size_t n)
{
	static const char *const words[] = { "isra", "constprop", "lto_priv",
					     "part", "cold" };
	size_t dot, at;

	while (at = dot = last_dot(name, n), dot < n) {
		if (strspn(name + dot + 1, "0123456789") != n - dot - 1 ||
		    !ends_in(name, &at, words, sizeof(words) / sizeof(*words)))
			break;
		n = at;
	}
	return n;
}

size_t prof_name_size(const char *name, enum prof_compiler compiler)
{
	switch (compiler) {
	case PROF_LLVM:
		return llvm_size(name, strlen(name));
	case PROF_GCC_16:
		return gcc_16_size(name, strlen(name));
	default:
		return strcspn(name, ".");
	}
}

bool prof_name_is_part(const char *name)
{
	static const char *const words[] = { "part", "cold" };
	size_t n = strlen(name), dot = last_dot(name, n);

	if (dot < n && strspn(name + dot + 1, "0123456789") == n - dot - 1)
		n = dot;
	return ends_in(name, &n, words, 2);
}

bool prof_name_is_resumed(const char *name)
{
	size_t n = strlen(name);

	return ends_in_resumed(name, &n);
}
