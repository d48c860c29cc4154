// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssctr export: profiles are decoded by the published schemas (export.py), and compared
 * with what was put into the counts file.
 */
#include "cmd-run.h"
#include "export-build.h"
#include "module-build.h"

enum { FROM_SYMBOL = 39 /* the bit of PROF_FROM_SYMBOL */ };

/* --- random counts --- */

/* Counts with many calls. */
static void make_counts(struct content *c)
{
	struct content all;
	size_t i;

	content_make(&all, one_of(250), one_of(100), 200, 40);
	*c = all;
	c->steps = NULL;
	c->nr_steps = c->cap_steps = 0;
	for (i = 0; i < all.nr_steps; i++) {
		static const uint16_t calls[] = { PERF_BR_CALL, PERF_BR_IND_CALL,
						  PERF_BR_COND_CALL };

		if (one_of(2))
			all.steps[i].type = calls[one_of(3)];
		content_add_step(c, &all.steps[i]);
	}
	free(all.steps);
}

static void name_place(char *text, const struct content *c, uint32_t number, uint64_t offset)
{
	struct cf_binary b = binary_of(number, c->names[number]);
	unsigned int i;

	if (number < 2) {
		sprintf(text, "%s", b.name);
	} else {
		text += sprintf(text, "%s|", b.name);
		for (i = 0; i < b.build_id_size; i++)
			text += sprintf(text, "%02x", b.build_id[i]);
		if (b.symbol)
			offset += UINT64_C(0xffffffff80000000) - (UINT64_C(1) << FROM_SYMBOL);
		sprintf(text, "|%llx", (unsigned long long)offset);
	}
	free(b.name);
	free(b.symbol);
}

/* What the weight of some steps stands for, exactly. */
static uint64_t transfers(const struct content *c, uint64_t weight)
{
	unsigned __int128 entries = 0, all = 0, nr;
	size_t i;

	/* 2^32 events for 3 * 2^20 of weight. */
	if (c->head.by_events && !c->head.mixed)
		return weight * (unsigned __int128)4096 / 3 ?: weight != 0;
	for (i = 0; i < c->nr_steps; i++) {
		entries += c->steps[i].seen;
		all += c->steps[i].weight;
	}
	nr = (2 * weight * entries + all) / (2 * all);
	return nr || !weight ? (uint64_t)nr : 1;
}

static bool is_call(const struct cf_step *s)
{
	return s->type == 4 || s->type == 5 || s->type == 9;
}

/* Of the steps that lead to the same place as this one: instructions, if it is the first. */
static uint64_t instructions_at(const struct content *c, size_t nr)
{
	const struct cf_step *s = &c->steps[nr];
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < c->nr_steps; i++) {
		if (c->steps[i].to_binary != s->to_binary || c->steps[i].to != s->to)
			continue;
		if (i < nr)
			return 0;
		sum += c->steps[i].weight * c->steps[i].length;
	}
	return transfers(c, sum);
}

static uint64_t calls_from_to(const struct content *c, size_t nr)
{
	const struct cf_step *s = &c->steps[nr];
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < c->nr_steps; i++) {
		const struct cf_step *t = &c->steps[i];

		if (!is_call(t) || t->to_binary != s->to_binary || t->to != s->to ||
		    t->from_binary != s->from_binary || t->from != s->from)
			continue;
		if (i < nr)
			return 0;
		sum += t->weight;
	}
	return transfers(c, sum);
}

static void print_value(FILE *file, const char *kind, const char *place, uint64_t value)
{
	if (value)
		fprintf(file, "%s %s %llu\n", kind, place, (unsigned long long)value);
}

static void write_expected(const struct content *c)
{
	FILE *file = fopen(in_tmp("want"), "w");
	char to[256], both[520];
	size_t i;

	CHECK(file);
	for (i = 0; i < c->nr_samples; i++) {
		name_place(to, c, c->samples[i].binary, c->samples[i].offset);
		print_value(file, "samples", to, c->samples[i].count);
	}
	for (i = 0; i < c->nr_steps; i++) {
		const struct cf_step *s = &c->steps[i];

		name_place(to, c, s->to_binary, s->to);
		print_value(file, "instructions", to, instructions_at(c, i));
		if (!is_call(s))
			continue;
		strcat(to, ";");
		strcpy(both, to);
		name_place(both + strlen(both), c, s->from_binary, s->from);
		print_value(file, "calls", both, calls_from_to(c, i));
	}
	CHECK(!fclose(file));
	CHECK_EQ(run("LC_ALL=C sort -o %s %s", in_tmp("want"), in_tmp("want")), 0);
}

