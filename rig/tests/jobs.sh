# Job files on drives: what every engine does arrives at every bus, what fails is counted and told as fio tells it, what was lost is found, and a
# drive that goes is named. What must not be written is the business of job_rule.sh. Nothing is asserted of times.

. /share/lib.sh

export XDG_STATE_HOME=/tmp/state
store=/tmp/state/ioproof/runs

# start ARGUMENT...: a run in the background; leaves its process in `job`.
start() {
    rm -rf "$store"
    why=
    timeout -k 5 150 ioproof run --output-format=json "$@" </dev/null >/tmp/result.json 2>/tmp/talk &
    job=$!
}

# ends: waits for it; leaves `status`.
ends() {
    wait $job
    status=$?
}

# job_ends ARGUMENT...: runs it from start to end.
job_ends() {
    start "$@"
    ends
}

# under_way DEVICE: waits until the kernel counts I/O of the run.
under_way() {
    local tries=0 before now
    before=$(ios "$1")
    now=$before
    while [ "$now" -lt $((before + 50)) ]; do
        kill -0 $job 2>/dev/null && [ $tries -lt 600 ] || die "the job did not get far: $(cat /tmp/talk)"
        usleep 50000
        tries=$((tries + 1))
        now=$(ios "$1")
    done
}

# ios DEVICE: reads and writes that the kernel has completed.
ios() {
    awk '{ print $1 + $5 }' "/sys/block/${1##*/}/stat"
}

# jq_true EXPRESSION: of the result.
jq_true() {
    # To jq everything is true of nothing.
    [ -s /tmp/result.json ] || { why='no report'; return 1; }
    jq -e "$1" /tmp/result.json >/dev/null 2>&1 || { why="not so: $1"; return 1; }
}

# ended STATUSES...: with one of these, a result, a record, no panic and no process left.
ended() {
    case " $* " in
        *" $status "*) ;;
        *) why="exit status $status instead of $*"; return 1 ;;
    esac
    if grep -qE 'panicked|RUST_BACKTRACE' /tmp/talk; then why='a panic'; return 1; fi
    if pidof ioproof >/dev/null; then why='a process was left behind'; return 1; fi
    jq -e '.jobs | length > 0' /tmp/result.json >/dev/null 2>&1 || { why='no result'; return 1; }
    timeout 60 ioproof report last >/tmp/shown 2>&1 || { why="report last: $(tail -n 1 /tmp/shown)"; return 1; }
}

# says WORDS: a regular expression, in what it said or in its record.
says() {
    cat /tmp/talk "$store"/*/run.json 2>/dev/null | grep -qE "$1" || { why="nothing said of: $1"; return 1; }
}

# verdict CASE RESULT
verdict() {
    if [ "$2" -eq 0 ]; then
        pass "$1"
    else
        fail "$1: $why (exit status $status)"
        tail -n 8 /tmp/talk
        jq -c '.jobs[] | [.error, .total_err, .first_error, .read.total_ios, .write.total_ios]' /tmp/result.json 2>/dev/null
    fi
}

part_engines() {
    echo '== every engine on every bus'
    for serial in NVME-A SATA-A SCSI-A VIRTIO-A; do
        device=$(drive $serial)
        name=${device##*/}
        for engine in psync sync pvsync pvsync2 libaio io_uring posixaio mmap; do
            # What is mapped is not O_DIRECT.
            direct=1
            [ $engine = mmap ] && direct=0
            written=$(awk '{ print $7 }' "/sys/block/$name/stat")
            job_ends --name=w --filename="$device" --destroy=$serial --destroy-unknown-content --rw=randwrite --bs=4k --size=4m --iodepth=8 \
                --ioengine=$engine --direct=$direct --end_fsync=1
            written=$(($(awk '{ print $7 }' "/sys/block/$name/stat") - written))
            # The drive has got all of it: 8192 sectors.
            ended 0 && jq_true '.jobs[0].write.total_ios == 1024 and .jobs[0].error == 0' && jq_true ".disk_util[0].name == \"$name\"" &&
                { [ "$written" -ge 8192 ] || { why="$written sectors were written"; false; }; }
            verdict "$serial is written by $engine" $?
            job_ends --name=r --filename="$device" --rw=randread --bs=4k --size=4m --iodepth=8 --ioengine=$engine --direct=$direct
            ended 0 && jq_true '.jobs[0].read.total_ios == 1024 and .jobs[0].error == 0'
            verdict "$serial is read by $engine" $?
        done
    done
}

