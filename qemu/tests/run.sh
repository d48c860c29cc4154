#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC1091,SC2154
# What vm run promises: what the guest's command gets, prints, returns and
# leaves comes through as it is: run.sh [few]
# few: with the first two machines.

. "$(dirname "$0")/lib.sh"
echo 'KTAP version 1'
nl='
'

# One boot with everything that goes in and out.
mkdir -p "$dir/a folder/sub" "$dir/here"
printf 'one\ntwo' >"$dir/a folder/sub/file"
ln -s sub/file "$dir/a folder/link"
odd="odd name'with \"quotes\", \$signs${nl}and a newline"
echo odd >"$dir/$odd"
chmod 751 "$dir/$odd"
cat >"$dir/script" <<'END'
printf '<%s>' "$@"
echo to stderr >&2
stat -c '%a %u %g' "/tmp/put here/odd" >/root/stat
cp "/tmp/put here/odd" "/root/$6"
mkdir /root/-result
cp -a "/root/a folder" /root/-result/
ls /proc/self/fd >/root/fds
read -r line || echo end-of-file >/root/stdin
END
: >"$dir/here/existing"
mkfifo "$dir/pipe"
setpriv --pdeathsig TERM cat "$dir/pipe" >"$dir/piped" &
reader=$!
: >"$dir/aim"
ln -s "$dir/aim" "$dir/link to a file"
ln -s "new$nl" "$dir/link to nothing"
run_vm run --no-module --smp 1 \
	--put "$dir/a folder" --put "$dir/$odd:/tmp/put here/odd" \
	--put "$dir/script:script" \
	--get stat:"$dir/stat" --get "$odd:$dir/back" \
	--get=ignored -- true
check 'an option with = is refused' is "$status" 125
(cd "$dir/here" && "$vm" run --no-module --smp 1 \
	--put "$dir/a folder" --put "$dir/$odd:/tmp/put here/odd" \
	--put ../script:script \
	--get stat --get "/root/$odd:$dir/back" --get -result/ \
	--get stdin --get fds --get /proc/version --dmesg dmesg \
	--get fds:"$dir/pipe" --get stat:"$dir/link to a file" --get stat:"$dir/link to nothing" -- \
	sh script 'two words' "it's" '"$HOME"' '' "$nl" "$odd" '*' "tail$nl$nl") \
	>"$dir/out" 2>"$dir/err" </dev/null
check 'exit status 0' is $? 0
printf '<%s>' 'two words' "it's" '"$HOME"' '' "$nl" "$odd" '*' "tail$nl$nl" \
	>"$dir/expected"
check 'arguments arrive byte by byte' cmp "$dir/out" "$dir/expected"
echo 'to stderr' >"$dir/expected"
check 'stderr is apart from stdout' cmp "$dir/err" "$dir/expected"
check 'a file goes in and out under odd names' cmp "$dir/back" "$dir/$odd"
check 'a file keeps its mode and belongs to root' \
	is "$(cat "$dir/here/stat")" '751 0 0'
check 'a folder goes in and out' \
	diff -r "$dir/a folder" "$dir/here/-result/a folder"
check 'a symbolic link stays one' \
	test -L "$dir/here/-result/a folder/link"
check 'stdin is empty' is "$(cat "$dir/here/stdin")" end-of-file
check 'the command has no open files beside the standard ones' \
	is "$(tr '\n' ' ' <"$dir/here/fds")" '0 1 2 3 '
check 'a file of /proc comes out' grep -q '^Linux version 6.12' \
	"$dir/here/version"
check 'the log is written' grep -q 'Linux version 6.12' "$dir/here/dmesg"
# If nobody wrote, the reader still waits for somebody.
while kill -0 $reader 2>&-; do
	: <>"$dir/pipe"
	sleep 0.1
done
wait
check 'a pipe is written into' is "$(test -p "$dir/pipe" && cat "$dir/piped")" \
	"$(cat "$dir/here/fds")"
