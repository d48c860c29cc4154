# SPDX-License-Identifier: GPL-2.0-only
# Debian packages, in $B/deb: of this system, and for a RISC-V machine.

.PHONY: deb deb-riscv64
deb:
	@LIBPERF_SOURCE='$(LIBPERF_SOURCE)' packaging/deb $B/deb
deb-riscv64: machine
	@LIBPERF_SOURCE=$$(qemu/vm source 6.12) packaging/deb $B/deb riscv64

# Built anew for each test, and not what `make deb` leaves.
DEB_LOGS := $B/logs/deb.tap
$B/logs/deb.tap: tools perf-plugin $B/lib/libstf.so FORCE
	@tools/tests/suite run $@ $(ON_CHECK) env LIBPERF_SOURCE='$(LIBPERF_SOURCE)' \
		tools/tests/deb.sh $B/deb-test
