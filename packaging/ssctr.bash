# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of the ssctr command for bash. What there is to complete is asked of the
# command itself.

# The subcommands, or the options of one, and what each option takes.
_ssctr_subcommands() {
	"$1" --help 2>/dev/null | sed -n '/^`/q; s/^  \([a-z][a-z]*\)  *[a-z].*/\1/p'
}

_ssctr_options() {
	"$1" "$2" --help 2>/dev/null |
		sed -n 's/^  \(-.,\|   \) \(--[a-z0-9-]*\).*/\1 \2/p' | tr -d ','
}

# _ssctr_argument COMMAND SUBCOMMAND OPTION: FILE, N, ... or nothing.
_ssctr_argument() {
	"$1" "$2" --help 2>/dev/null | sed -n \
		"s/^  ${3},.* --[a-z0-9-]* \([[A-Z][^ ]*\) .*/\1/p; s/^  .* ${3} \([[A-Z][^ ]*\) .*/\1/p"
}

# _ssctr_values SUBCOMMAND OPTION: the words that the option takes, if they are few.
_ssctr_values() {
	case $1:$2 in
	report:--by) echo commands edges functions loops branches targets calls ;;
	top:--by) echo edges functions loops branches targets calls ;;
	stat:--by) echo mix mnemonics branches correlation code memory processes functions reuse regions ;;
	cut:--drop) echo events modes memory bus registers walks microops comments processes ;;
	join:--number) echo harts processes ;;
	cmp:--ignore)
		echo header pc opcode targets events modes processes memory bus registers walks \
			microops comments
		;;
	timeline:--by) echo instructions cycles time ;;
	callstacks:-f | callstacks:--format) echo folded pprof ;;
	profile:-f | profile:--format) echo llvm llvm-ext gcov profgen bolt go ;;
	last:--errno) echo all EACCES EAGAIN EBUSY EEXIST EINVAL EIO ENOENT ENOMEM EPERM ;;
	record:--for) echo stf profile ;;
	record:--windows-places) echo random systematic ;;
	stf:--stitch) echo auto always never ;;
	stf:--split) echo cpu thread ;;
	record:-j | top:-j | record:--branch-filter | top:--branch-filter)
		echo any u k any_call any_ret cond ind_call ind_jmp call stack
		;;
	record:-e | top:-e | collect:-e | record:--event | top:--event | collect:--event)
		echo cycles instructions cycles:u instructions:u cycles:k instructions:k
		;;
	esac
}

# Is the word that is completed behind `--`, where the words of a command are?
_ssctr_is_behind() {
	local at

	for ((at = 1; at < COMP_CWORD; at++)); do
		[ "${COMP_WORDS[at]}" = -- ] && return
	done
	return 1
}

# _ssctr_offer WORD WHAT...: what begins with WORD, of what the options WHAT of compgen
# say. A name may have blanks and stars.
_ssctr_offer() {
	mapfile -t COMPREPLY < <(compgen "${@:2}" -- "$1")
}

_ssctr() {
	local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]} sub=${COMP_WORDS[1]-} values

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_ssctr_offer "$word" -W "$(_ssctr_subcommands "$command") --help --version"
		return
	fi
	if [ "$COMP_CWORD" = 2 ] && [ "$sub" = help ]; then
		_ssctr_offer "$word" -W "$(_ssctr_subcommands "$command")"
		return
	fi
	if _ssctr_is_behind; then
		_ssctr_offer "$word" -f
		return
	fi
	case $before in
	-?*)
		values=$(_ssctr_values "$sub" "$before")
		if [ "$values" ]; then
			# Some take several, with commas between them.
			_ssctr_offer "${word##*,}" -P "${word%"${word##*,}"}" -W "$values"
			return
		fi
		case $(_ssctr_argument "$command" "$sub" "$before") in
		'') ;;
		DIR | FOLDER)
			_ssctr_offer "$word" -d
			return
			;;
		FILE | PLACE | TRACE | ELF* | OUT)
			_ssctr_offer "$word" -f
			return
			;;
		*) return ;;
		esac
		;;
	esac
	case $word in
	-*) _ssctr_offer "$word" -W "$(_ssctr_options "$command" "$sub")" ;;
	*) _ssctr_offer "$word" -f ;;
	esac
}
complete -o filenames -F _ssctr ssctr
