// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report: what it counts, each figure derived by hand from the stacks. */
#include "cmd-hot.h"
#include "cmd-page.h"

#include <math.h>

static int report(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr report --raw -i %s/perf.data --symfs %s %s", dir, dir,
		   options);
}

/* Without what hot-trips.c tests: loops' shares and trips. */
static void cut_trips(void)
{
	enum { SHARE = 10, ENTRIES = 20, TRIPS = 32, LOOP = 66 };
	char *line = strstr(run_out, "\niterations   share");

	while (line && strcspn(++line, "\n") >= LOOP) {
		memmove(line + TRIPS, line + LOOP, strlen(line + LOOP) + 1);
		memmove(line + SHARE, line + ENTRIES, strlen(line + ENTRIES) + 1);
		line = strchr(line, '\n');
	}
}

/* The same in JSON. */
static void cut_range(void)
{
	char *loops = strstr(run_out, "\"loops\":["), *from, *to;

	CHECK(loops);
	from = strstr(loops, ",\"trips_low\"");
	CHECK(from);
	to = strstr(from, ",\"head\"");
	memmove(from, to, strlen(to) + 1);
	from = strstr(loops, ",\"share\"");
	CHECK(from);
	to = strstr(from, ",\"entries\"");
	memmove(from, to, strlen(to) + 1);
}

/* A recording without counts: no more is said beside the report. */
#undef CHECK_PRINTS
#define CHECK_PRINTS(_want)                                                    \
	do {                                                                   \
		CHECK_STR(run_out, _want);                                     \
		CHECK(strstr(run_err, "is not known: perf writes no count for the event")); \
		CHECK(strchr(run_err, '\n') == run_err + strlen(run_err) - 1); \
	} while (0)

#define EDGES                                                                  \
	"20 transfers of 7 kinds in 2 samples\n"                               \
	"coverage not known\n\n"                                               \
	"     count   share  type        from -> to\n"                         \
	"         4   20.0%  IND_CALL    main+0x6 -> leaf+0x0\n"               \
	"         4   20.0%  COND        main+0xa -> main+0x4\n"               \
	"         4   20.0%  RET         leaf+0x0 -> main+0x8\n"               \
	"         2   10.0%  IND_CALL    main+0x6 -> twin+0x0\n"               \
	"         2   10.0%  RET         main+0xe -> caller+0x2\n"             \
	"         2   10.0%  IND_CALL    caller+0x0 -> main+0x0\n"             \
	"         2   10.0%  RET         twin+0x0 -> main+0x8\n"

TEST(all_of_it_is_shown_and_edges_come_first)
{
	write_program();
	CHECK_EQ(report(""), 0);
	cut_trips();
	CHECK_PRINTS(
		EDGES
		"\n8 entries; 3 functions\n\n"
		"   entries   share  function\n"
		/* Of 76 bytes of lines 64, 8 and 4. */
		"         2   84.2%  main (/x)\n"
		"         4   10.5%  leaf (/x)\n"
		"         2    5.3%  twin (/x)\n"
		"\n6 iterations of 1 loops\n\n"
		"iterations   entries  loop\n"
		"         6         2  main+0x4..0xa\n"
		"\n2 hard runs of 1 conditional branches\n\n"
		"      hard   share        runs   taken  branch -> target\n"
		"         2  100.0%           6   66.7%  main+0xa -> main+0x4\n"
		"\n8 transfers of 2 indirect branches\n\n"
		"     count   share  type        from, and to\n"
		"         6   75.0%  IND_CALL    main+0x6\n"
		"         4   66.7%                leaf+0x0\n"
		"         2   33.3%                twin+0x0\n"
		"         2   25.0%  IND_CALL    caller+0x0\n"
		"         2  100.0%                main+0x0\n"
		"\n8 calls between 3 pairs of functions\n\n"
		"     count   share  caller -> callee\n"
		"         4   50.0%  main -> leaf\n"
		"         2   25.0%  main -> twin\n"
		"         2   25.0%  caller -> main\n");
}

TEST(the_types_of_a_program_of_32_bits_are_told_by_its_code)
{
	begin_program();
	run_program32();
	ADD_STEPS(once32);
	write_files();
	CHECK_EQ(report(""), 0);
	CHECK_SHOWS("         2   33.3%  CALL        main+0x2 -> leaf+0x0\n");
	CHECK_SHOWS("         2   33.3%  RET         leaf+0x2 -> main+0x4\n");
	CHECK_SHOWS("         2   33.3%  UNCOND      main+0x6 -> main+0x0\n");
}

TEST(what_is_wanted_can_be_chosen)
{
	write_program();
	CHECK_EQ(report("--by edges"), 0);
	CHECK_PRINTS(EDGES);
	CHECK_EQ(report("--by calls,functions -n 1"), 0);
	CHECK_PRINTS("20 transfers of 7 kinds in 2 samples\n"
		     "coverage not known\n"
		     "\n8 entries; 3 functions\n\n"
		     "   entries   share  function\n"
		     "         2   84.2%  main (/x)\n"
		     "\n8 calls between 3 pairs of functions\n\n"
		     "     count   share  caller -> callee\n"
		     "         4   50.0%  main -> leaf\n");
	CHECK_EQ(report("--by edge"), 2);
	CHECK_SAYS("--by edge: not a list of commands, edges, functions");
	CHECK_EQ(report("--by calls,"), 2);
	CHECK_SAYS("--by calls,: not a list");
}

#define AT(_function, _offset)                                                 \
	"{\"binary\":\"/x\",\"function\":\"" _function "\",\"offset\":" _offset "}"

#define ALL_EDGES "\"kinds\":[\"any\"],\"share_of\":{\"edges\":\"all transfers\"},"

TEST(json_is_one_object)
{
	write_program();
	CHECK_EQ(report("--json --by functions,loops,targets,calls"), 0);
	cut_range();
	cut_notes();
	CHECK_STR(run_out,
		"{\"samples\":2,\"transfers\":20,\"empty_samples\":0,\"coverage\":null,"
		"\"coverage_by_hart\":[],\"coverage_by_thread\":[],\"kinds\":[\"any\"],"
		"\"share_of\":{\"functions\":\"all instructions that ran, without those of what the function calls\","
		"\"loops\":\"all instructions that ran, with inner loops\","
		"\"targets\":\"all indirect jumps and calls\",\"calls\":\"all entries\"},"
		"\"functions\":["
		"{\"entries\":2,\"share\":0.842105,\"binary\":\"/x\",\"function\":\"main\"},"
		"{\"entries\":4,\"share\":0.105263,\"binary\":\"/x\",\"function\":\"leaf\"},"
		"{\"entries\":2,\"share\":0.052632,\"binary\":\"/x\",\"function\":\"twin\"}],"
		"\"loops\":[{\"iterations\":6,\"entries\":2,"
		"\"trips_are\":\"estimated\",\"trips\":3.000"
		",\"head\":" AT("main", "4") ",\"first\":" AT("main", "4")
		",\"last\":" AT("main", "10") "}],"
		"\"targets\":["
		"{\"count\":6,\"type\":\"IND_CALL\",\"from\":" AT("main", "6")
		",\"targets\":[{\"count\":4,\"to\":" AT("leaf", "0") "},"
		"{\"count\":2,\"to\":" AT("twin", "0") "}]},"
		"{\"count\":2,\"type\":\"IND_CALL\",\"from\":" AT("caller", "0")
		",\"targets\":[{\"count\":2,\"to\":" AT("main", "0") "}]}],"
		"\"calls\":["
		"{\"count\":4,\"from\":{\"binary\":\"/x\",\"function\":\"main\"},"
		"\"to\":{\"binary\":\"/x\",\"function\":\"leaf\"}},"
		"{\"count\":2,\"from\":{\"binary\":\"/x\",\"function\":\"main\"},"
		"\"to\":{\"binary\":\"/x\",\"function\":\"twin\"}},"
		"{\"count\":2,\"from\":{\"binary\":\"/x\",\"function\":\"caller\"},"
		"\"to\":{\"binary\":\"/x\",\"function\":\"main\"}}]}\n");
	CHECK_EQ(report("--json --by edges -n 1"), 0);
	cut_notes();
	CHECK_STR(run_out, "{\"samples\":2,\"transfers\":20,\"empty_samples\":0,\"coverage\":null,"
		"\"coverage_by_hart\":[],\"coverage_by_thread\":[]," ALL_EDGES "\"edges\":["
		     "{\"count\":4,\"type\":\"IND_CALL\",\"from\":"
		     AT("main", "6") ",\"to\":" AT("leaf", "0") "}]}\n");
}

TEST(branches_have_their_probability)
{
	write_program();
	CHECK_EQ(report("--by branches --json"), 0);
	CHECK_SHOWS("\"branches\":[{\"hard\":2,\"runs\":6,\"taken\":4,\"probability\":0.666667,"
		    "\"from\":{\"binary\":\"/x\",\"function\":\"main\",\"offset\":10},"
		    "\"to\":{\"binary\":\"/x\",\"function\":\"main\",\"offset\":4}}]");
}

TEST(places_have_the_line_of_source_that_debug_information_tells)
{
	const char *dir = test_tmpdir();

	write_program_with_lines("/src/x<1>.c");
	CHECK_EQ(report(""), 0);
	CHECK_SHOWS("  main+0xa (x<1>.c:12) -> main+0x4 (x<1>.c:12)\n");
	CHECK_SHOWS("  main+0xe (x<1>.c:13) -> caller+0x2\n");
	CHECK_SHOWS("  main+0x4..0xa (x<1>.c:12)\n");
	CHECK_SHOWS("                leaf+0x0 (x<1>.c:21)\n");
	CHECK_EQ(report("--by branches --json"), 0);
	CHECK_SHOWS("\"from\":{\"binary\":\"/x\",\"function\":\"main\",\"offset\":10,"
		    "\"file\":\"/src/x<1>.c\",\"line\":12}");
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/p && cat %s/p",
		     dir, dir, dir, dir), 0);
	CHECK_SHOWS("<td>twin+0x0</td><td>main+0x8 (x&lt;1&gt;.c:12)</td>");
}

