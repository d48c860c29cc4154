// SPDX-License-Identifier: GPL-2.0-only
/* Words of a command line as options. */
#include <stdio.h>
#include <stdlib.h>

#include "base/opts.h"
#include "test.h"

enum { OPT_LONG = OPT_NO_LETTER, OPT_LONGER };

static const struct opt table[] = {
	{ 'v', "verbose", NULL, "say more" },
	{ 'o', "output", "FILE", "where to" },
	{ OPT_LONG, "long", NULL, "without a letter" },
	{ OPT_LONGER, "longer", "N", "the same, and a number" },
	{ 0 },
};

static struct opts opts;
static struct error error;
static char *words[16];

#define BEGIN(...) begin((const char *const[]){ "name", __VA_ARGS__, NULL })

static void begin(const char *const *argv)
{
	int n = 0;

	for (; argv[n]; n++)
		words[n] = (char *)argv[n];
	words[n] = NULL;
	opts_init(&opts, table, n, words);
	error.text[0] = 0;
}

static void check_next(int id, const char *arg)
{
	CHECK_EQ(opts_next(&opts, &error), id);
	CHECK(arg ? opts.arg && !strcmp(opts.arg, arg) : !opts.arg);
}

static void check_end(int argc)
{
	CHECK_EQ(opts_next(&opts, &error), OPTS_END);
	CHECK_EQ(opts.argc, argc);
	CHECK(!opts.argv[argc]);
}

static void check_bad(const char *text)
{
	CHECK_EQ(opts_next(&opts, &error), OPTS_BAD);
	CHECK_STR(error.text, text);
}

TEST(an_argument_is_the_rest_of_the_word_or_the_next_one)
{
	BEGIN("-o", "a", "-ob", "--output", "c", "--output=d", "--output=");
	check_next('o', "a");
	check_next('o', "b");
	check_next('o', "c");
	check_next('o', "d");
	check_next('o', "");
	check_end(0);
}

TEST(letters_may_share_a_word)
{
	BEGIN("-vvoa", "-v");
	check_next('v', NULL);
	check_next('v', NULL);
	check_next('o', "a");
	check_next('v', NULL);
	check_end(0);
}

TEST(operands_may_stand_among_options)
{
	BEGIN("x", "-v", "y", "-o", "a", "z");
	check_next('v', NULL);
	check_next('o', "a");
	check_end(3);
	CHECK_STR(opts.argv[0], "x");
	CHECK_STR(opts.argv[1], "y");
	CHECK_STR(opts.argv[2], "z");
}

TEST(two_dashes_end_the_options)
{
	BEGIN("x", "--", "-v", "--");
	check_end(3);
	CHECK_STR(opts.argv[0], "x");
	CHECK_STR(opts.argv[1], "-v");
	CHECK_STR(opts.argv[2], "--");
}

TEST(a_command_has_options_of_its_own)
{
	BEGIN("-v", "ls", "-o", "x");
	opts.takes_command = true;
	check_next('v', NULL);
	check_end(3);
	CHECK_STR(opts.argv[0], "ls");
	CHECK_STR(words[1], "-v");
}

TEST(one_dash_is_an_operand)
{
	BEGIN("-", "-v");
	check_next('v', NULL);
	check_end(1);
	CHECK_STR(opts.argv[0], "-");
}

TEST(a_name_may_be_shortened_while_it_is_the_only_one)
{
	BEGIN("--verb", "--long", "--longe=1", "--lo");
	check_next('v', NULL);
	check_next(OPT_LONG, NULL);
	check_next(OPT_LONGER, "1");
	check_bad("unknown option '--lo'");
}

TEST(what_is_wrong_is_named)
{
	BEGIN("-x");
	check_bad("unknown option '-x'");
	BEGIN("--nothing=1");
	check_bad("unknown option '--nothing=1'");
	BEGIN("--verbose=1");
	check_bad("--verbose takes no argument");
	BEGIN("-v", "-o");
	check_next('v', NULL);
	check_bad("--output needs an argument");
	BEGIN("--longer");
	check_bad("--longer needs an argument");
}

TEST(what_is_near_is_asked_for)
{
	BEGIN("--ouput=x");
	check_bad("unknown option '--ouput=x' (did you mean --output?)");
	BEGIN("--hepl");
	check_bad("unknown option '--hepl' (did you mean --help?)");
	BEGIN("--verbosely");
	check_bad("unknown option '--verbosely' (did you mean --verbose?)");
	BEGIN("--lonn");
	check_bad("unknown option '--lonn' (did you mean --long?)");
}

