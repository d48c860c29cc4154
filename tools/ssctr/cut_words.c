// SPDX-License-Identifier: GPL-2.0-only
#include "cut.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (strncmp(text, "0x", 2) || !text[2])
		return false;
	errno = 0;
	*value = strtoull(text + 2, &end, 16);
	return !*end && !errno;
}

/* By the name that `ssctr dump` prints. */
static bool find_event(const char *name, uint64_t *id)
{
	char buf[STF_EVENT_NAME_MAX];
	uint64_t i;

	*id = STF_EVENT_MODE_CHANGE;
	if (!strcmp(stf_event_name(*id, buf), name))
		return true;
	for (i = 0; i < 8192; i++) {
		*id = i / 2 | (i & 1 ? STF_EVENT_INTERRUPT : 0);
		if (!strcmp(stf_event_name(*id, buf), name))
			return true;
	}
	return false;
}

static int find_symbol(const struct cmd *cmd, const char *option, const char *arg,
			struct names *names, uint64_t *pc)
{
	if (!names)
		return cmd_usage(cmd, "%s %s: to find a symbol, name its ELF file with --symbols",
				 option, arg);
	/* Where its files are mapped, the trace tells only on the way. */
	if (names_origin(names))
		return cmd_usage(cmd, "%s %s: --symbols trace cannot find a symbol; name its ELF file, with --symbols ELF[@ADDRESS]",
				 option, arg);
	switch (names_address(names, arg, pc)) {
	case NAMES_ONE:
		return CMD_OK;
	case NAMES_SEVERAL:
		return cmd_error(cmd, "%s %s: several functions have this name; write the symbol of one, as `ssctr dump --no-demangle` shows it",
				 option, arg);
	default:
		return cmd_error(cmd, "%s %s: the file of --symbols has no such symbol",
				 option, arg);
	}
}

int cut_place(const struct cmd *cmd, const char *option, const char *arg,
	      struct names *names, struct stf_place *place)
{
	if (!strncmp(arg, "opcode:", 7)) {
		place->kind = STF_PLACE_OPCODE;
		if (parse_number(arg + 7, &place->value))
			return CMD_OK;
		return cmd_usage(cmd, "%s %s: write the opcode as 0x...", option, arg);
	}
	if (!strncmp(arg, "event:", 6)) {
		place->kind = STF_PLACE_EVENT;
		if (find_event(arg + 6, &place->value))
			return CMD_OK;
		return cmd_usage(cmd, "%s %s: no event has this name; `ssctr dump` prints the names",
				 option, arg);
	}
	place->kind = STF_PLACE_PC;
	if (parse_number(arg, &place->value))
		return CMD_OK;
	return find_symbol(cmd, option, arg, names, &place->value);
}

/* A range of addresses, END not included. Returns what comes behind it; NULL: it is none. */
static const char *parse_range(const char *text, struct stf_pc_range *range)
{
	uint64_t end;
	char *behind;

	if (strncmp(text, "0x", 2))
		return NULL;
	errno = 0;
	range->start = strtoull(text, &behind, 16);
	if (strncmp(behind, "-0x", 3))
		return NULL;
	end = strtoull(behind + 1, &behind, 16);
	range->size = end - range->start;
	return errno || end <= range->start || (*behind && *behind != ',') ? NULL : behind;
}

bool cut_ranges(const struct cmd *cmd, const char *arg, struct stf_pc_range *ranges,
		size_t *nr)
{
	const char *text = arg;

	for (;; text++) {
		if (*nr == CUT_MAX_RANGES) {
			cmd_usage(cmd, "--pc: there are at most %d ranges", CUT_MAX_RANGES);
			return false;
		}
		text = parse_range(text, &ranges[*nr]);
		if (!text) {
			cmd_usage(cmd, "--pc %s: write ranges as 0xSTART-0xEND, with commas between them; END is behind the last address",
				  arg);
			return false;
		}
		++*nr;
		if (!*text)
			return true;
	}
}

static bool take_id(const struct cmd_opts *opts, bool *by, uint32_t *id)
{
	uint64_t value;

	*by = true;
	if (!cmd_opts_u64(opts, &value))
		return false;
	*id = (uint32_t)value;
	if (value == *id)
		return true;
	cmd_usage(opts->cmd, "%s: the largest number is 4294967295", opts->arg);
	return false;
}

bool cut_filter_has(int id)
{
	return id >= CUT_OPT_USER && id <= CUT_OPT_TID;
}

bool cut_filter_option(struct stf_select_opts *windows, const struct cmd_opts *opts,
		       int id)
{
	switch (id) {
	case CUT_OPT_HART:
		return take_id(opts, &windows->by_hart, &windows->process.hart);
	case CUT_OPT_PID:
		return take_id(opts, &windows->by_pid, &windows->process.pid);
	case CUT_OPT_TID:
		return take_id(opts, &windows->by_tid, &windows->process.tid);
	}
	windows->modes = 1 << STF_MODE_USER;
	return true;
}

bool cut_is_user(const struct stf_select_opts *windows)
{
	return windows->modes == 1 << STF_MODE_USER;
}

struct stf_select *cut_select(const struct cmd *cmd,
			      const struct stf_select_opts *windows)
{
	struct stf_error err;
	struct stf_select *select = stf_select_new(windows, &err);

	if (!select)
		cmd_error(cmd, "%s", err.text);
	return select;
}

static __attribute__((format(printf, 2, 3))) void
append(struct cut_words *words, const char *fmt, ...)
{
	size_t room = sizeof(words->text) - words->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(words->text + words->len, room, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < room) {
		words->len += (size_t)n;
		return;
	}
	memcpy(words->text + sizeof(words->text) - 4, "...", 4);
	words->len = sizeof(words->text) - 1;
}

void cut_words_add(struct cut_words *words, const struct opt *options, int id,
		   const char *arg)
{
	if (id == 'i' || id == 'o')
		return;
	while (options->id != id)
		options++;
	append(words, " --%s%s%s", options->name, options->arg ? " " : "",
	       options->arg ? arg : "");
}

const char *cut_words_end(struct cut_words *words, const char *command,
			  const char *const *paths, size_t nr, const char *otherwise)
{
	char *done = strdup(words->text);
	const char *name;
	size_t i;

	words->len = 0;
	append(words, "ssctr %s " SSCTR_VERSION ", from", command);
	for (i = 0; i < nr; i++) {
		name = strrchr(paths[i], '/');
		name = name ? name + 1 : paths[i];
		append(words, "%s %s", i ? "," : "",
		       strcmp(name, "-") ? name : "standard input");
	}
	append(words, ":%s", done && *done ? done : otherwise);
	free(done);
	return words->text;
}
