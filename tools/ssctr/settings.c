// SPDX-License-Identifier: GPL-2.0-only
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
	const char *name;
	uint64_t value;
};

static const struct name registers[] = {
	{ "sctrctl", CTR_CSR_SCTRCTL },	      { "mctrctl", CTR_CSR_MCTRCTL },
	{ "vsctrctl", CTR_CSR_VSCTRCTL },     { "sctrdepth", CTR_CSR_SCTRDEPTH },
	{ "sctrstatus", CTR_CSR_SCTRSTATUS }, { "v", SETTING_V },
};

static const struct name fields[] = {
	{ "U", CTR_CTL_U },
	{ "S", CTR_CTL_S },
	{ "M", CTR_CTL_M },
	{ "RASEMU", CTR_CTL_RASEMU },
	{ "STE", CTR_CTL_STE },
	{ "MTE", CTR_CTL_MTE },
	{ "BPFRZ", CTR_CTL_BPFRZ },
	{ "LCOFIFRZ", CTR_CTL_LCOFIFRZ },
	{ "EXCINH", CTR_CTL_EXCINH },
	{ "INTRINH", CTR_CTL_INTRINH },
	{ "TRETINH", CTR_CTL_TRETINH },
	{ "NTBREN", CTR_CTL_NTBREN },
	{ "TKBRINH", CTR_CTL_TKBRINH },
	{ "INDCALLINH", CTR_CTL_INDCALLINH },
	{ "DIRCALLINH", CTR_CTL_DIRCALLINH },
	{ "INDJMPINH", CTR_CTL_INDJMPINH },
	{ "DIRJMPINH", CTR_CTL_DIRJMPINH },
	{ "CORSWAPINH", CTR_CTL_CORSWAPINH },
	{ "RETINH", CTR_CTL_RETINH },
	{ "INDLJMPINH", CTR_CTL_INDLJMPINH },
	{ "DIRLJMPINH", CTR_CTL_DIRLJMPINH },
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const struct name *find(const struct name *names, size_t nr,
			       const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (strlen(names[i].name) == len &&
		    !strncmp(names[i].name, text, len))
			return &names[i];
	return NULL;
}

/* All of the text, decimal or 0x. */
static bool parse_number(const char *text, size_t len, uint64_t *value)
{
	char *end;

	if (!len || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	return end == text + len && !errno;
}

static bool is_control(unsigned int csr)
{
	return csr == CTR_CSR_SCTRCTL || csr == CTR_CSR_MCTRCTL ||
	       csr == CTR_CSR_VSCTRCTL;
}

static bool parse_value(const char *text, unsigned int csr, uint64_t *value,
			char *error, size_t size)
{
	const struct name *field;
	size_t len;

	if (parse_number(text, strlen(text), value))
		return true;
	*value = 0;
	for (;; text += len + 1) {
		len = strcspn(text, "+");
		field = find(fields, NR(fields), text, len);
		if (!is_control(csr) || !field) {
			snprintf(error, size, "'%.*s' is no %s", (int)len, text,
				 is_control(csr) ? "number or field of a control register" :
						   "number");
			return false;
		}
		*value |= field->value;
		if (!text[len])
			return true;
	}
}

/* Behind those of its own number. */
static bool insert(struct settings *settings, const struct setting *setting)
{
	struct setting *v = realloc(settings->v,
				    (settings->nr + 1) * sizeof(*v));
	size_t i = settings->nr;

	if (!v)
		return false;
	settings->v = v;
	for (; i && v[i - 1].at > setting->at; i--)
		v[i] = v[i - 1];
	v[i] = *setting;
	settings->nr++;
	return true;
}

bool settings_add(struct settings *settings, const char *text, char *error,
		  size_t size)
{
	const char *equals = strchr(text, '='), *colon = strchr(text, ':');
	const struct name *name;
	struct setting setting = { 0 };

	if (!equals) {
		snprintf(error, size, "'%s' is no REGISTER=VALUE", text);
		return false;
	}
	if (colon && colon < equals) {
		if (!parse_number(text, colon - text, &setting.at)) {
			snprintf(error, size,
				 "'%.*s' is no number of an instruction",
				 (int)(colon - text), text);
			return false;
		}
		text = colon + 1;
	}
	name = find(registers, NR(registers), text, equals - text);
	if (!name) {
		snprintf(error, size, "'%.*s' is no register",
			 (int)(equals - text), text);
		return false;
	}
	setting.csr = name->value;
	if (!parse_value(equals + 1, setting.csr, &setting.value, error, size))
		return false;
	if (insert(settings, &setting))
		return true;
	snprintf(error, size, "out of memory");
	return false;
}

bool settings_have_control(const struct settings *settings)
{
	size_t i;

	for (i = 0; i < settings->nr && !settings->v[i].at; i++)
		if (is_control(settings->v[i].csr))
			return true;
	return false;
}

const struct setting *settings_next(struct settings *settings, uint64_t at)
{
	if (settings->next < settings->nr && settings->v[settings->next].at <= at)
		return &settings->v[settings->next++];
	return NULL;
}

void settings_free(struct settings *settings)
{
	free(settings->v);
}
