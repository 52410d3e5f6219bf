# needs: zfs
# The write rule on real members of real ZFS pools, whatever is left of their labels; and what `list` and `identify` say of them.
#
# ZFS leaves no trace in the kernel's tables of holders and mounts, so nothing but labels, its own cache file and the exclusive open
# stands between a pool and a command that writes. What counts as a refusal stands in write_cases.sh.

. /share/lib.sh
. /share/write_cases.sh

must load-zfs
# Small, as the drives' contents are compared in memory; and no writing of its own while a case counts sectors.
echo 67108864 >/sys/module/zfs/parameters/zfs_arc_max
echo 3600 >/sys/module/zfs/parameters/zfs_txg_timeout
echo 3600 >/sys/module/zfs/parameters/l2arc_feed_secs

nvme=$(drive NVME-A)
sata=$(drive SATA-A)
scsi=$(drive SCSI-A)
virtio=$(drive VIRTIO-A)
space=$(drive NVME-B 1)

# fill: a file in the pool `tank` that is on its drives.
fill() {
    must dd if=/dev/urandom of=/tank/file bs=1M count=4
    must zpool sync tank
}

# raw WORD|DEVICE...: a pool on whole drives without a partition table, as other systems make them, exported. zpool puts a table on
# every whole drive here, so the pool is made on partitions of the same size and copied.
raw() {
    layout='' copies=''
    for word; do
        case $word in
        /dev/*)
            size=$(blockdev --getsize64 "$word")
            image=/tmp/image-${word##*/}
            must truncate -s $((size + 2097152)) "$image"
            must sgdisk --new 1:2048:$((size / 512 + 2047)) "$image"
            loop=$(losetup --find --show --partscan "$image") || die 'no loop device'
            layout="$layout ${loop}p1" copies="$copies $loop:$word"
            ;;
        *) layout="$layout $word" ;;
        esac
    done
    must zpool create -f -O atime=off -m /tank tank $layout
    fill
    must zpool export tank
    for copy in $copies; do
        loop=${copy%:*} device=${copy#*:}
        must dd if="${loop}p1" of="$device" bs=1M oflag=direct
        must losetup --detach "$loop"
        rm "/tmp/image-${device##*/}"
    done
}

# import DEVICE...: imports `tank` from these.
import() {
    places=''
    for device; do places="$places -d $device"; done
    must zpool import $places tank
    must zpool sync tank
}

# wipe_labels DEVICE front|end: zeros over two of the four labels, each 256 KiB; those at the end are counted from a multiple of that.
wipe_labels() {
    first=0
    if [ "$2" = end ]; then first=$(($(blockdev --getsize64 "$1") / 262144 - 2)); fi
    must dd if=/dev/zero of="$1" bs=256k count=2 seek=$first oflag=direct
}

# imported KIND DEVICE SERIAL: refused while the pool is imported, with every consent.
imported() {
    refused "$1, imported" 'part of the imported ZFS pool tank' "$2" --destroy "$3" --destroy-unknown-content
}

# exported KIND DEVICE SERIAL TRACE: refused by whichever labels are left. Those at the end are gone afterwards.
exported() {
    kind=$1 device=$2 serial=$3 trace=$4
    refused "$kind, exported" "signature of $trace at byte 16384" "$device" --destroy "$serial" --destroy-unknown-content
    content "$device" /tmp/kept
    wipe_labels "$device" front
    refused "$kind, only the labels at the end left" "signature of $trace at byte [0-9]{8}" "$device" --destroy "$serial"
    must dd if=/tmp/kept of="$device" bs=4M oflag=direct
    rm /tmp/kept
    wipe_labels "$device" end
    refused "$kind, only the labels at the front left" "signature of $trace at byte 16384" "$device" --destroy "$serial"
}

# said CASE PATTERN COMMAND...: it succeeds and prints a line like that.
said() {
    name=$1 pattern=$2
    shift 2
    timeout 60 "$@" </dev/null >/tmp/output 2>&1
    status=$?
    if [ $status -eq 0 ] && grep -qE "$pattern" /tmp/output; then
        pass "said: $name"
    else
        fail "said: $name (exit status $status, expected: $pattern)"
        cat /tmp/output
    fi
}

echo '== one drive'
raw "$scsi"
import "$scsi"
imported 'a pool of one drive' "$scsi" SCSI-A
said 'which pool, in the list' "^${scsi#/dev/} .*ZFS pool tank" ioproof list
said 'which pool, of a member' 'ZFS pool tank' ioproof identify "$scsi"
said 'the drive under a file' 'SCSI-A' ioproof identify /tank/file
said 'the drive under a directory' 'SCSI-A' ioproof identify /tank
must zfs create -V 16M tank/volume
must zpool sync tank
said 'the drive under a volume' 'SCSI-A' ioproof identify /dev/zd0
refused 'a volume' 'lies on|no serial|stands on' /dev/zd0 --destroy zd0
must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/zd0
must mount -o noatime /dev/zd0 /mnt
must zpool sync tank
refused 'a drive under a mounted volume' 'zd0, which lies on .*, is mounted at /mnt' "$scsi" --destroy SCSI-A
must umount /mnt
must zpool export tank
exported 'a pool of one drive' "$scsi" SCSI-A 'ZFS pool tank'
said 'which pool, of an exported member' 'ZFS pool tank' ioproof identify "$scsi"
empty "$scsi"

