# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# What run and shell have in common: the options that describe a machine, what
# the guest is sent, and QEMU's command line.

. "$here/lib/booted.sh"

line=6.12
flavour=
smp=2
usual_memory=2G
usual_firmware=1.9
usual_cpu=rv64,smctr=on,ssctr=on,smcsrind=on,sscsrind=on,sscofpmf=on,v=off
memory=$usual_memory
firmware=$usual_firmware
cpu=$usual_cpu
icount=
append=
power_on=
# Harts whose Ssctr the device tree does not name.
plain_harts=
acpi=
module=default
module_args=
module_may_fail=
modules=
timeout=120
log_file=
puts=0
gets=0
# QEMU's further arguments, and those for its plug-ins, quoted for eval.
qemu_args=
plugin_args=
# What else the guest's init has to know.
terminal=

usage_options() {
	cat <<-END
		    --kernel LINE         use the newest stock kernel of LINE: $kernel_lines
		                          (default: 6.12)
		    --smp N               number of harts (default: $smp)
		    --mem SIZE            size of the memory (default: $memory)
		    --firmware VERSION    version of OpenSBI: 1.6, which does not know CTR, or 1.9
		                          (default: $firmware)
		    --cpu STRING          QEMU's description of the harts. The default is
		                          $cpu
		    --plain-hart N        leave Ssctr of hart N out of the device tree. If the hart has
		                          Smstateen, the firmware then grants no access.
		    --icount              use one hart, on which each instruction takes 1 ns. Each run
		                          then takes the same samples.
		    --acpi                boot by UEFI, with the tables of ACPI and no device tree
		    --power-on            boot from the start. Without it, a machine with the default
		                          memory, firmware and harts goes on where an earlier one of
		                          its kind had booted.
		    --append STRING       add STRING to the kernel's command line
		    --qemu-arg ARG        add an argument of QEMU
		    --plugin FILE[,ARGS]  load a TCG plug-in of QEMU, such as build/plugin/*.so
		    --nvme                load the modules of the NVMe disk, /dev/nvme0n1 (64 MiB)
		    --module FILE         load this module (default: build/driver/RELEASE/ssctr.ko)
		    --module-args STRING  parameters of the module, such as bpf=1
		    --no-module           load no module
		    --put HOSTPATH[:GUESTPATH]
		                          copy a file or folder into the machine (default: to /root)
	END
}

# Seconds that the guest may take to its first process, and those that it takes where
# nothing else runs: when it boots, and when it goes on where another had booted. A host on
# which it takes longer is slower than that, and gives the command as much more time.
# This is measured at each start, as a saved machine may come from a host that was faster.
boot_limit=300
quick_boot=8
quick_start=4

streams='out err control files log'

# seconds: prints those since QEMU was started.
seconds() {
	echo $(($(date +%s) - started))
}

# waited: prints the seconds for which QEMU wanted to run, and other programs did. Threads
# that waited at the same time count more than once, but never as more than the time in
# which the busiest thread did not run. The longest wait of one thread is not enough: the
# work may go from one hart to another, and each waits for a part of the time.
waited() {
	cat /proc/"$qemu_pid"/task/*/schedstat 2>/dev/null |
		awk -v passed="$(seconds)" '
			{
				waits += $2 / 1e9
				if ($1 / 1e9 > ran)
					ran = $1 / 1e9
			}
			END {
				if (waits > passed - ran)
					waits = passed - ran
				printf "%d\n", waits
			}'
}

# is_late: whether the $limit is over, without the time for which other programs had the
# processors, $others.
is_late() {
	[ "$(seconds)" -ge $((limit + others)) ] || return
	others=$(waited)
	[ "$(seconds)" -ge $((limit + others)) ]
}

# quote TEXT: prints it so that the shell reads it as one word, byte by byte.
quote() {
	local rest=$1
	printf "'"
	while :; do
		case $rest in
		*\'*) ;;
		*) break ;;
		esac
		printf "%s'\\\\''" "${rest%%\'*}"
		rest=${rest#*\'}
	done
	printf "%s'" "$rest"
}

