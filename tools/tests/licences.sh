#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every file has a licence, by the REUSE specification.
cd "$(dirname "$0")/../.." || exit
. selftests/ktap.sh
list=$(mktemp)

# Of a copy without what was built, as there need be no git here to tell it.
lint() {
	command -v reuse >/dev/null || t_skip 'there is no reuse' || return
	copy=$(mktemp -d)
	tar -c --exclude=./build --exclude=./.git . | tar -x -C "$copy" --no-same-owner
	reuse --root "$copy" lint
	status=$?
	rm -rf "$copy"
	return $status
}
t every_file_has_a_licence lint

# The default does for data and prose alone; of code each file says it itself.
code_names_it() {
	find . \( -path ./build -o -path ./.git \) -prune -o -type f \( \
		-name '*.[chS]' -o -name '*.cc' -o -name '*.py' -o -name '*.sh' -o -name '*.mk' -o \
		-name Makefile -o -name Kbuild -o -name 'Kconfig*' -o -name '*.[134]' \) \
		-print >"$list"
	[ "$(wc -l <"$list")" -gt 200 ] || return
	! xargs grep -L 'SPDX-License-Identifier: ' <"$list" | grep .
}
t every_file_of_code_names_its_own code_names_it

libstf_stands_alone() {
	! grep -L 'SPDX-License-Identifier: BSD-2-Clause' tools/lib/stf/*.[ch] tools/python/* | grep . &&
		! grep -h '#include "' tools/lib/stf/*.[ch] | grep -v '"stf/'
}
t libstf_is_bsd_and_includes_nothing_else libstf_stands_alone
rm -f "$list"
plan
