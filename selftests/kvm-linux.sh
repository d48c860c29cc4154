#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A Linux guest records its own branches where KVM has the patches of kvm-patches, and the
# host and its guest see nothing of each other: kvm-linux.sh FOLDER
# The host has a stock kernel of 7.x with a kvm.ko that is built in FOLDER. Its guest has the
# same kernel, and the module in both is the same. QEMU logs what the guest executes while it
# records, and the judge is on this machine, as in truth.sh. TRUTH_SAMPLES says how many
# samples of all user code.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=7.x
out=$1
samples=${TRUTH_SAMPLES:-2000}
release=$(qemu/vm path release --kernel $kernel) || exit
# KVM gives Sscofpmf to guests of harts with AIA alone.
cpu=rv64,h=on,smctr=on,ssctr=on,smcsrind=on,sscsrind=on,sscofpmf=on,v=off
cpu=$cpu,smstateen=on,smaia=on,ssaia=on

# KVM's sources, and those of its headers that the patches change, with the patches.
patched() {
	root=$(qemu/vm checkers) && source=$(qemu/vm source $kernel) || return
	rm -rf "$out" && mkdir -p "$out" || return
	(cd "$source" && find arch/riscv/kvm virt/kvm arch/riscv/include/asm/kvm*.h \
		arch/riscv/include/uapi/asm/kvm.h arch/riscv/include/asm/csr.h \
		arch/riscv/include/asm/hwcap.h arch/riscv/kernel/cpufeature.c -type f |
		tar -cf - -T -) | tar -C "$out" -xf - || return
	for patch in selftests/kvm-patches/*.patch; do
		qemu/on-host --root "$root" patch -s -F 0 -p 1 -d "$out" <"$patch" || return
	done
}
t the_patches_apply_to_the_kernels_sources patched

# Out of the kernel's tree, with the headers of the stock kernel behind the patched ones.
built() {
	# shellcheck disable=SC2016
	sed -i 's:\$(srctree)/virt:$(src)/../../../virt:' "$out/arch/riscv/kvm/Makefile" || return
	# shellcheck disable=SC2016
	echo 'LINUXINCLUDE := -I$(src)/../include -I$(src)/../include/uapi $(LINUXINCLUDE)' \
		>>"$out/arch/riscv/kvm/Makefile"
	unset MAKEFLAGS MFLAGS MAKELEVEL
	qemu/on-host make -s -C "$(qemu/vm path headers --kernel $kernel)" \
		M="$(cd "$out" && pwd)/arch/riscv/kvm" ARCH=riscv \
		CROSS_COMPILE=riscv64-linux-gnu- KCFLAGS=-Werror modules &&
		qemu/on-host riscv64-linux-gnu-strip -g -o "$out/kvm.ko" \
			"$out/arch/riscv/kvm/kvm.ko"
}
t a_kvm_with_them_builds_without_a_warning built

# The guest's initramfs is the host's, with our files behind it.
packed() {
	mkdir -p "$out/files/t/t" &&
		cp selftests/kvm-linux-init "$out/files/t/init" &&
		cp selftests/*.sh build/selftests/fields build/selftests/before \
			build/selftests/switch build/selftests/callstack build/selftests/truth \
			build/selftests/trace_work "build/driver/$release/ssctr.ko" "$out/files/t/t/" &&
		echo "$samples" >"$out/files/t/t/samples" &&
		cp "$(qemu/vm path initramfs --kernel $kernel)" "$out/initrd" &&
		(cd "$out/files" && find . -print0 |
			"$top/qemu/on-host" cpio -o -0 -H newc -R 0:0 --quiet) >>"$out/initrd" &&
		end=$((0x88000000 + $(wc -c <"$out/initrd"))) &&
		sed "s/INITRD_END/$(printf '%#x' "$end")/" selftests/kvm-linux.dts >"$out/dts" &&
		qemu/on-host dtc -q -O dtb -o "$out/dtb" "$out/dts"
}
t the_guest_is_packed packed

plan || exit

# An entry of KVM switches each record: few of them make the guest as much faster.
qemu/vm run --kernel $kernel --smp 1 --mem 4G --timeout 900 --cpu "$cpu" \
	--plugin build/plugin/transfers.so,log="$out/log" --get "/tmp/samples.tgz:$out/samples.tgz" \
	--module "build/driver/$release/ssctr.ko" --module-args depth=32 \
	--put "build/selftests/kmod/$release/ssctr_test.ko:/t/" --put "$out/kvm.ko:/t/" \
	--put build/selftests/kvm:/t/ --put build/selftests/kvm_linux:/t/ \
	--put "$(qemu/vm path image --kernel $kernel):/t/image" --put "$out/initrd:/t/" \
	--put "$out/dtb:/t/" --put selftests/kvm-linux-host.sh:/t/ --put selftests/ktap.sh:/t/ \
	--put selftests/guest.sh:/t/ -- /t/kvm-linux-host.sh
status=$?
mkdir "$out/samples" && tar -C "$out/samples" -xzf "$out/samples.tgz" &&
	build/tests/judge/truth_samples "$out/samples/perf.data" b 32 "$out/samples/perf" || exit
part=$((samples / 10))
set --
for name in any any_call cond ind_jump_any_ret call_stack turns_a turns_b \
	user_kernel kernel beside_cond beside_any_call beside_kernel beside_user; do
	set -- "$@" "$out/samples/$name"
done
# perf's default is a frequency, with fewer samples.
build/tests/judge/truth_check -a "$out/log" "$samples,$part" "$@" &&
	build/tests/judge/truth_check -a "$out/log" 50 "$out/samples/perf" || status=1
[ $status != 0 ] || rm -f "$out/log"
exit $status
