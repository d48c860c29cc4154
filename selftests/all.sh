#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All self-tests of a machine that can record, as root with ssctr loaded, without
# make: each prints KTAP with a plan of its own. SSCTR_KO and SSCTR_TEST_KO are the
# modules.
cd "$(dirname "$0")" || exit
status=0
for test in ./open ./filter ./fields ./before ./isolation ./switch ./callstack \
	./overflow ./life ./storm ./record.sh ./load.sh ./harts.sh; do
	echo "# $test"
	$test || status=1
done
exit $status
