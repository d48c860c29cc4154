#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the module costs, as tables: cost.sh KERNEL
# Instructions are counted by QEMU, so that the same figures come every time.
# COST_FUNCTIONS=1 shows the functions that each figure is made of.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
kernel=$1
out=build/cost-$kernel
release=$(qemu/vm path release --kernel "$kernel")

rm -rf "$out"
mkdir -p "$out"
qemu/vm run --kernel "$kernel" --smp 1 --no-module --timeout 500 \
	--plugin "build/plugin/cost.so,out=$out/counts" \
	--put build/selftests/cost:/t/cost \
	--put selftests/cost-guest.sh:/t/cost-guest.sh \
	--put "build/driver/$release/ssctr.ko:/t/ssctr.ko" \
	--get "/tmp/cost:$out" -- /t/cost-guest.sh /t/ssctr.ko /tmp/cost
echo "## Linux $release"
echo
qemu/on-host gawk -v folder="$out" -v functions="${COST_FUNCTIONS:-0}" \
	-f selftests/cost-table.awk
