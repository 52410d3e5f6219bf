# The machine's own drives: each is what the table says, goes and comes as it is told, and fails as it is told. Nothing is timed by
# the clock of the script; what is slow is counted by the kernel.

. /share/lib.sh

# check CASE COMMAND...: passes when the command succeeds.
check() {
    name=$1
    shift
    if "$@" >/tmp/check.log 2>&1; then
        pass "$name"
    else
        fail "$name (status $? of \`$*\`)"
        cat /tmp/check.log
    fi
}

# fails CASE COMMAND...: passes when it does not.
fails() {
    name=$1
    shift
    if "$@" >/tmp/check.log 2>&1; then fail "$name (\`$*\` succeeded)"; else pass "$name"; fi
}

# fails_with ERROR CASE COMMAND...
fails_with() {
    error=$1
    name=$2
    shift 2
    if "$@" >/tmp/check.log 2>&1 || ! grep -q "$error" /tmp/check.log; then
        fail "$name"
        cat /tmp/check.log
    else
        pass "$name"
    fi
}

# same CASE WANTED FOUND
same() {
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1 (wanted $2, found $3)"; fi
}

# sys DEVICE FILE: what the kernel says of a disk.
sys() {
    cat "/sys/block/${1##*/}/$2"
}

# blocks DEVICE COUNT SKIP: reads blocks of 512 bytes past every cache.
blocks() {
    dd if="$1" of=/dev/null bs=512 count="$2" skip="$3" iflag=direct
}

# told SERIAL WORD: one number of what a faulty drive counted.
told() {
    faulty "$1" count | sed "s/.*\\b$2 \\([0-9]*\\).*/\\1/"
}

# Patterns to find again: 256 KiB in writes of 4 KiB.
bytes=262144
tr '\0' U </dev/zero | head -c $bytes >/tmp/pattern

# put DEVICE CONVERSION...: writes the pattern past the page cache.
put() {
    device=$1
    shift
    must dd if=/tmp/pattern of="$device" bs=4096 oflag=direct "$@"
}

# surviving DEVICE: how many bytes of the pattern are there.
surviving() {
    dd if="$1" bs=4096 count=$((bytes / 4096)) iflag=direct 2>/dev/null | tr -d '\0' | wc -c
}

# clear SERIAL: an honest drive that holds zeros, durably.
clear() {
    faulty "$1" honest
    must dd if=/dev/zero of="$(drive "$1")" bs=4096 count=$((bytes / 4096)) oflag=direct conv=fsync
}

echo '== blocks and metadata'
for line in '1 512 512 0' '2 4096 4096 0' '3 512 512 8'; do
    set -- $line
    space=$(drive NVME-F "$1")
    same "namespace $1 has logical blocks of $2 bytes" "$2" "$(sys "$space" queue/logical_block_size)"
    same "namespace $1 has physical blocks of $3 bytes" "$3" "$(sys "$space" queue/physical_block_size)"
    check "namespace $1 says that it has $4 bytes of metadata" sh -c "nvme id-ns $space | grep 'in use' | grep 'ms:$4 '"
    must dd if=/tmp/pattern of="$space" bs=4096 oflag=direct conv=fsync
    same "namespace $1 gives back what it got" $bytes "$(surviving "$space")"
done
same 'the metadata is protection information' T10-DIF-TYPE1-CRC "$(sys "$(drive NVME-F 3)" integrity/format)"
must dd if=/tmp/pattern of="$(drive NVME-F 3)" bs=512 count=1 seek=60001 oflag=direct
check 'all of the namespace with metadata can be read, also what was never written' dd if="$(drive NVME-F 3)" of=/dev/null bs=1M iflag=direct

