#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# perf's own tests of branch stacks, each of their sub-checks as one test. Run as
# root with ssctr loaded:  perf.sh FOLDER SCRIPT...
# FOLDER has a perf that is not stripped, and tests/shell of the same sources.
#
# A sub-check that tests another architecture is named, with its reason below.
cd "$(dirname "$0")" || exit
. ./ktap.sh
folder=$(cd "$1" && pwd) || exit
shift
PATH=$folder:$PATH
export LC_ALL=C
out=$(mktemp -d)

# not_ours SUB-CHECK: prints why a sub-check says nothing about this machine.
not_ours() {
	case $script:$1 in
	test_brstack:*'trap & eret'*)
		echo 'looks for the types of arm64 exceptions' ;;
	record_lbr:'LBR direct calls test')
		# Its program calls nothing while it is sampled, so that all records
		# are the kernel's. That is linked without relaxation: each of its
		# calls is an auipc and a jalr, an indirect call for Ssctr.
		echo 'wants direct calls in the kernel, where riscv has none' ;;
	esac
}

# A line for each sub-check in what a script said: its result and its name.
results() {
	sed -nE '
		s/^Testing branch stack filtering permutation \((.*)\)$/filter \1/
		T result
		h; d
		:result
		s/^Testing branch stack filtering \[([A-Z][a-z]*).*\]$/\1/
		T named
		G; s/\n/ /p; d
		:named
		s/^(Testing )?(.*) \[(Passed|Success|Failed|Skipped).*\]$/\3 \2/p
	' "$out/said"
}

# The sub-checks that a script starts at its top level.
starts() {
	grep -cE '^ *(test_[a-z_]+( ".*)?|lbr_callgraph_test|(parallel_)?lbr_test "-.*)$' "$1"
}

said() { grep -vE '^(\[ perf|$|0x)' "$out/said" | cut -c -200; }

came_to_its_end() {
	said
	echo "exit status $status; $made of $wanted sub-checks"
	[ "$made" = "$wanted" ] && [ "$made" -gt 5 ]
}

# passes RESULT: what the script said is shown once, with the first that fails.
passes() {
	[ "$1" = Passed ] || [ "$1" = Success ] && return
	[ -e "$out/shown" ] || said | tee "$out/shown"
	return 1
}

# record_lbr.sh of 7.2 begins with 0.01 seconds of a program that takes whole ones
# and refuses 0; this is what it records by instead of perf record.
cat >"$out/record" <<'END'
#!/bin/bash
case ${!#} in 0.*) set -- "${@:1:$#-1}" 1 ;; esac
exec perf record "$@"
END
chmod +x "$out/record"
export PERF_RECORD_CMD=$out/record

# perf report of 7.2 asks the program addr2line, and dies where there is none.
printf '[addr2line]\nstyle = libdw\n' >"$out/config"
export PERF_CONFIG=$out/config

# limit_rate RATE: at most so many samples a second. The limit cannot be changed
# while perf's load is not limited, and shall not be changed by that.
limit_rate() {
	echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo "$1" >/proc/sys/kernel/perf_event_max_sample_rate
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
}

for script; do
	# This one prints every record of every sample: long under emulation.
	[ "$script" != record_lbr ] || limit_rate 1000
	bash "$folder/tests/shell/$script.sh" >"$out/said" 2>&1
	status=$?
	results >"$out/results"
	made=$(grep -c . "$out/results")
	wanted=$(starts "$folder/tests/shell/$script.sh")
	rm -f "$out/shown"
	t "$script: makes all its checks" came_to_its_end
	while read -r result name; do
		reason=$(not_ours "$name")
		if [ "$reason" ] && ! passes "$result" >/dev/null; then
			echo "# not for this machine: $script: $name: it $reason"
		else
			t "$script: $name" passes "$result"
		fi
	done <"$out/results"
done
rm -rf "$out"
plan
