# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# bzip2: trained on compressing C, judged on compressing HTML and Japanese.
source=$(qemu/vm pgo)/bzip2
flags=-D_FILE_OFFSET_BITS=64
files='blocksort.c bzip2.c bzlib.c compress.c crctable.c decompress.c huffman.c
	randtable.c'
inputs() {
	cat "$source"/*.c | head -c 250000 >"$input/train"
	{
		head -c 150000 "$sources/lua5.4/doc/manual.html"
		cat "$sources/gawk/po/ja.po"
	} >"$input/judge"
}
train='-c train'
judge='-c judge'
