#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Reads and writes of an NVMe disk, recorded by perf: the trace's accesses of bus
# masters are those that the kernel's own trace of the same time tells as text, each
# with its address, size and direction: masters.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
out=build/masters-$kernel

rm -rf "$out"
mkdir -p "$out" || exit
# The disk is idle but for these, so that it does not matter when each of the two
# began. -c would hold for the tracepoints, too: not each of them would be recorded.
# At a rate there would be two dozen samples on a busy machine, and the first ones of
# programs that have hardly branched yet were too many of them.
# shellcheck disable=SC2016
qemu/vm run --kernel "$kernel" --nvme --timeout 300 --get "/tmp/data:$out/data" -- sh -c '
	mkdir /tmp/data && cd /tmp/data || exit
	tracing=/sys/kernel/tracing
	[ -d $tracing/events ] || mount -t tracefs nodev $tracing
	echo 1 >$tracing/events/dma/enable || exit
	echo >$tracing/trace
	perf record -q -a -m 16M -e cycles/branch_type=any,period=2000000/u -e "dma:*" -o perf.data -- sh -c "
		dd if=/usr/bin/perf of=/dev/nvme0n1 bs=64k count=20 oflag=direct
		dd if=/dev/nvme0n1 of=read bs=300k count=4 iflag=direct
		dd if=/dev/urandom of=/dev/nvme0n1 bs=512 count=9 seek=11
		dd if=/usr/bin/perf of=/dev/nvme0n1 bs=100k count=8 seek=40
		sync
		dd if=/dev/nvme0n1 of=read bs=300k count=4 skip=20" 2>dd.txt || exit
	cat $tracing/trace >trace.txt
	rm -f read
' || exit

number='function number(text,    n, i) {
	sub(/^0x/, "", text)
	for (i = 1; i <= length(text); i++)
		n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}'

# Lines "DEVICE R|W ADDRESS SIZE", in pieces of at most 32 KiB: a record has 16 bits
# for the size. An address is the physical one where the kernel tells it.
told() {
	awk "$number"'
	function piece(way, addr, size) {
		for (; size > 0; size -= 32768) {
			printf "%s %s %.0f %d\n", device, way, addr, size < 32768 ? size : 32768
			addr += 32768
		}
	}
	function access(addr, size) {
		if (dir != "FROM_DEVICE")
			piece("R", addr, size)
		if (dir != "TO_DEVICE")
			piece("W", addr, size)
	}
	match($0, / dma_(map_(page|phys|resource|sg)|sync_(single|sg)_for_device): /) {
		name = substr($0, RSTART + 1, RLENGTH - 3)
		split(substr($0, RSTART + RLENGTH), words, " ")
		device = words[1]
		delete field
		for (i = 2; i in words; i++)
			if ((at = index(words[i], "=")))
				field[substr(words[i], 1, at - 1)] = substr(words[i], at + 1)
		dir = field["dir"]
		if (!("sizes" in field)) {
			list = ("phys_addr" in field) ? field["phys_addr"] : field["dma_addr"]
			access(number(list), field["size"] + 0)
			next
		}
		list = ("phys_addrs" in field) ? field["phys_addrs"] : field["dma_addrs"]
		nr = split(substr(list, 2, length(list) - 2), addrs, ",")
		if (split(substr(field["sizes"], 2, length(field["sizes"]) - 2), sizes, ",") != nr)
			print "as many sizes as addresses are not in: " $0
		for (i = 1; i <= nr; i++)
			access(number(addrs[i]), number(sizes[i]))
	}' "$out/data/trace.txt" | sort
}

# The same of the trace. Devices have names in comments.
traced() {
	build/bin/ssctr dump "$out/trace.zstf" | awk "$number"'
	{
		for (i = 1; i <= NF; i++) {
			if ($i == "master" && $(i + 3) == "is") {
				name = $(i + 4)
				sub(/"/, "", name)
				names[toupper($(i + 1)) $(i + 2)] = name
			}
			if ($i !~ /^(PCIE|DMA)[0-9]+$/)
				continue
			split($(i + 2), parts, "[/=]")
			printf "%s %s %.0f %d\n", names[$i], $(i + 1), number(parts[1]), parts[2]
		}
	}' | sort
}

kernel_lost_nothing() {
	grep entries-in-buffer "$out/data/trace.txt"
	awk -F '[ /]+' '/entries-in-buffer/ { ok = $4 == $5 && $4 > 0 } END { exit !ok }' "$out/data/trace.txt"
}
is_converted() {
	build/bin/ssctr stf -i "$out/data/perf.data" -o "$out/trace.zstf" \
		--symfs "$(qemu/vm path guest --kernel "$kernel")" 2>"$out/stf.txt"
	status=$?
	cat "$out/stf.txt"
	return $status
}
is_whole() { ! grep -E 'lost|bus masters left out' "$out/stf.txt"; }
are_equal() {
	told >"$out/told" && traced >"$out/traced" || return
	diff "$out/told" "$out/traced" | head -n 20
	cmp "$out/told" "$out/traced"
}
reads_and_writes() {
	cut -d ' ' -f 1,2 "$out/told" | uniq -c
	[ "$(grep -c ' R ' "$out/told")" -ge 40 ] && [ "$(grep -c ' W ' "$out/told")" -ge 40 ]
}
# A size, a direction or an address changed, one left out, one more.
is_told() {
	for change in '5s/[0-9]*$/512/' '5s/ [RW] / X /' '5s/ [0-9]* / 4096 /' 5d 5p; do
		! sed "$change" "$out/traced" | cmp -s - "$out/told" || return
	done
}

t recording_becomes_a_trace is_converted
t nothing_is_lost_on_the_way is_whole
t kernel_s_own_trace_is_whole kernel_lost_nothing
t accesses_are_those_of_the_kernel_s_trace are_equal
t there_are_reads_and_writes reads_and_writes
t accesses_that_are_not_true_are_told is_told
echo "# $(wc -l <"$out/told") accesses: $(cut -d ' ' -f 1,2 "$out/told" | uniq -c | tr '\n' ' ')"
plan
status=$?
[ $status != 0 ] || rm -rf "$out"
exit $status