TEST(inlined_functions_are_named_with_their_lines)
{
	const char *dir = test_tmpdir();

	write_program_with_inlined();
	CHECK_EQ(report(""), 0);
	CHECK_SHOWS("  main+0xa (x.c:31 in step) -> main+0x4 (x.c:31 in step)\n");
	CHECK_SHOWS("  main+0xe (x.c:13) -> caller+0x2\n");
	CHECK_SHOWS("  main+0x4..0xa (x.c:31 in step)\n");
	CHECK_EQ(report("--by branches --json"), 0);
	CHECK_SHOWS("\"offset\":10,\"file\":\"/src/x.c\",\"line\":31,\"inlined\":[\"step\"]}");
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/p && cat %s/p",
		     dir, dir, dir, dir), 0);
	CHECK_SHOWS("<td>main+0xa (x.c:31 in step)</td>");
	CHECK_SHOWS("<tr class=\"source\"><td colspan=\"4\">x.c:31 in step</td></tr>");
}

TEST(a_missing_file_of_split_debug_information_is_told_once)
{
	static const uint64_t at = ELFB_ADDR + ELFB_CODE;
	struct dwb debug = { 0 };
	const char *told;

	begin_program();
	ADD_STEPS(once);
	dwb_begin_skeleton(&debug, "/src/x.c", "x.dwo", "/no/such/folder", at, 0x12);
	dwb_row(&debug, at, 11, 0);
	dwb_finish(&debug, at + 0x12);
	dwb_sections(&debug, &elf);
	write_files();
	dwb_free(&debug);
	CHECK_EQ(report(""), 0);
	CHECK_SHOWS("  main+0xa (x.c:11) -> main+0x4 (x.c:11)\n");
	told = strstr(run_err, "\nnot named: ");
	CHECK(told && strstr(told, "/x: inlined functions, ") &&
	      strstr(told, "/no/such/folder/x.dwo was not found"));
	CHECK(!strstr(told + 1, "\nnot named: "));
}

TEST(functions_of_cxx_have_the_names_of_the_source)
{
	const char *dir = test_tmpdir();

	begin_program();
	elf.nr_symbols = 0;
	add_function("_ZN1a4mainEi", 0x00, 0x10);
	add_function("_Z4leafRKi", 0x10, 2);
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--by functions,calls"), 0);
	CHECK_SHOWS("  leaf(int const&) (/x)\n");
	CHECK_SHOWS("  a::main(int) -> leaf(int const&)\n");
	CHECK_EQ(report("--by edges --no-demangle"), 0);
	CHECK_SHOWS("  _ZN1a4mainEi+0xa -> _ZN1a4mainEi+0x4\n");
	CHECK_EQ(report("--by functions,branches --json"), 0);
	CHECK_SHOWS("\"binary\":\"/x\",\"function\":\"leaf(int const&)\",\"symbol\":\"_Z4leafRKi\"}");
	CHECK_SHOWS("\"function\":\"a::main(int)\",\"symbol\":\"_ZN1a4mainEi\",\"offset\":10");
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/p && cat %s/p",
		     dir, dir, dir, dir), 0);
	CHECK_SHOWS("<td>a::main(int)</td><td>leaf(int const&amp;)</td>");
	CHECK(!strstr(run_out, "_Z"));
}

/* The longest that is shown whole, and one that is longer, with what has to be escaped. */
TEST(long_names_of_the_page_are_whole_in_a_title)
{
	static const char whole[] = "a123456789b123456789c123456789d123456789e123456789f123456789";
	static const char cut[] = "<\"123456789b123456789c123456789d123456789e123456789f123456789";
	static const char title[] = "&lt;&quot;123456789b123456789c123456789d123456789e123456789f123456789";
	static const char text[] = "&lt;\"123456789b123456789c123456789d123456789e123456789f123456789";
	char want[512];

	begin_program();
	elf.symbols[0].name = whole;
	elf.symbols[1].name = cut;
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(sizeof(whole) - 1, 60);
	CHECK_EQ(sizeof(cut) - 1, 61);
	read_page(__LINE__, "");
	snprintf(want, sizeof(want), "<td>%s</td><td><span class=\"name\" title=\"%s\">%s</span></td></tr>\n",
		 whole, title, text);
	CHECK_SHOWS(want);
	snprintf(want, sizeof(want), "<td><span class=\"name\" title=\"%s\">%s</span>+0x", title, text);
	CHECK_SHOWS(want);
	CHECK_SHOWS("td .name { display: inline-block; max-width: ");
	/* Paper has room for more lines. */
	CHECK(strstr(strstr(run_out, "@media print"), "td .name { display: inline; }\n"));
}

TEST(json_is_not_limited_unless_wanted)
{
	struct step step = { 0x0e, 0, RET, 0 };

	begin();
	for (; step.to < 0x0e; step.to++)
		add_steps(&step, 1);
	write_files();
	CHECK_EQ(report("--json --by edges | grep -o '\"count\"' | wc -l"), 0);
	CHECK_STR(run_out, "14\n");
	CHECK_EQ(report("--by edges | grep -c 'main.*->'"), 0);
	CHECK_STR(run_out, "10\n");
}

TEST(names_are_escaped_in_json)
{
	begin_program();
	elf.symbols[1].name = "le\"af\n\\";
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--json --by functions"), 0);
	CHECK_SHOWS("\"function\":\"le\\\"af\\u000a\\\\\"");
}

/* --- mispredictions and cycles --- */

enum { MISSED = 1, RIGHT = 2 };
#define CYCLES(_n) ((uint64_t)(_n) << 4)

TEST(mispredictions_and_cycles_are_shown_where_recorded)
{
	static const struct step steps[] = {
		{ 0x02, 0x0a, COND, MISSED | CYCLES(10) },
		{ 0x0e, 0x00, RET, RIGHT },
		{ 0x02, 0x0a, COND, RIGHT | CYCLES(5) },
		{ 0x02, 0x0a, COND, RIGHT },
	};

	begin();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(report("--by edges"), 0);
	CHECK_PRINTS("4 transfers of 2 kinds in 1 samples\n"
		     "coverage not known\n"
		     "1 of them mispredicted (25.0%)\n\n"
		     "     count   share  missed   cycles  type        from -> to\n"
		     "         3   75.0%   33.3%      7.5  COND        main+0x2 -> main+0xa\n"
		     "         1   25.0%    0.0%        -  RET         main+0xe -> main+0x0\n");
	CHECK_EQ(report("--json --by edges -n 1"), 0);
	cut_notes();
	CHECK_STR(run_out, "{\"samples\":1,\"transfers\":4,\"empty_samples\":0,\"coverage\":null,"
		"\"coverage_by_hart\":[],\"coverage_by_thread\":[],\"mispredicted\":1," ALL_EDGES "\"edges\":["
		     "{\"count\":3,\"type\":\"COND\",\"mispredicted\":1,"
		     "\"cycles\":15,\"timed\":2,\"from\":" AT("main", "2")
		     ",\"to\":" AT("main", "10") "}]}\n");
}

TEST(that_all_was_predicted_is_worth_saying)
{
	static const struct step step = { 0x02, 0x0a, COND, RIGHT };

	begin();
	add_steps(&step, 1);
	write_files();
	CHECK_EQ(report("--by edges"), 0);
	CHECK_SHOWS("0 of them mispredicted (0.0%)\n");
	CHECK(!strstr(run_out, "cycles"));
}

/* --- loops, in a function of 0x40 bytes --- */

static void begin_function(void)
{
	static const uint8_t zeroes[0x80];

	begin();
	elf.code = zeroes;
	elf.code_size = sizeof(zeroes);
	elf.nr_symbols = 0;
	add_function("f", 0, 0x40);
	add_function("g", 0x40, 0x40);
}

static void check_loops(int line, const char *want)
{
	write_files();
	CHECK_EQ(report("--by loops"), 0);
	cut_trips();
	check_shows(__FILE__, line, want);
}

#define CHECK_LOOPS(_want) check_loops(__LINE__, "loops\n" _want)
#define HEADING "\niterations   entries  loop\n"

TEST(a_loop_whose_condition_comes_first_is_entered_at_it)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x04, 0x20, UNCOND, 0 }, /* to the condition */
		{ 0x24, 0x06, COND, 0 }, { 0x24, 0x06, COND, 0 },
		{ 0x2e, 0x44, RET, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	CHECK_LOOPS(HEADING
		    "         3         1  f+0x6..0x24\n");
}

TEST(inner_loops_are_entered_once_in_each_turn_of_the_outer)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, /* over both heads, 04 and 08 */
		{ 0x0c, 0x08, COND, 0 }, { 0x0c, 0x08, COND, 0 },
		{ 0x10, 0x04, COND, 0 }, /* over the inner head */
		{ 0x0c, 0x08, COND, 0 },
		{ 0x1e, 0x44, RET, 0 }, { 0x4e, 0x40, UNCOND, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	/* Inner: 3 back, 2 from above. Outer: 1 back, 1 from above. */
	CHECK_LOOPS(HEADING
		    "         2         1  f+0x4..0x10\n"
		    "         5         2  f+0x8..0xc\n");
}

