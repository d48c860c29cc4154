# SPDX-License-Identifier: GPL-2.0-only
# What gawk is trained on: the words of a text in C, and its lines' lengths.
BEGIN { FS = "[^A-Za-z_0-9]+" }
/^[ \t]*#/ { directives[$2]++ }
{
	sum += length($0)
	for (i = 1; i <= NF; i++)
		if ($i != "")
			count[$i]++
}
/\(.*\)/ { calls += gsub(/[a-z_]+\(/, "f(") }
END {
	words = asorti(count, name)
	for (i = 1; i <= words; i++)
		if (count[name[i]] > 100)
			print count[name[i]], name[i]
	for (word in directives)
		nr++
	print sum, calls, nr
}
