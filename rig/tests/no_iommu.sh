# A drive behind no IOMMU that ioproof drives by itself: taken only where that was said, and given back as it was, also after a program was
# killed in the middle of its reads.

. /share/lib.sh

export XDG_STATE_HOME=/tmp/state
# What a load of random places never wrote counts as unwritten.
read_back='"check":{"good":[1-9][0-9]*,"unwritten":[0-9]*,"corrupt":0,"misplaced":0,"stale":0,"torn":0}'
dangers='may overwrite memory of any program or of the kernel'
clean='"errors":{"failed":0,"short":0,"lost":0}'

says() {
    if eval "$2"; then
        pass "$1"
    else
        fail "$1 (exit status $status)"
        tail -n 5 /tmp/talk
        grep -oE '"(check|errors)":\{[^}]*\}|"(first_error|errnos)":[^]}]*[]}]' /tmp/report.json | sort | uniq -c
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

# command_register ADDRESS: the command register of the device; bit 2 is the bus master.
command_register() {
    dd if="/sys/bus/pci/devices/$1/config" bs=2 skip=2 count=1 2>/dev/null | od -An -tu2 | tr -d ' '
}

masters() {
    [ $(($(command_register "$1") & 4)) -ne 0 ]
}

# state ADDRESS: all that binding could leave changed.
state() {
    folder=/sys/bus/pci/devices/$1
    basename "$(readlink "$folder/driver")"
    cat "$folder/driver_override" "$folder/enable" "$folder/power/control"
    command_register "$1"
}

# well: the last measurement had its rounds, and no I/O failed.
well() {
    [ $status -le 3 ] && [ $status -ne 2 ] && grep -q "$clean" /tmp/report.json
}

by() {
    grep -q "\"backend\":\"$1\"" /tmp/report.json
}

# tells WORDS: the last call said so on standard error.
tells() {
    grep -q -e "$1" /tmp/talk
}

none_bound() {
    ! ls /run/ioproof/bound/* >/dev/null 2>&1
}

contents() {
    dd if="$1" bs=1M iflag=direct 2>/dev/null | cksum
}

a=$(drive NVME-A)
place=$(address NVME-A)
target="trtype:PCIe traddr:$place"
must dd if=/dev/urandom of="$a" bs=1M count=8 oflag=direct conv=notrunc
before=$(state "$place") content=$(contents "$a")
is_back() {
    [ "$(state "$place")" = "$before" ] && [ -b "$a" ]
}

# The flag is needed, and says what may happen.
says 'there is no IOMMU here' '! [ -e "/sys/bus/pci/devices/$place/iommu_group" ]'
device bind NVME-A --destroy-unknown-content
says 'a drive behind no IOMMU is refused, and the flag named' \
    '[ $status -eq 2 ] && is_back && tells "behind no IOMMU" && tells "--unsafe-no-iommu" && tells "$dangers"'
device bind NVME-A --unsafe-no-iommu
says 'content that nothing explains is refused with the flag too' '[ $status -eq 2 ] && is_back && none_bound'
of sweep "$a" --path block,polled --rw randread --bs 4KiB --workers 1 --depth 1 --runs 1 --time 2s
says 'a sweep takes no such drive by itself' '[ $status -eq 2 ] && grep -q "device bind NVME-A --unsafe-no-iommu" /tmp/talk && is_back'
device bind NVME-A --unsafe-no-iommu --destroy-unknown-content
says 'with the flag it is taken, and the dangers are told' \
    '[ $status -eq 0 ] && [ "$(cat /tmp/said)" = "$target" ] && tells "$dangers" && ! [ -e "$a" ]'
says 'no driver has it' '! [ -e "/sys/bus/pci/devices/$place/driver" ] && ! masters "$place"'
ioproof list >/tmp/said 2>/tmp/talk
says 'list says that it is bound behind no IOMMU' 'grep -q "NVME-A.*is bound.*behind no IOMMU" /tmp/talk'

# Memory must stay in its place.
echo 0 >/proc/sys/vm/nr_hugepages
of verify "$target" --rw randread --bs 4KiB --workers 1 --depth 1 --runs 1 --time 1s
says 'without huge pages it is not driven, and it is said what to do' \
    '[ $status -eq 2 ] && grep -q "vm.nr_hugepages" /tmp/talk && ! masters "$place"'
echo 64 >/proc/sys/vm/nr_hugepages

of verify "$target" --backend polled --rw randread --bs 4KiB,128KiB --workers 1 --depth 1,32 --ios 1000 --runs 1 --time 5s
says 'it is read' 'well && by polled'
says 'the report says that there is no IOMMU, and that SGLs are used' \
    'grep -q "no IOMMU" /tmp/report.json && grep -q "SGLs" /tmp/report.json'
says 'afterwards it is kept from memory' '! masters "$place"'
of verify "$target" --destroy NVME-B --rw randwrite --bs 4KiB --runs 1 --time 1s
says 'another serial number is no consent' '[ $status -eq 2 ] && grep -q "does not name" /tmp/talk'
of verify "$target" --destroy-unknown-content --rw randwrite --bs 4KiB --runs 1 --time 1s
says 'no serial number is no consent' '[ $status -eq 2 ]'

# reading SECONDS [TARGET]: deep reads of large blocks in the background; leaves `first`.
reading() {
    ioproof verify "${2:-$target}" --backend polled --rw randread --bs 128KiB --workers 1 --depth 32 --runs 1 --time "$1s" \
        </dev/null >/dev/null 2>&1 &
    first=$!
    sleep 5
}

# killed: a program in the middle of its reads.
killed() {
    reading 60
    says "$1" 'kill -0 $first 2>/dev/null && masters "$place"'
    kill -9 $first
    wait $first 2>/dev/null
}

reading 40
of verify "$target" --backend polled --rw randread --bs 4KiB --runs 1 --time 1s
says 'a second program is told of the first' '[ $status -eq 2 ] && grep -q "another program" /tmp/talk'
device unbind NVME-A
says 'a drive in use is not given back' '[ $status -eq 2 ] && grep -q "driven by a program" /tmp/talk && masters "$place"'
kill -9 $first
wait $first 2>/dev/null
of verify "$target" --backend polled --rw randread --bs 128KiB --workers 1 --depth 32 --ios 200 --runs 1 --time 5s
says 'what a killed program left is stopped and driven anew' 'well && ! masters "$place"'
killed 'reads are under way'
device recover
says 'recover gives back what a killed program left' '[ $status -eq 0 ] && is_back && [ "$(contents "$a")" = "$content" ]'
device recover
says 'once' '[ $status -eq 0 ] && grep -q "no drive is bound" /tmp/talk'
of verify "$a" --backend io_uring --rw randread --bs 4KiB --workers 1 --depth 8 --ios 2000 --runs 1 --time 5s
says 'the kernel measures it again' 'well && by io_uring'

# Writes, verified; and durable ones.
device bind NVME-A --unsafe-no-iommu --destroy-unknown-content
for size in 4KiB 128KiB 1MiB; do
    of verify "$target" --destroy NVME-A --rw randrw:50 --bs "$size" --workers 2 --depth 1,32 --check \
        --ios 400 --size 24MiB --runs 1 --time 60s
    says "mixed I/O of $size is what was written" \
        'well && [ $status -ne 1 ] && grep -q "$read_back" /tmp/report.json'
done
of sync "$target" --destroy NVME-A --destroy-unknown-content --backend polled --sync fdatasync,fua \
    --size 4MiB --bs 4KiB --ios 200 --runs 1 --time 5s
says 'flush and FUA are commands' 'well'

# Written by the own driver, verified by the kernel's, whose buffers are in small pages.
crossed() {
    ioproof run --name=a --filename="$1" --ioengine="$2" --direct=1 --rw=randwrite --verify=crc32c --verify_fatal=1 --randseed=7 \
        --bs="$3" --iodepth=32 --size=16m "$4" --destroy=NVME-A --destroy-unknown-content </dev/null >/tmp/said 2>/tmp/talk
    status=$?
}
spdk="trtype=PCIe traddr=$(echo "$place" | tr : .) ns=1"
crossed "$spdk" spdk 128k --do_verify=0
says 'a job of fio writes' '[ $status -eq 0 ]'
device unbind NVME-A
says 'it is given back as it was' '[ $status -eq 0 ] && is_back'
crossed "$a" io_uring 128k --verify_only=1
says 'the kernel reads what the own driver wrote' '[ $status -eq 0 ]'

# A drive that hangs is asked to abort, reset, and given back.
drive FAULTY-N >/dev/null
place=$(address FAULTY-N)
before=$(state "$place")
device bind FAULTY-N --unsafe-no-iommu
ioproof verify "trtype:PCIe traddr:$place" --backend polled --rw randread --bs 4KiB --workers 1 --depth 4 --runs 1 --time 60s \
    --io-timeout 8s --json </dev/null >/tmp/report.json 2>/tmp/talk &
first=$!
sleep 4
faulty FAULTY-N hang 12
wait $first
status=$?
says 'the I/Os of a drive that hangs fail' \
    '[ $status -ge 1 ] && [ $status -le 3 ] && grep -qi "stopped answering\|timed out" /tmp/talk /tmp/report.json'
says 'and it is kept from memory' '! masters "$place"'
faulty FAULTY-N honest
device unbind FAULTY-N
says 'it is given back as it was too' '[ $status -eq 0 ] && [ "$(state "$place")" = "$before" ]'

# cut_slot ADDRESS: the power of the slot of a device goes off at once, and the device with it; see polled.sh.
cut_slot() {
    bridge=$(dirname "$(readlink -f "/sys/bus/pci/devices/$1")")/config
    byte() { dd if="$bridge" bs=1 skip="$1" count=1 2>/dev/null | od -An -tu1 | tr -d ' '; }
    at=$(byte 52)
    while [ "$at" -gt 0 ] && [ "$(byte "$at")" -ne 16 ]; do at=$(byte $((at + 1))); done
    printf "\\$(printf %03o $(($(byte $((at + 24))) | 192)))\\007" |
        dd of="$bridge" bs=2 seek=$(((at + 24) / 2)) count=1 conv=notrunc 2>/dev/null
}

drive NVME-P >/dev/null
place=$(address NVME-P)
device bind NVME-P --unsafe-no-iommu
reading 60 "trtype:PCIe traddr:$place"
cut_slot "$place"
wait $first
status=$?
says 'a drive that is pulled without a word fails its I/Os, and the program ends' '[ $status -ge 1 ] && [ $status -le 3 ]'
echo 1 >"/sys/bus/pci/devices/$place/remove"
device recover
says 'recover forgets a drive that was pulled' '[ $status -eq 0 ] && none_bound'

finish
