# The write rule on real drives: `. /share/write_rule.sh`, after write_cases.sh and what it says of `command`. Whatever holds data, is in use or
# was not named is refused and stays as it is, to the byte; an empty drive that was named by its serial number is written.
#
# What counts as a refusal stands in write_cases.sh. That the very same command writes when nothing speaks against it is shown at the
# end for every bus, so no case can pass because the command never writes.

nvme=$(drive NVME-A)
space1=$(drive NVME-B 1)
space2=$(drive NVME-B 2)
sata=$(drive SATA-A)
scsi=$(drive SCSI-A)
virtio=$(drive VIRTIO-A)
mkdir -p /mnt /by-id

# filesystem DEVICE: ext4 with a file, nothing left to be written later.
filesystem() {
    must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$1"
    must mount -o noatime "$1" /mnt
    echo 'somebody needs this' >/mnt/file
    must umount /mnt
}

echo '== mounted'
must sgdisk --new 1:2048:0 "$sata"
must blockdev --rereadpt "$sata"
filesystem "${sata}1"
must mount -o noatime "${sata}1" /mnt
refused 'a disk with a mounted partition' 'is mounted at /mnt' "$sata" --destroy SATA-A
refused 'the mounted partition itself' 'is a partition of' "${sata}1" --destroy SATA-A
ln -s "$sata" /by-id/ata-SATA-A
refused 'through a link as in /dev/disk/by-id' 'is mounted at /mnt' /by-id/ata-SATA-A --destroy SATA-A
must umount /mnt
empty "$sata"

filesystem "$nvme"
must mount -o noatime "$nvme" /mnt
refused 'a mounted disk' 'is mounted at /mnt' "$nvme" --destroy NVME-A
refused 'a mounted disk, with every consent' 'is mounted at /mnt' "$nvme" --destroy NVME-A --destroy-unknown-content
must umount /mnt

# Seen from outside the namespace there is no mount, and a read-only one does not mind that the bytes below it are gone.
unshare --mount sh -c "mount -o ro $nvme /mnt && touch /tmp/mounted && exec sleep 600" &
while [ ! -e /tmp/mounted ]; do usleep 50000; done
must dd if=/dev/zero of="$nvme" bs=4M count=8 oflag=direct
refused 'an emptied disk, mounted in another mount namespace' 'exclusively|is mounted' "$nvme" --destroy NVME-A
kill $!
wait $! 2>/dev/null
empty "$nvme"

must modprobe btrfs
must mkfs.btrfs -q --mixed "$scsi" "$virtio"
must mount -o noatime,device="$virtio" "$scsi" /mnt
refused 'the second disk of a mounted Btrfs' 'part of the mounted Btrfs|is mounted at' "$virtio" --destroy VIRTIO-A
must umount /mnt
refused 'an unmounted Btrfs' 'signature of Btrfs' "$virtio" --destroy VIRTIO-A
empty "$scsi"
empty "$virtio"

echo '== swap'
must mkswap "$virtio"
must swapon "$virtio"
refused 'swap in use' 'is swapped to' "$virtio" --destroy VIRTIO-A
must swapoff "$virtio"
refused 'swap not in use' 'signature of .*[Ss]wap' "$virtio" --destroy VIRTIO-A
empty "$virtio"

echo '== RAID'
for version in 0.90 1.0 1.2; do
    must mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=$version "$scsi" missing
    sleep 1
    refused "a member of a running md array, metadata $version" 'is held by md0' "$scsi" --destroy SCSI-A
    must mdadm --stop /dev/md0
    refused "a member of a stopped md array, metadata $version" 'signature of md RAID' "$scsi" --destroy SCSI-A
    empty "$scsi"
done

echo '== device mapper'
must lvm pvcreate --yes "$scsi"
refused 'a physical volume of LVM' 'signature of LVM' "$scsi" --destroy SCSI-A
must lvm vgcreate vg "$scsi"
must lvm lvcreate --yes --zero n --wipesignatures n --name lv --size 16M vg
refused 'a physical volume with an active logical one' 'is held by dm-' "$scsi" --destroy SCSI-A
must lvm vgchange --activate n vg
empty "$scsi"

echo secret >/tmp/key
must cryptsetup --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 luksFormat "$sata" /tmp/key
refused 'LUKS, closed' 'signature of LUKS' "$sata" --destroy SATA-A
must cryptsetup --key-file /tmp/key open "$sata" secret
refused 'LUKS, open' 'is held by dm-' "$sata" --destroy SATA-A
must cryptsetup close secret
empty "$sata"

must dd if=/dev/urandom of=/tmp/key bs=32 count=1
must cryptsetup --batch-mode --cipher aes-xts-plain64 --key-size 256 --key-file /tmp/key open --type plain "$sata" plain
refused 'plain dm-crypt without content, open' 'is held by dm-' "$sata" --destroy SATA-A
must dd if=/dev/zero of=/dev/mapper/plain bs=4M count=4 oflag=direct
must cryptsetup close plain
refused 'plain dm-crypt, closed' 'is not empty' "$sata" --destroy SATA-A
empty "$sata"

echo '== other holders'
must modprobe target_core_iblock
must mount -t configfs none /sys/kernel/config
export_folder=/sys/kernel/config/target/core/iblock_0/exported
mkdir -p $export_folder
echo "udev_path=$virtio" >$export_folder/control
echo 1 >$export_folder/enable
refused 'exported by the kernel to other hosts' 'exclusively' "$virtio" --destroy VIRTIO-A
rmdir $export_folder

