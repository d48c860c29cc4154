// SPDX-License-Identifier: GPL-2.0-only
#include "image/demangle.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/library.h"
#include "image/rust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* abi::__cxa_demangle() of the C++ ABI: allocates without a buffer; *status 0: done. */
typedef char *cxx_t(const char *name, char *buf, size_t *size, int *status);

/* What libstdc++ passes for a std::string_view. */
struct view {
	size_t size;
	const char *text;
};

/* llvm::rustDemangle(), since version 17 and before. Both allocate. */
typedef char *rust_t(struct view name);
typedef char *rust_before_17_t(const char *name);

/* What img_demangled() has made. */
struct demangled {
	const char *symbol;
	char *text; /* NULL: the same as the symbol */
};

struct img_demangler {
	bool has_cxx, has_llvm; /* they were looked for, which takes a while */
	cxx_t *cxx; /* NULL: there is no library for it */
	rust_t *rust;
	rust_before_17_t *rust_before_17;
	struct demangled *names;
	size_t nr_names, cap_names;
	struct hash name_index;
};

struct img_demangler *img_demangler_new(void)
{
	return calloc(1, sizeof(struct img_demangler));
}

static char *demangle_cxx(struct img_demangler *demangler, const char *symbol)
{
	void *library = demangler->has_cxx ? NULL : library_open("libstdc++.so.6");
	int status;

	demangler->has_cxx = true;
	if (library)
		library_find(library, "__cxa_demangle", &demangler->cxx);
	return demangler->cxx ? demangler->cxx(symbol, NULL, NULL, &status) : NULL;
}

static char *demangle_v0(struct img_demangler *demangler, const char *symbol)
{
	void *llvm = demangler->has_llvm ? NULL : library_open_llvm();

	demangler->has_llvm = true;
	if (llvm &&
	    !library_find(llvm, "_ZN4llvm12rustDemangleESt17basic_string_viewIcSt11char_traitsIcEE",
			  &demangler->rust))
		library_find(llvm, "_ZN4llvm12rustDemangleEPKc", &demangler->rust_before_17);
	if (demangler->rust)
		return demangler->rust((struct view){ strlen(symbol), symbol });
	return demangler->rust_before_17 ? demangler->rust_before_17(symbol) : NULL;
}

/* LLVM appends .llvm.NUMBER to a symbol that several objects have; that is no other function. */
static const char *behind_number(const char *rest)
{
	static const char of_llvm[] = ".llvm.";

	return strncmp(rest, of_llvm, strlen(of_llvm)) ?
		       rest :
		       rest + strlen(of_llvm) + strspn(rest + strlen(of_llvm), "0123456789ABCDEF");
}

/* size: of the symbol without what compilers appended. That is shown as of C++. */
static char *demangle_rust(struct img_demangler *demangler, const char *symbol, size_t size)
{
	const char *rest = behind_number(symbol + size);
	char *whole = strndup(symbol, size), *text = NULL, *named;

	if (whole)
		text = img_rust_is_v0(symbol) ? demangle_v0(demangler, whole) :
						img_rust_legacy(symbol);
	free(whole);
	if (!text || !*rest)
		return text;
	if (asprintf(&named, "%s [clone %s]", text, rest) < 0)
		named = NULL;
	free(text);
	return named;
}

static char *demangle(struct img_demangler *demangler, const char *symbol)
{
	const size_t size = img_rust_size(symbol);

	if (size)
		return demangle_rust(demangler, symbol, size);
	return strncmp(symbol, "_Z", 2) ? NULL : demangle_cxx(demangler, symbol);
}

char *img_demangle(struct img_demangler *demangler, const char *name)
{
	/* What is behind an @ is no part of it, such as the @plt of an entry of the PLT. */
	const char *at = strchrnul(name, '@');
	char *symbol, *text, *whole;

	/* All have an underscore, and C's functions have none. */
	if (name[0] != '_')
		return NULL;
	symbol = strndup(name, at - name);
	text = symbol ? demangle(demangler, symbol) : NULL;
	free(symbol);
	if (!text || !*at)
		return text;
	if (asprintf(&whole, "%s%s", text, at) < 0)
		whole = NULL;
	free(text);
	return whole;
}

