# `layers --memory-limit` by control groups of version 2: the run and what the page cache keeps for it stay within the limit, a database of which less is kept reads more
# at its drive, and the group is gone at the end, after a kill by the next run.

. /share/lib.sh

groups=/sys/fs/cgroup
limit=138412032
must mount -t cgroup2 cgroup2 $groups
echo '+memory' >$groups/cgroup.subtree_control || die 'the kernel has no controller for memory'
# A disk in memory of its own, which is charged to whoever fills it: that is done here.
must mount -o remount,size=700M /tmp
must dd if=/dev/zero of=/tmp/disk bs=1M count=560
device=$(losetup --find --show --direct-io=off /tmp/disk) || die 'no loop device'
must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$device"
mkdir /tmp/data
must mount "$device" /tmp/data
measured='ioproof layers --dir /tmp/data --size 132MiB --db sqlite --mix select-only --time 2s --runs 6'

# is CASE VALUE EXPECTED
is() {
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1: $2, not $3"; fi
}

# groups_of_ours
groups_of_ours() {
    ls -d $groups/ioproof-memory-* 2>/dev/null | xargs
}

# begun FLAGS...: a run in the background; leaves `pid`.
begun() {
    $measured "$@" -o /tmp/report.json </dev/null >/tmp/output 2>&1 &
    pid=$!
}

# seen: waits until the run has its group, and leaves its folder in `group`.
seen() {
    tries=0
    while group=$(groups_of_ours) && [ -z "$group" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] && kill -0 $pid || die "it makes no group: $(cat /tmp/output)"
        usleep 100000
    done
}

# transactions: of the database, a second.
transactions() {
    jq '[.judgement.layers.rows[] | select(.kind == "database").per_s.median][0] | round' /tmp/report.json
}

echo '== within a limit'
begun --memory-limit 132MiB
seen
is 'the group has the limit' "$(cat "$group/memory.max")" $limit
is 'the run is in it' "$(grep -cx $pid "$group/cgroup.procs")" 1
most=0
while kill -0 $pid 2>/dev/null; do
    now=$(cat "$group/memory.peak" "$group/memory.current" 2>/dev/null | sort -n | tail -n 1)
    [ "${now:-0}" -gt $most ] && most=$now
    usleep 200000
done
wait $pid
status=$?
case $status in
0 | 3) pass 'it is measured' ;;
*) fail "it is measured (exit status $status)"; tail -n 5 /tmp/output ;;
esac
echo "most that was used: $most of $limit bytes"
if [ $most -gt $((limit / 2)) ] && [ $most -le $limit ]; then pass 'it is used and kept'; else fail "it is used and kept: $most"; fi
is 'the group is gone' "$(groups_of_ours)" ''
is 'the record has it' "$(jq '[.run.host.limits[]? | select(.resource == "memory").value][0]' /tmp/report.json)" $limit
limited=$(transactions)

echo '== without'
begun
wait $pid
free=$(transactions)
echo "transactions a second: $limited within the limit, $free without"
if [ "$limited" -lt "$free" ]; then pass 'a database that memory does not hold is slower'; else fail "it is as fast: $limited, not below $free"; fi

echo '== killed'
begun --memory-limit 132MiB
seen
kill -KILL $pid
wait $pid
is 'a kill leaves the group' "$(groups_of_ours)" "$group"
measured='ioproof layers --dir /tmp/data --size 16MiB --db none --time 1s --runs 1'
begun --memory-limit 132MiB
wait $pid
is 'the next run removes it' "$(groups_of_ours)" ''

finish
