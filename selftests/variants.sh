#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module without what Kconfig lets be left out, each option alone and all of them:
# it builds, is smaller, loads and records: variants.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
out=build/variants
release=$(qemu/vm path release --kernel "$kernel") || exit
options=$(sed -n 's/^config \(SSCTR_.*\)/\1/p' Kconfig)

size_of() { qemu/on-host riscv64-linux-gnu-size "$1/$release/ssctr.ko" | awk 'NR == 2 { print $4 }'; }
whole=$(size_of build/driver)

# smaller NAME OPTION...: the module without these.
smaller() {
	name=$1
	shift
	# shellcheck disable=SC2046 # a word for each
	qemu/kbuild "$kernel" driver "$out/$name" $(printf 'CONFIG_%s=n ' "$@") || return
	echo "$(size_of "$out/$name") of $whole bytes"
	[ "$(size_of "$out/$name")" -lt "$whole" ]
}
set --
for name in $options; do
	t "it_is_smaller_without_$name" smaller "$name" "$name"
	set -- "$@" --put "$out/$name/$release/ssctr.ko:/t/without-$name.ko"
done
# shellcheck disable=SC2086
t it_is_smaller_without_all_of_them smaller all $options
plan
status=$?
# shellcheck disable=SC2086
qemu/vm run --kernel "$kernel" --smp 1 --no-module --timeout 300 \
	--put selftests/ktap.sh:/t/ --put selftests/guest.sh:/t/ \
	--put selftests/variants-guest.sh:/t/ "$@" \
	--put "$out/all/$release/ssctr.ko:/t/without-all.ko" \
	-- /t/variants-guest.sh $options || status=1
exit $status
