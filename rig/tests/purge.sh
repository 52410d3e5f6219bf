# Purges: what each method leaves of a drive, and what is refused. The emulated NVMe has no sanitize, so it is tried as a method that a drive lacks.

. /share/lib.sh

export XDG_STATE_HOME=/tmp/state

says() {
    if eval "$2"; then
        pass "$1"
    else
        fail "$1 (exit status $status)"
        tail -n 5 /tmp/talk
    fi
}

# purge ARGUMENT...: leaves `status`, /tmp/said and /tmp/talk.
purge() {
    ioproof device purge "$@" </dev/null >/tmp/said 2>/tmp/talk
    status=$?
}

contents() {
    dd if="$1" bs=1M iflag=direct 2>/dev/null | cksum
}

# fill DEVICE: random content on all of it.
fill() {
    must dd if=/dev/urandom of="$1" bs=1M count=32 oflag=direct
}

empty=$(dd if=/dev/zero bs=1M count=32 2>/dev/null | cksum)

# refused CASE DEVICE WORDS ARGUMENT...: nothing is erased.
refused() {
    case=$1 device=$2 words=$3
    shift 3
    before=$(contents "$device")
    purge "$@"
    says "refused: $case" '[ $status -eq 2 ] && grep -q -e "$words" /tmp/talk && [ "$(contents "$device")" = "$before" ]'
}

# The strongest method of the emulated drive is a format.
a=$(drive NVME-A)
fill "$a"
refused 'no consent' "$a" 'only with --destroy' NVME-A
refused 'another serial number' "$a" 'does not name' "$a" --destroy NVME-B
refused 'a path is no consent' "$a" 'does not name' "$a" --destroy
refused 'content that no signature explains' "$a" 'destroy-unknown-content' NVME-A --destroy
refused 'a sanitize that the drive does not have' "$a" 'has no sanitize' NVME-A --destroy --destroy-unknown-content --method sanitize
purge NVME-A --destroy --destroy-unknown-content
says 'a drive is formatted by default' '[ $status -eq 0 ] && grep -q "by format (user data erase)" /tmp/said'
says 'and holds nothing' '[ "$(contents "$a")" = "$empty" ]'
ioproof identify "$a" >/tmp/said 2>/tmp/talk
says 'identify tells its state' 'grep -q "^  state .*fresh out of the box: format (user data erase) on" /tmp/said'
ioproof verify "$a" --destroy NVME-A --rw randwrite --bs 4KiB --workers 1 --depth 4 --size 1MiB --runs 1 --time 2s --json </dev/null >/tmp/report.json 2>/tmp/talk
status=$?
says 'a run has the state in its record' 'grep -q "\"method\":\"format (user data erase)\"" /tmp/report.json && grep -q "fresh out of the box" /tmp/report.json'
ioproof identify "$a" >/tmp/said 2>/tmp/talk
says 'what the run wrote counts' 'grep -q "^  state .*written since.*, over a span of" /tmp/said && ! grep -q "state .* 0 B written since" /tmp/said'

# A discard, which every drive here takes.
fill "$a"
purge "$a" --destroy NVME-A --destroy-unknown-content --method discard
says 'an NVMe drive is discarded' '[ $status -eq 0 ] && grep -q "by discard" /tmp/said && [ "$(contents "$a")" = "$empty" ]'

