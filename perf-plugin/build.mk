# SPDX-License-Identifier: GPL-2.0-only
# Plug-ins of perf script. Included by the top Makefile after tools/build.mk: a
# plug-in is a subcommand, built as a shared object.

PLUGINS := profile stf brstackinsn
PLUGIN_COMMON := perf-plugin/plugin.c perf-plugin/input.c
PLUGIN_SRC := $(filter-out tools/ssctr/ssctr.c,$(CMD_SRC)) $(LIB_SRC) $(STF_SRC)
PLUGIN_LIBS := $(LIB_LIBS) $(STF_LIBS)

$B/lib-pic/libplugin.a: $(call obj,obj-pic,$(PLUGIN_SRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(ON_HOST) $(AR) rcs $@ $^

$B/perf-plugin/ssctr-%.so: $B/obj-pic/perf-plugin/%.o $(call obj,obj-pic,$(PLUGIN_COMMON)) \
		$B/lib-pic/libplugin.a
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) -shared -Wl,--exclude-libs,ALL -o $@ $^ $(PLUGIN_LIBS)

.SECONDARY: $(PLUGINS:%=$B/obj-pic/perf-plugin/%.o)
# libtraceevent loads by this name, as its own.
$B/perf-plugin/plugin_ssctr.so: $B/obj-pic/perf-plugin/traceevent.o
	@mkdir -p $(@D)
	$(Q)$(ON_HOST) $(CC) -shared -o $@ $^ -ltraceevent

.PHONY: perf-plugin
perf-plugin: $(PLUGINS:%=$B/perf-plugin/ssctr-%.so) $B/perf-plugin/plugin_ssctr.so

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
