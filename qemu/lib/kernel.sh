# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm kernel: a small kernel of one's own for this machine, which may look for
# faults, from the sources of a stock one. It is built in its final place, so
# that a build that was interrupted goes on; its stamp says that it is whole.

. "$here/lib/source.sh"

usage_kernel() {
	cat <<-END
		usage: qemu/vm kernel LINE-debug|LINE-kcsan|LINE-plain

		Print the folder of a kernel of one's own. It is built from the sources of
		the stock kernel of LINE ($kernel_lines), or of the kernel that comes next: with
		LINE next, they are the newest in Debian's experimental. If it is missing, build it,
		which takes 15 minutes on two processors. To use it, give its name to --kernel of
		qemu/vm run, shell and path, or to qemu/kbuild. The kernels look for:
		    plain  nothing: it is as fast as a stock kernel
		    debug  memory errors (KASAN), wrong locking (lockdep), wrong use of RCU, sleeping
		           in atomic code, memory leaks (kmemleak), use of objects after their end
		    kcsan  data races in which the module takes part
	END
}

# kernel_make FOLDER LINE ARGUMENT...
kernel_make() {
	local build=$1 source=$cache/source-$2
	shift 2
	[ ! -e "$build/Kconfig.top" ] ||
		set -- "$@" KBUILD_KCONFIG="$build/Kconfig.top"
	[ ! -e "$build/first.mk" ] || set -- "$@" MAKEFILES="$build/first.mk"
	LC_ALL=C nice -n 5 "$here/on-host" make -C "$source" O="$build" \
		ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- \
		-j "$(nproc)" "$@" 9>&-
}

# wanted FLAVOUR: prints its options.
wanted() (
	cd "$here" && cat kernel.config "kernel-$1.config" || return
	[ "$1" = plain ] || cat kernel-faults.config
)

# configure LINE FLAVOUR FOLDER: all options of the flavour have to be there.
configure() {
	local build=$3 source=$cache/source-$1 more=$here/Kconfig.$2 lost
	[ ! -e "$here/kernel-$2.mk" ] ||
		cp "$here/kernel-$2.mk" "$build/first.mk" || return
	wanted "$2" >"$build/wanted" || return
	set -- "$build" "$1" KCONFIG_ALLCONFIG="$build/wanted" allnoconfig
	if [ -e "$more" ]; then
		cat "$source/Kconfig" "$more" >"$build/Kconfig.top" || return
	fi
	kernel_make "$@" || return
	lost=$(grep '^CONFIG.*=[^n]' "$build/wanted" |
		grep -vxFf "$build/.config")
	[ -z "$lost" ] ||
		echo "error: these options are not to be had: $lost"
	[ -z "$lost" ]
}

# drop_objects FOLDER: what no module's build needs.
drop_objects() {
	find "$1" \( -path "$1/scripts" -o -path "$1/tools" \) -prune -o \
		\( -name '*.o' -o -name '*.a' -o -name '.*.cmd' -o \
		-name 'vmlinux*' -o -name '.tmp_*' \) -type f -exec rm -f {} +
}

# build_kernel LINE FLAVOUR: builds in kernel-LINE-FLAVOUR.
build_kernel() {
	local root=$cache/kernel-$1-$2 build log
	build=$root/build
	log=$root/build.log
	mkdir -p "$build"
	set -- "$1" "$2" "$build"
	if ! configure "$@" >"$log" 2>&1 ||
		! kernel_make "$build" "$1" Image modules >>"$log" 2>&1; then
		die "the kernel did not build:" \
			"$(grep -m 1 -iE 'error|\*\*\*' "$log") ($log)"
	fi
	mv "$build/arch/riscv/boot/Image" "$root/image" &&
		cp "$build/include/config/kernel.release" "$root/release" &&
		drop_objects "$build" || die "cannot write in $root"
}

# get_kernel LINE FLAVOUR: makes kernel-LINE-FLAVOUR complete.
get_kernel() {
	local line=$1 flavour=$2 name key
	name=kernel-$line-$flavour
	get_source "$line"
	# Its programs are those of the newest stock kernel.
	if [ "$line" = next ]; then
		ln -sfn "guest-${kernel_lines##* }" "$cache/guest-next" &&
			ln -sfn "initramfs-${kernel_lines##* }" "$cache/initramfs-next" ||
			die "cannot write in $cache"
	fi
	key=$(cat "$cache/stamps/source-$line"):$({
		wanted "$flavour"
		cd "$here" && cat "Kconfig.$flavour" "kernel-$flavour.mk" 2>/dev/null
	} | sha256sum | cut -c 1-32)
	stamped "$name" "$key" && return
	exec 9>"$cache/lock-$name"
	flock 9
	stamped "$name" "$key" && return
	# What was begun from something else is of no use.
	stamped "$name-begun" "$key" || rm -rf "${cache:?}/$name"
	stamp "$name-begun" "$key"
	say "building a kernel $line-$flavour"
	build_kernel "$line" "$flavour"
	stamp "$name" "$key"
	exec 9>&-
}

print_kernel() {
	case ${1-} in
	-h | --help)
		usage_kernel
		return
		;;
	esac
	kernel_name "${1-}"
	[ "$flavour" ] || die "which kernel? Take LINE-debug, LINE-kcsan or LINE-plain"
	is_complete || setup
	get_kernel "$line" "${flavour#-}"
	echo "$cache/kernel-$line$flavour"
}
