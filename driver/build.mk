# SPDX-License-Identifier: GPL-2.0-only
# The module for both stock kernels, by the machine's headers and compiler. On a
# RISC-V machine: make -C /lib/modules/$(uname -r)/build M=$PWD/driver modules

.PHONY: driver $(KERNELS:%=driver-%)
driver: $(KERNELS:%=driver-%)

$(KERNELS:%=driver-%): driver-%: machine
	$(Q)qemu/kbuild $* driver $B/driver $(KBUILD_ARGS)
