# SPDX-License-Identifier: GPL-2.0-only
# Debian packages, in $B/deb: of this system, and for a RISC-V machine.

.PHONY: deb deb-riscv64
deb:
	@LIBPERF_SOURCE='$(LIBPERF_SOURCE)' packaging/deb $B/deb
deb-riscv64: machine
	@LIBPERF_SOURCE=$$(qemu/vm source 6.12) packaging/deb $B/deb riscv64

# Where there is debhelper. They are built anew each time.
DEB_LOGS := $(if $(shell command -v dh_dkms),$B/logs/deb.tap)
$B/logs/deb.tap: deb tools perf-plugin $B/lib/libstf.so FORCE
	@tools/tests/suite run $@ tools/tests/deb.sh $B/deb
