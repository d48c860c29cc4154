#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The commands in the documentation are run. Each block says where, behind its fence,
# or in a manual page in a comment before its literal display:
#
#   sh host       on any machine, by `make check`
#   sh guest      in the guest with the module, by `make test`
#   sh machine    on any machine, that boots a guest by them: `make test`
#   sh user       on a clean Debian, by `make test-user`
#   sh tree       beside a kernel's sources, by `make test-tree`
#   sh cluster    in the guest with Slurm, by `make test-cluster`
#   sh python     on any machine that has Python with NumPy, by `make check`
#   sh elsewhere  not as they stand: words.elsewhere says what runs each instead
#   console host  as sh host; and what they print is what stands there
#   csv FILE      no command: a file that the blocks after it read
#   python FILE   the same
#   text, ...     no command
#
# Behind each block for the host, the guest, a machine, a cluster or Python stands a comment
# that nobody sees who reads the page: what it must have come to, by the words of results.sh:
#
#   <!-- result: says 'FUNCTION' && trace trace.zstf instructions 1000 -->
#
#   words.sh marks PAGE...           has every block such a word, is every link good?
#   words.sh KIND FOLDER PAGE...     run the blocks of that kind; the blocks of each page
#                                    in a copy of FOLDER
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ktap.sh"
# Of a make that runs this beside other things, which would have a word to say.
unset MAKEFLAGS MAKELEVEL
kind=$1
shift
words=$(mktemp -d)
trap 'rm -rf "$words"' EXIT

# fences PAGE: writes each block of commands to $blocks/LINE.KIND, and prints what is
# wrong with the marks.
blocks=$words/blocks
fences() {
	rm -rf "$blocks"
	mkdir "$blocks"
	awk -v blocks="$blocks" '
		function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text }
		function into(kind) {
			file = sprintf("%s/%05d.%s", blocks, FNR, kind)
			printf "" >file
		}
		# A line behind a block: block is its file if it needs a result.
		block && !result {
			if (!sub(/^ *<!-- result: /, "")) {
				fault("a block without a result")
				block = ""
			} else result = block ".result"
		}
		result {
			last = sub(/ *-->$/, "")
			print >result
			if (last) {
				close(result)
				block = result = ""
			}
			next
		}
		/^\.\\" ((sh|console|csv|python) |text$)/ { display = substr($0, 5) }
		/^\.Bd -literal/ { $0 = "```" display; display = "" }
		/^\.Ed/ { $0 = "```" }
		/^ *```/ {
			blank = 0
			if (inside) {
				inside = 0
				if (file) close(file)
				if (needs) block = file
				next
			}
			inside = 1
			file = ""
			indent = index($0, "`") - 1
			mark = substr($0, indent + 4)
			n = split(mark, word, " ")
			needs = FILENAME ~ /\.md$/ && mark ~ /^sh (host|guest|machine|cluster|python)$/
			if (mark ~ /^sh (host|guest|machine|cluster|user|tree|python|elsewhere)$/) into(word[2])
			else if (mark == "console host") into("console")
			else if (word[1] ~ /^(csv|python)$/ && n == 2) into("file." word[2])
			else if (mark !~ /^(text|c|json)$/)
				fault("a block with the mark \"" mark "\"")
			next
		}
		inside && file { print substr($0, indent + 1) >file }
		!inside && blank && /^(    |\t)/ { fault("a block without a fence") }
		{ blank = /^$/ && !inside }
		END { if (inside) fault("a block without an end") }
	' "$1"
}

# The lines of a command that goes on are one; comments behind a command are its own.
commands() { sed -e ':a' -e '/\\$/{ N; s/ *\\\n */ /; ta' -e '}' "$@" | sed '/^ *#/d; /^$/d'; }

# links PAGE: prints those that lead nowhere.
links() {
	case $1 in *.md) ;; *) return ;; esac
	grep -o '](\([^)#:]*\))' "$1" | sed 's/^](//; s/)$//' | while read -r to; do
		[ -e "$(dirname "$1")/$to" ] || echo "$1: a link to $to"
	done
}

# Every block has its mark, every command that is not run is in the list, and what
# pages refer to is there.
marks() {
	for page; do
		{
			fences "$page"
			links "$page"
		} >>"$words/faults"
		for block in "$blocks"/*.elsewhere; do
			[ ! -e "$block" ] || commands "$block" >>"$words/commands"
		done
	done
	awk -v list="$here/words.elsewhere" -v top="$here/../" '
		BEGIN {
			while ((getline line <list) > 0) {
				if (line ~ /^#/ || line == "") continue
				n++
				at = index(line, ": ")
				begin[n] = substr(line, at + 2)
				by = substr(line, 1, at - 1)
				if ((getline first <(top by)) < 0)
					print "words.elsewhere: there is no " by
				close(top by)
			}
		}
		{
			for (i = 1; i <= n; i++)
				if (index($0, begin[i]) == 1) { used[i] = 1; next }
			print "not in words.elsewhere: " $0
		}
		END {
			for (i = 1; i <= n; i++)
				if (!(i in used)) print "words.elsewhere: in no page: " begin[i]
		}' "$words/commands" >>"$words/faults"
	cat "$words/faults"
	[ ! -s "$words/faults" ]
}

if [ "$kind" = marks ]; then
	t every_block_says_where_it_is_run marks "$@"
	plan
	exit
fi

# A command that fails ends its block; there is nothing to read.
said=$words/said
runs() {
	(cd "$folder" && sh -eu "$1" </dev/null) >"$said" 2>&1
	status=$?
	cat "$said"
	[ $status = 0 ] || return $status
	[ ! -e "$1.result" ] ||
		(cd "$folder" && said=$said sh -eu -c '. "$1" && . "$2"' sh "$here/results.sh" "$1.result")
}

# The commands begin with "$ "; the rest is what they print.
prints() {
	sed -n 's/^\$ //p' "$1" >"$1.run"
	sed '/^\$ /d' "$1" >"$1.want"
	runs "$1.run" >"$1.got" 2>&1 || return
	diff -u "$1.want" "$1.got"
}

files=$(cd "$1" && pwd)
shift
folder=$words/folder
for page; do
	rm -rf "$folder"
	cp -RH "$files" "$folder"
	fences "$page" >/dev/null
	for block in "$blocks"/*; do
		line=$(basename "$block" | sed 's/^0*//; s/\..*//')
		name=$(basename "$page" .md | tr . _)_$line
		case $block in
		*.result) ;;
		*."$kind") t "$name" runs "$block" ;;
		*.console) [ "$kind" != host ] || t "$name" prints "$block" ;;
		*.file.*) cp "$block" "$folder/${block##*.file.}" ;;
		esac
	done
done
plan
