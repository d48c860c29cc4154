#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A kernel, made faster by what perf record -b saw of it: kernel-pgo.sh KERNEL.
# docs/kernel-pgo.md does the same by hand.
#
# Beside it stands what the same compiler gains by the exact counts of each block and
# each transfer, which the plug-in `counts` took in the same workloads. Everything is
# measured by that plug-in, and the machine's time is that of its instructions
# (--icount), so that a second run says nearly the same.
#
# The first kernel takes ten minutes or more to build on two processors. Those by a profile
# are copies of it in which the files that the profile has functions of are compiled
# again. One is built again only when the configuration, the sources or its profile have
# changed.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
kernel=$1
out=$top/build/kernel-pgo
ssctr=build/bin/ssctr
source=$(qemu/vm source "$kernel")
checkers=$(qemu/vm checkers)
# Name, rounds, and the plug-in's window.
works='calls:20000:c pipe:6000:p files:1200:f fork:200:k network:400:n'
samples=10000

say() { echo "kernel-pgo: $*" >&2; }

# The compiler's flags, in place of those of scripts/Makefile.autofdo: without
# -fsplit-machine-functions, which clang refuses for RISC-V, and without flow-sensitive
# discriminators, with which a program gained less (docs/profile.md).
make_kernel() {
	kernel_name=$1
	shift
	LC_ALL=C nice -n 5 qemu/on-host make -s -C "$source" O="$out/$kernel_name" \
		ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- CC=clang -j "$(nproc)" \
		CFLAGS_AUTOFDO_CLANG=-fdebug-info-for-profiling "$@"
}

# The last word on each option counts.
wanted() {
	awk '/^CONFIG/ {
			split($0, part, "=")
			if (!(part[1] in last)) order[++nr] = part[1]
			last[part[1]] = $0
		}
		END { for (i = 1; i <= nr; i++) print last[order[i]] }' \
		qemu/kernel.config qemu/kernel-pgo.config
}

configure() {
	wanted >"$out/wanted"
	make_kernel "$1" KCONFIG_ALLCONFIG="$out/wanted" allnoconfig
	lost=$(grep -v -e '=n$' "$out/wanted" |
		grep -vxFf "$out/$1/.config") || return 0
	say "these options are not to be had: $lost"
	return 1
}

# make_module NAME FOLDER MODULE
make_module() {
	mkdir -p "$out/$1-modules/$3"
	cp "$2"/*.[ch] "$2/Kbuild" "$out/$1-modules/$3"
	make_kernel "$1" M="$out/$1-modules/$3" modules
}

make_all() {
	make_kernel "$1" Image modules && make_module "$1" driver ssctr &&
		make_module "$1" selftests/kmod ssctr_test
}

# objects_of PROFILE: the objects of the kernel that have one of its functions. To all
# others it says nothing.
objects_of() {
	(cd "$out/plain" && find . -name '*.o' ! -name '.*' ! -name 'vmlinux*' \
		! -path './scripts/*' ! -path './tools/*' ! -path '*/vdso/*' -exec \
		"$top/qemu/on-host" riscv64-linux-gnu-nm -A --defined-only {} + 2>/dev/null) |
		awk -v profile="$1" '
			BEGIN {
				while ((getline line <profile) > 0)
					if (line ~ /^[^ ]/) {
						sub(/:.*/, "", line)
						has[line]
					}
			}
			$(NF - 1) ~ /^[tTwW]$/ && $NF in has {
				sub(/:[^:]*$/, "")
				print
			}' | sort -u
}

# make_by PROFILE NAME: clang adds what is in the environment to its arguments, which make
# does not know of, so that what is there stays.
make_by() {
	cp -a "$out/plain/." "$out/$2"
	objects_of "$1" >"$out/$2.objects"
	(cd "$out/$2" && xargs rm) <"$out/$2.objects"
	CCC_OVERRIDE_OPTIONS="# +-fprofile-sample-use=$1 +-mllvm +-sample-profile-use-profi \
+-ffunction-sections" make_all "$2"
}

