# NVMe passthrough: what one way writes the other reads, flush, FUA and deallocate reach the drive, and the write rule holds for the character device.

. /share/lib.sh

export XDG_STATE_HOME=/tmp/state
read_back='"check":{"good":[1-9][0-9]*,"unwritten":[0-9]*,"corrupt":0,"misplaced":0,"stale":0,"torn":0}'
clean='"errors":{"failed":0,"short":0,"lost":0}'

# says CASE CONDITION: passes where the condition holds, which finds what was tried in variables.
says() {
    if eval "$2"; then
        pass "$1"
    else
        fail "$1 (exit status $status)"
        tail -n 5 /tmp/talk
    fi
}

# of VERB ARGUMENT...: runs it; leaves `status`, /tmp/report.json and /tmp/talk.
of() {
    ioproof "$@" --json </dev/null >/tmp/report.json 2>/tmp/talk
    status=$?
}

# character DEVICE: the character device beside it.
character() {
    echo "/dev/ng${1#/dev/nvme}"
}

contents() {
    dd if="$1" bs=1M iflag=direct 2>/dev/null | cksum
}

# mixed CASE TARGET SERIAL BACKEND SIZES DEPTHS IOS: verified mixed I/O, read back by the way that `auto` takes to the target.
mixed() {
    of verify "$2" --destroy "$3" --backend "$4" --rw randrw:50 --bs "$5" --workers 1 --depth "$6" --check --ios "$7" --size 24MiB --runs 1 --time 60s
    says "$1" '{ [ $status -eq 0 ] || [ $status -eq 3 ]; } && grep -q "$read_back" /tmp/report.json && grep -q "$clean" /tmp/report.json'
    grep -o '"check":{[^}]*}' /tmp/report.json | head -n 2
}

a=$(drive NVME-A)
small=512,4KiB,128KiB,1MiB

# Written past the block layer and read through it; then the other way round.
mixed '512-byte blocks: passthrough writes, the block layer reads' "$a" NVME-A io_uring_cmd $small 1,32 300
says 'the report says which way was measured' 'grep -q "\"NVMe passthrough\"" /tmp/report.json && grep -q "\"backend\":\"io_uring_cmd\"" /tmp/report.json'
ioproof report last --format text >/tmp/talk 2>&1
says 'and so does its text' 'grep -q "^path .*NVMe passthrough (io_uring_cmd)" /tmp/talk'
says 'what the kernel does not count is not counted' '! grep -q "\"devices\":\[" /tmp/report.json'
mixed '512-byte blocks at depth 256' "$a" NVME-A io_uring_cmd 4KiB 256 20000
mixed '512-byte blocks: by the character device alone' "$(character "$a")" NVME-A auto $small 8 300
says 'auto sends commands to it' 'grep -q "\"backend\":\"io_uring_cmd\"" /tmp/report.json'
f=$(drive NVME-F 2)
mixed '4096-byte blocks: passthrough writes, the block layer reads' "$f" NVME-F:2 io_uring_cmd 4KiB,64KiB,1MiB 1,64 300
mixed '4096-byte blocks: by the character device alone' "$(character "$f")" NVME-F:2 io_uring_cmd 4KiB,1MiB 16 300

# Fill by the block layer, read and compare by commands: fio's language, in which each job names its engine.
# written ENGINE FILE, compared ENGINE FILE
written() {
    ioproof run --name=w --filename="$2" --destroy=NVME-A --destroy-unknown-content --ioengine="$1" --rw=write --bs=64k --size=16m --direct=1 --iodepth=8 \
        --verify=crc32c --do_verify=0 </dev/null >/tmp/talk 2>&1
    status=$?
}
compared() {
    ioproof run --name=r --filename="$2" --ioengine="$1" --cmd_type=nvme --rw=read --bs=64k --size=16m --direct=1 --iodepth=8 --verify=crc32c </dev/null >/tmp/talk 2>&1
    status=$?
}
written io_uring "$a"
says 'a job writes by io_uring' '[ $status -eq 0 ]'
compared io_uring_cmd "$(character "$a")"
says 'a job compares it by io_uring_cmd' '[ $status -eq 0 ]'
must dd if=/dev/urandom of="$a" bs=4096 seek=100 count=1 oflag=direct
compared io_uring_cmd "$(character "$a")"
says 'a job by io_uring_cmd sees what was changed' '[ $status -ne 0 ]'