static void check_values(const char *format, const char *name)
{
	check_profile(format, name, "^(samples|instructions|calls) ");
	write_text("got", run_out);
	if (run("diff %s %s", in_tmp("want"), in_tmp("got")))
		test_fail(__FILE__, __LINE__, "%s: %s", format, run_out);
}

TEST(both_formats_have_all_values_of_a_counts_file)
{
	struct content c;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		make_counts(&c);
		content_write(in_tmp("a.counts"), &c);
		CHECK_EQ(run("cd %s && ssctr export --pprof a.pb.gz --otlp a.otlp a.counts",
			     test_tmpdir()), 0);
		write_expected(&c);
		check_values("pprof", "a.pb.gz");
		check_values("otlp", "a.otlp");
		content_free(&c);
	}
}

TEST(the_same_counts_give_the_same_bytes)
{
	struct content c;

	make_counts(&c);
	content_write(in_tmp("a.counts"), &c);
	CHECK_EQ(run("cd %s && ssctr export --pprof 1.pb.gz --otlp 1.otlp.gz a.counts && "
		     "ssctr export --pprof 2.pb.gz --otlp 2.otlp.gz a.counts && "
		     "cmp 1.pb.gz 2.pb.gz && cmp 1.otlp.gz 2.otlp.gz", test_tmpdir()), 0);
	content_free(&c);
}

/* --- counts made by hand --- */

TEST(pprof_tells_the_time_the_event_and_the_coverage)
{
	make_simple("a.counts");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb a.counts", test_tmpdir()), 0);
	CHECK(strstr(run_err, "which cover 50.0 % of its count of "));
	check_profile("pprof", "a.pb", "^(types|units|default|time|period|comment|mapping)");
	CHECK_STR(run_out, "comment coverage 50.0%\n"
			   "default samples\n"
			   "mapping /x  names 0 0 0 0\n"
			   "period instructions:u count 1000\n"
			   "time 1700000000000000000 60000000000\n"
			   "types samples instructions calls\n"
			   "units count count count\n");
}

TEST(otlp_tells_the_time_the_event_the_coverage_and_the_machine)
{
	make_simple("a.counts");
	CHECK_EQ(run("cd %s && ssctr export --otlp a.otlp --service shop a.counts",
		     test_tmpdir()), 0);
	check_profile("otlp", "a.otlp", "^(resource|scope|profile|comment|kind)");
	CHECK_STR(run_out,
		  "comment coverage 50.0%\ncomment coverage 50.0%\ncomment coverage 50.0%\n"
		  "kind /x||1000 native\nkind /x||1002 native\nkind /x||1010 native\n"
		  "profile calls count 1700000000000000000 60000000000 instructions:u 1000\n"
		  "profile instructions count 1700000000000000000 60000000000 instructions:u 1000\n"
		  "profile samples count 1700000000000000000 60000000000 instructions:u 1000\n"
		  "resource host.arch riscv64\n"
		  "resource service.instance.id abababababababababababababababab\n"
		  "resource service.name shop\n"
		  "scope ssctr " SSCTR_VERSION "\n");
}

/* What there is of several machines and several events is told of none of them. */
TEST(a_merged_file_is_of_no_machine)
{
	begin_counts();
	hand.head.sources = realloc(hand.head.sources, 2 * sizeof(*hand.head.sources));
	CHECK(hand.head.sources);
	hand.head.sources[1] = hand.head.sources[0];
	hand.head.sources[1].label[0] = 0xac;
	hand.head.nr_sources = 2;
	hand.head.lost = 5;
	add_event("cycles:u", 10, 10000, 10000);
	add_event("instructions:u", 10, 10000, 40000);
	add_sample(2, 0x1000, 7);
	end_counts("a.counts");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb --otlp a.otlp a.counts",
		     test_tmpdir()), 0);
	check_profile("pprof", "a.pb", "^(period|comment)");
	CHECK_STR(run_out, "comment 5 samples were lost\ncomment coverage 25.0%\nperiod   0\n");
	check_profile("otlp", "a.otlp", "^resource");
	CHECK_STR(run_out, "resource host.arch riscv64\nresource service.name ssctr\n");
}

