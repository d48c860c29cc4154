# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# Machines that have booted. What a machine is when its boot has ended depends on nothing
# that its user asks for. So it is saved once, as QEMU migrates machines, and each further
# run goes on from there. Below $cache/booted is, for each kernel and number of harts, the
# saved machine (290 MB, compressed to 65 MB). Its name ends in a hash of what it was made
# from, because several trees may share the cache.

# Machines that differ from the default by no more than their harts: few enough to save all.
is_usual() {
	[ -z "$flavour$append$plain_harts$acpi$qemu_args" ] &&
		[ "$memory $firmware $cpu" = "$usual_memory $usual_firmware $usual_cpu" ]
}

# booted_key: prints a hash of all that a machine is when it has booted.
booted_key() {
	{
		cd "$cache/stamps" && cat host firmware "kernel-$line" "initramfs-$line" &&
			hash_of guest/init lib/machine.sh lib/booted.sh
	} | sha256sum | cut -c 1-32
}

# is_booted: whether $booted is there. It is open then, so that it can be read whoever
# removes it, and its time is that of its last use.
is_booted() {
	{ command exec 6<"$booted"; } 2>/dev/null || return
	touch -c "$booted" 2>/dev/null
	:
}

# wait_ready: until the guest has booted. Fails when QEMU has ended, or after too long.
wait_ready() {
	local limit=$boot_limit others=0
	until grep -qs ready "$tmp/control"; do
		[ -d "/proc/$qemu_pid" ] && ! is_late || return
		sleep 0.2
	done
}

# boot_and_save: boots the machine, and makes $booted of it.
boot_and_save() {
	local rc=1 name
	: >"$tmp/input"
	make_initrd 2>/dev/null && mkfifo "$tmp/monitor" && exec 7<>"$tmp/monitor" || return
	started=$(date +%s)
	# The monitor's language has its own quotes: paths stay out of it.
	(cd "$tmp" && qemu -initrd initrd -serial "file:$tmp/console" -monitor stdio) <&7 >"$tmp/qemu" 2>&1 8>&- &
	qemu_pid=$!
	if wait_ready; then
		rm "$tmp/initrd"
		printf '%s\n' 'migrate file:booted' 'info migrate' quit >&7
		wait $qemu_pid
		grep -q '^Status:[[:space:]]*completed' "$tmp/qemu" &&
			host_run bin/zstd -q -1 -f -T2 -o "$booted.part" "$tmp/booted" 2>/dev/null &&
			mv "$booted.part" "$booted" && rc=0
	else
		kill $qemu_pid 2>/dev/null
		wait $qemu_pid
	fi
	qemu_pid=
	exec 7>&-
	rm -f "$tmp/monitor" "$tmp/booted" "$booted.part"
	for name in $streams console; do
		: >"$tmp/$name"
	done
	return $rc
}

# remove_unused KIND: removes the saved machines of a kind, but for the one that was just
# made, and the one that was used last before it: another tree may be at work. Trees of
# before 2026-12 give them other names.
remove_unused() {
	rm -f "$cache/booted/$1" "$cache/booted/$1.key"
	ls -t "$cache/booted/$1."[0-9a-f]* | tail -n +3 | while IFS= read -r old; do
		rm -f "$old"
	done
}

# take_booted KIND: is_booted, after somebody else has made it, or after it is made here.
take_booted() {
	local rc
	mkdir -p "$cache/booted" 2>/dev/null && (: >"$cache/lock-booted-$1") 2>/dev/null ||
		return
	exec 8>"$cache/lock-booted-$1"
	flock 8
	is_booted || { boot_and_save && { remove_unused "$1"; is_booted; }; }
	rc=$?
	exec 8>&-
	return $rc
}

# find_booted: sets $booted, the file of this machine when it has booted. It is empty if this
# machine has to boot itself: it is none of those that are saved, or it cannot be saved
# (there is no room, say).
find_booted() {
	local kind=$line-$smp${icount:+-icount}
	if [ -z "$power_on" ] && is_usual; then
		booted=$cache/booted/$kind.$(booted_key)
		is_booted || take_booted "$kind" && return
	fi
	booted=
}

# forget_booted: the machine of $booted is not taken again.
forget_booted() {
	rm -f "$booted"
	booted=
}

# begin ARGUMENT...: becomes QEMU with the machine of $booted, or with one that boots from
# $tmp/initrd. QEMU waits for ever for a machine of which nothing comes, and so gets a word
# if the file, which is open here, cannot be read.
begin() {
	local lib
	[ "$booted" ] || qemu -initrd "$tmp/initrd" "$@"
	lib=$(quote "$host/usr/lib/x86_64-linux-gnu")
	qemu -incoming "exec:$lib/ld-linux-x86-64.so.2 --library-path $lib \
		$(quote "$host/usr/bin/zstd") -dcq </proc/$$/fd/6 || echo none" "$@"
}
