# What the orders of `cargo xtask powercut --machine` are made of: the way to the witness, and what stands on the drive. Every function ends
# the order with a status that is not 0 where a step fails.

. /share/lib.sh

# up: the network, and the key of the witness where ioproof looks for it.
up() {
    modprobe virtio_net || exit
    ip link set lo up || exit
    ip address add 10.0.2.15/24 dev eth0 || exit
    ip link set eth0 up || exit
    mkdir -p /tmp/ioproof || exit
    cp -r /share/config /tmp/ioproof/config || exit
    chmod -R go= /tmp/ioproof/config
}

# write_through DISK: the kernel is told that there is no cache to flush.
write_through() {
    echo 'write through' >"/sys/block/${1#/dev/}/queue/write_cache" || exit
}

# partition DISK: the first one, once its node is there.
partition() {
    local tries=0
    while [ ! -b "${1}1" ]; do
        [ $tries -lt 50 ] || exit 1
        usleep 100000
        tries=$((tries + 1))
    done
    echo "${1}1"
}

# make KIND DISK OPTIONS [WORD]...: a filesystem, or a pool on a partition: zpool waits for udev when it is given a whole disk.
make() {
    local kind=$1 disk=$2 options=$3 part
    shift 3
    if [ "$kind" != zfs ]; then mkfs.$kind "$@" "$disk" || exit; return; fi
    load-zfs || exit
    sgdisk --zap-all --new 1:2048:0 "$disk" >&2 || exit
    part=$(partition "$disk") || exit
    zpool create -f -o cachefile=none -O atime=off -m /mnt tank "$part" || exit
    zfs set "$options" tank && zpool sync tank && zpool export tank || exit
}

# stand KIND DISK OPTIONS: mounts it, or imports the pool, which replays a journal.
stand() {
    local part
    if [ "$1" != zfs ]; then mount -t "$1" -o "$3" "$2" /mnt; exit; fi
    [ -e /sys/module/zfs ] || load-zfs || exit
    part=$(partition "$2") || exit
    # -f: whoever used it last did not say goodbye.
    zpool import -f -o cachefile=none -d "$part" tank && grep -q '^tank /mnt zfs ' /proc/mounts
    exit
}