# is_built NAME FILE...: whether it was built whole, from this configuration and these
# files. What was begun from something else is of no use.
is_built() {
	name=$1
	shift
	key=$({ wanted && head -n 5 "$source/Makefile" && qemu/on-host clang --version &&
		cat "$@"; } | sha256sum)
	[ "$(cat "$out/$name.built" 2>/dev/null)" != "$key" ] || return 0
	rm -f "$out/$name.built"
	[ "$(cat "$out/$name.begun" 2>/dev/null)" = "$key" ] ||
		rm -rf "${out:?}/$name" "$out/$name-modules"
	mkdir -p "$out/$name"
	echo "$key" >"$out/$name.begun"
	return 1
}

# build NAME COMMAND...
build() {
	name=$1
	shift
	say "building the kernel $name"
	"$@" >"$out/$name.log" 2>&1 || {
		tail "$out/$name.log" >&2
		return 1
	}
	mv "$out/$name.begun" "$out/$name.built"
}

plain() { configure plain && make_all plain; }

# guest NAME OPTION... -- COMMAND...: a boot of that kernel. Without a seed the random
# numbers for ports and addresses cost more until enough interrupts have come, and then
# less.
guest() {
	name=$1
	shift
	qemu/vm run --kernel "$kernel" --timeout 900 --qemu-arg -kernel \
		--append random.trust_bootloader=on \
		--qemu-arg "$out/$name/arch/riscv/boot/Image" \
		--module "$out/$name-modules/ssctr/ssctr.ko" "$@"
}

