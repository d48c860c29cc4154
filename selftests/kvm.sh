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
exit $status
