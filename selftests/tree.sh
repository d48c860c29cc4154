#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module in a kernel's tree, by the commands of docs/driver.md: as a module, and
# built in, in a kernel that boots and records. Takes as long as a small kernel takes to
# build: tree.sh KERNEL FOLDER
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
source=$(qemu/vm source "$kernel") && mkdir -p "$2" && dir=$(cd "$2" && pwd) || exit
rm -rf "$dir/linux" "$dir/files"
mkdir -p "$dir/build" "$dir/files"

# A tree of links, but for what is changed.
cp -as "$source" "$dir/linux" &&
	rm -rf "$dir/linux/drivers/perf" &&
	cp -R "$source/drivers/perf" "$dir/linux/drivers/" &&
	cp -R driver Kconfig "$dir/files/" || exit
make_kernel() {
	LC_ALL=C qemu/on-host make -s -C "$dir/linux" O="$dir/build" ARCH=riscv \
		CROSS_COMPILE=riscv64-linux-gnu- -j "$(nproc)" "$@"
}

adds() {
	KERNEL=$dir/linux selftests/words.sh tree "$dir/files" docs/driver.md &&
		[ -f "$dir/linux/drivers/perf/ssctr/Kconfig" ]
}
t the_page_s_commands_add_it adds

options=$(sed -n 's/^config \(SSCTR_.*\)/\1/p' Kconfig)

# configure y|m y|n: the module, and what can be left out.
configure() {
	{
		cat qemu/kernel.config
		echo CONFIG_MODULES=y
		echo "CONFIG_SSCTR=$1"
		for option in $options; do
			echo "CONFIG_$option=$2"
		done
	} >"$dir/wanted"
	make_kernel KCONFIG_ALLCONFIG="$dir/wanted" allnoconfig &&
		grep -x "CONFIG_SSCTR=$1" "$dir/build/.config"
}
# Both options leave something in the object.
has_options() {
	qemu/on-host riscv64-linux-gnu-nm "$dir/build/drivers/perf/ssctr/ssctr.o" >"$dir/symbols" &&
		grep ' state_show' "$dir/symbols" && grep ' __tracepoint_ssctr_save' "$dir/symbols"
}
as_module() {
	configure m y && make_kernel prepare && make_kernel drivers/perf/ && has_options
}
t it_builds_as_a_module as_module

without_options() {
	configure m n && make_kernel drivers/perf/ && ! has_options &&
		grep ' ctr_pmu_attach' "$dir/symbols" && ! grep -E 'state_show|tracepoint_ssctr' "$dir/symbols"
}
t it_builds_without_its_options without_options

built_in() { configure y y && make_kernel Image; }
t it_builds_into_the_kernel built_in

records() {
	# shellcheck disable=SC2016
	qemu/vm run --kernel "$kernel" --no-module --timeout 300 --put selftests/ktap.sh:/t/ \
		--qemu-arg -kernel --qemu-arg "$dir/build/arch/riscv/boot/Image" -- sh -c '
		. /t/ktap.sh
		uname -r
		! grep ssctr /proc/modules &&
			dmesg | grep "ssctr: branch records on" &&
			t_record /tmp/data -b -e cycles:u &&
			perf script -i /tmp/data -F brstack | grep -q 0x'
}
t and_that_kernel_records records
plan