# Before a test of a standard: the strongest method, none that the drive lacks, and none where only a part is tested.
# saturation ARGUMENT...: the shortest test of a standard on this drive; it ends when four times as much is written as is tested.
saturation() {
    ioproof verify "$a" --standard snia --tests wsat --time 200ms --destroy NVME-A --destroy-unknown-content --json "$@" </dev/null >/tmp/report.json 2>/tmp/talk
    status=$?
}
fill "$a"
before=$(contents "$a")
saturation --purge sanitize
says 'a standard refuses a purge that the drive does not have' '[ $status -eq 2 ] && grep -q "has no sanitize" /tmp/talk && [ "$(contents "$a")" = "$before" ]'
saturation --size 4MiB
says 'a part of a drive is tested as it is' '[ $status -ne 1 ] && [ $status -ne 2 ] && grep -q "the data beyond the tested part is kept" /tmp/report.json'
saturation
says 'a drive is formatted before a test' '[ $status -ne 1 ] && [ $status -ne 2 ] && grep -q "\"purge\":\"format (user data erase)\"" /tmp/report.json'
saturation --purge discard
says 'and discarded where that is asked for' '[ $status -ne 1 ] && [ $status -ne 2 ] && grep -q "\"purge\":\"discard\"" /tmp/report.json'
ioproof identify "$a" >/tmp/said 2>/tmp/talk
says 'the state of the drive has the purge of its test' 'grep -q "^  state .*discard on" /tmp/said'

s=$(drive SATA-A)
fill "$s"
refused 'a sanitize of a SATA drive' "$s" 'no NVMe drive' SATA-A --destroy --destroy-unknown-content --method sanitize
purge SATA-A --destroy --destroy-unknown-content
says 'a SATA drive is discarded' '[ $status -eq 0 ] && grep -q "by discard" /tmp/said'
purge "$s" --destroy SATA-A --destroy-unknown-content --method discard --time-limit 1ms
says 'a purge that takes too long is told' '[ $status -eq 2 ] && grep -q "was discarded up to 0 B of 32 MiB" /tmp/talk'
ioproof identify "$s" >/tmp/said 2>/tmp/talk
says 'and leaves a drive whose purge was not seen to end' 'grep -q "begun on .*, and its end not seen" /tmp/said'

# Namespaces: a format of one, and both by the serial number.
b1=$(drive NVME-B 1)
b2=$(drive NVME-B 2)
fill "$b1"
fill "$b2"
before=$(contents "$b2")
purge "$b1" --destroy NVME-B:1 --destroy-unknown-content --method format
says 'one of two namespaces is formatted alone' '[ $status -eq 0 ] && [ "$(contents "$b1")" = "$empty" ] && [ "$(contents "$b2")" = "$before" ]'
refused 'the serial number of two namespaces for one of them' "$b2" 'does not name' "$b2" --destroy NVME-B --destroy-unknown-content
purge NVME-B --destroy --destroy-unknown-content
says 'a serial number stands for all namespaces' '[ $status -eq 0 ] && [ "$(contents "$b2")" = "$empty" ]'

# What stands on a drive, on any namespace of it.
must mkfs.ext4 -q "$b2"
refused 'a filesystem on one of its namespaces' "$b2" 'ext4' NVME-B --destroy --destroy-unknown-content
must mkdir -p /mnt/b
must mount -t ext4 -o ro "$b2" /mnt/b
refused 'a mounted namespace' "$b2" 'mounted' NVME-B --destroy --destroy-unknown-content
must umount /mnt/b
p=$(drive NVME-P)
printf '2048,32768\n' | must sfdisk -q "$p"
refused 'a partitioned drive' "$p" 'partition' NVME-P --destroy --destroy-unknown-content
t=$(drive TWIN 1)
refused 'a serial number of two drives' "$t" 'TWIN\|same serial number\|same drive' TWIN --destroy --destroy-unknown-content

# The other formats keep theirs: blocks of 4 KiB, and metadata with protection information.
for number in 2 3; do
    f=$(drive NVME-F $number)
    before=$(cat "/sys/block/${f#/dev/}/queue/logical_block_size" "/sys/block/${f#/dev/}/size")
    purge "$f" --destroy "NVME-F:$number" --destroy-unknown-content --method format
    says "namespace $number of NVME-F keeps its format" '[ $status -eq 0 ] && [ "$(cat "/sys/block/${f#/dev/}/queue/logical_block_size" "/sys/block/${f#/dev/}/size")" = "$before" ]'
done
refused 'no drive of this name' "$a" 'neither a path nor the serial number' NO-SUCH-DRIVE --destroy

finish