const char *img_demangled(struct img_demangler *demangler, const char *symbol)
{
	const uint32_t hash = hash_u64((uintptr_t)symbol);
	struct hash_slot *slot;
	struct demangled *name;

	if (!hash_room(&demangler->name_index) ||
	    !array_room(&demangler->names, demangler->nr_names, &demangler->cap_names,
			sizeof(*name)))
		return NULL;
	hash_for_each(&demangler->name_index, slot, hash) {
		name = &demangler->names[slot->number - 1];
		if (name->symbol == symbol)
			return name->text ?: symbol;
	}
	hash_put(&demangler->name_index, slot, hash, demangler->nr_names);
	name = &demangler->names[demangler->nr_names++];
	*name = (struct demangled){ symbol, img_demangle(demangler, symbol) };
	return name->text ?: symbol;
}

/*
 * Returns what is behind the bracket that text begins with. NULL: it is not closed. Between other
 * brackets, < and > compare numbers, or have their own ends there.
 */
static const char *behind_bracket(const char *text)
{
	size_t angles = 0, others = 0;

	for (; *text; text++) {
		if (strchr("({[", *text))
			others++;
		else if (strchr(")}]", *text))
			others -= others > 0;
		else if (!others && *text == '<')
			angles++;
		else if (!others && *text == '>' && text[-1] != '-')
			angles--;
		if (!angles && !others)
			return text + 1;
	}
	return NULL;
}

/* Whether the C++ keyword begins here, behind which brackets and blanks are parts of a name. */
static bool is_operator(const char *text, const char *start)
{
	return !strncmp(text, "operator", 8) && (text == start || strchr(": ", text[-1]));
}

/* The name in "TYPE NAME(TYPES)", as an instance of a template and a method of Java have it. */
static const char *without_type(const char *text)
{
	const char *name = text, *p = text;

	while (p && *p && !is_operator(p, text)) {
		/* One at the start of a name is of it, such as (anonymous namespace)::. */
		if (*p == '(' && p > name)
			return name;
		if (*p == ' ')
			name = p + 1;
		p = strchr("<({[", *p) ? behind_bracket(p) : p + 1;
	}
	return p && *p ? name : text;
}

/* <TYPES> behind a name, or ::<TYPES> in Rust. size: of the text, if it does not end there. */
static bool is_arguments(const char *text, size_t size)
{
	return (size && *text == '<') || (size > 2 && !strncmp(text, "::<", 3));
}

/* Only parameters, or what compilers appended. A function in a function is another one. */
static bool ends_name(const char *text)
{
	const char *behind = *text == '(' ? behind_bracket(text) : NULL;

	if (behind && !strncmp(behind, " const", 6))
		behind += 6;
	return !*text || (*text == '(' && (!behind || strncmp(behind, "::", 2) != 0)) ||
	       !strncmp(text, " [clone ", 8);
}

/* A name in the source; the word may lack the arguments of templates. */
static bool is_source_name(const char *text, const char *word, size_t size)
{
	const char *const start = text, *const end = word + size, *behind;

	for (;; text++, word++) {
		while (text > start && !is_arguments(word, end - word) &&
		       is_arguments(text, SIZE_MAX) &&
		       (behind = behind_bracket(strchr(text, '<'))))
			text = behind;
		if (word == end)
			return ends_name(text);
		if (*text != *word)
			return false;
	}
}

bool img_is_named(const char *symbol, const char *demangled, const char *word,
		  size_t size)
{
	/* What a JIT names is not mangled. */
	const char *text = demangled ?: symbol;

	if (!strncmp(symbol, word, size) && (!symbol[size] || symbol[size] == '.'))
		return true;
	return size && (is_source_name(text, word, size) ||
			is_source_name(without_type(text), word, size));
}

void img_demangler_free(struct img_demangler *demangler)
{
	size_t i;

	for (i = 0; demangler && i < demangler->nr_names; i++)
		free(demangler->names[i].text);
	if (demangler) {
		free(demangler->names);
		hash_free(&demangler->name_index);
	}
	free(demangler);
}
