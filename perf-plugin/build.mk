# SPDX-License-Identifier: GPL-2.0-only
# Plug-ins of perf script. Included by the top Makefile after tools/build.mk: a
# plug-in is a subcommand, built as a shared object.

PLUGINS := profile stf brstackinsn
PLUGIN_COMMON := perf-plugin/plugin.c perf-plugin/input.c
PLUGIN_SRC := $(filter-out tools/ssctr/ssctr.c,$(CMD_SRC)) $(LIB_SRC) $(STF_SRC)
PLUGIN_LIBS := $(LIB_LIBS) $(STF_LIBS)
# perf has functions of its own in the same process.
PLUGIN_LDFLAGS := -shared -Wl,--exclude-libs,ALL -Wl,--as-needed

$B/lib-pic/libplugin.a: $(call obj,obj-pic,$(PLUGIN_SRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(ON_HOST) $(AR) rcs $@ $^

$B/perf-plugin/ssctr-%.so: $B/obj-pic/perf-plugin/%.o $(call obj,obj-pic,$(PLUGIN_COMMON)) \
		$B/lib-pic/libplugin.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(PLUGIN_LDFLAGS) -o $@ $^ $(PLUGIN_LIBS)
.SECONDARY: $(PLUGINS:%=$B/obj-pic/perf-plugin/%.o)

# libtraceevent loads by this name, as its own.
$B/perf-plugin/plugin_ssctr.so: $B/obj-pic/perf-plugin/traceevent.o
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) -shared -o $@ $^ -ltraceevent

.PHONY: perf-plugin
perf-plugin: $(PLUGINS:%=$B/perf-plugin/ssctr-%.so) $B/perf-plugin/plugin_ssctr.so

# Where perf looks for dlfilters by their names if PREFIX is /usr, and libtraceevent
# for its plug-ins if LIBDIR is the system's.
INSTALL_DLFILTERS = $(DESTDIR)$(PREFIX)/lib/perf-core/dlfilters
INSTALL_TRACEEVENT = $(INSTALL_LIB)/traceevent/plugins
.PHONY: install-plugins uninstall-plugins
install: install-plugins
install-plugins: perf-plugin
	install -D -m 644 -t $(INSTALL_DLFILTERS) $(PLUGINS:%=$B/perf-plugin/ssctr-%.so)
	install -D -m 644 -t $(INSTALL_TRACEEVENT) $B/perf-plugin/plugin_ssctr.so
$B/logs/host-install.tap: perf-plugin
uninstall: uninstall-plugins
uninstall-plugins:
	rm -f $(PLUGINS:%=$(INSTALL_DLFILTERS)/ssctr-%.so) \
		$(INSTALL_TRACEEVENT)/plugin_ssctr.so

# The same for riscv64, by the compiler and the libraries of the machine.
R := $B/riscv64
CROSS_CFLAGS := $(TOOLS_CPPFLAGS) -I$R/include $(TOOLS_CFLAGS) -fPIC -fvisibility=hidden
$R/include: | machine
	@rm -rf $@ $R/lib && mkdir -p $@ $R/lib
	$(Q)cd $@ && include=$$($(CURDIR)/qemu/vm path host)/usr/include && \
		for name in elfutils dwarf.h gelf.h libelf.h zstd.h traceevent; do \
			cp -R $$include/$$name . || exit; done
	$(Q)cd $R/lib && lib=$$($(CURDIR)/qemu/vm path guest)/usr/lib/riscv64-linux-gnu && \
		for name in dw elf zstd traceevent; do \
			cp -L $$lib/lib$$name.so.1 lib$$name.so || exit; done

$R/obj/%.o: %.c | $R/include
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(CROSS_CFLAGS) -MMD -MP -c -o $@ $<

$R/libplugin.a: $(patsubst %.c,$R/obj/%.o,$(PLUGIN_SRC))
	@rm -f $@
	$(Q)qemu/on-host riscv64-linux-gnu-ar rcs $@ $^

$R/perf-plugin/ssctr-%.so: $R/obj/perf-plugin/%.o \
		$(patsubst %.c,$R/obj/%.o,$(PLUGIN_COMMON)) $R/libplugin.a
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(PLUGIN_LDFLAGS) -L$R/lib -o $@ $^ $(PLUGIN_LIBS)
$R/perf-plugin/plugin_ssctr.so: $R/obj/perf-plugin/traceevent.o
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) -shared -L$R/lib -o $@ $^ -ltraceevent

.SECONDARY: $(patsubst %.c,$R/obj/%.o,$(PLUGINS:%=perf-plugin/%.c) $(PLUGIN_COMMON))
.PHONY: perf-plugin-riscv64
perf-plugin-riscv64: $(PLUGINS:%=$R/perf-plugin/ssctr-%.so) $R/perf-plugin/plugin_ssctr.so

# What the tests run: a small perf script, linked with a plug-in.
$B/tests/script-%: $B/obj-san/perf-plugin/%.o $(call obj,obj-san,$(PLUGIN_COMMON)) \
		$B/obj-san/tools/tests/judge/script.o \
		$(call obj,obj-san,$(filter-out tools/ssctr/ssctr.c,$(CMD_SRC))) \
		$B/lib-san/libssctr.a $B/lib-san/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(SAN_CFLAGS) -o $@ $^ $(LIB_LIBS) $(STF_LIBS)

.SECONDARY: $(PLUGINS:%=$B/obj-san/perf-plugin/%.o) $(call obj,obj-san,$(PLUGIN_COMMON))
$B/logs/host-plugin-script.tap: $(PLUGINS:%=$B/tests/script-%)

$B/tests/plugin-traceevent: $B/obj-san/perf-plugin/traceevent.o

# In real perfs, the guest's and this machine's.
PLUGIN_LOGS := $(KERNELS:%=$B/logs/plugin-%.tap)
$(PLUGIN_LOGS): $B/logs/plugin-%.tap: driver-% tools perf-plugin perf-plugin-riscv64 FORCE
	@tools/tests/suite run $@ selftests/plugin.sh $* '$(ON_HOST)'

-include $(shell find $R/obj -name '*.d' 2>/dev/null)
