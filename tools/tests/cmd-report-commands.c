// SPDX-License-Identifier: GPL-2.0-only
/* The commands in ssctr report. */
#include "cmd-page.h"

static int report(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr report -i %s/perf.data --symfs %s %s", dir, dir, options);
}

/* Three samples of 100 events, and one of 200. */
static void write_commands(void)
{
	begin();
	pdb_comm(&rec, 0, 5, "sh", 1);
	pdb_comm(&rec, 0, 6, "\tls", 1);
	pdb_comm(&rec, 0, 7, "sh", 1);
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 2, .pid = 5, .period = 100,
						  .nr_branches = 4, .branches = loop });
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 3, .pid = 6, .period = 200,
						  .nr_branches = 4, .branches = loop });
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 4, .pid = 7, .period = 100,
						  .nr_branches = 4, .branches = loop });
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 5, .pid = 5, .period = 100,
						  .nr_branches = 4, .branches = loop });
	write_files();
}

TEST(commands_have_their_threads_and_their_share_of_the_event)
{
	write_commands();
	CHECK_EQ(report("--by commands"), 0);
	CHECK_SHOWS("4 samples of 2 commands\n"
		    "\n"
		    "   samples   share   threads  command\n"
		    "         3   60.0%         2  sh\n"
		    "         1   40.0%         1  ?ls\n");
	CHECK_EQ(report("-n 1"), 0);
	CHECK_SHOWS("4 samples of 2 commands\n");
	CHECK(!strstr(run_out, "ls\n"));
	CHECK_EQ(report("--by commands --json"), 0);
	CHECK_SHOWS("\"commands\":[{\"samples\":3,\"share\":0.600000,\"threads\":2,\"command\":\"sh\"},"
		    "{\"samples\":1,\"share\":0.400000,\"threads\":1,\"command\":\"\\u0009ls\"}]");
}

/* With the name that the report shows for it. */
TEST(the_samples_of_threads_without_a_name_can_be_selected)
{
	begin();
	pdb_comm(&rec, 0, 5, "sh", 1);
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 2, .pid = 5, .period = 100,
						  .nr_branches = 4, .branches = loop });
	pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = MAP_AT, .time = 3, .pid = 6, .period = 100,
						  .nr_branches = 4, .branches = loop });
	write_files();
	CHECK_EQ(report("--by commands --comm '[unknown]'"), 0);
	CHECK_SHOWS("1 samples of 1 commands\n"
		    "\n"
		    "   samples   share   threads  command\n"
		    "         1  100.0%         1  [unknown]\n");
}

/* The kernel numbers all of them 0, so that the mappings of one would be all others', too. */
TEST(tasks_outside_of_the_container_are_left_out)
{
	unsigned int i;

	begin();
	pdb_comm(&rec, 0, 5, "sh", 1);
	pdb_comm(&rec, 0, 0, "outside", 1);
	pdb_mmap2(&rec, 0, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
	/* The last of them has just entered the kernel. */
	for (i = 0; i < 3; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){ .ip = i < 2 ? MAP_AT : -4096,
							  .time = 2 + i,
							  .pid = i ? 0 : 5, .period = 100,
							  .nr_branches = 4, .branches = loop });
	write_files();
	CHECK_EQ(report("--by commands"), 0);
	CHECK_SHOWS("1 samples of 1 commands\n"
		    "\n"
		    "   samples   share   threads  command\n"
		    "         1  100.0%         1  sh\n");
	CHECK(strstr(run_err, " 2 samples left out: their tasks are outside of the container "));
	CHECK_EQ(run("ssctr profile -i %s/perf.data --symfs %s -b %s/x -f profgen -o -",
		     test_tmpdir(), test_tmpdir(), test_tmpdir()), 0);
	CHECK(strstr(run_err, " 2 samples left out: their tasks are outside of the container "));
	CHECK_EQ(run("ssctr stf -i %s/perf.data --symfs %s --pid 0 -o %s/none.stf", test_tmpdir(),
		     test_tmpdir(), test_tmpdir()), 1);
	CHECK_SAYS(": all 2 samples left out: their tasks are outside");
}

TEST(the_page_has_the_commands_too)
{
	static const char table[] =
		"<h2>Commands</h2>\n<p>The share is that of all that the event counted in the samples. Threads are those that had samples.</p>\n"
		"<div class=\"scroll\">\n<table>\n"
		"<tr><th>samples</th><th>share</th><th>threads</th><th>command</th></tr>\n"
		"<tr><td class=\"n\">3</td><td class=\"n\">60.0%</td><td class=\"n\">2</td><td>sh</td></tr>\n"
		"<tr><td class=\"n\">1</td><td class=\"n\">40.0%</td><td class=\"n\">1</td><td>?ls</td></tr>\n"
		"</table>\n</div>\n";

	write_commands();
	read_page(__LINE__, "");
	CHECK_SHOWS(table);
	read_page(__LINE__, "--by commands");
	CHECK_SHOWS(table);
	read_page(__LINE__, "-n 1");
	CHECK_SHOWS("<td>sh</td></tr>\n</table>");
	read_page(__LINE__, "--by functions");
	CHECK(!strstr(run_out, "Commands"));
	read_page(__LINE__, "--comm sh");
	CHECK(!strstr(run_out, "Commands"));
}

/* As damaged recordings have them. */
TEST(a_sum_of_periods_beyond_64_bits_is_the_largest_number)
{
	unsigned int i;

	begin();
	pdb_comm(&rec, 0, 5, "sh", 1);
	pdb_comm(&rec, 0, 6, "ls", 1);
	for (i = 0; i < 3; i++)
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = MAP_AT, .time = 2 + i, .pid = 5 + i / 2,
			.period = i < 2 ? UINT64_C(1) << 63 : 1,
			.nr_branches = 4, .branches = loop });
	write_files();
	CHECK_EQ(report("--by commands"), 0);
	CHECK_SHOWS("         2  100.0%         1  sh\n"
		    "         1    0.0%         1  ls\n");
}

TEST(one_command_is_shown_if_it_is_asked_for)
{
	write_commands();
	CHECK_EQ(report("--comm sh"), 0);
	CHECK(!strstr(run_out, "commands"));
	CHECK_EQ(report("--comm sh --json"), 0);
	CHECK(!strstr(run_out, "commands"));
	CHECK_EQ(report("--comm sh --by commands"), 0);
	CHECK_SHOWS("3 samples of 1 commands\n");
	CHECK_EQ(report("--by functions"), 0);
	CHECK(!strstr(run_out, "commands"));
}
