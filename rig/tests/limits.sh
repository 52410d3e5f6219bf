# Limits in front of a drive that are set by others: groups of version 2, which limit I/O, CPU time, CPUs and memory, and layers of the
# device mapper that take time or fail. Each is named, and none makes a drive miss a claim. The control is the same drive without them,
# which misses it.

. /share/lib.sh
. /share/verdict_cases.sh

groups=/sys/fs/cgroup
group=$groups/rig
must mount -t cgroup2 cgroup2 $groups
echo '+io +cpu +memory +cpuset' >$groups/cgroup.subtree_control || die 'the kernel has not all controllers'
must mkdir $group

# Runs a command in the group.
cat >/tmp/in_group <<'SH'
#!/bin/dash
echo $$ >/sys/fs/cgroup/rig/cgroup.procs || exit 70
exec "$@"
SH
chmod +x /tmp/in_group

# limit FILE VALUE: in the group, whatever runs in it from now on.
limit() {
    echo "$2" >"$group/$1" || die "cannot write $2 to $1"
    inside=/tmp/in_group
}

# unlimited FILE VALUE: as it was.
unlimited() {
    echo "$2" >"$group/$1" || die "cannot write $2 to $1"
    inside=
}

part_io() {
    for serial in NVME-A SATA-A; do
        written $serial
        number=$(cat "/sys/block/${device##*/}/dev")
        echo "== limits on I/O of $serial"
        claimed "$device"
        missed
        verdict "$serial without a limit misses the claim" $?
        for what in riops=300 rbps=1048576; do
            limit io.max "$number $what"
            claimed "$device"
            not_missed && limited io_limit && found own-limit && holds '[.judgement.rows[].limited_by | select(test("/sys/fs/cgroup/rig/io.max"))] | length > 0'
            verdict "$serial: $what is named, and there is no miss" $?
            unlimited io.max "$number ${what%=*}=max"
        done
        limit io.max "$number riops=10000000"
        claimed "$device"
        missed && holds '([.judgement.findings[].rule] | index("own-limit")) == null and ([.judgement.rows[].limit.place] | index("io_limit")) == null'
        verdict "$serial: a limit far above it is not named, and it misses" $?
        unlimited io.max "$number riops=max"
    done
    # A limit on the disk holds back what is on a partition of it.
    must sgdisk --new 1:2048:0 "$device"
    must blockdev --rereadpt "$device"
    limit io.max "$number riops=300"
    claimed "${device}1"
    not_missed && limited io_limit && found own-limit
    verdict 'on a partition the limit of its disk is named, and there is no miss' $?
    unlimited io.max "$number riops=max"
    must blkdiscard -z "$device"
    must blockdev --rereadpt "$device"
}

part_cpu() {
    written NVME-A
    echo '== limits on CPU time and CPUs'
    limit cpu.max '10000 100000'
    claimed "$device"
    not_missed && limited cpu_limit && found cpu-quota
    verdict 'cpu.max is named, and there is no miss' $?
    unlimited cpu.max 'max 100000'
    limit cpuset.cpus 0
    verified "$device" --datasheet $datasheet --rw randread --bs 4KiB --workers 4 --depth 8 --time 8s --runs 6
    ended 0 2 3 && limited cpu_set && found cpu-set
    verdict 'a cpuset that is taken up is named, and there is no miss' $?
    unlimited cpuset.cpus ''
}

part_memory() {
    written SATA-A
    echo '== limits on memory'
    limit memory.max 25165824
    $inside timeout -k 5 100 ioproof run --output-format=json --name=r --filename="$device" --rw=randread --bs=64k --direct=0 --size=30m --time_based --runtime=3 \
        </dev/null >/tmp/result.json 2>/tmp/talk
    status=$?
    ended 0 2 3 && says 'memory' && jq -e '.jobs[0].read.total_ios > 0' /tmp/result.json >/dev/null
    timeout 60 ioproof report last --json >/tmp/report.json 2>>/tmp/talk
    found memory-limit
    verdict 'memory.max is named for what goes through the page cache' $?
    # Direct I/O keeps nothing in memory.
    written NVME-A
    claimed "$device"
    holds '([.judgement.findings[].rule] | index("memory-limit")) == null'
    verdict 'and not for what does not' $?
    unlimited memory.max max
}

# mapped NAME TABLE: a device of the device mapper; leaves `mapped` and its kernel `name`.
mapped() {
    must dmsetup create "$1" --table "$2"
    must dmsetup mknodes
    mapped=/dev/mapper/$1
    name=$(basename "$(readlink -f "/sys/dev/block/$(dmsetup info -c --noheadings -o major,minor --separator : "$1")")")
}

part_layers() {
    written NVME-A
    sectors=$(blockdev --getsz "$device")
    echo '== layers'
    must modprobe dm-delay
    must modprobe dm-flakey
    mapped plain "0 $sectors linear $device 0"
    claimed "$mapped"
    missed
    verdict 'through a layer that takes no time the drive misses the claim' $?
    must dmsetup remove plain

    mapped late "0 $sectors delay $device 0 10"
    slow=$name
    claimed "$mapped"
    not_missed && limited layer && holds --arg name "$slow" '[.judgement.rows[].limited_by | select(startswith($name + ","))] | length > 0'
    verdict 'dm-delay is named, and there is no miss' $?
    mapped over "0 $sectors linear /dev/mapper/late 0"
    claimed "$mapped"
    not_missed && limited layer && holds --arg name "$slow" '[.judgement.rows[].limited_by | select(startswith($name + ","))] | length > 0'
    verdict 'dm-delay below another layer is named, and there is no miss' $?
    must dmsetup remove over
    must dmsetup remove late

    mapped flaky "0 $sectors flakey $device 0 2 1"
    claimed "$mapped"
    not_missed && limited failed_io && found io-errors
    verdict 'dm-flakey: its errors are told, and there is no miss' $?
    must dmsetup remove flaky
}

# Each part by its name, or all.
for part in ${*:-io cpu memory layers}; do
    part_$part
done

finish
