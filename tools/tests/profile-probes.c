// SPDX-License-Identifier: GPL-2.0-only
/* Pseudo-probes: from the bytes of their sections to addresses. */
#include "probe-build.h"
#include "test.h"

enum { MAIN = 0x1000, OTHER = 0x2000 };

static struct prb build;
static struct prof_probes probes;

/* What is looked for: main, other.cold and third. */
static enum prof_probes_state read_bytes(const void *funcs, size_t funcs_size,
					 const void *trees, size_t trees_size)
{
	struct prof_probe_start starts[] = {
		{ prof_probe_guid("main"), MAIN },
		{ prof_probe_guid("other.cold"), OTHER },
	};
	const struct prof_probe_bytes bytes = {
		funcs, trees, funcs_size, trees_size, 0x100, starts, 2
	};

	if (starts[0].guid > starts[1].guid) {
		struct prof_probe_start first = starts[0];

		starts[0] = starts[1];
		starts[1] = first;
	}
	return prof_probes_read(&probes, &bytes);
}

static enum prof_probes_state read_all(void)
{
	enum prof_probes_state state = read_bytes(build.funcs.p, build.funcs.n,
						  build.trees.p, build.trees.n);

	prb_free(&build);
	return state;
}

static void check_probe(int line, size_t i, uint64_t addr, const char *func,
			uint32_t id)
{
	const struct prof_probe *p = &probes.v[i];

	if (i >= probes.nr || p->addr != addr || p->id != id ||
	    strcmp(probes.funcs[probes.scopes[p->scope].func].name, func))
		test_fail(__FILE__, line, "of %zu: %s %u at 0x%lx", probes.nr,
			  probes.funcs[probes.scopes[p->scope].func].name, p->id,
			  (unsigned long)p->addr);
}

#define CHECK_PROBE(...) check_probe(__LINE__, __VA_ARGS__)

/* MD5 of "foo" is acbd18db4cc2f85c...; LLVM's own tests have this number for foo. */
TEST(names_have_the_numbers_that_llvm_gives_them)
{
	CHECK_EQ(prof_probe_guid("foo"), UINT64_C(6699318081062747564));
}

TEST(each_probe_is_a_way_from_the_one_before)
{
	prb_func(&build, "main", 0x123456789);
	prb_func(&build, "inner", 5);
	prb_tree(&build, "main", 2, 1);
	prb_probe(&build, 1, PRB_BLOCK, 4);
	prb_probe(&build, 300, PRB_BLOCK, 200);
	prb_inlined(&build, 130, "inner", 1, 0);
	prb_probe(&build, 1, PRB_BLOCK, -100);
	CHECK_EQ(read_all(), PROF_PROBES_OK);
	CHECK_EQ(probes.nr, 3);
	CHECK_PROBE(0, MAIN + 4, "main", 1);
	CHECK_PROBE(1, MAIN + 104, "inner", 1);
	CHECK_PROBE(2, MAIN + 204, "main", 300);
	CHECK_EQ(probes.nr_scopes, 2);
	CHECK_EQ(probes.scopes[0].parent, PROF_NO_PROBED);
	CHECK_EQ(probes.scopes[1].parent, 0);
	CHECK_EQ(probes.scopes[1].call, 130);
	CHECK_EQ(probes.funcs[0].checksum, 0x123456789);
	CHECK(!probes.v[0].is_call);
	prof_probes_free(&probes);
}

/* As of functions that several files have. */
TEST(the_first_of_a_name_stays)
{
	prb_func(&build, "other", 1);
	prb_func(&build, "main", 2);
	prb_func(&build, "main", 3);
	prb_func(&build, "other", 4);
	prb_tree(&build, "main", 1, 0);
	prb_probe(&build, 1, PRB_BLOCK, 0);
	CHECK_EQ(read_all(), PROF_PROBES_OK);
	CHECK_EQ(probes.nr_funcs, 2);
	CHECK_EQ(probes.funcs[probes.scopes[0].func].checksum, 2);
	CHECK_EQ(prof_probed_func(&probes, prof_probe_guid("other"))->checksum, 1);
	CHECK(!prof_probed_func(&probes, prof_probe_guid("third")));
	prof_probes_free(&probes);
}

TEST(calls_and_discriminators_are_told_by_the_flags)
{
	prb_func(&build, "main", 1);
	prb_tree(&build, "main", 3, 0);
	prb_probe(&build, 1, PRB_INDIRECT_CALL, 0);
	prb_probe(&build, 2, PRB_DISCRIMINATOR, 4);
	dwb_uleb(&build.trees, 0x12345);
	prb_probe(&build, 3, PRB_DIRECT_CALL, 4);
	CHECK_EQ(read_all(), PROF_PROBES_OK);
	CHECK_EQ(probes.nr, 3);
	CHECK(probes.v[0].is_call && !probes.v[1].is_call && probes.v[2].is_call);
	CHECK_EQ(probes.v[1].discriminator, 0x12345);
	CHECK_EQ(probes.v[2].discriminator, 0);
	prof_probes_free(&probes);
}

/* As ThinLTO makes of static functions, and -fsplit of what is cold. */
TEST(a_function_of_another_name_begins_where_its_symbol_does)
{
	prb_func(&build, "other", 1);
	prb_tree(&build, "other", 2, 0);
	prb_sentinel(&build, "other.cold");
	prb_probe(&build, 7, PRB_BLOCK, 8);
	CHECK_EQ(read_all(), PROF_PROBES_OK);
	CHECK_EQ(probes.nr, 1);
	CHECK_PROBE(0, OTHER + 8, "other", 7);
	prof_probes_free(&probes);
}

