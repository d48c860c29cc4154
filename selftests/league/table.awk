# SPDX-License-Identifier: GPL-2.0-only
# The tables of docs/pgo.md, of lines PROGRAM COMPILER PROFILE INSTRUCTIONS TAKEN. For
# each compiler: what each profile changes, in percent of -O2's; the geometric means;
# their share of what an instrumented program gains. Then what was not as it should be.

function title(name) {
	if (name == "ips") return "without records"
	if (name == "exact") return "exact counts"
	if (name == "used") return "instrumented"
	if (name == "fleet") return "of a fleet"
	sub(/^profgen-/, "llvm-profgen, ", name)
	sub(/^perf2bolt-/, "perf2bolt, ", name)
	sub(/^sampled-/, "ssctr, ", name)
	return name
}

# In which order they stand, from left to right.
function rank(name,    depth) {
	if (name == "ips") return 1
	if (name == "fleet") return 8999
	if (name == "exact") return 9000
	if (name == "used") return 9001
	depth = name
	sub(/.*-/, "", depth)
	return (name ~ /^sampled/ ? 4000 : 2000) + depth
}

function add(list, size, name, seen) {
	if (name in seen)
		return size
	seen[name]
	list[size] = name
	return size + 1
}

{
	insns[$2, $3, $1] = $4
	taken[$2, $3, $1] = $5
	nr_programs = add(programs, nr_programs + 0, $1, seen_program)
	nr_compilers = add(compilers, nr_compilers + 0, $2, seen_compiler)
	has[$2, $3]
	if ($3 != "plain")
		nr_profiles = add(profiles, nr_profiles + 0, $3, seen_profile)
}

function percent(factor) { return sprintf("%+.1f", 100 * (factor - 1)) }

# What a profile makes of one program: sets by_insns and by_taken. 0: not measured.
function factors(cc, profile, program) {
	if (!((cc, profile, program) in insns))
		return 0
	by_insns = insns[cc, profile, program] / insns[cc, "plain", program]
	by_taken = taken[cc, profile, program] / taken[cc, "plain", program]
	return 1
}

# The same of all programs that have both profiles, as geometric means.
function means(cc, profile, other,    i, log_insns, log_taken, nr) {
	for (i = 0; i < nr_programs; i++) {
		if (!factors(cc, other, programs[i]) || !factors(cc, profile, programs[i]))
			continue
		log_insns += log(by_insns)
		log_taken += log(by_taken)
		nr++
	}
	if (!nr)
		return 0
	by_insns = exp(log_insns / nr)
	by_taken = exp(log_taken / nr)
	return nr
}

function row(first, cells) { print "| " first " |" cells }

function of_program(cc, program,    k, cells) {
	if (!((cc, "plain", program) in insns))
		return
	cells = sprintf(" %.1f, %.1f |", insns[cc, "plain", program] / 1e6, \
			taken[cc, "plain", program] / 1e6)
	for (k = 0; k < nr_profiles; k++) {
		if (!((cc, profiles[k]) in has))
			continue
		if (!factors(cc, profiles[k], program)) {
			cells = cells " |"
			continue
		}
		cells = cells " " percent(by_insns) ", " percent(by_taken) " |"
		blame(cc, profiles[k], program)
	}
	row(program, cells)
}

# Worse than without a profile; and worse, by half a percent, than without records.
function blame(cc, profile, program,    i, t) {
	if (profile !~ /^sampled/)
		return
	i = by_insns
	t = by_taken
	if (i > 1.0005)
		bad[nr_bad++] = program " by " cc ", " title(profile) ": more instructions than -O2"
	if (t > 1.0005)
		bad[nr_bad++] = program " by " cc ", " title(profile) ": more taken branches than -O2"
	if (!factors(cc, "ips", program))
		return
	if (i > by_insns + 0.005)
		bad[nr_bad++] = program " by " cc ", " title(profile) ": more instructions than without records"
	if (t > by_taken + 0.005)
		bad[nr_bad++] = program " by " cc ", " title(profile) ": more taken branches than without records"
}

function of_compiler(cc,    k, i, cells, rule, mean, share, gain_insns, gain_taken) {
	for (k = 0; k < nr_profiles; k++) {
		if (!((cc, profiles[k]) in has))
			continue
		cells = cells " " title(profiles[k]) " |"
		rule = rule "---|"
		means(cc, profiles[k], profiles[k])
		mean = mean " " percent(by_insns) ", " percent(by_taken) " |"
		share = share " " of_gain(cc, profiles[k]) " |"
	}
	row(cc, " M instructions, taken |" cells)
	print "|---|---|" rule
	for (i = 0; i < nr_programs; i++)
		of_program(cc, programs[i])
	row("geometric mean", " |" mean)
	if ((cc, "used") in has)
		row("of the instrumented gain", " |" share)
	print ""
}

function of_gain(cc, profile,    i, t) {
	if (!means(cc, profile, "used"))
		return ""
	i = by_insns - 1
	t = by_taken - 1
	means(cc, "used", profile)
	return sprintf("%.0f %%, %.0f %%", 100 * i / (by_insns - 1), 100 * t / (by_taken - 1))
}

END {
	for (i = 1; i < nr_profiles; i++)
		for (k = i; k && rank(profiles[k]) < rank(profiles[k - 1]); k--) {
			name = profiles[k]
			profiles[k] = profiles[k - 1]
			profiles[k - 1] = name
		}
	for (i = 0; i < nr_compilers; i++)
		of_compiler(compilers[i])
	for (i = 0; i < nr_bad; i++)
		print bad[i]
}
