#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What `suite` makes of programs that fail in other ways than by a test.
cd "$(dirname "$0")/../.." || exit
. selftests/ktap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# says TEXT COMMAND [ARGUMENT]...: a run of COMMAND ends with a failed test that says so.
says() {
	tools/tests/suite run "$dir/log.tap" sh -c "$2" >"$dir/said"
	cat "$dir/said"
	grep -q "^not ok .*$1" "$dir/log.tap" && grep -q "^not ok .*$1" "$dir/said" &&
		! tools/tests/suite sum 0 "$dir/log.tap" >"$dir/said"
}
t a_program_that_dies_is_a_failed_test says 'ran 1 of 2 tests, exit status 137' \
	'echo 1..2; echo ok 1 a; kill -9 $$'
t a_program_without_a_plan_is_a_failed_test says 'ran 1 of 0 tests' 'echo ok 1 a'
t a_status_without_a_failed_test_is_one says 'exit status 3, though no test failed' \
	'echo 1..1; echo ok 1 a; exit 3'
t a_machine_that_fails_is_named says 'after 1 tests, not done after 9 s' \
	'echo ok 1 a; echo "vm: not done after 9 s"; echo "vm: last lines:"; exit 125'

sums() {
	for name in a b; do
		tools/tests/suite run "$dir/$name.tap" sh -c \
			'echo 1..3; echo ok 1 a; echo "ok 2 b # SKIP c"; echo ok 3 d' || return
	done
	tools/tests/suite sum "$(date +%s)" "$dir/a.tap" "$dir/b.tap" >"$dir/said" || return
	cat "$dir/said"
	[ "$(tail -n 1 "$dir/said")" = '4 passed, 0 failed, 2 skipped' ]
}
t passed_and_skipped_ones_are_added_up sums

shows() {
	tools/tests/suite run "$dir/log.tap" sh -c 'echo 1..2; echo before; sleep 1.1
		echo not ok 1 a; echo ok 2 b' >"$dir/said"
	cat "$dir/said"
	[ "$(head -n 2 "$dir/said")" = "$(printf 'before\nnot ok 1 a')" ] &&
		grep -Eq ' [1-9][0-9]* s  *0 s  *1 passed, 1 failed, 0 skipped' "$dir/said"
}
t what_failed_is_shown_and_how_long_it_took shows

# A program that works for a second of its processor's, however fast that is, in a child.
cat >"$dir/work" <<'EOF'
until times >"$1" && read -r user _ <"$1" && [ "${user#0m0}" = "$user" ]; do
	i=0
	while [ $i -lt 100000 ]; do i=$((i + 1)); done
done
EOF
works() {
	# shellcheck disable=SC2016
	tools/tests/suite run "$dir/log.tap" sh -c 'echo 1..1
		sh "$0/work" "$0/times"
		echo ok 1 a' "$dir" >"$dir/said"
	tools/tests/suite sum "$(date +%s)" "$dir/log.tap" >>"$dir/said"
	cat "$dir/said"
	grep -Eq ' [0-9]+ s  *[1-9][0-9]* s +1 passed' "$dir/said" &&
		grep -Eq 'worked 0 min 0?[1-9][0-9]* s' "$dir/said"
}
t what_the_processors_worked_for_it_is_told works

is_there() { [ -e "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status"; }
is_killed() {
	rm -f "$dir/pid"
	# shellcheck disable=SC2016
	tools/tests/suite run "$dir/log.tap" sh -c 'echo $$ >"$0/new"
		mv "$0/new" "$0/pid"
		exec sleep 600' "$dir" &
	suite=$!
	until [ -e "$dir/pid" ]; do sleep 0.1; done
	pid=$(cat "$dir/pid")
	kill -KILL $suite
	for _ in $(seq 600); do
		is_there "$pid" || return 0
		sleep 0.1
	done
	kill "$pid"
	return 1
}
t the_program_ends_with_the_run is_killed

none_ran() {
	echo 1..0 >"$dir/none.tap"
	! tools/tests/suite sum 0 "$dir/none.tap"
}
t it_is_a_failure_that_no_test_ran none_ran

# A program that fails with one seed of five.
cat >"$dir/luck" <<'EOF'
#!/bin/sh
[ "$TEST_SEED" = 8 ] && echo 'not ok 1 by_luck' && exit 1
echo 'ok 1 by_luck'
EOF
chmod +x "$dir/luck"
seeds() {
	tools/tests/suite run "$dir/log.tap" tools/tests/seeds "$dir/luck" 5 1000 5 >"$dir/said"
	cat "$dir/said"
	! tools/tests/suite sum 0 "$dir/log.tap" >/dev/null &&
		grep -q '^# TEST_SEED=8 fails' "$dir/said" &&
		grep -q '^not ok 1 luck: 5 seeds from 5 on, 1 failed' "$dir/said" &&
		tools/tests/seeds "$dir/luck" 5 0 7 | grep -q '^ok 1 luck: 1 seeds from 7 on, 0 failed'
}
t a_seed_with_which_a_test_fails_is_told seeds

# same_wants STATUS OLD PROGRAM: what is not compared would be taken for the same.
same_wants() {
	unshare --mount true 2>/dev/null || unshare --user --map-root-user --mount true ||
		t_skip 'it takes root or user namespaces' || return
	tools/tests/same "$dir/new" "$2" '' >"$dir/said" 2>&1
	status=$?
	cat "$dir/said"
	[ $status = "$1" ] && grep "^same: .* has no $3 to compare with" "$dir/said"
}
mkdir -p "$dir/new/tests" "$dir/new/bin" "$dir/old/build/tests" "$dir/old/build/bin"
for program in new/bin/ssctr new/tests/ssctr new/tests/script-x \
	old/build/bin/ssctr old/build/tests/ssctr; do
	cp /bin/true "$dir/$program"
done
t same_wants_all_programs_of_a_tree same_wants 2 "$dir/old" build/tests/script-x
t same_takes_a_command_alone same_wants 1 "$dir/old/build/bin/ssctr" build/tests/script-x
plan
