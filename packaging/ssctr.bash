# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2207
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

_ssctr() {
	local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]} sub=${COMP_WORDS[1]-}

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "$(_ssctr_subcommands "$command") --help --version" -- "$word"))
		return
	fi
	case $before in
	-?*)
		case $(_ssctr_argument "$command" "$sub" "$before") in
		'') ;;
		DIR | FOLDER)
			COMPREPLY=($(compgen -d -- "$word"))
			return
			;;
		FILE | PLACE | TRACE | ELF*)
			COMPREPLY=($(compgen -f -- "$word"))
			return
			;;
		*) return ;;
		esac
		;;
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "$(_ssctr_options "$command" "$sub")" -- "$word")) ;;
	*) COMPREPLY=($(compgen -f -- "$word")) ;;
	esac
}
complete -o filenames -F _ssctr ssctr
