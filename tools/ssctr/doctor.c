// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr doctor`: whether a machine can record branches, and why not. */
#include "ssctr.h"

#include "base/text.h"
#include "doctor/doctor.h"

#include <stdio.h>
#include <sys/stat.h>

enum {
	OPT_ROOT = 256,
};

static const struct opt options[] = {
	{ 'j', "json", NULL, "print one JSON object" },
	{ OPT_ROOT, "root", "FOLDER",
	  "examine the /proc, /sys, /dev and /lib in FOLDER, and do not open events" },
	{ 0 }
};

static const struct cmd cmd = {
	.name = "doctor",
	.usage = "[option]...",
	.about =
		"Check whether this machine can record branches with perf record -b. If it\n"
		"cannot, print the reason and the remedy. Each line is about one requirement, and\n"
		"begins with one of these words:\n"
		"  ok      the requirement is met\n"
		"  NO      the requirement is not met, and recording is not possible without it\n"
		"  note    recording is possible, but read the note\n"
		"  ?       the answer is not known; root can find out more than other users\n"
		"ssctr doctor opens events for a moment, as perf does. It changes nothing.\n\n"
		"Exit status: 0 if perf record -b works, 1 if it does not.",
	.example = "  ssctr doctor\n"
		   "  ssctr doctor --json | jq .usable",
	.opts = options,
};

static void print_text(const struct doctor_verdict *verdict)
{
	static const char *const words[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_NO] = "NO",
		[DOCTOR_NOTE] = "note", [DOCTOR_UNKNOWN] = "?",
	};
	unsigned int i;

	for (i = 0; i < verdict->n_checks; i++) {
		const struct doctor_check *check = &verdict->checks[i];

		printf("%-4s  %-8s  %s\n", words[check->status], check->name,
		       check->text);
		if (check->remedy)
			printf("%-14s  -> %s\n", "", check->remedy);
	}
	printf(verdict->usable ? "This machine can record branches.\n" :
				 "This machine cannot record branches.\n");
}

static void json_checks(struct text *text, const struct doctor_verdict *verdict)
{
	static const char *const words[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_NO] = "no",
		[DOCTOR_NOTE] = "note", [DOCTOR_UNKNOWN] = "unknown",
	};
	unsigned int i;

	text_str(text, ",\"checks\":[");
	for (i = 0; i < verdict->n_checks; i++) {
		const struct doctor_check *check = &verdict->checks[i];

		text_json_str(text, i ? ",{\"name\":" : "{\"name\":",
			      check->name);
		text_json_str(text, ",\"status\":", words[check->status]);
		text_json_str(text, ",\"text\":", check->text);
		if (check->remedy)
			text_json_str(text, ",\"remedy\":", check->remedy);
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void json_cpus(struct text *text, const struct doctor_facts *facts)
{
	unsigned int bit;
	size_t i;

	text_str(text, ",\"cpus\":[");
	for (i = 0; i < facts->n_cpus; i++) {
		const struct doctor_cpu *cpu = &facts->cpus[i];
		const char *sep = "";

		text_json_dec(text, i ? ",{\"cpu\":" : "{\"cpu\":", cpu->cpu);
		text_json_dec(text, ",\"hart\":", cpu->hart);
		text_str(text, ",\"extensions\":[");
		for (bit = 0; bit < DOCTOR_NR_EXTS; bit++) {
			if (!(cpu->exts >> bit & 1))
				continue;
			text_json_str(text, sep, doctor_ext_name(bit));
			sep = ",";
		}
		text_str(text, "]");
		if (facts->has_state)
			text_json_dec(text, ",\"depth\":", cpu->depth);
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void print_json(const struct doctor_facts *facts,
		       const struct doctor_verdict *verdict)
{
	struct text text = { .len = 0 };

	text_str(&text, verdict->usable ? "{\"usable\":true" :
					  "{\"usable\":false");
	text_json_str(&text, ",\"machine\":", facts->arch);
	text_json_str(&text, ",\"kernel\":", facts->release);
	text_str(&text, facts->loaded ? ",\"loaded\":true" :
					",\"loaded\":false");
	text_json_dec(&text, ",\"depth\":", facts->max_depth);
	json_cpus(&text, facts);
	json_checks(&text, verdict);
	text_str(&text, "}");
	text_line(&text);
	text_flush(&text);
}

static int examine(const char *root, bool json)
{
	struct doctor_tries tries = { 0 };
	struct doctor_verdict verdict;
	struct doctor_facts facts;
	struct error error;

	if (doctor_facts_read(&facts, root ? root : "", &error)) {
		doctor_facts_free(&facts);
		return cmd_error(&cmd, "%s", error.text);
	}
	if (!root)
		doctor_try(&tries, &facts);
	doctor_judge(&facts, &tries, &verdict);
	if (json)
		print_json(&facts, &verdict);
	else
		print_text(&verdict);
	doctor_facts_free(&facts);
	return verdict.usable ? CMD_OK : CMD_FAIL;
}

int cmd_doctor(int argc, char **argv)
{
	const char *root = NULL;
	struct cmd_opts opts;
	struct stat status;
	bool json = false;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		if (id == 'j')
			json = true;
		else
			root = opts.arg;
	}
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (opts.argc)
		return cmd_usage(&cmd, "unexpected argument '%s'", opts.argv[0]);
	if (root && (stat(root, &status) || !S_ISDIR(status.st_mode)))
		return cmd_error(&cmd, "--root %s: not a folder", root);
	return examine(root, json);
}
