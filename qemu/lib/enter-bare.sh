# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
# enter-bare.sh ROOT COMMAND [ARGUMENT]...: runs COMMAND in ROOT as its root, inside of
# a new mount namespace, with this system's devices, and the folder BIND where there is one.
set -eu
root=$1
shift
# A mount of its own, as the root of a container is.
mount --rbind "$root" "$root"
for name in dev proc sys; do
	mount --rbind "/$name" "$root/$name"
done
[ -z "${BIND-}" ] || mount --rbind "$BIND" "$root$BIND"
exec chroot "$root" "$@"
