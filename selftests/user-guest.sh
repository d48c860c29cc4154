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
# until_true COMMAND...: while the service runs; half an hour is for a machine that is busy.
until_true() {
	for _ in $(seq 1800); do
		"$@" && return
		systemctl is-active -q ssctr-collect.service || break
		sleep 1
	done
	echo "not so: $*"
	return 1
}
is_sampling() { systemctl status ssctr-collect.service | grep 'Status: .* samples in'; }
# It says that it is ready, that it counts, and writes the file when it is stopped.
collects() {
	systemctl start ssctr-collect.service || return
	timeout 3600 sh -c 'while :; do :; done' &
	until_true is_sampling
	kill $!
	systemctl stop ssctr-collect.service
	journalctl -u ssctr-collect.service
	ls /var/lib/ssctr-collect/*.counts &&
		[ "$(systemctl show -P Result ssctr-collect.service)" = success ]
}
# A profile that says of which service it is.
came() {
	for body in /run/received.*; do
		[ -e "$body" ] && zcat -f "$body" | grep -a 'service.name' && return
	done
	return 1
}
# By the drop-in of fleet.md, to a receiver on this machine: what the unit's sandbox does not
# allow does not arrive.
exports() {
	dropin=/etc/systemd/system/ssctr-collect.service.d
	mkdir -p $dropin
	awk '/^```/ { if (block ~ /collect --otlp http/) { printf "%s", block; exit } block = ""; next }
		{ block = block $0 "\n" }' fleet.md |
		sed 's|http://collector:|http://127.0.0.1:|' >$dropin/override.conf
	cat $dropin/override.conf
	grep -q 127.0.0.1 $dropin/override.conf || return
	perl -MIO::Socket::INET -e '
		$server = IO::Socket::INET->new(LocalAddr => "127.0.0.1:4318", Listen => 5,
			ReuseAddr => 1) or die "$!";
		while ($client = $server->accept) {
			$length = 0;
			while (defined($line = <$client>) && $line =~ /\S/) {
				$length = $1 if $line =~ /^content-length: *(\d+)/i;
			}
			$body = "";
			while (length $body < $length && read($client, $part, $length - length $body)) {
				$body .= $part;
			}
			open($file, ">", "/run/received." . $n++); print $file $body; close $file;
			print $client "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
			close $client;
		}' &
	receiver=$!
	systemctl daemon-reload
	timeout 3600 sh -c 'while :; do :; done' &
	busy=$!
	systemctl start ssctr-collect.service && until_true is_sampling &&
		systemctl reload ssctr-collect.service && until_true came
	rc=$?
	kill $busy $receiver
	systemctl stop ssctr-collect.service
	journalctl -u ssctr-collect.service | tail -n 20
	rm -r $dropin
	systemctl daemon-reload
	[ $rc = 0 ] && [ "$(systemctl show -P Result ssctr-collect.service)" = success ]
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
	t the_service_exports_by_the_drop_in_of_the_documentation exports
	t no_unit_failed no_unit_failed
	./words.sh user words use.md
	t the_module_is_gone is_not_loaded
	t nothing_is_left_of_it nothing_is_left
	./words.sh user words hardware.md
fi
plan
