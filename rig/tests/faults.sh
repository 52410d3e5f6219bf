# What ioproof does with drives that vanish, fail, hang or are slow: it always ends by itself, never panics, keeps the run and says what
# happened. Nothing is asserted of times but that a slow drive is measured at least as slow as it was made.
#
# A run ends with one of: 0 measured, 1 data lost, 2 nothing could be judged, 3 something could not be told.

. /share/lib.sh

export XDG_STATE_HOME=/tmp/state
store=/tmp/state/ioproof/runs
folder=
load='--workers 1 --depth 4 --bs 4KiB'
long="$load --time 600s --runs 1000"
short="$load --time 2s --runs 2"

# start ARGUMENT...: ioproof in the background; leaves its process in `job`. 124 and 137 would be a hang.
start() {
    rm -rf "$store"
    folder= why=
    timeout -k 5 150 ioproof "$@" </dev/null >/tmp/report.json 2>/tmp/talk &
    job=$!
}

# measured: waits until a round is stored, so that the next one is under way; fails when the program ends before that.
measured() {
    local tries=0
    while ! ls "$store"/*/stages/0000.json >/dev/null 2>&1; do
        kill -0 $job 2>/dev/null && [ $tries -lt 600 ] || return 1
        usleep 100000
        tries=$((tries + 1))
    done
}

# ends: waits for the program; leaves `status`, and the run's folder if it was kept.
ends() {
    wait $job
    status=$?
    folder=$(echo "$store"/*)
}

# ioproof_ends ARGUMENT...: runs it from start to end.
ioproof_ends() {
    start "$@"
    ends
}

# told WORDS: whether program, report or record said so. A regular expression.
told() {
    cat /tmp/talk /tmp/report.json "$folder/run.json" 2>/dev/null | grep -qE "$1"
}

# sane STATUSES...: it ended by itself with one of these, without a panic, and left no process behind.
sane() {
    case " $* " in
        *" $status "*) ;;
        *) why="exit status $status instead of $*"; return 1 ;;
    esac
    if told 'panicked|RUST_BACKTRACE'; then why='a panic'; return 1; fi
    if pidof ioproof >/dev/null; then why='a process was left behind'; return 1; fi
}

# kept: the run is in the store and every verb reads it.
kept() {
    [ -f "$folder/run.json" ] || { why='the run was not kept'; return 1; }
    timeout 60 ioproof runs list >/tmp/listed 2>&1 && grep -q "$(basename "$folder")" /tmp/listed || { why='runs list'; return 1; }
    timeout 60 ioproof runs show last >/tmp/shown 2>&1 || { why='runs show last'; return 1; }
    timeout 60 ioproof report last >/tmp/shown 2>&1 && [ -s /tmp/shown ] || { why='report last'; return 1; }
    timeout 60 ioproof report last --json >/tmp/shown.json 2>&1 && jq -e .judgement /tmp/shown.json >/dev/null || { why='report last --json'; return 1; }
}

# state WANTED: how the kept run ended: complete, hung, failed.
state() {
    found=$(jq -r .status.state "$folder/run.json")
    [ "$found" = "$1" ] || { why="the run is $found instead of $1"; return 1; }
}

# says WORDS: what the reader must be told. A regular expression.
says() {
    told "$1" || { why="nothing said of: $1"; return 1; }
}

# jq_true EXPRESSION: of the report.
jq_true() {
    # To jq everything is true of nothing.
    [ -s /tmp/report.json ] || { why='no report'; return 1; }
    jq -e "$1" /tmp/report.json >/dev/null 2>&1 || { why="not so: $1"; return 1; }
}

# verdict CASE RESULT: prints the case, with what the program said where it failed.
verdict() {
    if [ "$2" -eq 0 ]; then
        pass "$1"
    else
        fail "$1: $why (exit status $status)"
        tail -n 8 /tmp/talk
        [ -s /tmp/report.json ] && jq -c '.judgement.exit_reason, .run.status, [.run.stages[-3:][].rounds[] | [.outcome, .errors]]' /tmp/report.json
    fi
}

part_identify() {
    echo '== pulled before and during identify'
    for serial in NVME-P SCSI-P VIRTIO-P; do
        device=$(drive $serial)
        unplug $serial
        ioproof_ends identify "$device"
        sane 2 && says 'No such file|not exist|no such|cannot' && [ ! -s /tmp/report.json ]
        verdict "identify of $serial, which is gone" $?
        plug $serial
    done
    for serial in NVME-P SCSI-P FAULTY-N FAULTY-S; do
        for pause in 0 20000 60000 120000 250000; do
            device=$(drive $serial)
            case $serial in FAULTY-*) faulty $serial slow all 30 ;; esac
            start identify "$device"
            usleep $pause
            unplug $serial
            ends
            case $serial in FAULTY-*) faulty $serial honest ;; esac
            # 0 with what could be learned, or 2 and why not.
            sane 0 2 && { [ -s /tmp/report.json ] || [ -s /tmp/talk ]; }
            verdict "identify while $serial is pulled, after $pause us (exit status $status)" $?
            plug $serial
        done
    done
}

part_pulled() {
    echo '== pulled during verify'
    for serial in NVME-P SCSI-P VIRTIO-P FAULTY-N FAULTY-S; do
        for backend in io_uring psync; do
            start verify "$(drive $serial)" --rw randread $long --backend $backend --json
            measured || die "verify did not get far: $(cat /tmp/talk)"
            unplug $serial
            ends
            sane 3 2 && kept && state failed && says 'the target is gone'
            verdict "$serial is pulled while it is read by $backend" $?
            plug $serial
        done
    done
    for serial in NVME-P SCSI-P VIRTIO-P; do
        for how in '' '--sync fdatasync' '--check' '--backend libaio' '--backend mmap'; do
            start verify "$(drive $serial)" --destroy $serial --destroy-unknown-content --size 8MiB --rw randwrite $long $how --json
            measured || die "verify did not get far: $(cat /tmp/talk)"
            unplug $serial
            ends
            # What was written and cannot be looked at is not lost: never 1.
            sane 3 2 && kept && state failed && says 'the target is gone'
            verdict "$serial is pulled while it is written${how:+, $how}" $?
            plug $serial
        done
    done
    # While the drive is filled: slow enough that it cannot be done when the drive goes.
    for serial in FAULTY-N FAULTY-S; do
        faulty $serial slow write 200
        start verify "$(drive $serial)" --destroy $serial --rw randwrite $long --json
        tries=0
        while ! ls "$store"/*/run.json >/dev/null 2>&1 && kill -0 $job 2>/dev/null && [ $tries -lt 300 ]; do usleep 100000; tries=$((tries + 1)); done
        usleep 500000
        unplug $serial
        faulty $serial honest
        ends
        sane 2 && kept && state failed && says 'the target is gone'
        verdict "$serial is pulled while it is filled" $?
        plug $serial
    done
    # A filesystem whose drive goes: the scratch file.
    device=$(drive SCSI-P)
    must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$device"
    must mount -o noatime "$device" /mnt
    start verify /mnt --size 8MiB --rw randrw:50 $long --json
    measured || die "verify did not get far: $(cat /tmp/talk)"
    unplug SCSI-P
    ends
    sane 3 2 && kept && state failed && says 'the target is gone'
    verdict 'the drive is pulled under the filesystem of a scratch file' $?
    umount -l /mnt
    plug SCSI-P
}