echo '== two controllers'
head=$(drive NVME-M)
hidden=
for folder in /sys/block/nvme*c*n*; do
    name=${folder##*/}
    [ "$(serial_of "$name")" = NVME-M ] && [ "$(cat "$folder/hidden")" = 1 ] && hidden="$hidden $name"
done
set -- $hidden
same 'two hidden paths lead to one namespace' 2 $#
fails 'there is one disk of it' find_drive NVME-M 2
set -- /sys/class/nvme-subsystem/"$(basename "$(readlink -f "/sys/block/${head##*/}/device")")"/nvme*[0-9]/cntlid
same 'its subsystem has two controllers' 2 $#
must dd if=/tmp/pattern of="$head" bs=4096 oflag=direct conv=fsync
same 'what was written by one path is read by whichever' $bytes "$(surviving "$head")"

echo '== a slot'
place=$(readlink -f "/sys/block/$(basename "$(drive NVME-P)")/device/device")
bridge=${place%/*}
same 'the bridge can do 16 GT/s' '16.0 GT/s PCIe' "$(cat "$bridge/max_link_speed")"
same 'the bridge has four lanes' 4 "$(cat "$bridge/max_link_width")"
same 'its link runs as fast as the drive can' '2.5 GT/s PCIe' "$(cat "$bridge/current_link_speed")"
same 'the link uses the one lane of the drive' 1 "$(cat "$bridge/current_link_width")"

echo '== plugging'
for serial in NVME-P SCSI-P VIRTIO-P FAULTY-N FAULTY-S; do
    device=$(drive $serial)
    put "$device" conv=fsync
    exec 3<"$device"
    unplug $serial
    fails "$serial is gone" find_drive $serial
    # The kernel says that the disk has no bytes any more, so this is an end of file or an error.
    same "$serial gives nothing to who had it open" 0 "$(dd bs=512 count=1 <&3 2>/dev/null | wc -c)"
    exec 3<&-
    plug $serial
    same "$serial is back with its content" $bytes "$(surviving "$(drive $serial)")"
done
place=$(readlink -f "/sys/block/$(basename "$(drive NVME-P)")/device/device")
unplug NVME-P
plug NVME-Q
swapped=$(drive NVME-Q)
same 'another drive is in the place of NVME-P' "$place" "$(readlink -f "/sys/block/${swapped##*/}/device/device")"
fails 'and NVME-P is not there' find_drive NVME-P
same 'with its own content' 0 "$(surviving "$swapped")"
unplug NVME-Q
plug NVME-P
same 'swapped back, the first has its content' $bytes "$(surviving "$(drive NVME-P)")"

for serial in FAULTY-S FAULTY-N; do
    echo "== $serial"
    device=$(drive $serial)
    # What the kernel makes of an unrecovered error: EIO of SCSI's, ENODATA of NVMe's.
    case $serial in
        FAULTY-S) wanted='Input/output error' ;;
        FAULTY-N) wanted='No data available' ;;
    esac
    check 'the kernel knows of its volatile cache' [ "$(sys "$device" queue/write_cache)" = 'write back' ]
    clear $serial

    flushes=$(told $serial flushes)
    put "$device" conv=fsync
    check 'an fsync reaches the drive as a flush' [ "$(told $serial flushes)" -gt "$flushes" ]
    faulty $serial cut 1 >/dev/null
    same 'honest, cut: nothing is lost that was flushed' $bytes "$(surviving "$device")"

    clear $serial
    put "$device"
    faulty $serial cut 1 all >/dev/null
    same 'honest, cut: what was not flushed can all be lost' 0 "$(surviving "$device")"

    clear $serial
    faulty $serial lie
    put "$device" conv=fsync
    same 'lying, not cut: everything is there' $bytes "$(surviving "$device")"
    faulty $serial cut 1 >/dev/null
    kept=$(surviving "$device")
    check "lying, cut: some of what was flushed is lost ($kept of $bytes bytes kept)" [ "$kept" -lt $bytes ]
    check 'and some survives, in whole writes' [ "$kept" -gt 0 -a $((kept % 4096)) -eq 0 ]

    clear $serial
    faulty $serial lie
    must dd if=/tmp/pattern of="$device" bs=64k count=1 oflag=direct conv=fsync
    faulty $serial cut 1 torn >/dev/null
    kept=$(surviving "$device")
    check "lying, cut and torn: one write survives in part ($kept of 65536 bytes)" [ "$kept" -gt 0 -a "$kept" -lt 65536 -a $((kept % 512)) -eq 0 ]

    clear $serial
    trims=$(told $serial trims)
    must blkdiscard "$device"
    check 'a discard reaches the drive as a trim' [ "$(told $serial trims)" -gt "$trims" ]

    faulty $serial errors read 1048576 1024
    check 'the block before the bad range can be read' blocks "$device" 1 2047
    fails_with "$wanted" "the first block of it cannot: $wanted" blocks "$device" 1 2048
    fails_with "$wanted" 'nor its last' blocks "$device" 1 2049
    check 'the block behind it can' blocks "$device" 1 2050
    check 'the bad range can be written' dd if=/tmp/pattern of="$device" bs=512 count=2 seek=2048 oflag=direct
    faulty $serial honest
    faulty $serial errors write 0 512
    fails_with "$wanted" "a block that cannot be written: $wanted" dd if=/tmp/pattern of="$device" bs=512 count=1 oflag=direct
    check 'its neighbour can' dd if=/tmp/pattern of="$device" bs=512 count=1 seek=1 oflag=direct
    faulty $serial honest
    check 'honest again, all can be read' blocks "$device" 4 2047

    # Documentation/block/stat.rst: milliseconds of reads (4), of writes (8) and of flushes (17).
    for kind in 'read 4' 'write 8' 'flush 17'; do
        set -- $kind
        faulty $serial slow "$1" 400
        before=$(sys "$device" stat | awk "{ print \$$2 }")
        must dd if="$device" of=/dev/null bs=4096 count=3 iflag=direct
        must dd if=/tmp/pattern of="$device" bs=4096 count=3 oflag=direct conv=fsync
        faulty $serial honest
        spent=$(($(sys "$device" stat | awk "{ print \$$2 }") - before))
        [ "$1" = flush ] && least=380 || least=1150
        check "the kernel counts what a slow $1 takes ($spent ms)" [ $spent -ge $least ]
    done

    faulty $serial hang
    blocks "$device" 1 5 >/tmp/hung.log 2>&1 &
    tries=0
    while [ "$(told $serial waiting)" -eq 0 ] && [ $tries -lt 100 ]; do tries=$((tries + 1)); done
    check 'a drive that hangs keeps the request' [ "$(told $serial waiting)" -eq 1 ]
    check 'and its reader waits' kill -0 $!
    faulty $serial honest
    check 'until it is told otherwise' wait $!