TEST(a_block_out_of_the_way_is_a_part_of_its_loop)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x06, 0x30, COND, 0 }, { 0x34, 0x08, UNCOND, 0 },
		{ 0x0c, 0x04, COND, 0 },
		{ 0x0c, 0x04, COND, 0 },
		{ 0x1e, 0x44, RET, 0 }, { 0x4e, 0x40, UNCOND, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	CHECK_LOOPS(HEADING
		    "         3         1  f+0x4..0x34\n");
}

TEST(a_jump_back_from_a_block_alone_is_no_loop)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x06, 0x30, COND, 0 }, { 0x34, 0x08, UNCOND, 0 },
		{ 0x1e, 0x44, RET, 0 }, { 0x4e, 0x40, UNCOND, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(report("--by loops"), 0);
	CHECK_SHOWS("0 iterations of 0 loops\n");
}

/* As of a program that was stripped. */
TEST(loops_without_names_are_missing_and_said_to_be)
{
	static const struct step steps[] = {
		{ 0x08, 0x00, COND, 0 }, { 0x08, 0x00, COND, 0 }, { 0x08, 0x00, COND, 0 },
	};
	static const char what[] = "100.0 % of what ran is in code without function names;\nits loops are not listed";

	begin_function();
	elf.nr_symbols = 0;
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(report("--by loops"), 0);
	CHECK_SHOWS("0 iterations of 0 loops\n");
	CHECK_SHOWS(what);
	CHECK_EQ(report("--by loops --json"), 0);
	CHECK_SHOWS("\"loops\":[],\"unnamed_share\":1.000000,");
	CHECK_EQ(report("--by loops --html /dev/stdout"), 0);
	CHECK_SHOWS(what);
	begin_function();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(report("--by loops"), 0);
	CHECK_SHOWS("2 iterations of 1 loops\n");
	CHECK(!strstr(run_out, "without function names"));
}

TEST(a_function_that_calls_itself_is_no_loop)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x08, 0x00, CALL, 0 },
		{ 0x08, 0x00, CALL, 0 }, { 0x1e, 0x0c, RET, 0 },
		{ 0x1e, 0x0c, RET, 0 }, { 0x1e, 0x44, RET, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(report("--by loops,functions"), 0);
	CHECK_SHOWS("0 iterations of 0 loops\n");
	CHECK_SHOWS("         3  100.0%  f (/x)\n");
}

TEST(a_loop_at_the_function_s_start_is_entered_by_calls)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x08, 0x00, COND, 0 },
		{ 0x08, 0x00, COND, 0 }, { 0x0e, 0x44, RET, 0 },
		{ 0x48, 0x00, UNCOND, 0 }, { 0x08, 0x00, COND, 0 },
		{ 0x0e, 0x44, RET, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	/* 3 back; entered by the call, and by a tail call. */
	CHECK_LOOPS(HEADING
		    "         5         2  f+0x0..0x8\n");
	CHECK_EQ(report("--by calls"), 0);
	CHECK_SHOWS("         2  100.0%  g -> f\n");
}