part_read_errors() {
    echo "== read errors of $serial"
    faulty $serial errors read 1048576 65536
    ioproof_ends verify "$device" --rw read $short --json
    # A round with errors counts only if few failed, and a drive that fails gets no pass.
    sane 2 3 && kept && state complete && says io-errors &&
        jq_true "[.run.stages[].rounds[]] | all(.[]; .errors.failed == 0 or (.errors.first.errno == $errno and .errors.first.offset_bytes >= 1048576 and .errors.first.offset_bytes < 1114112 and .errors.first.operation == \"read\"))" &&
        jq_true '[.run.stages[].rounds[].errors.failed] | add > 0' && jq_true '[.judgement.rows[] | select(.verdict == "meets")] | length == 0'
    verdict "read errors are told with number, place and errno $errno" $?
    ioproof_ends identify "$device"
    sane 0 && grep -q $serial /tmp/report.json
    verdict 'identify does not mind unreadable blocks' $?
    ioproof_ends verify "$device" --admit healthy --rw randread $short --json
    # What these emulated drives say of their health does not know of the errors; what matters is that it answers.
    sane 0 2 3 && { [ $status -ne 2 ] || says 'not admitted|io-errors|nothing'; }
    verdict "--admit healthy (exit status $status: $(tail -n 1 /tmp/talk))" $?
    faulty $serial honest
}

part_write_errors() {
    echo "== write errors of $serial"
    faulty $serial errors write 4194304 4096
    ioproof_ends verify "$device" $consent --size 8MiB --rw randwrite $short --json
    sane 2 && kept && state failed && says 'could not be written in full.*byte [0-9]+' && ! told 'is gone'
    verdict 'a target that cannot be filled is told with the place' $?
    faulty $serial honest
    start verify "$device" $consent --size 8MiB --rw randwrite $long --json
    measured || die "verify did not get far: $(cat /tmp/talk)"
    faulty $serial errors write 0 8388608
    ends
    sane 2 3 && kept && state complete && says 'write at byte [0-9]+' && jq_true '[.run.stages[].rounds[].errors.failed] | add > 0'
    verdict 'write errors in a round are told' $?
    faulty $serial honest
}

