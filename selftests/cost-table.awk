# SPDX-License-Identifier: GPL-2.0-only
# The table of what the module costs, as Markdown, from what cost-guest.sh and the
# plug-in `cost` left:
#   gawk -v folder=FOLDER -v functions=0|1 -f cost-table.awk
# reads FOLDER/counts, FOLDER/situations and FOLDER/symbols-DEPTH.
#
# A function that the kernel calls has a row for each cost that at least 3 of 10 of
# its calls in that situation have. Interrupts that come by the way are left out, and
# so are switches during overflows. With functions=1 each row is followed by the
# functions that it is made of, and what they call outside of the module.

# The symbols of one depth, sorted by address; of one length, so that text compares.
function read_symbols(depth,   path)
{
	if (depth == symbols_of)
		return
	path = folder "/symbols-" depth
	nr_symbols = 0
	while ((getline < path) > 0) {
		address[++nr_symbols] = $1
		name[nr_symbols] = $3
	}
	close(path)
	symbols_of = depth
}

function symbol(pc,   low, high, middle)
{
	low = 1
	high = nr_symbols
	while (low < high) {
		middle = int((low + high + 1) / 2)
		if (address[middle] "" <= pc "")
			low = middle
		else
			high = middle - 1
	}
	return name[low]
}

function print_functions(shape,   i, part, nr, pieces, sum, at)
{
	nr = split(pieces_of[shape], pieces, "\n")
	for (i = 1; i < nr; i++) {
		split(pieces[i], part, " ")
		at = "`" symbol(part[2]) "`"
		if (part[1] == "out")
			at = "outside: " at
		sum[at] += part[3]
	}
	PROCINFO["sorted_in"] = "@val_num_desc"
	for (at in sum)
		printf "| | | %s | %d | | | | | | |\n", at, sum[at]
	delete PROCINFO["sorted_in"]
}

function print_row(shape,   f, entries, others)
{
	split(shape, f, " ")
	entries = f[7] + f[8]
	others = f[4] - f[5] - f[6]
	printf "| %s | %d | `%s` | %d | %d | %d | %s |\n", situation, depth,
	       symbol(f[3]), f[4], f[5], f[6], !entries ? "| | |" :
	       sprintf("%d | %.1f | %.1f | %.1f", entries, f[5] / entries,
		       f[6] / entries, others / entries)
	if (functions)
		print_functions(shape)
}

# Is @call what the situation is about?
function belongs(call)
{
	if (situation ~ /^fork/)
		return call ~ /init|destroy|process/
	if (call ~ /overflow/)
		return situation ~ /overflow|filters/
	if (call ~ /irq/)
		return situation ~ /overflow|unused-idle/
	return situation !~ /overflow|filters/
}

# Rows of a situation in the order of the function's name and the cost.
function print_situation(   shape, f, rows, i, nr)
{
	for (shape in calls) {
		split(shape, f, " ")
		if (f[1] != number || !belongs(symbol(f[3])) ||
		    calls[shape] < 0.3 * total[f[1] " " f[3]])
			continue
		rows[++nr] = sprintf("%s %09d\t%s", symbol(f[3]), f[4], shape)
	}
	nr = asort(rows)
	for (i = 1; i <= nr; i++)
		print_row(substr(rows[i], index(rows[i], "\t") + 1))
	if (!nr)
		printf "| %s | %d | none | 0 | 0 | 0 | | | | |\n", situation, depth
}

BEGIN {
	while ((getline < (folder "/counts")) > 0) {
		if ($1 == "shape") {
			# NUMBER 0 ENTRY INSTRUCTIONS READS WRITES READ WRITTEN
			shape = $2 " 0 " $4 " " $5 " " $6 " " $7 " " $8 " " $9
			calls[shape] = $3
			total[$2 " " $4] += $3
		} else {
			pieces_of[shape] = pieces_of[shape] $0 "\n"
		}
	}
	print "| situation | depth | call | instructions | CSR reads | writes | entries | reads each | writes each | others each |"
	print "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|"
	while ((getline < (folder "/situations")) > 0) {
		number = $1
		depth = $2
		situation = $3
		read_symbols(depth)
		print_situation()
	}
	if (!number || !nr_symbols) {
		print "cost-table: nothing in " folder >"/dev/stderr"
		exit 1
	}
}
