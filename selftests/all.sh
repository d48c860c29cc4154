#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All self-tests of a machine that can record, as root with ssctr loaded:
#   all.sh SSCTR.ko SSCTR_TEST.ko
# Each prints KTAP with a plan of its own.
cd "$(dirname "$0")" || exit
status=0
for test in ./branch ./isolation "./life.sh $1 $2"; do
	$test || status=1
done
exit $status