TEST(a_jump_into_another_function_enters_it_only_at_its_start)
{
	static const struct step steps[] = {
		{ 0x08, 0x44, UNCOND, 0 }, { 0x48, 0x00, UNCOND, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(report("--by functions,calls"), 0);
	CHECK_SHOWS("1 entries; 2 functions\n");
	CHECK_SHOWS("         0  100.0%  g (/x)\n"
		    "         1    0.0%  f (/x)\n");
	CHECK_SHOWS("         1  100.0%  g -> f\n");
}

TEST(a_loop_behind_a_call_is_entered_when_that_returns)
{
	static const struct step steps[] = {
		{ 0x04, 0x40, CALL, 0 }, { 0x4e, 0x08, RET, 0 },
		{ 0x0c, 0x08, COND, 0 }, { 0x0c, 0x08, COND, 0 },
		{ 0x1e, 0x60, RET, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	CHECK_LOOPS(HEADING
		    "         3         1  f+0x8..0xc\n");
}

TEST(a_loop_that_was_never_seen_entered_has_no_trips)
{
	static const struct step steps[] = {
		{ 0x0c, 0x08, COND, 0 }, { 0x0c, 0x08, COND, 0 },
		{ 0x0c, 0x08, COND, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	/* What the youngest was followed by is not known. */
	CHECK_LOOPS(HEADING
		    "         2         0  f+0x8..0xc\n");
	CHECK_EQ(report("--by loops --json"), 0);
	CHECK_SHOWS("\"entries\":0,\"trips_are\":\"at least\",\"trips_low\":");
	CHECK(!strstr(run_out, "\"trips\":") && !strstr(run_out, "trips_high"));
}

TEST(deep_stacks_are_counted_without_a_seam)
{
	struct step steps[200];
	unsigned int i;

	for (i = 0; i < 200; i++)
		steps[i] = (struct step){ 0x0c, 0x08, COND, 0 };
	begin_function();
	ADD_STEPS(steps);
	CHECK_LOOPS(HEADING
		    "       199         0  f+0x8..0xc\n");
}

/* --- the page --- */

TEST(the_page_shows_what_each_instruction_of_hot_functions_did)
{
	write_program();
	read_page(__LINE__, "");
	CHECK_SHOWS("<details open=\"open\">\n<summary>main (/x): 84.2%</summary>");
	CHECK_SHOWS("<details>\n<summary>leaf (/x): 10.5%</summary>");
	CHECK_SHOWS("<td class=\"n bar\" style=\"--part:33%\">2</td><td>+0x0</td>");
	CHECK_SHOWS("<td class=\"n bar\" style=\"--part:100%\">6</td><td>+0x4</td>");
	CHECK_SHOWS("<td class=\"n bar\" style=\"--part:100%\">6</td><td>+0xa</td>");
	CHECK_SHOWS("<td>to leaf 66.7%, twin 33.3%</td>");
	CHECK_SHOWS("<td>taken 66.7%</td>");
	CHECK_SHOWS("<tr class=\"note\"><td colspan=\"4\">loop: ");
	CHECK_SHOWS("<tr><td class=\"n\">4</td><td class=\"n\">10.5%</td><td>leaf</td><td>/x</td></tr>");
	CHECK_SHOWS("<td>main+0x4</td><td>main+0xa</td>");
}

#define CELL(_text)	"<td>" _text "</td>"
#define NUMBER(_text)	"<td class=\"n\">" _text "</td>"

/* 0 to 1: how bright a part of a colour is, by WCAG. */
static double part_of_light(const char *hex)
{
	const char digits[] = { hex[0], hex[1], 0 };
	const double v = (double)strtoul(digits, NULL, 16) / 255;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* On white, and on the darkest grey of browsers: WCAG wants a contrast of 4.5. */
TEST(faint_text_of_the_page_can_be_read)
{
	static const char name[] = "--faint: #";
	static const double back[] = { 1, 0.0061, 1 }; /* white, #121212, paper */
	const char *at = run_out;
	double light, contrast;
	unsigned int i;

	write_program();
	read_page(__LINE__, "");
	for (i = 0; (at = strstr(at, name)); i++) {
		at += sizeof(name) - 1;
		light = 0.2126 * part_of_light(at) + 0.7152 * part_of_light(at + 2) +
			0.0722 * part_of_light(at + 4);
		CHECK(i < 3 && strcspn(at, ";") == 6);
		contrast = (light + 0.05) / (back[i] + 0.05);
		CHECK((contrast < 1 ? 1 / contrast : contrast) >= 4.5);
	}
	CHECK_EQ(i, 3);
}

TEST(the_page_has_what_the_report_has)
{
	write_program();
	read_page(__LINE__, "");
	CHECK_SHOWS("<h2>Transfers</h2>");
	CHECK_SHOWS("<th>count</th><th>share</th><th>type</th><th>from</th><th>to</th></tr>\n"
		    "<tr>" NUMBER("4") NUMBER("20.0%") CELL("IND_CALL")
		    CELL("main+0x6") CELL("leaf+0x0") "</tr>\n");
	CHECK_SHOWS("<tr>" NUMBER("2") NUMBER("84.2%") CELL("main") CELL("/x") "</tr>\n"
		    "<tr>" NUMBER("4") NUMBER("10.5%") CELL("leaf") CELL("/x") "</tr>\n"
		    "<tr>" NUMBER("2") NUMBER("5.3%") CELL("twin") CELL("/x") "</tr>\n"
		    "</table>\n");
	CHECK_SHOWS("<tr>" NUMBER("6"));
	CHECK_SHOWS(NUMBER("2") NUMBER("~3.0") "<td>");
	CHECK_SHOWS("</td>" CELL("main+0x4") CELL("main+0xa") "</tr>\n</table>\n");
	CHECK_SHOWS("<tr>" NUMBER("2") NUMBER("100.0%") NUMBER("6") NUMBER("66.7%")
		    CELL("main+0xa") CELL("main+0x4") "</tr>\n</table>\n");
	CHECK_SHOWS("<table class=\"fixed\">\n");
	CHECK_SHOWS("<tr>" NUMBER("6") NUMBER("75.0%") CELL("IND_CALL") CELL("main+0x6")
		    CELL("") "</tr>\n"
		    "<tr>" NUMBER("4") NUMBER("66.7%") CELL("") CELL("") CELL("leaf+0x0") "</tr>\n"
		    "<tr>" NUMBER("2") NUMBER("33.3%") CELL("") CELL("") CELL("twin+0x0") "</tr>\n"
		    "<tr>" NUMBER("2") NUMBER("25.0%") CELL("IND_CALL") CELL("caller+0x0")
		    CELL("") "</tr>\n"
		    "<tr>" NUMBER("2") NUMBER("100.0%") CELL("") CELL("") CELL("main+0x0")
		    "</tr>\n</table>\n");
	CHECK_SHOWS("<tr>" NUMBER("4") NUMBER("50.0%") CELL("main") CELL("leaf") "</tr>\n"
		    "<tr>" NUMBER("2") NUMBER("25.0%") CELL("main") CELL("twin") "</tr>\n"
		    "<tr>" NUMBER("2") NUMBER("25.0%") CELL("caller") CELL("main") "</tr>\n"
		    "</table>\n");
	/* Of each list and each site one line, and one function's code. */
	read_page(__LINE__, "-n 1");
	CHECK(!strstr(run_out, CELL("main+0xa") CELL("main+0x4") "</tr>\n<tr>"));
	CHECK(!strstr(run_out, CELL("twin+0x0") "</tr>"));
	CHECK(!strstr(run_out, CELL("caller")) && !strstr(run_out, CELL("caller+0x0")));
	CHECK(!strstr(run_out, "<summary>leaf"));
	CHECK_SHOWS("<summary>main");
}

/* As in the page, so in the text: of the sections that were asked for. */
TEST(the_page_says_what_is_not_known)
{
	begin_program();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
						PERF_SAMPLE_BRANCH_ANY_CALL;
	ADD_STEPS(once);
	write_files();
	read_page(__LINE__, "--by loops,functions");
	CHECK_SHOWS("<h2>Loops</h2>\n<p>They are not known: some kinds of branches were not recorded; "
		    "record with <code>perf record -b</code>.</p>\n");
	CHECK(!strstr(run_out, "<h2>Code</h2>"));
	CHECK_SHOWS("<dt>coverage</dt><dd>not known</dd>\n");
	begin_program();
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(run("rm %s/x", test_tmpdir()), 0);
	read_page(__LINE__, "--by functions");
	CHECK_SHOWS("<p>The code of these functions is not known.</p>\n");
	CHECK(!strstr(run_out, "<details"));
}

/* So many samples of an event. */
static void add_samples_of(unsigned int event, unsigned int nr)
{
	while (nr--)
		pdb_sample(&rec, event, &(struct pdb_sample){
			.ip = MAP_AT + 0x10, .time = 2, .pid = 5, .tid = 5, .cpu = 3,
			.period = 100, .nr_branches = 4, .branches = loop });
}

/* Two events with branch stacks that count what the numbers say, and the samples of each. */
static void begin_events(uint64_t first, unsigned int nr, uint64_t other, unsigned int nr_other)
{
	static const char *const names[] = { "cycles:u", "branch-misses:u" };

	begin_program();
	record_anew(PERF_SAMPLE_BRANCH_ANY);
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	rec.events[0].attr.config = first;
	rec.events[1].attr.config = other;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	add_samples_of(0, nr);
	add_samples_of(1, nr_other);
	name_events(names);
}

static void write_events(uint64_t first, unsigned int nr, uint64_t other, unsigned int nr_other)
{
	begin_events(first, nr, other, nr_other);
	write_files();
}

TEST(samples_of_different_events_are_not_added_up_without_a_word)
{
	static const char *const commands[] = { "report", "report --html x.html",
						"annotate main", "merge -o x.counts perf.data",
						"profile -f bolt -b x -o x.bolt --allow-partial" };
	enum { CYCLES = PERF_COUNT_HW_CPU_CYCLES, MISSES = PERF_COUNT_HW_BRANCH_MISSES };
	const char *dir = test_tmpdir();
	unsigned int i;

	write_events(CYCLES, 2, MISSES, 3);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		CHECK_EQ(run("cd %s && ssctr %s --symfs .", dir, commands[i]), 0);
		CHECK(strstr(run_err, " 5 samples of different events were added up, such as cycles:u and branch-misses:u, so that the shares are those of neither; record one event, for example with -e cycles:u\n"));
	}
	/* One for each CPU, and one of which there is nothing to add. */
	write_events(CYCLES, 2, CYCLES, 3);
	CHECK_EQ(run("cd %s && ssctr report --symfs . perf.data", dir), 0);
	CHECK(!strstr(run_err, "different events"));
	write_events(CYCLES, 2, MISSES, 0);
	CHECK_EQ(run("cd %s && ssctr report --symfs . perf.data", dir), 0);
	CHECK(!strstr(run_err, "different events"));
}

/* Each form is read alone, and a page is sent to others. */
TEST(what_the_recording_and_its_files_lack_is_in_each_form)
{
	enum { CYCLES = PERF_COUNT_HW_CPU_CYCLES, MISSES = PERF_COUNT_HW_BRANCH_MISSES };
	static const char *const wants[] = {
		"5 samples of different events were added up, such as cycles:u and branch-misses:u, ",
		"2 samples of cycles:u, whose coverage is not known: ", "7 events lost while recording",
		"1 times the kernel throttled the sampling", "not used: /x: ",
	};
	const char *dir = test_tmpdir();
	unsigned int i;
	char *end;

	begin_events(CYCLES, 2, MISSES, 3);
	pdb_lost(&rec, 0, 5, 7, 4);
	pdb_begin(&rec, PERF_RECORD_THROTTLE, 0);
	pdb_u64s(&rec.data, (const uint64_t[]){ 5, 1, 1 }, 3);
	pdb_end_with_id(&rec, 0, 5, 5);
	write_files();
	CHECK_EQ(run("cd %s && ssctr report --html p perf.data && cat p", dir), 0);
	check_page(__LINE__);
	end = strstr(run_out, "<input ");
	CHECK(end);
	*end = 0;
	for (i = 0; i < sizeof(wants) / sizeof(*wants); i++) {
		CHECK_SHOWS(wants[i]);
		CHECK(strstr(run_err, wants[i]));
	}
	CHECK_EQ(run("cd %s && ssctr report --json --by edges perf.data", dir), 0);
	CHECK_SHOWS("],\"lost\":7,\"throttled\":1,\"notes\":[{\"number\":5,\"text\":\"samples of different events were added up, ");
	CHECK_SHOWS(",{\"number\":1,\"text\":\"times the kernel throttled the sampling\"},{\"kind\":\"not used\",\"text\":\"/x: ");
	CHECK_EQ(run("cd %s && ssctr annotate --json --symfs . main", dir), 0);
	CHECK_SHOWS(",\"lost\":7,\"throttled\":1,\"notes\":[{\"number\":5,");
	CHECK_EQ(run("cd %s && ssctr diff --json perf.data perf.data", dir), 0);
	CHECK_SHOWS(",\"lost\":7,\"throttled\":1,\"notes\":[{\"number\":5,");
	CHECK_EQ(run("cd %s && ssctr diff --html p perf.data perf.data && cat p", dir), 0);
	check_page(__LINE__);
	CHECK_SHOWS("<li>7 events lost while recording</li>\n");
	CHECK_SHOWS("<li>not used: /x: ");
}

/* Of a sample for each 100 of 800 events there is one eighth. */
TEST(the_page_says_what_was_recorded)
{
	static const char *const names[] = { "cycles:u", "instructions:u", "dummy:u" };
	struct pdb_buf *command;

	begin_program();
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	/* What perf has for the records of mappings is no event that was sampled. */
	pdb_event(&rec, PDB_BRANCH_SAMPLE & ~(uint64_t)PERF_SAMPLE_BRANCH_STACK, 0);
	rec.events[2].attr.type = PERF_TYPE_SOFTWARE;
	rec.events[2].attr.config = PERF_COUNT_SW_DUMMY;
	rec.events[2].attr.sample_period = 100;
	rec.events[0].attr.sample_period = 100;
	rec.events[1].attr.sample_period = 4000;
	rec.events[1].attr.freq = 1;
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = MAP_AT, .time = 2, .pid = 5, .period = 100,
		.nr_branches = 4, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, 800, 0);
	pdb_feature_text(&rec, 3, "machine<1>");
	pdb_feature_text(&rec, 4, "6.12.1");
	command = pdb_feature(&rec, 11);
	pdb_u32(command, 2);
	pdb_u32(command, 8);
	pdb_text(command, "perf");
	pdb_u32(command, 8);
	pdb_text(command, "record");
	name_events(names);
	write_files();
	read_page(__LINE__, "--by functions");
	CHECK_SHOWS("/perf.data</dd>\n"
		    "<dt>command</dt><dd>perf record</dd>\n"
		    "<dt>machine</dt><dd>machine&lt;1&gt;</dd>\n"
		    "<dt>kernel</dt><dd>6.12.1</dd>\n"
		    "<dt>event</dt><dd>cycles:u, a sample every 100</dd>\n"
		    "<dt>event</dt><dd>instructions:u, samples a second: 4000</dd>\n"
		    "<dt>branch stacks</dt><dd>4 transfers in 1 samples</dd>\n"
		    "<dt>coverage</dt><dd>12.5% of what the event counted lies between the samples</dd>\n"
		    "</dl>\n");
	/* What was not recorded is not there. */
	write_program();
	read_page(__LINE__, "");
	CHECK_SHOWS("/perf.data</dd>\n<dt>event</dt><dd>?, a sample every 0</dd>\n"
		    "<dt>branch stacks</dt><dd>20 transfers in 2 samples</dd>\n"
		    "<dt>coverage</dt><dd>not known</dd>\n</dl>\n");
}

#define TEN "\u00e4\u00f6\u00fc\u00df\u20ac\u00e4\u00f6\u00fc\u00df\u20ac"

TEST(the_page_has_the_whole_name_of_an_event)
{
	static const char *const names[] = { "cpu/name=" TEN TEN TEN TEN TEN TEN TEN "/u", "x" };

	begin_program();
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	rec.events[0].attr.sample_period = 100;
	add_sample(5, 2, MAP_AT, 4, loop);
	name_events(names);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<dt>event</dt><dd>cpu/name=" TEN TEN TEN TEN TEN TEN TEN "/u, a sample every 100</dd>\n");
}

/* They cover what the event counted, and show none of it. */
TEST(samples_that_show_nothing_are_told)
{
	unsigned int i;

	begin_program();
	for (i = 0; i < 4; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT + 0x02, .time = 2 + i, .pid = 5, .cpu = 3, .period = 100,
			.nr_branches = i ? 0 : 4, .branches = loop });
	pdb_count(&rec, 0, UINT32_MAX, 400, 0);
	write_files();
	CHECK_EQ(report("--by edges"), 0);
	CHECK(strstr(run_err, "           3 samples have an empty branch stack, which shows nothing of what ran (docs/trouble.md)\n"));
	CHECK_EQ(report("--by edges --json"), 0);
	CHECK_SHOWS("{\"samples\":1,\"transfers\":4,\"empty_samples\":3,\"coverage\":1.000000,");
	read_page(__LINE__, "--by edges");
	CHECK_SHOWS("<dt>empty branch stacks</dt><dd>3 more samples, which show nothing of what ran</dd>\n");
	/* What is counted keeps it. */
	CHECK_EQ(run("cd %s && ssctr merge --symfs . -o c perf.data 2>/dev/null; ssctr report --symfs . --by edges --json c", test_tmpdir()), 0);
	CHECK_SHOWS("\"empty_samples\":3,\"coverage\":1.000000,");
	CHECK(strstr(run_err, "           3 samples have an empty branch stack, "));
}

TEST(the_page_has_a_share_of_what_was_mispredicted)
{
	static const struct step steps[] = {
		{ 0x02, 0x0a, COND, MISSED }, { 0x0e, 0x00, RET, RIGHT | CYCLES(7) },
		{ 0x02, 0x0a, COND, RIGHT }, { 0x0e, 0x00, RET, RIGHT },
	};

	begin();
	ADD_STEPS(steps);
	write_files();
	read_page(__LINE__, "--by edges");
	CHECK_SHOWS("<dt>mispredicted</dt><dd>1 (25.0%)</dd>\n");
	CHECK_SHOWS("<tr>" NUMBER("2") NUMBER("50.0%") NUMBER("50.0%") NUMBER("-") CELL("COND"));
	CHECK_SHOWS("<tr>" NUMBER("2") NUMBER("50.0%") NUMBER("0.0%") NUMBER("7.0") CELL("RET"));
}

/* Line 12 is longer than what is shown of it. */
TEST(the_page_has_lines_of_source_above_their_instructions)
{
	char long_line[300], want[512], path[512];
	const char *at;
	unsigned int i;
	FILE *file;

	snprintf(path, sizeof(path), "%s", test_path("x.c"));
	memset(long_line, 'a', sizeof(long_line) - 1);
	long_line[sizeof(long_line) - 1] = 0;
	file = fopen(path, "w");
	CHECK(file);
	for (i = 1; i < 11; i++)
		fputc('\n', file);
	fprintf(file, " \t if (a < b)\n\t%s\n \t \n", long_line);
	CHECK(!fclose(file));
	write_program_with_lines(path);
	read_page(__LINE__, "");
	CHECK_SHOWS("<tr class=\"source\"><td colspan=\"4\">x.c:11  if (a &lt; b)</td></tr>\n");
	snprintf(want, sizeof(want), "<tr class=\"source\"><td colspan=\"4\">x.c:12  %.255s ...</td></tr>\n",
		 long_line);
	CHECK_SHOWS(want);
	at = strstr(run_out, want);
	CHECK(!strstr(at + 1, want));
	/* Of blanks there is nothing to show. */
	CHECK_SHOWS("<tr class=\"source\"><td colspan=\"4\">x.c:13</td></tr>\n");
	/* In the code of leaf, of which there is no such line. */
	CHECK_SHOWS("<tr class=\"source\"><td colspan=\"4\">x.c:21</td></tr>\n");
}

TEST(the_page_has_source_from_the_folders_that_are_named)
{
	FILE *file = fopen(test_path("src/lib/x.c"), "w");
	char options[512];

	CHECK(file && fprintf(file, "%10sif (a)\n", "\n\n\n\n\n\n\n\n\n\n") > 0 && !fclose(file));
	write_program_with_lines("/build/lib/x.c");
	read_page(__LINE__, "");
	CHECK_SHOWS("<tr class=\"source\"><td colspan=\"4\">x.c:11</td></tr>\n");
	snprintf(options, sizeof(options), "--source %s/none --source %s/src", test_tmpdir(),
		 test_tmpdir());
	read_page(__LINE__, options);
	CHECK_SHOWS("<tr class=\"source\"><td colspan=\"4\">x.c:11  if (a)</td></tr>\n");
	/* Nothing else has source lines. */
	CHECK_EQ(run("ssctr report -i %s/perf.data --source %s/src", test_tmpdir(), test_tmpdir()), 2);
	CHECK(!strcmp(run_err, "ssctr report: --source needs --html, since only the page shows source lines; see `ssctr report --help`\n"));
}

/* Three trips each time, twice in a sample, so that neither fills the stack. */
TEST(the_page_tells_the_trips_of_loops_in_the_code)
{
	static const struct step round[] = {
		{ 0x0a, 0x04, 0, 0 }, { 0x0a, 0x04, 0, 0 }, { 0x0a, 0x04, 0, 0 },
	};
	struct step twice[20];
	unsigned int i;

	memcpy(twice, once, sizeof(once));
	memcpy(twice + 10, once, sizeof(once));
	begin_program();
	for (i = 0; i < 100; i++)
		ADD_STEPS(twice);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("% of all that ran, trips for each entry: 3, always</td></tr>\n");
	CHECK_SHOWS(NUMBER("3") CELL("always") CELL("main+0x4") CELL("main+0xa"));
	begin_program();
	ADD_STEPS(round);
	write_files();
	read_page(__LINE__, "");
	/* All that ran was in it, and it never ended. */
	CHECK_SHOWS("<td colspan=\"4\">loop: 100.0% of all that ran, trips for each entry: ");
	CHECK_SHOWS(" or more</td></tr>\n");
	CHECK(!strstr(run_out, "entry: -"));
	CHECK_SHOWS(NUMBER("-") "<td>");
}

/* Two of the instructions before 0x08 are not few. */
TEST(the_page_leaves_out_what_did_not_run)
{
	static const struct step back[] = {
		{ 0x0a, 0x08, 0, 0 }, { 0x0a, 0x08, 0, 0 }, { 0x0a, 0x08, 0, 0 },
	};

	begin_program();
	ADD_STEPS(back);
	write_files();
	read_page(__LINE__, "--by functions");
	CHECK_SHOWS("<tr class=\"note\"><td colspan=\"4\">4 instructions that did not run</td></tr>\n");
	CHECK(!strstr(run_out, "<td>+0x6</td>"));
	CHECK_SHOWS("<td>+0x8</td>");
	CHECK_SHOWS("<td>+0xa</td>");
}

/* Both in transfers that were recorded, though they are weighed. */
TEST(the_page_and_the_branches_agree_how_often_one_ran)
{
	const char *dir = test_tmpdir(), *key;
	char cell[64];

	write_program();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --by branches --json",
		     dir, dir), 0);
	CHECK_SHOWS("\"from\":{\"binary\":\"/x\",\"function\":\"main\",\"offset\":10}");
	key = strstr(run_out, "\"runs\":") + 7;
	snprintf(cell, sizeof(cell), ">%d</td><td>+0xa</td>", atoi(key));
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/p && cat %s/p",
		     dir, dir, dir, dir), 0);
	check_page(__LINE__);
	CHECK_SHOWS(cell);
	CHECK_SHOWS("<h2>Conditional branches</h2>");
}

