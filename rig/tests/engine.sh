# The engine on drives with queues of their own: every backend on NVMe and SATA, trims that the drive gets, polling where the queue can,
# and what the kernel counted beside what the program says. Speeds do not matter.

. /share/lib.sh

nvme=$(drive NVME-A)
sata=$(drive SATA-A)

# field FILE EXPRESSION: one figure of the first round of a report in JSON, which is printed one field a line.
field() {
    awk -v wanted="\"$2\":" '$1 == wanted { gsub(/[",]/, "", $2); print $2; exit }' "$1"
}

# verify CASE DEVICE SERIAL ARGUMENT...: leaves `status` and the report in /tmp/report.json.
verify() {
    name=$1 device=$2 serial=$3
    shift 3
    timeout 100 ioproof verify "$device" --destroy "$serial" --size 8MiB --time 2s --runs 1 --workers 1 --depth 4 --json "$@" \
        >/tmp/report.json 2>/tmp/talk
    status=$?
    # One run shows no interval, so it ends with 3 or, without a claim, 0.
    [ $status -eq 0 ] || [ $status -eq 3 ]
}

# works CASE DEVICE SERIAL ARGUMENT...
works() {
    if verify "$@" && ! grep -q '"outcome": "failed"' /tmp/report.json; then
        pass "$1"
    else
        fail "$1 (exit status $status)"
        tail -n 3 /tmp/talk
    fi
}

for backend in io_uring libaio posixaio psync pvsync2 mmap; do
    works "$backend writes and reads NVMe" "$nvme" NVME-A --rw randrw:50 --bs 4KiB --backend $backend
    works "$backend writes and reads SATA" "$sata" SATA-A --rw randrw:50 --bs 4KiB --backend $backend
done

for how in fdatasync fsync fdatasync:4 range:4 dsync sync; do
    works "durable by $how" "$nvme" NVME-A --rw randwrite --bs 4KiB --sync $how
done

# Sectors discarded so far (Documentation/block/stat.rst, field 14).
discarded() {
    awk '{ print $14 }' "/sys/block/${1##*/}/stat"
}

before=$(discarded "$nvme")
works "trim" "$nvme" NVME-A --rw randtrim --bs 64KiB
if [ "$(discarded "$nvme")" -gt "$before" ]; then pass "the drive got the trims"; else fail "the drive got the trims"; fi

works "what was written is read back and checked" "$nvme" NVME-A --rw randwrite --bs 4KiB --check

# The init of this machine gives each NVMe controller one queue that polls.
works "io_uring polls" "$nvme" NVME-A --rw randread --bs 4KiB --backend io_uring --polled
if grep -q '"IOPOLL"' /tmp/report.json; then pass "the report says that it polled"; else fail "the report says that it polled"; fi
# Some kernels refuse that, others wait for interrupts in silence; the program may not be silent in either case.
verify "no polling" "$sata" SATA-A --rw randread --bs 4KiB --backend io_uring --polled
if grep -qE "no queue that polls|cannot be polled" /tmp/talk /tmp/report.json; then
    pass "polling where there is no such queue is said"
else
    fail "polling where there is no such queue is said (exit status $status)"
    tail -n 3 /tmp/talk
fi
works "a kernel thread submits" "$nvme" NVME-A --rw randread --bs 4KiB --backend io_uring --kernel-submits

finish
