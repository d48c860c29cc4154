#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The manual pages. Those of libstf name every function, and their examples compile
# and run; those of the command name every subcommand and option; mandoc finds no
# fault in any: man.sh CC LIBSTF.A SSCTR
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
cc=$1 library=$2 ssctr=$top/$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/include"
ln -s "$top/tools/lib/stf" "$dir/include/stf"

# The code of a page's example: what stands in its only literal block.
example() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/{
		/^\.Bd -literal/,/^\.Ed/{
			/^\.[BE]d/d
			s/^\\&//
			s/\\e/\\/g
			p
		}
	}' "docs/man/$1.3"
}

compiles() {
	example "$1" >"$dir/$1.c"
	[ -s "$dir/$1.c" ] || return
	# shellcheck disable=SC2086
	$cc -std=c11 -Wall -Wextra -Werror -I"$dir/include" \
		-fsanitize=address,undefined -no-pie -o "$dir/$1" "$dir/$1.c" "$library" \
		-lzstd -pthread -ldl
}

# The same code is C++, too: gcc's and clang's own compiler for it takes the suffix.
compiles_in_cxx() {
	example "$1" >"$dir/$1.cc"
	echo 'int main() {}' >"$dir/none.cc"
	# shellcheck disable=SC2086
	$cc -std=c++20 -fsyntax-only "$dir/none.cc" 2>/dev/null || {
		t_skip "$cc does not compile C++"
		return
	}
	# shellcheck disable=SC2086
	$cc -std=c++20 -Wall -Wextra -Wno-missing-field-initializers -Werror \
		-I"$dir/include" -fsanitize=address,undefined -no-pie -o "$dir/$1-cxx" \
		"$dir/$1.cc" "$library" -lzstd -pthread -ldl
}

# prints LINE PROGRAM ARGUMENT...: LINE is the last that it prints.
prints() {
	line=$1
	shift
	got=$("$@" | tail -n 1)
	echo "got: $got"
	[ "$got" = "$line" ]
}

