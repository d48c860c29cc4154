#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A host of KVM and its guest are shown nothing of each other, whether the harts can keep
# the guest off the records (Smstateen) or not, and where KVM lets it use siselect
# (AIA): kvm.sh KERNEL [few]
# few: only harts that cannot.
# One hart each: KVM's tracepoints, which the module has probes in, are among what
# QEMU's harts may miss being patched (docs/machine.md).
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
kernel=$1
release=$(qemu/vm path release --kernel "$kernel") || exit
cpu=rv64,h=on,smctr=on,ssctr=on,smcsrind=on,sscsrind=on,sscofpmf=on,v=off
status=0
kinds='smstateen=off smstateen=on smstateen=on,smaia=on,ssaia=on'
[ -z "${2-}" ] || kinds=smstateen=off
for more in $kinds; do
	echo "# $more"
	qemu/vm run --kernel "$kernel" --icount --timeout 300 --cpu "$cpu,$more" \
		--put selftests/ktap.sh:/t/ --put selftests/guest.sh:/t/ \
		--put selftests/kvm-guest.sh:/t/ --put build/selftests/kvm:/t/ \
		--put "build/driver/$release/ssctr.ko:/t/ssctr.ko" \
		--put "build/selftests/kmod/$release/ssctr_test.ko:/t/ssctr_test.ko" \
		-- /t/kvm-guest.sh || status=1
done

# A host that dies when its guest has left, before KVM says so, prints none of its records. What
# comes first is what the guest wrote.
. selftests/ktap.sh
said=$(mktemp)
qemu/vm run --kernel "$kernel" --icount --timeout 60 --no-module --cpu "$cpu,smstateen=off" \
	--put build/selftests/kvm:/t/ --put "build/driver/$release/ssctr.ko:/t/ssctr.ko" \
	--put "build/selftests/kmod/$release/ssctr_test.ko:/t/ssctr_test.ko" -- sh -c '
	modprobe kvm && insmod /t/ssctr_test.ko act=leave && insmod /t/ssctr.ko oops=8 &&
		/t/kvm -t a_guest_reads_no_record_of_its_host' >/dev/null 2>"$said"
no_record_of_a_guest() {
	tail -n 40 "$said"
	grep -q 'ssctr: no branch of the kernel was recorded' "$said" && ! grep -q '  0xffff' "$said"
}
t a_host_that_dies_prints_no_record_of_its_guest no_record_of_a_guest
rm -f "$said"
plan && exit $status
