# Another drive in the place of the one that was named: whatever the moment, not one byte of it may change. NVME-Q comes into the slot
# of NVME-P, most often by the same kernel name.
#
# What proves something is told beside the cases: how often the name was the same, and in which ways the tries ended.

. /share/lib.sh

export XDG_STATE_HOME=/tmp/state
store=/tmp/state/ioproof/runs
load='--size 8MiB --rw randwrite --bs 4KiB --workers 1 --depth 4 --json'

# contents DEVICE: the checksum of the whole disk, past every cache.
contents() {
    dd if="$1" bs=1M iflag=direct 2>/dev/null | cksum
}

# start DEVICE ARGUMENT...: a run that would write, in the background; leaves its process in `job`.
start() {
    rm -rf "$store"
    ioproof verify "$@" --destroy NVME-P $load </dev/null >/tmp/report.json 2>/tmp/talk &
    job=$!
}

# swap_in: NVME-P out, NVME-Q in; leaves `other`.
swap_in() {
    unplug NVME-P
    plug NVME-Q
    other=$(drive NVME-Q)
}

swap_back() {
    unplug NVME-Q
    plug NVME-P
}

# ends: waits up to a minute for the program; leaves `status`.
ends() {
    local tries=0
    while kill -0 $job 2>/dev/null && [ $tries -lt 600 ]; do
        usleep 100000
        tries=$((tries + 1))
    done
    kill -KILL $job 2>/dev/null && echo 'it did not end by itself' >>/tmp/talk
    wait $job
    status=$?
}

# untouched CASE: NVME-Q is as it was, and no program panicked or was left.
untouched() {
    if [ "$(contents "$other")" != "$known" ]; then
        fail "$1: NVME-Q CHANGED (exit status $status)"
    elif grep -q panicked /tmp/talk || pidof ioproof >/dev/null || [ $status -gt 3 ]; then
        fail "$1: exit status $status"
    else
        pass "$1 (exit status $status)"
        return
    fi
    tail -n 5 /tmp/talk
}

# What is on NVME-Q is empty for the write rule: only who it is protects it. The first block of another try would show at once.
swap_in
known=$(contents "$other")
swap_back

echo '== while it is written'
for how in '' '--backend psync' '--backend mmap' '--sync fdatasync --check'; do
    start "$(drive NVME-P)" --time 600s --runs 1000 --destroy-unknown-content $how
    tries=0
    while ! ls "$store"/*/stages/0000.json >/dev/null 2>&1; do
        kill -0 $job 2>/dev/null && [ $tries -lt 600 ] || die "verify did not get far: $(cat /tmp/talk)"
        usleep 100000
        tries=$((tries + 1))
    done
    swap_in
    ends
    untouched "exchanged under a run${how:+, $how}"
    if [ $status -ne 1 ] && grep -q 'the target is gone' "$store"/*/run.json; then pass 'and the run says that it is gone'; else fail 'and the run says that it is gone'; fi
    swap_back
done

echo '== between a look and the write'
device=$(drive NVME-P)
timeout 100 ioproof verify "$device" --destroy NVME-P --destroy-unknown-content --dry-run $load --time 2s --runs 1 >/tmp/dry 2>&1 || die "the dry run failed: $(cat /tmp/dry)"
swap_in
start "$device" --time 2s --runs 1 --destroy-unknown-content
ends
untouched 'exchanged after a dry run'
if [ "$other" = "$device" ]; then
    if [ $status -eq 2 ] && grep -q 'does not name' /tmp/talk; then pass 'the name is refused'; else fail "the name is refused: $(cat /tmp/talk)"; fi
else
    echo "NVME-Q is $other and not $device: nothing to refuse"
fi
swap_back

echo '== stopped shortly after the start'
# Each try is stopped a little later, from before anything is looked at to after the open, and goes on when the other drive is there.
# It is enough when two tries had the drive open before it went.
same=0 refused=0 exchanged=0 gone=0
pause=0
while [ $gone -lt 2 ] && [ $pause -le 1500000 ]; do
    device=$(drive NVME-P)
    start "$device" --time 600s --runs 1000 --destroy-unknown-content
    usleep $pause
    kill -STOP $job
    swap_in
    [ "$other" = "$device" ] && same=$((same + 1))
    kill -CONT $job
    ends
    grep -q 'does not name' /tmp/talk && refused=$((refused + 1))
    grep -qE 'exchanged|another device|its size changed' /tmp/talk && exchanged=$((exchanged + 1))
    grep -q 'target is gone' /tmp/talk /tmp/report.json "$store"/*/run.json 2>/dev/null && gone=$((gone + 1))
    untouched "stopped after $pause us, exchanged, continued: $(grep -E '^error|verifying' /tmp/talk | tail -n 1 | cut -c 1-90)"
    swap_back
    pause=$((pause + 25000))
done
echo "the same name $same times, a name refused $refused times, an exchange seen $exchanged times, gone $gone times"
if [ $same -gt 0 ]; then pass 'some tries met the other drive by the same name'; else fail 'no try met the other drive by the same name'; fi
if [ $((refused + exchanged)) -gt 0 ]; then pass 'some of them were refused for it'; else fail 'none was refused for it'; fi

# Nothing above proves anything if that command would not write to NVME-P.
before=$(contents "$(drive NVME-P)")
start "$(drive NVME-P)" --time 1s --runs 1 --destroy-unknown-content
ends
if [ "$before" != "$(contents "$(drive NVME-P)")" ]; then pass 'the same command writes to the drive that it names'; else fail 'the same command writes to the drive that it names'; fi

finish
