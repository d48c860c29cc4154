#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC1090,SC2034,SC2154
# Real programs by their profiles, each trained on one input and judged on another:
#
#   league.sh run KERNEL PROGRAM    what is in selftests/league/PROGRAM.sh
#   league.sh fleet PROGRAM         the same by what a fleet counted, as in docs/fleet.md
#   league.sh table PROGRAM...      what was measured of them, as in docs/pgo.md
#
# COMPILERS ('clang-19 gcc-14'; clang-22, gcc-15, gcc-16, bolt-22) and DEPTHS ('32')
# choose what is made. What was made already, from the same things, is not made again. Everything is measured by the
# plug-in `counts`, and the machine's time is that of its instructions (--icount), so
# that a second run says the same.
#
# A description sets source, files, flags, libs and language, how to train and how to
# judge (arguments, and a shell's redirections, in a folder with the inputs), and has
# functions that make the inputs and, before all, what the sources lack.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
compilers=${COMPILERS:-clang-19 gcc-14}
depths=${DEPTHS:-32}
all=$top/build/league

say() { echo "league: $*" >&2; }

# fresh FILE TEXT: whether FILE was made from TEXT. If not, made FILE has to follow.
fresh() {
	[ -e "$1" ] && [ -r "$1.from" ] && [ "$(cat "$1.from")" = "$2" ] && return
	rm -rf "$1" "$1.from"
	from=$2
	return 1
}
made() { printf '%s\n' "$from" >"$1.from"; }
sum() { cat "$@" | sha256sum | cut -c 1-16; }

# on_host FOLDER SCRIPT [ARGUMENT]...
on_host() {
	folder=$1 script=$2
	shift 2
	# shellcheck disable=SC2016
	qemu/on-host --root "$home" sh -c 'cd "$1" && script=$2 && shift 2 && eval "$script"' \
		sh "$folder" "$script" "$@" >"$work/log" 2>&1 || {
		tail -n 20 "$work/log" >&2
		say "$program: failed in $folder: $script"
		exit 1
	}
}

# tools CC: where the compiler CC is, and what belongs to it.
tools() {
	home=$root
	case $language in
	c) gcc=gcc clang=clang ;;
	c++) gcc=g++ clang=clang++ ;;
	esac
	case $1 in
	clang-*)
		version=${1#clang-}
		[ "$version" = 19 ] || home=$(qemu/vm clang)
		front="/usr/lib/llvm-$version/bin/$clang --target=riscv64-linux-gnu
			-fdebug-info-for-profiling -funique-internal-linkage-names"
		link="riscv64-linux-gnu-$gcc-14 -static"
		;;
	bolt-*)
		version=${1#bolt-}
		home=$(qemu/vm clang)
		# What clang made of gzip crashes once BOLT 22 has rewritten it.
		front=riscv64-linux-gnu-$gcc-14
		link="$front -no-pie -static-libgcc -Wl,--emit-relocs"
		[ "$language" = c ] || link="$link -static-libstdc++"
		;;
	gcc-*)
		version=${1#gcc-}
		[ "$version" = 14 ] || home=$(qemu/vm gcc)
		front=riscv64-linux-gnu-$gcc-$version
		link="$front -static"
		;;
	esac
	# What instrumented programs need, and what reads their counts.
	case $1 in
	clang-19) counter="$parts/clang_rt.profile.a" profdata=$parts/llvm-profdata ;;
	clang-*)
		counter=$home/usr/lib/llvm-$version/lib/clang/$version/lib/linux/libclang_rt.profile-riscv64.a
		profdata=/usr/lib/llvm-$version/bin/llvm-profdata
		;;
	*) counter=--coverage ;;
	esac
}

# BOLT rewrites programs, and dynamic ones alone: it has no instrumented rival here.
is_bolt() { [ "${1%%-*}" = bolt ]; }

# compile NAME FLAG...: builds NAME, COMPILER.PROFILE, in a folder of its own, in which
# there may be counts of an instrumented run.
compile() {
	name=$1
	shift
	tools "${name%%.*}"
	# shellcheck disable=SC2086
	set -- $front -O2 -g -w $flags "$@"
	case $name in
	clang*.counted) link="$link -u__llvm_profile_runtime" ;;
	esac
	case $name in
	*.counted) last="$libs $counter" ;;
	*) last=$libs ;;
	esac
	! fresh "$work/$name" "$* $link $last $key" || return 0
	say "$program: building $name"
	mkdir -p "$work/$name.o"
	# shellcheck disable=SC2016
	on_host "$work/$name.o" '
		source=$1 files=$2 link=$3 program=$4 last=$5
		shift 5
		rm -f *.o
		for file in $files; do set -- "$@" $source/$file; done
		"$@" -c && $link -o $program *.o $last' \
		"$source" "$files" "$link" "$work/$name" "$last" "$@"
	made "$work/$name"
}

