# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# lzip, in C++: trained on compressing C, judged on compressing HTML and Japanese.
source=$sources/lzip
language=c++
flags='-DPROGVERSION="1.25"'
files='arg_parser.cc decoder.cc encoder.cc encoder_base.cc fast_encoder.cc list.cc
	lzip_index.cc main.cc'
inputs() {
	cat "$sources"/lua5.4/src/*.c | head -c 100000 >"$input/train"
	{
		head -c 60000 "$sources/lua5.4/doc/manual.html"
		head -c 60000 "$sources/gawk/po/ja.po"
	} >"$input/judge"
}
train='-c train'
judge='-c judge'