# base_name PATH: sets $base; PATH may end in slashes.
base_name() {
	base=$1
	while [ "${base%/}" != "$base" ]; do
		base=${base%/}
	done
	base=${base##*/}
}

# --put HOSTPATH[:GUESTPATH]
add_put() {
	local from=$1 to=
	if [ ! -e "$from" ]; then
		case $from in
		*:*)
			to=${from##*:}
			from=${from%:*}
			;;
		esac
	fi
	[ -r "$from" ] || die "--put: no such file, or not to be read: $from"
	base_name "$from"
	case $base in
	'' | . | ..) [ "$to" ] || die "--put: $from needs a guest's path" ;;
	esac
	case $to in
	'') to=/root/$base ;;
	*/) to=$to$base ;;
	esac
	case $to in
	/*) ;;
	*) to=/root/$to ;;
	esac
	case $from in
	/*) ;;
	*) from=./$from ;;
	esac
	eval "put_from_$puts=\$from put_to_$puts=\$to"
	puts=$((puts + 1))
}

# --get GUESTPATH[:HOSTPATH]
add_get() {
	local from=$1 to=
	case $from in
	*:*)
		to=${from##*:}
		from=${from%:*}
		;;
	esac
	base_name "$from"
	[ "$base" ] || die "--get: no name in '$from'"
	case $to in
	'') to=$base ;;
	*/) to=$to$base ;;
	esac
	case $to in
	/*) ;;
	*) to=./$to ;;
	esac
	case $from in
	/*) ;;
	*) from=/root/$from ;;
	esac
	[ -d "$(dirname "$to")" ] && [ -w "$(dirname "$to")" ] ||
		die "--get: cannot write in $(dirname "$to")"
	eval "get_from_$gets=\$from get_to_$gets=\$to"
	gets=$((gets + 1))
}

# read_options ARGUMENT...: sets $taken, how many of them were options.
read_options() {
	local count=$# option
	while [ $# -gt 0 ]; do
		option=$1
		shift
		case $option in
		--no-module) module= ;;
		--module-may-fail) module_may_fail=1 ;;
		--nvme) modules=nvme ;;
		--icount)
			smp=1
			icount='-icount shift=0,sleep=off'
			;;
		--acpi) acpi=1 ;;
		--power-on) power_on=1 ;;
		-h | --help)
			usage
			exit 0
			;;
		--)
			break
			;;
		--append | --cpu | --dmesg | --firmware | --get | --kernel | \
			--mem | --module | --module-args | --plain-hart | --plugin | \
			--put | --qemu-arg | --smp | --timeout)
			[ $# -gt 0 ] || die "$option needs a value"
			set_option "$option" "$1"
			shift
			;;
		-*) die "no option $option (--help lists them)" ;;
		*)
			taken=$((count - $# - 1))
			return
			;;
		esac
	done
	taken=$((count - $#))
}

set_option() {
	case $1 in
	--append) append="$append $2" ;;
	--cpu) cpu=$2 ;;
	--dmesg) log_file=$2 ;;
	--firmware) firmware=$2 ;;
	--get) add_get "$2" ;;
	--kernel) kernel_name "$2" ;;
	--mem) memory=$2 ;;
	--module) module=$2 ;;
	--module-args) module_args=$2 ;;
	--plain-hart) plain_harts="$plain_harts $2" ;;
	--plugin)
		[ -r "${2%%,*}" ] || die "--plugin: cannot read ${2%%,*}"
		plugin_args="$plugin_args -plugin $(quote "$2")"
		;;
	--put) add_put "$2" ;;
	--qemu-arg) qemu_args="$qemu_args $(quote "$2")" ;;
	--smp) smp=$2 ;;
	--timeout) timeout=$2 ;;
	esac
}

# check_number OPTION VALUE
check_number() {
	case $2 in
	'' | *[!0-9]* | 0*) die "$1: not a number above 0: '$2'" ;;
	esac
}

# Checks what the options say before anything is started.
check_options() {
	local kernel
	check_number --smp "$smp"
	check_number --timeout "$timeout"
	case $firmware in
	1.6 | 1.9) ;;
	*) die "no firmware '$firmware': take 1.6 or 1.9" ;;
	esac
	kernel=$(kernel_folder) || exit
	kernel=$(cat "$kernel/release") ||
		die 'the cache is damaged: remove its file stamp, run setup'
	if [ "$module" = default ]; then
		module=$repo/build/driver/$kernel/ssctr.ko
		[ -r "$module" ] ||
			die "no module for kernel $kernel: run 'make driver'" \
				'or give --no-module'
	fi
	[ -z "$module" ] || [ -r "$module" ] || die "cannot read $module"
	check_qemu
}

# With an older QEMU there are no samples, which looks like the driver's fault.
check_qemu() {
	local text version
	text=$(host_run bin/qemu-system-riscv64 --version 2>&1)
	version=$(printf '%s\n' "$text" |
		sed -n 's/.*version \([0-9.]*\).*/\1/p')
	[ "$version" ] || die "QEMU does not start: $text"
	printf '%s\n' $qemu_min "$version" | sort -V -C ||
		die "QEMU $version is too old: counter overflow needs $qemu_min"
}