check 'a symbolic link is followed' test -L "$dir/link to a file" -a -s "$dir/aim"
check 'also to a file that is not there yet' test -L "$dir/link to nothing" -a -s "$dir/new$nl"
check 'nothing else is left there' is "$(cd "$dir/here" && echo * .[!.]*)" \
	'-result dmesg existing fds stat stdin version .[!.]*'

# The other kernel, more harts, much output, a file that is not there.
run_vm run --no-module --kernel 7.x --smp 4 --mem 1G --nvme --get nothing \
	--append 'ssctr.test="a b"' -- sh -c '
	uname -r >&2; nproc >&2; head -c 20000000 /dev/zero
	grep -c "ssctr.test=\"a b\"" /proc/cmdline >&2
	cat /sys/block/nvme0n1/size >&2
	cat /proc/[0-9]*/comm | grep -x perf >&2
	exit 42'
check 'exit status 42' is "$status" 42
check 'kernel 7.x boots' has '^7\.'
check '--smp 4 gives 4 harts' has '^4$'
check '--append reaches the kernel' has '^1$'
check '--nvme gives a disk of 64 MiB' has '^131072$'
check 'several harts have events of perf from the start on' has '^perf$'
check '20 MB of output come through' is "$(wc -c <"$dir/out")" 20000000
check 'a missing file of --get is named' has 'the guest has no /root/nothing'

# A machine goes on where an earlier one had booted, at a time that no other boot has.
where='date +%s >&2; cat /proc/sys/kernel/random/uuid >&2; dmesg | grep -m 1 "Run /init"'
begin=$(date +%s)
run_vm run --no-module --smp 1 -- sh -c "$where"
end=$(date +%s)
first=$(cat "$dir/out")
drawn=$(tail -n 1 "$dir/err")
clock=$(head -n 1 "$dir/err")
check 'its clock is right' test "$clock" -ge $((begin - 2)) -a "$clock" -le $((end + 2))
run_vm run --no-module --smp 1 -- sh -c "$where"
check 'a machine boots once' is "$(cat "$dir/out")" "$first"
check 'and draws other numbers each time' test "$(tail -n 1 "$dir/err")" != "$drawn"
run_vm run --no-module --smp 1 --power-on -- sh -c "$where"
check '--power-on boots' test -s "$dir/out" -a "$(cat "$dir/out")" != "$first"

# In a cache of its own, with such a saved machine. There may also be those of other trees.
mkdir "$dir/cache"
ln -s "$("$vm" path cache)"/* "$dir/cache/"
rm "$dir/cache/booted"
mkdir "$dir/cache/booted"
# damaged NAME COMMAND...: what the command makes of the saved machine stands for it.
damaged() {
	local name=$1 saved
	shift
	for saved in "$("$vm" path cache)/booted/6.12-1."[0-9a-f]*; do
		"$@" <"$saved" >"$dir/cache/booted/${saved##*/}"
	done
	SSCTR_CACHE=$dir/cache run_vm run --no-module --smp 1 -- sh -c "$where"
	check "a saved machine that is $name costs a boot" is "$status $(wc -l <"$dir/err")" '0 2'
	check 'which is another one' test -s "$dir/out" -a "$(cat "$dir/out")" != "$first"
}
damaged empty true

# Other trees save theirs at any time, too: of a kind, two stay.
rm "$dir/cache/booted/"*
(
	cache=$dir/cache
	# shellcheck source=qemu/lib/booted.sh
	. "$here/../lib/booted.sh"
	cd "$cache/booted" || exit
	: >6.12-2.0 >6.12-1-icount.0
	for name in 1 2.part 3 4 5; do
		booted=6.12-1.$name
		echo $name >$booted
		touch -d "$((9 - ${name%.part})) minutes ago" $booted
	done
	booted=6.12-1.3
	is_booted
	remove_unused 6.12-1
	echo * >"$dir/out"
	rm 6.12-1.3
	cat <&6 >>"$dir/out"
)
check 'the saved machines that were used last stay' is "$(head -n 1 "$dir/out")" \
	'6.12-1-icount.0 6.12-1.3 6.12-1.5 6.12-2.0'
