# SPDX-License-Identifier: GPL-2.0-only
# Each makefile of the kernel reads this first. With KCSAN's checks in the whole kernel the
# self-tests take many hours, and what the checks find there is the kernel's own. So modules
# have them, and what reads or writes the same data as ssctr. Other code still shows up if it
# changes a value while an access of ssctr is watched: KCSAN reports a race of unknown origin.
# Folders that the kernel itself leaves out stay left out, such as kernel/sched.
KCSAN_CHECKED := kernel/events/% drivers/perf/% kernel/trace/% kernel/bpf/trampoline \
	kernel/tracepoint kernel/cpu kernel/cpu_pm kernel/fork kernel/exit
KCSAN_SANITIZE = $(if $(part-of-module)$(filter $(KCSAN_CHECKED),$(obj)/$(target-stem)),,n)
