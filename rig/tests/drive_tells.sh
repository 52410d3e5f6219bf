# What drives tell of themselves when they are measured: health, temperature, heat, errors and wear before and after, the cache, the link;
# and a drive that says that it fails. Emulated drives count no errors and no wear of their own, so of those it is tried that they are
# asked for and kept.

. /share/lib.sh
. /share/verdict_cases.sh

short='--rw randread --bs 4KiB --workers 1 --depth 4 --time 2s --runs 2'

# writes SERIAL: verifies writes to it, which an NVMe drive counts.
writes() {
    device=$(drive "$1")
    name=${device##*/}
    verified "$device" --destroy "$1" --destroy-unknown-content --size 8MiB --rw randwrite --bs 64KiB --workers 1 --depth 4 --time 2s --runs 2
}

# kept FIELDS...: the record has the drive, with these fields before and after.
kept() {
    for field in "$@"; do
        holds --arg name "$name" --arg field "$field" '.run.health | any(.name == $name and .before[$field] != null and .after[$field] != null)' || return 1
    done
}

# noted WORDS: a note of the report.
noted() {
    holds --arg words "$1" '[.run.notes[] | select(test($words))] | length > 0'
}

echo '== before and after'
writes NVME-A
ended 0 3 && kept health temperature_celsius hot_minutes throttle_seconds throttles media_errors written_bytes used_percent
verdict 'NVMe: all that it tells is in the record, before and after' $?
holds --arg name "$name" '.run.health[] | select(.name == $name) | .after.written_bytes > .before.written_bytes'
verdict 'NVMe: it counted what was written' $?
noted "^$name by its own account during the run: .*B written, 0 new errors of the medium, slowed down by heat 0 times, slowed down by heat for 0 s, endurance used 0 % before, 0 % after, 50 °C before, 50 °C after, OK.* before, OK.* after"
verdict 'NVMe: what changed is in the report' $?
writes SATA-A
ended 0 3 && kept health temperature_celsius
verdict 'SATA: health and temperature are in the record, before and after' $?
noted "^$name by its own account during the run: .*°C before, .*°C after, OK.* before, OK.* after"
verdict 'SATA: what it tells is in the report' $?
holds --arg name "$name" '.run.health[] | select(.name == $name) | .before.throttle_seconds == null and .before.throttles == null'
verdict 'SATA: what it does not tell is not there' $?
verified "$(drive VIRTIO-A)" $short
ended 0 3 && holds '(.run.health // []) == []'
verdict 'virtio, which tells nothing: nothing is made up' $?

echo '== a drive that fails'
for bit in 1 4 8; do
    critical NVME-A $bit
    device=$(drive NVME-A)
    name=${device##*/}
    verified "$device" $short
    case $bit in 1) words=spare ;; 4) words=reliab ;; 8) words='read.only' ;; esac
    ended 0 2 3 && says "$name: critical warning: .*$words" && holds '[.run.stages[]] | length > 0' &&
        holds --arg words "$words" '[.run.warnings[] | select(.rule == "critical-warning" and .severity == "block" and (.title | test($words)))] | length == 1'
    verdict "critical warning $bit is said, and it is measured" $?
    holds '.run.health[0] | .before.health == "failing" and .after.health == "failing"'
    verdict "critical warning $bit: failing before and after" $?
done
# It is said before anything is measured.
verified "$device" $short
warned=$(grep -n 'critical warning' /tmp/talk | head -n 1 | cut -d : -f 1)
measured=$(grep -n ', run 1,' /tmp/talk | head -n 1 | cut -d : -f 1)
why="the warning in line ${warned:-none}, the first run in line ${measured:-none}"
[ "${warned:-9999}" -lt "${measured:-0}" ]
verdict "the warning comes before the first run ($why)" $?
verified "$device" --admit healthy $short
ended 2 && says 'critical warning' && [ ! -s /tmp/report.json ]
verdict 'with --admit healthy it is not measured' $?
critical NVME-A 0
verified "$device" --admit healthy $short
ended 0 3 && holds '.run.health[0].before.health | startswith("OK")'
verdict 'when it warns no more it is admitted' $?

# It fails while it is measured.
rm -rf $XDG_STATE_HOME
verified "$device" --rw randread --bs 4KiB --workers 1 --depth 4 --time 20s --runs 6 &
tries=0
while ! ls $XDG_STATE_HOME/ioproof/runs/*/stages/0000.json >/dev/null 2>&1; do
    [ $tries -lt 300 ] || die "verify did not get far: $(cat /tmp/talk)"
    usleep 100000
    tries=$((tries + 1))
done
critical NVME-A 4
wait $!
status=0
says "$name: critical warning" && holds '.run.health[0] | (.before.health | startswith("OK")) and .after.health == "failing"'
verdict 'a drive that begins to fail meanwhile: OK before, failing after' $?
critical NVME-A 0

echo '== the write cache'
# As the drive has it, a feature of the controller; the kernel goes on taking it for write back.
for state in 'off 0 false' 'on 1 true'; do
    set -- $state
    must nvme set-feature "${device%n*}" --feature-id 6 --value "$2"
    verified "$device" $short
    holds ".run.health[0] | .before.write_cache_on == $3 and .after.write_cache_on == $3" && noted "^$name by its own account during the run: .*, write cache $1"
    verdict "NVMe: its write cache is $1" $?
done
device=$(drive SATA-A)
name=${device##*/}
for state in 'off 0 false' 'on 1 true'; do
    set -- $state
    must hdparm -W "$2" "$device"
    verified "$device" $short
    holds ".run.health[0] | .before.write_cache_on == $3 and .after.write_cache_on == $3" && noted "^$name by its own account during the run: .*, write cache $1"
    verdict "SATA: its write cache is $1" $?
done

echo '== the link'
# An emulated link is a register: it is shown by identify, and limits nothing.
place=$(drive NVME-P)
verified "$place" --rw read --bs 256KiB --workers 1 --depth 8 --time 4s --runs 3
holds '[.judgement.rows[] | select(.limit.place == "link")] == [] and ([.judgement.findings[].rule] | index("above-link")) == null'
verdict "the register of an emulated link is no limit ($(jq -c '[.judgement.rows[].measured.median]' /tmp/report.json))" $?

finish
