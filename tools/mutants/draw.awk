# SPDX-License-Identifier: GPL-2.0-only
# Draws mutants: `awk -v number=N -v seed=S -f draw.awk EQUIVALENT SITES`, the second
# from sites.awk. Prints a line for each mutant and each that may take its place:
# the mutant's number, a tab, and the site. Each room gets up to three, and more by its
# size; each kind of fault in a room is as likely as the others.
#
# Which sites are drawn depends on the seed and on their own text: what changes
# elsewhere leaves them drawn.

BEGIN {
	FS = "\t"
	for (i = 1; i < 256; i++)
		code[sprintf("%c", i)] = i
}

# Park and Miller's generator, which each character disturbs; the same with every awk.
function hash(text,	i, state) {
	state = seed % 2147483646 + 1
	for (i = length(text); i; i--)
		state = (state + code[substr(text, i, 1)]) * 16807 % 2147483647
	for (i = 0; i < 4; i++)
		state = state * 16807 % 2147483647
	return state
}

FILENAME == ARGV[1] {
	if (!/^#/)
		equivalent[$1, $2, $3, $4, $5] = 1
	next
}

($1, $8, $7, $5, $6) in equivalent { next }

{
	room = $1
	sub(/\/[^\/]*$/, "", room)
	if (!(room in size))
		rooms[nr_rooms++] = room
	size[room]++
	if (!nr_sites[room, $4]++)
		kinds[room, nr_kinds[room]++] = $4
	i = nr_sites[room, $4] - 1
	sites[room, $4, i] = $0
	rank[room, $4, i] = hash($1 $3 $5 $6 $7 $8)
}

# One that was not drawn before; "" if there is none.
function draw(room,	kind, i, last, best) {
	for (; tried[room] < 10000; ) {
		kind = kinds[room, hash(room tried[room]++) % nr_kinds[room]]
		last = nr_sites[room, kind] - 1
		if (last < 0)
			continue
		best = 0
		for (i = 1; i <= last; i++)
			if (rank[room, kind, i] < rank[room, kind, best])
				best = i
		drawn = sites[room, kind, best]
		sites[room, kind, best] = sites[room, kind, last]
		rank[room, kind, best] = rank[room, kind, last]
		nr_sites[room, kind]--
		return drawn
	}
	return ""
}

END {
	least = nr_rooms ? int(number / nr_rooms) : 0
	if (least > 3)
		least = 3
	for (i = 0; i < nr_rooms; i++)
		share[i] = least
	for (left = nr_rooms ? number - least * nr_rooms : 0; left > 0; left--) {
		# The one that would still have most sites for each.
		best = 0
		for (i = 1; i < nr_rooms; i++)
			if (size[rooms[i]] * (share[best] + 1) > size[rooms[best]] * (share[i] + 1))
				best = i
		share[best]++
	}
	# A small room has enough for all of its mutants before one has others in its place.
	for (i = 0; i < nr_rooms; i++) {
		for (j = 0; j < 20; j++)
			for (k = 1; k <= share[i]; k++) {
				drawn = draw(rooms[i])
				if (drawn != "")
					print n + k "\t" drawn
			}
		n += share[i]
	}
}