TEST(the_nearest_name_is_guessed)
{
	static const struct {
		const char *word, *name;
	} guesses[] = {
		{ "report", "report" },
		{ "repot", "report" },
		{ "erport", "report" },
		{ "reporrt", "report" },
		{ "rexory", "report" },
		{ "rxxory", NULL },
		{ "recofd", "record" },
		{ "cvs", "csv" },
		{ "cv", "csv" },
		{ "cav", "csv" },
		{ "caw", NULL },
		{ "", NULL },
		{ "a-word-that-is-longer-than-a-name-may-be", NULL },
	};
	static const char *const names[] = { "report", "record", "csv",
					     "a-word-that-is-longer-than-a-name-may-be" };
	unsigned int i, j;

	for (i = 0; i < sizeof(guesses) / sizeof(*guesses); i++) {
		struct opts_guess guess = { .word = guesses[i].word,
					    .size = strlen(guesses[i].word) };

		for (j = 0; j < sizeof(names) / sizeof(*names); j++)
			opts_guess(&guess, names[j]);
		CHECK_STR(guess.name ? guess.name : "none",
			  guesses[i].name ? guesses[i].name : "none");
	}
}

TEST(every_table_has_help)
{
	BEGIN("-h", "--he", "--help=x");
	CHECK_EQ(opts_next(&opts, &error), OPTS_HELP);
	CHECK_EQ(opts_next(&opts, &error), OPTS_HELP);
	check_bad("--help takes no argument");
}

TEST(the_help_text_has_a_line_for_each)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	BEGIN("x");
	opts_print(&opts, file);
	CHECK(file && !fclose(file));
	CHECK_STR(text, "  -v, --verbose              say more\n"
			"  -o, --output FILE          where to\n"
			"      --long                 without a letter\n"
			"      --longer N             the same, and a number\n"
			"  -h, --help                 print this help\n");
	free(text);
}

TEST(a_long_help_goes_on_in_the_next_line)
{
	static const struct opt long_table[] = {
		{ 'o', "output", "FILE",
		  "write to FILE, which is a word of seven letters and one more, and of some others" },
		{ OPT_LONG, "an-option-that-is-very-long", "ARGUMENT", "and has a short help" },
		{ 0 },
	};
	struct opts long_opts;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	opts_init(&long_opts, long_table, 0, NULL);
	opts_print(&long_opts, file);
	CHECK(file && !fclose(file));
	CHECK_STR(text, "  -o, --output FILE          write to FILE, which is a word of seven letters and\n"
			"                             one more, and of some others\n"
			"      --an-option-that-is-very-long ARGUMENT and has a short help\n"
			"  -h, --help                 print this help\n");
	free(text);
}

TEST(a_number_is_digits_alone)
{
	uint64_t value;

	CHECK_EQ(opts_u64("17", &value, &error), 0);
	CHECK_EQ(value, 17);
	CHECK_EQ(opts_u64("0x1F", &value, &error), 0);
	CHECK_EQ(value, 31);
	CHECK_EQ(opts_u64("-1", &value, &error), ERROR_USAGE);
	CHECK_STR(error.text, "'-1' is not a number");
	CHECK_EQ(opts_u64("", &value, &error), ERROR_USAGE);
	CHECK_EQ(opts_u64("12k", &value, &error), ERROR_USAGE);
	CHECK_EQ(opts_u64("99999999999999999999", &value, &error), ERROR_USAGE);
}

TEST(words_of_a_list)
{
	const char *list = "ab,,c,";
	size_t size;

	CHECK(!strncmp(opts_word(&list, &size), "ab", 2) && size == 2);
	CHECK(opts_word(&list, &size) && !size);
	CHECK(!strncmp(opts_word(&list, &size), "c", 1) && size == 1);
	CHECK(opts_word(&list, &size) && !size);
	CHECK(!opts_word(&list, &size) && !opts_word(&list, &size));
	list = "";
	CHECK(opts_word(&list, &size) && !size && !opts_word(&list, &size));
}

static const char *fruit(unsigned int i)
{
	static const char *const names[] = { "apple", "pear", "app" };

	return names[i];
}

static bool fruits(const char *list, unsigned int *bits)
{
	*bits = 0;
	return opts_names(list, fruit, 3, bits);
}

TEST(names_in_a_list)
{
	unsigned int bits = 8;

	CHECK(opts_names("pear", fruit, 3, &bits));
	CHECK_EQ(bits, 8 | 2);
	CHECK(fruits("app,apple,app", &bits));
	CHECK_EQ(bits, 4 | 1);
	CHECK(!fruits("", &bits));
	CHECK(!fruits("apple,", &bits));
	CHECK(!fruits(",apple", &bits));
	CHECK(!fruits("apples", &bits));
	CHECK(!fruits("appl", &bits));
}