TEST(addresses_may_stand_there_themselves)
{
	prb_func(&build, "main", 1);
	prb_tree(&build, "main", 2, 0);
	prb_probe_at(&build, 1, PRB_BLOCK, 0x5000);
	prb_probe(&build, 2, PRB_BLOCK, 6);
	CHECK_EQ(read_all(), PROF_PROBES_OK);
	CHECK_PROBE(0, 0x5100, "main", 1);
	CHECK_PROBE(1, 0x5106, "main", 2);
	prof_probes_free(&probes);
}

TEST(what_is_not_asked_for_is_passed_over)
{
	prb_func(&build, "main", 1);
	prb_func(&build, "third", 1);
	prb_tree(&build, "third", 2, 2);
	prb_sentinel(&build, "third.cold");
	prb_probe(&build, 1, PRB_BLOCK, 8);
	prb_inlined(&build, 2, "main", 1, 1);
	prb_probe(&build, 1, PRB_BLOCK, 8);
	prb_inlined(&build, 2, "main", 0, 0);
	prb_inlined(&build, 3, "unknown", 0, 0);
	prb_tree(&build, "main", 1, 0);
	prb_probe(&build, 1, PRB_BLOCK, 2);
	CHECK_EQ(read_all(), PROF_PROBES_OK);
	CHECK_EQ(probes.nr, 1);
	CHECK_EQ(probes.nr_scopes, 1);
	CHECK_PROBE(0, MAIN + 2, "main", 1);
	prof_probes_free(&probes);
}

/* Later probes in a tree that say where it begins cannot leave others without it. */
TEST(a_tree_that_changes_its_mind_is_forgotten_whole)
{
	prb_func(&build, "main", 1);
	prb_tree(&build, "main", 2, 0);
	prb_probe(&build, 1, PRB_BLOCK, 2);
	prb_sentinel(&build, "third.cold");
	CHECK_EQ(read_all(), PROF_PROBES_OK);
	CHECK_EQ(probes.nr + probes.nr_scopes, 0);
	prof_probes_free(&probes);
}

static void build_some(void)
{
	prb_func(&build, "main", 1);
	prb_func(&build, "inner", 300);
	prb_tree(&build, "main", 2, 2);
	prb_probe(&build, 1, PRB_BLOCK, 200);
	prb_probe(&build, 2, PRB_DISCRIMINATOR, 4);
	dwb_uleb(&build.trees, 777);
	prb_inlined(&build, 200, "inner", 1, 1);
	prb_probe(&build, 1, PRB_BLOCK, 6);
	prb_inlined(&build, 5, "inner", 0, 0);
	prb_inlined(&build, 6, "inner", 0, 0);
}

TEST(sections_that_end_within_something_are_damaged)
{
	size_t n;
	char *cut;

	build_some();
	for (n = 1; n < build.trees.n; n++) {
		/* At the end of what is allocated, where reading on is seen. */
		cut = malloc(n);
		memcpy(cut, build.trees.p, n);
		CHECK_EQ(read_bytes(build.funcs.p, build.funcs.n, cut, n),
			 PROF_PROBES_DAMAGED);
		prof_probes_free(&probes);
		free(cut);
	}
	for (n = 1; n < build.funcs.n; n++) {
		cut = malloc(n);
		memcpy(cut, build.funcs.p, n);
		CHECK_EQ(read_bytes(cut, n, build.trees.p, build.trees.n),
			 n == 8 + 8 + 1 + 4 ? PROF_PROBES_OK : PROF_PROBES_DAMAGED);
		prof_probes_free(&probes);
		free(cut);
	}
	prb_free(&build);
}

TEST(numbers_that_are_too_large_are_damage)
{
	prb_func(&build, "main", 1);
	prb_tree(&build, "main", UINT64_MAX, 0);
	prb_probe(&build, 1, PRB_BLOCK, 200);
	CHECK_EQ(read_all(), PROF_PROBES_DAMAGED);
	prof_probes_free(&probes);
	prb_func(&build, "main", 1);
	prb_tree(&build, "main", 0, UINT64_MAX);
	CHECK_EQ(read_all(), PROF_PROBES_DAMAGED);
	prof_probes_free(&probes);
	pdb_u64(&build.funcs, 1);
	pdb_u64(&build.funcs, 1);
	dwb_uleb(&build.funcs, UINT64_MAX);
	prb_tree(&build, "main", 0, 0);
	CHECK_EQ(read_all(), PROF_PROBES_DAMAGED);
	prof_probes_free(&probes);
}

static enum prof_probes_state read_nested(unsigned int depth)
{
	unsigned int i;

	prb_func(&build, "main", 1);
	prb_tree(&build, "main", 0, 1);
	for (i = 0; i < depth; i++)
		prb_inlined(&build, 1, "main", 0, i + 1 < depth);
	return read_all();
}

TEST(no_end_of_inlining_is_damage)
{
	CHECK_EQ(read_nested(499), PROF_PROBES_OK);
	CHECK_EQ(probes.nr_scopes, 500);
	prof_probes_free(&probes);
	CHECK_EQ(read_nested(500), PROF_PROBES_DAMAGED);
	prof_probes_free(&probes);
	CHECK_EQ(read_nested(100000), PROF_PROBES_DAMAGED);
	prof_probes_free(&probes);
}
