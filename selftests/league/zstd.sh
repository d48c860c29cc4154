# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# zstd: trained on compressing C, judged on compressing HTML, prose and WebAssembly.
source=$sources/libzstd
flags='-DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM -DZSTD_NOBENCH -DZSTD_NODICT -DZSTD_NOTRACE'
files='lib/common/*.c lib/compress/*.c lib/decompress/*.c programs/zstdcli.c
	programs/util.c programs/timefn.c programs/fileio.c programs/fileio_asyncio.c
	programs/zstdcli_trace.c'
inputs() {
	cat "$sources"/lua5.4/src/*.c "$sources"/gawk/*.c | head -c 1500000 >"$input/train"
	{
		cat "$sources/lua5.4/doc/manual.html" "$sources/fossil/extsrc/pikchr.wasm"
		cat "$sources"/gawk/ChangeLog.[01]
	} >"$input/judge"
}
train='-q -c train'
judge='-q -c judge'
