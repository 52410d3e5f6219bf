# What the rig's scripts share: `. /share/lib.sh`. POSIX shell with `local` (dash).
# A drive is found by its serial number; a case is one line of output; `finish` counts them.

passed=0
failed=0

# The serial number of a disk as the kernel tells it: virtio and NVMe as text, SCSI and SATA in VPD page 80h behind four bytes.
serial_of() {
    local file number
    for file in "/sys/block/$1/serial" "/sys/block/$1/device/serial"; do
        # Without programs where possible: starting one takes milliseconds in an emulated machine. virtio's has no end of line.
        if [ -e "$file" ]; then
            number=
            read -r number <"$file" || :
            if [ -n "$number" ]; then printf %s "$number"; return; fi
        fi
    done 2>/dev/null
    if [ -r "/sys/block/$1/device/vpd_pg80" ]; then tail -c +5 "/sys/block/$1/device/vpd_pg80" | tr -d ' \n\0'; fi
}

# find_drive SERIAL [N]: the path of the (N-th) disk that bears the serial number; fails when there is none now. One path of several
# to an NVMe namespace is hidden, and is no disk.
find_drive() {
    local folder name hidden seen=0
    for folder in /sys/block/*; do
        name=${folder##*/}
        hidden=0
        read -r hidden 2>/dev/null <"$folder/hidden" || :
        [ "$hidden" = 0 ] && [ "$(serial_of "$name")" = "$1" ] && [ -b "/dev/$name" ] || continue
        seen=$((seen + 1))
        if [ $seen -eq "${2:-1}" ]; then echo "/dev/$name"; return; fi
    done
    return 1
}

# drive SERIAL [N]: the same, but waits for it up to 5 s, as drivers probe in the background.
drive() {
    local tries=0
    while [ $tries -lt 50 ]; do
        find_drive "$@" && return
        usleep 100000
        tries=$((tries + 1))
    done
    die "no drive with the serial number $1 (number ${2:-1})"
}

# die TEXT: the rig itself is broken; no verdict on what is tested.
die() {
    echo "rig: $*"
    echo 70 >/share/status
    echo o >/proc/sysrq-trigger
    sleep 60
}

# must COMMAND...: a preparation without which the case would prove nothing. Quiet unless it fails.
must() {
    "$@" >/tmp/must.log 2>&1 && return
    status=$?
    cat /tmp/must.log
    die "the preparation \`$*\` failed with status $status"
}

# host WORD...: has the host do something and prints what it tells. What it cannot do is a failure of the rig.
host() {
    local request answer tries=0
    request=$(mktemp /share/host/XXXXXX) || die 'cannot write a request to the host'
    echo "$*" >"$request"
    mv "$request" "$request.request"
    while [ ! -e "$request.answer" ]; do
        [ $tries -lt 1500 ] || die "no answer from the host to \`$*\`"
        usleep 20000
        tries=$((tries + 1))
    done
    answer=$(cat "$request.answer")
    rm "$request.answer"
    case $answer in
        ok) ;;
        'ok '*) echo "${answer#ok }" ;;
        *) die "the host on \`$*\`: $answer" ;;
    esac
}

# unplug SERIAL: pulls the drive out, and waits until the kernel has let go of it. A PCI device goes in good order, its driver first.
unplug() {
    local tries=0
    host unplug "$1"
    while find_drive "$1" >/dev/null; do
        [ $tries -lt 100 ] || die "the drive $1 was unplugged and is still there"
        usleep 100000
        tries=$((tries + 1))
    done
}

# plug SERIAL: puts the drive in, and waits until it is there. It has the content that it had.
plug() {
    host plug "$1"
    drive "$1" >/dev/null
}

# faulty SERIAL WORD...: FAULTY-S and FAULTY-N do from now on as they are told, each beside what they were told before:
#   honest                                    nothing of what follows
#   slow read|write|flush|all MILLISECONDS    each request takes so long, one after another
#   errors read|write|all FROM LENGTH         requests that touch these bytes fail; one range for reads, one for writes
#   lie [NAME]                                flushes and writes with FUA are answered and make nothing durable; or as the drive of that name deals with
#                                             its cache (xtask/src/cached/behaviours.rs)
#   hang [SECONDS]                            no answer until told otherwise, or so long (20 s)
# and at once:
#   cut SEED [torn|all]                       the power fails: of the writes that were not flushed some are lost, or some sectors of
#                                             them, or all; tells how many there were. The kernel's page cache knows nothing of it.
#   count                                     tells what came so far: reads N writes N flushes N trims N fua N waiting N
faulty() {
    host faulty "$@"
}

# critical SERIAL BITS: an NVMe drive tells this critical warning of itself from now on (NVM Express Base Specification 2.0, figure 207); 0
# for none.
critical() {
    host critical "$@"
}

pass() {
    passed=$((passed + 1))
    echo "ok      $*"
}

fail() {
    failed=$((failed + 1))
    echo "FAILED  $*"
}

# finish: the closing line, and an exit status that is 0 only when something passed and nothing failed.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
    exit
}
