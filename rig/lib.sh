# What the rig's scripts share: `. /share/lib.sh`. POSIX shell (dash).
# A drive is found by its serial number; a case is one line of output; `finish` counts them.

passed=0
failed=0

# The serial number of a disk as the kernel tells it: virtio and NVMe as text, SCSI and SATA in VPD page 80h behind four bytes.
serial_of() {
    for file in "/sys/block/$1/serial" "/sys/block/$1/device/serial"; do
        if [ -s "$file" ]; then tr -d ' \n' <"$file"; return; fi
    done
    if [ -r "/sys/block/$1/device/vpd_pg80" ]; then tail -c +5 "/sys/block/$1/device/vpd_pg80" | tr -d ' \n\0'; fi
}

# drive SERIAL [N]: the path of the (N-th) disk that bears the serial number; waits for it up to 5 s, as drivers probe in the background.
drive() {
    tries=0
    while [ $tries -lt 50 ]; do
        seen=0
        for folder in /sys/block/*; do
            name=${folder##*/}
            [ "$(serial_of "$name")" = "$1" ] || continue
            seen=$((seen + 1))
            if [ $seen -eq "${2:-1}" ]; then echo "/dev/$name"; return; fi
        done
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
