# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# gawk: trained on one program over C, judged on another over HTML.
source=$work/source
before() {
	cp -a "$sources/gawk" "$source"
	on_host "$source" './configure --host=riscv64-linux-gnu CFLAGS=-O2 \
		CC=riscv64-linux-gnu-gcc-14 --disable-dependency-tracking --disable-mpfr \
		--disable-extensions --disable-nls --without-readline --disable-pma'
}
flags="-DHAVE_CONFIG_H -DGAWK -DDEFPATH=\".\" -DDEFLIBPATH=\".\" -DSHLIBEXT=\"so\"
	-DLOCALEDIR=\".\" -I$source -I$source/support"
files='array.c awkgram.c builtin.c cint_array.c command.c debug.c eval.c ext.c field.c floatcomp.c
	gawkapi.c gawkmisc.c int_array.c io.c main.c mpfr.c msg.c node.c
	profile.c re.c replace.c str_array.c symbol.c version.c
	support/dfa.c support/getopt.c support/getopt1.c support/localeinfo.c
	support/random.c support/regex.c support/malloc/dynarray_*.c'
libs=-lm
inputs() {
	cp selftests/league/train.awk selftests/league/judge.awk "$input/"
	cat "$sources"/lua5.4/src/*.c | head -c 300000 >"$input/train"
	cat "$sources/lua5.4/doc/manual.html" >"$input/judge"
}
train='-f train.awk train'
judge='-f judge.awk judge'
