# Cases about the write rule: `. /share/write_cases.sh`, after lib.sh. A command that would write is tried on a drive, and the drive
# is compared before and after, byte by byte.
#
# A refusal counts only with exit status 2, with the reason that the case is about, with every byte of the drive unchanged, and
# with no sector written or discarded on any disk of the machine.

# What is tried, as little work as the program will do; a drive follows and then what else the case says. Without a datasheet verdicts do not
# matter here. A script about another command sets both after reading this.
command='ioproof verify --time 2s --runs 1 --size 16MiB'
# The same where it only reads; `verify` does so without consent.
reading=$command

# Sectors written and discarded since boot, over all disks (kernel: Documentation/block/stat.rst, fields 7 and 14).
sectors_written() {
    cat /sys/block/*/stat | awk '{ sum += $7 + $14 } END { print sum }'
}

# The drive's content as the medium has it, past every cache.
content() {
    must dd if="$1" of="$2" bs=4M iflag=direct
}

# run_ioproof DEVICE ARGUMENT...: leaves `status`, /tmp/output, whether the content `changed`, and how many `sectors` were written.
run_ioproof() {
    device=$1
    shift
    sync
    content "$device" /tmp/before
    sectors=$(sectors_written)
    timeout 100 $inside ${trying:-$command} "$device" "$@" </dev/null >/tmp/output 2>&1
    status=$?
    sectors=$(($(sectors_written) - sectors))
    content "$device" /tmp/after
    changed=no
    cmp -s /tmp/before /tmp/after || changed=yes
}
inside= trying=

# refused CASE REASON DEVICE ARGUMENT...: the reason is a regular expression.
refused() {
    name=$1 reason=$2
    shift 2
    run_ioproof "$@"
    if [ $status -eq 2 ] && [ $changed = no ] && [ "$sectors" -eq 0 ] && grep -qE "$reason" /tmp/output; then
        pass "refused: $name"
    else
        fail "refused: $name (exit status $status, content changed: $changed, sectors written: $sectors, expected reason: $reason)"
        tail -n 5 /tmp/output
    fi
}

# only_read CASE DEVICE ARGUMENT...: it works, and writes nothing.
only_read() {
    name=$1
    shift
    trying=$reading
    run_ioproof "$@"
    trying=
    if { [ $status -eq 0 ] || [ $status -eq 3 ]; } && [ $changed = no ] && [ "$sectors" -eq 0 ]; then
        pass "only read: $name"
    else
        fail "only read: $name (exit status $status, content changed: $changed, sectors written: $sectors)"
        tail -n 5 /tmp/output
    fi
}

# written CASE DEVICE ARGUMENT...: 3 is a verdict that could not be told, which a slow emulated drive may well get.
written() {
    name=$1
    shift
    run_ioproof "$@"
    if { [ $status -eq 0 ] || [ $status -eq 3 ]; } && [ $changed = yes ] && [ "$sectors" -gt 0 ]; then
        pass "written: $name"
    else
        fail "written: $name (exit status $status, content changed: $changed, sectors written: $sectors)"
        tail -n 5 /tmp/output
    fi
}

# empty DEVICE: zeros again, and no partition known to the kernel.
empty() {
    must blkdiscard -z "$1"
    must blockdev --rereadpt "$1"
}
