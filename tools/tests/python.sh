#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The Python module over the shared libstf: python.sh BUILD SSCTR
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
# As in test.c: the command is started often.
export ASAN_OPTIONS="${ASAN_OPTIONS-detect_leaks=0}"
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$top/$build/lib/libstf.so" "$dir/libstf.so.0"
export PYTHONPATH="$top/tools/python" PYTHONDONTWRITEBYTECODE=1

# refuses CODE WORDS: what Python says of CODE has WORDS in its last line.
refuses() {
	command -v python3 >/dev/null || t_skip 'there is no python3' || return
	! python3 -c "$1" >"$dir/said" 2>&1 || return
	tail -n 1 "$dir/said"
	tail -n 1 "$dir/said" | grep "^ImportError: .*$2"
}
t without_NumPy_it_says_what_to_install \
	refuses 'import sys; sys.modules["numpy"] = None; import stf' 'python3-numpy.*pip install numpy'

has_numpy() { python3 -c 'import numpy' 2>/dev/null || t_skip 'there is no NumPy'; }
without_library() { has_numpy && LD_LIBRARY_PATH='' refuses 'import stf' 'libstf0.*LD_LIBRARY_PATH'; }
t without_libstf_it_says_what_to_install without_library

# A library that lacks a function.
of_an_older_libstf() {
	has_numpy || return
	mkdir "$dir/older" &&
		ln -s "$(sed -n 's|.* \(/.*/libc\.so\.6\)$|\1|p' /proc/self/maps | head -n 1)" \
			"$dir/older/libstf.so.0" &&
		LD_LIBRARY_PATH=$dir/older refuses 'import stf' 'older than the module.*newer libstf'
}
t an_older_libstf_is_refused of_an_older_libstf
plan

# What follows needs both, and prints plans of its own.
has_numpy >/dev/null || exit 0
export LD_LIBRARY_PATH="$dir"
SSCTR=$top/$2 python3 tools/tests/python.py
mkdir "$dir/pages"
printf '%s\n' VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT \
	1,10000,100000ef,0,0,0,0,0 1,10100,8082,0,0,0,0,0 1,10004,1,0,0,0,0,0 >"$dir/spike.csv"
"$2" csv "$dir/spike.csv" -o "$dir/pages/trace.zstf" || exit
selftests/words.sh python "$dir/pages" docs/python.md