part_trims() {
    echo '== trims'
    for serial in NVME-A SCSI-A VIRTIO-A; do
        device=$(drive $serial)
        must dd if=/dev/urandom of="$device" bs=1M count=4 oflag=direct
        trimmed=$(awk '{ print $14 }' "/sys/block/${device##*/}/stat")
        job_ends --name=t --filename="$device" --destroy=$serial --destroy-unknown-content --rw=trim --bs=64k --size=4m
        trimmed=$(($(awk '{ print $14 }' "/sys/block/${device##*/}/stat") - trimmed))
        ended 0 && jq_true '.jobs[0].trim.total_ios == 64' && { [ $trimmed -eq 8192 ] || { why="$trimmed sectors were trimmed"; false; }; }
        verdict "$serial is trimmed" $?
    done
}

part_errors() {
    for serial in FAULTY-S FAULTY-N; do
        echo "== errors of $serial"
        # What the kernel makes of an unrecovered read error.
        case $serial in FAULTY-S) errno=5 ;; FAULTY-N) errno=61 ;; esac
        device=$(drive $serial)
        faulty $serial errors read 1048576 65536
        job_ends --name=r --filename="$device" --rw=read --bs=64k --size=4m --direct=1
        ended 2 && jq_true ".jobs[0].error == $errno and .jobs[0].read.total_ios == 16" && says 'read at (byte )?1048576'
        verdict "$serial: a read error ends the job, with its place and errno $errno" $?
        job_ends --name=r --filename="$device" --rw=read --bs=64k --size=4m --direct=1 --continue_on_error=read
        ended 0 2 && jq_true ".jobs[0].total_err == 1 and .jobs[0].first_error == $errno and .jobs[0].read.total_ios >= 63"
        verdict "$serial: continue_on_error goes on after it" $?
        faulty $serial honest
    done
}

part_verify() {
    for serial in FAULTY-S FAULTY-N; do
        device=$(drive $serial)
        echo "== what was written to $serial is read back"
        write="--name=w --filename=$device --destroy=$serial --destroy-unknown-content --rw=randwrite --bs=4k --size=4m --direct=1 --verify=crc32c"
        job_ends $write
        ended 0 && jq_true '.jobs[0].write.total_ios == 1024 and .jobs[0].read.total_ios == 1024 and .jobs[0].error == 0'
        verdict "$serial: all of it is as it was written" $?

        # A lying drive loses what it said was flushed.
        faulty $serial lie
        faulty $serial slow read 5
        before=$(awk '{ print $5 }' "/sys/block/${device##*/}/stat")
        start $write --end_fsync=1
        # Not before all is written: what is read first is only looked through for content.
        while [ "$(awk '{ print $5 }' "/sys/block/${device##*/}/stat")" -lt $((before + 1024)) ]; do
            kill -0 $job 2>/dev/null || break
            usleep 100000
        done
        usleep 200000
        faulty $serial cut 7 all >/tmp/cut
        ends
        ended 1 && jq_true '.jobs[0].error == 84' && says 'not what was written'
        verdict "$serial: what it lied about is found lost ($(cat /tmp/cut))" $?
        faulty $serial honest
    done
}

part_pulled() {
    echo '== pulled under a job'
    for serial in NVME-P SCSI-P VIRTIO-P; do
        for engine in io_uring psync libaio; do
            for direction in randread randwrite; do
                device=$(drive $serial)
                start --name=j --filename="$device" --destroy=$serial --destroy-unknown-content --rw=$direction --bs=4k --iodepth=4 --ioengine=$engine \
                    --direct=1 --time_based --runtime=60 --size=8m
                under_way "$device"
                unplug $serial
                ends
                ended 2 && jq_true '.jobs[0].error != 0' && says 'is gone'
                verdict "$serial is pulled under $direction by $engine" $?
                plug $serial
            done
        done
    done
    # Under the filesystem that a job's files are on.
    device=$(drive SCSI-P)
    must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$device"
    must mount -o noatime "$device" /mnt
    start --name=j --directory=/mnt --rw=randrw --bs=4k --direct=1 --time_based --runtime=60 --size=8m
    under_way "$device"
    unplug SCSI-P
    ends
    ended 2 && jq_true '.jobs[0].error != 0' && says 'is gone'
    verdict 'the drive is pulled under the filesystem of a job' $?
    umount -l /mnt
    plug SCSI-P
}

part_full() {
    echo '== a filesystem that is too small'
    device=$(drive SATA-A)
    must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$device"
    must mount -o noatime "$device" /mnt
    start --name=j --directory=/mnt --rw=write --bs=64k --size=16m --numjobs=4
    ends
    why='it was not refused'
    [ $status -eq 2 ] && grep -qiE 'free|space' /tmp/talk && [ -z "$(ls /mnt | grep -v lost+found)" ]
    verdict "files that do not fit are told before anything is written ($(tail -n 1 /tmp/talk))" $?
    must umount /mnt
    must blkdiscard -z "$device"
}

# Each part by its name, or all.
for part in ${*:-engines trims errors verify pulled full}; do
    part_$part
done

finish
