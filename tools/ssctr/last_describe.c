// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last: texts for places, steps and points, which all forms of output have. */
#include "last.h"
#include "riscv/rv_insn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool line_at(const struct last *last, const struct path_place *place, const char **path,
		    unsigned int *line)
{
	struct img_file *file;
	uint64_t addr;

	if (!last->names)
		return path_code_line(last->rec.samples.code, place, path, line);
	file = con_names_file(last->names, place->offset, &addr);
	return file && img_line_at(file, addr, path, line);
}

bool last_built(const struct last *last, const struct path_place *place, struct img_built *built)
{
	struct img_file *file;
	uint64_t addr;

	if (!last->names)
		return path_code_built(last->rec.samples.code, place, built);
	file = con_names_file(last->names, place->offset, &addr);
	return file && img_built_at(file, addr, built);
}

static void name_inlined(const struct last *last, uint32_t place, char *text, size_t size)
{
	enum { MAX_FRAMES = 8 };
	struct img_frame frames[MAX_FRAMES];
	struct img_file *file;
	size_t i, nr, len = 0;
	uint64_t addr;

	*text = 0;
	file = con_names_file(last->names, place, &addr);
	nr = file ? img_frames_at(file, addr, frames, MAX_FRAMES) : 0;
	for (i = 0; i + 1 < nr && len < size; i++)
		len += snprintf(text + len, size - len, "%s%s", i ? " in " : "",
				frames[i].name ?: "?");
}

/* A place of a log. The log has the names. */
static struct last_where where_in_log(const struct last *last, const struct path_place *at)
{
	const struct con_place *place = &last->log.places[at->offset];
	struct last_where where = { .binary = "[unknown]" };
	const struct con_function *f;
	char *demangled = NULL;
	int ret;

	if (place->function == CON_USER) {
		where.function = strdup("user code");
		return where;
	}
	if (place->function == CON_ADDRESS) {
		ret = asprintf(&where.function, "0x%" PRIx64, place->offset);
	} else {
		f = &last->log.functions[place->function];
		where.binary = *f->module ? f->module : "[kernel]";
		if (last->demangler)
			demangled = img_demangle(last->demangler, f->name);
		ret = asprintf(&where.function, place->offset ? "%s+0x%" PRIx64 : "%s",
			       demangled ?: f->name, place->offset);
		free(demangled);
		name_inlined(last, at->offset, where.inlined, sizeof(where.inlined));
	}
	if (ret < 0)
		where.function = NULL;
	if (!line_at(last, at, &where.path, &where.line))
		where.path = NULL;
	return where;
}

struct last_where last_where(const struct last *last, const struct path_place *place)
{
	struct path_code *code = last->rec.samples.code;
	struct last_where where = { 0 };
	const char *name;
	uint64_t offset;
	char *demangled = NULL;

	if (last->names)
		return where_in_log(last, place);
	where.binary = path_code_binary(code, place);
	if (!place->dso && !place->perf_map) {
		if (asprintf(&where.function, "0x%" PRIx64, place->offset) < 0)
			where.function = NULL;
		return where;
	}
	if (!path_code_symbol(code, place, &name, &offset))
		name = place->dso ? basename(name) : "[unknown]";
	else if (last->demangler)
		demangled = img_demangle(last->demangler, name);
	if (asprintf(&where.function, offset ? "%s+0x%" PRIx64 : "%s", demangled ?: name,
		     offset) < 0)
		where.function = NULL;
	free(demangled);
	if (!line_at(last, place, &where.path, &where.line))
		where.path = NULL;
	return where;
}

char *last_insn(const struct last *last, const struct path_place *place, uint64_t pc)
{
	uint64_t len;
	const uint8_t *code = last->names ?
				      con_names_code(last->names, place->offset, &len) :
				      path_code_bytes(last->rec.samples.code, place, &len);
	/* A log is of a kernel. */
	const unsigned int flags = last->names ? 0 :
						 path_code_flags(last->rec.samples.code, place);
	const char *text = "";
	struct rv_insn insn;
	char buf[128];

	if (!code || rv_decode(&insn, code, len, flags) < 0)
		return NULL;
	if (last->disasm)
		text = rv_disasm_text(last->disasm, flags & RV_RV32, pc, insn.raw, insn.size, buf,
				      sizeof(buf));
	if (*text)
		return strdup(text);
	snprintf(buf, sizeof(buf), "0x%0*" PRIx32, 2 * insn.size, insn.raw);
	return strdup(buf);
}