# settings MODE [WORD]...: prints what the guest's init reads. WORD are the
# command.
settings() {
	local i=0 text
	echo "mode=$1 module=${module:+1} module_may_fail=$module_may_fail"
	echo "modules=$modules puts=$puts gets=$gets $terminal"
	echo "random=$(head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n')"
	shift
	echo "module_args=$(quote "$module_args")"
	while [ $i -lt $puts ]; do
		eval "text=\$put_to_$i"
		echo "put_$i=$(quote "$text")"
		i=$((i + 1))
	done
	i=0
	while [ $i -lt $gets ]; do
		eval "text=\$get_from_$i"
		echo "get_$i=$(quote "$text")"
		i=$((i + 1))
	done
	[ $# -gt 0 ] || return 0
	echo 'run_command() {'
	for text; do
		quote "$text"
		printf ' '
	done
	printf '\n}\n'
}

# put_module: puts the module into $top, and what it loads itself for bpf=1.
put_module() {
	local snapshot
	snapshot=$(dirname "$module")/ssctr_snapshot.ko
	mkdir -p "$top/usr/lib/ssctr" "$top/usr/lib/modprobe.d" &&
		cp "$module" "$top/usr/lib/ssctr/ssctr.ko" &&
		cp "$here/guest/modprobe.conf" "$top/usr/lib/modprobe.d/ssctr-vm.conf" || return
	[ ! -r "$snapshot" ] || cp "$snapshot" "$top/usr/lib/ssctr/"
}

# make_initrd: writes $tmp/initrd, the guest's initramfs and behind it its first process.
make_initrd() {
	{
		mkdir -p "$tmp/first" && cp "$here/guest/init" "$tmp/first/" &&
			chmod 755 "$tmp/first/init" && cp "$cache/initramfs-$line" "$tmp/initrd" &&
			(cd "$tmp/first" && echo init | host_run bin/cpio \
				-o -H newc -R 0:0 --quiet) >>"$tmp/initrd"
	} 2>/dev/null && return
	rm -f "$tmp/initrd"
	say "cannot write $tmp/initrd: is ${TMPDIR:-/tmp} full?"
	return 125
}

# make_ready MODE [WORD]...: writes what the machine begins with, and what it is sent.
make_ready() {
	make_ports
	find_booted
	[ "$booted" ] || make_initrd || exit
	make_input "$@"
}

# make_input MODE [WORD]...: writes $tmp/input, what the guest reads when it has booted: the
# time, and an archive of the settings and of all files.
make_input() {
	local i=0 from top=$tmp/files.in
	mkdir -p "$top/ssctr/put" && settings "$@" 2>/dev/null >"$top/ssctr/settings" ||
		die "cannot write in $tmp: is ${TMPDIR:-/tmp} full?"
	while [ $i -lt $puts ]; do
		eval "from=\$put_from_$i"
		cp -RHp --preserve=links "$from" "$top/ssctr/put/$i" ||
			die "--put: cannot copy $from"
		i=$((i + 1))
	done
	[ -z "$module" ] || put_module || die "cannot write in $tmp: is ${TMPDIR:-/tmp} full?"
	{ date +%s && tar -C "$top" --owner=0 --group=0 --numeric-owner -cSf - .; } >"$tmp/input" ||
		die "cannot write $tmp/input: is ${TMPDIR:-/tmp} full?"
	rm -rf "$top"
}

# make_ports: sets $port_args, QEMU's arguments for what comes out of the guest, and for
# what goes in, each through a port of its own into and from a file below $tmp.
make_ports() {
	local name folder
	folder=$(quote "$tmp")
	port_args="-device virtio-serial-pci \
		-chardev file,id=input,path=/dev/null,input-path=$folder/input \
		-device virtserialport,chardev=input,name=input"
	for name in $streams; do
		# QEMU may end before it makes them.
		: >"$tmp/$name"
		port_args="$port_args -chardev file,id=$name,path=$folder/$name \
			-device virtserialport,chardev=$name,name=$name"
	done
}

# new_folder: sets $tmp, a folder for this run, which the caller removes.
new_folder() {
	tmp=$(mktemp -d) || exit 125
	case $tmp in
	*,*)
		rmdir "$tmp"
		die "QEMU takes no comma in TMPDIR: $TMPDIR"
		;;
	/*) ;;
	*) tmp=$PWD/$tmp ;;
	esac
}

# qemu_binary ARGUMENT...: becomes QEMU. The kernel ends QEMU when the shell that
# started it dies, of whatever.
qemu_binary() {
	local lib=$host/usr/lib/x86_64-linux-gnu
	exec setpriv --pdeathsig KILL \
		"$lib/ld-linux-x86-64.so.2" \
		--library-path "$lib" "$host/usr/bin/qemu-system-riscv64" \
		-L "$host/usr/share/qemu" -m "$memory" -smp "$smp" \
		-cpu "$cpu" -nodefaults -display none -no-reboot "$@"
}

# plain_device_tree: writes $tmp/dtb, QEMU's device tree of this machine, in which
# the harts of $plain_harts have no Ssctr.
plain_device_tree() {
	local tree=$tmp/dtb hart node isa list name
	(qemu_binary -M "virt,dumpdtb=$tree") >"$tmp/dump" 2>&1 &&
		[ -s "$tree" ] ||
		die "QEMU writes no device tree: $(tail -n 1 "$tmp/dump")"
	for hart in $plain_harts; do
		node=/cpus/cpu@$hart
		isa=$(host_run bin/fdtget "$tree" "$node" riscv,isa) ||
			die "--plain-hart: the machine has no hart $hart"
		list=
		for name in $(host_run bin/fdtget "$tree" "$node" \
			riscv,isa-extensions); do
			case $name in
			smctr | ssctr) isa=$(echo "$isa" | sed "s/_$name//") ;;
			*) list="$list $name" ;;
			esac
		done
		host_run bin/fdtput -t s "$tree" "$node" riscv,isa "$isa" &&
			host_run bin/fdtput -t s "$tree" "$node" \
				riscv,isa-extensions $list ||
			die 'cannot change the device tree'
	done
}

# The kernel's keys, by which it would know its own distribution's modules, take a quarter
# of an emulated boot, and nobody here asks who signed a module.
no_keys='initcall_blacklist=load_system_certificate_list,init_encrypted'
# Its tests of its own ciphers take as many instructions as the rest of the boot.
no_crypto_tests='cryptomgr.notests=1'

# The disk's interrupt is lost now and then on a busy host. Its driver then looks for itself,
# after 30 s unless it is told otherwise.
short_wait='nvme_core.io_timeout=2'

# qemu ARGUMENT...: becomes QEMU with the machine that the options describe.
qemu() {
	local board=virt efi
	truncate -s 64M "$tmp/nvme"
	eval "set -- \"\$@\" $port_args $icount $plugin_args $qemu_args"
	if [ "$plain_harts" ]; then
		plain_device_tree
		set -- "$@" -dtb "$tmp/dtb"
	fi
	if [ "$acpi" ]; then
		efi=$host/usr/share/qemu-efi-riscv64
		cp "$efi/RISCV_VIRT_VARS.fd" "$tmp/vars" || exit
		board=virt,acpi=on,pflash0=code,pflash1=vars
		# Else EDK2 waits five seconds for a key, and on a busy host has been seen to stay
		# there: its timer's interrupts nest (edk2, issue 8527).
		set -- "$@" -boot menu=on,splash-time=0
		set -- "$@" -blockdev "driver=file,node-name=code,read-only=on,filename=$efi/RISCV_VIRT_CODE.fd" \
			-blockdev "driver=file,node-name=vars,filename=$tmp/vars"
	fi
	qemu_binary -M "$board" \
		-bios "$cache/firmware/$firmware/generic/fw_dynamic.bin" \
		-kernel "$cache/kernel-$line$flavour/image" \
		-append "console=ttyS0 quiet loglevel=5 panic=-1 $no_keys $no_crypto_tests $short_wait$append" \
		-drive "if=none,id=disk,format=raw,file=$tmp/nvme" \
		-device nvme,serial=ssctr,drive=disk "$@"
}
