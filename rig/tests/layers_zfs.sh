# needs: zfs
# `layers --fs zfs`: a pool that is made for a run, measured and taken down; also after Ctrl-C, and by the next run after a kill. Pools of others stay.
#
# No pool may be left, nor a label on a drive; and no pool that somebody else made, or took, may go. What counts as a refusal stands in write_cases.sh.

. /share/lib.sh
. /share/write_cases.sh

must load-zfs
# Room for the holes of all drives below, of which only what is written takes memory.
must mount -o remount,size=95% /tmp
echo 67108864 >/sys/module/zfs/parameters/zfs_arc_max

# Sparse, as all of them lie in memory; those of the rig are too small for files.
new_drive() {
    must truncate -s 512M "/tmp/disk$1"
    losetup --find --show "/tmp/disk$1" || die 'no loop device'
}
one=$(new_drive 1) two=$(new_drive 2) three=$(new_drive 3)
small=$(drive SCSI-A)
other=$(drive VIRTIO-A)
short='--time 1s --runs 1'
measured='ioproof layers --size 16MiB --destroy-unknown-content'

# node DEVICE: another node of it, outside of /dev, where zpool takes it for no whole disk, which it would part and wait for udev.
node() {
    [ -b "/tmp/${1##*/}" ] || must mknod "/tmp/${1##*/}" b $(tr : ' ' <"/sys/block/${1##*/}/dev")
    echo "/tmp/${1##*/}"
}

# pools: the imported ones.
pools() {
    zpool list -H -o name | sort | xargs
}

# left DEVICE...: what of a run is still there: pools of ours, folders, labels.
left() {
    zpool list -H -o name | grep ^ioproof-fs-
    ls -A /run | grep ioproof
    for device; do
        zdb -l "$device" >/dev/null 2>&1 && echo "a label on $device"
    done
}

# nothing_left CASE DEVICE...
nothing_left() {
    name=$1
    shift
    found=$(left "$@" | xargs)
    if [ -z "$found" ]; then pass "nothing is left: $name"; else fail "nothing is left: $name ($found)"; fi
}

# is CASE VALUE EXPECTED
is() {
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1: $2, not $3"; fi
}

# words DEVICE...: each with its consent: a drive by its serial number, a loop device by its name.
words() {
    for device; do
        serial=$(serial_of "${device#/dev/}")
        printf -- '--drive %s --destroy %s ' "$device" "${serial:-${device#/dev/}}"
    done
}

# made FORM DEVICE...: it is made, measured, and gone; leaves the report at /tmp/report.json.
made() {
    form=$1
    shift
    rm -f /tmp/report.json
    timeout 100 $measured $short --db "$database" --fs "$form" $(words "$@") $options ${property:+--mkfs-opt} ${property:+"-O $property"} \
        -o /tmp/report.json </dev/null >/tmp/output 2>&1
    status=$?
    case $status in
    0 | 1 | 3) pass "measured: $form" ;;
    *) fail "measured: $form (exit status $status)"; tail -n 5 /tmp/output ;;
    esac
    nothing_left "after $form" "$@"
}
database=none options= property=

# begun DEVICE: a long run on it, in the background, which measures; leaves `pid`.
begun() {
    rm -f /tmp/output
    $measured --db none --runs 500 --time 1000s --fs zfs $(words "$1") </dev/null >/tmp/output 2>&1 &
    pid=$!
    tries=0
    while ! grep -qs ^measuring /tmp/output; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] && kill -0 $pid || die "it does not get on: $(cat /tmp/output)"
        usleep 100000
    done
}

echo '== refusals'
command='ioproof layers --size 16MiB --time 1s --runs 1 --fs zfs --drive'
refused 'without consent' 'is written only with --destroy' "$small"
must dd if=/dev/urandom of="$small" bs=1M count=1 seek=7 oflag=direct
refused 'a drive with data' 'destroy-unknown-content' "$small" --destroy SCSI-A
empty "$small"
must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$small"
refused 'a filesystem, with every consent' 'signature of ext' "$small" --destroy SCSI-A --destroy-unknown-content
empty "$small"
refused 'too small a drive' 'is needed' "$small" --destroy SCSI-A
refused 'another mount point' 'is no option of zpool' "$small" --destroy SCSI-A --mkfs-opt '-O mountpoint=/srv'
command='ioproof layers --size 16MiB --fs zfs:mirror --drive'
refused 'one drive as a mirror' 'takes at least 2 drives' "$small" --destroy SCSI-A
is 'no pool was made' "$(pools)" ''

echo '== made, measured, taken down'
made zfs "$one"
made zfs:mirror "$one" "$two"
is 'a mirror stands on both' "$(jq -r '[.run.targets[0].facts.stack.under[].name] | join(" ")' /tmp/report.json)" "${one#/dev/} ${two#/dev/}"
twice=$(jq '[.judgement.layers.rows[] | select(.kind == "filesystem_writes").drive_bytes_per_byte.median][0] >= 2' /tmp/report.json)
is 'a mirror writes all of it twice' "$twice" true
database=sqlite
made zfs:raidz "$one" "$two" "$three"
database=none

