#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# DKMS builds the module on the machine itself, by its own compiler and against its
# own headers. Run as root in a guest without the module, in which ROOT is the folder
# of `qemu/vm builder` and ROOT/usr/src/ssctr-VERSION what `make install-dkms` puts
# there: dkms.sh ROOT VERSION
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./doctor.sh
root=$1
module=ssctr/$2
data=$(mktemp)
release=$(uname -r)

for folder in proc sys dev; do
	mkdir -p "$root/$folder"
	mount --bind "/$folder" "$root/$folder"
done
mkdir -p "$root/tmp"
fails() { ! "$@"; }
in_root() { PATH=/usr/sbin:/usr/bin chroot "$root" "$@"; }

# As the package of a kernel does when it is installed: without, DKMS leaves it out.
has_kernel() { in_root depmod "$release"; }
has_kernel

installs() {
	in_root dkms install "$module" -k "$release" || {
		cat "$root/var/lib/dkms/$module/build/make.log"
		return 1
	}
	in_root modinfo -F version ssctr | grep -x "${module#*/}"
}
t dkms_builds_and_installs_the_module installs

loads() { in_root modprobe ssctr && dmesg | grep 'ssctr: branch records on'; }
t modprobe_loads_it loads

records() {
	t_record "$data" -b -e cycles:u &&
		perf script -i "$data" -F brstack | grep -q '0x'
}
t perf_record_b_works records

# What the package of a kernel runs then, for one that has no module yet.
upgrades() {
	in_root modprobe -r ssctr && in_root dkms unbuild "$module" -k "$release" &&
		fails in_root modinfo ssctr && has_kernel &&
		in_root /etc/kernel/postinst.d/dkms "$release" &&
		in_root modprobe ssctr
}
t a_kernel_that_comes_later_gets_it upgrades

leaves_nothing() {
	in_root modprobe -r ssctr && in_root dkms remove "$module" --all || return
	! find "$root/var/lib/dkms" "$root/usr/lib/modules" | grep ssctr
}
t dkms_removes_it_without_a_trace leaves_nothing
rm -f "$data"
plan