/* Lines up to the branch: one from 04, five from 08, and six from the branch itself. */
TEST(the_page_marks_what_ran_half_as_often_as_the_most_frequent_one)
{
	struct step steps[13] = { { 0x0a, 0x04, 0, 0 } };
	unsigned int i;

	for (i = 1; i < 13; i++)
		steps[i] = (struct step){ 0x0a, i < 6 ? 0x08 : 0x0a, 0, 0 };
	begin_program();
	ADD_STEPS(steps);
	write_files();
	read_page(__LINE__, "--by functions");
	CHECK_SHOWS("<tr><td class=\"n bar\" style=\"--part:8%\">1</td><td>+0x4</td>");
	CHECK_SHOWS("<tr class=\"hot\"><td class=\"n bar\" style=\"--part:50%\">6</td><td>+0x8</td>");
	CHECK_SHOWS("<tr class=\"hot\"><td class=\"n bar\" style=\"--part:100%\">12</td><td>+0xa</td>");
}

TEST(the_page_tells_what_did_not_run)
{
	static const struct step steps[] = {
		{ 0x40, 0x04, CALL, 0 },
		{ 0x06, 0x0a, COND, 0 }, { 0x0c, 0x04, COND, 0 },
		{ 0x06, 0x0a, COND, 0 }, { 0x0e, 0x44, RET, 0 },
		{ 0x4e, 0x40, UNCOND, 0 },
	};

	begin_function();
	ADD_STEPS(steps);
	write_files();
	read_page(__LINE__, "--by functions");
	CHECK_SHOWS("<tr class=\"hot\"><td class=\"n bar\" style=\"--part:100%\">2</td><td>+0x6</td>");
	CHECK_SHOWS("<tr><td class=\"n bar\" style=\"--part:0%\">0</td><td>+0x8</td>");
	CHECK_SHOWS("<tr class=\"hot\"><td class=\"n bar\" style=\"--part:100%\">2</td><td>+0xa</td>");
	CHECK(!strstr(run_out, "<h2>Transfers"));
}

