// SPDX-License-Identifier: GPL-2.0-only
#include "profile/thunk.h"
#include "riscv/rv_insn.h"

#include <ctype.h>
#include <string.h>

/* A number and '_'; 'n' is its minus. NULL: it is none. */
static const char *skip_number(const char *at)
{
	const char *digits = at && *at == 'n' ? at + 1 : at;

	if (!digits || !isdigit((unsigned char)*digits))
		return NULL;
	while (isdigit((unsigned char)*digits))
		digits++;
	return *digits == '_' ? digits + 1 : NULL;
}

/* How the pointer is corrected: by a number, or by one and a number in the virtual table. */
static const char *skip_offset(const char *at)
{
	if (at && *at == 'h')
		return skip_number(at + 1);
	return at && *at == 'v' ? skip_number(skip_number(at + 1)) : NULL;
}

const char *prof_thunk_rest(const char *symbol)
{
	if (!strncmp(symbol, "_DTi", 4)) {
		symbol += 4 + strspn(symbol + 4, "0123456789");
		return !strncmp(symbol, "_D", 2) ? symbol : NULL;
	}
	if (strncmp(symbol, "_ZT", 3))
		return NULL;
	/* The result is corrected, too. */
	if (symbol[3] == 'c')
		return skip_offset(skip_offset(symbol + 4));
	return skip_offset(symbol + 3);
}

bool prof_is_thunk_of(const char *symbol, const char *function)
{
	const char *rest = prof_thunk_rest(symbol);

	if (!rest || *rest == '_')
		return rest && !strcmp(function, rest);
	return !strncmp(function, "_Z", 2) && !strcmp(function + 2, rest);
}

bool prof_thunk_jumps(const struct prof_code *code, const struct img_symbol *symbol)
{
	uint64_t len, at;
	const uint8_t *p = prof_code_bytes(code, symbol->start, &len);
	struct rv_insn insn;
	uint64_t target;
	int size;

	if (p && len > symbol->end - symbol->start)
		len = symbol->end - symbol->start;
	for (at = 0; p && at < len; at += size) {
		size = rv_decode(&insn, p + at, len - at, code->rv32 ? RV_RV32 : 0);
		if (size < 0)
			return false;
		if (insn.xfer == RV_XFER_DIR_JUMP)
			return rv_target(&insn, symbol->start + at, &target) &&
			       target - symbol->start >= len;
		if (insn.xfer)
			return insn.xfer == RV_XFER_IND_JUMP;
	}
	return false;
}
