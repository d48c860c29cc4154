# SPDX-License-Identifier: GPL-2.0-only
# Plug-ins of perf script. Included by the top Makefile after tools/build.mk: a
# plug-in takes of the libraries what it needs.

PLUGINS := profile stf brstackinsn
PLUGIN_COMMON := perf-plugin/plugin.c perf-plugin/input.c
PLUGIN_LIBS := $(LIB_LIBS) $(STF_LIBS)
# perf has functions of its own in the same process. Debug information is five times
# what runs; tests have it, in programs of their own (script-*).
PLUGIN_LDFLAGS := -shared -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,--gc-sections \
	-Wl,--strip-debug

$B/perf-plugin/ssctr-%.so: $B/obj/perf-plugin/%.o $(call obj,obj,$(PLUGIN_COMMON)) \
		$B/lib/libssctr.a $B/lib/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(PLUGIN_LDFLAGS) $(LDFLAGS) -o $@ $^ $(PLUGIN_LIBS)

.SECONDARY: $(PLUGINS:%=$B/obj/perf-plugin/%.o) $(call obj,obj,$(PLUGIN_COMMON))

# libtraceevent loads by this name, as its own.
$B/perf-plugin/plugin_ssctr.so: $B/obj/perf-plugin/traceevent.o
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) -shared $(LDFLAGS) -o $@ $^ $(TRACEEVENT_LIB)

.PHONY: perf-plugin
perf-plugin: $(PLUGINS:%=$B/perf-plugin/ssctr-%.so) $B/perf-plugin/plugin_ssctr.so

# Where perf looks for dlfilters by their names if PREFIX is /usr, and libtraceevent
# for its plug-ins if LIBDIR is the system's.
INSTALL_DLFILTERS = $(DESTDIR)$(PREFIX)/lib/perf-core/dlfilters
INSTALL_TRACEEVENT = $(INSTALL_LIB)/traceevent/plugins
.PHONY: uninstall-plugins
FOLDERS_plugins = $(INSTALL_DLFILTERS) $(INSTALL_TRACEEVENT)
install: install-plugins
install-plugins: may-install perf-plugin
	install -D -m 644 -t $(INSTALL_DLFILTERS) $(PLUGINS:%=$B/perf-plugin/ssctr-%.so)
	install -D -m 644 -t $(INSTALL_TRACEEVENT) $B/perf-plugin/plugin_ssctr.so
	@$(if $(filter /usr,$(PREFIX)),,echo 'perf finds plug-ins by name in /usr alone (PREFIX=/usr);' \
		'these are found by their path: --dlfilter $(PREFIX)/lib/perf-core/dlfilters/NAME.so')
$B/logs/host-install.tap: perf-plugin
uninstall: uninstall-plugins
uninstall-plugins:
	rm -f $(PLUGINS:%=$(INSTALL_DLFILTERS)/ssctr-%.so) \
		$(INSTALL_TRACEEVENT)/plugin_ssctr.so

# The same for the guest, in $B/riscv64.
.PHONY: perf-plugin-riscv64
perf-plugin-riscv64: machine | tools-riscv64
	$(Q)+$(make_inside) SSCTR_TARGET=riscv64 B=$B/riscv64 perf-plugin

# What the tests run: a small perf script, linked with a plug-in.
$B/tests/script-%: $B/obj-san/perf-plugin/%.o $(call obj,obj-san,$(PLUGIN_COMMON)) \
		$B/obj-san/tools/tests/judge/script.o \
		$B/lib-san/libssctr.a $B/lib-san/libstf.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) $(SAN_CFLAGS) $(TOOLS_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(STF_LIBS)

.SECONDARY: $(PLUGINS:%=$B/obj-san/perf-plugin/%.o) \
	$(call obj,obj-san,$(PLUGIN_COMMON) tools/tests/judge/script.c)
$B/logs/host-plugin-script.tap same-programs: $(PLUGINS:%=$B/tests/script-%)

$B/tests/plugin-traceevent: $B/obj-san/perf-plugin/traceevent.o

# In real perfs, the guest's and this machine's.
PLUGIN_LOGS := $(KERNELS:%=$B/logs/plugin-%.tap)
$(PLUGIN_LOGS): $B/logs/plugin-%.tap: driver-% tools perf-plugin perf-plugin-riscv64 FORCE
	@tools/tests/suite run $@ selftests/plugin.sh $*
