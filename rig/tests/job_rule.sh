# The write rule for job files, which ask for no consent and may say that they need none.

. /share/lib.sh
. /share/write_cases.sh

export XDG_STATE_HOME=/tmp/state
written_by='ioproof run --name=job --rw=randwrite --bs=64k --size=16m --direct=1 --randrepeat=0 --allow_mounted_write=1'
command="$written_by --filename"
reading='ioproof run --name=job --rw=randread --bs=64k --size=16m --direct=1 --filename'
. /share/write_rule.sh

echo '== other ways to write'
must blkdiscard -z "$nvme"
for how in --rw=write --rw=rw --rw=trim --rw=randtrim '--rw=write --ioengine=mmap' '--rw=write --ioengine=libaio --iodepth=4' '--rw=read --rw=write' \
    '--rw=write --verify=crc32c' '--rw=read --overwrite=1 --create_only=1'; do
    command="ioproof run --name=job --bs=64k --size=16m $how --filename"
    case $how in
        *create_only*) only_read "without consent: $how" "$nvme" ;;
        *) refused "without consent: $how" 'device|drive' "$nvme" ;;
    esac
done

cat >/tmp/asks.fio <<'FIO'
[global]
allow_mounted_write=1
bs=64k
size=1m
direct=1
[write]
rw=write
FIO
command='ioproof run /tmp/asks.fio --filename'
refused 'a job file without consent' 'device|drive' "$nvme"
refused 'a job file with the serial number of another drive' 'does not name' "$nvme" --destroy SATA-A
command='ioproof run /tmp/asks.fio --readonly --filename'
refused 'a job file that writes, with --readonly' 'readonly' "$nvme" --destroy NVME-A

echo '== several drives'
command='ioproof run /tmp/asks.fio --filename'
must blkdiscard -z "$sata"
for order in "$nvme:$sata" "$sata:$nvme"; do
    content "$sata" /tmp/other
    content "$nvme" /tmp/named
    sectors=$(sectors_written)
    ioproof run /tmp/asks.fio --filename "$order" --destroy NVME-A >/tmp/output 2>&1
    status=$?
    content "$sata" /tmp/after_other
    content "$nvme" /tmp/after_named
    if [ $status -eq 2 ] && [ "$(sectors_written)" -eq "$sectors" ] && cmp -s /tmp/other /tmp/after_other && cmp -s /tmp/named /tmp/after_named; then
        pass "refused: two drives of which one was named, as $order"
    else
        fail "refused: two drives of which one was named, as $order (exit status $status)"
        tail -n 5 /tmp/output
    fi
done
content "$sata" /tmp/other
ioproof run /tmp/asks.fio --filename "$nvme:$sata" --destroy NVME-A --destroy SATA-A >/tmp/output 2>&1
status=$?
content "$sata" /tmp/after_other
if [ $status -eq 0 ] && ! cmp -s /tmp/other /tmp/after_other; then
    pass 'written: two drives that were named both'
else
    fail "written: two drives that were named both (exit status $status)"
    tail -n 5 /tmp/output
fi

echo '== what a job writes beside its files'
must blkdiscard -z "$sata"
for where in "--output=$sata" "--write_lat_log=$sata" "--write_bw_log=$sata --log_avg_msec=100" "--output-format=json --output=$sata"; do
    # The drive that is compared stands last.
    command="ioproof run --name=job --rw=read --size=1m --filename=/dev/zero $where --description"
    run_ioproof "$sata"
    if [ $changed = no ] && [ "$sectors" -eq 0 ] && [ -b "$sata" ]; then
        pass "never written: $where"
    else
        fail "never written: $where (exit status $status, content changed: $changed)"
        tail -n 5 /tmp/output
    fi
done
ln -s "$sata" /tmp/latency_lat.1.log
command='ioproof run --name=job --rw=read --size=1m --filename=/dev/zero --write_lat_log=/tmp/latency --description'
run_ioproof "$sata"
if [ $changed = no ] && [ "$sectors" -eq 0 ]; then pass 'a log is not written through a link'; else fail 'a log was written through a link'; fi

echo '== commands of a job'
cat >/tmp/hook.fio <<FIO
[job]
rw=read
size=1m
filename=$nvme
exec_prerun=touch /tmp/ran
FIO
ioproof run /tmp/hook.fio >/tmp/output 2>&1
status=$?
if [ $status -eq 2 ] && [ ! -e /tmp/ran ]; then pass 'a command is not run without --allow-exec'; else fail "a command without --allow-exec (exit status $status)"; fi
ioproof run --allow-exec /tmp/hook.fio >/tmp/output 2>&1
if [ -e /tmp/ran ]; then pass 'it is run with it'; else fail 'it is not run with it'; fi

finish
