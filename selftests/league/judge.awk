# SPDX-License-Identifier: GPL-2.0-only
# What gawk is judged on: the tags and sentences of a text in HTML, and numbers.
function primes(n,    i, k, found) {
	for (i = 2; found < n; i++) {
		for (k = 2; k * k <= i; k++)
			if (i % k == 0)
				break
		if (k * k > i)
			found++
	}
	return i - 1
}
{
	while (match($0, /<[a-zA-Z\/]+[^>]*>/)) {
		tag = tolower(substr($0, RSTART + 1, RLENGTH - 2))
		sub(/ .*/, "", tag)
		tags[tag]++
		$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
	}
	text = text $0 "\n"
	if (length(text) > 4000) {
		nr = split(text, sentence, /[.;:]/)
		for (i = 1; i <= nr; i++)
			letters[toupper(substr(sentence[i], 2, 1))] += length(sentence[i])
		text = ""
	}
}
END {
	nr = asorti(tags, names)
	for (i = 1; i <= nr; i++)
		out = out sprintf("%s=%d ", names[i], tags[names[i]])
	print out
	nr = asorti(letters, names)
	for (i = 1; i <= nr; i++)
		printf "%s%05d", names[i], letters[names[i]]
	printf "\n%d\n", primes(700)
}
