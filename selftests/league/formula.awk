# SPDX-License-Identifier: GPL-2.0-only
# A formula for MiniSat: -v form=random, clauses of three; or form=colours, a graph to
# be coloured with four.
function random(n) {
	seed = (seed * 1103515 + 12345) % 2147483648
	return int(seed / 64) % n
}
function clause(text) { clauses[nr++] = text " 0" }
BEGIN {
	if (form == "random") {
		variables = 150
		while (nr < 630)
			clause((random(2) ? "" : "-") random(variables) + 1 " " \
			       (random(2) ? "" : "-") random(variables) + 1 " " \
			       (random(2) ? "" : "-") random(variables) + 1)
	} else {
		nodes = 90
		variables = 4 * nodes
		for (i = 0; i < nodes; i++)
			clause(4 * i + 1 " " 4 * i + 2 " " 4 * i + 3 " " 4 * i + 4)
		for (e = 0; e < 395; e++) {
			a = random(nodes)
			b = random(nodes)
			if (a == b)
				continue
			for (k = 1; k <= 4; k++)
				clause("-" 4 * a + k " -" 4 * b + k)
		}
	}
	print "p cnf", variables, nr
	for (i = 0; i < nr; i++)
		print clauses[i]
}