# counted NAME: what each workload executes, in NAME.counts.WINDOW.
counted() {
	say "counting what the kernel $1 executes"
	rm -f "$out/$1".counts.*
	# The machine has things to do when it has just booted.
	# shellcheck disable=SC2016,SC2086
	guest "$1" --icount --plugin "build/plugin/counts.so,out=$out/$1.counts" \
		--put build/selftests/kernel_work:/t/ -- sh -c 'sleep 2
		for work; do
			rest=${work#*:}
			/t/kernel_work "${work%%:*}" "${rest%:*}" "${rest#*:}" || exit
		done' sh $works
}

# The same workloads, recorded; how many instructions each has gives the period. All of
# the machine is recorded, since the events of a task take their own time at each switch,
# and perf writes when nothing else has to be done. It is five times as many rounds, so
# that what a sample takes is little beside what lies between two.
recorded() {
	say 'recording the kernel plain'
	set --
	for work in $works; do
		rest=${work#*:}
		n=$(awk '$1 == "instructions" { print $2 }' "$out/plain.counts.${rest#*:}")
		set -- "$@" "${work%%:*}:$((5 * ${rest%:*})):$((5 * n / samples | 1))"
	done
	rm -rf "$out/recorded"
	# shellcheck disable=SC2016
	guest plain --icount --put build/selftests/kernel_work:/t/ \
		--get "/tmp/out:$out/recorded" -- sh -c 'sleep 2
		mkdir /tmp/out && cd /tmp/out || exit
		for work; do
			name=${work%%:*} rest=${work#*:}
			chrt -i 0 perf record -q -a -m 128M -b -e cycles:k -c "${rest#*:}" \
				-o "$name.data" chrt -o 0 \
				/t/kernel_work "$name" "${rest%:*}" || exit
		done' sh "$@"
}

# The profile by samples, and by exact counts.
sampled() {
	set --
	for work in $works; do
		set -- "$@" --merge "$out/recorded/${work%%:*}.data"
	done
	shift
	$ssctr profile -i "$@" -b "$out/plain/vmlinux" -f llvm,profgen -o "$out/sampled"
}

# overlap NAME EXACT LEAST: how much of what ran the counts of NAME.profgen tell.
overlap() {
	build/tests/judge/block_check "$out/plain/vmlinux" "$2" "$out/$1.profgen" "$3"
}

overlaps() {
	for work in $works; do
		name=${work%%:*}
		$ssctr profile -i "$out/recorded/$name.data" -b "$out/plain/vmlinux" \
			-f profgen -o "$out/$name.profgen" 2>/dev/null
		printf '%s: ' "$name"
		overlap "$name" "$out/plain.counts.${work##*:}" 0
	done
	printf 'all: '
	overlap sampled "$out/exact.profgen" 70
}

# What the windows have in common is added up.
exact() {
	for work in $works; do
		cat "$out/plain.counts.${work##*:}"
	done | awk -F: '
		/->/ { branches[$1] += $2; next }
		/-/ { ranges[$1] += $2 }
		END {
			print length(ranges)
			for (i in ranges) printf "%s:%d\n", i, ranges[i]
			print length(branches)
			for (i in branches) printf "%s:%d\n", i, branches[i]
		}' >"$out/exact.profgen"
	qemu/on-host --root "$checkers" llvm-profgen-19 --binary="$out/plain/vmlinux" \
		--use-offset=0 --unsymbolized-profile="$out/exact.profgen" \
		--format=text --output="$out/exact.llvm"
}

# The module works there as on any other kernel: stock perf, served by it, and how its
# records are kept apart.
tested() {
	say "testing the module on the kernel $1"
	guest "$1" --smp 2 --put selftests:/t --put build/selftests:/t \
		--put "$out/$1-modules/ssctr_test/ssctr_test.ko:/t/ssctr_test.ko" \
		--put "$out/$1-modules/ssctr/ssctr.ko:/t/ssctr.ko" \
		--put build/riscv64/bin/ssctr:/usr/bin/ssctr \
		-- env SSCTR_RECORDS=5000 SSCTR_ROUNDS=2 SSCTR_OPENS=100 \
		/t/all.sh load.sh harts.sh >"$out/$1.tap" || {
		grep -E '^(#|not ok)' "$out/$1.tap" >&2
		return 1
	}
}

# numbers KERNEL: instructions and taken branches of a round of each workload.
numbers() {
	for work in $works; do
		rest=${work#*:}
		awk -v work="${work%%:*}" -v rounds="${rest%:*}" -v kernel="$1" '
			$1 == "instructions" { insns = $2 }
			$1 == "taken" { print work, kernel, insns / rounds, $2 / rounds; exit }
			' "$out/$1.counts.${rest#*:}"
	done
}

# The last columns are the share of what exact counts gain.
table() {
	echo '| workload | kernel | instructions | | taken branches | |'
	echo '|---|---|---|---|---|---|'
	{ numbers plain && numbers sampled && numbers exact; } | awk '
	function change(new, old) { return sprintf("%+.1f %%", 100 * (new - old) / old) }
	function share(old, new, best) { return sprintf("%.0f %%", 100 * (old - new) / (old - best)) }
	function row(work, kernel) {
		printf "| %s | %s | %.0f | %s | %.1f | %s |\n", work, kernel,
			insns[work, kernel], change(insns[work, kernel], insns[work, "plain"]),
			taken[work, kernel], change(taken[work, kernel], taken[work, "plain"])
	}
	!($1 in seen) { seen[$1]; order[++nr] = $1 }
	{ insns[$1, $2] = $3; taken[$1, $2] = $4 }
	END {
		for (i = 1; i <= nr; i++) {
			work = order[i]
			row(work, "plain")
			row(work, "sampled")
			row(work, "exact")
			printf "| %s | sampled, of the gain by exact counts | | %s | | %s |\n", work,
				share(insns[work, "plain"], insns[work, "sampled"], insns[work, "exact"]),
				share(taken[work, "plain"], taken[work, "sampled"], taken[work, "exact"])
		}
	}'
}

# Whether the profiles are of this kernel, and made by these programs.
are_new() {
	[ -s "$out/exact.llvm" ] &&
		[ -z "$(find "$out/plain/vmlinux" build/selftests/kernel_work \
			build/plugin/counts.so $ssctr -newer "$out/exact.llvm")" ]
}

mkdir -p "$out"
is_built plain driver/*.[ch] selftests/kmod/*.c || build plain plain
if ! are_new; then
	counted plain
	recorded
	sampled
	exact
fi
overlaps
for name in sampled exact; do
	is_built "$name" "$out/plain.built" "$out/$name.llvm" ||
		build "$name" make_by "$out/$name.llvm" "$name"
	counted "$name"
done
tested sampled
table >"$out/report.part"
mv "$out/report.part" "$out/report.md"
cat "$out/report.md"