TEST(the_page_has_columns_for_what_the_records_tell)
{
	static const struct step all = { 0x02, 0x0a, COND, MISSED | CYCLES(10) };
	static const struct step nothing = { 0x02, 0x0a, COND, 0 };

	begin();
	add_steps(&all, 1);
	write_files();
	read_page(__LINE__, "--by edges");
	CHECK_SHOWS("<th>share</th><th>missed</th><th>cycles</th><th>type</th>");
	CHECK_SHOWS("<td class=\"n\">100.0%</td><td class=\"n\">100.0%</td>"
		    "<td class=\"n\">10.0</td>");
	begin();
	add_steps(&nothing, 1);
	write_files();
	read_page(__LINE__, "--by edges");
	CHECK_SHOWS("<th>share</th><th>type</th>");
}

/* "ab" in Hebrew: a browser would show +0x4 before it. */
TEST(names_from_right_to_left_turn_nothing_around)
{
	begin_program();
	elf.nr_symbols = 0;
	add_function("x\xd7\x90\xd7\x91_\xe2\x80\xae", 0x00, 0x10);
	add_function("\xdf\x80\xe0\xa3\xbf\xef\xac\x9c\xef\xbb\xbf", 0x10, 2);
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--by edges,calls"), 0);
	CHECK_SHOWS(" x\xd7\x90\xd7\x91_?+0x");
	read_page(__LINE__, "");
	CHECK_SHOWS("<td>x<bdi>\xd7\x90\xd7\x91</bdi>_?+0x4</td>");
	/* U+07C0 and U+08FF; U+FB1C is Latin; U+FEFF. */
	CHECK_SHOWS("<td><bdi>\xdf\x80\xe0\xa3\xbf</bdi>\xef\xac\x9c<bdi>\xef\xbb\xbf</bdi></td>");
	/* A name in a cell of its own. */
	CHECK_SHOWS("<td>x<bdi>\xd7\x90\xd7\x91</bdi>_?</td>");
}

TEST(names_are_escaped_in_the_page)
{
	begin_program();
	elf.symbols[0].name = "<script>&\x01\xff\xc3\xa4";
	ADD_STEPS(once);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<td>&lt;script&gt;&amp;?&#xfffd;\xc3\xa4+0x4</td>");
	/* Alone, and in the code, it has the same form. */
	CHECK_SHOWS("<td>&lt;script&gt;&amp;?&#xfffd;\xc3\xa4</td>");
	CHECK_SHOWS("<summary>&lt;script&gt;&amp;?&#xfffd;\xc3\xa4 (/x): ");
}

TEST(a_page_is_there_whole_or_not_at_all)
{
	const char *dir = test_tmpdir();

	write_program();
	CHECK_EQ(run("ssctr report -i %s/perf.data --pid 6 --html %s/p", dir,
		     dir), 1);
	CHECK_EQ(run("ls %s/p*", dir), 0);
	CHECK(!strstr(run_out, "/p\n"));
	CHECK_EQ(run("ssctr report -i %s/perf.data --html /dev/full", dir), 1);
	CHECK_SAYS("/dev/full: No space left on device");
	CHECK_EQ(run("ssctr report -i %s/perf.data --html %s/p --json", dir,
		     dir), 2);
	CHECK_SAYS("--json and --html cannot be used together");
}

/* --- recordings with less in them --- */

TEST(without_all_branches_loops_and_branches_are_not_known)
{
	begin_program();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
						PERF_SAMPLE_BRANCH_ANY_CALL;
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--by loops"), 0);
	CHECK_SHOWS("\nThe loops are not known: some kinds of branches were not recorded");
	CHECK_EQ(report("--by branches"), 0);
	CHECK_SHOWS("\nThe conditional branches are not known: some kinds of branches were not recorded");
	CHECK_EQ(report("--by loops,branches,calls --json"), 0);
	CHECK(!strstr(run_out, "loops") && !strstr(run_out, "\"branches\""));
	CHECK_SHOWS("\"calls\":[{");
}

static void begin_away(void)
{
	unsigned int i;

	begin_program();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	rec.events[0].attr.exclude_kernel = 0;
	for (i = 0; i < 3; i++)
		add_sample(5, 1 + i, UINT64_C(0xffffffff80001000), 4, loop);
}

