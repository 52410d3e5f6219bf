# Rates of NVMe backends on one drive in one machine, in alternating rounds: `nvme_rates.sh ROUNDS SECONDS DEPTHS BACKENDS`, lists with commas.
# Each run is one line: `report BACKEND DEPTH` and ioproof's JSON behind it.

. /share/lib.sh

rounds=$1 seconds=$2 depths=$(echo "$3" | tr , ' ') backends=$(echo "$4" | tr , ' ')
export XDG_STATE_HOME=/tmp/state
device=$(drive NVME-A)

# run BACKEND DEPTH
run() {
    ioproof verify "$device" --backend "$1" --rw randread --bs 4KiB --workers 1 --depth "$2" --runs 1 --time "${seconds}s" --json \
        </dev/null >/tmp/report.json 2>/tmp/talk
    status=$?
    [ $status -le 3 ] && [ -s /tmp/report.json ] || die "$1 at depth $2 ended with $status: $(tail -n 3 /tmp/talk)"
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