check 'a saved machine can be read when it was removed' is "$(tail -n 1 "$dir/out")" 3

# What must fail before it boots.
for args in '' '--smp 0 true' '--smp two true' '--timeout -1 true' \
	'--kernel 5.10 true' '--firmware 2 true' '--nonsense true' \
	'--module /nonexistent true' '--put /nonexistent true' \
	'--no-module --get x:/nonexistent/y true' '--mem'; do
	# shellcheck disable=SC2086
	run_vm run $args
	check "refused in one line: run $args" \
		is "$status $(grep -c '^vm: ' "$dir/err")" '125 1'
done

[ "${1-}" != few ] || finish

damaged cut head -c 1000000
damaged 'something else' head -c 1000000 /dev/urandom
# Files of 20 MB and no more, as on a full disk. What is saved already needs less.
rm "$dir/cache/booted/"*
(
	trap '' XFSZ
	ulimit -f 40000
	SSCTR_CACHE=$dir/cache run_vm run --no-module --smp 1 -- true
	[ "$status $(wc -l <"$dir/err")" = '125 1' ] && has 'cannot write .*/initrd: is .* full?'
)
check 'no room to boot is told in one line' is $? 0
(
	trap '' XFSZ
	ulimit -f 40000
	run_vm run --no-module --smp 1 -- true
	[ $status = 0 ]
)
check 'a machine that is saved needs less' is $? 0

run_vm run --no-module --get nothing:"$dir/nothing" -- true
check 'a missing file of --get fails a command that succeeded' is "$status" 125
check 'a missing file of --get leaves nothing here' \
	test ! -e "$dir/nothing"

run_vm run --no-module --firmware 1.6 -- sh -c '
	sleep 1000 & dmesg | grep -c "Version=0x10006"; exit 255'
check 'exit status 255' is "$status" 255
check '--firmware 1.6 is taken' is "$(cat "$dir/out")" 1

# No copy of it has room, and what goes on to write does not end by itself. A line takes
# one write, and so there is no part of one.
run_vm run --no-module --smp 1 --mem 512M --get "/tmp/big:$dir/big" \
	--get "/tmp/growing:$dir/growing" -- sh -c '
	yes | head -c 150000000 >/tmp/big
	sh -c "trap \"\" TERM; while :; do echo whole line; done" >/tmp/growing 2>&1 &
	until [ -s /tmp/growing ]; do sleep 0.1; done'
check 'a file comes out that fills half of the memory' is "$status $(stat -c %s "$dir/big" 2>&1)" \
	'0 150000000'
check 'of a file that grows come whole lines' is "$(sort -u "$dir/growing")" 'whole line'
rm -f "$dir/big"

run_vm run --no-module --smp 1 --put "$dir/script:/root" -- echo ran
check 'a file that cannot get to its place fails the run' is "$status $(cat "$dir/out")" '125 '
check 'and is told' has 'vm: --put: the guest could not put'
run_vm run --no-module --smp 1 --get "/proc/self/mem:$dir/mem" -- true
check 'a file that cannot be read fails a command that succeeded' is "$status" 125
check 'and is told, too' has 'vm: --get: /proc/self/mem is not whole: cp: error reading'
check 'and nothing of it is here' test ! -e "$dir/mem"
head -c 150000000 /dev/zero >"$dir/zero"
TMPDIR=/dev/shm run_vm run --no-module --smp 1 --mem 512M --put "$dir/zero" -- true
check 'files that the memory does not hold are told' has 'no room for its files'
check 'and fail the run' is "$status" 125
rm "$dir/zero"
finish
