#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The completion for bash, by the command: completion.sh SSCTR
cd "$(dirname "$0")/../.." || exit
. selftests/ktap.sh
export LC_ALL=C
# As in test.c: the command is started often.
export ASAN_OPTIONS="${ASAN_OPTIONS-detect_leaks=0}"
. packaging/ssctr.bash
ssctr=$1

# completes WORDS: what bash would offer for the last of them.
completes() {
	COMP_WORDS=("$ssctr" "$@")
	COMP_CWORD=$#
	_ssctr
	printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}
# offers WANT WORD...
offers() {
	want=$1
	shift
	got=$(completes "$@")
	echo "got: $got"
	[ "$got" = "$want" ]
}

all_subcommands() {
	got=$(completes '')
	echo "got: $got"
	for page in docs/man/ssctr-*.1; do
		name=${page##*/ssctr-}
		case " $got " in *" ${name%.1} "*) ;; *) return 1 ;; esac
	done
}
t every_subcommand_is_offered all_subcommands
t subcommands_complete offers 'dump' du
t subcommands_complete_behind_help offers 'record report' help re
t options_complete offers '--spec-initiators --start --symbols --symfs' dump --s
t letters_complete offers '--code --disasm --event-bits --find --help --input --json --kallsyms --limit --no-demangle --records --spec-initiators --start --symbols --symfs --vmlinux -h -i -j -n -r -s' dump -
t files_complete offers 'tools/tests/licences.sh' dump -i tools/tests/lic
t files_complete_without_an_option offers 'tools/tests/licences.sh' dump tools/tests/lic
t folders_complete offers 'tools/tests' stf --symfs tools/te
t places_complete offers 'tools/tests/licences.sh' stf --code tools/tests/lic
t values_complete offers 'folded' callstacks -f f
t values_of_a_list_complete offers 'edges,functions' report --by edges,f

# Three names, also where one is a pattern of all.
odd_names() {
	folder=$(mktemp -d) || return
	touch "$folder/my a" "$folder/my*" "$folder/myb"
	mkdir "$folder/of a"
	completes dump "$folder/my" >/dev/null
	files=$(printf '<%s>\n' "${COMPREPLY[@]}" | sort)
	completes stf --symfs "$folder/of" >/dev/null
	folders=$(printf '<%s>\n' "${COMPREPLY[@]}")
	echo "$files $folders"
	rm -r "$folder"
	[ "$files" = "<$folder/my a>
<$folder/my*>
<$folder/myb>" ] && [ "$folders" = "<$folder/of a>" ]
}
t names_with_blanks_and_stars_complete odd_names

# values_are_taken SUBCOMMAND OPTION [WORDS]: by the command, which reads nothing then.
values_are_taken() {
	for value in $(_ssctr_values "$1" "$2"); do
		"$ssctr" "$1" ${3--i /none} "$2" "$value" >said 2>&1
		cat said
		! grep -e "$2" -e unknown said || return
	done
	rm -f said
	[ "$value" ]
}
t sections_that_are_offered_are_taken values_are_taken report --by
t sections_of_stat_that_are_offered_are_taken values_are_taken stat --by
t records_that_are_offered_are_taken values_are_taken cut --drop
t numbers_that_are_offered_are_taken values_are_taken join --number '-o /none /none'
t kinds_that_are_offered_are_taken values_are_taken cmp --ignore '/none /none'
t axes_that_are_offered_are_taken values_are_taken timeline --by
t formats_of_call_stacks_that_are_offered_are_taken values_are_taken callstacks --format
t formats_that_are_offered_are_taken values_are_taken profile --format
t ways_to_stitch_that_are_offered_are_taken values_are_taken stf --stitch
t ways_to_split_that_are_offered_are_taken values_are_taken stf --split
t errors_that_are_offered_are_taken values_are_taken last --errno '--json --html /none'
t a_command_has_options_of_its_own offers '' record -- ./p --
t a_command_has_values_of_its_own offers 'tools/tests/licences.sh' report -- ./p --by tools/tests/lic
t a_command_is_a_file offers 'tools/tests/licences.sh' record --for stf -- tools/tests/lic
t numbers_are_not_guessed offers '' dump -n ''
plan