done

echo '== FUA'
# QEMU's SCSI disk makes a flush of FUA, and FUA of every write while the guest has its cache turned off. QEMU's NVMe drops FUA.
device=$(drive FAULTY-S)
same 'the kernel knows that FAULTY-S has FUA' 1 "$(sys "$device" queue/fua)"
clear FAULTY-S
must sg_raw -s 512 -i /tmp/pattern "$device" 2a 08 00 00 00 00 00 00 01 00
faulty FAULTY-S cut 1 all >/dev/null
same 'honest, cut: a write with FUA is not lost' 512 "$(surviving "$device")"

clear FAULTY-S
cache=$(echo "/sys/block/${device##*/}/device/scsi_disk/"*/cache_type)
echo 'write through' >"$cache"
same 'the cache can be turned off' 'write through' "$(cat "$cache")"
put "$device"
check 'then every write has FUA' [ "$(told FAULTY-S fua)" -ge $((bytes / 4096)) ]
faulty FAULTY-S cut 1 all >/dev/null
same 'and nothing is lost without a flush' $bytes "$(surviving "$device")"
clear FAULTY-S
faulty FAULTY-S lie
put "$device"
faulty FAULTY-S cut 1 all >/dev/null
same 'unless it lies' 0 "$(surviving "$device")"
faulty FAULTY-S honest
echo 'write back' >"$cache"

clear FAULTY-N
device=$(drive FAULTY-N)
must nvme write "$device" --start-block 0 --block-count 7 --data-size 4096 --data /tmp/pattern --force-unit-access
same 'FAULTY-N takes a write with FUA' 4096 "$(surviving "$device")"
faulty FAULTY-N cut 1 all >/dev/null
same 'and loses it, though honest' 0 "$(surviving "$device")"

finish