# Commands beside Read and Write. of_job OPTION...: one that writes or reads 16 MiB.
of_job() {
    ioproof run --name=j --filename="$(character "$a")" --destroy=NVME-A --destroy-unknown-content --ioengine=io_uring_cmd --bs=64k --size=16m --iodepth=8 "$@" \
        </dev/null >/tmp/talk 2>&1
    status=$?
}
pattern="--verify=pattern --verify_pattern=0x5ac3f00d --verify_mode=compare"
of_job --rw=randwrite $pattern
says 'what was written is compared by the drive' '[ $status -eq 0 ]'
of_job --rw=read $pattern --bs=1m
says 'and by a job of its own, in commands of several pieces' '[ $status -eq 0 ]'
must dd if=/dev/urandom of="$a" bs=512 seek=1000 count=1 oflag=direct
of_job --rw=read $pattern
says 'a Compare tells what was changed' '[ $status -ne 0 ] && grep -q "Compare command finds a difference" /tmp/talk'
before=$(contents "$a")
of_job --rw=write --write_mode=verify
says 'a Verify changes nothing' '[ $status -eq 0 ] && [ "$(contents "$a")" = "$before" ]'
must dd if=/dev/urandom of="$a" bs=1M seek=16 count=1 oflag=direct
behind() { dd if="$a" bs=1M skip=16 iflag=direct 2>/dev/null | cksum; }
before=$(behind)
of_job --rw=write --write_mode=zeroes --bs=1m
says 'Write Zeroes leaves zeros' '[ $status -eq 0 ] && [ "$(dd if="$a" bs=1M count=16 iflag=direct 2>/dev/null | tr -d "\0" | wc -c)" = 0 ]'
says 'and what lies behind them stays' '[ "$(behind)" = "$before" ]'
of_job --rw=write --write_mode=zeroes --verify=crc32c
says 'what is not written is not verified' '[ $status -eq 2 ] && grep -q "let a job of its own" /tmp/talk'

# Flush and FUA as the drive sees them: the emulated NVMe drops FUA, so only its server behind a cache that is off shows it, as for the block layer.
n=$(drive FAULTY-N)
before=$(faulty FAULTY-N count)
of sync "$n" --destroy FAULTY-N --backend io_uring_cmd --sync fdatasync --size 4MiB --bs 4KiB --ios 200 --runs 1 --time 5s
after=$(faulty FAULTY-N count)
flushes() { echo "$1" | sed 's/.*flushes \([0-9]*\).*/\1/'; }
echo "flush: $before; $after"
says 'a flush reaches the drive behind each write' '[ $status -le 3 ] && [ $(($(flushes "$after") - $(flushes "$before"))) -ge 100 ]'
before=$after
of sync "$n" --destroy FAULTY-N --backend io_uring_cmd --sync fua --size 4MiB --bs 4KiB --ios 200 --runs 1 --time 5s
after=$(faulty FAULTY-N count)
echo "fua: $before; $after"
says 'writes with FUA bring no flush of their own' '[ $status -le 3 ] && grep -q "$clean" /tmp/report.json && [ $(($(flushes "$after") - $(flushes "$before"))) -lt 50 ]'

# Deallocated blocks read as zeros on this drive.
of verify "$a" --destroy NVME-A --destroy-unknown-content --backend io_uring_cmd --rw trim --bs 64KiB --workers 1 --depth 4 --size 16MiB --ios 256 --runs 1 --time 5s
says 'trims are commands' '[ $status -le 3 ] && grep -q "$clean" /tmp/report.json'

# Polling, as far as the driver has queues for it.
of verify "$a" --backend io_uring_cmd --polled --rw randread --bs 4KiB --workers 1 --depth 8 --ios 500 --runs 1 --time 5s
says 'completions are polled for' '[ $status -le 3 ] && grep -q "\"IOPOLL\"" /tmp/report.json && grep -q "$clean" /tmp/report.json'

# refused CASE TARGET SERIAL WORDS BACKEND: nothing is written, and these words are said.
refused() {
    block=$(echo "$2" | sed 's|/dev/ng|/dev/nvme|') words=$4
    before=$(contents "$block")
    of verify "$2" --destroy "$3" --backend "$5" --rw randwrite --bs 4KiB --workers 1 --depth 1 --size 1MiB --runs 1 --time 2s
    says "refused: $1" '[ $status -eq 2 ] && grep -q -e "$words" /tmp/talk && [ "$(contents "$block")" = "$before" ]'
}

refused 'metadata beside the blocks' "$(drive NVME-F 3)" NVME-F:3 metadata io_uring_cmd
refused 'a drive that is no NVMe' "$(drive VIRTIO-A)" VIRTIO-A 'whole NVMe namespace' io_uring_cmd
refused 'plain writes to a character device' "$(character "$f")" NVME-F:2 'takes commands only' psync
refused 'another serial number' "$(character "$a")" NVME-B 'does not name' io_uring_cmd

# What stands on the drive holds for its character device.
b=$(drive NVME-B 1)
must mkfs.ext4 -q "$b"
must mkdir -p /mnt/b
must mount -t ext4 -o ro "$b" /mnt/b
refused 'a mounted namespace' "$(character "$b")" NVME-B:1 'mounted' io_uring_cmd
must umount /mnt/b
refused 'a filesystem that is not mounted' "$(character "$b")" NVME-B:1 'ext4' io_uring_cmd
m=$(drive NVME-P)
printf '2048,32768\n' | must sfdisk -q "$m"
refused 'a partitioned namespace' "$(character "$m")" NVME-P 'partition' io_uring_cmd

# Somebody has the character device open for writing.
(sleep 60) 3<>"$(character "$f")" &
holder=$!
refused 'a namespace whose character device is open for writing' "$f" NVME-F:2 'open for writing' io_uring_cmd
kill $holder

finish