echo '== four NVMe drives'
short='--time 10s --runs 6'
four="$(drive NVME-A) $(drive NVME-M) $(drive NVME-P) $(drive FAULTY-N)"
for form in stripe raidz; do
    made zfs:$form $four
    is "$form stands on all four" "$(jq -r '[.run.targets[0].facts.stack.under[].name] | join(" ")' /tmp/report.json)" "$(echo $four | sed 's:/dev/::g')"
    ways=$(jq -c '[.judgement.layers.pool[].way] | unique' /tmp/report.json)
    is "$form is held against one drive, their sum and all at once" "$ways" '["added_up","at_once","one_drive"]'
done
short='--time 1s --runs 1'

echo '== records of 128 KiB under writes of 8 KiB'
# named: what the rule says of random writes, with its figure.
named() {
    jq -r '.judgement.findings[] | select(.rule == "large-records").title | select(test("writes"))' /tmp/report.json
}
options='--page 8KiB --time 6s --runs 6'
short=
made zfs "$one"
if named | grep -E 'records of 128 KiB, and writes of 8 KiB .* [0-9.]+ bytes are read'; then pass 'they are named'; else fail 'they are named'; fi
property=recordsize=8K
made zfs "$one"
is 'records of 8 KiB are not' "$(named)" ''
short='--time 1s --runs 1' options= property=

echo '== a database that is compressed'
compressed() {
    jq -r '.judgement.findings[] | select(.rule == "database-compressed").title' /tmp/report.json
}
database=sqlite property=compression=lz4
made zfs "$one"
if compressed | grep 'zfs keeps [0-9.]* % of it compressed'; then pass 'it is named'; else fail 'it is named'; fi
property=compression=off
made zfs "$one"
is 'without compression it is not' "$(compressed)" ''
database=none property=

echo '== an ARC that holds all of it'
# answered: what is said of bytes that no drive gave.
answered() {
    jq -r '.judgement.findings[] | select(.rule == "page-cache").title' /tmp/report.json
}
property=primarycache=all options='--time 6s --runs 6' short=
made zfs "$one"
if answered | grep 'of the bytes read reached the drive; .* (the ARC of ZFS, of up to 64 MiB)'; then pass 'it is named'; else fail 'it is named'; fi
is 'and its figures stand for nothing' "$(jq -r '[.judgement.findings[] | select(.rule == "page-cache").effect] | unique | join(" ")' /tmp/report.json)" invalid
property=
made zfs "$one"
is 'kept out of it, it is not' "$(answered)" ''
short='--time 1s --runs 1' options=

echo '== pools of others'
must zpool create -o cachefile=none -m none tank "$(node "$other")"
# What a killed run leaves, by name alone.
must mkdir /run/.ioproof-fs-1-0
must zpool create -o cachefile=none -O mountpoint=none -O org.ioproof:own=x/0:0/7:0 ioproof-fs-1-0 "$(node "$small")"
ioproof layers --size 16MiB --fs zfs --drive "$other" --destroy VIRTIO-A --destroy-unknown-content >/tmp/output 2>&1
is 'a member of a pool is refused' "$?" 2
is 'both pools stay' "$(pools)" 'ioproof-fs-1-0 tank'
must zpool destroy ioproof-fs-1-0

# The number of the process is known before its program.
sh -c 'zpool create -o cachefile=none -m none ioproof-fs-$$-0 "$0"; exec "$@"' "$(node "$small")" \
    $measured $short --fs zfs $(words "$one") </dev/null >/tmp/output 2>&1
is 'a name that is taken ends it' "$?" 2
if grep -q 'the name of its pool is taken' /tmp/output; then pass 'it is told'; else fail "it is told: $(cat /tmp/output)"; fi
taken=$(pools | tr ' ' '\n' | grep ioproof)
is 'whose it is keeps it' "$(zpool list -v -H -P "$taken" | grep -c "/tmp/${small##*/}")" 1
must zpool destroy "$taken"
nothing_left 'after that' "$one"

# Somebody takes the drive in the moment in which zpool is to have it.
mkdir /tmp/bin
cat >/tmp/bin/zpool <<END
#!/bin/sh
if [ "\$1" = create ]; then /sbin/zpool create -o cachefile=none -m none thief $(node "$one"); fi
exec /sbin/zpool "\$@"
END
chmod +x /tmp/bin/zpool
PATH=/tmp/bin:$PATH $measured $short --fs zfs $(words "$one") </dev/null >/tmp/output 2>&1
is 'ZFS itself refuses what another pool has' "$?" 2
if grep -q 'zpool fails: .*thief' /tmp/output; then pass 'that is told'; else fail "that is told: $(cat /tmp/output)"; fi
is 'the other pool stays' "$(pools)" 'tank thief'
must zpool destroy thief
must zpool labelclear "$one"

echo '== interrupted and killed'
begun "$one"
sleep 3
kill -INT $pid
wait $pid
is 'Ctrl-C is told' $? 3
nothing_left 'after Ctrl-C' "$one"

begun "$one"
kill -KILL $pid
wait $pid
is 'a kill leaves the pool' "$(pools)" "ioproof-fs-$pid-0 tank"
made zfs "$one"
is 'and nothing of others went with it' "$(pools)" tank

begun "$one"
kill -KILL $pid
wait $pid
must zpool export "ioproof-fs-$pid-0"
must zpool import -o cachefile=none -d "$one" "ioproof-fs-$pid-0"
$measured $short --fs zfs $(words "$two") </dev/null >/tmp/output 2>&1
is 'what somebody imported anew is his' "$(pools)" "ioproof-fs-$pid-0 tank"
must zpool destroy "ioproof-fs-$pid-0"
must zpool destroy tank

finish
