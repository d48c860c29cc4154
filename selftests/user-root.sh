#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A Debian for RISC-V, with systemd and its own kernel, in the folder ROOT, and in its
# apt's cache all that the documentation's commands install, so that it needs no network:
# what is recommended, too, which mmdebstrap's own settings leave out.
# Run by user.sh in a namespace: user-root.sh ROOT SUITE SOURCES DEBS
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":riscv64:M::$elf:$mask:/usr/bin/qemu-riscv64-static:OCPF" \
	>/proc/sys/fs/binfmt_misc/register
# shellcheck disable=SC2016
mmdebstrap --mode=root --variant=apt --architectures=riscv64 --skip=cleanup/apt \
	--aptopt='Acquire::Check-Valid-Until "false"' \
	--aptopt='Acquire::Languages "none"' \
	--include=systemd-sysv,udev,kmod,procps,linux-image-riscv64,initramfs-tools \
	--customize-hook='mkdir -p "$1/t/words/build"' \
	--customize-hook="copy-in $4 /t/words/build" \
	--customize-hook='chroot "$1" sh -euc "
		cd /t/words
		headers=linux-headers-\$(ls /lib/modules)
		fetch=\"apt-get install -qq -y --download-only -o APT::Install-Recommends=true\"
		\$fetch ./build/deb/*.deb \$headers
		\$fetch make gcc \$headers libelf-dev libdw-dev libzstd-dev libtraceevent-dev"' \
	"$2" "$1" "$3"