TEST(other_counts_have_other_ids)
{
	make_simple("a.counts");
	begin_counts();
	hand.head.sources->first = hand.head.sources->last = 1;
	add_sample(2, 0x1000, 7);
	end_counts("b.counts");
	CHECK_EQ(run("cd %s && ssctr export --otlp ./ a.counts b.counts && ls *.gz",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "a.otlp.gz\nb.otlp.gz\n");
	check_profile("otlp", "a.otlp.gz", "^id");
	write_text("ids", run_out);
	check_profile("otlp", "b.otlp.gz", "^id");
	write_text("other", run_out);
	CHECK_EQ(run("cd %s && cat ids other | cut -d ' ' -f 3 | sort -u | wc -l",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "6\n");
}

TEST(what_an_empty_counts_file_has_is_nothing)
{
	begin_counts();
	end_counts("a.counts");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb --otlp a.otlp a.counts",
		     test_tmpdir()), 0);
	check_profile("pprof", "a.pb", "^types");
	check_profile("otlp", "a.otlp", "^scope");
}

TEST(lines_of_unknown_length_are_told)
{
	begin_counts();
	add_call(0x1002, 0x1010, 0, 4);
	add_call(0x1002, 0x1020, 5, 2);
	end_counts("a.counts");
	CHECK_EQ(run("ssctr export --pprof %s %s", in_tmp("a.pb"), in_tmp("a.counts")), 0);
	CHECK(strstr(run_err, "4 transfers with unknown code after them, which is not in the value \"instructions\""));
	check_profile("pprof", "a.pb", "^instructions");
	CHECK_STR(run_out, "instructions /x||1020 10\n");
}

/* Where a call leads to the next call, what lies between them is no line, and its weight none. */
TEST(without_all_branches_calls_are_as_seen_and_no_instructions_are_known)
{
	static const char lacks[] =
		"some kinds of branches were not recorded, so the value \"instructions\" is not known";

	begin_counts();
	add_call(0x1002, 0x1010, 9, 4);
	hand.steps[0].weight = 60;
	add_call(0x1002, 0x1020, 9, 12);
	hand.steps[1].weight = 20;
	hand.head.all_branches = false;
	end_counts("a.counts");
	CHECK_EQ(run("ssctr export --pprof %s %s", in_tmp("a.pb"), in_tmp("a.counts")), 0);
	CHECK(strstr(run_err, "16 transfers: ") && strstr(run_err, lacks));
	check_profile("pprof", "a.pb", "^(instructions|calls|comment.*kinds)");
	CHECK(!strncmp(run_out, "calls /x||1010;/x||1002 4\ncalls /x||1020;/x||1002 12\n", 50));
	CHECK(strstr(run_out, lacks) && !strstr(run_out, "\ninstructions"));
}

/* --- names --- */

static struct elfb elf;

/* main at 0x1000, leaf at 0x1010. */
static void write_program(const char *name)
{
	static const uint8_t code[0x20] = { 1 };
	FILE *file = fopen(in_tmp(name), "w");

	elf = (struct elfb){ .code = code, .code_size = sizeof(code), .nr_symbols = 2 };
	elf.symbols[0] = (struct elfb_symbol){ "main", ELFB_ADDR + ELFB_CODE, 0x10,
					       ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	elf.symbols[1] = (struct elfb_symbol){ "_Z4leafv", ELFB_ADDR + ELFB_CODE + 0x10, 0x10,
					       ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	elfb_finish(&elf);
	CHECK(file && fwrite(elf.file, 1, elf.size, file) == elf.size && !fclose(file));
}

TEST(names_come_from_the_files_if_they_are_asked_for)
{
	make_simple("a.counts");
	write_program("x");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb --otlp a.otlp --symfs . a.counts",
		     test_tmpdir()), 0);
	check_profile("pprof", "a.pb", "^(line|mapping)");
	CHECK_STR(run_out, "line /x||1000 main :0\nline /x||1002 main :0\n"
			   "line /x||1010 leaf() :0\nmapping /x  names 1 1 1 1\n");
	check_profile("otlp", "a.otlp", "^line");
	CHECK_STR(run_out, "line /x||1000 main :0\nline /x||1002 main :0\n"
			   "line /x||1010 leaf() :0\n");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb --symfs . --no-demangle a.counts",
		     test_tmpdir()), 0);
	check_profile("pprof", "a.pb", "^line .*1010");
	CHECK_STR(run_out, "line /x||1010 _Z4leafv :0\n");
}

