// SPDX-License-Identifier: GPL-2.0-only
/* ssctr itself: subcommands, options and exit statuses, the same for all. */
#include <stdlib.h>

#include "cmd-run.h"

static const char *const subcommands[] = {
	"record", "stf", "profile", "report", "csv", "model", "dump", "info",
	"stat", "cut", "join", "cmp", "phases", "estimate", "champsim", "check", "merge",
};

#define NR (sizeof(subcommands) / sizeof(subcommands[0]))

TEST(help_lists_the_subcommands)
{
	unsigned int i;
	char line[64];

	CHECK_EQ(run("ssctr --help"), 0);
	CHECK_STR(run_err, "");
	for (i = 0; i < NR; i++) {
		snprintf(line, sizeof(line), "\n  %s ", subcommands[i]);
		CHECK(strstr(run_out, line));
	}
	CHECK(strstr(run_out, "\n\nLook at a recording:\n  report "));
	CHECK_EQ(run("ssctr help && ssctr -h"), 0);
	/* The titles of groups are no subcommands. */
	CHECK_EQ(run("ssctr 'Look at a recording'"), 2);
	CHECK_SAYS("ssctr: unknown subcommand 'Look at a recording'");
}

TEST(help_of_a_subcommand_may_be_asked_for_in_any_order)
{
	unsigned int i;

	for (i = 0; i < NR; i++) {
		char want[4096];

		CHECK_EQ(run("ssctr %s --help", subcommands[i]), 0);
		CHECK(strlen(run_out) < sizeof(want));
		strcpy(want, run_out);
		CHECK_EQ(run("ssctr help %s", subcommands[i]), 0);
		CHECK_PRINTS(want);
		CHECK_EQ(run("ssctr --help %s", subcommands[i]), 0);
		CHECK_PRINTS(want);
	}
	CHECK_EQ(run("ssctr help help"), 0);
	CHECK(!strncmp(run_out, "Usage: ssctr <subcommand>", 25));
	CHECK_EQ(run("ssctr help nonsense"), 2);
	CHECK_SAYS("ssctr: unknown subcommand 'nonsense'");
}

TEST(every_subcommand_has_help_with_an_example)
{
	char example[64];
	unsigned int i;

	for (i = 0; i < NR; i++) {
		CHECK_EQ(run("ssctr %s --help", subcommands[i]), 0);
		CHECK_STR(run_err, "");
		snprintf(example, sizeof(example), "Usage: ssctr %s ",
			 subcommands[i]);
		CHECK(strstr(run_out, example));
		CHECK(strstr(run_out, "\nExample:\n"));
		CHECK(strstr(strstr(run_out, "\nExample:\n"), "ssctr "));
		CHECK_EQ(run("ssctr %s -h", subcommands[i]), 0);
	}
}

TEST(help_fits_a_terminal)
{
	static const char *const all[] = {
		"", "doctor", "record", "stf", "profile", "report", "annotate", "diff",
		"callstacks", "csv", "model", "dump", "info", "stat", "cut", "join",
		"cmp", "phases", "estimate", "champsim", "check", "merge",
		"export",
	};
	size_t i, size;
	char *line;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK_EQ(run("ssctr %s --help", all[i]), 0);
		for (line = run_out; *line; line += size + 1) {
			size = strcspn(line, "\n");
			if (size > 80)
				test_fail(__FILE__, __LINE__, "%s: %.*s", all[i], (int)size, line);
			if (!line[size])
				break;
		}
	}
}

TEST(the_version)
{
	CHECK_EQ(run("ssctr --version"), 0);
	CHECK(!strncmp(run_out, "ssctr ", 6));
}

TEST(what_is_no_subcommand)
{
	CHECK_EQ(run("ssctr"), 2);
	CHECK_SAYS("ssctr: no subcommand is given; see `ssctr --help`");
	CHECK_EQ(run("ssctr nonsense"), 2);
	CHECK_SAYS("ssctr: unknown subcommand 'nonsense'");
	CHECK_EQ(run("ssctr --nonsense"), 2);
	CHECK_SAYS("ssctr: unknown option '--nonsense'");
	CHECK_EQ(run("ssctr ''"), 2);
	CHECK_EQ(run("ssctr repot"), 2);
	CHECK_SAYS("unknown subcommand 'repot' (did you mean report?); see");
	CHECK_EQ(run("ssctr --verison"), 2);
	CHECK_SAYS("unknown option '--verison' (did you mean --version?); see");
}

