// SPDX-License-Identifier: GPL-2.0-only
#include "ctr/registers.h"
#include "base/array.h"
#include "ctr_regs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct name {
	const char *name;
	uint64_t value;
};

static const struct name registers[] = {
	{ "sctrctl", CTR_CSR_SCTRCTL },	      { "mctrctl", CTR_CSR_MCTRCTL },
	{ "vsctrctl", CTR_CSR_VSCTRCTL },     { "sctrdepth", CTR_CSR_SCTRDEPTH },
	{ "sctrstatus", CTR_CSR_SCTRSTATUS }, { "v", REGISTER_V },
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

static int parse_value(const char *text, struct register_write *write,
		       struct error *error)
{
	const bool control = is_control(write->csr);
	const struct name *field;
	size_t len;

	if (parse_number(text, strlen(text), &write->value)) {
		if (write->csr == REGISTER_V && write->value > 1)
			return error_set(error, ERROR_USAGE, "'%s' is not 0 or 1", text);
		return 0;
	}
	for (;; text += len + 1) {
		len = strcspn(text, "+");
		field = find(fields, NR(fields), text, len);
		if (!control || !field)
			return error_set(error, ERROR_USAGE, "'%.*s' is not a %s",
					 (int)len, text,
					 control ? "number or field of a control register" :
						   "number");
		write->value |= field->value;
		if (!text[len])
			return 0;
	}
}

static int parse(const char *text, struct register_write *write,
		 struct error *error)
{
	const char *equals = strchr(text, '='), *colon = strchr(text, ':');
	const struct name *name;

	if (!equals)
		return error_set(error, ERROR_USAGE,
				 "'%s' is not REGISTER=VALUE", text);
	if (colon && colon < equals) {
		if (!parse_number(text, colon - text, &write->at))
			return error_set(error, ERROR_USAGE,
					 "'%.*s' is not the number of an instruction",
					 (int)(colon - text), text);
		text = colon + 1;
	}
	name = find(registers, NR(registers), text, equals - text);
	if (!name)
		return error_set(error, ERROR_USAGE, "'%.*s' is not a register",
				 (int)(equals - text), text);
	write->csr = name->value;
	return parse_value(equals + 1, write, error);
}

int register_writes_add(struct register_writes *writes, const char *text,
			struct error *error)
{
	struct register_write write = { 0 };
	int ret = parse(text, &write, error);
	size_t i = writes->nr;

	if (ret)
		return ret;
	if (!array_room(&writes->v, i, &writes->cap, sizeof(*writes->v)))
		return error_nomem(error);
	/* Behind those of its own number. */
	for (; i && writes->v[i - 1].at > write.at; i--)
		writes->v[i] = writes->v[i - 1];
	writes->v[i] = write;
	writes->nr++;
	return 0;
}

bool register_writes_control(const struct register_writes *writes)
{
	size_t i;

	for (i = 0; i < writes->nr && !writes->v[i].at; i++)
		if (is_control(writes->v[i].csr))
			return true;
	return false;
}

void register_writes_free(struct register_writes *writes)
{
	free(writes->v);
}
