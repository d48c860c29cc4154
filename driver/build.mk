# SPDX-License-Identifier: GPL-2.0-only
# The module for both stock kernels, by the machine's headers and compiler. On a
# RISC-V machine: make -C /lib/modules/$(uname -r)/build M=$PWD/driver modules

.PHONY: driver $(KERNELS:%=driver-%)
driver: $(KERNELS:%=driver-%)

# What Kconfig lets be left out: make driver CONFIG_SSCTR_DEBUGFS=n
MODULE_OPTIONS = $(foreach name,$(shell sed -n 's/^config \(SSCTR_.*\)/CONFIG_\1/p' Kconfig), \
	$(if $($(name)),$(name)=$($(name))))

# A warning is an error, also of those that kbuild gives by W=1.
MODULE_WARNINGS := W=1 KCFLAGS=-Werror

$(KERNELS:%=driver-%): driver-%: machine
	$(Q)qemu/kbuild $* driver $B/driver $(MODULE_WARNINGS) $(MODULE_OPTIONS) $(KBUILD_ARGS)

# The module's sources where DKMS looks for them, and what loads it at boot:
# make install-dkms && dkms install ssctr/$(VERSION)
MODULE_SRC = $(DESTDIR)/usr/src/ssctr-$(VERSION)
MODULE_UNIT = $(DESTDIR)/usr/lib/systemd/system/ssctr.service
MODULE_MAN = $(DESTDIR)$(PREFIX)/share/man/man4/ssctr.4

.PHONY: install-dkms install-module-source uninstall-dkms
install-dkms: install-module-source
	install -D -m 644 packaging/ssctr.service $(MODULE_UNIT)

# Without what a build by hand left there, which is of one kernel.
install-module-source:
	install -D -m 644 -t $(MODULE_SRC) $(filter-out %.mod.c,$(wildcard driver/*.[ch])) \
		driver/Kbuild driver/dkms.conf
	install -D -m 644 docs/man/ssctr.4 $(MODULE_MAN)

uninstall-dkms:
	rm -rf $(MODULE_SRC)
	rm -f $(MODULE_UNIT) $(MODULE_MAN)
