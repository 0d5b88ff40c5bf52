#!/bin/bash
# Runs a command in a Debian tree, with the devices and processes of this machine and one shared folder. Start it with
# `unshare --mount`, so that nothing stays mounted when the command ends.
#   in-tree.sh <tree> <shared folder> <command...>
set -euo pipefail
tree=$1 shared=$2
shift 2
mount --bind "$tree" "$tree"
for folder in proc dev sys; do mount --rbind "/$folder" "$tree/$folder"; done
# With both versions of cgroups mounted, the engine uses version 1.
if mountpoint -q "$tree/sys/fs/cgroup/unified"; then umount "$tree/sys/fs/cgroup/unified"; fi
mkdir -p "$tree$shared"
mount --bind "$shared" "$tree$shared"
mount -t tmpfs tmpfs "$tree/run"
# Not chroot: `docker exec` enters a container by its mount namespace, whose root must then be the container's.
mkdir -p "$tree/before"
cd "$tree"
pivot_root . before
umount --lazy /before
exec "$@"