sh -c 'exec sleep 600 3<>"$1"' - "$virtio" &
usleep 200000
refused 'open for writing in a process' 'is open for writing in process' "$virtio" --destroy VIRTIO-A
kill $!
wait $! 2>/dev/null

loop=$(losetup --find --show "$virtio") || die 'no loop device'
refused 'a disk under a loop device' 'backs loop' "$virtio" --destroy VIRTIO-A
refused 'the loop device on a disk' 'loop device on|lies on the device' "$loop" --destroy "${loop#/dev/}"
must losetup --detach "$loop"

must blockdev --setro "$virtio"
refused 'set read-only' 'is read-only' "$virtio" --destroy VIRTIO-A
must blockdev --setrw "$virtio"

echo '== content'
filesystem "$scsi"
refused 'an unmounted ext4' 'signature of ext2, ext3 or ext4' "$scsi" --destroy SCSI-A
refused 'an unmounted ext4, with every consent' 'signature of ext2, ext3 or ext4' "$scsi" --destroy SCSI-A --destroy-unknown-content
only_read 'an unmounted ext4 without consent' "$scsi"
empty "$scsi"

must sgdisk --clear "$sata"
refused 'a GPT without partitions' 'signature of GPT partition table at' "$sata" --destroy SATA-A
must dd if=/dev/zero of="$sata" bs=512 count=34 oflag=direct
must blockdev --rereadpt "$sata"
refused 'the backup of a GPT alone' 'signature of GPT partition table \(backup\)' "$sata" --destroy SATA-A
empty "$sata"

echo 'type=83' >/tmp/table
sfdisk --quiet "$virtio" </tmp/table >/tmp/sfdisk.log 2>&1 || die "sfdisk: $(cat /tmp/sfdisk.log)"
must blockdev --rereadpt "$virtio"
refused 'an MBR with a partition' 'has partitions' "$virtio" --destroy VIRTIO-A
empty "$virtio"
echo 'label: dos' >/tmp/table
sfdisk --quiet "$virtio" </tmp/table >/tmp/sfdisk.log 2>&1 || die "sfdisk: $(cat /tmp/sfdisk.log)"
refused 'an MBR without partitions' 'signature of DOS partition table' "$virtio" --destroy VIRTIO-A
empty "$virtio"

must dd if=/dev/urandom of="$nvme" bs=1M count=32 oflag=direct
refused 'random bytes' 'is not empty' "$nvme" --destroy NVME-A
empty "$nvme"
must dd if=/dev/urandom of="$nvme" bs=4096 count=1 seek=5000 oflag=direct
refused 'random bytes in one block of 4 KiB in the middle' 'is not empty' "$nvme" --destroy NVME-A
written 'unknown content with the second consent' "$nvme" --destroy NVME-A --destroy-unknown-content
empty "$nvme"

echo '== the running system'
# A root of its own on the drive: what is mounted there is `/` for whoever runs in it.
must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$scsi"
must mount -o noatime "$scsi" /mnt
mkdir -p /mnt/proc /mnt/sys /mnt/dev /mnt/bin /mnt/tmp
cp /bin/ioproof /mnt/bin/
for folder in proc sys dev; do must mount --bind /$folder /mnt/$folder; done
inside='chroot /mnt'
refused 'the disk with the root filesystem' 'running system stands on|is mounted at /( |;|$)' "$scsi" --destroy SCSI-A
inside=
for folder in proc sys dev; do must umount /mnt/$folder; done
must umount /mnt
empty "$scsi"

echo '== names'
for wrong in SATA SATA-A1 sata-a SCSI-A "$sata" "${sata#/dev/}" SATA-A:1; do
    refused "named $wrong instead of SATA-A" 'does not name' "$sata" --destroy "$wrong"
done
only_read 'an empty disk without consent' "$sata"
refused 'a serial number that two drives bear' 'same serial number' "$(drive TWIN 1)" --destroy TWIN
refused 'its twin' 'same serial number' "$(drive TWIN 2)" --destroy TWIN

echo '== namespaces'
for wrong in NVME-B NVME-B:1 NVME-B:3 NVME-A; do
    refused "namespace 2 of NVME-B named $wrong" 'does not name' "$space2" --destroy $wrong
done
filesystem "$space1"
must mount -o noatime "$space1" /mnt
refused 'a namespace beside a mounted one' 'shares its controller' "$space2" --destroy NVME-B:2
must umount /mnt

echo '== what may be written'
content "$space1" /tmp/neighbour
written 'an empty NVMe namespace' "$space2" --destroy NVME-B:2
content "$space1" /tmp/after
if cmp -s /tmp/neighbour /tmp/after; then pass 'the namespace beside it is as before'; else fail 'the namespace beside it changed'; fi
rm /tmp/neighbour
written 'an empty NVMe disk' "$nvme" --destroy NVME-A
written 'the same again: its own content is no obstacle' "$nvme" --destroy NVME-A
written 'an empty SATA disk through a link' /by-id/ata-SATA-A --destroy SATA-A
written 'an empty SCSI disk' "$scsi" --destroy SCSI-A
written 'an empty virtio disk' "$virtio" --destroy VIRTIO-A