/* Names of C++ can have a +, too. */
static void cut_offset(char *function)
{
	char *plus = strrchr(function, '+');

	if (plus && !strncmp(plus, "+0x", 3))
		*plus = 0;
}

/* The function that was called or has returned. */
static struct last_where function_of(const struct last *last, const struct last_shown *shown)
{
	const struct last_steps *steps = &shown->steps;
	size_t i = steps->nr;

	if (shown->point.kernel_ip)
		return last_where(last, &shown->function);
	while (i && shown->point.kind == LAST_RETURN && steps->v[i - 1].end != LAST_RETURNS)
		i--;
	return i ? last_where(last, &steps->v[i - 1].last_at) : (struct last_where){ 0 };
}

static char *title_in_log(const struct last_shown *shown)
{
	const struct con_report *report = shown->report;
	char who[64] = "the kernel", cpu[32] = "", *text;
	const char *what = *report->what ? report->what : "it died";

	if (*report->comm)
		snprintf(who, sizeof(who), "%s[%" PRIu32 "]", report->comm, report->pid);
	if (report->cpu >= 0)
		snprintf(cpu, sizeof(cpu), " on CPU %d", report->cpu);
	return asprintf(&text, "%s%s: %s", who, cpu, what) < 0 ? NULL : text;
}

char *last_title(const struct last *last, const struct last_shown *shown)
{
	char words[256], *text = NULL;
	struct last_where where;
	int ret;

	if (shown->report)
		return title_in_log(shown);
	if (shown->by_probe)
		snprintf(words, sizeof(words),
			 "killed by SIGSEGV, which a probe at a return caused, and not the program");
	else
		last_words(&shown->point, shown->pid, words, sizeof(words));
	if (shown->point.kind != LAST_ENTRY && shown->point.kind != LAST_RETURN) {
		ret = asprintf(&text, "%s[%" PRIu32 "]: %s", shown->comm, shown->tid, words);
		return ret < 0 ? NULL : text;
	}
	where = function_of(last, shown);
	if (where.function)
		cut_offset(where.function);
	ret = asprintf(&text, "%s[%" PRIu32 "]: %s %s", shown->comm, shown->tid,
		       where.function ?: "the function", words);
	free(where.function);
	return ret < 0 ? NULL : text;
}

const char *last_end_text(const struct last_shown *shown, const struct last_step *step,
			  char *text, size_t size)
{
	static const char *const ends[] = {
		[LAST_BRANCHES] = "branches",
		[LAST_JUMPS] = "jumps",
		[LAST_CALLS] = "calls",
		[LAST_RETURNS] = "returns",
		[LAST_TRAPS] = "traps",
		[LAST_TRAP_RETURNS] = "returns from the trap",
		[LAST_HIDDEN] = "a probe hides where it returned to, and what ran then",
		[LAST_LOST] = "what ran next is missing in the log",
	};

	if (step->end == LAST_STOPS)
		return last_short(&shown->point, text, size);
	if (step->end == LAST_BREAKS)
		return path_break_text(step->why);
	return ends[step->end];
}

const char *last_lines(const struct last *last, const struct last_step *step, char *text,
		       size_t size)
{
	const char *path, *end_path;
	unsigned int line, end;

	*text = 0;
	if (!line_at(last, &step->at, &path, &line))
		return text;
	if (line_at(last, &step->last_at, &end_path, &end) &&
	    !strcmp(path, end_path) && end > line)
		snprintf(text, size, "%s:%u-%u", basename(path), line, end);
	else
		snprintf(text, size, "%s:%u", basename(path), line);
	return text;
}
