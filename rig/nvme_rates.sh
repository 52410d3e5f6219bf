# Rates of NVMe backends on one drive in one machine, in alternating rounds: `nvme_rates.sh ROUNDS SECONDS DEPTHS BACKENDS`, lists with commas.
# `BACKEND+polled` is the same with `--polled`. Each run is one line: `report BACKEND DEPTH` and ioproof's JSON behind it.
# No IOMMU: an emulated one translates each transfer of the own driver in the one thread that serves the drive, and would be what is measured.

. /share/lib.sh

rounds=$1 seconds=$2 depths=$(echo "$3" | tr , ' ') backends=$(echo "$4" | tr , ' ')
export XDG_STATE_HOME=/tmp/state
device=$(drive NVME-A)
echo 200 >/proc/sys/vm/nr_hugepages

# run BACKEND DEPTH
run() {
    target=$device
    if [ "$1" = polled ]; then target=$(ioproof device bind NVME-A --unsafe-no-iommu 2>/tmp/talk) || die "the drive cannot be bound"; fi
    backend=${1%+polled}
    flags=$([ "$backend" = "$1" ] || echo --polled)
    ioproof verify "$target" --backend "$backend" $flags --rw randread --bs 4KiB --workers 1 --depth "$2" --runs 1 --time "${seconds}s" --json \
        </dev/null >/tmp/report.json 2>/tmp/talk
    status=$?
    [ $status -le 3 ] && [ -s /tmp/report.json ] || die "$1 at depth $2 ended with $status: $(tail -n 3 /tmp/talk)"
    if [ "$1" = polled ]; then must ioproof device unbind NVME-A; fi
    printf 'report %s %s ' "$1" "$2"
    tr -d '\n' </tmp/report.json
    echo
    rm -rf /tmp/state
}

reversed=
for backend in $backends; do reversed="$backend $reversed"; done
for depth in $depths; do
    round=0
    while [ $round -lt "$rounds" ]; do
        order=$backends
        [ $((round % 2)) = 0 ] || order=$reversed
        for backend in $order; do run "$backend" "$depth"; done
        round=$((round + 1))
    done
done
