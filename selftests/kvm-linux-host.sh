#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tests of kvm-linux.sh on the host, as root with ssctr loaded, and what the guest says
# of its own.
cd "$(dirname "$0")" || exit
SSCTR_TEST_KO=/t/ssctr_test.ko
export SSCTR_TEST_KO
. ./ktap.sh
. ./guest.sh

loads() { fails_with canceled insmod "$neighbour" act=isa && insmod ./kvm.ko; }
t the_patched_kvm_loads loads

# Those that need no Linux in the guest.
./kvm >said
status=$?
cat said
t kvm_has_the_registers grep -q 'sctrctl of the guest is read and set' said

runs() { perf record -q -a -c 1000000 -j any,u -o "$data" -- ./kvm_linux image initrd dtb >said; }
t a_guest_with_linux_runs_and_ends runs
sed -n 's/^.*] guest: //p' said
grep -q '^.*] guest: status 0$' said || status=1
sed -n 's/^.*] samples: //p' said | base64 -d >/tmp/samples.tgz

# The program of the host is static, and those of its guest lie elsewhere.
shown_no_guest() {
	perf script -i "$data" --comm kvm_linux -F brstack 2>/dev/null | awk '
		NF { full++ }
		/0x[23][0-9a-f]{9}/ { guests++ }
		END { print full + 0, "of", NR, "with records,", guests + 0, "with a guest";
			exit !(full >= 20 && !guests) }'
}
t the_host_is_shown_nothing_of_it shown_no_guest
rm -f "$data" said
plan && exit $status
