#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC1091,SC2034,SC2154
# What the README tells a user, on a Debian for RISC-V as it is after its installation:
# user.sh FOLDER PROGRAM.C
# In build/deb is what `make deb-riscv64` made.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
here=$top/qemu
. "$here/lib/common.sh"
. "$here/lib/machine.sh"
dir=$(mkdir -p "$1" && cd "$1" && pwd) || exit
memory=4G
limit='timeout -k 5 3600'

# The documentation installs the packages, and what is needed to build on the machine.
get_debian() {
	"$here/vm" debian "$top/selftests/user.service" "$top"/build/deb/*_riscv64.deb \
		"$top"/build/deb/*_all.deb \
		make gcc HEADERS libelf-dev libdw-dev libzstd-dev libtraceevent-dev
}

# What is tested, for the machine's second disk.
pack_tests() {
	rm -rf "$dir/t"
	mkdir -p "$dir/t/words" &&
		cp "$top"/selftests/*.sh "$top/README.md" "$top"/docs/hardware.md "$top"/docs/fleet.md "$dir/t/" &&
		cp "$1" "$dir/t/words/program.c" &&
		cp -R "$top/driver" "$dir/t/words/" &&
		cp -R "$top/build/deb" "$dir/t/words/" &&
		tar -C "$dir/t" --owner=0 --group=0 -cf "$dir/t.tar" .
}

# What systemd gives a unit and a device of a real machine is not enough on a busy host.
patience='systemd.default_timeout_start_sec=1800 systemd.default_device_timeout_sec=1800'

# boot PART: until the machine is switched off. What it prints about the part is in PART.tap.
boot() {
	(qemu_binary -M virt -bios "$cache/firmware/$firmware/generic/fw_dynamic.bin" \
		-kernel "$debian/kernel" -initrd "$debian/initrd" \
		-append "root=/dev/vda rw console=ttyS0 panic=-1 $patience" \
		-drive "if=none,id=disk,format=raw,file=$dir/disk,cache=unsafe" \
		-device virtio-blk-pci,drive=disk \
		-drive "if=none,id=t,format=raw,file=$dir/t.tar,read-only=on" \
		-device virtio-blk-pci,drive=t -device virtio-serial-pci \
		-chardev "file,id=tap,path=$dir/$1.tap" -device virtserialport,chardev=tap,name=tap \
		-serial "file:$dir/console") </dev/null
}

if ! { debian=$(get_debian) && cp --sparse=always "$debian/disk" "$dir/disk" &&
	pack_tests "$2"; } >"$dir/log" 2>&1; then
	tail -n 20 "$dir/log"
	exit 1
fi
# Installed in one, used in the next.
for part in install use; do
	boot $part || tail -n 30 "$dir/console"
	cat "$dir/$part.tap"
done
