# A drive that ioproof drives by itself: taken and given back as it was, measured both ways, pulled and hung, and left alone where anything stands on it.
# `polled.sh [IOS]`: at least so many I/Os are written by one path and verified by the other, in rounds of 51,784 for each 32 MiB of a drive; one round by default.
# needs: iommu

. /share/lib.sh

export XDG_STATE_HOME=/tmp/state
# What a load of random places never wrote counts as unwritten.
read_back='"check":{"good":[1-9][0-9]*,"unwritten":[0-9]*,"corrupt":0,"misplaced":0,"stale":0,"torn":0}'
clean='"errors":{"failed":0,"short":0,"lost":0}'
must modprobe vfio_iommu_type1
must modprobe vfio-pci
echo 64 >/proc/sys/vm/nr_hugepages

says() {
    if eval "$2"; then
        pass "$1"
    else
        fail "$1 (exit status $status)"
        tail -n 5 /tmp/talk
        grep -oE '"(check|errors)":\{[^}]*\}|"(first_error|errnos)":[^]}]*[]}]' /tmp/report.json | sort | uniq -c
        ioproof report last 2>/dev/null | grep -iE 'error|failed|lost' | head -n 5
    fi
}

# of VERB ARGUMENT...: runs it; leaves `status`, /tmp/report.json and /tmp/talk.
of() {
    ioproof "$@" --json </dev/null >/tmp/report.json 2>/tmp/talk
    status=$?
}

# device ARGUMENT...: leaves `status`, /tmp/said and /tmp/talk.
device() {
    ioproof device "$@" </dev/null >/tmp/said 2>/tmp/talk
    status=$?
}