/*
 * Two readers find a function without names. To an address less where its mapping begins, Go
 * adds the page to which the first segment with code is linked. pprof adds the mapping's offset,
 * and the distance of that segment's address from its offset, if the mapping does not begin
 * before it.
 */
static void check_readers(int line, uint64_t address, uint64_t linked)
{
	const Elf64_Phdr *ph = (const void *)(elf.file + sizeof(Elf64_Ehdr));
	const uint64_t page = ph->p_offset - ph->p_vaddr % ph->p_align;
	unsigned long start, offset;

	check_profile("pprof", "a.pb", "^mapped");
	CHECK_EQ(sscanf(run_out, "mapped /x %lx %lx", &start, &offset), 2);
	if (address - start + ph->p_vaddr - ph->p_vaddr % ph->p_align != linked ||
	    address - start + offset + ph->p_vaddr - ph->p_offset != linked || offset < page)
		test_fail(__FILE__, line, "mapped from %lx, offset %lx", start, offset);
}

TEST(a_mapping_begins_where_go_and_pprof_take_the_code_to_begin)
{
	make_simple("a.counts");
	write_program("x");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb a.counts", test_tmpdir()), 0);
	check_readers(__LINE__, 0x11010, ELFB_ADDR + ELFB_CODE + 0x10);
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb --symfs . a.counts", test_tmpdir()), 0);
	check_readers(__LINE__, 0x11010, ELFB_ADDR + ELFB_CODE + 0x10);
}

/* As of lld: headers and data come before, and the code has other addresses than offsets. */
TEST(a_mapping_begins_with_the_code_where_it_is_not_first_in_the_file)
{
	Elf64_Phdr *ph = (void *)(elf.file + sizeof(Elf64_Ehdr));
	FILE *file;

	make_simple("a.counts");
	write_program("x");
	ph->p_offset = ELFB_CODE - 0x700;
	ph->p_vaddr = ELFB_ADDR + ELFB_CODE + 0x1000 - 0x700;
	ph->p_filesz = ph->p_memsz = 0x720;
	file = fopen(in_tmp("x"), "w");
	CHECK(file && fwrite(elf.file, 1, elf.size, file) == elf.size && !fclose(file));
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb --symfs . a.counts", test_tmpdir()), 0);
	check_readers(__LINE__, 0x11010, ELFB_ADDR + ELFB_CODE + 0x1010);
}

/* Go's compiler counts the lines of calls from there. */
TEST(functions_tell_the_line_where_they_are_declared)
{
	const uint64_t main_ = ELFB_ADDR + ELFB_CODE;
	struct dwb debug = { 0 };

	make_simple("a.counts");
	write_program("x");
	dwb_begin(&debug, "/src/x.c", main_, 0x20);
	dwb_function(&debug, "main", "main", 10, main_, 0x10);
	dwb_leave(&debug);
	dwb_row(&debug, main_, 12, 0);
	dwb_finish(&debug, main_ + 0x10);
	dwb_sections(&debug, &elf);
	CHECK(elfb_write(&elf, in_tmp("x")));
	dwb_free(&debug);
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb --otlp a.otlp --symfs . a.counts",
		     test_tmpdir()), 0);
	check_profile("pprof", "a.pb", "^start");
	CHECK_STR(run_out, "start leaf() 0\nstart main 10\n");
	check_profile("otlp", "a.otlp", "^start");
	CHECK_STR(run_out, "start leaf() 0\nstart main 10\n");
}

TEST(a_file_that_is_missing_is_named)
{
	make_simple("a.counts");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb --symfs . a.counts", test_tmpdir()),
		 0);
	CHECK(strstr(run_err, " 1 binaries whose functions have no names; the first one: "));
	check_profile("pprof", "a.pb", "^mapping");
	CHECK_STR(run_out, "mapping /x  names 0 0 0 0\n");
}