/* An option with an argument, whose letter is the first one of its name. */
static const char *needs_argument(const char *subcommand)
{
	if (!strcmp(subcommand, "record") || !strcmp(subcommand, "join") ||
	    !strcmp(subcommand, "estimate") || !strcmp(subcommand, "merge"))
		return "output";
	return strcmp(subcommand, "cmp") ? "input" : "start";
}

TEST(what_is_no_option)
{
	const char *file;
	unsigned int i;
	char says[64];

	for (i = 0; i < NR; i++) {
		CHECK_EQ(run("ssctr %s --nonsense", subcommands[i]), 2);
		CHECK_SAYS("unknown option '--nonsense'; see `ssctr ");
		CHECK_EQ(run("ssctr %s --hlep", subcommands[i]), 2);
		CHECK_SAYS("'--hlep' (did you mean --help?); see `ssctr ");
		CHECK_EQ(run("ssctr %s -Q", subcommands[i]), 2);
		CHECK_SAYS("unknown option '-Q'");
		file = needs_argument(subcommands[i]);
		snprintf(says, sizeof(says), "--%s needs an argument", file);
		CHECK_EQ(run("ssctr %s --%s", subcommands[i], file), 2);
		CHECK_SAYS(says);
		CHECK_EQ(run("ssctr %s -%c", subcommands[i], file[0]), 2);
		CHECK_SAYS(says);
		CHECK_EQ(run("ssctr %s --help=x", subcommands[i]), 2);
		CHECK_SAYS("--help takes no argument");
	}
}

/* The variable of a script may not be set. Nothing has run then. */
TEST(a_file_has_a_name)
{
	static const struct {
		const char *command, *says;
	} wrong[] = {
		{ "record -o '' touch ran", "ssctr record: --output '': give the name of a file; see" },
		{ "record --output= touch ran", "--output '': give" },
		{ "last -o '' touch ran", "ssctr last: --output '': give" },
		{ "stf -i x -o ''", "ssctr stf: --output '': give" },
		{ "cut -o '' x", "ssctr cut: --output '': give" },
		{ "report --html '' x", "ssctr report: --html '': give" },
		{ "profile -i ''", "ssctr profile: --input '': give" },
		{ "phases --simpoint '' x", "ssctr phases: --simpoint '': give how the names of" },
		{ "report --symfs '' x", "ssctr report: --symfs '': give the name of a folder; see" },
		{ "report --html y --source '' x", "ssctr report: --source '': give the name of a folder" },
		{ "export --pprof '' x", "ssctr export: --pprof '': give the name of a folder, or a URL" },
		{ "export --spool ''", "ssctr export: --spool '': give the name of a folder" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_EQ(run("cd %s && ssctr %s", test_tmpdir(), wrong[i].command), 2);
		CHECK_SAYS(wrong[i].says);
	}
	CHECK_EQ(run("cd %s && ls -A | grep -e ran -e part", test_tmpdir()), 1);
}

TEST(numbers_have_to_be_numbers)
{
	static const char *const bad[] = { "x", "1x", "-1", "''", "0x", "' 1'",
					   "99999999999999999999" };
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_EQ(run("ssctr dump x.stf --limit=%s", bad[i]), 2);
		CHECK_SAYS("--limit: '");
		CHECK_SAYS("' is not a number");
	}
}

TEST(one_input)
{
	CHECK_EQ(run("ssctr dump"), 2);
	CHECK_SAYS("no input is given");
	CHECK_EQ(run("ssctr dump a.stf b.stf"), 2);
	CHECK_SAYS("unexpected argument 'b.stf'");
	CHECK_EQ(run("ssctr dump -i a.stf b.stf"), 2);
	CHECK_SAYS("unexpected argument 'b.stf'");
}

TEST(an_error_is_one_line_without_control_characters)
{
	CHECK_EQ(run("ssctr info \"$(printf 'no\\nsuch\\033\\302\\233\\303\\251file')\""), 1);
	CHECK_STR(run_err, "ssctr info: no\\x0asuch\\x1b\\xc2\\x9b\xc3\xa9"
			   "file: No such file or directory\n");
}

TEST(output_that_cannot_be_written)
{
	CHECK_EQ(run("ssctr --help >/dev/full"), 1);
	CHECK_SAYS("cannot write the output: No space left on device");
}
