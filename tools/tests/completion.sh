#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The completion for bash, by the command: completion.sh SSCTR
cd "$(dirname "$0")/../.." || exit
. selftests/ktap.sh
export LC_ALL=C
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
t options_complete offers '--spec-initiators --start --symbols' dump --s
t letters_complete offers '--disasm --event-bits --help --input --json --limit --records --spec-initiators --start --symbols -h -i -j -n -r -s' dump -
t files_complete offers 'tools/tests/licences.sh' dump -i tools/tests/lic
t files_complete_without_an_option offers 'tools/tests/licences.sh' dump tools/tests/lic
t folders_complete offers 'tools/tests' stf --symfs tools/te
t places_complete offers 'tools/tests/licences.sh' stf --code tools/tests/lic
t numbers_are_not_guessed offers '' dump -n ''
plan