# Another name for the cache file, and no labels: only the exclusive open is left.
raw "$scsi"
must zpool import -o cachefile=none -d "$scsi" tank
must zpool sync tank
wipe_labels "$scsi" front
wipe_labels "$scsi" end
refused 'an imported pool without labels and cache file' 'is not empty' "$scsi" --destroy SCSI-A
refused 'the same with every consent' 'exclusively' "$scsi" --destroy SCSI-A --destroy-unknown-content
must zpool destroy -f tank
empty "$scsi"

echo '== several drives'
raw mirror "$scsi" "$virtio"
import "$scsi" "$virtio"
imported 'half a mirror' "$virtio" VIRTIO-A
said 'one drive of two under a file' 'SCSI-A' ioproof identify /tank/file
said 'the other drive of two under a file' 'VIRTIO-A' ioproof identify /tank/file
must zpool export tank
exported 'half a mirror' "$virtio" VIRTIO-A 'ZFS pool tank'
empty "$scsi"
empty "$virtio"

raw raidz "$scsi" "$virtio" "$nvme"
import "$scsi" "$virtio" "$nvme"
imported 'raidz, the first' "$scsi" SCSI-A
imported 'raidz, the last' "$nvme" NVME-A
must zpool export tank
exported 'raidz' "$nvme" NVME-A 'ZFS pool tank'
for device in "$scsi" "$virtio" "$nvme"; do empty "$device"; done

raw "$scsi" log "$virtio" cache "$nvme" spare "$space"
exported 'a log device' "$virtio" VIRTIO-A 'ZFS pool tank'
exported 'a cache device' "$nvme" NVME-A 'ZFS cache'
exported 'a spare' "$space" NVME-B:1 'ZFS spare'
said 'what a cache device is' 'ZFS cache' ioproof identify "$nvme"
for device in "$scsi" "$virtio" "$nvme" "$space"; do empty "$device"; done

echo '== partitions'
for device in "$scsi" "$virtio" "$sata" "$nvme" "$space"; do
    must sgdisk --new 1:2048:0 "$device"
    must blockdev --rereadpt "$device"
done
must zpool create -f -O atime=off -m /tank tank "${sata}1" log "${space}p1" cache "${nvme}p1" spare "${virtio}1"
fill
imported 'a partition' "$sata" SATA-A
imported 'a partition for the log' "$space" NVME-B:1
# ZFS does not tell of these two whose they are, but they cannot be opened, and have partitions.
refused 'a partition for a cache, imported' 'has partitions' "$nvme" --destroy NVME-A --destroy-unknown-content
refused 'a partition as a spare, imported' 'has partitions' "$virtio" --destroy VIRTIO-A --destroy-unknown-content
refused 'the partition itself' 'is a partition of' "${sata}1" --destroy SATA-A
refused 'a namespace beside a log device' 'shares its controller with .*ZFS pool tank' "$(drive NVME-B 2)" --destroy NVME-B:2
said 'which pool, of a partition' 'ZFS pool tank' ioproof identify "${sata}1"
said 'which pool, of a partition, in the list' "${space#/dev/}p1 ZFS pool tank" ioproof list
must zpool export tank
refused 'a disk with an exported partition' 'has partitions' "$sata" --destroy SATA-A
said 'which pool, of an exported partition' 'ZFS pool tank' ioproof identify "$sata"
for device in "$scsi" "$virtio" "$sata" "$nvme" "$space"; do empty "$device"; done

# A whole disk as zpool parts it, which itself waits for udev in vain here: one partition, and 8 MiB behind it.
must sgdisk --new 9:-8M:0 --typecode 9:BF07 --new 1:2048:0 --typecode 1:BF01 "$sata"
must blockdev --rereadpt "$sata"
must zpool create -f -O atime=off -m /tank tank "${sata}1"
fill
imported 'a whole disk' "$sata" SATA-A
said 'which pool, of a whole disk' 'ZFS pool tank' ioproof identify "$sata"
said 'which pool, of a whole disk, in the list' "${sata#/dev/}1 ZFS pool tank" ioproof list
must zpool export tank
refused 'a whole disk, exported' 'signature of GPT partition table at' "$sata" --destroy SATA-A
must dd if=/dev/zero of="$sata" bs=512 count=34 oflag=direct
must blockdev --rereadpt "$sata"
refused 'a whole disk without its first partition table' 'signature of GPT partition table \(backup\)' "$sata" --destroy SATA-A
must dd if=/dev/zero of="$sata" bs=512 count=34 seek=$(($(blockdev --getsz "$sata") - 34)) oflag=direct
refused 'a whole disk without partition tables' 'is not empty' "$sata" --destroy SATA-A
empty "$sata"

echo '== what may be written'
raw "$scsi"
must zpool labelclear -f "$scsi"
refused 'after labelclear, with data' 'is not empty' "$scsi" --destroy SCSI-A
empty "$scsi"
written 'after labelclear and zeros' "$scsi" --destroy SCSI-A
empty "$sata"
written 'a former whole disk' "$sata" --destroy SATA-A
written 'a former cache device' "$nvme" --destroy NVME-A

finish
