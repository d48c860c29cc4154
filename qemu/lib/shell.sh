# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# vm shell: a prompt in the guest, on this terminal.

. "$here/lib/machine.sh"

usage_shell() {
	cat <<-END
		usage: qemu/vm shell [OPTION]...

		Boot the machine, load the module, and open a prompt on this terminal. Enter
		'exit' to leave, or press Ctrl-A X at any time.

	END
	usage_options
}

# shell: does not return.
shell() {
	local size term=vt100
	[ $gets = 0 ] && [ -z "$log_file" ] ||
		die 'a shell brings no files back: use run'
	check_options
	# What the guest's terminfo knows.
	[ -z "${TERM:-}" ] ||
		[ ! -e "$cache/guest-$line/usr/share/terminfo/$(printf %.1s \
			"$TERM")/$TERM" ] || term=$TERM
	size=$(stty size 2>/dev/null) && [ "$size" != '0 0' ] || size='24 80'
	new_folder
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 129' HUP
	trap 'exit 143' TERM
	terminal="rows=${size% *} columns=${size#* } term=$term"
	say "starting kernel $(cat "$cache/kernel-$line$flavour/release");" \
		'Ctrl-A X ends the machine at any time'
	make_ready shell
	(begin -serial mon:stdio) && exit
	[ -z "$booted" ] || forget_booted
	exit 125
}
