# A drive that ioproof drives by itself: taken and given back as it was, measured both ways, and left alone where anything stands on it.
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
        grep -o '"check":{[^}]*}' /tmp/report.json
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

# refused CASE SERIAL WORDS: nothing is taken.
refused() {
    words=$3
    device bind "$2"
    says "refused: $1" '[ $status -eq 2 ] && grep -q -e "$words" /tmp/talk && ! ls /run/ioproof/bound/* >/dev/null 2>&1'
}

refused 'no drive of this serial number' NVME-Z 'no NVMe drive'
refused 'a drive behind two controllers' NVME-M 'several controllers'
b=$(drive NVME-B 1)
must mkfs.ext4 -q "$b"
refused 'a filesystem on one of its namespaces' NVME-B 'ext4'
must mkdir -p /mnt/b
must mount -t ext4 "$b" /mnt/b
refused 'a mounted namespace' NVME-B 'mounted'
m=$(drive NVME-P)
printf '2048,32768\n' | must sfdisk -q "$m"
refused 'a partitioned drive' NVME-P 'partition'

finish
