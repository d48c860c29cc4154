#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In the machine of user.sh: user-guest.sh install|use
# What the README says up to the installation, and after the next boot the rest.
cd "$(dirname "$0")" || exit
. ./ktap.sh
export HOME=/root DEBIAN_FRONTEND=noninteractive
awk '/^```sh user/ { n++ } { print >(n > 1 ? "use.md" : "install.md") }' README.md

is_loaded() { grep '^ssctr ' /proc/modules; }
is_usable() { ssctr doctor; }
unit_is_active() { systemctl status ssctr.service || return 1; }
no_unit_failed() { [ -z "$(systemctl --failed --no-legend | tee /dev/stderr)" ]; }
# It says that it is ready, that it counts, and writes the file when it is stopped.
collects() {
	systemctl start ssctr-collect.service || return
	timeout 600 sh -c 'while :; do :; done' &
	until systemctl status ssctr-collect.service | grep 'Status: .* samples in' ||
		! systemctl is-active -q ssctr-collect.service || ! kill -0 $!; do
		sleep 1
	done
	kill $!
	systemctl stop ssctr-collect.service
	journalctl -u ssctr-collect.service
	ls /var/lib/ssctr-collect/*.counts &&
		[ "$(systemctl show -P Result ssctr-collect.service)" = success ]
}
is_not_loaded() { ! is_loaded; }
# But for what was copied here, and what apt keeps of its downloads.
nothing_is_left() {
	found=$(find / -xdev \( -path /t -o -path /var/cache/apt -o -path /var/log \) -prune -o \
		\( -name '*ssctr*' -o -name 'libstf*' -o \
		-path '*/dist-packages/stf.py' \) -print)
	echo "$found"
	[ -z "$found" ] && ! dpkg -l | grep -E 'ssctr|libstf|python3-stf'
}

if [ "$1" = install ]; then
	t nothing_was_there nothing_is_left
	./words.sh user words install.md
	t the_module_is_loaded is_loaded
	t the_unit_is_active unit_is_active
	t the_doctor_says_usable is_usable
else
	t the_boot_has_loaded_the_module is_loaded
	t the_unit_is_active unit_is_active
	t the_service_collects_and_stops collects
	t no_unit_failed no_unit_failed
	./words.sh user words use.md
	t the_module_is_gone is_not_loaded
	t nothing_is_left_of_it nothing_is_left
	./words.sh user words hardware.md
fi
plan