part_lost() {
    echo "== lost data of $serial"
    # What is read back last cannot be read; slow reads make sure that it is known in time.
    faulty $serial slow read 5
    start verify "$device" $consent --size 8MiB --rw randwrite $load --time 3s --runs 1 --check --json
    measured || die "verify did not get far: $(cat /tmp/talk)"
    faulty $serial errors read 7340032 1048576
    ends
    sane 1 && kept && says 'data-lost' && jq_true '[.run.stages[].rounds[].check.unreadable // 0] | add > 0'
    verdict '--check: written blocks that cannot be read are lost data' $?
    faulty $serial honest

    # The power fails when all is written and the reading back has begun, which slow reads make sure of. A lying drive has answered
    # each sync and loses all; an honest one was asked for nothing that it could lose.
    for how in lie honest; do
        faulty $serial $how
        faulty $serial slow read 5
        start verify "$device" $consent --size 8MiB --rw randwrite --sync fdatasync --end-fsync $load --time 3s --runs 1 --check --json
        measured || die "verify did not get far: $(cat /tmp/talk)"
        faulty $serial cut 7 all >/tmp/cut
        ends
        lost='[.run.stages[].rounds[].check // {} | (.corrupt // 0) + (.stale // 0) + (.torn // 0) + (.misplaced // 0) + (.unreadable // 0)] | add'
        if [ $how = lie ]; then
            sane 1 && kept && says 'data-lost' && jq_true "$lost > 1000"
            verdict "--check finds what a lying drive lost in a cut ($(cat /tmp/cut))" $?
        else
            sane 0 3 && kept && jq_true "$lost == 0" && jq_true '[.run.stages[].rounds[].check // {} | .good // 0] | add > 1000'
            verdict "--check finds nothing lost of an honest drive in the same cut ($(cat /tmp/cut))" $?
        fi
    done
    faulty $serial honest
}

part_hang() {
    echo "== $serial hangs"
    for backend in io_uring libaio psync; do
        start verify "$device" --rw randread $long --io-timeout 3s --backend $backend --json
        measured || die "verify did not get far: $(cat /tmp/talk)"
        faulty $serial hang 15
        ends
        faulty $serial honest
        sane 2 3 && kept && state hung && says 'never came back'
        verdict "a hang longer than --io-timeout ends the run, $backend" $?
        usleep 500000
    done
    start verify "$device" --rw randread $load --time 20s --runs 4 --io-timeout 60s --json
    measured || die "verify did not get far: $(cat /tmp/talk)"
    faulty $serial hang 4
    ends
    sane 0 3 && kept && state complete && jq_true '[.run.stages[].rounds[].errors | .failed + .lost] | add == 0'
    verdict 'a hang shorter than it is only slow' $?
    faulty $serial honest
}

part_slow() {
    echo "== $serial is slow"
    faulty $serial slow read 50
    ioproof_ends verify "$device" --rw randread --bs 4KiB --depth 1 --workers 1 --time 6s --runs 2 --json
    faulty $serial honest
    # The least latency, not the mean: each read takes as long as that.
    sane 0 3 && kept && jq_true '[.run.stages[].rounds[] | select(.read.ios > 0) | .elapsed_ns / .read.ios] | min >= 50000000'
    verdict 'every read takes at least the 50 ms that it was made to take' $?
}

part_held() {
    echo '== held exclusively'
    for serial in NVME-A SCSI-A VIRTIO-A; do
        device=$(drive $serial)
        start verify "$device" --destroy $serial --size 8MiB --rw randwrite $long --json
        measured || die "verify did not get far: $(cat /tmp/talk)"
        second="timeout 60 ioproof verify $device --destroy $serial --destroy-unknown-content --size 8MiB --rw randwrite $short"
        $second >/tmp/second 2>&1
        seen=$?
        # In a PID namespace of its own it sees no other process, and with consent to that only the kernel can refuse it.
        unshare --pid --fork --mount --mount-proc $second --destroy-unseen-users >/tmp/unseen 2>&1
        unseen=$?
        kill -INT $(pidof ioproof)
        ends
        sane 3
        verdict "$serial: the first holder goes on and ends when interrupted" $?
        status=$seen why='no refusal'
        [ $seen -eq 2 ] && grep -qE 'is open for writing in process|exclusively' /tmp/second
        verdict "$serial: a second --destroy is refused" $?
        status=$unseen
        [ $unseen -eq 2 ] && grep -q 'exclusively' /tmp/unseen
        verdict "$serial: also by one that cannot see the first: it is held exclusively ($(head -n 1 /tmp/unseen))" $?
    done
}

# Each part by its name, or all.
for part in ${*:-identify pulled read_errors write_errors lost hang slow held}; do
    case $part in
        read_errors | write_errors | lost | hang | slow)
            for serial in FAULTY-S FAULTY-N; do
                device=$(drive $serial)
                consent="--destroy $serial --destroy-unknown-content"
                # What the kernel makes of an unrecovered read error.
                case $serial in FAULTY-S) errno=5 ;; FAULTY-N) errno=61 ;; esac
                part_$part
            done
            ;;
        *) part_$part ;;
    esac
done

finish
