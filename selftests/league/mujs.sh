# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# MuJS: trained on one program in JavaScript, judged on another.
source=$sources/mujs
files='one.c main.c'
libs=-lm
inputs() {
	cp selftests/league/train.js selftests/league/judge.js "$input/"
}
train='train.js'
judge='judge.js'