for page in docs/man/*.3; do
	page=$(basename "$page" .3)
	t "the_example_of_${page}_compiles" compiles "$page"
	t "the_example_of_${page}_compiles_in_cxx" compiles_in_cxx "$page"
done

cd "$dir" || exit
t the_writer_writes ./stf_writer_open a.zstf
t the_copy_is_made ./stf_write a.zstf b.stf
for trace in a.zstf b.stf; do
	t "libstf_counts_the_records_of_$trace" \
		prints '9010 records' ./libstf $trace
	t "stf_reader_open_adds_up_$trace" \
		prints '0 bytes read, 6000 instructions, RV64' \
		./stf_reader_open $trace
	t "stf_inst_iter_new_finds_branches_in_$trace" \
		prints '5999: 10002 -> 10000' ./stf_inst_iter_new $trace 5990
	t "stf_inst_branch_finds_branches_in_$trace" \
		prints '5999: direct jump at 10002 to 10000' ./stf_inst_branch $trace
	t "stf_replay_goes_back_in_$trace" \
		prints '6000 instructions, 3000 flushes' ./stf_replay_new $trace
	t "stf_select_finds_regions_in_$trace" \
		prints 'region 3000: 2 instructions' \
		./stf_select_new $trace 0x505 0xbffd
	t "stf_write_groups_copies_of_$trace" \
		prints '5000 instructions, 7510 records' \
		./stf_write_groups $trace c.zstf 5000
	t "stf_record_field_prints_$trace" \
		prints 'INST_16 opcode=bffd' ./stf_record_field $trace
	t "stf_check_names_what_${trace}_lacks" \
		prints 'NO_PROCESS: no PROCESS_ID_EXT before the first instruction, 1 times, first at byte 88' \
		./stf_check $trace
done
t stf_inst_iter_next_group_adds_up_accesses prints '24 bytes read, 0 bytes written' \
	./stf_inst_iter_next_group "$top/tools/fuzz/seeds/trace/records.stf"
# An instruction that reads 8 bytes at 0x40201234. Its walk ends at the leaf 0x21d950d7.
t stf_pages_new_translates_accesses prints '0: 40201234 -> 87654234' \
	./stf_pages_new "$top/tools/fuzz/seeds/trace/walk.stf"
# One transaction of three channels is in channel A, one cycle after the start.
t stf_transactions_are_copied prints 'c: 1 cycles' \
	./stf_transaction_iter_new "$top/tools/fuzz/seeds/trace/tilelink.stf" tl.zstf
t stf_transactions_of_a_copy prints 'c: 1 cycles' \
	./stf_transaction_iter_new tl.zstf tl2.stf
if [ -x stf_replay_new-cxx ]; then
	t stf_replay_goes_back_in_cxx \
		prints '6000 instructions, 3000 flushes' ./stf_replay_new-cxx a.zstf
	t stf_inst_branch_finds_branches_in_cxx \
		prints '5999: direct jump at 10002 to 10000' ./stf_inst_branch-cxx b.stf
	t stf_select_finds_regions_in_cxx prints 'region 3000: 2 instructions' \
		./stf_select_new-cxx b.stf 0x505 0xbffd
	t stf_pages_new_translates_accesses_in_cxx \
		prints '0: 40201234 -> 87654234' \
		./stf_pages_new-cxx "$top/tools/fuzz/seeds/trace/walk.stf"
fi
cd "$top" || exit

# Both ways: no function without a page, no page about what is not there.
names_all_functions() {
	sed -n 's/^[a-z].*[ *]\(stf_[a-z0-9_]*\)(.*/\1/p' tools/lib/stf/stf.h |
		sort -u >"$dir/declared"
	sed -n 's/^\.Fo \(.*\)/\1/p' docs/man/*.3 | sort -u >"$dir/described"
	[ "$(wc -l <"$dir/declared")" -gt 40 ] &&
		diff "$dir/declared" "$dir/described"
}
t the_pages_describe_the_functions_of_the_header names_all_functions

# Short and long name and argument, of each option in the help and in the page.
has_all_options() {
	"$ssctr" "$1" --help | sed -n \
		's/^  \(-.\|  \),\{0,1\} *--\([^ ]*\) \([[A-Z][^ ]*\)\{0,1\} .*/\1 --\2 \3/p' |
		sort >"$dir/help"
	sed -n '/^The options are/,/^\.Sh/{
		s/^\.It Fl \(.\) , /.It -\1 /
		s/^\.It Fl -/.It    Fl -/
		s/^\.It \(..\) Fl -\([^ ]*\)\( Ar \)\{0,1\}\(.*\)/\1 --\2 \4/p
	}' "docs/man/ssctr-$1.1" | sort >"$dir/page"
	[ -s "$dir/help" ] && diff "$dir/help" "$dir/page"
}

subcommands=$("$ssctr" --help | sed -n '/^`/q; s/^  \([a-z][a-z]*\)  *[a-z].*/\1/p')
for name in $subcommands; do
	t "the_page_of_ssctr_${name}_has_its_options" has_all_options "$name"
done

names_all_subcommands() {
	[ "$subcommands" ] &&
		[ "$(sed -n 's/^\.It Xr ssctr-\(.*\) 1/\1/p' docs/man/ssctr.1)" = "$subcommands" ]
}
t the_page_of_ssctr_names_its_subcommands names_all_subcommands

# What modinfo shows of the module.
names_all_parameters() {
	sed -n 's/^module_param(\([a-z_]*\),.*/\1/p' driver/*.c | sort >"$dir/code"
	sed -n '/^\.Sh PARAMETERS/,/^\.Sh FILES/s/^\.It Cm //p' docs/man/ssctr.4 |
		sort >"$dir/page"
	[ -s "$dir/code" ] && diff "$dir/code" "$dir/page"
}
t the_page_of_the_module_names_its_parameters names_all_parameters

lint() {
	command -v mandoc >/dev/null || {
		t_skip 'there is no mandoc'
		return
	}
	mandoc -Tlint -W warning docs/man/*.[1345]
}
t mandoc_finds_no_fault lint
plan
