# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# SQLite and its shell, as one file each: trained on some queries, judged on others.
source=$sources/fossil/extsrc
flags='-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION'
files='shell.c sqlite3.c'
libs=-lm
inputs() {
	cp selftests/league/train.sql selftests/league/judge.sql "$input/"
}
train=':memory: <train.sql'
judge=':memory: <judge.sql'
