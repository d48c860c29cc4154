# SPDX-License-Identifier: GPL-2.0-only
# Places in C that can be broken, one a line, with tabs between:
#
#   FILE  LINE  COLUMN  KIND  FROM  TO  THE WHOLE LINE  THE ONE BEFORE
#
# Replacing the text FROM at that place by TO breaks it. It looks at lines, and relies
# on kernel style: blanks around operators, a statement on lines of its own.

# Comments, strings and characters become as many @; later lines know of a comment.
function bare(s,	out, c, two, i, quote) {
	out = ""
	quote = ""
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		two = substr(s, i, 2)
		if (in_comment) {
			if (two == "*/") {
				in_comment = 0
				out = out "@"
				i++
			}
			out = out "@"
		} else if (quote != "") {
			if (c == "\\") {
				out = out "@"
				i++
			} else if (c == quote) {
				quote = ""
			}
			out = out "@"
		} else if (two == "/*") {
			in_comment = 1
			out = out "@@"
			i++
		} else if (two == "//") {
			while (i++ <= length(s))
				out = out "@"
		} else {
			if (c == "\"" || c == "'")
				quote = c
			out = out (quote != "" ? "@" : c)
		}
	}
	return out
}

function plain(line) {
	gsub(/^[ \t]+/, "", line)
	gsub(/\t+/, " ", line)
	return line
}

function site(column, kind, from, to) {
	print FILENAME "\t" FNR "\t" column "\t" kind "\t" plain(from) "\t" to "\t" plain($0) "\t" plain(before_line)
}

# What follows a look at what was allocated, and the look itself.
function is_shortage(code) {
	if (code ~ /(alloc|strn?dup|asprintf|array_room|array_cover|hash_room)\(/)
		short = code ~ /if \(/ ? 1 : 2
	else if (short == 2 && code ~ /^\t+if \(!/)
		short = 1
	else if (short == 1 && code ~ /^\t+(return|goto) /) {
		short = 0
		return 1
	} else if (code ~ /;/)
		short = short == 2 && code !~ /\);$/ ? 2 : 0
	return short == 1
}

# Each of @from that stands between blanks.
function operators(code, kind, from, to,	at, off, word) {
	word = " " from " "
	off = 0
	while ((at = index(substr(code, off + 1), word))) {
		site(off + at + 1, kind, from, to)
		off += at + length(from)
	}
}

# Where the parenthesis that opens at @at is closed; 0 if it is not, on this line.
function closing(code, at,	depth, i, c) {
	for (i = at; i <= length(code); i++) {
		c = substr(code, i, 1)
		depth += (c == "(") - (c == ")")
		if (!depth)
			return i
	}
	return 0
}

function conditions(code, line,	at, end) {
	if (!match(code, /(^|[^a-z_])(if|while) \(/))
		return
	at = RSTART + RLENGTH - 1
	end = closing(code, at)
	if (end > at + 1)
		site(at, "condition", substr(line, at, end - at + 1),
		     "(!" substr(line, at, end - at + 1) ")")
}

function constants(code, line,	rest, off, from) {
	off = 0
	rest = code
	while (match(rest, /(^|[^A-Za-z0-9_.@])(0x[0-9a-fA-F]+|[0-9]+)[uUlL]*/)) {
		from = substr(rest, RSTART, RLENGTH)
		if (from !~ /^[0-9]/) {
			RSTART++
			from = substr(from, 2)
		}
		site(off + RSTART, "constant", from, "(" from " + 1)")
		if (from !~ /^0[uUlL]*$/)
			site(off + RSTART, "constant", from, "(" from " - 1)")
		off += RSTART + length(from) - 1
		rest = substr(code, off + 1)
	}
}

# Declarations with an initializer stay: without it, anything may happen.
function statement(code, line, before) {
	if (code !~ /^\t+[^\t {}#].*;[ \t@]*$/ || code ~ /^\t+(static|const|struct|enum|union|unsigned|int|long|char|bool|void|FILE|size_t|ssize_t|off_t|[a-z_]*_t|__u[0-9]+|case|default|else|for|if|while|do|extern|typedef)[^a-z_(]/)
		return
	# What a type of our own's or of a library's begins is a declaration, too.
	if (code ~ /^\t+[A-Za-z_0-9]+ \**[A-Za-z_0-9]+(\[.*\])?( = .*)?;/ &&
	    code !~ /^\t+(return|goto)/)
		return
	if (before !~ /[;{}:][ \t@]*$/ && before !~ /^[ \t@]*$/ &&
	    before !~ /^\t+((}? ?else )?(if|while|for) \(.*\)|else)[ \t@]*$/)
		return
	# What falls off a function's end is no mistake that is made.
	if (code ~ /^\t+return / && before !~ /^\t+((}? ?else )?if \(.*\))[ \t@]*$/)
		return
	match(line, /^\t+/)
	at = RLENGTH + 1
	match(code, /;[ \t@]*$/)
	site(at, "statement", substr(line, at, RSTART - at), "")
}

FNR == 1 {
	in_comment = 0
	in_macro = 0
	depth = 0
	before = before_line = ""
}

{
	code = bare($0)
	if (in_macro || code ~ /^#/) {
		in_macro = code ~ /\\$/
		next
	}
	# In functions only: what stands outside of them is tables and names.
	if (code ~ /^{/)
		depth = 1
	else if (code ~ /^}/)
		depth = 0
	# Nor where memory is short: no test takes it away.
	else if (code ~ /no_memory|nomem|NOMEM/ || $0 ~ /"out of memory"/ || is_shortage(code))
		;
	else if (depth && code !~ /^[ \t@]*$/) {
		operators(code, "comparison", "<", "<=")
		operators(code, "comparison", "<=", "<")
		operators(code, "comparison", ">", ">=")
		operators(code, "comparison", ">=", ">")
		operators(code, "comparison", "==", "!=")
		operators(code, "comparison", "!=", "==")
		operators(code, "logic", "&&", "||")
		operators(code, "logic", "||", "&&")
		operators(code, "arithmetic", "+", "-")
		operators(code, "arithmetic", "-", "+")
		operators(code, "arithmetic", "+=", "-=")
		operators(code, "arithmetic", "-=", "+=")
		conditions(code, $0)
		# The size of a buffer is no promise.
		if (code !~ /^\t+(static |const )*(char|u?int[0-9]*_t|struct [a-z_]+) [^=(]*;/)
			constants(code, $0)
		statement(code, $0, before)
	}
	if (code !~ /^[ \t@]*$/) {
		before = code
		before_line = $0
	}
}