# address SERIAL: its PCI address, while the kernel drives it.
address() {
    for controller in /sys/class/nvme/*; do
        [ "$(sed 's/ *$//' "$controller/serial")" = "$1" ] && basename "$(readlink -f "$controller/device")"
    done
}

# state ADDRESS: all that binding could leave changed.
state() {
    folder=/sys/bus/pci/devices/$1
    echo "$(basename "$(readlink "$folder/driver")") $(cat "$folder/driver_override") $(ls "$folder/nvme")"
}

contents() {
    dd if="$1" bs=1M iflag=direct 2>/dev/null | cksum
}

a=$(drive NVME-A)
place=$(address NVME-A)
target="trtype:PCIe traddr:$place"
before=$(state "$place") content=$(contents "$a")

# Binding and giving back change nothing.
device bind NVME-A
says 'a drive is taken by its serial number' '[ $status -eq 0 ] && [ "$(cat /tmp/said)" = "$target" ] && ! [ -e "$a" ]'
ioproof list >/tmp/said 2>/tmp/talk
says 'list says that it is bound' 'grep -q "NVME-A.*is bound" /tmp/talk'
device bind NVME-A
says 'a drive that is bound is not found again' '[ $status -eq 2 ]'
device unbind NVME-A
says 'it is given back as it was' '[ $status -eq 0 ] && [ "$(state "$place")" = "$before" ] && [ "$(contents "$a")" = "$content" ]'
device unbind NVME-A
says 'what is not bound is not given back' '[ $status -eq 2 ] && grep -q "no drive that ioproof has taken" /tmp/talk'

# Both paths in one sweep.
of sweep "$a" --path block,polled --rw randread --bs 4KiB --workers 1 --depth 1,4 --runs 3 --time 8s
says 'a sweep takes the drive for its own driver and gives it back' \
    '[ $status -le 3 ] && [ $status -ne 2 ] && grep -q "\"backend\":\"io_uring\"" /tmp/report.json && grep -q "\"backend\":\"polled\"" /tmp/report.json && [ "$(state "$place")" = "$before" ]'
ioproof report last >/tmp/talk 2>&1
says 'and says what the kernel takes' 'grep -q "kernel: .* at queue depth 1" /tmp/talk'

# A program that prints as SPDK's does stands in for it: it is asked for the cells while the drive is bound.
mkdir -p /tmp/spdk
cat >/tmp/spdk/spdk_nvme_perf <<'END'
#!/bin/sh
echo "$* $(basename "$(readlink /sys/bus/pci/devices/${12#*traddr:}/driver)")" >>/tmp/spdk/asked
echo 'Initializing NVMe Controllers'
echo 'Device Information                     :       IOPS      MiB/s    Average        min        max'
echo 'PCIE (0000:06:00.0) NSID 1 from core  0:   99999.00     390.62      10.00       5.12    1617.14'
echo '========================================================'
echo 'Total                                  :   99999.00     390.62      10.00       5.12    1617.14'
END
chmod +x /tmp/spdk/spdk_nvme_perf
PATH=/tmp/spdk:$PATH of sweep "$a" --path block,polled --with spdk_nvme_perf --rw randread --bs 4KiB --workers 1 --depth 1,4 --runs 1 --time 4s
says 'the program of SPDK is run on the cells of the bound drive' \
    '[ $status -le 3 ] && [ $status -ne 2 ] && [ "$(grep -c "^-q [14] -o 4096 -w randread -t [1-9]* -c 0x1 -r $target -L vfio-pci$" /tmp/spdk/asked)" = 2 ]'
ioproof report last >/tmp/talk 2>&1
says 'and its figures stand beside those of the own driver' 'grep -q "spdk_nvme_perf: 100 kIOPS at queue depth 1, .* by polled" /tmp/talk'

# mixed CASE TARGET SERIAL BACKEND SIZES DEPTHS IOS: verified mixed I/O.
mixed() {
    of verify "$2" --destroy "$3" --backend "$4" --rw randrw:50 --bs "$5" --workers 2 --depth "$6" --check --ios "$7" --size 24MiB --runs 1 --time 60s
    says "$1" '[ $status -le 3 ] && [ $status -ne 1 ] && [ $status -ne 2 ] && grep -q "$read_back" /tmp/report.json && grep -q "$clean" /tmp/report.json'
}

# Measured by the driver, then by the kernel.
device bind NVME-A
of verify "$target" --backend polled --rw randread --bs 4KiB --workers 1 --depth 8 --ios 2000 --runs 1 --time 5s
says 'it is measured without the kernel' '[ $status -le 3 ] && [ $status -ne 2 ] && grep -q "\"backend\":\"polled\"" /tmp/report.json && grep -q "$clean" /tmp/report.json'
says 'the report names the drive' 'grep -q "NVME-A" /tmp/report.json && grep -q "\"QEMU NVMe Ctrl\"" /tmp/report.json'
mixed 'mixed I/O of all sizes is what was written' "$target" NVME-A auto 512,4KiB,16KiB,128KiB,1MiB 1,32 300
says 'auto drives a bound drive by itself' 'grep -q "\"backend\":\"polled\"" /tmp/report.json'
mixed 'the same at depth 256' "$target" NVME-A polled 4KiB 256 20000
of sync "$target" --destroy NVME-A --destroy-unknown-content --backend polled --sync fdatasync,fua --size 4MiB --bs 4KiB --ios 200 --runs 1 --time 5s
says 'flush and FUA are commands' '[ $status -le 3 ] && [ $status -ne 2 ] && grep -q "$clean" /tmp/report.json'
of verify "$target" --backend io_uring --rw randread --bs 4KiB --runs 1 --time 1s
says 'the kernel cannot be asked for it' '[ $status -eq 2 ] && grep -q "device unbind" /tmp/talk'
of verify "$target" --destroy NVME-B --backend polled --rw randwrite --bs 4KiB --runs 1 --time 1s
says 'another serial number is no consent' '[ $status -eq 2 ] && grep -q "does not name" /tmp/talk'
of verify "$target" --destroy-unknown-content --backend polled --rw randwrite --bs 4KiB --runs 1 --time 1s
says 'no serial number is no consent' '[ $status -eq 2 ]'

# Two programs, and a killed one.
ioproof verify "$target" --backend polled --rw randread --bs 4KiB --workers 1 --depth 1 --runs 1 --time 30s </dev/null >/dev/null 2>&1 &
first=$!
sleep 4
of verify "$target" --backend polled --rw randread --bs 4KiB --runs 1 --time 1s
says 'a second program is told of the first' '[ $status -eq 2 ] && grep -q "another program" /tmp/talk'
device unbind NVME-A
says 'a drive in use is not given back' '[ $status -eq 2 ] && grep -q "driven by a program" /tmp/talk'
kill -9 $first
wait $first 2>/dev/null
device recover
says 'recover gives back what a killed program left' '[ $status -eq 0 ] && [ "$(state "$place")" = "$before" ] && [ -b "$a" ]'
of verify "$a" --backend io_uring --rw randread --bs 4KiB --workers 1 --depth 8 --ios 2000 --runs 1 --time 5s
says 'the kernel measures it again' '[ $status -le 3 ] && [ $status -ne 2 ] && grep -q "\"backend\":\"io_uring\"" /tmp/report.json'

# crossed TARGET ENGINE OPTION ROUND: jobs of all sizes side by side, each on a part of its own; a size has another depth in each of three rounds.
crossed() {
    case $(($4 % 3)) in
        0) depths='256 32 1 8 4' ;;
        1) depths='16 256 64 1 2' ;;
        2) depths='64 1 256 32 1' ;;
    esac
    {
        printf '[global]\nfilename=%s\nioengine=%s\n%s\nrandseed=%s\n' "$1" "$2" "$3" "$4"
        printf 'direct=1\nrw=randwrite\nverify=crc32c\nverify_fatal=1\n'
        # shellcheck disable=SC2086
        set -- $depths
        printf '[%s]\nbs=%s\niodepth=%s\noffset=%s\nsize=%s\n' a 512 "$1" 0 $((12 * parts))m b 4k "$2" $((12 * parts))m $((4 * parts))m \
            c 16k "$3" $((16 * parts))m $((4 * parts))m d 128k "$4" $((20 * parts))m $((4 * parts))m e 1m "$5" $((24 * parts))m $((4 * parts))m
    } >/tmp/crossed.fio
    ioproof run /tmp/crossed.fio --destroy=NVME-A --destroy-unknown-content </dev/null >/tmp/said 2>/tmp/talk
    status=$?
    [ $status -eq 0 ] || { crossed_status=$status; cp /tmp/said /tmp/crossed.said; cp /tmp/talk /tmp/crossed.talk; }
}

# Parts of 32 MiB of a drive, and I/Os that a call of `crossed` writes or verifies.
parts=$(($(cat "/sys/block/$(basename "$a")/size") >> 16))
crossed_ios=$((parts * ((12 << 20) / 512 + (4 << 20) / 4096 + (4 << 20) / 16384 + (4 << 20) / 131072 + 4)))

# Written through the kernel and verified by the own driver, and the other way round, by jobs of fio.
spdk="trtype=PCIe traddr=$(echo "$place" | tr : .) ns=1"
round=0 crossed_status=0 verified=0 began=$(cut -d . -f 1 /proc/uptime)
while [ $verified -lt "${1:-1}" ] && [ $crossed_status -eq 0 ]; do
    crossed "$a" io_uring do_verify=0 $((2 * round))
    device bind NVME-A
    crossed "$spdk" spdk verify_only=1 $((2 * round))
    crossed "$spdk" spdk do_verify=0 $((2 * round + 1))
    device unbind NVME-A
    crossed "$a" io_uring verify_only=1 $((2 * round + 1))
    round=$((round + 1)) verified=$((verified + 2 * crossed_ios))
done
status=$crossed_status
says "$verified I/Os that one path wrote are what the other reads ($round rounds, $(($(cut -d . -f 1 /proc/uptime) - began)) s)" '[ $status -eq 0 ]'
[ $status -eq 0 ] || tail -n 8 /tmp/crossed.talk /tmp/crossed.said
must dd if=/dev/urandom of="$a" bs=4k count=1 seek=5000 oflag=direct conv=notrunc
device bind NVME-A --destroy-unknown-content
crossed "$spdk" spdk verify_only=1 $((2 * round - 1))
says 'what was changed meanwhile is found' '[ $status -ne 0 ] && grep -q verify /tmp/talk /tmp/said'
device unbind NVME-A

# measured TARGET SECONDS: reads of a bound drive in the background; leaves `first`.
measured() {
    ioproof verify "$1" --backend polled --rw randread --bs 4KiB --workers 1 --depth 4 --runs 1 --time "$2s" --io-timeout 8s --json \
        </dev/null >/tmp/report.json 2>/tmp/talk &
    first=$!
    sleep 4
}

# A drive that is pulled in good order is waited for: the kernel takes it when the program lets go of it.
drive NVME-P >/dev/null
place=$(address NVME-P)
device bind NVME-P
measured "trtype:PCIe traddr:$place" 6
host unplug NVME-P
wait $first
status=$?
says 'a drive that is to be pulled is let go when the measurement has ended' '[ $status -le 3 ] && ! [ -e "/sys/bus/pci/devices/$place" ]'
device recover
says 'recover forgets a drive that was pulled' '[ $status -eq 0 ] && ! ls /run/ioproof/bound/* >/dev/null 2>&1'
plug NVME-P

# cut_slot ADDRESS: the power of the slot of a device goes off at once (Slot Control of the bridge, PCI Express Base Specification 7.5.3.10), and the device
# with it. Here the kernel is not told of it: its hot-plug goes by ACPI.
cut_slot() {
    bridge=$(dirname "$(readlink -f "/sys/bus/pci/devices/$1")")/config
    byte() { dd if="$bridge" bs=1 skip="$1" count=1 2>/dev/null | od -An -tu1 | tr -d ' '; }
    at=$(byte 52)
    while [ "$at" -gt 0 ] && [ "$(byte "$at")" -ne 16 ]; do at=$(byte $((at + 1))); done
    # Indicators and power controller off.
    printf "\\$(printf %03o $(($(byte $((at + 24))) | 192)))\\007" | dd of="$bridge" bs=2 seek=$(((at + 24) / 2)) count=1 conv=notrunc 2>/dev/null
}

place=$(address NVME-P)
device bind NVME-P
measured "trtype:PCIe traddr:$place" 60
cut_slot "$place"
wait $first
status=$?
says 'a drive that is pulled without a word fails its I/Os, and the program ends' '[ $status -ge 1 ] && [ $status -le 3 ] && grep -qi "no such device" /tmp/talk /tmp/report.json'
# What the kernel does where it is told.
echo 1 >"/sys/bus/pci/devices/$place/remove"
device recover
says 'it is forgotten too' '[ $status -eq 0 ] && ! ls /run/ioproof/bound/* >/dev/null 2>&1'

# A drive that hangs is asked to abort, reset, and given back.
drive FAULTY-N >/dev/null
place=$(address FAULTY-N)
# Its name may be another afterwards.
before=$(state "$place" | cut -d ' ' -f 1,2)
device bind FAULTY-N
measured "trtype:PCIe traddr:$place" 60
faulty FAULTY-N hang 12
wait $first
status=$?
says 'the I/Os of a drive that hangs fail' '[ $status -ge 1 ] && [ $status -le 3 ] && grep -qi "stopped answering\|timed out" /tmp/talk /tmp/report.json'
faulty FAULTY-N honest
device unbind FAULTY-N
says 'it is given back as it was' '[ $status -eq 0 ] && [ "$(state "$place" | cut -d " " -f 1,2)" = "$before" ]'

# refused CASE SERIAL WORDS: nothing is taken.
refused() {
    words=$3
    device bind "$2"
    says "refused: $1" '[ $status -eq 2 ] && grep -q -e "$words" /tmp/talk && ! ls /run/ioproof/bound/* >/dev/null 2>&1'
}

refused 'no drive of this serial number' NVME-Z 'no NVMe drive'
refused 'a drive behind two controllers' NVME-M 'several controllers'
device bind NVME-A --unsafe-no-iommu
says 'refused: the flag for no IOMMU where there is one' '[ $status -eq 2 ] && grep -q "leave --unsafe-no-iommu out" /tmp/talk'
b=$(drive NVME-B 1)
must mkfs.ext4 -q "$b"
refused 'a filesystem on one of its namespaces' NVME-B 'ext4'
must mkdir -p /mnt/b
must mount -t ext4 "$b" /mnt/b
refused 'a mounted namespace' NVME-B 'mounted'
printf '2048,32768\n' | must sfdisk -q "$a"
refused 'a partitioned drive' NVME-A 'partition'

finish