/* The vmlinux of a build, whose function is 8 behind _stext, and counts of that function. */
static void make_kernel(uint8_t build, const char *function, const char *vmlinux,
			const char *counts)
{
	static const uint8_t code[0x20] = { 1 };
	uint8_t build_id[20];
	FILE *file = fopen(in_tmp(vmlinux), "w");

	memset(build_id, build, sizeof(build_id));
	elf = (struct elfb){ .code = code, .code_size = sizeof(code), .build_id = build_id,
			     .build_id_size = sizeof(build_id), .nr_symbols = 2 };
	elf.symbols[0] = (struct elfb_symbol){ "_stext", ELFB_ADDR + ELFB_CODE, 0,
					       ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE) };
	elf.symbols[1] = (struct elfb_symbol){ function, ELFB_ADDR + ELFB_CODE + 8, 8,
					       ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	elfb_finish(&elf);
	CHECK(file && fwrite(elf.file, 1, elf.size, file) == elf.size && !fclose(file));
	begin_counts();
	add_event("cycles", 10, 10000, 20000);
	memset(hand.head.sources->label, build, sizeof(hand.head.sources->label));
	hand.has[11] = true;
	hand.names[11] = "[kernel]";
	hand.last_id = build;
	add_sample(11, (UINT64_C(1) << FROM_SYMBOL) + 10, 7);
	end_counts(counts);
}

static void check_lines(const char *name, const char *want)
{
	check_profile("pprof", name, "^(line|mapping \\[kernel)");
	if (strstr(run_out, "line ") || *want)
		CHECK(*want && strstr(run_out, want));
}

/* As a fleet has them. Neither kernel's functions get names of the other one. */
TEST(each_file_has_the_names_of_its_own_kernel)
{
	make_kernel(0x21, "a_first", "a.vmlinux", "a.counts");
	make_kernel(0x22, "b_first", "b.vmlinux", "b.counts");
	CHECK_EQ(run("cd %s && mkdir kernels profiles && cp *.vmlinux kernels && ssctr export --pprof profiles --code kernels a.counts b.counts",
		     test_tmpdir()), 0);
	CHECK(!strstr(run_err, "no names"));
	check_lines("profiles/a.pb.gz", " a_first :0\n");
	check_lines("profiles/b.pb.gz", " b_first :0\n");
	CHECK_EQ(run("cd %s && ssctr export --pprof profiles --vmlinux a.vmlinux b.counts a.counts",
		     test_tmpdir()), 0);
	CHECK(strstr(run_err, " 1 kernels whose functions have no names; name the vmlinux of their build with --vmlinux or --code\n"));
	check_lines("profiles/a.pb.gz", " a_first :0\n");
	check_lines("profiles/b.pb.gz", "");
	CHECK_EQ(run("cd %s && ssctr merge -o ab.counts a.counts b.counts && ssctr export --pprof ab.pb --code kernels ab.counts",
		     test_tmpdir()), 0);
	check_lines("ab.pb", " a_first :0\n");
	check_lines("ab.pb", " b_first :0\n");
}

/* Its function is behind the second word of the code. */
TEST(functions_of_modules_are_those_of_their_files)
{
	static const uint8_t code[0x10] = { 1 };
	struct modb module;
	uint8_t build_id[20];

	memset(build_id, 10, sizeof(build_id));
	modb_begin(&module);
	modb_build_id(&module, build_id);
	modb_mark(&module);
	modb_symbol(&module, "of_module", modb_code(&module, ".text", 4, code, sizeof(code)), 8, 4);
	modb_finish(&module);
	CHECK(modb_write(&module, in_tmp("m.ko")));
	modb_free(&module);
	begin_counts();
	hand.has[10] = true;
	hand.names[10] = "[m]";
	add_sample(10, 10, 7);
	end_counts("m.counts");
	CHECK_EQ(run("cd %s && ssctr export --pprof m.pb --code m.ko m.counts", test_tmpdir()), 0);
	CHECK(!strstr(run_err, "without names"));
	check_profile("pprof", "m.pb", "^line");
	CHECK(strstr(run_out, " of_module :0\n"));
	CHECK_EQ(run("cd %s && ssctr export --pprof m.pb --names m.counts", test_tmpdir()), 0);
	CHECK(strstr(run_err, " 1 addresses in modules of the kernel, of functions without names; name the files of the modules, which must not be compressed, with --code\n"));
}

/* --- pprof itself --- */

static int pprof(const char *options)
{
	return run("cd %s && export PPROF_TMPDIR=. && $(command -v pprof || echo go tool pprof) %s | "
		   "sed -n '/flat%%/,$s/  */ /gp'", test_tmpdir(), options);
}

static void need_pprof(void)
{
	if (run("command -v pprof || go tool pprof -h") == 127)
		test_skip("there is no pprof here");
}

