# Writes with FUA by NVMe's own command: what was written is there, no flush goes with it, and nothing but a whole namespace is written so.

. /share/lib.sh

export XDG_STATE_HOME=/tmp/state
clean='"errors":{"failed":0,"short":0,"lost":0}'
read_back='"check":{"good":[1-9][0-9]*,"unwritten":0,"corrupt":0,"misplaced":0,"stale":0,"torn":0}'
load='--size 8MiB --bs 4KiB --runs 1 --time 3s --json'

# sync_of ARGUMENT...: runs it; leaves `status`, /tmp/report.json and /tmp/talk.
sync_of() {
    ioproof sync "$@" $load </dev/null >/tmp/report.json 2>/tmp/talk
    status=$?
}

# contents DEVICE: the checksum of the whole disk, past every cache.
contents() {
    dd if="$1" bs=1M iflag=direct 2>/dev/null | cksum
}

# flushes DEVICE: those that the kernel has sent.
flushes() {
    awk '{ print $16 }' "/sys/block/${1#/dev/}/stat"
}

# says CASE CONDITION: passes where the condition holds, which finds what was tried in variables.
says() {
    if eval "$2"; then
        pass "$1"
    else
        fail "$1 (exit status $status)"
        tail -n 5 /tmp/talk
    fi
}

# writes SERIAL [N]: every write of a run by FUA reaches the namespace, and no flush with it.
writes() {
    device=$(drive "$@")
    before=$(contents "$device")
    sent=$(flushes "$device")
    sync_of "$device" --destroy "$1${2:+:$2}" --sync fua
    says "$*: FUA is accepted" '[ $status -le 3 ] && grep -q "$clean" /tmp/report.json && ! grep -q panicked /tmp/talk'
    says "$*: the data is on the drive" '[ "$(contents "$device")" != "$before" ]'
    ios=$(grep -o '"write":{"ios":[0-9]*' /tmp/report.json | head -n 1 | grep -o '[0-9]*$')
    echo "$*: $ios writes, $(($(flushes "$device") - sent)) flushes"
    says "$*: no flush for each write" '[ "${ios:-0}" -gt 100 ] && [ $(($(flushes "$device") - sent)) -lt 20 ]'
}

writes NVME-A
writes NVME-F 2

# By O_DSYNC the kernel sends one behind each write, whether the drive has FUA or not.
device=$(drive NVME-A)
sent=$(flushes "$device")
sync_of "$device" --destroy NVME-A --sync dsync
ios=$(grep -o '"write":{"ios":[0-9]*' /tmp/report.json | head -n 1 | grep -o '[0-9]*$')
echo "NVME-A: $ios writes by O_DSYNC, $(($(flushes "$device") - sent)) flushes"
says 'O_DSYNC on a raw drive: a flush for each write' '[ $(($(flushes "$device") - sent)) -ge "${ios:-1000000}" ]'

# What it writes is read back and compared, so that a block at another place would be told.
device=$(drive NVME-B 2)
other=$(drive NVME-B 1)
known=$(contents "$other")
ioproof verify "$device" --destroy NVME-B:2 --rw randwrite --bs 4KiB --workers 1 --depth 1 --sync fua --backend psync --check $load </dev/null >/tmp/report.json 2>/tmp/talk
status=$?
says 'NVME-B 2: what was written is read back' '[ $status -ne 1 ] && [ $status -le 3 ] && grep -q "$read_back" /tmp/report.json'
says 'NVME-B 1: the other namespace is as it was' '[ "$(contents "$other")" = "$known" ]'

# refused CASE DEVICE SERIAL WORDS: nothing is written, and these words are said.
refused() {
    device=$2 why=$4
    before=$(contents "$device")
    sync_of "$device" --destroy "$3" --sync fua
    says "$1 is refused" '[ $status -eq 2 ] && grep -q -e "$why" /tmp/talk && [ "$(contents "$device")" = "$before" ]'
}

refused 'SATA' "$(drive SATA-A)" SATA-A '--sync dsync'
refused 'virtio' "$(drive VIRTIO-A)" VIRTIO-A '--sync dsync'

# A partition: commands to it would reach the namespace at other places.
device=$(drive NVME-M)
printf '2048,32768\n' | must sfdisk -q "$device" >/dev/null
tries=0
while [ ! -b "${device}p1" ] && [ $tries -lt 50 ]; do usleep 100000; tries=$((tries + 1)); done
whole=$(contents "$device")
namespace=$device
refused 'a partition of NVMe' "${namespace}p1" NVME-M 'only whole disks are written'
device=$namespace
says 'the namespace around it is as it was' '[ "$(contents "$device")" = "$whole" ]'

finish
