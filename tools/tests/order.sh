#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Rooms of the libraries and of the driver include what they know by the first table of
# docs/design.md, or what that knows in its turn, and nothing else; libstf stands alone.
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Reads the table, and then lines FILE and FILE:INCLUDE.
# shellcheck disable=SC2016
faults='
	function fault(text) { print text; bad = 1 }
	# That with the longest name with which the file begins.
	function room_of(file,    room, best) {
		for (room in knows)
			if (index(file, room) == 1 && length(room) > length(best) &&
			    substr(file, length(room) + 1, 1) ~ /[.\/]/)
				best = room
		return best
	}
	# The file that is meant: beside the one that includes it, or in an include folder.
	function found(file, include,    folder, i, path) {
		folder[1] = file
		sub(/[^\/]*$/, "", folder[1])
		folder[2] = "tools/lib/"
		folder[3] = "driver/"
		for (i = 1; i <= 3; i++) {
			path = folder[i] include
			while (sub(/[^\/]+\/\.\.\//, "", path))
				;
			if (path in files)
				return path
		}
	}
	# below[ROOM, OTHER]: ROOM may include OTHER.
	function look_below(room, from,    n, names, i, other) {
		n = split(knows[from], names)
		for (i = 1; i <= n; i++) {
			other = place[names[i]]
			if (!other && from == room)
				fault("docs/design.md: " from " knows " names[i] ", which has no row")
			else if (other && !((room, other) in below)) {
				below[room, other] = 1
				look_below(room, other)
			}
		}
	}
	FNR == NR {
		n = split($0, cell, / *\| */)
		if (n < 5 || cell[2] !~ /^`(driver|tools\/lib|tools\/ssctr|perf-plugin)/)
			next
		split(cell[2], quoted, "`")
		room = name = quoted[2]
		sub(/\.h$/, "", room)
		sub(/\.h$/, "", name)
		sub(/.*\//, "", name)
		place[name] = room
		knows[room] = ""
		n = split(cell[4], names, / *, */)
		for (i = 1; i <= n; i++) {
			if (names[i] == "all")
				upper[room] = 1
			else if (names[i] != "nothing")
				knows[room] = knows[room] names[i] " "
		}
		if (!(room in upper))
			all = all name " "
		next
	}
	{
		at = index($0, ":")
		if (at)
			includes[++nr] = $0
		else
			files[$0] = 1
	}
	END {
		for (room in knows)
			own[room] = knows[room]
		for (room in upper)
			knows[room] = knows[room] all
		for (room in knows)
			look_below(room, room)
		for (room in knows)
			if ((room, room) in below)
				fault("docs/design.md: " room " knows itself, by way of others")
		if (knows["tools/lib/stf"])
			fault("docs/design.md: libstf knows " knows["tools/lib/stf"])
		for (file in files)
			if (!room_of(file))
				fault(file ": in no row of the table in docs/design.md")
		for (i = 1; i <= nr; i++) {
			split(includes[i], part, ":")
			to = found(part[1], part[2])
			if (!to) {
				fault(part[1] ": includes " part[2] ", which is not there")
				continue
			}
			room = room_of(part[1])
			other = room_of(to)
			used[room, other] = 1
			if (room != other && !((room, other) in below))
				fault(part[1] ": includes " part[2] ", but " room " does not know " other)
		}
		for (room in own) {
			n = split(own[room], names)
			for (i = 1; i <= n; i++)
				if (!((room, place[names[i]]) in used))
					fault("docs/design.md: " room " includes nothing of " names[i])
		}
		exit bad || !nr
	}'

# in_order: of the tree that is the current folder.
in_order() {
	find tools/lib tools/ssctr driver perf-plugin -name '*.[ch]' >"$dir/files" || return
	# shellcheck disable=SC2046 # a name a word
	grep -Ho '^#include "[^"]*"' $(cat "$dir/files") |
		sed 's/#include "\(.*\)"/\1/' >"$dir/includes"
	awk "$faults" docs/design.md "$dir/files" "$dir/includes"
}
t rooms_include_what_stands_below_them in_order

# A small house, in which it finds what is wrong.
house() {
	rm -rf "$dir/house"
	mkdir -p "$dir/house/docs" "$dir/house/driver" "$dir/house/perf-plugin" \
		"$dir/house/tools/ssctr" "$dir/house/tools/lib/stf" \
		"$dir/house/tools/lib/low" "$dir/house/tools/lib/high" && cd "$dir/house" || return
	cat >docs/design.md <<-'END'
		| folder | what it is | knows |
		|---|---|---|
		| `driver/ctr_regs.h` | bits | nothing |
		| `tools/lib/stf` (`stf_`) | traces | nothing |
		| `tools/lib/low` | below | ctr_regs |
		| `tools/lib/low/part` | a part of it | stf |
		| `tools/lib/high` | above | low |
		| `tools/ssctr` | the command | all |
	END
	touch driver/ctr_regs.h tools/lib/stf/stf.h tools/lib/low/low.h tools/lib/low/part.h \
		tools/ssctr/ssctr.h
	echo '#include "ctr_regs.h"' >tools/lib/low/low.c
	echo '#include "stf/stf.h"' >tools/lib/low/part.c
	printf '#include "%s"\n' high.h low/low.h ctr_regs.h >tools/lib/high/high.c
	touch tools/lib/high/high.h
	printf '#include "%s"\n' ssctr.h high/high.h stf/stf.h >tools/ssctr/ssctr.c
}
good() { house && in_order; }
t a_house_in_order_has_no_fault good

# finds WORDS COMMAND...: what COMMAND does to the house is told by these words.
finds() {
	words=$1
	shift
	house && "$@" && ! in_order >said || return
	cat said
	grep -F "$words" said
}
includes() { echo "#include \"$2\"" >>"$1"; }
t a_room_that_includes_what_is_above_it \
	finds 'low does not know tools/lib/high' includes tools/lib/low/low.c high/high.h
t a_room_that_includes_what_it_does_not_know \
	finds 'high does not know tools/lib/stf' includes tools/lib/high/high.h stf/stf.h
t a_room_with_a_part_of_its_own \
	finds 'low does not know tools/lib/low/part' includes tools/lib/low/low.c low/part.h
t a_library_that_includes_the_command \
	finds 'does not know tools/ssctr' includes tools/lib/high/high.c ../../ssctr/ssctr.h
t a_driver_that_includes_a_library \
	finds 'ctr_regs does not know tools/lib/low' includes driver/ctr_regs.h low/low.h
t an_include_that_leads_nowhere \
	finds 'low.c: includes away.h' includes tools/lib/low/low.c away.h
changes() { sed -i "$1" docs/design.md; }
t an_order_that_goes_round finds 'knows itself' changes 's/ctr_regs |/ctr_regs, high |/'
t a_library_that_knows_the_command finds 'knows itself' changes 's/| low |/| low, ssctr |/'
t a_libstf_that_knows_a_room finds 'libstf knows ctr_regs' changes '/stf_/s/nothing/ctr_regs/'
t a_room_without_a_line finds 'perf-plugin/plugin.c: in no row' touch perf-plugin/plugin.c
t a_room_that_is_not_used \
	finds 'low includes nothing of stf' changes 's/ctr_regs |$/ctr_regs, stf |/'
t a_word_that_is_no_room finds 'knows attic, which has no row' changes 's/| low |/| low, attic |/'
plan