TEST(pprof_shows_functions_in_the_right_order)
{
	need_pprof();
	make_simple("a.counts");
	write_program("x");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb.gz --symfs . a.counts", test_tmpdir()),
		 0);
	CHECK_EQ(pprof("-top a.pb.gz"), 0);
	CHECK_STR(run_out, " flat flat% sum% cum cum%\n"
			   " 7 70.00% 70.00% 7 70.00% main\n"
			   " 3 30.00% 100% 3 30.00% leaf()\n");
	CHECK_EQ(pprof("-top -sample_index=instructions a.pb.gz"), 0);
	CHECK(strstr(run_out, " 20 100% 100% 20 100% leaf()\n"));
	CHECK_EQ(pprof("-top -sample_index=calls a.pb.gz"), 0);
	CHECK(strstr(run_out, " 4 100% 100% 4 100% leaf()\n"));
	/* Who calls it. */
	CHECK(strstr(run_out, " 0 0% 100% 4 100% main\n"));
}

/* Go's own pprof names functions of Go alone; others find them by the mapping. */
TEST(pprof_reads_a_profile_without_names)
{
	need_pprof();
	make_simple("a.counts");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb.gz a.counts", test_tmpdir()), 0);
	CHECK_EQ(pprof("-top -addresses a.pb.gz"), 0);
	CHECK_STR(run_out, " flat flat% sum% cum cum%\n"
			   " 7 70.00% 70.00% 7 70.00% 0000000000011000 [x]\n"
			   " 3 30.00% 100% 3 30.00% 0000000000011010 [x]\n");
}

/* --- what is wrong --- */

/* As files of two machines may be. */
TEST(two_files_of_one_name_are_not_one_profile)
{
	CHECK_EQ(run("cd %s && mkdir -p out x y && ssctr export --pprof out x/h.counts y/h.counts", test_tmpdir()), 2);
	CHECK_SAYS("would be one profile, out/h.pb.gz; rename one, or use two folders");
	CHECK_EQ(run("ls %s/out | grep .", test_tmpdir()), 1);
}

