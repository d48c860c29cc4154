#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# install-debian.sh ROOT SERIAL: run in the guest. The packages in ROOT/debs, which are
# unpacked there, are installed. Then ROOT is written to the disk with the serial number
# SERIAL, and its kernel to /kernel and /initrd.
set -eu
# The initrd is made once, at the end, and not for each package that asks for it.
unshare --mount env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
	INITRD=No sh /enter-bare.sh "$1" \
	sh -c 'dpkg --force-depends --force-unsafe-io --install /debs/*.deb &&
		update-initramfs -c -k all'
rm -rf "$1/debs"
for dir in /sys/block/nvme*; do
	! grep -qx "$2 *" "$dir/device/serial" || disk=/dev/${dir##*/}
done
mke2fs -q -t ext4 -d "$1" "$disk"
sync
mv "$1"/boot/vmlinux-* /kernel
mv "$1"/boot/initrd.img-* /initrd
