# SPDX-License-Identifier: GPL-2.0-only
# Draws mutants: `awk -v number=N -v seed=S -f draw.awk EQUIVALENT SITES`, the second
# from sites.awk. Prints a line for each mutant and each that may take its place:
# the mutant's number, a tab, and the site. Each room gets three, and more by its size;
# each kind of fault in a room is as likely as the others.

BEGIN { FS = "\t" }

# Park and Miller's: the same with every awk.
function random(below) {
	state = state * 16807 % 2147483647
	return state % below
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
	total++
	if (!nr_sites[room, $4]++)
		kinds[room, nr_kinds[room]++] = $4
	sites[room, $4, nr_sites[room, $4] - 1] = $0
}

# One that was not drawn before; "" if there is none.
function draw(room,	kind, i, left, last) {
	for (left = 1000; left; left--) {
		kind = kinds[room, random(nr_kinds[room])]
		last = nr_sites[room, kind] - 1
		if (last < 0)
			continue
		i = random(last + 1)
		drawn = sites[room, kind, i]
		sites[room, kind, i] = sites[room, kind, last]
		nr_sites[room, kind]--
		return drawn
	}
	return ""
}

END {
	state = seed % 2147483646 + 1
	for (i = 0; i < 16; i++)
		random(2)
	for (i = 0; i < nr_rooms; i++)
		share[i] = 3
	for (left = number - 3 * nr_rooms; left > 0; left--) {
		# The one that has least for its size.
		best = 0
		for (i = 1; i < nr_rooms; i++)
			if (share[i] * size[rooms[best]] < share[best] * size[rooms[i]])
				best = i
		share[best]++
	}
	for (i = 0; i < nr_rooms; i++)
		for (; share[i] && n < number; share[i]--) {
			n++
			for (j = 0; j < 20; j++) {
				drawn = draw(rooms[i])
				if (drawn != "")
					print n "\t" drawn
			}
		}
}