/* In the kernel the hart shows again what user code did before. */
TEST(samples_in_a_mode_that_was_not_recorded_are_left_out_and_told)
{
	static const char left_out[] =
		"3 samples left out: they were taken in a mode whose branches were not recorded";

	begin_away();
	write_files();
	CHECK_EQ(report(""), 1);
	CHECK_SAYS("no samples: all 3 samples left out: they were taken in a mode");
	begin_away();
	add_sample(5, 5, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(report(""), 0);
	CHECK(strstr(run_err, left_out));
	CHECK_EQ(report("--json"), 0);
	CHECK_SHOWS("{\"samples\":1,");
	CHECK_SHOWS("{\"number\":3,\"text\":\"samples left out: they were taken in a mode");
}

#define LACKS "Entries by other kinds of branches are missing, and functions that were entered only by them. If only calls were recorded, tail calls are missing."

/* With calls alone, tail calls have no line, and what ran has no share. */
TEST(each_form_says_what_was_recorded_and_what_the_shares_are_of)
{
	begin_program();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
						PERF_SAMPLE_BRANCH_ANY_CALL |
						PERF_SAMPLE_BRANCH_IND_JUMP;
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--by functions,calls"), 0);
	CHECK_SHOWS("\nkinds of branches recorded: any_call, ind_jmp only\n");
	CHECK_SHOWS(" functions\nThe shares are those of all recorded entries. " LACKS "\n\n");
	CHECK_SHOWS(" pairs of functions\nThe shares are those of all recorded entries. ");
	CHECK_EQ(report("--by functions,edges,loops --json"), 0);
	CHECK_SHOWS(",\"kinds\":[\"any_call\",\"ind_jmp\"],"
		    "\"share_of\":{\"edges\":\"all recorded transfers\",\"functions\":\"all recorded entries\"},"
		    "\"lacks\":{\"edges\":\"Other kinds of branches are missing.\",\"functions\":\"" LACKS "\"},");
	read_page(__LINE__, "--by functions,edges");
	CHECK_SHOWS("<dt>kinds of branches</dt><dd>any_call, ind_jmp only</dd>\n");
	CHECK_SHOWS("to its start. The share is that of all recorded entries. " LACKS "</p>");
	CHECK(!strstr(run_out, "all instructions that ran"));
	write_program();
	read_page(__LINE__, "");
	CHECK_SHOWS(" The share is that of all instructions that ran, without those of what the function calls.</p>");
	CHECK(!strstr(run_out, "kinds of branches") && !strstr(run_out, "recorded entries"));
	CHECK_EQ(report(""), 0);
	CHECK(!strstr(run_out, "kinds of branches") && !strstr(run_out, "shares are those"));
}

/* So many samples of a buffer in which so many branches came since the sample before. */
static void add_buffers(const struct step *steps, unsigned int nr, unsigned int depth,
			unsigned int fresh)
{
	unsigned int end;

	for (end = depth; end <= nr; end += fresh ? fresh : nr) {
		add_steps(steps + end - depth, depth);
		if (!fresh)
			add_steps(steps + end - depth, depth);
	}
}

static void begin_calls(void)
{
	begin_program();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
}

/* A filter lets few branches into the buffer, and no sample empties it. */
TEST(branches_that_samples_show_again_are_told)
{
	static const char again[] = " are also in the stack of the sample before";
	struct step different[32], alike[32];
	unsigned int i;

	for (i = 0; i < 32; i++) {
		different[i] = (struct step){ 0x06, 0x100 + 2 * i, CALL, 0 };
		alike[i] = (struct step){ 0x06, 0x100 + 2 * (i % 8), CALL, 0 };
	}
	/* 3 samples of 16, of which 8 are new each time. */
	begin_calls();
	add_buffers(different, 32, 16, 8);
	write_files();
	CHECK_EQ(report("--by edges --html /dev/null"), 0);
	CHECK(strstr(run_err, "          16 transfers (33.3 %) are also in the stack of the sample before, "));
	CHECK_EQ(report("--by edges --json"), 0);
	CHECK_SHOWS("{\"number\":16,\"text\":\"transfers (33.3 %) are also in ");
	/* Nothing came in between. */
	begin_calls();
	add_buffers(different, 16, 16, 0);
	write_files();
	CHECK_EQ(report("--by calls"), 0);
	CHECK(strstr(run_err, "          16 transfers (50.0 %) are also in "));
	/* All of them are new; and a loop may have made new ones that are alike. */
	begin_calls();
	add_buffers(different, 32, 16, 16);
	add_steps_of(6, different + 16, 16);
	write_files();
	CHECK_EQ(report("--by edges"), 0);
	CHECK(!strstr(run_err, again));
	begin_calls();
	add_buffers(alike, 32, 16, 8);
	write_files();
	CHECK_EQ(report("--by edges"), 0);
	CHECK(!strstr(run_err, again));
	/* Where all are recorded, their weights see to it. */
	begin_program();
	add_buffers(different, 32, 16, 8);
	write_files();
	CHECK_EQ(report("--by edges"), 0);
	CHECK(!strstr(run_err, again));
}

/* A branch of the loop alone: no call, no indirect one and no entry is there to be seen. */
TEST(an_empty_list_is_not_known_without_all_branches)
{
	static const struct step loop[] = { { 0x0a, 0x04, 0, 0 }, { 0x0a, 0x04, 0, 0 } };

	begin_program();
	rec.events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
						PERF_SAMPLE_BRANCH_COND;
	ADD_STEPS(loop);
	write_files();
	CHECK_EQ(report(""), 0);
	CHECK_SHOWS("\nThe functions are not known: some kinds of branches were not recorded");
	CHECK_SHOWS("\nThe indirect branches are not known: ");
	CHECK_SHOWS("\nThe pairs of functions are not known: ");
	CHECK_EQ(report("--json"), 0);
	CHECK_SHOWS("\"edges\":[{");
	CHECK(!strstr(run_out, "functions") && !strstr(run_out, "targets") &&
	      !strstr(run_out, "calls"));
}

TEST(code_without_symbols_is_told_by_its_binary)
{
	begin_program();
	elf.nr_symbols = 0;
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--by edges,loops,calls"), 0);
	CHECK_SHOWS("  IND_CALL    /x+0x1006 -> /x+0x1010\n");
	CHECK_SHOWS("0 iterations of 0 loops\n");
	CHECK_SHOWS("         4  100.0%  /x -> /x\n");
	CHECK_EQ(report("--by calls --json"), 0);
	CHECK_SHOWS("\"from\":{\"binary\":\"/x\"},\"to\":{\"binary\":\"/x\"}");
}

static const uint64_t branch_thrice[][3] = {
	{ MAP_AT + 0x0a, MAP_AT + 0x04, (uint64_t)COND << 20 },
	{ MAP_AT + 0x0a, MAP_AT + 0x04, (uint64_t)COND << 20 },
	{ MAP_AT + 0x0a, MAP_AT + 0x04, (uint64_t)COND << 20 },
}, call_of_leaf[][3] = {
	{ MAP_AT + 0x10, MAP_AT + 0x08, (uint64_t)RET << 20 },
	{ MAP_AT + 0x06, MAP_AT + 0x10, (uint64_t)PERF_BR_IND_CALL << 20 },
};

/* Of two builds, the binary tells which of them it is; what only one of them has is clear. */
TEST(functions_of_one_name_are_told_apart_by_their_binaries)
{
	const char *dir = test_tmpdir();

	begin_build(NULL);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/y", 1);
	add_sample(5, 2, MAP_AT, 3, branch_thrice);
	write_files();
	CHECK_EQ(report("--raw --by edges,loops"), 0);
	CHECK_SHOWS("  main+0x4..0xa\n");
	CHECK_SHOWS("  main+0xa -> main+0x4\n");
	begin_build(NULL);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	pdb_mmap2(&rec, 6, MAP_AT, 0x1000, ELFB_CODE, "/y", 1);
	add_sample(5, 2, MAP_AT, 3, branch_thrice);
	add_sample(6, 3, MAP_AT, 3, branch_thrice);
	add_sample(6, 4, MAP_AT, 2, call_of_leaf);
	write_files();
	CHECK_EQ(run("cp %s/x %s/y", dir, dir), 0);
	CHECK_EQ(report("--raw --by edges,loops,branches,calls"), 0);
	CHECK_SHOWS("  main+0x4..0xa (/x)\n");
	CHECK_SHOWS("  main+0x4..0xa (/y)\n");
	CHECK_SHOWS("  main+0xa (/x) -> main+0x4 (/x)\n");
	CHECK_SHOWS("  main+0xa (/y) -> main+0x4 (/y)\n");
	CHECK_SHOWS("  main+0x6 (/y) -> leaf+0x0\n");
	CHECK_SHOWS("  main (/y) -> leaf\n");
}

/* As containers have them. One process has the build whose file is there, two have others. */
TEST(files_of_one_name_are_told_apart_by_their_builds)
{
	static const uint8_t ids[][20] = { { 0xab, 0xcd, 0xef, 1, 2 }, { 3, [19] = 4 }, { 5 } };
	const char *dir = test_tmpdir();
	unsigned int i;

	begin_build(ids[0]);
	for (i = 0; i < 3; i++) {
		pdb_mmap2_id(&rec, 5 + i, MAP_AT, 0x1000, ELFB_CODE,
			     i < 2 ? "/x" : "/y", 1, ids[i]);
		add_sample(5 + i, 2 + i, MAP_AT, 2, branch_twice);
	}
	write_files();
	CHECK_EQ(report("--by edges,functions"), 0);
	CHECK_SHOWS("  main (/x [abcdef01])\n");
	CHECK_SHOWS("  /x [03000000]\n");
	CHECK_SHOWS("  /y\n");
	CHECK_SHOWS("  /x [03000000]+0x100a -> /x [03000000]+0x1004\n");
	CHECK(strstr(run_err, "/x: another build than the one that was recorded, whose build id is 0300000000000000000000000000000000000004; "));
	CHECK_EQ(report("--by functions --json"), 0);
	CHECK_SHOWS("\"binary\":\"/x [03000000]\"}");
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/page", dir, dir, dir), 0);
	CHECK_EQ(run("grep -c '<option[^>]*>/x .03000000.</option>' %s/page", dir), 0);
	/* The names of a counts file's binaries are told apart, too. */
	CHECK_EQ(run("ssctr merge -o %s/c --symfs %s %s/perf.data && ssctr report %s/c --symfs %s --by functions",
		     dir, dir, dir, dir, dir), 0);
	CHECK_SHOWS("  /x [03000000]\n");
}

/* perf could not read it once, and the file is the same. */
TEST(what_has_no_build_id_beside_one_that_has_is_not_told_apart)
{
	static const uint8_t id[20] = { 0xab };
	unsigned int i;

	begin_build(id);
	pdb_mmap2(&rec, 4, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
	for (i = 0; i < 2; i++)
		add_sample(4 + i, 2 + i, MAP_AT, 2, branch_twice);
	write_files();
	CHECK_EQ(report("--by functions"), 0);
	CHECK(!strstr(run_out, "["));
}

/* Of 30 transfers, 10 are in the vdso. */
TEST(a_vdso_without_a_file_is_told_with_its_share)
{
	static const struct step in_vdso[] = {
		{ 0x2000, 0x2000, 0, 0 }, { 0x2000, 0x2000, 0, 0 }, { 0x2000, 0x2000, 0, 0 },
		{ 0x2000, 0x2000, 0, 0 }, { 0x2000, 0x2000, 0, 0 },
	};

	begin_program();
	pdb_mmap2(&rec, 5, MAP_AT + 0x2000, 0x1000, 0, "[vdso]", 1);
	ADD_STEPS(once);
	ADD_STEPS(once);
	ADD_STEPS(in_vdso);
	ADD_STEPS(in_vdso);
	write_files();
	CHECK_EQ(report("--by functions"), 0);
	CHECK(strstr(run_err, "          10 transfers (33.3 %) are of code without names, because the file of the vdso is not known; read the recording on the machine that made it, install the package with the debug information of its kernel, or name its vdso.so with --code\n"));
}

/* Of 30 transfers, 20 are in /x, and nothing is known to be mapped where the others are. */
TEST(a_file_without_symbols_is_told_with_its_share)
{
	static const struct step elsewhere[] = {
		{ 0x2000, 0x3000, 0, 0 }, { 0x3000, 0x3000, 0, 0 }, { 0x3000, 0x3000, 0, 0 },
		{ 0x3000, 0x3000, 0, 0 }, { 0x3000, 0x3000, 0, 0 },
	};

	begin_program();
	elf.nr_symbols = 0;
	ADD_STEPS(once);
	ADD_STEPS(once);
	ADD_STEPS(elsewhere);
	ADD_STEPS(elsewhere);
	write_files();
	CHECK_EQ(report("--by functions"), 0);
	CHECK(strstr(run_err, "          20 transfers (66.7 %) are of functions without names, because "));
	CHECK(strstr(run_err, "/x is stripped; name a file that has its symbols with --code, or install its package of debug information\n"));
	CHECK(strstr(run_err, "          10 transfers (33.3 %) are of code without names, because the recording does not tell what is mapped there; record the program from its start, without --no-timestamp, --synth=no, --tail-synthesize, --overwrite and --switch-output\n"));
	/* As Fedora has it. */
	begin_program();
	elf.nr_symbols = 0;
	elf.extra = ".gnu_debugdata";
	elf.extra_addr = ELFB_ADDR + ELFB_CODE;
	elf.extra_size = 4;
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--by functions"), 0);
	CHECK(strstr(run_err, "/x is stripped; its symbols are in .gnu_debugdata, which ssctr does not read: unpack this section, and name the unpacked file with --code (docs/trouble.md), or install its package of debug information\n"));
	begin_program();
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--by functions"), 0);
	CHECK(!strstr(run_err, "symbols"));
}

TEST(what_the_options_leave_nothing_of_is_an_error)
{
	write_program();
	CHECK_EQ(report("--pid 6"), 1);
	CHECK_SAYS("no samples that the options select");
	CHECK_STR(run_out, "");
	CHECK_EQ(report("--pid 6 --json"), 1);
	CHECK_STR(run_out, "");
}

TEST(a_full_disk_is_reported)
{
	write_program();
	CHECK_EQ(report("--json >/dev/full"), 1);
	CHECK_SAYS("No space left on device");
}

/* As the traces of the other subcommands are. */
TEST(the_recording_may_be_the_operand)
{
	write_program();
	CHECK_EQ(run("cd %s && ssctr report --raw perf.data --symfs . --by edges", test_tmpdir()), 0);
	CHECK_PRINTS(EDGES);
	CHECK_EQ(run("cd %s && ssctr report -i perf.data perf.data", test_tmpdir()), 2);
	CHECK_SAYS("unexpected argument 'perf.data'; give one input");
}

TEST(what_a_killed_writer_left_is_shown_and_told)
{
	const char *const killed =
		"dd if=/dev/zero of=perf.data bs=1 seek=48 count=8 conv=notrunc status=none";

	write_program();
	CHECK_EQ(run("cd %s && %s && ssctr report --raw --symfs . --by edges",
		     test_tmpdir(), killed),
		 0);
	CHECK_SHOWS(EDGES);
	CHECK(strstr(run_err, " bytes of a recording whose end is missing, because its writer was killed"));
	CHECK(strstr(run_err, "is not known: its writer was killed before it wrote the counts"));
}

TEST(memory_is_no_copy_of_it)
{
	CHECK_EQ(run("ssctr report --kcore /proc/kcore"), 2);
	CHECK_SAYS("--kcore /proc/kcore: memory cannot be read as a file; give a copy");
}

TEST(a_file_of_another_kind_is_named)
{
	write_program();
	CHECK_EQ(run("cd %s && ssctr stf --symfs . -o t.zstf", test_tmpdir()),
		 0);
	CHECK_EQ(run("cd %s && ssctr report t.zstf", test_tmpdir()), 1);
	CHECK_SAYS("; it is a trace, which `ssctr info`, `dump` and `check` read");
	CHECK_EQ(run("cd %s && ssctr info perf.data", test_tmpdir()), 1);
	CHECK_SAYS("; it is a recording, which `ssctr report`, `stf` and `profile` read");
	CHECK_EQ(run("cd %s && rm perf.data && ssctr report", test_tmpdir()), 1);
	CHECK_SAYS("perf.data: No such file or directory; name a recording, or");
	/* Neither; and nothing waits for who might write into a pipe. */
	CHECK_EQ(run("ssctr report /bin/sh"), 1);
	CHECK(!strstr(run_err, "it is a"));
	CHECK_EQ(run("cd %s && mkfifo p && echo x >p & cd %s;"
		     "while [ ! -p p ]; do :; done; ssctr info p",
		     test_tmpdir(), test_tmpdir()),
		 1);
	CHECK_SAYS("(stdin): not an STF trace");
}

/* The release that a damaged pipe tells again is longer. */
TEST(a_pipe_that_tells_the_release_twice_is_of_the_first_one)
{
	static const uint64_t in_vdso[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
	};
	char other[200];

	memset(other, '9', sizeof(other) - 1);
	other[sizeof(other) - 1] = 0;
	begin();
	CHECK(elfb_write(&elf, test_path("usr/lib/modules/6.12/vdso/vdso.so")));
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "[vdso]", 1);
	pdb_feature_text(&rec, PDB_OSRELEASE, "6.12");
	pdb_begin(&rec, PDB_HEADER_FEATURE, 0);
	pdb_u64(&rec.data, PDB_OSRELEASE);
	pdb_u32(&rec.data, sizeof(other));
	pdb_text(&rec.data, other);
	pdb_end(&rec);
	add_sample(5, 2, MAP_AT + 0x0a, 2, in_vdso);
	pdb_round(&rec);
	write_as(true);
	CHECK_EQ(report("--by edges"), 0);
	CHECK_SHOWS("main+0x6 -> load+0x0\n");
}

/* perf inject writes a build id into a pipe when the file is mapped already. */
TEST(a_file_of_another_build_than_a_pipe_tells_is_not_used)
{
	static const uint8_t ran[24] = { 0xab, 1 }, there[20] = { 0xab, 2 };
	struct pdb_buf list;

	begin();
	elf.build_id = there;
	elf.build_id_size = sizeof(there);
	rec.data.n = 0;
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 0);
	pdb_build_id(&rec, PDB_MISC_USER, ran, "/x");
	list = rec.features[--rec.nr_features].body;
	pdb_put(&rec.data, list.p, list.n);
	free(list.p);
	add_sample(5, 2, MAP_AT + 2, 4, loop);
	pdb_round(&rec);
	write_as(true);
	report("--by edges");
	CHECK(strstr(run_err, "/x: another build than the one that was recorded"));
	CHECK(!strstr(run_out, "load"));
}

