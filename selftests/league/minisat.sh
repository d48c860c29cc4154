# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# MiniSat, in C++: trained on random formulas, judged on colouring a graph.
source=$work/source
language=c++
# It is older than the compilers' rule for default arguments of friends.
before() {
	cp -a "$sources/minisat2" "$source"
	sed -i '/friend Lit *mkLit/s/ = false//; /^inline *Lit *mkLit/s/bool sign)/bool sign = false)/' \
		"$source/minisat/core/SolverTypes.h"
	# Its exit status is its answer, which it prints, too.
	sed -i 's/ == l_\([A-Z][a-z]*\) ? [12]0/ == l_\1 ? 0/g' "$source/minisat/core/Main.cc"
}
# It reads by zlib; files that are not packed need none.
flags="-std=gnu++98 -U__linux__ -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS
	-I$source -I$top/selftests/league/zlib"
files='minisat/core/Main.cc minisat/core/Solver.cc minisat/utils/Options.cc
	minisat/utils/System.cc'
inputs() {
	awk -f selftests/league/formula.awk -v seed=1 -v form=random >"$input/train"
	awk -f selftests/league/formula.awk -v seed=2 -v form=colours >"$input/judge"
}
train='-verb=0 train'
judge='-verb=0 judge'