/* The command is refused, says so, and changes no file. */
static void writes_nothing(const char *command, int status, const char *says)
{
	CHECK_EQ(run("cd %s && find . -type f ! -name 'run.*' ! -name sums -exec md5sum {} + | sort >sums", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr export %s", test_tmpdir(), command), status);
	CHECK_SAYS(says);
	CHECK_EQ(run("cd %s && find . -type f ! -name 'run.*' ! -name sums -exec md5sum {} + | sort | cmp - sums", test_tmpdir()), 0);
}

/* Nobody has named the file that it leads to. Where the user gives the name, it is followed. */
TEST(no_link_in_a_folder_of_profiles_is_followed)
{
	make_simple("a.counts");
	CHECK_EQ(run("cd %s && mkdir out && echo precious >precious && ln -s ../precious out/a.pb.gz && ssctr export --pprof out a.counts",
		     test_tmpdir()), 1);
	CHECK_SAYS("out/a.pb.gz: this is not a regular file, and no link is followed here; remove it");
	CHECK_EQ(run("cd %s && cat precious && ssctr export --pprof out/a.pb.gz a.counts && test -L out/a.pb.gz && ! grep precious precious",
		     test_tmpdir()), 0);
	CHECK_STR(run_out, "precious\n");
}

TEST(no_profile_replaces_an_input)
{
	static const char lost[] = "this profile would replace an input, which would be lost; name another file or folder";

	make_simple("b");
	CHECK_EQ(run("cd %s && mkdir d && mv b d && cp d/b d/b.otlp.gz && ln -s d e && cp d/b x.counts && ln -s x.counts link", test_tmpdir()), 0);
	writes_nothing("--otlp d d/b d/b.otlp.gz", 1, lost);
	writes_nothing("--otlp e/ d/b.otlp.gz d/b", 1, lost);
	writes_nothing("--pprof x.counts x.counts", 1, lost);
	writes_nothing("--pprof a.gz --otlp link x.counts", 1, lost);
	writes_nothing("--pprof x.counts - <x.counts", 1, lost);
}

TEST(no_profile_replaces_another_one)
{
	make_simple("x.counts");
	CHECK_EQ(run("cd %s && mkdir d && ln -s d e && cp x.counts y.counts", test_tmpdir()), 0);
	writes_nothing("--pprof z.gz --otlp ./z.gz x.counts", 2,
		       "z.gz: both profiles of x.counts would be this file; name two files");
	writes_nothing("--pprof d/x.otlp.gz --otlp e x.counts", 2, "both profiles of x.counts would be this file");
	writes_nothing("--pprof - --otlp - x.counts", 2, "--pprof and --otlp both name standard output");
	CHECK_EQ(run("cd %s && ssctr export --pprof /dev/null --otlp /dev/null x.counts", test_tmpdir()), 0);
	CHECK_EQ(run("cd %s && ssctr export --pprof d --otlp e x.counts y.counts && ssctr export --pprof d --otlp e x.counts y.counts && ls d", test_tmpdir()), 0);
	CHECK_STR(run_out, "x.otlp.gz\nx.pb.gz\ny.otlp.gz\ny.pb.gz\n");
}

TEST(what_is_missing_on_the_command_line_is_said)
{
	static const struct {
		const char *options, *says;
	} wrong[] = {
		{ "x", "nothing says where profiles go; use --pprof or --otlp" },
		{ "--pprof a.pb", "no counts file is given" },
		{ "--pprof http://127.0.0.1/", "no counts file is given" },
		{ "--pprof a.pb x y", "a.pb: several profiles need a folder; `ssctr merge` makes one counts file of several" },
		{ "--pprof a.pb --spool s x", "--headers, --ca and --spool need a URL after --pprof or --otlp" },
		{ "--pprof http://h/ --timeout 0 x", "--timeout 0: use a number from 1 to 86400" },
		{ "--pprof http://h/ --spool-limit x x", "--spool-limit: " },
	};
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_EQ(run("cd %s && ssctr export %s", test_tmpdir(), wrong[i].options), 2);
		CHECK_SAYS(wrong[i].says);
	}
}

TEST(a_damaged_file_is_named_and_the_others_are_exported)
{
	make_simple("a.counts");
	make_simple("c.counts");
	CHECK_EQ(run("cd %s && head -c 60 a.counts >b.counts && mkdir out && "
		     "ssctr export --pprof out a.counts b.counts c.counts", test_tmpdir()), 1);
	CHECK(strstr(run_err, "b.counts: "));
	CHECK_EQ(run("ls %s", in_tmp("out")), 0);
	CHECK_STR(run_out, "a.pb.gz\nc.pb.gz\n");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.pb missing", test_tmpdir()), 1);
	CHECK_SAYS("missing: No such file or directory");
	/* Once, and not for each format. */
	CHECK_EQ(run("cd %s && ssctr export --pprof out --otlp out b.counts missing", test_tmpdir()), 1);
	CHECK_STR(run_err, "ssctr export: b.counts: damaged: it is cut\n"
			   "ssctr export: missing: No such file or directory\n");
}

/* Cut at each byte: an answer, and no profile. */
TEST(a_file_that_was_cut_gives_no_profile)
{
	make_simple("a.counts");
	CHECK_EQ(run("cd %s && n=$(stat -c %%s a.counts) && i=0 && while [ $i -lt $n ]; do "
		     "head -c $i a.counts >b.counts; ! ssctr export --pprof b.pb b.counts || exit; "
		     "i=$((i + 7)); done 2>err; [ ! -e b.pb ] && [ -s err ]", test_tmpdir()), 0);
}

TEST(what_cannot_be_written_is_an_error_that_names_it)
{
	make_simple("a.counts");
	CHECK_EQ(run("cd %s && ssctr export --pprof /dev/full a.counts", test_tmpdir()), 1);
	CHECK_SAYS("cannot write /dev/full: No space left on device");
	CHECK_EQ(run("cd %s && ssctr export --otlp none/a.otlp a.counts", test_tmpdir()), 1);
	CHECK_SAYS("none/a.otlp: No such file or directory");
	CHECK_EQ(run("cd %s && ssctr export --pprof a.counts a.counts", test_tmpdir()), 1);
	CHECK_SAYS("a.counts");
}

/* No terminal gets bytes. */
TEST(a_profile_is_not_written_to_a_terminal)
{
	const char *terminal = open_terminal();

	make_simple("a.counts");
	CHECK_EQ(run("cd %s && ssctr export --pprof - a.counts >%s", test_tmpdir(), terminal),
		 1);
	close_terminal();
	CHECK_STR(run_out, "");
	CHECK_EQ(run("cd %s && ssctr export --pprof - - <a.counts >a.pb", test_tmpdir()), 0);
	check_profile("pprof", "a.pb", "^samples");
	CHECK_STR(run_out, "samples /x||1000 7\nsamples /x||1010 3\n");
}
