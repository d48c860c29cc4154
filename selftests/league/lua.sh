# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# Lua: trained on one program in Lua, judged on another.
source=$sources/lua5.4/src
# Without an address and a time in the hashes: each run is to execute the same.
flags='-DLUA_COMPAT_5_3 -Dluai_makeseed(L)=1'
files='l[a-t]*.c lua.c lundump.c lutf8lib.c lvm.c lzio.c'
libs=-lm
inputs() {
	cp selftests/league/train.lua selftests/league/judge.lua "$input/"
}
train='train.lua'
judge='judge.lua'