# in_guest DEPTH OUT SCRIPT NAME...: what SCRIPT leaves in /tmp/out comes to the folder
# OUT; its programs are in /t, and it runs among the inputs.
in_guest() {
	depth=$1 out=$2 script=$3
	shift 3
	for name; do
		shift
		set -- "$@" --put "$work/$name:/t/$name"
	done
	rm -rf "$out"
	mkdir -p "$out"
	# shellcheck disable=SC2086
	qemu/vm run --kernel "$kernel" --timeout 1200 --module-args "depth=$depth" \
		${how:---icount --plugin build/plugin/counts.so,out=$out/counts} \
		--put build/selftests/traced:/t/traced --put "$input:/t/input" "$@" \
		--get "/tmp/out:$out/out" -- sh -c "mkdir /tmp/out && cd /t/input || exit
echo 0 >/proc/sys/kernel/randomize_va_space
$script" || {
		say "$program: the guest failed"
		exit 1
	}
}

# counts_too CC: whether to get with $depth what does not depend on the depth.
counts_too() { [ "$depth" = "${depths%% *}" ] && ! is_bolt "$1"; }

# The programs that are recorded, by the folder that what was recorded is in: 20,000
# samples, with an odd period, which does not run in step with loops. With the first
# depth also what ran, in exact counts, and what instrumented programs count.
record() {
	for depth in $depths; do
		set --
		script=
		for cc in $compilers; do
			fresh "$work/$cc.$depth.data" "$(sum "$work/$cc.plain" "$input"/*) $train" &&
				continue
			made "$work/$cc.$depth.new"
			set -- "$@" "$cc.plain"
			script="$script
n=\$(perf stat --log-fd 3 -x, -e cycles:u /t/$cc.plain $train 3>&1 >/tmp/out/$cc.says |
	grep cycles | cut -d , -f 1) && perf record -q -m 8M -b -e cycles:u -c \$((n / 20200 | 1)) \
	-o /tmp/out/$cc.data /t/$cc.plain $train >/tmp/out/$cc.again || exit"
			counts_too "$cc" || continue
			set -- "$@" "$cc.counted"
			script="$script
/t/traced 7${cc#"${cc%?}"} /t/$cc.plain $train >/tmp/out/$cc.again &&
cmp /tmp/out/$cc.says /tmp/out/$cc.again &&
GCOV_PREFIX=/tmp/out/$cc LLVM_PROFILE_FILE=/tmp/out/$cc.profraw \
	/t/$cc.counted $train | cmp - /tmp/out/$cc.says || exit"
		done
		[ $# -gt 0 ] || continue
		say "$program: recording with depth $depth"
		out=$work/recorded-$depth
		in_guest "$depth" "$out" "$script" "$@"
		for cc in $compilers; do
			[ -e "$out/out/$cc.data" ] || continue
			cp "$out/out/$cc.data" "$work/$cc.$depth.data"
			mv "$work/$cc.$depth.new.from" "$work/$cc.$depth.data.from"
			counts_too "$cc" || continue
			cp "$out/counts.${cc#"${cc%?}"}" "$work/$cc.ran"
			keep_counted "$cc"
		done
	done
}

# keep_counted CC: what the instrumented program counted, where compile() will find it.
keep_counted() {
	case $1 in
	clang*)
		tools "$1"
		qemu/on-host --root "$home" "$profdata" merge -o "$work/$1.profdata" \
			"$out/out/$1.profraw"
		;;
	gcc*)
		rm -rf "$work/$1.used.o"
		mkdir -p "$work/$1.used.o"
		cp "$out/out/$1$work/$1.counted.o"/*.gcda "$work/$1.used.o"
		;;
	esac
}

# by PROFILE: builds by the profile $work/NAME.prof, NAME being $cc.PROFILE.
by() {
	key=$(sum "$work/$cc.$1.prof")
	case $cc in
	clang*)
		compile "$cc.$1" "-fprofile-sample-use=$work/$cc.$1.prof" \
			-mllvm -sample-profile-use-profi
		;;
	gcc*) compile "$cc.$1" "-fauto-profile=$work/$cc.$1.prof" ;;
	esac
	names="$names $cc.$1"
}

# Line profiles of counts that are not of branch records: exact ones, and those of the
# samples' own addresses, which is what there is without records.
other_counts() {
	build/tests/judge/exact_profile "$work/$cc.plain" "$format" "$work/$cc.ran" \
		>"$work/$cc.exact.prof"
	qemu/on-host --root "$checkers" perf script -i "$work/$cc.${depths%% *}.data" -F ip \
		2>/dev/null | sort | uniq -c | awk '{ print $2 "-" $2 ":" $1 }' >"$work/$cc.addresses"
	build/tests/judge/exact_profile "$work/$cc.plain" "$format" "$work/$cc.addresses" \
		>"$work/$cc.ips.prof"
	by exact
	by ips
}

# bolt PROFILE FLAG...: $cc.PROFILE, rewritten by a recording of some form.
bolt() {
	name=$cc.$1
	shift
	names="$names $name"
	tools "$cc"
	! fresh "$work/$name" "$(sum "$work/$cc.plain" "$work/$cc.$depth.data") $*" || return 0
	say "$program: rewriting $name"
	# perf2bolt calls perf.
	# shellcheck disable=SC2016
	qemu/on-host --root "$checkers" sh -c 'bin=$1 from=$2 to=$3 && shift 3 &&
		"$bin/perf2bolt" "$@" -o "$to.fdata" "$from" &&
		"$bin/llvm-bolt" "$from" -o "$to" -data "$to.fdata" -reorder-blocks=ext-tsp \
			-reorder-functions=cdsort' \
		sh "$home/usr/lib/llvm-${cc#bolt-}/bin" "$work/$cc.plain" "$work/$name" "$@" \
		>"$work/$name.log" 2>&1 || {
		tail -n 5 "$work/$name.log" >&2
		exit 1
	}
	made "$work/$name"
}

bolt_by_profiles() {
	names="$names $cc.plain"
	for depth in $depths; do
		build/bin/ssctr profile -i "$work/$cc.$depth.data" -b "$work/$cc.plain" -f bolt \
			-o "$work/$cc.sampled-$depth.prof" 2>"$work/$cc.$depth.says"
		bolt "sampled-$depth" -pa -p "$work/$cc.sampled-$depth.prof"
		bolt "perf2bolt-$depth" -p "$work/$cc.$depth.data"
	done
}

build_by_profiles() {
	case $cc in
	clang*) format=llvm ours=llvm ;;
	gcc-1[45]) format=gcov2 ours='gcov --gcov-version 2' ;;
	gcc*) format=gcov3 ours='gcov --gcov-version 3' ;;
	esac
	names="$names $cc.plain"
	other_counts
	for depth in $depths; do
		# shellcheck disable=SC2086
		build/bin/ssctr profile -i "$work/$cc.$depth.data" -b "$work/$cc.plain" \
			-f $ours -o "$work/$cc.sampled-$depth.prof" 2>"$work/$cc.$depth.says"
		by "sampled-$depth"
		case $cc in
		clang*)
			qemu/on-host --root "$checkers" /usr/lib/llvm-19/bin/llvm-profgen \
				--format=text --binary="$work/$cc.plain" \
				--perfdata="$work/$cc.$depth.data" \
				-o "$work/$cc.profgen-$depth.prof" >"$work/log" 2>&1
			by "profgen-$depth"
			;;
		esac
	done
	case $cc in
	clang*)
		key=$(sum "$work/$cc.profdata")
		compile "$cc.used" "-fprofile-use=$work/$cc.profdata"
		;;
	gcc*)
		key=$(sum "$work/$cc.used.o"/*.gcda)
		compile "$cc.used" -fprofile-use
		;;
	esac
	names="$names $cc.used"
}

# Of each program what it executes, in NAME.count, when it is judged.
measure() {
	set --
	script=
	letters='a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G H I J'
	for name in $names; do
		fresh "$work/$name.count" "$(sum "$work/$name" "$input"/*) $judge" && continue
		made "$work/$name.new"
		letter=${letters%% *}
		letters=${letters#* }
		printf '%s\n' "$letter" >"$work/$name.letter"
		set -- "$@" "$name"
		script="$script
/t/traced 7$letter /t/$name $judge >/tmp/out/$name.says || exit
sha256sum </tmp/out/$name.says >/tmp/out/$name && rm /tmp/out/$name.says || exit"
	done
	[ $# -gt 0 ] || return 0
	say "$program: judging $*"
	in_guest 32 "$work/judged" "$script" "$@"
	for name; do
		letter=$(cat "$work/$name.letter")
		[ -e "$work/says" ] || cp "$work/judged/out/$name" "$work/says"
		cmp "$work/judged/out/$name" "$work/says" || {
			say "$program: $name says something else than the others"
			exit 1
		}
		grep '^[it]' "$work/judged/counts.$letter" >"$work/$name.count"
		mv "$work/$name.new.from" "$work/$name.count.from"
	done
}

# The machines of a fleet: kernel, depth, harts. Each runs other programs, too.
fleet='6.12:32:1 7.x:64:2 7.x:256:1'

# What `ssctr collect` counts on a machine while all builds of the program train. A fleet
# has weeks for what these machines have minutes for, so the budget is larger.
collect() {
	machine=$1 number=$2
	kernel=${machine%%:*} depth=${machine#*:}
	harts=${depth#*:} depth=${depth%:*}
	set --
	for cc in $compilers; do
		set -- "$@" "$cc.plain"
	done
	say "$program: collecting on machine $number (Linux $kernel, depth $depth, harts $harts)"
	how="--icount --smp $harts --put build/riscv64/bin/ssctr:/usr/bin/ssctr
		--put build/selftests/trace_work:/t/other"
	in_guest "$depth" "$work/fleet-$number" "
ssctr collect -q -d /tmp/out --budget 20% --samples 2000000 --period 1h & collector=\$!
end=\$((\$(date +%s) + ${SECONDS_EACH:-15}))
while [ \$(date +%s) -lt \$end ]; do
	for name in $*; do
		/t/\$name $train >/dev/null && /t/other sort 50 >/dev/null || exit
	done
done
kill \$collector && wait \$collector" "$@"
}

# Their files are carried to where programs are built, in no order.
merge_fleet() {
	build/bin/ssctr merge -o "$work/fleet.counts" "$work"/fleet-*/out/*.counts
}

by_fleet() {
	case $cc in
	clang*) ours=llvm ;;
	gcc-1[45]) ours='gcov --gcov-version 2' ;;
	gcc*) ours='gcov --gcov-version 3' ;;
	esac
	# shellcheck disable=SC2086
	build/bin/ssctr profile -i "$work/fleet.counts" -b "$work/$cc.plain" -f $ours \
		-o "$work/$cc.fleet.prof" 2>"$work/$cc.fleet.says"
	names="$names $cc.plain"
	by fleet
}

run_fleet() {
	prepare "$1"
	for cc in $compilers; do
		key=
		compile "$cc.plain"
	done
	rm -rf "$work"/fleet-*
	number=0
	for machine in $fleet; do
		number=$((number + 1))
		collect "$machine" $number
	done
	merge_fleet
	for cc in $compilers; do
		by_fleet
	done
	kernel=${fleet%%:*} how=
	measure
}

run() {
	kernel=$1
	prepare "$2"
	for cc in $compilers; do
		key=
		compile "$cc.plain"
		is_bolt "$cc" || compile "$cc.counted" -fprofile-generate
	done
	record
	for cc in $compilers; do
		if is_bolt "$cc"; then
			bolt_by_profiles
		else
			build_by_profiles
		fi
	done
	measure
}

# What every way of building the program needs.
prepare() {
	program=$1
	work=$all/$program
	input=$work/input
	parts=$(qemu/vm pgo)
	league=$(qemu/vm league)
	checkers=$(qemu/vm checkers)
	root=$league/root
	sources=$league/sources
	home=$root
	language=c flags='' libs='' names='' key='' how=''
	before() { :; }
	. "selftests/league/$program.sh"
	# The newer GCCs are there for C alone.
	[ "$language" = c ] || compilers=$(echo "$compilers" | sed 's/gcc-1[56]//g')
	mkdir -p "$work"
	if ! fresh "$work/prepared" "$(sum "selftests/league/$program.sh")"; then
		rm -rf "$work/source" "$work/says"
		before
		touch "$work/prepared"
		made "$work/prepared"
	fi
	rm -rf "$input"
	mkdir "$input"
	inputs
}

# Each line: program, compiler, profile, instructions, taken branches.
results() {
	for program; do
		for file in "$all/$program"/*.count; do
			[ -e "$file" ] || continue
			name=${file##*/}
			name=${name%.count}
			awk -v p="$program" -v cc="${name%%.*}" -v profile="${name#*.}" '
				{ n[$1] = $2 }
				END { print p, cc, profile, n["instructions"], n["taken"] }' "$file"
		done
	done
}

case ${1-} in
run)
	shift
	run "$@"
	;;
fleet)
	shift
	run_fleet "$@"
	;;
table)
	shift
	results "$@" | awk -f selftests/league/table.awk
	;;
*)
	echo 'usage: league.sh run KERNEL PROGRAM | fleet PROGRAM | table PROGRAM...' >&2
	exit 2
	;;
esac
