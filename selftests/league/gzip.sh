# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# gzip: trained on compressing C, judged on compressing HTML, prose and WebAssembly.
# What is its own is compiled here; gnulib, which it uses little, once by its makefile.
source=$work/source
before() {
	cp -a "$sources/gzip" "$source"
	on_host "$source" './configure --host=riscv64-linux-gnu CFLAGS=-O2 \
		CC=riscv64-linux-gnu-gcc-14 --disable-dependency-tracking &&
		make -C lib && make version.c version.h'
}
flags="-DHAVE_CONFIG_H -I$source/lib"
files='bits.c deflate.c gzip.c inflate.c trees.c unlzh.c unlzw.c unpack.c unzip.c util.c
	version.c zip.c'
libs="$source/lib/libgzip.a"
inputs() {
	cat "$sources/gzip"/*.c "$sources"/lua5.4/src/*.c | head -c 1000000 >"$input/train"
	{
		cat "$sources/lua5.4/doc/manual.html" "$sources/fossil/extsrc/pikchr.wasm"
		cat "$sources/gawk/ChangeLog.0"
	} >"$input/judge"
}
train='-c train'
# Without the time of the input.
judge='-nc judge'