TEST(on_a_terminal_without_a_cursor_it_does_not)
{
	const char *dir = test_tmpdir();

	write_program();
	CHECK_EQ(run("TERM=dumb ssctr report -i %s/perf.data --symfs %s --by edges 2>%s", dir, dir,
		     open_terminal()), 0);
	close_terminal();
	CHECK(!strstr(run_out, "\033"));
	CHECK(!strstr(run_out, " %\r"));
}

/* Nobody wants to read it in a file, as the other tests see. */
TEST(on_a_terminal_it_tells_how_far_it_has_read)
{
	const char *at, *dir = test_tmpdir();

	write_program();
	CHECK_EQ(run("TERM=xterm ssctr report -i %s/perf.data --symfs %s --by edges 2>%s", dir, dir,
		     open_terminal()), 0);
	close_terminal();
	at = strstr(run_out, "/perf.data: 100 %\r");
	CHECK(at && run_out[0] == '\r');
	CHECK(!strstr(at + 18, " %\r"));
	/* It is gone before anything else is told. */
	CHECK(!strncmp(at + 18, "\r\033[K", 4));
	CHECK(strstr(at, " 2 samples of the event") && !strstr(at + 22, "\033"));
}

/* What the hart recorded tells it, where no build id does. */
TEST(a_file_that_is_not_the_one_that_ran_is_told)
{
	static const struct step its[] = {
		{ 0x06, 0x10, PERF_BR_IND_CALL, 0 }, { 0x10, 0x08, PERF_BR_RET, 0 },
		{ 0x0a, 0x04, PERF_BR_COND, 0 }, { 0x04, 0x1000, PERF_BR_IRQ, 0 },
	};
	static const struct step of_another[] = {
		{ 0x0a, 0x10, PERF_BR_IND_CALL, 0 }, { 0x10, 0x08, PERF_BR_RET, 0 },
		{ 0x0c, 0x04, PERF_BR_COND, 0 }, { 0x04, 0x06, PERF_BR_UNCOND, 0 },
	};

	begin_program();
	ADD_STEPS(its);
	write_files();
	CHECK_EQ(report("--raw"), 0);
	CHECK(!strstr(run_err, "no such branch"));
	begin_program();
	ADD_STEPS(of_another);
	write_files();
	CHECK_EQ(report("--raw"), 0);
	CHECK(strstr(run_err, "           3 transfers (75.0 % of those from /x) start at no such branch in the file,"));
}

/* Its code became writable, or the kernel told the build id of what was mapped. */
TEST(code_that_a_program_has_changed_is_told_from_another_file)
{
	static const struct step of_another[] = {
		{ 0x0a, 0x10, PERF_BR_IND_CALL, 0 }, { 0x10, 0x08, PERF_BR_RET, 0 },
		{ 0x0c, 0x04, PERF_BR_COND, 0 }, { 0x04, 0x06, PERF_BR_UNCOND, 0 },
	};
	static const char *const told =
		"(75.0 % of those from /x) start at no such branch in the file: code of a file that the program made writable, and may have changed";
	static const uint8_t id[20] = { 0xab };

	begin_program();
	pdb_mmap2_prot(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, NULL, 1,
		       PROT_READ | PROT_WRITE | PROT_EXEC);
	ADD_STEPS(of_another);
	write_files();
	CHECK_EQ(report("--raw"), 0);
	CHECK(strstr(run_err, told));
	begin_build(id);
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1, id);
	ADD_STEPS(of_another);
	write_files();
	CHECK_EQ(report("--raw"), 0);
	CHECK(strstr(run_err, told));
}

/* A terminal would take it as a command, or as the end of the line. */
TEST(control_characters_of_names_are_not_printed)
{
	begin_program();
	elf.nr_symbols = 0;
	add_function("ma\033[31m\n\302\233in", 0x00, 0x10);
	add_function("leaf", 0x10, 2);
	ADD_STEPS(once);
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(report("--by functions,calls,edges"), 0);
	CHECK_SHOWS("ma?[31m??in (/x)\n");
	CHECK_SHOWS("ma?[31m??in+0x");
	CHECK_SHOWS("ma?[31m??in -> leaf");
	CHECK(!strchr(run_out, '\033') && !strchr(run_out, '\302'));
	CHECK_EQ(run("ssctr annotate --raw -i %s/perf.data --symfs %s", test_tmpdir(), test_tmpdir()),
		 0);
	CHECK(!strchr(run_out, '\033') && !strchr(run_out, '\302'));
}

/* What is told about files has their names, too. */
TEST(control_characters_of_file_names_are_not_printed)
{
	static const uint8_t id[20] = { 3 };
	const char *dir = test_tmpdir();

	begin_program();
	pdb_mmap2_id(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/\033[2Jy", 1, id);
	add_sample(5, 2, MAP_AT, 2, branch_twice);
	write_files();
	CHECK_EQ(report("--by functions"), 0);
	CHECK(strstr(run_err, "/?[2Jy"));
	CHECK(!strchr(run_out, '\033') && !strchr(run_err, '\033'));
	CHECK_EQ(run("ssctr merge -o %s/c --symfs %s %s/perf.data", dir, dir, dir), 0);
	CHECK(!strchr(run_err, '\033'));
}
