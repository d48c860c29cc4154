# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# brotli: trained on compressing C, judged on compressing HTML and Japanese.
source=$sources/brotli
flags="-I$source/c/include"
files='c/common/*.c c/dec/*.c c/enc/*.c c/tools/brotli.c'
libs=-lm
inputs() {
	cat "$sources"/lua5.4/src/*.c | head -c 500000 >"$input/train"
	{
		cat "$sources/lua5.4/doc/manual.html"
		cat "$sources/gawk/po/ja.po"
	} >"$input/judge"
}
train='-q 5 -c train'
judge='-q 5 -c judge'
